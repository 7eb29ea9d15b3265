"""Variants of a sweep as one model: the mean, the best of N, the spread over seeds; by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from editgauge.errors import UsageError
from editgauge.store.variants import Swept, Variants
from editgauge.tables import reading, sweeps
from editgauge.tables.draw import draw
from editgauge.tables.results import Results
from editgauge.tables.table import Table
from editgauge.types import Metric, Status
from tests.made_rows import record, row

B = "swept"
QUALITY = Metric("quality", direction="higher", low=0.0, high=10.0, digits=2, failure=0.0)
ERROR = Metric("error", direction="lower", low=0.0, high=100.0, digits=1)
SCORES = {
    # (guidance, seed) -> (quality, error) of the samples a and b
    (3, 0): [(2.0, 10.0), (4.0, 40.0)],
    (3, 1): [(6.0, 30.0), (2.0, 20.0)],
    (7, 0): [(1.0, 5.0), (9.0, 80.0)],
    (7, 1): [(5.0, 50.0), None],
}


def made() -> Results:
    rows = [row(s, "plain", "quality", 3.0, benchmark=B, scorer="s") for s in "ab"]
    swept = {}
    for (guidance, seed), scores in SCORES.items():
        editor = f"m[g={guidance}, seed={seed}]"
        swept[editor] = Swept("m", {"g": guidance, "seed": seed})
        for sample, pair in zip("ab", scores, strict=True):
            status = Status.SCORED if pair else Status.FAILED
            for name, place in (("quality", 0), ("error", 1)):
                value = pair[place] if pair else None
                rows.append(
                    row(sample, editor, name, value, status=status, benchmark=B, scorer="s")
                )
    frame = reading.of_rows(
        rows,
        [record("a"), record("b")],
        B,
        described={metric.name: metric for metric in (QUALITY, ERROR)},
    )
    return replace(frame, variants_of=Variants(swept))


def numbers(found: list[Table], name: str) -> dict[str, dict[str, Any]]:
    (table,) = [table for table in found if table.name == name]
    return {f"{line['group']}|{line['model']}": line for line in table.to_dicts()}


def test_mean_best_and_spread_by_hand() -> None:
    found = sweeps.tables([made()], ["faithful"], best_by="quality")
    lines = numbers(found, "swept.metrics.sweep")
    # sample a: 2, 6, 1, 5; sample b: 4, 2, 9 and one that failed
    mean = lines["mean of the variants|m, mean of 4"]
    assert mean["quality"] == pytest.approx((14 / 4 + 15 / 3) / 2)
    assert mean["error"] == pytest.approx((95 / 4 + 140 / 3) / 2)
    # the first column with a direction is the error: the lowest of a and of b, whatever the quality
    by_error = lines["best of N by error, chosen with the scores known|m, best of 4 by error"]
    assert (by_error["error"], by_error["quality"]) == ((5 + 20) / 2, (1 + 2) / 2)
    by_quality = lines["best of N by quality, chosen with the scores known|m, best of 4 by quality"]
    assert (by_quality["quality"], by_quality["error"]) == ((6 + 9) / 2, (30 + 80) / 2)
    spread = numbers(found, "swept.metrics.seeds")["|m, SD over 2 seeds, 2 settings"]
    # means over samples: g=3: 3 and 4; g=7: 5 and 5 (b failed): squares 0.5 and 0, two degrees
    assert spread["quality"] == pytest.approx(math.sqrt((0.5 + 0.0) / 2))
    first, second = [(25.0, 25.0), (42.5, 50.0)]
    squares = sum((b - a) ** 2 / 2 for a, b in (first, second))
    assert spread["error"] == pytest.approx(math.sqrt(squares / 2))


def test_a_best_of_n_never_stands_beside_an_ordinary_line_unnamed() -> None:
    found = sweeps.tables([made()], ["faithful"], best_by="quality", intervals=True)
    for table in found:
        assert not {row.name for row in table.rows} & {"m", "plain", *made().editors}
        for form in ("terminal", "markdown", "csv", "latex", "json"):
            text = draw(table, form)  # type: ignore[arg-type]
            assert "plain" not in text
            if table.name.endswith(".sweep"):
                assert "best of 4 by quality" in text
                assert "mean of 4" in text
    notes = found[0].notes
    assert any("oracle" in note for note in notes)


def test_without_a_score_the_first_variant_stands_and_is_counted() -> None:
    only = made().of_editors(["m[g=7, seed=1]", "m[g=7, seed=0]"])
    nothing = only.of_samples(np.array([False, True]))
    nothing = nothing.without(np.array([[number > 0] for number in range(len(nothing.editors))]))
    picked = sweeps.best(nothing, {"m": ["m[g=7, seed=1]", "m[g=7, seed=0]"]}, QUALITY, "faithful")
    assert picked.editors == ("m, best of 2 by quality",)
    assert len(picked) == 2, "its failures are rows like others"


def test_what_cannot_be_grouped_is_said() -> None:
    frame = made()
    with pytest.raises(UsageError, match="no variants of one model here"):
        sweeps.tables([frame.of_editors(["plain"])], ["faithful"])
    with pytest.raises(
        UsageError, match="best_by beauty: no rows of it; there are: error, quality"
    ):
        sweeps.tables([frame], ["faithful"], best_by="beauty")
    whole = replace(frame, described={"quality": replace(QUALITY, direction=None), "error": ERROR})
    with pytest.raises(UsageError, match="a better and a worse end"):
        sweeps.tables([whole], ["faithful"], best_by="quality")
