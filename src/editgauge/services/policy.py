"""What an answer of a server means, once for judges and editors. An error that a server reports
costs nothing; an answer that was lost on the way may have been made and billed (`lost`).
"""

from __future__ import annotations

import contextlib
import math
import random
import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any, Literal, NamedTuple

import orjson

from editgauge.types import JsonMapping, JsonObject

Kind = Literal["ok", "refused", "busy", "again", "bad", "stop"]
"""``refused`` by a content filter; ``busy``: wait, it was not taken; ``again``: a fault that may
pass; ``bad``: this request will never work; ``stop``: no request will (key, model, account).
"""
ATTEMPTS = 5
"""Requests for one answer when a server breaks down. Refusals for being busy are not counted."""
PAID_ATTEMPTS = 2
"""Requests for one answer when each may have been billed: it was cut off, late, or held nothing."""
HOPELESS = 30
"""Calls in a row without a single answer after which nothing further is asked."""
LONGEST_PAUSE = 60.0
LONGEST_WAIT = 3600.0
"""Seconds; a server that asks for more is taken to mean an hour."""


class Meaning(NamedTuple):
    """`lost`: an answer may have been made and lost: asking again may pay twice for one."""

    kind: Kind
    lost: bool = False


_STOP = Meaning("stop")
REDIRECTS = (301, 302, 303, 307, 308)
STATUSES: Mapping[int, Meaning] = {
    # a call is not sent on (its key would go along): the address is wrong
    **dict.fromkeys(REDIRECTS, _STOP),
    # a wrong key, a refused account, no such model
    **dict.fromkeys((401, 402, 403, 404, 407), _STOP),
    # 503 is ``busy`` when it says how long to wait; 521 and 523: the server was not reached
    **dict.fromkeys((409, 425, 500, 503, 521, 523, 529), Meaning("again")),
    # a gateway lost its server in the middle of something
    **dict.fromkeys((408, 499, 502, 504, 520, 522, 524), Meaning("again", lost=True)),
    429: Meaning("busy"),
}
"""Of every status that is neither a success nor ``bad`` (the default)."""
_SPENT = re.compile(
    r"insufficient_(?:quota|balance)|^billing_|^account_(?:deactivated|suspended)|payment_required"
    r"|arrearage|credit_balance|organization_usage_limit|_spend_limit",
)
"""Codes of an account that pays for nothing more; OpenAI's are in its help article 5955604."""
_DAILY = re.compile(
    r"per[ _-]?day|\bdaily\b|\((?:RPD|TPD)\)|out of credits?|billing account"
    r"|insufficient (?:balance|credits?|funds)",
    re.IGNORECASE,
)
"""Limits that no pause of minutes lifts; Gemini's "exceeded your current quota" may be a minute's.
"""
_FILTER = re.compile(
    r"moderat|safety|sensitive|blocklist|prohibited|nsfw|E005|content.?(?:filter|policy)"
    r"|policy.?violation|responsible.?ai|data.?inspection",
    re.IGNORECASE,
)


INSIDE = "inside"
"""The name under which an error object has the error that it quotes."""


def filtered(text: str) -> bool:
    """Whether a service's words for an error are those of a content filter."""
    return _FILTER.search(text) is not None


def codes_of(error: JsonMapping) -> set[str]:
    """The words that an error object has for its kind, those of the error inside it included."""
    codes = {str(error[name]) for name in ("code", "type", "status") if error.get(name)}
    if at(error, "metadata.flagged_input"):  # OpenRouter's own filter, which has no word for it
        codes.add("moderation")
    inside = error.get(INSIDE)
    if isinstance(inside, dict):
        codes |= codes_of(inside)
    return codes


def meaning(status: int, headers: Mapping[str, str], error: JsonMapping) -> Meaning:
    """What an HTTP status other than success means; `error` is the body's error object."""
    codes = codes_of(error)
    known = STATUSES.get(status, Meaning("bad"))
    if status in (402, 403, 429, 503) and (any(map(_SPENT.search, codes)) or _daily(error)):
        return _STOP
    if known.kind in ("bad", "stop") and any(map(filtered, codes)):
        return Meaning("refused")
    if status == 503 and retry_after(headers, error) is not None:
        return Meaning("busy")
    return known


def at(value: Any, place: str) -> Any:
    """What lies at a dotted place of JSON (``data.0.url``); None where there is nothing."""
    for step in place.split("."):
        if isinstance(value, list) and step.isdigit():
            value = value[int(step)] if int(step) < len(value) else None
        else:
            value = value.get(step) if isinstance(value, dict) else None
    return value


