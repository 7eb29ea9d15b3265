"""TextEditBench: every defect of the release, and faults that it has not, end as a finding and
never as a loss.
"""

from __future__ import annotations

import json
import os
import pickle
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editgauge.benchmarks.base import Samples
from editgauge.benchmarks.reading import Notes
from editgauge.benchmarks.texteditbench import BENCHMARK
from editgauge.benchmarks.texteditbench.facts import ATTRIBUTES, TOPICS, tier_of
from editgauge.benchmarks.texteditbench.samples import (
    operation_of,
    read_difficulty,
    tag_of,
    topic_of,
)
from editgauge.errors import DataError, UsageError
from editgauge.types import Sample
from tests.benchmarks.releases import (
    finding,
    kinds,
    mask,
    picture,
    prompt_record,
    prompt_set,
    text_instance,
    text_record,
)


def load(root: Path, split: str | None = None) -> tuple[list[Sample], Samples]:
    found = BENCHMARK.load(root, split=split)
    return list(found), found


def only(root: Path) -> Sample:
    (sample,) = load(root)[0]
    return sample


def test_a_clean_instance(tmp_path: Path) -> None:
    folder = text_instance(tmp_path, 4)
    sample = only(tmp_path)
    assert sample.id == "data_manual_production/Art_Creative_Expression/004"
    assert (sample.split, sample.category) == ("synthetic", ("Art_Creative_Expression",))
    assert sample.images == (folder / "4.png",)
    assert sample.reference == folder / "text_change_4.png"
    assert sample.masks == {
        "input": folder / "4_mask.png",
        "second": folder / "text_change_4_mask.png",
    }
    assert sample.output_stems[0] == "canva/Art_Creative_Expression/004_edited"
    assert sample.instruction == "Change 'OLD' to 'NEW'"
    assert (sample.source_text, sample.target_text) == ("OLD", "NEW")
    assert sample.findings == ()
    assert sample.knowledge is None
    expected: dict[str, Any] = {
        "topic": "Art & Creative Expression",
        "operation": "text_change",
        "difficulty": "easy",
        "difficulty_total": 4,
        "difficulty_agrees": True,
        "text_length": 1,
        "language": 2,
        "semantic_linkage": 0,
        "source_tag": "human_annotation",
        "has_knowledge": False,
    }
    assert {key: sample.attributes[key] for key in expected} == expected


def test_a_clean_real_instance_has_no_reference(tmp_path: Path) -> None:
    folder = text_instance(tmp_path, 2, split="data_web-sourced_instances")
    sample = only(tmp_path)
    assert (sample.split, sample.reference, sample.findings) == ("real", None, ())
    assert sample.masks["second"] == folder / "2_edited_mask.png"
    assert sample.output_stems[0] == "real/Art_Creative_Expression/002_edited"


@pytest.mark.parametrize(
    ("manual", "web"), [("canva", "real"), ("data_manual_production", "data_web-sourced_instances")]
)
def test_either_name_of_a_split_gives_the_same_samples(
    tmp_path: Path, manual: str, web: str
) -> None:
    text_instance(tmp_path, 4, split=manual)
    text_instance(tmp_path, 2, split=web)
    samples, _ = load(tmp_path)
    assert [sample.id for sample in samples] == [
        "data_manual_production/Art_Creative_Expression/004",
        "data_web-sourced_instances/Art_Creative_Expression/002",
    ]
    for name in ("real", "REAL", "data_web-sourced_instances"):
        assert [sample.split for sample in load(tmp_path, name)[0]] == ["real"]
    assert [sample.split for sample in load(tmp_path, "canva")[0]] == ["synthetic"]


def test_the_released_repository_s_own_folder(tmp_path: Path) -> None:
    text_instance(tmp_path / "TextEditBench", 4)
    samples, dataset = load(tmp_path)
    assert len(samples) == 1
    assert dataset.root == tmp_path / "TextEditBench"


def test_the_order_is_by_number_and_repeats(tmp_path: Path) -> None:
    for number in (100, 9, 10):
        text_instance(tmp_path, number)
    text_instance(tmp_path, 1, folder_name="Business_Advertising")
    dataset = BENCHMARK.load(tmp_path)
    first = [sample.id for sample in dataset]
    assert [identity.split("/", 1)[1] for identity in first] == [
        "Art_Creative_Expression/009", "Art_Creative_Expression/010", "Art_Creative_Expression/100",
        "Business_Advertising/001",
    ]  # fmt: skip
    assert [sample.id for sample in dataset] == first


