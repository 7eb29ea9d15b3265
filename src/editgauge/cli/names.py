"""`editgauge list`: what there is to name, and what this installation has."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from editgauge.cli import output
from editgauge.errors import UsageError

_NAMED = 30
"""Names of a kind that `list` shows before it says how many more there are."""


def list_names(kind: str = "", /) -> None:
    """List what can be named in other commands, that of other packages included, and what this
    installation has and lacks.

    Parameters
    ----------
    kind
        benchmarks, editors, metrics, judges, ocr_engines: what each is; installation: extras,
        weights, keys, GPU. Without: all names, and what is missing.
    """
    from editgauge.cli.help import Line, section
    from editgauge.run.names import KINDS, entries

    kinds = {"metrics" if name == "scorers" else name: name for name in KINDS}
    if kind == "installation":
        facts = _inspected()
        output.emit(facts, _installation(facts))
    elif not kind:
        listed = {name: entries(of) for name, of in kinds.items()}
        output.emit(listed, _names(listed))
    elif kind in kinds:
        names = entries(kinds[kind])
        lines = [Line(entry["name"], entry["about"]) for entry in names]
        output.emit({kind: names}, [section(output.counted(len(lines), "name"), lines)])
    else:
        raise UsageError(f"list {kind!r}: wanted one of {', '.join(kinds)}, installation")


def _names(listed: Mapping[str, Sequence[Mapping[str, Any]]]) -> Iterator[str]:
    from editgauge import catalog
    from editgauge.run.installation import extras

    for kind, entries in listed.items():
        named: dict[str, bool] = {}  # name -> whether another package brought it
        for entry in entries:
            known = catalog.TABLES.get(kind, ())
            outside = bool(entry.get("package")) or bool(known and entry["name"] not in known)
            parts = entry.get("metrics", ()) if kind == "metrics" else (str(entry["name"]),)
            named |= dict.fromkeys(parts, outside)
        kept = [name for n, (name, outside) in enumerate(named.items()) if n < _NAMED or outside]
        more = f", and {len(named) - len(kept)} more" if len(named) > len(kept) else ""
        yield _wrapped(f"{kind}: {', '.join(kept)}{more}")
        for entry in entries:
            if "cannot be loaded" in str(entry["about"]):
                yield f"    {entry['name']}: {entry['about']}"
    missing = [extra["name"] for extra in extras() if extra["missing"]]
    yield f"not installed: {', '.join(missing) or 'nothing; every extra is here'}"
    if missing:
        yield f"    pip install 'editgauge[{missing[0]}]' brings the first of them"
    yield "next:  editgauge list editors (what each is) · editgauge list installation"


def _inspected() -> dict[str, Any]:
    from editgauge.networks import weights as table
    from editgauge.run.installation import inspect

    files = [
        {"name": name, "state": table.state(name, None), "used_for": entry.used_for}
        for name, entry in table.WEIGHTS.items()
    ]
    return {**inspect(), "weights": {"folder": str(table.folder(None)), "files": files}}


def _installation(found: Mapping[str, Any]) -> Iterator[str]:
    machine = found["machine"]
    yield (
        f"editgauge {found['version']}, Python {found['python']}, {machine['cores']} cores, "
        f"{machine['disk_free_gb']:.1f} GB free here"
    )
    yield f"GPU:  {found['gpu']}\n\nextras"
    for extra in found["extras"]:
        state = "installed" if not extra["missing"] else f"missing: {', '.join(extra['missing'])}"
        yield f"  {extra['name']:<14} {state}; {extra['brings']}"
    yield f"\nweights in {found['weights']['folder']} (what each is for: editgauge fetch weights)"
    yield from _by_state({one["name"]: one["state"] for one in found["weights"]["files"]})
    yield "\nenvironment, names only (--json says what each is for)"
    states = {True: "set", False: "not set"}
    yield from _by_state({one["name"]: states[one["set"]] for one in found["environment"]})
    yield "\nnext:  editgauge demo"


def _by_state(named: Mapping[str, str]) -> Iterator[str]:
    for state in dict.fromkeys(named.values()):
        names = ", ".join(name for name, one in named.items() if one == state)
        yield _wrapped(f"  {state}: {names}")


def _wrapped(line: str) -> str:
    return textwrap.fill(line, 78, subsequent_indent="    ", break_on_hyphens=False)
