"""Scorers and editors for tests of the loops; worker processes import them."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from editgauge.images import read_image, write_png
from editgauge.scoring.scorer import Pair, Scorer
from editgauge.types import Edit, Metric, Sample, Score, Status, Track

METRICS = (Metric("mean", direction="higher", low=0, high=255, variants=("faithful", "corrected")),)


@dataclass(frozen=True)
class MeanScorer(Scorer):
    """The mean of the output; `trap` names samples on which something happens instead."""

    name: str = "test.mean"
    track: Track = "pixel"
    metrics: tuple[Metric, ...] = METRICS
    inputs: tuple[str, ...] = ("images",)
    source: str = ""
    trap: Mapping[str, str] = field(default_factory=dict)
    log: Path | None = None
    version: str = "1"
    pause: float = 0.0

    def origin(self) -> Mapping[str, Any]:
        return {"version": self.version}

    def applies(self, sample: Sample) -> str | None:
        return "not for this one" if self.trap.get(sample.id) == "not_applicable" else None

    def score(self, sample: Sample, edit: Edit) -> Sequence[Score]:
        if self.log is not None:
            with self.log.open("a") as file:
                file.write(f"{sample.id} {edit.editor}\n")
        time.sleep(self.pause)
        trap = self.trap.get(sample.id, "")
        if trap == "die":
            os._exit(11)
        if trap == "raise":
            raise ValueError(f"no good: {sample.image}")
        if trap == "short":
            return [Score(metric="mean", value=1.0)]
        if trap == "no value":
            reason = f"{sample.image}: odd; and {edit.path}; and /opt/elsewhere/weights.bin"
            detail = {"file": str(sample.image), "all": [str(edit.path)]}
            none = Score(
                metric="mean", value=None, status=Status.FAILED, reason=reason, detail=detail
            )
            return [replace(none, variant=variant) for variant in METRICS[0].variants]
        assert edit.path is not None
        value = float(read_image(edit.path).mean())
        return [
            Score(metric="mean", value=value),
            Score(metric="mean", value=value / 3, variant="corrected"),
        ]


@dataclass(frozen=True)
class BatchMean(MeanScorer):
    name: str = "test.batch"
    batch: int = 3


@dataclass(frozen=True)
class StreamMean(BatchMean):
    """Gives the last pair first; `broken`: the one at which it stops."""

    name: str = "test.stream"
    broken: str = ""
    sizes: list[int] = field(default_factory=list)

    def score_many(self, pairs: Sequence[Pair]) -> Iterator[tuple[int, Sequence[Score]]]:
        self.sizes.append(len(pairs))
        for index, (sample, edit) in reversed(list(enumerate(pairs))):
            if sample.id == self.broken:
                raise ValueError("the stream broke")
            yield index, self.score(sample, edit)


@dataclass(frozen=True)
class Spread(Scorer):
    """Of a whole set: how many outputs there are."""

    name: str = "test.set"
    track: Track = "pixel"
    metrics: tuple[Metric, ...] = (Metric("count", direction="higher", low=0, high=1e9),)
    whole_set: bool = True

    def score_set(self, pairs: Sequence[Pair]) -> Sequence[Score]:
        return [Score(metric="count", value=float(len(pairs)))]


@dataclass(frozen=True)
class Painter:
    """Paints every sample in one grey; `trap` as above."""

    name: str = "painter"
    level: int = 90
    trap: Mapping[str, str] = field(default_factory=dict)
    parallel: str = "process"

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        trap = self.trap.get(sample.id, "")
        if trap == "die":
            os._exit(9)
        if trap == "raise":
            raise RuntimeError("the model fell over")
        if trap == "refuse":
            refused = {"status": Status.REFUSED, "reason": "the provider declined"}
            return Edit(sample=sample.id, editor=self.name, path=None, **refused)  # type: ignore[arg-type]
        path = folder / "out.png"
        if trap == "text":
            path.write_text("not a picture")
        else:
            write_png(path, np.full((6, 8, 3), self.level, np.uint8))
        return Edit(sample=sample.id, editor=self.name, path=path, seed=7)


def make_samples(folder: Path, number: int) -> list[Sample]:
    """Samples with tiny pictures, each of another grey."""
    for index in range(number):
        write_png(folder / f"{index}.png", np.full((8, 8, 3), index * 3 % 256, np.uint8))
    return [
        Sample(
            benchmark="fake", id=f"s{n:03}", split="all", category=("all",), instruction=f"do {n}",
            images=(folder / f"{n}.png",), output_stems=(f"s{n:03}",),
        )
        for n in range(number)
    ]  # fmt: skip
