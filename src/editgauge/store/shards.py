"""Data that is packed: tar shards (WebDataset's form) and Parquet files with the bytes of files
(the hub's form), unpacked into a folder before anybody looks.

Packed data may come from anybody. A name that leads out of the folder, a link, a device, a name
that is there twice, and more bytes than are allowed end the unpacking with the member's name, and
nothing of it is left.
"""

from __future__ import annotations

import contextlib
import lzma
import re
import shutil
import tarfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Self

from editgauge.errors import DataError
from editgauge.images import MAX_FILE_BYTES, free_memory, limited_memory, memory_limit
from editgauge.store import paths

TARS = (".tar", ".tar.gz", ".tgz")
PARQUET = ".parquet"
MOST_FILES = 10_000_000
_CHUNK = 1 << 20
_FILE = re.compile(r'STRUCT\((?=.*"?bytes"? BLOB)(?=.*"?path"? VARCHAR)')
_LONGEST_FACTS = 1 << 13
"""Bytes of what a tar file says of a member beside its name, or of all of them. `tarfile` takes
time with the square of a run of digits in it: 2 s for 64 kB.
"""
_HELD = 1 << 26
"""Bytes of files that are asked of a Parquet file at once, at most; a file that is larger comes
alone.
"""
_ROWS = 4096
"""Rows that are asked at once: most may hold no file."""


def packed(names: Sequence[str]) -> bool:
    """Whether names are those of packed data: shards, and nothing else but notes beside them."""
    shards = [name for name in names if name.endswith((*TARS, PARQUET))]
    others = [
        name for name in names if name not in shards and not name.lower().endswith((".md", ".txt"))
    ]
    return bool(shards) and not [name for name in others if not Path(name).name.startswith(".")]


def unpack(shards: Sequence[Path], target: Path, *, limit: int) -> int:
    """Unpack shards into the new folder `target`; returns the bytes. Raises `DataError` with the
    shard and the member for what may not be there, or is damaged; then `target` is not there.
    """
    target.mkdir(parents=True)
    room = _Room(target, limit)
    try:
        for shard in sorted(shards):
            members = _parquet(shard) if shard.name.endswith(PARQUET) else _tar(shard)
            for name, content in members:
                room.put(shard.name, name, content)
    except BaseException:
        shutil.rmtree(target, ignore_errors=True)
        raise
    return room.used


class _Room:
    def __init__(self, target: Path, limit: int) -> None:
        self._target = target
        self._limit = limit
        self._files = 0
        self.used = 0

    def put(self, shard: str, name: str, content: Iterator[bytes]) -> None:
        name = name.removeprefix("./")
        why = paths.misplaced(name)
        if why:
            raise DataError(f"{shard}: {name[:200]!a}: {why}; nothing is unpacked")
        self._files += 1
        if self._files > MOST_FILES:
            raise DataError(f"{shard}: more than {MOST_FILES:,} files; nothing is unpacked")
        place, size = self._target / name, 0
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise DataError(f"{shard}: {name!a}: lies below what is a file") from None
        try:
            with place.open("xb") as file:
                for data in content:
                    size += len(data)
                    self.used += len(data)
                    if self.used > self._limit or size > MAX_FILE_BYTES:
                        raise DataError(
                            f"{shard}: {name!a}: more than {min(self._limit, MAX_FILE_BYTES):,} "
                            f"bytes; nothing is unpacked"
                        )
                    file.write(data)
        except FileExistsError:
            raise DataError(f"{shard}: {name!a}: is there twice; nothing is unpacked") from None


def _tar(shard: Path) -> Iterator[tuple[str, Iterator[bytes]]]:
    with (
        limited_memory(),
        _named_tar(shard),
        tarfile.open(shard, "r|*", tarinfo=_members()) as archive,
    ):
        for number, member in enumerate(archive):
            # all that it has seen
            archive.members.clear()  # type: ignore[attr-defined]
            if number > MOST_FILES:
                raise DataError(f"{shard.name}: more than {MOST_FILES:,} members")
            if member.isdir():
                continue
            if not member.isreg() or member.issparse():
                raise DataError(
                    f"{shard.name}: {member.name[:200]!a}: no regular file (a link, a device or a "
                    f"file with holes); nothing is unpacked"
                )
            if not 0 <= member.size <= MAX_FILE_BYTES:
                raise DataError(
                    f"{shard.name}: {member.name[:200]!a}: more than {MAX_FILE_BYTES:,} bytes; "
                    f"nothing is unpacked"
                )
            content = archive.extractfile(member)
            assert content is not None
            yield member.name, _chunks(shard, content, member.size)


_LONG = frozenset((*b"LKxgX",))
"""The types of members that hold a name, a link or facts of those that follow."""


