"""A service that makes a picture as a job, as a TOML file describes it, and the call that begins
one: addresses, names of fields, words of states, prices. See `jobs`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from editgauge import schema
from editgauge.editors import delivery
from editgauge.editors.calling import Call
from editgauge.editors.remote import Ask, Count, Made, Nothing, Seconds, Settings
from editgauge.editors.sending import data_url, encoded, sized
from editgauge.errors import DataError, UsageError
from editgauge.services.prices import ImagePrice
from editgauge.types import Status

SERVICES = ("bfl", "fal", "replicate", "dashscope", "ideogram")
"""The services that have a file here; each is an editor of that name."""
Dollars = Annotated[float, msgspec.Meta(ge=0, lt=1e6)]
Words = tuple[str, ...]


class Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of a service's file."""


class Sized(Part, frozen=True, kw_only=True):
    """The names for the input's width and height, and what they are multiples of."""

    width: str
    height: str
    step: Count = 16
    most: Count = 2048


class Asking(Part, frozen=True, kw_only=True):
    """Where in the request what stands: dotted places. `image` is the first picture and ``more``
    (with ``{n}``) the others, or `images` all of them; `within`: where parameters are; `fields`:
    what some models call their pictures (see `JobProvider.field`).
    """

    prompt: str
    image: str = ""
    more: str = ""
    images: str = ""
    picture: Literal["data", "base64"] = "data"
    form: Literal["json", "multipart"] = "json"
    model: str = ""
    within: str = ""
    constants: Mapping[str, Any] = {}
    sized: Sized | None = None
    fields: Mapping[str, str] = {}


class Job(Part, frozen=True, kw_only=True):
    """Where in a reply what stands: dotted places (``output.results.0.url``).

    `id` (where it is named, a reply about another job is not believed); `poll` (a path with
    ``{id}``) or `poll_url` (where the reply names the address); `result_url` (where another reply
    has the result); `status` and its words `done`, `failed`, `refused` (any other word: wait);
    `result`, `reasons` and `codes` (the first place that holds something counts); `filters` (codes
    of a content filter); `safe` (false when a filter withheld the picture) or `unsafe` (true then,
    or a list with one that is).
    """

    status: str
    done: Words
    result: Words
    failed: Words = ()
    refused: Words = ()
    id: str = ""
    poll: str = ""
    poll_url: str = ""
    result_url: str = ""
    reasons: Words = ()
    codes: Words = ()
    filters: Words = ()
    safe: str = ""
    unsafe: str = ""


class Bill(Part, frozen=True, kw_only=True):
    """Where a reply says what it cost, and how many US dollars one unit is."""

    path: str
    unit: Dollars = 1.0


class JobService(Part, frozen=True, kw_only=True):
    """A service as its TOML file describes it."""

    base_url: str
    header: str
    submit: str
    keys: Words
    request: Asking
    job: Job
    title: str = ""
    source: str = ""
    checked: str = ""
    hosts: Words = ()
    model: str = ""
    scheme: str = ""
    pictures: Count = 1
    headers: Mapping[str, str] = {}
    bill: Bill | None = None
    prices: Mapping[str, Dollars] = {}


def load(name: str) -> JobService:
    """A service by its name in `SERVICES` or by the path of a TOML file. Raises `UsageError` for
    one that is neither, and `DataError` naming what its file lacks.
    """
    if name not in SERVICES and not name.endswith(".toml"):
        raise UsageError(
            f"service {name!r}: wanted one of {', '.join(SERVICES)}, or the path of a .toml file"
        )
    own = Path(__file__).with_name("job_services") / f"{name}.toml"
    service = schema.read_toml(own if name in SERVICES else Path(name).expanduser(), JobService)
    for places, wanted in (
        ((service.request.image, service.request.images), "request: has no image or images"),
        ((service.job.poll, service.job.poll_url), "job: has no poll or poll_url"),
    ):
        if not any(places):
            raise DataError(f"{Path(name).name}: {wanted}")
    for text, known in ((service.submit, "model"), (service.request.more, "n"),
                        (service.job.poll, "id")):  # fmt: skip
        if set(re.findall(r"\{([^{}]*)\}|[{}]", text)) - {known}:
            raise DataError(f"{Path(name).name}: {text!r}: wanted no braces but {{{known}}}")
    return service


class JobSettings(Settings, kw_only=True, frozen=True):
    pictures: Count | None = None
    picture_field: str = ""
    seed: int | None = None
    timeout: Seconds = 120.0
    wait: Seconds = 900.0


