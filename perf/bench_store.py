"""One run of a million rows: what does it take to write, make ready, read, check and merge it?

python perf/bench_store.py                        20,000 samples x 50 series
python perf/bench_store.py --samples 2000
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

from support import folder, make_run, peak_memory, records, timed

from editgauge.store.check import check
from editgauge.store.merge import merge
from editgauge.store.run import Run
from editgauge.tables import reading

ORIGIN = {"editgauge": "0", "numpy": "2"}
METRICS = [f"m{number}" for number in range(5)]
AT_ONCE = 16
"""Samples of one transaction: what a batch of outputs gives."""


def report(what: str, work: Callable[[], object]) -> None:
    seconds, _ = timed(work)
    print(f"{what:<34} {seconds}, peak memory so far {peak_memory():,.0f} MB", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--samples", type=int, default=20_000)
    parser.add_argument("--series", type=int, default=50, help="a multiple of 5")
    given = parser.parse_args()
    editors = [f"e{number}" for number in range(given.series // len(METRICS))]
    samples, half = records(given.samples), given.samples // 2
    settings = {"at_once": AT_ONCE, "origin": ORIGIN}
    with folder() as place:
        print(f"{given.samples * len(editors) * len(METRICS):,} rows")
        report("written", lambda: make_run(place / "run", samples, editors, METRICS, **settings))
        print(f"run.sqlite {(place / 'run/run.sqlite').stat().st_size / 1e6:.0f} MB")
        report("rows.parquet", lambda: Run.open(place / "run").parquet())
        report("read for a table", lambda: reading.of_runs([Run.open(place / "run")], "big"))
        report("done (what a second score reads)", lambda: Run.open(place / "run").done("big"))
        report("check", lambda: check(Run.open(place / "run")))
        halves = enumerate((samples[:half], samples[half:]))
        runs = [make_run(place / f"half{n}", s, editors, METRICS, **settings) for n, s in halves]
        report("two halves merged", lambda: merge(runs, Run.create(place / "both")))


if __name__ == "__main__":
    main()
