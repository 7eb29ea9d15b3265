"""Reading an edit instruction: which texts it quotes, and which of them is the source and which the
target.

This is a small grammar for sentences such as ``Replace 'SALE' with 'OPEN'`` (in English or
Chinese), not an understanding of language. Where it cannot read a sentence it says so
(`Parsed.reason`) instead of guessing: a wrong source text would score an editor on something that
nobody asked for.

Quotes may be straight, curly, doubled, Chinese or guillemets, mixed and nested, with apostrophes in
between; which mark opens, closes or is a letter of the text is decided for the whole sentence at
once, by the cheapest balanced reading.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Final, Literal, NamedTuple

_Stack = tuple[str, ...]
_Role = Literal["open", "close", "text"]
Operation = Literal["change", "insert", "delete", "move", "resize", "recolour", "rotate"]
Role = Literal["all", "title", "largest", "top", "bottom", "middle", "only"]
Colour = tuple[int, int, int]

MAX_LENGTH: Final = 20_000
"""Characters that are looked at. Longer instructions are not read (`Parsed.reason` says so)."""
MAX_MARKS: Final = 1_000
"""Quotation marks and apostrophes that are looked at; a text with more of them is not read."""


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

    `source` and `target` are set only where there is exactly one of each that the operation needs:
    a change needs both, an insertion has a target (and perhaps an `anchor` with a `place` such as
    ``below``), a deletion a source. With several of them `pairs` (changes) or `sources` (deletions
    and all others) list them, and `reason` says that there is no single one. `reason` is empty
    exactly when the texts that the operation needs are known.

    The last four are what the words beside the quotes say: `role`, a text that is named and not
    quoted (``all``, ``title``, ``largest``, ``top``, ``bottom``, ``middle``, ``only``); `where`, a
    part of the picture (``top left``, ``bottom``, ``center``) or a direction (``go up``); `colour`,
    RGB; `amount`, a factor (resize), degrees counterclockwise (rotate) or pixels (move).
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
_FAMILY: Final[dict[str, str]] = {
    **dict.fromkeys("'‘’‚‛`´＇", "single"),
    **dict.fromkeys('"“”„‟＂', "double"),
    **dict.fromkeys("「」", "corner"),
    **dict.fromkeys("『』", "white corner"),
    **dict.fromkeys("«»", "guillemet"),
}
_OPENS: Final = frozenset("‘‚‛“„‟「『«")
_CLOSES: Final = frozenset("’”」』»´")
_STRICT: Final = frozenset({"corner", "white corner", "guillemet"})
_DEPTH: Final = 3
_NEVER: Final = 1e6


def quoted(text: str) -> tuple[Quote, ...]:
    """The outermost quoted texts of a sentence, in order; none where no balanced reading has any.

    ``'it's an 'active' day' to "a 12" pizza"`` gives ``it's an 'active' day`` and ``a 12" pizza``.
    """
    found: list[Quote] = []
    depth, start = 0, 0
    for step in _roles(text):
        if step.role == "open":
            if depth == 0:
                start = step.position
            depth += 1
        elif step.role == "close":
            depth -= 1
            if depth == 0:
                found.append(Quote(_inside(text, start, step.position), start, step.position + 1))
    return tuple(found)


def _inside(text: str, start: int, end: int) -> str:
    inner = text[start + 1 : end].strip()
    if (
        len(inner) > 2
        and inner[0] == text[start]
        and inner[-1] == text[end]
        and text[start] in "'`"
    ):
        return inner[1:-1].strip()  # ''LaTeX's way of a double quote''
    return inner


class _Step(NamedTuple):
    """One mark's role."""

    position: int
    role: _Role


def _roles(text: str) -> list[_Step]:
    """Each quotation mark's role in the cheapest balanced reading (Viterbi over the stack of
    open marks); nothing for a text of more than `MAX_MARKS` marks.
    """
    marks = [position for position, mark in enumerate(text) if mark in _FAMILY]
    if len(marks) > MAX_MARKS:
        return []
    prices: dict[_Stack, float] = {(): 0.0}
    ways: list[dict[_Stack, tuple[_Stack, _Role]]] = []
    for position in marks:
        family = _FAMILY[text[position]]
        as_open, as_close, as_text = _prices(text, position)
        following: dict[_Stack, float] = {}
        way: dict[_Stack, tuple[_Stack, _Role]] = {}
        for stack, price in prices.items():
            offers: list[tuple[_Stack, float, _Role]] = []
            if len(stack) < _DEPTH and as_open < _NEVER:
                offers.append(
                    ((*stack, family), as_open + (2.0 if family in stack else 0.0), "open")
                )
            if stack and stack[-1] == family and as_close < _NEVER:
                offers.append((stack[:-1], as_close, "close"))
            # a mark inside a quote is more likely to belong to its text than one outside to be a
            # stray
            offers.append((stack, as_text * (0.9 if stack else 1.0), "text"))
            for result, extra, role in offers:
                if result not in following or price + extra < following[result]:
                    following[result] = price + extra
                    way[result] = (stack, role)
        prices = following
        ways.append(way)
    steps: list[_Step] = []
    at: _Stack = ()
    for position, way in zip(reversed(marks), reversed(ways), strict=True):
        at, role = way[at]
        steps.append(_Step(position, role))
    return steps[::-1]


