"""Agreement from rows: small studies whose numbers are worked out beside them."""

from __future__ import annotations

import numpy as np
import pytest

from editgauge.study.agreement import agreement, between, contested
from editgauge.study.people import answers, averaged, comparisons
from editgauge.study.scales import rating_row
from editgauge.study.sheets import as_dict, sentence, tables
from editgauge.tables.layouts import tables as layout_tables
from editgauge.tables.results import Results
from editgauge.types import Row
from tests import made_rows
from tests.made_rows import record, row

SAMPLES = [record(f"s{n}", organ="eye" if n < 2 else "hand") for n in range(4)]


def rated(
    who: str, question: str, scale: str, table: list[list[float]], **more: object
) -> list[Row]:
    """Ratings of editors a, b, c (columns) on s0… (lines)."""
    return [
        rating_row(benchmark="mini", sample=f"s{n}", editor=editor, question=question, annotator=who,
               scale=scale, value=value, **more)  # type: ignore[arg-type]
        for n, line in enumerate(table)
        for editor, value in zip("abc", line, strict=True)
    ]  # fmt: skip


def judge(table: list[list[float]], metric: str = "IF", source: str = "judge") -> list[Row]:
    return [
        row(f"s{n}", editor, metric, value, source=source, scorer="judge")
        for n, line in enumerate(table)
        for editor, value in zip("abc", line, strict=True)
    ]


def frame(rows: list[Row]) -> Results:
    return made_rows.frame(rows, SAMPLES)


def lines(rows: list[Row]) -> dict[str, tuple[float, int]]:
    (one,) = answers(frame(rows))
    found = between(one)
    return {line.statistic: (line.interval.value, line.interval.n) for line in found}


def test_two_annotators_by_hand() -> None:
    # s0: 1 2 3 against 1 2 3, rho 1; s1: 1 2 3 against 3 2 1, rho -1; s2: 1 2 3 against 1 3 2,
    # rho 0.5; s3: 1 1 1 has no order. Mean (1 - 1 + 0.5)/3.
    ann = rated("ann", "EA", "rank", [[1, 2, 3], [1, 2, 3], [1, 2, 3], [1, 1, 1]])
    ben = rated("ben", "EA", "rank", [[1, 2, 3], [3, 2, 1], [1, 3, 2], [1, 2, 3]])
    found = lines(ann + ben)
    assert found["Spearman per sample"] == (pytest.approx(0.5 / 3), 3)
    # equal answers: 3 + 1 + 1 + 1 of 12
    assert found["equal answers"] == (pytest.approx(0.5), 4)


def test_self_agreement_is_the_second_time_against_the_first() -> None:
    once = rated("ann", "EA", "rate", [[5, 4, 3], [5, 4, 3]])
    again = rated("ann", "EA", "rate", [[5, 4, 3], [3, 4, 5]], repeat=1)
    found = lines(once + again)
    assert found["self: Spearman per sample"] == (pytest.approx(0.0), 2)
    assert found["self: equal answers"] == (pytest.approx(4 / 6), 2)
    assert "Spearman per sample" not in found, "one annotator agrees with nobody"


def test_a_metric_against_the_mean_of_people() -> None:
    # ranks: the mean of the two is 1.5 1.5 3 on s0, so ties are in; the judge gives 5 4 1.
    rows = rated("ann", "EA", "rank", [[1, 2, 3]]) + rated("ben", "EA", "rank", [[2, 1, 3]])
    rows += judge([[5, 4, 1]])
    (line,) = agreement(frame(rows)).against
    assert line.spearman.value == pytest.approx(3**0.5 / 2)
    assert line.no_ties.value == pytest.approx(0.875)
    assert np.isnan(line.mae.value), "a rank and a score have no common scale"
    assert line.annotators == 2


def test_kris_figure_5() -> None:
    """r and MAE of a judge's metric against the question of the same name, each judge by itself."""
    people = [[5, 3, 1], [3, 3, 5]]
    rows = rated("ann", "IF", "grade", people)  # type: ignore[arg-type]
    rows += judge([[5, 2, 1], [3, 4, 5]]) + judge([[1, 1, 5], [5, 4, 2]], source="plain prompts")
    hints, plain = agreement(frame(rows)).against
    assert (hints.source, plain.source) == ("judge", "plain prompts")
    assert hints.mae.value == pytest.approx(2 / 6)
    assert plain.mae.value == pytest.approx((4 + 2 + 4 + 2 + 1 + 3) / 6)
    flat = np.array(people, float).ravel()
    assert hints.pearson.value == pytest.approx(np.corrcoef(flat, [5, 2, 1, 3, 4, 5])[0, 1])
    assert plain.pearson.value < hints.pearson.value


