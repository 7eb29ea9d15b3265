"""What every web application for people shares: headers, personal links and keys, limits.

Bound to loopback unless told otherwise. Somebody has a personal link, whose token becomes a cookie
that scripts cannot read; a POST needs the page's own key beside it, and comes from the page's own
site.
"""

from __future__ import annotations

import asyncio
import hmac
import re
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from editgauge.errors import EditgaugeError
from editgauge.study.forms import Refused
from editgauge.study.store import Annotator, StudyStore

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "no-store",
}


_HOST = re.compile(r"(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{1,253})(?::\d{1,5})?")
_ORIGIN = re.compile(r"https?://(.{1,300})")
BODY_SECONDS = 30.0
"""How long a POST may take to arrive."""


class Buckets:
    """Rate limits: each key may do `rate` things a second, `burst` at once."""

    def __init__(self, rate: float, burst: float, *, clock: Callable[[], float] = time.monotonic):
        self.rate, self.burst, self.clock = rate, burst, clock
        self._left: dict[str, tuple[float, float]] = {}

    def take(self, key: str) -> bool:
        """Whether the key may do one more thing now."""
        now = self.clock()
        left, at = self._left.get(key, (self.burst, now))
        left = min(self.burst, left + (now - at) * self.rate)
        if len(self._left) > 10_000:  # many strangers: whoever is full again needs no entry
            self._left = {
                k: v for k, v in self._left.items() if now - v[1] < self.burst / self.rate
            }
        self._left[key] = (left - 1 if left >= 1 else left, now)
        return left >= 1


@dataclass(slots=True)
class Limits:
    """How much one annotator, and one address that nobody knows, may ask for."""

    posts: Buckets = field(default_factory=lambda: Buckets(10, 40))
    gets: Buckets = field(default_factory=lambda: Buckets(60, 400))
    strangers: Buckets = field(default_factory=lambda: Buckets(0.5, 20))


class Site:
    """The guarded pages of an application: its first page, its static files, signing in.

    `package` holds the folder ``static`` with the application's own files.
    """

    cookie = "editgauge_study"
    package = "editgauge.study"
    statics: Mapping[str, str] = {}
    """Name of a file -> its media type."""
    most_bytes = 64 * 1024
    """Of a POST."""
    asker = "who runs the study"
    """Whom to ask for a new link."""

    def __init__(
        self, store: StudyStore, *, hosts: Sequence[str] = (), limits: Limits | None = None
    ) -> None:
        self.store = store
        own = (f"[{host}]" if ":" in host else host for host in hosts)
        self.hosts = {"localhost", "127.0.0.1", "[::1]", *(host.lower() for host in own)}
        self.limits = limits or Limits()

    def routes(self) -> list[Route]:
        """The first page, the static files, and signing in."""
        return [
            Route("/", self._guard(self.page)),
            Route("/favicon.ico", self._guard(self.icon)),
            Route("/a/{token}", self._guard(self.sign_in)),
            Route("/static/{name}", self._guard(self.static)),
        ]

    # -- guarding ----------------------------------------------------------------------------------

    def _guard(
        self, handler: Callable[[Request], Awaitable[Response]]
    ) -> Callable[[Request], Awaitable[Response]]:
        async def guarded(request: Request) -> Response:
            if host_of(request.headers.get("host", "")) not in self.hosts:
                response = error(421, "this server does not go by that name")
            else:
                try:
                    response = await handler(request)
                except Refused as why:
                    response = error(400, str(why))
                except EditgaugeError as why:
                    print(f"error: {why}", flush=True)
                    response = error(503, "the server cannot do this now; try again")
            for key, value in HEADERS.items():
                response.headers.setdefault(key, value)
            return response

        return guarded

    def _who(self, request: Request) -> Annotator | None:
        token = request.cookies.get(self.cookie, "")
        return self.store.annotator_of(token) if token else None

    def key_of(self, annotator: int) -> str:
        """What a POST of this annotator must carry in the header ``X-Study-Key``."""
        return self.store.mac("post", annotator)

    async def _poster(self, request: Request) -> tuple[Annotator, Any] | Response:
        """Who posts what, or why it is refused: a stranger, another site's page, too fast, no
        JSON.
        """
        annotator = self._who(request)
        if annotator is None:
            return error(401, "open your personal link again")
        if not _own_site(request):
            return error(403, "this came from another site")
        key = request.headers.get("x-study-key", "")
        if not hmac.compare_digest(key.encode(), self.key_of(annotator.id).encode()):
            return error(403, "load the page again")
        if not self.limits.posts.take(str(annotator.id)):
            return error(429, "too fast; wait a second")
        try:
            async with asyncio.timeout(BODY_SECONDS):
                body = await self._body(request)
        except TimeoutError:
            return error(408, "this took too long to arrive; send it again")
        if body is None:
            return error(413, "too long")
        try:
            return annotator, orjson.loads(body or b"{}")
        except orjson.JSONDecodeError:
            return error(400, "no JSON")

    async def _body(self, request: Request) -> bytearray | None:
        """What was sent; None for more than `most_bytes`."""
        body = bytearray()
        async for part in request.stream():
            body += part
            if len(body) > self.most_bytes:
                return None
        return body

    # -- pages -------------------------------------------------------------------------------------

    def file(self, name: str) -> bytes:
        """One of the application's static files."""
        return files(self.package).joinpath("static", name).read_bytes()

    async def page(self, request: Request) -> Response:
        del request
        return Response(self.file("index.html"), media_type="text/html; charset=utf-8")

    async def icon(self, request: Request) -> Response:
        del request
        return Response(status_code=204)

    async def static(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in self.statics:
            return error(404, "not here")
        return Response(self.file(name), headers={"Content-Type": self.statics[name]})

    async def sign_in(self, request: Request) -> Response:
        token = request.path_params["token"]
        annotator = self.store.annotator_of(token)
        if annotator is None:
            address = request.client.host if request.client else ""
            if not self.limits.strangers.take(address):
                return error(429, "too many tries; wait a minute")
            return error(404, f"this link is not valid (any more); ask {self.asker}")
        response = RedirectResponse("/", status_code=303)
        secure = request.url.scheme == "https"
        response.set_cookie(
            self.cookie, token, httponly=True, samesite="lax", secure=secure, max_age=90 * 86400
        )
        return response


def host_of(header: str) -> str:
    """The name or address in a ``Host`` header, in small letters (an IPv6 address in brackets), or
    "" for a header that is none: a page whose name was bound to this address anew (DNS rebinding)
    still sends its own name.
    """
    found = _HOST.fullmatch(header)
    return found[1].lower() if found else ""


def _own_site(request: Request) -> bool:
    """Whether a request comes from this site's own pages, as far as the browser says."""
    origin = request.headers.get("origin")
    if origin is None:
        return True
    found = _ORIGIN.fullmatch(origin)
    return found is not None and found[1] == request.headers.get("host")


def as_json(value: Any) -> Response:
    """A JSON answer."""
    return Response(orjson.dumps(value), media_type="application/json")


def error(status: int, text: str) -> Response:
    """An answer that says in one sentence what is wrong."""
    return Response(orjson.dumps({"error": text}), status, media_type="application/json")
