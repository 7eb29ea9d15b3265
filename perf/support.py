"""What the measurements share: processor and wall seconds, peak memory, a made run, a made picture.

On a machine that does other work compare processor seconds and ratios of one run, never wall times.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src"
sys.path[:0] = [str(ROOT), str(SOURCE)]

from editgauge.store.run import Run
from editgauge.types import Row, Status

_LAUNCHER = """
import json, resource, subprocess, sys
code = subprocess.call(sys.argv[2:])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
with open(sys.argv[1], "w") as file:
    json.dump([used.ru_utime + used.ru_stime, used.ru_maxrss / 1024], file)
sys.exit(code)
"""
"""A process inherits the peak memory of the one that starts it: this one is small."""


class Seconds(NamedTuple):
    """Of the clock, and of the processor in this process and its children."""

    wall: float
    processor: float

    def __str__(self) -> str:
        return f"processor {self.processor:.2f} s (wall {self.wall:.2f} s)"


class Command(NamedTuple):
    """What a command in a process of its own took (its own children included), and printed."""

    seconds: Seconds
    megabytes: float
    output: bytes

    def __str__(self) -> str:
        return f"{self.seconds}, peak memory {self.megabytes:.0f} MB"


def one_core() -> None:
    """One thread for every library that is loaded from now on, here and in processes started."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "EDITGAUGE_THREADS")
    os.environ.update(dict.fromkeys(names, "1"))


def timed(work: Callable[[], Any]) -> tuple[Seconds, Any]:
    """The time of one call, and what it gave."""
    began, before = time.perf_counter(), _processor()
    value = work()
    return Seconds(time.perf_counter() - began, _processor() - before), value


def _processor() -> float:
    whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, whose))


def least(work: Callable[[], Any], rounds: int) -> tuple[Seconds, Any]:
    """The least times of some rounds after one that does not count, and what the last one gave."""
    value = work()
    times = []
    for _ in range(rounds):
        seconds, value = timed(work)
        times.append(seconds)
    return Seconds(*map(min, zip(*times, strict=True))), value


def editgauge(*words: object) -> Command:
    """`editgauge WORDS…`, measured in a process of its own. Ends this one where it fails."""
    with TemporaryDirectory() as folder:
        usage = Path(folder) / "usage.json"
        command = [sys.executable, "-m", "editgauge", *map(str, words)]
        began = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-c", _LAUNCHER, str(usage), *command],
            env={**os.environ, "PYTHONPATH": str(SOURCE)},
            capture_output=True,
            check=False,
        )
        wall = time.perf_counter() - began
        if done.returncode:
            raise SystemExit(f"{' '.join(command[2:5])}…: {done.stderr.decode()[-2000:]}")
        processor, megabytes = json.loads(usage.read_text())
    return Command(Seconds(wall, processor), megabytes, done.stdout)


def in_a_process(work: Callable[..., Any], *given: object, **named: object) -> tuple[Any, float]:
    """What a function of a module gives in a fresh process, and its peak memory in MB."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_with_peak, (work, given, named))


def _with_peak(work: Callable[..., Any], given: Any, named: Any) -> tuple[Any, float]:
    value = work(*given, **named)
    return value, peak_memory()


def peak_memory() -> float:
    """The most memory that this process has held, in MB, without that of who started it."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def sample_id(number: int) -> str:
    return f"part/{number // 100:04}/{number:06}"


def records(samples: int, benchmark: str = "big") -> list[dict[str, Any]]:
    """Sample records with the attributes that a benchmark might have."""
    return [
        {
            "benchmark": benchmark,
            "id": sample_id(i),
            "split": "synthetic" if i % 7 < 4 else "real",
            "category": [f"topic {i % 14}"],
            "instruction": f"Replace the text 'old {i}' with 'new {i}'.",
            "images": [],
            "attributes": {
                "topic": f"topic {i % 14}",
                "difficulty": ("easy", "medium", "hard")[i % 3],
                "difficulty_total": i % 21,
            },
        }
        for i in range(samples)
    ]


def row(benchmark: str, sample: str, editor: str, metric: str, value: float, **more: Any) -> Row:
    """A row of the variant faithful with a value."""
    return Row(
        benchmark=benchmark,
        sample=sample,
        editor=editor,
        scorer="bench",
        metric=metric,
        variant="faithful",
        value=value,
        status=Status.SCORED,
        reason="",
        fingerprint=f"{sample}{editor}{metric}",
        **more,
    )


def make_run(
    place: Path,
    samples: Sequence[dict[str, Any]],
    editors: Sequence[str],
    metrics: Sequence[str],
    *,
    at_once: int = 1000,
    **more: Any,
) -> Run:
    """A run with a row for each of `samples` (of `records`), editors and metrics; values are random
    and the same every time. `at_once`: samples of one transaction; `more` goes into each row.
    """
    run, benchmark = Run.create(place), samples[0]["benchmark"]
    run.write_samples(benchmark, samples)
    random = np.random.default_rng(len(samples))
    for editor in editors:
        values = random.random((len(samples), len(metrics)))
        for start in range(0, len(samples), at_once):
            run.put(
                row(benchmark, samples[n]["id"], editor, metric, float(values[n, m]), **more)
                for n in range(start, min(start + at_once, len(samples)))
                for m, metric in enumerate(metrics)
            )
    return run


@contextmanager
def folder(keep: Path | None = None) -> Iterator[Path]:
    """`keep`, or a folder that is gone afterwards."""
    if keep is not None:
        yield keep.resolve()
        return
    with TemporaryDirectory() as scratch:
        yield Path(scratch)


def picture(seed: int, side: int = 1024) -> np.ndarray:
    """Ground, shapes and writing, roughly as busy as a photographed poster; (side, side, 3)."""
    import cv2

    random = np.random.default_rng(seed)
    coarse = random.integers(0, 256, (12, 12, 3), np.uint8)
    ground = cv2.resize(coarse, (side, side), interpolation=cv2.INTER_CUBIC)

    def drawn(high: int, count: int) -> tuple[int, ...]:
        return tuple(int(v) for v in random.integers(0, high, count))

    for _ in range(40):
        cv2.circle(ground, drawn(side, 2), int(random.integers(4, 60)), drawn(256, 3), -1)
    for _ in range(22):
        size, corner, colour = float(random.uniform(0.4, 2)), drawn(side, 2), drawn(256, 3)
        cv2.putText(ground, "Sample text 123", corner, 2, size, colour, 2, cv2.LINE_AA)
    return noisy(ground, 0.8, random)


def noisy(picture: np.ndarray, spread: float, random: np.random.Generator) -> np.ndarray:
    changed = picture + random.normal(0, spread, picture.shape)
    return np.clip(changed, 0, 255).astype(np.uint8)
