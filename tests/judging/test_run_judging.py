"""`editgauge judge` from the command line to the rows, against a server that answers by script."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import invoke

from editgauge.errors import EditgaugeError
from editgauge.store.run import Run
from editgauge.testing import FaultServer, ScriptedJudge
from editgauge.types import Row, Status

SOURCE = Path(__file__).resolve().parents[2] / "src"


@dataclass(frozen=True)
class Ended:
    """What a command said."""

    stdout: str
    stderr: str


def command(*words: str, code: int = 0, url: str | None = None) -> Ended:
    """Run a command in this process, as `editgauge.cli.main` does; the exit code must be `code`."""
    done = invoke(_words(words, url)[3:], env={"EDITGAUGE_JUDGE_KEY": "sk-very-secret"})
    error = str(done.exception) if isinstance(done.exception, EditgaugeError) else ""
    found = (
        done.exception.exit_code if isinstance(done.exception, EditgaugeError) else done.exit_code
    )
    assert found == code, (done.output, done.exception)
    return Ended(done.stdout, done.stderr + error)


def _words(words: tuple[str, ...], url: str | None) -> list[str]:
    more = ["--model", "scripted", "--base-url", url] if url else []
    return [sys.executable, "-m", "editgauge", *words, *more]


def _environment(**more: str) -> dict[str, str]:
    kept = {
        name: value for name, value in os.environ.items() if "KEY" not in name and "URL" not in name
    }
    return {**kept, "PYTHONPATH": str(SOURCE), "EDITGAUGE_JUDGE_KEY": "sk-very-secret", **more}


NAMES = ("replace-01", "replace-02", "replace-03", "replace-06", "delete-04")
SAMPLES = [word for name in NAMES for word in ("--sample", name)]


def rows_of(run: Path) -> list[Row]:
    return [row for row in Run.open(run).rows() if row.scorer == "judge"]


def essence(run: Path) -> Counter[Any]:
    return Counter((row.key, row.value, row.status, row.fingerprint) for row in rows_of(run))


def test_every_protocol_gives_rows_with_their_origin(made: Path) -> None:
    """Two editors, five samples, both variants; each row says which judge, rubric, call and reply
    made it.
    """
    with FaultServer() as server:
        command("judge", "mini", "--run", str(made), *SAMPLES, url=server.url)
        asked = server.requests
        again = command("judge", "mini", "--run", str(made), *SAMPLES, "--json", url=server.url)
        assert server.requests == asked
    report = json.loads(again.stdout)
    assert report["rows_made"] == 0
    assert report["answered"] == "scripted-2026-01-01"
    rows = rows_of(made)
    assert report["rows_kept"] == len(rows)
    metrics = {row.metric for row in rows if row.sample == "replace-06"}
    assert metrics == {"IF", "TA", "VC", "LP", "SE"}
    assert {row.metric for row in rows if row.sample == "replace-01"} == {"IF", "TA", "VC", "LP"}
    assert {row.metric for row in rows if row.sample == "replace-02"} == {
        "Q1",
        "Q2",
        "Q3",
        "Q4",
        "Q5",
    }
    assert {row.metric for row in rows if row.sample == "replace-03"} == {"VC", "VQ", "IF", "KP"}
    assert {row.metric for row in rows if row.sample == "delete-04"} == {
        "EA",
        "VQ",
        "Context",
    }
    for row in rows:
        assert row.status is Status.SCORED
        assert row.value is not None
        assert row.variant in ("faithful", "corrected")
        assert row.source.startswith("scripted#")
        assert {"reply", "model", "usage"} <= row.detail.keys()
        assert {"rubric", "call", "protocol", "judge"} <= row.origin.keys()
    entry = Run.open(made).manifest()["entries"][-1]
    assert entry["command"] == "judge"
    assert entry["answered"] == "scripted-2026-01-01"


def test_no_secret_reaches_a_file_or_a_message(made: Path) -> None:
    with FaultServer(lambda number: "401") as server:
        done = command("judge", "mini", "--run", str(made), *SAMPLES, url=server.url, code=2)
    assert "EDITGAUGE_JUDGE_KEY" in done.stderr
    found = [p for p in made.rglob("*") if p.is_file() and b"sk-very-secret" in p.read_bytes()]
    assert found == []
    assert "sk-very-secret" not in done.stdout + done.stderr


def test_failures_are_rows_with_reasons_and_can_be_tried_again(made: Path) -> None:
    """Refusals of half of the calls: exit 1, counted by category; --retry asks those again and only
    those.
    """
    with FaultServer(lambda number: "refusal" if number % 2 else "ok") as server:
        done = command("judge", "mini", "--run", str(made), *SAMPLES, url=server.url, code=1)
        first = server.requests
    assert "refused in" in done.stdout
    before = rows_of(made)
    refused = {row.key for row in before if row.status is Status.REFUSED}
    assert refused
    with FaultServer() as server:
        command("judge", "mini", "--run", str(made), *SAMPLES, url=server.url, code=1)
        assert server.requests == 0
        command("judge", "mini", "--run", str(made), *SAMPLES, "--retry", "refused", url=server.url)
        assert 0 < server.requests < first
    after = {row.key: row for row in rows_of(made)}
    assert len(after) == len(before)
    assert all(row.status is Status.SCORED for row in after.values())


def test_repeats_are_rows_of_their_own(made: Path) -> None:
    with FaultServer() as server:
        command(
            "judge",
            "mini",
            "--run",
            str(made),
            "--sample",
            "replace-02",
            "--repeat",
            "3",
            url=server.url,
        )
        assert server.requests == 6
    assert Counter(row.repeat for row in rows_of(made)) == {0: 20, 1: 20, 2: 20}


def test_a_shared_store_pays_once_for_two_runs(made: Path, tmp_path: Path) -> None:
    """The second run has no rows yet; they come from the first one's replies, offline."""
    store, other = tmp_path / "replies.sqlite", tmp_path / "other"
    shutil.copytree(made, other)
    words = ("judge", "mini", *SAMPLES, "--replies", str(store), "--run")
    with FaultServer() as server:
        command(*words, str(made), url=server.url)
    command(*words, str(other), "--offline", "--model", "scripted")
    assert essence(made) == essence(other)


