"""The built-in benchmark's tables say what they are for, and average squared errors rather than
decibels.
"""

from __future__ import annotations

import pytest

from editgauge.tables.layouts import tables
from editgauge.types import Status
from tests.made_rows import frame, record, row

RECORDS = [record("a"), record("b")]


def pixel(sample: str, metric: str, value: float | None, status: Status = Status.SCORED):  # type: ignore[no-untyped-def]
    infinite = value is None and status is Status.SCORED
    return row(sample, "m", metric, value, variant="corrected", infinite=infinite, status=status)


def test_the_psnr_is_that_of_the_mean_squared_error() -> None:
    rows = [
        pixel("a", "mse", 0.0), pixel("b", "mse", 6.5025),
        pixel("a", "reference_psnr", None), pixel("b", "reference_psnr", 40.0),
    ]  # fmt: skip
    cells = tables(frame(rows, RECORDS), "corrected")[0].rows[0].cells
    # the mean error is 3.25125; 10 log10(65025 / 3.25125) = 40 + 10 log10 2
    assert cells["psnr"].value == pytest.approx(43.0103, abs=1e-4)
    assert cells["mse"].value == pytest.approx(3.25125)
    # infinite and 40 dB are errors of 0 and 6.5025
    assert cells["reference_psnr"].value == pytest.approx(43.0103, abs=1e-4)
    assert (cells["psnr"].n, cells["psnr"].of) == (2, 2)


@pytest.mark.parametrize("benchmark", ["mini", "texteditbench"])
def test_a_psnr_that_is_shown_through_its_error_gets_no_table_of_its_own(benchmark: str) -> None:
    """It would be a plain mean of decibels, infinite as soon as one picture is identical."""
    rows = [
        row(
            sample,
            "m",
            metric,
            value,
            benchmark=benchmark,
            variant="corrected",
            infinite=value is None,
        )
        for sample in ("a", "b")
        for metric, value in (("mse", 0.0), ("psnr", None), ("ssim", 1.0))
    ]
    found = tables(
        frame(rows, [record("a", split="real"), record("b", split="real")], benchmark), "corrected"
    )
    assert [table.name for table in found] == [f"{benchmark}.pixel"]
