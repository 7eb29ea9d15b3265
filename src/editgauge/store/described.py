"""Metrics as JSON: what a run keeps of them beside its rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import pairwise

import msgspec

from editgauge.errors import RunError
from editgauge.store import schema
from editgauge.types import Metric

_MOST_DIGITS = 15


def column(metric: Metric) -> str:
    """A metric as JSON; an open end of its range is null."""
    return schema.json({name: value for name, value in asdict(metric).items() if name != "name"})


def metric(name: str, text: str) -> Metric:
    """The metric of a `column`; facts that are not there have the value that says nothing. Raises
    `schema.NO_RECORD` for what is none.
    """
    facts = {"direction": None, "low": None, "high": None, **schema.parsed(text), "name": name}
    for end, open_end in (("low", -math.inf), ("high", math.inf)):
        facts[end] = open_end if facts[end] is None else facts[end]
    known = msgspec.convert(facts, Metric)
    if not 0 <= known.digits <= _MOST_DIGITS:
        raise ValueError(f"digits: wanted 0 to {_MOST_DIGITS}, found {known.digits}")
    rising = all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(known.printed))
    if len(known.printed) == 1 or not rising:
        raise ValueError(f"printed: wanted rising pairs of numbers, found {known.printed!r:.40}")
    return known


def together(described: Sequence[tuple[str, Mapping[str, Metric]]]) -> dict[str, Metric]:
    """The metrics of several runs, each named; the first run's description of each counts.

    Raises `RunError` where two runs disagree on the direction or the range of a metric: their rows
    cannot stand in one table.
    """
    joint: dict[str, tuple[str, Metric]] = {}
    for run, metrics in described:
        for name, one in metrics.items():
            first, known = joint.setdefault(name, (run, one))
            for fact in ("direction", "low", "high"):
                ours, theirs = getattr(known, fact), getattr(one, fact)
                if ours != theirs:
                    raise RunError(
                        f"{first} and {run} describe the metric {name!r} differently: {fact} "
                        f"{ours} and {theirs}; they were made by different versions of a scorer: "
                        f"score one of them again"
                    )
    return {name: one for name, (_, one) in joint.items()}
