"""Which figures a benchmark has: radars, bars, curves, histograms, counts, each as data."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from editgauge import escape
from editgauge.reports.figures import Figure, portable
from editgauge.statistics.resampling import mean_interval
from editgauge.tables.metrics import bounded, on_scale, titles, unknown
from editgauge.tables.results import Results
from editgauge.tables.slices import in_order
from editgauge.types import Metric, Plot

MOST_EDITORS = 12
"""More editors than this are drawn in further figures."""
_MOST_LABELS = 40


def figures(
    frame: Results,
    metrics: Mapping[str, Metric],
    plots: Sequence[Plot] = (),
    *,
    only: Collection[str] = (),
) -> list[Figure]:
    """The figures of a benchmark: for each of `plots` one for each metric (its best variant), and
    one for each source where several judges or engines made a metric; they are never averaged
    together. Annotators' rows are left out. An attribute that the samples do not have is passed
    over. Of more than `MOST_EDITORS` editors each figure has a part. No two have one name. `only`:
    the metrics whose means are shown; empty: all.
    """
    frame = frame.without_people()
    names = [name for name in frame.metrics if not only or name in only]
    found: list[Figure] = []
    for plot in plots:
        plot = plot._replace(each=plot.each if plot.each in frame.samples.names() else "")
        if plot.kind == "histogram":
            found += _histogram(frame, plot.attribute, plot.words)
        elif plot.kind == "counts":
            found += _counted(frame, plot)
        elif attribute := _there(frame, plot.attribute):
            plot = plot._replace(attribute=attribute)
            found += [one for name in names for one in _means(frame, metrics, name, plot)]
    apart = escape.apart([figure.name for figure in found])
    return [replace(figure, name=name) for figure, name in zip(found, apart, strict=True)]


def _there(frame: Results, attribute: str) -> str:
    """The attribute, or its tier or score, whichever the samples have; "" without any."""
    names = (attribute, f"{attribute}_tier", f"{attribute}_score")
    return next((name for name in names if name in frame.samples.names()), "")


def _means(
    frame: Results, metrics: Mapping[str, Metric], metric: str, plot: Plot
) -> Iterator[Figure]:
    """A metric's means at the values of an attribute: a figure for each source that made it, and
    for each value of `plot.each`.
    """
    about = metrics.get(metric) or unknown(metric)
    if about.of_sample:
        return
    title = titles(metrics).get(metric, metric)
    for source in frame.makers().get(metric, ("",)):
        side = frame.of_source(source) if source else frame
        variant = "faithful" if side.has(metric, "faithful") else "corrected"
        for of, part in _apart(side, plot.each):
            yield from _of_values(part, about, variant, plot, (title, source, of))


def _of_values(
    frame: Results, about: Metric, variant: str, plot: Plot, words: tuple[str, str, str]
) -> Iterator[Figure]:
    """The figure of some samples, in as many parts as the number of editors asks for; none where
    there are too few or too many labels, or no score. `words`: the metric's title, whose rows and
    which samples ("" for all).
    """
    name, source, of = words
    grid = frame.grid(about.name, variant)
    labels = frame.samples.labels(plot.attribute)
    shown = on_scale(about, grid.values)
    finite = np.where(np.isinf(shown), np.nan, shown)
    asked = (grid.status >= 0).any(axis=0)
    names = _ordered((str(label) for label in labels[asked]), plot.order)
    few = len(names) < (3 if plot.kind == "radar" else 2)
    if few or len(names) > _MOST_LABELS or np.isnan(finite).all():
        return
    at = {name: _at(asked & (labels == name), grid.defined) for name in names}
    open_radar = plot.kind == "radar" and not bounded(about)  # its spokes would have no rim
    kind = "bars" if open_radar else plot.kind
    # an editor without a score keeps its place, so that colours are the same in every figure
    editors = [e for e in range(len(frame.editors)) if (grid.status[e] >= 0).any()]
    lines = {frame.editors[e]: [finite[e][at[name]] for name in names] for e in editors}
    better = f" ({about.direction} is better)" if about.direction else ""
    title = f"{name} ({'; '.join(filter(None, (variant, source.partition('#')[0])))})"
    tail = "".join(f"-{portable(part)}" for part in (source, of) if part)
    for more, part in _parts(lines):
        yield _figure(
            part,
            kind=kind,
            name=portable(f"{kind}-{plot.attribute}-{about.name}-{variant}{tail}") + more,
            title=f"{title} {plot.words}{f', {of}' if of else ''}{more.replace('-', ', part ')}",
            axis=f"{name}{f', {about.unit}' if about.unit else ''}{better}",
            labels=names,
            counts=tuple(int(at[name].sum()) for name in names),
            top=float(on_scale(about, np.float64(about.high))) if bounded(about) else None,
        )


def _parts(lines: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """At most `MOST_EDITORS` lines each, with what a part's name ends in."""
    names = list(lines)
    for start in range(0, len(names), MOST_EDITORS):
        more = f"-{start // MOST_EDITORS + 1}" if len(names) > MOST_EDITORS else ""
        yield more, {name: lines[name] for name in names[start : start + MOST_EDITORS]}


def _figure(lines: Mapping[str, Sequence[Any]], **facts: Any) -> Figure:
    """A figure of the values of each editor at each label, as means; an interval each but for a
    radar's.
    """
    bounds = {} if facts["kind"] == "radar" else lines
    return Figure(
        series={name: tuple(map(_mean, cells)) for name, cells in lines.items()},
        scored={
            name: tuple(int((~np.isnan(cell)).sum()) for cell in cells)
            for name, cells in lines.items()
        },
        limits={name: tuple(map(_interval, cells)) for name, cells in bounds.items()},
        **facts,
    )


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


def _at(here: Any, defined: Any) -> Any:
    """The samples of a label that the metric can say something about; all of them where it can say
    nothing of any: the label is then shown without a score.
    """
    return here & defined if (here & defined).any() else here


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
