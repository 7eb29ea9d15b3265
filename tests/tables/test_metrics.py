"""The scale and the name of print: by hand, and the same as the papers' tables."""

from __future__ import annotations

import math

import numpy as np

from editgauge import catalog
from editgauge.tables.metrics import bounded, on_scale, titles
from editgauge.types import Metric


def test_a_value_is_printed_on_its_declared_scale() -> None:
    ten = Metric("EA", direction="higher", low=0, high=10, printed=((0, 0.0), (10, 1.0)))
    assert on_scale(ten, 7.0) == 0.7
    assert np.isnan(on_scale(ten, math.nan))
    five = Metric("VC", direction="higher", low=1, high=5, printed=((1, 0.0), (5, 100.0)))
    assert on_scale(five, np.array([1.0, 2.0, 2.985, 5.0])).tolist() == [0, 25, 49.625, 100]
    plain = Metric("x", direction=None, low=0, high=math.inf)
    assert on_scale(plain, 7.5) == 7.5


def test_only_a_closed_and_small_scale_is_bounded() -> None:
    known = catalog.find("benchmarks", "texteditbench").every_metric
    assert [name for name in ("ssim", "IF", "mse", "psnr", "lpips") if bounded(known[name])] == [
        "ssim",
        "IF",
    ]


def test_a_heading_of_two_metrics_carries_their_names() -> None:
    known = {n: Metric(n, heading="PSNR", direction="higher", low=0, high=1) for n in ("a", "b")}
    known["c"] = Metric("c", heading="SSIM", direction="higher", low=0, high=1)
    assert titles(known) == {"a": "PSNR", "b": "PSNR (b)", "c": "SSIM"}
