"""Image models behind a service: one editor, whatever the provider.

The flow is the same for all: can the sample be asked, the request, one paid call, what the reply
says, the picture fetched without the key, and delivered as it came. What an answer means, how long
to wait and what is booked is the same as for judges (`services.paid`). Every attempt of one call
carries the same ``Idempotency-Key``, and so does the same call of a run that was killed and started
again; a user's ``--retry`` is another call.

What tells one provider from another is in a subclass of `Provider`; a new one needs such a class,
its `factory`, and a line in `editgauge.catalog`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import msgspec

from editgauge.editors import delivery
from editgauge.editors.calling import Ask, Call, asked, call_key
from editgauge.editors.delivery import Amount, Count, Seconds, deliver, faulty, settings_of
from editgauge.editors.editor import BaseEditor, Mode
from editgauge.errors import ImageError, UsageError
from editgauge.images import free_memory
from editgauge.services import http, paid, policy
from editgauge.services import secrets as keys
from editgauge.services.booking import Ledger
from editgauge.services.gate import Gate
from editgauge.services.http import Http, Lost, Request, Response
from editgauge.services.paid import Outcome, PaidCalls, Spend
from editgauge.services.prices import ImagePrice, image_price_of
from editgauge.types import Edit, Sample, Status

OWN_KEY = "EDITGAUGE_EDITOR_KEY"
"""The environment's variable for a key that may go to any service."""
EXTRA = "extra."
"""How the name of a setting begins that is passed to the model as it is."""
MAX_REPLY_BYTES = 256 << 20
PATIENCE = 1800.0
"""Seconds for one picture, all waiting and retries together."""
_HOPS = 5
"""Redirects that are followed on the way to a delivered picture."""


class Settings(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, frozen=True):
    """What every service takes; providers add theirs. `price`: US dollars an output."""

    model: str = ""
    base_url: str = ""
    name: str = ""
    price: Amount | None = None
    concurrency: Count = 4
    timeout: Seconds = 300.0
    attempts: Count = 5
    pause: Amount = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What came of a call: a picture, as base64 or by its address, or, by its `status`, why there
    is none; `detail`: what else the reply said; `data`: the bytes, once they are there. Of a job,
    `bill`: US dollars, None where the service has not told; `over`: asking for it again would tell
    nothing new; `doubtful`: the next moment may put it right.
    """

    picture: str = ""
    status: Status = Status.SCORED
    reason: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)
    bill: float | None = None
    over: bool = True
    doubtful: bool = False
    data: bytes = b""


class Provider:
    """What tells one service from another. `told`: its settings, in its `shape`; `extra`: what is
    passed to the model as it is. `home`: its own address; `keys`: variables of the environment for
    this host alone; `needs`: settings without which nothing can be asked, and an example of each.
    """

    shape: type[Settings] = Settings
    home: str = ""
    keys: Sequence[str] = ()
    needs: Mapping[str, str] = {}
    told: Any
    extra: Mapping[str, Any]

    @property
    def model(self) -> str:
        return str(self.told.model)

    @property
    def pictures(self) -> int:
        """How many it takes at most."""
        return int(getattr(self.told, "pictures", 1))

    @property
    def name(self) -> str:
        """What the editor is called where no name is set: the model."""
        return self.model.strip("/").rsplit("/", 1)[-1].replace(":", "-")

    def given(self, *names: str) -> dict[str, Any]:
        """Those of the settings that were given."""
        values = {name: getattr(self.told, name) for name in names}
        return {name: value for name, value in values.items() if value not in (None, "")}

    @property
    def facts(self) -> dict[str, Any]:
        """What the model is told beside the sample: in the record of every edit, and a part of the
        call's identity. A longer wait or another limit of pictures makes no other call.
        """
        common = {*Settings.__struct_fields__, "pictures", "wait"}
        own = [name for name in self.shape.__struct_fields__ if name not in common]
        return {"model": self.model, **self.given(*own), **self.extra}

    def headers(self, key: str) -> Mapping[str, str]:
        """How the key travels: never in an address."""
        return {"Authorization": f"Bearer {key}"}

    def price(self) -> ImagePrice:
        """The price by the table, or by the user's word."""
        return image_price_of(self.model, self.told.price)

    def request(self, ask: Ask) -> Call:
        """The call for what is asked. Raises `ImageError` for a picture that cannot be sent."""
        raise NotImplementedError

    def result(self, value: Any) -> Result:
        """What a reply's JSON says came of it."""
        raise NotImplementedError

    def usage(self, value: Any) -> dict[str, int] | None:
        """Tokens of a reply as `ImagePrice.of` counts them; None where the reply tells none."""
        return None

    def bill(self, value: Any, price: ImagePrice) -> float | None:
        """What an answer cost, in US dollars; None where that is not known."""
        return price.of(self.usage(value))


