"""What a run says about its metrics: written, read, merged, and refused where it is damaged."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

from editgauge.store.described import column, metric
from editgauge.store.run import Run
from editgauge.types import Metric

ONE = Metric("one", direction="lower", low=0.0, high=math.inf, digits=2, unit="dB", note="ours")


def test_a_metric_comes_back_as_it_was() -> None:
    everything = Metric(
        "x",
        direction="higher",
        low=-math.inf,
        high=3.0,
        heading="X",
        digits=1,
        unit="u",
        variants=("corrected",),
        failure=0.5,
        whole_set=True,
        note="n",
        printed=((0.0, 0.0), (3.0, 100.0)),
        keeps=True,
        plain="how it looks",
    )
    for one in (ONE, everything):
        assert metric(one.name, column(one)) == one


def test_a_record_without_facts_has_no_direction() -> None:
    found = metric("x", "{}")
    assert (found.direction, found.low, found.high, found.title) == (None, -math.inf, math.inf, "x")


def test_a_run_keeps_them_and_replaces_what_changed(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run")
    assert run.metrics("mini") == {}
    run.keep_metrics("mini", [ONE, replace(ONE, name="two")])
    run.keep_metrics("mini", [replace(ONE, note="mended")])
    run.keep_metrics("other", [ONE])
    found = Run.open(run.path).metrics("mini")
    assert set(found) == {"one", "two"}
    assert found["one"].note == "mended"
    assert run.described_benchmarks() == ["mini", "other"]
