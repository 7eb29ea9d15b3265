"""Thumbnails: made once, from pictures that may mean harm, by processes that may die (whoever calls
brings them: see `Spread`).
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from editgauge.errors import ImageError
from editgauge.images import read_small, write_bytes
from editgauge.tables.results import Results

if TYPE_CHECKING:
    from editgauge.reports.places import Places

SIDE = 224
"""The longer side of a thumbnail in pixels."""
_BATCH = 64
Job = tuple[str, str]
Progress = Callable[[int, int, str], None]
Spread = Callable[[Iterator[Sequence[Job]]], Iterator[tuple[int, int]]]
"""Calls `make_batch` on batches of jobs, on processes if it likes. As batches end it yields how
many jobs that were, and how many thumbnails were made.
"""


def wanted(frame: Results, places: Places, folder: Path) -> Iterator[Job]:
    """(picture, thumbnail) for each input, reference and output that has none yet, or an older
    one.
    """
    edits = places.edits(frame.benchmark)
    for number, (identity, record) in enumerate(frame.samples.records.items()):
        images = record.get("images") or [None]
        sources = [("input", images[0]), ("reference", record.get("reference"))]
        for code, editor in enumerate(frame.editors):
            edit = edits.get((identity, editor))
            sources.append((str(code), None if edit is None else edit.path))
        for slot, relative in sources:
            path = places.file(relative)
            if path is None:
                continue
            target = folder / slot / f"{number}.webp"
            with suppress(OSError):
                if target.stat().st_mtime_ns >= path.stat().st_mtime_ns:
                    continue
            yield str(path), str(target)


def present(folder: Path, frame: Results) -> dict[str, NDArray[np.bool_]]:
    """Slot ("input", "reference", an editor's number) -> which samples (S,) have a thumbnail: the
    page asks for no other.
    """
    found = {}
    for slot in ("input", "reference", *map(str, range(len(frame.editors)))):
        there = np.zeros(len(frame.samples), np.bool_)
        with suppress(OSError), os.scandir(folder / slot) as files:
            names = [file.name for file in files]
            numbers = [int(n[:-5]) for n in names if n.endswith(".webp") and n[:-5].isdigit()]
            there[[number for number in numbers if number < len(there)]] = True
        found[slot] = there
    return found


def here(batches: Iterator[Sequence[Job]]) -> Iterator[tuple[int, int]]:
    """The `Spread` over this process alone."""
    for batch in batches:
        yield len(batch), make_batch(batch)


def make(jobs: Iterator[Job], *, spread: Spread = here, progress: Progress | None = None) -> int:
    """Make thumbnails; return how many. A picture that cannot be read, or not within the limit of
    `EDITGAUGE_MEMORY`, gets none. A few are made here, whatever `spread` says.
    """
    todo = list(jobs)
    batches = (todo[start : start + _BATCH] for start in range(0, len(todo), _BATCH))
    made = done = 0
    for jobs_done, number in (spread if len(todo) > _BATCH else here)(batches):
        made += number
        done += jobs_done
        if progress:
            progress(done, len(todo), "thumbnails")
    return made


def make_batch(batch: Sequence[Job]) -> int:
    """Make the thumbnails of a batch; returns how many."""
    return sum(_make(Path(source), Path(target)) for source, target in batch)


def _make(source: Path, target: Path) -> bool:
    try:
        picture = read_small(source, SIDE)
    except ImageError:
        return False
    buffer = io.BytesIO()
    picture.save(buffer, format="WEBP", quality=70, method=2)
    write_bytes(target, buffer.getvalue())
    return True
