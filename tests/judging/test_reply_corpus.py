"""Realistic replies: read without a second call, none wrong, low verdicts as often as high ones."""

from __future__ import annotations

import pytest
from tests.judging.reply_corpus import CALLS, READ, UNCLEAR, Written

from editgauge.judging.reading import read
from editgauge.types import Status


def values_of(name: str, text: str) -> tuple[int | None, ...]:
    readings = read(CALLS[name], text).readings
    return tuple(readings[field].value for field in CALLS[name].fields)


def share_read(replies: list[Written]) -> float:
    values = [values_of(reply.call, reply.text) for reply in replies]
    return sum(None not in numbers for numbers in values) / len(values)


@pytest.mark.parametrize("reply", READ, ids=str)
def test_no_realistic_reply_is_read_wrong(reply: Written) -> None:
    values = values_of(reply.call, reply.text)
    assert values == reply.values or set(values) == {None}


def test_realistic_replies_are_read_without_a_second_call() -> None:
    assert len(READ) >= 60
    assert share_read(READ) >= 0.95


def test_low_verdicts_are_read_as_often_as_high_ones() -> None:
    def height(reply: Written) -> float:
        scales = CALLS[reply.call].fields.values()
        shares = [
            (value - scale.low) / (scale.high - scale.low)
            for value, scale in zip(reply.values, scales, strict=True)
        ]
        return sum(shares) / len(shares)

    low = [reply for reply in READ if height(reply) < 0.5]
    high = [reply for reply in READ if height(reply) >= 0.5]
    assert min(len(low), len(high)) >= 30
    assert abs(share_read(low) - share_read(high)) < 0.05


@pytest.mark.parametrize(("name", "text"), UNCLEAR)
def test_a_reply_that_says_no_one_verdict_is_unparsable(name: str, text: str) -> None:
    verdict = read(CALLS[name], text)
    assert {reading.status for reading in verdict.readings.values()} == {Status.UNPARSABLE}
    assert set(values_of(name, text)) == {None}
    assert verdict.problem
    assert all(reading.reason for reading in verdict.readings.values())


def test_what_was_read_in_spite_of_its_form_is_remarked() -> None:
    reply = '{"rationale": "Good.", "IF": 4}'
    assert read(CALLS["one"], reply).remark == ""
    behind = read(CALLS["one"], f"{reply}\nI hope this helps!")
    assert "text stands behind" in behind.remark
    assert behind.problem == ""


@pytest.mark.parametrize("text", ['{"a": "', "{'a", '{"IF": 4, ', "IF: 4\n", '"{', "{a:", "[" * 9])
def test_a_long_reply_that_repeats_itself_comes_to_an_end(text: str) -> None:
    """Where the time grew with the square of the length, this would take hours."""
    verdict = read(CALLS["one"], text * (900_000 // len(text)))
    assert verdict.readings["IF"].value is None
