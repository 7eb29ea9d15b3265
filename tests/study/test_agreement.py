"""Agreement from rows: small studies whose numbers are worked out beside them."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from editgauge.errors import UsageError
from editgauge.study.agreement import ALPHA, agreement
from editgauge.study.people import answers, averaged, comparisons
from editgauge.tables.results import Results
from editgauge.tables.table import Table
from editgauge.types import Row
from tests import made_rows
from tests.made_rows import record, row
from tests.study.made_study import rating

SAMPLES = [record(f"s{n}", organ="eye" if n < 2 else "hand") for n in range(4)]


def rated(
    who: str, question: str, scale: str, table: list[list[float]], **more: object
) -> list[Row]:
    """Ratings of editors a, b, c (columns) on s0… (lines)."""
    facts = {"benchmark": "mini", "question": question, "annotator": who, "scale": scale, **more}
    return [
        rating(sample=f"s{n}", editor=editor, value=value, **facts)
        for n, line in enumerate(table)
        for editor, value in zip("abc", line, strict=True)
    ]


def judge(table: list[list[float]], metric: str = "IF", source: str = "judge") -> list[Row]:
    return [
        row(f"s{n}", editor, metric, value, source=source, scorer="judge")
        for n, line in enumerate(table)
        for editor, value in zip("abc", line, strict=True)
    ]


def frame(rows: list[Row]) -> Results:
    return made_rows.frame(rows, SAMPLES)


def table(rows: list[Row], name: str) -> Table:
    return next(one for one in agreement(frame(rows)).tables if one.name == f"agree.{name}")


def people(rows: list[Row]) -> dict[str, tuple[float | None, float | None]]:
    lines = table(rows, "people").rows
    return {row.name: (row.cells["value"].value, row.cells["samples"].value) for row in lines}


def test_two_annotators_by_hand() -> None:
    # s0: 1 2 3 against 1 2 3, rho 1; s1: 1 2 3 against 3 2 1, rho -1; s2: 1 2 3 against 1 3 2,
    # rho 0.5; s3: 1 1 1 has no order. Mean (1 - 1 + 0.5)/3.
    ann = rated("ann", "EA", "rank", [[1, 2, 3], [1, 2, 3], [1, 2, 3], [1, 1, 1]])
    ben = rated("ben", "EA", "rank", [[1, 2, 3], [3, 2, 1], [1, 3, 2], [1, 2, 3]])
    assert people(ann + ben)["Spearman per sample"] == (pytest.approx(0.5 / 3), 3)


@pytest.mark.parametrize("first", [0, 1])
def test_self_agreement_is_the_second_time_against_the_first(first: int) -> None:
    once = rated("ann", "EA", "rate", [[5, 4, 3], [5, 4, 3]], repeat=first)
    again = rated("ann", "EA", "rate", [[5, 4, 3], [3, 4, 5]], repeat=first + 1)
    (said,) = answers(frame(once + again))
    assert said.mean[:, 1].tolist() == [5, 4, 3], "however repeats are counted"
    found = people(once + again)
    assert found["self: Spearman per sample"] == (pytest.approx(0.0), 2)
    assert "Spearman per sample" not in found, "one annotator agrees with nobody"


def test_a_metric_against_the_mean_of_people() -> None:
    # ranks: the mean of the two is 1.5 1.5 3 on s0, so ties are in; the judge gives 5 4 1.
    rows = rated("ann", "EA", "rank", [[1, 2, 3]]) + rated("ben", "EA", "rank", [[2, 1, 3]])
    rows += judge([[5, 4, 1]])
    for name, value in (("spearman", 3**0.5 / 2), ("no_ties", 0.875)):
        assert table(rows, name).rows[0].cells["EA"].value == pytest.approx(value)
    names = [one.name for one in agreement(frame(rows)).tables]
    assert "agree.mae" not in names, "a rank and a score have no common scale"


def test_a_metric_that_is_better_when_lower_agrees_where_it_falls() -> None:
    rows = rated("ann", "EA", "rate", [[5, 3, 1]]) + judge([[0.1, 0.2, 0.3]], "mse")
    assert table(rows, "spearman").rows[0].cells["EA"].value == pytest.approx(1.0)


def test_kris_figure_5() -> None:
    given = [[5, 3, 1], [3, 3, 5]]
    rows = rated("ann", "IF", "grade", given)  # type: ignore[arg-type]
    rows += judge([[5, 2, 1], [3, 4, 5]]) + judge([[1, 1, 5], [5, 4, 2]], source="plain prompts")
    errors = {row.name: row.cells["IF"].value for row in table(rows, "mae").rows}
    assert errors == {
        "IF · judge": pytest.approx(2 / 6), "IF · plain prompts": pytest.approx(16 / 6)
    }  # fmt: skip
    flat = np.corrcoef(np.array(given, float).ravel(), [5, 2, 1, 3, 4, 5])[0, 1]
    assert table(rows, "pearson").rows[0].cells["IF"].value == pytest.approx(flat)


def test_the_mean_of_people_against_the_mean_of_the_judges_metrics() -> None:
    rows = rated("ann", "overall", "rate", [[5, 3, 1]])
    rows += judge([[5, 5, 1]]) + judge([[5, 1, 2]], "TA")
    (whole,) = [r for r in table(rows, "pearson").rows if r.name.startswith("mean of all")]
    wanted = np.corrcoef([5, 3, 1], [5, 3, 1.5])[0, 1]
    assert whole.cells["mean of all"].value == pytest.approx(wanted)


def test_bradley_terry_from_comparisons() -> None:
    facts = {"benchmark": "mini", "editor": "b", "against": "a", "scale": "pairwise"}

    def compare(sample: str, who: str, value: float) -> Row:
        return rating(sample=sample, annotator=who, value=value, **facts)

    rows = [compare(f"s{n}", who, v) for n, v in enumerate([1, 1, 1, 0]) for who in ("x", "y")]
    (tied,) = comparisons(frame([*rows, compare("s0", "z", 0.5)]))
    assert (tied.wins.sum(axis=0).tolist(), tied.ties) == ([[0, 2.5], [6.5, 0]], 1)
    (found,) = comparisons(frame(rows))
    assert found.wins.sum(axis=0).tolist() == [[0, 2], [6, 0]]
    ranking = table(rows, "bradley_terry")
    assert [row.name for row in ranking.rows] == ["b", "a"]
    assert ranking.rows[0].cells["strength"].value == pytest.approx(np.log(3) / 2)
    assert ranking.notes[0].startswith("8 comparisons (0 ties) by 2 annotators on 4 samples")


def test_tables_never_mix_annotators() -> None:
    rows = rated("ann", "IF", "rate", [[5, 3, 1]]) + rated("ben", "IF", "rate", [[3, 3, 1]])
    rows += rated("ben", "IF", "rate", [[1, 1, 1]], repeat=1) + judge([[2, 2, 2]])
    whole = frame(rows)
    assert whole.without_people().grid("IF", "faithful").values[:, 0].tolist() == [2, 2, 2]
    mean = averaged(whole).of_sources(["human"])
    assert mean.grid("IF", "faithful").values[:, 0].tolist() == [4, 3, 1]


def test_people_stand_on_the_scale_of_medebenchs_judge() -> None:
    rows = rated("ann", "EA", "rate", [[5, 3, 1]], benchmark="medebench")
    rows += [replace(one, benchmark="medebench") for one in judge([[10, 5, 2]], "EA")]
    whole = made_rows.frame(rows, SAMPLES, "medebench")
    mean = averaged(whole).of_sources(["human"])
    assert mean.grid("EA", "faithful").values[:, 0].tolist() == [10, 5, 0]
    (errors,) = (one for one in agreement(whole).tables if one.name == "agree.mae")
    assert errors.rows[0].cells["EA"].value == pytest.approx(2 / 3)


FINE = rated("ann", "IF", "rate", [[5, 3, 1]] * 4)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (rated("ben", "IF", "rate", [[5, 3, 1]] * 4) + judge([[5, 2, 1]] * 4),
         r"People agree well, alpha 1\.00; IF agrees best with IF · judge, 1\.00\."),
        (rated("ben", "IF", "rate", [[5, 1, 1]] * 4), "People agree fairly, alpha 0.74"),
        (rated("ben", "IF", "rate", [[1, 3, 5]] * 4), "People agree poorly, alpha -"),
        (judge([[1, 3, 5]] * 4) + judge([[5, 3, 1]], "TA"), r".*; IF agrees with no metric; the best is IF · judge, -1\.00\."),
        ([], "How well people agree cannot be said"),
    ],
)  # fmt: skip
def test_agreement_begins_with_one_sentence(more: list[Row], said: str) -> None:
    found = agreement(frame(FINE + more), brief=True)
    assert re.match(said, found.sentence)
    assert {one.name for one in found.tables} <= {"agree.people", "agree.spearman"}
    people = (one.rows for one in found.tables if one.name == "agree.people")
    assert {row.name for rows in people for row in rows} <= {ALPHA}


def test_one_question_on_two_scales_is_refused() -> None:
    rows = FINE + rated("ben", "IF", "grade", [[5, 3, 1]])
    with pytest.raises(UsageError, match="rated 1-5 by some and good/fair/poor by others"):
        answers(frame(rows))


def test_a_question_that_was_rated_and_ranked_keeps_both_studies() -> None:
    ranked = rated("ann", "overall", "rank", [[1, 2, 3], [1, 2, 3], [1, 2, 3], [1, 2, 3]])
    rates = rated("ben", "overall", "rate", [[1, 3, 5], [1, 3, 5]])
    shown = table(ranked + rates + judge([[5, 4, 1]] * 4), "spearman")
    cells = {row.name: row.cells for row in shown.rows}["IF · judge"]
    assert cells["overall (rank)"].n == 4
    assert cells["overall (rank)"].value == pytest.approx(1.0)
    assert cells["overall (rate)"].n == 2
    assert cells["overall (rate)"].value == pytest.approx(-1.0)


def compared(outcomes: list[str]) -> list[Row]:
    """Comparisons of editors a and b, one for each sample."""
    values = {"a": 1.0, "b": 0.0, "tie": 0.5}
    facts = {"benchmark": "mini", "question": "IF", "annotator": "ann", "scale": "pairwise"}
    return [
        rating(sample=f"s{n}", editor="a", against="b", value=values[outcome], **facts)
        for n, outcome in enumerate(outcomes)
    ]


@pytest.mark.parametrize(
    ("outcomes", "said"),
    [
        (["tie", "tie", "tie"], "no editor is preferred (IF)"),
        (["a", "b", "tie"], "no editor is preferred (IF)"),
        (["b", "b", "a"], "b is preferred most (IF)"),
        (["a", "a", "a"], "a won every comparison (IF)"),
    ],
)
def test_an_editor_is_preferred_only_where_comparisons_say_so(
    outcomes: list[str], said: str
) -> None:
    assert said in agreement(frame(compared(outcomes))).sentence
