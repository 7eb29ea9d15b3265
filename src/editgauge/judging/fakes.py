"""A judge's server that breaks on command: real sockets, scripted faults, token buckets. For tests
and trials only.

Raw asyncio without any HTTP library, so that it can do what no decent server does: cut a connection
in the middle of a body, drip, lie about lengths. It runs on a thread of its own and counts what it
was asked.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

Answer = Callable[[dict[str, Any]], str]
"""Makes the content of a reply from the request's body."""


@dataclass(frozen=True, slots=True)
class ScriptedJudge:
    """Answers every call in the form that its request asks for, deterministically.

    With `score` every number is that one (moved into its range); without, numbers follow from a
    hash of the request, so that the same call always gets the same ones. Without a schema in the
    request the form is read from its words: our own line, or a paper's example. `replies` come
    first, one a call, whatever was asked.
    """

    score: int | None = None
    replies: tuple[str, ...] = ()
    used: list[int] = field(default_factory=lambda: [0], repr=False)

    def __call__(self, body: dict[str, Any]) -> str:
        if self.used[0] < len(self.replies):
            self.used[0] += 1
            return self.replies[self.used[0] - 1]
        asked = body.get("response_format", {})
        schema = asked.get("json_schema", asked).get("schema") or body.get("guided_json")
        words = request_words(body)
        if schema:
            return json.dumps(self._fill(schema, words, ""))
        if form := _FORM.search(words):
            return self._filled(form[1], words)
        names = [name for name in ("IF", "TA", "VC", "LP", "SE") if f'"{name}"' in words]
        names += [
            f"{n}_score"
            for n in ("consistency", "instruction", "quality", "knowledge")
            if f'"{n}_score"' in words
        ]
        if names:
            numbers = {name: self._number(words, name, 1, 5) for name in names}
            return json.dumps({"reasoning": "scripted", "rationale": "scripted", **numbers})
        if '"Q1"' in words:
            return json.dumps(
                {
                    "reason": "scripted",
                    "score": {f"Q{i}": self._number(words, f"Q{i}", 1, 5) for i in range(1, 6)},
                }
            )
        lines = [
            f"{name}: {self._number(words, name, 0, 10)}/10, scripted"
            for name in ("Editing Accuracy", "Visual Quality", "Contextual Preservation")
        ]
        return "Step 1. No difference was looked for.\n" + "\n".join(lines)

    def _fill(self, schema: Mapping[str, Any], words: str, name: str) -> Any:
        kind = schema.get("type")
        if kind == "boolean":
            return True
        if kind == "object":
            return {key: self._fill(part, words, key) for key, part in schema["properties"].items()}
        if kind == "string":
            return "scripted"
        if kind == "array":
            parts = range(int(schema.get("minItems", 1)))
            return [self._fill(schema["items"], words, f"{name}{part}") for part in parts]
        scale = schema.get("enum") or [schema.get("minimum", 1), schema.get("maximum", 5)]
        return self._number(words, name, int(min(scale)), int(max(scale)))

    def _filled(self, form: str, words: str) -> str:
        """The form of our own prompts with its places filled in."""
        text = form.replace("<text>", "scripted").replace(_SEEN, "true")
        return _SCALE.sub(
            lambda match: str(self._number(words, match[0], int(match[1]), int(match[2]))), text
        )

    def _number(self, words: str, name: str, low: int, high: int) -> int:
        if self.score is not None:
            return min(max(self.score, low), high)
        return low + hashlib.blake2b((name + words).encode(), digest_size=4).digest()[0] % (
            high - low + 1
        )


_FORM = re.compile(r"nothing behind it: (\{.*\})")
_SEEN = "<true if you see every picture, else false>"
_SCALE = re.compile(r"<(\d+)-(\d+)>")


