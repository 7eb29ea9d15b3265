"""Before anything is sent: what a judge run would cost, and what it would say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from editgauge.errors import ImageError
from editgauge.judging.options import thinks
from editgauge.judging.protocol import Picture
from editgauge.judging.session import Session
from editgauge.services.prices import TYPICAL_REPLY, estimate_input

COUNTS = ("calls", "stored", "tokens_in", "tokens_out")


@dataclass(slots=True, kw_only=True)
class Estimate:
    """What is left to ask, by the names of calls and in all (``total``): calls to be paid, those
    already ``stored``, ``tokens_in``, ``tokens_out``, ``dollars`` (None: no price); `bought`: how
    much of it the budget pays for, "" where there is none.
    """

    calls: dict[str, dict[str, Any]]
    notes: list[str] = field(default_factory=list)
    bought: str = ""

    def lines(self) -> Iterator[str]:
        """In words."""
        yield f"{'':<22}{'calls':>9}{'stored':>9}{'tokens in':>13}{'out':>10}{'US dollars':>12}"
        for name, line in sorted(self.calls.items(), key=lambda one: (one[0] == "total", one[0])):
            calls, stored, tokens_in, tokens_out, dollars = line.values()
            money = "no price" if dollars is None else f"{dollars:.2f}"
            tokens = f"{tokens_in:>13,}{tokens_out:>10,}"
            yield f"{name:<22}{calls:>9,}{stored:>9,}{tokens}{money:>12}"
        yield from filter(None, (*self.notes, self.bought))
        yield "nothing was sent; the real usage of the first calls will say more"


def of_session(session: Session) -> Estimate:
    """What is left to ask in a session; nothing is sent and no picture is decoded.

    Pictures count by the provider's rule, a reply `TYPICAL_REPLY` tokens or what such a judge
    usually thinks; what a provider serves from its cache is left out.
    """
    engine, price, options = session.engine, session.price, session.options
    calls: dict[str, Counter[str]] = {"total": Counter()}
    left, usual = set[str](), max(TYPICAL_REPLY, thinks(engine.model))
    for job in session.jobs(looking=True):
        try:
            stored = engine.stored(engine.key(job))
            sizes = [engine.pictures.size(picture) for picture in job.call.pictures]
        except ImageError:  # it costs nothing
            continue
        asks = stored is None or stored.status in engine.retry
        tokens = estimate_input(len(engine.body(job)), sizes, price) * asks
        out = min(usual, engine.room(job.call)) * asks
        for name in (job.call.name, "total"):
            counts = {"calls": asks, "stored": not asks, "tokens_in": tokens, "tokens_out": out}
            calls.setdefault(name, Counter()).update(counts)
        left |= {job.about["sample"]} if asks else set()
    estimate = Estimate(calls={
        name: {**dict.fromkeys(COUNTS, 0), **of, "dollars":
               price.of(of["tokens_in"], of["tokens_out"]) if price else None}
        for name, of in calls.items()
    })  # fmt: skip
    estimate.notes = [f"no price of {engine.model} is known, and none is given", *options.notes]
    if price is not None:
        rates = f"{price.input:g} in and {price.output:g} out for a million, {price.source}"
        estimate.notes[0] = f"price: {rates}; a batch costs {price.batch:.0%} of it"
    if options.budget is not None and (dollars := estimate.calls["total"]["dollars"]):
        has = max(0.0, options.budget - engine.ledger.totals.booked)
        editors = len({edit.editor for edit in session.edits if edit.path})
        many = min(len(left), int(len(left) * has / dollars))
        estimate.bought = (
            f"the budget pays for about {many} of {len(left)} samples left, each for all {editors} "
            f"editors ({has:.2f} of about {dollars:.2f} US dollars)"
        )
    return estimate


def shown(session: Session) -> list[dict[str, Any]]:
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
