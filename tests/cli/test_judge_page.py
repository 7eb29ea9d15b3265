"""docs/how-to/ask-a-judge.md as it is written, against a server that answers by script."""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.benchmarks.releases import prompt_record, prompt_set, task_record, task_set
from tests.cli.pages import every_line, read, typed
from tests.contract.server import Judge, chat, verdict

from editgauge.errors import UsageError

MODEL = "gpt-4o-2024-11-20"
PAPER = (
    "fetch prompts textedit",
    f"judge textedit DATA --run runs/my-model --model {MODEL} --prompts paper --show",
    f"judge textedit DATA --run runs/my-model --model {MODEL} --limit 50",
)
"""Lines that need the authors' scripts."""
SETTLED = "costs runs/my-model --settle"
"""A line for a run in which something stands without a bill: see `test_statement`."""


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Judge]:
    """A folder as the page supposes it, and the judge's server."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EDITGAUGE_JUDGE_KEY", "sk-very-secret")
    prompt_set(Path("DATA"), [prompt_record(3), prompt_record(4)])
    task_set(Path("DATA"), {"1": task_record(1)}, names=("1.png",))
    assert typed("edit textedit DATA --editor copy --run runs/my-model --workers 0") == 0
    shutil.copytree("runs/my-model/edits/textedit", "OUTPUTS")
    scores = Path("results/some-model/chemistry/metrics.json")
    scores.parent.mkdir(parents=True)
    told = {"consistency_score": 4, "consistency_reasoning": "as it was"}
    scores.write_text(json.dumps({"1": told}), encoding="utf-8")
    with Judge(lambda asked: chat(verdict(asked), model=MODEL)) as asked:
        monkeypatch.setenv("OPENAI_BASE_URL", asked.url)
        yield asked


def priced(words: list[str]) -> list[str]:
    """The price that the page leaves to the package's table: a server of this machine has none."""
    return ["--price", "2.5/10"] if "--budget" in words and "--price" not in words else []


def test_the_page_runs_as_written(server: Judge, capsys: pytest.CaptureFixture[str]) -> None:
    done = read(
        "ask-a-judge",
        {
            **dict.fromkeys(PAPER, "below"),
            SETTLED: "every request was billed",
            "--probe": "tests/judging",
        },
        spelled={"http://localhost:8000/v1": server.url},
        more=priced,
    )
    assert len(done) >= 13
    assert len(server.chats) == 4, "two samples, two judges: nothing is asked twice"


def test_prompts_that_are_not_there_are_missed_before_anything_is_asked(
    server: Judge,
) -> None:
    words = f"judge textedit DATA --run runs/my-model --model {MODEL} --prompts paper"
    with pytest.raises(UsageError, match="fetch prompts textedit"):
        typed(words)
    assert len(server.chats) == 0


def test_the_paper_s_prompts(server: Judge, shared: Path) -> None:
    Path("TextEdit").symlink_to(shared / "released")
    mine = [words for words in every_line("ask-a-judge") if shlex.join(words).startswith(PAPER)]
    assert len(mine) == len(PAPER) + 1, "asked both ways"
    for words in mine:
        assert typed(words) in (0, 1), words
    assert len(server.chats) == 4, "with the paper's words and with ours"
