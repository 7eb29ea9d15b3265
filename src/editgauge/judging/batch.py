"""Batches: the half-price way to ask. A transport into the same reply store; rows are then made as
from any reply.

`submit` writes the calls that are not in the store into files of OpenAI's batch format (the reply's
key is the custom id) and hands them to the server; `collect` fetches what is finished and stores
it. A call that waits in a batch is not submitted again. Replies that are cut off or cannot be read
are left to a later ordinary run. Each call is booked in the ledger before its file is sent, at the
most that it can cost in a batch, and stays booked until `collect` finds its bill.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from editgauge.errors import ImageError, RunError
from editgauge.judging.asker import Request
from editgauge.judging.client import build, read_response
from editgauge.judging.engine import Engine, Job
from editgauge.services import batches
from editgauge.services.batches import File
from editgauge.services.ledger import Entry
from editgauge.services.transport import Lost, Response

_ENDPOINT = "/v1/chat/completions"


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


def pending(engine: Engine) -> dict[str, dict[str, Any]]:
    """The batches that were submitted and not collected: id -> {"keys": […], "at": seconds}."""
    found = engine.store.notes("batch ")
    return {
        name[6:]: record
        for name, text in found.items()
        if (record := orjson.loads(text)).get("keys")
    }


async def submit(engine: Engine, jobs: Iterable[Job]) -> Batched:
    """Send all calls that are neither stored nor waiting, as far as the budget goes.

    Raises `RunError` when the server takes no batch; nothing stays booked for it then.
    """
    result = Batched()
    taken = {key for record in pending(engine).values() for key in record["keys"]}
    for file in _files(engine, jobs, taken, result):
        try:
            name = await _send(engine, file)
        except RunError:
            for entry in file.entries:
                engine.ledger.release(entry, "no batch was made")
            raise
        engine.store.note(
            f"batch {name}", orjson.dumps({"keys": file.keys, "at": time.time()}).decode()
        )
        for entry in file.entries:
            engine.ledger.leave(entry)
        result.batches.append(name)
        result.calls += len(file.keys)
    result.waiting = sum(len(record["keys"]) for record in pending(engine).values())
    return result


async def _send(engine: Engine, file: File) -> str:
    """Hand one file to the server; returns the batch's name."""
    client = engine.client
    try:
        status, answer = await client.upload(
            "/files", {"purpose": "batch"}, "calls.jsonl", file.data
        )
        if status not in (200, 201) or not isinstance(answer, dict) or "id" not in answer:
            raise RunError(
                f"{client.host}: no batch file taken (HTTP {status}); use the ordinary way"
            )
        wanted = batches.wanted(answer["id"], _ENDPOINT)
        status, answer, _ = await client.exchange_json("POST", "/batches", wanted)
    except Lost as error:
        raise RunError(
            f"{client.host}: {error.reason}; whether a batch was made is not known. Look at the "
            f"provider's list of batches before submitting again"
        ) from error
    if status not in (200, 201) or not isinstance(answer, dict) or "id" not in answer:
        raise RunError(f"{client.host}: no batch made (HTTP {status}); use the ordinary way")
    return str(answer["id"])


async def collect(engine: Engine, jobs: Iterable[Job]) -> Batched:
    """Fetch finished batches into the store. `jobs` tell what each key is about (those of the same
    command).

    Raises `RunError` when another model answered than the one that answered first; what it answered
    is kept under keys of its own.
    """
    result = Batched()
    about = {engine.key(job): job for job in jobs}
    others: set[str] = set()
    for name, record in pending(engine).items():
        try:
            status, answer, _ = await engine.client.exchange_json("GET", f"/batches/{name}")
            state = answer.get("status") if isinstance(answer, dict) else None
            if status != 200 or state is None or state in batches.UNFINISHED:
                result.waiting += len(record["keys"])
                continue
            lines = await _lines(engine, answer)
        except Lost:  # it is there tomorrow as well
            result.waiting += len(record["keys"])
            continue
        standing = engine.ledger.standing([batches.entry_key(key) for key in record["keys"]])
        stored = 0
        for key, response in batches.results(lines, engine.client.secrets):
            stored += _store(engine, key, response, about, standing, others)
        for entry in standing.values():
            engine.ledger.release(entry, f"no result in batch {name}: {state}")
        if not stored:
            result.failed.append(f"{name}: {state}")
        engine.store.note(
            f"batch {name}", orjson.dumps({"keys": [], "at": record["at"], "state": state}).decode()
        )
        result.batches.append(name)
        result.calls += stored
    if others:
        raise RunError(
            f"{', '.join(sorted(others))} answered in a batch, {engine.answered} answered first; "
            f"two judges are not mixed"
        )
    return result


async def _lines(engine: Engine, batch: Mapping[str, Any]) -> list[bytes]:
    """The lines of a finished batch's results and errors."""
    found: list[bytes] = []
    for part in ("output_file_id", "error_file_id"):
        if batch.get(part):
            status, _, data = await engine.client.exchange_json(
                "GET", f"/files/{batch[part]}/content"
            )
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
            skeleton = engine.skeleton(job)
            body = build(
                skeleton, [engine.pictures.encode(picture, webp) for picture in job.call.pictures]
            ).joined()
        except ImageError:
            continue  # it ends as unreadable when rows are made
        line = batches.line_of(key, _ENDPOINT, body)
        estimate = engine.asker.estimate(Request(job=job), len(skeleton), batch=True)
        standing = engine.ledger.standing([batches.entry_key(key)]) if estimate else {}
        entry = standing.get(batches.entry_key(key))
        if estimate and entry is None:
            model = engine.settings.model
            entry = engine.ledger.reserve(estimate, model, key=batches.entry_key(key))
            if entry is None:
                result.broke = str(engine.ledger.exceeded(estimate * engine.ledger.ratio(model)))
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
    outcome = read_response(response, 0.0, engine.client.secrets, engine.client.address.host)
    entry = standing.pop(batches.entry_key(key), None)
    job = about.get(key)
    words = len(engine.skeleton(job)) if job is not None else 0
    cost = engine.asker.bill(outcome, words, batch=True)
    if entry is not None and cost is not None:
        engine.ledger.bill(entry, cost)
    elif entry is not None and outcome.billed:
        engine.ledger.keep(entry, outcome.reason or "no usable usage record")
    elif entry is not None:
        engine.ledger.release(entry, outcome.reason)
    engine.count_request(outcome)
    if job is None:
        return 0  # of another command: it stays in the provider's files
    if not engine.answer_of(outcome.model):
        others.add(outcome.model)
        key = f"{key} {outcome.model}"
    engine.prove(engine.dialect)
    engine.keep(Request(job=job, attempt="first"), key, outcome, cost)
    return 1