def test_loading_is_lazy(tmp_path: Path) -> None:
    text_instance(tmp_path, 4)
    dataset = BENCHMARK.load(tmp_path)
    text_instance(tmp_path, 5)
    assert len(list(dataset)) == 2


def test_samples_travel_between_processes(tmp_path: Path) -> None:
    text_instance(tmp_path, 4)
    sample = only(tmp_path)
    assert pickle.loads(pickle.dumps(sample)) == sample


# ---------------------------------------------------------------------------------- the JSON file
CLEAN = json.dumps([text_record(4)], indent=1)


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"\xef\xbb\xbf" + CLEAN.encode(), "json-byte-order-mark"),
        (json.dumps(text_record(4)), "json-object"),
        (CLEAN.replace('"4.png",', '"4.png",\u00a0'), "json-odd-blank"),
        (CLEAN.replace('"id"', '"prompt": "another", "id"'), "json-key-twice"),
        (json.dumps([text_record(4), text_record(5, prompt="Another")]), "json-several-records"),
    ],
)
def test_json_that_can_be_repaired(tmp_path: Path, content: str | bytes, kind: str) -> None:
    text_instance(tmp_path, 4, content=content)
    sample = only(tmp_path)
    assert kinds(sample) == [kind]
    found = finding(sample, kind)
    assert found.repaired
    assert found.found
    assert found.assumed
    assert sample.fault is None
    assert sample.instruction.startswith("Change 'OLD' to 'NEW'")
    assert sample.images[0].is_file()


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ("", "json-unreadable"),
        (CLEAN[:60], "json-unreadable"),
        ("[" * 100_000, "json-unreadable"),
        ('[{"id": ' + "9" * 5000 + "}]", "json-unreadable"),
        (CLEAN.replace("'NEW'", "新しい").encode("gb18030"), "json-encoding"),
        (b"\xff\xfe\x00", "json-encoding"),
        ("[]", "json-wrong-type"),
        ("null", "json-wrong-type"),
        ('["4.png"]', "json-wrong-type"),
        ("7", "json-wrong-type"),
    ],
)
def test_json_beyond_repair_leaves_a_sample_with_a_fault(
    tmp_path: Path, content: str | bytes, kind: str
) -> None:
    text_instance(tmp_path, 4, content=content)
    text_instance(tmp_path, 5)
    broken, sound = load(tmp_path)[0]
    assert sound.fault is None
    assert broken.id.endswith("/004")
    assert not finding(broken, kind).repaired
    assert broken.fault is not None
    assert "Expression_004.json" in broken.fault
    assert (
        broken.images[0].name == "4.png"
    )  # by the folder's number: the pictures are known all the same
    assert set(broken.masks) == {"input", "second"}


def test_no_json_at_all(tmp_path: Path) -> None:
    folder = text_instance(tmp_path, 4)
    next(folder.glob("*.json")).unlink()
    sample = only(tmp_path)
    assert not finding(sample, "json-missing").repaired
    assert sample.fault is not None


def test_the_record_with_the_folder_s_number_is_chosen(tmp_path: Path) -> None:
    text_instance(
        tmp_path,
        4,
        content=json.dumps([text_record(3, prompt="Wrong"), text_record(4, prompt="Right")]),
    )
    assert only(tmp_path).instruction == "Right"


def test_a_second_json_file(tmp_path: Path) -> None:
    folder = text_instance(tmp_path, 4)
    (folder / "Another_009.json").write_text("[]")
    sample = only(tmp_path)
    assert finding(sample, "json-several").repaired
    assert sample.instruction == "Change 'OLD' to 'NEW'"


