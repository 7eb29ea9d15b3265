"""Small parts of what a table is made of."""

from __future__ import annotations

import pytest

from editgauge.tables.spec import is_model


@pytest.mark.parametrize(
    ("source", "is_one"),
    [
        ("gpt-4o", True),
        ("openai/gpt-4o-2024-11-20#1f", True),
        ("gpt-4o-preview-1-latest[own]", True),
        ("gpt-4o-12preview", False),
        ("gpt-4o-mini", False),
    ],
)
def test_versions_of_a_model(source: str, is_one: bool) -> None:
    assert is_model(source, "GPT-4o") == is_one
