"""Attributes that only pictures tell: measured for the samples that are worked on, and remembered."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from tests.fakes import make_samples

from editgauge import catalog
from editgauge.store.samples import measured
from editgauge.types import Sample


class Measuring:
    """A benchmark that measures the size of the input file, and notes at which it looked."""

    measured = ("bytes",)

    def __init__(self) -> None:
        self.looked: list[str] = []

    def measure(self, sample: Sample) -> dict[str, int]:
        self.looked.append(sample.id)
        return {"bytes": sample.image.stat().st_size}


def test_only_the_chosen_and_what_has_changed_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Measuring()
    monkeypatch.setattr(catalog, "find", lambda kind, name: bench)
    samples = [replace(one, benchmark="mini") for one in make_samples(tmp_path / "data", 3)]
    for sample in samples:  # an old file: its size and time can be trusted
        os.utime(sample.image, ns=(10**18, 10**18))
    memory, names = tmp_path / "memory.sqlite", [sample.id for sample in samples]
    measured(samples, chosen=names[:1], memory=memory)
    later = measured(samples, chosen=names[2:], memory=memory)
    assert ["bytes" in sample.attributes for sample in later] == [True, False, True]
    assert bench.looked == [names[0], names[2]]
    samples[0].image.write_bytes(b"another")
    again = measured(samples, chosen=[names[0], names[2]], memory=memory)
    assert bench.looked[2:] == [names[0]]
    assert again[0].attributes["bytes"] == 7
