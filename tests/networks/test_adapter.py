"""Programs of their own: the conversation, and everything that such a program can do wrong."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from editgauge.networks.adapter import Adapter, AdapterError
from editgauge.scoring import adapter as adapter_scorer
from editgauge.scoring.adapter import AdapterScorer
from editgauge.testing import make_sample
from editgauge.types import Edit, Metric, Status

GOOD = """
import json, sys
print(json.dumps({"adapter": 1, "model": "fake", "identity": "v7"}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps({"id": asked["id"], "value": len(asked["text"]) + 0.5}), flush=True)
"""
HELLO = 'print(\'{"adapter": 1, "model": "fake"}\', flush=True)\n'
Program = Callable[[str], str]


def many(scorer: Any, pairs: Any) -> list[Any]:
    """The scores of each pair, in order."""
    found = dict(scorer.score_many(pairs))
    return [found[index] for index in range(len(pairs))]


@pytest.fixture
def program(tmp_path: Path) -> Program:
    def write(text: str) -> str:
        path = tmp_path / "adapter.py"
        path.write_text("import sys, time\n" + text)
        return shlex.join([sys.executable, str(path)])

    return write


@pytest.fixture(autouse=True)
def ended() -> Iterator[None]:
    yield
    adapter_scorer.close_all()


def test_questions_and_answers(program: Program, tmp_path: Path) -> None:
    with Adapter(program(GOOD)) as adapter:
        assert (adapter.model, adapter.identity) == ("fake", "v7")
        assert [
            adapter.ask(tmp_path / "x.png", text).value for text in ("", "four", "ünï\n{}")
        ] == [0.5, 4.5, 6.5]
    assert adapter._child.process.poll() == 0, "closing its input ended it"


@pytest.mark.parametrize(
    "reply",
    ['"error": "too dark"', '"value": "0.5"', '"value": true', '"value": null', '"value": 1e999'],
)
def test_no_value_is_an_answer_without_a_number(
    program: Program, tmp_path: Path, reply: str
) -> None:
    text = HELLO + f"for line in sys.stdin: print('{{\"id\": 0, {reply}}}', flush=True)"
    with Adapter(program(text)) as adapter:
        if "1e999" in reply:  # not JSON that anybody may send
            with pytest.raises(AdapterError, match="not a JSON object"):
                adapter.ask(tmp_path / "x.png", "")
            return
        answer = adapter.ask(tmp_path / "x.png", "")
    assert answer.value is None
    assert answer.error == ("too dark" if "dark" in reply else "the adapter gave no finite value")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("print('loading model…', flush=True)\nsys.stdin.read()", "not a JSON object"),
        ("print('{}', flush=True)\nsys.stdin.read()", "introduce itself"),
        ("sys.exit('cannot import ImageReward')", "ended with code 1: cannot import ImageReward"),
        ("time.sleep(60)", "no answer in 0.5 s"),
    ],
)
def test_a_bad_start_is_named(program: Program, text: str, words: str) -> None:
    with pytest.raises(AdapterError, match=words):
        Adapter(program(text), start_seconds=0.5 if "sleep" in text else 20)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "sys.stdin.readline(); sys.exit('CUDA out of memory')",
            "ended with code 1: CUDA out of memory",
        ),
        (
            'sys.stdin.readline(); print(\'{"id": 5, "value": 1}\', flush=True)',
            "answered question 5, asked was 0",
        ),
        ("sys.stdin.readline(); print('x' * 200000, flush=True)", "not a JSON object"),
        ("time.sleep(60)", "no answer in 0.5 s"),
    ],
)
def test_a_bad_answer_is_named(program: Program, tmp_path: Path, text: str, words: str) -> None:
    adapter = Adapter(program(HELLO + text), answer_seconds=0.5 if "sleep" in text else 20)
    with pytest.raises(AdapterError, match=words):
        adapter.ask(tmp_path / "x.png", "")
    adapter._child.kill()


def scorer(command: str | None = None) -> AdapterScorer:
    return AdapterScorer(
        name="fake",
        title="FakeReward",
        variable="EDITGAUGE_TEST_FAKE",
        example="examples/fake.py",
        measures=(
            (Metric("fake_p", direction="higher", low=-9, high=9), "instruction"),
            (Metric("fake_d", direction="higher", low=-9, high=9), "change"),
        ),
        command=command,
    )


def test_as_a_scorer(program: Program, tmp_path: Path) -> None:
    sample = make_sample(tmp_path, instruction="twelve chars", change=None)
    edit = Edit(sample=sample.id, editor="e", path=sample.image)
    found = many(scorer(program(GOOD)), [(sample, edit)] * 3)
    assert [[s.value for s in scores] for scores in found] == [[12.5, None]] * 3
    assert found[0][0].detail == {"model": "fake", "identity": "v7"}
    assert (found[0][1].status, found[0][1].reason) == (
        Status.NOT_APPLICABLE,
        "the sample has no change",
    )
    assert len(adapter_scorer._RUNNING) == 1, "the program is started once"


def test_the_environment_gives_the_command(
    program: Program, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before = scorer().origin()
    monkeypatch.setenv("EDITGAUGE_TEST_FAKE", program(GOOD))
    sample = make_sample(tmp_path, instruction="abc")
    assert (
        scorer().score(sample, Edit(sample=sample.id, editor="e", path=sample.image))[0].value
        == 3.5
    )
    assert scorer().origin() != before, "rows of a machine without the program are computed anew"
    assert str(tmp_path) not in str(scorer().origin())


def test_a_program_that_dies_costs_statuses_and_is_started_again(
    program: Program, tmp_path: Path
) -> None:
    text = GOOD.replace(
        "    print(json", "    if asked['text'] == 'die': sys.exit('boom')\n    print(json"
    )
    command = program(text)
    fatal = make_sample(tmp_path / "a", instruction="die", change="x")
    good = make_sample(tmp_path / "b", instruction="fine", change="x")
    scores = scorer(command).score(fatal, Edit(sample=fatal.id, editor="e", path=fatal.image))
    assert [s.status for s in scores] == [Status.FAILED] * 2
    assert "boom" in scores[0].reason
    assert (
        scorer(command).score(good, Edit(sample=good.id, editor="e", path=good.image))[0].value
        == 4.5
    )


EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
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
FAKE_MEDCLIP = """
import torch
__version__ = "0.0.3"
class MedCLIPVisionModelViT: pass
class MedCLIPModel:
    def __init__(self, vision_cls): pass
    def from_pretrained(self): pass
    def to(self, device): return self
    def eval(self): return self
    def encode_image(self, pixel_values): return pixel_values
    def text_model(self, input_ids, attention_mask): return torch.tensor([[4.0, 3.0]])
    def encode_text(self, *numbers): raise AssertionError("Torch not compiled with CUDA enabled")
    __call__ = encode_text
class MedCLIPProcessor:
    def __call__(self, text, images, return_tensors, padding):
        assert images.mode == "RGB" and text == ["a word"]
        one = torch.tensor([[1]])
        return {"pixel_values": torch.tensor([[3.0, 4.0]]), "input_ids": one, "attention_mask": one}
"""


@pytest.mark.parametrize("name", ["imagereward", "medclip"])
def test_the_example_programs_keep_to_the_conversation(name: str, tmp_path: Path) -> None:
    """With the package played by a few lines: ours is the conversation, theirs the model."""
    (tmp_path / "ImageReward.py").write_text(FAKE_REWARD)
    (tmp_path / "medclip.py").write_text(FAKE_MEDCLIP)
    sample = make_sample(tmp_path)
    words = ["env", f"PYTHONPATH={tmp_path}", sys.executable, str(EXAMPLES / f"{name}_adapter.py")]
    with Adapter(words) as adapter:
        if name == "medclip":
            assert adapter.identity == "0.0.3"
            assert adapter.ask(sample.image, "a word").value == pytest.approx(24 / 25)
            return
        assert adapter.model == "ImageReward-v1.0"
        assert adapter.ask(sample.image, "four").value == 1.0
        assert adapter.ask(sample.image, "bad").error == "RuntimeError: no such picture"
        assert adapter.ask(sample.image, "sixsix").value == 1.5
