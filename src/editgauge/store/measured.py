"""Attributes of samples that only their pictures tell: measured once, and remembered.

A benchmark that has such attributes names them in ``measured`` and gives a function
``measure(sample)`` for them. Loading a data set does not open pictures, so they are measured where
a command needs them: for the samples that it works on, and where ``--where`` asks for them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from editgauge import catalog
from editgauge.errors import UnknownName
from editgauge.store import records
from editgauge.store.cache import Cache
from editgauge.store.schema import digest
from editgauge.types import Benchmark, Sample

VERSION = 1
"""Raised when a benchmark's ``measure`` changes what it gives: what was remembered is not used."""


def names_of(benchmark: str) -> tuple[str, ...]:
    """The attributes that a benchmark measures; none for one that is not known here."""
    found = _find(benchmark)
    return () if found is None else tuple(found.measured)


def measured(
    samples: Sequence[Sample], *, chosen: Iterable[str] | None = None, memory: Path | None = None
) -> list[Sample]:
    """The samples with the attributes that their benchmark measures.

    `chosen`: ids of those to be measured now, None for all; the others get what `memory` (a file of
    `cache.Cache`, made where it is not there) holds of them. What was remembered counts while every
    file of the sample has the same size and time.
    """
    benchmark = _find(samples[0].benchmark) if samples else None
    if benchmark is None or benchmark.measure is None:
        return list(samples)
    cache = Cache(None, "") if memory is None else Cache(memory.parent, memory.name)
    stamps = {sample.id: _stamp(sample) for sample in samples}
    known = {key: records.known(value.decode()) for key, value in
             cache.get(list(stamps.values())).items()}  # fmt: skip
    wanted = stamps.keys() if chosen is None else set(chosen)
    todo = [one for one in samples if stamps[one.id] not in known and one.id in wanted]
    with ThreadPoolExecutor(max(1, min(8, os.cpu_count() or 1))) as pool:
        for sample, value in zip(todo, pool.map(benchmark.measure, todo), strict=True):
            known[stamps[sample.id]] = dict(value)
            cache.put({stamps[sample.id]: records.json(dict(value)).encode()})
    cache.close()
    return [
        replace(sample, attributes={**sample.attributes, **value}) if value else sample
        for sample in samples
        for value in [known.get(stamps[sample.id])]
    ]


def _find(benchmark: str) -> Benchmark | None:
    try:
        found: Benchmark = catalog.find("benchmarks", benchmark)
    except UnknownName:
        return None
    return found


def _stamp(sample: Sample) -> str:
    """A sample with the size and time of each of its files, as a hash."""
    state: list[object] = [VERSION, sample.benchmark, sample.id]
    for path in (*sample.images, sample.reference, *sample.masks.values()):
        try:
            found = path.stat() if path is not None else None
        except (OSError, ValueError):
            found = None
        state.append((found.st_size, found.st_mtime_ns, found.st_ino) if found else None)
    return digest(state)
