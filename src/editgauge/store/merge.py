"""Several runs into one, in one transaction. Two scores of a key, outputs for a sample, or data
releases that differ end it unwritten; a failure gives way to another run's score.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from operator import itemgetter

from editgauge.errors import RunError
from editgauge.store import replies, schema
from editgauge.store.derived import benchmark_of
from editgauge.store.described import together
from editgauge.store.run import Run
from editgauge.store.schema import EditRecord, Record
from editgauge.types import JsonMapping, JsonObject, Status

SAME = 1e-9
"""Scores of one fingerprint may differ by this (relative): last bits of another processor."""
_SHOWN = 3
_AGAINST = "the runs contradict each other, nothing was merged:"


@dataclass(slots=True, kw_only=True)
class Merged:
    """What a merge did."""

    rows: int = 0
    edits: int = 0
    samples: int = 0
    replies: int = 0
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
        pictures = _take_samples(every, done)
        for benchmark in sorted({name for run in every for name in run.described_benchmarks()}):
            metrics = together([(run.path.name, run.metrics(benchmark)) for run in every])
            target.keep_metrics(benchmark, metrics.values())
        _take_rows(db, sources, target, done)
        edits = _edits(every)
        pictures |= {edit.path: [run] for run, edit in edits if edit.path}
        for path, runs in pictures.items():
            if target.picture(path) is None:
                files = filter(None, (run.picture(path) for run in runs))
                if (file := next(files, None)) is not None:
                    target.keep(file, path)
        done.edits = target.write_edits(edit for _, edit in edits)
    stores = [run.replies_path for run in sources]
    done.replies, unread = replies.merge(stores, target.replies_path)
    done.problems = [f"{run.path.name}: {text}" for run in every for text in run.problems] + unread
    entries = [{"run": run.path.name, "entries": run.manifest()["entries"]} for run in sources]
    for run in sources:  # what they remember would be in memory while the rows are made ready
        run.close()
    target.record("merge", rows=done.rows, edits=done.edits, sources=entries)
    return done


# -- rows ------------------------------------------------------------------------------------------


def moved(db: sqlite3.Connection, source: Run, target: Run) -> Iterator[list[Record]]:
    """A run's rows under another's numbers, a series at a time, in that one's `Run.changing`."""
    names = source.sample_names()
    samples = {number: target.number_of(db, "samples", name) for number, name in names.items()}
    origins = {n: target.number_of(db, "origins", (o,)) for n, o in source.origins().items()}
    same = all(one == other for one, other in (*samples.items(), *origins.items()))
    for series, number in sorted(source.series().items(), key=itemgetter(1)):
        mine = target.number_of(db, "series", series)
        records = [r for r in source.records(number) if r[1] in samples]
        if not same or mine != number:  # else they stay as they are, marks included
            columns = ((mine, samples[r[1]], *r[2:8], origins.get(r[8], r[8])) for r in records)
            records = [schema.sealed("rows", *one) for one in columns]
        yield records


def _take_rows(db: sqlite3.Connection, sources: Sequence[Run], target: Run, done: Merged) -> None:
    against: list[tuple[Record, Record]] = []

    def counts(old: Record, new: Record) -> bool:
        if old[3] is None or new[3] is None:
            return old[3] is None and new[3] is not None
        if old[6] != new[6] or not math.isclose(old[3], new[3], rel_tol=SAME, abs_tol=SAME):
            against.append((old, new))
        return False

    for run in sources:
        for records in moved(db, run, target):
            there, replaced = target.put_records(db, records, counts)
            done.rows += len(records) - there + replaced
    if against:
        said = "; ".join(_said(target, old, new) for old, new in against[:_SHOWN])
        more = " (and more)" if len(against) > _SHOWN else ""
        raise RunError(
            f"{_AGAINST} {said}{more}. Score again what differs, or give one of the editors "
            f"another name"
        )


def _said(target: Run, old: Record, new: Record) -> str:
    query = "SELECT series.*, sample FROM series, samples WHERE series.id = ? AND samples.id = ?"
    ((_, benchmark, editor, _, metric, variant, *_, sample),) = target.read(query, *old[:2])
    return f"{benchmark} {sample!r}, {editor}, {metric} ({variant}): {old[3]} and {new[3]}"


