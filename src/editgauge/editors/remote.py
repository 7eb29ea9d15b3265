"""Image models behind a service: one editor, whatever the provider.

The flow is the same for all: can the sample be asked, the request, one paid call (`calling`), what
the reply says, the picture fetched without the key, and delivered as it came. What tells one
provider from another is in a subclass of `Provider`, a file each; a new one needs such a class, a
function of three lines that makes its editor, and a line in `editgauge.catalog`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, TypeVar
from urllib.parse import urlsplit

import msgspec

from editgauge.editors.calling import Ask, Call, Service, asked, call_key
from editgauge.editors.delivery import (
    Amount,
    Count,
    Seconds,
    decoded,
    deliver,
    faulty,
    settings_of,
    typed,
)
from editgauge.editors.editor import BaseEditor, Mode
from editgauge.errors import ImageError, UsageError
from editgauge.services import policy
from editgauge.services.booking import Ledger
from editgauge.services.http import is_own_network
from editgauge.services.paid import Outcome, Spend
from editgauge.services.prices import ImagePrice, image_price_of
from editgauge.services.secrets import key_for, words
from editgauge.types import Edit, Sample, Status

OWN_KEY = "EDITGAUGE_EDITOR_KEY"
"""The environment's variable for a key that may go to any service."""
EXTRA = "extra."
"""How the name of a setting begins that is passed to the model as it is."""


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


@dataclass
class Provider:
    """What tells one service from another. `told`: its settings, in its `shape`; `extra`: what is
    passed to the model as it is. `home`: its own address; `keys`: variables of the environment for
    this host alone; `needs`: settings without which nothing can be asked, and an example of each.
    """

    shape: ClassVar[type[Settings]] = Settings
    home: ClassVar[str] = ""
    keys: ClassVar[Sequence[str]] = ()
    needs: ClassVar[Mapping[str, str]] = {}
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
        return {name: value for name, value in values.items() if value is not None}

    def headers(self, key: str) -> Mapping[str, str]:
        """How the key travels: never in an address."""
        return {"Authorization": f"Bearer {key}"}

    def price(self) -> ImagePrice:
        """The price by the table, or by the user's word."""
        return image_price_of(self.model, self.told.price)

    def request(self, ask: Ask) -> Call:
        """The call for what is asked. Raises `ImageError` for a picture that cannot be sent."""
        raise NotImplementedError

    def result(self, value: Any) -> Made | Nothing:
        """What a reply's JSON says came of it."""
        raise NotImplementedError

    def usage(self, value: Any) -> dict[str, int] | None:
        """Tokens of a reply as `ImagePrice.of` counts them; None where the reply tells none."""
        return None

    def bill(self, value: Any, price: ImagePrice) -> float | None:
        """What an answer cost, in US dollars; None where that is not known."""
        return price.of(self.usage(value))


def without_picture(reason: str, said: str = "", detail: Mapping[str, Any] = {}) -> Nothing:
    """What a good answer without a picture is; `said`: its own words."""
    text = f"output: the reply has no picture{reason}" + (f": {said}" if said else "")
    return Nothing(Status.UNREADABLE, text, detail)


def not_made(reason: str, detail: Mapping[str, Any] = {}) -> Nothing:
    """What an error is: a refusal, where its words are those of a content filter."""
    return Nothing(Status.REFUSED if policy.filtered(reason) else Status.FAILED, reason, detail)


