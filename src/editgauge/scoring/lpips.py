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
from pathlib import Path
from typing import Any

import numpy as np

from editgauge.errors import EditgaugeError, ShapeMismatch
from editgauge.images import Array, Mask
from editgauge.metrics.lpips import Features, Network
from editgauge.networks.loading import lpips_network
from editgauge.networks.runtime import (
    Halving,
    Runtime,
    gpus,
    read_ahead,
    reading_for,
    resolve,
    threads,
)
from editgauge.networks.weights import locate
from editgauge.scoring.failures import all_without, failure, origin_of
from editgauge.scoring.scorer import Needs, Pair, Scorer
from editgauge.types import Edit, Metric, Sample, Score, Status, Track, Variant, not_scored

KEPT_BYTES = 1 << 29
"""Input features kept between calls: 512 MB, three frames of 1 megapixel with squeeze."""
PIXEL_BYTES = 450
"""Bytes of memory that a pixel of a frame takes at its peak with squeeze."""
_MEMORY = {"squeeze": (418, PIXEL_BYTES), "alex": (424, 111)}
"""Net -> megabytes of a worker, and bytes a pixel of a frame, on a processor: measured by
`perf/bench_memory.py`, squeeze's pixels at 16 million of them.
"""
MAX_PIXELS = 16_000_000
"""Larger frames get a reason instead: squeeze needs 7 GB at this size."""
HELD = 32
"""Frames that wait for others of their size, at most."""
GPU_PIXELS = 1 << 24
"""Frames that go through a GPU at once: 16 megapixels, about 6 GB with squeeze in float32."""


@dataclass(frozen=True, kw_only=True)
class Frames:
    """What is compared for one pair: two pictures of one size, (H, W, 3), uint8, RGB.

    `mask`, shape (H, W), True = left out of the corrected mean. `no_faithful` and `no_corrected`
    are the status and reason where that variant has no value; `detail` goes into the rows.
    """

    reference: Array
    output: Array
    mask: Mask | None = None
    no_faithful: tuple[Status, str] | None = None
    no_corrected: tuple[Status, str] | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)


MakeFrames = Callable[[Sample, Edit], Frames]
"""A module-level function (scorers are pickled). Raises `scoring.NoScore` or `ImageError` where
there is nothing.
"""


