"""Samples of two splits that show nearly the same picture: what is learned from the one is known of
the other, and no set leaves with such a leak.

The hash is pHash of the ImageHash package: 64 bits of the low frequencies of a 32 x 32 picture.
Another size, another compression or a little noise change a few bits; another picture changes about
half of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

from editgauge.curation.records import Record
from editgauge.errors import ImageError, MissingExtra
from editgauge.images import read_image

NEAR = 6
"""Bits of 64 in which two pictures may differ and still be nearly the same."""


def leaks(records: Sequence[Record], root: Path) -> list[tuple[Record, Record]]:
    """Every pair of samples of two splits with inputs that differ in at most `NEAR` bits; a picture
    that cannot be read is left out. Raises `MissingExtra` without ImageHash.
    """
    if len({record.split for record in records}) < 2:
        return []
    hashes = {record.id: [_hash(root / path) for path in record.images] for record in records}
    return [
        (one, other)
        for one, other in combinations(records, 2)
        if one.split != other.split
        and any(
            (a ^ b).bit_count() <= NEAR
            for a in hashes[one.id]
            for b in hashes[other.id]
            if a is not None and b is not None
        )
    ]


def _hash(path: Path) -> int | None:
    try:
        import imagehash
    except ImportError as error:
        raise MissingExtra("finding near-duplicates", "ImageHash", "study") from error
    from PIL import Image

    try:
        return int(str(imagehash.phash(Image.fromarray(read_image(path)))), 16)
    except ImageError:
        return None
