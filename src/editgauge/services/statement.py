"""The statement of a run's ledger: what was billed, what stands booked without a bill and why, and
how the user settles it.

A request without a bill stays booked at what it may have cost, for the provider may ask for it. Who
knows better is the user, who can look at the provider's bill: `settle` takes that amount in place
of the estimates. Nothing is lost by it: each request stays in the ledger, and so does what was said
of it.
"""

from __future__ import annotations

import math
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from editgauge.errors import RunError, UsageError
from editgauge.services.ledger import NO_BILL, RATIO, WORK, Ledger
from editgauge.store import lease, sqlite

WAITING = "waiting in a batch or as a job at the service"
CUT_OFF = "its command was killed while it was under way"
UNDER_WAY = "under way, or its command was killed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    """What one room (``judge``, ``edit``) has spent: US dollars of bills, and in all."""

    purpose: str
    requests: int
    billed: float
    booked: float


@dataclass(slots=True, kw_only=True)
class Standing:
    """Requests of one kind that are booked without a bill. `since` and `until` are seconds since
    1970; `waiting` says that a later command can still find their bills.
    """

    purpose: str
    model: str
    why: str
    waiting: bool
    requests: int = 0
    dollars: float = 0.0
    since: float = math.inf
    until: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Settlement:
    """What the user settled: requests that stood at `booked` US dollars and count `dollars` now."""

    at: float
    purpose: str
    model: str
    why: str
    requests: int
    booked: float
    dollars: float


@dataclass(slots=True, kw_only=True)
class Statement:
    """Everything that a ledger tells of its costs. `ratios`: model -> how many times its estimate a
    next request is booked at, where that is above 1.
    """

    busy: bool
    """Whether a command that may spend has the ledger open."""
    totals: list[Total] = field(default_factory=list)
    standing: list[Standing] = field(default_factory=list)
    settlements: list[Settlement] = field(default_factory=list)
    ratios: dict[str, float] = field(default_factory=dict)


def statement(path: Path) -> Statement:
    """What the ledger at `path` tells. Raises `RunError` where there is none, or it is damaged."""
    with _opened(path) as (db, alone):
        return _read(db, alone)


def settle(
    path: Path,
    dollars: float,
    *,
    purpose: str = "",
    model: str = "",
    why: str = "",
    waiting: bool = False,
) -> Statement:
    """Book `dollars` in all, the provider's word, for the requests that stand without a bill: those
    of `purpose`, of `model` and with `why` in their reason, where these are given. Those that wait
    at the service are left out but for `waiting`: a later command finds their bills, and finds none
    for what was settled.

    Returns the statement afterwards. Raises `UsageError` for an amount that is none and where
    nothing fits, `RunError` while a command that may spend has the ledger open.
    """
    if not (math.isfinite(dollars) and dollars >= 0.0):
        raise UsageError(f"--settle {dollars}: wanted US dollars, 0 or more")
    with _opened(path) as (db, alone):
        _alone(path, alone)
        chosen = [
            one
            for one in _entries(db, alone)
            if (not purpose or one.purpose == purpose)
            and (not model or one.model == model)
            and why.lower() in one.why.lower()
            and (waiting or not one.waiting)
        ]
        if not chosen:
            raise UsageError(
                "--settle: no request stands without a bill that fits; editgauge costs RUN lists "
                "them (those that wait at the service are settled with --waiting)"
            )
        share = dollars / sum(one.booked for one in chosen)
        groups = _grouped(chosen)
        db.execute("BEGIN IMMEDIATE")
        db.executemany(
            "UPDATE entries SET state = 'settled', booked = ? WHERE id = ?",
            [(one.booked * share, one.number) for one in chosen],
        )
        for group in groups:
            settled = group.dollars * share
            db.execute(
                "UPDATE totals SET booked = booked + ? WHERE purpose = ?",
                (settled - group.dollars, group.purpose),
            )
            db.execute(
                "INSERT INTO settlements VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    time.time(),
                    group.purpose,
                    group.model,
                    group.why,
                    group.requests,
                    group.dollars,
                    settled,
                ),
            )
        db.execute("COMMIT")
        return _read(db, alone)


def forget_ratios(path: Path) -> Statement:
    """Book the next requests of every model at their estimates again, whatever bills came before;
    returns the statement afterwards. Raises as `settle` does.
    """
    with _opened(path) as (db, alone):
        _alone(path, alone)
        db.execute(
            "INSERT INTO forgotten SELECT model, max(id) FROM entries WHERE state = 'billed' "
            "GROUP BY model ON CONFLICT (model) DO UPDATE SET until = excluded.until"
        )
        return _read(db, alone)


# -- inside ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    number: int
    purpose: str
    model: str
    why: str
    waiting: bool
    booked: float
    at: float


@contextmanager
def _opened(path: Path) -> Iterator[tuple[sqlite3.Connection, bool]]:
    """The ledger's file, and whether nobody else has it open."""
    if not path.is_file():
        raise RunError(
            f"{path}: no ledger of costs there; nothing that costs was asked in this run"
        )
    try:
        with Ledger(path):
            pass  # makes what a ledger of an earlier version lacks
        with (
            lease.alone(path.parent, WORK) as alone,
            closing(sqlite.connect(path, (), timeout=60)) as db,
        ):
            yield db, alone
    except (sqlite3.Error, TypeError, ValueError) as error:
        raise RunError(
            f"{path}: the ledger of costs cannot be read or written ({error}); it is damaged, or "
            f"belongs to somebody else"
        ) from error


