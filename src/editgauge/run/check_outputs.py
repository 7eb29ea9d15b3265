"""Are a model's outputs there, readable, and what they are taken for?"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from editgauge.errors import DataError
from editgauge.images import one_colour, read_header, read_image
from editgauge.run.check_data import ASSUMED, Issue, Progress, each, issue, relative
from editgauge.store.collect import editors_in, left_out
from editgauge.store.outputs import BLACK, OutputFolder, given_back
from editgauge.types import Sample

KINDS = tuple(
    kind.removeprefix("output-")
    for kind in ASSUMED
    if kind.startswith("output-") and kind != "output-shared"
)


@dataclass(slots=True)
class OutputsReport:
    """A check of one model's outputs. `count`: ``samples``, ``present``, ``readable``, `KINDS`."""

    editor: str
    folder: Path
    count: dict[str, int]
    issues: list[Issue]


def editor_folders(outputs: Path, editor: str | None, samples: Sequence[Sample]) -> dict[str, Path]:
    """The models to check and their folders: ``outputs/<editor>`` or `outputs` itself, without a
    name those of `collect.editors_in`. Raises `DataError` when there are no outputs at all.
    """
    if editor and (outputs / editor).is_dir():
        return {editor: outputs / editor}
    every = editors_in(outputs, samples, [editor] if editor else [])
    folders = {name: one.root for name, one in every.items()}
    return folders | {one.name: one for one in (() if editor else left_out(outputs, folders))}


def check_outputs(
    samples: Sequence[Sample],
    editor: str,
    folder: Path,
    *,
    others: Sequence[Sample] = (),
    progress: Progress | None = None,
) -> OutputsReport:
    """Look at the output of every sample and at every file of the folder. `others` are samples that
    are not asked about but whose outputs are no strangers (those of another split).
    """
    folder = folder.absolute()
    outputs = OutputFolder(folder)
    candidates = {sample.id: outputs.candidates(sample) for sample in samples}

    def look(sample: Sample) -> Iterator[Issue]:
        file = "".join(relative(path, folder) for path in candidates[sample.id][:1])
        for kind, fault in _output(sample, candidates[sample.id], folder):
            yield issue(f"output-{kind}", fault, sample=sample.id, file=file)

    issues = each(samples, look, f"reading outputs of {editor}", progress)
    claimed = {path for paths in candidates.values() for path in paths}
    claimed.update(path for sample in others for path in outputs.candidates(sample))
    issues += _extra(folder, claimed)
    numbers = Counter(one.kind.removeprefix("output-") for one in issues)
    present = len(samples) - numbers["missing"]
    count = {"samples": len(samples), "present": present}
    count |= {"readable": present - numbers["unreadable"]} | {k: numbers[k] for k in KINDS}
    return OutputsReport(editor, folder, count, issues)


def _output(sample: Sample, candidates: Sequence[Path], folder: Path) -> Iterator[tuple[str, str]]:
    """What is wrong with one sample's output: the kind, and what was found."""
    if not candidates:
        wanted = sample.output_stems[0] if sample.output_stems else "…"
        yield "missing", f"no {wanted}.png (.jpg, .jpeg, .webp)"
        return
    path, *more = candidates
    if more:
        yield "several", f"also {', '.join(relative(other, folder) for other in more)}"
    try:
        header = read_header(path)
        colour = one_colour(read_image(path))
    except DataError as error:
        yield "unreadable", str(error).replace(f"{path}: ", "")
        return
    if colour is not None:
        named = "black" if max(colour) <= BLACK else f"RGB {', '.join(map(str, colour))}"
        yield "one-colour", f"the same colour all over: {named}"
    try:
        of_input = read_header(sample.image)
    except (DataError, IndexError):
        return  # the data's own check says so
    if (header.width, header.height) != (of_input.width, of_input.height):
        size = f"{header.width} x {header.height}"
        yield "size", f"{size}, the input is {of_input.width} x {of_input.height}"
    if given_back(path, sample):
        yield "given-back", "the same pixels as the input"


def _extra(folder: Path, claimed: set[Path]) -> Iterator[Issue]:
    """Files that are no sample's output."""
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for path in (Path(place) / name for name in sorted(files) if not name.startswith(".")):
            if path not in claimed:
                yield issue("output-extra", "no sample's output", file=relative(path, folder))
