"""A bit that flips in a picture of a finished run, while its size and time stay as they were: no
number is shown beside another picture than the one it was computed from.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from editgauge.evaluation import Evaluation
from editgauge.reports import grids, site
from editgauge.reports.parts import part
from editgauge.store import examine
from editgauge.store.run_folder import RunFolder

SAMPLES = ["replace-01", "replace-03"]


def flip(path: Path) -> None:
    """Flip one bit in the middle of a file, and put its time back."""
    before = path.stat()
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 4
    path.write_bytes(data)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size


def pictures(run: RunFolder) -> dict[str, Path]:
    """An output, a reference and an input of one sample."""
    (record,) = [r for r in run.samples("mini") if r["id"] == SAMPLES[0]]
    (edit,) = [e for e in run.edits("mini") if e.sample == SAMPLES[0]]
    assert edit.path is not None
    places = {"output": edit.path, "reference": record["reference"], "input": record["images"][0]}
    return {name: run.path / place for name, place in places.items()}


@pytest.fixture
def scored(tmp_path: Path) -> Evaluation:
    evaluation = Evaluation("mini", run=tmp_path / "run", samples=SAMPLES)
    evaluation.edit("copy")
    for path in (evaluation.run / "edits").rglob("*.png"):
        os.utime(path, (1e9, 1e9))  # hashes of files that are a second old are not remembered
    evaluation.score(tracks=["pixel"])
    evaluation.folder.parquet()
    return evaluation


@pytest.mark.parametrize("kind", ["output", "reference", "input"])
def test_check_run_names_the_picture(scored: Evaluation, kind: str) -> None:
    path = pictures(scored.folder)[kind]
    assert examine.examine(scored.folder) == []
    flip(path)
    (damage,) = examine.examine(scored.folder)
    assert damage.place == path.relative_to(scored.run).as_posix()
    assert damage.by_hand


@pytest.mark.parametrize("kind", ["output", "reference", "input"])
def test_the_report_does_not_show_it(scored: Evaluation, kind: str, tmp_path: Path) -> None:
    path = pictures(scored.folder)[kind]
    place = path.relative_to(scored.run).as_posix()
    flip(path)
    for number in range(2):  # also when the report was there before
        run = RunFolder.open(scored.run)
        site.build(
            [run],
            [part([run], "mini", published=False, intervals=False)],
            tmp_path / "report",
            copy_images=True,
        )
        assert [text for text in run.problems if text.startswith(place)], number
        assert not (tmp_path / "report" / "pictures" / place).exists()
    (line,) = grids.lines(
        [run], part([run], "mini", published=False, intervals=False).frame, [SAMPLES[0]]
    )
    assert path not in [panel.picture for panel in line.panels]


def test_a_report_sees_what_changed_after_the_first_one(scored: Evaluation, tmp_path: Path) -> None:
    path = pictures(scored.folder)["output"]
    for number in range(2):
        run = RunFolder.open(scored.run)
        site.build(
            [run], [part([run], "mini", published=False, intervals=False)], scored.run / "report"
        )
        assert bool(run.problems) == bool(number)
        path.write_bytes(pictures(scored.folder)["reference"].read_bytes())


def test_score_does_not_score_another_picture(scored: Evaluation) -> None:
    """Its hash is remembered by size and time, which have not changed."""
    path = pictures(scored.folder)["output"]
    before = {(r.metric, r.sample, r.variant): r.value for r in scored.folder.rows()}
    flip(path)
    for segment in (scored.run / "rows" / "segments").iterdir():
        segment.unlink()  # all is to be scored again
    said = Evaluation("mini", run=scored.run, samples=SAMPLES).score(tracks=["pixel"])
    place = path.relative_to(scored.run).as_posix()
    assert [text for text in said.problems if text.startswith(f"{place}: its bytes")]
    rows = RunFolder.open(scored.run).rows()
    assert {row.sample for row in rows} == {SAMPLES[1]}
    assert {(r.metric, r.sample, r.variant): r.value for r in rows}.items() <= before.items()
