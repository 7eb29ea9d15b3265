"""A service that makes pictures over HTTP and misbehaves on demand: OpenAI's and Gemini's
interfaces on one socket.

What it does with a call is told by a word in the instruction (``fault:500``); how often it was
called, and what it billed, is counted by the idempotency key, as a service that knows such keys
would.
"""

from __future__ import annotations

import base64
import io
import re
import threading
from collections import Counter
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

import numpy as np
from PIL import Image
from tests.local_server import LocalServer

KEY = "sk-very-secret-0123"


def png(level: int = 90, size: tuple[int, int] = (40, 30)) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(np.full((size[1], size[0], 3), level, np.uint8)).save(buffer, "PNG")
    return buffer.getvalue()


def written(data: bytes, word: str) -> str:
    """Base64 as services write it: wrapped into lines, url-safe, unpadded, with a prefix."""
    text = base64.b64encode(data).decode()
    if word == "wrapped":
        return "\r\n".join(text[at : at + 76] for at in range(0, len(text), 76)) + "\n"
    if word == "url-safe":
        return base64.urlsafe_b64encode(data).decode()
    if word == "unpadded":
        return base64.urlsafe_b64encode(data).decode().rstrip("=")
    if word == "prefixed":
        return f"data:image/png;base64,{text}"
    return "not base64!" if word == "no-base64" else text


@dataclass
class FakeService(LocalServer):
    """Used as a context manager; `url` is its address."""

    calls: Counter[str] = field(default_factory=Counter)
    """By word of fault."""
    tries: Counter[str] = field(default_factory=Counter)
    """By idempotency key."""
    billed: Counter[str] = field(default_factory=Counter)
    """By idempotency key: 1 when a picture was made."""
    bodies: list[Any] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    under_way: int = 0
    most: int = 0

    def __post_init__(self) -> None:
        self.together = threading.Barrier(8)
        self.open()

    def post(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        fault = re.search(rb"fault:([\w-]+)", body)
        word = fault[1].decode() if fault else "none"
        key = handler.headers.get("Idempotency-Key", "")
        with self.lock:
            self.calls[word] += 1
            self.tries[key] += 1
            self.bodies.append(body)
            self.headers.append(dict(handler.headers))
            self.under_way += 1
            self.most = max(self.most, self.under_way)
        try:
            self.misbehave(handler, word, key)
        finally:
            with self.lock:
                self.under_way -= 1

    def get(self, handler: BaseHTTPRequestHandler) -> None:
        """A made picture, by its address: some addresses lead on to others."""
        self.headers.append(dict(handler.headers))
        name = handler.path.strip("/")
        onward = {
            "once": f"{self.url}/made.png",
            "relative": "made.png",
        }
        if name in onward:
            return self.raw(handler, 302, b"moved", "text/plain", {"Location": onward[name]})
        return self.raw(handler, 200, png(), "image/png")

    def misbehave(self, handler: BaseHTTPRequestHandler, word: str, key: str) -> None:
        native = ":generateContent" in handler.path
        if word == "always-500":
            return self.error(handler, 500, f"internal, key was {KEY}")
        if word == "refusal":
            if native:
                return self.reply(handler, {"promptFeedback": {"blockReason": "SAFETY"}})
            return self.error(
                handler,
                400,
                "Your request was rejected by the safety system.",
                code="moderation_blocked",
            )
        with self.lock:
            self.billed[key] = (
                1  # from here on a picture was made, whatever happens to it on the way
            )
        if word == "together":
            self.together.wait(30)  # answers only when as many calls are under way
        data = png()
        if word == "broken":
            data = data[: len(data) // 2]
        if word == "html":
            data = b"<html>an error page</html>"
        if word == "text":
            parts: list[Any] = [{"text": "I would rather talk."}]
        else:
            parts = [
                {"text": "Here it is."},
                {"inlineData": {"data": written(data, word)}},
            ]
        if native:
            usage = {"promptTokenCount": 300, "candidatesTokenCount": 1290, "totalTokenCount": 1590}
            usage["promptTokensDetails"] = [{"modality": "IMAGE", "tokenCount": 258}]  # type: ignore[assignment]
            candidate = {"content": {"parts": parts}, "finishReason": "STOP"}
            return self.reply(handler, {"candidates": [candidate], "usageMetadata": usage})
        entry: dict[str, str] = {"b64_json": written(data, word)}
        if word.startswith("url"):
            entry = {"url": f"{self.url}/{word.removeprefix('url').strip('-') or 'made.png'}"}
        if word == "text":
            return self.reply(handler, {"created": 1})
        usage = {
            "input_tokens": 300,
            "output_tokens": 1000,
            "input_tokens_details": {"image_tokens": 200, "text_tokens": 100},
        }
        return self.reply(handler, {"data": [entry], "usage": usage})

    def error(
        self,
        handler: BaseHTTPRequestHandler,
        status: int,
        message: str,
        code: str = "x",
        retry: str = "",
    ) -> None:
        told = {"error": {"message": message, "code": code}}
        self.send(handler, status, told, {"Retry-After": retry} if retry else None)

    def reply(self, handler: BaseHTTPRequestHandler, value: Any) -> None:
        self.send(handler, 200, value)
