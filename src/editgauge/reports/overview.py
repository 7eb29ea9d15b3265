"""What the first page of a report says of a benchmark: who is ahead, and what to look at first."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from editgauge.catalog import is_anchor
from editgauge.statistics.limits import LEAST
from editgauge.tables.draw import as_json
from editgauge.tables.layouts import every_table, is_further
from editgauge.tables.metrics import bounded, on_scale
from editgauge.tables.ranking import Ranking, ranking
from editgauge.tables.results import Floats, Mask, Results
from editgauge.tables.sheet import Field
from editgauge.tables.spec import PaperTable
from editgauge.tables.table import Column, Table
from editgauge.types import VARIANTS, JsonMapping, JsonObject, Metric, Plot

MOST = 4
"""Samples of a kind that the first page shows."""
MOST_COLUMNS = 6
"""Of a table's headline columns that it shows, but for those of one group."""
MOST_GROUPS = 20
"""Values of an attribute by which means are shown."""


def overview(
    frame: Results,
    metrics: Mapping[str, Metric],
    tables: Sequence[Table],
    plots: Sequence[Plot] = (),
) -> JsonObject:
    """JSON values: ``release`` (samples of the full release), ``sources`` (judges and engines),
    ``leads`` (see `_leads`), ``kept`` (the metrics that tell damage outside the wanted edit, those
    of a scale that can be read first), ``by`` (a metric) and by it ``worst``, ``contested`` and
    ``best`` (``[sample, [editor, value], …]``, positions in the frame), ``edits`` (False where
    nothing but anchors and inputs that were given back has a score), ``groups`` (the first
    attribute that the benchmark plots), ``asked`` (the instructions of what is shown).
    """
    machine = frame.without_people()
    papers = [table for side in machine.sides() for table in every_table(side)]
    leads = _leads(machine, tables)
    shown = _shown(machine, metrics, next(iter(leads.values()), None))
    places = {one[0] for kind in ("worst", "contested", "best") for one in shown[kind]}
    records = list(machine.samples.records.values())
    kept = [name for name, metric in metrics.items() if metric.keeps]
    return {
        "release": max((table.size for table in papers if table.size), default=None),
        "sources": sorted(filter(None, machine.sources)),
        "leads": leads,
        "kept": sorted(kept, key=lambda name: not bounded(metrics[name])),
        **shown,
        "groups": next((p.attribute for p in plots if _tells_groups(machine, p)), None),
        "asked": {at: str(records[at].get("instruction") or "")[:300] for at in sorted(places)},
    }


def _tells_groups(frame: Results, plot: Plot) -> bool:
    if plot.kind not in ("radar", "bars") or plot.attribute not in frame.samples.names():
        return False
    return 2 <= len({*frame.samples.labels(plot.attribute).tolist()} - {""}) <= MOST_GROUPS


def _by(
    frame: Results, metrics: Mapping[str, Metric], lead: JsonMapping | None
) -> tuple[Metric, str, str] | None:
    """Metric, variant and source behind the leading column, or of the first with a direction."""
    known = [
        (metric, variant)
        for metric in metrics.values()
        for variant in VARIANTS
        if metric.direction and not metric.whole_set and frame.has(metric.name, variant)
    ]
    if not known:
        return None
    metric, variant = known[0]
    link, source = (lead["link"], lead["source"]) if lead is not None else ({}, "")
    for one in known:
        if link and (one[0].name, one[1]) == (link["metric"], link["variant"]):
            metric, variant = one
    there = frame.sources_of(metric.name)
    return metric, variant, source if source in there else there[0]


def _shown(frame: Results, metrics: Mapping[str, Metric], lead: JsonMapping | None) -> JsonObject:
    """The worst outputs, the most disputed samples, and the leader's from best to worst. Inputs
    given back and anchors tell nothing about a model; a doubted reference is no damage.
    """
    by = _by(frame, metrics, lead)
    if by is None:
        return {"by": None, "edits": True, "worst": [], "contested": [], "best": []}
    metric, variant, source = by
    scale = partial(on_scale, metric)
    values = frame.of_source(source).grid(metric.name, variant, scale).values
    scores = values if metric.direction == "higher" else -values
    edited = np.where(_edits(frame), scores, np.nan)
    edits = not np.isnan(edited).all()
    names = [line["editor"] for line in lead["lines"]] if lead is not None else []
    leaders = [frame.editors.index(name) for name in names if not is_anchor(name)][:1]
    kinds = _extremes(frame, edited if edits else scores)
    kinds["best"] = [(sample, e) for e in leaders for sample in _steps(edited[e])]
    return {
        "by": {"metric": metric.name, "variant": variant, "source": source},
        "edits": edits,
        **{
            kind: [[int(s), *([int(e), float(values[e, s])] for e in of)] for s, *of in places]
            for kind, places in kinds.items()
        },
    }


def _extremes(frame: Results, scores: Floats) -> dict[str, list[tuple[int, ...]]]:
    """The samples of the worst scores (E, S), more is better, each with its editor, and those on
    which editors differ most, with the best and the worst of them.
    """
    doubted = frame.labelled({"reference_outside": "true"})
    known = np.flatnonzero(~np.isnan(scores).all(axis=0) & ~doubted)
    scores = scores[:, known]
    worst, best = np.nanargmin(scores, axis=0), np.nanargmax(scores, axis=0)
    lowest, highest = np.nanmin(scores, axis=0), np.nanmax(scores, axis=0)
    with np.errstate(invalid="ignore"):
        spread = np.nan_to_num(highest - lowest, posinf=0.0)
    order = (-spread).argsort(kind="stable")[:MOST]
    return {
        "worst": [(known[s], worst[s]) for s in lowest.argsort(kind="stable")[:MOST]],
        "contested": [(known[s], best[s], worst[s]) for s in order if spread[s] > 0],
    }


