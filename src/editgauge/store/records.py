"""Records as text: values as JSON, and their checksums."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

_DEEPEST = 60


def mark(table: str, *values: str | int | float | None) -> int:
    """The checksum (CRC-32) of a table's name and a record's columns, in their order."""
    return zlib.crc32(orjson.dumps((table, *values)))


def stands(table: str, record: Sequence[Any]) -> bool:
    """Whether a record that was read, its checksum last, is what was written into this table."""
    try:
        return bool(mark(table, *record[:-1]) == record[-1])
    except (TypeError, ValueError):
        return False


def json(value: Any) -> str:
    """A value as JSON text. What JSON cannot hold comes from outside: it is written as far as it
    can be.
    """
    try:
        return orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY).decode()
    except TypeError:
        return orjson.dumps(_storable(value, _DEEPEST)).decode()


def parsed(text: Any) -> dict[str, Any]:
    """The object in a column of JSON. Raises `ValueError` when it is none."""
    value = orjson.loads(text)
    if not isinstance(value, dict):
        raise ValueError("wanted an object")
    return value


def known(text: str | None) -> dict[str, Any]:
    """The object in a column of JSON; {} for what is none (a run may come from anybody)."""
    try:
        return parsed(text or "{}")
    except ValueError:
        return {}


def ordered(value: Any) -> bytes:
    """A value as JSON with the names of its objects in order, to be hashed."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS, default=str)
    except TypeError:
        return orjson.dumps(_storable(value, _DEEPEST), option=orjson.OPT_SORT_KEYS)


def plain(text: str) -> str:
    """`text` as UTF-8 can hold it: lone surrogates escaped."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


def _storable(value: Any, depth: int) -> Any:
    """A value as JSON can hold it: integers of more than 64 bits and things of other kinds as text,
    nothing deeper than `depth`.
    """
    if isinstance(value, str):
        return plain(value)
    if isinstance(value, bool) or value is None or isinstance(value, float):
        return value
    if isinstance(value, int):
        return value if -(1 << 63) <= value < 1 << 63 else str(value)
    if depth <= 0:
        return "…"
    if isinstance(value, Mapping):
        return {plain(str(key)): _storable(part, depth - 1) for key, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_storable(part, depth - 1) for part in value]
    return _storable(value.tolist(), depth) if hasattr(value, "dtype") else plain(str(value))
