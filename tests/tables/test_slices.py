"""The order of the labels that a table is sliced by."""

from __future__ import annotations

from editgauge.tables.slices import in_order


def test_chapters_are_ordered_part_by_part_however_long() -> None:
    long = "123"
    assert in_order([f"{long}.1.1", "10.1.2", "9.10.1", "9.9.1", "", "09.9.2"]) == [
        "9.9.1",
        "09.9.2",
        "9.10.1",
        "10.1.2",
        f"{long}.1.1",
        "",
    ]
