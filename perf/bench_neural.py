"""Neural metrics against the usual libraries, in the same run: pairs or images a second, ratios,
peak memory.

    python perf/bench_neural.py                        everything, one and two threads, on the CPU
    python perf/bench_neural.py --only lpips --threads 1
    python perf/bench_neural.py --device cuda          the same on a GPU, with bfloat16 and float16 beside float32

Backbones have full size and seeded random weights (values mean nothing, time and memory do).
Pictures are 1024 x 1024 JPEGs; reading them is part of the time. Every measurement runs in a
process of its own, so that peak memory is its own, warms up first, and is repeated; the best repeat
counts. "Waited" is the share of the time in which the network had nothing to do because pictures were
still being read; on a GPU the rest is the network and its copies. "Usual": torchmetrics' LPIPS pair by pair, transformers' CLIPModel and processor picture by
picture, scipy's sqrtm. The ratio of processor seconds is printed too: on a machine that does other
work at the same time it is the steadier one.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]


def draw(folder: Path, inputs: int, editors: int) -> tuple[list[Path], list[list[Path]]]:
    """`inputs` smooth coloured pictures of 1 megapixel and `editors` noisy versions of each, as
    JPEG.
    """
    import cv2

    random = np.random.default_rng(0)
    originals, outputs = [], []
    for number in range(inputs):
        rough = random.integers(0, 256, (64, 64, 3), dtype=np.uint8)
        picture = cv2.resize(rough, (1024, 1024), interpolation=cv2.INTER_CUBIC)
        path = folder / f"{number}.jpg"
        cv2.imwrite(str(path), picture)
        originals.append(path)
        edits = []
        for editor in range(editors):
            noisy = np.clip(picture + random.normal(0, 4 + editor, picture.shape), 0, 255).astype(
                np.uint8
            )
            edits.append(folder / f"{number}-{editor}.jpg")
            cv2.imwrite(str(edits[-1]), noisy)
        outputs.append(edits)
    return originals, outputs


def best(repeats: int, work: Callable[[], Any], device: str) -> tuple[float, float, Any]:
    """Seconds and processor seconds of the fastest of some runs, and what the last one gave."""
    seconds, processor, value = float("inf"), float("inf"), None
    for _ in range(repeats):
        began, busy = time.perf_counter(), time.process_time()
        value = work()
        if device != "cpu":
            import torch

            torch.cuda.synchronize()
        seconds = min(seconds, time.perf_counter() - began)
        processor = min(processor, time.process_time() - busy)
    return seconds, processor, value


class Waited:
    """Counts the seconds for which somebody waits for the next of some items."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self, items: Any) -> Any:
        source = iter(items)
        while True:
            began = time.perf_counter()
            try:
                item = next(source)
            except StopIteration:
                return
            finally:
                self.seconds += time.perf_counter() - began
            yield item

    def share(self, work: Callable[[], Any]) -> float:
        """Of the time of one more run."""
        self.seconds, began = 0.0, time.perf_counter()
        work()
        return self.seconds / (time.perf_counter() - began)


WAITED = Waited()


# -- LPIPS -----------------------------------------------------------------------------------------


def lpips_usual(net: str, pairs: list[tuple[Path, Path]], device: str) -> Callable[[], list[float]]:
    import torch
    import torchmetrics.functional.image.lpips as module
    from PIL import Image
    from tests.networks import tiny

    def filled(name: str, pretrained: bool = False) -> Any:
        made = tiny.backbone(name)
        tiny.fill(made, 0)
        return made

    module._get_tv_model_features = filled
    network = module._LPIPS(pretrained=True, net=net, pnet_rand=True).eval().to(device)

    def read(path: Path) -> Any:
        pixels = np.array(Image.open(path).convert("RGB"))
        return torch.from_numpy(pixels).to(device).permute(2, 0, 1)[None].float() / 127.5 - 1

    def work() -> list[float]:
        with torch.no_grad():
            return [float(module._lpips_update(read(a), read(b), network, False)) for a, b in pairs]

    return work


def plain_frames(sample: Any, edit: Any) -> Any:
    from editgauge.images import read_image
    from editgauge.scoring.lpips import Frames

    return Frames(reference=read_image(sample.image), output=read_image(edit.path))


