"""What the first page of a report says of a benchmark: what was run, on how much of it, who is
ahead and whether that is certain, what went wrong, and which samples to look at first.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from editgauge.catalog import is_anchor
from editgauge.reports import first
from editgauge.statistics.resampling import LEAST, Estimate
from editgauge.store.schema import EditRecord
from editgauge.tables.layouts import every_table, is_further
from editgauge.tables.metrics import bounded
from editgauge.tables.plan import Field
from editgauge.tables.ranking import Ranking, ranking
from editgauge.tables.results import STATUSES, Results
from editgauge.tables.spec import PaperTable
from editgauge.tables.table import Table
from editgauge.types import VARIANTS, Metric, Plot, Status, Variant

_ASKED = 300
"""Letters of an instruction that the first page shows."""


def overview(
    frame: Results,
    metrics: Mapping[str, Metric],
    tables: Sequence[Table],
    marks: Any,
    plots: Sequence[Plot] = (),
) -> dict[str, Any]:
    """JSON values: ``release`` (samples of the full release, None where nobody says), ``sources``
    (judges and engines), ``leads`` (who is ahead by each variant, see `_leads`; empty where nothing
    ranks), ``worst`` and ``contested`` (see `first.first_samples`), ``best`` (see
    `first.best_samples`), ``groups`` (see `first.groups`), ``asked`` (the instructions of all
    samples that are shown, by position), ``kept`` (the metrics that tell damage outside the wanted
    edit, those of a scale that can be read first).

    `marks` (E, S): which statuses the rows of an editor and a sample have, a bit for each.
    """
    machine = frame.without_people()
    layouts = [item for side in machine.sides() for item in every_table(side)]
    sizes = [item.size for item in layouts if item.size]
    leads = _leads(frame, tables)
    lead = next(iter(leads.values()), None)
    shown = first.first_samples(machine, metrics, lead)
    best = first.best_samples(machine, metrics, lead)
    return {
        "release": max(sizes, default=None),
        "sources": sorted({source for source in _sources(machine) if source}),
        "leads": leads,
        "kept": sorted(
            (name for name, metric in metrics.items() if metric.keeps),
            key=lambda name: not bounded(metrics[name]),
        ),
        "nothing": int((marks == 0).all(axis=0).sum()) if len(frame.editors) else 0,
        **shown,
        "best": best,
        "groups": first.groups(machine, metrics, lead, plots),
        "asked": _asked(frame, shown, best),
    }


def first_samples(
    frame: Results,
    metrics: Mapping[str, Metric],
    tables: Sequence[Table],
    *,
    most: int = first.MOST,
) -> dict[str, Any]:
    """``worst`` and ``contested`` of `overview`, `most` of each, and ``by``: the metric behind
    them.
    """
    lead = next(iter(_leads(frame, tables).values()), None)
    return first.first_samples(frame.without_people(), metrics, lead, most=most)


def _asked(
    frame: Results, shown: Mapping[str, Any], best: Mapping[str, Any] | None
) -> dict[int, str]:
    """The instructions of the samples that are shown."""
    places = {sample for sample, *_ in (*shown["worst"], *shown["contested"])}
    places |= set(best["samples"]) if best else set()
    records = frame.samples.records
    told = {place: records[frame.samples.ids[place]].get("instruction") for place in places}
    return {place: str(text)[:_ASKED] for place, text in sorted(told.items()) if text}


def _sources(frame: Results) -> set[str]:
    return set(frame.sources)


def _leads(frame: Results, tables: Sequence[Table]) -> dict[str, Any]:
    """Variant -> who is ahead: the first of the benchmark's tables, in their order, by which models
    can be ranked (`tables.ranking`), with each model's number, interval, rank and between which
    ranks 95 % of the resamples put it. Empty without intervals.

    Anchors, and models that gave every input back (`returned`), are ranked only where there are
    fewer than two others. `certain`: no other model's ranks reach the first one's. `n` of the
    column's `of` samples are those that all models have; `left_out` has the models with too few.
    `others`: whom other judges have first.
    """
    if not any(map(_intervals, tables)):
        return {}
    returned = [editor for editor in frame.editors if _gave_all_back(frame, editor)]
    models = [
        editor for editor in frame.editors if editor not in returned and not is_anchor(editor)
    ]
    if len(models) > 1:
        frame = frame.of_editors(models)
    else:
        returned = []
    told = [editor for editor in returned if not is_anchor(editor)]
    sides = frame.without_people().sides()
    found: dict[str, Any] = {}
    for variant in VARIANTS:
        whole = every_table(replace(sides[-1], side=None))
        order = {table.name: number for number, table in enumerate(whole)}
        papers = [(side, table) for side in sides for table in every_table(side)]
        papers.sort(key=lambda pair: _place(order, pair[1]))
        lead = next(_ahead(papers, variant), None)
        if lead is not None:
            found[variant] = {**lead, "returned": told, "others": _others(papers, variant, lead)}
    return found


def _place(order: Mapping[str, int], table: PaperTable) -> tuple[bool, bool, int]:
    """The paper's own tables in its order, then what we add, then what is in no table."""
    place = order.get(table.name, len(order))
    return is_further(table.name), not table.published, place


