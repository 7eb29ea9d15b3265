"""One HTTP transport on threads, for judges and editors alike.

A request is sent in pieces that are never joined, on a connection that is kept for the next one;
the answer is read under one deadline and one size limit. Nothing is decided here: what an answer
means is `policy`'s, retries and money are `paid`'s. Every byte and message that comes back is clean
of the owner's secrets. The standard library's client takes half the processor time of httpx's for
bodies of megabytes.
"""

from __future__ import annotations

import contextlib
import http.client
import ipaddress
import secrets as random_secrets
import select
import socket
import ssl
import threading
import time
import urllib.request
import weakref
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

import orjson

from editgauge.services.secrets import Secrets

REPLY = 8 << 20
"""Bytes of a reply that are read at most, where nothing else is said."""
_CONNECT = 30.0
_PIECE = 1 << 16


@dataclass(frozen=True, slots=True)
class Response:
    """What came back. `headers` have names in lower case."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is sent: `pieces` are the body, None for none. `own` False leaves out the owner's
    headers, key included: for addresses that a reply names. `clean` False leaves the answer's bytes
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
    """Whether a host is this machine or one of the local network."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith((".localhost", ".local", ".internal"))
    return address.is_loopback or address.is_private


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
    """Connections of one owner, whose `headers` go with every request of their own. Thread-safe;
    closed with `close`. `keep` False gives every exchange a connection of its own.
    """

    def __init__(
        self,
        headers: Mapping[str, str] | None = None,
        secrets: Secrets | None = None,
        *,
        timeout: float = 120.0,
        keep: bool = True,
    ) -> None:
        self.secrets = secrets or Secrets()
        self.timeout, self.keep = timeout, keep
        self._headers = dict(headers or {})
        self._lock = threading.Lock()
        self._idle: dict[tuple[str, str], list[http.client.HTTPConnection]] = {}
        self._watch = _Watch()
        weakref.finalize(self, _close, self._idle)

    def send(self, request: Request) -> Response:
        """One exchange. Raises `Lost`, for whatever a network does."""
        seconds = self.timeout if request.seconds is None else request.seconds
        connection, path = self._connection(request.url, seconds)
        state = _State()
        try:
            with self._watch.over(connection, state, seconds):
                response = self._exchange(connection, path, request, state)
        except (OSError, http.client.HTTPException, ValueError) as error:
            connection.close()
            raise self._lost(error, state, seconds) from None
        if not request.clean:
            return response
        return Response(response.status, response.headers, self.secrets.data(response.data))

    def _exchange(
        self,
        connection: http.client.HTTPConnection,
        path: str,
        request: Request,
        state: _State,
    ) -> Response:
        if connection.sock is None:
            connection.connect()
        state.sent = True
        connection.putrequest(request.method, path, skip_accept_encoding=True)
        own = self._headers if request.own else {}
        body = {} if request.pieces is None else {"Content-Length": str(request.size)}
        given = {"Accept-Encoding": "identity", **own, **request.headers, **body}
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
        if self.keep and not answer.will_close and not state.late:
            self._put_back(connection, request.url)
        else:
            connection.close()
        return Response(answer.status, headers, data)

    def _connection(self, url: str, seconds: float) -> tuple[http.client.HTTPConnection, str]:
        parts = urlsplit(url)
        path = f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}"
        with self._lock:
            idle = self._idle.get((parts.scheme, parts.netloc), [])
            while idle:
                connection = idle.pop()
                if connection.sock is not None and not _readable(connection.sock):
                    connection.sock.settimeout(seconds)
                    return connection, path
                connection.close()  # closed by the server, or more came than was asked for
        return _opened(url, path, seconds)

    def _put_back(self, connection: http.client.HTTPConnection, url: str) -> None:
        parts = urlsplit(url)
        with self._lock:
            self._idle.setdefault((parts.scheme, parts.netloc), []).append(connection)

    def _lost(self, error: Exception, state: _State, seconds: float) -> Lost:
        late = state.late or isinstance(error, TimeoutError)
        if isinstance(error, _TooLarge):
            return Lost(str(error), sent=True)
        if late:
            return Lost(f"no complete answer within {seconds:g} s", sent=state.sent, late=True)
        said = self.secrets.line(f"{type(error).__name__}: {error}".rstrip(": "), 200)
        what = "no answer" if state.sent else "no connection"
        return Lost(f"{what} ({said})", sent=state.sent)

    def close(self) -> None:
        with self._lock:
            _close(self._idle)


