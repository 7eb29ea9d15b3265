"""How far two judges (or a judge and its own repeats) agree on the same samples, with 95 %
intervals. Pure functions over scores.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from editgauge.tables.resampling import Floats, Moments, bootstrap, units

Interval = tuple[float, float]


def _number(value: float | None, form: str) -> str:
    return "not defined" if value is None else format(value, form)


def _limits(interval: Interval | None, form: str) -> str:
    return "" if interval is None else f" [{interval[0]:{form}}, {interval[1]:{form}}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Of two raters over the samples that both scored (`n`).

    `kappa` is Cohen's with quadratic weights: 1 perfect, 0 as by chance, below 0 worse; None where
    it is not defined (no sample, or both gave one and the same value throughout). `mae` is the mean
    absolute difference, `bias` the mean of second minus first, `equal` the share of equal scores.
    """

    n: int
    kappa: float | None
    mae: float | None
    bias: float | None
    equal: float | None
    kappa_interval: Interval | None = None
    """95 % limits from a bootstrap over samples, several edits of one sample drawn together; None
    below two samples, or where a resample has no kappa.
    """
    bias_interval: Interval | None = None

    def told(self, things: str = "edits") -> str:
        """In words, with intervals."""
        if not self.n:
            return f"no {things} in common"
        return (
            f"kappa {_number(self.kappa, '.3f')}{_limits(self.kappa_interval, '.3f')}, "
            f"mean difference {_number(self.mae, '.3f')}, "
            f"bias {_number(self.bias, '+.3f')}{_limits(self.bias_interval, '+.3f')}, "
            f"{self.n} {things}"
        )


def agreement(
    first: Sequence[float | None],
    second: Sequence[float | None],
    samples: Sequence[Hashable] | None = None,
) -> Agreement:
    """Agreement of two raters; None stands for an edit without a score and is left out in pairs.

    `samples`: the sample of each edit; without it each is a sample of its own. Raises `ValueError`
    when the sequences differ in length.
    """
    if len(first) != len(second):
        raise ValueError(
            f"two raters of the same samples wanted, found {len(first)} and {len(second)} scores"
        )
    labels = range(len(first)) if samples is None else samples
    whole = [
        (a, b, label)
        for a, b, label in zip(first, second, labels, strict=True)
        if a is not None and b is not None
    ]
    pairs = [(a, b) for a, b, _ in whole]
    n = len(pairs)
    if not n:
        return Agreement(n=0, kappa=None, mae=None, bias=None, equal=None)
    mae = math.fsum(abs(b - a) for a, b in pairs) / n
    bias = math.fsum(b - a for a, b in pairs) / n
    equal = sum(a == b for a, b in pairs) / n
    numbers = {label: number for number, label in enumerate(dict.fromkeys(w[2] for w in whole))}
    kappa_interval, bias_interval = intervals(pairs, [numbers[label] for _, _, label in whole])
    return Agreement(
        n=n,
        kappa=quadratic_kappa([a for a, _ in pairs], [b for _, b in pairs]),
        mae=mae,
        bias=bias,
        equal=equal,
        kappa_interval=kappa_interval,
        bias_interval=bias_interval,
    )


def intervals(
    pairs: Sequence[tuple[float, float]], samples: Sequence[int]
) -> tuple[Interval | None, Interval | None]:
    """95 % intervals of quadratic kappa and of bias, by a bootstrap over samples. `samples`: the
    sample of each pair, as a number.

    Kappa is a function of five means, so that no resample is formed: 1 - E[(a-b)²] / (E[a²] +
    E[b²] - 2 E[a] E[b]).
    """
    if len(set(samples)) < 2:
        return None, None
    a, b = np.asarray(pairs, dtype=np.float64).T
    moments = units(np.stack([(a - b) ** 2, a, b, a**2, b**2], axis=1), samples)
    found = bootstrap(moments, _kappa_and_bias)
    kappa, bias = (
        (float(low), float(high)) if math.isfinite(low) and math.isfinite(high) else None
        for low, high in zip(found.low, found.high, strict=True)
    )
    return kappa, bias


def _kappa_and_bias(moments: Moments) -> Floats:
    """(..., 5) means -> (..., 2): kappa (NaN where it is not defined) and bias."""
    mean = moments.mean
    squared, a, b, aa, bb = (mean[..., column] for column in range(5))
    expected = aa + bb - 2 * a * b
    with np.errstate(divide="ignore", invalid="ignore"):
        kappa = np.where(expected > 1e-12, 1 - squared / expected, np.nan)
    return np.stack([kappa, b - a], axis=-1)


def quadratic_kappa(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Cohen's kappa with quadratic weights over complete pairs, None where expected disagreement is
    0.

    The weights' scale cancels, so the range of the scores need not be known: observed over expected
    mean squared difference, the latter over all n x n pairs of the two raters' scores.
    """
    n = len(first)
    if n == 0 or n != len(second):
        return None
    observed = math.fsum((a - b) ** 2 for a, b in zip(first, second, strict=True)) / n
    mean_a, mean_b = math.fsum(first) / n, math.fsum(second) / n
    squares = math.fsum(a * a for a in first) / n + math.fsum(b * b for b in second) / n
    expected = squares - 2 * mean_a * mean_b
    return None if expected <= 1e-12 else 1 - observed / expected


def between(raters: dict[str, Sequence[float | None]]) -> dict[tuple[str, str], Agreement]:
    """Agreement of each two of several raters, in their order."""
    return {(a, b): agreement(raters[a], raters[b]) for a, b in combinations(raters, 2)}


def spread(repeats: Sequence[Sequence[float | None]]) -> list[float | None]:
    """Per sample the largest minus the smallest of its repeated scores; None where fewer than two
    are there.

    `repeats` holds one sequence of scores for each sample.
    """
    found: list[float | None] = []
    for scores in repeats:
        known = [score for score in scores if score is not None]
        found.append(max(known) - min(known) if len(known) > 1 else None)
    return found
