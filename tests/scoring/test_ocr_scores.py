"""TextEdit's five OCR scores: the released numbers, a second implementation, and each corrected
rule by its name.
"""

from __future__ import annotations

import importlib.util
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editgauge.scoring.ocr.scores import METRICS, OcrScores, ocr_scores

HERE = Path(__file__).resolve()
_SPEC = importlib.util.spec_from_file_location("plain_ocr", HERE.parent / "plain_ocr.py")
assert _SPEC is not None
assert _SPEC.loader is not None
plain_ocr = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(plain_ocr)

Item = tuple[list[list[float]], str, float]


def item(
    text: str, x: float = 0, y: float = 0, width: float | None = None, height: float = 20
) -> Item:
    """A recognised text whose top left corner is at (x, y); 10 px a character wide unless said
    otherwise.
    """
    right, bottom = x + (10 * len(text) if width is None else width), y + height
    return [[x, y], [right, y], [right, bottom], [x, bottom]], text, 0.9


def faithful(original: Any, edited: Any, source: str, target: str) -> dict[str, Any]:
    return ocr_scores(original, edited, source, target).values


def corrected(original: Any, edited: Any, source: str, target: str) -> dict[str, Any]:
    return ocr_scores(original, edited, source, target, "corrected").values


def both(original: Any, edited: Any, source: str, target: str) -> tuple[OcrScores, OcrScores]:
    """The faithful and the corrected scores, with how they came about."""
    case = (original, edited, source, target)
    return ocr_scores(*case), ocr_scores(*case, "corrected")


PAGE = [item("SALE", 0, 0), item("daily 9 to 5", 0, 40), item("free coffee", 0, 80)]


def test_the_scores_by_hand() -> None:
    """Small enough for a pocket calculator; e = 1e-5 of the similarity's denominator."""
    e = 1e-5
    as_asked = [item("OPEN", 0, 0), *PAGE[1:]]
    assert faithful(PAGE, as_asked, "SALE", "OPEN") == dict.fromkeys(METRICS, 1.0)

    one_wrong = [item("OPEM", 0, 0), *PAGE[1:]]
    letter = 1 - 1 / (4 + e)
    expected = (letter * 0.5 + 2 * 0.25) / 1.0
    assert faithful(PAGE, one_wrong, "SALE", "OPEN") == pytest.approx(
        {"OA": letter, "OP": expected, "OR": expected, "F1": expected, "NED": letter}, abs=1e-12
    )

    untouched = 1 - 4 / (4 + e)
    assert faithful(PAGE, PAGE, "SALE", "OPEN")["OA"] == pytest.approx(0.2 * untouched, abs=1e-12)
    assert faithful(PAGE, PAGE, "SALE", "OPEN")["NED"] == pytest.approx(0.2 * untouched, abs=1e-12)

    one_more = [*as_asked, item("new line", 0, 120)]
    assert faithful(PAGE, one_more, "SALE", "OPEN") == pytest.approx(
        {"OA": 1.0, "OP": 1 / 1.25, "OR": 1.0, "F1": 2 * 0.8 / 1.8, "NED": 1.0}, abs=1e-12
    )

    one_less = as_asked[:2]
    assert faithful(PAGE, one_less, "SALE", "OPEN") == pytest.approx(
        {"OA": 1.0, "OP": 0.75 / 0.75, "OR": 0.75, "F1": 2 * 0.75 / 1.75, "NED": 1.0}, abs=1e-12
    )


def test_lines_take_their_partner_greedily_in_order() -> None:
    original = [item("SALE", 0, 0), item("abcd", 0, 40), item("abcdef", 0, 80)]
    edited = [item("OPEN", 0, 0), item("abcdef", 0, 120)]
    scores = faithful(original, edited, "SALE", "OPEN")  # the worse line was first
    assert scores["OR"] == pytest.approx(0.5 + 0.25 * (1 - 2 / 6.00001), abs=1e-12)


def test_a_box_joins_the_line_of_the_previous_box_not_of_the_first() -> None:
    stairs = [item("SA", 0, 0), item("LE", 20, 9), item("!", 40, 18)]
    assert faithful(stairs, [item("OPEN", 0, 9, 50)], "SALE", "OPEN")["OA"] == 1.0
    apart = [
        item("SA", 0, 0),
        item("LE", 20, 10),
    ]  # 10 px are not below 10 px: two lines, of which SA is the better
    assert faithful(apart, [item("OP", 0, 0), item("EN", 20, 10)], "SALE", "OPEN")["OA"] < 0.51


