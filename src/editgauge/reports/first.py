"""What the first page of a report shows first: the worst outputs, the samples on which models
differ most, some of the leading model's, and the means of groups; all by the metric behind the
leading column, or the first one with a direction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from editgauge.catalog import is_anchor
from editgauge.tables.metrics import on_scale
from editgauge.tables.results import Floats, Mask, Results
from editgauge.tables.slices import in_order
from editgauge.types import VARIANTS, Metric, Plot, Variant

MOST = 4
"""Samples of a kind that the first page shows."""
LEAST_IN_GROUP = 2
"""Scores below which a group's mean is none."""
MOST_GROUPS = 20
Lead = Mapping[str, Any] | None
"""Who is ahead, as `overview._ranked` has it."""


class Led(NamedTuple):
    """The metric that the first page goes by."""

    metric: Metric
    variant: str
    source: str
    values: Floats
    """(E, S), as printed."""

    @property
    def goodness(self) -> Floats:
        """The values, a higher one being better."""
        return self.values if self.metric.direction == "higher" else -self.values


def led_by(frame: Results, metrics: Mapping[str, Metric], lead: Lead) -> Led | None:
    """The metric behind the leading column, or the first one with a direction; its rows are those
    of the one judge or engine that the leading table is of.
    """
    metric, variant = _metric(frame, metrics, lead)
    if metric is None:
        return None
    there = frame.sources_of(metric.name)
    wanted = str((lead or {}).get("source") or "")
    source = wanted if wanted in there else there[0]
    grid = frame.of_source(source).grid(metric.name, variant)
    return Led(metric, variant, source, np.asarray(on_scale(metric, grid.values)))


def _metric(
    frame: Results, metrics: Mapping[str, Metric], lead: Lead
) -> tuple[Metric | None, Variant]:
    link = (lead or {}).get("link")
    if link and frame.has(link["metric"], link["variant"]):
        return metrics[link["metric"]], link["variant"]
    for name, metric in metrics.items():
        for variant in VARIANTS:
            if metric.direction and not metric.whole_set and frame.has(name, variant):
                return metric, variant
    return None, "faithful"


def first_samples(
    frame: Results, metrics: Mapping[str, Metric], lead: Lead, *, most: int = MOST
) -> dict[str, Any]:
    """The worst outputs (one a sample) and the samples on which editors lie furthest apart, `most`
    of each: ``[sample, editor]`` and ``[sample, best editor, worst editor]``, positions in the
    frame; ``worst_values`` and ``contested_values`` have a number for each of their editors; ``by``
    is the metric behind them.

    Only edits are looked at: an input that was given back and the output of an anchor tell nothing
    about a model, though they may have the lowest score of all. ``edits`` is False where the run
    has nothing else that was scored, and those are shown. A sample whose reference is doubted is
    not shown.
    """
    led = led_by(frame, metrics, lead)
    if led is None:
        empty: list[Any] = []
        return {
            "by": None, "edits": True, "worst": empty, "worst_values": empty,
            "contested": empty, "contested_values": empty,
        }  # fmt: skip
    only = np.where(_edits(frame), led.goodness, np.nan)
    edits = not np.isnan(only).all()
    goodness = np.where(_doubtful(frame), np.nan, only if edits else led.goodness)
    lowest = np.where(np.isnan(goodness), np.inf, goodness)
    highest = np.where(np.isnan(goodness), -np.inf, goodness)
    worst, best = lowest.argmin(axis=0), highest.argmax(axis=0)
    there = np.asarray((~np.isnan(goodness)).any(axis=0))
    spread = _spread(goodness)
    order = np.argsort(np.where(there, lowest.min(axis=0), np.inf), kind="stable")
    apart = np.argsort(-np.where(spread > 0, spread, 0.0), kind="stable")
    shown = [[int(s), int(worst[s])] for s in order[:most] if there[s]]
    contested = [[int(s), int(best[s]), int(worst[s])] for s in apart[:most] if spread[s] > 0]
    return {
        "by": {"metric": led.metric.name, "variant": led.variant, "source": led.source},
        "edits": edits,
        "worst": shown,
        "worst_values": _values(led.values, shown),
        "contested": contested,
        "contested_values": _values(led.values, contested),
    }


