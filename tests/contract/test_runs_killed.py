"""Commands that are killed at any moment and started again, and two at once on one run: the rows are
those of an undisturbed run, and nothing is paid for twice.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.faults import calls, content, copy_of, graded, interrupted, seconds_of
from tests.contract.server import ENV, Server
from tests.contract.support import SOURCE, cli, finished, process, rows_of, same_rows

KILLS = [2, pytest.param(25, marks=pytest.mark.slow)]
SCORE = ("--tracks", "pixel", "--limit", 6, "--workers", 0)
PROGRAM = """
import json, sys, time
from PIL import Image, ImageOps
for line in sys.stdin:
    asked = json.loads(line)
    time.sleep(0.1)
    with Image.open(asked["images"][0]) as image:
        ImageOps.mirror(image.convert("RGB")).save(asked["output"])
    print(json.dumps({"id": asked["id"], "image": asked["output"]}), flush=True)
"""


@pytest.fixture(scope="module")
def judge() -> Iterator[Server]:
    with Server(graded) as server:
        yield server


def judging(run: Path, judge: Server) -> tuple[object, ...]:
    return (
        "judge", "mini", "--run", run, *judge.words, "--limit", 3, "--set", "concurrency=2"
    )  # fmt: skip


def judged(run: Path) -> int:
    return sum(row["source"].startswith("judge-2026") for row in rows_of(run))


@pytest.mark.parametrize("kills", KILLS)
def test_score_goes_on_after_kill_9(edited_run: Path, tmp_path: Path, kills: int) -> None:
    whole, run = copy_of(edited_run, tmp_path / "whole"), copy_of(edited_run, tmp_path / "run")
    seconds = seconds_of("score", "mini", "--run", whole, *SCORE, env=ENV)
    cli("score", "mini", "--run", run, "--tracks", "pixel", "--limit", 2, "--workers", 0)
    interrupted(("score", "mini", "--run", run, *SCORE), kills, seconds, ENV)  # goes on from two
    same_rows(run, whole)
    assert cli("score", "mini", "--run", run, *SCORE, "--json").json["computed"] == 0
    cli("check", run)


@pytest.mark.slow
def test_score_with_processes_goes_on_after_kill_9(tmp_path: Path) -> None:
    run = tmp_path / "run"
    for editor in ("copy", "reference"):
        cli("edit", "mini", "--editor", editor, "--run", run, "--workers", 0)
    whole, score = copy_of(run, tmp_path / "whole"), ("score", "mini", "--tracks", "pixel")
    seconds = seconds_of(*score, "--run", whole, "--workers", 2, env=ENV)
    assert interrupted((*score, "--run", run, "--workers", 2), 12, seconds, ENV)
    same_rows(run, whole)
    cli("check", run)


@pytest.mark.parametrize("kills", KILLS)
def test_edit_goes_on_after_kill_9(tmp_path: Path, kills: int) -> None:
    program = tmp_path / "mirror.py"
    program.write_text(textwrap.dedent(PROGRAM))
    setting = ("--set", f"program={sys.executable} {program}", "--set", "name=mirror")
    edit = ("edit", "mini", "--editor", "command", *setting, "--limit", 6, "--workers", 0)
    whole, run = tmp_path / "whole", tmp_path / "run"
    seconds = seconds_of(*edit, "--run", whole, env=ENV)
    interrupted((*edit, "--run", run), kills, seconds, ENV)
    for one in (whole, run):
        cli("score", "mini", "--run", one, *SCORE)
    same_rows(run, whole)
    assert content(run / "edits") == content(whole / "edits")
    cli("check", run)


@pytest.mark.parametrize("kills", KILLS)
def test_judge_goes_on_after_kill_9_and_pays_for_nothing_twice(
    edited_run: Path, tmp_path: Path, judge: Server, kills: int
) -> None:
    whole, run = copy_of(edited_run, tmp_path / "whole"), copy_of(edited_run, tmp_path / "run")
    before = calls(judge)
    seconds = seconds_of(*judging(whole, judge), env=ENV)
    needed = calls(judge) - before
    hits = interrupted(judging(run, judge), kills, seconds, ENV)
    same_rows(run, whole)
    assert judged(run) >= needed > 0
    cli(*judging(run, judge), env=ENV)
    twice = calls(judge) - before - 2 * needed
    assert twice <= 2 * hits, "of each kill only the two calls that were under way may come again"
    cli("check", run)


@pytest.mark.parametrize("kills", KILLS)
def test_merge_goes_on_after_kill_9(
    judged_run: Path, mini_run: Path, tmp_path: Path, kills: int
) -> None:
    whole, run = tmp_path / "whole", tmp_path / "run"
    seconds = seconds_of("merge", mini_run, judged_run, "--to", whole, env=ENV)
    interrupted(("merge", mini_run, judged_run, "--to", run), kills, seconds, ENV)
    same_rows(run, whole)
    assert {row["sample"] for row in rows_of(run)} > {row["sample"] for row in rows_of(judged_run)}
    assert judged(run) == judged(judged_run)
    assert content(run / "edits") == content(mini_run / "edits")
    cli("check", run)


ELSEWHERE = """
import platform, sys
platform.node = lambda: "another machine"
from editgauge.__main__ import main
main()
"""


def elsewhere(*words: object) -> subprocess.Popen[str]:
    """Start a command as if another machine did, which has the same folder."""
    argv = [sys.executable, "-c", ELSEWHERE, *map(str, words)]
    around = {**os.environ, "PYTHONPATH": str(SOURCE)}
    pipe = subprocess.PIPE
    return subprocess.Popen(argv, env=around, stdout=pipe, stderr=pipe, text=True)


def slow_edit(tmp_path: Path, run: Path) -> subprocess.Popen[str]:
    """An `edit` of six samples that has made its first output and will not end soon."""
    program = tmp_path / "mirror.py"
    program.write_text(textwrap.dedent(PROGRAM).replace("sleep(0.1)", "sleep(2)"))
    setting = ("--set", f"program={sys.executable} {program}", "--set", "name=mirror")
    edit = ("edit", "mini", "--editor", "command", *setting, "--limit", 6, "--workers", 0)
    child: subprocess.Popen[str] = process(*edit, "--run", run)
    while child.poll() is None and not list(run.glob("edits/mini/mirror/**/*.png")):
        time.sleep(0.05)
    return child


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_scheduler_that_ends_a_command_leaves_the_run_to_other_machines(
    tmp_path: Path, number: signal.Signals
) -> None:
    run = tmp_path / "run"
    child = slow_edit(tmp_path, run)
    child.send_signal(number)
    stopped = finished(child, expect=130)
    assert "Traceback" not in stopped.text
    cli("check", run)
    there = finished(elsewhere("score", "mini", "--run", run, *SCORE), expect=None)
    assert there.code in (0, 1)
    assert "another machine" not in there.err
    assert rows_of(run)


@pytest.mark.slow
def test_a_command_waits_for_another_machine_that_was_killed_and_says_so(tmp_path: Path) -> None:
    run = tmp_path / "run"
    child = slow_edit(tmp_path, run)
    os.killpg(child.pid, signal.SIGKILL)
    finished(child, expect=-9)
    there = finished(elsewhere("score", "mini", "--run", run, *SCORE), expect=None, timeout=90)
    assert there.code in (0, 1), "a lease that is not renewed ends within a minute"
    assert "another machine is writing this run" in there.err
    assert rows_of(run)


def test_two_scores_at_once_make_each_row_once(
    edited_run: Path, judged_run: Path, tmp_path: Path
) -> None:
    run = copy_of(edited_run, tmp_path / "run")
    both = [process("score", "mini", "--run", run, *SCORE) for _ in range(2)]
    for child in both:
        finished(child)
    pixels = [row for row in rows_of(judged_run) if not row["source"].startswith("judge-")]
    assert [row["fingerprint"] for row in rows_of(run)] == [row["fingerprint"] for row in pixels]
    cli("check", run)


def test_two_judges_of_one_model_at_once_pay_once(
    edited_run: Path, tmp_path: Path, judge: Server
) -> None:
    alone, run = copy_of(edited_run, tmp_path / "alone"), copy_of(edited_run, tmp_path / "run")
    start = calls(judge)
    cli(*judging(alone, judge), env=ENV)
    before = calls(judge)
    both = [process(*judging(run, judge), env=ENV) for _ in range(2)]
    codes = [finished(child, expect=None).code for child in both]
    assert 0 in codes
    assert set(codes) <= {0, 2}, "the second goes on with what is there, or is refused"
    assert calls(judge) - before == before - start
    same_rows(run, alone)
    cli("check", run)


def test_an_edit_and_a_score_at_once_lose_nothing(edited_run: Path, tmp_path: Path) -> None:
    run = copy_of(edited_run, tmp_path / "run")
    edit = ("edit", "mini", "--editor", "blank", "--run", run, "--limit", 6, "--workers", 0)
    both = [process(*edit), process("score", "mini", "--run", run, *SCORE)]
    for child in both:
        finished(child, expect=None)
    cli("score", "mini", "--run", run, *SCORE, expect=None)
    counts = {
        editor: sum(row["editor"] == editor and row["metric"] == "mse" for row in rows_of(run))
        for editor in ("copy", "reference", "blank")
    }
    assert set(counts.values()) == {6}, counts
    cli("check", run)
