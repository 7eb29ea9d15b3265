"""How many samples and annotators an interval of a wanted width takes."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from editgauge.statistics.agreement import judge_noise
from editgauge.statistics.quantiles import normal_quantile
from editgauge.store.run import Run
from editgauge.study.assign import assign
from editgauge.study.design import Design
from editgauge.study.people import answers
from editgauge.study.studies import designed
from editgauge.tables import reading

ASSUMED = (1.0, 0.5)
"""The variance of ratings from 1 to 5 between samples, and between annotators of one sample, where
nothing is rated twice yet.
"""


def planned(
    run: Run, path: Path, annotators: int, width: float, benchmark: str = ""
) -> dict[str, Any]:
    """What the design in a file takes, as JSON values: tasks and the load of each annotator, the
    full width of the 95 % interval of an editor's mean, and how many samples of so many annotators
    one of the wanted `width` takes; no width where no variance is known. Raises `DataError` for a
    design that does not fit the run, and `UsageError` for too few annotators.
    """
    design, outputs = designed(run, path, benchmark)
    loads = Counter(task.annotator for task in assign(design, outputs, annotators))
    known = [noise for noise in _noise(run, design) if not math.isnan(noise[1])]
    load = {
        "study": design.name,
        "samples": len(design.drawn),
        "annotators": annotators,
        "tasks": loads.total(),
        "tasks_each": sorted({*loads.values()}),
    }
    if not known and design.mode in ("rank", "pairwise"):
        return {**load, "width": "not known of comparisons, and of ranks before some are there"}
    between, within = np.mean(known or [ASSUMED], axis=0).tolist()

    def full(samples: int, people: int) -> float:
        return 2 * normal_quantile(0.975) * math.sqrt((between + within / people) / max(1, samples))

    return {
        **load,
        "variance": {"between_samples": round(between, 2), "between_annotators": round(within, 2)},
        "variance_from": "ratings of this run" if known else "assumed: nothing is rated twice yet",
        "width_of_95%_interval": round(full(len(design.drawn), design.annotators_per_sample), 2),
        f"samples_for_{width:g}": {
            f"{n}_annotators_a_sample:": max(2, math.ceil((full(1, n) / width) ** 2))
            for n in (2, 3, 4, 5)
        },
    }


def _noise(run: Run, design: Design) -> list[tuple[float, float]]:
    """The two variances of every editor's ratings on the design's scale, where there are any."""
    every = answers(reading.of_runs([run], design.benchmark))
    rated = next((one.first for one in every if one.scale == design.mode), np.empty((0, 0, 0)))
    return [judge_noise(of_editor.T) for of_editor in rated.swapaxes(0, 1)]
