"""`editgauge list, fetch, check, new`: what there is, what is wrong, what is new."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from editgauge.cli import output
from editgauge.cli.options import BenchmarkArg, DataArg, Many, Settings, words
from editgauge.errors import UsageError

if TYPE_CHECKING:
    from editgauge.types import Benchmark

_SHOWN = 50
_NAMED = 30
"""Names of a kind that `list` shows before it says how many more there are."""


# -- list ------------------------------------------------------------------------------------------


def list_names(
    kind: Annotated[
        str,
        Parameter(
            help="benchmarks, editors, metrics, judges, ocr_engines: what each is; installation: "
            "extras, weights, keys, GPU. Without: all names, and what is missing."
        ),
    ] = "",
    /,
) -> None:
    """List what can be named in other commands, that of other packages included, and what this
    installation has and lacks.
    """
    from editgauge.run.names import KINDS, entries

    kinds = {"metrics" if name == "scorers" else name: name for name in KINDS}
    if kind == "installation":
        from editgauge.installation import inspect
        from editgauge.networks import weights as table

        files = [
            {"name": name, "state": table.state(name, None), "used_for": entry.used_for}
            for name, entry in table.WEIGHTS.items()
        ]
        found = {**inspect(), "weights": {"folder": str(table.folder(None)), "files": files}}
        output.emit(found, _installation(found))
        return
    if kind and kind not in kinds:
        raise UsageError(f"list {kind!r}: wanted one of {', '.join(kinds)}, installation")
    listed = {name: entries(kinds[name]) for name in ([kind] if kind else kinds)}
    output.emit(listed, _each(listed[kind]) if kind else _names(listed))


def _each(entries: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """A name a paragraph, with what it is."""
    from editgauge.cli.help import Line, section

    lines = [Line(entry["name"], entry["about"]) for entry in entries]
    yield section(output.counted(len(lines), "name"), lines)


def _names(listed: Mapping[str, Sequence[Mapping[str, Any]]]) -> Iterator[str]:
    from editgauge import catalog
    from editgauge.installation import extras

    for kind, entries in listed.items():
        found = list(dict.fromkeys(str(entry["name"]) for entry in entries))
        if kind == "metrics":
            found = list(dict.fromkeys(name for one in entries for name in one.get("metrics", ())))
        if kind == "metrics":
            packaged = [one for one in entries if one.get("package")]
            outside = [name for one in packaged for name in one.get("metrics", ())]
        else:
            outside = [name for name in found if name not in catalog.TABLES.get(kind, found)]
        kept = list(dict.fromkeys([*found[:_NAMED], *outside]))
        more = f", and {len(found) - len(kept)} more" if len(found) > len(kept) else ""
        yield from textwrap.wrap(
            f"{kind}: {', '.join(kept)}{more}", 78, subsequent_indent="    ", break_on_hyphens=False
        )
        for entry in entries:
            if "cannot be loaded" in str(entry["about"]):
                yield f"    {entry['name']}: {entry['about']}"
    missing = [extra["name"] for extra in extras() if extra["missing"]]
    yield f"not installed: {', '.join(missing) or 'nothing; every extra is here'}"
    if missing:
        yield f"    pip install 'editgauge[{missing[0]}]' brings the first of them"
    yield "next:  editgauge list editors (what each is) · editgauge list installation"


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
    yield f"\nweights in {found['weights']['folder']}"
    for entry in found["weights"]["files"]:
        yield f"  {entry['name']:<28} {entry['state']:<10} {entry['used_for']}"
    yield "\nenvironment (names only)"
    for entry in found["environment"]:
        yield f"  {entry['name']:<26} {'set' if entry['set'] else '-':<4} {entry['meaning']}"
    yield "\nnext:  editgauge demo"


# -- fetch -----------------------------------------------------------------------------------------


def fetch(
    what: Annotated[
        str,
        Parameter(help="A benchmark; weights; or prompts (what a paper asked its judge)."),
    ],
    names: Annotated[
        tuple[str, ...],
        Parameter(
            help="With weights: which, without names they are listed. With prompts: the benchmark. "
            "With a benchmark: another data set on the hub, OWNER/NAME.",
            negative=(),
        ),
    ] = (),
    /,
    *,
    to: Path | None = None,
    run: Path | None = None,
    source: Annotated[Path | None, Parameter(name="--from")] = None,
    revision: str = "",
) -> None:
    """Fetch official data, network weights, or a paper's prompts. Continues where it stopped and
    verifies every file.

    Parameters
    ----------
    to
        The folder; of a benchmark's data by default data/<name>.
    run
        With prompts: the run that gets the paper's prompts.
    source
        With prompts: a local clone of the authors' repository.
    revision
        Commit, branch or tag of the data; recorded as a commit.
    """
    if what == "weights":
        _weights(names)
    elif what == "prompts":
        _prompts(names, run, to, source)
    elif len(names) > 1 or (names and "/" not in names[0]):
        raise UsageError(f"fetch {what} {' '.join(names)}: names belong to weights and prompts")
    else:
        _data(what, to, revision, "".join(names))


def _data(name: str, to: Path | None, revision: str, repo: str) -> None:
    from editgauge import catalog
    from editgauge.services.hub import fetch_dataset

    benchmark = catalog.find("benchmarks", name)
    source = benchmark.data
    if source is None:
        raise UsageError(
            f"{benchmark.name}: there is nothing to fetch (built in, or its package names no "
            f"source)"
        )
    target = to or Path("data") / benchmark.name
    if source.note and not output.as_json():
        output.note(f"note: {source.note}")
    shown = output.transfer(benchmark.name)
    fetched = fetch_dataset(
        source, target, revision=revision or None, repo=repo or None, progress=shown
    )
    lines = [
        f"{fetched.repo} at {fetched.commit}: {fetched.files} files, {fetched.bytes / 1e6:.1f} MB, "
        f"{fetched.new} of them new",
        *(f"note: unpack {target / archive} before scoring" for archive in fetched.archives),
        f"data:  {target}",
        f"next:  editgauge check {benchmark.name} {target}",
    ]
    facts = {"benchmark": benchmark.name, **asdict(fetched), "to": str(target)}
    output.emit(facts, lines)


def _weights(names: Sequence[str]) -> None:
    from editgauge.networks import weights as table

    if not names:
        listed = [table.described(entry, None) for entry in table.WEIGHTS.values()]
        lines = [f"folder: {table.folder(None)}"]
        for entry in listed:
            size = f"{entry['size'] / 1e6:.1f} MB" if entry["size"] else "size unknown"
            lines.append(
                f"{entry['name']:<26} {entry['state']:<9} {size:>14}  {entry['licence']}; "
                f"{entry['used_for']}"
            )
        output.emit({"folder": str(table.folder(None)), "weights": listed}, lines)
        return
    for name in names:
        table.find(name)
    done: list[dict[str, Any]] = []
    for name in names:
        shown = output.transfer(name)
        local = table.fetch(name, None, progress=shown)
        files = {file: str(path) for file, path in local.paths.items()}
        done.append({"name": name, "files": files, **local.identity})
    lines = [f"{one['name']}: {len(one['files'])} files here and verified" for one in done]
    lines.append("next:  editgauge score BENCHMARK DATA --tracks embedding --run RUN")
    output.emit({"weights": done}, lines)


def _prompts(names: Sequence[str], run: Path | None, to: Path | None, clone: Path | None) -> None:
    from editgauge.judging import paper, prompts
    from editgauge.store.run import Run

    if len(names) != 1 or (run is None) == (to is None):
        raise UsageError("fetch prompts: wanted one benchmark, and --run RUN or --to FOLDER")
    benchmark = _benchmark(names[0])
    released = prompts.declared(benchmark)
    if run is not None:
        Run.create(run)
    target = to or prompts.folder_of(run or Path(), benchmark.name)
    shown = output.transfer("prompts")
    made = paper.fetch(released, target, clone=clone, progress=shown)
    if released.note and not output.as_json():
        output.note(f"note: {released.note}")
    typed = f"--prompts paper --run {run}" if run else f"--prompts {target}"
    scripts = output.counted(len(made.by_path), "script")
    lines = [
        f"{benchmark.name}: {scripts} of {released.repository}, in {target}",
        f"next:  editgauge judge {benchmark.name} DATA --show {typed}",
    ]
    facts: dict[str, Any] = {"set": paper.SET, "fingerprint": made.fingerprint, "to": str(target)}
    facts |= {"repository": released.repository, "scripts": sorted(made.by_path)}
    output.emit(facts, lines)


# -- check -----------------------------------------------------------------------------------------


def check(
    what: Annotated[
        str,
        Parameter(
            name="BENCHMARK|RUN",
            help="A benchmark, whose data and outputs are looked at; or a run folder, of which "
            "every record and output is.",
        ),
    ],
    data: DataArg = None,
    /,
    *,
    outputs: Path | None = None,
    editor: str | None = None,
    split: str | None = None,
    ignore: Many = (),
    strict: bool = False,
    every: Annotated[bool, Parameter(name="--all")] = False,
    repair: bool = False,
) -> int:
    """Look for faults before anything is spent: in data (counts, repairs, files, masks,
    references), in outputs, or in a run.

    Exit code 0: no output needs attention (faults of the data are printed, and are the same for
    every model), or the run is sound; 1: an output does, with --strict the data, there is no
    sample, or the run is damaged (also after a repair: what is gone must be made again).

    Parameters
    ----------
    outputs
        A folder of outputs in official naming, one model's or several.
    editor
        The model in OUTPUTS to look at. Default: all that are there.
    split
        Only this split (or set) of the benchmark.
    ignore
        A kind of line that needs no attention; may be repeated.
    strict
        Exit code 1 for the data's own faults as well.
    every
        Print every line, not only the first of a kind and every repair.
    repair
        Of a run: take damaged records out; they are kept beside the others.
    """
    if _is_run(what):
        return _check_run(Path(what), repair)
    from editgauge import catalog
    from editgauge.run.check import check as look

    if editor is not None and outputs is None:
        raise UsageError("--editor: wanted --outputs DIR with it")
    if repair:
        raise UsageError("--repair: belongs to a run: editgauge check RUN --repair")
    with output.progress() as progress:
        checked = look(
            catalog.find("benchmarks", what),
            data,
            split=split,
            outputs=outputs,
            editor=editor,
            ignore=ignore,
            progress=progress,
        )
    output.emit(checked.as_dict(), checked.lines(None if every else 5))
    return 0 if checked.passed(strict=strict) else 1


def _is_run(word: str) -> bool:
    """Whether a word means a run: a folder or an address, and no benchmark's name."""
    from editgauge import catalog

    if word.startswith("dir:") or catalog.canonical(word) in catalog.names("benchmarks"):
        return False
    return ":/" in word or Path(word).is_dir() or "/" in word


