"""`editgauge table RUN…`: the papers' tables from the rows of one run or of several."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from editgauge.cli import options as opt
from editgauge.cli import output
from editgauge.errors import UsageError

if TYPE_CHECKING:
    from editgauge.store.run import Run
    from editgauge.tables.table import Table


_VARIANTS = "\nfaithful: as the released code computes it; corrected: without its known defects"


@opt.options("What is shown")
class Shown:
    editor: opt.EditorsOpt = ()
    variant: opt.Variants = "both"
    """faithful: as the benchmark's released code gives it; corrected: without its defects, which
    the notes name."""
    only: str = ""
    "Only this table, such as textedit.judge."
    columns: str = ""
    "Only these columns, by name or heading: Real,Overall."
    published: bool = False
    "Add the papers' lines."
    intervals: bool = False
    "Add 95 % intervals."
    mean: bool = False
    "Add the mean over the run's models, where all were scored on the same samples."
    failures: Literal["out", "floor"] = "out"
    "out: left out; floor: at the scale's minimum."
    notes: bool = False
    "All notes below a table."
    paper: bool = False
    "LaTeX for a paper: faithful, with the published lines and one note."
    calibrate: str = ""
    "human, or JUDGE@N: correct a judge's scores by ratings, or by a stronger judge on N samples."
    form: opt.Format = "terminal"
    set: opt.SetOpt = ()
    """NAME=VALUE, may be repeated: proxy (with --calibrate: QUESTION=METRIC), strata (what rated
    samples were drawn by)."""


def table(runs: opt.RunsArg, /, *, rows: opt.Rows = opt.Rows(), shown: Shown = Shown()) -> None:
    """Print the papers' tables from a run's rows; several runs are read as one.

    Every mean has its count: n scored / n in the benchmark.
    """
    from editgauge.run import tables as step
    from editgauge.tables import rows as stored
    from editgauge.tables.build import Shown as Beside

    settings = opt.given(shown.set, opt.CALIBRATION)
    form: str = "latex" if shown.paper else shown.form
    opened = stored.open_runs(runs)
    if shown.calibrate:
        from editgauge.study.calibration import mean_tables

        asked = rows.calibrated(shown.calibrate, settings)
        tables = mean_tables(runs, asked, shown.editor)
        print_tables(tables, opened, form, every_note=shown.notes)
        return
    choice = step.Choice(
        benchmark=rows.benchmark,
        where=rows.where,
        editors=shown.editor,
        sources=rows.source,
        columns=opt.words(shown.columns),
        shown=Beside(
            by=rows.by,
            published=shown.published or shown.paper,
            intervals=shown.intervals,
            mean=shown.mean,
            only=shown.only,
        ),
    )
    variants = stored.variants("faithful" if shown.paper else shown.variant)
    with output.warned(*opened, only_if_refused=True):
        tables = step.tables(opened, choice, variants)
        how: dict[str, Any] = {"every_note": shown.notes, "paper": shown.paper}
        print_tables(tables, opened, form, shown.failures, **how)


def print_table(table: Table, form: Any, failures: Any = "out", *, every_note: bool = True) -> None:
    """Print one table: fitted to the terminal, or as the text of another form of `draw.FORMATS`."""
    from rich.console import Console

    from editgauge.tables import draw

    if form == "terminal":
        screen = Console(file=output.raw(sys.stdout), highlight=False)
        draw.show(table, screen, failures=failures, every_note=every_note)
    elif form == "json":
        output.print_json(draw.as_json(draw.with_failures(table, failures)))
    else:
        text = draw.draw(table, form, failures=failures, every_note=every_note)
        print(text, end="")


def print_tables(
    tables: Sequence[Table],
    runs: Sequence[Run],
    form: str,
    failures: Any = "out",
    *,
    every_note: bool = True,
    paper: bool = False,
) -> None:
    """Print tables, and what is damaged in the runs. Raises `UsageError` where there is none."""
    from editgauge.tables import draw, latex

    if not tables:
        names = ", ".join(run.path.name for run in runs)
        raise UsageError(
            f"{names}: no scores to make a table of; score something first (editgauge score … "
            f"--run RUN), or ask a judge (editgauge judge … --run RUN)"
        )
    if form == "json":
        problems = [text for run in runs for text in run.problems]
        shown = [draw.as_json(draw.with_failures(item, failures)) for item in tables]
        output.print_json({"tables": shown, "problems": problems})
        return
    if form in ("terminal", "markdown"):
        tables = draw.merged(tables)
    tables = draw.of_papers(tables) if paper else tables
    for number, item in enumerate(tables):
        if number:
            print()
        if paper:
            print(latex.paper(draw.with_failures(item, failures)), end="")
        else:
            print_table(item, form, failures, every_note=every_note)
    if form == "terminal" and any("faithful" in item.variant for item in tables):
        print(_VARIANTS)
    output.warn(*runs)
