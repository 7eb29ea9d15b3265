"""What a report needs besides tables: its thumbnails on processes."""

from __future__ import annotations

from pathlib import Path

import pytest

from editgauge.images import write_png
from editgauge.reports import thumbs
from editgauge.run.report import thumbnails_on
from editgauge.testing import make_picture


@pytest.mark.slow
def test_thumbnails_on_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two processes are started; one of five files is no picture."""
    monkeypatch.setattr(thumbs, "_BATCH", 2)
    jobs = []
    for number in range(5):
        source = tmp_path / f"{number}.png"
        write_png(source, make_picture((64, 48), seed=number))
        jobs.append((str(source), str(tmp_path / "thumbs" / f"{number}.webp")))
    Path(jobs[3][0]).write_bytes(b"no picture")
    told: list[tuple[int, int, str]] = []
    made = thumbs.make(
        iter(jobs), spread=thumbnails_on(2), progress=lambda *words: told.append(words)
    )
    assert made == 4
    assert told[-1] == (5, 5, "thumbnails")
    assert [Path(target).is_file() for _, target in jobs] == [True, True, True, False, True]


def test_few_thumbnails_start_no_process() -> None:
    assert thumbnails_on(1) is thumbs.here
