"""The services that answer in one call: OpenAI's images, Gemini, chats with pictures, a plain
endpoint. Written after their own pages (November 2026).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal
from urllib.parse import urlsplit

from editgauge.editors.calling import Ask, Call, File, nearest_shape, sized
from editgauge.editors.delivery import Count, at, objects
from editgauge.editors.remote import (
    Made,
    Nothing,
    Provider,
    RemoteEditor,
    Settings,
    not_made,
    remote,
    without_picture,
)
from editgauge.services.policy import filtered
from editgauge.services.prices import ImagePrice, told_cost
from editgauge.types import Sample, Status

_FIXED = ((1024, 1024), (1536, 1024), (1024, 1536))
"""The sizes of the gpt-image-1 models; every other service takes multiples of 16."""
_HARMS = ("HARASSMENT", "HATE_SPEECH", "SEXUALLY_EXPLICIT", "DANGEROUS_CONTENT")
_STOPS = frozenset({
    "SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "RECITATION", "OTHER", "JAILBREAK",
    "BLOCKED_REASON_UNSPECIFIED", "MODEL_ARMOR",
})  # fmt: skip
"""Gemini's reasons to end that are refusals; those of pictures have ``IMAGE_`` before them."""
_IN_TEXT = re.compile(r"data:image/[\w.+-]+;base64,[A-Za-z0-9+/_-]+={0,2}")
_COMMON = """`base_url`, `name`, `price` (US dollars an output), `concurrency` (4), `timeout` (300
    s), `attempts` (5), `pause` (1 s), and ``extra.NAME=VALUE`` for what is passed on as it is.
    Raises `UsageError` for another setting or without a key."""


# -- OpenAI ----------------------------------------------------------------------------------------


class OpenAISettings(Settings, kw_only=True, frozen=True):
    model: str = "gpt-image-1"
    style: Literal["edits", "generations", "responses"] | None = None
    size: str | None = None
    quality: str | None = None
    seed: int | None = None


class OpenAI(Provider):
    shape = OpenAISettings
    home = "https://api.openai.com/v1"
    keys = ("OPENAI_API_KEY",)

    @property
    def style(self) -> str:
        seedream = "seedream" in self.model or "volces" in self.told.base_url
        return self.told.style or ("generations" if seedream else "edits")

    @property
    def pictures(self) -> int:
        return 10 if self.style == "generations" else 16

    def request(self, ask: Ask) -> Call:
        parameters = self._parameters(ask)
        facts = {"style": self.style, **parameters}
        if self.style == "edits":
            words = {
                n: str(v).lower() if isinstance(v, bool) else str(v) for n, v in parameters.items()
            }
            fields = {"model": self.model, "prompt": ask.prompt, "n": "1", **words}
            name = "image[]" if len(ask.files) > 1 else "image"
            files: list[tuple[str, File]] = [(name, file) for file in ask.files]
            return Call("/images/edits", facts=facts, fields=fields, files=files)
        pictures = [file.address for file in ask.files]
        body: dict[str, Any] = {"model": self.model}
        if self.style == "generations":
            body |= {"prompt": ask.prompt, "response_format": "b64_json"}
            body["image"] = pictures[0] if len(pictures) == 1 else pictures
            return Call("/images/generations", body | parameters, facts)
        content = [{"type": "input_text", "text": ask.prompt}]
        content += [{"type": "input_image", "image_url": address} for address in pictures]
        tool = {"type": "image_generation"}
        body |= {"input": [{"role": "user", "content": content}], "tool_choice": tool}
        return Call(
            "/responses", body | {"tools": [{**tool, "action": "edit", **parameters}]}, facts
        )

    def _parameters(self, ask: Ask) -> dict[str, Any]:
        """What goes to the model beside the question, with the size that its picture needs."""
        parameters = self.given("size", "quality", "seed")
        if "seedream" in self.model:
            parameters["watermark"] = False  # its own default writes one into the picture
        if parameters.get("size") == "input":
            fixed = self.model.rsplit("/", 1)[-1].startswith("gpt-image-1")
            picture = ask.sample.images[0]
            width, height = nearest_shape(picture, _FIXED) if fixed else sized(picture)
            parameters["size"] = f"{width}x{height}"
        return {**parameters, **self.extra}

    def result(self, value: Any) -> Made | Nothing:
        entry = next(iter(objects(at(value, "data"))), {})
        items = objects(at(value, "output"))
        for item in items:
            if item.get("type") == "image_generation_call" and item.get("result"):
                entry = {"b64_json": item["result"]}
        detail = {"usage": self.usage(value)}
        error = entry.get("error") or (at(value, "error") if not entry else None)
        if isinstance(error, dict):
            return not_made(f"{error.get('code') or ''} {error.get('message') or ''}", detail)
        if isinstance(entry.get("b64_json"), str):
            return Made(data=entry["b64_json"] or "-", detail=detail)
        if isinstance(entry.get("url"), str):
            return Made(url=entry["url"], detail=detail)
        parts = [part for item in items for part in objects(item.get("content"))]
        if refused := " ".join(str(part["refusal"]) for part in parts if part.get("refusal")):
            return Nothing(Status.REFUSED, refused, detail)
        return without_picture("", " ".join(str(part.get("text") or "") for part in parts), detail)

    def usage(self, value: Any) -> dict[str, int] | None:
        usage = at(value, "usage")
        if not isinstance(at(usage, "output_tokens"), int):
            return None
        pictures = int(at(usage, "input_tokens_details", "image_tokens") or 0)
        total = int(usage.get("input_tokens") or 0)
        text = int(at(usage, "input_tokens_details", "text_tokens") or max(0, total - pictures))
        return {"text_in": text, "image_in": pictures, "out": int(usage["output_tokens"])}