@dataclass(frozen=True, kw_only=True)
class RemoteEditor(BaseEditor):
    """A model behind a service. Runs on `concurrency` threads of one process; `ledger` keeps what
    it costs within a budget.
    """

    name: str
    provider: Provider
    service: Service
    price: ImagePrice
    concurrency: int
    ledger: Ledger
    parallel: Mode = "thread"
    shows: bool = True

    @property
    def model(self) -> str:
        return self.provider.model

    @property
    def seed(self) -> int | None:
        return getattr(self.provider.told, "seed", None)

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
        key = self.key(folder, ask, call)
        outcome = self.service.call(
            call, key, self.spend, lambda value: self.provider.bill(value, self.price)
        )
        return self.made(ask, call, folder, outcome)

    @property
    def spend(self) -> Spend:
        return Spend(model=self.model, most=self.price.picture or 0.0)

    def key(self, folder: Path, ask: Ask, call: Call, *, question: bool = False) -> str:
        """See `calling.call_key`."""
        facts = repr(sorted((name, str(value)) for name, value in call.facts.items()))
        parts = (self.name, ask.sample.id, self.model, str(self.seed), ask.prompt, call.path, facts)
        return call_key(folder, *parts, *(file.data for file in ask.files), question=question)

    def made(self, ask: Ask, call: Call, folder: Path, outcome: Outcome) -> Edit:
        """The edit that a call's outcome is."""
        known = self.price.picture is not None or outcome.cost is not None
        result = self.provider.result(outcome.value) if outcome.kind == "ok" else refusal(outcome)
        facts = {
            **self.facts(ask, call, {**result.detail, "attempts": outcome.attempts}),
            "seconds": round(outcome.seconds, 6),
            "cost": outcome.spent if known else None,
        }
        data = b""
        if isinstance(result, Made):
            try:
                data = picture_of(result, self.service)
            except (OSError, ValueError) as error:
                failed = isinstance(error, OSError)
                result = Nothing(Status.FAILED if failed else Status.UNREADABLE, str(error))
        if isinstance(result, Made):
            return deliver(ask.sample, self.name, folder, data, **facts)
        return Edit.without(ask.sample.id, self.name, result.status, words(result.reason), **facts)

    def facts(self, ask: Ask, call: Call, detail: Mapping[str, Any]) -> dict[str, Any]:
        """What every edit says of how it was made."""
        shots = [shot.id for shot in ask.sample.shots]
        settings = {"model": self.model, **call.facts}
        return {"settings": settings, "seed": self.seed, "detail": {**detail, "shots": shots}}


def picture_of(made: Made, service: Service) -> bytes:
    """The bytes of a picture. Raises `OSError` where its address gives none (`calling.Gone`: it
    never will), and `ValueError` for what is no base64.
    """
    data = decoded(made.data) if made.data else service.fetch(made.url)
    if data is None:
        raise ValueError("output: no base64 where the picture should be")
    return data


def refusal(outcome: Outcome) -> Nothing:
    """What a call that gave no answer says: the content filter refused it, or it failed."""
    text = " ".join((outcome.reason, *policy.codes_of(policy.error_of(outcome.error))))
    refused = outcome.http in (400, 403, 422, 451) and policy.filtered(text)
    is_refused = refused or outcome.kind == "refused"
    return Nothing(Status.REFUSED if is_refused else Status.FAILED, outcome.reason)


Kind = TypeVar("Kind", bound=RemoteEditor)


def remote(
    provider: type[Provider],
    editor: str,
    settings: Mapping[str, Any],
    kind: type[Kind] = RemoteEditor,  # type: ignore[assignment]
) -> Kind:
    """The editor of a provider. No price is taken from a model's name at an address of one's own
    network. Raises `UsageError` for a setting that is not known, does not fit or is lacking, and
    without the key that the provider needs.
    """
    extra = {name: value for name, value in settings.items() if name.startswith(EXTRA)}
    if EXTRA in extra:
        raise UsageError(f"setting {EXTRA!r}: wanted {EXTRA}NAME=VALUE")
    named = {name: value for name, value in settings.items() if name not in extra}
    chosen = settings_of(editor, named, provider.shape, f"{EXTRA}NAME")
    for name, example in provider.needs.items():
        if not getattr(chosen, name):
            wanted = f"wanted the setting {name}, for example {name}={example}"
            raise UsageError(f"editor {editor!r}: {wanted}")
    kind_of_service = provider(
        chosen, {name.removeprefix(EXTRA): typed(one) for name, one in extra.items()}
    )
    base = chosen.base_url or provider.home
    names = (OWN_KEY, *provider.keys)
    key = key_for(base, [provider.home], names, needed=True)
    service = Service(
        base, key=key, keys=names[: 1 if chosen.base_url else None],
        headers=kind_of_service.headers(key) if key else {}, at_once=chosen.concurrency,
        timeout=chosen.timeout, attempts=chosen.attempts, pause=chosen.pause,
    )  # fmt: skip
    unpriced = chosen.price is None and is_own_network(urlsplit(base).hostname or "")
    return kind(
        name=chosen.name or kind_of_service.name or editor,
        provider=kind_of_service,
        service=service,
        ledger=service.ledger,
        price=ImagePrice() if unpriced else kind_of_service.price(),
        concurrency=chosen.concurrency,
    )
