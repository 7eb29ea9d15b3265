"""Tables and bootstraps at full size: a million rows, KRIS-Bench's Table 2 with ten editors, a wide
comparison.

    python perf/bench_tables.py [--rows 1000000]

Prints seconds and, where there is a usual way to do the same, the ratio to it in the same process:
a plain Python loop over row objects for the table, SciPy's `bootstrap` (cell by cell, same number
of resamples) for the intervals. Values are checked to agree before a ratio is printed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from editgauge.benchmarks.krisbench.facts import SAMPLES, TAXONOMY, metrics_of
from editgauge.store.run import Run
from editgauge.tables import layouts, reading
from editgauge.tables.compare import compare
from editgauge.tables.results import Results
from editgauge.types import Row, Status

EDITORS = [f"editor-{number}" for number in range(10)]
METRICS = ("mse", "psnr", "ssim", "lpips", "IF")


class Seconds(NamedTuple):
    """Of the clock, and of the processor in this process and its children: on a busy machine only
    that says much.
    """

    wall: float
    processor: float

    def __str__(self) -> str:
        return f"{self.wall:.2f} s (processor {self.processor:.2f} s)"


def timed(call: Callable[[], Any]) -> tuple[Seconds, Any]:
    start, before = time.perf_counter(), os.times()
    found = call()
    after = os.times()
    used = sum(after[:4]) - sum(before[:4])
    return Seconds(time.perf_counter() - start, used), found


def big_run(folder: Path, rows: int) -> Run:
    """A run of TextEditBench's shape: `rows` rows of ten editors and five metrics."""
    generator = np.random.default_rng(0)
    samples = rows // (len(EDITORS) * len(METRICS))
    run = Run.create(folder)
    records = [
        {"benchmark": "texteditbench", "id": f"data_manual_production/Topic_{n % 14:02d}/{n:05d}",
         "split": "synthetic" if n % 7 < 4 else "real", "category": [f"Topic_{n % 14:02d}"],
         "instruction": "edit",
         "attributes": {"topic": f"Topic {n % 14}", "difficulty": ("easy", "medium", "hard")[n % 3]}}
        for n in range(samples)
    ]  # fmt: skip
    run.write_samples("texteditbench", records)
    with run.writer() as writer:
        for editor in EDITORS:
            values = generator.random((samples, len(METRICS)))
            for start in range(0, samples, 1000):
                writer.write(
                    Row(
                        benchmark="texteditbench",
                        sample=records[n]["id"],
                        editor=editor,
                        scorer="bench",
                        metric=metric,
                        variant="faithful",
                        value=float(values[n, m]),
                        status=Status.SCORED,
                        reason="",
                        fingerprint=f"{n:x}{m:x}{editor}",
                    )
                    for n in range(start, min(start + 1000, samples))
                    for m, metric in enumerate(METRICS)
                )
    return run


def plain_loop(run: Run) -> dict[tuple[str, str], float]:
    """What a script would do: read the rows one by one, add up by editor, split and metric."""
    splits = {record["id"]: record["split"] for record in run.samples("texteditbench")}
    sums: dict[tuple[str, str], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for row in run.rows("texteditbench"):
        if row.metric == "ssim" and row.value is not None:
            cell = sums[row.editor, splits[row.sample]]
            cell[0] += row.value
            cell[1] += 1
    return {key: total / count for key, (total, count) in sums.items()}


def table_of_a_million(rows: int) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        made, run = timed(lambda: big_run(Path(scratch) / "run", rows))
        compacted, _ = timed(run.parquet)
        words = [
            sys.executable,
            "-m",
            "editgauge",
            "table",
            str(run.path),
            "--format",
            "json",
            "--variant",
            "faithful",
        ]
        command, done = timed(lambda: subprocess.run(words, capture_output=True, check=True).stdout)
        sliced, _ = timed(
            lambda: subprocess.run([*words, "--by", "topic"], capture_output=True, check=True)
        )
        bounded, _ = timed(
            lambda: subprocess.run([*words, "--intervals"], capture_output=True, check=True)
        )
        loop, means = timed(lambda: plain_loop(run))
        (pixel, *_) = json.loads(done)["tables"]
        for line in (line for line in pixel["rows"] if line["name"] in EDITORS):
            for split in ("synthetic", "real"):
                assert (
                    abs(line["cells"][f"{split}_ssim"]["value"] - means[line["name"], split])
                    < 1e-12
                )
        print(f"{rows:,} rows written in {made}, made into Parquet in {compacted} (once)")
        print(
            f"editgauge table, whole command: {command} (aim < 5); one metric by a plain loop: "
            f"{loop}"
        )
        print(f"  sliced by 14 topics: {sliced}; with 2,000-resample intervals: {bounded}")
        seconds, frame = timed(lambda: reading.of_runs([run], "texteditbench"))
        print(f"  of which reading the frame: {seconds}")
        seconds, _ = timed(
            lambda: compare(
                frame,
                EDITORS[0],
                EDITORS[1],
                {"ssim": "higher"},
                variants=("faithful",),
                by="topic",
            )
        )
        print(
            f"compare two editors on {len(frame.samples):,} samples, one metric, 14 slices: "
            f"{seconds}"
        )


def kris_frame() -> Results:
    """KRIS-Bench in full: 1,267 samples, ten editors, its metrics, some calls failed."""
    generator = np.random.default_rng(1)
    records, rows = [], []
    for kind, dimensions in TAXONOMY.items():
        for dimension in dimensions:
            for number in range(SAMPLES[dimension]):
                identity = f"{dimension}/{number}"
                category = [kind, dimension, f"task {number % 3}"]
                records.append(
                    {"id": identity, "split": "all", "category": category, "attributes": {}}
                )
                for editor in EDITORS:
                    for metric in metrics_of(dimension):
                        value = float(generator.integers(1, 6))
                        rows.append(
                            Row(
                                benchmark="krisbench",
                                sample=identity,
                                editor=editor,
                                scorer="judge",
                                metric=metric,
                                variant="faithful",
                                value=value,
                                status=Status.SCORED,
                                reason="",
                                fingerprint=f"{identity}{editor}{metric}",
                            )
                        )
    return reading.of_rows(rows, records, "krisbench")


def kris_bootstrap() -> None:
    frame = kris_frame()
    plain, _ = timed(lambda: layouts.tables(frame, "faithful"))
    seconds, (table, *_) = timed(
        lambda: layouts.tables(frame, "faithful", layouts.Shown(intervals=True))
    )
    cells = sum(cell.low is not None for row in table.rows for cell in row.cells.values())
    print(
        f"KRIS Table 2, ten editors: {plain}; 2,000 resamples: {seconds} (aim < 3), {cells} "
        f"intervals"
    )
    try:
        from scipy.stats import bootstrap
    except ImportError:
        return
    values = frame.grid("VQ", "faithful").values[0]
    chosen = values[frame.samples.labels("category2") == "Natural Science"]
    times = 20
    one, _ = timed(
        lambda: [
            bootstrap((chosen,), np.mean, n_resamples=2000, method="BCa") for _ in range(times)
        ]
    )
    ratio = one.processor / times * cells / seconds.processor
    print(f"  SciPy, {times} times one cell of 393 samples: {one}")
    print(f"  all {cells} cells one by one would take it {ratio:.0f} times as long")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    table_of_a_million(parser.parse_args().rows)
    kris_bootstrap()
