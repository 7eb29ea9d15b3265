"""`editgauge compare RUN A B`: two editors, sample by sample; a gate for releases."""

from __future__ import annotations

import math
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from editgauge.cli import common, output
from editgauge.cli import gate as judged
from editgauge.cli.calibrated import CalibrateOpt, ProxyOpt, StrataOpt, difference_tables
from editgauge.cli.common import WhereOpt
from editgauge.cli.gate import GateOpt, JunitOpt, SummaryOpt
from editgauge.cli.table import print_tables

if TYPE_CHECKING:
    from editgauge.tables.compare import Comparison, Line, Moved
    from editgauge.tables.frame import Frame
    from editgauge.tables.table import Table

_EXAMPLE = "Example: editgauge compare RUN old-model new-model --by topic --fail-if-worse"


def register(app: typer.Typer) -> None:
    app.command("compare", epilog=_EXAMPLE)(compare)


def compare(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run folder.")],
    a: Annotated[str, typer.Argument(metavar="A", help="The baseline editor.")],
    b: Annotated[
        str, typer.Argument(metavar="B", help="The candidate: differences are B minus A.")
    ],
    benchmark: Annotated[str, typer.Option(help="Only this benchmark.")] = "",
    metric: Annotated[
        list[str] | None, typer.Option(help="Only this metric (may be repeated).")
    ] = None,
    variant: Annotated[str, typer.Option(help="faithful, corrected or both.")] = "both",
    by: Annotated[
        str, typer.Option(metavar="ATTR", help="Also for each value of an attribute.")
    ] = "",
    where: WhereOpt = None,
    source: Annotated[
        list[str] | None, typer.Option(help="Whose rows, where several made some; human: people.")
    ] = None,
    also: Annotated[
        list[Path] | None, typer.Option("--with", metavar="RUN", help="Read this run as well.")
    ] = None,
    top: Annotated[int, typer.Option(min=0, help="Samples that moved most, each way.")] = 10,
    alpha: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="For p after Holm's correction.")
    ] = 0.05,
    form: Annotated[
        str, typer.Option("--format", help="terminal, markdown, csv, latex or json.")
    ] = "terminal",
    fail_if_worse: Annotated[
        bool,
        typer.Option(
            "--fail-if-worse",
            help="Exit code 1 when B is worse in any metric, or has fewer scores than A.",
        ),
    ] = False,
    gate: GateOpt = None,
    junit: JunitOpt = None,
    step_summary: SummaryOpt = None,
    seed: Annotated[int, typer.Option(help="Of bootstrap and permutations.")] = 0,
    calibrate: CalibrateOpt = "",
    proxy: ProxyOpt = None,
    strata: StrataOpt = "",
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
) -> None:
    """Compare two editors on the samples both have: differences with intervals and p, and what
    moved most.

    B is worse in a metric when its mean difference over all samples is, with p below alpha after
    Holm's correction over every line that is printed.
    """
    from editgauge.errors import UsageError
    from editgauge.store.selection import one_of
    from editgauge.study.people import averaged_for
    from editgauge.tables import given_back, rows
    from editgauge.tables.compare import compare as compute
    from editgauge.tables.layouts import directions

    one_of("--format", form, ("terminal", "markdown", "csv", "latex", "json"))
    if a == b:
        raise UsageError(f"compare: A and B are both {a!r}; name two editors")
    _gate_goes_with(gate, form, junit, step_summary, calibrate=calibrate, other=fail_if_worse)
    opened = rows.open_runs([run, *(also or [])])
    if calibrate:
        made = difference_tables(
            [run, *(also or [])],
            calibrate,
            a,
            b,
            benchmark=benchmark,
            where=where,
            sources=source,
            proxies=proxy,
            strata=strata,
            seed=seed,
        )
        print_tables(made, opened, "json" if as_json else form, "out")
        return
    frames = rows.frames(
        opened, benchmark, where=where, editors=[a, b], sources=source, people=averaged_for(source)
    )
    if gate is not None:
        code = judged.gate(
            opened,
            frames,
            a,
            b,
            gate,
            form="json" if as_json else form,
            junit=junit,
            step_summary=step_summary,
            seed=seed,
        )
        common.warn(*opened)
        raise typer.Exit(code)
    found: list[Comparison] = []
    for frame in frames:
        ways = directions(frame)
        ways = _only(ways, metric, frame)
        item = compute(
            frame,
            a,
            b,
            ways,
            variants=rows.variants(variant),
            by=by,
            top=top,
            alpha=alpha,
            seed=seed,
        )
        found.append(replace(item, notes=tuple(given_back.compared(frame, item))))
    found = [item for item in found if item.lines]
    if not found:
        raise UsageError(
            f"compare: no metric has scores of both {a!r} and {b!r}; see: editgauge table "
            f"{run.name}"
        )
    _print(found, "json" if as_json else form)
    common.warn(*opened)
    if fail_if_worse and any(item.regressions for item in found):
        raise typer.Exit(1)


