"""What the first page of a report says of a benchmark: how much was run, who is ahead and whether
that is certain, and which samples to look at first.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from editgauge.catalog import is_anchor
from editgauge.statistics.resampling import LEAST
from editgauge.tables.layouts import every_table, is_further
from editgauge.tables.metrics import bounded, on_scale
from editgauge.tables.plan import Field
from editgauge.tables.ranking import Ranking, ranking
from editgauge.tables.results import Floats, Mask, Results
from editgauge.tables.slices import in_order
from editgauge.tables.spec import PaperTable
from editgauge.tables.table import Table
from editgauge.types import VARIANTS, Metric, Plot

MOST = 4
"""Samples of a kind that the first page shows."""
LEAST_IN_GROUP = 2
"""Scores below which a group's mean is none."""
MOST_GROUPS = 20
_ASKED = 300
"""Letters of an instruction that the first page shows."""


class Led(NamedTuple):
    """The metric that the first page goes by; `values` (E, S) as printed, `goodness` with more
    being better.
    """

    metric: Metric
    variant: str
    source: str
    values: Floats
    goodness: Floats


def overview(
    frame: Results,
    metrics: Mapping[str, Metric],
    tables: Sequence[Table],
    plots: Sequence[Plot] = (),
) -> dict[str, Any]:
    """JSON values: ``release`` (samples of the full release, None where nobody says), ``sources``
    (judges and engines), ``leads`` (who is ahead by each variant, see `_leads`; empty where nothing
    ranks), ``kept`` (the metrics that tell damage outside the wanted edit, those of a scale that
    can be read first), and by the metric ``by``: ``worst``, ``contested`` and ``best`` (lists of
    ``[sample, [editor, value], …]``, positions in the frame) and ``groups`` (see `_groups`).
    ``edits`` is False where the run has scores of nothing but anchors and inputs that were given
    back. ``asked``: the instructions of all samples that are shown.
    """
    machine = frame.without_people()
    papers = [table for side in machine.sides() for table in every_table(side)]
    leads = _leads(machine, tables)
    lead = next(iter(leads.values()), None)
    kept = [name for name, metric in metrics.items() if metric.keeps]
    led = _led_by(machine, metrics, lead)
    shown: dict[str, Any] = {"by": None, "edits": True, "worst": [], "contested": [], "best": []}
    if led is not None:
        shown = _shown(machine, led, lead)
    places = {sample for kind in ("worst", "contested", "best") for sample, *_ in shown[kind]}
    asked = {place: machine.samples.records[machine.samples.ids[place]] for place in sorted(places)}
    return {
        "release": max((table.size for table in papers if table.size), default=None),
        "sources": sorted(filter(None, machine.sources)),
        "leads": leads,
        "kept": sorted(kept, key=lambda name: not bounded(metrics[name])),
        **shown,
        "groups": _groups(machine, led, lead, plots) if led is not None else None,
        "asked": {place: str(r.get("instruction") or "")[:_ASKED] for place, r in asked.items()},
    }


# -- samples to look at ----------------------------------------------------------------------------


def _led_by(
    frame: Results, metrics: Mapping[str, Metric], lead: Mapping[str, Any] | None
) -> Led | None:
    """The metric behind the leading column, or the first one with a direction; its rows are those
    of the one judge or engine that the leading table is of.
    """
    known = [
        (metric, variant)
        for metric in metrics.values()
        for variant in VARIANTS
        if metric.direction and not metric.whole_set and frame.has(metric.name, variant)
    ]
    if lead is not None:
        link = lead["link"]
        known.sort(key=lambda pair: (pair[0].name, pair[1]) != (link["metric"], link["variant"]))
    if not known:
        return None
    metric, variant = known[0]
    there = frame.sources_of(metric.name)
    source = lead["source"] if lead is not None and lead["source"] in there else there[0]
    grid = frame.of_source(source).grid(metric.name, variant)
    values = np.asarray(on_scale(metric, grid.values))
    return Led(metric, variant, source, values, values if metric.direction == "higher" else -values)


