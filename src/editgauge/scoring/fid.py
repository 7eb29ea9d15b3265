"""FID and KID of all outputs of one editor against the references: a metric of the set, not of a
sample.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from editgauge.errors import EditgaugeError
from editgauge.metrics.frechet import FEW_SAMPLES, frechet_distance, kernel_distance, moments
from editgauge.networks.features import INCEPTION, InceptionFeatures
from editgauge.networks.runtime import gpus, resolve
from editgauge.networks.weights import locate
from editgauge.scoring.failures import detail_of, origin_of, status_of
from editgauge.scoring.metrics import FID, KID
from editgauge.scoring.scorer import Needs, Pair, Scorer
from editgauge.types import Metric, Score, Status, Track, not_scored

MEMORY = 683_000_000
"""Bytes of a worker with the network on a processor, measured by `perf/bench_memory.py`."""


@dataclass(frozen=True, kw_only=True)
class FidScorer(Scorer):
    """Distance of the set of outputs from the set of references: one value an editor, not one a
    sample.

    A sample without an output takes its reference out of the set with it, so
    that an editor is not punished twice; how many samples went in stands in the rows' detail.
    Features are kept in `cache` and survive an interruption.
    """

    metrics: tuple[Metric, ...] = (FID, KID)
    inputs: tuple[str, ...] = ("reference",)
    name: str = "fid"
    track: Track = "embedding"
    whole_set: bool = True
    folder: Path | None = None
    cache: Path | None = None
    device: str | None = None
    precision: str | None = None
    memory: int = MEMORY
    needs: Needs = field(init=False)

    def __post_init__(self) -> None:
        needs = Needs(num_gpus=gpus(self.device), memory=self.memory)
        object.__setattr__(self, "needs", needs)

    def origin(self) -> Mapping[str, Any]:
        return origin_of([INCEPTION], self.folder, precision=self.precision or "float32")

    def score_set(self, pairs: Sequence[Pair]) -> Sequence[Score]:
        """FID and KID, or for both one status and reason."""
        usable = [
            (s.reference, e.path)
            for s, e in pairs
            if s.reference is not None and e.ok and e.path is not None
        ]
        try:
            locate(INCEPTION, self.folder)  # before torch is imported
            network = InceptionFeatures(
                self.folder, resolve(self.device, self.precision), self.cache
            )
            found = network.images([path for pair in usable for path in pair])
        except EditgaugeError as error:
            return not_scored(self.metrics, status_of(error), str(error))
        both = [(found[r], found[o]) for r, o in usable]
        good = [
            (r, o) for r, o in both if not isinstance(r, Exception) and not isinstance(o, Exception)
        ]
        if len(good) < 2:
            reason = (
                f"wanted at least 2 outputs with a reference that can be read, found "
                f"{len(good)} of {len(pairs)}"
            )
            return not_scored(self.metrics, Status.NOT_APPLICABLE, reason)
        references, outputs = (
            np.stack(list(side)).astype(np.float64) for side in zip(*good, strict=True)
        )
        detail = detail_of(
            samples=len(good),
            left_out=len(pairs) - len(good),
            warning=few_samples(len(good)),
        )
        values = {
            "fid": frechet_distance(moments(outputs), moments(references)),
            "kid": kernel_distance(outputs, references),
        }
        return [
            Score(metric=metric.name, value=values[metric.name], detail=detail)
            for metric in self.metrics
        ]


def few_samples(count: int) -> str:
    """The warning for a small set, or nothing."""
    if count >= FEW_SAMPLES:
        return ""
    return (
        f"{count} samples, fewer than {FEW_SAMPLES}: the covariance is rank-deficient and FID is "
        f"biased upwards; "
        "compare it only at equal numbers, and read KID"
    )