# -------------------------------------------------------------------------- second implementation
_WORDS = ["SALE", "sale", "Open", "12", "&", "ＦＵＬＬ", "é", "e\u0301", "ΣΑΣ", "Σ", "逆风", "50%", "",
          "İ", "a b", "½", "שלום"]  # fmt: skip


@st.composite
def _page(draw: st.DrawFn) -> list[Item]:
    size = draw(st.integers(0, 7))
    page = []
    for _ in range(size):
        x, y = draw(st.integers(-5, 60)), draw(st.integers(-5, 60))
        width, height = draw(st.integers(0, 60)), draw(st.integers(0, 30))
        dx, dy = draw(st.integers(-4, 4)), draw(st.integers(-4, 4))
        polygon = [
            [x + dx, y],
            [x + width, y + dy],
            [x + width - dx, y + height],
            [x, y + height - dy],
        ]
        page.append(
            (polygon, draw(st.sampled_from(_WORDS)) + draw(st.sampled_from(["", "", "x"])), 0.5)
        )
    return page


@settings(max_examples=400, deadline=None)
@given(_page(), _page(), st.sampled_from(_WORDS), st.sampled_from(_WORDS))
def test_both_implementations_agree(
    original: list[Item], edited: list[Item], source: str, target: str
) -> None:
    assert faithful(original, edited, source, target) == pytest.approx(
        plain_ocr.scores(original, edited, source, target), abs=1e-12
    )


def _random_case(rng: random.Random) -> tuple[list[Item], list[Item], str, str]:
    """A page as an engine would give it: rows of words, small jitter, letters misread, boxes
    lost and invented.
    """
    words = [
        "OFF",
        "price",
        "Summer",
        "SALE",
        "to",
        "Hotel",
        "限定",
        "Café",
        "No.",
        "Wi-Fi",
        "2010",
    ]
    source = rng.choice(["MONEY", "10", "THE", "Sommer Fest"])
    target = rng.choice(["CRIME", "HER", "20", "WINTER"])
    original: list[Item] = []
    y, spot = 10.0, (rng.randrange(3), rng.randrange(2))
    for row in range(3):
        x = rng.uniform(0, 60)
        for column in range(rng.randint(2, 4)):
            text = source if (row, column) == spot else rng.choice(words)
            original.append(item(text, x, y + rng.uniform(-7, 7), height=rng.uniform(14, 60)))
            x += 12 * len(text) + rng.uniform(5, 40)
        y += rng.uniform(8, 70)
    edited: list[Item] = []
    for polygon, text, _ in original:
        text = target if text == source and rng.random() < 0.7 else text
        if rng.random() < 0.15:
            text = text.replace(rng.choice(text), rng.choice("x0 -é"), 1)
        if rng.random() > 0.08:
            moved = [[px + rng.uniform(-6, 6), py + rng.uniform(-6, 6)] for px, py in polygon]
            edited.append((moved, text, 0.8))
    if rng.random() < 0.3:
        edited.append(item("50%", 200, 250))
    rng.shuffle(edited)
    return original, edited, source, target


def test_both_implementations_agree_on_pages_like_those_of_an_engine() -> None:
    rng = random.Random(3)
    seen = {"zero": 0, "full": 0, "between": 0}
    for _ in range(300):
        original, edited, source, target = _random_case(rng)
        got = faithful(original, edited, source, target)
        assert got == pytest.approx(plain_ocr.scores(original, edited, source, target), abs=1e-12)
        seen["zero" if got["OA"] < 1e-4 else "full" if got["OA"] == 1 else "between"] += 1
    assert min(seen.values()) >= 10, seen


# -------------------------------------------------------------------------------- corrected rules
def test_line_height_small_print_is_not_merged_and_large_letters_are_not_torn_apart() -> None:
    small = [item(words, 0, 8 * n, height=6) for n, words in enumerate(("SALE", "soon", "here"))]
    released, ours = both(small, [item("OPEN", 0, 0, height=6), *small[1:]], "SALE", "OPEN")
    assert released.values["OA"] == pytest.approx(1.0)  # the single box reads it, but…
    assert released.line == (0, 1, 2)  # …three lines were taken for one
    assert ours.line == (0,)

    large = [item("GRAND", 0, 0, 400, 120), item("OPENING", 420, 15, 500, 120)]
    renamed = [large[0], item("CLOSING", 420, 15, 500, 120)]
    released, ours = both(large, renamed, "GRAND OPENING", "GRAND CLOSING")
    assert released.values["OA"] < 0.99
    assert ours.values["OA"] == 1.0