def test_the_mean_of_people_against_the_mean_of_the_judges_metrics() -> None:
    rows = (
        rated("ann", "overall", "rate", [[5, 3, 1]]) + judge([[5, 5, 1]]) + judge([[5, 1, 2]], "TA")
    )
    lines = agreement(frame(rows)).against
    whole = next(line for line in lines if line.metric == "mean of all")
    assert whole.pearson.value == pytest.approx(np.corrcoef([5, 3, 1], [5, 3, 1.5])[0, 1])


def test_bradley_terry_from_comparisons() -> None:
    def compare(sample: str, who: str, value: float) -> Row:
        return rating_row(benchmark="mini", sample=sample, editor="b", against="a", question="better",
                      annotator=who, scale="pairwise", value=value)  # fmt: skip

    rows = [compare(f"s{n}", who, v) for n, v in enumerate([1, 1, 1, 0]) for who in ("x", "y")]
    (found,) = comparisons(frame(rows))
    assert found.wins.sum(axis=0).tolist() == [[0, 2], [6, 0]]
    (item,) = agreement(frame(rows)).rankings
    assert list(item.editors) == ["b", "a"]
    assert item.editors["b"].value == pytest.approx(np.log(3) / 2)
    assert (item.samples, item.comparisons, item.annotators) == (4, 8, 2)


def test_samples_on_which_people_differ_most() -> None:
    rows = rated("ann", "IF", "rate", [[5, 3, 1]] * 4)
    rows += rated("ben", "IF", "rate", [[5, 3, 1], [5, 3, 2], [1, 3, 5], [5, 3, 1]])
    (one,) = answers(frame(rows))
    assert contested(one) == [("s2", pytest.approx(8 / 3)), ("s1", pytest.approx(1 / 3))]


def test_tables_never_mix_annotators() -> None:
    rows = rated("ann", "IF", "rate", [[5, 3, 1]]) + rated("ben", "IF", "rate", [[3, 3, 1]])
    rows += rated("ben", "IF", "rate", [[1, 1, 1]], repeat=1) + judge([[2, 2, 2]])
    whole = frame(rows)
    assert whole.without_people().grid("IF", "faithful").values[:, 0].tolist() == [2, 2, 2]
    people = averaged(whole).of_sources(["human"])
    assert people.grid("IF", "faithful").values[:, 0].tolist() == [4, 3, 1]
    (table,) = layout_tables(people, "faithful")
    assert table.source == "human"


def test_agreement_begins_with_one_sentence() -> None:
    rows = rated("ann", "IF", "rate", [[5, 3, 1]] * 4) + rated("ben", "IF", "rate", [[5, 3, 1]] * 4)
    found = agreement(frame(rows + judge([[5, 2, 1]] * 4)))
    assert sentence(found) == "People agree well, alpha 1.00; IF agrees best with IF · judge, 1.00."
    assert as_dict(found)["summary"] == sentence(found)
    brief = tables(found, brief=True)
    assert [table.name for table in brief] == ["agree.people", "agree.spearman"]
    assert [row.name for row in brief[0].rows] == ["Krippendorff's alpha (ordinal)"]


def test_people_who_differ_agree_poorly_and_one_alone_with_nobody() -> None:
    ann = rated("ann", "IF", "rate", [[5, 3, 1]] * 4)
    ben = rated("ben", "IF", "rate", [[1, 3, 5]] * 4)
    said = sentence(agreement(frame(ann + ben)))
    assert said.startswith("People agree poorly, alpha -")
    against = sentence(agreement(frame(ann + judge([[1, 3, 5]] * 4))))
    assert against.endswith("IF agrees with no metric; the best is IF · judge, -1.00.")
    alone = sentence(agreement(frame(ann)))
    assert alone.startswith("How well people agree cannot be said")


def test_one_question_on_two_scales_is_refused() -> None:
    from editgauge.errors import UsageError

    rows = rated("ann", "IF", "rate", [[5, 3, 1]]) + rated("ben", "IF", "grade", [[5, 3, 1]])
    with pytest.raises(UsageError, match="rated 1-5 by some and good/fair/poor by others"):
        answers(frame(rows))
