"""OpenAI's image models (``/images/edits``), and services with a compatible endpoint by their
address.

Two styles of request: ``edits``, a form with the pictures as files (OpenAI's gpt-image family and
what imitates it), and ``generations``, JSON with the pictures as data addresses in ``image``
(Seedream and other services of its kind). The key comes from `KEY_NAMES` in the environment and
from nowhere else.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from editgauge.editors.asking import numbered, shots_for
from editgauge.editors.delivery import decoded, deliver, faulty, flag, known, number, whole
from editgauge.editors.prices import Price, price_of
from editgauge.editors.sending import (
    as_file,
    nearest_shape,
    passed_through,
    plain,
    sized,
    transparent_where_editable,
)
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
from editgauge.errors import ImageError, UsageError
from editgauge.types import Edit, Sample, Status

KEY_NAMES = ("EDITGAUGE_EDITOR_KEY", "OPENAI_API_KEY")
DEFAULT_BASE_URL = "https://api.openai.com/v1"
MOST_PICTURES = {"edits": 16, "generations": 10}
_ENDPOINTS = {"edits": "/images/edits", "generations": "/images/generations"}
_REFUSALS = (
    "moderation_blocked",
    "content_policy_violation",
    "content_filter",
    "safety",
    "sensitive",
)
_PARAMETERS = (
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
_FIXED = ((1024, 1024), (1536, 1024), (1024, 1536))
"""The sizes of the gpt-image-1 models; every other service takes multiples of 16."""


def openai(samples: Sequence[Sample], **settings: Any) -> OpenAIImages:
    """A model behind an OpenAI-compatible images endpoint.

    Settings: `model` (default gpt-image-1), `base_url`, `style` (edits | generations; generations
    for addresses of Volcengine and for seedream models), `name`, `price` (US dollars an output),
    `shots`, `mask` (send the sample's input mask, whose area may change), `concurrency` (4),
    `timeout` (300 s), `attempts` (5), and what is passed on: size, quality, background,
    input_fidelity, output_format, moderation, watermark, seed, guidance_scale, and
    ``extra.NAME=VALUE`` for anything else. ``size=input`` asks for the input's own size: to
    multiples of 16, or for the gpt-image-1 models the one of their three sizes whose shape is
    nearest. Raises `UsageError` for another setting or without a key.
    """
    own = (
        "model",
        "base_url",
        "style",
        "name",
        "price",
        "shots",
        "mask",
        "concurrency",
        "timeout",
        "attempts",
        "pause",
    )
    extra = passed_through(settings)
    settings = {key: value for key, value in settings.items() if not key.startswith("extra.")}
    known("openai", settings, *own, *_PARAMETERS, "extra.NAME")
    model = str(settings.get("model") or "gpt-image-1")
    address = str(settings.get("base_url") or DEFAULT_BASE_URL)
    style = str(
        settings.get("style")
        or ("generations" if "seedream" in model or "volces" in address else "edits")
    )
    if style not in MOST_PICTURES:
        raise UsageError(
            f"editor 'openai': style: wanted {' or '.join(MOST_PICTURES)}, found {style!r}"
        )
    given = settings.get("price")
    shots = whole("openai", settings, "shots", 0)
    service = Service(
        address,
        key=key_from(KEY_NAMES, needed=address == DEFAULT_BASE_URL),
        concurrency=(concurrency := whole("openai", settings, "concurrency", 4, least=1)),
        timeout=number("openai", settings, "timeout", 300.0, least=0.001),
        attempts=whole("openai", settings, "attempts", 5, least=1),
        pause=number("openai", settings, "pause", 1.0),
    )
    return OpenAIImages(
        name=str(settings.get("name") or model.rsplit("/", 1)[-1].replace(":", "-")),
        model=model,
        style=style,
        service=service,
        price=price_of(model, None if given is None else number("openai", settings, "price", 0.0)),
        parameters={**{key: settings[key] for key in _PARAMETERS if key in settings}, **extra},
        mask=flag("openai", settings, "mask", False),
        shots=shots,
        samples=samples if shots else (),
        concurrency=concurrency,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """One call: what is asked of which pictures, and the call's key. `mask` is a PNG, or empty."""

    sample: Sample
    prompt: str
    files: Sequence[tuple[str, bytes, str]]
    parameters: Mapping[str, Any]
    mask: bytes
    key: str
    shots: Sequence[str]


def _address(media: str, data: bytes) -> str:
    return f"data:{media};base64,{base64.b64encode(data).decode()}"


def _addresses(files: Sequence[tuple[str, bytes, str]]) -> list[str]:
    return [_address(media, data) for _, data, media in files]


@dataclass(frozen=True, kw_only=True)
class OpenAIImages:
    """See `openai`. Runs on `concurrency` threads of one process; `ledger` keeps what it costs
    within a budget.
    """

    name: str
    model: str
    style: str
    service: Service
    price: Price
    parameters: Mapping[str, Any] = field(default_factory=dict)
    mask: bool = False
    shots: int = 0
    samples: Sequence[Sample] = ()
    concurrency: int = 4
    ledger: Ledger = field(default_factory=Ledger)
    parallel: str = "thread"

    def estimate(self, sample: Sample) -> float | None:
        """What one edit will about cost, in US dollars; None where the price is not known."""
        return (
            0.0
            if faulty(sample, self.name, pictures=MOST_PICTURES[self.style])
            else self.price.picture
        )

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        asked = self._asked(sample, folder)
        if isinstance(asked, Edit):
            return asked
        charge = Charge(self.ledger, self.price.picture, self.model)
        request = self._form(asked) if self.style == "edits" else self._json(asked)
        reply = self.service.call(replace(request, key=asked.key, charge=charge))
        usage = usage_of(reply.value) if reply.status is Status.SCORED else None
        answered = reply.status is Status.SCORED
        cost = charge.bill(self.price.of(usage)) if answered else charge.cost
        return self._made(asked, folder, reply, usage, cost)

    # -- in a batch (see `editors.batch`) ----------------------------------------------------------

    def batch_line(self, sample: Sample, folder: Path) -> tuple[str, str, dict[str, Any]] | Edit:
        """What asks for a sample in a batch: the call's key, its endpoint, its JSON body; or why it
        cannot be asked. `folder` stands for the run, as in a call.
        """
        asked = self._asked(sample, folder)
        if isinstance(asked, Edit):
            return asked
        if self.style != "edits":
            body = self._generation(asked)
        else:
            body = {
                "model": self.model,
                "prompt": asked.prompt,
                "images": [{"image_url": address} for address in _addresses(asked.files)],
                **{key: plain(value) for key, value in asked.parameters.items()},
            }
            if asked.mask:
                body["mask"] = {"image_url": _address("image/png", asked.mask)}
        return asked.key, f"/v1{_ENDPOINTS[self.style]}", body

    def batch_edit(self, sample: Sample, folder: Path, reply: Reply, cost: float | None) -> Edit:
        """The edit that a batch's answer is; `cost` is what it was booked at without a bill."""
        asked = self._asked(sample, folder)
        if isinstance(asked, Edit):
            return asked
        usage = usage_of(reply.value) if reply.status is Status.SCORED else None
        return self._made(asked, folder, reply, usage, cost)

    def batch_cost(self, reply: Reply | None = None) -> float | None:
        """The bill of a batch's answer, in US dollars, or what one call in a batch may cost."""
        return self.price.of(usage_of(reply.value) if reply is not None else None, batch=True)

    # -- inside ------------------------------------------------------------------------------------

    def _asked(self, sample: Sample, folder: Path) -> _Asked | Edit:
        """The call for a sample, or why there is none."""
        most = MOST_PICTURES[self.style]
        fault = faulty(sample, self.name, pictures=most)
        if fault is not None:
            return fault
        shots = shots_for(sample, self.samples, self.shots)
        prompt, pictures = numbered(sample, shots)
        if len(pictures) > most:
            reason = (
                f"{len(shots)} demonstrations make {len(pictures)} pictures, the service "
                f"takes {most}"
            )
            return Edit.without(sample.id, self.name, Status.NOT_APPLICABLE, reason)
        try:
            files = [as_file(path, index) for index, path in enumerate(pictures)]
            parameters = self._sized(pictures[0])
            masked = self.mask and self.style == "edits" and "input" in sample.masks
            mask = transparent_where_editable(sample.masks["input"]) if masked else b""
        except ImageError as error:
            return Edit.without(sample.id, self.name, Status.DATASET_FAULT, f"input image: {error}")
        told = repr(sorted((name, str(value)) for name, value in parameters.items()))
        key = call_key(folder, sample.id, self.model, prompt, told, *(data for _, data, _ in files))
        return _Asked(
            sample=sample,
            prompt=prompt,
            files=files,
            parameters=parameters,
            mask=mask,
            key=key,
            shots=[shot.id for shot in shots],
        )

    def _made(
        self,
        asked: _Asked,
        folder: Path,
        reply: Reply,
        usage: dict[str, int] | None,
        cost: float | None,
    ) -> Edit:
        facts = {
            "settings": {"model": self.model, "style": self.style, **asked.parameters},
            "seconds": round(reply.seconds, 6),
            "cost": cost,
            "detail": {"attempts": reply.attempts, "usage": usage, "shots": asked.shots},
        }
        return self._read(asked.sample, folder, reply, facts)

    def _sized(self, picture: Path) -> dict[str, Any]:
        """The parameters, with the size that the picture needs where ``size=input`` asks for it."""
        if self.parameters.get("size") != "input":
            return dict(self.parameters)
        fixed = self.model.rsplit("/", 1)[-1].startswith("gpt-image-1")
        width, height = nearest_shape(picture, _FIXED) if fixed else sized(picture)
        return {**self.parameters, "size": f"{width}x{height}"}

    def _form(self, asked: _Asked) -> Request:
        fields = {
            "model": self.model,
            "prompt": asked.prompt,
            "n": "1",
            **{k: str(v) for k, v in asked.parameters.items()},
        }
        many = len(asked.files) > 1
        parts = [("image[]" if many else "image", file) for file in asked.files]
        if asked.mask:
            parts.append(("mask", ("mask.png", asked.mask, "image/png")))
        return Request(_ENDPOINTS["edits"], lambda: {"data": fields, "files": parts})

    def _json(self, asked: _Asked) -> Request:
        body = self._generation(asked)
        return Request(_ENDPOINTS["generations"], lambda: {"json": body})

    def _generation(self, asked: _Asked) -> dict[str, Any]:
        pictures = _addresses(asked.files)
        return {
            "model": self.model,
            "prompt": asked.prompt,
            "image": pictures[0] if len(pictures) == 1 else pictures,
            "response_format": "b64_json",
            **{key: plain(value) for key, value in asked.parameters.items()},
        }

    def _read(self, sample: Sample, folder: Path, reply: Reply, facts: dict[str, Any]) -> Edit:
        if reply.status is not Status.SCORED:
            refused = any(
                word in f"{reply.code} {reply.reason}".lower() for word in _REFUSALS
            ) and reply.http in (
                400,
                403,
            )
            status = Status.REFUSED if refused else Status.FAILED
            return Edit.without(sample.id, self.name, status, reply.reason, **facts)
        entries = reply.value.get("data")
        entry = (
            entries[0]
            if isinstance(entries, list) and entries and isinstance(entries[0], dict)
            else {}
        )
        error = entry.get("error") or (reply.value.get("error") if not entry else None)
        if isinstance(error, dict):
            reason = words(f"{error.get('code') or ''} {error.get('message') or ''}")
            refused = any(word in reason.lower() for word in _REFUSALS)
            return Edit.without(
                sample.id, self.name, Status.REFUSED if refused else Status.FAILED, reason, **facts
            )
        if isinstance(entry.get("b64_json"), str):
            data = decoded(entry["b64_json"])
            if data is None:
                reason = "output: no base64 in b64_json"
                return Edit.without(sample.id, self.name, Status.UNREADABLE, reason, **facts)
            return deliver(sample, self.name, folder, data, **facts)
        if isinstance(entry.get("url"), str):
            try:
                return deliver(sample, self.name, folder, self.service.fetch(entry["url"]), **facts)
            except OSError as error:
                return Edit.without(sample.id, self.name, Status.FAILED, str(error), **facts)
        reason = (
            f"output: the reply has no picture, only "
            f"{', '.join(sorted(map(str, reply.value))) or 'nothing'}"
        )
        return Edit.without(sample.id, self.name, Status.UNREADABLE, words(reason), **facts)


def usage_of(value: Any) -> dict[str, int] | None:
    """Tokens of a reply as `Price.of` counts them; None where the reply tells none."""
    usage = value.get("usage") if isinstance(value, dict) else None
    if not isinstance(usage, dict) or not isinstance(usage.get("output_tokens"), int):
        return None
    split = usage.get("input_tokens_details")
    split = split if isinstance(split, dict) else {}
    pictures = int(split.get("image_tokens") or 0)
    text = int(split.get("text_tokens") or max(0, int(usage.get("input_tokens") or 0) - pictures))
    return {"text_in": text, "image_in": pictures, "out": int(usage["output_tokens"])}
