"""A report's figures by matplotlib: SVG, and files for papers. Okabe and Ito's colours, dashes,
markers and patterns tell series apart; what is missing is a crossed stub or a gap.
"""

from __future__ import annotations

import io
import math
import textwrap
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from editgauge.errors import MissingExtra
from editgauge.images import write_bytes
from editgauge.reports.figures import Figure
from editgauge.statistics.limits import Floats
from editgauge.types import JsonObject

COLOURS = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d1f", "#6f6f6f",
    "#5e3c99", "#a6611a", "#1a1a1a", "#b8a000",
)  # fmt: skip
COLUMN = 3.35
"""The width of a column in inches."""
SETTINGS = {
    "svg.hashsalt": "editgauge", "svg.fonttype": "path", "pdf.fonttype": 42, "ps.fonttype": 42,
    "font.size": 7, "hatch.linewidth": 0.5, "lines.linewidth": 0.9, "lines.markersize": 2.6,
    "axes.spines.top": False, "axes.spines.right": False, "axes.axisbelow": True,
    "grid.linewidth": 0.3, "grid.color": "0.8", "xtick.labelsize": 6, "ytick.labelsize": 6,
    "legend.fontsize": 6.5, "legend.frameon": False, "legend.handlelength": 2.2,
    "legend.labelspacing": 0.3, "figure.titlesize": 7.5,
}  # fmt: skip
"""What matplotlib draws all our files with."""
NO_SCORE = "no score"
_STYLES = ("-", "--", ":", "-.")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*", "h", "d")
_HATCHES = ("", "////", "----", "....", "\\\\\\\\")
_NO_BAR: JsonObject = {
    "color": "white", "edgecolor": "0.4", "linewidth": 0.3, "hatch": "xxxxxxxx"
}  # fmt: skip


def matplotlib_of(what: str) -> Any:
    """matplotlib without a screen, and its pyplot. Raises `MissingExtra` without it."""
    try:
        import matplotlib as mpl
    except ImportError:
        raise MissingExtra(what, "matplotlib", "report") from None
    mpl.use("Agg")
    from matplotlib import pyplot

    return mpl, pyplot


def write(
    found: Sequence[Figure], folder: Path, formats: Sequence[str], prefix: str = ""
) -> list[Path]:
    """Draw each figure as files of these formats, called by its name; returns the files. Letters of
    an SVG alone stay text, for a page; else they are outlines.

    Raises `MissingExtra` without matplotlib. The files hold no date and no user's name.
    """
    mpl, pyplot = matplotlib_of("drawing figures")
    page = {"svg.fonttype": "none", "font.family": "sans-serif"} if [*formats] == ["svg"] else {}
    files: list[Path] = []
    with mpl.rc_context({**SETTINGS, **page}):
        for figure in found:
            drawing = drawn(figure, pyplot)
            files += saved(drawing, folder / f"{prefix}{figure.name}", formats)
            pyplot.close(drawing)
    return files


def saved(drawing: Any, stem: Path, formats: Sequence[str]) -> list[Path]:
    """Write a matplotlib figure in these formats, without dates. Raises as `images.write_bytes`."""
    drawing.canvas.draw()
    drawing.set_layout_engine("none")  # it would move things a little at every further drawing
    files = [stem.with_name(f"{stem.name}.{form}") for form in formats]
    for path, form in zip(files, formats, strict=True):
        metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(form)
        buffer = io.BytesIO()  # on a full disk, matplotlib's own writers end in other errors
        with warnings.catch_warnings():
            # a browser has the letters that this font lacks; on paper they are boxes
            warnings.filterwarnings("ignore", message="Glyph .* missing from font")
            drawing.savefig(buffer, format=form, dpi=300, metadata=metadata)
        write_bytes(path, buffer.getvalue())
    return files


class _Line(NamedTuple):
    """A series: its place (colour), its name, and at each label value, low, high, n: (L, 4)."""

    number: int
    name: str
    values: Floats

    @property
    def colour(self) -> str:
        return COLOURS[self.number % len(COLOURS)]


def drawn(figure: Figure, pyplot: Any) -> Any:
    """The figure drawn by matplotlib, `COLUMN` wide; the caller closes it."""
    lines = {
        name: _Line(number, plain_text(wrapped(name, 23)), np.array(values))
        for number, (name, values) in enumerate(figure.series.items())
    }
    title = textwrap.fill(figure.title, 56)
    alone = figure.kind == "counts" and len(lines) == 1  # it needs no legend
    legend = 0 if alone else sum(line.name.count("\n") + 1 for line in lines.values()) // 2 + 2
    body = {
        "radar": COLUMN,
        "curve": 2.5 + 0.06 * min(max(map(len, figure.labels)), 30) * _upright(figure),
    }.get(figure.kind, 0.6 + max(1.2, len(figure.labels) * _thickness(figure) * (len(lines) + 1.6)))
    panels = figure.panels or (tuple(lines),)
    height = body * len(panels) + 0.13 * (title.count("\n") + 2 + legend)
    drawing = pyplot.figure(figsize=(COLUMN, height), layout="constrained", dpi=300)
    drawing.suptitle(plain_text(title))
    draw = {"radar": _radar, "curve": _curve}.get(figure.kind, _bars)
    polar = {"projection": "polar"} if figure.kind == "radar" else {}
    shown: JsonObject = {}
    every = drawing.subplots(len(panels), subplot_kw=polar, squeeze=False)[:, 0]
    for axes, panel in zip(every, panels, strict=True):
        draw(axes, figure, [lines[name] for name in panel])
        handles, labels = axes.get_legend_handles_labels()
        shown |= dict(zip(labels, handles, strict=True))
    if not alone:
        drawing.legend(shown.values(), shown.keys(), loc="outside lower center", ncols=2)
    return drawing


