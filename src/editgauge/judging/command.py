"""Run a judge session to its end: rows and the entry in the manifest. No printing: what happens is
told by callbacks, and what came of it is an `Outcome`.
"""

from __future__ import annotations

import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, field
from typing import Any

from editgauge.judging import batch as batches
from editgauge.judging import models, trust
from editgauge.judging.engine import Progress
from editgauge.judging.session import Session
from editgauge.types import JUDGE_SCORER, Status

Say = Callable[[str], None]


@dataclass(slots=True)
class Outcome:
    """What a judge command did."""

    session: Session
    complete: bool
    interrupted: bool
    notes: list[str] = field(default_factory=list)
    dollars_of_run: float = 0.0
    """US dollars for judging in this run, all commands together."""

    @property
    def broke(self) -> str:
        """Why the budget ended the command, or empty."""
        return self.session.todo.engine.broke

    @property
    def without_score(self) -> int:
        """Metrics of edits that have no score, those that were not asked included."""
        fine = (Status.SCORED.value, Status.NOT_APPLICABLE.value)
        counts = self.session.todo.summary.counts.items()
        corrected = [counter for key, counter in counts if key[3] == "corrected"]
        missing = sum(n for counter in corrected for s, n in counter.items() if s not in fine)
        return self.session.todo.engine.stats.unasked + missing

    def as_json(self) -> dict[str, Any]:
        todo = self.session.todo
        return {
            "run": self.session.named,
            "benchmark": todo.benchmark,
            "judge": todo.source,
            "answered": todo.engine.answered,
            "complete": self.complete,
            "interrupted": self.interrupted,
            "over_budget": bool(self.broke),
            **todo.engine.stats.facts(),
            "dollars_of_run": round(self.dollars_of_run, 6),
            "refused_by_category": todo.refused,
            "rows_made": todo.summary.computed,
            "rows_kept": todo.summary.kept,
            "without_score": self.without_score,
            "counts": [
                {"editor": e, "metric": m, "variant": v, "statuses": dict(counter)}
                for (e, _, m, v), counter in sorted(todo.summary.counts.items())
            ],
            "notes": self.notes,
        }

    def lines(self) -> Iterator[str]:
        """What was done, in words, and what to do next."""
        todo, stats = self.session.todo, self.session.todo.engine.stats
        for editor, counts in sorted(self._samples().items()):
            told = Counter(counts).most_common()
            words = ", ".join(f"{n} {status.replace('_', ' ')}" for status, n in told)
            yield f"{editor}, samples: {words}"
        yield from (f"refused in {name}: {n}" for name, n in sorted(todo.refused.items()))
        yield from (f"note: {note}" for note in self.notes)
        other = todo.engine.answered not in ("", self.session.options.model)
        yield f"judge: {todo.source}" + f" (answered by {todo.engine.answered})" * other
        yield (
            f"{stats.requests} requests, {stats.from_store} replies from the store, "
            f"{stats.tokens_in:,} tokens in, {stats.tokens_out:,} out{self._money()}"
        )
        yield f"{todo.summary.computed} new rows, {todo.summary.kept} reused"
        if stats.unasked:
            yield f"{stats.unasked} calls are not in the reply store: they have no row"
        yield f"rows:  {self.session.named}"
        yield self._ending()

    def _samples(self) -> dict[str, dict[str, int]]:
        """editor -> status -> samples, of the editors that this command looked at."""
        todo = self.session.todo
        among = [sample.id for sample in self.session.samples]
        counts = todo.run.samples_by_status(
            todo.benchmark, [JUDGE_SCORER], among=among, source=todo.source, variant="corrected"
        )
        editors = {key[0] for key in todo.summary.counts}
        return {editor: of for editor, of in counts.items() if editor in editors}

    def _money(self) -> str:
        price, stats = self.session.price, self.session.todo.engine.stats
        if price is None:
            return ", costs not counted: no price is known (--price IN/OUT)"
        if price.free:
            return ""
        unbilled, said = stats.dollars_unbilled, f", {stats.dollars:.4f} US dollars"
        if unbilled > 5e-5:
            said += f" ({unbilled:.4f} of it estimated: no usable bill came)"
        if self.dollars_of_run > stats.dollars + 5e-5:
            said += f"; {self.dollars_of_run:.4f} for judging in this run, all commands together"
        return said

    def _ending(self) -> str:
        if self.broke:
            return self.broke
        if not self.complete and self.session.options.offline:
            return "next:  the same command without --offline asks what is missing"
        if self.interrupted or not self.complete:
            return "stopped; the same command goes on from here"
        benchmark = self.session.todo.benchmark
        return f"next:  editgauge table {self.session.named} --benchmark {benchmark}"


