"""Data and outputs that lie elsewhere, read through copies of bounded size on this machine.

The copy of an address is brought up to date at each use: what has another size or mark (ETag) there
is fetched again, what is gone there goes here. When the copies of all addresses together would pass
the limit (`addresses.cache_limit`), those that were not used for longest are removed; one that a
process reads from is not. Packed data (`store.shards`) are unpacked once.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import orjson

from editgauge.errors import DataError
from editgauge.store import lease, paths, shards
from editgauge.store.addresses import (
    CACHE_SIZE,
    Entry,
    Store,
    address_of,
    cache_limit,
    opened,
    user_cache,
)

AT_ONCE = 8
"""Files that are fetched at once."""
_USED = ".used"
_INDEX = ".index.json"
_reading: list[int] = []
"""Shared locks on the copies that this process reads from; held until it ends."""


def local_folder(place: Path | None) -> Path | None:
    """The folder of this machine that holds what `place` names: itself, or a copy of an address, or
    what a tar or Parquet file (or a folder of nothing else) holds. None stays None.

    Raises `DataError` when there is nothing, when it does not fit the cache, or when it is packed
    and damaged; `DownloadError` when the store does not answer.
    """
    address = address_of(place)
    if address is not None:
        return _settled(_mirrored(opened(address)))
    return place if place is None else _settled(place)


def _settled(place: Path) -> Path:
    """A folder as it is; what packed data hold, unpacked in the cache."""
    if place.is_file() and place.name.endswith((*shards.TARS, shards.PARQUET)):
        return _unpacked([place])
    if not place.is_dir():
        return place
    names = [entry.name for entry in os.scandir(place) if not entry.name.startswith(".")]
    if names and shards.packed(names) and all((place / name).is_file() for name in names):
        ending = (*shards.TARS, shards.PARQUET)
        return _unpacked([place / name for name in names if name.endswith(ending)])
    return place


def _unpacked(files: Sequence[Path]) -> Path:
    told = [(str(f.absolute()), f.stat().st_size, f.stat().st_mtime_ns) for f in sorted(files)]
    copy = _place("unpacked", repr(told))
    with lease.lock(copy.with_suffix(".lock")):
        target = copy / files[0].name.partition(".")[0]
        if not target.is_dir():
            _make_room(copy, sum(size for _, size, _ in told))
            building = copy / f".building-{os.getpid()}"
            shutil.rmtree(copy, ignore_errors=True)
            used = shards.unpack(files, building, limit=cache_limit())
            _make_room(copy, used)
            os.replace(building, target)
        _note_use(copy)
    return target


def _mirrored(store: Store) -> Path:
    copy = _place("mirror", store.address)
    with lease.lock(copy.with_suffix(".lock")):
        target = copy / (store.address.rsplit("/", 1)[-1] or "data")
        entries = _listed(store)
        total = sum(entry.size for entry in entries)
        _make_room(copy, total)
        _note_use(copy)
        known = _index(copy)
        wanted = {entry.relative: entry for entry in entries}
        for relative in known.keys() - wanted.keys():
            with suppress(OSError):
                paths.inside(target, relative).unlink()
        stale = [e for e in entries if not _fresh(target, e, known.get(e.relative))]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            for done in pool.map(lambda e: store.fetch(e, _door(target, e)), stale):
                assert done is None
        index = {entry.relative: [entry.size, entry.version] for entry in entries}
        paths.write(copy, _INDEX, orjson.dumps(index))
    return target / entries[0].relative if _is_one_file(store, entries) else target


def _listed(store: Store) -> list[Entry]:
    """The files of a store, at least one."""
    entries = store.files()
    if not entries:
        raise DataError(f"{store.address}: nothing is there; check the address and your rights")
    return entries


def _is_one_file(store: Store, entries: Sequence[Entry]) -> bool:
    return len(entries) == 1 and entries[0].name == store.base


def _door(target: Path, entry: Entry) -> Path:
    """Where a file goes: below folders that are no links."""
    folder, _, name = entry.relative.rpartition("/")
    target.mkdir(parents=True, exist_ok=True)
    return paths.folder(target, folder) / name


def _fresh(target: Path, entry: Entry, known: object) -> bool:
    if known != [entry.size, entry.version] or not entry.version:
        return False
    return (
        paths.fault(target, entry.relative, limit=paths.SEGMENT_BYTES) is None
        and (target / entry.relative).stat().st_size == entry.size
    )


def _index(copy: Path) -> dict[str, list[object]]:
    try:
        index = orjson.loads(paths.read(copy / _INDEX))
    except (OSError, ValueError):
        return {}
    return index if isinstance(index, dict) else {}


# -- the bound -------------------------------------------------------------------------------------


def _place(kind: str, what: str) -> Path:
    place = (
        user_cache() / "stores" / kind / hashlib.blake2b(what.encode(), digest_size=8).hexdigest()
    )
    place.parent.mkdir(parents=True, exist_ok=True)
    return place


def _note_use(copy: Path) -> None:
    """Say that the copy is in use, and until when: as long as this process lives."""
    copy.mkdir(parents=True, exist_ok=True)
    (copy / _USED).write_text(str(time.time()), encoding="ascii")
    handle = lease.share(copy / _USED)
    if handle is not None:
        _reading.append(handle)


def _make_room(copy: Path, wanted: int) -> None:
    """Remove copies that were not used for longest until `wanted` bytes fit. Raises `DataError`
    when they never will.
    """
    limit = cache_limit()
    others = [
        one
        for kind in ("mirror", "unpacked")
        for one in (user_cache() / "stores" / kind).glob("*")
        if one.is_dir() and one != copy
    ]
    sizes = {one: _size(one) for one in others}
    for one in sorted(others, key=_last_used):
        if sum(sizes.values()) + wanted <= limit:
            break
        if not lease.held(one / _USED):
            shutil.rmtree(one, ignore_errors=True)
            del sizes[one]
    if sum(sizes.values()) + wanted > limit:
        raise DataError(
            f"the store holds {wanted / 1e9:.1f} GB, and copies may take {limit / 1e9:.1f} GB on "
            f"this machine ({sum(sizes.values()) / 1e9:.1f} GB are in use): set {CACHE_SIZE} to a "
            f"larger size, or name a smaller part"
        )


def _last_used(copy: Path) -> float:
    try:
        return (copy / _USED).stat().st_mtime
    except OSError:
        return 0.0


def _size(copy: Path) -> int:
    return sum(
        path.lstat().st_size for path in copy.rglob("*") if path.is_file() and not path.is_symlink()
    )
