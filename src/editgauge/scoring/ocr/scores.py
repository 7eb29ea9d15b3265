"""TextEdit's five OCR scores, as pure functions of two lists of recognised text.

All lie in [0, 1], higher is better; an output that reads exactly as asked gives 1. `faithful`
follows the released code to the last bit. `corrected` differs in this, each point by the name that
it has in `OcrScores.rules` and in the tests:

- ``line-height``: a box joins a line within half the mean height of it and the previous box, not
  within 10 px.
- ``right-to-left``: a line of mostly right-to-left text is joined from its right end.
- ``strict``: where normalisation makes source and target the same (a change of case or
  punctuation), texts are compared without it; the released scores give such an edit full marks
  when nothing was done.
- ``whole-words``: a text of up to 3 letters occurs only as whole words (the released rule finds
  ``10`` in ``2010``); a source of that length that is nowhere one was not found.
- ``region``: the factor 0.2 for a source that was not replaced looks at the edited region, not at
  the whole page, and does not count a target inside the source that is still there.
- ``dataset-fault``: a source text that OCR does not find in the *original* gives no scores, not
  five zeros; NED gives none where there is no such box.
- ``invented``: with no other line in the original, text that was added elsewhere costs precision
  as if there had been one line; its released weight is then 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from editgauge.metrics.text import SHORT, normalise, normalise_strictly, occurrences, similarity
from editgauge.scoring.ocr.lines import (
    NUMBER,
    TEXT,
    Box,
    Recognised,
    boxes_of,
    from_the_left,
    line_text,
    lines_of,
    overlap,
    split,
    union,
)
from editgauge.types import Variant

METRICS: Final = ("OA", "OP", "OR", "F1", "NED")
WEIGHT: Final = 0.5
"""What the target counts; the other half belongs to the original's other lines."""
PENALTY: Final = 0.2
FOUND: Final = 0.5
"""A line less similar than this to the source is not the line to be edited."""
SOURCE_BOX: Final = 0.6
BOX_IOU: Final = 0.3


@dataclass(slots=True)
class OcrScores:
    """The five scores of an edit, and how they came about: `reason`, why there are zeros or none;
    `rules`, the corrected ones that applied to the texts themselves; the original's `line` that is
    edited and the output's `region` in its place, as positions in the lists of recognised text;
    and whether the source was not replaced.
    """

    values: dict[str, float | None]
    reason: str = ""
    rules: tuple[str, ...] = ()
    line: tuple[int, ...] = ()
    region: list[int] = field(default_factory=list)
    penalised: bool = False


def ocr_scores(
    original: Sequence[Recognised],
    edited: Sequence[Recognised],
    source_text: str,
    target_text: str,
    variant: Variant = "faithful",
) -> OcrScores:
    """OA, OP, OR, F1 and NED of one edit.

    `original` and `edited` hold (polygon, text, confidence) of the original and of the output at
    the original's size; a polygon is (x, y) points in pixels, y downwards; the confidence is not
    used. Of lines that are equally alike the first wins. ``faithful``: five floats, zeros where the
    released code finds no text, not the source, or stumbles. ``corrected``: None for all five where
    the source is not in the original, for NED alone where no box reads as it.
    """
    corrected = variant == "corrected"
    nothing: dict[str, float | None] = dict.fromkeys(METRICS, None if corrected else 0.0)
    try:
        before, after = boxes_of(original), boxes_of(edited)
    except (ValueError, TypeError, IndexError) as error:  # the released code says zero
        return OcrScores(nothing, f"a recognised text is not (polygon, text, confidence): {error}")
    edit, lines = _Edit(source_text, target_text, corrected), lines_of(before, corrected)
    texts = [normalise(line_text(line, corrected)) for line in lines]
    at = edit.line(lines, texts)
    if at < 0:
        where = "the source text in the original" if before else "any text in the original"
        return OcrScores(nothing, f"OCR does not find {where}")
    line = tuple([box[NUMBER] for box in lines[at]])
    if not after:
        why = "OCR does not find any text in the output"
        return OcrScores(dict.fromkeys(METRICS, 0.0), why, edit.rules, line)
    inside, outside = split(after, union(lines[at]))
    accuracy, penalised = edit.accuracy(inside, after)
    rest = texts[:at] + texts[at + 1 :]
    others = [normalise(line_text(one, corrected)) for one in lines_of(outside, corrected)]
    five = (accuracy, *_weighted(accuracy, rest, others, corrected), edit.ned(before, after))
    values = dict(zip(METRICS, five, strict=True))
    return OcrScores(values, "", edit.rules, line, [box[NUMBER] for box in inside], penalised)


