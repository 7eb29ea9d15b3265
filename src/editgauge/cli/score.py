"""`editgauge score`: give the outputs of editors their scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from editgauge.cli.engine_options import Placing
from editgauge.cli.groups import grouped
from editgauge.cli.option_groups import Narrowing
from editgauge.cli.options import (
    BenchmarkArg,
    DataArg,
    JsonOpt,
    MemoryOpt,
    RetryOpt,
    RunOpt,
)
from editgauge.cli.score_options import Delivered, Engines

if TYPE_CHECKING:
    from editgauge.types import Variant

_EXAMPLE = (
    "Example: editgauge score texteditbench DATA --outputs OUTPUTS --editor my-model --run "
    "runs/my-model"
)


def register(app: typer.Typer) -> None:
    app.command("score", epilog=_EXAMPLE)(score)


@grouped
def score(
    *,
    benchmark: BenchmarkArg,
    data: DataArg = None,
    run: RunOpt = Path("runs/default"),
    delivered: Delivered,
    tracks: Annotated[
        str,
        typer.Option(
            "--tracks",
            help="pixel, ocr, embedding; joined by commas. Default: the paper's own that needs no "
            "weights.",
        ),
    ] = "",
    variant: Annotated[
        str, typer.Option("--variant", help="For the table: faithful, corrected or both.")
    ] = "both",
    narrowing: Narrowing,
    placing: Placing,
    retry: RetryOpt = "",
    engines: Engines,
    devices: Annotated[
        str,
        typer.Option(
            "--devices",
            metavar="N,N…",
            help="GPUs of this machine for networks, a process for each: 0,1. Default: one.",
        ),
    ] = "",
    explain: Annotated[
        list[str] | None,
        typer.Option(
            "--explain",
            help="Only this sample, and draw how its OCR scores came about; may be repeated.",
        ),
    ] = None,
    timeout: Annotated[
        float, typer.Option("--timeout", min=0.1, help="Seconds an output may take.")
    ] = 600.0,
    memory: MemoryOpt = "1GB",
    json: JsonOpt = False,
) -> None:
    """Score outputs and print the table. Stops and continues at any point; nothing is computed
    twice.

    Exit code 0: every score is there, but for columns whose weights or library are not installed,
    which are named at the start; 1: other scores are lacking, or none could be made.
    """
    from editgauge.cli import common
    from editgauge.run.score import Request, Scoring, tracks_of
    from editgauge.store import selection
    from editgauge.store.addresses import address_of
    from editgauge.store.remote import working
    from editgauge.store.run import Run
    from editgauge.tables import rows

    common.set_memory(memory)
    retried = selection.statuses(retry)
    variants = rows.variants(variant)  # a wrong word costs no work
    request = Request(
        retry=retried,
        recorded={"variant": variant},
        tracks=tracks_of(tracks),
        outputs=delivered.outputs,
        pattern=delivered.outputs_pattern,
        map=delivered.outputs_map,
        editors=delivered.editor or (),
        explain=explain or (),
        seconds_an_output=timeout,
        options=asdict(engines),
    )
    material = narrowing.open(benchmark, data, explain or ())
    with working(run) as here, placing.open(devices) as engine:
        scoring = Scoring(material, Run.create(here), replace(request, workers=engine))
        for why, titles in scoring.empty_columns().items():
            typer.echo(f"these columns will stay empty: {', '.join(titles)}: {why}", err=True)
        with common.progress(json) as show:
            scored = scoring.run(show)
    name = material.benchmark.name
    if json:
        common.print_json(
            {"run": address_of(run) or str(run), "benchmark": name, **scored.as_dict()}
        )
    else:
        for line in scored.lines():
            print(line)
        for place in scored.drawn:
            print(f"drawn: {here / place}")
        _print_table(run, name, variants)
    if not scored.complete:
        raise typer.Exit(1)


def _print_table(run: Path, benchmark: str, variants: Sequence[Variant]) -> None:
    from editgauge.cli.drawn import print_tables
    from editgauge.errors import EditgaugeError
    from editgauge.run.tables import Choice, tables
    from editgauge.store.addresses import address_of
    from editgauge.tables import rows

    print()
    try:
        opened = rows.open_runs([run])
        made = tables(opened, Choice(benchmark=benchmark), variants)
        print_tables(made, opened, "terminal", every_note=False)
    except EditgaugeError as error:  # the scores are safe; which the table shows is a question
        print(f"no table: {error}")
    place = address_of(run) or run
    print(f"\nrows:  {place}   report: editgauge report {place}")
    print(f"next:  editgauge table {place} --benchmark {benchmark} --published --intervals")
