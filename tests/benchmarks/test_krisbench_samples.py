"""KRIS-Bench: 22 tasks in 20 folders, frames, several images, both spellings."""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from editgauge.benchmarks.base import Samples
from editgauge.benchmarks.krisbench import BENCHMARK
from editgauge.benchmarks.krisbench.facts import FOLDERS, TAXONOMY, temporal_task
from editgauge.errors import DataError, UsageError
from editgauge.types import Sample
from tests.benchmarks.releases import finding, kinds, picture, task_record, task_set, text_instance


def load(root: Path) -> tuple[list[Sample], Samples]:
    found = BENCHMARK.load(root)
    return list(found), found


def frames(identity: int, missing: int, **changes: Any) -> dict[str, Any]:
    given = [f"{identity}-{frame}.png" for frame in (1, 2, 3, 4) if frame != missing]
    return task_record(ori_img=given, gt_img=f"{identity}-{missing}.png", explain_en="", **changes)


def frame_set(root: Path, records: dict[str, Any]) -> Path:
    names = tuple(f"{identity}-{frame}.png" for identity in records for frame in (1, 2, 3, 4))
    return task_set(root, records, category="temporal_prediction", names=names)


def test_a_clean_sample(tmp_path: Path) -> None:
    folder = task_set(tmp_path, {"1": task_record()})
    (sample,), dataset = load(tmp_path)
    assert (sample.id, sample.split) == ("chemistry/1", "all")
    assert sample.category == ("Conceptual", "Natural Science", "chemistry")
    assert sample.images == (folder / "1.png",)
    assert sample.reference is None
    assert (sample.instruction, sample.knowledge) == ("Heat the water.", "It boils.")
    assert sample.output_stems == ("chemistry/1",)
    expected = {"task": "chemistry", "dimension": "Natural Science", "knowledge_type": "Conceptual"}
    assert {key: sample.attributes[key] for key in expected} == expected
    assert (sample.attributes["multi_image"], sample.attributes["image_count"]) == (False, 1)
    assert sample.findings == ()
    assert Counter(f.kind for f in dataset.findings) == {"category-missing": 19}


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


def test_the_first_release_s_names_of_the_keys(tmp_path: Path) -> None:
    task_set(
        tmp_path,
        {
            "1": {
                "ori_img": "1.png",
                "gt_img": "",
                "instruction": "Heat it.",
                "explain": "It boils.",
            }
        },
    )
    (sample,), _ = load(tmp_path)
    assert (sample.instruction, sample.knowledge, sample.findings) == ("Heat it.", "It boils.", ())


@pytest.mark.parametrize(
    ("missing", "task"), [(1, "reverse"), (2, "intermediate"), (3, "intermediate"), (4, "forward")]
)
def test_the_frame_that_is_left_out_tells_the_task(tmp_path: Path, missing: int, task: str) -> None:
    folder = frame_set(tmp_path, {"16": frames(16, missing)})
    (sample,), _ = load(tmp_path)
    given = [frame for frame in (1, 2, 3, 4) if frame != missing]
    assert sample.category == ("Factual", "Temporal Prediction", f"temporal_prediction_{task}")
    assert sample.attributes["task"] == f"temporal_prediction_{task}"
    assert sample.attributes["missing_frame"] == missing
    assert sample.attributes["frames"] == ",".join(map(str, given))
    assert sample.attributes["multi_image"] is True
    assert sample.images == tuple(folder / f"16-{frame}.png" for frame in given)
    assert sample.reference == folder / f"16-{missing}.png"
    assert sample.output_stems == ("temporal_prediction/16",)
    assert sample.findings == ()


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


def test_several_images_in_order(tmp_path: Path) -> None:
    names = ("33-1.JPG", "33-2.jpg")
    records = {"33": task_record(ori_img=list(names))}
    folder = task_set(tmp_path, records, category="multi-element_composition", names=names)
    (sample,), _ = load(tmp_path)
    assert sample.images == tuple(folder / name for name in names)
    assert (
        sample.attributes["multi_image"],
        sample.attributes["image_count"],
        sample.findings,
    ) == (True, 2, ())


