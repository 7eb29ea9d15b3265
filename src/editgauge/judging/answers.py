"""A judge's reply becomes integers or reasons, never a guess.

`read_answer` is strict on purpose: a number is a score only where the reply gives it under the
field's name, in a JSON object (anywhere in the text, fenced or not) or on a line of its own
(``Editing Accuracy: 7/10``). Whatever leaves room for two readings ends as `Status.UNPARSABLE` with
a reason, and the whole reply is kept by the caller: a second call is cheap, a wrong number is not.

* Thinking is no verdict, an unfinished reply is none, and a judge that says it saw no picture has
  none to give.
* A verdict in an example, in a quotation, under a condition or about another picture is passed
  over.
* Two verdicts that differ are flagged, unless the later one says that it replaces the earlier.
* A reply that names nothing that was asked for, or not all of it, is read once more in other
  spellings: of names, scripts and forms (see `spelling`, `forms`), and in sentences (see
  `sayings`).
* A sentence behind the verdict that takes it back, or gives another number, flags it; so does a
  reason with a number of the scale that counts or names nothing (see `doubts`).
* A reply whose free words are rather those of replies whose number does not hold is flagged (see
  `likeness`).

What counts as an integer: ``4``, ``4.0``, ``"4"``, ``4/5`` (``"4/5"``, ``4 out of 5``) where the
second number is the top of the scale, and ``four``. Not: ``4.5``, ``true``, ``null``, ``NaN``,
``04``, ``+4``, ranges, and in an object digits of other scripts.

Reading is linear in the reply, bounded (`MAX_REPLY`, and the limits of `objects` and `mentions`),
and never raises.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from editgauge.judging import doubts, likeness
from editgauge.judging.blindness import is_blind
from editgauge.judging.claims import Verdicts, unquoted
from editgauge.judging.forms import without_scale
from editgauge.judging.mentions import BLANK, Mention, claims_in, mentions, prose_of
from editgauge.judging.names import without_other_lines
from editgauge.judging.objects import JsonPart, Pairs, Tangled, decode_whole, find_objects
from editgauge.judging.spelling import plainer, scores_told
from editgauge.judging.thinking import without_thinking
from editgauge.judging.values import (
    OUTSIDE,
    is_about_other,
    is_template,
    plain_name,
    read_text,
    read_value,
    reasons_of,
    rivals_of,
    spread,
    told_beside,
    values_of,
    words_in,
)
from editgauge.judging.wording import (
    LEAD,
    QUOTATION,
    SPOKEN,
    fractions_in,
    is_cited,
    is_cited_heading,
    is_introduced_as_supposed,
    is_mocking,
    is_obeying,
    is_of_another_case,
    is_refusal,
    is_revision,
    is_taken_back,
    is_unannounced,
    is_withdrawn,
    short_corrections,
    spoken,
    without_considered,
    without_names,
    without_other_labels,
)
from editgauge.types import Status

MAX_REPLY = 1_000_000
"""Characters of a reply that are read; a longer one is unparsable (a verdict takes a few hundred).
"""
MAX_REASON = 10_000
"""Characters of a reason that are looked at, and kept."""

MAX_STATEMENTS = 100
"""Verdicts of one reply that are weighed; a reply has a dozen."""

_NO_FIELDS = "no object holds the fields that were asked for"
_NO_NAMES = "no verdict under the names that were asked for"
_NO_PLAIN_NUMBER = "no plain number under the names that were asked for"
_NOT_ONE_NUMBER = "a line without one plain number"
_MISSING = "missing"
_ON_CONDITION = re.compile(
    r"(?<=[}\])])[ \t,;*_`)]{0,6}(?:only )?(?:if|unless|provided that|assuming)\b"
)
"""Behind an object, on its line: that it holds on a condition."""
_DEPICTED = re.compile(
    r"(?<=[}\])])[ \t\"'”’`]{0,3}(?:(?:is|was|are|as) )?(?:printed|written|painted|drawn|embroidered|engraved|stamped|scribbled|handwritten|in (?:white|black|red|small|big|tiny|bold) (?:letters|print|text))\b"
)
"""Behind an object, on its line: that it is a text of a picture."""
_DIFFER = "verdicts that differ"
_CONTRADICTED = "the verdict is contradicted after it was given"
_NOTHING_NAMED = frozenset([_NO_FIELDS, _NO_NAMES, _NO_PLAIN_NUMBER, _NOT_ONE_NUMBER])
"""Reasons after which another spelling is looked for."""
_BRACELESS = re.compile(r'"[A-Za-z_][\w ]{0,60}"\s?:[^{}]{1,5000}\Z')
_QUOTED_LINE = re.compile(r"^>[ \t]?", re.MULTILINE)
_TOP = re.compile(
    r"\d\W{0,6}\([^()\n]{0,40}\b(?:full|top|maximum) (?:marks|score|points)\b(?! (?:for|if))", re.I
)
_MAY_GO_ON = re.compile(r"(?<![\d/.])[1-9]\Z")
_OTHER_CODES = dict.fromkeys(("IF", "TA", "VC", "LP", "SE", "EA", "VQ", "CP", "KP"), (0, 10))
"""Names of dimensions: an object with one that was not asked for says nothing of those that were."""
_SCALE_TOLD = re.compile(
    r"\bscale (?:of |from |is )?[01] ?(?:-|–|to|\.\.) ?(\d{1,3})\b|\b(\d{1,3}|ten|hundred)-point scale\b|\b[01] ?[-–] ?(\d{2,3}) scale\b"
    r"|\bscale: ?[01] ?[-–] ?(\d{1,3})\b|\bon a scale (?:of |to |up to )(?![01] ?(?:-|–|to))(\d{1,3})\b",
    re.IGNORECASE,
)
"""The scale in words."""
_LEGEND = re.compile(
    r"(?<![\w.,/+*-])(\d{1,3})\s?(?:=|means|heißt|bedeutet|signifie|significa)\s?([^\W\d][^,;\n()]{0,40})"
)
_BEST = re.compile(
    r"(?:sehr gut|very good|best|excellent|perfect|flawless|outstanding|très bien|muy bien|ottimo|отлично)\b",
    re.I,
)
_INNER_QUOTE = re.compile(
    r"(?<![\w\\])'[^'\n]{1,80}'(?!\w)|“[^”\n]{0,200}”|„[^“”\n]{0,200}[“”]|«[^»\n]{0,200}»|\\\"[^\"\n]{0,200}\\\""
)
Ranges = Mapping[str, tuple[int, int]]
Lists = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Reading:
    """One field of a reply: an integer with `Status.SCORED`, or None with a status and the reason
    why.
    """

    value: int | None
    status: Status
    reason: str = ""


def read_answer(
    reply: str | None,
    fields: Ranges,
    *,
    lists: Lists | None = None,
    cut_off: bool = False,
) -> dict[str, Reading]:
    """Read one integer for each field out of a judge's reply.

    ``fields`` maps a field's name to its lowest and highest value; names are compared without
    regard to case, spaces, hyphens and underscores. ``lists`` maps keys of the reply to the fields
    whose numbers the list under them holds, in order (see `calls.Call`). ``cut_off`` says that the
    server ended the reply at its token limit: then nothing in it is a verdict.

    Returns one `Reading` for each field, in order: an integer inside the range with
    `Status.SCORED`, else None with `Status.UNPARSABLE` (or `Status.REFUSED` for a short text that
    only declines) and a reason. Never raises, for any text.
    """
    if reply is None or not reply.strip():
        return _all(fields, "the reply is empty")
    if cut_off:
        return _all(fields, "the reply is cut off at its token limit, before the judge was done")
    if len(reply) > MAX_REPLY:
        return _all(
            fields, f"the reply has {len(reply):,} characters; at most {MAX_REPLY:,} are read"
        )
    try:
        readings = _read(reply, fields, lists or {})
        if any(reading.value is None for reading in readings.values()):
            readings = _agreed(readings, _in_other_words(reply, fields, lists or {}, readings))
        if any(reading.value is not None for reading in readings.values()) and (
            why := likeness.against(reply)
        ):
            return _all(fields, why)
        return readings
    except (Tangled, OverflowError) as error:
        return _all(fields, f"the reply is too tangled to be read: {error}")
    except Exception as error:  # no reply may stop a run, whatever it does to the reader
        return _all(fields, f"the reader failed on this reply: {type(error).__name__}")


def read_reason(
    reply: str | None, names: tuple[str, ...] = ("reason", "reasoning", "rationale")
) -> str:
    """The judge's explanation: the text under one of `names` in the last object that has it, else
    an empty text.

    At most `MAX_REASON` characters, none of them half a surrogate pair. Never raises.
    """
    if not reply or len(reply) > MAX_REPLY:
        return ""
    wanted = {plain_name(name) for name in names}
    try:
        whole = decode_whole(reply.strip())
        objects: Sequence[Any] = [whole]
        if not isinstance(whole, Pairs):
            objects = [item.value for item in find_objects(without_thinking(reply) or "")]
        for item in reversed(objects):
            for key, value in (item or {}).items():
                if plain_name(key) in wanted:
                    text = value if isinstance(value, str) else str(value)
                    return text[:MAX_REASON].encode("utf-8", "replace").decode()
    except Exception:  # an explanation is a courtesy: without one the score still stands
        return ""
    return ""


def _read(reply: str, fields: Ranges, lists: Lists) -> dict[str, Reading]:
    text, found = _answer(reply)
    if text is None:
        return _all(fields, "the reply ends inside the judge's thinking, before any verdict")
    said = spoken(text)
    if why := _said_against_all(said, {high for _, high in fields.values()}):
        return _all(fields, why)
    for item in found:
        if item.value is not None:
            spread(item.value, lists)
    refused = is_refusal(said)
    statements, why = _statements(text, found, fields, lists, refused)
    if statements:
        return _undoubted(_decide(statements, fields), text, found, statements, fields)
    if why:
        return _all(fields, why)
    if found:
        cut = any(not item.closed for item in found)
        return _all(
            fields,
            "the verdict is cut off" if cut else _NO_FIELDS,
        )
    if refused and len(text) < 600:
        return {name: Reading(None, Status.REFUSED, "the reply only declines") for name in fields}
    return _all(fields, _NO_NAMES)


def _said_against_all(said: str, tops: set[int]) -> str:
    """What the judge says of itself or of its task that leaves none of its numbers, or an empty
    text.
    """
    bare = _unquoted(said)
    if is_blind(bare):
        return "the judge says that it saw no picture, or not all"
    if is_obeying(said):
        return "the judge follows a text that it found in a picture"
    if is_mocking(bare):
        return "the judge mocks, and does not mean its number"
    if is_of_another_case(bare):
        return "the judge says that this is about another sample"
    return _told_of_another_scale(said, tops)


def _told_of_another_scale(said: str, tops: set[int]) -> str:
    """What a judge says of a scale that is not the one that was asked for, or an empty text."""
    for scale in _SCALE_TOLD.finditer(said):
        top = next(group for group in scale.groups() if group).casefold()
        if (int(top) if top.isdecimal() else {"ten": 10, "hundred": 100}[top]) not in tops:
            return f"the judge uses another scale: {scale[0].strip()}"
    if _is_other_legend(_LEGEND.findall(said), tops):
        return "the judge explains another scale"
    return ""


def _is_other_legend(levels: list[tuple[str, str]], tops: set[int]) -> bool:
    """Whether the levels of a scale that a judge explains are not those that were asked for: another
    top, or 1 as the best.
    """
    if len({level for level, _ in levels}) < 2:
        return False
    best = any(level == "1" and _BEST.match(words) for level, words in levels)
    return best or max(int(level) for level, _ in levels) > max(tops)


def _unquoted(text: str) -> str:
    """The text without quotations inside of its texts: words that a picture shows."""
    return text if "':" in text or "' :" in text else _INNER_QUOTE.sub("“”", text)


def _in_other_words(
    reply: str, fields: Ranges, lists: Lists, readings: dict[str, Reading]
) -> dict[str, Reading]:
    """What the reply says in another spelling, where it says nothing under the fields' names."""
    if not any(
        reading.reason in _NOTHING_NAMED
        or (len(fields) > 1 and reading.reason in (_MISSING, _CONTRADICTED))
        for reading in readings.values()
    ):
        return readings
    only = next(iter(fields))
    if (
        len(fields) == 1
        and only != "score"
        and "{" in reply
        and any(
            item.value is not None and values_of(item.value, {"score": (0, 0)})
            for item in _answer(reply)[1]
        )
    ):
        # what is called the score can be about nothing else where one was asked for
        other = _read(reply, {"score": fields[only]}, {})
        return {only: other["score"]}
    plain = plainer(reply, fields)
    if plain != reply:
        readings = _read(plain, fields, lists)
    if len(fields) == 1 and only != "score" and readings[only].reason in _NOTHING_NAMED:
        readings = {only: _read(plain, {"score": fields[only]}, {})["score"]}
    given = {reading.value for reading in readings.values()}
    if len(fields) == 1 and given != {None} and scores_told(plain) - given:
        return _all(fields, "another number is called the score beside it")
    return readings


