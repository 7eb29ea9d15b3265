"""Chat models that answer with pictures (``/chat/completions``): OpenRouter, and gateways like it.

The instruction and the pictures go as parts of one message; the answer's pictures are in
``message.images``, or as parts of its content. Written after OpenRouter's documentation of image
generation (openrouter.ai/docs/features/multimodal/image-generation, read in November 2026) and
Vercel's of the same shape.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from editgauge.editors.asking import conversation, shots_for
from editgauge.editors.delivery import decoded, deliver, faulty, known, number, whole
from editgauge.editors.prices import Price, price_of
from editgauge.editors.sending import data_address, passed_through
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
from editgauge.services.prices import told_cost
from editgauge.types import Edit, Sample, Status

KEY_NAMES = ("EDITGAUGE_EDITOR_KEY", "OPENROUTER_API_KEY")
DEFAULT_BASE_URL = "https://openrouter.ai/api/v1"
MOST_PICTURES = 14
OWN = (
    "model",
    "base_url",
    "name",
    "price",
    "shots",
    "pictures",
    "concurrency",
    "timeout",
    "attempts",
    "pause",
    "temperature",
    "seed",
)
_IN_TEXT = re.compile(
    r"data:image/[\w.+-]+;base64,[A-Za-z0-9+/_-]+"
    r"(?:(?:\r?\n[A-Za-z0-9+/_-]{60,})+(?:\r?\n[A-Za-z0-9+/_-]+)?)?={0,2}"
)
"""A picture's data address in a text, also one that is wrapped into lines."""
_MARKDOWN = re.compile(r"!\[[^\]]*+(?:\]\((https?://[^\s()<>]++)\)|\]|\Z)")
"""A picture's address in a text, as Markdown writes it; an empty one where no address follows the
first ``]``. What comes before that is passed over with it: each further ``![`` in it would end at
the same bracket.
"""


def chat(samples: Sequence[Sample], **settings: Any) -> ChatEditor:
    """A chat model that answers with pictures. Settings: `model` (required), `base_url`, `name`,
    `price` (US dollars an output), `shots`, `pictures` (14), `concurrency` (4), `timeout` (300 s),
    `attempts` (5), `temperature`, `seed`, and ``extra.NAME=VALUE`` for what is passed on as it is
    (``extra.safety_settings``). Raises `UsageError` for another setting or without a key.
    """
    own = {key: value for key, value in settings.items() if not key.startswith("extra.")}
    known("chat", own, *OWN, "extra.NAME")
    model = str(own.get("model") or "")
    if not model:
        raise UsageError(
            "editor 'chat': wanted the setting model, for example --model "
            "google/gemini-2.5-flash-image"
        )
    address = str(own.get("base_url") or DEFAULT_BASE_URL)
    body: dict[str, Any] = {"usage": {"include": True}} if address == DEFAULT_BASE_URL else {}
    if "temperature" in own:
        body["temperature"] = number("chat", own, "temperature", 1.0)
    if "seed" in own:
        body["seed"] = whole("chat", own, "seed", 0)
    shots = whole("chat", own, "shots", 0)
    concurrency = whole("chat", own, "concurrency", 4, least=1)
    given = own.get("price")
    return ChatEditor(
        name=str(own.get("name") or model.rsplit("/", 1)[-1].replace(":", "-")),
        model=model,
        service=Service(
            address,
            key=key_from(KEY_NAMES, needed=address == DEFAULT_BASE_URL),
            concurrency=concurrency,
            timeout=number("chat", own, "timeout", 300.0, least=0.001),
            attempts=whole("chat", own, "attempts", 5, least=1),
            pause=number("chat", own, "pause", 1.0),
        ),
        price=price_of(model, None if given is None else number("chat", own, "price", 0.0)),
        body={**body, **passed_through(settings)},
        pictures=whole("chat", own, "pictures", MOST_PICTURES, least=1),
        shots=shots,
        samples=samples if shots else (),
        concurrency=concurrency,
    )


