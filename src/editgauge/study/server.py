"""The web application of a study: pages for annotators, nothing else.

Bound to loopback unless told otherwise. An annotator has a personal link, whose token becomes a
cookie that scripts cannot read; a POST needs the page's own key beside it. Answers are written in
groups: whoever sends while a write is on its way waits for the next one, so that many annotators
share one flush of the disk. Nothing that is sent names an editor, a file or its format.
"""

from __future__ import annotations

import asyncio
import hmac
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any
from urllib.parse import urlsplit

import orjson
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from editgauge.errors import EditgaugeError
from editgauge.study.design import Design
from editgauge.study.forms import CHECK_TEXT, SKIPS, Refused, checked
from editgauge.study.pictures import Pictures
from editgauge.study.store import Annotator, Open, Sent, StudyStore

COOKIE = "editgauge_study"
MOST_BYTES = 64 * 1024
STATIC = {
    "app.js": "text/javascript; charset=utf-8",
    "view.js": "text/javascript; charset=utf-8",
    "style.css": "text/css; charset=utf-8",
}
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
_PICTURE_CACHE = {"Cache-Control": "private, max-age=3600"}


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


class Writer:
    """Writes answers in groups, each group in one transaction off the event loop."""

    def __init__(self, store: StudyStore) -> None:
        self.store = store
        self._waiting: list[tuple[Sent, asyncio.Future[str]]] = []
        self._running: asyncio.Task[None] | None = None

    async def submit(self, sent: Sent) -> str:
        """What `StudyStore.submit` says of the answer, once it is on the disk."""
        future: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._waiting.append((sent, future))
        if self._running is None or self._running.done():
            self._running = asyncio.create_task(self._write())
        return await future

    async def _write(self) -> None:
        while self._waiting:
            group, self._waiting = self._waiting, []
            try:
                told = await run_in_threadpool(self.store.submit, [sent for sent, _ in group])
            except EditgaugeError as error:
                for _, future in group:
                    if not future.done():
                        future.set_exception(error)
                continue
            for (_, future), word in zip(group, told, strict=True):
                if not future.done():
                    future.set_result(word)