def openai(samples: Sequence[Sample], **settings: Any) -> RemoteEditor:
    """A model behind an OpenAI-compatible interface for images.

    Settings: `model` (gpt-image-1), `style` (edits: a form with the pictures as files; generations:
    JSON with data addresses, for Seedream; responses: with its image tool), `size` (``input``: the
    input's own, to multiples of 16, or for the gpt-image-1 models the one of their three whose
    shape is nearest), `quality`, `seed`,
    """
    return remote(OpenAI, "openai", settings)


# -- Gemini ----------------------------------------------------------------------------------------


class GeminiSettings(Settings, kw_only=True, frozen=True):
    model: str = "gemini-2.5-flash-image"
    temperature: float | None = None
    seed: int | None = None
    aspect_ratio: str = ""
    image_size: str = ""
    safety: str = ""


class Gemini(Provider):
    shape = GeminiSettings
    home = "https://generativelanguage.googleapis.com/v1beta"
    keys = ("GEMINI_API_KEY", "GOOGLE_API_KEY")

    @property
    def pictures(self) -> int:
        return 14

    def headers(self, key: str) -> Mapping[str, str]:
        return {"x-goog-api-key": key}

    def request(self, ask: Ask) -> Call:
        settings = self.told
        image = {"aspectRatio": settings.aspect_ratio, "imageSize": settings.image_size}
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
        if settings.safety:
            levels = [(f"HARM_CATEGORY_{harm}", settings.safety) for harm in _HARMS]
            body["safetySettings"] = [{"category": a, "threshold": b} for a, b in levels]
        return Call(f"/models/{self.model.removeprefix('models/')}:generateContent", body, config)

    def result(self, value: Any) -> Made | Nothing:
        detail: dict[str, Any] = {"usage": self.usage(value)}
        if blocked := at(value, "promptFeedback", "blockReason"):
            why = at(value, "promptFeedback", "blockReasonMessage") or ""
            return Nothing(Status.REFUSED, f"the prompt was blocked ({blocked}) {why}", detail)
        candidate = at(value, "candidates", 0)
        parts = [p for p in objects(at(candidate, "content", "parts")) if not p.get("thought")]
        text = "".join(str(part["text"]) for part in parts if "text" in part)
        pictures = objects([part.get("inlineData") or part.get("inline_data") for part in parts])
        detail |= {"text": text[:4000]} if text else {}
        if pictures:
            data = str(pictures[-1].get("data") or "") or "-"
            return Made(data=data, detail=detail | {"pictures": len(pictures)})
        finish = str(at(candidate, "finishReason") or "")
        why = str(at(candidate, "finishMessage") or text)
        if finish.removeprefix("IMAGE_") in _STOPS:
            reason = f"stopped by the content filter ({finish}) {why}"
            return Nothing(Status.REFUSED, reason, detail)
        return without_picture(f" ({finish})" if finish else "", why, detail)

    def usage(self, value: Any) -> dict[str, int] | None:
        usage = at(value, "usageMetadata")
        if not isinstance(at(usage, "candidatesTokenCount"), int):
            return None
        details = objects(usage.get("promptTokensDetails"))
        images = [one.get("tokenCount") for one in details if one.get("modality") == "IMAGE"]
        pictures = sum(int(count or 0) for count in images)
        names = ("promptTokenCount", "thoughtsTokenCount", "candidatesTokenCount")
        total, thought, out = (int(usage.get(name) or 0) for name in names)
        return {"text_in": max(0, total - pictures), "image_in": pictures, "out": out + thought}


