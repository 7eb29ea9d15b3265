"""Editors whose result is known beforehand: the ends of every scale. A metric that does not put
them in the order its definition promises is broken, or used on data it cannot measure.
"""

from __future__ import annotations

import bisect
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import numpy as np

from editgauge.editors.delivery import faulty, settings_of
from editgauge.editors.editor import BaseEditor
from editgauge.errors import ImageError
from editgauge.images import read_header, read_image, write_bytes, write_png
from editgauge.types import Edit, Sample, Status

GREY = 128
"""The level of `blank`: the middle of 0 to 255, rounded up."""
ABOUT = {
    "copy": "The input itself, byte for byte, whatever the instruction says.",
    "reference": "The benchmark's own reference edit, byte for byte; not applicable without one.",
    "blank": "A uniform mid-grey PNG (RGB 128, 128, 128) of the input's size as stored.",
    "shuffle": "The first input of another sample, by the two ids alone: of another category "
    "where there is one.",
}


def _named(name: str) -> Callable[..., Anchor]:
    def factory(samples: Sequence[Sample], **settings: object) -> Anchor:
        settings_of(name, settings, msgspec.Struct)
        return Anchor(name, _partners(samples) if name == "shuffle" else {})

    factory.__doc__ = ABOUT[name]
    return factory


copy, reference, blank, shuffle = map(_named, ABOUT)


@dataclass(frozen=True)
class Anchor(BaseEditor):
    """See `ABOUT`. `partners`: for `shuffle`, a sample's id -> its partner."""

    name: str
    partners: Mapping[str, Sample] = field(default_factory=dict)

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        if (fault := faulty(sample, self.name)) is not None:
            return fault
        detail, what, source = {}, "input image", sample.images[0]
        if self.name == "reference":
            if sample.reference is None:
                return self._none(sample, Status.NOT_APPLICABLE, "the sample has no reference edit")
            what, source = "reference edit", sample.reference
        if self.name == "shuffle":
            if (partner := self.partners.get(sample.id)) is None:
                why = "there is no other sample with an input to take"
                return self._none(sample, Status.NOT_APPLICABLE, why)
            detail, source = {"taken_from": partner.id}, partner.images[0]
            what = f"input image of sample {partner.id}"
        try:
            header = read_header(source)
            read_image(source)
        except ImageError as error:  # rows hold no machine's paths: the file's own name says which
            why = f"{what}: {str(error).replace(str(source), source.name)}"
            return self._none(sample, Status.DATASET_FAULT, why)
        path = folder / f"{self.name}{'.png' if self.name == 'blank' else header.extension}"
        if self.name == "blank":
            write_png(path, np.full((header.height, header.width, 3), GREY, dtype=np.uint8))
        else:
            write_bytes(path, source.read_bytes())
        return Edit(
            sample=sample.id, editor=self.name, path=path, width=header.width,
            height=header.height, detail=detail,
        )  # fmt: skip

    def _none(self, sample: Sample, status: Status, why: str) -> Edit:
        return Edit.without(sample.id, self.name, status, why)


def _partners(samples: Sequence[Sample]) -> dict[str, Sample]:
    """For each sample the next on a ring of hashed ids, of another broad category if possible."""
    usable = [sample for sample in samples if sample.images and sample.fault is None]
    ring = sorted(usable, key=lambda sample: _hash(sample.id))
    keys = [_hash(sample.id) for sample in ring]
    partners: dict[str, Sample] = {}
    for sample in samples:
        start = bisect.bisect_left(keys, _hash(sample.id))
        around = ring[start:] + ring[:start]
        others = [o for o in around if o.id != sample.id and o.images[:1] != sample.images[:1]]
        apart = (other for other in others if other.category[:1] != sample.category[:1])
        if others:
            partners[sample.id] = next(apart, others[0])
    return partners


def _hash(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=8).digest()
