"""`editgauge agree RUN`: how far people agree with each other, and metrics and judges with them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from editgauge.cli.options import JsonOpt

_EXAMPLE = "Example: editgauge agree RUN --benchmark medebench --format markdown"


def register(app: typer.Typer) -> None:
    app.command("agree", epilog=_EXAMPLE)(agree)


def agree(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN…", help="Run folders.")],
    benchmark: Annotated[str, typer.Option(help="Only this benchmark.")] = "",
    form: Annotated[
        str, typer.Option("--format", help="terminal, markdown, csv, latex or json.")
    ] = "terminal",
    resamples: Annotated[int, typer.Option(min=100, help="Of the bootstrap.")] = 2000,
    seed: Annotated[int, typer.Option(help="Of the bootstrap.")] = 0,
    everything: Annotated[
        bool, typer.Option("--all", help="Every statistic, not one of each kind.")
    ] = False,
    as_json: JsonOpt = False,
) -> None:
    """Agreement of annotators with each other and with themselves, and of every metric with them.

    Begins with one sentence; one statistic of each kind follows. Ratings come from `study import`
    or `study serve`. Every number has a bootstrap interval over samples, with the number of
    annotators and samples beside it.
    """
    from rich.console import Console

    from editgauge.cli.common import print_json, warned
    from editgauge.errors import UsageError
    from editgauge.store.addresses import address_of
    from editgauge.store.selection import one_of
    from editgauge.study import agreement, sheets
    from editgauge.study.people import directions_of
    from editgauge.study.studies import collect
    from editgauge.tables import draw, rows

    one_of("--format", form, ("terminal", "markdown", "csv", "latex", "json"))
    opened = rows.open_runs(runs)
    with warned(*opened):
        for opened_run in opened:
            collect(opened_run)
        frames = [f for f in rows.read(opened, benchmark) if len(f.only_people())]
        if not frames:
            first = address_of(runs[0]) or runs[0].name
            raise UsageError(
                f"{first}: nobody has rated anything; import ratings first: editgauge study import "
                f"{first} ratings.csv"
            )
        found = [
            agreement.agreement(frame, directions_of(frame), resamples=resamples, seed=seed)
            for frame in frames
        ]
    if as_json or form == "json":
        print_json({"agreements": [sheets.as_dict(item) for item in found]})
        return
    console = Console(highlight=False)
    if form in ("terminal", "markdown"):
        for item in found:
            typer.echo(f"{item.benchmark}: {sheets.sentence(item)}\n")
    shown = sheets.tables if everything else sheets.brief
    for number, table in enumerate(table for item in found for table in shown(item)):
        if number:
            typer.echo("")
        if form == "terminal":
            draw.show(table, console)
        else:
            typer.echo(draw.draw(table, form), nl=False)  # type: ignore[arg-type]
