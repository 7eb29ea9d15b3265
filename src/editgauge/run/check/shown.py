"""A check as text on a console."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from editgauge.escape import plain
from editgauge.run.check import Checked
from editgauge.run.check.data import DataReport
from editgauge.run.check.issues import Issue, Level
from editgauge.run.check.outputs import OutputsReport

_STYLE = {Level.ATTENTION: "bold yellow", Level.REPAIRED: "bold", Level.NOTE: "dim"}


def _whole(console: Console) -> bool:
    """Whether lines stay whole: in a file; a terminal wraps them between words."""
    return not console.is_terminal


def show(checked: Checked, console: Console, *, limit: int | None = 5) -> None:
    """Print the outputs and what is wrong with them, then the data's counts and issues by level
    and kind (at most `limit` lines of a kind, repairs in one line; None: all), and how many lines
    need attention.
    """
    data, reports = checked.data, checked.outputs
    part = f" ({data.part})" if data.part else ""
    noun = "sample" if len(data.samples) == 1 else "samples"
    console.print(f"[bold]{data.benchmark}{part}[/bold]: {len(data.samples):,} {noun}")
    if reports:
        _print_outputs(console, reports)
    for report in reports:
        _print_issues(console, report.editor, report.issues, limit)
    _print_counts(console, data)
    _print_issues(console, "data", data.issues, limit)
    of_data, of_outputs = len(checked.of_data), len(checked.of_outputs)
    if of_data or of_outputs:
        parts = f"{of_data:,} of the data itself (the same for every model)"
        parts += f", {of_outputs:,} of the outputs" if reports else ""
        console.print(f"{of_data + of_outputs:,} lines need attention: {parts}", style="yellow")
    else:
        console.print("nothing needs attention", style="green")
    for report in reports:
        if not report.count["present"] and report.count["extra"]:
            told = f"editgauge import {data.benchmark} … --from {report.folder}"
            told = f"files of other names? {told} shows what they match"
            console.print(escape(told), soft_wrap=_whole(console))
    if not reports:
        told = f"next: editgauge check {data.benchmark} … --outputs DIR, or editgauge score"
        console.print(told, soft_wrap=True)


def _print_counts(console: Console, data: DataReport) -> None:
    table = Table("split or category", title="samples", title_justify="left")
    table.add_column("found", justify="right")
    table.add_column("published", justify="right")
    for count in data.counts:
        published = "" if count.published is None else f"{count.published:,}"
        style = "yellow" if count.published not in (None, count.found) else None
        table.add_row(escape(count.name or "all"), f"{count.found:,}", published, style=style)
    console.print(table)


def _print_outputs(console: Console, reports: Sequence[OutputsReport]) -> None:
    """A line a model; what no model has any of is left out."""
    always = ("samples", "present", "readable", "missing")
    names = [n for n in reports[0].count if n in always or any(r.count[n] for r in reports)]
    table = Table("outputs of", title="outputs", title_justify="left")
    for name in names:
        table.add_column(name, justify="right", overflow="fold")
    for report in reports:
        table.add_row(escape(report.editor), *(f"{report.count[name]:,}" for name in names))
    console.print(table)


def _print_issues(console: Console, title: str, issues: Sequence[Issue], limit: int | None) -> None:
    """Lines by level and kind, up to `limit` a kind; repairs as one line that counts each kind."""
    if not issues:
        console.print(f"{title}: no faults")
    for level in Level:
        mine = [issue for issue in issues if issue.level is level]
        kinds = Counter(sorted(issue.kind for issue in mine))
        if level is Level.REPAIRED and limit is not None and mine:
            words = ", ".join(f"{kind} {count:,}" for kind, count in kinds.items())
            head = f"{title}, repaired: {len(mine):,} ({words}); --all names each"
            console.print(Text(plain(head, None), style=_STYLE[level]), soft_wrap=_whole(console))
            continue
        for kind in kinds:
            lines = [issue for issue in mine if issue.kind == kind]
            _print_kind(console, f"{title}, {level.value}: {kind}", lines, limit)


def _print_kind(console: Console, title: str, lines: Sequence[Issue], limit: int | None) -> None:
    """What is assumed of all stands in the heading, else behind each line."""
    assumed = {issue.assumed for issue in lines}
    common = f": {assumed.pop()}" if len(assumed) == 1 else ""
    head = f"{title} ({len(lines):,}){plain(common, None)}"
    console.print(Text(head, style=_STYLE[lines[0].level]), soft_wrap=_whole(console))
    for issue in lines[:limit]:
        where = f"{issue.file or issue.sample}: " if issue.file or issue.sample else ""
        tail = "" if common or not issue.assumed else f"; {issue.assumed}"
        console.print(
            Text(f"  {plain(f'{where}{issue.found}{tail}', None)}"), soft_wrap=_whole(console)
        )
    if limit is not None and len(lines) > limit:
        console.print(f"  … and {len(lines) - limit:,} more (--all)")
