"""The ledger: what was sent, what it cost, and whether the next call may be sent.

Every request is booked *before* it is sent, at the most that it can cost, and stays booked at that
amount until a bill corrects it. A request that was certainly not billed is released. So the sum is
never below what a provider may ask for, whatever happens in between: a reply without usage, a
connection that is cut, ``kill -9``.

The ledger is one SQLite file in the run folder. It counts all commands on that run, one after the
other or at once.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Self

from editgauge.environment import FREE_ERRORS
from editgauge.errors import BudgetExceeded, RunError
from editgauge.store import lease, sqlite

FILE = "ledger.sqlite"
NO_BILL = "no usable usage record"
"""Why a request stands without a bill, where nothing else is said."""
WORK = "costs"
"""The work on a run folder that every open ledger in it shares: see `lease.shared`."""
FEARED = 4.0
"""Times its amount that a bill is feared to be while calls are under way side by side: a service
may count otherwise from one call to the next, and what is under way cannot be called back.
"""
FEARED_LATER = 2.0
"""The same, once `TRUSTED` bills of the model were within their amounts."""
TRUSTED = 50
RECENT = 200
"""Bills of a model by which its next ones are judged: one odd bill does not count for ever."""
_SLACK = 1e-9
_TABLES = """
CREATE TABLE IF NOT EXISTS entries (
    id INTEGER PRIMARY KEY, purpose TEXT, key TEXT, model TEXT, state TEXT, estimate REAL,
    booked REAL, at REAL, note TEXT);
CREATE INDEX IF NOT EXISTS entries_by_key ON entries (key) WHERE key != '';
CREATE TABLE IF NOT EXISTS totals (
    purpose TEXT PRIMARY KEY, booked REAL, billed REAL, requests INTEGER);
CREATE INDEX IF NOT EXISTS entries_by_model ON entries (model, id) WHERE state = 'billed';
CREATE TABLE IF NOT EXISTS forgotten (model TEXT PRIMARY KEY, until INTEGER);
CREATE TABLE IF NOT EXISTS settlements (
    at REAL, purpose TEXT, model TEXT, why TEXT, requests INTEGER, booked REAL, dollars REAL);
"""
"""`forgotten`: up to which entry a model's bills say nothing of its next ones; `settlements`: what
the user said of entries without a bill. See `statement`.
"""


RATIO = (
    "SELECT max(booked / estimate) FROM (SELECT booked, estimate FROM entries WHERE model = ? AND "
    "state = 'billed' AND estimate > 0 AND id > coalesce((SELECT until FROM forgotten WHERE "
    f"forgotten.model = ?), 0) ORDER BY id DESC LIMIT {RECENT})"
)
"""The largest recent bill of a model over its estimate; NULL where there is none."""


_ODD = (
    "SELECT 1 FROM totals WHERE NOT coalesce(typeof(booked) = 'real' AND typeof(billed) = 'real' "
    "AND typeof(requests) = 'integer' AND booked BETWEEN -1e-6 AND 1e12, 0) LIMIT 1"
)
"""Finds a sum that no ledger of ours holds: with a debt of the past, no budget would be kept."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One request in the ledger: its number, the estimate, and the amount that is set aside."""

    number: int
    model: str
    estimate: float
    amount: float


