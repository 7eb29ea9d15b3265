"""`editgauge import, merge, costs`: what comes into a run, where it goes, what it has cost."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from editgauge.cli import options as opt
from editgauge.cli import output
from editgauge.errors import UsageError
from editgauge.escape import plain

if TYPE_CHECKING:
    from editgauge.run.material import Material
    from editgauge.store.matches import Matches

PAID = "paid.sqlite"


# -- import ----------------------------------------------------------------------------------------


@opt.options()
class Taking:
    """What is taken in, and whose it is."""

    source: Annotated[Path | None, Parameter(name="--from")] = None
    "A folder with one editor's outputs, or what a released script wrote: a file or a folder."
    run: opt.RunOpt = opt.RUN
    editor: str = ""
    "Whose they are, where the files do not say."
    model: str = ""
    "The judge that the released script asked: its files are taken in as that judge's scores."
    pattern: str = ""
    """Path of an output below the folder. Fields: {id}, {flat}, {name}, {number}, {stem}, {image},
    {split}, {category}, {category1}…, {folder}, {folder1}… of the official output name,
    attributes, {place:03} in the order of the metadata (from 1; {place0}: from 0); * for any
    text. Default: the usual ones, and what the names suggest."""
    map: Path | None = None
    """A csv with the columns sample and file, or lmms-eval's logged samples (.jsonl), which says
    which output is whose."""
    to: Path | None = None
    "Copy the matched outputs to TO/<editor>/… in official naming. Else: look."


def take_in(
    benchmark: opt.BenchmarkArg,
    data: opt.DataArg = None,
    /,
    *,
    asked: Taking = Taking(),
    narrowing: opt.Narrowing = opt.Narrowing(),
) -> int:
    """Take in what other tools made: of pictures, show which sample each belongs to (with --to,
    copy them to their official names; the folder is not changed); of files of scores that a
    released script wrote, make rows of their own source. Nothing is computed or sent.

    Exit code 1: samples have no output.
    """
    source = asked.source
    if source is None:
        raise UsageError("wanted --from (a folder of outputs, or what a released script wrote)")
    if not source.exists():
        raise UsageError(f"--from {source}: no such file or folder")
    named = bool(asked.pattern) or asked.map is not None or asked.to is not None
    if asked.model or not (named or _has_pictures(source)):
        return _scores(narrowing.open(benchmark, data), source, asked)
    if (asked.to is None) != (not asked.editor):
        raise UsageError("--to and --editor: wanted both, or neither to only look")
    return _outputs(narrowing.open(benchmark, data), data, source, asked)


def _has_pictures(folder: Path) -> bool:
    """Whether a folder holds pictures, or nothing that a script wrote. Raises `UsageError` for an
    empty one.
    """
    from editgauge.images import EXTENSIONS

    if not folder.is_dir():
        return False
    suffixes = {path.suffix.lower() for path in folder.rglob("*") if path.is_file()}
    if not suffixes:
        raise UsageError(f"--from {folder}: an empty folder; wanted outputs or result files")
    return bool(suffixes & set(EXTENSIONS)) or not suffixes & {".json", ".jsonl", ".csv"}


def _outputs(material: Material, data: Path | None, source: Path, asked: Taking) -> int:
    from editgauge.store.matching import by_editor, deliver, matches_of

    to = asked.to
    matches = matches_of(source, material.every, asked.pattern, asked.map).of(material.samples)
    if to is None and not asked.pattern and (each := by_editor(matches, material.every)):
        return _editors(material, data, source, each)
    lines, copied = list(matches.lines()), 0
    if to is not None:
        matches.need_one_each()
        if matches.by_place and not asked.pattern:
            raise UsageError(
                f"{source}: the names tell no sample; files counted in the order of the metadata "
                f"are taken where you say so: --pattern {shlex.quote(matches.rule)}"
            )
        copied = deliver(matches.named, material.samples, to, asked.editor)
        lines.append(f"{output.counted(copied, 'file')} copied to {to / asked.editor}")
    if matches.named and not matches.ambiguous and not matches.shared:
        typed = ["editgauge", "score", material.benchmark.name, *([str(data)] if data else [])]
        typed += ["--outputs", str(to or matches.folder)]
        if to is None:
            typed += ["--map", str(matches.map)] if matches.map else ["--pattern", matches.rule]
        typed += ["--editor", asked.editor or "NAME", "--run", "RUN"]
        lines.append(f"next:  {shlex.join(typed)}")
    output.emit({**matches.as_dict(), "copied": copied}, lines)
    return int(len(matches.named) < len(material.samples))


def _editors(
    material: Material, data: Path | None, source: Path, each: Mapping[str, Matches]
) -> int:
    """Several editors' folders, whose files are named alike: the first in detail."""
    each = {name: one.of(material.samples) for name, one in each.items()}
    first = next(iter(each.values()))
    counts = {name: len(one.named) for name, one in each.items()}
    shown = ", ".join(f"{name} ({count})" for name, count in counts.items())
    typed = ["editgauge", "score", material.benchmark.name, *([str(data)] if data else [])]
    typed += ["--outputs", str(source), "--pattern", first.rule, "--run", "RUN"]
    lines = [*first.lines(), f"each folder is an editor's, with so many samples: {shown}"]
    lines.append(f"next:  {shlex.join(typed)}")
    output.emit({**first.as_dict(), "editors": counts, "copied": 0}, lines)
    return int(any(count < len(material.samples) for count in counts.values()))


