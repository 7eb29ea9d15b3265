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
from editgauge.types import Metric, Status

SAME = 1e-9
"""Two scores from one fingerprint may differ by this much (relative): the last bits of another
processor.
"""
_SHOWN = 3
_SAMPLE_FACTS = (
    "split",
    "category",
    "instruction",
    "source_text",
    "target_text",
    "caption",
    "knowledge",
    "attributes",
)
_OWN = {FILE, PAID, SNAPSHOT, *ROOMS, "report", ".lock", lease.HOST} - {"study"}
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
    done = Merged()
    with target.changing() as db:
        samples = _samples([target, *sources])
        edits = _edits([target, *sources])
        described = _described([target, *sources])
        for benchmark, records in samples.items():
            done.samples += _take_samples(target, benchmark, records)
        before = _count(db)
        clash = _Contradictions(target)
        for run in sources:
            known, replaced = take_rows(db, run, target, clash)
            done.rows_known += known
            done.retired += replaced
        clash.refuse()
        done.rows = _count(db) - before + done.retired
        done.edits = _take_edits(target, edits)
        for benchmark, metrics in described.items():
            target.keep_metrics(benchmark, metrics.values())
        _take_pictures(target, sources, samples)
    done.replies, unread = paid.merge([run.replies_path for run in sources], target.replies_path)
    done.left = [f"{run.path.name}/{name}" for run in sources for name in _strange(run.path)]
    done.problems = [
        f"{run.path.name}: {text}" for run in (target, *sources) for text in run.problems
    ] + unread
    entries = [{"run": run.path.name, "entries": run.manifest()["entries"]} for run in sources]
    target.record("merge", rows=done.rows, edits=done.edits, sources=entries)
    return done


def _count(db: sqlite3.Connection) -> int:
    return int(db.execute("SELECT coalesce(sum(rows), 0) FROM series").fetchone()[0])


def _strange(path: Path) -> Iterator[str]:
    for one in sorted(path.iterdir()):
        name = one.name
        if name not in _OWN and not name.startswith((f"{FILE}-", f"{PAID}-", f".{FILE}.")):
            yield name


# -- rows ------------------------------------------------------------------------------------------


