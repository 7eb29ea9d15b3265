"""Metrics as JSON: what a run keeps of them beside its rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from editgauge.errors import RunError
from editgauge.types import VARIANTS, Metric

_FACTS = (
    "direction", "heading", "digits", "unit", "failure", "whole_set", "of_sample", "note", "keeps",
    "plain",
)  # fmt: skip


def record(metric: Metric) -> dict[str, Any]:
    """A metric as JSON values; an open end of its range is None."""
    ends = {name: _closed(getattr(metric, name)) for name in ("low", "high")}
    facts = {name: getattr(metric, name) for name in _FACTS}
    scale = [list(pair) for pair in metric.printed]
    return {**facts, **ends, "variants": list(metric.variants), "printed": scale}


def metric(name: str, record: Mapping[str, Any]) -> Metric:
    """The metric of a record; facts that are not there have the value that says nothing. Raises
    `ValueError`, `TypeError` or `OverflowError` for what is no such record.
    """
    low, high = record.get("low"), record.get("high")
    direction = record.get("direction")
    return Metric(
        name,
        direction=direction if direction in ("higher", "lower") else None,
        low=-math.inf if low is None else float(low),
        high=math.inf if high is None else float(high),
        heading=str(record.get("heading") or ""),
        digits=int(record.get("digits", 3)),
        unit=str(record.get("unit") or ""),
        variants=tuple(v for v in VARIANTS if v in record.get("variants", ())),
        failure=None if record.get("failure") is None else float(record["failure"]),
        whole_set=record.get("whole_set") is True,
        of_sample=record.get("of_sample") is True,
        note=str(record.get("note") or ""),
        printed=_scale(record),
        keeps=record.get("keeps") is True,
        plain=str(record.get("plain") or ""),
    )


def together(described: Sequence[tuple[str, Mapping[str, Metric]]]) -> dict[str, Metric]:
    """The metrics of several runs, each named; the first run's description of each counts.

    Raises `RunError` where two runs disagree on the direction or the range of a metric: their rows
    cannot stand in one table.
    """
    found: dict[str, tuple[str, Metric]] = {}
    for run, metrics in described:
        for name, one in metrics.items():
            first, known = found.setdefault(name, (run, one))
            for fact in ("direction", "low", "high"):
                ours, theirs = getattr(known, fact), getattr(one, fact)
                if ours != theirs:
                    raise RunError(
                        f"{first} and {run} describe the metric {name!r} differently: {fact} "
                        f"{ours} and {theirs}; they were made by different versions of a scorer: "
                        f"score one of them again"
                    )
    return {name: one for name, (_, one) in found.items()}


def _scale(record: Mapping[str, Any]) -> tuple[tuple[float, float], ...]:
    """The scale of print. Raises ValueError for one that does not rise from pair to pair."""
    given = record.get("printed") or ()
    pairs = tuple((float(stored), float(shown)) for stored, shown in given)
    rising = all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(pairs))
    if len(pairs) == 1 or not rising or not all(math.isfinite(x) for pair in pairs for x in pair):
        raise ValueError(f"printed: wanted rising pairs of numbers, found {given!r:.40}")
    return pairs


def _closed(end: float) -> float | None:
    return end if math.isfinite(end) else None