@dataclass(frozen=True, slots=True)
class JobProvider:
    """The call that begins a job of a service."""

    kind: JobService
    told: JobSettings
    extra: Mapping[str, Any]

    @property
    def pictures(self) -> int:
        return self.told.pictures or self.kind.pictures

    def request(self, ask: Ask) -> Call:
        spec = self.kind.request
        body: dict[str, Any] = {}
        for place, value in {**spec.constants, spec.prompt: ask.prompt}.items():
            _put(body, place, value)
        if spec.model:
            _put(body, spec.model, self.told.model)
        seed = {} if self.told.seed is None else {"seed": self.told.seed}
        for name, value in {**seed, **self._size(ask), **self.extra}.items():
            _put(body, self._place(name), value)
        path = self.kind.submit.format(model=self.told.model.strip("/"))
        if spec.form == "multipart":
            name = self.field or spec.image
            fields = {place: str(value) for place, value in body.items()}
            parts = [(name, file) for file in ask.files]
            return Call(path, None, self.extra, fields, parts, self.kind.headers)
        write = encoded if spec.picture == "base64" else data_url
        self._put_pictures(body, [write(file) for file in ask.files])
        return Call(path, body, self.extra, headers=self.kind.headers)

    @property
    def field(self) -> str:
        """What the model calls its pictures, as the user or the service's file says; empty: as the
        service does. A plural, or a name with ``[]`` behind it, is a list also of one.
        """
        return self.told.picture_field or self.kind.request.fields.get(self.told.model, "")

    def _place(self, name: str) -> str:
        within = self.kind.request.within
        return f"{within}.{name}" if within else name

    def _size(self, ask: Ask) -> dict[str, int]:
        """The input's size to the service's step, where the service is told one."""
        spec = self.kind.request.sized
        if spec is None:
            return {}
        width, height = sized(ask.shown, spec.step, spec.most)
        return {spec.width: width, spec.height: height}

    def _put_pictures(self, body: dict[str, Any], pictures: Sequence[str]) -> None:
        """The pictures under the names that the service has for them, or the model."""
        spec, own = self.kind.request, self.field
        if own:
            many = len(pictures) > 1 or own.endswith(("s", "[]"))
            place = self._place(own.removesuffix("[]"))
            _put(body, place, list(pictures) if many else pictures[0])
        elif spec.images:
            _put(body, spec.images, list(pictures))
        else:
            _put(body, spec.image, pictures[0])
            for index, picture in enumerate(pictures[1:], 2):
                _put(body, spec.more.format(n=index), picture)

    def result(self, value: Any) -> Made | Nothing:
        """The picture of a finished job, at the first place that has one."""
        found = next((v for p in self.kind.job.result if isinstance(v := at(value, p), str) and v),
                     None)  # fmt: skip
        if self._withheld(value):
            return Nothing(Status.REFUSED, "withheld by the service's content filter")
        if found is None:
            places = " or ".join(self.kind.job.result)
            reason = f"output: the finished job has no picture at {places}"
            return Nothing(Status.UNREADABLE, reason)
        return Made(data=found) if found.startswith("data:") else Made(url=found)

    def _withheld(self, value: Any) -> bool:
        """Whether a finished job says that a content filter blackened its picture."""
        job = self.kind.job
        flags = at(value, job.unsafe) if job.unsafe else False
        safe = at(value, job.safe) if job.safe else True
        return safe is False or flags is True or (isinstance(flags, list) and True in flags)

    def bill(self, value: Any, price: ImagePrice) -> float | None:
        """What the reply says that it cost; the price where it does not say."""
        bill = self.kind.bill
        told = at(value, bill.path) if bill else None
        if bill is None or isinstance(told, bool) or not isinstance(told, int | float):
            return price.picture
        return round(float(told) * bill.unit, 6) if told >= 0 else price.picture


def at(value: Any, place: str) -> Any:
    """What lies at a dotted place of JSON (``data.0.url``); None where there is nothing."""
    steps = place.split(".")
    return delivery.at(value, *(int(step) if step.isdigit() else step for step in steps))


def _put(body: dict[str, Any], place: str, value: Any) -> None:
    """Write a value at a dotted place, making the objects on the way."""
    *way, last = place.split(".")
    for step in way:
        body = body.setdefault(step, {})
    body[last] = value