@pytest.mark.parametrize(
    ("changes", "kind", "repaired", "part"),
    [
        ({"ori_img": []}, "input-unnamed", False, ""),
        ({"ori_img": None}, "input-unnamed", False, ""),
        ({"ori_img": ["1.png", 3]}, "input-unnamed", False, ""),
        ({"ori_img": "2.png"}, "input-missing", False, ""),
        ({"ori_img": "1.JPEG"}, "input-name", True, ""),
        ({"ori_img": "../../../x.png"}, "input-outside", False, ""),
        ({"ori_img": ["1.png"] * 6}, "input-many", True, ""),
        ({"ori_img": ["1.png"] * 16}, "input-many", True, ""),
        ({"ori_img": ["1.png"] * 17}, "input-many", False, ""),
        ({"gt_img": "9.png"}, "reference-missing", False, "reference"),
        ({"gt_img": {"a": 1}}, "reference-unnamed", False, "reference"),
        ({"ins_en": ""}, "prompt-missing", False, ""),
        ({"explain_en": ...}, "knowledge-missing", False, "knowledge"),
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


@pytest.mark.parametrize("category", ["chemistry", "temporal_prediction"])
def test_a_hundred_thousand_names_are_one_finding(tmp_path: Path, category: str) -> None:
    names = [f"{number}-{number % 4 + 1}.png" for number in range(100_000)]
    task_set(tmp_path, {"1": task_record(ori_img=names)}, category=category)
    began = time.process_time()
    (sample,), _ = load(tmp_path)
    assert time.process_time() - began < 5
    assert finding(sample, "input-many").found == "100,000 input pictures, wanted at most 5"
    assert len(sample.images) == 1
    assert not sample.images[0].exists()
    assert sample.fault is not None
    assert len(sample.findings) < 5
    assert max(len(str(value)) for value in sample.attributes.values()) < 200


def test_a_hundred_thousand_names_in_as_many_records(tmp_path: Path) -> None:
    """None of them is there; the time a name takes does not grow with their number."""
    spent = []
    for number in (2_000, 8_000):
        root = tmp_path / str(number)
        records = {
            str(n): task_record(ori_img=[f"{n}-{part}.png" for part in range(12)])
            for n in range(number // 12)
        }
        task_set(root, records)
        began = time.process_time()
        samples, _ = load(root)
        spent.append(time.process_time() - began)
        assert len(samples) == len(records)
        assert all(kinds(sample).count("input-missing") == 12 for sample in samples)
    assert spent[1] < 3 * 4 * spent[0] + 1


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


def test_an_id_given_twice_is_said(tmp_path: Path) -> None:
    twice = (
        json.dumps({"1": task_record()})[:-1]
        + ', "1": '
        + json.dumps(task_record(ins_en="Cool it."))
        + "}"
    )
    task_set(tmp_path, twice)
    (sample,), dataset = load(tmp_path)
    assert sample.instruction == "Cool it."
    assert "json-key-twice" in [f.kind for f in dataset.findings]


def test_an_id_that_leads_elsewhere(tmp_path: Path) -> None:
    task_set(tmp_path, {"../../1": task_record()})
    (sample,), _ = load(tmp_path)
    assert finding(sample, "id-name").repaired
    assert all(".." not in stem.split("/") for stem in sample.output_stems)


def test_errors(tmp_path: Path) -> None:
    task_set(tmp_path / "data", {"1": task_record()})
    with pytest.raises(UsageError, match="krisbench has none"):
        BENCHMARK.load(tmp_path / "data", split="test")
    (tmp_path / "empty").mkdir()
    with pytest.raises(
        DataError, match=r"wanted KRIS_Bench/<category>/annotation.json .* found an empty folder"
    ):
        BENCHMARK.load(tmp_path / "empty")
    text_instance(tmp_path / "other")
    with pytest.raises(DataError, match="looks like texteditbench"):
        BENCHMARK.load(tmp_path / "other")


def test_the_shared_records(shared: Path) -> None:
    samples, _ = load(shared / "data" / "kris_bench")
    assert len(samples) == 15
    assert all(sample.findings == () for sample in samples)
    tasks = Counter(sample.attributes["task"] for sample in samples)
    assert tasks["temporal_prediction_reverse"] == tasks["temporal_prediction_intermediate"] == 1
    assert tasks["temporal_prediction_forward"] == 1
    assert sum(bool(sample.attributes["multi_image"]) for sample in samples) == 6
    assert all(path.is_file() for sample in samples for path in sample.images)
