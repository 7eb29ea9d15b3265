"""The plots of a report as SVG files: radar, bars, difficulty curves. Our own few lines of SVG:
small, dark and light.

Colours are Okabe and Ito's, which people with any colour vision can tell apart; lines differ in
dash and marker, bars in pattern. What is missing is drawn as missing: a bar's place has an empty,
dashed stub; the line of a radar or curve has a gap, and the points beside it stay. Each figure is
data first (`Figure`), so that `papers` can draw the same ones with matplotlib.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from editgauge import escape
from editgauge.images import write_bytes
from editgauge.statistics.resampling import mean_interval
from editgauge.tables import learning
from editgauge.tables.metrics import bounded, on_scale, titles, unknown
from editgauge.tables.results import Results
from editgauge.tables.slices import in_order
from editgauge.types import Metric, Plot, Variant

Kind = Literal["radar", "bars", "curve", "histogram", "counts"]
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
    "#1a1a1a",
    "#b8a000",
)
DASHES = ("", "6 3", "2 3", "8 3 2 3")
MOST_EDITORS = len(COLOURS)
"""More editors than this are drawn in further figures."""
BARRED: tuple[Kind, ...] = ("bars", "histogram", "counts")
"""The kinds that are drawn as bars."""
NO_SCORE = "no score"
_MOST_LABELS = 40
_MOST_LETTERS = 32
"""Of a name at a spoke."""
_LEGEND_LETTERS = 48
_RESAMPLES = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
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
    """How many samples each label has that the metric can say something about."""
    scored: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """How many of them have a score, for each editor at each label."""
    limits: Mapping[str, tuple[tuple[float, float], ...]] = field(default_factory=dict)
    """95 % bootstrap intervals over samples, for each editor at each label; NaN where there is
    none. Bars and curves have them.
    """
    top: float | None = None
    """The upper end of the metric's scale, at which a radar has its rim; None where it is open."""
    question: str = ""
    """What figures that answer one question together share: attribute, source, part of the editors.
    A figure without one stands alone.
    """


def figures(
    frame: Results, metrics: Mapping[str, Metric], plots: Sequence[Plot] = ()
) -> list[Figure]:
    """The figures of a benchmark: for each of `plots` one for each metric (its best variant), and
    one for each source where several judges or engines made a metric; they are never averaged
    together. Annotators' rows are left out. An attribute that the samples do not have is passed
    over. Of more than `MOST_EDITORS` editors each figure has a part. No two have one name.
    """
    frame = frame.without_people()
    sides = _by_source(frame)
    found = []
    for plot in plots:
        each = plot.each if plot.each in frame.samples.names() else ""
        if plot.kind == "histogram":
            found += _histogram(frame, plot.attribute, plot.words)
        elif plot.kind == "counts":
            found += _counted(frame, plot._replace(each=each))
        else:
            found += _means(frame, metrics, plot._replace(each=each), sides)
    for source, side in sides:
        for name in frame.metrics:
            if name in side.metrics and _of_side(frame, name, source):
                found += _learning(side, metrics, name, source)
    names = escape.apart([figure.name for figure in found])
    return [replace(figure, name=name) for figure, name in zip(found, names, strict=True)]


def _means(
    frame: Results, metrics: Mapping[str, Metric], plot: Plot, sides: Sequence[tuple[str, Results]]
) -> list[Figure]:
    """The figures of every metric and source at the values of an attribute; none without it."""
    there = set(frame.samples.names())
    names = (plot.attribute, f"{plot.attribute}_tier", f"{plot.attribute}_score")
    attribute = next((name for name in names if name in there), "")
    kind = plot.kind
    if not attribute or kind == "histogram" or kind == "counts":
        return []
    found = []
    for metric in frame.metrics:
        for source, side in sides:
            if metric not in side.metrics or not _of_side(frame, metric, source):
                continue
            if metric in metrics and metrics[metric].of_sample:
                continue
            variant = "faithful" if side.has(metric, "faithful") else "corrected"
            what = _What(kind, attribute, plot.words, metric, variant, source, plot.order)
            for value, part in _apart(side, plot.each):
                found += _figures(part, metrics, what._replace(of=value))
    return found


_LEARNED = {"tuned": "samples trained on", "shots": "demonstrations"}


