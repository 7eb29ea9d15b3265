"""LPIPS as a scorer: which frames are compared is the benchmark's business, everything else is
here.
"""

from __future__ import annotations

import hashlib
import math
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any

import numpy as np

from editgauge.images import Array, Mask
from editgauge.metrics.lpips import MIN_SIDE, Features, Network
from editgauge.networks.loading import lpips_network
from editgauge.networks.runtime import (
    Halving,
    Runtime,
    gpus,
    read_ahead,
    reading_for,
    threads,
)
from editgauge.scoring import NoScore
from editgauge.scoring.failures import failure
from editgauge.scoring.metrics import LPIPS
from editgauge.scoring.neural import NeuralScorer, place
from editgauge.scoring.pixel import fitted, read_output, source_of
from editgauge.scoring.scorer import Needs, Pair
from editgauge.types import Edit, Metric, Sample, Score, Status, Variant, not_scored

KEPT_BYTES = 1 << 29
"""Input features kept between calls: 512 MB, three frames of 1 megapixel with squeeze."""
_MEMORY = {"squeeze": (418, 450), "alex": (424, 111)}
"""Net -> megabytes of a worker, and bytes a pixel of a frame at its peak, on a processor: measured
with frames of 16 million pixels.
"""
MAX_PIXELS = 16_000_000
"""Larger frames get a reason instead: squeeze needs 7 GB at this size."""
GPU_PIXELS = 1 << 24
"""Frames that go through a GPU at once: 16 megapixels, about 6 GB with squeeze in float32."""


@dataclass(frozen=True, kw_only=True)
class Frames:
    """What is compared for one pair: two pictures of one size, (H, W, 3), uint8, RGB.

    `mask`, shape (H, W), True = left out of the corrected mean. `no_faithful` is the status and
    reason where that variant has no value; `detail` goes into the rows.
    """

    reference: Array
    output: Array
    mask: Mask | None = None
    no_faithful: tuple[Status, str] | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)


MakeFrames = Callable[[Sample, Edit], Frames]
"""A module-level function (scorers are pickled). Raises `scoring.NoScore` or `ImageError` where
there is nothing.
"""


@dataclass(frozen=True, kw_only=True)
class LpipsScorer(NeuralScorer):
    """Learned perceptual distance of two pictures: features of a frozen network, weighted; 0 when
    identical.

    `net` is squeeze or alex. The last references' features stay in memory (`KEPT_BYTES`): hand
    pairs over sample by sample, all editors of a sample together, and each further editor costs
    half. Values do not depend on the batch (to 1e-5 on a GPU, exactly on a CPU, where frames go one
    by one).
    """

    frames: MakeFrames
    net: str
    inputs: tuple[str, ...]
    metrics: tuple[Metric, ...]
    name: str = "lpips"
    batch: int = 16

    def __post_init__(self) -> None:
        megabytes, pixel = _MEMORY[self.net]
        memory = megabytes * 1_000_000 + KEPT_BYTES  # with the input features that it keeps
        needs = Needs(num_gpus=gpus(self.device), memory=memory, pixel_memory=pixel)
        object.__setattr__(self, "needs", needs)

    @property
    def weights(self) -> tuple[str, ...]:
        return (f"lpips-{self.net}",)

    def origin(self) -> Mapping[str, Any]:
        return {**super().origin(), "net": self.net}

    def score_many(self, pairs: Sequence[Pair]) -> Iterator[tuple[int, Sequence[Score]]]:
        """As `Scorer`: frames of one size go through the network together."""
        runtime = self.ready()
        network = lpips_network(self.net, self.folder, runtime)
        waiting: dict[tuple[int, ...], dict[int, Frames]] = {}
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
                shape = frames.reference.shape
                waiting.setdefault(shape, {})[index] = frames
                if len(waiting[shape]) == _at_once(runtime, shape):
                    yield from self._values(network, waiting.pop(shape))
            for group in waiting.values():
                yield from self._values(network, group)

    def _checked(self, sample: Sample, edit: Edit) -> Frames:
        """The frames of a pair. Raises `NoScore` for a size that the network does not take."""
        frames = self.frames(sample, edit)
        height, width = frames.reference.shape[:2]
        size, least = f"{width} x {height} pixels", MIN_SIDE[self.net]
        if min(height, width) < least:
            why = f"{size}, LPIPS with {self.net} wants sides of at least {least}"
            raise NoScore(Status.NOT_APPLICABLE, why)
        if height * width > MAX_PIXELS:
            why = f"{size}, LPIPS is limited to {MAX_PIXELS:,} ({_MEMORY[self.net][1]} bytes each)"
            raise NoScore(Status.NOT_APPLICABLE, why)
        return frames

    def _values(
        self, network: Network, group: Mapping[int, Frames]
    ) -> Iterator[tuple[int, Sequence[Score]]]:
        fitting = _fitting(network, next(iter(group.values())).reference.shape)
        values = fitting(partial(_distances, network), list(group.values()))
        for (index, frames), (faithful, corrected) in zip(group.items(), values, strict=True):
            yield (
                index,
                [
                    _score(
                        metric.name,
                        variant,
                        faithful if variant == "faithful" else corrected,
                        frames,
                    )
                    for metric in self.metrics
                    for variant in metric.variants
                ],
            )


