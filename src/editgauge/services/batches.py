"""OpenAI's batches: half the price, within a day.

A batch is a file of JSON lines, each with a ``custom_id``; the provider answers within a day, at a
share of the price, in a file of results and one of errors. Each batch is noted beside the ledger
*before* it is made, under a mark that the provider keeps with it: so a command that is killed in
between finds the batch again, and neither sends nor pays it twice. Every call is booked before its
file is sent, and stays booked until its bill comes. A batch cannot be called back.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec
import orjson

from editgauge.errors import RunError
from editgauge.services.booking import Entry
from editgauge.services.http import Request, Response, form_request, json_request
from editgauge.services.paid import Outcome, PaidCalls, Spend, decoded
from editgauge.services.secrets import Address
from editgauge.store.paid import Paid

MAX_REQUESTS = 50_000
MAX_BYTES = 190 << 20
"""OpenAI takes 200 MB a file: about 54 calls with three pictures of a megapixel."""
WINDOW = "24h"
UNFINISHED = ("validating", "in_progress", "finalizing", "cancelling")
"""States of a batch whose results are still to come."""
MARK = "editgauge"
"""The name in a batch's metadata under which ours stands."""
_LONG = 600.0
"""Seconds for a file of a batch."""
_MOST = 1 << 30
"""Bytes of a file of results."""


class Batch(msgspec.Struct, kw_only=True):
    """One batch as it is noted. `calls` are the keys of its calls, and empty once it was collected;
    `number` is the provider's, empty while it is not known whether the batch was made.
    """

    mark: str
    calls: list[str]
    at: float
    number: str = ""
    state: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A call of a batch: its key, the endpoint, its JSON, and the US dollars that it may cost."""

    key: str
    endpoint: str
    body: bytes
    most: float = 0.0

    @property
    def data(self) -> bytes:
        """As it stands in the file; the body is not looked into."""
        head = orjson.dumps({"custom_id": self.key, "method": "POST", "url": self.endpoint})
        return head[:-1] + b',"body":' + self.body + b"}\n"


@dataclass(slots=True, kw_only=True)
class Sent:
    """What was submitted. `broke`: why the budget left calls out, or empty."""

    batches: list[str] = field(default_factory=list)
    calls: int = 0
    broke: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A batch and its state; `answers` by key as if each had come over HTTP, None while it is under
    way or cannot be fetched.
    """

    batch: Batch
    state: str
    answers: dict[str, Response] | None = None


@dataclass(slots=True, kw_only=True)
class _File:
    """The calls of one file, and what is booked for them."""

    endpoint: str = ""
    calls: list[str] = field(default_factory=list)
    lines: list[bytes] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    size: int = 0


