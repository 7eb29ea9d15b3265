"""A judge session from its options to rows and a summary, against a server that answers by script."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from tests.contract.server import Answer, Asked, Judge, chat, error, sensible, verdict
from tests.judging.commands import NAMES, command, judge, opened, rows_of

from editgauge.judging.estimate import of_session
from editgauge.store.run import Run
from editgauge.store.selection import random_order
from editgauge.types import Status

NOWHERE = "http://127.0.0.1:9/v1"


def test_settings_are_sent_and_are_part_of_the_judges_name(made: Path) -> None:
    one: dict[str, Any] = {"ids": ["replace-02"], "editor": ["copy"]}
    with Judge() as server:
        judge(made, server.url, **one)
        more = {"temperature": 0.5, "seed": 7, "max_tokens": 900, "reasoning_effort": "low"}
        judge(made, server.url, **one, set=[f"{name}={value}" for name, value in more.items()])
    plain, given = (asked.json for asked in server.chats)
    assert "seed" not in plain
    assert {name: given[name] for name in more} == more
    sources = sorted({row.source for row in rows_of(made)}, key=len)
    words = "+temperature=0.5,seed=7,max_tokens=900,reasoning_effort=low"
    assert sources[1] == sources[0] + words


def test_a_temperature_that_was_set_is_never_left_out(made: Path) -> None:
    """It would stand in the judge's name all the same."""
    refusal = error(400, "'temperature' does not support 0.5")
    with Judge(lambda asked: refusal if "temperature" in asked.json else sensible(asked)) as server:
        done = judge(made, server.url, set=["temperature=0.5"], ids=["replace-02"])
        assert {row.status for row in rows_of(made)} == {Status.FAILED}
        assert judge(made, server.url, ids=["replace-02"]).without_score == 0
    said = "\n".join(done.lines())
    assert "2 x judge, failed: HTTP 400: 'temperature' does not support 0.5" in said
    assert "asked again only when told: retry failed" in said


def test_what_is_asked_again_is_what_has_no_strict_score(made: Path) -> None:
    """The released parser reads no thinking: such a reply is not paid for once more."""
    one: dict[str, Any] = {"ids": ["replace-02"], "retry": "unparsable"}
    with Judge(lambda asked: chat('<think>{"a": 1}</think>' + verdict(asked))) as server:
        assert judge(made, server.url, **one).without_score == 0
        assert Status.UNPARSABLE in {row.status for row in rows_of(made)}
        assert judge(made, server.url, **one).facts["requests"] == 0


@pytest.mark.parametrize(("retry", "calls"), [("", 0), ("unparsable", 2)])
def test_an_estimate_counts_what_would_be_asked_again(made: Path, retry: str, calls: int) -> None:
    one: dict[str, Any] = {"ids": ["replace-02"], "retry": retry}
    with Judge(lambda asked: chat("I like it very much.")) as server:
        judge(made, server.url, **one)
        with opened(made, server.url, looking=True, **one) as session:
            assert of_session(session).calls["total"]["calls"] == calls


def test_what_no_price_is_known_of_is_said_and_a_bill_counts_without_one(made: Path) -> None:
    with Judge() as server:
        done = judge(made, server.url, ids=["replace-02"])
        assert "costs not counted" in "".join(done.lines())
        assert "2 requests to judges had no price" in command("costs", str(made)).stdout
        server.answer = billed
        done = judge(made, server.url, ids=["replace-02"], repeat=2)
    assert ", 0.0200 US dollars" in "".join(done.lines())


def billed(asked: Asked) -> Answer:
    answer = sensible(asked)
    answer.body["usage"]["cost"] = 0.01
    return answer


def test_samples_go_one_after_the_other_over_all_editors_in_a_drawn_order(made: Path) -> None:
    with opened(made, NOWHERE, looking=True) as session:
        jobs = session.jobs(looking=True)
        order = dict.fromkeys((job.about["sample"], job.about["editor"]) for job in jobs)
    samples = sorted(NAMES, key=random_order)
    assert samples != sorted(NAMES)
    assert [*order] == [(one, editor) for one in samples for editor in ("copy", "reference")]


def test_a_limit_takes_the_first_of_that_order_that_have_outputs(made: Path) -> None:
    for record in Run.open(made).edits("mini"):
        if record.sample == min(NAMES, key=random_order):
            (made / str(record.path)).unlink()
    with opened(made, NOWHERE, limit=2, looking=True) as session:
        chosen = {sample.id for sample in session.samples}
    assert chosen == set(sorted(NAMES, key=random_order)[1:3])
    with opened(made, NOWHERE, first=2, looking=True) as session:
        assert len(session.samples) == 2


def test_a_budget_says_what_it_pays_for_and_ends_as_a_comparison(made: Path) -> None:
    with opened(made, NOWHERE, looking=True, budget=0.05, price="1/10") as session:
        found = of_session(session)
    assert re.search(r"about \d of 5 samples left, each for all 2 editors", found.bought)
    assert found.calls["total"]["calls"] > 0
    with Judge(lambda asked: chat(verdict(asked), seconds=0.02)) as server:
        assert judge(made, server.url, budget=0.05, price="1/10").facts["over_budget"]
    with opened(made, NOWHERE, looking=True, budget=0.05, price="1/10") as session:
        assert "(0.05 of" not in of_session(session).bought, "what is booked is spent"
    judged: dict[str, dict[str, set[str]]] = {}
    for row in rows_of(made):
        judged.setdefault(row.sample, {"copy": set(), "reference": set()})
        judged[row.sample][row.editor].add(row.metric)
    assert sum(one["copy"] != one["reference"] for one in judged.values()) <= 1, "where it ended"


def test_what_is_missing_has_the_source_of_what_was_judged_also_by_an_alias(made: Path) -> None:
    first = min(NAMES, key=random_order)
    for record in Run.open(made).edits("mini"):
        if record.sample == first:
            (made / str(record.path)).unlink()
    with Judge() as server:
        judge(made, server.url, model="gpt-4o")
    assert first in {row.sample for row in rows_of(made)}
    assert len({row.source for row in rows_of(made)}) == 1
