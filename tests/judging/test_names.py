"""What a field is called: as a key, in a cell, in other languages."""

from __future__ import annotations

import pytest

from editgauge.judging.names import field_called, without_other_lines

KRIS = ("consistency_score", "quality_score")


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("CONSISTENCY_SCORE", "consistency_score"),
        ("Visual Consistency", "consistency_score"),
        ("puntuación_calidad", "quality_score"),
        ("视觉质量评分", "quality_score"),
        ("Bildqualität (VQ)", "quality_score"),
        ("instruction_score", None),
        ("quality of the reference", None),
        ("", None),
    ],
)
def test_names_of_a_field(words: str, name: str | None) -> None:
    assert field_called(words, KRIS) == name


def test_a_name_in_brackets_must_agree() -> None:
    assert field_called("Quality (VC)", KRIS) is None


def test_lines_of_other_dimensions_go() -> None:
    text = "Visual Quality: 8/10, sharp\nEditing Accuracy: 7/10\n**CP**: 9/10, kept\nNote: 3 px"
    assert without_other_lines(text, ("Editing Accuracy",)).split("\n") == [
        " ",
        "Editing Accuracy: 7/10",
        " ",
        "Note: 3 px",
    ]
