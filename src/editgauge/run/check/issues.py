"""One line of a check: what can be found, and how much each matters."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

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
    "output-missing": "counted as missing, not as 0",
    "output-several": "the first one is taken",
    "output-unreadable": "counted as unreadable, not as 0",
    "output-size": "faithful scores that need one size have no value; corrected ones resize",
    "output-aspect": "distorted",
    "output-given-back": "scored as it is, and counted as given back: no edit was made",
    "output-extension": "the content decides",
    "output-extra": "not scored",
    "record-id-twice": "samples are called by their folders",
    "file-extension": "the content decides",
    "file-orientation": "pixels are taken as stored",
    "output-other-seed": "not scored",
}
"""Every kind that a check finds by itself, and what is assumed then. Loaders have their own."""
NOTES = ("record-id-twice", "file-extension", "file-orientation", "output-other-seed")
"""Of these kinds those that change no score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """One thing that a check found. `kind` is a short stable code, `file` is relative, `sample` may
    be "" (no one).
    """

    level: Level
    kind: str
    sample: str = ""
    file: str = ""
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


def issue(kind: str, found: str, *, sample: str = "", file: str = "") -> Issue:
    """A line of a kind of `ASSUMED`."""
    level = Level.NOTE if kind in NOTES else Level.ATTENTION
    told = ASSUMED[kind]
    return Issue(level=level, kind=kind, sample=sample, file=file, found=found, assumed=told)


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
    note: str,
    progress: Progress | None,
) -> Iterator[list[Issue]]:
    """`look` at every sample, a core each, results in the order of the samples. Threads, because
    the time goes into decoding, which does not hold Python's lock.
    """
    pool = ThreadPoolExecutor(max_workers=os.cpu_count())
    try:
        for done, found in enumerate(pool.map(look, samples), start=1):
            if progress is not None:
                progress(done, len(samples), note)
            yield found
    finally:  # an interrupted check waits for the files at hand, not for all of them
        pool.shutdown(cancel_futures=True)
