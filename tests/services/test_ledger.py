"""The ledger: what was sent is booked, over commands, kills and processes."""

from __future__ import annotations

import contextlib
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from editgauge.errors import BudgetExceeded, RunError
from editgauge.services.ledger import TRUSTED, Charge, Ledger


def test_what_is_under_way_counts() -> None:
    ledger = Ledger(budget=1.0)
    entry = ledger.reserve(0.6)
    assert entry is not None
    assert ledger.reserve(0.6) is None
    ledger.bill(entry, 0.3)
    assert ledger.spent == pytest.approx(0.3)
    assert ledger.reserve(0.6) is not None


def test_a_bill_above_its_estimate_makes_later_estimates_larger() -> None:
    """Of that model, and of what is under way already."""
    ledger = Ledger(budget=1.0)
    first, second = ledger.reserve(0.1, "m"), ledger.reserve(0.1, "m")
    assert first is not None
    assert second is not None
    ledger.bill(first, 0.3)
    assert ledger.ratio("m") == pytest.approx(3.0)
    assert ledger.ratio("other") == 1.0
    # 0.3 billed, 0.3 feared for the one under way, so that 0.4 are left: one of 0.3 and no second.
    assert ledger.reserve(0.1, "m") is not None
    assert ledger.reserve(0.1, "m") is None
    ledger.release(second)
    assert ledger.reserve(0.1, "m") is not None


def test_what_was_killed_is_feared_to_cost_what_bills_show_later(tmp_path: Path) -> None:
    """Four requests of a command that is gone, then a bill of three times its estimate."""
    path = tmp_path / "l.sqlite"
    with Ledger(path, budget=9.0) as gone:
        assert all(gone.reserve(0.1, "m") for _ in range(4))
    with Ledger(path, budget=9.0) as ledger:
        first, other = ledger.reserve(0.1, "m"), ledger.reserve(0.1, "another")
        beside = ledger.reserve(0.1, "m")
        assert first is not None
        assert other is not None
        assert beside is not None
        ledger.bill(first, 0.3)
        assert ledger.spent == pytest.approx(0.3 + 5 * 0.3 + 0.1)
        assert ledger.made == pytest.approx(0.3 + 0.3 + 0.1)
        assert ledger.keep(beside) == pytest.approx(0.3)
        assert ledger.unbilled == pytest.approx(0.3 + 0.1)
        ledger.release(other)
        assert (ledger.spent, ledger.made) == (pytest.approx(1.8), pytest.approx(0.6))


def test_calls_side_by_side_leave_room_for_a_surprise() -> None:
    """Beside another, a call is sent only where four times both would fit; twice, once fifty bills
    were as feared.
    """
    ledger = Ledger(budget=1.0)
    one = ledger.reserve(0.2, "m", beside=True)
    assert one is not None
    assert ledger.reserve(0.2, "m", beside=True) is None
    assert ledger.reserve(0.2, "m") is not None, "a file of a batch is sent as one"
    trusting = Ledger(budget=1.0)
    for _ in range(TRUSTED):
        entry = trusting.reserve(0.001, "m", beside=True)
        assert entry is not None
        trusting.bill(entry, 0.0)
    assert trusting.reserve(0.2, "m", beside=True) is not None
    assert trusting.reserve(0.2, "m", beside=True) is not None
    assert trusting.reserve(0.2, "m", beside=True) is None
    assert trusting.trusts("m")
    assert not trusting.trusts("other")


def test_without_a_bill_the_estimate_stays(tmp_path: Path) -> None:
    with Ledger(tmp_path / "l.sqlite", purpose="judge", budget=1.0) as ledger:
        kept, gone, billed = (ledger.reserve(0.2) for _ in range(3))
        assert kept is not None
        assert gone is not None
        assert billed is not None
        ledger.keep(kept, "no usage")
        ledger.release(gone, "HTTP 429")
        ledger.bill(billed, 0.05)
        assert (ledger.spent, ledger.billed, ledger.requests) == (
            pytest.approx(0.25), pytest.approx(0.05), 2,
        )  # fmt: skip
        assert (ledger.made, ledger.unbilled) == (pytest.approx(0.25), pytest.approx(0.2))
    with Ledger(tmp_path / "l.sqlite", purpose="judge", budget=0.3) as again:
        assert again.spent == pytest.approx(0.25)
        assert again.made == 0
        assert again.reserve(0.1) is None
    with Ledger(tmp_path / "l.sqlite", purpose="edit") as other:
        assert other.spent == 0


