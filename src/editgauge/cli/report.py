"""`editgauge report, grid`: pictures behind every number, as a folder and as one picture."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from editgauge.cli import options as opt
from editgauge.cli import output
from editgauge.errors import UsageError
from editgauge.types import JsonObject

if TYPE_CHECKING:
    from editgauge.store.run import Run


@opt.options()
class Reporting:
    to: Path | None = None
    "The folder to write it to; default: RUN/report."
    published: bool = False
    "Add the papers' lines to the tables."
    copy_images: bool = False
    "Copy the pictures into the report, at most 1,000 pixels long, so that it can be sent alone."
    figures: bool = False
    "Also draw the figures as SVG, PNG and PDF files for papers."
    title: str = ""
    "Stands above the first page."
    author: str = ""
    "Likewise."
    date: str = ""
    "Likewise."


def report(runs: opt.RunsArg, /, *, asked: Reporting = Reporting()) -> None:
    """Write a report that opens from disk in any browser: tables, figures, and every picture behind
    every number.
    """
    from editgauge.reports import drawing, site
    from editgauge.run.report import paper_figures, parts_of
    from editgauge.tables import rows

    if asked.figures:  # before a report is made, which takes a while
        drawing.matplotlib_of("drawing figures for papers")
    began = time.perf_counter()
    opened = rows.open_runs(runs, pictures=True)
    target = _target(runs, opened, asked.to)
    parts = parts_of(opened, published=asked.published)
    if not parts:
        scored = "score something first: editgauge score … --run RUN"
        raise UsageError(f"{runs[0].name}: nothing in the run yet; {scored}")
    headed = {"title": asked.title, "author": asked.author, "date": asked.date}
    how: JsonObject = {"headed": headed, "copy_images": asked.copy_images}
    with output.warned(*opened), output.progress() as show:
        page = site.build(opened, parts, target, progress=show, **how)
    drawn = paper_figures(parts, target) if asked.figures else []
    facts = {
        "page": str(page),
        "figures": [path.name for path in drawn],
        "seconds": round(time.perf_counter() - began, 2),
    }
    output.listed(facts)


def _target(runs: Sequence[Path], opened: Sequence[Run], to: Path | None) -> Path:
    from editgauge.store.addresses import address_of

    if address_of(to) or (to is None and (len(opened) > 1 or address_of(runs[0]))):
        raise UsageError("several runs, or a store: name a folder for their report with --to")
    return to or opened[0].path / "report"


@opt.options()
class Drawing:
    sample: opt.Many
    "A line of it, or @FILE with ids, a line each; may be repeated."
    to: Path
    "A .pdf (with a .png beside it), .png or .svg."
    benchmark: opt.OnlyBenchmark = ""
    editor: opt.EditorsOpt = ()


def grid(runs: opt.RunsArg, /, *, asked: Drawing) -> None:
    """Draw a grid of instruction × editor: input, reference and every output, as in the papers'
    figures. What is missing is said in words.
    """
    from editgauge.reports import grids
    from editgauge.store.selection import listed
    from editgauge.tables import rows

    opened = rows.open_runs(runs, pictures=True)
    with output.warned(*opened):
        frames = rows.read(opened, asked.benchmark)
        strips = grids.lines(opened, frames, listed(list(asked.sample)), asked.editor)
        written = [str(path) for path in grids.write(strips, asked.to)]
    output.listed({"files": written})
