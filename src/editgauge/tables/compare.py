"""Two editors on the samples both have: how they differ, how sure that is, what moved most. `A` is
the baseline, `B` the candidate, a difference B − A; better follows the metric's direction.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from editgauge import escape
from editgauge.escape import counted
from editgauge.statistics.limits import LEAST
from editgauge.statistics.paired import Paired, holm, paired_difference
from editgauge.tables.metrics import metrics_of, unknown
from editgauge.tables.results import Floats, Results
from editgauge.types import Direction, Variant

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
    one of them has a score of. `holm` is p corrected over all lines of the command (NaN where there
    is no test). `verdict` and `reason` (why there is none, or ""): see `_verdict`. `up`, `down`:
    the samples that moved most (for better and for worse, where the direction is known).
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
    holm: float = math.nan
    verdict: str = ""
    reason: str = ""

    @property
    def better(self) -> bool:
        return self.verdict == "better"

    @property
    def worse(self) -> bool:
        return self.verdict == "worse"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Everything `editgauge compare` prints. `by` is the label that the slices are values of.
    `tests`: how many tests p is corrected for, those of other benchmarks with it. `notes`: what
    else is to be said, a sentence each. `of_samples`: metrics whose mean over samples is not what
    the benchmark's table prints under their name.
    """

    benchmark: str
    a: str
    b: str
    by: str
    alpha: float
    lines: tuple[Line, ...]
    tests: int = 0
    notes: tuple[str, ...] = ()
    of_samples: frozenset[str] = frozenset()

    def __repr__(self) -> str:
        from editgauge.tables.verdicts import sentence

        return f"<Comparison: {sentence(self)}>"

    def _repr_markdown_(self) -> str:
        from editgauge.tables.verdicts import as_table, sentence

        return f"{escape.markdown(sentence(self), None)}\n\n{as_table(self)._repr_markdown_()}"

    @property
    def regressions(self) -> list[Line]:
        """The lines that stop a release: over all samples B is worse, or lacks scores of A's."""
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
    chosen (`Results.of_sources`). Several comparisons of one command are decided together: see
    `decide`. Raises `UnknownName` for an editor without rows.
    """
    pair = results.of_editors([a, b])
    known = metrics_of(pair)
    lines = []
    for asked in _asked(pair, directions, variants, by, one_variant=one_variant):
        metric = known.get(asked.metric) or unknown(asked.metric)
        lines.append(_line(pair, asked, (metric.low, metric.high), top, alpha))
    comparison = Comparison(
        benchmark=results.benchmark, a=a, b=b, by=by, alpha=alpha, lines=tuple(lines)
    )
    return decide([comparison])[0]


def decide(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Return the comparisons of one command with their verdicts.

    Holm's correction is over every line of all of them: of many lines some seem to differ by
    chance, whatever benchmark they belong to.
    """
    every = [line for comparison in comparisons for line in comparison.lines]
    p = np.array([line.paired.p for line in every], dtype=np.float64)
    corrected = iter(holm(p).tolist())
    tests = int((~np.isnan(p)).sum())
    decided = []
    for comparison in comparisons:
        lines = []
        for line in comparison.lines:
            line = line._replace(holm=next(corrected))
            verdict, reason = _verdict(line, comparison.alpha)
            lines.append(line._replace(verdict=verdict, reason=reason))
        decided.append(replace(comparison, lines=tuple(lines), tests=tests))
    return decided


def _line(pair: Results, asked: _Asked, scale: tuple[float, float], top: int, alpha: float) -> Line:
    """Return a line, not decided, with its means over common samples and what moved."""
    old, new = asked.values
    paired = paired_difference(
        new,
        old,
        higher_is_better=asked.direction != "lower",
        scale=scale,
        confidence=1 - alpha,
    )
    given = ~np.isnan(asked.values)
    common = given.all(axis=0)
    mean_a = mean_b = math.nan
    if common.any():
        mean_a, mean_b = asked.values[:, common].mean(axis=1).tolist()
    only_a, only_b = (given & ~common).sum(axis=1).tolist()
    up, down = _moved(pair, asked.values, asked.direction, top)
    return Line(
        metric=asked.metric,
        variant=asked.variant,
        slice=asked.slice,
        direction=asked.direction,
        paired=paired,
        mean_a=mean_a,
        mean_b=mean_b,
        only_a=only_a,
        only_b=only_b,
        up=up,
        down=down,
    )


def _asked(
    pair: Results,
    directions: Mapping[str, Direction | None],
    variants: Sequence[Variant],
    by: str,
    *,
    one_variant: bool,
) -> Iterator[_Asked]:
    """Yield the lines to compare: each metric's variants that both have, on each slice."""
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


def _verdict(line: Line, alpha: float) -> tuple[str, str]:
    """Return the verdict on a line, and the reason where none can be given.

    ``better`` or ``worse`` is said where the corrected p is below alpha and the interval, if there
    is one, leaves 0 out. It is `NOT_CLEAR` where only one of both holds: one sample of a great
    difference can make the signs sure and the mean unsure, and the correction is for all tests, the
    interval for one.

    Samples with one infinite score are in no mean and in no test, nor are samples that only one of
    both has a score of. Where they could turn what the others say, it is `NOT_CLEAR`: a single
    infinite score is enough, of the samples that only one has as many as were compared (they would
    turn it by differences of the same size).
    """
    paired = line.paired
    if line.direction is None:
        return "no verdict", ""
    if paired.n < LEAST:
        reason = f"{counted(paired.n, 'sample')} to compare, fewer than {LEAST}"
        return TOO_FEW, reason + _left_out(paired)
    is_sure = line.holm < alpha
    holds_0 = paired.low <= 0 <= paired.high
    leaves_0_out = paired.low > 0 or paired.high < 0
    if is_sure and holds_0:
        return NOT_CLEAR, f"p is below {alpha:g}, but the interval holds 0"
    if leaves_0_out and not is_sure:
        return NOT_CLEAR, f"the interval leaves 0 out, but p is not below {alpha:g}"
    verdict = NO_DIFFERENCE
    infinitely_against = paired.infinitely_won + paired.infinitely_lost
    not_compared = 0
    if is_sure and (paired.difference > 0) == (line.direction == "higher"):
        verdict = "better"
        infinitely_against = paired.infinitely_lost
        not_compared = line.only_a
    elif is_sure:
        verdict = "worse"
        infinitely_against = paired.infinitely_won
        not_compared = line.only_b
    reason = f"of {counted(paired.n, 'sample')} alone it would be {verdict!r}"
    if infinitely_against:
        return NOT_CLEAR, reason + _left_out(paired)
    if not_compared >= paired.n:
        editor = "A" if verdict == "better" else "B"
        return (
            NOT_CLEAR,
            f"{reason}; {counted(not_compared, 'more sample')} have a score of {editor} only",
        )
    return verdict, ""


def _left_out(paired: Paired) -> str:
    """Return how the samples with one infinite score went, to be added to a reason."""
    left_out = paired.infinitely_won + paired.infinitely_lost
    if not left_out:
        return ""
    return (
        f"; {counted(left_out, 'more sample')} with one infinite score can be in no mean: B is "
        f"better in {paired.infinitely_won}, worse in {paired.infinitely_lost}"
    )
