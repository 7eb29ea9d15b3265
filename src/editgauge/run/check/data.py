"""Is a data set whole, readable, and what its benchmark says it is?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import cv2
import numpy as np
import numpy.typing as npt

from editgauge.errors import DataError
from editgauge.images import Array, Mask, read_header, read_image, read_mask
from editgauge.run.check.issues import Issue, Level, Progress, each, relative
from editgauge.types import Benchmark, Dataset, Sample

Pixels = TypeVar("Pixels", Array, Mask)
BLOCK = 16
_STRIP = 64 * BLOCK
"""Rows whose blocks are averaged at once: as floating point numbers they take four times it."""
TOLERANCE = 6.0
"""A reference differs from the input outside the mask when some block of 16 x 16 pixels, none of
them masked, has another mean, by more than 6 of 255 levels in some channel.

Why that forgives JPEG and nothing else: a block's mean is its DC coefficient, which JPEG rounds to
a step. With the standard tables at quality 50 the steps are 16 (luma) and 17 (chroma), a mean is an
eighth of its coefficient, so one encoding moves a mean by at most 16 / 2 / 8 = 1.0 in luma and 1.1
in chroma, thus 1.0 + 1.772 * 1.1 = 2.9 levels in RGB; twice that where both pictures are encoded.
16 pixels are the unit in which 4:2:0 keeps chroma. Blocks that touch the mask are left out: JPEG
spreads an edit over the blocks it lies in. In the samples of TextEditBench at hand 20 of 24
references stay below 2 levels and the other four are above 6.
"""


@dataclass(frozen=True, slots=True)
class Count:
    """How many samples a split or category has; `published` is None where the benchmark does not
    say.
    """

    name: str
    """"" is the total."""
    found: int
    published: int | None


@dataclass(slots=True)
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
    part = str(getattr(dataset, "part", ""))
    report = DataReport(
        benchmark.name,
        dataset.root,
        part,
        samples,
        counts(samples, benchmark.published_counts, part),
    )
    report.issues += [Issue.of(finding) for finding in dataset.findings]
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
    for count in found:
        if count.published is not None and count.found != count.published:
            name = count.name or "all"
            text = f"{name}: {count.found:,} samples, the release has {count.published:,}"
            assumed = (
                "tables are of what is here"
                if count.found < count.published
                else "more than there should be"
            )
            yield Issue(Level.ATTENTION, "count", "", "", text, assumed)


def _duplicates(samples: Sequence[Sample]) -> Iterator[Issue]:
    """Sample ids that occur twice (which no loader should let happen), records' ids, outputs that
    two samples share.
    """
    for identity, number in Counter(sample.id for sample in samples).items():
        if number > 1:
            yield Issue(
                Level.ATTENTION,
                "id-twice",
                identity,
                "",
                f"{number} samples have this id",
                "all are kept",
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
            Level.NOTE, "record-id-splits", "", "", found, "samples are called by their folders"
        )
    for (record, _), ids in by_record.items():
        if len(ids) > 1:
            found = f"the record's id {record!r} is also that of {', '.join(ids[1:4])}"
            yield Issue(
                Level.NOTE,
                "record-id-twice",
                ids[0],
                "",
                found,
                "samples are called by their folders",
            )
    for stem, ids in by_output.items():
        if len(ids) > 1:
            found = f"the output {stem!r} is also that of {', '.join(ids[1:4])}"
            yield Issue(
                Level.ATTENTION,
                "output-shared",
                ids[0],
                "",
                found,
                "one file would score for all of them",
            )


def _files(sample: Sample, root: Path) -> list[Issue]:
    """What is wrong with a sample's pictures. Each is decoded to its end once."""
    look = _Look(sample, root)
    images = [look.image(path) for path in sample.images]
    image = images[0] if images else None
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
            Issue(level, kind, self.sample.id, relative(path, self.root), found, assumed)
        )

    def image(self, path: Path) -> Array | None:
        return self._read(path, read_image)

    def mask(self, path: Path) -> Mask | None:
        return self._read(path, read_mask)

    def _read(self, path: Path, reader: Callable[[Path], Pixels]) -> Pixels | None:
        """The decoded file; None, and a line where the loader has none yet, when it cannot be
        read.
        """
        if not path.is_file():
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
            found = outside_difference(image, reference, union) or ""
            if found:
                self.report(
                    "reference-outside",
                    path,
                    found,
                    "the reference changes more than the masks allow",
                )


def outside_difference(image: Array, reference: Array, mask: Mask) -> str | None:
    """How a reference differs from the input outside the mask, None where it does not (see
    `TOLERANCE`).

    `image`, `reference`: ndarrays of shape (H, W, 3), uint8; `mask`: shape (H, W), bool, True = may
    change.
    """
    one, other = _block_means(image), _block_means(reference)
    touched = _block_means(mask.astype(np.uint8)) > 0
    differences = np.abs(one - other).max(axis=2)[~touched]
    if not differences.size:
        return None
    over = int((differences > TOLERANCE).sum())
    if not over:
        return None
    worst = f"{differences.max():.0f} of 255 levels"
    return f"{over:,} of {differences.size:,} blocks outside the mask differ, by up to {worst}"


def _block_means(pixels: Array) -> npt.NDArray[np.float32]:
    """The mean of each block, channel by channel; the last row and column are repeated to fill the
    last blocks.
    """
    strips = [
        _means_of_strip(pixels[top : top + _STRIP]) for top in range(0, pixels.shape[0], _STRIP)
    ]
    return np.concatenate(strips)


def _means_of_strip(pixels: Array) -> npt.NDArray[np.float32]:
    height, width = pixels.shape[:2]
    padded = cv2.copyMakeBorder(pixels, 0, -height % BLOCK, 0, -width % BLOCK, cv2.BORDER_REPLICATE)
    size = (padded.shape[1] // BLOCK, padded.shape[0] // BLOCK)
    # INTER_AREA by a whole factor is the mean
    return np.asarray(
        cv2.resize(padded.astype(np.float32), size, interpolation=cv2.INTER_AREA), dtype=np.float32
    )


def _pictures(sample: Sample) -> Iterator[Path]:
    yield from sample.images
    yield from sample.masks.values()
    if sample.reference is not None:
        yield sample.reference


def _size(pixels: Array | Mask) -> str:
    return f"{pixels.shape[1]} x {pixels.shape[0]}"
