"""Image models behind a service, by the rules of `services.paid`. All attempts of a call carry one
``Idempotency-Key``, also after a kill; ``--retry`` is another call. Providers: `Provider`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urljoin, urlsplit

import msgspec

from editgauge.editors import delivery
from editgauge.editors.calling import Ask, Call, asked, call_key, put
from editgauge.editors.delivery import Amount, Count, Seconds, deliver, faulty, settings_of
from editgauge.editors.editor import BaseEditor, Mode
from editgauge.errors import ImageError, UsageError
from editgauge.services import http, paid, policy
from editgauge.services import secrets as keys
from editgauge.services.booking import Ledger
from editgauge.services.gate import Gate
from editgauge.services.http import Http, Lost, Request, Response
from editgauge.services.paid import Outcome, PaidCalls, Spend
from editgauge.services.prices import ImagePrice, image_price_of
from editgauge.types import Edit, JsonMapping, JsonObject, Sample, Status

OWN_KEY = "EDITGAUGE_EDITOR_KEY"
"""The environment's variable for a key that may go to any service."""
EXTRA = "extra."
"""How the name of a setting begins that is passed to the model as it is."""
MOST = 256 << 20
"""Bytes of a reply or a picture."""
PATIENCE = 1800.0
"""Seconds for one picture, all waiting and retries together."""
_HOPS = 5
"""Redirects that are followed on the way to a delivered picture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What came of a call: a picture, as base64 or by its address, or, by its `status`, why there
    is none; `detail`: what else the reply said; `data`: the bytes, once they are there. Of a job,
    `bill`: US dollars, None where the service has not told; `sure`: asking again would tell nothing
    new.
    """

    picture: str = ""
    status: Status = Status.SCORED
    reason: str = ""
    detail: JsonMapping = field(default_factory=dict)
    bill: float | None = None
    sure: bool = True
    data: bytes = b""


class Provider(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, frozen=True):
    """What tells one service from another; its fields are the settings. `price`: US dollars an
    output; `pictures`: how many it is given at most; `extra`: what is passed to the model as it is.

    `home`: its own address; `keys`: variables of the environment for this host alone; `takes`:
    pictures where none is said; `needs`: settings without which nothing can be asked, and an
    example of each.
    """

    home: ClassVar[str] = ""
    keys: ClassVar[Sequence[str]] = ()
    takes: ClassVar[int] = 1
    needs: ClassVar[Mapping[str, str]] = {}

    model: str = ""
    base_url: str = ""
    name: str = ""
    price: Amount | None = None
    seed: int | None = None
    pictures: Count | None = None
    concurrency: Count = 4
    timeout: Seconds = 300.0
    attempts: Count = 5
    pause: Amount = 1.0
    extra: JsonObject = {}

    @property
    def address(self) -> str:
        return self.base_url or self.home

    @property
    def called(self) -> str:
        """What the editor is called where no name is set: the model."""
        return self.model.strip("/").rsplit("/", 1)[-1].replace(":", "-")

    def given(self, *names: str) -> JsonObject:
        """Those of the settings that were given."""
        values = {name: getattr(self, name) for name in names}
        return {name: value for name, value in values.items() if value not in (None, "")}

    @property
    def facts(self) -> JsonObject:
        """What the model is told beside the sample: in the record of every edit, and a part of the
        call's identity. A longer wait or another limit of pictures makes no other call.
        """
        how = {*Provider.__struct_fields__, "wait"} - {"seed"}
        own = [name for name in self.__struct_fields__ if name not in how]
        return {"model": self.model, **self.given(*own), **self.extra}

    def headers(self, key: str) -> Mapping[str, str]:
        """How the key travels: never in an address."""
        return {"Authorization": f"Bearer {key}"}

    def listed(self) -> ImagePrice:
        """The price by the table, or by the user's word."""
        return image_price_of(self.model, self.price)

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