@pytest.mark.parametrize(
    ("changes", "kind", "repaired"),
    [
        ({"prompt": ...}, "prompt-missing", False),
        ({"prompt": "  "}, "prompt-missing", False),
        ({"prompt": ["a"]}, "wrong-type", False),
        ({"prompt": 7}, "wrong-type", True),
        ({"topic": {"a": 1}}, "wrong-type", True),
        ({"id": None}, "id-missing", True),
        ({"id": "TextEditing_0013"}, "id-number", True),
        ({"id": " TextEditing_004"}, "id-name", True),
        ({"topic": "Art&Creative Expression"}, "topic-name", True),
        ({"topic": ...}, "topic-missing", True),
        ({"editing_method": "scalling"}, "operation-name", True),
        ({"editing_method": "levitate"}, "operation-unknown", True),
        ({"editing_method": ...}, "operation-missing", True),
        ({"source_tag": "human_anntation"}, "tag-name", True),
        ({"source_tag": "human_annotation "}, "tag-name", True),
        ({"difficulty": "esay"}, "difficulty-tier", True),
        ({"input_image": "4.png "}, "input-name", True),
        ({"input_image": "4.PNG"}, "input-name", True),
        ({"input_image": "4.jpg"}, "input-name", True),
        ({"input_image": ".\\4.png"}, "input-name", True),
        ({"input_image": "23.png"}, "input-missing", True),
        ({"input_image": ...}, "input-unnamed", True),
        ({"input_image": ["4.png"]}, "input-unnamed", True),
        ({"output_image": "text_change_9.png"}, "reference-missing", True),
        ({"output_image": ...}, "reference-unnamed", True),
        ({"output_image": "text_change_4.jpg"}, "reference-name", True),
        ({"prompt": ..., "Prompt ": "Change it"}, "key-name", True),
    ],
)
def test_fields(tmp_path: Path, changes: dict[str, Any], kind: str, repaired: bool) -> None:
    folder = text_instance(tmp_path, 4, **changes)
    sample = only(tmp_path)
    assert finding(sample, kind).repaired is repaired
    assert (sample.fault is None) is repaired
    assert sample.images == (folder / "4.png",)
    assert sample.reference == folder / "text_change_4.png"


@pytest.mark.parametrize(
    "key", ["knowledge_prompt", "knowledge prompt", "knoeledge_prompt", "konwledge_prompt"]
)
def test_spellings_of_the_knowledge_prompt(tmp_path: Path, key: str) -> None:
    text_instance(tmp_path, 4, **{key: "It follows."})
    sample = only(tmp_path)
    assert sample.knowledge == "It follows."
    assert sample.attributes["has_knowledge"] is True
    assert kinds(sample) == ([] if key == "knowledge_prompt" else ["key-name"])


# ---------------------------------------------------------------------------------- hostile names
@pytest.mark.parametrize(
    "name",
    [
        "../../../../secret.png",
        "/etc/hostname",
        "C:\\secret.png",
        "..\\..\\..\\..\\secret.png",
        "a\0b",
    ],
)
@pytest.mark.parametrize("key", ["input_image", "output_image"])
def test_a_name_that_leaves_the_folder_is_never_followed(
    tmp_path: Path, key: str, name: str
) -> None:
    picture(tmp_path / "secret.png")
    root = tmp_path / "data"
    folder = text_instance(root, 4, **{key: name})
    (folder / "4.png").rename(
        folder / "unrelated.png"
    )  # no other picture that could stand in for it
    picture(folder / "further.png")
    sample = only(root)
    what, part = ("input", "") if key == "input_image" else ("reference", "reference")
    found = finding(sample, f"{what}-outside")
    assert (found.repaired, found.part) == (False, part)
    path = sample.images[0] if what == "input" else sample.reference
    assert path is not None
    assert not path.exists()
    assert root in path.parents


def test_links_out_of_the_folder_are_never_followed(tmp_path: Path) -> None:
    secret = picture(tmp_path / "elsewhere" / "secret.png")
    root = tmp_path / "data"
    folder = text_instance(root, 4)
    for name in ("4.png", "4_mask.png"):
        (folder / name).unlink()
        (folder / name).symlink_to(secret)
    os.symlink(
        text_instance(tmp_path / "elsewhere", 7), folder.parent / "007", target_is_directory=True
    )
    samples, dataset = load(root)
    (sample,) = samples
    assert not finding(sample, "input-outside").repaired
    assert not finding(sample, "mask-outside").repaired
    assert sample.fault is not None
    for path in (sample.images[0], sample.masks["input"]):
        assert not path.exists()
        assert root in path.parents
    assert [f.kind for f in dataset.findings] == ["folder-outside"]


