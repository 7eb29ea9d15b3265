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
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from editgauge import toml
from editgauge.editors.asking import numbered, shots_for
from editgauge.editors.delivery import decoded, deliver, faulty, known, number, whole
from editgauge.editors.prices import Price
from editgauge.editors.sending import as_file, data_address, passed_through, sized
from editgauge.editors.service import (
    Charge,
    Gone,
    Ledger,
    Reply,
    Request,
    Service,
    call_key,
    key_from,
    words,
)
from editgauge.errors import DataError, ImageError, RunError, UsageError
from editgauge.images import write_bytes
from editgauge.services import policy
from editgauge.store import paths
from editgauge.types import Edit, Sample, Status

SERVICES = ("bfl", "fal", "replicate", "dashscope", "ideogram")
"""The services that have a file here; each is an editor of that name."""
OWN = (
    "model",
    "base_url",
    "name",
    "price",
    "shots",
    "pictures",
    "picture_field",
    "seed",
    "concurrency",
    "timeout",
    "attempts",
    "pause",
    "wait",
)
_PACKAGE = "editgauge.editors"
_ASKED = ("address", "result")
"""The addresses of a job that is under way."""
_GONE = (404, 410)
"""Statuses of a job that is not there."""
_DOUBTS = 3
"""How often an answer about a job is asked for again that the next moment may put right: a job that
is not known yet, is done without a picture, or whose picture's address has expired.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobService:
    """A service as its TOML file describes it.

    Places in requests and replies are dotted paths (``output.results.0.url``). `job` holds: ``id``
    (where it is named, a reply about another job is not believed);
    ``poll`` (a path with ``{id}``) or ``poll_url`` (where the reply names the address);
    ``result_url`` (where another reply has the result); ``status`` and its words ``done``,
    ``failed``, ``refused`` (any other word: wait); ``result``, ``reasons`` and ``codes`` (places,
    the first that holds something counts); ``filters`` (codes of a content filter); ``unsafe`` (a
    place that is false when a filter withheld the picture).
    """

    title: str
    source: str
    checked: str
    base_url: str
    hosts: tuple[str, ...]
    keys: tuple[str, ...]
    header: str
    model: str
    submit: str
    request: Mapping[str, Any]
    job: Mapping[str, Any]
    scheme: str = ""
    pictures: int = 1
    headers: Mapping[str, str] = field(default_factory=dict)
    bill: Mapping[str, Any] = field(default_factory=dict)
    prices: Mapping[str, float] = field(default_factory=dict)


def load(name: str) -> JobService:
    """A service by its name in `SERVICES` or by the path of a TOML file. Raises `UsageError` for
    one that is neither, and `DataError` naming what its file lacks.
    """
    if name in SERVICES:
        place: Any = resources.files(_PACKAGE).joinpath("job_services", f"{name}.toml")
    elif name.endswith(".toml"):
        place = Path(name).expanduser()
    else:
        raise UsageError(
            f"service {name!r}: wanted one of {', '.join(SERVICES)}, or the path of a .toml file"
        )
    try:
        told = toml.read(place)
    except (OSError, ValueError) as error:
        raise DataError(f"{Path(name).name}: cannot be read as TOML ({error})") from error
    fields = JobService.__dataclass_fields__
    unknown = sorted(set(told) - set(fields))
    needed = ("base_url", "header", "job", "keys", "request", "submit")
    lacking = [name for name in needed if name not in told]
    if unknown or lacking:
        raise DataError(
            f"{Path(name).name}: "
            + "; ".join(
                [f"has no {', '.join(lacking)}"] * bool(lacking)
                + [f"{', '.join(unknown)}: not known"] * bool(unknown)
            )
        )
    if said := next(_misfits(told), ""):
        raise DataError(f"{Path(name).name}: {said}")
    listed = {name: tuple(told.get(name, ())) for name in ("hosts", "keys")}
    plain = {"title": name, "source": "", "checked": "", "model": ""}
    return JobService(**{**plain, **told, **listed})


_TABLES = ("request", "job", "headers", "bill", "prices")
_INNER = ("constants", "sized")
_DEAREST = 1e6
"""US dollars that nothing costs."""
_LISTS = ("done", "failed", "refused", "result", "reasons", "codes", "filters")
_FIELDS = {"submit": {"model"}, "more": {"n"}, "poll": {"id"}}
"""Texts with fields in braces, and which."""


def _misfits(told: Mapping[str, Any]) -> Iterator[str]:
    """What is of a wrong kind in a service's file, in words; the first is to be told, since the
    later ones take the earlier for granted.
    """
    for name, value in told.items():
        yield from _kind(name, value)
    yield from _incomplete(told["request"], told["job"])
    for name, value in told["job"].items():
        if not (_texts(value) if name in _LISTS else isinstance(value, str)):
            yield f"job.{name}: wanted {'a list of texts' if name in _LISTS else 'a text'}"
    for name, value in told["request"].items():
        if not isinstance(value, dict if name in _INNER else str):
            yield f"request.{name}: wanted a {'table' if name in _INNER else 'text'}"
    yield from _wrong_numbers(told)
    for name, fields in _FIELDS.items():
        text = {**told, **told["job"], **told["request"]}.get(name, "")
        if set(re.findall(r"\{([^{}]*)\}|[{}]", text)) - fields:
            yield f"{name}: wanted no braces but {', '.join(f'{{{field}}}' for field in fields)}"


def _kind(name: str, value: Any) -> Iterator[str]:
    if name in _TABLES:
        good, wanted = isinstance(value, dict), "a table"
    elif name in ("hosts", "keys"):
        good, wanted = _texts(value), "a list of texts"
    elif name == "pictures":
        good, wanted = type(value) is int and value > 0, "a whole number from 1"
    else:
        good, wanted = isinstance(value, str), "a text"
    if not good:
        yield f"{name}: wanted {wanted}"


def _incomplete(request: Mapping[str, Any], job: Mapping[str, Any]) -> Iterator[str]:
    for table, told, wanted in (
        ("request", request, (("prompt",), ("image", "images"))),
        ("job", job, (("status",), ("done",), ("result",), ("poll", "poll_url"))),
    ):
        for names in wanted:
            if not set(names) & set(told):
                yield f"{table}: has no {' or '.join(names)}"


def _wrong_numbers(told: Mapping[str, Any]) -> Iterator[str]:
    if sized := told["request"].get("sized"):
        steps = [sized.get(name, 1) for name in ("step", "most")]
        if not {"width", "height"} <= set(sized) or not all(
            type(step) is int and step > 0 for step in steps
        ):
            yield "request.sized: wanted width, height, and whole numbers as step and most"
    if not all(isinstance(value, str) for value in told.get("headers", {}).values()):
        yield "headers: wanted texts"
    bill = told.get("bill", {})
    if bill and not isinstance(bill.get("path"), str):
        yield "bill: has no path"
    dollars = [*told.get("prices", {}).values(), bill.get("unit", 1.0)]
    if not all(type(value) in (int, float) and 0 <= value < _DEAREST for value in dollars):
        yield "prices, bill.unit: wanted numbers of US dollars"


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def jobs(samples: Sequence[Sample], **settings: Any) -> JobEditor:
    """Any service that works by jobs, by a file that describes it. Settings: `service` (required: a
    name that is known here, or the path of a TOML file), and those of `make`.
    """
    service = str(settings.pop("service", "") or "")
    if not service:
        raise UsageError(
            "editor 'jobs': wanted the setting service, for example --set service=mine.toml"
        )
    return make(service, samples, **settings)


def make(name: str, samples: Sequence[Sample], **settings: Any) -> JobEditor:
    """A service of `SERVICES`, or a file, as an editor.

    Settings: `model`, `base_url`, `name`, `price` (US dollars an output), `shots`, `pictures` (how
    many it is given at most), `picture_field` (what the model calls its pictures), `seed`,
    `concurrency` (4), `timeout` (120 s a request), `wait` (900 s a job), `attempts` (5), `pause`
    (1 s between questions), and ``extra.NAME=VALUE`` for what is passed to the model as it is.
    Raises `UsageError` for another setting, without a model or without a key.
    """
    service = load(name)
    own = {key: value for key, value in settings.items() if not key.startswith("extra.")}
    known(name, own, *OWN, "extra.NAME")
    model = str(own.get("model") or service.model)
    if not model and "{model}" in service.submit:
        raise UsageError(f"editor {name!r}: wanted the setting model; give it with --model")
    address = str(own.get("base_url") or service.base_url)
    scheme = f"{service.scheme} " if service.scheme else ""
    shots = whole(name, own, "shots", 0)
    concurrency = whole(name, own, "concurrency", 4, least=1)
    pause = number(name, own, "pause", 1.0)
    given = own.get("price")
    price = service.prices.get(model) if given is None else number(name, own, "price", 0.0)
    return JobEditor(
        name=str(own.get("name") or model.strip("/").rsplit("/", 1)[-1].replace(":", "-") or name),
        model=model,
        kind=service,
        service=Service(
            address,
            key=key_from(
                ("EDITGAUGE_EDITOR_KEY", *service.keys), needed=address == service.base_url
            ),
            auth=lambda key: {service.header: f"{scheme}{key}"},
            concurrency=concurrency,
            timeout=number(name, own, "timeout", 120.0, least=0.001),
            attempts=whole(name, own, "attempts", 5, least=1),
            pause=pause,
        ),
        price=Price(
            picture=price,
            source="--price"
            if given is not None
            else ", ".join(filter(None, (service.title, service.checked))),
        ),
        extra=passed_through(settings),
        picture_field=str(own.get("picture_field") or ""),
        seed=whole(name, own, "seed", 0) if "seed" in own else None,
        pictures=whole(name, own, "pictures", service.pictures, least=1),
        wait=number(name, own, "wait", 900.0, least=0.001),
        pause=pause,
        shots=shots,
        samples=samples if shots else (),
        concurrency=concurrency,
    )


def _named(name: str) -> Callable[..., JobEditor]:
    def factory(samples: Sequence[Sample], **settings: Any) -> JobEditor:
        return make(name, samples, **settings)

    service = load(name)
    model = f", {service.model} by default" if service.model else "; --model is needed"
    factory.__doc__ = (
        f"{service.title}, by jobs{model}.\n\n"
        f"Written after {service.source}, {service.checked}; never called from here with a real "
        f"key. Settings: {', '.join(OWN)}, and extra.NAME for what the model takes."
    )
    return factory


bfl = _named("bfl")
fal = _named("fal")
replicate = _named("replicate")
dashscope = _named("dashscope")
ideogram = _named("ideogram")


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
class JobEditor:
    """See `make`. Runs on `concurrency` threads of one process; `ledger` keeps what it costs within
    a budget.
    """

    name: str
    model: str
    kind: JobService
    service: Service
    price: Price
    extra: Mapping[str, Any] = field(default_factory=dict)
    picture_field: str = ""
    seed: int | None = None
    pictures: int = 1
    wait: float = 900.0
    pause: float = 1.0
    shots: int = 0
    samples: Sequence[Sample] = ()
    concurrency: int = 4
    ledger: Ledger = field(default_factory=Ledger)
    parallel: str = "thread"
    over: dict[str, _Memory] = field(default_factory=dict)
    """Jobs that ended, by sample, until the run has recorded what came of them."""
    given: _Given = field(default_factory=_Given)

    def estimate(self, sample: Sample) -> float | None:
        """What one edit will about cost, in US dollars; None where the price is not known."""
        return 0.0 if faulty(sample, self.name, pictures=self.pictures) else self.price.picture

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        fault = faulty(sample, self.name, pictures=self.pictures)
        if fault is not None:
            return fault
        shots = shots_for(sample, self.samples, self.shots)
        prompt, pictures = numbered(sample, shots)
        if len(pictures) > self.pictures:
            reason = (
                f"{len(shots)} demonstrations make {len(pictures)} pictures, the service "
                f"takes {self.pictures}"
            )
            return Edit.without(sample.id, self.name, Status.NOT_APPLICABLE, reason)
        try:
            submission = self._submission(sample, folder, prompt, pictures)
        except ImageError as error:
            return Edit.without(sample.id, self.name, Status.DATASET_FAULT, f"input image: {error}")
        charge = Charge(self.ledger, self.price.picture, self.model, submission.request.key)
        memory = _Memory.of(folder, submission.question)
        outcome = self._job(submission, charge, memory)
        if outcome.over:
            self.over[sample.id] = memory
        outcome.cost = self._settled(charge, outcome)
        facts: dict[str, Any] = {
            "settings": {"model": self.model, **self.extra},
            "seed": self.seed,
            "seconds": round(outcome.seconds, 6),
            "cost": outcome.cost,
            "detail": {"job": outcome.job, "shots": [shot.id for shot in shots]},
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

    # -- the request -------------------------------------------------------------------------------

    def _submission(
        self, sample: Sample, folder: Path, prompt: str, pictures: Sequence[Path]
    ) -> _Submission:
        told = self.kind.request
        body: dict[str, Any] = {}
        for place, value in {**told.get("constants", {})}.items():
            _put(body, place, value)
        _put(body, str(told["prompt"]), prompt)
        if "model" in told:
            _put(body, str(told["model"]), self.model)
        within = str(told.get("within", ""))
        seed = {} if self.seed is None else {"seed": self.seed}
        for name, value in {**seed, **self._size(pictures[0]), **self.extra}.items():
            _put(body, f"{within}.{name}" if within else name, value)
        path = self.kind.submit.format(model=self.model.strip("/"))
        files = [as_file(picture, index) for index, picture in enumerate(pictures)]
        text = json.dumps(body, sort_keys=True)
        content: list[str | bytes] = [self.model, text, *(data for _, data, _ in files)]
        key = call_key(folder, sample.id, *content)
        question = call_key(folder, sample.id, *content, question=True)
        request = self._request(path, body, files, pictures)
        return _Submission(
            replace(request, key=key), question, call_key(Path(), *content, question=True)
        )

    def _request(
        self,
        path: str,
        body: dict[str, Any],
        files: Sequence[tuple[str, bytes, str]],
        pictures: Sequence[Path],
    ) -> Request:
        told = self.kind.request
        headers = dict(self.kind.headers)
        if told.get("form") == "multipart":
            name = self.picture_field or str(told["image"])
            fields = {place: str(value) for place, value in body.items()}
            parts = [(name, file) for file in files]
            return Request(path, lambda: {"data": fields, "files": parts}, headers=headers)
        self._put_pictures(body, [self._written(picture) for picture in pictures])
        return Request(path, lambda: {"json": body}, headers=headers)

    def _size(self, picture: Path) -> dict[str, int]:
        """The input's size to the service's step, where the service is told one."""
        told = self.kind.request.get("sized")
        if not told:
            return {}
        width, height = sized(picture, int(told.get("step", 16)), int(told.get("most", 2048)))
        return {str(told["width"]): width, str(told["height"]): height}

    def _written(self, picture: Path) -> str:
        address = data_address(picture)
        bare = self.kind.request.get("picture") == "base64"
        return address.partition(",")[2] if bare else address

    def _put_pictures(self, body: dict[str, Any], pictures: Sequence[str]) -> None:
        """The pictures under the names that the service has for them, or the one that is set."""
        told = self.kind.request
        if self.picture_field:
            within = str(told.get("within", ""))
            place = f"{within}.{self.picture_field}" if within else self.picture_field
            many = len(pictures) > 1 or self.picture_field.endswith("s")
            _put(body, place, list(pictures) if many else pictures[0])
        elif "images" in told:
            _put(body, str(told["images"]), list(pictures))
        else:
            _put(body, str(told["image"]), pictures[0])
            for index, picture in enumerate(pictures[1:], 2):
                _put(body, str(told["more"]).format(n=index), picture)

    # -- the job -----------------------------------------------------------------------------------

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
        number = at(value, str(told.get("id", "id")))
        if "poll" in told:
            address = str(told["poll"]).format(id=number) if _plain_id(number) else ""
        else:
            address = str(at(value, str(told["poll_url"])) or "")
        result = str(at(value, str(told["result_url"])) or "") if "result_url" in told else ""
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
                state = str(at(reply.value, str(self.kind.job["status"])) or "not known")
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
        if "id" not in self.kind.job or not job["id"]:
            return False
        number = at(value, str(self.kind.job["id"]))
        return isinstance(number, str | int) and str(number) not in ("", job["id"])

    def _strange(self) -> _Outcome:
        reason = "the service answered with another job"
        return _Outcome(status=Status.FAILED, reason=reason, cost=None, over=False, doubtful=True)

    def _ended(self, value: Any, job: Mapping[str, str] | None = None) -> _Outcome | None:
        """What came of a job, or None while it is under way."""
        told = self.kind.job
        state = at(value, str(told["status"]))
        if state in told.get("refused", ()):
            return _Outcome(
                status=Status.REFUSED,
                reason=self._why(value, str(state)),
                cost=self._billed(value, None),
            )
        if state in told.get("failed", ()):
            refused = self._filtered(value)
            status = Status.REFUSED if refused else Status.FAILED
            return _Outcome(
                status=status, reason=self._why(value, str(state)), cost=self._billed(value, None)
            )
        if state not in told.get("done", ()):
            return None
        cost = self._billed(value, self.price.picture)
        if "unsafe" in told and at(value, str(told["unsafe"])) is False:
            return _Outcome(
                status=Status.REFUSED, reason="withheld by the service's content filter", cost=cost
            )
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
        places = [str(place) for place in self.kind.job["result"]]
        found = next((v for p in places if isinstance(v := at(value, p), str) and v), None)
        if found is None:
            reason = f"output: the finished job has no picture at {' or '.join(places)}"
            return _Outcome(status=Status.UNREADABLE, reason=reason, cost=cost, doubtful=True)
        if found.startswith("data:"):
            data = decoded(found)
            if data is None:
                return _Outcome(
                    status=Status.UNREADABLE, reason="output: no base64 in the picture", cost=cost
                )
            return _Outcome(status=Status.SCORED, reason="", cost=cost, data=data)
        try:
            return _Outcome(
                status=Status.SCORED, reason="", cost=cost, data=self.service.fetch(found)
            )
        except OSError as error:
            # The address is good for minutes: the job is kept, and asked for anew, also by a retry.
            return _Outcome(
                status=Status.FAILED,
                reason=str(error),
                cost=cost,
                over=False,
                doubtful=isinstance(error, Gone),
            )

    def _refused_or_failed(self, reply: Reply) -> _Outcome:
        refused = reply.http in (400, 403, 422, 451) and (
            self._filtered(reply.value)
            or re.search(
                r"moderat|safety|sensitive|content.?(filter|policy)",
                f"{reply.code} {reply.reason}",
                re.I,
            )
        )
        status = Status.REFUSED if refused else Status.FAILED
        return _Outcome(status=status, reason=reply.reason, cost=0.0, seconds=reply.seconds)

    def _filtered(self, value: Any) -> bool:
        told = self.kind.job
        codes = [str(at(value, str(place)) or "") for place in told.get("codes", ())]
        return any(word in code for code in codes for word in told.get("filters", ()))

    def _why(self, value: Any, state: str) -> str:
        for place in self.kind.job.get("reasons", ()):
            if said := at(value, str(place)):
                return words(f"{state}: {said if isinstance(said, str) else json.dumps(said)}")
        return words(state)

    def _billed(self, value: Any, otherwise: float | None) -> float | None:
        """What the reply says that it cost, in US dollars; `otherwise` where it does not say."""
        told = at(value, str(self.kind.bill["path"])) if self.kind.bill else None
        if isinstance(told, bool) or not isinstance(told, int | float) or not told >= 0:
            return otherwise
        return round(float(told) * float(self.kind.bill.get("unit", 1.0)), 6)


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
    for step in place.split("."):
        if isinstance(value, list):
            value = value[int(step)] if step.isdigit() and len(value) > int(step) else None
        else:
            value = value.get(step) if isinstance(value, dict) else None
    return value


def _put(body: dict[str, Any], place: str, value: Any) -> None:
    """Write a value at a dotted place, making the objects on the way."""
    *way, last = place.split(".")
    for step in way:
        body = body.setdefault(step, {})
    body[last] = value


def _plain_id(value: Any) -> bool:
    """Whether a job's number can be a part of an address."""
    return isinstance(value, str | int) and bool(re.fullmatch(r"[\w.=-]{1,200}", str(value)))