class _Contradictions:
    """Which of two rows of one key counts; two scores that differ are none of both."""

    def __init__(self, target: Run) -> None:
        self._target = target
        self._said: list[str] = []

    def __call__(self, series: Series, old: RowRecord, new: RowRecord) -> bool:
        if old[4] != "scored":
            return new[4] == "scored"
        if new[4] == "scored":
            assert old[3] is not None
            assert new[3] is not None
            close = math.isclose(old[3], new[3], rel_tol=SAME, abs_tol=SAME)
            if old[6] != new[6] or not close:
                self._say(series, old, new)
        return False

    def _say(self, series: Series, old: RowRecord, new: RowRecord) -> None:
        if len(self._said) > _SHOWN:
            return
        sample = self._target.read("SELECT sample FROM samples WHERE id = ?", old[1])[0][0]
        why = (
            "from the same input"
            if old[6] == new[6]
            else "made from different outputs or by different scorers"
        )
        self._said.append(
            f"{series.benchmark} {sample!r}, {series.editor}, {series.metric} ({series.variant}): "
            f"{old[3]} and {new[3]}, {why}"
        )

    def refuse(self) -> None:
        """Raise `RunError` where there was a contradiction."""
        if self._said:
            more = " (and more)" if len(self._said) > _SHOWN else ""
            raise RunError(
                f"the runs contradict each other, nothing was merged: "
                f"{'; '.join(self._said[:_SHOWN])}{more}. Score again what differs, or give one of "
                f"the editors another name"
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


def _described(runs: Sequence[Run]) -> dict[str, dict[str, Metric]]:
    """What is said about the metrics of each benchmark; raises `RunError` where two runs
    disagree.
    """
    names = sorted({name for run in runs for name in run.described_benchmarks()})
    return {name: together([(run.path.name, run.metrics(name)) for run in runs]) for name in names}


# -- samples and edits -----------------------------------------------------------------------------


def _samples(runs: Sequence[Run]) -> dict[str, list[dict[str, Any]]]:
    """Every benchmark's samples in the first run's order, with the pictures that any run has.

    Raises `RunError` where two runs know one sample differently: they were made from different
    releases.
    """
    found: dict[str, list[dict[str, Any]]] = {}
    for benchmark in sorted({name for run in runs for name in run.benchmarks()}):
        merged: dict[str, dict[str, Any]] = {}
        for run in runs:
            for record in run.samples(benchmark):
                known = merged.get(record["id"])
                merged[record["id"]] = record if known is None else _one_sample(known, record, run)
        found[benchmark] = list(merged.values())
    return found


def _one_sample(known: Mapping[str, Any], record: Mapping[str, Any], run: Run) -> dict[str, Any]:
    for fact in _SAMPLE_FACTS:
        if known.get(fact) != record.get(fact):
            raise RunError(
                f"{run.path.name}: {record.get('benchmark')} sample {record['id']!r} has another "
                f"{fact} than in the other runs: they were made from different data; nothing was "
                f"merged"
            )
    pairs = zip(known.get("images") or [], record.get("images") or [], strict=False)
    masks = {
        name: path or (record.get("masks") or {}).get(name)
        for name, path in (known.get("masks") or {}).items()
    }
    return {
        **known,
        "images": [ours or theirs for ours, theirs in pairs],
        "reference": known.get("reference") or record.get("reference"),
        "masks": masks,
        "marks": {**(record.get("marks") or {}), **(known.get("marks") or {})},
    }


def _take_samples(target: Run, benchmark: str, records: Sequence[dict[str, Any]]) -> int:
    known = {record["id"] for record in target.samples(benchmark)}
    target.write_samples(benchmark, records)
    return len([record for record in records if record["id"] not in known])


def _take_pictures(
    target: Run, sources: Sequence[Run], samples: Mapping[str, Sequence[dict[str, Any]]]
) -> None:
    for records in samples.values():
        for record in records:
            masks = (record.get("masks") or {}).values()
            for path in (*(record.get("images") or ()), record.get("reference"), *masks):
                if path:
                    take_file(target, sources, path)


def _edits(runs: Sequence[Run]) -> list[tuple[Run, EditRecord]]:
    """The edit that counts of each editor and sample, and the run it comes from; only those not in
    the first run.
    """
    chosen: dict[tuple[str, str, str], tuple[Run, EditRecord]] = {}
    for run in runs:
        for record in run.edits():
            key = (record.benchmark, record.sample, record.editor)
            if key not in chosen:
                chosen[key] = (run, record)
                continue
            known = chosen[key][1]
            both = known.status is Status.SCORED and record.status is Status.SCORED
            if both and known.fingerprint != record.fingerprint:
                raise RunError(
                    f"the runs contradict each other, nothing was merged: {record.editor} has two "
                    f"outputs for {record.benchmark} {record.sample!r} (in "
                    f"{chosen[key][0].path.name} and {run.path.name}); give one of the editors "
                    f"another name"
                )
            if record.status is Status.SCORED and known.status is not Status.SCORED:
                chosen[key] = (run, record)
    return [item for item in chosen.values() if item[0] is not runs[0]]


def _take_edits(target: Run, chosen: Sequence[tuple[Run, EditRecord]]) -> int:
    for run, record in chosen:
        if record.path:
            take_file(target, [run], record.path)
    return target.write_edits(record for _, record in chosen)


def take_file(target: Run, sources: Sequence[Run], path: str) -> None:
    """Keep a picture of the first source that has it; the door of each says what may be taken."""
    if target.picture(path) is not None:
        return
    for run in sources:
        file = run.picture(path)
        if file is not None:
            target.keep(file, Path(path))
            return
