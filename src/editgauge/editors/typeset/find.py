"""Find a text in a picture's lines: whole lines, words inside one, or several lines that read
on.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from editgauge.editors.typeset.request import Span, Target
from editgauge.images import Array

Points = npt.NDArray[np.float64]

ACCEPT = 0.7
"""The least similarity (0 to 1) of the words asked for to the words found: below it nothing is
touched.
"""
COMPLETE = 0.75
"""The least length of the words found, as a part of those asked for."""
_ALIKE_DIGITS = str.maketrans({"o": "0", "l": "1", "i": "1"})
_SAME_ROW = 3.0
"""Line heights between two texts of a row that are still one text."""
_ACROSS = 20.0
"""The same for the two ends of an entry (a dish and its price), where both are asked for."""
ALIKE = 0.02
"""A difference of similarity that tells nothing."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line that an OCR engine read: its corners clockwise from the text's own top left, (4, 2),
    in pixels.
    """

    corners: Points
    text: str

    @property
    def height(self) -> float:
        across = (
            np.linalg.norm(self.corners[3] - self.corners[0]),
            np.linalg.norm(self.corners[2] - self.corners[1]),
        )
        along = (
            np.linalg.norm(self.corners[1] - self.corners[0]),
            np.linalg.norm(self.corners[2] - self.corners[3]),
        )
        return float(min(sum(across), sum(along)) / 2) if self.upended else float(sum(across) / 2)

    @property
    def upended(self) -> bool:
        """Much taller than wide with several letters: the text runs up or down the page."""
        width = float(np.linalg.norm(self.corners[1] - self.corners[0]))
        height = float(np.linalg.norm(self.corners[3] - self.corners[0]))
        return height > 1.5 * width and len(self.text) > 1

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, top, right, bottom."""
        low, high = self.corners.min(axis=0), self.corners.max(axis=0)
        return float(low[0]), float(low[1]), float(high[0]), float(high[1])

    @property
    def centre(self) -> tuple[float, float]:
        left, top, right, bottom = self.box
        return (left + right) / 2, (top + bottom) / 2


@dataclass(frozen=True, slots=True)
class Match:
    """Where a text was found: one span a line, and how similar it is (1 = the same letters and
    digits).
    """

    spans: tuple[Span, ...]
    similarity: float


def plain(text: str) -> str:
    """Letters and digits only, NFKC, lower case: what two texts are compared by."""
    return "".join(c for c in unicodedata.normalize("NFKC", text).lower() if c.isalnum())


def find(lines: Sequence[Line], target: Target) -> list[Match]:
    """Where `target` is, the best place first; empty where there is none."""
    if target.spans:
        return [Match(target.spans, 1.0)]
    if target.text is not None:
        found = _by_words(lines, target.text)
        return _within(found, _by_words(lines, target.inside)) if target.inside else found
    chosen = _by_role(lines, target.role or "all")
    return [Match(tuple(Span(n, 0, len(lines[n].text)) for n in chosen), 1.0)] if chosen else []


def _by_words(lines: Sequence[Line], wanted: str) -> list[Match]:
    query = plain(wanted)
    if not query:
        return _by_marks(lines, wanted.strip())
    found: list[tuple[float, int, Match]] = []
    for group in _groups(lines, query):
        match, rank = _best_in(lines, group, query)
        if match is not None and match.similarity >= ACCEPT and _complete(lines, match, query):
            found.append((rank, group[0], match))
    found.sort(key=lambda item: (-item[0], item[1]))
    places = _without_overlaps([match for _, _, match in found])
    return _prominent_first(lines, [_with_marks(lines, match, wanted) for match in places])


def _within(matches: list[Match], longer: list[Match]) -> list[Match]:
    """The matches that are a part of the best of some longer ones; all where there is none."""
    if not longer:
        return matches
    reach = {span.line: span for span in longer[0].spans}
    return [
        match
        for match in matches
        if all(
            span.line in reach
            and reach[span.line].start <= span.start
            and span.end <= reach[span.line].end
            for span in match.spans
        )
    ]


def _by_marks(lines: Sequence[Line], marks: str) -> list[Match]:
    """Where a text without letters and digits (``&``) stands by itself."""
    return [
        Match((Span(number, found.start(), found.end()),), 1.0)
        for number, line in enumerate(lines)
        for found in re.finditer(rf"(?<!\S){re.escape(marks)}(?!\S)", line.text)
        if marks
    ]


