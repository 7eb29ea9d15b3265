"""The figures of a report drawn by matplotlib: as SVG beside the page, and as files for papers.

Colours are Okabe and Ito's, which people with any colour vision can tell apart; lines differ in
dash and marker, bars in pattern. What is missing is drawn as missing: a bar's place has a crossed
stub; the line of a radar or curve has a gap, and the points beside it stay. Widths are a column's,
names are wrapped and never cut into each other, fonts are embedded.
"""

from __future__ import annotations

import io
import math
import textwrap
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from editgauge.errors import MissingExtra
from editgauge.images import write_bytes
from editgauge.reports.figures import (
    NO_SCORE,
    Figure,
    as_csv,
    as_text,
    limits_of,
    no_score_at,
    stretches,
)

COLOURS = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d1f", "#6f6f6f",
    "#5e3c99", "#a6611a", "#1a1a1a", "#b8a000",
)  # fmt: skip
COLUMN = 3.35
"""The width of a column in inches."""
SETTINGS = {
    "svg.hashsalt": "editgauge",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
    "ps.fonttype": 42,
    "font.size": 7,
    "hatch.linewidth": 0.5,
}
"""What matplotlib draws all our files with."""
_STYLES = ("-", "--", ":", "-.")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*", "h", "d")
_HATCHES = ("", "////", "----", "....", "\\\\\\\\")
_LEGEND_LETTERS = 23
_TITLE_LETTERS = 56


def matplotlib_of(what: str) -> Any:
    """matplotlib without a screen, and its pyplot. Raises `MissingExtra` without it."""
    try:
        import matplotlib as mpl
    except ImportError:
        raise MissingExtra(what, "matplotlib", "report") from None
    mpl.use("Agg")
    from matplotlib import pyplot

    return mpl, pyplot


def beside_page(found: Sequence[Figure], folder: Path, prefix: str) -> list[dict[str, str]]:
    """Draw each figure as an SVG file, with the table behind it as csv; file, title, kind and a
    text alternative of each. None without matplotlib.
    """
    try:
        mpl, pyplot = matplotlib_of("figures")
    except MissingExtra:
        return []
    written = []
    with mpl.rc_context({**SETTINGS, "svg.fonttype": "none", "font.family": "sans-serif"}):
        for figure in found:
            stem = folder / f"{prefix}-{figure.name}"
            drawing = drawn(figure, pyplot)
            (file,) = saved(drawing, stem, ("svg",))
            pyplot.close(drawing)
            _table(figure, stem)
            facts = {"file": file.name, "title": figure.title, "kind": figure.kind}
            written.append({**facts, "text": as_text(figure)})
    return written


def for_papers(
    found: Sequence[Figure], folder: Path, formats: Sequence[str] = ("svg", "png", "pdf")
) -> list[Path]:
    """Draw each figure as files for papers, called by its name; returns them, and the csv of each.

    Raises `MissingExtra` without matplotlib. The files hold no date and no user's name.
    """
    mpl, pyplot = matplotlib_of("figures for papers")
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    with mpl.rc_context(SETTINGS):
        for figure in found:
            drawing = drawn(figure, pyplot)
            files += saved(drawing, folder / figure.name, formats)
            pyplot.close(drawing)
            files.append(_table(figure, folder / figure.name))
    return files


def _table(figure: Figure, stem: Path) -> Path:
    """The csv file of a figure."""
    path = stem.with_name(f"{stem.name}.csv")
    path.unlink(missing_ok=True)
    write_bytes(path, as_csv(figure).encode())
    return path


def saved(drawing: Any, stem: Path, formats: Sequence[str]) -> list[Path]:
    """Write a matplotlib figure in these formats, without dates. What cannot be written raises as
    `images.write_bytes`.
    """
    files = []
    for form in formats:
        path = stem.with_name(f"{stem.name}.{form}")
        metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(form)
        buffer = io.BytesIO()  # on a full disk, matplotlib's own writers end in other errors
        with warnings.catch_warnings():
            # a browser has the letters that this font lacks; on paper they are boxes
            warnings.filterwarnings("ignore", message="Glyph .* missing from font")
            drawing.savefig(buffer, format=form, dpi=300, metadata=metadata)
        write_bytes(path, buffer.getvalue())
        files.append(path)
    return files


def drawn(figure: Figure, pyplot: Any) -> Any:
    """The figure drawn by matplotlib, `COLUMN` wide; the caller closes it."""
    whole = _heights(figure).whole
    drawing = pyplot.figure(figsize=(COLUMN, whole))
    _fill(drawing, figure, whole)
    return drawing


class _Heights(NamedTuple):
    """What a figure takes, in inches: title, axes, the labels below them, legend."""

    above: float
    axes: float
    room: float
    below: float

    @property
    def whole(self) -> float:
        return self.above + self.axes + self.room + self.below


def _title(figure: Figure) -> list[str]:
    return textwrap.wrap(figure.title, _TITLE_LETTERS)


