"""`editgauge log RUN --to TRACKER`: tables and worst samples in an experiment tracker."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import Annotated

import typer

from editgauge.cli.options import JsonOpt

_EXAMPLE = "Example: editgauge log runs/first --to mlflow --project editing --worst 8"


def register(app: typer.Typer) -> None:
    app.command("log", epilog=_EXAMPLE)(log)


def log(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN…", help="Run folders; several are read as one.")
    ],
    to: Annotated[str, typer.Option("--to", help="wandb, mlflow or trackio.")] = "",
    project: Annotated[
        str, typer.Option("--project", help="The project, or MLflow's experiment.")
    ] = "editgauge",
    name: Annotated[
        str,
        typer.Option("--name", help="What the run is called there; default: the folder's name."),
    ] = "",
    benchmark: Annotated[str, typer.Option("--benchmark", help="Only this benchmark.")] = "",
    worst: Annotated[
        int,
        typer.Option(
            "--worst", min=0, max=100, help="Worst outputs as pictures, for each benchmark."
        ),
    ] = 4,
    json: JsonOpt = False,
) -> None:
    """Log a run to Weights & Biases, MLflow or Trackio: every mean, the tables with their counts,
    and the worst outputs beside input and reference.

    Servers, keys and offline modes are set as the package says: WANDB_MODE=offline,
    MLFLOW_TRACKING_URI, TRACKIO_DIR. Logging again makes another run there.
    """
    from editgauge.cli import common
    from editgauge.errors import UsageError
    from editgauge.reports import trackers, tracking
    from editgauge.run.report import parts_of
    from editgauge.store.selection import one_of
    from editgauge.tables import rows

    one_of("--to", to, tuple(trackers.TRACKERS))
    opened = rows.open_runs(runs, pictures=True)
    parts = parts_of(opened, benchmark, intervals=False)
    if not parts:
        raise UsageError(f"{runs[0].name}: nothing in the run yet; score something first")
    with common.warned(*opened):
        account = tracking.account(opened, parts, worst=worst)
        called = name or opened[0].path.name
        with contextlib.redirect_stdout(sys.stderr):  # the packages print what they do
            pictures = trackers.log(account, to, project=project, name=called)
    facts = {
        "tracker": to,
        "project": project,
        "name": called,
        "means": len(account.means),
        "tables": len(account.sheets),
        "pictures": pictures,
    }
    if json:
        common.print_json(facts)
        return
    print(
        f"{to}: {len(account.means)} means, {len(account.sheets)} tables and {pictures} pictures "
        f"in the run {called!r} of {project!r}"
    )
