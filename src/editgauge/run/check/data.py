"""Is a data set whole, readable, and what its benchmark says it is?"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import numpy as np

from editgauge.benchmarks.tree import own_set
from editgauge.errors import DataError
from editgauge.images import Array, Mask, read_header, read_image, read_mask
from editgauge.metrics.outside import outside_difference
from editgauge.run.check.issues import Issue, Level, Progress, each, relative
from editgauge.types import Benchmark, Dataset, Sample

Pixels = TypeVar("Pixels", Array, Mask)


@dataclass(frozen=True, slots=True)
class Count:
    """How many samples a split or category has; `published` is None where the benchmark does not
    say.
    """

    name: str
    """"" is the total."""
    found: int
    published: int | None


@dataclass(slots=True, kw_only=True)
class DataReport:
    """What a check of a data set found."""

    benchmark: str
    root: Path
    part: str
    """The set or split that was loaded, "" for all."""
    samples: list[Sample]
    counts: list[Count]
    issues: list[Issue] = field(default_factory=list)


def check_data(
    benchmark: Benchmark,
    dataset: Dataset,
    *,
    workers: int | None = None,
    progress: Progress | None = None,
) -> DataReport:
    """Read every sample and every picture of a data set and list what is wrong or was repaired, in
    a stable order.
    """
    samples = list(dataset)
    own = own_set(dataset.root)
    part = str(getattr(dataset, "part", ""))
    report = DataReport(
        benchmark=benchmark.name,
        root=dataset.root,
        part=part,
        samples=samples,
        counts=counts(samples, {} if own else benchmark.published_counts, part),
    )
    report.issues += [
        Issue.of(finding)
        for finding in dataset.findings
        if not (own and finding.kind in _OF_THE_RELEASE)
    ]
    report.issues += _count_issues(report.counts)
    report.issues += _duplicates(samples)
    root = dataset.root.absolute()

    def look(sample: Sample) -> list[Issue]:
        return [
            *(Issue.of(finding, sample.id) for finding in sample.findings),
            *_files(sample, root),
        ]

    for found in each(
        samples,
        look,
        workers=workers,
        progress=progress,
        note="reading data",
        pictures=_pictures,
    ):
        report.issues += found
    return report


_OF_THE_RELEASE = frozenset({"category-missing", "category-unknown"})
"""What is expected of a set of somebody's own."""


def counts(samples: Sequence[Sample], published: Mapping[str, int], part: str) -> list[Count]:
    """The total, then every split and every step of every category path, beside the published
    number where one is.

    When only a part was loaded, a key ``<part>/<name>`` of `published` counts before ``<name>``.
    Published splits and categories (of the part) that have no sample at all are in the list, with
    0.
    """
    found: Counter[str] = Counter()
    for sample in samples:
        if sample.split not in ("", "all"):
            found[sample.split] += 1
        steps = ("/".join(sample.category[: depth + 1]) for depth in range(len(sample.category)))
        found.update({name: 1 for name in steps if name != sample.split})
    names = set(found)
    prefix = f"{part}/" if part else ""
    names |= {name.removeprefix(prefix) for name in published if name.startswith(prefix) and name}
    total = published.get(part)
    of = {name: published.get(prefix + name, published.get(name)) for name in names}
    return [
        Count("", len(samples), total),
        *(Count(name, found[name], of[name]) for name in sorted(names)),
    ]


def _count_issues(found: Sequence[Count]) -> Iterator[Issue]:
    """Counts that are not the release's. Of a part of the release a split or category without any
    sample is none: the total says it.
    """
    whole = next(count for count in found if not count.name)
    a_part = whole.published is not None and whole.found < whole.published
    for count in found:
        if a_part and count.name and not count.found:
            continue
        if count.published is not None and count.found != count.published:
            name = count.name or "all"
            text = f"{name}: {count.found:,} samples, the release has {count.published:,}"
            assumed = (
                "tables are of what is here"
                if count.found < count.published
                else "more than there should be"
            )
            yield Issue(
                level=Level.ATTENTION, kind="count", sample="", file="", found=text, assumed=assumed
            )


def _duplicates(samples: Sequence[Sample]) -> Iterator[Issue]:
    """Sample ids that occur twice (which no loader should let happen), records' ids, outputs that
    two samples share.
    """
    for identity, number in Counter(sample.id for sample in samples).items():
        if number > 1:
            yield Issue(
                level=Level.ATTENTION,
                kind="id-twice",
                sample=identity,
                file="",
                found=f"{number} samples have this id",
                assumed="all are kept",
            )
    by_record: dict[tuple[str, str], list[str]] = {}
    splits: dict[str, set[str]] = {}
    by_output: dict[str, list[str]] = {}
    for sample in samples:
        record = sample.attributes.get("record_id")
        if record:
            by_record.setdefault((str(record), sample.split), []).append(sample.id)
            splits.setdefault(str(record), set()).add(sample.split)
        if sample.output_stems:
            by_output.setdefault(sample.output_stems[0], []).append(sample.id)
    both = [record for record, names in splits.items() if len(names) > 1]
    if both:
        found = f"{len(both):,} ids of records occur in more than one split, such as {both[0]!r}"
        yield Issue(
            level=Level.NOTE,
            kind="record-id-splits",
            sample="",
            file="",
            found=found,
            assumed="samples are called by their folders",
        )
    for (record, _), ids in by_record.items():
        if len(ids) > 1:
            found = f"the record's id {record!r} is also that of {', '.join(ids[1:4])}"
            yield Issue(
                level=Level.NOTE,
                kind="record-id-twice",
                sample=ids[0],
                file="",
                found=found,
                assumed="samples are called by their folders",
            )
    for stem, ids in by_output.items():
        if len(ids) > 1:
            found = f"the output {stem!r} is also that of {', '.join(ids[1:4])}"
            yield Issue(
                level=Level.ATTENTION,
                kind="output-shared",
                sample=ids[0],
                file="",
                found=found,
                assumed="one file would score for all of them",
            )


