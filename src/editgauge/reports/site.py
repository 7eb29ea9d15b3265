"""The report: one folder that opens from disk in any browser, with every picture behind every
number.

::

    index.html             the page; its content-security policy forbids inline code and requests
    static/*.js *.css      the same for every report
    data/meta.js           benchmarks, tables, figures, the manifest
    data/<n>/index.js      one benchmark's samples, columnar: what is filtered and sorted by
    data/<n>/column-<k>.js one editor's scores in one metric, loaded when they are looked at
    data/<n>/study.js      what people said, where they did
    data/<n>/text.js       instructions, loaded at the first search
    data/<n>/detail-<k>.js everything about some dozens of samples, loaded when one is opened
    thumbs/<n>/…           thumbnails, made once
    figures/*.svg          the plots
    diagnosis.html         why edits failed, with diagnosis/*.webp; where a run was diagnosed

Data are scripts that hand one JSON value to one function, because a page opened from disk may load
scripts but not fetch files. Texts from data sets, judges and editors are untrusted: they are JSON
strings here and text nodes there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from editgauge import __version__
from editgauge.diagnosis import failures
from editgauge.images import write_bytes
from editgauge.reports import benchmark, diagnosis, drawing, plots, thumbs
from editgauge.reports.benchmark import Part
from editgauge.reports.folder import claim
from editgauge.reports.places import Places
from editgauge.reports.scripts import write_script
from editgauge.store.run import Run
from editgauge.tables.results import STATUSES
from editgauge.types import VARIANTS

Progress = Callable[[int, int, str], None]
STATIC = (
    "app.js", "data.js", "gallery.js", "reviewers.js", "sample.js", "scores.js",
    "select.js", "start.js", "study.js", "style.css", "tables.js", "zoom.js",
)  # fmt: skip


class Headed(NamedTuple):
    """What stands above the first page; "" for what is not said."""

    title: str = ""
    author: str = ""
    date: str = ""


UNHEADED = Headed()
NO_FIGURES = "Figures need matplotlib: pip install 'editgauge[report]', and make the report again."


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """What was built: where, of what size, and how many pictures were not there."""

    page: Path
    bytes: int
    samples: int
    thumbnails: int
    seconds: float = 0.0


def build(
    runs: Sequence[Run],
    parts: Sequence[Part],
    to: Path,
    *,
    headed: Headed = UNHEADED,
    copy_images: bool = False,
    thumbnails: bool = True,
    workers: int = 1,
    progress: Progress | None = None,
) -> Site:
    """Write the report of one or several runs to the folder `to`; what an older report left there
    is replaced.

    Pictures are linked by relative path when `to` lies inside the only run, and copied otherwise or
    with `copy_images`: a path that leads out of the run would tell a reader about this machine.
    Thumbnails that are there already are kept, others are made on `workers` threads. Raises
    `RunError` when `to` cannot be written, holds something else, or holds a link: a report is never
    written through one.
    """
    to = claim(to, runs)
    inside = len(runs) == 1 and to.is_relative_to(runs[0].path)
    places = Places(runs, to, copied=copy_images or not inside)
    shown = []
    diagnosed = []
    made = 0
    for number, part in enumerate(parts):
        folder = to / "data" / str(number)
        places.know(part.frame)
        if thumbnails:
            jobs = thumbs.wanted(part.frame, places, to / "thumbs" / str(number))
            made += thumbs.make(jobs, workers=workers, progress=progress)
        shown.append(benchmark.write(part, number, folder, places, runs))
        drawn = plots.figures(part.frame, part.metrics, part.plots, only=_headline(shown[-1]))
        shown[-1]["figures"] = drawing.beside_page(drawn, to / "figures", str(number))
        if drawn and not shown[-1]["figures"]:
            shown[-1]["no_figures"] = NO_FIGURES
        cutoffs = failures.recorded(runs, part.frame.benchmark)
        outputs = diagnosis.every(runs, part.frame, cutoffs)
        diagnosed.append((part.title or part.frame.benchmark, number, outputs, cutoffs))
    places.close()
    meta = {
        "version": __version__,
        "runs": [run.path.name for run in runs],
        "headed": headed._asdict(),
        "benchmarks": shown,
        "statuses": [status.value for status in STATUSES],
        "manifest": [entry for run in runs for entry in run.manifest().get("entries", [])],
        "problems": [text for run in runs for text in run.problems],
        "thumbnails": thumbnails,
        "variants": [
            name
            for name in VARIANTS
            if any(column["variant"] == name for part in shown for column in part["columns"])
        ],
        "copied": places.copied,
        "diagnosis": diagnosis.PAGE if diagnosis.write_page(diagnosed, runs, to) else None,
    }
    write_script(to / "data" / "meta.js", "meta", meta)
    for name in STATIC:
        write_bytes(
            to / "static" / name, files("editgauge.reports").joinpath("static", name).read_bytes()
        )
    write_bytes(
        to / "index.html",
        files("editgauge.reports").joinpath("templates", "index.html").read_bytes(),
    )
    size = sum(p.stat().st_size for p in to.rglob("*") if p.is_file() and "thumbs" not in p.parts)
    return Site(
        page=to / "index.html",
        bytes=size,
        samples=sum(len(part.frame.samples) for part in parts),
        thumbnails=made,
    )


def _headline(about: Mapping[str, Any]) -> set[str]:
    """The metrics behind the columns that the first page leads with: their figures are in the
    page. All others are drawn on request, for papers.
    """
    leads = about["overview"]["leads"].values()
    first = [about["overview"]["by"]["metric"]] if about["overview"]["by"] else []
    return {lead["link"]["metric"] for lead in leads} or set(first)
