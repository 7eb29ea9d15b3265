"""Why edits failed, and whether learning helps, from end to end. Attention and training run on a
tiny random InstructPix2Pix.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.contract.datasets import REGION, organ_record, organs
from tests.contract.faults import cells, content
from tests.contract.support import cli, finished, killed, process, rows_of, same_rows, save, values

SMALL = ("--set", "side=32", "--set", "num_inference_steps=1")
WITHOUT = "diffusion models need the extra neural"


def moved(pixels: np.ndarray[Any, Any], inside: bool) -> np.ndarray[Any, Any]:
    """A picture that was changed in the region that the masks mark, or in a corner outside of it."""
    top, left, bottom, right = REGION
    made = pixels.copy()
    box = made[top:bottom, left:right] if inside else made[: top // 2 + 2, : left // 2 + 2]
    box[:] = 255 - box
    return made


def test_pixels_say_where_a_picture_was_changed(tmp_path: Path) -> None:
    from PIL import Image

    data, run = tmp_path / "data", tmp_path / "run"
    folder = organs(data, [organ_record(number) for number in (1, 2)])
    for number in (1, 2):
        pixels = np.asarray(Image.open(folder / f"previous/{number}.png").convert("RGB"))
        for editor, inside in (("right", True), ("elsewhere", False)):
            save(tmp_path / "outputs" / editor / f"{number}.png", moved(pixels, inside))
    for editor in ("right", "elsewhere"):
        told = ("--outputs", tmp_path / "outputs", "--editor", editor, "--run", run)
        cli("score", "medebench", data, *told, "--workers", 0, expect=None)
    assert cli("diagnose", run, "--from", "pixels", expect=None).code == 0
    for variant in {row["variant"] for row in rows_of(run) if row["metric"] == "change_iou"}:
        for editor, right in (("right", 0.9), ("elsewhere", 0.0)):
            for value in values(run, "change_iou", variant, editor=editor).values():
                assert value == pytest.approx(right, abs=0.1), editor
    assert values(run, "change_iou", "corrected", editor="right") or values(
        run, "change_iou", editor="right"
    )
    before = rows_of(run)
    cli("diagnose", run, "--from", "pixels", expect=None)
    assert rows_of(run) == before
    cli("report", run, "--to", tmp_path / "report")
    half = ("--outputs", tmp_path / "outputs", "--editor", "half", "--run", run, "--workers", 0)
    save(tmp_path / "outputs/half/1.png", moved(pixels, True))
    cli("score", "medebench", data, *half, expect=1)
    cli("diagnose", run, "--from", "pixels", expect=1)


@pytest.mark.slow
def test_attention_and_tuning_of_a_tiny_model(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason=WITHOUT)
    pytest.importorskip("diffusers", reason=WITHOUT)
    from tests.editors.tiny_pipelines import instructpix2pix
    from tests.tuning.squares import TASK, write_data

    data, model = write_data(tmp_path / "data", 6), instructpix2pix(tmp_path / "model")
    tune = ("tune", "medebench", data, "--task", TASK, "--samples", "0,2", "--set", f"model={model}",
            "--set", "resolution=16", "--steps", 3, "--set", "device=cpu", *SMALL)  # fmt: skip
    env = {"OMP_NUM_THREADS": "1"}
    whole, run = tmp_path / "whole", tmp_path / "run"
    start = time.monotonic()
    finished(process(*tune, "--run", whole, env=env), timeout=300)
    seconds = time.monotonic() - start
    for share in (0.5, 0.8):
        killed((*tune, "--run", run), share * seconds, env)
    finished(process(*tune, "--run", run, env=env), timeout=300)
    assert content(run / "edits") == content(whole / "edits")
    same_rows(run, whole)
    editors = {row["editor"] for row in rows_of(run)}
    assert editors == {f"instructpix2pix[tuned {number}]" for number in (0, 2)}
    assert len({row["sample"] for row in rows_of(run)}) == 4, "six samples, two to learn from"
    cli("table", run, "--json")

    editor = ("--editor", "instructpix2pix", "--model", model, "--limit", 1)
    edit = ("edit", "medebench", data, *editor)
    looked = tmp_path / "looked"
    here = (*SMALL, "--set", "device=cpu", "--run", looked, "--workers", 0)
    finished(process(*edit, *here, env=env), timeout=300)
    concepts = tmp_path / "concepts.csv"
    concepts.write_text(f"task,concept\n{TASK},green\n")
    settings = ("--set", f"model={model}", "--set", "device=cpu", "--set", "resolution=all")
    words = ("diagnose", looked, "--from", "attention", "--concepts", concepts, *settings)
    finished(process(*words, env=env), expect=None, timeout=300)
    found = [row for row in rows_of(looked) if row["metric"] == "attention_iou"]
    assert {row["sample"] for row in found if row["status"] == "scored"} == {"1"}
    assert cells(cli("table", looked, "--json", expect=None))
