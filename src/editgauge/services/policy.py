"""What an answer of a server means, once for judges and editors: the only table of HTTP statuses.

Two questions are answered for every exchange: what is done about it (`Meaning.kind`), and whether
it may have been billed (`Meaning.billed`). Whatever was sent may have been: an answer that was lost
on the way (a time-out, a connection that is cut, a gateway that lost its server), and an error that
the server reports as well, a refusal for being busy included. What is known to the contrary is a
fact about a service, said by its owner: `FREE`. Hosts that the user names in the environment
variable `FREE_ERRORS` bill no error that they report.
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Container, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from editgauge.environment import FREE_ERRORS
from editgauge.services.waiting import retry_after

Kind = Literal["ok", "refused", "busy", "again", "bad", "stop"]
"""``ok``; ``refused`` by a content filter; ``busy``: wait, it was not taken; ``again``: a fault
that may pass; ``bad``: this request will never work; ``stop``: no request will (key, model,
account).
"""
ATTEMPTS = 5
"""Requests for one answer when a server breaks down. Refusals for being busy are not counted."""
PAID_ATTEMPTS = 2
"""Requests for one answer when each may have been billed: an answer that was cut off, came too
late, or held nothing.
"""
HOPELESS = 30
"""Calls in a row without a single answer after which nothing further is asked."""
LONGEST_PAUSE = 60.0


@dataclass(frozen=True, slots=True)
class Meaning:
    """What one answer means. `billed` False: certainly not billed; True: it may have been. `lost`:
    an answer may have been made and lost, so that asking again may pay twice for one.
    """

    kind: Kind
    billed: bool = False
    lost: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Free:
    """Errors that a service reports and does not bill: those with one of the `statuses`, of the
    `hosts` and of hosts below them. `source` is the page on which its owner says so.
    """

    hosts: tuple[str, ...]
    statuses: Container[int]
    source: str


_ANY = range(300, 600)
FREE = (
    Free(  # "If your request fails with a 400 or 500 error, you won't be charged"
        hosts=("generativelanguage.googleapis.com",),
        statuses=_ANY,
        source="https://ai.google.dev/gemini-api/docs/billing",
    ),
    Free(  # no output tokens and an error: not charged ("zero completion insurance")
        hosts=("openrouter.ai",),
        statuses=_ANY,
        source="https://openrouter.ai/docs/features/zero-completion-insurance",
    ),
    Free(  # not charged where nothing was processed (401, 429); a 400 of the filter may be
        hosts=("openai.azure.com", "cognitiveservices.azure.com", "services.ai.azure.com"),
        statuses=frozenset({401, 429}),
        source="https://learn.microsoft.com/azure/ai-services/openai/how-to/manage-costs",
    ),
    Free(  # "Server errors (HTTP 500+) are never charged"; a 422 may be
        hosts=("fal.run",),
        statuses=range(500, 600),
        source="https://fal.ai/docs/documentation/model-apis/faq",
    ),
    Free(  # neither what is rejected before it runs nor what fails
        hosts=("api.ideogram.ai",),
        statuses=_ANY,
        source="https://developer.ideogram.ai/ideogram-api/errors",
    ),
    Free(  # "You won't be charged for failed API calls"
        hosts=("bfl.ai",),
        statuses=_ANY,
        source="https://help.bfl.ai/articles/6747223579-do-i-get-charged-for-failed-api-calls",
    ),
)
"""What owners of services say of errors. Of OpenAI (flex processing, which is not asked for,
excepted), Anthropic, Replicate and Model Studio no such word was found: theirs stay booked.
"""


def errors_are_free(host: str, status: int) -> bool:
    """Whether a service is known not to bill an error of this HTTP status that it reports itself;
    `host` may end in a port, which a name without one leaves open.
    """
    named = (name.strip().lower() for name in os.environ.get(FREE_ERRORS, "").split(","))
    own, bare = host.lower(), re.sub(r":\d*$", "", host.lower())
    if not {own, bare}.isdisjoint({*named} - {""}):
        return True
    return any(
        status in one.statuses
        and any(bare == name or bare.endswith(f".{name}") for name in one.hosts)
        for one in FREE
    )


_AGAIN = Meaning("again")
_LOST = Meaning("again", billed=True, lost=True)
_STOP = Meaning("stop")
STATUSES: Mapping[int, Meaning] = {
    301: _STOP,  # a call is not sent on (its key would go along): the address is wrong
    302: _STOP,
    303: _STOP,
    307: _STOP,
    308: _STOP,
    401: _STOP,  # a wrong key
    402: _STOP,  # a refused billing account
    403: _STOP,
    404: _STOP,  # no such model, or a wrong address
    407: _STOP,
    408: _LOST,
    409: _AGAIN,
    425: _AGAIN,
    429: Meaning("busy"),
    499: _LOST,
    500: _AGAIN,
    502: _LOST,  # a gateway lost its server in the middle of something
    503: _AGAIN,  # ``busy`` when it says how long to wait
    504: _LOST,
    520: _LOST,
    521: _AGAIN,  # 521 and 523: the server was not reached at all
    522: _LOST,
    523: _AGAIN,
    524: _LOST,
    529: _AGAIN,
}
"""Of every status that is neither 200 nor ``bad`` (the default)."""
_QUOTA = frozenset({
    "insufficient_quota", "billing_hard_limit_reached", "billing_not_active",
    "account_deactivated", "account_suspended", "insufficient_balance", "payment_required",
    "arrearage", "credit_balance_exhausted", "organization_usage_limit_exceeded",
    "organization_spend_limit_exceeded", "project_spend_limit_exceeded",
})  # fmt: skip
"""Codes of an account that pays for nothing more. Those of OpenAI are in its help article 5955604
(troubleshooting 429 errors).
"""
_DAILY = re.compile(
    r"per[ _-]?day|\bdaily\b|\((?:RPD|TPD)\)|out of credits?|billing account"
    r"|insufficient (?:balance|credits?|funds)",
    re.IGNORECASE,
)
"""Limits that no pause of minutes lifts. "You exceeded your current quota" is none of these words:
Gemini says it of the minute as well.
"""
_FILTER = frozenset({
    "content_policy_violation", "content_filter", "ResponsibleAIPolicyViolation",
    "moderation_blocked", "data_inspection_failed",
})  # fmt: skip


def meaning(
    status: int, headers: Mapping[str, str], error: Mapping[str, Any], host: str = ""
) -> Meaning:
    """What an HTTP status other than success means. `error` is the body's error object, `host` the
    service that answered: see `errors_are_free`.

    A quota of the account that is used up (for a day or for good) is ``stop``: waiting a moment
    does not help, and the model is not at fault.
    """
    meant = _kind(status, headers, error)
    return replace(meant, billed=meant.lost or not errors_are_free(host, status))


def _kind(status: int, headers: Mapping[str, str], error: Mapping[str, Any]) -> Meaning:
    codes = {str(error.get(name) or "") for name in ("code", "type", "status")}
    known = STATUSES.get(status, Meaning("bad"))
    if status in (402, 403, 429, 503) and (codes & _QUOTA or _daily(error)):
        return _STOP
    if codes & _FILTER and known.kind in ("bad", "stop"):
        return Meaning("refused")
    if status == 503 and retry_after(headers, error) is not None:
        return Meaning("busy")
    return known


def _daily(error: Mapping[str, Any]) -> bool:
    """Whether the limit that was met is one of the day or of the account, not of the minute."""
    if _DAILY.search(str(error.get("message") or "")[:2000]):
        return True
    details = error.get("details")
    for detail in details if isinstance(details, list) else ():
        violations = detail.get("violations") if isinstance(detail, dict) else None
        for violation in violations if isinstance(violations, list) else ():
            if isinstance(violation, dict) and "PerDay" in str(violation.get("quotaId")):
                return True
    return False


def may_pass(status: int) -> bool:
    """Whether a refusal by this status is worth another try: for downloads, which nobody bills."""
    return meaning(status, {}, {}).kind in ("busy", "again")


def error_of(value: Any) -> dict[str, Any]:
    """The error object of a reply, in the forms that servers give it; empty where there is none."""
    if isinstance(value, list) and value:  # Gemini's compatible endpoint sends an array
        value = value[0]
    if isinstance(value, dict):
        error = value.get("error", value)
        return error if isinstance(error, dict) else {"message": str(error)}
    return {}


def pause_before(attempt: int, first: float) -> float:
    """Seconds before request number `attempt` + 1 after a fault: doubled each time from `first` on,
    with some chance in it, so that many callers do not come back at once.
    """
    pause: float = min(LONGEST_PAUSE, first * 2.0 ** min(attempt - 1, 30))
    return pause * random.uniform(0.75, 1.25)


def advice(status: int, keys: tuple[str, ...]) -> str:
    """What to do about a ``stop``, in one sentence."""
    if status in (401, 403, 407):
        return f"Set {' or '.join(keys)} to a key of this server."
    if status == 404:
        return "Correct --model or --base-url."
    return "What was done is kept; run the same command again later."
