"""A service that makes a picture as a job, as a TOML file describes it, and the call that begins
one. See `jobs`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import msgspec

from editgauge import schema
from editgauge.editors.calling import Ask, Call, put, sized
from editgauge.editors.delivery import Count, Seconds
from editgauge.editors.remote import Provider, Result, not_made, without_picture
from editgauge.errors import UsageError
from editgauge.services.policy import at
from editgauge.services.prices import ImagePrice

SERVICES = ("bfl", "fal", "replicate")
"""The services that have a file here; each is an editor of that name."""
Dollars = Annotated[float, msgspec.Meta(ge=0, lt=1e6)]
Words = tuple[str, ...]


class Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of a service's file. Places in JSON are dotted: ``output.results.0.url``."""


class Asking(Part, frozen=True, kw_only=True):
    """Where in the request what stands. `image`: the pictures; a plural, or a place with ``[]``
    behind it, is a list also of one; `more` (with ``{n}``): the others, where there is no list;
    `within`: where parameters are; `fields`: what some models call their pictures; `sized`: width
    and height are told, multiples of this.
    """

    prompt: str
    image: str
    more: str = ""
    picture: Literal["data", "base64"] = "data"
    within: str = ""
    fields: Mapping[str, str] = {}
    sized: int = 0


class Job(Part, frozen=True, kw_only=True):
    """Where in a reply what stands. `id`: where it is named, a reply about another job is not
    believed; `poll`: where the reply names the address to ask at, or a path with ``{id}``;
    `result_url`: where another reply has the result; `status` and its words `done`, `failed`,
    `refused` (any other word: wait); `result`, `reasons`: the first place that holds something
    counts; `unsafe`: true, or a list with one that is, where a filter withheld the picture; `cost`:
    the bill, of which one unit is `unit` US dollars.
    """

    status: str
    done: Words
    result: Words
    poll: str
    failed: Words = ()
    refused: Words = ()
    id: str = ""
    result_url: str = ""
    reasons: Words = ()
    unsafe: str = ""
    cost: str = ""
    unit: Dollars = 1.0


class JobService(Part, frozen=True, kw_only=True):
    """A service as its TOML file describes it; ``{model}`` may stand in `submit`."""

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
    prices: Mapping[str, Dollars] = {}


def load(name: str) -> JobService:
    """A service by its name in `SERVICES` or by the path of a TOML file. Raises `UsageError` for
    one that is neither, and `DataError` naming what its file lacks.
    """
    if name not in SERVICES and not name.endswith(".toml"):
        known = ", ".join(SERVICES)
        raise UsageError(f"service {name!r}: wanted one of {known}, or the path of a .toml file")
    file = Path(__file__).with_name("job_services") / f"{name}.toml"
    return schema.read_toml(file if name in SERVICES else Path(name).expanduser(), JobService)


# -- the call that begins a job, and what its end says ---------------------------------------------


class JobProvider(Provider, kw_only=True, frozen=True):
    """A provider of jobs, as a file describes it: see `provider_of`."""

    kind: ClassVar[JobService]

    picture_field: str = ""
    timeout: Seconds = 120.0
    wait: Seconds = 900.0

    def headers(self, key: str) -> Mapping[str, str]:
        return {self.kind.header: f"{self.kind.scheme} {key}".strip()}

    def listed(self) -> ImagePrice:
        if self.price is not None:
            return ImagePrice(picture=self.price)
        source = ", ".join(filter(None, (self.kind.title, self.kind.checked)))
        return ImagePrice(picture=self.kind.prices.get(self.model), source=source)

    def request(self, ask: Ask) -> Call:
        spec, given = self.kind.request, self.given("seed")
        if spec.sized:
            width, height = sized(ask.sample.images[0], spec.sized, 2048)
            given |= {"width": width, "height": height}
        body: dict[str, Any] = {}
        put(body, spec.prompt, ask.prompt)
        for name, value in {**given, **self.extra}.items():
            put(body, self._place(name), value)
        coded = [f.base64 if spec.picture == "base64" else f.address for f in ask.files]
        own = self.picture_field or spec.fields.get(self.model, "")
        place = self._place(own) if own else spec.image
        if place.endswith(("s", "[]")) or (coded[1:] and not spec.more):
            put(body, place.removesuffix("[]"), coded)
        else:
            places = [place, *(spec.more.replace("{n}", str(n + 2)) for n in range(len(coded) - 1))]
            for where, picture in zip(places, coded, strict=True):
                put(body, where, picture)
        return Call(self.kind.submit.replace("{model}", self.model.strip("/")), body)

    def _place(self, name: str) -> str:
        within = self.kind.request.within
        return f"{within}.{name}" if within else name

    def result(self, value: Any) -> Result:
        job = self.kind.job
        flags = at(value, job.unsafe)
        if flags is True or (isinstance(flags, list) and True in flags):
            return not_made("withheld by the service's content filter", refused=True)
        for address in (at(value, place) for place in job.result):
            if isinstance(address, str) and address:
                return Result(picture=address)
        return without_picture(f" at {' or '.join(job.result)}", sure=False)

    def bill(self, value: Any, price: ImagePrice) -> float | None:
        cost = at(value, self.kind.job.cost)
        if isinstance(cost, bool) or not isinstance(cost, int | float) or cost < 0:
            return price.picture
        return round(float(cost) * self.kind.job.unit, 6)


def provider_of(service: JobService) -> type[JobProvider]:
    """The provider of a service."""

    class Service(JobProvider, kw_only=True, frozen=True):
        kind = service
        home = service.base_url
        keys = service.keys
        takes = service.pictures
        needs = {"model": "OWNER/NAME"} if "{model}" in service.submit and not service.model else {}

        model: str = service.model

    return Service
