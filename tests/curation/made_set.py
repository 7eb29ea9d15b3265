"""A data set made in code, for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from editgauge.curation.dataset import DataSet
from editgauge.curation.records import About, Record
from editgauge.images import Array
from editgauge.testing import make_picture

SIZE = (160, 120)
BOX = (40, 30, 100, 60)
"""Left, top, right, bottom of what a reference changes."""


def scene(seed: int = 0, size: tuple[int, int] = SIZE) -> Array:
    """A picture with enough detail to be found again: smooth blobs of random colours."""
    rng = np.random.default_rng(seed)
    small = rng.integers(0, 256, (size[1] // 8 + 1, size[0] // 8 + 1, 3)).astype(np.uint8)
    import cv2

    return np.asarray(cv2.resize(small, size, interpolation=cv2.INTER_CUBIC), dtype=np.uint8)


def drawn_face(size: tuple[int, int] = (320, 320), radius: float = 80) -> Array:
    """A face from the front in the middle of a picture, of ellipses and lines, our own drawing."""
    from PIL import Image, ImageDraw, ImageFilter

    x, y, r = size[0] / 2, size[1] / 2, radius
    skin, hair, dark = (224, 182, 150), (60, 40, 30), (30, 20, 20)
    image = Image.new("RGB", size, (90, 120, 150))
    draw = ImageDraw.Draw(image)

    def ellipse(left: float, top: float, right: float, bottom: float, fill: Any) -> None:
        draw.ellipse((x + left * r, y + top * r, x + right * r, y + bottom * r), fill=fill)

    ellipse(-1.05, -1.45, 1.05, 0.4, hair)
    ellipse(-0.85, -1.15, 0.85, 1.15, skin)
    draw.pieslice((x - 0.87 * r, y - 1.2 * r, x + 0.87 * r, y - 0.1 * r), 180, 360, fill=hair)
    ellipse(-0.85, -0.95, 0.85, 0.9, skin)
    for side in (-0.36, 0.36):
        ellipse(side - 0.22, -0.28, side + 0.22, 0.0, (180, 140, 115))
        ellipse(side - 0.18, -0.21, side + 0.18, -0.03, (245, 245, 245))
        ellipse(side - 0.09, -0.21, side + 0.09, -0.03, dark)
        brow = (x + (side - 0.24) * r, y - 0.38 * r, x + (side + 0.24) * r, y - 0.4 * r)
        draw.line(brow, fill=hair, width=max(2, int(r * 0.09)))
    nose = [(x, y - 0.1 * r), (x - 0.13 * r, y + 0.3 * r), (x + 0.13 * r, y + 0.3 * r)]
    draw.polygon(nose, fill=(200, 155, 125))
    ellipse(-0.11, 0.24, -0.02, 0.32, (110, 70, 60))
    ellipse(0.02, 0.24, 0.11, 0.32, (110, 70, 60))
    ellipse(-0.32, 0.46, 0.32, 0.64, (160, 70, 70))
    return np.array(image.filter(ImageFilter.GaussianBlur(r * 0.03)))


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


__all__ = [
    "BOX",
    "SIZE",
    "add",
    "area",
    "drawn_face",
    "edited",
    "make_picture",
    "make_set",
    "scene",
]
