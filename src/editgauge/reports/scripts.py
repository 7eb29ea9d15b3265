"""Data of a report as scripts: each hands one JSON value to one function."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from editgauge.images import write_bytes


def write_script(path: Path, key: str, value: Any) -> None:
    """A data file: one call with a key and one JSON value. Every ``<`` is escaped, although no
    markup ever reads it.
    """
    data = orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS | orjson.OPT_SERIALIZE_NUMPY)
    data = (
        data.replace(b"<", b"\\u003c")
        .replace(b"\xe2\x80\xa8", b"\\u2028")
        .replace(b"\xe2\x80\xa9", b"\\u2029")
    )
    write_bytes(path, b"EG.take(" + orjson.dumps(key) + b"," + data + b");\n")


def as_floats(values: NDArray[np.float64]) -> str:
    """Little-endian 32-bit floats in base64; NaN where there is no score. The exact value is in the
    detail shard.
    """
    return base64.b64encode(np.ascontiguousarray(values, dtype="<f4").tobytes()).decode()


def as_bytes(values: NDArray[Any]) -> str:
    """An array's own bytes in base64; the page knows their type."""
    return base64.b64encode(np.ascontiguousarray(values).tobytes()).decode()
