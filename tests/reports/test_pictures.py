"""Pictures that are copied into a report, and thumbnails of those that may be damaged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from editgauge.images import write_png
from editgauge.reports.pictures import Pictures, make_thumbnails
from editgauge.store.run import Run
from editgauge.tables import reading
from tests.made_rows import row


def test_a_damaged_or_too_large_picture_costs_no_other_its_thumbnail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run.create(tmp_path / "run")
    for number in range(5):
        side = 300 if number == 0 else 48
        write_png(run.path / f"inputs/mini/{number}.png", np.zeros((side, side, 3), np.uint8))
    (run.path / "inputs/mini/3.png").write_bytes(b"no picture")
    run.write_samples(
        "mini", [{"id": str(n), "images": [f"inputs/mini/{n}.png"]} for n in range(5)]
    )
    run.put([row("1", "m", "VC", 1.0)])
    pictures, frame = Pictures([run], tmp_path), reading.of_runs([run], "mini")
    monkeypatch.setenv("EDITGAUGE_MAX_PIXELS", "10_000")
    assert make_thumbnails(frame, pictures, tmp_path / "t") == 3
    monkeypatch.delenv("EDITGAUGE_MAX_PIXELS")
    assert make_thumbnails(frame, pictures, tmp_path / "t") == 1, "those that are there are kept"
    assert {path.stem for path in (tmp_path / "t" / "input").iterdir()} == {*"0124"}
    pictures.close()
