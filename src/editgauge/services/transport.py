"""Two thin transports over httpx, one for an event loop and one for threads.

Both send one request and give back status, headers and bytes under one deadline and one size limit.
They decide nothing: retries, pauses and bills are the callers' (see `policy` and `ledger`). Every
byte and every message that comes back is clean of the transport's secrets.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import sys
import threading
import time
import weakref
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import orjson

from editgauge.errors import MissingExtra
from editgauge.services.secrets import Secrets

if TYPE_CHECKING:
    import httpx

_CONNECT = 30.0
_NOT_SENT = ("ConnectError", "ConnectTimeout", "PoolTimeout", "UnsupportedProtocol", "InvalidURL")
"""Exceptions of httpx that come before the first byte of a request is sent."""


@dataclass(frozen=True, slots=True)
class Response:
    """What came back. `headers` have names in lower case, or fold case."""

    status: int
    headers: Mapping[str, str]
    data: bytes


class Lost(Exception):
    """No complete answer. `sent` False: the request never left this machine; True: it may have been
    answered, and billed. `late`: it took longer than the time limit.
    """

    def __init__(self, reason: str, *, sent: bool, late: bool = False) -> None:
        super().__init__(reason)
        self.reason, self.sent, self.late = reason, sent, late


@dataclass(slots=True)
class Limits:
    """Of one transport: seconds for one exchange, connections at once, bytes of a reply."""

    timeout: float = 120.0
    connections: int = 64
    reply: int = 8 << 20


def decode(data: bytes, secrets: Secrets | None = None) -> Any:
    """A JSON reply as a value that every store takes (see `Secrets.value`); None where it is none.

    Never raises, whatever a server sends: numbers of a thousand digits, lone surrogates, brackets
    by the million.
    """
    try:
        value = orjson.loads(data)
    except ValueError:
        try:
            value = json.loads(data)
        except (ValueError, RecursionError):
            return None
    try:
        return (secrets or Secrets()).value(value)
    except RecursionError:
        return None


class AsyncTransport:
    """For an event loop. Open it with `open`, close it with `close`.

    Each connection is a client of its own, taken from a stack of idle ones: a pool shared by many
    connections looks at all of them for every request, which at 64 costs more than the request.
    """

    def __init__(self, headers: Mapping[str, str], secrets: Secrets, limits: Limits) -> None:
        self.secrets, self.limits = secrets, limits
        self._headers = {"Accept-Encoding": "identity", **headers}
        self._make: Callable[[], httpx.AsyncClient] | None = None
        self._clients: list[httpx.AsyncClient] = []
        self._idle: list[httpx.AsyncClient] = []

    def open(self, feature: str, extra: str) -> None:
        """Make ready. Raises `MissingExtra` where httpx is not installed."""
        try:
            import httpx
        except ImportError:
            raise MissingExtra(feature, "httpx", extra) from None
        if importlib.util.find_spec("sniffio") is None:
            # httpcore tries to import it several times a request, and searches the whole path for
            # it each time where it is not installed (15 % of a call's processor time).
            sys.modules.setdefault("sniffio", None)  # type: ignore[arg-type]
        context = httpx.create_ssl_context()
        self._make = partial(
            httpx.AsyncClient,
            headers=self._headers,
            limits=httpx.Limits(max_connections=1, max_keepalive_connections=1),
            timeout=httpx.Timeout(self.limits.timeout, pool=None),
            verify=context,
            http2=False,
            follow_redirects=False,
        )

    async def close(self) -> None:
        clients, self._clients, self._idle, self._make = self._clients, [], [], None
        for client in clients:
            await client.aclose()

    def _client(self) -> httpx.AsyncClient:
        if self._idle:
            return self._idle.pop()
        assert self._make is not None, "the transport is not open"
        client = self._make()
        self._clients.append(client)
        return client

    async def exchange(
        self,
        method: str,
        address: str,
        pieces: Sequence[bytes] | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        seconds: float | None = None,
        limit: int | None = None,
    ) -> Response:
        """One exchange. The body is sent in `pieces`, which are never joined. Raises `Lost`."""
        limit = self.limits.reply if limit is None else limit
        seconds = self.limits.timeout if seconds is None else seconds
        sent = False
        try:
            async with asyncio.timeout(seconds):
                sent = True
                response = await self._send(method, address, pieces, headers or {}, limit)
        except TimeoutError:
            raise Lost(f"no complete answer within {seconds:g} s", sent=sent, late=True) from None
        except Exception as error:  # whatever a network does ends in a reason
            raise lost(error, self.secrets, seconds) from None
        return response

    async def _send(
        self,
        method: str,
        address: str,
        pieces: Sequence[bytes] | None,
        headers: Mapping[str, str],
        limit: int,
    ) -> Response:
        content, more = None, dict(headers)
        if pieces is not None:
            more["Content-Length"] = str(sum(map(len, pieces)))
            content = _stream(pieces)
        client = self._client()
        try:
            request = client.build_request(method, address, content=content, headers=more)
            response = await client.send(request, stream=True)
            try:
                data = bytearray()
                async for piece in response.aiter_raw():
                    data += piece
                    if len(data) > limit:
                        raise _TooLarge(limit)
                whole = self.secrets.data(bytes(data))
                return Response(response.status_code, response.headers, whole)
            finally:
                await response.aclose()
        finally:
            self._idle.append(client)


class ThreadTransport:
    """For threads, which share its connections. Closed when it is no longer used."""

    def __init__(self, headers: Mapping[str, str], secrets: Secrets, limits: Limits) -> None:
        self.secrets, self.limits = secrets, limits
        self._headers = dict(headers)
        self._client: Any = None
        self._lock = threading.Lock()

    def exchange(
        self,
        method: str,
        address: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: Mapping[str, Any] | None = None,
        own: bool = True,
        clean: bool = True,
        limit: int | None = None,
    ) -> Response:
        """One exchange under one deadline: a server that drips is as late as one that is silent.

        `body` are httpx's arguments (``json=`` or ``data=`` and ``files=``). `own` False sends
        neither key nor other headers of the service: for addresses that a reply names. `clean`
        False leaves the bytes as they are: for pictures. Raises `Lost`.
        """
        limit = self.limits.reply if limit is None else limit
        deadline = time.monotonic() + self.limits.timeout
        data = bytearray()
        given = {**(self._headers if own else {}), **(headers or {})}
        client = self._open()
        try:
            with client.stream(method, address, headers=given, **(body or {})) as response:
                for piece in response.iter_bytes():
                    data += piece
                    if len(data) > limit:
                        raise _TooLarge(limit)
                    if time.monotonic() > deadline:
                        raise TimeoutError
                status, received = int(response.status_code), dict(response.headers)
        except Exception as error:  # whatever a network does ends in a reason
            raise lost(error, self.secrets, self.limits.timeout) from None
        whole = bytes(data)
        return Response(status, received, self.secrets.data(whole) if clean else whole)

    def _open(self) -> Any:
        with self._lock:
            if self._client is None:
                try:
                    import httpx
                except ImportError:
                    raise MissingExtra("calling an image service", "httpx", "api") from None
                many, seconds = self.limits.connections, self.limits.timeout
                self._client = httpx.Client(
                    timeout=httpx.Timeout(seconds, connect=min(_CONNECT, seconds), pool=None),
                    limits=httpx.Limits(max_connections=many, max_keepalive_connections=many),
                    follow_redirects=False,
                )
                weakref.finalize(self, self._client.close)
            return self._client


class _TooLarge(Exception):
    def __init__(self, limit: int) -> None:
        super().__init__(f"the reply is larger than {limit >> 20} MiB")


def lost(error: Exception, secrets: Secrets, seconds: float) -> Lost:
    """What an exception of a network means, in clean words."""
    name = type(error).__name__
    sent = name not in _NOT_SENT
    if isinstance(error, _TooLarge):
        return Lost(str(error), sent=True)
    if isinstance(error, TimeoutError) or name.endswith("Timeout"):
        return Lost(f"no complete answer within {seconds:g} s", sent=sent, late=True)
    said = secrets.line(f"{name}: {error}").rstrip(": ")
    return Lost(f"no answer ({said})", sent=sent)


async def _stream(pieces: Sequence[bytes]) -> AsyncIterator[bytes]:
    for piece in pieces:
        yield piece
