"""How long does somebody who rates wait, with 50 people at 10 s an answer? `python perf/bench_study.py`, 2 cores"""

from __future__ import annotations

import asyncio
import random
import secrets
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx
import numpy as np
import support  # noqa: F401  (finds the package)
from tests.study.made_study import make_run
from tests.study.served import Server

from editgauge.store.labels import Samples
from editgauge.study.design import resolved
from editgauge.study.pictures import outputs_of
from editgauge.study.studies import begin

PEOPLE, EACH, SECONDS = 50, 10.0, 60.0
waited: dict[str, list[float]] = {"sample": [], "picture": [], "answer": []}


async def rate(link: str, end: float) -> None:
    """Ask for a sample and its pictures, look at them, send an answer; until the time is over."""
    async with httpx.AsyncClient(follow_redirects=True, timeout=60) as client:

        async def asked(what: str, address: str, **sent: object) -> httpx.Response:
            began = time.perf_counter()
            answer = await client.request("POST" if sent else "GET", base + address, **sent)  # type: ignore[arg-type]
            waited[what].append(time.perf_counter() - began)
            answer.raise_for_status()
            return answer

        await asyncio.sleep(random.uniform(0, EACH))
        base = str((await client.get(link)).url).rstrip("/")
        while time.perf_counter() < end:
            state = (await asked("sample", "/api/task")).json()
            task = state["task"]
            for url in [*task["inputs"], *task["outputs"]]:
                await asked("picture", url)
            await asyncio.sleep(random.uniform(0.5, 1.5) * EACH)
            said = {"task": task["id"], "version": task["version"], "nonce": secrets.token_hex(8),
                    "seconds": EACH, "answers": {"EA": [3] * len(task["outputs"])}}  # fmt: skip
            await asked("answer", "/api/answer", json=said, headers={"X-Key": state["key"]})


async def all_of_them(links: list[str]) -> None:
    await asyncio.gather(*(rate(link, time.perf_counter() + SECONDS) for link in links))


with TemporaryDirectory() as folder:
    run = make_run(Path(folder), samples=PEOPLE * 4)
    outputs, samples = outputs_of(run, "bench"), Samples(run.samples("bench"))
    facts = {"mode": "rate", "questions": [{"id": "EA"}]}
    design = resolved(facts, samples, outputs, "bench")
    tokens = begin(run, design, outputs, [f"rater-{n}" for n in range(PEOPLE)])
    server = Server(run.path)
    server.begin()
    asyncio.run(all_of_them([f"{server.url}/a/{token}" for token in tokens.values()]))
    server.kill()
for what, times in waited.items():
    half, most = np.percentile(times, [50, 95]) * 1000
    print(f"{what:8} {len(times):5}   median {half:5.1f} ms   p95 {most:5.1f} ms")
