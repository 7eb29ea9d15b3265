"""The built-in benchmark: whole, small, and true to what it says."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from editgauge.benchmarks.base import Samples
from editgauge.benchmarks.mini import BENCHMARK
from editgauge.benchmarks.mini.samples import DATA
from editgauge.benchmarks.texteditbench.facts import ATTRIBUTES
from editgauge.errors import DataError
from editgauge.images import read_header, read_image, read_mask
from editgauge.types import Sample

IDS = [sample.id for sample in BENCHMARK.load(None)]


@pytest.fixture(scope="session")
def by_id(mini: Samples) -> dict[str, Sample]:
    return {sample.id: sample for sample in mini}


def test_counts_are_those_of_the_samples(mini: Samples) -> None:
    samples = list(mini)
    found = Counter(s.split for s in samples) + Counter(s.category[0] for s in samples)
    assert BENCHMARK.published_counts == {"": len(samples), **found}
    assert len({s.id for s in samples}) == len(samples) == 26
    assert [s.id for s in mini] == [s.id for s in samples], "iterating again gives the same order"


def test_every_operation_protocol_and_tier_occurs(by_id: dict[str, Sample]) -> None:
    def values(name: str) -> set[object]:
        return {s.attributes[name] for s in by_id.values()}

    assert values("operation") == {
        "replace", "delete", "insert", "move", "recolour", "scale", "rotate", "compose", "temporal",
    }  # fmt: skip
    assert values("protocol") == {"texteditbench", "textedit", "medebench", "krisbench"}
    assert values("difficulty") == {"easy", "medium", "hard"}
    assert {len(s.images) for s in by_id.values()} == {1, 2, 3, 4}
    assert any(
        "\u4e00" <= letter <= "\u9fff" for s in by_id.values() for letter in s.target_text or ""
    )


def test_a_split_narrows_and_a_wrong_one_is_named() -> None:
    assert {s.split for s in BENCHMARK.load(None, split="plain")} == {"plain"}
    with pytest.raises(DataError, match="wanted split plain or textured, found 'real'"):
        BENCHMARK.load(None, split="real")


@pytest.mark.parametrize("id", IDS)
def test_the_reference_differs_from_the_input_inside_the_masks_and_nowhere_else(
    id: str, by_id: dict[str, Sample]
) -> None:
    sample = by_id[id]
    pixels, edited = read_image(sample.image), read_image(sample.reference)
    assert edited.shape == pixels.shape
    masks = [read_mask(path) for path in sample.masks.values()]
    assert {mask.shape for mask in masks} == {pixels.shape[:2]}
    changed = (pixels != edited).any(axis=2)
    allowed = np.logical_or.reduce(masks)
    assert not (changed & ~allowed).any()
    assert all(0.005 < mask.mean() < 0.75 for mask in masks)
    # Each mask earns its place: the picture does change inside it, and visibly.
    difference = np.abs(pixels.astype(int) - edited.astype(int)).max(axis=2)
    for mask in masks:
        assert (difference[mask] > 40).mean() > 0.02


@pytest.mark.parametrize("id", IDS)
def test_a_sample_has_what_its_protocol_needs(id: str, by_id: dict[str, Sample]) -> None:
    sample = by_id[id]
    protocol = sample.attributes["protocol"]
    assert sample.instruction
    assert sample.caption
    assert sample.output_stems == (id,)
    assert set(sample.masks) == (
        {"input", "second", "roi"} if protocol == "medebench" else {"input", "second"}
    )
    if protocol == "textedit":
        assert sample.source_text
        assert sample.target_text
    if protocol == "medebench":
        assert all((sample.change, sample.concept, sample.rephrased))
        assert {"organ", "task"} <= set(sample.attributes)
        assert read_header(sample.image).width == 512
    if protocol == "krisbench":
        assert {"task", "knowledge_type", "dimension"} <= set(sample.attributes)
    for text in (sample.source_text, sample.target_text):
        assert (
            text is None
            or text in sample.instruction
            or sample.knowledge
            or sample.attributes["multi_image"]
        )


@pytest.mark.parametrize("id", IDS)
def test_the_difficulty_follows_from_the_ten_attributes(id: str, by_id: dict[str, Sample]) -> None:
    sample = by_id[id]
    values = [sample.attributes[name] for name in ATTRIBUTES]
    assert set(values) <= {0, 1, 2}
    assert sample.attributes["difficulty_total"] == sum(values)
    tier = (
        {True: "easy", False: "hard"}.get(sum(values) <= 5)
        if not 6 <= sum(values) <= 10
        else "medium"
    )
    assert sample.attributes["difficulty"] == tier
    # As in TextEditBench: linkage is 2 exactly when there is a knowledge hint.
    assert (sample.attributes["semantic_linkage"] == 2) == (sample.knowledge is not None)


def test_the_pictures_are_small_and_none_is_left_over(by_id: dict[str, Sample]) -> None:
    used = {
        path
        for sample in by_id.values()
        for path in (*sample.images, sample.reference, *sample.masks.values())
    }
    files = {path for path in DATA.rglob("*") if path.is_file()}
    assert files - used == {DATA / "samples.jsonl"}
    assert sum(path.stat().st_size for path in files) < 600_000
