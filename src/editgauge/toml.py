"""TOML from outside, read without surprises."""

from __future__ import annotations

import tomllib
from typing import Any


def parsed(text: str) -> dict[str, Any]:
    """The tables of a TOML text. Raises `ValueError` for what is none, and for one that is nested
    deeper than Python can follow (a hundred brackets are enough for nobody's settings).
    """
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
