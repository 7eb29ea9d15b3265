"""Which rows and samples of runs a table is of."""

from __future__ import annotations

from typing import Any

from editgauge.tables.rows import without_training
from tests.made_rows import frame, record, row


class Run:
    """A run of which only the manifest is asked."""

    def __init__(self, *entries: dict[str, Any]) -> None:
        self.entries = list(entries)

    def manifest(self) -> dict[str, Any]:
        return {"entries": self.entries}


TUNED = Run(
    {
        "command": "tune",
        "benchmark": "mini",
        "splits": {"ear": {"training": ["s0", "s1"], "test": ["s2", "s3"]}},
    }
)


def made() -> Any:
    rows = [row("s2", "tuned", "psnr", 20.0), row("s3", "tuned", "psnr", 30.0)]
    return frame(rows, [record(f"s{n}") for n in range(5)])


def test_training_samples_are_no_part_of_a_tables_count() -> None:
    found = without_training(made(), [TUNED])  # type: ignore[list-item]
    assert found.samples.ids == ("s2", "s3", "s4")
    assert found.grid("psnr", "faithful").values[0, :2].tolist() == [20.0, 30.0]
