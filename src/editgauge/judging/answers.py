"""A judge's reply becomes integers or reasons, never a guess.

`read_answer` is strict on purpose: a number is a score only where the reply gives it under the
field's name, in a JSON object (anywhere in the text, fenced or not) or on a line of its own
(``Editing Accuracy: 7/10``). The last complete verdict wins. Whatever leaves room for two readings
ends as `Status.UNPARSABLE` with a reason, and the whole reply is kept by the caller: a second call
is cheap, a wrong number is not.

What counts as an integer: ``4``, ``4.0``, ``"4"``, ``4/5`` (``"4/5"``, ``4 out of 5``) where the
second number is the top of the scale. Not: ``4.5``, ``true``, ``null``, ``NaN``, ``04``, ``+4``,
digits of other scripts, ranges.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from editgauge.judging.objects import Found, NotANumber, Pairs, decode_whole, find_objects
from editgauge.judging.wording import (
    BLIND,
    PLACEHOLDER,
    REASON_KEY,
    REFUSAL,
    is_cited,
    without_thinking,
)
from editgauge.types import Status

MAX_REPLY = 1_000_000
"""Characters of a reply that are read; a longer one is unparsable (a verdict takes a few hundred).
"""


@dataclass(frozen=True, slots=True)
class Reading:
    """One field of a reply: an integer with `Status.SCORED`, or None with a status and the reason
    why.
    """

    value: int | None
    status: Status
    reason: str = ""


_ANY = object()
_CONTAINERS = frozenset(
    {
        "score",
        "scores",
        "result",
        "results",
        "evaluation",
        "verdict",
        "answer",
        "rating",
        "ratings",
        "output",
        "final",
        "finalscore",
        "finalscores",
        "finalverdict",
        "finalanswer",
        "response",
        "judgement",
        "judgment",
        "assessment",
    }
)
_VALUE_KEYS = ("score", "value", "rating")
_NUMBER = re.compile(r"(0|[1-9]\d{0,5})(?:\.0+)?\Z", re.ASCII)
_FRACTION = re.compile(
    r"(0|[1-9]\d{0,5})(?:\.0+)?\s*(?:/|out of|of)\s*(\d{1,6})\Z", re.ASCII | re.IGNORECASE
)


def read_answer(
    reply: str | None,
    fields: Mapping[str, tuple[int, int]],
    *,
    lists: Mapping[str, tuple[str, ...]] | None = None,
    cut_off: bool = False,
) -> dict[str, Reading]:
    """Read one integer for each field out of a judge's reply.

    ``fields`` maps a field's name to its lowest and highest value; names are compared without
    regard to case, spaces, hyphens and underscores. Returns one `Reading` for each field, in order:
    an integer inside the range with `Status.SCORED`, else None with `Status.UNPARSABLE` (or
    `Status.REFUSED` for a short text that only declines) and a reason. Never raises for any text.

    The last object that has all fields wins; without one, fields may come in several objects if
    none contradicts another. Objects quoted as an example, a template or something seen in a
    picture are passed over, and where only such an object is left the reply is unparsable. A
    verdict that is cut off, or one that a later line or a later broken object contradicts, is
    unparsable.
    """
    if reply is None or not reply.strip():
        return _all(fields, "the reply is empty")
    if cut_off:
        return _all(fields, "the reply is cut off at its token limit, before the judge was done")
    if len(reply) > MAX_REPLY:
        return _all(
            fields, f"the reply has {len(reply):,} characters; at most {MAX_REPLY:,} are read"
        )
    if BLIND.search(reply):
        return _all(fields, "the judge says that it saw no picture")
    whole = decode_whole(reply.strip())
    if isinstance(whole, str):  # an object that was serialised twice
        reply, whole = whole, decode_whole(whole.strip())
    if isinstance(whole, Pairs):
        text, found = reply, [Found(0, len(reply), whole)]
    else:
        thought = without_thinking(reply)
        if thought is None:
            return _all(fields, "the reply ends inside the judge's thinking, before any verdict")
        text, found = thought, find_objects(thought)
    for item in found:
        if item.value is not None:
            _spread(item.value, lists or {})
    readings = _from_objects(text, found, fields) or _from_lines(text, found, fields)
    if readings is not None:
        return readings
    if found:
        cut = any(not item.closed for item in found)
        return _all(
            fields,
            "the verdict is cut off" if cut else "no object holds the fields that were asked for",
        )
    if REFUSAL.search(text) and len(text) < 600:
        return {name: Reading(None, Status.REFUSED, "the reply only declines") for name in fields}
    return _all(fields, "no verdict under the names that were asked for")


def read_reason(
    reply: str | None, names: tuple[str, ...] = ("reason", "reasoning", "rationale")
) -> str:
    """The judge's explanation: the text under one of `names` in the last object that has it, else
    an empty text.
    """
    if not reply or len(reply) > MAX_REPLY:
        return ""
    wanted = {_plain(name) for name in names}
    whole = decode_whole(reply.strip())
    objects = (
        [whole]
        if isinstance(whole, Pairs)
        else [o.value for o in find_objects(without_thinking(reply) or "")]
    )
    for item in reversed(objects):
        for key, value in (item or {}).items():
            if _plain(key) in wanted:
                return value if isinstance(value, str) else str(value)
    return ""


# --- verdicts in objects ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Verdict:
    found: Found
    values: dict[str, Any]
    cited: bool


def _from_objects(
    text: str, found: list[Found], fields: Mapping[str, tuple[int, int]]
) -> dict[str, Reading] | None:
    verdicts: list[_Verdict] = []
    templates = 0
    for index, item in enumerate(found):
        if item.value is None:
            continue
        values = _values(item.value, fields)
        if not values:
            continue
        if _is_template(item.value, values):
            templates += 1
            continue
        before = text[found[index - 1].end if index else 0 : item.start]
        refused = bool(before.strip()) and REFUSAL.search(text) is not None
        cited = is_cited(before, refused, text[item.end : item.end + 40])
        if verdicts and verdicts[-1].cited and not before.strip(" ,;\t\r\n`"):
            cited = True  # the next one of a list that was introduced as such
        verdicts.append(_Verdict(item, values, cited))
    if not verdicts:
        return (
            _all(fields, "the reply only repeats the template of an answer") if templates else None
        )
    spoken = [verdict for verdict in verdicts if not verdict.cited]
    if not spoken:
        return _all(
            fields, "the only verdict is quoted as an example or as something seen, not given"
        )
    complete = [verdict for verdict in spoken if len(verdict.values) == len(fields)]
    if complete:
        chosen, last = complete[-1].values, complete[-1].found
        if len({repr(verdict.values) for verdict in complete}) > 2:
            return _all(fields, "three or more verdicts that differ")
        if _listed(text, [verdict.found for verdict in complete]) and any(
            v.values != chosen for v in complete
        ):
            return _all(fields, "a list of verdicts that differ")
    else:
        chosen, last = _merged(spoken), spoken[-1].found
    readings = {name: _read_value(chosen.get(name, _ANY), *fields[name]) for name in fields}
    return _unless_contradicted(readings, text, found, last, fields)


def _spread(value: Pairs, lists: Mapping[str, tuple[str, ...]], depth: int = 0) -> None:
    """Give every number of a declared list its own field's name, in place."""
    keys = {_plain(key): names for key, names in lists.items()}
    for key, item in list(value.items()):
        names = keys.get(_plain(key))
        if names and isinstance(item, list):
            odd: Any = _Contradiction() if key in value.contradicted else None
            if len(item) != len(names):
                odd = NotANumber(f"a list of {len(item)} where {len(names)} were wanted")
            value.update({name: odd or item[at] for at, name in enumerate(names)})
        elif isinstance(item, Pairs) and depth < 3:
            _spread(item, lists, depth + 1)


