"""The report: one folder that opens from disk in any browser, with every picture behind every
number.

``data/meta.js`` has benchmarks, tables and the manifest; ``data/<n>/`` a benchmark's samples
(``index.js``), scores by editor and metric (``column-<k>.js``) and everything about some dozens of
samples (``detail-<k>.js``), loaded when looked at. Data are scripts that hand one JSON value to one
function, because a page opened from disk may load scripts but not fetch files. Texts from data
sets, judges and editors are untrusted: they are JSON strings here and text nodes there.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType

from editgauge import __version__, temporary
from editgauge.errors import MissingExtra, RunError
from editgauge.images import write_bytes
from editgauge.reports import diagnosis, drawing, figures
from editgauge.reports.part import Part, write
from editgauge.reports.pictures import Pictures, Progress, make_thumbnails
from editgauge.reports.scripts import write_script
from editgauge.store import lease, paths
from editgauge.store.run import Run
from editgauge.tables.results import STATUSES
from editgauge.types import VARIANTS, JsonObject

MARKER = ".editgauge-report"
"""A file that says: this folder is a report of ours. Written first."""
NO_FIGURES = "Figures need matplotlib: pip install 'editgauge[report]', and make the report again."


def build(
    runs: Sequence[Run],
    parts: Sequence[Part],
    to: Path,
    *,
    headed: Mapping[str, str] = MappingProxyType({}),
    copy_images: bool = False,
    progress: Progress | None = None,
) -> Path:
    """Write the report of one or several runs to the folder `to`; what an older report left there
    is replaced; returns its first page. `headed`: title, author and date above the first page.

    Pictures are linked by relative path when `to` lies inside the only run, and copied otherwise or
    with `copy_images`: a path that leads out of the run would tell a reader about this machine.
    Raises `RunError` when `to` cannot be written, holds something else, or holds a link.
    """
    to = _claimed(to, runs)
    inside = len(runs) == 1 and to.is_relative_to(runs[0].path)
    pictures = Pictures(runs, to, copied=copy_images or not inside)
    shown = []
    for number, part in enumerate(parts):
        pictures.know(part.frame)
        make_thumbnails(part.frame, pictures, to / "thumbs" / str(number), progress)
        shown.append(_benchmark(part, number, to, pictures, runs))
    pictures.close()
    diagnosed = [(part.title, part.frame) for part in parts]
    page = diagnosis.PAGE if diagnosis.write_page(diagnosed, runs, to) else None
    facts = {"headed": {**headed}, "copied": pictures.copied, "diagnosis": page}
    write_script(to / "data" / "meta.js", "meta", _meta(runs, shown) | facts)
    ours = files("editgauge.reports")
    for file in ours.joinpath("static").iterdir():
        write_bytes(to / "static" / file.name, file.read_bytes())
    write_bytes(to / "index.html", ours.joinpath("templates", "index.html").read_bytes())
    return to / "index.html"


def _meta(runs: Sequence[Run], benchmarks: Sequence[JsonObject]) -> JsonObject:
    """What the runs say, and the page's first file says of them."""
    columns = [column["variant"] for about in benchmarks for column in about["columns"]]
    return {
        "version": __version__,
        "runs": [run.path.name for run in runs],
        "benchmarks": benchmarks,
        "statuses": [status.value for status in STATUSES],
        "manifest": [entry for run in runs for entry in run.manifest().get("entries", [])],
        "problems": [text for run in runs for text in run.problems],
        "variants": [name for name in VARIANTS if name in columns],
    }


def _benchmark(
    part: Part, number: int, to: Path, pictures: Pictures, runs: Sequence[Run]
) -> JsonObject:
    """Write a benchmark's data files and figures; what the page's first file says of it."""
    about = write(part, number, to / "data" / str(number), pictures, runs)
    seen = about["overview"]  # the first page's metrics are in the page, all for papers
    leading = {lead["link"]["metric"] for lead in seen["leads"].values()}
    leading = leading or {(seen["by"] or {}).get("metric")}
    drawn = figures.figures(
        part.frame, part.metrics, part.plots, only=leading, published=part.published
    )
    try:
        drawing.write(drawn, to / "figures", ("svg",), f"{number}-")
    except MissingExtra:
        return {**about, "figures": [], "no_figures": NO_FIGURES if drawn else ""}
    told = [{"file": f"{number}-{one.name}.svg", "title": one.title} for one in drawn]
    return {**about, "figures": told}


def _claimed(to: Path, runs: Sequence[Run]) -> Path:
    """Make the folder ours, and clear what an older report left, but for pictures; its own path."""
    named = to.absolute()
    for run in runs:
        if named.is_relative_to(run.path):
            below = named.relative_to(run.path)
            paths.no_links(run.path, [p.as_posix() for p in (below, *below.parents) if p.parts])
    to = to.resolve()
    try:
        temporary.sweep(to)  # a report that was killed at its first file left only that
        if to.exists() and any(to.iterdir()) and not os.path.lexists(to / MARKER):
            raise RunError(f"{to}: not empty, and not a report; name another folder")
        lease.sweep(to)  # a report that was killed left thumbnails half made
        paths.only_files(to, "")
        to.mkdir(parents=True, exist_ok=True)
        write_bytes(to / MARKER, f"editgauge {__version__}\n".encode())
        for name in ("data", "figures", "static", diagnosis.FOLDER):
            shutil.rmtree(to / name, ignore_errors=True)
        (to / diagnosis.PAGE).unlink(missing_ok=True)
        (to / "static").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunError(
            f"{to}: the report cannot be written ({error.strerror}); name another folder"
        ) from error
    return to
