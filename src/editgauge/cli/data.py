"""`editgauge fetch, check, new`: data, its faults, and data of one's own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from editgauge.cli import options as opt
from editgauge.cli import output
from editgauge.cli.modes import Words, mode, modes
from editgauge.errors import UsageError
from editgauge.types import JsonObject

if TYPE_CHECKING:
    from editgauge.types import Benchmark


# -- fetch -----------------------------------------------------------------------------------------


@opt.options()
class Fetching:
    to: Path | None = None
    "The folder; of a benchmark's data by default data/<name>, of weights EDITGAUGE_WEIGHTS."
    run: Path | None = None
    "With prompts: the run that gets the paper's prompts."
    source: Annotated[Path | None, Parameter(name="--from")] = None
    "With prompts: a local clone of the authors' repository."
    revision: str = ""
    "Commit, branch or tag of the data; recorded as a commit."


@modes(
    mode(
        "weights", "weights", chosen=lambda w: w.first("WHAT") == "weights", uses="WHAT NAMES --to"
    ),
    mode(
        "prompts",
        *("prompts", "textedit"),
        chosen=lambda words: words.first("WHAT") == "prompts",
        uses="WHAT NAMES --to --run --from",
    ),
    mode("a benchmark", "texteditbench", uses="WHAT NAMES --to --revision"),
)
def fetch(
    what: Annotated[str, opt.names_of("benchmarks")],
    names: tuple[str, ...] = (),
    /,
    *,
    asked: Fetching = Fetching(),
) -> None:
    """Fetch official data, network weights, or a paper's prompts. Continues where it stopped and
    verifies every file.

    Parameters
    ----------
    what
        A benchmark; weights; or prompts (what a paper asked its judge).
    names
        With weights: which, without names they are listed. With prompts: the benchmark. With a
        benchmark: another data set on the hub, OWNER/NAME.
    """
    if what == "weights":
        _weights(names, asked.to)
    elif what == "prompts":
        _prompts(names, asked)
    elif len(names) > 1 or (names and "/" not in names[0]):
        raise UsageError(f"fetch {what} {' '.join(names)}: names belong to weights and prompts")
    else:
        _data(_benchmark(what), asked, "".join(names))


def _data(benchmark: Benchmark, asked: Fetching, repo: str) -> None:
    from editgauge.services.hub import fetch_dataset

    name, source = benchmark.name, benchmark.data
    if source is None:
        raise UsageError(f"{name}: there is nothing to fetch (built in, or without a named source)")
    to, revision = asked.to or Path("data") / name, asked.revision or None
    with output.progress() as show:
        told = partial(show, note=name)
        fetched = fetch_dataset(source, to, revision=revision, repo=repo or None, progress=told)
    archives = [f"unpack {to / archive} before scoring" for archive in fetched.archives]
    facts = {"benchmark": name, **asdict(fetched), "to": str(to), "note": source.note}
    output.listed(facts, *archives, f"next:  editgauge check {name} {to}")


def _weights(names: Sequence[str], to: Path | None) -> None:
    from editgauge.networks import weights as table

    if not names:
        listed = [table.described(entry, to) for entry in table.WEIGHTS.values()]
        lines = (
            f"{one['name']:<26} {one['state']:<9} {(one['size'] or 0) / 1e6:>10.1f} MB  "
            f"{one['licence']}; {one['used_for']}"
            for one in listed
        )
        folder = str(table.folder(to))
        output.emit({"folder": folder, "weights": listed}, [f"folder: {folder}", *lines])
        return
    for name in names:  # a wrong name costs no download
        table.find(name)
    with output.progress() as show:
        done = {name: table.fetch(name, to, progress=partial(show, note=name)) for name in names}
    facts = [
        {"name": name, "files": {n: str(p) for n, p in one.paths.items()}, **one.identity}
        for name, one in done.items()
    ]
    used = [f"other commands find them with EDITGAUGE_WEIGHTS={to}"] if to else []
    output.listed({"verified": list(done), "weights": facts}, *used)


def _prompts(names: Sequence[str], asked: Fetching) -> None:
    from editgauge.judging import paper, prompts
    from editgauge.store.run import Run

    run = asked.run
    if len(names) != 1 or (run is None) == (asked.to is None):
        raise UsageError("fetch prompts: wanted one benchmark, and --run RUN or --to FOLDER")
    benchmark = _benchmark(names[0])
    released = prompts.declared(benchmark)
    if run is not None:
        Run.create(run)
    to = asked.to or prompts.folder_of(run or Path(), benchmark.name)
    with output.progress() as show:
        told = partial(show, note="prompts")
        copied = paper.fetch(released, to, clone=asked.source, progress=told)
    typed = f"--prompts paper --run {run}" if run else f"--prompts {to}"
    facts = {
        "set": paper.SET, "fingerprint": copied.fingerprint, "to": str(to), "note": released.note,
        "repository": released.repository, "scripts": sorted(copied.by_path),
    }  # fmt: skip
    output.listed(facts, f"next:  editgauge judge {benchmark.name} DATA --show {typed}")


# -- check -----------------------------------------------------------------------------------------


@opt.options()
class Checking:
    outputs: Path | None = None
    "A folder of outputs in official naming, one model's or several."
    editor: str | None = None
    "The model in OUTPUTS to look at. Default: all that are there."
    split: opt.SplitOpt = None
    ids: opt.SampleOpt = ()
    every: Annotated[bool, Parameter(name="--all")] = False
    "Print every line, not only the first of a kind and every repair."
    repair: bool = False
    "Of a run: take damaged records out; they are kept beside the others."


def _is_run(words: Words) -> bool:
    """Whether `check` is asked about a run."""
    return _names_run(words.first("BENCHMARK|RUN"))


@modes(
    mode("a run", "./runs/RUN", chosen=_is_run, uses="BENCHMARK|RUN --repair"),
    mode("a benchmark", "mini", leaves="--repair"),
)
def check(
    what: Annotated[str, Parameter(name="BENCHMARK|RUN"), opt.names_of("benchmarks")],
    data: opt.DataArg = None,
    /,
    *,
    asked: Checking = Checking(),
) -> int:
    """Look for faults before anything is spent: in data (counts, repairs, files, masks,
    references), in outputs, or in a run.

    Exit code 0: no output needs attention (faults of the data are printed, and are the same for
    every model), or the run is sound; 1: an output does, there is no sample, or the run is damaged
    (also after a repair: what is gone must be made again).

    Parameters
    ----------
    what
        A benchmark, whose data and outputs are looked at; or a run folder, of which every record
        and output is.
    """
    from editgauge.run.check import check as look

    if _names_run(what):
        return _check_run(Path(what), asked.repair)
    with output.progress() as show:
        checked = look(
            _benchmark(what), data, split=asked.split, ids=asked.ids, outputs=asked.outputs,
            editor=asked.editor, progress=show,
        )  # fmt: skip
    lines = checked.lines(None if asked.every else 5, opt.typed(what, data))
    output.emit(checked.as_dict(), lines)
    return int(not checked.passed)


def _names_run(what: str) -> bool:
    """Whether a word names a run, not a benchmark."""
    from editgauge import catalog

    if what.startswith(catalog.DATA_SETS) or what in catalog.names("benchmarks"):
        return False
    return "/" in what or Path(what).is_dir()


def _check_run(run: Path, repair: bool) -> int:
    from editgauge.store import check, rebuild
    from editgauge.store.run import Run

    made = check.make_again(run) if repair and rebuild.can_be_made_again(run) else []
    folder = Run.open(run)
    opening = [*folder.problems]
    damages = made + (check.repair(folder) if repair else check.check(folder))
    left = check.check(folder) if repair else []
    facts = {"run": str(run), "repaired": repair, "opening": opening}
    following = f"{run}: sound; every record and every output stands its check"
    if damages or left:
        again = f"score BENCHMARK DATA --run {run}; and judge: it pays for no reply again"
        typed = again if repair else f"check {run} --repair"
        following = f"next:  editgauge {typed}"
    facts |= {"damages": [*map(asdict, damages)], "left": [*map(asdict, left)]}
    output.listed(facts, following)
    return int(bool(damages or left))


# -- new -------------------------------------------------------------------------------------------

_ABOUT: JsonObject = {
    **dict.fromkeys(("name", "title", "licence", "protocol", "required", "expert"), str),
    "reviews": int,
}


@modes(
    mode(
        "dataset",
        *("dataset", "DIR"),
        chosen=lambda words: words.first("KIND") == "dataset",
        uses="KIND NAME FIELDS",
    ),
    mode("benchmark or prompts", "benchmark", "NAME", uses="KIND NAME --to"),
)
def new(
    kind: Literal["benchmark", "dataset", "prompts"],
    name: str,
    fields: tuple[str, ...] = (),
    /,
    *,
    to: Path | None = None,
) -> None:
    """Start something of your own: a judge benchmark as a package (declaration, rubric, test); a
    data set, which is a benchmark, dir:DIR, as soon as it has samples; or a copy of a judge's
    prompts, to be changed and used with judge --prompts FOLDER.

    Parameters
    ----------
    kind
        benchmark, dataset or prompts.
    name
        Of a benchmark its name; of a data set its folder; of prompts the benchmark whose rubrics
        are copied.
    fields
        NAME=VALUE of a data set: name, title, licence, protocol (measure it as a benchmark of
        these), required (before export: url,licence,consent), reviews (people who must accept a
        sample), expert (categories that need one).
    to
        The folder to write of a benchmark or prompts; default: NAME here, NAME-prompts.
    """
    if kind == "dataset":
        _new_dataset(Path(name), fields)
        return
    if kind == "benchmark":
        from editgauge.benchmarks import skeleton

        folder = to or Path(name)
        files: Iterable[Path] = skeleton.write(name, folder)
        following = f"pip install --editable {folder}, then: editgauge list benchmarks"
    else:
        from editgauge.judging import prompts

        folder = prompts.start(_benchmark(name), to or Path(f"{name}-prompts"))
        files = sorted(folder.iterdir())
        following = f"editgauge judge {name} DATA --run RUN --model M --prompts {folder}"
    names = [path.relative_to(folder).as_posix() for path in files]
    output.listed({"folder": str(folder), "files": names}, f"next:  {following}")


def _new_dataset(to: Path, fields: Sequence[str]) -> None:
    from editgauge.curation.dataset import DataSet
    from editgauge.curation.records import about_of, name_from

    words = opt.given(fields, _ABOUT, "new dataset")
    policy: JsonObject = {"reviews": words.pop("reviews", 0)}
    policy |= {name: opt.words(words.pop(name, "")) for name in ("required", "expert")}
    data = DataSet.create(to, about_of({"name": name_from(to), **words, "policy": policy}, str(to)))
    following = f"next:  editgauge curate add {to} PICTURES, then: editgauge curate {to}"
    output.listed({"folder": str(to), **data.about.as_dict()}, following)


def _benchmark(name: str) -> Benchmark:
    from editgauge import catalog

    benchmark: Benchmark = catalog.find("benchmarks", name)
    return benchmark
