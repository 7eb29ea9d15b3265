"""The contract suite's own tools."""

from __future__ import annotations

from pathlib import Path

from tests.contract.support import rows_of, same_rows


def test_the_rows_of_a_run_are_read_as_documented(mini_run: Path) -> None:
    rows = rows_of(mini_run)
    assert {row["editor"] for row in rows} == {"copy", "reference"}
    assert {row["status"] for row in rows} >= {"scored"}
    same_rows(mini_run, mini_run)
