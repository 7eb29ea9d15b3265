"""Records of an SQLite file read page by page, without the tree above them: a damaged page costs
its own records, and no others. Whether a record is what was written, its checksum tells.

The format: https://www.sqlite.org/fileformat2.html#b_tree_pages
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, NamedTuple

from editgauge.store.journal import PAGE

_TABLE_LEAF = 13
_HEADER = 8
_SIZES = (0, 1, 2, 3, 4, 6, 8, 8, 0, 0)
"""Bytes of a value of each kind up to 9; longer kinds are blobs (even) and texts (odd)."""
_REAL, _ZERO, _ONE, _FIRST_LONG = 7, 8, 9, 12
_LONGEST_LOCAL = PAGE - 35
"""Bytes of the longest record that lies on one page; of a longer one a part lies on others."""
_SHORTEST_LOCAL = (PAGE - 12) * 32 // 255 - 23
_FAULTS = (IndexError, struct.error, UnicodeDecodeError, ValueError)


class Leaf(NamedTuple):
    """A record with its row id: values as SQLite has stored them."""

    row: int
    values: tuple[Any, ...]


def records(data: bytes) -> Iterator[Leaf]:
    """Every record of a table that can be read, with those that are no longer part of one."""
    for start in range(0, len(data) - PAGE + 1, PAGE):
        page = data[start : start + PAGE]
        if page[0] != _TABLE_LEAF:
            continue
        cells = min(int.from_bytes(page[3:5]), (PAGE - _HEADER) // 2)
        for place in range(_HEADER, _HEADER + 2 * cells, 2):
            try:
                yield _record(data, page, int.from_bytes(page[place : place + 2]))
            except _FAULTS:
                continue


def _record(data: bytes, page: bytes, at: int) -> Leaf:
    length, at = _number(page, at)
    row, at = _number(page, at)
    local = length
    if length > _LONGEST_LOCAL:
        local = _SHORTEST_LOCAL + (length - _SHORTEST_LOCAL) % (PAGE - 4)
        if local > _LONGEST_LOCAL:
            local = _SHORTEST_LOCAL
    payload = page[at : at + local]
    if local < length:
        following = int.from_bytes(page[at + local : at + local + 4])
        payload += _overflow(data, following, length - local)
    if len(payload) != length:
        raise ValueError("a part is not there")
    return Leaf(row, tuple(_values(payload)))


def _overflow(data: bytes, page: int, length: int) -> bytes:
    """The rest of a record on other pages, each of which names the next one."""
    parts, left = [], min(length, len(data))
    while left > 0 and page > 0:
        start = (page - 1) * PAGE
        part = data[start + 4 : start + PAGE][:left]
        page = int.from_bytes(data[start : start + 4])
        if not part:
            break
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def _values(payload: bytes) -> Iterator[Any]:
    end, at = _number(payload, 0)
    kinds = []
    while at < end:
        kind, at = _number(payload, at)
        kinds.append(kind)
    for kind in kinds:
        size = _SIZES[kind] if kind < _FIRST_LONG else (kind - _FIRST_LONG) // 2
        part = payload[end : end + size]
        if len(part) != size:
            raise ValueError("a value is not there")
        end += size
        yield _value(kind, part)


def _value(kind: int, part: bytes) -> Any:
    if kind == 0:
        return None
    if kind == _REAL:
        return struct.unpack(">d", part)[0]
    if kind in (_ZERO, _ONE):
        return kind - _ZERO
    if kind < _REAL:
        return int.from_bytes(part, signed=True)
    return part.decode() if kind % 2 else part


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A number of one to nine bytes, and where it ends."""
    value = 0
    for place in range(at, at + 8):
        value = value << 7 | data[place] & 127
        if data[place] < 128:
            return value, place + 1
    value = value << 8 | data[at + 8]
    return value - (value >> 63 << 64), at + 9
