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
from editgauge.run.check.issues import (
    ASSUMED,
    Issue,
    Progress,
    each,
    issue,
    other_format,
    relative,
)
from editgauge.store.collect import editors_in, outputs_of
from editgauge.store.outputs import OutputFolder, given_back
from editgauge.types import Sample

KINDS = tuple(
    kind.removeprefix("output-")
    for kind in ASSUMED
    if kind.startswith("output-") and kind != "output-shared"
)
"""What can be said of outputs; `OutputsReport.count` has a number for each."""


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
        plain = PurePosixPath(editor).name == editor and editor not in (".", "..")
        if plain and (outputs / editor).is_dir():
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
        return [
            issue(
                f"output-{kind}",
                found,
                sample=sample.id,
                file=relative(path, folder) if path is not None else "",
            )
            for kind, path, found in _output(sample, candidates[sample.id], folder)
        ]

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
    stems = [stem for sample in samples for stem in sample.output_stems]
    report.issues += _extra(folder, claimed, stems)
    numbers = Counter(one.kind.removeprefix("output-") for one in report.issues)
    report.count["present"] = len(samples) - numbers["missing"]
    report.count["readable"] = report.count["present"] - numbers["unreadable"]
    report.count.update({kind: numbers[kind] for kind in KINDS})
    return report


def _output(
    sample: Sample, candidates: Sequence[Path], folder: Path
) -> Iterator[tuple[str, Path | None, str]]:
    """What is wrong with one sample's output: the kind, the file, what was found."""
    if not candidates:
        wanted = sample.output_stems[0] if sample.output_stems else "…"
        yield "missing", None, f"no {wanted}.png (.jpg, .jpeg, .webp)"
        return
    path, *more = candidates
    if more:
        yield "several", path, f"also {', '.join(relative(other, folder) for other in more)}"
    try:
        header = read_header(path)
        read_image(path)
    except DataError as error:
        yield "unreadable", path, str(error).replace(f"{path}: ", "")
        return
    if other_format(path, header.extension):
        yield "extension", path, f"{header.format} by content"
    yield from ((kind, path, found) for kind, found in _size(sample, header))
    if given_back(path, sample):
        yield "given-back", path, "the same pixels as the input"


def _size(sample: Sample, header: Header) -> Iterator[tuple[str, str]]:
    try:
        wanted = read_header(sample.image)
    except (DataError, IndexError):
        return  # the data's own check says so
    width, height = header.width, header.height
    if (width, height) == (wanted.width, wanted.height):
        return
    text = f"{width} x {height}, the input is {wanted.width} x {wanted.height}"
    yield "size", text
    # Whole pixels alone move the ratio of a rescaled picture by half a pixel a side
    if abs(width * wanted.height / (height * wanted.width) - 1) > 0.5 / width + 0.5 / height + 1e-9:
        yield (
            "aspect",
            f"{text}: {width / height:.3f} instead of {wanted.width / wanted.height:.3f}",
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
            file = relative(path, folder)
            stem = os.path.splitext(file)[0]
            if re.search(r"_\d+$", stem) and re.sub(r"_\d+$", "", stem) in seeds:
                yield issue("output-other-seed", "another seed or setting of a sample", file=file)
            else:
                yield issue("output-extra", "a file that is no sample's output", file=file)
