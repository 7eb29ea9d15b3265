"""What a run has cost: what was billed, what stands booked without a bill and why, and how the user
settles it.

A call without a bill stays booked at what it may have cost, for the provider may ask for it. Who
knows better is the user, who can look at the provider's bill: `settle` takes that amount in place
of what stands.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from editgauge.errors import RunError, UsageError
from editgauge.store.paid import Call, Paid

WAITING = "waiting in a batch or as a job at the service"
UNDER_WAY = "under way, or its command was killed"
SETTLED = "settled by the user"


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    """What one room (``judge``, ``edit``) has spent: US dollars of bills, and in all."""

    purpose: str
    requests: int
    billed: float
    booked: float


@dataclass(slots=True, kw_only=True)
class Standing:
    """Calls of one kind that are booked without a bill. `since` and `until` are seconds since 1970;
    `waiting` says that a later command can still find their bills.
    """

    purpose: str
    model: str
    why: str
    waiting: bool
    requests: int = 0
    dollars: float = 0.0
    since: float = math.inf
    until: float = 0.0


@dataclass(slots=True, kw_only=True)
class Costs:
    """Everything that a run's file of paid calls tells of its costs."""

    totals: list[Total] = field(default_factory=list)
    standing: list[Standing] = field(default_factory=list)


def costs(path: Path) -> Costs:
    """What the file `path` tells. Raises `RunError` where there is none, or it is damaged."""
    with _opened(path) as paid:
        return _read(paid)


def settle(
    path: Path, dollars: float, *, purpose: str = "", model: str = "", why: str = ""
) -> Costs:
    """Book `dollars` in all, the provider's word, for the calls that stand without a bill: those of
    `purpose`, of `model` and with `why` in their reason, where these are given. Those that wait at
    the service are left out: a later command finds their bills.

    Returns the costs afterwards. Raises `UsageError` for an amount that is none and where nothing
    fits.
    """
    if not (math.isfinite(dollars) and dollars >= 0.0):
        raise UsageError(f"--settle {dollars}: wanted US dollars, 0 or more")
    with _opened(path) as paid, paid.transaction():
        chosen = [
            call
            for call in _without_bill(paid)
            if (not purpose or call.purpose == purpose)
            and (not model or call.model == model)
            and why.lower() in _why(call).lower()
            and not _is_waiting(call)
        ]
        if not chosen:
            raise UsageError(
                "--settle: no call stands without a bill that fits; editgauge costs RUN lists them"
            )
        share = dollars / sum(call.booked for call in chosen)
        for call in chosen:
            paid.settle(call.id, "billed", call.booked * share, f"{SETTLED}: {_why(call)}")
        return _read(paid)


def _opened(path: Path) -> Paid:
    if not path.is_file():
        raise RunError(f"{path}: no file of paid calls; nothing that costs was asked in this run")
    return Paid(path)


def _without_bill(paid: Paid) -> list[Call]:
    return paid.calls("state IN ('sent', 'kept') AND most > 0")


def _is_waiting(call: Call) -> bool:
    return call.state == "sent" and bool(call.key)


def _why(call: Call) -> str:
    if call.state == "sent":
        return WAITING if call.key else UNDER_WAY
    # what a server says differs from reply to reply; what kind it is stands before the colon
    return call.note.partition(":")[0] or "no usable bill"


def _read(paid: Paid) -> Costs:
    purposes = sorted({call.purpose for call in paid.calls()})
    found = Costs(standing=_grouped(_without_bill(paid)))
    for purpose in purposes:
        booked, billed, calls = paid.totals(purpose)
        total = Total(
            purpose=purpose,
            requests=calls,
            billed=round(max(0.0, billed), 9),
            booked=round(max(0.0, booked), 9),
        )
        found.totals.append(total)
    return found


def _grouped(calls: Iterable[Call]) -> list[Standing]:
    found: dict[tuple[str, str, str], Standing] = {}
    for call in calls:
        why = _why(call)
        group = found.setdefault(
            (call.purpose, call.model, why),
            Standing(purpose=call.purpose, model=call.model, why=why, waiting=_is_waiting(call)),
        )
        group.requests += 1
        group.dollars += call.booked
        group.since, group.until = min(group.since, call.at), max(group.until, call.at)
    return sorted(found.values(), key=lambda one: -one.dollars)
