"""Who is ahead on the samples that all have, from made-up rows."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from editgauge.tables.layouts import every_table
from editgauge.tables.ranking import Ranking, ranking
from editgauge.tables.results import Results
from editgauge.types import Metric
from tests.made_rows import frame, record, scores

VC = {"VC": Metric("VC", direction="higher", low=0, high=10)}


def made(**values: list[float | None]) -> Results:
    rows = [r for name, of in values.items() for r in scores(name, "VC", of, benchmark="unheard")]
    records = [record(f"s{number}") for number in range(6)]
    return replace(frame(rows, records, "unheard"), described=VC)


def ranked(of: Results) -> Ranking | None:
    (paper,) = every_table(of)
    return ranking(of, paper, "faithful")


def test_editors_are_ranked_on_the_samples_that_all_have() -> None:
    """`a` has the higher mean of all it has (7), and the lower one where both have a score."""
    found = ranked(made(a=[1, 2, 1, 10, None, 10.0], b=[3, 3, 3, None, 3, None]))
    assert found is not None
    assert (found.n, found.of, found.left_out) == (3, 6, {})
    cells = {line.name: line.cells["VC"] for line in found.table.rows}
    assert [cells[name].value for name in "ab"] == [pytest.approx(4 / 3), 3.0]
    assert {name: ranks[0] for name, ranks in found.ranks.items()} == {"a": 2, "b": 1}


def test_a_model_with_less_than_half_of_the_scores_is_left_out_by_its_name() -> None:
    found = ranked(made(a=[1.0] * 6, b=[2, 3, 2, 2, 2, 2], c=[9.0, 9.0, *[None] * 4]))
    assert found is not None
    assert (found.n, found.left_out) == (6, {"c": 2})


def test_a_model_whose_number_is_not_finite_is_left_out_by_its_name() -> None:
    steps = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    found = ranked(made(a=steps, b=[n + 1 for n in steps], c=[math.inf, *steps[1:]]))
    assert found is not None
    assert found.left_out == {"c": 6}
    assert [line.name for line in found.table.rows] == ["a", "b"]


def test_the_first_is_ahead_by_a_paired_difference() -> None:
    noise = [0.0, 1.0, 2.0, 0.0, 3.0, 1.0]
    found = ranked(made(a=[3 + n for n in noise], b=[1 + n * 1.1 for n in noise], c=[0.0] * 6))
    assert found is not None
    assert found.ahead.n == 6
    assert found.ahead.value == pytest.approx(2 - 0.1 * 7 / 6)
    assert 1.5 < found.ahead.low < found.ahead.value < found.ahead.high < 2.1
