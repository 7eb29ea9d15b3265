"""Services that make a picture as a job, each a TOML file (``job_services/``, or one's own). A job
is noted before anything else happens: killed runs and ``--retry`` ask for the one that is paid for.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal
from urllib.parse import quote, urlsplit

import msgspec

from editgauge import schema
from editgauge.editors.calling import Ask, Call, put, sized
from editgauge.editors.delivery import Count, Seconds
from editgauge.editors.remote import (
    Provider,
    RemoteEditor,
    Result,
    not_made,
    refusal,
    remote,
    without_picture,
)  # fmt: skip
from editgauge.errors import UsageError
from editgauge.services import policy
from editgauge.services.booking import Entry
from editgauge.services.paid import Outcome, failed
from editgauge.services.policy import at
from editgauge.services.prices import DEAREST_REPLY, ImagePrice
from editgauge.services.secrets import words
from editgauge.types import JsonObject, Sample, Status

_GONE = (404, 410)
"""Statuses of a job that is not there."""
_DOUBTS = 3
"""How often an answer about a job is asked for again that the next moment may put right: a job that
is not known yet, is done without a picture, or whose picture's address has expired.
"""


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
    the bill, in the reply to the submission or in one about the job, of which one unit is `unit`
    US dollars. The latest bill counts.
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


class JobProvider(Provider, kw_only=True, frozen=True):
    """A provider of jobs, as a file describes it: see `provider_of`."""

    kind: ClassVar[JobService]

    picture_field: str = ""
    timeout: Seconds = 120.0
    wait: Seconds = 900.0

    def headers(self, key: str) -> Mapping[str, str]:
        return {self.kind.header: f"{self.kind.scheme} {key}".strip()}

    def listed(self) -> ImagePrice:
        price = self.kind.prices.get(self.model) if self.price is None else self.price
        return ImagePrice(picture=price, source=self.kind.title)

    def request(self, ask: Ask) -> Call:
        spec, given = self.kind.request, self.given("seed")
        if spec.sized:
            width, height = sized(ask.sample.images[0], spec.sized, 2048)
            given |= {"width": width, "height": height}
        body: JsonObject = {}
        put(body, spec.prompt, ask.prompt)
        for name, value in {**given, **self.extra}.items():
            put(body, self._place(name), value)
        coded = [f.base64 if spec.picture == "base64" else f.address for f in ask.files]
        own = self.picture_field or spec.fields.get(self.model, "")
        place = self._place(own) if own else spec.image
        if place.endswith(("s", "[]")) or (not spec.more and coded[1:]):
            put(body, place.removesuffix("[]"), coded)
        else:
            put(body, place, coded[0])
            for number, picture in enumerate(coded[1:], 2):
                put(body, spec.more.replace("{n}", str(number)), picture)
        return Call(self.kind.submit.replace("{model}", self.model.strip("/")), body)

    def _place(self, name: str) -> str:
        within = self.kind.request.within
        return f"{within}.{name}" if within else name

    def result(self, value: Any) -> Result:
        job = self.kind.job
        flags = at(value, job.unsafe)
        if flags is True or (flags and isinstance(flags, list) and any(flags)):
            return not_made("withheld by the service's content filter", refused=True)
        for address in (at(value, place) for place in job.result):
            if isinstance(address, str) and address:
                return Result(picture=address)
        return without_picture(f" at {' or '.join(job.result)}", sure=False)

    def bill(self, value: Any, price: ImagePrice) -> float | None:
        cost = at(value, self.kind.job.cost)
        if type(cost) not in (int, float):
            return price.picture
        dollars = round(cost * self.kind.job.unit, 6)
        is_believable = 0 <= dollars <= DEAREST_REPLY
        return dollars if is_believable else price.picture


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


# -- the editor ------------------------------------------------------------------------------------


class Begun(msgspec.Struct, kw_only=True, frozen=True):
    """A job as it is noted beside the ledger: its number, where to ask for it and for its result,
    the key of the call that began it, whether it is known how it ended, and its cost in US dollars
    where the reply to the submission told it.
    """

    id: str
    address: str
    result: str = ""
    key: str = ""
    over: bool = False
    cost: float | None = None


class JobEditor(RemoteEditor):
    """An editor behind a service of jobs."""

    provider: JobProvider

    def made(self, ask: Ask, call: Call, folder: Path) -> tuple[Result, JsonObject]:
        began, name = time.monotonic(), f"job {self.key(folder, ask, call, question=True)}"
        key, lost = self.key(folder, ask, call), 0.0
        job = self._noted(name, key)
        resumed = job is not None
        if job is not None:
            entry = self.ledger.standing([job.key]).get(job.key)
        else:
            outcome = self.paid(call, key, pending=True)
            if outcome.kind != "ok":
                return self.answered(outcome)
            entry, lost = outcome.entry, outcome.spent
            job = self._begun(outcome.value, key)
        end = Result(status=Status.UNREADABLE, reason="no job in the reply")
        if not resumed:
            end = replace(end, bill=self._bill(outcome.value, None))
        try:
            if job is not None:
                if not resumed:
                    entry = self._note(name, job, entry)
                end = self._end(job, began)
        except BaseException:
            if entry is not None:  # the job goes on without this command: who waits for its
                self.ledger.leave(entry)  # money waits no longer
            raise
        # a doubt that stands in two commands is none: it will not come
        end = replace(end, sure=end.sure or resumed)
        if job is not None and end.sure:
            self._note(name, msgspec.structs.replace(job, over=True))
        cost = self._settled(job, entry, end)
        facts = {"seconds": round(time.monotonic() - began, 6), "detail": {"job": job and job.id}}
        return end, {**facts, "cost": None if cost is None else lost + cost}

    def _noted(self, name: str, key: str) -> Begun | None:
        """The job of an earlier command: for the same call, or of the question if it goes on."""
        try:
            job = msgspec.json.decode(self.ledger.paid.note(name) or "", type=Begun)
        except msgspec.DecodeError:
            return None
        return job if self._own(job) and (not job.over or job.key == key) else None

    def _note(self, name: str, job: Begun, entry: Entry | None = None) -> Entry | None:
        """Write a job down, and return its booking, which belongs to the job from now on. A new
        job is booked at the cost that the service told, where it told one.
        """
        with self.ledger.paid.transaction():
            self.ledger.paid.note(name, msgspec.json.encode(job).decode())
            if not job.over and job.cost is not None:
                return self.ledger.rebook(entry, job.cost, self.model, key=job.key)
            if entry is not None:
                self.ledger.name(entry, job.key)
            return entry

    def _begun(self, value: Any, key: str) -> Begun | None:
        """The job in a reply; None without one, or with an address on a strange host."""
        spec = self.provider.kind.job
        places = (spec.id or "id", spec.poll, spec.result_url)
        number, address, result = (str(at(value, place) or "") for place in places)
        if "{id}" in spec.poll and number:  # it becomes a part of an address
            address = spec.poll.replace("{id}", quote(number, safe=""))
        cost = self._bill(value, None)
        job = Begun(id=number, address=address, result=result, key=key, cost=cost)
        return job if address and self._own(job) else None

    def _own(self, job: Begun) -> bool:
        """Whether the key may go to a job's addresses: paths, or on the service's own hosts."""
        base, hosts = urlsplit(self.address), self.provider.kind.hosts
        for parts in (urlsplit(address) for address in (job.address, job.result) if address):
            host = parts.hostname or ""
            named = any(host == name or host.endswith(f".{name}") for name in hosts)
            at_home = (parts.scheme, parts.netloc) in (base[:2], ("", ""))
            if not at_home and not (named and parts.scheme == "https"):
                return False
        return True

    def _settled(self, job: Begun | None, entry: Entry | None, end: Result) -> float | None:
        """What a job cost; one that is under way, or ended without a bill, stays booked."""
        if entry is None:
            key = job.key if job else ""
            if key and self.ledger.knows(key):  # an earlier command has settled it
                return self.price.picture if end.bill is None else end.bill
            return self.ledger.charge(end.bill, self.model, key=key) if end.bill else end.bill
        if not end.sure:
            self.ledger.leave(entry)
            return entry.booked
        return self.ledger.settle(entry, end.bill, booked=True, why="no bill")

    # -- how it ends -------------------------------------------------------------------------------

    def _end(self, job: Begun, began: float) -> Result:
        """Ask until the job is over or too much time has passed."""
        doubts, pause = 0, self.provider.pause
        while True:
            end = self._looked(job)
            doubts += end is not None
            if end is not None and (end.sure or doubts > _DOUBTS):
                return end
            if time.monotonic() - began + pause > self.provider.wait:
                reason = f"the job was not done within {self.provider.wait:g} s"
                return end or Result(status=Status.FAILED, reason=reason, sure=False)
            time.sleep(pause)
            pause = min(pause * 1.5, max(self.provider.pause, 10.0))

    def _looked(self, job: Begun) -> Result | None:
        """What the service says came of a job, or None while it is under way."""
        outcome, spec = self._asked(job.address, job), self.provider.kind.job
        if outcome.kind != "ok":
            reason = f"asking for the job: {outcome.reason}"
            return Result(status=Status.FAILED, reason=reason, sure=False)
        value = outcome.value
        state = at(value, spec.status)
        if state in (*spec.refused, *spec.failed):
            reasons = [str(reason) for place in spec.reasons if (reason := at(value, place))]
            refused = state in spec.refused or any(map(policy.filtered, reasons))
            reason = words(": ".join([str(state), *reasons[:1]]))
            return not_made(reason, refused=refused, bill=self._bill(value, job.cost))
        if state not in spec.done:
            return None
        listed = self.price.picture if job.cost is None else job.cost
        bill = self._bill(value, listed)
        if job.result:
            outcome = self._asked(job.result, job)
            if outcome.kind != "ok":
                sure = outcome.kind != "again" and outcome.http not in _GONE
                return replace(refusal(outcome), bill=bill, sure=sure)
            bill = self._bill(outcome.value, bill)
        return replace(self.fetched(self.provider.result(outcome.value)), bill=bill)

    def _asked(self, address: str, job: Begun) -> Outcome:
        """A question about a job, and its answer; one that is about another job is none."""
        try:
            url = address if urlsplit(address).scheme else self.address + address
            response = self.got(url)
        except OSError as error:
            return Outcome(kind="again", reason=str(error))
        if not 200 <= response.status < 300:
            return failed(response, self.http.secrets)
        outcome = self.read(response)
        number = at(outcome.value, self.provider.kind.job.id) if job.id else None
        if isinstance(number, str | int) and str(number) not in ("", job.id):
            return Outcome(kind="again", reason="the service answered with another job")
        return outcome

    def _bill(self, value: Any, otherwise: float | None) -> float | None:
        return self.provider.bill(value, ImagePrice(picture=otherwise))


def jobs(samples: Sequence[Sample], **settings: Any) -> RemoteEditor:
    """Any service that works by jobs, by a file that describes it.

    Settings: `service` (required: a name that is known here, or the path of a TOML file), those of
    `JobSettings`, and ``extra.NAME=VALUE`` for what the model takes.
    """
    service = str(settings.pop("service", "") or "")
    if not service:
        raise UsageError("editor 'jobs': wanted the setting service, for example service=mine.toml")
    return remote(provider_of(load(service)), service, settings, JobEditor)


def _named(name: str) -> Callable[..., RemoteEditor]:
    def factory(samples: Sequence[Sample], **settings: Any) -> RemoteEditor:
        return remote(provider_of(service), name, settings, JobEditor)

    service = load(name)
    model = f", {service.model} by default" if service.model else "; a model is needed"
    factory.__doc__ = (
        f"{service.title}, by jobs{model}.\n\nSettings: those of `jobs`, without `service`."
    )
    return factory


bfl, fal, replicate = map(_named, SERVICES)