def _gate_goes_with(
    gate: Path | None,
    form: str,
    junit: Path | None,
    summary: Path | None,
    *,
    calibrate: str,
    other: bool,
) -> None:
    """Raise `UsageError` for options that do not go together with `--gate`, or only with it."""
    from editgauge.errors import UsageError

    if gate is None and (junit or summary):
        raise UsageError("--junit and --step-summary: wanted --gate POLICY.toml with them")
    if gate is not None and (calibrate or other):
        raise UsageError("--gate: goes with neither --calibrate nor --fail-if-worse")
    if gate is not None and form in ("csv", "latex"):
        raise UsageError(f"--gate: wanted --format terminal, markdown or json, found {form}")


def _only(ways: dict[str, Any], wanted: list[str] | None, frame: Frame) -> dict[str, Any]:
    from editgauge.store.selection import one_of

    for name in wanted or ():
        one_of("--metric", name, frame.metrics)
    return {name: way for name, way in ways.items() if not wanted or name in wanted}


def _print(found: list[Comparison], form: str) -> None:

    from editgauge.cli.common import print_json
    from editgauge.tables import draw as drawing

    if form == "json":
        print_json({"comparisons": [as_dict(item) for item in found]})
        return
    console = output.console()
    for item in found:
        if form == "terminal":
            drawing.show(as_table(item), console)
        else:
            typer.echo(drawing.draw(as_table(item), form), nl=False)  # type: ignore[arg-type]
        if form in ("terminal", "markdown"):
            _print_moved(item, form)


def as_table(item: Comparison) -> Table:
    """The lines of a comparison as a table, metrics down."""
    from editgauge.tables.table import Cell, Column, Table, TableRow

    columns = [
        Column(name="a", heading=(item.a,), digits=3),
        Column(name="b", heading=(item.b,), digits=3),
        Column(name="difference", heading=("B − A",), digits=4),
        Column(name="p", heading=("p (Holm)",), digits=4),
        Column(name="effect", heading=("effect d",), digits=2),
        Column(name="counts", heading=("win/tie/loss",)),
        Column(name="needed", heading=("samples needed",), digits=0),
        Column(name="verdict", heading=("B is",)),
    ]
    rows = []
    for line in item.lines:
        name = f"{line.metric} ({line.variant})" + (f" · {line.slice}" if line.slice else "")
        pair = line.paired
        cells = {
            "a": Cell(value=_finite(line.mean_a), n=pair.n, of=pair.n + line.only_a + line.only_b),
            "b": Cell(value=_finite(line.mean_b), n=pair.n, of=pair.n + line.only_a + line.only_b),
            "difference": Cell(
                value=_finite(pair.difference),
                low=_finite(pair.low),
                high=_finite(pair.high),
                interval_digits=pair.digits,
            ),
            "p": Cell(value=line.holm),
            "effect": Cell(value=_finite(pair.effect)),
            "counts": Cell(value=None, text="/".join(map(str, _counts(line)))),
            "needed": Cell(value=pair.needed),
            "verdict": Cell(value=None, text=verdict(line)),
        }
        rows.append(TableRow(name=name, cells=cells))
    notes = [
        f"A = {item.a}, B = {item.b}; means over the samples both have (n / samples either has).",
        (
            "Intervals: 95 %, BCa bootstrap over samples; digits that the resampling does not "
            "carry are not printed. p: permutation of signs, corrected (Holm) over "
            f"{item.tests} tests; lines of identical values are one."
        ),
    ]
    for line in item.lines:
        if not line.slice and (line.only_a or line.only_b):
            lacking = f"{line.only_a} samples have a score of A only, {line.only_b} only of B"
            notes.append(f"{line.metric} ({line.variant}): {lacking}.")
    notes += item.notes
    return Table(
        name="compare",
        title=f"{item.benchmark}: {item.b} against {item.a}",
        columns=columns,
        rows=rows,
        benchmark=item.benchmark,
        notes=notes,
        meta={"names": "metric"},
    )


