"""`editgauge costs RUN`: what judges and editors of a run have cost, and what no bill says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from editgauge.cli.options import JsonOpt

if TYPE_CHECKING:
    from editgauge.services.statement import Statement

_EXAMPLE = "Example: editgauge costs runs/my-model --settle 0.12"
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
    waiting: Annotated[
        bool,
        typer.Option(
            "--waiting",
            rich_help_panel=_PANEL,
            help="Also those in batches or jobs at the service; no later command looks for their "
            "bills.",
        ),
    ] = False,
    forget_ratio: Annotated[
        bool,
        typer.Option(
            "--forget-ratio",
            help="Book the next requests at their estimates again, whatever bills came before.",
        ),
    ] = False,
    json: JsonOpt = False,
) -> None:
    """Show what was billed and what stands booked without a bill, and why; settle that with the
    provider's own figure, so that a budget holds no more than was spent.
    """
    from dataclasses import asdict

    from editgauge.cli import common
    from editgauge.errors import UsageError
    from editgauge.services import statement as statements
    from editgauge.services.ledger import FILE
    from editgauge.store.remote_run import working

    if settle is None and (purpose or model or reason or waiting):
        raise UsageError("--purpose, --model, --reason and --waiting say what --settle settles")
    with working(run) as here:
        path = here / FILE
        found = statements.statement(path)
        if settle is not None:
            found = statements.settle(
                path, settle, purpose=purpose, model=model, why=reason, waiting=waiting
            )
        if forget_ratio:
            found = statements.forget_ratios(path)
    if json:
        common.print_json({"run": str(run), **asdict(found)})
    else:
        print("\n".join(_lines(found, run)))


def _lines(found: Statement, run: Path) -> list[str]:
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
    out += [
        f"settled {_time(one.at)}: {one.requests} to {one.model or '?'} at {one.dollars:.4f}, "
        f"which stood at {one.booked:.4f} ({one.why})"
        for one in found.settlements
    ]
    out += [
        f"{model}: a next request is booked at {ratio:.1f} times its estimate, because one of the "
        f"last bills was that far above (--forget-ratio)"
        for model, ratio in sorted(found.ratios.items())
    ]
    if found.busy:
        out.append("a command is at work on this run: what is under way is still to be billed")
    elif found.standing:
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
