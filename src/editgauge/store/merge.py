"""Several runs into one: rows, edits, samples, pictures and replies of machines or colleagues that
shared the work.

Everything is one transaction: two scores of one key that differ, two outputs of one editor for one
sample, or two data releases end the merge with the name of what contradicts, and nothing is
written. A source may come from anybody: only records that stand their checksums and pictures that
pass the door of `store.paths` are taken. A failure (missing, crashed…) gives way to a score of the
same thing from another run: that is what sharing work means.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from editgauge.errors import RunError
from editgauge.store import lease, paid, schema
from editgauge.store.described import together
from editgauge.store.run import FILE, PAID, ROOMS, Run
from editgauge.store.schema import EditRecord, RowRecord, Series
from editgauge.store.snapshot import FILE as SNAPSHOT
from editgauge.types import Status

SAME = 1e-9
"""Two scores from one fingerprint may differ by this much (relative): the last bits of another
processor.
"""
_SHOWN = 3
_SAMPLE_FACTS = (
    "split", "category", "instruction", "source_text", "target_text", "caption", "knowledge",
    "attributes",
)  # fmt: skip
_OWN = {FILE, PAID, SNAPSHOT, *ROOMS, "report", "explain", ".lock", lease.HOST} - {"study"}
Rule = Callable[[Series, RowRecord, RowRecord], bool]
"""Whether the second row takes the place of the first, of one key."""


@dataclass(slots=True, kw_only=True)
class Merged:
    """What a merge did. `left` names what was in a source and has no place in a merged run."""

    rows: int = 0
    rows_known: int = 0
    retired: int = 0
    edits: int = 0
    samples: int = 0
    replies: int = 0
    left: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def merge(sources: Sequence[Run], target: Run) -> Merged:
    """Bring everything of the sources into the target run; what is there already is not taken
    again.

    Raises `RunError` on a contradiction (nothing is written then), and on a source that is the
    target. What is damaged in a source, or leads out of it, is left out and named in
    `Merged.problems`.
    """
    if any(run.path == target.path for run in sources):
        raise RunError(
            f"{target.path.name}: a run cannot be merged into itself; leave it out of the sources"
        )
    done, every = Merged(), [target, *sources]
    with target.changing() as db:
        edits = _edits(every)
        for benchmark in sorted({name for run in every for name in run.benchmarks()}):
            known = {record["id"] for record in target.samples(benchmark)}
            samples = _samples(every, benchmark)
            target.write_samples(benchmark, samples.values())
            done.samples += len(samples.keys() - known)
            for record in samples.values():
                for path in pictures_of(record):
                    _take_file(target, sources, path)
        for benchmark in sorted({name for run in every for name in run.described_benchmarks()}):
            told = together([(run.path.name, run.metrics(benchmark)) for run in every])
            target.keep_metrics(benchmark, told.values())
        before, said = _count(db), list[str]()
        for run in sources:
            there, replaced = take_rows(db, run, target, partial(_counts, target, said))
            done.rows_known += there
            done.retired += replaced
        _refuse(said)
        done.rows = _count(db) - before + done.retired
        for run, edit in edits:
            if edit.path:
                _take_file(target, [run], edit.path)
        done.edits = target.write_edits(edit for _, edit in edits)
    done.replies, unread = paid.merge([run.replies_path for run in sources], target.replies_path)
    done.left = [f"{run.path.name}/{name}" for run in sources for name in _strange(run.path)]
    done.problems = [f"{run.path.name}: {text}" for run in every for text in run.problems] + unread
    entries = [{"run": run.path.name, "entries": run.manifest()["entries"]} for run in sources]
    target.record("merge", rows=done.rows, edits=done.edits, sources=entries)
    return done


def _count(db: sqlite3.Connection) -> int:
    return int(db.execute("SELECT coalesce(sum(rows), 0) FROM series").fetchone()[0])


def _strange(path: Path) -> Iterator[str]:
    for one in sorted(path.iterdir()):
        name = one.name
        if name not in _OWN and not name.startswith((f"{FILE}-", f"{PAID}-", ".editgauge-")):
            yield name


# -- rows ------------------------------------------------------------------------------------------


def _counts(target: Run, said: list[str], series: Series, old: RowRecord, new: RowRecord) -> bool:
    """Whether the second of two rows of one key counts; two scores that differ are `said`."""
    if old[4] != "scored" or new[4] != "scored":
        return old[4] != "scored" and new[4] == "scored"
    assert old[3] is not None
    assert new[3] is not None
    same = old[6] == new[6]
    if not (same and math.isclose(old[3], new[3], rel_tol=SAME, abs_tol=SAME)):
        sample = target.read("SELECT sample FROM samples WHERE id = ?", old[1])[0][0]
        why = "from the same input" if same else "made from different outputs or by other scorers"
        if len(said) <= _SHOWN:
            said.append(
                f"{series.benchmark} {sample!r}, {series.editor}, {series.metric} "
                f"({series.variant}): {old[3]} and {new[3]}, {why}"
            )
    return False


def _refuse(said: Sequence[str]) -> None:
    if said:
        more = " (and more)" if len(said) > _SHOWN else ""
        raise RunError(
            f"the runs contradict each other, nothing was merged: {'; '.join(said[:_SHOWN])}"
            f"{more}. Score again what differs, or give one of the editors another name"
        )


def take_rows(db: sqlite3.Connection, source: Run, target: Run, takes: Rule) -> tuple[int, int]:
    """Write the rows of a run into another one, within `Run.changing` of that one; `takes` decides
    where both have one. How many were there, and how many of these were replaced.
    """
    names, origins = source.sample_names(), source.origins()
    samples: dict[int, int] = {}
    made: dict[int, int] = {}
    there = replaced = 0
    for series in source.series():
        mine = target.number_of(db, "series", tuple(series[1:7]))
        records = []
        for record in source.records(series):
            number, origin = record[1], record[8]
            if number not in names:
                continue
            if number not in samples:
                samples[number] = target.number_of(db, "samples", names[number])
            if origin not in made:
                made[origin] = target.number_of(db, "origins", (origins.get(origin, "{}"),))
            moved = (mine, samples[number], *record[2:8], made[origin])
            records.append((*moved, schema.row_mark(moved)))
        known, changed = target.put_records(db, mine, records, partial(takes, series))
        there += known
        replaced += changed
    target.rows_changed()
    return there, replaced


# -- samples, edits, pictures ----------------------------------------------------------------------


def _samples(runs: Sequence[Run], benchmark: str) -> dict[str, dict[str, Any]]:
    """A benchmark's samples in the first run's order, with the pictures that any run has. Raises
    `RunError` where two runs know one sample differently: they were made from different releases.
    """
    found: dict[str, dict[str, Any]] = {}
    for run in runs:
        for record in run.samples(benchmark):
            known = found.setdefault(record["id"], record)
            for fact in _SAMPLE_FACTS:
                if known.get(fact) != record.get(fact):
                    raise RunError(
                        f"{run.path.name}: {benchmark} sample {record['id']!r} has another {fact} "
                        f"than in the other runs: they were made from different data; nothing was "
                        f"merged"
                    )
            found[record["id"]] = _with_pictures(known, record)
    return found


def _with_pictures(known: Mapping[str, Any], record: Mapping[str, Any]) -> dict[str, Any]:
    images = zip(known["images"], record["images"], strict=False)
    return {
        **known,
        "images": [ours or theirs for ours, theirs in images],
        "reference": known["reference"] or record["reference"],
        "masks": {name: path or record["masks"].get(name) for name, path in known["masks"].items()},
        "marks": {**record.get("marks", {}), **known.get("marks", {})},
    }


def _edits(runs: Sequence[Run]) -> list[tuple[Run, EditRecord]]:
    """The edit that counts of each editor and sample, and the run it comes from; only those not in
    the first run.
    """
    chosen: dict[tuple[str, str, str], tuple[Run, EditRecord]] = {}
    for run in runs:
        for record in run.edits():
            key = (record.benchmark, record.sample, record.editor)
            first, known = chosen.setdefault(key, (run, record))
            if record.status is not Status.SCORED:
                continue
            if known.status is not Status.SCORED:
                chosen[key] = (run, record)
            elif known.fingerprint != record.fingerprint:
                raise RunError(
                    f"the runs contradict each other, nothing was merged: {record.editor} has two "
                    f"outputs for {record.benchmark} {record.sample!r} (in {first.path.name} and "
                    f"{run.path.name}); give one of the editors another name"
                )
    return [item for item in chosen.values() if item[0] is not runs[0]]


def pictures_of(record: Mapping[str, Any]) -> list[str]:
    """The paths of the pictures that a run keeps of a sample."""
    every = (*record["images"], record["reference"], *record["masks"].values())
    return [path for path in every if path]


def _take_file(target: Run, sources: Sequence[Run], path: str) -> None:
    """Keep a picture of the first source that has it; the door of each says what may be taken."""
    if target.picture(path) is None:
        found = (run.picture(path) for run in sources)
        file = next((one for one in found if one is not None), None)
        if file is not None:
            target.keep(file, path)
