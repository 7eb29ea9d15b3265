"""One line of a check, and the loop that looks at many samples at once."""

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
        level = Level.REPAIRED if finding.repaired else Level.ATTENTION
        return cls(
            level=level,
            kind=finding.kind,
            sample=sample,
            file=finding.file,
            found=finding.found,
            assumed=finding.assumed,
        )


def relative(path: Path, root: Path) -> str:
    """The path below `root`, with ``/``, as it can be written anywhere; one outside is named by its
    last part.
    """
    text = path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


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
    of the sample.

    Threads, because the time goes into decoding, which Pillow, OpenCV and NumPy do without holding
    Python's lock.
    """
    pool = ThreadPoolExecutor(max_workers=max(1, workers or os.cpu_count() or 1))
    budget = MemoryBudget()

    def within(sample: Sample) -> list[Issue]:
        for size in (_bytes(pictures(sample)), memory_limit()):  # the second time alone
            with budget.hold(size), contextlib.suppress(MemoryError):
                return look(sample)
        return [
            Issue(
                level=Level.ATTENTION,
                kind="memory",
                sample=sample.id,
                file="",
                found=f"its pictures together take more than {memory_limit() >> 20:,} MB",
                assumed="not looked at; raise it with --memory",
            )
        ]

    try:
        with limited_memory():
            for done, result in enumerate(pool.map(within, samples), start=1):
                if progress is not None:
                    progress(done, len(samples), note)
                yield result
    finally:
        pool.shutdown(
            cancel_futures=True
        )  # an interrupted check waits for the files at hand, not for all of them


def _bytes(pictures: Iterable[Path]) -> int:
    """What reading these files takes, all of them held at once."""
    size = 0
    for path in pictures:
        with contextlib.suppress(ImageError):  # the look itself says so
            size += decoding_bytes(read_header(path))
    return size
