"""What a judge command checks, says and leaves behind, from the command line."""

from __future__ import annotations

import io
import json
import subprocess
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PIL import Image
from tests.judging.conftest import Bench
from tests.judging.raw_server import saying
from tests.judging.test_run_judging import SAMPLES, _environment, _words, command, essence, rows_of

from editgauge.errors import RunError
from editgauge.judging.cache import ReplyStore
from editgauge.judging.fakes import request_pictures
from editgauge.services.paid import decoded as decode
from editgauge.services.secrets import Secrets
from editgauge.store.run import Run
from editgauge.testing import FaultServer, ScriptedJudge
from editgauge.types import Status


@pytest.mark.parametrize("protocol", ["replace-01", "replace-02"])
def test_what_was_not_asked_leaves_no_row(made: Path, protocol: str) -> None:
    """Offline with an empty store: no row, so that no table shows a 0; an ordinary run then asks."""
    words = ("judge", "mini", "--run", str(made), "--sample", protocol)
    done = command(*words, "--offline", "--model", "scripted", code=1)
    assert "were not asked" in done.stdout
    assert rows_of(made) == []
    with FaultServer() as server:
        command(*words, url=server.url)
        assert server.requests > 0
    assert {row.status for row in rows_of(made)} == {Status.SCORED}


def test_a_batch_that_lost_a_call_leaves_no_row_for_it(made: Path) -> None:
    words = ("judge", "mini", "--run", str(made), "--sample", "replace-02", "--what")
    with FaultServer() as server:
        command(*words, "submit", url=server.url)
        lines = server.files["file-0"].splitlines()
        server.files["file-0"] = lines[0]
        command(*words, "collect", url=server.url, code=1)
    assert len({(row.sample, row.editor) for row in rows_of(made)}) == 1


def test_a_second_process_is_refused_and_a_dead_one_holds_nothing(made: Path) -> None:
    words = ("judge", "mini", "--run", str(made), *SAMPLES, "--concurrency", "2")
    with FaultServer(latency=0.5) as server:
        first = subprocess.Popen(
            _words(words, server.url),
            env=_environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 60
        while server.requests < 2:
            assert first.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.02)
        refused = command(*words, url=server.url, code=2)
        assert f"process {first.pid}" in refused.stderr
        first.kill()
        first.wait()
        server.latency = 0.0
        command(*words, url=server.url)
        asked = server.requests
        command(*words, url=server.url)
        assert server.requests == asked


@pytest.mark.parametrize(
    ("words", "match"),
    [
        (["--set", "refrence=false"], "did you mean reference"),
        (["--set", "reference=perhaps"], "true, false"),
        (["--set", "text=Z"], "D, P, DP"),
        (["--reasoning-effort", "much"], "--reasoning-effort"),
        (["--detail", "fine"], "--detail"),
        (["--encoding", "jpeg"], "--encoding"),
        (["--price", "cheap"], "IN/OUT"),
        (["--price", "-1/2"], "IN/OUT"),
        (["--model", "two\nlines"], "wanted a judge's name"),
        (["--model", " "], "wanted a judge's name"),
    ],
)
def test_wrong_settings_are_errors_before_anything_is_paid(
    made: Path, words: list[str], match: str
) -> None:
    with FaultServer() as server:
        done = command(
            "judge", "mini", "--run", str(made), *SAMPLES, "--model", "scripted", "--base-url",
            server.url, *words, code=2,
        )  # fmt: skip
        assert server.requests == 0
    assert match in done.stderr


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("  \n", "empty"),
        ("Judge the picture.", "no field"),
        ("{{source}} {{target}} {instruct}", "{instruct} is no field"),
        ("{{source}} %(target)s", "is no field"),
        ("{{source}} {{ target }}", "{{ target }} is no field"),
        ("{{source}} {{Target}}", "is no field"),
        ("{{source}} {{target}", "is no field"),
        ("{{source}} {target.text} {}", "{target.text} is no field"),
        ("{{source}} and {}", "{} is no field"),
        ("{{source}} and %s", "%s is no field"),
        ("{{source}} and $target", "$target is no field"),
        ("{{source}}: was [INSTRUCTION] followed?", "[INSTRUCTION] is no field"),
        ("{{source}} {{target}} {{reference_text}}", "is no field; there are"),
        ("{{source}} {% if target %}", "is no field"),
        ("{{^source}}nothing{{/source}} here", "no field"),
        ("\u200b\ufeff", "empty"),
    ],
)
def test_a_rubric_that_would_be_sent_in_vain_is_an_error(
    made: Path, tmp_path: Path, text: str, match: str
) -> None:
    folder = tmp_path / "rubrics"
    folder.mkdir()
    (folder / "textedit.questions.md").write_text(text)
    words = ("judge", "mini", "--run", str(made), "--sample", "replace-02")
    with FaultServer() as server:
        done = command(*words, "--rubrics", str(folder), url=server.url, code=2)
        assert server.requests == 0
    assert match in done.stderr


