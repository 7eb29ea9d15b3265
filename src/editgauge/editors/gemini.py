"""Gemini's image models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from editgauge.editors.asking import Ask
from editgauge.editors.calling import Call
from editgauge.editors.delivery import at, objects
from editgauge.editors.remote import (
    Made,
    Nothing,
    Provider,
    RemoteEditor,
    Settings,
    remote,
    without_picture,
)
from editgauge.services.prices import ImagePrice
from editgauge.types import Sample, Status

_HARMS = ("HARASSMENT", "HATE_SPEECH", "SEXUALLY_EXPLICIT", "DANGEROUS_CONTENT")
_STOPS = frozenset({
    "SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "RECITATION", "OTHER", "JAILBREAK",
    "BLOCKED_REASON_UNSPECIFIED", "MODEL_ARMOR",
})  # fmt: skip
"""Reasons to end that are refusals; those of pictures have ``IMAGE_`` before them."""


class GeminiSettings(Settings, kw_only=True, frozen=True):
    model: str = "gemini-2.5-flash-image"
    temperature: float | None = None
    seed: int | None = None
    aspect_ratio: str = ""
    image_size: str = ""
    safety: str = ""


def gemini(samples: Sequence[Sample], **settings: Any) -> RemoteEditor:
    """A Gemini image model. Settings: `model` (default gemini-2.5-flash-image), `base_url`, `name`,
    `price`, `concurrency` (4), `timeout` (300 s), `attempts` (5), `pause` (1 s), `temperature`,
    `seed`, `aspect_ratio`, `image_size`, `safety` (a threshold such as BLOCK_NONE, for all
    categories of harm), and ``extra.NAME=VALUE`` for other entries of its generation config. Raises
    `UsageError` for another setting or without a key.
    """
    return remote(Gemini, "gemini", settings)


class Gemini(Provider):
    """See `gemini`."""

    shape = GeminiSettings
    home = "https://generativelanguage.googleapis.com/v1beta"
    keys = ("GEMINI_API_KEY", "GOOGLE_API_KEY")

    @property
    def pictures(self) -> int:
        return 14

    def headers(self, key: str) -> Mapping[str, str]:
        return {"x-goog-api-key": key}

    def request(self, ask: Ask) -> Call:
        image = {"aspectRatio": self.told.aspect_ratio, "imageSize": self.told.image_size}
        image = {name: value for name, value in image.items() if value}
        config: dict[str, Any] = {"responseModalities": ["TEXT", "IMAGE"]}
        config |= self.given("temperature", "seed")
        config |= {**({"imageConfig": image} if image else {}), **self.extra}
        parts = [
            {"text": turn}
            if isinstance(turn, str)
            else {"inlineData": {"mimeType": turn.media, "data": turn.base64}}
            for turn in ask.turns
        ]
        body: dict[str, Any] = {"contents": [{"role": "user", "parts": parts}]}
        body["generationConfig"] = config
        if self.told.safety:
            body["safetySettings"] = [
                {"category": f"HARM_CATEGORY_{harm}", "threshold": self.told.safety}
                for harm in _HARMS
            ]
        model = self.model.removeprefix("models/")
        return Call(f"/models/{model}:generateContent", body, config)

    def result(self, value: Any) -> Made | Nothing:
        detail: dict[str, Any] = {"usage": _usage(value)}
        if blocked := at(value, "promptFeedback", "blockReason"):
            said = at(value, "promptFeedback", "blockReasonMessage") or ""
            return Nothing(Status.REFUSED, f"the prompt was blocked ({blocked}) {said}", detail)
        candidate = at(value, "candidates", 0)
        parts = [p for p in objects(at(candidate, "content", "parts")) if not p.get("thought")]
        text = "".join(str(part["text"]) for part in parts if "text" in part)
        found = [p.get("inlineData") or p.get("inline_data") for p in parts]
        pictures = [picture for picture in found if isinstance(picture, dict)]
        detail |= {"text": text[:4000]} if text else {}
        if pictures:
            data = str(pictures[-1].get("data") or "") or "-"
            return Made(data=data, detail=detail | {"pictures": len(pictures)})
        finish = str(at(candidate, "finishReason") or "")
        said = str(at(candidate, "finishMessage") or text)
        if finish.removeprefix("IMAGE_") in _STOPS:
            reason = f"stopped by the content filter ({finish}) {said}"
            return Nothing(Status.REFUSED, reason, detail)
        return without_picture(f" ({finish})" if finish else "", said, detail)

    def bill(self, value: Any, price: ImagePrice) -> float | None:
        return price.of(_usage(value))


def _usage(value: Any) -> dict[str, int] | None:
    """Tokens of a reply as `ImagePrice.of` counts them; None where the reply tells none."""
    usage = at(value, "usageMetadata")
    if not isinstance(at(usage, "candidatesTokenCount"), int):
        return None
    details = objects(usage.get("promptTokensDetails"))
    images = [d for d in details if d.get("modality") == "IMAGE"]
    pictures = sum(int(d.get("tokenCount") or 0) for d in images)
    total, thought = (int(usage.get(n) or 0) for n in ("promptTokenCount", "thoughtsTokenCount"))
    out = int(usage["candidatesTokenCount"]) + thought
    return {"text_in": max(0, total - pictures), "image_in": pictures, "out": out}