KILLED = """
import os, sys
from pathlib import Path
sys.path.insert(0, {source!r})
from editgauge.services.ledger import Ledger
ledger = Ledger(Path(sys.argv[1]), purpose="judge", budget=1.0)
for _ in range(4):
    entry = ledger.reserve(0.1)
ledger.bill(entry, 0.01)
os.kill(os.getpid(), 9)
"""


def test_a_killed_process_has_spent_what_it_sent(tmp_path: Path) -> None:
    source = str(Path(__file__).resolve().parents[2] / "src")
    path = tmp_path / "l.sqlite"
    for _ in range(2):
        code = KILLED.format(source=source)
        assert subprocess.run([sys.executable, "-c", code, str(path)], check=False).returncode == -9
    with Ledger(path, purpose="judge", budget=1.0) as ledger:
        assert ledger.spent == pytest.approx(2 * 0.31)


def test_two_ledgers_on_one_file_share_a_budget(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite"
    with Ledger(path, budget=1.0) as one, Ledger(path, budget=1.0) as two:
        booked = [ledger.reserve(0.3) for ledger in (one, two, one, two)]
        assert [entry is not None for entry in booked] == [True, True, True, False]


def test_threads_wait_for_what_is_given_back() -> None:
    """Four calls of 0.4 in a budget of 1, each billed 0.1: two at once, none is turned away."""
    ledger = Ledger(budget=1.0)
    most: list[int] = []

    def one() -> None:
        entry = ledger.wait(0.4)
        most.append(ledger.under_way)
        ledger.bill(entry, 0.1)

    threads = [threading.Thread(target=one) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(most) == 6
    assert max(most) <= 2
    assert ledger.spent <= 1.0


def test_nothing_under_way_and_too_dear_is_the_end() -> None:
    ledger = Ledger(budget=0.1)
    with pytest.raises(BudgetExceeded, match=r"0\.0000 of 0\.1000"):
        ledger.wait(0.2)


def test_a_charge_keeps_every_attempt_that_may_have_been_billed() -> None:
    """A time-out, an error that is not billed, then a picture: two attempts are booked."""
    ledger = Ledger(budget=1.0)
    charge = Charge(ledger, 0.1, "m", "key")
    charge.send()
    charge.lost(True, "no complete answer")
    charge.send()
    charge.lost(False, "HTTP 500")
    charge.send()
    assert charge.bill(0.04) == pytest.approx(0.14)
    assert ledger.spent == pytest.approx(0.14)
    unknown = Charge(ledger, None)
    unknown.send()
    assert unknown.bill(None) is None
    assert unknown.cost is None
    assert ledger.spent == pytest.approx(0.14)


def test_a_ledger_that_cannot_be_used_is_one_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite"
    path.write_bytes(b"no database at all" * 100)
    with pytest.raises(RunError, match="ledger of costs"):
        Ledger(path)


def test_a_ledger_that_leads_elsewhere_is_refused(tmp_path: Path) -> None:
    """A run folder may come from anybody: what its ledger's name leads to is not touched."""
    other = tmp_path / "other.sqlite"
    with contextlib.closing(sqlite3.connect(other)) as db:
        db.execute("CREATE TABLE mine (x)")
    before = other.read_bytes()
    (tmp_path / "l.sqlite").symlink_to(other)
    with pytest.raises(RunError):
        Ledger(tmp_path / "l.sqlite")
    assert other.read_bytes() == before


@pytest.mark.parametrize(
    "planted",
    [
        "CREATE TRIGGER t AFTER INSERT ON entries BEGIN UPDATE totals SET booked = 0; END",
        "INSERT INTO totals VALUES ('judge', -1000.0, 0.0, 0)",
        "INSERT INTO totals VALUES ('judge', 'many', 0.0, 0)",
        "INSERT INTO totals VALUES ('judge', -9e999, 0.0, 0)",
        "INSERT INTO totals VALUES ('judge', NULL, 0.0, 0)",
        "INSERT INTO totals VALUES ('judge', 0.0, 'x', 'y')",
    ],
)
def test_a_planted_ledger_opens_no_purse(tmp_path: Path, planted: str) -> None:
    """Neither a trigger nor a debt of the past lets more be spent than the budget."""
    path = tmp_path / "l.sqlite"
    Ledger(path).close()
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        db.execute(planted)
    with pytest.raises(RunError, match="ledger of costs"):
        Ledger(path, purpose="judge", budget=1.0)
