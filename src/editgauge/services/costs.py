"""What a run has cost: billed, or booked without a bill and why. A call without a bill stays booked
at its most, as the provider may ask for it, until the user's word for it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from editgauge.errors import RunError, UsageError
from editgauge.store.paid import Call, Paid

WAITING = "waiting in a batch or as a job at the service"
UNDER_WAY = "under way, or its command was killed"
SETTLED = "settled by the user"
DIGITS = 9
"""Digits of US dollars behind the point that are told: sums of binary numbers have rests."""
_STANDING = "state IN ('sent', 'kept') AND most > 0"


@dataclass(frozen=True, slots=True)
class Total:
    """What one purpose (``judge``, ``edit``) has cost: US dollars of bills, and in all."""

    purpose: str
    requests: int
    billed: float
    booked: float


@dataclass(slots=True)
class Standing:
    """Calls of one kind that are booked without a bill. `since` and `until` are seconds since 1970;
    `waiting` says that a later command can still find their bills.
    """

    purpose: str
    model: str
    why: str
    waiting: bool
    since: float
    until: float = 0.0
    requests: int = 0
    dollars: float = 0.0


@dataclass(frozen=True, slots=True)
class Costs:
    """Everything that a run's file of paid calls tells of its costs."""

    totals: list[Total]
    standing: list[Standing]


def costs(path: Path) -> Costs:
    """What the file `path` tells. Raises `RunError` where there is none, or it is damaged."""
    groups: dict[tuple[str, str, str], Standing] = {}
    with _opened(path) as paid:
        sums = {purpose: paid.totals(purpose) for purpose in {one.purpose for one in paid.calls()}}
        for call in paid.calls(_STANDING):
            name = (call.purpose, call.model, _why(call))
            group = groups.setdefault(name, Standing(*name, name[2] == WAITING, call.at))
            group.until = max(group.until, call.at)
            group.requests += 1
            group.dollars += call.booked
    for group in groups.values():
        group.dollars = _rounded(group.dollars)
    totals = [
        Total(purpose, one.calls, _rounded(one.billed), _rounded(one.booked))
        for purpose, one in sorted(sums.items())
    ]
    return Costs(totals, sorted(groups.values(), key=lambda one: -one.dollars))


def _rounded(dollars: float) -> float:
    """A sum of US dollars as it is told: without the rest of binary numbers, never below 0."""
    return max(0.0, round(dollars, DIGITS))


def settle(path: Path, dollars: float) -> None:
    """Book `dollars` in all, the provider's word, for the calls that stand without a bill. Those
    that wait at the service are left out: a later command finds their bills. Raises `UsageError`
    for an amount that is none and where nothing stands so, and as `costs` does.
    """
    if not (math.isfinite(dollars) and dollars >= 0.0):
        raise UsageError(f"{dollars}: wanted US dollars, 0 or more", argument="settle")
    with _opened(path) as paid, paid.transaction():
        chosen = [call for call in paid.calls(_STANDING) if _why(call) != WAITING]
        if not chosen:
            raise UsageError("no call stands without a bill; editgauge costs lists them")
        share = dollars / sum(call.booked for call in chosen)
        for call in chosen:
            paid.settle(call.id, "billed", call.booked * share, f"{SETTLED}: {_why(call)}")


def _opened(path: Path) -> Paid:
    if not path.is_file():
        raise RunError(
            f"{path}: no file of paid calls: nothing was asked of a judge or a service in this run"
        )
    return Paid(path)


def _why(call: Call) -> str:
    if call.state == "sent":
        return WAITING if call.key else UNDER_WAY
    # what a server says differs from reply to reply; what kind it is stands before the colon
    return call.note.partition(":")[0] or "no usable bill"
