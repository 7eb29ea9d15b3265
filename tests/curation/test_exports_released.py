"""The released scripts run on what a set exports, as far as they run without a network: they find
every sample, and ask about its pictures and its texts.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editgauge import catalog
from editgauge.curation import exports
from editgauge.curation.dataset import DataSet
from editgauge.images import read_image, write_png
from tests.benchmarks.released_scripts import functions_of
from tests.curation.made_set import edited, scene
from tests.curation.test_exports import scores, whole_set

COUNT = 3


def script(shared: Path, name: str) -> Path:
    path = shared / "released" / name
    if not path.is_file():
        pytest.skip("no released scripts here")
    return path


def exported(tmp_path: Path, layout: str, **more: Any) -> DataSet:
    data = whole_set(tmp_path / "set", COUNT, **more)
    exports.export(data, tmp_path / "out", layout)
    return data


def of_set(data: DataSet, sample: str, name: str) -> bytes:
    record = data.record(sample)
    return data.path(record.images[0] if name == "images" else getattr(record, name)).read_bytes()


def test_texteditbench_judges_every_sample(tmp_path: Path, shared: Path) -> None:
    path = script(shared, "texteditbench/gpt_eval.py")
    data = exported(tmp_path, "texteditbench")
    asked: list[tuple[str, ...]] = []
    theirs = functions_of(path, base64=base64)
    theirs["call_llm_evaluation"] = lambda *words, **more: asked.append(words) or {"score": 4}
    root = tmp_path / "out" / "data_manual_production"
    (category,) = [folder.name for folder in root.iterdir() if folder.is_dir()]
    tasks, skipped = theirs["collect_tasks"](root, category, tmp_path, set())
    assert (len(tasks), skipped) == (COUNT, 0)
    for number, (task, folder) in enumerate(tasks):
        (tmp_path / f"{folder.name}_edited.jpg").write_bytes(b"an edit")
        assert set(theirs["evaluate_task"](task, folder, tmp_path)) == {"IF", "TA", "VC", "LP"}
        _, given, made, wanted, instruction = asked[-1]
        assert base64.b64decode(given) == of_set(data, f"s{number:02d}", "images")
        assert base64.b64decode(wanted) == of_set(data, f"s{number:02d}", "reference")
        assert base64.b64decode(made) == b"an edit"
        assert instruction == data.record(f"s{number:02d}").instruction


def test_medebench_by_the_functions_that_its_numbers_come_from(tmp_path: Path) -> None:
    """No script is released; the paper's numbers are scikit-image's (the golden file's origin)."""
    metrics = pytest.importorskip("skimage.metrics")
    data = exported(tmp_path, "medebench")
    told = json.loads((tmp_path / "out" / "editing" / "editing_metadata.json").read_bytes())
    ours = catalog.find("benchmarks", "dir.wards.medebench")
    mine = {sample.id: sample for sample in ours.load(data.root)}
    assert len(told["samples"]) == COUNT
    for entry in told["samples"]:
        output = tmp_path / "edit.png"
        write_png(output, np.clip(edited(scene(5)).astype(int) + 9, 0, 255).astype(np.uint8))
        reference = read_image(tmp_path / "out" / entry["changed_image"])
        made = read_image(output)
        found = scores(ours, mine[f"s{entry['id'] - 1:02d}"], output)
        wanted = metrics.structural_similarity(reference, made, channel_axis=-1)
        assert found["ssim_full", "faithful"] == pytest.approx(wanted, abs=1e-6)
        wanted = metrics.peak_signal_noise_ratio(reference, made)
        assert found["psnr", "faithful"] == pytest.approx(wanted, abs=1e-6)
