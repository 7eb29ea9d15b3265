"""Many runs read as one: a thousand models in a thousand runs, a million rows.

    python perf/bench_runs.py                              1,000 runs x 1,000 samples x 1 metric
    python perf/bench_runs.py --runs 300 --metrics 3
    python perf/bench_runs.py --keep runs                  keep them

Each run has one model, its rows, and a record of each output. Prints, for `table`, `compare` and
`report`, processor seconds and the peak memory of the command. Needs no pictures and no browser.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

SOURCE = str(Path(__file__).resolve().parents[1] / "src")
sys.path.insert(0, SOURCE)

from editgauge.store.run import Run  # noqa: E402
from editgauge.store.schema import EditRecord  # noqa: E402
from editgauge.types import Row, Status  # noqa: E402


def sample_records(samples: int) -> list[dict[str, object]]:
    topics = [f"topic {i}" for i in range(14)]
    return [
        {
            "benchmark": "big",
            "id": f"part/{i // 100:04}/{i:06}",
            "split": "real" if i % 2 else "synthetic",
            "category": [topics[i % 14]],
            "instruction": f"Replace the text 'old {i}' with 'new {i}'.",
            "images": [],
            "attributes": {
                "topic": topics[i % 14],
                "difficulty": ["easy", "medium", "hard"][i % 3],
            },
        }
        for i in range(samples)
    ]


def make_run(place: Path, number: int, records: Sequence[dict[str, object]], metrics: int) -> None:
    run = Run.create(place)
    run.write_samples("big", records)
    editor = f"model-{number:04}"
    values = np.random.default_rng(number).random((metrics, len(records)))
    run.write_edits(
        (
            EditRecord(
                benchmark="big",
                sample=str(record["id"]),
                editor=editor,
                status=Status.SCORED,
                path=f"edits/big/{editor}/{i:06}.png",
                fingerprint=f"{number:x}-{i:x}",
                width=512,
                height=512,
                seed=0,
                settings={"steps": 20, "guidance": 7.5},
                seconds=1.5,
                given_back=False,
            )
            for i, record in enumerate(records)
        )
    )
    with run.writer() as rows:
        for metric in range(metrics):
            rows.write(
                Row(
                    benchmark="big",
                    sample=str(record["id"]),
                    editor=editor,
                    scorer="x",
                    metric=f"metric{metric}",
                    variant="faithful",
                    value=float(values[metric, i]),
                    status=Status.SCORED,
                    reason="",
                    fingerprint=f"{number:x}-{metric}-{i:x}",
                )
                for i, record in enumerate(records)
            )
    run.record("score", benchmark="big")
    run.parquet()


def measured(words: Sequence[str]) -> str:
    """Processor seconds and peak memory of a command in a process of its own."""
    began = time.perf_counter()
    child = subprocess.Popen(
        [sys.executable, "-m", "editgauge", *words],
        env={**os.environ, "PYTHONPATH": SOURCE},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert child.stderr is not None
    said = child.stderr.read().decode()
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit(f"{' '.join(words[:2])}…: exit code {child.returncode}\n{said[-2000:]}")
    processor = used.ru_utime + used.ru_stime
    return (
        f"processor {processor:.1f} s (wall {time.perf_counter() - began:.1f} s), peak memory "
        f"{used.ru_maxrss / 1024:.0f} MB"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--metrics", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="keep the runs in this folder")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        place = (given.keep or Path(scratch) / "runs").resolve()
        records = sample_records(given.samples)
        for number in range(given.runs):
            if not (place / f"run-{number:04}").exists():
                make_run(place / f"run-{number:04}", number, records, given.metrics)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        rows = given.runs * given.samples * given.metrics
        print(f"{given.runs:,} runs, {rows:,} rows; peak memory while they were made {peak:.0f} MB")
        all_runs = str(place / "run-*")
        pair = ["model-0001", f"model-{given.runs - 1:04}"]
        print(f"table    {measured(['table', all_runs, '--format', 'json'])}")
        print(f"compare  {measured(['compare', all_runs, *pair, '--format', 'json'])}")
        report = str(Path(scratch) / "report")
        print(f"report   {measured(['report', all_runs, '--to', report, '--no-thumbnails'])}")


if __name__ == "__main__":
    main()
