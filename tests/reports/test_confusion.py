"""The confusion figure of two judges: each cell is the number of edits with these two scores."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from editgauge.reports import confusion
from editgauge.run.report import met
from editgauge.tables.results import Results
from editgauge.types import JUDGE_SCORER, Row
from tests.made_rows import frame, record, row

FIRST, SECOND = (5.0, 5.0, 3.0, 1.0), (5.0, 3.0, 3.0, 1.0)


def judged() -> Results:
    rows: list[Row] = [
        row(str(n), "m", "VC", value, source=judge, scorer=JUDGE_SCORER, variant="corrected")
        for judge, values in (
            ("gpt-4o#1", FIRST),
            ("a-judge-with-a-very-long-name-of-72b#2", SECOND),
        )
        for n, value in enumerate(values)
    ]
    return frame(rows, [record(str(n)) for n in range(4)])


def test_the_counts_by_hand(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    files = confusion.write(met(judged()), tmp_path)
    assert {path.suffix for path in files} == {".csv", ".svg", ".png", ".pdf"}
    lines = list(csv.DictReader(files[0].read_text().splitlines()))
    own = lines[0]["first_judge"].startswith("gpt")
    found = {(line["first"], line["second"]): int(line["edits"]) for line in lines}
    assert len(found) == 9
    assert found["5", "5"] == found["3", "3"] == found["1", "1"] == 1
    assert found[("5", "3") if own else ("3", "5")] == 1
    assert sum(found.values()) == 4
    assert b"/Type3" not in next(path for path in files if path.suffix == ".pdf").read_bytes()


def test_one_judge_has_none(tmp_path: Path) -> None:
    rows = [row("0", "m", "VC", 3.0, source="gpt-4o#1", scorer=JUDGE_SCORER)]
    assert confusion.write(met(frame(rows, [record("0")])), tmp_path) == []