@dataclass(frozen=True, kw_only=True)
class LpipsScorer(Scorer):
    """Learned perceptual distance of two pictures: features of a frozen network, weighted; 0 when
    identical.

    `net` is squeeze or alex; `folder` the weights' folder (None: the default one). Pairs of one
    batch with the same reference share its features, and the last references stay in memory
    (`KEPT_BYTES`): hand pairs over sample by sample, all editors of a sample together, and each
    further editor costs half. Values do not depend on the batch (to 1e-5 on a GPU, exactly on a
    CPU, where frames go one by one).
    """

    frames: MakeFrames
    net: str
    inputs: tuple[str, ...]
    metrics: tuple[Metric, ...]
    name: str = "lpips"
    track: Track = "embedding"
    folder: Path | None = None
    device: str | None = None
    precision: str | None = None
    batch: int = 16
    needs: Needs = field(init=False)

    def __post_init__(self) -> None:
        megabytes, pixel = _MEMORY[self.net]
        memory = megabytes * 1_000_000 + KEPT_BYTES  # with the input features that it keeps
        needs = Needs(num_gpus=gpus(self.device), memory=memory, pixel_memory=pixel)
        object.__setattr__(self, "needs", needs)

    def origin(self) -> Mapping[str, Any]:
        return origin_of(
            [f"lpips-{self.net}"], self.folder, net=self.net, precision=self.precision or "float32"
        )

    def score_many(self, pairs: Sequence[Pair]) -> Iterator[tuple[int, Sequence[Score]]]:
        """As `Scorer`: frames of one size go through the network together, and few wait for others
        of theirs. Without weights every pair fails with the command that gets them.
        """
        try:
            locate(f"lpips-{self.net}", self.folder)  # before torch is imported
            runtime = resolve(self.device, self.precision)
            network = lpips_network(self.net, self.folder, runtime)
        except EditgaugeError as error:
            yield from enumerate(all_without(self.metrics, len(pairs), error))
            return
        yield from self._scored(network, runtime, pairs)

    def _scored(
        self, network: Network, runtime: Runtime, pairs: Sequence[Pair]
    ) -> Iterator[tuple[int, Sequence[Score]]]:
        waiting: dict[tuple[int, ...], list[tuple[int, Frames]]] = {}
        ahead = reading_for(runtime.device)
        make = lambda number: self.frames(*pairs[number])  # noqa: E731
        with threads():
            for index, frames in read_ahead(
                range(len(pairs)), make, depth=ahead.depth, workers=ahead.workers
            ):
                why = _refused(frames, pairs[index])
                if why is not None:
                    yield index, not_scored(self.metrics, *why)
                    continue
                assert isinstance(frames, Frames)
                shape = frames.reference.shape
                waiting.setdefault(shape, []).append((index, frames))
                if len(waiting[shape]) < _at_once(runtime, shape):
                    if sum(map(len, waiting.values())) <= HELD:
                        continue
                    shape = next(iter(waiting))  # the one that has waited longest
                yield from self._settled(network, waiting.pop(shape), pairs)
            for group in waiting.values():
                yield from self._settled(network, group, pairs)

    def _settled(
        self, network: Network, group: list[tuple[int, Frames]], pairs: Sequence[Pair]
    ) -> Iterator[tuple[int, Sequence[Score]]]:
        fitting = _fitting(network, group[0][1].reference.shape)
        try:
            values = fitting(partial(_distances, network), [frames for _, frames in group])
        # a picture that is too small, or a device out of memory: a status for its pairs
        except Exception as error:
            for index, _ in group:
                status, reason = failure(error, *pairs[index])
                if isinstance(error, ShapeMismatch):
                    status = Status.NOT_APPLICABLE
                yield index, not_scored(self.metrics, status, reason)
            return
        for (index, frames), found in zip(group, values, strict=True):
            yield (
                index,
                [
                    self._score(metric.name, variant, found[variant == "corrected"], frames)
                    for metric in self.metrics
                    for variant in metric.variants
                ],
            )

    def _score(self, metric: str, variant: Variant, value: float, frames: Frames) -> Score:
        why = frames.no_faithful if variant == "faithful" else frames.no_corrected
        masked = frames.mask is not None and bool(frames.mask.any())
        if why is None and math.isnan(value) and variant == "corrected" and masked:
            why = Status.DATASET_FAULT, "the masks leave no position to compare"
        if why is None and not math.isfinite(value):
            why = Status.FAILED, "the network's features are not finite"
        if why is None:
            return Score(metric=metric, value=value, variant=variant, detail=frames.detail)
        return Score(metric=metric, value=None, variant=variant, status=why[0], reason=why[1])


def _refused(frames: Frames | Exception, pair: Pair) -> tuple[Status, str] | None:
    """Why a pair's frames are not compared, or None."""
    if isinstance(frames, Exception):
        return failure(frames, *pair)
    height, width = frames.reference.shape[:2]
    if height * width <= MAX_PIXELS:
        return None
    return Status.NOT_APPLICABLE, (
        f"{width} x {height} pixels, LPIPS is limited to {MAX_PIXELS:,} (it needs {PIXEL_BYTES} "
        f"bytes a pixel)"
    )


@lru_cache(maxsize=64)
def _fitting(network: Network, shape: tuple[int, ...]) -> Halving:
    """How many frames of a size fit the device: learnt once in a process."""
    del network, shape
    return Halving()


def _at_once(runtime: Runtime, shape: tuple[int, ...]) -> int:
    """Frames in one pass: one on a CPU, where more bring nothing but memory; by size on a GPU."""
    return 1 if runtime.device == "cpu" else max(1, min(16, GPU_PIXELS // (shape[0] * shape[1])))


class _Kept:
    """The last inputs' features, bounded in bytes."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._entries: OrderedDict[tuple[Network, str], Features] = OrderedDict()

    def get(self, key: tuple[Network, str]) -> Features | None:
        found = self._entries.get(key)
        if found is not None:
            self._entries.move_to_end(key)
        return found

    def put(self, key: tuple[Network, str], features: Features) -> None:
        self._entries[key] = features
        while (
            len(self._entries) > 1
            and sum(entry.bytes for entry in self._entries.values()) > self.limit
        ):
            self._entries.popitem(last=False)


_KEPT = _Kept(KEPT_BYTES)


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


def _features(network: Network, frame: Array) -> Features:
    digest = hashlib.blake2b(np.ascontiguousarray(frame).data, digest_size=16)
    digest.update(repr(frame.shape).encode())
    key = (network, digest.hexdigest())
    found = _KEPT.get(key)
    if found is None:
        found = network.features(frame)
        _KEPT.put(key, found)
    return found
