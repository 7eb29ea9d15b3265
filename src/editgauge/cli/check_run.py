"""`editgauge check-run RUN`: what is damaged in a run folder, and what a repair would do."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from editgauge.cli.options import JsonOpt

_EXAMPLE = "Example: editgauge check-run runs/first --repair"
_SHOWN = 50


def register(app: typer.Typer) -> None:
    app.command("check-run", epilog=_EXAMPLE)(check_run)


def check_run(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run folder.")],
    repair: Annotated[
        bool,
        typer.Option("--repair", help="Take damaged records out; they are kept beside the others."),
    ] = False,
    json: JsonOpt = False,
) -> None:
    """Look at every record and output of a run; exit 0 when all is sound, 1 when something is
    damaged (also after a repair: what is gone must be made again).
    """
    from dataclasses import asdict

    from editgauge.cli import common
    from editgauge.store import check
    from editgauge.store.run import Run

    folder = Run.open(run)
    opened = list(folder.problems)
    found = check.repair(folder) if repair else check.check(folder)
    by_hand = check.check(folder) if repair else []
    if json:
        common.print_json(
            {
                "run": str(run),
                "repaired": repair,
                "damages": [asdict(item) for item in found],
                "left": [asdict(item) for item in by_hand],
                "opening": opened,
            }
        )
    else:
        for item in found[:_SHOWN]:
            print(
                f"{item.place}: {item.found}\n    {'done' if repair else 'repair'}: {item.repair}"
            )
        if len(found) > _SHOWN:
            print(f"… and {len(found) - _SHOWN} more (--json names all)")
        for item in by_hand:
            print(f"left: {item.place}: {item.found} ({item.repair})")
        if not found and not by_hand:
            print(f"{run}: sound; every record and every output stands its check")
        elif not repair:
            print(f"next:  editgauge check-run {run} --repair")
        else:
            print(f"next:  editgauge score BENCHMARK DATA --run {run}")
    if found or by_hand:
        raise typer.Exit(1)
