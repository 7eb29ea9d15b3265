"""The services that answer in one call: OpenAI's images, Gemini, chats with pictures, a plain
endpoint. Written after their own pages (November 2026).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar, Literal
from urllib.parse import urlsplit

import msgspec

from editgauge.editors.calling import Ask, Call, sized
from editgauge.editors.delivery import Count
from editgauge.editors.remote import Provider, Result, factory, not_made, without_picture
from editgauge.services.policy import at, error_of, filtered, objects
from editgauge.services.prices import ImagePrice, told_cost
from editgauge.types import JsonObject, Status

_FIXED = ((1024, 1024), (1536, 1024), (1024, 1536))
"""The sizes of the gpt-image-1 models; every other service takes multiples of 16."""
_STOPS = frozenset({
    "SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "RECITATION", "OTHER", "JAILBREAK",
    "BLOCKED_REASON_UNSPECIFIED", "MODEL_ARMOR",
})  # fmt: skip
"""Gemini's reasons to end that are refusals; those of pictures have ``IMAGE_`` before them."""


def _tokens(total: Any, pictures: Any, out: Any, text_out: Any = 0) -> dict[str, int] | None:
    """A usage record of tokens: all that went in, of those the pictures'; pictures that came out,
    and text and thinking that did.
    """
    if not isinstance(total, int) or not isinstance(out, int):
        return None
    image = pictures if isinstance(pictures, int) else 0
    text = text_out if isinstance(text_out, int) else 0
    tokens = {"text_in": max(0, total - image), "image_in": image, "out": out}
    return {**tokens, "text_out": text} if text else tokens


def _pictures_of(details: Any) -> int:
    """The tokens of pictures in Gemini's counts by modality."""
    counts = [one.get("tokenCount") for one in objects(details) if one.get("modality") == "IMAGE"]
    return sum(count for count in counts if isinstance(count, int))


# -- OpenAI ----------------------------------------------------------------------------------------


class OpenAI(Provider, kw_only=True, frozen=True):
    """A model behind an OpenAI-compatible interface for images.

    `style`: edits (a form with the pictures as files), generations (JSON with data addresses, for
    Seedream) or responses (with its image tool). `size`: ``input`` is the input's own, to multiples
    of 16, or for the gpt-image-1 models the one of their three whose shape is nearest.
    """

    home = "https://api.openai.com/v1"
    keys = ("OPENAI_API_KEY",)
    takes = 16

    model: str = "gpt-image-1"
    style: Literal["edits", "generations", "responses"] | None = None
    size: str | None = None
    quality: str | None = None

    @property
    def _style(self) -> str:
        seedream = "seedream" in self.model or "volces" in self.base_url
        return self.style or ("generations" if seedream else "edits")

    @property
    def facts(self) -> JsonObject:
        return {**super().facts, "style": self._style}

    def request(self, ask: Ask) -> Call:
        parameters = self._parameters(ask)
        if self._style == "edits":
            fields = {"model": self.model, "prompt": ask.prompt, "n": "1"}
            for name, value in parameters.items():
                fields[name] = str(value).lower() if isinstance(value, bool) else str(value)
            name = "image[]" if len(ask.files) > 1 else "image"
            return Call("/images/edits", None, fields, [(name, file) for file in ask.files])
        pictures = [file.address for file in ask.files]
        if self._style == "generations":
            image = pictures[0] if len(pictures) == 1 else pictures
            told = {"prompt": ask.prompt, "image": image, "response_format": "b64_json"}
            return Call("/images/generations", {"model": self.model, **told, **parameters})
        content = [{"type": "input_text", "text": ask.prompt}]
        content += [{"type": "input_image", "image_url": address} for address in pictures]
        tool = {"type": "image_generation"}
        body: JsonObject = {
            "model": self.model,
            "input": [{"role": "user", "content": content}],
            "tool_choice": tool,
            "tools": [{**tool, "action": "edit", **parameters}],
        }
        return Call("/responses", body)

    def _parameters(self, ask: Ask) -> JsonObject:
        """What goes to the model beside the question, with the size that its picture needs."""
        parameters = self.given("size", "quality", "seed")
        if "seedream" in self.model:
            parameters["watermark"] = False  # its own default writes one into the picture
        if parameters.get("size") == "input":
            width, height = sized(ask.sample.images[0])
            if self.model.rsplit("/", 1)[-1].startswith("gpt-image-1"):
                shape = math.log(width / height)
                width, height = min(_FIXED, key=lambda s: abs(math.log(s[0] / s[1]) - shape))
            parameters["size"] = f"{width}x{height}"
        return {**parameters, **self.extra}

    def result(self, value: Any) -> Result:
        items = objects(at(value, "output"))
        tool = (one.get("result") for one in items if one.get("type") == "image_generation_call")
        data = next(filter(None, tool), None) or at(value, "data.0.b64_json")
        picture, detail = data or at(value, "data.0.url"), {"usage": self.usage(value)}
        if picture and isinstance(picture, str):
            return Result(picture=picture, detail=detail)
        if at(value, "error"):
            error = error_of(value)
            reason = f"{error.get('code') or ''} {error.get('message') or ''}"
            return not_made(reason.strip(), detail=detail)
        if cut := at(value, "incomplete_details.reason"):
            return not_made(f"the answer is not complete ({cut})", detail=detail)
        parts = [part for item in items for part in objects(item.get("content"))]
        if refused := " ".join(str(part["refusal"]) for part in parts if part.get("refusal")):
            return not_made(refused, refused=True, detail=detail)
        said = " ".join(str(part.get("text") or "") for part in parts)
        return without_picture("", said, detail=detail)

    def usage(self, value: Any) -> dict[str, int] | None:
        pictures = at(value, "usage.input_tokens_details.image_tokens")
        total, out = at(value, "usage.input_tokens"), at(value, "usage.output_tokens")
        return _tokens(total, pictures, out)


