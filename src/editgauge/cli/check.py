"""`editgauge check`: lint a data set, and a model's outputs, before anything is spent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from editgauge.cli import output
from editgauge.cli.options import BenchmarkArg, DataArg, JsonOpt, MemoryOpt, SplitOpt
from editgauge.escape import plain

if TYPE_CHECKING:
    from rich.console import Console

    from editgauge.run.check import DataReport, Issue, OutputsReport

_EXAMPLE = "Example: editgauge check texteditbench DATA --outputs OUTPUTS --editor my-model"


def register(app: typer.Typer) -> None:
    app.command("check", epilog=_EXAMPLE)(check)


def check(
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
    """Check the data: counts, every repair, files, masks, references; and outputs, before anything
    is spent.

    Exit code 0: no output needs attention (faults of the data are printed, and are the same for
    every model); 1: an output does, with --strict the data, or there is no sample; 2: no data or
    outputs folder.
    """
    from editgauge import catalog
    from editgauge.cli import common
    from editgauge.errors import UsageError
    from editgauge.run.check import check_data, check_outputs, editor_folders

    common.set_memory(memory)
    if editor is not None and outputs is None:
        raise UsageError("--editor: wanted --outputs DIR with it")
    bench = catalog.find("benchmarks", benchmark)
    dataset = bench.load(data, split=split)
    reports = []
    with common.progress(json) as show:
        found = check_data(bench, dataset, workers=workers, progress=show)
        if outputs is not None and found.samples:
            others = list(bench.load(data)) if split is not None else ()
            for name, folder in editor_folders(outputs, editor, found.samples).items():
                reports.append(
                    check_outputs(
                        found.samples, name, folder, others=others, workers=workers, progress=show
                    )
                )
    of_data = _attention(found.issues, ignore or ())
    of_outputs = _attention([issue for report in reports for issue in report.issues], ignore or ())
    if json:
        counts = {"data": len(of_data), "outputs": len(of_outputs)}
        common.print_json(_as_json(found, reports, counts))
    else:
        _print(found, reports, (len(of_data), len(of_outputs)), None if every else 20)
    if of_outputs or not found.samples or (strict and of_data):
        raise typer.Exit(1)


def _attention(issues: Sequence[Issue], ignored: Sequence[str]) -> list[Issue]:
    from editgauge.run.check import Level

    return [
        issue for issue in issues if issue.level is Level.ATTENTION and issue.kind not in ignored
    ]


def _as_json(
    found: DataReport, reports: Sequence[OutputsReport], attention: dict[str, int]
) -> dict[str, Any]:
    return {
        "benchmark": found.benchmark,
        "data": str(found.root),
        "part": found.part,
        "samples": len(found.samples),
        "counts": [asdict(count) for count in found.counts],
        "issues": [asdict(issue) for issue in found.issues],
        "outputs": [
            {
                "editor": report.editor,
                "folder": str(report.folder),
                "count": report.count,
                "issues": [asdict(issue) for issue in report.issues],
            }
            for report in reports
        ],
        "attention": sum(attention.values()),
        "attention_of": attention,
    }


def _print(
    found: DataReport,
    reports: Sequence[OutputsReport],
    wanting: tuple[int, int],
    limit: int | None,
) -> None:
    """`wanting`: how many lines need attention, of the data and of the outputs."""
    console = output.console()
    part = f" ({found.part})" if found.part else ""
    console.print(
        f"[bold]{found.benchmark}{part}[/bold]: {len(found.samples):,} samples", soft_wrap=True
    )
    _print_counts(console, found)
    _print_issues(console, "data", found.issues, limit)
    if reports:
        _print_outputs(console, reports)
    for report in reports:
        _print_issues(console, report.editor, report.issues, limit)
    if any(wanting):
        of_data, of_outputs = wanting
        told = f"{of_data:,} of the data itself (the same for every model)"
        told += f", {of_outputs:,} of the outputs" if reports else ""
        console.print(f"{sum(wanting):,} lines need attention: {told}", style="yellow")
    else:
        console.print("nothing needs attention", style="green")
    if not reports:
        console.print(
            f"next: editgauge check {found.benchmark} … --outputs DIR, or editgauge score",
            soft_wrap=True,
        )


def _print_counts(console: Console, found: DataReport) -> None:
    from rich.markup import escape
    from rich.table import Table

    table = Table("split or category", title="samples", title_justify="left")
    table.add_column("found", justify="right")
    table.add_column("published", justify="right")
    for count in found.counts:
        published = "" if count.published is None else f"{count.published:,}"
        style = "yellow" if count.published not in (None, count.found) else None
        table.add_row(escape(count.name or "all"), f"{count.found:,}", published, style=style)
    console.print(table)


def _print_outputs(console: Console, reports: Sequence[OutputsReport]) -> None:
    """A line a model; what no model has any of is left out."""
    from rich.markup import escape
    from rich.table import Table

    always = ("samples", "present", "readable", "missing")
    names = [
        n for n in reports[0].count if n in always or any(report.count[n] for report in reports)
    ]
    table = Table("outputs of", title="outputs", title_justify="left")
    for name in names:
        table.add_column(name, justify="right", overflow="fold")
    for report in reports:
        table.add_row(escape(report.editor), *(f"{report.count[name]:,}" for name in names))
    console.print(table)


def _print_issues(console: Console, title: str, issues: Sequence[Issue], limit: int | None) -> None:
    """Lines by level and kind. Every repair is printed: nothing is repaired silently; others up to
    `limit` a kind.
    """
    from rich.text import Text

    from editgauge.run.check import Level

    if not issues:
        console.print(f"{title}: nothing found")
    by_kind: dict[tuple[Level, str], list[Issue]] = {}
    for issue in issues:
        by_kind.setdefault((issue.level, issue.kind), []).append(issue)
    order = list(Level)
    for (level, kind), lines in sorted(
        by_kind.items(), key=lambda item: (order.index(item[0][0]), item[0][1])
    ):
        style = {Level.ATTENTION: "bold yellow", Level.REPAIRED: "bold", Level.NOTE: "dim"}[level]
        assumed = {issue.assumed for issue in lines}
        common = f": {assumed.pop()}" if len(assumed) == 1 else ""
        console.print(
            Text(
                f"{title}, {level.value}: {kind} ({len(lines):,}){plain(common, None)}", style=style
            ),
            soft_wrap=True,
        )
        shown = lines if limit is None or level is Level.REPAIRED else lines[:limit]
        for issue in shown:
            where = issue.file or issue.sample
            tail = "" if common or not issue.assumed else f"; {issue.assumed}"
            console.print(
                Text("  " + plain(f"{where + ': ' if where else ''}{issue.found}{tail}", None)),
                soft_wrap=True,
            )
        if len(shown) < len(lines):
            console.print(f"  … and {len(lines) - len(shown):,} more (--all)")
