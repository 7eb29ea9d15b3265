"""Fakes for tests, ours and other packages': real objects without network, GPU or data set."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from editgauge.diagnosis.metrics import ATTENTION
from editgauge.errors import BenchmarkError
from editgauge.images import Array, write_png
from editgauge.tables import contract
from editgauge.types import TRACKS, Benchmark, Metric, Sample

__all__ = ["check_benchmark", "make_picture", "make_sample"]


def check_benchmark(benchmark: Benchmark, *, make: bool = True) -> None:
    """Check a benchmark's declaration as the catalog does when it first hands it out.

    With `make` its scorers and its judge track are made, too: each of their metrics must be a
    declared one, and each declared metric must come from one of them (or from `diagnose`). Leave it
    out where they need an extra that is not installed. Raises `BenchmarkError` with all that is
    wrong.
    """
    contract.verify(benchmark)
    if not make:
        return
    given: dict[str, Metric] = {}
    for scorer in benchmark.scorers(TRACKS):
        given |= {metric.name: metric for metric in scorer.metrics}
    if benchmark.judging is not None:
        given |= {metric.name: metric for metric in benchmark.judging().metrics}
    given |= {metric.name: metric for metric in ATTENTION if metric in benchmark.metrics}
    fed = list(contract.fed(benchmark, given.values()))
    if fed:
        raise BenchmarkError(f"benchmark {benchmark.name}: {'; '.join(fed)}")


def make_picture(size: tuple[int, int] = (64, 48), *, seed: int = 0) -> Array:
    """A busy little picture, the same for the same arguments: an ndarray of shape (H, W, 3), uint8,
    RGB. `size` is (width, height), at least 8 x 8.
    """
    width, height = size
    random = np.random.default_rng(seed)
    ramp = np.add.outer(np.linspace(0, 120, height), np.linspace(0, 100, width))
    pixels = ramp[:, :, None] + random.integers(0, 30, (height, width, 3))
    for _ in range(6):
        top, left = int(random.integers(0, height - 4)), int(random.integers(0, width - 4))
        pixels[top : top + 4, left : left + 4] = random.integers(0, 256, 3)
    return np.clip(pixels, 0, 255).astype(np.uint8)


def make_sample(
    folder: Path, id: str = "sample-1", *, size: tuple[int, int] = (64, 48), **fields: Any
) -> Sample:
    """A small sample with its files below `folder`: input, reference, masks ``input`` and
    ``second``, which cover the lower right quarter, where alone the reference differs. `fields`
    replace fields of the `Sample` (``category=("Posters",)``, ``reference=None``).
    """
    width, height = size
    seed = sum(id.encode())
    pixels = make_picture(size, seed=seed)
    mask = np.zeros((height, width), dtype=np.bool_)
    mask[height // 2 :, width // 2 :] = True
    edited = pixels.copy()
    edited[mask] = 255 - edited[mask]
    place = folder / id
    write_png(place / "input.png", pixels)
    write_png(place / "reference.png", edited)
    write_png(place / "mask.png", mask)
    sample = Sample(
        benchmark="mini",
        id=id,
        split="plain",
        category=("Tests", "replace"),
        instruction='Replace the word "old" with "new"',
        images=(place / "input.png",),
        output_stems=(id,),
        reference=place / "reference.png",
        masks={"input": place / "mask.png", "second": place / "mask.png"},
        source_text="old",
        target_text="new",
        caption="A small test picture with the word new",
    )
    return replace(sample, **fields)
