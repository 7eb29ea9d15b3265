"""A judge's reply becomes integers or the rule that it breaks. It counts where exactly one JSON
object, after a thinking block or prose at most, ends it and is what the call asks for.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from editgauge.judging.protocol import Call, check, numbers
from editgauge.types import JsonMapping, JsonObject, Score, Status

VERSION = 12
"""Part of every row's fingerprint: raise it with any change that could read a reply otherwise."""
LONGEST = 1_000_000
"""Characters of a reply: a verdict has a thousandth of that."""
MOST_STARTS = 1000
"""Objects that begin in one reply, broken ones and those in its thinking included."""
UNSEEN = "the judge says that it could not see the pictures (pictures_visible: false)"
CUT_OFF = "the reply was cut off at its token limit"
ENDLESS = "the thinking does not end, so that there is no answer"
_START = re.compile(
    r"(?P<object>\{)(?=\s*[\"}])"
    r"|(?:</|<|\[/|\[|◁/|◁)(?:seed:)?think(?:ing)?[>\]▷]"
    r"|<unused9[45]>|<\|channel\|>(?:analysis|final)<\|message\|>",
    re.IGNORECASE,
)
"""Where an object begins, and the marks that models put around their thinking."""
_ENDS = ("</", "[/", "◁/", "<unused95", "<|channel|>final")
_MARKS = re.compile(r"(?:(?:<\|[^|<>\s]{1,40}\|>|</(?:s|answer)>|<end_of_turn>|<eos>)\s{0,4}){1,4}")
"""Of a chat template or a trained form, left in behind the reply."""
_LINE = re.compile(
    r"([A-Za-z ]{1,60}):\s{0,4}(-?\d{1,4}(?:\.\d{1,4})?)\s{0,4}(?:/\s{0,4}(\d{1,4}))?(.*)"
)


