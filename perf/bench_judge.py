"""The judge engine against a local server: what share of the ideal is reached, at what cost?

    python perf/bench_judge.py all        (or: throughput, sdk, memory, bucket, resume)
    python perf/bench_judge.py throughput --calls 64

Client and server share the machine's cores: run it on a quiet one, or repeat it and take the best.
`sdk` measures the OpenAI SDK (`pip install openai`) beside the engine.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from editgauge.judging.jobs import Job, Settings
from editgauge.judging.store import Reply, ReplyStore
from PIL import Image
from support import SOURCE, Seconds, folder, peak_memory, timed

from editgauge import catalog
from editgauge.benchmarks.texteditbench.judge import JUDGING
from editgauge.judging.chat import Client
from editgauge.judging.engine import Engine
from editgauge.judging.pictures import PictureStore
from editgauge.judging.protocol import Call
from editgauge.judging.rubrics import RubricFolder
from editgauge.store.hashes import HashStore
from editgauge.store.paid import Paid
from editgauge.types import Edit, Sample

AT_ONCE = 64
SERVER = """
import sys
sys.path[:0] = [{source!r}, {root!r}]
from tests.fault_server import FaultServer
with FaultServer(latency={latency}, bucket={bucket}, retry_after={retry_after}, keep=False) as server:
    print(server.url, flush=True)
    sys.stdin.readline()
    print(server.requests, dict(server.seen), flush=True)
