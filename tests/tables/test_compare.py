"""Two editors sample by sample: what counts as worse, what moved, and what a release gate sees."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from editgauge.store.run import Run
from editgauge.tables.compare import Comparison, compare
from editgauge.tables.verdicts import sentence
from editgauge.types import Direction, Row
from tests.command_line import Result, invoke
from tests.made_rows import frame, record, scores

RECORDS = [record(f"s/{n}", split="real", topic="ab"[n % 2]) for n in range(30)]
WAYS: dict[str, Direction] = {"ssim": "higher", "mse": "lower"}


rows_of = partial(scores, name="s/{}", benchmark="texteditbench")


def base() -> list[float]:
    return np.random.default_rng(0).random(30).tolist()


def made(rows: list[Row], **options: object) -> Comparison:
    found = frame(rows, RECORDS, "texteditbench")
    return compare(found, "old", "new", WAYS, variants=("faithful",), **options)  # type: ignore[arg-type]


def shifted(by: float, metric: str = "ssim") -> list[Row]:
    values = base()
    noise = np.random.default_rng(1).normal(0, 0.01, 30)
    return [
        *rows_of("old", metric, values),
        *rows_of("new", metric, np.array(values) + by + noise),
    ]


class TestCompare:
    def test_a_verdict_and_its_interval_do_not_contradict_each_other(self) -> None:
        """One sample of a great gain: every sign is a plus, and the mean may still be 0. Too many
        tests for eight gains: the interval leaves 0 out, and p does not tell.
        """
        gains = np.linspace(0.01, 0.015, 30)
        gains[-1] = 5
        old = base()
        rows = [*rows_of("old", "ssim", old), *rows_of("new", "ssim", old + gains)]
        (line,) = made(rows).lines
        assert line.holm < 0.001
        assert line.paired.low < 0 < line.paired.high
        assert line.verdict == "not clear"
        assert "not clear on ssim" in sentence(made(rows))
        few = [0.1, 0.2, 0.15, 0.18, 0.1, 0.12, 0.16, 0.17]
        rows = [*rows_of("old", "ssim", [0.0] * 8), *rows_of("new", "ssim", few)]
        assert made(rows).lines[0].better
        (line,) = made(rows, alpha=0.007).lines
        assert (line.holm, line.paired.low > 0) == (2 / 2**8, True)
        assert sentence(made(rows, alpha=0.007)).endswith("not clear on ssim.")


class TestCommand:
    def run(self, folder: Path, rows: list[Row]) -> Path:
        run = Run.create(folder / "run")
        run.write_samples("texteditbench", RECORDS)
        run.put(rows)
        return folder / "run"

    def call(self, *words: object) -> Result:
        return invoke(["compare", *(str(word) for word in words)])

    def test_a_screen_holds_it_however_many_metrics_there_are(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("COLUMNS", "100")
        rows = [
            replace(r, metric=f"metric_{n:02d}")
            for n in range(20)
            for r in shifted(n / 1e6, "ssim")
        ]
        text = self.call(self.run(tmp_path, [*rows, *shifted(-0.1)]), "old", "new").stdout
        assert len(text.splitlines()) <= 30
        assert "worse on ssim by 0.1" in text
        assert re.search(r"^ssim +worse +-0\.1", text, re.MULTILINE)

    def test_a_metric_that_nobody_describes_gets_no_verdict(self, tmp_path: Path) -> None:
        run = self.run(tmp_path, shifted(-0.1, "temperature"))
        (found,) = json.loads(self.call(run, "old", "new", "--format", "json").stdout)[
            "comparisons"
        ]
        (line,) = found["lines"]
        assert (line["direction"], line["better"], line["worse"]) == (None, False, False)
        assert (line["win"], line["tie"], line["loss"]) == (None, None, None)
        assert line["holm"] < 0.05
        assert not any(one["better"] for one in (*line["up"], *line["down"]))
        told = self.call(run, "old", "new", "--fail-if-worse")
        assert told.exit_code == 0
        assert "no verdict on temperature" in told.stdout
        assert "Most down under new" in told.stdout
        assert "Largest drops" not in told.stdout
