"""OpenAI's batches: half the price, within a day.

Each batch is noted beside the ledger *before* it is made, under a mark that the provider keeps with
it: a command that is killed in between finds the batch again, and neither sends nor pays it twice.
Every call is booked before its file is sent, and stays booked until its bill comes.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec
import orjson

from editgauge.errors import RunError
from editgauge.services.http import Request, Response, form_request, json_request
from editgauge.services.paid import Outcome, PaidCalls, Spend, decoded
from editgauge.services.secrets import Address
from editgauge.store.paid import Paid

MAX_REQUESTS = 50_000
MAX_BYTES = 190 << 20
"""OpenAI takes 200 MB a file: about 54 calls with three pictures of a megapixel."""
ENDPOINT = "/v1/chat/completions"
UNFINISHED = ("", "validating", "in_progress", "finalizing", "cancelling")
"""States of a batch whose results are still to come."""
MARK = "editgauge"
"""The name in a batch's metadata under which ours stands."""
_LONG, _MOST = 600.0, 1 << 30
"""Seconds for a file of a batch; bytes of a file of results."""
_FREE = Spend(model="")
_NOTE = "batch "


class Batch(msgspec.Struct, kw_only=True):
    """One batch as it is noted. `calls`: keys, none once it was collected; `number`: the
    provider's, empty while it is not known whether the batch was made.
    """

    mark: str
    calls: list[str]
    number: str = ""
    state: str = ""


class Line(NamedTuple):
    """A call of a batch: its key, its JSON, and the US dollars that it may cost."""

    key: str
    body: bytes
    most: float


