"""What one call to a judge is: words, pictures, the fields that are asked for, and how the reply
becomes scores.

Benchmarks build `Call`s (each in its ``judge.py``, the one readable place for order, labels, sizes
and parameters); the engine sends them and knows nothing of benchmarks.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from editgauge.judging.answers import Reading, read_answer
from editgauge.types import Edit, Metric, Sample, Score, Status

Rule = Callable[[Mapping[str, Reading]], dict[str, Reading]]
"""What a protocol's own rule makes of the strict readings of one reply."""
Released = Callable[[str | None], Mapping[str, float | None]]
"""What the released code makes of a reply: field -> number or None. Given None when there was no
reply at all.
"""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of a call: the file's own bytes, or, where `size_of` names another picture, resized
    to its size.

    `name` says what it is in ``--show`` and in errors. Resizing is Lanczos; an equal size sends the
    file as it is.
    """

    path: Path
    name: str
    size_of: Path | None = None
    mime: str = ""
    """The media type that is declared for it; "" takes the file's own. The released scripts call
    every picture a JPEG, or every one a PNG.
    """


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a call whose messages are given whole: a role, and texts and pictures.

    A `plain` message has one text and is sent as a text, not as a list of parts.
    """

    role: str
    parts: tuple[str | Picture, ...]
    plain: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """One question to a judge about one edit.

    `parts` are texts and pictures in the order in which the judge sees them; `system` is a system
    message or None. `fields` maps each number asked for to its range, `metrics` maps fields to
    metric names. `reasons` are further text fields that come before the numbers in the JSON schema
    (generation follows the order). `nullable` fields may be null, which is *not applicable* and no
    failure. `container` is the key that the numbers lie under, if any.

    `lists` is for replies that give several numbers under one key, as VIEScore's
    ``{"score": [7, 9]}`` does: it maps the key of the reply to the fields whose numbers its list
    holds, in order. Each of these is a field like any other, with a range in `fields` and a metric
    of its own in `metrics`::

        fields={"success": (0, 10), "overediting": (0, 10)},
        metrics={"success": "SC_success", "overediting": "SC_overediting"},
        lists={"score": ("success", "overediting")},

    A list of another length is unparsable for all of its fields.

    Raises ValueError for a declaration that contradicts itself.
    """

    name: str
    parts: tuple[str | Picture, ...]
    fields: Mapping[str, tuple[int, int]]
    metrics: Mapping[str, str]
    rubric: str
    """Hash of the rubric file: part of every score's identity."""
    released: Released | None = None
    """None: the protocol has no released reader, and both variants are the strict reading."""
    reasons: tuple[str, ...] = ("reasoning",)
    nullable: frozenset[str] = frozenset()
    rule: Rule | None = None
    """The protocol's rule between fields of one reply, applied to the strict readings."""
    container: str | None = None
    as_json: bool = True
    """False for protocols whose reply is lines of text: no schema is asked for then."""
    system: str | None = None
    temperature: float | None = 0.0
    """None leaves it to the server, as the released script does."""
    max_tokens: int = 1000
    messages: tuple[ChatMessage, ...] = ()
    """The whole chat, where a released script's own messages are sent: then `parts` and `system`
    are empty, no schema is asked for and no reply is repaired.
    """
    parameters: Mapping[str, str | int | float | bool | None] = field(default_factory=dict)
    """Further parameters of the request, as the released script sends them (``stream``)."""
    lists: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Key of the reply -> the fields whose numbers the list under it holds, in order."""

    def __post_init__(self) -> None:
        listed = [name for names in self.lists.values() for name in names]
        unknown = sorted({*listed, *self.metrics, *self.nullable} - set(self.fields))
        if unknown:
            raise ValueError(
                f"call {self.name!r}: {', '.join(unknown)} in lists, metrics or nullable, but not "
                f"in fields ({', '.join(self.fields)})"
            )
        if len(listed) != len(set(listed)) or set(self.lists) & set(self.fields):
            raise ValueError(
                f"call {self.name!r}: a field may lie in one list, and a list's key is no field"
            )

    @property
    def as_released(self) -> bool:
        """Whether exactly the released script's request is sent."""
        return bool(self.messages)

    def chat(self) -> tuple[ChatMessage, ...]:
        """The messages in order, whichever way they are given."""
        if self.messages:
            return self.messages
        system = (ChatMessage("system", (self.system,), plain=True),) if self.system else ()
        return (*system, ChatMessage("user", self.parts))

    def schema(self) -> dict[str, Any] | None:
        """The JSON schema of the reply, strict in OpenAI's sense; None for a protocol of text
        lines.
        """
        if not self.as_json or self.as_released:
            return None
        numbers = self._numbers()
        properties: dict[str, Any] = {}
        if len(self.reasons) == len(numbers) > 1:  # a reason beside each number
            for reason, name in zip(self.reasons, numbers, strict=True):
                properties |= {reason: {"type": "string"}, name: numbers[name]}
        else:
            properties = {reason: {"type": "string"} for reason in self.reasons}
            properties |= {self.container: _object(numbers)} if self.container else numbers
        return _object(properties)

    def _numbers(self) -> dict[str, Any]:
        """The schema of each number or list, by its key, in the order of `fields`."""
        key_of = {name: key for key, names in self.lists.items() for name in names}
        numbers: dict[str, Any] = {}
        for name, (low, high) in self.fields.items():
            key = key_of.get(name)
            if key is None:
                kind = ["integer", "null"] if name in self.nullable else "integer"
                numbers[name] = {"type": kind, "minimum": low, "maximum": high}
            elif key not in numbers:
                numbers[key] = self._list_schema(key)
        return numbers

    def _list_schema(self, key: str) -> dict[str, Any]:
        # Strict schemas know one kind of item only; the range of each number is checked on reading.
        names = self.lists[key]
        item = {
            "type": "integer",
            "minimum": min(self.fields[name][0] for name in names),
            "maximum": max(self.fields[name][1] for name in names),
        }
        return {"type": "array", "items": item, "minItems": len(names), "maxItems": len(names)}

    @property
    def pictures(self) -> tuple[Picture, ...]:
        return tuple(
            part for message in self.chat() for part in message.parts if isinstance(part, Picture)
        )


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


