"""What `editgauge judge` prints without sending anything: the calls themselves, and what they would
cost.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from editgauge.judging import estimate as estimates
from editgauge.judging.session import Setup


@dataclass(slots=True)
class Shown:
    """Exactly what would be sent: words in full, pictures by name and size."""

    calls: list[dict[str, Any]]

    def as_json(self) -> dict[str, Any]:
        return {"calls": self.calls}

    def lines(self) -> list[str]:
        found = []
        for call in self.calls:
            found.append(
                f"=== {call['sample']} · {call['editor']} · {call['call']} · rubric "
                f"{call['rubric']} ==="
            )
            found += [f"{name}: {value}" for name, value in call["parameters"].items()]
            for message in call["messages"]:
                found.append(f"--- {message['role']} ---")
                found += message["parts"]
        return found or ["nothing would be sent: no output of this sample can be judged"]


def show(setup: Setup) -> Shown:
    """The calls of the chosen samples in the first repeat."""
    setup.todo.repeats = 1
    calls = []
    for job in setup.todo.jobs(setup.samples, setup.edits, None):
        call = job.call
        pictures = setup.todo.engine.pictures
        parts = [
            part
            if isinstance(part, str)
            else f"[picture: {part.name}, {part.path.name}, "
            f"{' x '.join(map(str, pictures.size(part)))}"
            + ("]" if pictures.as_it_is(part) else ", resized or converted to PNG]")
            for part in call.parts
        ]
        messages = [{"role": "system", "parts": [call.system]}] if call.system else []
        messages.append({"role": "user", "parts": parts})
        parameters = {
            "model": setup.model,
            "max_tokens": call.max_tokens,
            "temperature": call.temperature,
        }
        parameters["schema"] = call.schema()
        calls.append(
            {
                **job.about,
                "call": call.name,
                "rubric": call.rubric,
                "parameters": parameters,
                "messages": messages,
            }
        )
    return Shown(calls)


@dataclass(slots=True)
class Estimated:
    benchmark: str
    model: str
    found: dict[str, estimates.Line]
    batch: dict[str, estimates.Line]

    def as_json(self) -> dict[str, Any]:
        lines = {name or "total": asdict(line) for name, line in self.found.items()}
        return {
            "benchmark": self.benchmark,
            "model": self.model,
            "calls": lines,
            "batch": self.batch[""].dollars,
        }

    def lines(self) -> list[str]:
        out = [f"{self.benchmark} with {self.model}"]
        head = (
            f"{'call':<22}{'calls':>9}{'stored':>9}{'tokens in':>13}{'cached':>10}"
            f"{'out':>10}{'US dollars':>12}"
        )
        out.append(head)
        for name, line in sorted(self.found.items(), key=lambda item: item[0] == ""):
            money = (
                "no price" if line.dollars is None and line.calls else f"{line.dollars or 0:.2f}"
            )
            out.append(
                f"{name or 'all':<22}{line.calls:>9,}{line.stored:>9,}{line.tokens_in:>13,}"
                f"{line.tokens_cached:>10,}"
                f"{line.tokens_out:>10,}{money:>12}"
            )
        if self.batch[""].dollars is not None:
            out.append(f"as a batch: {self.batch[''].dollars:.2f} US dollars")
        out.append("nothing was sent; the real usage of the first calls will say more")
        return out


def estimate(setup: Setup) -> Estimated:
    """Calls, tokens and dollars of what is left to ask."""
    jobs = list(setup.todo.jobs(setup.samples, setup.edits, None))
    engine = setup.todo.engine
    found = estimates.estimate(engine, jobs, setup.price)
    return Estimated(
        setup.todo.benchmark,
        setup.model,
        found,
        estimates.estimate(engine, jobs, setup.price, batch=True),
    )
