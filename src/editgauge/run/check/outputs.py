"""Are a model's outputs there, readable, and what they are taken for? Looked at before spending
anything on them.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from editgauge.errors import DataError
from editgauge.images import Header, read_header, read_image
from editgauge.run.check.issues import Issue, Level, Progress, each, relative
from editgauge.store.collect import editors_in, outputs_of
from editgauge.store.outputs import OutputFolder, given_back
from editgauge.types import Sample

KINDS: tuple[str, ...] = (
    "missing",
    "several",
    "unreadable",
    "size",
    "aspect",
    "given-back",
    "extension",
    "extra",
    "other-seed",
)
"""What can be said of outputs, in the order of tables; `OutputsReport.count` has a number for each.
"""
_SUFFIX = {".jpeg": ".jpg", ".tiff": ".tif"}


@dataclass(slots=True)
class OutputsReport:
    """What a check of one model's outputs found. `count` has ``samples``, ``present``, ``readable``
    and `KINDS`.
    """

    editor: str
    folder: Path
    count: dict[str, int]
    issues: list[Issue] = field(default_factory=list)


def editor_folders(outputs: Path, editor: str | None, samples: Sequence[Sample]) -> dict[str, Path]:
    """The models to check and their folders.

    With a name: ``outputs/<editor>`` or `outputs` itself. Without: `outputs` itself when it holds
    outputs, else each of its folders that does. Raises `DataError` when there are no outputs at
    all.
    """
    if editor is not None:
        if (
            (outputs / editor).is_dir()
            and PurePosixPath(editor).name == editor
            and editor not in (".", "..")
        ):
            return {editor: outputs / editor}
        return {editor: outputs_of(outputs, editor, samples)}
    if outputs.is_dir():
        here = OutputFolder(outputs)
        if any(here.find(sample) is not None for sample in samples):
            return {outputs.absolute().name: outputs}
    return editors_in(outputs, samples)


def check_outputs(
    samples: Sequence[Sample],
    editor: str,
    folder: Path,
    *,
    others: Sequence[Sample] = (),
    workers: int | None = None,
    progress: Progress | None = None,
) -> OutputsReport:
    """Look at the output of every sample and at every file of the folder.

    `others` are samples that are not asked about but whose outputs are no strangers (those of
    another split).
    """
    folder = folder.absolute()
    outputs = OutputFolder(folder)
    candidates = {sample.id: outputs.candidates(sample) for sample in samples}
    report = OutputsReport(editor, folder, {"samples": len(samples)})

    def look(sample: Sample) -> list[Issue]:
        return list(_output(sample, candidates[sample.id], folder))

    for found in each(
        samples,
        look,
        workers=workers,
        progress=progress,
        note=f"reading outputs of {editor}",
        pictures=lambda sample: candidates[sample.id][:1],
    ):
        report.issues += found
    claimed = {path for paths in candidates.values() for path in paths}
    claimed.update(path for sample in others for path in outputs.candidates(sample))
    report.issues += _extra(
        folder, claimed, [stem for sample in samples for stem in sample.output_stems]
    )
    numbers = Counter(issue.kind.removeprefix("output-") for issue in report.issues)
    report.count["present"] = len(samples) - numbers["missing"]
    report.count["readable"] = report.count["present"] - numbers["unreadable"]
    report.count.update({kind: numbers[kind] for kind in KINDS})
    return report


def _output(sample: Sample, candidates: Sequence[Path], folder: Path) -> Iterator[Issue]:
    """What is wrong with one sample's output."""

    def issue(kind: str, path: Path | None, found: str, assumed: str = "") -> Issue:
        file = relative(path, folder) if path is not None else ""
        return Issue(
            level=Level.ATTENTION,
            kind=f"output-{kind}",
            sample=sample.id,
            file=file,
            found=found,
            assumed=assumed,
        )

    if not candidates:
        wanted = sample.output_stems[0] if sample.output_stems else "…"
        yield issue(
            "missing", None, f"no {wanted}.png (.jpg, .jpeg, .webp)", "counted as missing, not as 0"
        )
        return
    path = candidates[0]
    if len(candidates) > 1:
        names = ", ".join(relative(other, folder) for other in candidates[1:])
        yield issue("several", path, f"also {names}", "the first one is taken")
    try:
        header = read_header(path)
        read_image(path)
    except DataError as error:
        yield issue(
            "unreadable",
            path,
            str(error).replace(f"{path}: ", ""),
            "counted as unreadable, not as 0",
        )
        return
    suffix = path.suffix.lower()
    if header.extension != _SUFFIX.get(suffix, suffix):
        yield issue("extension", path, f"{header.format} by content", "the content decides")
    yield from (issue(kind, path, found, assumed) for kind, found, assumed in _size(sample, header))
    if given_back(path, sample):
        yield issue(
            "given-back",
            path,
            "the same pixels as the input",
            "scored as it is, and counted as given back: no edit was made",
        )


def _size(sample: Sample, header: Header) -> Iterator[tuple[str, str, str]]:
    try:
        wanted = read_header(sample.image)
    except (DataError, IndexError):
        return  # the data's own check says so
    width, height = header.width, header.height
    if (width, height) == (wanted.width, wanted.height):
        return
    text = f"{width} x {height}, the input is {wanted.width} x {wanted.height}"
    yield "size", text, "faithful scores that need one size have no value; corrected ones resize"
    # Whole pixels alone move the ratio of a rescaled picture by half a pixel a side
    if abs(width * wanted.height / (height * wanted.width) - 1) > 0.5 / width + 0.5 / height + 1e-9:
        yield (
            "aspect",
            f"{text}: {width / height:.3f} instead of {wanted.width / wanted.height:.3f}",
            "distorted",
        )


def _extra(folder: Path, claimed: set[Path], stems: Sequence[str]) -> Iterator[Issue]:
    """Files that are no sample's output. A further seed of one (``38_1`` beside ``38_0``) is only
    noted.
    """
    seeds = {re.sub(r"_\d+$", "", stem) for stem in stems if re.search(r"_\d+$", stem)}
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            path = Path(place) / name
            if name.startswith(".") or path in claimed:
                continue
            stem = os.path.splitext(relative(path, folder))[0]
            if re.search(r"_\d+$", stem) and re.sub(r"_\d+$", "", stem) in seeds:
                found = "another seed or setting of a sample"
                yield Issue(
                    level=Level.NOTE,
                    kind="output-other-seed",
                    sample="",
                    file=relative(path, folder),
                    found=found,
                    assumed="not scored",
                )
            else:
                found = "a file that is no sample's output"
                yield Issue(
                    level=Level.ATTENTION,
                    kind="output-extra",
                    sample="",
                    file=relative(path, folder),
                    found=found,
                    assumed="not scored",
                )
