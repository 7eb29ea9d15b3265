"""Edits by a provider's batches: half the price, within a day.

`submit` sends what has no output yet as files of requests and leaves; `collect` fetches what is
finished and brings it into the run as `edit` would. Each batch is written down in the run
(`FOLDER`) *before* it is made, under a name of its own that the provider keeps with it:
so a command that is killed in between finds the batch again, and neither sends nor pays it twice.
Every call is booked in the ledger before its file is sent, and stays booked until its bill comes.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import orjson

from editgauge.editors.service import AGAIN, Reply, Request, Service
from editgauge.errors import RunError, UsageError
from editgauge.images import write_bytes
from editgauge.run.edit import EditSummary, Progress
from editgauge.run.edit import edit as edit_all
from editgauge.services import batches
from editgauge.services.ledger import Entry, Ledger
from editgauge.store import lease
from editgauge.store.run import Run
from editgauge.store.schema import EditRecord, digest
from editgauge.types import Edit, Editor, Sample, Status

FOLDER = ".batches"
"""Where a run keeps what it knows of batches that are under way."""
MOST = 50
"""Calls of one batch: their pictures come back in one file, which is held in memory."""
MOST_RESULTS = 1 << 30
"""Bytes of a file of results."""


class Batching(Protocol):
    """What an editor has that can be asked by batches."""

    name: str
    model: str
    service: Service
    ledger: Ledger

    def batch_line(
        self, sample: Sample, folder: Path
    ) -> tuple[str, str, dict[str, Any]] | Edit: ...

    def batch_edit(
        self, sample: Sample, folder: Path, reply: Reply, cost: float | None
    ) -> Edit: ...

    def batch_cost(self, reply: Reply | None = None) -> float | None: ...


def batching(editor: Editor) -> Batching:
    """The editor, as one that can be asked by batches. Raises `UsageError` for one that cannot."""
    if not getattr(editor, "can_batch", False):
        raise UsageError(
            f"--batch: the editor {editor.name!r} cannot be asked by batches; wanted openai (or a "
            f"service like it) with the sample's own instruction"
        )
    return editor  # type: ignore[return-value]


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


@dataclass(slots=True, kw_only=True)
class _Batch:
    """One batch as the run's file has it: `number` is the provider's, empty while it is not known
    whether it was made; `keys` map each call to its sample.
    """

    path: Path
    name: str
    benchmark: str
    editor: str
    keys: dict[str, str]
    number: str = ""
    at: float = 0.0

    def write(self) -> None:
        facts = {
            "name": self.name,
            "benchmark": self.benchmark,
            "editor": self.editor,
            "keys": self.keys,
            "number": self.number,
            "at": self.at,
        }
        write_bytes(self.path, orjson.dumps(facts))


def pending(run: Path, benchmark: str, editor: str) -> list[_Batch]:
    """The batches of an editor on a benchmark that were begun and not collected, the oldest first.

    Raises `RunError` for a file of them that cannot be read: what it stood for was paid.
    """
    found = []
    for path in sorted((run / FOLDER).glob("*.json")):
        try:
            told = orjson.loads(path.read_bytes())
            batch = _Batch(path=path, **told)
        except (OSError, ValueError, TypeError) as error:
            raise RunError(
                f"{path}: this record of a batch cannot be read ({error}); look at the provider's "
                f"list of batches, then remove the file"
            ) from error
        if (batch.benchmark, batch.editor) == (benchmark, editor):
            found.append(batch)
    return sorted(found, key=lambda batch: batch.at)


def waiting(run: Path, benchmark: str, editor: str) -> set[str]:
    """The samples that wait in a batch: nothing else asks for them meanwhile."""
    return {sample for b in pending(run, benchmark, editor) for sample in b.keys.values()}


# -- submitting ------------------------------------------------------------------------------------


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
    result = Submitted(editor=editor.name)
    with lease.lease(run.path, "edit", benchmark, editor.name):
        known = _settled(run.path, benchmark, asked)
        waiting = {sample for batch in known for sample in batch.keys.values()}
        before = _records(run, benchmark, editor.name)
        todo = [
            (sample, _again(before.get(sample.id)))
            for sample in samples
            if sample.id not in waiting
            and ((old := before.get(sample.id)) is None or old.status in retry)
        ]
        for endpoint, file, keys in _files(run.path, asked, todo, result):
            batch = _Batch(
                path=run.path / FOLDER / f"{(name := secrets.token_hex(12))}.json",
                name=name,
                benchmark=benchmark,
                editor=editor.name,
                keys=keys,
                at=time.time(),
            )
            _send(asked, file, endpoint, batch)
            result.batches.append(batch.number)
            result.calls += len(keys)
    result.waiting = result.calls + sum(len(batch.keys) for batch in known)
    return result


def _records(run: Run, benchmark: str, editor: str) -> dict[str, EditRecord]:
    return {r.sample: r for r in run.edits(benchmark) if r.editor == editor}


def _again(old: EditRecord | None) -> str:
    return "" if old is None else digest(old.status.value, old.reason, old.seconds)


def _files(
    run: Path, editor: Batching, todo: Sequence[tuple[Sample, str]], result: Submitted
) -> Iterator[tuple[str, batches.File, dict[str, str]]]:
    """Files of calls, each booked, with their endpoint and the samples of their keys."""
    file, keys, endpoint = batches.File(most=MOST), dict[str, str](), ""
    for sample, again in todo:
        with lease.scratch(run) as scratch:
            if again:
                (scratch / AGAIN).write_text(again, encoding="ascii")
            told = editor.batch_line(sample, scratch)
        if isinstance(told, Edit):
            continue
        key, endpoint, body = told
        line = batches.line_of(key, endpoint, orjson.dumps(body))
        amount = editor.batch_cost()
        standing = editor.ledger.standing([batches.entry_key(key)]) if amount else {}
        entry = standing.get(batches.entry_key(key))
        if amount and entry is None:
            entry = editor.ledger.reserve(amount, editor.model, key=batches.entry_key(key))
            if entry is None:
                result.broke = str(editor.ledger.exceeded(amount, editor.model))
                break
        if file.full(line):
            yield endpoint, file, keys
            file, keys = batches.File(most=MOST), {}
        file.add(key, line, entry)
        keys[key] = sample.id
    if file.lines:
        yield endpoint, file, keys


def _send(editor: Batching, file: batches.File, endpoint: str, batch: _Batch) -> None:
    """Hand a file to the service and write the batch down; what was booked is released where it is
    certain that none was made.
    """
    service = editor.service
    part = ("calls.jsonl", file.data, "application/jsonl")
    try:
        form = {"data": {"purpose": "batch"}, "files": {"file": part}}
        uploaded = service.call(Request("/files", lambda: form))
        number = uploaded.value.get("id") if uploaded.status is Status.SCORED else None
        if not isinstance(number, str):
            raise RunError(f"no batch file was taken ({uploaded.reason or 'no id in the reply'})")
    except BaseException:
        for entry in file.entries:
            editor.ledger.release(entry, "no batch was made")
        raise
    batch.write()
    body = batches.wanted(number, endpoint, {batches.MARK: batch.name})
    made = service.call(Request("/batches", lambda: {"json": body}, key=batch.name, once=True))
    told = made.value.get("id") if made.status is Status.SCORED else None
    batch.number = told if isinstance(told, str) else _found(editor, batch)
    if not batch.number:
        batch.path.unlink(missing_ok=True)
        for entry in file.entries:
            editor.ledger.release(entry, "no batch was made")
        raise RunError(f"no batch was made ({made.reason or 'no id in the reply'})")
    batch.write()
    for entry in file.entries:
        editor.ledger.leave(entry)


def _found(editor: Batching, batch: _Batch) -> str:
    """The provider's number of a batch of which it is not known whether it was made; empty where
    the provider has none of its name. Raises `RunError` where it does not tell.
    """
    reply = editor.service.call(Request("/batches?limit=100", dict, method="GET"))
    number = batches.number_of(reply.value, batch.name) if reply.status is Status.SCORED else None
    if number is None:
        raise RunError(
            f"whether the batch {batch.name} was made is not known ({reply.reason or 'no list'}); "
            f"run the same command again when the service answers"
        )
    return number


def _settled(run: Path, benchmark: str, editor: Batching) -> list[_Batch]:
    """The pending batches, after those of a killed command were looked for: one that was never made
    is forgotten, and its calls released.
    """
    found = []
    for batch in pending(run, benchmark, editor.name):
        if not batch.number:
            batch.number = _found(editor, batch)
            if not batch.number:
                _release(editor.ledger, _standing(editor, batch), "no batch was made")
                batch.path.unlink(missing_ok=True)
                continue
            batch.write()
        found.append(batch)
    return found


def _standing(editor: Batching, batch: _Batch) -> dict[str, Entry]:
    return editor.ledger.standing([batches.entry_key(key) for key in batch.keys])


def _release(ledger: Ledger, entries: Mapping[str, Entry], why: str) -> None:
    for entry in entries.values():
        ledger.release(entry, why)


# -- collecting ------------------------------------------------------------------------------------


@dataclass(kw_only=True)
class _Answered:
    """The editor of a finished batch: each sample's edit is what came back for it."""

    editor: Batching
    answers: Mapping[str, tuple[str, Reply]]
    """By sample: the call's key and its answer."""
    entries: dict[str, Entry]
    name: str
    parallel: str = "serial"

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        told = self.answers.get(sample.id)
        if told is None:  # it could not be asked
            made = self.editor.batch_line(sample, folder)
            assert isinstance(made, Edit), "samples without an answer are those that have no call"
            return made
        key, reply = told
        return self.editor.batch_edit(sample, folder, reply, self.bill(key, reply))

    def bill(self, key: str, reply: Reply) -> float | None:
        """Bring a call's cost into the ledger, once; what it was, in US dollars."""
        answered = reply.status is Status.SCORED
        cost = self.editor.batch_cost(reply) if answered else 0.0
        entry = self.entries.pop(batches.entry_key(key), None)
        if entry is not None and not answered:
            self.editor.ledger.release(entry, reply.reason)
        elif entry is not None and cost is not None:
            self.editor.ledger.bill(entry, cost)
        return cost


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
    result = Collected(summary=EditSummary(editor=editor.name))
    with lease.lease(run.path, "edit", benchmark, editor.name):
        known = _settled(run.path, benchmark, asked)
    finished: list[_Batch] = []
    answers: dict[str, tuple[str, Reply]] = {}
    entries: dict[str, Entry] = {}
    ids = {sample.id for sample in samples}
    for batch in known:
        state, lines = _results(asked, batch)
        if lines is None or not ids.issuperset(batch.keys.values()):
            result.waiting += len(batch.keys)
            continue
        told = _told(asked, batch, lines)
        answers |= told
        entries |= _standing(asked, batch)
        result.open += len(batch.keys) - len(told)
        finished.append(batch)
        result.batches.append(batch.number)
        if not told:
            result.failed.append(f"{batch.number}: {state}")
    waiting = {sample for b in known if b not in finished for sample in b.keys.values()}
    chosen = [s for s in samples if s.id in answers or _unaskable(run.path, asked, s, waiting)]
    answered = _Answered(editor=asked, answers=answers, entries=entries, name=editor.name)
    retry = frozenset(Status) - {Status.SCORED}
    result.summary = edit_all(run, benchmark, chosen, answered, retry=retry, progress=progress)
    for key, reply in answers.values():
        answered.bill(key, reply)  # of a sample that was edited in another way meanwhile
    _release(asked.ledger, answered.entries, "no result in the batch")
    for batch in finished:
        with suppress(OSError):
            batch.path.unlink()
    return result


