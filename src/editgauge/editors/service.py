"""Calls to a paid service: retried where that is right, never more at once than allowed, never over
the budget.

One `Service` is shared by all threads of an editor. A refusal for being too fast (429, or 503 with
Retry-After) closes one gate for all of them; a server's fault, a lost connection, a reply that is
cut off or comes too late is asked again after a pause. Every attempt of one call carries the same
``Idempotency-Key``, and so does the same call of a run that was killed and started again: a service
which knows such keys does not make (or bill) the same picture twice. Keys for the service come from
the environment and are cut out of every message.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import threading
import time
import uuid
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

from editgauge.errors import BudgetExceeded, MissingExtra, UsageError
from editgauge.services.waiting import retry_after
from editgauge.types import Status

MAX_REPLY_BYTES = 256 << 20
_AGAIN = frozenset({408, 409, 425, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529})
_QUOTA = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})


_HOPS = 5
"""Redirects that are followed on the way to a delivered picture."""


class _NoAddress(OSError):
    """An address that is not fetched, now or later."""


@dataclass(frozen=True, slots=True)
class Request:
    """One call. `build` gives httpx's arguments (``json=`` or ``data=``/``files=``) anew for every
    attempt. `path` is below the service's address, or a whole address that the caller trusts with
    the key.
    """

    path: str
    build: Callable[[], Mapping[str, Any]]
    headers: Mapping[str, str] = field(default_factory=dict)
    key: str = ""
    """The call's identity (`call_key`); without one every call is another."""
    method: str = "POST"


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of a call: JSON with status SCORED, or a status and a reason. `seconds` include
    pauses.
    """

    status: Status
    value: Any = None
    reason: str = ""
    http: int = 0
    attempts: int = 1
    seconds: float = 0.0
    code: str = ""
    """The service's own word for the error."""


class Ledger:
    """What has been spent and what is promised to calls under way, against a budget in US dollars
    (None = no limit).

    `spent` starts at what earlier runs of the same command have cost. Thread-safe.
    """

    def __init__(self, budget: float | None = None, spent: float = 0.0) -> None:
        self.budget = budget
        self.spent = spent
        self._promised = 0.0
        self._lock = threading.Lock()

    def promise(self, cost: float) -> None:
        """Set aside the expected cost of a call. Raises `BudgetExceeded` when that would pass the
        budget.
        """
        with self._lock:
            if self.budget is not None and self.spent + self._promised + cost > self.budget + 1e-9:
                raise BudgetExceeded(
                    f"stopped before the budget was passed: {self.spent:.2f} of {self.budget:.2f} "
                    f"US dollars spent, "
                    f"{self._promised:.2f} in calls under way, the next costs about {cost:.3f}; "
                    f"what was done is kept"
                )
            self._promised += cost

    def settle(self, promised: float, cost: float) -> None:
        """Replace a promise by what the call really cost (0 when it was not billed)."""
        with self._lock:
            self._promised -= promised
            self.spent += cost


class Throttle:
    """How many calls are under way, and when none may start: shared by the threads of one
    editor.
    """

    def __init__(self, concurrency: int) -> None:
        self.concurrency = concurrency
        self._limit = float(concurrency)
        self._under_way = 0
        self._opens = 0.0
        self._shrunk = 0.0
        self._changed = threading.Condition()

    def enter(self) -> float:
        """Wait for a place; returns the time of admission."""
        with self._changed:
            while True:
                wait = self._opens - time.monotonic()
                if wait <= 0 and self._under_way < max(1, int(self._limit)):
                    self._under_way += 1
                    return time.monotonic()
                self._changed.wait(wait if wait > 0 else None)

    def leave(self, *, answered: bool) -> None:
        with self._changed:
            self._under_way -= 1
            if answered:
                self._limit = min(float(self.concurrency), self._limit + 1 / self._limit)
            self._changed.notify_all()

    def refused(self, admitted: float, pause: float) -> None:
        """Close for `pause` seconds; fewer calls at once from then on, one step for all refusals of
        one wave.
        """
        with self._changed:
            now = time.monotonic()
            self._opens = max(self._opens, now + pause)
            if admitted > self._shrunk:
                self._limit, self._shrunk = max(1.0, self._limit * 0.7), now


