"""The words of judges and their kinds."""

from __future__ import annotations

import pytest

from editgauge.judging import vocabulary
from editgauge.judging.vocabulary import Kind, is_harmless_key, kind_of


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("letters", Kind.SEEN),
        ("blurry", Kind.SEEN),
        ("unblurred", Kind.SEEN),
        ("dragged", Kind.UNKNOWN),
        ("the", Kind.HOLDING),
        ("should", Kind.TURNING),
        ("wrong", Kind.ATTRIBUTIVE),
        ("scores", Kind.BEARING),
        ("i", Kind.BEARING),
        ("unusable", Kind.SEEN),
        ("gondola", Kind.UNKNOWN),
    ],
)
def test_a_word_is_known_with_its_endings(word: str, kind: Kind) -> None:
    assert kind_of(word) is kind


def test_no_word_of_grammar_counts_as_seen() -> None:
    """A sentence of nothing but grammar must not pass for one about the picture."""
    seen = {word for word in vocabulary._HOLDING if kind_of(word) is Kind.SEEN}
    assert seen <= {"done", "part", "same"}


@pytest.mark.parametrize(
    ("key", "harmless"),
    [
        ("max_score", False),
        ("sampleId", True),
        ("letters_missing", True),
        ("verdict", False),
        ("", False),
    ],
)
def test_keys_of_bookkeeping(key: str, harmless: bool) -> None:
    assert is_harmless_key(key) is harmless
