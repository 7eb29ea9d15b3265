"""What the answers of servers mean, whatever their habits."""

from __future__ import annotations

import json

import pytest

from editgauge.judging.chat import read_completion
from editgauge.services.http import Response
from editgauge.services.paid import Outcome, failed
from editgauge.services.secrets import Secrets


@pytest.mark.parametrize(
    ("status", "headers", "body", "kind", "after"),
    [
        (429, {}, {"error": {"code": "insufficient_quota", "message": "x"}}, "stop", None),
        (400, {}, {"error": {"message": "too many pictures"}}, "bad", None),
        (400, {}, {"error": {"code": "content_filter", "message": "no"}}, "refused", None),
        (200, {}, {"choices": []}, "again", None),
        (200, {}, {"choices": [], "prompt_feedback": {"block_reason": "SAFETY"}}, "refused", None),
        (200, {}, {"error": {"message": "upstream"}}, "again", None),
        (
            200,
            {},
            {"choices": [{"message": {"content": [{"type": "text", "text": "hi"}]}}]},
            "ok",
            None,
        ),
        (
            200,
            {},
            {"choices": [{"message": {"content": None}, "finish_reason": "length"}]},
            "ok",
            None,
        ),
    ],
)
def test_the_habits_of_servers(
    status: int, headers: dict[str, str], body: object, kind: str, after: float | None
) -> None:
    outcome = read_response(Response(status, headers, json.dumps(body).encode()))
    assert (outcome.kind, outcome.retry_after) == (kind, after)


def read_response(response: Response) -> Outcome:
    fine = response.status == 200
    return read_completion(response, Secrets()) if fine else failed(response, Secrets())