def _prices(text: str, position: int) -> tuple[float, float, float]:
    """What it costs to read the mark at `position` as opening, closing, and as a character of
    the text.
    """
    mark = text[position]
    before = text[position - 1] if position else " "
    after = text[position + 1] if position + 1 < len(text) else " "
    word_before, word_after = _is_word(before), _is_word(after)
    strict = _FAMILY[mark] in _STRICT
    if strict:
        opens = mark in _OPENS
        return (0.0, _NEVER, 8.0) if opens else (_NEVER, 0.0, 8.0)
    inward = after.isspace()
    as_open = (_NEVER if inward else 5.0) if word_before else (4.0 if inward else 0.0)
    as_close = (3.0 if before.isspace() else 0.0) + (5.0 if word_after else 0.0)
    if mark in _OPENS:
        as_open, as_close = min(as_open, 0.5), as_close + 4.0
    elif mark in _CLOSES:
        as_open, as_close = as_open + 4.0, min(as_close, 5.0)
    if _FAMILY[mark] == "single":
        if word_before and word_after:
            as_text = 0.0  # don't
            glued_open, glued_close = _glued(text, position)
            if glued_open or glued_close:
                as_text = 3.0  # the text'A'to'B'
                as_open = 1.0 if glued_open else as_open
                as_close = 1.0 if glued_close else as_close
        elif before in "sS" or before.isdigit():
            as_text = 3.0  # the students' books, 5' 10
        elif word_after and not word_before:
            as_text = 6.0 if before.isspace() else 4.0  # 'tis, ('90s
        else:
            as_text = 6.0
    else:
        as_text = 1.0 if before.isdigit() else 6.0  # 12" pizza
    return as_open, as_close, as_text


def _glued(text: str, position: int) -> tuple[bool, bool]:
    """Whether a mark between letters stands after a word that introduces a text, and before one
    that joins two.
    """
    if re.match(
        r"(?:s|t|re|ve|ll|d|m)(?![A-Za-z])", text[position + 1 : position + 4], re.IGNORECASE
    ):
        return False, False
    before, after = text[max(0, position - 9) : position], text[position + 1 : position + 6]
    return (
        re.search(
            r"(?<![A-Za-z])(?:text|words?|phrase|title|to|with|from|and|into|by)$", before, re.I
        )
        is not None,
        re.match(r"(?:to|with|and|into|by|or|in|from)(?![A-Za-z])", after, re.IGNORECASE)
        is not None,
    )


def _is_word(character: str) -> bool:
    """A letter or digit of a script that puts blanks between words: Chinese and Japanese set
    quotes without blanks.
    """
    return (
        character.isalnum()
        and not "\u2e80" <= character <= "\u9fff"
        and not "\uf900" <= character <= "\ufaff"
    )


