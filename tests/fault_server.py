"""A judge's server that breaks on command: real sockets, scripted faults."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

Answer = Callable[[dict[str, Any]], str]
"""Makes the content of a reply from the request's body."""
_FORM = re.compile(r"nothing behind it: (\{.*\})")
_SEEN = "<true if you see every picture, else false>"
_SCALE = re.compile(r"<(\d+)-(\d+)>")
_PAPERS = {
    **dict.fromkeys(("IF", "TA", "VC", "LP", "SE"), (0, 5)),
    **{f"{name}_score": (1, 5) for name in ("consistency", "instruction", "quality", "knowledge")},
}
"""Keys that the papers' prompts show in quotes -> their scale."""
_USAGE = {
    "prompt_tokens": 1000,
    "completion_tokens": 50,
    "total_tokens": 1050,
    "prompt_tokens_details": {"cached_tokens": 100},
}


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
        if form := _FORM.search(words):  # our own line: its places are filled in
            text = form[1].replace("<text>", "scripted").replace(_SEEN, "true")
            return _SCALE.sub(
                lambda at: str(self._number(words, at[0], int(at[1]), int(at[2]))), text
            )
        return self._paper(words)

    def _paper(self, words: str) -> str:
        keys = {key: scale for key, scale in _PAPERS.items() if f'"{key}"' in words}
        if keys:
            numbers = {key: self._number(words, key, *scale) for key, scale in keys.items()}
            return json.dumps({"reasoning": "scripted", "rationale": "scripted", **numbers})
        if '"Q1"' in words:
            scores = {f"Q{i}": self._number(words, f"Q{i}", 1, 5) for i in range(1, 6)}
            return json.dumps({"reason": "scripted", "score": scores})
        names = ("Editing Accuracy", "Contextual Preservation", "Visual Quality")
        lines = [f"{name}: {self._number(words, name, 0, 10)}/10, scripted" for name in names]
        return "\n".join(["Step 1. No difference was looked for.", *lines])

    def _fill(self, schema: Mapping[str, Any], words: str, name: str) -> Any:
        kind = schema.get("type")
        if kind == "object":
            return {key: self._fill(part, words, key) for key, part in schema["properties"].items()}
        if kind == "array":
            parts = range(int(schema.get("minItems", 1)))
            return [self._fill(schema["items"], words, f"{name}{part}") for part in parts]
        if kind in ("boolean", "string"):
            return True if kind == "boolean" else "scripted"
        scale = schema.get("enum") or [schema.get("minimum", 1), schema.get("maximum", 5)]
        return self._number(words, name, int(min(scale)), int(max(scale)))

    def _number(self, words: str, name: str, low: int, high: int) -> int:
        if self.score is not None:
            return min(max(self.score, low), high)
        mark = hashlib.blake2b((name + words).encode(), digest_size=4).digest()
        return low + mark[0] % (high - low + 1)