def _score(metric: str, variant: Variant, value: float, frames: Frames) -> Score:
    why = frames.no_faithful if variant == "faithful" else None
    if why is None and not math.isfinite(value):
        why = Status.FAILED, "the network's features are not finite"
        masked = frames.mask is not None and bool(frames.mask.any())
        if math.isnan(value) and variant == "corrected" and masked:
            why = Status.DATASET_FAULT, "the masks leave no position to compare"
    if why is None:
        return Score(metric=metric, value=value, variant=variant, detail=frames.detail)
    return Score(metric=metric, value=None, variant=variant, status=why[0], reason=why[1])


@lru_cache(maxsize=64)
def _fitting(network: Network, shape: tuple[int, ...]) -> Halving:
    """How many frames of a size fit the device: learnt once in a process."""
    del network, shape
    return Halving()


def _at_once(runtime: Runtime, shape: tuple[int, ...]) -> int:
    """Frames in one pass: one on a CPU, where more bring nothing but memory; by size on a GPU."""
    return 1 if runtime.device == "cpu" else max(1, min(16, GPU_PIXELS // (shape[0] * shape[1])))


def _distances(network: Network, group: Sequence[Frames]) -> list[tuple[float, float]]:
    kept = [_features(network, frames.reference) for frames in group]
    outputs = np.stack([frames.output for frames in group])
    masks = None
    if any(frames.mask is not None for frames in group):
        size = group[0].reference.shape[:2]
        masks = np.stack([np.zeros(size, np.bool_) if f.mask is None else f.mask for f in group])
    joined = kept[0] if len(kept) == 1 else Features.join(kept)
    faithful, corrected = network.distance(joined, outputs, masks)
    return list(zip(faithful.tolist(), corrected.tolist(), strict=True))


_kept: OrderedDict[tuple[Network, str], Features] = OrderedDict()
"""The last references' features, at most `KEPT_BYTES` of them."""


def _features(network: Network, frame: Array) -> Features:
    digest = hashlib.blake2b(np.ascontiguousarray(frame).data, digest_size=16)
    digest.update(repr(frame.shape).encode())
    key = (network, digest.hexdigest())
    if key not in _kept:
        _kept[key] = network.features(frame)
    _kept.move_to_end(key)
    while len(_kept) > 1 and sum(entry.bytes for entry in _kept.values()) > KEPT_BYTES:
        _kept.popitem(last=False)
    return _kept[key]


# -- for benchmarks that have masks, but no released script ----------------------------------------


def lpips(**options: Any) -> list[LpipsScorer]:
    """For a benchmark's `scorers`. Options in use: ``weights``, ``device``, ``precision``."""
    inputs = ("images", "masks")
    return [
        LpipsScorer(
            frames=black_frames, net="squeeze", inputs=inputs, metrics=(LPIPS,), **place(options)
        )
    ]


def black_frames(sample: Sample, edit: Edit) -> Frames:
    """Input and output with the masked area (if there is any) black. Raises `NoScore`."""
    source = source_of(sample)
    source.need_every_mask()
    output, _ = read_output(edit)
    shape = source.picture.shape
    mask = source.area(shape) if source.masks else np.zeros(shape[:2], np.bool_)
    same, detail = fitted(output, source.picture)
    black = mask[:, :, None]
    return Frames(
        reference=np.where(black, 0, source.picture),
        output=np.where(black, 0, same),
        mask=mask,
        detail=detail,
    )
