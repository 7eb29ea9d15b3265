"""Reads the released files."""

from __future__ import annotations

from pathlib import Path

from editgauge.benchmarks.base import Samples
from editgauge.errors import DataError


def load(root: Path | None, *, split: str | None = None) -> Samples:
    raise DataError(f"{root}: this loader lands within the hour (split {split!r})")
