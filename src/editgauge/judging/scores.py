"""One number of a reply as words write it: ``4``, ``4/5``, ``[8]/10, a reason``."""

from __future__ import annotations

import re
from typing import NamedTuple

from editgauge.judging.protocol import Range

_NUMBER = re.compile(
    r"""
    [\s*_`"'“”\[(]{0,8}
    (?P<number>[-+]?\d{1,4}(?:\.\d{1,4})?)
    [\s*_`"'”\])]{0,8}
    (?:(?:/|／|out\ of)\s{0,4}[\[(*]{0,3}(?P<most>\d{1,4})[\])*_`"'”]{0,8})?
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""A number, perhaps in brackets or in Markdown, perhaps with what it is out of."""
_ARROW = r"(?:-+>|=+>|→|⟶|⇒|➜)"
_GOES_ON = re.compile(rf"\s*(?:[-–—~±+/]|\b(?:to|or|and|bis)\b|{_ARROW}|>)\s*[\[(*]{{0,4}}\d", re.I)
"""Behind a number: a range (``7-8``), a choice (``7 or 8``), a correction (``8 -> 3``)."""
_FRACTION = re.compile(r"[.,]\d|\s*[%½¼¾⅓⅔]|\s*\d")
_CORRECTED = re.compile(
    rf"{_ARROW}\s*[\[(*]{{0,3}}\d"
    r"|\b(?:actually|correct(?:ed|ion)|revis\w+|on reflection|on second thought\w*|reconsider\w*"
    r"|rather|make (?:it|that)|changed? (?:it |this |that )?to|should be|wait)\b\D{0,30}\d",
    re.IGNORECASE,
)
"""In the reason behind a number: another number takes its place."""
_SEPARATORS = ",.;:()[]{}–—-|…!*_`\"'”#<，。；：、）（／"


class Number(NamedTuple):
    """A number as a reply gives it. `value` is None where there is a number and no single whole one
    of the range: a range of numbers, a fraction, a correction, a number off the scale.
    """

    value: int | None
    words: str


def number_in(text: str, scale: Range, *, alone: bool = False) -> Number | None:
    """The number that a text begins with, and perhaps a reason behind it; None where the text says
    no number. `alone`: no other digit may follow.

    ``7/10, sharp`` gives 7; so do ``[7]/10``, ``**7** / 10`` and ``7.0``. ``7-8/10``, ``7,5/10``,
    ``7 or 8``, ``8/10 -> 3/10`` and ``8/10, rather 3`` say no one number: which of two is meant
    only the judge knows, and a fraction is not on the scale. ``5 letters differ`` says none.
    """
    line = text.strip().partition("\n")[0]
    match = _NUMBER.match(line)
    if match is None or re.fullmatch(rf"\W*{scale.low}\s*[-–—]\s*{scale.high}\W*", line):
        return None  # the whole scale stands for a number in a form that is to be filled in
    rest = line[match.end() :]
    unclear = Number(None, line[:60])
    most = match["most"]
    if _FRACTION.match(rest) or _GOES_ON.match(rest):
        # "7/10 - 3 letters" has a reason behind the dash; "7/10 - 8/10" is seen below
        if most is None or not re.match(r"\s*[-–—]\s", rest):
            return unclear
    if rest.strip() and rest.strip()[0] not in _SEPARATORS:
        return None if most is None else unclear
    if most is not None and int(most) != scale.high:
        return unclear
    value = float(match["number"])
    if not value.is_integer() or not scale.low <= value <= scale.high:
        return unclear
    others = re.findall(
        rf"(\d{{1,4}}(?:[.,]\d+)?)\s*(?:/|out of)\s*[\[(*]{{0,3}}{scale.high}\b", rest
    )
    if any(other != match["number"] for other in others) or _CORRECTED.search(rest):
        return unclear
    if alone and re.search(r"\d", rest):
        return unclear
    return Number(int(value), line[:60])
