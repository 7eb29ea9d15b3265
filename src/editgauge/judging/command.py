"""Run a judge session to its end: rows, calibration, the entry in the manifest. No printing: what
happens is told by callbacks.
"""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict

from editgauge import catalog
from editgauge.judging import batch as batches
from editgauge.judging import models, trust
from editgauge.judging.engine import Stats
from editgauge.judging.outcome import Outcome, facts
from editgauge.judging.run import judge as judge_all
from editgauge.judging.session import Session, judging_of
from editgauge.judging.views import views
from editgauge.scoring.derived import derive

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
    say = say or (lambda text: None)
    running = _Running(session, progress, say, interruptible)
    began = time.monotonic()
    complete = False
    try:
        complete = asyncio.run(running.main())
    except (asyncio.CancelledError, KeyboardInterrupt):
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
    derive(todo.run, catalog.find("benchmarks", todo.benchmark))
    notes = [*running.notes, *views(todo.run, todo.benchmark, todo.source)]
    return Outcome(session, complete and not running.interrupted, running.interrupted, notes)


class _Running:
    """One run in its event loop."""

    def __init__(
        self, session: Session, progress: Progress | None, say: Say, interruptible: bool
    ) -> None:
        self.session, self.progress, self.say = session, progress, say
        self.interruptible = interruptible
        self.interrupted = False
        self.notes: list[str] = []

    async def main(self) -> bool:
        session, todo = self.session, self.session.todo
        if self.interruptible:
            self._take_signals()
        async with todo.engine.client:
            listed = asyncio.create_task(self._warn_of_end())  # no call needs to wait for it
            try:
                complete = await judge_all(todo, session.samples, session.edits, self.progress)
            except BaseException:
                listed.cancel()
                raise
            await listed
            if complete and not session.options.offline and self._wants_calibration():
                mark = str(todo.run.manifest().get("created", ""))
                judging = judging_of(catalog.find("benchmarks", "mini"))
                self.notes.extend((await trust.calibrate(todo.engine, judging, mark)).lines())
            return complete

    async def _warn_of_end(self) -> None:
        model = self.session.options.model
        if self.session.options.offline:
            return
        listed = await self.session.todo.engine.client.get(f"/models/{model}")
        if warning := models.end_warning(model, listed):
            self.notes.append(warning)
            self.say(f"warning: {warning}")

    def _take_signals(self) -> None:
        task = asyncio.current_task()

        def on_signal() -> None:
            if self.interrupted and task is not None:
                task.cancel()
            self.interrupted = True
            self.session.todo.engine.stop()
            self.say("stopping: waiting for calls in flight (Ctrl-C again drops them)")

        with suppress(NotImplementedError, RuntimeError, ValueError):  # not the main thread
            asyncio.get_running_loop().add_signal_handler(signal.SIGINT, on_signal)

    def _wants_calibration(self) -> bool:
        return trust.wanted(self.session.options.calibration, self.session.todo.engine.stats.asked)


def batch(session: Session, action: str) -> batches.Batched:
    """Submit or collect batches of a session; see `batch`."""
    session.asks()
    todo = session.todo

    async def main() -> batches.Batched:
        async with todo.engine.client:
            jobs = todo.jobs(session.samples, session.edits, None)
            work = batches.submit if action == "submit" else batches.collect
            return await work(todo.engine, jobs)

    done = asyncio.run(main())
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

    async def main() -> trust.Probe:
        async with engine.client:
            folder = session.todo.run.cache_folder / "probe"
            return await trust.probe_injection(engine, judging, folder)

    found = asyncio.run(main())
    session.todo.run.record(
        "judge probe injection",
        model=session.options.model,
        rise=found.rise,
        **facts(engine.stats),
    )
    return found
