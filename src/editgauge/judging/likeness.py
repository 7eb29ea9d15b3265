"""How much the words of a reply are those of replies whose number holds.

The other readers know forms, and sentences that take a number back. This one knows no sentence: it
weighs each word and each pair of neighbouring words by how often they stand in labelled replies
whose number holds, and in those that look alike and whose number does not ("this is the verdict for
the previous item in the queue"). A reply whose words weigh more than a limit gives no number. It
can only flag: no number comes from here.

The weights are made by ``tools/reply_words.py`` from the labelled replies of the tests, most of
whose authors had not seen the reader (a logistic regression; that program says how, and what
leaving replies out of the making gives). A reason names the words that weigh most.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from itertools import pairwise

from editgauge.judging import lexicon
from editgauge.judging.names import names_of_all
from editgauge.judging.thinking import without_thinking

FILE = "reply_words.json"
NEAR = 2_000
"""Characters at the beginning and at the end of a reply that are looked at; most have fewer."""
FEWEST = 4
"""A reply with fewer free words says too little to be known by them."""
SHORT, MISSING = 14, 1.0
"""A reply of fewer terms than the first must weigh more by the second: few words are weak evidence.
"""
_SCRIPTS = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f"
"""Scripts without spaces, or whose words change within: each sign counts as a word."""
_TERM = re.compile(rf"[{_SCRIPTS}]|[^\W\d_{_SCRIPTS}]{{1,40}}(?:['’][^\W\d_]{{1,10}})?|\d+|[!?.:…]")
_SIGNS = frozenset("!?.:…")
_SIGN = re.compile(rf"[{_SCRIPTS}]")
_KEY = re.compile(r"\"[\w ]{1,60}\"\s{0,9}:")
_STEM = 5


@lru_cache(maxsize=1)
def _form_words() -> frozenset[str]:
    """The words of the form of an answer: they stand in every reply and say nothing."""
    labels = [word for word in lexicon.SCORE.split("|") if word.isalpha()]
    names = [
        *names_of_all(),
        "reason",
        "reasoning",
        "rationale",
        "json",
        "null",
        "none",
        "out",
        "of",
    ]
    words = {part for name in names for part in re.split(r"[\W_]+", name.casefold())}
    words |= {word for word in labels if not _SIGN.search(word)} | set(lexicon.ANY_NUMBERS)
    return frozenset(words | {sign for word in labels for sign in _SIGN.findall(word)})


def terms_of(reply: str) -> set[str]:
    """The free words of a reply, their beginnings, and pairs of neighbours, in lower case and
    without its thinking; nothing where it has fewer than `FEWEST` free words.

    Of scripts without spaces: signs, pairs and threes. A number counts as ``0`` in pairs; signs and
    keys of an object end a pair. Never raises.
    """
    text = without_thinking(reply) or ""
    text = text if len(text) <= 2 * NEAR else f"{text[:NEAR]}\n{text[-NEAR:]}"
    text = _KEY.sub(" : ", text.casefold().replace("’", "'"))
    words = ["0" if word[0].isdecimal() else word for word in _TERM.findall(text)]
    form = _form_words() | {"0"}
    free = [
        word for word in words if word not in form and word not in _SIGNS and not _is_letter(word)
    ]
    if len(free) < FEWEST:
        return set()
    terms = set(free)
    terms |= {f"{word[:_STEM]}-" for word in free if len(word) > _STEM + 1}
    known = set(free)
    for at, (first, second) in enumerate(pairwise(words)):
        if first in _SIGNS or second in _SIGNS or not (first in known or second in known):
            continue
        terms.add(f"{first} {second}")
        third = words[at + 2] if at + 2 < len(words) else ""
        if len(third) == 1 and all(map(_SIGN.fullmatch, (first, second, third))):
            terms.add(f"{first} {second} {third}")
    return terms


def _is_letter(word: str) -> bool:
    """Whether a word is a single letter that is none: of a list, or a stand-in."""
    return len(word) == 1 and word.isascii() and word != "i"


@dataclass(frozen=True, slots=True)
class Weights:
    """What each term weighs (others nothing), the weight beyond which a reply gives no number,
    and a hash of the replies that they are made of.
    """

    limit: float
    terms: Mapping[str, float]
    replies: str = ""

    def of(self, reply: str) -> float:
        """What a reply weighs: the more, the less it is like those whose number holds.

        About the logarithm of the odds among the labelled replies, half of which were written to
        deceive; less by `MISSING` for one of fewer than `SHORT` terms.
        """
        terms = terms_of(reply)
        weight = math.fsum(self.terms.get(term, 0.0) for term in terms)  # in any order the same
        return weight if len(terms) >= SHORT else weight - MISSING


@lru_cache(maxsize=1)
def weights() -> Weights:
    """The weights that the package ships."""
    table = json.loads((resources.files(__package__) / FILE).read_bytes())
    return Weights(table["limit"], table["terms"], table["replies"])


def against(reply: str) -> str:
    """Why the words of a reply are none of a verdict that holds, or an empty text."""
    known = weights()
    if known.of(reply) <= known.limit:
        return ""
    heavy = sorted(terms_of(reply), key=lambda term: (-known.terms.get(term, 0.0), term))
    shown = ", ".join(f"'{term}'" for term in heavy[:3])
    return f"its words are rather those of replies whose number does not hold: {shown}"
