"""`editgauge plan`: what a planned evaluation would take."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from editgauge.cli.options import BenchmarkArg, DataArg, JsonOpt

_EXAMPLE = "Example: editgauge plan mini --editors 20 --sample 10"


def register(app: typer.Typer) -> None:
    app.command("plan", epilog=_EXAMPLE)(plan)


def plan(
    benchmark: BenchmarkArg,
    data: DataArg = None,
    editors: Annotated[
        int, typer.Option("--editors", min=1, help="How many editors are to be scored.")
    ] = 1,
    tracks: Annotated[
        str,
        typer.Option(
            "--tracks", help="Measure these tracks: pixel, ocr, embedding; joined by commas."
        ),
    ] = "",
    sample: Annotated[
        int | None, typer.Option("--sample", min=2, help="Only so many samples for each editor.")
    ] = None,
    run: Annotated[
        Path | None,
        typer.Option(
            "--run",
            help="A run whose recorded times and scores are taken. Without it a short run is "
            "measured here, once, and kept.",
        ),
    ] = None,
    model: Annotated[
        str, typer.Option("--model", help="Also the calls and dollars of this judge.")
    ] = "",
    processors: Annotated[
        int | None,
        typer.Option("--processors", min=1, help="For the wall time; default: the cores here."),
    ] = None,
    cluster: Annotated[
        str,
        typer.Option(
            "--cluster",
            metavar="NODESxCPUS[xGPUS]",
            help="For the wall time, in place of --processors: 4x16 is four nodes of 16 "
            "processors, 4x16x2 with two GPUs each.",
        ),
    ] = "",
    json: JsonOpt = False,
) -> None:
    """Say what scoring would take: processor-hours, GPU-hours, judge calls and dollars, storage,
    wall time, and how wide intervals would be; with --run also for samples of 10, 20, 50, ….
    Measured on this machine and extrapolated; nothing is asked of a judge.
    """
    from editgauge.cli import common
    from editgauge.errors import UsageError
    from editgauge.run import estimate as planning
    from editgauge.run.material import Material
    from editgauge.run.score import default_tracks, tracks_of
    from editgauge.tables import rows

    bench = planning.of_benchmark(benchmark)
    wanted = tracks_of(tracks)
    if run is not None and wanted:
        raise UsageError("--tracks: the tracks of a run are those it was scored on; leave it out")
    needed = data is not None or bench.name == "mini"
    material = Material.open(bench.name, data) if needed else None
    if run is None and material is None:
        raise UsageError(
            f"{bench.name}: give DATA, so that a short run can be measured, or --run RUN with "
            f"recorded times"
        )
    intent = planning.Intent(
        editors=editors,
        samples=planning.samples_of(bench, material),
        sample=sample,
        processors=processors or common.cores(),
        model=model,
    )
    if cluster:
        if processors is not None:
            raise UsageError("--cluster and --processors: one only")
        nodes = planning.Cluster.parse(cluster)
        intent = replace(
            intent,
            cluster=nodes,
            processors=nodes.nodes * nodes.processors,
            gpus=max(1, nodes.nodes * nodes.gpus),
        )
    if run is not None:
        (folder,) = rows.open_runs([run])
    else:
        assert material is not None
        folder = planning.measured_run(material, wanted or default_tracks(bench))
    with common.warned(folder):
        made = planning.plan(folder, bench.name, intent, data=data, own=run is None)
    if json:
        common.print_json({"benchmark": bench.name, **made.as_dict()})
        return
    print(f"plan for {bench.name}")
    for line in made.lines():
        print(line)
