"""Pictures that are copied into a report, and thumbnails of those that may be damaged."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pytest
from PIL import Image

from editgauge.images import write_png
from editgauge.reports.pictures import COPIED_SIDE, Pictures, make_thumbnails
from editgauge.store.run import Run
from editgauge.tables import reading
from tests.made_rows import row


def copies(run: Run, to: Path, *places: str) -> list[Path]:
    to.mkdir(exist_ok=True)
    pictures = Pictures([run], to, copied=True)
    made = [to / unquote(str(pictures.url(place))) for place in places]
    pictures.close()
    return made


def test_a_large_picture_is_copied_smaller_and_a_small_one_as_it_is(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run")
    for name, width in (("large", 2 * COPIED_SIDE), ("small", 40)):
        write_png(run.path / "inputs" / f"{name}.png", np.zeros((30, width, 3), np.uint8))
    small, large = copies(run, tmp_path / "report", "inputs/small.png", "inputs/large.png")
    with Image.open(large) as copied:
        assert copied.size == (COPIED_SIDE, 15)
    assert small.read_bytes() == (run.path / "inputs/small.png").read_bytes()


def test_a_damaged_or_too_large_picture_costs_no_other_its_thumbnail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run.create(tmp_path / "run")
    records = [{"id": str(n), "images": [f"inputs/mini/{n}.png"]} for n in range(5)]
    for number in range(5):
        side = 300 if number == 0 else 48
        write_png(run.path / f"inputs/mini/{number}.png", np.zeros((side, side, 3), np.uint8))
    (run.path / "inputs/mini/3.png").write_bytes(b"no picture")
    run.write_samples("mini", records)
    run.put([row("1", "m", "VC", 1.0)])
    run = Run.open(run.path)
    pictures, frame = Pictures([run], tmp_path), reading.of_runs([run], "mini")
    monkeypatch.setenv("EDITGAUGE_MAX_PIXELS", "10_000")
    assert make_thumbnails(frame, pictures, tmp_path / "t") == 3
    monkeypatch.delenv("EDITGAUGE_MAX_PIXELS")
    assert make_thumbnails(frame, pictures, tmp_path / "t") == 1, "those that are there are kept"
    there = sorted(path.name for path in (tmp_path / "t" / "input").iterdir())
    assert there == ["0.webp", "1.webp", "2.webp", "4.webp"]
    pictures.close()