def _values(value: Pairs, fields: Mapping[str, tuple[int, int]], depth: int = 0) -> dict[str, Any]:
    """What the object has under each field's name, at the top or in a container such as
    ``scores``.
    """
    here: dict[str, Any] = {}
    names = {_plain(name): name for name in fields}
    for key, item in value.items():
        name = names.get(_plain(key))
        if name is None:
            continue
        item = _Contradiction() if key in value.contradicted else item
        here[name] = item if name not in here or _same(here[name], item) else _Contradiction()
    missing = {name: fields[name] for name in fields if name not in here}
    if missing and depth < 3:
        for key, item in value.items():
            if _plain(key) in _CONTAINERS and isinstance(item, Pairs):
                for name, inner in _values(item, missing, depth + 1).items():
                    here[name] = (
                        inner if name not in here or _same(here[name], inner) else _Contradiction()
                    )
    return here


class _Contradiction:
    """Stands for a field that one object gives two values."""


def _same(first: Any, second: Any) -> bool:
    return type(first) is type(second) and bool(first == second)


def _is_template(value: Pairs, values: Mapping[str, Any]) -> bool:
    """Whether the object shows the shape of an answer: a range or a type for a score, dots for a
    reason.
    """
    if any(_is_placeholder(item) for item in values.values()):
        return True
    reasons = [
        item.strip()
        for key, item in value.items()
        if isinstance(item, str) and REASON_KEY.search(key)
    ]
    return any(
        len(reason) > 1 and not reason.isdigit() and PLACEHOLDER.match(reason) for reason in reasons
    )


