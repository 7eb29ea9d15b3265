"""A run's file made again from the rest of the run: rows from ``rows.parquet``, records of outputs
from ``edits/``. What judges replied is in ``paid.sqlite`` and is paid for by no later command.
"""

from __future__ import annotations

import contextlib
import math
import os
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from editgauge.errors import EditgaugeError
from editgauge.store import paths, schema, snapshot
from editgauge.store.collect import takes_of
from editgauge.store.hashes import HashStore
from editgauge.store.run import FILE, Run
from editgauge.store.samples import stored_samples
from editgauge.types import DERIVED, Row

_COLUMNS = (
    "benchmark, sample, editor, scorer, metric, variant, value, status, reason, fingerprint, "
    "source, repeat, detail, origin"
)
_AT_ONCE = 10_000


def can_be_made_again(folder: Path) -> bool:
    """Return whether the folder was a run whose file is gone, and has what it can be made of."""
    return not os.path.lexists(folder / FILE) and paths.fault(folder, snapshot.FILE) is None


def complete(run: Run) -> list[str]:
    """Write the rows that ``rows.parquet`` has and the run has not, and records of outputs that lie
    in the run and have none; what was written, in words. Nothing that is there is replaced.
    """
    unproven = not os.path.lexists(run.path / snapshot.SUM)
    rows = _rows(run)
    edits = _edits(run)
    words = []
    if rows:
        words.append(f"{rows} rows were taken from {snapshot.FILE}")
    if rows and unproven:
        words.append("an earlier version wrote it, without a checksum")
    if edits:
        words.append(f"{edits} records of outputs were made of the files in edits/")
    return words


def _rows(run: Run) -> int:
    if (content := snapshot.content(run)) is None:
        return 0
    there, written = {row.key for row in run.rows()}, 0
    with snapshot.opened(content) as db:
        query = f"SELECT {_COLUMNS} FROM snapshot WHERE scorer <> ? ORDER BY ALL"
        cursor = db.execute(query, [DERIVED])
        while lines := cursor.fetchmany(_AT_ONCE):
            rows = [row for row in _proper(lines) if row.key not in there]
            _know_samples(run, rows)
            run.put_rows(rows)
            written += len(rows)
    return written


def _proper(lines: Iterable[tuple[Any, ...]]) -> list[Row]:
    rows = []
    for line in lines:
        facts: dict[str, Any] = dict(zip(_COLUMNS.split(", "), line, strict=True))
        if facts["status"] not in schema.STATUS:
            continue
        detail = schema.known(facts["detail"])
        infinite = facts["value"] == math.inf
        if infinite:
            detail, facts["value"] = {**detail, "infinite": True}, None
        facts |= {"detail": detail, "origin": schema.known(facts["origin"])}
        facts["status"] = schema.STATUS[facts["status"]]
        with contextlib.suppress(EditgaugeError, ValueError):  # no row of ours
            rows.append(Row(**facts))
    return rows


def _know_samples(run: Run, rows: Iterable[Row]) -> None:
    """Write the samples of rows, of which the run knows no more than their names."""
    names: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for row in rows:
        names[row.benchmark][row.sample] = None
    for benchmark, samples in names.items():
        known = run.index(benchmark)
        new = [{"id": name} for name in samples if name not in known and name != "*"]
        if new and known:
            run.write_samples(benchmark, new)
        elif new:
            run.write_samples(benchmark, sorted(new, key=lambda record: record["id"]))


def _edits(run: Run) -> int:
    before = len(run.edits())
    for benchmark in run.benchmarks():
        with contextlib.suppress(EditgaugeError):  # none of its outputs lies in the run
            known = {(one.editor, one.sample) for one in run.edits(benchmark)}
            samples = stored_samples(run, benchmark)
            for editor, take in takes_of(run, benchmark, None, [], HashStore(None)).items():
                take([one for one in samples if (editor, one.id) not in known])
    return len(run.edits()) - before
