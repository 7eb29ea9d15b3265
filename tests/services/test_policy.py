"""What an answer means: one table for judges and editors."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from editgauge.services.policy import (
    FREE,
    FREE_ERRORS,
    STATUSES,
    error_of,
    meaning,
    pause_before,
)

SOURCE = Path(__file__).resolve().parents[2] / "src" / "editgauge"


@pytest.mark.parametrize(
    ("status", "error", "kind", "billed"),
    [
        (429, {}, "busy", False),
        (500, {}, "again", False),
        (523, {}, "again", False),
        (504, {}, "again", True),
        (502, {}, "again", True),
        (401, {}, "stop", False),
        (302, {}, "stop", False),
        (402, {"message": "billing"}, "stop", False),
        (404, {}, "stop", False),
        (400, {}, "bad", False),
        (413, {}, "bad", False),
        (400, {"code": "content_filter"}, "refused", False),
        (429, {"code": "insufficient_quota"}, "stop", False),
        (429, {"code": "project_spend_limit_exceeded"}, "stop", False),
        (429, {"message": "Rate limit reached: requests per day (RPD)"}, "stop", False),
        (429, {"message": "Limit reached: tokens per min (TPM)"}, "busy", False),
        (429, {"message": "You exceeded your current quota, check your plan"}, "busy", False),
        (
            429,
            {"details": [{"violations": [{"quotaId": "GenerateRequestsPerDayPerProject"}]}]},
            "stop",
            False,
        ),
        (
            429,
            {"details": [{"violations": [{"quotaId": "GenerateRequestsPerMinute"}]}]},
            "busy",
            False,
        ),
    ],
)
def test_meanings(status: int, error: dict[str, Any], kind: str, billed: bool) -> None:
    free = meaning(status, {}, error, FREE[0].hosts[0])
    assert (free.kind, free.billed) == (kind, billed)
    unknown = meaning(status, {}, error, "gateway.example")
    assert (unknown.kind, unknown.billed, unknown.lost) == (kind, True, billed)


def test_a_service_is_named_that_bills_no_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FREE_ERRORS, "gateway.example, other.example:8000")
    assert not meaning(429, {}, {}, "gateway.example:443").billed
    assert not meaning(429, {}, {}, "other.example:8000").billed
    assert meaning(429, {}, {}, "other.example:9000").billed
    assert meaning(504, {}, {}, "gateway.example").billed


@pytest.mark.parametrize(
    ("host", "free", "billed"),
    [
        ("openrouter.ai", (400, 401, 402, 403, 404, 429, 500, 503), (408, 502, 504, 524)),
        ("mine.openai.azure.com", (401, 429), (400, 403, 408, 500, 503)),
        ("queue.fal.run:443", (500, 503), (400, 422, 429, 504)),
        ("api.ideogram.ai", (400, 401, 402, 403, 404, 413, 422, 429, 500), (502, 504)),
        ("api.eu.bfl.ai", (400, 402, 422, 429, 500), (504,)),
        ("api.openai.com", (), (400, 401, 429, 500, 503)),
        ("api.anthropic.com", (), (400, 429, 500, 529)),
        ("evilopenrouter.ai", (), (429,)),
        ("openrouter.ai.example", (), (429,)),
    ],
)
def test_what_owners_of_services_say_of_errors(
    host: str, free: tuple[int, ...], billed: tuple[int, ...]
) -> None:
    """A lost answer (408, 502, 504, 524) may be billed, whoever loses it."""
    assert not [status for status in free if meaning(status, {}, {}, host).billed]
    assert [status for status in billed if meaning(status, {}, {}, host).billed] == list(billed)
    assert all(one.source.startswith("https://") for one in FREE)


def test_503_is_busy_when_it_says_how_long() -> None:
    assert meaning(503, {"retry-after": "1"}, {}).kind == "busy"
    assert meaning(503, {}, {}).kind == "again"


def test_errors_in_every_form() -> None:
    assert error_of([{"error": {"code": 7}}]) == {"code": 7}
    assert error_of({"error": "no"}) == {"message": "no"}
    assert error_of(7) == {}


def test_pauses_grow_and_end() -> None:
    assert 0.75 <= pause_before(1, 1.0) <= 1.25
    assert pause_before(400, 1.0) <= 75


def test_there_is_one_table_of_statuses() -> None:
    """No other module lists HTTP statuses of its own: 523 was retried in one of two stacks once."""
    lists = []
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Tuple | ast.List | ast.Set):
                values = [e.value for e in node.elts if isinstance(e, ast.Constant)]
                if len({502, 504, 520, 524} & {v for v in values if isinstance(v, int)}) > 1:
                    lists.append(path.name)
    assert lists == []
    assert {520, 521, 522, 523, 524} <= set(STATUSES)
