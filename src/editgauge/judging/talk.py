"""What a judge says of its judging instead of the picture: that it takes its number back, guesses,
looked at the wrong picture, copied the number.

A verdict beside such words is none, in whatever language they are. The words are those of
`lexicon.TALK`.
"""

from __future__ import annotations

import re
from functools import lru_cache

from editgauge.judging import languages
from editgauge.judging.lexicon import TALK

SENTENCE = re.compile(
    r"(?<=[.!?;])(?<![Nn]r\.)(?<![Nn]o\.)(?<!\bca\.)(?<!\bvs\.)(?<!\be\.g\.)(?<!\bi\.e\.)(?<![Ff]ig\.)\s+|(?<=[。！？；])|\n+"
)
NEAR = 2_000
"""Characters at the beginning and at the end of a text that are looked at; reasons have fewer."""
_LETTER = r"A-Za-z\u00c0-\u052f"
"""Letters of scripts that put spaces between words, and nothing else to a word."""


@lru_cache(maxsize=1)
def _patterns() -> tuple[dict[str, re.Pattern[str]], dict[str, re.Pattern[str]]]:
    """For each kind of talk the words of English, and those of the other languages."""
    english, others = {}, {}
    for kind, lists in TALK.items():
        own = "|".join(lists.get("English", ()))
        rest = "|".join(
            words
            for language, entries in lists.items()
            if language != "English"
            for words in entries
        )
        english[kind] = re.compile(rf"\b(?:{own})\b", re.IGNORECASE)
        if rest:
            others[kind] = re.compile(rf"(?<![{_LETTER}])(?:{rest})(?![{_LETTER}])", re.IGNORECASE)
    return english, others


@lru_cache(maxsize=16)
def about_judging(text: str) -> str:
    """What the judge says of its judging, in the words of `lexicon.TALK`; empty where it does not.

    Of a long text `NEAR` characters at the beginning and at the end are looked at.
    """
    text = text if len(text) <= 2 * NEAR else f"{text[:NEAR]}\n{text[-NEAR:]}"
    english, others = _patterns()
    for kind, pattern in english.items():
        if pattern.search(text):
            return kind
    for sentence in SENTENCE.split(text):
        if sentence.strip() and not languages.is_english(sentence):
            for kind, pattern in others.items():
                if pattern.search(sentence):
                    return kind
    return ""


_OF_SCORES = re.compile(
    r"\b(?:the |this |that |my |both |all )?(?:scores?(?! well)|scoring|ratings?|verdicts?|evaluations?|panel|votes?|graders?|raters?|annotators?|reviewers?|colleagues?)\b",
    re.IGNORECASE,
)
_EXPLAINS = re.compile(
    r"\b(?:deduct\w*|reduc\w+|lower\w*|penal\w+|los[et]s?|losing|costs?|affect\w*|impact\w*|high\w*|full|top|perfect|maximum|max|reflect\w*|justif\w+|because|due|since|hence|therefore|thus|so"
    r"|prevent\w*|merit\w*|deserv\w+|warrant\w*|result\w*|lead\w*|gets?|earn\w*|receiv\w+|giv\w+|down|limit\w*|caps?|capped|overall|hurt\w*|influenc\w+|consider\w*|good|strong|low|moderate|medium|middle|based on|as|for|why"
    r"|decreas\w+|weigh\w*|drop\w*|keep\w*|hold\w*|still|excellent|final|point\w*|only|not|no)\b",
    re.IGNORECASE,
)
"""Words by which a sentence about a score explains it."""
_BOARD = re.compile(
    r"\b(?:final|half-?time|match|game|movie|film|age|star|music\w*|sheet) (?:scores?|ratings?)|\bscore ?(?:board|line|sheet)",
    re.IGNORECASE,
)
"""Scores and ratings that pictures have."""


def is_unexplained(sentence: str) -> bool:
    """Whether an English sentence of a reason is about scores, without a number, and explains none:
    "rating inherited from the parent task".
    """
    return (
        not re.search(r"\d", sentence)
        and _OF_SCORES.search(_BOARD.sub(" ", sentence)) is not None
        and not _EXPLAINS.search(sentence)
    )
