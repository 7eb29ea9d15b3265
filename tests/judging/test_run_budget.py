"""A budget is a bound, whatever a server bills and says: a server with a true bill of its own."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import time
from functools import partial
from pathlib import Path

import pytest
from tests.judging.billing_server import BEHAVIOURS, PRICE, BillingServer
from tests.judging.conftest import Bench
from tests.judging.test_run import SAMPLES, _environment, _words, command

from editgauge.errors import RunError
from editgauge.services.ledger import FILE, Ledger
from editgauge.services.prices import Price
from editgauge.services.statement import forget_ratios, settle
from editgauge.testing import FaultServer
from editgauge.types import Status

PRICED = Price(input=PRICE[0], output=PRICE[1], images="gemini-flat")
BUDGET = 0.1


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
def test_no_behaviour_passes_the_budget(bench: Bench, behaviour: str) -> None:
    """Three commands in a row, eight calls at once, each with a reply store of its own: the true
    bill stays within the budget and one call's price. An honest server's budget is used to nine
    tenths.
    """
    with BillingServer(behaviour) as server:
        for number in range(3):
            with contextlib.suppress(RunError):  # five cut-offs in a row stop a run with advice
                bench.ask(
                    server,  # type: ignore[arg-type]
                    14,
                    price=PRICED,
                    budget=BUDGET,
                    concurrency=8,
                    timeout=0.4 if behaviour == "late" else 5.0,
                    store=f"replies-{number}.sqlite",
                    ledger=FILE,
                )
            assert server.bill <= BUDGET + server.dearest
        if behaviour == "honest":
            assert server.bill > 0.9 * BUDGET
        assert server.requests > 2
    with Ledger(bench.folder / FILE) as book:
        assert book.spent <= BUDGET + server.dearest
        if behaviour not in ("dear", "suddenly dear"):
            assert book.spent >= server.bill - 1e-9, "what was sent is booked"


def test_an_honest_bill_is_booked_to_the_cent(bench: Bench) -> None:
    with BillingServer("honest") as server:
        bench.ask(server, 5, price=PRICED, ledger=FILE)  # type: ignore[arg-type]
        assert bench.engine is not None
        assert bench.engine.stats.spent == pytest.approx(server.bill)
        assert bench.engine.stats.unbilled == pytest.approx(0.0)
    with Ledger(bench.folder / FILE) as book:
        assert (book.spent, book.requests) == (pytest.approx(server.bill), 5)
        assert book.billed == pytest.approx(server.bill)


def test_a_run_that_a_dear_bill_blocks_goes_on_once_it_is_settled(bench: Bench) -> None:
    """A bill of fifty times its estimate, and calls that were killed beside it: nothing fits into
    the budget any more, until the user says what the provider asks for.
    """
    path = bench.folder / FILE
    with Ledger(path, budget=9.0) as killed:
        first, *_ = [killed.reserve(0.001, "scripted") for _ in range(3)]
        assert first is not None
        killed.bill(first, 0.05)
        assert killed.spent > BUDGET
    with BillingServer("honest") as server:
        ask = partial(bench.ask, server, 2, price=PRICED, budget=BUDGET, ledger=FILE)
        ask()
        assert bench.engine is not None
        assert "`editgauge costs RUN` settles them" in bench.engine.broke
        assert "50.0 times its estimate" in bench.engine.broke
        assert "--forget-ratio" in bench.engine.broke
        assert server.requests == 0
        bench.engine.ledger.close()  # as the end of a command does
        settle(path, 0.0)
        forget_ratios(path)
        assert all(one.status is Status.SCORED for one in ask())
        assert server.bill <= BUDGET
    assert bench.engine.ledger.spent == pytest.approx(0.05 + server.bill)


def test_many_connections_wait_for_reservations(bench: Bench) -> None:
    """At 64 connections the reservations of calls in flight fill the budget at once; they come
    back, and the run goes on instead of stopping at a half.
    """
    with BillingServer("honest", tokens_in=1000) as server:
        real = server.behave

        def short(handler, tokens_out, tokens_in):  # type: ignore[no-untyped-def]
            server.bill -= (tokens_out - 40) * PRICE[1] / 1e6
            real(handler, 40, tokens_in)

        server.behave = short  # type: ignore[method-assign]
        jobs = bench.jobs(10, repeats=6)
        bench.ask(server, jobs=jobs, price=PRICED, budget=0.1, concurrency=64)  # type: ignore[arg-type]
        assert bench.engine is not None
        assert bench.complete, bench.engine.broke
        assert server.requests == 60
        assert server.bill == pytest.approx(60 * 0.0014)


def test_a_killed_command_has_spent_what_it_sent(made: Path) -> None:
    """kill -9 while eight calls are under way, twice, then a command to its end."""
    words = (
        "judge", "mini", "--run", str(made), *SAMPLES, "--price", f"{PRICE[0]}/{PRICE[1]}",
        "--budget", "0.12", "--concurrency", "8",
    )  # fmt: skip
    with BillingServer("honest", latency=0.4) as server:
        for goal in (5, 12):
            process = subprocess.Popen(
                _words(words, server.url),
                env=_environment(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            deadline = time.monotonic() + 60
            while server.requests < goal and process.poll() is None:
                assert time.monotonic() < deadline
                time.sleep(0.01)
            process.send_signal(signal.SIGKILL)
            process.wait()
        server.latency = 0.0
        done = command(*words, url=server.url, code=3)
        assert "budget" in done.stdout
        assert server.bill <= 0.12 + server.dearest
        with Ledger(made / FILE, purpose="judge") as book:
            assert book.spent >= server.bill - 1e-9


@pytest.mark.parametrize("model", ["unpriced", "qwen2.5-vl-7b-instruct"])
def test_a_budget_without_a_price_is_an_error(made: Path, model: str) -> None:
    done = command(
        "judge", "mini", "--run", str(made), "--budget", "1", "--model", model,
        "--base-url", "http://127.0.0.1:9/v1", code=2,
    )  # fmt: skip
    assert "--price IN/OUT" in done.stderr


def test_a_batch_obeys_the_budget(made: Path) -> None:
    """What fits is submitted and stays booked until it is collected; the rest is left out. A batch
    cannot be called back: while few bills are known, so little goes that four times it would fit.
    """
    words = ("judge", "batch", "mini", "--run", str(made), *SAMPLES, "--price", "1/10", "--what")
    with FaultServer() as server:
        done = command(*words, "submit", "--budget", "0.09", url=server.url, code=3)
        assert "--budget" in done.stdout
        with Ledger(made / FILE, purpose="judge") as book:
            booked, calls = book.spent, book.requests
        assert 0 < booked <= 0.09
        assert calls > 1
        assert 4 * booked <= 0.09
        assert "collect it, then submit the rest" in done.stdout
        command(*words, "collect", "--budget", "0.09", url=server.url, code=1)
        with Ledger(made / FILE, purpose="judge") as book:
            assert book.spent == pytest.approx(calls * 0.0015 / 2)
