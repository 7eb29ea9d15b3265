"""`editgauge table RUN…`: the papers' tables from the rows of one run or of several."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from editgauge.cli import common, output
from editgauge.cli.calibrated import CalibrateOpt, ProxyOpt, StrataOpt, mean_tables
from editgauge.cli.common import WhereOpt
from editgauge.errors import UsageError

if TYPE_CHECKING:
    from editgauge.store.run_folder import RunFolder
    from editgauge.tables.frame import Frame
    from editgauge.tables.table import Table
    from editgauge.types import MakeLayouts, Variant

_HELP = """Print the papers' tables from a run's rows; several runs are read as one.

Every mean has its count: n scored / n in the benchmark. Example:

    editgauge table RUN --published --intervals --format markdown
"""


def register(app: typer.Typer) -> None:
    app.command("table", help=_HELP)(table)


def table(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN…", help="Run folders.")],
    benchmark: Annotated[str, typer.Option(help="Only this benchmark.")] = "",
    form: Annotated[
        str, typer.Option("--format", help="terminal, markdown, csv, latex or json.")
    ] = "terminal",
    variant: Annotated[str, typer.Option(help="faithful, corrected or both.")] = "both",
    published: Annotated[bool, typer.Option("--published", help="Add the papers' lines.")] = False,
    intervals: Annotated[
        bool, typer.Option("--intervals", help="Add 95 % bootstrap intervals.")
    ] = False,
    failures: Annotated[
        str,
        typer.Option(help="out: left out; floor: at the scale's minimum; both: that in brackets."),
    ] = "out",
    by: Annotated[
        str, typer.Option(metavar="ATTR", help="A group of lines for each value of an attribute.")
    ] = "",
    where: WhereOpt = None,
    editor: Annotated[
        list[str] | None, typer.Option(help="Only this editor (may be repeated).")
    ] = None,
    source: Annotated[
        list[str] | None,
        typer.Option(
            help="Whose rows, where several judges or OCR engines made some; human: people."
        ),
    ] = None,
    sweep: Annotated[
        bool,
        typer.Option(
            "--sweep", help="The variants of edit --sweep as one model: mean, best of N, spread."
        ),
    ] = False,
    best_by: Annotated[
        str,
        typer.Option(
            "--best-by", metavar="METRIC", help="With --sweep: also choose the best of N by this."
        ),
    ] = "",
    only: Annotated[
        str, typer.Option(metavar="NAME", help="Only this table, such as textedit.judge.")
    ] = "",
    weights: Annotated[
        str, typer.Option(metavar="W,W…", help="TextEdit: of TA, TP, SI, LR, VC; sum 1.")
    ] = "",
    cutoff: Annotated[
        float | None, typer.Option(help="TextEdit: a TA below this sets the others to 0.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the bootstrap.")] = 0,
    calibrate: CalibrateOpt = "",
    proxy: ProxyOpt = None,
    strata: StrataOpt = "",
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
) -> None:
    from editgauge.store.selection import one_of
    from editgauge.study.people import averaged_for
    from editgauge.tables import rows

    one_of("--format", form, ("terminal", "markdown", "csv", "latex", "json"))
    one_of("--failures", failures, ("out", "floor", "both"))
    opened = rows.open_runs(runs)
    if calibrate:
        made = mean_tables(
            runs,
            calibrate,
            benchmark=benchmark,
            where=where,
            editors=editor,
            sources=source,
            proxies=proxy,
            strata=strata,
            seed=seed,
        )
        print_tables(made, opened, "json" if as_json else form, "out")
        return
    if best_by and not sweep:
        raise UsageError("--best-by goes with --sweep")
    if sweep and (by or published):
        raise UsageError(
            "--sweep: has no slices and no published lines; leave out --by, --published"
        )
    made_by = scheme_of(rows.benchmarks(opened, benchmark), weights, cutoff)
    frames = rows.frames(
        opened,
        benchmark,
        where=where,
        editors=editor,
        sources=source,
        people=averaged_for(source),
        side_by_side=True,
    )
    if sweep:
        from editgauge.tables import sweeps

        found = sweeps.tables(
            frames, rows.variants(variant), best_by=best_by, intervals=intervals, seed=seed
        )
    else:
        found = [
            table
            for frame in frames
            for wanted in rows.variants(variant)
            for table in _tables(
                frame,
                wanted,
                by=by,
                published=published,
                intervals=intervals,
                seed=seed,
                layouts=made_by.get(frame.benchmark),
            )
        ]
    found = _unrepeated(found)
    if only:
        names = sorted({item.name for item in found})
        found = [item for item in found if item.name == only]
        if not found:
            raise UsageError(
                f"--only {only}: no such table here; there are: {', '.join(names) or 'none'}"
            )
    print_tables(found, opened, "json" if as_json else form, failures)


def _tables(frame: Frame, variant: Variant, **options: Any) -> list[Table]:
    from editgauge.tables.layouts import tables

    return tables(frame, variant, **options)


def scheme_of(
    benchmarks: Sequence[str], weights: str, cutoff: float | None
) -> dict[str, MakeLayouts]:
    """The tables of the benchmarks that take weights and a cut-off, made with the given ones; none
    where neither is given. Raises `UsageError` where no benchmark takes them.
    """
    from editgauge.tables.layouts import benchmark_of

    if not weights and cutoff is None:
        return {}
    try:
        numbers = [float(part) for part in weights.split(",")] if weights else None
    except ValueError:
        raise UsageError(f"--weights {weights}: wanted numbers with commas between") from None
    known = {name: benchmark_of(name) for name in benchmarks}
    made = {
        name: found.scheme(weights=numbers, cutoff=cutoff)
        for name, found in known.items()
        if found is not None and found.scheme is not None
    }
    if not made:
        raise UsageError(f"--weights, --cutoff: {', '.join(benchmarks)} has neither in its tables")
    return made


def _unrepeated(found: list[Table]) -> list[Table]:
    """Without the copy of a table in a variant that it has not: it says so itself, or all its
    columns fell back.
    """

    def own(item: Table) -> bool:
        return item.variant in item.meta.get("variants", [item.variant])

    kept: list[Table] = []
    for item in found:
        same = [t for t in found if (t.name, t.source) == (item.name, item.source)]
        if any(t.variant == item.variant for t in same if t in kept):
            continue
        if own(item) or not any(own(t) for t in same):
            kept.append(item)
    return kept


def print_tables(found: list[Table], runs: list[RunFolder], form: str, failures: str) -> None:
    """Tables in a format, and what was found damaged in the runs."""

    from editgauge.tables import draw as drawing

    if not found:
        names = ", ".join(run.path.name for run in runs)
        raise UsageError(
            f"{names}: no rows to make a table of; score something first: editgauge score … --run "
            f"RUN"
        )
    if form == "json":
        import orjson

        problems = [text for run in runs for text in run.problems]
        made = [drawing.as_json(drawing.with_failures(item, failures)) for item in found]  # type: ignore[arg-type]
        typer.echo(
            orjson.dumps(
                {"tables": made, "problems": problems}, option=orjson.OPT_INDENT_2
            ).decode()
        )
        return
    console = output.console()
    for number, item in enumerate(found):
        if number:
            typer.echo("")
        if form == "terminal":
            drawing.show(item, console, failures=failures)  # type: ignore[arg-type]
        else:
            typer.echo(drawing.draw(item, form, failures=failures), nl=False)  # type: ignore[arg-type]
    common.warn(*runs)
