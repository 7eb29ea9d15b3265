"""What a run has cost: bills, what stands without one and why, and the user's word for it."""

from __future__ import annotations

from pathlib import Path

from editgauge.services.booking import Ledger
from editgauge.services.costs import UNDER_WAY, WAITING, costs
from editgauge.store.paid import Paid


def test_what_stands_is_told_by_its_reason(tmp_path: Path) -> None:
    """Editing: 1 dollar billed, 2 + 2 without a bill, 4 in a batch. Judging: 8, killed."""
    with Paid(tmp_path / "paid.sqlite") as file:
        edit = Ledger(file, purpose="edit")
        edit.settle(edit.book(2.0, "m"), 1.0)
        for reply in ("no answer: a", "no answer: b"):
            edit.settle(edit.book(2.0, "m"), booked=True, why=reply)
        edit.settle(edit.book(64.0, "m"), why="HTTP 500")
        edit.book(4.0, "m", key="batch x")
        Ledger(file, purpose="judge").book(8.0, "j")
    found = costs(tmp_path / "paid.sqlite")
    totals = [(t.purpose, t.requests, t.billed, t.booked) for t in found.totals]
    assert totals == [("edit", 4, 1.0, 9.0), ("judge", 1, 0.0, 8.0)]
    told = [(s.purpose, s.why, s.requests, s.dollars, s.waiting) for s in found.standing]
    assert told == [
        ("judge", UNDER_WAY, 1, 8.0, False),
        ("edit", "no answer", 2, 4.0, False),
        ("edit", WAITING, 1, 4.0, True),
    ]


def test_sums_are_told_without_the_rests_of_binary_numbers(tmp_path: Path) -> None:
    with Paid(tmp_path / "paid.sqlite") as file:
        edit = Ledger(file, purpose="edit")
        for dollars in (0.1, 0.1, 0.1):
            edit.settle(edit.book(dollars, "m"), booked=True, why="no answer")
        for dollars in (0.2, 0.3, 0.1):
            edit.settle(edit.book(1.0, "m"), dollars)
    found = costs(tmp_path / "paid.sqlite")
    assert [one.dollars for one in found.standing] == [0.3]
    assert [(one.billed, one.booked) for one in found.totals] == [(0.6, 0.9)]
