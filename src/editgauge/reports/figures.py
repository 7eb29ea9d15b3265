"""The figures of a benchmark as data: radars, bars, curves, histograms, counts."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from editgauge import escape
from editgauge.escape import counted
from editgauge.reports.scripts import number
from editgauge.statistics.resampling import NOTHING, Estimate, mean_interval
from editgauge.tables import models
from editgauge.tables.layouts import every_table
from editgauge.tables.metrics import bounded, choose, on_scale, titles, unknown
from editgauge.tables.results import Floats, Results
from editgauge.tables.slices import in_order
from editgauge.types import Metric, Plot

Kind = Literal["radar", "bars", "curve", "histogram", "counts"]
PAPERS = " †"
"""Behind the name of a paper's model."""
_MOST_LABELS = 40
_MOST_LINES = 6
"""Lines in one radar that can be told apart: more are drawn in panels where models have groups."""
_MOST_BINS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """Means of one metric for each editor (in `series`) at each label, with intervals and how many
    samples have a score; or counts of samples (`n` is 0 there).
    """

    kind: Kind
    name: str
    title: str
    axis: str
    labels: tuple[str, ...]
    series: Mapping[str, tuple[Estimate, ...]]
    counts: tuple[int, ...]
    """How many samples each label has that the metric can say something about."""
    top: float | None = None
    """The upper end of the metric's scale, at which a radar has its rim; None where it is open."""
    panels: tuple[tuple[str, ...], ...] = ()
    """The series of each panel of a radar of many models, one below the other; empty: one panel."""


def figures(
    frame: Results,
    metrics: Mapping[str, Metric],
    plots: Sequence[Plot] = (),
    *,
    only: Collection[str] = (),
    published: bool = False,
) -> list[Figure]:
    """The figures of a benchmark: for each of `plots` one for each metric (its best variant) and
    each source that made it, people's aside. No two have one name. `only`: the metrics whose means
    are shown; empty: all. `published`: with the papers' models beside, where a paper has numbers of
    these labels by the same judge or engine.
    """
    frame = frame.without_people()
    listed: list[Figure] = []
    for plot in plots:
        if plot.kind in ("counts", "histogram"):
            listed += _counted(frame, plot)
        elif plot.attribute in frame.samples.names():
            for name in (name for name in frame.metrics if not only or name in only):
                listed += _means(frame, metrics, name, plot, published=published)
    apart = escape.apart([figure.name for figure in listed])
    return [
        replace(figure, name=name, panels=_panels(figure, frame.benchmark))
        for figure, name in zip(listed, apart, strict=True)
    ]


def _panels(figure: Figure, benchmark: str) -> tuple[tuple[str, ...], ...]:
    """The paper's groups of models, closed ones first; models of no group stand in each panel."""
    facts = models.built_in()
    groups = {
        name: facts.of(name.removesuffix(PAPERS)).group.get(benchmark, "") for name in figure.series
    }
    headings = sorted({*groups.values()} - {""})
    if figure.kind != "radar" or len(figure.series) <= _MOST_LINES or len(headings) < 2:
        return ()
    return tuple(
        tuple(name for name, group in groups.items() if group in (heading, ""))
        for heading in headings
    )


# -- means -----------------------------------------------------------------------------------------


def _means(
    frame: Results, metrics: Mapping[str, Metric], name: str, plot: Plot, *, published: bool
) -> Iterator[Figure]:
    """A metric's means at the values of an attribute, for each source and each part."""
    about = metrics.get(name) or unknown(name)
    if about.of_sample:
        return
    if plot.kind == "radar" and not bounded(about):  # its spokes would have no rim
        plot = plot._replace(kind="bars")
    sources = frame.sources_of(name)
    for source in sources:
        side = frame.of_source(source)
        parts = {"": side}
        if plot.each in frame.samples.names():
            labels = side.samples.labels(plot.each)
            parts = {of: side.of_samples(labels == of) for of in in_order(labels) if of}
        for of, part in parts.items():
            words = (titles(metrics).get(name, name), source if sources[1:] else "", of)
            figure = _of_labels(part, about, plot, words)
            if figure is not None:
                yield _with_papers(figure, name, part) if published else figure


