"""Before anything is sent: what a judge run would cost, and what it would say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from editgauge.errors import ImageError
from editgauge.judging.chat import parameters
from editgauge.judging.engine import Engine
from editgauge.judging.jobs import Job
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
    """What is left to ask in a session. Nothing is sent and no picture is decoded."""
    todo, price = session.todo, session.price
    found = Estimate(benchmark=todo.benchmark, model=session.options.model, price=price)
    left: set[str] = set()
    for job in todo.jobs(session.samples, session.edits, looking=True):
        line = line_of(todo.engine, job, price)
        if line is None:
            continue
        editor = str(job.about["editor"])
        if line.calls:
            left.add(str(job.about["sample"]))
        for of, name in ((found.calls, job.call.name), (found.editors, editor)):
            of.setdefault(name, Line()).add(line)
        found.total.add(line)
    if price is not None and found.total.calls:
        found.batch = price.of(found.total.tokens_in, found.total.tokens_out, batch=True)
    found.bought = _bought(session, found.total, len(left))
    return found


def line_of(engine: Engine, job: Job, price: Price | None) -> Line | None:
    """One call's line; None for a picture that cannot be read, which costs nothing.

    Picture tokens follow the provider's rule for the size as sent. A reply counts `TYPICAL_REPLY`
    tokens, or what a judge of its kind usually thinks. What a provider serves from its cache is
    left out: the estimate is on the safe side.
    """
    try:
        stored = engine.store.get(engine.key(job))
        sizes = [engine.pictures.size(picture) for picture in job.call.pictures]
    except ImageError:
        return None
    if stored is not None and stored.status not in engine.settings.retry:
        return Line(stored=1)
    tokens = estimate_input(len(engine.body(job)), sizes, price)
    out = min(max(TYPICAL_REPLY, engine.settings.thinking), engine.room(job.call))
    return Line(1, 0, tokens, out, None if price is None else price.of(tokens, out))


def _bought(session: Session, total: Line, samples: int) -> str:
    """How much of the comparison the budget pays for, in a sentence; `samples` are left to ask."""
    budget, dollars = session.options.budget, total.dollars
    if budget is None or not dollars or not total.calls:
        return ""
    left = max(0.0, budget - session.todo.engine.ledger.totals.booked)
    editors = len({edit.editor for edit in session.edits if edit.path})
    many = samples if left >= dollars else int(samples * left / dollars)
    return (
        f"the budget pays for about {many} of {samples} samples left, each for all {editors} "
        f"editors ({left:.2f} of about {dollars:.2f} US dollars)"
    )


def shown(session: Session) -> list[dict[str, Any]]:
    """The calls of the chosen samples in the first repeat: for each its sample, editor, call,
    rubric, parameters, and messages with texts in full and pictures by name and size.
    """
    session.todo.repeats = 1
    engine = session.todo.engine
    return [
        {**job.about, **_shown(job, engine)}
        for job in session.todo.jobs(session.samples, session.edits, looking=True)
    ]


def _shown(job: Job, engine: Engine) -> dict[str, Any]:
    call, settings = job.call, engine.settings
    room = engine.room(call)
    sent = parameters(call, settings.model, engine.dialect, settings.asking, room)
    sent["schema"] = call.schema()
    sent.pop("response_format", None)

    def part_of(part: str | Picture) -> str:
        return part if isinstance(part, str) else _picture(part, engine)

    messages = [
        {"role": message.role, "parts": [part_of(part) for part in message.parts]}
        for message in call.chat()
    ]
    return {"call": call.name, "rubric": call.rubric, "parameters": sent, "messages": messages}


def _picture(picture: Picture, engine: Engine) -> str:
    pictures = engine.pictures
    size = " x ".join(map(str, pictures.size(picture)))
    changed = "" if pictures.as_it_is(picture) else ", as PNG"
    return f"[picture: {picture.name}, {picture.path.name}, {size}{changed}]"
