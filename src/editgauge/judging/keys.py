"""The key of a reply: a hash of everything that it depends on, and nothing else."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import orjson

from editgauge.judging.calls import Call
from editgauge.judging.client import Asking, Dialect, messages, parameters


def skeleton_of(
    call: Call,
    model: str,
    dialect: Dialect,
    *,
    max_tokens: int | None = None,
    asking: Asking | None = None,
    repair: tuple[str, str] | None = None,
) -> bytes:
    """The serialised body of a call with slots in place of its pictures: see `client.build`."""
    words = parameters(
        call, model, dialect, max_tokens=max_tokens or call.max_tokens, asking=asking
    )
    detail = asking.detail if asking is not None else None
    return orjson.dumps({**words, "messages": messages(call, repair, detail)})


def reply_key(
    skeleton: bytes,
    pictures: Sequence[str],
    family: str,
    *,
    rubric: str,
    repeat: int = 0,
    attempt: str = "first",
) -> str:
    """32 hexadecimal digits over endpoint family, body (model, parameters, schema, text), picture
    bytes, rubric, repeat and attempt.

    The text is part of the skeleton, so a rubric that renders to other words gives another key; the
    rubric's hash is in it as well, so that a changed rubric is never mistaken for its predecessor.
    `attempt` is ``first``, ``room`` (asked again with more tokens) or ``repair``.
    """
    state = hashlib.blake2b(digest_size=16)
    for part in (family, rubric, str(repeat), attempt, *pictures):
        state.update(part.encode())
        state.update(b"\0")
    state.update(skeleton)
    return state.hexdigest()


def dialect_note(dialect: Dialect) -> str:
    """A dialect as text for the reply store."""
    return orjson.dumps(asdict(dialect), option=orjson.OPT_SORT_KEYS).decode()


def read_dialect(text: str | None) -> Dialect | None:
    """The dialect from such a text, None for another text."""
    if not text:
        return None
    try:
        value: Any = orjson.loads(text)
        return Dialect(**value)
    except (orjson.JSONDecodeError, TypeError):
        return None
