"""Two editors on the samples both have: the sign-flip test and its correction.

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

from editgauge.statistics.resampling import Floats, intervals, units

_EXACT = 15
_DRAWN = 2**14
_AT_ONCE = 2**21


class Paired(NamedTuple):
    """A − B on the samples both have: mean difference with its interval and sign-flip p, over
    the `n` where no score alone is infinite. `counts`: how many samples of all that both have A
    has better than, equal to, and worse than B.
    """

    n: int
    difference: float
    low: float
    high: float
    p: float
    counts: tuple[int, int, int]


def paired_values(a: ArrayLike, b: ArrayLike) -> Floats:
    """a − b, (m,), on the samples both have: 0 where both are infinite, ±inf where one is."""
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        difference = np.where(first == second, 0.0, first - second)
    return np.asarray(difference[~np.isnan(difference)], dtype=np.float64)


def paired_difference(
    a: ArrayLike,
    b: ArrayLike,
    *,
    higher_is_better: bool = True,
    confidence: float = 0.95,
    tests: int = 1,
) -> Paired:
    """A compared with B. Below two common samples there is no p, below `resampling.LEAST` no
    interval (NaN). Correct p over a table of so many `tests` with `holm`.
    """
    every = paired_values(a, b)
    signs = np.sign(every if higher_is_better else -every).tolist()
    counts = signs.count(1), signs.count(0), signs.count(-1)
    difference = every[np.isfinite(every)]
    n, nan = len(difference), math.nan
    if not n:
        return Paired(0, nan, nan, nan, nan, counts)
    mean, low, high = (float(e[0]) for e in intervals(units(difference), confidence=confidence))
    p = sign_flip_p(difference, tests) if n > 1 else nan
    return Paired(n, mean, low, high, p, counts)


def draws_of(tests: int) -> int:
    """How many patterns p is the share of, where not all are counted: enough that the least p, its
    inverse, stays below 0.05 when so many tests are corrected for.
    """
    return int(max(_DRAWN, 2 ** math.ceil(math.log2(32 * tests))))


def sign_flip_p(difference: ArrayLike, tests: int = 1) -> float:
    """Two-sided p of the mean of paired differences (n,), in (0, 1]; 1 where all are 0."""
    values = np.asarray(difference, dtype=np.float64)
    values = values[values != 0]
    least = abs(float(values.sum())) - 1e-9 * float(np.abs(values).sum())
    if least <= 0:
        return 1.0
    exact, draws = len(values) <= _EXACT, draws_of(tests)
    whole, as_large = float(values.sum()), 0
    for minus in _signs(len(values), draws - 1):
        as_large += int((np.abs(whole - 2 * (minus.astype(np.float64) @ values)) >= least).sum())
    return as_large / 2 ** len(values) if exact else (as_large + 1) / draws


def _signs(n: int, drawn: int) -> Iterator[NDArray[Any]]:
    """Which of n signs are turned, in blocks (b, n): all patterns that there are, or drawn ones."""
    if n <= _EXACT:
        yield np.arange(2**n)[:, None] >> np.arange(n) & 1
        return
    random, size = np.random.default_rng(0), max(1, _AT_ONCE // n)
    for done in range(0, drawn, size):
        lines = min(size, drawn - done)
        bits = np.frombuffer(random.bytes(lines * (-(-n // 8))), np.uint8).reshape(lines, -1)
        yield np.unpackbits(bits, axis=1, count=n)


def holm(p: ArrayLike) -> Floats:
    """Holm's step-down correction (1979): p values (m,) -> adjusted (m,); NaN stays, uncounted."""
    values = np.asarray(p, dtype=np.float64)
    out = np.full(values.shape, np.nan)
    known = np.flatnonzero(~np.isnan(values))
    order = known[np.argsort(values[known], kind="stable")]
    steps = np.maximum.accumulate(values[order] * np.arange(len(order), 0, -1))
    out[order] = np.minimum(steps, 1.0)
    return out
