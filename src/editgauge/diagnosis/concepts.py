"""The key concept of a prompt, and its last token: text to positions. Knows nothing of pictures."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from editgauge.errors import EditgaugeError


class NoConcept(EditgaugeError):
    """There is no token whose attention could be looked at; the message says why."""


class Mention(NamedTuple):
    """Where a prompt speaks of the concept: first and one past the last letter of each occurrence;
    ``as written``, ``inflected`` (an ending more or less), or ``last word`` (only the concept's
    last word, which names the thing: *teeth* of *wisdom teeth*).
    """

    spans: tuple[tuple[int, int], ...]
    how: str


class Tokens(NamedTuple):
    """The last tokens of a concept in what the text encoder was given: the position of each
    occurrence, counted from the first token that the attention can see, and the letters of the
    prompt that it stands for. `occurrences`: in the prompt; more than `positions` where the encoder
    cut the prompt.
    """

    positions: tuple[int, ...]
    texts: tuple[str, ...]
    occurrences: int
    how: str


def mention(prompt: str, concept: str | None) -> Mention:
    """Where `prompt` mentions `concept`, whatever the case and the spaces, as whole words: as
    written; with another ending (s, es) of its last word; its last word alone, in both ways. Raises
    `NoConcept`.
    """
    words = (concept or "").split()
    if not words:
        raise NoConcept("the sample names no key concept; give one in a file of concepts")
    *first, last = words
    tries = [("as written", words), *(("inflected", [*first, one]) for one in _endings(last))]
    tries += [("last word", [one]) for one in (last, *_endings(last))]
    for how, wanted in tries:
        pattern = r"\s+".join(map(re.escape, wanted))
        matches = re.finditer(rf"(?<!\w){pattern}(?!\w)", prompt, re.IGNORECASE)
        if spans := tuple(match.span() for match in matches):
            return Mention(spans, how)
    raise NoConcept(f"the key concept {concept!r} is not in the prompt {prompt!r:.200}")


def _endings(word: str) -> list[str]:
    """The same noun in the other number, as far as an ending tells."""
    shorter = [word[: -len(end)] for end in ("es", "s") if word.lower().endswith(end)]
    return [f"{word}s", f"{word}es", *(stem for stem in shorter if len(stem) > 2)]


def last_tokens(
    prompt: str, concept: str | None, tokenizer: Any, given: Sequence[int], seen: int
) -> Tokens:
    """The position of the last token of each occurrence of `concept` in `prompt`. `given` are the
    numbers that the text encoder was given, in which the prompt's own are looked for; the attention
    sees the last `seen` of them. Raises `NoConcept` where either is not found.
    """
    mentioned = mention(prompt, concept)
    encoding = tokenizer(prompt, add_special_tokens=False, return_offsets_mapping=True)
    numbers, offsets = list(encoding["input_ids"]), encoding["offset_mapping"]
    start, length = _place(numbers, given)
    if not numbers or (length < len(numbers) and start + length < len(given) - 1):
        raise NoConcept("the prompt's tokens are not in what the text encoder was given")
    positions, texts = [], []
    for span in mentioned.spans:
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
    return Tokens(tuple(positions), tuple(texts), len(mentioned.spans), mentioned.how)


def _place(own: Sequence[int], given: Sequence[int]) -> tuple[int, int]:
    """Where the longest beginning of `own` stands in `given`, and how long that is."""
    pairs = [zip(own, given[start:], strict=False) for start in range(max(1, len(given)))]
    lengths = [sum(1 for _ in itertools.takewhile(lambda p: p[0] == p[1], one)) for one in pairs]
    return lengths.index(max(lengths)), max(lengths)
