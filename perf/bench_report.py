"""The report at size: how long until it is built, and until its page shows what was asked for?

    python perf/bench_report.py                     20,000 samples x 10 editors x 10 metrics
    python perf/bench_report.py --samples 200000 --editors 1 --metrics 1

No pictures. The page is timed in a real headless Chromium with the network off; needs playwright
and Debian's chromium.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from pathlib import Path
from typing import Any

from support import editgauge, folder, make_run, records, timed

CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
FLAGS.append("--enable-precise-memory-info")
_DRAWN = """([code, wanted]) => new Promise((done) => {
    const began = performance.now(), before = document.querySelector(wanted);
    (0, eval)(code);
    const look = () => {
        const now = document.querySelector(wanted);
        if (now && now !== before) requestAnimationFrame(() => done(performance.now() - began));
        else requestAnimationFrame(look);
    };
    look();
})"""
VIEWS = {
    "first page": ("", "h2"),
    "tables": ("#/tables/big", "h2"),
    "gallery": ("#/browse/big", ".row"),
}
CHANGES = {
    "filter": "where=topic%3Dtopic 3",
    "sort by score": "sort=score&desc=1",
    "sort by disagreement": "sort=models&desc=1",
    "search": "q=new 77",
}


class Page:
    """A report in a browser."""

    def __init__(self, browser: Any, file: Path) -> None:
        view = {"width": 1300, "height": 900}
        context = browser.new_context(viewport=view, bypass_csp=True, offline=True)
        self.page, self.base = context.new_page(), file.as_uri()
        self.tools = context.new_cdp_session(self.page)
        self.tools.send("Performance.enable", {"timeDomain": "threadTicks"})

    def processor(self) -> float:
        """Seconds that the page's main thread has used."""
        metrics = self.tools.send("Performance.getMetrics")["metrics"]
        return next(one["value"] for one in metrics if one["name"] == "TaskDuration")

    def opened(self, address: str, wanted: str) -> float:
        """Seconds until a view is there, from an empty page."""
        self.page.goto("about:blank")
        began = time.perf_counter()
        self.page.goto(self.base + address)
        self.page.locator(wanted).first.wait_for()
        return time.perf_counter() - began

    def changed(self, code: str, wanted: str = "#found") -> float:
        """Milliseconds until an element has been drawn anew."""
        return float(self.page.evaluate(_DRAWN, [code, wanted]))

    def filtered(self, query: str) -> float:
        return self.changed(f"location.hash = `#/browse/big?{query}`")


def drive(file: Path, samples: int) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        page = Page(play.chromium.launch(executable_path=CHROMIUM, args=FLAGS), file)
        for name, view in VIEWS.items():
            print(f"first view, {name:<16} {min(page.opened(*view) for _ in range(3)):.2f} s")
        page.opened(*VIEWS["gallery"])
        print(f"gallery, processor time      {page.processor():.2f} s")
        for name, query in CHANGES.items():
            print(f"{name:<28} {page.filtered(query):.0f} ms")
        busy = []
        for difficulty in ("easy", "hard", "medium"):
            before = page.processor()
            page.filtered(f"where=difficulty%3D{difficulty}")
            page.page.wait_for_timeout(300)
            busy.append(page.processor() - before)
        print(f"filter, processor time       {1000 * min(busy):.0f} ms")
        page.opened(*VIEWS["gallery"])
        page.page.locator(".row a").first.click()
        page.page.locator("#next").wait_for()
        click = "document.getElementById('next').click()"
        steps = sorted(page.changed(click, "#position") for _ in range(min(100, samples - 1)))
        high = steps[int(0.95 * len(steps))]
        print(f"next sample, median, p95     {statistics.median(steps):.0f}, {high:.0f} ms")
        page.opened(*VIEWS["gallery"])
        heap = page.page.evaluate("performance.memory.usedJSHeapSize") / 1e6
        print(f"heap                         {heap:.0f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--samples", type=int, default=20_000)
    parser.add_argument("--editors", type=int, default=10)
    parser.add_argument("--metrics", type=int, default=10)
    parser.add_argument("--keep", type=Path, help="keep the run in this folder")
    given = parser.parse_args()
    editors = [f"model-{number}" for number in range(given.editors)]
    metrics = [f"metric{number}" for number in range(given.metrics)]
    with folder(given.keep) as place:
        run = make_run(place / "run", records(given.samples), editors, metrics)
        print(f"rows to Parquet   {timed(run.parquet)[0]}")
        built = editgauge("report", run.path, "--json")
        facts = json.loads(built.output)
        files = [p for p in Path(facts["page"]).parent.rglob("*") if "thumbs" not in p.parts]
        size = sum(path.stat().st_size for path in files if path.is_file()) / 1e6
        print(f"built with tables {built}; {facts['seconds']} s of it its own, {size:.1f} MB")
        drive(Path(facts["page"]), given.samples)


if __name__ == "__main__":
    main()