def without_picture(reason: str, said: str = "", **more: Any) -> Result:
    """What a good answer without a picture is; `said`: its own words."""
    text = f"output: the reply has no picture{reason}" + (f": {said}" if said else "")
    return Result(status=Status.UNREADABLE, reason=text, **more)


def not_made(reason: str, *, refused: bool = False, **more: Any) -> Result:
    """What an error is: a refusal, where it is `refused` or its words are a content filter's."""
    refused = refused or policy.filtered(reason)
    return Result(status=Status.REFUSED if refused else Status.FAILED, reason=reason, **more)


def refusal(outcome: Outcome) -> Result:
    """What a call that gave no answer says: the content filter refused it, or it failed."""
    text = " ".join((outcome.reason, *policy.codes_of(policy.error_of(outcome.error))))
    filtered = outcome.http in (400, 403, 422, 451) and policy.filtered(text)
    refused = filtered or outcome.kind == "refused"
    return Result(status=Status.REFUSED if refused else Status.FAILED, reason=outcome.reason)


class Gone(OSError):
    """A picture that does not lie at its address, or no longer: asking again tells nothing new."""


class RemoteEditor(BaseEditor):
    """A model behind the service at an address, its provider's own by default. Runs on
    `concurrency` threads of one process; `ledger` keeps what it costs within a budget.
    """

    parallel: Mode = "thread"
    shows = True
    ledger: Ledger

    def __init__(self, provider: Provider, editor: str) -> None:
        told, base = provider.told, provider.told.base_url or provider.home
        self.provider, self.model, self.price = provider, provider.model, provider.price()
        if told.price is None and http.is_own_network(urlsplit(base).hostname or ""):
            self.price = ImagePrice()  # one's own machine has another price than a model's maker
        self.name, self.concurrency = told.name or provider.name or editor, told.concurrency
        self.told, self.seed = told, getattr(told, "seed", None)
        self.address, key = keys.address(base, "base_url"), self._key()
        names = (OWN_KEY, *(() if told.base_url else provider.keys))
        headers = provider.headers(key) if key else {}
        secrets = keys.Secrets([key, *self.address.secrets])
        self.http = Http(headers, secrets, timeout=told.timeout)
        self.ledger = Ledger(purpose="edit")
        # questions have a gate of their own: who waits for money holds no place that jobs need to
        # give some back
        self.calls, self.questions = (
            PaidCalls(
                http=self.http, gate=Gate(told.concurrency), ledger=self.ledger,
                host=self.address.host, deadline=PATIENCE, backoff=told.pause,
                attempts=told.attempts, keys=names,
            )
            for _ in range(2)
        )  # fmt: skip
        self.questions.paid_attempts = told.attempts  # nobody bills them

    def _key(self, *, needed: bool = False) -> str:
        base, names = self.told.base_url or self.provider.home, (OWN_KEY, *self.provider.keys)
        return keys.key_for(base, [self.provider.home], names, needed=needed)

    def ready(self) -> None:
        """Raises `UsageError` without the key that the provider needs."""
        self._key(needed=True)

    def estimate(self, sample: Sample) -> float | None:
        cannot = faulty(sample, self.name, pictures=self.provider.pictures)
        return 0.0 if cannot else self.price.picture

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        if cannot := faulty(sample, self.name, pictures=self.provider.pictures):
            return cannot
        try:
            ask = asked(sample)
            call = self.provider.request(ask)
        except ImageError as error:
            return Edit.without(sample.id, self.name, Status.DATASET_FAULT, f"input image: {error}")
        return self.edited(ask, call, folder)

    def edited(self, ask: Ask, call: Call, folder: Path) -> Edit:
        """What comes of a call."""
        outcome = self.paid(call, self.key(folder, ask, call))
        return self.answered(ask, folder, outcome)

    def answered(self, ask: Ask, folder: Path, outcome: Outcome) -> Edit:
        """The edit that the outcome of a call is."""
        known = self.price.picture is not None or outcome.cost is not None
        result = self.provider.result(outcome.value) if outcome.kind == "ok" else refusal(outcome)
        cost = outcome.spent if known else None
        detail = {"attempts": outcome.attempts}
        return self.ended(ask, folder, self.fetched(result), outcome.seconds, cost, detail)

    def ended(
        self, ask: Ask, folder: Path, result: Result, seconds: float, cost: float | None,
        detail: Mapping[str, Any],
    ) -> Edit:  # fmt: skip
        """The edit that a result is, with all that is recorded of its making."""
        sample, shots = ask.sample, [shot.id for shot in ask.sample.shots]
        facts = {
            "settings": self.provider.facts,
            "seed": self.seed,
            "detail": {**result.detail, **detail, "shots": shots},
            "seconds": round(seconds, 6),
            "cost": cost,
        }
        if result.status is Status.SCORED:
            return deliver(sample, self.name, folder, result.data, **facts)
        reason = keys.words(result.reason)
        return Edit.without(sample.id, self.name, result.status, reason, **facts)

    def key(self, folder: Path, ask: Ask, call: Call, *, question: bool = False) -> str:
        """See `calling.call_key`."""
        facts = repr(sorted((name, str(value)) for name, value in self.provider.facts.items()))
        parts = (self.name, ask.sample.id, ask.prompt, call.path, facts)
        return call_key(folder, *parts, *(file.data for file in ask.files), question=question)

    # -- the service -------------------------------------------------------------------------------

    def paid(self, call: Call, key: str, *, pending: bool = False) -> Outcome:
        """A paid call until it is answered with JSON (`kind` ``ok``), refused for good, or given
        up. `key`: its identity; `pending`: what it cost is told later. Raises `ServiceStopped`,
        also for an address at which nothing has ever answered, and `BudgetExceeded`.
        """
        url, headers = self.address.of(call.path), {"Idempotency-Key": key}
        if call.json is not None:
            request = http.json_request(url, call.json, headers=headers, limit=_most())
        else:
            files = [(name, file.name, file.media, file.data) for name, file in call.files]
            request = http.form_request(url, call.fields, files, headers=headers, limit=_most())

        def read(response: Response) -> Outcome:
            outcome = self._read(response)
            if pending or outcome.kind != "ok":
                return replace(outcome, pending=pending and outcome.kind == "ok")
            return replace(outcome, cost=self.provider.bill(outcome.value, self.price))

        spend = Spend(model=self.model, most=self.price.picture or 0.0)
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
        value = paid.decoded(response.data)
        if isinstance(value, dict):
            return Outcome(kind="ok", value=value, booked=True, http=response.status)
        start = self.http.secrets.line(response.data[:60].decode("utf-8", "replace"))
        reason = f"no JSON object in {len(response.data)} bytes: {start!r}"
        return Outcome(kind="again", reason=reason, http=response.status, lost=True, booked=True)

    def fetched(self, result: Result) -> Result:
        """The result with the bytes of its picture, or with why there are none."""
        if result.status is not Status.SCORED:
            return result
        try:
            is_address = "://" in result.picture[:20]
            data = (
                self._download(result.picture) if is_address else delivery.decoded(result.picture)
            )
        except OSError as error:  # an address is good for minutes: a job is asked for anew
            gone, why = isinstance(error, Gone), str(error)
            return replace(result, status=Status.FAILED, reason=why, over=False, doubtful=gone)
        if data is None:
            reason = "output: no base64 where the picture should be"
            return replace(result, status=Status.UNREADABLE, reason=reason)
        return replace(result, data=data)

    def _download(self, address: str) -> bytes:
        """A delivered picture, fetched without the key. Raises `OSError`, for good `Gone`."""
        last = ""
        for attempt in range(1, self.told.attempts + 1):
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
            if attempt < self.told.attempts:
                time.sleep(policy.pause_before(attempt, self.told.pause))
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


