"""TOML from outside, read without surprises."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

MOST_BYTES = 1 << 20
_DEEPEST = 100
_KEY_PART = r"""(?>"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+'|[\w-]++)[ \t]*+"""
_LONG_KEY = re.compile(rf"(?<![^\s,{{\[])(?>{_KEY_PART}\.[ \t]*+){{{_DEEPEST}}}")
"""A dotted key of more parts than any settings have: `tomllib` takes their square in time. A quote
that is no beginning of a key is not looked at: each of a line of escaped ones is a beginning of a
string to the end of the line.
"""


def read(path: Path) -> dict[str, Any]:
    """The tables of a TOML file. Raises as `text` and `parsed`."""
    return parsed(text(path))


def text(path: Path) -> str:
    """The text of a file of at most `MOST_BYTES`. Raises `OSError` where it cannot be read, and
    `ValueError` where it is longer, or no UTF-8.
    """
    with path.open("rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise ValueError(f"wanted at most {MOST_BYTES:,} bytes")
    return data.decode("utf-8")


def parsed(text: str) -> dict[str, Any]:
    """The tables of a TOML text. Raises `ValueError` for what is none, for one that is nested
    deeper than Python can follow (a hundred brackets are enough for nobody's settings), and for
    whole numbers of more than 64 bits, which TOML has not.
    """
    if _LONG_KEY.search(text):
        raise ValueError(f"nested too deeply: a key of more than {_DEEPEST} parts")
    try:
        tables = tomllib.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    _check(tables)
    return tables


def _check(tables: dict[str, Any]) -> None:
    waiting: list[tuple[Any, int]] = [(tables, 0)]
    while waiting:
        value, depth = waiting.pop()
        if depth > _DEEPEST:
            raise ValueError(f"nested too deeply: more than {_DEEPEST} tables and lists")
        if isinstance(value, int) and not -(1 << 63) <= value < 1 << 63:
            raise ValueError("a whole number of more than 64 bits")
        parts = value.values() if isinstance(value, dict) else value
        if isinstance(value, dict | list):
            waiting += [(part, depth + 1) for part in parts]
