"""Ratings into a run's rows and out again."""

from __future__ import annotations

import csv
import io
import secrets
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from editgauge.errors import UsageError
from editgauge.escape import csv_text
from editgauge.images import write_bytes
from editgauge.store.run import Run
from editgauge.store.schema import RowKey
from editgauge.study.reading import Known
from editgauge.study.scales import SCALES, SCORER, Rating, is_rating, metrics_of, question_of, shown
from editgauge.tables.metrics import benchmark_of
from editgauge.tables.results import PEOPLE
from editgauge.types import Row

FOLDER = "study"
"""The folder of a run that holds studies: designs, answers, the salt of pseudonyms."""
SCORERS = tuple(f"{SCORER}.{scale}" for scale in SCALES)
REGIONS_METRIC = "regions"
"""The metric of marked regions: how many an annotator marked in an output."""
REGIONS = f"{SCORER}.{REGIONS_METRIC}"
"""The scorer of marked regions."""


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
    if not benchmark and len(there) != 1:
        raise UsageError(
            f"{run.path.name}: name the benchmark with --benchmark; there are: "
            f"{', '.join(there) or 'none'}"
        )
    name = benchmark or there[0]
    if name not in there:
        raise UsageError(
            f"--benchmark {name}: not in this run; there are: {', '.join(there) or 'none'}"
        )
    editors = {record.editor for record in run.edits(name)}
    editors |= {key[2] for key in run.done(name)}
    samples = frozenset(str(record["id"]) for record in run.samples(name))
    return Known(name, samples, frozenset(editors))


def salt_of(run: Run) -> str:
    """The run's secret for pseudonyms, made at the first call; it never leaves the run folder."""
    path = run.path / FOLDER / "salt"
    if not path.exists():
        write_bytes(path, secrets.token_hex(16).encode())
    return path.read_text(encoding="ascii")


def import_ratings(run: Run, rows: Iterable[Row]) -> ImportedRatings:
    """Write people's rows; a row whose value or detail changed retires the older one.

    Rows that are there already are passed over, so that the same file may be imported twice.
    """
    wanted = {row.key: row for row in rows}
    benchmarks = sorted({row.benchmark for row in wanted.values()})
    there: dict[RowKey, list[str]] = {}
    for name in benchmarks:
        for key, marks in run.done(name, [*SCORERS, REGIONS]).items():
            there[key] = list(marks)
    new = [row for key, row in wanted.items() if row.fingerprint not in there.get(key, [])]
    old = [(row.key, mark) for row in new for mark in there.get(row.key, [])]
    for benchmark in benchmarks:
        of_people = metrics_of(row for row in new if row.benchmark == benchmark)
        known = {key[4] for key in run.done(benchmark) if key[3] not in SCORERS}
        known |= set(run.metrics(benchmark))  # a question may have a judge's name and other scale
        own = benchmark_of(benchmark)
        known |= set(own.every_metric) if own else set()
        run.keep_metrics(benchmark, [one for one in of_people if one.name not in known])
    with run.writer("human") as writer:
        writer.retire(old)
        writer.write(new)
    changed = len({key for key, _ in old})
    return ImportedRatings(len(new) - changed, changed, len(wanted) - len(new))


def ratings_of(run: Run, benchmark: str = "") -> list[Rating]:
    """Every rating in the run's current rows, ordered by sample, annotator, question."""
    found = []
    for row in run.rows():
        asked = question_of(row.metric, row.scorer)
        if asked is None or not is_rating(row) or (benchmark and row.benchmark != benchmark):
            continue
        found.append(
            Rating(
                benchmark=row.benchmark,
                sample=row.sample,
                editor=row.editor,
                question=asked.name,
                annotator=row.source.removeprefix(PEOPLE),
                scale=asked.scale,
                value=row.value,
                against=asked.against,
                repeat=row.repeat,
                reason=row.reason,
                detail=row.detail,
                origin=row.origin,
            )
        )
    return sorted(found, key=lambda r: (r.benchmark, r.sample, r.annotator, r.question, r.repeat))


def export(ratings: Sequence[Rating], shape: str) -> str:
    """Ratings as csv, ``long`` or ``wide``; comparisons always have the shape ``pairwise``.

    Importing the text again changes nothing but comments of several lines, which become one; what
    was skipped has an empty value. Raises `UsageError` where the ratings are of
    more than one kind that one file cannot hold.
    """
    pairwise = {rating.scale == "pairwise" for rating in ratings}
    if len(pairwise) > 1:
        raise UsageError("comparisons and scores do not fit one file; name one with --scale")
    editors = sorted({rating.editor for rating in ratings}) if shape == "wide" else []
    names = ("editor_a", "editor_b", "winner") if True in pairwise else editors or _LONG
    lines: dict[tuple[str, ...], dict[str, str]] = {}
    for rating in ratings:
        cells = _cells(rating)
        key = tuple(cells[name] for name in _HEAD)
        if names is editors:
            cells = {rating.editor: cells["value"], "comment": cells["comment"]}
        else:
            key += (rating.editor, rating.against)
        kept = lines.setdefault(key, {})
        kept |= {**cells, "comment": kept.get("comment") or cells["comment"]}
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*_HEAD, *names, "comment"])
    for key, cells in lines.items():
        line = [*key[: len(_HEAD)], *(cells.get(name, "") for name in (*names, "comment"))]
        writer.writerow([csv_text(cell) for cell in line])
    return out.getvalue()


def write_export(path: Path, text: str) -> None:
    """Write an export as UTF-8."""
    write_bytes(path, text.encode())


_HEAD = ("benchmark", "sample", "annotator", "question", "repeat", "scale")
_LONG = ("editor", "value")


def _cells(rating: Rating) -> dict[str, str]:
    """A rating as texts, by the names of every shape."""
    value = rating.value
    said = "" if value is None else shown(rating.scale, value, rating.detail.get("outcome"))
    return {
        **{name: str(getattr(rating, name)) for name in _HEAD},
        "editor": rating.editor,
        "editor_a": rating.editor,
        "editor_b": rating.against,
        "value": said,
        "winner": said,
        "comment": str(rating.detail.get("comment") or rating.reason),
    }
