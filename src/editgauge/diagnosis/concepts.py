"""The key concept of a prompt, and its last token: text to positions. Knows nothing of pictures."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from editgauge.errors import EditgaugeError


class NoConcept(EditgaugeError):
    """There is no token whose attention could be looked at; the message says why."""


class Tokens(NamedTuple):
    """The last tokens of a concept in what the text encoder was given: the position of each
    occurrence, counted from the first token that the attention can see, and the letters of the
    prompt that it stands for. `occurrences`: in the prompt; more than `positions` where the encoder
    cut the prompt.
    """

    positions: tuple[int, ...]
    texts: tuple[str, ...]
    occurrences: int


def mentions(prompt: str, concept: str | None) -> list[tuple[int, int]]:
    """Where `prompt` mentions `concept`, whatever the case and the spaces, as whole words: first
    and one past the last letter. Raises `NoConcept`.
    """
    pattern = r"\s+".join(map(re.escape, (concept or "").split()))
    matches = re.finditer(rf"(?<!\w){pattern}(?!\w)", prompt, re.IGNORECASE) if pattern else ()
    if spans := [match.span() for match in matches]:
        return spans
    raise NoConcept(f"the key concept {concept!r} is not in the prompt {prompt!r:.200}")


def last_tokens(
    prompt: str, concept: str | None, tokenizer: Any, given: Sequence[int], seen: int
) -> Tokens:
    """The position of the last token of each occurrence of `concept` in `prompt`. `given` are the
    numbers that the text encoder was given, in which the prompt's own are looked for; the attention
    sees the last `seen` of them. Raises `NoConcept` where either is not found.
    """
    spans = mentions(prompt, concept)
    encoding = tokenizer(prompt, add_special_tokens=False, return_offsets_mapping=True)
    numbers, offsets = list(encoding["input_ids"]), encoding["offset_mapping"]
    start, length = _place(numbers, given)
    if not numbers or (length < len(numbers) and start + length < len(given) - 1):
        raise NoConcept("the prompt's tokens are not in what the text encoder was given")
    positions, texts = [], []
    for span in spans:
        last = span[1] - 1  # the last token that holds that letter
        token = max((n for n, (a, b) in enumerate(offsets) if a <= last < b), default=len(offsets))
        place = start + token - (len(given) - seen)
        if token < length and 0 <= place < seen:
            positions.append(place)
            texts.append(prompt[offsets[token][0] : offsets[token][1]].strip())
    if not positions:
        raise NoConcept(
            f"the key concept {concept!r} lies behind the {length} tokens of the prompt that the "
            f"text encoder takes"
        )
    return Tokens(tuple(positions), tuple(texts), len(spans))


def _place(own: Sequence[int], given: Sequence[int]) -> tuple[int, int]:
    """Where the longest beginning of `own` stands in `given`, and how long that is."""
    pairs = [zip(own, given[start:], strict=False) for start in range(max(1, len(given)))]
    lengths = [sum(1 for _ in itertools.takewhile(lambda p: p[0] == p[1], one)) for one in pairs]
    return lengths.index(max(lengths)), max(lengths)
