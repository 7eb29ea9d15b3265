"""Thumbnails: made once, from pictures that may be damaged."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
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
_TELL = 64
"""Thumbnails between two words of progress."""
Job = tuple[Path, Path]
Progress = Callable[[int, int, str], None]


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
            yield path, target


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


def make(jobs: Iterator[Job], *, workers: int = 1, progress: Progress | None = None) -> int:
    """Make thumbnails on so many threads (the time goes into decoding, which does not hold Python's
    lock); return how many. A picture that cannot be read, or not within the limit of
    `EDITGAUGE_MEMORY`, gets none.
    """
    todo, made = list(jobs), 0
    pool = ThreadPoolExecutor(max(1, workers))
    try:
        for done, there in enumerate(pool.map(_make, *zip(*todo, strict=True)) if todo else (), 1):
            made += there
            if progress and (done % _TELL == 0 or done == len(todo)):
                progress(done, len(todo), "thumbnails")
    finally:
        pool.shutdown(cancel_futures=True)
    return made


def _make(source: Path, target: Path) -> bool:
    try:
        picture = read_small(source, SIDE)
    except ImageError:
        return False
    buffer = io.BytesIO()
    picture.save(buffer, format="WEBP", quality=70, method=2)
    write_bytes(target, buffer.getvalue())
    return True
