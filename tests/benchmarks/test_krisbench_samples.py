"""KRIS-Bench: 22 tasks in 20 folders, frames, several images, both spellings."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from editgauge.benchmarks.base import Samples
from editgauge.benchmarks.krisbench import BENCHMARK
from editgauge.benchmarks.krisbench.facts import FOLDERS, TAXONOMY, temporal_task
from editgauge.types import Sample
from tests.benchmarks.releases import finding, kinds, picture, task_record, task_set


def load(root: Path) -> tuple[list[Sample], Samples]:
    found = BENCHMARK.load(root)
    return list(found), found


def frames(identity: int, missing: int, **changes: Any) -> dict[str, Any]:
    given = [f"{identity}-{frame}.png" for frame in (1, 2, 3, 4) if frame != missing]
    return task_record(ori_img=given, gt_img=f"{identity}-{missing}.png", explain_en="", **changes)


def frame_set(root: Path, records: dict[str, Any]) -> Path:
    names = tuple(f"{identity}-{frame}.png" for identity in records for frame in (1, 2, 3, 4))
    return task_set(root, records, category="temporal_prediction", names=names)


def test_the_root_may_be_the_folder_or_the_one_above(tmp_path: Path) -> None:
    folder = task_set(tmp_path, {"1": task_record()})
    assert load(tmp_path)[0] == load(folder.parent)[0]
    assert BENCHMARK.load(tmp_path).root == folder.parent


def test_the_taxonomy() -> None:
    assert len(FOLDERS) == 20
    tasks = [f for f in FOLDERS if f != "temporal_prediction"] + [
        temporal_task(frame) for frame in (1, 2, 3, 4)
    ]
    assert len(set(tasks)) == 22
    counts = BENCHMARK.published_counts
    assert counts[""] == 1267 == sum(counts[knowledge] for knowledge in TAXONOMY)
    for knowledge, dimensions in TAXONOMY.items():
        assert counts[knowledge] == sum(
            counts[f"{knowledge}/{dimension}"] for dimension in dimensions
        )


@pytest.mark.parametrize(
    ("changes", "kind", "repaired", "task"),
    [
        ({"gt_img": "16-1.png"}, "frame-disagrees", True, "temporal_prediction_intermediate"),
        (
            {"ori_img": ["16-1.png", "16-3.png"]},
            "frame-unclear",
            True,
            "temporal_prediction_intermediate",
        ),
        (
            {"ori_img": ["16-1.png", "16-3.png"], "gt_img": "a.png"},
            "frame-unknown",
            False,
            "temporal_prediction_unknown",
        ),
        ({"gt_img": ""}, "reference-unnamed", False, "temporal_prediction_intermediate"),
    ],
)
def test_frames_that_do_not_fit(
    tmp_path: Path, changes: dict[str, Any], kind: str, repaired: bool, task: str
) -> None:
    folder = frame_set(tmp_path, {"16": {**frames(16, 2), **changes}})
    picture(folder / "a.png")
    (sample,), _ = load(tmp_path)
    assert finding(sample, kind).repaired is repaired
    assert sample.attributes["task"] == task


@pytest.mark.parametrize(
    ("changes", "kind", "repaired", "part"),
    [
        ({"ori_img": None}, "input-unnamed", False, ""),
        ({"ori_img": ["1.png", 3]}, "input-unnamed", False, ""),
        ({"ori_img": ["1.png"] * 16}, "input-many", True, ""),
        ({"ori_img": ["1.png"] * 17}, "input-many", False, ""),
        ({"gt_img": {"a": 1}}, "reference-unnamed", False, "reference"),
        ({"explain_en": 3}, "wrong-type", True, ""),
        ({"ins_en": ..., "ins_eng": "Heat it."}, "key-name", True, ""),
    ],
)
def test_fields(
    tmp_path: Path, changes: dict[str, Any], kind: str, repaired: bool, part: str
) -> None:
    root = tmp_path / "a" / "b"
    task_set(root, {"1": task_record(**changes)})
    (sample,), _ = load(root)
    found = finding(sample, kind)
    assert (found.repaired, found.part) == (repaired, part)
    assert (sample.fault is None) is (repaired or part != "")
    assert sample.images
    assert all(root in path.parents for path in sample.images)


def test_references_are_needed_where_the_judge_sees_them(tmp_path: Path) -> None:
    task_set(tmp_path, {"1": task_record(explain_en="")}, category="viewpoint_change")
    (sample,), _ = load(tmp_path)
    assert finding(sample, "reference-unnamed").part == "reference"
    assert kinds(sample) == ["reference-unnamed"]


def test_categories(tmp_path: Path) -> None:
    task_set(tmp_path, {"10": task_record(), "9": task_record(), "2": 7})
    task_set(tmp_path, {"1": task_record()}, category="Rule_Based Reasoning")
    task_set(tmp_path, {"1": task_record()}, category="alchemy")
    task_set(tmp_path, "[", category="physics")
    task_set(tmp_path, [task_record(id="7"), task_record()], category="biology")
    (tmp_path / "KRIS_Bench" / "notes").mkdir()
    (tmp_path / "KRIS_Bench" / "notes.txt").write_text("x")
    samples, dataset = load(tmp_path)
    assert [sample.id for sample in samples] == [
        "biology/2", "biology/7", "chemistry/2", "chemistry/9", "chemistry/10",
        "rule-based_reasoning/1", "alchemy/1",
    ]  # fmt: skip
    assert samples[2].fault is not None
    assert "Rule_Based Reasoning/1" in samples[5].output_stems
    assert samples[6].category == ("Other", "Other", "alchemy")
    found = Counter(f.kind for f in dataset.findings)
    del found["category-missing"]
    expected = (
        "json-unreadable",
        "json-list",
        "category-unknown",
        "folder-name",
        "folder-unknown",
        "file-stray",
    )
    assert found == dict.fromkeys(expected, 1)
