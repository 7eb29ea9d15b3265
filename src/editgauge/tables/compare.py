"""Two editors on the samples both have: per metric and slice, how they differ, how sure that is,
and what moved most.

`A` is the baseline and `B` the candidate: a difference is B − A. Better and worse follow the
metric's direction.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal
from urllib.parse import quote

import numpy as np

from editgauge import escape
from editgauge.catalog import is_anchor
from editgauge.statistics.paired import Paired, holm, paired_difference
from editgauge.statistics.resampling import LEAST
from editgauge.tables.results import Floats, Mask, Results
from editgauge.tables.table import Cell, Column, Table, TableRow
from editgauge.types import Direction, Variant

TOO_FEW = "too few to tell"
"""The verdict of fewer than `LEAST` samples."""
NO_DIFFERENCE = "no significant difference"
_SHOWN = 4
"""Samples of either kind that are printed; JSON has all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """One sample: its values under A and B (``inf`` possible), B − A, and whether that is
    better.
    """

    sample: str
    a: float
    b: float
    difference: float
    better: bool
    link: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One metric on one slice ("" = all samples).

    `mean_a`, `mean_b` are over the `paired.n` common samples. `only_a`, `only_b`: samples that only
    one of them has a score of. `holm` is the permutation p corrected over all lines of the
    comparison (None where there is no test). `worse`: B is worse than A, and p after correction is
    below the comparison's alpha; `better` likewise. Neither is said where `direction` is None: it
    is not known which way is better. `test` numbers the test that p belongs to: lines of identical
    values (a metric whose variants are the same, a slice that is everything) are one test, and
    Holm's correction counts it once.
    """

    metric: str
    variant: Variant
    direction: Direction | None
    slice: str
    paired: Paired
    mean_a: float
    mean_b: float
    only_a: int
    only_b: int
    up: tuple[Moved, ...]
    down: tuple[Moved, ...]
    holm: float | None
    better: bool
    worse: bool
    test: int

    @property
    def verdict(self) -> str:
        """better, worse, or neither; that a metric has no known direction."""
        if self.direction is None:
            return "no verdict: direction not known"
        if self.better or self.worse:
            return "better" if self.better else "worse"
        return TOO_FEW if self.paired.n < LEAST else NO_DIFFERENCE

    @property
    def counts(self) -> tuple[int, ...]:
        """Samples that B wins, ties and loses; nothing without a direction."""
        return () if self.direction is None else tuple(self.paired.counts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Everything `editgauge compare` prints. `by` is the label that the slices are values of."""

    benchmark: str
    a: str
    b: str
    by: str
    alpha: float
    lines: tuple[Line, ...]
    notes: tuple[str, ...] = ()
    """What else is to be said of the two, one sentence each."""
    of_samples: frozenset[str] = frozenset()
    """Metrics whose mean over samples is not what the benchmark's table prints under their name."""

    def __repr__(self) -> str:
        return f"<Comparison: {sentence(self)}>"

    def _repr_markdown_(self) -> str:
        return f"{escape.markdown(sentence(self), None)}\n\n{as_table(self)._repr_markdown_()}"

    @property
    def tests(self) -> int:
        """How many different tests there are: what Holm's correction counts."""
        return len({line.test for line in self.lines if line.holm is not None})

    @property
    def regressions(self) -> list[Line]:
        """What a release should be stopped for: lines over all samples in which B is worse, or
        lacks scores A has.
        """
        whole = [line for line in self.lines if not line.slice]
        return [line for line in whole if line.worse or line.only_a > line.only_b]


