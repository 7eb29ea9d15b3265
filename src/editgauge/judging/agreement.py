"""How far two judges (or a judge and its own repeats) agree on the same samples. Pure functions
over integers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations


@dataclass(frozen=True, slots=True)
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


def agreement(first: Sequence[float | None], second: Sequence[float | None]) -> Agreement:
    """Agreement of two raters; None stands for a sample without a score and is left out in pairs.

    Raises `ValueError` when the sequences differ in length.
    """
    if len(first) != len(second):
        raise ValueError(
            f"two raters of the same samples wanted, found {len(first)} and {len(second)} scores"
        )
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    n = len(pairs)
    if not n:
        return Agreement(0, None, None, None, None)
    mae = math.fsum(abs(b - a) for a, b in pairs) / n
    bias = math.fsum(b - a for a, b in pairs) / n
    equal = sum(a == b for a, b in pairs) / n
    return Agreement(
        n, quadratic_kappa([a for a, _ in pairs], [b for _, b in pairs]), mae, bias, equal
    )


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
