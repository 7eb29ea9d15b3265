"""Every interface of an image service on one socket, which follows a script: what goes wrong at
which step of which sample, in order.

The interface is told by the path: OpenAI's images, Gemini, chat completions, an endpoint of one's
own, and the jobs of BFL, fal and Replicate. It keeps its own books: every picture that
it makes is charged, also when the answer is lost on the way, and asking twice makes two, unless
`knows_keys`. The picture of a sample is its input with the first pixel inverted, so that one at the
wrong sample is seen.
"""

from __future__ import annotations

import base64
import io
import json
import re
import threading
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from PIL import Image
from tests.contract.server import Answer, Asked, Server, error, png, promising

KEY = "sk-very-secret-0123"
COST = 0.04
"""US dollars of a picture."""
SHAPES = {
    "openai": "maker/model", "gemini": "gemini-2.5-flash-image", "chat": "maker/model", "http": "",
    "bfl": "flux-2-pro", "fal": "maker/model", "replicate": "maker/model",
}  # fmt: skip
"""Editors that it plays the service of, and a model of each."""
JOBS = ("bfl", "fal", "replicate")
ENORMOUS = promising(png(np.zeros((1, 1, 3), np.uint8)), 100_000)
DONE = {"bfl": "Ready", "fal": "COMPLETED", "replicate": "succeeded"}
FAILED = {"bfl": "Error", "fal": "FAILED", "replicate": "failed"}


def marked(data: bytes) -> bytes:
    """The picture with its first pixel inverted."""
    pixels = np.asarray(Image.open(io.BytesIO(data)).convert("RGB")).copy()
    pixels[0, 0] ^= 255
    return png(pixels)


def picture_in(body: bytes) -> bytes:
    """The first picture in a request, as a file of a form or as base64 in JSON."""
    start = body.find(b"\x89PNG")
    if start >= 0:
        return body[start : body.index(b"IEND", start) + 8]
    if (start := body.find(b"\xff\xd8\xff")) >= 0:
        return body[start : body.rindex(b"\xff\xd9") + 2]
    found = re.search(rb"(iVBORw0KGgo|/9j/)[A-Za-z0-9+/=]*", body)
    assert found is not None, body[:200]
    return base64.b64decode(found[0])


