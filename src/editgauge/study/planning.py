"""How many samples and annotators an interval of a wanted width takes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from editgauge.statistics.agreement import judge_noise
from editgauge.store.run import Run
from editgauge.study.assign import assign
from editgauge.study.people import answers
from editgauge.study.studies import designed, editors_by_sample
from editgauge.tables import reading

_Z = NormalDist().inv_cdf(0.975)
ASSUMED = (1.0, 0.5)
"""Variance of samples and of annotators on a scale from 1 to 5, where nothing was rated yet."""


class Spread(NamedTuple):
    """Where ratings vary: between samples, and between annotators of one sample. `known`: from
    ratings of this run, else assumed.
    """

    samples: float
    annotators: float
    known: bool


class Need(NamedTuple):
    """So many samples by so many annotators each give an interval of this full width."""

    annotators: int
    samples: int
    ratings: int
    width: float


def spread_of(ratings: ArrayLike) -> Spread:
    """The spread of ratings (annotators, editors, samples): variance components of each editor,
    averaged; `ASSUMED` where no sample has two ratings.
    """
    table = np.asarray(ratings, dtype=np.float64)
    found = [judge_noise(table[:, k].T) for k in range(table.shape[1])] if table.ndim == 3 else []
    found = [item for item in found if not math.isnan(item.within)]
    if not found:
        return Spread(*ASSUMED, False)
    between = float(np.mean([item.between for item in found]))
    return Spread(between, float(np.mean([item.within for item in found])), True)


def width_of(spread: Spread, samples: int, annotators: int) -> float:
    """The full width of the 95 % interval of one editor's mean."""
    variance = spread.samples + spread.annotators / max(1, annotators)
    return 2 * _Z * math.sqrt(variance / max(1, samples))


def needs(spread: Spread, width: float, annotators: Sequence[int] = (2, 3, 4, 5)) -> list[Need]:
    """The samples that an interval of this full width takes, for several numbers of annotators a
    sample. Raises `ValueError` for a width that is not above 0.
    """
    if not width > 0:
        raise ValueError(f"a width above 0 wanted, found {width}")
    found = []
    for count in annotators:
        variance = spread.samples + spread.annotators / count
        samples = max(2, math.ceil(variance * (2 * _Z / width) ** 2))
        found.append(Need(count, samples, samples * count, width_of(spread, samples, count)))
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a design takes: see `planned`."""

    study: str
    samples: int
    annotators: int
    tasks: int
    load_least: int
    load_most: int
    width: float
    wanted: float
    spread: Spread
    needs: tuple[Need, ...]

    def lines(self) -> list[str]:
        """The plan in words."""
        origin = "from ratings of this run" if self.spread.known else "assumed: nothing rated yet"
        spread = f"samples {self.spread.samples:.2f}, annotators {self.spread.annotators:.2f}"
        load = f"{self.tasks} tasks, {self.load_least} to {self.load_most} each"
        return [
            f"study {self.study}: {self.samples} samples, {self.annotators} annotators, {load}",
            f"95 % interval of an editor's mean: about {self.width:.2f} wide",
            f"variance: {spread} ({origin})",
            f"for an interval {self.wanted:g} wide:",
            *(
                f"  {need.annotators} annotators a sample: {need.samples} samples, "
                f"{need.ratings} ratings of each editor"
                for need in self.needs
            ),
        ]

    def as_dict(self) -> dict[str, Any]:
        """The plan as JSON values."""
        needs = [need._asdict() for need in self.needs]
        return {**asdict(self), "spread": self.spread._asdict(), "needs": needs}


def planned(run: Run, path: Path, annotators: int, width: float, benchmark: str = "") -> Plan:
    """The plan of the design in a file. Raises `DataError` for a design that does not fit the run,
    and `UsageError` for too few annotators.
    """
    design, outputs = designed(run, path, benchmark)
    tasks = assign(design, editors_by_sample(outputs), annotators)
    loads = [sum(task.annotator == who for task in tasks) for who in range(annotators)]
    rated = answers(reading.of_runs([run], design.benchmark))
    spread = spread_of(next((one.first for one in rated if one.scale == design.mode), []))
    return Plan(
        study=design.name,
        samples=len(design.drawn),
        annotators=annotators,
        tasks=len(tasks),
        load_least=min(loads),
        load_most=max(loads),
        width=width_of(spread, len(design.drawn), design.annotators_per_sample),
        wanted=width,
        spread=spread,
        needs=tuple(needs(spread, width)),
    )
