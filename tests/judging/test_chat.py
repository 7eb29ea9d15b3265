"""What a server takes is found from its refusals, and what its answers mean, whatever its habits."""

from __future__ import annotations

import json
from typing import Any

import pytest

from editgauge.judging.chat import Dialect, read_completion
from editgauge.services.http import Response
from editgauge.services.secrets import Secrets

CALL = {"function": {"name": "verdict", "arguments": '{"score": 3}'}}


@pytest.mark.parametrize(
    ("before", "reason", "after"),
    [
        ({}, "Unsupported response_format", {"form": "json_object"}),
        ({"form": "json_object"}, "unknown response_format", {"form": "guided_json"}),
        ({"form": "guided_json"}, "guided_json: extra fields", {"form": ""}),
        ({"form": ""}, "response_format", None),
        ({}, "schema: 'enum' is not permitted", {"dropped": ("enum",)}),
        ({}, 'Unknown name "additionalProperties"', {"dropped": ("additionalProperties",)}),
        (
            {"dropped": ("enum",)},
            "response_format: 'minimum' is not permitted",
            {"dropped": ("enum", "minimum")},
        ),
        ({}, "response_format is restricted", {"form": "json_object"}),
        ({}, "use 'max_completion_tokens' instead", {"tokens_field": "max_completion_tokens"}),
        ({}, "temperature does not support 0.0", {"temperature": False}),
        ({}, "too many pictures", None),
    ],
)
def test_a_dialect_is_found_from_reasons(
    before: dict[str, Any], reason: str, after: dict[str, Any] | None
) -> None:
    found = Dialect(**before).after(f"HTTP 400: {reason}")
    assert found == (None if after is None else Dialect(**after))


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ({"choices": []}, "again"),
        ({"choices": [], "prompt_feedback": {"block_reason": "SAFETY"}}, "refused"),
        ({"error": {"message": "upstream"}}, "again"),
        ({"choices": [{"message": {"content": [{"type": "text", "text": "hi"}]}}]}, "ok"),
        ({"choices": [{"message": {"content": None}, "finish_reason": "length"}]}, "ok"),
        ({"choices": [{"message": {"content": "Let me look.", "tool_calls": [CALL]}}]}, "ok"),
    ],
)
def test_the_habits_of_servers(body: object, kind: str) -> None:
    response = Response(200, {}, json.dumps(body).encode())
    outcome = read_completion(response, Secrets())
    assert outcome.kind == kind
    if "tool_calls" in str(body):
        assert outcome.value.content == '{"score": 3}', "whatever is said before it"
