"""Is a data set whole, readable, and what its benchmark says it is?"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
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
    issues: list[Issue]


def check_data(
    benchmark: Benchmark, dataset: Dataset, *, progress: Progress | None = None
) -> DataReport:
    """Read every sample and every picture of a data set and list what is wrong or was repaired, in
    a stable order.
    """
    samples, root = list(dataset), dataset.root.absolute()
    own, part = own_set(dataset.root), str(getattr(dataset, "part", ""))
    counted = counts(samples, {} if own else benchmark.published_counts, part)
    expected = [f for f in dataset.findings if not (own and f.kind in _OF_THE_RELEASE)]
    issues = [*map(Issue.of, expected), *_count_issues(counted), *_twice(samples)]

    def look(sample: Sample) -> list[Issue]:
        said = [Issue.of(finding, sample.id) for finding in sample.findings]
        faults = (
            issue(kind, found, sample=sample.id, file=relative(path, root))
            for kind, path, found in _pictures(sample)
        )
        return [*said, *faults]

    for found in each(samples, look, "reading data", progress):
        issues += found
    return DataReport(
        benchmark=benchmark.name,
        root=dataset.root,
        part=part,
        samples=samples,
        counts=counted,
        issues=issues,
    )


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
    total = found[0]
    a_part = total.published is not None and total.found < total.published
    for one in found:
        if one.published not in (None, one.found) and not (a_part and one.name and not one.found):
            text = f"{one.name or 'all'}: {one.found:,} samples, the release has {one.published:,}"
            yield issue("count", text)


def _twice(samples: Sequence[Sample]) -> Iterator[Issue]:
    """Sample ids that occur twice (which no loader should let happen), records' ids, outputs that
    two samples share.
    """
    by: dict[tuple[str, str], list[Sample]] = {}
    for sample in samples:
        by.setdefault(("id-twice", sample.id), []).append(sample)
        if record := sample.attributes.get("record_id"):
            name = f"{sample.split} {record}".strip()  # its splits may count from 1 each
            by.setdefault(("record-id-twice", name), []).append(sample)
        for stem in sample.output_stems[:1]:
            by.setdefault(("output-shared", stem), []).append(sample)
    for kind in ("id-twice", "record-id-twice", "output-shared"):
        for (of, name), same in by.items():
            if of == kind and len(same) > 1:
                others = ", ".join(one.id for one in same[1:4])
                yield issue(kind, f"{name!r} is also that of {others}", sample=same[0].id)


def _pictures(sample: Sample) -> list[tuple[str, Path, str]]:
    """What is wrong with the pictures of a sample: the kind, the file, what was found. Each is
    decoded to its end once.
    """
    said: list[tuple[str, Path, str]] = []
    seen = [_read(path, read_image, sample, said) for path in dict.fromkeys(sample.images)]
    image = seen[0] if seen else None
    fitting: list[Mask] = []
    paths = set(sample.masks.values())
    for path in sorted(paths):
        if (mask := _read(path, read_mask, sample, said)) is not None:
            said += [(kind, path, found) for kind, found in _of_mask(mask, image)]
            fitting += [mask] if image is None or mask.shape == image.shape[:2] else []
    if sample.reference is not None:
        reference = _read(sample.reference, read_image, sample, said)
        if image is not None and reference is not None:
            # Without one of the masks nobody knows what may change
            every = fitting and len(fitting) == len(paths)
            union = np.logical_or.reduce(fitting) if every else None
            told = _of_reference(reference, image, union)
            said += [(kind, sample.reference, found) for kind, found in told]
    return said


def _read(
    path: Path, reader: Callable[[Path], Pixels], sample: Sample, said: list[tuple[str, Path, str]]
) -> Pixels | None:
    """The decoded file; None, and a line where the loader has none yet, when it cannot be read."""
    if not os.path.isfile(path):  # also where the name is too long for a file system
        if all(finding.repaired for finding in sample.findings):
            said.append(("file-missing", path, "no such file"))
        return None
    try:
        pixels, header = reader(path), read_header(path)
    except DataError as error:
        said.append(("file-unreadable", path, str(error).replace(f"{path}: ", "")))
        return None
    if other_format(path, header.extension):
        said.append(("file-extension", path, f"{header.format} by content"))
    if header.orientation != 1:
        said.append(("file-orientation", path, f"an EXIF orientation of {header.orientation}"))
    return pixels


def _of_mask(mask: Mask, image: Array | None) -> Iterator[tuple[str, str]]:
    if not mask.any():
        yield "mask-empty", "no pixel is 128 or more"
    elif mask.all():
        yield "mask-full", "every pixel is 128 or more"
    if image is not None and mask.shape != image.shape[:2]:
        yield "mask-size", f"{_size(mask)}, the input is {_size(image)}"


def _of_reference(reference: Array, image: Array, union: Mask | None) -> Iterator[tuple[str, str]]:
    """A reference compared with the input, outside the masks where those are known."""
    if reference.shape != image.shape:
        yield "reference-size", f"{_size(reference)}, the input is {_size(image)}"
    elif np.array_equal(reference, image):
        yield "reference-same", "the same pixels as the input"
    elif union is not None:
        difference = outside_difference(image, reference, union)
        if difference is not None:
            yield "reference-outside", str(difference)


def _size(pixels: Array | Mask) -> str:
    return f"{pixels.shape[1]} x {pixels.shape[0]}"
