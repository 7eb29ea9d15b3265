"""TextEditBench: every defect of the release, and faults that it has not, end as a finding and
never as a loss.
"""

from __future__ import annotations

import json
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
from editgauge.benchmarks.texteditbench.samples import read_difficulty
from editgauge.errors import DataError, UsageError
from editgauge.types import Sample
from tests.benchmarks.releases import (
    finding,
    kinds,
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


# ---------------------------------------------------------------------------------- the JSON file
CLEAN = json.dumps([text_record(4)], indent=1)


@pytest.mark.parametrize(
    ("content", "kind"),
    [
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
        ({"topic": ...}, "topic-missing", True),
        ({"editing_method": "levitate"}, "operation-unknown", True),
        ({"editing_method": ...}, "operation-missing", True),
        ({"input_image": "4.PNG"}, "input-name", True),
        ({"input_image": "4.jpg"}, "input-name", True),
        ({"input_image": ".\\4.png"}, "input-name", True),
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


def test_the_one_whose_number_the_record_names_is_kept(tmp_path: Path) -> None:
    right = text_instance(tmp_path, 49)
    shutil.copytree(right, right.parent / "007")
    samples, dataset = load(tmp_path)
    assert [sample.id.rsplit("/", 1)[1] for sample in samples] == ["049"]
    assert dataset.findings[0].file.endswith("/007")


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
