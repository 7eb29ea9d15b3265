"""One HTTP transport on threads: one deadline and size limit an exchange, answers clean of the
owner's keys. `http.client` takes half the processor time of httpx's for megabytes.
"""

from __future__ import annotations

import contextlib
import http.client
import ipaddress
import os
import secrets as random_secrets
import select
import socket
import ssl
import threading
import time
import urllib.request
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import orjson

from editgauge.services.secrets import Secrets

REPLY = 8 << 20
"""Bytes of a reply that are read at most, where nothing else is said."""
CONNECT = 30.0
"""Seconds for a connection to be made. An answer may take longer: it has its own limit."""
_PIECE = 1 << 16
_Idle = dict[tuple[str, str], list[http.client.HTTPConnection]]


@dataclass(frozen=True, slots=True)
class Response:
    """What came back. `headers` have names in lower case."""

    status: int
    headers: Mapping[str, str]
    data: bytes


class Lost(Exception):
    """No complete answer. `sent`: it may have been answered, and billed; `late`: out of time."""

    def __init__(self, reason: str, *, sent: bool, late: bool = False) -> None:
        super().__init__(reason)
        self.reason, self.sent, self.late = reason, sent, late


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is sent: `pieces` are the body, never joined. `own` False leaves out the owner's
    headers, key included: for addresses that a reply names; `clean` False leaves the answer's bytes
    as they are: for pictures.
    """

    url: str
    method: str = "POST"
    pieces: Sequence[bytes] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    seconds: float | None = None
    limit: int = REPLY
    own: bool = True
    clean: bool = True

    @property
    def size(self) -> int:
        return sum(map(len, self.pieces or ()))


def is_own_network(host: str) -> bool:
    """Whether a host is this machine or one of the local network, by its address or its name."""
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        near = (".localhost", ".local", ".internal", ".lan", ".home.arpa")
        return bool(host) and ("." not in host or host.lower().endswith(near))


def json_request(url: str, value: Any, **more: Any) -> Request:
    """A POST of a JSON value."""
    headers = {"Content-Type": "application/json", **more.pop("headers", {})}
    return Request(url=url, pieces=[orjson.dumps(value)], headers=headers, **more)


def form_request(
    url: str,
    fields: Mapping[str, str],
    files: Sequence[tuple[str, str, str, bytes]] = (),
    **more: Any,
) -> Request:
    """A POST of a form; `files` are name, file name, media type and bytes."""
    mark = random_secrets.token_hex(16)
    head = f'--{mark}\r\nContent-Disposition: form-data; name="'
    pieces = [f'{head}{name}"\r\n\r\n{value}\r\n'.encode() for name, value in fields.items()]
    for name, file, kind, data in files:
        about = f'{head}{name}"; filename="{file}"\r\nContent-Type: {kind}\r\n\r\n'
        pieces += [about.encode(), data, b"\r\n"]
    pieces.append(f"--{mark}--\r\n".encode())
    headers = {"Content-Type": f"multipart/form-data; boundary={mark}", **more.pop("headers", {})}
    return Request(url=url, pieces=pieces, headers=headers, **more)


class Http:
    """Connections of one owner, whose `headers` go with every request of their own. Thread-safe."""

    def __init__(
        self,
        headers: Mapping[str, str] | None = None,
        secrets: Secrets | None = None,
        *,
        timeout: float = 120.0,
    ) -> None:
        self.secrets, self.timeout = secrets or Secrets(), timeout
        self._headers = dict(headers or {})
        self._lock = threading.Lock()
        self._idle: _Idle = {}
        weakref.finalize(self, _close, self._idle)

    def send(self, request: Request) -> Response:
        """One exchange. Raises `Lost`, for whatever a network does."""
        seconds = self.timeout if request.seconds is None else request.seconds
        connection, path = self._connection(request.url, min(CONNECT, seconds))
        state = _State()
        _UNDER_WAY[state] = time.monotonic() + seconds
        _watch(os.getpid())
        try:
            response = self._exchange(connection, path, request, state=state, seconds=seconds)
        except (OSError, http.client.HTTPException, ValueError) as error:
            connection.close()
            raise self._lost(error, state, seconds) from None
        finally:
            _UNDER_WAY.pop(state, 0.0)
        if not request.clean:
            return response
        return Response(response.status, response.headers, self.secrets.data(response.data))

    def _exchange(
        self,
        connection: http.client.HTTPConnection,
        path: str,
        request: Request,
        *,
        state: _State,
        seconds: float,
    ) -> Response:
        if connection.sock is None:
            connection.connect()
        if state.late:  # nothing was sent yet, and the answer would come too late
            raise TimeoutError
        state.sock = connection.sock
        # the limit for connecting was its own; from here on the exchange's counts
        state.sock.settimeout(seconds)
        connection.putrequest(request.method, path, skip_accept_encoding=True)
        own_headers = self._headers if request.own else {}
        body = {} if request.pieces is None else {"Content-Length": str(request.size)}
        given = {"Accept-Encoding": "identity", **own_headers, **request.headers, **body}
        for name, value in given.items():
            connection.putheader(name, value)
        connection.endheaders()
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it may answer early
            for piece in request.pieces or ():
                connection.send(piece)
        answer = connection.getresponse()
        data = _body(answer, request.limit)
        if state.late:  # a connection that is cut may look like the end of an answer
            raise TimeoutError
        headers = {name.lower(): value for name, value in answer.getheaders()}
        if answer.will_close:
            connection.close()
        else:
            with self._lock:
                self._idle.setdefault(urlsplit(request.url)[:2], []).append(connection)
        return Response(answer.status, headers, data)

    def _connection(self, url: str, connect: float) -> tuple[http.client.HTTPConnection, str]:
        """A connection that is idle, or a new one with `connect` seconds to be made; and what is
        asked for on it.
        """
        parts = urlsplit(url)
        path = f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}"
        with self._lock:
            idle = self._idle.get(parts[:2], [])
            while idle:
                connection = idle.pop()
                # readable: closed by the server, or more came than was asked for
                if connection.sock and not select.select([connection.sock], [], [], 0)[0]:
                    return connection, path
                connection.close()
        return _opened(url, path, connect)

    def _lost(self, error: Exception, state: _State, seconds: float) -> Lost:
        sent = state.sock is not None
        if isinstance(error, _TooLarge):
            return Lost(str(error), sent=True)
        if state.late or isinstance(error, TimeoutError):
            if not sent:
                limit = min(CONNECT, seconds)
                return Lost(f"no connection within {limit:g} s", sent=False, late=True)
            return Lost(f"no complete answer within {seconds:g} s", sent=True, late=True)
        reason = self.secrets.line(f"{type(error).__name__}: {error}".rstrip(": "), 200)
        return Lost(f"{'no answer' if sent else 'no connection'} ({reason})", sent=sent)

    def close(self) -> None:
        with self._lock:
            _close(self._idle)


def _close(idle: _Idle) -> None:
    for connections in idle.values():
        for connection in connections:
            connection.close()
    idle.clear()


class _TooLarge(ValueError):
    pass


@dataclass(slots=True, eq=False)
class _State:
    """How far an exchange has come: `sock` is there when it was begun."""

    sock: socket.socket | None = None
    late: bool = False

    def cut(self) -> None:
        self.late = True
        if self.sock is not None:
            with contextlib.suppress(OSError):  # it has ended by itself
                # of the plain class: that of TLS would forget its state under a reading thread
                socket.socket.shutdown(self.sock, socket.SHUT_RDWR)


_UNDER_WAY: dict[_State, float] = {}


@cache
def _watch(process: int) -> None:
    """Cut exchanges at their end: a socket's own limit begins anew with every packet."""

    def look() -> None:
        while True:
            time.sleep(0.05)
            for state, end in list(_UNDER_WAY.items()):
                if end < time.monotonic():
                    _UNDER_WAY.pop(state, 0.0)
                    state.cut()

    threading.Thread(target=look, daemon=True).start()


