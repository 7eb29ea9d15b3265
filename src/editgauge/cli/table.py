"""`editgauge table RUN…`: the papers' tables from the rows of one run or of several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from cyclopts import Parameter

from editgauge.cli import output
from editgauge.cli.options import (
    EditorsOpt,
    Format,
    Many,
    OnlyBenchmark,
    RunsArg,
    SetOpt,
    Settings,
    SourceOpt,
    Variants,
    calibration_of,
    words,
)
from editgauge.errors import UsageError

if TYPE_CHECKING:
    from editgauge.store.run import Run
    from editgauge.tables.table import Table

_SETTINGS = ("proxy", "strata", "seed")


@Parameter(name="*", group="Which rows")
@dataclass(frozen=True, kw_only=True)
class Rows:
    """Which rows of a run."""

    benchmark: OnlyBenchmark = ""
    editor: EditorsOpt = ()
    source: SourceOpt = ()
    where: Many = ()
    "NAME=VALUE: only samples with this attribute; may be repeated."
    by: str = ""
    "A group of lines for each value of this attribute."


@Parameter(name="*", group="What is shown")
@dataclass(frozen=True, kw_only=True)
class Shown:
    """Which tables and columns, and what stands beside a mean."""

    variant: Variants = "both"
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
    failures: Literal["out", "floor", "both"] = "out"
    "out: left out; floor: at the scale's minimum; both: that in brackets."
    notes: bool = False
    "All notes below a table."
    paper: bool = False
    "LaTeX for a paper: faithful, with the published lines and one note."
    calibrate: str = ""
    "human, or JUDGE@N: correct a judge's scores by ratings, or by a stronger judge on N samples."


def table(
    runs: RunsArg,
    /,
    *,
    rows: Rows = Rows(),
    shown: Shown = Shown(),
    form: Format = "terminal",
    set_: SetOpt = (),
) -> None:
    """Print the papers' tables from a run's rows; several runs are read as one.

    Every mean has its count: n scored / n in the benchmark.

    Parameters
    ----------
    set_
        NAME=VALUE, may be repeated: proxy (with --calibrate: QUESTION=METRIC), strata (what rated
        samples were drawn by), seed.
    """
    from editgauge.run import tables as step
    from editgauge.study.calibration import mean_tables
    from editgauge.tables import layouts
    from editgauge.tables import rows as stored

    given = Settings.of(set_)
    if shown.paper:
        form = "latex"
    opened = stored.open_runs(runs)
    if shown.calibrate:
        asked = calibration_of(
            shown.calibrate,
            benchmark=rows.benchmark,
            where=rows.where,
            sources=rows.source,
            settings=given,
        )
        given.end(_SETTINGS)
        print_tables(mean_tables(runs, asked, rows.editor), opened, form, every_note=shown.notes)
        return
    choice = step.Choice(
        benchmark=rows.benchmark,
        where=rows.where,
        editors=rows.editor,
        sources=rows.source,
        columns=words(shown.columns),
        shown=layouts.Shown(
            by=rows.by,
            published=shown.published or shown.paper,
            intervals=shown.intervals,
            mean=shown.mean,
            only=shown.only,
            seed=given.take("seed", 0, int),
        ),
    )
    given.end(_SETTINGS)
    variants = stored.variants("faithful" if shown.paper else shown.variant)
    with output.warned(*opened, only_if_refused=True):
        found = step.tables(opened, choice, variants)
        print_tables(
            found,
            opened,
            form,
            shown.failures,
            every_note=shown.notes,
            paper=shown.paper,
        )


def print_table(table: Table, form: Any, failures: Any = "out", *, every_note: bool = True) -> None:
    """Print one table: fitted to the terminal, or as the text of another form of `draw.FORMATS`."""
    from editgauge.tables import draw

    if form == "terminal":
        draw.show(table, output.console(), failures=failures, every_note=every_note)
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
        output.print_json({"tables": shown, "problems": problems})
        return
    if form in ("terminal", "markdown"):
        tables = draw.merged(tables)
    for number, item in enumerate(tables):
        if number:
            print()
        if paper:
            print(draw.paper(draw.with_failures(item, failures)), end="")
        else:
            print_table(item, form, failures, every_note=every_note)
    output.warn(*runs)
