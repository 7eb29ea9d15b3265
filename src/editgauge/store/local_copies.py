"""Data and outputs that lie elsewhere, read through copies of bounded size on this machine.

The copy of an address is brought up to date at each use: what has another size or mark (ETag) there
is fetched again, what is gone there goes here. When the copies of all addresses together would pass
the limit, those that were not used for longest are removed; one that a process reads from is not.
Packed data (`store.shards`) are unpacked once.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

import orjson

from editgauge.errors import DataError
from editgauge.images import memory_size
from editgauge.store import lease, paths, shards
from editgauge.store.addresses import Entry, Store, address_of, at_once, mark_of, opened, user_cache

CACHE_SIZE = "EDITGAUGE_STORE_CACHE"
DEFAULT_CACHE = "50GB"
_USE = "use"
_INDEX = ".index.json"
_reading = ExitStack()
"""Shared locks on the copies that this process reads from; held until it ends."""


def local_folder(place: Path | None) -> Path | None:
    """The folder of this machine that holds what `place` names: itself, or a copy of an address, or
    what a tar or Parquet file (or a folder of nothing else) holds. None stays None.

    Raises `DataError` when there is nothing, when it does not fit the cache, or when it is packed
    and damaged; `DownloadError` when the store does not answer.
    """
    address = address_of(place)
    if address is not None:
        place = _mirrored(opened(address))
    if place is None:
        return None
    packed = [place] if place.is_file() else []
    if place.is_dir():
        there = [one for one in sorted(place.iterdir()) if not one.name.startswith(".")]
        if all(one.is_file() for one in there) and shards.packed([one.name for one in there]):
            packed = there
    files = [one for one in packed if one.name.endswith((*shards.TARS, shards.PARQUET))]
    return _unpacked(files) if files else place


def cache_limit() -> int:
    """Bytes that copies may take on this machine: `EDITGAUGE_STORE_CACHE`, or 50 GB."""
    return memory_size(os.environ.get(CACHE_SIZE) or DEFAULT_CACHE, CACHE_SIZE)


def _unpacked(files: Sequence[Path]) -> Path:
    told = [(str(f.absolute()), f.stat().st_size, f.stat().st_mtime_ns) for f in files]
    copy = _place("unpacked", repr(told))
    target = copy / files[0].name.partition(".")[0]
    with lease.lock(copy.with_suffix(".lock")):
        if not target.is_dir():
            _make_room(copy, sum(size for _, size, _ in told))
            building = copy / f".building-{os.getpid()}"
            shutil.rmtree(copy, ignore_errors=True)
            _make_room(copy, shards.unpack(files, building, limit=cache_limit()))
            os.replace(building, target)
        _use(copy)
    return target


def _mirrored(store: Store) -> Path:
    """A copy of all files of a store, brought up to date."""
    copy = _place("mirror", store.address)
    target = copy / (store.address.rsplit("/", 1)[-1] or "data")
    with lease.lock(copy.with_suffix(".lock")):
        entries = store.files()
        if not entries:
            raise DataError(f"{store.address}: nothing is there; check the address and your rights")
        _make_room(copy, sum(entry.size for entry in entries))
        _use(copy)
        known = _index(copy)
        for relative in known.keys() - {entry.relative for entry in entries}:
            with suppress(OSError):
                paths.inside(target, relative).unlink()
        stale = [one for one in entries if not _fresh(target, one, known.get(one.relative))]
        at_once(lambda one: store.fetch(one, _door(target, one)), stale)
        index = {entry.relative: [entry.size, entry.version] for entry in entries}
        paths.write(copy, _INDEX, orjson.dumps(index))
    one_file = len(entries) == 1 and entries[0].name == store.base
    return target / entries[0].relative if one_file else target


def _door(target: Path, entry: Entry) -> Path:
    """Where a file goes: below folders that are no links."""
    folder, _, name = entry.relative.rpartition("/")
    target.mkdir(parents=True, exist_ok=True)
    return paths.folder(target, folder) / name


def _fresh(target: Path, entry: Entry, known: object) -> bool:
    if known != [entry.size, entry.version] or not entry.version:
        return False
    there = paths.fault(target, entry.relative, limit=paths.LARGEST) is None
    return there and (target / entry.relative).stat().st_size == entry.size


def _index(copy: Path) -> dict[str, list[object]]:
    try:
        index = orjson.loads(paths.read(copy / _INDEX))
    except (OSError, ValueError):
        return {}
    return index if isinstance(index, dict) else {}


# -- the bound -------------------------------------------------------------------------------------


def _place(kind: str, what: str) -> Path:
    place = user_cache() / "stores" / kind / mark_of(what)
    place.parent.mkdir(parents=True, exist_ok=True)
    return place


def _use(copy: Path) -> None:
    """Say that the copy is in use for as long as this process lives."""
    copy.mkdir(parents=True, exist_ok=True)
    os.utime(copy)
    _reading.enter_context(lease.shared(copy, _USE))


def _make_room(copy: Path, wanted: int) -> None:
    """Remove copies that were not used for longest until `wanted` bytes fit. Raises `DataError`
    when they never will.
    """
    limit = cache_limit()
    others = [one for one in copy.parents[1].glob("*/*") if one.is_dir() and one != copy]
    sizes = {one: _size(one) for one in others}
    for one in sorted(others, key=lambda other: other.stat().st_mtime):
        if sum(sizes.values()) + wanted <= limit:
            return
        with lease.alone(one, _USE) as unused:
            if unused:
                shutil.rmtree(one, ignore_errors=True)
                del sizes[one]
    if sum(sizes.values()) + wanted > limit:
        raise DataError(
            f"the store holds {wanted / 1e9:.1f} GB, and copies may take {limit / 1e9:.1f} GB on "
            f"this machine ({sum(sizes.values()) / 1e9:.1f} GB are in use): set {CACHE_SIZE} to a "
            f"larger size, or name a smaller part"
        )


def _size(copy: Path) -> int:
    return sum(
        path.lstat().st_size for path in copy.rglob("*") if path.is_file() and not path.is_symlink()
    )
