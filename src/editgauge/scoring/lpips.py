"""LPIPS as a scorer: which frames are compared is the benchmark's business, all else is here."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from editgauge.images import Array, Mask
from editgauge.metrics.lpips import MIN_SIDE, Features, Network
from editgauge.networks.loading import lpips_network
from editgauge.networks.runtime import read_ahead, reading_for, threads
from editgauge.scoring import NoScore, failure
from editgauge.scoring.metrics import LPIPS
from editgauge.scoring.neural import NeuralScorer, place
from editgauge.scoring.pixel import Source, fitted, read_output, size_of, source_of
from editgauge.scoring.scorer import Pair
from editgauge.types import (
    VARIANTS,
    Edit,
    JsonMapping,
    Metric,
    Sample,
    Score,
    Status,
    Variant,
    not_scored,
)

MAX_PIXELS = 16_000_000
"""Larger frames get a reason instead: squeeze needs 7 GB at this size."""


@dataclass(frozen=True, kw_only=True)
class Frames:
    """What is compared for one pair: two pictures of one size, (H, W, 3), uint8, RGB.

    `mask`, shape (H, W), True = left out of the corrected mean. `no_faithful` says why that variant
    has no value; `detail` goes into the rows.
    """

    reference: Array
    output: Array
    mask: Mask | None = None
    no_faithful: NoScore | None = None
    detail: JsonMapping = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class LpipsScorer(NeuralScorer):
    """Learned perceptual distance of two pictures: features of a frozen network, weighted; 0 when
    identical.

    `frames` is a function of a module, which raises `NoScore` or `ImageError` where there is
    nothing; `net` is squeeze or alex. The last reference's features stay in memory: with all
    editors of a sample together, each further editor costs half.
    """

    frames: Callable[[Sample, Edit], Frames]
    net: str
    inputs: tuple[str, ...]
    metrics: tuple[Metric, ...]
    wants: tuple[str, ...] = ()
    name: str = "lpips"
    batch: int = 16

    @property
    def weights(self) -> tuple[str, ...]:
        return (f"lpips-{self.net}",)

    def origin(self) -> JsonMapping:
        return {**super().origin(), "net": self.net}

    def score_many(self, pairs: Sequence[Pair]) -> Iterator[tuple[int, Sequence[Score]]]:
        """As `Scorer`; pictures are read ahead, frames go through the network one by one."""
        runtime = self.ready()
        network = lpips_network(self.net, self.folder, runtime)
        wanted = [(metric.name, name) for metric in self.metrics for name in metric.variants]
        depth, workers = reading_for(runtime.device)
        with threads():
            for index, frames in read_ahead(
                range(len(pairs)),
                lambda number: self._checked(*pairs[number]),
                depth=depth,
                workers=workers,
            ):
                if isinstance(frames, Exception):
                    yield index, not_scored(self.metrics, *failure(frames, pairs[index][1]))
                    continue
                masks = None if frames.mask is None else frames.mask[None]
                kept = _features(network, frames.reference.tobytes(), frames.reference.shape)
                both = network.distance(kept, frames.output[None], masks)
                value = {name: float(of[0]) for name, of in zip(VARIANTS, both, strict=True)}
                yield index, [_score(metric, name, value[name], frames) for metric, name in wanted]

    def _checked(self, sample: Sample, edit: Edit) -> Frames:
        frames = self.frames(sample, edit)
        width, height = size_of(frames.reference)
        least = MIN_SIDE[self.net]
        wanted = f"at most {MAX_PIXELS:,} pixels" if height * width > MAX_PIXELS else ""
        if wanted := f"sides of at least {least}" if min(height, width) < least else wanted:
            why = f"{width} x {height} pixels, LPIPS with {self.net} wants {wanted}"
            raise NoScore(Status.NOT_APPLICABLE, why)
        return frames


def _score(metric: str, variant: Variant, value: float, frames: Frames) -> Score:
    why = frames.no_faithful if variant == "faithful" else None
    if why is None and not math.isfinite(value):
        why = NoScore(Status.FAILED, "the network's features are not finite")
        if variant == "corrected" and frames.mask is not None and frames.mask.any():
            why = NoScore(Status.DATASET_FAULT, "the masks leave no position to compare")
    if why is not None:
        return why.score(metric, variant)
    return Score(metric=metric, value=value, variant=variant, detail=frames.detail)


@functools.lru_cache(maxsize=1)
def _features(network: Network, frame: bytes, shape: tuple[int, ...]) -> Features:
    """The last reference's features: outputs of several editors come one after the other."""
    return network.features(np.frombuffer(frame, np.uint8).reshape(shape))


# -- outside the masks -----------------------------------------------------------------------------


def lpips(**options: Any) -> LpipsScorer:
    """Outside the masks, for a benchmark's `scorers`. Options: ``weights``, ``device``."""
    inputs, metrics = ("images", "masks"), (LPIPS,)
    here = place(options)
    return LpipsScorer(frames=black_frames, net="squeeze", inputs=inputs, metrics=metrics, **here)


def black_frames(
    sample: Sample,
    edit: Edit,
    *,
    read: Callable[[Sample], Source] = source_of,
    released: Callable[[Source, Array], None] | None = None,
) -> Frames:
    """Input and output with the masked area (if there is any) black, and the mask.

    `read` gives what stands for the input; `released` raises `NoScore` where a released script has
    no value, and wants a mask. Raises `NoScore`.
    """
    source = read(sample)
    output, _ = read_output(edit)
    source.need_every_mask()
    shape, no_faithful = source.picture.shape, None
    whole = not source.masks and released is None
    mask = np.zeros(shape[:2], np.bool_) if whole else source.area(shape)
    try:
        if released is not None:
            released(source, output)
    except NoScore as why:
        no_faithful = why
    same, detail = fitted(output, size_of(source.picture))
    black = [np.where(mask[:, :, None], 0, picture) for picture in (source.picture, same)]
    return Frames(reference=black[0], output=black[1], mask=mask, no_faithful=no_faithful,
                  detail=detail)  # fmt: skip
