"""The frame of an application in the browser: headers, static files, errors, the server."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import orjson
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from editgauge.errors import EditgaugeError, RunError, UsageError
from editgauge.web.log import Conflict, Log

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
PICTURE_CACHE = {"Cache-Control": "private, max-age=3600"}
"""For pictures: their addresses are unguessable, and change when the picture does."""
_TYPES = {"js": "text/javascript", "css": "text/css", "html": "text/html"}


def as_json(value: object, status: int = 200) -> Response:
    return Response(orjson.dumps(value), status, media_type="application/json")


def refusal(status: int, text: str, **facts: Any) -> Response:
    """An answer that says in one sentence what is wrong."""
    return as_json({"error": text, **facts}, status)


def application(
    log: Log, routes: Sequence[BaseRoute], *, package: str, hosts: Sequence[str] = ()
) -> Starlette:
    """An application whose pages are files of ``static`` of `package` and of this room. `hosts`:
    the names besides localhost under which it may be asked. Handlers find the log at
    ``request.app.state.log``; what they raise is answered with its text: `Conflict` as 409, other
    errors of ours as 400, a log that cannot be written as 503.
    """
    from editgauge.web.people import sign_in

    statics = {
        file.name: (media, file.read_bytes())
        for folder in (files("editgauge.web") / "static", files(package) / "static")
        for file in (folder.iterdir() if folder.is_dir() else ())
        if (media := _TYPES.get(file.name.rpartition(".")[2]))
    }

    async def static(request: Request) -> Response:
        name = request.path_params.get("name", "index.html")
        if name not in statics:
            return refusal(404, "not here")
        media, data = statics[name]
        return Response(data, headers={"Content-Type": f"{media}; charset=utf-8"})

    common = {"/": static, "/static/{name}": static, "/a/{token}": sign_in}
    allowed = ["localhost", "127.0.0.1", *hosts]
    app = Starlette(
        routes=[*(Route(path, handler) for path, handler in common.items()), *routes],
        middleware=[Middleware(_Headers), Middleware(TrustedHostMiddleware, allowed_hosts=allowed)],
        exception_handlers={EditgaugeError: _error},
    )
    app.state.log = log
    return app


def listen(host: str, port: int) -> socket.socket:
    """A place at which `serve` answers; port 0: any that is free. Raises `UsageError`."""
    if port > 65535:
        raise UsageError(f"port {port}: wanted 0 to 65535")
    try:
        return socket.create_server((host, port), backlog=2048)
    except OSError as error:
        raise UsageError(
            f"{host}, port {port}: nothing can be served there ({error}); another server may be "
            f"running: end it, or name another port"
        ) from error


def serve(app: ASGIApp, at: socket.socket) -> None:
    """Serve until interrupted."""
    import uvicorn

    config = uvicorn.Config(
        app, ws="none", log_level="warning", access_log=False, server_header=False,
        date_header=False, timeout_keep_alive=30, limit_concurrency=500,
    )  # fmt: skip
    with contextlib.suppress(KeyboardInterrupt):  # uvicorn ends first, and raises it again
        uvicorn.Server(config).run(sockets=[at])


class _Headers:
    """`HEADERS` on every answer that does not set them itself."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, with_headers)


async def _error(_: Request, error: Exception) -> Response:
    """Answer with the error's text. Nothing of an item is echoed: it may name what a page hides."""
    if isinstance(error, Conflict):
        return refusal(409, str(error))
    if isinstance(error, RunError):
        return refusal(503, str(error))
    return refusal(400, str(error))
