"""Samples that show nearly the same picture: perceptual hashes of inputs, compared in pairs.

The hash is pHash of the ImageHash package: 64 bits of the low frequencies of a 32 x 32 picture.
Another size, another compression or a little noise change a few bits; another picture changes about
half of them.

Two samples of two splits that show nearly the same picture are a leak: what is learned from the one
is known of the other. No set leaves with one, until somebody has looked at both and said why it is
none; that stands in the set's card.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from editgauge.curation.dataset import DataSet
from editgauge.errors import DataError, ImageError, MissingExtra, UsageError
from editgauge.images import read_image
from editgauge.web.log import Act

NEAR = 6
"""Bits of 64 in which two pictures may differ and still be nearly the same."""

_BITS = 64
_LONGEST_WHY = 500


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
    table = np.array(hashes, dtype=np.bool_).reshape(len(hashes), _BITS)
    for one in range(len(hashes)):
        bits = (table[one + 1 :] != table[one]).sum(axis=1)
        for place in np.flatnonzero(bits <= most):
            pair = (owners[one], owners[one + 1 + int(place)])
            if pair[0] != pair[1]:
                found[pair] = min(int(bits[place]), found.get(pair, _BITS))
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


def leaks(records: Sequence[Mapping[str, Any]], root: Path) -> list[Near]:
    """The pairs of two splits that nobody has accepted, nearest first; a set with one split has
    none. Raises as `near_duplicates` does.
    """
    if len({record.get("split") or "" for record in records}) < 2:
        return []
    by_id = {record["id"]: record for record in records}
    return [
        near
        for near in near_duplicates(records, root)
        if near.leak and not why_accepted(by_id[near.first], by_id[near.second])
    ]


def told(
    records: Sequence[Mapping[str, Any]], root: Path, *, most: int = NEAR
) -> list[dict[str, Any]]:
    """`near_duplicates` as JSON values, with ``why`` a pair is no leak where somebody said so."""
    by_id = {record["id"]: record for record in records}
    made = []
    for near in near_duplicates(records, root, most=most):
        why = why_accepted(by_id[near.first], by_id[near.second])
        made.append({**near._asdict(), "leak": near.leak and not why, "why": why})
    return made


def accept(data: DataSet, first: str, second: str, why: str, who: str) -> dict[str, Any]:
    """Say why two samples that show nearly the same are no leak; it holds for their pictures as
    they are. An empty `why` takes it back. Returns the first one's record.

    Raises `DataError` for an endless text, `UsageError` for samples that there are not or one
    sample twice.
    """
    if first == second:
        raise UsageError(f"{first!r}: wanted two samples")
    if len(why) > _LONGEST_WHY:
        raise DataError(f"why: wanted at most {_LONGEST_WHY} characters, found {len(why)}")
    other = data.record(second)
    data.record(first)
    if second < first:
        return accept(data, second, first, why, who)

    def made(record: dict[str, Any]) -> Mapping[str, Any]:
        alike = dict(record.get("alike") or {})
        alike.pop(second, None)
        if why.strip():
            alike[second] = {"why": why.strip(), "pictures": _of_both(record, other)}
        return {"alike": alike or None}

    return data.update(first, made, Act(who, "compared", why.strip()))


def why_accepted(one: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    """What was said of two samples, of their pictures as they are; "" where nothing was."""
    for record, with_ in ((one, other), (other, one)):
        said = (record.get("alike") or {}).get(with_["id"])
        if said and said["pictures"] == _of_both(one, other):
            return str(said["why"])
    return ""


def accepted(records: Sequence[Mapping[str, Any]]) -> list[tuple[str, str, str]]:
    """Every accepted pair of samples, and why: for the card."""
    by_id = {record["id"]: record for record in records}
    return [
        (record["id"], other, why)
        for record in records
        for other in record.get("alike") or {}
        if other in by_id and (why := why_accepted(record, by_id[other]))
    ]


def _of_both(one: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    both = "\n".join(sorted((*one["images"], "", *other["images"])))
    return hashlib.blake2b(both.encode(), digest_size=8).hexdigest()


def perceptual_hash(path: Path) -> npt.NDArray[np.bool_]:
    """pHash of a picture: shape (64,), bool. Raises `ImageError` for one that cannot be read."""
    try:
        import imagehash
    except ImportError as error:
        raise MissingExtra("finding near-duplicates", "ImageHash", "study") from error
    from PIL import Image

    return np.asarray(imagehash.phash(Image.fromarray(read_image(path))).hash).ravel()
