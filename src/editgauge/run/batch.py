"""Edits by a provider's batches: half the price, within a day. See `services.batches`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from editgauge.editors import costs
from editgauge.editors.calling import AGAIN
from editgauge.editors.remote import RemoteEditor
from editgauge.errors import UsageError
from editgauge.run.edit import EditSummary, Limits, Made, edit, record
from editgauge.run.material import Material
from editgauge.services.batches import Batches, Ended, Line, Sent
from editgauge.services.paid import Outcome, failed
from editgauge.store import lease
from editgauge.store.paid import Paid
from editgauge.store.run import PAID, Run
from editgauge.store.schema import digest
from editgauge.types import Edit, Sample, Status

MOST = 50
"""Calls of one batch: their pictures come back in one file, which is held in memory."""
_SAYS = ("ok", "refused", "bad")
"""Kinds of answers that say something of the model."""


@dataclass(slots=True, kw_only=True)
class Collected:
    """What `collect` did. `batches` are finished; `failed` those of them that ended without
    results, with their states; `waiting`: samples in batches that are not finished; `open`: those
    that the provider could not answer, which may be submitted again.
    """

    summary: EditSummary
    batches: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    waiting: int = 0
    open: int = 0


def waiting(run: Path, benchmark: str, editor: str) -> set[str]:
    """The samples that wait in a batch: nothing else asks for them meanwhile."""
    if not (run / PAID).is_file():
        return set()
    with Paid(run / PAID) as paid:
        pending = Batches.noted(paid, f"edit {benchmark} {editor}")
    return {sample for batch in pending for sample in batch.calls.values()}


@dataclass(frozen=True, slots=True)
class _Asked:
    """An editor that can be asked by batches, and its batches of a benchmark."""

    editor: RemoteEditor
    batches: Batches
    run: Path

    @classmethod
    def of(cls, material: Material, folder: Run, made: Made, limits: Limits) -> _Asked:
        editor = made.editor
        if not (isinstance(editor, RemoteEditor) and editor.can_batch):
            raise UsageError(
                f"--batch: the editor {editor.name!r} cannot be asked by batches; wanted openai "
                f"(or a service like it) with the sample's own instruction"
            )
        costs.keep_in(editor, folder.path, limits.budget)
        batches = Batches(
            calls=editor.service.questions,
            address=editor.service.address,
            notes=editor.ledger.paid,
            owner=f"edit {material.benchmark.name} {editor.name}",
            model=editor.model,
            most=MOST,
        )
        return cls(editor, batches, folder.path)

    def line(self, sample: Sample, again: str = "") -> Line | None:
        """The call for a sample; None where it cannot be asked. `again`: see `edit_one`."""
        with lease.scratch(self.run) as scratch:
            if again:
                (scratch / AGAIN).write_text(again, encoding="ascii")
            made = self.editor.batch_line(sample, scratch)
        if isinstance(made, Edit):
            return None
        key, endpoint, body = made
        most = self.editor.batch_price.picture or 0.0
        data = orjson.dumps(body)
        return Line(key=key, about=sample.id, endpoint=endpoint, body=data, most=most)

    def told(self, ended: Ended) -> dict[str, tuple[str, Outcome]]:
        """The answers that say something of the model, by sample, with their keys; the others are
        brought into the ledger.
        """
        found, price = {}, self.editor.batch_price
        service, calls = self.editor.service, ended.batch.calls
        for key, response in (ended.answers or {}).items():
            if 200 <= response.status < 300:
                outcome = service.read(response, lambda v: self.editor.provider.bill(v, price))
            else:
                outcome = failed(response, service.http.secrets)
            if key in calls and outcome.kind in _SAYS:
                found[calls[key]] = key, outcome
            elif key in calls:
                self.batches.settle(key, outcome)
        return found


def submit(material: Material, folder: Run, made: Made, limits: Limits) -> tuple[Sent, int]:
    """Send all samples that have no record (or one with a status in `limits.retry`) and wait in no
    batch, as far as the budget goes; what was sent, and how many calls wait now. A sample that
    cannot be asked is left to `collect`.

    Raises `UsageError` for an editor without batches, `ServiceStopped` and `RunError` where the
    service takes none; nothing stays booked for those.
    """
    asked, name = _Asked.of(material, folder, made, limits), material.benchmark.name
    material.keep(folder)
    with lease.lease(folder.path, "edit", name, made.editor.name):
        known = {sample for one in asked.batches.settled() for sample in one.calls.values()}
        before = {r.sample: r for r in folder.edits(name) if r.editor == made.editor.name}

        def lines(samples: Sequence[Sample]) -> Iterator[Line]:
            for sample in samples:
                old = before.get(sample.id)
                if sample.id not in known and (old is None or old.status in limits.retry):
                    again = digest(old.status.value, old.reason, old.seconds) if old else ""
                    if (line := asked.line(sample, again)) is not None:
                        yield line

        sent = asked.batches.submit(lines(material.samples))
    return sent, sent.calls + len(known)


@dataclass(kw_only=True)
class _Answered:
    """The editor of finished batches: each sample's edit is what came back for it."""

    asked: _Asked
    answers: Mapping[str, tuple[str, Outcome]]
    """By sample: the call's key and its answer."""
    name: str
    parallel: str = "serial"

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        editor = self.asked.editor
        if sample.id not in self.answers:  # it could not be asked
            edit = editor.batch_line(sample, folder)
            assert isinstance(edit, Edit), "samples without an answer are those that have no call"
            return edit
        key, outcome = self.answers[sample.id]
        self.asked.batches.settle(key, outcome)
        cost = outcome.cost if outcome.kind == "ok" else 0.0
        return editor.batch_edit(sample, folder, outcome, cost)


def collect(material: Material, folder: Run, made: Made, limits: Limits) -> Collected:
    """Fetch what is finished, record it as edits, and the call in the run where there was
    something.

    A call that the provider could not answer (a fault of its own, a batch that expired) is not the
    model's failure: it is released, and may be submitted again. Raises as `submit` does.
    """
    asked, name = _Asked.of(material, folder, made, limits), material.benchmark.name
    data, ids = material.keep(folder), {sample.id for sample in material.every}
    found = Collected(summary=EditSummary(editor=made.editor.name))
    with lease.lease(folder.path, "edit", name, made.editor.name):
        every = list(asked.batches.ended())
    finished = [e for e in every if e.answers is not None and ids >= set(e.batch.calls.values())]
    under_way = {s for one in every if one not in finished for s in one.batch.calls.values()}
    answers: dict[str, tuple[str, Outcome]] = {}
    for ended in finished:
        told = asked.told(ended)
        answers |= told
        found.open += len(ended.batch.calls) - len(told)
        found.batches.append(ended.batch.number)
        found.failed += [] if told else [f"{ended.batch.number}: {ended.state}"]
    found.waiting = len(under_way)
    chosen = [
        sample
        for sample in material.every
        if sample.id in answers or (sample.id not in under_way and asked.line(sample) is None)
    ]
    answered = _Answered(asked=asked, answers=answers, name=made.editor.name)
    retry = frozenset(Status) - {Status.SCORED}
    found.summary = edit(folder, name, chosen, answered, retry=retry)
    for key, outcome in answers.values():
        asked.batches.settle(key, outcome)  # of a sample that was edited in another way meanwhile
    for ended in finished:
        asked.batches.close(ended.batch, ended.state)
    if found.batches:
        record(material, folder, found.summary, made.request, data)
    return found
