"""What a judge command is told, for the command line (a field's text is its help) and Python."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from editgauge.errors import UsageError
from editgauge.types import JsonObject, Status

if TYPE_CHECKING:
    from editgauge.services.prices import Price

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
REQUEST = ("temperature", "seed", "max_tokens", "reasoning_effort")
"""What is set of every request: part of the judge's name in rows."""
RANGES: dict[str, tuple[type, float, float]] = {
    "temperature": (float, 0, 2),
    "seed": (int, -(2**63), 2**63 - 1),
    "max_tokens": (int, 1, 1_000_000),
    "concurrency": (int, 1, 1024),
    "timeout": (float, 0.1, 86_400),
}
"""Settings that are numbers -> type and range."""
_HOSTED = re.compile(
    r"(?:^|/)(?:gpt-|chatgpt|o\d(?:-|$)|gemini|claude|grok|mistral-|pixtral-|command-|qwen-vl-(?:max|plus))",
    re.I,
)
_DATED = re.compile(
    r"(?:^|[-@_.:])(?:20\d{2}-?\d{2}-?\d{2}|\d{2}-20\d{2}|\d{2}-\d{2}|(?:0[1-9]|1[0-2]|2[3-9])\d{2}|20\d{6}|00\d)(?:$|[-@_.:])"
)
_THINKING: Mapping[str, int] = {
    r"^gemini-(?:2\.5|3)(?!.*(?:-lite|image))": 1500,
    r"^(?:o[1345]|gpt-5)(?:-|$)": 1000,
    r"thinking|reason|-r1(?:-|$)|^qwq|^qvq|^glm-4\.[1-9]v|^kimi.*think|^grok-[34]": 1500,
}
"""Names of judges that think -> tokens of a usual reply, thinking included."""
RETRIED = frozenset({Status.FAILED, Status.REFUSED, Status.UNPARSABLE})
"""What can be asked again."""
ROOM = 16_384
"""Tokens that a reply of a judge that thinks may have."""


def is_alias(model: str) -> bool:
    """Whether a name of a hosted service, not of one's own, has no date."""
    return _HOSTED.search(model) is not None and _DATED.search(model) is None


