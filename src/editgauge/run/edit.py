"""Edit: call an editor on every sample that has no output yet, keep what it gives, write down what
it cost.

An output is made under a temporary name and renamed into its place; a record of it follows. A run
that is killed loses the samples in flight and nothing else. Finished samples are never edited
again.
"""

from __future__ import annotations

import math
import os
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import cast

from editgauge import machine
from editgauge.editors.calling import AGAIN
from editgauge.editors.editor import BaseEditor, as_editor
from editgauge.errors import (
    BudgetExceeded,
    DataError,
    EditgaugeError,
    ImageError,
    MissingExtra,
    RunError,
    ServiceStopped,
    Unavailable,
    UsageError,
)
from editgauge.images import EXTENSIONS, MAX_FILE_BYTES, fingerprint, read_header
from editgauge.run.workers import Workers, workers_of
from editgauge.scoring.scorer import Needs
from editgauge.store import copies, lease, paths
from editgauge.store.outputs import given_back
from editgauge.store.paths import plain_name, portable, without_roots
from editgauge.store.run import Run
from editgauge.store.schema import EditRecord, digest
from editgauge.types import Edit, Editor, Sample, Status

Progress = Callable[[int, int, str], None]
_STOPS = (Unavailable, MissingExtra)
"""What ends an editing call at once: no other sample would fare better."""


@dataclass(slots=True, kw_only=True)
class EditSummary:
    """What an `edit` call did: how many samples have each status now, and how many this call
    edited.
    """

    editor: str
    counts: Counter[str] = field(default_factory=Counter)
    edited: int = 0
    kept: int = 0
    given_back: int = 0
    """Of the delivered outputs, those that are the input handed back (`store.outputs.given_back`).
    """
    seconds: float = 0.0
    cost: float = 0.0
    """US dollars of this call's edits, as far as they are known."""
    stopped: str = ""
    """Why the call ended before its end (a budget, a refused key), or empty."""
    exit_code: int = 0
    """That of the error behind `stopped`."""

    @property
    def complete(self) -> bool:
        """Whether every sample has an output, or is not meant to have one."""
        fine = (Status.SCORED.value, Status.NOT_APPLICABLE.value)
        return not any(n for status, n in self.counts.items() if status not in fine)

    def line(self, benchmark: str) -> str:
        """What was done in one line of words."""
        counts = ", ".join(
            f"{n} {self._said(status, n)}" for status, n in sorted(self.counts.items())
        )
        told = counts or "no outputs"
        return f"{self.editor} on {benchmark}: {told}; {self.edited} new in {self.seconds:.1f} s"

    def _said(self, status: str, number: int) -> str:
        """A status as a word; outputs part into edited ones and inputs handed back."""
        if status != Status.SCORED.value:
            return status.replace("_", " ")
        if not self.given_back:
            return "outputs"
        return f"outputs ({number - self.given_back} edited, {self.given_back} given back)"


def edit(
    run: Run,
    benchmark: str,
    samples: Sequence[Sample],
    editor: Editor,
    *,
    workers: int | Workers = 1,
    retry: frozenset[Status] = frozenset(),
    seconds_a_sample: float = 600.0,
    progress: Progress | None = None,
) -> EditSummary:
    """Make the outputs that are not there yet; return what there is now.

    How the editor runs is its own word, in the attribute ``parallel``: ``process`` (the default: on
    `workers` processes, each stopped after `seconds_a_sample`), ``thread`` (on
    ``editor.concurrency`` threads of this process: for services and programs; a limit that the
    editor keeps itself, its ``timeout``, is lowered to `seconds_a_sample`) or ``serial`` (one after
    the other in this process: for a model on a GPU; in batches where it has a ``batch_size`` above
    1 and a method ``edit_batch(samples, folders) -> edits``). `Workers` may take the place
    of the number; those of other machines also do ``serial`` editors, each with the model loaded,
    and refuse ``thread`` with a `UsageError`: the limits and the budget of
    a service are kept in one process. Samples whose record has a status in `retry`
    are edited again; a finished one is not. A `BudgetExceeded` from the editor ends the call with
    `EditSummary.stopped`; what was done is kept. So does an `Unavailable` or a `MissingExtra` once
    something was made; before that it is raised. Neither is recorded against a sample. Raises
    `RunError` when the run folder cannot be written, or another process edits with this editor into
    the same run: nothing is paid twice.
    """
    plain_name(editor.name)
    editor = as_editor(editor)
    force = workers_of(workers)
    if force.away and editor.parallel == "thread":
        raise UsageError(
            f"editor {editor.name!r} calls a service or has devices of its own here: its limits "
            f"and its budget are kept in one process; edit on this machine"
        )
    with lease.lease(run.path, "edit", benchmark, editor.name):
        return _edit(
            run,
            benchmark,
            samples,
            editor,
            force=force,
            retry=retry,
            seconds_a_sample=seconds_a_sample,
            progress=progress,
        )


