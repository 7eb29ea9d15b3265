"""Inputs handed back in tables and comparisons: counted, and the means with and without them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from editgauge.tables import given_back
from editgauge.tables.layouts import tables
from editgauge.tables.results import Delivery, Results
from editgauge.tables.table import Table
from editgauge.types import Status
from tests.made_rows import frame, record, row

RECORDS = [record(f"s{n}", split="real", topic="ab"[n % 2]) for n in range(4)]
VALUES = {"typeset": [1.0, 0.5, 1.0, 0.7], "other": [0.8] * 4, "copy": [1.0] * 4}


def made() -> Results:
    rows = [
        row(f"s{n}", editor, "ssim", value, benchmark="texteditbench")
        for editor, values in VALUES.items()
        for n, value in enumerate(values)
    ]
    every = frozenset(f"s{n}" for n in range(4))
    return replace(
        frame(rows, RECORDS, "texteditbench"),
        deliveries={
            "typeset": Delivery(frozenset({"s1", "s3"}), frozenset({"s0", "s2"})),
            "other": Delivery(every, frozenset()),
            "copy": Delivery(frozenset(), every),
        },
    )


def table_of(found: Results) -> Table:
    return tables(found, "faithful")[0]


def cell(table: Table, name: str) -> tuple[float | None, int | None]:
    line = next(line for line in table.rows if line.name == name)
    value = next(c for c in line.cells.values() if c.value is not None)
    return value.value, value.n


def test_means_stand_for_all_and_for_the_edited_ones() -> None:
    table = table_of(made())
    assert cell(table, "typeset") == (pytest.approx(0.8), 4)
    assert cell(table, "typeset, edited only") == (pytest.approx(0.6), 2)
    names = [line.name for line in table.rows]
    assert names.index("typeset, edited only") == names.index("typeset") + 1
    assert "other, edited only" not in names
    assert "copy, edited only" not in names, "nothing is left of it"


def test_a_count_of_edited_ones_is_of_as_many_samples_as_that_of_all() -> None:
    """A sample that was given back, and that the metric says nothing of, counts in neither."""
    found = made()
    silent = [
        row(f"s{n}", "typeset", "mse", value, status=status, benchmark="texteditbench")
        for n, (value, status) in enumerate(
            [(None, Status.NOT_APPLICABLE), (4.0, Status.SCORED), (9.0, Status.SCORED),
             (16.0, Status.SCORED)]
        )
    ]  # fmt: skip
    silent += [
        row("s0", editor, "mse", None, status=Status.NOT_APPLICABLE, benchmark="texteditbench")
        for editor in ("other", "copy")
    ]
    grown = replace(frame(silent, RECORDS, "texteditbench"), deliveries=found.deliveries)
    told = {
        line.name: (line.cells[name].n, line.cells[name].of)
        for line in table_of(grown).rows
        for name in line.cells
        if line.cells[name].value is not None
    }
    assert told == {"typeset": (3, 3), "typeset, edited only": (2, 3)}


def test_counts_are_those_of_the_chosen_samples() -> None:
    part = made().of_samples(made().samples.where({"topic": "b"}))
    assert given_back.counted(part) == {"copy": (0, 2)}
