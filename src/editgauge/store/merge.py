"""Several runs into one, in one transaction: two scores of one key that differ, two outputs of one
editor for one sample, or two data releases end the merge, and nothing is written. A failure
(missing, crashed…) gives way to a score of the same thing from another run.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from editgauge.errors import RunError
from editgauge.store import lease, paid, schema
from editgauge.store.described import together
from editgauge.store.rows import Takes
from editgauge.store.run import FILE, PAID, ROOMS, Run
from editgauge.store.schema import EditRecord, Record
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
    done, every, pictures = Merged(), [target, *sources], dict[str, Sequence[Run]]()
    with target.changing() as db:
        for benchmark in sorted({name for run in every for name in run.benchmarks()}):
            known = {record["id"] for record in target.samples(benchmark)}
            samples = _samples(every, benchmark)
            target.write_samples(benchmark, samples.values())
            done.samples += len(samples.keys() - known)
            pictures |= {path: sources for one in samples.values() for path in pictures_of(one)}
        for benchmark in sorted({name for run in every for name in run.described_benchmarks()}):
            metrics = together([(run.path.name, run.metrics(benchmark)) for run in every])
            target.keep_metrics(benchmark, metrics.values())
        notes: list[str] = []
        for run in sources:
            taken, there, replaced = take_rows(db, run, target, partial(_counts, target, notes))
            done.rows += taken - there + replaced
            done.rows_known += there
            done.retired += replaced
        if notes:
            more = " (and more)" if len(notes) > _SHOWN else ""
            raise RunError(
                f"the runs contradict each other, nothing was merged: {'; '.join(notes[:_SHOWN])}"
                f"{more}. Score again what differs, or give one of the editors another name"
            )
        edits = _edits(every)
        pictures |= {edit.path: [run] for run, edit in edits if edit.path}
        for path, places in pictures.items():
            _take_file(target, places, path)
        done.edits = target.write_edits(edit for _, edit in edits)
    done.replies, unread = paid.merge([run.replies_path for run in sources], target.replies_path)
    done.left = [f"{run.path.name}/{name}" for run in sources for name in _strange(run.path)]
    done.problems = [f"{run.path.name}: {text}" for run in every for text in run.problems] + unread
    entries = [{"run": run.path.name, "entries": run.manifest()["entries"]} for run in sources]
    target.record("merge", rows=done.rows, edits=done.edits, sources=entries)
    return done


def _strange(path: Path) -> list[str]:
    ours = (f"{FILE}-", f"{PAID}-", ".editgauge-")
    names = sorted(one.name for one in path.iterdir())
    return [name for name in names if name not in _OWN and not name.startswith(ours)]


# -- rows ------------------------------------------------------------------------------------------


def _counts(target: Run, said: list[str], old: Record, new: Record) -> bool:
    """Whether the second of two rows of one key counts; two scores that differ are `said`."""
    if old[3] is None or new[3] is None:
        return old[3] is None and new[3] is not None
    same = old[6] == new[6]
    if not (same and math.isclose(old[3], new[3], rel_tol=SAME, abs_tol=SAME)):
        why = "from the same input" if same else "made from different outputs or by other scorers"
        if len(said) <= _SHOWN:
            (named,) = target.read("SELECT * FROM series WHERE id = ?", old[0])
            ((sample,),) = target.read("SELECT sample FROM samples WHERE id = ?", old[1])
            said.append(
                f"{named[1]} {sample!r}, {named[2]}, {named[4]} ({named[5]}): {old[3]} and "
                f"{new[3]}, {why}"
            )
    return False


def take_rows(
    db: sqlite3.Connection, source: Run, target: Run, takes: Takes
) -> tuple[int, int, int]:
    """Write the rows of a run into another one, within `Run.changing` of that one; `takes` decides
    where both have one. How many came, were there, and were replaced.
    """
    names = source.sample_names()
    samples = {number: target.number_of(db, "samples", name) for number, name in names.items()}
    origins = {n: target.number_of(db, "origins", (o,)) for n, o in source.origins().items()}
    came = there = replaced = 0
    for series in source.series():
        mine = target.number_of(db, "series", tuple(series[1:]))
        records = []
        for record in source.records(series):
            if record[1] in samples:
                origin = origins.get(record[8], record[8])
                moved = (mine, samples[record[1]], *record[2:8], origin)
                records.append(schema.sealed("rows", *moved))
        known, changed = target.put_records(db, records, takes)
        came, there, replaced = came + len(records), there + known, replaced + changed
    return came, there, replaced


# -- samples, edits, pictures ----------------------------------------------------------------------


def _samples(runs: Sequence[Run], benchmark: str) -> dict[str, dict[str, Any]]:
    """A benchmark's samples in the first run's order, with the pictures that any run has."""
    records: dict[str, dict[str, Any]] = {}
    for run in runs:
        for record in run.samples(benchmark):
            known = records.setdefault(record["id"], record)
            for fact in _SAMPLE_FACTS:
                if known.get(fact) != record.get(fact):
                    raise RunError(
                        f"{run.path.name}: {benchmark} sample {record['id']!r} has another {fact} "
                        f"than in the other runs: they were made from different data; nothing was "
                        f"merged"
                    )
            images = zip(known["images"], record["images"], strict=False)
            masks = record["masks"]
            records[record["id"]] = {
                **known,
                "images": [ours or theirs for ours, theirs in images],
                "reference": known["reference"] or record["reference"],
                "masks": {name: path or masks.get(name) for name, path in known["masks"].items()},
                "marks": {**record.get("marks", {}), **known.get("marks", {})},
            }
    return records


def _edits(runs: Sequence[Run]) -> list[tuple[Run, EditRecord]]:
    """The edits that count and are not of the first run, each with its run."""
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
        file = next((one for run in sources if (one := run.picture(path))), None)
        if file is not None:
            target.keep(file, path)
