"""A data set that is being made: its samples, and the one way to change them.

``set.sqlite`` holds the samples, what is said of the whole set, and every change ever made
(`web.log`); ``pictures/`` and ``masks/`` the pictures, called by their pixels. A change names the
version of the sample that it was made from: one that another person's change has overtaken is
refused, and kept among the events as refused, so that its words are not lost. Any number of
processes may work on one folder.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
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
PRIVATE = ".curate"
"""What belongs to the making of a set and is never exported: hashes of names."""
OUT = "withdrawn"
_ABOUT, _SAMPLE = "about", "sample"


class DataSet:
    """An open data set; every method may be called from any thread.

    Raises `DataError` for a folder that is none, `RunError` for a damaged file and a disk that
    cannot be written. A set that cannot be written is read.
    """

    def __init__(self, root: Path) -> None:
        self.root = root.absolute()
        if not os.path.lexists(self.root / FILE):
            raise DataError(
                f"{root}: wanted the folder of a data set that is being made (no {FILE} in it); "
                f"begin one: editgauge new dataset {root}"
            )
        with sqlite.readable(self.root / FILE) as place:
            self.log = Log(place)
        if place != self.root / FILE:
            self.log.read_only(self.root / FILE)
        self.about = records.about_of(self.log.get(_ABOUT).data, str(self.root / FILE))

    @classmethod
    def create(cls, root: Path, about: About) -> DataSet:
        """A new, empty set. Raises `UsageError` where there is something already, `DataError` for
        a name or policy that none may have.
        """
        records.about_of(about.as_dict(), str(root))
        if root.exists() and (not root.is_dir() or any(root.iterdir())):
            raise UsageError(f"{root}: there is something already; name a new or an empty folder")
        existed = root.exists()
        try:
            root.mkdir(parents=True, exist_ok=True)
            with Log(root / FILE) as log:
                log.add(_ABOUT, _ABOUT, about.as_dict(), "")
        except (OSError, RunError) as error:  # a full disk: the same command can be run again
            for file in root.glob(f"{FILE}*"):
                file.unlink()
            if not existed and root.is_dir():
                root.rmdir()
            raise RunError(f"{root}: the data set cannot be written ({error})") from error
        return cls(root)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.log.close()

    # -- reading -----------------------------------------------------------------------------------

    def records(self, *, withdrawn: bool = False) -> list[Record]:
        """All samples as they are now, in the order in which they were made."""
        every = (_record(item) for item in self.log.all(_SAMPLE))
        return [record for record in every if withdrawn or record.state != OUT]

    def record(self, sample: str) -> Record:
        """One sample as it is now. Raises `UsageError` where there is none of this id."""
        return _record(self._item(sample))

    def record_at(self, sample: str, version: int) -> Record:
        """One sample as it was at one of its versions."""
        data: dict[str, Any] = {}
        for event in self.log.events(sample):
            if 0 < event.version <= version and event.what != "refused":
                data.update(event.after)
        kept = {name: value for name, value in data.items() if value is not None}
        return records.record_of({**kept, "version": version}, sample)

    def events(self, sample: str | None = None) -> list[Event]:
        """Everything that was ever done, oldest first; ``item`` is the sample."""
        return list(self.log.events(sample))

    def path(self, relative: str) -> Path:
        """A picture of the set. Raises `RunError` for a path that leads elsewhere."""
        return paths.inside(self.root, relative)

    # -- changing ----------------------------------------------------------------------------------

    def add(self, fields: Mapping[str, Any], who: str) -> Record:
        """Make a sample; its pictures are there already. Raises `UsageError` for an id that is
        taken, `DataError` for fields that no sample has.
        """
        values = {k: v for k, v in msgspec.to_builtins(dict(fields)).items() if v is not None}
        record = records.record_of(values, "new sample")
        return _record(self.log.add(record.id, _SAMPLE, record.data(), who))

    def change(self, sample: str, version: int, fields: Mapping[str, Any], act: Act) -> Record:
        """Set fields of a sample (None empties one); returns the sample as it is then.

        Raises `web.log.Conflict` when `version` is not the newest, `DataError` for values that are
        none of the field's. The same nonce again changes nothing.
        """
        if {"id", "version"} & set(fields):
            raise DataError(f"{sample}: id, version: not to be set")
        before = self.record(sample)
        after = records.patched(before, fields)
        old, new = before.data(), after.data()
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
            self.note(who, "erased", sample, pictures=lone, why=why)
        return record

    def purge(self, candidates: Iterable[str], *, but: Iterable[str] = ()) -> int:
        """Delete picture files that no sample names, but those withdrawn ones `but`; returns how
        many were deleted.
        """
        others = [
            record
            for record in self.records(withdrawn=True)
            if record.state != OUT or record.id not in set(but)
        ]
        used = {path for record in others for path in record.files}
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

    def note(self, who: str, what: str, sample: str = "", **facts: Any) -> None:
        """An event that changes no field: an export, a release."""
        self.log.note(who, what, sample, **facts)

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

    def new_id(self, wish: str) -> str:
        """An id that is free, made of the wish; ``s`` gives s0001, s0002…"""
        taken = {record.id for record in self.records(withdrawn=True)}
        return next(name for name in _ids(wish) if name not in taken)

    def untouched(self, fields: Mapping[str, Any]) -> str:
        """The id of the sample that was made with these fields and that nobody has changed since;
        "" where there is none.
        """
        wanted = records.record_of({"id": "x", **msgspec.to_builtins(dict(fields))}, "").data()
        same = (r.id for r in self.records(withdrawn=True) if {**r.data(), "id": "x"} == wanted)
        return next(same, "")

    # -- inside ------------------------------------------------------------------------------------

    def _item(self, sample: str) -> Item:
        with suppress(UsageError):
            item = self.log.get(sample)
            if item.kind == _SAMPLE:
                return item
        raise UsageError(f"{sample!r}: no sample of this id in {self.root.name}")


def _record(item: Item) -> Record:
    return records.record_of({**item.data, "version": item.version}, item.id)


def _ids(wish: str) -> Iterator[str]:
    """The ids that a wish is tried as, without end."""
    if wish == "s":
        yield from (f"s{number:04d}" for number in count(1))
    stem = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in wish)
    stem = stem.strip("-_")[:80] or "sample"
    yield from (stem if number == 1 else f"{stem}-{number}" for number in count(1))
