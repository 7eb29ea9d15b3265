"""Data that is packed: tar shards (WebDataset's form) and Parquet files with the bytes of files
(the hub's form), unpacked into a folder before anybody looks.

Packed data may come from anybody. A name that leads out of the folder, a link, a device, a name
that is there twice, and more bytes than are allowed end the unpacking with the member's name, and
nothing of it is left.
"""

from __future__ import annotations

import lzma
import re
import shutil
import tarfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Self

from editgauge.errors import DataError
from editgauge.images import MAX_FILE_BYTES, free_memory, memory_limit
from editgauge.store import paths

TARS = (".tar", ".tar.gz", ".tgz")
PARQUET = ".parquet"
MOST_FILES = 10_000_000
_FILE = re.compile(r'STRUCT\((?=.*"?bytes"? BLOB)(?=.*"?path"? VARCHAR)')
_ROWS = 256
"""Rows of a Parquet file that are asked for at once, at most."""
_HELD = 1 << 26
"""Bytes of files that are asked for at once; a file that is larger comes alone."""
_DAMAGE = (tarfile.TarError, EOFError, zlib.error, lzma.LZMAError, ValueError, ArithmeticError)
"""What `tarfile` and the decompressors raise at bytes that are none of theirs."""


def packed(names: Sequence[str]) -> bool:
    """Whether names are those of packed data: shards, and nothing else but notes beside them."""
    others = [name for name in names if not name.endswith((*TARS, PARQUET))]
    notes = [name for name in others if name.lower().endswith((".md", ".txt"))]
    hidden = [name for name in others if Path(name).name.startswith(".")]
    return len(others) < len(names) and set(others) <= {*notes, *hidden}


def unpack(shards: Sequence[Path], target: Path, *, limit: int) -> int:
    """Unpack shards into the new folder `target`; returns the bytes. Raises `DataError` with the
    shard and the member for what may not be there, or is damaged; then `target` is not there.
    """
    target.mkdir(parents=True)
    room = _Room(target, limit)
    try:
        for shard in sorted(shards):
            if shard.name.endswith(PARQUET):
                _parquet(shard, room)
            else:
                _tar(shard, room)
    except BaseException:
        shutil.rmtree(target, ignore_errors=True)
        raise
    return room.used


class _Room:
    """The folder that is filled, and what it may still take."""

    def __init__(self, target: Path, limit: int) -> None:
        self.target = target
        self._limit = limit
        self._files = 0
        self.used = 0

    def place(self, shard: Path, name: str, size: int) -> Path:
        """Where a file goes that is about to be written."""
        name = name.removeprefix("./")
        why = paths.misplaced(name)
        self._files += 1
        self.used += size
        if why is None and (self.used > self._limit or size > MAX_FILE_BYTES):
            why = f"more than {min(self._limit, MAX_FILE_BYTES):,} bytes"
        if why is None and self._files > MOST_FILES:
            why = f"more than {MOST_FILES:,} files"
        place = self.target / name if why is None else self.target
        if why is None and place.exists():
            why = "is there twice"
        if why is not None:
            raise DataError(f"{shard.name}: {name[:200]!a}: {why}; nothing is unpacked")
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise DataError(f"{shard.name}: {name!a}: lies below what is a file") from None
        return place


class _Member(tarfile.TarInfo):
    """A damaged header is an error, and not the end of the archive, as `tarfile` takes it."""

    @classmethod
    def fromtarfile(cls, archive: tarfile.TarFile) -> Self:
        try:
            return super().fromtarfile(archive)
        except tarfile.InvalidHeaderError as error:  # type: ignore[attr-defined]
            raise tarfile.ReadError(str(error)) from error


def _tar(shard: Path, room: _Room) -> None:
    try:
        with tarfile.open(shard, "r:*", tarinfo=_Member) as archive:
            for member in archive:
                if member.isdir():
                    continue
                if not member.isreg() or member.issparse():
                    raise DataError(
                        f"{shard.name}: {member.name[:200]!a}: no regular file (a link, a device "
                        f"or a file with holes); nothing is unpacked"
                    )
                place = room.place(shard, member.name, member.size)
                member.name = place.relative_to(room.target).as_posix()
                archive.extract(member, room.target, set_attrs=False, filter="data")
    except (*_DAMAGE, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # the disk's, not the file's
        raise DataError(
            f"{shard.name}: no tar file that can be read ({error}); fetch it again"
        ) from error


def _parquet(shard: Path, room: _Room) -> None:
    """The files in columns of the kind {bytes, path}, and in columns `bytes` and `path`.

    Some kilobytes of a dictionary stand for gigabytes: lengths are asked first, which costs little,
    and then as many rows as are not too long together.
    """
    import duckdb

    config = {"threads": 1, "memory_limit": f"{free_memory() >> 20}MB"}
    try:
        with duckdb.connect(config=config) as db:
            found = db.execute("DESCRIBE SELECT * FROM read_parquet(?)", [str(shard)]).fetchall()
            cells = _cells(shard, {str(name): str(kind) for name, kind, *_ in found})
            length = " + ".join(f"coalesce(octet_length(({one}).bytes), 0)" for one in cells)
            query = f"SELECT {length} AS length FROM read_parquet(?)"
            for first, last in _ranges(db.execute(query, [str(shard)]).fetchnumpy()["length"]):
                part = db.execute(
                    f"SELECT {', '.join(cells)} FROM read_parquet(?, file_row_number = true) "
                    f"WHERE file_row_number BETWEEN ? AND ?",
                    [str(shard), first, last],
                )
                for row in part.fetchall():
                    _put_cells(shard, room, row)
    except (MemoryError, duckdb.OutOfMemoryException) as error:
        raise DataError(
            f"{shard.name}: takes more than {memory_limit() >> 20:,} MB to unpack; raise the limit "
            f"with EDITGAUGE_MEMORY"
        ) from error
    except duckdb.Error as error:
        said = str(error).splitlines()[0][:300]
        raise DataError(f"{shard.name}: no Parquet file that can be read ({said})") from error


def _put_cells(shard: Path, room: _Room, row: Sequence[object]) -> None:
    for cell in row:
        if not isinstance(cell, dict) or cell["bytes"] is None:
            continue
        if not isinstance(cell["path"], str) or not isinstance(cell["bytes"], bytes):
            raise DataError(f"{shard.name}: a file without a path, or without bytes")
        room.place(shard, cell["path"], len(cell["bytes"])).write_bytes(cell["bytes"])


def _cells(shard: Path, kinds: Mapping[str, str]) -> list[str]:
    """The expressions of SQL that give a file each, {bytes, path}."""
    wanted = [name for name, kind in kinds.items() if _FILE.match(kind)]
    if wanted:
        return ['"' + name.replace('"', '""') + '"' for name in wanted]
    if {"bytes", "path"} <= kinds.keys():
        return ["{'bytes': bytes, 'path': path}"]
    raise DataError(
        f"{shard.name}: wanted a column with the bytes and the path of files, found "
        f"{', '.join(kinds)[:300]}"
    )


def _ranges(lengths: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The first and last rows of parts that are held at once."""
    first = held = 0
    for row, length in enumerate(lengths):
        if row > first and (held + length > _HELD or row - first >= _ROWS):
            yield first, row - 1
            first, held = row, 0
        held += int(length)
    if len(lengths):
        yield first, len(lengths) - 1
