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
from editgauge.run.check.issues import Issue, Progress, each, issue, other_format, relative
from editgauge.types import Benchmark, Dataset, Sample

Pixels = TypeVar("Pixels", Array, Mask)
_OF_THE_RELEASE = frozenset({"category-missing", "category-unknown"})
"""What is expected of a released set, and not of one of somebody's own."""


@dataclass(frozen=True, slots=True)
class Count:
    """How many samples a split or category has ("" is the total); `published` is None where the
    benchmark does not say.
    """

    name: str
    found: int
    published: int | None


@dataclass(slots=True, kw_only=True)
class DataReport:
    """What a check of a data set found. `part`: the set or split that was loaded, "" for all."""

    benchmark: str
    root: Path
    part: str
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
    expected = [f for f in dataset.findings if not (own and f.kind in _OF_THE_RELEASE)]
    report.issues += map(Issue.of, expected)
    report.issues += _count_issues(report.counts)
    report.issues += _duplicates(samples)
    root = dataset.root.absolute()

    def look(sample: Sample) -> list[Issue]:
        said = [Issue.of(finding, sample.id) for finding in sample.findings]
        return [*said, *_Look(sample, root).files()]

    note = "reading data"
    for found in each(
        samples, look, workers=workers, progress=progress, note=note, pictures=_pictures
    ):
        report.issues += found
    return report


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
    prefix = f"{part}/" if part else ""
    names = {n.removeprefix(prefix) for n in published if n.startswith(prefix) and n} | set(found)
    of = {name: published.get(prefix + name, published.get(name)) for name in names}
    total = Count("", len(samples), published.get(part))
    return [total, *(Count(name, found[name], of[name]) for name in sorted(names))]


def _count_issues(found: Sequence[Count]) -> Iterator[Issue]:
    """Counts that are not the release's. Of a part of the release a split or category without any
    sample is none: the total says it.
    """
    whole = next(count for count in found if not count.name)
    a_part = whole.published is not None and whole.found < whole.published
    for name, number, published in ((c.name, c.found, c.published) for c in found):
        if published in (None, number) or (a_part and name and not number):
            continue
        text = f"{name or 'all'}: {number:,} samples, the release has {published:,}"
        more = published is not None and number > published
        yield issue("count", text, assumed="more than there should be" if more else "")


def _duplicates(samples: Sequence[Sample]) -> Iterator[Issue]:
    """Sample ids that occur twice (which no loader should let happen), records' ids, outputs that
    two samples share.
    """
    for identity, number in Counter(sample.id for sample in samples).items():
        if number > 1:
            yield issue("id-twice", f"{number} samples have this id", sample=identity)
    by_record: dict[tuple[str, str], list[str]] = {}
    splits: dict[str, set[str]] = {}
    by_output: dict[str, list[str]] = {}
    for sample in samples:
        if record := str(sample.attributes.get("record_id") or ""):
            by_record.setdefault((record, sample.split), []).append(sample.id)
            splits.setdefault(record, set()).add(sample.split)
        if sample.output_stems:
            by_output.setdefault(sample.output_stems[0], []).append(sample.id)
    both = [record for record, names in splits.items() if len(names) > 1]
    if both:
        text = f"{len(both):,} ids of records occur in more than one split, such as {both[0]!r}"
        yield issue("record-id-splits", text)
    shared = [("record-id-twice", f"record's id {n!r}", ids) for (n, _), ids in by_record.items()]
    shared += [("output-shared", f"output {stem!r}", ids) for stem, ids in by_output.items()]
    for kind, what, ids in shared:
        if len(ids) > 1:
            also = f"the {what} is also that of {', '.join(ids[1:4])}"
            yield issue(kind, also, sample=ids[0])


@dataclass(slots=True)
class _Look:
    """Reads the pictures of one sample and collects what is wrong with them."""

    sample: Sample
    root: Path
    issues: list[Issue] = field(default_factory=list)

    def files(self) -> list[Issue]:
        """What is wrong with the sample's pictures. Each is decoded to its end once."""
        sample, image = self.sample, None
        for number, path in enumerate(dict.fromkeys(sample.images)):
            pixels = self._read(path, read_image)  # only the first is compared with the others
            image = pixels if number == 0 else image
        fitting = [
            mask for path in sample.masks.values() if (mask := self._mask(path, image)) is not None
        ]
        if sample.reference is not None:
            reference = self._read(sample.reference, read_image)
            if image is not None and reference is not None:
                # Without one of the masks nobody knows what may change
                every = fitting and len(fitting) == len(sample.masks)
                union = np.logical_or.reduce(fitting) if every else None
                self._reference(sample.reference, reference, image, union)
        return self.issues

    def _report(self, kind: str, path: Path, found: str) -> None:
        file = relative(path, self.root)
        self.issues.append(issue(kind, found, sample=self.sample.id, file=file))

    def _read(self, path: Path, reader: Callable[[Path], Pixels]) -> Pixels | None:
        """The decoded file; None, and a line where the loader has none yet, when it cannot be
        read.
        """
        if not os.path.isfile(path):  # also where the name is too long for a file system
            if all(finding.repaired for finding in self.sample.findings):
                self._report("file-missing", path, "no such file")
            return None
        try:
            pixels, header = reader(path), read_header(path)
        except DataError as error:
            self._report("file-unreadable", path, str(error).replace(f"{path}: ", ""))
            return None
        if other_format(path, header.extension):
            self._report("file-extension", path, f"{header.format} by content")
        if header.orientation != 1:
            told = f"an EXIF orientation of {header.orientation}"
            self._report("file-orientation", path, told)
        return pixels

    def _mask(self, path: Path, image: Array | None) -> Mask | None:
        """The mask where it has the input's size; an empty or full one is reported as well."""
        mask = self._read(path, read_mask)
        if mask is None:
            return None
        if not mask.any():
            self._report("mask-empty", path, "no pixel is 128 or more")
        elif mask.all():
            self._report("mask-full", path, "every pixel is 128 or more")
        if image is None or mask.shape == image.shape[:2]:
            return mask
        self._report("mask-size", path, f"{_size(mask)}, the input is {_size(image)}")
        return None

    def _reference(self, path: Path, reference: Array, image: Array, union: Mask | None) -> None:
        """Compare a reference with the input, outside the masks where those are known."""
        if reference.shape != image.shape:
            told = f"{_size(reference)}, the input is {_size(image)}"
            self._report("reference-size", path, told)
        elif np.array_equal(reference, image):
            self._report("reference-same", path, "the same pixels as the input")
        elif union is not None:
            difference = outside_difference(image, reference, union)
            if difference is not None:
                self._report("reference-outside", path, str(difference))


def _pictures(sample: Sample) -> set[Path]:
    reference = [sample.reference] if sample.reference is not None else []
    return {*sample.images, *sample.masks.values(), *reference}


def _size(pixels: Array | Mask) -> str:
    return f"{pixels.shape[1]} x {pixels.shape[0]}"
