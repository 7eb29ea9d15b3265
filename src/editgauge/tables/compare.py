"""Two editors on the samples both have: per metric and slice, how they differ, how sure that is,
and what moved most.

`A` is the baseline and `B` the candidate: a difference is B − A. Better and worse follow the
metric's direction.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import quote

import numpy as np

from editgauge import escape
from editgauge.statistics.paired import Paired, holm, paired_difference
from editgauge.statistics.resampling import LEAST
from editgauge.tables.results import Floats, Results
from editgauge.types import Direction, Variant

TOO_FEW = "too few to tell"
"""The verdict of fewer than `LEAST` samples."""
NO_DIFFERENCE = "no significant difference"


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """One sample: its values under A and B (``inf`` possible), B − A, whether that is better, and
    where the report shows it.
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
    one of them has a score of. `holm` is p corrected over all lines of the comparison (None where
    there is no test); `worse`, `better`: it is below the comparison's alpha, and `direction` is
    known. `test` numbers the test that p belongs to: lines of identical values (variants that are
    the same, a slice that is everything) are one, and Holm's correction counts it once.
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
        from editgauge.tables.verdicts import sentence

        return f"<Comparison: {sentence(self)}>"

    def _repr_markdown_(self) -> str:
        from editgauge.tables.verdicts import as_table, sentence

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


class _Asked(NamedTuple):
    """A line before it is tested: the scores of A and B (2, S), NaN outside the slice."""

    metric: str
    variant: Variant
    slice: str
    values: Floats


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
    asked = list(_asked(pair, list(directions), variants, by, one_variant=one_variant))
    marks = [(one.metric, one.values.tobytes()) for one in asked]
    first = {mark: number for number, mark in reversed([*enumerate(marks)])}
    tests = [
        paired_difference(
            asked[number].values[1],
            asked[number].values[0],
            higher_is_better=directions[asked[number].metric] != "lower",
            seed=seed,
            tests=len(first),
        )
        for number in sorted(first.values())
    ]
    order = {number: test for test, number in enumerate(sorted(first.values()))}
    adjusted = holm([test.p for test in tests]).tolist()
    lines = []
    for one, mark in zip(asked, marks, strict=True):
        test = order[first[mark]]
        about = (directions[one.metric], tests[test], adjusted[test], test)
        lines.append(_line(pair, one, *about, alpha=alpha, top=top))
    return Comparison(benchmark=results.benchmark, a=a, b=b, by=by, alpha=alpha, lines=tuple(lines))


def _asked(
    pair: Results,
    metrics: Sequence[str],
    variants: Sequence[Variant],
    by: str,
    *,
    one_variant: bool,
) -> Iterator[_Asked]:
    """What is compared: of each metric the variants that both have a score of, on each slice."""
    labels = pair.samples.labels(by) if by else np.zeros(len(pair.samples), np.str_)
    for metric in metrics:
        scores = {variant: pair.grid(metric, variant).values for variant in variants}
        there = [v for v in variants if not np.isnan(scores[v]).all(axis=1).any()]
        for variant in there[:1] if one_variant else there:
            for name in ("", *sorted({*labels.tolist()} - {""})):
                values = np.where((labels == name) | (name == ""), scores[variant], np.nan)
                if not np.isnan(values).all():
                    yield _Asked(metric, variant, name, values)


def _line(
    pair: Results,
    one: _Asked,
    direction: Direction | None,
    paired: Paired,
    p: float,
    test: int,
    *,
    alpha: float,
    top: int,
) -> Line:
    sure = p < alpha and direction is not None  # NaN is below nothing
    gain = -paired.difference if direction == "lower" else paired.difference
    given = ~np.isnan(one.values)
    common = given.all(axis=0)
    means = one.values[:, common].mean(axis=1) if common.any() else np.full(2, np.nan)
    only_a, only_b = (given & ~common).sum(axis=1).tolist()
    up, down = _moved(pair, one.values, direction, top)
    return Line(
        metric=one.metric,
        variant=one.variant,
        direction=direction,
        slice=one.slice,
        paired=paired,
        mean_a=float(means[0]),
        mean_b=float(means[1]),
        only_a=only_a,
        only_b=only_b,
        up=up,
        down=down,
        holm=None if math.isnan(p) else p,
        better=sure and gain > 0,
        worse=sure and gain < 0,
        test=test,
    )


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
