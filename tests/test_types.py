"""Scores hold a finite number, a reason, or (PSNR of identical pictures) a marked infinity; nothing
else.
"""

from __future__ import annotations

import math

import pytest

from editgauge.types import Row, Score, Status


def row(value: float | None, status: Status, detail: dict[str, object]) -> Row:
    names = dict.fromkeys(("benchmark", "editor", "scorer", "reason", "fingerprint"), "x")
    return Row(
        **names, sample="s", metric="psnr", variant="faithful", value=value, status=status,
        detail=detail,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("value", "status", "detail", "why"),
    [
        (None, Status.SCORED, {}, "'scored' does not go with value None"),
        (0.0, Status.FAILED, {}, "'failed' does not go with value 0"),
        (math.nan, Status.SCORED, {}, "does not go with value"),
        (-math.inf, Status.SCORED, {}, "does not go with value"),
        (1.0, Status.SCORED, {"infinite": True}, "does not go with value"),
        (None, Status.MISSING, {"infinite": True}, "does not go with value"),
    ],
)
def test_value_and_status_go_together_in_scores_and_rows(
    value: float | None, status: Status, detail: dict[str, object], why: str
) -> None:
    with pytest.raises(ValueError, match=why):
        Score(metric="psnr", value=value, status=status, detail=detail)
    with pytest.raises(ValueError, match=f"row of 'psnr': .*{why}"):
        row(value, status, detail)


def test_a_score_has_its_number_or_none() -> None:
    assert Score(metric="mse", value=2.5).number == 2.5
    assert Score(metric="psnr", value=None, status=Status.MISSING).number is None
    score = Score.infinite("psnr", "corrected", resized=True)
    assert (score.value, score.status) == (None, Status.SCORED)
    assert score.detail == {"resized": True, "infinite": True}
    assert score.number == row(None, score.status, dict(score.detail)).number == math.inf
