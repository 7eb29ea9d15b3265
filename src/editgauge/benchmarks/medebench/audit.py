"""What can be checked in MedEBench's published tables: scales, and that overall means lie among the
organs' means.
"""

from __future__ import annotations

import math
from pathlib import Path

from editgauge.benchmarks.medebench.facts import ORGANS
from editgauge.tables.audit import Audit, Printed, limits, scale

_HERE = Path(__file__).parent
_METRICS = ("EA", "CP", "VQ")
_ORGANS = {metric: tuple(f"{organ}_{metric}" for organ in ORGANS) for metric in _METRICS}
_MEANS = tuple(name for metric in _METRICS for name in (*_ORGANS[metric], f"Overall_{metric}"))


def _among(*parts: Printed) -> tuple[float, float]:
    return min(p.value - p.half for p in parts), max(p.value + p.half for p in parts)


AUDITS = (
    Audit(
        "medebench, organs",
        frozenset({"model", "Overall_EA", "overall_FID"}),
        (*_MEANS, "overall_FID"),
        (
            scale(0, 1, *_MEANS),
            scale(0, math.inf, "overall_FID"),
            *(
                limits(
                    f"Overall_{metric}",
                    _ORGANS[metric],
                    _among,
                    "a mean over all samples lies between the lowest and the highest organ",
                )
                for metric in _METRICS
            ),
        ),
        (_HERE / "published_organs.csv",),
    ),
    *(
        Audit(f"medebench, {name}", frozenset(headings), columns, (scale(low, 1, *columns),),
              (_HERE / f"published_{file}.csv",))
        for name, headings, columns, low, file in (
            ("paradigms", ("paradigm", "shots", "EA"), _METRICS, 0, "paradigms"),
            ("attention", ("organ", "iou"), ("iou",), 0, "attention_iou"),
            ("correlations", ("metric", *_METRICS), _METRICS, -1, "spearman"),
        )
    ),
)  # fmt: skip
