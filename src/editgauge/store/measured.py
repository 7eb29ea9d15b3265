"""Attributes of samples that only their pictures tell: measured once, and remembered.

A benchmark that has such attributes names them in ``measured`` and gives a function
``measure(sample)`` for them. Loading a data set does not open pictures, so they are measured where
a command needs them: for the samples that it works on, and where ``--where`` asks for them.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

from editgauge import catalog
from editgauge.errors import UnknownName
from editgauge.types import Sample

Value = str | int | float | bool
Measure = Callable[[Sample], Mapping[str, Value]]
VERSION = 1
"""Raised when a benchmark's ``measure`` changes what it gives: what was remembered is not used."""


def names_of(benchmark: str) -> tuple[str, ...]:
    """The attributes that a benchmark measures; none for one that is not known here."""
    return tuple(getattr(_find(benchmark), "measured", ()))


def measured(
    samples: Sequence[Sample], *, chosen: Iterable[str] | None = None, memory: Path | None = None
) -> list[Sample]:
    """The samples with the attributes that their benchmark measures.

    `chosen`: ids of those to be measured now, None for all; the others get what `memory` (an SQLite
    file, made where it is not there) holds of them. What was remembered counts while every file of
    the sample has the same size and time.
    """
    measure: Measure | None = (
        getattr(_find(samples[0].benchmark), "measure", None) if samples else None
    )
    if measure is None:
        return list(samples)
    wanted = None if chosen is None else set(chosen)
    with closing(_Memory(memory)) as known:
        stamps = [_stamp(sample) for sample in samples]
        values = [known.get(sample, stamp) for sample, stamp in zip(samples, stamps, strict=True)]
        todo = [
            number
            for number, sample in enumerate(samples)
            if values[number] is None and (wanted is None or sample.id in wanted)
        ]
        with ThreadPoolExecutor(max(1, min(8, os.cpu_count() or 1))) as pool:
            made = pool.map(measure, [samples[number] for number in todo])
            for number, value in zip(todo, made, strict=True):
                values[number] = value
                known.put(samples[number], stamps[number], value)
    return [
        replace(sample, attributes={**sample.attributes, **value}) if value else sample
        for sample, value in zip(samples, values, strict=True)
    ]


def _find(benchmark: str) -> object:
    try:
        return catalog.find("benchmarks", benchmark)
    except UnknownName:
        return None


def _stamp(sample: Sample) -> str:
    """Size and time of every file of a sample, as a hash."""
    state: list[object] = [VERSION]
    for path in (*sample.images, sample.reference, *sample.masks.values()):
        try:
            found = path.stat() if path is not None else None
        except (OSError, ValueError):
            found = None
        state.append((found.st_size, found.st_mtime_ns, found.st_ino) if found else None)
    return hashlib.blake2b(repr(state).encode(), digest_size=16).hexdigest()


class _Memory:
    """What was measured, in one SQLite file; one that cannot be used is only slower."""

    def __init__(self, path: Path | None) -> None:
        self._db: sqlite3.Connection | None = None
        if path is None:
            return
        with suppress(sqlite3.Error, OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, timeout=30)
            self._db.execute(
                "CREATE TABLE IF NOT EXISTS measured "
                "(sample TEXT PRIMARY KEY, stamp TEXT, facts TEXT)"
            )

    def get(self, sample: Sample, stamp: str) -> Mapping[str, Value] | None:
        found = None
        if self._db is not None:
            with suppress(sqlite3.Error):
                found = self._db.execute(
                    "SELECT facts FROM measured WHERE sample = ? AND stamp = ?",
                    (f"{sample.benchmark}/{sample.id}", stamp),
                ).fetchone()
        if found is None:
            return None
        with suppress(ValueError):
            value = json.loads(found[0])
            return value if isinstance(value, dict) else None
        return None

    def put(self, sample: Sample, stamp: str, value: Mapping[str, Value]) -> None:
        if self._db is not None:
            with suppress(sqlite3.Error):
                self._db.execute(
                    "INSERT OR REPLACE INTO measured VALUES (?, ?, ?)",
                    (f"{sample.benchmark}/{sample.id}", stamp, json.dumps(dict(value))),
                )

    def close(self) -> None:
        if self._db is not None:
            with suppress(sqlite3.Error):
                self._db.commit()
            self._db.close()
