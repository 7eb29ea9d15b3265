"""Tables as commands give them: numbers from JSON, printed cells from csv. The one place that
follows when these formats change.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

from tests.contract.support import cli

Cells = dict[str, dict[str, Any]]


def every_table(*runs: Path, options: tuple[Any, ...] = ()) -> list[dict[str, Any]]:
    """The tables of runs, as the JSON has them."""
    tables: list[dict[str, Any]] = cli("table", *runs, "--format", "json", *options).json["tables"]
    return tables


def numbers(run: Path, table: str, variant: str, *options: Any, source: str = "") -> Cells:
    """Line -> column -> ``{"value", "n", "of", …}`` of one table. `source`: a part of the name of
    the judge, or of what read the text. With ``--by`` a line is named ``group/line``.
    """
    chosen = ("--only", table, "--variant", variant, *options)
    tables = [t for t in every_table(run, options=chosen) if source in (t["source"] or "")]
    (one,) = [t for t in tables if t["name"] == table and t["variant"] == variant]
    return {
        f"{row['group']}/{row['name']}" if row["group"] else row["name"]: row["cells"]
        for row in one["rows"]
    }


def value(cells: Cells, line: str, column: str) -> Any:
    return cells[line][column]["value"]


def printed(run: Path, table: str, variant: str, *options: Any) -> dict[str, dict[str, str]]:
    """Line -> column -> the cell as it is printed."""
    chosen = ("--only", table, "--variant", variant, *options)
    text = cli("table", run, "--format", "csv", *chosen).out
    lines = csv.DictReader(io.StringIO(text.split("\n\n")[0]))
    return {line["model"]: {k: v.lstrip("'") for k, v in line.items()} for line in lines}
