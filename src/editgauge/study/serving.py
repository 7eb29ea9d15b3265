"""An application on a socket until interrupted."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

HEADER_SECONDS = 20.0
"""How long the head of a request may take to arrive, from when the connection was made or the
answer before it ended.
"""


def serve(app: Any, *, host: str = "127.0.0.1", port: int = 8600) -> None:
    """Serve an ASGI application until interrupted. Raises `OSError` when the port is taken.

    Answers say neither what served them nor when: no access log, server or date header. Whoever
    sends too slowly is hung up on, so that idle connections keep nobody out.
    """
    import uvicorn

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        settings = uvicorn.Config(
            app,
            http=impatient(HEADER_SECONDS),
            log_level="warning",
            access_log=False,
            server_header=False,
            date_header=False,
            timeout_keep_alive=30,
            limit_concurrency=500,
        )
        uvicorn.Server(settings).run(sockets=[listening])


def impatient(seconds: float) -> type[asyncio.Protocol]:
    """Uvicorn's own protocol, which hangs up where the head of a request is not whole after so many
    seconds: uvicorn itself waits for ever once a byte has come, or before the first.
    """
    from uvicorn.protocols.http.auto import AutoHTTPProtocol

    base: Any = AutoHTTPProtocol

    class Impatient(base):  # type: ignore[misc]
        _late: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._begin()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if not self._idle():
                self._end()

        def on_response_complete(self) -> None:
            super().on_response_complete()
            self._begin()  # what came of the next request may have come already

        def connection_lost(self, error: Exception | None) -> None:
            self._end()
            super().connection_lost(error)

        def _idle(self) -> bool:
            """Whether no request is being answered."""
            return self.cycle is None or bool(self.cycle.response_complete)

        def _begin(self) -> None:
            self._end()
            self._late = asyncio.get_running_loop().call_later(seconds, self._hang_up)

        def _end(self) -> None:
            if self._late is not None:
                self._late.cancel()
                self._late = None

        def _hang_up(self) -> None:
            self._late = None
            if self._idle():
                self.transport.abort()

    return Impatient
