"""An application on a socket until interrupted."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import socket
from collections import Counter
from collections.abc import Callable
from typing import Any

HEADER_SECONDS = 20.0
"""How long the head of a request may take to arrive, from when the connection was made or the
answer before it ended.
"""
MOST_CONNECTIONS = 500
MOST_OF_ONE = 100
"""Connections at once from one address (from one /64 network of IPv6): a browser opens six."""
_SPARE = 200
"""Connections beyond the limit that are told so; further ones are hung up on without a word."""
_TOLD_WITHIN = 2.0
_FULL = b'{"error": "too many connections; close some, or try again in a moment"}'
_REFUSAL = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\n"
    b"Content-Length: %d\r\nRetry-After: 5\r\nConnection: close\r\n\r\n%b" % (len(_FULL), _FULL)
)


def serve(app: Any, *, host: str = "127.0.0.1", port: int = 8600) -> None:
    """Serve an ASGI application until interrupted. Raises `OSError` when the port is taken.

    Answers say neither what served them nor when: no access log, server or date header. Whoever
    sends too slowly is hung up on, and nobody holds more than `MOST_OF_ONE` connections, so that
    one visitor keeps nobody out.
    """
    import uvicorn

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        settings = uvicorn.Config(
            app,
            http=impatient(HEADER_SECONDS),
            ws="none",
            log_level="warning",
            access_log=False,
            server_header=False,
            date_header=False,
            timeout_keep_alive=30,
        )
        with contextlib.suppress(KeyboardInterrupt):  # uvicorn ends first, and raises it again
            uvicorn.Server(settings).run(sockets=[listening])


def impatient(
    seconds: float, *, most: int = MOST_CONNECTIONS, of_one: int = MOST_OF_ONE
) -> type[asyncio.Protocol]:
    """Uvicorn's own protocol, which hangs up where the head of a request is not whole after so many
    seconds: uvicorn itself waits for ever once a byte has come, or before the first. It answers 503
    to whoever has `of_one` connections already, and to all while there are `most`.
    """
    from uvicorn.protocols.http.auto import AutoHTTPProtocol

    base: Any = AutoHTTPProtocol
    places = _Places(most, of_one)
    turn_away = _turning_away(min(seconds, _TOLD_WITHIN))

    class Impatient(base):  # type: ignore[misc]
        _late: asyncio.TimerHandle | None = None
        _whose = ""

        def connection_made(self, transport: Any) -> None:
            whose = network_of(transport.get_extra_info("peername"))
            if places.take(whose):
                self._whose = whose
                super().connection_made(transport)
                self._begin()
            else:
                turn_away(transport)

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if not _idle(self):
                self._end()

        def on_response_complete(self) -> None:
            super().on_response_complete()
            self._begin()  # what came of the next request may have come already

        def connection_lost(self, error: Exception | None) -> None:
            self._end()
            places.leave(self._whose)
            super().connection_lost(error)

        def _begin(self) -> None:
            self._end()
            self._late = asyncio.get_running_loop().call_later(seconds, self._hang_up)

        def _end(self) -> None:
            if self._late is not None:
                self._late.cancel()
                self._late = None

        def _hang_up(self) -> None:
            self._late = None
            if _idle(self):
                self.transport.abort()

    return Impatient


def _idle(protocol: Any) -> bool:
    """Whether no request is being answered."""
    return protocol.cycle is None or bool(protocol.cycle.response_complete)


class _Places:
    """How many connections there are, and whose."""

    def __init__(self, most: int, of_one: int) -> None:
        self.most, self.of_one = most, of_one
        self._held: Counter[str] = Counter()

    def take(self, whose: str) -> bool:
        """Whether there is one more for somebody."""
        if self._held.total() >= self.most or self._held[whose] >= self.of_one:
            return False
        self._held[whose] += 1
        return True

    def leave(self, whose: str) -> None:
        self._held[whose] -= 1
        if not self._held[whose]:
            del self._held[whose]


def _turning_away(seconds: float) -> Callable[[Any], None]:
    others: set[asyncio.Protocol] = set()

    def turn_away(transport: Any) -> None:
        turned = _TurnedAway(others, seconds)
        transport.set_protocol(turned)
        turned.connection_made(transport)

    return turn_away


class _TurnedAway(asyncio.Protocol):
    """Says that there are too many connections once a request has come (closed before, the answer
    would be lost on the way), and waits no longer for one than so many seconds. Of more than
    `_SPARE` that are turned away at once none is told.
    """

    def __init__(self, others: set[asyncio.Protocol], seconds: float) -> None:
        self.others, self.seconds = others, seconds

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        if len(self.others) >= _SPARE:
            transport.abort()
            return
        self.others.add(self)
        asyncio.get_running_loop().call_later(self.seconds, transport.abort)

    def data_received(self, data: bytes) -> None:
        self.transport.write(_REFUSAL)
        self.transport.close()

    def connection_lost(self, error: Exception | None) -> None:
        self.others.discard(self)


def network_of(peer: Any) -> str:
    """Whose connection it is, by the peer's address: the address, or of IPv6 its /64 network, in
    which one machine may have any number of addresses.
    """
    try:
        address = ipaddress.ip_address(str(peer[0]).partition("%")[0])
    except (TypeError, IndexError, ValueError):  # no address of the internet: a socket of a file
        return "here"
    if address.version == 6 and address.ipv4_mapped is None:
        return str(ipaddress.ip_network((int(address) >> 64 << 64, 64)))
    return str(getattr(address, "ipv4_mapped", None) or address)
