"""A data set that is being made: its records, and the one way to change them.

What counts is the trail; ``samples.jsonl`` is written anew from it after every event. A change
names the version of the sample that it was made from: one that another person's change has
overtaken is refused, and kept in the trail as refused, so that its words are not lost. Any number
of processes may work on one folder.
"""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson
from PIL import Image

from editgauge.curation import records
from editgauge.curation.records import About
from editgauge.curation.trail import Event, Trail
from editgauge.errors import DataError, EditgaugeError, UsageError
from editgauge.escape import plain
from editgauge.images import Array, Mask
from editgauge.store import paths
from editgauge.store.lease import lock, sweep

PRIVATE = ".curate"
"""What belongs to the making of a set and not to the set: links of people, locks. Not exported."""
LOCK = "lock"
OUTSIDE = "outside"
"""Who changed ``samples.jsonl`` without this tool, as the trail has it."""
_OWN = {"id", "version"}


class Conflict(EditgaugeError):
    """A change was made from a version that is no longer the newest. `record` is the newest."""

    def __init__(self, record: Mapping[str, Any], version: int) -> None:
        super().__init__(
            f"{record['id']}: version {version} was changed, the newest is {record['version']}; "
            f"somebody was faster. What you wrote is in the trail: look at both and save again",
            sample=str(record["id"]),
        )
        self.record = dict(record)


class Act(NamedTuple):
    """What somebody does: an event of the trail before it has a number and a time."""

    who: str
    what: str
    sample: str
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    note: str = ""
    nonce: str = ""


