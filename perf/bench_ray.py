"""The engine for clusters beside the local one, on Ray nodes of one core each on this machine.

    python perf/bench_ray.py                      all parts; a quiet machine with 2 cores
    python perf/bench_ray.py nodes overhead       some of: nodes, overhead, flat
    python perf/bench_ray.py flat --samples 100000

nodes     the pixel track on `--pictures` pairs made here, one node against two; rows must be equal
overhead  1,000 batches of a fixed computation: the local pool with one worker against one node
flat      `--samples` samples of a scorer that does nothing: this process's memory and the time a
          sample at the beginning (after a tenth) and at the end, rows written as `score` does

The first two take turns with what they are compared with. Prints wall time and, where it says so,
processor time of this process. On a busy machine wall times are no figures.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

import numpy as np
import psutil

from editgauge.benchmarks.texteditbench.pixel import scorers
from editgauge.images import write_png
from editgauge.run.cluster import Ray
from editgauge.run.engine import Engine, Job, Local
from editgauge.run.score import score
from editgauge.run.worker import Counts
from editgauge.store.collect import import_outputs
from editgauge.store.hashes import HashStore
from editgauge.store.run_folder import RunFolder
from editgauge.store.samples import keep_samples
from editgauge.types import Row, Sample, Status

SIDE = 768
ROUNDS = 5


def nothing() -> None:
    """A start without anything to prepare."""


def spin(batch: Sequence[int]) -> list[int]:
    """Some 30 ms of one core, the same every time."""
    total = np.float64(0)
    for item in batch:
        field = np.full((400, 400), float(item + 1))
        for _ in range(12):
            total += np.sqrt(field).sum()
    return [len(batch), int(total) % 7]


def trivial(batch: Sequence[int]) -> Counts:
    """One row a sample, as a scorer that gives 1."""
    rows = [
        Row(
            benchmark="none", sample=f"s{item:07d}", editor="e", scorer="one", metric="one",
            variant="faithful", value=1.0, status=Status.SCORED, reason="", fingerprint="0" * 32,
        )
        for item in batch
    ]  # fmt: skip
    return Counts(
        Counter({("e", "one", "one", "faithful", "scored"): len(rows)}), Counter(), Counter(), rows,
        (), Counter(),
    )


def job(work: object) -> Job:  # type: ignore[type-arg]
    """As `score` has it: what comes of an item is the same in any batch."""
    return Job(
        work=work, start=nothing, start_args=(), unfinished=list, seconds_an_item=600.0,
        joinable=True,
    )  # type: ignore[arg-type]  # fmt: skip


def cluster(number: int) -> tuple[object, Ray]:
    from ray.cluster_utils import Cluster

    small = {"num_cpus": 1, "object_store_memory": 100 << 20}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = Cluster(initialize_head=True, head_node_args={**small, "include_dashboard": False})
        for _ in range(number - 1):
            made.add_node(**small)
        return made, Ray(address=made.address)


def on_nodes(number: int, call: object) -> object:
    made, engine = cluster(number)
    try:
        with engine:
            list(engine.outcomes(job(spin), iter([[n] for n in range(2 * number)])))  # all awake
            return call(engine)  # type: ignore[operator]
    finally:
        made.shutdown()  # type: ignore[attr-defined]


def pairs(place: Path, number: int) -> list[Sample]:
    chance = np.random.default_rng(0)
    samples = []
    for index in range(number):
        small = chance.integers(0, 255, (SIDE // 16, SIDE // 16, 3), np.uint8)
        image = np.kron(small, np.ones((16, 16, 1), np.uint8))
        name = f"{index:04d}"
        for folder in ("data", "out/e"):
            (place / folder).mkdir(parents=True, exist_ok=True)
            write_png(place / folder / f"{name}.png", image)
            image = np.clip(image.astype(int) + 3, 0, 255).astype(np.uint8)
        masks = {"input": mask(place, name, 100), "target": mask(place, name, 300)}
        samples.append(
            Sample(masks=masks, benchmark="bench", id=name, images=(place / "data" / f"{name}.png",),
                   split="", category=(), instruction="none", output_stems=(name,))
        )  # fmt: skip
    return samples


def mask(place: Path, name: str, at: int) -> Path:
    """White where the edit may be."""
    path = place / "data" / f"{name}-{at}.png"
    area = np.zeros((SIDE, SIDE, 3), np.uint8)
    area[at : at + 120, at : at + 120] = 255
    write_png(path, area)
    return path


def pixel_track(place: Path, name: str, samples: list[Sample], engine: Engine | int) -> float:
    run = RunFolder.create(place / name)
    keep_samples(run, "bench", place / "data", samples, samples)
    with HashStore(run.cache_folder / "hashes.sqlite") as hashes:
        edits = import_outputs(run, "bench", "e", place / "out" / "e", samples, hashes)
        began = time.perf_counter()
        score(run, "bench", samples, edits, scorers(), hashes=hashes, workers=engine)
        return time.perf_counter() - began


def nodes(place: Path, number: int) -> None:
    samples = pairs(place, number)

    def call(both: Engine) -> list[tuple[float, float]]:
        one = Ray(workers=1)  # on the same nodes: the load of the machine changes with the minutes
        return [
            (
                pixel_track(place, f"one-{turn}", samples, one),
                pixel_track(place, f"two-{turn}", samples, both),
            )
            for turn in range(ROUNDS)
        ]

    times: list[tuple[float, float]] = on_nodes(2, call)  # type: ignore[assignment]
    pixel_track(place, "local", samples, 0)
    local = RunFolder.open(place / "local").rows()
    if not any(row.status is Status.SCORED for row in local):
        raise SystemExit("no pair has a score: nothing was measured")
    for turn in range(ROUNDS):
        for name in (f"one-{turn}", f"two-{turn}"):
            if RunFolder.open(place / name).rows() != local:
                raise SystemExit(f"{name}: its rows are not the local engine's")
    ratios = [alone / both for alone, both in times]
    told = ", ".join(f"{alone:.1f} / {both:.1f} s" for alone, both in times)
    print(
        f"nodes: one against two, {ROUNDS} turns: {told}; median {median(ratios):.2f} x; "
        f"{len(local)} rows, each time equal to the local engine's"
    )


def timed(engine: Engine, batches: Iterator[list[int]]) -> tuple[float, float]:
    """Wall seconds and this process's processor seconds, from the first result on."""
    outcomes = engine.outcomes(job(spin), batches)
    next(outcomes)
    began, used = time.perf_counter(), time.process_time()
    for _ in outcomes:
        pass
    return time.perf_counter() - began, time.process_time() - used