def test_a_json_file_that_is_a_link_out(tmp_path: Path) -> None:
    root = tmp_path / "data"
    folder = text_instance(root, 4)
    path = next(folder.glob("*.json"))
    path.rename(tmp_path / "moved.json")
    path.symlink_to(tmp_path / "moved.json")
    assert not finding(only(root), "json-outside").repaired


def test_a_loop_of_links_ends(tmp_path: Path) -> None:
    folder = text_instance(tmp_path, 4)
    os.symlink(folder.parent, folder / "again", target_is_directory=True)
    samples, dataset = load(tmp_path)
    assert len(samples) == 1
    assert [f.kind for f in dataset.findings] == ["folder-loop"]


# ----------------------------------------------------------------------------- masks and pictures
def test_a_missing_picture_is_a_fault_of_the_data(tmp_path: Path) -> None:
    folder = text_instance(tmp_path, 4)
    (folder / "4.png").unlink()
    sample = only(tmp_path)
    assert not finding(sample, "input-missing").repaired
    assert sample.fault is not None
    assert not sample.images[0].exists()


@pytest.mark.parametrize(
    ("name", "key"), [("4_mask.png", "input"), ("text_change_4_mask.png", "second")]
)
def test_a_missing_mask_costs_only_what_needs_it(tmp_path: Path, name: str, key: str) -> None:
    folder = text_instance(tmp_path, 4)
    (folder / name).unlink()
    sample = only(tmp_path)
    found = finding(sample, "mask-missing")
    assert (found.repaired, found.part) == (False, "mask")
    assert sample.fault is None
    assert set(sample.masks) == {"input", "second"}
    assert not sample.masks[key].exists()


def test_a_mask_of_another_name_is_taken_when_it_is_the_only_one_left(tmp_path: Path) -> None:
    folder = text_instance(tmp_path, 4)
    (folder / "text_change_4_mask.png").rename(folder / "text_chnge_4_mask.png")
    sample = only(tmp_path)
    assert finding(sample, "mask-name").repaired
    assert sample.masks["second"].name == "text_chnge_4_mask.png"


def test_further_masks_are_kept(tmp_path: Path) -> None:
    folder = text_instance(tmp_path, 4)
    mask(folder / "third_mask.png")
    sample = only(tmp_path)
    assert finding(sample, "mask-extra").repaired
    assert set(sample.masks) == {"input", "second", "extra1"}


def test_a_missing_reference(tmp_path: Path) -> None:
    folder = text_instance(tmp_path, 4)
    (folder / "text_change_4.png").unlink()
    sample = only(tmp_path)
    found = finding(sample, "reference-missing")
    assert (found.repaired, found.part) == (False, "reference")
    assert sample.fault is None
    assert sample.reference is not None
    assert not sample.reference.exists()


def test_the_real_split_has_no_reference_whatever_its_record_says(tmp_path: Path) -> None:
    text_instance(tmp_path, 4, split="real", output_image="text_change_4.png")
    sample = only(tmp_path)
    assert sample.reference is None
    assert finding(sample, "reference-missing").repaired
    assert sample.fault is None


def test_files_that_nobody_refers_to(tmp_path: Path) -> None:
    folder = text_instance(tmp_path, 4)
    picture(folder / "other.png")
    (folder / "notes.txt").write_text("x")
    (folder / ".DS_Store").write_text("x")
    (folder / "Thumbs.db").write_text("x")
    sample = only(tmp_path)
    assert finding(sample, "file-unused").found == "['other.png', 'notes.txt']"


# ---------------------------------------------------------------------------------------- folders
def test_an_instance_inside_another_s_folder(tmp_path: Path) -> None:
    outer = text_instance(tmp_path, 48, split="real")
    inner = text_instance(tmp_path, 49, split="real")
    inner.rename(outer / "049")
    samples, _ = load(tmp_path)
    ids = [sample.id for sample in samples]
    base = "data_web-sourced_instances/Art_Creative_Expression"
    assert ids == [f"{base}/048", f"{base}/048/049"]
    assert finding(samples[1], "instance-nested").repaired
    assert samples[1].images[0].name == "49.png"
    assert samples[1].output_stems[0] == "real/Art_Creative_Expression/049_edited"
    assert samples[0].findings == ()


