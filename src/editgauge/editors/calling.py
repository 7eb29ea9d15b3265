"""What a model is asked, and its service: address and key, paid calls, questions that cost nothing,
pictures.

What an answer means, how long to wait and what is booked is the same as for judges
(`services.paid`). Every attempt of one call carries the same ``Idempotency-Key``, and so does the
same call of a run that was killed and started again; a user's ``--retry`` is another call.
"""

from __future__ import annotations

import base64
import hashlib
import io
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

from PIL import Image

from editgauge.images import free_memory, need_readable, read_file, read_header, read_image
from editgauge.services import policy
from editgauge.services.booking import Ledger
from editgauge.services.gate import Gate
from editgauge.services.http import Http, Lost, Request, Response, form_request, json_request
from editgauge.services.paid import Outcome, PaidCalls, Spend, decoded
from editgauge.services.secrets import Secrets
from editgauge.services.secrets import address as service_address
from editgauge.types import Sample

MAX_REPLY_BYTES = 256 << 20
PATIENCE = 1800.0
"""Seconds for one picture, all waiting and retries together."""
_HOPS = 5
"""Redirects that are followed on the way to a delivered picture."""
_MEDIA = {"PNG": "image/png", "JPEG": "image/jpeg", "WEBP": "image/webp"}


class File(NamedTuple):
    """A picture as it is sent: in a form, as base64, or as a ``data:`` address."""

    name: str
    data: bytes
    media: str

    @property
    def base64(self) -> str:
        return base64.b64encode(self.data).decode()

    @property
    def address(self) -> str:
        return f"data:{self.media};base64,{self.base64}"


def _file(path: Path, number: int) -> File:
    """A picture as it is sent: the file's own bytes where services know the format, else PNG.
    Raises `ImageError`, also for one that we could not score: it is not sent, and not paid.
    """
    header = read_header(path)
    need_readable(header, path)
    if media := _MEDIA.get(header.format):
        return File(f"image-{number}{header.extension}", read_file(path), media)
    buffer = io.BytesIO()
    Image.fromarray(read_image(path)).save(buffer, "PNG")
    return File(f"image-{number}.png", buffer.getvalue(), "image/png")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What is asked of a service: `prompt` counts the pictures (`files`), for a model that is given
    all of them first; `turns` has texts and pictures in turn.
    """

    sample: Sample
    prompt: str
    files: Sequence[File]
    turns: Sequence[str | File]


def asked(sample: Sample) -> Ask:
    """What is asked, its pictures read once. Raises `ImageError`."""
    prompt, pictures = numbered(sample)
    read = {path: _file(path, number) for number, path in enumerate(pictures, 1)}
    turns = [read[turn] if isinstance(turn, Path) else turn for turn in conversation(sample)]
    return Ask(sample=sample, prompt=prompt, files=[read[path] for path in pictures], turns=turns)


def conversation(sample: Sample) -> list[str | Path]:
    """Texts and pictures in the order in which a model that reads both in turn is given them."""
    if not sample.shots:
        return [*sample.images, sample.instruction]
    parts: list[str | Path] = []
    for number, shot in enumerate(sample.shots, 1):
        parts += [f"Example {number}. Instruction: {shot.instruction}\nInput:", *shot.images]
        parts += ["Result:", shot.reference]
    last = f"Now do the same kind of edit. Instruction: {sample.instruction}\nInput:"
    return [*parts, last, *sample.images, "Result:"]


def numbered(sample: Sample) -> tuple[str, list[Path]]:
    """One prompt and the pictures it counts, for a model that is given all pictures first."""
    if not sample.shots:
        return sample.instruction, list(sample.images)
    lines: list[str] = []
    pictures: list[Path] = []
    for shot in sample.shots:
        inputs = _range("Image", len(pictures) + 1, len(shot.images))
        pictures += [*shot.images, shot.reference]
        by = f"edited by the instruction {shot.instruction!r} gives image {len(pictures)}."
        lines.append(f"{inputs} {by}")
    names = _range("image", len(pictures) + 1, len(sample.images))
    last = f"Now edit {names} in the same way by this instruction: {sample.instruction}"
    return "\n".join([*lines, last]), [*pictures, *sample.images]


def _range(word: str, first: int, count: int) -> str:
    return f"{word} {first}" if count == 1 else f"{word}s {first} to {first + count - 1}"


def sized(path: Path, step: int = 16, most: int = 4096) -> tuple[int, int]:
    """Width and height of a picture, each to the nearest multiple of `step`, the longer at most
    `most`; the shape is kept as far as that allows.
    """
    header = read_header(path)
    scale = min(1.0, most / max(header.width, header.height))
    sides = (header.width, header.height)
    width, height = (max(step, round(side * scale / step) * step) for side in sides)
    return width, height


def nearest_shape(path: Path, sizes: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Of some sizes (width, height) the one whose shape is nearest to the picture's."""
    header = read_header(path)
    wanted = math.log(header.width / header.height)
    return min(sizes, key=lambda size: abs(math.log(size[0] / size[1]) - wanted))


class Gone(OSError):
    """A picture that does not lie at its address, or no longer: asking again tells nothing new."""


@dataclass(frozen=True, slots=True)
class Call:
    """A request: a JSON value, or `fields` and `files` of a form. `facts` are recorded as the
    edit's settings.
    """

    path: str
    json: Any = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    fields: Mapping[str, str] = field(default_factory=dict)
    files: Sequence[tuple[str, File]] = ()


