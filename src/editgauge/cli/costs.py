"""`editgauge costs RUN`: what judges and editors of a run have cost, and what no bill says."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from editgauge.cli.options import JsonOpt

if TYPE_CHECKING:
    from editgauge.services.costs import Costs

_EXAMPLE = "Example: editgauge costs runs/my-model --settle 0.12"
PAID = "paid.sqlite"
_SHOWN = 30
_PANEL = "What is settled"


def register(app: typer.Typer) -> None:
    app.command("costs", epilog=_EXAMPLE)(costs)


def costs(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run folder.")],
    settle: Annotated[
        float | None,
        typer.Option(
            "--settle",
            metavar="DOLLARS",
            help="Book this, the provider's own figure, for all requests that stand without a "
            "bill.",
        ),
    ] = None,
    purpose: Annotated[
        str,
        typer.Option("--purpose", rich_help_panel=_PANEL, help="Only requests of judge or edit."),
    ] = "",
    model: Annotated[
        str, typer.Option("--model", rich_help_panel=_PANEL, help="Only requests to this model.")
    ] = "",
    reason: Annotated[
        str,
        typer.Option(
            "--reason", rich_help_panel=_PANEL, help="Only those with this in their reason: 429."
        ),
    ] = "",
    json: JsonOpt = False,
) -> None:
    """Show what was billed and what stands booked without a bill, and why; settle that with the
    provider's own figure, so that a budget holds no more than was spent.
    """
    from editgauge.cli import common
    from editgauge.errors import UsageError
    from editgauge.services import costs as paid
    from editgauge.store.remote import working

    if settle is None and (purpose or model or reason):
        raise UsageError("--purpose, --model and --reason say what --settle settles")
    with working(run) as here:
        if settle is not None:
            paid.settle(here / PAID, settle, purpose=purpose, model=model, why=reason)
        found = paid.costs(here / PAID)
    if json:
        common.print_json({"run": str(run), **asdict(found)})
    else:
        print("\n".join(_lines(found, run)))


def _lines(found: Costs, run: Path) -> list[str]:
    out = [
        f"{total.purpose or 'other'}: {total.booked:.4f} US dollars for {total.requests} requests, "
        f"{total.billed:.4f} of it by bills"
        for total in found.totals
    ] or ["nothing was booked"]
    if found.standing:
        out.append("booked without a bill:")
    for group in found.standing[:_SHOWN]:
        many = "requests" if group.requests != 1 else "request"
        out.append(
            f"  {group.dollars:.4f} for {group.requests} {many} to {group.model or '?'}, "
            f"{_time(group.since)} to {_time(group.until)}: {group.why}"
        )
    if len(found.standing) > _SHOWN:
        out.append(f"  … and {len(found.standing) - _SHOWN} more kinds (--json names all)")
    if found.standing:
        out.append(
            f"next:  look at the provider's bill of that time, then: editgauge costs {run} "
            f"--settle DOLLARS"
        )
    return out


def _time(seconds: float) -> str:
    from datetime import UTC, datetime

    try:
        return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M}"
    except (ValueError, OverflowError, OSError):
        return "?"