def _complete(lines: Sequence[Line], match: Match, query: str) -> bool:
    """Whether a match has nearly all of what was asked for, and its very digits: half of a text is
    not the text, and neither is another year's number.
    """
    seen = plain("".join(lines[s.line].text[s.start : s.end] for s in match.spans))
    if seen == query:
        return True
    if query.startswith(seen) or query.endswith(seen):
        return False  # the engine lost its last letters, which would be left
    same_digits = _digits(seen) == _digits(query) or not any(c.isdigit() for c in query)
    return same_digits and len(seen) >= COMPLETE * len(query)


def _digits(text: str) -> list[str]:
    """The digits of a text, and the letters that an engine takes for some."""
    return [c for c in text.translate(_ALIKE_DIGITS) if c.isdigit()]


def _with_marks(lines: Sequence[Line], match: Match, wanted: str) -> Match:
    """The match with the marks that the wanted text begins and ends with (``%``, ``(``, ``!``),
    where they stand there: letters and digits alone are compared.
    """
    letters = [index for index, char in enumerate(wanted) if plain(char)]
    head = wanted[: letters[0]].strip()[::-1]
    tail = wanted[letters[-1] + 1 :].strip()
    first, last = match.spans[0], match.spans[-1]
    before, after = lines[first.line].text[: first.start][::-1], lines[last.line].text[last.end :]
    spans = list(match.spans)
    start, end = first.start - _common(head, before), last.end + _common(tail, after)
    spans[0] = Span(first.line, start, spans[0].end)
    spans[-1] = Span(last.line, spans[-1].start, end)
    return Match(tuple(spans), match.similarity)


def _common(marks: str, text: str) -> int:
    """How many of the marks the text begins with."""
    fits = (one == other for one, other in zip(marks, text, strict=False))
    return next((n for n, same in enumerate(fits) if not same), min(len(marks), len(text)))


def _prominent_first(lines: Sequence[Line], matches: list[Match]) -> list[Match]:
    """Of matches that are as similar, whole words before parts of words, and large letters before
    small ones: who names a text means the one that is seen.
    """
    if len(matches) < 2:
        return matches
    alike = [m for m in matches if m.similarity >= matches[0].similarity - ALIKE]
    alike.sort(key=lambda m: (not whole(lines, m), -letter_height(lines, m)))
    return [*alike, *(m for m in matches if m not in alike)]


def whole(lines: Sequence[Line], match: Match) -> bool:
    """Whether a match begins and ends with words."""
    return all(_is_word(lines[span.line].text, span) for span in match.spans)


def letter_height(lines: Sequence[Line], match: Match) -> float:
    """The height of a match's lines, in pixels."""
    return max(lines[span.line].height for span in match.spans)


def _best_in(
    lines: Sequence[Line], group: tuple[int, ...], query: str
) -> tuple[Match | None, float]:
    """The part of the group's joined text that is most like the query, and its rank among all
    candidates.
    """
    letters, owners = _letters(lines, group)
    if not letters:
        return None, 0.0
    start, end = _window(letters, query)
    start, end = _to_words(lines, letters, owners, query, start, end)
    similarity = likeness(query, letters[start:end])
    spans = _spans(owners[start:end])
    if len(spans) < len(group):
        return None, 0.0  # a smaller group has the same words
    whole_words = all(_is_word(lines[span.line].text, span) for span in spans)
    whole_lines = start == 0 and end == len(letters)
    return Match(
        spans, similarity
    ), similarity + 0.06 * whole_words + 0.02 * whole_lines - 0.01 * len(group)


def _to_words(
    lines: Sequence[Line],
    letters: str,
    owners: list[tuple[int, int]],
    query: str,
    start: int,
    end: int,
) -> tuple[int, int]:
    """An inexact window moved to the ends of the words it cuts, where that takes in no more than
    two letters.
    """
    if letters[start:end] == query:
        return start, end
    for _ in range(2):
        if start > 0 and _joined_to(lines, owners, start - 1):
            start -= 1
        if end < len(letters) and _joined_to(lines, owners, end - 1):
            end += 1
    return start, end


def _joined_to(lines: Sequence[Line], owners: list[tuple[int, int]], at: int) -> bool:
    """Whether letter `at` and the one after it are neighbours in one word."""
    (line, index), (next_line, next_index) = owners[at], owners[at + 1]
    return line == next_line and index + 1 >= next_index


def likeness(a: str, b: str) -> float:
    """1 - Levenshtein / the longer length; 1 for equal texts."""
    return float(Levenshtein.normalized_similarity(a, b))


def _window(letters: str, query: str) -> tuple[int, int]:
    exact = letters.find(query)
    if exact >= 0:
        return exact, exact + len(query)
    if len(letters) <= len(query):
        return 0, len(letters)
    part = fuzz.partial_ratio_alignment(query, letters)
    return (part.dest_start, part.dest_end) if part is not None else (0, len(letters))


