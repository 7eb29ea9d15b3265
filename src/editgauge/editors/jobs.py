"""Services that make a picture as a job: submit, ask how it stands, fetch the result.

What tells one service from another (addresses, names of fields, words of states, prices) is data: a
TOML file each in ``job_services/``, or one of one's own (``--editor jobs --set service=FILE``); see
`JobService`. The code here knows none of them by name.

A job that was submitted is written down beside the run's outputs before anything else happens, so
that a run which was killed, and a user's ``--retry`` of a job that was still under way, ask for the
job that is paid for instead of submitting another. The key goes to the service's own hosts only: a
reply that names another address for asking is not believed, and results are fetched without it. A
reply about a job that names another one is not believed either, nor a job that was given to two
questions: no picture may end at another sample.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

import msgspec

from editgauge import schema
from editgauge.editors.delivery import decoded, deliver
from editgauge.editors.providers import at as found_at
from editgauge.editors.providers import data_url, encoded
from editgauge.editors.remote import (
    Ask,
    Call,
    Count,
    Made,
    Nothing,
    RemoteEditor,
    Seconds,
    Settings,
    filtered,
    remote,
    settings_of,
)
from editgauge.editors.sending import sized
from editgauge.editors.service import Charge, Gone, Reply, Request, call_key, words
from editgauge.errors import DataError, RunError, UsageError
from editgauge.images import write_bytes
from editgauge.services import policy
from editgauge.services.prices import ImagePrice
from editgauge.store import paths
from editgauge.types import Edit, Sample, Status

SERVICES = ("bfl", "fal", "replicate", "dashscope", "ideogram")
"""The services that have a file here; each is an editor of that name."""
_ASKED = ("address", "result")
"""The addresses of a job that is under way."""
_GONE = (404, 410)
"""Statuses of a job that is not there."""
_DOUBTS = 3
"""How often an answer about a job is asked for again that the next moment may put right: a job that
is not known yet, is done without a picture, or whose picture's address has expired.
"""
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
    (with ``{n}``) the others, or `images` all of them; `within`: where parameters are.
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


def jobs(samples: Sequence[Sample], **settings: Any) -> JobEditor:
    """Any service that works by jobs, by a file that describes it. Settings: `service` (required: a
    name that is known here, or the path of a TOML file), and those of `make`.
    """
    service = str(settings.pop("service", "") or "")
    if not service:
        raise UsageError(
            "editor 'jobs': wanted the setting service, for example --set service=mine.toml"
        )
    return make(service, **settings)


def make(service_name: str, /, **settings: Any) -> JobEditor:
    """A service of `SERVICES`, or a file, as an editor.

    Settings: `model`, `base_url`, `name`, `price` (US dollars an output), `pictures` (how
    many it is given at most), `picture_field` (what the model calls its pictures), `seed`,
    `concurrency` (4), `timeout` (120 s a request), `wait` (900 s a job), `attempts` (5), `pause`
    (1 s between questions), and ``extra.NAME=VALUE`` for what is passed to the model as it is.
    Raises `UsageError` for another setting, without a model or without a key.
    """
    service = load(service_name)
    told, extra = settings_of(service_name, settings, JobSettings)
    told = msgspec.structs.replace(told, model=told.model or service.model)
    if not told.model and "{model}" in service.submit:
        raise UsageError(f"editor {service_name!r}: wanted the setting model; give it with --model")
    scheme = f"{service.scheme} " if service.scheme else ""
    made = remote(
        JobProvider(service, told, extra),
        told,
        address=service.base_url,
        keys=service.keys,
        auth=lambda key: {service.header: f"{scheme}{key}"},
        seed=told.seed,
        name=service_name,
    )
    by = ", ".join(filter(None, (service.title, service.checked)))
    price = ImagePrice(picture=service.prices.get(told.model), source=by)
    if told.price is not None:
        price = made.price
    values = {name: getattr(made, name) for name in made.__dataclass_fields__}
    return JobEditor(**{**values, "price": price}, kind=service, wait=told.wait, pause=told.pause)


def _named(name: str) -> Callable[..., JobEditor]:
    def factory(samples: Sequence[Sample], **settings: Any) -> JobEditor:
        return make(name, **settings)

    service = load(name)
    model = f", {service.model} by default" if service.model else "; --model is needed"
    factory.__doc__ = (
        f"{service.title}, by jobs{model}.\n\n"
        f"Written after {service.source}, {service.checked}; never called from here with a real "
        f"key. Settings: {', '.join(JobSettings.__struct_fields__)}, and extra.NAME for what the "
        f"model takes."
    )
    return factory


bfl = _named("bfl")
fal = _named("fal")
replicate = _named("replicate")
dashscope = _named("dashscope")
ideogram = _named("ideogram")


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
            name = self.told.picture_field or spec.image
            fields = {place: str(value) for place, value in body.items()}
            parts = [(name, file) for file in ask.files]
            return Call(path, {"data": fields, "files": parts}, self.extra)
        write = encoded if spec.picture == "base64" else data_url
        self._put_pictures(body, [write(file) for file in ask.files])
        return Call(path, {"json": body}, self.extra)

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
        """The pictures under the names that the service has for them, or the one that is set."""
        spec, own = self.kind.request, self.told.picture_field
        if own:
            many = len(pictures) > 1 or own.endswith("s")
            _put(body, self._place(own), list(pictures) if many else pictures[0])
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


class _Given:
    """Which question each job of this process was made of, by the address where it is asked for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._contents: dict[str, str] = {}
        self._shared: set[str] = set()

    def to(self, address: str, content: str) -> bool:
        """Whether the job is of this content alone, as far as is known."""
        with self._lock:
            if self._contents.setdefault(address, content) != content:
                self._shared.add(address)
            return address not in self._shared


