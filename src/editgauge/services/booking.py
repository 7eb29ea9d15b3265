"""The ledger: every request is booked *before* it is sent, at the most that it can cost, until a
bill corrects it. An HTTP error costs nothing; a lost connection may have been answered, and counts:
the sum is not below what a provider may ask for, whatever happens in between.

Under a budget the first call of a model goes alone, a bill above what was booked makes the model as
many times dearer in this process, and so few calls are under way at once that the budget holds if
their bills become `WORST` times as high as the bills so far let expect.
"""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from editgauge.errors import BudgetExceeded
from editgauge.store.paid import Paid, State, Totals

WORST = 10.0
"""How many times as much a call may cost at a service that changes its prices in the middle."""
SPREAD = 2.0
"""How many times as dear as the usual call so far the calls under way may be by themselves."""
_SHOWN = 0.00005
"""US dollars below which four digits show nothing."""


class Entry(NamedTuple):
    """A booked call: its number, its model, the most it was thought to cost, and what is booked."""

    number: int
    model: str
    most: float
    booked: float


@dataclass(slots=True)
class Bills:
    """The bills of one model in this process, as shares of the most that each call may cost.

    `shares` is their sum; a call without a bill counts as one of its most. `highest` is the highest
    share, and `dearest` the highest bill (US dollars) among those above their most, else 0.
    """

    calls: int = 0
    shares: float = 0.0
    highest: float = 0.0
    dearest: float = 0.0

    def add(self, most: float, bill: float | None) -> None:
        """Count a call that has ended."""
        share = 1.0 if bill is None else bill / most
        self.calls += 1
        self.shares += share
        if bill is not None:
            self.highest = max(self.highest, share)
            if bill > most:
                self.dearest = max(self.dearest, bill)

    @property
    def usual(self) -> float:
        """The mean share."""
        return self.shares / self.calls


@dataclass(slots=True)
class Spent:
    """US dollars that calls cost, and those of them without a bill."""

    dollars: float = 0.0
    unbilled: float = 0.0


