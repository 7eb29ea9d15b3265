"""Every name of `editgauge list editors` edits one sample, or says in one line what is missing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.command_line import Result, invoke

from editgauge.errors import EditgaugeError

NEEDS = {
    **dict.fromkeys(("openai", "gemini", "bfl"), "key"),
    **dict.fromkeys(("chat", "fal", "replicate", "diffusers"), "model"),
    "jobs": "service",
    "command": "program",
    "http": "base_url",
}
"""A word of the line that says what is missing."""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Without a key in the environment."""
    for name in [name for name in os.environ if name.endswith(("_KEY", "_TOKEN"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "none"))
    return tmp_path


def edited(here: Path, name: str) -> Result:
    words = f"edit mini --editor {name} --run {here / 'run'} --limit 1 --workers 0 --json"
    return invoke(words.split())


@pytest.mark.parametrize(("name", "word"), NEEDS.items())
def test_what_needs_something_names_it_in_one_line(here: Path, name: str, word: str) -> None:
    error = edited(here, name).exception
    assert isinstance(error, EditgaugeError)
    assert error.exit_code == 2
    assert word in str(error).casefold()
    assert "\n" not in str(error)
