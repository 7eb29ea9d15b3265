"""What a judge thinks is no answer, however it is marked."""

from __future__ import annotations

import pytest

from editgauge.judging.client import read_response
from editgauge.judging.thinking import without_thinking
from editgauge.services.transport import Response


@pytest.mark.parametrize(
    "reply",
    [
        "<think>IF: 1</think>IF: 3",
        "IF: 1</think>IF: 3",
        "[THINK]IF: 1[/THINK]IF: 3",
        "◁think▷IF: 1◁/think▷IF: 3",
        "<seed:think>IF: 1</seed:think>IF: 3",
        "<unused94>thought\nIF: 1<unused95>IF: 3",
        "<|channel|>analysis<|message|>IF: 1<|end|><|channel|>final<|message|>IF: 3",
    ],
)
def test_only_the_answer_is_left(reply: str) -> None:
    assert (without_thinking(reply) or "").strip() == "IF: 3"


@pytest.mark.parametrize("reply", ["<think>IF: 1", "<unused94>thought\nIF: 1", "[THINK] IF: 1"])
def test_thinking_that_never_ends_leaves_none(reply: str) -> None:
    assert without_thinking(reply) is None


@pytest.mark.parametrize("kind", ["thinking", "reasoning"])
def test_parts_that_are_thinking_are_left_out(kind: str) -> None:
    data = (
        b'{"choices": [{"message": {"content": [{"type": "%s", "text": "IF: 1"}, '
        b'{"type": "text", "text": "IF: 3"}]}, "finish_reason": "stop"}]}' % kind.encode()
    )
    assert read_response(Response(200, {}, data)).content == "IF: 3"
