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
    jobs = [(tmp_path / "large.png", tmp_path / "0.webp")]
    monkeypatch.setenv("EDITGAUGE_MEMORY", "1MB")
    assert thumbs.make(iter(jobs)) == 0
    monkeypatch.setenv("EDITGAUGE_MEMORY", "1GB")
    assert thumbs.make(iter(jobs)) == 1


def test_a_file_that_is_no_picture_costs_no_other_its_thumbnail(tmp_path: Path) -> None:
    jobs = [(tmp_path / f"{n}.png", tmp_path / "thumbs" / f"{n}.webp") for n in range(5)]
    for source, _ in jobs:
        write_png(source, np.zeros((48, 64, 3), np.uint8))
    jobs[3][0].write_bytes(b"no picture")
    told: list[tuple[int, int, str]] = []
    made = thumbs.make(iter(jobs), workers=2, progress=lambda *words: told.append(words))
    assert made == 4
    assert told == [(5, 5, "thumbnails")]
    assert [target.is_file() for _, target in jobs] == [True, True, True, False, True]