@dataclass(slots=True, kw_only=True)
class Batches:
    """The batches at one service, asked through `calls`, and noted in `notes`."""

    calls: PaidCalls
    address: Address
    notes: Paid
    model: str

    def pending(self) -> list[Batch]:
        """The batches that were begun and not collected, the oldest first; one of a killed command
        is looked for, and forgotten where it was never made. Raises `RunError` for a damaged note
        (what it stood for was paid), and where the server does not tell.
        """
        left = []
        for note in self.notes.notes(_NOTE).values():
            batch = msgspec.json.decode(note, type=Batch)
            if batch.calls and not batch.number:
                self._find(batch, "its command was killed")
            left += [batch] if batch.calls and batch.number else []
        return left

    def submit(self, lines: Iterable[Line]) -> Iterator[Batch]:
        """Send these calls in as many batches as they need; each as it is made. Raises `RunError`
        when the server takes no batch: then nothing stays booked, unless it is not known whether
        one was made. Raises `BudgetExceeded` at the first call that could pass the budget, after
        those before it were sent.
        """
        ledger, over = self.calls.ledger, None
        part, size = list[Line](), 0
        for line in lines:
            key = entry_key(line.key)
            free = not line.most or ledger.standing([key])
            if not free and ledger.try_to_book(line.most, self.model, key) is None:
                over = ledger.exceeded(line.most, self.model)
                break
            if part and (size + len(line.body) > MAX_BYTES or len(part) >= MAX_REQUESTS):
                yield self._send(part)
                part, size = [], 0
            part.append(line)
            size += len(line.body) + 200
        if part:
            yield self._send(part)
        if over is not None:
            raise over

    def _send(self, lines: list[Line]) -> Batch:
        """Hand one file to the server; the batch is noted before it is made, and after."""
        batch = Batch(mark=secrets.token_hex(12), calls=[line.key for line in lines])
        data = b"".join(
            orjson.dumps({"custom_id": line.key, "method": "POST", "url": ENDPOINT})[:-1]
            + b',"body":' + line.body + b"}\n"
            for line in lines
        )  # fmt: skip
        file = ("file", "calls.jsonl", "application/octet-stream", data)
        url = self.address.of("/files")
        form = form_request(url, {"purpose": "batch"}, [file], seconds=_LONG)
        try:
            sent = self.calls.call(form, _json, _FREE)
            if not (number := _text(sent.value, "id")):
                why = sent.reason or "no id"
                raise RunError(f"{self.calls.host}: no batch file was taken ({why})")
        except BaseException:
            self.close(batch, "never made")
            raise
        self._note(batch)
        wanted = {"input_file_id": number, "endpoint": ENDPOINT, "completion_window": "24h",
                  "metadata": {MARK: batch.mark}}  # fmt: skip
        url, key = self.address.of("/batches"), {"Idempotency-Key": batch.mark}
        made = self.calls.attempt(json_request(url, wanted, headers=key), _json, _FREE)
        batch.number = _text(made.value, "id")
        if batch.number:
            self._note(batch)
        elif made.lost:
            self._find(batch, made.reason)
        else:
            self.close(batch, "never made")
        if not batch.number:
            raise RunError(f"{self.calls.host}: no batch was made ({made.reason or 'no id'})")
        return batch

    def _find(self, batch: Batch, why: str) -> None:
        """Look for a batch that may have been made; one that the provider's list does not have is
        closed. Raises `RunError` where it does not tell.
        """
        reply = self._get("/batches?limit=100", _json)
        listed = reply.value.get("data") if isinstance(reply.value, dict) else None
        if not isinstance(listed, list):
            raise RunError(
                f"{self.calls.host}: whether the batch {batch.mark} was made is not known "
                f"({reply.reason or why}); run the same command again when the server lists its "
                f"batches"
            )
        for one in listed:
            marks = one.get("metadata") if isinstance(one, dict) else None
            if isinstance(marks, dict) and marks.get(MARK) == batch.mark:
                batch.number = _text(one, "id")
                self._note(batch)
                return
        self.close(batch, "never made")

    def ended(self) -> Iterator[tuple[Batch, dict[str, Response] | None]]:
        """Each pending batch with its state, and its answers by key as if each had come over HTTP:
        None while it is under way or cannot be fetched.
        """
        for batch in self.pending():
            reply = self._get(f"/batches/{batch.number}", _json)
            batch.state = _text(reply.value, "status")
            if batch.state in UNFINISHED:
                yield batch, None
                continue
            numbers = (_text(reply.value, f"{kind}_file_id") for kind in ("output", "error"))
            files = [self._get(f"/files/{number}/content", _bytes) for number in numbers if number]
            # 404 and 410: it is gone for good
            there = all(file.kind == "ok" or file.http in (404, 410) for file in files)
            yield batch, results(b"\n".join(file.value or b"" for file in files)) if there else None

    def settle(self, key: str, outcome: Outcome) -> None:
        """Bring what a call cost into the ledger, once."""
        ledger, name = self.calls.ledger, entry_key(key)
        if (entry := ledger.standing([name]).get(name)) is not None:
            ledger.settle(entry, outcome.cost, outcome.booked, outcome.reason)

    def close(self, batch: Batch, state: str) -> None:
        """A batch was collected, or never made. Calls without an answer stay booked where its work
        was done: they are billed, wherever their lines are.
        """
        ledger = self.calls.ledger
        for entry in ledger.standing([entry_key(key) for key in batch.calls]).values():
            why = f"no result in batch {batch.number}: {state}"
            ledger.settle(entry, None, state == "completed", why)
        batch.calls, batch.state = [], state
        self._note(batch)

    def _get(self, path: str, read: Any) -> Outcome:
        url = self.address.of(path)
        request = Request(url=url, method="GET", seconds=_LONG, limit=_MOST)
        return self.calls.call(request, read, _FREE)

    def _note(self, batch: Batch) -> None:
        self.notes.note(f"{_NOTE}{batch.mark}", msgspec.json.encode(batch).decode())


def _json(response: Response) -> Outcome:
    return Outcome(kind="ok", value=decoded(response.data), http=response.status)


def _bytes(response: Response) -> Outcome:
    return Outcome(kind="ok", value=response.data)


def _text(value: Any, name: str) -> str:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, str) else ""


def entry_key(key: str) -> str:
    """The key of a call's entry in the ledger."""
    return f"batch {key}"


def results(data: bytes) -> dict[str, Response]:
    """The lines of results: ``custom_id`` -> the answer, as if it had come over HTTP. What went
    wrong with a call is an answer with status 500; a line that is no result is left out.
    """
    found = {}
    for value in map(decoded, data.splitlines()):
        if key := _text(value, "custom_id"):
            response = value.get("response")
            response = response if isinstance(response, dict) else {}
            status, body = response.get("status_code"), response.get("body")
            if error := value.get("error"):
                reason = error.get("message") if isinstance(error, dict) else error
                status, body = 500, {"error": {"message": str(reason)[:300]}}
            known = status if isinstance(status, int) and 100 <= status < 600 else 500
            found[key] = Response(known, {}, orjson.dumps(body))
    return found
