"""Attributes that only pictures tell: measured for the samples that are worked on, and remembered."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from editgauge import catalog
from editgauge.store.measured import measured
from editgauge.store.run import Run
from editgauge.store.samples import keep_samples
from editgauge.testing import make_samples
from editgauge.types import Sample


class Measuring:
    """A benchmark that measures the size of the input file, and counts how often it looked."""

    measured = ("bytes",)

    def __init__(self) -> None:
        self.looked: list[str] = []

    def measure(self, sample: Sample) -> dict[str, int]:
        self.looked.append(sample.id)
        return {"bytes": sample.image.stat().st_size}


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Measuring:
    found = Measuring()
    monkeypatch.setattr(catalog, "find", lambda kind, name: found)
    return found


def samples_in(folder: Path) -> list[Sample]:
    samples = [replace(sample, benchmark="mini") for sample in make_samples(folder, 3)]
    for sample in samples:  # an old file: its size and time can be trusted
        os.utime(sample.image, ns=(10**18, 10**18))
    return samples


def test_what_was_measured_is_not_measured_again(tmp_path: Path, bench: Measuring) -> None:
    samples, memory = samples_in(tmp_path / "data"), tmp_path / "memory.sqlite"
    first = measured(samples, memory=memory)
    assert [sample.attributes["bytes"] for sample in first] == [
        sample.image.stat().st_size for sample in samples
    ]
    bench.looked.clear()
    assert measured(samples, memory=memory) == first
    assert bench.looked == []


def test_a_changed_file_is_measured_again(tmp_path: Path, bench: Measuring) -> None:
    samples, memory = samples_in(tmp_path / "data"), tmp_path / "memory.sqlite"
    measured(samples, memory=memory)
    bench.looked.clear()
    samples[1].image.write_bytes(b"another")
    found = measured(samples, memory=memory)
    assert (bench.looked, found[1].attributes["bytes"]) == ([samples[1].id], 7)


def test_only_the_chosen_are_looked_at(tmp_path: Path, bench: Measuring) -> None:
    samples, memory = samples_in(tmp_path / "data"), tmp_path / "memory.sqlite"
    first = measured(samples, chosen=[samples[0].id], memory=memory)
    assert ["bytes" in sample.attributes for sample in first] == [True, False, False]
    later = measured(samples, chosen=[samples[2].id], memory=memory)
    assert ["bytes" in sample.attributes for sample in later] == [True, False, True]
    assert bench.looked == [samples[0].id, samples[2].id]


def test_the_index_of_a_run_has_them_and_the_data_hash_does_not(
    tmp_path: Path, bench: Measuring
) -> None:
    samples = samples_in(tmp_path / "data")
    run = Run.create(tmp_path / "run")
    one = keep_samples(run, "mini", tmp_path / "data", samples, samples[:1])
    assert ["bytes" in record["attributes"] for record in run.samples("mini")] == [1, 0, 0]
    both = keep_samples(run, "mini", tmp_path / "data", samples, samples)
    assert one == both
    assert all("bytes" in record["attributes"] for record in run.samples("mini"))
