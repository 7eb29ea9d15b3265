"""The plots of a report as SVG files: radar, bars, difficulty curves. Our own few lines of SVG:
small, dark and light.

Colours are Okabe and Ito's, which people with any colour vision can tell apart; lines differ in
dash and marker too. Each figure is data first (`Figure`), so that `papers` can draw the same ones
with matplotlib.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, Literal

import numpy as np

from editgauge.images import write_bytes
from editgauge.tables.frame import Frame
from editgauge.types import Metric, Plot

Kind = Literal["radar", "bars", "curve"]
COLOURS = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#e69f00",
    "#56b4e9",
    "#8c6d1f",
    "#6f6f6f",
    "#5e3c99",
    "#a6611a",
)
DASHES = ("", "6 3", "2 3", "8 3 2 3", "", "6 3", "2 3", "8 3 2 3", "", "6 3")
_ORDER = {"easy": 0, "medium": 1, "hard": 2}
_MOST_EDITORS = 10


@dataclass(frozen=True, slots=True)
class Figure:
    """Means of one metric for each editor (in `series`) at each label; NaN where nothing was
    scored.
    """

    kind: Kind
    name: str
    title: str
    axis: str
    labels: tuple[str, ...]
    series: Mapping[str, tuple[float, ...]]
    counts: tuple[int, ...]
    """How many samples each label has."""


def figures(
    frame: Frame, metrics: Mapping[str, Metric], plots: Sequence[Plot] = ()
) -> list[Figure]:
    """The figures of a benchmark: for each of `plots` one for each metric (its best variant). An
    attribute that the samples do not have is passed over.
    """
    there = set(frame.samples.names())
    found = []
    for kind, attribute, words in plots:
        attribute = next(
            (
                name
                for name in (attribute, f"{attribute}_tier", f"{attribute}_score")
                if name in there
            ),
            "",
        )
        if not attribute:
            continue
        for metric in frame.metrics:
            variant = "faithful" if frame.has(metric, "faithful") else "corrected"
            figure = _figure(frame, metrics, kind, attribute, words, metric, variant)
            if figure is not None:
                found.append(figure)
    return found


def _figure(
    frame: Frame,
    metrics: Mapping[str, Metric],
    kind: Kind,
    attribute: str,
    words: str,
    metric: str,
    variant: str,
) -> Figure | None:
    sources = {
        int(code)
        for code in np.unique(
            frame.columns.source[frame.columns.metric == frame.metrics.index(metric)]
        )
    }
    if len(sources) != 1:
        return None  # rows of several judges or engines are never averaged together
    grid = frame.grid(metric, variant)
    labels = frame.samples.labels(attribute)
    some = (~np.isnan(grid.values)).any(axis=0)
    names = sorted(
        {str(label) for label in labels[some] if label}, key=_place
    )  # a label without a score has no place
    if len(names) < (3 if kind == "radar" else 2) or len(names) > 40:
        return None
    series = {}
    for row, editor in enumerate(frame.editors[:_MOST_EDITORS]):
        values = np.where(np.isinf(grid.values[row]), np.nan, grid.values[row])
        series[editor] = tuple(_mean(values[labels == name]) for name in names)
    if all(math.isnan(value) for line in series.values() for value in line):
        return None
    about = metrics.get(metric)
    better = {"higher": " (higher is better)", "lower": " (lower is better)"}.get(
        (about.direction if about else None) or "", ""
    )
    return Figure(
        kind,
        f"{kind}-{attribute}-{metric}-{variant}".replace("/", "-"),
        f"{metric} ({variant}) {words}",
        f"{metric}{better}",
        tuple(names),
        series,
        tuple(int((labels == name).sum()) for name in names),
    )


def _mean(values: Any) -> float:
    kept = values[~np.isnan(values)]
    return float(kept.mean()) if len(kept) else math.nan


def _place(label: str) -> tuple[int, float, str]:
    if label in _ORDER:
        return (0, _ORDER[label], label)
    try:
        return (0, float(label), label)
    except ValueError:
        return (1, 0.0, label)


def write(
    frame: Frame,
    metrics: Mapping[str, Metric],
    plots: Sequence[Plot],
    folder: Path,
    *,
    prefix: str = "",
) -> list[dict[str, str]]:
    """Write every figure as SVG; return name, title and a text alternative of each."""
    written = []
    for figure in figures(frame, metrics, plots):
        name = f"{prefix}-{figure.name}.svg"
        write_bytes(folder / name, svg(figure).encode())
        written.append(
            {"file": name, "title": figure.title, "kind": figure.kind, "text": as_text(figure)}
        )
    return written


def as_text(figure: Figure) -> str:
    """The figure in words, for those who do not see it: every number it shows."""
    parts = []
    for editor, values in figure.series.items():
        numbers = ", ".join(
            f"{label} {'no score' if math.isnan(v) else f'{v:.3g}'}"
            for label, v in zip(figure.labels, values, strict=True)
        )
        parts.append(f"{editor}: {numbers}")
    return f"{figure.title}. " + ". ".join(parts) + "."


# -- drawing ---------------------------------------------------------------------------------------

_STYLE = (
    "text{font:12px "
    "system-ui,sans-serif;fill:#1a1a1a}.t{font-weight:600;font-size:13px}.g{stroke:#c8c8c8;fill:none}"
    ".bg{fill:#fff}@media(prefers-color-scheme:dark){text{fill:#eee}.g{stroke:#555}.bg{fill:#16181c}}"
)


def svg(figure: Figure) -> str:
    """The figure as a self-contained SVG document."""
    draw = {"radar": _radar, "bars": _bars, "curve": _curve}[figure.kind]
    body, width, height = draw(figure)
    legend, legend_height = _legend(figure, width, height)
    height += legend_height
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" '
        f'role="img"><title>{escape(figure.title)}</title><desc>{escape(as_text(figure))}</desc>'
        f'<style>{_STYLE}</style><rect class="bg" width="{width}" height="{height}"/>'
        f'<text class="t" x="12" y="20">{escape(figure.title)}</text>'
        f"{body}{legend}</svg>\n"
    )


def _limits(figure: Figure) -> tuple[float, float]:
    values = [v for line in figure.series.values() for v in line if not math.isnan(v)]
    low, high = min(0.0, *values), max(values)
    return low, high if high > low else low + 1.0


def _radar(figure: Figure) -> tuple[str, int, int]:
    size, radius, centre = 560, 150.0, (280.0, 225.0)
    low, high = _limits(figure)
    count = len(figure.labels)

    def point(index: int, value: float) -> tuple[float, float]:
        share = (value - low) / (high - low)
        angle = -math.pi / 2 + 2 * math.pi * index / count
        return centre[0] + radius * share * math.cos(angle), centre[1] + radius * share * math.sin(
            angle
        )

    parts = []
    for step in (0.25, 0.5, 0.75, 1.0):
        ring = " ".join(
            f"{x:.1f},{y:.1f}"
            for x, y in (point(i, low + step * (high - low)) for i in range(count))
        )
        parts.append(f'<polygon class="g" points="{ring}"/>')
        x, y = point(0, low + step * (high - low))
        parts.append(
            f'<text x="{x + 4:.1f}" y="{y + 4:.1f}" '
            f'font-size="10">{low + step * (high - low):.3g}</text>'
        )
    for index, label in enumerate(figure.labels):
        x, y = point(index, high)
        parts.append(
            f'<line class="g" x1="{centre[0]}" y1="{centre[1]}" x2="{x:.1f}" y2="{y:.1f}"/>'
        )
        x, y = point(index, low + 1.12 * (high - low))
        anchor = "middle" if abs(x - centre[0]) < 8 else ("start" if x > centre[0] else "end")
        parts.append(
            f'<text x="{x:.1f}" y="{y + 4:.1f}" '
            f'text-anchor="{anchor}">{escape(_short(label, 20))}</text>'
        )
    for number, values in enumerate(figure.series.values()):
        points = [point(i, v) for i, v in enumerate(values) if not math.isnan(v)]
        joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        shape = "polygon" if len(points) == count else "polyline"
        parts.append(f'<{shape} points="{joined}" fill="none" {_stroke(number)}/>')
        parts += [
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{_colour(number)}"/>'
            for x, y in points
        ]
    return "".join(parts), size, 420


def _bars(figure: Figure) -> tuple[str, int, int]:
    low, high = _limits(figure)
    group = max(26, 9 * len(figure.series) + 8)
    left, top, plot = 70, 36, 220
    width = max(360, left + 16 + group * len(figure.labels))
    parts = _grid_lines(low, high, left, top, plot, width)
    for position, label in enumerate(figure.labels):
        start = left + 8 + position * group
        for number, values in enumerate(figure.series.values()):
            value = values[position]
            if math.isnan(value):
                continue
            y = top + plot * (1 - (value - low) / (high - low))
            zero = top + plot * (1 - (0 - low) / (high - low))
            tall = max(0.5, abs(zero - y))
            parts.append(
                f'<rect x="{start + 9 * number}" y="{min(y, zero):.1f}" width="8" '
                f'height="{tall:.1f}" '
                f'fill="{_colour(number)}"/>'
            )
        x = start + 4.5 * len(figure.series)
        parts.append(
            f'<text transform="translate({x:.1f},{top + plot + 14}) '
            f'rotate(35)">{escape(_short(label, 24))} '
            f"({figure.counts[position]})</text>"
        )
    return "".join(parts), width + 90, top + plot + 130


def _curve(figure: Figure) -> tuple[str, int, int]:
    low, high = _limits(figure)
    left, top, plot, width = 70, 36, 220, 540
    parts = _grid_lines(low, high, left, top, plot, width)
    step = (width - left - 30) / max(1, len(figure.labels) - 1)
    for position, label in enumerate(figure.labels):
        parts.append(
            f'<text x="{left + 10 + position * step:.1f}" y="{top + plot + 18}" '
            f'text-anchor="middle">'
            f"{escape(_short(label, 10))}</text>"
        )
    for number, values in enumerate(figure.series.values()):
        points = [
            (left + 10 + position * step, top + plot * (1 - (v - low) / (high - low)))
            for position, v in enumerate(values)
            if not math.isnan(v)
        ]
        joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline points="{joined}" fill="none" {_stroke(number)}/>')
        parts += [
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{_colour(number)}"/>' for x, y in points
        ]
    return "".join(parts), width, top + plot + 34


def _grid_lines(low: float, high: float, left: int, top: int, plot: int, width: int) -> list[str]:
    parts = []
    for share in (0, 0.25, 0.5, 0.75, 1):
        y = top + plot * (1 - share)
        parts.append(f'<line class="g" x1="{left}" x2="{width - 8}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(
            f'<text x="{left - 6}" y="{y + 4:.1f}" '
            f'text-anchor="end">{low + share * (high - low):.3g}</text>'
        )
    return parts


def _legend(figure: Figure, width: int, top: int) -> tuple[str, int]:
    parts, columns = [], max(1, width // 180)
    for number, editor in enumerate(figure.series):
        x, y = 16 + (number % columns) * 180, top + 16 + (number // columns) * 18
        if figure.kind == "bars":
            parts.append(
                f'<rect x="{x}" y="{y - 10}" width="24" height="10" fill="{_colour(number)}"/>'
            )
        else:
            parts.append(
                f'<line x1="{x}" x2="{x + 24}" y1="{y - 4}" y2="{y - 4}" {_stroke(number)}/>'
            )
        parts.append(f'<text x="{x + 30}" y="{y}">{escape(_short(editor, 20))}</text>')
    return "".join(parts), 12 + 18 * -(-len(figure.series) // columns)


def _colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def _stroke(number: int) -> str:
    dash = DASHES[number % len(DASHES)]
    return f'stroke="{_colour(number)}" stroke-width="2"' + (
        f' stroke-dasharray="{dash}"' if dash else ""
    )


def _short(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


# -- files for papers ------------------------------------------------------------------------------


def papers(
    found: Sequence[Figure], folder: Path, formats: Sequence[str] = ("svg", "png", "pdf")
) -> list[Path]:
    """Draw the figures with matplotlib (extra `report`) as files for papers; returns them.

    Raises `MissingExtra` without matplotlib. The files hold no date and no user's name.
    """
    try:
        import matplotlib as mpl
    except ImportError:
        from editgauge.errors import MissingExtra

        raise MissingExtra("figures for papers", "matplotlib", "report") from None
    mpl.use("Agg")
    from matplotlib import pyplot

    folder.mkdir(parents=True, exist_ok=True)
    files = []
    with mpl.rc_context(
        {
            "svg.hashsalt": "editgauge",
            "font.size": 9,
            "axes.prop_cycle": pyplot.cycler(color=COLOURS),
        }
    ):
        for figure in found:
            drawing = _axes(figure, pyplot)
            for form in formats:
                path = folder / f"{figure.name}.{form}"
                metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(form)
                path.unlink(missing_ok=True)  # never into a file that has another name elsewhere
                drawing.savefig(path, dpi=200, bbox_inches="tight", metadata=metadata)
                files.append(path)
            pyplot.close(drawing)
    return files


def _axes(figure: Figure, pyplot: Any) -> Any:
    count = len(figure.labels)
    drawing = pyplot.figure(
        figsize=(4.2, 3.6) if figure.kind == "radar" else (max(4.2, 0.32 * count + 2), 3.2)
    )
    axes = drawing.add_subplot(projection="polar" if figure.kind == "radar" else None)
    for number, (editor, values) in enumerate(figure.series.items()):
        name, style = editor.replace("$", r"\$"), ("-", "--", ":", "-.")[number % 4]
        if figure.kind == "radar":
            angles = [2 * math.pi * i / count for i in range(count)]
            axes.plot([*angles, angles[0]], [*values, values[0]], style, label=name, linewidth=1.4)
        elif figure.kind == "bars":
            width = 0.8 / len(figure.series)
            axes.bar([i + number * width for i in range(count)], values, width, label=name)
        else:
            axes.plot(range(count), values, style, marker="o", markersize=3, label=name)
    if figure.kind == "radar":
        axes.set_theta_offset(math.pi / 2)
        axes.set_theta_direction(-1)
        axes.tick_params(axis="x", pad=14)
        axes.set_xticks(
            [2 * math.pi * i / count for i in range(count)],
            [label.replace("$", r"\$") for label in figure.labels],
        )
    else:
        axes.set_xticks(
            range(count),
            [label.replace("$", r"\$") for label in figure.labels],
            rotation=35,
            ha="right",
        )
        axes.set_ylabel(figure.axis)
    axes.set_title(figure.title, fontsize=9, pad=18 if figure.kind == "radar" else 6)
    axes.legend(
        fontsize=7, loc="upper left", bbox_to_anchor=(1.3 if figure.kind == "radar" else 1.02, 1.0)
    )
    return drawing
