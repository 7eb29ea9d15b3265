"""Programs of their own: the conversation, and everything that such a program can do wrong."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from editgauge.errors import WeightsError
from editgauge.scoring import NoScore
from editgauge.scoring.adapter import Adapter, AdapterError, AdapterScorer
from editgauge.testing import make_sample
from editgauge.types import Edit, Metric, Status

GOOD = """
import json, sys
print(json.dumps({"adapter": 1, "model": "fake", "identity": "v7"}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    if asked["text"] == "die": sys.exit("boom")
    print(json.dumps({"id": asked["id"], "value": len(asked["text"]) + 0.5}), flush=True)
"""
HELLO = 'print(\'{"adapter": 1, "model": "fake"}\', flush=True)\n'
Program = Callable[[str], str]


@pytest.fixture
def program(tmp_path: Path) -> Program:
    def write(text: str) -> str:
        path = tmp_path / "adapter.py"
        path.write_text("import sys, time\n" + text)
        return shlex.join([sys.executable, str(path)])

    return write


def ask(adapter: Adapter, folder: Path) -> float:
    try:
        return adapter.ask(folder / "x.png", "")
    finally:
        adapter._child.kill()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("print('{}', flush=True)\nsys.stdin.read()", "introduce itself"),
        ("sys.exit('cannot import ImageReward')", "ended with code 1: cannot import ImageReward"),
        (HELLO + "sys.stdin.readline(); sys.exit('no memory')", "ended with code 1: no memory"),
        (
            HELLO + 'sys.stdin.readline(); print(\'{"id": 5, "value": 1}\', flush=True)',
            "answered question 5, asked was 0",
        ),
        (HELLO + "time.sleep(60)", "no answer in 0.5 s"),
    ],
)
def test_what_does_not_keep_to_the_conversation_is_named(
    program: Program, tmp_path: Path, text: str, words: str
) -> None:
    with pytest.raises(AdapterError, match=words):
        ask(Adapter(program(text), answer_seconds=0.5 if "sleep" in text else 20), tmp_path)


FAKE = AdapterScorer(
    name="test_fake",
    title="FakeReward",
    metrics=tuple(
        Metric(name, direction="higher", low=-9, high=9) for name in ("fake_p", "fake_d")
    ),
    inputs=("instruction", "change"),
)


def test_as_a_scorer(program: Program, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    sample = make_sample(tmp_path, instruction="twelve chars", change=None)
    edit = Edit(sample=sample.id, editor="e", path=sample.image)
    before = FAKE.origin()
    with pytest.raises(WeightsError, match="set EDITGAUGE_TEST_FAKE to the command"):
        FAKE.score(sample, edit)
    monkeypatch.setenv("EDITGAUGE_TEST_FAKE", program(GOOD))
    assert FAKE.origin() != before, "rows of a machine without the program are computed anew"
    assert str(tmp_path) not in str(FAKE.origin())
    value, without = FAKE.score(sample, edit)
    assert (value.value, value.detail) == (12.5, {"model": "fake", "identity": "v7"})
    assert (without.status, without.reason) == (Status.NOT_APPLICABLE, "the sample has no change")
    assert "boom" in FAKE.score(replace(sample, instruction="die"), edit)[0].reason
    assert FAKE.score(sample, edit)[0].value == 12.5, "it is started again"


FAKE_REWARD = """
class Model:
    def score(self, text, image):
        print("libraries print to standard output")
        if text == "bad":
            raise RuntimeError("no such picture")
        return len(text) * 0.25

def load(name, device, med_config):
    return Model()
"""


def test_the_example_program_keeps_to_the_conversation(tmp_path: Path) -> None:
    (tmp_path / "ImageReward.py").write_text(FAKE_REWARD)
    program = Path(__file__).resolve().parents[2] / "examples/imagereward_adapter.py"
    words = ["env", f"PYTHONPATH={tmp_path}", sys.executable, str(program)]
    adapter, image = Adapter(shlex.join(words)), make_sample(tmp_path).image
    try:
        assert adapter.about["model"] == "ImageReward-v1.0"
        with pytest.raises(NoScore, match="RuntimeError: no such picture"):
            adapter.ask(image, "bad")
        assert adapter.ask(image, "sixsix") == 1.5
    finally:
        adapter._child.kill()
