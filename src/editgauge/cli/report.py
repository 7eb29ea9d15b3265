"""`editgauge report`: the folder in which every number opens its picture."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from editgauge.cli.options import MemoryOpt


def register(app: typer.Typer) -> None:
    app.command("report", epilog="Example: editgauge report runs/first --published")(report)


def report(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN…", help="Run folders; several are read as one.")
    ],
    to: Annotated[
        Path | None,
        typer.Option(
            "--to", help="Where to write it, a folder or an address; default: RUN/report."
        ),
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
    memory: MemoryOpt = "1GB",
    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object instead of text.")
    ] = False,
) -> None:
    """Write a report that opens from disk in any browser: tables, figures, and every picture behind
    every number.
    """
    from editgauge.cli import common
    from editgauge.errors import UsageError
    from editgauge.reports import site
    from editgauge.run.report import paper_figures, parts_of, thumbnails_on
    from editgauge.store.addresses import address_of
    from editgauge.store.published import copy_of, publish
    from editgauge.tables import rows

    began = time.perf_counter()
    common.set_memory(memory)
    opened = rows.open_runs(runs, pictures=True)
    if to is None and len(opened) > 1:
        raise UsageError("several runs: name a folder for their report with --to")
    address = address_of(to) if to is not None else None
    if to is None and (named := address_of(runs[0])) is not None:
        address = f"{named}/report"
    target = to or opened[0].path / "report"
    if to is not None and address is not None:
        target = copy_of(address)
    parts = parts_of(opened, benchmark, published=published, intervals=intervals)
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
            copy_images=copy_images or (to is not None and address is not None),
            thumbnails=thumbnails,
            spread=thumbnails_on(common.cores() if workers is None else workers),
            progress=show,
        )
    drawn = paper_figures(parts, target) if figures else []
    page = str(built.page)
    if address is not None:
        sent = publish(target, address)
        page = f"{address}/index.html"
    seconds = time.perf_counter() - began
    facts = {
        "page": page,
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
    if address is not None:
        print(f"on the store: {sent.sent} files sent, {sent.kept} kept, {sent.removed} removed")
    print(f"open:    {page}")
