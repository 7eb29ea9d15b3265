"""What a judge run would cost, before anything is sent."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from editgauge import catalog
from editgauge.errors import ImageError
from editgauge.judging import trust
from editgauge.judging.asking import Engine, Job
from editgauge.judging.session import Session, judging_of
from editgauge.services.cost import TYPICAL_REPLY, estimate_input
from editgauge.services.prices import Price

CACHED_SHARE = 0.5
"""Of a repeated beginning, how much providers were seen to serve from their cache; only the words
are repeated.
"""
CACHE_FROM = 1024
"""Providers cache beginnings of this many tokens or more."""


@dataclass(slots=True)
class Line:
    """One dimension of an estimate: calls to be paid, those already in the store, tokens, dollars
    (None: no price).
    """

    calls: int = 0
    stored: int = 0
    tokens_in: int = 0
    tokens_cached: int = 0
    tokens_out: int = 0
    dollars: float | None = None


def bought(session: Session, total: Line) -> str:
    """How much of the comparison the budget pays for, in a sentence; "" where there is none, or no
    price. `total` is the line of all calls that are left.
    """
    budget, dollars = session.options.budget, total.dollars
    if budget is None or not dollars or not total.calls:
        return ""
    left = max(0.0, budget - session.todo.engine.ledger.totals.booked)
    samples = len({edit.sample for edit in session.edits if edit.path})
    editors = len({edit.editor for edit in session.edits if edit.path})
    many = samples if left >= dollars else int(samples * left / dollars)
    return (
        f"the budget pays for about {many} of {samples} samples, each for all {editors} editors "
        f"({left:.2f} of about {dollars:.2f} US dollars)"
    )


CALIBRATION = "calibration"
"""The name of the line for the frozen set's calls."""


def of_session(session: Session, *, batch: bool = False) -> dict[str, Line]:
    """What is left to ask in a session, the calls of its calibration included where it has one."""
    engine, todo = session.todo.engine, session.todo
    jobs = list(todo.jobs(session.samples, session.edits, None))
    lines = estimate(engine, jobs, session.price, batch=batch)
    if not batch and trust.wanted(session.options.calibration, lines[""].calls):
        judging = judging_of(catalog.find("benchmarks", "mini"))
        frozen = trust.calibration_jobs(judging, str(todo.run.manifest().get("created", "")))
        more = estimate(engine, frozen, session.price)[""]
        lines[CALIBRATION] = more
        lines[""] = _sum([lines[""], more])
    return lines


def estimate(
    engine: Engine, jobs: Iterable[Job], price: Price | None, *, batch: bool = False
) -> dict[str, Line]:
    """Calls, tokens and dollars by call name; ``""`` holds the sum. Nothing is sent and no picture
    is decoded.

    Picture tokens follow the provider's rule for the size as sent. A reply counts `TYPICAL_REPLY`
    tokens, or what a judge of its kind usually thinks. The cached share is that of words that come
    again at the start of a call (a rubric as system message, 1,024 tokens or more).
    """
    lines: dict[str, Line] = {"": Line()}
    for job in jobs:
        line = lines.setdefault(job.call.name, Line())
        try:
            stored = engine.store.get(engine.key(job))
            sizes = [engine.pictures.size(picture) for picture in job.call.pictures]
        except ImageError:
            continue  # it will end as unreadable and costs nothing
        if stored is not None and stored.status not in engine.settings.retry:
            line.stored += 1
            continue
        rule, factor = (price.images, price.factor) if price else ("openai-tiles", 1.0)
        tokens = estimate_input(len(engine.body(job)), sizes, rule, factor)
        start = estimate_input(len((job.call.system or "").encode()), ())
        cached = int(start * CACHED_SHARE) if start >= CACHE_FROM else 0
        out = min(max(TYPICAL_REPLY, engine.settings.thinking), engine.room(job.call))
        line.calls += 1
        line.tokens_in += tokens
        line.tokens_cached += cached
        line.tokens_out += out
        if price is not None:
            line.dollars = (line.dollars or 0.0) + price.of(tokens, out, cached, batch=batch)
    lines[""] = _sum([line for name, line in lines.items() if name])
    return lines


def _sum(lines: Iterable[Line]) -> Line:
    total = Line()
    for line in lines:
        total.calls += line.calls
        total.stored += line.stored
        total.tokens_in += line.tokens_in
        total.tokens_cached += line.tokens_cached
        total.tokens_out += line.tokens_out
        if line.dollars is not None:
            total.dollars = (total.dollars or 0.0) + line.dollars
    return total