@pytest.mark.parametrize("name", ["textedit.questions.MD", "readme.txt", ""])
def test_a_folder_that_replaces_no_rubric_is_an_error(
    made: Path, tmp_path: Path, name: str
) -> None:
    """Nobody wants to pay for the package's own in the belief that they are his."""
    folder = tmp_path / "rubrics"
    folder.mkdir()
    if name:
        (folder / name).write_text("{{source}} {{target}}")
    words = ("judge", "mini", "--run", str(made), "--sample", "replace-02")
    with FaultServer() as server:
        done = command(*words, "--rubrics", str(folder), url=server.url, code=2)
        assert server.requests == 0
    assert "textedit.questions.md" in done.stderr


def test_settings_are_sent_and_are_part_of_the_judges_name(made: Path) -> None:
    words = ("judge", "mini", "--run", str(made), "--sample", "replace-02", "--editor", "copy")
    more = (
        "--temperature", "0.5", "--seed", "7", "--max-tokens", "900", "--detail", "low",
        "--reasoning-effort", "low", "--encoding", "png",
    )  # fmt: skip
    with FaultServer() as server:
        command(*words, url=server.url)
        command(*words, *more, url=server.url)
    plain, given = server.bodies
    assert "seed" not in plain
    assert (given["temperature"], given["seed"], given["max_tokens"]) == (0.5, 7, 900)
    assert given["reasoning_effort"] == "low"
    picture = next(part for part in given["messages"][0]["content"] if "image_url" in part)
    assert picture["image_url"]["detail"] == "low"
    sources = sorted({row.source for row in rows_of(made)}, key=len)
    assert len(sources) == 2
    assert sources[1] == (
        f"{sources[0]}+temperature=0.5,seed=7,max_tokens=900,reasoning_effort=low,detail=low,"
        f"encoding=png"
    )


def test_the_estimate_counts_the_calibration(made: Path) -> None:
    words = (
        "judge",
        "--estimate",
        "mini",
        "--run",
        str(made),
        *SAMPLES,
        "--price",
        "1/10",
        "--json",
    )
    model = ("--model", "scripted")
    plain = json.loads(command(*words, *model).stdout)["calls"]
    more = json.loads(command(*words, *model, "--calibration").stdout)["calls"]
    assert "calibration" not in plain
    assert more["calibration"]["calls"] > 20
    assert more["total"]["calls"] == plain["total"]["calls"] + more["calibration"]["calls"]
    assert more["total"]["dollars"] > plain["total"]["dollars"]


def test_judges_that_think_get_room(bench: Bench) -> None:
    """The model's own limit, and the user's; the room that a cut reply got is kept over a repair."""
    with FaultServer() as server:
        bench.ask(server, 1, room=16384)
    assert server.bodies[0]["max_tokens"] == 16384
    bad = '{"pictures_visible": true, "reason": "x", "score": {"Q1": 9, "Q2": 1, "Q3": 1, "Q4": 1, "Q5": 1}}'
    with FaultServer(["length"], answer=ScriptedJudge(replies=(bad, bad))) as server:
        bench.ask(server, jobs=bench.jobs(1, repeats=2)[1:], room=2000)
    assert [body["max_tokens"] for body in server.bodies] == [2000, 8000, 8000]


def test_judges_that_are_cut_off_again_and_again_stop_the_run(bench: Bench) -> None:
    with FaultServer(lambda number: "length") as server:
        with pytest.raises(RunError, match=r"--max-tokens \d+.*--reasoning-effort low") as caught:
            bench.ask(server, 15, concurrency=1)
        assert server.requests == 10, "five calls, each with more room once"
    assert "cut off" in str(caught.value)


def test_room_is_asked_for_one_call_at_a_time_until_it_helps(bench: Bench) -> None:
    """The dearest requests there are: sixteen calls are cut off at once, five get more room."""
    with FaultServer(lambda number: "length") as server:
        with pytest.raises(RunError, match="cut off"):
            bench.ask(server, 16, concurrency=16)
        asked = [body["max_tokens"] for body in server.bodies]
    assert (asked.count(1000), asked.count(4000)) == (16, 5)


def test_a_few_cut_replies_hold_up_nobody(bench: Bench) -> None:
    """Every third call is cut off, with more room as well: the run goes on, side by side."""
    with FaultServer(lambda number: "ok" if number % 3 else "length", latency=0.02) as server:
        heard = bench.ask(server, 15, concurrency=15)
    assert len(heard) == 15
    assert sum(not one.cut_off for one in heard) >= 10