def _opened(url: str, path: str, connect: float) -> tuple[http.client.HTTPConnection, str]:
    """A new connection to a host, through the environment's proxy where one is set. It has
    `connect` seconds to be made.
    """
    parts = urlsplit(url)
    proxy = urllib.request.getproxies().get(parts.scheme)
    via = parts
    if proxy is not None and not urllib.request.proxy_bypass(parts.hostname or ""):
        via = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    host, port = via.hostname or "", via.port
    if parts.scheme != "https":
        path_sent = path if via is parts else url
        return http.client.HTTPConnection(host, port, timeout=connect), path_sent
    connection = http.client.HTTPSConnection(host, port, timeout=connect, context=_tls())
    if via is not parts:
        connection.set_tunnel(parts.hostname or "", parts.port)
    return connection, path


_tls = cache(ssl.create_default_context)


def _body(answer: http.client.HTTPResponse, limit: int) -> bytes:
    if (coding := answer.getheader("Content-Encoding") or "identity").strip().lower() != "identity":
        raise ValueError(f"a content encoding that was not asked for: {coding[:40]!r}")
    data = bytearray()
    while piece := answer.read(_PIECE):
        data += piece
        if len(data) > limit:
            data.clear()  # the error keeps this frame until garbage is collected
            raise _TooLarge(f"the reply is larger than {limit >> 20} MiB")
    if answer.length:
        raise http.client.IncompleteRead(bytes(data[:60]), answer.length)
    return bytes(data)
