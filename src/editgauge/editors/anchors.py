"""Editors whose result is known beforehand: the ends of every scale.

`copy` changes nothing, `reference` is the right answer where the benchmark has one, `blank`
destroys everything, and `shuffle` is a good picture of something else. A metric that does not put
them in the order its definition promises is broken, or is used on data it cannot measure.
"""

from __future__ import annotations

import bisect
import hashlib
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import numpy as np

from editgauge.editors.delivery import settings_of
from editgauge.editors.editor import BaseEditor
from editgauge.errors import ImageError
from editgauge.images import read_header, read_image, write_bytes, write_png
from editgauge.types import Edit, Sample, Status

GREY = 128
"""The level of `blank`: the middle of 0 to 255, rounded up."""
REACH = 256
"""How many neighbours `shuffle` looks at for one of another category: a huge flat data set stays
linear.
"""


class NoSettings(msgspec.Struct):
    """Anchors have none."""


def copy(samples: Sequence[Sample], **settings: object) -> Anchor:
    """The input itself, byte for byte, whatever the instruction says."""
    settings_of("copy", settings, NoSettings)
    return Anchor("copy")


def reference(samples: Sequence[Sample], **settings: object) -> Anchor:
    """The benchmark's own reference edit, byte for byte; not applicable where there is none.

    No settings.
    """
    settings_of("reference", settings, NoSettings)
    return Anchor("reference")


def blank(samples: Sequence[Sample], **settings: object) -> Anchor:
    """A uniform mid-grey PNG (RGB 128, 128, 128) of the input's size as stored."""
    settings_of("blank", settings, NoSettings)
    return Anchor("blank")


def shuffle(samples: Sequence[Sample], **settings: object) -> Anchor:
    """The first input of another sample, byte for byte: of another category where there is one.

    Which one depends only on the two ids. No settings.
    """
    settings_of("shuffle", settings, NoSettings)
    return Anchor("shuffle", _partners(samples))


@dataclass(frozen=True)
class Anchor(BaseEditor):
    """See the function of its name. `partners`: for `shuffle`, a sample's id -> its partner."""

    name: str
    partners: Mapping[str, Sample] = field(default_factory=dict)

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        if sample.fault or not sample.images:
            return self._none(sample, sample.fault or "the sample has no input image")
        partner = self.partners.get(sample.id, sample)
        picture, what = partner.images[0], "input image"
        if self.name == "reference":
            if sample.reference is None:
                reason = "the sample has no reference edit"
                return self._none(sample, reason, Status.NOT_APPLICABLE)
            picture, what = sample.reference, "reference edit"
        if self.name == "shuffle":
            if partner is sample:
                reason = "there is no other sample with an input to take"
                return self._none(sample, reason, Status.NOT_APPLICABLE)
            what = f"input image of sample {partner.id}"
        try:
            header = read_header(picture)
            read_image(picture)
        except ImageError as error:  # rows hold no machine's paths: the file's own name says which
            return self._none(sample, f"{what}: {str(error).replace(str(picture), picture.name)}")
        if self.name == "blank":
            path = folder / "blank.png"
            write_png(path, np.full((header.height, header.width, 3), GREY, dtype=np.uint8))
        else:
            path = folder / f"{self.name}{header.extension}"
            write_bytes(path, picture.read_bytes())
        detail = {"taken_from": partner.id} if self.name == "shuffle" else {}
        return Edit(
            sample=sample.id, editor=self.name, path=path, width=header.width,
            height=header.height, detail=detail,
        )  # fmt: skip

    def _none(self, sample: Sample, why: str, status: Status = Status.DATASET_FAULT) -> Edit:
        return Edit.without(sample.id, self.name, status, why)


def _partners(samples: Sequence[Sample]) -> dict[str, Sample]:
    """For each sample the next one on a ring ordered by the hash of the ids, of another broad
    category if possible. Leaving samples out changes few of the other pairs.
    """
    usable = [sample for sample in samples if sample.images and sample.fault is None]
    ring = sorted(usable, key=lambda s: (_hash(s.id), s.id))
    keys = [_hash(sample.id) for sample in ring]
    partners: dict[str, Sample] = {}
    for sample in samples:
        start = bisect.bisect_left(keys, _hash(sample.id))
        around = (ring[(start + step) % len(ring)] for step in range(len(ring)))
        others = (o for o in around if o.id != sample.id and o.images[:1] != sample.images[:1])
        near = list(itertools.islice(others, REACH))
        if near:  # the first of those that are equally far
            partners[sample.id] = min(near, key=lambda o: _nearness(o.category, sample.category))
    return partners


def _nearness(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    return 0 if one[:1] != other[:1] else 1 if one != other else 2


def _hash(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=8).digest()