@dataclass(frozen=True, kw_only=True)
class JobEditor(RemoteEditor):
    """See `make`. Runs on `concurrency` threads of one process; `ledger` keeps what it costs within
    a budget.
    """

    kind: JobService
    wait: float = 900.0
    pause: float = 1.0
    over: dict[str, _Memory] = field(default_factory=dict)
    """Jobs that ended, by sample, until the run has recorded what came of them."""
    given: _Given = field(default_factory=_Given)

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        asked = self._asked(sample)
        if isinstance(asked, Edit):
            return asked
        ask, call = asked
        submission = self._submission(folder, ask, call)
        charge = Charge(self.ledger, self.price.picture, self.model, submission.request.key)
        memory = _Memory.of(folder, submission.question)
        outcome = self._job(submission, charge, memory)
        if outcome.over:
            self.over[sample.id] = memory
        outcome.cost = self._settled(charge, outcome)
        facts: dict[str, Any] = {
            "settings": {"model": self.model, **call.facts},
            "seed": self.seed,
            "seconds": round(outcome.seconds, 6),
            "cost": outcome.cost,
            "detail": {"job": outcome.job, "shots": [shot.id for shot in ask.shots]},
        }
        if outcome.status is not Status.SCORED:
            return Edit.without(sample.id, self.name, outcome.status, outcome.reason, **facts)
        return deliver(sample, self.name, folder, outcome.data, **facts)

    def _settled(self, charge: Charge, outcome: _Outcome) -> float | None:
        """What the job cost, in US dollars, brought into the ledger.

        A job that is still under way stays booked, and so does one that ended without a bill, also
        when it failed or was refused: services differ in what they charge for those. One of an
        earlier command is found in the ledger by its call's key, and is not booked once more.
        """
        if not outcome.begun:
            return charge.cost
        if not outcome.over:
            return charge.leave() if not outcome.resumed else self.price.picture
        if outcome.resumed:
            for entry in self.ledger.standing([outcome.key]).values():
                if outcome.cost is None:
                    return self.ledger.keep(entry, "no bill")
                self.ledger.bill(entry, outcome.cost)
                return outcome.cost
            if self.ledger.knows(outcome.key):
                return outcome.cost if outcome.cost is not None else self.price.picture
        return charge.bill(outcome.cost)

    def recorded(self, sample: str) -> None:
        """The run has written down what came of a sample: its job need not be found again."""
        memory = self.over.pop(sample, None)
        if memory is not None:
            memory.forget()

    # -- the job -----------------------------------------------------------------------------------

    def _submission(self, folder: Path, ask: Ask, call: Call) -> _Submission:
        told = {name: value for name, value in call.body.items() if name != "files"}
        text = json.dumps([call.path, told], sort_keys=True)
        content: list[str | bytes] = [self.model, text, *(data for _, data, _ in ask.files)]
        sample = ask.sample.id
        request = Request(
            call.path,
            lambda: call.body,
            headers=self.kind.headers,
            key=call_key(folder, sample, *content),
        )
        question = call_key(folder, sample, *content, question=True)
        return _Submission(request, question, call_key(Path(), *content, question=True))

    def _job(self, submission: _Submission, charge: Charge, memory: _Memory) -> _Outcome:
        began = time.monotonic()
        job = memory.read()
        if job is not None and not all(map(self._own, filter(None, map(job.get, _ASKED)))):
            job = None  # a run may come from anybody: the key goes to the service's hosts only
        resumed = job is not None
        if job is None:
            reply = self.service.call(replace(submission.request, charge=charge))
            if reply.status is not Status.SCORED:
                return self._refused_or_failed(reply)
            job = self._begun(reply.value)
            if job is not None and not self.given.to(job["address"], submission.content):
                return self._timed(self._shared(), began)
            early = self._ended(reply.value)
            if early is not None and not (early.doubtful and job is not None):
                return self._timed(early, began, job)
            if job is None:
                reason = f"no job in the reply: {words(json.dumps(reply.value))[:120]}"
                price = self.price.picture  # it may have begun one all the same
                return _Outcome(
                    status=Status.UNREADABLE,
                    reason=reason,
                    cost=price,
                    seconds=reply.seconds,
                    begun=True,
                )
            job["key"] = submission.request.key
            memory.write(job)
        outcome = self._watched(job, began)
        if not self.given.to(job["address"], submission.content):
            outcome = self._shared()
        outcome.resumed, outcome.key = resumed, job.get("key", submission.question)
        if resumed and outcome.doubtful:
            outcome.over = True  # in two commands: it will not come
        return self._timed(outcome, began, job)

    def _shared(self) -> _Outcome:
        reason = "the service gave one number to the jobs of two samples"
        return _Outcome(status=Status.FAILED, reason=reason, cost=None)

    def _timed(
        self, outcome: _Outcome, began: float, job: Mapping[str, str] | None = None
    ) -> _Outcome:
        outcome.seconds, outcome.begun = time.monotonic() - began, True
        outcome.job = str((job or {}).get("id", ""))
        return outcome

    def _begun(self, value: Any) -> dict[str, str] | None:
        """The job's number and where to ask for it; None where the reply has none.

        Raises nothing for an address on a strange host: that is no job of this service.
        """
        told = self.kind.job
        number = at(value, told.id or "id")
        if told.poll:
            address = told.poll.format(id=number) if _plain_id(number) else ""
        else:
            address = str(at(value, told.poll_url) or "")
        result = str(at(value, told.result_url) or "") if told.result_url else ""
        if not address or not self._own(address) or (result and not self._own(result)):
            return None
        return {"id": str(number or ""), "address": address, "result": result}

    def _own(self, address: str) -> bool:
        """Whether the key may go to an address: a path, or one on the service's own hosts."""
        if address.startswith("/"):
            return True
        parts, base = urlsplit(address), urlsplit(self.service.base_url)
        if (parts.scheme, parts.netloc) == (base.scheme, base.netloc):
            return True
        host = parts.hostname or ""
        ours = any(host == name or host.endswith(f".{name}") for name in self.kind.hosts)
        return parts.scheme == "https" and ours

    def _watched(self, job: Mapping[str, str], began: float) -> _Outcome:
        """Ask until the job is over or too much time has passed."""
        pause = self.pause
        doubts = 0
        while True:
            reply = self.service.call(Request(job["address"], dict, method="GET"))
            ended = self._told(reply, job)
            if ended is not None:
                doubts += 1
                if not ended.doubtful or doubts > _DOUBTS:
                    return ended
            if time.monotonic() - began + pause > self.wait:
                if ended is not None:
                    return ended
                state = str(at(reply.value, self.kind.job.status) or "not known")
                reason = f"the job was not done within {self.wait:g} s (it is {words(state)[:40]})"
                return _Outcome(status=Status.FAILED, reason=reason, over=False)
            time.sleep(pause)
            pause = min(pause * 1.5, max(self.pause, 10.0))

    def _told(self, reply: Reply, job: Mapping[str, str]) -> _Outcome | None:
        """What an answer about a job says came of it, or None while it is under way."""
        if reply.status is not Status.SCORED:
            gone = reply.http in _GONE
            reason = f"asking for the job: {reply.reason}"
            return _Outcome(
                status=Status.FAILED, reason=reason, cost=None, over=gone, doubtful=gone
            )
        if self._another(reply.value, job):
            return self._strange()
        return self._ended(reply.value, job)

    def _another(self, value: Any, job: Mapping[str, str]) -> bool:
        """Whether a reply says that it is about another job; one that says nothing is believed."""
        if not self.kind.job.id or not job["id"]:
            return False
        number = at(value, self.kind.job.id)
        return isinstance(number, str | int) and str(number) not in ("", job["id"])

    def _strange(self) -> _Outcome:
        reason = "the service answered with another job"
        return _Outcome(status=Status.FAILED, reason=reason, cost=None, over=False, doubtful=True)

    def _ended(self, value: Any, job: Mapping[str, str] | None = None) -> _Outcome | None:
        """What came of a job, or None while it is under way."""
        told = self.kind.job
        state = at(value, told.status)
        if state in told.refused or (state in told.failed and self._filtered(value)):
            cost = self._billed(value, None)
            return _Outcome(status=Status.REFUSED, reason=self._why(value, str(state)), cost=cost)
        if state in told.failed:
            cost = self._billed(value, None)
            return _Outcome(status=Status.FAILED, reason=self._why(value, str(state)), cost=cost)
        if state not in told.done:
            return None
        cost = self._billed(value, self.price.picture)
        if job is not None and job.get("result"):
            reply = self.service.call(Request(job["result"], dict, method="GET"))
            if reply.status is not Status.SCORED:
                outcome = self._refused_or_failed(reply)
                outcome.cost, outcome.doubtful = cost, reply.http in _GONE
                outcome.over = bool(reply.http) and not policy.may_pass(reply.http)
                return outcome
            if self._another(reply.value, job):
                return self._strange()
            value = reply.value
            cost = self._billed(value, cost)
        return self._fetched(value, cost)

    def _fetched(self, value: Any, cost: float | None) -> _Outcome:
        found = self.provider.result(value)
        if isinstance(found, Nothing):
            doubtful = found.status is Status.UNREADABLE
            return _Outcome(status=found.status, reason=found.reason, cost=cost, doubtful=doubtful)
        if found.data:
            if (data := decoded(found.data)) is not None:
                return _Outcome(status=Status.SCORED, reason="", cost=cost, data=data)
            reason = "output: no base64 in the picture"
            return _Outcome(status=Status.UNREADABLE, reason=reason, cost=cost)
        try:
            data = self.service.fetch(found.url)
        except OSError as error:
            # The address is good for minutes: the job is kept, and asked for anew, also by a retry.
            doubtful = isinstance(error, Gone)
            return _Outcome(
                status=Status.FAILED, reason=str(error), cost=cost, over=False, doubtful=doubtful
            )
        return _Outcome(status=Status.SCORED, reason="", cost=cost, data=data)

    def _refused_or_failed(self, reply: Reply) -> _Outcome:
        refused = self._filtered(reply.value) and reply.http in (400, 403, 422, 451)
        found = Nothing(Status.REFUSED, reply.reason) if refused else self._result(reply)
        assert isinstance(found, Nothing)
        return _Outcome(status=found.status, reason=reply.reason, cost=0.0, seconds=reply.seconds)

    def _filtered(self, value: Any) -> bool:
        """Whether an error's code is that of a content filter."""
        job = self.kind.job
        codes = [str(at(value, place) or "") for place in job.codes]
        return any(filtered(code) or any(word in code for word in job.filters) for code in codes)

    def _why(self, value: Any, state: str) -> str:
        for place in self.kind.job.reasons:
            if said := at(value, place):
                return words(f"{state}: {said if isinstance(said, str) else json.dumps(said)}")
        return words(state)

    def _billed(self, value: Any, otherwise: float | None) -> float | None:
        """What the reply says that it cost, in US dollars; `otherwise` where it does not say."""
        return self.provider.bill(value, ImagePrice(picture=otherwise))


