"""Chat completions that answer with pictures: OpenRouter and gateways like it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from editgauge.editors.asking import Ask
from editgauge.editors.calling import Call
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

_IN_TEXT = re.compile(r"data:image/[\w.+-]+;base64,[A-Za-z0-9+/_-]+={0,2}")
"""A picture's data address in a text."""


class ChatSettings(Settings, kw_only=True, frozen=True):
    pictures: Count = 14
    temperature: float | None = None
    seed: int | None = None


def chat(samples: Sequence[Sample], **settings: Any) -> RemoteEditor:
    """A chat model that answers with pictures, behind OpenRouter or a gateway like it. Settings:
    `model` (required), `base_url`, `name`, `price` (US dollars an output), `pictures` (14),
    `concurrency` (4), `timeout` (300 s), `attempts` (5), `pause` (1 s), `temperature`, `seed`, and
    ``extra.NAME=VALUE`` for what is passed on as it is (``extra.safety_settings``). Raises
    `UsageError` for another setting or without a key.
    """
    return remote(Chat, "chat", settings)


class Chat(Provider):
    """See `chat`. Written after OpenRouter's and Vercel's pages of image generation (November
    2026).
    """

    shape = ChatSettings
    home = "https://openrouter.ai/api/v1"
    keys = ("OPENROUTER_API_KEY",)
    needs: ClassVar[Mapping[str, str]] = {"model": "google/gemini-2.5-flash-image"}

    def request(self, ask: Ask) -> Call:
        own = self.given("temperature", "seed") | {**self.extra}
        if self.told.base_url in ("", self.home):
            own = {"usage": {"include": True}} | own
        parts = [
            {"type": "text", "text": turn}
            if isinstance(turn, str)
            else {"type": "image_url", "image_url": {"url": turn.address}}
            for turn in ask.turns
        ]
        messages = [{"role": "user", "content": parts}]
        body = {"model": self.model, "modalities": ["image", "text"], "messages": messages}
        return Call("/chat/completions", {**body, **own}, own)

    def result(self, value: Any) -> Made | Nothing:
        choice = next(iter(objects(at(value, "choices"))), {})
        message = next(iter(objects([choice.get("message")])), {})
        text, pictures = _contents(message)
        detail: dict[str, Any] = {"text": text[:4000]} if text else {}
        if pictures:
            detail["pictures"] = len(pictures)
            is_data = pictures[-1].startswith("data:")
            return Made(**{"data" if is_data else "url": pictures[-1]}, detail=detail)
        finish = str(choice.get("finish_reason") or "")
        native = str(choice.get("native_finish_reason") or "")
        if finish == "content_filter" or filtered(native) or message.get("refusal"):
            why = f"({native or finish}) {message.get('refusal') or ''} {text}"
            return Nothing(Status.REFUSED, f"stopped by the content filter {why}", detail)
        if error := choice.get("error") or at(value, "error"):
            return not_made(f"the service answered with an error: {error}", detail)
        return without_picture(f" ({finish})" if finish else "", text, detail)

    def bill(self, value: Any, price: ImagePrice) -> float | None:
        usage = at(value, "usage")
        if (told := told_cost(usage)) is not None:
            return round(told, 6)
        into, out = (at(usage, name) for name in ("prompt_tokens", "completion_tokens"))
        whole = isinstance(into, int) and isinstance(out, int)
        return price.of({"text_in": into, "out": out} if whole else None)


def _contents(message: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The text of a message and the addresses of its pictures, wherever a gateway puts them."""
    content = message.get("content")
    parts = objects(content)
    text = content if isinstance(content, str) else ""
    text += "".join(str(part.get("text") or "") for part in parts if part.get("type") == "text")
    places = [part.get("image_url") for part in [*objects(message.get("images")), *parts]]
    found = [place.get("url") if isinstance(place, dict) else place for place in places]
    pictures = [address for address in found if isinstance(address, str) and address]
    return _IN_TEXT.sub("", text).strip(), pictures or _IN_TEXT.findall(text)