def _agreed(first: dict[str, Reading], second: dict[str, Reading]) -> dict[str, Reading]:
    """The second reading where it has a number for every field and none that differs from the
    first's; else the first one, where that has any.
    """
    known = {name: reading.value for name, reading in first.items() if reading.value is not None}
    if not known:
        return second
    if any(second[name].value not in (None, value) for name, value in known.items()):
        return _all(tuple(first), "the reply can be read in two ways")
    return second if all(reading.value is not None for reading in second.values()) else first


def _answer(reply: str) -> tuple[str | None, list[JsonPart]]:
    """The answer without thinking (None where that never ends), and the objects in it."""
    reply = _opened(reply)
    whole = decode_whole(reply.strip())
    if isinstance(whole, str):  # an object that was serialised twice
        reply, whole = whole, decode_whole(whole.strip())
    if isinstance(whole, Pairs):
        return reply, [JsonPart(0, len(reply.rstrip()), whole)]
    try:
        found = find_objects(reply)
    except Tangled:  # the thinking may be what is tangled
        text = without_thinking(reply)
        return text, find_objects(text) if text is not None else []
    # A mark of thinking inside a complete object's text is a quotation.
    spans = [(item.start, item.end) for item in found if item.value is not None and not item.mended]
    text = without_thinking(reply, spans)
    if text is None or text == reply:
        return text, found if text is not None else []
    return text, find_objects(text)


