"""One chat call to an OpenAI-compatible server: the body, the request, and what came back as a
plain value.

`services.transport` carries the bytes; what an answer means is `services.policy`'s. A body is never
built in one piece: the words are serialised once, and the pictures' base64 text goes out from where
it is.
"""

from __future__ import annotations

import os
import secrets as random_secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

import orjson

from editgauge.errors import UsageError
from editgauge.judging.calls import Call, ChatMessage
from editgauge.judging.pictures import Encoded
from editgauge.services import policy
from editgauge.services.policy import Kind
from editgauge.services.secrets import Secrets, address, key_from
from editgauge.services.transport import AsyncTransport, Limits, Lost, Response, decode
from editgauge.services.waiting import retry_after

DEFAULT_BASE_URL = "https://api.openai.com/v1"
KEY_NAMES = ("EDITGAUGE_JUDGE_KEY", "OPENAI_API_KEY")
"""Environment variables that may hold the key, the first one found wins. Keys come from nowhere
else.
"""
MAX_REPLY_BYTES = 8 << 20
_SLOT = "\u0000picture\u0000"
_SLOT_BYTES = orjson.dumps(_SLOT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """What this server takes: found out with the first calls, kept with the replies, part of every
    key.
    """

    schema: bool = True
    """``response_format`` with a JSON schema."""
    tokens_field: str = "max_tokens"
    """``max_completion_tokens`` for models that want that name."""
    temperature: bool = True
    """False for models that refuse a temperature of their own."""
    webp: bool = True
    """False for servers that cannot read WebP: those pictures are sent as PNG."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """What the user sets of a request; None leaves it to the protocol. Part of every key, and, in
    words, of the judge's name in rows.
    """

    temperature: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    reasoning_effort: str | None = None
    detail: str | None = None
    """How closely pictures are looked at: ``low``, ``high`` or ``auto``, in OpenAI's words."""
    encoding: str | None = None
    """``png``: every picture is sent as PNG; None: in its own format."""
    metadata: bool = False
    """Whether EXIF and the like go along with the pictures."""

    def named(self) -> str:
        """``temperature=0.5,seed=3``: what differs from the protocol, for the judge's name."""
        given = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return ",".join(
            f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}"
            for name, value in given.items()
            if value is not None and value is not False
        )


@dataclass(frozen=True, slots=True)
class Body:
    """A request body in pieces, and its length. The large pieces are shared with other bodies."""

    pieces: tuple[bytes, ...]
    size: int

    def joined(self) -> bytes:
        return b"".join(self.pieces)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one HTTP request gave. `kind` says what to do about it: see `policy.Kind`.

    `billed` is whether the request may have been billed, whatever `usage` says of it.
    """

    kind: Kind
    reason: str = ""
    content: str | None = None
    thought: bool = False
    """Whether the reply holds thinking beside its content (``reasoning_content``)."""
    finish: str = ""
    """Why the reply ended, in the server's word; ``length`` when it was cut off by its limit."""
    model: str = ""
    system_fingerprint: str = ""
    usage: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    retry_after: float | None = None
    http: int = 0
    billed: bool = True
    lost: bool = True
    """Whether an answer may have been made and lost: see `policy.Meaning`."""
    unreachable: bool = False
    """The server was never reached: no connection could be made."""


def messages(
    call: Call, repair: tuple[str, str] | None = None, detail: str | None = None
) -> list[dict[str, Any]]:
    """The chat messages of a call, a slot in place of each picture. `repair` adds a reply and what
    is said to it; `detail` is OpenAI's word for how closely pictures are looked at.
    """
    found: list[dict[str, Any]] = [
        {"role": message.role, "content": _chat_content(message, detail)} for message in call.chat()
    ]
    if repair is not None:
        found += [
            {"role": "assistant", "content": repair[0]},
            {"role": "user", "content": repair[1]},
        ]
    return found


