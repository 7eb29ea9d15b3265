"""Memory that a worker with each network takes on the processor: what scorers declare (`memory`,
`pixel_memory`).

    python perf/bench_memory.py                    all; about five minutes of one core
    python perf/bench_memory.py squeeze clip       some of: squeeze, alex, clip, inception

LPIPS at three sizes of frames, of which a base and the bytes a pixel follow (least squares); CLIP
ViT-L/14 with both towers and Inception-v3 with batches of 16. Full size, seeded random weights,
float32, one thread, a process of its own for each; peak resident memory.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src"), str(ROOT / "perf")]
SIDES = (256, 512, 1024)
NETS = ("squeeze", "alex")
OTHERS = ("clip", "inception")


def lpips(net: str, side: int) -> None:
    """One pair through a network with its features kept, as the scorer does."""
    from tests.metrics.test_lpips import heads
    from tests.networks import tiny

    from editgauge.metrics.lpips import Network

    network = Network(net, tiny.backbone_state(net), heads(net))
    random = np.random.default_rng(0)
    first, second = (random.integers(0, 256, (side, side, 3), np.uint8) for _ in range(2))
    network.distance(network.features(first), second[None])


def clip(place: str) -> None:
    from editgauge.networks.clip import ClipModel

    model = ClipModel(Path(place))
    model.image_features([np.zeros((3, 224, 224), np.float32)] * 16)
    model.text_features(model.tokenize(["a red sign"] * 16))


def inception() -> None:
    from tests.networks import tiny

    from editgauge.networks.inception import Inception

    Inception(tiny.inception_state()).features([np.zeros((299, 299, 3), np.uint8)] * 16)


def child(what: str, word: str) -> None:
    if what in NETS:
        lpips(what, int(word))
    elif what == "clip":
        clip(word)
    else:
        inception()
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)


def peak(what: str, word: object = "") -> int:
    threads = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "EDITGAUGE_THREADS"), "1")
    words = [sys.executable, __file__, "--child", what, str(word)]
    done = subprocess.run(
        words, capture_output=True, text=True, env={**os.environ, **threads}, check=False
    )
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])
    return int(done.stdout.split()[-1])


def main() -> None:
    if sys.argv[1:2] == ["--child"]:
        child(*sys.argv[2:4])
        return
    wanted = sys.argv[1:] or [*NETS, *OTHERS]
    for what in wanted:
        if what in NETS:
            peaks = [peak(what, side) for side in SIDES]
            each, base = np.polyfit([side * side for side in SIDES], peaks, 1)
            shown = ", ".join(
                f"{s} x {s}: {p / 1e6:.0f} MB" for s, p in zip(SIDES, peaks, strict=True)
            )
            print(f"LPIPS {what}: {base / 1e6:.0f} MB and {each:.0f} bytes a pixel ({shown})")
        elif what == "clip":
            from bench_neural import write_clip

            with tempfile.TemporaryDirectory() as folder:
                print(f"CLIP ViT-L/14: {peak('clip', write_clip(Path(folder))) / 1e6:.0f} MB")
        elif what == "inception":
            print(f"Inception-v3: {peak('inception') / 1e6:.0f} MB")
        else:
            raise SystemExit(f"{what}: wanted {', '.join((*NETS, *OTHERS))}")


if __name__ == "__main__":
    main()
