"""Image models behind a service: one editor, whatever the provider.

The flow is the same for all: is the sample one that can be asked, demonstrations, the request, one
paid call (booked before it is sent, retried where that is right, the same ``Idempotency-Key`` after
a kill), what the reply says, the picture fetched without the key, and delivered as it came. What
tells one provider from another is two pure functions; see `Provider`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Protocol, TypeVar
from urllib.parse import urlsplit

import msgspec

from editgauge.editors.asking import conversation, numbered
from editgauge.editors.calling import Call, Service, call_key
from editgauge.editors.delivery import decoded, deliver, faulty, settings_of
from editgauge.editors.editor import BaseEditor, Mode
from editgauge.editors.sending import EXTRA, as_file, passed_through
from editgauge.errors import ImageError
from editgauge.services import policy
from editgauge.services.booking import Ledger
from editgauge.services.http import is_own_network
from editgauge.services.paid import Outcome, Spend
from editgauge.services.prices import ImagePrice, image_price_of
from editgauge.services.secrets import key_for, words
from editgauge.types import Edit, Sample, Shot, Status

Count = Annotated[int, msgspec.Meta(ge=1)]
Amount = Annotated[float, msgspec.Meta(ge=0, le=1e6)]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=1e9)]
OWN_KEY = "EDITGAUGE_EDITOR_KEY"
"""The environment's variable for a key that may go to any service."""


# ---------------------------------------------------------------------------------------- settings
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

    def shown_name(self, otherwise: str = "") -> str:
        """The editor's name in rows: as set, else the model's own."""
        own = self.model.strip("/").rsplit("/", 1)[-1].replace(":", "-")
        return self.name or own or otherwise


Shape = TypeVar("Shape", bound=Settings)


def split(
    editor: str, settings: Mapping[str, Any], shape: type[Shape]
) -> tuple[Shape, dict[str, Any]]:
    """The settings as a declared shape, and those that are passed on (``extra.NAME``). Raises
    `UsageError` for one that is not known or does not fit.
    """
    own = {name: value for name, value in settings.items() if not name.startswith(EXTRA)}
    return settings_of(editor, own, shape, f"{EXTRA}NAME"), passed_through(settings)


# ---------------------------------------------------------------------------- what a provider says
@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What is asked: the sample, demonstrations, and the pictures in the order of `prompt`.

    `prompt` counts the pictures, for a model that is given all of them first; `turns` has texts and
    pictures in turn. `files`: each picture as name, bytes and media type.
    """

    sample: Sample
    shots: Sequence[Shot]
    prompt: str
    files: Sequence[tuple[str, bytes, str]]
    turns: Sequence[str | tuple[str, bytes, str]]
    shown: Path
    """The picture whose size counts."""


@dataclass(frozen=True, slots=True)
class Made:
    """A picture, as base64 or at an address, and what else the reply said."""

    data: str = ""
    url: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Nothing:
    """No picture, and why."""

    status: Status
    reason: str
    detail: Mapping[str, Any] = field(default_factory=dict)


class Provider(Protocol):
    """What tells one service from another. `pictures`: how many it takes at most."""

    @property
    def pictures(self) -> int: ...

    def request(self, ask: Ask) -> Call:
        """The call for what is asked. Raises `ImageError` for a picture that cannot be sent."""
        ...

    def result(self, value: Any) -> Made | Nothing:
        """What a reply's JSON says came of it."""
        ...

    def bill(self, value: Any, price: ImagePrice) -> float | None:
        """What an answer cost, in US dollars; None where that is not known."""
        ...


