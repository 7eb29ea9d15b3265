"""A comparison of two editors in words: a sentence, a table, the samples that moved most, JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Literal
from urllib.parse import quote

from editgauge import escape
from editgauge.escape import counted
from editgauge.statistics.limits import LEAST
from editgauge.tables.compare import NO_DIFFERENCE, NOT_CLEAR, TOO_FEW, Comparison, Line
from editgauge.tables.table import EMPTY, Cell, Column, Table, TableRow
from editgauge.types import JsonObject

_MOVED = 3
"""Samples that are printed; JSON has all of them."""


def sentence(item: Comparison) -> str:
    """Return a sentence that names the metrics on which B is better, worse, or neither."""
    groups: dict[str, list[str]] = {"better": [], "worse": []}
    for line in item.lines:
        if line.slice and not line.worse:
            continue
        subject = f"{line.metric} for {item.by} {line.slice}" if line.slice else line.metric
        if line.better or line.worse:
            subject += f" by {_difference(line, math.copysign(1, line.paired.difference))}"
        groups.setdefault(line.verdict, []).append(subject)
    known = {verdict: ", ".join(dict.fromkeys(subjects)) for verdict, subjects in groups.items()}
    parts = [f"{verdict} on {names}" for verdict, names in known.items() if names]
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
_WORDS = {TOO_FEW: "too few", NO_DIFFERENCE: "unclear", NOT_CLEAR: "unclear"}


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
            *([f"Left out: {left} (--format markdown has all)."] if left else ()),
            *_notes(item),
        ],
        meta={"names": "metric"},
    )


def _notes(item: Comparison) -> Iterator[str]:
    yield from _reasons(item)
    yield (
        f"A = {item.a}, B = {item.b}; means over the samples both have (n / samples either has). "
        "A sample with one infinite score alone is in win/tie/loss only."
    )
    yield (
        f"Intervals: {100 * (1 - item.alpha):g} %, over samples (Student's t), none below {LEAST}. "
        f"p: signs permuted, corrected (Holm) for {counted(item.tests, 'test')} of this command."
    )
    if any(line.metric in item.of_samples for line in item.lines):
        yield "* the mean over samples; the benchmark's table makes its number otherwise."


def _reasons(item: Comparison) -> Iterator[str]:
    """Yield why there is no verdict, one sentence for all lines with the same reason."""
    lines_of: dict[str, list[str]] = {}
    for line in item.lines:
        if line.reason:
            lines_of.setdefault(line.reason, []).append(_name(item, line))
    for reason, names in lines_of.items():
        yield f"{', '.join(names)}: {reason}."


def _cells(line: Line) -> dict[str, Cell]:
    pair, n = line.paired, line.paired.n

    def number(value: float, text: str | None = None, **more: Any) -> Cell:
        return EMPTY if math.isnan(value) else Cell(value=value, text=text, **more)

    def mean(value: float) -> Cell:
        text = _short(value) if 1000 <= value < math.inf else None
        common = pair.won + pair.tied + pair.lost
        return number(value, text, n=n, of=common + line.only_a + line.only_b)

    counts = f"{pair.won}/{pair.tied}/{pair.lost}"
    ends = {} if math.isnan(pair.low) else {"low": pair.low, "high": pair.high}
    tiny = line.holm < 5e-5  # four decimals would print 0
    return {
        "verdict": Cell(text=_WORDS.get(line.verdict, line.verdict)),
        "difference": number(pair.difference, _difference(line), **ends),
        "p": number(line.holm, f"{line.holm:.1e}" if tiny else None),
        "counts": Cell(text=counts if line.direction else ""),
        "a": mean(line.mean_a),
        "b": mean(line.mean_b),
    }


def _name(item: Comparison, line: Line) -> str:
    """The metric, ``*`` for another mean than the table's, its variant if it is corrected."""
    name = f"{line.metric}*" if line.metric in item.of_samples else line.metric
    name = f"{name} (corrected)" if line.variant == "corrected" else name
    return f"{name} · {line.slice}" if line.slice else name


def moved_lines(
    item: Comparison, form: Literal["terminal", "markdown"], *, linked: bool
) -> Iterator[str]:
    """The samples that dropped most (or, where none did, gained), of the metric that is worst, each
    with its link into the report if `linked`, as text that no name can write markup into.
    """
    clean = escape.markdown if form == "markdown" else escape.plain
    whole = [line for line in item.lines if not line.slice and (line.down or line.up)]
    for line in sorted(whole, key=lambda one: (not one.worse, math.isnan(one.holm), one.holm))[:1]:
        titles = ("Largest gains", "Largest drops") if line.direction else ("Most up", "Most down")
        yield "\n" + clean(f"{titles[bool(line.down)]} under {item.b}: {line.metric}", None)
        for one in (line.down or line.up)[:_MOVED]:
            name, values = clean(one.sample), clean(f"{one.a:.4g} → {one.b:.4g}")
            link = _report_link(item, one.sample) if linked else ""
            if form == "markdown":
                yield f"- [{name}](<{link}>) {values}" if link else f"- {name} {values}"
            else:
                yield f"  {name}  {values}  {link}".rstrip()


def _report_link(item: Comparison, sample: str) -> str:
    """Return the link, relative to the run folder, to a sample's page with both editors."""
    chosen = "&".join(f"p=edit%3A{quote(editor, safe='')}" for editor in (item.a, item.b))
    place = f"{quote(item.benchmark, safe='')}/{quote(sample, safe='')}"
    return f"report/index.html#/sample/{place}?{chosen}"


_COUNTS = {
    "win": "won",
    "tie": "tied",
    "loss": "lost",
    "infinite_win": "infinitely_won",
    "infinite_loss": "infinitely_lost",
}
"""The counts of `Paired` by their names in JSON."""


def as_dict(item: Comparison) -> JsonObject:
    """A comparison as JSON values: NaN is None, an infinite value the text ``inf`` or ``-inf``."""
    lines = []
    for line in item.lines:
        facts = line._asdict() | {"better": line.better, "worse": line.worse}
        facts |= facts.pop("paired")._asdict()
        for name, field in _COUNTS.items():
            count = facts.pop(field)
            facts[name] = count if line.direction else None
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
        return [_plain(one._asdict()) for one in value]
    if not isinstance(value, float) or math.isfinite(value):
        return value
    return None if math.isnan(value) else str(value)
