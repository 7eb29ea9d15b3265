"""KRIS-Bench's judge table (arXiv 2505.16707, Table 2): rounding, scale and weights. Pure
functions.

Scores are integers from 1 to 5: VC visual consistency, VQ visual quality, IF instruction following,
KP knowledge plausibility. The mean of a metric over a dimension's samples is **rounded to 2
places** and then put on the scale of 100 as (m - 1) * 25: that order is what the printed numbers
need.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from tests.oracles.means import Mean, mean_of

LOW, HIGH = 1, 5
METRICS: tuple[str, ...] = ("VC", "VQ", "IF", "KP")
DIMENSIONS: Mapping[str, tuple[str, ...]] = {
    "Factual Knowledge": ("Attribute Perception", "Spatial Perception", "Temporal Prediction"),
    "Conceptual Knowledge": ("Social Science", "Natural Science"),
    "Procedural Knowledge": ("Logical Reasoning", "Instruction Decomposition"),
}
"""Type of knowledge -> its dimensions, in the order of the table."""
SAMPLES: Mapping[str, int] = {
    "Attribute Perception": 275,
    "Spatial Perception": 100,
    "Temporal Prediction": 74,
    "Social Science": 125,
    "Natural Science": 393,
    "Logical Reasoning": 150,
    "Instruction Decomposition": 150,
}
WITH_KNOWLEDGE: frozenset[str] = frozenset(
    {"Social Science", "Natural Science", "Logical Reasoning"}
)
"""Dimensions whose table also has KP."""


def metrics_of(dimension: str) -> tuple[str, ...]:
    """The metrics that a dimension has in the table."""
    return METRICS if dimension in WITH_KNOWLEDGE else METRICS[:3]


def scaled(mean: float) -> float:
    """A mean score in [1, 5] on the table's scale in [0, 100]: rounded to 2 places first, as the
    paper does.
    """
    return (round(mean, 2) - LOW) * 25.0


@dataclass(frozen=True, slots=True)
class KrisTable:
    """One model's column. `cells` has (dimension, metric) -> mean on the scale of 100 with its
    counts.

    `averages` holds one number for each dimension (mean of its metrics), each type of knowledge and
    ``Overall`` (dimension averages weighted by samples); a name is missing where a number that it
    needs is missing.
    """

    cells: Mapping[tuple[str, str], Mean]
    averages: Mapping[str, float]


def kris_table(
    scores: Mapping[tuple[str, str], Iterable[float | None]],
    *,
    minimum: bool = False,
    samples: Mapping[str, int] | None = None,
) -> KrisTable:
    """The column of one model from per-sample scores: (dimension, metric) -> raw scores, None where
    there is none.

    With `minimum` a missing score counts as 1 (0 on the table's scale), which is also what the
    paper does for models that cannot take several pictures. `samples` are the weights of the
    dimensions, the full benchmark's by default.
    """
    cells: dict[tuple[str, str], Mean] = {}
    for key, values in scores.items():
        raw = mean_of(values, minimum=float(LOW) if minimum else None)
        cells[key] = Mean(None if raw.value is None else scaled(raw.value), raw.n, raw.of)
    numbers = {key: cell.value for key, cell in cells.items() if cell.value is not None}
    return KrisTable(cells, averages(numbers, samples=samples))


def half_up(value: float) -> float:
    """As the paper prints it: two places, halves up."""
    near = Decimal(repr(round(value, 9)))
    return float(near.quantize(Decimal("0.01"), ROUND_HALF_UP))


def averages(
    numbers: Mapping[tuple[str, str], float], *, samples: Mapping[str, int] | None = None
) -> dict[str, float]:
    """Averages of dimensions, types of knowledge and all, from numbers on the table's scale.

    This is the part of the computation that can be checked against a printed table alone.
    """
    weights = SAMPLES if samples is None else samples
    found: dict[str, float] = {}
    for dimensions in DIMENSIONS.values():
        for dimension in dimensions:
            values = [numbers.get((dimension, metric)) for metric in metrics_of(dimension)]
            known = [value for value in values if value is not None]
            if known and len(known) == len(values):
                found[dimension] = sum(known) / len(known)
    for kind, dimensions in (*DIMENSIONS.items(), ("Overall", tuple(SAMPLES))):
        total = sum(weights.get(dimension, 0) for dimension in dimensions)
        if total and all(
            dimension in found for dimension in dimensions if weights.get(dimension, 0)
        ):
            printed = {d: half_up(found[d]) for d in dimensions if weights.get(d, 0)}
            found[kind] = sum(value * weights[d] for d, value in printed.items()) / total
    return found
