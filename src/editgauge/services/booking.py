"""The ledger: every request is booked *before* it is sent, at the most that it can cost, until a
bill corrects it. An HTTP error costs nothing; a lost connection may have been answered, and counts:
the sum is not below what a provider may ask for, whatever happens in between.

A bill above what was booked makes the next bookings of that model as many times dearer in this
process. With a service that bills f times its published price a budget is passed by at most (calls
in flight) x (f - 1) x (the most that a call can cost), once; the first call of a model under a
budget therefore goes alone.
"""

from __future__ import annotations

import itertools
import threading
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from editgauge.errors import BudgetExceeded
from editgauge.store.paid import Paid, State, Totals

_SLACK = 1e-9
_LOSSES = 3
"""Lost answers of a model after which its calls wait for no first bill: there may never be one."""


class Entry(NamedTuple):
    """A booked call: its number, its model, the most it was thought to cost, and what is booked."""

    number: int
    model: str
    most: float
    booked: float


class Ledger:
    """Books calls of one `purpose` (``judge``, ``edit``) against `budget` US dollars in the file
    `paid`. Thread-safe. `spent`: what this object has booked, `unbilled`: of it without a bill.
    """

    def __init__(
        self, paid: Paid | None = None, *, purpose: str, budget: float | None = None
    ) -> None:
        self.paid = Paid(None) if paid is None else paid
        self.purpose, self.budget = purpose, budget
        self.spent = self.unbilled = 0.0
        self._factors: dict[str, float] = {}
        self._losses: Counter[str] = Counter()
        self._open: dict[int, Entry] = {}
        self._tickets, self._over = itertools.count(), False
        self._waiting: list[int] = []
        self._changed = threading.Condition()

    @property
    def totals(self) -> Totals:
        """The sums of all commands of this purpose."""
        return self.paid.totals(self.purpose)

    def factor(self, model: str) -> float:
        """How many times what was booked a bill of this model was, at least 1."""
        return max(1.0, self._factors.get(model, 0.0))

    def book(self, most: float, model: str, *, key: str = "") -> Entry:
        """Book a call, waiting while calls under way may still give something back: who came first
        is booked first, so that a budget ends where its order ends. Raises `BudgetExceeded` when
        none can, then for whoever waits.
        """
        with self._changed:
            mine = next(self._tickets)
            self._waiting.append(mine)
            try:
                while True:
                    # the first bill of a model says how far prices can be trusted
                    unknown = self.budget is not None and model not in self._factors
                    first = self._waiting[0] == mine and not (unknown and self._open)
                    if first and not self._over and (entry := self.try_to_book(most, model, key)):
                        return entry
                    if self._over or (first and not self._open):
                        self._over = True
                        raise self.exceeded(most, model)
                    self._changed.wait()
            finally:
                self._waiting.remove(mine)
                self._over = self._over and bool(self._waiting)
                self._changed.notify_all()

    def try_to_book(self, most: float, model: str, key: str = "") -> Entry | None:
        """Book a call; None when that could pass the budget."""
        amount = most * self.factor(model)
        with self._changed, self.paid.transaction():
            booked = self.totals.booked
            if self.budget is not None and booked + amount > self.budget + _SLACK:
                return None
            number = self.paid.book(self.purpose, amount, key=key, model=model)
            entry = self._open[number] = Entry(number, model, most, amount)
            self.spent += amount
            self.unbilled += amount
        return entry

    def exceeded(self, most: float, model: str) -> BudgetExceeded:
        """Why nothing further is sent, and what can be done."""
        totals, factor = self.totals, self.factor(model)
        message = (
            f"stopped before the budget was passed: {totals.booked:.4f} of {self.budget or 0:.4f} "
            f"US dollars are booked, and the next call may cost {most * factor:.4f}"
        )
        if factor > 1.0:
            message += f" ({factor:.1f} times its price, because a bill was)"
        message += "; what was done is kept. "
        if (standing := totals.booked - totals.billed) > 5e-5:
            message += f"{standing:.4f} stand without a bill: `editgauge costs RUN` settles them. "
        return BudgetExceeded(f"{message}Raise the budget to go on")

    def keep_in(self, path: Path | None, budget: float | None) -> None:
        """Book in this file (None: in memory) from now on, under this budget; the one before is
        closed.
        """
        self.paid.close()
        self.paid, self.budget = Paid(path), budget
        self._factors.clear()

    def charge(self, dollars: float, model: str, *, key: str = "") -> float:
        """Book a bill of a call whose price was not known before; returns it."""
        with self._changed, self.paid.transaction():
            number = self.paid.book(self.purpose, dollars, key=key, model=model)
            return self._ended(Entry(number, model, dollars, 0.0), "billed", dollars, "")

    def settle(
        self, entry: Entry, bill: float | None, booked: bool, why: str, *, lost: bool = False
    ) -> float:
        """`bill`, `keep` where no bill came and it is `booked`, else `release`; what it costs."""
        if bill is not None:
            return self.bill(entry, bill)
        if not booked:
            return self.release(entry, why)
        return self.keep(entry, why or "no usable bill", lost=lost)

    def bill(self, entry: Entry, dollars: float) -> float:
        """The bill came: it takes the booked amount's place. Returns it."""
        with self._changed:
            if entry.most > 0:
                known = self._factors.get(entry.model, 0.0)
                self._factors[entry.model] = max(known, dollars / entry.most)
            return self._ended(entry, "billed", dollars, "")

    def keep(self, entry: Entry, why: str = "no bill", *, lost: bool = False) -> float:
        """No bill came for a call that may have been answered: it stays booked; at how much. One
        whose answer was `lost` tells nothing of prices.
        """
        with self._changed:
            self._losses[entry.model] += lost
            if not lost or self._losses[entry.model] >= _LOSSES:
                self._factors.setdefault(entry.model, 0.0)
            return self._ended(entry, "kept", None, why)

    def release(self, entry: Entry, why: str = "") -> float:
        """The call was not sent, or was answered with an error: it costs nothing."""
        with self._changed:
            return self._ended(entry, "released", None, why)

    def name(self, entry: Entry, key: str) -> None:
        """The call goes on after its command, and is found by this key: see `standing`."""
        self.paid.rename(entry.number, key)

    def leave(self, entry: Entry) -> None:
        """The call stays under way after this command ends: see `standing`."""
        with self._changed:
            self._open.pop(entry.number, None)
            self._changed.notify_all()

    def standing(self, keys: list[str]) -> dict[str, Entry]:
        """The calls with these keys that are still under way, of whatever command."""
        entries: dict[str, Entry] = {}
        for start in range(0, len(keys), 500):
            part = keys[start : start + 500]
            marks = ", ".join("?" * len(part))
            calls = self.paid.calls(f"state = 'sent' AND key IN ({marks})", *part)
            entries |= {c.key: Entry(c.id, c.model, c.most, c.most) for c in calls}
        return entries

    def knows(self, key: str) -> bool:
        """Whether a call with this key was booked and not released, by whatever command."""
        return bool(self.paid.calls("key = ? AND state != 'released'", key))

    def _ended(self, entry: Entry, state: State, dollars: float | None, why: str) -> float:
        ours = self._open.pop(entry.number, None)
        call = self.paid.settle(entry.number, state, dollars, why)
        before = ours.booked if ours else 0.0
        self.spent += call.booked - before
        self.unbilled += (call.booked if state == "kept" else 0.0) - before
        self._changed.notify_all()
        return call.booked
