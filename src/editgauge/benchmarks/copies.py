"""Copies inside a data set: one instance that lies in two places, and would be counted twice."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from editgauge.errors import ImageError
from editgauge.images import fingerprint

T = TypeVar("T")


class Content(NamedTuple):
    """What an instance is made of: the bytes of its record, and its pictures."""

    record: bytes
    pictures: tuple[Path, ...]


def without_line_ends(data: bytes) -> bytes:
    """A record's bytes with each line end (CRLF, CR, LF) as LF, and none at the end."""
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").rstrip(b"\n")


def copies(
    items: Sequence[T],
    content: Callable[[T], Content | None],
    preferred: Callable[[T], tuple[int, ...]],
) -> dict[int, int]:
    """Which items are copies, as positions: copy -> the one that it is a copy of.

    Two are copies where their records are the same after `without_line_ends` and their pictures
    have the same content, whatever the files are called. `content` None: an item that is never a
    copy (its record cannot be read). Of copies the one with the lowest `preferred` is kept, then
    the first. Pictures are read only where records and sizes of pictures are the same.
    """
    alike: dict[Hashable, list[int]] = {}
    contents: dict[int, Content] = {}
    for number, item in enumerate(items):
        found = content(item)
        sizes = _sizes(found.pictures) if found is not None else None
        if found is None or sizes is None or not found.record.strip():
            continue
        contents[number] = found
        alike.setdefault((without_line_ends(found.record), sizes), []).append(number)
    left_out: dict[int, int] = {}
    for numbers in alike.values():
        if len(numbers) < 2:
            continue
        same: dict[Hashable, list[int]] = {}
        for number in numbers:
            hashes = _hashes(contents[number].pictures)
            same.setdefault(hashes if hashes is not None else number, []).append(number)
        for group in same.values():
            kept = min(group, key=lambda number: (preferred(items[number]), number))
            left_out |= {number: kept for number in group if number != kept}
    return left_out


def _sizes(paths: Sequence[Path]) -> tuple[int, ...] | None:
    """None where a file is not there or empty: nothing can be told of it."""
    try:
        sizes = sorted(path.stat().st_size for path in paths)
    except OSError:
        return None
    return tuple(sizes) if sizes and sizes[0] else None


def _hashes(paths: Sequence[Path]) -> tuple[str, ...] | None:
    try:
        return tuple(sorted(map(fingerprint, paths)))
    except ImageError:
        return None
