"""TextEdit's five OCR scores: a second implementation, and each corrected rule by its name."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editgauge.scoring.ocr.scores import METRICS, OcrScores, ocr_scores
from tests.scoring import plain_ocr

Item = tuple[list[list[float]], str, float]


def item(
    text: str, x: float = 0, y: float = 0, width: float | None = None, height: float = 20
) -> Item:
    """A recognised text with its top left corner at (x, y); 10 px a character unless said
    otherwise.
    """
    right, bottom = x + (10 * len(text) if width is None else width), y + height
    return [[x, y], [right, y], [right, bottom], [x, bottom]], text, 0.9


def both(original: Any, edited: Any, source: str, target: str) -> tuple[OcrScores, OcrScores]:
    """The faithful and the corrected scores, with how they came about."""
    case = (original, edited, source, target)
    return ocr_scores(*case), ocr_scores(*case, "corrected")


def faithful(*case: Any) -> dict[str, Any]:
    return both(*case)[0].values


def corrected(*case: Any) -> dict[str, Any]:
    return both(*case)[1].values


PAGE = [item("SALE", 0, 0), item("daily 9 to 5", 0, 40), item("free coffee", 0, 80)]
DONE = [item("OPEN", 0, 0), *PAGE[1:]]
LETTER = 1 - 1 / (4 + 1e-5)
PERFECT = dict.fromkeys(METRICS, 1.0)


# -- second implementation -------------------------------------------------------------------------

_WORDS = ["SALE", "sale", "Open", "12", "&", "ＦＵＬＬ", "é", "e\u0301", "ΣΑΣ", "Σ", "逆风", "50%", "",
          "İ", "a b", "½", "שלום"]  # fmt: skip
WORD = st.sampled_from(_WORDS)


@st.composite
def _page(draw: st.DrawFn) -> list[Item]:
    page = []
    for _ in range(draw(st.integers(0, 7))):
        x, y = draw(st.integers(-5, 60)), draw(st.integers(-5, 60))
        right, bottom = x + draw(st.integers(0, 60)), y + draw(st.integers(0, 30))
        dx, dy = draw(st.integers(-4, 4)), draw(st.integers(-4, 4))
        polygon = [[x + dx, y], [right, y + dy], [right - dx, bottom], [x, bottom - dy]]
        page.append((polygon, draw(WORD) + draw(st.sampled_from(["", "", "x"])), 0.5))
    return page


@settings(max_examples=300, deadline=None)
@given(_page(), _page(), WORD, WORD)
def test_both_implementations_agree_and_corrected_scores_stay_in_range(
    original: list[Item], edited: list[Item], source: str, target: str
) -> None:
    released, ours = both(original, edited, source, target)
    expected = plain_ocr.scores(original, edited, source, target)
    assert released.values == pytest.approx(expected, abs=1e-12)
    found = [value for value in ours.values.values() if value is not None]
    assert all(0 <= value <= 1 for value in found)
    assert len(found) in (0, 4, 5)


# -- corrected rules -------------------------------------------------------------------------------


def test_line_height_small_print_is_not_merged_and_large_letters_are_not_torn_apart() -> None:
    small = [item(words, 0, 8 * n, height=6) for n, words in enumerate(("SALE", "soon", "here"))]
    released, ours = both(small, [item("OPEN", 0, 0, height=6), *small[1:]], "SALE", "OPEN")
    assert (released.line, ours.line) == ((0, 1, 2), (0,))
    large = [item("GRAND", 0, 0, 400, 120), item("OPENING", 420, 15, 500, 120)]
    renamed = [large[0], item("CLOSING", 420, 15, 500, 120)]
    released, ours = both(large, renamed, "GRAND OPENING", "GRAND CLOSING")
    assert released.values["OA"] < 0.99
    assert ours.values["OA"] == 1.0


@pytest.mark.parametrize(
    ("source", "target"),
    [("sale", "SALE"), ("Lets go", "Let's go"), ("Hello!", "Hello"), ("Hello", "Hello?!")],
)
def test_strict_an_edit_of_case_or_punctuation_is_seen(source: str, target: str) -> None:
    before = [item(source, 0, 0), item("below", 0, 60)]
    after = [item(target, 0, 0, 10 * len(source)), item("below", 0, 60)]
    released, untouched = both(before, before, source, target)
    assert released.values["F1"] == 1.0  # nothing done, full marks
    assert untouched.values["OA"] is not None
    assert untouched.values["OA"] <= 0.2
    assert corrected(before, after, source, target) == PERFECT


def test_whole_words_a_short_source_is_not_looked_for_inside_another_word() -> None:
    original = [item("since 2010", 0, 0), item("at 10 pm", 0, 60)]
    released, ours = both(original, [original[0], item("at 12 pm", 0, 60)], "10", "12")
    assert (released.line, ours.line) == ((0,), (1,))
    assert "whole-words" in ours.rules
    page = [item("10", 0, 0), item("since 2012", 0, 60)]
    released, ours = both(page, page, "10", "12")  # 12 is in 2012: nobody minds that 10 is there
    assert ours.values["OA"] == pytest.approx(0.2 * (released.values["OA"] or 0), abs=1e-9)


@pytest.mark.parametrize(
    ("source", "line"), [("10", "since 2010"), ("10", "100"), ("no", "now"), ("5", "15%")]
)
def test_whole_words_a_short_source_that_is_no_word_is_a_fault_of_the_data(
    source: str, line: str
) -> None:
    released, ours = both([item(line, 0, 0)], [item("other", 0, 0)], source, "other")
    assert set(ours.values.values()) == {None}
    assert ours.reason == "OCR does not find the source text in the original"
    assert released.values["OA"] == pytest.approx(1.0, abs=1e-4)


def test_region_a_source_elsewhere_on_the_page_is_not_held_against_the_edit() -> None:
    original = [item("SALE", 0, 0), item("SALE", 0, 60)]
    released, ours = both(original, [item("OPEM", 0, 0), item("SALE", 0, 60)], "SALE", "OPEN")
    assert released.values["OA"] == pytest.approx(0.2 * LETTER)
    assert ours.values["OA"] == pytest.approx(LETTER)


def test_region_a_target_inside_the_source_that_is_still_there_does_not_count() -> None:
    page = [item("COFFEE SHOP", 0, 0), item("below", 0, 60)]
    released, ours = both(page, page, "COFFEE SHOP", "COFFEE")
    assert ours.values["OA"] == pytest.approx(0.2 * (released.values["OA"] or 0))
    longer = corrected([item("COFFEE", 0, 0), page[1]], page, "COFFEE", "COFFEE SHOP")
    assert longer["OA"] == 1.0


@pytest.mark.parametrize("original", [[], [item("XQZW", 0, 0)]])
def test_dataset_fault_a_source_that_ocr_does_not_find_gives_no_scores(original: Any) -> None:
    released, ours = both(original, [item("OPEN", 0, 0)], "SALE", "OPEN")
    assert released.values == dict.fromkeys(METRICS, 0.0)
    assert ours.values == dict.fromkeys(METRICS)
    assert ours.reason.endswith("in the original")


def test_dataset_fault_a_blank_output_is_the_editors_own_fault_and_ned_needs_a_box() -> None:
    assert corrected(PAGE, [], "SALE", "OPEN") == dict.fromkeys(METRICS, 0.0)
    case = ([item("big SALE today", 0, 0)], [item("big OPEN today", 0, 0)], "SALE", "OPEN")
    released, ours = both(*case)
    assert (released.values["NED"], ours.values["NED"]) == (0.0, None)
    assert ours.values["OA"] is not None


def test_invented_text_on_a_page_with_no_other_text_costs_precision() -> None:
    edited = [item("OPEN", 0, 0), item("lorem", 0, 60), item("ipsum", 0, 120)]
    released, ours = both(PAGE[:1], edited, "SALE", "OPEN")
    assert released.values["OP"] == 1.0
    assert (ours.values["OP"], ours.values["OR"]) == (pytest.approx(0.5 / 1.5), 1.0)


def test_right_to_left_boxes_are_joined_from_the_right() -> None:
    original = [item("תנין", 0, 0), item("גדול", 100, 0)]  # read: the right box, then the left one
    edited = [item("דג", 0, 0), item("קטן", 100, 0)]
    released, ours = both(original, edited, "גדול תנין", "קטן דג")
    assert released.values["OA"] < 0.6
    assert ours.values["OA"] == 1.0