def compare(
    results: Results,
    a: str,
    b: str,
    directions: Mapping[str, Direction | None],
    *,
    variants: Sequence[Variant],
    one_variant: bool = False,
    by: str = "",
    top: int = 10,
    alpha: float = 0.05,
    seed: int = 0,
) -> Comparison:
    """Compare two editors on every metric in `directions` that both have rows of.

    `one_variant`: of each metric the first of `variants` that both have rows of. `by`: a label
    of the samples; adds a line for each of its values. `top`: how many samples that moved are kept
    each way. Sources must have been chosen (`Results.of_sources`). Raises `UnknownName` for an
    editor without rows.
    """
    pair = results.of_editors([a, b])
    asked: list[tuple[str, Variant, str, Floats, int]] = []
    numbers: dict[tuple[str, bytes], int] = {}
    paired: list[Paired] = []
    for metric, direction in directions.items():
        there = [one for one in variants if _both(pair.grid(metric, one).values)]
        for variant in there[:1] if one_variant else there:
            for name, mask in _slices(results, by):
                values = np.where(mask, pair.grid(metric, variant).values, np.nan)
                number = numbers.setdefault((metric, values.tobytes()), len(paired))
                if number == len(paired):  # B against A on the samples both have
                    higher = direction != "lower"
                    paired.append(
                        paired_difference(*values[::-1], higher_is_better=higher, seed=seed)
                    )
                if not np.isnan(values).all():
                    asked.append((metric, variant, name, values, number))
    adjusted = holm([test.p for test in paired]).tolist() if paired else []
    lines = []
    for metric, variant, name, values, number in asked:
        test, p, direction = paired[number], adjusted[number], directions[metric]
        sure = p < alpha and direction is not None  # NaN is below nothing
        gain = -test.difference if direction == "lower" else test.difference
        common = ~np.isnan(values).any(axis=0)
        means = values[:, common].mean(axis=1) if common.any() else np.full(2, np.nan)
        up, down = _moved(pair, values, direction, top)
        lines.append(
            Line(
                metric=metric,
                variant=variant,
                direction=direction,
                slice=name,
                paired=test,
                mean_a=float(means[0]),
                mean_b=float(means[1]),
                only_a=int((~np.isnan(values[0]) & ~common).sum()),
                only_b=int((~np.isnan(values[1]) & ~common).sum()),
                up=up,
                down=down,
                holm=None if math.isnan(p) else p,
                better=sure and gain > 0,
                worse=sure and gain < 0,
                test=number,
            )
        )
    return Comparison(benchmark=results.benchmark, a=a, b=b, by=by, alpha=alpha, lines=tuple(lines))


def _both(values: Floats) -> bool:
    """Whether both editors have a score at all."""
    return not np.isnan(values).all(axis=1).any()


def _slices(results: Results, by: str) -> Iterator[tuple[str, Mask]]:
    yield "", np.ones(len(results.samples), dtype=np.bool_)
    labels = results.samples.labels(by) if by else np.zeros(0, np.str_)
    for value in sorted(set(labels.tolist()) - {""}):
        yield value, np.asarray(labels == value)


def _moved(
    pair: Results, values: Floats, direction: Direction | None, top: int
) -> tuple[tuple[Moved, ...], tuple[Moved, ...]]:
    """The samples that moved most up (for better, where the direction is known), and down."""
    first, second = values
    different = ~np.isnan(values).any(axis=0) & (first != second)
    difference = np.zeros(len(first))
    difference[different] = second[different] - first[different]
    gain = -difference if direction == "lower" else difference
    order = np.argsort(-gain, kind="stable").tolist()

    def told(n: int) -> Moved:
        return Moved(
            sample=pair.samples.ids[n],
            a=float(first[n]),
            b=float(second[n]),
            difference=float(difference[n]),
            better=direction is not None and bool(gain[n] > 0),
            link=report_link(pair.benchmark, pair.samples.ids[n], pair.editors),
        )

    up = tuple(told(n) for n in order[:top] if gain[n] > 0)
    return up, tuple(told(n) for n in order[::-1][:top] if gain[n] < 0)


def report_link(benchmark: str, sample: str, editors: Sequence[str]) -> str:
    """Where the report shows a sample, relative to the run folder: both editors side by side."""
    chosen = ",".join(quote(editor, safe="") for editor in editors)
    place = f"{quote(benchmark, safe='')}/{quote(sample, safe='')}"
    return f"report/index.html#/sample/{place}?editors={chosen}"


# -- how it is shown -------------------------------------------------------------------------------


def sentence(item: Comparison) -> str:
    """What the comparison says, in a sentence: on what B is better, worse, or neither."""
    groups: dict[str, list[str]] = {"better": [], "worse": [], NO_DIFFERENCE: [], TOO_FEW: []}
    for line in item.lines:
        said = line.verdict
        if line.slice and said != "worse":
            continue
        told = _name(item, line).replace(" · ", f" for {item.by} ") if line.slice else line.metric
        if said in ("better", "worse"):
            low, high = sorted((abs(line.paired.low), abs(line.paired.high)))
            told += f" by {abs(line.paired.difference):.3g}"
            told += f" [{low:.3g}, {high:.3g}]" if not math.isnan(low) else ""
        if told not in groups.setdefault(said, []):
            groups[said].append(told)
    parts = [f"{said} on {', '.join(names)}" for said, names in groups.items() if names]
    anchors = [name for name in (item.b, item.a) if is_anchor(name)]
    parts += [f"{name} is an anchor, no model" for name in anchors]
    return f"{item.b} against {item.a}: {'; '.join(parts)}."


