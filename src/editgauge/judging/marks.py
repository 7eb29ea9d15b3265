"""Marks in a rubric: ours, which are filled in, and those of other templates, which would be sent
as they are.

Ours are ``{{name}}``, ``{{#name}}…{{/name}}`` and ``{{^name}}…{{/name}}`` (see `rubrics`). Another
template's mark is told from honest writing by what it names and where it stands: ``[INSTRUCTION]``
is one where the rubric shows the instruction nowhere; ``[0, 5]``, a link, a heading over a text and
the form of an answer (``<score>``) are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set

MARK = re.compile(r"\{\{([#^/]?)([a-z_]+)\}\}")
_BRACES = re.compile(
    r"\{\{[^{}\n]{0,40}\}{0,2}"
    r"|(?<!\{)\{[ ]?[A-Za-z_][A-Za-z0-9_ -]{0,40}(?:[.!:\[][^{}\n\"]{0,40})?\}(?!\})"
    r"|\{\d*\}|\{[%#].{0,40}?[%#]\}|%\([a-z_]+\)s|(?<!\d)%s|\$\{[A-Za-z_]+\}"
    r"|<<[ ]?[A-Za-z_][A-Za-z0-9_ -]{0,40}>>"
)
"""What other template languages write for a field, whatever it is called, and ours written wrongly:
what is left where our marks were taken out.
"""
_DOLLAR = re.compile(r"(?<![\w$\\])\$[A-Za-z_]\w{0,40}(?![\w$])(?![^\n]{0,200}\$)")
"""``$name`` of a shell or of `string.Template`; ``$a > b$`` is a formula."""
_NAMED = re.compile(
    r"(?<![\[\]!\\\w])\[(?P<square>[A-Za-z][A-Za-z_ -]{1,40})\](?![\[(:\]])"
    r"|(?<![<\w])<(?P<angle>[A-Za-z][A-Za-z_ -]{1,40})>(?!>)"
)
_MEANT = {
    "instruction": ("instruction", "wanted"),
    "instructions": ("instruction", "wanted"),
    "instruct": ("instruction", "wanted"),
    "prompt": ("instruction", "wanted"),
    "change": ("wanted",),
    "source": ("source",),
    "target": ("target",),
    "explanation": ("explanation",),
    "hint": ("explanation",),
    "knowledge": ("explanation",),
}
"""Words for what a sample says -> the fields that show it."""
_PICTURES = frozenset({
    "image", "images", "picture", "pictures", "photo", "output", "result", "region", "area",
})  # fmt: skip
"""Words of names that stand for a picture, which no rubric holds."""
_WORDS = re.compile(r"[^\W_]+")


def fields(text: str) -> set[str]:
    """The fields whose text a rubric shows."""
    return {match[2] for match in MARK.finditer(text) if not match[1]}


def unfilled(text: str, known: Set[str]) -> str | None:
    """The first mark of a rubric that nobody fills in, None where there is none. `known` are the
    fields of the package's rubrics, whose names count in other templates' marks as well.
    """
    found = [*_braces(text), *_named(text, known)]
    return min(found)[1] if found else None


def _braces(text: str) -> Iterator[tuple[int, str]]:
    bare = MARK.sub(lambda match: " " * len(match[0]), text)
    for pattern in (_BRACES, _DOLLAR):
        if match := pattern.search(bare):
            yield match.start(), match[0]


def _named(text: str, known: Set[str]) -> Iterator[tuple[int, str]]:
    """Names in square or angle brackets that mean a field which the rubric does not show."""
    shown = fields(text)
    for match in _NAMED.finditer(text):
        words = _WORDS.findall((match["square"] or match["angle"]).lower())
        if not _PICTURES.isdisjoint(words):
            continue
        meant = {field for word in words for field in _MEANT.get(word, ())}
        meant |= known & set(words)
        if meant and meant.isdisjoint(shown) and not _heads(text, match):
            yield match.start(), match[0]


def _heads(text: str, match: re.Match[str]) -> bool:
    """Whether a name in brackets is a heading over a text, the tag of one, or a link."""
    if match["angle"]:
        tag = re.compile(rf"</{match['angle']}>", re.IGNORECASE).search(text, match.end())
        return tag is not None and bool(text[match.end() : tag.start()].strip())
    if f"\n{match[0]}:" in f"\n{text}":
        return True
    start = text.rfind("\n", 0, match.start()) + 1
    end = text.find("\n", match.end())
    alone = (
        end > 0
        and not text[start : match.start()].strip(" #*")
        and (not text[match.end() : end].strip(" *"))
    )
    below = text[end + 1 :].partition("\n")[0] if end > 0 else ""
    above = text[: max(0, start - 1)].rpartition("\n")[2]
    return alone and bool(below.strip()) and not above.rstrip().endswith(":")
