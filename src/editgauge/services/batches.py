"""OpenAI's batches, once for judges and editors: a file of requests, and the lines that come back.

A batch is a file of JSON lines, each with a ``custom_id``; the provider answers within a day, at a
share of the price, in a file of results and one of errors. Nothing here calls anybody: callers send
the file and fetch the results over their own transport.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from editgauge.services.http import Response
from editgauge.services.paid import decoded
from editgauge.services.secrets import Secrets

MAX_REQUESTS = 50_000
MAX_BYTES = 190 << 20
"""OpenAI takes 200 MB a file: about 54 calls with three pictures of a megapixel."""
WINDOW = "24h"
UNFINISHED = ("validating", "in_progress", "finalizing", "cancelling")
"""States of a batch whose results are still to come."""


@dataclass(slots=True, kw_only=True)
class File:
    """The calls of one batch: their keys, their lines, and what is booked for them. `most`: calls
    that it holds at most.
    """

    keys: list[str] = field(default_factory=list)
    lines: list[bytes] = field(default_factory=list)
    entries: list[Any] = field(default_factory=list)
    size: int = 0
    most: int = MAX_REQUESTS

    def full(self, line: bytes) -> bool:
        """Whether another line needs another file."""
        return bool(self.lines) and (
            self.size + len(line) > MAX_BYTES or len(self.lines) >= self.most
        )

    def add(self, key: str, line: bytes, entry: Any) -> None:
        self.keys.append(key)
        self.lines.append(line)
        self.size += len(line)
        if entry is not None:
            self.entries.append(entry)

    @property
    def data(self) -> bytes:
        return b"".join(self.lines)


def line_of(key: str, url: str, body: bytes) -> bytes:
    """One call as a line of a batch's file; `body` is its JSON, which is not looked into."""
    head = orjson.dumps({"custom_id": key, "method": "POST", "url": url})
    return head[:-1] + b',"body":' + body + b"}\n"


def wanted(file: str, endpoint: str, metadata: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The request that makes a batch of an uploaded file."""
    body: dict[str, Any] = {
        "input_file_id": file,
        "endpoint": endpoint,
        "completion_window": WINDOW,
    }
    return {**body, "metadata": dict(metadata)} if metadata else body


MARK = "editgauge"
"""The name in a batch's metadata under which ours stands: a batch whose making was not heard of is
found again by it.
"""


def number_of(told: Any, mark: str) -> str | None:
    """The provider's number of the batch of this mark in its list of batches; empty where the list
    has none, None where `told` is no list.
    """
    listed = told.get("data") if isinstance(told, dict) else None
    if not isinstance(listed, list):
        return None
    for batch in listed:
        marks = batch.get("metadata") if isinstance(batch, dict) else None
        if isinstance(marks, dict) and marks.get(MARK) == mark:
            return str(batch.get("id") or "")
    return ""


def entry_key(key: str) -> str:
    """The key of a call's entry in the ledger."""
    return f"batch {key}"


def results(lines: Iterable[bytes], secrets: Secrets) -> Iterator[tuple[str, Response]]:
    """Each line of results as its ``custom_id`` and the answer, as if it had come over HTTP: what a
    provider says went wrong with a call is an answer with status 500. A line that is no result is
    left out.
    """
    for line in lines:
        value = decoded(line, secrets)
        key = value.get("custom_id") if isinstance(value, dict) else None
        if not isinstance(value, dict) or not isinstance(key, str):
            continue
        error = value.get("error")
        if error:
            said = error.get("message") if isinstance(error, dict) else error
            yield key, Response(500, {}, orjson.dumps({"error": {"message": str(said)[:300]}}))
            continue
        told = value.get("response")
        response = told if isinstance(told, dict) else {}
        status = response.get("status_code")
        status = status if isinstance(status, int) and 100 <= status < 600 else 500
        yield key, Response(status, {}, orjson.dumps(response.get("body")))
