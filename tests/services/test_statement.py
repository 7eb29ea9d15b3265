"""The statement of a ledger: what stands without a bill is shown, and settled by the user."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
from tests.command_line import invoke

from editgauge.errors import RunError, UsageError
from editgauge.services.ledger import FILE, RECENT, Ledger
from editgauge.services.statement import (
    CUT_OFF,
    WAITING,
    Statement,
    forget_ratios,
    settle,
    statement,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A run's ledger: 0.3 billed; 0.2 and 0.1 kept, 0.1 killed, 0.4 waiting without a bill."""
    with Ledger(tmp_path / FILE, purpose="judge", budget=9.0) as ledger:
        billed, busy, again, lost = (ledger.reserve(0.1, "m") for _ in range(4))
        waiting = ledger.reserve(0.4, "m", key="batch 1")
        assert billed is not None
        assert busy is not None
        assert again is not None
        assert waiting is not None
        assert lost is not None
        ledger.keep(busy, "HTTP 429: try again in 0.2 s", reported=True)
        ledger.keep(again, "HTTP 429: try again in 7 s", reported=True)
        ledger.bill(billed, 0.1)
    with Ledger(tmp_path / FILE, purpose="edit") as ledger:
        entry = ledger.reserve(0.05, "e")
        assert entry is not None
        ledger.keep(entry)
    return tmp_path / FILE


def standing(found: Statement) -> dict[tuple[str, str], tuple[int, float]]:
    return {(one.purpose, one.why): (one.requests, round(one.dollars, 6)) for one in found.standing}


def test_what_stands_without_a_bill_is_told_with_its_reason(path: Path) -> None:
    found = statement(path)
    assert standing(found) == {
        ("judge", "HTTP 429"): (2, 0.2),
        ("judge", CUT_OFF): (1, 0.1),
        ("judge", WAITING): (1, 0.4),
        ("edit", "no usable usage record"): (1, 0.05),
    }
    totals = {one.purpose: (one.requests, one.billed, round(one.booked, 6)) for one in found.totals}
    assert totals == {"judge": (5, 0.1, 0.8), "edit": (1, 0.0, 0.05)}
    assert not found.busy


def test_the_users_figure_takes_the_estimates_place(path: Path) -> None:
    found = settle(path, 0.06, purpose="judge")
    assert standing(found) == {
        ("judge", WAITING): (1, 0.4),
        ("edit", "no usable usage record"): (1, 0.05),
    }
    with Ledger(path, purpose="judge", budget=1.0) as ledger:
        assert ledger.spent == pytest.approx(0.1 + 0.06 + 0.4)
        assert ledger.requests == 5, "no request is lost"
        assert set(ledger.standing(["batch 1"])) == {"batch 1"}, "its bill is still looked for"
    said = {one.why: (one.requests, one.booked, one.dollars) for one in found.settlements}
    assert said == {
        "HTTP 429": (2, pytest.approx(0.2), pytest.approx(0.04)),
        CUT_OFF: (1, pytest.approx(0.1), pytest.approx(0.02)),
    }
    with pytest.raises(UsageError, match="no request stands without a bill that fits"):
        settle(path, 0.0, purpose="judge")
    assert ("judge", WAITING) not in standing(settle(path, 0.4, purpose="judge", waiting=True))


def test_only_some_are_settled(path: Path) -> None:
    assert ("judge", CUT_OFF) in standing(settle(path, 0.0, why="429"))
    left = standing(settle(path, 0.01, model="e"))
    assert set(left) == {("judge", CUT_OFF), ("judge", WAITING)}


@pytest.mark.parametrize("amount", [-0.1, float("nan"), float("inf")])
def test_an_amount_that_is_none(path: Path, amount: float) -> None:
    with pytest.raises(UsageError, match="0 or more"):
        settle(path, amount)


def test_nothing_is_settled_while_a_command_spends(path: Path) -> None:
    with Ledger(path, purpose="edit"):
        assert statement(path).busy
        with pytest.raises(RunError, match="at work on this run"):
            settle(path, 0.0)
        with pytest.raises(RunError, match="at work on this run"):
            forget_ratios(path)
    assert not settle(path, 0.0, waiting=True).standing


def test_a_dear_bill_is_forgotten_when_the_user_says_so(path: Path) -> None:
    with Ledger(path, purpose="judge", budget=9.0) as ledger:
        entry = ledger.reserve(0.1, "m")
        assert entry is not None
        ledger.bill(entry, 2.0)
    assert statement(path).ratios == {"m": pytest.approx(20.0)}
    assert forget_ratios(path).ratios == {}
    with Ledger(path, purpose="judge") as ledger:
        assert ledger.ratio("m") == 1.0


def test_a_dear_bill_is_forgotten_after_many_others(tmp_path: Path) -> None:
    """In the same command, and in a later one."""
    with Ledger(tmp_path / FILE, purpose="judge", budget=99.0) as ledger:
        for number in range(2 * RECENT):
            entry = ledger.reserve(0.1, "m")
            assert entry is not None
            ledger.bill(entry, 0.05 if number else 1.0)
            assert number >= RECENT - 1 or ledger.ratio("m") == pytest.approx(10.0)
        assert ledger.ratio("m") == 1.0
    with Ledger(tmp_path / FILE, purpose="judge") as later:
        assert later.ratio("m") == 1.0


def test_a_ledger_that_is_none_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="no ledger of costs there"):
        statement(tmp_path / FILE)
    assert not list(tmp_path.iterdir())
    (tmp_path / FILE).write_bytes(b"no database" * 100)
    with pytest.raises(RunError, match="cannot be"):
        statement(tmp_path / FILE)


def test_a_ledger_with_other_kinds_of_values_is_one_clear_error(path: Path) -> None:
    db = sqlite3.connect(path)
    db.execute("UPDATE entries SET booked = 'many', at = x'00'")
    db.commit()
    db.close()
    with pytest.raises(RunError, match="damaged"):
        statement(path)


def test_the_command(path: Path) -> None:
    run = str(path.parent)
    shown = invoke(["costs", run])
    assert shown.exit_code == 0, shown.output
    assert "judge: 0.8000 US dollars for 5 requests, 0.1000 of it by bills" in shown.output
    assert "0.2000 for 2 requests to m" in shown.output
    assert "--settle DOLLARS" in shown.output
    done = invoke(["costs", run, "--settle", "0.03", "--reason", "429", "--json"])
    told = json.loads(done.output)
    assert [round(one["booked"], 4) for one in told["totals"]] == [0.05, 0.63]
    assert told["settlements"][0]["requests"] == 2
    assert "which stood at 0.2000 (HTTP 429)" in invoke(["costs", run]).output
    assert isinstance(invoke(["costs", run, "--reason", "429"]).exception, UsageError)
    assert isinstance(invoke(["costs", run + "-none"]).exception, RunError)
