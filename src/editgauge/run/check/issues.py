"""One line of a check: what can be found, how much each matters, and the loop that looks at many
samples at once.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from editgauge.errors import ImageError
from editgauge.images import MemoryBudget, decoding_bytes, limited_memory, memory_limit, read_header
from editgauge.types import Finding, Sample

Progress = Callable[[int, int, str], None]
"""Called with done, total and what is being done."""


class Level(StrEnum):
    """How much a line of a check matters."""

    ATTENTION = "attention"
    """Costs scores, or makes them mean something else: somebody should look."""
    REPAIRED = "repaired"
    """Wrong in the files, put right on reading; said so that it can be checked."""
    NOTE = "note"
    """A fact about the files that changes no score."""


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
    "memory": "not looked at; raise the limit of memory",
    "output-missing": "counted as missing, not as 0",
    "output-several": "the first one is taken",
    "output-unreadable": "counted as unreadable, not as 0",
    "output-size": "faithful scores that need one size have no value; corrected ones resize",
    "output-aspect": "distorted",
    "output-given-back": "scored as it is, and counted as given back: no edit was made",
    "output-extension": "the content decides",
    "output-extra": "not scored",
    "record-id-splits": "samples are called by their folders",
    "record-id-twice": "samples are called by their folders",
    "file-extension": "the content decides",
    "file-orientation": "pixels are taken as stored",
    "output-other-seed": "not scored",
}
"""Every kind that a check finds by itself, and what is assumed then. Loaders have their own."""
NOTES = (
    "record-id-splits", "record-id-twice", "file-extension", "file-orientation",
    "output-other-seed",
)  # fmt: skip
"""Of these kinds those that change no score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """One thing that a check found. `kind` is a short stable code, `file` is relative, `sample` may
    be "" (no one).
    """

    level: Level
    kind: str
    sample: str
    file: str
    found: str
    assumed: str = ""

    @classmethod
    def of(cls, finding: Finding, sample: str = "") -> Issue:
        """A loader's finding as a line: one that nobody could repair needs attention."""
        return cls(
            level=Level.REPAIRED if finding.repaired else Level.ATTENTION,
            kind=finding.kind,
            sample=sample,
            file=finding.file,
            found=finding.found,
            assumed=finding.assumed,
        )


def issue(kind: str, found: str, *, sample: str = "", file: str = "", assumed: str = "") -> Issue:
    """A line of a kind of `ASSUMED`."""
    return Issue(
        level=Level.NOTE if kind in NOTES else Level.ATTENTION,
        kind=kind,
        sample=sample,
        file=file,
        found=found,
        assumed=assumed or ASSUMED[kind],
    )


def relative(path: Path, root: Path) -> str:
    """The path below `root`, with ``/``, as it can be written anywhere; one outside is named by its
    last part.
    """
    text = path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def other_format(path: Path, extension: str) -> bool:
    """Whether a file's name says another format than its content."""
    suffix = path.suffix.lower()
    return extension != {".jpeg": ".jpg", ".tiff": ".tif"}.get(suffix, suffix)


def each(
    samples: Sequence[Sample],
    look: Callable[[Sample], list[Issue]],
    *,
    workers: int | None,
    progress: Progress | None,
    note: str,
    pictures: Callable[[Sample], Iterable[Path]],
) -> Iterator[list[Issue]]:
    """`look` at every sample on `workers` threads (default: the cores), results in the order of the
    samples. `pictures` names the files that a look at a sample reads: together the threads hold
    what `images.memory_limit` allows. Where one sample's take more than all of it, that is an issue
    of the sample. Threads, because the time goes into decoding, which does not hold Python's lock.
    """
    pool = ThreadPoolExecutor(max_workers=max(1, workers or os.cpu_count() or 1))
    budget = MemoryBudget()

    def within(sample: Sample) -> list[Issue]:
        for size in (_bytes(pictures(sample)), memory_limit()):  # the second time alone
            with budget.hold(size), contextlib.suppress(MemoryError):
                return look(sample)
        told = f"its pictures together take more than {memory_limit() >> 20:,} MB"
        return [issue("memory", told, sample=sample.id)]

    try:
        with limited_memory():
            for done, result in enumerate(pool.map(within, samples), start=1):
                if progress is not None:
                    progress(done, len(samples), note)
                yield result
    finally:  # an interrupted check waits for the files at hand, not for all of them
        pool.shutdown(cancel_futures=True)


def _bytes(pictures: Iterable[Path]) -> int:
    """What reading these files takes, all of them held at once."""
    size = 0
    for path in pictures:
        with contextlib.suppress(ImageError):  # the look itself says so
            size += decoding_bytes(read_header(path))
    return size