def _steps(scores: Floats) -> list[int]:
    """The places of some scores (S,), more is better, from the best to the worst."""
    order = (-scores).argsort(kind="stable")[: np.count_nonzero(~np.isnan(scores))]  # NaN is last
    steps = np.unique(np.linspace(0, max(0, len(order) - 1), MOST).round().astype(int))
    places: list[int] = order[steps[: len(order)]].tolist()
    return places


def _edits(frame: Results) -> Mask:
    """(E, S): False for the outputs of anchors and for inputs that were given back."""
    edited = np.ones((len(frame.editors), len(frame.samples)), np.bool_)
    for row, editor in enumerate(frame.editors):
        delivery = frame.deliveries.get(editor)
        edited[row] = not is_anchor(editor)
        if delivery is not None and delivery.given_back:
            edited[row] &= ~np.isin(frame.samples.ids, list(delivery.given_back))
    return edited


# -- who is ahead ----------------------------------------------------------------------------------


def _leads(frame: Results, tables: Sequence[Table]) -> JsonObject:
    """Variant -> who is ahead in the first of the benchmark's tables by which models can be ranked
    (`tables.ranking`). Empty without intervals. Anchors, and models that gave every input back
    (`returned`), are ranked only where there are fewer than two others: they win by every score
    that tells what was kept.
    """
    if not any(table.meta.get("intervals") for table in tables):
        return {}
    back = [name for name, one in frame.deliveries.items() if one.given_back and not one.edited]
    unlike_anchors = [name for name in frame.editors if not is_anchor(name)]
    models = [name for name in unlike_anchors if name not in back]
    returned = [name for name in unlike_anchors if name in back] if len(models) > 1 else []
    sides = (frame.of_editors(models) if len(models) > 1 else frame).sides()
    order = [table.name for table in every_table(replace(sides[-1], side=None))]
    papers = [(side, table) for side in sides for table in every_table(side)]
    # the paper's own tables in its order, then what we add, then what is in no table
    papers.sort(key=lambda pair: [*order, pair[1].name].index(pair[1].name))
    papers.sort(key=lambda pair: (is_further(pair[1].name), not pair[1].published))
    leads: JsonObject = {}
    for variant in VARIANTS:
        ranked = (
            _ranked(side, made) | {"paper": _headlines(side, table, made.field.column, tables)}
            for keeps in (False, True)  # by what was kept last: who does nothing wins that
            for side, table in papers
            if (made := ranking(side, table, variant, keeps=keeps)) is not None
        )
        if (lead := next(ranked, None)) is not None:
            leads[variant] = {**lead, "returned": returned}
    return leads


def _ranked(frame: Results, found: Ranking) -> JsonObject:
    table, column, ahead = found.table, found.field.column, found.ahead
    lines: list[JsonObject] = []
    for row in table.rows:
        rank, low, high = found.ranks[row.name]
        cell = row.cells[column.name]
        values = {name: getattr(cell, name) for name in ("value", "n", "of", "low", "high")}
        ranks = {"rank": rank, "rank_low": low, "rank_high": high}
        lines.append({"editor": row.name, **ranks, **values})
    lines.sort(key=lambda line: int(line["rank"]))
    # told from 0 by the interval, or where it is the same in all resamples
    sure = ahead.low > 0 or (math.isnan(ahead.low) and ahead.n >= LEAST)
    return {
        **{name: getattr(table, name) for name in ("name", "title", "variant", "source")},
        **{name: getattr(column, name) for name in ("heading", "digits", "direction")},
        **{name: getattr(found, name) for name in ("n", "of", "left_out", "uneven")},
        "link": link(frame, found.field),
        "lines": lines,
        "least": LEAST,
        "ahead": ahead._asdict() if math.isfinite(ahead.low) else None,
        "certain": lines[0]["rank_high"] == 1 and lines[1]["rank_low"] > 1 and sure,
    }


def _headlines(
    side: Results, paper: PaperTable, by: Column, tables: Sequence[Table]
) -> JsonObject | None:
    """The paper's headline columns with published lines where comparable; None without more."""
    source = "" if side.side is None else side.side.source
    same = [t for t in tables if t.name == paper.name and t.meta.get("made_by", source) == source]
    if not same:
        return None
    columns = _headline_columns(same[0].columns, paper, by)
    complete = all(column.complete for column in columns)
    published = paper.publication(side) if complete else None
    lines = published.rows() if published is not None else []
    if len(columns) < 2 and not lines:
        return None
    rows = [*(row for row in same[0].rows if row.kind == "run"), *lines]
    said = [published.note] if published is not None else []
    return as_json(replace(same[0], columns=columns, rows=rows, notes=said))


def _headline_columns(columns: Sequence[Column], paper: PaperTable, by: Column) -> list[Column]:
    """The headline's group and its score of the other groups; the broadest of many."""
    group = [column for column in columns if column.heading[0] == by.heading[0]]
    wide = [c for c in columns if c in group or c.heading[-1] == by.heading[-1]]
    parts = {column.name: len(column.of) for column in paper.every_column}
    for few in sorted({parts.get(column.name, 0) for column in wide}):
        if len(wide) <= MOST_COLUMNS:
            return wide
        wide = [column for column in wide if parts.get(column.name, 0) > few]
    return group


def link(frame: Results, field: Field) -> dict[str, object]:
    """What a cell of a column opens: the samples behind it, by the value that the column shows (the
    first of its parts where a combined metric has no rows yet).
    """
    shown = field.metric.name
    if not frame.has(shown, field.variant):
        shown = field.spec.of[0].metric
    return {"metric": shown, "variant": field.variant, "where": field.spec.labels}
