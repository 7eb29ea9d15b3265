"""A provider of three shapes on one socket (jobs, chat with pictures, images/edits) that follows a
script: what goes wrong at which step of which sample, in order.

It keeps its own books: every picture that it makes is charged, also when the answer is lost on the
way, and asking twice makes two, unless `knows_keys`. The picture of a sample is its input with the
first pixel inverted, so that one at the wrong sample is seen.
"""

from __future__ import annotations

import base64
import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.editors.fake_jobs import KEY, marked, picture_in
from tests.local_server import LocalServer

COST = 0.04
"""US dollars of a picture."""
Script = Mapping[str, Sequence[str]]
"""Events by ``sample.step`` (``s0.ask``, ``s0.poll``, ``s0.fetch``), one a request; then all is
well."""


@dataclass
class FaultyProvider(LocalServer):
    """Used as a context manager; `url` is its address."""

    script: Script = field(default_factory=dict)
    knows_keys: bool = False
    asked: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    charged: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    """US dollars by sample."""
    pictures: dict[str, bytes] = field(default_factory=dict)
    owners: dict[str, str] = field(default_factory=dict)
    """By job: its sample."""
    keys: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.open()

    @property
    def total(self) -> float:
        """US dollars that the provider asks for."""
        return sum(self.charged.values())

    def event(self, step: str) -> str:
        with self.lock:
            number = self.asked[step]
            self.asked[step] += 1
        events = self.script.get(step, ())
        return events[number] if number < len(events) else "ok"

    # -- a call ------------------------------------------------------------------------------------

    def post(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        found = re.search(rb"sample:(\w+)", body)
        sample = found[1].decode() if found else "?"
        event = self.event(f"{sample}.ask")
        if KEY not in str(handler.headers):
            return self.send(handler, 401, {"error": {"message": "no key"}})
        if event.isdigit():  # nothing was made
            told = {"error": {"message": f"fault, key was {KEY}", "code": "x"}}
            return self.send(handler, int(event), told, {"Retry-After": "0.02"})
        if event == "refused":
            told = {"error": {"message": "by moderation", "code": "moderation_blocked"}}
            return self.send(handler, 400, told)
        job = self.new_job(sample, body, handler.headers.get("Idempotency-Key", ""))
        if event == "502-made":
            return self.send(handler, 502, {"error": "gateway"})
        if event == "cut":
            return self.cut(handler)
        if event == "html":
            return self.raw(handler, 200, b"<html>", "text/html")
        answer = json.dumps(self.answer(handler.path, job, sample, event)).encode()
        return self.raw(handler, 200, answer[: len(answer) // 2] if event == "half" else answer)

    def new_job(self, sample: str, body: bytes, key: str) -> str:
        with self.lock:
            if self.knows_keys and key in self.keys:
                return self.keys[key]
            job = f"job-{len(self.owners)}"
            self.keys[key] = job
            self.owners.setdefault(job, sample)
            self.pictures.setdefault(job, marked(picture_in(body)))
            self.charged[sample] += COST
            return job

    def answer(self, path: str, job: str, sample: str, event: str) -> dict[str, Any]:
        data = b"<html>" if event == "no-picture" else self.pictures[job]
        text = base64.b64encode(data).decode()
        if path.endswith("/chat/completions"):
            image = {"image_url": {"url": f"data:image/png;base64,{text}"}}
            if event == "address":
                image = {"image_url": {"url": f"{self.url}/picture/{job}"}}
            return {
                "choices": [{"message": {"content": "Here.", "images": [image]}}],
                "usage": {"cost": COST},
            }
        if event == "error":
            return {"error": {"message": "by moderation", "code": "moderation_blocked"}}
        if path.endswith("/images/edits"):
            entry = {"url": f"{self.url}/picture/{job}"} if event == "address" else {}
            return {"data": [entry or {"b64_json": text}]}
        return {"id": job, "polling_url": f"{self.url}/poll/{job}"}

    # -- a job, and a picture ----------------------------------------------------------------------

    def get(self, handler: BaseHTTPRequestHandler) -> None:
        kind, _, job = handler.path.strip("/").rpartition("/")
        sample = self.owners[job]
        if kind == "picture":
            assert KEY not in str(handler.headers), "the key goes with no picture"
            return self.hand_out(handler, self.event(f"{sample}.fetch"), self.pictures[job])
        event = self.event(f"{sample}.poll")
        if event.isdigit():
            return self.send(handler, int(event), {"error": "x"}, {"Retry-After": "0.02"})
        if event == "cut":
            return self.cut(handler)
        if event == "html":
            return self.raw(handler, 200, b"<html>", "text/html")
        if event == "wait":
            return self.send(handler, 200, {"id": job, "status": "Pending"})
        if event == "empty":
            return self.raw(handler, 204, b"")
        if event == "failed":
            self.charged[sample] -= COST  # it says so: no picture, no charge
            return self.send(handler, 200, {"status": "Error", "details": "no", "cost": 0})
        told_of = next(iter(self.owners)) if event == "another" else job
        result = {"sample": f"{self.url}/picture/{told_of}"} if event != "hollow" else None
        told = {"id": told_of, "status": "Ready", "result": result, "cost": COST * 100}
        return self.send(handler, 200, told)

    def hand_out(self, handler: BaseHTTPRequestHandler, event: str, data: bytes) -> None:
        if event.isdigit():
            return self.raw(handler, int(event), b"no", "text/plain")
        if event == "cut":
            return self.cut(handler)
        if event == "short":
            handler.send_response(200)
            handler.send_header("Content-Length", str(len(data)))
            handler.end_headers()
            handler.wfile.write(data[: len(data) // 2])
            handler.close_connection = True
            return None
        made = {"html": b"<html>", "empty": b""}.get(event, data)
        return self.raw(handler, 200, made, "image/png")
