"""Which texts an edit instruction quotes, which is the source and which the target, by a small
grammar (English, Chinese): where it cannot read one it says so (`Parsed.reason`).
"""

from __future__ import annotations

import math
import re
import tomllib
from dataclasses import dataclass, field, replace
from importlib import resources
from typing import Any, Final, Literal, cast

_Stack = tuple[str, ...]
Operation = Literal["change", "insert", "delete", "move", "resize", "recolour", "rotate"]
Role = Literal["all", "title", "largest", "top", "bottom", "middle", "only"]
Colour = tuple[int, int, int]

MAX_LENGTH: Final = 5_000
"""Characters that are looked at. Longer instructions are not read (`Parsed.reason` says so)."""


_SLIGHTLY: Final = r"\b(?:little|bit|slightly|somewhat)\b"
LARGER: Final = 1.3
SLIGHTLY_LARGER: Final = 1.15
"""The factors of an enlargement whose size the instruction leaves open."""


@dataclass(frozen=True, slots=True)
class Quote:
    """A quoted text: what is between the marks, without outer blanks, and where it stands with its
    marks.
    """

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Parsed:
    """What could be read from an instruction; None where it says nothing that can be read.

    A change has a `source` and a `target`, an insertion a target (and perhaps an `anchor` with a
    `place` such as ``below``), all others a source; two `sources` that change places have the
    `place` ``swapped``. With several of them `pairs` (changes) or
    `sources` list them, and `reason` says that there is no single one; it is empty exactly when the
    texts that the operation needs are known.

    The last four are what the words beside the quotes say: `role`, a text that is named and not
    quoted (``all``, ``title``, ``largest``, ``top``, ``bottom``, ``middle``, ``only``); `where`, a
    part of the picture (``top left``, ``bottom``, ``center``) or a direction (``go up``, ``go up
    slightly``); `colour`, RGB; `amount`, a factor (resize; None where the words do not tell one),
    degrees counterclockwise (rotate) or pixels (move).
    """

    operation: Operation | None
    source: str | None = None
    target: str | None = None
    anchor: str | None = None
    place: str | None = None
    pairs: tuple[tuple[str, str], ...] = ()
    sources: tuple[str, ...] = ()
    quotes: tuple[Quote, ...] = field(default=(), repr=False)
    reason: str = ""
    role: Role | None = None
    where: str | None = None
    colour: Colour | None = None
    amount: float | None = None

    @property
    def ok(self) -> bool:
        return not self.reason


# ----------------------------------------------------------------------------------------- quotes
_FAMILIES: Final = ("'‘’‚‛`´＇", '"“”„‟＂', "「」", "『』", "«»")
_FAMILY: Final = {mark: family[0] for family in _FAMILIES for mark in family}
_OPENS: Final = frozenset("‘‚‛“„‟「『«")
_CLOSES: Final = frozenset("’”」』»´")
_DEPTH: Final = 3
_NEVER: Final = 1e6


def quoted(text: str) -> tuple[Quote, ...]:
    """The outermost quoted texts of a sentence, in order; none where no balanced reading has any.
    Marks may be of any kind, mixed and nested, with apostrophes in between.

    ``'it's an 'active' day' to "a 12" pizza"`` gives ``it's an 'active' day`` and ``a 12" pizza``.
    """
    quotes: list[Quote] = []
    depth, start = 0, 0
    for position, role in _roles(text):
        if role == "open":
            start = start if depth else position
            depth += 1
        elif role == "close":
            depth -= 1
            if depth == 0:
                inner = text[start + 1 : position].strip()
                quotes.append(Quote(inner, start, position + 1))
    return tuple(quotes)


def _roles(text: str) -> list[tuple[int, str]]:
    """Each mark's place and role in the cheapest balanced reading (Viterbi over open marks)."""
    readings: dict[_Stack, tuple[float, Any]] = {(): (0.0, None)}
    for position, family in enumerate(map(_FAMILY.get, text)):
        if family is None:
            continue
        as_open, as_close, as_text = _prices(text, position)
        following: dict[_Stack, tuple[float, Any]] = {}
        for stack, (price, before) in readings.items():
            nested = 2.0 if family in stack else 0.0
            offers = [((*stack, family), as_open + nested, "open")] if len(stack) < _DEPTH else []
            if stack and stack[-1] == family:
                offers.append((stack[:-1], as_close, "close"))
            # in a quote a mark is more likely to belong to its text than outside to be a stray
            offers.append((stack, as_text * (0.9 if stack else 1.0), "text"))
            for result, extra, role in offers:
                cheapest = following[result][0] if result in following else math.inf
                if extra < _NEVER and price + extra < cheapest:
                    following[result] = price + extra, (before, position, role)
        readings = following
    way, steps = readings[()][1], []
    while way is not None:
        way, position, role = way
        steps.append((position, role))
    return steps[::-1]


