"""Find a text in a picture's lines: whole lines, words in one, or several lines that read on."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from editgauge.instructions import Role

Points = npt.NDArray[np.float64]
Box = tuple[float, float, float, float]
"""Left, top, right, bottom, in pixels."""
ACCEPT = 0.9
"""The least similarity (0 to 1) of the words asked for to those found: below it nothing is touched.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """One line: its corners in pixels, clockwise from the text's own top left, (4, 2)."""

    corners: Points
    text: str

    @property
    def runs_down(self) -> bool:
        """Whether the text runs down the page: its box is much taller than wide."""
        along, across = np.linalg.norm(self.corners[[1, 3]] - self.corners[0], axis=1)
        return bool(across > 1.5 * along and len(self.text) > 1)

    @property
    def upright(self) -> Points:
        """The corners from where the text begins."""
        return np.roll(self.corners, -1, axis=0) if self.runs_down else self.corners

    @property
    def height(self) -> float:
        return float(np.linalg.norm(self.upright[3] - self.upright[0]))

    @property
    def box(self) -> Box:
        low, high = self.corners.min(axis=0), self.corners.max(axis=0)
        return float(low[0]), float(low[1]), float(high[0]), float(high[1])

    @property
    def centre(self) -> tuple[float, float]:
        left, top, right, bottom = self.box
        return (left + right) / 2, (top + bottom) / 2


class Span(NamedTuple):
    """The letters `start` to `end` of line number `line`."""

    line: int
    start: int
    end: int


class Match(NamedTuple):
    """Where a text was found: one span a line, and how similar it is (1 = same letters, digits)."""

    spans: tuple[Span, ...]
    similarity: float


def plain(text: str) -> str:
    """Letters and digits only, NFKC, lower case: what two texts are compared by."""
    return "".join(c for c in unicodedata.normalize("NFKC", text).lower() if c.isalnum())


def find(lines: Sequence[Line], wanted: str, where: str = "") -> Match | None:
    """The place whose words are most like `wanted`, of equals the one that is nearest to `where` (a
    side or corner of the picture, such as ``bottom left``), or in the largest letters; None where
    none is `ACCEPT` like it.
    """
    query = plain(wanted)
    found = [_best_in(lines, group, query) for group in _groups(lines, query)]
    matches = [one for one in found if one is not None]
    if not matches:
        return None

    def preference(one: tuple[Match, float]) -> tuple[float, float, float]:
        match, rank = one
        line = lines[match.spans[0].line]
        return rank, _nearness(line, where), line.height

    return max(matches, key=preference)[0]


def _nearness(line: Line, where: str) -> float:
    """How far a line lies to the named side or corner, in pixels."""
    x, y = line.centre
    ways = {"left": -x, "right": x, "top": -y, "bottom": y}
    return sum(ways.get(word, 0.0) for word in where.split())


def _best_in(
    lines: Sequence[Line], group: tuple[int, ...], query: str
) -> tuple[Match, float] | None:
    """The part of the group's joined text that is most like the query, and its rank."""
    owners = [
        (number, index, letter)
        for number in group
        for index, character in enumerate(lines[number].text)
        for letter in plain(character)
    ]
    letters = "".join(letter for _, _, letter in owners)
    start = letters.find(query)
    end = start + len(query)
    if start < 0:
        part = fuzz.partial_ratio_alignment(query, letters) if len(letters) > len(query) else None
        start, end = (part.dest_start, part.dest_end) if part else (0, len(letters))
    similarity = float(Levenshtein.normalized_similarity(query, letters[start:end]))
    if not _is_whole(query, letters[start:end]):
        return None
    reach: dict[int, tuple[int, int]] = {}
    for line, index, _ in owners[start:end]:
        reach[line] = (reach.get(line, (index, index))[0], index)
    if similarity < ACCEPT or len(reach) < len(group):
        return None  # or a smaller group has the same words
    spans = tuple(Span(line, first, last + 1) for line, (first, last) in reach.items())
    words = not any(
        lines[n].text[:first][-1:].isalnum() or lines[n].text[last:][:1].isalnum()
        for n, first, last in spans
    )
    return Match(spans, similarity), similarity + 0.06 * words - 0.01 * len(group)


def _is_whole(query: str, letters: str) -> bool:
    """Whether letters that are like the query also begin and end with it: what an engine did not
    read of a text would be left standing in the picture.
    """
    if len(letters) >= len(query):
        return True
    return letters[:1] == query[:1] and letters[-1:] == query[-1:]


def _groups(lines: Sequence[Line], query: str) -> list[tuple[int, ...]]:
    """Single lines, and chains of up to four that a reader would read on from one to the next."""
    groups: list[tuple[int, ...]] = [(n,) for n in range(len(lines)) if query]
    chains = groups
    for _ in range(3):
        longer = [
            (*chain, n)
            for chain in chains
            for n in range(len(lines))
            if n not in chain and _reads_on(lines[chain[-1]], lines[n])
        ]
        chains = [c for c in longer if sum(len(lines[n].text) for n in c[1:-1]) <= len(query)][:400]
        groups = [*groups, *chains]
    return groups


def _reads_on(first: Line, second: Line) -> bool:
    """Whether `second` goes on where `first` ends: to its right in the row, or on the next one."""
    height = max(first.height, second.height)
    if min(first.height, second.height) < 0.5 * height:
        return False
    left_a, _, right_a, bottom_a = first.box
    left_b, top_b, right_b, _ = second.box
    if abs(first.centre[1] - second.centre[1]) < 0.5 * height:
        return -0.3 * height < left_b - right_a < 3 * height
    below = -0.5 * height < top_b - bottom_a < 1.2 * height
    return below and min(right_a, right_b) - max(left_a, left_b) > -height


def _block(lines: Sequence[Line], order: Sequence[int], first: int) -> list[int]:
    """The lines of like height that read on to or from a line, from the top down."""
    block = [first]
    place = order.index(first)
    for n in reversed(order[:place]):  # upwards
        if _same_block(lines[n], lines[block[0]]):
            block.insert(0, n)
    for n in order[place + 1 :]:  # downwards
        if _same_block(lines[block[-1]], lines[n]):
            block.append(n)
    return block


def _same_block(upper: Line, lower: Line) -> bool:
    likeness = min(upper.height, lower.height) / max(upper.height, lower.height)
    return likeness > 0.7 and _reads_on(upper, lower)


def by_role(lines: Sequence[Line], role: Role) -> list[int]:
    """Which lines are named by a word, from the top down."""
    order = sorted(range(len(lines)), key=lambda n: lines[n].centre[1])
    if not order or role == "all":
        return order
    if role == "top":
        return _block(lines, order, order[0])
    if role == "bottom":
        return _block(lines, order, order[-1])
    largest = max(lines, key=lambda line: (not line.runs_down, line.height))
    least = largest.height * (1.0 if role == "largest" else 0.7)
    left, _, right, _ = largest.box
    near = [n for n in order if lines[n].box[0] < right and lines[n].box[2] > left]
    alike = [n for n in near if lines[n].runs_down == largest.runs_down]
    title = [n for n in alike if lines[n].height >= least]
    return title if role != "only" or len(title) == len(order) else []
