"""The pixel track on one core: how many times as fast as with the usual libraries?

    python perf/bench_pixel.py                          pictures made here
    python perf/bench_pixel.py DATA OUTPUTS             TextEditBench's DATA, and OUTPUTS/<model>/…

"plain" is what one writes with torchmetrics and OpenCV, one pair after the other: every file
decoded for each metric, masks joined, both pictures' SIFT features found, torchmetrics' SSIM.
"cold" scores each input with one output, "many" each input with all models' outputs, sample by
sample, as `editgauge score` orders them. The values are checked to be the same.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from support import Seconds, folder, in_a_process, least, noisy, one_core, picture, timed

one_core()
os.environ.setdefault("OPENBLAS_CORETYPE", "Haswell")  # the kernels that we settle on, for both

import cv2
import numpy as np
from PIL import Image

from editgauge.benchmarks.texteditbench import BENCHMARK
from editgauge.benchmarks.texteditbench.scorers import AGAINST_INPUT
from editgauge.metrics.native import tune_worker
from editgauge.metrics.ssim import GAUSSIAN, UNIFORM, ssim
from editgauge.store.outputs import OutputFolder
from editgauge.types import Edit, Sample

Pair = tuple[Sample, Edit]
Values = list[tuple[float, float | None]]
"""Of each pair MSE and SSIM."""
SIDE = 1024


def make_pairs(place: Path, inputs: int, models: int) -> list[list[Pair]]:
    """One list a sample: outputs of models, each a re-encoded, noisy and shifted input."""
    every = []
    for number in range(inputs):
        drawn, masks = picture(number, SIDE), {}
        for name, shift in (("input", 0), ("second", 40)):
            grey = np.zeros((SIDE, SIDE), np.uint8)
            grey[300 + shift : 480 + shift, 200:760] = 255
            masks[name] = place / f"{number}-{name}-mask.jpg"
            Image.fromarray(grey).save(masks[name], quality=95)
        path = place / f"{number}.jpg"
        Image.fromarray(drawn).save(path, quality=95)
        sample = Sample(
            benchmark="texteditbench",
            id=str(number),
            split="real",
            category=(),
            instruction="",
            images=(path,),
            output_stems=(),
            masks=masks,
        )
        pairs = []
        for model in range(models):
            random = np.random.default_rng(1000 * number + model)
            output = noisy(np.roll(drawn, 2 * model, axis=1), 1 + 2 * model, random)
            path = place / f"{number}-model{model}.jpg"
            Image.fromarray(output).save(path, quality=92)
            pairs.append((sample, Edit(sample=sample.id, editor=f"model{model}", path=path)))
        every.append(pairs)
    return every


def released_pairs(data: Path, outputs: Path, inputs: int) -> list[list[Pair]]:
    """The same from released folders: the first `inputs` samples that have outputs."""
    models = sorted(model for model in outputs.iterdir() if model.is_dir())
    every = []
    for sample in BENCHMARK.load(data):
        paths = {model.name: OutputFolder(model).find(sample) for model in models}
        pairs = [
            (sample, Edit(sample=sample.id, editor=name, path=path))
            for name, path in paths.items()
            if path is not None
        ]
        if pairs and len(every) < inputs:
            every.append(pairs)
    if not every:
        raise SystemExit(f"{outputs}: wanted <outputs> with <model>/…, found no output of {data}")
    return every


def plain_mask(sample: Sample, height: int, width: int) -> np.ndarray:
    mask = np.zeros((height, width), np.uint8)
    for path in sample.masks.values():
        mask = cv2.bitwise_or(mask, cv2.imread(str(path), cv2.IMREAD_GRAYSCALE))
    return (mask < 128)[..., None]


def plain_mse(sample: Sample, edit: Edit) -> float:
    cv2.setRNGSeed(0)
    fixed, moving = cv2.imread(str(sample.image)), cv2.imread(str(edit.path))
    background = plain_mask(sample, *fixed.shape[:2])
    sift = cv2.SIFT.create()
    points_f, described_f = sift.detectAndCompute(cv2.cvtColor(fixed, cv2.COLOR_BGR2GRAY), None)
    points_m, described_m = sift.detectAndCompute(cv2.cvtColor(moving, cv2.COLOR_BGR2GRAY), None)
    flann = cv2.FlannBasedMatcher({"algorithm": 1, "trees": 5}, {"checks": 50})
    both = flann.knnMatch(described_f, described_m, k=2)
    near = [a for a, b in both if a.distance < 0.7 * b.distance]
    to = np.float32([points_f[m.queryIdx].pt for m in near]).reshape(-1, 1, 2)
    source = np.float32([points_m[m.trainIdx].pt for m in near]).reshape(-1, 1, 2)
    matrix, _ = cv2.estimateAffinePartial2D(source, to, method=cv2.LMEDS)
    warped = cv2.warpAffine(
        moving, matrix, fixed.shape[1::-1], flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT
    )
    squares = (fixed.astype(np.float32) - warped.astype(np.float32)) ** 2 * background
    return float(squares.sum(dtype=np.float64) / (background.sum() * 3))


def plain_ssim(sample: Sample, edit: Edit) -> float | None:
    import torch
    from torchmetrics.functional.image import structural_similarity_index_measure

    pictures = [np.array(Image.open(p).convert("RGB")) for p in (sample.image, str(edit.path))]
    if pictures[0].shape != pictures[1].shape:
        return None
    background = plain_mask(sample, *pictures[0].shape[:2])
    tensors = [
        torch.tensor(p.astype(np.float32) / 255 * background).permute(2, 0, 1)[None]
        for p in pictures
    ]
    return float(structural_similarity_index_measure(*tensors, data_range=1.0))


def plain(pairs: Sequence[Pair]) -> Values:
    return [(plain_mse(*pair), plain_ssim(*pair)) for pair in pairs]


def ours(pairs: Sequence[Pair]) -> Values:
    values = []
    for pair in pairs:
        scores = {(one.metric, one.variant): one.number for one in AGAINST_INPUT.score(*pair)}
        values.append((scores["mse", "faithful"], scores["ssim", "faithful"]))
    return values


def track(pairs: Sequence[Pair], library: bool) -> tuple[Seconds, Values]:
    """The time of all pairs after one of the last sample, of which nothing is used again."""
    if library:
        import torch

        torch.set_num_threads(1)
        cv2.setNumThreads(1)
    else:
        tune_worker()
    work = plain if library else ours
    work(pairs[-1:])
    return timed(lambda: work(pairs))


def check_values(values: Values, expected: Values) -> None:
    for (mse, similarity), (mse_plain, similarity_plain) in zip(values, expected, strict=True):
        assert abs(mse - mse_plain) <= 1e-6 * max(mse_plain, 1e-9), ("mse", mse, mse_plain)
        assert (similarity is None) == (similarity_plain is None)
        # torchmetrics in single precision is up to 4e-4 from itself in double precision
        assert similarity is None or abs(similarity - similarity_plain) < 1e-3, similarity


def bench_track(name: str, pairs: Sequence[Pair]) -> None:
    (usual, expected), memory_plain = in_a_process(track, pairs, library=True)
    (spent, values), memory = in_a_process(track, pairs, library=False)
    check_values(values, expected)
    each, each_plain = (1e3 * s.processor / len(pairs) for s in (spent, usual))
    print(
        f"{name:9s} track {each:6.0f} ms a pair, plain {each_plain:6.0f} ms, "
        f"{each_plain / each:.1f} x; {memory:.0f} MB, plain {memory_plain:.0f} MB; {len(pairs)} pairs",
        flush=True,
    )


def bench_ssim(rounds: int) -> None:
    import torch
    from skimage.metrics import structural_similarity
    from torchmetrics.functional.image import structural_similarity_index_measure

    first = picture(1, SIDE)
    second = noisy(first, 6, np.random.default_rng(2))

    def torchmetrics(depth: Any = torch.float32) -> float:
        both = [torch.from_numpy(p).permute(2, 0, 1)[None].to(depth) / 255 for p in (first, second)]
        return float(structural_similarity_index_measure(*both, data_range=1.0))

    def skimage() -> float:
        return float(structural_similarity(first, second, channel_axis=-1))

    torch.set_num_threads(1)
    tune_worker()
    assert abs(torchmetrics(torch.float64) - ssim(first, second, GAUSSIAN)) < 1e-6
    assert abs(skimage() - ssim(first, second, UNIFORM)) < 1e-6
    for name, window, library in (
        ("gaussian", GAUSSIAN, torchmetrics),
        ("uniform", UNIFORM, skimage),
    ):
        own, _ = least(lambda window=window: ssim(first, second, window), 3 * rounds)
        other, _ = least(library, rounds)
        print(
            f"{name:9s} SSIM  {own.processor * 1e3:6.1f} ms, {library.__name__} "
            f"{other.processor * 1e3:7.1f} ms, {other.processor / own.processor:.1f} x",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", nargs="*", type=Path, metavar="DATA OUTPUTS")
    parser.add_argument("--inputs", type=int, default=6)
    parser.add_argument("--models", type=int, default=6, help="for pictures made here")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    if len(given.paths) not in (0, 2):
        parser.error("wanted both DATA and OUTPUTS, or neither")
    with folder() as place:
        if given.paths:
            every = released_pairs(*given.paths, given.inputs)
        else:
            every = make_pairs(place, given.inputs, given.models)
        bench_track("cold", [pairs[0] for pairs in every])
        bench_track("many", [pair for pairs in every for pair in pairs])
    in_a_process(bench_ssim, given.rounds)


if __name__ == "__main__":
    main()
