"""`typeset` on what nobody meant it for: no instruction and no picture makes it raise."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editgauge.editors.typeset import TypesetEditor
from editgauge.editors.typeset.find import Line
from editgauge.editors.typeset.grammar import MAX_COMMAND, read_request
from editgauge.images import Array
from editgauge.testing import make_sample
from editgauge.types import Status

WORDS = st.sampled_from([
    "replace", "change", "delete", "add", "insert", "move", "rotate", "make", "enlarge", "shrink",
    "swap", "to",
    "by", "from", "and", "the", "title", "text", "all", "top", "left", "right", "bottom", "below",
    "before", "30",
    "degrees", "%", "200", "twice", "bigger", "red", "colour",
    "(", "[", "'", '"', "'A'", '"B C"', "“D”", "<0>",
    "<9>", "\\",
])  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(st.one_of(st.text(max_size=80), st.lists(WORDS, max_size=14).map(" ".join)))
def test_no_instruction_makes_the_grammar_raise(instruction: str) -> None:
    for operation in read_request(instruction):
        assert operation.kind
        assert operation.amount is None or np.isfinite(operation.amount)


def seen(picture: Array) -> list[Line]:
    """Lines in the oddest places: beyond the border, of no size, upside down, very long."""
    height, width = picture.shape[:2]
    quads = [
        [(-5, -5), (width + 9, -5), (width + 9, height + 9), (-5, height + 9)],
        [(1, 1), (1, 1), (1, 1), (1, 1)],
        [(width, height), (0, height), (0, 0), (width, 0)],
        [(0, 0), (2, 0), (2, height), (0, height)],
    ]
    return [
        Line(np.array(quad, float), text)
        for quad, text in zip(quads, ("A", "B C", "D", "x" * 300), strict=True)
    ]


@pytest.mark.parametrize("size", [(1, 1), (3, 200), (200, 3), (40, 40)])
@pytest.mark.parametrize(
    "instruction",
    [
        "Replace 'A' with 'some much longer text than fits'",
        "Delete 'B C' and 'D'",
        "Make all the words 100 times bigger",
        "Rotate 'D' 33 degrees",
        "Move 'A' to the bottom right",
        "Add 'Z' before 'B C'",
        "Add 'Z' to the top left corner",
        "Swap the positions of 'A' and 'D'",
        "Change the color of 'B C' to red",
        "Resize 'A' to 0%",
    ],
)
def test_no_picture_makes_it_raise(size: tuple[int, int], instruction: str) -> None:
    for picture in (
        np.random.default_rng(1).integers(0, 255, (*size, 3)).astype(np.uint8),
        np.zeros((*size, 3), np.uint8),
    ):
        after, detail, reason = TypesetEditor(seen, verify=False).edit(picture, instruction)
        assert after.shape == picture.shape
        assert after.dtype == np.uint8
        assert detail["edited"] or reason


def test_an_instruction_of_many_pages_is_refused_by_its_length() -> None:
    """Its patterns take time with the square of the words."""
    wanted = "Delete 'A'"
    longest = wanted + " " * (MAX_COMMAND - len(wanted))
    assert [o.kind for o in read_request(longest)] == ["delete"]
    assert read_request(longest + " ") == ()
    editor = TypesetEditor(lambda picture: [], verify=False)
    _, detail, why = editor.edit(np.zeros((8, 8, 3), np.uint8), longest + " ")
    assert detail == {"edited": False}
    assert "2,001 characters, at most 2,000" in why


def test_a_picture_that_takes_too_much_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample = make_sample(tmp_path, instruction="Replace 'A' with 'B'")
    typeset = TypesetEditor(read=lambda picture: [])
    assert typeset(sample, tmp_path).status is Status.SCORED
    monkeypatch.setattr("editgauge.editors.typeset.free_memory", lambda: 1000)
    made = typeset(sample, tmp_path)
    assert made.status is Status.FAILED
    assert "--memory" in made.reason
