"""The services that answer with a picture at once: OpenAI (images and responses) and those like it,
Gemini, chat models with pictures, and a plain HTTP endpoint of one's own.

Each is a pair of pure functions (`remote.Provider`) and a shape of settings. Plain HTTP rather than
the makers' packages, which bring retries of their own and know no budget.
"""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from editgauge.editors.calling import Call, File
from editgauge.editors.delivery import typed
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
from editgauge.editors.sending import nearest_shape, sized, transparent_where_editable
from editgauge.errors import UsageError
from editgauge.services.policy import filtered
from editgauge.services.prices import ImagePrice, told_cost
from editgauge.types import Sample, Status


def at(value: Any, *path: str | int) -> Any:
    """What lies at a path in JSON; None where there is nothing."""
    for step in path:
        if isinstance(step, int):
            value = value[step] if isinstance(value, list) and len(value) > step else None
        else:
            value = value.get(step) if isinstance(value, dict) else None
    return value


def objects(value: Any) -> list[dict[str, Any]]:
    """The objects of a JSON list; none for anything else."""
    return [part for part in value if isinstance(part, dict)] if isinstance(value, list) else []


def encoded(file: File) -> str:
    return base64.b64encode(file[1]).decode()


def data_url(file: File) -> str:
    """A picture as a ``data:`` address."""
    return f"data:{file[2]};base64,{encoded(file)}"


def _missing(value: Any, said: str = "") -> Nothing:
    names = ", ".join(sorted(map(str, value))) if isinstance(value, dict) else ""
    return Nothing(
        Status.UNREADABLE, f"output: the reply has no picture, only {said or names or 'nothing'}"
    )


# ------------------------------------------------------------------------------------------- OpenAI
OPENAI = "https://api.openai.com/v1"
_FIXED = ((1024, 1024), (1536, 1024), (1024, 1536))
"""The sizes of the gpt-image-1 models; every other service takes multiples of 16."""
Style = Literal["edits", "generations", "responses"]
_PASSED = (
    "size",
    "quality",
    "background",
    "input_fidelity",
    "output_format",
    "moderation",
    "watermark",
    "seed",
    "guidance_scale",
)


class OpenAISettings(Settings, kw_only=True, frozen=True):
    model: str = "gpt-image-1"
    style: Style | None = None
    mask: bool = False
    size: str | None = None
    quality: str | None = None
    background: str | None = None
    input_fidelity: str | None = None
    output_format: str | None = None
    moderation: str | None = None
    watermark: bool | None = None
    seed: int | None = None
    guidance_scale: float | None = None


def openai(samples: Sequence[Sample], **settings: Any) -> RemoteEditor:
    """A model behind an OpenAI-compatible interface for images.

    Settings: `model` (default gpt-image-1), `base_url`, `style` (edits: a form with the pictures as
    files; generations: JSON with data addresses, for Seedream and addresses of Volcengine;
    responses: OpenAI's responses with its image tool), `name`, `price` (US dollars an output),
    `mask` (send the sample's input mask, whose area may change), `concurrency` (4),
    `timeout` (300 s), `attempts` (5), and what is passed on: size, quality, background,
    input_fidelity, output_format, moderation, watermark, seed, guidance_scale, and
    ``extra.NAME=VALUE`` for anything else. ``size=input`` asks for the input's own size: to
    multiples of 16, or for the gpt-image-1 models the one of their three sizes whose shape is
    nearest. Raises `UsageError` for another setting or without a key.
    """
    told, extra = split("openai", settings, OpenAISettings)
    like_seedream = "seedream" in told.model or "volces" in told.base_url
    style: Style = told.style or ("generations" if like_seedream else "edits")
    passed = {name: getattr(told, name) for name in _PASSED}
    parameters = {name: value for name, value in passed.items() if value is not None} | extra
    if "seedream" in told.model:
        parameters.setdefault("watermark", False)  # its own default writes one into the picture
    provider = OpenAI(told.model, style, parameters, told.mask)
    keys = ("OPENAI_API_KEY",)
    return remote(RemoteEditor, provider, told, address=OPENAI, keys=keys)


