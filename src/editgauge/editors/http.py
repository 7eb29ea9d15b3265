"""A model of one's own as a small HTTP service. The contract, in full:

``POST {url}/edit`` with JSON ``{"id", "instruction", "seed", "images": [base64, …], "examples":
[{"images": [base64], "instruction", "reference": base64}]}`` (examples only with ``--shots``),
answered by

* 200 ``{"image": base64}``, any picture format that we read, and optionally ``"cost"`` in US
  dollars and ``"detail"``;
* 200 ``{"error": "why", "status": "failed" | "refused" | "not_applicable"}`` when there is no
  picture;
* 429 or 503 with ``Retry-After``: asked again then; 408, 409, 425, 5xx: asked again after a pause,
  five times in all.

Every attempt for one sample carries the same ``Idempotency-Key``. A token in
``EDITGAUGE_EDITOR_KEY``, if there is one, is sent as ``Authorization: Bearer``.
``examples/http_editor_server.py`` is a server of this contract in 40 lines.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from editgauge.editors.asking import shots_for
from editgauge.editors.delivery import decoded, deliver, faulty, known, number, whole
from editgauge.editors.service import Request, Service, call_key, key_from, words
from editgauge.errors import ImageError, UsageError
from editgauge.images import read_file
from editgauge.types import Edit, Sample, Status

KEY_NAMES = ("EDITGAUGE_EDITOR_KEY",)
_SAID = {
    "failed": Status.FAILED,
    "refused": Status.REFUSED,
    "not_applicable": Status.NOT_APPLICABLE,
}


def http(samples: Sequence[Sample], **settings: Any) -> HttpEditor:
    """A service as an editor. Settings: `base_url` (required), `name` (default: the host's),
    `timeout` (600 s), `concurrency` (1), `attempts` (5), `seed` (0), `shots`, `pictures` (how many
    input pictures it takes, 1). Raises `UsageError` for another setting or no address.
    """
    own = (
        "base_url",
        "name",
        "timeout",
        "concurrency",
        "attempts",
        "pause",
        "seed",
        "shots",
        "pictures",
    )
    known("http", settings, *own)
    address = str(settings.get("base_url") or "")
    if not address:
        raise UsageError(
            "editor 'http': wanted the setting base_url, for example --base-url "
            "http://localhost:8000"
        )
    concurrency = whole("http", settings, "concurrency", 1, least=1)
    service = Service(
        address,
        key=key_from(KEY_NAMES, needed=False),
        concurrency=concurrency,
        timeout=number("http", settings, "timeout", 600.0, least=0.001),
        attempts=whole("http", settings, "attempts", 5, least=1),
        pause=number("http", settings, "pause", 1.0),
    )
    shots = whole("http", settings, "shots", 0)
    return HttpEditor(
        name=str(settings.get("name") or urlsplit(address).hostname),
        service=service,
        concurrency=concurrency,
        seed=whole("http", settings, "seed", 0),
        pictures=whole("http", settings, "pictures", 1, least=1),
        shots=shots,
        samples=samples if shots else (),
    )


@dataclass(kw_only=True)
class HttpEditor:
    """See `http`."""

    name: str
    service: Service
    concurrency: int = 1
    seed: int = 0
    pictures: int = 1
    shots: int = 0
    samples: Sequence[Sample] = ()
    parallel: str = "thread"

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        fault = faulty(sample, self.name, pictures=self.pictures)
        if fault is not None:
            return fault
        shots = shots_for(sample, self.samples, self.shots)
        body: dict[str, Any] = {
            "id": sample.id,
            "instruction": sample.instruction,
            "seed": self.seed,
        }
        try:
            body["images"] = [_encoded(path) for path in sample.images]
            if shots:
                body["examples"] = [
                    {
                        "images": [_encoded(path) for path in shot.images],
                        "instruction": shot.instruction,
                        "reference": _encoded(shot.reference),
                    }
                    for shot in shots
                ]
        except ImageError as error:
            reason = f"input image: {error}"
            return Edit.without(sample.id, self.name, Status.DATASET_FAULT, reason)
        key = call_key(folder, self.name, json.dumps(body))
        reply = self.service.call(Request("/edit", lambda: {"json": body}, key=key))
        facts: dict[str, Any] = {"seed": self.seed, "seconds": round(reply.seconds, 6)}
        facts["detail"] = {"attempts": reply.attempts, "shots": [shot.id for shot in shots]}
        if reply.status is not Status.SCORED:
            return Edit.without(sample.id, self.name, reply.status, reply.reason, **facts)
        return self._read(sample, folder, reply.value, facts)

    def _read(
        self, sample: Sample, folder: Path, value: dict[str, Any], facts: dict[str, Any]
    ) -> Edit:
        if isinstance(value.get("cost"), int | float) and math.isfinite(value["cost"]):
            facts["cost"] = float(value["cost"])
        if isinstance(value.get("detail"), dict):
            facts["detail"] = {**value["detail"], **facts["detail"]}
        if not isinstance(value.get("image"), str):
            status = _SAID.get(str(value.get("status") or "failed"), Status.FAILED)
            reason = words(str(value.get("error") or "the reply has neither image nor error"))
            return Edit.without(sample.id, self.name, status, reason, **facts)
        data = decoded(value["image"])
        if data is None:
            reason = "output: no base64 in image"
            return Edit.without(sample.id, self.name, Status.UNREADABLE, reason, **facts)
        return deliver(sample, self.name, folder, data, **facts)


def _encoded(path: Path) -> str:
    return base64.b64encode(read_file(path)).decode()
