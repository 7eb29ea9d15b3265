"""Who is ahead on the samples that all have, from made-up rows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from editgauge.tables.frame import Frame
from editgauge.tables.layouts import every_layout
from editgauge.tables.ranking import Ranking, ranking
from editgauge.types import Metric, Status
from tests.made_rows import frame, record, row

VC = {"VC": Metric("VC", direction="higher", low=0, high=10)}


def made(**values: list[float | None]) -> Frame:
    rows = [
        row(f"s{number}", editor, "VC", value, benchmark="unheard",
            status=Status.MISSING if value is None else Status.SCORED)
        for editor, given in values.items()
        for number, value in enumerate(given)
    ]  # fmt: skip
    records = [record(f"s{number}") for number in range(6)]
    return replace(frame(rows, records, "unheard"), described=VC)


def ranked(of: Frame) -> Ranking | None:
    (layout,) = every_layout(of, "faithful")
    return ranking(of, layout)


def test_editors_are_ranked_on_the_samples_that_all_have() -> None:
    """`a` has the higher mean of all it has (7), and the lower one where both have a score."""
    found = ranked(made(a=[1, 2, 1, 10, None, 10.0], b=[3, 3, 3, None, 3, None]))
    assert found is not None
    assert (found.n, found.of, found.left_out) == (3, 6, {})
    cells = {line.name: line.cells["VC"] for line in found.table.rows}
    assert [cells[name].value for name in "ab"] == [pytest.approx(4 / 3), 3.0]
    assert {name: line[0] for name, line in found.table.meta["ranks"]["editors"].items()} == {
        "a": 2,
        "b": 1,
    }


def test_who_has_too_few_is_left_out() -> None:
    found = ranked(made(a=[1.0] * 6, b=[3.0] * 6, c=[9, 9, None, None, None, None]))
    assert found is not None
    assert (found.n, found.left_out) == (6, {"c": 2})


@pytest.mark.parametrize(
    "values",
    [
        {"a": [1.0] * 6},
        {"a": [1, 1, 1, None, None, None], "b": [None, None, None, 1, 1, 1]},
        {"a": [1.0] * 6, "b": [None] * 6},
    ],
)
def test_nobody_is_ranked_alone_or_on_nothing(values: dict[str, list[float | None]]) -> None:
    assert ranked(made(**values)) is None
