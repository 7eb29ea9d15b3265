"""What a run says about its metrics: written, read, and refused where it is damaged."""

from __future__ import annotations

import math

from editgauge.store.described import column, metric
from editgauge.types import Metric

ONE = Metric("one", direction="lower", low=0.0, high=math.inf, digits=2, unit="dB", note="ours")
TWO = Metric(
    "x", direction="higher", low=-math.inf, high=3.0, heading="X", variants=("corrected",),
    failure=0.5, whole_set=True, printed=((0.0, 0.0), (3.0, 100.0)), keeps=True, plain="how",
)  # fmt: skip


def test_a_metric_comes_back_as_it_was_and_without_facts_has_no_direction() -> None:
    assert [metric(one.name, column(one)) for one in (ONE, TWO)] == [ONE, TWO]
    bare = metric("x", "{}")
    assert (bare.direction, bare.low, bare.high, bare.title) == (None, -math.inf, math.inf, "x")
