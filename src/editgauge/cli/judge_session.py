"""The session that the options of `editgauge judge` describe."""

from __future__ import annotations

from typing import TYPE_CHECKING

from editgauge.cli.judge_options import What, Who
from editgauge.cli.judge_requests import How, Money, Traffic

if TYPE_CHECKING:
    from editgauge.judging.session import Session


def session(
    what: What,
    who: Who,
    how: How | None = None,
    traffic: Traffic | None = None,
    money: Money | None = None,
    *,
    looking: bool = False,
) -> Session:
    """The session that the options describe, `looking`: in which nothing is asked. Raises
    `UsageError` before anything is paid.
    """
    from editgauge.judging import options as judging
    from editgauge.judging.session import Session

    how, traffic, money = how or How(), traffic or Traffic(), money or Money()
    options = judging.JudgeOptions(
        model=who.model,
        base_url=who.base_url or "",
        allow_alias=who.allow_alias,
        prompts=who.prompts,
        protocol=who.protocol,
        dimensions=who.dimensions,
        set=who.option or (),
        repeat=who.repeat,
        temperature=how.temperature,
        seed=how.seed,
        max_tokens=how.max_tokens,
        reasoning_effort=how.reasoning_effort,
        concurrency=traffic.concurrency,
        timeout=traffic.timeout,
        retry=traffic.retry,
        offline=traffic.offline,
        replies=who.replies,
        budget=money.budget,
        price=money.price,
    )
    chosen = judging.Selection(
        benchmark=what.benchmark,
        data=what.data,
        run=what.run,
        outputs=what.outputs,
        editors=what.editor or (),
        split=what.split,
        limit=what.limit,
        first=what.first,
        ids=what.sample or (),
        where=what.where or (),
    )
    return Session(options, chosen, looking=looking)