@dataclass(frozen=True, slots=True)
class OpenAI:
    """See `openai`."""

    model: str
    style: Style
    parameters: Mapping[str, Any]
    mask: bool = False

    @property
    def pictures(self) -> int:
        return 10 if self.style == "generations" else 16

    def request(self, ask: Ask) -> Call:
        told = self._sized(ask.shown)
        facts = {"style": self.style, **told}
        if self.style == "generations":
            return Call("/images/generations", self._generation(ask, told), facts)
        if self.style == "responses":
            return Call("/responses", self._response(ask, told), facts)
        texts = {name: _word(value) for name, value in told.items()}
        fields = {"model": self.model, "prompt": ask.prompt, "n": "1", **texts}
        name = "image[]" if len(ask.files) > 1 else "image"
        parts: list[tuple[str, File]] = [(name, file) for file in ask.files]
        if mask := self._mask(ask.sample):
            parts.append(("mask", ("mask.png", mask, "image/png")))
        return Call("/images/edits", facts=facts, fields=fields, files=parts)

    def batched(self, ask: Ask) -> dict[str, Any]:
        """The JSON body of the same call in a batch."""
        told = {name: typed(value) for name, value in self._sized(ask.shown).items()}
        if self.style == "generations":
            return self._generation(ask, told)
        if self.style == "responses":
            return self._response(ask, told)
        images = [{"image_url": data_url(file)} for file in ask.files]
        body = {"model": self.model, "prompt": ask.prompt, "images": images, **told}
        if mask := self._mask(ask.sample):
            body["mask"] = {"image_url": data_url(("mask.png", mask, "image/png"))}
        return body

    def result(self, value: Any) -> Made | Nothing:
        entry = next(iter(objects(at(value, "data"))), {})
        for item in objects(at(value, "output")):
            if item.get("type") == "image_generation_call" and item.get("result"):
                entry = {"b64_json": item["result"]}
        error = entry.get("error") or (at(value, "error") if not entry else None)
        detail = {"usage": usage_of_openai(value)}
        if isinstance(error, dict):
            reason = f"{error.get('code') or ''} {error.get('message') or ''}"
            return Nothing(Status.REFUSED if filtered(reason) else Status.FAILED, reason, detail)
        if isinstance(entry.get("b64_json"), str):
            return Made(data=entry["b64_json"] or "-", detail=detail)
        if isinstance(entry.get("url"), str):
            return Made(url=entry["url"], detail=detail)
        said = " ".join(
            str(part.get("refusal") or part.get("text") or "")
            for item in objects(at(value, "output"))
            for part in objects(item.get("content"))
        ).strip()
        if "refusal" in str(at(value, "output")) and said:
            return Nothing(Status.REFUSED, said, detail)
        return _missing(value, said)

    def bill(self, value: Any, price: ImagePrice) -> float | None:
        return price.of(usage_of_openai(value))

    def _sized(self, picture: Path) -> dict[str, Any]:
        """The parameters, with the size that the picture needs where ``size=input`` asks for it."""
        if self.parameters.get("size") != "input":
            return dict(self.parameters)
        fixed = self.model.rsplit("/", 1)[-1].startswith("gpt-image-1")
        width, height = nearest_shape(picture, _FIXED) if fixed else sized(picture)
        return {**self.parameters, "size": f"{width}x{height}"}

    def _mask(self, sample: Sample) -> bytes:
        asked = self.mask and self.style == "edits" and "input" in sample.masks
        return transparent_where_editable(sample.masks["input"]) if asked else b""

    def _generation(self, ask: Ask, told: Mapping[str, Any]) -> dict[str, Any]:
        pictures = [data_url(file) for file in ask.files]
        image = pictures[0] if len(pictures) == 1 else pictures
        form = {"response_format": "b64_json"}
        return {"model": self.model, "prompt": ask.prompt, "image": image, **form, **told}

    def _response(self, ask: Ask, told: Mapping[str, Any]) -> dict[str, Any]:
        content = [{"type": "input_text", "text": ask.prompt}]
        content += [{"type": "input_image", "image_url": data_url(file)} for file in ask.files]
        tool = {"type": "image_generation", "action": "edit", **told}
        return {
            "model": self.model,
            "input": [{"role": "user", "content": content}],
            "tools": [tool],
            "tool_choice": {"type": "image_generation"},
        }


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def usage_of_openai(value: Any) -> dict[str, int] | None:
    """Tokens of a reply as `ImagePrice.of` counts them; None where the reply tells none."""
    usage = at(value, "usage")
    if not isinstance(at(usage, "output_tokens"), int):
        return None
    pictures = int(at(usage, "input_tokens_details", "image_tokens") or 0)
    total = int(usage.get("input_tokens") or 0)
    text = int(at(usage, "input_tokens_details", "text_tokens") or max(0, total - pictures))
    return {"text_in": text, "image_in": pictures, "out": int(usage["output_tokens"])}


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


# ------------------------------------------------------------------------- an endpoint of one's own
class HttpSettings(Settings, kw_only=True, frozen=True):
    seed: int = 0
    pictures: Count = 1
    concurrency: Count = 1
    timeout: float = 600.0


def http(samples: Sequence[Sample], **settings: Any) -> RemoteEditor:
    """A model of one's own as a small HTTP service: ``POST {base_url}/edit`` with JSON ``{"id",
    "instruction", "seed", "images": [base64, …], "examples": [{"images", "instruction",
    "reference"}]}`` (examples only with ``--shots``), answered by ``{"image": base64}``, perhaps
    with ``"cost"`` in US dollars and ``"detail"``, or by ``{"error": "why", "status": "failed" |
    "refused" | "not_applicable"}``. 429 and 503 with ``Retry-After`` are waited for, 408, 409, 425
    and 5xx asked again. ``examples/http_editor_server.py`` is such a server.

    Settings: `base_url` (required), `name` (default: the host's), `price`, `timeout` (600 s),
    `concurrency` (1), `attempts` (5), `seed` (0), `pictures` (how many input pictures it
    takes, 1). A token in ``EDITGAUGE_EDITOR_KEY`` is sent along. Raises `UsageError` for another
    setting or no address.
    """
    told, extra = split("http", settings, HttpSettings)
    if not told.base_url:
        raise UsageError(
            "editor 'http': wanted the setting base_url, for example --base-url "
            "http://localhost:8000"
        )
    provider = Http(told.seed, told.pictures, extra)
    name = urlsplit(told.base_url).hostname or "http"
    return remote(RemoteEditor, provider, told, address="", keys=(), name=name)


@dataclass(frozen=True, slots=True)
class Http:
    """See `http`."""

    seed: int = 0
    pictures: int = 1
    extra: Mapping[str, Any] = field(default_factory=dict)

    def request(self, ask: Ask) -> Call:
        own = len(ask.sample.images)
        images = [encoded(file) for file in ask.files]
        body: dict[str, Any] = {
            "id": ask.sample.id,
            "instruction": ask.sample.instruction,
            "seed": self.seed,
            "images": images[-own:],
            **self.extra,
        }
        start = 0
        for shot in ask.shots:
            end = start + len(shot.images)
            example = {"images": images[start:end], "instruction": shot.instruction}
            body.setdefault("examples", []).append(example | {"reference": images[end]})
            start = end + 1
        return Call("/edit", body, self.extra)

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