def _counts(line: Line) -> tuple[int, ...]:
    """Samples that B wins, ties and loses; nothing where it is not known which way is better."""
    return () if line.direction is None else tuple(line.paired.counts)


def verdict(line: Line) -> str:
    """better, worse, or not told apart; for a metric without a known direction that it is none."""
    if line.direction is None:
        return "no verdict: direction not known"
    return "better" if line.better else "worse" if line.worse else "not told apart"


_MOST = ("Most better", "Most worse")


def _print_moved(item: Comparison, form: str) -> None:
    from editgauge import escape

    clean = escape.markdown if form == "markdown" else escape.plain
    for line in item.lines:
        titles = ("Most up", "Most down") if line.direction is None else _MOST
        for title, moved in zip(titles, (line.up, line.down), strict=True):
            if moved:
                where = f" · {line.slice}" if line.slice else ""
                typer.echo(
                    clean(f"\n{title} under {item.b}: {line.metric} ({line.variant}){where}", None)
                )
                for one in moved:
                    typer.echo(_moved_text(one, form, clean))


def _moved_text(one: Moved, form: str, clean: Any) -> str:
    values = f"{one.a:.4g} → {one.b:.4g}"
    if form == "markdown":
        return f"- [{clean(one.sample)}](<{one.link}>) {clean(values)}"
    return f"  {clean(one.sample)}  {values}  {one.link}"


def _finite(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else value


def as_dict(item: Comparison) -> dict[str, Any]:
    """A comparison as JSON values: NaN is None, an infinite value the text ``inf`` or ``-inf``."""

    def number(value: Any) -> Any:
        if isinstance(value, float) and not math.isfinite(value):
            return None if math.isnan(value) else ("inf" if value > 0 else "-inf")
        return value

    def moved(one: Moved) -> dict[str, Any]:
        found = {**asdict(one), "difference": one.difference}
        return {key: number(value) for key, value in found.items()}

    lines = []
    for line in item.lines:
        found = {
            key: number(value)
            for key, value in asdict(line).items()
            if key not in ("paired", "up", "down")
        }
        found |= {
            key: number(value) for key, value in line.paired._asdict().items() if key != "counts"
        }
        found |= dict(zip(("win", "tie", "loss"), _counts(line) or (None,) * 3, strict=True))
        lines.append(
            {
                **found,
                "up": [moved(one) for one in line.up],
                "down": [moved(one) for one in line.down],
            }
        )
    regressions = [f"{line.metric} ({line.variant})" for line in item.regressions]
    return {
        "benchmark": item.benchmark,
        "a": item.a,
        "b": item.b,
        "by": item.by,
        "alpha": item.alpha,
        "tests": item.tests,
        "regressions": regressions,
        "notes": list(item.notes),
        "lines": lines,
    }
