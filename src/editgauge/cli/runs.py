"""`editgauge import, merge, costs`: what comes into a run, where it goes, what it has cost."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from editgauge.cli import options as opt
from editgauge.cli import output
from editgauge.errors import UsageError
from editgauge.escape import plain
from editgauge.types import JsonObject

if TYPE_CHECKING:
    from editgauge.run.material import Material
    from editgauge.store.matching import Matches
    from editgauge.types import Sample

PAID = "paid.sqlite"


# -- import ----------------------------------------------------------------------------------------


@opt.options()
class Taking:
    source: Annotated[Path, Parameter(name="--from")]
    """A folder with one editor's outputs, or with one for each editor (EDITOR's is taken), or what
    a released script wrote: a file or a folder."""
    run: opt.RunOpt = opt.RUN
    editor: str = ""
    "Whose they are, where the files do not say."
    model: str = ""
    "The judge that the released script asked: its files are taken in as that judge's scores."
    repeat: opt.Count = 1
    """With --model: which run of the judge these scores are, from 1. Folders run1, run2… and files
    that end so say it themselves."""
    pattern: str = ""
    """Path of an output below the folder. Fields: {id}, {flat}, {name}, {number}, {stem}, {image},
    {split}, {category}, {category1}…, {folder}, {folder1}… of the official output name,
    attributes, {place:03} in the order of the metadata (from 1; {place0}: from 0); * for any
    text. Default: the usual ones, and what the names suggest."""
    map: Path | None = None
    "A csv with the columns sample and file, which says which output is whose."
    to: Path | None = None
    "Copy the matched outputs to TO/<editor>/… in official naming. Else: look."


def take_in(
    benchmark: opt.BenchmarkArg,
    data: opt.DataArg = None,
    /,
    *,
    asked: Taking,
    narrowing: opt.Narrowing = opt.Narrowing(),
) -> int:
    """Take in what other tools made: of pictures, show which sample each belongs to (with --to,
    copy them to their official names; the folder is not changed); of files of scores that a
    released script wrote, make rows of their own source. Nothing is computed or sent.

    Exit code 1: samples have no output.
    """
    source = asked.source
    if asked.repeat > 1 and not asked.model:
        raise UsageError("wanted with --model: only a judge has several runs", argument="repeat")
    if asked.model or not (asked.pattern or asked.map or asked.to or _has_pictures(source)):
        return _scores(narrowing.open(benchmark, data), source, asked)
    if (asked.to is None) != (not asked.editor):
        raise UsageError("--to and --editor: wanted both, or neither to only look")
    return _outputs(narrowing.open(benchmark, data), opt.typed(benchmark, data), asked)


def _has_pictures(folder: Path) -> bool:
    """Whether a folder holds pictures, or nothing that a script wrote."""
    from editgauge.images import EXTENSIONS

    suffixes = {path.suffix.lower() for path in folder.rglob("*") if path.is_file()}
    scores = suffixes & {".json", ".jsonl", ".csv"} and suffixes.isdisjoint(EXTENSIONS)
    return folder.is_dir() and not scores


def _outputs(material: Material, typed: str, asked: Taking) -> int:
    from editgauge.store.matching import by_editor, matches_of

    samples, to = material.samples, asked.to
    own = asked.source / asked.editor  # where there is a folder for each editor, as in `score`
    source = own if own.is_dir() else asked.source
    matches = matches_of(source, material.every, asked.pattern, asked.map)
    each = {} if to or asked.pattern else by_editor(matches, material.every)
    counts = {name: len(one.of(samples).named) for name, one in each.items()}
    matches = next(iter(each.values()), matches).of(samples)  # the first in detail
    facts, lines = {**matches.as_dict(), "copied": 0}, matches.lines()
    rule = ["--map", str(matches.map)] if matches.map else ["--pattern", matches.rule]
    words = [str(matches.folder), *rule, "--editor", "NAME"]
    if counts:
        facts["editors"] = counts
        shown = ", ".join(f"{name} ({count})" for name, count in counts.items())
        lines.append(f"each folder is an editor's, with so many samples: {shown}")
        words = [str(asked.source), *rule]
    elif to is not None:
        facts["copied"] = _copied(matches, samples, to, asked)
        words = [str(to), "--editor", asked.editor]
    if matches.named and not matches.ambiguous:
        lines.append(f"next:  editgauge score {typed} --outputs {shlex.join(words)} --run RUN")
    output.emit(facts, lines)
    return int(any(n < len(samples) for n in counts.values() or [len(matches.named)]))


def _copied(matches: Matches, samples: Sequence[Sample], to: Path, asked: Taking) -> int:
    """Copy the files to their official places; how many."""
    from editgauge.store.matching import deliver

    matches.need_one_each()
    if (matches.by_place or matches.beside[1:]) and not asked.pattern:
        raise UsageError(
            f"{matches.folder}: the names tell no sample or no editor; files counted in the order "
            f"of the metadata, or those of one folder of several, are taken where you say so: "
            f"--pattern {shlex.quote(matches.rule)}"
        )
    return deliver(matches.named, samples, to, asked.editor)


def _scores(material: Material, source: Path, asked: Taking) -> int:
    from editgauge.scoring.imports import import_scores

    bench = material.benchmark
    with opt.run_at(asked.run) as folder:
        replace(material, samples=[]).keep(folder)  # no picture is needed
        whose: JsonObject = {"judge": asked.model, "editor": asked.editor or None}
        whose["repeat"] = asked.repeat - 1
        imported = import_scores(folder, bench, source, material.samples, **whose)
        output.warn(folder)
        about = {"judge": asked.model} if asked.model else {}
        folder.record("import", benchmark=bench.name, file=source.name, rows=imported.rows, **about)
    facts = {"rows": imported.rows, "kept": imported.kept, "unknown": imported.unknown}
    following = f"editgauge table {opt.place_of(asked.run)} --benchmark {bench.name}"
    output.listed({**facts, "statuses": dict(imported.statuses)}, f"next:  {following}")
    return 0


# -- merge -----------------------------------------------------------------------------------------


def merge(runs: opt.RunsArg, /, *, to: Path) -> int:
    """Bring runs together in one folder, or on a store (s3://…). Contradicting scores or outputs
    are an error, and then nothing is written.

    Exit code 1: something damaged was left out, which is named.

    Parameters
    ----------
    to
        The run folder or address.
    """
    from editgauge.store.merge import merge as merge_runs
    from editgauge.tables import rows

    with opt.run_at(to) as target:
        done = merge_runs(rows.open_runs(runs, pictures=True), target)
    place = opt.place_of(to)
    for text in done.problems:
        output.note(f"warning: {plain(text, None)}")
    output.listed({"run": place, **asdict(done)}, f"next:  editgauge table {place}")
    return int(bool(done.problems))


# -- costs -----------------------------------------------------------------------------------------


def costs(run: opt.RunArg, /, *, settle: opt.Dollars | None = None) -> None:
    """Show what was billed and what stands booked without a bill, and why; settle that with the
    provider's own figure, so that a budget holds no more than was spent.

    Parameters
    ----------
    settle
        Book this, the provider's own figure, for all requests that stand without a bill.
    """
    from editgauge.services import costs as paid
    from editgauge.store.remote import working
    from editgauge.store.run import Run

    with working(run) as here:
        entries = Run.open(here).manifest()["entries"]
        if settle is not None:
            paid.settle(here / PAID, settle)
        book = paid.costs(here / PAID)
    free = [one for one in entries if one.get("priced") is False and not one["dollars"]]
    unpriced = sum(one["requests"] for one in free)
    facts: JsonObject = {"run": str(run), **asdict(book), "unpriced": unpriced}
    standing = [{**one, "since": _time(one["since"]), "until": _time(one["until"])}
                for one in facts["standing"]]  # fmt: skip
    then = f"editgauge costs {run} --settle DOLLARS"
    note = f"{output.counted(unpriced, 'request')} to judges had no price: in none of the sums"
    next_ = [note] if unpriced else []
    next_ += [f"next:  look at the provider's bill of that time, then: {then}"] if standing else []
    output.emit(facts, [*output.pairs({**facts, "standing": standing, "unpriced": None}), *next_])


def _time(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M}"