def _edit(
    run: Run,
    benchmark: str,
    samples: Sequence[Sample],
    editor: BaseEditor,
    *,
    force: Workers,
    retry: frozenset[Status],
    seconds_a_sample: float,
    progress: Progress | None,
) -> EditSummary:
    summary = EditSummary(editor=editor.name)
    began = time.perf_counter()
    before = {
        record.sample: record for record in run.edits(benchmark) if record.editor == editor.name
    }
    todo: list[Sample] = []
    again: dict[str, str] = {}
    for sample in samples:
        old = before.get(sample.id)
        there = old is not None and (old.path is None or (run.path / old.path).exists())
        if old is not None and there and old.status not in retry:
            summary.counts[old.status.value] += 1
            summary.given_back += old.given_back is True
            summary.kept += 1
        else:
            todo.append(sample)
            if old is not None and old.status in retry:
                again[sample.id] = digest(old.status.value, old.reason, old.seconds)
    if progress:
        progress(0, len(todo), f"editing with {editor.name}")
    how, many = editor.parallel, editor.batch_size
    if how == "process" or force.away:
        batches = _batches(todo, 1 if how == "process" else many)
        records = _on_workers(run, benchmark, batches, editor, force, seconds_a_sample)
    else:
        at_once = editor.concurrency if how == "thread" else 1
        if how == "thread":
            editor.limit(seconds_a_sample)
        records = _on_threads(run, benchmark, _batches(todo, many), editor, at_once, again)
    try:
        for record in records:
            summary.counts[record.status.value] += 1
            summary.given_back += record.given_back is True
            summary.edited += 1
            summary.cost += record.cost or 0.0
            if progress:
                progress(summary.edited, len(todo), f"editing with {editor.name}")
    except _STOPS as error:
        if not summary.edited:
            raise
        summary.stopped, summary.exit_code = str(error), error.exit_code
    except (BudgetExceeded, ServiceStopped) as error:
        summary.stopped, summary.exit_code = str(error), error.exit_code
    summary.seconds = time.perf_counter() - began
    return summary


def edit_one(
    run: Path, benchmark: str, sample: Sample, editor: Editor, again: str = ""
) -> EditRecord:
    """Call the editor on one sample, bring its output into the run, and return the record (not yet
    written). `again` stands for the outcome that a user's retry replaces: a service is told that
    this is another call.

    Whatever the editor raises becomes a record with a status and a reason, but for `RunError`,
    `BudgetExceeded`, and what says that the editor cannot work at all (`Unavailable`,
    `MissingExtra`). Raises `RunError` when the machine is at fault, a full disk for example: that
    is no failure of the editor's.
    """
    try:
        parts = _safe_parts(sample)
    except DataError as error:
        return EditRecord(
            benchmark=benchmark,
            sample=sample.id,
            editor=editor.name,
            status=Status.DATASET_FAULT,
            reason=str(error),
        )
    with lease.scratch(run) as scratch:
        began = time.perf_counter()
        if again:
            (scratch / AGAIN).write_text(again, encoding="ascii")
        if sample.fault is not None:
            made = Edit.without(sample.id, editor.name, Status.DATASET_FAULT, sample.fault)
        else:
            made = _checked(_call(editor, sample, scratch), sample, editor)
        if made.seconds is None:
            made = replace(made, seconds=round(time.perf_counter() - began, 6))
        if made.path is None and sample.fault is None:
            machine.raise_full_disk(made.reason, scratch)
        return _into_place(run, benchmark, sample, parts, made, scratch)


