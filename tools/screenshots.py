"""Screenshots for the documentation, of a report that is made for them from the built-in benchmark.

    python tools/screenshots.py docs-pictures          make a run and take its pictures
    python tools/screenshots.py docs-pictures --run R  take those of a report that is there

`make site` calls it before it builds, and `tools/site_hooks.py` puts them where a page has a line
``<!-- screenshot: name: caption -->``. Nothing is drawn by hand. Only the README's
picture is committed: `docs/report.png` is the view `overview` of the run that `make demo` makes,
to which `shuffle` and the track `ocr` were added, in 96 colours.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

WIDTH, HEIGHT = 1280, 800
VIEWS: Mapping[str, tuple[str, str]] = {
    # name -> (address below the page, what is there when the view is)
    "overview": ("#/", "h1"),
    "gallery": ("#/browse/mini", "main img"),
    "sample": ("#/sample/mini/{sample}", "main img"),
    "tables": ("#/tables/mini", "main table"),
    "reviewers": ("#/reviewers/mini", "main h1"),
}
_DRAWN = """Promise.race([
    new Promise(done => setTimeout(done, 3000)),
    Promise.all(Array.from(document.images)
        .filter(one => {
            const box = one.getBoundingClientRect();
            return box.width && box.bottom > 0 && box.top < innerHeight && box.left < innerWidth;
        })
        .map(one => one.decode().catch(() => null)))])"""
"""Ends when every picture on the screen is drawn or cannot be, and after three seconds: what is not
on the screen is never asked for, and would never be drawn.
"""
EDITORS = ("reference", "copy", "shuffle", "typeset")


def make_run(folder: Path) -> Path:
    """A scored run of the built-in benchmark with its report; `typeset` where OCR is installed."""
    from importlib.util import find_spec

    from editgauge.run.evaluation import Evaluation

    evaluation = Evaluation("mini", run=folder / "first", limit=12)
    for name in EDITORS if find_spec("rapidocr") else EDITORS[:-1]:
        evaluation.edit(name)
    evaluation.score(tracks=["pixel"])
    return evaluation.report().parent


def take(report: Path, to: Path, *, scheme: str = "light", width: int = WIDTH) -> list[Path]:
    """A PNG for each of `VIEWS` of a report; the files. `scheme` is light or dark."""
    from playwright.sync_api import sync_playwright

    to.mkdir(parents=True, exist_ok=True)
    made = []
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=_chromium(), args=["--no-sandbox"])
        page = browser.new_context(
            viewport={"width": width, "height": HEIGHT}, color_scheme=scheme, offline=True
        ).new_page()
        base = (report / "index.html").as_uri()
        page.goto(base)
        page.locator("h1").wait_for()
        sample = page.evaluate("EG.index(EG.meta.benchmarks[0]).then((index) => index.ids[0])")
        for name, (address, wanted) in VIEWS.items():
            page.goto("about:blank")
            page.goto(base + address.format(sample=sample))
            page.locator(wanted).first.wait_for()
            page.evaluate(_DRAWN)
            path = to / f"{name}.png"
            page.screenshot(path=str(path))
            made.append(path)
        browser.close()
    return made


def _chromium() -> str | None:
    """The system's browser, or playwright's own where there is none."""
    return os.environ.get("CHROMIUM") or shutil.which("chromium")


def main() -> None:
    parser = argparse.ArgumentParser(description="Take the documentation's screenshots.")
    parser.add_argument("to", type=Path)
    parser.add_argument("--run", type=Path, help="A run with a report; default: one is made.")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report = given.run / "report" if given.run else make_run(Path(folder))
        print(*take(report, given.to), sep="\n")


if __name__ == "__main__":
    main()