class Reading(NamedTuple):
    """One field of a reply: its value, or the status and the reason why there is none."""

    value: int | None
    status: Status
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A reading for each number, and the words beside them. `ended`: the status of a call without
    a reply; `problem`: the rule that a reply breaks; `unseen`: the judge says that it saw nothing.
    """

    readings: Mapping[str, Reading]
    ended: Status = Status.SCORED
    rationale: str = ""
    problem: str = ""
    unseen: bool = False


def no_verdict(call: Call, status: Status, reason: str, **more: Any) -> Verdict:
    """The same status and reason for every number."""
    return Verdict(readings=dict.fromkeys(call.fields, Reading(None, status, reason)), **more)


def read(call: Call, text: str | None, *, cut_off: bool = False) -> Verdict:
    """The verdict of a reply by the call's own form. `cut_off`: the server says that the reply
    ended at its token limit, and such a reply is no verdict. Never raises; linear in the text.
    """
    try:
        if cut_off:
            raise ValueError(CUT_OFF)
        body = text or ""
        if len(body) > LONGEST:
            raise ValueError(f"wanted at most {LONGEST:,} characters, found {len(body):,}")
        values = final_lines(call, body) if call.lines else only_object(body)
        check(call.reply, values)
    except (ValueError, RecursionError) as error:
        problem = "nested too deep" if isinstance(error, RecursionError) else str(error)
        return no_verdict(call, Status.UNPARSABLE, problem, problem=problem)
    rationale = "\n".join(text for text in map(values.get, call.reply) if isinstance(text, str))
    if values.get("pictures_visible") is False:
        return no_verdict(call, Status.FAILED, UNSEEN, rationale=rationale, unseen=True)
    readings = {name: Reading(n, Status.SCORED) for name, _, n in numbers(call.reply, values)}
    settled = readings if call.rule is None else call.rule(readings)
    return Verdict(readings=settled, rationale=rationale)


def only_object(text: str) -> JsonObject:
    """The one JSON object of a reply, which ends it. Raises `ValueError` naming the broken rule."""
    objects = _objects(text)
    if len(objects) != 1:
        found = f", found {len(objects)}" if objects else " at the end, found none"
        raise ValueError(f"wanted one JSON object{found}")
    value, end, repeated = objects[0]
    if repeated:
        raise ValueError(f"a key stands twice in one object: {', '.join(repeated[:8])}")
    rest = text[end:].strip().removeprefix("```").strip()
    if rest and _MARKS.fullmatch(rest) is None:
        raise ValueError("text stands behind the object, which must end the reply")
    return value


class _Found(NamedTuple):
    value: JsonObject
    end: int
    repeated: list[str]


def _objects(text: str) -> list[_Found]:
    """The objects behind the last thinking of a reply. Raises `ValueError` for a broken one."""
    objects: list[_Found] = []
    broken, thinking, position, starts = "", False, 0, 0
    while (start := _START.search(text, position)) is not None:
        position = start.end()
        if not start["object"]:
            thinking = not start[0].lower().startswith(_ENDS)
            if not thinking:  # what stands before is a draft, whoever opened the block
                objects, broken = [], ""
            continue
        try:
            objects.append(_object_at(text, start.start()))
            position = objects[-1].end
        except json.JSONDecodeError as error:
            broken, position = str(error), max(position, error.pos)
        starts += 1
        if starts > MOST_STARTS:
            raise ValueError(f"more than {MOST_STARTS} objects begin in it")
    if thinking or broken:
        raise ValueError(ENDLESS if thinking else f"an object that is no JSON: {broken}")
    return objects


def _object_at(text: str, start: int) -> _Found:
    repeated: list[str] = []

    def unique(pairs: list[tuple[str, Any]]) -> JsonObject:
        counts = Counter(name for name, _ in pairs)
        repeated.extend(name for name, count in counts.items() if count > 1)
        return dict(pairs)

    decoder = json.JSONDecoder(
        object_pairs_hook=unique, parse_int=_whole, parse_float=_whole, strict=False
    )
    return _Found(*decoder.raw_decode(text, start), repeated)


def _whole(text: str) -> int | float:
    """A JSON number; one without a fraction is an integer, as JSON has it."""
    number = float(text)
    return int(number) if abs(number) < 1e9 and number.is_integer() else number


def final_lines(call: Call, text: str) -> JsonObject:
    """The numbers of a reply that ends in one line for each field, ``Name: 7/10, reason``, in any
    order. Raises `ValueError` naming the broken rule.
    """
    fields = call.fields
    lines = [line for line in text.replace("*", "").splitlines() if line.strip()][-len(fields) :]
    values: JsonObject = {}
    for line in lines:
        match = _LINE.fullmatch(line.strip().lstrip("#-• "))
        name = match[1].strip() if match else ""
        if match is None or name not in fields or match[3] not in (None, str(fields[name].high)):
            break
        values[name] = _whole(match[2])
    if len(values) < len(fields):
        raise ValueError(f"wanted the last lines to be {', '.join(f'{n}: number' for n in fields)}")
    return values


def to_scores(
    call: Call, verdict: Verdict, first: str | None = None, detail: JsonMapping | None = None
) -> tuple[Score, ...]:
    """Scores of one call in both variants, the corrected one of each metric first: the strict
    `verdict`, and what the released code makes of the `first` reply.

    Without a reply every score has the status of the failure; only a protocol whose released code
    records a number for a failed call (TextEditBench: 0) has one in its faithful variant, with the
    reason saying so.
    """
    replied = verdict.ended is Status.SCORED
    released = _released(call, first) if replied or verdict.ended in _LOST else {}
    scores: list[Score] = []
    for name, metric in call.metrics.items():
        value, status, reason = verdict.readings[name]
        strict = Score(metric=metric, value=value, variant="corrected", status=status,
                       reason=reason, detail=dict(detail or {}))  # fmt: skip
        faithful = replace(strict, variant="faithful")
        if (number := released.get(name)) is not None:
            note = f"what the released code records; strictly: {reason}" if value is None else ""
            note = "; ".join(filter(None, [_outside(call, name, number), note]))
            faithful = replace(faithful, value=number, status=Status.SCORED, reason=note)
        elif call.released is not None and replied and status is not Status.NOT_APPLICABLE:
            note = "the released code takes no score from this reply"
            faithful = replace(faithful, value=None, status=Status.UNPARSABLE, reason=note)
        scores += [strict, faithful]
    return tuple(scores)


def _outside(call: Call, name: str, number: float) -> str:
    """The mark of a number that lies outside of its scale; "" for one within. The released code of
    no benchmark here clamps such a number.
    """
    scale = call.fields[name]
    if scale.low <= number <= scale.high:
        return ""
    return f"outside of the scale {scale.low:g} to {scale.high:g}"


_LOST = (Status.FAILED, Status.REFUSED)
"""Of a call without a reply. The released code has no entry for pictures that cannot be read."""


def _released(call: Call, reply: str | None) -> dict[str, float]:
    try:
        values = call.released(reply) if call.released else {}
        numbers = {name: float(value) for name, value in values.items() if value is not None}
    except Exception:  # a reader may fail on odd replies: no score is taken then
        return {}
    return {name: value for name, value in numbers.items() if math.isfinite(value)}