def run(
    session: Session,
    *,
    progress: Progress | None = None,
    say: Say = lambda text: None,
    interruptible: bool = False,
) -> Outcome:
    """Judge what is to be judged.

    `progress` gets the counts after each call, `say` warnings. With `interruptible` Ctrl-C ends
    what is in flight, and a second Ctrl-C drops it (main thread only). Raises `RunError` when going
    on makes no sense; what was done is kept and recorded.
    """
    session.asks()
    todo, began = session.todo, time.monotonic()
    stopped = threading.Event()
    complete, notes = False, []
    if warning := models.end_warning(session.options.model):
        notes.append(warning)
        say(f"warning: {warning}")
    try:
        with _signals(session, stopped, say) if interruptible else nullcontext():
            complete = todo.judge(session.samples, session.edits, progress)
    except KeyboardInterrupt:
        stopped.set()
    finally:
        todo.run.record(
            "judge",
            benchmark=todo.benchmark,
            judge=todo.source,
            model=session.options.model,
            answered=todo.engine.answered,
            server=todo.engine.client.host,
            protocol=todo.protocol,
            plugins=list(todo.prompts.plugins),
            options=dict(todo.options),
            asking=todo.engine.settings.named(),
            repeats=session.options.repeat,
            editors=sorted({record.editor for record in session.edits}),
            data=session.data_hash,
            samples=len(session.samples),
            complete=complete,
            seconds=round(time.monotonic() - began, 3),
            **todo.engine.stats.facts(),
        )
    notes += todo.engine.warnings()
    booked = todo.engine.ledger.totals.booked
    return Outcome(session, complete and not stopped.is_set(), stopped.is_set(), notes, booked)


@contextmanager
def _signals(session: Session, stopped: threading.Event, say: Say) -> Iterator[None]:
    """Ctrl-C ends what is in flight, a second one drops it."""

    def on_signal(number: int, frame: object) -> None:
        if stopped.is_set():
            raise KeyboardInterrupt
        stopped.set()
        session.todo.engine.stop()
        say("stopping: waiting for calls in flight (Ctrl-C again drops them)")

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, on_signal)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def batch(session: Session, action: str) -> batches.Batched:
    """Submit or collect batches of a session; see `batch`."""
    session.asks()
    todo = session.todo
    if action == "submit":
        jobs = todo.jobs(session.samples, session.edits, looking=True)
        done = batches.submit(todo.engine, jobs)
    else:
        done = batches.collect(todo.engine)
    facts = {**todo.engine.stats.facts(), **asdict(done)}
    todo.run.record(
        f"judge batch {action}", benchmark=todo.benchmark, model=session.options.model, **facts
    )
    return done


def probe(session: Session) -> trust.Probe:
    """Ask whether the judge can be trusted; see `trust.probe`."""
    session.asks()
    engine = session.todo.engine
    found = trust.probe(engine, session.todo.run.cache_folder / "probe")
    facts = {"sees": found.sees, "obedient": found.obedient, **engine.stats.facts()}
    session.todo.run.record("judge probe", model=session.options.model, **facts)
    return found
