"""A thin transport over httpx for the editors that are not on `http` yet.

It sends one request and gives back status, headers and bytes under one deadline and one size limit.
They decide nothing: retries, pauses and bills are the callers' (see `policy` and `ledger`). Every
byte and every message that comes back is clean of the transport's secrets.
"""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import weakref
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from http.cookiejar import DefaultCookiePolicy
from typing import TYPE_CHECKING, Any

import orjson

from editgauge.errors import MissingExtra
from editgauge.json_text import crowded
from editgauge.services.http import Lost, Response
from editgauge.services.secrets import Secrets

if TYPE_CHECKING:
    pass

_CONNECT = 30.0
_NOT_SENT = ("ConnectError", "ConnectTimeout", "PoolTimeout", "UnsupportedProtocol", "InvalidURL")
"""Exceptions of httpx that come before the first byte of a request is sent."""


@dataclass(slots=True)
class Limits:
    """Of one transport: seconds for one exchange, connections at once, bytes of a reply."""

    timeout: float = 120.0
    connections: int = 64
    reply: int = 8 << 20


def decode(data: bytes, secrets: Secrets | None = None) -> Any:
    """A JSON reply as a value that every store takes (see `Secrets.value`); None where it is none.

    Never raises, whatever a server sends: numbers of a thousand digits, lone surrogates, brackets
    by the million (see `json_text.crowded`).
    """
    if crowded(data):
        return None
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


class ThreadTransport:
    """For threads. Closed when it is no longer used.

    Every exchange has a connection of its own: what a faulty gateway sends after an answer would
    otherwise be read as the answer to the next question, and be delivered at another sample.
    Cookies are neither kept nor sent.
    """

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
        """One exchange under one deadline: a server that drips is as late as one that is silent,
        whether it drips headers, promises to go on, or the body.

        `body` are httpx's arguments (``json=`` or ``data=`` and ``files=``). `own` False sends
        neither key nor other headers of the service: for addresses that a reply names. `clean`
        False leaves the bytes as they are: for pictures. Raises `Lost`.
        """
        limit = self.limits.reply if limit is None else limit
        data = bytearray()
        given = {
            "Accept-Encoding": "identity",
            **(self._headers if own else {}),
            **(headers or {}),
        }
        client = self._open()
        deadline = _Deadline(self.limits.timeout)
        try:
            with (
                deadline,
                client.stream(
                    method,
                    address,
                    headers=given,
                    extensions={"trace": deadline.watch},
                    **(body or {}),
                ) as response,
            ):
                encoding = response.headers.get("content-encoding", "")
                for piece in unpacked(response.iter_raw(), encoding):
                    data += piece
                    if len(data) > limit:
                        raise _TooLarge(limit)
                status, received = int(response.status_code), dict(response.headers)
        except Exception as error:  # whatever a network does ends in a reason
            data.clear()  # the error keeps this frame until garbage is next collected
            late = TimeoutError() if deadline.passed else error
            raise lost(late, self.secrets, self.limits.timeout) from None
        whole = bytes(data)
        data.clear()
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
                    limits=httpx.Limits(max_connections=many, max_keepalive_connections=0),
                    follow_redirects=False,
                )
                nowhere = DefaultCookiePolicy(allowed_domains=())
                self._client.cookies.jar.set_policy(nowhere)
                weakref.finalize(self, self._client.close)
            return self._client


class _Deadline:
    """Ends an exchange on a thread when its time is over, wherever it stands: httpx's own limits
    begin anew with every packet. A context manager; `passed` says whether it did.
    """

    def __init__(self, seconds: float) -> None:
        self.passed = False
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._timer = threading.Timer(seconds, self._end)
        self._timer.daemon = True

    def __enter__(self) -> None:
        self._timer.start()

    def __exit__(self, *told: object) -> None:
        self._timer.cancel()

    def watch(self, event: str, told: Mapping[str, Any]) -> None:
        """httpx's ``trace``: learns the connection as soon as there is one."""
        if event.rpartition(".")[0].endswith(("connect_tcp", "start_tls", "connect_unix_socket")):
            stream = told.get("return_value")
            if stream is not None:
                with self._lock:
                    self._socket = stream.get_extra_info("socket")
                if self.passed:
                    self._end()

    def _end(self) -> None:
        with self._lock:
            self.passed = True
            if self._socket is not None:
                with contextlib.suppress(OSError):  # it has ended by itself
                    # Of the plain class: that of TLS would forget its state under a reading thread.
                    socket.socket.shutdown(self._socket, socket.SHUT_RDWR)


_PIECE = 1 << 20
"""Bytes that are unpacked at once."""


def unpacked(pieces: Iterable[bytes], encoding: str) -> Iterator[bytes]:
    """The bytes of a body, in pieces of at most a mebibyte where it is packed with gzip: some
    stores send what they hold packed, whatever was asked for.

    Raises `ValueError` for another encoding (packed twice, for example) or a body that is not what
    it says.
    """
    if encoding.strip().lower() in ("", "identity"):
        yield from pieces
        return
    if encoding.strip().lower() not in ("gzip", "x-gzip"):
        raise ValueError(f"a content encoding that was not asked for: {encoding[:40]!r}")
    unpack = zlib.decompressobj(wbits=31)
    for piece in pieces:
        rest = piece
        while rest and not unpack.eof:
            try:
                yield unpack.decompress(rest, _PIECE)
            except zlib.error as error:
                raise ValueError(f"no gzip: {error}") from error
            rest = unpack.unconsumed_tail
    if not unpack.eof:
        raise ValueError("the gzip ends early")


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


__all__ = ["Limits", "Lost", "Response", "ThreadTransport", "decode", "lost"]
