"""Names of models: dated ones, aliases, and those that end."""

from __future__ import annotations

from datetime import date

import pytest

from editgauge.errors import UsageError
from editgauge.judging.models import check_model, end_warning, is_alias

ALIASES = "gpt-4o gpt-4o-mini gemini-2.5-pro chatgpt-4o-latest claude-sonnet-4 openai/gpt-4.1 o3"
DATED = (
    "gpt-4o-2024-11-20 gemini-2.0-flash-001 gpt-4-0613 claude-sonnet-4-20250514 o3-2025-04-16 "
    "gemini-2.5-flash-preview-09-2025 Qwen/Qwen2.5-VL-72B-Instruct tiny-judge my-vlm"
)


def test_aliases_and_dated_names() -> None:
    assert all(map(is_alias, ALIASES.split()))
    assert not any(map(is_alias, DATED.split()))


def test_an_alias_wants_a_word_and_hears_of_dated_names() -> None:
    check_model("gpt-4o", True)
    with pytest.raises(UsageError, match="gpt-4o-2024-08-06"):
        check_model("gpt-4o", False)


def test_end_dates_are_warned_of_in_time() -> None:
    model, day = "gpt-4o-2024-11-20", date(2026, 11, 20)
    assert end_warning(model, today=date(2026, 10, 1)) == end_warning("my-vlm") == ""
    assert "in 55 days" in end_warning(model, today=day)
    assert "ended on 2026-03-09" in end_warning("gemini-3-pro-preview", today=day)
