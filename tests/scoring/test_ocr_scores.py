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


def test_region_a_target_inside_the_source_that_is_still_there_does_not_count() -> None:
    page = [item("COFFEE SHOP", 0, 0), item("below", 0, 60)]
    released, ours = both(page, page, "COFFEE SHOP", "COFFEE")
    assert ours.values["OA"] == pytest.approx(0.2 * (released.values["OA"] or 0))
    longer = corrected([item("COFFEE", 0, 0), page[1]], page, "COFFEE", "COFFEE SHOP")
    assert longer["OA"] == 1.0


@pytest.mark.parametrize(
    ("line", "source", "accuracy"),
    [
        (None, "SALE", 0.0), ("XQZW", "SALE", 0.0), ("since 2010", "10", 1.0), ("100", "10", 1.0),
        ("now", "no", 1.0), ("15%", "5", 1.0),
    ],
)  # fmt: skip
def test_dataset_fault_a_source_that_ocr_does_not_find_as_words_gives_no_scores(
    line: str | None, source: str, accuracy: float
) -> None:
    original = [item(line)] if line else []
    released, ours = both(original, [item("OPEN")], source, "OPEN")
    assert released.values["OA"] == pytest.approx(accuracy, abs=1e-4)
    assert ours.values == dict.fromkeys(METRICS)
    assert ours.reason.endswith("in the original")


def test_dataset_fault_a_blank_output_is_the_editors_own_fault_and_ned_needs_a_box() -> None:
    assert corrected(PAGE, [], "SALE", "OPEN") == dict.fromkeys(METRICS, 0.0)
    case = ([item("big SALE today", 0, 0)], [item("big OPEN today", 0, 0)], "SALE", "OPEN")
    released, ours = both(*case)
    assert (released.values["NED"], ours.values["NED"]) == (0.0, None)
    assert ours.values["OA"] is not None


INVENTED = [item("OPEN"), item("lorem", 0, 60), item("ipsum", 0, 120)]
TWICE = [item("SALE"), item("SALE", 0, 60)]


@pytest.mark.parametrize(
    ("original", "edited", "texts", "metric", "values"),
    [
        (PAGE[:1], INVENTED, ("SALE", "OPEN"), "OP", (1.0, 0.5 / 1.5)),
        (PAGE[:1], INVENTED, ("SALE", "OPEN"), "OR", (1.0, 1.0)),
        (TWICE, [item("OPEM"), TWICE[1]], ("SALE", "OPEN"), "OA", (0.2 * LETTER, LETTER)),
        (
            [item("תנין"), item("גדול", 100)],  # read: the right box, then the left one
            [item("דג"), item("קטן", 100)],
            ("גדול תנין", "קטן דג"), "OA", (0.0, 1.0),
        ),
    ],
    ids=["invented text", "invented text, recall", "a source elsewhere", "right to left"],
)  # fmt: skip
def test_invented_text_costs_precision_and_a_source_elsewhere_or_from_the_right_costs_nothing(
    original: Any, edited: Any, texts: tuple[str, str], metric: str, values: tuple[float, float]
) -> None:
    released, ours = both(original, edited, *texts)
    assert (released.values[metric], ours.values[metric]) == pytest.approx(values, abs=1e-9)
