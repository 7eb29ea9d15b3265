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
    from editgauge.judging import session as judging

    how, traffic, money = how or How(), traffic or Traffic(), money or Money()
    options = judging.Options(
        model=who.model,
        base_url=who.base_url,
        protocol=who.protocol,
        prompts=who.prompts,
        rubrics=who.rubrics,
        options=who.option or (),
        dimensions=judging.words(who.dimensions),
        asking=judging.asking_of(
            temperature=how.temperature,
            seed=how.seed,
            max_tokens=how.max_tokens,
            reasoning_effort=how.reasoning_effort,
            detail=how.detail,
            encoding=how.encoding,
            metadata=how.keep_metadata,
        ),
        concurrency=traffic.concurrency,
        repeats=who.repeat,
        retry=judging.retried(traffic.retry),
        repair=not traffic.no_repair,
        timeout=traffic.timeout,
        deadline=traffic.deadline,
        budget=money.budget,
        price=money.price,
        prices=money.prices,
        replies=who.replies,
        offline=traffic.offline,
        allow_alias=who.allow_alias,
        calibration=traffic.calibration,
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
    return judging.Session(options, chosen, looking=looking)
