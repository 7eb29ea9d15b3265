"""What a comparison of two editors says: a sentence, a table, the samples that moved most, JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, Literal

from editgauge import escape
from editgauge.catalog import is_anchor
from editgauge.statistics.resampling import LEAST
from editgauge.tables.compare import NO_DIFFERENCE, TOO_FEW, Comparison, Line
from editgauge.tables.table import Cell, Column, Table, TableRow
from editgauge.types import VARIANTS

_MOVED, _HINTS = 3, 3
"""Samples of one kind, and hints, that are printed; JSON has all of them."""


def sentence(item: Comparison) -> str:
    """What the comparison says, in a sentence: on what B is better, worse, or neither."""
    groups: dict[str, list[str]] = {"better": [], "worse": [], NO_DIFFERENCE: [], TOO_FEW: []}
    for line in item.lines:
        verdict = line.verdict
        if line.slice and verdict != "worse":
            continue
        subject = (
            _name(item, line).replace(" · ", f" for {item.by} ") if line.slice else line.metric
        )
        if verdict in ("better", "worse"):
            subject += f" by {_difference(line, math.copysign(1, line.paired.difference))}"
        if subject not in groups.setdefault(verdict, []):
            groups[verdict].append(subject)
    parts = [f"{verdict} on {', '.join(names)}" for verdict, names in groups.items() if names]
    anchors = [name for name in (item.b, item.a) if is_anchor(name)]
    parts += [f"{name} is an anchor, no model" for name in anchors]
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
    Column(name="p", heading=("p (Holm)",), digits=4),
    Column(name="counts", heading=("win/tie/loss",)),
    Column(name="a", heading=("A",)),
    Column(name="b", heading=("B",)),
)


def as_table(item: Comparison, most: int | None = None) -> Table:
    """The lines of a comparison as a table: metrics down, verdict, difference, A and B across.
    `most`: so many lines; those without a verdict go first.
    """
    silent = sorted(item.lines, key=lambda line: not (line.better or line.worse))
    shown = [line for line in item.lines if line in silent[:most]]
    left = len(item.lines) - len(shown)
    notes = [f"{left} lines more: --format markdown."] if left else []
    notes += [
        f"A = {item.a}, B = {item.b}; means over the samples both have (n / samples either has).",
        (
            f"Intervals: 95 %, over samples (Hall 1992), none below {LEAST}. p: permutation of "
            f"signs, corrected (Holm) over {item.tests} tests; lines of identical values are one."
        ),
    ]
    lacking: dict[tuple[int, int], list[str]] = {}
    for line in item.lines:
        if not line.slice and (line.only_a or line.only_b):
            lacking.setdefault((line.only_a, line.only_b), []).append(_name(item, line))
    notes += [
        f"{', '.join(names)}: {a} samples have a score of A only, {b} only of B."
        for (a, b), names in lacking.items()
    ]
    of = {v: [*dict.fromkeys(n.metric for n in item.lines if n.variant == v)] for v in VARIANTS}
    if all(of.values()) and not {*of["faithful"]} & {*of["corrected"]}:
        notes.append(
            f"Of the corrected variant, as there is no other: {', '.join(of['corrected'])}."
        )
    if any(line.metric in item.of_samples for line in item.lines):
        notes.append("* the mean over samples; the benchmark's table makes its number otherwise.")
    open_ = [line for line in item.lines if line.verdict == NO_DIFFERENCE and not line.slice]
    needed = sorted((line.paired.needed, _name(item, line)) for line in open_ if line.paired.needed)
    if hints := [f"{name} {count:,}" for count, name in needed[:_HINTS]]:
        notes.append(f"Samples that would tell such a difference, about: {', '.join(hints)}.")
    return Table(
        name="compare",
        title=f"{item.benchmark}: {item.b} against {item.a}",
        columns=_COLUMNS,
        rows=[TableRow(name=_name(item, line), cells=_cells(line)) for line in shown],
        benchmark=item.benchmark,
        notes=[*item.notes, *notes],
        meta={"names": "metric"},
    )


def _cells(line: Line) -> dict[str, Cell]:
    pair = line.paired
    of = pair.n + line.only_a + line.only_b
    tiny = line.holm is not None and 0 < line.holm < 5e-5  # four decimals would print 0
    verdict = line.verdict.partition(":")[0].replace(NO_DIFFERENCE, "unclear")
    cell = None if math.isnan(pair.difference) else _difference(line)
    difference = Cell(
        value=_known(pair.difference), low=_known(pair.low), high=_known(pair.high), text=cell
    )

    def mean(value: float) -> Cell:
        large = 1000 <= abs(value) < math.inf
        return Cell(value=_known(value), text=_short(value) if large else None, n=pair.n, of=of)

    return {
        "verdict": Cell(text=verdict),
        "difference": difference,
        "p": Cell(value=line.holm, text=f"{line.holm:.1e}" if tiny else None),
        "counts": Cell(text="/".join(map(str, line.counts))),
        "a": mean(line.mean_a),
        "b": mean(line.mean_b),
    }


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


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
    line = min(whole, key=lambda line: (not line.worse, line.holm is None, line.holm), default=None)
    if line is None:
        return
    titles = (
        ("Most down", "Most up") if line.direction is None else ("Largest drops", "Largest gains")
    )
    title, moved = (titles[0], line.down) if line.down else (titles[1], line.up)
    yield "\n" + clean(f"{title} under {item.b}: {line.metric}", None)
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
        facts = {k: v for k, v in asdict(line).items() if k != "paired"}
        facts |= {k: v for k, v in line.paired._asdict().items() if k != "counts"}
        facts |= dict(zip(("win", "tie", "loss"), line.counts or (None,) * 3, strict=True))
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
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    if not isinstance(value, float) or math.isfinite(value):
        return value
    return None if math.isnan(value) else ("inf" if value > 0 else "-inf")