def gemini(samples: Sequence[Sample], **settings: Any) -> RemoteEditor:
    """A Gemini image model.

    Settings: `model` (gemini-2.5-flash-image), `temperature`, `seed`,
    `aspect_ratio`, `image_size`, `safety` (a threshold such as BLOCK_NONE, for all categories of
    harm),
    """
    return remote(Gemini, "gemini", settings)


# -- chat completions ------------------------------------------------------------------------------


class ChatSettings(Settings, kw_only=True, frozen=True):
    pictures: Count = 14
    temperature: float | None = None
    seed: int | None = None


class Chat(Provider):
    shape = ChatSettings
    home = "https://openrouter.ai/api/v1"
    keys = ("OPENROUTER_API_KEY",)
    needs: ClassVar[Mapping[str, str]] = {"model": "google/gemini-2.5-flash-image"}

    def request(self, ask: Ask) -> Call:
        parameters = self.given("temperature", "seed") | {**self.extra}
        if self.told.base_url in ("", self.home):
            parameters = {"usage": {"include": True}} | parameters
        parts = [
            {"type": "text", "text": turn}
            if isinstance(turn, str)
            else {"type": "image_url", "image_url": {"url": turn.address}}
            for turn in ask.turns
        ]
        messages = [{"role": "user", "content": parts}]
        body = {"model": self.model, "modalities": ["image", "text"], "messages": messages}
        return Call("/chat/completions", {**body, **parameters}, parameters)

    def result(self, value: Any) -> Made | Nothing:
        choice = next(iter(objects(at(value, "choices"))), {})
        message = next(iter(objects([choice.get("message")])), {})
        text, pictures = _contents(message)
        detail: dict[str, Any] = {"text": text[:4000]} if text else {}
        if pictures:
            detail["pictures"], last = len(pictures), pictures[-1]
            is_data = last.startswith("data:")
            return Made(last if is_data else "", "" if is_data else last, detail)
        finish = str(choice.get("finish_reason") or "")
        native = str(choice.get("native_finish_reason") or "")
        if finish == "content_filter" or filtered(native) or message.get("refusal"):
            why = f"({native or finish}) {message.get('refusal') or ''} {text}"
            return Nothing(Status.REFUSED, f"stopped by the content filter {why}", detail)
        if error := choice.get("error") or at(value, "error"):
            return not_made(f"the service answered with an error: {error}", detail)
        return without_picture(f" ({finish})" if finish else "", text, detail)

    def bill(self, value: Any, price: ImagePrice) -> float | None:
        cost = told_cost(at(value, "usage"))
        return super().bill(value, price) if cost is None else round(cost, 6)

    def usage(self, value: Any) -> dict[str, int] | None:
        counts = [at(value, "usage", name) for name in ("prompt_tokens", "completion_tokens")]
        whole = all(isinstance(count, int) for count in counts)
        return {"text_in": counts[0], "out": counts[1]} if whole else None


