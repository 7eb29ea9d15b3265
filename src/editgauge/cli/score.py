"""`editgauge score, demo`: the scores of outputs; the whole way."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from editgauge.cli import options as opt
from editgauge.cli import output
from editgauge.cli.modes import mode, modes
from editgauge.errors import EditgaugeError

if TYPE_CHECKING:
    from editgauge.run import score as step
    from editgauge.tables.table import Table


@opt.options()
class Scoring:
    run: opt.RunOpt = opt.RUN
    tracks: str = ""
    "pixel, ocr, embedding; joined by commas. Default: the paper's own that needs no weights."
    retry: opt.RetryOpt = ""
    verify: bool = False
    """Read every picture again, also where size and times say that it is the same, and list what
    has changed since the last call."""


@opt.options("Outputs from elsewhere")
class Delivered:
    outputs: Path | None = None
    "A folder of outputs in official naming: OUTPUTS/<editor>/… (or the editor's)."
    pattern: str = ""
    """Where outputs have other names: '{category}/{id}_edited.png', or '{id}_{editor}' where all
    models lie in one folder; editgauge import shows what a folder holds."""
    map: opt.MapOpt = None
    column: opt.ColumnOpt = ()
    editors: opt.EditorsOpt = ()

    def options(self) -> dict[str, Any]:
        """The options as `run.score.Scoring.run` takes them."""
        from editgauge.store.manifest import Columns

        named = {name: value for name, value in vars(self).items() if name != "column"}
        return {**named, "columns": Columns.of(self.column)}


@opt.options("Networks and OCR")
class Engines:
    device: str = ""
    "Where networks run: auto, cpu, cuda, cuda:1; several GPUs, a process for each: 0,1."
    ocr_engine: Annotated[str, opt.names_of("ocr_engines")] = "rapidocr"
    "What reads text for the track ocr: rapidocr, paddleocr."

    def options(self) -> dict[str, Any]:
        """What scorers are given."""
        device = None if self.several else self.device or None
        return {"weights": None, "device": device, "ocr_engine": self.ocr_engine}

    @property
    def several(self) -> str:
        """The GPUs, where there is a list of them."""
        return self.device if self.device[:1].isdecimal() else ""


@modes(
    mode("--map", "mini", "--outputs", "OUT", "--map", "NAMES.csv", leaves="--pattern"),
    mode("--outputs", "mini", "--outputs", "OUT", leaves="--column"),
    mode("the outputs of the run", "mini", leaves="--pattern --map --column"),
)
def score(
    benchmark: opt.BenchmarkArg,
    data: opt.DataArg = None,
    /,
    *,
    asked: Scoring = Scoring(),
    delivered: Delivered = Delivered(),
    narrowing: opt.Narrowing = opt.Narrowing(),
    placing: opt.Placing = opt.Placing(),
    engines: Engines = Engines(),
) -> int:
    """Score outputs and print the table. Stops and continues at any point; nothing is computed
    twice.

    Exit code 0: every score is there, but for columns whose weights or library are not installed,
    which are named at the start; 1: other scores are lacking, or none could be made.
    """
    from editgauge.run import score as step
    from editgauge.run.tracks import tracks_of
    from editgauge.store import selection

    retry = selection.statuses(asked.retry)
    limits = {**delivered.options(), "retry": retry, "verify": asked.verify}
    how = {"tracks": tracks_of(asked.tracks), **engines.options()}
    material = narrowing.open(benchmark, data)
    with opt.run_at(asked.run) as folder, placing.open(engines.several) as workers:
        scoring = step.Scoring(material, folder, workers=workers, **how)
        for why, titles in scoring.empty_columns().items():
            output.note(f"these columns will stay empty: {', '.join(titles)}: {why}")
        with output.progress() as show:
            scored = scoring.run(show, **limits)
    facts = {"run": opt.place_of(asked.run), "benchmark": material.benchmark.name}
    output.emit({**facts, **scored.as_dict()}, scored.lines())
    if not output.as_json():
        _print_made(asked, scoring, opt.typed(benchmark, data))
    return 0 if scored.complete else 1


def _print_made(asked: Scoring, scoring: step.Scoring, typed: str) -> None:
    """The table, and what comes next."""
    from editgauge.run.tracks import judged

    benchmark, place = scoring.material.benchmark, opt.place_of(asked.run)
    made = [one.name for scorer in scoring.scorers for one in scorer.metrics]
    _print_table(asked.run, benchmark.name, made if asked.tracks else [])
    following = f"table {place} --benchmark {benchmark.name} --published --intervals"
    if judged(benchmark):  # its tables are a judge's
        following = f"judge {typed} --run {place} --model MODEL"
    output.said(f"rows:  {place}   report: editgauge report {place}")
    output.said(f"next:  editgauge {following}")


def _print_table(run: Path, benchmark: str, metrics: Sequence[str]) -> None:
    """The benchmark's first table that has rows, of `metrics` where there are any, and which others
    there are.
    """
    from editgauge.cli.table import print_tables
    from editgauge.run.tables import Choice, tables, with_metrics
    from editgauge.tables import rows

    place = opt.place_of(run)
    named: dict[str, Table] = {}
    print()
    try:
        opened = rows.open_runs([run])
        printed = tables(opened, Choice(benchmark=benchmark))
        for table in sorted(printed, key=lambda one: one.variant == "faithful"):
            named.setdefault(table.name, table)
        of_them = with_metrics(opened, benchmark, metrics) if metrics else set()
        first = next((name for name in named if name in of_them), next(iter(named), ""))
        paper = [table for table in printed if table.name == first]
        named.pop(first, None)
        print_tables(paper, opened, "terminal", every_note=False)
    except EditgaugeError as error:  # the scores are safe; which the table shows is a question
        print(f"no table: {error}")
    if named:
        output.said("", f"also:  {', '.join(named)}: editgauge table {place} --only NAME")


# -- demo ------------------------------------------------------------------------------------------


def demo(*, run: opt.RunOpt = Path("editgauge-demo")) -> None:
    """Run the built-in benchmark end to end: edit, score, table, report. Needs no data, network or
    GPU.
    """
    stream = sys.stderr if output.as_json() else sys.stdout
    with contextlib.redirect_stdout(stream), output.saying(quiet=output.quiet()):
        _demonstrate(run)
    page = run / "report" / "index.html"
    typed = "score texteditbench DATA --outputs OUTPUTS --editor my-model --run runs/my-model"
    lines = [
        f"\nAll of it is in {run}/ - rows, outputs, pictures, report.",
        f"Look at:  {page}",
        "Next:     editgauge check texteditbench DATA          is my data set whole?",
        f"          editgauge {typed}",
    ]
    output.emit({"run": str(run), "page": str(page)}, lines)


def _demonstrate(run: Path) -> None:
    from editgauge.cli.compare import Compared, compare
    from editgauge.cli.edit import Editing, edit
    from editgauge.cli.report import report

    reads = find_spec("rapidocr") is not None and find_spec("onnxruntime") is not None
    best = "typeset" if reads else "reference"
    print("[1] Edit: built-in editors make outputs for the benchmark `mini`.")
    for name in dict.fromkeys(("reference", "copy", "blank", best)):
        edit("mini", asked=Editing(editor=name, run=run))
    if not reads:
        print("Left out: `typeset`, which sets new text; with: pip install 'editgauge[ocr]'")
    print("\n[2] Score: pixels of every output; then the table.")
    score("mini", asked=Scoring(run=run, tracks="pixel"))
    print(f"\n[3] Compare: is `{best}` nearer to the right answer than no edit at all?")
    compare(run, "copy", best, compared=Compared(metric=("reference_ssim",)))
    print("\n[4] Report: every number opens its picture.", flush=True)
    report((run,))
