"""Derived metrics: the rules of the benchmarks against the oracles, and their rows where they are read."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable
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
RULES: dict[str, tuple[Callable[[Any], Any], dict[str, Any]]] = {
    "least": (lambda v: min(v.values()), {}),
    "root": (lambda v: math.sqrt(v["a"] * v["b"]), {}),
    "either": (lambda v: sum(v.values()), {"optional": ("b",)}),
    "tolerant": (
        lambda v: v["a"] if v["a"] < 5 else v.get("b"), {"optional": ("b",), "tolerant": True},
    ),
}  # fmt: skip
Rules = Callable[..., None]
Found = dict[tuple[str, str, str, int], dict[str, Any]]
COLUMNS = (
    "metric", "sample", "source", "repeat", "variant", "value", "status", "reason", "detail", "origin",
)  # fmt: skip


def one(metric: str, value: float | None, sample: str = "s1", **more: Any) -> Row:
    status = more.pop("status", Status.SCORED)
    made = row(sample, "m", metric, value, status=status, benchmark="bench", **more)
    return replace(made, fingerprint=f"{made.fingerprint}{value}", reason=more.get("reason", ""))


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run.create(tmp_path / "run")


@pytest.fixture
def rules(monkeypatch: pytest.MonkeyPatch) -> Rules:
    """Gives the benchmark of the rows these rules; `changed` is put in the place of the first."""

    def set_rules(*names: str, changed: Any = None, version: str = "1") -> None:
        made = []
        for name in names:
            rule, more = RULES[name]
            given = {**more, "version": version}
            made.append(Derived(replace(A, name=name), ("a", "b"), changed or rule, **given))
        bench = Benchmark(
            name="bench", title="Bench", citation="none", metrics=(A, B), derived=tuple(made),
            load=lambda root, *, split=None: [],  # type: ignore[arg-type, return-value]
        )  # fmt: skip
        monkeypatch.setitem(catalog._given, ("benchmarks", "bench"), (bench, ""))

    return set_rules


def found(run: Run) -> Found:
    """The derived rows of the run as a reader sees them."""
    query = f"SELECT {', '.join(COLUMNS)} FROM rows WHERE scorer = 'derived'"
    told = fetch_tuples(Run.open(run.path).parquet(), query)
    rows = [dict(zip(COLUMNS, values, strict=True)) for values in told]
    return {(r["metric"], r["sample"], r["source"], r["repeat"]): r for r in rows}


@pytest.mark.parametrize("cut_off", [True, False])
def test_textedits_average_is_the_oracles_for_every_answer(cut_off: bool) -> None:
    derived = AVERAGE if cut_off else AVERAGE_NO_CUT_OFF
    for scores in itertools.product((None, 1, 2, 3, 4, 5), repeat=3):
        answer = dict(zip(oracle.QUESTIONS, (*scores, 5, 4), strict=True))
        normal = oracle.normalise(answer, cut_off=cut_off)
        expected = None if normal is None else oracle.weighted(normal)
        known = {name: float(v) for name, v in answer.items() if v is not None}
        assert derived.rule(known) == pytest.approx(expected)
    assert AVERAGE.rule({"Q1": 7.0}) is None, "not on the scale"
    assert AVERAGE.rule(dict.fromkeys(oracle.QUESTIONS, 4.5)) is None


def test_the_averages_of_krisbench_and_texteditbench() -> None:
    assert KRIS.rule({"VC": 5.0, "VQ": 5.0, "IF": 5.0}) == 100.0
    assert KRIS.rule({"VC": 1.0, "VQ": 1.0, "IF": 1.0, "KP": 1.0}) == 0.0
    assert KRIS.rule({"VC": 2.0, "VQ": 3.0, "IF": 4.0, "KP": 5.0}) == 62.5
    four = {"IF": 5.0, "TA": 4.0, "VC": 3.0, "LP": 4.0}
    assert (OVERALL.rule(four), OVERALL.rule({**four, "SE": 0.0})) == (20.0, 16.0)


def test_a_row_of_each_sample_variant_and_repeat(run: Run, rules: Rules) -> None:
    rules("least", "root")
    run.put([one("a", 4.0), one("b", 9.0), one("a", 1.0, repeat=1), one("b", 2.0, repeat=1)])
    run.put([one("a", 3.0, variant="corrected"), one("b", 8.0, variant="corrected")])
    rows = found(run)
    assert {key[::3]: told["value"] for key, told in rows.items()} == {
        ("least", 0): 4.0, ("root", 0): 6.0, ("least", 1): 1.0, ("root", 1): math.sqrt(2.0),
    }  # fmt: skip
    assert all(r["variant"] == "faithful" for r in rows.values()), "the metric has one variant"
    assert json.loads(rows["root", "s1", "", 0]["detail"]) == {"of": {"a": 4.0, "b": 9.0}}
    assert json.loads(rows["root", "s1", "", 0]["origin"]) == {"of": ["a", "b"], "version": "1"}
    assert set(Run.open(run.path).metrics("bench")) == {"least", "root"}, "a reader knows them"


def test_they_are_never_older_than_their_parents_or_their_rule(
    run: Run, rules: Rules, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules("least")
    run.put([one("a", 4.0), one("b", 9.0)])
    first = Run.open(run.path).parquet()[0].stat().st_mtime_ns
    assert [r["value"] for r in found(run).values()] == [4.0]
    assert Run.open(run.path).parquet()[0].stat().st_mtime_ns == first, "read, not made again"
    run.put([one("a", 2.0)])
    assert [r["value"] for r in found(run).values()] == [2.0]
    rules("least", changed=lambda v: max(v.values()), version="2")
    assert [r["value"] for r in found(run).values()] == [9.0]
    with monkeypatch.context() as patched:
        patched.delitem(catalog._given, ("benchmarks", "bench"))
        assert [r["value"] for r in found(run).values()] == [9.0], "as they were read last"
    run.drop([(one("a", 2.0).key, one("a", 2.0).fingerprint)])
    assert found(run) == {}


def test_those_of_an_absent_benchmark_stay_while_their_parents_are_the_same(
    run: Run, rules: Rules, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules("least")
    run.put([one("a", 4.0), one("b", 9.0)])
    assert [r["value"] for r in found(run).values()] == [4.0]
    with monkeypatch.context() as patched:
        patched.delitem(catalog._given, ("benchmarks", "bench"))
        run.put([row("s1", "m", "mse", 1.0, benchmark="mini")])
        assert [r["value"] for r in found(run).values()] == [4.0], "another benchmark has new rows"
        run.put([one("b", 2.0)])
        assert found(run) == {}, "made of other parents, they would be another number"
        reader = Run.open(run.path)
        run.put([row("s2", "m", "mse", 1.0, benchmark="mini")])
        reader.parquet()
        assert "bench is not installed here, so that least cannot be derived" in reader.problems[0]
    assert [r["value"] for r in found(run).values()] == [2.0], "installed again"


def test_an_absent_benchmark_keeps_no_other_one_s_derived_rows_stale(
    run: Run, rules: Rules
) -> None:
    rules("least")
    run.put([one("a", 4.0), one("b", 9.0), row("s1", "m", "mse", 1.0, benchmark="not-installed")])
    assert [r["value"] for r in found(run).values()] == [4.0]
    rules("least", changed=lambda v: max(v.values()), version="2")
    assert [r["value"] for r in found(run).values()] == [9.0]


def test_a_rule_that_needs_one_parent_less_makes_its_rows_anew(run: Run, rules: Rules) -> None:
    rules("least")
    run.put([one("a", 4.0)])
    assert found(run) == {}
    RULES["least"], before = (RULES["least"][0], {"optional": ("b",)}), RULES["least"]
    try:
        rules("least")
        assert [r["value"] for r in found(run).values()] == [4.0]
    finally:
        RULES["least"] = before


FAILS = [Status.REFUSED, Status.UNPARSABLE, Status.NOT_APPLICABLE, Status.MISSING]
REFUSED, UNPARSABLE = Status.REFUSED, Status.UNPARSABLE


def b(status: Status, reason: str = "") -> Row:
    return replace(one("b", None, status=status), reason=reason)


@pytest.mark.parametrize(
    ("rule", "second", "wanted"),
    [
        *(("least", b(s), (None, s, f"b: {s.value.replace('_', ' ')}")) for s in FAILS),
        ("least", b(REFUSED, "a filter"), (None, REFUSED, "b: a filter")),
        ("least", None, None),
        ("least", one("b", 3.0), (3.0, "scored", "")),
        ("least", one("b", None, infinite=True), (4.0, "scored", "")),
        ("either", None, (4.0, "scored", "")),
        ("either", b(Status.NOT_APPLICABLE), (4.0, "scored", "")),
        ("either", b(UNPARSABLE, "odd"), (None, UNPARSABLE, "b: odd")),
        ("either", one("b", None, infinite=True), (math.inf, "scored", "")),
        ("tolerant", b(UNPARSABLE), (4.0, "scored", "")),
    ],
)
def test_a_parent_without_a_value_names_itself_and_an_optional_one_may_not_apply(
    run: Run, rules: Rules, rule: str, second: Row | None, wanted: tuple[Any, ...] | None
) -> None:
    rules(rule)
    run.put([one("a", 4.0), *filter(None, [second])])
    told = [(r["value"], r["status"], r["reason"]) for r in found(run).values()]
    assert told == ([] if wanted is None else [wanted])


def test_two_judges_are_never_mixed_and_what_was_never_repeated_goes_with_all(
    run: Run, rules: Rules
) -> None:
    rules("least")
    run.put([one("a", 4.0, source="j1"), one("a", 8.0, source="j2"), one("b", 6.0)])
    run.put([one("a", 5.0, source="j1", repeat=1)])
    run.put([one(name, 4.0, source="human:ann") for name in "ab"])
    run.put([one(name, 4.0, "*") for name in "ab"])
    values = {key[2:]: r["value"] for key, r in found(run).items()}
    assert values == {("j1", 0): 4.0, ("j1", 1): 5.0, ("j2", 0): 6.0}


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
    run: Run, rules: Rules, rule: Any, said: str
) -> None:
    rules("least", changed=rule)
    run.put([one("a", 4.0), one("b", 9.0)])
    told = found(run)["least", "s1", "", 0]
    assert (told["value"], told["status"]) == (None, Status.FAILED)
    assert said in told["reason"]