class Ledger:
    """Books calls of one `purpose` (``judge``, ``edit``) against `budget` US dollars in the file
    `paid`. Thread-safe. Several judges may share one.
    """

    def __init__(
        self, paid: Paid | None = None, *, purpose: str, budget: float | None = None
    ) -> None:
        self.paid = Paid(None) if paid is None else paid
        self.purpose, self.budget = purpose, budget
        self._spent: dict[str, Spent] = {}
        self._bills: dict[str, Bills] = {}
        self._open: dict[int, Entry] = {}
        self._queue: deque[object] = deque()
        self._changed, self._over = threading.Condition(), False

    @property
    def totals(self) -> Totals:
        """The sums of all commands of this purpose."""
        return self.paid.totals(self.purpose)

    @property
    def spent(self) -> float:
        """The US dollars that calls cost which this object has seen end."""
        return sum(spent.dollars for spent in self._spent.values())

    def spent_on(self, model: str) -> Spent:
        """What the calls of one model cost which this object has seen end."""
        return self._spent.get(model) or Spent()

    def factor(self, model: str) -> float:
        """How many times what was booked a bill of this model was, at least 1."""
        bills = self._bills.get(model)
        return 1.0 if bills is None else max(1.0, bills.highest)

    def _amount(self, most: float, model: str) -> float:
        """What is booked for a call: as much as the dearest bill, where one was above its most."""
        bills = self._bills.get(model)
        dearest = 0.0 if bills is None else bills.dearest
        return max(most * self.factor(model), dearest)

    def _risk(self, most: float, model: str) -> float:
        """What a call may cost where the service changes its prices while it is under way."""
        usual = self._bills[model].usual
        return max(self._amount(most, model), most * WORST * min(1.0, SPREAD * usual))

    def book(self, most: float, model: str, *, key: str = "") -> Entry:
        """Book a call. Under a budget one after the other, so that it ends where the order ends,
        waiting while calls under way may still give something back. Raises `BudgetExceeded` when
        none can, from then on.
        """
        if self.budget is None:
            entry = self.try_to_book(most, model, key)
            assert entry is not None
            return entry
        mine = object()
        with self._changed:
            self._queue.append(mine)
            self._changed.wait_for(lambda: self._queue[0] is mine)
        try:
            while True:
                alone = not self._open
                may_go = not self._over and (alone or self._fits(most, model))
                if may_go and (entry := self.try_to_book(most, model, key)) is not None:
                    return entry
                if self._over or alone:
                    self._over = True
                    raise self.exceeded(most, model)
                with self._changed:
                    self._changed.wait(0.1)  # the last one may have ended in the meantime
        finally:
            with self._changed:
                self._queue.popleft()
                self._changed.notify_all()

    def try_to_book(self, most: float, model: str, key: str = "") -> Entry | None:
        """Book a call; None when that could pass the budget."""
        amount = self._amount(most, model)
        number = self.paid.book(self.purpose, amount, key=key, model=model, budget=self.budget)
        if number is None:
            return None
        entry = Entry(number, model, most, amount)
        with self._changed:
            self._open[number] = entry
        return entry

    def _fits(self, most: float, model: str) -> bool:
        """Tell if a call can go beside those under way, at what all of them may cost."""
        with self._changed:
            under_way = list(self._open.values())
            settled = self.totals.booked - sum(entry.booked for entry in under_way)
        models = {model, *(entry.model for entry in under_way)}
        if not models <= self._bills.keys():  # the first bill says how far prices can be trusted
            return False
        at_risk = self._risk(most, model)
        at_risk += sum(self._risk(entry.most, entry.model) for entry in under_way)
        return settled + at_risk <= (self.budget or 0.0)

    def exceeded(self, most: float, model: str) -> BudgetExceeded:
        """Why nothing further is sent, and what can be done."""
        totals, amount = self.totals, self._amount(most, model)
        unbilled = max(0.0, totals.booked - totals.billed)
        standing = ""
        if unbilled >= _SHOWN:
            standing = f" ({unbilled:.4f} without a bill: `editgauge costs RUN` settles them)"
        return BudgetExceeded(
            f"stopped before the budget was passed: {totals.booked:.4f} of {self.budget or 0:.4f} "
            f"US dollars are booked{standing}, and the next call may cost {amount:.4f}; what was "
            f"done is kept. Raise the budget to go on"
        )

    def keep_in(self, path: Path | None, budget: float | None) -> None:
        """Book in this file (None: memory) from now on, under this budget; close the last one."""
        self.paid.close()
        self.paid, self.budget, self._over = Paid(path), budget, False
        self._bills.clear()

    def charge(self, dollars: float, model: str, *, key: str = "") -> float:
        """Book a bill of a call whose price was not known before; returns it."""
        number = self.paid.book(self.purpose, dollars, key=key, model=model) or 0
        return self.settle(Entry(number, model, 0.0, 0.0), dollars)

    def settle(
        self, entry: Entry, bill: float | None = None, *, booked: bool = False, why: str = ""
    ) -> float:
        """A call has ended: its `bill` takes the place of what was booked; without one that stays
        where it is `booked` (it may have been answered), and else it costs nothing. What it costs.
        """
        state: State = "billed" if bill is not None else "kept" if booked else "released"
        with self._changed:
            if entry.most > 0 and state != "released":
                self._bills.setdefault(entry.model, Bills()).add(entry.most, bill)
        cost = self.paid.settle(entry.number, state, bill, "" if bill is not None else why)
        with self._changed:
            self._open.pop(entry.number, None)
            spent = self._spent.setdefault(entry.model, Spent())
            spent.dollars += cost
            if state == "kept":
                spent.unbilled += cost
            self._changed.notify_all()
        return cost

    def name(self, entry: Entry, key: str) -> None:
        """The call goes on after its command, and is found by this key: see `standing`."""
        self.paid.rename(entry.number, key)

    def rebook(self, entry: Entry | None, dollars: float, model: str, *, key: str) -> Entry:
        """Book what the service says that a call under way costs, in place of the booked estimate
        (`entry`; None where no price was known). The call goes on under `key`: see `standing`.
        """
        with self.paid.transaction():
            if entry is not None:
                self.paid.settle(entry.number, "released", note="the service told its cost")
            number = self.paid.book(self.purpose, dollars, key=key, model=model)
        assert number is not None, "a booking without a budget is never refused"
        most = dollars if entry is None else entry.most
        rebooked = Entry(number, model, most, dollars)
        with self._changed:
            if entry is not None:
                self._open.pop(entry.number, None)
            self._open[number] = rebooked
        return rebooked

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