def test_own_rubrics_are_another_judge(made: Path, tmp_path: Path) -> None:
    """A replaced rubric gives other calls and another source; a misspelt file is an error, not
    ignored.
    """
    folder = tmp_path / "rubrics"
    folder.mkdir()
    (folder / "textedit.questions.md").write_text(
        '{{source}} {{target}} Answer {"score": {"Q1": 1}}'
    )
    words = ("judge", "mini", "--run", str(made), "--sample", "replace-02")
    with FaultServer() as server:
        command(*words, url=server.url)
        command(*words, "--rubrics", str(folder), url=server.url)
        assert server.requests == 4
        assert server.bodies[-1]["messages"][0]["content"][0]["text"].endswith(
            'Answer {"score": {"Q1": 1}}\n'
        )
        (folder / "question.md").write_text("x")
        done = command(*words, "--rubrics", str(folder), url=server.url, code=2)
    assert "question.md replaces no rubric" in done.stderr
    assert len({row.source for row in rows_of(made)}) == 2


def test_show_prints_what_would_be_sent_and_sends_nothing(made: Path) -> None:
    with FaultServer() as server:
        done = command(
            "judge",
            "mini",
            "--run",
            str(made),
            "--show",
            "replace-02",
            "--editor",
            "copy",
            url=server.url,
        )
        shown = done.stdout
        command(
            "judge",
            "mini",
            "--run",
            str(made),
            "--sample",
            "replace-02",
            "--editor",
            "copy",
            url=server.url,
        )
        assert server.requests == 1
    content = server.bodies[0]["messages"][0]["content"]
    for part in content:
        if "text" in part:
            assert part["text"].strip() in shown
    assert shown.count("[picture: ") == 3
    assert "[picture: output, replace-02.png, " in shown


def test_estimate_counts_and_sends_nothing(made: Path, tmp_path: Path) -> None:
    """Ten calls of a hundred tokens each at a made-up price; what is in the store is not counted
    again.
    """
    words = ("judge", "mini", "--run", str(made), *SAMPLES, "--estimate", "--json")
    with FaultServer() as server:
        report = json.loads(command(*words, "--model", "gpt-4o-2024-11-20").stdout)
        assert report["calls"]["total"]["calls"] == sum(
            v["calls"] for k, v in report["calls"].items() if k != "total"
        )
        assert report["calls"]["total"]["dollars"] > 0
        assert report["batch"] == pytest.approx(report["calls"]["total"]["dollars"] / 2)
        command("judge", "mini", "--run", str(made), "--sample", "replace-02", url=server.url)
        asked = server.requests
        report = json.loads(command(*words, url=server.url).stdout)
        assert server.requests == asked == report["calls"]["total"]["stored"]
    assert report["calls"]["total"]["dollars"] is None