def _is_placeholder(item: Any) -> bool:
    if isinstance(item, str):
        return PLACEHOLDER.match(item.strip()) is not None
    if isinstance(item, Pairs):
        return bool(
            {"type", "minimum", "maximum", "enum", "description"} & item.keys()
        ) and not any(isinstance(item.get(key), int) for key in _VALUE_KEYS)
    return False


def _listed(text: str, found: list[Found]) -> bool:
    """Whether two neighbours are elements of one array or values of one list: nothing but a comma
    lies between.
    """
    return any(text[a.end : b.start].strip() == "," for a, b in pairwise(found))


def _merged(verdicts: list[_Verdict]) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for verdict in verdicts:
        for name, item in verdict.values.items():
            merged[name] = (
                item if name not in merged or _same(merged[name], item) else _Contradiction()
            )
    return merged


def _read_value(item: Any, low: int, high: int) -> Reading:
    """One value of an object as an integer in ``[low, high]``, or the reason why it is none."""
    if isinstance(item, Pairs):
        inner = [item[key] for key in item if _plain(key) in _VALUE_KEYS]
        if len(inner) != 1 or item.contradicted or isinstance(inner[0], Pairs):
            return _none("an object where a number was wanted")
        return _read_value(inner[0], low, high)
    if item is _ANY:
        return _none("missing")
    if isinstance(item, _Contradiction):
        return _none("given twice with different values")
    if item is None:
        return _none("null")
    if isinstance(item, bool | NotANumber | list):
        return _none(f"not a number: {_short(item)}")
    if isinstance(item, str):
        number = _read_text(item.strip(), high)
        if number is None:
            return _none(f"not an integer on a scale to {high}: {_short(item)}")
        item = number
    if isinstance(item, float):
        if not item.is_integer():
            return _none(f"not an integer: {_short(item)}")
        item = int(item)
    if not low <= item <= high:
        return _none(f"outside {low} to {high}: {_short(item)}")
    return Reading(int(item), Status.SCORED)


def _read_text(text: str, high: int) -> int | None:
    text = text.strip("*` ")
    match = _NUMBER.match(text)
    if match:
        return int(match.group(1))
    match = _FRACTION.match(text)
    return int(match.group(1)) if match and int(match.group(2)) == high else None


def _unless_contradicted(
    readings: dict[str, Reading],
    text: str,
    found: list[Found],
    last: Found,
    fields: Mapping[str, tuple[int, int]],
) -> dict[str, Reading]:
    """The readings, without those that a later line or a later broken object gives another
    value.
    """
    if not text[last.end :].strip("` \t\r\n"):
        return readings
    lines = _line_values(text, last.end, found, fields)
    prose = re.sub(r"[{].*?[}]", " ", text[last.end :], flags=re.DOTALL)
    broken = "".join(
        text[item.start : item.end]
        for item in found
        if item.value is None and item.start >= last.end
    )
    for name, reading in readings.items():
        said: set[int | None] = {value for value, _ in lines.get(name, ()) if value is not None}
        for match in re.finditer(
            rf"\b{_spelling(name)}\s*(?:[:：=]|is|was)\s*(\d+)\b", prose, re.IGNORECASE
        ):
            if not is_cited(prose[: match.start()], False):
                said.add(int(match.group(1)))
        pattern = rf"[\"'“]{_spelling(name)}[\"'”]\s*[:：]\s*[\"'“]?(-?[\d.]+)"
        said |= {
            _read_text(number, fields[name][1])
            for number in re.findall(pattern, broken, re.IGNORECASE)
        }
        if reading.value is not None and said - {reading.value}:
            readings[name] = _none("the verdict is contradicted after it was given")
    return readings


# --- verdicts on lines --------------------------------------------------------------------------


