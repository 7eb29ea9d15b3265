"""Calls of editors to a service: retried where that is right, never more at once than allowed,
never over the budget.

One `Service` is shared by all threads of an editor. What an answer means, how long to wait, and
what is booked is the same as for judges (`editgauge.services`). Every attempt of one call carries
the same ``Idempotency-Key``, and so does the same call of a run that was killed and started again:
a service which knows such keys does not make (or bill) the same picture twice. A user's ``--retry``
is another call with another key. Keys for the service come from the environment and are cut out of
everything that comes back.
"""

from __future__ import annotations

import hashlib
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

from editgauge.errors import ServiceStopped
from editgauge.images import free_memory
from editgauge.services import policy
from editgauge.services.ledger import Charge, Ledger
from editgauge.services.secrets import Secrets, key_from, words
from editgauge.services.secrets import address as service_address
from editgauge.services.throttle import ThreadGate
from editgauge.services.transport import Limits, Lost, Response, ThreadTransport, decode
from editgauge.services.waiting import retry_after
from editgauge.types import Status

__all__ = [
    "Charge",
    "Ledger",
    "Reply",
    "Request",
    "Service",
    "ServiceStopped",
    "call_key",
    "key_for",
    "key_from",
    "retry_after",
    "words",
]
MAX_REPLY_BYTES = 256 << 20
_HOPS = 5
"""Redirects that are followed on the way to a delivered picture."""


class Gone(OSError):
    """A picture that does not lie at its address, or no longer: asking again tells nothing new."""


