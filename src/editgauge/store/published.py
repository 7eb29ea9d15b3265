"""A folder that was made on this machine, brought to a store: a report beside its run.

What is there already, by a list beside it, is not sent again; what the folder no longer has is
removed. Before anything is sent the list loses what will change: a call that is stopped is made
good by the next one.
"""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path
from typing import NamedTuple

import orjson

from editgauge.errors import RunError
from editgauge.store import paths
from editgauge.store.addresses import Store, at_once, mark_of, opened, user_cache

LIST = ".editgauge-published.json"
LAST = "index.html"
"""Sent after all else: whoever opens it finds what it names."""
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
    return user_cache() / "published" / mark_of(address)


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
    there, mine = _listed(store), _marks(folder)
    news = [name for name, mark in mine.items() if there.get(name) != mark]
    sent_before = dict.fromkeys((*there, *news), "") | {n: mine[n] for n in mine if n not in news}
    _list(store, sent_before)
    at_once(lambda name: store.send(folder / name, name), [n for n in news if n != LAST])
    if LAST in news:
        store.send(folder / LAST, LAST)
    _list(store, mine)
    gone = sorted(set(there) - set(mine))
    for name in gone:
        with contextlib.suppress(FileNotFoundError):
            store.call("rm_file", store.path(name))
    return Published(len(news), len(mine) - len(news), len(gone))


def _marks(folder: Path) -> dict[str, str]:
    """Name -> hash of every file of a folder."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and path.name != LIST:
            with path.open("rb") as file:
                mark = hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16))
            found[path.relative_to(folder).as_posix()] = mark.hexdigest()
    return found


def _list(store: Store, told: dict[str, str]) -> None:
    data = orjson.dumps(told, option=orjson.OPT_SORT_KEYS)
    store.call("pipe_file", store.path(LIST), data)


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
