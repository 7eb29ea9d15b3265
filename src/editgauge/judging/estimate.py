"""Before anything is sent: what a judge run would cost, and what it would say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from editgauge.errors import ImageError
from editgauge.judging.asking import Job
from editgauge.judging.engine import Engine
from editgauge.judging.protocol import Picture
from editgauge.judging.session import Session
from editgauge.services.prices import TYPICAL_REPLY, Price, estimate_input


@dataclass(slots=True)
class Line:
    """Calls to be paid, those already in the store, tokens, dollars (None: no price)."""

    calls: int = 0
    stored: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    dollars: float | None = None

    def add(self, calls: int, stored: int, tokens: tuple[int, int], dollars: float | None) -> None:
        self.calls += calls
        self.stored += stored
        self.tokens_in += tokens[0]
        self.tokens_out += tokens[1]
        if dollars is not None:
            self.dollars = (self.dollars or 0.0) + dollars

    def drawn(self, name: str) -> str:
        money = "no price" if self.dollars is None and self.calls else f"{self.dollars or 0:.2f}"
        return (
            f"{name:<22}{self.calls:>9,}{self.stored:>9,}{self.tokens_in:>13,}"
            f"{self.tokens_out:>10,}{money:>12}"
        )


@dataclass(slots=True, kw_only=True)
class Estimate:
    """What is left to ask: by call, by model, and in all. `bought` says how much of it the budget
    pays for, "" where there is none; `batch` is the price in dollars as a batch.
    """

    benchmark: str
    model: str
    price: Price | None
    calls: dict[str, Line] = field(default_factory=dict)
    editors: dict[str, Line] = field(default_factory=dict)
    total: Line = field(default_factory=Line)
    batch: float | None = None
    bought: str = ""

    def lines(self) -> Iterator[str]:
        """In words."""
        head = f"{'calls':>9}{'stored':>9}{'tokens in':>13}{'out':>10}{'US dollars':>12}"
        yield f"{self.benchmark} with {self.model}"
        yield f"{'call':<22}{head}"
        for of in (self.calls, self.editors if len(self.editors) > 1 else {}):
            yield from (line.drawn(name) for name, line in sorted(of.items()))
        yield self.total.drawn("all")
        if self.batch is not None:
            yield f"as a batch: {self.batch:.2f} US dollars"
        if self.price is None:
            yield f"the price of {self.model} is not known: give it with --price IN/OUT"
        else:
            told = f"{self.price.input:g} in and {self.price.output:g} out for a million"
            yield f"price: {told}, {self.price.source}"
        if self.bought:
            yield self.bought
        yield "nothing was sent; the real usage of the first calls will say more"

    def as_json(self) -> dict[str, Any]:
        calls = {name: asdict(line) for name, line in self.calls.items()}
        return {
            "benchmark": self.benchmark,
            "model": self.model,
            "calls": {**calls, "total": asdict(self.total)},
            "editors": {name: asdict(line) for name, line in self.editors.items()},
            "budget": self.bought,
            "batch": self.batch,
            "price": self.price.source if self.price else None,
        }


def of_session(session: Session) -> Estimate:
    """What is left to ask in a session. Nothing is sent and no picture is decoded.

    Picture tokens follow the provider's rule for the size as sent. A reply counts `TYPICAL_REPLY`
    tokens, or what a judge of its kind usually thinks. What a provider serves from its cache is
    left out: the estimate is on the safe side.
    """
    engine, price = session.engine, session.price
    found = Estimate(benchmark=session.benchmark, model=session.options.model, price=price)
    left: set[str] = set()
    for job in session.jobs(looking=True):
        try:
            stored = engine.stored(engine.key(job))
            sizes = [engine.pictures.size(picture) for picture in job.call.pictures]
        except ImageError:  # it costs nothing
            continue
        asked, tokens, dollars = 0, (0, 0), None
        if stored is None or stored.status in engine.settings.retry:
            out = min(max(TYPICAL_REPLY, engine.settings.thinking), engine.room(job.call))
            asked, tokens = 1, (estimate_input(len(engine.body(job)), sizes, price), out)
            dollars = None if price is None else price.of(*tokens)
            left.add(job.about["sample"])
        lines = found.calls, found.editors
        for of, name in zip(lines, (job.call.name, job.about["editor"]), strict=True):
            of.setdefault(name, Line()).add(asked, 1 - asked, tokens, dollars)
        found.total.add(asked, 1 - asked, tokens, dollars)
    if price is not None and found.total.calls:
        found.batch = price.of(found.total.tokens_in, found.total.tokens_out, batch=True)
    budget, total = session.options.budget, found.total.dollars
    if budget is not None and total:
        has = max(0.0, budget - engine.ledger.totals.booked)
        editors = len({edit.editor for edit in session.edits if edit.path})
        many = min(len(left), int(len(left) * has / total))
        found.bought = (
            f"the budget pays for about {many} of {len(left)} samples left, each for all {editors} "
            f"editors ({has:.2f} of about {total:.2f} US dollars)"
        )
    return found


def shown(session: Session) -> list[dict[str, Any]]:
    """The calls of the chosen samples in the first repeat: for each its sample, editor, call,
    rubric, parameters, and messages with texts in full and pictures by name and size.
    """
    return [
        {**job.about, **_shown(job, session.engine)}
        for job in session.jobs(looking=True, repeats=1)
    ]


def _shown(job: Job, engine: Engine) -> dict[str, Any]:
    call, pictures = job.call, engine.pictures
    sent = {**engine.parameters(call), "schema": call.schema()}
    sent.pop("response_format", None)

    def part_of(part: str | Picture) -> str:
        if isinstance(part, str):
            return part
        size = " x ".join(map(str, pictures.size(part)))
        changed = "" if pictures.as_it_is(part) else ", as PNG"
        return f"[picture: {part.name}, {part.path.name}, {size}{changed}]"

    messages = [
        {"role": message.role, "parts": [part_of(part) for part in message.parts]}
        for message in call.chat()
    ]
    return {"call": call.name, "rubric": call.rubric, "parameters": sent, "messages": messages}
