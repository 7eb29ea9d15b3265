"""Batches: the half-price way to ask. A transport into the same reply store; rows are then made as
from any reply.

`submit` writes the calls that are not in the store into files of OpenAI's batch format (the reply's
key is the custom id) and hands them to the server; `collect` fetches what is finished and stores
it. A call that waits in a batch is not submitted again. Replies that are cut off or cannot be read
are left to a later ordinary run. Each call is booked in the ledger before its file is sent, at the
most that it can cost in a batch, and stays booked until `collect` finds its bill. A batch cannot be
called back: while fewer than `PILOT` bills of the judge are known, only so much is sent that bills
of `FEARED` times their estimates would fit into the budget.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from editgauge.errors import ImageError, RunError
from editgauge.judging.asker import Request
from editgauge.judging.client import build, read_response
from editgauge.judging.engine import Engine, Job
from editgauge.services import batches, policy
from editgauge.services.batches import File
from editgauge.services.ledger import FEARED, NO_BILL, Entry
from editgauge.services.transport import Lost, Response

_ENDPOINT = "/v1/chat/completions"
PILOT = 10
"""Bills of a judge from which on a batch goes as far as the budget does."""


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


async def _settled(engine: Engine) -> dict[str, dict[str, Any]]:
    """The pending batches, after those of a killed command were looked for: one that was never made
    is forgotten, and its calls released.

    Raises `RunError` where the server does not tell.
    """
    found = pending(engine)
    for mark, record in list(found.items()):
        if record["number"]:
            continue
        try:
            status, told, _ = await engine.client.exchange_json("GET", "/batches?limit=100")
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


async def submit(engine: Engine, jobs: Iterable[Job]) -> Batched:
    """Send all calls that are neither stored nor waiting, as far as the budget goes.

    Raises `RunError` when the server takes no batch; nothing stays booked for it then, unless it is
    not known whether one was made.
    """
    result = Batched()
    taken = {key for record in (await _settled(engine)).values() for key in record["keys"]}
    for file in _files(engine, jobs, taken, result):
        result.batches.append(await _send(engine, file))
        for entry in file.entries:
            engine.ledger.leave(entry)
        result.calls += len(file.keys)
    result.waiting = sum(len(record["keys"]) for record in pending(engine).values())
    return result


async def _send(engine: Engine, file: File) -> str:
    """Hand one file to the server and write the batch down, before it is made and after; returns
    its number.
    """
    client, mark = engine.client, secrets.token_hex(12)
    record = {"keys": file.keys, "at": time.time(), "number": ""}
    try:
        try:
            status, answer = await client.upload(
                "/files", {"purpose": "batch"}, "calls.jsonl", file.data
            )
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
        status, answer, _ = await client.exchange_json("POST", "/batches", wanted)
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


async def collect(engine: Engine, jobs: Iterable[Job]) -> Batched:
    """Fetch finished batches into the store. `jobs` tell what each key is about (those of the same
    command).

    Raises `RunError` when another model answered than the one that answered first; what it answered
    is kept under keys of its own.
    """
    result = Batched()
    about = {engine.key(job): job for job in jobs}
    others: set[str] = set()
    for mark, record in (await _settled(engine)).items():
        name = record["number"]
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


async def _lines(engine: Engine, batch: Mapping[str, Any]) -> list[bytes]:
    """The lines of a finished batch's results and errors. Raises `Lost` for a file that cannot be
    had now.
    """
    found: list[bytes] = []
    for part in ("output_file_id", "error_file_id"):
        if batch.get(part):
            status, _, data = await engine.client.exchange_json(
                "GET", f"/files/{batch[part]}/content"
            )
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
            careful = not engine.ledger.trusts(model, PILOT)
            entry = engine.ledger.reserve(
                estimate, model, key=batches.entry_key(key), beside=careful
            )
            if entry is None:
                result.broke = str(engine.ledger.exceeded(estimate, model))
                if careful and taken:
                    result.broke += (
                        f". Few bills of {model} are known: a batch goes only as far as bills of "
                        f"{FEARED:g} times their estimates would fit; collect it, then submit the "
                        f"rest"
                    )
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
        engine.ledger.keep(entry, outcome.reason or NO_BILL)
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