# ------------------------------------------------------------------------------------- operations
_METHODS: Final[dict[str, Operation]] = {
    "text_change": "change",
    "text_insert": "insert",
    "text_delete": "delete",
    "text_relocation": "move",
    "text_attribute": "recolour",
    "scale": "resize",
    "scaling": "resize",
    "scalling": "resize",
    "rotation": "rotate",
    "replace": "change",
    "change": "change",
    "insert": "insert",
    "add": "insert",
    "delete": "delete",
    "remove": "delete",
    "move": "move",
    "resize": "resize",
    "recolour": "recolour",
    "recolor": "recolour",
    "rotate": "rotate",
}
_VERBS: Final[tuple[tuple[Operation, str], ...]] = (
    ("rotate", r"rotat\w+|tilt\w*|turn\b[^.]{0,80}upside\s+down|旋转"),
    ("recolour", r"recolou?r\w*|colou?r|颜色"),
    (
        "resize",
        r"enlarg\w*|resiz\w+|scal(?:e|ing)\b|shrink\w*|reduc\w*|(?:bigger|smaller|larger|twice|double|triple|half)\b|放大|缩小",
    ),
    (
        "move",
        r"move\b|moving|shift\w*|relocat\w+|(?:swap|switch)\s+the\s+(?:position|place)\w*|移动|移到",
    ),
    (
        "delete",
        r"delet\w+|remov\w+|eras\w+|get\s+rid\s+of|take\s+out|eliminat\w+|clear\b|删除|删掉|去掉|移除",
    ),
    ("insert", r"insert\w*|add\b|adding|append\w*|put\b|write\b|添加|插入|加上|增加|写上"),
    (
        "change",
        (
            r"chang\w+|replac\w+|turn\b|modif\w+|edit\b|correct\w*|renam\w+|substitut\w+|updat\w+|convert\w*|alter\w*|"
            r"translat\w+|rewrit\w+|swap\w*|switch\w*|fix\b|revis\w+|instead\s+of|改为|改成|换成|替换|修改|翻译|变成|变为"
        ),
    ),
)
_CHANGES: Final = re.compile(
    r"(?:^|[\s,(])(?:to|with|into|by|as|for|becomes?|reads?|reading|(?:should|must|to)\s+(?:be|read|say))"
    r"(?:\s+(?!(?:and|or|below|above|under|beneath|next|near|left|right|before|after)\b)[\w-]+){0,4}\s*:?\s*$"
    r"|(?:→|->|=>|-->|⇒)\s*$"
    r"|(?:改为|改成|换成|替换为|替换成|更换为|修改为|变为|变成|译为|译成|翻译为|翻译成|为|成)[\s:：]*(?:文字|文本|字样)?\s*$",
    re.IGNORECASE,
)
_REVERSED: Final = re.compile(
    r"\b(?:instead\s+of|in\s+(?:the\s+)?place\s+of|rather\s+than)\b[^.;]{0,40}$|(?:代替|取代|而不是)\s*$",
    re.I,
)
_WITH_FIRST: Final = re.compile(
    r"\b(?:replace|substitute|change|swap)\s+(?:with|by)(?:\s+\w+){0,3}\s*$", re.I
)
_JOINS: Final = re.compile(
    r"^\s*(?:,\s*and|，\s*和|,|，|、|;|；|&|\+|/|and|or|和|与|及|以及)(?:\s+(?:the|also|then)(?:\s+\w+){0,2})?\s*$",
    re.I,
)
_INSIDE: Final = re.compile(
    r"^\s*(?:in|of|from|within|inside)(?:\s+(?:the|a|an|this|that))?(?:\s+\w+){0,3}\s*$", re.I
)
_IGNORED: Final = re.compile(
    r"\b(?:keep\w*|preserv\w+|without|unchanged|except|excluding|but\s+not|other\s+than|unlike|like|similar\s+to|"
    r"same\b[^'\"]{0,200}\bas|match\w*|aligned|alignment|leav(?:e|ing)|not)\b|(?:保持|保留|除了|不要)",
    re.I,
)
_PLACES: Final[tuple[tuple[str, str], ...]] = (
    (
        "before",
        r"before|in\s+front\s+of|ahead\s+of|(?:to\s+|on\s+)?the\s+left\s+(?:side\s+)?of|之前|前面|左边|左侧",
    ),
    (
        "after",
        r"after|behind|following|(?:to\s+|on\s+)?the\s+right\s+(?:side\s+)?of|之后|后面|右边|右侧",
    ),
    ("below", r"below|beneath|under|underneath|下方|下面"),
    ("above", r"above|over|on\s+top\s+of|上方|上面"),
    ("beside", r"beside|next\s+to|near|旁边"),
    ("between", r"between|之间"),
)


