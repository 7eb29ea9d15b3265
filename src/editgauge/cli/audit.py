"""`editgauge audit [FILE…]`: is a published table consistent with itself and with its benchmark's
formula?
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from editgauge.tables.audit import Report

_EXAMPLE = (
    "Example: editgauge audit my-table.csv (or without a file: every table published for "
    "the four benchmarks)"
)
_SHOWN = 6


def register(app: typer.Typer) -> None:
    app.command("audit", epilog=_EXAMPLE)(audit)


def audit(
    files: Annotated[
        list[Path] | None, typer.Argument(metavar="[FILE…]", help="Tables as csv.")
    ] = None,
    kind: Annotated[
        str, typer.Option("--as", help="What the table is, where its headings do not tell.")
    ] = "",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object instead of text.")
    ] = False,
) -> None:
    """Check a published table against itself. Exit code 1 when a number does not follow from the
    others.
    """
    from editgauge.tables.audit import all_audits, audited, read_sheets

    kinds = all_audits()
    if files:
        found = [audited(kinds, path, kind) for path in files]
        reports = [report for some, _ in found for report in some]
        others = [name for _, names in found for name in names]
    else:
        reports = [item(*read_sheets(path)) for item in kinds for path in item.files]
        others = []
    _print(reports, others, as_json)
    if any(not report.consistent for report in reports):
        raise typer.Exit(1)


def _print(reports: list[Report], others: list[str], as_json: bool) -> None:
    from dataclasses import asdict

    from editgauge.cli.common import print_json
    from editgauge.escape import plain

    if as_json:
        told = [{**asdict(report), "consistent": report.consistent} for report in reports]
        print_json({"tables": told, "not_checked": others})
        return
    for report in reports:
        state = "consistent" if report.consistent else f"{len(report.findings)} INCONSISTENT"
        typer.echo(f"{plain(report.name)} ({report.kind}): {report.checked} checks, {state}")
        for finding in report.findings[:_SHOWN]:
            typer.echo(f"  - {plain(str(finding), 400)}")
        if len(report.findings) > _SHOWN:
            typer.echo(f"  - and {len(report.findings) - _SHOWN} more (--json lists all)")
        for remark in report.remarks:
            typer.echo(f"  > {plain(remark, None)}")
    for name in others:
        typer.echo(f"{plain(name)}: not checked: the headings are those of no known table")
    bad = sum(not report.consistent for report in reports)
    typer.echo(
        f"{len(reports)} tables, {sum(r.checked for r in reports)} checks, {bad} tables with "
        f"inconsistent numbers"
    )
