"""From a concept to its last token: what is in the prompt, what is not, and what was cut off."""

from __future__ import annotations

import re
from typing import Any

import pytest

from editgauge.diagnosis.concepts import NoConcept, last_tokens, mentions


@pytest.mark.parametrize("concept", [None, "tooth"])
def test_what_cannot_be_found_is_said(concept: str | None) -> None:
    with pytest.raises(NoConcept, match="is not in the prompt"):
        mentions("Remove the toothbrush", concept)


def tokenizer(text: str, **_: Any) -> dict[str, Any]:
    """A token for each two letters of a word, none for spaces."""
    words = [(match.start(), match.end()) for match in re.finditer(r"\S+", text)]
    offsets = [(n, min(n + 2, end)) for start, end in words for n in range(start, end, 2)]
    return {"input_ids": [sum(text[a:b].encode()) for a, b in offsets], "offset_mapping": offsets}


def test_the_last_token_of_each_occurrence_in_a_template() -> None:
    prompt = "mole or moles or mole"
    own = tokenizer(prompt)["input_ids"]
    given = [1, 2, 3, *own, 9, 9]
    found = last_tokens(prompt, "mole", tokenizer, given, len(given))
    # mo le | or | mo le s | or | mo le: the last tokens of "mole" are number 1 and number 8
    assert found.positions == (3 + 1, 3 + 8)
    assert (found.texts, found.occurrences) == (("le", "le"), 2)
    cut = last_tokens(prompt, "mole", tokenizer, given, len(given) - 2)
    assert cut.positions == (3 + 1 - 2, 3 + 8 - 2), "a template's beginning was dropped"


def test_what_the_encoder_cut_off_is_said() -> None:
    prompt = "mole and then more words and mole"
    own = tokenizer(prompt)["input_ids"]
    found = last_tokens(prompt, "mole", tokenizer, [0, *own[:8], 7], 10)
    assert (found.positions, found.occurrences) == ((2,), 2)
    with pytest.raises(NoConcept, match="lies behind the 3 tokens of the prompt"):
        last_tokens("so it was mole", "mole", tokenizer, [0, *tokenizer("so it was")["input_ids"][:3], 7], 5)  # fmt: skip
