"""A data set made in code, for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from editgauge.curation.dataset import DataSet
from editgauge.curation.records import About, Record
from editgauge.images import Array

SIZE = (160, 120)
BOX = (40, 30, 100, 60)
"""Left, top, right, bottom of what a reference changes."""


def scene(seed: int = 0, size: tuple[int, int] = SIZE) -> Array:
    """A picture with enough detail to be found again: smooth blobs of random colours."""
    rng = np.random.default_rng(seed)
    small = rng.integers(0, 256, (size[1] // 8 + 1, size[0] // 8 + 1, 3)).astype(np.uint8)
    import cv2

    return np.asarray(cv2.resize(small, size, interpolation=cv2.INTER_CUBIC), dtype=np.uint8)


def edited(pixels: Array) -> Array:
    made = pixels.copy()
    left, top, right, bottom = BOX
    made[top:bottom, left:right] = 255 - made[top:bottom, left:right]
    return made


def area(size: tuple[int, int] = SIZE) -> Any:
    mask = np.zeros((size[1], size[0]), dtype=np.bool_)
    left, top, right, bottom = BOX
    mask[top:bottom, left:right] = True
    return mask


def make_set(root: Path, count: int = 2, **about: Any) -> DataSet:
    data = DataSet.create(root, About(**{"name": "wards", **about}))
    for number in range(count):
        add(data, number)
    return data


def add(data: DataSet, number: int, **fields: Any) -> Record:
    pixels = scene(number)
    before, after = data.keep(pixels), data.keep(edited(pixels))
    facts = {
        "id": f"s{number:02d}",
        "instruction": 'Replace "OLD" with "NEW".',
        "images": [before],
        "reference": after,
        "pictures": {before: {"looked": "ann"}, after: {"looked": "ann"}},
        "masks": {"input": data.keep(area(), "masks")},
        "category": ["Lung", "remove nodule"] if number % 2 else ["Brain", "remove tumour"],
        "source_text": "OLD",
        "target_text": "NEW",
        "caption": "a NEW sign",
        "change": "Edit this scan to take the lesion out.",
        "attributes": {"difficulty": "hard" if number % 3 else "easy", "operation": "text_change"},
        **fields,
    }
    return data.add(facts, "ann")