def _unaskable(run: Path, editor: Batching, sample: Sample, waiting: set[str]) -> bool:
    if sample.id in waiting:
        return False
    with lease.scratch(run) as scratch:
        return isinstance(editor.batch_line(sample, scratch), Edit)


def _results(editor: Batching, batch: _Batch) -> tuple[str, list[bytes] | None]:
    """A batch's state and the lines of its results and errors; None while it is under way."""
    reply = editor.service.call(Request(f"/batches/{batch.number}", dict, method="GET"))
    state = reply.value.get("status") if reply.status is Status.SCORED else None
    if not isinstance(state, str) or state in batches.UNFINISHED:
        return str(state or reply.reason), None
    lines: list[bytes] = []
    for part in ("output_file_id", "error_file_id"):
        number = reply.value.get(part)
        if isinstance(number, str) and number:
            try:
                data = editor.service.content(f"/files/{number}/content", MOST_RESULTS)
            except OSError:  # it is there tomorrow as well
                return state, None
            lines += [line for line in data.splitlines() if line.strip()]
    return state, lines


def _told(editor: Batching, batch: _Batch, lines: Sequence[bytes]) -> dict[str, tuple[str, Reply]]:
    """The answers that say something of the model, by sample."""
    found = {}
    for key, response in batches.results(lines, editor.service.secrets):
        reply, meant = editor.service.understood(response)
        if key in batch.keys and meant.kind in ("ok", "refused", "bad"):
            found[batch.keys[key]] = key, reply
    return found