# -- samples, edits, pictures ----------------------------------------------------------------------


def _take_samples(every: Sequence[Run], done: Merged) -> dict[str, Sequence[Run]]:
    """Bring the samples of all runs into the first; their pictures, each with the other runs."""
    (target, *sources), pictures = every, dict[str, Sequence[Run]]()
    for benchmark in sorted({name for run in every for name in run.benchmarks()}):
        samples = _samples(every, benchmark)
        done.samples += len(samples.keys() - target.index(benchmark).keys())
        target.write_samples(benchmark, samples.values())
        for one in samples.values():
            pictures |= dict.fromkeys(schema.pictures_of(one), sources)
    return pictures


def _samples(runs: Sequence[Run], benchmark: str) -> dict[str, JsonObject]:
    """A benchmark's samples in the first run's order, with the pictures that any run has. Raises
    `RunError` where the runs were made from different data.
    """
    records: dict[str, JsonObject] = {}
    installed = benchmark_of(benchmark)
    measured = None if installed is None else frozenset(installed.measured)
    for run, record in ((one, record) for one in runs for record in one.samples(benchmark)):
        known = records.setdefault(record["id"], record)
        fact = _differing(known, record, measured)
        if fact is not None:
            raise RunError(
                f"{run.path.name}: {benchmark} sample {record['id']!r} has another {fact} than "
                f"in the other runs: they were made from different data; nothing was merged"
            )
        images = zip(known["images"], record["images"], strict=True)
        masks = record["masks"]
        records[record["id"]] = {
            **known,
            "images": [ours or theirs for ours, theirs in images],
            "reference": known["reference"] or record["reference"],
            "masks": {name: path or masks[name] for name, path in known["masks"].items()},
            "marks": {**record.get("marks", {}), **known.get("marks", {})},
            "attributes": {**record.get("attributes", {}), **known.get("attributes", {})},
        }
    return records


def _differing(one: JsonMapping, other: JsonMapping, measured: frozenset[str] | None) -> str | None:
    """Name what two records of a sample contradict each other in; None where they agree.

    A run knows the pictures, their hashes (`marks`) and the `measured` attributes of the samples
    that it has chosen. What only one run knows is no contradiction. `measured` is None where the
    benchmark is not installed: then any attribute may be one of them.
    """
    for fact in schema.SAMPLE_FACTS:
        # A fact that is not there and one without a value are the same: "", None, False.
        if (one.get(fact) or None) != (other.get(fact) or None):
            return fact
    if len(one["images"]) != len(other["images"]):
        return "number of images"
    if one["masks"].keys() != other["masks"].keys():
        return "set of masks"
    if _contradict(one.get("marks", {}), other.get("marks", {})):
        return "picture"
    attributes, other_attributes = one.get("attributes", {}), other.get("attributes", {})
    if _contradict(attributes, other_attributes):
        return "attributes"
    only_one_has = attributes.keys() ^ other_attributes.keys()
    if measured is not None and not only_one_has <= measured:
        return "attributes"
    return None


def _contradict(one: JsonMapping, other: JsonMapping) -> bool:
    """Whether two mappings have different values of a name that both have."""
    common = one.keys() & other.keys()
    return any(one[name] != other[name] for name in common)


def _edits(runs: Sequence[Run]) -> list[tuple[Run, EditRecord]]:
    """The edits that count and are not of the first run, each with its run."""
    chosen: dict[tuple[str, str, str], tuple[Run, EditRecord]] = {}
    for run, record in ((one, record) for one in runs for record in one.edits()):
        key = (record.benchmark, record.sample, record.editor)
        first, known = chosen.setdefault(key, (run, record))
        if record.status is known.status is Status.SCORED:
            if known.fingerprint != record.fingerprint:
                raise RunError(
                    f"{_AGAINST} {record.editor} has two outputs for {record.benchmark} "
                    f"{record.sample!r} (in {first.path.name} and {run.path.name}); give one of "
                    f"the editors another name"
                )
        elif record.status is Status.SCORED:
            chosen[key] = (run, record)
    return [item for item in chosen.values() if item[0] is not runs[0]]
