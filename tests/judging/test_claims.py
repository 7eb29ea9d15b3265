"""`claims_about`: which numbers of a judge's words are about the score."""

from __future__ import annotations

import pytest

from editgauge.judging.claims import Place, Verdicts, claims_about, ranges_in


def claims(text: str, given: int = 4, place: Place = Place.REASON) -> list[str]:
    """The claims against one verdict of `given` on a scale from 0 to 5."""
    return [claim for claim in claims_about(text, Verdicts({given}, 0, 5), place) if claim]


@pytest.mark.parametrize(
    "text",
    [
        "2 letters are wrong and the price went from 5 to 3 dollars",
        'the sign reads "3" in line 2',
        "Three of the legs are fused.",
        "Not quite a 5; better than a 3.",
        "It would be a 5 without the smear.",
        "One point is deducted.",
        "A solid 4.",
        "At first glance a 2, then a 4.",
        "The scale goes from 0 to 5.",
    ],
)
def test_numbers_of_the_picture_and_comparisons_claim_nothing(text: str) -> None:
    assert claims(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "The logo is missing, hence 3.",
        "A 3 would be honest.",
        "Two points are deducted.",
        "No more than 3.",
        "Below 4.",
        "4 is too high.",
        "It would be a 4 without the smear.",
        "Full marks.",
        "Eigentlich nur 2 Punkte.",
        "其实只值2分。",
        "Ставлю 2.",
    ],
)
def test_numbers_of_the_score_are_claims(text: str) -> None:
    assert claims(text) != []


def test_before_a_verdict_a_number_needs_a_word_of_scores() -> None:
    assert claims("Look there: 3.", place=Place.BEFORE) == []
    assert claims("I rate it 3.", place=Place.BEFORE) == ["3"]


def test_ranges_and_numbers_with_a_sign() -> None:
    verdicts = Verdicts({4}, 0, 5)
    assert list(ranges_in("between 2 and 4, or 3-4; the scale is 0-5", verdicts)) == [
        "2 and 4",
        "3-4",
    ]
    assert list(ranges_in("red arrow (-2)", verdicts)) == ["(-2"]
    assert list(ranges_in("3-4 letters", verdicts)) == []


def test_a_text_of_numbers_is_no_reason() -> None:
    assert "more numbers than a reason has" in claims("1 " * 500)
