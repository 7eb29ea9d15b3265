"""Attributes of samples that only their pictures tell (a benchmark's ``measured``), by its function
``measure(sample)``: measured where a command needs them, and remembered.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from editgauge.store import schema
from editgauge.store.cache import Cache
from editgauge.store.derived import benchmark_of
from editgauge.types import Sample

VERSION = 1
"""Raised when a benchmark's ``measure`` changes what it gives: what was remembered is not used."""


def names_of(benchmark: str) -> tuple[str, ...]:
    """The attributes that a benchmark measures; none for one that is not known here."""
    known = benchmark_of(benchmark)
    return () if known is None else tuple(known.measured)


def measured(
    samples: Sequence[Sample], *, chosen: Iterable[str] | None = None, memory: Path | None = None
) -> list[Sample]:
    """The samples with the attributes that their benchmark measures.

    `chosen`: ids of those to be measured now, None for all; the others get what `memory` (a file of
    `cache.Cache`, made where it is not there) holds of them. What was remembered counts while every
    file of the sample has the same size and time.
    """
    benchmark = benchmark_of(samples[0].benchmark) if samples else None
    if benchmark is None or benchmark.measure is None:
        return list(samples)
    cache = Cache(None, "") if memory is None else Cache(memory.parent, memory.name)
    stamps = {sample.id: _stamp(sample) for sample in samples}
    there = cache.get(list(stamps.values()))
    known = {stamp: schema.known(text.decode()) for stamp, text in there.items()}
    wanted = stamps.keys() if chosen is None else set(chosen)
    todo = [one for one in samples if stamps[one.id] not in known and one.id in wanted]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(max(1, min(8, os.cpu_count() or 1))) as pool:
        values = pool.map(benchmark.measure, todo)
        new = {stamps[one.id]: value for one, value in zip(todo, values, strict=True)}
    known |= {stamp: dict(value) for stamp, value in new.items()}
    cache.put({stamp: schema.json(known[stamp]).encode() for stamp in new})
    return [
        replace(one, attributes={**one.attributes, **known[stamps[one.id]]})
        if stamps[one.id] in known else one
        for one in samples
    ]  # fmt: skip


def _stamp(sample: Sample) -> str:
    """A sample with the size and time of each of its files, as a hash."""
    state: list[object] = [VERSION, sample.benchmark, sample.id]
    for path in (*sample.images, sample.reference, *sample.masks.values()):
        try:
            stat = path.stat() if path is not None else None
        except (OSError, ValueError):
            stat = None
        state.append((stat.st_size, stat.st_mtime_ns, stat.st_ino) if stat else None)
    return schema.digest(state)