def read_instruction(text: str, operation: str | None = None) -> Parsed:
    """Source, target and operation of an instruction, as far as its quoted texts tell.

    `operation` is what the benchmark knows of it (TextEditBench's editing method, or one of
    `Operation`); without it the sentence's verb decides. Never raises for any text; `Parsed.reason`
    says what is missing.
    """
    if len(text) > MAX_LENGTH:
        return Parsed(
            None,
            reason=f"the instruction has {len(text):,} characters, at most {MAX_LENGTH:,} are read",
        )
    if (marks := sum(mark in _FAMILY for mark in text)) > MAX_MARKS:
        reason = f"the instruction has {marks:,} quotation marks, at most {MAX_MARKS:,} are read"
        return Parsed(None, reason=reason)
    quotes = quoted(text)
    words = re.sub(r"\s+", " ", _unquoted(text, quotes).lower())
    kind, colour = _operation(text, quotes, operation), _colour(words)
    if kind in ("change", None) and not operation and colour and not _change(text, quotes).pairs:
        kind = "recolour"  # Change 'A' to red
    parsed = _texts(text, quotes, kind)
    if kind is None:
        return parsed
    where = _where(words) or (_direction(words) if kind == "move" else None)
    return replace(
        parsed, role=_role(words), where=where, colour=colour, amount=_amount(words, kind)
    )


def _texts(text: str, quotes: tuple[Quote, ...], kind: Operation | None) -> Parsed:
    if kind is None:
        return Parsed(
            None, quotes=quotes, reason="the instruction names no operation that is known"
        )
    if not quotes:
        return Parsed(kind, reason="the instruction quotes no text")
    if kind == "change":
        return _change(text, quotes)
    return _insert(text, quotes) if kind == "insert" else _sources(text, quotes, kind)


def _operation(text: str, quotes: tuple[Quote, ...], given: str | None) -> Operation | None:
    known = _METHODS.get((given or "").strip().lower().replace(" ", "_"))
    if known == "move" and re.search(r"\brotat|旋转", _unquoted(text, quotes), re.IGNORECASE):
        return "rotate"  # TextEditBench files rotations under relocation
    if known is not None:
        return known
    words = _unquoted(text, quotes)
    first: tuple[int, Operation] | None = None
    for name, pattern in _VERBS:
        match = re.search(rf"(?<![A-Za-z])(?:{pattern})", words, re.IGNORECASE)
        if match is not None and (first is None or match.start() < first[0]):
            first = (match.start(), name)
    return first[1] if first else None


def _unquoted(text: str, quotes: tuple[Quote, ...]) -> str:
    """The sentence with quoted texts blanked out, so that a verb inside them decides nothing.
    Same length.
    """
    for quote in quotes:
        text = text[: quote.start] + " " * (quote.end - quote.start) + text[quote.end :]
    return text


def _between(text: str, quotes: tuple[Quote, ...]) -> list[str]:
    """What stands before the first quote, between each two, and after the last, each run of blanks
    as one: one more piece than quotes.
    """
    ends = [0, *(quote.end for quote in quotes)]
    starts = [*(quote.start for quote in quotes), len(text)]
    return [re.sub(r"\s+", " ", text[a:b]) for a, b in zip(ends, starts, strict=True)]


def _change(text: str, quotes: tuple[Quote, ...]) -> Parsed:
    gaps = _between(text, quotes)
    pairs: list[tuple[str, str]] = []
    several = False
    used: set[int] = set()
    for index in range(1, len(quotes)):
        gap, source, target = gaps[index], quotes[index - 1].text, quotes[index].text
        if index - 1 in used or _IGNORED.search(gap):
            continue
        if _REVERSED.search(gap) or (
            len(quotes) == 2 and _WITH_FIRST.search(gaps[0]) and not _CHANGES.search(gap)
        ):
            pairs.append((target, source))
            used |= {index - 1, index}
        elif _CHANGES.search(gap):
            before = gaps[index - 1]
            if index >= 2 and index - 2 not in used and _INSIDE.search(before):
                source = quotes[index - 2].text  # the word 'X' in 'X Y' to 'Z'
            elif index >= 2 and index - 2 not in used and _JOINS.search(before):
                several = True  # 'A' and 'B' to 'C'
            pairs.append((source, target))
            used |= {index - 1, index}
    if several:
        return Parsed("change", quotes=quotes, reason="several texts are changed into one")
    if len(pairs) == 1:
        return Parsed(
            "change", *pairs[0], pairs=tuple(pairs), quotes=quotes, reason=_emptiness(*pairs[0])
        )
    if pairs:
        return Parsed(
            "change",
            pairs=tuple(pairs),
            quotes=quotes,
            reason=f"{len(pairs)} texts are changed at once",
        )
    if len(quotes) == 1:
        if _CHANGES.search(gaps[0]):
            return Parsed(
                "change",
                target=quotes[0].text,
                quotes=quotes,
                reason="the text to be changed is not quoted",
            )
        return Parsed(
            "change", source=quotes[0].text, quotes=quotes, reason="the new text is not quoted"
        )
    return Parsed(
        "change",
        quotes=quotes,
        reason="which quoted text becomes which is not said in words that are known",
    )


