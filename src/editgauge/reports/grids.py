"""Grids of pictures as in the papers' figures: instruction, input, reference and every output of
each sample; what is missing or cannot be read is said in words at its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from editgauge import escape
from editgauge.errors import ImageError, UsageError
from editgauge.images import read_small
from editgauge.reports.drawing import SETTINGS, matplotlib_of, plain_text, saved, wrapped
from editgauge.reports.pictures import Pictures
from editgauge.store.run import Run
from editgauge.tables.results import Results
from editgauge.types import Status

WIDTH = 7.0
"""Of a page of two columns, in inches."""
MOST_PICTURES = 7
"""In a line; more editors go on below, so that no picture is smaller than a stamp."""
FORMATS = ("pdf", "png", "svg")
_SIDE = 600
_MOST_LINES = 8


class Panel(NamedTuple):
    """One place of a grid: a picture, or words where there is none."""

    heading: str
    picture: Path | None
    words: str


Line = tuple[str, list[Panel]]
"""A sample of a grid: its name with its instruction, and its panels."""


def lines(
    runs: Sequence[Run], frames: Sequence[Results], samples: Sequence[str], editors: Sequence[str]
) -> list[Line]:
    """What a grid of these samples shows, for these editors (none: every one that the runs have an
    output or a row of). Raises `UsageError` where not exactly one of the `frames` has the samples.
    """
    having = [one for one in frames if {*samples} <= one.samples.records.keys()]
    if len(having) != 1:
        there = "; ".join(f"{f.benchmark} has {', '.join(f.samples.ids[:3])}…" for f in frames)
        why = f"wanted samples of one benchmark, found them in {len(having)} ({there})"
        raise UsageError(f"{', '.join(samples)}: {why}", argument="sample")
    pictures, records = Pictures(runs, runs[0].path), having[0].samples.records
    pictures.know(having[0])
    editors = editors or sorted({*having[0].editors}.union(*pictures.edits.values()))
    strips = []
    for name in samples:
        given = [("Input", path) for path in records[name].get("images") or [None]]
        given += [("Reference", path) for path in [records[name].get("reference")] if path]
        panels = [Panel(heading, pictures.file(path), "not in the run") for heading, path in given]
        for editor in editors:
            picture, words = None, "missing output"
            if (edit := pictures.edits.get(name, {}).get(editor)) is not None:
                picture, words = pictures.file(edit.path), "not in the run"
                if edit.status is not Status.SCORED:
                    words = f"{edit.status.value.replace('_', ' ')}: {edit.reason}"
            panels.append(Panel(editor, picture, words))
        strips.append((f"{name}: {records[name].get('instruction') or ''}", panels))
    pictures.close()
    return strips


def write(found: Sequence[Line], to: Path) -> list[Path]:
    """Draw the grid as the file `to`; its ending says the format, and ``.pdf`` makes a PNG beside
    it. Raises `UsageError` for another ending, `MissingExtra` without matplotlib.
    """
    form = to.suffix.lower().removeprefix(".")
    if form not in FORMATS:
        raise UsageError(f"wanted a file that ends in {', '.join(FORMATS)}", argument="to")
    mpl, pyplot = matplotlib_of("a grid of pictures")
    with mpl.rc_context(SETTINGS):
        drawing = _drawn(found, pyplot)
        files = saved(drawing, to.with_suffix(""), (form, "png") if form == "pdf" else (form,))
        pyplot.close(drawing)
    return files


def _drawn(found: Sequence[Line], pyplot: Any) -> Any:
    """The grid as a matplotlib figure, `WIDTH` wide; the caller closes it."""
    across = min(MOST_PICTURES, max(len(panels) for _, panels in found))
    cell = WIDTH / across
    letters = max(8, int(cell * 17))
    rows = [
        (_set(heading, int(WIDTH * 19)) if start == 0 else "", panels[start : start + across])
        for heading, panels in found
        for start in range(0, len(panels), across)
    ]
    heights = []
    for head, panels in rows:
        above = max(_set(panel.heading, letters).count("\n") for panel in panels)
        heights.append(cell + 0.12 * (above + 2 + bool(head) * (head.count("\n") + 1)))
    drawing = pyplot.figure(figsize=(WIDTH, sum(heights)), layout="constrained", dpi=300)
    parts = drawing.subfigures(len(rows), 1, height_ratios=heights, squeeze=False)[:, 0]
    for part, (head, panels) in zip(parts, rows, strict=True):
        if head:
            part.suptitle(head, x=0.005, ha="left", fontsize=7)
        every = part.subplots(1, across, squeeze=False)[0]
        for axes, panel in zip(every, panels, strict=False):
            _panel(axes, panel, letters)
        for axes in every[len(panels) :]:
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
    words = panel.words
    if panel.picture is not None:
        try:
            axes.imshow(read_small(panel.picture, _SIDE), interpolation="antialiased")
            axes.spines[:].set_linewidth(0.3)
            return
        except ImageError:
            words = "cannot be read"
    axes.set_box_aspect(1)
    axes.spines[:].set(linestyle=":", linewidth=0.5)
    axes.text(0.5, 0.5, _set(words, letters), ha="center", va="center", fontsize=6,
              transform=axes.transAxes)  # fmt: skip
