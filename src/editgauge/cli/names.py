"""`editgauge list`: what there is to name, and what this installation has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from editgauge.cli import output
from editgauge.types import JsonMapping, JsonObject

Kind = Literal["benchmarks", "editors", "metrics", "judges", "ocr_engines", "installation"]


def list_names(kind: Kind | None = None, /) -> None:
    """List what can be named in other commands, that of other packages included, and what this
    installation has and lacks.

    Parameters
    ----------
    kind
        benchmarks, editors, metrics, judges, ocr_engines: what each is; installation: extras,
        weights, keys, GPU. Without: all names, and what is missing.
    """
    from editgauge.cli.help import Line, section
    from editgauge.run.installation import inspect
    from editgauge.run.names import KINDS, entries

    kinds = {"metrics" if name == "scorers" else name: name for name in KINDS}
    if kind == "installation":
        facts = inspect()
        output.emit(facts, _installation(facts))
    elif kind is None:
        every = {name: entries(of) for name, of in kinds.items()}
        output.emit(every, _names(every))
    else:
        names = entries(kinds[kind])
        lines = [Line(entry["name"], entry["about"]) for entry in names]
        output.emit({kind: names}, [section(output.counted(len(lines), "name"), lines)])


def _names(every: Mapping[str, list[JsonObject]]) -> Iterator[str]:
    from editgauge.run.installation import extras

    shown: dict[str, list[str]] = {}
    for kind, entries in every.items():
        names = (one.get("metrics", ()) if kind == "metrics" else [one["name"]] for one in entries)
        shown[kind] = list(dict.fromkeys(name for some in names for name in some))
        broken = (one for one in entries if "cannot be loaded" in one["about"])
        shown |= {one["name"]: [one["about"]] for one in broken}
    shown["not installed"] = [extra["name"] for extra in extras() if extra["missing"]]
    yield from output.pairs(shown, most=None)
    yield "next:  editgauge list editors (what each is) · editgauge list installation"


def _installation(found: JsonMapping) -> Iterator[str]:
    shown = {name: found[name] for name in ("version", "python", "gpu")}
    for extra in found["extras"]:
        missing = ", ".join(extra["missing"])
        shown[extra["name"]] = f"missing: {missing}" if missing else f"installed; {extra['brings']}"
    shown["weights in"] = found["weights"]["folder"]
    for one in found["weights"]["files"]:
        shown.setdefault(f"weights {one['state']}", []).append(one["name"])
    for known, name in dict.fromkeys((one["set"], one["name"]) for one in found["environment"]):
        shown.setdefault(f"variables{' not' * (not known)} set", []).append(name)
    yield from output.pairs(shown, most=None)
    yield "next:  editgauge demo (--json says what each variable is for)"