def test_a_budget_stops_with_its_own_exit_code(made: Path, tmp_path: Path) -> None:
    prices = tmp_path / "prices.json"
    prices.write_text(
        '{"models": {"scripted": {"input": 1, "output": 10, "images": "gemini-crops"}}}'
    )
    words = (
        "judge",
        "mini",
        "--run",
        str(made),
        *SAMPLES,
        "--prices",
        str(prices),
        "--concurrency",
        "1",
    )
    with FaultServer() as server:
        done = command(*words, "--budget", "0.02", url=server.url, code=3)
        assert "budget" in done.stdout
        first = server.requests
        command(*words, "--budget", "5", url=server.url)
        total = server.requests
    assert 0 < first < total
    assert all(row.status is Status.SCORED for row in rows_of(made))
    done = command(
        "judge", "mini", "--run", str(made), "--budget", "1", "--model", "unpriced", code=2
    )
    assert "--prices" in done.stderr


def test_an_alias_wants_a_word(made: Path) -> None:
    done = command("judge", "mini", "--run", str(made), "--model", "gpt-4o", code=2)
    assert "--allow-alias" in done.stderr
    assert "gpt-4o-2024-11-20" in done.stderr


def test_missing_outputs_are_rows_without_calls(tmp_path: Path) -> None:
    run = tmp_path / "run"
    command(
        "edit",
        "mini",
        "--editor",
        "copy",
        "--run",
        str(run),
        "--sample",
        "replace-02",
        "--workers",
        "0",
    )
    with FaultServer() as server:
        words = (
            "judge",
            "mini",
            "--run",
            str(run),
            "--sample",
            "replace-02",
            "--sample",
            "replace-01",
        )
        command(*words, url=server.url, code=1)
        assert server.requests == 1
        command(*words, url=server.url, code=1)
    missing = [row for row in rows_of(run) if row.sample == "replace-01"]
    assert {row.status for row in missing} == {Status.MISSING}
    assert len(missing) == 8


