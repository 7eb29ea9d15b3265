"""Prices: found by name, never guessed; bills: believed only where they can be."""

from __future__ import annotations

from typing import Any

import pytest

from editgauge.services.prices import estimate_input, price_of, usage_of


@pytest.mark.parametrize(
    ("model", "dollars"),
    [
        ("gpt-4o-2024-11-20", 2.5),
        ("openai/GPT-4o-mini-2024-07-18", 0.15),
        ("gpt-4o-audio-preview", None),
        ("gpt-4omega", None),
        ("gemini-2.5-flash-preview-09-2025", 0.3),
        ("gemini-2.5-flash-lite", None),
        ("gemini-2.5-flash-image", None),
        ("Qwen/Qwen3-VL-235B-A22B-Thinking", 0.0),
        ("qwen3-vl-72b-89c86200", 0.0),
    ],
)
def test_a_price_is_that_of_the_very_model(model: str, dollars: float | None) -> None:
    price = price_of(model)
    assert (price.input if price else None) == dollars


BILL = {"prompt_tokens": 9, "completion_tokens": 2}


@pytest.mark.parametrize(
    ("record", "least"),
    [
        (None, {}), ("x", {}), ({}, {}), ({"prompt_tokens": "7", "completion_tokens": "7"}, {}),
        ({"prompt_tokens": 0, "completion_tokens": 0}, {}), ({**BILL, "prompt_tokens": 10**18}, {}),
        ({**BILL, "prompt_tokens": True}, {}), ({"prompt_tokens": 9}, {}), (BILL, {"least": 10}),
        (BILL, {"least_out": 3}),
    ],
)  # fmt: skip
def test_a_record_that_is_no_bill(record: Any, least: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"no usage record|tokens are missing|fewer tokens"):
        usage_of(record, **least)


@pytest.mark.parametrize(
    ("out", "more", "usage"),
    [
        (2, {}, (9, 2, 0)),
        (2, {"total_tokens": 50}, (9, 41, 0)),
        (2, {"prompt_tokens_details": {"cached_tokens": 99}}, (9, 2, 9)),
        (2, {"completion_tokens_details": {"reasoning_tokens": 5}}, (9, 7, 0)),
        (6, {"completion_tokens_details": {"reasoning_tokens": 5}}, (9, 6, 0)),
        (2, {"reasoning_tokens": 5, "other": {"thoughtsTokenCount": 7}}, (9, 9, 0)),
    ],
)
def test_thinking_is_part_of_a_bill(
    out: int, more: dict[str, Any], usage: tuple[int, int, int]
) -> None:
    assert usage_of({"prompt_tokens": 9, "completion_tokens": out, **more}) == usage


@pytest.mark.parametrize(
    ("model", "size", "tokens"),
    [
        ("gpt-4o", (1024, 1024), 765),
        ("gpt-4o", (2048, 4096), 1105),
        ("gpt-4o-mini", (512, 512), 8500),
        ("gpt-4.1-mini", (1024, 1024), 1659),
        ("gemini-3-pro", (4000, 10), 1120),
        ("gemini-2.5-pro", (384, 384), 258),
        ("gemini-2.5-pro", (960, 540), 1548),
        ("qwen2.5-vl", (1092, 28), 41),
    ],
)
def test_pictures_count_as_their_providers_publish(
    model: str, size: tuple[int, int], tokens: int
) -> None:
    assert estimate_input(0, [size], price_of(model)) == tokens
