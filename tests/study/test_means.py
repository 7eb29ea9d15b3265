"""The means of people's answers, worked out by hand."""

from __future__ import annotations

import pytest

from editgauge.study.means import means_of_people
from tests.study.test_agreement import compared, frame, judge, rated


def test_means_stand_on_the_scale_on_which_people_answered() -> None:
    # s0: ann 5, ben 3 for editor a, so 4; s1: ann alone, 2. The mean over samples is 3.
    rows = rated("ann", "EA", "rate", [[5, 4, 3], [2, 4, 3]])
    rows += rated("ben", "EA", "rate", [[3, 4, 3]])
    table = means_of_people(frame(rows + judge([[5, 4, 1]] * 4)))
    assert table is not None
    assert [column.heading for column in table.columns] == [("EA", "1 to 5")]
    cells = {row.name: row.cells["EA"] for row in table.rows}
    assert (cells["a"].value, cells["a"].n, cells["a"].of) == (pytest.approx(3.0), 2, 4)
    assert cells["a"].low is None, "two samples are too few for an interval"
    assert "EA: 2 annotators." in table.notes


def test_a_rank_says_that_lower_is_better() -> None:
    table = means_of_people(frame(rated("ann", "EA", "rank", [[1, 2, 3]] * 4)))
    assert table is not None
    (column,) = table.columns
    assert (column.direction, column.heading) == ("lower", ("EA", "rank, 1 = best"))


def test_without_ratings_there_is_no_table() -> None:
    assert means_of_people(frame(judge([[5, 4, 1]] * 4))) is None
    assert means_of_people(frame(compared(["a", "b"]))) is None
