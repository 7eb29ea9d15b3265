"""Training on coloured squares: a killed one ends with the same weights, bit by bit."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("diffusers", reason="tuning needs the extra neural")
pytest.importorskip("accelerate", reason="tuning needs the extra neural")

import torch

from editgauge import catalog
from editgauge.editors import diffusers
from editgauge.errors import RunError
from editgauge.store.run import Run
from editgauge.tuning.training import Place, Recipe, checkpoints, learn
from tests.editors.tiny_pipelines import instructpix2pix
from tests.test_docs import ROOT
from tests.tuning import squares

pytestmark = pytest.mark.filterwarnings("ignore")  # the libraries warn of each other's renamings
TINY = Recipe(steps_a_sample=3, rate=1e-3, resolution=16)
KILLED = """
import os, signal, sys, warnings
warnings.simplefilter("ignore")
from pathlib import Path
import torch
from tests.tuning.test_training import learned

def show(done, total, note):
    if done == 8:
        os.kill(os.getpid(), signal.SIGKILL)

torch.set_num_threads(1)
learned(*map(Path, sys.argv[1:]), progress=show)
"""


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return squares.write_data(tmp_path_factory.mktemp("squares"), 8)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return instructpix2pix(tmp_path_factory.mktemp("model") / "pix2pix")


def learned(model: Path, data: Path, run: Path, **more: Any) -> tuple[list[float], Any]:
    """The loss of each update, and the trained pipeline."""
    _, _, samples = catalog.open_data("medebench", data, None)
    base = diffusers.factory("instructpix2pix", [], model=str(model), dtype="float32", device="cpu")
    losses = learn(base, samples[:4], TINY, Place(run, "tuning/t", every=3), **more)[1]
    return losses, base.load()[0]


def test_a_killed_training_ends_with_the_same_weights(
    model: Path, data: Path, tmp_path: Path
) -> None:
    runs = {name: Run.create(tmp_path / name).path for name in ("whole", "killed")}
    words = [sys.executable, "-c", KILLED, model, data, runs["killed"]]
    done = subprocess.run(words, cwd=ROOT, check=False, capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    (there,) = checkpoints(Place(run=runs["killed"], folder="tuning/t"))
    assert there.name == "checkpoint-6", "the last one before the kill at update 8"
    whole, one = learned(model, data, runs["whole"])
    resumed, other = learned(model, data, runs["killed"])
    assert len(whole) == 12
    assert resumed == whole
    theirs = other.unet.state_dict()
    for name, tensor in one.unet.state_dict().items():
        assert torch.equal(tensor, theirs[name]), name


def test_a_broken_checkpoint_is_named(model: Path, data: Path, tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run").path
    (run / "tuning/t/checkpoint-6").mkdir(parents=True)
    with pytest.raises(RunError, match=r"tuning/t/checkpoint-6: .*remove it"):
        learned(model, data, run)
