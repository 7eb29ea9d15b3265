"""What an answer means: one table for judges and editors."""

from __future__ import annotations

import json
from typing import Any

import pytest

from editgauge.services.http import Response
from editgauge.services.paid import failed
from editgauge.services.policy import LONGEST_WAIT, advice, error_of, meaning, retry_after
from editgauge.services.secrets import Secrets

PER_DAY, PER_MINUTE = (
    {"details": [{"violations": [{"quotaId": f"GenerateRequestsPer{time}"}]}]}
    for time in ("DayPerProject", "Minute")
)
BUSY = [
    {"message": "Limit reached: tokens per min (TPM)"},
    {"message": "You exceeded your current quota, check your plan"},
    PER_MINUTE,
]
SPENT = [
    {"code": "insufficient_quota"},
    {"code": "project_spend_limit_exceeded"},
    {"message": "Rate limit reached: requests per day (RPD)"},
    PER_DAY,
]


@pytest.mark.parametrize(
    ("status", "error", "kind", "lost"),
    [
        (429, {}, "busy", False),
        *((429, error, "busy", False) for error in BUSY),
        *((429, error, "stop", False) for error in SPENT),
        (500, {}, "again", False),
        (504, {}, "again", True),
        (401, {}, "stop", False),
        (302, {}, "stop", False),
        (404, {}, "stop", False),
        (400, {}, "bad", False),
        (413, {}, "bad", False),
        (400, {"code": "content_filter"}, "refused", False),
        (503, {}, "again", False),
    ],
)
def test_meanings(status: int, error: dict[str, Any], kind: str, lost: bool) -> None:
    assert meaning(status, {}, error) == (kind, lost)


@pytest.mark.parametrize(
    ("headers", "error", "wanted"),
    [
        ({}, {}, None),
        ({"retry-after": "7"}, {}, 7.0),
        ({"retry-after": "-3"}, {}, 0.0),
        ({"retry-after": "1e12"}, {}, LONGEST_WAIT),
        ({"retry-after": "soon"}, {}, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, {}, 0.0),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 " + "1" * 300}, {}, None),
        ({}, {"details": [{"x": 1}, {"retryDelay": "17s"}]}, 17.0),
        ({}, {"details": [{"retryDelay": "17 minutes"}]}, None),
        ({"retry-after": "soon"}, {"details": [{"retryDelay": "1.5s"}]}, 1.5),
    ],
)
def test_how_long_a_server_asks_to_wait(
    headers: dict[str, str], error: dict[str, Any], wanted: float | None
) -> None:
    assert retry_after(headers, error) == wanted


INNER = {"message": "Unsupported parameter: 'max_tokens'", "code": "unsupported_parameter"}


def routed(raw: Any) -> dict[str, Any]:
    """An error as OpenRouter gives it."""
    metadata = {"raw": raw, "provider_name": "OpenAI"}
    return {"error": {"message": "Provider returned error", "code": 400, "metadata": metadata}}


@pytest.mark.parametrize(
    "body",
    [
        routed(json.dumps({"error": INNER})),
        routed({"error": INNER}),
        routed(json.dumps([{"error": INNER}])),
        routed(INNER["message"]),
        routed(json.dumps(routed(json.dumps({"error": INNER})))),
        {"error": {"message": json.dumps({"error": INNER})}},
        {"error": {"message": "Bad request", "innererror": INNER}},
    ],
)
def test_the_error_inside_an_error_is_read(body: Any) -> None:
    outcome = failed(Response(400, {}, json.dumps(body).encode()), Secrets())
    assert "Unsupported parameter: 'max_tokens'" in outcome.reason
    assert "{" not in outcome.reason


@pytest.mark.parametrize(
    ("status", "inner", "kind"),
    [
        (400, {"message": "no", "code": "content_filter"}, "refused"),
        (429, {"message": "no", "code": "insufficient_quota"}, "stop"),
        (429, {"message": "slow down", "code": "rate_limit"}, "busy"),
    ],
)
def test_the_code_inside_an_error_counts(status: int, inner: dict[str, str], kind: str) -> None:
    error = error_of(routed(json.dumps({"error": inner})))
    assert meaning(status, {}, error).kind == kind


def test_a_routers_own_filter_is_a_refusal() -> None:
    metadata = {"reasons": ["violence"], "flagged_input": "a knife"}
    error = error_of({"error": {"code": 403, "message": "flagged", "metadata": metadata}})
    assert meaning(403, {}, error).kind == "refused"


def test_the_pause_that_an_inner_error_asks_for_is_read() -> None:
    inner = {"error": {"message": "quota", "details": [{"retryDelay": "17s"}]}}
    assert retry_after({}, error_of(routed(json.dumps(inner)))) == 17.0


@pytest.mark.parametrize(
    "body", [None, [], {"error": None}, routed(None), routed("{"), routed([1])]
)
def test_odd_errors_are_read_without_a_fault(body: Any) -> None:
    failed(Response(400, {}, json.dumps(body).encode()), Secrets())


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_says_that_the_address_is_wrong(status: int) -> None:
    response = Response(status, {"location": "https://else.example/v1"}, b"")
    assert "https://else.example/v1" in failed(response, Secrets()).reason
    assert "Correct the address" in advice(status, ("KEY",))
    assert "again later" not in advice(status, ("KEY",))
