"""OpenAI's batches, half the price within a day, into the same reply store. Each is booked, and
noted under a mark that the provider keeps, *before* it is made: a killed command finds it again.
What a server refuses in a batch teaches how the next one asks.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec
import orjson

from editgauge.errors import BudgetExceeded, ImageError, RunError
from editgauge.judging.asking import FIRST, Job
from editgauge.judging.chat import Dialect, pieces
from editgauge.judging.engine import Engine
from editgauge.services.http import Request, Response, form_request, json_request
from editgauge.services.paid import Outcome, Spend, decoded, failed
from editgauge.services.policy import at
from editgauge.store.paid import Paid

MAX_REQUESTS, MAX_BYTES = 50_000, 190 << 20
"""OpenAI takes 200 MB a file: about 54 calls with three pictures of a megapixel."""
LEAST_BYTES = 1000
"""Every request has so many bytes of words: a bill for fewer tokens is none."""
UNFINISHED = ("validating", "in_progress", "finalizing", "cancelling")
"""States of a batch whose results are still to come."""
MARK = "editgauge"
"""The name in a batch's metadata under which ours stands."""
_ENDPOINT = "/v1/chat/completions"
_LONG, _MOST = 600.0, 1 << 30
"""Seconds for a file of a batch; bytes of a file of results."""
_FREE = Spend(model="")
_NOTE = "batch "


class Batch(msgspec.Struct, kw_only=True):
    """A batch as it is noted: `calls` until it was collected, `number` once it is known.

    `model` is the judge that it asks ("": an older note does not say), and `dialect` how, as
    `Dialect.note` has it.
    """

    mark: str
    calls: list[str]
    number: str = ""
    state: str = ""
    model: str = ""
    dialect: str = ""


@dataclass(slots=True, kw_only=True)
class Batched:
    """What was done; `failed`: batches without results, and why; `broke`: why the budget left calls
    out. `refused`: calls that the server refused for how they asked; the next batch asks otherwise.
    """

    batches: list[str] = field(default_factory=list)
    calls: int = 0
    waiting: int = 0
    refused: int = 0
    failed: list[str] = field(default_factory=list)
    broke: str = ""


def waiting(replies: Paid) -> set[str]:
    """The keys of calls in batches not collected. Raises `RunError` for a damaged note."""
    batches = (msgspec.json.decode(note, type=Batch) for note in replies.notes(_NOTE).values())
    return {key for batch in batches for key in batch.calls}


def submit(engine: Engine, jobs: Iterable[Job]) -> Batched:
    """Send all calls that are neither stored nor waiting, as far as the budget goes. Raises
    `RunError` when the server takes no batch: then nothing stays booked, unless one may be made.
    """
    engine.waiting = {key for batch in _pending(engine) for key in batch.calls}
    result, part, size = Batched(waiting=len(engine.waiting)), dict[str, bytes](), 0
    try:
        for key, body in _lines(engine, jobs):
            if part and (size + len(body) > MAX_BYTES or len(part) >= MAX_REQUESTS):
                _send(engine, part, result)
                part, size = {}, 0
            part[key] = body
            size += len(body) + 200
    except BudgetExceeded as error:
        result.broke = str(error)
    if part:
        _send(engine, part, result)
    return result


def _lines(engine: Engine, jobs: Iterable[Job]) -> Iterator[tuple[str, bytes]]:
    """Keys and bodies of the calls to be sent, each booked. Raises `BudgetExceeded`."""
    ledger = engine.ledger
    for job in jobs:
        try:
            key = engine.key(job)
            if engine.stands(job):
                continue
            words = engine.body(job)
            encoded = [engine.pictures.encode(picture) for picture in job.call.pictures]
        except ImageError:
            continue  # it ends as unreadable when rows are made
        engine.waiting.add(key)
        most = engine.most(job, FIRST, len(words), batch=True)
        booked = not most or ledger.standing([_NOTE + key])
        if not booked and ledger.try_to_book(most, engine.model, _NOTE + key) is None:
            raise ledger.exceeded(most, engine.model)
        yield key, b"".join(pieces(words, encoded))


def _send(engine: Engine, bodies: Mapping[str, bytes], result: Batched) -> None:
    """Hand one file to the server; the batch is noted before it is made, and after."""
    mark = secrets.token_hex(12)
    batch = Batch(mark=mark, calls=list(bodies), model=engine.model, dialect=engine.dialect.note)
    about = {"method": "POST", "url": _ENDPOINT}
    data = b"".join(
        orjson.dumps({"custom_id": key, **about})[:-1] + b',"body":' + body + b"}\n"
        for key, body in bodies.items()
    )
    file = ("file", "calls.jsonl", "application/octet-stream", data)
    address, headers = engine.client.address, {"Idempotency-Key": batch.mark}
    form = form_request(address + "/files", {"purpose": "batch"}, [file], seconds=_LONG)
    try:
        number = _number(engine, engine.paid.call(form, _json, _FREE), "file was taken")
        _note(engine, batch)
        wanted = {"input_file_id": number, "endpoint": _ENDPOINT, "completion_window": "24h",
                  "metadata": {MARK: batch.mark}}  # fmt: skip
        request = json_request(address + "/batches", wanted, headers=headers)
        made = engine.paid.attempt(request, _json, _FREE)
        batch.number = "" if made.lost else _number(engine, made, "batch was made")
    except Exception:
        _close(engine, batch, "never made")
        raise
    if made.lost:
        raise _unknown(engine, batch, made.reason)
    _note(engine, batch)
    result.batches.append(batch.number)
    result.calls += len(bodies)
    result.waiting += len(bodies)


