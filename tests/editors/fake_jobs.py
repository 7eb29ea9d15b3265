"""Services by jobs and by chat that misbehave on demand: the shapes of BFL, fal, Replicate,
DashScope, Ideogram and OpenRouter on one socket.

What happens to a call is told by a word in its instruction (``fault:submit-500``). The picture of a
job is the input with its first pixel inverted, so that a picture at the wrong sample is seen. Every
job that was accepted and not moderated is billed, once.
"""

from __future__ import annotations

import base64
import io
import re
from collections import Counter
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

import numpy as np
from PIL import Image
from tests.local_server import LocalServer

KEY = "sk-job-secret-4567"
COST = 0.045


def marked(data: bytes) -> bytes:
    """The picture with its first pixel inverted."""
    pixels = np.asarray(Image.open(io.BytesIO(data)).convert("RGB")).copy()
    pixels[0, 0] ^= 255
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG")
    return buffer.getvalue()


@dataclass
class Job:
    word: str
    picture: bytes
    asked: int = 0


@dataclass
class FakeJobs(LocalServer):
    """Used as a context manager; `url` is its address, `shape` the service that it plays."""

    shape: str = "bfl"
    calls: Counter[str] = field(default_factory=Counter)
    """Submissions by word of fault."""
    jobs: dict[str, Job] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    """Idempotency key -> job: a service that knows such keys makes one job of them."""
    billed: Counter[str] = field(default_factory=Counter)
    """By job."""
    bodies: list[bytes] = field(default_factory=list)
    fetched: list[dict[str, str]] = field(default_factory=list)
    """Headers of requests for pictures."""

    def __post_init__(self) -> None:
        self.open()

    # -- submitting --------------------------------------------------------------------------------

    def post(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        found = re.search(rb"fault:([\w-]+)", body)
        word = found[1].decode() if found else "none"
        with self.lock:
            self.calls[word] += 1
            attempt = self.calls[word]
            self.bodies.append(body)
        if KEY not in str(handler.headers):
            return self.send(handler, 401, {"error": "no key"})
        if self.faulty_submission(handler, word, attempt):
            return None
        key = handler.headers.get("Idempotency-Key", "")
        with self.lock:
            number = self.keys.get(key) or f"job-{len(self.jobs) + 1}"
            self.keys[key] = number
            if number not in self.jobs:
                self.jobs[number] = Job(word, marked(picture_in(body)))
                moderated = word in ("moderated", "refused-late")
                self.billed[number] = 0 if moderated or word.startswith("job-failed") else 1
        if word == "submit-cut" and attempt == 1:  # the job is there, its number gets lost
            return self.cut(handler)
        if self.shape == "chat":
            return self.send(handler, 200, self.said(word, self.jobs[number].picture))
        if word == "submit-empty":
            return self.send(handler, 200, {})
        if word == "strange-host":
            return self.send(handler, 200, self.accepted(number, "http://192.0.2.1"))
        return self.send(handler, 201, self.accepted(number, self.url))

    def faulty_submission(self, handler: BaseHTTPRequestHandler, word: str, attempt: int) -> bool:
        """Whether the call ended here."""
        told = {
            "submit-400": (400, {"error": {"message": "wrong field", "code": "invalid"}}),
            "submit-422": (422, {"detail": [{"msg": f"bad input, key {KEY}"}]}),
            "submit-moderated": (400, {"error": {"message": "flagged by moderation"}}),
            "submit-moderated-by-code": (
                400,
                {"error": {"message": "blocked", "code": "moderation_blocked"}},
            ),
            "submit-always-500": (500, {"error": "down"}),
        }
        if word in told:
            self.send(handler, *told[word])
            return True
        passing = {"submit-500": 500, "submit-429": 429}
        if word in passing and attempt == 1:
            self.send(handler, passing[word], {"error": "later"}, {"Retry-After": "0.05"})
            return True
        if word == "submit-html" and attempt == 1:
            self.raw(handler, 200, b"<html>", "text/html")
            return True
        return False

    def accepted(self, number: str, url: str) -> dict[str, Any]:
        shapes: dict[str, dict[str, Any]] = {
            "bfl": {"id": number, "polling_url": f"{url}/poll/{number}"},
            "fal": {
                "request_id": number,
                "status": "IN_QUEUE",
                "status_url": f"{url}/poll/{number}",
                "response_url": f"{url}/result/{number}",
            },
            "replicate": {
                "id": number,
                "status": "starting",
                "urls": {"get": f"{url}/poll/{number}", "cancel": f"{url}/cancel"},
            },
            "dashscope": {"output": {"task_id": number, "task_status": "PENDING"}},
            "ideogram": {"generation_id": number, "status": "pending"},
        }
        return shapes[self.shape]

    # -- asking and fetching -----------------------------------------------------------------------

    def get(self, handler: BaseHTTPRequestHandler) -> None:
        kind, _, number = handler.path.strip("/").rpartition("/")
        if kind in ("picture", "moved"):
            return self.hand_out(handler, kind, number)
        if KEY not in str(handler.headers):
            return self.send(handler, 401, {"error": "no key"})
        job = self.jobs[number]
        with self.lock:
            job.asked += 1
        if kind == "result":
            if job.word == "result-500" and job.asked == 3:
                return self.send(handler, 500, {"error": "later"})
            return self.send(handler, 200, self.finished(number, job))
        return self.state(handler, number, job)

    def state(self, handler: BaseHTTPRequestHandler, number: str, job: Job) -> None:
        if job.asked == 1 and job.word == "poll-429":
            return self.send(handler, 429, {"error": "x"}, {"Retry-After": "0.05"})
        if job.word == "poll-404":
            return self.send(handler, 404, {"error": "Task not found"})
        if job.word == "never" or job.asked == 1 or (job.word == "slow" and job.asked < 6):
            return self.send(handler, 200, self.stated(self.words()[0], number))
        if job.word == "moderated" and self.shape == "bfl":
            return self.send(handler, 200, self.stated("Content Moderated", number))
        if job.word.startswith("job-failed"):
            told = self.stated(self.words()[2], number)
            return self.send(handler, 200, self.explained(told, job.word))
        if self.shape == "fal":
            return self.send(handler, 200, self.stated("COMPLETED", number))
        return self.send(handler, 200, self.finished(number, job))

    def words(self) -> tuple[str, str, str]:
        """The service's words for waiting, done and failed."""
        return {
            "bfl": ("Pending", "Ready", "Error"),
            "fal": ("IN_PROGRESS", "COMPLETED", "FAILED"),
            "replicate": ("processing", "succeeded", "failed"),
            "dashscope": ("RUNNING", "SUCCEEDED", "FAILED"),
            "ideogram": ("pending", "completed", "failed"),
        }[self.shape]

    def stated(self, word: str, number: str) -> dict[str, Any]:
        if self.shape == "dashscope":
            return {"output": {"task_id": number, "task_status": word}}
        return {"id": number, "status": word}

    def explained(self, told: dict[str, Any], word: str) -> dict[str, Any]:
        reason = f"out of luck, key {KEY}"
        if self.shape == "dashscope":
            code = "DataInspectionFailed" if word == "job-failed-filter" else "InternalError"
            told["output"] |= {"code": code, "message": reason}
            return told
        if self.shape == "replicate" and word == "job-failed-filter":
            reason = "The input or output was flagged as sensitive. (E005)"
        name = {"bfl": "details", "ideogram": "failure_reason"}.get(self.shape, "error")
        return {**told, name: reason}

    def finished(self, number: str, job: Job) -> dict[str, Any]:
        address = f"{self.url}/{'moved' if job.word == 'moved' else 'picture'}/{number}"
        if job.word == "data-address":
            address = f"data:image/png;base64,{base64.b64encode(job.picture).decode()}"
        if job.word == "no-picture":
            address = ""
        shapes: dict[str, dict[str, Any]] = {
            "bfl": {"status": "Ready", "result": {"sample": address}, "cost": COST * 100},
            "fal": {"images": [{"url": address, "content_type": "image/png"}]},
            "replicate": {"status": "succeeded", "output": [address]},
            "dashscope": {"output": {"task_status": "SUCCEEDED", "results": [{"url": address}]}},
            "ideogram": {
                "status": "completed",
                "data": [{"url": address, "is_image_safe": job.word != "refused-late"}],
                "usage_cost_usd_micros": 0 if job.word == "refused-late" else COST * 1e6,
            },
        }
        return shapes[self.shape]

    def hand_out(self, handler: BaseHTTPRequestHandler, kind: str, number: str) -> None:
        with self.lock:
            self.fetched.append(dict(handler.headers))
        job = self.jobs[number]
        if kind == "moved":
            to = f"/picture/{number}"
            return self.raw(handler, 302, b"", "text/plain", {"Location": to})
        if job.word == "fetch-403":
            return self.raw(handler, 403, b"expired", "text/plain")
        data = job.picture
        if job.word == "broken":
            data = data[: len(data) // 2]
        if job.word == "html":
            data = b"<html>an error page</html>"
        return self.raw(handler, 200, data, "image/png")

    # -- chat --------------------------------------------------------------------------------------

    def said(self, word: str, picture: bytes) -> dict[str, Any]:
        address = f"data:image/png;base64,{base64.b64encode(picture).decode()}"
        if word in ("chat-url", "chat-markdown"):
            with self.lock:
                self.jobs["plain"] = Job("none", picture)
            address = f"{self.url}/picture/plain"
        message: dict[str, Any] = {"role": "assistant", "content": "Here it is."}
        image = {"type": "image_url", "image_url": {"url": address}}
        finish = "stop"
        if word == "chat-parts":
            message["content"] = [{"type": "text", "text": "Here."}, image]
        elif word == "chat-text":
            message["content"] = f"Here: ![it]({address})"
        elif word == "chat-wrapped":
            lines = [address[start : start + 76] for start in range(0, len(address), 76)]
            message["content"] = "Here:\n```\n" + "\n".join(lines) + "\n```\nDone"
        elif word == "chat-markdown":
            message["content"] = f"See [our terms](https://192.0.2.1/): ![it]({address})"
        elif word == "chat-none":
            message["content"] = "I would rather talk."
        elif word == "chat-filter":
            message["content"], finish = None, "content_filter"
        elif word == "chat-refusal":
            message |= {"content": None, "refusal": "I cannot do that."}
        elif word == "chat-null":
            return {"choices": None}
        elif word == "chat-error":
            return {"choices": [{"error": {"code": 502, "message": "provider down"}}]}
        elif word == "chat-bad":
            message["images"] = [{"image_url": {"url": "data:image/png;base64,***"}}]
        else:
            message["images"] = [image]
        usage = {"prompt_tokens": 300, "completion_tokens": 1290, "cost": COST}
        return {"choices": [{"message": message, "finish_reason": finish}], "usage": usage}


def picture_in(body: bytes) -> bytes:
    """The first picture in a request, as a file of a form or as base64 in JSON."""
    start = body.find(b"\x89PNG")
    if start >= 0:
        return body[start : body.index(b"IEND", start) + 8]
    found = re.search(rb"iVBORw0KGgo[A-Za-z0-9+/=]*", body)
    assert found is not None, body[:200]
    return base64.b64decode(found[0])