class RemoteEditor(BaseEditor):
    """A model behind the service at an address, its provider's own by default. Runs on
    `concurrency` threads of one process; `ledger` keeps what it costs within a budget.
    """

    parallel: Mode = "thread"
    shows = True
    ledger: Ledger

    def __init__(self, provider: Provider, editor: str) -> None:
        base, self.provider = provider.address, provider
        self.model, self.price = provider.model, provider.listed()
        if provider.price is None and http.is_own_network(urlsplit(base).hostname or ""):
            self.price = ImagePrice()  # one's own machine has another price than a model's maker
        self.name = provider.name or provider.called or editor
        self.concurrency = provider.concurrency
        self.address, key = keys.address(base, argument="base_url"), self._key()
        headers = provider.headers(key) if key else {}
        secrets = keys.Secrets([key])
        self.http = Http(headers, secrets, timeout=provider.timeout)
        self.ledger = Ledger(purpose="edit")
        self.calls = PaidCalls(
            http=self.http, gate=Gate(provider.concurrency), ledger=self.ledger,
            host=urlsplit(self.address).netloc, deadline=PATIENCE, backoff=provider.pause,
            attempts=provider.attempts,
            keys=(OWN_KEY, *(() if provider.base_url else provider.keys)),
        )  # fmt: skip

    def _key(self, *, needed: bool = False) -> str:
        names = (OWN_KEY, *self.provider.keys)
        return keys.key_for(self.provider.address, [self.provider.home], names, needed=needed)

    def _faulty(self, sample: Sample) -> Edit | None:
        if why := sample.lost("service"):
            return Edit.without(sample.id, self.name, Status.DATASET_FAULT, why)
        return faulty(sample, self.name, pictures=self.provider.pictures or self.provider.takes)

    def ready(self) -> None:
        """Raises `UsageError` without the key that the provider needs."""
        self._key(needed=True)

    def estimate(self, sample: Sample) -> float | None:
        return 0.0 if self._faulty(sample) else self.price.picture

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        if cannot := self._faulty(sample):
            return cannot
        try:
            ask = asked(sample)
            call = self.provider.request(ask)
        except ImageError as error:
            return Edit.without(sample.id, self.name, Status.DATASET_FAULT, f"input image: {error}")
        result, facts = self.made(ask, call, folder)
        facts["settings"], facts["seed"] = self.provider.facts, self.provider.seed
        shots = {"shots": [shot.id for shot in sample.shots]}
        facts["detail"] = {**result.detail, **facts["detail"], **shots}
        if result.status is Status.SCORED:
            return deliver(sample, self.name, folder, result.data, **facts)
        reason = keys.words(result.reason)
        return Edit.without(sample.id, self.name, result.status, reason, **facts)

    def made(self, ask: Ask, call: Call, folder: Path) -> tuple[Result, JsonObject]:
        """What comes of a call: `seconds`, `cost` and `detail` beside its result."""
        return self.answered(self.paid(call, self.key(folder, ask, call)))

    def answered(self, outcome: Outcome) -> tuple[Result, JsonObject]:
        """What the outcome of a call is."""
        known = self.price.picture is not None or outcome.cost is not None
        result = self.provider.result(outcome.value) if outcome.kind == "ok" else refusal(outcome)
        cost = outcome.spent if known else None
        facts = {"seconds": round(outcome.seconds, 6), "cost": cost}
        return self.fetched(result), {**facts, "detail": {"attempts": outcome.attempts}}

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
        url, headers = self.address + call.path, {"Idempotency-Key": key}
        if call.json is not None:
            request = http.json_request(url, call.json, headers=headers, limit=MOST)
        else:
            files = [(name, file.name, file.media, file.data) for name, file in call.files]
            request = http.form_request(url, call.fields, files, headers=headers, limit=MOST)

        def read(response: Response) -> Outcome:
            outcome = self.read(response)
            if pending or outcome.kind != "ok":
                return replace(outcome, pending=pending and outcome.kind == "ok")
            return replace(outcome, cost=self.provider.bill(outcome.value, self.price))

        spend = Spend(model=self.model, most=self.price.picture or 0.0)
        outcome = self.calls.call(request, read, spend)
        if outcome.unreachable and not self.calls.sent:
            self.calls.stop(
                f"{self.calls.host}: {outcome.reason}; nothing is recorded as the model's "
                f"failure. Start the service or correct its address, and run the same command again"
            )
        return outcome

    def read(self, response: Response) -> Outcome:
        """What a successful answer means: an outcome with its JSON, or a lost one without."""
        value = paid.decoded(response.data)
        if isinstance(value, dict):
            return Outcome(kind="ok", value=value, booked=True, http=response.status)
        start = self.http.secrets.line(response.data[:60].decode("utf-8", "replace"))
        reason = f"no JSON object in {len(response.data)} bytes: {start!r}"
        return Outcome(kind="again", reason=reason, http=response.status, lost=True, booked=True)

    def got(self, url: str, **how: Any) -> Response:
        """What a GET gives, which costs nothing: faults that may pass are asked again. Raises
        `OSError` where nothing else comes.
        """
        for attempt in range(1, self.provider.attempts + 1):
            pause = policy.pause_before(attempt, self.provider.pause)
            try:
                response = self.http.send(Request(url=url, method="GET", limit=MOST, **how))
                empty = 200 <= response.status < 300 and not response.data
                if not empty and not policy.may_pass(response.status):
                    return response
                last = f"HTTP {response.status}" + (", empty" if empty else "")
                pause = policy.retry_after(response.headers, {}) or pause
            except Lost as error:
                last = error.reason
            if attempt < self.provider.attempts:
                time.sleep(pause)
        raise OSError(f"the address gave nothing ({last})")

    def fetched(self, result: Result) -> Result:
        """The result with the bytes of its picture, or with why there are none."""
        if result.status is not Status.SCORED:
            return result
        try:
            if "://" in result.picture[:20]:
                return replace(result, data=self._download(result.picture))
        except OSError as error:  # an address is good for minutes: a job is asked for anew
            return replace(result, status=Status.FAILED, reason=str(error), sure=False)
        if data := delivery.decoded(result.picture):
            return replace(result, data=data)
        reason = "output: no base64 where the picture should be"
        return replace(result, status=Status.UNREADABLE, reason=reason)

    def _download(self, address: str) -> bytes:
        """A delivered picture, fetched without the key. Raises `OSError`."""
        for _ in range(_HOPS + 1):
            parts = urlsplit(address)
            if parts.scheme not in ("http", "https") or not parts.hostname:
                shown = self.http.secrets.line(address, 80)
                raise OSError(f"an address that is none of a picture: {shown!r}")
            response = self.got(address, own=False, clean=False)
            if 200 <= response.status < 300:
                return response.data
            if not (target := response.headers.get("location")):
                raise OSError(f"the address gave nothing (HTTP {response.status})")
            address = urljoin(address, target)
        raise OSError(f"the address leads on and on (more than {_HOPS} redirects)")


def remote(
    kind: type[Provider], editor: str, settings: JsonMapping,
    how: type[RemoteEditor] = RemoteEditor,
) -> RemoteEditor:  # fmt: skip
    """A provider's editor. Raises `UsageError` for an unknown, unfit or lacking setting."""
    extra: JsonObject = {}
    named = {name: value for name, value in settings.items() if not name.startswith(EXTRA)}
    for name in settings.keys() - named.keys():
        put(extra, name.removeprefix(EXTRA), delivery.typed(settings[name]))
    provider = settings_of(editor, {**named, "extra": extra}, kind)
    for name, example in provider.needs.items():
        if not getattr(provider, name):
            wanted = f"wanted the setting {name}, for example {name}={example}"
            raise UsageError(f"editor {editor!r}: {wanted}")
    return how(provider, editor)


def factory(kind: type[Provider], editor: str) -> Callable[..., RemoteEditor]:
    """What makes the editor of a provider, as `editgauge.editors` have it."""

    def make(samples: Sequence[Sample], **settings: Any) -> RemoteEditor:
        return remote(kind, editor, settings)

    make.__doc__ = f"{kind.__doc__}\n\nSettings: {kind()}; {EXTRA}NAME=VALUE."
    return make
