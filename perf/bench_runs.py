"""Many runs read as one: what do `table`, `compare` and `report` take of a thousand of them?

    python perf/bench_runs.py                    1,000 runs of one model on 1,000 samples, one metric
    python perf/bench_runs.py --runs 300 --keep runs

Each run has its rows and a record of each output. Needs no pictures and no browser.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from support import editgauge, folder, make_run, records

from editgauge.store.schema import EditRecord
from editgauge.types import Status


def make(place: Path, editor: str, samples: Sequence[dict[str, Any]], metrics: int) -> None:
    run = make_run(place, samples, [editor], [f"metric{n}" for n in range(metrics)])
    run.write_edits(
        EditRecord(
            benchmark="big",
            sample=record["id"],
            editor=editor,
            status=Status.SCORED,
            path=f"edits/big/{editor}/{i:06}.png",
            fingerprint=f"{editor}-{i:x}",
            width=512,
            height=512,
            seed=0,
            settings={"steps": 20, "guidance": 7.5},
            seconds=1.5,
            given_back=False,
        )
        for i, record in enumerate(samples)
    )
    run.record("score", benchmark="big")
    run.parquet()
    run.close()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--metrics", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="keep the runs in this folder")
    given = parser.parse_args()
    with folder(given.keep) as place:
        samples = records(given.samples)
        for number in range(given.runs):
            if not (place / f"run-{number:04}").exists():
                make(place / f"run-{number:04}", f"model-{number:04}", samples, given.metrics)
        print(f"{given.runs:,} runs, {given.runs * given.samples * given.metrics:,} rows")
        runs, pair = place / "run-*", ("model-0000", f"model-{given.runs - 1:04}")
        print(f"table    {editgauge('table', runs, '--format', 'json')}")
        print(f"compare  {editgauge('compare', runs, *pair, '--format', 'json')}")
        print(f"report   {editgauge('report', runs, '--to', place / 'report')}")


if __name__ == "__main__":
    main()
