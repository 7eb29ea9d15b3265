"""Samples that show nearly the same picture: perceptual hashes of inputs, compared in pairs.

The hash is pHash of the ImageHash package: 64 bits of the low frequencies of a 32 x 32 picture.
Another size, another compression or a little noise change a few bits; another picture changes about
half of them. Two samples of two splits that show nearly the same are a leak: what is learned from
the one is known of the other. No set leaves with one.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from editgauge.curation.records import Record
from editgauge.errors import ImageError, MissingExtra
from editgauge.images import read_image

NEAR = 6
"""Bits of 64 in which two pictures may differ and still be nearly the same."""
_BITS = 64


class Near(NamedTuple):
    """Two samples whose inputs are nearly the same."""

    first: str
    second: str
    bits: int
    leak: bool
    """They are of two splits."""


def near_duplicates(records: Sequence[Record], root: Path, *, most: int = NEAR) -> list[Near]:
    """Every pair of samples with inputs that differ in at most `most` bits, leaks first.

    A picture that cannot be read is left out. Raises `MissingExtra` without ImageHash.
    """
    hashes, owners = [], []
    for record in records:
        for path in record.images:
            try:
                hashes.append(perceptual_hash(root / path))
            except ImageError:
                continue
            owners.append(record)
    table = np.array(hashes, dtype=np.bool_).reshape(len(hashes), _BITS)
    least: dict[tuple[str, str], Near] = {}
    for number, one in enumerate(owners):
        bits = (table[number + 1 :] != table[number]).sum(axis=1)
        for place in np.flatnonzero(bits <= most):
            other, count = owners[number + 1 + int(place)], int(bits[place])
            known = least.get((one.id, other.id))
            if one is not other and (known is None or count < known.bits):
                least[one.id, other.id] = Near(one.id, other.id, count, one.split != other.split)
    return sorted(least.values(), key=lambda near: (not near.leak, near.bits, near[:2]))


def leaks(records: Sequence[Record], root: Path) -> list[Near]:
    """The pairs of two splits; a set with one split has none. Raises as `near_duplicates` does."""
    if len({record.split for record in records}) < 2:
        return []
    return [near for near in near_duplicates(records, root) if near.leak]


def perceptual_hash(path: Path) -> npt.NDArray[np.bool_]:
    """pHash of a picture: shape (64,), bool. Raises `ImageError` for one that cannot be read."""
    try:
        import imagehash
    except ImportError as error:
        raise MissingExtra("finding near-duplicates", "ImageHash", "study") from error
    from PIL import Image

    return np.asarray(imagehash.phash(Image.fromarray(read_image(path))).hash).ravel()
