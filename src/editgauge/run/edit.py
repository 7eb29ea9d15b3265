"""Edit: call an editor on every sample without an output. A run that is killed loses the samples in
flight only. `edit` is the step, `make` finds an editor, `edit_material` records the call.
"""

from __future__ import annotations

import contextlib
import pickle
import re
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from editgauge import catalog, temporary
from editgauge.editors import tracks
from editgauge.editors.command import recorded
from editgauge.editors.editor import BaseEditor, as_editor
from editgauge.errors import (
    BudgetExceeded,
    EditgaugeError,
    ServiceStopped,
    Unavailable,
    UsageError,
)
from editgauge.run.material import Material
from editgauge.run.output import STOPS, edit_one, no_output
from editgauge.run.timelimit import Limited
from editgauge.run.workers import Workers, gpus_of, workers_of
from editgauge.scoring.scorer import Needs
from editgauge.services.secrets import words
from editgauge.store import lease
from editgauge.store.paths import plain_name
from editgauge.store.run import PAID, Run
from editgauge.store.schema import EditRecord, digest
from editgauge.types import Editor, JsonMapping, Sample, Status

Progress = Callable[[int, int, str], None]
_FINE = (Status.SCORED.value, Status.NOT_APPLICABLE.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What an editing call may take: `seconds` for each sample, and `stop_after` failures in a row
    with the same reason (0: any number).
    """

    seconds: float = 600.0
    stop_after: int = 5


@dataclass(slots=True, kw_only=True)
class EditSummary:
    """What an `edit` call did. `counts`: how many samples have each status now; `edited`: by this
    call; `given_back`: outputs that are the input handed back; `cost`: US dollars of this call, as
    far as they are known; `stopped`: why the call ended before its end (a budget, a refused key),
    and the `exit_code` of that error; `reasons`: status -> the first sample that ended so, and why;
    `spent`: what it cost in words, where anything does.
    """

    editor: str
    counts: Counter[str] = field(default_factory=Counter)
    edited: int = 0
    kept: int = 0
    given_back: int = 0
    seconds: float = 0.0
    cost: float = 0.0
    stopped: str = ""
    exit_code: int = 0
    reasons: dict[str, tuple[str, str]] = field(default_factory=dict)
    spent: str = ""

    def add(self, record: EditRecord, *, new: bool) -> None:
        self.counts[record.status.value] += 1
        self.edited += new
        self.kept += not new
        self.cost += (record.cost or 0.0) * new
        self.given_back += record.given_back is True
        if record.reason:
            self.reasons.setdefault(record.status.value, (record.sample, record.reason))

    @property
    def complete(self) -> bool:
        """Whether every sample has an output, or is not meant to have one."""
        return not any(n for status, n in self.counts.items() if status not in _FINE)

    def lines(self, benchmark: str) -> Iterator[str]:
        """What was done in words, with the first reason of each status that is no output."""
        tally = ", ".join(
            f"{n:,} {s.replace('scored', 'outputs').replace('_', ' ')}"
            for s, n in sorted(self.counts.items())
        )
        new = f"{self.edited} new in {self.seconds:.1f} s"
        yield f"{self.editor} on {benchmark}: {tally or 'no outputs'}; {new}"
        if self.given_back:
            yield f"  outputs that are the input as it was: {self.given_back:,}"
        for status, (sample, reason) in sorted(self.reasons.items()):
            if status not in _FINE:
                yield f"  {status} (again only when told: retry), first {sample}: {reason}"[:300]


# -- an editor by its name -------------------------------------------------------------------------


class Made(NamedTuple):
    """An editor, and what the run's record says of how it was made."""

    editor: Editor
    facts: JsonMapping = MappingProxyType({})


def make(
    material: Material,
    name: str,
    settings: JsonMapping,
    *,
    instruction: str = "original",
    demonstrations: Sequence[Sample] | None = None,
) -> Made:
    """The editor of a name. `settings`: its own, ``shots`` (demonstrations of the same task before
    each sample) and ``template`` (words around each instruction); `instruction`: ``original``,
    ``rephrased`` or ``description``; `demonstrations`: the samples that may be shown before others,
    all of the data by default.

    Raises `UnknownName` for a name that nothing has, `UsageError` for a template that cannot be,
    and what the editor raises for settings that it does not take.
    """
    factory, own = catalog.find("editors", name), dict(settings)
    template, shots = own.pop("template", ""), str(own.pop("shots", None) or 0)
    if not shots.isdigit() or int(shots) > 100:
        why = f"wanted a whole number from 0 to 100, found {shots!r}"
        raise UsageError(why, argument="shots")
    track = tracks.Track(instruction=instruction, template=template, shots=int(shots))
    pool = material.every if demonstrations is None else demonstrations
    editor = tracks.on_track(factory(pool, **own), track, pool=pool)
    package = catalog.source_of("editors", name)._asdict()
    facts = {"settings": recorded(settings), "instruction": instruction, "package": package}
    return Made(editor, facts)


# -- the step --------------------------------------------------------------------------------------


def edit(
    run: Run,
    benchmark: str,
    samples: Sequence[Sample],
    editor: Editor,
    *,
    workers: int | Workers = 1,
    retry: frozenset[Status] = frozenset(),
    limits: Limits = Limits(),
    progress: Progress | None = None,
) -> EditSummary:
    """Make the outputs that are not there yet; return what there is now.

    How the editor runs is its own word, in the attribute ``parallel``: ``process`` (the default: on
    `workers` processes, each stopped after `limits.seconds`; 0: in this one), ``thread`` (on
    ``editor.concurrency`` threads here: for services and programs; its own ``timeout`` becomes at
    most `limits.seconds`) or ``serial`` (one after the other: for a model on a GPU). A ``serial``
    editor has one process, or one for each GPU of `workers`; with 0 workers, or where it cannot be
    sent to a process, it runs here. What an editor loads (`BaseEditor.prepare`) counts for no
    sample. `Workers` of other machines refuse ``thread`` with a `UsageError`. Samples whose record
    has a status in `retry` are edited again.

    After `limits.stop_after` failures in a row with the same reason, of an editor that is no
    paid service, the call ends with `EditSummary.stopped`; the next one goes on behind them.

    A `BudgetExceeded` from the editor ends the call with `EditSummary.stopped`; so does an
    `Unavailable` or a `MissingExtra` once something was made; before that it is raised. Neither is
    recorded against a sample. Raises `RunError` when the run folder cannot be written, or another
    process edits with this editor into the same run: nothing is paid twice.
    """
    plain_name(editor.name)
    worker, force, show = as_editor(editor), workers_of(workers), progress or (lambda *_: None)
    summary, began = EditSummary(editor=editor.name), time.perf_counter()
    with lease.lease(run.path, "edit", benchmark, editor.name):
        temporary.sweep(run.path / lease.TEMPORARY)  # what killed calls have left
        work = _Work(run, benchmark, worker, {})
        todo = list(work.left(samples, retry, summary))
        show(0, len(todo), f"editing with {editor.name}")
        streak = _Streak(limits.stop_after if worker.ledger is None else 0)
        try:
            with contextlib.closing(work.made(todo, force, limits.seconds)) as records:
                for record in records:
                    summary.add(record, new=True)
                    show(summary.edited, len(todo), f"editing with {editor.name}")
                    streak.add(record)
                    if streak.is_over and summary.edited < len(todo):
                        raise Unavailable(streak.told())
        except (BudgetExceeded, ServiceStopped, *STOPS) as error:
            if isinstance(error, STOPS) and not summary.edited:
                raise
            summary.stopped, summary.exit_code = str(error), error.exit_code
    summary.seconds = time.perf_counter() - began
    return summary


class _Streak:
    """Failures in a row with the same reason; `most` of them (0: any number) say that the editor
    itself is at fault: a GPU that is lost, a program that cannot load.
    """

    def __init__(self, most: int) -> None:
        self.most, self.length, self.reason = most, 0, ""
        self._likeness = ""

    def add(self, record: EditRecord) -> None:
        if record.status is not Status.FAILED:
            self.length, self._likeness = 0, ""
            return
        likeness = _NUMBERS.sub("#", record.reason.replace(record.sample, "#"))
        self.length = self.length + 1 if likeness == self._likeness else 1
        self.reason, self._likeness = record.reason, likeness

    @property
    def is_over(self) -> bool:
        return 0 < self.most <= self.length

    def told(self) -> str:
        return (
            f"stopped after {self.length} failures in a row with the same reason: {self.reason}. "
            f"Correct the cause and run the same command again: it goes on with the samples that "
            f"were not tried, and with --retry failed also with these (--stop-after 0: never stop)"
        )


_NUMBERS = re.compile(r"0x[0-9a-fA-F]+|\d+")
"""What differs between two reports of the same failure: addresses, sizes, times."""


@dataclass(frozen=True, slots=True)
class _Work:
    """What is edited into where. `again`: what stands for the outcomes that a retry replaces."""

    run: Run
    benchmark: str
    editor: BaseEditor
    again: dict[str, str]

    def left(
        self, samples: Sequence[Sample], retry: frozenset[Status], summary: EditSummary
    ) -> Iterator[Sample]:
        every = self.run.edits(self.benchmark)
        before = {record.sample: record for record in every if record.editor == self.editor.name}
        for sample in samples:
            old = before.get(sample.id)
            if old is not None and old.status in retry:
                self.again[sample.id] = digest(old.status.value, old.reason, old.seconds)
            elif old is not None and (old.path is None or (self.run.path / old.path).exists()):
                summary.add(old, new=False)
                continue
            yield sample

    def made(self, todo: Sequence[Sample], force: Workers, seconds: float) -> Generator[EditRecord]:
        if force.away and self.editor.parallel == "thread":
            why = (
                "calls a service or has devices of its own here: its limits are kept in one process"
            )
            raise UsageError(f"editor {self.editor.name!r} {why}; edit on this machine")
        if self.editor.parallel == "thread":
            self.editor.limit(seconds)
            yield from self._on_threads(todo)
        elif force.here or (self.editor.parallel == "serial" and not self._can_be_sent(force)):
            yield from self._here(todo, seconds)
        else:
            yield from self._on_workers(todo, force, seconds)

    def _can_be_sent(self, force: Workers) -> bool:
        """Whether a worker process can have the editor; another machine must have it."""
        try:
            pickle.dumps(self.editor)
        except (TypeError, AttributeError, pickle.PicklingError):
            return force.away
        return True

    def _here(self, todo: Sequence[Sample], seconds: float) -> Iterator[EditRecord]:
        """One after the other in this process."""
        if todo:
            _prepare(self.editor)
        limited = replace(self, editor=Limited(self.editor, seconds))
        yield from map(limited._one, todo)

    def _one(self, sample: Sample) -> EditRecord:
        again = self.again.get(sample.id, "")
        record = edit_one(self.run.path, self.benchmark, sample, self.editor, again)
        self.run.write_edits([record])  # by its thread: Ctrl-C loses none that was paid
        return record

    def _on_workers(
        self, todo: Sequence[Sample], force: Workers, seconds: float
    ) -> Iterator[EditRecord]:
        editor = self.editor
        try:
            _ = force.here or pickle.dumps(editor)
        except (TypeError, AttributeError, pickle.PicklingError) as error:
            why = f"cannot be sent to worker processes ({error}); edit with 0 workers"
            raise catalog.broken("editors", editor.name, why) from error
        pictures = [path for sample in todo[:1] for path in sample.images if path.exists()]
        for outcome in force.batches(
            [[sample] for sample in todo],
            _work,
            start=_start,
            start_args=(self.run.path, self.benchmark, editor),
            seconds=seconds,
            needs=Needs(num_cpus=editor.num_cpus, num_gpus=editor.num_gpus, memory=editor.memory),
            alone=editor.parallel == "serial",
            gpus=gpus_of(editor.device) if editor.device.startswith("cuda:") else (),
            places=(self.run.path / "run.sqlite", *pictures),
        ):
            (sample,) = outcome.items
            record = outcome.result or no_output(
                self.benchmark, sample, editor.name, Status.FAILED, outcome.died
            )
            self.run.write_edits([record])
            yield record

    def _on_threads(self, todo: Sequence[Sample]) -> Iterator[EditRecord]:
        """As many at a time as the editor has threads; the next one begins when the record of one
        that has ended was seen. After an error that ends the call, those in flight are still
        written.
        """
        most = max(1, self.editor.concurrency)
        error: BaseException | None = None
        waiting = iter(todo)
        with ThreadPoolExecutor(most) as pool:
            under_way = {pool.submit(self._one, sample) for sample in islice(waiting, most)}
            while under_way:
                ended, under_way = wait(under_way, return_when=FIRST_COMPLETED)
                for future in ended:
                    error = error or future.exception()
                    if future.exception() is None:
                        yield future.result()
                if error is None:
                    free = most - len(under_way)
                    under_way |= {pool.submit(self._one, one) for one in islice(waiting, free)}
        if error is not None:
            raise error


_worker: tuple[Path, str, BaseEditor] | None = None


def _start(run: Path, benchmark: str, editor: BaseEditor) -> None:
    global _worker  # noqa: PLW0603 - a worker process is one worker
    _prepare(editor)
    _worker = (run, benchmark, editor)


def _prepare(editor: BaseEditor) -> None:
    """Let the editor load. Raises `EditgaugeError`, an `Unavailable` for what it raises itself."""
    try:
        editor.prepare()
    except EditgaugeError:
        raise
    except Exception as error:  # somebody's model: no sample is to blame
        why = words(f"{type(error).__name__}: {error}")
        raise Unavailable(f"editor {editor.name!r} cannot be loaded: {why}") from error


def _work(batch: Sequence[Sample]) -> EditRecord:
    assert _worker is not None
    run, benchmark, editor = _worker
    (sample,) = batch
    return edit_one(run, benchmark, sample, editor)


# -- a benchmark's samples, and the run's record ---------------------------------------------------


def estimate(material: Material, folder: Run | None, editor: Editor) -> tuple[int, float | None]:
    """How many edits are still to be made, and their US dollars by list prices; None where the
    price of one is not known. Nothing is called.
    """
    records = folder.edits(material.benchmark.name) if folder is not None else []
    done = {record.sample for record in records if record.editor == editor.name}
    todo = [sample for sample in material.samples if sample.id not in done]
    costs = [as_editor(editor).estimate(sample) for sample in todo]
    known = [cost for cost in costs if cost is not None]
    return len(todo), sum(known) if len(known) == len(todo) else None


@contextlib.contextmanager
def _booked(editor: BaseEditor, run: Path, budget: float | None) -> Iterator[None]:
    """Keep the costs in the run's ledger. Raises `UsageError` for a budget without a price."""
    ledger, why = editor.ledger, ""
    if ledger is None:
        why = f"the editor {editor.name!r} has no costs that are known; leave it out"
    elif editor.price is not None and not editor.price.picture:
        what = "not known" if editor.price.picture is None else "zero"
        why = f"the price of {editor.name} is {what}: name the price of an output as well"
    if budget is not None and why:
        raise UsageError(f"{budget}: {why}", argument="budget")
    if ledger is None:
        yield
        return
    ledger.keep_in(run / PAID, budget)
    try:
        yield
    finally:
        ledger.keep_in(None, None)  # closes the run's file


def _spent(editor: BaseEditor) -> str:
    """What editing in the run has cost, and by which price; empty for editors without costs."""
    book, price = editor.ledger, editor.price
    if book is None or price is None:
        return ""
    known = price.picture is not None or price.out is not None
    if not known and not book.totals.calls:
        return "not counted: no price is known (the setting price: US dollars for one output)"
    source = price.source if known else "no price is known; these are the replies' own bills"
    return (
        f"{book.spent:z.4f} US dollars now, {book.totals.booked:z.4f} in this run, all commands "
        f"together (prices: {source})"
    )


def edit_material(
    material: Material, folder: Run, made: Made, *, budget: float | None = None, **how: Any
) -> EditSummary:
    """Make the outputs of a benchmark's samples that are not there yet, for at most `budget` US
    dollars (the run's edits of all calls together), and record the call in the run. Further
    arguments (`how`) and errors as those of `edit`.
    """
    name, editor = material.benchmark.name, as_editor(made.editor)
    editor.ready()
    with _booked(editor, folder.path, budget):
        data = material.keep(folder)
        summary = edit(folder, name, material.samples, made.editor, **how)
        summary.spent = _spent(editor)
    folder.record(
        "edit",
        benchmark=name,
        editor=summary.editor,
        **made.facts,
        data=data,
        samples=len(material.every),
        chosen=len(material.samples),
        counts=dict(summary.counts),
        seconds=round(summary.seconds, 3),
        cost=summary.cost,
    )
    return summary
