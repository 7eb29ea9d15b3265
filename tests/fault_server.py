"""A judge's server that breaks on command: real sockets, scripted faults."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.contract.server import Answer, Asked, Server, error

Reply = Callable[[dict[str, Any]], str]
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


class FaultServer(Server):
    """An OpenAI-compatible server on 127.0.0.1 that does what its script says, one word a request,
    then ``ok``.

    Words: ``ok`` · ``429`` or ``429:2`` (Retry-After) · any other HTTP status · ``slow:3``
    (seconds) · ``cut`` (in the middle of the body) · ``drip:0.1`` (a byte, then that pause) ·
    ``drop`` (before any byte) · ``truncated`` (JSON that ends early) · ``empty`` · ``null`` (no
    choices) · ``html`` · ``length`` (cut off by its limit) · ``quota`` · ``huge``
    (100 MB). The script may be a function of the request's number that gives such a word.

    With `keep` False bodies are counted and thrown away (for timings). `bodies` keeps requests.
    """

    def __init__(
        self,
        script: Iterable[str] | Callable[[int], str] = (),
        *,
        answer: Reply | None = None,
        model: str = "scripted-2026-01-01",
        latency: float = 0.0,
        keep: bool = True,
    ) -> None:
        super().__init__()
        self.script = script if callable(script) else iter(tuple(script))
        self.reply = answer or ScriptedJudge()
        self.model, self.latency, self.keep = model, latency, keep
        self.bodies: list[dict[str, Any]] = []
        self.requests = 0

    def respond_to(self, asked: Asked) -> Answer:
        with self.lock:
            self.requests += 1
            script = self.script
            word = script(self.requests) if callable(script) else next(script, "")
            body = asked.json if self.keep else {}
            self.bodies += [body] if self.keep else []
            if not self.keep:
                self.asked.clear()
        kind, _, value = (word or "ok").partition(":")
        if kind == "quota":
            return error(429, "scripted quota", "insufficient_quota")
        if kind.isdigit():
            return error(int(kind), f"scripted {kind}", **({"Retry-After": value} if value else {}))
        if kind == "html":
            return Answer(b"<html><body>Bad gateway. Score: 4/5</body></html>")
        if kind == "drop":
            return Answer(drop=True)
        if kind == "huge":
            return Answer(bytes(200 << 20), cut=True)
        data = json.dumps(self.completion(kind, body)).encode()
        return Answer(
            data[: len(data) // 2] if kind == "truncated" else data,
            cut=kind == "cut",
            seconds=float(value) if kind == "slow" else self.latency,
            pause=float(value or 0.1) if kind == "drip" else 0.0,
        )

    def completion(self, kind: str, request: dict[str, Any]) -> dict[str, Any]:
        """A chat completion, or one that is broken in the way of the word `kind`."""
        constant = '{"pictures_visible": true, "rationale": "", "IF": 3}'
        content = self.reply(request) if self.keep else constant
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