def _opened(reply: str) -> str:
    """The reply with what stands around an object that is all of it put right: quotes that are
    escaped without need, braces that are missing.
    """
    bare = reply.strip()
    if (
        bare.startswith(">")
        and len(bare) < 2 * SPOKEN
        and bare.count("\n>")
        and all(line.startswith(">") for line in bare.splitlines() if line)
    ):
        bare = reply = _QUOTED_LINE.sub("", bare)  # all of it is quoted: nothing is
    if bare.startswith('{\\"') and isinstance(decode_whole(bare.replace('\\"', '"')), Pairs):
        return bare.replace('\\"', '"')
    if _BRACELESS.match(bare) and isinstance(decode_whole(f"{{{bare}}}"), Pairs):
        return f"{{{bare}}}"
    return reply


# --- what the reply states ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Statement:
    """One place where the reply gives a field a value: `reading` is what the value is worth.

    A `weak` one is not announced as the judge's own: it counts only against others.
    """

    name: str
    start: int
    end: int
    reading: Reading
    final: bool = False
    weak: bool = False


def _statements(
    text: str, found: list[JsonPart], fields: Ranges, lists: Lists, refused: bool
) -> tuple[list[_Statement], str]:
    """All that the reply states itself, in order of the text; where it states nothing, why not."""
    names = tuple(fields)
    statements: list[_Statement] = []
    passed_over = ""
    cited = quoted = False
    prose = prose_of(_blanked(text, found), names, refused)
    for index, item in enumerate(found):
        before = text[found[index - 1].end if index else 0 : item.start]
        # the next one of a list is what the first one was
        listed = not before.strip(" ,;\t\r\n`") and not (quoted and "\n" in before)
        quoted = before.rpartition("\n")[2].lstrip().startswith(">")
        cited = (cited and index > 0 and listed) or is_cited(
            before,
            refused and bool(before.strip()),
            text[item.end : item.end + 40],
            names,
        )
        cited = cited or is_cited_heading(prose.heading_over(item.start))
        lead = before[-LEAD:]
        if item.value is None:
            statements += [] if cited else _broken_statements(text, item, fields)
            continue
        values = values_of(item.value, fields)
        if not values:
            continue
        if is_template(item.value, values):
            passed_over = passed_over or "the reply only repeats the template of an answer"
        elif cited or is_about_other(item.value):
            passed_over = "the only verdict is quoted, conditional, or about something else"
        else:
            given = _object_statements(text, item, values, fields)
            weak = is_unannounced(before, names)
            final = is_revision(lead)
            statements += [replace(statement, final=final, weak=weak) for statement in given]
    for mention in mentions(prose, fields):
        if mention.kind == "line" and mention.spoken:
            if mention.cited:
                passed_over = "the only verdict is quoted, conditional, or about something else"
            else:
                statements.append(_line_statement(mention, fields))
        elif mention.kind == "line" and not statements and not passed_over:
            passed_over = _NO_PLAIN_NUMBER
    statements += _listed_statements(prose.text, fields, lists)
    statements.sort(key=lambda statement: statement.start)
    if statements:
        statements += _second_thoughts(prose.text, mentions(prose, fields), statements, fields)
    return statements, passed_over


