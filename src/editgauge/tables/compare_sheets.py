"""What `editgauge compare` shows of a comparison: a table, JSON values, the samples that moved."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, Literal

from editgauge import escape
from editgauge.statistics.resampling import LEAST
from editgauge.tables.compare import Comparison, Line, Moved
from editgauge.tables.table import Cell, Column, Table, TableRow

TOO_FEW = "too few to tell"
"""The verdict of fewer than `LEAST` samples."""
_SHOWN = 4
"""Samples of either kind that are printed; JSON has all of them."""


def as_table(item: Comparison) -> Table:
    """The lines of a comparison as a table: metrics down, A, B, their difference and the verdict
    across.
    """
    columns = [
        Column(name="a", heading=(item.a,)),
        Column(name="b", heading=(item.b,)),
        Column(name="difference", heading=("B − A",), digits=4),
        Column(name="p", heading=("p (Holm)",), digits=4),
        Column(name="effect", heading=("effect d",), digits=2),
        Column(name="counts", heading=("win/tie/loss",)),
        Column(name="needed", heading=("samples needed",), digits=0),
        Column(name="verdict", heading=("B is",)),
    ]
    notes = [
        f"A = {item.a}, B = {item.b}; means over the samples both have (n / samples either has).",
        (
            f"Intervals: 95 %, BCa bootstrap over samples, none below {LEAST}. p: permutation of "
            f"signs, corrected (Holm) over {item.tests} tests; lines of identical values are one."
        ),
    ]
    for line in item.lines:
        if not line.slice and (line.only_a or line.only_b):
            lacking = f"{line.only_a} samples have a score of A only, {line.only_b} only of B"
            notes.append(f"{line.metric} ({line.variant}): {lacking}.")
    return Table(
        name="compare",
        title=f"{item.benchmark}: {item.b} against {item.a}",
        columns=columns,
        rows=[TableRow(name=_name(item, line), cells=_cells(line)) for line in item.lines],
        benchmark=item.benchmark,
        notes=[*notes, *item.notes],
        meta={"names": "metric"},
    )


def _cells(line: Line) -> dict[str, Cell]:
    pair = line.paired
    of = pair.n + line.only_a + line.only_b
    tiny = line.holm is not None and 0 < line.holm < 5e-5  # four decimals would print 0
    return {
        "a": Cell(value=_known(line.mean_a), n=pair.n, of=of),
        "b": Cell(value=_known(line.mean_b), n=pair.n, of=of),
        "difference": Cell(
            value=_known(pair.difference), low=_known(pair.low), high=_known(pair.high)
        ),
        "p": Cell(value=line.holm, text=f"{line.holm:.1e}" if tiny else None),
        "effect": Cell(value=_known(pair.effect) if pair.n >= LEAST else None),
        "counts": Cell(value=None, text="/".join(map(str, line.counts))),
        "needed": Cell(value=pair.needed),
        "verdict": Cell(value=None, text=verdict(line)),
    }


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def _name(item: Comparison, line: Line) -> str:
    both = len({one.variant for one in item.lines}) > 1
    told: list[str] = [line.variant] if both else []
    told += ["mean over samples"] if line.metric in item.of_samples else []
    name = f"{line.metric} ({', '.join(told)})" if told else line.metric
    return f"{name} · {line.slice}" if line.slice else name


def sentence(item: Comparison) -> str:
    """What the comparison says, in a sentence: on what B is better, worse, or neither."""
    groups: dict[str, list[str]] = {}
    for line in item.lines:
        said = verdict(line)
        if line.slice and said != "worse":
            continue
        told = _name(item, line).replace(" · ", f" for {item.by} ") if line.slice else line.metric
        if said in ("better", "worse"):
            low, high = sorted((abs(line.paired.low), abs(line.paired.high)))
            told += f" by {abs(line.paired.difference):.3g}"
            told += f" [{low:.3g}, {high:.3g}]" if not math.isnan(low) else ""
        if told not in groups.setdefault(said, []):
            groups[said].append(told)
    order = ("better", "worse", "no significant difference", TOO_FEW)
    parts = [f"{said} on {', '.join(groups[said])}" for said in order if said in groups]
    rest = [f"{said}: {', '.join(names)}" for said, names in groups.items() if said not in order]
    return f"{item.b} against {item.a}: {'; '.join([*parts, *rest])}."


def verdict(line: Line) -> str:
    """better, worse, or no significant difference; that a metric has no known direction."""
    if line.direction is None:
        return "no verdict: direction not known"
    if line.better or line.worse:
        return "better" if line.better else "worse"
    return TOO_FEW if line.paired.n < LEAST else "no significant difference"


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
    for one in moved[:_SHOWN]:
        values = f"{one.a:.4g} → {one.b:.4g}"
        if form == "markdown":
            yield f"- [{clean(one.sample)}](<{one.link}>) {clean(values)}"
        else:
            yield f"  {clean(one.sample)}  {values}  {one.link}"


def as_dict(item: Comparison) -> dict[str, Any]:
    """A comparison as JSON values: NaN is None, an infinite value the text ``inf`` or ``-inf``."""

    def plain(values: dict[str, Any]) -> dict[str, Any]:
        return {name: _number(value) for name, value in values.items()}

    def moved(one: Moved) -> dict[str, Any]:
        return plain({**asdict(one), "difference": one.difference})

    lines = []
    for line in item.lines:
        told = {k: v for k, v in asdict(line).items() if k not in ("paired", "up", "down")}
        told |= {k: v for k, v in line.paired._asdict().items() if k != "counts"}
        told |= dict(zip(("win", "tie", "loss"), line.counts or (None,) * 3, strict=True))
        ways = {"up": [*map(moved, line.up)], "down": [*map(moved, line.down)]}
        lines.append(plain(told) | ways)
    return {
        "benchmark": item.benchmark,
        "a": item.a,
        "b": item.b,
        "by": item.by,
        "alpha": item.alpha,
        "tests": item.tests,
        "regressions": [f"{line.metric} ({line.variant})" for line in item.regressions],
        "notes": list(item.notes),
        "lines": lines,
    }


def _number(value: Any) -> Any:
    if not isinstance(value, float) or math.isfinite(value):
        return value
    return None if math.isnan(value) else ("inf" if value > 0 else "-inf")