@runtime_checkable
class Judging(Protocol):
    """A benchmark's judge track, which its object gives as `types.Benchmark.judging`. The shortest
    one is `questions.Questions`.

    One that has options also has an attribute ``options``: name -> the values it may have. Another
    name or value is an error before anything is sent.
    """

    @property
    def version(self) -> str:
        """Of the protocol's readers: part of every row's fingerprint, so that a mended one makes
        the rows anew from the replies that are there.
        """
        ...

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """All metrics that its calls can give, each in both variants."""
        ...

    def rubric_names(self) -> Sequence[str]:
        """The rubric files that it uses (without ``.md``), for their common hash."""
        ...

    def calls(
        self, sample: Sample, edit: Edit, rubrics: Rubrics, options: Mapping[str, Any]
    ) -> Sequence[Call]:
        """The calls for one edit. Raises nothing for odd samples: what cannot be asked is not in
        the list.
        """
        ...

    def metrics_for(self, sample: Sample, options: Mapping[str, Any]) -> Sequence[Metric]:
        """The metrics that a complete judgement of this sample has (those of `calls`, picture or
        not).
        """
        ...


@runtime_checkable
class Rubrics(Protocol):
    """Where rubrics come from: see `rubrics.RubricFolder`."""

    def render(self, name: str, **fields: str | None) -> tuple[str, str]:
        """The text with the fields filled in, and the hash of the rubric file."""
        ...


def fenced(name: str, text: str) -> str:
    """Text from data between two marks that it cannot contain: the marks carry a hash of the text
    itself.

    The same text always gets the same marks, so that a reply can be found again; a text that holds
    its own mark (which nobody can write on purpose) gets another one.
    """
    salt = 0
    while True:
        mark = hashlib.blake2b(
            f"{salt}:{text}".encode("utf-8", "surrogatepass"), digest_size=4
        ).hexdigest()
        if mark not in text:
            return f"[[{name} {mark}]]\n{text}\n[[end of {name} {mark}]]"
        salt += 1