@given(st.integers(0, 10_000), st.sampled_from([0.1, 0.5, 2.0, 8.0]))
@settings(max_examples=60, deadline=None)
def test_line_height_corrected_scores_do_not_depend_on_the_resolution(
    seed: int, scale: float
) -> None:
    original, edited, source, target = _random_case(random.Random(seed))

    def scaled(page: list[Item]) -> list[Item]:
        return [
            ([[x * scale, y * scale] for x, y in polygon], text, c) for polygon, text, c in page
        ]

    assert corrected(original, edited, source, target) == pytest.approx(
        corrected(scaled(original), scaled(edited), source, target), abs=1e-9
    )


@pytest.mark.parametrize(
    ("source", "target"),
    [("sale", "SALE"), ("Lets go", "Let's go"), ("Hello!", "Hello"), ("Hello", "Hello?!")],
)
def test_strict_an_edit_of_case_or_punctuation_is_seen(source: str, target: str) -> None:
    before, after = (
        [item(source, 0, 0), item("below", 0, 60)],
        [item(target, 0, 0, 10 * len(source)), item("below", 0, 60)],
    )
    assert faithful(before, before, source, target)["F1"] == 1.0  # nothing done, full marks
    untouched = corrected(before, before, source, target)
    assert untouched["OA"] is not None
    assert untouched["OA"] <= 0.2
    assert untouched["NED"] is not None
    assert untouched["NED"] < 1
    assert corrected(before, after, source, target) == dict.fromkeys(METRICS, 1.0)


def test_whole_words_a_short_source_is_not_looked_for_inside_another_word() -> None:
    original = [item("since 2010", 0, 0), item("at 10 pm", 0, 60)]
    edited = [original[0], item("at 12 pm", 0, 60)]
    released, ours = both(original, edited, "10", "12")
    assert (released.line, ours.line) == ((0,), (1,))
    assert "whole-words" in ours.rules


@pytest.mark.parametrize(
    ("source", "line"), [("10", "since 2010"), ("10", "100"), ("no", "now"), ("5", "15%")]
)
def test_whole_words_a_short_source_that_is_no_word_is_a_fault_of_the_data(
    source: str, line: str
) -> None:
    """The released code finds it inside another word and scores; corrected has no scores for it."""
    released, ours = both([item(line, 0, 0)], [item("other", 0, 0)], source, "other")
    assert set(ours.values.values()) == {None}
    assert ours.reason == "OCR does not find the source text in the original"
    assert released.values["OA"] == pytest.approx(1.0, abs=1e-4)


def test_whole_words_the_box_of_a_short_source_is_its_own() -> None:
    """``10`` stands in a longer box; the box ``100`` elsewhere, two thirds alike, is not it."""
    original = [item("only 10 left", 0, 0), item("100", 0, 60)]
    found = corrected(original, [item("only 12 left", 0, 0), item("100", 0, 60)], "10", "12")
    assert found["OA"] is not None
    assert found["NED"] is None
    chinese = corrected([item("今日打折", 0, 0)], [item("今日打包", 0, 0)], "打折", "打包")
    assert chinese["OA"] is not None, "Chinese has no blanks between words"


def test_whole_words_a_short_target_does_not_pass_by_chance_on_the_page() -> None:
    original = [item("10", 0, 0), item("since 2012", 0, 60)]
    left = faithful(original, original, "10", "12")["OA"]
    assert left == pytest.approx(0.5, abs=1e-5)  # 12 is in 2012: nobody minds that 10 is there
    assert corrected(original, original, "10", "12")["OA"] == pytest.approx(0.2 * left, abs=1e-9)


def test_region_a_source_elsewhere_on_the_page_is_not_held_against_the_edit() -> None:
    original = [item("SALE", 0, 0), item("SALE", 0, 60)]
    edited = [item("OPEM", 0, 0), item("SALE", 0, 60)]
    letter = 1 - 1 / 4.00001
    assert faithful(original, edited, "SALE", "OPEN")["OA"] == pytest.approx(0.2 * letter)
    assert corrected(original, edited, "SALE", "OPEN")["OA"] == pytest.approx(letter)


