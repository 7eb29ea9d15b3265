"""A judge's reply becomes integers, or the rule that it breaks.

A reply in the form that the call asks for counts as it is: exactly one JSON object, after a
thinking block or prose at most, which ends the reply. Another one counts, and its rows are marked,
where it says each number and nothing else of it: see `claims`.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from editgauge.judging import claims, relaxed
from editgauge.judging.protocol import Call, Range, check, numbers
from editgauge.judging.relaxed import Members
from editgauge.types import JsonMapping, JsonObject, Score, Status

VERSION = 13
"""Part of every row's fingerprint: raise it with any change that could read a reply otherwise."""
LONGEST = 1_000_000
"""Characters of a reply: a verdict has a thousandth of that."""
MOST_STARTS = 1000
"""Objects that begin in one reply, broken ones and those in its thinking included."""
MOST_BROKEN = 50
"""Objects in one reply that are no strict JSON and are tried as models write them."""
UNSEEN = "the judge says that it could not see the pictures (pictures_visible: false)"
READ_ALTHOUGH = "read although"
"""In the detail of a row: the rule that the reply breaks, which did not keep it from being read."""
OFF_SCALE = "off scale"
"""In the detail of a faithful row: the ends of the scale that its number lies outside of."""
CUT_OFF = "the reply was cut off at its token limit"
ENDLESS = "the thinking does not end, so that there is no answer"
_THINKING = (
    r"(?:</|<|\[/|\[|◁/|◁)(?:seed:)?think(?:ing)?[>\]▷]"
    r"|<unused9[45]>|<\|channel\|>(?:analysis|final)<\|message\|>"
)
_START = re.compile(rf"(?P<object>\{{)(?=\s*[\"}}])|{_THINKING}", re.IGNORECASE)
"""Where an object begins, and the marks that models put around their thinking."""
_ENDS = ("</", "[/", "◁/", "<unused95", "<|channel|>final")
_MARKS = re.compile(r"(?:(?:<\|[^|<>\s]{1,40}\|>|</(?:s|answer)>|<end_of_turn>|<eos>)\s{0,4}){1,4}")
"""Of a chat template or a trained form, left in behind the reply."""
_MAY_BEGIN = re.compile(
    r"(?P<object>\{)"
    r"(?=[\s*`]{0,40}(?:[\"'“‘„}]|[A-Za-z_][\w .()-]{0,60}[*`]{0,4}\s{0,4}[:：]))"
    r"|<answer>|</?(?:thought|reasoning|analysis|scratchpad|reflection)>"
    rf"|{_THINKING}",
    re.IGNORECASE,
)
"""Where an object may begin that is no strict JSON, and more marks around thinking."""
_MAY_END = (*_ENDS, "<answer>")
_ESCAPED_OBJECT = re.compile(r"\{\s*\\\"")


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
    remark: str = ""
    unseen: bool = False


def no_verdict(call: Call, status: Status, reason: str, **more: Any) -> Verdict:
    """The same status and reason for every number."""
    return Verdict(readings=dict.fromkeys(call.fields, Reading(None, status, reason)), **more)


def read(call: Call, text: str | None, *, cut_off: bool = False) -> Verdict:
    """The verdict of a reply by the call's own form, else by all that it says (see `claims`).
    `cut_off`: the server says that the reply ended at its token limit, and such a reply is no
    verdict. Never raises; linear in the text.
    """
    body = text or ""
    problem = ""
    try:
        if cut_off:
            raise ValueError(CUT_OFF)
        if len(body) > LONGEST:
            raise ValueError(f"wanted at most {LONGEST:,} characters, found {len(body):,}")
        if not call.lines:
            try:
                return _verdict_in_form(call, body)
            except ValueError as error:
                problem = str(error)
                if problem == ENDLESS:
                    raise
        return _verdict_in_words(call, body, problem)
    except (ValueError, RecursionError) as error:
        why = "nested too deep" if isinstance(error, RecursionError) else str(error)
        # a repair quotes the rule of the form, and the row says why nothing was read in spite of it
        return no_verdict(call, Status.UNPARSABLE, why, problem=problem or why)


def _verdict_in_form(call: Call, body: str) -> Verdict:
    """The verdict of a reply that keeps the form. Raises `ValueError` naming the broken rule."""
    values = only_object(body)
    check(call.reply, values)
    words = [values[name] for name in call.reply if isinstance(values.get(name), str)]
    found = {name: value for name, _, value in numbers(call.reply, values)}
    return _verdict(call, found, words, seen=values.get("pictures_visible") is not False)


def _verdict_in_words(call: Call, body: str, problem: str) -> Verdict:
    """The verdict of a reply that breaks the form by the rule `problem`. Raises `ValueError` with
    the reason why it is none.
    """
    found, said = claims.verdict_of(call, answer_of(body))
    verdict = _verdict(call, found, said.words, seen=said.seen is not False)
    return replace(verdict, remark=problem)


