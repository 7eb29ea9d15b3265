"""Before anything is sent: what a judge run would cost, and what it would say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from editgauge.errors import ImageError
from editgauge.judging.options import thinks
from editgauge.judging.protocol import Picture
from editgauge.judging.session import Session
from editgauge.services.prices import TYPICAL_REPLY, estimate_input


@dataclass(slots=True)
class Line:
    """Calls to be paid, those already in the store, tokens, dollars (None: no price)."""

    calls: int = 0
    stored: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    dollars: float | None = None


@dataclass(slots=True, kw_only=True)
class Estimate:
    """What is left to ask, by the names of calls and in all (``total``); `bought`: how much of it
    the budget pays for, "" where there is none.
    """

    calls: dict[str, Line] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    bought: str = ""

    @property
    def total(self) -> Line:
        return self.calls["total"]

    def lines(self) -> Iterator[str]:
        """In words."""
        yield f"{'':<22}{'calls':>9}{'stored':>9}{'tokens in':>13}{'out':>10}{'US dollars':>12}"
        for name, line in sorted(self.calls.items(), key=lambda one: (one[0] == "total", one[0])):
            money = "no price" if line.dollars is None else f"{line.dollars:.2f}"
            tokens = f"{line.tokens_in:>13,}{line.tokens_out:>10,}"
            yield f"{name:<22}{line.calls:>9,}{line.stored:>9,}{tokens}{money:>12}"
        yield from filter(None, (*self.notes, self.bought))
        yield "nothing was sent; the real usage of the first calls will say more"


def of_session(session: Session) -> Estimate:
    """What is left to ask in a session; nothing is sent and no picture is decoded.

    Pictures count by the provider's rule, a reply `TYPICAL_REPLY` tokens or what such a judge
    usually thinks; what a provider serves from its cache is left out.
    """
    engine, price, total = session.engine, session.price, Line()
    estimate, left = Estimate(calls={"total": total}), set[str]()
    usual = max(TYPICAL_REPLY, thinks(engine.model))
    for job in session.jobs(looking=True):
        try:
            stored = engine.stored(engine.key(job))
            sizes = [engine.pictures.size(picture) for picture in job.call.pictures]
        except ImageError:  # it costs nothing
            continue
        asks = stored is None or stored.status in engine.retry
        tokens = estimate_input(len(engine.body(job)), sizes, price) if asks else 0
        out = min(usual, engine.room(job.call)) if asks else 0
        for line in (estimate.calls.setdefault(job.call.name, Line()), total):
            line.calls += asks
            line.stored += not asks
            line.tokens_in += tokens
            line.tokens_out += out
            if price is not None:
                line.dollars = (line.dollars or 0.0) + price.of(tokens, out)
        left |= {job.about["sample"]} if asks else set()
    estimate.notes = [f"no price of {engine.model} is known, and none is given"]
    if price is not None:
        rates = f"{price.input:g} in and {price.output:g} out for a million, {price.source}"
        estimate.notes = [f"price: {rates}; a batch costs {price.batch:.0%} of it"]
    estimate.notes += session.options.notes
    if session.options.budget is not None and total.dollars:
        has = max(0.0, session.options.budget - engine.ledger.totals.booked)
        editors = len({edit.editor for edit in session.edits if edit.path})
        many = min(len(left), int(len(left) * has / total.dollars))
        estimate.bought = (
            f"the budget pays for about {many} of {len(left)} samples left, each for all {editors} "
            f"editors ({has:.2f} of about {total.dollars:.2f} US dollars)"
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
