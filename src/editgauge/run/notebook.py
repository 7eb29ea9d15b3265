"""An evaluation as HTML for a notebook: texts are escaped, pictures are small and in the page."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from pathlib import Path

from editgauge.errors import ImageError
from editgauge.escape import markup
from editgauge.images import read_small
from editgauge.store.run import Run
from editgauge.types import Sample

SHOWN, SIDE = 12, 160
"""Samples that are shown, and the longer side of a picture in pixels."""


def samples_as_html(samples: Sequence[Sample], run: Run, benchmark: str) -> str:
    """The first samples as a table: instruction, input, reference, and each editor's output."""
    outputs = {(edit.sample, edit.editor): edit.path for edit in run.edits(benchmark)}
    editors = sorted({editor for _, editor in outputs})
    lines = [[*map(markup, ("sample", "instruction", "input", "reference", *editors))]]
    for sample in samples[:SHOWN]:
        records = [outputs.get((sample.id, editor)) for editor in editors]
        pictures = [sample.image, sample.reference, *(run.path / p if p else None for p in records)]
        lines.append([markup(sample.id), markup(sample.instruction), *map(thumbnail, pictures)])
    rows = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in line)}</tr>" for line in lines)
    return f"<table>{rows}</table>"


def thumbnail(path: Path | None) -> str:
    """A small picture as an ``img`` element; a dash for none, a word for what cannot be read."""
    if path is None:
        return "–"
    buffer = io.BytesIO()
    try:
        read_small(path, SIDE).save(buffer, format="PNG")
    except ImageError:
        return "unreadable"
    data = base64.b64encode(buffer.getvalue()).decode()
    return f'<img alt="" src="data:image/png;base64,{data}">'
