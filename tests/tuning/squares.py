"""Coloured squares in MedEBench's layout: an input, the square that it is to become, a mask, and a
tiny random InstructPix2Pix whose encoder is learned in a moment, so that its pictures mean
something.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from tests.editors import tiny_pipelines

from editgauge.images import write_png

TASK = "Turn squares green."
TARGET = (40, 200, 60)
SIDE = 16


def write_data(root: Path, count: int = 8, *, other_task: int = 0, seed: int = 0) -> Path:
    """`count` squares of random colours whose reference is a green one, and some of a second
    task.
    """
    random = np.random.default_rng(seed)
    records = []
    for number in range(1, count + other_task + 1):
        task = TASK if number <= count else "Turn squares black"
        before = np.full((SIDE, SIDE, 3), random.integers(0, 256, 3), np.uint8)
        shade = random.integers(-20, 21, 3)  # no two references are the same picture
        after = np.clip(np.array(TARGET) + shade, 0, 255).astype(np.uint8)
        mask = np.zeros((SIDE, SIDE), np.bool_)
        mask[4:12, 4:12] = True
        for folder, pixels in (
            ("previous", before),
            ("changed", np.broadcast_to(after, before.shape).copy()),
            ("previous_mask", mask),
        ):
            write_png(root / "editing" / folder / f"{number}.png", pixels)
        records.append(
            {
                "id": number,
                "organ": "Skin",
                "task": task,
                "prompt": "make it green",
                "rephrased_prompt": "green it",
                "detailed_prompt": "the square is green",
                "previous_image": f"editing/previous/{number}.png",
                "changed_image": f"editing/changed/{number}.png",
                "previous_mask": f"editing/previous_mask/{number}.png",
            }
        )
    (root / "editing" / "editing_metadata.json").write_text(json.dumps({"samples": records}))
    return root


def pipeline(folder: Path) -> Path:
    return tiny_pipelines.instructpix2pix(folder)


def tensors(file: Path) -> dict[str, Any]:
    from safetensors.torch import load_file

    return load_file(file)
