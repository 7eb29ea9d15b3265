"""The pixel track against the usual libraries, as ratios of one run on one core, with the same
values checked.

    python perf/bench_pixel.py                          pictures made here
    python perf/bench_pixel.py DATA OUTPUTS             TextEditBench's released DATA, and OUTPUTS/<model>/…

Times are those of the processor, so that a busy machine changes the ratios little. "plain" is what
one writes with torchmetrics and OpenCV, one pair after the other: every file decoded for each
metric, masks joined, both pictures' SIFT features found, torchmetrics' SSIM. "cold" scores each
input with one output, "many" each input with all models' outputs, sample by sample, as `editgauge
score` orders them.

Needs torch, torchmetrics and scikit-image (extra `dev`).
"""

from __future__ import annotations

import argparse
import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")  # one core for everybody; read when the libraries are loaded
os.environ.setdefault(
    "OPENBLAS_CORETYPE", "Haswell"
)  # the plain script must see the kernels that we settle on

import multiprocessing  # noqa: E402
import tempfile  # noqa: E402
import time  # noqa: E402
from collections.abc import Callable, Sequence  # noqa: E402
from pathlib import Path  # noqa: E402

import cv2  # noqa: E402
import numpy as np  # noqa: E402
from PIL import Image  # noqa: E402

from editgauge.benchmarks.texteditbench import BENCHMARK  # noqa: E402
from editgauge.benchmarks.texteditbench.pixel import PixelScorer  # noqa: E402
from editgauge.metrics.align import estimate_alignment, sift_features, warp  # noqa: E402
from editgauge.metrics.error import masked_mse  # noqa: E402
from editgauge.metrics.ssim import GAUSSIAN, UNIFORM, ssim  # noqa: E402
from editgauge.native import tune_worker  # noqa: E402
from editgauge.store.outputs import find_output  # noqa: E402
from editgauge.types import Edit, Sample  # noqa: E402

Pair = tuple[Sample, Edit]
SIDE = 1024
AIMS = {"gaussian": 15.0, "uniform": 8.0, "cold": 2.7, "many": 4.5}
MEMORY_AIM = 350


def draw(seed: int) -> np.ndarray:
    """A megapixel with ground, shapes and writing, roughly as busy as a photographed poster."""
    random = np.random.default_rng(seed)
    ground = cv2.resize(
        random.integers(0, 256, (12, 12, 3), np.uint8), (SIDE, SIDE), interpolation=cv2.INTER_CUBIC
    )
    for _ in range(40):
        corner = tuple(int(v) for v in random.integers(0, SIDE, 2))
        cv2.circle(
            ground,
            corner,
            int(random.integers(4, 60)),
            tuple(int(v) for v in random.integers(0, 256, 3)),
            -1,
        )
    for _ in range(22):
        corner = tuple(int(v) for v in random.integers(0, SIDE, 2))
        colour = tuple(int(v) for v in random.integers(0, 256, 3))
        cv2.putText(
            ground,
            "Sample text 123",
            corner,
            2,
            float(random.uniform(0.4, 2)),
            colour,
            2,
            cv2.LINE_AA,
        )
    noise = random.normal(0, 0.8, ground.shape)
    return np.clip(ground + noise, 0, 255).astype(np.uint8)


def make_pairs(folder: Path, inputs: int, models: int) -> list[list[Pair]]:
    """One list a sample: its outputs by `models` models, each a re-encoded, noisy or shifted
    input.
    """
    every = []
    for number in range(inputs):
        place = folder / str(number)
        place.mkdir()
        picture = draw(number)
        Image.fromarray(picture).save(place / "1.jpg", quality=95)
        masks = {}
        for name, shift in (("input", 0), ("second", 40)):
            grey = np.zeros((SIDE, SIDE), np.uint8)
            grey[300 + shift : 480 + shift, 200:760] = 255
            masks[name] = place / f"{name}_mask.jpg"
            Image.fromarray(grey).save(masks[name], quality=95)
        sample = Sample(
            benchmark="texteditbench",
            id=str(number),
            split="real",
            category=(),
            instruction="",
            images=(place / "1.jpg",),
            output_stems=(),
            masks=masks,
        )
        pairs = []
        for model in range(models):
            random = np.random.default_rng(1000 * number + model)
            output = np.clip(
                np.roll(picture, 2 * model, axis=1)
                + random.normal(0, 1 + 2 * model, picture.shape),
                0,
                255,
            )
            Image.fromarray(output.astype(np.uint8)).save(place / f"model{model}.jpg", quality=92)
            pairs.append(
                (
                    sample,
                    Edit(
                        sample=sample.id, editor=f"model{model}", path=place / f"model{model}.jpg"
                    ),
                )
            )
        every.append(pairs)
    return every


def find_pairs(data: Path, outputs: Path, inputs: int) -> list[list[Pair]]:
    """The same from released folders: the first `inputs` samples that have outputs."""
    models = sorted(folder for folder in outputs.iterdir() if folder.is_dir())
    every = []
    for sample in BENCHMARK.load(data):
        found = [(model.name, find_output(model, sample)) for model in models]
        pairs = [
            (sample, Edit(sample=sample.id, editor=name, path=path))
            for name, path in found
            if path is not None
        ]
        if pairs:
            every.append(pairs)
        if len(every) == inputs:
            break
    if not every:
        raise SystemExit(
            f"{outputs}: no output of any sample of {data} was found; name <outputs>, not "
            f"<outputs>/<model>"
        )
    return every


