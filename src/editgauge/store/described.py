"""Metrics as JSON: what a run keeps of them beside its rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict

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
            if (known.direction, known.low, known.high) != (one.direction, one.low, one.high):
                raise RunError(
                    f"{first} and {run} give the metric {name!r} another direction or range; they "
                    f"were made by different versions of a scorer: score one of them again"
                )
    return {name: one for name, (_, one) in joint.items()}
