"""A folder that was made on this machine, brought to a store: a report beside its run.

What is there already, by a list beside it, is not sent again; what the folder no longer has is
removed. Before anything is sent the list loses what will change: a call that is stopped is made
good by the next one.
"""

from __future__ import annotations

import contextlib
import hashlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import orjson

from editgauge.errors import RunError
from editgauge.store import paths
from editgauge.store.addresses import Store, opened, user_cache

LIST = ".editgauge-published.json"
LAST = "index.html"
"""Sent after all else: whoever opens it finds what it names."""
AT_ONCE = 8
_MOST_BYTES = 1 << 28


class Published(NamedTuple):
    """Files that were sent, left as they are, and removed."""

    sent: int
    kept: int
    removed: int


def copy_of(address: str) -> Path:
    """The folder of this machine in which what an address gets is made; it stays, so that the next
    report makes only what is new.
    """
    mark = hashlib.blake2b(address.encode(), digest_size=8).hexdigest()
    return user_cache() / "published" / mark


def publish(folder: Path, address: str) -> Published:
    """Make an address what a folder is. Raises `RunError` where something else lies there,
    `DownloadError` when the store does not answer.
    """
    store = opened(address)
    try:
        return _publish(store, folder)
    except PermissionError as error:
        raise RunError(
            f"{address}: may not be written; name a folder or another address with --to"
        ) from error


def _publish(store: Store, folder: Path) -> Published:
    there = _listed(store)
    mine = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and not path.is_symlink() and name != LIST:
            with path.open("rb") as file:
                mark = hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16))
            mine[name] = mark.hexdigest()
    news = [name for name, mark in mine.items() if there.get(name) != mark]
    told = dict.fromkeys((*there, *news), "") | {n: mine[n] for n in mine if n not in news}
    store.call("pipe_file", store.path(LIST), orjson.dumps(told, option=orjson.OPT_SORT_KEYS))
    first = [name for name in news if name != LAST]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for _ in pool.map(lambda name: _send(store, folder, name), first):
            pass
    if LAST in news:
        _send(store, folder, LAST)
    store.call("pipe_file", store.path(LIST), orjson.dumps(mine, option=orjson.OPT_SORT_KEYS))
    gone = sorted(set(there) - set(mine))
    for name in gone:
        with contextlib.suppress(FileNotFoundError):
            store.call("rm_file", store.path(name))
    return Published(len(news), len(mine) - len(news), len(gone))


def _send(store: Store, folder: Path, name: str) -> None:
    store.call("pipe_file", store.path(name), (folder / name).read_bytes())


def _listed(store: Store) -> dict[str, str]:
    """What was sent before: name -> hash. Raises `RunError` where files lie that nobody lists."""
    try:
        if int(store.call("info", store.path(LIST))["size"]) > _MOST_BYTES:
            raise ValueError("too large")
        listed = orjson.loads(store.call("cat_file", store.path(LIST)))
        names = isinstance(listed, dict) and all(isinstance(m, str) for m in listed.values())
        if not names or any(paths.misplaced(name) for name in listed):
            raise ValueError("not a list of files")
    except FileNotFoundError:
        if others := store.files():
            raise RunError(
                f"{store.address}: not empty, and not a report ({others[0].relative}); name "
                f"another address with --to"
            ) from None
        return {}
    except ValueError as error:
        raise RunError(
            f"{store.address}/{LIST}: cannot be read ({error}); remove it, and what it lay beside"
        ) from error
    return dict(listed)
