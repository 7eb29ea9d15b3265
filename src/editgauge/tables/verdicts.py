"""What a comparison of two editors says: a sentence, a table, the samples that moved most, JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any, Literal

from editgauge import escape
from editgauge.catalog import is_anchor
from editgauge.statistics.resampling import LEAST
from editgauge.tables.compare import NO_DIFFERENCE, TOO_FEW, Comparison, Line
from editgauge.tables.table import EMPTY, Cell, Column, Table, TableRow
from editgauge.types import VARIANTS

_MOVED = 3
"""Samples that are printed; JSON has all of them."""


def sentence(item: Comparison) -> str:
    """What the comparison says, in a sentence: on what B is better, worse, or neither."""
    groups: dict[str, list[str]] = {"better": [], "worse": []}
    for line in item.lines:
        if line.slice and not line.worse:
            continue
        subject = f"{line.metric} for {item.by} {line.slice}" if line.slice else line.metric
        if line.better or line.worse:
            subject += f" by {_difference(line, math.copysign(1, line.paired.difference))}"
        groups.setdefault(line.verdict, []).append(subject)
    parts = []
    for verdict, subjects in groups.items():
        word, _, reason = verdict.partition(": ")
        names = ", ".join(dict.fromkeys(subjects))
        parts += [f"{word} on {names}" + f" ({reason})" * bool(reason)] if subjects else []
    parts += [f"{name} is an anchor, no model" for name in (item.b, item.a) if is_anchor(name)]
    return f"{item.b} against {item.a}: {'; '.join(parts)}."


def _short(value: float) -> str:
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"


def _difference(line: Line, sign: float = 1.0) -> str:
    """``0.105 [0.061, 0.16]``; the number alone where there is no interval."""
    ends = sorted((sign * line.paired.low, sign * line.paired.high))
    interval = "" if math.isnan(ends[0]) else f" [{', '.join(map(_short, ends))}]"
    return f"{_short(sign * line.paired.difference)}{interval}"


_COLUMNS = (
    Column(name="verdict", heading=("B is",)),
    Column(name="difference", heading=("B − A",)),
    Column(name="p", heading=("p",), digits=4),
    Column(name="counts", heading=("win/tie/loss",)),
    Column(name="a", heading=("A",)),
    Column(name="b", heading=("B",)),
)
_WORDS = {TOO_FEW: "too few", NO_DIFFERENCE: "unclear", "not clear": "unclear"}


def as_table(item: Comparison, most: int | None = None) -> Table:
    """The lines of a comparison as a table: metrics down, verdict, difference, A and B across.
    `most`: so many lines; those without a verdict go first.
    """
    silent = sorted(item.lines, key=lambda line: not (line.better or line.worse))
    shown = [line for line in item.lines if line in silent[:most]]
    left = len(item.lines) - len(shown)
    return Table(
        name="compare",
        title=f"{item.benchmark}: {item.b} against {item.a}",
        columns=_COLUMNS,
        rows=[TableRow(name=_name(item, line), cells=_cells(line)) for line in shown],
        benchmark=item.benchmark,
        notes=[
            *item.notes,
            *([f"{left} lines more: --format markdown."] if left else ()),
            *_notes(item),
        ],
        meta={"names": "metric"},
    )


def _notes(item: Comparison) -> Iterator[str]:
    yield f"A = {item.a}, B = {item.b}; means over the samples both have (n / samples either has)."
    yield (
        f"Intervals: {100 * (1 - item.alpha):g} %, over samples (Hall 1992), none below {LEAST}. "
        f"p: permutation of signs, corrected (Holm) over {item.tests} tests."
    )
    lacking: dict[tuple[int, int], list[str]] = {}
    for line in item.lines:
        if not line.slice and (line.only_a or line.only_b):
            lacking.setdefault((line.only_a, line.only_b), []).append(_name(item, line))
    for (a, b), names in lacking.items():
        yield f"{', '.join(names)}: {a} samples have a score of A only, {b} only of B."
    of = {v: [*dict.fromkeys(n.metric for n in item.lines if n.variant == v)] for v in VARIANTS}
    if all(of.values()) and not {*of["faithful"]} & {*of["corrected"]}:
        yield f"Of the corrected variant, as there is no other: {', '.join(of['corrected'])}."
    if any(line.metric in item.of_samples for line in item.lines):
        yield "* the mean over samples; the benchmark's table makes its number otherwise."


def _cells(line: Line) -> dict[str, Cell]:
    pair = line.paired
    of = pair.n + line.only_a + line.only_b
    verdict = line.verdict.partition(":")[0]
    counts = "/".join(map(str, pair.counts)) if line.direction else ""

    def number(value: float, text: str | None = None) -> Cell:
        return EMPTY if math.isnan(value) else Cell(value=value, text=text)

    def mean(value: float) -> Cell:
        large = 1000 <= abs(value) < math.inf
        return replace(number(value, _short(value) if large else None), n=pair.n, of=of)

    difference = number(pair.difference, _difference(line))
    if not math.isnan(pair.low):
        difference = replace(difference, low=pair.low, high=pair.high)
    tiny = line.holm < 5e-5  # four decimals would print 0
    return {
        "verdict": Cell(text=_WORDS.get(verdict, verdict)),
        "difference": difference,
        "p": number(line.holm, f"{line.holm:.1e}" if tiny else None),
        "counts": Cell(text=counts),
        "a": mean(line.mean_a),
        "b": mean(line.mean_b),
    }


def _name(item: Comparison, line: Line) -> str:
    """The metric, ``*`` for another mean than the table's, its variant where there are two."""
    name = f"{line.metric}*" if line.metric in item.of_samples else line.metric
    both = len({one.variant for one in item.lines if one.metric == line.metric}) > 1
    name = f"{name} ({line.variant})" if both else name
    return f"{name} · {line.slice}" if line.slice else name