def _check_run(run: Path, repair: bool) -> int:
    from editgauge.store import check
    from editgauge.store.run import Run

    folder = Run.open(run)
    opened = list(folder.problems)
    found = check.repair(folder) if repair else check.check(folder)
    left = check.check(folder) if repair else []
    facts = {
        "run": str(run),
        "repaired": repair,
        "damages": [asdict(item) for item in found],
        "left": [asdict(item) for item in left],
        "opening": opened,
    }
    word = "done" if repair else "repair"
    lines = [f"{item.place}: {item.found}\n    {word}: {item.repair}" for item in found[:_SHOWN]]
    if len(found) > _SHOWN:
        lines.append(f"… and {len(found) - _SHOWN} more (--json names all)")
    lines += [f"left: {item.place}: {item.found} ({item.repair})" for item in left]
    if not found and not left:
        lines.append(f"{run}: sound; every record and every output stands its check")
    elif not repair:
        lines.append(f"next:  editgauge check {run} --repair")
    else:
        lines.append(f"next:  editgauge score BENCHMARK DATA --run {run}")
    output.emit(facts, lines)
    return 1 if found or left else 0


# -- new -------------------------------------------------------------------------------------------

_ABOUT = ("name", "title", "licence", "protocol", "required", "reviews", "expert")


