"""Judge commands in this process, and the rows that they leave."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.command_line import Result, invoke

from editgauge.judging import command as commands
from editgauge.judging.chat import Client
from editgauge.judging.command import Outcome
from editgauge.judging.options import JudgeOptions, Selection
from editgauge.judging.session import Session
from editgauge.store.run import Run
from editgauge.types import Row

NAMES = ("replace-01", "replace-02", "replace-03", "replace-06", "delete-04")
"""Samples of the built-in benchmark, all four protocols among them."""


def command(*words: str, code: int = 0, url: str | None = None) -> Result:
    """Run a command in this process; the exit code must be `code`, an error ends `stderr`."""
    more = ["--model", "scripted", "--base-url", url] if url else []
    done = invoke([*words, *more], env={"EDITGAUGE_JUDGE_KEY": "sk-very-secret"})
    assert done.exit_code == code, (done.output, done.exception)
    return replace(done, stderr=f"{done.stderr}{done.exception or ''}")


def opened(
    run: Path, url: str, *, ids: Any = NAMES, looking: bool = False, **options: Any
) -> Session:
    """A session on the built-in benchmark, its client with a key of the tests."""
    names = {"limit", "first", "editor"} & options.keys()
    chosen = Selection(run=run, sample=ids, **{name: options.pop(name) for name in names})
    wanted = JudgeOptions(**{"model": "scripted", "base_url": url, **options})
    client = Client(url, key="sk-very-secret", timeout=5.0)
    return Session(wanted, "mini", None, chosen, client=client, looking=looking)


def judge(run: Path, url: str, **options: Any) -> Outcome:
    """Judge; what the command did."""
    with opened(run, url, **options) as session:
        return commands.run(session)


def rows_of(run: Path) -> list[Row]:
    """The judge's rows of a run."""
    return [row for row in Run.open(run).rows() if row.scorer == "judge"]
