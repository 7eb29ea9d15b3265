"""An interval for a mean that stays valid however often one looks, while samples are still drawn.

Hedged betting: for every candidate mean m two gamblers bet that the truth is above, or below, m. A
gambler against the true mean rarely gets rich (Ville's inequality: never past 1/alpha, but with
probability alpha), so each m against which one did is ruled out for good. Samples are drawn without
replacement from a finite set, so the interval shrinks to the exact mean when all are drawn.

Source: Waudby-Smith & Ramdas, Estimating means of bounded random variables by betting (arXiv
2010.09686), section 4.1 (hedged capital, predictable plug-in bets) and 5 (without replacement).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
_CAP = 0.75
"""No gambler ever bets more than this share of what would ruin it."""
GRID = 1001


class Betting:
    """Confidence sequences for the means of `streams` sets of `size` values in [low, high], drawn
    one after the other without replacement.

    `candidates` are the means that are tested, (g,), by default a grid over the range.
    """

    def __init__(
        self,
        size: int,
        low: float,
        high: float,
        *,
        alpha: float = 0.05,
        streams: int = 1,
        candidates: ArrayLike | None = None,
    ) -> None:
        if not (high > low and 0 < alpha < 1 and size > 0):
            raise ValueError(
                f"a range, a share and a size wanted, found [{low}, {high}], {alpha}, {size}"
            )
        self.size, self.low, self.high, self.alpha = size, low, high, alpha
        grid = np.linspace(low, high, GRID) if candidates is None else np.asarray(candidates, float)
        self.candidates = grid
        self._m = (grid - low) / (high - low)
        shape = (streams, len(grid))
        self._up, self._down = np.zeros(shape), np.zeros(shape)
        self.out = np.zeros(shape, dtype=np.bool_)
        """Candidates that are ruled out: (streams, g)."""
        self.count = 0
        self._sum = np.zeros(streams)
        self._squares = np.full(streams, 0.25)

    @property
    def mean(self) -> Floats:
        """The means of what was drawn: (streams,)."""
        return np.asarray(self.low + (self.high - self.low) * self._sum / max(1, self.count))

    def lose(self, amount: int = 1) -> None:
        """Say that some of the set have no value: the mean is that of the others."""
        self.size -= amount

    def observe(self, values: ArrayLike) -> None:
        """The next value of each stream, (streams,). Raises `ValueError` outside the range."""
        x = (np.asarray(values, dtype=np.float64) - self.low) / (self.high - self.low)
        if (x < -1e-12).any() or (x > 1 + 1e-12).any() or np.isnan(x).any():
            raise ValueError(f"values in [{self.low}, {self.high}] wanted")
        x = np.clip(x, 0.0, 1.0)
        left = self.size - self.count
        if left < 1:
            raise ValueError(f"all {self.size} values are drawn already")
        # the mean of what is left, were m the mean of all; outside [0, 1] m cannot be the truth
        rest = (self.size * self._m[None, :] - self._sum[:, None]) / left
        self.out |= (rest < -1e-9) | (rest > 1 + 1e-9)
        rest = np.clip(rest, 1e-9, 1 - 1e-9)
        bet = self._bet()[:, None]
        step = x[:, None] - rest
        self._up += np.log1p(np.minimum(bet, _CAP / rest) * step)
        self._down += np.log1p(-np.minimum(bet, _CAP / (1 - rest)) * step)
        limit = np.log(2 / self.alpha)
        self.out |= (self._up >= limit) | (self._down >= limit)
        self.count += 1
        before = (0.5 + self._sum) / self.count
        self._sum += x
        self._squares += (x - before) * (x - (0.5 + self._sum) / (self.count + 1))
        if self.count == self.size:
            exact = self._sum / self.size
            self.out |= np.abs(self._m[None, :] - exact[:, None]) > 1e-9

    def _bet(self) -> Floats:
        """The predictable plug-in bet: larger when the values seen so far vary little."""
        t = self.count + 1
        variance = np.maximum(self._squares / t, 1e-6)
        return np.asarray(np.sqrt(2 * np.log(2 / self.alpha) / (variance * t * np.log1p(t))))

    def interval(self) -> tuple[Floats, Floats]:
        """The hull of the candidates that are not ruled out, widened to their neighbours: low and
        high, (streams,). The exact mean when everything is drawn.
        """
        if self.count == self.size:
            return self.mean, self.mean
        inside = ~self.out
        first = np.maximum(np.argmax(inside, axis=1) - 1, 0)
        last = len(self.candidates) - 1
        final = np.minimum(last - np.argmax(inside[:, ::-1], axis=1) + 1, last)
        none = ~inside.any(axis=1)
        low = np.where(none, self.mean, self.candidates[first])
        high = np.where(none, self.mean, self.candidates[final])
        return np.asarray(low), np.asarray(high)