def _verdict(call: Call, found: Mapping[str, int], words: list[str], *, seen: bool) -> Verdict:
    rationale = "\n".join(words)
    if not seen:
        return no_verdict(call, Status.FAILED, UNSEEN, rationale=rationale, unseen=True)
    readings = {name: Reading(value, Status.SCORED) for name, value in found.items()}
    settled = readings if call.rule is None else call.rule(readings)
    return Verdict(readings=settled, rationale=rationale)


def answer_of(text: str) -> claims.Answer:
    """The objects of a reply behind its last thinking, broken JSON included as far as it can be
    read. Raises `ValueError` for thinking that does not end.
    """
    if _ESCAPED_OBJECT.search(text):  # an object inside a text of JSON
        text = text.replace('\\"', '"').replace("\\n", "\n")
    parts: list[claims.Part] = []
    broken: list[int] = []
    thinking = False
    begin = position = starts = 0
    while (start := _MAY_BEGIN.search(text, position)) is not None:
        position = start.end()
        if not start["object"]:
            thinking = not start[0].lower().startswith(_MAY_END)
            if not thinking:  # what stands before is a draft, whoever opened the block
                parts = []
                broken = []
                begin = position
            continue
        starts += 1
        if starts > MOST_STARTS or len(broken) > MOST_BROKEN:
            raise ValueError(f"more than {starts - 1} objects begin in it")
        try:
            found = _members_at(text, start.start())
            parts.append(claims.Part(found.members, start.start(), found.end))
            position = found.end
        except relaxed.Unreadable as error:
            broken.append(start.start())
            position = max(position, error.position)
    if thinking:
        raise ValueError(ENDLESS)
    return claims.Answer(text, begin, parts, broken)


def _members_at(text: str, start: int) -> relaxed.ObjectAt:
    """The object at a place: as JSON, else as models write it. Raises `relaxed.Unreadable`."""
    decoder = json.JSONDecoder(
        object_pairs_hook=Members, parse_int=_whole, parse_float=_whole, strict=False
    )
    try:
        members, end = decoder.raw_decode(text, start)
    except json.JSONDecodeError:
        return relaxed.object_at(text, start)
    return relaxed.ObjectAt(members, end)


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


def to_scores(
    call: Call, verdict: Verdict, first: str | None = None, detail: JsonMapping | None = None
) -> tuple[Score, ...]:
    """Scores of one call in both variants, the corrected one of each metric first: the strict
    `verdict`, and what the released code makes of the `first` reply.

    Without a reply every score has the status of the failure; only a protocol whose released code
    records a number for a failed call (TextEditBench: 0) has one in its faithful variant, with the
    reason saying so. A row that was read in spite of a broken form says so in its detail
    (`READ_ALTHOUGH`), and so does a number of the released code that is off the scale
    (`OFF_SCALE`): none of the released scripts clamps it.
    """
    replied = verdict.ended is Status.SCORED
    released = _released(call, first) if replied or verdict.ended in _LOST else {}
    scores: list[Score] = []
    for name, metric in call.metrics.items():
        value, status, reason = verdict.readings[name]
        strict = Score(metric=metric, value=value, variant="corrected", status=status,
                       reason=reason, detail=dict(detail or {}))  # fmt: skip
        faithful = replace(strict, variant="faithful")
        if verdict.remark and value is not None:
            strict = replace(strict, detail={**strict.detail, READ_ALTHOUGH: verdict.remark})
        if (number := released.get(name)) is not None:
            faithful = _as_recorded(faithful, number, call.fields[name])
        elif call.released is not None and replied and status is not Status.NOT_APPLICABLE:
            note = "the released code takes no score from this reply"
            faithful = replace(faithful, value=None, status=Status.UNPARSABLE, reason=note)
        scores += [strict, faithful]
    return tuple(scores)


def _as_recorded(score: Score, number: float, scale: Range) -> Score:
    """The score with the number that the released code records. `score`: the strict reading."""
    reason = ""
    detail = dict(score.detail)
    if score.value is None:
        reason = f"what the released code records; strictly: {score.reason}"
    if not scale.low <= number <= scale.high:
        detail[OFF_SCALE] = [scale.low, scale.high]
        reason = (
            f"{number:g} is outside of the scale {scale.low} to {scale.high}; the released code "
            f"records it as it is"
        )
    return replace(score, value=number, status=Status.SCORED, reason=reason, detail=detail)


_LOST = (Status.FAILED, Status.REFUSED)
"""Of a call without a reply. The released code has no entry for pictures that cannot be read."""


def _released(call: Call, reply: str | None) -> dict[str, float]:
    try:
        values = call.released(reply) if call.released else {}
        numbers = {name: float(value) for name, value in values.items() if value is not None}
    except Exception:  # a reader may fail on odd replies: no score is taken then
        return {}
    return {name: value for name, value in numbers.items() if math.isfinite(value)}
