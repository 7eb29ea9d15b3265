"""Batches, the half-price way to ask: another way into the same reply store. Replies that are cut
off or cannot be read are left to a later ordinary run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from editgauge.errors import BudgetExceeded, ImageError, RunError
from editgauge.judging.asking import FIRST, Job
from editgauge.judging.chat import pieces
from editgauge.judging.engine import Engine
from editgauge.services.batches import Batches, Line
from editgauge.services.paid import failed

LEAST_BYTES = 1000
"""Every request has so many bytes of words: a bill for fewer tokens is none."""


@dataclass(slots=True, kw_only=True)
class Batched:
    """What `submit` or `collect` did. `waiting`: calls in unfinished batches; `failed`: batches
    that ended without results; `broke`: why the budget left calls out.
    """

    batches: list[str] = field(default_factory=list)
    calls: int = 0
    waiting: int = 0
    failed: list[str] = field(default_factory=list)
    broke: str = ""


def _batches(engine: Engine) -> Batches:
    address, model = engine.client.address, engine.model
    return Batches(calls=engine.paid, address=address, notes=engine.replies, model=model)


def submit(engine: Engine, jobs: Iterable[Job]) -> Batched:
    """Send all calls that are neither stored nor waiting, as far as the budget goes. Raises as
    `Batches.submit` does.
    """
    batches = _batches(engine)
    waiting = {key for batch in batches.pending() for key in batch.calls}
    result = Batched(waiting=len(waiting))
    try:
        for sent in batches.submit(_lines(engine, jobs, waiting)):
            result.batches.append(sent.number)
            result.calls += len(sent.calls)
            result.waiting += len(sent.calls)
    except BudgetExceeded as error:
        result.broke = str(error)
    return result


def _lines(engine: Engine, jobs: Iterable[Job], taken: set[str]) -> Iterator[Line]:
    for job in jobs:
        try:
            key = engine.key(job)
            if key in taken or engine.stored(key) is not None:
                continue
            words = engine.body(job)
            encoded = [engine.pictures.encode(picture) for picture in job.call.pictures]
        except ImageError:
            continue  # it ends as unreadable when rows are made
        taken.add(key)
        most = engine.most(job, FIRST, len(words), batch=True)
        yield Line(key, b"".join(pieces(words, encoded)), most)


def collect(engine: Engine) -> Batched:
    """Fetch finished batches into the store, whichever command submitted them. Raises `RunError`
    when another model answered than the one that answered first; its replies are kept apart.
    """
    result, batches = Batched(), _batches(engine)
    others: set[str] = set()
    for batch, answers in batches.ended():
        if answers is None:
            result.waiting += len(batch.calls)
            continue
        for key, response in answers.items():
            outcome = failed(response, engine.client.secrets)
            if 200 <= response.status < 300:
                outcome = engine.heard(response, LEAST_BYTES, batch=True)
            batches.settle(key, outcome)
            if outcome.value is not None and not engine.is_ours(model := outcome.value.answered):
                others.add(model)
                key = f"{key} {model}"
            engine.prove(engine.dialect)
            engine.put(key, outcome, {"batch": batch.number})
        result.failed += [] if answers else [f"{batch.number}: {batch.state}"]
        batches.close(batch, batch.state)
        result.batches.append(batch.number)
        result.calls += len(answers)
        engine.stats.requests += len(answers)
    if others:
        raise RunError(
            f"{', '.join(sorted(others))} answered in a batch, {engine.answered} answered first; "
            f"two judges are not mixed"
        )
    return result
