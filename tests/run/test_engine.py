"""Which engine, and how many workers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from editgauge.errors import UsageError
from editgauge.run.engine import Job, Local, gpus_of, open_engine
from editgauge.run.needs import Needs


def job(*, alone: bool) -> Job[Any, Any]:
    return Job(
        work=len, start=print, start_args=(), unfinished=list, seconds_an_item=1.0, alone=alone
    )


@pytest.mark.parametrize(
    ("engine", "shared", "alone"),
    [
        (Local(0), 0, 0),
        (Local(4), 4, 1),
        (Local(4, ("0", "1")), 4, 2),
        (Local(1, ("0", "1")), 1, 2),
    ],
)
def test_networks_get_a_process_for_each_gpu(engine: Local, shared: int, alone: int) -> None:
    assert engine.workers(job(alone=False)) == shared
    assert engine.workers(job(alone=True)) == alone


def test_what_needs_more_gets_fewer_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("editgauge.machine.memory", lambda: 10)
    two = replace(job(alone=False), needs=Needs(num_cpus=2))
    assert Local(5).workers(two) == 2
    assert Local(5)._share(two).threads == 2
    large = Needs(memory=4)
    assert Local(5).workers(replace(job(alone=False), needs=large)) == 2
    assert Local(5, ("0", "1", "2")).workers(replace(job(alone=True), needs=large)) == 2
    assert Local(0).workers(replace(job(alone=False), needs=large)) == 0


@pytest.mark.parametrize("words", ["a", "0,0", "0,", "-1", "cuda", "0;1"])
def test_devices_are_numbers(words: str) -> None:
    with pytest.raises(UsageError, match="wanted GPUs by number"):
        gpus_of(words)


def test_devices_that_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert gpus_of("") == ()
    assert gpus_of("0, cuda:1") == ("0", "1")
    with pytest.raises(UsageError, match="no GPU 2; torch finds 2"):
        gpus_of("0,2")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "5,7")
    assert gpus_of("1") == ("7",), "numbers count among those that may be seen"
    with pytest.raises(UsageError, match="--workers 0"):
        open_engine("local", workers=0, cores=2, devices="0,1")
    assert open_engine("local", workers=None, cores=3, devices="0,1") == Local(3, ("5", "7"))


def test_a_machine_without_gpus_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    with pytest.raises(UsageError, match="leave it out to score on the processor"):
        gpus_of("0")


def test_ray_knows_its_own_gpus() -> None:
    with pytest.raises(UsageError, match="--devices: GPUs of this machine"):
        open_engine("ray", workers=None, cores=1, devices="0")
