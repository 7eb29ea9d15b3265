"""A mean with its count: what every judge table is made of. Pure functions over plain numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of `n` values out of `of` that there could be; None where `n` is 0."""

    value: float | None
    n: int
    of: int

    @property
    def complete(self) -> bool:
        return self.n == self.of


def mean_of(values: Iterable[float | None], *, minimum: float | None = None) -> Mean:
    """The mean of the values that are there; None stands for a score that could not be had.

    With `minimum` every None counts as that value (failures at the scale's minimum); `n` still
    counts only real scores, so that the coverage shows in both. The sum runs in the order of the
    values.
    """
    total, n, of, used = 0.0, 0, 0, 0
    for value in values:
        of += 1
        if value is not None:
            n += 1
        elif minimum is None:
            continue
        used += 1
        total += minimum if value is None and minimum is not None else float(value or 0.0)
    return Mean(total / used if used else None, n, of)