def _names(figure: Figure) -> list[str]:
    return [plain_text(_legend_name(name)) for name in figure.series]


def _heights(figure: Figure) -> _Heights:
    tall = max(1.2, len(figure.labels) * _thickness(figure) * (len(figure.series) + 1.6))
    axes = {
        "radar": COLUMN,
        "curve": 2.2,
        "histogram": 1.8,
        "bars": tall,
        "counts": tall,
    }[figure.kind]
    lacking = figure.kind == "bars" and _lacks(figure)
    lines = [name.count("\n") + 1 for name in [*_names(figure), *[NO_SCORE] * lacking]]
    half = -(-len(lines) // 2)
    below = 0.16 + max(
        sum(0.118 * count + 0.03 for count in side) for side in (lines[:half], lines[half:])
    )
    if _alone(figure):
        below = 0.05
    return _Heights(0.1 + 0.13 * len(_title(figure)), axes, _room(figure), below)


def _fill(place: Any, figure: Figure, whole: float) -> None:
    """Draw the figure into a matplotlib figure, or a part of one, that is `whole` inches high."""
    above, height, room, below = _heights(figure)
    below += whole - (above + height + room + below)
    place.text(
        0.5, 1 - 0.05 / whole, plain_text("\n".join(_title(figure))), ha="center", va="top",
        fontsize=7.5,
    )  # fmt: skip
    bottom = (below + room) / whole
    if figure.kind == "radar":
        box = (0.25, bottom + 0.25 * height / whole, 0.5, 0.5 * height / whole)
        axes = place.add_axes(box, projection="polar")
    else:
        left = 0.34 if figure.kind in ("bars", "counts") else 0.2  # five digits and a name upright
        axes = place.add_axes((left, bottom, 0.97 - left, height / whole))
    _DRAWN[figure.kind](axes, figure, _names(figure))
    handles, labels = axes.get_legend_handles_labels()
    if not _alone(figure):
        place.legend(
            handles, labels, loc="upper center", ncols=2, fontsize=6.5, frameon=False,
            bbox_to_anchor=(0.5, below / whole), borderaxespad=0.0, handlelength=2.2,
            labelspacing=0.3,
        )  # fmt: skip


def _alone(figure: Figure) -> bool:
    """Whether the figure needs no legend: one series of counts."""
    return figure.kind in ("histogram", "counts") and len(figure.series) == 1


def _room(figure: Figure) -> float:
    """The height in inches that labels and name of the lower axis take."""
    if figure.kind == "radar":
        return 0.0
    if figure.kind in ("bars", "counts"):
        return 0.42
    longest = min(_CURVE_LETTERS, max(map(len, figure.labels)))
    return 0.2 + 0.06 * longest if _upright(figure) else 0.3


_CURVE_LETTERS = 26


def _upright(figure: Figure) -> bool:
    """Whether the labels of a curve stand upright: they would lie on each other."""
    return max(map(len, figure.labels)) * len(figure.labels) > 45


def _legend_name(name: str) -> str:
    """A name in lines that fit half of the width; it breaks after underscores, too."""
    return textwrap.fill(name.replace("_", "_ "), _LEGEND_LETTERS).replace("_ ", "_")


def plain_text(text: str) -> str:
    """Text that matplotlib does not take for a formula."""
    return text.replace("$", r"\$")


def _lacks(figure: Figure) -> bool:
    return any(math.isnan(value) for line in figure.series.values() for value in line)


def _thickness(figure: Figure) -> float:
    """The height of a bar in inches, so that a figure is no higher than a page."""
    return min(0.09, 6.4 / (len(figure.labels) * (len(figure.series) + 1.6)))


def _label(figure: Figure, place: int, width: int) -> str:
    text = textwrap.fill(figure.labels[place].replace("_", " "), width)
    return plain_text(text + (f"\n({NO_SCORE})" if no_score_at(figure, place) else ""))


def _style(number: int) -> dict[str, Any]:
    return {
        "color": COLOURS[number % len(COLOURS)],
        "linestyle": _STYLES[number % len(_STYLES)],
        "marker": _MARKERS[number % len(_MARKERS)],
        "markersize": 2.6,
        "linewidth": 0.9,
    }


def _lines(axes: Any, figure: Figure, names: Sequence[str], across: Sequence[float]) -> None:
    """Every editor's line, with gaps where there is no score; points beside a gap stay."""
    closed = figure.kind == "radar"
    for number, (name, values) in enumerate(zip(names, figure.series.values(), strict=True)):
        parts = stretches(values, closed=closed)
        style = _style(number)
        axes.plot([], [], label=name, **style)
        for part in parts:
            axes.plot([across[i] for i in part], [values[i] for i in part], **style)


def _radar(axes: Any, figure: Figure, names: Sequence[str]) -> None:
    count = len(figure.labels)
    angles = [2 * math.pi * i / count for i in range(count)]
    _lines(axes, figure, names, angles)
    low, high = limits_of(figure)
    axes.set_theta_offset(math.pi / 2)
    axes.set_theta_direction(-1)
    axes.set_ylim(low, high * 1.02)
    axes.set_xticks(angles, [""] * count)
    axes.tick_params(axis="y", labelsize=5)
    axes.grid(linewidth=0.3, color="0.8")
    axes.spines["polar"].set_linewidth(0.5)
    for place, angle in enumerate(angles):
        turn = 90 - math.degrees(angle)
        flipped = angle > math.pi
        axes.text(
            angle, low + (high - low) * 1.08, _label(figure, place, 16),
            rotation=turn + 180 if flipped else turn, rotation_mode="anchor",
            ha="right" if flipped else "left", va="center", fontsize=5.5, linespacing=0.9,
        )  # fmt: skip


_NO_BAR: Mapping[str, Any] = {
    "color": "white",
    "edgecolor": "0.4",
    "linewidth": 0.3,
    "hatch": "xxxxxxxx",
}


def _bars(axes: Any, figure: Figure, names: Sequence[str]) -> None:
    """Bars from left to right, label under label: names of any length have their place."""
    low, high = limits_of(figure)
    step = 1.0 / (len(names) + 1.6)
    stub = (high - low) * 0.04
    thin = min(0.5, _thickness(figure) * 8)
    for number, (name, editor) in enumerate(zip(names, figure.series, strict=True)):
        places = [place + (number + 0.5) * step for place in range(len(figure.labels))]
        values = figure.series[editor]
        look = {"color": COLOURS[number % len(COLOURS)], "edgecolor": "white", "linewidth": 0.2}
        axes.barh(places, [0 if math.isnan(v) else v for v in values], step, label=name,
                  hatch=_HATCHES[number % len(_HATCHES)], **look)  # fmt: skip
        missing = [place for place, v in zip(places, values, strict=True) if math.isnan(v)]
        axes.barh(missing, [stub] * len(missing), step, **_NO_BAR)
        for place, pair in zip(places, figure.limits.get(editor, ()), strict=False):
            if not math.isnan(pair[0]):
                axes.plot(pair, [place, place], color="black", linewidth=thin)
        scored = figure.scored.get(editor, ())
        limits = figure.limits.get(editor) or [(math.nan, math.nan)] * len(places)
        for at, (value, n) in enumerate(zip(values, scored, strict=False)):
            if n != figure.counts[at] and not math.isnan(value):  # the label has the others' number
                end = np.nanmax([value, *limits[at]])
                axes.text(end, places[at], f" n={n}", va="center", fontsize=4)
    if _lacks(figure):
        axes.barh([0], [0], 0, label=NO_SCORE, **_NO_BAR)
    if figure.kind == "counts":
        axes.xaxis.get_major_locator().set_params(integer=True)
    labels = [f"{_label(figure, i, 22)} ({n})" for i, n in enumerate(figure.counts)]
    middle = [place + len(names) * step / 2 for place in range(len(labels))]
    axes.set_yticks(middle, labels, fontsize=6)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(labels), -0.8 * step)
    axes.set_xlim(low, high * 1.03)
    axes.set_xlabel(plain_text(figure.axis))
    axes.grid(axis="x", linewidth=0.3, color="0.8")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _histogram(axes: Any, figure: Figure, names: Sequence[str]) -> None:
    count = len(figure.labels)
    (values,) = figure.series.values()
    axes.bar(range(count), values, 0.94, color=COLOURS[0], label=names[0])
    axes.set_xticks(range(count), figure.labels, rotation=90, fontsize=5.5)
    axes.set_xlim(-0.6, count - 0.4)
    axes.set_ylabel(figure.axis)
    axes.yaxis.get_major_locator().set_params(integer=True)
    axes.spines[["top", "right"]].set_visible(False)


def _curve(axes: Any, figure: Figure, names: Sequence[str]) -> None:
    _lines(axes, figure, names, range(len(figure.labels)))
    for number, limits in enumerate(figure.limits.values()):
        for place, pair in enumerate(limits):
            if not math.isnan(pair[0]):
                axes.plot([place, place], pair, color=_style(number)["color"], linewidth=0.5)
    count = len(figure.labels)
    names_below = [
        plain_text(textwrap.shorten(name.replace("_", " "), _CURVE_LETTERS, placeholder="…"))
        for name in figure.labels
    ]
    axes.set_xticks(range(count), names_below, rotation=90 if _upright(figure) else 0, fontsize=6)
    axes.set_xlim(-0.4, count - 0.6)
    axes.set_ylabel(plain_text(figure.axis))
    axes.grid(linewidth=0.3, color="0.85")
    axes.spines[["top", "right"]].set_visible(False)


_DRAWN: Mapping[str, Callable[[Any, Figure, Sequence[str]], None]] = {
    "radar": _radar,
    "bars": _bars,
    "counts": _bars,
    "curve": _curve,
    "histogram": _histogram,
}