def _alone(path: Path, alone: bool) -> None:
    if not alone:
        raise RunError(
            f"{path.parent.name}: a command that spends is at work on this run, so that nothing "
            f"can be settled; wait for its end, or stop it"
        )


def _read(db: sqlite3.Connection, alone: bool) -> Statement:
    found = Statement(busy=not alone)
    for purpose, booked, billed, requests in db.execute(
        "SELECT purpose, booked, billed, requests FROM totals ORDER BY purpose"
    ):
        found.totals.append(
            Total(
                purpose=str(purpose),
                requests=int(requests),
                billed=max(0.0, float(billed)),
                booked=max(0.0, float(booked)),
            )
        )
    found.standing = _grouped(_entries(db, alone))
    for at, *words, requests, before, dollars in db.execute(
        "SELECT at, purpose, model, why, requests, booked, dollars FROM settlements ORDER BY at"
    ):
        purpose, model, why = map(str, words)
        found.settlements.append(
            Settlement(
                at=float(at),
                purpose=purpose,
                model=model,
                why=why,
                requests=int(requests),
                booked=float(before),
                dollars=float(dollars),
            )
        )
    models = [row[0] for row in db.execute("SELECT DISTINCT model FROM entries")]
    for model in models:
        row = db.execute(RATIO, (model, model)).fetchone()
        if float(row[0] or 0.0) > 1.0:
            found.ratios[str(model)] = float(row[0])
    return found


def _entries(db: sqlite3.Connection, alone: bool) -> list[_Entry]:
    """The requests that stand booked without a bill."""
    found = []
    for number, purpose, model, state, key, booked, at, note in db.execute(
        "SELECT id, purpose, model, state, key, booked, at, note FROM entries WHERE state IN "
        "('sent', 'kept') AND booked > 0 ORDER BY id"
    ):
        waiting = state == "sent" and bool(key)
        # what a server says differs from reply to reply; what kind it is stands before the colon
        why = str(note).partition(":")[0] or NO_BILL
        if state == "sent":
            why = WAITING if waiting else CUT_OFF if alone else UNDER_WAY
        found.append(
            _Entry(
                number=int(number),
                purpose=str(purpose),
                model=str(model),
                why=why,
                waiting=waiting,
                booked=float(booked),
                at=float(at),
            )
        )
    return found


def _grouped(entries: list[_Entry]) -> list[Standing]:
    found: dict[tuple[str, str, str], Standing] = {}
    for one in entries:
        group = found.setdefault(
            (one.purpose, one.model, one.why),
            Standing(purpose=one.purpose, model=one.model, why=one.why, waiting=one.waiting),
        )
        group.requests += 1
        group.dollars += one.booked
        group.since, group.until = min(group.since, one.at), max(group.until, one.at)
    return sorted(found.values(), key=lambda one: -one.dollars)