def _parts(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The parts of all messages of a request."""
    contents = [message.get("content") for message in body.get("messages", ())]
    return [
        part if isinstance(part, dict) else {"text": part}
        for content in contents
        for part in (content if isinstance(content, list) else [content])
    ]


def request_words(body: Mapping[str, Any]) -> str:
    """All text of a request's messages; pictures count as the hash of their bytes."""
    pictures = [part.get("image_url", {}).get("url", "") for part in _parts(body)]
    marks = [hashlib.blake2b(url.encode(), digest_size=8).hexdigest() for url in pictures]
    texts = [str(part.get("text") or "") for part in _parts(body)]
    return "\n".join(
        mark if url else text for url, mark, text in zip(pictures, marks, texts, strict=True)
    )


def request_pictures(body: Mapping[str, Any]) -> list[bytes]:
    """The files that a request carries, in order."""
    urls = [part["image_url"]["url"] for part in _parts(body) if "image_url" in part]
    return [base64.b64decode(url.partition(",")[2]) for url in urls]


class FaultServer:
    """An OpenAI-compatible server on 127.0.0.1 that does what its script says, one word a request,
    then ``ok``.

    Words: ``ok`` · ``429`` or ``429:2`` (Retry-After) · any other HTTP status · ``slow:3``
    (seconds) · ``cut`` (in the middle of the body) · ``drip:0.1`` (a byte, then that pause) ·
    ``drop`` (before any byte) · ``truncated`` (JSON that ends early) · ``empty`` · ``null`` (no
    choices) · ``html`` · ``length`` (cut off by its limit) · ``quota`` · ``huge``
    (100 MB). The script may be a
    function of the request's number that gives such a word.

    With `keep` False bodies are counted and thrown away (for timings). `bodies` keeps requests.
    """

    def __init__(
        self,
        script: Iterable[str] | Callable[[int], str] = (),
        *,
        answer: Answer | None = None,
        model: str = "scripted-2026-01-01",
        latency: float = 0.0,
        keep: bool = True,
    ) -> None:
        self.script = script if callable(script) else iter(tuple(script))
        self.answer = answer or ScriptedJudge()
        self.model, self.latency, self.keep = model, latency, keep
        self.bodies: list[dict[str, Any]] = []
        self.requests = 0
        self._lock = threading.Lock()
        self.url = ""
        self._server: _Server | None = None

    def word(self) -> str:
        """What to do with the next request."""
        with self._lock:
            self.requests += 1
            if callable(self.script):
                return self.script(self.requests) or "ok"
            return next(self.script, "ok")

    def completion(self, kind: str, request: dict[str, Any]) -> dict[str, Any]:
        """A chat completion, or one that is broken in the way of the word `kind`."""
        content = (
            self.answer(request)
            if self.keep
            else '{"pictures_visible": true, "rationale": "", "IF": 3}'
        )
        if kind in ("empty", "length"):
            content = content[: len(content) // 2] if kind == "length" else ""
        finish = "length" if kind == "length" else "stop"
        message = {"role": "assistant", "content": content}
        choice = {"index": 0, "message": message, "finish_reason": finish}
        return {
            "object": "chat.completion",
            "model": self.model,
            "system_fingerprint": "fp_scripted",
            "choices": None if kind == "null" else [choice],
            "usage": _USAGE,
        }

    def __enter__(self) -> Self:
        self._server = made = _Server(("127.0.0.1", 0), _Handler)
        made.owner = self
        self.url = f"http://127.0.0.1:{made.server_port}/v1"
        threading.Thread(target=made.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *ended: object) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 256
    owner: FaultServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Nothing: a client that goes away is part of the script."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def log_message(self, *args: Any) -> None:
        pass

    def do_POST(self) -> None:
        owner = self.server.owner
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        kind, _, value = owner.word().partition(":")
        with owner._lock:
            request = json.loads(body) if owner.keep else {}
            owner.bodies += [request] if owner.keep else []
        time.sleep(float(value) if kind == "slow" else owner.latency)
        try:
            self.act(kind, value, request)
        except OSError:
            self.close_connection = True

    def act(self, kind: str, value: str, request: dict[str, Any]) -> None:
        if kind.isdigit() or kind == "quota":
            told = {"message": f"scripted {kind}", "code": "insufficient_quota"}
            error = {"error": told if kind == "quota" else {"message": told["message"]}}
            more = {"Retry-After": value} if value else {}
            status = 429 if kind == "quota" else int(kind)
            self.send(status, json.dumps(error).encode(), more)
        elif kind == "html":
            self.send(200, b"<html><body>Bad gateway. Score: 4/5</body></html>")
        elif kind == "drop":
            self.abort()
        elif kind == "huge":
            self.head(200, 100 << 20)
            for _ in range(99):
                self.wfile.write(bytes(1 << 20))
            self.abort()
        else:
            self.complete(kind, value, json.dumps(self.server.owner.completion(kind, request)))

    def complete(self, kind: str, value: str, text: str) -> None:
        data = text.encode()
        if kind == "truncated":
            data = data[: len(data) // 2]
        if kind not in ("cut", "drip"):
            self.send(200, data)
            return
        self.head(200, len(data))
        if kind == "cut":
            self.wfile.write(data[: len(data) // 2])
            self.abort()
        for byte in data if kind == "drip" else b"":
            self.wfile.write(bytes([byte]))
            time.sleep(float(value or 0.1))

    def send(self, status: int, data: bytes, headers: Mapping[str, str] | None = None) -> None:
        self.head(status, len(data), headers)
        self.wfile.write(data)

    def head(self, status: int, length: int, headers: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {**(headers or {}), "Content-Length": str(length)}.items():
            self.send_header(name, value)
        self.end_headers()

    def abort(self) -> None:
        """Cut the connection."""
        self.wfile.flush()
        linger = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.connection.close()
        self.close_connection = True