def _shown(frame: Results, led: Led, lead: Mapping[str, Any] | None) -> dict[str, Any]:
    """The worst outputs (one a sample), the samples on which editors lie furthest apart (best and
    worst editor), and edits of the leading model at even steps from its best score to its worst.

    Only edits are looked at: an input that was given back and the output of an anchor tell nothing
    about a model. A sample whose reference is doubted is no damage.
    """
    only = np.where(_edits(frame), led.goodness, np.nan)
    edits = not np.isnan(only).all()
    goodness = np.where(_doubtful(frame), np.nan, only if edits else led.goodness)
    there = np.asarray((~np.isnan(goodness)).any(axis=0))
    worst = np.where(np.isnan(goodness), np.inf, goodness).argmin(axis=0)
    best = np.where(np.isnan(goodness), -np.inf, goodness).argmax(axis=0)
    every = np.arange(goodness.shape[1])
    with np.errstate(invalid="ignore"):
        spread = np.where(there, goodness[best, every] - goodness[worst, every], 0.0)
    spread[~np.isfinite(spread)] = 0.0
    lowest = np.where(there, goodness[worst, every], np.inf)

    def one(sample: int, *editors: int) -> list[Any]:
        return [int(sample), *([int(e), float(led.values[e, sample])] for e in editors)]

    by = {"metric": led.metric.name, "variant": led.variant, "source": led.source}
    return {
        "by": by,
        "edits": edits,
        "worst": [one(s, worst[s]) for s in lowest.argsort(kind="stable")[:MOST] if there[s]],
        "contested": [
            one(s, best[s], worst[s])
            for s in (-spread).argsort(kind="stable")[:MOST]
            if spread[s] > 0
        ],
        "best": [one(s, e) for e, s in _leading(frame, only, lead)],
    }


def _leading(
    frame: Results, goodness: Floats, lead: Mapping[str, Any] | None
) -> list[tuple[int, int]]:
    names = [line["editor"] for line in lead["lines"]] if lead is not None else []
    first = next((name for name in names if not is_anchor(name)), None)
    if first is None:
        return []
    editor = frame.editors.index(first)
    own = goodness[editor]
    order = [int(sample) for sample in (-own).argsort(kind="stable") if not np.isnan(own[sample])]
    steps = np.unique(np.linspace(0, max(0, len(order) - 1), MOST).round().astype(int))
    return [(editor, order[step]) for step in steps] if order else []


def _groups(
    frame: Results, led: Led, lead: Mapping[str, Any] | None, plots: Sequence[Plot]
) -> dict[str, Any] | None:
    """The means of the ranked models by the first attribute that the benchmark plots and the
    samples tell apart: ``by``, ``metric``, ``labels``, ``counts`` (samples of each label) and
    ``lines`` (``editor`` and ``means``, None below `LEAST_IN_GROUP` scores). None without one.
    """
    names = frame.samples.names()
    for plot in plots if lead is not None else ():
        if plot.kind not in ("radar", "bars") or plot.attribute not in names:
            continue
        labels = frame.samples.labels(plot.attribute)
        known = in_order(str(label) for label in labels if label)
        if 2 <= len(known) <= MOST_GROUPS:
            at = [labels == label for label in known]
            return {
                "by": plot.attribute,
                "metric": led.metric.name,
                "labels": known,
                "counts": [int(mask.sum()) for mask in at],
                "lines": [
                    {"editor": name, "means": [_mean(led.values[row][mask]) for mask in at]}
                    for name in (line["editor"] for line in (lead or {})["lines"])
                    for row in [frame.editors.index(name)]
                ],
            }
    return None


def _mean(values: Floats) -> float | None:
    finite = values[np.isfinite(values)]
    return float(finite.mean()) if len(finite) >= LEAST_IN_GROUP else None


def _doubtful(frame: Results) -> Mask:
    """(S,): the samples whose reference itself is doubted (`reference_outside`)."""
    name = "reference_outside"
    if name not in frame.samples.names():
        return np.zeros(len(frame.samples), np.bool_)
    return np.array([str(label).lower() == "true" for label in frame.samples.labels(name)])


