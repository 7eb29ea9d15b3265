"""Replies under the keys of older versions, so that they are found and not paid for again.

The key of a reply was made of the whole request, and so of what the server happened not to accept
(see `chat.Dialect`). Today it is made of the question alone. Where a reply is not found under its
key, those of all dialects are tried: a key that fits proves that it is the same question.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from itertools import combinations, product
from typing import get_args

from editgauge.judging.chat import KEYWORDS, Dialect, Form
from editgauge.store.paid import Paid
from editgauge.types import JsonMapping

Facts = tuple[str, ...]
KeyOf = Callable[[Dialect], str]
"""The key that a question had in a dialect."""


class OldKeys:
    """The replies of a store that do not say in which dialect they were asked for."""

    def __init__(self, replies: Paid, noted: Dialect) -> None:
        self._replies = replies
        self._dialects = [noted, Dialect(), Dialect(form="tool")]
        self._keys: dict[Facts, set[str]] | None = None
        self._lock = threading.Lock()

    def find(self, asked: JsonMapping, key_of: KeyOf) -> str | None:
        """The key of the reply to a question, or None. `asked`: the facts of the question that are
        kept beside its reply.
        """
        with self._lock:
            keys = self._read()
            facts = _facts(asked)
            alike = keys.get(facts, set())
            likely = self._among(keys.get((), set()) | alike, key_of, tuple(self._dialects))
            return likely or self._among(alike, key_of, _all_dialects())

    def likely(self, key_of: KeyOf) -> set[str]:
        """The keys that a question had in the dialects that are likely."""
        with self._lock:
            return {key_of(dialect) for dialect in self._dialects}

    def _among(self, keys: set[str], key_of: KeyOf, dialects: Iterable[Dialect]) -> str | None:
        if not keys:
            return None
        for dialect in dialects:
            key = key_of(dialect)
            if key in keys:
                if dialect in self._dialects:
                    self._dialects.remove(dialect)
                self._dialects.insert(0, dialect)  # the next reply was asked for alike
                return key
        return None

    def _read(self) -> dict[Facts, set[str]]:
        """The keys by the facts of their questions; () for batches, which kept none."""
        if self._keys is None:
            self._keys = {}
            for key, request in self._replies.requests():
                if "dialect" not in request:
                    facts = () if "batch" in request else _facts(request)
                    self._keys.setdefault(facts, set()).add(key)
        return self._keys


def _facts(asked: JsonMapping) -> Facts:
    names = ("benchmark", "sample", "call", "repeat", "attempt")
    return tuple(str(asked.get(name, "")) for name in names)


def _all_dialects() -> Iterator[Dialect]:
    """Every dialect that could have been learned."""
    sizes = range(len(KEYWORDS) + 1)
    dropped = [some for size in sizes for some in combinations(KEYWORDS, size)]
    limits = ("max_tokens", "max_completion_tokens")
    for temperature, limit, form in product((True, False), limits, get_args(Form)):
        for keywords in dropped if form else [()]:
            yield Dialect(form=form, dropped=keywords, tokens_field=limit, temperature=temperature)
