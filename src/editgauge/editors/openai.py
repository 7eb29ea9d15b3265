"""OpenAI's interface for images and those like it: edits, generations, responses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from editgauge.editors.asking import Ask, File, nearest_shape, sized
from editgauge.editors.calling import Call
from editgauge.editors.delivery import at, objects
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
from editgauge.services.prices import ImagePrice
from editgauge.types import Sample, Status

_FIXED = ((1024, 1024), (1536, 1024), (1024, 1536))
"""The sizes of the gpt-image-1 models; every other service takes multiples of 16."""


class OpenAISettings(Settings, kw_only=True, frozen=True):
    model: str = "gpt-image-1"
    style: Literal["edits", "generations", "responses"] | None = None
    size: str | None = None
    quality: str | None = None
    seed: int | None = None


def openai(samples: Sequence[Sample], **settings: Any) -> RemoteEditor:
    """A model behind an OpenAI-compatible interface for images.

    Settings: `model` (default gpt-image-1), `base_url`, `style` (edits: a form with the pictures as
    files; generations: JSON with data addresses, for Seedream and addresses of Volcengine;
    responses: OpenAI's responses with its image tool), `name`, `price` (US dollars an output),
    `concurrency` (4), `timeout` (300 s), `attempts` (5), `pause` (1 s), `size`, `quality`, `seed`,
    and ``extra.NAME=VALUE`` for anything else (``extra.input_fidelity=high``). ``size=input`` asks
    for the input's own size: to multiples of 16, or for the gpt-image-1 models the one of their
    three sizes whose shape is nearest. Raises `UsageError` for another setting or without a key.
    """
    return remote(OpenAI, "openai", settings)


class OpenAI(Provider):
    """See `openai`."""

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
        told = self._parameters(ask)
        facts = {"style": self.style, **told}
        pictures = [] if self.style == "edits" else [file.address for file in ask.files]
        if self.style == "generations":
            body: dict[str, Any] = {"model": self.model, "prompt": ask.prompt}
            body["response_format"] = "b64_json"
            body["image"] = pictures[0] if len(pictures) == 1 else pictures
            return Call("/images/generations", body | told, facts)
        if self.style == "responses":
            content = [{"type": "input_text", "text": ask.prompt}]
            content += [{"type": "input_image", "image_url": address} for address in pictures]
            tool = {"type": "image_generation"}
            body = {"model": self.model, "input": [{"role": "user", "content": content}]}
            body |= {"tools": [{**tool, "action": "edit", **told}], "tool_choice": tool}
            return Call("/responses", body, facts)
        words = {n: str(v).lower() if isinstance(v, bool) else str(v) for n, v in told.items()}
        fields = {"model": self.model, "prompt": ask.prompt, "n": "1", **words}
        name = "image[]" if len(ask.files) > 1 else "image"
        files: list[tuple[str, File]] = [(name, file) for file in ask.files]
        return Call("/images/edits", facts=facts, fields=fields, files=files)

    def _parameters(self, ask: Ask) -> dict[str, Any]:
        """What goes to the model beside the question, with the size that its picture needs."""
        told = self.given("size", "quality", "seed")
        if "seedream" in self.model:
            told["watermark"] = False  # its own default writes one into the picture
        if told.get("size") == "input":
            fixed = self.model.rsplit("/", 1)[-1].startswith("gpt-image-1")
            picture = ask.sample.images[0]
            width, height = nearest_shape(picture, _FIXED) if fixed else sized(picture)
            told["size"] = f"{width}x{height}"
        return {**told, **self.extra}

    def result(self, value: Any) -> Made | Nothing:
        entry = next(iter(objects(at(value, "data"))), {})
        items = objects(at(value, "output"))
        for item in items:
            if item.get("type") == "image_generation_call" and item.get("result"):
                entry = {"b64_json": item["result"]}
        detail = {"usage": _usage(value)}
        error = entry.get("error") or (at(value, "error") if not entry else None)
        if isinstance(error, dict):
            return not_made(f"{error.get('code') or ''} {error.get('message') or ''}", detail)
        if isinstance(entry.get("b64_json"), str):
            return Made(data=entry["b64_json"] or "-", detail=detail)
        if isinstance(entry.get("url"), str):
            return Made(url=entry["url"], detail=detail)
        parts = [part for item in items for part in objects(item.get("content"))]
        refused = " ".join(str(part["refusal"]) for part in parts if part.get("refusal"))
        if refused:
            return Nothing(Status.REFUSED, refused, detail)
        return without_picture("", " ".join(str(part.get("text") or "") for part in parts), detail)

    def bill(self, value: Any, price: ImagePrice) -> float | None:
        return price.of(_usage(value))


def _usage(value: Any) -> dict[str, int] | None:
    """Tokens of a reply as `ImagePrice.of` counts them; None where the reply tells none."""
    usage = at(value, "usage")
    if not isinstance(at(usage, "output_tokens"), int):
        return None
    pictures = int(at(usage, "input_tokens_details", "image_tokens") or 0)
    total = int(usage.get("input_tokens") or 0)
    text = int(at(usage, "input_tokens_details", "text_tokens") or max(0, total - pictures))
    return {"text_in": text, "image_in": pictures, "out": int(usage["output_tokens"])}
