"""Run a judge session to its end: rows, calibration, the entry in the manifest. No printing: what
happens is told by callbacks.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, field

from editgauge import catalog
from editgauge.judging import batch as batches
from editgauge.judging import models, trust
from editgauge.judging.asking import Stats
from editgauge.judging.outcome import Outcome, facts
from editgauge.judging.run import judge as judge_all
from editgauge.judging.session import Session, judging_of
from editgauge.judging.views import views

Progress = Callable[[Stats], None]
Say = Callable[[str], None]


def run(
    session: Session,
    *,
    progress: Progress | None = None,
    say: Say | None = None,
    interruptible: bool = False,
) -> Outcome:
    """Judge what is to be judged.

    `progress` gets the counts after each call, `say` warnings. With `interruptible` Ctrl-C ends
    what is in flight, and a second Ctrl-C drops it (main thread only). Raises `RunError` when going
    on makes no sense; what was done is kept and recorded.
    """
    session.asks()
    todo = session.todo
    running = _Running(session=session, progress=progress, say=say or (lambda text: None))
    began = time.monotonic()
    complete = False
    try:
        with running.signals() if interruptible else nullcontext():
            complete = running.main()
    except KeyboardInterrupt:
        running.interrupted = True
    finally:
        todo.run.record(
            "judge",
            benchmark=todo.benchmark,
            judge=todo.source,
            model=session.options.model,
            answered=todo.engine.answered,
            server=todo.engine.client.host,
            protocol=todo.protocol,
            plugins=session.plugins,
            options=dict(todo.options),
            asking=session.options.asking.named(),
            repeats=session.options.repeats,
            editors=sorted({record.editor for record in session.edits}),
            data=session.data_hash,
            samples=len(session.samples),
            complete=complete,
            seconds=round(time.monotonic() - began, 3),
            **facts(todo.engine.stats),
        )
    notes = [*running.notes, *todo.engine.warnings()]
    notes += views(todo.run, todo.benchmark, todo.source)
    return Outcome(session, complete and not running.interrupted, running.interrupted, notes)


@dataclass(slots=True, kw_only=True)
class _Running:
    """One run of a session."""

    session: Session
    progress: Progress | None
    say: Say
    interrupted: bool = False
    notes: list[str] = field(default_factory=list)

    def main(self) -> bool:
        session, todo = self.session, self.session.todo
        looking = threading.Thread(target=self._warn_of_end, daemon=True)
        looking.start()  # no call needs to wait for it
        complete = judge_all(todo, session.samples, session.edits, self.progress)
        looking.join(20)
        if complete and not session.options.offline and self._wants_calibration():
            mark = str(todo.run.manifest().get("created", ""))
            judging = judging_of(catalog.find("benchmarks", "mini"))
            self.notes.extend(trust.calibrate(todo.engine, judging, mark).lines())
        return complete

    def _warn_of_end(self) -> None:
        model = self.session.options.model
        if self.session.options.offline:
            return
        listed = self.session.todo.engine.client.get(f"/models/{model}")
        if warning := models.end_warning(model, listed):
            self.notes.append(warning)
            self.say(f"warning: {warning}")

    @contextmanager
    def signals(self) -> Iterator[None]:
        """Ctrl-C ends what is in flight, a second one drops it."""
        before = signal.getsignal(signal.SIGINT)

        def on_signal(number: int, frame: object) -> None:
            if self.interrupted:
                raise KeyboardInterrupt
            self.interrupted = True
            self.session.todo.engine.stop()
            self.say("stopping: waiting for calls in flight (Ctrl-C again drops them)")

        if threading.current_thread() is not threading.main_thread():
            yield
            return
        signal.signal(signal.SIGINT, on_signal)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def _wants_calibration(self) -> bool:
        return trust.wanted(self.session.options.calibration, self.session.todo.engine.stats.asked)


def batch(session: Session, action: str) -> batches.Batched:
    """Submit or collect batches of a session; see `batch`."""
    session.asks()
    todo = session.todo

    jobs = todo.jobs(session.samples, session.edits, None)
    done = (batches.submit if action == "submit" else batches.collect)(todo.engine, jobs)
    todo.run.record(
        f"judge batch {action}",
        benchmark=todo.benchmark,
        model=session.options.model,
        **{**facts(todo.engine.stats), **asdict(done)},
    )
    return done


def probe(session: Session) -> trust.Probe:
    """Show the judge pictures with orders in them; see `trust.probe_injection`."""
    session.asks()
    engine = session.todo.engine
    judging = judging_of(catalog.find("benchmarks", "mini"))

    found = trust.probe_injection(engine, judging, session.todo.run.cache_folder / "probe")
    session.todo.run.record(
        "judge probe injection",
        model=session.options.model,
        rise=found.rise,
        **facts(engine.stats),
    )
    return found
