"""What every benchmark's folder builds on: scorers by track, and a data set that is read lazily."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from editgauge import catalog
from editgauge.benchmarks.tree import below
from editgauge.catalog import Parts, part
from editgauge.errors import DataError
from editgauge.scoring.scorer import Scorer
from editgauge.types import Benchmark, Finding, MakeScorers, Sample, Track

Note = Callable[[Finding], None]
"""Takes a finding that is not about one sample."""
MakeSome = Callable[..., Scorer | Sequence[Scorer]]
"""Gives a scorer or some. Called with every option as a keyword (``cache``, ``ocr_engine``,
``weights``, ``device``…); it ignores those that it does not know, and imports what it needs inside.
"""


def by_track(
    makers: Mapping[Track, Sequence[MakeSome | Scorer | str]], package: str = ""
) -> MakeScorers:
    """A benchmark's `scorers` from those of each track: scorers, functions that make some, or their
    dotted names (``.pixel:scorers`` is below `package`).

    One that stands under two of the wanted tracks (LPIPS, under pixel and embedding) comes once.
    """

    def scorers(tracks: Sequence[Track], **options: Any) -> list[Scorer]:
        wanted = [make for track, some in makers.items() if track in tracks for make in some]
        scorers: list[Scorer] = []
        for name in dict.fromkeys(wanted):
            make = part(name, package) if isinstance(name, str) else name
            scorer = make if isinstance(make, Scorer) else make(**options)
            scorers += scorer if isinstance(scorer, list | tuple) else [cast(Scorer, scorer)]
        return scorers

    return scorers


def published(package: str, folder: str, **facts: Any) -> Benchmark:
    """One of the four: the module `package` in `folder` has layout, judge, tables and rubrics, and
    what its scripts wrote is read by `released`; the rest are `facts`.
    """
    parts = Parts(package)
    return Benchmark(
        name=package.rpartition(".")[2],
        load=parts(".layout:load"),
        write=parts(".layout:write"),
        tables=parts(".tables:tables"),
        judging=parts.constant(".judge:JUDGING"),
        prompts=parts.constant(".judge:PROMPTS"),
        rubrics=Path(folder).parent / "rubrics",
        importers=parts.constant(f"..released:{package.rpartition('.')[2].upper()}"),
        **facts,
    )


@dataclass(slots=True)
class Samples:
    """A `types.Dataset`: `read` is started anew for each iteration and is given a place for general
    findings.

    `part` names what was loaded when the folder holds more than one set (TextEdit: ``fullset`` or
    ``miniset``).
    """

    benchmark: str
    root: Path
    read: Callable[[Note], Iterator[Sample]]
    part: str = ""
    findings: list[Finding] = field(default_factory=list)

    def note(self, finding: Finding) -> None:
        """Keep a finding once, however often the samples are read."""
        if finding not in self.findings:
            self.findings.append(finding)

    def __iter__(self) -> Iterator[Sample]:
        """The samples. Pictures of a set of one's own that EXIF turns are turned here (those of a
        ``dir:`` set already were), once for all who look at them; the releases have none, and their
        pixels count as stored.
        """
        samples = self.read(self.note)
        turned = self.benchmark in catalog.BENCHMARKS or self.benchmark.startswith("dir.")
        return samples if turned else map(_upright, samples)


def _upright(sample: Sample) -> Sample:
    from editgauge.images import upright

    return replace(
        sample,
        images=tuple(map(upright, sample.images)),
        reference=sample.reference and upright(sample.reference),
        masks={name: upright(path) for name, path in sample.masks.items()},
    )


def need_folder(root: Path | None, benchmark: str) -> Path:
    """The data folder as an absolute path. Raises `DataError` when there is none."""
    if root is None:
        message = f"pass the data folder after {benchmark}"
        raise DataError(
            f"{benchmark}: wanted the folder of the released data, found none: {message}"
        )
    if not root.is_dir():
        found = "a file" if root.exists() else "nothing there"
        raise DataError(
            f"{root}: wanted the data folder of {benchmark}, found {found}; check the path"
        )
    return root.absolute()


def write_json(path: Path, value: object) -> None:
    """Write metadata of an official folder; folders are made."""
    import orjson

    from editgauge.images import write_bytes

    write_bytes(path, orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))


def not_this_folder(root: Path, benchmark: str, wanted: str) -> DataError:
    """The error for a folder that is not the benchmark's: what was looked for, and what is there."""
    found = ", ".join(path.name for path in below(root)[:6]) or "an empty folder"
    return DataError(
        f"{root}: not a folder of {benchmark}: wanted {wanted}; found {found}. Name the folder that "
        f"the official release was unpacked to"
    )
