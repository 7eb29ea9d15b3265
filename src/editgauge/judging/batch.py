"""Batches: the half-price way to ask. A transport into the same reply store; rows are then made as
from any reply.

`submit` writes the calls that are not in the store into files of OpenAI's batch format (the reply's
key is the custom id) and hands them to the server; `collect` fetches what is finished and stores
it. A call that waits in a batch is not submitted again. Replies that are cut off or cannot be read
are left to a later ordinary run.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import orjson

from editgauge.errors import ImageError, RunError
from editgauge.judging.cache import Reply
from editgauge.judging.client import build, read_response
from editgauge.judging.engine import Engine, Job
from editgauge.judging.keys import dialect_note, skeleton_of

MAX_REQUESTS = 50_000
MAX_BYTES = 190 << 20
"""OpenAI takes 200 MB a file: about 54 calls with three pictures of a megapixel."""


@dataclass(slots=True)
class Batched:
    """What `submit` or `collect` did."""

    batches: list[str] = field(default_factory=list)
    calls: int = 0
    waiting: int = 0
    """Calls in batches that are not finished."""
    failed: list[str] = field(default_factory=list)
    """Batches that ended without results, with their reasons; their calls may be submitted again.
    """


def pending(engine: Engine) -> dict[str, dict[str, Any]]:
    """The batches that were submitted and not collected: id -> {"keys": […], "at": seconds}."""
    found = engine.store.notes("batch ")
    return {
        name[6:]: record
        for name, text in found.items()
        if (record := orjson.loads(text)).get("keys")
    }


async def submit(engine: Engine, jobs: Iterable[Job]) -> Batched:
    """Send all calls that are neither stored nor waiting. Raises `RunError` when the server takes
    no batch.
    """
    result = Batched()
    taken = {key for record in pending(engine).values() for key in record["keys"]}
    for keys, data in _files(engine, jobs, taken):
        status, answer = await engine.client.upload(
            "/files", {"purpose": "batch"}, "calls.jsonl", data
        )
        if status != 200 or not isinstance(answer, dict) or "id" not in answer:
            raise RunError(
                f"{engine.client.host}: no batch file taken (HTTP {status}); use the ordinary way"
            )
        wanted = {
            "input_file_id": answer["id"],
            "endpoint": "/v1/chat/completions",
            "completion_window": "24h",
        }
        status, answer, _ = await engine.client.exchange_json("POST", "/batches", wanted)
        if status != 200 or not isinstance(answer, dict) or "id" not in answer:
            raise RunError(
                f"{engine.client.host}: no batch made (HTTP {status}); use the ordinary way"
            )
        engine.store.note(
            f"batch {answer['id']}", orjson.dumps({"keys": keys, "at": time.time()}).decode()
        )
        result.batches.append(str(answer["id"]))
        result.calls += len(keys)
    result.waiting = sum(len(record["keys"]) for record in pending(engine).values())
    return result


async def collect(engine: Engine, jobs: Iterable[Job]) -> Batched:
    """Fetch finished batches into the store. `jobs` tell what each key is about (those of the same
    command).
    """
    result = Batched()
    about = {engine.key(job): job for job in jobs}
    for name, record in pending(engine).items():
        status, answer, _ = await engine.client.exchange_json("GET", f"/batches/{name}")
        state = answer.get("status") if isinstance(answer, dict) else None
        if status != 200 or state in ("validating", "in_progress", "finalizing", "cancelling"):
            result.waiting += len(record["keys"])
            continue
        lines = b""
        for part in ("output_file_id", "error_file_id"):
            if answer.get(part):
                status, _, data = await engine.client.exchange_json(
                    "GET", f"/files/{answer[part]}/content"
                )
                lines += data + b"\n" if status == 200 else b""
        stored = sum(_store(engine, line, about) for line in lines.splitlines() if line.strip())
        if not stored:
            result.failed.append(f"{name}: {state}")
        engine.store.note(
            f"batch {name}", orjson.dumps({"keys": [], "at": record["at"], "state": state}).decode()
        )
        result.batches.append(name)
        result.calls += stored
    return result


def _files(
    engine: Engine, jobs: Iterable[Job], taken: set[str]
) -> Iterator[tuple[list[str], bytes]]:
    keys: list[str] = []
    lines: list[bytes] = []
    size = 0
    for job in jobs:
        try:
            key = engine.key(job)
            if key in taken or engine.store.get(key) is not None:
                continue
            skeleton = skeleton_of(
                job.call, engine.settings.model, engine.dialect, seed=engine.settings.seed
            )
            body = build(
                skeleton, [engine.pictures.encode(picture) for picture in job.call.pictures]
            ).joined()
        except ImageError:
            continue  # it ends as unreadable when rows are made
        taken.add(key)
        head = orjson.dumps({"custom_id": key, "method": "POST", "url": "/v1/chat/completions"})
        line = head[:-1] + b',"body":' + body + b"}\n"
        if lines and (size + len(line) > MAX_BYTES or len(lines) >= MAX_REQUESTS):
            yield keys, b"".join(lines)
            keys, lines, size = [], [], 0
        keys.append(key)
        lines.append(line)
        size += len(line)
    if lines:
        yield keys, b"".join(lines)


def _store(engine: Engine, line: bytes, about: dict[str, Job]) -> int:
    try:
        entry = orjson.loads(line)
        key, response = str(entry["custom_id"]), entry.get("response") or {}
    except (orjson.JSONDecodeError, KeyError, AttributeError, TypeError):
        return 0
    outcome = read_response(
        int(response.get("status_code") or 500), {}, orjson.dumps(response.get("body"))
    )
    if entry.get("error"):
        reason = str(
            entry["error"].get("message") if isinstance(entry["error"], dict) else entry["error"]
        )[:300]
        outcome = read_response(500, {}, orjson.dumps({"error": {"message": reason}}))
    if outcome.model and engine.answered and outcome.model != engine.answered:
        raise RunError(
            f"{outcome.model} answered in a batch, {engine.answered} answered first; two judges "
            f"are not mixed"
        )
    if outcome.model and not engine.answered:
        engine.answered = outcome.model
        engine.store.note(f"answered {engine.settings.model}", outcome.model)
        engine.store.note(f"dialect {engine.settings.model}", dialect_note(engine.dialect))
    job = about.get(key)
    request: dict[str, Any] = {"batch": True, "attempt": "first"}
    if job is not None:
        request |= {
            "call": job.call.name,
            "repeat": job.repeat,
            "rubric": job.call.rubric,
            **job.about,
        }
    cost = (
        engine.price.of_usage(outcome.usage, batch=True) if engine.price and outcome.usage else None
    )
    engine.budget.spent += cost or 0.0
    status = {"ok": "ok", "refused": "refused"}.get(outcome.kind, "failed")
    engine.store.put(
        Reply(
            key,
            status,
            outcome.content,
            outcome.reason,
            outcome.finish,
            engine.settings.model,
            outcome.model,
            outcome.system_fingerprint,
            outcome.usage,
            request,
            0.0,
            cost,
        )
    )
    return 1
