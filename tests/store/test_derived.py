"""Derived metrics: the rules of the benchmarks against the oracles, and their rows where they are read."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.made_rows import row
from tests.oracles import textedit as oracle

from editgauge import catalog
from editgauge.benchmarks.krisbench.facts import AVERAGE as KRIS
from editgauge.benchmarks.textedit.facts import AVERAGE, AVERAGE_NO_CUT_OFF
from editgauge.benchmarks.texteditbench.facts import OVERALL
from editgauge.store.parquet import fetch_tuples
from editgauge.store.run import Run
from editgauge.types import Benchmark, Derived, Metric, Row, Status

A, B = (Metric(name, direction="higher", low=0.0, high=10.0) for name in "ab")
RULES: dict[str, Derived] = {
    "least": Derived(replace(A, name="least"), ("a", "b"), lambda v: min(v.values())),
    "root": Derived(replace(A, name="root"), ("a", "b"), lambda v: math.sqrt(v["a"] * v["b"])),
    "either": Derived(
        replace(A, name="either"), ("a", "b"), lambda v: sum(v.values()), optional=("b",)
    ),
    "tolerant": Derived(
        replace(A, name="tolerant"),
        ("a", "b"),
        lambda v: v["a"] if v["a"] < 5 else v.get("b"),
        optional=("b",),
        tolerant=True,
    ),
}


def benchmark(*rules: str, **changes: Derived) -> Benchmark:
    return Benchmark(
        name="bench",
        title="Bench",
        citation="none",
        metrics=(A, B),
        load=lambda root, *, split=None: [],  # type: ignore[arg-type, return-value]
        derived=tuple(changes.get(rule, RULES[rule]) for rule in rules),
    )


def one(metric: str, value: float | None, sample: str = "s1", **more: Any) -> Row:
    status = more.pop("status", Status.SCORED)
    made = row(sample, "m", metric, value, status=status, benchmark="bench", **more)
    return replace(made, fingerprint=f"{made.fingerprint}{value}", reason=more.get("reason", ""))


Found = dict[tuple[str, str, str, int], dict[str, Any]]
COLUMNS = (
    "metric", "sample", "source", "repeat", "variant", "value", "status", "reason", "detail", "origin",
)  # fmt: skip


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run.create(tmp_path / "run")


@pytest.fixture
def rules(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Gives the benchmark of the rows these rules."""

    def set_rules(*names: str, **changes: Derived) -> None:
        given = ("benchmarks", "bench")
        monkeypatch.setitem(catalog._given, given, (benchmark(*names, **changes), ""))

    return set_rules


Rules = Callable[..., None]


def found(run: Run) -> Found:
    """The derived rows of the run as a reader sees them."""
    query = f"SELECT {', '.join(COLUMNS)} FROM rows WHERE scorer = 'derived'"
    rows = [
        dict(zip(COLUMNS, row, strict=True))
        for row in fetch_tuples(Run.open(run.path).parquet(), query)
    ]
    return {(r["metric"], r["sample"], r["source"], r["repeat"]): r for r in rows}


