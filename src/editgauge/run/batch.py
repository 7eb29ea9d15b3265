"""Edits by a provider's batches: half the price, within a day.

`submit` sends what has no output yet and leaves; `collect` fetches what is finished and brings it
into the run as `edit` would. See `services.batches`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from editgauge.editors.calling import AGAIN
from editgauge.editors.remote import RemoteEditor
from editgauge.errors import UsageError
from editgauge.run.edit import EditSummary, Progress
from editgauge.run.edit import edit as edit_all
from editgauge.services.batches import Batches, Ended, Line
from editgauge.services.http import Response
from editgauge.services.paid import Outcome, failed
from editgauge.store import lease
from editgauge.store.paid import Paid
from editgauge.store.run import PAID, Run
from editgauge.store.schema import digest
from editgauge.types import Edit, Editor, Sample, Status

MOST = 50
"""Calls of one batch: their pictures come back in one file, which is held in memory."""
_SAYS = ("ok", "refused", "bad")
"""Kinds of answers that say something of the model."""


def batching(editor: Editor) -> RemoteEditor:
    """The editor, as one that can be asked by batches. Raises `UsageError` for one that cannot."""
    if isinstance(editor, RemoteEditor) and editor.can_batch:
        return editor
    raise UsageError(
        f"--batch: the editor {editor.name!r} cannot be asked by batches; wanted openai (or a "
        f"service like it) with the sample's own instruction"
    )


@dataclass(slots=True, kw_only=True)
class Submitted:
    """What `submit` did. `waiting`: calls in batches that are not collected, older ones too."""

    editor: str
    batches: list[str] = field(default_factory=list)
    calls: int = 0
    waiting: int = 0
    broke: str = ""
    """Why the budget left samples out, or empty."""


@dataclass(slots=True, kw_only=True)
class Collected:
    """What `collect` did. `failed`: batches that ended without results, with their states; their
    samples may be submitted again. `open`: calls that the provider could not answer, likewise.
    """

    summary: EditSummary
    batches: list[str] = field(default_factory=list)
    waiting: int = 0
    open: int = 0
    failed: list[str] = field(default_factory=list)


def _batches(benchmark: str, editor: RemoteEditor) -> Batches:
    return Batches(
        calls=editor.service.questions,
        address=editor.service.address,
        notes=editor.ledger.paid,
        owner=_owner(benchmark, editor.name),
        model=editor.model,
        most=MOST,
    )


def _owner(benchmark: str, editor: str) -> str:
    return f"edit {benchmark} {editor}"


def waiting(run: Path, benchmark: str, editor: str) -> set[str]:
    """The samples that wait in a batch: nothing else asks for them meanwhile."""
    if not (run / PAID).is_file():
        return set()
    with Paid(run / PAID) as paid:
        pending = Batches.noted(paid, _owner(benchmark, editor))
    return {sample for batch in pending for sample in batch.calls.values()}


def submit(
    run: Run,
    benchmark: str,
    samples: Sequence[Sample],
    editor: Editor,
    *,
    retry: frozenset[Status] = frozenset(),
) -> Submitted:
    """Send all samples that have no record (or one with a status in `retry`) and wait in no batch,
    as far as the editor's budget goes. A sample that cannot be asked is left to `collect`.

    Raises `UsageError` for an editor without batches, `ServiceStopped` and `RunError` where the
    service takes none; nothing stays booked for those.
    """
    asked = batching(editor)
    batches = _batches(benchmark, asked)
    with lease.lease(run.path, "edit", benchmark, editor.name):
        known = {sample for batch in batches.settled() for sample in batch.calls.values()}
        before = {r.sample: r for r in run.edits(benchmark) if r.editor == editor.name}
        todo: dict[str, str] = {}
        for sample in samples:
            old = before.get(sample.id)
            if sample.id not in known and (old is None or old.status in retry):
                todo[sample.id] = digest(old.status.value, old.reason, old.seconds) if old else ""
        chosen = [sample for sample in samples if sample.id in todo]
        sent = batches.submit(_lines(run.path, asked, chosen, todo))
    return Submitted(
        editor=editor.name,
        batches=sent.batches,
        calls=sent.calls,
        waiting=sent.calls + len(known),
        broke=sent.broke,
    )


def _lines(
    run: Path, editor: RemoteEditor, samples: Sequence[Sample], again: Mapping[str, str]
) -> Iterator[Line]:
    """The calls for samples that can be asked; `again` stands for the outcome that a user's retry
    replaces.
    """
    most = editor.batch_price.picture or 0.0
    for sample in samples:
        with lease.scratch(run) as scratch:
            if again[sample.id]:
                (scratch / AGAIN).write_text(again[sample.id], encoding="ascii")
            line = editor.batch_line(sample, scratch)
        if not isinstance(line, Edit):
            key, endpoint, body = line
            data = orjson.dumps(body)
            yield Line(key=key, about=sample.id, endpoint=endpoint, body=data, most=most)


# -- collecting ------------------------------------------------------------------------------------


@dataclass(kw_only=True)
class _Answered:
    """The editor of a finished batch: each sample's edit is what came back for it."""

    editor: RemoteEditor
    batches: Batches
    answers: Mapping[str, tuple[str, Outcome]]
    """By sample: the call's key and its answer."""
    name: str
    parallel: str = "serial"

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        if sample.id not in self.answers:  # it could not be asked
            edit = self.editor.batch_line(sample, folder)
            assert isinstance(edit, Edit), "samples without an answer are those that have no call"
            return edit
        key, outcome = self.answers[sample.id]
        self.batches.settle(key, outcome)
        cost = outcome.cost if outcome.kind == "ok" else 0.0
        return self.editor.batch_edit(sample, folder, outcome, cost)


