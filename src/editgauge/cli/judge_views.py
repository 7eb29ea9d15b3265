"""`editgauge judge show` and `estimate`: what would be sent, and what it would cost. Nothing is."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import typer

from editgauge.cli.groups import grouped
from editgauge.cli.judge_options import What, Who
from editgauge.cli.judge_requests import How, Money, Traffic
from editgauge.cli.judge_session import session
from editgauge.cli.options import JsonOpt

if TYPE_CHECKING:
    from editgauge.judging.estimate import Line


def register(group: typer.Typer) -> None:
    example = "editgauge judge {} textedit DATA --run runs/my-model --model gpt-4o-2024-11-20"
    group.command("show", epilog=f"Example: {example.format('show')} --sample 1.1.1/3")(show)
    group.command("estimate", epilog=f"Example: {example.format('estimate')}")(estimate)


@grouped
def show(what: What, who: Who, how: How, json: JsonOpt = False) -> None:
    """Print what would be sent: words in full, pictures by name and size. Sends nothing."""
    from editgauge.cli import common
    from editgauge.judging.shown import shown

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
    from editgauge.judging.estimate import bought, of_session

    with session(what, who, how, traffic, money, looking=True) as opened:
        found, batch = of_session(opened), of_session(opened, batch=True)
        price, name = opened.price, opened.todo.benchmark
        told = bought(opened, found[""])
        common.warn(opened.todo.run)
    if json:
        lines = {call or "total": asdict(line) for call, line in found.items()}
        facts: dict[str, Any] = {"benchmark": name, "model": who.model, "calls": lines}
        facts |= {"budget": told} if told else {}
        facts |= {"batch": batch[""].dollars, "price": price.source if price else None}
        common.print_json(facts)
        return
    print(f"{name} with {who.model}")
    print("\n".join(_table(found)))
    if batch[""].dollars is not None:
        print(f"as a batch: {batch[''].dollars:.2f} US dollars")
    if price is not None:
        print(f"price: {price.input:g} in and {price.output:g} out for a million, {price.source}")
    else:
        print(f"the price of {who.model} is not known: give it with --price IN/OUT")
    if told:
        print(told)
    print("nothing was sent; the real usage of the first calls will say more")


def _table(found: dict[str, Line]) -> list[str]:
    head = ("calls", 9), ("stored", 9), ("tokens in", 13), ("cached", 10), ("out", 10)
    out = [f"{'call':<22}" + "".join(f"{word:>{width}}" for word, width in head)]
    out[0] += f"{'US dollars':>12}"
    for name, line in sorted(found.items(), key=lambda item: item[0] == ""):
        money = "no price" if line.dollars is None and line.calls else f"{line.dollars or 0:.2f}"
        out.append(
            f"{name or 'all':<22}{line.calls:>9,}{line.stored:>9,}{line.tokens_in:>13,}"
            f"{line.tokens_cached:>10,}{line.tokens_out:>10,}{money:>12}"
        )
    return out