def _close(idle: dict[tuple[str, str], list[http.client.HTTPConnection]]) -> None:
    for connections in idle.values():
        for connection in connections:
            connection.close()
    idle.clear()


class _TooLarge(ValueError):
    pass


@dataclass(slots=True)
class _State:
    """How far an exchange has come."""

    sent: bool = False
    late: bool = False


class _Watch:
    """Ends exchanges when their time is over, wherever they stand: a socket's own limit begins anew
    with every packet, so that a server that drips would never be late.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._open: dict[int, tuple[float, http.client.HTTPConnection, _State]] = {}
        self._thread: threading.Thread | None = None

    @contextlib.contextmanager
    def over(
        self, connection: http.client.HTTPConnection, state: _State, seconds: float
    ) -> Iterator[None]:
        with self._changed:
            self._open[id(state)] = (time.monotonic() + seconds, connection, state)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, daemon=True)
                self._thread.start()
        try:
            yield
        finally:
            with self._changed:
                self._open.pop(id(state), None)

    def _run(self) -> None:
        while True:
            with self._changed:
                now = time.monotonic()
                for end, connection, state in self._open.values():
                    if end <= now:
                        state.late = True
                        _cut(connection)
                if not self._open:
                    self._thread = None
                    return
                soonest = min(end for end, *_ in self._open.values())
                self._changed.wait(min(max(soonest - now, 0.02), 0.2))


def _cut(connection: http.client.HTTPConnection) -> None:
    if connection.sock is not None:
        with contextlib.suppress(OSError):  # it has ended by itself
            # of the plain class: that of TLS would forget its state under a reading thread
            socket.socket.shutdown(connection.sock, socket.SHUT_RDWR)


def _readable(sock: socket.socket) -> bool:
    return bool(select.select([sock], [], [], 0)[0])


def _opened(url: str, path: str, seconds: float) -> tuple[http.client.HTTPConnection, str]:
    """A new connection to a host, through the environment's proxy where one is set."""
    parts = urlsplit(url)
    host, port, secure = parts.hostname or "", parts.port, parts.scheme == "https"
    wait = min(_CONNECT, seconds)
    proxy = urllib.request.getproxies().get(parts.scheme)
    if proxy is None or urllib.request.proxy_bypass(host):
        if secure:
            return http.client.HTTPSConnection(host, port, timeout=wait, context=_tls()), path
        return http.client.HTTPConnection(host, port, timeout=wait), path
    via = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    if secure:
        tunnel = http.client.HTTPSConnection(
            via.hostname or "", via.port, timeout=wait, context=_tls()
        )
        tunnel.set_tunnel(host, port)
        return tunnel, path
    return http.client.HTTPConnection(via.hostname or "", via.port, timeout=wait), url


@lru_cache(maxsize=1)
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()


def _body(answer: http.client.HTTPResponse, limit: int) -> bytes:
    """The whole body of at most `limit` bytes; some stores send what they hold packed, whatever was
    asked for.
    """
    encoding = (answer.getheader("Content-Encoding") or "identity").strip().lower()
    if encoding not in ("identity", "", "gzip", "x-gzip"):
        raise ValueError(f"a content encoding that was not asked for: {encoding[:40]!r}")
    unpack = zlib.decompressobj(wbits=31) if "gzip" in encoding else None
    data = bytearray()
    while piece := answer.read(_PIECE):
        rest = piece
        while rest and unpack is not None:
            try:
                data += unpack.decompress(rest, _PIECE)
            except zlib.error as error:
                raise ValueError(f"no gzip: {error}") from error
            rest = unpack.unconsumed_tail
            _check(data, limit)
        if unpack is None:
            data += piece
        _check(data, limit)
    if unpack is not None and not unpack.eof:
        raise ValueError("the packed reply ends early")
    if answer.length:
        raise http.client.IncompleteRead(bytes(data[:60]), answer.length)
    return bytes(data)


def _check(data: bytearray, limit: int) -> None:
    if len(data) > limit:
        data.clear()  # the error keeps this frame until garbage is collected
        raise _TooLarge(f"the reply is larger than {limit >> 20} MiB")
