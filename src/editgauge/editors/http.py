"""A plain HTTP endpoint of one's own."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar
from urllib.parse import urlsplit

from editgauge.editors.asking import Ask
from editgauge.editors.calling import Call
from editgauge.editors.delivery import Count, at
from editgauge.editors.remote import Made, Nothing, Provider, RemoteEditor, Settings, remote
from editgauge.services.prices import ImagePrice
from editgauge.types import Sample, Status


class HttpSettings(Settings, kw_only=True, frozen=True):
    seed: int = 0
    pictures: Count = 1
    concurrency: Count = 1
    timeout: float = 600.0


def http(samples: Sequence[Sample], **settings: Any) -> RemoteEditor:
    """A model of one's own as a small HTTP service: ``POST {base_url}/edit`` with JSON ``{"id",
    "instruction", "seed", "images": [base64, …], "examples": [{"images", "instruction",
    "reference"}]}`` (examples only with demonstrations), answered by ``{"image": base64}``, perhaps
    with ``"cost"`` in US dollars and ``"detail"``, or by ``{"error": "why", "status": "failed" |
    "refused" | "not_applicable"}``. 429 and 503 with ``Retry-After`` are waited for, 408, 409, 425
    and 5xx asked again. ``examples/http_editor_server.py`` is such a server.

    Settings: `base_url` (required), `name` (default: the host's), `price`, `timeout` (600 s),
    `concurrency` (1), `attempts` (5), `pause` (1 s), `seed` (0), `pictures` (how many input
    pictures it takes, 1). A token in ``EDITGAUGE_EDITOR_KEY`` is sent along. Raises `UsageError`
    for another setting or no address.
    """
    return remote(Endpoint, "http", settings)


class Endpoint(Provider):
    """See `http`."""

    shape = HttpSettings
    needs: ClassVar[Mapping[str, str]] = {"base_url": "http://localhost:8000"}

    @property
    def name(self) -> str:
        return urlsplit(self.told.base_url).hostname or ""

    def request(self, ask: Ask) -> Call:
        sample, images = ask.sample, iter(file.base64 for file in ask.files)
        told = {"id": sample.id, "instruction": sample.instruction, "seed": self.told.seed}
        body: dict[str, Any] = {**told, **self.extra}
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