def overhead(number: int) -> None:
    def batches() -> Iterator[list[int]]:
        return ([n] * 16 for n in range(number // ROUNDS))

    def call(engine: Engine) -> list[tuple[tuple[float, float], tuple[float, float]]]:
        return [(timed(Local(1), batches()), timed(engine, batches())) for _ in range(ROUNDS)]

    turns: list[tuple[tuple[float, float], tuple[float, float]]] = on_nodes(1, call)  # type: ignore[assignment]
    more = [100 * (away[0] / local[0] - 1) for local, away in turns]
    each = 1000 * ROUNDS / number
    print(
        f"overhead: {number} batches in {ROUNDS} turns, local pool "
        f"{sum(local[0] for local, _ in turns):.1f} s, one node "
        f"{sum(away[0] for _, away in turns):.1f} s; by turn "
        f"{', '.join(f'{one:+.1f}' for one in more)} %, median {median(more):+.1f} %; processor "
        f"time of this process {each * median(local[1] for local, _ in turns):.2f} and "
        f"{each * median(away[1] for _, away in turns):.2f} ms a batch"
    )


def flat(place: Path, number: int) -> None:
    run = RunFolder.create(place / "flat")
    me = psutil.Process()
    looks: list[tuple[int, float, float, float]] = []

    def call(engine: Engine) -> None:
        batches = (list(range(at, min(at + 16, number))) for at in range(0, number, 16))
        done = 0
        with run.writer("gathered") as writer:
            for outcome in engine.outcomes(job(trivial), batches):
                assert outcome.result is not None
                done += writer.write(outcome.result.rows)
                if done >= number * (len(looks) + 1) / 20:
                    looks.append((done, time.perf_counter(), time.process_time(),
                                  me.memory_info().rss / 1e6))  # fmt: skip
        assert done == number, f"{done} rows of {number} samples"

    on_nodes(1, call)
    first, last = looks[1:4], looks[-3:]
    memory = [look[3] for look in looks[1:]]

    def each(part: list[tuple[int, float, float, float]], column: int) -> float:
        return 1e6 * (part[-1][column] - part[0][column]) / (part[-1][0] - part[0][0])

    print(
        f"flat: {number:,} samples; memory of this process {min(memory):.0f} to {max(memory):.0f} "
        f"MB after the first tenth; a sample took {each(first, 1):.0f} us at the beginning and "
        f"{each(last, 1):.0f} us at the end ({each(first, 2):.0f} and {each(last, 2):.0f} us of "
        f"this process's processor time)"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("parts", nargs="*", default=[], help="nodes, overhead, flat")
    parser.add_argument("--samples", type=int, default=1_000_000)
    parser.add_argument("--batches", type=int, default=1000)
    parser.add_argument("--pictures", type=int, default=96)
    given = parser.parse_args()
    parts = given.parts or ["nodes", "overhead", "flat"]
    with tempfile.TemporaryDirectory() as folder:
        for part in parts:
            if part == "nodes":
                nodes(Path(folder), given.pictures)
            elif part == "overhead":
                overhead(given.batches)
            elif part == "flat":
                flat(Path(folder), given.samples)
            else:
                parser.error(f"{part}: wanted nodes, overhead or flat")


if __name__ == "__main__":
    main()
