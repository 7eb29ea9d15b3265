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
from dataclasses import asdict, dataclass
from typing import Any

from editgauge.judging import batch as batches
from editgauge.judging import models
from editgauge.judging import probe as probes
from editgauge.judging.engine import Progress
from editgauge.judging.session import Session
from editgauge.types import JUDGE_SCORER, Status

Say = Callable[[str], None]


@dataclass(slots=True)
class Outcome:
    """What a judge command did. `dollars_of_run`: US dollars for judging in this run, all commands
    together.
    """

    session: Session
    complete: bool
    interrupted: bool
    notes: list[str]
    dollars_of_run: float

    @property
    def broke(self) -> str:
        """Why the budget ended the command, or empty."""
        return self.session.engine.broke

    @property
    def without_score(self) -> int:
        """Metrics of edits that have no score, those that were not asked included."""
        fine = (Status.SCORED.value, Status.NOT_APPLICABLE.value)
        counts = self.session.summary.counts.items()
        corrected = [counter for key, counter in counts if key[3] == "corrected"]
        missing = sum(n for counter in corrected for s, n in counter.items() if s not in fine)
        return self.session.engine.stats.unasked + missing

    def as_json(self) -> dict[str, Any]:
        session, summary = self.session, self.session.summary
        return {
            "run": session.named,
            "benchmark": session.benchmark,
            "judge": session.source,
            "answered": session.engine.answered,
            "complete": self.complete,
            "interrupted": self.interrupted,
            "over_budget": bool(self.broke),
            **session.engine.stats.facts(),
            "dollars_of_run": round(self.dollars_of_run, 6),
            "refused_by_category": session.refused,
            "rows_made": summary.computed,
            "rows_kept": summary.kept,
            "without_score": self.without_score,
            "notes": self.notes,
        }

    def lines(self) -> Iterator[str]:
        """What was done, in words, and what to do next."""
        session, stats = self.session, self.session.engine.stats
        among = [sample.id for sample in session.samples]
        counts = session.run.samples_by_status(
            session.benchmark, [JUDGE_SCORER], among=among, source=session.source,
            variant="corrected",
        )  # fmt: skip
        for editor in sorted({key[0] for key in session.summary.counts} & counts.keys()):
            told = Counter(counts[editor]).most_common()
            words = ", ".join(f"{n} {status.replace('_', ' ')}" for status, n in told)
            yield f"{editor}, samples: {words}"
        yield from (f"refused in {name}: {n}" for name, n in sorted(session.refused.items()))
        yield from (f"note: {note}" for note in self.notes)
        answered = session.engine.answered
        other = answered not in ("", session.options.model)
        yield f"judge: {session.source}" + f" (answered by {answered})" * other
        yield (
            f"{stats.requests} requests, {stats.from_store} replies from the store, "
            f"{stats.tokens_in:,} tokens in, {stats.tokens_out:,} out{self._money()}"
        )
        yield f"{session.summary.computed} new rows, {session.summary.kept} reused"
        if stats.unasked:
            yield f"{stats.unasked} calls are not in the reply store: they have no row"
        yield f"rows:  {session.named}"
        if self.broke:
            yield self.broke
        elif not self.complete and session.options.offline:
            yield "next:  the same command without --offline asks what is missing"
        elif self.interrupted or not self.complete:
            yield "stopped; the same command goes on from here"
        else:
            yield f"next:  editgauge table {session.named} --benchmark {session.benchmark}"

    def _money(self) -> str:
        price, engine = self.session.price, self.session.engine
        if price is None:
            return ", costs not counted: no price is known (--price IN/OUT)"
        if price.free:
            return ""
        here, unbilled = engine.stats.dollars, engine.stats.dollars_unbilled
        in_all, said = self.dollars_of_run, f", {here:.4f} US dollars"
        if unbilled > 5e-5:
            said += f" ({unbilled:.4f} of it estimated: no usable bill came)"
        if in_all > here + 5e-5:
            said += f"; {in_all:.4f} for judging in this run, all commands together"
        return said


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
    engine, began = session.engine, time.monotonic()
    stopped = threading.Event()
    complete, notes = False, []
    if warning := models.end_warning(session.options.model):
        notes.append(warning)
        say(f"warning: {warning}")
    try:
        with _signals(session, stopped, say) if interruptible else nullcontext():
            complete = session.judge(progress=progress)
    except KeyboardInterrupt:
        stopped.set()
    finally:
        session.record(
            "judge",
            judge=session.source,
            answered=engine.answered,
            server=engine.client.host,
            protocol=session.protocol,
            plugins=list(session.prompts.plugins),
            options=session.given,
            asking=engine.named,
            repeats=session.options.repeat,
            editors=sorted({record.editor for record in session.edits}),
            data=session.data_hash,
            samples=len(session.samples),
            complete=complete,
            seconds=round(time.monotonic() - began, 3),
        )
    notes += engine.warnings()
    booked = engine.ledger.totals.booked
    return Outcome(session, complete and not stopped.is_set(), stopped.is_set(), notes, booked)


@contextmanager
def _signals(session: Session, stopped: threading.Event, say: Say) -> Iterator[None]:
    """Ctrl-C ends what is in flight, a second one drops it."""

    def on_signal(number: int, frame: object) -> None:
        if stopped.is_set():
            raise KeyboardInterrupt
        stopped.set()
        session.engine.stopping = True
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
    """``submit`` or ``collect`` batches of a session; see `batch`."""
    session.asks()
    engine = session.engine
    if action == "submit":
        done = batches.submit(engine, session.jobs(looking=True))
    else:
        done = batches.collect(engine)
    session.record(f"judge batch {action}", **asdict(done))
    return done


def probe(session: Session) -> dict[str, Any]:
    """Whether the judge sees (see `probe`): ``sees``, what it ``read``, what was ``shown``."""
    session.asks()
    said = probes.digits(session.engine, session.run.cache_folder / "probe")
    found = {"sees": tuple(said) == probes.DIGITS, "read": said, "shown": probes.DIGITS}
    session.record("judge probe", **found)
    return found
