"""Tables printed in the form that a command was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import typer

from editgauge.cli import common, output
from editgauge.errors import UsageError

if TYPE_CHECKING:
    from editgauge.store.run import Run
    from editgauge.tables.table import Table


def print_table(
    table: Table, form: Any, failures: Any = "out", width: Any = "auto", *, every_note: bool = True
) -> None:
    """Print one table: fitted to the terminal, or as the text of another form of `draw.FORMATS`.
    `width`: where LaTeX puts it.
    """
    from editgauge.tables import draw

    if form == "terminal":
        draw.show(table, output.console(), failures=failures, every_note=every_note)
    else:
        text = draw.draw(table, form, failures=failures, place=width, every_note=every_note)
        typer.echo(text, nl=False)


def print_tables(
    tables: Sequence[Table],
    runs: Sequence[Run],
    form: str,
    failures: Any = "out",
    width: Any = "auto",
    *,
    every_note: bool = True,
    paper: bool = False,
) -> None:
    """Print tables, and what is damaged in the runs. Raises `UsageError` where there is none."""
    from editgauge.tables import draw

    if not tables:
        names = ", ".join(run.path.name for run in runs)
        raise UsageError(
            f"{names}: no scores to make a table of; score something first (editgauge score … "
            f"--run RUN), or ask a judge (editgauge judge … --run RUN)"
        )
    if form == "json":
        problems = [text for run in runs for text in run.problems]
        shown = [draw.as_json(draw.with_failures(item, failures)) for item in tables]
        common.print_json({"tables": shown, "problems": problems})
        return
    if form in ("terminal", "markdown"):
        tables = draw.merged(tables)
    for number, item in enumerate(tables):
        if number:
            typer.echo("")
        if paper:
            typer.echo(draw.paper(draw.with_failures(item, failures)), nl=False)
        else:
            print_table(item, form, failures, width, every_note=every_note)
    common.warn(*runs)