def _chat_content(message: ChatMessage, detail: str | None) -> Any:
    picture = {"url": _SLOT} if detail is None else {"url": _SLOT, "detail": detail}
    if message.plain:
        return "".join(part for part in message.parts if isinstance(part, str))
    return [
        {"type": "text", "text": part}
        if isinstance(part, str)
        else {"type": "image_url", "image_url": picture}
        for part in message.parts
    ]


def parameters(
    call: Call, model: str, dialect: Dialect, *, max_tokens: int, asking: Asking | None = None
) -> dict[str, Any]:
    """Everything of a body but the messages."""
    asking = asking or Asking()
    found: dict[str, Any] = {"model": model, dialect.tokens_field: max_tokens}
    temperature = call.temperature if asking.temperature is None else asking.temperature
    if temperature is not None and dialect.temperature:
        found["temperature"] = temperature
    found |= call.parameters
    if asking.seed is not None:
        found["seed"] = asking.seed
    if asking.reasoning_effort is not None:
        found["reasoning_effort"] = asking.reasoning_effort
    schema = call.schema()
    if schema is not None and dialect.schema:
        found["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "verdict", "strict": True, "schema": schema},
        }
    return found


def build(skeleton: bytes, pictures: Sequence[Encoded]) -> Body:
    """Put pictures into the slots of a serialised body. Base64 needs no escaping, so nothing is
    serialised twice.
    """
    texts = skeleton.split(_SLOT_BYTES)
    if len(texts) != len(pictures) + 1:
        raise UsageError(
            "a rubric or a text from the data holds the mark of a picture; remove the NUL "
            "characters"
        )
    pieces: list[bytes] = [texts[0] + b'"']
    for picture, text in zip(pictures, texts[1:], strict=True):
        pieces += [picture.url, b'"' + text + b'"']
    pieces[-1] = pieces[-1][:-1]
    if not pictures:
        pieces = [skeleton]
    return Body(tuple(pieces), sum(map(len, pieces)))


class Client:
    """A connection pool to one server. An async context manager.

    `base_url` ends in ``/v1`` or whatever comes before ``/chat/completions``. The key is read from
    the environment (`KEY_NAMES`) and appears in no message, log or file; nor does a query of the
    address.
    """

    def __init__(
        self,
        base_url: str | None = None,
        *,
        timeout: float = 120.0,
        connections: int = 64,
        key: str | None = None,
    ) -> None:
        given = base_url or os.environ.get("OPENAI_BASE_URL") or DEFAULT_BASE_URL
        self.address = address(given, "--base-url")
        self.timeout = timeout
        own = key_from(KEY_NAMES) if key is None else key.strip()
        self.secrets = Secrets([own, *self.address.secrets])
        headers = {"Content-Type": "application/json"}
        if own:
            headers["Authorization"] = f"Bearer {own}"
        self._transport = AsyncTransport(
            headers, self.secrets, Limits(timeout, connections, MAX_REPLY_BYTES)
        )

    @property
    def family(self) -> str:
        """The endpoint family of the reply key: chat completions, whoever serves them."""
        return "openai-chat"

    @property
    def host(self) -> str:
        """The server's host and port, without anything that could be secret."""
        return self.address.shown.partition("://")[2].partition("/")[0]

    async def __aenter__(self) -> Self:
        self._transport.open("calling a judge", "judge")
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        await self._transport.close()

    async def post(self, body: Body) -> Outcome:
        """Send one body. Never raises for anything a server or a network does; the outcome says
        what it did.
        """
        began = time.monotonic()
        try:
            response = await self._transport.exchange(
                "POST", self.address.of("/chat/completions"), body.pieces
            )
        except Lost as error:
            return Outcome(
                kind="again",
                reason=error.reason,
                seconds=time.monotonic() - began,
                billed=error.sent,
                lost=error.sent,
                unreachable=not error.sent and not error.late,
            )
        return read_response(response, time.monotonic() - began, self.secrets, self.address.host)

    async def get(self, path: str) -> Any:
        """A small JSON document from the server (``/models/…``), or None when there is none to be
        had.
        """
        try:
            response = await self._transport.exchange(
                "GET", self.address.of(path), seconds=min(self.timeout, 20.0)
            )
        except Lost:  # a server without this page is as good as one that lists nothing
            return None
        return decode(response.data, self.secrets) if response.status == 200 else None

    async def upload(
        self, path: str, fields: Mapping[str, str], name: str, data: bytes
    ) -> tuple[int, Any]:
        """Send a file as a form (for batches): the HTTP status, and the decoded reply (None if it
        is no JSON). Raises `Lost`.
        """
        boundary = random_secrets.token_hex(16)
        parts = [
            f'--{boundary}\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n'
            for key, value in fields.items()
        ]
        parts.append(
            f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
            f"Content-Type: application/octet-stream\r\n\r\n"
        )
        response = await self._transport.exchange(
            "POST",
            self.address.of(path),
            ["".join(parts).encode(), data, f"\r\n--{boundary}--\r\n".encode()],
            headers={"Content-Type": f"multipart/form-data; boundary={boundary}"},
            seconds=_LONG,
        )
        return response.status, decode(response.data, self.secrets)

    async def exchange_json(
        self, method: str, path: str, value: Any = None
    ) -> tuple[int, Any, bytes]:
        """A JSON request outside of chat (for batches): status, decoded reply or None, raw
        bytes. Raises `Lost`.
        """
        pieces = None if value is None else [orjson.dumps(value)]
        response = await self._transport.exchange(
            method, self.address.of(path), pieces, seconds=_LONG, limit=1 << 30
        )
        return response.status, decode(response.data, self.secrets), response.data


