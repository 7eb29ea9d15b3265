"""MedEBench's judge columns: Editing Accuracy and Visual Quality, 0 to 10, reported divided by 10.
Pure functions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tests.oracles.means import Mean, mean_of

METRICS: tuple[str, ...] = ("EA", "VQ")
LOW, HIGH = 0, 10


def by_organ(
    scores: Iterable[tuple[str, float | None]], *, minimum: bool = False
) -> tuple[Mapping[str, Mean], Mean]:
    """Means of one metric per organ, in the order in which organs first come, and over all samples;
    divided by 10.

    `scores` are pairs of an organ and a raw score in [0, 10], None where the judgement failed. The
    overall mean is a mean of samples, not of organs.
    """
    floor = 0.0 if minimum else None
    groups: dict[str, list[float | None]] = {}
    everything: list[float | None] = []
    for organ, score in scores:
        value = None if score is None else score / HIGH
        groups.setdefault(organ, []).append(value)
        everything.append(value)
    return {organ: mean_of(values, minimum=floor) for organ, values in groups.items()}, mean_of(
        everything, minimum=floor
    )