def edit_batch(
    run: Path,
    benchmark: str,
    samples: Sequence[Sample],
    editor: BaseEditor,
    again: Mapping[str, str] | None = None,
) -> list[EditRecord]:
    """As `edit_one` for each of several samples, but asked at once. When that fails, they are asked
    one by one. `again` maps the ids of samples that a user's retry asks once more.
    """
    if len(samples) == 1:
        retried = (again or {}).get(samples[0].id, "")
        return [edit_one(run, benchmark, samples[0], editor, retried)]
    began = time.perf_counter()
    with lease.scratch(run) as scratch:
        folders = [scratch / str(number) for number in range(len(samples))]
        try:
            parts = [_safe_parts(sample) for sample in samples]
            for folder in folders:
                folder.mkdir(parents=True)
            made = list(editor.edit_batch(samples, folders))
            if [edit.sample for edit in made] != [sample.id for sample in samples]:
                raise ValueError("edit_batch: wanted one edit a sample, in order")
            share = round((time.perf_counter() - began) / len(samples), 6)
            made = [replace(edit, seconds=share) if edit.seconds is None else edit for edit in made]
            return [
                _into_place(run, benchmark, s, p, _checked(m, s, editor), scratch)
                for s, p, m in zip(samples, parts, made, strict=True)
            ]
        except (RunError, BudgetExceeded, *_STOPS):
            raise
        except Exception:  # one sample's fault is not the others': each is asked alone
            return [edit_one(run, benchmark, sample, editor) for sample in samples]


def _batches(samples: Sequence[Sample], size: int) -> list[Sequence[Sample]]:
    return [samples[start : start + size] for start in range(0, len(samples), max(1, size))]


def _call(editor: Editor, sample: Sample, scratch: Path) -> Edit:
    try:
        return editor(sample, scratch)
    except (RunError, BudgetExceeded, *_STOPS):
        raise
    except ImageError as error:
        machine.raise_fault(error, scratch)
        return Edit.without(sample.id, editor.name, Status.DATASET_FAULT, str(error))
    except EditgaugeError as error:
        machine.raise_fault(error, scratch)
        return Edit.without(sample.id, editor.name, Status.FAILED, str(error))
    except Exception as error:  # an editor is somebody's model: its crash is a record
        machine.raise_fault(error, scratch)
        return Edit.without(
            sample.id, editor.name, Status.FAILED, f"{type(error).__name__}: {error}"
        )


def _checked(made: object, sample: Sample, editor: Editor) -> Edit:
    """The edit, or a failed one when the editor gave back something else, or another's."""
    if not isinstance(made, Edit):
        why = f"wanted an Edit, found {type(made).__name__}"
    elif made.sample != sample.id or made.editor != editor.name:
        why = (
            f"wanted an edit of {sample.id!r} by {editor.name!r}, found one of {made.sample!r} by "
            f"{made.editor!r}"
        )
    else:
        why = _ill_typed(made)
    if why:
        return Edit.without(sample.id, editor.name, Status.FAILED, f"the editor's answer: {why}")
    return cast(Edit, made)


def _ill_typed(made: Edit) -> str:
    """Which field of an edit is not what `Edit` says, or empty. Types bind nobody outside."""
    fits = {
        "path": made.path is None or isinstance(made.path, Path),
        "status": isinstance(made.status, Status),
        "reason": isinstance(made.reason, str),
        "seed": made.seed is None or (type(made.seed) is int and abs(made.seed) < 1 << 63),
        "settings": isinstance(made.settings, Mapping),
        "seconds": made.seconds is None or _is_amount(made.seconds),
        "cost": made.cost is None or _is_amount(made.cost),
        "instruction": made.instruction is None or isinstance(made.instruction, str),
        "detail": isinstance(made.detail, Mapping),
    }
    wrong = [f"{name} {getattr(made, name)!r:.80}" for name, right in fits.items() if not right]
    if wrong:
        return f"not what an Edit holds: {', '.join(wrong)}"
    if (made.path is None) == (made.status is Status.SCORED):
        return f"status {made.status.value} with {'no file' if made.path is None else 'a file'}"
    return ""


def _is_amount(value: object) -> bool:
    return isinstance(value, int | float) and math.isfinite(value) and value >= 0


def _into_place(
    run: Path, benchmark: str, sample: Sample, parts: tuple[str, ...], made: Edit, scratch: Path
) -> EditRecord:
    """Bring a delivered file into the run: one from the editor's own folder is moved, any other is
    somebody's, and copied.
    """
    record = EditRecord(
        benchmark=benchmark,
        sample=sample.id,
        editor=made.editor,
        status=made.status,
        path=None,
        reason=portable(made.reason, [run]),
        seed=made.seed,
        settings=without_roots(made.settings, [run]),
        seconds=made.seconds,
        cost=made.cost,
        instruction=made.instruction,
        detail=without_roots(made.detail, [run]),
    )
    if made.path is None:
        return record
    try:
        header = read_header(made.path)
    except ImageError as error:
        reason = portable(str(error), [run])
        return replace(record, status=Status.UNREADABLE, reason=reason)
    place = PurePosixPath("edits", plain_name(benchmark), plain_name(made.editor), *parts)
    place = place.with_name(place.name + header.extension)
    target = run / place
    try:
        own = made.path
        shared = own.is_symlink() or own.stat().st_nlink > 1  # somebody's file under our name
        if shared or not own.resolve().is_relative_to(scratch.resolve()):
            own = scratch / f"copy-{secrets.token_hex(4)}"
            copies.copy(made.path.resolve(), own, limit=MAX_FILE_BYTES)
        mark = fingerprint(own)
        back = given_back(own, sample)
        above = paths.folder(run, place.parent)
        for extension in EXTENSIONS:  # an older output of another format would be found first
            (above / (parts[-1] + extension)).unlink(missing_ok=True)
        os.replace(own, above / target.name)
    except OSError as error:
        raise paths.unwritable(target, error) from error
    return replace(
        record,
        path=str(place),
        fingerprint=mark,
        width=header.width,
        height=header.height,
        given_back=back,
    )