def _blanked(text: str, found: list[JsonPart]) -> str:
    pieces, at = [], 0
    for item in found:
        pieces += [text[at : item.start], BLANK * (item.end - item.start)]
        at = item.end
    return "".join([*pieces, text[at:]])


def _object_statements(
    text: str, item: JsonPart, values: Mapping[str, Any], fields: Ranges
) -> list[_Statement]:
    assert item.value is not None
    statements = []
    reasons = reasons_of(item.value)
    for name, value in values.items():
        low, high = fields[name]
        reading = _reading(value, low, high)
        if (
            isinstance(value, str)
            and re.search(r"[^\W\d_]{2}", value)
            and any(
                value.strip().casefold() in quoted.casefold()
                for reason in reasons
                for quoted in QUOTATION.findall(reason)
            )
        ):
            reading = _none("the value is a text that the picture shows")
        if reading.value is not None and item.mended:
            numbers = _numbers_under(text[item.start : item.end], name, high)
            if numbers - {reading.value}:
                reading = _none("an object that can be read in two ways")
        if reading.value is not None:
            rivals = set(rivals_of(item.value, name, alone=len(fields) == 1)) - {reading.value}
            if any(low <= rival <= high for rival in rivals):
                reading = _none("another key gives the field another number")
        if reading.value is not None and (
            why := told_beside(item.value, name, reading.value, fields[name])
        ):
            reading = _none(why)
        if reading.value is not None:
            claims = _claims(reasons, name, high, alone=len(fields) == 1)
            if claims and low <= claims[-1] <= high and claims[-1] != reading.value:
                reading = _none(f"the judge's own reason says {claims[-1]}")
        statements.append(_Statement(name=name, start=item.start, end=item.end, reading=reading))
    return statements