def plain_pair(pair: Pair) -> tuple[float, float | None]:
    """MSE and SSIM of one pair as a plain script computes them."""
    import torch
    from torchmetrics.functional.image import structural_similarity_index_measure

    sample, edit = pair
    cv2.setRNGSeed(0)
    fixed, moving = cv2.imread(str(sample.image)), cv2.imread(str(edit.path))
    mask = np.zeros(fixed.shape[:2], np.uint8)
    for path in sample.masks.values():
        mask = cv2.bitwise_or(mask, cv2.imread(str(path), cv2.IMREAD_GRAYSCALE))
    sift = cv2.SIFT.create()
    points_f, described_f = sift.detectAndCompute(cv2.cvtColor(fixed, cv2.COLOR_BGR2GRAY), None)
    points_m, described_m = sift.detectAndCompute(cv2.cvtColor(moving, cv2.COLOR_BGR2GRAY), None)
    flann = cv2.FlannBasedMatcher({"algorithm": 1, "trees": 5}, {"checks": 50})
    near = [
        a for a, b in flann.knnMatch(described_f, described_m, k=2) if a.distance < 0.7 * b.distance
    ]
    to = np.float32([points_f[m.queryIdx].pt for m in near]).reshape(-1, 1, 2)
    source = np.float32([points_m[m.trainIdx].pt for m in near]).reshape(-1, 1, 2)
    matrix, _ = cv2.estimateAffinePartial2D(source, to, method=cv2.LMEDS)
    size = (fixed.shape[1], fixed.shape[0])
    warped = cv2.warpAffine(
        moving, matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT
    )
    background = (mask < 128).astype(np.uint8)
    squares = (fixed.astype(np.float32) - warped.astype(np.float32)) ** 2 * background[..., None]
    mse = float(squares.sum(dtype=np.float64) / (background.sum() * 3))

    first, second = (
        Image.open(sample.image).convert("RGB"),
        Image.open(str(edit.path)).convert("RGB"),
    )
    if first.size != second.size:
        return mse, None
    mask = np.zeros((first.height, first.width), np.uint8)
    for path in sample.masks.values():
        mask = cv2.bitwise_or(mask, cv2.imread(str(path), cv2.IMREAD_GRAYSCALE))
    background = (mask < 128).astype(np.float32)[..., None]
    tensors = [
        torch.tensor(np.array(p).astype(np.float32) / 255 * background).permute(2, 0, 1)[None]
        for p in (first, second)
    ]
    return mse, float(structural_similarity_index_measure(tensors[0], tensors[1], data_range=1.0))


def ours(pairs: Sequence[Pair]) -> list[tuple[float, float | None]]:
    scorer = PixelScorer()
    found = []
    for sample, edit in pairs:
        scores = {
            (score.metric, score.variant): score.number for score in scorer.score(sample, edit)
        }
        mse = scores["mse", "faithful"]
        assert mse is not None
        found.append((mse, scores["ssim", "faithful"]))
    return found


def seconds(work: Callable[[], object], rounds: int) -> float:
    """The best of some rounds, after one that does not count."""
    work()
    times = []
    for _ in range(rounds):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return min(times)


def bench_ssim(rounds: int) -> dict[str, float]:
    import torch
    from skimage.metrics import structural_similarity
    from torchmetrics.functional.image import structural_similarity_index_measure

    first = draw(1)
    second = np.clip(first + np.random.default_rng(2).normal(0, 6, first.shape), 0, 255).astype(
        np.uint8
    )

    def library(depth: torch.dtype = torch.float32) -> float:
        tensors = [
            torch.from_numpy(p).permute(2, 0, 1)[None].to(depth) / 255 for p in (first, second)
        ]
        return float(structural_similarity_index_measure(tensors[0], tensors[1], data_range=1.0))

    def other_library() -> float:
        return float(structural_similarity(first, second, channel_axis=-1))

    assert abs(library(torch.float64) - ssim(first, second, GAUSSIAN)) < 1e-6
    assert abs(other_library() - ssim(first, second, UNIFORM)) < 1e-6
    found = {}
    for name, window, theirs in (
        ("gaussian", GAUSSIAN, library),
        ("uniform", UNIFORM, other_library),
    ):
        own, other = (
            seconds(lambda window=window: ssim(first, second, window), 3 * rounds),
            seconds(theirs, rounds),
        )
        found[name] = other / own
        print(
            f"{name:9s} SSIM  {own * 1e3:6.1f} ms, library {other * 1e3:7.1f} ms, "
            f"{found[name]:5.1f} x",
            end="",
        )
        print(f"  (aim {AIMS[name]:.1f} x)")
    return found


def in_a_process(work: Callable[..., object], *arguments: object) -> object:
    """The result of `work` in a fresh process: clean memory, nothing cached, its peak memory
    measured.
    """
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(work, arguments)