class Ledger:
    """Books requests of one `purpose` (``judge``, ``edit``) against `budget` US dollars (None = no
    limit).

    With `path` None it lives in memory and counts this process alone. Thread-safe. A context
    manager; raises `RunError` when the file cannot be used.
    """

    def __init__(
        self, path: Path | None = None, *, purpose: str = "", budget: float | None = None
    ) -> None:
        self.purpose, self.budget = purpose, budget
        self.made = 0.0
        """US dollars that this object has booked and not released: the cost of one command."""
        self.unbilled = 0.0
        """The part of `made` that stands at its estimate, because no bill came."""
        self.errors = 0
        """Requests of this object that were answered with an error that may have been billed."""
        self.for_errors = 0.0
        """US dollars that stand booked for them."""
        self._open: dict[int, Entry] = {}
        self._changed = threading.Condition()
        self._ratios: dict[str, float] = {}
        self._bills: dict[str, int] = {}
        self._shared = ExitStack()
        self._open_file(path)

    def keep_in(self, path: Path, *, purpose: str, budget: float | None) -> None:
        """Keep the entries in this file from now on, under this purpose and budget."""
        self.close()
        self.purpose, self.budget = purpose, budget
        self._ratios.clear()
        self._bills.clear()
        self._open_file(path)

    def _open_file(self, path: Path | None) -> None:
        self.path = path
        try:
            if path is None:
                self._db = sqlite3.connect(
                    ":memory:", isolation_level=None, check_same_thread=False
                )
                self._db.executescript(_TABLES)
                return
            path.parent.mkdir(parents=True, exist_ok=True)
            self._shared.enter_context(lease.shared(path.parent, WORK))
            self._db = sqlite.connect(path, _TABLES.split(";"), timeout=60)
            if self._db.execute(_ODD).fetchone() is not None:
                self._db.close()
                raise sqlite3.DatabaseError("it holds sums that are none")
        except RunError:
            self._shared.close()
            raise
        except (sqlite3.Error, OSError) as error:
            self._shared.close()
            raise RunError(
                f"{path}: the ledger of costs cannot be used ({error}); make room or rights"
            ) from error

    # -- what has been spent -----------------------------------------------------------------------

    @property
    def spent(self) -> float:
        """US dollars of all commands of this purpose: bills, and estimates where there is none."""
        return self._total()[0]

    @property
    def billed(self) -> float:
        """The part of `spent` that bills say."""
        return self._total()[1]

    @property
    def requests(self) -> int:
        """Requests of all commands that were booked and not released."""
        return self._total()[2]

    def _total(self) -> tuple[float, float, int]:
        row = self._run(
            "SELECT booked, billed, requests FROM totals WHERE purpose = ?", self.purpose
        ).fetchone()
        return (0.0, 0.0, 0) if row is None else (max(0.0, row[0]), max(0.0, row[1]), row[2])

    @property
    def under_way(self) -> int:
        """Requests of this object that are neither billed, kept nor released."""
        return len(self._open)

    @property
    def without_bill(self) -> float:
        """The part of `spent` that no bill says, requests under way included."""
        total, billed, _ = self._total()
        return max(0.0, total - billed)

    def ratio(self, model: str) -> float:
        """The largest bill over its estimate among the `RECENT` last ones of this model, at least
        1: providers may count more than we do. Remembered over commands.
        """
        if model not in self._ratios:
            row = self._run(RATIO, model, model).fetchone()
            self._ratios[model] = max(1.0, float(row[0] or 0.0))
        return self._ratios[model]

    def trusts(self, model: str, bills: int = TRUSTED) -> bool:
        """Whether so many bills of this model were within their amounts."""
        if model not in self._bills:
            row = self._run(
                "SELECT count(*) FROM entries WHERE model = ? AND state = 'billed'", model
            ).fetchone()
            self._bills[model] = int(row[0])
        return self._bills[model] >= bills

    def _feared(self, model: str) -> float:
        return FEARED_LATER if self.trusts(model) else FEARED

    # -- one request -------------------------------------------------------------------------------

    def reserve(
        self,
        estimate: float,
        model: str = "",
        *,
        key: str = "",
        force: bool = False,
        beside: bool = False,
    ) -> Entry | None:
        """Book a request at the most that it can cost, right before it is sent; None when that
        could pass the budget. `force` books it whatever the budget says. `beside`: beside others
        that are under way only as far as bills of `FEARED` times their amounts would fit as well,
        so that a service that suddenly bills more passes the budget by one call at most.
        """
        with self._changed:
            amount = estimate * self.ratio(model)
            more = 0.0
            if beside and self._open:
                under_way = sum(entry.amount for entry in self._open.values())
                more = (self._feared(model) - 1.0) * (under_way + amount)
            try:
                self._run("BEGIN IMMEDIATE")
                try:
                    if self.budget is not None and not force:
                        row = self._db.execute(
                            "SELECT booked FROM totals WHERE purpose = ?", (self.purpose,)
                        ).fetchone()
                        booked = float(row[0]) if row else 0.0
                        if booked + more + amount > self.budget + _SLACK:
                            self._db.execute("ROLLBACK")
                            return None
                    number = self._db.execute(
                        "INSERT INTO entries (purpose, key, model, state, estimate, booked, at, "
                        "note) VALUES (?, ?, ?, 'sent', ?, ?, ?, '')",
                        (self.purpose, key, model, estimate, amount, time.time()),
                    ).lastrowid
                    self._add(amount, 0.0, 1)
                    self._db.execute("COMMIT")
                except BaseException:
                    self._db.execute("ROLLBACK")
                    raise
            except sqlite3.Error as error:
                raise self._broken(error) from error
            entry = Entry(number or 0, model, estimate, amount)
            self._open[entry.number] = entry
            self.made += amount
            self.unbilled += amount
            return entry

    def wait(self, estimate: float, model: str = "", *, key: str = "") -> Entry:
        """As `reserve`, for threads: waits while calls under way may still give something back.

        Raises `BudgetExceeded` when nothing is under way and the request could still pass the
        budget.
        """
        with self._changed:
            while (entry := self.reserve(estimate, model, key=key, beside=True)) is None:
                if not self._open:
                    raise self.exceeded(estimate, model)
                self._changed.wait()
            return entry

    def exceeded(self, estimate: float, model: str = "") -> BudgetExceeded:
        """The error that says why nothing further is sent, and what the user can do: `estimate` is
        that of the request that is not.
        """
        ratio = self.ratio(model)
        said = (
            f"stopped before the budget was passed: {self.spent:.4f} of {self.budget or 0:.4f} US "
            f"dollars are booked, and the next call may cost {estimate * ratio:.4f}"
        )
        if ratio > 1.0:
            said += f" ({ratio:.1f} times its estimate, because one of the last bills was)"
        said += "; what was done is kept. "
        if self.path is not None:
            if (standing := self.without_bill) > 5e-5:
                said += f"{standing:.4f} stand without a bill: `editgauge costs RUN` settles them. "
            if ratio > 1.0:
                said += "`editgauge costs RUN --forget-ratio` trusts the estimates again. "
        return BudgetExceeded(f"{said}{self.told_of_errors()}Raise --budget to go on")

    def told_of_errors(self) -> str:
        """A sentence on what is booked for errors that the server reported; empty where nothing
        is.
        """
        if not self.errors:
            return ""
        return (
            f"{self.for_errors:.4f} of them are for {self.errors} error replies (such as 429 and "
            f"500), which this service may have billed; if it bills none, name its host in "
            f"{FREE_ERRORS}. "
        )

    def bill(self, entry: Entry, dollars: float) -> None:
        """The bill came: it takes the estimate's place."""
        with self._changed:
            model, known = entry.model, self.ratio(entry.model)
            self._settle(entry, "billed", dollars, "")
            if entry.estimate > 0 and dollars > entry.estimate * known:
                self._raise(model, dollars / entry.estimate)
            elif model in self._bills:
                self._bills[model] += 1
                if self._bills[model] % RECENT == 0:
                    self._ratios.pop(model, None)  # what made it large may be long ago

    def _raise(self, model: str, ratio: float) -> None:
        """A bill of `ratio` times its estimate came: what is under way may cost that as well,
        requests of commands that were killed included.
        """
        self._ratios[model], self._bills[model] = ratio, 0
        risen = "FROM entries WHERE state = 'sent' AND model = ? AND booked < estimate * ?"
        try:
            self._run("BEGIN IMMEDIATE")
            try:
                self._db.execute(
                    "UPDATE totals SET booked = booked + coalesce((SELECT sum(estimate * ? - "
                    f"booked) {risen} AND entries.purpose = totals.purpose), 0)",
                    (ratio, model, ratio),
                )
                self._db.execute(
                    "UPDATE entries SET booked = estimate * ? WHERE state = 'sent' AND model = ? "
                    "AND booked < estimate * ?",
                    (ratio, model, ratio),
                )
                self._db.execute("COMMIT")
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
        except sqlite3.Error as error:
            raise self._broken(error) from error
        for number, entry in self._open.items():
            if entry.model == model and (more := entry.estimate * ratio - entry.amount) > 0:
                self._open[number] = replace(entry, amount=entry.amount + more)
                self.made += more
                self.unbilled += more

    def keep(self, entry: Entry, why: str = "", *, reported: bool = False) -> float:
        """No bill came for a request that was sent: it stays booked at its estimate, which is
        returned. `reported`: the server answered with an error.
        """
        with self._changed:
            amount = self._settle(entry, "kept", None, why)
            if reported:
                self.errors += 1
                self.for_errors += amount
            return amount

    def release(self, entry: Entry, why: str = "") -> None:
        """The request was not sent, or was certainly not billed."""
        with self._changed:
            self._settle(entry, "released", 0.0, why)

    # -- requests that outlive their command (batches) ---------------------------------------------

    def standing(self, keys: Sequence[str]) -> dict[str, Entry]:
        """The entries with these keys that no bill has corrected yet, of whatever command."""
        found: dict[str, Entry] = {}
        for start in range(0, len(keys), 500):
            part = keys[start : start + 500]
            rows = self._run(
                f"SELECT key, id, model, estimate, booked FROM entries WHERE state = 'sent' AND "
                f"key IN ({', '.join('?' * len(part))})",
                *part,
            )
            found |= {key: Entry(number, m, e, b) for key, number, m, e, b in rows}
        return found

    def knows(self, key: str) -> bool:
        """Whether a request with this key was booked and not released, by whatever command."""
        row = self._run(
            "SELECT 1 FROM entries WHERE key = ? AND state != 'released' LIMIT 1", key
        ).fetchone()
        return row is not None

    def leave(self, entry: Entry) -> None:
        """The request stays under way after this command ends: see `standing`."""
        with self._changed:
            self._open.pop(entry.number, None)
            self._changed.notify_all()

    # -- inside ------------------------------------------------------------------------------------

    def _settle(self, entry: Entry, state: str, dollars: float | None, why: str) -> float:
        """Write how a request ended; `dollars` None: at what stands booked. Returns what it is
        booked at now.
        """
        ours = self._open.pop(entry.number, None) is not None
        try:
            self._run("BEGIN IMMEDIATE")
            try:
                # not `entry.amount`: another bill may have raised it, in another process as well
                row = self._db.execute(
                    "SELECT booked FROM entries WHERE id = ?", (entry.number,)
                ).fetchone()
                before = float(row[0]) if row else 0.0
                after = before if dollars is None else dollars
                self._db.execute(
                    "UPDATE entries SET state = ?, booked = ?, note = ? WHERE id = ?",
                    (state, after, why[:200], entry.number),
                )
                billed = after if state == "billed" else 0.0
                self._add(after - before, billed, -(state == "released"))
                self._db.execute("COMMIT")
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
        except sqlite3.Error as error:
            raise self._broken(error) from error
        if ours:
            self.made += after - before
            self.unbilled -= 0.0 if state == "kept" else before
        else:
            self.made += after
            self.unbilled += after if state == "kept" else 0.0
        self._changed.notify_all()
        return after

    def _add(self, booked: float, billed: float, requests: int) -> None:
        self._db.execute(
            "INSERT INTO totals VALUES (?, ?, ?, ?) ON CONFLICT (purpose) DO UPDATE SET "
            "booked = booked + excluded.booked, billed = billed + excluded.billed, "
            "requests = requests + excluded.requests",
            (self.purpose, booked, billed, requests),
        )

    def _run(self, statement: str, *values: object) -> sqlite3.Cursor:
        try:
            return self._db.execute(statement, values)
        except sqlite3.Error as error:
            raise self._broken(error) from error

    def _broken(self, error: sqlite3.Error) -> RunError:
        return RunError(
            f"{self.path}: the ledger of costs cannot be read or written ({error}); nothing "
            f"further is sent. Make room or rights and run the same command again"
        )

    def close(self) -> None:
        self._db.close()
        self._shared.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self.close()