def _claims(reasons: Sequence[str], name: str, high: int, *, alone: bool) -> list[int]:
    """The numbers that the reasons say the score is, in order; `alone` where it is the only one."""
    claims: list[int] = []
    for reason in map(unquoted, reasons):
        claims += claims_in(reason, (name,), generic=alone)
        claims += [*fractions_in(reason, high), *short_corrections(reason)] if alone else []
    return claims


def _broken_statements(text: str, item: JsonPart, fields: Ranges) -> list[_Statement]:
    """A broken object gives no score; that it names a field can contradict another verdict."""
    span = text[item.start : min(item.end, item.start + MAX_REASON)]
    why = "the object is broken" if item.closed else "the verdict is cut off"
    statements = []
    for name, (_, high) in fields.items():
        for number in _numbers_under(span, name, high):
            reading = Reading(None, Status.UNPARSABLE, f"{why}: {name} {number}")
            statements.append(
                _Statement(name=name, start=item.start, end=item.end, reading=reading)
            )
    return statements


def _numbers_under(span: str, name: str, high: int) -> set[int | None]:
    """The numbers that stand behind the field's name as a key, anywhere in an object's text.

    None stands for what is no integer.
    """
    words = r"[ _\-]?".join(re.escape(part) for part in re.split(r"[\s_\-]+", name) if part)
    pattern = (
        rf"(?<!\w){words}\\?[\"'”’]?\s{{0,20}}+[:：]\s{{0,20}}+\\?[\"'“]?"
        r"(-?\d[\d.]{0,12}+(?:\s?/\s?\d+)?)(?=\s{0,9}(?:[\"'”\\,}\]\n]|\Z))"
    )
    return {
        read_text(number.rstrip("."), high) for number in re.findall(pattern, span, re.IGNORECASE)
    }


def _listed_statements(text: str, fields: Ranges, lists: Lists) -> list[_Statement]:
    """Statements of lists that stand on a line of their own: ``score: [7, 9]``."""
    statements = []
    for key, names in lists.items():
        words = r"[ _\-]?".join(re.escape(part) for part in re.split(r"[\s_\-]+", key) if part)
        pattern = rf"^[^\w\n]{{0,9}}{words}[^\w\n:=\[]{{0,6}}[:=]\s{{0,5}}\[([^\[\]\n]{{1,99}})\]"
        for found in re.finditer(pattern, text, re.IGNORECASE | re.MULTILINE):
            numbers = found[1].split(",")
            for at, name in enumerate(names):
                reading = _none(f"a list of {len(numbers)} where {len(names)} were wanted")
                if len(numbers) == len(names):
                    reading = _reading(numbers[at], *fields[name])
                statements.append(
                    _Statement(name=name, start=found.start(), end=found.end(), reading=reading)
                )
    return statements