def peak_memory() -> float:
    """The most memory that this process has held, in MB. (`ru_maxrss` would count the parent before
    the start too.)
    """
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def time_ours(pairs: list[Pair]) -> tuple[float, list[tuple[float, float | None]], float]:
    tune_worker()
    ours(
        pairs[-1:]
        # the first pair pays for memory that is kept afterwards; the last sample, so nothing is
        # reused
    )
    began = time.process_time()
    values = ours(pairs)
    return time.process_time() - began, values, peak_memory()


def time_plain(pairs: list[Pair]) -> tuple[float, list[tuple[float, float | None]], float]:
    import torch
    import torchmetrics.functional.image

    assert torchmetrics.functional.image
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    plain_pair(pairs[-1])
    began = time.process_time()
    values = [plain_pair(pair) for pair in pairs]
    return time.process_time() - began, values, peak_memory()


def bench_track(every: list[list[Pair]]) -> dict[str, float]:
    found = {}
    for name, pairs in (
        ("cold", [p[0] for p in every]),
        ("many", [pair for p in every for pair in p]),
    ):
        plain, expected, plain_memory = in_a_process(time_plain, pairs)  # type: ignore[misc]
        own, values, memory = in_a_process(time_ours, pairs)  # type: ignore[misc]
        for one, other in zip(values, expected, strict=True):
            assert abs(one[0] - other[0]) <= 1e-6 * max(other[0], 1e-9), ("mse", one, other)
            # torchmetrics in single precision is up to 4e-4 from itself in double precision
            assert (one[1] is None) == (other[1] is None), ("ssim", one, other)
            assert one[1] is None or abs(one[1] - other[1]) < 1e-3, ("ssim", one, other)
        found[name] = plain / own
        each = f"{own / len(pairs) * 1e3:6.0f} ms a pair, plain {plain / len(pairs) * 1e3:6.0f} ms"
        print(
            f"{name:9s} track {each}, {found[name]:5.1f} x  (aim {AIMS[name]:.1f} x), {len(pairs)} "
            f"pairs",
            end="",
        )
        print(f", {memory:.0f} MB (aim {MEMORY_AIM}), plain {plain_memory:.0f} MB")
    return found


def bench_steps(pairs: Sequence[Pair]) -> None:
    """Where the time of a cold pair goes."""
    from editgauge.scoring.pixel import _read_source, read_output

    spent: dict[str, float] = {}

    def timed(name: str, work: Callable[[], object]) -> object:
        began = time.process_time()
        result = work()
        spent[name] = spent.get(name, 0.0) + time.process_time() - began
        return result

    for sample, edit in pairs:
        source = timed("read input, masks", lambda s=sample: _read_source(s.image, dict(s.masks)))
        output, _ = timed("read output", lambda e=edit: read_output(e))  # type: ignore[misc]
        fixed = timed("SIFT input", lambda s=source: sift_features(s.picture))  # type: ignore[attr-defined]
        moving = timed("SIFT output", lambda o=output: sift_features(o))
        found = timed("match and fit", lambda f=fixed, m=moving: estimate_alignment(f, m))  # type: ignore[arg-type]
        picture = source.picture  # type: ignore[attr-defined]
        size = (picture.shape[1], picture.shape[0])
        laid = timed("warp", lambda o=output, f=found, s=size: warp(o, f.matrix, s))  # type: ignore[attr-defined]
        area = source.area(picture.shape)  # type: ignore[attr-defined]
        timed("squared error", lambda p=picture, w=laid, a=area: masked_mse(p, w, mask=~a))  # type: ignore[arg-type]
        if output.shape == picture.shape:
            timed("SSIM", lambda p=picture, o=output: ssim(p, o, GAUSSIAN))
    total = sum(spent.values())
    print(
        "steps    ",
        ", ".join(f"{name} {value / len(pairs) * 1e3:.0f} ms" for name, value in spent.items()),
    )
    print("steps    ", ", ".join(f"{name} {value / total:.0%}" for name, value in spent.items()))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", nargs="?", type=Path, help="a TextEditBench folder")
    parser.add_argument("outputs", nargs="?", type=Path, help="a folder of models' outputs for it")
    parser.add_argument("--inputs", type=int, default=6)
    parser.add_argument("--models", type=int, default=6, help="for pictures made here")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    if (options.data is None) != (options.outputs is None):
        parser.error("name both DATA and OUTPUTS, or neither")
    cv2.setNumThreads(1)
    import torch

    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        if options.data is None:
            every = make_pairs(Path(folder), options.inputs, options.models)
        else:
            every = find_pairs(options.data, options.outputs, options.inputs)
        ratios = bench_track(every)
        tune_worker()
        bench_steps([pairs[0] for pairs in every])
    ratios |= bench_ssim(options.rounds)
    missed = [
        f"{name} {ratios[name]:.1f} x of {aim:.1f} x"
        for name, aim in AIMS.items()
        if ratios[name] < aim
    ]
    print("values: equal; aims: " + ("all met" if not missed else "missed: " + ", ".join(missed)))


if __name__ == "__main__":
    main()
