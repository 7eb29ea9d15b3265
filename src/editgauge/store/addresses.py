"""Addresses of stores (``s3://bucket/data``), and every call to one, through `fsspec`: tried again
where it fails in passing; what is not there or not allowed is said at once.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from editgauge import machine, temporary
from editgauge.errors import DataError, DownloadError, MissingExtra, UsageError
from editgauge.store import paths

Result = TypeVar("Result")
ATTEMPTS = 8
"""Calls for one answer of a store."""
FIRST_PAUSE = 0.1
"""Seconds before the second call; each further pause is twice as long."""
SILENCE = 60.0
"""Seconds without an answer, over all calls for it, after which a store is given up."""
LISTING = 300.0
"""Seconds for a list of all files: nothing of it is seen before it is whole."""
SAID = 10.0
"""Seconds without an answer after which it is said that the store is waited for."""
_SAID_AGAIN = 30.0
_LOOKED = 1.0
_SLOWEST = 100_000
"""Bytes in a second that a store takes at least."""
_S3_LIMITS = {"connect_timeout": 15, "read_timeout": 30, "retries": {"max_attempts": 0}}
"""Each request of a long list has its own limit. Failed calls are repeated by `Store` alone."""
_AT_ONCE = 8
_ADDRESS = re.compile(r"^([a-z][a-z0-9+.-]+):/{1,2}([^/].*)$")
_FINAL = re.compile(
    "FileNotFound|Permission|ADirectory|MemoryError|Credentials|NoSuchBucket|InvalidAccessKeyId"
    "|SignatureDoesNotMatch|AccessDenied|RefreshError|NoAuthToken|ParamValidation"
)
"""Names, of errors or in their texts, that no second call mends: rights, or what is not there."""
_VERSIONS = ("ETag", "etag", "blob_id", "LastModified", "mtime", "created")


def address_of(path: Path | str | None) -> str | None:
    """The address that a path stands for, or None for a path of this machine. A `Path` made of an
    address has one slash left of two; that is put right. Raises `UsageError` for ``file://``.
    """
    match = _ADDRESS.match("" if path is None else str(path))
    if match and match[1] == "file":
        raise UsageError(f"{path}: wanted a path, or an address such as s3://bucket/folder")
    return f"{match[1]}://{match[2].rstrip('/')}" if match else None


class Entry(NamedTuple):
    """A file of a store: its path below the address, its bytes, and a mark that changes with it."""

    relative: str
    name: str
    size: int
    version: str


@dataclass(frozen=True, slots=True)
class Store:
    """One address, opened. `base` is the address as its file system writes it. All raise
    `DownloadError` with the address when the store does not answer.
    """

    address: str
    system: Any
    base: str

    def files(self, below: str = "") -> list[Entry]:
        """Every file below the address (or below a folder of it), by path. Raises `DataError` for a
        name that leads out of it.
        """
        root, files = self.base.rstrip("/"), []
        self.system.invalidate_cache()

        def find(place: str) -> dict[str, Any]:
            with contextlib.suppress(FileNotFoundError):
                return dict(self.system.find(place, detail=True))
            return {}

        found = self._tried(find, f"{root}/{below}".rstrip("/"), seconds=LISTING)
        for name, facts in sorted(found.items()):
            whole = name == self.base  # the address is one file's
            relative = name.rsplit("/", 1)[-1] if whole else name[len(root) + 1 :]
            if why := paths.misplaced(relative):
                raise DataError(f"{self.address}: {relative!a}: {why}; nothing of it is fetched")
            version = next((facts[one] for one in _VERSIONS if facts.get(one)), "")
            files.append(Entry(relative, name, int(facts.get("size") or 0), str(version)))
        return files

    def fetch(self, entry: Entry, target: Path) -> None:
        """Bring a file to `target`, whole or not at all."""
        part = target.with_name(temporary.new_name())

        def get() -> None:
            self.system.get_file(entry.name, str(part))
            if (size := part.stat().st_size) != entry.size:
                raise OSError(f"{entry.relative}: {size:,} bytes came, wanted {entry.size:,}")

        def size() -> int:
            try:
                return part.stat().st_size
            except FileNotFoundError:
                return 0

        try:
            self._tried(get, progress=size)
            os.replace(part, target)
        finally:
            part.unlink(missing_ok=True)

    def send(self, file: Path, relative: str) -> None:
        """Put a file into its place, whole or not at all."""
        place = f"{self.base.rstrip('/')}/{relative}"
        seconds = SILENCE + file.stat().st_size / _SLOWEST  # nothing is seen of what has gone
        self._tried(self.system.put_file, str(file), place, seconds=seconds)

    def _tried(
        self,
        call: Callable[..., Result],
        *args: Any,
        seconds: float | None = None,
        progress: Callable[[], int] | None = None,
    ) -> Result:
        """Return what a call to the driver gives. Call again where it fails in passing.

        A call ends after `seconds` (by default `SILENCE`) without an answer, and no other one is
        begun once `SILENCE` has passed. `progress` gives the bytes that have come: while they grow,
        the store answers.
        """
        if seconds is None:
            seconds = SILENCE
        patience = _Patience(self.address, seconds, progress or (lambda: 0))
        for turn in range(ATTEMPTS):
            pause = FIRST_PAUSE * 2**turn
            try:
                return patience.answer(lambda: call(*args))
            except Exception as error:  # each driver has errors of its own
                text = f"{type(error).__name__}: {error}"
                if isinstance(error, _Silent):
                    mend = "check the address and the network, and run the same command again"
                    text = f"no answer for {seconds:.0f} seconds"
                elif _FINAL.search(text):
                    mend = "check the address, and the credentials of its driver"
                elif turn == ATTEMPTS - 1 or patience.waited() + pause > SILENCE:
                    mend = f"tried {turn + 1} times: run the same command again later"
                else:
                    time.sleep(pause)
                    continue
                message = f"{self.address}: {text.splitlines()[0][:300]}; {mend}"
                raise DownloadError(message) from error
        raise AssertionError("unreachable")


class _Silent(Exception):
    """A store has accepted a call and does not answer it."""


class _Patience:
    """The time for which an answer of a store is waited for. Not every driver has a time limit, and
    some have limits of several minutes and further attempts of their own.
    """

    def __init__(self, address: str, seconds: float, progress: Callable[[], int]) -> None:
        self._address = address
        self._seconds = seconds
        self._progress = progress
        self._bytes = 0
        self._since = time.monotonic()

    def waited(self) -> float:
        """The seconds since the first call, or since bytes have come."""
        there = self._progress()
        if there > self._bytes:
            self._since = time.monotonic()
        self._bytes = there
        return time.monotonic() - self._since

    def left(self) -> float:
        """The seconds for which an answer is still waited for."""
        return self._seconds - self.waited()

    def answer(self, call: Callable[[], Result]) -> Result:
        """Return what the call gives; raise what it raises, or `_Silent`.

        The call has a thread of its own, since nothing else ends the wait for a socket. A thread
        that gets no answer ends with the process.
        """
        answer = Future[Result]()

        def work() -> None:
            try:
                answer.set_result(call())
            except BaseException as error:  # raised again by whoever waits
                answer.set_exception(error)

        threading.Thread(target=work, daemon=True).start()
        while not wait([answer], timeout=min(_LOOKED, max(0.0, self.left()))).done:
            if self.left() <= 0:
                raise _Silent
            if self.waited() >= SAID:
                _say_waiting(self._address, self.left())
        return answer.result()


_last_said: dict[str, float] = {}
"""Address -> when it was said last that it is waited for: several calls may wait at once."""


def _say_waiting(address: str, left: float) -> None:
    now = time.monotonic()
    if now - _last_said.get(address, -_SAID_AGAIN) >= _SAID_AGAIN:
        _last_said[address] = now
        print(
            f"waiting for {address}, which does not answer; given up in {left:.0f} seconds",
            file=sys.stderr,
            flush=True,
        )


def at_once(work: Callable[[Any], object], things: Iterable[Any]) -> None:
    """Do something to each of these, some at once; the first error is raised."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for _ in pool.map(work, things):
            pass


def opened(address: str) -> Store:
    """The store behind an address. Raises `MissingExtra` without `fsspec`, `UsageError` for a kind
    of store that has no driver here.
    """
    try:
        import fsspec
    except ImportError as error:
        raise MissingExtra(f"{address}: an address", "fsspec", "remote") from error
    try:
        options: dict[str, Any] = {}
        is_s3 = address.startswith(("s3://", "s3a://"))
        if is_s3:
            given = fsspec.config.conf.get("s3", {}).get("config_kwargs", {})
            options["config_kwargs"] = {**_S3_LIMITS, **given}
        system, base = fsspec.core.url_to_fs(address, use_listings_cache=False, **options)
        if is_s3:
            system.retries = 1
    except (ImportError, ValueError, TypeError) as error:
        raise UsageError(
            f"{address}: no address of a store that can be reached here ({error}); such as s3://, "
            f"gs://, hf://"
        ) from error
    return Store(address, system, base)


def place_of(kind: str, address: str) -> Path:
    """The folder of this machine that holds a copy of an address, of one kind (data, a run)."""
    mark = hashlib.blake2b(address.encode(), digest_size=8).hexdigest()
    return machine.user_cache() / kind / mark / (address.rsplit("/", 1)[-1] or "data")