def _learning(
    frame: Results, metrics: Mapping[str, Metric], name: str, source: str
) -> list[Figure]:
    """Learning curves of a metric: its mean for each number of samples learned from, a line for
    each model and task; none where no editor of the frame learned.
    """
    found: list[Figure] = []
    metric = metrics.get(name)
    if metric is None or metric.whole_set:
        return found
    title = titles(metrics).get(name, metric.title)
    variant: Variant = "faithful" if frame.has(metric.name, "faithful") else "corrected"
    for kind, axis in _LEARNED.items():
        every = list(learning.series(frame, kind))
        numbers = sorted({number for one in every for number in one.editors})
        lines: dict[str, list[Any]] = {}
        for one in every:
            stored = learning.values(one, metric, variant)
            values = dict(zip(one.editors, (on_scale(metric, v) for v in stored), strict=True))
            if any((~np.isnan(cell)).any() for cell in values.values()):
                none = np.full(len(one.frame.samples), np.nan)
                lines[one.name] = [values.get(number, none) for number in numbers]
        by = f"; {source.partition('#')[0]}" if source else ""
        tail = f"-{portable(source)}" if source else ""
        names = list(lines)
        for start in range(0, len(names), MOST_EDITORS):
            part = {name: lines[name] for name in names[start : start + MOST_EDITORS]}
            more = f"-{start // MOST_EDITORS + 1}" if len(names) > MOST_EDITORS else ""
            found.append(
                Figure(
                    kind="curve",
                    name=portable(f"learning-{kind}-{name}-{variant}{tail}") + more,
                    question=portable(f"learning-{kind}{tail}") + more,
                    title=f"{title} ({variant}{by}) by {axis}",
                    axis=f"{title} by {axis}",
                    labels=tuple(str(number) for number in numbers),
                    series={n: tuple(_mean(c) for c in cells) for n, cells in part.items()},
                    counts=tuple(
                        sum(len(c[number]) for c in part.values()) for number in range(len(numbers))
                    ),
                    scored={
                        n: tuple(int((~np.isnan(c)).sum()) for c in cells)
                        for n, cells in part.items()
                    },
                    limits={n: tuple(_interval(c) for c in cells) for n, cells in part.items()},
                )
            )
    return found


class _What(NamedTuple):
    """What a figure shows: means of a metric at each value of an attribute, of one source."""

    kind: Kind
    attribute: str
    words: str
    metric: str
    variant: str
    source: str
    order: tuple[str, ...]
    of: str = ""
    """Which samples: a value of the attribute that keeps them apart."""


def _apart(frame: Results, attribute: str) -> list[tuple[str, Results]]:
    """The samples of each value of an attribute; without one all of them, called ""."""
    if not attribute:
        return [("", frame)]
    labels = frame.samples.labels(attribute)
    known = in_order(str(label) for label in labels if label)
    return [(value, frame.of_samples(labels == value)) for value in known]


def _counted(frame: Results, plot: Plot) -> list[Figure]:
    """How many samples have which value of an attribute, a bar for each value of `each`; none where
    there are fewer than two values, or too many.
    """
    attribute, each = plot.attribute, plot.each
    if attribute not in frame.samples.names():
        return []
    labels = frame.samples.labels(attribute)
    names = _ordered((str(label) for label in labels), plot.order)
    if not 2 <= len(names) <= _MOST_LABELS:
        return []
    parts = frame.samples.labels(each) if each else np.full(len(labels), "samples")
    series = {
        value: tuple(float(((labels == name) & (parts == value)).sum()) for name in names)
        for value in _ordered((str(part) for part in parts), ())
    }
    return [
        Figure(
            kind="counts",
            name=portable("-".join(filter(None, ("counts", attribute, each)))),
            title=f"{plot.words} ({len(labels)} samples)",
            axis="samples",
            labels=names,
            series=series,
            counts=tuple(int((labels == name).sum()) for name in names),
        )
    ]


def _ordered(labels: Iterable[str], order: Sequence[str]) -> tuple[str, ...]:
    """Each label but the empty one once: in the paper's order, others after it."""
    known = in_order(label for label in labels if label)
    return (
        *(name for name in order if name in known),
        *(name for name in known if name not in order),
    )


