"""Two editors on the samples both have: per metric and slice, how they differ, how sure that is,
and what moved most.

`A` is the baseline and `B` the candidate: a difference is B − A. Better and worse follow the
metric's direction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

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

    @property
    def tests(self) -> int:
        """How many different tests there are: what Holm's correction counts."""
        return len({line.test for line in self.lines if line.holm is not None})

    @property
    def regressions(self) -> list[Line]:
        """What a release should be stopped for: lines over all samples in which B is worse, or
        lacks scores A has.
        """
        return [
            line
            for line in self.lines
            if not line.slice and (line.worse or line.only_a > line.only_b)
        ]


def compare(
    frame: Results,
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
    """Compare two editors of a frame on every metric in `directions` that both have rows of.

    `one_variant`: of each metric the first of `variants` that both have rows of. `by`: a label
    of the samples; adds a line for each of its values. `top`: how many samples that moved are kept
    each way. Sources must have been chosen (`Results.of_sources`). Raises `UnknownName` for an
    editor without rows.
    """
    pair = frame.of_editors([a, b])
    slices = _slices(frame, by)
    wanted: list[tuple[str, Variant, Direction | None, str, Floats, int]] = []
    numbers: dict[tuple[str, str | None, bytes], int] = {}
    tests: list[Pair] = []
    for metric, direction in directions.items():
        for variant in variants:
            if not pair.has(metric, variant):
                continue
            values = pair.grid(metric, variant).values
            if np.isnan(values).all(axis=1).any():
                continue
            if one_variant and any(asked[0] == metric for asked in wanted):
                break
            for name, mask in slices:
                masked = np.where(mask, values, np.nan)
                key = (metric, direction, masked.tobytes())
                if key not in numbers:
                    numbers[key] = len(tests)
                    first, second = masked  # B against A on the samples both have
                    tests.append(Pair(second, first, direction != "lower"))
                wanted.append((metric, variant, direction, name, masked, numbers[key]))
    found = paired_differences(tests, seed=seed)
    lines: list[Line] = []
    for metric, variant, direction, name, masked, number in wanted:
        test = (number, found[number])
        line = _line(pair, metric, variant, direction, name, masked, test, top=top)
        if line.paired.n or line.only_a or line.only_b:
            lines.append(line)
    return Comparison(
        benchmark=frame.benchmark,
        a=a,
        b=b,
        by=by,
        alpha=alpha,
        lines=tuple(_corrected(lines, alpha)),
    )


def _slices(frame: Results, by: str) -> list[tuple[str, Mask]]:
    whole: list[tuple[str, Mask]] = [("", np.ones(len(frame.samples), dtype=np.bool_))]
    if not by:
        return whole
    labels = frame.samples.labels(by)
    return whole + [
        (value, np.asarray(labels == value)) for value in sorted(set(labels.tolist()) - {""})
    ]


def _line(
    pair: Results,
    metric: str,
    variant: Variant,
    direction: Direction | None,
    name: str,
    values: Floats,
    test: tuple[int, Paired],
    *,
    top: int,
) -> Line:
    first, second = values
    common = ~np.isnan(first) & ~np.isnan(second)
    higher = direction != "lower"  # for an unknown one: which moved up, and which down
    count = int(common.sum())
    number, paired = test
    difference = np.full(len(first), 0.0)
    with np.errstate(invalid="ignore"):
        difference[common] = np.where(
            first[common] == second[common], 0.0, second[common] - first[common]
        )
    gain = difference if higher else -difference
    order = np.argsort(-gain, kind="stable")

    def moved(number: int) -> Moved:
        sample = pair.samples.ids[number]
        link = report_link(pair.benchmark, sample, pair.editors)
        better = direction is not None and bool(gain[number] > 0)
        return Moved(
            sample=sample, a=float(first[number]), b=float(second[number]), better=better, link=link
        )

    return Line(
        metric,
        variant,
        direction,
        name,
        paired,
        float(first[common].mean()) if count else float("nan"),
        float(second[common].mean()) if count else float("nan"),
        int((~np.isnan(first) & np.isnan(second)).sum()),
        int((np.isnan(first) & ~np.isnan(second)).sum()),
        tuple(moved(int(n)) for n in order[:top] if gain[n] > 0),
        tuple(moved(int(n)) for n in order[::-1][:top] if gain[n] < 0),
        test=number,
    )


def report_link(benchmark: str, sample: str, editors: Sequence[str]) -> str:
    """Where the report shows a sample, relative to the run folder: both editors side by side."""
    chosen = ",".join(quote(editor, safe="") for editor in editors)
    place = f"{quote(benchmark, safe='')}/{quote(sample, safe='')}"
    return f"report/index.html#/sample/{place}?editors={chosen}"


def _corrected(lines: Sequence[Line], alpha: float) -> list[Line]:
    """The lines with p corrected over the different tests among them."""
    found = {line.test: line.paired.p for line in lines}
    adjusted = dict(zip(found, holm(list(found.values())).tolist(), strict=True))
    corrected = []
    for line in lines:
        p = adjusted[line.test]
        sure = not np.isnan(p) and p < alpha and line.direction is not None
        gain = -line.paired.difference if line.direction == "lower" else line.paired.difference
        corrected.append(
            replace(
                line,
                holm=None if np.isnan(p) else p,
                better=sure and gain > 0,
                worse=sure and gain < 0,
            )
        )
    return corrected