def new(
    kind: Annotated[str, Parameter(help="benchmark, dataset or prompts.")],
    name: Annotated[
        str,
        Parameter(
            help="Of a benchmark its name; of a data set its folder; of prompts the benchmark "
            "whose rubrics are copied."
        ),
    ],
    fields: Annotated[
        tuple[str, ...],
        Parameter(
            help="NAME=VALUE of a data set: name, title, licence, protocol (measure it as a "
            "benchmark of these), required (before export: url,licence,consent), reviews (people "
            "who must accept a sample), expert (categories that need one).",
            negative=(),
        ),
    ] = (),
    /,
    *,
    to: Path | None = None,
) -> None:
    """Start something of your own: a judge benchmark as a package (declaration, rubric, test); a
    data set, which is a benchmark, dir:DIR, as soon as it has samples; or a copy of a judge's
    prompts, to be changed and used with judge --prompts FOLDER.

    Parameters
    ----------
    to
        The folder to write of a benchmark or prompts; default: NAME here, NAME-prompts.
    """
    if kind == "benchmark":
        _new_benchmark(name, to or Path(name))
    elif kind == "dataset":
        _new_dataset(Path(name), fields)
    elif kind == "prompts":
        _new_prompts(name, to or Path(f"{name}-prompts"))
    else:
        raise UsageError(f"new {kind}: wanted benchmark, dataset or prompts")


