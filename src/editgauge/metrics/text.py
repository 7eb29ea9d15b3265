"""Text as TextEdit's OCR scores compare it. `normalise` and `similarity` are the released
definitions (classic track); the others serve the corrected variant.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from rapidfuzz.distance import Levenshtein

_BLANKLESS = re.compile("[\u2e80-\u9fff\uf900-\ufaff\u0e00-\u0eff\U00020000-\U0003ffff]")
SHORT = 3
"""Up to this many normalised characters a text occurs by chance too often to say anything."""


def normalise(text: str) -> str:
    """NFKC, lower case, alphanumeric characters only: what the released scores compare.

    ``"Café №1 – ＦＵＬＬ!"`` gives ``"caféno1full"``.
    """
    if text.isascii():
        return text.lower() if text.isalnum() else "".join(filter(str.isalnum, text.lower()))
    return _normalise_any(text)


@lru_cache(maxsize=1 << 14)
def _normalise_any(text: str) -> str:
    # the order matters: a sign that NFKC takes apart may hold capitals, and a capital's lower case
    # a mark of its own
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).lower()))


def normalise_strictly(text: str) -> str:
    """NFKC without blanks and control characters, for edits that `normalise` cannot see: case,
    punctuation, marks and emoji stay.
    """
    return "".join(filter(_is_ink, unicodedata.normalize("NFKC", text)))


def similarity(a: str, b: str) -> float:
    """1 − Levenshtein distance / (length of the longer + 1e-5), in [0, 1]; higher is more alike.

    The distance counts insertions, deletions and substitutions of code points. The released code's
    formula, on texts that are normalised already.
    """
    if a == b:
        return 1.0
    length_a, length_b = len(a), len(b)  # max() would take a tenth of the time of a score
    longer = length_a if length_a > length_b else length_b
    return 1 - Levenshtein.distance(a, b) / (longer + 1e-5)


def occurrences(
    text: str, words: str, *, strictly: bool = False, whole: bool = False
) -> list[tuple[int, int]]:
    """Where `words` occur in `text`, as (start, end) in the normalised text; none for words without
    letters.

    Both are seen through `normalise`, or `normalise_strictly`. With `whole` only places count that
    neither begin nor end inside a word: ``10`` is in ``"10 am"`` but not in ``"2010"``. Blanks that
    OCR lost or added inside `words` do not matter. Chinese, Japanese, Thai and Lao set no blanks
    between words: there every place is a boundary.
    """
    key = normalise_strictly if strictly else normalise
    wanted = key(words)
    if not wanted or wanted not in key(text):
        return []
    letters, joined = _joints(text, strictly)
    spans: list[tuple[int, int]] = []
    start = letters.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        if not whole or (start not in joined and end not in joined):
            spans.append((start, end))
        start = letters.find(wanted, start + 1)
    return spans


@lru_cache(maxsize=1 << 12)
def _joints(text: str, strictly: bool) -> tuple[str, frozenset[int]]:
    """The normalised text, and the positions in it where two letters of one word meet."""
    plain = unicodedata.normalize("NFKC", text)
    kept: list[str] = []
    joined: set[int] = set()
    before = ""
    for character in plain if strictly else plain.lower():
        letter = character.isalnum()
        if letter and before and not (_without_blanks(character) or _without_blanks(before)):
            joined.add(len(kept))
        if letter or (strictly and _is_ink(character)):
            kept.append(character)
        if letter:
            before = character
        elif not unicodedata.combining(character):
            before = ""
    return "".join(kept), frozenset(joined)


def _is_ink(character: str) -> bool:
    return not character.isspace() and unicodedata.category(character) not in ("Cc", "Cf")


def _without_blanks(character: str) -> bool:
    """Whether the character's script is written without blanks between words."""
    return _BLANKLESS.match(character) is not None


_SCRIPTS = {
    "HIRAGANA": "ja", "KATAKANA": "ja", "HANGUL": "ko", "ARABIC": "ar", "HEBREW": "he",
    "THAI": "th", "DEVANAGARI": "hi", "CYRILLIC": "ru", "CJK": "zh", "GREEK": "el", "LATIN": "en",
    "FULLWIDTH LATIN": "en",
}  # fmt: skip
LANGUAGES: tuple[str, ...] = tuple(dict.fromkeys(_SCRIPTS.values()))
"""What `language_of` gives, ``other`` aside."""


def language_of(*texts: str) -> str:
    """The language, or rather the script, that an OCR engine must know to read these texts.

    ``zh`` (Chinese characters alone), ``ja`` (with kana), ``ko``, ``ru`` (Cyrillic), ``ar``,
    ``he``, ``el``, ``th``, ``hi`` (Devanagari); ``en`` for Latin script in any language and for
    texts without letters; ``other`` where there is a letter of none of these. With several scripts
    the first of these counts that is there, before Latin: its engines read Latin script too.
    """
    scripts = set()
    for character in "".join(texts):
        if character.isascii() or not character.isalpha():
            continue
        name = unicodedata.name(unicodedata.normalize("NFKC", character)[:1], "")
        known = (language for script, language in _SCRIPTS.items() if name.startswith(script))
        scripts.add(next(known, "other"))
    return min(scripts, key=("other", *LANGUAGES).index, default="en")


def is_right_to_left(text: str) -> bool:
    """Whether most letters with a direction of their own run from right to left."""
    if text.isascii():
        return False
    directions = [unicodedata.bidirectional(character) for character in text]
    return sum(one in ("R", "AL") for one in directions) > directions.count("L")