def lpips_ours(
    net: str, pairs: list[tuple[Path, Path]], device: str, precision: str, folder: Path
) -> Callable[[], list[float]]:
    import pytest
    from tests.networks import tiny

    from editgauge.scoring import lpips as lpips_scorer
    from editgauge.types import Edit, Metric, Sample

    patch = pytest.MonkeyPatch()
    ahead = lpips_scorer.read_ahead
    patch.setattr(lpips_scorer, "read_ahead", lambda *a, **k: WAITED(ahead(*a, **k)))
    tiny.install_lpips(patch, folder / "weights", net)
    scorer = lpips_scorer.LpipsScorer(
        frames=plain_frames,
        net=net,
        inputs=("images",),
        metrics=(Metric("lpips", direction="lower", low=0, high=9),),
        device=device,
        precision=precision,
    )
    both = [
        (
            Sample(
                benchmark="bench",
                id=a.stem,
                split="",
                category=(),
                instruction="",
                images=(a,),
                output_stems=(a.stem,),
            ),
            Edit(sample=a.stem, editor=b.stem, path=b),
        )
        for a, b in pairs
    ]

    def work() -> list[float]:
        lpips_scorer._KEPT._entries.clear()
        found = [s for i in range(0, len(both), 16) for _, s in scorer.score_many(both[i : i + 16])]
        for scores in found:
            if scores[0].value is None:
                raise SystemExit(scores[0].reason)
        return [scores[0].value or 0.0 for scores in found]

    return work


def case_lpips(args: argparse.Namespace, folder: Path) -> dict[str, Any]:
    originals, outputs = draw(folder, args.inputs, args.models if args.many else 1)
    pairs = [(a, b) for a, edits in zip(originals, outputs, strict=True) for b in edits]
    if args.engine == "usual":
        work = lpips_usual(args.net, pairs, args.device)
    else:
        work = lpips_ours(args.net, pairs, args.device, args.precision, folder)
    work()
    seconds, busy, values = best(args.repeats, work, args.device)
    return {
        "rate": len(pairs) / seconds,
        "busy": busy / len(pairs),
        "unit": "pairs/s",
        "values": values[:4],
        **_waited(args, work),
    }


# -- CLIP ------------------------------------------------------------------------------------------


def write_clip(folder: Path) -> Path:
    """A ViT-L/14 of full size with seeded weights."""
    import torch
    from tests.networks import tiny
    from transformers import CLIPConfig, CLIPModel

    place = tiny.write_clip(folder / "clip-vit-large-patch14")
    torch.manual_seed(0)
    vision = {
        "hidden_size": 1024,
        "intermediate_size": 4096,
        "num_hidden_layers": 24,
        "num_attention_heads": 16,
    }
    config = CLIPConfig.from_pretrained(place)
    config.vision_config.update(
        {**vision, "image_size": 224, "patch_size": 14, "projection_dim": 768}
    )
    config.text_config.update({"projection_dim": 768})
    config.projection_dim = 768
    CLIPModel(config).save_pretrained(place)
    return place


def case_clip(args: argparse.Namespace, folder: Path) -> dict[str, Any]:
    import torch

    originals, _ = draw(folder, args.inputs * 4, 0)
    place = Path(args.clip)
    if args.engine == "usual":
        import transformers
        from PIL import Image

        model = transformers.CLIPModel.from_pretrained(place).eval().to(args.device)
        processor = transformers.CLIPImageProcessorPil()

        def work() -> Any:
            found = []
            with torch.no_grad():
                for path in originals:
                    inputs = processor(Image.open(path).convert("RGB"), return_tensors="pt").to(
                        args.device
                    )
                    out = model.get_image_features(**inputs)
                    found.append(getattr(out, "pooler_output", out)[0].float().cpu().numpy())
            return np.stack(found)
    else:
        from editgauge.images import read_image
        from editgauge.networks.clip import ClipModel, preprocess
        from editgauge.networks.runtime import batched, read_ahead, reading_for, resolve, threads

        own = ClipModel(place, runtime=resolve(args.device, args.precision))
        size = 16 if args.device == "cpu" else 64

        def work() -> Any:
            found = []
            with threads():
                depth, workers = reading_for(own.runtime.device, size)
                ahead = read_ahead(
                    originals, lambda p: preprocess(read_image(p)), depth=depth, workers=workers
                )
                for batch in batched(WAITED(ahead), size):
                    found.append(own.image_features([data for _, data in batch]))  # type: ignore[misc]
            return np.concatenate(found)

    work()
    seconds, busy, values = best(args.repeats, work, args.device)
    made = _images(len(originals), seconds, busy, values) | _waited(args, work)
    return made | {"features": values[:4].tolist()}


