"""Coloured squares in MedEBench's layout, and a tiny random InstructPix2Pix on disk."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from editgauge.images import write_png
from tests.editors import tiny_pipelines

TASK = "Reconstruct ear."
TARGET = (40, 200, 60)
SIDE = 16


def write_data(root: Path, count: int = 8, *, other_task: int = 0) -> Path:
    """`count` squares of random colours of one task, and some of a second one. No two pictures are
    the same.
    """
    random = np.random.default_rng(0)
    records = []
    for number in range(1, count + other_task + 1):
        before = np.full((SIDE, SIDE, 3), random.integers(0, 256, 3), np.uint8)
        after = np.full((SIDE, SIDE, 3), TARGET + random.integers(-20, 21, 3), np.uint8)
        before[0, 0, 0] = after[0, 0, 0] = number
        mask = np.zeros((SIDE, SIDE), np.bool_)
        mask[4:12, 4:12] = True
        folder = root / "editing"
        write_png(folder / "previous" / f"{number}.png", before)
        write_png(folder / "changed" / f"{number}.png", after)
        write_png(folder / "previous_mask" / f"{number}.png", mask)
        pictures = {"previous": "previous_image", "changed": "changed_image"}
        pictures["previous_mask"] = "previous_mask"
        facts = {key: f"editing/{folder}/{number}.png" for folder, key in pictures.items()}
        task = TASK if number <= count else "Reconstruct nose."
        facts |= {"organ": "Ears", "task": task, "prompt": "make it green"}
        facts |= {"rephrased_prompt": "green it", "detailed_prompt": "the square is green"}
        records.append({"id": number, **facts})
    (root / "editing" / "editing_metadata.json").write_text(json.dumps({"samples": records}))
    return root


def pipeline(folder: Path) -> Path:
    """A tiny random InstructPix2Pix, saved as published ones are."""
    return tiny_pipelines.instructpix2pix(folder)