@pytest.mark.parametrize(
    ("message", "requests"),
    [
        ({"content": None, "reasoning_content": "hm"}, 10),
        ({"content": "<think>first idea: 3, or rather"}, 10),
        ({"content": [{"type": "reasoning", "text": "hm"}], "reasoning": "hm"}, 10),
    ],
)
def test_judges_that_think_and_never_answer_stop_the_run(
    bench: Bench, message: dict[str, Any], requests: int
) -> None:
    """Whatever the server calls it: here it says that the reply ended by itself."""
    said = {"choices": [{"message": message, "finish_reason": "stop"}], "model": "m"}
    with saying(json.dumps(said).encode()) as url:
        server = SimpleNamespace(url=url)
        with pytest.raises(RunError, match=r"--max-tokens \d+.*--reasoning-effort low"):
            bench.ask(server, 12, concurrency=1, backoff=0.001)  # type: ignore[arg-type]
    assert bench.engine is not None
    assert bench.engine.stats.asked == requests
    with ReplyStore(bench.folder / "replies.sqlite") as store:
        assert len(store) >= 5, "what was paid for is kept"


def test_a_server_that_cannot_read_webp_gets_png_and_the_row_says_so(made: Path) -> None:
    """The pixels are the same; other calls are asked once; a second run starts with PNG."""
    record = next(r for r in Run.open(made).edits("mini") if r.sample == "replace-02" and r.path)
    path = made / str(record.path)
    with Image.open(path) as image:
        pixels = image.convert("RGB").copy()
    path.unlink()
    outputs = made.parent / "outputs" / "webp"
    outputs.mkdir(parents=True)
    pixels.save(outputs / "replace-02.webp", lossless=True)

    def script(number: int) -> str:
        return "400" if number == 1 else "ok"

    words = (
        "judge", "mini", "--run", str(made), "--sample", "replace-02", "--outputs",
        str(outputs.parent), "--editor", "webp",
    )  # fmt: skip
    with FaultServer(script) as server:
        command(*words, url=server.url)
    first, second = server.bodies
    assert request_pictures(first)[-1][8:12] == b"WEBP"
    sent = request_pictures(second)[-1]
    assert sent.startswith(b"\x89PNG")
    with Image.open(io.BytesIO(sent)) as image:
        assert image.convert("RGB").tobytes() == pixels.tobytes()
    rows = rows_of(made)
    assert {row.status for row in rows} == {Status.SCORED}
    assert all(row.detail["as_png"] == ["output"] for row in rows)
    with FaultServer() as server:
        command(*words, url=server.url)
        assert server.requests == 0


def test_paid_replies_in_flight_are_kept_when_another_model_answers(bench: Bench) -> None:
    """Four calls at once, the second by another model: the others are stored, and paid once."""
    with FaultServer(["ok", "model:other-2026-02-02"], latency=0.1) as server:
        with pytest.raises(RunError, match="other-2026-02-02"):
            bench.ask(server, 8, concurrency=4)
        asked = server.requests
    with FaultServer() as server:
        bench.ask(server, 8, concurrency=4)
        assert server.requests == 8 - (asked - 1)


def test_every_request_and_its_tokens_are_counted(bench: Bench) -> None:
    """Empty replies are thrown away and asked again: their tokens are in the sums."""
    with FaultServer(["ok", "empty", "500"]) as server:
        bench.ask(server, 3, concurrency=1)
        assert bench.engine is not None
        stats = bench.engine.stats
        assert stats.asked == server.requests == 5
        assert stats.tokens_in == 4 * 1000, "the 500 has no usage"


HOSTILE = [
    b'{"choices": [{"message": {"content": "x"}}], "usage": {"prompt_tokens": '
    + b"9" * 400
    + b"}}",
    b'{"choices": [{"message": {"content": "\\ud800 {\\"score\\": 1}"}}], "model": "\\udfff"}',
    b'{"choices": [{"message": {"content": "x"}}], "usage": '
    + b'{"a":' * 400
    + b"1"
    + b"}" * 400
    + b"}",
    b"[" * 200_000 + b"]" * 200_000,
    b'{"choices": [{"message": {"content": [{"text": 18446744073709551616}]}}]}',
    b'{"choices": [{"message": {"content": "x", "reasoning_content": ' + b"1" * 5000 + b"}}]}",
    b'{"choices": [{"message": {"content": "x"}}], "error": 7, "model": {"a": [1]}}',
    b'{"choices": [{"message": {"content": "{\\"reason\\": \\"\\\\ud800\\", \\"score\\": {\\"Q1\\": 1}}"}}]}',
    b"\xff\xfe\x00",
    b'{"choices": {"0": 1}, "usage": [1, 2]}',
]


@pytest.mark.parametrize("data", HOSTILE, ids=range(len(HOSTILE)))
def test_no_reply_ends_a_run_with_a_traceback(made: Path, data: bytes) -> None:
    with saying(data) as url:
        words = ("judge", "mini", "--run", str(made), *SAMPLES[:4], "--deadline", "2")
        done = command(*words, url=url, code=1)
    assert "Traceback" not in done.stderr
    assert rows_of(made)
    again = essence(made)
    command(*words, "--offline", "--model", "scripted", code=1)
    assert essence(made) == again


@pytest.mark.parametrize("data", HOSTILE, ids=range(len(HOSTILE)))
def test_decoded_values_can_be_stored(data: bytes) -> None:
    import orjson

    orjson.dumps(decode(data, Secrets()))