class TestRules:
    @pytest.mark.parametrize("cut_off", [True, False])
    def test_textedits_average_is_the_oracles_for_every_answer(self, cut_off: bool) -> None:
        derived = AVERAGE if cut_off else AVERAGE_NO_CUT_OFF
        for scores in itertools.product((None, 1, 2, 3, 4, 5), repeat=3):
            answer = dict(zip(oracle.QUESTIONS, (*scores, 5, 4), strict=True))
            normal = oracle.normalise(answer, cut_off=cut_off)
            expected = None if normal is None else oracle.weighted(normal)
            known = {name: float(v) for name, v in answer.items() if v is not None}
            assert derived.rule(known) == pytest.approx(expected)

    def test_an_integer_that_is_not_on_textedits_scale_drops_the_answer(self) -> None:
        assert AVERAGE.rule({"Q1": 7.0}) is None
        assert AVERAGE.rule(dict.fromkeys(oracle.QUESTIONS, 4.5)) is None

    @pytest.mark.parametrize(
        ("values", "expected"),
        [
            ({"VC": 5.0, "VQ": 5.0, "IF": 5.0}, 100.0),
            ({"VC": 1.0, "VQ": 1.0, "IF": 1.0, "KP": 1.0}, 0.0),
            ({"VC": 2.0, "VQ": 3.0, "IF": 4.0, "KP": 5.0}, 62.5),
        ],
    )
    def test_krisbenchs_average(self, values: Mapping[str, float], expected: float) -> None:
        assert KRIS.rule(values) == expected

    def test_texteditbenchs_overall_is_out_of_25_with_and_without_se(self) -> None:
        four = {"IF": 5.0, "TA": 4.0, "VC": 3.0, "LP": 4.0}
        assert OVERALL.rule(four) == 20.0
        assert OVERALL.rule({**four, "SE": 0.0}) == 16.0


