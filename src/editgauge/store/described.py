"""Metrics as JSON: what a run keeps of them beside its rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields
from itertools import pairwise
from typing import Any

import msgspec

from editgauge.errors import RunError
from editgauge.types import Metric

_MOST_DIGITS = 15


def record(metric: Metric) -> dict[str, Any]:
    """A metric as JSON values; an open end of its range is None."""
    facts = {one.name: getattr(metric, one.name) for one in fields(metric) if one.name != "name"}
    return {name: None if v in (math.inf, -math.inf) else v for name, v in facts.items()}


def metric(name: str, record: Mapping[str, Any]) -> Metric:
    """The metric of a record; facts that are not there have the value that says nothing. Raises
    `ValueError` for what is no such record.
    """
    facts = {"direction": None, "low": None, "high": None, **record, "name": name}
    ends = {"low": -math.inf, "high": math.inf}
    facts |= {end: value for end, value in ends.items() if facts[end] is None}
    try:
        found = msgspec.convert(facts, Metric)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from error
    if not 0 <= found.digits <= _MOST_DIGITS:
        raise ValueError(f"digits: wanted 0 to {_MOST_DIGITS}, found {found.digits}")
    rising = all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(found.printed))
    if len(found.printed) == 1 or not rising:
        raise ValueError(f"printed: wanted rising pairs of numbers, found {found.printed!r:.40}")
    return found


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
