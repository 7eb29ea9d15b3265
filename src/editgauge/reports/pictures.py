"""Where the pictures of runs are, seen from their report: links or copies, and thumbnails."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from editgauge import escape
from editgauge.errors import ImageError
from editgauge.images import read_header, read_small, write_bytes
from editgauge.store import hashes, paths
from editgauge.store.hashes import HashStore
from editgauge.store.run import Run
from editgauge.store.schema import EditRecord
from editgauge.tables.results import Results

COPIED_SIDE, THUMB_SIDE = 1000, 224
"""The longer side in pixels of a picture that is copied into a report, and of a thumbnail."""
Progress = Callable[[int, int, str], None]


class Pictures:
    """The pictures of `runs` seen from a report in the folder `to`: relative URLs, and copies where
    pictures are `copied`. One that is not the one that was scored, or looked at, is not shown: the
    hash of its bytes is compared at first, and again whenever the system says that it has changed.
    """

    def __init__(self, runs: Sequence[Run], to: Path, *, copied: bool = False) -> None:
        self.runs, self.to, self.copied = runs, to, copied
        self.edits: dict[str, dict[str, EditRecord]] = {}
        """sample -> editor -> output, of the last run that has it; of one benchmark at a time."""
        self._marks: dict[str, str] = {}
        self._hashes = HashStore(runs[0].cache_folder / "shown.sqlite")

    def close(self) -> None:
        self._hashes.flush()

    def know(self, frame: Results) -> None:
        """Turn to a benchmark: what the runs know of its pictures."""
        self.edits = {}
        for record in frame.samples.records.values():
            self._marks |= record.get("marks") or {}
        for run in self.runs:
            for edit in run.edits(frame.benchmark):
                self.edits.setdefault(edit.sample, {})[sys.intern(edit.editor)] = edit
                if edit.path is not None:
                    self._marks[edit.path] = edit.fingerprint

    def file(self, relative: str | None) -> Path | None:
        """The file behind a path of a run folder, of the first run that has it, or None."""
        wanted = self._marks.get(relative or "")
        there = [(run, path) for run in self.runs if (path := run.picture(relative)) is not None]
        for _, path in there:
            with contextlib.suppress(ImageError):
                if not wanted or self._hashes(path) == wanted:
                    return path
        for run, _ in there[:1]:
            run.note(
                f"{relative}: not the picture that was scored or looked at, and not shown; "
                f"editgauge check {run.place} says more",
            )
        return None

    def url(self, relative: str | None) -> str | None:
        """The picture's URL relative to the page, or None when no run has it. Copies it where
        asked, under a name that every system takes.
        """
        path = self.file(relative)
        if path is None or relative is None:
            return None
        if not self.copied:
            return quote(os.path.relpath(path, self.to))
        mark = hashlib.blake2b(relative.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
        smaller = _smaller(path)
        name = "-".join([mark, *relative.split("/")[-2:]]) + ("" if smaller is None else ".jpg")
        target = paths.folder(self.to, "pictures") / escape.file_name(name)
        if smaller is not None:
            write_bytes(target, smaller)
        elif not self._hashes.is_copy(path, target):
            hashes.copy(path, target)
            self._hashes.forget(target)
        return quote(f"pictures/{target.name}")


def _smaller(path: Path) -> bytes | None:
    """The picture as JPEG, `COPIED_SIDE` long; None where it is no larger, or cannot be read."""
    with contextlib.suppress(ImageError):
        header = read_header(path)
        if max(header.width, header.height) > COPIED_SIDE:
            buffer = io.BytesIO()
            read_small(path, COPIED_SIDE).save(buffer, format="JPEG", quality=90)
            return buffer.getvalue()
    return None


# -- thumbnails ------------------------------------------------------------------------------------


def make_thumbnails(
    frame: Results, pictures: Pictures, folder: Path, progress: Progress | None = None
) -> int:
    """Make ``folder/SLOT/SAMPLE.webp`` of each input, reference and output that has none yet, or an
    older one; how many were made. What cannot be read gets none.
    """
    jobs, written = list(_wanted(frame, pictures, folder)), 0
    pool = ThreadPoolExecutor(os.cpu_count())  # decoding does not hold Python's lock
    try:
        for done, there in enumerate(pool.map(_make, jobs), 1):
            written += there
            if progress:
                progress(done, len(jobs), "thumbnails")
    finally:
        pool.shutdown(cancel_futures=True)
    return written


def _wanted(frame: Results, pictures: Pictures, folder: Path) -> Iterator[tuple[Path, Path]]:
    for number, (identity, record) in enumerate(frame.samples.records.items()):
        sources = {
            "input": (record.get("images") or [None])[0],
            "reference": record.get("reference"),
        }
        for code, editor in enumerate(frame.editors):
            edit = pictures.edits.get(identity, {}).get(editor)
            sources[str(code)] = None if edit is None else edit.path
        for slot, relative in sources.items():
            path = pictures.file(relative)
            if path is not None:
                target = folder / slot / f"{number}.webp"
                with contextlib.suppress(OSError):
                    if target.stat().st_mtime_ns >= _changed_at(path):
                        continue
                yield path, target


def _changed_at(path: Path) -> int:
    """Return when a file came into its place, in ns: it may have brought an older time along."""
    facts = path.stat()
    return max(facts.st_mtime_ns, facts.st_ctime_ns)


def _make(job: tuple[Path, Path]) -> bool:
    source, target = job
    try:
        picture = read_small(source, THUMB_SIDE)
    except ImageError:
        return False
    buffer = io.BytesIO()
    picture.save(buffer, format="WEBP", quality=70, method=2)
    write_bytes(target, buffer.getvalue())
    return True


def present(folder: Path, frame: Results) -> dict[str, NDArray[np.bool_]]:
    """Slot ("input", "reference", an editor's number) -> which samples (S,) have a thumbnail."""
    files = {}
    for slot in ("input", "reference", *map(str, range(len(frame.editors)))):
        names = {path.stem for path in (folder / slot).glob("*.webp")}
        files[slot] = np.array([str(at) in names for at in range(len(frame.samples))], np.bool_)
    return files
