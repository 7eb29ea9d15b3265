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
_MOST = ("Largest gains", "Largest drops")


def as_table(item: Comparison) -> Table:
    """The lines of a comparison as a table: metrics down, A, B, their difference and the verdict
    across.
    """
    columns = [
        Column(name="a", heading=(item.a,), digits=3),
        Column(name="b", heading=(item.b,), digits=3),
        Column(name="difference", heading=("B − A",), digits=4),
        Column(name="p", heading=("p (Holm)",), digits=4),
        Column(name="effect", heading=("effect d",), digits=2),
        Column(name="counts", heading=("win/tie/loss",)),
        Column(name="needed", heading=("samples needed",), digits=0),
        Column(name="verdict", heading=("B is",)),
    ]
    rows = []
    for line in item.lines:
        pair = line.paired
        cells = {
            "a": Cell(value=_finite(line.mean_a), n=pair.n, of=pair.n + line.only_a + line.only_b),
            "b": Cell(value=_finite(line.mean_b), n=pair.n, of=pair.n + line.only_a + line.only_b),
            "difference": Cell(
                value=_finite(pair.difference),
                low=_finite(pair.low),
                high=_finite(pair.high),
            ),
            "p": Cell(value=line.holm, text=_small(line.holm)),
            "effect": Cell(value=_finite(pair.effect) if pair.n >= LEAST else None),
            "counts": Cell(value=None, text="/".join(map(str, _counts(line)))),
            "needed": Cell(value=pair.needed),
            "verdict": Cell(value=None, text=verdict(line)),
        }
        rows.append(TableRow(name=_name(item, line), cells=cells))
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
    notes += item.notes
    return Table(
        name="compare",
        title=f"{item.benchmark}: {item.b} against {item.a}",
        columns=columns,
        rows=rows,
        benchmark=item.benchmark,
        notes=notes,
        meta={"names": "metric"},
    )


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


def _counts(line: Line) -> tuple[int, ...]:
    """Samples that B wins, ties and loses; nothing where it is not known which way is better."""
    return () if line.direction is None else tuple(line.paired.counts)


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
    whole.sort(key=lambda line: (not line.worse, line.holm is None, line.holm))
    for line in whole[:1]:
        titles = ("Most up", "Most down") if line.direction is None else _MOST
        for title, moved in [*zip(titles, (line.up, line.down), strict=True)][::-1]:
            if not moved or (line.down and moved is line.up):
                continue
            title = clean(f"{title} under {item.b}: {line.metric}", None)
            yield f"\n{title}"
            for one in moved[:_SHOWN]:
                values = f"{one.a:.4g} → {one.b:.4g}"
                if form == "markdown":
                    yield f"- [{clean(one.sample)}](<{one.link}>) {clean(values)}"
                else:
                    yield f"  {clean(one.sample)}  {values}  {one.link}"


def as_dict(item: Comparison) -> dict[str, Any]:
    """A comparison as JSON values: NaN is None, an infinite value the text ``inf`` or ``-inf``."""

    def number(value: Any) -> Any:
        if isinstance(value, float) and not math.isfinite(value):
            return None if math.isnan(value) else ("inf" if value > 0 else "-inf")
        return value

    def moved(one: Moved) -> dict[str, Any]:
        fields = {**asdict(one), "difference": one.difference}
        return {key: number(value) for key, value in fields.items()}

    lines = []
    for line in item.lines:
        fields = {
            key: number(value)
            for key, value in asdict(line).items()
            if key not in ("paired", "up", "down")
        }
        fields |= {
            key: number(value) for key, value in line.paired._asdict().items() if key != "counts"
        }
        fields |= dict(zip(("win", "tie", "loss"), _counts(line) or (None,) * 3, strict=True))
        lines.append(
            {
                **fields,
                "up": [moved(one) for one in line.up],
                "down": [moved(one) for one in line.down],
            }
        )
    regressions = [f"{line.metric} ({line.variant})" for line in item.regressions]
    return {
        "benchmark": item.benchmark,
        "a": item.a,
        "b": item.b,
        "by": item.by,
        "alpha": item.alpha,
        "tests": item.tests,
        "regressions": regressions,
        "notes": list(item.notes),
        "lines": lines,
    }


def _small(p: float | None) -> str | None:
    """A p that four decimals would print as 0, as a power of ten; None for any other."""
    return f"{p:.1e}" if p is not None and 0 < p < 5e-5 else None


def _finite(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else value
