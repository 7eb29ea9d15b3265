"""What an answer means: one table for judges and editors."""

from __future__ import annotations

from typing import Any

import pytest

from editgauge.services.policy import LONGEST_WAIT, meaning, retry_after

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
