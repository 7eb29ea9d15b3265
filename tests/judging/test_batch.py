"""Batches over a bad line and over kills: no call is paid twice, and no result is lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.contract.server import USAGE, Batches, Judge, error
from tests.judging.commands import command, rows_of

from editgauge.services import policy
from editgauge.store.paid import Paid
from editgauge.types import Status

COST = 0.5 * (USAGE[0] * 1.0 + USAGE[1] * 10.0) / 1e6


def judge(made: Path, server: Judge, *more: str, code: int = 0) -> str:
    done = command(
        "judge", "mini", "--run", str(made), "--sample", "replace-02",
        "--price", "1/10", "--budget", "1", *more, url=server.url, code=code,
    )  # fmt: skip
    return done.stdout + done.stderr


def batch(made: Path, server: Batches, what: str, code: int = 0) -> str:
    return judge(made, server, "--batch", what, code=code)


def booked(made: Path) -> tuple[float, int]:
    with Paid(made / "paid.sqlite") as paid:
        totals = paid.totals("judge")
    return totals.booked, totals.calls


@pytest.mark.parametrize("fault", ["made and lost", "made and 504"])
def test_a_batch_that_was_made_unheard_is_found_and_paid_once(made: Path, fault: str) -> None:
    with Batches() as server:
        server.making, server.lists = [fault], False
        assert "not known" in batch(made, server, "submit", code=2)
        assert booked(made)[1] == 2, "what may have been taken stays booked"
        server.lists = True
        batch(made, server, "submit")
        assert len(server.made) == 2
        batch(made, server, "collect")
    assert {row.status for row in rows_of(made)} == {Status.SCORED}
    assert booked(made) == (pytest.approx(2 * COST), 2)


@pytest.mark.parametrize("fault", ["refused 400", "lost"])
def test_a_batch_that_was_never_made_costs_nothing(made: Path, fault: str) -> None:
    with Batches() as server:
        server.making = [fault]
        batch(made, server, "submit", code=2)
        batch(made, server, "submit")
        assert len(server.made) == 2
    assert booked(made)[1] == 2


def test_results_that_cannot_be_fetched_now_are_there_tomorrow(
    made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(policy, "pause_before", lambda attempt, first: 0.01)
    with Batches() as server:
        batch(made, server, "submit")
        assert "2 calls wait in a batch" in judge(made, server, code=1), "they are paid for"
        server.fetching = [503] * 5
        assert "HTTP 503" in batch(made, server, "collect")
        assert rows_of(made) == []
        assert server.chats == []
        batch(made, server, "collect")
    assert {row.status for row in rows_of(made)} == {Status.SCORED}


def test_what_failed_goes_into_a_batch_where_it_is_to_be_asked_again(made: Path) -> None:
    with Batches() as server:
        server.answer = lambda asked: error(400, "too many pictures")
        judge(made, server, code=1)
        assert "submit: 0 calls" in batch(made, server, "submit")
        judge(made, server, "--retry", "failed", "--batch", "submit")
        judge(made, server, "--retry", "failed", "--batch", "collect")
    assert {row.status for row in rows_of(made)} == {Status.SCORED}


def test_a_line_that_a_finished_batch_lost_stays_booked(made: Path) -> None:
    with Batches() as server:
        server.left_out, server.usage = 1, (1, 0)
        batch(made, server, "submit")
        before = booked(made)
        batch(made, server, "collect", code=1)
        assert booked(made) == (pytest.approx(before[0]), 2)