def _scores(material: Material, source: Path, asked: Taking) -> int:
    from editgauge.scoring.imports import import_scores

    bench = material.benchmark
    with opt.run_at(asked.run) as folder:
        replace(material, samples=[]).keep(folder)  # no picture is needed
        whose: dict[str, Any] = {"judge": asked.model, "editor": asked.editor or None}
        imported = import_scores(folder, bench, source, material.samples, **whose)
        output.warn(folder)
        about = {"judge": asked.model} if asked.model else {}
        folder.record("import", benchmark=bench.name, file=source.name, rows=imported.rows, **about)
    facts = {"rows": imported.rows, "kept": imported.kept, "unknown": imported.unknown}
    following = f"editgauge table {opt.place_of(asked.run)} --benchmark {bench.name}"
    output.listed({**facts, "statuses": dict(imported.statuses)}, f"next:  {following}")
    return 0


# -- merge -----------------------------------------------------------------------------------------


def merge(runs: opt.RunsArg, /, *, to: Path) -> None:
    """Bring runs together in one folder, or on a store (s3://…). Contradicting scores or outputs
    are an error, and then nothing is written.

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


# -- costs -----------------------------------------------------------------------------------------


@opt.options()
class Settling:
    """What is settled, and with how much."""

    settle: opt.Dollars | None = None
    "Book this, the provider's own figure, for all requests that stand without a bill."
    purpose: str = ""
    "With --settle: only requests of judge or edit."
    model: str = ""
    "With --settle: only requests to this model."
    reason: str = ""
    "With --settle: only those with this in their reason: 429."


def costs(run: opt.RunArg, /, *, asked: Settling = Settling()) -> None:
    """Show what was billed and what stands booked without a bill, and why; settle that with the
    provider's own figure, so that a budget holds no more than was spent.
    """
    from editgauge.services import costs as paid
    from editgauge.store.remote import working

    which = {"purpose": asked.purpose, "model": asked.model, "why": asked.reason}
    if asked.settle is None and any(which.values()):
        raise UsageError("--purpose, --model and --reason say what --settle settles")
    with working(run) as here:
        if asked.settle is not None:
            paid.settle(here / PAID, asked.settle, **which)
        book = paid.costs(here / PAID)
    facts: dict[str, Any] = {"run": str(run), **asdict(book)}
    standing = [{**one, "since": _time(one["since"]), "until": _time(one["until"])}
                for one in facts["standing"]]  # fmt: skip
    then = f"editgauge costs {run} --settle DOLLARS"
    next_ = [f"next:  look at the provider's bill of that time, then: {then}"] if standing else []
    output.emit(facts, [*output.pairs({**facts, "standing": standing}), *next_])


def _time(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M}"
