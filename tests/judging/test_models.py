"""Names of models: dated ones, aliases, and those that end."""

from __future__ import annotations

from datetime import date

import pytest

from editgauge.errors import UsageError
from editgauge.judging.models import check_model, end_warning, is_alias


def test_aliases_and_dated_names() -> None:
    aliases = [
        "gpt-4o",
        "gpt-4o-mini",
        "gemini-2.5-pro",
        "chatgpt-4o-latest",
        "claude-sonnet-4",
        "openai/gpt-4.1",
        "o3",
    ]
    dated = ["gpt-4o-2024-11-20", "gemini-2.0-flash-001", "gpt-4-0613", "claude-sonnet-4-20250514", "o3-2025-04-16",
             "gemini-2.5-flash-preview-09-2025", "Qwen/Qwen2.5-VL-72B-Instruct", "tiny-judge",
             "my-vlm"]  # fmt: skip
    assert [name for name in aliases if not is_alias(name)] == []
    assert [name for name in dated if is_alias(name)] == []
    check_model("gpt-4o", True)
    with pytest.raises(UsageError, match="gpt-4o-2024-08-06"):
        check_model("gpt-4o", False)


def test_end_dates_are_warned_of_in_time() -> None:
    model = "gpt-4o-2024-11-20"
    assert end_warning(model, today=date(2026, 10, 1)) == ""
    assert "in 55 days" in end_warning(model, today=date(2026, 11, 20))
    ended = end_warning("gemini-3-pro-preview", today=date(2026, 11, 20))
    assert "ended on 2026-03-09" in ended
    assert end_warning("my-vlm") == ""
