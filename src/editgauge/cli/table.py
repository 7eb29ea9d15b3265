"""`editgauge table RUN…`: the papers' tables from the rows of one run or of several."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from editgauge.cli import common
from editgauge.cli.drawn import print_tables
from editgauge.cli.groups import grouped
from editgauge.cli.option_groups import Correcting
from editgauge.cli.options import FormatOpt, WhereOpt
from editgauge.cli.panels import ROWS, SHOWN
from editgauge.errors import UsageError

_HELP = """Print the papers' tables from a run's rows; several runs are read as one.

Every mean has its count: n scored / n in the benchmark.
"""
_EXAMPLE = "Example: editgauge table runs/first --published --intervals --format markdown"


def register(app: typer.Typer) -> None:
    app.command("table", help=_HELP, epilog=_EXAMPLE)(table)


@grouped
def table(
    *,
    runs: Annotated[list[Path], typer.Argument(metavar="RUN…", help="Run folders.")],
    benchmark: Annotated[str, typer.Option(rich_help_panel=ROWS, help="Only this benchmark.")] = "",
    form: FormatOpt = "terminal",
    variant: Annotated[
        str, typer.Option(rich_help_panel=ROWS, help="faithful, corrected or both.")
    ] = "both",
    published: Annotated[
        bool, typer.Option("--published", rich_help_panel=SHOWN, help="Add the papers' lines.")
    ] = False,
    intervals: Annotated[
        bool,
        typer.Option("--intervals", rich_help_panel=SHOWN, help="Add 95 % bootstrap intervals."),
    ] = False,
    mean: Annotated[
        bool,
        typer.Option(
            "--mean",
            rich_help_panel=SHOWN,
            help="Add the mean over the models, where all were scored on the same samples.",
        ),
    ] = False,
    failures: Annotated[
        str,
        typer.Option(
            rich_help_panel=SHOWN,
            help="out: left out; floor: at the scale's minimum; both: that in brackets.",
        ),
    ] = "out",
    by: Annotated[
        str,
        typer.Option(
            rich_help_panel=ROWS,
            metavar="ATTR",
            help="A group of lines for each value of an attribute.",
        ),
    ] = "",
    where: WhereOpt = None,
    editor: Annotated[
        list[str] | None,
        typer.Option(rich_help_panel=ROWS, help="Only this editor (may be repeated)."),
    ] = None,
    source: Annotated[
        list[str] | None,
        typer.Option(
            rich_help_panel=ROWS,
            help="Whose rows, where several judges or OCR engines made some; human: people.",
        ),
    ] = None,
    sweep: Annotated[
        bool,
        typer.Option(
            "--sweep",
            rich_help_panel=SHOWN,
            help="The variants of edit --sweep as one model: mean, best of N, spread.",
        ),
    ] = False,
    best_by: Annotated[
        str,
        typer.Option(
            "--best-by",
            rich_help_panel=SHOWN,
            metavar="METRIC",
            help="With --sweep: also choose the best of N by this.",
        ),
    ] = "",
    only: Annotated[
        str,
        typer.Option(
            rich_help_panel=ROWS, metavar="NAME", help="Only this table, such as textedit.judge."
        ),
    ] = "",
    columns: Annotated[
        str,
        typer.Option(
            rich_help_panel=SHOWN,
            metavar="NAME,…",
            help="Only these columns, by name or heading: Real,Overall.",
        ),
    ] = "",
    width: Annotated[
        str,
        typer.Option(
            rich_help_panel=SHOWN,
            help="LaTeX: column, text (table*), or auto: the narrower one that fits.",
        ),
    ] = "auto",
    weights: Annotated[
        str, typer.Option(metavar="W,W…", help="TextEdit: of TA, TP, SI, LR, VC; sum 1.")
    ] = "",
    cutoff: Annotated[
        float | None, typer.Option(help="TextEdit: a TA below this sets the others to 0.")
    ] = None,
    notes: Annotated[
        bool, typer.Option("--notes", rich_help_panel=SHOWN, help="All notes below a table.")
    ] = False,
    paper: Annotated[
        bool,
        typer.Option(
            "--paper",
            rich_help_panel=SHOWN,
            help="LaTeX for a paper: faithful, with the published lines and one note.",
        ),
    ] = False,
    seed: Annotated[int, typer.Option(help="Of the bootstrap.")] = 0,
    correcting: Correcting,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
) -> None:
    from editgauge.run import tables as evaluation
    from editgauge.store.selection import one_of
    from editgauge.study.calibrated_sheets import mean_tables
    from editgauge.tables import draw, latex, rows

    one_of("--format", form, draw.FORMATS)
    one_of("--failures", failures, ("out", "floor", "both"))
    one_of("--width", width, latex.PLACES)
    form = "latex" if paper else "json" if as_json else form
    opened = rows.open_runs(runs)
    if correcting.calibrate:
        asked = correcting.of(benchmark, where, source, seed)
        print_tables(mean_tables(runs, asked, editor or ()), opened, form, every_note=notes)
        return
    choice = evaluation.Choice(
        benchmark=benchmark,
        where=where or (),
        editors=editor or (),
        sources=source or (),
        only=only,
        columns=_words(columns),
        by=by,
        published=published or paper,
        intervals=intervals,
        mean=mean,
        weights=_weights(weights),
        cutoff=cutoff,
        seed=seed,
        sweep=sweep,
        best_by=best_by,
    )
    with common.warned_if_refused(*opened):
        found = evaluation.tables(opened, choice, rows.variants("faithful" if paper else variant))
        print_tables(found, opened, form, failures, width, every_note=notes, paper=paper)


def _words(text: str) -> list[str]:
    return [word for part in text.split(",") if (word := part.strip())]


def _weights(text: str) -> list[float] | None:
    try:
        return [float(part) for part in text.split(",")] if text else None
    except ValueError:
        raise UsageError(f"--weights {text}: wanted numbers with commas between") from None
