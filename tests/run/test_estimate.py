"""Plans: each number is a measured one times a count, and says so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from editgauge.cli.main import run as run_command
from editgauge.errors import UsageError
from editgauge.run.estimate import Cluster, Intent, plan
from editgauge.store.run import Run
from editgauge.store.schema import EditRecord
from editgauge.types import Status
from tests.made_rows import row


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Ten outputs of one editor; two commands recorded what scoring them took."""
    folder = Run.create(tmp_path / "run")
    folder.write_samples(
        "mini", [{"id": f"s{n}", "images": ["inputs/mini/x.png"]} for n in range(10)]
    )
    records = [
        EditRecord(
            benchmark="mini",
            sample=f"s{n}",
            editor="e",
            status=Status.SCORED,
            path=f"edits/mini/e/s{n}.png",
        )
        for n in range(10)
    ]
    folder.write_edits(records)
    for record in records:
        place = folder.path / str(record.path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(bytes(1000))
    with folder.writer() as rows:
        rows.write([row(f"s{n}", "e", "m", float(n)) for n in range(10)])
        rows.write([row(f"s{n}", "f", "m", 1.0) for n in range(3)])
    for seconds, outputs in ((12.0, 6), (4.0, 4)):
        processor = {"pixel": {"seconds": seconds, "outputs": outputs}}
        folder.record("score", benchmark="mini", processor=processor)
    folder.record("score", benchmark="other", processor={"ocr": {"seconds": 9.0, "outputs": 1}})
    return Run.open(folder.path)


def test_a_plan_is_what_was_measured_times_a_count(run: Run) -> None:
    made = plan(run, "mini", Intent(editors=5, samples=2000, sample=400, processors=4))
    (share,) = made.processor.values()
    assert (share.measured, share.planned) == (10, 2000)
    assert share.each == pytest.approx(1.6)  # (12 + 4) s / (6 + 4) outputs
    assert made.processor_hours == pytest.approx(1.6 * 2000 / 3600)
    assert made.wall_hours == pytest.approx(made.processor_hours / 4)
    assert made.storage["outputs"].total == 1000 * 2000
    (spread,) = made.spreads
    # 0…9: standard deviation sqrt(82.5 / 9) = 3.0277; 1.96 * 3.0277 / sqrt(400) = 0.2967
    assert (spread.metric, spread.editor, spread.measured) == ("m", "e", 10)
    assert spread.half_width == pytest.approx(0.2967, abs=1e-4)


def test_a_scorer_that_gave_no_score_has_no_time(run: Run) -> None:
    """Its weights are missing: the microseconds it took to say so are no measure of its work."""
    run.record("score", benchmark="mini", processor={"lpips": {"seconds": 1e-3, "outputs": 0}})
    made = plan(Run.open(run.path), "mini", Intent(editors=5, samples=2000, processors=4))
    assert list(made.processor) == ["pixel"]
    assert "  lpips: not known, it gave no score in what was measured" in made.lines()
    assert any(line.startswith("  scoring together without lpips: ") for line in made.lines())
    assert made.as_dict()["not_measured"] == ["lpips"]


@pytest.mark.parametrize("recorded", [{}, {"pixel": 3}, {"pixel": {"seconds": "long", "outputs": 2}},
    {"pixel": {"seconds": 1.0, "outputs": 0}}])  # fmt: skip
def test_a_run_without_times_is_an_error(tmp_path: Path, recorded: object) -> None:
    folder = Run.create(tmp_path / "run")
    folder.record("score", benchmark="mini", processor=recorded)
    with pytest.raises(UsageError, match="no recorded times of mini"):
        plan(folder, "mini", Intent(editors=1, samples=1))


def test_a_short_run_is_measured_once_and_kept(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("editgauge.run.estimate.MEASURED", 2)
    told = []
    for _ in range(2):
        words = ["plan", "mini", "--editors", "7", "--json", "--model", "gpt-4o"]
        run_command(words)
        told.append(json.loads(capsys.readouterr().out))
    assert told[0] == told[1]
    pixel = told[0]["processor_seconds"]["background"]
    assert (pixel["measured_on"], pixel["planned"]) == (2, 7 * told[0]["samples"])
    assert pixel["extrapolated"] == pixel["planned"] / 2
    assert told[0]["intervals"] == [], "scores of copied inputs say nothing of editors"
    calls, dollars = told[0]["judge_calls"], told[0]["judge_dollars"]
    assert calls["each"] >= 1
    assert dollars["total"] == pytest.approx(dollars["each"] * 7 * told[0]["samples"])


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


def test_seconds_of_a_gpu_are_a_part_of_their_own(run: Run) -> None:
    network = {"lpips": {"seconds": 1.0, "outputs": 4, "gpu_seconds": 0.8}}
    run.record("score", benchmark="mini", processor=network)
    folder = Run.open(run.path)
    nodes = Cluster.parse("3x4x2")
    made = plan(
        folder, "mini",
        Intent(editors=5, samples=2000, processors=12, gpus=6, cluster=nodes),
    )  # fmt: skip
    assert made.gpu["lpips"].each == pytest.approx(0.2)  # 0.8 s / 4 outputs
    assert made.gpu_hours == pytest.approx(0.2 * 10_000 / 3600)
    rest = 1.6 * 10_000 / 3600  # the pixel scorer's: LPIPS is on the GPUs
    assert made.wall_hours == pytest.approx(rest / 12 + made.gpu_hours / 6)
    told = list(made.lines())
    assert any("0.556 GPU-hours (0.200 s an output" in line for line in told)
    assert any("on 12 processors and 6 GPUs (3 nodes)" in line for line in told)
    with pytest.raises(UsageError, match="such as 3x4x1"):
        plan(folder, "mini", Intent(editors=5, samples=2000, cluster=Cluster.parse("3x4")))


def test_what_was_measured_without_a_gpu_says_nothing_of_one(run: Run) -> None:
    made = plan(run, "mini", Intent(editors=5, samples=2000))
    assert made.as_dict()["gpu_hours"] is None
    assert "  GPU-hours: not known, what was measured used no GPU" in made.lines()


def test_samples_of_growing_size_with_what_they_cost_and_tell(run: Run) -> None:
    made = plan(run, "mini", Intent(editors=5, samples=120, sample=50))
    choices = made.choices()
    assert [choice.samples for choice in choices] == [10, 20, 50, 100, 120]
    assert [choice.outputs for choice in choices] == [50, 100, 250, 500, 600]
    by = {choice.samples: choice for choice in choices}
    assert by[50].processor_hours == pytest.approx(made.processor_hours)
    # 0…9: standard deviation 3.0277; 1.96 * 3.0277 / sqrt(100) = 0.5934
    assert by[100].half_widths == {"m": pytest.approx(0.5934, abs=1e-4)}
    assert by[50].half_widths["m"] == pytest.approx(made.spreads[0].half_width)
    line = next(line for line in made.lines() if line.startswith("    100 samples:"))
    assert line == "    100 samples: 0.222 processor-hours; +- m 0.593"  # 1.6 s x 500 / 3600


@pytest.mark.parametrize("words", ["", "4", "4x", "0x4", "4x16x2x1", "axb", "-1x4"])
def test_a_cluster_is_written_in_one_way(words: str) -> None:
    with pytest.raises(UsageError, match="wanted NODESxPROCESSORS"):
        Cluster.parse(words)