def test_an_instance_whose_files_lie_among_another_s(tmp_path: Path) -> None:
    outer = text_instance(tmp_path, 48, split="real")
    inner = text_instance(tmp_path, 49, split="real")
    for path in inner.iterdir():
        path.rename(outer / path.name)
    inner.rmdir()
    samples, _ = load(tmp_path)
    assert [sample.images[0].name for sample in samples] == ["48.png", "49.png"]
    assert [sample.id.rsplit("/", 2)[1:] for sample in samples] == [
        ["Art_Creative_Expression", "048"],
        ["048", "049"],
    ]
    assert kinds(samples[0]) == []
    assert kinds(samples[1]) == ["instance-nested"]
    assert samples[1].masks["second"].name == "49_edited_mask.png"


def test_a_nested_instance_does_not_take_another_s_output(tmp_path: Path) -> None:
    outer = text_instance(tmp_path, 48, split="real")
    text_instance(tmp_path, 49, split="real")
    other = text_instance(tmp_path, 49, split="real", folder_name="Other", prompt="Another edit")
    other.rename(outer / "049")
    (tmp_path / "real" / "Other").rmdir()
    samples, _ = load(tmp_path)
    assert len(samples) == 3
    stems = [stem for sample in samples for stem in sample.output_stems]
    assert len(stems) == len(set(stems))


def test_what_is_no_instance_is_said(tmp_path: Path) -> None:
    folder = text_instance(tmp_path, 4)
    (folder.parent / "005").mkdir()
    (folder.parent / "list.txt").write_text("x")
    (folder.parent.parent / "readme.txt").write_text("x")
    (tmp_path / "scripts").mkdir()
    samples, dataset = load(tmp_path)
    assert len(samples) == 1
    assert Counter(f.kind for f in dataset.findings) == {
        "folder-empty": 1,
        "file-stray": 2,
        "folder-unknown": 1,
    }
    assert all(f.file and f.found and f.assumed for f in dataset.findings)
    list(dataset)
    assert len(dataset.findings) == 4


def test_two_folders_of_one_split(tmp_path: Path) -> None:
    text_instance(tmp_path, 4, split="canva")
    text_instance(tmp_path, 4)
    samples, dataset = load(tmp_path)
    assert len(samples) == 1
    assert [(f.kind, f.repaired) for f in dataset.findings] == [("split-twice", False)]


def test_misspelt_topic_folder(tmp_path: Path) -> None:
    text_instance(tmp_path, 34, folder_name="Digtial_Interfaces_Reports")
    sample = only(tmp_path)
    assert sample.id == "data_manual_production/Digtial_Interfaces_Reports/034"
    assert sample.category == ("Digital_Interfaces_Interaction",)
    assert sample.attributes["topic"] == "Digital Interfaces & Interaction"
    assert "canva/Digtial_Interfaces_Reports/034_edited" in sample.output_stems
    assert "canva/Digital_Interfaces_Reports/034_edited" in sample.output_stems


FOLDERS = (*TOPICS, "Topic_A", "Topic_B")
"""Fourteen topics: the twelve whose names are at hand, and two more."""


def test_the_full_release_has_1196_samples_of_14_topics(tmp_path: Path) -> None:
    """691 + 505 + 1 folders; one real instance lies a second time inside its sibling's folder, its record
    with other line ends; one topic has another name in each split. Pictures are never decoded.
    """
    for split, count in (("data_manual_production", 691), ("data_web-sourced_instances", 505)):
        real = split == "data_web-sourced_instances"
        for index in range(count):
            topic, number = FOLDERS[index % 14], index // 14 + 1
            if not real and topic == "Digital_Interfaces_Interaction":
                topic = "Digtial_Interfaces_Reports"
            folder = tmp_path / split / topic / f"{number:03d}"
            folder.mkdir(parents=True)
            record = text_record(number, output_image=... if real else f"a_{number}.png")
            second = f"{number}_edited_mask.png" if real else f"a_{number}_mask.png"
            (folder / "record.json").write_text(json.dumps([record], indent=1))
            for name in (f"{number}.png", f"{number}_mask.png", second, f"a_{number}.png"):
                if not (real and name.startswith("a_")):
                    (folder / name).write_bytes(f"{split} {topic} {name}".encode())
    diagrams = tmp_path / "data_web-sourced_instances" / "Scientific_Technical_Diagrams"
    shutil.copytree(diagrams / "029", diagrams / "028" / "029")
    copied = diagrams / "028" / "029" / "record.json"
    copied.write_bytes(copied.read_bytes().replace(b"\n", b"\r\n"))
    samples, dataset = load(tmp_path)
    assert len(samples) == 1196
    assert Counter(sample.split for sample in samples) == {"synthetic": 691, "real": 505}
    assert len({sample.id for sample in samples}) == 1196
    assert len({sample.output_stems[0] for sample in samples}) == 1196
    assert [(f.kind, f.repaired) for f in dataset.findings] == [("instance-copy", True)]
    assert dataset.findings[0].file.endswith("Scientific_Technical_Diagrams/028/029")
    assert len({sample.attributes["topic"] for sample in samples}) == 14
    assert len({sample.category for sample in samples}) == 14
    assert BENCHMARK.published_counts == {"": 1196, "synthetic": 691, "real": 505}


