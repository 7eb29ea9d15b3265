"""The contract suite's own tools."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contract.support import cli, rows_of, same_rows


def test_the_rows_of_a_run_are_read_as_documented(mini_run: Path) -> None:
    rows = rows_of(mini_run)
    assert {row["editor"] for row in rows} == {"copy", "reference"}
    assert {row["status"] for row in rows} >= {"scored"}
    same_rows(mini_run, mini_run)


def test_a_run_of_other_rows_is_told_apart(mini_run: Path, tmp_path: Path) -> None:
    cli("edit", "mini", "--editor", "copy", "--run", tmp_path / "run", "--limit", 8, "--workers", 0)
    cli(
        "score",
        "mini",
        "--run",
        tmp_path / "run",
        "--tracks",
        "pixel",
        "--limit",
        8,
        "--workers",
        0,
    )
    with pytest.raises(AssertionError):
        same_rows(mini_run, tmp_path / "run")
