"""What the four loaders make of folders and records beyond the slips of the releases, which
`tests/contract/test_data.py` has: no sample is lost, no name leads out, and every fault is named.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from editgauge import catalog
from editgauge.benchmarks.base import Samples
from editgauge.benchmarks.reading import Notes
from editgauge.benchmarks.texteditbench.facts import ATTRIBUTES
from editgauge.benchmarks.texteditbench.samples import read_difficulty
from editgauge.errors import DataError
from editgauge.images import read_image
from editgauge.store.samples import measured
from editgauge.testing import make_sample
from editgauge.types import Sample
from tests.benchmarks.releases import (
    finding,
    kinds,
    organ_record,
    organ_set,
    picture,
    prompt_record,
    prompt_set,
    task_record,
    task_set,
    text_instance,
)


def load(benchmark: str, root: Path, split: str | None = None) -> tuple[list[Sample], Samples]:
    found = catalog.find("benchmarks", benchmark).load(root, split=split)
    return list(found), found


def only(benchmark: str, root: Path) -> Sample:
    (sample,) = load(benchmark, root)[0]
    return sample


def one(benchmark: str, root: Path, **changes: Any) -> Sample:
    """The sample of a clean record with these changes."""
    if benchmark == "texteditbench":
        text_instance(root, 4, **changes)
    elif benchmark == "textedit":
        prompt_set(root, [prompt_record(3)])  # its pictures
        prompt_set(root, [prompt_record(3, **changes)])
    elif benchmark == "medebench":
        organ_set(root, [organ_record(38, **changes)])
    else:
        task_set(root, {"1": task_record(**changes)})
    return only(benchmark, root)


def paths_of(sample: Sample) -> list[Path]:
    return [*sample.images, *([sample.reference] if sample.reference else []),
            *sample.masks.values()]  # fmt: skip


# -- files and names -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["../../../../secret.png", "link.png", "C:\\x.png", "a\0b"])
@pytest.mark.parametrize(
    ("benchmark", "key"),
    [("texteditbench", "input_image"), ("texteditbench", "output_image"),
     ("textedit", "original_image"), ("medebench", "previous_mask"), ("krisbench", "ori_img")],
)  # fmt: skip
def test_a_name_that_leaves_the_folder_is_never_followed(
    tmp_path: Path, benchmark: str, key: str, name: str
) -> None:
    picture(tmp_path / "secret.png")
    root = tmp_path / "data"
    one(benchmark, root)
    for folder in [path for path in root.rglob("*") if path.is_dir()]:
        (folder / "link.png").symlink_to(tmp_path / "secret.png")
    sample = one(benchmark, root, **{key: name})
    assert any(kind.endswith("-outside") for kind in kinds(sample))
    assert all(root.resolve() in path.resolve().parents for path in paths_of(sample))


@pytest.mark.parametrize(
    ("benchmark", "changes", "kind", "repaired", "part"),
    [
        ("texteditbench", {"prompt": "  "}, "prompt-missing", False, ""),
        ("texteditbench", {"prompt": ["a"]}, "wrong-type", False, ""),
        ("texteditbench", {"id": None}, "id-number", True, ""),
        ("texteditbench", {"editing_method": ...}, "method-missing", False, "operation"),
        ("texteditbench", {"input_image": ["4.png"]}, "input-unnamed", True, ""),
        ("texteditbench", {"output_image": "c_9.png"}, "reference-missing", False, "reference"),
        ("textedit", {"id": True}, "id-missing", True, ""),
        ("textedit", {"id": "../x"}, "id-name", True, ""),
        ("textedit", {"original_image": 5}, "input-unnamed", False, ""),
        ("medebench", {"previous_image": ...}, "input-unnamed", True, ""),
        ("medebench", {"changed_image": ["a"]}, "reference-unnamed", True, ""),
        ("medebench", {"previous_mask": "previous_mask\\38.png"}, "mask-name", True, ""),
        ("medebench", {"id": None}, "id-missing", False, ""),
        ("krisbench", {"ori_img": ["1.png", 3]}, "input-unnamed", False, ""),
        ("krisbench", {"ori_img": ["1.png"] * 6}, "input-many", False, ""),
        ("krisbench", {"gt_img": {"a": 1}}, "reference-unnamed", False, "reference"),
        ("krisbench", {"explain_en": 3}, "wrong-type", False, "knowledge"),
    ],
)
def test_a_wrong_field_is_one_finding_and_no_loss(
    tmp_path: Path, benchmark: str, changes: dict[str, Any], kind: str, repaired: bool, part: str
) -> None:
    root = tmp_path / "a" / "b"
    sample = one(benchmark, root, **changes)
    found = finding(sample, kind)
    assert (found.repaired, found.part) == (repaired, part)
    assert (sample.fault is None) is (repaired or part != "")
    assert all(root in path.parents for path in paths_of(sample))
    assert not any(".." in stem.split("/") for stem in sample.output_stems)


def test_ids_that_occur_twice_are_told_apart(tmp_path: Path) -> None:
    prompt_set(tmp_path, [prompt_record(3), prompt_record(3, prompt="Another")])
    samples, _ = load("textedit", tmp_path)
    assert [sample.id for sample in samples] == ["1.1.1/3", "1.1.1/3~2"]
    assert finding(samples[1], "id-twice").repaired
    organ_set(tmp_path, [organ_record(38), organ_record(38, prompt="Another")])
    samples, _ = load("medebench", tmp_path)
    assert not finding(samples[1], "id-twice").repaired
    assert "38_0" not in samples[1].output_stems


@pytest.mark.parametrize(("benchmark", "is_turned"), [("mine", True), ("krisbench", False)])
def test_what_exif_turns_is_turned_in_a_set_of_ones_own(
    benchmark: str, is_turned: bool, tmp_path: Path
) -> None:
    shown = np.random.default_rng(1).integers(0, 255, (6, 4, 3), np.uint8)
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.fromarray(np.rot90(shown)).save(tmp_path / "a.png", exif=exif)
    turned = make_sample(tmp_path, images=(tmp_path / "a.png",), reference=tmp_path / "a.png")
    (sample,) = Samples(benchmark, tmp_path, lambda _: iter([turned]))
    for path in (sample.image, sample.reference):
        assert path is not None
        assert np.array_equal(read_image(path), shown) == is_turned


# -- each benchmark --------------------------------------------------------------------------------


def test_a_mask_of_another_name_a_further_one_and_none(tmp_path: Path) -> None:
    folder = text_instance(tmp_path, 4)
    (folder / "text_change_4_mask.png").rename(folder / "text_chnge_4_mask.png")
    sample = only("texteditbench", tmp_path)
    assert finding(sample, "mask-name").repaired
    assert sample.masks["second"].name == "text_chnge_4_mask.png"
    (folder / "text_change_4_mask.png").write_bytes((folder / "4_mask.png").read_bytes())
    sample = only("texteditbench", tmp_path)
    assert (list(sample.masks), kinds(sample)) == (["input", "second", "extra1"], ["mask-extra"])
    for path in list(sample.masks.values())[1:]:
        path.unlink()
    sample = only("texteditbench", tmp_path)
    found = finding(sample, "mask-missing")
    assert (found.repaired, found.part, sample.fault) == (False, "mask", None)
    assert not sample.masks["second"].exists()


def test_a_folder_inside_an_instances_is_named_and_is_no_copy_unless_it_is_one(
    tmp_path: Path,
) -> None:
    text_instance(tmp_path, 49)
    picture(text_instance(tmp_path, 48) / "049" / "49.png")
    samples, dataset = load("texteditbench", tmp_path)
    assert len(samples) == 2
    assert [(f.kind, f.repaired) for f in dataset.findings] == [("instance-nested", False)]


@pytest.mark.parametrize(
    ("tier", "score", "name", "total", "known", "found"),
    [
        ("medium", " 6(0,2,2,0,0,0,0,1,1,0)", "medium", 6, True, []),
        ("hard", "11（2，2，0，0，0，0，2，2，1，2）", "hard", 11, True, []),
        ("easy", "5(1,2,9,0,0,0,0,0,0,2)", "easy", 5, False, ["count"]),
        ("easy", "five", "easy", None, False, ["unreadable"]),
        (None, None, None, None, False, ["unreadable"]),
        ("impossible", "0(0,0,0,0,0,0,0,0,0,0)", None, 0, True, []),
    ],
)
def test_a_difficulty_that_cannot_be_read_is_left_open(
    tier: str | None, score: str | None, name: str | None, total: int | None, known: bool,
    found: list[str],
) -> None:  # fmt: skip
    notes = Notes("x.json")
    facts = read_difficulty(tier, score, notes)
    assert (facts.get("difficulty"), facts.get("difficulty_total")) == (name, total)
    assert (set(ATTRIBUTES) <= set(facts)) is known
    assert [f.kind for f in notes.findings] == [f"difficulty-{kind}" for kind in found]


def test_textedits_sets_and_halves(tmp_path: Path) -> None:
    prompt_set(tmp_path, [prompt_record(3)])
    prompt_set(tmp_path, [prompt_record(9, "2.1")], category="2.1")
    assert [s.id for s in load("textedit", tmp_path, "Real")[0]] == ["2.1/9"]
    with pytest.raises(DataError, match=r"wanted the fullset .* found miniset"):
        load("textedit", tmp_path, "fullset")
    prompt_set(tmp_path, [prompt_record(3)], part="fullset")
    assert load("textedit", tmp_path, "virtual")[1].part == "fullset/Virtual"


def test_an_organ_that_the_paper_does_not_have_stays_visible_without_a_depth(
    tmp_path: Path,
) -> None:
    for name, depth in (("Spine and Bones", "internal"), ("Nose", "superficial"), ("Liver", None)):
        sample = one("medebench", tmp_path, Organ=name)
        assert sample.attributes["organ"] == sample.category[0] == name.partition(" and")[0]
        assert sample.attributes.get("organ_depth") == depth


def test_the_mask_ratio_is_the_share_of_marked_pixels(tmp_path: Path) -> None:
    """A third of the height and a quarter of the width of 64 x 48: 16 x 16 of 3,072 pixels."""
    organ_set(tmp_path, [organ_record(38), organ_record(45)])
    (tmp_path / "editing/previous_mask/45.png").write_bytes(b"not a picture")
    good, bad = measured(load("medebench", tmp_path)[0])
    assert good.attributes["mask_ratio"] == round(16 * 16 / (64 * 48), 4)
    assert good.attributes["mask_band"] == "0.0–0.1"
    assert "mask_ratio" not in bad.attributes


def test_frames_that_do_not_say_which_one_is_missing(tmp_path: Path) -> None:
    record = task_record(ori_img=["1-1.png", "1-3.png"], gt_img="1-2.png", explain_en="")
    task_set(tmp_path, {"1": record}, category="temporal_prediction")
    sample = only("krisbench", tmp_path)
    assert not finding(sample, "frame-unknown").repaired
    assert sample.attributes["task"] == "temporal_prediction_unknown"


def test_categories_of_kris_bench_and_others(tmp_path: Path) -> None:
    task_set(tmp_path, {"10": task_record(), "9": task_record(), "2": {}, "x/": 1, "x?": 2})
    task_set(tmp_path, {"1": task_record()}, category="alchemy")
    task_set(tmp_path, "[", category="physics")
    samples, dataset = load("krisbench", tmp_path / "KRIS_Bench")
    ids = [f"chemistry/{name}" for name in ("2", "9", "10", "x_", "x_~4")] + ["alchemy/1"]
    assert [sample.id for sample in samples] == ids
    assert samples[0].fault is not None
    assert samples[-1].category == ("Other", "Other", "alchemy")
    found = [f.kind for f in dataset.findings if f.kind != "category-missing"]
    assert found == ["json-unreadable"]
