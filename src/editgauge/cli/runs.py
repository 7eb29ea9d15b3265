"""`editgauge import, merge, costs`: what comes into a run, where it goes, what it has cost."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from editgauge.cli import output
from editgauge.cli.options import (
    RUN,
    BenchmarkArg,
    DataArg,
    Dollars,
    Narrowing,
    RunArg,
    RunOpt,
    RunsArg,
    place_of,
)
from editgauge.errors import UsageError
from editgauge.escape import plain

if TYPE_CHECKING:
    from editgauge.run.material import Material
    from editgauge.services.costs import Costs

PAID = "paid.sqlite"
_SHOWN = 30
_LEFT_OUT = 10


# -- import ----------------------------------------------------------------------------------------


def take_in(
    benchmark: BenchmarkArg,
    data: DataArg = None,
    /,
    *,
    source: Annotated[Path | None, Parameter(name="--from")] = None,
    run: RunOpt = RUN,
    editor: str = "",
    model: str = "",
    pattern: str = "",
    map: Path | None = None,
    to: Path | None = None,
    narrowing: Narrowing = Narrowing(),
) -> int:
    """Take in what other tools made: of pictures, show which sample each belongs to (with --to,
    copy them to their official names; the folder is not changed); of files of scores that a
    released script wrote, make rows of their own source. Nothing is computed or sent.

    Exit code 1: samples have no output.

    Parameters
    ----------
    source
        A folder with one editor's outputs, or what a released script wrote: a file or a folder.
    editor
        Whose they are, where the files do not say.
    model
        The judge that the released script asked: its files are taken in as that judge's scores.
    pattern
        Path of an output below the folder. Fields: {id}, {flat}, {name}, {number}, {stem}, {image},
        {split}, {category}, {category1}…, {folder}, {folder1}… of the official output name,
        attributes, {place:03} in the order of the metadata (from 1; {place0}: from 0); * for any
        text. Default: the usual ones, and what the names suggest.
    map
        A csv with the columns sample and file, or lmms-eval's logged samples (.jsonl), which says
        which output is whose.
    to
        Copy the matched outputs to TO/<editor>/… in official naming. Else: look.
    """
    if source is None:
        raise UsageError("wanted --from (a folder of outputs, or what a released script wrote)")
    if not source.exists():
        raise UsageError(f"--from {source}: no such file or folder")
    if not model and (pattern or map is not None or to is not None or _has_pictures(source)):
        if (to is None) != (not editor):
            raise UsageError("--to and --editor: wanted both, or neither to only look")
        return _outputs(narrowing.open(benchmark, data), data, source, pattern, map, to, editor)
    return _scores(benchmark, data, source, run, model, editor, narrowing)


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


def _outputs(
    material: Material,
    data: Path | None,
    source: Path,
    pattern: str,
    map: Path | None,
    to: Path | None,
    editor: str,
) -> int:
    from editgauge.store.matching import deliver, matches_of

    found = matches_of(source, material.every, pattern, map).of(material.samples)
    lines, copied = list(found.lines()), 0
    if to is not None:
        found.need_one_each()
        if found.by_place and not pattern:
            raise UsageError(
                f"{source}: the names tell no sample; files counted in the order of the metadata "
                f"are taken where you say so: --pattern {shlex.quote(found.rule)}"
            )
        copied = deliver(found.named, material.samples, to, editor)
        lines.append(f"{copied} files copied to {to / editor}")
    if found.named and not found.ambiguous and not found.shared:
        typed = ["editgauge", "score", material.benchmark.name, *([str(data)] if data else [])]
        typed += ["--outputs", str(to or found.folder)]
        if to is None:
            typed += ["--map", str(found.map)] if found.map else ["--pattern", found.rule]
        lines.append(f"next:  {shlex.join([*typed, '--editor', editor or 'NAME', '--run', 'RUN'])}")
    output.emit({**found.as_dict(), "copied": copied}, lines)
    return int(len(found.named) < len(material.samples))


def _scores(
    benchmark: str,
    data: Path | None,
    source: Path,
    run: Path,
    model: str,
    editor: str,
    narrowing: Narrowing,
) -> int:
    from editgauge.scoring.imports import import_scores
    from editgauge.store.remote import working
    from editgauge.store.run import Run

    material = narrowing.open(benchmark, data)
    bench = material.benchmark
    with working(run) as here:
        folder = Run.create(here)
        replace(material, samples=[]).keep(folder)  # no picture is needed
        found = import_scores(
            folder, bench, source, material.samples, judge=model, editor=editor or None
        )
        output.warn(folder)
        about = {"judge": model} if model else {}
        folder.record("import", benchmark=bench.name, file=source.name, rows=found.rows, **about)
    statuses = ", ".join(f"{name} {count}" for name, count in sorted(found.statuses.items()))
    lines = [f"{found.rows} rows taken in, {found.kept} already there: {statuses}"]
    lines += [f"note: left out: {name}" for name in found.unknown[:_LEFT_OUT]]
    if len(found.unknown) > _LEFT_OUT:
        lines.append(f"note: and {len(found.unknown) - _LEFT_OUT} more")
    lines.append(f"next:  editgauge table {place_of(run)} --benchmark {bench.name}")
    facts = {"rows": found.rows, "kept": found.kept, "unknown": found.unknown}
    output.emit({**facts, "statuses": dict(found.statuses)}, lines)
    return 0


# -- merge -----------------------------------------------------------------------------------------


def merge(
    runs: RunsArg,
    /,
    *,
    to: Path,
) -> None:
    """Bring runs together in one folder, or on a store (s3://…). Contradicting scores or outputs
    are an error, and then nothing is written.

    Parameters
    ----------
    to
        The run folder or address.
    """
    from editgauge.store.merge import merge as merge_runs
    from editgauge.store.remote import working
    from editgauge.store.run import Run
    from editgauge.tables import rows

    with working(to) as here:
        done = merge_runs(rows.open_runs(runs, pictures=True), Run.create(here))
    place = place_of(to)
    for text in done.problems:
        output.note(f"warning: {plain(text, None)}")
    lines = [
        f"{done.rows} rows, {done.edits} edits, {done.samples} samples, {done.replies} replies "
        f"taken",
        f"{done.rows_known} rows already there; {done.retired} failures gave way to scores",
        *(f"not taken: {plain(name)} ({_why_left(name)})" for name in done.left),
        f"rows:  {place}",
        f"next:  editgauge table {place}",
    ]
    output.emit({"run": place, **asdict(done)}, lines)


def _why_left(name: str) -> str:
    """Why something of a source, ``run/name``, is not in the merged run."""
    from editgauge.study.ratings import FOLDER

    if name.rpartition("/")[2] == FOLDER:
        return (
            "links and open tasks stay with that run; its ratings were taken as rows, those since "
            "its last `editgauge study status` were not"
        )
    return "no part of a run's data"


# -- costs -----------------------------------------------------------------------------------------


def costs(
    run: RunArg,
    /,
    *,
    settle: Dollars | None = None,
    purpose: str = "",
    model: str = "",
    reason: str = "",
) -> None:
    """Show what was billed and what stands booked without a bill, and why; settle that with the
    provider's own figure, so that a budget holds no more than was spent.

    Parameters
    ----------
    settle
        Book this, the provider's own figure, for all requests that stand without a bill.
    purpose
        With --settle: only requests of judge or edit.
    model
        With --settle: only requests to this model.
    reason
        With --settle: only those with this in their reason: 429.
    """
    from editgauge.services import costs as paid
    from editgauge.store.remote import working

    if settle is None and (purpose or model or reason):
        raise UsageError("--purpose, --model and --reason say what --settle settles")
    with working(run) as here:
        if settle is not None:
            paid.settle(here / PAID, settle, purpose=purpose, model=model, why=reason)
        found = paid.costs(here / PAID)
    output.emit({"run": str(run), **asdict(found)}, _lines(found, run))


def _lines(found: Costs, run: Path) -> Iterator[str]:
    for total in found.totals:
        yield (
            f"{total.purpose or 'other'}: {total.booked:.4f} US dollars for "
            f"{output.counted(total.requests, 'request')}, {total.billed:.4f} of it by bills"
        )
    if not found.totals:
        yield "nothing was booked"
    if not found.standing:
        return
    yield "booked without a bill:"
    for group in found.standing[:_SHOWN]:
        yield (
            f"  {group.dollars:.4f} for {output.counted(group.requests, 'request')} to "
            f"{group.model or '?'}, {_time(group.since)} to {_time(group.until)}: {group.why}"
        )
    if len(found.standing) > _SHOWN:
        yield f"  … and {len(found.standing) - _SHOWN} more kinds (--json names all)"
    yield (
        f"next:  look at the provider's bill of that time, then: editgauge costs {run} --settle "
        f"DOLLARS"
    )


def _time(seconds: float) -> str:
    from datetime import UTC, datetime

    try:
        return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M}"
    except (ValueError, OverflowError, OSError):
        return "?"
