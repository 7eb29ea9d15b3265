"""What a reply says of each number, wherever it says it: in objects, in lines, as a number alone.

A reply that breaks the form is read where it is **complete** (it says every number) and
**unambiguous** (it says nothing else of any of them). So a sentence behind the object, ``"4/5"``
for 4, a wrapped, broken or repeated object, other keys beside the wanted ones and lines in place of
an object are read. Two verdicts that differ, a range, a fraction, a correction behind the verdict
and an object that does not end are not: only the judge knows what it meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from editgauge.judging.protocol import Call, Range
from editgauge.judging.relaxed import Members
from editgauge.judging.scores import Number, number_in

_GENERIC = ("score", "rating", "grade", "finalscore", "finalrating", "overallscore")
"""Keys of a number in a call that asks for one number alone."""
_INNER = (*_GENERIC, "value", "points")
"""Keys of a number inside an object that stands for one number: ``"IF": {"score": 4}``."""
_WORDY = re.compile(
    r"reason|rational|expla|comment|justif|analys|feedback|descri|summary|thought|note|evidence"
)
"""Keys of texts, and of objects of texts, which hold no verdict."""
_EXAMPLE = re.compile(
    r"\b(?:examples?|e\.g\.|for instance|template|placeholder|sample (?:output|answer|reply))\b",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"\s*(?:\.{2,}|…|<[^<>]*>|\[[^\[\]]*\]|str(?:ing)?|text|(?:your|a|the|short|brief)\b.{0,60}"
    r"(?:reason|rationale|explanation|text)\b.{0,40}|reason|rationale|explanation)\s*",
    re.IGNORECASE,
)
_TAKEN_BACK = re.compile(
    r"\b(?:correction|on (?:closer|further|second) (?:inspection|look|thoughts?)|on reflection"
    r"|reconsider(?:ed|ing)?|scratch that|my mistake|i made (?:a mistake|an error)|actually"
    r"|wait\b|hold on"
    r"|i (?:would |will |should |must |have to )?(?:revise|change|correct|lower|raise)"
    r"|let me (?:revise|change|correct|re)|changed? my|ignore (?:the|that|my)|not final"
    r"|revised? to"
    r"|revised (?:score|rating|verdict|answer|json))",
    re.IGNORECASE,
)
"""Behind the object: the judge takes its verdict back, whatever it says then."""
_SAID_ANEW = re.compile(
    r"\b(?:scor\w{0,3}|rating|verdict|grade[sd]?|rate[sd]?|giv\w{1,3}|gave|deserv\w{1,3}"
    r"|award\w{0,3}"
    r"|assign\w{0,3}|downgrad\w{1,3}|upgrad\w{1,3}|lower\w{0,3}|rais\w{1,3}|reduc\w{1,3}|increas\w{1,3}"
    r"|mak\w{1,3}|chang\w{1,3}|should|would|instead|rather)\W{1,4}"
    r"(?:(?:it|this|that|the|edit|a|an|to|be|of|is|was|score|rating|as|only|now|more like)"
    r"\W{1,4}){0,5}"
    r"(\d{1,4}(?:\.\d+)?)(?!\d|\s*of\b)"
    r"|(?:^|[:=>])[^\w\n]{0,4}(\d{1,4}(?:\.\d+)?)[^\w\n]{0,4}$",
    re.IGNORECASE | re.MULTILINE,
)
"""Behind the object: a number that is said to be the score, or that ends a line by itself."""
_MOST_TIMES = 500
"""A number is named so often at most: a reply that does it more often is no verdict."""
_BOXED = re.compile(r"\\boxed\s*\{\s*(?:\\text\s*\{)?\s*([^{}]{1,20})\}{1,2}")
_PAGE = re.compile(r"\s*<(?:!doctype|html|\?xml)", re.IGNORECASE)


class Part(NamedTuple):
    """One outermost object of a reply, and where it stands."""

    members: Members
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Answer:
    """A reply behind its thinking: from `begin` on. `broken`: where objects begin that cannot be
    read.
    """

    text: str
    begin: int = 0
    parts: Sequence[Part] = ()
    broken: Sequence[int] = ()


@dataclass(slots=True)
class Said:
    """The numbers that a reply says, each time it does, and its words and answers beside them."""

    numbers: dict[str, list[Number]] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)
    seen: bool | None = None
    """Its answer to whether it sees the pictures; None: it does not say."""

    def add(self, name: str, number: Number | None) -> None:
        if number is not None:
            self.numbers.setdefault(name, []).append(number)

    def join(self, other: Said) -> None:
        for name, numbers in other.numbers.items():
            self.numbers.setdefault(name, []).extend(numbers)
        self.words += other.words
        self.seen = other.seen if self.seen is None else self.seen


def verdict_of(call: Call, answer: Answer) -> tuple[dict[str, int], Said]:
    """The one verdict of a reply. Raises `ValueError` with the reason where there is none, or more
    than one.
    """
    if _PAGE.match(answer.text, answer.begin):
        raise ValueError("it is a page, no reply")
    fields = call.fields
    parts = [(part, _said_by(call, part.members)) for part in answer.parts]
    parts = [(part, said) for part, said in parts if said.numbers]
    whole = _together(parts)
    if _contradiction(whole):
        parts = [(part, said) for part, said in parts if not _is_example(answer, part, said)]
        whole = _together(parts)
    if not parts:
        if answer.broken:
            raise ValueError("an object begins that cannot be read")
        whole = _in_words(fields, answer.text[answer.begin :])
    missing = [name for name in fields if name not in whole.numbers]
    if missing:
        raise ValueError(f"it says no {missing[0]}")
    if unclear := _contradiction(whole):
        raise ValueError(unclear)
    values = {name: numbers[0].value for name, numbers in whole.numbers.items()}
    verdict = {name: value for name, value in values.items() if value is not None}
    if parts:
        _check_the_rest(fields, answer, [part for part, _ in parts], verdict)
    return verdict, whole


def _together(parts: Sequence[tuple[Part, Said]]) -> Said:
    whole = Said()
    for _, said in parts:
        whole.join(said)
    return whole


def _contradiction(said: Said) -> str:
    """Why the numbers are no verdict, "" where they are one."""
    for name, numbers in said.numbers.items():
        for number in numbers:
            if number.value is None:
                return f"{name}: wanted one whole number on the scale, found {number.words!r}"
        if len({number.value for number in numbers}) > 1:
            found = " and ".join(sorted({str(number.value) for number in numbers}))
            return f"{name}: says {found}, and not which one counts"
    return ""


# -- objects ---------------------------------------------------------------------------------------


def _plain(name: str) -> str:
    """A name without case, blanks and signs."""
    return re.sub(r"[\W_]+", "", name).casefold()


@lru_cache(maxsize=256)
def _keys(names: tuple[str, ...]) -> dict[str, str]:
    """The keys under which each number may stand, in plain form -> its name."""
    keys: dict[str, str] = {}
    for name in names:
        plain = _plain(name)
        keys[plain] = name
        keys.setdefault(plain.removesuffix("score") or plain, name)
        keys.setdefault(f"{plain}score", name)
        keys.setdefault(f"{plain}rating", name)
    if len(names) == 1:
        for generic in _GENERIC:
            keys.setdefault(generic, names[0])
    return keys


def _said_by(call: Call, members: Members) -> Said:
    """All that one object says, inner objects included."""
    said = Said()
    _walk(call, members, "", said)
    return said


def _walk(call: Call, members: Members, context: str, said: Said) -> None:
    """Collect from an object; `context` is the number that it stands for, if one."""
    keys = _keys(tuple(call.fields))
    for _, value in members:
        named = keys.get(_plain(value)) if isinstance(value, str) and len(value) < 60 else None
        context = context or named or ""  # {"dimension": "IF", "score": 4}
    for key, value in members:
        plain = _plain(key)
        name = keys.get(plain, "")
        if plain == "picturesvisible":
            said.seen = _yes_or_no(value)
        elif name or (context and plain in _INNER):
            _take(call, name or context, value, said)
        elif _WORDY.search(plain) or call.reply.get(key) in (str, object):
            _take_words(call, value, said)
        else:
            _enter(call, value, context, said)


def _enter(call: Call, value: Any, context: str, said: Said) -> None:
    if isinstance(value, Members):
        _walk(call, value, context, said)
    elif isinstance(value, list):
        for one in value:
            _enter(call, one, context, said)


def _take(call: Call, name: str, value: Any, said: Said) -> None:
    """The value under the key of a number."""
    scale = call.fields[name]
    if isinstance(value, Members):
        _walk(call, value, name, said)
    elif isinstance(value, list):
        if len(value) == 1:
            _take(call, name, value[0], said)
        else:
            said.add(name, Number(None, str(value)[:60]) if value else None)
    elif isinstance(value, str):
        said.add(name, number_in(value, scale, alone=True))
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        is_on_scale = scale.low <= value <= scale.high and float(value).is_integer()
        said.add(name, Number(int(value) if is_on_scale else None, str(value)[:60]))


def _take_words(call: Call, value: Any, said: Said) -> None:
    """The texts under the key of a reason, those of inner objects with their keys."""
    if isinstance(value, str):
        said.words.append(value)
    elif isinstance(value, Members):
        for key, inner in value:
            if isinstance(inner, str):
                said.words.append(f"{key}: {inner}")
            else:
                _take_words(call, inner, said)
    elif isinstance(value, list):
        for inner in value:
            _take_words(call, inner, said)


def _yes_or_no(value: Any) -> bool | None:
    if isinstance(value, str):
        return {"true": True, "yes": True, "false": False, "no": False}.get(value.strip().lower())
    return value if isinstance(value, bool) else None


def _is_example(answer: Answer, part: Part, said: Said) -> bool:
    """Whether an object only shows the form: the words before it say so, or its reasons are
    placeholders.
    """
    before = answer.text[max(answer.begin, part.start - 100) : part.start]
    sentence = re.split(r"[.!?]\s|\n\s*\n", before.rstrip(" \n`*:"))[-1]
    if _EXAMPLE.search(sentence):
        return True
    return bool(said.words) and all(_PLACEHOLDER.fullmatch(one) for one in said.words)


# -- words -----------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def _label(name: str) -> re.Pattern[str]:
    """The name of a number in a line, and what stands between it and the number."""
    words = [re.escape(word) for word in re.split(r"[\W_]+", name) if word]
    if len(words) > 1 and words[-1].casefold() == "score":
        pattern = r"[\s_-]{1,2}".join(words[:-1])
    else:
        pattern = r"[\s_-]{1,2}".join(words)
    flags = re.IGNORECASE if len(name) > 3 else re.NOFLAG
    return re.compile(
        rf"(?<![\w-]){pattern}(?:[\s_-](?i:score|rating))?(?:\s{{0,2}}\([^()\n]{{1,40}}\))?"
        rf"[\"'”*_`\]]{{0,6}}\s{{0,4}}(?:[:：=|–—]|-(?=\s))\s{{0,4}}[*_`]{{0,4}}",
        flags,
    )


_GENERIC_LINE = re.compile(
    r"^[\s>#*_`\"'\[-]{0,8}(?:final |overall )?(?:score|rating|grade)[\"'*_`\]]{0,6}\s{0,4}[:：=]"
    r"\s{0,4}[*_`]{0,4}",
    re.IGNORECASE | re.MULTILINE,
)


def _labelled(fields: Mapping[str, Range], text: str) -> Iterator[tuple[str, Number]]:
    """Every number that stands behind its name in a text."""
    for name, scale in fields.items():
        labels = [_label(name)]
        if len(fields) == 1:
            labels.append(_GENERIC_LINE)
        for label in labels:
            for count, match in enumerate(label.finditer(text), start=1):
                if count > _MOST_TIMES:
                    raise ValueError(f"{name}: it is named more than {_MOST_TIMES} times")
                found = number_in(text[match.end() : match.end() + 1000], scale)
                if found is not None:
                    yield name, found


def _in_words(fields: Mapping[str, Range], text: str) -> Said:
    """What a reply without any object says: lines with names, or one number and nothing else."""
    said = Said()
    text = _BOXED.sub(r"\1", text)
    for name, number in _labelled(fields, text):
        said.add(name, number)
    if not said.numbers and len(fields) == 1:
        ((name, scale),) = fields.items()
        bare = text.strip().strip("*_`\"'#$ .")
        if len(bare) <= 20:
            said.add(name, number_in(bare, scale, alone=True))
    return said


def _check_the_rest(
    fields: Mapping[str, Range],
    answer: Answer,
    parts: Sequence[Part],
    verdict: Mapping[str, int],
) -> None:
    """Raise `ValueError` where the text around the objects says another verdict than they do."""
    position = answer.begin
    pieces: list[str] = []
    for part in answer.parts:
        pieces.append(answer.text[position : part.start])
        position = part.end
    behind = answer.text[max(part.end for part in parts) :]
    for piece in (*pieces, answer.text[position:]):
        for name, number in _labelled(fields, piece):
            if number.value != verdict[name]:
                raise ValueError(
                    f"{name}: the object says {verdict[name]}, a line {number.words!r}"
                )
    if match := _TAKEN_BACK.search(behind):
        raise ValueError(f"the verdict is taken back behind the object: {match[0]!r}")
    values = {float(value) for value in verdict.values()}
    for match in _SAID_ANEW.finditer(behind):
        if float(match[1] or match[2]) not in values:
            raise ValueError(f"another number is said behind the object: {match[0]!r}")
    high = max(scale.high for scale in fields.values())
    for other in re.findall(rf"(\d{{1,4}}(?:\.\d+)?)\s*(?:/|out of)\s*{high}\b", behind):
        if float(other) not in values:
            raise ValueError(f"another number is said behind the object: {other}")
