"""Samples that show nearly the same picture: perceptual hashes of inputs, compared in pairs.

The hash is pHash of the ImageHash package: 64 bits of the low frequencies of a 32 x 32 picture.
Another size, another compression or a little noise change a few bits; another picture changes about
half of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from editgauge.errors import ImageError, MissingExtra
from editgauge.images import read_image

NEAR = 6
"""Bits of 64 in which two pictures may differ and still be nearly the same."""


class Near(NamedTuple):
    """Two samples whose inputs are nearly the same; `leak` when they are of two splits."""

    first: str
    second: str
    bits: int
    leak: bool


def near_duplicates(
    records: Sequence[Mapping[str, Any]], root: Path, *, most: int = NEAR
) -> list[Near]:
    """Every pair of samples with inputs that differ in at most `most` bits, nearest first.

    A picture that cannot be read is left out. Raises `MissingExtra` without ImageHash.
    """
    hashes: list[npt.NDArray[np.bool_]] = []
    owners: list[int] = []
    for number, record in enumerate(records):
        for path in record["images"]:
            try:
                hashes.append(perceptual_hash(root / path))
            except ImageError:
                continue
            owners.append(number)
    found: dict[tuple[int, int], int] = {}
    for one in range(len(hashes)):
        bits = (np.array(hashes[one + 1 :]) != hashes[one]).sum(axis=1) if hashes[one + 1 :] else []
        for other, distance in enumerate(bits, start=one + 1):
            pair = (owners[one], owners[other])
            if distance <= most and pair[0] != pair[1]:
                found[pair] = min(int(distance), found.get(pair, 64))
    made = [
        Near(
            records[first]["id"],
            records[second]["id"],
            bits,
            (records[first].get("split") or "") != (records[second].get("split") or ""),
        )
        for (first, second), bits in found.items()
    ]
    return sorted(made, key=lambda near: (not near.leak, near.bits, near.first, near.second))


def perceptual_hash(path: Path) -> npt.NDArray[np.bool_]:
    """pHash of a picture: shape (64,), bool. Raises `ImageError` for one that cannot be read."""
    try:
        import imagehash
    except ImportError as error:
        raise MissingExtra("finding near-duplicates", "ImageHash", "study") from error
    from PIL import Image

    return np.asarray(imagehash.phash(Image.fromarray(read_image(path))).hash).ravel()
