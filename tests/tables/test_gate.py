"""A release gate: each verdict on made scores, policies refused, and what a pipeline reads."""

from __future__ import annotations

import json
import tomllib
from functools import partial
from typing import Any

import numpy as np
import pytest

from editgauge import schema
from editgauge.errors import UsageError
from editgauge.statistics.paired import paired_difference
from editgauge.tables.gate import Gate, judge
from editgauge.tables.policy import Policy, Verdict
from editgauge.types import Direction, Row
from tests.made_rows import frame, record, row, scores

COUNT = 200
RECORDS = [record(f"s{n}", split="real", topic="ab"[n % 2]) for n in range(COUNT)]
WAYS: dict[str, Direction | None] = {"ssim": "higher", "mse": "lower", "fid": "lower", "odd": None}
PASS, FAIL, CANNOT = Verdict.PASS, Verdict.FAIL, Verdict.CANNOT_TELL


rows_of = partial(scores, variant="corrected")


def pair(
    shift: float, *, count: int = COUNT, noise: float = 0.02, metric: str = "ssim"
) -> list[Row]:
    generator = np.random.default_rng(3)
    old = generator.random(count)
    new = old + shift + generator.normal(0, noise, count)
    return [*rows_of("old", metric, old), *rows_of("new", metric, new)]


def read_policy(text: str) -> Policy:
    return schema.convert(tomllib.loads(text), Policy, "p.toml")


def verdict(rows: list[Row], policy: str) -> Gate:
    return judge(frame(rows, RECORDS), "old", "new", WAYS, read_policy(policy))


def rule(**entry: Any) -> str:
    lines = {"name": "ssim", **entry}
    return "[[metric]]\n" + "\n".join(
        f"{key} = {json.dumps(value)}" for key, value in lines.items()
    )


def kinds(found: Gate) -> dict[str, Verdict]:
    return {check.kind: check.verdict for check in found.checks}


class TestMargins:
    def test_where_less_is_better_it_is_turned(self) -> None:
        policy = rule(name="mse", margin=0.05)
        assert kinds(verdict(pair(0.1, metric="mse"), policy))["margin"] is FAIL
        assert kinds(verdict(pair(-0.1, metric="mse"), policy))["margin"] is PASS

    def test_too_few_samples_are_no_pass_and_say_how_many_would_do(self) -> None:
        found = verdict(pair(0.0, noise=0.5), rule(margin=0.02))
        (check,) = [check for check in found.checks if check.kind == "margin"]
        assert check.verdict is CANNOT
        assert check.needed is None or check.needed > COUNT
        few = verdict(pair(0.5, count=29), rule(margin=0.02))
        assert kinds(few)["margin"] is CANNOT
        assert few.verdict is not PASS

    def test_the_limits_are_those_of_a_one_sided_test(self) -> None:
        rows = pair(0.0)
        values = frame(rows, RECORDS).grid("ssim", "corrected").values
        wanted = paired_difference(values[0], values[1], confidence=0.9)
        (check,) = [c for c in verdict(rows, rule(margin=0.05)).checks if c.kind == "margin"]
        found = [check.numbers[name] for name in ("difference", "low", "high")]
        assert np.abs(found) == pytest.approx(np.abs([wanted.difference, wanted.low, wanted.high]))

    def test_a_constant_loss_of_the_margin_itself_fails(self) -> None:
        values = np.arange(COUNT, dtype=float)
        rows = [*rows_of("old", "ssim", values), *rows_of("new", "ssim", values - 1)]
        assert kinds(verdict(rows, rule(margin=1.0)))["margin"] is FAIL

    @pytest.mark.parametrize("step", [1.0, 0.1, 0.01])
    @pytest.mark.parametrize("sign", [1, -1])
    def test_equal_differences_have_no_interval_and_are_no_pass(
        self, step: float, sign: int
    ) -> None:
        """0.1 steps are equal but for rounding errors: `math.ceil(nan)` ended the command."""
        values = np.arange(COUNT) * step
        rows = [*rows_of("old", "ssim", values), *rows_of("new", "ssim", values + sign * step / 2)]
        (check,) = [c for c in verdict(rows, rule(margin=step)).checks if c.kind == "margin"]
        assert check.verdict is CANNOT
        assert "no interval" in check.words

    def test_identical_scores_pass_whatever_the_margin(self) -> None:
        values = np.random.default_rng(0).random(COUNT)
        rows = [*rows_of("old", "ssim", values), *rows_of("new", "ssim", values)]
        assert kinds(verdict(rows, rule(margin=0.0)))["margin"] is PASS

    @pytest.mark.parametrize("count", [1, 2, 5])
    def test_fewer_than_six_samples_have_no_interval_and_are_no_pass(self, count: int) -> None:
        for shift in (0.0, 0.1, -0.1):
            rows = pair(shift, count=count)
            found = verdict(rows, rule(margin=0.05, least_samples=2))
            (check,) = [c for c in found.checks if c.kind == "margin"]
            assert check.verdict is CANNOT
            assert "fewer than 6" in check.words

    def test_an_infinite_score_of_one_only_cannot_be_weighed(self) -> None:
        old = [np.inf, *np.full(COUNT - 1, 30.0)]
        rows = [*rows_of("old", "ssim", old), *rows_of("new", "ssim", np.full(COUNT, 30.0))]
        assert kinds(verdict(rows, rule(margin=1)))["margin"] is CANNOT


class TestOtherRules:
    def test_one_variant_of_a_metric_is_read(self) -> None:
        good, bad = pair(0.1), pair(-0.1)
        released = [row(r.sample, r.editor, "ssim", r.value, variant="faithful") for r in bad]
        assert kinds(verdict([*good, *released], rule(margin=0.05)))["margin"] is PASS
        chosen = rule(margin=0.05, variant="faithful")
        assert kinds(verdict([*good, *released], chosen))["margin"] is FAIL
        fallen = verdict(released, rule(margin=0.05))
        assert {check.name for check in fallen.checks} == {"ssim (faithful)"}
        assert verdict(good, chosen).verdict is CANNOT

    def test_a_metric_of_the_whole_set_has_a_floor_and_no_test(self) -> None:
        rows = pair(0.0)
        rows += [
            row("*", e, "fid", v, variant="corrected") for e, v in (("old", 9.0), ("new", 11.0))
        ]
        found = verdict(rows, rule(name="fid", floor=12, margin=5))
        assert kinds(found) == {"coverage": PASS, "floor": PASS, "margin": CANNOT}
        assert kinds(verdict(rows, rule(name="fid", floor=10)))["floor"] is FAIL

    def test_a_metric_without_a_direction_is_refused(self) -> None:
        with pytest.raises(UsageError, match="which way is better"):
            verdict(pair(0.0, metric="odd"), rule(name="odd", margin=1))