def _weighted(
    accuracy: float, texts: list[str], others: list[str], corrected: bool
) -> tuple[float, float, float]:
    """Precision, recall, F1: the target weighs 0.5, the original's other lines share 0.5."""
    lines, count = len(texts), len(others)
    unit = (1.0 - WEIGHT) / lines if lines else (1.0 - WEIGHT if corrected else 0.0)
    hits = accuracy * WEIGHT + _background(texts, others) * unit
    recall = hits / (WEIGHT + lines * unit)
    precision = hits / (WEIGHT + count * unit)
    both = precision + recall
    return precision, recall, (2 * precision * recall / both if both > 0 else 0.0)


def _background(texts: list[str], others: list[str]) -> float:
    """The summed similarities of texts to the others, each of which is taken once, greedily."""
    free = list(others)
    total = 0.0
    for text in texts:
        best, at = _best(text, free)
        total += best
        if best > 0:
            del free[at]
    return total


def _best(text: str, others: list[str]) -> tuple[float, int]:
    """The highest similarity of a text to others, and the first of them that has it."""
    if text in others:
        return 1.0, others.index(text)
    values = [similarity(text, other) for other in others]
    best = max(values, default=0.0)
    return best, values.index(best) if values else -1


class _Edit:
    """Source and target as they are compared, and the scores of the edited place."""

    def __init__(self, source_text: str, target_text: str, corrected: bool) -> None:
        self.source_text, self.target_text, self.corrected = source_text, target_text, corrected
        self.source, self.target = self.keys = normalise(source_text), normalise(target_text)
        same = self.source == self.target or not self.source or not self.target
        self.strict = corrected and same
        self.key = normalise_strictly if self.strict else normalise
        if self.strict:
            self.keys = normalise_strictly(source_text), normalise_strictly(target_text)

    @property
    def rules(self) -> tuple[str, ...]:
        short = self.corrected and 0 < min(len(self.source), len(self.target)) <= SHORT
        return ("strict",) * self.strict + ("whole-words",) * short

    def line(self, lines: list[list[Box]], texts: list[str]) -> int:
        """The line to be edited: the first of those most alike to the source; -1: none."""
        source = self.source
        if self.corrected and not source:
            source = self.keys[0]
            texts = [self.key(line_text(line, True)) for line in lines]
            if not source:
                return -1
        elif self.corrected and len(source) <= SHORT:
            words = (occurrences(line_text(line, True, " "), self.source_text, whole=True)
                     for line in lines)  # fmt: skip
            return next((at for at, places in enumerate(words) if places), -1)
        for at, text in enumerate(texts):
            if source in text:
                return at
        best, at = _best(source, texts)
        return at if best >= FOUND else -1

    def accuracy(self, inside: list[Box], after: list[Box]) -> tuple[float, bool]:
        """OA: the target's best similarity in the region; x 0.2, and True, if nothing replaced."""
        lines = lines_of(inside, self.corrected)
        texts = [box[TEXT] for box in inside]
        texts += [line_text(line, self.corrected) for line in lines if len(line) > 1]
        best = _best(self.keys[1], list(map(self.key, texts)))[0]
        if self.corrected:
            penalised = self._stays(" ".join(line_text(line, True, " ") for line in lines))
        else:
            page = normalise("".join([box[TEXT] for box in after]))
            penalised = self.source in page and self.target not in page
        return (best * PENALTY if penalised else best), penalised

    def _stays(self, text: str) -> bool:
        """Whether the source stands outside the target, and the target only inside the source."""
        strict, (source, target) = self.strict, self.keys
        sources = occurrences(text, self.source_text, strictly=strict, whole=len(source) <= SHORT)
        if not sources:
            return False
        targets = occurrences(text, self.target_text, strictly=strict, whole=len(target) <= SHORT)
        stays = any(not _within(place, targets) for place in sources)
        return stays and all(_within(place, sources) for place in targets)

    def ned(self, before: list[Box], after: list[Box]) -> float | None:
        """NED: what stands where the box of the source stood, compared with the target."""
        key, (source, target) = self.key, self.keys
        if self.corrected and not self.strict and len(source) <= SHORT:
            before = [b for b in before if occurrences(b[TEXT], self.source_text, whole=True)]
        best, at = _best(source, [key(box[TEXT]) for box in before])
        if best <= SOURCE_BOX:
            return None if self.corrected else 0.0
        place = before[at][:4]
        there = [box for box in after if overlap(box, place) > BOX_IOU]
        if not there:
            return 0.0
        text = key(line_text(sorted(there, key=from_the_left), self.corrected))
        value = similarity(target, text)
        kept = similarity(source, text) > 0.9 and similarity(source, target) < 0.5
        return value * PENALTY if kept else value


def _within(place: tuple[int, int], others: list[tuple[int, int]]) -> bool:
    """Whether a place lies inside one of others that is longer."""
    start, end = place
    return any(a <= start and end <= b and b - a > end - start for a, b in others)
