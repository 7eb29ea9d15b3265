"""One run of a million rows: written, made ready, read, checked, merged.

    python perf/bench_store.py                        20,000 samples x 50 series
    python perf/bench_store.py --samples 2000

Prints processor seconds (of this process alone, so that a busy machine tells little other figures),
the peak memory, and the size of the run's files.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from editgauge.store.check import check
from editgauge.store.merge import merge
from editgauge.store.run import Run
from editgauge.store.schema import digest
from editgauge.tables.rows import read
from editgauge.types import Row, Status

AT_ONCE = 800
"""Rows of one transaction: what a batch of outputs gives."""
ORIGIN = {"editgauge": "0", "numpy": "2"}


def write(place: Path, samples: range, series: int) -> Run:
    run = Run.create(place)
    run.write_samples("big", [{"id": f"s{n:06}", "split": "real"} for n in samples])
    values = np.random.default_rng(samples.start).random((series, len(samples)))
    batch: list[Row] = []
    for place_, number in enumerate(samples):
        for one in range(series):
            batch.append(
                Row(
                    benchmark="big",
                    sample=f"s{number:06}",
                    editor=f"e{one // 5}",
                    scorer="x",
                    metric=f"m{one % 5}",
                    variant="corrected",
                    value=float(values[one, place_]),
                    status=Status.SCORED,
                    reason="",
                    fingerprint=digest(number, one),
                    origin=ORIGIN,
                )
            )
        if len(batch) >= AT_ONCE:
            run.put_rows(batch)
            batch = []
    run.put_rows(batch)
    return run


def told(what: str, work: Callable[[], object]) -> None:
    began = time.process_time()
    work()
    seconds = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{what:<34} {seconds:6.1f} s of processor, peak {peak:,.0f} MB", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--samples", type=int, default=20_000)
    parser.add_argument("--series", type=int, default=50)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place, half = Path(folder), given.samples // 2
        print(f"{given.samples * given.series:,} rows")
        told("written", lambda: write(place / "run", range(given.samples), given.series).settle())
        size = (place / "run" / "run.sqlite").stat().st_size
        print(f"run.sqlite {size / 1e6:.0f} MB")
        told("rows.parquet", lambda: Run.open(place / "run").parquet())
        told("read for a table", lambda: read([Run.open(place / "run")], "big", ()))
        told("done (what a second score reads)", lambda: Run.open(place / "run").done("big"))
        told("check", lambda: check(Run.open(place / "run")))
        halves = (range(half), range(half, given.samples))
        runs = [write(place / f"half{n}", one, given.series) for n, one in enumerate(halves)]
        told("two halves merged", lambda: merge(runs, Run.create(place / "both")))


if __name__ == "__main__":
    main()