def _emptiness(source: str, target: str) -> str:
    missing = [name for name, text in (("source", source), ("target", target)) if not text]
    return f"the {' and the '.join(missing)} text is empty" if missing else ""


def _insert(text: str, quotes: tuple[Quote, ...]) -> Parsed:
    gaps = _between(text, quotes)
    first = 0
    names_text = re.search(r"\b(?:text|word|words|phrase|sentence)\s*$", gaps[0], re.IGNORECASE)
    if len(quotes) > 1 and _place(gaps[0]) and not names_text:
        first = 1  # Below 'A', add 'B'
    target = quotes[first].text
    if not target:
        return Parsed("insert", quotes=quotes, reason="the target text is empty")
    if first == 1:
        return Parsed(
            "insert", target=target, anchor=quotes[0].text, place=_place(gaps[0]), quotes=quotes
        )
    if len(quotes) > 1 and _JOINS.search(gaps[1]):
        return Parsed("insert", quotes=quotes, reason="several texts are inserted")
    place = _place(gaps[1])
    anchor = quotes[1].text if len(quotes) > 1 and place and not _IGNORED.search(gaps[1]) else None
    return Parsed("insert", target=target, anchor=anchor, place=place, quotes=quotes)


def _place(words: str) -> str | None:
    """The last word for a place in `words`: it stands nearest to the anchor."""
    best: tuple[int, str] | None = None
    for name, pattern in _PLACES:
        for match in re.finditer(rf"(?<![A-Za-z])(?:{pattern})(?![A-Za-z])", words, re.IGNORECASE):
            if best is None or match.end() > best[0]:
                best = (match.end(), name)
    return best[1] if best else None


def _sources(text: str, quotes: tuple[Quote, ...], kind: Operation) -> Parsed:
    gaps = _between(text, quotes)
    if re.search(
        r"\b(?:except|keep|but|other\s+than|excluding|apart\s+from|besides)\b|除了|保留",
        gaps[0],
        re.I,
    ):
        return Parsed(
            kind, quotes=quotes, reason="the instruction quotes what is to stay, not what is to go"
        )
    sources = [quotes[0].text]
    for index in range(1, len(quotes)):
        if not _JOINS.search(gaps[index]):
            break
        sources.append(quotes[index].text)
    if not all(sources):
        return Parsed(kind, quotes=quotes, reason="the source text is empty")
    if len(sources) > 1:
        return Parsed(
            kind,
            sources=tuple(sources),
            quotes=quotes,
            reason=f"{len(sources)} texts are named at once",
        )
    place = _place(gaps[1])
    anchor = quotes[1].text if len(quotes) > 1 and place else None
    return Parsed(
        kind, sources[0], anchor=anchor, place=place, sources=tuple(sources), quotes=quotes
    )


# ------------------------------------------------------------------------ words beside the quotes
_CODES: Final = {
    "black 黑色": 0x000000,
    "white 白色": 0xFFFFFF,
    "red 红色": 0xDC141E,
    "green 绿色": 0x148C32,
    "blue 蓝色": 0x1E46D2,
    "yellow 黄色": 0xFAD714,
    "orange": 0xF5821E,
    "purple violet 紫色": 0x7D28A0,
    "pink": 0xF06EAA,
    "brown": 0x784623,
    "grey gray": 0x808080,
    "cyan": 0x00B4C8,
    "teal": 0x008080,
    "magenta": 0xD200A0,
    "golden gold": 0xD4A51E,
    "silver": 0xC0C0C0,
    "navy": 0x0F1E5F,
    "beige": 0xEBDCBE,
    "maroon": 0x800014,
    "turquoise": 0x32C8BE,
    "crimson": 0xC80F32,
    "lime": 0x8CDC14,
    "indigo": 0x410082,
}
COLOURS: Final[dict[str, Colour]] = {
    name: (code >> 16, code >> 8 & 255, code & 255)
    for names, code in _CODES.items()
    for name in names.split()
}
"""Colours by their common names."""
_SHADES: Final = {"dark": 0, "deep": 0, "light": 255, "pale": 255}
_COLOUR: Final = re.compile(
    rf"(?:\b(?P<shade>{'|'.join(_SHADES)})\s+)?(?<![a-z])(?P<name>{'|'.join(COLOURS)})(?![a-z])"
)
_TEXT_WORDS: Final = (
    r"(?:texts?|words?|phrase|sentence|title|heading|headline|characters?|letters?)"
)
_ROLES: Final[tuple[tuple[Role, str], ...]] = (
    ("all", rf"\b(?:all|every|each|whole|entire)\b(?: of)?(?: the)? {_TEXT_WORDS}"),
    ("bottom", rf"\b(?:bottom-?most|lowest)\b|{_TEXT_WORDS} (?:at|on|in) the bottom\b"),
    ("top", rf"\b(?:top-?most|uppermost)\b|{_TEXT_WORDS} (?:at|on|in) the top\b"),
    ("largest", rf"\b(?:largest|biggest|huge|large|big) {_TEXT_WORDS}"),
    ("middle", rf"{_TEXT_WORDS} (?:at|on|in) the (?:middle|cent(?:er|re))\b"),
    ("title", r"\b(?:title|headline|heading)\b"),
    ("only", rf"\b(?:the|this) {_TEXT_WORDS}\b"),
)


