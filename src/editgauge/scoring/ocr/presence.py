"""Scores for text that is deleted or inserted, where TextEdit's five, which need a source and a
target, say nothing.

Our own definitions, in the corrected rules' terms (whole words for short texts, lines in proportion
to their height); no paper has published values of them. All lie in [0, 1], higher is better.

- **deleted** (deletions): 1 minus how much of the source is still read where the original has it.
  "How much" is the best similarity of the source to a stretch of a line there; below 0.5, the limit
  from which a text counts as found at all, it is 0.
- **inserted** (insertions): 1 when the output holds the target more often than the original; else
  the best similarity of the target to a stretch of a line, or to several lines together, that are
  not in the original; below 0.5 it is 0.
- **kept** (both): the mean over the original's other lines of how well each is still read anywhere
  in the output.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rapidfuzz import fuzz

from editgauge.metrics.text import SHORT, normalise, occurrences, similarity
from editgauge.scoring.ocr.lines import (
    Box,
    Recognised,
    boxes_of,
    line_text,
    lines_of,
    split,
    union,
)
from editgauge.scoring.ocr.scores import FOUND

METRICS: Final = ("deleted", "inserted", "kept")
_LINES_TOGETHER: Final = 12


def deletion_scores(
    original: Sequence[Recognised], edited: Sequence[Recognised], source_text: str
) -> dict[str, float] | None:
    """``deleted`` and, where the original has other lines, ``kept``; None where OCR does not find
    the source in it.

    `original` and `edited` as in `ocr.ocr_scores`; `source_text` must have a letter or digit in it.
    """
    lines = lines_of(boxes_of(original, True), True)
    at = _find(lines, source_text)
    if at is None:
        return None
    inside, _ = split(boxes_of(edited, True), union(lines[at]))
    there = lines_of(inside, True)
    if any(_holds(line, source_text) for line in there):
        left = 1.0
    else:
        left = _enough(max((_stretch(source_text, _plain(line)) for line in there), default=0.0))
    others = lines[:at] + lines[at + 1 :]
    return {"deleted": 1.0 - left, **_kept(others, edited)}


def insertion_scores(
    original: Sequence[Recognised], edited: Sequence[Recognised], target_text: str
) -> dict[str, float]:
    """``inserted`` and, where the original has text, ``kept``; arguments as in
    `deletion_scores`.
    """
    before, after = lines_of(boxes_of(original, True), True), lines_of(boxes_of(edited, True), True)
    return {"inserted": _inserted(before, after, target_text), **_kept(before, edited)}


def _inserted(before: list[list[Box]], after: list[list[Box]], target_text: str) -> float:
    if _count(after, target_text) > _count(before, target_text):
        return 1.0
    known = [_plain(line) for line in before]
    new = []
    for line in after:
        text = _plain(line)
        if text in known:
            known.remove(text)
        else:
            new.append(text)
    target = normalise(target_text)
    best = 0.0
    for start in range(len(new)):
        joined = ""
        for text in new[start : start + _LINES_TOGETHER]:
            joined += text
            short = len(target) <= SHORT  # a letter or two are part of any word
            best = max(best, similarity(target, joined) if short else _stretch(target_text, joined))
            if len(joined) > 2 * len(target):
                break
    return _enough(best)


def _find(lines: list[list[Box]], source_text: str) -> int | None:
    """The line that holds the source, or the most similar one from 0.5 on."""
    for index, line in enumerate(lines):
        if _holds(line, source_text):
            return index
    values = [_stretch(source_text, _plain(line)) for line in lines]
    best = max(values, default=0.0)
    return values.index(best) if best >= FOUND else None


def _holds(line: list[Box], text: str) -> bool:
    return bool(occurrences(line_text(line, True, " "), text, whole=len(normalise(text)) <= SHORT))


def _count(lines: list[list[Box]], text: str) -> int:
    whole = len(normalise(text)) <= SHORT
    everything = " ".join(line_text(line, True, " ") for line in lines)
    return len(occurrences(everything, text, whole=whole))


def _plain(line: list[Box]) -> str:
    return normalise(line_text(line, True))


def _stretch(wanted_text: str, text: str) -> float:
    """The similarity of a text to the stretch of `text` that is most like it."""
    wanted = normalise(wanted_text)
    if len(text) <= len(wanted):
        return similarity(wanted, text)
    found = fuzz.partial_ratio_alignment(wanted, text)
    return similarity(wanted, text[found.dest_start : found.dest_end] if found else "")


def _enough(value: float) -> float:
    return value if value >= FOUND else 0.0


def _kept(lines: list[list[Box]], edited: Sequence[Recognised]) -> dict[str, float]:
    if not lines:
        return {}
    there = [_plain(line) for line in lines_of(boxes_of(edited, True), True)]
    everything = "\n".join(there)
    values = []
    for line in lines:
        text = _plain(line)
        held = text in everything
        values.append(
            1.0 if held else max((similarity(text, other) for other in there), default=0.0)
        )
    return {"kept": sum(values) / len(values)}
