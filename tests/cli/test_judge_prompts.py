"""`editgauge prompts` and `editgauge fetch prompts`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import Result, invoke
from tests.fault_server import FaultServer


def run(*words: object) -> Result:
    return invoke([str(word) for word in words])


def test_ours_are_copied_to_be_changed(tmp_path: Path) -> None:
    made = run("new", "prompts", "textedit", "--to", tmp_path / "mine")
    assert made.exit_code == 0, made.output
    assert "questions.md" in made.output
    assert (tmp_path / "mine" / "questions.md").is_file()


def test_the_papers_are_fetched_from_a_clone_into_the_run(shared: Path, tmp_path: Path) -> None:
    clone = shared / "released" / "textedit"
    done = run("fetch", "prompts", "textedit", "--run", tmp_path, "--from", clone, "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.output)
    assert (found["set"], found["scripts"]) == ("paper", ["vlm_metrics_eval_step1.py"])
    assert list((tmp_path / "prompts" / "textedit").iterdir())


def test_what_is_wanted_is_said(tmp_path: Path) -> None:
    for words in (("textedit",), ("--run", tmp_path), ("textedit", "--run", "a", "--to", "b")):
        done = run("fetch", "prompts", *words)
        assert "wanted one benchmark" in str(done.exception)


SCORES = dict.fromkeys(("Q1", "Q2", "Q3", "Q4", "Q5"), 5)


def reply(body: dict[str, Any]) -> str:
    """In the form of our prompts where a schema is sent, else in the paper's."""
    if body.get("response_format"):
        return json.dumps({"pictures_visible": True, "reason": "so", "score": SCORES})
    return json.dumps({"score": SCORES, "reason": {}})


def test_rows_of_two_prompt_sets_never_share_a_table(
    shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The paper's request has neither a schema nor our words; its rows have their own source."""
    monkeypatch.setenv("EDITGAUGE_JUDGE_KEY", "sk-very-secret")
    folder = tmp_path / "run"
    data, outputs = shared / "data" / "textedit", shared / "data" / "outputs" / "textedit"
    clone = shared / "released" / "textedit"
    assert run("fetch", "prompts", "textedit", "--run", folder, "--from", clone).exit_code == 0
    bodies = {}
    for prompts in ("ours", "paper"):
        with FaultServer(answer=reply) as server:
            done = run(
                "judge", "textedit", data, "--outputs", outputs, "--editor", "good", "--limit", 2,
                "--run", folder, "--model", "scripted", "--base-url", server.url,
                "--prompts", prompts,
            )  # fmt: skip
            assert done.exit_code == 0, (done.output, done.exception)
            bodies[prompts] = [body for body in server.bodies if "messages" in body]
    assert "response_format" in bodies["ours"][0]
    sent = bodies["paper"][0]
    assert sorted(sent) == ["max_tokens", "messages", "model", "temperature"]
    assert (sent["temperature"], sent["max_tokens"]) == (0.0, 65_536)
    assert [part["type"] for part in sent["messages"][0]["content"]] == ["text"] + ["image_url"] * 3
    shown = run("table", folder, "--format", "json", "--published", "--only", "textedit.judge")
    tables = json.loads(shown.output)["tables"]
    notes = {table["source"]: " ".join(table["notes"]) for table in tables}
    assert len(notes) == 2
    for source, said in notes.items():
        assert ("with the papers' prompts" in said) == ("[paper]#" not in source)
    words = ("--only", "textedit.judges", "--variant", "corrected", "--format", "json")
    (agreed,) = json.loads(run("table", folder, *words).stdout)["tables"]
    agreed = agreed["rows"]
    assert {line["cells"]["equal"]["value"] for line in agreed} == {1.0}
