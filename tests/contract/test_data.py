"""The four official layouts with every slip that is known of them: found, named, repaired or not, and
no sample lost.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from editgauge import Evaluation
from tests.contract.datasets import (
    MANUAL,
    WEB,
    frames,
    instance,
    organ_record,
    organs,
    prompt_record,
    prompts,
    task_record,
    tasks,
    text_record,
)
from tests.contract.support import cli

Sample = Any


def samples(benchmark: str, data: Path) -> dict[str, Sample]:
    """Id -> sample, in the order in which they are read."""
    evaluation = Evaluation(benchmark, data, run=data.parent / "read")
    return {sample.id: sample for sample in evaluation.samples}


def only(benchmark: str, data: Path) -> Sample:
    (sample,) = samples(benchmark, data).values()
    return sample


def findings(sample: Sample) -> dict[str, bool]:
    """Kind -> whether it was repaired."""
    return {finding.kind: finding.repaired for finding in sample.findings}


def issues(benchmark: str, data: Path) -> set[str]:
    """The kinds that ``check`` names."""
    found = cli("check", benchmark, data, "--json", expect=None).json["issues"]
    return {issue["kind"] for issue in found}


# -- TextEditBench ---------------------------------------------------------------------------------


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


def test_texteditbench_clean(data: Path) -> None:
    folder = instance(data)
    sample = only("texteditbench", data)
    assert sample.id == f"{MANUAL}/Art_Creative_Expression/004"
    assert (sample.split, sample.instruction) == ("synthetic", "Change 'OLD' to 'NEW'")
    assert [path.name for path in sample.images] == ["4.jpg"]
    assert sample.reference == folder / "text_change_4.jpg"
    assert {path.name for path in sample.masks.values()} == {
        "4_mask.jpg",
        "text_change_4_mask.jpg",
    }
    about = {"difficulty": "easy", "difficulty_total": 4, "operation": "text_change"}
    assert {name: sample.attributes[name] for name in about} == about
    assert findings(sample) == {}


def test_texteditbench_both_names_of_its_splits(data: Path) -> None:
    for split in ("canva", WEB):
        instance(data, split=split)
    found = samples("texteditbench", data)
    assert [s.split for s in found.values()] == ["synthetic", "real"]
    assert list(found) == [
        f"{split}/Art_Creative_Expression/004" for split in (MANUAL, WEB)
    ]  # ids repeat within a release only between its splits
    assert list(found.values())[1].reference is None


CLEAN = json.dumps([text_record(4)], indent=1)


@pytest.mark.parametrize(
    "spelling", ["knowledge prompt", "knoeledge_prompt", "konwledge_prompt", "knowledge_prompt"]
)
def test_texteditbench_knowledge_prompts_however_they_are_spelt(data: Path, spelling: str) -> None:
    instance(data, split=WEB, **{spelling: "It is 2024."})
    sample = only("texteditbench", data)
    assert sample.knowledge == "It is 2024."
    assert findings(sample) == ({} if spelling == "knowledge_prompt" else {"key-name": True})


def test_a_misspelt_folder_of_a_topic_is_the_same_topic(data: Path) -> None:
    instance(data, split=MANUAL, place="Digtial_Interfaces_Reports")
    instance(data, split=WEB, place="Digital_Interfaces_Interaction")
    found = samples("texteditbench", data)
    assert {sample.category for sample in found.values()} == {("Digital_Interfaces_Interaction",)}


def test_a_copy_inside_another_instance_is_named_and_left_out(data: Path) -> None:
    content = json.dumps([text_record(49, output_image=...)], indent=1)
    inner = instance(data, 49, split=WEB, content=content)
    outer = instance(data, 48, split=WEB)
    shutil.copytree(inner, outer / "049")
    file = next((outer / "049").glob("*.json"))
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    found = samples("texteditbench", data)
    assert [name[-3:] for name in found] == ["048", "049"]
    told = cli("check", "texteditbench", data, "--json", expect=None).json["issues"]
    assert any("048/049" in issue["file"] for issue in told)


def test_json_beyond_repair_loses_no_other_sample(data: Path) -> None:
    instance(data, 4, content=CLEAN[:60])
    instance(data, 5)
    broken, sound = samples("texteditbench", data).values()
    assert findings(broken)["json-unreadable"] is False
    assert "json-unreadable" in issues("texteditbench", data)
    assert broken.fault
    assert sound.fault is None


# -- TextEdit --------------------------------------------------------------------------------------


def test_textedit_clean(data: Path) -> None:
    prompts(data, [prompt_record(7, "2.3")], category="2.3")
    prompts(data, [prompt_record(7, "1.1.1")], category="1.1.1")
    found = samples("textedit", data)
    assert set(found) == {"1.1.1/7", "2.3/7"}
    assert (found["1.1.1/7"].split, found["2.3/7"].split) == ("Virtual", "Real")
    sample = found["2.3/7"]
    assert (sample.source_text, sample.target_text) == ("OLD", "NEW")
    assert sample.caption == "A sign that reads NEW."
    assert sample.reference == data / "data/2.3/image/gt/7.0.png"
    assert findings(sample) == {}


def test_textedit_has_two_sets(data: Path) -> None:
    prompts(data, [prompt_record(n) for n in (1, 2)], part="fullset")
    prompts(data, [prompt_record(1)], part="miniset")
    for part, count in (("fullset", 2), ("miniset", 1)):
        told = cli("check", "textedit", data, "--split", part, "--json", expect=None).json
        assert told["samples"] == count


def test_textedit_a_line_that_is_no_json_loses_no_other(data: Path) -> None:
    prompts(data, ['{"id": 3, "prompt', prompt_record(4)])
    broken, sound = samples("textedit", data).values()
    assert findings(broken) == {"json-unreadable": False}
    assert (sound.id, sound.fault) == ("1.1.1/4", None)


# -- MedEBench -------------------------------------------------------------------------------------

PAPER = {
    "Id": 38, "Prompt": "Remove the stains.", "Detailed_description": "The stains are gone.",
    "GroundTruth_image": "editing/changed/38.png", "ROI_mask": "editing/previous_mask/38.png",
}  # fmt: skip
RELEASED = ("id", "prompt", "detailed_prompt", "changed_image", "previous_mask")


def test_medebench_released_and_printed_names_of_keys(data: Path) -> None:
    organs(data, [organ_record(38), organ_record(45, Organ="Spine and Bones")])
    plain, spine = samples("medebench", data).values()
    assert findings(plain) == {}
    assert (plain.id, plain.change) == ("38", "The stains are gone.")
    assert plain.images == (data / "editing/previous/38.png",)
    assert spine.attributes["organ"] == "Spine"
    printed = {**organ_record(38, **dict.fromkeys(RELEASED, ...)), **PAPER}
    organs(data, [organ_record(38)], content={"samples": [printed]})
    other = only("medebench", data)
    for name in ("id", "instruction", "change", "images", "reference", "masks"):
        assert getattr(other, name) == getattr(plain, name), name


def test_medebench_files_that_are_not_there(data: Path) -> None:
    folder = organs(data, [organ_record(38), organ_record(45)])
    (folder / "previous_mask" / "38.png").unlink()
    (folder / "changed" / "45.png").unlink()
    one, other = samples("medebench", data).values()
    assert findings(one) == {"mask-missing": False}
    assert findings(other) == {"reference-missing": False}


# -- KRIS-Bench ------------------------------------------------------------------------------------


def test_krisbench_clean_and_the_first_releases_names(data: Path) -> None:
    tasks(data, {"1": task_record()})
    later = only("krisbench", data)
    assert later.category == ("Conceptual", "Natural Science", "chemistry")
    assert (later.instruction, later.knowledge) == ("Heat the water.", "It boils.")
    first = {"instruction": "Heat the water.", "explain": "It boils."}
    tasks(data, {"1": task_record(ins_en=..., explain_en=..., **first)})
    assert only("krisbench", data) == later
    assert findings(later) == {}


@pytest.mark.parametrize(
    ("missing", "task"), [(1, "reverse"), (2, "intermediate"), (3, "intermediate"), (4, "forward")]
)
def test_krisbench_the_missing_frame_tells_the_task(data: Path, missing: int, task: str) -> None:
    names = [f"1-{frame}.png" for frame in (1, 2, 3, 4)]
    folder = tasks(
        data, {"1": task_record(**frames(missing))}, category="temporal_prediction", names=names
    )
    sample = only("krisbench", data)
    assert sample.category == ("Factual", "Temporal Prediction", f"temporal_prediction_{task}")
    assert sample.images == tuple(folder / n for n in names if n != f"1-{missing}.png")
    assert sample.reference == folder / f"1-{missing}.png"


def test_krisbench_pictures_of_any_extension_in_their_order(data: Path) -> None:
    names = ("3-2.JPG", "3-1.jpeg", "3-3.png")
    folder = tasks(
        data,
        {"3": task_record(ori_img=list(names), explain_en="")},
        category="multi-element_composition",
        names=names,
    )
    assert only("krisbench", data).images == tuple(folder / name for name in names)


# -- all -------------------------------------------------------------------------------------------


MEDIUM = "6(0,2,0,0,0,0,2,0,0,2)"
SLIPS: list[tuple[str, dict[str, Any], str, bool, dict[str, Any]]] = [
    ("texteditbench", {"content": CLEAN.replace('"4.jpg",', '"4.jpg",\u00a0')}, "json-odd-blank", True, {}),
    ("texteditbench", {"content": b"\xef\xbb\xbf" + CLEAN.encode()}, "json-byte-order-mark", True, {}),
    ("texteditbench", {"content": text_record(4)}, "json-object", True, {"difficulty_total": 4}),
    ("texteditbench", {"input_image": "4.jpg "}, "input-name", True, {}),
    ("texteditbench", {"input_image": "23.jpg"}, "input-missing", True, {}),
    ("texteditbench", {"topic": "Art&Creative Expression"}, "topic-name", True, {"topic": "Art & Creative Expression"}),
    ("texteditbench", {"editing_method": "scalling"}, "operation-name", True, {"operation": "scaling"}),
    ("texteditbench", {"source_tag": "human_anntation"}, "tag-name", True, {"source_tag": "human_annotation"}),
    ("texteditbench", {"source_tag": "human_annotation "}, "tag-name", True, {"source_tag": "human_annotation"}),
    ("texteditbench", {"difficulty": "esay"}, "difficulty-tier", True, {"difficulty": "easy"}),
    ("texteditbench", {"difficulty": "meduim", "difficulty_score": MEDIUM}, "difficulty-tier", True, {"difficulty": "medium"}),
    ("texteditbench", {"difficulty": " medium", "difficulty_score": MEDIUM}, "difficulty-tier", True, {"difficulty": "medium"}),
    ("texteditbench", {"difficulty_score": "(0,0,0,0,0,0,2,0,0,2)"}, "difficulty-total", True, {"difficulty_total": 4}),
    ("texteditbench", {"difficulty_score": "2(0,2,0,0,0,0,0,0,0)"}, "difficulty-count", True, {"difficulty_total": 2}),
    ("texteditbench", {"difficulty_score": "1(0,0,0,0,0,0,0,0,1,0,)"}, "difficulty-comma", True, {}),
    ("texteditbench", {"difficulty_score": "5(0,0,0,0,0,0,2,0,0,2)"}, "difficulty-sum", True, {"difficulty_total": 5}),
    ("texteditbench", {"difficulty_score": "7(1,1,1,2,0,0,0,0,0,2)"}, "difficulty-disagrees", True, {}),
    ("textedit", {"prompt": ...}, "prompt-missing", False, {}),
    ("textedit", {"id": ...}, "id-missing", True, {}),
    ("textedit", {"original_image": "1.1.1/image/original/3.0.png "}, "input-name", True, {}),
    ("textedit", {"original_image": "1.1.1/image/original/3.0.jpg"}, "input-name", True, {}),
    ("textedit", {"original_image": "1.1.1/image/original/9.png"}, "input-missing", False, {}),
    ("textedit", {"original_image": "../../../etc/hostname"}, "input-outside", False, {}),
    ("textedit", {"gt_image": "1.1.1/image/gt/none.png"}, "reference-missing", False, {}),
    ("textedit", {"source_text": ""}, "source_text-missing", False, {}),
    ("textedit", {"gt_caption": None}, "gt_caption-missing", False, {}),
    ("medebench", {"prompt": ...}, "prompt-missing", False, {}),
    ("medebench", {"previous_image": "editing/previous/39.png"}, "input-missing", True, {}),
    ("medebench", {"previous_image": "/etc/hostname"}, "input-outside", False, {}),
    ("medebench", {"changed_image": "/etc/hostname"}, "reference-outside", False, {}),
    ("medebench", {"Organ": ...}, "organ-missing", False, {}),
    ("medebench", {"detailed_prompt": ""}, "change-missing", False, {}),
    ("krisbench", {"ori_img": []}, "input-unnamed", False, {}),
    ("krisbench", {"ori_img": "2.png"}, "input-missing", False, {}),
    ("krisbench", {"ori_img": "1.JPEG"}, "input-name", True, {}),
    ("krisbench", {"ori_img": "../../../x.png"}, "input-outside", False, {}),
    ("krisbench", {"gt_img": "9.png"}, "reference-missing", False, {}),
    ("krisbench", {"ins_en": ""}, "prompt-missing", False, {}),
    ("krisbench", {"explain_en": ...}, "knowledge-missing", False, {}),
]  # fmt: skip
"""Of a clean record of a benchmark: changes, the kind of the finding, whether it is repaired, and to what."""


def spoil(data: Path, benchmark: str, changes: dict[str, Any]) -> None:
    if benchmark == "texteditbench":
        instance(data, **changes)
    elif benchmark == "textedit":
        for record in (prompt_record(3), prompt_record(3, **changes)):  # the first has the pictures
            prompts(data, [record])
    elif benchmark == "medebench":
        organs(data, [organ_record(38, **changes)])
    else:
        tasks(data, {"1": task_record(**changes)})


@pytest.mark.parametrize(("benchmark", "changes", "kind", "repaired", "about"), SLIPS)
def test_a_slip_is_named_and_repaired_or_not(
    data: Path,
    benchmark: str,
    changes: dict[str, Any],
    kind: str,
    repaired: bool,
    about: dict[str, Any],
) -> None:
    spoil(data, benchmark, changes)
    sample = only(benchmark, data)
    assert findings(sample)[kind] is repaired
    assert {name: sample.attributes[name] for name in about} == about
    assert all(data in path.parents for path in sample.images)


@pytest.mark.parametrize("benchmark", ["texteditbench", "textedit", "medebench", "krisbench"])
def test_a_folder_of_another_kind_is_refused_by_name(data: Path, benchmark: str) -> None:
    data.mkdir()
    assert benchmark in cli("check", benchmark, data, expect=2).text


def test_what_is_missing_of_the_release_is_counted(data: Path) -> None:
    organs(data, [organ_record(n) for n in (3, 38)])
    told = cli("check", "medebench", data, "--json", expect=None).json
    assert told["samples"] == 2
    whole = next(count for count in told["counts"] if count["name"] == "")
    assert (whole["found"], whole["published"]) == (2, 1182)


@pytest.mark.parametrize(
    ("benchmark", "folder", "count", "kinds"),
    [
        ("texteditbench", "texteditbench", 46, {"json-odd-blank", "input-name", "operation-name"}),
        ("textedit", "textedit", 36, set()),
        ("medebench", "medebench", 5, set()),
        ("krisbench", "kris_bench", 15, set()),
    ],
)
def test_the_real_records_are_all_read(
    shared: Path, benchmark: str, folder: str, count: int, kinds: set[str]
) -> None:
    told = cli("check", benchmark, shared / "data" / folder, "--json", expect=None).json
    assert told["samples"] == count
    assert kinds <= {issue["kind"] for issue in told["issues"] if issue["level"] == "repaired"}
