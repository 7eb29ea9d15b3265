"""The judge engine against a local server: throughput, processor time, memory, rate limits, resume,
kills.

    python perf/bench_judge.py all            (or: throughput, sdk, memory, bucket, resume, kills)

Client and server share the machine's cores. Numbers are ratios to the ideal where an ideal exists;
run it on a quiet machine, or repeat it and take the best.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from editgauge import catalog
from editgauge.benchmarks.texteditbench.judge import JUDGING
from editgauge.judging.asking import Engine
from editgauge.judging.cache import Reply, ReplyStore
from editgauge.judging.chat import Client
from editgauge.judging.pictures import PictureStore
from editgauge.judging.protocol import Call
from editgauge.judging.replies import Job, Settings
from editgauge.judging.rubrics import RubricFolder
from editgauge.judging.scores import ExchangeResult
from editgauge.store.hashes import HashStore
from editgauge.store.paid import Paid
from editgauge.types import Edit, Sample

SOURCE = sys.path[0]
SERVER = """
import sys, time
sys.path.insert(0, {source!r})
from editgauge.judging.fakes import FaultServer
with FaultServer(latency={latency}, bucket={bucket}, retry_after={retry_after}, keep=False) as server:
    print(server.url, flush=True)
    sys.stdin.readline()
    print(server.requests, dict(server.seen), flush=True)