class Service:
    """A service's address, and how it is called. `headers` carry the `key`, which comes from one of
    the variables `keys`; `at_once`: calls at most. Thread-safe.
    """

    def __init__(
        self, base_url: str, *, key: str = "", keys: Sequence[str] = (),
        headers: Mapping[str, str], at_once: int, timeout: float, attempts: int, pause: float,
    ) -> None:  # fmt: skip
        self.address = service_address(base_url, "base_url")
        self.http = Http(headers, Secrets([key, *self.address.secrets]), timeout=timeout)
        self.ledger = Ledger(purpose="edit")
        self.attempts, self.pause, self.keys = attempts, pause, tuple(keys)
        # questions have a gate of their own: who waits for money holds no place that jobs need to
        # give some back
        self.calls, self.questions = self._paid(at_once), self._paid(at_once)
        self.questions.paid_attempts = attempts  # nobody bills them

    def _paid(self, at_once: int) -> PaidCalls:
        return PaidCalls(
            http=self.http, gate=Gate(at_once), ledger=self.ledger, host=self.address.host,
            deadline=PATIENCE, backoff=self.pause, attempts=self.attempts, keys=self.keys,
        )  # fmt: skip

    def call(
        self, call: Call, key: str, spend: Spend, bill: Callable[[Any], float | None],
        *, pending: bool = False,
    ) -> Outcome:  # fmt: skip
        """A paid call until it is answered with JSON (`kind` ``ok``), refused for good, or given
        up. `key`: its identity; `bill`: what an answer cost; `pending`: that is told later. Raises
        `ServiceStopped`, also for an address at which nothing has ever answered, and
        `BudgetExceeded`.
        """
        url, headers = self.address.of(call.path), {"Idempotency-Key": key}
        if call.json is not None:
            request = json_request(url, call.json, headers=headers, limit=_most())
        else:
            files = [(name, file.name, file.media, file.data) for name, file in call.files]
            request = form_request(url, call.fields, files, headers=headers, limit=_most())

        def read(response: Response) -> Outcome:
            outcome = self._read(response)
            if outcome.kind != "ok":
                return outcome
            return replace(outcome, pending=pending, cost=None if pending else bill(outcome.value))

        outcome = self.calls.call(request, read, spend)
        if outcome.unreachable and not self.calls.sent:
            self.calls.stop(
                f"{self.address.host}: {outcome.reason}; nothing is recorded as the model's "
                f"failure. Start the service or correct its address, and run the same command again"
            )
        return outcome

    def look(self, path: str) -> Outcome:
        """A GET that costs nothing; `path` may be a whole address that the caller trusts with the
        key.
        """
        url = path if urlsplit(path).scheme else self.address.of(path)
        request = Request(url=url, method="GET", limit=_most())
        return self.questions.call(request, self._read, Spend(model=""))

    def _read(self, response: Response) -> Outcome:
        """What a successful answer means: an outcome with its JSON, or a lost one without."""
        value = decoded(response.data)
        if isinstance(value, dict):
            return Outcome(kind="ok", value=value, booked=True, http=response.status)
        start = self.http.secrets.line(response.data[:60].decode("utf-8", "replace"))
        reason = f"no JSON object in {len(response.data)} bytes: {start!r}"
        return Outcome(kind="again", reason=reason, http=response.status, lost=True, booked=True)

    def fetch(self, address: str) -> bytes:
        """Download a delivered picture from an address in a reply, without the service's key.

        Raises `Gone` where there is none, and another `OSError` where there may be one later, with
        a reason without secrets.
        """
        last = ""
        for attempt in range(1, self.attempts + 1):
            try:
                response = self._followed(address)
                there = 200 <= response.status < 300
                if there and response.data:
                    return response.data
                last = f"HTTP {response.status}" + ("" if response.data else ", empty")
                if not there and not policy.may_pass(response.status):
                    raise Gone(f"the address gave nothing ({last})")
            except Lost as error:
                last = error.reason
            if attempt < self.attempts:
                time.sleep(policy.pause_before(attempt, self.pause))
        raise OSError(f"the address gave nothing ({last})")

    def _followed(self, address: str) -> Response:
        """What lies at an address, or where it leads to in at most `_HOPS` steps."""
        for _ in range(_HOPS + 1):
            parts = urlsplit(address)
            if parts.scheme not in ("http", "https") or not parts.hostname:
                shown = self.http.secrets.line(address, 80)
                raise Gone(f"an address that is none of a picture: {shown!r}")
            request = Request(url=address, method="GET", limit=_most(), own=False, clean=False)
            response = self.http.send(request)
            target = response.headers.get("location")
            if response.status not in (301, 302, 303, 307, 308) or not target:
                return response
            address = urljoin(address, target)
        raise Gone(f"the address leads on and on (more than {_HOPS} redirects)")


def _most() -> int:
    """Bytes of a reply: as bytes, as a value, and as a picture it must fit into memory."""
    return min(MAX_REPLY_BYTES, free_memory() // 4)


AGAIN = ".asked-before"
"""A file that a run lays into an output's temporary folder when the user asks for a call once more
(``--retry``). What it holds stands for the outcome that was there before.
"""


def call_key(folder: Path, *parts: str | bytes, question: bool = False) -> str:
    """A call's identity: the same for the same question in the same run, also after the run was
    killed; another one when the user asks again, but for that of the `question` alone. `folder`:
    the temporary folder that the run gave for the output; its parent stands for the run.
    """
    digest = hashlib.blake2b(str(folder.parent.resolve()).encode(), digest_size=16)
    again = folder / AGAIN
    for part in (*parts, *([again.read_bytes()] if again.is_file() and not question else [])):
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()
