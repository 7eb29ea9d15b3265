"""A service that makes a picture as a job, as a TOML file describes it, and the call that begins
one: addresses, names of fields, words of states, prices. See `jobs`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import msgspec

from editgauge import schema
from editgauge.editors import delivery
from editgauge.editors.asking import Ask, sized
from editgauge.editors.calling import Call
from editgauge.editors.delivery import Count, Seconds
from editgauge.editors.remote import Made, Nothing, Provider, Settings, without_picture
from editgauge.errors import DataError, UsageError
from editgauge.services.prices import ImagePrice
from editgauge.types import Status

SERVICES = ("bfl", "fal", "replicate", "dashscope")
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
    `result` and `reasons` (the first place that holds something counts; a reason with a content
    filter's words is a refusal); `unsafe` (true, or a list with one that is, where a filter
    withheld the picture).
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
    if not service.request.image and not service.request.images:
        raise DataError(f"{Path(name).name}: request: has no image or images")
    if not service.job.poll and not service.job.poll_url:
        raise DataError(f"{Path(name).name}: job: has no poll or poll_url")
    places = {"model": service.submit, "n": service.request.more, "id": service.job.poll}
    for known, text in places.items():
        if set(re.findall(r"\{([^{}]*)\}|[{}]", text)) - {known}:
            raise DataError(f"{Path(name).name}: {text!r}: wanted no braces but {{{known}}}")
    return service


class JobSettings(Settings, kw_only=True, frozen=True):
    pictures: Count | None = None
    picture_field: str = ""
    seed: int | None = None
    timeout: Seconds = 120.0
    wait: Seconds = 900.0


class JobProvider(Provider):
    """The call that begins a job of a service; see `provider_of`."""

    shape = JobSettings
    kind: ClassVar[JobService]

    @property
    def model(self) -> str:
        return str(self.told.model or self.kind.model)

    @property
    def pictures(self) -> int:
        return self.told.pictures or self.kind.pictures

    @property
    def field(self) -> str:
        """What the model calls its pictures, as the user or the service's file says; empty: as the
        service does. A plural, or a name with ``[]`` behind it, is a list also of one.
        """
        return self.told.picture_field or self.kind.request.fields.get(self.model, "")

    def headers(self, key: str) -> Mapping[str, str]:
        return {self.kind.header: f"{self.kind.scheme} {key}".strip()}

    def price(self) -> ImagePrice:
        known = self.kind.prices.get(self.model)
        if self.told.price is not None:
            return super().price()
        source = ", ".join(filter(None, (self.kind.title, self.kind.checked)))
        return ImagePrice(picture=known, source=source)

    def request(self, ask: Ask) -> Call:
        spec = self.kind.request
        body: dict[str, Any] = {}
        for place, value in {**spec.constants, spec.prompt: ask.prompt}.items():
            _put(body, place, value)
        if spec.model:
            _put(body, spec.model, self.model)
        seed = {} if self.told.seed is None else {"seed": self.told.seed}
        for name, value in {**seed, **self._size(ask), **self.extra}.items():
            _put(body, self._place(name), value)
        as_base64 = spec.picture == "base64"
        self._put_pictures(body, [f.base64 if as_base64 else f.address for f in ask.files])
        path = self.kind.submit.format(model=self.model.strip("/"))
        return Call(path, body, self.extra, headers=self.kind.headers)

    def _place(self, name: str) -> str:
        within = self.kind.request.within
        return f"{within}.{name}" if within else name

    def _size(self, ask: Ask) -> dict[str, int]:
        """The input's size to the service's step, where the service is told one."""
        spec = self.kind.request.sized
        if spec is None:
            return {}
        width, height = sized(ask.sample.images[0], spec.step, spec.most)
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
        job = self.kind.job
        flags = at(value, job.unsafe) if job.unsafe else False
        if flags is True or (isinstance(flags, list) and True in flags):
            return Nothing(Status.REFUSED, "withheld by the service's content filter")
        for place in job.result:
            found = at(value, place)
            if isinstance(found, str) and found:
                return Made(data=found) if found.startswith("data:") else Made(url=found)
        return without_picture(f" at {' or '.join(job.result)}")

    def bill(self, value: Any, price: ImagePrice) -> float | None:
        """What the reply says that it cost; the price where it does not say."""
        bill = self.kind.bill
        told = at(value, bill.path) if bill else None
        if bill is None or isinstance(told, bool) or not isinstance(told, int | float):
            return price.picture
        return round(float(told) * bill.unit, 6) if told >= 0 else price.picture


def provider_of(service: JobService) -> type[JobProvider]:
    """The provider that a service's file describes."""
    lacking = not service.model and "{model}" in service.submit
    own = {"kind": service, "home": service.base_url, "keys": service.keys}
    return type("Jobs", (JobProvider,), own | {"needs": {"model": "OWNER/NAME"} if lacking else {}})


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