def thinks(model: str) -> int:
    """The tokens that a judge usually thinks; 0 for one that is not known to."""
    name = model.lower().rpartition("/")[2]
    return next((usual for names, usual in _THINKING.items() if re.search(names, name)), 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSettings:
    """How a judge is asked, whichever it is. Raises `UsageError` for a value that means nothing."""

    base_url: str = ""
    """The server, up to and with /v1. Default: OPENAI_BASE_URL, or OpenAI."""
    prompts: str = "ours"
    """What is asked: ours, paper (`fetch prompts`), or a folder of .md files that replace ours."""
    set: Sequence[str] = ()
    """NAME=VALUE of the requests: temperature, seed, max_tokens (thinking included),
    reasoning_effort; of the server: concurrency (16), timeout (seconds); or of the protocol:
    text=DP, hint=false. May be repeated.
    """
    repeat: int = 1
    """Judge everything so many times."""
    retry: str = ""
    """Ask again where this came out: failed, refused, unparsable (by commas)."""
    offline: bool = False
    """Make rows from stored replies; send nothing."""
    replies: Path | None = None
    """The store of replies, shared by runs. Default: the run's own."""
    budget: float | None = None
    """US dollars that judging in this run may cost, all commands together; it stops before."""
    price: str = ""
    """IN/OUT: US dollars for a million tokens in and out. Default: the built-in table. Several
    judges: MODEL=IN/OUT, with commas between.
    """

    def __post_init__(self) -> None:
        from editgauge.store import selection  # imports what a page of help does not need

        if not 1 <= self.repeat <= 100:
            raise UsageError(f"{self.repeat}: wanted 1 to 100", argument="repeat")
        if self.budget is not None and not 0 <= self.budget < float("inf"):
            raise UsageError(f"{self.budget}: wanted US dollars, 0 or more", argument="budget")
        if self.retried - RETRIED:
            why = f"{self.retry}: wanted some of failed, refused, unparsable"
            raise UsageError(why, argument="retry")
        selection.one_of("set", self.settings.get("reasoning_effort", "none"), EFFORTS)

    @property
    def settings(self) -> JsonObject:
        """What `set` says, numbers as numbers."""
        from editgauge.store import selection

        given = selection.settings(self.set)
        return {
            name: _number(name, value) if name in RANGES else value for name, value in given.items()
        }

    @property
    def asking(self) -> JsonObject:
        """What is set of every request."""
        settings = self.settings
        return {name: settings[name] for name in REQUEST if name in settings}

    @property
    def named(self) -> str:
        """``temperature=0.5,seed=3``: what differs from the protocol, for the judge's name."""
        return ",".join(f"{name}={value}" for name, value in self.asking.items())

    @property
    def prices(self) -> dict[str, str]:
        """The parts of `price`: a judge's name ("": of all others) -> IN/OUT."""
        prices: dict[str, str] = {}
        for part in filter(None, self.price.split(",")):
            model, _, rates = part.strip().rpartition("=")
            prices[model] = rates
        return prices

    @property
    def priced(self) -> list[str]:
        """The judges that `price` names."""
        return [model for model in self.prices if model]

    @property
    def retried(self) -> frozenset[Status]:
        """The statuses that are asked again."""
        from editgauge.store import selection

        return selection.statuses(self.retry)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeOptions(JudgeSettings):
    """The judge, and how it is asked. Raises `UsageError` for a value that means nothing."""

    model: str
    """The judge: a dated model id, or a name of your own server."""

    def __post_init__(self) -> None:
        if not self.model.isprintable() or self.model.strip() != self.model or not self.model:
            why = f"{self.model!r}: wanted a judge's name, such as gpt-4o-2024-11-20"
            raise UsageError(why, argument="model")
        JudgeSettings.__post_init__(self)

    @property
    def notes(self) -> list[str]:
        """What whoever compares numbers should know of the judge's name."""
        why = f"{self.model} is an alias, and another model tomorrow: name a dated one"
        return [why] if is_alias(self.model) else []


def _number(name: str, value: str) -> Any:
    kind, low, high = RANGES[name]
    try:
        number = kind(value)
    except ValueError:
        number = float("nan")
    if not low <= number <= high:
        raise UsageError(f"{name}={value}: wanted {low:g} to {high:g}", argument="set")
    return number


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What is judged: run, outputs, samples. Raises `UsageError` for a count below 1."""

    run: Path = Path("runs/default")
    """The run folder: made if it is not there, continued if it is."""
    outputs: Path | None = None
    """A folder of outputs in official naming; default: those in the run."""
    editor: Sequence[str] = ()
    """Only this editor; may be repeated. Default: all."""
    split: str | None = None
    """Only this split (or set) of the benchmark."""
    limit: int | None = None
    """Only N samples, drawn at random among those with outputs, the same every time."""
    first: int | None = None
    """Only the first N samples of the benchmark."""
    sample: Sequence[str] = ()
    """Only this sample id, or @FILE with ids; may be repeated."""
    where: Sequence[str] = ()
    """NAME=VALUE: only samples with this attribute; may be repeated."""

    def __post_init__(self) -> None:
        for name, count in (("limit", self.limit), ("first", self.first)):
            if count is not None and count < 1:
                raise UsageError(f"{count}: wanted 1 or more", argument=name)


def price_for(options: JudgeOptions) -> Price | None:
    """The judge's price: the user's, else the table's, else None. A server of one's own network is
    no provider, whatever its model is called. Raises `UsageError` for a budget without a price.
    """
    from editgauge.services.http import is_own_network
    from editgauge.services.prices import price_as_given, price_of

    base = options.base_url or os.environ.get("OPENAI_BASE_URL") or ""
    known = None if is_own_network(urlsplit(base).hostname or "") else price_of(options.model)
    given = options.prices.get(options.model) or options.prices.get("", "")
    price = price_as_given(given, known) if given else known
    if options.budget is not None and (price is None or price.free):
        why = (
            f"is wanted for a budget: that of {options.model} is {'zero' if price else 'not known'}"
        )
        raise UsageError(f"{why} (IN/OUT, US dollars a million tokens)", argument="price")
    return price