def best_samples(
    frame: Results, metrics: Mapping[str, Metric], lead: Lead
) -> dict[str, Any] | None:
    """``editor``, the leading model's place; ``samples``, `MOST` of its edits at even steps from
    its best score to its worst; ``values``, their scores. None where no model leads.
    """
    led = led_by(frame, metrics, lead)
    names = [line["editor"] for line in (lead or {}).get("lines", ())]
    models = [name for name in names if not is_anchor(name)]
    if led is None or not models:
        return None
    editor = frame.editors.index(models[0])
    own = np.where(_edits(frame)[editor], led.goodness[editor], np.nan)
    order = [int(sample) for sample in np.argsort(-own, kind="stable") if not np.isnan(own[sample])]
    steps = np.unique(np.linspace(0, len(order) - 1, min(MOST, len(order))).round().astype(int))
    chosen = [order[step] for step in steps] if order else []
    values = [float(led.values[editor, sample]) for sample in chosen]
    return {"editor": editor, "samples": chosen, "values": values}


def groups(
    frame: Results, metrics: Mapping[str, Metric], lead: Lead, plots: Sequence[Plot]
) -> dict[str, Any] | None:
    """The means of the ranked models by the first attribute that the benchmark plots and the
    samples tell apart: ``by``, ``metric``, ``labels``, ``counts`` (samples of each label) and
    ``lines`` (``editor`` and ``means``, None below `LEAST_IN_GROUP` scores). None without one.
    """
    led = led_by(frame, metrics, lead)
    if led is None or lead is None:
        return None
    for plot in plots:
        if plot.kind not in ("radar", "bars") or plot.attribute not in frame.samples.names():
            continue
        labels = frame.samples.labels(plot.attribute)
        known = in_order(str(label) for label in labels if label)
        if 2 <= len(known) <= MOST_GROUPS:
            at = [labels == label for label in known]
            rows = {line["editor"]: frame.editors.index(line["editor"]) for line in lead["lines"]}
            return {
                "by": plot.attribute,
                "metric": led.metric.name,
                "labels": known,
                "counts": [int(mask.sum()) for mask in at],
                "lines": [
                    {"editor": name, "means": [_mean(led.values[row][mask]) for mask in at]}
                    for name, row in rows.items()
                ],
            }
    return None


def _mean(values: Floats) -> float | None:
    finite = values[np.isfinite(values)]
    return float(finite.mean()) if len(finite) >= LEAST_IN_GROUP else None


def _doubtful(frame: Results) -> Mask:
    """(S,): the samples whose reference itself is doubted (`reference_outside`): a low score there
    is no damage.
    """
    name = "reference_outside"
    if name not in frame.samples.names():
        return np.zeros(len(frame.samples), np.bool_)
    return np.array([str(label).lower() == "true" for label in frame.samples.labels(name)])


def _edits(frame: Results) -> Mask:
    """(E, S): False for the outputs of anchors and for inputs that were given back."""
    found = np.ones((len(frame.editors), len(frame.samples)), np.bool_)
    place = {name: number for number, name in enumerate(frame.samples.ids)}
    for row, editor in enumerate(frame.editors):
        delivery = frame.deliveries.get(editor)
        back = delivery.given_back if delivery is not None else ()
        found[row, [place[sample] for sample in back if sample in place]] = False
        found[row] &= not is_anchor(editor)
    return found


def _values(values: Floats, shown: Sequence[Sequence[int]]) -> list[list[float]]:
    """The numbers of the editors that are named after each sample."""
    return [[float(values[editor, sample]) for editor in editors] for sample, *editors in shown]


def _spread(goodness: Floats) -> Floats:
    """(S,): the best less the worst editor's, among finite values; NaN of fewer than two."""
    finite = np.where(np.isinf(goodness), np.nan, goodness)
    enough = (~np.isnan(finite)).sum(axis=0) > 1
    found = np.full(finite.shape[1], np.nan)
    found[enough] = np.nanmax(finite[:, enough], axis=0) - np.nanmin(finite[:, enough], axis=0)
    return found