def _line_statement(mention: Mention, fields: Ranges) -> _Statement:
    if mention.number is None:
        reading = _none(_NOT_ONE_NUMBER)
    else:
        reading = _reading(mention.number, *fields[mention.name])
    return _Statement(
        name=mention.name,
        start=mention.start,
        end=mention.end,
        reading=reading,
        final=mention.final,
        weak=mention.weak,
    )


def _second_thoughts(
    text: str, said: Sequence[Mention], statements: Sequence[_Statement], fields: Ranges
) -> list[_Statement]:
    """Statements without a number for what is taken back behind the last verdict."""
    end = max(statement.end for statement in statements)
    given: dict[str, set[int]] = {name: set() for name in fields}
    for statement in statements:
        if statement.reading.value is not None:
            given[statement.name].add(statement.reading.value)
    doubts = []
    reading = _none(_CONTRADICTED)
    for mention in said:
        known = given[mention.name]
        later = mention.kind == "sentence" and mention.start >= end and not mention.cited
        if later and known and mention.number not in {None, *known}:
            doubts.append(
                _Statement(name=mention.name, start=len(text), end=len(text), reading=reading)
            )
    after = without_considered(without_other_lines(spoken(text[end:]), tuple(fields)))
    top = max(high for _, high in fields.values())
    every = set().union(*given.values())
    taken = is_taken_back(after, every, top)
    if not taken and len(fields) == 1:
        taken = any(
            claim not in every and claim <= top
            for claim in claims_in(after, tuple(fields), generic=True)
        )
    taken = taken or _withdrawn_beside(text, statements)
    if taken:
        doubts += [
            _Statement(name=name, start=len(text), end=len(text), reading=reading)
            for name in fields
        ]
    return doubts


def _withdrawn_beside(text: str, statements: Sequence[_Statement]) -> bool:
    """Whether the last line that gives a verdict takes it back itself: ``IF: 4. I withdraw it.``"""
    last = statements[-1]
    if text[last.end - 1 : last.end] in ("}", "]"):
        return False  # an object: what stands in it are its values
    return is_withdrawn(text[last.start : min(last.end, last.start + SPOKEN)])


def _reading(value: Any, low: int, high: int) -> Reading:
    number = read_value(value, low, high)
    return Reading(number, Status.SCORED) if isinstance(number, int) else _none(number)


# --- which statement counts -----------------------------------------------------------------------


def _decide(statements: Sequence[_Statement], fields: Ranges) -> dict[str, Reading]:
    return {name: _decided([item for item in statements if item.name == name]) for name in fields}


def _claims_top(text: str, statements: Sequence[_Statement], name: str) -> bool:
    """Whether what stands in brackets behind a line's number calls it the top of the scale."""
    return any(
        item.name == name and _TOP.search(text[item.start : min(item.end, item.start + SPOKEN)])
        for item in statements
        if item.reading.value is not None
    )


def _undoubted(
    readings: dict[str, Reading],
    text: str,
    found: list[JsonPart],
    statements: Sequence[_Statement],
    fields: Ranges,
) -> dict[str, Reading]:
    """The readings, or none of them where the judge's own words speak against one, see `doubts`."""
    last = max(statements, key=lambda statement: statement.end)
    number = readings[last.name].value
    if (
        number
        and 10 * number <= fields[last.name][1]
        and _MAY_GO_ON.search(text[-2:])
        and last.end == len(text)
    ):
        why = f"the reply ends with a {number} that may be the beginning of a greater number"
        readings = readings | {last.name: _none(why)}
    given = {reading.value for reading in readings.values() if reading.value is not None}
    if not given:
        return readings
    if (odd := _at_odds(readings, text, statements, fields)) is not None:
        return odd
    spans = {(item.start, item.end) for item in statements if item.reading.value is not None}
    reasons: list[str] = []
    remarks: list[str] = []
    for item in found:
        if item.value is not None and (item.start, item.end) in spans:
            for texts, more in zip((reasons, remarks), words_in(item.value), strict=True):
                texts += more
    reasons += [
        _behind_number(text[item.start : item.end], item.reading.value)
        for item in statements
        if item.reading.value is not None and text[item.end - 1 : item.end] not in "}]"
    ]
    first = min(start for start, _ in spans)
    if why := _said_in_another_object(found, fields, given, first if reasons else len(text)):
        return _all(fields, why)
    prose = _blanked(text, found)
    end = max(statement.end for statement in statements)
    verdicts = Verdicts(
        given,
        low=min(low for low, _ in fields.values()),
        high=max(high for _, high in fields.values()),
    )
    if why := _voided_beside(text, statements, prose[: min(start for start, _ in spans)]):
        return _all(fields, why)
    names = tuple(fields)
    behind = without_considered(without_other_lines(spoken(prose[end:]), names))
    behind = without_scale(_without_repeats(behind, readings, fields), dict(fields))
    before, after = (without_names(part, names) for part in (prose[:end], behind))
    if is_refusal(before[:LEAD]):
        return _all(fields, "the reply declines and gives a number all the same")
    why = doubts.against(reasons, remarks, before, after, verdicts)
    if why or (why := _doubt_between(prose, statements, names, verdicts)):
        return {
            name: _none(why) if reading.value is not None else reading
            for name, reading in readings.items()
        }
    return readings


