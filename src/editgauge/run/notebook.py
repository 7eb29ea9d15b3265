"""Objects as HTML for a notebook: texts are escaped, pictures are small and inside the page."""

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

SHOWN = 12
"""Samples that are shown; the number of the others is said."""
SIDE = 160
"""Pixels of a thumbnail's longer side."""


def samples_as_html(samples: Sequence[Sample], run: Run, benchmark: str) -> str:
    """The first samples as a table: instruction, input, reference, and each editor's output."""
    records = {(r.sample, r.editor): r for r in run.edits(benchmark)}
    editors = sorted({editor for _, editor in records})
    heads = ["sample", "instruction", "input", "reference", *editors]
    lines = []
    for sample in samples[:SHOWN]:
        cells = [markup(sample.id), markup(sample.instruction), thumbnail(sample.image)]
        cells.append(thumbnail(sample.reference))
        for editor in editors:
            record = records.get((sample.id, editor))
            path = record.path if record is not None else None
            cells.append(thumbnail(run.path / path if path else None))
        lines.append("".join(f"<td>{cell}</td>" for cell in cells))
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    head = "".join(f"<th>{markup(name)}</th>" for name in heads)
    more = len(samples) - SHOWN
    rest = f"<p>and {more} more samples</p>" if more > 0 else ""
    return f"<table><tr>{head}</tr>{body}</table>{rest}"


def thumbnail(path: Path | None) -> str:
    """A small picture as an ``img`` element; a dash where there is none, or a word where it cannot
    be read.
    """
    if path is None:
        return "–"
    buffer = io.BytesIO()
    try:
        read_small(path, SIDE).save(buffer, format="PNG")
    except ImageError:
        return "unreadable"
    data = base64.b64encode(buffer.getvalue()).decode()
    return f'<img alt="" src="data:image/png;base64,{data}">'