# --------------------------------------------------------------------------------------- the editor
@dataclass(frozen=True, kw_only=True)
class RemoteEditor(BaseEditor):
    """A model behind a service. Runs on `concurrency` threads of one process; `ledger` keeps what
    it costs within a budget.
    """

    name: str
    model: str
    provider: Provider
    service: Service
    price: ImagePrice
    seed: int | None = None
    concurrency: int = 4
    ledger: Ledger
    parallel: Mode = "thread"
    shows: bool = True

    def estimate(self, sample: Sample) -> float | None:
        """What one edit will about cost, in US dollars; None where the price is not known."""
        cannot = faulty(sample, self.name, pictures=self.provider.pictures)
        return 0.0 if cannot else self.price.picture

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        asked = self._asked(sample)
        if isinstance(asked, Edit):
            return asked
        ask, call = asked
        key = self._key(folder, ask, call)
        outcome = self.service.call(
            call, key, self._spend(), lambda value: self.provider.bill(value, self.price)
        )
        return self._made(ask, call, folder, outcome, self._cost(outcome))

    def _spend(self) -> Spend:
        return Spend(model=self.model, most=self.price.picture or 0.0)

    def _cost(self, outcome: Outcome) -> float | None:
        """What stands in the ledger for an output; None where no price is known."""
        known = self.price.picture is not None or outcome.cost is not None
        return outcome.spent if known else None

    def _asked(self, sample: Sample) -> tuple[Ask, Call] | Edit:
        """What is asked and the call for it, or why there is none."""
        most = self.provider.pictures
        if (fault := faulty(sample, self.name, pictures=most)) is not None:
            return fault
        shots = sample.shots
        prompt, pictures = numbered(sample, shots)
        if len(pictures) > most and shots:
            reason = f"{len(shots)} demonstrations make {len(pictures)} pictures, the service takes"
            status = Status.NOT_APPLICABLE
            return Edit.without(sample.id, self.name, status, f"{reason} {most}")
        try:
            ask = asked_of(sample, shots, prompt, pictures)
            return ask, self.provider.request(ask)
        except ImageError as error:
            return Edit.without(sample.id, self.name, Status.DATASET_FAULT, f"input image: {error}")

    def _key(self, folder: Path, ask: Ask, call: Call, *, question: bool = False) -> str:
        facts = repr(sorted((name, str(value)) for name, value in call.facts.items()))
        pictures = (data for _, data, _ in ask.files)
        told = (ask.sample.id, self.model, str(self.seed), ask.prompt, call.path, facts)
        return call_key(folder, *told, *pictures, question=question)

    def _made(
        self, ask: Ask, call: Call, folder: Path, outcome: Outcome, cost: float | None
    ) -> Edit:
        facts: dict[str, Any] = {
            "settings": {"model": self.model, **call.facts},
            "seed": self.seed,
            "seconds": round(outcome.seconds, 6),
            "cost": cost,
        }
        detail = {"attempts": outcome.attempts, "shots": [shot.id for shot in ask.shots]}
        result = self.provider.result(outcome.value) if outcome.kind == "ok" else refusal(outcome)
        facts["detail"] = {**result.detail, **detail}
        if isinstance(result, Made):
            return self._delivered(ask.sample, folder, result, facts)
        return Edit.without(ask.sample.id, self.name, result.status, words(result.reason), **facts)

    def _delivered(self, sample: Sample, folder: Path, made: Made, facts: dict[str, Any]) -> Edit:
        if made.data:
            if (data := decoded(made.data)) is not None:
                return deliver(sample, self.name, folder, data, **facts)
            reason = "output: no base64 where the picture should be"
            return Edit.without(sample.id, self.name, Status.UNREADABLE, reason, **facts)
        try:
            return deliver(sample, self.name, folder, self.service.fetch(made.url), **facts)
        except OSError as error:
            return Edit.without(sample.id, self.name, Status.FAILED, str(error), **facts)

    # -- in a batch (see `run.batch`) --------------------------------------------------------------

    def batch_line(self, sample: Sample, folder: Path) -> tuple[str, str, dict[str, Any]] | Edit:
        """What asks for a sample in a batch: the call's key, its endpoint, its JSON body; or why it
        cannot be asked. `folder` stands for the run, as in a call.
        """
        asked = self._asked(sample)
        if isinstance(asked, Edit):
            return asked
        body = self.provider.batched(asked[0])  # type: ignore[attr-defined]  # see `can_batch`
        return self._key(folder, *asked), f"/v1{asked[1].path}", body

    def batch_edit(
        self, sample: Sample, folder: Path, outcome: Outcome, cost: float | None
    ) -> Edit:
        """The edit that a batch's answer is; `cost` is what it was booked at without a bill."""
        asked = self._asked(sample)
        return asked if isinstance(asked, Edit) else self._made(*asked, folder, outcome, cost)

    @property
    def batch_price(self) -> ImagePrice:
        """The price of a call in a batch."""
        return self.price.times(self.price.batch)

    @property
    def can_batch(self) -> bool:
        """Whether the service takes the same calls in batches."""
        return hasattr(self.provider, "batched")


def refusal(outcome: Outcome) -> Nothing:
    """What a call that gave no answer says: the content filter refused it, or it failed."""
    error = policy.error_of(outcome.error)
    said = " ".join((outcome.reason, *policy.codes_of(error)))
    refused = outcome.http in (400, 403, 422, 451) and policy.filtered(said)
    is_refused = refused or outcome.kind == "refused"
    return Nothing(Status.REFUSED if is_refused else Status.FAILED, outcome.reason)


def asked_of(sample: Sample, shots: Sequence[Shot], prompt: str, pictures: Sequence[Path]) -> Ask:
    """What is asked, its pictures read once. Raises `ImageError`."""
    read = {path: as_file(path, index) for index, path in enumerate(pictures)}
    turns = [read[turn] if isinstance(turn, Path) else turn for turn in conversation(sample, shots)]
    files = [read[path] for path in pictures]
    return Ask(
        sample=sample, shots=shots, prompt=prompt, files=files, turns=turns, shown=pictures[0]
    )


Kind = TypeVar("Kind", bound=RemoteEditor)


def remote(
    kind: type[Kind],
    provider: Provider,
    settings: Settings,
    *,
    address: str,
    keys: Sequence[str],
    auth: Any = None,
    name: str = "",
    price: ImagePrice | None = None,
    **more: Any,
) -> Kind:
    """The editor of a provider. `address` is the provider's own: the key that one of the variables
    `keys` holds goes to its host alone. `price`: the provider's own, in place of the table's.
    Raises `UsageError` without the key that it needs.
    """
    base = settings.base_url or address
    service = Service(
        base,
        key=key_for(base, [address], (OWN_KEY, *keys), needed=True),
        at_once=settings.concurrency,
        timeout=settings.timeout,
        attempts=settings.attempts,
        pause=settings.pause,
        **({} if auth is None else {"auth": auth}),
    )
    return kind(
        name=settings.shown_name(name),
        model=settings.model,
        provider=provider,
        service=service,
        ledger=service.ledger,
        price=_price(base, settings, price),
        seed=getattr(settings, "seed", None),
        concurrency=settings.concurrency,
        **more,
    )


def _price(base: str, settings: Settings, own: ImagePrice | None) -> ImagePrice:
    """The user's word, else the provider's or the table's price; none at an address of one's own
    network, where a model's name says nothing of what it costs.
    """
    if settings.price is None and is_own_network(urlsplit(base).hostname or ""):
        return ImagePrice()
    if settings.price is None and own is not None:
        return own
    return image_price_of(settings.model, settings.price)
