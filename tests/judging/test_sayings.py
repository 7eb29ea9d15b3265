"""Sentences that give a verdict become lines; those on a condition, or of another picture, do not."""

from __future__ import annotations

import pytest

from editgauge.judging.sayings import LONGEST, in_lines

VC = {"VC": (0, 5)}
TWO = {"Editing Accuracy": (0, 10), "Visual Quality": (0, 10)}


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("With a matching font this would be a 5. As it stands, VC is 2.", 2),
        ("The reference would get 5/5, the edited picture deserves 3/5.", 3),
        ("I'd give this edit a solid 4 out of 5 for visual consistency.", 4),
        ("Ich vergebe 4 von 5 Punkten, weil der Schatten fehlt.", 4),
        ("影がないため、4点とします。", 4),
        ("A 2. The background was repainted.", 2),
        ("Nice work. 5/5", 5),
    ],
)
def test_own_verdicts(text: str, number: int) -> None:
    assert f"\nVC: {number}" in in_lines(text, VC)


@pytest.mark.parametrize(
    "text",
    [
        "If the font matched, VC would be 5.",
        "Suppose the lamp were there; then VC: 5.",
        "The reference scores 5/5.",
        "My colleague gives it a 4.",
        "The sign says VC: 5.",
        "VC: 4, maybe 3.",
        "VC is not 4.",
        "Left half: 5/5.",
        "4 of the 5 lamps are the same.",
        "Wenn der Schatten da wäre, würde ich 5 von 5 geben.",
        "上次我给4分。",
        "VC: 4. Rather 2/5.",
        "word " * LONGEST + "VC: 4",
    ],
)
def test_what_is_no_verdict_stays(text: str) -> None:
    assert in_lines(text, VC) == text


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("Both editing accuracy and visual quality are 9/10.", (9, 9)),
        ("Editing accuracy and visual quality come out at 7/10 and 8/10.", (7, 8)),
        ("I give a 7 to editing accuracy and an 8 to visual quality.", (7, 8)),
        ("All of the scores are 6.", (6, 6)),
    ],
)
def test_several_fields_in_a_sentence(text: str, numbers: tuple[int, int]) -> None:
    first, second = numbers
    given = in_lines(text, TWO)
    assert f"\nEditing Accuracy: {first}\nVisual Quality: {second}" in given


def test_one_of_two_fields_is_not_enough() -> None:
    text = "Editing accuracy is 9/10."
    assert in_lines(text, TWO) == text