def _contents(message: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The text of a message and the addresses of its pictures, wherever a gateway puts them."""
    content = message.get("content")
    parts = objects(content)
    text = content if isinstance(content, str) else ""
    text += "".join(str(part.get("text") or "") for part in parts if part.get("type") == "text")
    places = [part.get("image_url") for part in [*objects(message.get("images")), *parts]]
    urls = [place.get("url") if isinstance(place, dict) else place for place in places]
    pictures = [address for address in urls if isinstance(address, str) and address]
    return _IN_TEXT.sub("", text).strip(), pictures or _IN_TEXT.findall(text)


def chat(samples: Sequence[Sample], **settings: Any) -> RemoteEditor:
    """A chat model that answers with pictures, behind OpenRouter or a gateway like it.

    Settings: `model` (required), `pictures` (14), `temperature`, `seed`,
    """
    return remote(Chat, "chat", settings)


# -- an endpoint of one's own ----------------------------------------------------------------------


class HttpSettings(Settings, kw_only=True, frozen=True):
    seed: int = 0
    pictures: Count = 1
    concurrency: Count = 1
    timeout: float = 600.0


class Endpoint(Provider):
    shape = HttpSettings
    needs: ClassVar[Mapping[str, str]] = {"base_url": "http://localhost:8000"}

    @property
    def name(self) -> str:
        return urlsplit(self.told.base_url).hostname or ""

    def request(self, ask: Ask) -> Call:
        sample, images = ask.sample, iter(file.base64 for file in ask.files)
        facts = {"id": sample.id, "instruction": sample.instruction, "seed": self.told.seed}
        body: dict[str, Any] = {**facts, **self.extra}
        for shot in sample.shots:
            before = [next(images) for _ in shot.images]
            example = {"images": before, "instruction": shot.instruction, "reference": next(images)}
            body.setdefault("examples", []).append(example)
        return Call("/edit", {**body, "images": list(images)}, self.extra)

    def result(self, value: Any) -> Made | Nothing:
        detail = value["detail"] if isinstance(at(value, "detail"), dict) else {}
        if isinstance(at(value, "image"), str):
            return Made(data=value["image"] or "-", detail=detail)
        kinds = {one.value: one for one in (Status.REFUSED, Status.NOT_APPLICABLE)}
        reason = str(at(value, "error") or "the reply has neither image nor error")
        return Nothing(kinds.get(str(at(value, "status")), Status.FAILED), reason, detail)

    def bill(self, value: Any, price: ImagePrice) -> float | None:
        cost = at(value, "cost")
        usable = isinstance(cost, int | float) and math.isfinite(cost) and cost >= 0
        return float(cost) if usable else price.picture


def http(samples: Sequence[Sample], **settings: Any) -> RemoteEditor:
    """A model of one's own as a small HTTP service.

    It is asked by ``POST {base_url}/edit`` with JSON ``{"id",
    "instruction", "seed", "images": [base64, …], "examples": [{"images", "instruction",
    "reference"}]}`` (examples only with demonstrations), answered by ``{"image": base64}``, perhaps
    with ``"cost"`` in US dollars and ``"detail"``, or by ``{"error": "why", "status": "failed" |
    "refused" | "not_applicable"}``. ``examples/http_editor_server.py`` is such a server. A token in
    ``EDITGAUGE_EDITOR_KEY`` is sent along. Settings: `seed` (0), `pictures` (how many input
    pictures it takes, 1), here `concurrency` 1 and `timeout` 600 s,
    """
    return remote(Endpoint, "http", settings)


for _factory in (openai, gemini, chat, http):
    _factory.__doc__ = f"{str(_factory.__doc__).rstrip()}\n    {_COMMON}\n    "