@dataclass(frozen=True, slots=True)
class Request:
    """One call. `build` gives httpx's arguments (``json=`` or ``data=``/``files=``) anew for every
    attempt. `path` is below the service's address, or a whole address that the caller trusts with
    the key.
    """

    path: str
    build: Callable[[], Mapping[str, Any]]
    headers: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    key: str = field(default="", kw_only=True)
    """The call's identity (`call_key`); without one every call is another."""
    method: str = field(default="POST", kw_only=True)
    charge: Charge | None = field(default=None, kw_only=True)
    """What each attempt may cost; None for calls that cost nothing (looking how far a job is)."""
    once: bool = field(default=False, kw_only=True)
    """Not sent again where the first attempt may have been taken: what it made is looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
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
        attempts: int = policy.ATTEMPTS,
        pause: float = 1.0,
        patience: float = 1800.0,
    ) -> None:
        self._at = service_address(base_url, "base_url")
        self.base_url = self._at.shown
        self.secrets = Secrets([key, *self._at.secrets])
        self._attempts, self._pause, self._patience = attempts, pause, patience
        self.gate = ThreadGate(concurrency)
        headers = dict(auth(key)) if key else {}
        most = min(MAX_REPLY_BYTES, free_memory() // 4)  # as bytes, as a value, and as a picture
        limits = Limits(timeout, concurrency + 2, most)
        self._transport = ThreadTransport(headers, self.secrets, limits)
        self._stopped = ""
        self._reached = False

    def call(self, request: Request) -> Reply:
        """Send a call until it is answered, refused for good, or given up.

        Raises `ServiceStopped` where no further call makes sense (a wrong key, an address at which
        nothing has ever answered), then and for every later call; `BudgetExceeded` before a budget
        would be passed. Raises nothing else for what a network does.
        """
        began = time.monotonic()
        identity = request.key or uuid.uuid4().hex
        faults = paid = tries = 0
        while True:
            self._raise_if_stopped()
            reply, meant, pause = self._attempt(request, identity)
            tries += 1
            if request.charge is not None and reply.status is not Status.SCORED:
                request.charge.lost(meant.lost, reply.reason)  # an error that it reports is free
            spent = time.monotonic() - began
            if meant.kind == "stop":
                self._stop(reply)
            faults += meant.kind == "again"
            paid += meant.kind == "again" and meant.lost and request.charge is not None
            taken = request.once and meant.kind == "again" and meant.lost
            if taken or not self._once_more(meant, pause, faults, paid, spent):
                if not self._reached:
                    self._stop(reply)
                return Reply(
                    status=reply.status,
                    value=reply.value,
                    reason=reply.reason,
                    http=reply.http,
                    attempts=tries,
                    seconds=spent,
                    code=reply.code,
                )

    def _once_more(
        self, meant: policy.Meaning, pause: float | None, faults: int, paid: int, spent: float
    ) -> bool:
        """Wait as long as is right before another try; False when there is none."""
        if meant.kind == "busy":
            return spent < self._patience  # the gate is closed for as long as the service said
        if meant.kind != "again" or faults >= self._attempts or paid >= policy.PAID_ATTEMPTS:
            return False
        wait = policy.pause_before(faults, self._pause) if pause is None else pause
        if spent + wait >= self._patience:
            return False
        time.sleep(wait)
        return True

    def _stop(self, reply: Reply) -> None:
        host = self._at.shown.partition("://")[2].partition("/")[0]
        self._stopped = (
            f"{host}: {reply.reason}; nothing further was asked, and nothing is recorded as the "
            f"model's failure. What was done is kept: fix it and run the same command again"
        )
        self._raise_if_stopped()

    def _raise_if_stopped(self) -> None:
        if self._stopped:
            raise ServiceStopped(self._stopped)

    def content(self, path: str, limit: int) -> bytes:
        """The bytes of at most `limit` that lie at a path of the service, fetched with its key.

        Raises `OSError` with a reason without secrets.
        """
        last = ""
        for attempt in range(1, self._attempts + 1):
            try:
                response = self._transport.exchange("GET", self._at.of(path), limit=limit)
                if response.status == 200:
                    return response.data
                last = f"HTTP {response.status}"
                if not policy.may_pass(response.status):
                    break
            except Lost as error:
                last = error.reason
            if attempt < self._attempts:
                time.sleep(policy.pause_before(attempt, self._pause))
        raise OSError(last)

    def understood(self, response: Response) -> tuple[Reply, policy.Meaning]:
        """An answer that came another way (a line of a batch), read as if it had been called."""
        reply, meant, _ = self._read(response)
        return reply, meant

    def fetch(self, address: str) -> bytes:
        """Download a delivered picture from an address in a reply.

        Redirects are followed here and nowhere else: a few, to http(s) only, without the service's
        key. Raises `Gone` where there is none, and another `OSError` where there may be one later,
        with a reason without secrets.
        """
        last = ""
        for attempt in range(1, self._attempts + 1):
            try:
                response = self._followed(address)
                there = 200 <= response.status < 300
                if there and response.data:
                    return response.data
                last = f"HTTP {response.status}" + ("" if response.data else ", empty")
                if not there and not policy.may_pass(response.status):
                    raise Gone(f"the delivered address gave no picture ({last})")
            except Lost as error:
                last = error.reason
            if attempt < self._attempts:
                time.sleep(policy.pause_before(attempt, self._pause))
        raise OSError(f"the delivered address gave no picture ({last})")

    def _followed(self, address: str) -> Response:
        """What lies at an address, or where it leads to in at most `_HOPS` steps."""
        for _ in range(_HOPS + 1):
            parts = urlsplit(address)
            if parts.scheme not in ("http", "https") or not parts.hostname:
                said = self.secrets.line(address, 80)
                raise Gone(f"an address that is none of a picture: {said!r}")
            response = self._transport.exchange("GET", address, own=False, clean=False)
            target = response.headers.get("location")
            if response.status not in (301, 302, 303, 307, 308) or not target:
                return response
            address = urljoin(address, target)
        raise Gone(f"the delivered address leads on and on (more than {_HOPS} redirects)")

    # --- one attempt ---

    def _attempt(
        self, request: Request, identity: str
    ) -> tuple[Reply, policy.Meaning, float | None]:
        """The reply, what it means, and the pause that the service asks for."""
        headers = {**request.headers, "Idempotency-Key": identity}
        path = request.path
        address = path if urlsplit(path).scheme else self._at.of(path)
        body = request.build()
        if request.charge is not None:
            # Before the gate: who waits for money holds no place that jobs need to give some back.
            request.charge.send()
        with self.gate.enter() as admitted:
            try:
                response = self._transport.exchange(
                    request.method, address, headers=headers, body=body
                )
            except Lost as error:
                self._reached = self._reached or error.sent
                reply = Reply(status=Status.FAILED, reason=error.reason)
                return reply, policy.Meaning("again", billed=error.sent, lost=error.sent), None
            except BaseException:
                if request.charge is not None:
                    request.charge.lost(True, "dropped while under way")
                raise
            self._reached = True
            reply, meant, pause = self._read(response)
            if response.status == 404 and request.method == "GET":
                meant = policy.Meaning("bad")  # a job that is not there says nothing of the others
            if meant.kind == "busy":
                self.gate.refused(admitted, pause)
            else:
                self.gate.succeeded()
        return reply, meant, pause

    def _read(self, response: Response) -> tuple[Reply, policy.Meaning, float | None]:
        value = decode(response.data, self.secrets)
        status = response.status
        if 200 <= status < 300:  # some services say 201 or 202
            if isinstance(value, dict):
                reply = Reply(status=Status.SCORED, value=value, http=status)
                return reply, policy.Meaning("ok", billed=True), None
            start = self.secrets.line(response.data[:60].decode("utf-8", "replace"))
            reason = f"no JSON in {len(response.data)} bytes: {start!r}"
            reply = Reply(status=Status.FAILED, reason=reason, http=status)
            return reply, policy.Meaning("again", billed=True, lost=True), None
        told = policy.error_of(value)
        code = str(told.get("code") or told.get("type") or told.get("status") or "")
        said = str(told.get("message") or response.data[:300].decode("utf-8", "replace"))
        if 300 <= status < 400:
            said = "the address leads to another one, where a call is not sent on: check base_url"
        reply = Reply(
            status=Status.FAILED,
            value=value,
            reason=self.secrets.line(f"HTTP {status}: {said}", 500),
            http=status,
            code=self.secrets.line(code, 100),
        )
        meant = policy.meaning(status, response.headers, told, self._at.host)
        return reply, meant, retry_after(response.headers, told)


AGAIN = ".asked-before"
"""A file that a run lays into an output's temporary folder when the user asks for a call once more
(``--retry``). What it holds stands for the outcome that was there before.
"""


def key_for(address: str, own: str, names: Sequence[str]) -> str:
    """The key for an address: of the variables `names` the first is for any service, the others are
    for the host of `own` alone, which needs one. Raises `UsageError` without it.
    """
    ours = urlsplit(address).hostname == urlsplit(own).hostname
    return key_from(names if ours else names[:1], needed=ours)


def call_key(folder: Path, *parts: str | bytes, question: bool = False) -> str:
    """A call's identity: the same for the same question in the same run, also after the run was
    killed; another one when the user asks again, but for that of the `question` alone.

    `folder` is the temporary folder that the run gave for the output; its parent stands for the
    run, and a file `AGAIN` in it for what was there before the user asked again.
    """
    digest = hashlib.blake2b(str(folder.parent.resolve()).encode(), digest_size=16)
    again = folder / AGAIN
    for part in (*parts, *([again.read_bytes()] if again.is_file() and not question else [])):
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()
