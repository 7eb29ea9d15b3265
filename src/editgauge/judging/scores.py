"""A stored reply becomes the scores of both variants: *corrected* by the strict reading of the last
reply, *faithful* by the released code's reading of the first.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from editgauge.judging.protocol import Call
from editgauge.judging.reading import Reading, read
from editgauge.types import Score, Status


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangeResult:
    """What came of asking: the first reply (after more room, if it was cut off), the last one, or
    why there is none. `cut_off`: the last reply still ended at its token limit, and is no verdict.
    """

    first: str | None = None
    last: str | None = None
    status: Status = Status.SCORED
    reason: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)
    cut_off: bool = False


def to_scores(call: Call, exchange: ExchangeResult) -> tuple[Score, ...]:
    """Scores of one call in both variants, the corrected one of each metric first.

    Without a reply every score has the status of the failure; only a protocol whose released code
    records a number for a failed call (TextEditBench: 0) has one in its faithful variant, with the
    reason saying so.
    """
    replied = exchange.status is Status.SCORED
    readings = read(call, exchange.last, cut_off=exchange.cut_off).readings if replied else {}
    released = _released(call, exchange)
    none = Reading(None, exchange.status, exchange.reason)
    scores: list[Score] = []
    for name, metric in call.metrics.items():
        value, status, reason = readings.get(name, none)
        strict = Score(
            metric=metric,
            value=value,
            variant="corrected",
            status=status,
            reason=reason,
            detail=dict(exchange.detail),
        )
        faithful = replace(strict, variant="faithful", detail=dict(exchange.detail))
        if (number := released.get(name)) is not None:
            note = f"what the released code records; strictly: {reason}" if value is None else ""
            faithful = replace(faithful, value=number, status=Status.SCORED, reason=note)
        elif call.released is not None and replied and status is not Status.NOT_APPLICABLE:
            note = "the released code takes no score from this reply"
            faithful = replace(faithful, value=None, status=Status.UNPARSABLE, reason=note)
        scores += [strict, faithful]
    return tuple(scores)


def _released(call: Call, exchange: ExchangeResult) -> dict[str, float]:
    """What the released code takes from the first reply, by field: finite numbers only. It records
    something for a call that failed or was refused; for pictures that cannot be read it has no
    entry at all.
    """
    replied = exchange.status is Status.SCORED
    if call.released is None or not (replied or exchange.status in (Status.FAILED, Status.REFUSED)):
        return {}
    try:
        values = call.released(exchange.first if replied else None)
        numbers = {name: float(value) for name, value in values.items() if value is not None}
    except (ValueError, TypeError, ArithmeticError, LookupError, AttributeError, RecursionError):
        return {}  # a plug-in's reader may fail on odd replies: no score is taken then
    return {name: value for name, value in numbers.items() if math.isfinite(value)}
