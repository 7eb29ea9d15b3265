"""Are a model's outputs there, readable, and what they are taken for?"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from editgauge.errors import DataError
from editgauge.images import read_header, read_image
from editgauge.run.check_data import ASSUMED, Issue, Progress, each, issue, other_format, relative
from editgauge.store.collect import editors_in
from editgauge.store.outputs import OutputFolder, given_back
from editgauge.types import Sample

KINDS = tuple(
    kind.removeprefix("output-")
    for kind in ASSUMED
    if kind.startswith("output-") and kind != "output-shared"
)
_SEED = re.compile(r"_\d+$")


@dataclass(slots=True)
class OutputsReport:
    """What a check of one model's outputs found. `count` has ``samples``, ``present``, ``readable``
    and `KINDS`.
    """

    editor: str
    folder: Path
    count: dict[str, int]
    issues: list[Issue]


def editor_folders(outputs: Path, editor: str | None, samples: Sequence[Sample]) -> dict[str, Path]:
    """The models to check and their folders: ``outputs/<editor>`` or `outputs` itself, without a
    name those of `collect.editors_in`. Raises `DataError` when there are no outputs at all.
    """
    if editor is None:
        return {name: one.root for name, one in editors_in(outputs, samples).items()}
    plain = PurePosixPath(editor).name == editor and editor not in (".", "..")
    if plain and (outputs / editor).is_dir():
        return {editor: outputs / editor}
    return {editor: editors_in(outputs, samples, [editor])[editor].root}


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
    stems = [stem for one in samples for stem in one.output_stems if _SEED.search(stem)]
    issues += _extra(folder, claimed, {_SEED.sub("", stem) for stem in stems})
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
        read_image(path)
    except DataError as error:
        yield "unreadable", str(error).replace(f"{path}: ", "")
        return
    if other_format(path, header.extension):
        yield "extension", f"{header.format} by content"
    yield from _size(sample, header.width, header.height)
    if given_back(path, sample):
        yield "given-back", "the same pixels as the input"


def _size(sample: Sample, width: int, height: int) -> Iterator[tuple[str, str]]:
    try:
        wanted = read_header(sample.image)
    except (DataError, IndexError):
        return  # the data's own check says so
    if (width, height) == (wanted.width, wanted.height):
        return
    text = f"{width} x {height}, the input is {wanted.width} x {wanted.height}"
    yield "size", text
    # Whole pixels alone move the ratio of a rescaled picture by half a pixel a side
    if abs(width * wanted.height / (height * wanted.width) - 1) > 0.5 / width + 0.5 / height + 1e-9:
        yield "aspect", text


def _extra(folder: Path, claimed: set[Path], seeds: set[str]) -> Iterator[Issue]:
    """Files that are no sample's output. A further seed of one (``38_1`` beside ``38_0``) is only
    noted.
    """
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            path = Path(place) / name
            if name.startswith(".") or path in claimed:
                continue
            file = relative(path, folder)
            stem = os.path.splitext(file)[0]
            if _SEED.search(stem) and _SEED.sub("", stem) in seeds:
                yield issue("output-other-seed", "another seed or setting of a sample", file=file)
            else:
                yield issue("output-extra", "a file that is no sample's output", file=file)
