"""Which figures a benchmark has: radars, bars, curves, histograms, counts, each as data."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from editgauge import escape
from editgauge.reports.figures import Figure, Kind, portable
from editgauge.statistics.resampling import mean_interval
from editgauge.tables import learning
from editgauge.tables.metrics import bounded, on_scale, titles, unknown
from editgauge.tables.results import Results
from editgauge.tables.slices import in_order
from editgauge.types import Metric, Plot, Variant

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
    shown = [name for name in frame.metrics if not only or name in only]
    sides = _by_source(frame)
    found = []
    for plot in plots:
        each = plot.each if plot.each in frame.samples.names() else ""
        if plot.kind == "histogram":
            found += _histogram(frame, plot.attribute, plot.words)
        elif plot.kind == "counts":
            found += _counted(frame, plot._replace(each=each))
        else:
            found += _means(frame, metrics, shown, plot._replace(each=each), sides)
    for source, side in sides:
        for name in shown:
            if name in side.metrics and _of_side(frame, name, source):
                found += _learning(side, metrics, name, source)
    names = escape.apart([figure.name for figure in found])
    return [replace(figure, name=name) for figure, name in zip(found, names, strict=True)]


def _means(
    frame: Results,
    metrics: Mapping[str, Metric],
    shown: Sequence[str],
    plot: Plot,
    sides: Sequence[tuple[str, Results]],
) -> list[Figure]:
    """The figures of some metrics and every source at the values of an attribute; none without
    it.
    """
    there = set(frame.samples.names())
    names = (plot.attribute, f"{plot.attribute}_tier", f"{plot.attribute}_score")
    attribute = next((name for name in names if name in there), "")
    kind = plot.kind
    if not attribute or kind == "histogram" or kind == "counts":
        return []
    found = []
    for metric in shown:
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
        for more, part in _parts(lines):
            made = _figure(
                part,
                kind="curve",
                name=portable(f"learning-{kind}-{name}-{variant}{tail}") + more,
                title=f"{title} ({variant}{by}) by {axis}",
                axis=f"{title} by {axis}",
                labels=tuple(map(str, numbers)),
                counts=tuple(sum(map(len, cells)) for cells in zip(*part.values(), strict=True)),
            )
            found.append(made)
    return found


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
    lines = {frame.editors[e]: [finite[e][at[name]] for name in names] for e in editors}
    return [
        _figure(
            part,
            kind=kind,
            name=portable(f"{kind}-{what.attribute}-{metric}-{what.variant}{tail}") + more,
            title=f"{title} ({what.variant}{by}) {what.words}{among}{more.replace('-', ', part ')}",
            axis=f"{title}{f', {about.unit}' if about.unit else ''}{better}",
            labels=names,
            counts=tuple(int(at[name].sum()) for name in names),
            top=float(on_scale(about, np.float64(about.high))) if bounded(about) else None,
        )
        for more, part in _parts(lines)
    ]


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
