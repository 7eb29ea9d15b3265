"""Calls: what they declare, the schema they ask for, and how an exchange becomes scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from editgauge.judging.calls import Call, ExchangeResult, strict, to_scores
from editgauge.types import Status

SC = {"success": (0, 10), "overediting": (0, 10)}


def viescore(**changes: Any) -> Call:
    """A call in the manner of VIEScore: two numbers in one list."""
    facts: dict[str, Any] = {
        "name": "SC",
        "parts": ("Look.",),
        "fields": SC,
        "metrics": {"success": "SC_success", "overediting": "SC_overediting"},
        "rubric": "0",
        "released": lambda reply: {},
        "lists": {"score": ("success", "overediting")},
    }
    return Call(**(facts | changes))


def values(reply: str, call: Call | None = None) -> list[int | None]:
    return [reading.value for reading in strict(call or viescore(), reply).values()]


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ('{"score": [7, 9], "reasoning": "fine"}', [7, 9]),
        ('{"reasoning": "fine", "score": ["7/10", 9.0]}', [7, 9]),
        ('```json\n{"score": [0, 10]}\n```', [0, 10]),
        ('{"result": {"score": [7, 9]}}', [7, 9]),
        ('{"success": 7, "overediting": 9}', [7, 9]),
        ('{"score": [7]}', [None, None]),
        ('{"score": [7, 9, 8]}', [None, None]),
        ('{"score": [7, 11]}', [7, None]),
        ('{"score": [7, 15]}', [None, None]),
        ('{"score": [[7, 9]]}', [None, None]),
        ('{"score": 7}', [None, None]),
        ('{"score": [7, 9], "score": [8, 9]}', [None, None]),
    ],
)
def test_each_number_of_a_list_goes_to_its_own_field(
    reply: str, expected: list[int | None]
) -> None:
    assert values(reply) == expected


def test_several_lists_have_several_keys() -> None:
    fields = {**SC, "naturalness": (0, 10), "artifacts": (0, 10)}
    call = viescore(
        fields=fields,
        metrics={name: name for name in fields},
        lists={"SC": ("success", "overediting"), "PQ": ("naturalness", "artifacts")},
    )
    assert values('{"SC": [7, 9], "PQ": [8, 6]}', call) == [7, 9, 8, 6]
    schema = call.schema()
    assert schema is not None
    assert list(schema["properties"]) == ["reasoning", "SC", "PQ"]
    assert schema["properties"]["SC"] == {
        "type": "array",
        "items": {"type": "integer", "minimum": 0, "maximum": 10},
        "minItems": 2,
        "maxItems": 2,
    }


def test_the_wrong_length_of_a_list_is_said() -> None:
    readings = strict(viescore(), '{"score": [7]}')
    assert "a list of 1" in readings["success"].reason


@pytest.mark.parametrize(
    "changes",
    [
        {"lists": {"score": ("success", "beauty")}},
        {"lists": {"score": ("success", "success")}},
        {"lists": {"success": ("overediting",)}},
        {"metrics": {"beauty": "beauty"}},
    ],
)
def test_a_declaration_that_contradicts_itself_is_refused(changes: Mapping[str, Any]) -> None:
    with pytest.raises(ValueError, match="call 'SC'"):
        viescore(**changes)


def test_scores_of_a_list_have_their_own_metrics() -> None:
    call = viescore(released=lambda reply: {"success": 7.0})
    heard = ExchangeResult(
        first='{"score": [7, 9]}', last='{"score": [7, 9]}', status=Status.SCORED
    )
    scores = {(score.metric, score.variant): score for score in to_scores(call, heard)}
    assert scores["SC_success", "corrected"].value == 7
    assert scores["SC_overediting", "corrected"].value == 9
    assert scores["SC_success", "faithful"].value == 7
    assert scores["SC_overediting", "faithful"].status is Status.UNPARSABLE


def test_a_reply_that_is_cut_off_is_no_verdict() -> None:
    call = viescore()
    reply = '{"score": [7, 9]}\n\nActually'
    heard = ExchangeResult(first=reply, last=reply, status=Status.SCORED, cut_off=True)
    for score in to_scores(call, heard):
        assert score.status is Status.UNPARSABLE
        assert score.value is None
    assert "cut off" in to_scores(call, heard)[0].reason


@pytest.mark.parametrize("answer", [float("nan"), float("inf"), "seven", 10**400])
def test_a_released_reader_that_fails_takes_no_score(answer: Any) -> None:
    """Whatever another package's reader gives or raises, the corrected score is kept."""
    call = viescore(released=lambda reply: {"success": answer})
    heard = ExchangeResult(
        first='{"score": [7, 9]}', last='{"score": [7, 9]}', status=Status.SCORED
    )
    corrected, faithful, *_ = to_scores(call, heard)
    assert corrected.value == 7
    assert faithful.status is Status.UNPARSABLE


def test_a_released_zero_is_for_failed_calls_only() -> None:
    """A picture that cannot be read was never asked about: the released files have no entry."""
    call = viescore(released=lambda reply: {"success": 0.0} if reply is None else {})
    for status, expected in ((Status.FAILED, 0), (Status.REFUSED, 0), (Status.UNREADABLE, None)):
        faithful = to_scores(
            call, ExchangeResult(first=None, last=None, status=status, reason="why")
        )[1]
        assert faithful.value == expected
