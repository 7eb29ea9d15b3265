"""Data of a report as scripts: each hands one JSON value to one function."""

from __future__ import annotations

import base64
import math
from pathlib import Path
from typing import Any

import orjson
from numpy.typing import NDArray

from editgauge.images import write_bytes


def write_script(path: Path, key: str, value: Any) -> None:
    """A data file: one call with a key and one JSON value; every ``<`` is escaped."""
    data = orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS | orjson.OPT_SERIALIZE_NUMPY)
    for odd, escaped in ((b"<", b"\\u003c"), ("\u2028", b"\\u2028"), ("\u2029", b"\\u2029")):
        data = data.replace(odd if isinstance(odd, bytes) else odd.encode(), escaped)
    write_bytes(path, b"EG.take(" + orjson.dumps(key) + b"," + data + b");\n")


def number(text: str) -> float:
    """A label as a number; NaN for one that is none."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def packed(values: NDArray[Any]) -> str:
    """An array as base64 of its numbers."""
    return base64.b64encode(values.tobytes()).decode()