class Study:
    """The handlers of one study."""

    def __init__(
        self,
        store: StudyStore,
        pictures: Pictures,
        *,
        hosts: Sequence[str] = (),
        limits: Limits | None = None,
    ) -> None:
        self.store, self.pictures = store, pictures
        self.design: Design = store.design
        self.hosts = {"localhost", "127.0.0.1", "[::1]", *hosts}
        self.limits = limits or Limits()
        self.writer = Writer(store)

    def app(self) -> Starlette:
        """The application: every route answers with `HEADERS`."""
        routes = [
            Route("/", self._guard(self.page)),
            Route("/favicon.ico", self._guard(self.icon)),
            Route("/a/{token}", self._guard(self.sign_in)),
            Route("/static/{name}", self._guard(self.static)),
            Route("/api/task", self._guard(self.task)),
            Route("/api/answer", self._guard(self.answer), methods=["POST"]),
            Route("/api/undo", self._guard(self.undo), methods=["POST"]),
            Route("/picture/{task:int}/{slot}/{mac}", self._guard(self.picture)),
        ]
        return Starlette(routes=routes)

    # -- guarding ----------------------------------------------------------------------------------

    def _guard(
        self, handler: Callable[[Request], Awaitable[Response]]
    ) -> Callable[[Request], Awaitable[Response]]:
        async def guarded(request: Request) -> Response:
            host = urlsplit(f"//{request.headers.get('host', '')}")
            name = f"[{host.hostname}]" if ":" in (host.hostname or "") else host.hostname
            if name not in self.hosts:
                response = _error(421, "this server does not go by that name")
            else:
                try:
                    response = await handler(request)
                except Refused as error:
                    response = _error(400, str(error))
                except EditgaugeError as error:
                    print(f"error: {error}", flush=True)
                    response = _error(503, "the server cannot do this now; try again")
            for key, value in HEADERS.items():
                response.headers.setdefault(key, value)
            return response

        return guarded

    def _who(self, request: Request) -> Annotator | None:
        token = request.cookies.get(COOKIE, "")
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
            return _error(401, "open your personal link again")
        origin = request.headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
            return _error(403, "this came from another site")
        key = request.headers.get("x-study-key", "")
        if not hmac.compare_digest(key.encode(), self.key_of(annotator.id).encode()):
            return _error(403, "load the page again")
        if not self.limits.posts.take(str(annotator.id)):
            return _error(429, "too fast; wait a second")
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > MOST_BYTES:
                return _error(413, "too long")
        try:
            return annotator, orjson.loads(body or b"{}")
        except orjson.JSONDecodeError:
            return _error(400, "no JSON")

    # -- pages -------------------------------------------------------------------------------------

    async def page(self, request: Request) -> Response:
        del request
        return Response(_file("index.html"), media_type="text/html; charset=utf-8")

    async def icon(self, request: Request) -> Response:
        del request
        return Response(status_code=204)

    async def static(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in STATIC:
            return _error(404, "not here")
        return Response(_file(name), headers={"Content-Type": STATIC[name]})

    async def sign_in(self, request: Request) -> Response:
        token = request.path_params["token"]
        annotator = self.store.annotator_of(token)
        if annotator is None:
            address = request.client.host if request.client else ""
            if not self.limits.strangers.take(address):
                return _error(429, "too many tries; wait a minute")
            return _error(404, "this link is not valid (any more); ask who runs the study")
        response = RedirectResponse("/", status_code=303)
        secure = request.url.scheme == "https"
        response.set_cookie(
            COOKIE, token, httponly=True, samesite="lax", secure=secure, max_age=90 * 86400
        )
        return response

    async def task(self, request: Request) -> Response:
        annotator = self._who(request)
        if annotator is None:
            return _error(401, "open your personal link")
        if not self.limits.gets.take(str(annotator.id)):
            return _error(429, "too fast; wait a second")
        return _json(await run_in_threadpool(self._state, annotator))

    async def answer(self, request: Request) -> Response:
        found = await self._poster(request)
        if isinstance(found, Response):
            return found
        annotator, payload = found
        if not isinstance(payload, dict):
            raise Refused("wanted an object")
        number, nonce, seconds = _sent(payload)
        task = self.store.task(number, annotator.id)
        if task is None:
            return _error(404, "this sample is no longer yours; go on with the next")
        made = checked(self.design, task.kind, len(task.editors), payload)
        told = await self.writer.submit(
            Sent(annotator=annotator.id, task=task.id, nonce=nonce, payload=made, seconds=seconds)
        )
        if told != "ok":
            return _error(409, "this sample was answered already (in another tab?)")
        return _json({"ok": True, "feedback": self._feedback(task)})

    async def undo(self, request: Request) -> Response:
        found = await self._poster(request)
        if isinstance(found, Response):
            return found
        task = await run_in_threadpool(self.store.undo, found[0].id)
        return _json({"ok": task is not None})

    async def picture(self, request: Request) -> Response:
        annotator = self._who(request)
        if annotator is None:
            return _error(401, "open your personal link")
        if not self.limits.gets.take(str(annotator.id)):
            return _error(429, "too fast; wait a second")
        number, slot = request.path_params["task"], request.path_params["slot"]
        wanted = self.store.mac("picture", number, slot)
        task = self.store.task(number, annotator.id)
        same = hmac.compare_digest(wanted.encode(), request.path_params["mac"].encode())
        if task is None or not same:
            return _error(404, "not here")
        name = task.editors[int(slot)] if slot.isdigit() else slot
        data = await run_in_threadpool(self._png, task, name)
        return Response(data, media_type="image/png", headers=_PICTURE_CACHE)

    # -- what a page is told -----------------------------------------------------------------------

    def _png(self, task: Open, name: str) -> bytes:
        return self.pictures.png(task.sample, name, self.shown(task.sample))

    def shown(self, sample: str) -> list[str]:
        """The editors of the study that have an output of a sample: what is copied together."""
        there = self.pictures.outputs
        return [editor for editor in self.design.editors if (sample, editor) in there]

    def _feedback(self, task: Open) -> str:
        return self.design.feedback.get(task.sample, "") if task.kind == "training" else ""

    def _state(self, annotator: Annotator) -> dict[str, Any]:
        task = self.store.next(annotator.id, return_after=self.design.return_after)
        done, total = self.store.counts(annotator.id)
        return {
            "study": self.design.name,
            "mode": self.design.mode,
            "key": self.key_of(annotator.id),
            "done": done,
            "total": total,
            "questions": [{"id": item.id, "text": item.text} for item in self.design.questions],
            "labels": list(self.design.labels),
            "skips": list(SKIPS),
            "limit": self.design.time_limit,
            "task": None if task is None else self._task(task),
        }

    def _task(self, task: Open) -> dict[str, Any]:
        record = self.pictures.records[task.sample]
        names = self.pictures.names(task.sample)
        check = task.kind == "check"
        hint = str(record.get("knowledge") or "") if self.design.hint else ""
        reference = "reference" if "reference" in names and self.design.reference else ""
        return {
            "id": task.id,
            "training": task.kind == "training",
            "instruction": CHECK_TEXT[self.design.mode] if check else self._instruction(record),
            "hint": "" if check else hint,
            "inputs": [self._url(task, name) for name in names if name.startswith("input")],
            "reference": self._url(task, reference) if reference else None,
            "mask": self._url(task, "mask") if "mask" in names else None,
            "outputs": [self._url(task, str(slot)) for slot in range(len(task.editors))],
            "previous": self.store.previous(task.id),
        }

    @staticmethod
    def _instruction(record: Mapping[str, Any]) -> str:
        return str(record.get("instruction") or "")

    def _url(self, task: Open, slot: str) -> str:
        return f"/picture/{task.id}/{slot}/{self.store.mac('picture', task.id, slot)}"


def _sent(payload: Mapping[str, Any]) -> tuple[int, str, float]:
    """The task, the nonce and the seconds of an answer. Raises `Refused`."""
    number, nonce, seconds = (payload.get(name) for name in ("task", "nonce", "seconds"))
    if type(number) is not int or not 0 < number < 2**53:
        raise Refused("task: wanted its number")
    if not isinstance(nonce, str) or not 8 <= len(nonce) <= 64:
        raise Refused("nonce: wanted a text of 8 to 64 letters")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        raise Refused("seconds: wanted a number")
    if not 0 <= seconds < 10**7:
        raise Refused("seconds: wanted a number of seconds")
    return number, nonce, float(seconds)


def _file(name: str) -> bytes:
    return files("editgauge.study").joinpath("static", name).read_bytes()


def _json(value: Any) -> Response:
    return Response(orjson.dumps(value), media_type="application/json")


def _error(status: int, text: str) -> Response:
    return Response(orjson.dumps({"error": text}), status, media_type="application/json")
