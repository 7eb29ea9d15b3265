"""`editgauge table RUN…`: the papers' tables from the rows of one run or of several."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from editgauge.cli import options as opt
from editgauge.cli import output
from editgauge.cli.modes import mode, modes
from editgauge.errors import UsageError

if TYPE_CHECKING:
    from editgauge.run.tables import Choice
    from editgauge.store.run import Run
    from editgauge.tables.table import Table

PAPER = "paper"
"""The form of LaTeX for a paper."""
_VARIANTS = "\nfaithful: as the released code computes it; corrected: without its known defects"


@opt.options("What is shown")
class Shown:
    editors: opt.EditorsOpt = ()
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
    common: bool = False
    "Only the samples that all models of a table have a score of: then their means are compared."
    section: opt.Many = ()
    """HEADING or EDITOR=HEADING: the section of the paper's table that models belong to (TextEdit,
    KRIS-Bench); best and second are told within it. May be repeated."""
    failures: Literal["out", "floor"] = "out"
    "out: left out; floor: at the scale's minimum."
    notes: bool = False
    "All notes below a table."
    paper: bool = False
    "LaTeX for a paper: faithful, with the published lines and the notes that it needs."
    calibrate: str = ""
    "human, or JUDGE@N: correct a judge's scores by ratings, or by a stronger judge on N samples."
    form: opt.Format = "terminal"
    set: opt.SetOpt = ()
    """NAME=VALUE, may be repeated: proxy (with --calibrate: QUESTION=METRIC), strata (what rated
    samples were drawn by)."""

    def choice(self, rows: opt.Rows) -> Choice:
        """The options as the tables of a run take them."""
        from editgauge.run.tables import Choice
        from editgauge.tables.build import Shown as Beside

        papers = self.published or self.paper
        how: Any = {name: getattr(self, name) for name in ("intervals", "mean", "only", "common")}
        return Choice(
            benchmark=rows.benchmark,
            where=rows.where,
            editors=self.editors,
            sources=rows.source,
            columns=opt.words(self.columns),
            shown=Beside(by=rows.by, published=papers, sections=sections(self.section), **how),
        )


def sections(given: Sequence[str]) -> dict[str, str]:
    """Editor -> its section, from words ``EDITOR=HEADING``; ``HEADING`` alone stands under "".

    Raises `UsageError` for a word without a heading.
    """
    found = {}
    for word in given:
        editor, sign, heading = word.partition("=")
        if not sign:
            editor, heading = "", word
        if not heading.strip():
            raise UsageError(f"{word!r}: wanted HEADING or EDITOR=HEADING", argument="section")
        found[editor.strip()] = heading.strip()
    return found


@modes(
    mode(
        "--calibrate",
        *("RUN", "--calibrate", "human"),
        uses="RUNS --benchmark --source --where --editor --calibrate --set --format --notes",
        settings="proxy strata",
    ),
    mode("--paper", "RUN", "--paper", leaves="--format --variant --notes --set"),
    mode("", "RUN", leaves="--set"),
)
def table(runs: opt.RunsArg, /, *, rows: opt.Rows = opt.Rows(), shown: Shown = Shown()) -> None:
    """Print the papers' tables from a run's rows; several runs are read as one.

    Every mean has its count: n scored / n in the benchmark.
    """
    from editgauge.run.tables import tables
    from editgauge.tables import rows as stored

    settings = opt.given(shown.set, opt.CALIBRATION)
    form = PAPER if shown.paper else shown.form
    opened = stored.open_runs(runs)
    if shown.calibrate:
        from editgauge.study.calibration import mean_tables

        asked = rows.calibrated(shown.calibrate, settings)
        found = mean_tables(runs, asked, shown.editors)
        print_tables(found, opened, form, every_note=shown.notes)
        return
    variants = stored.variants("faithful" if shown.paper else shown.variant)
    with output.warned(*opened, only_if_refused=True):
        found = tables(opened, shown.choice(rows), variants)
        print_tables(found, opened, form, shown.failures, every_note=shown.notes)


def print_each(
    tables: Iterable[Table], form: Any, failures: Any = "out", *, every_note: bool = True
) -> None:
    """Print tables: fitted to the terminal, or as the text of another form of `draw.FORMATS` or
    `PAPER`.
    """
    from rich.console import Console

    from editgauge.tables import draw, latex

    screen = Console(file=output.raw(sys.stdout), highlight=False)
    how: Any = {"failures": failures, "every_note": every_note}
    for number, table in enumerate(tables):
        if number:
            print()
        if form == "terminal":
            draw.show(table, screen, **how)
        elif form == PAPER:
            print(latex.paper(draw.with_failures(table, failures)), end="")
        else:
            print(draw.draw(table, form, **how), end="")


def print_tables(
    tables: Sequence[Table],
    runs: Sequence[Run],
    form: str,
    failures: Any = "out",
    *,
    every_note: bool = True,
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
    tables = draw.of_papers(tables) if form == PAPER else tables
    print_each(tables, form, failures, every_note=every_note)
    if form == "terminal" and any("faithful" in item.variant for item in tables):
        print(_VARIANTS)
    output.warn(*runs)
