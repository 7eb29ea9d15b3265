"""Two editors on the samples both have: per metric and slice, how they differ, how sure that is,
and what moved most.

`A` is the baseline and `B` the candidate: a difference is B − A. Better and worse follow the
metric's direction.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from editgauge.escape import markup
from editgauge.statistics.paired import Pair, Paired, holm, paired_differences
from editgauge.tables.results import Results
from editgauge.types import Direction, Variant

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """One sample: its values under A and B (``inf`` possible), B − A, and whether that is
    better.
    """

    sample: str
    a: float
    b: float
    better: bool
    link: str

    @property
    def difference(self) -> float:
        return 0.0 if self.a == self.b else self.b - self.a


@dataclass(frozen=True, slots=True)
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
    holm: float | None = None
    better: bool = False
    worse: bool = False
    test: int = -1

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
        from editgauge.tables.compare_sheets import sentence

        return f"<Comparison: {sentence(self)}>"

    def _repr_html_(self) -> str:
        from editgauge.tables.compare_sheets import as_table, sentence

        return f"<p>{markup(sentence(self))}</p>{as_table(self)._repr_html_()}"

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
    slices = _slices(results, by)
    wanted: list[tuple[str, Variant, str, Floats, int]] = []
    numbers: dict[tuple[str, bytes], int] = {}
    tests: list[Pair] = []
    for metric, direction in directions.items():
        there = [one for one in variants if _both(pair.grid(metric, one).values)]
        for variant in there[:1] if one_variant else there:
            values = pair.grid(metric, variant).values
            for name, mask in slices:
                masked = np.where(mask, values, np.nan)
                number = numbers.setdefault((metric, masked.tobytes()), len(tests))
                if number == len(tests):  # B against A on the samples both have
                    tests.append(Pair(masked[1], masked[0], direction != "lower"))
                wanted.append((metric, variant, name, masked, number))
    paired = paired_differences(tests, seed=seed)
    adjusted = holm([test.p for test in paired]).tolist() if paired else []
    lines = []
    for metric, variant, name, masked, number in wanted:
        direction = directions[metric]
        line = _line(pair, metric, variant, direction, name, masked, paired[number], top)
        if line.paired.n or line.only_a or line.only_b:
            lines.append(_judged(replace(line, test=number), adjusted[number], alpha))
    return Comparison(benchmark=results.benchmark, a=a, b=b, by=by, alpha=alpha, lines=tuple(lines))


def _both(values: Floats) -> bool:
    """Whether both editors have a score at all."""
    return not np.isnan(values).all(axis=1).any()


def _slices(results: Results, by: str) -> list[tuple[str, Mask]]:
    whole: list[tuple[str, Mask]] = [("", np.ones(len(results.samples), dtype=np.bool_))]
    labels = results.samples.labels(by) if by else np.zeros(0, np.str_)
    return whole + [(v, np.asarray(labels == v)) for v in sorted(set(labels.tolist()) - {""})]


def _line(
    pair: Results,
    metric: str,
    variant: Variant,
    direction: Direction | None,
    name: str,
    values: Floats,
    paired: Paired,
    top: int,
) -> Line:
    first, second = values
    common = ~np.isnan(first) & ~np.isnan(second)
    difference = np.zeros(len(first))
    different = common & (first != second)
    difference[different] = second[different] - first[different]
    gain = -difference if direction == "lower" else difference  # unknown: which moved up, and down
    order = np.argsort(-gain, kind="stable")

    def moved(number: int) -> Moved:
        sample = pair.samples.ids[number]
        return Moved(
            sample=sample,
            a=float(first[number]),
            b=float(second[number]),
            better=direction is not None and bool(gain[number] > 0),
            link=report_link(pair.benchmark, sample, pair.editors),
        )

    some = common.any()
    return Line(
        metric,
        variant,
        direction,
        name,
        paired,
        float(first[common].mean()) if some else math.nan,
        float(second[common].mean()) if some else math.nan,
        int((~np.isnan(first) & np.isnan(second)).sum()),
        int((np.isnan(first) & ~np.isnan(second)).sum()),
        tuple(moved(int(n)) for n in order[:top] if gain[n] > 0),
        tuple(moved(int(n)) for n in order[::-1][:top] if gain[n] < 0),
    )


def _judged(line: Line, p: float, alpha: float) -> Line:
    """The line with p after Holm's correction over the different tests, and what that says."""
    sure = not math.isnan(p) and p < alpha and line.direction is not None
    gain = -line.paired.difference if line.direction == "lower" else line.paired.difference
    corrected = None if math.isnan(p) else p
    return replace(line, holm=corrected, better=sure and gain > 0, worse=sure and gain < 0)


def report_link(benchmark: str, sample: str, editors: Sequence[str]) -> str:
    """Where the report shows a sample, relative to the run folder: both editors side by side."""
    chosen = ",".join(quote(editor, safe="") for editor in editors)
    place = f"{quote(benchmark, safe='')}/{quote(sample, safe='')}"
    return f"report/index.html#/sample/{place}?editors={chosen}"
