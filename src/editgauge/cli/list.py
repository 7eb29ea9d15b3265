"""`editgauge list`: what there is to name in the other commands."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from editgauge.cli import output
from editgauge.cli.options import JsonOpt


def register(app: typer.Typer) -> None:
    app.command("list", epilog="Example: editgauge list editors")(list_names)


def list_names(
    kind: Annotated[
        str,
        typer.Argument(
            help="benchmarks, editors, scorers, judges or ocr_engines; all of them without."
        ),
    ] = "",
    json: JsonOpt = False,
) -> None:
    """List benchmarks, editors, scorers, judges and OCR engines, those of other packages
    included.
    """
    from editgauge.cli import common
    from editgauge.errors import UsageError
    from editgauge.run.names import KINDS, entries

    if kind and kind not in KINDS:
        raise UsageError(f"list {kind!r}: wanted one of {', '.join(KINDS)}")
    listed = {name: entries(name) for name in (KINDS if not kind else (kind,))}
    if json:
        common.print_json(listed)
    else:
        _print(listed)


def _print(listed: dict[str, list[dict[str, Any]]]) -> None:
    from rich.table import Table
    from rich.text import Text

    console = output.console()
    for kind, entries in listed.items():
        table = Table(title=kind, title_justify="left", show_header=False)
        table.add_column("name", no_wrap=True)
        table.add_column("about", overflow="fold")
        for entry in entries:
            table.add_row(Text(entry["name"]), Text(entry["about"]))
        console.print(table if entries else f"{kind}: none are registered")
