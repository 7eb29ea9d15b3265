"""Pictures of how scores came about, for scorers that can draw them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from editgauge import images
from editgauge.errors import EditgaugeError, UsageError
from editgauge.escape import file_names
from editgauge.store.paths import folder, plain_name
from editgauge.store.run import Run
from editgauge.store.schema import EditRecord
from editgauge.types import Edit, Sample


@runtime_checkable
class Explains(Protocol):
    """A scorer that can draw how its scores of an edit came about."""

    name: str

    def applies(self, sample: Sample) -> str | None: ...

    def explain(self, sample: Sample, edit: Edit) -> images.Array:
        """A picture of shape (H, W, 3), uint8, RGB."""
        ...


def explain(
    run: Run,
    benchmark: str,
    samples: Sequence[Sample],
    edits: Sequence[EditRecord],
    scorers: Sequence[Any],
) -> tuple[list[Path], list[str]]:
    """Draw every edit of these samples with every scorer that can; returns the PNG files, and what
    could not be drawn.

    Files are ``RUN/explain/<benchmark>/<editor>/<sample>-<scorer>.png``, named as
    `escape.file_names` says. Raises `UsageError` when no scorer can draw.
    """
    drawing = [scorer for scorer in scorers if isinstance(scorer, Explains)]
    if not drawing:
        told = "none of these scorers can draw how it came to its scores; add the track ocr"
        raise UsageError(told, argument="explain")
    paths: list[Path] = []
    problems: list[str] = []
    every = {str(record["id"]) for record in run.samples(benchmark)} | {one.id for one in samples}
    names = file_names((one, scorer.name) for one in sorted(every) for scorer in drawing)
    editors = file_names({(record.editor,) for record in edits})
    by_id = {sample.id: sample for sample in samples}
    for record, scorer in ((r, s) for r in edits if r.sample in by_id for s in drawing):
        sample, edit = by_id[record.sample], record.edit(run.path)
        why = sample.fault or scorer.applies(sample)
        why = why or (None if edit.ok else edit.reason or edit.status.value)
        place = f"explain/{plain_name(benchmark)}/{editors[edit.editor,]}"
        if why is None:
            try:
                path = folder(run.path, place) / f"{names[sample.id, scorer.name]}.png"
                images.write_png(path, scorer.explain(sample, edit))
                paths.append(path)
            except EditgaugeError as error:
                why = str(error)
        if why is not None:
            problems.append(f"{sample.id} by {edit.editor}: no drawing, {why}")
    return paths, problems
