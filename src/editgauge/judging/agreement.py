"""How far two judges (or a judge and its own repeats) agree on the same samples, with 95 %
intervals. Pure functions over scores.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from editgauge.statistics.agreement import kappa_of, kappa_parts, quadratic_kappa
from editgauge.statistics.resampling import Floats, parts_interval

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
    kappa = quadratic_kappa([a for a, _ in pairs], [b for _, b in pairs])
    numbers = {label: number for number, label in enumerate(dict.fromkeys(w[2] for w in whole))}
    kappa_interval, bias_interval = intervals(pairs, [numbers[label] for _, _, label in whole])
    return Agreement(
        n=n,
        kappa=None if math.isnan(kappa) else kappa,
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
    sample of each pair, as a number. None below `LEAST` samples.
    """
    a, b = np.asarray(pairs, dtype=np.float64).T
    each = kappa_parts(a[:, None], b[:, None])
    parts = np.zeros((max(samples) + 1, each.shape[1]))
    np.add.at(parts, np.asarray(samples), each)
    kappa = parts_interval(parts, kappa_of)
    bias = parts_interval(parts, _bias)
    limits = [(found.low, found.high) for found in (kappa, bias)]
    return tuple(None if math.isnan(low) else (low, high) for low, high in limits)  # type: ignore[return-value]


def _bias(parts: Floats) -> Floats:
    """(..., 6) parts of kappa -> the mean of second minus first: (...,)."""
    return np.asarray((parts[..., 2] - parts[..., 1]) / parts[..., 5])


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
