"""What is asked of a judge and how, and what has happened so far."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from editgauge.judging.protocol import Call


@dataclass(frozen=True, slots=True)
class Job:
    """A call and what it belongs to. `about` (benchmark, sample, editor…) is kept beside the
    reply; `payload` is the caller's.
    """

    call: Call
    repeat: int = 0
    about: Mapping[str, Any] = field(default_factory=dict)
    payload: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One attempt of a job: ``first``, ``room`` (with a larger token limit) or ``repair``."""

    name: str = "first"
    repair: tuple[str, str] | None = None
    room: int = 0


FIRST = Attempt()


@dataclass(slots=True, kw_only=True)
class Settings:
    """How an engine asks. `retry` holds what is asked again: ``failed``, ``refused``,
    ``unparsable``.
    """

    model: str
    retry: frozenset[str] = frozenset()
    concurrency: int = 16
    deadline: float = 1800.0
    """Seconds for one reply, all waiting and retries together."""
    backoff: float = 0.5
    asking: Mapping[str, Any] = field(default_factory=dict)
    """What is set of every request: `options.REQUEST`."""
    room: int = 0
    """The least token limit of a reply: judges that think need more than the protocols give."""
    thinking: int = 0
    """Tokens that this judge usually thinks for one reply: for estimates."""
    offline: bool = False
    """Only the store is looked at; what is not there is left out."""

    def named(self) -> str:
        """``temperature=0.5,seed=3``: what differs from the protocol, for the judge's name."""
        return ",".join(f"{name}={value}" for name, value in self.asking.items())


@dataclass(slots=True, kw_only=True)
class Stats:
    """What has happened so far: for the live line, the manifest and the summary."""

    done: int = 0
    by_editor: Counter[str] = field(default_factory=Counter)
    """`done` for each model whose edits are judged."""
    requests: int = 0
    """Those that failed or were repeated included."""
    from_store: int = 0
    """Calls that were served from the store without any request."""
    unasked: int = 0
    """Calls that are not in the store and were not to be asked (offline): they leave no row."""
    refused: int = 0
    failed: int = 0
    unparsable: int = 0
    repaired: int = 0
    cut_off: int = 0
    blind: int = 0
    """Replies that may come from a judge that saw no picture: see `Engine.warnings`."""
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    dollars: float = 0.0
    """Of this command: bills, and estimates of what was sent and never billed."""
    dollars_unbilled: float = 0.0
    began: float = field(default_factory=time.monotonic)

    def facts(self) -> dict[str, Any]:
        """The counts as JSON."""
        left_out = ("by_editor", "began", "blind")
        facts = {name: getattr(self, name) for name in self.__slots__ if name not in left_out}
        return {name: round(max(0, value), 6) for name, value in facts.items()}
