"""Whose scores a file holds, by its path."""

from __future__ import annotations

from pathlib import Path, PurePath

import pytest

from editgauge.scoring.result_files import files_of, model_of, runs_below, words_of
from editgauge.types import Sample


def sample(identity: str, split: str) -> Sample:
    return Sample(
        benchmark="texteditbench", id=identity, instruction="Do it", images=(Path("none.png"),),
        output_stems=(f"{split}/{identity.split('/')[1]}/001_edited",), split=split, category=(),
    )  # fmt: skip


SAMPLES = {
    one.id: one
    for one in (
        sample("canva/Art_Creative_Expression/001", "synthetic"),
        sample("data_web-sourced_instances/Documents_Credentials/001", "real"),
    )
}


@pytest.mark.parametrize(
    ("path", "model"),
    [
        ("bagel", "bagel"),
        ("real/bagel", "bagel"),
        ("bagel/Art_Creative_Expression", "bagel"),
        ("bagel/synthetic/Art & Creative Expression", "bagel"),
        ("Documents_Credentials/FLUX.1-Kontext-dev", "FLUX.1-Kontext-dev"),
        ("bagel_Art_Creative_Expression", "bagel"),
        ("real_qwen-image_edit_mse_psnr", "qwen-image_edit"),
        ("bagel/evaluation_results", "bagel"),
        ("data_web-sourced_instances/Documents_Credentials", ""),
        ("my_model v2", "my_model v2"),
    ],
)
def test_a_model_is_what_is_left_of_a_path(path: str, model: str) -> None:
    assert model_of(PurePath(path), words_of(SAMPLES.values())) == model


def test_files_of_several_runs_are_repeats(tmp_path: Path) -> None:
    names = ["bagel_run1", "bagel_run3", "flux_run1", "real/bagel", "failed/bagel_failed"]
    for name in names:
        file = tmp_path / f"{name}.json"
        file.parent.mkdir(exist_ok=True)
        file.write_text("[]")
    found = {
        one.path.relative_to(tmp_path).with_suffix("").as_posix(): (one.editor, one.repeat)
        for one in files_of(tmp_path, SAMPLES)
    }
    assert found == {
        "bagel_run1": ("bagel", 0),
        "bagel_run3": ("bagel", 1),
        "flux_run1": ("flux_run1", 0),  # of one run nobody knows that it is one
        "real/bagel": ("bagel", 0),
    }


def test_folders_of_runs_stand_alone(tmp_path: Path) -> None:
    for number in (10, 2, 1):
        (tmp_path / f"run{number}").mkdir()
    found = runs_below(tmp_path, SAMPLES)
    assert [(run.path.name, run.editor, run.repeat) for run in found] == [
        ("run1", "", 0), ("run2", "", 1), ("run10", "", 2),
    ]  # fmt: skip
    (tmp_path / "bagel").mkdir()
    assert runs_below(tmp_path, SAMPLES) == []


def test_folders_of_runs_below_each_model_or_split(tmp_path: Path) -> None:
    for name in ("bagel", "real"):
        for number in (1, 2):
            (tmp_path / name / f"run_{number}").mkdir(parents=True)
    found = runs_below(tmp_path, SAMPLES)
    assert [(run.path.parent.name, run.editor, run.repeat) for run in found] == [
        ("bagel", "bagel", 0), ("bagel", "bagel", 1), ("real", "", 0), ("real", "", 1),
    ]  # fmt: skip
