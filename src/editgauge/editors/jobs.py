"""Services that make a picture as a job: submit, ask how it stands, fetch the result.

What tells one service from another (addresses, names of fields, words of states, prices) is data: a
TOML file each in ``job_services/``, or one of one's own (``--editor jobs --set service=FILE``); see
`JobService`. The code here knows none of them by name.

A job that was submitted is noted beside the ledger before anything else happens, so that a run
which was killed, and a user's ``--retry`` of a job that was still under way, ask for the job that
is paid for instead of submitting another. The key goes to the service's own hosts only: a reply
that names another address for asking is not believed, and results are fetched without it. A reply
about a job that names another one is not believed either, nor a job that was given to two
questions: no picture may end at another sample.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from editgauge.editors.calling import Call, Gone, call_key
from editgauge.editors.delivery import decoded, deliver
from editgauge.editors.job_spec import JobProvider, JobService, JobSettings, at, load
from editgauge.editors.remote import (
    Ask,
    Nothing,
    RemoteEditor,
    refusal,
    remote,
    split,
)
from editgauge.errors import UsageError
from editgauge.services import policy
from editgauge.services.booking import Entry
from editgauge.services.paid import Outcome
from editgauge.services.prices import ImagePrice
from editgauge.services.secrets import words
from editgauge.types import Edit, Sample, Status

_GONE = (404, 410)
"""Statuses of a job that is not there."""
_DOUBTS = 3
"""How often an answer about a job is asked for again that the next moment may put right: a job that
is not known yet, is done without a picture, or whose picture's address has expired.
"""


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
    told, extra = split(service_name, settings, JobSettings)
    told = msgspec.structs.replace(told, model=told.model or service.model)
    if not told.model and "{model}" in service.submit:
        raise UsageError(f"editor {service_name!r}: wanted the setting model; give it with --model")
    scheme = f"{service.scheme} " if service.scheme else ""
    by = ", ".join(filter(None, (service.title, service.checked)))
    return remote(
        JobEditor,
        JobProvider(service, told, extra),
        told,
        address=service.base_url,
        keys=service.keys,
        auth=lambda key: {service.header: f"{scheme}{key}"},
        name=service_name,
        price=ImagePrice(picture=service.prices.get(told.model), source=by),
        spec=service,
        wait=told.wait,
        pause=told.pause,
    )


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


class Begun(msgspec.Struct, kw_only=True):
    """A job that was begun, as it is noted beside the ledger: its number, where to ask for it and
    for its result, the key of the call that began it, and whether it is known how it ended.
    """

    id: str
    address: str
    result: str = ""
    key: str = ""
    over: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _End:
    """What came of a job. `bill`: US dollars, None where the service has not told; `over`: asking
    for it again would tell nothing new; `doubtful`: the next moment may put it right.
    """

    status: Status
    reason: str = ""
    bill: float | None = None
    data: bytes = b""
    over: bool = True
    doubtful: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Work:
    """A job of a sample: `job` None where the service gave no number; `early`: what the first
    answer says came of it; `lost`: US dollars of attempts to begin it that may have been billed;
    `name`: under which it is noted; `content`: what is asked of which pictures.
    """

    name: str
    content: str
    job: Begun | None
    entry: Entry | None
    resumed: bool = False
    lost: float = 0.0
    early: _End | None = None


@dataclass(frozen=True, kw_only=True)
class JobEditor(RemoteEditor):
    """See `make`. Runs on `concurrency` threads of one process; `ledger` keeps what it costs within
    a budget.
    """

    spec: JobService
    wait: float = 900.0
    pause: float = 1.0
    given: dict[str, str] = field(default_factory=dict)
    """What each job of this process was asked, by the job's address."""

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        asked = self._asked(sample)
        if isinstance(asked, Edit):
            return asked
        ask, call = asked
        began = time.monotonic()
        work = self._resumed(folder, ask, call) or self._submitted(folder, ask, call)
        if isinstance(work, Outcome):
            return self._made(ask, call, folder, work, self._cost(work))
        try:
            end = self._end(work, began)
        except BaseException:
            self._left(work.entry)
            raise
        if work.job is not None and end.over:
            self._note(work.name, msgspec.structs.replace(work.job, over=True))
        cost = self._settled(work, end)
        facts: dict[str, Any] = {
            "settings": {"model": self.model, **call.facts},
            "seed": self.seed,
            "seconds": round(time.monotonic() - began, 6),
            "cost": None if cost is None else work.lost + cost,
            "detail": {"job": work.job.id if work.job else "", "shots": [s.id for s in ask.shots]},
        }
        if end.status is not Status.SCORED:
            return Edit.without(sample.id, self.name, end.status, end.reason, **facts)
        return deliver(sample, self.name, folder, end.data, **facts)

    # -- a job that is begun, or was ---------------------------------------------------------------

    def _submitted(self, folder: Path, ask: Ask, call: Call) -> _Work | Outcome:
        """A new job, or what the service said in its place."""
        key = self._key(folder, ask, call)
        outcome = self.service.call(call, key, self._spend(), pending=True)
        if outcome.kind != "ok":
            return outcome
        try:
            job = self._begun(outcome.value, key)
            work = self._work(folder, ask, call, job, outcome.entry)
            if job is not None:
                self._note(work.name, job, outcome.entry)
            return replace(work, lost=outcome.spent, early=self._ended(outcome.value))
        except BaseException:
            self._left(outcome.entry)
            raise

    def _resumed(self, folder: Path, ask: Ask, call: Call) -> _Work | None:
        """The job of an earlier command for the same question. One that is over counts for the
        same call alone: a user's retry buys another. A run may come from anybody, but the key goes
        to the service's hosts only.
        """
        work = self._work(folder, ask, call, None, None)
        try:
            note = self.ledger.paid.note(work.name) or ""
            job = msgspec.json.decode(note, type=Begun)
        except msgspec.DecodeError:
            return None
        own = all(self._own(address) for address in (job.address, job.result) if address)
        if not own or (job.over and job.key != self._key(folder, ask, call)):
            return None
        entry = self.ledger.standing([job.key]).get(job.key)
        return replace(work, job=job, entry=entry, resumed=True)

    def _work(
        self, folder: Path, ask: Ask, call: Call, job: Begun | None, entry: Entry | None
    ) -> _Work:
        name = f"job {self._key(folder, ask, call, question=True)}"
        content = call_key(Path(), ask.prompt, *(data for _, data, _ in ask.files), question=True)
        return _Work(name=name, content=content, job=job, entry=entry)

    def _note(self, name: str, job: Begun, entry: Entry | None = None) -> None:
        """Write a job down; a booking that is still open is its own from now on."""
        with self.ledger.paid.transaction():
            self.ledger.paid.note(name, msgspec.json.encode(job).decode())
            if entry is not None:
                self.ledger.name(entry, job.key)

    def _begun(self, value: Any, key: str) -> Begun | None:
        """The job's number and where to ask for it; None where the reply has none, or names an
        address on a strange host: that is no job of this service.
        """
        spec = self.spec.job
        number = at(value, spec.id or "id")
        if spec.poll:
            address = spec.poll.format(id=number) if _plain_id(number) else ""
        else:
            address = str(at(value, spec.poll_url) or "")
        result = str(at(value, spec.result_url) or "") if spec.result_url else ""
        if not address or not self._own(address) or (result and not self._own(result)):
            return None
        return Begun(id=str(number or ""), address=address, result=result, key=key)

    def _own(self, address: str) -> bool:
        """Whether the key may go to an address: a path, or one on the service's own hosts."""
        if address.startswith("/"):
            return True
        parts, base = urlsplit(address), urlsplit(self.service.address.base)
        if (parts.scheme, parts.netloc) == (base.scheme, base.netloc):
            return True
        host = parts.hostname or ""
        ours = any(host == name or host.endswith(f".{name}") for name in self.spec.hosts)
        return parts.scheme == "https" and ours

    def _left(self, entry: Entry | None) -> None:
        """The job goes on without this command: who waits for money waits for it no longer."""
        if entry is not None:
            self.ledger.leave(entry)

    def _settled(self, work: _Work, end: _End) -> float | None:
        """What a job cost, in US dollars, brought into the ledger. One that is still under way
        stays booked, and so does one that ended without a bill, also when it failed or was refused:
        services differ in what they charge for those.
        """
        if work.entry is None:
            key = work.job.key if work.job else ""
            if work.resumed and self.ledger.knows(key):  # an earlier command has settled it
                return self.price.picture if end.bill is None else end.bill
            return self.ledger.charge(end.bill, self.model, key=key) if end.bill else end.bill
        if not end.over:
            self.ledger.leave(work.entry)
            return work.entry.booked
        if end.bill is None:
            return self.ledger.keep(work.entry, "no bill")
        return self.ledger.bill(work.entry, end.bill)

    # -- how it ends -------------------------------------------------------------------------------

    def _end(self, work: _Work, began: float) -> _End:
        job = work.job
        if job is None and work.early is None:
            reason = "no job in the reply"  # it may have begun one all the same
            return _End(status=Status.UNREADABLE, reason=reason)
        if job is not None and self.given.setdefault(job.address, work.content) != work.content:
            reason = "the service gave one number to the jobs of two samples"
            return _End(status=Status.FAILED, reason=reason)
        if work.early is not None and (job is None or not work.early.doubtful):
            return work.early
        assert job is not None
        end = self._watched(job, began)
        # a doubt that stands in two commands is none: it will not come
        return replace(end, over=end.over or (work.resumed and end.doubtful))

    def _watched(self, job: Begun, began: float) -> _End:
        """Ask until the job is over or too much time has passed."""
        pause, doubts = self.pause, 0
        while True:
            end = self._looked(job)
            if end is not None:
                doubts += 1
                if not end.doubtful or doubts > _DOUBTS:
                    return end
            if time.monotonic() - began + pause > self.wait:
                reason = f"the job was not done within {self.wait:g} s"
                return end or _End(status=Status.FAILED, reason=reason, over=False)
            time.sleep(pause)
            pause = min(pause * 1.5, max(self.pause, 10.0))

    def _looked(self, job: Begun) -> _End | None:
        """What the service says came of a job, or None while it is under way."""
        outcome = self.service.look(job.address)
        if outcome.kind != "ok":
            gone = outcome.http in _GONE
            reason = f"asking for the job: {outcome.reason}"
            return _End(status=Status.FAILED, reason=reason, over=gone, doubtful=gone)
        if self._is_another(outcome.value, job):
            return _ANOTHER
        end = self._ended(outcome.value, fetch=not job.result)
        if end is None or end.status is not Status.SCORED or not job.result:
            return end
        outcome = self.service.look(job.result)
        if outcome.kind != "ok":
            fault = refusal(outcome)
            over, gone = not policy.may_pass(outcome.http), outcome.http in _GONE
            return _End(
                status=fault.status, reason=fault.reason, bill=end.bill,
                over=over and outcome.kind != "again", doubtful=gone,
            )  # fmt: skip
        if self._is_another(outcome.value, job):
            return _ANOTHER
        return self._fetched(outcome.value, self._bill(outcome.value, end.bill))

    def _is_another(self, value: Any, job: Begun) -> bool:
        """Whether a reply says that it is about another job; one that says nothing is believed."""
        number = at(value, self.spec.job.id) if self.spec.job.id and job.id else None
        return isinstance(number, str | int) and str(number) not in ("", job.id)

    def _ended(self, value: Any, *, fetch: bool = True) -> _End | None:
        """What a reply says came of a job, or None while it is under way. `fetch` False: its result
        is elsewhere.
        """
        spec = self.spec.job
        state = at(value, spec.status)
        if state in spec.done:
            bill = self._bill(value, self.price.picture)
            return self._fetched(value, bill) if fetch else _End(status=Status.SCORED, bill=bill)
        if state not in (*spec.refused, *spec.failed):
            return None
        codes = [str(at(value, place) or "") for place in spec.codes]
        refused = state in spec.refused or any(
            policy.filtered(code) or any(word in code for word in spec.filters) for code in codes
        )
        return _End(
            status=Status.REFUSED if refused else Status.FAILED,
            reason=self._why(value, str(state)),
            bill=self._bill(value, None),
        )

    def _fetched(self, value: Any, bill: float | None) -> _End:
        found = self.provider.result(value)
        if isinstance(found, Nothing):
            doubtful = found.status is Status.UNREADABLE
            return _End(status=found.status, reason=found.reason, bill=bill, doubtful=doubtful)
        if found.data:
            if (data := decoded(found.data)) is not None:
                return _End(status=Status.SCORED, bill=bill, data=data)
            reason = "output: no base64 in the picture"
            return _End(status=Status.UNREADABLE, reason=reason, bill=bill)
        try:
            return _End(status=Status.SCORED, bill=bill, data=self.service.fetch(found.url))
        except OSError as error:
            # the address is good for minutes: the job is asked for anew, also by a retry
            gone = isinstance(error, Gone)
            reason = str(error)
            return _End(status=Status.FAILED, reason=reason, bill=bill, over=False, doubtful=gone)

    def _why(self, value: Any, state: str) -> str:
        reasons = [said for place in self.spec.job.reasons if (said := at(value, place))]
        return words(f"{state}: {reasons[0]}" if reasons else state)

    def _bill(self, value: Any, otherwise: float | None) -> float | None:
        """What the reply says that it cost, in US dollars; `otherwise` where it does not say."""
        return self.provider.bill(value, ImagePrice(picture=otherwise))


_ANOTHER = _End(
    status=Status.FAILED, reason="the service answered with another job", over=False, doubtful=True
)


def _plain_id(value: Any) -> bool:
    """Whether a job's number can be a part of an address."""
    return isinstance(value, str | int) and bool(re.fullmatch(r"[\w.=-]{1,200}", str(value)))