@dataclass(slots=True, kw_only=True)
class Batches:
    """The batches at one service, asked through `calls`; `notes` is the file in which they are
    noted.
    """

    calls: PaidCalls
    address: Address
    notes: Paid
    model: str

    def settled(self) -> list[Batch]:
        """The batches that were begun and not collected, the oldest first, after those of a killed
        command were looked for: one that was never made is forgotten, and its calls released.
        Raises `RunError` for a note that is damaged (what it stood for was paid), and where the
        server does not tell.
        """
        left = []
        for note in self.notes.notes(_NOTE).values():
            batch = msgspec.json.decode(note, type=Batch)
            if not batch.calls:
                continue
            if not batch.number:
                batch.number = self._number_of(batch)
                if not batch.number:
                    self.close(batch, "never made")
                    continue
                self._note(batch)
            left.append(batch)
        return left

    # -- submitting --------------------------------------------------------------------------------

    def submit(self, lines: Iterable[Line]) -> Sent:
        """Send these calls, as far as the budget goes. Raises `RunError` when the server takes no
        batch; nothing stays booked then, unless it is not known whether one was made.
        """
        sent = Sent()
        for file in self._files(lines, sent):
            sent.batches.append(self._send(file).number)
            for entry in file.entries:
                self.calls.ledger.leave(entry)
            sent.calls += len(file.calls)
        return sent

    def _files(self, lines: Iterable[Line], sent: Sent) -> Iterator[_File]:
        file, ledger = _File(), self.calls.ledger
        for line in lines:
            data, key = line.data, entry_key(line.key)
            entry = ledger.standing([key]).get(key)
            if line.most and entry is None:
                entry = ledger.try_to_book(line.most, self.model, key=key)
                if entry is None:
                    sent.broke = str(ledger.exceeded(line.most, self.model))
                    break
            full = file.size + len(data) > MAX_BYTES or len(file.lines) >= MAX_REQUESTS
            if file.lines and full:
                yield file
                file = _File()
            file.endpoint = line.endpoint
            file.calls.append(line.key)
            file.lines.append(data)
            file.size += len(data)
            file.entries += [entry] if entry is not None else []
        if file.lines:
            yield file

    def _send(self, file: _File) -> Batch:
        """Hand one file to the server; the batch is noted before it is made, and after."""
        batch = Batch(mark=secrets.token_hex(12), calls=file.calls, at=time.time())
        try:
            number = self._uploaded(file)
            self._note(batch)
        except BaseException:
            for entry in file.entries:
                self.calls.ledger.release(entry, "no batch was made")
            raise
        wanted = {"input_file_id": number, "endpoint": file.endpoint, "completion_window": WINDOW,
                  "metadata": {MARK: batch.mark}}  # fmt: skip
        url, key = self.address.of("/batches"), {"Idempotency-Key": batch.mark}
        made = self.calls.attempt(json_request(url, wanted, headers=key), self._json, _FREE)
        batch.number = _text(made.value, "id")
        if not batch.number and not made.lost:
            self.close(batch, "never made")
            raise RunError(f"{self.calls.host}: no batch was made ({made.reason or 'no id'})")
        batch.number = batch.number or self._number_of(batch)
        if not batch.number:
            raise self._unknown(batch, made.reason)
        self._note(batch)
        return batch

    def _uploaded(self, file: _File) -> str:
        part = ("file", "calls.jsonl", "application/octet-stream", b"".join(file.lines))
        url = self.address.of("/files")
        form = form_request(url, {"purpose": "batch"}, [part], seconds=_LONG)
        made = self.calls.call(form, self._json, _FREE)
        if not (number := _text(made.value, "id")):
            raise RunError(f"{self.calls.host}: no batch file was taken ({made.reason or 'no id'})")
        return number

    def _number_of(self, batch: Batch) -> str:
        """The provider's number of a batch of which it is not known whether it was made; empty
        where its list has none of this mark. Raises `RunError` where it does not tell.
        """
        reply = self._get("/batches?limit=100")
        listed = reply.value.get("data") if isinstance(reply.value, dict) else None
        if not isinstance(listed, list):
            raise self._unknown(batch, reply.reason or "it lists no batches")
        for one in listed:
            marks = one.get("metadata") if isinstance(one, dict) else None
            if isinstance(marks, dict) and marks.get(MARK) == batch.mark:
                return str(one.get("id") or "")
        return ""

    def _unknown(self, batch: Batch, why: str) -> RunError:
        return RunError(
            f"{self.calls.host}: whether the batch {batch.mark} was made is not known ({why}); run "
            f"the same command again when the server lists its batches"
        )

    # -- collecting --------------------------------------------------------------------------------

    def ended(self) -> Iterator[Ended]:
        """How each pending batch stands."""
        for batch in self.settled():
            reply = self._get(f"/batches/{batch.number}")
            state = _text(reply.value, "status")
            if not state or state in UNFINISHED:
                yield Ended(batch=batch, state=state or reply.reason)
                continue
            lines = [self._lines(_text(reply.value, f"{kind}_file_id")) for kind in _FILES]
            answers = None
            if None not in lines:
                data = b"\n".join(filter(None, lines))
                answers = dict(results(data))
            yield Ended(batch=batch, state=state, answers=answers)

    def settle(self, key: str, outcome: Outcome) -> None:
        """Bring what a call cost into the ledger, once."""
        ledger, name = self.calls.ledger, entry_key(key)
        entry = ledger.standing([name]).get(name)
        if entry is None:
            return
        if outcome.cost is not None:
            ledger.bill(entry, outcome.cost)
        elif outcome.booked:
            ledger.keep(entry, outcome.reason or "no usable bill")
        else:
            ledger.release(entry, outcome.reason)

    def close(self, batch: Batch, state: str) -> None:
        """A batch was collected, or never made. Calls without an answer stay booked where its work
        was done: they are billed, wherever their lines are.
        """
        ledger = self.calls.ledger
        for entry in ledger.standing([entry_key(key) for key in batch.calls]).values():
            why = f"no result in batch {batch.number}: {state}"
            if state == "completed":
                ledger.keep(entry, why)
            else:
                ledger.release(entry, why)
        self._note(msgspec.structs.replace(batch, calls=[], state=state))

    def _lines(self, number: str) -> bytes | None:
        """The file of this number, empty where there is none; None where it cannot be had now."""
        if not number:
            return b""
        url = self.address.of(f"/files/{number}/content")
        request = Request(url=url, method="GET", seconds=_LONG, limit=_MOST)
        reply = self.calls.call(request, lambda r: Outcome(kind="ok", value=r.data), _FREE)
        if reply.kind == "ok":
            return bytes(reply.value)
        return b"" if reply.http in (404, 410) else None  # only these two are gone for good

    def _get(self, path: str) -> Outcome:
        request = Request(url=self.address.of(path), method="GET", seconds=_LONG)
        return self.calls.call(request, self._json, _FREE)

    def _json(self, response: Response) -> Outcome:
        value = decoded(response.data)
        return Outcome(kind="ok", value=value, http=response.status)

    def _note(self, batch: Batch) -> None:
        self.notes.note(f"{_NOTE}{batch.mark}", msgspec.json.encode(batch).decode())


_FREE = Spend(model="")
_NOTE = "batch "
_FILES = ("output", "error")


def _text(value: Any, name: str) -> str:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, str) else ""


def entry_key(key: str) -> str:
    """The key of a call's entry in the ledger."""
    return f"batch {key}"


def results(data: bytes) -> Iterator[tuple[str, Response]]:
    """Each line of results as its ``custom_id`` and the answer, as if it had come over HTTP: what a
    provider says went wrong with a call is an answer with status 500. A line that is no result is
    left out.
    """
    for line in data.splitlines():
        value = decoded(line)
        key = _text(value, "custom_id")
        if not key:
            continue
        if error := value.get("error"):
            reason = error.get("message") if isinstance(error, dict) else error
            yield key, Response(500, {}, orjson.dumps({"error": {"message": str(reason)[:300]}}))
            continue
        response = value.get("response")
        response = response if isinstance(response, dict) else {}
        status = response.get("status_code")
        status = status if isinstance(status, int) and 100 <= status < 600 else 500
        yield key, Response(status, {}, orjson.dumps(response.get("body")))