def _number(engine: Engine, answer: Outcome, what: str) -> str:
    if not (number := _text(answer.value, "id")):
        raise RunError(f"{engine.client.host}: no {what} ({answer.reason or 'no id'})")
    return number


def _unknown(engine: Engine, batch: Batch, why: str) -> RunError:
    return RunError(
        f"{engine.client.host}: whether the batch {batch.mark} was made is not known ({why}); run "
        f"the same command again when the server lists its batches"
    )


def _pending(engine: Engine) -> Iterator[Batch]:
    """This judge's batches that were not collected. Raises `RunError` for a damaged note, or one
    that may be made.
    """
    for note in engine.replies.notes(_NOTE).values():
        batch = msgspec.json.decode(note, type=Batch)
        if batch.model not in ("", engine.model):
            continue
        if batch.calls and not batch.number:  # its command ended in between
            reply = _get(engine, "/batches?limit=100", _json)
            if not isinstance(listed := at(reply.value, "data"), list):
                raise _unknown(engine, batch, reply.reason)
            mine = [one for one in listed if at(one, f"metadata.{MARK}") == batch.mark]
            batch.number = _text(mine, "0.id")
            _note(engine, batch) if mine else _close(engine, batch, "never made")
        if batch.calls:
            yield batch


def collect(engine: Engine) -> Batched:
    """Fetch finished batches into the store, whichever command submitted them. Raises `RunError`
    when another model answered than the one that answered first; its replies are kept apart.
    """
    result, others = Batched(), set[str]()
    for batch in list(_pending(engine)):
        answers = _answers(engine, batch)
        if answers is None:
            result.waiting += len(batch.calls)
            result.failed += [f"{batch.number}: {batch.state}"] * (batch.state not in UNFINISHED)
            continue
        asked = engine.dialect
        if batch.dialect:
            asked = Dialect.of(engine.client.host, batch.dialect)
        if any(200 <= response.status < 300 for response in answers.values()):
            engine.prove(asked)
        for key, response in answers.items():
            outcome = failed(response, engine.client.secrets)
            if 200 <= response.status < 300:
                outcome = engine.heard(response, LEAST_BYTES, batch=True)
            _settle(engine, [key], outcome.cost, outcome.booked, outcome.reason)
            if outcome.kind == "bad" and engine.learn(asked, outcome.reason):
                result.refused += 1  # no reply is kept: the next batch has it in other words
                continue
            if outcome.value is not None and not engine.is_ours(model := outcome.value.answered):
                others.add(model)
                key = f"{key} {model}"
            about = {"batch": batch.number, "dialect": engine.dialect.note}
            engine.put(key, outcome, about)
        if result.refused:
            engine.keep_dialect()
        result.failed += [] if answers else [f"{batch.number}: {batch.state}"]
        _close(engine, batch, batch.state)
        result.batches.append(batch.number)
        result.calls += len(answers)
        engine.paid.sent += len(answers)
    if others:
        raise RunError(
            f"{', '.join(sorted(others))} answered in a batch, {engine.answered} answered first; "
            f"two judges are not mixed"
        )
    return result


def _answers(engine: Engine, batch: Batch) -> dict[str, Response] | None:
    """A batch's answers by key; None while it is under way or cannot be fetched."""
    reply = _get(engine, f"/batches/{batch.number}", _json)
    status = _text(reply.value, "status")
    batch.state = status or reply.reason
    if not status or status in UNFINISHED:
        return None
    numbers = (_text(reply.value, f"{kind}_file_id") for kind in ("output", "error"))
    files = [_get(engine, f"/files/{number}/content", _bytes) for number in numbers if number]
    for file in files:
        if file.kind != "ok" and file.http not in (404, 410):  # these two: it is gone for good
            batch.state = file.reason
            return None
    answers = results(b"\n".join(file.value or b"" for file in files))
    return {key: answers[key] for key in batch.calls if key in answers}


def _close(engine: Engine, batch: Batch, state: str) -> None:
    """A batch is over. Calls without an answer stay booked where its work was done."""
    why = f"no result in batch {batch.number}: {state}"
    _settle(engine, batch.calls, None, state == "completed", why)
    batch.calls, batch.state = [], state
    _note(engine, batch)


def _settle(engine: Engine, keys: list[str], bill: float | None, booked: bool, why: str) -> None:
    for entry in engine.ledger.standing([_NOTE + key for key in keys]).values():
        engine.ledger.settle(entry, bill, booked=booked, why=why)


def _get(engine: Engine, path: str, read: Any) -> Outcome:
    url = engine.client.address + path
    request = Request(url=url, method="GET", seconds=_LONG, limit=_MOST)
    return engine.paid.call(request, read, _FREE)


def _note(engine: Engine, batch: Batch) -> None:
    engine.replies.note(f"{_NOTE}{batch.mark}", msgspec.json.encode(batch).decode())


def _json(response: Response) -> Outcome:
    return Outcome(kind="ok", value=decoded(response.data), http=response.status)


def _bytes(response: Response) -> Outcome:
    return Outcome(kind="ok", value=response.data)


def _text(value: Any, place: str) -> str:
    return text if isinstance(text := at(value, place), str) else ""


def results(data: bytes) -> dict[str, Response]:
    """The lines of results: ``custom_id`` -> the answer, as if it had come over HTTP. What went
    wrong with a call is an answer with status 500; a line that is no result is left out.
    """
    lines = {}
    for value in map(decoded, data.splitlines()):
        if key := _text(value, "custom_id"):
            status, body = at(value, "response.status_code"), at(value, "response.body")
            if error := value.get("error"):
                status, body = 500, {"error": error}
            known = status if isinstance(status, int) and 100 <= status < 600 else 500
            lines[key] = Response(known, {}, orjson.dumps(body))
    return lines
