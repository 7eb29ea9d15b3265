"""`editgauge merge RUN… --to RUN`: the work of several machines in one run folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    pass

_EXAMPLE = "Example: editgauge merge machine-1 machine-2 --to runs/all"


def register(app: typer.Typer) -> None:
    app.command("merge", epilog=_EXAMPLE)(merge)


def merge(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN…", help="Run folders to take from.")],
    to: Annotated[
        Path, typer.Option("--to", metavar="RUN", help="The run folder to bring them into.")
    ],
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object instead of text.")
    ] = False,
) -> None:
    """Merge runs. Contradicting scores or outputs are an error, and then nothing is written."""
    from dataclasses import asdict

    from editgauge.cli.common import print_json
    from editgauge.escape import plain
    from editgauge.store.addresses import address_of
    from editgauge.store.merge import merge as merge_runs
    from editgauge.store.remote import working
    from editgauge.store.run import Run
    from editgauge.tables import rows

    with working(to) as here:
        done = merge_runs(rows.open_runs(runs, pictures=True), Run.create(here))
    place = address_of(to) or str(to)
    if as_json:
        print_json({"run": place, **asdict(done)})
        return
    typer.echo(
        f"{done.rows} rows, {done.edits} edits, {done.samples} samples, {done.replies} replies "
        f"taken"
    )
    typer.echo(f"{done.rows_known} rows already there; {done.retired} failures gave way to scores")
    for text in done.problems:
        typer.echo(f"warning: {plain(text, None)}", err=True)
    for name in done.left:
        typer.echo(f"not taken: {plain(name)} ({_why_left(name)})")
    typer.echo(f"rows:  {place}")
    typer.echo(f"next:  editgauge table {place}")


def _why_left(name: str) -> str:
    """Why something of a source, ``run/name``, is not in the merged run."""
    from editgauge.study.ratings import FOLDER

    if name.rpartition("/")[2] == FOLDER:
        return (
            "links and open tasks stay with that run; its ratings were taken as rows, those since "
            "its last `editgauge study status` were not"
        )
    return "no part of a run's data"
