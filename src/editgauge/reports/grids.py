"""Grids of pictures as in the papers' figures: for each sample its instruction, its input, its
reference and every editor's output, with its scores below. What is missing or cannot be read is
said in words at its place.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from editgauge import escape
from editgauge.errors import ImageError, UsageError
from editgauge.images import read_small
from editgauge.reports.drawing import SETTINGS, matplotlib_of, plain_text, saved, wrapped
from editgauge.reports.pictures import Pictures
from editgauge.store.run import Run
from editgauge.tables.metrics import choose, metrics_of, on_scale, titles
from editgauge.tables.results import STATUSES, Results
from editgauge.tables.table import printed
from editgauge.types import Status

WIDTH = 7.0
"""Of a page of two columns, in inches."""
MOST_PICTURES = 7
"""In a line; more editors go on below, so that no picture is smaller than a stamp."""
FORMATS = ("pdf", "png", "svg")
_SIDE = 600
_MOST_LINES = 8


class Panel(NamedTuple):
    """One place of a grid: a picture, or words where there is none, and the lines below it."""

    heading: str
    picture: Path | None
    words: str = ""
    below: tuple[str, ...] = ()


Line = tuple[str, list[Panel]]
"""A sample of a grid: its name with its instruction, and its panels."""


def lines(
    runs: Sequence[Run],
    frame: Results,
    samples: Sequence[str],
    metrics: Sequence[str] = (),
    *,
    editors: Sequence[str] = (),
) -> list[Line]:
    """What a grid of these samples shows, for these editors (none: every one that the run has an
    output or a row of). `metrics` stand below each output, on the scale of the benchmark's tables.

    Raises `UsageError` for a sample or a metric that the run does not have.
    """
    known, records = metrics_of(frame), frame.samples.records
    for name in (name for name in metrics if name not in known):
        raise UsageError(f"{name}: no rows of it; there are: {', '.join(known)}", argument="metric")
    for name in (name for name in samples if name not in records):
        some = ", ".join(frame.samples.ids[:3])
        there = f"{name}: not in this run; it has {len(records)}, such as {some}"
        raise UsageError(there, argument="sample")
    pictures = Pictures(runs, runs[0].path)
    pictures.know(frame)
    editors = editors or sorted(set(frame.editors).union(*pictures.edits.values()))
    strips = []
    for name in samples:
        given = [("Input", path) for path in records[name].get("images") or [None]]
        given += [("Reference", path) for path in [records[name].get("reference")] if path]
        panels = [Panel(heading, pictures.file(path), "not in the run") for heading, path in given]
        for editor in editors:
            edit = pictures.edits.get(name, {}).get(editor)
            picture, words = None, "missing output"
            if edit is not None:
                picture, lost = pictures.file(edit.path), edit.status is Status.SCORED
                words = "not in the run" if lost else edit.status.value.replace("_", " ")
                words += f": {edit.reason}" if edit.reason else ""
            scores = tuple(_score(frame, metric, editor, name) for metric in metrics)
            panels.append(Panel(editor, picture, words, scores))
        strips.append((f"{name}: {records[name].get('instruction') or ''}", panels))
    pictures.close()
    return strips


def _score(frame: Results, name: str, editor: str, sample: str) -> str:
    """``EA 0.80``: a score on the scale of the tables; the status in words where there is none."""
    known = metrics_of(frame)
    metric, title = known[name], titles(known)[name]
    code = -1
    if editor in frame.editors:
        grid = frame.grid(name, choose(frame, name, "faithful")[0])
        place = (frame.editors.index(editor), frame.samples.ids.index(sample))
        value, code = float(grid.values[place]), int(grid.status[place])
        if not math.isnan(value):
            return f"{title} {printed(float(on_scale(metric, value)), metric.digits)}"
    return f"{title}: {STATUSES[code].value.replace('_', ' ') if code >= 0 else 'not scored'}"


def write(found: Sequence[Line], to: Path) -> list[Path]:
    """Draw the grid as the file `to`; its ending says the format, and ``.pdf`` makes a PNG beside
    it. Raises `UsageError` for another ending, `MissingExtra` without matplotlib.
    """
    form = to.suffix.lower().removeprefix(".")
    if form not in FORMATS:
        raise UsageError(f"wanted a file that ends in {', '.join(FORMATS)}", argument="to")
    mpl, pyplot = matplotlib_of("a grid of pictures")
    to.parent.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context(SETTINGS):
        drawing = drawn(found, pyplot)
        files = saved(drawing, to.with_suffix(""), (form, "png") if form == "pdf" else (form,))
        pyplot.close(drawing)
    return files


def drawn(found: Sequence[Line], pyplot: Any) -> Any:
    """The grid as a matplotlib figure, `WIDTH` wide; the caller closes it."""
    across = min(MOST_PICTURES, max(len(panels) for _, panels in found))
    cell = WIDTH / across
    letters = max(8, int(cell * 17))
    rows: list[tuple[str, Sequence[Panel]]] = []
    for heading, every in found:
        for start in range(0, len(every), across):
            head = "" if start else _set(heading, int(WIDTH * 19))
            rows.append((head, every[start : start + across]))
    heights = []
    for head, panels in rows:
        above = max(_set(panel.heading, letters).count("\n") + 1 for panel in panels)
        below = max(sum(_set(s, letters).count("\n") + 1 for s in p.below) for p in panels)
        heights.append(cell + 0.12 * (above + below + bool(head) * (head.count("\n") + 1)))
    drawing = pyplot.figure(figsize=(WIDTH, sum(heights)), layout="constrained", dpi=300)
    parts = drawing.subfigures(len(rows), 1, height_ratios=heights, squeeze=False)[:, 0]
    for part, (head, panels) in zip(parts, rows, strict=True):
        if head:
            part.suptitle(head, x=0.005, ha="left", fontsize=7)
        for number, axes in enumerate(part.subplots(1, across, squeeze=False)[0]):
            if number < len(panels):
                _panel(axes, panels[number], letters)
            else:
                axes.set_axis_off()
    return drawing


def _set(text: str, letters: int) -> str:
    """Text in lines of that many letters, no more of them than there is place for."""
    parts = wrapped(escape.plain(" ".join(text.split()), None), letters).split("\n")
    return plain_text("\n".join(parts[:_MOST_LINES]) + " …" * (len(parts) > _MOST_LINES))


def _panel(axes: Any, panel: Panel, letters: int) -> None:
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set_visible(True)
    axes.set_title(_set(panel.heading, letters), fontsize=6.5, pad=2)
    axes.set_xlabel("\n".join(_set(one, letters) for one in panel.below), fontsize=6, labelpad=2)
    words = panel.words
    if panel.picture is not None:
        try:
            axes.imshow(read_small(panel.picture, _SIDE), interpolation="antialiased")
            axes.spines[:].set_linewidth(0.3)
            return
        except ImageError as error:
            label = str(error.args[0] if error.args else "")
            words = f"cannot be read: {label.replace(str(panel.picture), panel.picture.name)}"
    axes.set_box_aspect(1)
    axes.spines[:].set(linestyle=":", linewidth=0.5)
    axes.text(0.5, 0.5, _set(words, letters), ha="center", va="center", fontsize=6,
              transform=axes.transAxes)  # fmt: skip
