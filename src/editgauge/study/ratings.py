"""Ratings into a run's rows and out again."""

from __future__ import annotations

import csv
import io
import secrets
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from editgauge.errors import UsageError
from editgauge.escape import csv_text
from editgauge.images import write_bytes
from editgauge.store.run import Run
from editgauge.study.reading import Known
from editgauge.study.scales import SCORERS, metrics_of, question_of, shown
from editgauge.tables.metrics import benchmark_of
from editgauge.tables.results import PEOPLE
from editgauge.types import Row

FOLDER = "study"
"""The folder of a run that holds studies: designs, answers, the salt of pseudonyms."""


class ImportedRatings(NamedTuple):
    """How many rows were written, replaced an older value, or were there already."""

    new: int
    changed: int
    kept: int


def known_of(run: Run, benchmark: str = "") -> Known:
    """What ratings of a run may be about: its samples, and every editor with an output or a row.
    Raises `UsageError` where the run has no samples, or several benchmarks and none is named.
    """
    there = run.benchmarks()
    if benchmark not in there and (benchmark or len(there) != 1):
        raise UsageError(
            f"of {run.path.name}: wanted one of {', '.join(there) or 'none'}", argument="benchmark"
        )
    name = benchmark or there[0]
    editors = {record.editor for record in run.edits(name)} | {key[2] for key in run.done(name)}
    samples = frozenset(str(record["id"]) for record in run.samples(name))
    return Known(name, samples, frozenset(editors))


def salt_of(run: Run) -> str:
    """The run's secret for pseudonyms, made at the first call; it never leaves the run folder."""
    path = run.path / FOLDER / "salt"
    if not path.exists():
        write_bytes(path, secrets.token_hex(16).encode())
    return path.read_text(encoding="ascii")


def import_ratings(run: Run, rows: Iterable[Row]) -> ImportedRatings:
    """Write people's rows; a row whose value or detail changed retires the older one, one that is
    there already is passed over.
    """
    wanted = {row.key: row for row in rows}
    benchmarks = sorted({row.benchmark for row in wanted.values()})
    there = {
        key: marks for name in benchmarks for key, marks in run.done(name, list(SCORERS)).items()
    }
    new = [row for key, row in wanted.items() if row.fingerprint not in there.get(key, ())]
    old = [(row.key, mark) for row in new for mark in there.get(row.key, ())]
    for name in benchmarks:  # a question may have a judge's name and another scale
        known = {key[4] for key in run.done(name) if key[3] not in SCORERS} | set(run.metrics(name))
        known |= set(benchmark.every_metric) if (benchmark := benchmark_of(name)) else set()
        metrics = metrics_of(row for row in new if row.benchmark == name)
        run.keep_metrics(name, [one for one in metrics if one.name not in known])
    run.drop(old)
    run.put(new)
    changed = len({key for key, _ in old})
    return ImportedRatings(len(new) - changed, changed, len(wanted) - len(new))


def ratings_of(run: Run, benchmark: str = "") -> list[Row]:
    """Every rating in the run's current rows, ordered by sample, annotator, metric."""
    rows = (row for row in run.rows() if row.scorer in SCORERS)
    wanted = [row for row in rows if benchmark in ("", row.benchmark)]
    return sorted(wanted, key=lambda r: (r.benchmark, r.sample, r.source, r.metric, r.repeat))


_COLUMNS = (
    "benchmark", "sample", "annotator", "question", "repeat", "scale", "editor", "against", "value",
    "comment",
)  # fmt: skip


def export(ratings: Sequence[Row]) -> str:
    """Ratings as csv, a line for each, which `reading` takes in again. What was skipped has no
    value, and the reason as its comment; `against` is the other editor of a comparison.
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for row in ratings:
        asked = question_of(row.metric, row.scorer)
        assert asked is not None
        comment = row.detail.get("comment") or row.reason
        cells = (row.benchmark, row.sample, row.source.removeprefix(PEOPLE), asked.name, row.repeat,
                 asked.scale, row.editor, asked.against, shown(row), comment)  # fmt: skip
        writer.writerow([csv_text(str(cell)) for cell in cells])
    return out.getvalue()