def _letters(lines: Sequence[Line], group: tuple[int, ...]) -> tuple[str, list[tuple[int, int]]]:
    """The plain letters of the lines in order, and for each where it came from: (line, index in its
    text).
    """
    letters: list[str] = []
    owners: list[tuple[int, int]] = []
    for number in group:
        for index, char in enumerate(lines[number].text):
            for letter in plain(char):
                letters.append(letter)
                owners.append((number, index))
    return "".join(letters), owners


def _spans(owners: Sequence[tuple[int, int]]) -> tuple[Span, ...]:
    ends: dict[int, tuple[int, int]] = {}
    for line, index in owners:
        first, _ = ends.get(line, (index, index))
        ends[line] = (first, index)
    return tuple(Span(line, first, last + 1) for line, (first, last) in ends.items())


def _is_word(text: str, span: Span) -> bool:
    before = text[span.start - 1] if span.start else " "
    after = text[span.end] if span.end < len(text) else " "
    return not before.isalnum() and not after.isalnum()


def _groups(lines: Sequence[Line], query: str) -> list[tuple[int, ...]]:
    """Single lines, and chains of up to four lines that a reader would read on from one to the
    next.
    """
    groups: list[tuple[int, ...]] = [(n,) for n in range(len(lines))]
    chains = list(groups)
    following = [
        [m for m in range(len(lines)) if m != n and reads_on(line, lines[m], _ACROSS)]
        for n, line in enumerate(lines)
    ]
    for _ in range(3):
        longer = [(*c, n) for c in chains for n in following[c[-1]] if n not in c]
        chains = [c for c in longer if sum(len(lines[n].text) for n in c[1:-1]) <= len(query)][:400]
        groups += chains
    return groups


def reads_on(first: Line, second: Line, reach: float = _SAME_ROW) -> bool:
    """Whether `second` goes on where `first` ends: to its right on the same row, within `reach`
    heights, or on the next row below it.
    """
    height = max(first.height, second.height)
    if min(first.height, second.height) < 0.5 * height:
        return False
    left_a, _, right_a, bottom_a = first.box
    left_b, top_b, right_b, _ = second.box
    same_row = abs(first.centre[1] - second.centre[1]) < 0.5 * height
    if same_row:
        return -0.3 * height < left_b - right_a < reach * height
    below = -0.5 * height < top_b - bottom_a < 1.2 * height
    return below and min(right_a, right_b) - max(left_a, left_b) > -height


def _without_overlaps(matches: Sequence[Match]) -> list[Match]:
    kept: list[Match] = []
    for match in matches:
        if not any(
            a.line == b.line and a.start < b.end and b.start < a.end
            for k in kept
            for a in k.spans
            for b in match.spans
        ):
            kept.append(match)
    return kept


def _by_role(lines: Sequence[Line], role: str) -> list[int]:
    order = sorted(range(len(lines)), key=lambda n: lines[n].centre[1])
    if not order:
        return []
    chooser: dict[str, Callable[[], list[int]]] = {
        "all": lambda: order,
        "only": lambda: (
            order if len(order) == 1 else _block(lines, order) if _one_block(lines, order) else []
        ),
        "single": lambda: order if len(order) == 1 else [],
        "title": lambda: _title(lines, order),
    }
    return chooser[role]()


def _prominence(line: Line) -> float:
    """How large a line's letters are; a line that runs up the page is decoration before it is a
    title.
    """
    return line.height * (0.5 if line.upended else 1.0)


def _title(lines: Sequence[Line], order: list[int]) -> list[int]:
    """The largest line, with the lines just above and below it that are about as large."""
    largest = max(order, key=lambda n: _prominence(lines[n]))
    return _block(lines, order, largest, least=0.75)


def _block(
    lines: Sequence[Line], order: list[int], start: int | None = None, least: float = 0.5
) -> list[int]:
    block = [order[0] if start is None else start]
    for _ in order:
        for n in order:
            if n not in block and any(
                reads_on(
                    *(
                        (lines[n], lines[b])
                        if lines[n].centre[1] < lines[b].centre[1]
                        else (lines[b], lines[n])
                    )
                )
                and min(lines[n].height, lines[b].height)
                >= least * max(lines[n].height, lines[b].height)
                for b in block
            ):
                block.append(n)
    return sorted(block, key=lambda n: lines[n].centre[1])


def _one_block(lines: Sequence[Line], order: list[int]) -> bool:
    return len(_block(lines, order)) == len(order)


Reader = Callable[[Array], Sequence[Line]]
