"""`editgauge check`: lint a data set, and a model's outputs, before spending anything."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from editgauge.cli.options import BenchmarkArg, DataArg, JsonOpt, MemoryOpt, SplitOpt

_EXAMPLE = "Example: editgauge check texteditbench DATA --outputs OUTPUTS --editor my-model"


def register(app: typer.Typer) -> None:
    app.command("check", epilog=_EXAMPLE)(check_data)


def check_data(
    benchmark: BenchmarkArg,
    data: DataArg = None,
    outputs: Annotated[
        Path | None,
        typer.Option(
            "--outputs", help="A folder of outputs in official naming, one model's or several."
        ),
    ] = None,
    editor: Annotated[
        str | None,
        typer.Option(
            "--editor", help="The model in OUTPUTS to look at. Default: all that are there."
        ),
    ] = None,
    split: SplitOpt = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option("--ignore", help="A kind of line that needs no attention; may be repeated."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, help="Threads; default: the cores.")
    ] = None,
    every: Annotated[
        bool,
        typer.Option("--all", help="Print every line, not only 20 of a kind and every repair."),
    ] = False,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Exit code 1 for the data's own faults as well."),
    ] = False,
    memory: MemoryOpt = "1GB",
    json: JsonOpt = False,
) -> None:
    """Check the data (counts, every repair, files, masks, references) and outputs, before spending
    anything.

    Exit code 0: no output needs attention (faults of the data are printed, and are the same for
    every model); 1: an output does, with --strict the data, or there is no sample; 2: no data or
    outputs folder.
    """
    from editgauge import catalog
    from editgauge.cli import common, output
    from editgauge.errors import UsageError
    from editgauge.run.check import Subject, check

    common.set_memory(memory)
    if editor is not None and outputs is None:
        raise UsageError("--editor: wanted --outputs DIR with it")
    subject = Subject(
        benchmark=catalog.find("benchmarks", benchmark),
        data=data,
        split=split,
        outputs=outputs,
        editor=editor,
    )
    with common.progress(json) as progress:
        checked = check(subject, ignore=ignore or (), workers=workers, progress=progress)
    if json:
        common.print_json(checked.as_dict())
    else:
        from editgauge.run.check.shown import show

        show(checked, output.console(), limit=None if every else 20)
    if not checked.passed(strict=strict):
        raise typer.Exit(1)