# -- Gemini ----------------------------------------------------------------------------------------


class Gemini(Provider, kw_only=True, frozen=True):
    """A Gemini image model.

    What is passed to it as it is are parts of its ``generationConfig``, for example
    ``extra.imageConfig.aspectRatio=16:9``.
    """

    home = "https://generativelanguage.googleapis.com/v1beta"
    keys = ("GEMINI_API_KEY", "GOOGLE_API_KEY")
    takes = 14

    model: str = "gemini-2.5-flash-image"
    temperature: float | None = None

    def headers(self, key: str) -> Mapping[str, str]:
        return {"x-goog-api-key": key}

    def request(self, ask: Ask) -> Call:
        config = {"responseModalities": ["TEXT", "IMAGE"], **self.given("temperature", "seed")}
        files = [{"mimeType": file.media, "data": file.base64} for file in ask.files]
        parts = [*({"inlineData": file} for file in files), {"text": ask.prompt}]
        body = {
            "contents": [{"role": "user", "parts": parts}],
            "generationConfig": config | self.extra,
        }
        return Call(f"/models/{self.model.removeprefix('models/')}:generateContent", body)

    def result(self, value: Any) -> Result:
        detail: JsonObject = {"usage": self.usage(value)}
        if blocked := at(value, "promptFeedback.blockReason"):
            why = at(value, "promptFeedback.blockReasonMessage") or ""
            reason = f"the prompt was blocked ({blocked}) {why}"
            return not_made(reason, refused=True, detail=detail)
        candidate = at(value, "candidates.0")
        parts = [p for p in objects(at(candidate, "content.parts")) if not p.get("thought")]
        text = "".join(str(part["text"]) for part in parts if "text" in part)
        detail |= {"text": text[:4000]} if text else {}
        if pictures := _gemini_pictures(value):
            return Result(picture=pictures[-1], detail=detail)
        finish = str(at(candidate, "finishReason") or "")
        why = str(at(candidate, "finishMessage") or text)
        if finish.removeprefix("IMAGE_") in _STOPS:
            reason = f"stopped by the content filter ({finish}) {why}"
            return not_made(reason, refused=True, detail=detail)
        return without_picture(f" ({finish})" if finish else "", why, detail=detail)

    def bill(self, value: Any, price: ImagePrice) -> float | None:
        """What an answer cost. One without a picture (a refusal, or words alone) costs its tokens,
        as far as they have a price, and never the price of a picture.
        """
        if self.result(value).status is not Status.SCORED:
            price = msgspec.structs.replace(price, picture=0.0)
        return super().bill(value, price)

    def usage(self, value: Any) -> dict[str, int] | None:
        usage = at(value, "usageMetadata")
        images = _pictures_of(at(usage, "promptTokensDetails"))
        made, thought = at(usage, "candidatesTokenCount"), at(usage, "thoughtsTokenCount")
        has_picture = bool(_gemini_pictures(value))
        if made is None and not has_picture:
            made = 0  # a blocked prompt has no count of what came out
        text = thought if isinstance(thought, int) else 0
        pictures = _pictures_of(at(usage, "candidatesTokensDetails"))
        if isinstance(made, int) and not has_picture:
            text += made
            made = 0
        elif pictures and isinstance(made, int) and pictures <= made:
            text += made - pictures
            made = pictures
        return _tokens(at(usage, "promptTokenCount"), images, made, text)


def _gemini_pictures(value: Any) -> list[str]:
    """The pictures of a reply as base64, those of its thinking left out."""
    parts = objects(at(value, "candidates.0.content.parts"))
    pictures = [at(part, "inlineData.data") for part in parts if not part.get("thought")]
    return [str(picture) for picture in pictures if picture]


# -- chat completions ------------------------------------------------------------------------------