def _of_labels(
    frame: Results, about: Metric, plot: Plot, words: tuple[str, str, str]
) -> Figure | None:
    """The figure of some samples; None where their labels make none. `words`: the metric's title,
    whose rows, and which samples ("" for all).
    """
    title, source, of = words
    variant, _ = choose(frame, about.name, "faithful")
    grid = frame.grid(about.name, variant, partial(on_scale, about))
    labels = frame.samples.labels(plot.attribute)
    values = np.where(np.isinf(grid.values), np.nan, grid.values)
    there = grid.status >= 0
    asked = there.any(axis=0)
    names = _ordered(labels[asked], plot.order)
    if not 2 + (plot.kind == "radar") <= len(names) <= _MOST_LABELS or np.isnan(values).all():
        return None
    at = [asked & (labels == name) & grid.defined for name in names]
    low, high = sorted(float(on_scale(about, np.float64(end))) for end in (about.low, about.high))
    # an editor without a score keeps its place, so that colours are the same in every figure
    lines = {frame.editors[e]: values[e] for e in np.flatnonzero(there.any(axis=1))}
    made_by = "; ".join(filter(None, (variant, source.partition("#")[0])))
    file = (plot.kind, plot.attribute, about.name, variant, portable(source), of)
    better = f" ({about.direction} is better)" if about.direction else ""
    return Figure(
        kind=plot.kind,
        name=portable("-".join(filter(None, file))),
        title=f"{title} ({made_by}) {plot.words}{f', {of}' if of else ''}",
        axis=", ".join(filter(None, (title, about.unit))) + better,
        labels=names,
        series={e: tuple(mean_interval(line[mask], _around(line, low, high)) for mask in at)
                for e, line in lines.items()},
        counts=tuple(int(mask.sum()) for mask in at),
        top=high if bounded(about) else None,
    )  # fmt: skip


def _around(values: Floats, low: float, high: float) -> tuple[float, float]:
    """A scale's ends, moved where values lie beyond them: released code may record such scores."""
    given = values[~np.isnan(values)]
    return (float(min([low, *given])), float(max([high, *given])))


def _with_papers(figure: Figure, metric: str, frame: Results) -> Figure:
    """The figure with the models of a paper's table that has these labels."""
    for paper in every_table(frame):
        lines, of = paper.publication(frame), [c for c in paper.columns if c.metric == metric]
        names = {label: c.name for c in of for label in c.labels.values() if len(c.labels) == 1}
        if lines is None or lines.other_maker(frame) or not names.keys() & {*figure.labels}:
            continue
        beside = {
            row.name + PAPERS: tuple(
                _number(row.cell(names.get(label, "")).value) for label in figure.labels
            )
            for row in lines.rows()
            if row.kind == "published"
        }
        title = f"{figure.title} ({PAPERS.strip()} the paper's, of the full release)"
        return replace(figure, title=title, series={**figure.series, **beside})
    return figure


def _number(value: float | None) -> Estimate:
    return NOTHING if value is None else NOTHING._replace(value=float(value))


def _ordered(labels: Iterable[Any], order: Sequence[str] = ()) -> tuple[str, ...]:
    """Each label but the empty one once: in the paper's order, others after it."""
    known = in_order(str(label) for label in labels if label)
    return (*(n for n in order if n in known), *(n for n in known if n not in order))


# -- counts ----------------------------------------------------------------------------------------


def _counted(frame: Results, plot: Plot) -> Iterator[Figure]:
    """Samples by value of an attribute, for each of `each`; by bins of an attribute or metric."""
    size, there = len(frame.samples), frame.samples.names()
    labelled = plot.attribute in there
    labels: Any = frame.samples.labels(plot.attribute) if labelled else np.full(size, "")
    names, title = _ordered(labels, plot.order), f"{plot.words} ({counted(size, 'sample')})"
    if plot.kind == "histogram":
        values = np.array([number(label) for label in labels])
        if plot.attribute in frame.metrics:
            for line in frame.grid(plot.attribute, "faithful").values:
                values = np.where(np.isnan(values), line, values)
        labels, names = _binned(values)
        title = f"{plot.words} ({int((labels != '').sum())} of {size} samples)"
    if not 2 <= len(names) <= _MOST_LABELS:
        return
    each = plot.each if plot.each in there else ""
    parts: Any = frame.samples.labels(each) if each else np.full(size, "samples")
    series = {
        part: tuple(_number(((labels == name) & (parts == part)).sum()) for name in names)
        for part in _ordered(parts)
    }
    yield Figure(
        kind="counts",
        name=portable("-".join(filter(None, (plot.kind, plot.attribute, each)))),
        title=title,
        axis="samples",
        labels=names,
        series=series,
        counts=tuple(int((labels == name).sum()) for name in names),
    )


def _binned(values: Floats) -> tuple[Any, tuple[str, ...]]:
    """The bin of each number ("" of NaN), and every bin, with round ends."""
    low, high = min(0.0, np.nanmin(values, initial=0.0)), np.nanmax(values, initial=0.0)
    if high <= low:
        return np.full(len(values), ""), ()
    unit = 10.0 ** math.floor(math.log10((high - low) / _MOST_BINS))
    step = next(k * unit for k in (1, 2, 5, 10, 20) if (high - low) / (k * unit) <= _MOST_BINS - 1)
    edges = step * np.arange(math.floor(low / step), math.floor(high / step) + 2)
    names = tuple(f"{a:.6g}–{b:.6g}" for a, b in pairwise(edges))
    place = np.searchsorted(edges, values, side="right") - 1
    known = np.array(["", *names])[np.where(np.isfinite(values), place + 1, 0)]
    return known, names


def portable(text: str) -> str:
    """A name for a file on every system: letters, digits, dots and dashes."""
    return "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "-" for c in text)