_LONG = 600.0
"""Seconds for a file of a batch."""


# --- what came back -----------------------------------------------------------------------------

_FILTERED = frozenset({
    "content_filter", "SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "sensitive",
})  # fmt: skip
_CUT = frozenset({"length", "max_tokens", "MAX_TOKENS", "max_output_tokens"})
_THOUGHT = ("reasoning_content", "reasoning", "thinking")


def read_response(
    response: Response, seconds: float = 0.0, secrets: Secrets | None = None, host: str = ""
) -> Outcome:
    """An HTTP response as an `Outcome`. Knows the habits of servers: quota as 429, HTML as 200,
    null choices.
    """
    secrets = secrets or Secrets()
    value = decode(response.data, secrets)
    if 200 <= response.status < 300:
        return _read_completion(value, response, seconds, secrets, host)
    error = policy.error_of(value)
    return _failed(response.status, error, response, seconds, secrets, host)


def _failed(
    status: int,
    error: Mapping[str, Any],
    response: Response,
    seconds: float,
    secrets: Secrets,
    host: str,
) -> Outcome:
    said = secrets.line(str(error.get("message") or response.data[:300].decode("utf-8", "replace")))
    meant = policy.meaning(status, response.headers, error, host)
    reason = f"HTTP {status}: {said}" if said else f"HTTP {status}"
    if meant.kind == "stop" and status not in (401, 403, 404, 407):
        reason += " (the account's quota is used up, or its billing is refused)"
    return Outcome(
        kind=meant.kind,
        reason=reason,
        seconds=seconds,
        retry_after=retry_after(response.headers, error),
        http=response.status,
        billed=meant.billed,
        lost=meant.lost,
    )


