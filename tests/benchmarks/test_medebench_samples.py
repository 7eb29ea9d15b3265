"""MedEBench: both spellings of the keys, pictures found by id, records that are not what they
should be.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from editgauge.benchmarks.base import Samples
from editgauge.benchmarks.medebench import BENCHMARK
from editgauge.store.measured import measured
from editgauge.types import Sample
from tests.benchmarks.releases import finding, organ_record, organ_set


def load(root: Path) -> tuple[list[Sample], Samples]:
    found = BENCHMARK.load(root)
    return list(found), found


def test_the_root_may_be_the_inner_folder(tmp_path: Path) -> None:
    inner = organ_set(tmp_path, [organ_record(38)])
    (sample,), dataset = load(inner)
    assert sample.findings == ()
    assert dataset.root == tmp_path
    inner.rename(tmp_path / "renamed")
    (sample,), dataset = load(tmp_path / "renamed")
    assert sample.image == tmp_path / "renamed/previous/38.png"
    assert sample.findings == ()


@pytest.mark.parametrize(
    ("changes", "kind", "repaired", "part"),
    [
        ({"previous_image": "editing/previous/38.PNG"}, "input-name", True, ""),
        ({"previous_image": ...}, "input-unnamed", True, ""),
        ({"previous_image": "../../x.png"}, "input-outside", False, ""),
        ({"changed_image": ["a"]}, "reference-unnamed", True, ""),
        ({"previous_mask": "editing\\previous_mask\\38.png"}, "mask-name", True, ""),
        ({"Task": 7}, "wrong-type", True, ""),
        ({"id": None}, "id-missing", False, ""),
        ({"id": "../../38"}, "id-name", True, ""),
        ({"detailed_prompt": ..., "detailed prompt": "Gone."}, "key-name", True, ""),
    ],
)
def test_fields(
    tmp_path: Path, changes: dict[str, Any], kind: str, repaired: bool, part: str
) -> None:
    root = tmp_path / "a" / "b"
    organ_set(root, [organ_record(38, **changes)])
    (sample,), _ = load(root)
    found = finding(sample, kind)
    assert (found.repaired, found.part) == (repaired, part)
    assert (sample.fault is None) is (repaired or part != "")
    for path in (sample.image, sample.reference, sample.masks["roi"]):
        assert path is not None
        assert root in path.parents
    assert all(
        ".." not in stem.split("/") and not stem.startswith("/") for stem in sample.output_stems
    )


def test_ids_and_records_that_occur_twice(tmp_path: Path) -> None:
    organ_set(tmp_path, [organ_record(38), organ_record(38), organ_record(38, prompt="Another")])
    samples, dataset = load(tmp_path)
    assert [sample.id for sample in samples] == ["38", "38~2"]
    assert samples[0].fault is None
    assert not finding(samples[1], "id-twice").repaired
    assert "38_0" not in samples[1].output_stems
    assert [f.kind for f in dataset.findings] == ["record-twice"]


@pytest.mark.parametrize(
    ("content", "found", "count"),
    [
        (json.dumps([organ_record(38)]), ["json-list"], 1),
        (
            json.dumps({"samples": [organ_record(38)]}).replace("}]}", "},]}"),
            ["json-unreadable", "samples-none"],
            0,
        ),
        (
            b"\xef\xbb\xbf" + json.dumps({"samples": [organ_record(38)]}).encode(),
            ["json-byte-order-mark"],
            1,
        ),
        ('{"samples": [', ["json-unreadable", "samples-none"], 0),
        ('{"data": []}', ["json-wrong-type", "samples-none"], 0),
        ('{"samples": {}}', ["json-wrong-type", "samples-none"], 0),
        ("[]", ["json-list", "samples-none"], 0),
    ],
)
def test_the_metadata_file(
    tmp_path: Path, content: str | bytes, found: list[str], count: int
) -> None:
    organ_set(tmp_path, [], content=content)
    samples, dataset = load(tmp_path)
    assert len(samples) == count
    assert [f.kind for f in dataset.findings] == found


# --- organs, and what the mask tells ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("released", "name", "depth"),
    [
        ("Spine and Bones", "Spine", "internal"),
        ("Gastrointestinal Tract", "GI Tract", "internal"),
        ("spine  and bones ", "Spine", "internal"),
        ("GI tract", "GI Tract", "internal"),
        ("Teeth", "Teeth", "internal"),
        ("Nose", "Nose", "superficial"),
        ("Liver", "Liver", None),
    ],
)
def test_organs_go_by_the_papers_names(
    tmp_path: Path, released: str, name: str, depth: str | None
) -> None:
    """An organ that the paper does not have stays visible, under its own name and without a depth."""
    organ_set(tmp_path, [organ_record(38, Organ=released)])
    (sample,), _ = load(tmp_path)
    assert (sample.attributes["organ"], sample.category[0]) == (name, name)
    assert sample.attributes.get("organ_depth") == depth


def test_the_mask_ratio_is_the_share_of_marked_pixels(tmp_path: Path) -> None:
    """A third of the height and a quarter of the width of 64 x 48: 16 x 16 of 3,072 pixels."""
    organ_set(tmp_path, [organ_record(38), organ_record(45)])
    (tmp_path / "editing/previous_mask/45.png").write_bytes(b"not a picture")
    samples, _ = load(tmp_path)
    good, bad = measured(samples)
    assert good.attributes["mask_ratio"] == round(16 * 16 / (64 * 48), 4)
    assert good.attributes["mask_band"] == "0.0–0.1"
    assert "mask_ratio" not in bad.attributes
