"""`editgauge report`: the folder in which every number opens its picture."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from editgauge.reports.site import Part
    from editgauge.store.run_folder import RunFolder
    from editgauge.tables.frame import Frame
    from editgauge.tables.spec import Field, Layout
    from editgauge.tables.table import Table
    from editgauge.types import Variant


def register(app: typer.Typer) -> None:
    app.command("report", epilog="Example: editgauge report runs/first --published")(report)


def report(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN…", help="Run folders; several are read as one.")
    ],
    to: Annotated[
        Path | None, typer.Option("--to", help="Where to write it; default: RUN/report.")
    ] = None,
    benchmark: Annotated[str, typer.Option("--benchmark", help="Only this benchmark.")] = "",
    published: Annotated[
        bool, typer.Option("--published", help="Add the papers' lines to the tables.")
    ] = False,
    copy_images: Annotated[
        bool,
        typer.Option(
            "--copy-images", help="Copy the pictures into the report, so that it can be sent alone."
        ),
    ] = False,
    thumbnails: Annotated[bool, typer.Option(help="Make thumbnails for the lists (once).")] = True,
    intervals: Annotated[bool, typer.Option(help="95 % bootstrap intervals in the tables.")] = True,
    figures: Annotated[
        bool,
        typer.Option(
            "--figures", help="Also draw the figures as SVG, PNG and PDF files for papers."
        ),
    ] = False,
    workers: Annotated[
        int | None, typer.Option("--workers", min=0, help="Processes for thumbnails.")
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object instead of text.")
    ] = False,
) -> None:
    """Write a report that opens from disk in any browser: tables, figures, and every picture behind
    every number.
    """
    from editgauge.cli import common
    from editgauge.errors import UsageError
    from editgauge.reports import figures as drawing
    from editgauge.reports import site
    from editgauge.tables import rows

    began = time.perf_counter()
    opened = rows.open_runs(runs)
    if to is None and len(opened) > 1:
        raise UsageError("several runs: name a folder for their report with --to")
    target = to or opened[0].path / "report"
    parts = [
        _part(opened, name, published, intervals) for name in rows.benchmarks(opened, benchmark)
    ]
    if not parts:
        raise UsageError(
            f"{runs[0].name}: nothing in the run yet; score something first: editgauge score … "
            f"--run RUN"
        )
    with common.warned(*opened), common.progress(json) as show:
        built = site.build(
            opened,
            parts,
            target,
            copy_images=copy_images,
            thumbnails=thumbnails,
            workers=common.cores() if workers is None else workers,
            progress=show,
        )
    drawn = []
    if figures:
        for part in parts:
            found = drawing.figures(part.frame, part.metrics, part.plots)
            drawn += drawing.papers(found, target / "papers" / part.frame.benchmark)
    seconds = time.perf_counter() - began
    facts = {
        "page": str(built.page),
        "samples": built.samples,
        "bytes_without_thumbnails": built.bytes,
        "thumbnails_made": built.thumbnails,
        "figures": [path.name for path in drawn],
        "seconds": round(seconds, 2),
    }
    if json:
        common.print_json(facts)
        return
    print(
        f"report of {built.samples} samples: {built.bytes / 1e6:.1f} MB and {built.thumbnails} new "
        f"thumbnails, "
        f"in {seconds:.1f} s"
    )
    if drawn:
        print(f"figures: {len(drawn)} files in {target}/papers")
    print(f"open:    {built.page}")


def _part(runs: list[RunFolder], name: str, published: bool, intervals: bool) -> Part:
    from editgauge.reports.site import Part
    from editgauge.study.reporting import study_facts, study_tables
    from editgauge.tables.frame import Frame
    from editgauge.tables.layouts import benchmark_of, metrics_of

    frame = Frame.of_runs(runs, name)
    benchmark = benchmark_of(name)
    tables: list[Table] = []
    for narrowed, source in _by_source(frame.without_people()):
        for variant in ("faithful", "corrected"):
            for table in _tables(narrowed, variant, published, intervals):
                tables.append(replace(table, source=source, meta={**table.meta, "made_by": source}))
    return Part(
        frame,
        [*_unlike(tables), *study_tables(frame)],
        metrics_of(frame),
        title=name if benchmark is None else benchmark.title,
        plots=() if benchmark is None else benchmark.figures,
        study=study_facts(frame),
    )


def _by_source(frame: Frame) -> list[tuple[Frame, str]]:
    """The frame once for each judge or engine that made rows of a metric which another one made,
    too.
    """
    import numpy as np

    makers = frame.makers()
    if not makers:
        return [(frame, "")]
    found = []
    for source in sorted({name for names in makers.values() for name in names}):
        keep = np.ones(len(frame), dtype=np.bool_)
        for metric, names in makers.items():
            mine = frame.columns.metric == frame.metrics.index(metric)
            wanted = source if source in names else names[0]
            keep &= ~mine | (frame.columns.source == frame.sources.index(wanted))
        found.append((frame.only(keep), source))
    return found


def _tables(frame: Frame, variant: Variant, published: bool, intervals: bool) -> list[Table]:
    """The benchmark's tables, each with where its numbers come from: column -> metric, variant,
    labels of samples.
    """
    from editgauge.tables.layouts import every_layout, tables

    links: dict[str, dict[str, object]] = {}
    for layout in every_layout(frame, variant):
        for field in layout.fields:
            links.setdefault(layout.name, {})[field.column.name] = _link(frame, layout, field)
    return [
        replace(table, meta={**table.meta, "links": links.get(table.name, {})})
        for table in tables(frame, variant, published=published, intervals=intervals)
    ]


def _link(frame: Frame, layout: Layout, field: Field) -> dict[str, object]:
    """What a cell of a column opens: the samples behind it, by the value that the column shows.

    A run that has no rows of a combined metric yet shows the first of its parts.
    """
    leaf = layout.leaves[field.leaves[0]]
    shown = field.metric if frame.has(field.metric.name, leaf.variant) else leaf.metric
    return {"metric": shown.name, "variant": leaf.variant, "where": dict(field.where)}


def _unlike(tables: list[Table]) -> list[Table]:
    """Without tables that say the same twice (a track that has one variant only)."""
    kept: list[Table] = []
    for table in tables:
        same = (other for other in kept if (other.name, other.source) == (table.name, table.source))
        if not any(other.rows == table.rows for other in same):
            kept.append(table)
    return kept
