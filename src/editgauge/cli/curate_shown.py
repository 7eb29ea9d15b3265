"""`editgauge curate log`: how a data set came about."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer

from editgauge.cli.curate_options import DirArg
from editgauge.cli.options import JsonOpt


def register(group: typer.Typer) -> None:
    group.command("log", epilog="Example: editgauge curate log wards --sample s-1")(log)


def log(
    folder: DirArg,
    sample: Annotated[str, typer.Option("--sample", help="Only of this one.")] = "",
    json: JsonOpt = False,
) -> None:
    """Print every change ever made, oldest first; what is damaged is named."""
    from editgauge.cli.common import print_json
    from editgauge.curation.dataset import DataSet

    data = DataSet(folder)
    events = [e for e in data.events() if not sample or e.item == sample]
    if json:
        print_json([event._asdict() for event in events])
        return
    for event in events:
        names = ", ".join(sorted(event.after))[:120]
        note = f" ({event.note})" if event.note else ""
        at = datetime.fromtimestamp(event.at, UTC).isoformat(" ", "seconds")
        print(f"{at}  {event.who}  {event.what}  {event.item}  {names}{note}")
    for problem in data.log.problems:
        typer.echo(f"damaged: {problem}", err=True)
    print(f"{len(events)} events")