def _colour(words: str) -> Colour | None:
    """The last colour of "from black to dark blue" that is no ground's."""
    named = [
        m for m in _COLOUR.finditer(words) if "background" not in words[m.end() : m.end() + 12]
    ]
    goals = [m for m in named if not words[: m.start()].endswith(("from ", "the "))]
    if not goals:
        return None
    red, green, blue = COLOURS[goals[-1]["name"]]
    if (to := _SHADES.get(goals[-1]["shade"] or "")) is None:
        return red, green, blue
    return (red + to) // 2, (green + to) // 2, (blue + to) // 2


def _role(words: str) -> Role | None:
    if re.search(r"\b(?:first|second|third|last|sub-?title|column|row|logo|date|time)\b", words):
        return None
    return next((role for role, pattern in _ROLES if re.search(pattern, words)), None)


def _where(words: str) -> str | None:
    """A corner or side of the picture that the words after the last "to" (or all of them) name."""
    goal = words.rpartition(" to ")[2] if " from " in words else words
    rows = re.findall(r"\b(top|upper|bottom|lower)(?:most)?\b", goal)
    columns = re.findall(r"\b(left|right)\b(?! of (?!the (?:im|pi|ph|po|pa)))", goal)
    found = [{"upper": "top", "lower": "bottom"}.get(word, word) for word in rows[-1:]]
    found += columns[-1:]
    if not columns and re.search(r"\b(?:cent(?:er|re)|middle)\b", goal):
        found.append("center")
    return " ".join(found) or None


def _direction(words: str) -> str | None:
    named = re.search(r"\b(up|down|left|right|lower|raise|higher)(?:wards?)?\b", words)
    going = {"lower": "down", "raise": "up", "higher": "up"}
    return f"go {going.get(named[1], named[1])}" if named else None


def _amount(words: str, kind: Operation) -> float | None:
    if kind == "rotate":
        return _degrees(words)
    if kind == "resize":
        return _factor(words)
    pixels = re.search(r"(\d{1,5})\s*(?:px|pixels?)\b", words) if kind == "move" else None
    return float(pixels[1]) if pixels else None


def _degrees(words: str) -> float:
    told = re.search(r"(-?\d{1,4}(?:\.\d{1,4})?)\s*(?:°|º|deg|度)", words)
    amount = float(told[1]) if told else 180.0 if "upside down" in words else 90.0
    amount = 10.0 if told is None and "tilt" in words else amount
    clockwise = re.search(r"\bclockwise|to the right|顺时针", words)
    return -amount if clockwise and not re.search(r"counter|anti|逆时针", words) else amount


def _factor(words: str) -> float:
    """Of the size: as told, or a usual step where only the direction is."""
    up = re.search(r"bigger|larger|enlarg|up\b|increas|doubl|twice|tripl|放大", words) is not None
    if times := re.search(r"(\d{1,4}(?:\.\d{1,4})?)\s*(?:times|x\b|×)", words):
        value = float(times[1]) or 1.0
        return value if up else 1 / value
    if percent := re.search(r"(to\s+)?(\d{1,4}(?:\.\d{1,4})?)\s*(?:%|percent)", words):
        value = float(percent[2]) / 100
        return max(0.1, value if percent[1] else 1 + value if up else 1 - value)
    for pattern, value in ((r"doubl|twice", 2.0), (r"tripl", 3.0), (r"\bhal(?:f|ve)\b", 0.5)):
        if re.search(pattern, words):
            return value
    if re.search(r"\b(?:little|bit|slightly|somewhat)\b", words):
        return 1.15 if up else 0.87
    return 1.3 if up else 0.75
