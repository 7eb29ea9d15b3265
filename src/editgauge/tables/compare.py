"""Two editors on the samples both have: how they differ, how sure that is, what moved most. `A` is
the baseline, `B` the candidate, a difference B − A; better follows the metric's direction.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from editgauge import escape
from editgauge.statistics.paired import Paired, holm, paired_difference
from editgauge.statistics.resampling import LEAST
from editgauge.tables.results import Floats, Results
from editgauge.types import Direction, JsonObject, Variant

TOO_FEW = "too few to tell"
NO_DIFFERENCE = "no significant difference"
NOT_CLEAR = "not clear"


class Moved(NamedTuple):
    """One sample: its values under A and B (``inf`` possible), B − A, whether that is better."""

    sample: str
    a: float
    b: float
    difference: float
    better: bool


class Line(NamedTuple):
    """One metric on one slice ("" = all samples).

    `mean_a`, `mean_b` are over the `paired.n` common samples. `only_a`, `only_b`: samples that only
    one of them has a score of. `holm` is p corrected over all lines of the comparison (NaN where
    there is no test). `verdict`: see `_verdict`. `up`, `down`: the samples that moved most (for
    better and for worse, where the direction is known).
    """

    metric: str
    variant: Variant
    slice: str
    direction: Direction | None
    paired: Paired
    mean_a: float
    mean_b: float
    only_a: int
    only_b: int
    up: tuple[Moved, ...]
    down: tuple[Moved, ...]
    holm: float
    verdict: str

    @property
    def better(self) -> bool:
        return self.verdict == "better"

    @property
    def worse(self) -> bool:
        return self.verdict == "worse"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Everything `editgauge compare` prints. `by` is the label that the slices are values of.
    `notes`: what else is to be said, a sentence each. `of_samples`: metrics whose mean over samples
    is not what the benchmark's table prints under their name.
    """

    benchmark: str
    a: str
    b: str
    by: str
    alpha: float
    lines: tuple[Line, ...]
    notes: tuple[str, ...] = ()
    of_samples: frozenset[str] = frozenset()

    def __repr__(self) -> str:
        from editgauge.tables.verdicts import sentence

        return f"<Comparison: {sentence(self)}>"

    def _repr_markdown_(self) -> str:
        from editgauge.tables.verdicts import as_table, sentence

        return f"{escape.markdown(sentence(self), None)}\n\n{as_table(self)._repr_markdown_()}"

    @property
    def tests(self) -> int:
        """How many tests there are: what Holm's correction counts."""
        return sum(not math.isnan(line.holm) for line in self.lines)

    @property
    def regressions(self) -> list[Line]:
        """What stops a release: lines over all samples in which B is worse or lacks A's scores."""
        whole = [line for line in self.lines if not line.slice]
        return [line for line in whole if line.worse or line.only_a > line.only_b]


class _Asked(NamedTuple):
    """A line before it is tested; `values`: the scores of A and B (2, S), NaN outside the slice."""

    metric: str
    variant: Variant
    slice: str
    values: Floats
    direction: Direction | None


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
) -> Comparison:
    """Compare two editors on every metric in `directions` that both have rows of.

    `one_variant`: of each metric the first of `variants` that both have rows of. `by`: a label of
    the samples; adds a line for each of its values. `top`: how many samples that moved are kept
    each way. `alpha`: of the tests; intervals have the confidence 1 − alpha. Sources must have been
    chosen (`Results.of_sources`). Raises `UnknownName` for an editor without rows.
    """
    pair = results.of_editors([a, b])
    asked = list(_asked(pair, directions, variants, by, one_variant=one_variant))
    how: JsonObject = {"confidence": 1 - alpha, "tests": len(asked)}
    pairs = [
        paired_difference(*one.values[::-1], higher_is_better=one.direction != "lower", **how)
        for one in asked
    ]
    corrected = holm([one.p for one in pairs]).tolist()
    lines = tuple(
        _line(pair, one, paired, p, top, alpha)
        for one, paired, p in zip(asked, pairs, corrected, strict=True)
    )
    return Comparison(benchmark=results.benchmark, a=a, b=b, by=by, alpha=alpha, lines=lines)


def _line(pair: Results, one: _Asked, paired: Paired, p: float, top: int, alpha: float) -> Line:
    """The line with its means over common samples, and what moved."""
    metric, variant, part, values, way = one
    given = ~np.isnan(values)
    common = given.all(axis=0)
    a, b = values[:, common].mean(axis=1).tolist() if common.any() else (math.nan, math.nan)
    only_a, only_b = (given & ~common).sum(axis=1).tolist()
    up, down = _moved(pair, values, way, top)
    verdict = _verdict(paired, p, way, alpha)
    return Line(metric, variant, part, way, paired, a, b, only_a, only_b, up, down, p, verdict)


def _asked(
    pair: Results,
    directions: Mapping[str, Direction | None],
    variants: Sequence[Variant],
    by: str,
    *,
    one_variant: bool,
) -> Iterator[_Asked]:
    """What is compared: of each metric the variants that both have a score of, on each slice."""
    labels = pair.samples.labels(by) if by else np.zeros(len(pair.samples), np.str_)
    for metric, way in directions.items():
        scores = {variant: pair.grid(metric, variant).values for variant in variants}
        there = [v for v in variants if not np.isnan(scores[v]).all(axis=1).any()]
        for variant in there[:1] if one_variant else there:
            for name in ("", *sorted({*labels.tolist()} - {""})):
                values = np.where((labels == name) | (name == ""), scores[variant], np.nan)
                if not np.isnan(values).all():
                    yield _Asked(metric, variant, name, values, way)


def _moved(
    pair: Results, values: Floats, direction: Direction | None, top: int
) -> Iterator[tuple[Moved, ...]]:
    """The samples that gained most, and those that lost most."""
    with np.errstate(invalid="ignore"):
        difference = np.where(values[0] == values[1], 0.0, values[1] - values[0])
    gain = np.nan_to_num(-difference if direction == "lower" else difference, posinf=np.inf,
                         neginf=-np.inf)  # fmt: skip
    order = np.argsort(-gain, kind="stable").tolist()
    for sign, places in ((1, order[:top]), (-1, order[::-1][:top])):
        yield tuple(
            Moved(
                pair.samples.ids[n],
                float(values[0, n]),
                float(values[1, n]),
                float(difference[n]),
                direction is not None and bool(gain[n] > 0),
            )
            for n in places
            if sign * gain[n] > 0
        )


def _verdict(paired: Paired, p: float, direction: Direction | None, alpha: float) -> str:
    """``better`` or ``worse`` where the corrected p is below alpha and the interval, if there is
    one, leaves 0 out; `NOT_CLEAR` where only one of both holds: one sample of a great difference
    can make the signs sure and the mean unsure, and the correction is for all tests, the interval
    for one.
    """
    if direction is None:
        return "no verdict"
    if paired.n < LEAST:
        return TOO_FEW
    sure, inside = p < alpha, paired.low <= 0 <= paired.high
    if sure and not inside:
        return "better" if (paired.difference > 0) == (direction == "higher") else "worse"
    return NOT_CLEAR if sure or not (inside or math.isnan(paired.low)) else NO_DIFFERENCE