def _voided_beside(text: str, statements: Sequence[_Statement], before: str) -> str:
    """Why what stands directly behind an object, or introduces the first verdict, leaves none; or
    an empty text.
    """
    if any(_ON_CONDITION.match(text, item.end) for item in statements):
        return "the verdict holds on a condition"
    if any(_DEPICTED.match(text, item.end) for item in statements):
        return "the only verdict is a text in a picture"
    if is_introduced_as_supposed(before):
        return "the verdict is introduced as what would be"
    return ""


def _at_odds(
    readings: Mapping[str, Reading],
    text: str,
    statements: Sequence[_Statement],
    fields: Ranges,
) -> dict[str, Reading] | None:
    """What the readings of several fields come to where they speak against each other; else None."""
    if any(reading.reason == _NOT_ONE_NUMBER for reading in readings.values()):
        # lines of pairs: what one of them seems to say alone is no verdict either
        return _all(fields, _NOT_ONE_NUMBER)
    if sum(reading.reason.startswith(_DIFFER) for reading in readings.values()) > 1:
        # two whole verdicts: where they happen to agree, they are no more certain
        return _all(fields, f"{_DIFFER} in several fields")
    if _other_scale(readings, fields):
        other_scale = _none("another number lies beyond its scale: another scale was used")
        return {
            name: reading if reading.reason.startswith(OUTSIDE) else other_scale
            for name, reading in readings.items()
        }
    if any(
        reading.value not in (None, fields[name][1]) and _claims_top(text, statements, name)
        for name, reading in readings.items()
    ):
        return _all(fields, "the top of the scale is claimed beside a lower number")
    return None


def _said_in_another_object(
    found: Sequence[JsonPart], fields: Ranges, given: set[int], first: int
) -> str:
    """What an object without a verdict says against the numbers `given`, or an empty text: another
    number that it calls the score, or, behind the first verdict, more reasons.
    """
    for item in found:
        if item.start > first and not item.closed:
            return "another object behind the verdict is cut off"
        if item.value is None or values_of(item.value, fields) or is_about_other(item.value):
            continue
        if len(fields) == 1 and set(rivals_of(item.value, next(iter(fields)), alone=True)) - given:
            return "another object calls another number the score"
        other = values_of(item.value, _OTHER_CODES)
        if item.start > first and not other and any(words_in(item.value)):
            return "another object adds to the reasons, without a verdict"
    return ""


_SLIP = re.compile(rf"{OUTSIDE} \S+ to \S+: (-?\d{{1,3}})\Z")


def _other_scale(readings: Mapping[str, Reading], fields: Ranges) -> bool:
    """Whether numbers beyond the scale say that the others were given on another scale, too.

    One number a single step beyond it, as a 0 on a scale from 1 to 5, is a slip: the other numbers
    are plainly on the scale, and a judge that means a scale to 10 does not stop at 6. Two such
    numbers, one further beyond (8 on a scale to 5), or one with another top (7/10) are no slip.
    """
    outside = [name for name, each in readings.items() if each.reason.startswith(OUTSIDE)]
    if len(outside) != 1:
        return bool(outside)
    low, high = fields[outside[0]]
    slip = _SLIP.fullmatch(readings[outside[0]].reason)
    return slip is None or not low - 1 <= int(slip[1]) <= high + 1