def _new_benchmark(name: str, place: Path) -> None:
    from editgauge.benchmarks import skeleton

    files = [path.relative_to(place).as_posix() for path in skeleton.write(name, place)]
    lines = [f"wrote:  {place / file}" for file in files]
    lines.append(f"next:   pip install --editable {place}, then: editgauge list benchmarks")
    output.emit({"name": name, "folder": str(place), "files": files}, lines)


def _new_dataset(to: Path, fields: Sequence[str]) -> None:
    from editgauge.curation.dataset import DataSet
    from editgauge.curation.records import about_of, name_from

    given = Settings.of(fields)
    policy = {
        "required": words(given.take("required", "")),
        "reviews": given.take("reviews", 0, int),
        "expert": words(given.take("expert", "")),
    }
    said = {
        "name": given.take("name", "") or name_from(to),
        "title": given.take("title", ""),
        "licence": given.take("licence", ""),
        "protocol": given.take("protocol", ""),
    }
    given.end(_ABOUT)
    made = DataSet.create(to, about_of({**said, "policy": policy}, str(to)))
    lines = [
        f"data set {made.about.name}: {to}",
        f"next:   editgauge curate add {to} PICTURES, then: editgauge curate {to}",
    ]
    output.emit({"folder": str(to), **made.about.as_dict()}, lines)


def _new_prompts(name: str, folder: Path) -> None:
    from editgauge.judging import prompts

    benchmark = _benchmark(name)
    made = prompts.start(benchmark, folder)
    files = sorted(path.name for path in made.iterdir())
    lines = [
        f"made:  {made}, {output.counted(len(files), 'file')}: {', '.join(files)}",
        f"next:  editgauge judge {benchmark.name} DATA --run RUN --model M --prompts {made}",
    ]
    output.emit({"folder": str(made), "files": files}, lines)


def _benchmark(name: BenchmarkArg) -> Benchmark:
    from editgauge import catalog

    found: Benchmark = catalog.find("benchmarks", name)
    return found
