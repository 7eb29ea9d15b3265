"""How much memory does a worker with each network take on the processor: what scorers declare?

    python perf/bench_memory.py                    all; about five minutes of one core
    python perf/bench_memory.py squeeze clip       some of: squeeze, alex, clip, inception

LPIPS at three sizes of frames, of which a base and the bytes a pixel follow (least squares); CLIP
ViT-L/14 with both towers and Inception-v3 with batches of 16. Full size, seeded random weights,
float32, one thread, a process of its own for each.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from support import folder, in_a_process, one_core

SIDES = (256, 512, 1024)


def lpips(net: str, side: int) -> None:
    """One pair through a network with its features kept, as the scorer does."""
    from tests.metrics.test_lpips import heads
    from tests.networks import tiny

    from editgauge.metrics.lpips import Network

    network = Network(net, tiny.backbone_state(net), heads(net))
    random = np.random.default_rng(0)
    first, second = (random.integers(0, 256, (side, side, 3), np.uint8) for _ in range(2))
    network.distance(network.features(first), second[None])


def clip(place: Path) -> None:
    from editgauge.networks.clip import ClipModel

    model = ClipModel(place)
    model.image_features([np.zeros((3, 224, 224), np.float32)] * 16)
    model.text_features(model.tokenize(["a red sign"] * 16))


def inception() -> None:
    from tests.networks import tiny

    from editgauge.networks.inception import Inception

    Inception(tiny.inception_state()).features([np.zeros((299, 299, 3), np.uint8)] * 16)


def show_lpips(net: str) -> None:
    peaks = [in_a_process(lpips, net, side)[1] for side in SIDES]
    each, base = np.polyfit([side * side for side in SIDES], peaks, 1)
    shown = ", ".join(f"{s} x {s}: {p:.0f} MB" for s, p in zip(SIDES, peaks, strict=True))
    print(f"LPIPS {net}: {base:.0f} MB and {each * 1e6:.0f} bytes a pixel ({shown})", flush=True)


def main() -> None:
    names = ("squeeze", "alex", "clip", "inception")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("networks", nargs="*", metavar="NETWORK", help=", ".join(names))
    wanted = parser.parse_args().networks or names
    one_core()
    for name in wanted:
        if name in ("squeeze", "alex"):
            show_lpips(name)
        elif name == "clip":
            from bench_neural import write_clip

            with folder() as place:
                write_clip(place)
                peak = in_a_process(clip, place / "clip-vit-large-patch14")[1]
            print(f"CLIP ViT-L/14: {peak:.0f} MB", flush=True)
        elif name == "inception":
            print(f"Inception-v3: {in_a_process(inception)[1]:.0f} MB", flush=True)
        else:
            parser.error(f"no network {name!r}; there are: {', '.join(names)}")


if __name__ == "__main__":
    main()
