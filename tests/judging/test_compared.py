"""Agreement of judges: every measure by hand, intervals over samples."""

from __future__ import annotations

import numpy as np
import pytest
from tests.made_rows import frame, record, row

from editgauge.judging import compared
from editgauge.tables.table import Table
from editgauge.types import Row

A = [5, 4, 3, 5, 2, 1, 4, 4, 3, 5]
B = [5, 3, 3, 4, 2, 2, 4, 5, 1, 5]


def judged(source: str, values: list[int], editor: str = "m") -> list[Row]:
    of = {"variant": "corrected", "scorer": "judge", "benchmark": "krisbench"}
    return [
        row(str(n), editor, "VC", float(value), source=source, **of)
        for n, value in enumerate(values)
    ]


def table_of(*rows: Row) -> Table:
    samples = [record(str(n)) for n in range(len(A))]
    table = compared.table(frame(list(rows), samples, "krisbench"))
    assert table is not None
    return table


def test_measures_by_hand() -> None:
    (line,) = table_of(*judged("one#1", A), *judged("two#2", B)).rows
    cells = line.cells
    a, b = np.array(A, float), np.array(B, float)
    assert line.name == "one#1 : two#2"
    assert (cells["n"].value, cells["equal"].value) == (10, 0.5)
    assert cells["bias"].value == pytest.approx(-0.2), "two is lower by 2 in 10 edits"
    expected = np.mean([(x - y) ** 2 for x in a for y in b])
    assert cells["kappa"].value == pytest.approx(1 - ((a - b) ** 2).mean() / expected)
    for name in ("kappa", "bias", "equal"):
        assert cells[name].low <= cells[name].value <= cells[name].high  # type: ignore[operator]
