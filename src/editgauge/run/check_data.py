"""Is a data set whole, readable, and what its benchmark says it is?"""

from __future__ import annotations

import itertools
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from editgauge.benchmarks.tree import own_set
from editgauge.errors import DataError
from editgauge.escape import counted
from editgauge.images import Array, Mask, read_image, read_mask
from editgauge.metrics.outside import outside_difference
from editgauge.store import selection
from editgauge.types import Benchmark, Dataset, Finding, Sample

Progress = Callable[[int, int, str], None]
Level = Literal["attention", "repaired"]
"""``attention``: costs scores, or makes them mean something else. ``repaired``: wrong in the files,
put right on reading.
"""
_OF_THE_RELEASE = frozenset({"category-missing", "category-unknown"})
"""What is expected of a released set, and not of one of somebody's own."""
ASSUMED: dict[str, str] = {
    "count": "tables are of what is here",
    "id-twice": "all are kept",
    "output-shared": "one file would score for all of them",
    "file-missing": "what needs it ends as dataset_fault",
    "file-unreadable": "what needs it ends as dataset_fault",
    "mask-empty": "it marks nothing",
    "mask-full": "it leaves nothing to compare",
    "mask-size": "it does not fit",
    "reference-size": "resized where a score needs one size",
    "reference-same": "the edit changes nothing",
    "reference-outside": "the reference changes more than the masks allow",
    "output-missing": "counted as missing, not as 0",
    "output-several": "the first one is taken",
    "output-unreadable": "counted as unreadable, not as 0",
    "output-size": "faithful scores that need one size have no value; corrected ones resize",
    "output-given-back": "scored as it is, and counted as given back: no edit was made",
    "output-one-colour": "scored as it is, though a model that failed gives such pictures",
    "output-extra": "not scored",
}
"""Every kind that a check finds by itself, and what is assumed then. Loaders have their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """One finding of a check. `kind`: a short stable code; `file`: relative; `sample` may be ""."""

    level: Level
    kind: str
    sample: str = ""
    file: str = ""
    found: str
    assumed: str = ""


def issue(kind: str, found: str, *, sample: str = "", file: str = "") -> Issue:
    """A line of a kind of `ASSUMED`."""
    return Issue(
        level="attention", kind=kind, sample=sample, file=file, found=found, assumed=ASSUMED[kind]
    )


def _of_loader(finding: Finding, sample: str = "") -> Issue:
    """A loader's finding: one that nobody could repair needs attention."""
    return Issue(
        level="repaired" if finding.repaired else "attention", kind=finding.kind, sample=sample,
        file=finding.file, found=finding.found, assumed=finding.assumed,
    )  # fmt: skip


class Count(NamedTuple):
    """How many samples a split or category has ("" is the total), and the published number."""

    name: str
    found: int
    published: int | None


def check_data(
    benchmark: Benchmark,
    dataset: Dataset,
    progress: Progress | None = None,
    ids: Sequence[str] = (),
) -> tuple[list[Sample], list[Count], list[Issue]]:
    """Read every sample and every picture of a data set, or of the samples with these `ids` alone:
    the samples, how many of each part, and what is wrong or was repaired, in a stable order.
    """
    if ids:
        return _check_some(selection.choose(list(dataset), ids=ids), dataset.root, progress)
    samples, root = list(dataset), dataset.root.absolute()
    of_ones_own, part = own_set(dataset.root), str(getattr(dataset, "part", ""))
    tally = counts(samples, {} if of_ones_own else benchmark.published_counts, part)
    expected = _OF_THE_RELEASE if of_ones_own else ()
    issues = [_of_loader(one) for one in dataset.findings if one.kind not in expected]
    issues += [*_count_issues(tally), *_twice(samples)]

    return samples, tally, issues + _look_at(samples, root, progress)


def _check_some(
    samples: list[Sample], root: Path, progress: Progress | None
) -> tuple[list[Sample], list[Count], list[Issue]]:
    """Look at some samples: nothing is compared with what is published of the whole set."""
    issues = _look_at(samples, root.absolute(), progress)
    return samples, [Count("", len(samples), None)], issues


def _look_at(samples: Sequence[Sample], root: Path, progress: Progress | None) -> list[Issue]:
    """Return what the loader and a look at every picture say of samples."""

    def look(sample: Sample) -> Iterator[Issue]:
        yield from (_of_loader(finding, sample.id) for finding in sample.findings)
        for kind, path, fault in _pictures(sample):
            yield issue(kind, fault, sample=sample.id, file=relative(path, root))

    return each(samples, look, "reading data", progress)