# ------------------------------------------------------------------------------------------ copies
def test_a_copy_is_named_and_left_out(tmp_path: Path) -> None:
    """The copy lies inside another instance's folder; the one that is kept is alone in its name."""
    text_instance(tmp_path, 48, split="real")
    kept = text_instance(tmp_path, 49, split="real")
    nested = kept.parent / "048" / "049"
    shutil.copytree(kept, nested)
    record = next(nested.glob("*.json"))
    record.write_bytes(record.read_bytes().replace(b"\n", b"\r\n") + b"\r\n")
    samples, dataset = load(tmp_path)
    assert [sample.id.rsplit("/", 1)[1] for sample in samples] == ["048", "049"]
    assert samples[0].findings == ()
    assert samples[1].output_stems[0] == "real/Art_Creative_Expression/049_edited"
    (copy,) = dataset.findings
    assert (copy.kind, copy.repaired, copy.assumed) == ("instance-copy", True, "left out")
    assert copy.found.endswith("data_web-sourced_instances/Art_Creative_Expression/049")


def test_the_one_whose_number_the_record_names_is_kept(tmp_path: Path) -> None:
    right = text_instance(tmp_path, 49)
    shutil.copytree(right, right.parent / "007")
    samples, dataset = load(tmp_path)
    assert [sample.id.rsplit("/", 1)[1] for sample in samples] == ["049"]
    assert dataset.findings[0].file.endswith("/007")


def test_a_copy_in_another_topic_is_left_out_by_its_record(tmp_path: Path) -> None:
    right = text_instance(
        tmp_path, 4, folder_name="Business_Advertising", topic="Business & Advertising"
    )
    shutil.copytree(right, right.parents[1] / "Art_Creative_Expression" / "004")
    samples, _ = load(tmp_path)
    assert [sample.attributes["topic"] for sample in samples] == ["Business & Advertising"]


@pytest.mark.parametrize("change", ["pixels", "record", "empty", "record-empty"])
def test_what_differs_in_anything_is_no_copy(tmp_path: Path, change: str) -> None:
    one = text_instance(tmp_path, 49)
    two = Path(shutil.copytree(one, one.parent / "050"))
    record = next(two.glob("*.json"))
    if change == "pixels":
        picture_file = two / "49.png"
        data = bytearray(picture_file.read_bytes())
        data[-1] ^= 1
        picture_file.write_bytes(data)
    elif change == "record":
        record.write_text(record.read_text().replace("'OLD'", "'OLD '"))
    elif change == "empty":
        for folder in (one, two):
            (folder / "49.png").write_bytes(b"")
    else:
        for folder in (one, two):
            (folder / record.name).write_text("[]")
    samples, dataset = load(tmp_path)
    assert len(samples) == 2
    assert "instance-copy" not in {found.kind for found in dataset.findings}


