"""`editgauge judge decide` (also ``judge … --decide A B``): ask only until two editors are told
apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from editgauge.cli.common import JsonOpt
from editgauge.cli.groups import grouped
from editgauge.cli.judge_options import What, Who
from editgauge.cli.judge_requests import How, Money, Traffic
from editgauge.cli.judge_session import session

if TYPE_CHECKING:
    from editgauge.judging.session import Session
    from editgauge.study.decision import Decision

_EXAMPLE = (
    "Example: editgauge judge decide textedit DATA --run RUN --model gpt-4o-2024-11-20 --a old "
    "--b new --metric IF --margin 0.2"
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

    what.editor = [a, b]
    with session(what, who, how, traffic, money) as opened:
        found = _decide(opened, a, b, metric, margin, alpha, by, order_seed, batch)
    facts = asdict(found)
    opened.todo.run.record("judge decide", a=a, b=b, metric=metric, model=who.model, **facts)
    if json:
        print_json({"a": a, "b": b, **facts})
        return
    print(found.line(a, b))
    print(f"next: editgauge compare {what.run} {a} {b}")


def _decide(
    opened: Session,
    a: str,
    b: str,
    metric: str,
    margin: float,
    alpha: float,
    by: str,
    seed: int,
    batch: int,
) -> Decision:
    import asyncio

    from editgauge.errors import BudgetExceeded, UsageError
    from editgauge.judging.run import judge
    from editgauge.store.labels import Samples
    from editgauge.study import decision

    metrics = {item.name: item for item in opened.todo.judging.metrics}
    if not metric and len(metrics) == 1:
        metric = next(iter(metrics))
    if metric not in metrics:
        raise UsageError(f"--metric {metric!r}: wanted one of {', '.join(metrics)}")
    about = metrics[metric]
    opened.asks()
    todo = opened.todo
    have = {(edit.sample, edit.editor) for edit in opened.edits if edit.path}
    samples = {s.id: s for s in opened.samples if {(s.id, a), (s.id, b)} <= have}
    records = {str(record["id"]): record for record in todo.run.samples(todo.benchmark)}
    index = Samples(records[name] for name in samples)
    strata = index.labels(by).tolist() if by else None
    runner = asyncio.Runner()

    def ask(ids: Sequence[str]) -> Mapping[str, tuple[float | None, float | None]]:
        wanted = [samples[name] for name in ids]
        edits = [edit for edit in opened.edits if edit.sample in set(ids)]
        if not runner.run(judge(todo, wanted, edits, None)):
            raise BudgetExceeded(
                "stopped before it was decided; run the same command again with a higher --budget"
            )
        return _scores(opened, ids, a, b, metric)

    with runner:
        runner.run(todo.engine.client.__aenter__())
        try:
            return decision.decide(
                ask,
                decision.order(list(samples), strata, seed=seed),
                low=about.low,
                high=about.high,
                direction=about.direction or "higher",
                margin=margin,
                alpha=alpha,
                batch=batch,
            )
        finally:
            runner.run(todo.engine.client.__aexit__(None, None, None))


def _scores(
    opened: Session, ids: Sequence[str], a: str, b: str, metric: str
) -> dict[str, tuple[float | None, float | None]]:
    """Both editors' scores of some samples, as the rows of this judge say (faithful where it has
    that variant).
    """
    import math

    from editgauge.tables.frame import Frame

    todo = opened.todo
    frame = Frame.of_runs([todo.run], todo.benchmark)
    frame = frame.only(frame.columns.source == frame.sources.index(todo.source))
    variant = "corrected" if frame.has(metric, "corrected") else "faithful"
    values = frame.of_editors([a, b]).grid(metric, variant).values
    places = {name: number for number, name in enumerate(frame.samples.ids)}

    def one(editor: int, name: str) -> float | None:
        value = float(values[editor, places[name]])
        return None if math.isnan(value) else value

    return {name: (one(0, name), one(1, name)) for name in ids}