def _waited(args: argparse.Namespace, work: Callable[[], Any]) -> dict[str, float]:
    return {"waited": WAITED.share(work)} if args.engine != "usual" else {}


def _images(count: int, seconds: float, busy: float, values: Any) -> dict[str, Any]:
    rates = {"rate": count / seconds, "busy": busy / count, "unit": "images/s"}
    return rates | {"values": values[:2, :2].ravel().tolist()}


# -- Fréchet distance and Inception ----------------------------------------------------------------


def case_frechet(args: argparse.Namespace, folder: Path) -> dict[str, Any]:
    del folder
    random = np.random.default_rng(0)
    a, b = (
        np.abs(random.standard_normal((args.inputs, 2048)) * random.uniform(0.1, 1, 2048))
        for _ in range(2)
    )

    def usual() -> float:
        from scipy.linalg import sqrtm

        ca, cb = np.cov(a, rowvar=False), np.cov(b, rowvar=False)
        root = np.asarray(sqrtm(ca @ cb)).real
        return float(
            ((a.mean(0) - b.mean(0)) ** 2).sum() + np.trace(ca) + np.trace(cb) - 2 * np.trace(root)
        )

    def ours() -> float:
        from editgauge.metrics.frechet import frechet_distance, moments

        return frechet_distance(moments(a), moments(b))

    seconds, busy, value = best(1, usual if args.engine == "usual" else ours, "cpu")
    return {"rate": 1 / seconds, "busy": busy, "unit": "distances/s", "values": [value]}


def case_inception(args: argparse.Namespace, folder: Path) -> dict[str, Any]:
    from tests.networks import tiny

    from editgauge.images import read_image
    from editgauge.networks.inception import Inception
    from editgauge.networks.runtime import batched, read_ahead, reading_for, resolve, threads

    originals, _ = draw(folder, args.inputs * 4, 0)
    network = Inception(tiny.inception_state(), resolve(args.device, args.precision))

    def work() -> Any:
        found = []
        with threads():
            depth, workers = reading_for(network.runtime.device, 16)
            ahead = read_ahead(originals, read_image, depth=depth, workers=workers)
            for batch in batched(WAITED(ahead), 16):
                found.append(network.features([data for _, data in batch]))  # type: ignore[misc]
        return np.concatenate(found)

    work()
    seconds, busy, values = best(args.repeats, work, args.device)
    return _images(len(originals), seconds, busy, values) | _waited(args, work)


CASES = {
    "lpips": case_lpips,
    "clip": case_clip,
    "frechet": case_frechet,
    "inception": case_inception,
}


