"""The services that answer with a picture at once: OpenAI (images and responses) and those like it,
and a plain HTTP endpoint of one's own; `chats` has those that talk.

Each is a pair of pure functions (`remote.Provider`) and a shape of settings. Plain HTTP rather than
the makers' packages, which bring retries of their own and know no budget.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from editgauge.editors.calling import Call, File
from editgauge.editors.delivery import at, objects, typed
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
from editgauge.editors.sending import (
    data_url,
    encoded,
    nearest_shape,
    sized,
    transparent_where_editable,
)
from editgauge.errors import UsageError
from editgauge.services.policy import filtered
from editgauge.services.prices import ImagePrice
from editgauge.types import Sample, Status


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
