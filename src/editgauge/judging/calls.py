"""What one call to a judge is: words, pictures, the fields that are asked for, and how the reply
becomes scores.

Benchmarks build `Call`s (each in its ``judge.py``, the one readable place for order, labels, sizes
and parameters); the engine sends them and knows nothing of benchmarks.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from editgauge.judging.answers import Reading, read_answer
from editgauge.types import Edit, Metric, Sample, Score, Status

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


@dataclass(frozen=True, slots=True)
class Call:
    """One question to a judge about one edit.

    `parts` are texts and pictures in the order in which the judge sees them; `system` is a system
    message or None. `fields` maps each number asked for to its range, `metrics` maps fields to
    metric names. `reasons` are further text fields that come before the numbers in the JSON schema
    (generation follows the order). `nullable` fields may be null, which is *not applicable* and no
    failure. `container` is the key that the numbers lie under, if any.
    """

    name: str
    parts: tuple[str | Picture, ...]
    fields: Mapping[str, tuple[int, int]]
    metrics: Mapping[str, str]
    rubric: str
    """Hash of the rubric file: part of every score's identity."""
    released: Released
    reasons: tuple[str, ...] = ("reasoning",)
    nullable: frozenset[str] = frozenset()
    container: str | None = None
    as_json: bool = True
    """False for protocols whose reply is lines of text: no schema is asked for then."""
    system: str | None = None
    temperature: float | None = 0.0
    """None leaves it to the server, as the released script does."""
    max_tokens: int = 1000

    def schema(self) -> dict[str, Any] | None:
        """The JSON schema of the reply, strict in OpenAI's sense; None for a protocol of text
        lines.
        """
        if not self.as_json:
            return None
        numbers = {
            name: {
                "type": ["integer", "null"] if name in self.nullable else "integer",
                "minimum": low,
                "maximum": high,
            }
            for name, (low, high) in self.fields.items()
        }
        properties: dict[str, Any] = {}
        if len(self.reasons) == len(numbers) > 1:  # a reason beside each number
            for reason, name in zip(self.reasons, numbers, strict=True):
                properties |= {reason: {"type": "string"}, name: numbers[name]}
        else:
            properties = {reason: {"type": "string"} for reason in self.reasons}
            properties |= {self.container: _object(numbers)} if self.container else numbers
        return _object(properties)

    @property
    def pictures(self) -> tuple[Picture, ...]:
        return tuple(part for part in self.parts if isinstance(part, Picture))


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


@runtime_checkable
class Judging(Protocol):
    """A benchmark's judge track. Its module is ``benchmarks/<name>/judge.py``, the object is called
    ``JUDGING``.
    """

    metrics: tuple[Metric, ...]
    """All metrics that its calls can give, each in both variants."""

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


@dataclass(frozen=True, slots=True)
class Judged:
    """Both readings of one call: scores (corrected and faithful) for each of its metrics."""

    scores: tuple[Score, ...]
    unparsable: tuple[str, ...] = ()
    """Fields without a strict reading that a repair attempt could still give."""


@dataclass(frozen=True, slots=True)
class ExchangeResult:
    """What came of asking: the first reply (after more room, if it was cut off), the last one, or
    why there is none.
    """

    first: str | None
    last: str | None
    status: Status
    reason: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)


def strict(call: Call, reply: str | None) -> dict[str, Reading]:
    """`read_answer` with null taken as *not applicable* for the fields that may be null."""
    readings = read_answer(reply, call.fields)
    for name in call.nullable:
        if readings[name].value is None and readings[name].reason == "null":
            readings[name] = Reading(None, Status.NOT_APPLICABLE, NULL_REASON)
    return readings


def to_scores(call: Call, heard: ExchangeResult) -> tuple[Score, ...]:
    """Scores of one call in both variants: corrected from the last reply, faithful from the first
    one.

    Without a reply every score has the status of the failure; only a protocol whose released code
    records a number for a failed call (TextEditBench: 0) has one in its faithful variant, with the
    reason saying so.
    """
    scores: list[Score] = []
    readings = strict(call, heard.last) if heard.status is Status.SCORED else None
    released = call.released(heard.first if heard.status is Status.SCORED else None)
    for name, metric in call.metrics.items():
        detail = dict(heard.detail)
        if readings is None:
            scores.append(Score(metric, None, "corrected", heard.status, heard.reason, detail))
        else:
            reading = readings[name]
            scores.append(
                Score(metric, reading.value, "corrected", reading.status, reading.reason, detail)
            )
        value = released.get(name)
        if value is not None:
            corrected = scores[-1]
            note = (
                ""
                if corrected.value is not None
                else f"what the released code records; strictly: {corrected.reason}"
            )
            scores.append(Score(metric, float(value), "faithful", Status.SCORED, note, detail))
        elif readings is None:
            scores.append(Score(metric, None, "faithful", heard.status, heard.reason, detail))
        else:
            applies = readings[name].status is not Status.NOT_APPLICABLE
            status = Status.UNPARSABLE if applies else Status.NOT_APPLICABLE
            reason = (
                "the released code takes no score from this reply"
                if applies
                else readings[name].reason
            )
            scores.append(Score(metric, None, "faithful", status, reason, detail))
    return tuple(scores)