_BINS = 20


def _histogram(frame: Results, attribute: str, words: str) -> list[Figure]:
    """How many samples have which value of a number, in bins of equal width from 0, or the lowest
    where that is less, to the highest; none where no sample has it.
    """
    values = _numbers(frame, attribute)
    known = values[np.isfinite(values)]
    if not len(known) or known.max() <= min(0.0, known.min()):
        return []
    counts, edges = np.histogram(known, _BINS, (min(0.0, known.min()), known.max()))
    return [
        Figure(
            kind="histogram",
            name=portable(f"histogram-{attribute}"),
            title=f"{words} ({len(known)} of {len(frame.samples)} samples)",
            axis="samples",
            labels=tuple(f"{a:.3g}–{b:.3g}" for a, b in pairwise(edges)),
            series={"samples": tuple(float(count) for count in counts)},
            counts=tuple(int(count) for count in counts),
        )
    ]


def _numbers(frame: Results, name: str) -> Any:
    """A number for each sample, NaN where there is none: an attribute of that name, or what a
    metric of the sample alone (`Metric.of_sample`) said of it, beside whichever editor.
    """
    if name in frame.samples.names():
        labels = frame.samples.labels(name).tolist()
        return np.array([_number_or_nan(label) for label in labels], dtype=np.float64)
    found = np.full(len(frame.samples), np.nan)
    if name in frame.metrics:
        for line in frame.grid(name, "faithful").values:
            found = np.where(np.isnan(found), line, found)
    return found