def request_words(body: Mapping[str, Any]) -> str:
    """All text of a request's messages; pictures count as the hash of their bytes."""
    found = []
    for message in body.get("messages", ()):
        content = message.get("content")
        for part in content if isinstance(content, list) else [{"text": content}]:
            url = part.get("image_url", {}).get("url", "") if isinstance(part, dict) else ""
            found.append(
                hashlib.blake2b(url.encode(), digest_size=8).hexdigest()
                if url
                else str(part.get("text") or "")
            )
    return "\n".join(found)


def request_pictures(body: Mapping[str, Any]) -> list[bytes]:
    """The files that a request carries, in order."""
    return [
        base64.b64decode(part["image_url"]["url"].partition(",")[2])
        for message in body.get("messages", ())
        if isinstance(message.get("content"), list)
        for part in message["content"]
        if "image_url" in part
    ]


class FaultServer:
    """An OpenAI-compatible server on 127.0.0.1 that does what its script says, one word a request,
    then ``ok``.

    Words: ``ok`` · ``429`` or ``429:2`` (Retry-After) · ``500`` ``503`` ``400`` ``401`` ``404`` ·
    ``slow:3`` (seconds) · ``cut`` (in the middle of the body) · ``drop`` (before any byte) ·
    ``drip:0.1`` (a byte, then that pause) · ``truncated`` (JSON that ends early) · ``empty`` ·
    ``null`` (no choices) · ``refusal`` · ``filter`` · ``html`` · ``huge`` (100 MB) · ``length``
    (cut off by its limit) · ``quota`` · ``noschema`` (400 while a schema is asked for) ·
    ``model:NAME`` (another model answers). A word may be a function of the request's number giving
    such a word.

    `bucket` is (requests a second, capacity): above it comes 429, with Retry-After when
    `retry_after` is given. With `keep` False bodies are counted and thrown away (for timings).
    `seen` counts words; `bodies` keeps requests. Batches (``/files``, ``/batches``) end at once
    with `batch_status`; the script's words ``ok``, ``filter`` and any other (500) go to their
    lines.
    """

    def __init__(
        self,
        script: Iterable[str] | Callable[[int], str] = (),
        *,
        answer: Answer | None = None,
        model: str = "scripted-2026-01-01",
        latency: float = 0.0,
        bucket: tuple[float, float] | None = None,
        retry_after: float | None = None,
        keep: bool = True,
        port: int = 0,
    ) -> None:
        self.script = script if callable(script) else iter(tuple(script))
        self.answer = answer or ScriptedJudge()
        self.model, self.latency, self.keep = model, latency, keep
        self.retry_after = retry_after
        self.bodies: list[dict[str, Any]] = []
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, str] = {}
        self.batch_status = "completed"
        self.seen: Counter[str] = Counter()
        self.requests = 0
        self.open_requests = 0
        self.peak = 0
        self.url = ""
        self._bucket = bucket
        self._tokens = bucket[1] if bucket else 0.0
        self._filled = time.monotonic()
        self._port = port
        self.connections: set[asyncio.Transport] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._ready = threading.Event()

    def word(self) -> str:
        """What to do with the next request."""
        self.requests += 1
        if self._bucket is not None:
            now = time.monotonic()
            self._tokens = min(
                self._bucket[1], self._tokens + (now - self._filled) * self._bucket[0]
            )
            self._filled = now
            if self._tokens < 1:
                return "429" if self.retry_after is None else f"429:{self.retry_after}"
            self._tokens -= 1
        word = self.script(self.requests) if callable(self.script) else next(self.script, "ok")
        return word or "ok"

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        if not self._ready.wait(10):
            raise RuntimeError("the fault server did not start within 10 s")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)
        if self._thread is not None:
            self._thread.join(10)

    def _serve(self) -> None:
        loop = self._loop = asyncio.new_event_loop()
        server = loop.run_until_complete(
            loop.create_server(lambda: _Connection(self), "127.0.0.1", self._port)
        )
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        self._ready.set()
        try:
            loop.run_forever()
        finally:
            server.close()
            for transport in list(self.connections):
                transport.abort()
            loop.run_until_complete(_cancel_all())
            loop.close()


