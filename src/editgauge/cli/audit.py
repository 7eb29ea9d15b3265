"""`editgauge audit [FILE…]`: is a published table consistent with itself and with its benchmark's
formula?
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from editgauge.tables.audit import Audit, Report

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
    from editgauge.tables.audit import read_sheet

    kinds = all_audits()
    if files:
        sheets = [read_sheet(path) for path in files]
        reports = [choose(kinds, sheet.headings, sheet.name, kind)(sheet) for sheet in sheets]
    else:
        reports = [item(read_sheet(path)) for item in kinds for path in item.files]
    _print(reports, as_json)
    if any(not report.consistent for report in reports):
        raise typer.Exit(1)


def all_audits() -> list[Audit]:
    """Every kind of table that can be checked, in the order of the benchmarks."""
    from editgauge import catalog
    from editgauge.errors import EditgaugeError

    found: list[Audit] = []
    for name in catalog.names("benchmarks"):
        try:
            found += catalog.find("benchmarks", name).audits()
        except EditgaugeError:
            if name in catalog.BENCHMARKS:
                raise  # another package's fault costs its own audits and nothing else
    return found


def choose(kinds: list[Audit], headings: tuple[str, ...], name: str, wanted: str) -> Audit:
    """The kind that a table is of. Raises `UsageError` when the headings are those of none, or the
    word of none.
    """
    from editgauge.errors import UsageError

    if wanted:
        found = [kind for kind in kinds if kind.kind == wanted]
        if not found:
            raise UsageError(
                f"--as {wanted!r}: wanted one of: {'; '.join(kind.kind for kind in kinds)}"
            )
        missing = sorted(found[0].headings - set(headings))
        if missing:
            raise UsageError(
                f"{name}: a table of {wanted!r} has headings {', '.join(missing)}, which are not "
                f"there"
            )
        return found[0]
    fitting = [kind for kind in kinds if kind.headings <= set(headings)]
    if not fitting:
        known = "; ".join(f"{kind.kind}: {', '.join(sorted(kind.headings))}…" for kind in kinds)
        raise UsageError(
            f"{name}: the headings ({', '.join(headings)[:120]}) are those of no known table. "
            f"{known}"
        )
    return max(fitting, key=lambda kind: len(kind.headings))


def _print(reports: list[Report], as_json: bool) -> None:
    from dataclasses import asdict

    from editgauge.cli.common import print_json
    from editgauge.escape import plain

    if as_json:
        print_json(
            {"tables": [{**asdict(report), "consistent": report.consistent} for report in reports]}
        )
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
    bad = sum(not report.consistent for report in reports)
    typer.echo(
        f"{len(reports)} tables, {sum(r.checked for r in reports)} checks, {bad} tables with "
        f"inconsistent numbers"
    )
