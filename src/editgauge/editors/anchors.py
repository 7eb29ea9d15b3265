"""Editors whose result is known beforehand: the ends of every scale.

`copy` changes nothing, `reference` is the right answer where the benchmark has one, `blank`
destroys everything, and `shuffle` is a good picture of something else. A metric that does not put
them in the order its definition promises is broken, or is used on data it cannot measure; so they
belong in every table as lines to read the models against.
"""

from __future__ import annotations

import bisect
import hashlib
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from editgauge.editors.editor import BaseEditor
from editgauge.errors import ImageError, UsageError
from editgauge.images import read_header, read_image, write_bytes, write_png
from editgauge.types import Edit, Sample, Status

GREY = 128
"""The level of `blank`: the middle of 0 to 255, rounded up."""
REACH = 256
"""How many neighbours `shuffle` looks at for one of another category, so that a huge flat data set
stays linear.
"""


def copy(samples: Sequence[Sample], **settings: object) -> Copy:
    """The input itself, byte for byte, whatever the instruction says. No settings."""
    del samples
    _no_settings("copy", settings)
    return Copy()


def reference(samples: Sequence[Sample], **settings: object) -> Reference:
    """The benchmark's own reference edit, byte for byte; not applicable where there is none. No
    settings.
    """
    del samples
    _no_settings("reference", settings)
    return Reference()


def blank(samples: Sequence[Sample], **settings: object) -> Blank:
    """A uniform mid-grey PNG (RGB 128, 128, 128) of the input's size as stored. No settings."""
    del samples
    _no_settings("blank", settings)
    return Blank()


def shuffle(samples: Sequence[Sample], **settings: object) -> Shuffle:
    """The first input of another of `samples`, byte for byte: of another category where there is
    one. Which one depends only on the two ids, so it is the same in every run over the same
    samples. No settings.
    """
    _no_settings("shuffle", settings)
    return Shuffle(_partners(samples))


@dataclass(frozen=True)
class Copy(BaseEditor):
    """See `copy`."""

    name: str = "copy"

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        return _same_bytes(self.name, sample, _first(sample), folder, "input image")


@dataclass(frozen=True)
class Reference(BaseEditor):
    """See `reference`."""

    name: str = "reference"

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        if sample.reference is None:
            reason = "the sample has no reference edit"
            return Edit.without(sample.id, self.name, Status.NOT_APPLICABLE, reason)
        return _same_bytes(self.name, sample, sample.reference, folder, "reference edit")


@dataclass(frozen=True)
class Blank(BaseEditor):
    """See `blank`."""

    name: str = "blank"

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        source = _source(self.name, sample, _first(sample), "input image")
        if isinstance(source, Edit):
            return source
        header, path = read_header(source), folder / "blank.png"
        write_png(path, np.full((header.height, header.width, 3), GREY, dtype=np.uint8))
        return _edit(self.name, sample, path)


@dataclass(frozen=True)
class Shuffle(BaseEditor):
    """See `shuffle`. `partners` maps a sample's id to the id and the first input of its partner."""

    partners: dict[str, tuple[str, Path]]
    name: str = "shuffle"

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        if sample.id not in self.partners:
            reason = "there is no other sample with an input to take"
            return Edit.without(sample.id, self.name, Status.NOT_APPLICABLE, reason)
        partner, path = self.partners[sample.id]
        edit = _same_bytes(self.name, sample, path, folder, f"input image of sample {partner}")
        return replace(edit, detail={"taken_from": partner}) if edit.ok else edit


def _partners(samples: Sequence[Sample]) -> dict[str, tuple[str, Path]]:
    """For each sample the next one on a ring ordered by the hash of the ids, of another broad
    category if possible.

    A hash rather than a draw or a shift: it is the same everywhere, neighbours in the list do not
    become partners, and leaving samples out (``--limit``) changes few of the other pairs.
    """
    usable = [sample for sample in samples if sample.images and sample.fault is None]
    ring = sorted(usable, key=lambda s: (_hash(s.id), s.id))
    keys = [_hash(sample.id) for sample in ring]
    found: dict[str, tuple[str, Path]] = {}
    for sample in samples:
        start = bisect.bisect_left(keys, _hash(sample.id))
        around = (ring[(start + step) % len(ring)] for step in range(len(ring)))
        others = (o for o in around if o.id != sample.id and o.images[:1] != sample.images[:1])
        partner: Sample | None = None
        for other in itertools.islice(others, REACH):
            if other.category[:1] != sample.category[:1]:
                partner = other
                break
            # Within one broad category the first on the ring does, unless one of another task comes
            # along.
            if partner is None or (partner.category == sample.category != other.category):
                partner = other
        if partner is not None:
            found[sample.id] = (partner.id, partner.images[0])
    return found


def _hash(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=8).digest()


def _source(name: str, sample: Sample, picture: Path | None, what: str) -> Path | Edit:
    """The file to take, or the edit that says why there is none: the fault is the data set's, not
    the editor's.
    """
    reason = sample.fault or ("" if picture else f"the sample has no {what}")
    if picture is not None and not reason:
        try:
            read_image(picture)
            return picture
        except ImageError as error:  # rows hold no machine's paths: the file's own name says which
            reason = f"{what}: {str(error).replace(str(picture), picture.name)}"
    return Edit.without(sample.id, name, Status.DATASET_FAULT, reason)


def _same_bytes(name: str, sample: Sample, picture: Path | None, folder: Path, what: str) -> Edit:
    """An edit that is `picture` byte for byte; its extension is that of its content."""
    source = _source(name, sample, picture, what)
    if isinstance(source, Edit):
        return source
    path = folder / f"{name}{read_header(source).extension}"
    write_bytes(path, source.read_bytes())
    return _edit(name, sample, path)


def _edit(name: str, sample: Sample, path: Path) -> Edit:
    header = read_header(path)
    return Edit(sample=sample.id, editor=name, path=path, width=header.width, height=header.height)


def _first(sample: Sample) -> Path | None:
    return sample.images[0] if sample.images else None


def _no_settings(name: str, settings: dict[str, object]) -> None:
    if settings:
        raise UsageError(
            f"editor {name!r} has no settings, found {', '.join(sorted(settings))}; leave them out"
        )
