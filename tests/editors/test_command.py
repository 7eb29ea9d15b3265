"""Models outside of our environment: those of examples/, and those that misbehave."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from tests.command_line import invoke

from editgauge.editors.command import CommandEditor, command
from editgauge.editors.providers import http
from editgauge.editors.tracks import Track, on_track
from editgauge.images import read_image
from editgauge.store.run import Run
from editgauge.testing import make_sample
from editgauge.types import Status

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
COPY = (
    "import shutil; shutil.copy(asked['images'][0], asked['output']); answer(id=asked['id'], "
    "image=asked['output'])"
)


def program(folder: Path, body: str, before: str = "", **settings: Any) -> CommandEditor:
    """An editor whose program runs `body` for each question `asked`; `answer(**fields)` prints a
    line.
    """
    file = folder / "model.py"
    file.write_text(
        "import json, os, subprocess, sys, time\n"
        "def answer(**fields): print(json.dumps(fields), flush=True)\n"
        f"{before}\n"
        "for number, line in enumerate(sys.stdin):\n"
        "    asked = json.loads(line)\n" + textwrap.indent(textwrap.dedent(body), "    ")
    )
    return command([], program=f"{sys.executable} {file}", **settings)


def test_a_program_that_hangs_is_killed_with_all_that_it_started(tmp_path: Path) -> None:
    """Loading, which takes longer, is not on the first sample's account."""
    mark = tmp_path / "pid"
    loads = "answer(ready=False); time.sleep(2.5); answer(ready=True)"
    starts = "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])"
    slow = f"open({str(mark)!r}, 'w').write(str({starts}.pid)); time.sleep(600)"
    body = f"if asked['id'] == 'slow': {slow}\n{COPY}"
    editor = program(tmp_path, body, loads, timeout="2")
    assert editor(make_sample(tmp_path, "first"), tmp_path).ok
    edit = editor(make_sample(tmp_path, "slow"), tmp_path)
    assert (edit.status, edit.reason) == (Status.FAILED, "no answer within 2 s")
    child = int(mark.read_text())
    for _ in range(100):  # SIGKILL takes its moment
        if not psutil.pid_exists(child) or psutil.Process(child).status() == "zombie":
            break
        time.sleep(0.1)
    else:
        raise AssertionError("it outlived its program")
    assert editor(make_sample(tmp_path, "quick"), tmp_path).ok


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        ("answer(id=asked['id'], error='not I', status='refused')", Status.REFUSED, "not I"),
        ("answer(error='oops\\x1b[31m')", Status.FAILED, "oops [31m"),
        ("answer(image=None, error='no memory')", Status.FAILED, "no memory"),
        ("answer(image='/nowhere/at/all.png')", Status.MISSING, "cannot be read"),
        ("answer(image='/dev/zero')", Status.MISSING, "regular file"),
        ("print('no room', file=sys.stderr); sys.exit(9)", Status.FAILED, "code 9: no room"),
        ("open(asked['output'], 'w').write('text'); answer(image=asked['output'])",
         Status.UNREADABLE, "not a picture"),
    ],
)  # fmt: skip
def test_answers_without_a_picture(body: str, status: Status, said: str, tmp_path: Path) -> None:
    edit = program(tmp_path, body)(make_sample(tmp_path), tmp_path)
    assert (edit.status, edit.path) == (status, None)
    assert said in edit.reason


def test_what_a_program_is_told(tmp_path: Path) -> None:
    samples = [make_sample(tmp_path, f"s{n}") for n in range(3)]
    editor = program(
        tmp_path, f"open({str(tmp_path / 'told')!r}, 'w').write(line)\n{COPY}", seed="7"
    )
    edit = on_track(editor, Track(shots=1), pool=samples)(samples[0], tmp_path)
    assert edit.seed == 7
    told = (tmp_path / "told").read_text()
    assert '"seed": 7' in told
    assert '"examples"' in told
    assert str(samples[0].reference) not in told, "the answer is not given away"


@pytest.mark.parametrize("option", ["", "--key "])
def test_a_key_in_the_command_line_reaches_no_file(option: str, tmp_path: Path) -> None:
    program(tmp_path, "answer(error='no')")
    run, secret = tmp_path / "run", "sk-not-to-be-kept"
    line = f"program={sys.executable} {tmp_path / 'model.py'} {option}{secret}"
    words = ["edit", "mini", "--editor", "command", "--run", run, "--limit", 1, "--set", line]
    result = invoke(words)
    assert result.exit_code == 1, result.output
    assert secret not in result.output
    for path in run.rglob("*"):
        assert secret not in path.name
        assert not path.is_file() or secret.encode() not in path.read_bytes(), path
    assert "model.py" in str(Run.open(run).manifest())


def test_the_example_of_a_wrapped_repository_runs(tmp_path: Path) -> None:
    repository = tmp_path / "their-model"
    (repository / "weights").mkdir(parents=True)
    (repository / "inferencer.py").write_text(
        "from PIL import Image\n"
        "class Inferencer:\n"
        "    def __init__(self, weights): print('loading', weights)\n"
        "    def edit(self, image, instruction, seed): return Image.open(image).convert('RGB')\n"
    )
    example = EXAMPLES / "research_repository.py"
    editor = command([], program=f"{sys.executable} {example} {repository}")
    assert editor.name == "their-model"
    assert editor(make_sample(tmp_path), tmp_path).ok


# -- an endpoint of one's own ----------------------------------------------------------------------


@pytest.fixture
def server() -> Iterator[str]:
    words = [sys.executable, str(EXAMPLES / "http_editor_server.py"), "0"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(words, text=True, **pipes) as process:  # type: ignore[call-overload]
        yield process.stdout.readline().strip()
        process.kill()


def test_the_example_server_inverts_and_refuses(server: str, tmp_path: Path) -> None:
    editor = http([], base_url=server, name="inverter", seed="3")
    sample = make_sample(tmp_path)
    edit = editor(sample, tmp_path)
    assert edit.ok, edit.reason
    assert edit.path is not None
    assert np.array_equal(read_image(edit.path), 255 - read_image(sample.image))
    assert edit.seed == 3
    refused = editor(make_sample(tmp_path, "no", instruction="something forbidden"), tmp_path)
    assert (refused.status, refused.reason) == (Status.REFUSED, "this service does not do that")