def _safe_parts(sample: Sample) -> tuple[str, ...]:
    """Where the output goes below the editor's folder; stems come from metadata and may not lead
    out of it.
    """
    stem = PurePosixPath(sample.output_stems[0])
    if not stem.parts or stem.is_absolute() or ".." in stem.parts or "\0" in str(stem):
        raise DataError(
            f"sample {sample.id!r}: its output name {str(stem)!r} leads out of the run folder; "
            f"correct the data",
            sample=sample.id,
        )
    return stem.parts


# -- on workers ------------------------------------------------------------------------------------


def _on_workers(
    run: Run,
    benchmark: str,
    batches: Sequence[Sequence[Sample]],
    editor: BaseEditor,
    force: Workers,
    seconds: float,
) -> Iterator[EditRecord]:
    """Workers bring outputs into the run and hand back their records, which are written here."""
    pictures = [path for batch in batches[:1] for sample in batch for path in sample.images]
    outcomes = force.batches(
        batches,
        _work,
        start=_start,
        start_args=(run.path, benchmark, editor),
        seconds=seconds,
        needs=_needs(editor),
        alone=editor.parallel == "serial",
        places=(run.path / "run.sqlite", *(path for path in pictures if path.exists())),
    )
    for outcome in outcomes:
        records = outcome.result or [
            EditRecord(
                benchmark=benchmark,
                sample=sample.id,
                editor=editor.name,
                status=Status.FAILED,
                reason=outcome.died,
            )
            for sample in outcome.items
        ]
        run.write_edits(records)
        yield from records


def _needs(editor: BaseEditor) -> Needs:
    return Needs(num_cpus=editor.num_cpus, num_gpus=editor.num_gpus, memory=editor.memory)


_worker: tuple[Path, str, BaseEditor] | None = None


def _start(run: Path, benchmark: str, editor: BaseEditor) -> None:
    global _worker  # noqa: PLW0603 - a worker process is one worker
    _worker = (run, benchmark, editor)


def _work(batch: Sequence[Sample]) -> list[EditRecord]:
    assert _worker is not None
    run, benchmark, editor = _worker
    return edit_batch(run, benchmark, batch, editor)


# -- on threads ------------------------------------------------------------------------------------


def _on_threads(
    run: Run,
    benchmark: str,
    batches: Sequence[Sequence[Sample]],
    editor: BaseEditor,
    concurrency: int,
    again: Mapping[str, str],
) -> Iterator[EditRecord]:
    """At most `concurrency` calls at once; after an error that ends the call, those in flight are
    still written.
    """
    lock = threading.Lock()
    halted = threading.Event()
    with ThreadPoolExecutor(max(1, concurrency)) as pool:

        def one(batch: Sequence[Sample]) -> list[EditRecord]:
            if halted.is_set():  # handed out before the call that ended everything came back
                return []
            try:
                records = edit_batch(run.path, benchmark, batch, editor, again)
            except BaseException:
                halted.set()
                raise
            with lock:
                run.write_edits(records)
            return records

        waiting = iter(batches)
        running: set[Future[list[EditRecord]]] = set()
        stop: BaseException | None = None
        try:
            while True:
                while stop is None and len(running) < 2 * max(
                    1, concurrency
                ):  # a thread that ends finds its next
                    batch = next(waiting, None)
                    if batch is None:
                        break
                    running.add(pool.submit(one, batch))
                if not running:
                    break
                ended, running = wait(running, return_when=FIRST_COMPLETED)
                for future in ended:
                    if future.cancelled():
                        continue
                    error = future.exception()
                    if error is None:
                        yield from future.result()
                    else:
                        stop = stop or error
                        for other in running:
                            other.cancel()
        finally:
            for future in running:
                future.cancel()
        if stop is not None:
            raise stop
