"""Neural metrics: how many pairs or pictures a second, beside the usual libraries?

    python perf/bench_neural.py                        everything, one and two threads, on the CPU
    python perf/bench_neural.py --only lpips --threads 1
    python perf/bench_neural.py --device cuda          on a GPU, with bfloat16 and float16 too

Backbones of full size with seeded random weights (values mean nothing, time and memory do);
pictures are JPEGs of 1024 x 1024, and reading them is part of the time. Each measurement has a
process of its own, warms up and takes the best of some repeats. "Usual": torchmetrics' LPIPS pair
by pair, transformers' CLIPModel picture by picture.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from support import Seconds, folder, in_a_process, least, noisy

SIDE = 1024
Work = Callable[[], Any]


@dataclass(frozen=True)
class Case:
    """One measurement. `inputs` pictures, with `models` outputs of each."""

    name: str
    ours: bool = True
    net: str = "squeeze"
    inputs: int = 2
    models: int = 1
    clip: Path | None = None
    threads: int = 1
    device: str = "cpu"
    repeats: int = 2


class Figures(NamedTuple):
    rate: Seconds
    """Things a second, of the clock and of the processor."""
    values: np.ndarray
    gpu_megabytes: float


def draw(place: Path, inputs: int, models: int) -> list[tuple[Path, list[Path]]]:
    """Smooth coloured pictures and noisy versions of each, as JPEG."""
    import cv2

    random, every = np.random.default_rng(0), []
    for number in range(inputs):
        rough = random.integers(0, 256, (64, 64, 3), dtype=np.uint8)
        picture = cv2.resize(rough, (SIDE, SIDE), interpolation=cv2.INTER_CUBIC)
        paths = [place / f"{number}-{name}.jpg" for name in ("input", *range(models))]
        cv2.imwrite(str(paths[0]), picture)
        for model, path in enumerate(paths[1:]):
            cv2.imwrite(str(path), noisy(picture, 4 + model, random))
        every.append((paths[0], paths[1:]))
    return every


def lpips_usual(case: Case, pairs: list[tuple[Path, Path]]) -> Work:
    import torch
    import torchmetrics.functional.image.lpips as module
    from PIL import Image
    from tests.networks import tiny

    def filled(name: str, pretrained: bool = False) -> Any:
        network = tiny.backbone(name)
        tiny.fill(network, 0)
        return network

    module._get_tv_model_features = filled
    network = module._LPIPS(pretrained=True, net=case.net, pnet_rand=True).eval().to(case.device)

    def read(path: Path) -> Any:
        pixels = torch.from_numpy(np.array(Image.open(path).convert("RGB"))).to(case.device)
        return pixels.permute(2, 0, 1)[None].float() / 127.5 - 1

    def work() -> list[float]:
        with torch.no_grad():
            return [float(module._lpips_update(read(a), read(b), network, False)) for a, b in pairs]

    return work


def plain_frames(sample: Any, edit: Any) -> Any:
    from editgauge.images import read_image
    from editgauge.scoring.lpips import Frames

    return Frames(reference=read_image(sample.image), output=read_image(edit.path))


def lpips_ours(case: Case, pairs: list[tuple[Path, Path]], place: Path) -> Work:
    import pytest
    from tests.networks import tiny

    from editgauge.scoring import lpips
    from editgauge.types import Edit, Metric, Sample

    patch = pytest.MonkeyPatch()
    tiny.install_lpips(patch, place / "weights", case.net)
    scorer = lpips.LpipsScorer(
        frames=plain_frames,
        net=case.net,
        inputs=("images",),
        metrics=(Metric("lpips", direction="lower", low=0, high=9),),
        device=case.device,
    )
    facts: dict[str, Any] = {"benchmark": "bench", "split": "", "category": (), "instruction": ""}
    both = []
    for a, b in pairs:
        sample = Sample(id=a.stem, images=(a,), output_stems=(a.stem,), **facts)
        both.append((sample, Edit(sample=a.stem, editor=b.stem, path=b)))

    def work() -> list[float]:
        lpips._features.cache_clear()
        batches = (both[start : start + 16] for start in range(0, len(both), 16))
        scores = [one[0] for batch in batches for _, one in scorer.score_many(batch)]
        assert all(score.value is not None for score in scores), scores[0].reason
        return [score.value or 0.0 for score in scores]

    return work


def lpips(case: Case, place: Path) -> tuple[int, Work]:
    every = draw(place, case.inputs, case.models)
    pairs = [(original, output) for original, outputs in every for output in outputs]
    work = lpips_ours(case, pairs, place) if case.ours else lpips_usual(case, pairs)
    return len(pairs), work


def write_clip(place: Path) -> Path:
    """A ViT-L/14 of full size with seeded weights, in the folder clip-vit-large-patch14."""
    import torch
    from tests.networks import tiny
    from transformers import CLIPConfig, CLIPModel

    place = tiny.write_clip(place / "clip-vit-large-patch14")
    torch.manual_seed(0)
    config = CLIPConfig.from_pretrained(place)
    size = {"hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24}
    size |= {"num_attention_heads": 16, "image_size": 224, "patch_size": 14}
    config.vision_config.update({**size, "projection_dim": 768})
    config.text_config.update({"projection_dim": 768})
    config.projection_dim = 768
    CLIPModel(config).save_pretrained(place)
    return place


def batches(case: Case, paths: list[Path], read: Work, features: Work, size: int) -> Work:
    """Features of pictures that are read ahead, as our scorers do it."""
    from editgauge.networks.runtime import batched, read_ahead, reading_for, resolve, threads

    def work() -> Any:
        with threads():
            depth, workers = reading_for(resolve(case.device).device, size)
            ahead = read_ahead(paths, read, depth=depth, workers=workers)
            groups = batched(ahead, size)
            return np.concatenate([features([data for _, data in group]) for group in groups])

    return work


def clip(case: Case, place: Path) -> tuple[int, Work]:
    import torch
    import transformers
    from PIL import Image

    from editgauge.images import read_image
    from editgauge.networks.clip import ClipModel, preprocess
    from editgauge.networks.runtime import resolve

    paths = [path for path, _ in draw(place, case.inputs * 4, 0)]
    if case.ours:
        own = ClipModel(case.clip, runtime=resolve(case.device))
        size = 16 if case.device == "cpu" else 64
        read = lambda path: preprocess(read_image(path))  # noqa: E731
        return len(paths), batches(case, paths, read, own.image_features, size)
    model = transformers.CLIPModel.from_pretrained(case.clip).eval().to(case.device)
    processor = transformers.CLIPImageProcessorPil()

    def features(path: Path) -> np.ndarray:
        inputs = processor(Image.open(path).convert("RGB"), return_tensors="pt").to(case.device)
        out = model.get_image_features(**inputs)
        return getattr(out, "pooler_output", out)[0].float().cpu().numpy()

    def work() -> np.ndarray:
        with torch.no_grad():
            return np.stack([features(path) for path in paths])

    return len(paths), work


CASES = {"lpips": lpips, "clip": clip}


def figures(case: Case) -> Figures:
    """In a process of its own."""
    import torch

    torch.set_num_threads(case.threads)
    with folder() as place:
        count, prepared = CASES[case.name](case, place)

        def work() -> Any:
            value = prepared()
            if case.device != "cpu":
                torch.cuda.synchronize()
            return value

        seconds, values = least(work, case.repeats)
    peak = torch.cuda.max_memory_allocated() / 1e6 if case.device != "cpu" else 0.0
    return Figures(Seconds(*(count / one for one in seconds)), np.asarray(values), peak)


def measured(case: Case) -> tuple[Figures, str]:
    names = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "EDITGAUGE_THREADS")
    os.environ.update(dict.fromkeys(names, str(case.threads)))
    found, megabytes = in_a_process(figures, case)
    words = f"{found.rate.wall:.3g} a second, {megabytes:.0f} MB"
    words += f" + {found.gpu_megabytes:.0f} on the GPU" if found.gpu_megabytes else ""
    return found, words


def compare(title: str, case: Case) -> None:
    """Print ours beside the usual library's."""
    usual, usual_words = measured(replace(case, ours=False))
    ours, words = measured(case)
    wall, processor = (a / b for a, b in zip(ours.rate, usual.rate, strict=True))
    gap = np.abs(ours.values - usual.values).max() / np.abs(usual.values).max()
    print(f"{title}, {case.threads} thread(s): {words}; usual {usual_words}")
    print(f"    ratio {wall:.2f} (processor seconds {processor:.2f}), ", end="")
    print(f"largest difference {gap:.1e} of the largest value", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", default=list(CASES), choices=list(CASES))
    parser.add_argument("--nets", nargs="+", default=["squeeze", "alex"])
    parser.add_argument("--models", type=int, default=10, help="outputs of one input, for LPIPS")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--inputs", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=2)
    given = parser.parse_args()
    for threads in given.threads:
        base = Case(
            "", inputs=given.inputs, threads=threads, device=given.device, repeats=given.repeats
        )
        for net in given.nets if "lpips" in given.only else ():
            case = replace(base, name="lpips", net=net)
            compare(f"LPIPS {net}", case)
            several = replace(case, inputs=1, models=given.models)
            compare(f"LPIPS {net}, {given.models} models", several)
        if "clip" in given.only:
            with folder() as place:
                compare("CLIP ViT-L/14", replace(base, name="clip", clip=write_clip(place)))


if __name__ == "__main__":
    main()
