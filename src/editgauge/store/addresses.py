"""Addresses of stores (``s3://bucket/data``), and every call to one, through `fsspec`: tried again
where it fails in passing; what is not there or not allowed is said at once.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import time
from collections.abc import Callable, Iterable
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

        for name, facts in sorted(self._tried(find, f"{root}/{below}".rstrip("/")).items()):
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

        try:
            self._tried(get)
            os.replace(part, target)
        finally:
            part.unlink(missing_ok=True)

    def send(self, file: Path, relative: str) -> None:
        """Put a file into its place, whole or not at all."""
        self._tried(self.system.put_file, str(file), f"{self.base.rstrip('/')}/{relative}")

    def _tried(self, call: Callable[..., Result], *args: Any) -> Result:
        for pause in (*(FIRST_PAUSE * 2**turn for turn in range(ATTEMPTS - 1)), None):
            try:
                return call(*args)
            except Exception as error:  # each driver has errors of its own
                text = f"{type(error).__name__}: {error}"
                final = _FINAL.search(text)
                if final or pause is None:
                    mend = (
                        "check the address, and the credentials of its driver"
                        if final
                        else f"tried {ATTEMPTS} times: run the same command again later"
                    )
                    message = f"{self.address}: {text.splitlines()[0][:300]}; {mend}"
                    raise DownloadError(message) from error
            time.sleep(pause)
        raise AssertionError("unreachable")


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
        system, base = fsspec.core.url_to_fs(address, use_listings_cache=False)
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
