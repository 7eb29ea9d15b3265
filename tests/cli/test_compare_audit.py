"""`editgauge audit` finds what is wrong in published tables and in a user's, and nothing that
rounding explains.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import Result, invoke

from editgauge.errors import DataError, EditgaugeError, UsageError

JUDGED = "model," + ",".join(
    f"{s}_{d}" for s in ("synthetic", "real") for d in ("IF", "TA", "VC", "LP", "SE", "overall")
)
GOOD = "a,1.00,2.00,3.00,4.00,5.00,15.00,1.00,1.00,1.00,1.00,1.00,5.02"


def call(*words: object) -> Result:
    return invoke(["audit", *(str(word) for word in words)])


def reports(*words: object) -> dict[str, Any]:
    return {table["name"]: table for table in json.loads(call(*words, "--json").stdout)["tables"]}


def cells_of(report: dict[str, Any]) -> set[tuple[str, ...]]:
    return {tuple(text.partition(":")[0].split(", ")) for text in report["inconsistent"]}


@pytest.mark.parametrize(
    ("head", "lines", "wrong"),
    [
        (JUDGED, [GOOD], set()),  # 0.02 is within rounding of five means
        (JUDGED, [GOOD, GOOD.replace("a,", "b,").replace("5.02", "5.04")], {("b", "real_overall")}),
        (
            JUDGED,
            ["a,1,1,1,1,1,5,1,1,1,1,1,5", "b,1,1,1,1,1,5,1,1,1,1,1,5",
             "Mean,1,1,1,1,1,5,1,1,1,4,1,5"],
            {("Mean", "real_LP")},
        ),
    ],
)  # fmt: skip
def test_a_users_table(
    tmp_path: Path, head: str, lines: list[str], wrong: set[tuple[str, str]]
) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
    assert cells_of(reports(path)["mine.csv"]) >= wrong
    assert call(path).exit_code == bool(wrong)


@pytest.mark.parametrize(
    ("content", "kind", "said"),
    [
        ("a,b\n1,2\n", UsageError, "no known table"),
        ("model,synthetic_IF,real_overall\na,high,1\n", DataError, "wanted a number, found 'high'"),
    ],
)
def test_bad_files_are_refused_with_a_reason(
    tmp_path: Path, content: str, kind: type[EditgaugeError], said: str
) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(content)
    result = call(path)
    assert isinstance(result.exception, kind)
    assert said in str(result.exception)
