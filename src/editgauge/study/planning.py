"""How many samples and annotators an interval of a wanted width takes."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from editgauge.statistics.agreement import judge_noise
from editgauge.statistics.quantiles import NORMAL
from editgauge.store.run import Run
from editgauge.study.assign import assign
from editgauge.study.people import answers
from editgauge.study.studies import designed, editors_by_sample
from editgauge.tables import reading


class Spread(NamedTuple):
    """The variance of ratings between samples, and between annotators of one sample. `known`: from
    ratings of this run, else assumed, on a scale from 1 to 5.
    """

    samples: float = 1.0
    annotators: float = 0.5
    known: bool = False

    def width(self, samples: int, annotators: int) -> float:
        """The full width of the 95 % interval of one editor's mean."""
        variance = self.samples + self.annotators / annotators
        return 2 * NORMAL.inv_cdf(0.975) * math.sqrt(variance / max(1, samples))

    def needed(self, width: float, annotators: int) -> int:
        """The samples that an interval of this full width takes."""
        return max(2, math.ceil((self.width(1, annotators) / width) ** 2))


def spread_of(ratings: ArrayLike) -> Spread:
    """The spread of ratings (annotators, editors, samples): variance components of each editor,
    averaged; assumed where no sample has two ratings.
    """
    table = np.asarray(ratings, dtype=np.float64)
    noise = [judge_noise(table[:, k].T) for k in range(table.shape[1])] if table.ndim == 3 else []
    noise = [item for item in noise if not math.isnan(item[1])]
    if not noise:
        return Spread()
    between, within = np.mean(noise, axis=0).tolist()
    return Spread(between, within, True)


def planned(
    run: Run, path: Path, annotators: int, width: float, benchmark: str = ""
) -> dict[str, Any]:
    """What the design in a file takes, as JSON values: tasks and the load of each annotator, the
    width of an interval that it gives, and (``needs``: annotators a sample -> samples) what one of
    the wanted `width` takes. Raises `DataError` for a design that does not fit the run, and
    `UsageError` for too few annotators.
    """
    design, outputs = designed(run, path, benchmark)
    tasks = assign(design, editors_by_sample(outputs), annotators)
    loads = Counter(task.annotator for task in tasks)
    rated = answers(reading.of_runs([run], design.benchmark))
    spread = spread_of(next((one.first for one in rated if one.scale == design.mode), []))
    return {
        "study": design.name,
        "samples": len(design.drawn),
        "annotators": annotators,
        "tasks": len(tasks),
        "load_least": min(loads[who] for who in range(annotators)),
        "load_most": max(loads.values(), default=0),
        "width": spread.width(len(design.drawn), design.annotators_per_sample),
        "wanted": width,
        "spread": spread._asdict(),
        "needs": {str(count): spread.needed(width, count) for count in (2, 3, 4, 5)},
    }


def lines(plan: dict[str, Any]) -> list[str]:
    """A plan in words."""
    spread = plan["spread"]
    origin = "from ratings of this run" if spread["known"] else "assumed: nothing rated yet"
    load = f"{plan['tasks']} tasks, {plan['load_least']} to {plan['load_most']} each"
    variance = f"samples {spread['samples']:.2f}, annotators {spread['annotators']:.2f}"
    who = f"{plan['samples']} samples, {plan['annotators']} annotators"
    return [
        f"study {plan['study']}: {who}, {load}",
        f"95 % interval of an editor's mean: about {plan['width']:.2f} wide",
        f"variance: {variance} ({origin})",
        f"for an interval {plan['wanted']:g} wide:",
        *(f"  {n} annotators a sample: {k} samples" for n, k in plan["needs"].items()),
    ]