_TOTAL = re.compile(
    r"(?:^|(?<=[.;,] ))[ \t*_#>-]{0,8}(?:(?:the|my|overall|final|grand) )?(?:total|sum|overall|in total|altogether|gesamt\w*|summe|suma|somma|total général|合计|合計|总分|總分|総計|합계|итого|сумма)(?: (?:score|points|of all(?: \w+)?))?[*_]{0,3}"
    r"\s?(?:[:=–-]|is\b|)\s?[*_]{0,3}(?P<number>\d{1,3})\s?(?:(?:/|out of|of|von|sur|de)\s?(?P<top>\d{1,3}))?(?: points)?[*_.]{0,4}(?=\s|\Z)",
    re.IGNORECASE | re.MULTILINE,
)


def _without_repeats(behind: str, readings: Mapping[str, Reading], fields: Ranges) -> str:
    """What stands behind the verdicts without their total, and without what says them once more."""
    given = {name: each.value for name, each in readings.items() if each.value is not None}
    if len(given) == len(fields) > 1:
        tops = sum(high for _, high in fields.values())

        def total(found: re.Match[str]) -> str:
            right = int(found["number"]) == sum(given.values())
            return " " if right and int(found["top"] or tops) == tops else found[0]

        behind = _TOTAL.sub(total, behind)
    for name, value in given.items():
        again = (
            rf"(?:^|(?<=[.!?] ))[\W_]{{0,6}}(?:(?:so|thus|hence|overall|therefore|in (?:short|sum|total|summary|conclusion)|to (?:sum up|conclude|summari[sz]e|recap)|once (?:more|again)|recap|summary|final(?: score)?|verdict|score)[\s:,*_–-]{{1,4}}){{0,3}}"
            rf"(?-i:{re.escape(name)})[\s:=*_–-]{{1,6}}(?:is )?{value}(?:\s?/\s?{fields[name][1]})?[*_`]{{0,3}}[.!]?(?=\s|\Z)"
        )
        behind = re.sub(again, " ", behind, flags=re.IGNORECASE | re.MULTILINE)
    return behind


def _doubt_between(
    prose: str, statements: Sequence[_Statement], names: tuple[str, ...], verdicts: Verdicts
) -> str:
    """Why words between two lines that give verdicts take the first one back, or an empty text."""
    if len(statements) > MAX_STATEMENTS:
        return f"{len(statements)} verdicts, more than can be weighed"
    for first, second in itertools.pairwise(statements):
        number = first.reading.value
        if number is None or prose[first.end - 1 : first.end] == BLANK:
            continue
        between = prose[first.start + len(first.name) : second.start]
        between = between[re.search(rf"(?<!\d){number}(?!\d)|\Z", between).end() :]  # type: ignore[union-attr]
        between = without_names(without_other_lines(spoken(between), names), names)
        if why := doubts.between(between, replace(verdicts, given={number})):
            return why
    return ""


def _behind_number(line: str, number: int) -> str:
    """What a line says behind its number; nothing for a row of a table."""
    pattern = (
        rf"(?<!\d){number}(?!\d)"
        r"(?:[*_\])]{0,4}\s{0,3}\(?(?:/|out of|of)\s{0,3}[*_]{0,2}\d+)?"
    )
    value = re.search(pattern, line[:SPOKEN])
    return (
        "" if value is None or "|" in line else without_other_labels(line[value.end() : 2 * SPOKEN])
    )


def _decided(statements: Sequence[_Statement]) -> Reading:
    """The reading that the statements about one field come to."""
    if not statements:
        return _none(_MISSING)
    if all(item.weak for item in statements):
        return _none("the words before the only verdict do not say that it is one")
    last = statements[-1]
    different = {(item.reading.value, item.reading.reason) for item in statements}
    if len(different) == 1:
        return last.reading
    if last.reading.value is None and "contradicted" in last.reading.reason:
        return last.reading
    if last.final and not last.weak and len(different) == 2:
        return last.reading
    finals = [item.reading for item in statements if item.final]
    if finals and all(reading == last.reading for reading in finals) and last.final:
        return last.reading
    values = sorted({item.reading.value for item in statements if item.reading.value is not None})
    if len(values) == 1:
        return next(
            _none(f"{values[0]} stands beside another statement: {item.reading.reason}")
            for item in statements
            if item.reading.value is None
        )
    shown = " and ".join(map(str, values[:3])) or "values that are no scores"
    return _none(f"{_DIFFER}: {shown}")


# --- small things ---------------------------------------------------------------------------------


def _none(reason: str) -> Reading:
    return Reading(None, Status.UNPARSABLE, reason)


def _all(fields: Iterable[str], reason: str) -> dict[str, Reading]:
    return {name: _none(reason) for name in fields}
