"""Each official layout's writer and its loader test each other: what is written is read as it was."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from editgauge import catalog
from editgauge.types import Benchmark, Sample
from tests.benchmarks.releases import (
    edited,
    organ_record,
    organ_set,
    prompt_record,
    prompt_set,
    task_record,
    task_set,
    text_instance,
)


def texteditbench(root: Path) -> None:
    text_instance(root, 4, knowledge_prompt="It follows.")
    text_instance(root, 7, split="data_web-sourced_instances")


def textedit(root: Path) -> None:
    prompt_set(root, [prompt_record(3), prompt_record(4)], part="fullset")
    prompt_set(root, [prompt_record(5, "2.1")], part="fullset", category="2.1")


def medebench(root: Path) -> None:
    organ_set(root, [organ_record(38, concept="stain"), organ_record(45, Organ="Spine and Bones")])


def krisbench(root: Path) -> None:
    task_set(root, {"1": task_record(1)})
    frames = [f"2-{frame}.png" for frame in (1, 3, 4)]
    record = task_record(2, ori_img=frames, gt_img="2-2.png", explain_en="")
    folder = task_set(
        root, {"2": record}, category="temporal_prediction", names=(*frames, "2-2.png")
    )
    edited(folder / "2-2.png", 9)


def essence(sample: Sample) -> dict[str, object]:
    """All of a sample but for where its files lie and how it is numbered."""
    own = {"record_id", "set"}
    return {
        "split": sample.split,
        "category": sample.category,
        "texts": (sample.instruction, sample.source_text, sample.target_text, sample.caption,
                  sample.knowledge, sample.change, sample.concept, sample.rephrased),
        "attributes": {k: v for k, v in sample.attributes.items() if k not in own},
        "images": [path.read_bytes() for path in sample.images],
        "reference": sample.reference.read_bytes() if sample.reference else None,
        "masks": {name: path.read_bytes() for name, path in sample.masks.items()},
        "findings": sample.findings,
    }  # fmt: skip


def copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


@pytest.mark.parametrize("make", [texteditbench, textedit, medebench, krisbench])
def test_what_is_written_is_read_as_it_was(tmp_path: Path, make: Callable[[Path], None]) -> None:
    benchmark: Benchmark = catalog.find("benchmarks", make.__name__)
    make(tmp_path / "release")
    samples = list(benchmark.load(tmp_path / "release"))
    assert len(samples) >= 2
    assert benchmark.write is not None
    names = benchmark.write(tmp_path / "written", list(enumerate(samples, start=11)), copy)
    again = {sample.id: sample for sample in benchmark.load(tmp_path / "written")}
    assert len(again) == len(samples)
    for sample in samples:
        written = next(s for name, s in again.items() if name.endswith(names[sample.id]))
        assert essence(written) == essence(sample)