def test_region_a_target_inside_the_source_that_is_still_there_does_not_count() -> None:
    page = [item("COFFEE SHOP", 0, 0), item("below", 0, 60)]
    value = 1 - 4 / 10.00001
    assert faithful(page, page, "COFFEE SHOP", "COFFEE")["OA"] == pytest.approx(value)
    assert corrected(page, page, "COFFEE SHOP", "COFFEE")["OA"] == pytest.approx(0.2 * value)
    longer = [item("COFFEE SHOP", 0, 0), item("below", 0, 60)]
    assert (
        corrected([item("COFFEE", 0, 0), item("below", 0, 60)], longer, "COFFEE", "COFFEE SHOP")[
            "OA"
        ]
        == 1.0
    )


def test_dataset_fault_a_source_that_ocr_does_not_find_gives_no_scores() -> None:
    for original in ([], [item("XQZW", 0, 0)]):
        released, ours = both(original, [item("OPEN", 0, 0)], "SALE", "OPEN")
        assert released.values == dict.fromkeys(METRICS, 0.0)
        assert ours.values == dict.fromkeys(METRICS)
        assert ours.reason.endswith("in the original")
    blank = corrected(PAGE, [], "SALE", "OPEN")
    assert blank == dict.fromkeys(METRICS, 0.0)  # a blank output is the editor's own fault


def test_dataset_fault_ned_needs_a_box_of_its_own() -> None:
    original = [item("big SALE today", 0, 0)]
    edited = [item("big OPEN today", 0, 0)]
    assert faithful(original, edited, "SALE", "OPEN")["NED"] == 0.0
    scores = corrected(original, edited, "SALE", "OPEN")
    assert scores["NED"] is None
    assert scores["OA"] is not None


def test_invented_text_on_a_page_with_no_other_text_costs_precision() -> None:
    original, edited = (
        [item("SALE", 0, 0)],
        [item("OPEN", 0, 0), item("lorem", 0, 60), item("ipsum", 0, 120)],
    )
    assert faithful(original, edited, "SALE", "OPEN")["OP"] == 1.0
    scores = corrected(original, edited, "SALE", "OPEN")
    assert (scores["OP"], scores["OR"]) == (pytest.approx(0.5 / 1.5), 1.0)
    assert corrected(original, edited[:1], "SALE", "OPEN") == dict.fromkeys(METRICS, 1.0)


def test_right_to_left_boxes_are_joined_from_the_right() -> None:
    original = [item("תנין", 0, 0), item("גדול", 100, 0)]  # read: the right box, then the left one
    source, target = "גדול תנין", "קטן דג"
    edited = [item("דג", 0, 0), item("קטן", 100, 0)]
    assert faithful(original, edited, source, target)["OA"] < 0.6
    assert corrected(original, edited, source, target)["OA"] == 1.0


def test_empty_source_and_target_follow_the_released_rules_and_correct_ones_give_none() -> None:
    assert faithful(PAGE, PAGE, "", "") == plain_ocr.scores(PAGE, PAGE, "", "")
    assert faithful(PAGE, PAGE, "", "OPEN") == plain_ocr.scores(PAGE, PAGE, "", "OPEN")
    assert faithful(PAGE, PAGE, "SALE", "") == plain_ocr.scores(PAGE, PAGE, "SALE", "")
    assert corrected(PAGE, PAGE, "", "OPEN") == dict.fromkeys(METRICS)


def test_what_the_released_code_stumbles_over_is_zero_with_a_reason() -> None:
    for broken in [
        ([], "x", 0.9),
        ([[0, 0], [1, 1]], None, 0.9),
        ("junk", "x", 0.9),
        ([1, 2, 3, 4], "x", 0.9),
        (),
    ]:
        scores = ocr_scores([*PAGE, broken], PAGE, "SALE", "OPEN")
        assert scores.values == dict.fromkeys(METRICS, 0.0)
        assert "is not (polygon, text, confidence)" in scores.reason


@settings(max_examples=200, deadline=None)
@given(_page(), _page(), st.sampled_from(_WORDS), st.sampled_from(_WORDS))
def test_corrected_scores_stay_in_range(
    original: list[Item], edited: list[Item], source: str, target: str
) -> None:
    scores = corrected(original, edited, source, target)
    found = [value for value in scores.values() if value is not None]
    assert all(0 <= value <= 1 for value in found)
    assert len(found) in (0, 4, 5)
    assert scores == corrected(original, edited, source, target)
