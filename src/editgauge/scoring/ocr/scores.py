"""TextEdit's five OCR scores, as pure functions of two lists of recognised text (protocols, section
2, classic track).

A recognised text is ``(polygon, text, confidence)``; the polygon is a sequence of (x, y) points, in
pixels of the original picture, y downwards; the confidence is not used. All five scores lie in [0,
1], higher is better; an output that reads exactly as asked gives 1.

`faithful` follows the released code to the last bit, with what is wrong in it. `corrected` differs
in this, each point by the name that it has in `Trace.rules` and in the tests:

``line-height``
    A box joins a line when the distance of the vertical centres is below half the mean height of it
    and the previous box, not below 10 px: the released rule merges lines of small print and tears
    apart those of a large picture.
``right-to-left``
    A line of mostly right-to-left text is joined from its right end, so that it is compared in
    logical order.
``strict``
    Where normalisation makes source and target the same, or leaves nothing of one (a change of
    case, of punctuation or of emoji), the edited text is compared without it: NFKC, no blanks, else
    as it is. The released scores give such an edit full marks when nothing was done.
``whole-words``
    A text of up to 3 letters occurs in a line, box or region only as whole words. The released rule
    finds ``10`` in ``2010`` and in two neighbouring boxes ``1`` and ``0``. A source of that length
    that is nowhere a whole word was not found (``dataset-fault``), however alike another word is.
``region``
    The factor 0.2 for a source that was not replaced looks at the edited region, not at the whole
    page, and does not count a target that stands only inside the source that is still there
    (``COFFEE`` in ``COFFEE SHOP``).
``dataset-fault``
    A source text that OCR does not find in the *original* gives no scores (None), not five zeros;
    NED, which asks for a box of its own, gives none where there is no such box.
``invented``
    With no other line in the original, text that was added elsewhere costs precision as if there
    had been one line; the released weight of such text is then 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, overload

from editgauge.metrics.text import SHORT, normalise, normalise_strictly, occurrences, similarity
from editgauge.scoring.ocr.lines import (
    LEFT,
    Box,
    Recognised,
    Rect,
    boxes_of,
    line_text,
    lines_of,
    overlap,
    split,
    union,
)
from editgauge.types import VARIANTS, Variant

METRICS: Final = ("OA", "OP", "OR", "F1", "NED")
WEIGHT: Final = 0.5
"""What the target counts; the other half belongs to the original's other lines."""
PENALTY: Final = 0.2
FOUND: Final = 0.5
"""A line less similar than this to the source is not the line to be edited."""
SOURCE_BOX: Final = 0.6
BOX_IOU: Final = 0.3


class Match(NamedTuple):
    """A line of the original that is not edited, the output's line that it took, and how alike they
    are.
    """

    original: tuple[int, ...]
    output: tuple[int, ...] | None
    similarity: float


@dataclass(slots=True, kw_only=True)
class Trace:
    """How the scores came about, for `--explain`; numbers are positions in the lists of recognised
    text.
    """

    reason: str = ""
    """Why there are zeros or no scores, if so."""
    rules: tuple[str, ...] = ()
    """The corrected rules that applied to the texts themselves: ``strict``, ``whole-words``."""
    edit_line: tuple[int, ...] = ()
    region: Rect | None = None
    region_boxes: tuple[int, ...] = ()
    penalised: bool = False
    matches: list[Match] = field(default_factory=list)
    extra: list[tuple[int, ...]] = field(default_factory=list)
    """Lines of the output outside the region that no line of the original took."""


@overload
def ocr_scores(
    original: Sequence[Recognised],
    edited: Sequence[Recognised],
    source_text: str,
    target_text: str,
    *,
    variant: Literal["faithful"] = "faithful",
    trace: Trace | None = None,
) -> dict[str, float]: ...
@overload
def ocr_scores(
    original: Sequence[Recognised],
    edited: Sequence[Recognised],
    source_text: str,
    target_text: str,
    *,
    variant: Variant,
    trace: Trace | None = None,
) -> Mapping[str, float | None]: ...


