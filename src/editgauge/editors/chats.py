"""Models that answer in a conversation: Gemini's, and chat completions with pictures. See
`providers`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from editgauge.editors.calling import Call
from editgauge.editors.delivery import at, objects
from editgauge.editors.remote import (
    Ask,
    Count,
    Made,
    Nothing,
    RemoteEditor,
    Settings,
    remote,
    split,
)
from editgauge.editors.sending import data_url, encoded
from editgauge.errors import UsageError
from editgauge.services.policy import filtered
from editgauge.services.prices import ImagePrice, told_cost
from editgauge.types import Sample, Status

# ------------------------------------------------------------------------------------------- Gemini
GEMINI = "https://generativelanguage.googleapis.com/v1beta"
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
    `price`, `concurrency` (4), `timeout` (300 s), `attempts` (5), `temperature`, `seed`,
    `aspect_ratio`, `image_size`, `safety` (a threshold such as BLOCK_NONE, for all categories of
    harm), and ``extra.NAME=VALUE`` for other entries of its generation config. Raises `UsageError`
    for another setting or without a key.
    """
    told, extra = split("gemini", settings, GeminiSettings)
    image = {"aspectRatio": told.aspect_ratio, "imageSize": told.image_size}
    image = {name: value for name, value in image.items() if value}
    config = {"temperature": told.temperature, "seed": told.seed, "imageConfig": image or None}
    set_ = {name: value for name, value in config.items() if value is not None}
    provider = Gemini(
        told.model.removeprefix("models/"),
        {"responseModalities": ["TEXT", "IMAGE"], **set_, **extra},
        told.safety,
    )
    keys = ("GEMINI_API_KEY", "GOOGLE_API_KEY")
    return remote(
        RemoteEditor, provider, told, address=GEMINI, keys=keys,
        auth=lambda key: {"x-goog-api-key": key},
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Gemini:
    """See `gemini`. The key travels in a header, never in an address."""

    model: str
    config: Mapping[str, Any]
    safety: str = ""
    pictures: int = 14

    def request(self, ask: Ask) -> Call:
        parts = [
            {"text": turn}
            if isinstance(turn, str)
            else {"inlineData": {"mimeType": turn[2], "data": encoded(turn)}}
            for turn in ask.turns
        ]
        body: dict[str, Any] = {"contents": [{"role": "user", "parts": parts}]}
        body["generationConfig"] = dict(self.config)
        if self.safety:
            body["safetySettings"] = [
                {"category": f"HARM_CATEGORY_{harm}", "threshold": self.safety} for harm in _HARMS
            ]
        return Call(f"/models/{self.model}:generateContent", body, self.config)

    def result(self, value: Any) -> Made | Nothing:
        detail: dict[str, Any] = {"usage": usage_of_gemini(value)}
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
        of = f" ({finish})" if finish else ""
        only = f", only: {said}" if said else ""
        return Nothing(Status.UNREADABLE, f"output: the reply has no picture{of}{only}", detail)

    def bill(self, value: Any, price: ImagePrice) -> float | None:
        return price.of(usage_of_gemini(value))


def usage_of_gemini(value: Any) -> dict[str, int] | None:
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


# --------------------------------------------------------------------- chat models with pictures
OPENROUTER = "https://openrouter.ai/api/v1"
_IN_TEXT = re.compile(
    r"data:image/[\w.+-]+;base64,[A-Za-z0-9+/_-]+"
    r"(?:(?:\r?\n[A-Za-z0-9+/_-]{60,})+(?:\r?\n[A-Za-z0-9+/_-]+)?)?={0,2}"
)
"""A picture's data address in a text, also one that is wrapped into lines."""
_MARKDOWN = re.compile(r"!\[[^\]]*+(?:\]\((https?://[^\s()<>]++)\)|\]|\Z)")
"""A picture's address in a text, as Markdown writes it; an empty one where no address follows the
first ``]``.
"""


class ChatSettings(Settings, kw_only=True, frozen=True):
    pictures: Count = 14
    temperature: float | None = None
    seed: int | None = None


def chat(samples: Sequence[Sample], **settings: Any) -> RemoteEditor:
    """A chat model that answers with pictures, behind OpenRouter or a gateway like it. Settings:
    `model` (required), `base_url`, `name`, `price` (US dollars an output), `pictures`
    (14), `concurrency` (4), `timeout` (300 s), `attempts` (5), `temperature`, `seed`, and
    ``extra.NAME=VALUE`` for what is passed on as it is (``extra.safety_settings``). Raises
    `UsageError` for another setting or without a key.
    """
    told, extra = split("chat", settings, ChatSettings)
    if not told.model:
        raise UsageError(
            "editor 'chat': wanted the setting model, for example --model "
            "google/gemini-2.5-flash-image"
        )
    body = {"temperature": told.temperature, "seed": told.seed}
    body = {name: value for name, value in body.items() if value is not None}
    at_home = told.base_url in ("", OPENROUTER)
    usage = {"usage": {"include": True}} if at_home else {}
    provider = Chat(told.model, {**usage, **body, **extra}, told.pictures)
    keys = ("OPENROUTER_API_KEY",)
    return remote(RemoteEditor, provider, told, address=OPENROUTER, keys=keys)


@dataclass(frozen=True, slots=True)
class Chat:
    """See `chat`. Written after OpenRouter's and Vercel's pages of image generation (November
    2026).
    """

    model: str
    body: Mapping[str, Any]
    pictures: int = 14

    def request(self, ask: Ask) -> Call:
        parts = [
            {"type": "text", "text": turn}
            if isinstance(turn, str)
            else {"type": "image_url", "image_url": {"url": data_url(turn)}}
            for turn in ask.turns
        ]
        body = {
            "model": self.model,
            "modalities": ["image", "text"],
            "messages": [{"role": "user", "content": parts}],
            **self.body,
        }
        return Call("/chat/completions", body, self.body)

    def result(self, value: Any) -> Made | Nothing:
        choice = next(iter(objects(at(value, "choices"))), {})
        message = choice.get("message")
        message = message if isinstance(message, dict) else {}
        text, pictures = _contents(message)
        detail: dict[str, Any] = {"text": text[:4000]} if text else {}
        if pictures:
            detail["pictures"] = len(pictures)
            is_data = pictures[-1].startswith("data:")
            return Made(**{"data" if is_data else "url": pictures[-1]}, detail=detail)
        finish = str(choice.get("finish_reason") or "")
        native = str(choice.get("native_finish_reason") or "")
        said = f": {text}" if text else ""
        if finish == "content_filter" or filtered(native) or message.get("refusal"):
            why = f"({native or finish}) {message.get('refusal') or ''}{said}"
            return Nothing(Status.REFUSED, f"stopped by the content filter {why}", detail)
        if error := choice.get("error") or at(value, "error"):
            reason = f"the service answered with an error: {error}"
            return Nothing(Status.REFUSED if filtered(reason) else Status.FAILED, reason, detail)
        of = f" ({finish})" if finish else ""
        return Nothing(Status.UNREADABLE, f"output: the reply has no picture{of}{said}", detail)

    def bill(self, value: Any, price: ImagePrice) -> float | None:
        usage = at(value, "usage")
        usage = usage if isinstance(usage, dict) else {}
        if (told := told_cost(usage)) is not None:
            return round(told, 6)
        into, out = (usage.get(name) for name in ("prompt_tokens", "completion_tokens"))
        if isinstance(into, int) and isinstance(out, int):
            return price.of({"text_in": into, "out": out})
        return price.of(None)


def _contents(message: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The text of a message and the addresses of its pictures, wherever a gateway puts them."""
    content = message.get("content")
    parts = objects(content)
    text = content if isinstance(content, str) else ""
    text += "".join(str(part.get("text") or "") for part in parts if part.get("type") == "text")
    places = [part.get("image_url") for part in [*objects(message.get("images")), *parts]]
    found = [place.get("url") if isinstance(place, dict) else place for place in places]
    pictures = [address for address in found if isinstance(address, str) and address]
    if not pictures:  # a picture written into the text, as some gateways do
        pictures = _IN_TEXT.findall(text) or [*filter(None, _MARKDOWN.findall(text))]
    return _IN_TEXT.sub("", text).strip(), pictures
