"""Pictures that are copied into a report."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from editgauge.images import write_png
from editgauge.reports.places import COPIED_SIDE, Places
from editgauge.store.run import Run


def test_a_large_picture_is_copied_smaller_and_a_small_one_as_it_is(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run")
    for name, width in (("large", 2 * COPIED_SIDE), ("small", 40)):
        pixels = np.zeros((30, width, 3), np.uint8)
        write_png(run.path / "inputs" / f"{name}.png", pixels)
    to = tmp_path / "report"
    to.mkdir()
    places = Places([run], to, copied=True)
    assert places.url("inputs/small.png") == "pictures/inputs/small.png"
    assert places.url("inputs/large.png") == "pictures/inputs/large.png.jpg"
    places.close()
    with Image.open(to / "pictures/inputs/large.png.jpg") as copied:
        assert copied.size == (COPIED_SIDE, 15)
    source = (run.path / "inputs/small.png").read_bytes()
    assert (to / "pictures/inputs/small.png").read_bytes() == source