class TestRows:
    def test_minimum_and_root_of_each_sample_variant_and_repeat(
        self, run: Run, rules: Rules
    ) -> None:
        rules("least", "root")
        run.put([one("a", 4.0), one("b", 9.0), one("a", 1.0, repeat=1), one("b", 2.0, repeat=1)])
        run.put([one("a", 3.0, variant="corrected"), one("b", 8.0, variant="corrected")])
        rows = found(run)
        assert len(rows) == 4
        assert rows["least", "s1", "", 0]["value"] == 4.0
        assert rows["root", "s1", "", 0]["value"] == 6.0
        assert rows["least", "s1", "", 1]["value"] == 1.0
        assert all(r["variant"] == "faithful" for r in rows.values()), "the metric has one variant"
        assert json.loads(rows["root", "s1", "", 0]["detail"]) == {"of": {"a": 4.0, "b": 9.0}}
        assert json.loads(rows["root", "s1", "", 0]["origin"]) == {"of": ["a", "b"], "version": "1"}
        assert set(Run.open(run.path).metrics("bench")) == {"least", "root"}, "a reader knows them"

    def test_they_are_never_older_than_their_parents_or_their_rule(
        self, run: Run, rules: Rules
    ) -> None:
        rules("least")
        old = one("a", 4.0)
        run.put([old, one("b", 9.0)])
        first = Run.open(run.path).parquet()[0].stat().st_mtime_ns
        assert [r["value"] for r in found(run).values()] == [4.0]
        assert Run.open(run.path).parquet()[0].stat().st_mtime_ns == first, "read, not made again"
        run.put([one("a", 2.0)])
        assert [r["value"] for r in found(run).values()] == [2.0]
        rules("least", least=replace(RULES["least"], rule=lambda v: max(v.values()), version="2"))
        assert [r["value"] for r in found(run).values()] == [9.0]
        run.drop([(one("a", 2.0).key, one("a", 2.0).fingerprint)])
        assert found(run) == {}

    def test_without_the_benchmark_they_stay_as_they_were_read_last(
        self, run: Run, rules: Rules, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        rules("least")
        run.put([one("a", 4.0), one("b", 9.0)])
        assert found(run)
        monkeypatch.delitem(catalog._given, ("benchmarks", "bench"))
        assert [r["value"] for r in found(run).values()] == [4.0]

    @pytest.mark.parametrize(
        "status", [Status.REFUSED, Status.UNPARSABLE, Status.NOT_APPLICABLE, Status.MISSING]
    )
    def test_a_parent_without_a_value_names_itself(
        self, run: Run, rules: Rules, status: Status
    ) -> None:
        rules("least")
        run.put([one("a", 4.0), one("b", None, status=status)])
        run.put(
            [replace(one("b", None, "s2", status=status), reason="a filter"), one("a", 4.0, "s2")]
        )
        told = found(run)["least", "s2", "", 0]
        assert (told["value"], told["status"], told["reason"]) == (None, status, "b: a filter")
        bare = found(run)["least", "s1", "", 0]
        assert bare["reason"] == f"b: {status.value.replace('_', ' ')}"

    def test_what_was_not_asked_leaves_no_row(self, run: Run, rules: Rules) -> None:
        """A judge asked for a alone fails nothing that needs b as well; b's score brings the row."""
        rules("least")
        run.put([one("a", 4.0)])
        assert found(run) == {}
        run.put([one("b", 3.0)])
        assert found(run)["least", "s1", "", 0]["value"] == 3.0

    def test_an_optional_parent_may_be_not_applicable_and_may_not_fail(
        self, run: Run, rules: Rules
    ) -> None:
        rules("either")
        run.put([one("a", 4.0), one("b", None, status=Status.NOT_APPLICABLE)])
        run.put([one("a", 4.0, "s2"), one("b", None, "s2", status=Status.UNPARSABLE)])
        run.put([one("a", 4.0, "s3")])
        rows = found(run)
        assert rows["either", "s1", "", 0]["value"] == 4.0
        assert rows["either", "s2", "", 0]["status"] == Status.UNPARSABLE
        assert rows["either", "s3", "", 0]["value"] == 4.0

    def test_a_tolerant_rule_decides_what_it_needs(self, run: Run, rules: Rules) -> None:
        rules("tolerant")
        run.put([one("a", 4.0), one("b", None, status=Status.UNPARSABLE)])
        run.put([one("a", 9.0, "s2"), one("b", None, "s2", status=Status.UNPARSABLE)])
        assert found(run)["tolerant", "s1", "", 0]["value"] == 4.0
        assert found(run)["tolerant", "s2", "", 0]["status"] == Status.UNPARSABLE

    def test_two_judges_are_never_mixed_and_pixels_go_with_both(
        self, run: Run, rules: Rules
    ) -> None:
        rules("least")
        run.put([one("a", 4.0, source="j1"), one("a", 8.0, source="j2"), one("b", 6.0)])
        assert {key[2]: r["value"] for key, r in found(run).items()} == {"j1": 4.0, "j2": 6.0}

    def test_a_parent_that_was_never_repeated_goes_with_every_repeat(
        self, run: Run, rules: Rules
    ) -> None:
        rules("least")
        run.put([*(one("a", 4.0 + n, source="j", repeat=n) for n in range(3)), one("b", 5.0)])
        assert {key[3]: r["value"] for key, r in found(run).items()} == {0: 4.0, 1: 5.0, 2: 5.0}

    @pytest.mark.parametrize(
        ("rule", "said"),
        [
            (lambda v: 1 / 0, "ZeroDivisionError: division by zero"),
            (lambda v: float("nan"), "the rule gives nan"),
            (lambda v: None, "the rule of least gives no value"),
            (lambda v: "x", "ValueError"),
        ],
    )
    def test_a_rule_that_breaks_is_a_row_that_says_so(
        self, run: Run, rules: Rules, rule: Any, said: str
    ) -> None:
        rules("least", least=replace(RULES["least"], rule=rule))
        run.put([one("a", 4.0), one("b", 9.0)])
        told = found(run)["least", "s1", "", 0]
        assert (told["value"], told["status"]) == (None, Status.FAILED)
        assert said in told["reason"]

    def test_an_infinite_parent_may_give_an_infinite_row(self, run: Run, rules: Rules) -> None:
        rules("least", "either")
        run.put([one("a", None, infinite=True), one("b", 9.0)])
        rows = found(run)
        assert rows["least", "s1", "", 0]["value"] == 9.0
        assert rows["either", "s1", "", 0]["value"] == math.inf

    def test_peoples_ratings_and_whole_sets_are_not_combined(self, run: Run, rules: Rules) -> None:
        rules("least")
        run.put([one("a", 4.0, source="human:ann"), one("b", 9.0, source="human:ann")])
        run.put([one("a", 4.0, "*"), one("b", 4.0, "*")])
        assert found(run) == {}
