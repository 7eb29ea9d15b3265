"""The judge engine against a local server: what share of the ideal is reached, at what cost?

    python perf/bench_judge.py            (sdk: with the OpenAI SDK in turn; `pip install openai`)

Client and server share the machine's cores: run it on a quiet one, or compare processor times only.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from support import SOURCE, folder, timed

from editgauge import catalog
from editgauge.benchmarks.texteditbench.judge import JUDGING
from editgauge.judging.asking import Job
from editgauge.judging.chat import Client
from editgauge.judging.engine import Engine
from editgauge.judging.options import JudgeOptions
from editgauge.judging.pictures import PictureStore
from editgauge.judging.prompts import RubricFolder
from editgauge.judging.protocol import Call
from editgauge.store.hashes import HashStore
from editgauge.store.paid import Paid
from editgauge.types import Edit, Sample

AT_ONCE, CALLS = 64, 640
SERVER = """
import sys
sys.path[:0] = [{source!r}, {root!r}]
from tests.contract.server import Judge, chat
def answer(asked):
    server.asked.clear()
    return chat('{{"pictures_visible": true, "rationale": "", "IF": 3}}', seconds=1.0)
with Judge(answer) as server:
    print(server.url, flush=True)
    sys.stdin.readline()
"""


@contextmanager
def served() -> Iterator[str]:
    """The address of a judge in a process of its own."""
    code = SERVER.format(source=str(SOURCE), root=str(SOURCE.parent))
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", code], **pipes) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.kill()


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


def ours(call: Call, url: str, place: Path) -> None:
    ended: list[float] = []
    options = JudgeOptions(model="bench", set=[f"concurrency={AT_ONCE}"])
    with HashStore(None) as hashes, Paid(place / f"paid-{url[-8:-3]}.sqlite") as paid:
        client = Client(url, key="x")
        engine = Engine(client, paid, PictureStore(hashes), options)
        jobs = (Job(call, number) for number in range(CALLS))
        engine.run(jobs, lambda job, result: ended.append(time.perf_counter()))
        client.close()
    between = (CALLS - 2 * AT_ONCE) / (ended[-AT_ONCE - 1] - ended[AT_ONCE - 1])
    share = f"{between / AT_ONCE:.1%} of the ideal"
    print(f"without the first and the last round: {between:.1f} a second, {share}")


def openai(call: Call, url: str, place: Path) -> None:
    from openai import AsyncOpenAI

    async def all_at_once() -> None:
        places = asyncio.Semaphore(AT_ONCE)
        async with AsyncOpenAI(base_url=url, api_key="x", max_retries=0, timeout=120) as client:

            async def one() -> None:
                async with places:
                    words = "\n".join(part for part in call.parts if isinstance(part, str))
                    content: list[Any] = [{"type": "text", "text": words}]
                    for picture in call.pictures:
                        data = base64.b64encode(picture.path.read_bytes()).decode()
                        address = {"url": f"data:image/jpeg;base64,{data}"}
                        content.append({"type": "image_url", "image_url": address})
                    messages: list[Any] = [{"role": "user", "content": content}]
                    await client.chat.completions.create(model="bench", messages=messages)

            await asyncio.gather(*(one() for _ in range(CALLS)))

    asyncio.run(all_at_once())


def measured(runner: Any, call: Call, place: Path) -> None:
    with served() as url:
        seconds, _ = timed(lambda: runner(call, url, place))
    rate = CALLS / seconds.wall
    print(
        f"{runner.__name__}, {AT_ONCE} connections, 1 s a call: {rate:.1f} a second, "
        f"{rate / AT_ONCE:.1%} of the ideal, {1000 * seconds.processor / CALLS:.2f} ms processor "
        f"time a call",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trial", choices=["ours", "sdk"], nargs="?", default="ours")
    trial = parser.parse_args().trial
    with folder() as place:
        call = one_call(place)
        size = sum(picture.path.stat().st_size for picture in call.pictures)
        print(f"three JPEGs: {size / 2**20:.2f} MiB a call")
        for runner in [ours, openai] * 3 if trial == "sdk" else [ours]:
            measured(runner, call, place)


if __name__ == "__main__":
    main()