NULL_REASON = "the judge gave null, as it was told to where the score does not apply"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangeResult:
    """What came of asking: the first reply (after more room, if it was cut off), the last one, or
    why there is none.

    `cut_off` says that the last reply still ended at its token limit: such a reply is never a
    verdict, whatever it seems to say.
    """

    first: str | None
    last: str | None
    status: Status
    reason: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)
    cut_off: bool = field(default=False, kw_only=True)


def strict(call: Call, reply: str | None, *, cut_off: bool = False) -> dict[str, Reading]:
    """`read_answer` with null taken as *not applicable* for the fields that may be null, and the
    call's `rule` applied.

    `cut_off` says that the server reported the reply as cut off at its token limit.
    """
    readings = read_answer(reply, call.fields, lists=call.lists, cut_off=cut_off)
    for name in call.nullable:
        if readings[name].value is None and readings[name].reason == "null":
            readings[name] = Reading(None, Status.NOT_APPLICABLE, NULL_REASON)
    return readings if call.rule is None else call.rule(readings)


def to_scores(call: Call, exchange: ExchangeResult) -> tuple[Score, ...]:
    """Scores of one call in both variants: corrected from the last reply, faithful from the first
    one.

    Without a reply every score has the status of the failure; only a protocol whose released code
    records a number for a failed call (TextEditBench: 0) has one in its faithful variant, with the
    reason saying so. A reader of released code that fails on a reply takes no score from it.
    """
    readings = None
    if exchange.status is Status.SCORED:
        readings = strict(call, exchange.last, cut_off=exchange.cut_off)
    released = _released(call, exchange)
    scores: list[Score] = []
    for name, metric in call.metrics.items():
        detail = dict(exchange.detail)
        if readings is None:
            corrected = Score(
                metric=metric,
                value=None,
                variant="corrected",
                status=exchange.status,
                reason=exchange.reason,
                detail=detail,
            )
        else:
            reading = readings[name]
            corrected = Score(
                metric=metric,
                value=reading.value,
                variant="corrected",
                status=reading.status,
                reason=reading.reason,
                detail=detail,
            )
        faithful = (
            replace(corrected, variant="faithful")
            if call.released is None
            else _faithful(corrected, released.get(name), readings is not None)
        )
        scores += [corrected, faithful]
    return tuple(scores)


def _released(call: Call, exchange: ExchangeResult) -> dict[str, float]:
    """What the released code takes from the first reply, by field: finite numbers only.

    Released scripts record something for a call that failed or was refused; for pictures that
    cannot be read they have no entry at all.
    """
    if call.released is None or exchange.status not in (
        Status.SCORED,
        Status.FAILED,
        Status.REFUSED,
    ):
        return {}
    try:
        values = call.released(exchange.first if exchange.status is Status.SCORED else None)
        numbers = {name: float(value) for name, value in values.items() if value is not None}
    except (
        Exception
    ):  # a reader's fault must not stop a run: the reply is kept and can be read again
        return {}
    return {name: value for name, value in numbers.items() if math.isfinite(value)}


def _faithful(corrected: Score, value: float | None, replied: bool) -> Score:
    """The faithful score beside the corrected one; `value` is what the released code takes."""
    metric, detail = corrected.metric, dict(corrected.detail)
    if value is not None:
        note = ""
        if corrected.value is None:
            note = f"what the released code records; strictly: {corrected.reason}"
        return Score(
            metric=metric,
            value=value,
            variant="faithful",
            status=Status.SCORED,
            reason=note,
            detail=detail,
        )
    if not replied or corrected.status is Status.NOT_APPLICABLE:
        return Score(
            metric=metric,
            value=None,
            variant="faithful",
            status=corrected.status,
            reason=corrected.reason,
            detail=detail,
        )
    reason = "the released code takes no score from this reply"
    return Score(
        metric=metric,
        value=None,
        variant="faithful",
        status=Status.UNPARSABLE,
        reason=reason,
        detail=detail,
    )