@dataclass(frozen=True, slots=True)
class _Submission:
    """The call that begins a job. `question` is the sample's, however often the user asks it;
    `content` what is asked of which pictures, whoever asks.
    """

    request: Request
    question: str
    content: str


@dataclass(kw_only=True)
class _Outcome:
    """What came of a job. `over`: asking for it again would tell nothing new; `doubtful`: the next
    moment may put it right. `begun`: the service took it; `resumed`: in an earlier command, whose
    call had this `key`.
    """

    status: Status
    reason: str
    cost: float | None = 0.0
    data: bytes = b""
    over: bool = True
    seconds: float = 0.0
    job: str = ""
    doubtful: bool = False
    begun: bool = False
    resumed: bool = False
    key: str = ""


@dataclass(frozen=True, slots=True)
class _Memory:
    """Where a job that is under way is written down, so that a killed run finds it again."""

    path: Path | None

    @classmethod
    def of(cls, folder: Path, key: str) -> _Memory:
        """Beside the outputs of the run whose temporary folder this is; nowhere outside a run."""
        inside = folder.parent.name == ".tmp"
        return cls(folder.parent.parent / ".jobs" / f"{key}.json" if inside else None)

    def read(self) -> dict[str, str] | None:
        if self.path is None:
            return None
        try:
            told = json.loads(paths.read(self.path))
        except (OSError, ValueError, RecursionError, RunError):
            return None
        fine = isinstance(told, dict) and {"id", "address", "result"} <= set(told)
        return {name: str(value) for name, value in told.items()} if fine else None

    def write(self, job: Mapping[str, str]) -> None:
        if self.path is not None:
            write_bytes(self.path, json.dumps(dict(job)).encode())

    def forget(self) -> None:
        if self.path is not None:
            self.path.unlink(missing_ok=True)


def at(value: Any, place: str) -> Any:
    """What lies at a dotted place of JSON (``data.0.url``); None where there is nothing."""
    steps = place.split(".")
    return found_at(value, *(int(step) if step.isdigit() else step for step in steps))


def _put(body: dict[str, Any], place: str, value: Any) -> None:
    """Write a value at a dotted place, making the objects on the way."""
    *way, last = place.split(".")
    for step in way:
        body = body.setdefault(step, {})
    body[last] = value


def _plain_id(value: Any) -> bool:
    """Whether a job's number can be a part of an address."""
    return isinstance(value, str | int) and bool(re.fullmatch(r"[\w.=-]{1,200}", str(value)))
