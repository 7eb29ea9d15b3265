"""Ratings into a run's rows and out again."""

from __future__ import annotations

import csv
import io
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
from editgauge.web import private

FOLDER = "study"
"""The folder of a run with studies: designs, answers, the name of the secret of pseudonyms."""
_SALT_NAME = "pseudonyms"
_OLD_SALT = "salt"
"""The file with the secret itself, in runs of before November 2026."""


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
    """Return the secret of the run's pseudonyms, which is made at the first call.

    It stays on this machine: the run holds its name alone, so that nobody who is given the run can
    find an annotator's name by trying. Raises `UsageError` on another machine than the one that
    made it, because the same annotator would get a second pseudonym there.
    """
    folder = run.path / FOLDER
    place, inside = folder / _SALT_NAME, folder / _OLD_SALT
    if place.exists():
        salt = private.secret_here(place.read_text(encoding="ascii").strip())
        if salt is None:
            raise UsageError(
                f"{run.path.name}: the secret of its pseudonyms is on the machine that imported "
                f"ratings first; import there, or use pseudonyms in the file and leave out "
                f"--anonymise"
            )
        return salt
    salt = inside.read_text(encoding="ascii") if inside.exists() else private.new_secret()
    name = private.new_name()
    private.keep_secret(name, salt)
    write_bytes(place, name.encode())
    inside.unlink(missing_ok=True)
    return salt


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
