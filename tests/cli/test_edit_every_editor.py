"""Every name of `editgauge list editors` edits one sample, or says in one line what is missing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.command_line import invoke

from editgauge.errors import EditgaugeError

NEEDS = {
    **dict.fromkeys(("openai", "gemini", "bfl"), "key"),
    **dict.fromkeys(("chat", "fal", "replicate", "diffusers"), "model"),
    "jobs": "service",
    "command": "program",
    "http": "base_url",
}
"""A word of the line that says what is missing."""


@pytest.mark.parametrize(("name", "word"), NEEDS.items())
def test_what_needs_something_names_it_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, word: str
) -> None:
    for key in [key for key in os.environ if key.endswith(("_KEY", "_TOKEN"))]:
        monkeypatch.delenv(key)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "none"))
    words = ["edit", "mini", "--editor", name, "--run", tmp_path / "run", "--limit", 1]
    error = invoke([*words, "--workers", 0, "--json"]).exception
    assert isinstance(error, EditgaugeError)
    assert error.exit_code == 2
    assert word in str(error).casefold()
    assert "\n" not in str(error)