def _ahead(
    papers: Sequence[tuple[Results, PaperTable]], variant: Variant
) -> Iterator[dict[str, Any]]:
    """Rankings by the tables in order; those by a score that tells what was kept come last, as a
    model that does nothing wins them.
    """
    for keeps in (False, True):
        for side, table in papers:
            if (made := ranking(side, table, variant, keeps=keeps)) is not None:
                yield _ranked(side, made)


def _others(
    papers: Sequence[tuple[Results, PaperTable]], variant: Variant, lead: Mapping[str, Any]
) -> list[Any]:
    """Whom the same column of the same table has first by other judges: ``source``, ``editor`` and
    ``certain``.
    """
    same = [pair for pair in papers if pair[1].name == lead["name"]]
    return [
        {"source": one["source"], "editor": one["lines"][0]["editor"], "certain": one["certain"]}
        for one in _ahead(same, variant)
        if one["column"] == lead["column"] and one["source"] not in ("", lead["source"])
    ]


def _gave_all_back(frame: Results, editor: str) -> bool:
    """Whether no output of an editor is an edit: it wins by every score that tells what was
    kept.
    """
    delivery = frame.deliveries.get(editor)
    return delivery is not None and bool(delivery.given_back) and not delivery.edited


def _intervals(table: Table) -> bool:
    """Whether the table was made with intervals."""
    return bool(table.meta.get("intervals"))


def _ranked(frame: Results, found: Ranking) -> dict[str, Any]:
    table, column = found.table, found.field.column
    ranks = table.meta["ranks"]["editors"]
    lines = []
    for row in table.rows:
        cell, (rank, low, high, first) = row.cells[column.name], ranks[row.name]
        lines.append(
            {
                "editor": row.name, "rank": rank, "rank_low": low, "rank_high": high,
                "first": first, "value": cell.value, "n": cell.n, "of": cell.of,
                "low": cell.low, "high": cell.high,
            }
        )  # fmt: skip
    lines.sort(key=lambda line: int(line["rank"]))
    return {
        "name": table.name,
        "title": table.title,
        "variant": table.variant,
        "source": table.source,
        "heading": list(column.heading),
        "column": column.name,
        "digits": column.digits,
        "direction": column.direction,
        "link": link(frame, found.field),
        "lines": lines,
        "n": found.n,
        "of": found.of,
        "left_out": found.left_out,
        "ahead": found.ahead._asdict() if math.isfinite(found.ahead.low) else None,
        "certain": lines[0]["rank_high"] == 1 and lines[1]["rank_low"] > 1 and _sure(found.ahead),
    }


def _sure(ahead: Estimate) -> bool:
    """Whether a lead is told from 0: by its interval, or where it is the same in all resamples."""
    return ahead.low > 0 or (math.isnan(ahead.low) and ahead.n >= LEAST)


def link(frame: Results, field: Field) -> dict[str, object]:
    """What a cell of a column opens: the samples behind it, by the value that the column shows.

    A run that has no rows of a combined metric yet shows the first of its parts.
    """
    shown = field.metric.name
    if not frame.has(shown, field.variant):
        shown = field.spec.of[0].metric
    return {"metric": shown, "variant": field.variant, "where": field.spec.labels}


def marks(frame: Results, edits: Mapping[tuple[str, str], EditRecord]) -> Any:
    """(E, S), uint8: which statuses the rows of an editor and a sample have, and its output has
    where that is none: bit k for ``STATUSES[k]``. People's rows do not count.
    """
    found = np.zeros((len(frame.editors), len(frame.samples)), np.uint8)
    for cube in frame.without_people().cubes.values():
        bits = np.where(cube.status < 0, 0, np.left_shift(1, np.maximum(cube.status, 0)))
        found |= np.bitwise_or.reduce(bits.astype(np.uint8), axis=0)
    place = {name: number for number, name in enumerate(frame.samples.ids)}
    row = {name: number for number, name in enumerate(frame.editors)}
    code = {status.value: number for number, status in enumerate(STATUSES)}
    for (sample, editor), record in edits.items():
        status = record.status.value
        if editor in row and sample in place and status != Status.SCORED.value:
            found[row[editor], place[sample]] |= 1 << code[status]
    return found