def _prices(text: str, position: int) -> tuple[float, float, float]:
    """What it costs to read a mark as opening, closing, and as a character of the text."""
    mark = text[position]
    before = text[position - 1] if position else " "
    after = text[position + 1] if position + 1 < len(text) else " "
    word_before, word_after = _is_word(before), _is_word(after)
    if _FAMILY[mark] not in "'\"":
        return (0.0, _NEVER, 8.0) if mark in _OPENS else (_NEVER, 0.0, 8.0)
    inward = after.isspace()
    as_open = (_NEVER if inward else 5.0) if word_before else (4.0 if inward else 0.0)
    as_close = (3.0 if before.isspace() else 0.0) + (5.0 if word_after else 0.0)
    if mark in _OPENS:
        as_open, as_close = min(as_open, 0.5), as_close + 4.0
    elif mark in _CLOSES:
        as_open, as_close = as_open + 4.0, min(as_close, 5.0)
    if _FAMILY[mark] == '"':
        return as_open, as_close, 1.0 if before.isdigit() else 6.0  # 12" pizza
    as_text = 6.0
    if word_before and word_after:
        as_text = 0.0  # don't
        glued_open, glued_close = _glued(text, position)
        if glued_open or glued_close:
            as_text = 3.0  # the text'A'to'B'
            as_open = 1.0 if glued_open else as_open
            as_close = 1.0 if glued_close else as_close
    elif before in "sS" or before.isdigit():
        as_text = 3.0  # the students' books, 5' 10
    elif word_after and not word_before and not before.isspace():
        as_text = 4.0  # ('90s
    return as_open, as_close, as_text


def _glued(text: str, position: int) -> tuple[bool, bool]:
    """Whether a mark stands after a word that introduces a text, and before one that joins two."""
    before, after = text[max(0, position - 9) : position], text[position + 1 : position + 6]
    if _says("ends a word", after[:3]):
        return False, False
    return _says("introduces", before), _says("goes on", after)


def _is_word(character: str) -> bool:
    """A letter or digit of a script that puts blanks between words."""
    cjk = "\u2e80" <= character <= "\u9fff" or "\uf900" <= character <= "\ufaff"
    return character.isalnum() and not cjk


# ------------------------------------------------------------------------------------- operations
def _named(patterns: dict[str, str], after: str = "") -> re.Pattern[str]:
    """One pattern whose `lastgroup` says which of several it found."""
    groups = (f"(?P<{name}>{pattern})" for name, pattern in patterns.items())
    return re.compile(rf"(?<![A-Za-z])(?:{'|'.join(groups)}){after}", re.IGNORECASE)


_WORDS: Final = tomllib.loads(
    resources.files(__package__).joinpath("instructions.toml").read_text("utf-8")
)
_VERBS: Final = _named(_WORDS["verbs"])
_PLACES: Final = _named(_WORDS["places"], "(?![A-Za-z])")
_SENTENCE: Final = {name: re.compile(one, re.I) for name, one in _WORDS["sentence"].items()}
_ROLES: Final[dict[Role, str]] = _WORDS["roles"]
_METHODS: Final = {
    name: operation for operation, names in _WORDS["methods"].items() for name in names.split()
}


def _says(what: str, words: str) -> bool:
    return _SENTENCE[what].search(words) is not None


def read_instruction(text: str, operation: str | None = None) -> Parsed:
    """Source, target and operation of an instruction, as far as its quoted texts tell.

    `operation` is what the benchmark knows of it (TextEditBench's editing method, or one of
    `Operation`); without it the sentence's verb decides. Never raises for any text; `Parsed.reason`
    says what is missing.
    """
    if len(text) > MAX_LENGTH:
        why = f"the instruction has {len(text):,} characters, at most {MAX_LENGTH:,} are read"
        return Parsed(None, reason=why)
    quotes = quoted(text)
    texts, gaps, end = [quote.text for quote in quotes], [], 0
    for start, after in [*((quote.start, quote.end) for quote in quotes), (len(text), 0)]:
        gaps.append(re.sub(r"\s+", " ", text[end:start]))  # before, between and after the quotes
        end = after
    words = re.sub(r"\s+", " ", " ".join(gaps).lower())
    kind, colour = _operation(words, operation), _colour(words)
    if kind in ("change", None) and not operation and colour and not _change(gaps, texts).pairs:
        kind = "recolour"  # Change 'A' to red
    if kind is None:
        why = "the instruction names no operation that is known"
        return Parsed(None, quotes=quotes, reason=why)
    if not quotes:
        parsed = Parsed(kind, reason="the instruction quotes no text")
    elif kind in ("change", "insert"):
        parsed = (_change if kind == "change" else _insert)(gaps, texts)
    else:
        parsed = _sources(gaps, texts, kind)
    where = _where(words) or (_direction(words) if kind == "move" else None)
    amount, role = _amount(words, kind), _role(words)
    return replace(parsed, quotes=quotes, role=role, where=where, colour=colour, amount=amount)


