"""A release gate: each verdict on made scores, policies refused, and what a pipeline reads."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from editgauge import schema
from editgauge.errors import DataError, EditgaugeError, UnknownName, UsageError
from editgauge.store.run import Run
from editgauge.store.schema import EditRecord
from editgauge.tables import gate as gates
from editgauge.tables.gate import Gate, Usage, judge, together, unread
from editgauge.tables.policy import Policy, Rule, Verdict, policy_of
from editgauge.types import Direction, Row, Status
from tests.command_line import Result, invoke
from tests.made_rows import frame, record, row

COUNT = 200
RECORDS = [record(f"s{n}", split="real", topic="ab"[n % 2]) for n in range(COUNT)]
WAYS: dict[str, Direction | None] = {"ssim": "higher", "mse": "lower", "fid": "lower", "odd": None}
PASS, FAIL, CANNOT = Verdict.PASS, Verdict.FAIL, Verdict.CANNOT_TELL
NOTHING = Usage(outputs=0)


def rows_of(editor: str, metric: str, values: Any, variant: str = "corrected") -> list[Row]:
    found = []
    for n, value in enumerate(values):
        given = None if value is None or not np.isfinite(value) else float(value)
        infinite = value is not None and np.isinf(value)
        status = Status.MISSING if value is None else Status.SCORED
        found.append(
            row(f"s{n}", editor, metric, given, variant=variant, infinite=infinite, status=status)
        )
    return found


def pair(
    shift: float, *, count: int = COUNT, noise: float = 0.02, metric: str = "ssim"
) -> list[Row]:
    generator = np.random.default_rng(3)
    old = generator.random(count)
    new = old + shift + generator.normal(0, noise, count)
    return [*rows_of("old", metric, old), *rows_of("new", metric, new)]


def read_policy(text: str) -> Policy:
    return schema.convert(tomllib.loads(text), Policy, "p.toml")


def verdict(rows: list[Row], policy: str, usage: Usage = NOTHING) -> Gate:
    return judge(frame(rows, RECORDS), "old", "new", WAYS, read_policy(policy), usage=usage)


def rule(**entry: Any) -> str:
    lines = {"name": "ssim", **entry}
    return "[[metric]]\n" + "\n".join(
        f"{key} = {json.dumps(value)}" for key, value in lines.items()
    )


def kinds(found: Gate) -> dict[str, Verdict]:
    return {check.kind: check.verdict for check in found.checks}


class TestMargins:
    @pytest.mark.parametrize(
        ("shift", "wanted"), [(0.1, PASS), (0.0, PASS), (-0.1, FAIL), (-0.05, CANNOT)]
    )
    def test_three_verdicts(self, shift: float, wanted: Verdict) -> None:
        assert kinds(verdict(pair(shift), rule(margin=0.05)))["margin"] is wanted

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
        assert not few.passed

    def test_with_so_many_samples_it_can_be_told(self) -> None:
        """What is said to be needed is of the right size."""
        found = verdict(pair(0.0, noise=0.3, count=60), rule(margin=0.05, least_samples=2))
        (check,) = [check for check in found.checks if check.kind == "margin"]
        if check.verdict is CANNOT and check.needed is not None:
            assert check.needed > 60

    def test_identical_scores_pass_any_margin(self) -> None:
        same = np.random.default_rng(0).random(COUNT)
        rows = [*rows_of("old", "ssim", same), *rows_of("new", "ssim", same)]
        assert kinds(verdict(rows, rule(margin=0.0)))["margin"] is PASS

    def test_a_constant_loss_of_the_margin_itself_fails(self) -> None:
        values = np.arange(COUNT, dtype=float)
        rows = [*rows_of("old", "ssim", values), *rows_of("new", "ssim", values - 1)]
        assert kinds(verdict(rows, rule(margin=1.0)))["margin"] is FAIL
        assert kinds(verdict(rows, rule(margin=1.5)))["margin"] is PASS

    def test_an_infinite_score_of_one_only_cannot_be_weighed(self) -> None:
        old = [np.inf, *np.full(COUNT - 1, 30.0)]
        rows = [*rows_of("old", "ssim", old), *rows_of("new", "ssim", np.full(COUNT, 30.0))]
        assert kinds(verdict(rows, rule(margin=1)))["margin"] is CANNOT

    def test_a_slice_is_judged_by_itself(self) -> None:
        """A gain on the whole hides a loss in one half."""
        generator = np.random.default_rng(1)
        old = generator.random(COUNT)
        shift = np.where(np.arange(COUNT) % 2 == 0, -0.1, 0.4)
        new = old + shift + generator.normal(0, 0.01, COUNT)
        rows = [*rows_of("old", "ssim", old), *rows_of("new", "ssim", new)]
        assert kinds(verdict(rows, rule(margin=0.05)))["margin"] is PASS
        assert kinds(verdict(rows, rule(margin=0.05, where="topic=a")))["margin"] is FAIL
        with pytest.raises(UnknownName):
            verdict(rows, rule(margin=0.05, where="topic=z"))

    def test_how_often_a_loss_of_the_margin_passes(self) -> None:
        """At the margin itself about alpha of all candidates pass: the interval is one-sided."""
        passed = 0
        for seed in range(40):
            noise = np.random.default_rng(seed).normal(-0.1, 1, 60)
            rows = [*rows_of("old", "ssim", np.zeros(60)), *rows_of("new", "ssim", noise)]
            passed += kinds(verdict(rows, rule(margin=0.1)))["margin"] is PASS
        assert 1 <= passed <= 6


class TestOtherRules:
    def test_a_floor(self) -> None:
        assert kinds(verdict(pair(0.0), rule(floor=0.3)))["floor"] is PASS
        assert kinds(verdict(pair(0.0), rule(floor=0.9)))["floor"] is FAIL
        lower = pair(0.0, metric="mse")
        assert kinds(verdict(lower, rule(name="mse", floor=0.3)))["floor"] is FAIL

    def test_missing_outputs_fail_coverage_by_default(self) -> None:
        old = np.random.default_rng(3).random(COUNT)
        new = [None, *(old[1:] + 0.2)]
        rows = [*rows_of("old", "ssim", old), *rows_of("new", "ssim", new)]
        assert kinds(verdict(rows, rule(margin=0.1)))["coverage"] is FAIL
        assert kinds(verdict(rows, "coverage = 0.99\n" + rule(margin=0.1)))["coverage"] is PASS

    def test_samples_that_were_never_scored_are_not_covered(self) -> None:
        assert kinds(verdict(pair(0.2, count=93), rule(margin=0.1)))["coverage"] is FAIL

    def test_not_worse_is_corrected_over_different_tests_only(self) -> None:
        twins = [*pair(-0.1), *pair(-0.1, metric="mse")]
        same = rule(not_worse=True) + "\n" + rule(not_worse=True, margin=1)
        found = verdict(twins, same)
        assert kinds(found)["not_worse"] is FAIL
        assert all("Holm over 1)" in c.found for c in found.checks if c.kind == "not_worse")

    def test_one_variant_of_a_metric_is_read(self) -> None:
        good, bad = pair(0.1), pair(-0.1)
        released = [row(r.sample, r.editor, "ssim", r.value, variant="faithful") for r in bad]
        assert kinds(verdict([*good, *released], rule(margin=0.05)))["margin"] is PASS
        chosen = rule(margin=0.05, variant="faithful")
        assert kinds(verdict([*good, *released], chosen))["margin"] is FAIL
        fallen = verdict(released, rule(margin=0.05))
        assert fallen.notes == ("ssim: it has no corrected rows; read as faithful.",)
        assert not verdict(good, chosen).passed

    def test_a_metric_of_the_whole_set_has_a_floor_and_no_test(self) -> None:
        rows = pair(0.0)
        rows += [
            row("*", e, "fid", v, variant="corrected") for e, v in (("old", 9.0), ("new", 11.0))
        ]
        found = verdict(rows, rule(name="fid", floor=12, margin=5))
        assert kinds(found) == {"floor": PASS, "margin": CANNOT}
        assert kinds(verdict(rows, rule(name="fid", floor=10)))["floor"] is FAIL

    def test_a_metric_without_a_direction_is_refused(self) -> None:
        with pytest.raises(UsageError, match="which way is better"):
            verdict(pair(0.0, metric="odd"), rule(name="odd", margin=1))

    def test_limits(self) -> None:
        policy = "cost = 0.05\nlatency = 2\n"
        quick = Usage(outputs=3, seconds=[1, 1, 1.5], dollars=[0.01, 0.02, 0.09])
        assert kinds(verdict(pair(0.0), policy, quick)) == {"cost": PASS, "latency": PASS}
        slow = Usage(outputs=3, seconds=[1, 1, 9], dollars=[0.01, 0.02, 0.9])
        assert kinds(verdict(pair(0.0), policy, slow)) == {"cost": FAIL, "latency": FAIL}
        partly = Usage(outputs=4, seconds=[1, 1, 1], dollars=[])
        assert kinds(verdict(pair(0.0), policy, partly)) == {"cost": CANNOT, "latency": CANNOT}

    def test_a_rule_that_nothing_answers_is_not_passed_over(self) -> None:
        policy = read_policy(rule(name="nowhere", margin=1))
        left = unread(policy, "old", "new", {"mini": WAYS})
        assert left is not None
        assert left.verdict is CANNOT
        assert unread(read_policy(rule(margin=1)), "old", "new", {"mini": WAYS}) is None
        elsewhere = read_policy(rule(margin=1, benchmark="krisbench"))
        assert unread(elsewhere, "old", "new", {"mini": WAYS}) is not None


def test_the_worst_verdict_counts_and_none_is_no_pass() -> None:
    assert together([PASS, CANNOT, FAIL]) is FAIL
    assert together([PASS, CANNOT]) is CANNOT
    assert together([PASS]) is PASS
    assert together([]) is CANNOT


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "asks for nothing"),
        ("marginn = 1", "marginn"),
        ("metric = 3", "metric: expected array"),
        ("[[metric]]\nfloor = 1", "name"),
        (rule(), "wanted a floor, a margin"),
        (rule(margin=-1), "margin: expected float >= 0"),
        (rule(margin="1"), "margin: expected float"),
        (rule(margin=True), "margin: expected float"),
        (rule(flor=1), "flor"),
        (rule(floor=1, variant="best"), "best"),
        (rule(floor=1, where=[1]), "where"),
        (rule(margin=1, least_samples=1), "least_samples: expected int >= 2"),
        ("coverage = 93\n" + rule(floor=1), "coverage: expected float <= 1"),
        ("alpha = 0\n" + rule(floor=1), "alpha: expected float > 0"),
        ("cost = nan", "cost"),
        ("[[metric]]\nname = 'a'\nfloor = inf", "finite"),
        ("[[metric", "no valid TOML"),
    ],
)
def test_a_policy_that_is_not_understood_is_refused(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(text)
    with pytest.raises(DataError) as error:
        policy_of(tmp_path / "p.toml")
    assert said in str(error.value)
    assert str(error.value).startswith("p.toml")


class TestCommand:
    @pytest.fixture
    def run(self, tmp_path: Path) -> Callable[[float], Path]:
        def make(shift: float) -> Path:
            run = Run.create(tmp_path / "run")
            run.write_samples("mini", RECORDS)
            with run.writer() as writer:
                writer.write(pair(shift))
            run.write_edits(
                [
                    EditRecord(benchmark="mini", sample=f"s{n}", editor="new", status=Status.SCORED, path=f"edits/mini/new/{n}.png",
                               seconds=1.0)
                    for n in range(COUNT)
                ])  # fmt: skip
            return run.path

        return make

    def call(self, run: Path, policy: str, *words: object) -> Result:
        path = run.parent / "policy.toml"
        path.write_text(policy, encoding="utf-8")
        line = ["compare", run, "old", "new", "--gate", path, *words]
        return invoke([str(word) for word in line])

    @pytest.mark.parametrize(
        ("shift", "code", "word"), [(0.1, 0, "PASS"), (-0.1, 1, "FAIL"), (-0.05, 4, "CANNOT TELL")]
    )
    def test_exit_codes_and_every_form(
        self, run: Callable[[float], Path], shift: float, code: int, word: str
    ) -> None:
        path, junit = run(shift), None
        junit, summary = path.parent / "made" / "gate.xml", path.parent / "summary.md"
        result = self.call(path, rule(margin=0.05), "--junit", junit, "--step-summary", summary)
        assert result.exit_code == code, result.output
        assert result.stdout.splitlines()[0] == word
        suite = ElementTree.parse(junit).getroot()[0]
        wrong = {"PASS": (0, 0), "FAIL": (1, 0), "CANNOT TELL": (0, 1)}[word]
        assert (int(suite.attrib["failures"]), int(suite.attrib["errors"])) == wrong
        assert summary.read_text(encoding="utf-8").startswith(f"## Release gate: {word}\n")
        found = json.loads(self.call(path, rule(margin=0.05), "--format", "json").stdout)
        assert found["passed"] is (word == "PASS")
        assert found["verdict"] == word

    def test_a_step_summary_is_added_to(self, run: Callable[[float], Path]) -> None:
        path = run(0.1)
        summary = path.parent / "summary.md"
        summary.write_text("before\n", encoding="utf-8")
        self.call(path, rule(margin=0.05), "--step-summary", summary)
        assert summary.read_text(encoding="utf-8").startswith("before\n## Release gate")

    def test_seconds_come_from_the_runs_records(self, run: Callable[[float], Path]) -> None:
        path = run(0.1)
        assert self.call(path, "latency = 2").exit_code == 0
        assert self.call(path, "latency = 0.5").exit_code == 1
        assert self.call(path, "cost = 1").exit_code == 4

    def test_a_metric_that_was_not_scored_is_no_pass(self, run: Callable[[float], Path]) -> None:
        result = self.call(run(0.1), rule(margin=0.05) + "\n" + rule(name="lpips", margin=0.1))
        assert result.exit_code == 4
        assert "CANNOT TELL  lpips, margin" in result.stdout

    @pytest.mark.parametrize(
        "words",
        [["--fail-if-worse"], ["--format", "csv"], ["--calibrate", "x"]],
    )
    def test_what_does_not_go_together(
        self, run: Callable[[float], Path], words: list[str]
    ) -> None:
        result = self.call(run(0.1), rule(margin=0.05), *words)
        assert isinstance(result.exception, EditgaugeError)
        assert "--gate" in str(result.exception)

    def test_a_policy_that_is_not_there(self, run: Callable[[float], Path]) -> None:
        words = ["compare", str(run(0.1)), "old", "new", "--gate", "nowhere.toml"]
        result = invoke(words)
        assert isinstance(result.exception, DataError)
        assert "nowhere.toml" in str(result.exception)


def test_text_from_outside_is_made_harmless() -> None:
    hostile = "<script>|`a`\x1b[31m\x00\u202e"
    check = gates.Check(name=hostile, kind="floor", verdict=FAIL, found=hostile, wanted=hostile)
    made = [Gate(benchmark=hostile, a=hostile, b=hostile, checks=(check,), notes=(hostile,))]
    assert "\x1b" not in gates.as_text(made) + gates.as_junit(made) + gates.as_summary(made)
    ElementTree.fromstring(gates.as_junit(made))
    assert "<script>" not in gates.as_summary(made)
    rows = [line for line in gates.as_summary(made).splitlines() if line.startswith("| FAIL")]
    assert len(rows) == 1


def test_a_rule_is_named_with_its_samples() -> None:
    assert Rule(metric="ssim", floor=1, where=("topic=a",)).name == "ssim [topic=a]"
