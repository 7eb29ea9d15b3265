"""Normalisation, similarity, containment and reading order of text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editgauge.metrics.text import normalise, normalise_strictly, occurrences, similarity


@pytest.mark.parametrize(
    ("text", "plain", "strict"),
    [
        ("Hello, World!", "helloworld", "Hello,World!"),
        ("Café №1 – ＦＵＬＬ!", "caféno1full", "CaféNo1–FULL!"),
        ("e\u0301te\u0301", "été", "été"),  # marks that combine
        ("q\u0301", "q", "q\u0301"),  # a mark that has no letter to go into
        ("🎉🎉", "", "🎉🎉"),
        ("50 %\n½ m²", "5012m2", "50%1⁄2m2"),
        ("Straße ÎŞ İ", "straßeîşi", "StraßeÎŞİ"),
        ("ﬁn", "fin", "fin"),
        ("逆风 物流。", "逆风物流", "逆风物流。"),
        ("Ｃafé\u200b", "café", "Café"),
        ("", "", ""),
        ("_-'", "", "_-'"),
    ],
)
def test_normalisation(text: str, plain: str, strict: str) -> None:
    assert normalise(text) == plain
    assert normalise_strictly(text) == strict


def _plain_distance(a: str, b: str) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        above, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            above, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, above + (x != y))
    return row[-1]


@given(st.text("abç逆", max_size=8), st.text("abç逆", max_size=8))
def test_similarity_is_the_released_formula(a: str, b: str) -> None:
    assert similarity(a, b) == 1 - _plain_distance(a, b) / (max(len(a), len(b)) + 1e-5)
    assert similarity(a, b) == similarity(b, a)


@pytest.mark.parametrize(
    ("text", "words", "anywhere", "whole"),
    [
        ("open 10 am", "10", 1, 1),
        ("in 2010", "10", 1, 0),
        ("1 0", "10", 1, 1),  # a blank that OCR added
        ("x1 0y", "10", 1, 0),
        ("NEWYORK 10", "new york", 1, 1),
        ("第10章", "10", 1, 1),  # no blanks between words there
        ("开业大吉", "大", 1, 1),
        ("aaa", "aa", 2, 0),
        ("10, 10; 210", "10", 3, 2),
        ("l'été", "l'e\u0301te\u0301", 1, 1),
        ("abc", "!", 0, 0),
    ],
)
def test_occurrences(text: str, words: str, anywhere: int, whole: int) -> None:
    assert len(occurrences(text, words)) == anywhere
    assert len(occurrences(text, words, whole=True)) == whole
