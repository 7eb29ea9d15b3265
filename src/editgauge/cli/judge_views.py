"""`editgauge judge show` and `estimate`: what would be sent, and what it would cost. Nothing is."""

from __future__ import annotations

from typing import Any

import typer

from editgauge.cli.groups import grouped
from editgauge.cli.judge_options import What, Who
from editgauge.cli.judge_requests import How, Money, Traffic
from editgauge.cli.judge_session import session
from editgauge.cli.options import JsonOpt


def register(group: typer.Typer) -> None:
    example = "editgauge judge {} textedit DATA --run runs/my-model --model gpt-4o-2024-11-20"
    group.command("show", epilog=f"Example: {example.format('show')} --sample 1.1.1/3")(show)
    group.command("estimate", epilog=f"Example: {example.format('estimate')}")(estimate)


@grouped
def show(what: What, who: Who, how: How, json: JsonOpt = False) -> None:
    """Print what would be sent: words in full, pictures by name and size. Sends nothing."""
    from editgauge.cli import common
    from editgauge.judging.estimate import shown

    with session(what, who, how, looking=True) as opened:
        calls = shown(opened)
        common.warn(opened.todo.run)
    if json:
        common.print_json({"calls": calls})
    else:
        print("\n".join(_lines(calls)))


def _lines(calls: list[dict[str, Any]]) -> list[str]:
    found = []
    for call in calls:
        found.append(
            f"=== {call['sample']} · {call['editor']} · {call['call']} · rubric "
            f"{call['rubric']} ==="
        )
        found += [f"{name}: {value}" for name, value in call["parameters"].items()]
        for message in call["messages"]:
            found.append(f"--- {message['role']} ---")
            found += message["parts"]
    return found or ["nothing would be sent: no output of this sample can be judged"]


@grouped
def estimate(
    what: What, who: Who, how: How, traffic: Traffic, money: Money, json: JsonOpt = False
) -> None:
    """Print calls, tokens and dollars of what is left to ask. Sends nothing."""
    from editgauge.cli import common
    from editgauge.judging.estimate import of_session

    with session(what, who, how, traffic, money, looking=True) as opened:
        found = of_session(opened)
        common.warn(opened.todo.run)
    if json:
        common.print_json(found.as_json())
    else:
        print("\n".join(found.lines()))