def ocr_scores(
    original: Sequence[Recognised],
    edited: Sequence[Recognised],
    source_text: str,
    target_text: str,
    *,
    variant: Variant = "faithful",
    trace: Trace | None = None,
) -> Mapping[str, float | None]:
    """OA, OP, OR, F1 and NED of one edit, each in [0, 1], higher is better.

    Parameters
    ----------
    original, edited
        Recognised text of the original and of the output resized to the original's size, each a
        sequence of (polygon, text, confidence); may be empty. The order matters where two lines are
        equally alike: the first wins.
    source_text, target_text
        What was to be replaced, and by what.
    variant
        ``faithful``: five floats, exactly those of the released code (five zeros where it finds no
        text, not the source, or stumbles over a polygon without points). ``corrected``: see the
        module; None for all five where the source is not in the original, for NED alone where no
        box of the original reads as the source.
    trace
        Filled with how the scores came about, when given.

    Raises
    ------
    ValueError
        `variant` is neither of the two.
    """
    if variant not in VARIANTS:
        raise ValueError(f"variant: wanted one of {', '.join(VARIANTS)}, found {variant!r}")
    corrected = variant == "corrected"
    nothing: dict[str, float | None] = dict.fromkeys(METRICS, None if corrected else 0.0)
    try:
        raw, found = boxes_of(original, corrected), boxes_of(edited, corrected)
    except (
        ValueError,
        TypeError,
        IndexError,
    ) as error:  # the released code catches everything, and says zero
        return _ended(
            nothing, trace, f"a recognised text is not (polygon, text, confidence): {error}"
        )
    edit = _Edit(source_text, target_text, corrected)
    lines = lines_of(raw, corrected)
    texts = [normalise(line_text(line, corrected)) for line in lines]
    at = edit.find_line(lines, texts)
    if at < 0:
        where = "the source text in the original" if raw else "any text in the original"
        return _ended(nothing, trace, f"OCR does not find {where}")
    if trace is not None:
        trace.edit_line, trace.region, trace.rules = (
            _numbers(lines[at]),
            union(lines[at]),
            edit.rules,
        )
    if not found:
        return _ended(
            dict.fromkeys(METRICS, 0.0), trace, "OCR does not find any text in the output"
        )
    region = union(lines[at])
    inside, outside = split(found, region)
    accuracy = edit.accuracy(inside, found, trace)
    del lines[at], texts[at]
    others = lines_of(outside, corrected)
    total = _background(lines, texts, others, corrected, trace)
    precision, recall, f1 = _weighted(accuracy, total, len(lines), len(others), corrected)
    ned = edit.ned(raw, found)
    if trace is not None:
        trace.region_boxes = _numbers(inside)
    return {"OA": accuracy, "OP": precision, "OR": recall, "F1": f1, "NED": ned}


def _ended(
    scores: dict[str, float | None], trace: Trace | None, reason: str
) -> dict[str, float | None]:
    if trace is not None:
        trace.reason = reason
    return scores


def _numbers(boxes: Sequence[Box]) -> tuple[int, ...]:
    return tuple(box.number for box in boxes)


# --------------------------------------------------------------------------------- the background
def _background(
    lines: list[list[Box]],
    texts: list[str],
    others: list[list[Box]],
    corrected: bool,
    trace: Trace | None,
) -> float:
    """The summed similarities of the original's other lines to the output's, each taken once,
    greedily from the top.
    """
    free = [normalise(line_text(line, corrected)) for line in others]
    left = list(range(len(others)))
    total = 0.0
    for line, text in zip(lines, texts, strict=True):
        best, place = 0.0, -1
        if text in free:
            best, place = (
                1.0,
                free.index(text),
            )  # nothing is more alike, and the first of several wins
        else:
            for index, other in enumerate(free):
                value = similarity(text, other)
                if value > best:
                    best, place = value, index
        total += best
        if trace is not None:
            taken = _numbers(others[left[place]]) if place >= 0 else None
            trace.matches.append(Match(_numbers(line), taken, best))
        if place >= 0:
            del free[place], left[place]
    if trace is not None:
        trace.extra = [_numbers(others[index]) for index in left]
    return total


def _weighted(
    accuracy: float, total: float, lines: int, others: int, corrected: bool
) -> tuple[float, float, float]:
    """Precision, recall and F1 of the target (weight 0.5) and the original's other lines (0.5 in
    equal shares).
    """
    unit = (1.0 - WEIGHT) / lines if lines else (1.0 - WEIGHT if corrected else 0.0)
    hits = accuracy * WEIGHT + total * unit
    recall = hits / (WEIGHT + lines * unit)
    precision = hits / (WEIGHT + others * unit)
    both = precision + recall
    return precision, recall, (2 * precision * recall / both if both > 0 else 0.0)


