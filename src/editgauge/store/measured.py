"""Attributes of samples that only their pictures tell: measured once, and remembered.

A benchmark that has such attributes names them in ``measured`` and gives a function
``measure(sample)`` for them. Loading a data set does not open pictures, so they are measured where
a command needs them: for the samples that it works on, and where ``--where`` asks for them.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from editgauge import catalog
from editgauge.errors import RunError, UnknownName
from editgauge.store import records, sqlite
from editgauge.store.schema import digest
from editgauge.types import Benchmark, Sample

VERSION = 1
"""Raised when a benchmark's ``measure`` changes what it gives: what was remembered is not used."""
_TABLE = "CREATE TABLE IF NOT EXISTS measured (sample TEXT PRIMARY KEY, stamp TEXT, facts TEXT)"


def names_of(benchmark: str) -> tuple[str, ...]:
    """The attributes that a benchmark measures; none for one that is not known here."""
    found = _find(benchmark)
    return () if found is None else tuple(found.measured)


def measured(
    samples: Sequence[Sample], *, chosen: Iterable[str] | None = None, memory: Path | None = None
) -> list[Sample]:
    """The samples with the attributes that their benchmark measures.

    `chosen`: ids of those to be measured now, None for all; the others get what `memory` (an SQLite
    file, made where it is not there) holds of them. What was remembered counts while every file of
    the sample has the same size and time.
    """
    benchmark = _find(samples[0].benchmark) if samples else None
    if benchmark is None or benchmark.measure is None:
        return list(samples)
    wanted = None if chosen is None else set(chosen)
    stamps = [_stamp(sample) for sample in samples]
    with closing(_opened(memory)) as db:
        values = _remembered(db, samples, stamps)
        todo = [
            number
            for number, sample in enumerate(samples)
            if values[number] is None and (wanted is None or sample.id in wanted)
        ]
        with ThreadPoolExecutor(max(1, min(8, os.cpu_count() or 1))) as pool:
            for number, value in zip(
                todo, pool.map(benchmark.measure, [samples[n] for n in todo]), strict=True
            ):
                values[number] = value
                told = (_name(samples[number]), stamps[number], records.json(dict(value)))
                with suppress(sqlite3.Error):
                    db.execute("INSERT OR REPLACE INTO measured VALUES (?, ?, ?)", told)
    return [
        replace(sample, attributes={**sample.attributes, **value}) if value else sample
        for sample, value in zip(samples, values, strict=True)
    ]


def _find(benchmark: str) -> Benchmark | None:
    try:
        found: Benchmark = catalog.find("benchmarks", benchmark)
    except UnknownName:
        return None
    return found


def _name(sample: Sample) -> str:
    return f"{sample.benchmark}/{sample.id}"


def _stamp(sample: Sample) -> str:
    """Size and time of every file of a sample, as a hash."""
    state: list[object] = [VERSION]
    for path in (*sample.images, sample.reference, *sample.masks.values()):
        try:
            found = path.stat() if path is not None else None
        except (OSError, ValueError):
            found = None
        state.append((found.st_size, found.st_mtime_ns, found.st_ino) if found else None)
    return digest(state)


def _opened(path: Path | None) -> sqlite3.Connection:
    """What was measured, in one SQLite file; one that cannot be used is only slower."""
    if path is not None:
        with suppress(sqlite3.Error, OSError, RunError):
            return sqlite.connect(path, [_TABLE])
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.execute(_TABLE)
    return db


def _remembered(
    db: sqlite3.Connection, samples: Sequence[Sample], stamps: Sequence[str]
) -> list[Mapping[str, Any] | None]:
    """What is known of each sample with this stamp."""
    with suppress(sqlite3.Error):
        known = {name: rest for name, *rest in db.execute("SELECT * FROM measured")}
        found = [known.get(_name(sample), ["", ""]) for sample in samples]
        pairs = zip(found, stamps, strict=True)
        return [records.known(text) if mark == stamp else None for (mark, text), stamp in pairs]
    return [None] * len(samples)
