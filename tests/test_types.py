"""Scores hold a finite number, a reason, or (PSNR of identical pictures) a marked infinity; nothing
else.
"""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from editgauge.types import Edit, Row, Score, Status


def _row(score: Score) -> Row:
    return Row(
        benchmark="mini",
        sample="a",
        editor="copy",
        scorer="pixel",
        metric=score.metric,
        variant=score.variant,
        value=score.value,
        status=score.status,
        reason=score.reason,
        fingerprint="0",
        detail=score.detail,
    )


class TestScore:
    def test_a_finite_value_is_its_number(self) -> None:
        assert Score(metric="mse", value=2.5).number == 2.5

    @pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
    def test_a_value_that_is_not_finite_is_refused(self, value: float) -> None:
        with pytest.raises(ValueError, match="'psnr': a value must be finite"):
            Score(metric="psnr", value=value)

    def test_scored_without_value_is_refused(self) -> None:
        with pytest.raises(ValueError, match="'scored' does not go with value None"):
            Score(metric="psnr", value=None)

    def test_a_value_with_another_status_is_refused(self) -> None:
        with pytest.raises(ValueError, match="'failed' does not go with value 0"):
            Score(metric="psnr", value=0.0, status=Status.FAILED)

    def test_no_value_has_no_number(self) -> None:
        assert Score(metric="psnr", value=None, status=Status.MISSING).number is None


class TestInfinite:
    def test_reads_back_as_infinity_from_score_and_row(self) -> None:
        score = Score.infinite("psnr", "corrected", detail={"resized": True})
        assert score.value is None
        assert score.status is Status.SCORED
        assert score.detail == {"resized": True, "infinite": True}
        assert score.number == math.inf
        assert _row(score).number == math.inf

    @pytest.mark.parametrize(("value", "status"), [(1.0, Status.SCORED), (None, Status.FAILED)])
    def test_the_mark_goes_with_nothing_else(self, value: float | None, status: Status) -> None:
        with pytest.raises(ValueError, match="an infinite score has status 'scored' and no value"):
            Score(metric="psnr", value=value, status=status, detail={"infinite": True})


class TestRefusals:
    def test_an_edit_that_says_it_delivered_names_its_picture(self) -> None:
        with pytest.raises(ValueError, match="status 'scored' needs the path of a picture"):
            Edit(sample="s", editor="e", path=None)
        assert not Edit(
            sample="s", editor="e", path=None, status=Status.MISSING, reason="nothing came"
        ).ok
        assert Edit(sample="s", editor="e", path=Path("a.png")).ok

    @pytest.mark.parametrize(
        ("value", "status", "detail"),
        [
            (None, Status.SCORED, {}),
            (1.0, Status.FAILED, {}),
            (math.nan, Status.SCORED, {}),
            (math.inf, Status.SCORED, {}),
            (1.0, Status.SCORED, {"infinite": True}),
            (None, Status.MISSING, {"infinite": True}),
        ],
    )
    def test_a_row_is_refused_as_its_score_is(
        self, value: float | None, status: Status, detail: dict[str, object]
    ) -> None:
        with pytest.raises(ValueError, match="row of 'psnr', 's'"):
            Row(
                benchmark="mini",
                sample="s",
                editor="e",
                scorer="x",
                metric="psnr",
                variant="faithful",
                value=value,
                status=status,
                reason="",
                fingerprint="f",
                detail=detail,
            )
