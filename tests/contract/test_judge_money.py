"""What judging costs: a call is booked before it is sent, a budget is a bound, and what was answered
is never paid for twice, whatever happens in between.
"""

from __future__ import annotations

import json
import signal
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.contract.faults import copy_of
from tests.contract.server import (
    ENV,
    KEY,
    MODEL,
    USAGE,
    Answer,
    Asked,
    Batches,
    Judge,
    chat,
    error,
    filled,
    sensible,
    verdict,
)
from tests.contract.support import cli, process, rows_of, same_rows

NAMES = ("replace-01", "replace-02", "replace-03", "replace-06")
SAMPLES = [word for name in NAMES for word in ("--sample", name)]
CALLS = 2 * (4 + 1 + 3 + 5)
"""Of both editors: TextEditBench's dimensions, TextEdit's one, KRIS-Bench's three, and SE too."""
PRICE = "1/10"
"""US dollars for a million tokens in and out."""
BILL = (USAGE[0] * 1 + USAGE[1] * 10) / 1e6
"""US dollars of a reply."""


@pytest.fixture(scope="module")
def untouched(edited_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same run, judged by `sensible` without any trouble."""
    run = copy_of(edited_run, tmp_path_factory.mktemp("untouched") / "run")
    with Judge() as server:
        cli(*words(run, server), env=ENV)
        assert len(server.chats) == CALLS
    return run


def words(run: Path, server: Judge, *more: Any) -> tuple[Any, ...]:
    return "judge", "mini", "--run", run, *SAMPLES, *server.words, *more


def alone(run: Path, server: Judge) -> tuple[Any, ...]:
    """The command for one output, which takes one call."""
    one = ("--sample", "replace-02", "--editor", "copy", "--price", PRICE)
    return "judge", "mini", "--run", run, *server.words, *one


def costs(run: Path) -> dict[str, float]:
    """US dollars of judging: ``booked``, and ``billed`` of it."""
    (total,) = [t for t in cli("costs", run, "--json").json["totals"] if t["purpose"] == "judge"]
    return {name: total[name] for name in ("booked", "billed")}


def scores(run: Path) -> list[tuple[Any, ...]]:
    """Every score, whatever was paid for it."""
    names = ("sample", "editor", "metric", "variant", "value", "status")
    return [tuple(row[name] for name in names) for row in rows_of(run)]


def eventually(condition: Any) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


# -- nothing twice ---------------------------------------------------------------------------------


def interruptible() -> None:
    """Ctrl-C is heard, whoever started the tests (a shell's background jobs do not hear it)."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize("kill", [signal.SIGKILL, signal.SIGINT])
def test_a_stop_at_any_moment_and_a_second_start_pay_nothing_twice(
    kill: signal.Signals, run: Path, untouched: Path
) -> None:
    at_once, stopped = 2, threading.Event()

    def answer(asked: Asked) -> Answer:
        if len(server.chats) >= CALLS // 2:  # however slow the machine is, calls are left
            stopped.wait(60)
        return chat(verdict(asked), seconds=0.05)

    with Judge(answer) as server:
        child = process(
            *words(run, server, "--set", f"concurrency={at_once}"),
            env=ENV,
            preexec_fn=interruptible,
        )
        eventually(lambda: len(server.chats) >= CALLS // 2)
        child.send_signal(kill)
        time.sleep(0.2)
        stopped.set()
        child.communicate(timeout=60)
        assert child.returncode == (130 if kill is signal.SIGINT else -9)
        cli(*words(run, server), env=ENV)
        bodies = Counter(one.body for one in server.chats)
    assert len(bodies) == CALLS
    twice = sum(bodies.values()) - CALLS
    assert twice <= (at_once if kill is signal.SIGKILL else 0)
    same_rows(run, untouched)


def test_a_second_start_runs_that_share_a_store_of_replies_and_offline_ones_pay_nothing(
    run: Path, untouched: Path, tmp_path: Path
) -> None:
    other, offline = (copy_of(run, tmp_path / name) for name in ("other", "offline"))
    store = ("--replies", tmp_path / "replies.sqlite")
    with Judge() as server:
        for one in (run, other):
            cli(*words(one, server, *store), env=ENV)
        assert cli(*words(run, server, "--json"), env=ENV).json["rows_made"] == 0
    assert len(server.chats) == CALLS
    cli(*words(offline, server, *store, "--offline"))
    for one in (run, other, offline):
        same_rows(one, untouched)


# -- the ledger ------------------------------------------------------------------------------------


def test_what_is_booked_is_what_was_billed_where_all_is_well(run: Path) -> None:
    with Judge() as server:
        done = cli(*words(run, server, "--price", PRICE, "--json"), env=ENV)
    assert costs(run) == pytest.approx({"booked": CALLS * BILL, "billed": CALLS * BILL})
    assert done.json["dollars"] == pytest.approx(CALLS * BILL)


def test_a_call_is_booked_before_it_is_sent_and_stays_booked_when_it_is_killed(run: Path) -> None:
    def reply(asked: Asked) -> Answer:
        eventually(lambda: gone)
        return chat(verdict(asked))

    gone: list[bool] = []
    with Judge(reply) as server:
        more = ("--set", "concurrency=1", "--price", PRICE, "--budget", 1)
        child = process(*words(run, server, *more), env=ENV)
        try:
            eventually(lambda: server.chats)
            under_way = costs(run)
        finally:
            child.kill()
            child.communicate()
            gone.append(True)
        assert under_way["booked"] >= BILL
        assert under_way["billed"] == 0
        assert costs(run)["booked"] >= BILL
        assert len(server.chats) == 1
    cli("costs", run, "--settle", "0.25")  # what the provider says
    assert costs(run)["booked"] == pytest.approx(0.25)


def test_a_budget_stops_with_exit_code_3_and_is_never_passed(run: Path, untouched: Path) -> None:
    budget = 0.02
    with Judge() as server:
        limited = words(run, server, "--price", PRICE, "--budget", budget)
        for _ in range(2):
            cli(*limited, env=ENV, expect=3)
            assert 0 < len(server.chats) * BILL <= budget
            assert costs(run)["booked"] <= budget
        cli(*words(run, server, "--price", PRICE, "--budget", 5), env=ENV)
        assert len(server.chats) == CALLS
    assert scores(run) == scores(untouched)


def test_a_service_that_bills_ten_times_its_estimate_stops_at_the_budget(run: Path) -> None:
    bill = (USAGE[0], 10_000)
    dollars, budget = (bill[0] * 1 + bill[1] * 10) / 1e6, 0.35
    with Judge(lambda asked: chat(verdict(asked), usage=bill)) as server:
        more = ("--price", PRICE, "--budget", budget, "--set", "max_tokens=1000")
        cli(*words(run, server, *more), env=ENV, expect=3)
        assert 0 < len(server.chats) * dollars <= budget + dollars
    assert costs(run)["booked"] >= len(server.chats) * dollars * 0.99


def test_a_budget_lets_judges_that_think_work_at_once(run: Path) -> None:
    """Each call may cost 0.16 US dollars (16,384 tokens), and bills 0.011."""
    wanted, together = 8, threading.Event()
    under_way = Counter[str]()

    def reply(asked: Asked) -> Answer:
        if asked.number:
            under_way["calls"] += 1
            if under_way["calls"] >= wanted:
                together.set()
            together.wait(2)
            under_way["calls"] -= 1
        return chat(verdict(asked), usage=(1000, 1000))

    with Judge(reply) as server:
        more = ("--price", PRICE, "--budget", 5, "--set", "max_tokens=16384")
        cli(*words(run, server, *more), env=ENV)
    assert together.is_set()


def billed(run: Path, **usage: float) -> tuple[dict[str, float], str]:
    """The costs of one output where each reply has this usage, and what was said."""

    def reply(asked: Asked) -> Answer:
        told = sensible(asked)
        told.body["usage"] |= usage
        return told

    with Judge(reply) as server:
        done = cli(*alone(run, server), env=ENV)
    return costs(run), done.text


def test_a_services_own_bill_counts_where_it_is_higher(run: Path) -> None:
    assert billed(run, cost=0.5)[0] == pytest.approx({"booked": 0.5, "billed": 0.5})


def test_a_bill_that_cannot_be_is_not_believed_and_the_most_stays_booked(run: Path) -> None:
    told, said = billed(run, prompt_tokens=1, total_tokens=51)
    assert told["booked"] > BILL
    assert told["billed"] == 0
    assert "cannot be used" in said


@pytest.mark.parametrize("price", [(), ("--price", "0/0")])
def test_a_budget_without_a_price_is_refused_before_anything_is_sent(
    run: Path, price: tuple[str, ...]
) -> None:
    with Judge() as server:
        done = cli(*words(run, server, "--budget", 1, *price), env=ENV, expect=2)
    assert len(server.chats) == 0
    assert "--price" in done.err


def test_estimate_sends_nothing_and_a_local_server_has_no_price_of_a_providers_model(
    run: Path,
) -> None:
    with Judge() as server:
        asked = words(run, server, "--estimate", "--json")
        priced = cli(*asked, "--price", PRICE, env=ENV).json["calls"]["total"]
        named = cli(*asked, "--model", "gpt-4o-2024-11-20", env=ENV).json["calls"]["total"]
        assert server.asked == []
    assert (priced["calls"], named["dollars"]) == (CALLS, None)
    assert priced["dollars"] > 0


# -- a server in trouble ---------------------------------------------------------------------------

TROUBLE = {
    "too fast": lambda asked: error(429, "slow down", **{"Retry-After": "0.02"}),
    "down": lambda asked: error(500, "internal"),
    "overloaded": lambda asked: error(503, "later"),
    "cut off": lambda asked: Answer(chat(verdict(asked)).body, cut=True),
    "a page": lambda asked: Answer(b"<html>Score: 5/5</html>", kind="text/html"),
    "half a reply": lambda asked: Answer(b'{"choices": [{"message": {"content": "'),
    "no choices": lambda asked: Answer({"choices": []}),
}


def first_in_trouble(kind: str) -> Any:
    """Every request meets the trouble once."""
    seen: set[bytes] = set()

    def reply(asked: Asked) -> Answer:
        known = asked.body in seen
        seen.add(asked.body)
        return sensible(asked) if known else TROUBLE[kind](asked)

    return reply


@pytest.mark.parametrize("kind", TROUBLE)
def test_a_server_in_trouble_is_asked_again_and_gives_the_same_scores(
    kind: str, run: Path, untouched: Path
) -> None:
    with Judge(first_in_trouble(kind)) as server:
        cli(*alone(run, server), env=ENV)
        assert len(server.chats) == 2
    assert scores(run) == [one for one in scores(untouched) if one[:2] == ("replace-02", "copy")]
    assert costs(run)["billed"] == pytest.approx(BILL)
    if kind in ("too fast", "down"):  # an error of the server is free
        assert costs(run)["booked"] == pytest.approx(BILL)


@pytest.mark.parametrize(
    "reply",
    [
        lambda asked: error(401, f"bad key {KEY}", "invalid_api_key"),
        lambda asked: error(429, "you have run out", "insufficient_quota"),
    ],
    ids=["a wrong key", "a quota that is used up"],
)
def test_an_account_that_is_refused_stops_the_command_and_fails_no_model(
    reply: Any, run: Path
) -> None:
    with Judge(reply) as server:
        done = cli(*words(run, server, "--set", "concurrency=1"), env=ENV, expect=2)
    assert len(server.chats) <= 2
    assert KEY not in done.text
    assert [row for row in rows_of(run) if row["scorer"] == "judge"] == []


def test_another_model_that_answers_stops_the_command(run: Path, untouched: Path) -> None:
    def reply(asked: Asked) -> Answer:
        model, number = ("another", 5) if asked.number > 4 else (MODEL, 3)
        return chat(verdict(asked, number), model=model)

    with Judge(reply) as server:
        done = cli(*words(run, server, "--set", "concurrency=1"), env=ENV, expect=None)
    assert done.code not in (0, 1)
    assert "another" in done.text
    assert len(server.chats) < CALLS
    with Judge() as server:
        cli(*words(run, server), env=ENV)
    assert scores(run) == scores(untouched), "no number is another judge's"


def test_a_model_without_a_date_is_warned_of(run: Path) -> None:
    done = cli("judge", "--estimate", "mini", "--run", run, "--model", "gpt-4o")
    assert "gpt-4o is an alias" in done.text


# -- several judges --------------------------------------------------------------------------------

JUDGES = ("first-2026-01-01", "second-2026-01-01", "third-2026-01-01")


def test_several_judges_share_one_budget_by_samples(run: Path, untouched: Path) -> None:
    """Wherever the budget ends, each judge has judged the same samples, but for the last one."""
    by_name = [word for name in JUDGES for word in ("--model", name)]

    def reply(asked: Asked) -> Answer:
        return chat(verdict(asked), model=asked.json["model"])

    with Judge(reply) as server:
        command = ("judge", "mini", "--run", run, *SAMPLES, *by_name, "--base-url", server.url)
        command = (*command, "--set", "concurrency=2", "--price", PRICE)
        estimated = cli(*command, "--estimate", "--json", env=ENV).json["judges"]
        assert [one["calls"]["total"]["calls"] for one in estimated.values()] == [CALLS] * 3
        budget = 0.09
        done = cli(*command, "--budget", budget, "--json", env=ENV, expect=3)
        counts = Counter(one.json["model"] for one in server.chats)
        assert costs(run)["booked"] <= budget
        assert sum(counts.values()) < 3 * CALLS
        largest = 2 * 5  # the calls about one sample
        in_flight = 2 * len(JUDGES)
        assert max(counts.values()) - min(counts[name] for name in JUDGES) <= largest + in_flight
        assert min(counts[name] for name in JUDGES) > 0
        for facts in done.json["judges"]:
            name = facts["judge"].partition("#")[0]
            assert facts["dollars"] == pytest.approx(counts[name] * BILL)
        cli(*command, "--budget", 5, env=ENV)
        assert Counter(one.json["model"] for one in server.chats) == dict.fromkeys(JUDGES, CALLS)
    assert scores(run) == [one for one in scores(untouched) for _ in JUDGES]


def test_each_of_several_judges_has_its_own_price(run: Path) -> None:
    words = ("judge", "mini", "--run", run, *SAMPLES, "--model", "a", "--model", "b", "--estimate")
    told = cli(*words, "--price", "a=1/10,b=2/20", "--json").json["judges"]
    dollars = [told[name]["calls"]["total"]["dollars"] for name in "ab"]
    assert dollars[1] == pytest.approx(2 * dollars[0])
    assert "c is none" in cli(*words, "--price", "c=1/10", expect=2).err
    assert "twice" in cli(*words, "--model", "a", expect=2).err


# -- batches ---------------------------------------------------------------------------------------


def test_a_batch_gives_the_same_scores_and_is_sent_once(run: Path, untouched: Path) -> None:
    with Batches() as server:
        batch = words(run, server, "--price", PRICE)
        cli(*batch, "--batch", "submit", env=ENV)
        assert costs(run)["booked"] > 0, "booked while it waits"
        cli(*batch, "--batch", "submit", env=ENV, expect=None)
        assert len(server.batches) == 1
        cli(*batch, "--batch", "collect", env=ENV)
        cli(*batch, "--batch", "collect", env=ENV, expect=None)
        cli(*words(run, server), env=ENV)
    assert len(server.chats) == 0
    assert len(server.made) == CALLS
    assert scores(run) == scores(untouched)


# -- servers that do not take everything -----------------------------------------------------------


def refuses(body: dict[str, Any], *wanted: str) -> Answer | None:
    """The first refusal of a server that lacks `wanted`, as OpenAI words it; None where it takes
    the request.
    """
    if "routed" in wanted and (refusal := refuses(body, *set(wanted) - {"routed"})):
        raw = {"raw": json.dumps(refusal.body), "provider_name": "OpenAI"}
        told = {"message": "Provider returned error", "code": 400, "metadata": raw}
        return Answer({"error": told}, status=400)
    if "max_tokens" in wanted and "max_tokens" in body:
        return error(
            400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
        )
    if "temperature" in wanted and "temperature" in body:
        return error(400, "Unsupported value: 'temperature' does not support 0.0 with this model.")
    if "response_format" in wanted and "response_format" in body:
        return error(400, "Invalid parameter: 'response_format' is not supported with this model.")
    return None


@pytest.mark.parametrize(
    ("lacks", "refused"),
    [
        (("max_tokens", "temperature"), 2),
        (("max_tokens", "temperature", "routed"), 2),
        (("max_tokens", "temperature", "response_format"), 4),
        ((), 0),
    ],
    ids=["as gpt-5", "as gpt-5 behind a router", "as o1-mini", "takes all"],
)
def test_the_first_refusal_teaches_all_that_wait(
    lacks: tuple[str, ...], refused: int, run: Path
) -> None:
    """One request is refused for each thing that the server lacks (a schema: for each form in
    which it could go), however many calls wait.
    """

    def reply(asked: Asked) -> Answer:
        schema = asked.json.get("guided_json")
        words = verdict(asked) if schema is None else json.dumps(filled(schema, 3))
        return refuses(asked.json, *lacks) or chat(words, seconds=0.05)

    with Judge(reply) as server:
        done = cli(*words(run, server), env=ENV)
        assert len(server.chats) == CALLS + refused
        told = [line for line in done.text.splitlines() if "takes no" in line]
        assert len(told) == ("temperature" in lacks)
        again = cli(*words(run, server, "--repeat", 2), env=ENV)
        assert len(server.chats) == 2 * CALLS + refused, "the next command begins with it"
        assert "times before" not in again.text
    if lacks:
        assert "temperature" in told[0]
        assert "cost nothing" in told[0]


def test_a_table_says_that_a_judge_took_no_temperature(run: Path) -> None:
    with Judge(lambda asked: refuses(asked.json, "temperature") or sensible(asked)) as server:
        cli(*words(run, server), env=ENV)
    shown = cli("table", run).text
    assert "its own temperature, where the protocol declares 0" in " ".join(shown.split())


def test_a_table_is_silent_about_a_temperature_that_was_taken(untouched: Path) -> None:
    assert "own temperature" not in cli("table", untouched).text


def test_a_batch_asks_as_the_server_taught_in_the_one_before(run: Path, untouched: Path) -> None:
    class Strict(Batches):
        """Refuses lines with a temperature, or with max_tokens."""

        def line(self, line: dict[str, Any]) -> bytes:
            refusal = refuses(line["body"], "max_tokens", "temperature")
            if refusal is None:
                return super().line(line)
            response = {"status_code": 400, "body": refusal.body}
            return json.dumps({"custom_id": line["custom_id"], "response": response}).encode()

    with Strict() as server:
        batch = words(run, server, "--price", PRICE)
        for _ in range(2):
            cli(*batch, "--batch", "submit", env=ENV)
            done = cli(*batch, "--batch", "collect", env=ENV, expect=1)
            assert "refused for how the batch asked" in done.text
        cli(*batch, "--batch", "submit", env=ENV)
        cli(*batch, "--batch", "collect", env=ENV)
        assert costs(run)["booked"] == pytest.approx(CALLS * BILL / 2), "a refusal is free"
        assert 2 * CALLS < len(server.made) < 3 * CALLS, "none is sent again that was taken"
        assert server.chats == []
    assert scores(run) == scores(untouched)


def test_the_first_batch_of_a_model_that_is_known_to_think_is_taken(run: Path) -> None:
    """OpenAI's gpt-5 takes neither max_tokens nor a temperature."""
    with Batches() as server:
        more = ("--model", "gpt-5-2025-08-07", "--base-url", server.url, "--batch", "submit")
        cli("judge", "mini", "--run", run, *SAMPLES, *more, env=ENV)
        bodies = [json.loads(line)["body"] for line in server.files["f0"]]
    fields = set[str]().union(*bodies)
    assert not fields & {"max_tokens", "temperature"}
    assert "max_completion_tokens" in fields
