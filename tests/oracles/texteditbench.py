"""TextEditBench's judge table (arXiv 2512.16270, Table 4) and its robustness table. Pure functions.

Each dimension is an integer from 0 to 5: IF instruction following, TA text accuracy, VC visual
consistency, LP layout preservation, SE semantic expectation (only samples with a knowledge prompt).
A dimension's number is the mean over its own samples; the overall number is the sum of the five
means, out of 25.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tests.oracles.means import Mean, mean_of

DIMENSIONS: tuple[str, ...] = ("IF", "TA", "VC", "LP", "SE")
LOW, HIGH = 0, 5


@dataclass(frozen=True, slots=True)
class Summary:
    """One model on one split. `overall` is None unless each of the five dimensions has a mean."""

    means: Mapping[str, Mean]
    overall: float | None


def summarise(scores: Mapping[str, Iterable[float | None]], *, minimum: bool = False) -> Summary:
    """Means per dimension and their sum; None stands for a sample whose judgement failed.

    Faithful tables pass the 0 that the released script records for a failed call; corrected ones
    pass None, which is left out, or counted as 0 with `minimum`. SE lists only the samples that
    have a knowledge prompt.
    """
    means = {
        name: mean_of(scores.get(name, ()), minimum=float(LOW) if minimum else None)
        for name in DIMENSIONS
    }
    values = [means[name].value for name in DIMENSIONS]
    known = [value for value in values if value is not None]
    return Summary(means, sum(known) if len(known) == len(DIMENSIONS) else None)


@dataclass(frozen=True, slots=True)
class Robustness:
    """Overall numbers of repeated runs: mean, sample standard deviation (None for one run), largest
    minus smallest.
    """

    runs: tuple[float, ...]
    mean: float
    deviation: float | None
    spread: float


def robustness(overall: Sequence[float]) -> Robustness:
    """The protocol's robustness table: the whole judge track, repeated (three times in the paper).

    Raises `ValueError` without any run.
    """
    if not overall:
        raise ValueError("overall: wanted the numbers of one run at least, found none")
    mean = sum(overall) / len(overall)
    squares = sum((value - mean) ** 2 for value in overall)
    deviation = math.sqrt(squares / (len(overall) - 1)) if len(overall) > 1 else None
    return Robustness(tuple(overall), mean, deviation, max(overall) - min(overall))
