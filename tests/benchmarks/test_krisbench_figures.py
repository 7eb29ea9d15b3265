"""KRIS-Bench's Figures 4 and 7: a radar of the tasks for each metric, and for each judge."""

from __future__ import annotations

import math

from editgauge import catalog
from editgauge.benchmarks.krisbench.facts import TAXONOMY
from editgauge.reports import plots
from editgauge.types import Status
from tests.made_rows import frame, record, row

B = "krisbench"
TASKS = [f"task {number:02}" for number in range(22)]


def test_a_radar_of_22_tasks_for_each_metric_and_judge() -> None:
    assert TAXONOMY
    records = [record(f"{t}/1", task=t, dimension=t[:5]) for t in TASKS]
    rows = []
    for judge, less in (("gpt-4o#1", 0.0), ("qwen2.5-vl-72b#2", 1.0)):
        for metric in ("VC", "VQ", "IF"):
            for number, task in enumerate(TASKS):
                alone = number == 21
                value = None if alone else 5.0 - less - number % 3
                status = Status.MISSING if alone else Status.SCORED
                rows.append(
                    row(f"{task}/1", "m", metric, value, status=status, benchmark=B, source=judge)
                )
    benchmark = catalog.find("benchmarks", B)
    made = plots.figures(frame(rows, records, B), benchmark.every_metric, benchmark.figures)
    found = [figure for figure in made if figure.kind == "radar"]
    found = [figure for figure in found if "task" in figure.name.split("-")]
    assert len(found) == 6
    assert len({figure.name for figure in found}) == 6
    for figure in found:
        assert figure.labels == tuple(TASKS)
        less = 25.0 if "qwen" in figure.title else 0.0  # on the table's scale of 0 to 100
        assert figure.series["m"][:3] == (100.0 - less, 75.0 - less, 50.0 - less)
        assert math.isnan(figure.series["m"][21])
