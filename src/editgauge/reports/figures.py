"""A figure of a report as data, with its text alternative and the table behind it."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from editgauge import escape

Kind = Literal["radar", "bars", "curve", "histogram", "counts"]
NO_SCORE = "no score"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """Means of one metric for each editor (in `series`) at each label; NaN where nothing was
    scored.
    """

    kind: Kind
    name: str
    title: str
    axis: str
    labels: tuple[str, ...]
    series: Mapping[str, tuple[float, ...]]
    counts: tuple[int, ...]
    """How many samples each label has that the metric can say something about."""
    scored: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """How many of them have a score, for each editor at each label."""
    limits: Mapping[str, tuple[tuple[float, float], ...]] = field(default_factory=dict)
    """95 % bootstrap intervals over samples, for each editor at each label; NaN where there is
    none. Bars and curves have them.
    """
    top: float | None = None
    """The upper end of the metric's scale, at which a radar has its rim; None where it is open."""


def as_text(figure: Figure) -> str:
    """The figure in words, for those who do not see it: every number it shows."""
    parts = []
    for editor, values in figure.series.items():
        numbers = ", ".join(
            f"{label} {'no score' if math.isnan(v) else _short_number(v)}"
            for label, v in zip(figure.labels, values, strict=True)
        )
        parts.append(f"{editor}: {numbers}")
    return f"{figure.title}. " + ". ".join(parts) + "."


def as_csv(figure: Figure) -> str:
    """The table behind the figure: a line for each editor and label, with value, n, number of
    samples and the limits of the interval; empty where there is none.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["figure", "model", "label", "value", "n", "of", "low", "high"])
    for editor, values in figure.series.items():
        for place, label in enumerate(figure.labels):
            limits = figure.limits.get(editor)
            numbers = (values[place], *(limits[place] if limits else (math.nan, math.nan)))
            value, low, high = ("" if math.isnan(number) else f"{number:.6g}" for number in numbers)
            scored = figure.scored.get(editor)
            n = "" if scored is None else str(scored[place])
            names = [escape.csv_text(text) for text in (figure.title, editor, label)]
            writer.writerow([*names, value, n, figure.counts[place], low, high])
    return stream.getvalue()


def limits_of(figure: Figure) -> tuple[float, float]:
    """The lowest and highest number that is drawn, 0 included; a radar ends with its scale, so
    that radars of one scale can be laid beside each other.
    """
    values = [v for line in figure.series.values() for v in line if not math.isnan(v)]
    ends = [v for line in figure.limits.values() for pair in line for v in pair if v == v]
    low, high = min(0.0, *values, *ends), max(*values, *ends, 0.0)
    if figure.kind == "radar" and figure.top is not None:
        high = max(high, figure.top)
    return low, high if high > low else low + 1.0


def stretches(values: Sequence[float], *, closed: bool) -> list[list[int]]:
    """The places of values that stand next to each other, gap by gap; `closed`: the last one is
    next to the first, and is drawn to it. A value alone is a stretch of one.
    """
    there = [index for index, value in enumerate(values) if not math.isnan(value)]
    if closed and len(there) == len(values):
        return [[*there, there[0]]] if there else []
    found: list[list[int]] = []
    for index in there:
        if found and found[-1][-1] == index - 1:
            found[-1].append(index)
        else:
            found.append([index])
    last = len(values) - 1
    if closed and len(found) > 1 and found[0][0] == 0 and found[-1][-1] == last:
        found[0] = found.pop() + found[0]
    return found


def no_score_at(figure: Figure, place: int) -> bool:
    """Whether no editor has a score at a label."""
    return all(math.isnan(values[place]) for values in figure.series.values())


def _short_number(value: float) -> str:
    """Three digits, and of larger numbers all before the point."""
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def portable(text: str) -> str:
    """A name for a file on every system: letters, digits, dots and dashes. Two texts may become
    one: see `escape.apart`.
    """
    return "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "-" for c in text)
