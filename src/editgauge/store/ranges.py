"""Files of a store, read by DuckDB piece by piece: only the columns and the groups of rows that a
query asks for are fetched, and a call that fails in passing is made again.

DuckDB is handed a file system of `fsspec` whose paths begin with ``egstore://``; what follows is
the address.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from editgauge.store.addresses import Store, opened

PROTOCOL = "egstore"
BLOCK = 1 << 18
"""Bytes that are fetched at least at once."""


def place_of(store: Store, relative: str) -> str:
    """How a file of a store is named to DuckDB."""
    return f"{PROTOCOL}://{store.address}/{relative}"


@cache
def file_system() -> Any:
    """The file system for `place_of`'s names. Needs `fsspec`, which whoever has a store has."""
    from fsspec.spec import AbstractBufferedFile, AbstractFileSystem

    class _File(AbstractBufferedFile):  # type: ignore[misc]
        def _fetch_range(self, start: int, end: int) -> bytes:
            store, name = _split(self.path)
            return bytes(store.call("cat_file", name, start=start, end=end))

    class _Ranges(AbstractFileSystem):  # type: ignore[misc]
        protocol = PROTOCOL
        cachable = False

        @classmethod
        def _strip_protocol(cls, path: str) -> str:
            return path.removeprefix(f"{PROTOCOL}://")

        def info(self, path: str, **_: Any) -> dict[str, Any]:
            path = self._strip_protocol(path)
            store, name = _split(path)
            return {"name": path, "size": int(store.call("info", name)["size"]), "type": "file"}

        def glob(self, path: str, **_: Any) -> list[str]:
            return [self._strip_protocol(path)]

        def exists(self, path: str, **_: Any) -> bool:
            store, name = _split(self._strip_protocol(path))
            return bool(store.call("exists", name))

        def modified(self, path: str) -> Any:
            """Every file has a name of its own and stays as it is."""
            import datetime

            return datetime.datetime.fromtimestamp(0, datetime.UTC)

        def _open(self, path: str, mode: str = "rb", **_: Any) -> Any:
            path = self._strip_protocol(path)
            return _File(
                self, path, mode=mode, block_size=BLOCK, cache_type="bytes",
                size=self.info(path)["size"],
            )  # fmt: skip

    return _Ranges()


@cache
def _store(folder: str) -> Store:
    return opened(folder)


def _split(address: str) -> tuple[Store, str]:
    """The store of a file's folder, and the file's name there."""
    folder, _, name = address.rpartition("/")
    store = _store(folder)
    return store, store.path(name)
