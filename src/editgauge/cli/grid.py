"""`editgauge grid RUN`: inputs, references and outputs of a few samples beside each other."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from editgauge.cli.options import JsonOpt

_EXAMPLE = "Example: editgauge grid runs/first --sample 17 --metric EA --metric VQ --to grid.pdf"


def register(app: typer.Typer) -> None:
    app.command("grid", epilog=_EXAMPLE)(grid)


def grid(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN…", help="Run folders.")],
    sample: Annotated[
        list[str],
        typer.Option(
            "--sample",
            metavar="ID",
            help="A line of it, or @FILE with ids, a line each; may be repeated.",
        ),
    ],
    to: Annotated[Path, typer.Option("--to", help="A .pdf (with a .png beside it), .png or .svg.")],
    benchmark: Annotated[str, typer.Option("--benchmark", help="Only this benchmark.")] = "",
    editor: Annotated[
        list[str] | None, typer.Option("--editor", help="Only this editor (may be repeated).")
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option("--metric", help="Printed below each output (may be repeated)."),
    ] = None,
    source: Annotated[
        list[str] | None, typer.Option("--source", help="Whose rows, where several made some.")
    ] = None,
    across: Annotated[
        str,
        typer.Option(
            "--across", metavar="NAME", help="A grid of one sample over a swept setting: columns."
        ),
    ] = "",
    down: Annotated[
        str, typer.Option("--down", metavar="NAME", help="Another swept setting: the grid's lines.")
    ] = "",
    at: Annotated[
        list[str] | None,
        typer.Option("--at", metavar="NAME=VALUE", help="With --across: of a further setting."),
    ] = None,
    json: JsonOpt = False,
) -> None:
    """Draw a grid of instruction × editor: input, reference and every output, as in the papers'
    figures. What is missing is said in words.
    """
    from editgauge.cli import common
    from editgauge.errors import UsageError
    from editgauge.reports import grids
    from editgauge.store.selection import listed
    from editgauge.tables import rows

    sample = listed(sample)
    opened = rows.open_runs(runs, pictures=True)
    if (down or at) and not across:
        raise UsageError("--down, --at: go with --across")
    if across and (len(sample) > 1 or len(editor or ()) > 1):
        raise UsageError("--across: wanted one --sample and at most one --editor")
    with common.warned_if_refused(*opened):
        found = rows.frames(opened, benchmark, editors=None if across else editor, sources=source)
        mine = [frame for frame in found if any(name in frame.samples.records for name in sample)]
        if len(mine) > 1:
            names = ", ".join(frame.benchmark for frame in mine)
            raise UsageError(f"--sample: {names} have it; choose one with --benchmark")
        if not found:
            raise UsageError(f"{runs[0].name}: nothing in the run yet")
        frame = (mine or found)[0]
        if across:
            from editgauge.reports import sweep_grids

            model = next(iter(editor or ()), "")
            made = sweep_grids.lines(
                opened,
                frame,
                sample[0],
                metric or (),
                across=across,
                down=down,
                model=model,
                at=at or (),
            )
        else:
            made = grids.lines(opened, frame, sample, metric or (), editors=editor)
    files = grids.write(made, to)
    common.warn(*opened)
    if json:
        common.print_json({"files": [str(path) for path in files]})
        return
    print(f"written: {', '.join(str(path) for path in files)}")
