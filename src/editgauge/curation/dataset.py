"""A data set that is being made: its samples, and the one way to change them.

``set.sqlite`` holds the samples, what is said of the whole set, and every change ever made
(`web.log`); ``pictures/`` and ``masks/`` the pictures, called by their pixels.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, Self

import msgspec
import numpy as np
from PIL import Image

from editgauge.curation import records
from editgauge.curation.records import CONTENT, About, Record
from editgauge.errors import DataError, RunError, UsageError
from editgauge.images import Array, Mask
from editgauge.store import paths, sqlite
from editgauge.web.log import Act, Event, Item, Log

FILE = "set.sqlite"
OUT = "withdrawn"
_ABOUT, _SAMPLE = "about", "sample"


class DataSet:
    """An open data set; every method may be called from any thread.

    Raises `DataError` for a folder that is none, `RunError` for a damaged file and a disk that
    cannot be written. A set that cannot be written is read.
    """

    def __init__(self, root: Path) -> None:
        self.root = root.absolute()
        file = self.root / FILE
        if not os.path.lexists(file):
            raise DataError(
                f"{root}: wanted the folder of a data set that is being made (no {FILE} in it); "
                f"begin one: editgauge new dataset {root}"
            )
        with sqlite.readable(file) as place:
            self.log = Log(place)
        if place != file:
            self.log.read_only(file)
        self.about = records.about_of(self.log.get(_ABOUT).data, str(file))

    @classmethod
    def create(cls, root: Path, about: About) -> DataSet:
        """A new, empty set. Raises `UsageError` where there is something already, `DataError` for
        a name or policy that none may have.
        """
        records.about_of(about.as_dict(), str(root))
        if root.exists() and (not root.is_dir() or any(root.iterdir())):
            raise UsageError(f"{root}: there is something already; name a new or an empty folder")
        try:
            root.mkdir(parents=True, exist_ok=True)
            with Log(root / FILE) as log:
                log.add(_ABOUT, _ABOUT, about.as_dict(), "")
        except (OSError, RunError) as error:  # a full disk: the same command can be run again
            for file in root.glob(f"{FILE}*"):
                file.unlink()
            raise RunError(f"{root}: the data set cannot be written ({error})") from error
        return cls(root)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.log.close()

    def records(self, *, withdrawn: bool = False) -> list[Record]:
        """All samples as they are now, in the order in which they were made."""
        every = (_record(item) for item in self.log.all(_SAMPLE))
        return [record for record in every if withdrawn or record.state != OUT]

    def record(self, sample: str) -> Record:
        """One sample as it is now. Raises `UsageError` where there is none of this id."""
        with suppress(UsageError):
            item = self.log.get(sample)
            if item.kind == _SAMPLE:
                return _record(item)
        raise UsageError(f"{sample!r}: no sample of this id in {self.root.name}")

    def events(self, sample: str | None = None) -> list[Event]:
        """Everything that was ever done, oldest first; ``item`` is the sample."""
        return list(self.log.events(sample))

    def path(self, relative: str) -> Path:
        """A picture of the set. Raises `RunError` for a path that leads elsewhere."""
        return paths.inside(self.root, relative)

    def add(self, fields: Mapping[str, Any], who: str) -> Record:
        """Make a sample; its pictures are there already. Raises `UsageError` for an id that is
        taken, `DataError` for fields that no sample has.
        """
        record = records.record_of(fields, "new sample")
        return _record(self.log.add(record.id, _SAMPLE, record.data(), who))

    def change(self, sample: str, version: int, fields: Mapping[str, Any], act: Act) -> Record:
        """Set fields of a sample (None empties one); returns the sample as it is then.

        Raises `web.log.Conflict` when `version` is not the newest, `DataError` for values that are
        none of the field's. The same nonce again changes nothing.
        """
        before = self.record(sample)
        old = before.data()
        after = records.record_of({**old, **fields, "id": sample}, sample)
        new = after.data()
        touched = {name for name in {**old, **new} if old.get(name) != new.get(name)}
        if before.state == after.state == "verified" and CONTENT & touched:
            after.state = "refined"  # what was verified is no longer what it was
        if not touched and version == before.version:
            return before
        return _record(self.log.change(sample, version, after.data(), act))

    def update(self, sample: str, make: Callable[[Record], Mapping[str, Any]], act: Act) -> Record:
        """Set the fields that `make` gives for the newest record: for what adds to a sample and
        contradicts nobody (a comment, a review of a version).
        """
        with self.log.transaction():
            record = self.record(sample)
            return self.change(sample, record.version, make(record), act)

    def rename(self, sample: str, new: str, who: str) -> Record:
        """Give a sample another id, by default a neutral one: the old one is nowhere in the set any
        more. Raises `UsageError` for an id that is taken, `DataError` for one that none may have.
        """
        record = records.record_of({**self.record(sample).data(), "id": new or self.new_id()}, new)
        self.log.rename(sample, record.id, who)
        return self.record(record.id)

    def withdraw(self, sample: str, who: str, *, why: str = "", erase: bool = False) -> Record:
        """Take a sample out: it stays among the events, and leaves with no export; any other state
        brings it back. With `erase` its pictures are deleted from the folder, but those that
        another sample shows.
        """
        record = self.record(sample)
        if record.state != OUT:
            record = self.change(sample, record.version, {"state": OUT}, Act(who, "withdrawn", why))
        if erase:
            erased = {sample, *(e.item for e in self.events() if e.what == "erased")}
            lone = self.purge(record.files, but=erased)
            self.log.note(who, "erased", sample, pictures=lone, why=why)
        return record

    def purge(self, candidates: Iterable[str], *, but: Iterable[str] = ()) -> int:
        """Delete picture files that no sample names, but those withdrawn ones `but`; returns how
        many were deleted.
        """
        every = (r for r in self.records(withdrawn=True) if r.state != OUT or r.id not in set(but))
        used = {path for record in every for path in record.files}
        gone = [path for path in set(candidates) - used if not paths.fault(self.root, path)]
        for path in gone:
            (self.root / path).unlink()
        return len(gone)

    def describe(self, who: str, **fields: Any) -> About:
        """Change what is said of the whole set. Raises `DataError` for what cannot be said."""
        with self.log.transaction():
            item = self.log.get(_ABOUT)
            values = {**item.data, **msgspec.to_builtins(fields)}
            about = records.about_of(values, str(self.root))
            if about.as_dict() != item.data:
                self.log.change(_ABOUT, item.version, about.as_dict(), Act(who, "described"))
        self.about = about
        return about

    def keep(self, pixels: Array | Mask, room: str = "pictures") -> str:
        """Put a picture into the set as PNG without any metadata; returns its path below the set.
        It is called by its pixels, so that the same picture is kept once.
        """
        array = np.ascontiguousarray(pixels)
        if array.dtype == np.bool_:
            array = array.astype(np.uint8) * 255
        content = f"{array.shape}".encode() + array.tobytes()
        place = f"{room}/{hashlib.blake2b(content, digest_size=10).hexdigest()}.png"
        if paths.fault(self.root, place) is not None:
            buffer = io.BytesIO()
            Image.fromarray(array).save(buffer, "PNG", compress_level=4)
            paths.write(self.root, place, buffer.getvalue(), sync=True)
        return place

    def new_id(self, wish: str = "") -> str:
        """An id that is free, made of the wish; without one s0001, s0002…"""
        taken = {record.id for record in self.records(withdrawn=True)}
        letters = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in wish)
        stem = letters.strip("-_")[:80]
        if stem and stem not in taken:
            return stem
        names = (f"{stem}-{n + 1}" if stem else f"s{n:04d}" for n in count(1))
        return next(name for name in names if name not in taken)

    def untouched(self, fields: Mapping[str, Any]) -> str:
        """The id of the sample that was made with these fields and that nobody has changed since;
        "" where there is none.
        """
        wanted = records.record_of({**fields, "id": "x"}, "").data()
        same = (r.id for r in self.records(withdrawn=True) if {**r.data(), "id": "x"} == wanted)
        return next(same, "")


def _record(item: Item) -> Record:
    return records.record_of({**item.data, "version": item.version}, item.id)
