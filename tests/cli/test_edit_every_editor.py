"""Every name of `editgauge list editors` edits one sample, or says in one line what is missing."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from editgauge import catalog
from editgauge.cli.main import main

Call = Callable[[str], tuple[int, str, str]]

LOCAL = ("copy", "reference", "blank", "shuffle")
"""They need nothing but the data set."""
NEEDS = {
    "openai": "key",
    "gemini": "key",
    "chat": "model",
    "bfl": "key",
    "fal": "model",
    "replicate": "model",
    "jobs": "service",
    "command": "program",
    "http": "base_url",
    "diffusers": "model",
}
"""A word of the line that says what is missing."""
WEIGHTS = {
    "instructpix2pix",
    "magicbrush",
    "paint-by-inpaint",
    "flux-kontext",
    "qwen-image-edit",
    "qwen-image-edit-plus",
    "omnigen",
}


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[str], tuple[int, str, str]]:
    """Edits one sample, without a key in the environment: exit code, output, error lines."""
    for name in [name for name in os.environ if name.endswith(("_KEY", "_TOKEN"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "none"))

    def run(name: str) -> tuple[int, str, str]:
        words = ["edit", "mini", "--editor", name, "--run", str(tmp_path / "run"), "--limit", "1"]
        monkeypatch.setattr(sys, "argv", ["editgauge", *words, "--workers", "0", "--json"])
        with pytest.raises(SystemExit) as stop:
            main()
        said = capsys.readouterr()
        return int(stop.value.code or 0), said.out, said.err

    return run


def test_every_name_is_looked_at() -> None:
    """A new editor belongs into one of these lists."""
    assert {*LOCAL, *NEEDS, *WEIGHTS, "typeset"} == set(catalog.names("editors"))


@pytest.mark.parametrize("name", [*LOCAL, "typeset"])
def test_what_needs_nothing_edits(call: Call, name: str) -> None:
    if name == "typeset":
        pytest.importorskip("rapidocr")
    code, out, err = call(name)
    assert code == 0, err
    assert sum(json.loads(out)["counts"].values()) == 1


@pytest.mark.parametrize(("name", "word"), NEEDS.items())
def test_what_needs_something_names_it_in_one_line(call: Call, name: str, word: str) -> None:
    code, _, err = call(name)
    assert code == 2
    lines = [line for line in err.splitlines() if line.strip()]
    assert len(lines) == 1, err
    assert lines[0].startswith("error: ")
    assert word in lines[0].casefold()


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(WEIGHTS))
def test_what_needs_weights_says_which(call: Call, name: str) -> None:
    code, _, err = call(name)
    assert code == 2
    lines = [line for line in err.splitlines() if line.startswith("error: ")]
    assert len(lines) == 1, err
    assert "the setting model" in lines[0]
    assert "Traceback" not in err
