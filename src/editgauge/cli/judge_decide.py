"""`editgauge judge decide` (also ``judge … --decide A B``): ask only until two editors are told
apart.
"""

from __future__ import annotations

from typing import Annotated

import typer

from editgauge.cli.groups import grouped
from editgauge.cli.judge_options import What, Who
from editgauge.cli.judge_requests import How, Money, Traffic
from editgauge.cli.judge_session import session
from editgauge.cli.options import JsonOpt

_EXAMPLE = (
    "Example: editgauge judge decide textedit DATA --run RUN --model gpt-4o-2024-11-20 --a old "
    "--b new --metric Q1 --margin 0.2"
)


def register(group: typer.Typer) -> None:
    group.command("decide", epilog=_EXAMPLE)(decide)


@grouped
def decide(
    what: What,
    who: Who,
    how: How,
    traffic: Traffic,
    money: Money,
    a: Annotated[str, typer.Option("--a", help="The baseline editor.")],
    b: Annotated[str, typer.Option("--b", help="The candidate: differences are B minus A.")],
    metric: Annotated[str, typer.Option(help="What decides; needed where there are several.")] = "",
    margin: Annotated[
        float, typer.Option(min=0.0, help="Differences smaller than this are equivalent.")
    ] = 0.0,
    alpha: Annotated[float, typer.Option(help="How often a decision may be wrong.")] = 0.05,
    by: Annotated[
        str, typer.Option(metavar="ATTR", help="Keep the shares of this attribute in every batch.")
    ] = "",
    order_seed: Annotated[int, typer.Option(help="Of the order in which samples are asked.")] = 0,
    batch: Annotated[int, typer.Option(min=1, help="Samples between two looks.")] = 8,
    json: JsonOpt = False,
) -> None:
    """Judge two editors in a random order and stop when one is better, or both are equivalent.

    The interval is valid however often one looks (betting, arXiv 2010.09686). What was asked is in
    the rows, and is not paid again by a later run.
    """
    from dataclasses import asdict

    from editgauge.cli.common import print_json
    from editgauge.run import decide as evaluation

    what.editor = [a, b]
    question = evaluation.Question(
        a=a,
        b=b,
        metric=metric,
        margin=margin,
        alpha=alpha,
        by=by,
        seed=order_seed,
        batch=batch,
    )
    with session(what, who, how, traffic, money) as opened:
        decision = evaluation.decide(opened, question)
    facts = asdict(decision)
    opened.todo.run.record("judge decide", a=a, b=b, metric=metric, model=who.model, **facts)
    if json:
        print_json({"a": a, "b": b, **facts})
        return
    print(decision.line(a, b))
    print(f"next: editgauge compare {what.run} {a} {b}")
