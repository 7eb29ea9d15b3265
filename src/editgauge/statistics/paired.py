"""Two editors on the samples both have: the sign-flip test, its correction, and its power.

The test of a mean paired difference is *one*: under the null hypothesis the differences are
symmetric about zero, so each may change its sign (Fisher 1935; Davison & Hinkley, Bootstrap Methods
(1997), 4.3). p is the share of sign patterns that give as large a mean: of all of them up to
`_EXACT` differences that are not 0, else of the observed one and many drawn ones (`draws_of`), so
that it is never 0 and valid at any number (Phipson & Smyth, 2010).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from editgauge.statistics.quantiles import NORMAL
from editgauge.statistics.resampling import Floats, intervals, units

_EXACT = 15
_DRAWN = 2**14
_AT_ONCE = 2**21


class Paired(NamedTuple):
    """A − B on the samples both have: mean difference with its 95 % interval and sign-flip p.

    `effect` is Cohen's d of the differences (mean / sd), NaN where they do not vary; `needed` the
    number of samples with which a difference like this one is found with 80 % power at 5 %.
    `counts`: how many samples A has better than, equal to, and worse than B.
    """

    n: int
    difference: float
    low: float
    high: float
    p: float
    effect: float
    needed: int | None
    counts: tuple[int, int, int]


def paired_values(a: ArrayLike, b: ArrayLike) -> Floats:
    """a − b, (m,), on the samples where both are finite, or both infinite (difference 0)."""
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    same = np.isinf(first) & np.isinf(second)
    finite = np.isfinite(first) & np.isfinite(second)
    with np.errstate(invalid="ignore"):
        difference = np.where(same, 0.0, first - second)
    return np.asarray(difference[finite | same], dtype=np.float64)


def paired_difference(
    a: ArrayLike,
    b: ArrayLike,
    *,
    higher_is_better: bool = True,
    confidence: float = 0.95,
    seed: int = 0,
    tests: int = 1,
) -> Paired:
    """A compared with B. Below two common samples there is no p, below `resampling.LEAST` no
    interval (NaN). Correct p over a table of so many `tests` with `holm`.
    """
    difference = paired_values(a, b)
    n = len(difference)
    if not n:
        nan = math.nan
        return Paired(0, nan, nan, nan, nan, nan, None, (0, 0, 0))
    (mean, *_), (low, *_), (high, *_) = intervals(units(difference), confidence=confidence)
    spread = float(difference.std(ddof=1)) if n > 1 else 0.0
    effect = float(mean) / spread if spread > 1e-12 * abs(mean) else math.nan
    signs = np.sign(difference if higher_is_better else -difference).tolist()
    counts = signs.count(1), signs.count(0), signs.count(-1)
    p = sign_flip_p(difference, seed=seed, tests=tests) if n > 1 else math.nan
    ends = float(mean), float(low), float(high)
    return Paired(n, *ends, p, effect, samples_needed(effect), counts)


def draws_of(tests: int) -> int:
    """How many patterns p is the share of, where not all are counted: enough that the least p, its
    inverse, stays below 0.05 when so many tests are corrected for.
    """
    return int(max(_DRAWN, 2 ** math.ceil(math.log2(32 * tests))))


def sign_flip_p(difference: ArrayLike, *, seed: int = 0, tests: int = 1) -> float:
    """Two-sided p of the mean of paired differences (n,), in (0, 1]; 1 where all are 0."""
    values = np.asarray(difference, dtype=np.float64)
    values = values[values != 0]
    least = abs(float(values.sum())) - 1e-9 * float(np.abs(values).sum())
    if least <= 0:
        return 1.0
    exact, draws = len(values) <= _EXACT, draws_of(tests)
    whole, as_large = float(values.sum()), 0
    for minus in _signs(len(values), draws - 1, seed):
        as_large += int((np.abs(whole - 2 * (minus.astype(np.float64) @ values)) >= least).sum())
    return as_large / 2 ** len(values) if exact else (as_large + 1) / draws


def _signs(n: int, drawn: int, seed: int) -> Iterator[NDArray[Any]]:
    """Which of n signs are turned, in blocks (b, n): all patterns that there are, or drawn ones."""
    if n <= _EXACT:
        yield np.arange(2**n)[:, None] >> np.arange(n) & 1
        return
    random, size = np.random.default_rng(seed), max(1, _AT_ONCE // n)
    for done in range(0, drawn, size):
        lines = min(size, drawn - done)
        bits = np.frombuffer(random.bytes(lines * (-(-n // 8))), np.uint8).reshape(lines, -1)
        yield np.unpackbits(bits, axis=1, count=n)


def holm(p: ArrayLike) -> Floats:
    """Holm's step-down correction (1979): p values (m,) -> adjusted (m,); NaN stays NaN and is not
    counted.
    """
    values = np.asarray(p, dtype=np.float64)
    out = np.full(values.shape, np.nan)
    known = np.flatnonzero(~np.isnan(values))
    order = known[np.argsort(values[known], kind="stable")]
    steps = np.maximum.accumulate(values[order] * np.arange(len(order), 0, -1))
    out[order] = np.minimum(steps, 1.0)
    return out


def samples_needed(effect: float) -> int | None:
    """How many pairs a two-sided paired t test needs to see an effect of this size (mean / sd of
    differences) at 5 % with 80 % power; None for an effect of 0 or of nobody knows.

    The normal formula with Guenther's correction (1981), z²/2: within one of the exact answer.
    """
    if effect == 0 or math.isnan(effect):
        return None
    z = NORMAL.inv_cdf(0.975)
    return max(2, math.ceil(((z + NORMAL.inv_cdf(0.8)) / effect) ** 2 + z * z / 2))
