"""`editgauge report, grid`: pictures behind every number, as a folder and as one picture."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

from editgauge.cli import output
from editgauge.cli.options import (
    EditorsOpt,
    Many,
    OnlyBenchmark,
    RunsArg,
    SourceOpt,
    at_least,
    cores,
)
from editgauge.errors import MissingExtra, UsageError


def report(
    runs: RunsArg,
    /,
    *,
    to: Path | None = None,
    benchmark: OnlyBenchmark = "",
    published: bool = False,
    copy_images: bool = False,
    no_thumbnails: bool = False,
    no_intervals: bool = False,
    figures: bool = False,
    title: str = "",
    author: str = "",
    date: str = "",
    workers: Annotated[int, at_least(0)] | None = None,
) -> None:
    """Write a report that opens from disk in any browser: tables, figures, and every picture behind
    every number.

    Parameters
    ----------
    to
        The folder to write it to; default: RUN/report.
    published
        Add the papers' lines to the tables.
    copy_images
        Copy the pictures into the report, at most 1,000 pixels long, so that it can be sent alone.
    no_thumbnails
        Make no thumbnails for the lists.
    no_intervals
        No 95 % intervals in the tables.
    figures
        Also draw the figures as SVG, PNG and PDF files for papers.
    title
        Stands above the first page.
    author
        Likewise.
    date
        Likewise.
    workers
        Threads for thumbnails.
    """
    from editgauge.reports import site
    from editgauge.run.report import paper_figures, parts_of
    from editgauge.store.addresses import address_of
    from editgauge.tables import rows

    if figures:
        _need_matplotlib()
    began = time.perf_counter()
    opened = rows.open_runs(runs, pictures=True)
    if (to is None and (len(opened) > 1 or address_of(runs[0]))) or address_of(to):
        raise UsageError("several runs, or a store: name a folder for their report with --to")
    target = to or opened[0].path / "report"
    parts = parts_of(opened, benchmark, published=published, intervals=not no_intervals)
    if not parts:
        raise UsageError(
            f"{runs[0].name}: nothing in the run yet; score something first: editgauge score … "
            f"--run RUN"
        )
    with output.warned(*opened), output.progress() as show:
        built = site.build(
            opened,
            parts,
            target,
            headed={"title": title, "author": author, "date": date},
            copy_images=copy_images,
            thumbnails=not no_thumbnails,
            workers=cores() if workers is None else workers,
            progress=show,
        )
    drawn = paper_figures(parts, target) if figures else []
    page = str(built.page)
    lines: list[str] = []
    if drawn:
        lines.append(f"figures: {len(drawn)} files in {target}/papers")
    seconds = time.perf_counter() - began
    facts = {
        "page": page,
        "samples": built.samples,
        "bytes_without_thumbnails": built.bytes,
        "thumbnails_made": built.thumbnails,
        "figures": [path.name for path in drawn],
        "seconds": round(seconds, 2),
    }
    first = (
        f"report of {output.counted(built.samples, 'sample')}: {built.bytes / 1e6:.1f} MB and "
        f"{output.counted(built.thumbnails, 'new thumbnail')}, in {seconds:.1f} s"
    )
    output.emit(facts, [first, *lines, f"open:    {page}"])


def _need_matplotlib() -> None:
    """Before a report is made, which takes a while."""
    from importlib.util import find_spec

    if find_spec("matplotlib") is None:
        raise MissingExtra("drawing figures for papers", "matplotlib", "report")


def grid(
    runs: RunsArg,
    /,
    *,
    sample: Many,
    to: Path,
    benchmark: OnlyBenchmark = "",
    editor: EditorsOpt = (),
    metric: Many = (),
    source: SourceOpt = (),
) -> None:
    """Draw a grid of instruction × editor: input, reference and every output, as in the papers'
    figures. What is missing is said in words.

    Parameters
    ----------
    sample
        A line of it, or @FILE with ids, a line each; may be repeated.
    to
        A .pdf (with a .png beside it), .png or .svg.
    metric
        Printed below each output; may be repeated.
    """
    from editgauge.reports import grids
    from editgauge.store.selection import listed
    from editgauge.tables import rows

    ids = listed(list(sample))
    opened = rows.open_runs(runs, pictures=True)
    with output.warned(*opened, only_if_refused=True):
        found = rows.frames(opened, benchmark, editors=editor, sources=source)
        mine = [frame for frame in found if any(name in frame.samples.records for name in ids)]
        if len(mine) > 1:
            names = ", ".join(frame.benchmark for frame in mine)
            raise UsageError(f"--sample: {names} have it; choose one with --benchmark")
        if not found:
            raise UsageError(f"{runs[0].name}: nothing in the run yet")
        made = grids.lines(opened, (mine or found)[0], ids, metric, editors=editor)
    files = grids.write(made, to)
    output.warn(*opened)
    written = [str(path) for path in files]
    output.emit({"files": written}, [f"written: {', '.join(written)}"])