class Service:
    """A service's address and key, and how it is called.

    `attempts` bounds what a fault is tried; being refused for speed is waited out for up to
    `patience` seconds.
    """

    def __init__(
        self,
        base_url: str,
        *,
        key: str = "",
        auth: Callable[[str], Mapping[str, str]] = lambda key: {"Authorization": f"Bearer {key}"},
        concurrency: int = 4,
        timeout: float = 300.0,
        attempts: int = 5,
        pause: float = 1.0,
        patience: float = 1800.0,
    ) -> None:
        self.base_url = checked_address(base_url)
        self._key = key
        self._headers = dict(auth(key)) if key else {}
        self._timeout, self._attempts, self._pause, self._patience = (
            timeout,
            attempts,
            pause,
            patience,
        )
        self.throttle = Throttle(concurrency)
        self._client: Any = None
        self._lock = threading.Lock()

    def call(self, request: Request) -> Reply:
        """Send a call until it is answered, refused for good, or given up. Never raises for what a
        network does.
        """
        began = time.monotonic()
        identity = {"Idempotency-Key": request.key or uuid.uuid4().hex}
        faults = refusals = 0
        while True:
            admitted = self.throttle.enter()
            answered = False
            try:
                reply, retry_after, kind = self._attempt(request, identity)
                answered = kind == "done"
                if kind == "busy":
                    refusals += 1
                    pause = (
                        retry_after
                        if retry_after is not None
                        else min(60.0, self._pause * 2 ** min(refusals, 6))
                    )
                    self.throttle.refused(admitted, pause)
            finally:
                self.throttle.leave(answered=answered)
            spent = time.monotonic() - began
            tried = faults + refusals + (kind != "busy")
            if kind == "again":
                faults += 1
                pause = retry_after if retry_after is not None else self._backoff(faults)
                if faults < self._attempts and spent + pause < self._patience:
                    time.sleep(pause)
                    continue
            elif kind == "busy" and spent < self._patience:
                continue
            return Reply(
                reply.status, reply.value, reply.reason, reply.http, tried, spent, reply.code
            )

    def fetch(self, address: str) -> bytes:
        """Download a delivered picture from an address in a reply.

        Redirects are followed here and nowhere else: a few, to http(s) only, without the service's
        key. Raises `OSError` with a reason without secrets.
        """
        last = ""
        for attempt in range(self._attempts):
            try:
                status, data, _ = self._followed(address)
                if 200 <= status < 300 and data:
                    return data
                last = f"HTTP {status}" if data else f"HTTP {status}, empty"
                if status not in _AGAIN and status != 429:
                    break
            except _NoAddress:
                raise
            except Exception as error:  # whatever a network does ends in a reason
                last = self._clean(error)
            if attempt + 1 < self._attempts:
                time.sleep(self._backoff(attempt + 1))
        raise OSError(f"the delivered address gave no picture ({last})")

    def _followed(self, address: str) -> tuple[int, bytes, Mapping[str, str]]:
        """What lies at an address, or where it leads to in at most `_HOPS` steps."""
        for _ in range(_HOPS + 1):
            parts = urlsplit(address)
            if parts.scheme not in ("http", "https") or not parts.hostname:
                raise _NoAddress(f"an address that is none of a picture: {words(address)[:80]!r}")
            status, data, headers = self._exchange("GET", address, {}, {})
            target = headers.get("location")
            if status not in (301, 302, 303, 307, 308) or not target:
                return status, data, headers
            address = urljoin(address, target)
        raise _NoAddress(f"the delivered address leads on and on (more than {_HOPS} redirects)")

    # --- one attempt ---

    def _attempt(
        self, request: Request, identity: Mapping[str, str]
    ) -> tuple[Reply, float | None, str]:
        """The reply, the pause that the server asks for, and what it means: done, busy, again."""
        try:
            headers = {**self._headers, **request.headers, **identity}
            status, data, given = self._exchange(
                request.method, self._address(request.path), headers, request.build()
            )
        except MissingExtra:
            raise
        except TimeoutError:
            return (
                Reply(Status.FAILED, reason=f"no complete answer within {self._timeout:g} s"),
                None,
                "again",
            )
        except Exception as error:  # a connection that is refused, cut, or speaks nonsense
            return Reply(Status.FAILED, reason=f"no answer ({self._clean(error)})"), None, "again"
        if self._key:  # a service that repeats the key must not make it part of a record
            data = data.replace(self._key.encode(), b"[key]")
        value = _json(data)
        if 200 <= status < 300:  # some services say 201 or 202
            if isinstance(value, dict):
                return Reply(Status.SCORED, value, http=status), None, "done"
            start = words(data[:60].decode("utf-8", "replace"))
            return (
                Reply(
                    Status.FAILED, reason=f"no JSON in {len(data)} bytes: {start!r}", http=status
                ),
                None,
                "again",
            )
        told = _error(value)
        code = str(told.get("code") or told.get("type") or told.get("status") or "")
        said = words(str(told.get("message") or data[:300].decode("utf-8", "replace")))
        reply = Reply(
            Status.FAILED, value, self._clean(f"HTTP {status}: {said}"), status, code=code
        )
        pause = retry_after(given, told)
        if status == 429 and not {code, str(told.get("type"))} & _QUOTA:
            return reply, pause, "busy"
        if status == 503 and pause is not None:
            return reply, pause, "busy"
        return reply, pause, "again" if status in _AGAIN else "done"

    def _address(self, path: str) -> str:
        return path if urlsplit(path).scheme else self.base_url + path

    def _exchange(
        self, method: str, address: str, headers: Mapping[str, str], body: Mapping[str, Any]
    ) -> tuple[int, bytes, Mapping[str, str]]:
        """One exchange under one deadline: a server that drips is as late as one that is silent."""
        deadline = time.monotonic() + self._timeout
        data = bytearray()
        with self._http().stream(method, address, headers=dict(headers), **body) as response:
            for piece in response.iter_bytes():
                data += piece
                if len(data) > MAX_REPLY_BYTES:
                    raise OSError(f"the reply is larger than {MAX_REPLY_BYTES >> 20} MiB")
                if time.monotonic() > deadline:
                    raise TimeoutError
            return int(response.status_code), bytes(data), dict(response.headers)

    def _http(self) -> Any:
        with self._lock:
            if self._client is None:
                try:
                    import httpx
                except ImportError:
                    raise MissingExtra("calling an image service", "httpx", "api") from None
                many = self.throttle.concurrency + 2
                limits = httpx.Limits(max_connections=many, max_keepalive_connections=many)
                self._client = httpx.Client(
                    timeout=_Timeouts(httpx, self._timeout), limits=limits, follow_redirects=False
                )
                weakref.finalize(self, self._client.close)
            return self._client

    def _backoff(self, attempt: int) -> float:
        return float(min(60.0, self._pause * 2 ** (attempt - 1))) * (0.75 + 0.5 * random.random())

    def _clean(self, error: Exception | str) -> str:
        if isinstance(error, Exception) and type(error).__name__.endswith("Timeout"):
            return f"no complete answer within {self._timeout:g} s"
        text = error if isinstance(error, str) else f"{type(error).__name__}: {error}".rstrip(": ")
        return (text.replace(self._key, "[key]") if self._key else text)[:500]