# ----------------------------------------------------------------------------------------- errors
def test_errors_say_what_was_wanted_and_found(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="found none: pass the data folder"):
        BENCHMARK.load(None)
    with pytest.raises(DataError, match="nothing there"):
        BENCHMARK.load(tmp_path / "nowhere")
    (tmp_path / "file").write_text("x")
    with pytest.raises(DataError, match="found a file"):
        BENCHMARK.load(tmp_path / "file")
    (tmp_path / "empty").mkdir()
    with pytest.raises(
        DataError, match=r"wanted a folder data_manual_production .* found an empty folder"
    ):
        BENCHMARK.load(tmp_path / "empty")
    folder = text_instance(tmp_path / "data", 4)
    with pytest.raises(DataError, match="one split; wanted the one above it"):
        BENCHMARK.load(folder.parent.parent)
    with pytest.raises(DataError, match=r"Did you mean .*data\?"):
        BENCHMARK.load(tmp_path)
    with pytest.raises(DataError, match="wanted a folder data_web-sourced_instances or real"):
        BENCHMARK.load(tmp_path / "data", split="real")
    with pytest.raises(UsageError, match="synthetic and real"):
        BENCHMARK.load(tmp_path / "data", split="test")
    prompt_set(tmp_path / "other", [prompt_record(1)])
    with pytest.raises(DataError, match="looks like textedit"):
        BENCHMARK.load(tmp_path / "other")


def test_folder_names_that_are_no_utf8_can_be_written_down(tmp_path: Path) -> None:
    folder = text_instance(tmp_path, 4)
    try:
        os.rename(os.fsencode(folder), os.fsencode(folder.parent) + b"/\xff4")
    except OSError as error:
        pytest.skip(f"this file system keeps no such names ({error})")
    sample = only(tmp_path)
    assert json.dumps([sample.id, [f.file for f in sample.findings]], ensure_ascii=False).encode()
    assert sample.image.is_file()


# ------------------------------------------------------------------------------ words and numbers
@pytest.mark.parametrize(
    ("tier", "score", "name", "total", "known", "found"),
    [
        ("easy", "0(0,0,0,0,0,0,0,0,0,0)", "easy", 0, True, []),
        ("medium", " 6(0,2,2,0,0,0,0,1,1,0)", "medium", 6, True, []),
        ("hard", "11(2,2,0,0,0,0,2,2,1,2)", "hard", 11, True, []),
        ("hard", "11（2，2，0，0，0，0，2，2，1，2）", "hard", 11, True, []),
        ("esay", "5(1,2,0,0,0,0,0,0,0,2)", "easy", 5, True, ["tier"]),
        ("meduim", "6(0,2,0,0,0,0,2,0,0,2)", "medium", 6, True, ["tier"]),
        (" medium", "6(0,2,0,0,0,0,2,0,0,2)", "medium", 6, True, ["tier"]),
        ("easy", "(0,0,0,0,0,0,2,0,0,2)", "easy", 4, True, ["total"]),
        ("easy", "2(0,2,0,0,0,0,0,0,0)", "easy", 2, False, ["count"]),
        ("easy", "2(0,0,0,0,0,1,0,0,0,1,0)", "easy", 2, False, ["count"]),
        ("easy", "1(0,0,0,0,0,0,0,0,1,0,)", "easy", 1, True, ["comma"]),
        ("easy", "1(0,0,0,0,0,0,0,0,1,0),", "easy", 1, True, ["comma"]),
        ("easy", "1(0,0,0,0,0,0,0,0,1,0", "easy", 1, True, ["bracket"]),
        ("easy", "5(0,0,0,0,0,0,2,0,0,2)", "easy", 5, True, ["sum"]),
        ("easy", "7(1,1,1,2,0,0,0,0,0,2)", "easy", 7, True, ["disagrees"]),
        ("easy", "5", "easy", 5, False, ["count"]),
        ("easy", "5(1,2,9,0,0,0,0,0,0,2)", "easy", 5, False, ["value"]),
        ("easy", "50(1,2,0,0,0,0,0,0,0,2)", "easy", 5, True, ["total", "total"]),
        ("easy", "five", "easy", None, False, ["unreadable"]),
        ("easy", "", "easy", None, False, ["unreadable"]),
        (None, None, None, None, False, ["tier", "missing"]),
        ("impossible", "0(0,0,0,0,0,0,0,0,0,0)", None, 0, True, ["tier"]),
    ],
)
def test_difficulty(
    tier: str | None,
    score: str | None,
    name: str | None,
    total: int | None,
    known: bool,
    found: list[str],
) -> None:
    notes = Notes("x.json")
    difficulty, findings = read_difficulty(tier, score, notes), notes.findings
    assert (difficulty.tier, difficulty.total, difficulty.values is not None) == (
        name,
        total,
        known,
    )
    assert [f.kind for f in findings] == [f"difficulty-{kind}" for kind in found]
    assert all(f.repaired for f in findings)
    clean = name is not None and known and not {"sum", "disagrees"} & set(found)
    assert difficulty.agrees is difficulty.attributes()["difficulty_agrees"] is clean
    assert (set(ATTRIBUTES) <= set(difficulty.attributes())) is known


