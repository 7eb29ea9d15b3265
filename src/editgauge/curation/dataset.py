"""A data set that is being made: ``set.sqlite`` holds the samples, what is said of the whole set,
and every change ever made (`web.log`); ``pictures/`` and ``masks/`` files called by their pixels.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
from collections.abc import Callable, Iterable
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
from editgauge.types import JsonMapping
from editgauge.web.log import Act, Event, Item, Log

FILE = "set.sqlite"
ERASED = "erased"
OUT = ("withdrawn", ERASED)
_ABOUT, _SAMPLE = "about", "sample"


class DataSet:
    """An open data set; every method may be called from any thread. Raises `DataError` for a folder
    that is none, `RunError` for a damaged file. A set that cannot be written is read.
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
        """A new, empty set. Raises `UsageError` where there is something already."""
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
        return [record for record in every if withdrawn or record.state not in OUT]

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

    def add(self, fields: JsonMapping, who: str) -> Record:
        """Make a sample of pictures that are there. Raises `UsageError` for an id that is taken."""
        record = records.record_of(fields, "new sample")
        return _record(self.log.add(record.id, _SAMPLE, record.data(), who))

    def change(self, sample: str, version: int, fields: JsonMapping, act: Act) -> Record:
        """Set fields of a sample (None empties one); returns it as it is then. Withdrawn it stays
        among the events and leaves with no export, until another state brings it back; erased its
        pictures are deleted, too, but those that another sample names. Raises `Conflict` when
        `version` is not the newest, `DataError` for values that are none of the field's.
        """
        before = self.record(sample)
        old = before.data()
        after = records.record_of({**old, **fields, "id": sample}, sample)
        new = after.data()
        touched = {name for name in {**old, **new} if old.get(name) != new.get(name)}
        if before.state == after.state == "verified" and CONTENT & touched:
            after.state = "refined"  # what was verified is no longer what it was
        changed = before
        if touched or version != before.version:
            changed = _record(self.log.change(sample, version, after.data(), act))
        if after.state == ERASED:  # again, too: what was killed can be made again
            self.purge([*after.files, *after.originals])
        return changed

    def update(self, sample: str, make: Callable[[Record], JsonMapping], act: Act) -> Record:
        """Set the fields that `make` gives for the newest record: what contradicts nobody."""
        with self.log.transaction():
            record = self.record(sample)
            return self.change(sample, record.version, make(record), act)

    def rename(self, sample: str, new: str, who: str) -> Record:
        """Give a sample another id ("": a neutral one); the old one is nowhere in the set any more.
        Raises `UsageError` for an id that is taken, `DataError` for one that none may have.
        """
        record = records.record_of({**self.record(sample).data(), "id": new or self.new_id()}, new)
        self.log.rename(sample, record.id, who)
        return self.record(record.id)

    def purge(self, candidates: Iterable[str]) -> None:
        """Delete picture files that no sample names, but erased ones."""
        every = (record for record in self.records(withdrawn=True) if record.state != ERASED)
        used = {path for record in every for path in record.files}
        for path in set(candidates) - used:
            if not paths.fault(self.root, path):
                (self.root / path).unlink()

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
        stem = re.sub(r"[^A-Za-z0-9_-]", "-", wish).strip("-_")[:80]
        names = (f"{stem}-{n}" if stem else f"s{n:04d}" for n in count(1))
        return stem if stem and stem not in taken else next(n for n in names if n not in taken)

    def origins(self) -> dict[bytes, str]:
        """`records.origin_of` what every sample was made of -> its id, whatever became of it."""
        added = (event for event in self.log.events() if event.what == "added")
        return {records.origin_of(event.after): event.item for event in added}


def _record(item: Item) -> Record:
    return records.record_of({**item.data, "version": item.version}, item.id)
