"""`editgauge prompts` and `editgauge fetch prompts`."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner, Result

from editgauge.cli.main import build_app


def run(*words: object) -> Result:
    return CliRunner().invoke(build_app(), [str(word) for word in words])


def test_ours_are_shown_started_and_compared(tmp_path: Path) -> None:
    shown = run("prompts", "show", "textedit")
    assert shown.exit_code == 0, shown.output
    assert "#### questions" in shown.output
    made = run("prompts", "new", "textedit", tmp_path / "mine")
    assert made.exit_code == 0, made.output
    same = run("prompts", "diff", "textedit", "ours", tmp_path / "mine")
    assert "the sets are the same" in same.output


def test_the_papers_are_fetched_from_a_clone_into_the_run(shared: Path, tmp_path: Path) -> None:
    clone = shared / "released" / "textedit"
    done = run("fetch", "prompts", "textedit", "--run", tmp_path, "--from", clone, "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.output)
    assert (found["set"], found["calls"]) == ("paper", ["Q"])
    shown = run("prompts", "show", "textedit", "--prompts", "paper", "--run", tmp_path)
    assert found["fingerprint"] in shown.output


def test_what_is_wanted_is_said(tmp_path: Path) -> None:
    for words in (("textedit",), ("--run", tmp_path), ("textedit", "--run", "a", "--to", "b")):
        done = run("fetch", "prompts", *words)
        assert "wanted one benchmark" in str(done.exception)