def test_the_tiers() -> None:
    # easy 0 to 5, medium 6 to 10, hard 11 to 20 (protocols of the paper)
    assert [tier_of(total) for total in (0, 5, 6, 10, 11, 20)] == [
        "easy",
        "easy",
        "medium",
        "medium",
        "hard",
        "hard",
    ]


@given(st.text(max_size=40), st.text(max_size=10))
@settings(max_examples=200, deadline=None)
def test_any_difficulty_can_be_read(score: str, tier: str) -> None:
    notes = Notes("x")
    assert read_difficulty(tier, score, notes).agrees or notes.findings


def test_topics_follow_the_folder() -> None:
    clean = Notes("x")
    assert topic_of("Business_Advertising", "Business & Advertising", clean) == (
        "Business & Advertising"
    )
    for written in (
        "Business&Advertising",
        "Business &Advertising",
        "business & advertising",
        "Art",
    ):
        notes = Notes("x")
        assert topic_of("Business_Advertising", written, notes) == "Business & Advertising"
        assert [f.kind for f in notes.findings] == ["topic-name"]
    for folder in ("Digtial_Interfaces_Reports", "Digital_Interfaces_Interaction"):
        assert topic_of(folder) == "Digital Interfaces & Interaction"
    assert topic_of("Menus_Receipts", "Menus & Receipts", clean) == "Menus Receipts"
    assert clean.findings == []


def test_operations_and_tags() -> None:
    notes = Notes("x")
    assert operation_of("scalling", notes) == "scaling"
    assert operation_of("Text Delete", notes) == "text_delete"
    assert tag_of("human_anntation", notes) == "human_annotation"
    clean = Notes("x")
    assert (operation_of("text_delete", clean), tag_of(None, clean)) == ("text_delete", "")
    assert (len(notes.findings), clean.findings) == (3, [])


# ------------------------------------------------------------------------------------- any record
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(sorted(text_record(4))), JSON))
@settings(max_examples=60, deadline=None)
def test_any_record_gives_a_sample(
    tmp_path_factory: pytest.TempPathFactory, record: dict[str, Any]
) -> None:
    root = tmp_path_factory.mktemp("any")
    text_instance(root, 4, content=json.dumps([{**text_record(4), **record}]))
    sample = only(root)
    assert sample.id.endswith("/004")
    for path in (
        *sample.images,
        *([sample.reference] if sample.reference else []),
        *sample.masks.values(),
    ):
        assert root in path.parents


@given(st.binary(max_size=200))
@settings(max_examples=100, deadline=None)
def test_any_bytes_give_a_sample(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    root = tmp_path_factory.mktemp("any")
    text_instance(root, 4, content=content)
    sample = only(root)
    assert sample.id.endswith("/004")
    if sample.fault is None:  # only what is a record: an object, or a list with one in it
        record = json.loads(content)
        assert isinstance(record if isinstance(record, dict) else record[0], dict)


# ---------------------------------------------------------------------------------- the real ones
def test_the_shared_instances(shared: Path) -> None:
    samples, dataset = load(shared / "data" / "texteditbench")
    assert len(samples) == 46
    assert Counter(sample.split for sample in samples) == {"synthetic": 24, "real": 22}
    assert all(sample.fault is None for sample in samples)
    assert dataset.findings == []
    assert all(
        path.is_file() for sample in samples for path in (*sample.images, *sample.masks.values())
    )
    assert all(
        (sample.reference is not None) == (sample.split == "synthetic") for sample in samples
    )
    assert all(set(sample.masks) == {"input", "second"} for sample in samples)
    found = Counter(f.kind for sample in samples for f in sample.findings)
    assert found["input-name"] == 2
    assert (
        found["input-missing"]
        == found["key-name"]
        == found["operation-name"]
        == found["json-odd-blank"]
        == 1
    )
    golden = json.loads((shared / "golden" / "texteditbench_pixel.json").read_text())
    assert set(golden["noop"]) <= {sample.id for sample in samples}
