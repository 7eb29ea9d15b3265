"""Where the pictures of a run are, seen from its report."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from editgauge import escape
from editgauge.errors import ImageError
from editgauge.images import read_header, read_small, write_bytes
from editgauge.store import hashes, paths
from editgauge.store.hashes import HashStore
from editgauge.store.run import Run
from editgauge.store.schema import EditRecord
from editgauge.tables.results import Results

COPIED_SIDE = 1000
"""The longer side in pixels of a picture that is copied into a report: the report is to be sent."""


class Places:
    """Where a picture of a run is, seen from the report: a relative URL, and a copy when pictures
    are copied.

    A picture that is not the one that was scored, or looked at, is not shown: the hash of its bytes
    is compared at the first report, and again whenever its size or time has changed.
    """

    def __init__(self, runs: Sequence[Run], to: Path, *, copied: bool) -> None:
        self.runs, self.to, self.copied = runs, to, copied
        self._edits: dict[str, dict[tuple[str, str], EditRecord]] = {}
        self._homes: dict[str, list[Run]] = {}
        self._marks: dict[str, str] = {}
        self._places: dict[str, str] = {}
        self._alike: dict[str, str] = {}
        self._hashes = HashStore(runs[0].cache_folder / "shown.sqlite")

    def close(self) -> None:
        self._hashes.flush()

    def know(self, frame: Results) -> None:
        """Take from the samples' records which pictures the run has looked at."""
        for record in frame.samples.records.values():
            self._marks |= record.get("marks") or {}

    def file(self, relative: str | None) -> Path | None:
        """The file behind a path of a run folder, in the first run that has it; None when none
        has.
        """
        if not relative:
            return None
        for run in self._homes.get(relative, self.runs):
            path = run.picture(relative)
            if path is not None and self._is_the_one(path, relative, run):
                return path
        return None

    def _is_the_one(self, path: Path, relative: str, run: Run) -> bool:
        wanted = self._marks.get(relative)
        if not wanted:
            return True
        try:
            same = self._hashes(path) == wanted
        except ImageError:
            same = False
        if not same:
            run.note(
                f"{relative}: not the picture that was scored or looked at, and not shown; "
                f"editgauge check {run.path.name} says more",
            )
        return same

    def url(self, relative: str | None) -> str | None:
        """The picture's URL relative to the page, or None when the run does not have it. Copies it
        where asked.
        """
        path = self.file(relative)
        if path is None or relative is None:
            return None
        if not self.copied:
            return quote(os.path.relpath(path, self.to))
        place = self._portable_place(relative)
        smaller = _smaller(path)
        place += "" if smaller is None else ".jpg"
        target = self.to / "pictures" / place
        if smaller is not None or not hashes.same(path, target):
            paths.folder(self.to, f"pictures/{Path(place).parent.as_posix()}")
            with contextlib.suppress(FileNotFoundError):
                target.unlink()
            if smaller is None:
                hashes.copy(path, target)
            else:
                write_bytes(target, smaller)
        return quote(f"pictures/{place}")

    def edits(self, benchmark: str) -> dict[tuple[str, str], EditRecord]:
        """(sample, editor) -> what the last of the runs that has it knows of that output."""
        if benchmark not in self._edits:
            found: dict[tuple[str, str], EditRecord] = {}
            for run in self.runs:
                home = [run]
                for record in run.edits(benchmark):
                    key = (sys.intern(record.sample), sys.intern(record.editor))
                    again, found[key] = key in found, record
                    if record.path is None:
                        continue
                    self._marks[record.path] = record.fingerprint
                    if again and record.path in self._homes:
                        self._homes[record.path] = [*self._homes[record.path], run]
                    else:
                        self._homes[record.path] = home
            self._edits[benchmark] = found
        return self._edits[benchmark]

    def _portable_place(self, relative: str) -> str:
        """Where a copied picture lies: its place in the run, in names that every system takes. A
        name that had to be changed carries a hash of the old one, and so does the second of two
        that some systems take for one (``Model`` and ``model``, two spellings of ``é``): no two
        become one.
        """
        place, before = "", ""
        for part in relative.split("/"):
            before = f"{before}/{part}"
            known = self._places.get(before)
            if known is None:
                safe = escape.file_name(part)
                alike = f"{place}/{escape.alike(safe)}"
                if safe != part or self._alike.setdefault(alike, before) != before:
                    data = part.encode("utf-8", "surrogatepass")
                    safe = f"{hashlib.blake2b(data, digest_size=4).hexdigest()}-{safe}"
                known = self._places[before] = f"{place}/{safe}"
            place = known
        return place.removeprefix("/")


def _smaller(path: Path) -> bytes | None:
    """The picture as JPEG, `COPIED_SIDE` at its longer side; None where it is no larger than that,
    or cannot be read.
    """
    try:
        header = read_header(path)
        if max(header.width, header.height) <= COPIED_SIDE:
            return None
        buffer = io.BytesIO()
        read_small(path, COPIED_SIDE).save(buffer, format="JPEG", quality=90)
        return buffer.getvalue()
    except ImageError:
        return None
