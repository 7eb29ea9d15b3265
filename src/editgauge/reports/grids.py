"""Grids of pictures as in the papers' figures: a line for each sample, with its instruction, its
input, its reference and every editor's output; below each output its scores. PDF, PNG and SVG by
matplotlib (extra `report`).

What is missing or cannot be read is said in words at its place. Names and instructions of any
length are wrapped. Pictures are drawn smaller where they are larger than print needs.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editgauge import escape
from editgauge.errors import ImageError, UsageError
from editgauge.images import read_image, resize
from editgauge.reports.drawing import SETTINGS, matplotlib_of, plain_text, saved
from editgauge.reports.places import Places
from editgauge.store.run import Run
from editgauge.store.schema import EditRecord
from editgauge.tables.metrics import metrics_of, on_scale, titles
from editgauge.tables.results import STATUSES, Results
from editgauge.tables.table import printed
from editgauge.types import Status, Variant

WIDTH = 7.0
"""Of a page of two columns, in inches."""
MOST_PICTURES = 7
"""In a line; more editors go on below, so that no picture is smaller than a stamp."""
FORMATS = ("pdf", "png", "svg")
_BETWEEN = "  "
"""Between two scores."""
_SIDE = 600
_MOST_LINES = 8


@dataclass(frozen=True, slots=True)
class Panel:
    """One place of a grid: a picture, or words where there is none, and what stands below it."""

    heading: str
    picture: Path | None
    words: str = ""
    below: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """A sample of a grid: its name, its instruction and its panels."""

    sample: str
    instruction: str
    panels: tuple[Panel, ...]


def lines(
    runs: Sequence[Run],
    frame: Results,
    samples: Sequence[str],
    metrics: Sequence[str] = (),
    *,
    editors: Sequence[str] | None = None,
) -> list[Line]:
    """What a grid of these samples shows, for these editors; None: for every one that the run has
    an output or a row of.

    `metrics` stand below each output, on the scale of the benchmark's tables. Raises `UsageError`
    for a sample or a metric that the run does not have.
    """
    known = metrics_of(frame)
    for name in metrics:
        if name not in known:
            raise UsageError(f"--metric {name}: no rows of it; there are: {', '.join(known)}")
    records = frame.samples.records
    order = {identity: number for number, identity in enumerate(records)}
    places = Places(runs, runs[0].path, copied=False)
    places.know(frame)
    edits = places.edits(frame.benchmark)
    if editors is None:
        editors = sorted({*frame.editors, *(editor for _, editor in edits)})
    found = []
    for identity in samples:
        if identity not in order:
            raise UsageError(
                f"--sample {identity}: not in this run; it has {len(order)}, such as "
                f"{', '.join(list(order)[:3])}"
            )
        record = records[identity]
        panels = [
            Panel(f"Input {number}" if len(record.get("images") or ()) > 1 else "Input",
                  places.file(path), "not in the run")
            for number, path in enumerate(record.get("images") or [None], start=1)
        ]  # fmt: skip
        if record.get("reference"):
            panels.append(Panel("Reference", places.file(record["reference"]), "not in the run"))
        for editor in editors:
            edit = edits.get((identity, editor))
            picture = places.file(None if edit is None else edit.path)
            words = _words(edit) if picture is None else ""
            told = [_score(frame, name, editor, order[identity]) for name in metrics]
            panels.append(Panel(editor, picture, words, _BETWEEN.join(told)))
        instruction = str(record.get("instruction") or "")
        found.append(Line(identity, instruction, tuple(panels)))
    places.close()
    return found


def _words(edit: EditRecord | None) -> str:
    """Why there is no picture."""
    if edit is None:
        return "missing output"
    status = edit.status.value.replace("_", " ")
    if edit.status is Status.SCORED:
        status = "not in the run"
    return f"{status}: {edit.reason}" if edit.reason else status


def _score(frame: Results, name: str, editor: str, sample: int) -> str:
    """``EA 0.80``: a score under the name and on the scale of the tables; the status in words where
    there is none.
    """
    variant: Variant = "faithful" if frame.has(name, "faithful") else "corrected"
    known = metrics_of(frame)
    metric, title = known[name], titles(known)[name]
    if editor not in frame.editors:
        return f"{title}: not scored"
    grid, row = frame.grid(name, variant), frame.editors.index(editor)
    value = float(grid.values[row, sample])
    if math.isnan(value):
        code = int(grid.status[row, sample])
        status = STATUSES[code].value.replace("_", " ") if code >= 0 else "not scored"
        return f"{title}: {status}"
    return f"{title} {printed(float(on_scale(metric, value)), metric.digits)}"


# -- drawing ---------------------------------------------------------------------------------------


def write(found: Sequence[Line], to: Path) -> list[Path]:
    """Draw the grid as the file `to`; its ending says the format, and ``.pdf`` makes a PNG beside
    it as well. Returns the files.

    Raises `UsageError` for another ending, `MissingExtra` without matplotlib.
    """
    form = to.suffix.lower().removeprefix(".")
    if form not in FORMATS:
        raise UsageError(f"--to {to.name}: wanted a file that ends in {', '.join(FORMATS)}")
    mpl, pyplot = matplotlib_of("a grid of pictures")
    to.parent.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context(SETTINGS):
        drawing = drawn(found, pyplot)
        files = saved(drawing, to.with_suffix(""), (form, "png") if form == "pdf" else (form,))
        pyplot.close(drawing)
    return files


def drawn(found: Sequence[Line], pyplot: Any) -> Any:
    """The grid as a matplotlib figure; the caller closes it."""
    across = min(MOST_PICTURES, max(len(line.panels) for line in found))
    cell = WIDTH / across
    letters = max(8, int(cell * 17))
    rows: list[tuple[str, Sequence[Panel]]] = []
    for line in found:
        told = textwrap.wrap(_plain(f"{line.sample}: {line.instruction}"), int(WIDTH * 19))
        for start in range(0, len(line.panels), across):
            head = "\n".join(_cut(told)) if not start else ""
            rows.append((head, line.panels[start : start + across]))
    heights = [_height(head, panels, cell, letters) for head, panels in rows]
    drawing = pyplot.figure(figsize=(WIDTH, sum(heights)))
    whole = top = sum(heights)
    for (head, panels), height in zip(rows, heights, strict=True):
        if head:
            drawing.text(0.005, (top - 0.04) / whole, plain_text(head), va="top", fontsize=7)
        above = 0.125 * (head.count("\n") + 1) * bool(head) + 0.06
        above += 0.115 * max(len(_wrapped(panel.heading, letters)) for panel in panels)
        side = cell * 0.96
        bottom = top - above - side
        for number, panel in enumerate(panels):
            left = (number * cell + 0.02 * cell) / WIDTH
            box = (left, bottom / whole, side / WIDTH, side / whole)
            _panel(drawing.add_axes(box), panel, letters)
        top -= height
    return drawing


def _height(head: str, panels: Sequence[Panel], cell: float, letters: int) -> float:
    above = 0.125 * (head.count("\n") + 1) * bool(head) + 0.06
    above += 0.115 * max(len(_wrapped(panel.heading, letters)) for panel in panels)
    below = 0.11 * max(len(_scores(panel.below, letters)) for panel in panels)
    return above + cell * 0.96 + below + 0.08


def _panel(axes: Any, panel: Panel, letters: int) -> None:
    axes.set_xticks([])
    axes.set_yticks([])
    heading = "\n".join(_wrapped(panel.heading, letters))
    axes.set_title(plain_text(heading), fontsize=6.5, pad=2)
    if panel.below:
        axes.set_xlabel(
            plain_text("\n".join(_scores(panel.below, letters))), fontsize=6, labelpad=2
        )
    words = panel.words
    if panel.picture is not None:
        try:
            axes.imshow(_small(panel.picture), interpolation="antialiased")
        except ImageError as error:
            words = f"cannot be read: {error.args[0] if error.args else ''}"
            words = words.replace(str(panel.picture), panel.picture.name)
        else:
            for spine in axes.spines.values():
                spine.set_linewidth(0.3)
            return
    for spine in axes.spines.values():
        spine.set_linestyle(":")
        spine.set_linewidth(0.5)
    text = "\n".join(_cut(_wrapped(words, letters)))
    axes.text(0.5, 0.5, plain_text(text), ha="center", va="center", fontsize=6,
              transform=axes.transAxes)  # fmt: skip


def _small(path: Path) -> Any:
    """The picture, no side longer than print needs."""
    pixels = read_image(path)
    height, width = pixels.shape[:2]
    share = _SIDE / max(height, width)
    if share >= 1:
        return pixels
    return resize(pixels, (max(1, round(width * share)), max(1, round(height * share))), "lanczos")


def _plain(text: str) -> str:
    return escape.plain(" ".join(text.split()), None)


def _wrapped(text: str, letters: int) -> list[str]:
    """Lines of that many letters; a name breaks after an underscore, too."""
    return [
        line.replace("_ ", "_") for line in textwrap.wrap(_plain(text).replace("_", "_ "), letters)
    ]


def _scores(text: str, letters: int) -> list[str]:
    """Scores in lines: a number stays beside its name."""
    found: list[str] = []
    for score in filter(None, text.split(_BETWEEN)):
        if found and len(found[-1]) + len(_BETWEEN) + len(score) <= letters:
            found[-1] += _BETWEEN + _plain(score)
        else:
            found += _wrapped(score, letters)
    return found


def _cut(wrapped: list[str]) -> list[str]:
    """No more lines than there is place for."""
    kept = wrapped[:_MOST_LINES]
    return [*kept[:-1], f"{kept[-1]} …"] if len(wrapped) > _MOST_LINES else kept