@dataclass
class Provider(Server):
    """Used as a context manager; `url` is its address. `script`: events by ``sample.step``
    (``s0.ask``, ``s0.poll``, ``s0.result``, ``s0.fetch``), one a request; then all is well.
    """

    script: Mapping[str, Sequence[str]] = field(default_factory=dict)
    knows_keys: bool = False
    instructions: Mapping[str, str] = field(default_factory=dict)
    """Sample by instruction; without them an instruction says ``sample:s0``."""
    seconds: float = 0.0
    """What a call takes."""
    price: float = COST
    """US dollars of a picture."""
    steps: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    """Requests by ``sample.step``."""
    charged: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    """US dollars by sample."""
    jobs: dict[str, tuple[str, str, bytes]] = field(default_factory=dict)
    """By number: its sample, its interface and its picture."""
    keys: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__init__()
        self.url = self.url.removesuffix("/v1")
        self.again = threading.Event()

    @property
    def total(self) -> float:
        """US dollars that the provider asks for."""
        return sum(self.charged.values())

    @property
    def calls(self) -> list[Asked]:
        """The requests for a picture."""
        return [one for one in self.asked if one.method == "POST"]

    def sample_of(self, body: bytes) -> str:
        text = body.decode("utf-8", "replace").replace('\\"', '"')
        for words, sample in self.instructions.items():
            if words in text:
                return sample
        marker = re.search(r"sample:(\w+)", text)
        return marker[1] if marker else "any"

    def event(self, step: str) -> str:
        with self.lock:
            number = self.steps[step]
            self.steps[step] += 1
        events = self.script.get(step, ())
        return events[number] if number < len(events) else "ok"

    def fault(self, event: str) -> Answer | None:
        """A fault of the way, as any server tells it."""
        if event.isdigit():
            return error(int(event), f"fault, key was {KEY}", "x", **{"Retry-After": "0.02"})
        ways = {
            "cut": Answer(drop=True),
            "html": Answer(b"<html>", kind="text/html"),
            "wrong JSON": Answer({"hello": ["world"]}),
        }
        return ways.get(event)

    def respond_to(self, asked: Asked) -> Answer:
        return self.call(asked) if asked.method == "POST" else self.look(asked)

    # -- a call ------------------------------------------------------------------------------------

    def call(self, asked: Asked) -> Answer:
        sample = self.sample_of(asked.body)
        event = self.event(f"{sample}.ask")
        if KEY not in str(asked.headers):
            return error(401, "no key")
        if event == "refused":
            return error(400, "by moderation", "moderation_blocked")
        if not (event.isdigit() and event != "502"):  # a gateway has lost what was made
            job = self.new_job(sample, asked)
        if event == "slow":  # until it is asked again
            self.again.wait(60)
        elif asked.number:
            self.again.set()
        if fault := self.fault(event):
            return fault
        answer = json.dumps(self.made(job, event)).encode()
        whole = answer[: len(answer) // 2] if event == "half" else answer
        return Answer(whole, seconds=self.seconds)

    def new_job(self, sample: str, asked: Asked) -> str:
        path, key = asked.path, asked.headers.get("idempotency-key", "")
        ends = {"/images/edits": "openai", ":generateContent": "gemini", "/edit": "http",
                "/chat/completions": "chat", "/predictions": "replicate",
                "/v1/flux-2-pro": "bfl"}  # fmt: skip
        shape = next((name for end, name in ends.items() if path.endswith(end)), "fal")
        with self.lock:
            if self.knows_keys and key in self.keys:
                return self.keys[key]
            number = f"job-{len(self.jobs)}"
            self.keys[key] = number
            self.jobs[number] = (sample, shape, marked(picture_in(asked.body)))
            self.charged[sample] += self.price
            return number

    def made(self, job: str, event: str) -> dict[str, Any]:
        _, shape, data = self.jobs[job]
        if event == "error":
            return {"error": {"message": "by moderation", "code": "moderation_blocked"}}
        given = {"no-picture": b"<html>", "half a picture": data[:300], "enormous": ENORMOUS}
        text = base64.b64encode(given.get(event, data)).decode()
        address = f"{self.url}/{'moved' if event == 'moved' else 'picture'}/{job}"
        away = event in ("address", "moved")
        if shape == "openai":
            return {"data": [{"url": address} if away else {"b64_json": text}]}
        if shape == "gemini":
            parts = [{"text": "Here."}, {"inlineData": {"data": text}}]
            return {"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]}
        if shape == "chat":
            url = address if away else f"data:image/png;base64,{text}"
            message = {"content": "Here.", "images": [{"image_url": {"url": url}}]}
            return {"choices": [{"message": message}], "usage": {"cost": self.price}}
        if shape == "http":
            return {"image": text, "cost": self.price}
        poll = f"{'http://192.0.2.1' if event == 'strange' else self.url}/poll/{job}"
        return {
            "bfl": {"id": job, "polling_url": poll, "cost": round(self.price * 100, 6)},
            "fal": {"request_id": job, "status_url": poll, "response_url": f"{self.url}/of/{job}"},
            "replicate": {"id": job, "status": "starting", "urls": {"get": poll}},
        }[shape]

    # -- a job, and a picture ----------------------------------------------------------------------

    def look(self, asked: Asked) -> Answer:
        kind, _, job = asked.path.strip("/").rpartition("/")
        sample, shape, data = self.jobs[job]
        if kind == "moved":
            return Answer(status=302, headers={"Location": f"/picture/{job}"})
        step = {"picture": "fetch", "of": "result"}.get(kind, "poll")
        event = self.event(f"{sample}.{step}")
        if kind == "picture":
            assert KEY not in str(asked.headers), "the key goes with no picture"
        if fault := self.fault(event):
            return fault
        if kind == "picture":
            given = {"nothing": b"", "half a picture": data[:300], "enormous": ENORMOUS}
            return Answer(given.get(event, data), kind="image/png")
        if event in ("failed", "filtered"):
            self.charged[sample] -= self.price if shape == "bfl" else 0.0  # it says so
        number = next(iter(self.jobs)) if event == "another" else job
        return Answer(self.state(shape, number, event, whole=kind == "of"))

    def state(self, shape: str, job: str, event: str, *, whole: bool) -> dict[str, Any]:
        """What is told of a job."""
        done = event not in ("wait", "failed", "filtered")
        word = DONE[shape] if done else FAILED[shape] if event != "wait" else "waiting"
        address = f"{self.url}/picture/{job}" if done and event != "hollow" else ""
        why = {"failed": "out of luck", "filtered": "flagged as sensitive (E005)"}.get(event, "")
        if shape == "bfl":
            told = {"id": job, "status": word, "result": {"sample": address}, "details": why}
            return told | ({"cost": 0} if why else {})
        if shape == "fal":
            nsfw = {"has_nsfw_concepts": [event == "unsafe"]}
            return {"images": [{"url": address}], **nsfw} if whole else {
                "request_id": job, "status": word, "error": why}  # fmt: skip
        return {"id": job, "status": word, "output": [address], "error": why}