def _operation(words: str, given: str | None) -> Operation | None:
    known = _METHODS.get((given or "").strip().lower().replace(" ", "_"))
    if known == "move" and _says("rotates", words):
        return "rotate"  # TextEditBench files rotations under relocation
    named = _VERBS.search(words)
    return cast(Operation | None, known or (named and named.lastgroup))


def _change(gaps: list[str], texts: list[str]) -> Parsed:
    pairs, several = _pairs(gaps, texts)
    source: str | None = None
    target: str | None = None
    if several:
        pairs, why = (), "several texts are changed into one"
    elif len(pairs) == 1:
        ((source, target),) = pairs
        empty = "" if source and target else "target" if source else "source"
        why = f"the {empty} text is empty" if empty else ""
    elif pairs:
        why = f"{len(pairs)} texts are changed at once"
    elif len(texts) != 1:
        why = "which quoted text becomes which is not said in words that are known"
    elif _says("changes", gaps[0]):
        why, target = "the text to be changed is not quoted", texts[0]
    else:
        why, source = "the new text is not quoted", texts[0]
    return Parsed("change", source, target, pairs=pairs, reason=why)


def _pairs(gaps: list[str], texts: list[str]) -> tuple[tuple[tuple[str, str], ...], bool]:
    """What becomes what, and whether several texts become one."""
    pairs: list[tuple[str, str]] = []
    several, free = False, 0  # the first text that no pair has
    for index in range(1, len(texts)):
        gap, source, target = gaps[index], texts[index - 1], texts[index]
        if index - 1 < free or _says("ignored", gap):
            continue
        with_first = len(texts) == 2 and _says("with first", gaps[0]) and not _says("changes", gap)
        if _says("reversed", gap) or with_first:
            pairs.append((target, source))
        elif _says("changes", gap):
            if index - 2 >= free and _says("inside", gaps[index - 1]):
                source = texts[index - 2]  # the word 'X' in 'X Y' to 'Z'
            elif index - 2 >= free and _says("joins", gaps[index - 1]):
                several = True  # 'A' and 'B' to 'C'
            pairs.append((source, target))
        else:
            continue
        free = index + 1
    return tuple(pairs), several


def _insert(gaps: list[str], texts: list[str]) -> Parsed:
    names_text = _says("names a text", gaps[0])
    anchor_first = len(texts) > 1 and _place(gaps[0]) and not names_text  # Below 'A', add 'B'
    target = texts[1 if anchor_first else 0]
    if not target:
        return Parsed("insert", reason="the target text is empty")
    if not anchor_first and len(texts) > 1 and _says("joins", gaps[1]):
        return Parsed("insert", reason="several texts are inserted")
    place = _place(gaps[0 if anchor_first else 1])
    if not place and not anchor_first and _says("names a thing", gaps[1]):
        why = "where the text is to be added is a thing in the picture, which cannot be found"
        return Parsed("insert", target=target, reason=why)
    known = len(texts) > 1 and place and not _says("ignored", gaps[1])
    anchor = texts[0] if anchor_first else texts[1] if known else None
    return Parsed("insert", target=target, anchor=anchor, place=place)


def _place(words: str) -> str | None:
    """The last word for a place in `words`: it stands nearest to the anchor."""
    return next((match.lastgroup for match in reversed([*_PLACES.finditer(words)])), None)


