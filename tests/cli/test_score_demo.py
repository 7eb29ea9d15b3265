"""What `editgauge demo` runs, and what it says of what it leaves out; the steps are stand-ins."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.command_line import invoke

from editgauge.cli import score as demo


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The commands that the demo calls, by their options."""
    called: list[dict[str, Any]] = []
    for step in ("edit", "score", "report", "compare"):
        name = f"editgauge.cli.{step}.{step}"
        monkeypatch.setattr(name, lambda *words, **options: called.append(options))
    return called


@pytest.mark.parametrize("installed", [True, False])
def test_the_classical_editor_is_shown_or_said_to_be_left_out(
    monkeypatch: pytest.MonkeyPatch, steps: list[dict[str, Any]], tmp_path: Path, installed: bool
) -> None:
    there = demo.find_spec
    ocr = ("rapidocr", "onnxruntime")
    monkeypatch.setattr(
        demo, "find_spec", lambda name: installed or None if name in ocr else there(name)
    )
    done = invoke(["demo", "--run", str(tmp_path / "run")])
    assert done.exit_code == 0, done.output
    asked = [step["asked"] for step in steps if "asked" in step]
    edited = [one.editor for one in asked if hasattr(one, "editor")]
    assert edited[:4] == ["reference", "copy", "shuffle", "blank"]
    assert ("typeset" in edited) == installed
    assert any("compared" in step for step in steps) == installed
    assert ("ocr" in [getattr(one, "tracks", "") for one in asked]) == installed
    left_out = [line for line in done.stdout.splitlines() if line.startswith("Left out")]
    assert len(left_out) == (0 if installed else 1)
    if not installed:
        assert "`typeset`" in left_out[0]
        assert "pip install 'editgauge[ocr]'" in left_out[0]
    assert str(tmp_path / "run" / "report" / "index.html") in done.stdout