def child(args: argparse.Namespace) -> None:
    """One measurement: prints one JSON line."""
    import torch

    torch.set_num_threads(args.threads[0])
    with tempfile.TemporaryDirectory() as folder:
        found = CASES[args.case](args, Path(folder))
    found["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    if args.device != "cpu":
        found["gpu_peak_mb"] = torch.cuda.max_memory_allocated() / 1e6
    print(json.dumps(found))


def measure(
    case: str, engine: str, threads: int, args: argparse.Namespace, **more: Any
) -> dict[str, Any]:
    words = [
        sys.executable,
        __file__,
        "--case",
        case,
        "--engine",
        engine,
        "--threads",
        str(threads),
    ]
    words += ["--device", args.device, "--repeats", str(args.repeats)]
    words += ["--models", str(args.models)]
    for name, value in more.items():
        words += [f"--{name}"] if value is True else [f"--{name}", str(value)]
    environment = {**os.environ, "EDITGAUGE_THREADS": str(threads)}
    environment |= dict.fromkeys(
        ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), str(threads)
    )
    done = subprocess.run(words, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        sys.exit(done.stderr[-3000:] or done.stdout)
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def line(name: str, threads: int, usual: dict[str, Any] | None, ours: dict[str, Any]) -> None:
    def figures(found: dict[str, Any]) -> str:
        gpu = f" + {found['gpu_peak_mb']:.0f} on the GPU" if "gpu_peak_mb" in found else ""
        waited = f", waited {found['waited']:.0%}" if "waited" in found else ""
        return f"{found['rate']:.3g} {found['unit']}, {found['peak_mb']:.0f} MB{gpu}{waited}"

    compared = ""
    if usual:
        ratios = ours["rate"] / usual["rate"], usual["busy"] / ours["busy"]
        compared = (
            f"usual {figures(usual)}; ratio {ratios[0]:.2f} (processor seconds {ratios[1]:.2f})"
        )
    print(f"{name}, {threads} thread{'s' * (threads > 1)}: {figures(ours)}; {compared}", flush=True)
    if usual and len(usual["values"]) == len(ours["values"]):
        gap = max(abs(a - b) for a, b in zip(usual["values"], ours["values"], strict=True))
        print(
            f"    largest difference {gap:.1e} at values about {max(map(abs, ours['values'])):.3g}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="lpips,clip,frechet,inception")
    parser.add_argument(
        "--nets", nargs="+", default=["squeeze", "alex"], choices=["squeeze", "alex"]
    )
    parser.add_argument(
        "--models", type=int, default=10, help="outputs of one input, for LPIPS of many models"
    )
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--repeats", type=int, default=2)
    for hidden in ("case", "engine", "net", "clip"):
        parser.add_argument(f"--{hidden}", help=argparse.SUPPRESS)
    parser.add_argument("--precision", default="float32", help=argparse.SUPPRESS)
    parser.add_argument("--inputs", type=int, default=2)
    parser.add_argument("--many", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.case:
        child(args)
        return
    half = ["bfloat16", "float16"] if args.device != "cpu" else []
    wanted = args.only.split(",")
    if unknown := set(wanted) - {"lpips", "clip", "frechet", "inception"}:
        parser.error(f"--only: unknown {', '.join(sorted(unknown))}")
    for threads in args.threads:
        if "lpips" in wanted:
            compare_lpips(threads, args, half)
        if "frechet" in wanted:
            for count in (50, 700, 3000):
                found = [
                    measure("frechet", engine, threads, args, inputs=count)
                    for engine in ("usual", "ours")
                ]
                line(f"Fréchet distance, {count} samples", threads, *found)
        if "inception" in wanted:
            for precision in ("float32", *half):
                ours = measure(
                    "inception", "ours", threads, args, inputs=args.inputs, precision=precision
                )
                line(f"Inception-v3 {precision}", threads, None, ours)
    if "clip" in wanted:
        with tempfile.TemporaryDirectory() as folder:
            place = write_clip(Path(folder))
            for threads in args.threads:
                compare_clip(threads, args, half, place)


def compare_lpips(threads: int, args: argparse.Namespace, half: list[str]) -> None:
    for net in args.nets:
        for many in (False, True):
            more: dict[str, Any] = {"net": net, "inputs": 1 if many else args.inputs} | (
                {"many": True} if many else {}
            )
            usual = measure("lpips", "usual", threads, args, **more)
            for precision in ("float32", *half):
                ours = measure("lpips", "ours", threads, args, precision=precision, **more)
                line(
                    f"LPIPS {net}{f' {args.models} models' if many else ''} {precision}",
                    threads,
                    usual,
                    ours,
                )


def compare_clip(threads: int, args: argparse.Namespace, half: list[str], place: Path) -> None:
    usual = measure("clip", "usual", threads, args, clip=place, inputs=args.inputs)
    for precision in ("float32", *half):
        ours = measure(
            "clip", "ours", threads, args, clip=place, inputs=args.inputs, precision=precision
        )
        line(f"CLIP ViT-L/14 {precision}", threads, usual, ours)
        a, b = np.array(usual["features"]), np.array(ours["features"])
        cosine = (a * b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
        print(f"    cosine to the usual features at least {cosine.min():.6f}", flush=True)


if __name__ == "__main__":
    main()
