"""One chat call to an OpenAI-compatible server: the body, the request, and what came back as a
plain value.

The library `httpx` carries the bytes over HTTP/1.1; everything that decides (retries, pauses,
schemas) is ours. A body is never built in one piece: the words are serialised once, and the
pictures' base64 text goes out from where it is.
"""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

import orjson

from editgauge.errors import MissingExtra, UsageError
from editgauge.judging.calls import Call, ChatMessage
from editgauge.judging.pictures import Encoded
from editgauge.services.waiting import retry_after

if TYPE_CHECKING:
    import httpx

DEFAULT_BASE_URL = "https://api.openai.com/v1"
KEY_NAMES = ("EDITGAUGE_JUDGE_KEY", "OPENAI_API_KEY")
"""Environment variables that may hold the key, the first one found wins. Keys come from nowhere
else.
"""
MAX_REPLY_BYTES = 8 << 20
_SLOT = "\u0000picture\u0000"
_SLOT_BYTES = orjson.dumps(_SLOT)


@dataclass(frozen=True, slots=True)
class Dialect:
    """What this server takes: found out with the first call, kept with the replies, part of every
    key.
    """

    schema: bool = True
    """``response_format`` with a JSON schema."""
    tokens_field: str = "max_tokens"
    """``max_completion_tokens`` for models that want that name."""
    temperature: bool = True
    """False for models that refuse a temperature of their own."""
    webp: bool = True