def _Timeouts(httpx: Any, seconds: float) -> Any:
    return httpx.Timeout(seconds, connect=min(30.0, seconds), pool=None)


def call_key(folder: Path, *parts: str | bytes) -> str:
    """A call's identity: the same for the same question in the same run, also after the run was
    killed.

    `folder` is the temporary folder that the run gave for the output; its parent stands for the
    run.
    """
    digest = hashlib.blake2b(str(folder.parent.resolve()).encode(), digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


def checked_address(address: str) -> str:
    """A service's address without a slash at its end. Raises `UsageError` for one that is none or
    holds a key.
    """
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"base_url {address!r}: wanted http(s)://host/…")
    if parts.username or parts.password or parts.query:
        raise UsageError("base_url: put no key into the address; keys come from the environment")
    return address.rstrip("/")


def key_from(names: Sequence[str], *, needed: bool) -> str:
    """The first of these environment variables that is set. Raises `UsageError` naming them when
    `needed` and none is.

    A key with letters that no HTTP header can carry is a `UsageError` too, which does not repeat
    it.
    """
    for name in names:
        if value := os.environ.get(name, "").strip():
            if not value.isascii() or not value.isprintable():
                raise UsageError(f"the key in {name} holds letters that no key has")
            return value
    if needed:
        raise UsageError(f"no key: set {' or '.join(names)} in the environment")
    return ""


def words(text: str) -> str:
    """One line without control characters: messages of servers end up in records and on
    terminals.
    """
    return re.sub(r"[\x00-\x1f\x7f-\x9f\s]+", " ", text).strip()[:300]


def _json(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _error(value: Any) -> Mapping[str, Any]:
    if isinstance(value, list) and value:
        value = value[0]
    if isinstance(value, dict):
        error = value.get("error", value)
        return error if isinstance(error, dict) else {"message": str(error)}
    return {}