"""


@contextmanager
def served(
    latency: float, bucket: object = None, retry_after: object = None
) -> Iterator[tuple[str, list[str]]]:
    """A server in a process of its own; its counts come into the list at the end."""
    code = SERVER.format(source=SOURCE, latency=latency, bucket=bucket, retry_after=retry_after)
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdin is not None
    counts: list[str] = []
    try:
        yield process.stdout.readline().strip(), counts
        process.stdin.write("\n")
        process.stdin.flush()
        counts.append(process.stdout.readline().strip())
    finally:
        process.kill()
        process.wait()


def one_call(folder: Path, pixels: int = 1024) -> Call:
    """Three JPEGs of about a megapixel, as a synthetic TextEditBench sample has them."""
    noise = np.random.default_rng(1)
    paths = []
    for name in ("input", "output", "reference"):
        coarse = noise.integers(0, 255, (pixels // 4, pixels // 4, 3), dtype=np.uint8)
        image = Image.fromarray(coarse).resize((pixels, pixels), Image.Resampling.BICUBIC)
        path = folder / f"{name}.jpg"
        image.save(path, quality=97, subsampling=0)
        paths.append(path)
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
    calls = JUDGING.calls(
        sample,
        Edit(sample="s", editor="e", path=paths[1]),
        RubricFolder(catalog.find("benchmarks", "texteditbench").rubrics),
        {},
    )
    return calls[0]


def ask(
    url: str, folder: Path, jobs: Iterator[Job], connections: int
) -> tuple[float, float, Engine]:
    """Seconds, processor seconds of this process, and the engine, for these jobs (after a first one
    alone).
    """

    with (
        HashStore(None) as hashes,
        Paid(folder / f"replies-{time.time_ns()}.sqlite") as paid,
    ):
        store = ReplyStore(paid)
        client = Client(url, timeout=120, key="x")
        settings = Settings(model="bench", repair=False, concurrency=connections)
        engine = Engine(client, store, PictureStore(hashes), settings)
        engine.run([next(jobs)], lambda job, heard: None)
        began, cpu = time.perf_counter(), time.process_time()
        engine.run(jobs, lambda job, heard: None)
        client.close()
        return time.perf_counter() - began, time.process_time() - cpu, engine


def many(call: Call, count: int) -> Iterator[Job]:
    for number in range(count + 1):
        yield Job(call, number, {"sample": str(number)})


def throughput(folder: Path) -> None:
    call = one_call(folder)
    size = sum(picture.path.stat().st_size for picture in call.pictures)
    print(f"three JPEGs: {size / 2**20:.2f} MiB a call")
    for latency, count in ((1.0, 640), (5.0, 384)):
        with served(latency) as (url, _):
            seconds, cpu, _ = ask(url, folder, many(call, count), 64)
        ideal = count / 64 * latency
        print(
            f"sleep {latency:g} s, 64 connections, {count} calls: {seconds:.1f} s, "
            f"{ideal / seconds:.1%} of the ideal, "
            f"{1000 * cpu / count:.2f} ms processor time a call",
            flush=True,
        )


def address_of(path: Path) -> str:
    return f"data:image/jpeg;base64,{base64.b64encode(path.read_bytes()).decode()}"


def sdk(folder: Path, count: int = 640, latency: float = 1.0, rounds: int = 3) -> None:
    """The same calls by this engine, by the OpenAI SDK and by inspect_ai (`pip install openai
    inspect_ai`) in turn, each from its very first call to its last, at 64 connections: the first
    call is part of it.
    """
    call = one_call(folder)
    words = "\n".join(part for part in call.parts if isinstance(part, str))

    async def ours(url: str, number: int) -> None:
        with HashStore(None) as hashes, Paid(folder / f"sdk-{number}.sqlite") as paid:
            store = ReplyStore(paid)
            client = Client(url, timeout=120, key="x")
            settings = Settings(model="bench", repair=False, concurrency=64)
            engine = Engine(client, store, PictureStore(hashes), settings)
            jobs = many(call, count - 1)
            await asyncio.to_thread(engine.run, jobs, lambda job, heard: None)
            client.close()

    runners: dict[str, Callable[[str, int], Coroutine[Any, Any, None]]] = {"editgauge": ours}
    try:
        from openai import AsyncOpenAI

        async def theirs(url: str, _: int) -> None:
            places = asyncio.Semaphore(64)

            async def one(client: AsyncOpenAI) -> None:
                async with places:
                    content: list[dict[str, object]] = [{"type": "text", "text": words}]
                    for picture in call.pictures:
                        part = {"url": address_of(picture.path)}
                        content.append({"type": "image_url", "image_url": part})
                    await client.chat.completions.create(
                        model="bench",
                        messages=[{"role": "user", "content": content}],  # type: ignore[arg-type, misc, list-item]
                    )

            async with AsyncOpenAI(base_url=url, api_key="x", max_retries=0, timeout=120) as client:
                await asyncio.gather(*(one(client) for _ in range(count)))

        runners["openai"] = theirs
    except ImportError:
        print("sdk: the package openai is not installed; pip install openai", flush=True)
    try:
        from inspect_ai.model import (
            ChatMessageUser,
            ContentImage,
            ContentText,
            GenerateConfig,
            get_model,
        )

        async def inspected(url: str, _: int) -> None:
            config = GenerateConfig(max_connections=64, max_retries=0)
            model = get_model(
                "openai-api/bench/bench", base_url=url, api_key="x", config=config, memoize=False
            )
            places = asyncio.Semaphore(64)

            async def one() -> None:
                async with places:
                    pictures = [ContentImage(image=address_of(p.path)) for p in call.pictures]
                    content = [ContentText(text=words), *pictures]
                    await model.generate([ChatMessageUser(content=content)])

            await asyncio.gather(*(one() for _ in range(count)))

        runners["inspect_ai"] = inspected
    except ImportError:
        print("sdk: the package inspect_ai is not installed; pip install inspect_ai", flush=True)

    for number in range(rounds):
        for name, run in runners.items():
            with served(latency) as (url, counts):
                began, cpu = time.perf_counter(), time.process_time()
                asyncio.run(run(url, number))
                seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
            print(
                f"sdk, {name}: {count} calls in {seconds:.2f} s ({count / seconds:.1f} a second), "
                f"{1000 * cpu / count:.2f} ms processor time a call; server: {counts[0]}",
                flush=True,
            )


def memory(folder: Path, count: int = 20_000) -> None:
    call = one_call(folder, 256)
    marks: list[tuple[int, float]] = []

    def jobs() -> Iterator[Job]:
        for job in many(call, count):
            if job.repeat % (count // 10) == 0:
                marks.append((job.repeat, current_memory()))
            yield job

    with served(0.0) as (url, _):
        seconds, cpu, engine = ask(url, folder, jobs(), 64)
    told = ", ".join(f"{number}: {mebibytes:.0f}" for number, mebibytes in marks)
    print(
        f"{count} calls in {seconds:.0f} s ({1000 * cpu / count:.2f} ms a call); MiB in use after "
        f"calls: {told}"
    )
    print(
        f"most bytes in flight: {engine.gate.peak_bytes / 2**20:.1f} MiB; peak {peak_memory():.0f} "
        f"MiB"
    )


def current_memory() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def peak_memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def bucket(folder: Path) -> None:
    """800 calls by 64 tasks against 20 requests a second with 200 saved up: 30 s at best."""
    call = one_call(folder, 64)
    for after in (None, 1):
        with served(0.05, (20.0, 200.0), after) as (url, counts):
            seconds, _, engine = ask(url, folder, many(call, 800), 64)
        print(
            f"bucket 20/s, Retry-After {after}: {engine.stats.done - 1} of 800 answered, "
            f"{engine.stats.failed} failed, "
            f"{seconds:.2f} s (ideal 30.0, {seconds / 30 - 1:+.1%}), {engine.paid.gate.refusals} "
            f"refusals; {counts[0]}",
            flush=True,
        )


def resume(folder: Path, count: int = 100_000) -> None:
    """All calls are in the store: the whole way from jobs to results, without a request."""
    call = one_call(folder, 64)

    def main() -> None:
        with HashStore(None) as hashes, Paid(folder / "resume.sqlite") as paid:
            store = ReplyStore(paid)
            client = Client("http://127.0.0.1:9/v1", key="x")
            engine = Engine(client, store, PictureStore(hashes), Settings(model="bench"))
            good = '{"pictures_visible": true, "rationale": "fine", "IF": 3}'
            with paid.transaction():
                for job in many(call, count - 1):
                    key = engine.key(job)
                    reply = Reply(
                        key=key, status="ok", content=good, asked="bench", answered="bench"
                    )
                    store.put(reply)
            heard: list[ExchangeResult] = []
            began = time.perf_counter()
            engine.run(many(call, count - 1), lambda job, one: heard.append(one))
            seconds = time.perf_counter() - began
            print(
                f"resume of {len(heard):,} finished calls: {seconds:.1f} s, {engine.stats.asked} "
                f"asked",
                flush=True,
            )

    main()


def kills(folder: Path, rounds: int = 50) -> None:
    """Kill -9 at random moments, then finish: rows as undisturbed, and how many calls were
    repeated.
    """
    from editgauge.store.run import Run
    from editgauge.testing import FaultServer

    rng = random.Random(7)
    cache = str(folder / "cache")
    environment = {
        **os.environ,
        "PYTHONPATH": SOURCE,
        "EDITGAUGE_JUDGE_KEY": "x",
        "XDG_CACHE_HOME": cache,
    }
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}

    def command(*words: str) -> list[str]:
        return [sys.executable, "-m", "editgauge", *words]

    def essence(run: Path) -> list[object]:
        return sorted((row.key, row.value, row.status.value) for row in Run.open(run).rows())

    runs = [folder / "killed", folder / "whole"]
    for run in runs:
        for editor in ("copy", "reference", "blank"):
            subprocess.run(
                command("edit", "mini", "--editor", editor, "--run", str(run)),
                env=environment,
                check=False,
                **quiet,
            )
    concurrency = 4
    with FaultServer(latency=0.5) as server:
        words = ("judge", "mini", "--model", "m", "--base-url", server.url, "--concurrency", str(concurrency),
                 "--repeat", "4", "--run")  # fmt: skip
        killed = 0
        for _ in range(rounds):
            process = subprocess.Popen(command(*words, str(runs[0])), env=environment, **quiet)
            before, deadline = server.requests, time.monotonic() + 60
            while (
                server.requests == before and process.poll() is None and time.monotonic() < deadline
            ):
                time.sleep(0.01)
            time.sleep(rng.uniform(0.0, 1.0))
            killed += process.poll() is None
            process.kill()
            process.wait()
        server.latency = 0.0
        subprocess.run(command(*words, str(runs[0])), env=environment, check=False, **quiet)
        asked, server.requests = server.requests, 0
        subprocess.run(command(*words, str(runs[1])), env=environment, check=False, **quiet)
        needed = server.requests
    first, second = essence(runs[0]), essence(runs[1])
    print(
        f"{killed} of {rounds} kills hit a running command: rows equal {first == second} "
        f"({len(second)} rows), "
        f"{asked - needed} calls repeated of {needed}, at most {killed * concurrency} were in "
        f"flight"
    )


TRIALS = {
    "throughput": throughput,
    "sdk": sdk,
    "memory": memory,
    "bucket": bucket,
    "resume": resume,
    "kills": kills,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trials", nargs="*", metavar="TRIAL", help=f"{', '.join(TRIALS)}; or all")
    wanted = parser.parse_args().trials or ["all"]
    if odd := sorted(set(wanted) - {"all", *TRIALS}):
        parser.error(f"no trial {odd[0]!r}; there are: {', '.join(TRIALS)}")
    for name in TRIALS if "all" in wanted else wanted:
        with tempfile.TemporaryDirectory() as folder:
            print(f"-- {name}", flush=True)
            TRIALS[name](Path(folder))


if __name__ == "__main__":
    main()
