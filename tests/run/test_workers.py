"""Workers by name and number: which words go together, and how many there are."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from editgauge import machine
from editgauge.errors import UsageError
from editgauge.run import workers as by_name
from editgauge.run.workers import Workers, gpus_of
from editgauge.scoring.scorer import Needs
from tests.run import work


def test_work_that_wants_the_whole_machine_gets_one_worker_or_one_a_gpu() -> None:
    assert Workers(4).number(Needs(num_cpus=2), alone=True) == 1
    assert Workers(4, gpus=("0", "1")).number(Needs(), alone=True) == 2
    assert Workers(0).number(Needs(), alone=True) == 0, "everything in this process"


def test_memory_bounds_the_number_of_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "memory", lambda: 10 << 30)
    assert Workers(8).number(Needs(memory=4 << 30), alone=False) == 2


def test_each_worker_of_a_network_sees_a_gpu_of_its_own() -> None:
    batches = [["CUDA_VISIBLE_DEVICES"]] * 12
    outcomes = Workers(4, gpus=("4", "6")).batches(
        batches, work.seen, start=work.nothing, seconds=60.0, needs=Needs(), alone=True
    )
    assert {gpu for outcome in outcomes for gpu in outcome.result or ()} <= {"4", "6"}


def test_gpus_are_named_by_number_each_once_and_must_be_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cuda = SimpleNamespace(device_count=lambda: 2)
    monkeypatch.setattr(by_name, "torch_for", lambda _: SimpleNamespace(cuda=cuda))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "5,7")
    assert gpus_of("") == ()
    assert gpus_of("cuda:1,0") == ("7", "5")
    for words in ("0,0", "gpu", "2"):
        with pytest.raises(UsageError, match="by number, each once"):
            gpus_of(words)
