"""The report at size: 20,000 samples x 10 editors x 10 metrics (or others), without pictures.

    python perf/bench_report.py                     build, then time the page in Chromium
    python perf/bench_report.py --samples 200000 --editors 1 --metrics 1

Prints seconds and memory to build, the size on disk, and, in a real headless Chromium with the
network off, the time to the first usable view, of a filter, a sort, the next sample, and the heap.
Needs playwright and Debian's chromium.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

SOURCE = str(Path(__file__).resolve().parents[1] / "src")
sys.path.insert(0, SOURCE)

from editgauge.store.run import Run
from editgauge.types import Row, Status

CHROMIUM = "/usr/bin/chromium"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--enable-precise-memory-info",
]


def make_run(place: Path, samples: int, editors: int, metrics: int) -> Run:
    """A run with made-up rows: no pictures, every attribute a benchmark might have."""
    run = Run.create(place)
    random = np.random.default_rng(0)
    topics = [f"topic {i}" for i in range(14)]
    run.write_samples(
        "big",
        (
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
                    "difficulty_total": i % 21,
                },
            }
            for i in range(samples)
        ),
    )
    with run.writer() as writer:
        for editor in range(editors):
            for metric in range(metrics):
                values = random.random(samples)
                writer.write(
                    Row(
                        benchmark="big",
                        sample=f"part/{i // 100:04}/{i:06}",
                        editor=f"model-{editor}",
                        scorer="x",
                        metric=f"metric{metric}",
                        variant="faithful",
                        value=float(values[i]),
                        status=Status.SCORED,
                        reason="",
                        fingerprint="f",
                    )
                    for i in range(samples)
                )
    return run


def build(run: Run) -> dict[str, object]:
    """`editgauge report` in a process of its own, so that its memory can be told from ours."""
    command = [
        sys.executable,
        "-m",
        "editgauge",
        "report",
        str(run.path),
        "--no-thumbnails",
        "--json",
    ]
    done = subprocess.run(
        command,
        env={**os.environ, "PYTHONPATH": SOURCE},
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(json.loads(done.stdout))


def drive(page_file: Path) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        context = browser.new_context(
            viewport={"width": 1300, "height": 900}, bypass_csp=True, offline=True
        )
        page = context.new_page()
        page.goto("about:blank")
        base = page_file.as_uri()
        tools = context.new_cdp_session(page)
        tools.send("Performance.enable", {"timeDomain": "threadTicks"})

        def thread() -> float:
            """Seconds of processor that the page's main thread has used: not what others use."""
            found = tools.send("Performance.getMetrics")["metrics"]
            return next(one["value"] for one in found if one["name"] == "TaskDuration")

        def busy(address: str) -> float:
            before = thread()
            inside(f"location.hash = `{address}`", "#found")
            page.wait_for_timeout(300)
            return (thread() - before) * 1000

        def view(address: str, wanted: str) -> float:
            began = time.perf_counter()
            page.goto("about:blank")
            page.goto(base + address)
            page.locator(wanted).first.wait_for()
            return time.perf_counter() - began

        def inside(code: str, wanted: str) -> float:
            return page.evaluate(
                """([code, wanted]) => new Promise((done) => {
                    const began = performance.now();
                    const before = document.querySelector(wanted);
                    (0, eval)(code);
                    const look = () => {
                        const now = document.querySelector(wanted);
                        if (now && now !== before) requestAnimationFrame(() => done(performance.now() - began));
                        else requestAnimationFrame(look);
                    };
                    look();
                })""",
                [code, wanted],
            )

        print(f"first view, first page      {min(view('', 'h2') for _ in range(3)):.2f} s")
        tables = min(view("#/tables/big", "h2") for _ in range(3))
        print(f"first view, tables          {tables:.2f} s")
        browse = min(view("#/browse/big", ".row") for _ in range(3))
        print(f"first view, gallery         {browse:.2f} s")
        browse = min(view("#/browse/big?density=list", ".line") for _ in range(3))
        print(f"first view, list            {browse:.2f} s")
        view("#/browse/big", ".row")
        go = "location.hash = "
        page.goto("about:blank")
        before = thread()
        page.goto(base + "#/browse/big")
        page.locator(".row").first.wait_for()
        print(f"gallery, processor time     {thread() - before:.2f} s")
        print(
            f"filter                      "
            f"{inside(go + '`#/browse/big?where=topic%3Dtopic 3`', '#found'):.0f} ms"
        )
        found = [
            busy(f"#/browse/big?where=difficulty%3D{one}") for one in ("easy", "hard", "medium")
        ]
        print(f"filter, processor time      {min(found):.0f} ms")
        print(
            f"sort by score               "
            f"{inside(go + '`#/browse/big?sort=score&desc=1`', '#found'):.0f} ms"
        )
        print(
            f"sort by disagreement        "
            f"{inside(go + '`#/browse/big?sort=models&desc=1`', '#found'):.0f} ms"
        )
        both = "`#/browse/big?e=model-0&b=model-1&sort=delta`"
        print(f"sort by difference          {inside(go + both, '#found'):.0f} ms")
        print(
            f"search                      {inside(go + '`#/browse/big?q=new 77`', '#found'):.0f} ms"
        )
        view("#/browse/big", ".row")
        page.locator(".row a").first.click()
        page.locator("#next").wait_for()
        steps = [inside("document.getElementById('next').click()", "#position") for _ in range(100)]
        print(
            f"next sample, median, p95    {statistics.median(steps):.0f}, {sorted(steps)[94]:.0f} "
            f"ms"
        )
        view("#/browse/big", ".row")
        heap = page.evaluate("performance.memory.usedJSHeapSize") / 1e6
        print(f"heap                        {heap:.0f} MB")
        browser.close()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--samples", type=int, default=20_000)
    parser.add_argument("--editors", type=int, default=10)
    parser.add_argument("--metrics", type=int, default=10)
    parser.add_argument("--keep", type=Path, help="keep the run in this folder")
    given = parser.parse_args()
    place = given.keep or Path(tempfile.mkdtemp()) / "run"
    try:
        run = make_run(place, given.samples, given.editors, given.metrics)
        began = time.perf_counter()
        run.parquet()
        print(f"rows to Parquet             {time.perf_counter() - began:.1f} s")
        built = build(run)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(f"build with tables           {built['seconds']} s, peak memory {peak:.0f} MB")
        print(f"size                        {built['bytes_without_thumbnails'] / 1e6:.1f} MB")
        drive(Path(str(built["page"])))
    finally:
        if given.keep is None:
            shutil.rmtree(place.parent, ignore_errors=True)


if __name__ == "__main__":
    main()