def each(
    samples: Sequence[Sample],
    look: Callable[[Sample], Iterator[Issue]],
    note: str,
    progress: Progress | None,
) -> list[Issue]:
    """`look` at every sample, results in their order. In threads: decoding holds no lock."""
    issues: list[Issue] = []
    pool = ThreadPoolExecutor(max_workers=os.cpu_count())
    try:
        every = pool.map(lambda sample: [*look(sample)], samples)
        for done, outcome in enumerate(every, start=1):
            if progress is not None:
                progress(done, len(samples), note)
            issues += outcome
    finally:  # an interrupted check waits for the files at hand, not for all of them
        pool.shutdown(cancel_futures=True)
    return issues


def counts(samples: Sequence[Sample], published: Mapping[str, int], part: str) -> list[Count]:
    """The total, then every split and every step of every category path, beside the published
    number where one is; what is published and has no sample stands there with 0. Of a `part` alone
    a key ``<part>/<name>`` of `published` counts before ``<name>``.
    """
    tally: Counter[str] = Counter()
    for sample in samples:
        steps = itertools.accumulate(sample.category, lambda above, name: f"{above}/{name}")
        tally.update({sample.split, *steps} - {"", "all"})
    prefix = f"{part}/" if part else ""
    names = {n.removeprefix(prefix) for n in published if n.startswith(prefix) and n} | set(tally)
    of = {name: published.get(prefix + name, published.get(name)) for name in names}
    total = Count("", len(samples), published.get(part))
    return [total, *(Count(name, tally[name], of[name]) for name in sorted(names))]


def _count_issues(found: Sequence[Count]) -> Iterator[Issue]:
    """Counts that are not the release's; an empty split or category is left to the total."""
    _, there, published = found[0]
    a_part = there < (published or 0)
    for name, number, published in found:
        if published not in (None, number) and not (a_part and name and not number):
            here = f"{name or 'all'}: {counted(number, 'sample')}"
            yield issue("count", f"{here}, the release has {published:,}")


def _twice(samples: Sequence[Sample]) -> Iterator[Issue]:
    """Ids that occur twice, and outputs that two samples share."""
    ids: dict[str, str] = {}
    stems: dict[str, str] = {}
    for sample in samples:
        for kind, known, name in (
            ("id-twice", ids, sample.id),
            ("output-shared", stems, "".join(sample.output_stems[:1])),
        ):
            if name in known:
                yield issue(kind, f"{name!r} is also that of {sample.id}", sample=known[name])
            elif name:
                known[name] = sample.id


Fault = tuple[str, Path, str]
"""A kind, the file, and what was found."""


def _pictures(sample: Sample) -> list[Fault]:
    """What is wrong with the pictures of a sample. Each is decoded to its end once."""
    faults: list[Fault] = []

    def read(path: Path, reader: Callable[[Path], Any]) -> Any:
        try:
            if os.path.isfile(path):  # not so where the name is too long for a file system
                return reader(path)
        except DataError as error:
            faults.append(("file-unreadable", path, str(error).replace(f"{path}: ", "")))
        else:
            if all(finding.repaired for finding in sample.findings):  # else the loader said so
                faults.append(("file-missing", path, "no such file"))
        return None

    image, *_ = [*(read(path, read_image) for path in dict.fromkeys(sample.images)), None]
    masks = {path: read(path, read_mask) for path in sorted({*sample.masks.values()})}
    for path, mask in masks.items():
        faults += [(kind, path, fault) for kind, fault in _of_mask(mask, image)]
    if sample.reference is not None:
        wrong = _of_reference(read(sample.reference, read_image), image, [*masks.values()])
        faults += [(kind, sample.reference, fault) for kind, fault in wrong]
    return faults


def _of_mask(mask: Mask | None, image: Array | None) -> Iterator[tuple[str, str]]:
    if mask is None:
        return
    if not mask.any():
        yield "mask-empty", "no pixel is 128 or more"
    elif mask.all():
        yield "mask-full", "every pixel is 128 or more"
    if image is not None and mask.shape != image.shape[:2]:
        yield "mask-size", f"{_size(mask)}, the input is {_size(image)}"


def _of_reference(
    reference: Array | None, image: Array | None, masks: Sequence[Mask | None]
) -> Iterator[tuple[str, str]]:
    """A reference compared with the input, outside the masks where all are known."""
    if reference is None or image is None:
        return
    fitting = [mask for mask in masks if mask is not None and mask.shape == image.shape[:2]]
    union = np.logical_or.reduce(fitting) if fitting and len(fitting) == len(masks) else None
    if reference.shape != image.shape:
        yield "reference-size", f"{_size(reference)}, the input is {_size(image)}"
    elif np.array_equal(reference, image):
        yield "reference-same", "the same pixels as the input"
    elif union is not None and (difference := outside_difference(image, reference, union)):
        yield "reference-outside", str(difference)


def _size(pixels: Array | Mask) -> str:
    return f"{pixels.shape[1]} x {pixels.shape[0]}"


def relative(path: Path, root: Path) -> str:
    """The path below `root`, with ``/``, writable anywhere; one outside by its last part."""
    text = path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