def _read_completion(
    value: Any, response: Response, seconds: float, secrets: Secrets, host: str
) -> Outcome:
    usage = value.get("usage") if isinstance(value, dict) else None
    facts: dict[str, Any] = {
        "usage": usage if isinstance(usage, dict) else {},
        "seconds": seconds,
        "http": response.status,
    }
    if not isinstance(value, dict):
        start = secrets.line(response.data[:60].decode("utf-8", "replace"))
        size = len(response.data)
        reason = f"HTTP 200 with something that is no JSON object, {size} bytes: {start!r}"
        return Outcome(kind="again", reason=reason, **facts)
    facts["model"] = secrets.line(str(value.get("model") or ""), 200)
    facts["system_fingerprint"] = secrets.line(str(value.get("system_fingerprint") or ""), 200)
    error = value.get("error")
    if isinstance(error, dict):
        return _error_in_reply(error, response, facts, secrets, host)
    choices = value.get("choices")
    if not (isinstance(choices, list) and choices and isinstance(choices[0], dict)):
        blocked = value.get("promptFeedback") or value.get("prompt_feedback")
        if blocked:
            return Outcome(kind="refused", reason="the prompt was blocked", **facts)
        return Outcome(kind="again", reason="a reply without a choice", **facts)
    return _read_choice(choices[0], facts, secrets)


def _error_in_reply(
    error: Mapping[str, Any],
    response: Response,
    facts: Mapping[str, Any],
    secrets: Secrets,
    host: str,
) -> Outcome:
    """An error that comes as HTTP 200: routers pass on the status of whom they asked as a code."""
    code = error.get("code")
    if isinstance(code, int) and code in policy.STATUSES:
        outcome = _failed(code, error, response, float(facts["seconds"]), secrets, host)
        if outcome.kind in ("busy", "stop"):
            return outcome
    said = secrets.line(str(error.get("message")))
    return Outcome(kind="again", reason=f"HTTP 200 with an error: {said}", **facts)


def _read_choice(choice: Mapping[str, Any], facts: dict[str, Any], secrets: Secrets) -> Outcome:
    message: dict[str, Any] = choice["message"] if isinstance(choice.get("message"), dict) else {}
    finish = secrets.line(str(choice.get("finish_reason") or ""), 60)
    finish = "length" if finish in _CUT else finish
    content = _content(message.get("content"))
    facts |= {"finish": finish, "thought": any(message.get(name) for name in _THOUGHT)}
    if message.get("refusal"):
        said = secrets.line(str(message["refusal"]))
        return Outcome(kind="refused", reason=f"the model declined: {said}", **facts)
    if finish in _FILTERED:
        reason = f"stopped by the content filter ({finish})"
        return Outcome(kind="refused", reason=reason, content=content, **facts)
    if not (content or "").strip() and finish != "length":
        what = "an empty reply"
        if message.get("tool_calls") or message.get("function_call"):
            what = "a tool call instead of an answer"
        elif facts["thought"]:
            what = "an empty reply: only thinking, no answer"
        return Outcome(kind="again", reason=what, **facts)
    return Outcome(kind="ok", content=content or "", **facts)


def _content(value: Any) -> str | None:
    if isinstance(value, list):  # parts, as some servers give them; thinking is one of them
        parts = [part for part in value if isinstance(part, dict)]
        return "".join(str(p.get("text") or "") for p in parts if p.get("type") not in _THOUGHT)
    return value if isinstance(value, str) else None


_NOT_OUR_PICTURES = ("too many", "too large", "at most", "maximum", "exceed", "limit")


def wanted_dialect(dialect: Dialect, reason: str, *, webp: bool = False) -> Dialect | None:
    """The dialect to try next after a request was turned down with this reason; None when the
    reason is another. `webp` says that the request holds a WebP picture that may be the reason: a
    server that cannot read it seldom says so by that name.
    """
    from dataclasses import replace

    text = reason.lower()
    if dialect.schema and any(
        word in text for word in ("response_format", "json_schema", "schema", "grammar")
    ):
        return replace(dialect, schema=False)
    if dialect.tokens_field == "max_tokens" and "max_completion_tokens" in text:
        return replace(dialect, tokens_field="max_completion_tokens")
    if dialect.temperature and "temperature" in text:
        return replace(dialect, temperature=False)
    if dialect.webp and (
        "webp" in text or (webp and not any(word in text for word in _NOT_OUR_PICTURES))
    ):
        return replace(dialect, webp=False)
    return None