def _files(sample: Sample, root: Path) -> list[Issue]:
    """What is wrong with a sample's pictures. Each is decoded to its end once."""
    look = _Look(sample, root)
    image = None
    for number, path in enumerate(dict.fromkeys(sample.images)):
        pixels = look.image(path)  # each is read; only the first is compared with the others
        image = pixels if number == 0 else image
    masks = {name: look.mask(path) for name, path in sample.masks.items()}
    fitting = []
    for name, mask in masks.items():
        if mask is not None and look.mask_fits(name, mask, image):
            fitting.append(mask)
    if sample.reference is not None:
        reference = look.image(sample.reference)
        if image is not None and reference is not None:
            # Without one of the masks nobody knows what may change
            union = (
                np.logical_or.reduce(fitting) if fitting and len(fitting) == len(masks) else None
            )
            look.reference(sample.reference, reference, image, union)
    return look.issues


@dataclass(slots=True)
class _Look:
    """Reads the pictures of one sample and collects what is wrong with them."""

    sample: Sample
    root: Path
    issues: list[Issue] = field(default_factory=list)

    def report(
        self, kind: str, path: Path, found: str, assumed: str = "", level: Level = Level.ATTENTION
    ) -> None:
        self.issues.append(
            Issue(
                level=level,
                kind=kind,
                sample=self.sample.id,
                file=relative(path, self.root),
                found=found,
                assumed=assumed,
            )
        )

    def image(self, path: Path) -> Array | None:
        return self._read(path, read_image)

    def mask(self, path: Path) -> Mask | None:
        return self._read(path, read_mask)

    def _read(self, path: Path, reader: Callable[[Path], Pixels]) -> Pixels | None:
        """The decoded file; None, and a line where the loader has none yet, when it cannot be
        read.
        """
        if not os.path.isfile(path):  # also where the name is too long for a file system
            if all(finding.repaired for finding in self.sample.findings):
                self.report(
                    "file-missing", path, "no such file", "what needs it ends as dataset_fault"
                )
            return None
        try:
            pixels, header = reader(path), read_header(path)
        except DataError as error:
            found = str(error).replace(f"{path}: ", "")
            self.report("file-unreadable", path, found, "what needs it ends as dataset_fault")
            return None
        suffix = path.suffix.lower()
        if header.extension != {".jpeg": ".jpg", ".tiff": ".tif"}.get(suffix, suffix):
            self.report(
                "file-extension",
                path,
                f"{header.format} by content",
                "the content decides",
                Level.NOTE,
            )
        if header.orientation != 1:
            found = f"an EXIF orientation of {header.orientation}"
            self.report("file-orientation", path, found, "pixels are taken as stored", Level.NOTE)
        return pixels

    def mask_fits(self, name: str, mask: Mask, image: Array | None) -> bool:
        """Whether the mask has the input's size; an empty or full one is reported as well."""
        path = self.sample.masks[name]
        if not mask.any():
            self.report(
                "mask-empty", path, "no pixel is 128 or more", f"mask {name!r} marks nothing"
            )
        elif mask.all():
            self.report(
                "mask-full",
                path,
                "every pixel is 128 or more",
                f"mask {name!r} leaves nothing to compare",
            )
        if image is None or mask.shape == image.shape[:2]:
            return True
        found = f"{_size(mask)}, the input is {_size(image)}"
        self.report("mask-size", path, found, f"mask {name!r} does not fit")
        return False

    def reference(self, path: Path, reference: Array, image: Array, union: Mask | None) -> None:
        """Compare a reference with the input, outside the masks where those are known."""
        if reference.shape != image.shape:
            found = f"{_size(reference)}, the input is {_size(image)}"
            self.report("reference-size", path, found, "resized where a score needs one size")
        elif np.array_equal(reference, image):
            self.report(
                "reference-same", path, "the same pixels as the input", "the edit changes nothing"
            )
        elif union is not None:
            difference = outside_difference(image, reference, union)
            if difference is not None:
                self.report(
                    "reference-outside",
                    path,
                    str(difference),
                    "the reference changes more than the masks allow",
                )


def _pictures(sample: Sample) -> set[Path]:
    reference = [sample.reference] if sample.reference is not None else []
    return {*sample.images, *sample.masks.values(), *reference}


def _size(pixels: Array | Mask) -> str:
    return f"{pixels.shape[1]} x {pixels.shape[0]}"