@dataclass(frozen=True, slots=True)
class Body:
    """A request body in pieces, and its length. The large pieces are shared with other bodies."""

    pieces: tuple[bytes, ...]
    size: int

    def joined(self) -> bytes:
        return b"".join(self.pieces)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one HTTP request gave. `kind` says what to do about it:

    ``ok`` · ``refused`` (content filter) · ``busy`` (429: wait) · ``again`` (5xx, time-out, cut
    connection: retry) · ``bad`` (this request will never work) · ``stop`` (no request will: key,
    model, quota).
    """

    kind: str
    reason: str = ""
    content: str | None = None
    finish: str = ""
    model: str = ""
    system_fingerprint: str = ""
    usage: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    retry_after: float | None = None
    http: int = 0


def messages(call: Call, repair: tuple[str, str] | None = None) -> list[dict[str, Any]]:
    """The chat messages of a call, a slot in place of each picture. `repair` adds a reply and what
    is said to it.
    """
    found: list[dict[str, Any]] = [
        {"role": message.role, "content": _chat_content(message)} for message in call.chat()
    ]
    if repair is not None:
        found += [
            {"role": "assistant", "content": repair[0]},
            {"role": "user", "content": repair[1]},
        ]
    return found


def _chat_content(message: ChatMessage) -> Any:
    if message.plain:
        return "".join(part for part in message.parts if isinstance(part, str))
    return [
        {"type": "text", "text": part}
        if isinstance(part, str)
        else {"type": "image_url", "image_url": {"url": _SLOT}}
        for part in message.parts
    ]


def parameters(
    call: Call, model: str, dialect: Dialect, *, max_tokens: int, seed: int | None = None
) -> dict[str, Any]:
    """Everything of a body but the messages."""
    found: dict[str, Any] = {"model": model, dialect.tokens_field: max_tokens}
    if call.temperature is not None and dialect.temperature:
        found["temperature"] = call.temperature
    found |= call.parameters
    if seed is not None:
        found["seed"] = seed
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
    the environment (`KEY_NAMES`) and appears in no message, log or file.
    """

    def __init__(
        self,
        base_url: str | None = None,
        *,
        timeout: float = 120.0,
        connections: int = 64,
        key: str | None = None,
    ) -> None:
        self.base_url = (base_url or os.environ.get("OPENAI_BASE_URL") or DEFAULT_BASE_URL).rstrip(
            "/"
        )
        parts = urlsplit(self.base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError(f"--base-url {self.base_url!r}: wanted http(s)://host/…/v1")
        if parts.username or parts.password:
            raise UsageError(f"--base-url: put no key into the address; set {KEY_NAMES[0]} instead")
        self.timeout = timeout
        self._connections = connections
        self._key = (
            key
            if key is not None
            else next((os.environ[n] for n in KEY_NAMES if os.environ.get(n)), "")
        )
        self._http: httpx.AsyncClient | None = None

    @property
    def family(self) -> str:
        """The endpoint family of the reply key: chat completions, whoever serves them."""
        return "openai-chat"

    @property
    def host(self) -> str:
        """The server's host and port, without anything that could be secret."""
        parts = urlsplit(self.base_url)
        return parts.hostname + (f":{parts.port}" if parts.port else "") if parts.hostname else ""

    async def __aenter__(self) -> Self:
        try:
            import httpx
        except ImportError:
            raise MissingExtra("calling a judge", "httpx", "judge") from None
        headers = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
        if self._key:
            try:
                headers["Authorization"] = "Bearer " + self._key.strip().encode("ascii").decode()
            except UnicodeEncodeError:
                raise UsageError(
                    f"the key in {' or '.join(KEY_NAMES)} holds letters that no key has"
                ) from None
        limits = httpx.Limits(
            max_connections=self._connections, max_keepalive_connections=self._connections
        )
        self._http = httpx.AsyncClient(
            headers=headers,
            limits=limits,
            timeout=httpx.Timeout(self.timeout, pool=None),
            http2=False,
            follow_redirects=False,
        )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        if self._http is not None:
            await self._http.aclose()

    async def post(self, body: Body) -> Outcome:
        """Send one body. Never raises for anything a server or a network does; the outcome says
        what it did.
        """
        began = time.monotonic()
        try:
            async with asyncio.timeout(self.timeout):
                status, headers, data = await self._exchange("POST", "/chat/completions", body)
        except TimeoutError:
            return Outcome(
                "again",
                f"no complete answer within {self.timeout:g} s",
                seconds=time.monotonic() - began,
            )
        except _TooLarge:
            return Outcome(
                "again", f"the reply is larger than {MAX_REPLY_BYTES >> 20} MiB", http=200
            )
        except Exception as error:  # whatever a network does ends in a status and a reason
            return Outcome(
                "again", f"no answer ({self._clean(error)})", seconds=time.monotonic() - began
            )
        return read_response(status, headers, data, time.monotonic() - began)

    async def get(self, path: str) -> Any:
        """A small JSON document from the server (``/models/…``), or None when there is none to be
        had.
        """
        try:
            async with asyncio.timeout(min(self.timeout, 20.0)):
                status, _, data = await self._exchange("GET", path, None)
            return orjson.loads(data) if status == 200 else None
        except Exception:  # a server without this page is as good as one that lists nothing
            return None

    async def upload(
        self, path: str, fields: Mapping[str, str], name: str, data: bytes
    ) -> tuple[int, Any]:
        """Send a file as a form (for batches): the HTTP status, and the decoded reply (None if it
        is no JSON).
        """
        assert self._http is not None
        headers = {k: v for k, v in self._http.headers.items() if k.lower() == "authorization"}
        import httpx

        async with httpx.AsyncClient(timeout=httpx.Timeout(600.0), headers=headers) as http:
            response = await http.post(
                self.base_url + path, data=dict(fields), files={"file": (name, data)}
            )
        return response.status_code, _json_or_none(response.content)

    async def exchange_json(
        self, method: str, path: str, value: Any = None
    ) -> tuple[int, Any, bytes]:
        """A JSON request outside of chat (for batches): status, decoded reply or None, raw
        bytes.
        """
        data = None if value is None else orjson.dumps(value)
        body = None if data is None else Body((data,), len(data))
        async with asyncio.timeout(600.0):
            status, _, raw = await self._exchange(method, path, body, limit=1 << 30)
        return status, _json_or_none(raw), raw

    async def _exchange(
        self, method: str, path: str, body: Body | None, limit: int = MAX_REPLY_BYTES
    ) -> tuple[int, Mapping[str, str], bytes]:
        if self._http is None:
            raise UsageError("the client is not open; use: async with Client(…) as client")
        content: Any = None
        headers = {}
        if body is not None:
            headers["Content-Length"] = str(body.size)
            content = _stream(body.pieces)
        request = self._http.build_request(
            method, self.base_url + path, content=content, headers=headers
        )
        response = await self._http.send(request, stream=True)
        try:
            data = bytearray()
            async for piece in response.aiter_raw():
                data += piece
                if len(data) > limit:
                    raise _TooLarge
            return response.status_code, response.headers, bytes(data)
        finally:
            await response.aclose()

    def _clean(self, error: Exception) -> str:
        text = f"{type(error).__name__}: {error}".strip().rstrip(":")
        return (text.replace(self._key, "[key]") if self._key else text)[:300]


class _TooLarge(Exception):
    pass


async def _stream(pieces: tuple[bytes, ...]) -> AsyncIterator[bytes]:
    for piece in pieces:
        yield piece


# --- what came back -----------------------------------------------------------------------------

_QUOTA = (
    "insufficient_quota",
    "billing_hard_limit_reached",
    "billing_not_active",
    "account_deactivated",
)


def read_response(
    status: int, headers: Mapping[str, str], data: bytes, seconds: float = 0.0
) -> Outcome:
    """An HTTP response as an `Outcome`. Knows the habits of servers: quota as 429, HTML as 200,
    null choices.
    """
    value = _json_or_none(data)
    if status == 200:
        return _read_completion(value, data, seconds)
    error = _error_of(value)
    text = _words(error.get("message") or data[:300].decode("utf-8", "replace"))
    reason = f"HTTP {status}: {text}" if text else f"HTTP {status}"
    code = str(error.get("code") or error.get("type") or "")
    if any(word in (code, str(error.get("type"))) for word in _QUOTA):
        return Outcome(
            "stop", f"{reason} (the account's quota is used up)", seconds=seconds, http=status
        )
    if status == 429 or (status == 503 and retry_after(headers, _error_of(value)) is not None):
        return Outcome(
            "busy",
            reason,
            seconds=seconds,
            retry_after=retry_after(headers, _error_of(value)),
            http=status,
        )
    if status in (408, 409, 425, 500, 502, 503, 504, 520, 521, 522, 524, 529):
        return Outcome(
            "again",
            reason,
            seconds=seconds,
            retry_after=retry_after(headers, _error_of(value)),
            http=status,
        )
    if status in (401, 403, 404, 407):
        return Outcome("stop", reason, seconds=seconds, http=status)
    if code in ("content_policy_violation", "content_filter", "ResponsibleAIPolicyViolation"):
        return Outcome("refused", reason, seconds=seconds, http=status)
    return Outcome("bad", reason, seconds=seconds, http=status)


def _read_completion(value: Any, data: bytes, seconds: float) -> Outcome:
    def again(reason: str) -> Outcome:
        return Outcome("again", reason, seconds=seconds, http=200)

    if not isinstance(value, dict):
        start = data[:60].decode("utf-8", "replace")
        return again(
            f"HTTP 200 with something that is no JSON object, {len(data)} bytes: {_words(start)!r}"
        )
    if isinstance(value.get("error"), dict):
        return again(f"HTTP 200 with an error: {_words(str(value['error'].get('message')))}")
    choices = value.get("choices")
    choice = (
        choices[0]
        if isinstance(choices, list) and choices and isinstance(choices[0], dict)
        else None
    )
    usage = value.get("usage") if isinstance(value.get("usage"), dict) else {}
    facts: dict[str, Any] = {
        "model": str(value.get("model") or ""),
        "system_fingerprint": str(value.get("system_fingerprint") or ""),
        "usage": usage or {},
        "seconds": seconds,
        "http": 200,
    }
    if choice is None:
        blocked = (
            (value.get("promptFeedback") or value.get("prompt_feedback"))
            if isinstance(value, dict)
            else None
        )
        return (
            Outcome("refused", "the prompt was blocked", **facts)
            if blocked
            else again("a reply without a choice")
        )
    message: dict[str, Any] = choice["message"] if isinstance(choice.get("message"), dict) else {}
    finish = str(choice.get("finish_reason") or "")
    content = _content(message.get("content"))
    if message.get("refusal"):
        return Outcome(
            "refused",
            f"the model declined: {_words(str(message['refusal']))}",
            finish=finish,
            **facts,
        )
    if finish in ("content_filter", "SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII"):
        return Outcome(
            "refused",
            f"stopped by the content filter ({finish})",
            content=content,
            finish=finish,
            **facts,
        )
    if not content and finish != "length":
        return again("an empty reply")
    return Outcome("ok", content=content or "", finish=finish, **facts)


def _content(value: Any) -> str | None:
    if isinstance(value, list):  # parts, as some servers give them
        return "".join(str(part.get("text") or "") for part in value if isinstance(part, dict))
    return value if isinstance(value, str) else None


def _json_or_none(data: bytes) -> Any:
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return None


def _error_of(value: Any) -> dict[str, Any]:
    if isinstance(value, list) and value:  # Gemini's compatible endpoint sends an array
        value = value[0]
    if isinstance(value, dict):
        error = value.get("error", value)
        if isinstance(error, dict):
            return error
        return {"message": str(error)}
    return {}


def _words(text: str) -> str:
    """One line without control characters: messages of servers end up in rows and on terminals."""
    return re.sub(r"[\x00-\x1f\x7f-\x9f\s]+", " ", text).strip()[:300]


def wanted_dialect(dialect: Dialect, reason: str) -> Dialect | None:
    """The dialect to try next after a request was turned down with this reason; None when the
    reason is another.
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
    if dialect.webp and "webp" in text:
        return replace(dialect, webp=False)
    return None