def _edits(frame: Results) -> Mask:
    """(E, S): False for the outputs of anchors and for inputs that were given back."""
    found = np.ones((len(frame.editors), len(frame.samples)), np.bool_)
    for row, editor in enumerate(frame.editors):
        delivery = frame.deliveries.get(editor)
        found[row] = not is_anchor(editor)
        if delivery is not None and delivery.given_back:
            found[row] &= ~np.isin(frame.samples.ids, list(delivery.given_back))
    return found


# -- who is ahead ----------------------------------------------------------------------------------


def _leads(frame: Results, tables: Sequence[Table]) -> dict[str, Any]:
    """Variant -> who is ahead: the first of the benchmark's tables, in their order, by which models
    can be ranked (`tables.ranking`), with each model's number, interval, rank and between which
    ranks 95 % of the resamples put it. Empty without intervals.

    Anchors, and models that gave every input back (`returned`), are ranked only where there are
    fewer than two others: they win by every score that tells what was kept. `certain`: no other
    model's ranks reach the first one's. `n` of the column's `of` samples are those that all models
    have; `left_out` has the models with too few.
    """
    if not any(table.meta.get("intervals") for table in tables):
        return {}
    given = frame.deliveries
    returned = [
        e for e in frame.editors if e in given and given[e].given_back and not given[e].edited
    ]
    models = [e for e in frame.editors if e not in returned and not is_anchor(e)]
    if len(models) > 1:
        frame = frame.of_editors(models)
    else:
        returned = []
    sides = frame.sides()
    order = [table.name for table in every_table(replace(sides[-1], side=None))]
    papers = [(side, table) for side in sides for table in every_table(side)]
    papers.sort(key=lambda pair: _place(order, pair[1]))
    leads: dict[str, Any] = {}
    for variant in VARIANTS:
        ranked = (
            _ranked(side, made)
            for keeps in (False, True)  # by what was kept last: who does nothing wins that
            for side, table in papers
            if (made := ranking(side, table, variant, keeps=keeps)) is not None
        )
        if (lead := next(ranked, None)) is not None:
            told = [editor for editor in returned if not is_anchor(editor)]
            leads[variant] = {**lead, "returned": told}
    return leads


def _place(order: Sequence[str], table: PaperTable) -> tuple[bool, bool, int]:
    """The paper's own tables in its order, then what we add, then what is in no table."""
    place = order.index(table.name) if table.name in order else len(order)
    return is_further(table.name), not table.published, place


def _ranked(frame: Results, found: Ranking) -> dict[str, Any]:
    table, column, ahead = found.table, found.field.column, found.ahead
    lines: list[dict[str, Any]] = []
    for row in table.rows:
        cell, (rank, low, high, _) = (
            row.cells[column.name],
            table.meta["ranks"]["editors"][row.name],
        )
        lines.append(
            {
                "editor": row.name, "rank": rank, "rank_low": low, "rank_high": high,
                "value": cell.value, "n": cell.n, "of": cell.of, "low": cell.low, "high": cell.high,
            }
        )  # fmt: skip
    lines.sort(key=lambda line: int(line["rank"]))
    # told from 0 by the interval, or where it is the same in all resamples
    sure = ahead.low > 0 or (math.isnan(ahead.low) and ahead.n >= LEAST)
    return {
        "name": table.name,
        "title": table.title,
        "variant": table.variant,
        "source": table.source,
        "heading": list(column.heading),
        "digits": column.digits,
        "direction": column.direction,
        "link": link(frame, found.field),
        "lines": lines,
        "n": found.n,
        "of": found.of,
        "left_out": found.left_out,
        "ahead": ahead._asdict() if math.isfinite(ahead.low) else None,
        "certain": lines[0]["rank_high"] == 1 and lines[1]["rank_low"] > 1 and sure,
    }


def link(frame: Results, field: Field) -> dict[str, object]:
    """What a cell of a column opens: the samples behind it, by the value that the column shows, or
    by the first of its parts where a run has no rows of a combined metric yet.
    """
    shown = field.metric.name
    if not frame.has(shown, field.variant):
        shown = field.spec.of[0].metric
    return {"metric": shown, "variant": field.variant, "where": field.spec.labels}
