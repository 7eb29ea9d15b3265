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
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from PIL import Image

from editgauge.curation import records
from editgauge.curation.records import About
from editgauge.errors import DataError, EditgaugeError, RunError, UsageError
from editgauge.images import Array, Mask
from editgauge.store import paths, sqlite
from editgauge.web.log import Act, Event, Item, Log
from editgauge.web.log import Conflict as Overtaken

FILE = "set.sqlite"
PRIVATE = ".curate"
"""What belongs to the making of a set and is never exported: hashes of names, replies."""
_ABOUT, _SAMPLE = "about", "sample"
_WITHDRAWN = "withdrawn"
_NOT_SET = {"id", "version"}


class Conflict(EditgaugeError):
    """A change was made from a version that is no longer the newest. `record` is the newest."""

    def __init__(self, record: Mapping[str, Any], version: int) -> None:
        super().__init__(
            f"{record['id']}: version {version} was changed, the newest is {record['version']}; "
            f"somebody was faster. What you wrote is kept among the events: look at both and save "
            f"again",
            sample=str(record["id"]),
        )
        self.record = dict(record)


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
        self.about = self._about()

    @classmethod
    def create(cls, root: Path, about: About) -> DataSet:
        """A new, empty set. Raises `UsageError` where there is something already."""
        records.checked_about(about, str(root))
        if root.exists() and (not root.is_dir() or any(root.iterdir())):
            raise UsageError(f"{root}: there is something already; name a new or an empty folder")
        existed = root.exists()
        try:
            root.mkdir(parents=True, exist_ok=True)
            (root / PRIVATE).mkdir()
            with Log(root / FILE) as log:
                log.add(_ABOUT, _ABOUT, about.as_dict(), "")
        except (OSError, RunError) as error:  # a full disk: the same command can be run again
            for name in (FILE, f"{FILE}-wal", f"{FILE}-shm"):
                (root / name).unlink(missing_ok=True)
            with suppress(OSError):
                (root / PRIVATE).rmdir()
                if not existed:
                    root.rmdir()
            raise RunError(f"{root}: the data set cannot be written ({error})") from error
        return cls(root)

    # -- reading -----------------------------------------------------------------------------------

    @property
    def problems(self) -> list[str]:
        """What was damaged and left out, a line each."""
        return self.log.problems

    def records(self, *, withdrawn: bool = False) -> list[dict[str, Any]]:
        """All samples as they are now, in the order in which they were made."""
        return [
            _record(item)
            for item in self.log.all(_SAMPLE)
            if withdrawn or item.data.get("state") != _WITHDRAWN
        ]

    def record(self, sample: str) -> dict[str, Any]:
        """One sample as it is now. Raises `UsageError` where there is none of this id."""
        return _record(self._item(sample))

    def events(self) -> list[Event]:
        """Everything that was ever done, oldest first; ``item`` is the sample."""
        return list(self.log.events())

    def path(self, relative: str) -> Path:
        """A picture of the set. Raises `RunError` for a path that leads elsewhere."""
        return paths.inside(self.root, relative)

    # -- changing ----------------------------------------------------------------------------------

    def add(self, record: Mapping[str, Any], who: str) -> dict[str, Any]:
        """Make a sample; its pictures are there already. Raises `UsageError` for an id that is
        taken.
        """
        fresh = records.checked({"state": "draft", **_without_none(record)}, "new sample")
        data = {key: value for key, value in fresh.items() if key != "version"}
        return _record(self.log.add(data["id"], _SAMPLE, data, who))

    def change(
        self, sample: str, version: int, fields: Mapping[str, Any], act: Act
    ) -> dict[str, Any]:
        """Set fields of a sample (None takes one out); returns the sample as it is then.

        Raises `Conflict` when `version` is not the newest, `DataError` for values that are none of
        the field's. The same nonce again changes nothing; one of another sample or person is no
        repetition, and refused as `UsageError`.
        """
        if _NOT_SET & set(fields):
            names = ", ".join(sorted(_NOT_SET & set(fields)))
            raise DataError(f"{sample}: {names}: not to be set")
        with self.log.transaction():
            item = self._item(sample)
            after = {k: v for k, v in fields.items() if item.data.get(k) != v}
            if item.data.get("state") == "verified" and records.CONTENT & set(after):
                after.setdefault("state", "refined")  # what was verified is no longer what it was
            if not after and version == item.version:
                return _record(item)
            data = _without_none({**item.data, **after})
            records.checked(data, "change")
        try:
            return _record(self.log.change(sample, version, data, act))
        except Overtaken as late:
            raise Conflict(_record(late.newest), version) from late

    def update(
        self, sample: str, make: Callable[[dict[str, Any]], Mapping[str, Any]], act: Act
    ) -> dict[str, Any]:
        """Set the fields that `make` gives for the newest record: for what adds to a sample and
        contradicts nobody (a comment, a review of a version).
        """
        with self.log.transaction():
            record = self.record(sample)
            return self.change(sample, record["version"], make(dict(record)), act)

    def describe(self, who: str, **fields: Any) -> About:
        """Change what is said of the whole set."""
        with self.log.transaction():
            item = self.log.get(_ABOUT)
            about = records.checked_about(replace(self._about(), **fields), str(self.root))
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
        array = np.asarray(pixels)
        if array.dtype == np.bool_:
            array = array.astype(np.uint8) * 255
        name = hashlib.blake2b(
            f"{array.shape}".encode() + np.ascontiguousarray(array).tobytes(), digest_size=10
        ).hexdigest()
        place = f"{room}/{name}.png"
        if paths.fault(self.root, place) is not None:
            buffer = io.BytesIO()
            Image.fromarray(np.ascontiguousarray(array)).save(buffer, "PNG", compress_level=4)
            paths.write(self.root, place, buffer.getvalue(), sync=True)
        return place

    def new_id(self, wish: str) -> str:
        """An id that is free, made of the wish; ``s`` gives s0001, s0002…"""
        taken = {record["id"] for record in self.records(withdrawn=True)}
        return next(name for name in _ids(wish) if name not in taken)

    def untouched(self, fields: Mapping[str, Any]) -> str:
        """The id of the sample that was made with these fields and that nobody has changed since;
        "" where there is none.
        """
        wanted = orjson.loads(orjson.dumps({"state": "draft", **_without_none(fields)}))
        for item in self.log.all(_SAMPLE):
            if {key: value for key, value in item.data.items() if key != "id"} == wanted:
                return item.id
        return ""

    # -- inside ------------------------------------------------------------------------------------

    def _about(self) -> About:
        return records.about_of(self.log.get(_ABOUT).data, f"{self.root / FILE}")

    def _item(self, sample: str) -> Item:
        with suppress(UsageError):
            item = self.log.get(sample)
            if item.kind == _SAMPLE:
                return item
        raise UsageError(f"{sample!r}: no sample of this id in {self.root.name}")


def _record(item: Item) -> dict[str, Any]:
    return {**item.data, "version": item.version}


def _without_none(record: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in record.items() if value is not None}


def _ids(wish: str) -> Iterator[str]:
    """The ids that a wish is tried as, without end."""
    if wish == "s":
        yield from (f"s{number:04d}" for number in count(1))
    stem = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in wish)
    stem = stem.strip("-_")[:80] or "sample"
    yield stem
    for number in count(2):
        yield f"{stem}-{number}"
