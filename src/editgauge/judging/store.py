"""The reply store: every reply that was ever paid for, by a hash of everything that it depended on.

A reply is written here before any row is made of it, so that a killed run repeats at most the calls
that were in flight. One store may be shared by many runs, models and benchmarks, and by several
processes at once.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import msgspec

from editgauge.store.paid import Paid


class Reply(msgspec.Struct, frozen=True, kw_only=True):
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
    usage: Mapping[str, Any] = {}
    request: Mapping[str, Any] = {}
    seconds: float = 0.0
    cost: float | None = None
    created: float = 0.0


class ReplyStore:
    """Replies by key in one file of what was paid for (`store.paid`)."""

    def __init__(self, paid: Paid) -> None:
        self.paid = paid

    def get(self, key: str) -> Reply | None:
        """The reply under a key, or None. One that is damaged is none: it is asked for again."""
        facts = self.paid.get(key)
        try:
            return None if facts is None else msgspec.convert({**facts, "key": key}, Reply)
        except msgspec.ValidationError:  # a file may come from anybody
            return None

    def put(self, reply: Reply) -> None:
        """Write a reply (in place of an older one under its key); it is on disk when this
        returns.
        """
        facts = msgspec.structs.asdict(reply)
        del facts["key"]
        self.paid.put(reply.key, {**facts, "created": reply.created or time.time()})

    def note(self, name: str, value: str | None = None) -> str | None:
        """A short fact about the store (the judge that answered first); with `value`, write it."""
        return self.paid.note(name, value)
