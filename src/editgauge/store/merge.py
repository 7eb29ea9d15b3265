"""Several runs into one: rows, edits, samples, pictures and replies of machines or colleagues that
shared the work.

Nothing is ever overwritten. Everything is checked before anything is written: two scores of one key
that differ, two outputs of one editor for one sample, or two data releases end the merge with the
name of what contradicts. A source may come from anybody: only records and pictures that pass the
door of `store.paths` are taken, replies as rows and never as a database. A failure (missing,
crashed…) gives way to a score of the same thing from another run: that is what sharing work means.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from editgauge.errors import RunError
from editgauge.store import lease, parquet, replies
from editgauge.store.described import together
from editgauge.store.run_folder import KEY_COLUMNS, EditRecord, RowKey, RunFolder
from editgauge.types import DERIVED, Metric, Row, Status, Variant

SAME = 1e-9
"""Two scores from one fingerprint may differ by this much (relative): the last bits of another
processor.
"""
_KEY = ", ".join(KEY_COLUMNS)
_BATCH = 20_000
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
_OWN_FOLDERS = {
    "rows",
    "samples",
    "inputs",
    "edits",
    "replies",
    "cache",
    "report",
    "explain",
    "manifest.json",
    "metrics.json",
    ".lock",
    lease.FOLDER,
    lease.TEMPORARY,
}


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


def merge(sources: Sequence[RunFolder], target: RunFolder) -> Merged:
    """Bring everything of the sources into the target run; what is there already is not taken
    again.

    Raises `RunError` on a contradiction (before anything was written), and on a source that is the
    target. What is damaged in a source, or leads out of it, is left out and named in
    `Merged.problems`.
    """
    if any(run.path == target.path for run in sources):
        raise RunError(
            f"{target.path.name}: a run cannot be merged into itself; leave it out of the sources"
        )
    done = Merged()
    samples = _samples([target, *sources])
    edits = _edits([target, *sources], done)
    described = _described([target, *sources])
    with _database([target, *sources]) as db:
        _refuse_contradictions(db)
        for benchmark, records in samples.items():
            done.samples += _take_samples(target, sources, benchmark, records)
        done.edits = _take_edits(target, edits)
        for benchmark, metrics in described.items():
            target.keep_metrics(benchmark, metrics.values())
        _take_rows(db, target, done)
    for run in sources:
        done.replies += replies.merge(run.replies_path, target.replies_path, run.problems)
        done.left += [
            f"{run.path.name}/{p.name}"
            for p in sorted(run.path.iterdir())
            if p.name not in _OWN_FOLDERS
        ]
    done.problems = [
        f"{run.path.name}: {text}" for run in (target, *sources) for text in run.problems
    ]
    target.record(
        "merge",
        rows=done.rows,
        edits=done.edits,
        sources=[
            {"run": run.path.name, "entries": run.manifest().get("entries", [])} for run in sources
        ],
    )
    return done


# -- rows ------------------------------------------------------------------------------------------


@contextlib.contextmanager
def _database(runs: Sequence[RunFolder]) -> Iterator[Any]:
    """A database with the current rows of all runs: table `rows` with the run's number as
    `origin_run`.
    """
    every = [run.parquet() for run in runs]
    with parquet.database([file for files in every for file in files]) as db:
        parts = []
        for number, files in enumerate(every):
            if files:
                parts.append(f"SELECT *, {number} AS origin_run FROM {parquet.relation(files)}")
        empty = (
            f"SELECT {', '.join(f'NULL AS {name}' for name in _COLUMNS)}, 0 AS origin_run "
            f"WHERE false"
        )
        db.execute(f"CREATE VIEW rows AS {' UNION ALL BY NAME '.join(parts) if parts else empty}")
        yield db


_COLUMNS = (*KEY_COLUMNS, "value", "status", "reason", "fingerprint", "detail", "origin")


def _refuse_contradictions(db: Any) -> None:
    # derived rows may differ where their parents complete each other: `derive` makes them again
    found = db.execute(
        f"SELECT {_KEY}, count(DISTINCT fingerprint), min(value), max(value) FROM rows WHERE "
        f"status = 'scored' AND scorer <> '{DERIVED}' "
        f"GROUP BY {_KEY} HAVING count(DISTINCT fingerprint) > 1 OR count(DISTINCT value IS NULL) "
        f"> 1 "
        f"OR max(value) - min(value) > {SAME} * greatest(1, abs(max(value))) ORDER BY {_KEY} LIMIT "
        f"4"
    ).fetchall()
    if not found:
        return
    said = []
    for *key, marks, low, high in found[:3]:
        place = dict(zip(KEY_COLUMNS, key, strict=True))
        why = (
            "made from different outputs or by different scorers"
            if marks > 1
            else "from the same input"
        )
        said.append(
            f"{place['benchmark']} {place['sample']!r}, {place['editor']}, {place['metric']} "
            f"({place['variant']}): "
            f"{low} and {high}, {why}"
        )
    more = " (and more)" if len(found) > 3 else ""
    raise RunError(
        f"the runs contradict each other, nothing was merged: {'; '.join(said)}{more}. "
        f"Score again what differs, or give one of the editors another name"
    )


def _take_rows(db: Any, target: RunFolder, done: Merged) -> None:
    """Write the row that counts of each key, where the target has it not; retire failures that it
    replaces.
    """
    db.execute(
        f"CREATE TEMP TABLE chosen AS SELECT * FROM rows QUALIFY row_number() OVER "
        f"(PARTITION BY {_KEY} ORDER BY status = 'scored' DESC, origin_run) = 1"
    )
    replaced = db.execute(
        f"SELECT {', '.join('r.' + name for name in KEY_COLUMNS)}, r.fingerprint FROM rows r JOIN "
        f"chosen c "
        f"USING ({_KEY}) WHERE r.origin_run = 0 AND c.origin_run > 0 AND r.fingerprint <> "
        f"c.fingerprint"
    ).fetchall()
    done.rows_known = db.execute("SELECT count(*) FROM chosen WHERE origin_run = 0").fetchone()[0]
    cursor = db.execute(
        f"SELECT {', '.join(_COLUMNS)} FROM chosen WHERE origin_run > 0 ORDER BY {_KEY}"
    )
    with target.writer("merged") as writer:
        if replaced:
            done.retired = writer.retire(
                (cast(RowKey, tuple(key)), mark) for *key, mark in replaced
            )
        while batch := cursor.fetchmany(_BATCH):
            done.rows += writer.write(
                _row(dict(zip(_COLUMNS, record, strict=True))) for record in batch
            )


def _row(record: Mapping[str, Any]) -> Row:
    return Row(
        benchmark=record["benchmark"],
        sample=record["sample"],
        editor=record["editor"],
        scorer=record["scorer"],
        metric=record["metric"],
        variant=cast(Variant, record["variant"]),
        value=record["value"],
        status=Status(record["status"]),
        reason=record["reason"],
        fingerprint=record["fingerprint"],
        source=record["source"],
        repeat=record["repeat"],
        detail=parquet.mapping(record["detail"]),
        origin=parquet.mapping(record["origin"]),
    )


def _described(runs: Sequence[RunFolder]) -> dict[str, dict[str, Metric]]:
    """What is said about the metrics of each benchmark; raises `RunError` where two runs
    disagree.
    """
    names = sorted({name for run in runs for name in run.described_benchmarks()})
    return {name: together([(run.path.name, run.metrics(name)) for run in runs]) for name in names}


# -- samples and edits -----------------------------------------------------------------------------


def _samples(runs: Sequence[RunFolder]) -> dict[str, list[dict[str, Any]]]:
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


def _one_sample(
    known: Mapping[str, Any], record: Mapping[str, Any], run: RunFolder
) -> dict[str, Any]:
    for fact in _SAMPLE_FACTS:
        if known.get(fact) != record.get(fact):
            raise RunError(
                f"{run.path.name}: {record.get('benchmark')} sample {record['id']!r} has another "
                f"{fact} than in the "
                f"other runs: they were made from different data; nothing was merged"
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


def _take_samples(
    target: RunFolder,
    sources: Sequence[RunFolder],
    benchmark: str,
    records: Sequence[dict[str, Any]],
) -> int:
    known = {record["id"] for record in target.samples(benchmark)}
    for record in records:
        paths = [
            *(record.get("images") or []),
            record.get("reference"),
            *(record.get("masks") or {}).values(),
        ]
        for path in filter(None, paths):
            _take_file(target, sources, path)
    target.write_samples(benchmark, records)
    return len([record for record in records if record["id"] not in known])


def _edits(runs: Sequence[RunFolder], done: Merged) -> list[tuple[RunFolder, EditRecord]]:
    """The edit that counts of each editor and sample, and the run it comes from; only those not in
    the first run.
    """
    chosen: dict[tuple[str, str, str], tuple[RunFolder, EditRecord]] = {}
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
                    f"outputs for "
                    f"{record.benchmark} {record.sample!r} (in {chosen[key][0].path.name} and "
                    f"{run.path.name}); "
                    f"give one of the editors another name"
                )
            if record.status is Status.SCORED and known.status is not Status.SCORED:
                chosen[key] = (run, record)
    return [item for item in chosen.values() if item[0] is not runs[0]]


def _take_edits(target: RunFolder, chosen: Sequence[tuple[RunFolder, EditRecord]]) -> int:
    if not chosen:
        return 0
    for run, record in chosen:
        if record.path:
            _take_file(target, [run], record.path)
    with target.edit_writer("merged") as writer:
        return target.write_edits((record for _, record in chosen), writer)


def _take_file(target: RunFolder, sources: Sequence[RunFolder], path: str) -> None:
    """Keep a picture of the first source that has it; the door of each says what may be taken."""
    if target.picture(path) is not None:
        return
    for run in sources:
        file = run.picture(path)
        if file is not None:
            target.keep(file, Path(path))
            return