class DataSet:
    """An open data set; every method may be called from any thread. Raises `DataError` for a folder
    that is none, `RunError` for a damaged trail and a disk that cannot be written.
    """

    def __init__(self, root: Path) -> None:
        self.root = root.absolute()
        self.about: About = records.read_about(self.root)
        self._thread = threading.RLock()
        self._trail = Trail(path=self.root / records.TRAIL)
        self._records: dict[str, dict[str, Any]] = {}
        self._inside = False
        self._seen: tuple[int, ...] | None = None
        with self._held():
            pass  # reads everything
        sweep(self.root)

    @classmethod
    def create(cls, root: Path, about: About) -> DataSet:
        """A new, empty set. Raises `UsageError` where there is something already."""
        records.checked_about(about, str(root))
        if root.exists() and (not root.is_dir() or any(root.iterdir())):
            raise UsageError(f"{root}: there is something already; name a new or an empty folder")
        there = root.exists()
        try:
            root.mkdir(parents=True, exist_ok=True)
            _write_about(root, about)
            paths.write(root, records.SAMPLES, b"", sync=True)
            return cls(root)
        except BaseException:  # a full disk: the same command can be run again
            shutil.rmtree(root / PRIVATE, ignore_errors=True)
            for name in (records.DATASET, records.SAMPLES, records.TRAIL):
                (root / name).unlink(missing_ok=True)
            if not there:
                with suppress(OSError):
                    root.rmdir()
            raise

    # -- reading -----------------------------------------------------------------------------------

    def records(self, *, withdrawn: bool = False) -> list[dict[str, Any]]:
        """All samples as they are now, in the order in which they were made."""
        with self._held():
            return [
                dict(record)
                for record in self._records.values()
                if withdrawn or record.get("state") != "withdrawn"
            ]

    def record(self, sample: str) -> dict[str, Any]:
        """One sample as it is now. Raises `UsageError` where there is none of this id."""
        with self._held():
            return dict(self._need(sample))

    def events(self) -> list[Event]:
        """The whole trail, read anew: raises `RunError` where it was tampered with."""
        return list(Trail(path=self.root / records.TRAIL).read())

    def path(self, relative: str) -> Path:
        """A picture of the set. Raises `RunError` for a path that leads elsewhere."""
        return paths.inside(self.root, relative)

    # -- changing ----------------------------------------------------------------------------------

    def add(self, record: Mapping[str, Any], who: str, *, note: str = "") -> dict[str, Any]:
        """Make a sample; its pictures are there already. Raises `UsageError` for an id that is
        taken.
        """
        with self._held():
            made = {
                "state": "draft",
                **{key: value for key, value in record.items() if value is not None},
                "version": 1,
            }
            made = records.checked(made, "new sample")
            if made["id"] in self._records:
                raise UsageError(f"{made['id']}: there is a sample of this id; give another one")
            self._write(Act(who, "added", made["id"], {}, made, note))
            return dict(self._records[made["id"]])

    def change(
        self,
        sample: str,
        version: int,
        fields: Mapping[str, Any],
        who: str,
        *,
        what: str = "changed",
        note: str = "",
        nonce: str = "",
    ) -> dict[str, Any]:
        """Set fields of a sample (None takes one out); returns the sample as it is then.

        Raises `Conflict` when `version` is not the newest, `DataError` for values that are none of
        the field's. The same `nonce` again changes nothing; one of another sample or person is no
        repetition, and refused as `DataError`.
        """
        with self._held():
            record = self._need(sample)
            if nonce and (before_it := self._trail.nonces.get(nonce)):
                if (before_it.sample, before_it.who) != (sample, who):
                    raise DataError(f"{sample}: this nonce is that of another change")
                return dict(record)
            if _OWN & set(fields):
                raise DataError(f"{sample}: {', '.join(sorted(_OWN & set(fields)))}: not to be set")
            after = {k: v for k, v in fields.items() if record.get(k) != v}
            if record.get("state") == "verified" and records.CONTENT & set(after):
                after.setdefault("state", "refined")  # what was verified is no longer what it was
            before = {key: record.get(key) for key in after}
            if version != record["version"]:
                self._log(Act(who, "refused", sample, before, after, f"{what}: {note}"))
                raise Conflict(record, version)
            if not after:
                return dict(record)
            records.checked(_patched(record, after), "change")
            self._write(Act(who, what, sample, before, after, note, nonce))
            return dict(self._records[sample])

    def update(
        self,
        sample: str,
        make: Callable[[dict[str, Any]], Mapping[str, Any]],
        who: str,
        *,
        what: str = "changed",
        note: str = "",
        nonce: str = "",
    ) -> dict[str, Any]:
        """Set the fields that `make` gives for the newest record: for what adds to a sample and
        contradicts nobody (a comment, a review of a version).
        """
        with self._held():
            record = self._need(sample)
            return self.change(
                sample, record["version"], make(dict(record)), who,
                what=what, note=note, nonce=nonce,
            )  # fmt: skip

    def describe(self, who: str, **fields: Any) -> About:
        """Change what is said of the whole set."""
        with self._held():
            self.about = records.read_about(self.root)
            made = records.checked_about(replace(self.about, **fields), str(self.root))
            old, new = self.about.as_dict(), made.as_dict()
            after = {key: value for key, value in new.items() if old[key] != value}
            if after:
                before = {key: old[key] for key in after}
                self._log(Act(who, "described", "", before, after))
                _write_about(self.root, made)
                self.about = made
            return self.about

    def note(self, who: str, what: str, sample: str = "", **facts: Any) -> None:
        """An event that changes no field: an export, a release."""
        with self._held():
            self._log(Act(who, what, sample, {}, facts))

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
        """An id that is free, made of the wish."""
        with self._held():
            return next(made for made in _ids(wish) if made not in self._records)

    def untouched(self, wish: str, made: Mapping[str, Any]) -> str:
        """The sample that was made of the same wish with the same fields, and that nobody has
        changed since; "" where there is none.
        """
        wanted = orjson.loads(orjson.dumps(_patched({"state": "draft", "version": 1}, made)))
        with self._held():
            for identity in _ids(wish):
                there = self._records.get(identity, {})
                if not there or there == {**wanted, "id": identity}:
                    return identity if there else ""
        return ""

    # -- inside ------------------------------------------------------------------------------------

    def _need(self, sample: str) -> dict[str, Any]:
        if sample not in self._records:
            raise UsageError(f"{plain(sample)!r}: no sample of this id in {self.root.name}")
        return self._records[sample]

    @contextmanager
    def _held(self) -> Iterator[None]:
        """Nobody else changes the set meanwhile, and what others changed before is known."""
        with self._thread:
            if self._inside:
                yield
                return
            with ExitStack() as stack:
                if self._writable():
                    paths.folder(self.root, PRIVATE)
                    stack.enter_context(lock(self.root / PRIVATE / LOCK))
                self._inside = True
                try:
                    self._refresh()
                    yield
                finally:
                    self._inside = False

    def _writable(self) -> bool:
        """Whether this process may change the set: one that it may not is read without a lock."""
        return os.access(self.root, os.W_OK)

    def _refresh(self) -> None:
        for event in self._trail.read():
            self._apply(event)
            if event.sample in self._records:
                where = f"{self.root / records.TRAIL}, event {event.number}"
                records.checked(self._records[event.sample], where)
        self._look_at_file()

    def _apply(self, event: Event) -> None:
        if not event.sample or event.what == "refused" or event.what in _FACTS_ONLY:
            return
        record = self._records.get(event.sample)
        if record is None:
            self._records[event.sample] = dict(event.after)
        else:
            version = record["version"] + 1
            self._records[event.sample] = {**_patched(record, event.after), "version": version}

    def _write(self, act: Act) -> None:
        self._log(act)
        self._snapshot()

    def _log(self, act: Act) -> None:
        """Put an act at the end of the trail, and into the records where it is of one."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        event = Event(self._trail.number + 1, now, *act)
        self._trail.append(event)
        self._apply(event)

    def _snapshot(self) -> None:
        data = records.written(self._records.values())
        path = paths.write(self.root, records.SAMPLES, data, sync=True)
        paths.write(self.root, f"{PRIVATE}/{_SNAPSHOT}", _hash(data).encode())
        self._seen = _stamp(path)

    def _look_at_file(self) -> None:
        """Make ``samples.jsonl`` and the trail agree: a file that a killed process left behind the
        trail is written anew (its hash is the one that was kept beside it), and what somebody wrote
        into it by hand becomes events.
        """
        path = self.root / records.SAMPLES
        if self._seen is not None and self._seen == _stamp(path):
            return
        there = records.read_samples(self.root)
        data = path.read_bytes()
        kept = self.root / PRIVATE / _SNAPSHOT
        ours = kept.is_file() and kept.read_text("ascii", "replace") == _hash(data)
        if not ours and there != list(self._records.values()):
            self._take_in(there)
        if (ours and data == records.written(self._records.values())) or not self._writable():
            self._seen = _stamp(path)
        else:
            self._snapshot()

    def _take_in(self, there: Sequence[dict[str, Any]]) -> None:
        for record in there:
            known = self._records.get(record["id"])
            if known is None:
                made = {"state": "draft", **record, "version": 1}
                self._log(Act(OUTSIDE, "added", record["id"], {}, made))
                continue
            names = (set(known) | set(record)) - _OWN
            after = {k: record.get(k) for k in sorted(names) if known.get(k) != record.get(k)}
            if after:
                before = {k: known.get(k) for k in after}
                self._log(Act(OUTSIDE, "changed", record["id"], before, after))
        left = {record["id"] for record in there}
        for identity, record in list(self._records.items()):
            if identity not in left and record.get("state") != "withdrawn":
                before, after = {"state": record.get("state")}, {"state": "withdrawn"}
                self._log(Act(OUTSIDE, "withdrawn", identity, before, after))


_SNAPSHOT = "snapshot"
_FACTS_ONLY = frozenset({"exported", "released", "invited", "revoked", "erased"})


def _patched(record: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    made = {**record, **after}
    return {key: value for key, value in made.items() if value is not None}


def _stamp(path: Path) -> tuple[int, ...]:
    state = path.stat()
    return (state.st_mtime_ns, state.st_size, state.st_ino)


def _hash(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _write_about(root: Path, about: About) -> None:
    data = orjson.dumps(about.as_dict(), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    paths.write(root, records.DATASET, data, sync=True)


def _ids(wish: str) -> Iterator[str]:
    """The ids that a wish is tried as, without end."""
    stem = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in wish)
    stem = stem.strip("-_")[:80] or "sample"
    yield stem
    for number in count(2):
        yield f"{stem}-{number}"
