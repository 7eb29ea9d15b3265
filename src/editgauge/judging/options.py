"""What a judge command is told: who judges and how, and what is judged. Declared once, for the
command line and for Python; the text below a field is its help.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from editgauge.errors import UsageError
from editgauge.types import Status

if TYPE_CHECKING:
    from editgauge.judging.chat import Asking
    from editgauge.services.prices import Price

EFFORTS = ("none", "minimal", "low", "medium", "high")
OURS = "ours"
_RANGES: dict[str, tuple[float, float]] = {
    "repeat": (1, 100),
    "temperature": (0, 2),
    "seed": (-(2**63), 2**63 - 1),
    "max_tokens": (1, 1_000_000),
    "concurrency": (1, 1024),
    "timeout": (0.1, 86_400),
    "budget": (0, float("inf")),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeOptions:
    """The judge, and how it is asked. Raises `UsageError` for a value that means nothing."""

    model: str
    """The judge: a dated model id, or a name of your own server."""
    base_url: str = ""
    """The server, up to and with /v1. Default: OPENAI_BASE_URL, or OpenAI."""
    allow_alias: bool = False
    """Take a model name without a date."""
    prompts: str = OURS
    """What is asked: ours, paper (`fetch prompts`), or a folder of .md files that replace ours."""
    protocol: str = ""
    """Questions of another package (`list judges`) in place of the benchmark's own."""
    dimensions: str = ""
    """Only calls with these metrics, by commas: IF,TA."""
    set: Sequence[str] = ()
    """The protocol's own option: text=DP, reference=false."""
    repeat: int = 1
    """Judge everything so many times."""
    temperature: float | None = None
    """Default: the protocol's own."""
    seed: int | None = None
    """Sent to the server."""
    max_tokens: int | None = None
    """Tokens of a reply, thinking included. Default: the protocol's, more for judges that think."""
    reasoning_effort: str = ""
    """none, minimal, low, medium or high, where the server takes it."""
    concurrency: int = 16
    """Calls at once, at most."""
    timeout: float | None = None
    """Seconds for one request. Default: 120, for judges that think 600."""
    retry: str = ""
    """Ask again where this came out: failed, refused, unparsable (by commas)."""
    offline: bool = False
    """Make rows from stored replies; send nothing."""
    replies: Path | None = None
    """The store of replies, shared by runs. Default: the run's own."""
    budget: float | None = None
    """US dollars that judging in this run may cost, all commands together; it stops before."""
    price: str = ""
    """IN/OUT: US dollars for a million tokens in and out. Default: the built-in table."""

    def __post_init__(self) -> None:
        for name, (low, high) in _RANGES.items():
            value = getattr(self, name)
            if value is not None and not low <= value <= high:
                raise UsageError(f"--{name.replace('_', '-')} {value}: wanted {low:g} to {high:g}")
        from editgauge.store import selection  # imports what a page of help does not need

        if self.reasoning_effort:
            selection.one_of("--reasoning-effort", self.reasoning_effort, EFFORTS)
        if odd := self.retried - {Status.FAILED, Status.REFUSED, Status.UNPARSABLE}:
            word = sorted(status.value for status in odd)[0]
            raise UsageError(f"--retry {word!r}: wanted some of failed, refused, unparsable")

    @property
    def asking(self) -> Asking:
        """What is set of every request."""
        from editgauge.judging.chat import Asking

        return Asking(
            temperature=self.temperature,
            seed=self.seed,
            max_tokens=self.max_tokens,
            reasoning_effort=self.reasoning_effort or None,
        )

    @property
    def retried(self) -> frozenset[Status]:
        """The statuses that are asked again."""
        from editgauge.store import selection

        return frozenset(selection.statuses(self.retry))

    @property
    def metrics(self) -> frozenset[str]:
        """The metrics that calls are narrowed to; empty: all."""
        return frozenset(filter(None, (part.strip() for part in self.dimensions.split(","))))


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What a judge command works on."""

    benchmark: str
    data: Path | None = None
    run: Path
    outputs: Path | None = None
    editors: Sequence[str] = ()
    split: str | None = None
    limit: int | None = None
    """So many samples, drawn at random among those with outputs: see `judging.run.drawn`."""
    first: int | None = None
    """The first so many of the benchmark."""
    ids: Sequence[str] = ()
    where: Sequence[str] = ()


def price_for(options: JudgeOptions) -> Price | None:
    """The judge's price: the user's, else the table's, else None. A server of one's own network is
    no provider, whatever its model is called: the package's table says nothing of it.

    Raises `UsageError` when a budget is to be kept with a price that is not known, or is zero.
    """
    from editgauge.services.http import is_own_network
    from editgauge.services.prices import load_prices, price_as_given, price_of

    base = options.base_url or os.environ.get("OPENAI_BASE_URL") or ""
    own = is_own_network(urlsplit(base).hostname or "")
    known = None if own else price_of(options.model, load_prices())
    price = price_as_given(options.price, known) if options.price else known
    if options.budget is not None and (price is None or price.free):
        what = "not known" if price is None else "zero"
        raise UsageError(
            f"--budget: the price of {options.model} is {what}, so that no budget can be kept; "
            f"give it with --price IN/OUT (US dollars for a million tokens in and out)"
        )
    return price
