"""`editgauge judge batch` and `probe`: scores at half the price, and a look at the judge."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer

from editgauge.cli import judge_compare, judge_import
from editgauge.cli.groups import grouped
from editgauge.cli.judge_options import What, Who
from editgauge.cli.judge_requests import How, Money, Traffic
from editgauge.cli.judge_session import session
from editgauge.cli.options import JsonOpt


def register(group: typer.Typer) -> None:
    with_gpt = "textedit DATA --run runs/my-model --model gpt-4o-2024-11-20"
    group.command("batch", epilog=f"Example: editgauge judge batch {with_gpt} --what submit")(batch)
    judge_import.register(group)
    judge_compare.register(group)
    group.command("probe", epilog=f"Example: editgauge judge probe {with_gpt}")(probe)


def _emit(lines: list[str], facts: dict[str, Any], json: bool) -> None:
    from editgauge.cli import common

    if json:
        common.print_json(facts)
    else:
        print("\n".join(lines))


@grouped
def batch(
    what: What,
    who: Who,
    how: How,
    traffic: Traffic,
    money: Money,
    action: Annotated[str, typer.Option("--what", help="submit or collect.")] = "",
    json: JsonOpt = False,
) -> None:
    """Ask by OpenAI-style batches, at half the price within a day: submit, and later collect."""
    from editgauge.cli.judge import judge
    from editgauge.judging import command
    from editgauge.store import selection

    selection.one_of("--what", action, ("submit", "collect"))
    with session(what, who, how, traffic, money) as opened:
        done = command.batch(opened, action)
        lines = [
            f"{action}: {done.calls} calls in {len(done.batches)} batches; {done.waiting} wait"
        ]
        lines += [f"note: batch ended without results: {name}" for name in done.failed]
        if done.waiting:
            lines.append("next:  editgauge judge batch … --what collect, within a day")
        lines += [done.broke] if done.broke else []
        collected = action == "collect" and not done.waiting
        if not (collected and json):
            _emit(lines, {"what": action, **asdict(done)}, json)
        if done.broke:
            raise typer.Exit(3)
        if collected:
            opened.go_offline()
            judge(opened, json)


@grouped
def probe(
    what: What,
    who: Who,
    how: How,
    traffic: Traffic,
    money: Money,
    json: JsonOpt = False,
) -> None:
    """Can the judge be trusted today? Does it see, does it know a finished edit, does it obey
    orders inside pictures? Some 60 calls.
    """
    from editgauge.judging import command

    with session(what, who, how, traffic, money) as opened:
        seen = command.probe(opened)
    _emit(seen.lines(), seen.as_json(), json)