def _sources(gaps: list[str], texts: list[str], kind: Operation) -> Parsed:
    if _says("stays", gaps[0]):
        return Parsed(kind, reason="the instruction quotes what is to stay, not what is to go")
    joined = next((n for n in range(1, len(texts)) if not _says("joins", gaps[n])), len(texts))
    sources = tuple(texts[:joined])
    if not all(sources):
        return Parsed(kind, reason="the source text is empty")
    if len(sources) == 2 and kind == "move" and _says("swaps", gaps[0]):
        return Parsed(kind, place="swapped", sources=sources)
    if len(sources) > 1:
        return Parsed(kind, sources=sources, reason=f"{len(sources)} texts are named at once")
    place = _place(gaps[1])
    anchor = texts[1] if len(texts) > 1 and place else None
    return Parsed(kind, sources[0], anchor=anchor, place=place, sources=sources)


# ------------------------------------------------------------------------ words beside the quotes
COLOURS: Final[dict[str, Colour]] = {
    name: cast(Colour, tuple(bytes.fromhex(code)))
    for code, names in _WORDS["colours"].items()
    for name in names.split()
}
"""Colours by their common names."""
_SHADES: Final = {"dark": 0, "deep": 0, "light": 255, "pale": 255}
_COLOUR: Final = re.compile(
    rf"(?:\b(?P<shade>{'|'.join(_SHADES)})\s+)?(?<![a-z])(?P<name>{'|'.join(COLOURS)})(?![a-z])"
)


def _colour(words: str) -> Colour | None:
    """The last colour of "from black to dark blue" that is no ground's."""
    named = [
        m for m in _COLOUR.finditer(words) if "background" not in words[m.end() : m.end() + 12]
    ]
    goals = [m for m in named if not words[: m.start()].endswith(("from ", "the "))]
    if not goals:
        return None
    colour, to = COLOURS[goals[-1]["name"]], _SHADES.get(goals[-1]["shade"] or "")
    return colour if to is None else cast(Colour, tuple((level + to) // 2 for level in colour))


def _role(words: str) -> Role | None:
    if _says("counted", words):
        return None
    return next((role for role, pattern in _ROLES.items() if re.search(pattern, words)), None)


def _where(words: str) -> str | None:
    """A corner or side of the picture that the words after the last "to" (or all of them) name."""
    goal = words.rpartition(" to ")[2] if " from " in words else words
    rows = re.findall(r"\b(top|upper|bottom|lower)(?:most)?\b", goal)
    columns = re.findall(r"\b(left|right)\b(?! of (?!the (?:im|pi|ph|po|pa)))", goal)
    places = [{"upper": "top", "lower": "bottom"}.get(word, word) for word in rows[-1:]]
    places += columns[-1:]
    if not columns and _says("centred", goal):
        places.append("center")
    return " ".join(places) or None


def _direction(words: str) -> str | None:
    named = re.search(r"\b(up|down|left|right|lower|raise|higher)(?:wards?)?\b", words)
    going = {"lower": "down", "raise": "up", "higher": "up"}
    if not named:
        return None
    direction = f"go {going.get(named[1], named[1])}"
    return f"{direction} slightly" if re.search(_SLIGHTLY, words) else direction


def _amount(words: str, kind: Operation) -> float | None:
    """Degrees, a factor of the size, or pixels: as said, or a usual step."""
    if kind == "rotate":
        match = re.search(r"(-?\d{1,4}(?:\.\d{1,4})?)\s*(?:°|º|deg|度)", words)
        usual = 180.0 if "upside down" in words else 10.0 if "tilt" in words else 90.0
        amount = float(match[1]) if match else usual
        clockwise = _says("clockwise", words) and not _says("counterclockwise", words)
        return -amount if clockwise else amount
    if kind == "move":
        pixels = re.search(r"(\d{1,5})\s*(?:px|pixels?)\b", words)
        return float(pixels[1]) if pixels else None
    return _factor(words) if kind == "resize" else None


def _factor(words: str) -> float | None:
    """The factor of a size; None where the words do not say how large the text is to be."""
    up = _says("larger", words)
    if times := re.search(r"(\d{1,4}(?:\.\d{1,4})?)\s*(?:times|x\b|×)", words):
        value = float(times[1]) or 1.0
        return value if up else 1 / value
    if percent := re.search(r"(to\s+)?(\d{1,4}(?:\.\d{1,4})?)\s*(?:%|percent)", words):
        value = float(percent[2]) / 100
        return max(0.1, value if percent[1] else 1 + value if up else 1 - value)
    for pattern, value in (
        (r"doubl|twice", 2.0),
        (r"tripl", 3.0),
        (r"\bhal(?:f|ve)\b", 0.5),
        (_SLIGHTLY, SLIGHTLY_LARGER if up else 0.87),
    ):
        if re.search(pattern, words):
            return value
    if up:
        return LARGER
    return 0.75 if _says("smaller", words) else None
