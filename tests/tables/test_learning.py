"""Table 7's lines and its curves: one model on one task, a column for each number of samples."""

from __future__ import annotations

from dataclasses import replace

import pytest

from editgauge.benchmarks.medebench import BENCHMARK
from editgauge.store.variants import Learned
from editgauge.tables import learning
from editgauge.tables.build import Shown
from editgauge.tables.layouts import tables
from editgauge.tables.results import Results
from tests import made_rows
from tests.made_rows import record, row

B = "medebench"
EAR, NOSE = "Reconstruct ear.", "Reconstruct nose."


def made(kind: str = "tuned") -> Results:
    """Two tasks with two test samples each, and one that the tuned editors were not tried on."""
    records = [
        record(name, task=EAR if name in "abx" else NOSE, organ="Ears")
        for name in ("a", "b", "c", "d", "x")
    ]
    rows = [row("x", "m", "EA", 10.0, benchmark=B), row("x", "m", "masked_ssim", 1.0, benchmark=B)]
    learned = {}
    for number in (0, 4, 32):
        editor = f"m[{kind} {number}]" if number else "m"
        if number:
            learned[editor] = Learned("m", kind, number)
        for place, name in enumerate("abcd"):
            rows.append(row(name, editor, "EA", number / 8 + place, benchmark=B))
            rows.append(row(name, editor, "masked_ssim", 0.5, benchmark=B))
    frame = made_rows.frame(rows, records, B, BENCHMARK.every_metric)
    return replace(frame, learned=learned)


def test_a_line_for_each_task_over_the_samples_that_all_were_tried_on() -> None:
    found = {name: more for name, *more in learning.series(made(), "tuned")}
    assert list(found) == [f"m: {EAR}", f"m: {NOSE}"]
    editors, frame = found[f"m: {EAR}"]
    assert frame.samples.ids == ("a", "b")
    assert editors == {0: "m", 4: "m[tuned 4]", 32: "m[tuned 32]"}
    assert learning.counts(made(), "tuned") == [0, 4, 32]
    assert list(learning.series(made(), "shots")) == []


@pytest.mark.parametrize(("kind", "letter"), [("tuned", "a"), ("shots", "b")])
def test_table_7_has_the_runs_lines_above_the_papers(kind: str, letter: str) -> None:
    named = {
        t.name: t for t in tables(made(kind), "faithful", Shown(published=True, intervals=True))
    }
    table = named[f"medebench.paradigms_{letter}"]
    lines = table.to_dicts()
    assert [line["model"] for line in lines[:4]] == [
        f"m: {EAR}", "Reconstruct ear", f"m: {NOSE}", "Reconstruct nose",
    ]  # fmt: skip
    ear, paper = lines[:2]
    assert [ear[f"{n}_EA"] for n in (0, 4, 32)] == pytest.approx([0.05, 0.10, 0.45])
    assert (ear["4_CP"], ear["4_EA_n"], paper["kind"]) == (0.5, 2, "published")
    cell = table.rows[0].cells["4_EA"]
    assert cell.low is None, "two samples have no interval"
    assert not any(column.comparable for column in table.columns), "tasks are no rivals"
    without = {t.name: t for t in tables(made(kind), "faithful")}[f"medebench.paradigms_{letter}"]
    assert [line["model"] for line in without.to_dicts()] == [f"m: {EAR}", f"m: {NOSE}"]
    assert "8_EA" not in without.to_dicts()[0], "a number that nobody tried is no column"
