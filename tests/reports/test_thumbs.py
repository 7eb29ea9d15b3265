"""Thumbnails of pictures that a process may not hold."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from editgauge.images import write_png
from editgauge.reports import thumbs


def test_a_picture_over_the_memory_limit_gets_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_png(tmp_path / "large.png", np.zeros((300, 300, 3), np.uint8))
    jobs = [(str(tmp_path / "large.png"), str(tmp_path / "0.webp"))]
    monkeypatch.setenv("EDITGAUGE_MEMORY", "1MB")
    assert thumbs.make(iter(jobs)) == 0
    monkeypatch.setenv("EDITGAUGE_MEMORY", "1GB")
    assert thumbs.make(iter(jobs)) == 1
