"""Batches: the half-price way to ask. A transport into the same reply store; rows are then made as
from any reply.

`submit` writes the calls that are not in the store into files of OpenAI's batch format (the reply's
key is the custom id) and hands them to the server; `collect` fetches what is finished and stores
it. A call that waits in a batch is not submitted again. Replies that are cut off or cannot be read
are left to a later ordinary run. Each call is booked in the ledger before its file is sent, at the
most that it can cost in a batch, and stays booked until `collect` finds its bill. A batch cannot be
called back: it goes as far as the budget does at the price that is known.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from editgauge.errors import ImageError, RunError
from editgauge.judging.asking import FIRST, Engine, Job
from editgauge.judging.chat import pieces
from editgauge.services import batches, policy
from editgauge.services.batches import File
from editgauge.services.booking import Entry
from editgauge.services.http import Lost, Request, Response, form_request, json_request
from editgauge.services.paid import decoded, failed

_ENDPOINT = "/v1/chat/completions"
_LONG = 600.0
"""Seconds for a file of a batch."""


@dataclass(slots=True, kw_only=True)
class Batched:
    """What `submit` or `collect` did."""

    batches: list[str] = field(default_factory=list)
    calls: int = 0
    waiting: int = 0
    """Calls in batches that are not finished."""
    failed: list[str] = field(default_factory=list)
    """Batches that ended without results, with their reasons; their calls may be submitted again.
    """
    broke: str = ""
    """Why the budget left calls out, or empty."""


def _send_json(engine: Engine, method: str, path: str, value: Any = None) -> tuple[int, Any, bytes]:
    """A request outside of chat: status, decoded reply or None, raw bytes. Raises `Lost`."""
    url, client = engine.client.address.of(path), engine.client
    if value is not None:
        request = json_request(url, value, seconds=_LONG, limit=1 << 30)
    else:
        request = Request(url=url, method=method, seconds=_LONG, limit=1 << 30)
    response = client.http.send(request)
    return response.status, decoded(response.data, client.secrets), response.data


def pending(engine: Engine) -> dict[str, dict[str, Any]]:
    """The batches that were begun and not collected: mark -> {"keys": […], "at": seconds,
    "number": the provider's, empty while it is not known whether the batch was made}. Of earlier
    versions the mark is the number.
    """
    return {
        name[6:]: {"number": name[6:]} | record
        for name, record in engine.store.records("batch ").items()
        if record.get("keys")
    }


def _note(engine: Engine, mark: str, record: Mapping[str, Any]) -> None:
    engine.store.note(f"batch {mark}", orjson.dumps(dict(record)).decode())


def _settled(engine: Engine) -> dict[str, dict[str, Any]]:
    """The pending batches, after those of a killed command were looked for: one that was never made
    is forgotten, and its calls released.

    Raises `RunError` where the server does not tell.
    """
    found = pending(engine)
    for mark, record in list(found.items()):
        if record["number"]:
            continue
        try:
            status, told, _ = _send_json(engine, "GET", "/batches?limit=100")
            reason = f"HTTP {status}"
        except Lost as error:
            told, reason = None, error.reason
        number = batches.number_of(told, mark)
        if number is None:
            raise RunError(
                f"{engine.client.host}: whether the batch {mark} was made is not known ({reason}); "
                f"run the same command again when the server lists its batches"
            )
        if number:
            record["number"] = number
            _note(engine, mark, record)
            continue
        _forget(engine, mark, record)
        del found[mark]
    return found


def _forget(engine: Engine, mark: str, record: Mapping[str, Any]) -> None:
    """A batch was never made: its calls cost nothing and may be submitted again."""
    for entry in _standing(engine, record).values():
        engine.ledger.release(entry, "no batch was made")
    _note(engine, mark, {**record, "keys": [], "state": "never made"})


def _standing(engine: Engine, record: Mapping[str, Any]) -> dict[str, Entry]:
    return engine.ledger.standing([batches.entry_key(key) for key in record["keys"]])


def submit(engine: Engine, jobs: Iterable[Job]) -> Batched:
    """Send all calls that are neither stored nor waiting, as far as the budget goes.

    Raises `RunError` when the server takes no batch; nothing stays booked for it then, unless it is
    not known whether one was made.
    """
    result = Batched()
    taken = {key for record in (_settled(engine)).values() for key in record["keys"]}
    for file in _files(engine, jobs, taken, result):
        result.batches.append(_send(engine, file))
        for entry in file.entries:
            engine.ledger.leave(entry)
        result.calls += len(file.keys)
    result.waiting = sum(len(record["keys"]) for record in pending(engine).values())
    return result


def _send(engine: Engine, file: File) -> str:
    """Hand one file to the server and write the batch down, before it is made and after; returns
    its number.
    """
    client, mark = engine.client, secrets.token_hex(12)
    record = {"keys": file.keys, "at": time.time(), "number": ""}
    try:
        try:
            kind = "application/octet-stream"
            answered = client.http.send(
                form_request(
                    client.address.of("/files"),
                    {"purpose": "batch"},
                    [("file", "calls.jsonl", kind, file.data)],
                    seconds=_LONG,
                )
            )
            status, answer = answered.status, decoded(answered.data, client.secrets)
        except Lost as error:
            raise RunError(f"{client.host}: no batch file taken ({error.reason})") from error
        if status not in (200, 201) or not isinstance(answer, dict) or "id" not in answer:
            raise RunError(
                f"{client.host}: no batch file taken (HTTP {status}); use the ordinary way"
            )
        _note(engine, mark, record)
    except BaseException:
        for entry in file.entries:
            engine.ledger.release(entry, "no batch was made")
        raise
    wanted = batches.wanted(answer["id"], _ENDPOINT, {batches.MARK: mark})
    try:
        status, answer, _ = _send_json(engine, "POST", "/batches", wanted)
    except Lost as error:
        if not error.sent:
            _forget(engine, mark, record)
        raise RunError(
            f"{client.host}: {error.reason}; whether a batch was made is not known. Run the same "
            f"command again: it looks into the server's list of batches"
        ) from error
    number = answer.get("id") if isinstance(answer, dict) else None
    if not 200 <= status < 300 or not number:
        if policy.meaning(status, {}, {}).lost:
            raise RunError(
                f"{client.host}: HTTP {status}; whether a batch was made is not known. Run the "
                f"same command again: it looks into the server's list of batches"
            )
        _forget(engine, mark, record)
        raise RunError(f"{client.host}: no batch made (HTTP {status}); use the ordinary way")
    _note(engine, mark, {**record, "number": str(number)})
    return str(number)


def collect(engine: Engine, jobs: Iterable[Job]) -> Batched:
    """Fetch finished batches into the store. `jobs` tell what each key is about (those of the same
    command).

    Raises `RunError` when another model answered than the one that answered first; what it answered
    is kept under keys of its own.
    """
    result = Batched()
    about = {engine.key(job): job for job in jobs}
    others: set[str] = set()
    for mark, record in (_settled(engine)).items():
        name = record["number"]
        try:
            status, answer, _ = _send_json(engine, "GET", f"/batches/{name}")
            state = answer.get("status") if isinstance(answer, dict) else None
            if status != 200 or state is None or state in batches.UNFINISHED:
                result.waiting += len(record["keys"])
                continue
            lines = _lines(engine, answer)
        except Lost:  # it is there tomorrow as well
            result.waiting += len(record["keys"])
            continue
        standing = _standing(engine, record)
        stored = 0
        for key, response in batches.results(lines, engine.client.secrets):
            stored += _store(engine, key, response, about, standing, others)
        for entry in standing.values():
            if state == "completed":  # its work was done, and is billed, wherever the line is
                engine.ledger.keep(entry, f"no result in batch {name}")
            else:
                engine.ledger.release(entry, f"no result in batch {name}: {state}")
        if not stored:
            result.failed.append(f"{name}: {state}")
        _note(engine, mark, {**record, "keys": [], "state": state})
        result.batches.append(name)
        result.calls += stored
    if others:
        raise RunError(
            f"{', '.join(sorted(others))} answered in a batch, {engine.answered} answered first; "
            f"two judges are not mixed"
        )
    return result


def _lines(engine: Engine, batch: Mapping[str, Any]) -> list[bytes]:
    """The lines of a finished batch's results and errors. Raises `Lost` for a file that cannot be
    had now.
    """
    found: list[bytes] = []
    for part in ("output_file_id", "error_file_id"):
        if batch.get(part):
            status, _, data = _send_json(engine, "GET", f"/files/{batch[part]}/content")
            if status not in (200, 404, 410):  # only these two are gone for good
                raise Lost(f"HTTP {status}", sent=True)
            found += data.splitlines() if status == 200 else []
    return [line for line in found if line.strip()]


def _files(engine: Engine, jobs: Iterable[Job], taken: set[str], result: Batched) -> Iterator[File]:
    file = File()
    for job in jobs:
        try:
            key = engine.key(job)
            if key in taken or engine.store.get(key) is not None:
                continue
            webp = engine.dialect.webp
            words = engine.body(job)
            encoded = [engine.pictures.encode(picture, webp) for picture in job.call.pictures]
            body = b"".join(pieces(words, encoded))
        except ImageError:
            continue  # it ends as unreadable when rows are made
        line = batches.line_of(key, _ENDPOINT, body)
        most = engine.most(job, FIRST, len(words), batch=True)
        mark, model = batches.entry_key(key), engine.settings.model
        entry = engine.ledger.standing([mark]).get(mark) if most else None
        if most and entry is None:
            entry = engine.ledger.try_to_book(most, model, key=mark)
            if entry is None:
                result.broke = str(engine.ledger.exceeded(most, model))
                break
        if file.full(line):
            yield file
            file = File()
        taken.add(key)
        file.add(key, line, entry)
    if file.lines:
        yield file


def _store(
    engine: Engine,
    key: str,
    response: Response,
    about: Mapping[str, Job],
    standing: dict[str, Entry],
    others: set[str],
) -> int:
    """Store the reply of one call; 1, or 0 for a call of another command."""
    client = engine.client
    fine = 200 <= response.status < 300
    outcome = client.read(response) if fine else failed(response, client.secrets, client.host)
    entry = standing.pop(batches.entry_key(key), None)
    job = about.get(key)
    outcome = engine.billed(outcome, len(engine.body(job)) if job is not None else 0, batch=True)
    if entry is not None and outcome.cost is not None:
        engine.ledger.bill(entry, outcome.cost)
    elif entry is not None and outcome.booked:
        engine.ledger.keep(entry, outcome.reason or "no usable bill")
    elif entry is not None:
        engine.ledger.release(entry, outcome.reason)
    engine.stats.asked += 1
    if job is None:
        return 0  # of another command: it stays in the provider's files
    model = outcome.value.model if outcome.value is not None else ""
    if not engine.answer_of(model):
        others.add(model)
        key = f"{key} {model}"
    engine.prove(engine.dialect)
    engine.put(job, FIRST, engine.dialect, outcome, key)
    return 1
