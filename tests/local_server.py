"""The home of the tests' own servers: a socket of this machine, threads that leave with it, and an
answer sent in one piece.
"""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self


class LocalServer:
    """Used as a context manager; `url` is its address. A subclass says in `post` and `get` what it
    answers, and calls `open` when it is made.
    """

    url: str
    lock: threading.Lock

    def open(self) -> None:
        """Take a free port of this machine; nobody is answered before the context is entered."""
        self.lock = threading.Lock()
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                    service.post(self, body)

            def do_GET(self) -> None:
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                    service.get(self)

            def log_message(self, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def post(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        raise NotImplementedError

    def get(self, handler: BaseHTTPRequestHandler) -> None:
        self.send(handler, 404, {})

    def __enter__(self) -> Self:
        self.thread = threading.Thread(
            target=self.server.serve_forever, kwargs={"poll_interval": 0.01}
        )
        self.thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def cut(self, handler: BaseHTTPRequestHandler) -> None:
        """Close the connection without an answer."""
        handler.close_connection = True
        handler.connection.shutdown(1)

    def send(
        self,
        handler: BaseHTTPRequestHandler,
        status: int,
        value: Any,
        more: Mapping[str, str] | None = None,
    ) -> None:
        """Answer with JSON."""
        self.raw(handler, status, json.dumps(value).encode(), "application/json", more)

    def raw(
        self,
        handler: BaseHTTPRequestHandler,
        status: int,
        body: bytes,
        kind: str = "application/json",
        more: Mapping[str, str] | None = None,
    ) -> None:
        handler.send_response(status)
        for name, value in {
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            **(more or {}),
        }.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)