_COLUMNS = (
    Column(name="verdict", heading=("B is",)),
    Column(name="difference", heading=("B − A",)),
    Column(name="p", heading=("p (Holm)",), digits=4),
    Column(name="counts", heading=("win/tie/loss",)),
    Column(name="a", heading=("A",)),
    Column(name="b", heading=("B",)),
)


def as_table(item: Comparison) -> Table:
    """The lines of a comparison as a table: metrics down, A, B, their difference and the verdict
    across.
    """
    notes = [
        f"A = {item.a}, B = {item.b}; means over the samples both have (n / samples either has).",
        (
            f"Intervals: 95 %, over samples (Hall 1992), none below {LEAST}. p: permutation of "
            f"signs, corrected (Holm) over {item.tests} tests; lines of identical values are one."
        ),
    ]
    for line in item.lines:
        if not line.slice and (line.only_a or line.only_b):
            lacking = f"{line.only_a} samples have a score of A only, {line.only_b} only of B"
            notes.append(f"{line.metric} ({line.variant}): {lacking}.")
    if any(line.metric in item.of_samples for line in item.lines):
        notes.append("* the mean over samples; the benchmark's table makes its number otherwise.")
    hints = [f"{_name(item, line)} {_needed(line):,}" for line in item.lines if _needed(line)]
    if hints:
        notes.append(f"Samples that would tell such a difference, about: {', '.join(hints)}.")
    return Table(
        name="compare",
        title=f"{item.benchmark}: {item.b} against {item.a}",
        columns=_COLUMNS,
        rows=[TableRow(name=_name(item, line), cells=_cells(line)) for line in item.lines],
        benchmark=item.benchmark,
        notes=[*item.notes, *notes],
        meta={"names": "metric"},
    )


def _needed(line: Line) -> int:
    """About how many samples would tell a difference that these do not; 0 where nothing is open."""
    return line.paired.needed or 0 if line.verdict == NO_DIFFERENCE and not line.slice else 0


def _cells(line: Line) -> dict[str, Cell]:
    pair = line.paired
    of = pair.n + line.only_a + line.only_b
    tiny = line.holm is not None and 0 < line.holm < 5e-5  # four decimals would print 0
    low, high, difference = _known(pair.low), _known(pair.high), _known(pair.difference)
    told = None if difference is None else f"{difference:.4g}"
    told = told if low is None or high is None else f"{told} [{low:.4g}, {high:.4g}]"
    return {
        "a": Cell(value=_known(line.mean_a), n=pair.n, of=of),
        "b": Cell(value=_known(line.mean_b), n=pair.n, of=of),
        "difference": Cell(value=difference, low=low, high=high, text=told),
        "p": Cell(value=line.holm, text=f"{line.holm:.1e}" if tiny else None),
        "counts": Cell(value=None, text="/".join(map(str, line.counts))),
        "verdict": Cell(value=None, text=line.verdict),
    }


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def _name(item: Comparison, line: Line) -> str:
    both = len({one.variant for one in item.lines}) > 1
    name = f"{line.metric}*" if line.metric in item.of_samples else line.metric
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
    for one in moved[:_SHOWN]:
        values = f"{one.a:.4g} → {one.b:.4g}"
        if form == "markdown":
            yield f"- [{clean(one.sample)}](<{one.link}>) {clean(values)}"
        else:
            yield f"  {clean(one.sample)}  {values}  {one.link}"


def as_dict(item: Comparison) -> dict[str, Any]:
    """A comparison as JSON values: NaN is None, an infinite value the text ``inf`` or ``-inf``."""
    lines = []
    for line in item.lines:
        told = {k: v for k, v in asdict(line).items() if k != "paired"}
        told |= {k: v for k, v in line.paired._asdict().items() if k != "counts"}
        told |= dict(zip(("win", "tie", "loss"), line.counts or (None,) * 3, strict=True))
        lines.append(_plain(told))
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


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    if not isinstance(value, float) or math.isfinite(value):
        return value
    return None if math.isnan(value) else ("inf" if value > 0 else "-inf")
