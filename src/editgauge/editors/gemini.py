"""Gemini's image models over their native interface (``models/…:generateContent``).

Plain HTTP rather than the google-genai package: its 40 MB bring retries of their own, and the
interface is one JSON body. Pictures and texts go in turn; text parts of the reply are kept in the
edit's detail. The key comes from `KEY_NAMES` in the environment and travels in a header, never in
an address.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from editgauge.editors.asking import conversation, shots_for
from editgauge.editors.delivery import decoded, deliver, faulty, known, number, whole
from editgauge.editors.prices import Price, price_of
from editgauge.editors.sending import as_file, passed_through
from editgauge.editors.service import (
    Charge,
    Ledger,
    Reply,
    Request,
    Service,
    call_key,
    key_from,
    words,
)
from editgauge.errors import ImageError
from editgauge.types import Edit, Sample, Status

KEY_NAMES = ("EDITGAUGE_EDITOR_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY")
DEFAULT_BASE_URL = "https://generativelanguage.googleapis.com/v1beta"
MOST_PICTURES = 14
_REFUSALS = frozenset({
    "SAFETY", "IMAGE_SAFETY", "PROHIBITED_CONTENT", "IMAGE_PROHIBITED_CONTENT", "BLOCKLIST",
    "SPII", "RECITATION",
    "IMAGE_RECITATION", "OTHER", "IMAGE_OTHER", "BLOCKED_REASON_UNSPECIFIED", "JAILBREAK",
    "MODEL_ARMOR",
})  # fmt: skip


_HARMS = (
    "HARM_CATEGORY_HARASSMENT",
    "HARM_CATEGORY_HATE_SPEECH",
    "HARM_CATEGORY_SEXUALLY_EXPLICIT",
    "HARM_CATEGORY_DANGEROUS_CONTENT",
)


def gemini(samples: Sequence[Sample], **settings: Any) -> GeminiImages:
    """A Gemini image model. Settings: `model` (default gemini-2.5-flash-image), `base_url`, `name`,
    `price`, `shots`, `concurrency` (4), `timeout` (300 s), `attempts` (5), `temperature`, `seed`,
    `aspect_ratio`, `image_size`, `safety` (a threshold such as BLOCK_NONE, for all categories of
    harm), and ``extra.NAME=VALUE`` for other entries of its generation config. Raises `UsageError`
    for another setting or without a key.
    """
    own = (
        "model",
        "base_url",
        "name",
        "price",
        "shots",
        "concurrency",
        "timeout",
        "attempts",
        "pause",
    )
    extra = passed_through(settings)
    settings = {key: value for key, value in settings.items() if not key.startswith("extra.")}
    further = ("temperature", "seed", "aspect_ratio", "image_size", "safety", "extra.NAME")
    known("gemini", settings, *own, *further)
    model = str(settings.get("model") or "gemini-2.5-flash-image")
    address = str(settings.get("base_url") or DEFAULT_BASE_URL)
    shots = whole("gemini", settings, "shots", 0)
    configured: dict[str, Any] = {"responseModalities": ["TEXT", "IMAGE"]}
    if "temperature" in settings:
        configured["temperature"] = number("gemini", settings, "temperature", 1.0)
    if "seed" in settings:
        configured["seed"] = whole("gemini", settings, "seed", 0)
    image = {
        to: settings[name]
        for name, to in (("aspect_ratio", "aspectRatio"), ("image_size", "imageSize"))
        if name in settings
    }
    if image:
        configured["imageConfig"] = image
    configured |= extra
    given = settings.get("price")
    concurrency = whole("gemini", settings, "concurrency", 4, least=1)
    service = Service(
        address,
        key=key_from(KEY_NAMES, needed=address == DEFAULT_BASE_URL),
        auth=lambda key: {"x-goog-api-key": key},
        concurrency=concurrency,
        timeout=number("gemini", settings, "timeout", 300.0, least=0.001),
        attempts=whole("gemini", settings, "attempts", 5, least=1),
        pause=number("gemini", settings, "pause", 1.0),
    )
    return GeminiImages(
        name=str(settings.get("name") or model.rsplit("/", 1)[-1].replace(":", "-")),
        model=model.removeprefix("models/"),
        service=service,
        price=price_of(model, None if given is None else number("gemini", settings, "price", 0.0)),
        configured=configured,
        safety=str(settings.get("safety") or ""),
        shots=shots,
        samples=samples if shots else (),
        concurrency=concurrency,
    )


@dataclass(frozen=True, kw_only=True)
class GeminiImages:
    """See `gemini`. Runs on `concurrency` threads of one process; `ledger` keeps what it costs
    within a budget.
    """

    name: str
    model: str
    service: Service
    price: Price
    configured: Mapping[str, Any] = field(default_factory=dict)
    safety: str = ""
    shots: int = 0
    samples: Sequence[Sample] = ()
    concurrency: int = 4
    ledger: Ledger = field(default_factory=Ledger)
    parallel: str = "thread"

    def estimate(self, sample: Sample) -> float | None:
        """What one edit will about cost, in US dollars; None where the price is not known."""
        return 0.0 if faulty(sample, self.name, pictures=MOST_PICTURES) else self.price.picture

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        fault = faulty(sample, self.name, pictures=MOST_PICTURES)
        if fault is not None:
            return fault
        shots = shots_for(sample, self.samples, self.shots)
        try:
            parts = [_part(part) for part in conversation(sample, shots)]
        except ImageError as error:
            return Edit.without(sample.id, self.name, Status.DATASET_FAULT, f"input image: {error}")
        body: dict[str, Any] = {
            "contents": [{"role": "user", "parts": parts}],
            "generationConfig": dict(self.configured),
        }
        if self.safety:
            body["safetySettings"] = [
                {"category": name, "threshold": self.safety} for name in _HARMS
            ]
        key = call_key(folder, sample.id, self.model, json.dumps(body))
        charge = Charge(self.ledger, self.price.picture, self.model)
        path = f"/models/{self.model}:generateContent"
        reply = self.service.call(Request(path, lambda: {"json": body}, key=key, charge=charge))
        usage = usage_of(reply.value) if reply.status is Status.SCORED else None
        answered = reply.status is Status.SCORED
        cost = charge.bill(self.price.of(usage)) if answered else charge.cost
        detail = {"attempts": reply.attempts, "usage": usage, "shots": [shot.id for shot in shots]}
        facts = {
            "settings": {"model": self.model, **self.configured},
            "seed": self.configured.get("seed"),
            "seconds": round(reply.seconds, 6),
            "cost": cost,
        }
        return self._read(sample, folder, reply, facts, detail)

    def _read(
        self,
        sample: Sample,
        folder: Path,
        reply: Reply,
        facts: dict[str, Any],
        detail: dict[str, Any],
    ) -> Edit:
        if reply.status is not Status.SCORED:
            return Edit.without(
                sample.id, self.name, reply.status, reply.reason, **facts, detail=detail
            )
        blocked = _at(reply.value, "promptFeedback", "blockReason")
        if blocked:
            said = _at(reply.value, "promptFeedback", "blockReasonMessage") or ""
            reason = words(f"the prompt was blocked ({blocked}) {said}")
            return Edit.without(
                sample.id, self.name, Status.REFUSED, reason, **facts, detail=detail
            )
        candidate = _at(reply.value, "candidates", 0)
        parts = _at(candidate, "content", "parts")
        parts = (
            [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
        )
        text = "".join(
            str(part["text"]) for part in parts if "text" in part and not part.get("thought")
        )
        if text:
            detail["text"] = text[:4000]
        pictures = [
            p
            for part in parts
            if not part.get("thought") and (p := part.get("inlineData") or part.get("inline_data"))
        ]
        if pictures and isinstance(pictures[-1], dict):
            detail["pictures"] = len(pictures)
            data = decoded(str(pictures[-1].get("data") or ""))
            if data is None:
                reason = "output: no base64 in the picture's data"
                return Edit.without(
                    sample.id, self.name, Status.UNREADABLE, reason, **facts, detail=detail
                )
            return deliver(sample, self.name, folder, data, **facts, detail=detail)
        finish = str(_at(candidate, "finishReason") or "")
        said = words(str(_at(candidate, "finishMessage") or text))
        if finish in _REFUSALS:
            reason = words(f"stopped by the content filter ({finish}) {said}")
            return Edit.without(
                sample.id, self.name, Status.REFUSED, reason, **facts, detail=detail
            )
        reason = (
            f"output: the reply has no "
            f"picture{f' ({finish})' if finish else ''}{f', only: {said}' if said else ''}"
        )
        return Edit.without(
            sample.id, self.name, Status.UNREADABLE, words(reason), **facts, detail=detail
        )


def _part(part: str | Path) -> dict[str, Any]:
    if isinstance(part, str):
        return {"text": part}
    _, data, media = as_file(part, 0)
    return {"inlineData": {"mimeType": media, "data": base64.b64encode(data).decode()}}


def _at(value: Any, *path: str | int) -> Any:
    """What lies at a path in JSON; None where there is nothing."""
    for step in path:
        if isinstance(step, int):
            value = value[step] if isinstance(value, list) and len(value) > step else None
        else:
            value = value.get(step) if isinstance(value, dict) else None
    return value


def usage_of(value: Any) -> dict[str, int] | None:
    """Tokens of a reply as `Price.of` counts them; None where the reply tells none."""
    usage = value.get("usageMetadata") if isinstance(value, dict) else None
    if not isinstance(usage, dict) or not isinstance(usage.get("candidatesTokenCount"), int):
        return None
    details = usage.get("promptTokensDetails")
    pictures = sum(
        int(d.get("tokenCount") or 0)
        for d in (details if isinstance(details, list) else [])
        if isinstance(d, dict) and d.get("modality") == "IMAGE"
    )
    total = int(usage.get("promptTokenCount") or 0)
    thought = int(usage.get("thoughtsTokenCount") or 0)
    return {
        "text_in": max(0, total - pictures),
        "image_in": pictures,
        "out": int(usage["candidatesTokenCount"]) + thought,
    }