def moved_lines(item: Comparison, form: Literal["terminal", "markdown"]) -> Iterator[str]:
    """The samples that dropped most (or, where none did, gained), of the metric that is worst, each
    with its link into the report, as lines of text.

    Names are cleaned for the form: data cannot write control characters or markup.
    """
    clean = escape.markdown if form == "markdown" else escape.plain
    whole = [line for line in item.lines if not line.slice and (line.down or line.up)]
    whole.sort(key=lambda line: (not line.worse, math.isnan(line.holm), line.holm))
    for line in whole[:1]:
        moved = line.down or line.up
        titles = ("Largest gains", "Largest drops") if line.direction else ("Most up", "Most down")
        title = f"{titles[bool(line.down)]} under {item.b}: {line.metric}"
        yield "\n" + clean(title, None)
        for one in moved[:_MOVED]:
            values = f"{one.a:.4g} → {one.b:.4g}"
            if form == "markdown":
                yield f"- [{clean(one.sample)}](<{one.link}>) {clean(values)}"
            else:
                yield f"  {clean(one.sample)}  {values}  {one.link}"


def as_dict(item: Comparison) -> dict[str, Any]:
    """A comparison as JSON values: NaN is None, an infinite value the text ``inf`` or ``-inf``."""
    lines = []
    for line in item.lines:
        facts = asdict(line) | {"better": line.better, "worse": line.worse}
        paired = facts.pop("paired")._asdict()
        counts = paired.pop("counts") if line.direction else (None,) * 3
        facts |= paired | dict(zip(("win", "tie", "loss"), counts, strict=True))
        lines.append(_plain(facts))
    plain = ("benchmark", "a", "b", "by", "alpha", "tests", "notes")
    return {
        **{name: getattr(item, name) for name in plain},
        "regressions": [f"{line.metric} ({line.variant})" for line in item.regressions],
        "lines": lines,
    }


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if not isinstance(value, float) or math.isfinite(value):
        return value
    return None if math.isnan(value) else ("inf" if value > 0 else "-inf")