def test_ctrl_c_keeps_what_was_done_and_goes_on_from_there(
    made: Path, edited: Path, tmp_path: Path
) -> None:
    """Interrupted in the middle: exit 130, nothing asked twice afterwards, the same rows as
    without.
    """
    with FaultServer(latency=0.3) as server:
        words = ("judge", "mini", "--run", str(made), *SAMPLES, "--concurrency", "2")
        process = subprocess.Popen(
            _words(words, server.url),
            env=_environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        deadline = time.monotonic() + 60
        while server.requests < 3 and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
        assert process.returncode == 130, output + errors
        assert "goes on from here" in output
        first = server.requests
        server.latency = 0.0
        command(*words, url=server.url)
        total = server.requests
        fresh = Path(shutil.copytree(edited, tmp_path / "fresh"))
        command("judge", "mini", "--run", str(fresh), *SAMPLES, url=server.url)
        assert server.requests == 2 * total
    assert first < total
    assert essence(made) == essence(fresh)


def test_kill_9_repeats_at_most_what_was_in_flight(made: Path) -> None:
    """Killed twice at different moments: every call is paid once, but for those in flight."""
    with FaultServer(latency=0.15) as server:
        words = ("judge", "mini", "--run", str(made), *SAMPLES, "--concurrency", "2")
        for goal in (3, 9):
            process = subprocess.Popen(
                _words(words, server.url),
                env=_environment(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            deadline = time.monotonic() + 60
            while server.requests < goal and time.monotonic() < deadline:
                time.sleep(0.01)
            process.kill()
            process.wait()
        server.latency = 0.0
        command(*words, url=server.url)
        asked = server.requests
        command(*words, url=server.url)
        assert server.requests == asked
    rows = rows_of(made)
    calls = len({(row.sample, row.editor, row.origin["call"]) for row in rows})
    assert all(row.status is Status.SCORED for row in rows)
    assert calls <= asked <= calls + 2 * 2


@pytest.mark.parametrize(
    ("words", "match"),
    [
        (["--dimensions", "XX"], "--dimensions 'XX'"),
        (["--retry", "missing"], "--retry"),
        (["--base-url", "ftp://x"], "--base-url"),
        (["--base-url", "http://user:pw@host/v1"], "put no key into the address"),
        (["--set", "text"], "key=value"),
        (["--prices", "no-such-file.json"], "--prices"),
    ],
)
def test_wrong_words_are_one_clear_error(made: Path, words: list[str], match: str) -> None:
    more = [] if "--base-url" in words else ["--base-url", "http://127.0.0.1:9/v1"]
    done = command(
        "judge", "mini", "--run", str(made), *SAMPLES, "--model", "m", *more, *words, code=2
    )
    assert match in done.stderr
    assert "Traceback" not in done.stderr


def test_the_faithful_zero_and_the_corrected_failure_stand_side_by_side(made: Path) -> None:
    """TextEditBench: an unreadable reply is 0 in the released table and no score in ours."""
    words = (
        "judge",
        "mini",
        "--run",
        str(made),
        "--sample",
        "replace-01",
        "--editor",
        "copy",
        "--no-repair",
    )
    with FaultServer(answer=ScriptedJudge(replies=("I like it.",) * 4)) as server:
        command(*words, url=server.url, code=1)
    rows = rows_of(made)
    assert {(row.variant, row.value, row.status) for row in rows} == {
        ("faithful", 0.0, Status.SCORED),
        ("corrected", None, Status.UNPARSABLE),
    }
    assert all(row.reason for row in rows)


def test_a_reference_that_cannot_be_read_is_the_datas_fault(
    made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The editor's picture is fine: no score, and not the editor's doing."""
    from dataclasses import replace

    from editgauge.benchmarks.textedit.judge import TextEditJudging

    real = TextEditJudging.calls

    def calls(self: Any, sample: Any, *rest: Any) -> Any:
        return real(self, replace(sample, reference=sample.image.with_name("nowhere.png")), *rest)

    monkeypatch.setattr(TextEditJudging, "calls", calls)
    with FaultServer() as server:
        command(
            "judge", "mini", "--run", str(made), "--sample", "replace-02", url=server.url, code=1
        )
        assert server.requests == 0
    assert {row.status for row in rows_of(made)} == {Status.DATASET_FAULT}


def test_scores_of_a_released_script_are_taken_in(made: Path, tmp_path: Path, shared: Path) -> None:
    """From a file on disk to rows, through the command."""
    run = tmp_path / "imported"
    place = tmp_path / "results" / "some-model" / "chemistry" / "metrics.json"
    place.parent.mkdir(parents=True)
    place.write_text(
        json.dumps({"1": {"consistency_score": 4, "quality_score": 5}, "999": {"quality_score": 1}})
    )
    words = (
        "judge",
        "krisbench",
        str(shared / "data" / "kris_bench"),
        "--run",
        str(run),
        "--model",
        "gpt-4o-2024-08-06",
    )
    report = json.loads(command(*words, "--import", str(tmp_path / "results"), "--json").stdout)
    assert report["rows"] == 4
    assert report["unknown"] == ["some-model: chemistry/999"]
    assert {(row.metric, row.value) for row in rows_of(run)} == {("VC", 4.0), ("VQ", 5.0)}


def test_a_budget_says_how_many_samples_of_all_editors_it_pays_for(made: Path) -> None:
    """And what was judged when it ended is both editors on the same samples."""
    words = (str(made), *SAMPLES, "--model", "scripted", "--price", "1/10", "--budget", "0.05")
    said = command("judge", "--estimate", "mini", "--run", *words).stdout
    assert re.search(r"the budget pays for about \d of 5 samples, each for all 2 editors", said)
    with FaultServer() as server:
        done = command("judge", "mini", "--run", *words[:-1], "0.02", url=server.url, code=3)
    assert "each for all 2 editors" in done.stderr
    judged: dict[str, set[str]] = {}
    for row in rows_of(made):
        judged.setdefault(row.sample, set()).add(row.editor)
    halves = [editors for editors in judged.values() if len(editors) == 1]
    assert judged
    assert len(halves) <= 1, "only the sample at which it ended"