def plain_text(text: str) -> str:
    """Text that matplotlib does not take for a formula."""
    return text.replace("$", r"\$")


def wrapped(text: str, letters: int) -> str:
    """Lines of that many letters; a name breaks after an underscore, too."""
    return textwrap.fill(text.replace("_", "_ "), letters).replace("_ ", "_")


def _thickness(figure: Figure) -> float:
    """The height of a bar in inches, so that a figure is no higher than a page."""
    return min(0.09, 6.4 / (len(figure.labels) * (len(figure.series) + 1.6)))


def _labels(figure: Figure, width: int, *, counts: bool = True) -> list[str]:
    """The labels with their number of samples; where nobody has a score, that is said."""
    labels = []
    for at, (label, n) in enumerate(zip(figure.labels, figure.counts, strict=True)):
        text = textwrap.fill(label.replace("_", " "), width) + f" ({n})" * counts
        none = all(math.isnan(values[at].value) for values in figure.series.values())
        labels.append(plain_text(text + f"\n({NO_SCORE})" * none))
    return labels


def _upright(figure: Figure) -> bool:
    """Whether the labels below a figure would lie on each other."""
    return (max(map(len, figure.labels)) + 4) * len(figure.labels) > 50


def _plot(axes: Any, lines: Sequence[_Line], across: Sequence[float], order: Sequence[int]) -> None:
    """Every editor's line, with gaps where there is no score; points beside a gap stay."""
    for line in lines:
        apart = line.number + line.number // len(COLOURS)  # the thirteenth is not the first
        axes.plot(
            np.array(across)[order], line.values[order, 0], label=line.name, color=line.colour,
            linestyle=_STYLES[apart % len(_STYLES)], marker=_MARKERS[apart % len(_MARKERS)],
        )  # fmt: skip


def _radar(axes: Any, figure: Figure, lines: Sequence[_Line]) -> None:
    """From 0, or the lowest value, to the end of the scale."""
    count = len(figure.labels)
    angles = [2 * math.pi * i / count for i in range(count)]
    _plot(axes, lines, angles, [*range(count), 0])
    values = [one.value for each in figure.series.values() for one in each]
    low, high = float(np.nanmin([0.0, *values])), float(np.nanmax([figure.top or 0.0, *values]))
    axes.set_theta_offset(math.pi / 2)
    axes.set_theta_direction(-1)
    axes.set_ylim(low, high * 1.02)
    axes.set_xticks(angles, [""] * count)
    axes.tick_params(axis="y", labelsize=5)
    axes.grid(True)
    axes.spines["polar"].set_linewidth(0.5)
    for angle, label in zip(angles, _labels(figure, 16, counts=False), strict=True):
        turn, flipped = 90 - math.degrees(angle), angle > math.pi
        axes.text(
            angle, low + (high - low) * 1.08, label, rotation=turn + 180 * flipped,
            rotation_mode="anchor", ha="right" if flipped else "left", va="center", fontsize=5.5,
            linespacing=0.9,
        )  # fmt: skip


def _bars(axes: Any, figure: Figure, lines: Sequence[_Line]) -> None:
    """Bars from left to right, label under label: names of any length have their place."""
    step = 1.0 / (len(lines) + 1.6)
    missing = np.zeros(0)
    for line in lines:
        places = np.arange(len(figure.labels)) + (line.number + 0.5) * step
        values, low_ends, high_ends, _ = line.values.T
        axes.barh(
            places, np.nan_to_num(values), step, label=line.name, edgecolor="white", linewidth=0.2,
            color=line.colour, hatch=_HATCHES[line.number % len(_HATCHES)],
        )  # fmt: skip
        missing = np.append(missing, places[np.isnan(values)])
        thin = min(0.5, _thickness(figure) * 8)
        axes.plot([low_ends, high_ends], [places, places], color="black", linewidth=thin)
    if len(missing):
        stub = 0.04 * abs(np.subtract(*axes.get_xlim()))
        axes.barh(missing, stub, step, label=NO_SCORE, **_NO_BAR)
    if figure.kind == "counts":
        axes.xaxis.get_major_locator().set_params(integer=True)
    middle = np.arange(len(figure.labels)) + len(lines) * step / 2
    axes.set_yticks(middle, _labels(figure, 22))
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(figure.labels), -0.8 * step)
    axes.set_xlabel(plain_text(figure.axis))
    axes.grid(axis="x")


def _curve(axes: Any, figure: Figure, lines: Sequence[_Line]) -> None:
    places = range(len(figure.labels))
    _plot(axes, lines, places, places)
    for line in lines:
        _, low_ends, high_ends, counts = line.values.T
        axes.plot([places, places], [low_ends, high_ends], color=line.colour, linewidth=0.5)
        for at in np.flatnonzero((counts > 0) & (counts != figure.counts)):
            n = f" n={counts[at]:.0f}"
            axes.text(at, line.values[at, 0], n, fontsize=4, color=line.colour)
    axes.set_xticks(places, _labels(figure, 30), rotation=90 if _upright(figure) else 0)
    axes.set_xlim(-0.4, len(places) - 0.6)
    axes.set_ylabel(plain_text(figure.axis))
    axes.grid(True)
