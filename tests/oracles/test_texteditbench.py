"""TextEditBench: sums of means, repeats, and what its released script makes of a reply."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pytest

from tests.oracles.texteditbench import DIMENSIONS, robustness, summarise

SHARED = Path(os.environ.get("EDITGAUGE_SHARED", Path(__file__).parents[3] / "shared"))


def test_overall_is_the_sum_of_means_over_each_dimensions_own_samples() -> None:
    """SE is judged on one sample of three: its mean is over that one. 4 + 3 + 2 + 5 + 1 = 15."""
    scores = {"IF": [4, 4, 4], "TA": [3, 3, 3], "VC": [1, 2, 3], "LP": [5, 5, 5], "SE": [1]}
    found = summarise(scores)
    assert found.overall == pytest.approx(15)
    assert found.means["SE"].of == 1


def test_a_failed_call_is_left_out_or_counts_as_the_minimum() -> None:
    """The released 0, the corrected absence, and the floor, from one call in two that failed."""
    rest = {name: [4.0, 4.0] for name in DIMENSIONS}
    assert summarise(rest | {"IF": [4.0, 0.0]}).means["IF"].value == 2.0
    left_out = summarise(rest | {"IF": [4.0, None]}).means["IF"]
    assert (left_out.value, left_out.n, left_out.of) == (4.0, 1, 2)
    assert summarise(rest | {"IF": [4.0, None]}, minimum=True).means["IF"].value == 2.0
    assert summarise(rest | {"IF": [None, None]}).overall is None


@pytest.mark.skipif(
    not (SHARED / "published").is_dir(), reason="the shared published tables are not here"
)
def test_printed_overall_numbers_are_sums() -> None:
    """All overall numbers of Table 4 are the sum of their five printed means, to rounding."""
    with (SHARED / "published" / "texteditbench_judge.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    for row in lines:
        for split in ("synthetic", "real"):
            found = summarise({name: [float(row[f"{split}_{name}"])] for name in DIMENSIONS})
            assert found.overall == pytest.approx(float(row[f"{split}_overall"]), abs=0.03), row[
                "model"
            ]


def test_robustness_of_three_runs() -> None:
    """Printed for one model: 16.56 16.46 16.54 -> mean 16.52, deviation 0.0529, spread 0.10."""
    found = robustness([16.56, 16.46, 16.54])
    assert found.mean == pytest.approx(16.52)
    assert found.deviation == pytest.approx(0.05292, abs=1e-5)
    assert found.spread == pytest.approx(0.10)
    assert robustness([1.0]).deviation is None
    with pytest.raises(ValueError, match="overall"):
        robustness([])
