"""`editgauge compare RUN A B`: two editors, sample by sample; a gate for releases."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from editgauge import escape
from editgauge.cli import common, gate
from editgauge.cli.drawn import print_table, print_tables
from editgauge.cli.groups import grouped
from editgauge.cli.option_groups import Correcting, Gating
from editgauge.cli.options import FormatOpt, WhereOpt
from editgauge.cli.panels import ROWS

if TYPE_CHECKING:
    from editgauge.tables.compare import Comparison

_EXAMPLE = "Example: editgauge compare RUN old-model new-model --by topic --fail-if-worse"


def register(app: typer.Typer) -> None:
    app.command("compare", epilog=_EXAMPLE)(compare)


@grouped
def compare(
    *,
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run folder.")],
    a: Annotated[str, typer.Argument(metavar="A", help="The baseline editor.")],
    b: Annotated[
        str, typer.Argument(metavar="B", help="The candidate: differences are B minus A.")
    ],
    benchmark: Annotated[str, typer.Option(rich_help_panel=ROWS, help="Only this benchmark.")] = "",
    metric: Annotated[
        list[str] | None,
        typer.Option(rich_help_panel=ROWS, help="Only this metric (may be repeated)."),
    ] = None,
    variant: Annotated[
        str,
        typer.Option(
            rich_help_panel=ROWS,
            help="faithful, corrected or both; by default the first that there is.",
        ),
    ] = "",
    by: Annotated[
        str,
        typer.Option(
            rich_help_panel=ROWS, metavar="ATTR", help="Also for each value of an attribute."
        ),
    ] = "",
    where: WhereOpt = None,
    source: Annotated[
        list[str] | None,
        typer.Option(
            rich_help_panel=ROWS, help="Whose rows, where several made some; human: people."
        ),
    ] = None,
    also: Annotated[
        list[Path] | None,
        typer.Option("--with", rich_help_panel=ROWS, metavar="RUN", help="Read this run as well."),
    ] = None,
    top: Annotated[int, typer.Option(min=0, help="Samples that moved most, each way.")] = 10,
    alpha: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="For p after Holm's correction.")
    ] = 0.05,
    form: FormatOpt = "terminal",
    fail_if_worse: Annotated[
        bool,
        typer.Option(
            "--fail-if-worse",
            help="Exit code 1 when B is worse in any metric, or has fewer scores than A.",
        ),
    ] = False,
    gating: Gating,
    seed: Annotated[int, typer.Option(help="Of bootstrap and permutations.")] = 0,
    correcting: Correcting,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
) -> None:
    """Compare two editors on the samples both have: differences with intervals and p, and what
    moved most.

    B is worse in a metric when its mean difference over all samples is, with p below alpha after
    Holm's correction over every line that is printed.
    """
    from editgauge.errors import UsageError
    from editgauge.run.compare import compare as compare_editors
    from editgauge.store.selection import one_of
    from editgauge.study.calibrated_sheets import difference_tables
    from editgauge.study.people import averaged_for
    from editgauge.tables import draw, rows

    one_of("--format", form, draw.FORMATS)
    if a == b:
        raise UsageError(f"compare: A and B are both {a!r}; name two editors")
    gate.goes_with(gating, form, bool(correcting.calibrate) or fail_if_worse)
    form = "json" if as_json else form
    runs = [run, *(also or [])]
    opened = rows.open_runs(runs)
    if correcting.calibrate:
        asked = correcting.of(benchmark, where, source, seed)
        print_tables(difference_tables(runs, asked, a, b), opened, form)
        return
    with common.warned_if_refused(*opened):
        frames = rows.frames(
            opened,
            benchmark,
            where=where,
            editors=[a, b],
            sources=source,
            people=averaged_for(source),
        )
        if gating.gate is not None:
            code = gate.judge(opened, frames, a, b, gating, form=form, seed=seed)
            common.warn(*opened)
            raise typer.Exit(code)
        variants = rows.variants(variant or "both")
        only = metric or ()
        comparisons = compare_editors(
            frames,
            a,
            b,
            metrics=only,
            variants=variants,
            one_variant=not variant,
            by=by,
            top=top,
            alpha=alpha,
            seed=seed,
        )
        if not comparisons:
            raise UsageError(
                f"compare: no metric has scores of both {a!r} and {b!r}; see: editgauge table "
                f"{run.name}"
            )
    _print(comparisons, form)
    common.warn(*opened)
    if fail_if_worse and any(item.regressions for item in comparisons):
        raise typer.Exit(1)


def _print(comparisons: list[Comparison], form: str) -> None:
    from editgauge.tables import compare_sheets

    if form == "json":
        common.print_json({"comparisons": [compare_sheets.as_dict(item) for item in comparisons]})
        return
    for item in comparisons:
        if form in ("terminal", "markdown"):
            said = compare_sheets.sentence(item)
            typer.echo((escape.markdown if form == "markdown" else escape.plain)(said, None) + "\n")
        print_table(compare_sheets.as_table(item), form)
        if form in ("terminal", "markdown"):
            for line in compare_sheets.moved_lines(item, form):  # type: ignore[arg-type]
                typer.echo(line)