class Chat(Provider, kw_only=True, frozen=True):
    """A chat model that answers with pictures, behind OpenRouter or a gateway like it."""

    home = "https://openrouter.ai/api/v1"
    keys = ("OPENROUTER_API_KEY",)
    takes = 14
    needs: ClassVar[Mapping[str, str]] = {"model": "google/gemini-2.5-flash-image"}

    temperature: float | None = None

    def request(self, ask: Ask) -> Call:
        urls = [{"url": file.address} for file in ask.files]
        parts = [{"type": "image_url", "image_url": url} for url in urls]
        body: JsonObject = {
            "model": self.model,
            "modalities": ["image", "text"],
            "messages": [
                {"role": "user", "content": [*parts, {"type": "text", "text": ask.prompt}]}
            ],
            **self.given("temperature", "seed"),
            **self.extra,
        }
        if self.base_url in ("", self.home):
            body = {"usage": {"include": True}} | body
        return Call("/chat/completions", body)

    def result(self, value: Any) -> Result:
        choice, message = at(value, "choices.0"), at(value, "choices.0.message")
        text, pictures = _contents(message)
        detail = {"text": text[:4000]} if text else {}
        if pictures:
            return Result(picture=pictures[-1], detail=detail)
        finish = str(at(choice, "finish_reason") or "")
        native = str(at(choice, "native_finish_reason") or "")
        refusal = at(message, "refusal") or ""
        if filtered(f"{native} {finish}") or refusal:
            reason = f"stopped by the content filter ({native or finish}) {refusal} {text}"
            return not_made(reason, refused=True, detail=detail)
        if error := at(choice, "error") or at(value, "error"):
            return not_made(f"the service answered with an error: {error}", detail=detail)
        return without_picture(f" ({finish})" if finish else "", text, detail=detail)

    def bill(self, value: Any, price: ImagePrice) -> float | None:
        cost = told_cost(at(value, "usage"))
        return super().bill(value, price) if cost is None else round(cost, 6)

    def usage(self, value: Any) -> dict[str, int] | None:
        made = at(value, "usage.completion_tokens")
        pictures = at(value, "usage.completion_tokens_details.image_tokens")
        text = 0
        if isinstance(pictures, int) and isinstance(made, int) and 0 < pictures <= made:
            text = made - pictures
            made = pictures
        return _tokens(at(value, "usage.prompt_tokens"), 0, made, text)


def _contents(message: Any) -> tuple[str, list[str]]:
    """The text of a message and the addresses of its pictures, wherever a gateway puts them."""
    content = at(message, "content")
    parts = objects(content)
    text = content if isinstance(content, str) else ""
    text += "".join(str(part.get("text") or "") for part in parts if part.get("type") == "text")
    places = [part.get("image_url") for part in [*objects(at(message, "images")), *parts]]
    urls = [at(place, "url") or place for place in places]
    pictures = [address for address in urls if isinstance(address, str) and address]
    return text.strip(), pictures


# -- an endpoint of one's own ----------------------------------------------------------------------


class Endpoint(Provider, kw_only=True, frozen=True):
    """A model of one's own as a small HTTP service.

    It is asked by ``POST {base_url}/edit`` with JSON ``{"id", "instruction", "seed", "images":
    [base64, …], "examples": [{"images", "instruction", "reference"}]}`` (examples only with
    demonstrations), answered by ``{"image": base64}``, perhaps with ``"cost"`` in US dollars and
    ``"detail"``, or by ``{"error": "why", "status": "failed" | "refused" | "not_applicable"}``.
    ``examples/http_editor_server.py`` is such a server. A token in ``EDITGAUGE_EDITOR_KEY`` is sent
    along.
    """

    needs: ClassVar[Mapping[str, str]] = {"base_url": "http://localhost:8000"}

    seed: int = 0
    concurrency: Count = 1
    timeout: float = 600.0

    @property
    def called(self) -> str:
        return urlsplit(self.base_url).hostname or ""

    def request(self, ask: Ask) -> Call:
        sample, images = ask.sample, iter(file.base64 for file in ask.files)
        body: JsonObject = {"id": sample.id, "instruction": sample.instruction}
        body |= {"seed": self.seed, **self.extra}
        for shot in sample.shots:
            before = [next(images) for _ in shot.images]
            example = {"images": before, "instruction": shot.instruction, "reference": next(images)}
            body.setdefault("examples", []).append(example)
        return Call("/edit", {**body, "images": list(images)})

    def result(self, value: Any) -> Result:
        detail = value["detail"] if isinstance(at(value, "detail"), dict) else {}
        if isinstance(at(value, "image"), str):
            return Result(picture=value["image"], detail=detail)
        kinds = {one.value: one for one in (Status.REFUSED, Status.NOT_APPLICABLE)}
        reason = str(at(value, "error") or "the reply has neither image nor error")
        status = kinds.get(str(at(value, "status")), Status.FAILED)
        return Result(status=status, reason=reason, detail=detail)

    def bill(self, value: Any, price: ImagePrice) -> float | None:
        cost = told_cost(value)
        return price.picture if cost is None else cost


openai, gemini = factory(OpenAI, "openai"), factory(Gemini, "gemini")
chat, http = factory(Chat, "chat"), factory(Endpoint, "http")
