"""Who sends a request: a personal link sets a cookie, a POST carries the key of the page."""

from __future__ import annotations

import asyncio
import hmac
import os
from collections.abc import Awaitable, Callable
from functools import wraps
from urllib.parse import urlsplit

import orjson
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from editgauge.web.log import Log, Person, Refused
from editgauge.web.pages import as_json, refusal

Handler = Callable[[Request], Awaitable[Response]]
MOST_BYTES = 8 << 20
"""Of a POST: a painted mask is the largest."""


def cookie_of(log: Log) -> str:
    """Return the cookie's name. Each study and each data set has its own: browsers send one host's
    cookies to all of its ports, so that one session would otherwise end another.
    """
    return f"editgauge-{log.mac('cookie')[:12]}"


def key_of(log: Log, who: Person) -> str:
    """What a POST of this person must carry in the header ``X-Key``."""
    return log.mac("post", who.name)


def person(act: Callable[..., object], *, posts: bool = False, slow: bool = False) -> Handler:
    """A handler of requests from ``act(who, request)`` or, where it `posts`, from
    ``act(who, payload)`` with the JSON object that was sent; called in a thread. What it returns is
    sent as JSON unless it is a `Response`. What is `slow` waits in a line of its own. A stranger,
    another site's page and a payload that is too long or no object never reach it.
    """
    line = asyncio.Semaphore(max(1, (os.cpu_count() or 2) - 1) if slow else 1000)

    @wraps(act)
    async def handler(request: Request) -> Response:
        log: Log = request.app.state.log
        token = request.cookies.get(cookie_of(log), "")
        who = await run_in_threadpool(log.find, token)  # it waits while others write
        if who is None:
            return refusal(401, "open your personal link")
        subject: object = request
        if posts:
            if not _from_own_page(request, key_of(log, who)):
                return refusal(403, "load the page again")
            subject = await _payload(request)
        async with line:
            answer = await run_in_threadpool(act, who, subject)
        return answer if isinstance(answer, Response) else as_json(answer)

    return handler


async def sign_in(request: Request) -> Response:
    """The personal link: a cookie, and on to the first page."""
    token = request.path_params["token"]
    log: Log = request.app.state.log
    if log.find(token) is None:
        return refusal(404, "this link is not valid (any more); ask who gave it to you")
    response = RedirectResponse("/", status_code=303)
    secure = request.url.scheme == "https"
    response.set_cookie(
        cookie_of(log), token, httponly=True, samesite="lax", secure=secure, max_age=90 * 86400
    )
    return response


def _from_own_page(request: Request, key: str) -> bool:
    """Whether a POST has this person's key and, as far as the browser says, our page's origin."""
    origin = request.headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
        return False
    return hmac.compare_digest(request.headers.get("x-key", "").encode(), key.encode())


async def _payload(request: Request) -> dict[str, object]:
    """The JSON object that was sent. Raises `Refused`."""
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > MOST_BYTES:
            raise Refused(f"too long: at most {MOST_BYTES >> 20} MB")
    try:
        payload = orjson.loads(body or b"{}")
    except orjson.JSONDecodeError:
        payload = None
    if not isinstance(payload, dict):
        raise Refused("wanted a JSON object")
    return payload