def _number_or_nan(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _by_source(frame: Results) -> list[tuple[str, Results]]:
    """The frame without what several sources made, and a frame for each of those."""
    makers = frame.makers()
    if not makers:
        return [("", frame)]
    rest = frame.where(lambda key: key.metric not in makers)
    found = [("", rest)] if rest.keys else []
    for source in sorted({name for names in makers.values() for name in names}):
        found.append((source, frame.of_source(source).where(lambda key: key.metric in makers)))
    return found


def _of_side(frame: Results, metric: str, source: str) -> bool:
    """Whether a metric's figure belongs to a source's side: "" where only one source made it."""
    makers = frame.makers().get(metric)
    return source in makers if makers else not source


def _figures(frame: Results, metrics: Mapping[str, Metric], what: _What) -> list[Figure]:
    """The figure of what is asked for, in as many parts as the number of editors asks for; none
    where there are too few or too many labels, or no score.
    """
    kind, metric = what.kind, what.metric
    grid = frame.grid(metric, what.variant)
    labels = frame.samples.labels(what.attribute)
    about = metrics.get(metric) or unknown(metric)
    title = titles(metrics).get(metric, metric)
    shown = on_scale(about, grid.values)
    finite = np.where(np.isinf(shown), np.nan, shown)
    asked = (grid.status >= 0).any(axis=0)
    names = _ordered((str(label) for label in labels[asked]), what.order)
    # an editor without a score keeps its place, so that colours are the same in every figure
    editors = [e for e in range(len(frame.editors)) if (grid.status[e] >= 0).any()]
    few = len(names) < (3 if kind == "radar" else 2)
    if few or len(names) > _MOST_LABELS or np.isnan(finite).all():
        return []
    at = {name: _at(asked & (labels == name), grid.defined) for name in names}
    if kind == "radar" and not bounded(about):
        kind = "bars"  # spokes of an open scale have no rim
    better = {"higher": " (higher is better)", "lower": " (lower is better)"}.get(
        about.direction or "", ""
    )
    by = f"; {what.source.partition('#')[0]}" if what.source else ""
    tail = "".join(f"-{portable(part)}" for part in (what.source, what.of) if part)
    among = f", {what.of}" if what.of else ""
    found = []
    for start in range(0, len(editors), MOST_EDITORS):
        part = editors[start : start + MOST_EDITORS]
        more = f" ({start // MOST_EDITORS + 1})" if len(editors) > MOST_EDITORS else ""
        lines = {frame.editors[e]: [finite[e][at[name]] for name in names] for e in part}
        found.append(
            Figure(
                kind=kind,
                name=portable(f"{kind}-{what.attribute}-{metric}-{what.variant}{tail}")
                + more.replace(" (", "-").rstrip(")"),
                question=portable(f"{what.attribute}{tail}") + more.replace(" (", "-").rstrip(")"),
                title=f"{title} ({what.variant}{by}) {what.words}{among}{more}",
                axis=f"{title}{f', {about.unit}' if about.unit else ''}{better}",
                labels=names,
                series={e: tuple(_mean(cell) for cell in line) for e, line in lines.items()},
                counts=tuple(int(at[name].sum()) for name in names),
                scored={
                    e: tuple(int((~np.isnan(cell)).sum()) for cell in line)
                    for e, line in lines.items()
                },
                limits={e: tuple(_interval(cell) for cell in line) for e, line in lines.items()}
                if kind != "radar"
                else {},
                top=float(on_scale(about, np.float64(about.high))) if bounded(about) else None,
            )
        )
    return found


def _at(here: Any, defined: Any) -> Any:
    """The samples of a label that the metric can say something about; all of them where it can say
    nothing of any: the label is then shown without a score.
    """
    return here & defined if (here & defined).any() else here


def portable(text: str) -> str:
    """A name for a file on every system: letters, digits, dots and dashes. Two texts may become
    one: see `escape.apart`.
    """
    return "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "-" for c in text)


def _interval(values: Any) -> tuple[float, float]:
    """The 95 % interval of a mean; NaN twice where fewer than two values, or equal ones, say
    nothing of it.
    """
    kept = values[~np.isnan(values)]
    if len(kept) < 2 or (kept == kept[0]).all():
        return (math.nan, math.nan)
    found = mean_interval(kept)
    return (float(found.low), float(found.high))


def _mean(values: Any) -> float:
    kept = values[~np.isnan(values)]
    return float(kept.mean()) if len(kept) else math.nan


def write(
    frame: Results,
    metrics: Mapping[str, Metric],
    plots: Sequence[Plot],
    folder: Path,
    *,
    prefix: str = "",
) -> list[dict[str, str]]:
    """Write every figure as SVG with the table behind it as csv beside it; return name, title and
    a text alternative of each.
    """
    written = []
    for figure in figures(frame, metrics, plots):
        name = f"{prefix}-{figure.name}.svg"
        write_bytes(folder / name, svg(figure).encode())
        write_bytes(folder / f"{prefix}-{figure.name}.csv", as_csv(figure).encode())
        written.append(
            {"file": name, "title": figure.title, "kind": figure.kind, "text": as_text(figure)}
        )
    return written


def as_text(figure: Figure) -> str:
    """The figure in words, for those who do not see it: every number it shows."""
    parts = []
    for editor, values in figure.series.items():
        numbers = ", ".join(
            f"{label} {'no score' if math.isnan(v) else _short_number(v)}"
            for label, v in zip(figure.labels, values, strict=True)
        )
        parts.append(f"{editor}: {numbers}")
    return f"{figure.title}. " + ". ".join(parts) + "."


def as_csv(figure: Figure) -> str:
    """The table behind the figure: a line for each editor and label, with value, n, number of
    samples and the limits of the interval; empty where there is none.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["figure", "model", "label", "value", "n", "of", "low", "high"])
    for editor, values in figure.series.items():
        for place, label in enumerate(figure.labels):
            limits = figure.limits.get(editor)
            numbers = (values[place], *(limits[place] if limits else (math.nan, math.nan)))
            value, low, high = ("" if math.isnan(number) else f"{number:.6g}" for number in numbers)
            scored = figure.scored.get(editor)
            n = "" if scored is None else str(scored[place])
            names = [escape.csv_text(text) for text in (figure.title, editor, label)]
            writer.writerow([*names, value, n, figure.counts[place], low, high])
    return stream.getvalue()


# -- drawing ---------------------------------------------------------------------------------------

_STYLE = (
    "text{font:12px "
    "system-ui,sans-serif;fill:#1a1a1a}.t{font-weight:600;font-size:13px}.g{stroke:#c8c8c8;fill:none}"
    ".n{font-size:7px}.i{stroke:#1a1a1a}.bg{fill:#fff}@media(prefers-color-scheme:dark){text{fill:#eee}"
    ".g{stroke:#555}.i{stroke:#eee}.bg{fill:#16181c}}"
)


def svg(figure: Figure) -> str:
    """The figure as a self-contained SVG document."""
    draw = {"radar": _radar, "bars": _bars, "curve": _curve, "histogram": _bars, "counts": _bars}[
        figure.kind
    ]
    body, width, height = draw(figure)
    legend, legend_height = _legend(figure, width, height)
    height += legend_height
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" '
        f'role="img"><title>{escape.markup(figure.title)}</title><desc>{escape.markup(as_text(figure))}</desc>'
        f'<style>{_STYLE}</style><rect class="bg" width="{width}" height="{height}"/>'
        f'<text class="t" x="12" y="20">{escape.markup(figure.title)}</text>'
        f"{body}{legend}</svg>\n"
    )


def limits_of(figure: Figure) -> tuple[float, float]:
    """The lowest and highest number that is drawn, 0 included; a radar ends with its scale, so
    that radars of one scale can be laid beside each other.
    """
    values = [v for line in figure.series.values() for v in line if not math.isnan(v)]
    ends = [v for line in figure.limits.values() for pair in line for v in pair if v == v]
    low, high = min(0.0, *values, *ends), max(*values, *ends, 0.0)
    if figure.kind == "radar" and figure.top is not None:
        high = max(high, figure.top)
    return low, high if high > low else low + 1.0


def stretches(values: Sequence[float], *, closed: bool) -> list[list[int]]:
    """The places of values that stand next to each other, gap by gap; `closed`: the last one is
    next to the first, and is drawn to it. A value alone is a stretch of one.
    """
    there = [index for index, value in enumerate(values) if not math.isnan(value)]
    if closed and len(there) == len(values):
        return [[*there, there[0]]] if there else []
    found: list[list[int]] = []
    for index in there:
        if found and found[-1][-1] == index - 1:
            found[-1].append(index)
        else:
            found.append([index])
    last = len(values) - 1
    if closed and len(found) > 1 and found[0][0] == 0 and found[-1][-1] == last:
        found[0] = found.pop() + found[0]
    return found


def _radar(figure: Figure) -> tuple[str, int, int]:
    size, radius = 720, 150.0
    turned = len(figure.labels) > _MOST_LEVEL
    centre = (360.0, 365.0 if turned else 225.0)
    low, high = limits_of(figure)
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
            f'font-size="10">{_short_number(low + step * (high - low))}</text>'
        )
    for index in range(count):
        x, y = point(index, high)
        parts.append(
            f'<line class="g" x1="{centre[0]}" y1="{centre[1]}" x2="{x:.1f}" y2="{y:.1f}"/>'
        )
        x, y = point(index, low + 1.08 * (high - low))
        parts.append(_spoke_label(figure, index, x, y, centre[0], turned=turned))
    for number, values in enumerate(figure.series.values()):
        for stretch in stretches(values, closed=True):
            joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in (point(i, values[i]) for i in stretch))
            parts.append(f'<polyline points="{joined}" fill="none" {_stroke(number)}/>')
        parts += [_marker(number, *point(i, v)) for i, v in enumerate(values) if not math.isnan(v)]
    return "".join(parts), size, 720 if turned else 420


_MOST_LEVEL = 8
"""With more labels than this a radar's are turned along their spokes, so that none lies on
another.
"""


def _spoke_label(
    figure: Figure, index: int, x: float, y: float, middle: float, *, turned: bool
) -> str:
    label = escape.markup(_short(figure.labels[index], _MOST_LETTERS if turned else 26))
    if no_score_at(figure, index):
        label += f" ({NO_SCORE})"
    anchor = "middle" if abs(x - middle) < 8 else ("start" if x > middle else "end")
    if not turned:
        return f'<text x="{x:.1f}" y="{y + 4:.1f}" text-anchor="{anchor}">{label}</text>'
    angle = 360.0 * index / len(figure.labels) - 90
    flipped = angle > 90
    return (
        f'<text transform="translate({x:.1f},{y:.1f}) '
        f'rotate({angle - 180 if flipped else angle:.1f})" dy="4" '
        f'text-anchor="{"end" if flipped else "start"}">{label}</text>'
    )


def no_score_at(figure: Figure, place: int) -> bool:
    """Whether no editor has a score at a label."""
    return all(math.isnan(values[place]) for values in figure.series.values())


def _bars(figure: Figure) -> tuple[str, int, int]:
    low, high = limits_of(figure)
    group = max(26, 9 * len(figure.series) + 8)
    left, top, plot = 70, 60, 220
    width = max(360, left + 16 + group * len(figure.labels))
    parts = [_patterns(len(figure.series)), *_grid_lines(low, high, left, top, plot, width)]

    def height(value: float) -> float:
        return top + plot * (1 - (value - low) / (high - low))

    for position, label in enumerate(figure.labels):
        start = left + 8 + position * group
        for number, editor in enumerate(figure.series):
            parts.append(_bar(figure, editor, position, start + 9 * number, number, height))
        x = start + 4.5 * len(figure.series)
        parts.append(
            f'<text transform="translate({x:.1f},{top + plot + 14}) '
            f'rotate(35)">{escape.markup(_short(label, 24))} '
            f"({figure.counts[position]})</text>"
        )
    return "".join(parts), width + 150, top + plot + 150


def _bar(
    figure: Figure,
    editor: str,
    position: int,
    x: float,
    number: int,
    height: Callable[[float], float],
) -> str:
    """One bar with its interval; an empty dashed stub where there is no score."""
    value, zero = figure.series[editor][position], height(0.0)
    of = figure.counts[position]
    about = f"{editor}, {figure.labels[position]}"
    if math.isnan(value):
        said = escape.markup(f"{about}: {NO_SCORE} (0 of {of})")
        return (
            f'<rect class="none" x="{x}" y="{zero - 12:.1f}" width="8" height="12" fill="none" '
            f'stroke="#777" stroke-dasharray="2 2"><title>{said}</title></rect>'
        )
    n = figure.scored[editor][position] if editor in figure.scored else of
    counted = f"({n} of {of})" if editor in figure.scored else f"of {of}"
    said = escape.markup(f"{about}: {_short_number(value)} {counted}")
    y, tall = min(height(value), zero), max(0.5, abs(zero - height(value)))
    drawn = (
        f'<rect x="{x}" y="{y:.1f}" width="8" height="{tall:.1f}" fill="{_colour(number)}">'
        f"<title>{said}</title></rect>"
    )
    if number % len(_PATTERNS):
        drawn += (
            f'<rect x="{x}" y="{y:.1f}" width="8" height="{tall:.1f}" '
            f'fill="url(#p{number % len(_PATTERNS)})"/>'
        )
    if editor in figure.scored:
        top = min([y, *(height(end) for end in _ends(figure, editor, position))])
        drawn += (
            f'<text class="n" transform="translate({x + 7:.1f},{top - 3:.1f}) rotate(-90)">'
            f"{n}</text>"
        )
    low, high = figure.limits[editor][position] if editor in figure.limits else (math.nan,) * 2
    if not math.isnan(low):
        drawn += (
            f'<line class="i" x1="{x + 4}" x2="{x + 4}" y1="{height(low):.1f}" '
            f'y2="{height(high):.1f}"/>'
        )
    return drawn


def _ends(figure: Figure, editor: str, position: int) -> list[float]:
    """The ends of an interval that are there."""
    ends = figure.limits[editor][position] if editor in figure.limits else ()
    return [end for end in ends if not math.isnan(end)]


_PATTERNS = ("", "M0,6 l6,-6", "M0,3 h6", "M3,0 v6", "M0,0 l6,6")
"""Lines over a bar's colour, so that neighbours differ in grey, too."""


def _patterns(count: int) -> str:
    made = "".join(
        f'<pattern id="p{number}" width="6" height="6" patternUnits="userSpaceOnUse">'
        f'<path d="{path}" stroke="#fff" stroke-width="1.4"/></pattern>'
        for number, path in enumerate(_PATTERNS[:count])
        if path
    )
    return f"<defs>{made}</defs>" if made else ""


def _curve(figure: Figure) -> tuple[str, int, int]:
    low, high = limits_of(figure)
    left, top, plot, width = 70, 36, 220, 540
    parts = _grid_lines(low, high, left, top, plot, width)
    step = (width - left - 30) / max(1, len(figure.labels) - 1)
    for position, label in enumerate(figure.labels):
        parts.append(
            f'<text x="{left + 10 + position * step:.1f}" y="{top + plot + 18}" '
            f'text-anchor="middle">'
            f"{escape.markup(_short(label, 10))}</text>"
        )
    for number, values in enumerate(figure.series.values()):
        points = {
            place: (left + 10 + place * step, top + plot * (1 - (v - low) / (high - low)))
            for place, v in enumerate(values)
            if not math.isnan(v)
        }
        for stretch in stretches(values, closed=False):
            joined = " ".join(f"{points[i][0]:.1f},{points[i][1]:.1f}" for i in stretch)
            parts.append(f'<polyline points="{joined}" fill="none" {_stroke(number)}/>')
        for place, (x, _) in points.items():
            ends = _ends(figure, tuple(figure.series)[number], place)
            if ends:
                y1, y2 = (top + plot * (1 - (end - low) / (high - low)) for end in ends)
                parts.append(
                    f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{y1:.1f}" y2="{y2:.1f}" '
                    f'stroke="{_colour(number)}"/>'
                )
        parts += [_marker(number, x, y) for x, y in points.values()]
    return "".join(parts), width, top + plot + 34


def _marker(number: int, x: float, y: float) -> str:
    """A point: circle, square, triangle or diamond, so that lines differ without colour."""
    fill = f'fill="{_colour(number)}"'
    if number % 4 == 0:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" {fill}/>'
    shape = {1: "-3,-3 3,-3 3,3 -3,3", 2: "0,-4 4,3 -4,3", 3: "0,-4 4,0 0,4 -4,0"}[number % 4]
    return f'<polygon transform="translate({x:.1f},{y:.1f})" points="{shape}" {fill}/>'


def _grid_lines(low: float, high: float, left: int, top: int, plot: int, width: int) -> list[str]:
    parts = []
    for share in (0, 0.25, 0.5, 0.75, 1):
        y = top + plot * (1 - share)
        parts.append(f'<line class="g" x1="{left}" x2="{width - 8}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(
            f'<text x="{left - 6}" y="{y + 4:.1f}" '
            f'text-anchor="end">{_short_number(low + share * (high - low))}</text>'
        )
    return parts


def _legend(figure: Figure, width: int, top: int) -> tuple[str, int]:
    parts = []
    longest = max((len(_short(name, _LEGEND_LETTERS)) for name in figure.series), default=0)
    room = 44 + 7 * max(longest, len(NO_SCORE))
    columns = max(1, (width - 16) // room)
    places = [
        (16 + (number % columns) * room, top + 16 + (number // columns) * 18)
        for number in range(len(figure.series) + 1)
    ]
    for number, editor in enumerate(figure.series):
        x, y = places[number]
        if figure.kind in BARRED:
            box = f'<rect x="{x}" y="{y - 10}" width="24" height="10" fill='
            parts.append(f'{box}"{_colour(number)}"/>')
            if number % len(_PATTERNS):
                parts.append(f'{box}"url(#p{number % len(_PATTERNS)})"/>')
        else:
            parts.append(
                f'<line x1="{x}" x2="{x + 24}" y1="{y - 4}" y2="{y - 4}" {_stroke(number)}/>'
            )
            parts.append(_marker(number, x + 12, y - 4))
        parts.append(
            f'<text x="{x + 30}" y="{y}">{escape.markup(_short(editor, _LEGEND_LETTERS))}</text>'
        )
    lacking = any(math.isnan(value) for line in figure.series.values() for value in line)
    if figure.kind == "bars" and lacking:
        x, y = places[-1]
        parts.append(
            f'<rect x="{x}" y="{y - 10}" width="8" height="12" fill="none" stroke="#777" '
            f'stroke-dasharray="2 2"/><text x="{x + 30}" y="{y}">{NO_SCORE}</text>'
        )
    return "".join(parts), 12 + 18 * -(-len(places) // columns)


def _colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def _stroke(number: int) -> str:
    dash = DASHES[number % len(DASHES)]
    return f'stroke="{_colour(number)}" stroke-width="2"' + (
        f' stroke-dasharray="{dash}"' if dash else ""
    )


def _short_number(value: float) -> str:
    """Three digits, and of larger numbers all before the point."""
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def _short(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