"""


@dataclass
class Server:
    """A judge in a process of its own; `counts` says at the end what it has seen."""

    url: str
    counts: str = field(default="")


@contextmanager
def served(latency: float, bucket: object = None, retry_after: object = None) -> Iterator[Server]:
    code = SERVER.format(
        source=str(SOURCE),
        root=str(SOURCE.parent),
        latency=latency,
        bucket=bucket,
        retry_after=retry_after,
    )
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    process = subprocess.Popen([sys.executable, "-c", code], **pipes)
    assert process.stdout is not None
    assert process.stdin is not None
    try:
        yield (server := Server(process.stdout.readline().strip()))
        process.stdin.write("\n")
        process.stdin.flush()
        server.counts = process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()


def one_call(place: Path, pixels: int = 1024) -> Call:
    """Three JPEGs of about a megapixel, as a synthetic TextEditBench sample has them."""
    noise, paths = np.random.default_rng(1), []
    for name in ("input", "output", "reference"):
        coarse = noise.integers(0, 255, (pixels // 4, pixels // 4, 3), dtype=np.uint8)
        image = Image.fromarray(coarse).resize((pixels, pixels), Image.Resampling.BICUBIC)
        paths.append(place / f"{name}.jpg")
        image.save(paths[-1], quality=97, subsampling=0)
    sample = Sample(
        benchmark="texteditbench",
        id="s",
        split="synthetic",
        category=("x",),
        instruction="Replace A with B",
        images=(paths[0],),
        output_stems=("s",),
        reference=paths[2],
    )
    rubrics = RubricFolder(catalog.find("benchmarks", "texteditbench").rubrics)
    return JUDGING.calls(sample, Edit(sample="s", editor="e", path=paths[1]), rubrics, {})[0]


def jobs_of(call: Call, count: int) -> Iterator[Job]:
    return (Job(call, number, {"sample": str(number)}) for number in range(count))


@contextmanager
def engine_of(place: Path, url: str, **settings: Any) -> Iterator[Engine]:
    with HashStore(None) as hashes, Paid(place / f"paid-{time.time_ns()}.sqlite") as paid:
        client = Client(url, timeout=120, key="x")
        chosen = Settings(model="bench", **{"concurrency": AT_ONCE, **settings})
        yield Engine(client, ReplyStore(paid), PictureStore(hashes), chosen)
        client.close()


def ask(engine: Engine, jobs: Iterator[Job]) -> Seconds:
    """The time of jobs, after a first one alone."""
    engine.run([next(jobs)], lambda job, result: None)
    return timed(lambda: engine.run(jobs, lambda job, result: None))[0]


def throughput(place: Path, calls: int = 640) -> None:
    call = one_call(place)
    size = sum(picture.path.stat().st_size for picture in call.pictures)
    print(f"three JPEGs: {size / 2**20:.2f} MiB a call")
    for latency, count in ((1.0, calls), (5.0, calls * 3 // 5)):
        with served(latency) as server, engine_of(place, server.url) as engine:
            seconds = ask(engine, jobs_of(call, count + 1))
        share = count / AT_ONCE * latency / seconds.wall
        print(
            f"sleep {latency:g} s, {AT_ONCE} connections, {count} calls: {seconds.wall:.1f} s, {share:.1%} "
            f"of the ideal, {1000 * seconds.processor / count:.2f} ms processor time a call",
            flush=True,
        )


Runner = Callable[[Call, str, int, Path], Awaitable[None]]


async def ours(call: Call, url: str, count: int, place: Path) -> None:
    with engine_of(place, url) as engine:
        await asyncio.to_thread(engine.run, jobs_of(call, count), lambda job, result: None)


def address_of(path: Path) -> str:
    return f"data:image/jpeg;base64,{base64.b64encode(path.read_bytes()).decode()}"


def words_of(call: Call) -> str:
    return "\n".join(part for part in call.parts if isinstance(part, str))


async def at_once(one: Callable[[], Awaitable[object]], count: int) -> None:
    places = asyncio.Semaphore(AT_ONCE)

    async def placed() -> None:
        async with places:
            await one()

    await asyncio.gather(*(placed() for _ in range(count)))


async def openai(call: Call, url: str, count: int, place: Path) -> None:
    from openai import AsyncOpenAI

    async def one() -> None:
        pictures = [{"url": address_of(picture.path)} for picture in call.pictures]
        content: list[Any] = [{"type": "text", "text": words_of(call)}]
        content += [{"type": "image_url", "image_url": picture} for picture in pictures]
        messages: list[Any] = [{"role": "user", "content": content}]
        await client.chat.completions.create(model="bench", messages=messages)

    async with AsyncOpenAI(base_url=url, api_key="x", max_retries=0, timeout=120) as client:
        await at_once(one, count)


def sdk(place: Path, calls: int = 640) -> None:
    """The same calls in turn, three times, each from its very first call to its last."""
    call = one_call(place)
    runners: list[Runner] = [ours, openai]
    for runner in runners * 3:
        name = runner.__name__
        with served(1.0) as server:
            try:
                seconds, _ = timed(
                    lambda r=runner, s=server: asyncio.run(r(call, s.url, calls, place))
                )  # type: ignore[misc, arg-type]
            except ImportError:
                print(f"sdk: {name} is not installed; pip install {name}", flush=True)
                continue
        print(
            f"sdk, {name}: {calls} calls, {calls / seconds.wall:.1f} a second, "
            f"{1000 * seconds.processor / calls:.2f} ms processor time a call; server: {server.counts}",
            flush=True,
        )


def memory(place: Path, calls: int = 20_000) -> None:
    call, marks = one_call(place, 256), []

    def marked() -> Iterator[Job]:
        for job in jobs_of(call, calls + 1):
            if job.repeat % max(1, calls // 10) == 0:
                pages = int(Path("/proc/self/statm").read_text().split()[1])
                marks.append(f"{job.repeat}: {pages * os.sysconf('SC_PAGE_SIZE') / 2**20:.0f}")
            yield job

    with served(0.0) as server, engine_of(place, server.url) as engine:
        seconds = ask(engine, marked())
    print(f"{calls} calls: {seconds}; MiB in use after calls: {', '.join(marks)}")
    print(f"peak {peak_memory():.0f} MB")


def bucket(place: Path, calls: int = 800) -> None:
    """Against 20 requests a second with 200 saved up."""
    call, ideal = one_call(place, 64), max(0.05, (calls - 200) / 20)
    for after in (None, 1):
        with (
            served(0.05, (20.0, 200.0), after) as server,
            engine_of(place, server.url) as engine,
        ):
            wall = ask(engine, jobs_of(call, calls + 1)).wall
        print(
            f"bucket 20/s, Retry-After {after}: {engine.stats.done - 1} of {calls} answered, "
            f"{engine.stats.failed} failed, {wall:.2f} s (ideal {ideal:.1f}, {wall / ideal - 1:+.1%}), "
            f"{engine.paid.gate.refusals} refusals; {server.counts}",
            flush=True,
        )


def resume(place: Path, calls: int = 100_000) -> None:
    """All calls are in the store: the whole way from jobs to results, without a request."""
    call, good = one_call(place, 64), '{"pictures_visible": true, "rationale": "fine", "IF": 3}'
    with engine_of(place, "http://127.0.0.1:9/v1") as engine:
        with engine.store.paid.transaction():
            for job in jobs_of(call, calls):
                key = engine.key(job)
                engine.store.put(
                    Reply(key=key, status="ok", content=good, asked="bench", answered="bench")
                )
        results: list[object] = []
        seconds, _ = timed(
            lambda: engine.run(jobs_of(call, calls), lambda job, one: results.append(one))
        )
    print(f"resume of {len(results):,} finished calls: {seconds}, {engine.stats.requests} asked")


TRIALS: dict[str, Callable[..., None]] = {
    trial.__name__: trial for trial in (throughput, sdk, memory, bucket, resume)
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trials", nargs="*", metavar="TRIAL", help=f"{', '.join(TRIALS)}; or all")
    parser.add_argument("--calls", type=int, help="of each trial; default: its own number")
    given = parser.parse_args()
    wanted = given.trials or ["all"]
    if odd := sorted(set(wanted) - {"all", *TRIALS}):
        parser.error(f"no trial {odd[0]!r}; there are: {', '.join(TRIALS)}")
    for name in TRIALS if "all" in wanted else wanted:
        with folder() as place:
            print(f"-- {name}", flush=True)
            TRIALS[name](place, **({"calls": given.calls} if given.calls else {}))


if __name__ == "__main__":
    main()