class Charge:
    """What one call to a service costs, over all its attempts; see `Ledger`.

    `amount` is what one attempt may cost at most, None where the price is not known: nothing is
    booked then. Each attempt that may have been billed stays booked; a bill replaces the last one.
    """

    def __init__(
        self, ledger: Ledger, amount: float | None, model: str = "", key: str = ""
    ) -> None:
        self._ledger, self._amount, self._model, self._key = ledger, amount, model, key
        self._entry: Entry | None = None
        self._kept = 0.0
        self.known = amount is not None

    @property
    def cost(self) -> float | None:
        """US dollars that are booked for attempts that ended without a bill; None where the price
        is not known.
        """
        return self._kept if self.known else None

    def send(self) -> None:
        """Book an attempt, right before it is sent; waits while other calls may still give
        something back. Raises `BudgetExceeded` when the budget could be passed.
        """
        if self._amount:
            self._entry = self._ledger.wait(self._amount, self._model, key=self._key)

    def lost(self, billed: bool, why: str, *, reported: bool = False) -> None:
        """The attempt ended without an answer; `billed` says whether it may have been billed,
        `reported` that the server itself said so.
        """
        entry, self._entry = self._entry, None
        if entry is None:
            return
        if billed:
            self._kept += self._ledger.keep(entry, why, reported=reported)
        else:
            self._ledger.release(entry, why)

    def leave(self) -> float | None:
        """The call goes on after this command (see `Ledger.standing`): what is booked for it."""
        entry, self._entry = self._entry, None
        if entry is None:
            return self.cost
        self._ledger.leave(entry)
        return self._kept + entry.amount

    def bill(self, dollars: float | None) -> float | None:
        """The call was answered: what it cost in all, lost attempts included. `dollars` is the
        bill, None where there is none: the attempt then stays booked at its estimate.
        """
        entry, self._entry = self._entry, None
        if dollars is None:
            if entry is None:
                return self.cost
            return self._kept + self._ledger.keep(entry, "no bill")
        if entry is None and dollars > 0:
            entry = self._ledger.reserve(dollars, self._model, key=self._key, force=True)
        if entry is not None:
            self._ledger.bill(entry, dollars)
        return self._kept + dollars