def remote(
    provider: Provider, editor: str, settings: Mapping[str, Any],
    kind: type[RemoteEditor] = RemoteEditor,
) -> RemoteEditor:  # fmt: skip
    """The editor of a provider. Raises `UsageError` for a setting that is not known, does not fit
    or is lacking.
    """
    extra = {name: value for name, value in settings.items() if name.startswith(EXTRA)}
    if EXTRA in extra:
        raise UsageError(f"setting {EXTRA!r}: wanted {EXTRA}NAME=VALUE")
    named = {name: value for name, value in settings.items() if name not in extra}
    told = provider.told = settings_of(editor, named, provider.shape, f"{EXTRA}NAME")
    provider.extra = {name.removeprefix(EXTRA): delivery.typed(one) for name, one in extra.items()}
    for name, example in provider.needs.items():
        if not getattr(told, name):
            wanted = f"wanted the setting {name}, for example {name}={example}"
            raise UsageError(f"editor {editor!r}: {wanted}")
    return kind(provider, editor)


def factory(provider: type[Provider], editor: str) -> Callable[..., RemoteEditor]:
    """What makes the editor of a provider, as `editgauge.editors` have it."""

    def make(samples: Sequence[Sample], **settings: Any) -> RemoteEditor:
        return remote(provider(), editor, settings)

    make.__doc__ = f"{provider.__doc__}\n\nSettings: {provider.shape()}, {EXTRA}NAME=VALUE."
    return make