@dataclass(frozen=True, kw_only=True)
class ChatEditor:
    """See `chat`. Runs on `concurrency` threads of one process; `ledger` keeps what it costs within
    a budget.
    """

    name: str
    model: str
    service: Service
    price: Price
    body: Mapping[str, Any] = field(default_factory=dict)
    pictures: int = MOST_PICTURES
    shots: int = 0
    samples: Sequence[Sample] = ()
    concurrency: int = 4
    ledger: Ledger = field(default_factory=Ledger)
    parallel: str = "thread"

    def estimate(self, sample: Sample) -> float | None:
        """What one edit will about cost, in US dollars; None where the price is not known."""
        return 0.0 if faulty(sample, self.name, pictures=self.pictures) else self.price.picture

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        fault = faulty(sample, self.name, pictures=self.pictures)
        if fault is not None:
            return fault
        shots = shots_for(sample, self.samples, self.shots)
        try:
            parts = [_part(part) for part in conversation(sample, shots)]
        except ImageError as error:
            return Edit.without(sample.id, self.name, Status.DATASET_FAULT, f"input image: {error}")
        body = {
            "model": self.model,
            "modalities": ["image", "text"],
            "messages": [{"role": "user", "content": parts}],
            **self.body,
        }
        key = call_key(folder, sample.id, self.model, json.dumps(body))
        charge = Charge(self.ledger, self.price.picture, self.model)
        request = Request("/chat/completions", lambda: {"json": body}, key=key, charge=charge)
        reply = self.service.call(request)
        answered = reply.status is Status.SCORED
        cost = charge.bill(self._cost(reply)) if answered else charge.cost
        facts = {
            "settings": {"model": self.model, **self.body},
            "seed": self.body.get("seed"),
            "seconds": round(reply.seconds, 6),
            "cost": cost,
        }
        detail: dict[str, Any] = {
            "attempts": reply.attempts,
            "shots": [shot.id for shot in shots],
        }
        return self._read(sample, folder, reply, facts, detail)

    def _cost(self, reply: Reply) -> float | None:
        """What an answer says that it cost, else what its tokens do; None where neither is told."""
        usage = reply.value.get("usage")
        usage = usage if isinstance(usage, dict) else {}
        if (told := told_cost(usage)) is not None:
            return round(told, 6)
        counted = [usage.get(name) for name in ("prompt_tokens", "completion_tokens")]
        if all(isinstance(count, int) for count in counted):
            return self.price.of({"text_in": int(counted[0]), "out": int(counted[1])})  # type: ignore[arg-type]
        return self.price.of(None)

    def _read(
        self,
        sample: Sample,
        folder: Path,
        reply: Reply,
        facts: dict[str, Any],
        detail: dict[str, Any],
    ) -> Edit:
        def none(status: Status, reason: str) -> Edit:
            return Edit.without(sample.id, self.name, status, words(reason), **facts, detail=detail)

        if reply.status is not Status.SCORED:
            refused = reply.http in (400, 403) and _filtered(f"{reply.code} {reply.reason}")
            return none(Status.REFUSED if refused else Status.FAILED, reply.reason)
        choice = _first(reply.value.get("choices"))
        held = choice.get("message")
        message: dict[str, Any] = held if isinstance(held, dict) else {}
        text, pictures = _contents(message)
        if text:
            detail["text"] = text[:4000]
        finish = str(choice.get("finish_reason") or "")
        native = str(choice.get("native_finish_reason") or "")
        if not pictures:
            said = f": {text}" if text else ""
            if finish == "content_filter" or _filtered(native) or message.get("refusal"):
                return none(
                    Status.REFUSED,
                    f"stopped by the content filter ({native or finish}) "
                    f"{message.get('refusal') or ''}{said}",
                )
            error = choice.get("error") or reply.value.get("error")
            if error:
                return none(Status.FAILED, f"the service answered with an error: {error}")
            return none(
                Status.UNREADABLE,
                f"output: the reply has no picture{f' ({finish})' if finish else ''}{said}",
            )
        detail["pictures"] = len(pictures)
        address = pictures[-1]
        if not address.startswith("data:"):
            try:
                data = self.service.fetch(address)
            except OSError as error:
                return none(Status.FAILED, str(error))
            return deliver(sample, self.name, folder, data, **facts, detail=detail)
        made = decoded(address)
        if made is None:
            return none(Status.UNREADABLE, "output: no base64 in the picture's address")
        return deliver(sample, self.name, folder, made, **facts, detail=detail)


def _part(part: str | Path) -> dict[str, Any]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    return {"type": "image_url", "image_url": {"url": data_address(part)}}


def _first(value: Any) -> dict[str, Any]:
    return value[0] if isinstance(value, list) and value and isinstance(value[0], dict) else {}


def _contents(message: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The text of a message and the addresses of its pictures, wherever a gateway puts them."""
    content = message.get("content")
    parts = _objects(content)
    text = content if isinstance(content, str) else ""
    text += "".join(str(part.get("text") or "") for part in parts if part.get("type") == "text")
    found = [_address(part) for part in [*_objects(message.get("images")), *parts]]
    pictures = [address for address in found if address]
    if not pictures:  # a picture written into the text, as some gateways do
        pictures = _IN_TEXT.findall(text) or [*filter(None, _MARKDOWN.findall(text))]
    return _IN_TEXT.sub("", text).strip(), pictures


def _objects(value: Any) -> list[dict[str, Any]]:
    return [part for part in value if isinstance(part, dict)] if isinstance(value, list) else []


def _address(part: Mapping[str, Any]) -> str:
    held = part.get("image_url")
    address = held.get("url") if isinstance(held, dict) else held
    return address if isinstance(address, str) else ""


def _filtered(text: str) -> bool:
    words_of_filters = ("safety", "content_filter", "prohibited", "moderat", "policy", "blocklist")
    return any(word in text.lower() for word in words_of_filters)