def _from_lines(
    text: str, found: list[Found], fields: Mapping[str, tuple[int, int]]
) -> dict[str, Reading] | None:
    """Verdicts such as ``Editing Accuracy: 7/10`` on lines of their own, outside of every
    object.
    """
    lines = _line_values(text, 0, found, fields)
    if not lines:
        return None
    readings = {}
    for name, (low, high) in fields.items():
        given = lines.get(name, [])
        final = [value for value, marked in given if marked] or [value for value, _ in given]
        if not final:
            readings[name] = _none("missing")
        elif len(set(final)) > 1:
            readings[name] = _none("several lines give different values")
        else:
            number = final[0]
            readings[name] = (
                _none("a line without one plain number")
                if number is None
                else _read_value(number, low, high)
            )
    return readings


def _line_values(
    text: str, start: int, found: list[Found], fields: Mapping[str, tuple[int, int]]
) -> dict[str, list[tuple[int | None, bool]]]:
    """For each field what the lines from `start` on give it: the integer or None, and whether it is
    called final.
    """
    blank = list(text)
    for item in found:
        blank[item.start : item.end] = " " * (item.end - item.start)
    rest = "".join(blank)[start:]
    refused = REFUSAL.search(text) is not None
    values: dict[str, list[tuple[int | None, bool]]] = {}
    for name, (_, high) in fields.items():
        pattern = re.compile(
            rf"^[ \t]*(?:[-*•|+]+[ \t]*|\d{{1,2}}[.)][ \t]+|#+[ \t]*)*[*_`\"“]*"
            rf"(?P<final>final[ _]|overall[ _]|my[ _])?"
            rf"{_spelling(name)}(?:[ _]score)?[*_`\"”]*[ \t]*(?:\([^()\n]{{0,60}}\))?[*_`\"”]*[ "
            rf"\t]*"
            rf"(?:[:：=|]|\bis\b)[ \t]*(?P<value>[^\n]*)$",
            re.IGNORECASE | re.MULTILINE,
        )
        for match in pattern.finditer(rest):
            if is_cited(rest[: match.start()], refused):
                continue
            number = _read_line(match.group("value"), high)
            values.setdefault(name, []).append((number, match.group("final") is not None))
    return values


def _read_line(value: str, high: int) -> int | None:
    """The one integer that a line gives after its name, or None when the line can be read in two
    ways.
    """
    value = value.strip().strip("|").lstrip("*_ ").rstrip()
    match = re.match(
        r"[*_`\"“\[(]*(?P<number>0|[1-9]\d{0,5})(?:\.0+)?[\])]?(?:\s*(?:/|\(?out "
        r"of)\s*(?P<top>\d{1,6})\)?)?"
        r"[*_`\"”\])]*(?P<rest>$|[,;.](?=\s|$).*|\s+[-–—(|].*|\s*\|.*|\s*[}\]]\s*$)",
        value,
        re.ASCII | re.IGNORECASE,
    )
    if match is None:
        return None
    rest, top = match.group("rest"), match.group("top")
    if top is not None:
        second = re.search(rf"\d\s*(?:/|out of)\s*{high}\b", rest) or re.match(
            r"\W*(?:if|would|unless|could|or|but "
            r"not|maybe|perhaps)\b",
            rest,
            re.IGNORECASE,
        )
        return int(match.group("number")) if int(top) == high and not second else None
    hedged = re.search(
        r"\d|\b(?:if|would|could|unless|except|or|maybe|perhaps|not|but|however)\b",
        rest,
        re.IGNORECASE,
    )
    return None if hedged else int(match.group("number"))


# --- small things -------------------------------------------------------------------------------


def _plain(name: str) -> str:
    return re.sub(r"[\s_\-]+", "", name).casefold()


def _spelling(name: str) -> str:
    """A pattern for a field's name with any of the separators that judges use."""
    return r"[ _\-]?".join(re.escape(part) for part in re.split(r"[\s_\-]+", name) if part)


def _short(item: Any) -> str:
    text = (
        str(item)
        if not isinstance(item, int) or isinstance(item, bool) or abs(item) < 10**12
        else "a huge number"
    )
    return text if len(text) <= 40 else text[:37] + "..."


def _none(reason: str) -> Reading:
    return Reading(None, Status.UNPARSABLE, reason)


def _all(fields: Mapping[str, tuple[int, int]], reason: str) -> dict[str, Reading]:
    return {name: _none(reason) for name in fields}
