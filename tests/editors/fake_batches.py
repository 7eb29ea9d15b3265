"""A service of OpenAI's batches of image edits that misbehaves on demand: files up, batches made of
them, their results.

The words of an instruction say what comes of its line (``fault:line-500``); what happens to the
service's own pages is told by `faults`. The picture of a call is its input with the first pixel
inverted; each is billed once, at half the tokens' price.
"""

from __future__ import annotations

import base64
import json
import re
from collections import Counter
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.editors.fake_jobs import marked
from tests.editors.fake_service import FakeService

USAGE = {
    "input_tokens": 300,
    "output_tokens": 1000,
    "input_tokens_details": {"image_tokens": 200, "text_tokens": 100},
}
COST = round(0.5 * (100 * 5 + 200 * 10 + 1000 * 40) / 1e6, 6)
"""US dollars of `USAGE` in a batch of gpt-image-1, by hand from its list price."""


@dataclass
class FakeBatches(FakeService):
    """Used as a context manager; `url` is its address."""

    faults: Counter[str] = field(default_factory=Counter)
    """How often a page still fails: ``files``, ``batches``, ``cut`` (made, the answer lost),
    ``list``, ``state``, ``content``."""
    state: str = "completed"
    uploads: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    made: dict[str, dict[str, Any]] = field(default_factory=dict)
    shuffled: bool = True

    def post(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        self.page(handler, body)

    def get(self, handler: BaseHTTPRequestHandler) -> None:
        self.page(handler, b"")

    def page(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        path = handler.path.partition("?")[0].strip("/")
        if path == "files":
            self.upload(handler, body)
        elif path == "batches" and body:
            self.make(handler, json.loads(body))
        elif path == "batches":
            if not self.failing(handler, "list"):
                self.reply(handler, {"data": list(self.made.values())})
        elif path.startswith("batches/"):
            if not self.failing(handler, "state"):
                self.reply(handler, {**self.made[path[8:]], "status": self.state})
        elif path.endswith("/content"):
            if not self.failing(handler, "content"):
                lines = self.results(path.split("/")[1])
                self.raw(handler, 200, lines, "application/jsonl")
        else:
            self.error(handler, 404, "no such page")

    def failing(self, handler: BaseHTTPRequestHandler, word: str) -> bool:
        if self.faults[word] <= 0:
            return False
        self.faults[word] -= 1
        self.error(handler, 500, "internal")
        return True

    def upload(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        if self.failing(handler, "files"):
            return
        lines = [line for line in body.splitlines() if line.startswith(b'{"custom_id"')]
        number = f"file-{len(self.uploads)}"
        self.uploads[number] = [json.loads(line) for line in lines]
        self.reply(handler, {"id": number, "object": "file"})

    def make(self, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        if self.failing(handler, "batches"):
            return
        number = f"batch_{len(self.made)}"
        self.made[number] = {
            "id": number,
            "metadata": body.get("metadata"),
            "endpoint": body["endpoint"],
            "output_file_id": body["input_file_id"].replace("file", "out"),
            "error_file_id": None,
        }
        if self.faults["cut"] > 0:
            self.faults["cut"] -= 1
            self.cut(handler)
            return
        self.reply(handler, self.made[number])

    def results(self, number: str) -> bytes:
        if self.state != "completed":
            return b""
        lines = [self.result(line) for line in self.uploads[number.replace("out", "file")]]
        found = [line for line in (reversed(lines) if self.shuffled else lines) if line]
        return b"\n".join([*found, b"", b"no JSON at all"])

    def result(self, line: dict[str, Any]) -> bytes:
        body, key = line["body"], line["custom_id"]
        word = found[1] if (found := re.search(r"fault:([\w-]+)", body["prompt"])) else "none"
        if word == "line-lost":
            return b""
        if word == "line-error":
            return json.dumps({"custom_id": key, "error": {"message": "expired"}}).encode()
        if word == "line-500":
            return self.line(key, 500, {"error": {"message": "internal"}})
        if word == "line-refused":
            told = {"message": "rejected by the safety system", "code": "moderation_blocked"}
            return self.line(key, 400, {"error": told})
        if word == "line-400":
            return self.line(key, 400, {"error": {"message": "wrong field", "code": "x"}})
        self.billed[key] = 1
        data = base64.b64decode(body["images"][0]["image_url"].partition(",")[2])
        written = base64.b64encode(marked(data)).decode()
        if word == "line-html":
            written = base64.b64encode(b"<html>").decode()
        usage = {} if word == "line-no-usage" else {"usage": USAGE}
        return self.line(key, 200, {"data": [{"b64_json": written}], **usage})

    def line(self, key: str, status: int, body: Any) -> bytes:
        return json.dumps(
            {"custom_id": key, "response": {"status_code": status, "body": body}, "error": None}
        ).encode()
