"""The reply store: every reply that was ever paid for, by a hash of everything that it depended on.

A reply is written here before any row is made of it, so that a killed run repeats at most the calls
that were in flight. One store may be shared by many runs, models and benchmarks, and by several
processes at once.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec
import orjson

from editgauge.errors import RunError
from editgauge.store.paid import Paid


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer of a judge's server, or why there is none.

    `status` is ``ok``, ``refused`` or ``failed``. `asked` and `answered` are model ids; `usage` the
    server's own counts; `request` what the call was about (benchmark, sample, editor, call,
    hashes), never its text or pictures.
    """

    key: str
    status: str
    content: str | None = None
    reason: str = ""
    finish: str = ""
    asked: str = ""
    answered: str = ""
    system_fingerprint: str = ""
    usage: Mapping[str, Any] = field(default_factory=dict)
    request: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    cost: float | None = None
    created: float = 0.0


class ReplyStore:
    """Replies by key in one file (`store.paid`). A context manager; raises `RunError` when the file
    cannot be used.
    """

    def __init__(self, path: Path | None, paid: Paid | None = None) -> None:
        self.path = path
        try:
            self.paid = Paid(path) if paid is None else paid
        except (OSError, RunError) as error:
            raise RunError(
                f"{path}: the reply store cannot be used ({error}); name another with --replies"
            ) from error

    def get(self, key: str) -> Reply | None:
        """The reply under a key, or None. One that is damaged is none: it is asked for again."""
        facts = self.paid.get(key)
        return None if facts is None else _reply(key, facts)

    def put(self, reply: Reply) -> None:
        """Write a reply (in place of an older one under its key); it is on disk when this
        returns.
        """
        facts = {name: getattr(reply, name) for name in _FACTS}
        self.paid.put(reply.key, {**facts, "created": reply.created or time.time()})

    def drop(self, key: str) -> None:
        """Forget a reply (before it is asked for again)."""
        self.paid.drop(key)

    def __len__(self) -> int:
        return len(self.paid)

    def __iter__(self) -> Iterator[Reply]:
        for key, facts in self.paid.replies():
            reply = _reply(key, facts)
            if reply is not None:
                yield reply

    def note(self, name: str, value: str | None = None) -> str | None:
        """A short fact about the store (the judge that answered first); with `value`, write it."""
        return self.paid.note(name, value)

    def records(self, start: str) -> dict[str, dict[str, Any]]:
        """All facts whose name begins with `start` and that are JSON objects, in the order in which
        they were first written. Raises `RunError` for one that is none.
        """
        return {name: self._record(name, text) for name, text in self.paid.notes(start).items()}

    def _record(self, name: str, text: str) -> dict[str, Any]:
        try:
            found = orjson.loads(text)
        except orjson.JSONDecodeError:
            found = None
        if not isinstance(found, dict):
            raise RunError(
                f"{self.path}: what is noted as {name[:80]!r} is damaged; bring a copy of the "
                f"reply store, or name another one with --replies"
            )
        return found

    def close(self) -> None:
        self.paid.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self.close()


_FACTS = tuple(name for name in Reply.__dataclass_fields__ if name != "key")


def _reply(key: str, facts: Mapping[str, Any]) -> Reply | None:
    """A reply of what was stored; None where it is none: a file may come from anybody."""
    try:
        return msgspec.convert({**facts, "key": key}, Reply)
    except msgspec.ValidationError:
        return None