def _members() -> type[tarfile.TarInfo]:
    """How the members of one archive are read: `tarfile` takes their long names and facts into
    memory, whatever their length, keeps those of all, and calls itself for each.
    """
    held, in_a_row = 0, 0

    class Member(tarfile.TarInfo):
        @classmethod
        def fromtarfile(cls, archive: tarfile.TarFile) -> Self:
            try:
                return super().fromtarfile(archive)
            except tarfile.InvalidHeaderError as error:  # type: ignore[attr-defined]
                # it would pass for the archive's end
                raise tarfile.ReadError(str(error)) from error

        def _proc_member(self, archive: tarfile.TarFile) -> tarfile.TarInfo:
            nonlocal held, in_a_row
            long = self.type[0] in _LONG
            in_a_row = in_a_row + 1 if long else 0
            held += self.size if self.type == tarfile.XGLTYPE else 0
            if self.type == tarfile.GNUTYPE_SPARSE:
                raise tarfile.ReadError("a file with holes")
            if self.size < 0 or (long and max(self.size, held) > _LONGEST_FACTS) or in_a_row > 8:
                raise tarfile.ReadError("a name, or facts of a member, that are too long")
            found: tarfile.TarInfo = super()._proc_member(archive)  # type: ignore[misc]
            return found

    return Member


def _chunks(shard: Path, content: IO[bytes], size: int) -> Iterator[bytes]:
    left = size
    while left:
        with _named_tar(shard):
            data = content.read(min(_CHUNK, left))
            if not data:
                raise tarfile.ReadError("it ends in the middle of a file")
        left -= len(data)
        yield data


def _too_large(shard: Path) -> DataError:
    return DataError(
        f"{shard.name}: takes more than {memory_limit() >> 20:,} MB to unpack; raise the limit "
        f"with --memory or EDITGAUGE_MEMORY"
    )


_DAMAGE = (tarfile.TarError, EOFError, zlib.error, lzma.LZMAError, ValueError, ArithmeticError)
"""What `tarfile` and the decompressors raise at bytes that are none of theirs."""


@contextlib.contextmanager
def _named_tar(shard: Path) -> Iterator[None]:
    """Turn what `tarfile` and the decompressors raise into an error that names the shard."""
    try:
        yield
    except MemoryError as error:
        raise _too_large(shard) from error
    except (*_DAMAGE, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # the disk's, not the file's
        raise DataError(
            f"{shard.name}: no tar file that can be read ({error}); fetch it again"
        ) from error


def _parquet(shard: Path) -> Iterator[tuple[str, Iterator[bytes]]]:
    """The files in columns of the kind {bytes, path}, and in columns `bytes` and `path`.

    Some kilobytes of a dictionary stand for gigabytes: lengths are asked first, which costs little,
    and then as many rows as are not too long together. A page that is packed that tightly is
    unpacked under the limit on memory.
    """
    import duckdb

    try:
        with limited_memory(), duckdb.connect(config={"threads": 1}) as db:
            found = db.execute("DESCRIBE SELECT * FROM read_parquet(?)", [str(shard)]).fetchall()
            cells = _cells(shard, {str(name): str(kind) for name, kind, *_ in found})
            length = " + ".join(
                f"coalesce(octet_length(({cell}).bytes), 0) + coalesce(strlen(({cell}).path), 0)"
                for cell in cells
            )
            rows = db.execute(
                f"SELECT {length} AS length FROM read_parquet(?) LIMIT ?",
                [str(shard), MOST_FILES + 1],
            )
            for first, last in _ranges(rows.fetchnumpy()["length"].tolist()):
                part = db.execute(
                    f"SELECT {', '.join(cells)} FROM read_parquet(?, file_row_number = true) "
                    f"WHERE file_row_number BETWEEN ? AND ?",
                    [str(shard), first, last],
                )
                for cell in (cell for row in part.fetchall() for cell in row if cell is not None):
                    if cell["bytes"] is None:
                        continue
                    if not isinstance(cell["path"], str) or not isinstance(cell["bytes"], bytes):
                        raise DataError(f"{shard.name}: a file without a path, or without bytes")
                    yield cell["path"], iter([cell["bytes"]])
    except (MemoryError, duckdb.OutOfMemoryException) as error:
        raise _too_large(shard) from error
    except duckdb.Error as error:
        said = str(error).splitlines()[0][:300]
        raise DataError(f"{shard.name}: no Parquet file that can be read ({said})") from error


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
    most = min(_HELD, free_memory() // 8)
    first = held = 0
    for row, length in enumerate(lengths):
        if row > first and (held + length > most or row - first >= _ROWS):
            yield first, row - 1
            first, held = row, 0
        held += length
    if lengths:
        yield first, len(lengths) - 1
