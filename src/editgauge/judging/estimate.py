"""Before anything is sent: what a judge run would cost, and what it would say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from editgauge.errors import ImageError
from editgauge.judging.options import thinks
from editgauge.judging.protocol import Picture
from editgauge.judging.session import Session
from editgauge.services.prices import TYPICAL_REPLY, estimate_input
from editgauge.types import JsonObject


@dataclass(slots=True, kw_only=True)
class Estimate:
    """What is left to ask: in ``calls.total`` calls to be paid, those already ``stored``,
    ``tokens_in``, ``tokens_out``, ``dollars`` (None: no price), on so many `samples`; `bought`: how
    much of it the budget pays for, "" where there is none.
    """

    calls: dict[str, JsonObject]
    notes: list[str]
    samples: int = 0
    bought: str = ""

    def lines(self) -> Iterator[str]:
        """In words."""
        for name, number in self.calls["total"].items():
            shown = f"{number:,.2f}" if isinstance(number, float) else f"{number or 0:,}"
            yield f"{name.replace('_', ' '):<12}{'no price' if number is None else shown:>12}"
        yield from filter(None, (*self.notes, self.bought))
        yield "nothing was sent; the real usage of the first calls will say more"


def of_session(session: Session) -> Estimate:
    """What is left to ask in a session; nothing is sent and no picture is decoded.

    Pictures count by the provider's rule, a reply `TYPICAL_REPLY` tokens or what such a judge
    usually thinks; what a provider serves from its cache is left out.
    """
    engine, price, options = session.engine, session.price, session.options
    left, usual = set[str](), max(TYPICAL_REPLY, thinks(engine.model))
    total: JsonObject = {"calls": 0, "stored": 0, "tokens_in": 0, "tokens_out": 0}
    for job in session.jobs(looking=True):
        try:
            stands = engine.stands(job)
            sizes = [engine.pictures.size(picture) for picture in job.call.pictures]
        except ImageError:  # it costs nothing
            continue
        if stands:
            total["stored"] += 1
            continue
        left.add(job.about["sample"])
        total["calls"] += 1
        total["tokens_in"] += estimate_input(len(engine.body(job)), sizes, price)
        total["tokens_out"] += min(usual, engine.room(job.call))
    total["dollars"], told = None, f"no price of {engine.model} is known, and none is given"
    if price is not None:
        total["dollars"] = price.of(total["tokens_in"], total["tokens_out"])
        rates = f"{price.input:g} in and {price.output:g} out for a million, {price.source}"
        told = f"price: {rates}; a batch costs {price.batch:.0%} of it"
    estimate = Estimate(calls={"total": total}, notes=[told, *options.notes], samples=len(left))
    estimate.bought = bought([session], [estimate])
    return estimate


def together(estimates: Sequence[Estimate]) -> JsonObject:
    """The sums of several judges' estimates; no ``dollars`` where one of them has no price."""
    total: JsonObject = {}
    for name in estimates[0].calls["total"]:
        numbers = [estimate.calls["total"][name] for estimate in estimates]
        total[name] = None if None in numbers else sum(numbers)
    return total


def bought(sessions: Sequence[Session], estimates: Sequence[Estimate]) -> str:
    """Say how many of the samples that are left the budget of these judges pays for; "" where
    there is none, or no price.
    """
    first = sessions[0]
    budget = first.options.budget
    dollars = sum(estimate.calls["total"]["dollars"] or 0.0 for estimate in estimates)
    if budget is None or not dollars:
        return ""
    left = max(estimate.samples for estimate in estimates)
    has = max(0.0, budget - first.engine.ledger.totals.booked)
    paid = min(left, int(left * has / dollars))
    editors = len({edit.editor for edit in first.edits if edit.path})
    judges = f" by all {len(sessions)} judges" if len(sessions) > 1 else ""
    return (
        f"the budget pays for about {paid} of {left} samples left, each for all {editors} editors"
        f"{judges} ({has:.2f} of about {dollars:.2f} US dollars)"
    )


def shown(session: Session) -> list[JsonObject]:
    """The first repeat's calls: parameters, texts in full, pictures by name and size."""
    pictures = session.engine.pictures

    def part_of(part: str | Picture) -> str:
        if isinstance(part, str):
            return part
        size = " x ".join(map(str, pictures.size(part)))
        changed = "" if pictures.as_it_is(part) else ", as PNG"
        return f"[picture: {part.name}, {part.path.name}, {size}{changed}]"

    return [
        {
            **job.about,
            "call": job.call.name,
            "rubric": job.call.rubric,
            "parameters": session.engine.parameters(job.call),
            "messages": [
                {"role": message.role, "parts": list(map(part_of, message.parts))}
                for message in job.call.chat()
            ],
        }
        for job in session.jobs(looking=True, repeats=1)
    ]
