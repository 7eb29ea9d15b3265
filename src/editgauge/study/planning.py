"""How many samples and annotators an interval of a wanted width takes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from editgauge.escape import counted
from editgauge.statistics.agreement import judge_noise
from editgauge.statistics.quantiles import NORMAL
from editgauge.store.run import Run
from editgauge.study.assign import assign
from editgauge.study.people import answers
from editgauge.study.studies import designed, editors_by_sample
from editgauge.tables import reading

ASSUMED = (1.0, 0.5)
"""The variance of ratings from 1 to 5 between samples, and between annotators of one sample, where
nothing is rated twice yet.
"""


def planned(
    run: Run, path: Path, annotators: int, width: float, benchmark: str = ""
) -> dict[str, Any]:
    """What the design in a file takes, as JSON values: tasks and the load of each annotator, the
    full width of the 95 % interval of an editor's mean, and (``needs``: annotators a sample ->
    samples) what one of the wanted `width` takes. Raises `DataError` for a design that does not fit
    the run, and `UsageError` for too few annotators.
    """
    design, outputs = designed(run, path, benchmark)
    loads = Counter(t.annotator for t in assign(design, editors_by_sample(outputs), annotators))
    rated = [a for a in answers(reading.of_runs([run], design.benchmark)) if a.scale == design.mode]
    noise = [judge_noise(one.first[:, k].T) for one in rated[:1] for k in range(len(one.editors))]
    known = [item for item in noise if not math.isnan(item[1])]
    between, within = np.mean(known or [ASSUMED], axis=0).tolist()

    def full(samples: int, people: int) -> float:
        return 2 * NORMAL.inv_cdf(0.975) * math.sqrt((between + within / people) / max(1, samples))

    return {
        "study": design.name,
        "samples": len(design.drawn),
        "annotators": annotators,
        "tasks": loads.total(),
        "load_least": min(loads[who] for who in range(annotators)),
        "load_most": max(loads.values(), default=0),
        "width": full(len(design.drawn), design.annotators_per_sample),
        "wanted": width,
        "spread": {"samples": between, "annotators": within, "known": bool(known)},
        "needs": {str(n): max(2, math.ceil((full(1, n) / width) ** 2)) for n in (2, 3, 4, 5)},
    }


def lines(plan: dict[str, Any]) -> Iterator[str]:
    """A plan in words."""
    spread = plan["spread"]
    origin = "from ratings of this run" if spread["known"] else "assumed: nothing rated yet"
    who = ", ".join(counted(plan[f"{one}s"], one) for one in ("sample", "annotator", "task"))
    yield f"study {plan['study']}: {who}, {plan['load_least']} to {plan['load_most']} each"
    yield f"95 % interval of an editor's mean: about {plan['width']:.2f} wide"
    variance = f"samples {spread['samples']:.2f}, annotators {spread['annotators']:.2f}"
    yield f"variance: {variance} ({origin})"
    yield f"for an interval {plan['wanted']:g} wide:"
    yield from (f"  {n} annotators a sample: {k} samples" for n, k in plan["needs"].items())