# -------------------------------------------------------------------------------- the edited text
class _Edit:
    """Source and target as they are compared, and the scores of the edited place."""

    __slots__ = ("corrected", "key", "source", "source_text", "strict", "target", "target_text")

    def __init__(self, source_text: str, target_text: str, corrected: bool) -> None:
        self.source_text, self.target_text, self.corrected = source_text, target_text, corrected
        self.source, self.target = normalise(source_text), normalise(target_text)
        self.strict = corrected and (
            self.source == self.target or not self.source or not self.target
        )
        self.key = normalise_strictly if self.strict else normalise

    def find_line(self, lines: list[list[Box]], texts: list[str]) -> int:
        """The line to be edited: the first of those most alike to the source, -1 where none is
        alike enough.
        """
        source = self.source
        if self.corrected:
            if not source:
                source, texts = (
                    self.key(self.source_text),
                    [self.key(line_text(line, True)) for line in lines],
                )
                if not source:
                    return -1
            elif len(source) <= SHORT:
                return self._line_with_the_word(lines)
        best, at = FOUND, -1
        for index, text in enumerate(texts):
            if source in text:
                return index
            value = similarity(source, text)
            if value > best or (at < 0 and value == best):
                best, at = value, index
        return at

    def _line_with_the_word(self, lines: list[list[Box]]) -> int:
        """The first line that holds the source as whole words, -1 where none does.

        Neither a part of a word nor a word that is merely alike will do: ``10`` is half of ``2010``
        and two thirds of ``100``.
        """
        for index, line in enumerate(lines):
            if occurrences(line_text(line, True, " "), self.source_text, whole=True):
                return index
        return -1

    def accuracy(self, inside: list[Box], found: list[Box], trace: Trace | None) -> float:
        """OA: the best similarity of the target to a box or a line of the region; x 0.2 where
        nothing was replaced.
        """
        target = self.key(self.target_text) if self.strict else self.target
        best = 0.0
        for box in inside:
            best = max(best, similarity(target, self.key(box[5])))
        lines = lines_of(inside, self.corrected)
        for line in lines:
            if len(line) > 1:
                best = max(best, similarity(target, self.key(line_text(line, self.corrected))))
        if self.corrected:
            penalised = self._stays(" ".join([line_text(line, True, " ") for line in lines]))
        else:
            page = normalise("".join([box[5] for box in found]))
            penalised = self.source in page and self.target not in page
        if trace is not None:
            trace.penalised = penalised
        return best * PENALTY if penalised else best

    @property
    def rules(self) -> tuple[str, ...]:
        short = self.corrected and 0 < min(len(self.source), len(self.target)) <= SHORT
        return ("strict",) * self.strict + ("whole-words",) * short

    def _stays(self, text: str) -> bool:
        """Whether the source is in the text, not as part of the target, and the target is not,
        but as part of it.
        """
        places = [
            occurrences(text, words, strictly=self.strict, whole=len(self.key(words)) <= SHORT)
            for words in (self.source_text, self.target_text)
        ]
        sources, targets = places
        stays = any(not _within(place, targets) for place in sources)
        return stays and all(_within(place, sources) for place in targets)

    def ned(self, raw: list[Box], found: list[Box]) -> float | None:
        """NED: what stands where the box of the source stood, left to right, compared with the
        target.
        """
        key = self.key
        source, target = (
            (key(self.source_text), key(self.target_text))
            if self.strict
            else (self.source, self.target)
        )
        best, at = SOURCE_BOX, None
        whole = self.corrected and not self.strict and len(source) <= SHORT
        for box in raw:
            if whole and not occurrences(box[5], self.source_text, whole=True):
                continue
            value = similarity(source, key(box[5]))
            if value > best:
                best, at = value, box
                if value == 1.0:
                    break
        if at is None:
            return None if self.corrected else 0.0
        place = at[:4]
        there = [box for box in found if overlap(box[:4], place) > BOX_IOU]
        if not there:
            return 0.0
        there.sort(key=LEFT)
        text = key(line_text(there, self.corrected))
        value = similarity(target, text)
        if similarity(source, text) > 0.9 and similarity(source, target) < 0.5:
            value *= PENALTY
        return value


def _within(place: tuple[int, int], others: list[tuple[int, int]]) -> bool:
    """Whether a place lies inside one of others that is longer."""
    start, end = place
    return any(a <= start and end <= b and b - a > end - start for a, b in others)
