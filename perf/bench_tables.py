"""A run of a million rows: what do its table, intervals, comparison, check and merge take?

    python perf/bench_tables.py [--rows 1000000]

Beside them a plain Python loop over row objects for the table, and SciPy's `bootstrap`, cell by
cell, for the intervals of KRIS-Bench's Table 2. The values of the loop are checked to be the same.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict

import numpy as np
from support import editgauge, folder, make_run, records, row, timed
from tests.made_rows import frame

from editgauge.benchmarks.krisbench.facts import SAMPLES, TAXONOMY, metrics_of
from editgauge.store.check import check
from editgauge.store.merge import merge
from editgauge.store.run import Run
from editgauge.tables import layouts, reading
from editgauge.tables.build import Shown
from editgauge.tables.compare import compare
from editgauge.tables.results import Results

EDITORS = [f"editor-{number}" for number in range(10)]
METRICS = ("mse", "psnr", "ssim", "lpips", "IF")
NAME = "texteditbench"
TIMES = 20


def plain_loop(run: Run) -> dict[tuple[str, str], float]:
    """What a script would do for one metric: read rows one by one, add up by editor and split."""
    splits = {record["id"]: record["split"] for record in run.samples(NAME)}
    sums: dict[tuple[str, str], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for one in run.rows(NAME):
        if one.metric == "ssim" and one.value is not None:
            cell = sums[one.editor, splits[one.sample]]
            cell[0] += one.value
            cell[1] += 1
    return {key: total / count for key, (total, count) in sums.items()}


def check_means(table: bytes, means: dict[tuple[str, str], float]) -> None:
    (pixel, *_) = json.loads(table)["tables"]
    cells = {line["name"]: line["cells"] for line in pixel["rows"]}
    for (editor, split), mean in means.items():
        assert abs(cells[editor][f"{split}_ssim"]["value"] - mean) < 1e-12, (editor, split)


def table_of_a_million(rows: int) -> None:
    samples = records(rows // (len(EDITORS) * len(METRICS)), NAME)
    with folder() as place:
        written, run = timed(lambda: make_run(place / "run", samples, EDITORS, METRICS))
        parquet, _ = timed(run.parquet)
        words = ("table", run.path, "--format", "json", "--variant", "faithful")
        table = editgauge(*words)
        loop, means = timed(lambda: plain_loop(run))
        check_means(table.output, means)
        ratio = loop.processor / table.seconds.processor
        print(f"{rows:,} rows written: {written}; made into Parquet: {parquet}")
        print(f"editgauge table: {table}")
        print(f"  one metric by a plain loop: {loop}, {ratio:.1f} x; the same means")
        print(f"  sliced by 14 topics: {editgauge(*words, '--by', 'topic')}")
        print(f"  with intervals: {editgauge(*words, '--intervals')}")
        seconds, results = timed(lambda: reading.of_runs([run], NAME))
        print(f"  of which reading the results: {seconds}")
        seconds, _ = timed(
            lambda: compare(
                results, *EDITORS[:2], {"ssim": "higher"}, variants=("faithful",), by="topic"
            )
        )
        print(f"compare, {len(samples):,} samples, one metric, 14 slices: {seconds}")
        print(f"what a second score reads: {timed(lambda: run.done(NAME))[0]}")
        print(f"check of the run: {timed(lambda: check(run))[0]}")
        print(f"merge of the run: {timed(lambda: merge([run], Run.create(place / 'to')))[0]}")


def kris_results() -> Results:
    """KRIS-Bench in full: 1,267 samples, ten editors, its metrics."""
    random = np.random.default_rng(1)
    samples, rows = [], []
    every = ((kind, d, n) for kind, ds in TAXONOMY.items() for d in ds for n in range(SAMPLES[d]))
    for kind, dimension, number in every:
        identity, category = f"{dimension}/{number}", [kind, dimension, f"task {number % 3}"]
        samples.append({"id": identity, "split": "all", "category": category, "attributes": {}})
        rows += [
            row("krisbench", identity, editor, metric, float(random.integers(1, 6)))
            for editor in EDITORS
            for metric in metrics_of(dimension)
        ]
    return frame(rows, samples, "krisbench")


def kris_intervals() -> None:
    from scipy.stats import bootstrap

    results = kris_results()
    plain, _ = timed(lambda: layouts.tables(results, "faithful"))
    shown = Shown(intervals=True)
    seconds, (table, *_) = timed(lambda: layouts.tables(results, "faithful", shown))
    cells = sum(cell.low is not None for line in table.rows for cell in line.cells.values())
    print(f"KRIS Table 2, ten editors: {plain}; with {cells} intervals: {seconds}")
    values = results.grid("VQ", "faithful").values[0]
    chosen = values[results.samples.labels("category2") == "Natural Science"]
    one, _ = timed(
        lambda: [
            bootstrap((chosen,), np.mean, n_resamples=2000, method="BCa") for _ in range(TIMES)
        ]
    )
    ratio = one.processor / TIMES * cells / seconds.processor
    print(f"  SciPy, cell by cell: {one.processor / TIMES * cells:.1f} s, {ratio:.0f} x")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    table_of_a_million(parser.parse_args().rows)
    kris_intervals()
