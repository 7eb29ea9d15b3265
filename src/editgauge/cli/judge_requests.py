"""Options of `editgauge judge`: how a judge is asked, how fast, and for how much."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import typer


@dataclass(slots=True, kw_only=True)
class How:
    """What is set of every request; it becomes part of the judge's name in rows."""

    title: ClassVar[str] = "Requests"
    temperature: Annotated[
        float | None,
        typer.Option("--temperature", min=0, max=2, help="Default: the protocol's own."),
    ] = None
    seed: Annotated[
        int | None,
        typer.Option("--seed", min=-(2**63), max=2**63 - 1, help="Sent to the server."),
    ] = None
    max_tokens: Annotated[
        int | None,
        typer.Option(
            "--max-tokens",
            min=1,
            max=1_000_000,
            help="Tokens of a reply, thinking included. Default: the protocol's, more for judges "
            "that think.",
        ),
    ] = None
    reasoning_effort: Annotated[
        str,
        typer.Option("--reasoning-effort", help="none, minimal, low, medium or high, where taken."),
    ] = ""


@dataclass(slots=True, kw_only=True)
class Traffic:
    """How requests are sent, and what is asked again."""

    title: ClassVar[str] = "Traffic"
    concurrency: Annotated[
        int, typer.Option("--concurrency", min=1, max=1024, help="Calls at once, at most.")
    ] = 16
    timeout: Annotated[
        float | None,
        typer.Option(
            "--timeout",
            min=0.1,
            help="Seconds for one request. Default: 120, for judges that think 600.",
        ),
    ] = None
    retry: Annotated[
        str,
        typer.Option(
            "--retry",
            help="Ask again where this came out: failed, refused, unparsable (by commas).",
        ),
    ] = ""
    offline: Annotated[
        bool, typer.Option("--offline", help="Make rows from stored replies; send nothing.")
    ] = False


@dataclass(slots=True, kw_only=True)
class Money:
    """What may be spent, and what calls cost."""

    title: ClassVar[str] = "Cost"
    budget: Annotated[
        float | None,
        typer.Option(
            "--budget",
            min=0,
            help="US dollars that judging in this run may cost, all commands together; stops "
            "before (exit 3).",
        ),
    ] = None
    price: Annotated[
        str,
        typer.Option("--price", help="IN/OUT: US dollars for a million tokens in and out."),
    ] = ""
