"""Before anything is sent: what a judge run would cost, and what it would say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from editgauge.errors import ImageError
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

    def add(self, other: Line) -> None:
        self.calls += other.calls
        self.stored += other.stored
        self.tokens_in += other.tokens_in
        self.tokens_out += other.tokens_out
        if other.dollars is not None:
            self.dollars = (self.dollars or 0.0) + other.dollars

    def drawn(self, name: str) -> str:
        money = "no price" if self.dollars is None and self.calls else f"{self.dollars or 0:.2f}"
        return (
            f"{name:<22}{self.calls:>9,}{self.stored:>9,}{self.tokens_in:>13,}"
            f"{self.tokens_out:>10,}{money:>12}"
        )


@dataclass(slots=True, kw_only=True)
class Estimate:
    """What is left to ask: by call, by model, and in all. `notes`: the price and what a batch would
    cost; `bought`: how much of it the budget pays for, "" where there is none.
    """

    calls: dict[str, Line] = field(default_factory=dict)
    editors: dict[str, Line] = field(default_factory=dict)
    total: Line = field(default_factory=Line)
    notes: list[str] = field(default_factory=list)
    bought: str = ""

    def lines(self) -> Iterator[str]:
        """In words."""
        yield f"{'':<22}{'calls':>9}{'stored':>9}{'tokens in':>13}{'out':>10}{'US dollars':>12}"
        for of in (self.calls, self.editors if len(self.editors) > 1 else {}):
            yield from (line.drawn(name) for name, line in sorted(of.items()))
        yield self.total.drawn("all")
        yield from filter(None, (*self.notes, self.bought))
        yield "nothing was sent; the real usage of the first calls will say more"

    def as_json(self) -> dict[str, Any]:
        told = asdict(self)
        return {**told, "calls": {**told["calls"], "total": told["total"]}}


def of_session(session: Session) -> Estimate:
    """What is left to ask in a session. Nothing is sent and no picture is decoded.

    Picture tokens follow the provider's rule for the size as sent. A reply counts `TYPICAL_REPLY`
    tokens, or what a judge of its kind usually thinks. What a provider serves from its cache is
    left out: the estimate is on the safe side.
    """
    engine, price, found = session.engine, session.price, Estimate()
    left: set[str] = set()
    for job in session.jobs(looking=True):
        try:
            stored = engine.stored(engine.key(job))
            sizes = [engine.pictures.size(picture) for picture in job.call.pictures]
        except ImageError:  # it costs nothing
            continue
        line = Line(stored=1)
        if stored is None or stored.status in engine.retry:
            out = min(max(TYPICAL_REPLY, engine.thinking.usual), engine.room(job.call))
            tokens = estimate_input(len(engine.body(job)), sizes, price)
            line = Line(1, 0, tokens, out, None if price is None else price.of(tokens, out))
            left.add(job.about["sample"])
        found.calls.setdefault(job.call.name, Line()).add(line)
        found.editors.setdefault(job.about["editor"], Line()).add(line)
        found.total.add(line)
    total = found.total
    if price is None:
        found.notes = [f"no price of {engine.model} is known: give it with --price IN/OUT"]
    else:
        as_batch = price.of(total.tokens_in, total.tokens_out, batch=True)
        told = f"price: {price.input:g} in and {price.output:g} out for a million, {price.source}"
        found.notes = [f"as a batch: {as_batch:.2f} US dollars", told]
    if session.options.budget is not None and total.dollars:
        has = max(0.0, session.options.budget - engine.ledger.totals.booked)
        editors = len({edit.editor for edit in session.edits if edit.path})
        many = min(len(left), int(len(left) * has / total.dollars))
        found.bought = (
            f"the budget pays for about {many} of {len(left)} samples left, each for all {editors} "
            f"editors ({has:.2f} of about {total.dollars:.2f} US dollars)"
        )
    return found


def shown(session: Session) -> list[dict[str, Any]]:
    """The calls of the chosen samples in the first repeat: for each its sample, editor, call,
    rubric, parameters, and messages with texts in full and pictures by name and size.
    """
    pictures, found = session.engine.pictures, []

    def part_of(part: str | Picture) -> str:
        if isinstance(part, str):
            return part
        size = " x ".join(map(str, pictures.size(part)))
        changed = "" if pictures.as_it_is(part) else ", as PNG"
        return f"[picture: {part.name}, {part.path.name}, {size}{changed}]"

    for job in session.jobs(looking=True, repeats=1):
        sent = {**session.engine.parameters(job.call), "schema": job.call.schema()}
        sent.pop("response_format", None)
        messages = [
            {"role": message.role, "parts": [part_of(part) for part in message.parts]}
            for message in job.call.chat()
        ]
        about = {**job.about, "call": job.call.name, "rubric": job.call.rubric}
        found.append({**about, "parameters": sent, "messages": messages})
    return found