async def _cancel_all() -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await asyncio.sleep(0)


class _Connection(asyncio.Protocol):
    """One connection: requests one after the other, bodies by length or in chunks."""

    def __init__(self, server: FaultServer) -> None:
        self.server = server
        self.head = bytearray()
        self.body: list[bytes] = []
        self.left = -1
        self.path = ""
        self.tasks: set[asyncio.Task[None]] = set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.server.connections.add(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self.server.connections.discard(self.transport)
        for task in self.tasks:
            task.cancel()

    def data_received(self, data: bytes) -> None:
        if self.left < 0:
            self.head += data
            end = self.head.find(b"\r\n\r\n")
            if end < 0:
                return
            head = bytes(self.head[:end]).decode("latin-1")
            data = bytes(self.head[end + 4 :])
            self.head.clear()
            self.path = head.split(" ", 2)[1]
            lengths = [
                line.split(":")[1]
                for line in head.lower().split("\r\n")
                if line.startswith("content-length:")
            ]
            self.left = int(lengths[0]) if lengths else 0
        self.left -= len(data)
        if self.server.keep:
            self.body.append(data)
        if self.left <= 0:
            body, self.body, self.left = b"".join(self.body), [], -1
            task = asyncio.get_running_loop().create_task(self.respond(self.path, body))
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)

    async def respond(self, path: str, body: bytes) -> None:
        server = self.server
        if not path.endswith("/chat/completions"):
            self.batch(path, body)
            return
        word = server.word()
        kind, _, value = word.partition(":")
        server.seen[kind] += 1
        server.open_requests += 1
        server.peak = max(server.peak, server.open_requests)
        try:
            request = json.loads(body) if server.keep and body else {}
            if server.keep:
                server.bodies.append(request)
            await asyncio.sleep(float(value) if kind == "slow" else server.latency)
            await self.act(kind, value, request)
        finally:
            server.open_requests -= 1

    def batch(self, path: str, body: bytes) -> None:
        """OpenAI's pages for batches: files up, a batch made of one (done at once), its results
        down.
        """
        server, name = self.server, path.rpartition("/v1/")[2]
        if name == "files" and body:
            lines = (
                body.partition(b'filename="')[2].partition(b"\r\n\r\n")[2].partition(b"\r\n--")[0]
            )
            server.files[f"file-{len(server.files)}"] = lines
            self.send(200, {"id": f"file-{len(server.files) - 1}", "object": "file"})
        elif name == "batches" and body:
            number = f"batch-{len(server.batches)}"
            server.batches[number] = json.loads(body)["input_file_id"]
            self.send(200, {"id": number, "status": "in_progress"})
        elif name in [f"batches/{number}" for number in server.batches]:
            done = {
                "id": name[8:],
                "status": server.batch_status,
                "output_file_id": f"out-{server.batches[name[8:]]}",
            }
            self.send(
                200,
                done if server.batch_status == "completed" else {**done, "output_file_id": None},
            )
        elif name.startswith("files/out-"):
            self.raw(200, b"\n".join(self.batch_lines(server.files[name[10:].partition("/")[0]])))
        else:
            self.send(404, {"error": {"message": "no such page"}})

    def batch_lines(self, data: bytes) -> Iterable[bytes]:
        for line in filter(None, data.splitlines()):
            entry = json.loads(line)
            word = self.server.word()
            message = {"role": "assistant", "content": self.server.answer(entry["body"])}
            usage = {"prompt_tokens": 1000, "completion_tokens": 50, "total_tokens": 1050}
            choices = [
                {
                    "message": message,
                    "finish_reason": "content_filter" if word == "filter" else "stop",
                }
            ]
            body = {"model": self.server.model, "choices": choices, "usage": usage}
            status = 200 if word in ("ok", "filter") else 500
            response = {
                "status_code": status,
                "body": body if status == 200 else {"error": {"message": "scripted"}},
            }
            yield json.dumps(
                {"custom_id": entry["custom_id"], "response": response, "error": None}
            ).encode()

    async def act(self, kind: str, value: str, request: dict[str, Any]) -> None:
        if kind == "noschema":
            if "response_format" in request:
                self.send(
                    400,
                    {
                        "error": {
                            "message": "response_format json_schema is not supported by this server"
                        }
                    },
                )
                return
            kind = "ok"
        if kind in ("429", "500", "503", "400", "401", "404"):
            headers = {"Retry-After": value} if value else {}
            self.send(int(kind), {"error": {"message": f"scripted {kind}"}}, headers)
        elif kind == "quota":
            self.send(429, {"error": {"message": "you have run out", "code": "insufficient_quota"}})
        elif kind == "html":
            self.raw(200, b"<html><body>Bad gateway. Score: 4/5</body></html>", "text/html")
        elif kind == "drop":
            self.transport.abort()
        elif kind == "huge":
            await self.huge()
        else:
            await self.completion(kind, value, request)

    async def completion(self, kind: str, value: str, request: dict[str, Any]) -> None:
        try:
            content: str | None = (
                self.server.answer(request) if self.server.keep else '{"rationale": "", "IF": 3}'
            )
        except Exception as error:  # a fault of the script: told, and not asked again for minutes
            self.send(400, {"error": {"message": f"the script of this server failed: {error!r}"}})
            return
        message: dict[str, Any] = {"role": "assistant", "content": content}
        finish = {"length": "length", "filter": "content_filter"}.get(kind, "stop")
        if kind in ("empty", "filter"):
            message["content"] = ""
        if kind == "length":
            message["content"] = (content or "")[: max(1, len(content or "") // 2)]
        if kind == "refusal":
            message = {
                "role": "assistant",
                "content": None,
                "refusal": "I will not look at this picture.",
            }
        reply = {
            "id": "chatcmpl-scripted",
            "object": "chat.completion",
            "model": value if kind == "model" else self.server.model,
            "system_fingerprint": "fp_scripted",
            "choices": None
            if kind == "null"
            else [{"index": 0, "message": message, "finish_reason": finish}],
            "usage": {
                "prompt_tokens": 1000,
                "completion_tokens": 50,
                "total_tokens": 1050,
                "prompt_tokens_details": {"cached_tokens": 100},
            },
        }
        data = json.dumps(reply).encode()
        if kind == "truncated":
            self.raw(200, data[: len(data) // 2])
        elif kind == "cut":
            self.raw(200, data[: len(data) // 2], length=len(data))
            self.transport.abort()
        elif kind == "drip":
            self.raw(200, b"", length=len(data))
            for byte in data:
                self.transport.write(bytes([byte]))
                await asyncio.sleep(float(value or 0.1))
        else:
            self.raw(200, data)

    async def huge(self) -> None:
        self.raw(200, b'{"choices": "', length=100 << 20)
        piece = b"x" * (1 << 20)
        for _ in range(99):
            if self.transport.is_closing():
                return
            self.transport.write(piece)
            while (
                self.transport.get_write_buffer_size() > 4 << 20 and not self.transport.is_closing()
            ):
                await asyncio.sleep(0.005)

    def send(self, status: int, value: Any, headers: Mapping[str, str] | None = None) -> None:
        self.raw(status, json.dumps(value).encode(), headers=headers)

    def raw(
        self,
        status: int,
        data: bytes,
        kind: str = "application/json",
        *,
        length: int | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        more = "".join(f"{name}: {value}\r\n" for name, value in (headers or {}).items())
        size = len(data) if length is None else length
        head = (
            f"HTTP/1.1 {status} Scripted\r\nContent-Type: {kind}\r\nContent-Length: "
            f"{size}\r\n{more}\r\n"
        )
        self.transport.write(head.encode() + data)
