"""`editgauge tune` and the how-to page, on coloured squares and a tiny random model."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command_line import invoke

pytest.importorskip("diffusers", reason="tuning needs the extra neural")
pytest.importorskip("accelerate", reason="tuning needs the extra neural")

import torch

from editgauge.editors import diffusers
from editgauge.errors import EditgaugeError, UsageError
from editgauge.store.run import Run
from editgauge.tuning import split, training
from editgauge.tuning.training import tuned
from tests.editors.tiny_pipelines import instructpix2pix
from tests.test_docs import DOCS, commands
from tests.tuning import squares

pytestmark = pytest.mark.filterwarnings("ignore")  # the libraries warn of each other's renamings
SMALL = ["--set", "side=32", "--set", "num_inference_steps=1"]
TUNED = ["--steps", "1", "--set", "device=cpu", "--set", "resolution=16", "--set", "rate=1e-3"]
PAGE = DOCS / "how-to" / "tune.md"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with ``DATA`` and ``model``, in which commands are typed."""
    folder = tmp_path_factory.mktemp("desk")
    squares.write_data(folder / "DATA", 10, other_task=2)
    instructpix2pix(folder / "model")
    before, threads = Path.cwd(), torch.get_num_threads()
    os.chdir(folder)
    torch.set_num_threads(1)
    yield folder
    os.chdir(before)
    torch.set_num_threads(threads)


def typed(*words: str) -> str:
    """What a command prints; raises what it raises."""
    done = invoke(list(words))
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code in (0, 1), done.output  # 1: some samples have no score
    return done.stdout


@pytest.fixture(scope="module")
def page(desk: Path) -> dict[str, str]:
    """What the commands of the page print, by their words: those that need no service, made small
    and given the tiny model.
    """
    told = {}
    for words in commands(PAGE):
        if words[0] != "editgauge" or "gemini" in words or words[1] == "recipe":
            continue
        more: list[str] = []
        if words[1] == "edit":
            more = ["--model", "model", "--workers", "0", "--set", "device=cpu", *SMALL]
        elif words[1] == "score":
            more = ["--workers", "0"]
        elif words[1] == "tune":
            more = [] if "--only-split" in words else ["--set", "model=model", *TUNED, *SMALL]
        told[shlex.join(words[1:])] = typed(*words[1:], *more)
    return told


def test_the_page_runs_from_its_first_command_to_its_last(page: dict[str, str]) -> None:
    assert [line.split()[0] for line in page] == ["tune", "tune", "table", "report"]
    told = page["table runs/ear --published --intervals"]
    assert "instructpix2pix: Reconstruct ear." in told
    assert "/4" in told, "of the samples that are tested, not of the 12 of the data"
    assert "/12" not in told


def test_what_was_trained_on_is_not_tested(page: dict[str, str], desk: Path) -> None:
    run = Run.open(desk / "runs" / "ear")
    (one,) = split.stored(run, "medebench").values()
    for size in (0, 4, 8):
        editor = f"instructpix2pix[tuned {size}]"
        records = [record for record in run.edits("medebench") if record.editor == editor]
        assert [record.sample for record in records] == list(one.test)
        for record in records:
            learned = {"of": "instructpix2pix", "kind": "tuned", "samples": size}
            assert record.settings["learning"] == learned
            if size:
                facts = record.settings["tuned"]
                assert facts["training"] == list(one.training[:size])
                assert not set(facts["training"]) & set(one.test)


def test_what_has_ended_is_not_done_again(
    page: dict[str, str], desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def times() -> dict[Path, int]:
        files = [
            path for name in ("edits", "tuning") for path in (desk / "runs/ear" / name).rglob("*.*")
        ]
        return {path: path.stat().st_mtime_ns for path in files if path.is_file()}

    before = times()
    assert before
    monkeypatch.setattr(training, "learn", None)
    (again,) = [line for line in page if line.startswith("tune") and "--only-split" not in line]
    typed(*shlex.split(again), "--set", "model=model", *TUNED, *SMALL)
    assert times() == before


def test_another_plan_under_the_same_name_is_refused(page: dict[str, str]) -> None:
    words = ["tune", "medebench", "DATA", "--task", squares.TASK, "--samples", "4", "--run"]
    with pytest.raises(UsageError, match=r"was tuned in another way \(rate 0.001, now 0.01\)"):
        typed(*words, "runs/ear", "--set", "model=model", *TUNED[:-1], "rate=0.01", *SMALL)


def test_lora_weights_are_those_that_diffusers_reads(desk: Path) -> None:
    pytest.importorskip("peft", reason="LoRA needs the extra tuning")
    words = ["tune", "medebench", "DATA", "--task", squares.TASK, "--samples", "2", "--lora", "2"]
    out = typed(*words, "--run", "runs/lora", "--set", "model=model", *TUNED, *SMALL)
    assert "instructpix2pix[tuned 2] on medebench: 8 outputs" in out
    (file,) = (desk / "runs/lora").rglob("pytorch_lora_weights.safetensors")
    base = diffusers.factory("instructpix2pix", [], model="model", device="cpu")
    made = tuned(base, file, 2, {}).load()[0]
    added = [one for name, one in made.unet.named_parameters() if ".lora_" in name]
    assert added
    assert any(one.abs().sum() > 0 for one in added)


def test_what_cannot_be_tuned_is_said_before_anything_is_done(desk: Path) -> None:
    words = ["tune", "medebench", "DATA", "--task", squares.TASK, "--run", "runs/none"]
    wrong: list[tuple[list[str], str]] = [
        (["--editor", "flux-kontext"], "cannot be tuned; wanted one of instructpix2pix"),
        (["--editor", "copy"], "cannot be tuned"),
        (["--samples", "4,4"], "none of them twice"),
        (["--set", "flavour=sweet"], "found flavour"),
    ]
    for more, message in wrong:
        with pytest.raises(UsageError, match=message):
            typed(*words, *more)
    assert not (desk / "runs/none").exists()
    with pytest.raises(EditgaugeError, match="wanted 10 samples to train on"):
        typed(*words, "--samples", "10")
