"""`editgauge judge compare`: how far the judges of a run agree."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from editgauge.cli.options import FormatOpt


def register(group: typer.Typer) -> None:
    group.command("compare", epilog="Example: editgauge judge compare runs/my-model")(compare)


def compare(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN…", help="Run folders.")],
    benchmark: Annotated[str, typer.Option("--benchmark", help="Only this benchmark.")] = "",
    form: FormatOpt = "terminal",
    variant: Annotated[str, typer.Option("--variant", help="faithful or corrected.")] = "corrected",
) -> None:
    """How far the judges of a run agree: each two of them, on the edits that both judged."""
    from editgauge.cli.common import warn
    from editgauge.cli.drawn import print_table
    from editgauge.errors import UsageError
    from editgauge.judging import compared
    from editgauge.store.selection import one_of
    from editgauge.tables import draw, reading, rows
    from editgauge.types import VARIANTS

    one_of("--format", form, draw.FORMATS)
    one_of("--variant", variant, VARIANTS)
    opened = rows.open_runs(runs)
    frames = [reading.of_runs(opened, name) for name in rows.benchmarks(opened, benchmark)]
    made = [compared.table(frame, variant) for frame in frames]  # type: ignore[arg-type]
    tables = [table for table in made if table is not None]
    if not tables:
        raise UsageError(
            "judge compare: no edit was judged by two judges, or with two prompt sets; judge again "
            "with another --model or --prompts"
        )
    for table in tables:
        print_table(table, form)
    warn(*opened)
