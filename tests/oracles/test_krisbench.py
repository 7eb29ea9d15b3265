"""KRIS-Bench: its table from per-sample scores, and what its released parsers make of a reply."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pytest

from editgauge.benchmarks.krisbench.judge import released_pair, released_score
from editgauge.judging.protocol import Call, Range
from editgauge.judging.reading import read
from tests.oracles.krisbench import DIMENSIONS, SAMPLES, averages, kris_table, metrics_of, scaled

SHARED = Path(os.environ.get("EDITGAUGE_SHARED", Path(__file__).parents[3] / "shared"))
needs_shared = pytest.mark.skipif(
    not (SHARED / "golden").is_dir(), reason="the shared golden files are not here"
)


def test_a_mean_is_rounded_before_it_is_scaled() -> None:
    """3.974 -> 3.97 -> 74.25; scaling first would print 74.35."""
    assert scaled(3.974) == pytest.approx(74.25)
    assert scaled(1.0) == 0
    assert scaled(5.0) == 100


CONTRADICTED = {
    "gpt4o": {("Emu2", "Spatial Perception")},
    # two dimension averages lie 0.083 beside the mean of their own printed cells; three more
    # numbers follow from them
    "qwen2.5-vl-72b": {
        ("BAGEL", "Spatial Perception"), ("BAGEL", "Factual Knowledge"),
        ("AnyEdit", "Attribute Perception"), ("AnyEdit", "Factual Knowledge"),
        ("AnyEdit", "Overall"),
    },
}  # fmt: skip


@needs_shared
@pytest.mark.parametrize("judge", list(CONTRADICTED))
def test_published_averages_follow_from_the_published_cells(judge: str) -> None:
    """Both printed tables to 0.01, but for the cells that contradict their own printed numbers."""
    with (SHARED / "published" / f"kris_bench_{judge}.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    models = [name for name in lines[0] if name not in ("dimension", "metric")]
    wrong, checked = set(), 0
    for model in models:
        found = averages(
            {(r["dimension"], r["metric"]): float(r[model]) for r in lines if r["metric"] != "avg"}
        )
        for row in (row for row in lines if row["metric"] == "avg"):
            checked += 1
            if abs(found[row["dimension"]] - float(row[model])) > 0.0101:
                wrong.add((model, row["dimension"]))
    assert checked == 11 * 11
    assert wrong == CONTRADICTED[judge]


def test_weights_are_the_numbers_of_samples() -> None:
    """Two dimensions of one type: 275 samples at 100 and 100 at 0, 74 at 0 -> 275 / 449."""
    cells = {("Attribute Perception", m): 100.0 for m in metrics_of("Attribute Perception")}
    cells |= {
        (d, m): 0.0 for d in ("Spatial Perception", "Temporal Prediction") for m in metrics_of(d)
    }
    assert averages(cells)["Factual Knowledge"] == pytest.approx(100 * 275 / 449)
    assert "Overall" not in averages(cells)


def test_a_table_from_scores_shows_coverage_and_both_means() -> None:
    """Failures are left out by default and count as 1 (printed 0) on request; a missing dimension
    has no average.
    """
    scores = {
        (d, m): [5.0, 3.0, None]
        for kind in DIMENSIONS.values()
        for d in kind
        for m in metrics_of(d)
    }
    left_out, floor = kris_table(scores), kris_table(scores, minimum=True)
    cell = left_out.cells["Social Science", "KP"]
    assert (cell.value, cell.n, cell.of) == (75.0, 2, 3)
    assert floor.cells["Social Science", "KP"].value == pytest.approx((3.0 - 1) * 25)
    assert left_out.averages["Overall"] == pytest.approx(75.0)
    assert sum(SAMPLES.values()) == 1267
    del scores["Social Science", "KP"]
    assert "Social Science" not in kris_table(scores).averages
    assert "Overall" not in kris_table(scores).averages


def test_the_strict_reader_never_takes_a_stray_digit() -> None:
    """Replies on which the released parser is wrong: the strict reader gives the verdict or no
    number.
    """
    form = {"reasoning": object, "consistency_score": Range(1, 5)}
    call = Call(name="VC", parts=(), reply=form, metrics={}, rubric="")
    stray = [
        "There are 2 people and 1 dog. The final rating is 5.",
        '{"reasoning": "1. sky same 2. tree same", "consistency_score": 5',
        '{"consistency_score": 7, "reasoning": "out of range"}',
        '{"consistency_score": 4.6, "reasoning": "float"}',
    ]
    assert [released_score(reply, "consistency") for reply in stray] == [2, 1, 7, 4]
    found = [read(call, reply).readings["consistency_score"].value for reply in stray]
    assert found == [None] * 4


def test_scripts_differ_where_they_say_so() -> None:
    """`null` ends the search for knowledge tasks only; scripts for several pictures ignore a name
    outside of JSON.
    """
    null = '{"quality_score": null} I would say 2'
    assert released_score(null, "quality") == 2
    assert released_score(null, "quality", "knowledge") is None
    named = "1 thing. quality score: 4"
    assert released_score(named, "quality") == 4
    assert released_score(named, "quality", "several") == 1
    assert released_pair('{"instruction_score": "x", "knowledge_score": 3} knowledge score: 2') == (
        None,
        2,
    )
