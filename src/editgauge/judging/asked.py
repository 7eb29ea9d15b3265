"""A judge that is a function: whoever has a client of their own hands it in, and nothing is sent by
us.
"""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable, Mapping
from types import TracebackType
from typing import Any, Self

import orjson

from editgauge.judging.client import Body, Client, Outcome

Ask = Callable[[Mapping[str, Any]], "str | Awaitable[str]"]
"""Takes a chat request as the OpenAI interface has it (``model``, ``messages``, ``max_tokens``…;
pictures are ``data:`` addresses) and returns the reply's text. May be a coroutine function; another
function is called in a thread.
"""


class FunctionClient(Client):
    """Calls `ask` in place of a server. What it raises is a failed call: it is asked again as a
    server would be, and then recorded as failed with the reason.
    """

    def __init__(self, ask: Ask) -> None:
        super().__init__("http://localhost/v1", key="")
        self._ask = ask

    @property
    def host(self) -> str:
        """Not a server: the function's name."""
        return f"function {getattr(self._ask, '__name__', type(self._ask).__name__)}"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        return None

    async def get(self, path: str) -> Any:
        """Nothing: a function lists no models."""
        return None

    async def post(self, body: Body) -> Outcome:
        """The function's reply as an outcome."""
        request: Mapping[str, Any] = orjson.loads(body.joined())
        began = time.monotonic()
        try:
            if inspect.iscoroutinefunction(self._ask):
                reply: Any = await self._ask(request)
            else:
                reply = await asyncio.to_thread(self._ask, request)
        except Exception as error:  # whatever a user's function raises is a call without a reply
            reason = self.secrets.text(f"{type(error).__name__}: {error}")
            return Outcome(kind="again", reason=reason, seconds=time.monotonic() - began)
        if not isinstance(reply, str):
            reason = f"wanted a text from the function, found {type(reply).__name__}"
            return Outcome(kind="bad", reason=reason, seconds=time.monotonic() - began)
        return Outcome(
            kind="ok",
            content=reply,
            finish="stop",
            model=str(request.get("model", "")),
            seconds=time.monotonic() - began,
        )
