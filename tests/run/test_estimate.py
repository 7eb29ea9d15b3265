"""Plans: each number is a measured one times a count, and says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from editgauge.cli.main import run as run_command
from editgauge.errors import UsageError
from editgauge.run.estimate import plan
from editgauge.store.run import Run


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Two commands recorded what scoring took."""
    folder = Run.create(tmp_path / "run")
    for seconds, outputs in ((12.0, 6), (4.0, 4)):
        processor = {"pixel": {"seconds": seconds, "outputs": outputs}}
        folder.record("score", benchmark="mini", processor=processor)
    folder.record("score", benchmark="other", processor={"ocr": {"seconds": 9.0, "outputs": 1}})
    return Run.open(folder.path)


def test_a_plan_is_what_was_measured_times_a_count(run: Run) -> None:
    network = {"lpips": {"seconds": 1.0, "outputs": 4, "gpu_seconds": 0.8}}
    run.record("score", benchmark="mini", processor=network)
    run.record("score", benchmark="mini", processor={"fid": {"seconds": 1e-3, "outputs": 0}})
    made = plan(Run.open(run.path), "mini", editors=5, samples=400, processors=4)
    assert made.processor["pixel"] == (pytest.approx(1.6), 10, 2000)  # (12 + 4) s / (6 + 4) outputs
    assert made.gpu["lpips"] == (pytest.approx(0.2), 4, 2000)
    hours = [(1.6 + 0.25) * 2000 / 3600, 0.2 * 2000 / 3600]
    assert made.hours() == pytest.approx((*hours, 1.6 * 2000 / 3600 / 4 + hours[1]))
    assert made.not_measured == ["fid"], "its weights are missing: its microseconds are no measure"
    told = "\n".join(made.lines())
    assert "fid: not known, it gave no score" in told
    assert "scoring together without fid: 1.03 processor-hours" in told


def test_a_run_without_times_is_an_error(tmp_path: Path) -> None:
    folder = Run.create(tmp_path / "run")
    folder.record("score", benchmark="mini", processor={"pixel": {"seconds": 1.0, "outputs": 0}})
    with pytest.raises(UsageError, match="no recorded times of mini"):
        plan(folder, "mini", editors=1, samples=1)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["textedit", "--editors", "2"], "give DATA"),
        (["mini", "--run", "nowhere", "--tracks", "pixel"], "leave it out"),
        (["mini", "--tracks", "judge"], "command of its own"),
    ],
)
def test_what_cannot_be_planned_is_said(words: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        run_command(["plan", *words])