def objects(value: Any) -> list[JsonObject]:
    """The objects of a JSON list; none for anything else."""
    return [part for part in value if isinstance(part, dict)] if isinstance(value, list) else []


def _daily(error: JsonMapping) -> bool:
    """Whether the limit that was met is one of the day or of the account, not of the minute."""
    limits = [one for of in objects(error.get("details")) for one in objects(of.get("violations"))]
    return bool(_DAILY.search(str(error.get("message") or "")[:2000])) or any(
        "PerDay" in str(limit.get("quotaId")) for limit in limits
    )


def may_pass(status: int) -> bool:
    """Whether a refusal by this status is worth another try: for downloads, which nobody bills."""
    return meaning(status, {}, {}).kind in ("busy", "again")


def error_of(value: Any) -> JsonObject:
    """Return the error object of a reply, in the forms that servers give it; empty where there is
    none.

    A router puts the error of the server behind it into its own. Such an inner error lies under
    `INSIDE`; the message has the words of both, and the outer error has the inner one's `details`.
    """
    return _error_of(value, levels=4)


def _error_of(value: Any, levels: int) -> JsonObject:
    if isinstance(value, list) and value:  # Gemini's compatible endpoint sends an array
        value = value[0]
    if not isinstance(value, dict):
        return {}
    error = value.get("error", value)
    if not isinstance(error, dict):
        return {"message": str(error)}
    inside = _inner_error(error, levels - 1) if levels > 1 else {}
    if not inside:
        return error
    merged = {**error, INSIDE: inside}
    if not error.get("details"):
        merged["details"] = inside.get("details")
    message = str(error.get("message") or "")
    if _json_of(message) is not None:  # the message is the inner error itself
        message = ""
    words = str(inside.get("message") or "")
    if message and words and words not in message:
        words = f"{message}: {words}"
    merged["message"] = words or message
    return merged


def _inner_error(error: JsonMapping, levels: int) -> JsonObject:
    """Return the error that a router or a cloud quotes inside its own; empty where there is none.

    OpenRouter has it as ``metadata.raw``: a text, JSON in a text, or an object. Azure has an
    ``innererror``. Other routers write the inner error as JSON into their ``message``.
    """
    for place in ("metadata.raw", "innererror", "message"):
        inner = at(error, place)
        if isinstance(inner, str):
            parsed = _json_of(inner)
            if parsed is None and place == "metadata.raw" and inner.strip():
                parsed = {"message": inner}
            inner = parsed
        found = _error_of(inner, levels)
        if found:
            return found
    return {}


def _json_of(text: str) -> Any:
    """Return the JSON object or array that a text is, else None."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return orjson.loads(text)
    except ValueError:
        return None


def pause_before(attempt: int, first: float) -> float:
    """Seconds before request number `attempt` + 1 after a fault: doubled each time from `first` on,
    by chance a little more or less.
    """
    pause: float = min(LONGEST_PAUSE, first * 2.0 ** min(attempt - 1, 30))
    return pause * random.uniform(0.75, 1.25)


def retry_after(headers: Mapping[str, str], error: JsonMapping) -> float | None:
    """Seconds to wait as the server says, in [0, 3600], None where it says nothing: a header, or
    the ``retryDelay`` ("17s") that Google puts into the ``details`` of the body's error object.
    """
    delays = (str(one.get("retryDelay", "")) for one in objects(error.get("details")))
    for text in (headers.get("retry-after", ""), *delays):
        with contextlib.suppress(ValueError, TypeError, OverflowError):
            date = parsedate_to_datetime(text).timestamp() if ":" in text else 0.0
            seconds = date - time.time() if date else float(text.removesuffix("s"))
            if math.isfinite(seconds):
                return min(max(seconds, 0.0), LONGEST_WAIT)
    return None


def advice(status: int, keys: tuple[str, ...]) -> str:
    """What to do about a ``stop``, in one sentence."""
    if status in REDIRECTS:
        return "Correct the address: a call and its key are not sent on to another one."
    if status == 407:
        return "Correct the proxy in HTTPS_PROXY or HTTP_PROXY."
    if status in (401, 403) and keys:
        return f"Set {' or '.join(keys)} to a key of this server."
    if status == 404:
        return "Correct the model or the address."
    return "What was done is kept; run the same command again later."
