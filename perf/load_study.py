"""How long a submit takes with many annotators at once: `study serve` in a process of its own.

Run: python perf/load_study.py [ANNOTATORS …]     (default: 12 and 50)
Every annotator asks for a sample and answers it, without a pause, until all is done.
"""

from __future__ import annotations

import asyncio
import secrets
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.study.made_study import make_run

from editgauge.store.labels import Samples
from editgauge.study.design import resolved
from editgauge.study.studies import begin, editors_by_sample, outputs_of

EDITORS = ("a", "b", "c", "d", "e")
SAMPLES = 30
PAUSE = 1.0
"""Seconds that an annotator looks at a sample: already very fast."""


async def annotator(base: str, token: str, times: list[float]) -> None:
    async with httpx.AsyncClient(base_url=base, timeout=60) as client:
        await client.get(f"/a/{token}")
        await asyncio.sleep(PAUSE * secrets.randbelow(1000) / 1000)
        while True:
            state = (await client.get("/api/task")).json()
            if not state["task"]:
                return
            await client.get(state["task"]["outputs"][0])
            await asyncio.sleep(PAUSE)
            shown = len(state["task"]["outputs"])
            body = {
                "task": state["task"]["id"],
                "version": state["task"]["version"],
                "nonce": secrets.token_hex(8),
                "seconds": 1.0,
                "answers": {"IF": [3] * shown},
            }
            began = time.perf_counter()
            told = await client.post("/api/answer", json=body, headers={"X-Key": state["key"]})
            times.append(time.perf_counter() - began)
            told.raise_for_status()


def measure(annotators: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        run = make_run(Path(folder), samples=SAMPLES, editors=EDITORS)
        outputs = outputs_of(run, "bench")
        facts = {
            "mode": "rate",
            "questions": [{"id": "IF", "text": "?"}],
            "annotators_per_sample": min(annotators, 8),
        }
        samples = Samples(run.samples("bench"))
        design = resolved(facts, samples, editors_by_sample(outputs), "bench")
        tokens = begin(run, design, outputs, [f"r{k}" for k in range(annotators)])
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        server = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "editgauge",
                "study",
                "serve",
                str(run.path),
                "--port",
                str(port),
            ],
            stdout=subprocess.DEVNULL,
        )
        base = f"http://127.0.0.1:{port}"
        try:
            for _ in range(300):
                try:
                    httpx.get(base)
                    break
                except httpx.HTTPError:
                    time.sleep(0.1)
            times: list[float] = []

            async def main() -> None:
                await asyncio.gather(*(annotator(base, token, times) for token in tokens.values()))

            asyncio.run(main())
        finally:
            server.kill()
            server.wait()
        times.sort()
        median, high = times[len(times) // 2], times[int(len(times) * 0.95)]
        print(
            f"{annotators} annotators, {len(times)} submits: median {1000 * median:.0f} ms, "
            f"95th percentile {1000 * high:.0f} ms, longest {1000 * times[-1]:.0f} ms"
        )


if __name__ == "__main__":
    for number in [int(word) for word in sys.argv[1:]] or [12, 50]:
        measure(number)