def collect(
    run: Run,
    benchmark: str,
    samples: Sequence[Sample],
    editor: Editor,
    *,
    progress: Progress | None = None,
) -> Collected:
    """Fetch what is finished and record it as edits; `samples` are those of the same data.

    A call that the provider could not answer (a fault of its own, a batch that expired) is not the
    model's failure: it is released, and may be submitted again. Raises as `submit` does.
    """
    asked = batching(editor)
    batches = _batches(benchmark, asked)
    result = Collected(summary=EditSummary(editor=editor.name))
    finished: list[Ended] = []
    answers: dict[str, tuple[str, Outcome]] = {}
    under_way: set[str] = set()
    with lease.lease(run.path, "edit", benchmark, editor.name):
        all_ended = list(batches.ended())
    ids = {sample.id for sample in samples}
    for ended in all_ended:
        calls = ended.batch.calls
        if ended.answers is None or not ids.issuperset(calls.values()):
            under_way |= set(calls.values())
            continue
        told = _told(asked, batches, ended.answers, calls)
        answers |= told
        result.open += len(calls) - len(told)
        finished.append(ended)
        result.batches.append(ended.batch.number)
        result.failed += [] if told else [f"{ended.batch.number}: {ended.state}"]
    result.waiting = len(under_way)
    chosen = [
        s
        for s in samples
        if s.id in answers or (s.id not in under_way and _unaskable(run.path, asked, s))
    ]
    answered = _Answered(editor=asked, batches=batches, answers=answers, name=editor.name)
    retry = frozenset(Status) - {Status.SCORED}
    result.summary = edit_all(run, benchmark, chosen, answered, retry=retry, progress=progress)
    for key, outcome in answers.values():
        batches.settle(key, outcome)  # of a sample that was edited in another way meanwhile
    for ended in finished:
        batches.close(ended.batch, ended.state)
    return result


def _unaskable(run: Path, editor: RemoteEditor, sample: Sample) -> bool:
    with lease.scratch(run) as scratch:
        return isinstance(editor.batch_line(sample, scratch), Edit)


def _told(
    editor: RemoteEditor,
    batches: Batches,
    answers: Mapping[str, Response],
    calls: Mapping[str, str],
) -> dict[str, tuple[str, Outcome]]:
    """The answers that say something of the model, by sample; the others are brought into the
    ledger.
    """
    found = {}
    price = editor.batch_price
    for key, response in answers.items():
        if 200 <= response.status < 300:
            outcome = editor.service.read(response, lambda v: editor.provider.bill(v, price))
        else:
            outcome = failed(response, editor.service.http.secrets)
        if key in calls and outcome.kind in _SAYS:
            found[calls[key]] = key, outcome
        elif key in calls:
            batches.settle(key, outcome)
    return found
