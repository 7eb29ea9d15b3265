"""TextEdit: both sets, both halves, and lines that are not what they should be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editgauge.benchmarks.base import Samples
from editgauge.benchmarks.textedit import BENCHMARK
from editgauge.benchmarks.textedit.facts import REAL, VIRTUAL, split_of
from editgauge.errors import DataError, UsageError
from editgauge.types import Sample
from tests.benchmarks.releases import (
    finding,
    kinds,
    picture,
    prompt_record,
    prompt_set,
)


def load(root: Path, split: str | None = None) -> tuple[list[Sample], Samples]:
    found = BENCHMARK.load(root, split=split)
    return list(found), found


def test_the_sets_and_halves(tmp_path: Path) -> None:
    prompt_set(tmp_path, [prompt_record(3)])
    prompt_set(tmp_path, [prompt_record(9, "2.1")], category="2.1")
    assert BENCHMARK.load(tmp_path).part == "miniset"
    assert [s.id for s in load(tmp_path, "Real")[0]] == ["2.1/9"]
    assert [s.id for s in load(tmp_path, "virtual")[0]] == ["1.1.1/3"]
    with pytest.raises(DataError, match=r"wanted the fullset .* found miniset"):
        BENCHMARK.load(tmp_path, split="fullset")
    prompt_set(tmp_path, [prompt_record(3), prompt_record(4)], name="fullset")
    assert BENCHMARK.load(tmp_path).part == "fullset"
    assert len(load(tmp_path)[0]) == 2
    assert len(load(tmp_path, "miniset")[0]) == 2
    assert BENCHMARK.load(tmp_path, split="Real").part == "fullset/Real"
    with pytest.raises(UsageError, match="fullset, miniset, Virtual and Real"):
        BENCHMARK.load(tmp_path, split="test")


def test_halves_of_the_categories() -> None:
    assert (len(VIRTUAL), len(REAL)) == (11, 7)
    assert {split_of(category) for category in VIRTUAL} == {"Virtual"}
    assert {split_of(category) for category in REAL} == {"Real"}
    assert split_of("3.1") == ""
    counts = BENCHMARK.published_counts
    assert (counts[""], counts["fullset"], counts["miniset"]) == (2148, 2148, 500)
    assert sum(counts[f"miniset/{category}"] for category in (*VIRTUAL, *REAL)) == 500
    assert sum(counts[f"miniset/{category}"] for category in VIRTUAL) == counts["miniset/Virtual"]
    assert sum(counts[f"miniset/{category}"] for category in REAL) == counts["miniset/Real"]


LINE = json.dumps(prompt_record(3))


@pytest.mark.parametrize(
    ("line", "kind", "repaired"),
    [
        (LINE.replace("}", ",}"), "json-unreadable", False),
        (b"\xef\xbb\xbf" + LINE.encode(), "json-byte-order-mark", True),
        (LINE.replace(", ", ",\u00a0"), "json-odd-blank", True),
        (LINE + "\r", None, True),
        (LINE[:40], "json-unreadable", False),
        ("3", "json-wrong-type", False),
        ('["a"]', "json-wrong-type", False),
        (LINE.encode().replace(b"sign", b"\xc4\xfa\xba\xc3"), "json-encoding", False),
    ],
)
def test_lines(tmp_path: Path, line: str | bytes, kind: str | None, repaired: bool) -> None:
    prompt_set(tmp_path, [line, "", prompt_record(7)])
    picture(tmp_path / "data/1.1.1/image/original/1003.0.png")
    picture(tmp_path / "data/1.1.1/image/gt/1003.0.png")
    if isinstance(line, str) and line.startswith("["):
        line = " " + line
    first, second = load(tmp_path)[0]
    assert second.id == "1.1.1/7"
    assert second.findings == ()
    assert (first.fault is None) is repaired
    assert kinds(first) == ([] if kind is None else [kind])
    assert first.id == ("1.1.1/3" if repaired else "1.1.1/line-1")


def test_a_list_instead_of_lines(tmp_path: Path) -> None:
    prompt_set(tmp_path, [json.dumps([prompt_record(3), prompt_record(4)], indent=1)])
    picture(tmp_path / "data/1.1.1/image/original/1003.0.png")
    samples, _ = load(tmp_path)
    assert [sample.id for sample in samples] == ["1.1.1/3", "1.1.1/4"]
    assert finding(samples[0], "json-list").repaired


@pytest.mark.parametrize(
    ("changes", "kind", "repaired", "identity"),
    [
        ({"prompt": {}}, "wrong-type", False, "3"),
        ({"id": ...}, "id-missing", True, "line-1"),
        ({"id": True}, "id-missing", True, "line-1"),
        ({"id": "../x"}, "id-name", True, "_x"),
        ({"original_image": 5}, "input-unnamed", False, "3"),
        ({"original_image": ...}, "input-unnamed", False, "3"),
    ],
)
def test_fields(
    tmp_path: Path, changes: dict[str, Any], kind: str, repaired: bool, identity: str
) -> None:
    root = tmp_path / "a" / "b"
    prompt_set(root, [prompt_record(3)])
    prompt_set(root, [prompt_record(3, **changes)])
    picture(root / "data/1.1.1/image/original/1003.0.png")
    picture(root / "data/1.1.1/image/gt/1003.0.png")
    (sample,), _ = load(root)
    assert finding(sample, kind).repaired is repaired
    assert (sample.fault is None) is repaired
    assert sample.id == f"1.1.1/{identity}"
    assert root in sample.images[0].parents
    assert not any(".." in stem.split("/") for stem in sample.output_stems)


def test_a_picture_of_another_category(tmp_path: Path) -> None:
    prompt_set(tmp_path, [prompt_record(3)])
    prompt_set(
        tmp_path,
        [prompt_record(3, original_image="1.1.1/image/original/1003.0.png")],
        category="2.1",
    )
    sample = load(tmp_path, "Real")[0][0]
    assert finding(sample, "category-name").repaired
    assert sample.output_stems == ("2.1/1003.0",)


def test_ids_that_occur_twice_are_told_apart(tmp_path: Path) -> None:
    prompt_set(
        tmp_path,
        [prompt_record(3), prompt_record(3, prompt="Another"), prompt_record(3, prompt="Third")],
    )
    samples, _ = load(tmp_path)
    assert [sample.id for sample in samples] == ["1.1.1/3", "1.1.1/3~2", "1.1.1/3~3"]
    assert finding(samples[1], "id-twice").repaired


def test_the_same_line_twice_is_one_sample(tmp_path: Path) -> None:
    """Equal but for blanks and the order of keys; without an id nobody can say so."""
    first = json.dumps(prompt_record(3))
    again = json.dumps(dict(reversed(prompt_record(3).items())), indent=None, separators=(",", ":"))
    prompt_set(tmp_path, [prompt_record(3)])
    file = tmp_path / "eval_prompts/miniset/1.1.1.jsonl"
    file.write_text(f"{first}\n{again}\n")
    samples, dataset = load(tmp_path)
    assert [sample.id for sample in samples] == ["1.1.1/3"]
    assert "record-twice" in {found.kind for found in dataset.findings}
    nameless = json.dumps(prompt_record(3, id=...))
    file.write_text(f"{nameless}\n{nameless}\n")
    assert len(load(tmp_path)[0]) == 2


@given(
    st.lists(st.binary(max_size=60).filter(lambda line: b"\n" not in line), min_size=1, max_size=4)
)
@settings(max_examples=80, deadline=None)
def test_any_lines_can_be_read(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes]
) -> None:
    root = tmp_path_factory.mktemp("any")
    prompt_set(root, [*lines, prompt_record(7)])
    samples, _ = load(root)
    assert all(sample.fault is not None for sample in samples[:-1])
    assert len(samples) <= len(lines) + 1
