"""What an object in a judge's reply says of each field: under its name, in a container, in a list.

The functions here take values out of decoded objects and turn them into integers or reasons; which
object counts is decided in `answers`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from editgauge.judging.lexicon import NUMBER_WORDS
from editgauge.judging.mentions import read_number
from editgauge.judging.names import field_called
from editgauge.judging.objects import NotANumber, Pairs, decode_whole
from editgauge.judging.wording import (
    HANDS_IN,
    REASON_KEY,
    changes_score,
    is_other_subject,
    is_placeholder,
)

_FINAL_KEY = re.compile(
    r"(?:overrid|overrul|recheck|reviewed|checked|final|revis|correct|adjust|updat|amend|reconsider)"
)
_FINAL_NUMBER = re.compile(
    r"(?:final|revised|corrected|adjusted|updated|amended|correction|override|revision|adjustment)(?:score|rating|verdict|answer|value|grade|number)?"
)
_CONTAINERS = frozenset(
    [
        "score",
        "scores",
        "result",
        "results",
        "evaluation",
        "evaluations",
        "verdict",
        "answer",
        "rating",
        "ratings",
        "output",
        "response",
        "judgement",
        "judgment",
        "judgements",
        "assessment",
        "assessments",
        "dimensions",
        "criteria",
        "metrics",
        "arguments",
        "parameters",
        "data",
        "content",
        "edited",
        "editedimage",
        "outputimage",
        "prediction",
        "predimage",
    ]
)
_HOLDS = re.compile(
    r"(?:step|part|phase|stage|section|task|turn)\d?|function(?:call)?|tool(?:calls?|use)?|args|kwargs|params|payload|json|object|body|message"
    r"|report|review|grading|grades|marks?|points|analysis|edit|edits|generatedimage|breakdown|dimension|aspects?|items?|entries|choices"
    r"|.{0,40}(?:scores?|ratings?|evaluations?|assessments?|verdicts?|results?|grades|judge?ments?)"
)
"""Keys of what can hold a field that has a name of its own."""
_OF_OTHER = re.compile(
    r"example|template|schema|properties|format|draft|initial|before|previous|prior|old|last|reference|input|original|source"
    r"|ground|truth|gt|hypothe|ideal|perfect|max|min|expected|target|other|candidate|judge|annotator|human|rater|baseline|average"
    r"|mean|median|confidence|weight|think|scratch|user|critic|version|image_?\d|threshold|range|scale|rubric|anchor|probab|logit"
    r"|(?:\A|_)refs?(?:_|\Z)|first|attempt|option|alternativ|models?\Z|if_|would|guess",
    re.IGNORECASE,
)
"""Keys of what is not the verdict."""
_FINAL_WORDS = ("final", "revised", "updated", "corrected", "adjusted")
_NAMING_KEYS = frozenset(
    [
        "dimension",
        "criterion",
        "criteria",
        "metric",
        "aspect",
        "question",
        "category",
        "name",
        "id",
        "key",
    ]
)
_STATE_KEYS = frozenset(["status", "type", "kind", "note", "label", "source", "origin", "state"])
_STATE = re.compile(
    r"\s*(?:example|draft|template|placeholder|preliminary|tentative|provisional|hypothetical|error|fail(?:ed|ure)|invalid|incomplete"
    r"|cached|copied|carried over|inherited|needs? (?:a )?(?:re)?view|unreviewed|unverified|cancell?ed|withdrawn|retracted|superseded|refused|no[ _]image|missing.{0,20}|guess(?:ed)?|mock|test|dummy)\s*",
    re.IGNORECASE,
)
_FLAG_KEYS = frozenset(
    [
        "example",
        "isexample",
        "template",
        "istemplate",
        "draft",
        "isdraft",
        "placeholder",
        "hypothetical",
        "retracted",
        "withdrawn",
        "void",
        "invalid",
        "cancelled",
        "canceled",
        "superseded",
        "error",
        "failed",
        "refused",
        "refusal",
        "guess",
        "isguess",
        "guessed",
        "imagemissing",
        "missingimage",
        "noimage",
        "blind",
        "ignore",
        "simulated",
        "mock",
        "test",
        "istest",
    ]
)
_ALARM_KEY = re.compile("warnings?|caveats?|disclaimers?|corrections?|erratum|errata|revision")
"""Keys whose text takes something away from the verdict beside it."""
_VALID_KEYS = frozenset(
    ["valid", "isvalid", "usable", "reliable", "final", "isfinal", "complete", "ok", "success"]
)
_SEEN_KEY = re.compile(
    r"(?:can)?(?:see|saw)?(?:images?|pictures?)(?:visible|received|seen|loaded|available|provided)?"
)
_WORDS_KEY = re.compile(
    "reason|rational|explan|comment|justif|summary|feedback|thought|reflection|conclusion",
    re.IGNORECASE,
)
_REMARK_KEY = re.compile(
    r"\A_?(?:(?:judges?|evaluators?|graders?|final|last|additional|further|post|late)[ _-]?)?"
    r"(?:notes?|remarks?|caveats?|warnings?|corrections?|revisions?|message|disclaimer|addendum|erratum"
    r"|errata|postscript|ps|edit|update|amendments?|adjustments?|retractions?|afterthoughts?|second[ _-]?thoughts?"
    r"|(?:self|double|sanity|cross|final|consistency|after|re)[ _-]?(?:checks?|critique|review|correction|evaluation|verification|assessment)"
    r"|verification|review|audit|critique|reconsider\w*|re[ _-]?evaluat\w+|checks?|qa|critic|todo|second[ _-]?look|hindsight|(?:on[ _])?closer[ _]look"
    r"|anmerkung|hinweis|korrektur|selbst\w+|remarque|correction|auto[ _-]?\w+|observación|nota|corrección|osservazione|correzione"
    r"|correção|observação|примечание|поправка|备注|更正|自查|自检|检查|复核|复查|说明补充|注|訂正|備考|補足|정정|비고|참고)\Z",
    re.IGNORECASE,
)
_TOOL_KEYS = frozenset(
    ["name", "function", "functionname", "tool", "toolname", "action", "recipientname"]
)
_BARE_TOOL_KEYS = frozenset(["tool", "toolname", "functionname"])
"""Keys of what is a call even without arguments; an "action" may be what an instruction asks for."""
_ARGUMENT_KEYS = frozenset(
    ["arguments", "args", "parameters", "params", "kwargs", "input", "actioninput", "toolinput"]
)
_ASKS_KEY = re.compile(
    r"images?|pictures?|photos?|imageids?|imageindex|imageurls?|zoom|zoomfactor|factor|magnification|regions?|crop|bbox|box|roi|area"
    r"|coordinates?|x\d?|y\d?|w|h|width|height|urls?|paths?|files?|filename|query|question|prompt|pixels?|tile|layer|channel"
)
"""Arguments of tools that are to look at something."""
_TEXT_KEY = re.compile(
    r"text|word|string|ocr|caption|transcri|instruct|prompt|\bread|expected|target|found|letters|title|label|quot|original|input",
    re.IGNORECASE,
)
"""Keys of what a picture or an instruction says."""
_VALUE_KEYS = ("score", "value", "rating")
_MAX_ITEMS = 100
_NUMBER = re.compile(r"(0|[1-9]\d{0,5})(?:\.0+)?\Z", re.ASCII)
_FRACTION = re.compile(
    r"(0|[1-9]\d{0,5})(?:\.0{1,20})?\s{0,20}(?:/|out of|of)\s{0,20}(\d{1,6})\Z",
    re.ASCII | re.IGNORECASE,
)
_DIGITS = re.compile(r"(?<![\w.,])\d{1,3}(?![\w.,%])")
_SPELLED = re.compile(
    rf"({'|'.join(NUMBER_WORDS)})(?:\s(?:out of|of)\s(five|ten|5|10))?", re.IGNORECASE
)
_EXPLAINED = re.compile(r"\s{0,9}\d{1,2}\s?/\s?\d{1,2}\s?[,;:.(–—-]\s?[^\d\s]")
"""A fraction with words behind it: what else they count belongs to them."""
_LABELLED = re.compile(r"\A\W{0,4}(?:score|rating|grade)\W{0,3}[:=]\s{0,3}", re.IGNORECASE)
OUTSIDE = "outside"
"""How the reason begins why a number that lies beyond the scale is none."""
_SHARE = re.compile(
    r"[\s*_]{0,9}\d{1,4}(?:\.\d{1,9})?\s?(?:%|(?:/|out of)\s?(\d{1,4})[\s*_]{0,9}\Z)"
)
"""A fraction, or a share in per cent."""
MISSING = object()
"""Stands for a field that an object does not have."""


class Contradiction:
    """Stands for a field that one object gives two values."""


def plain_name(name: str) -> str:
    """A name without regard to case, spaces, hyphens and underscores."""
    return re.sub(r"[\s_\-*`]+", "", name[:200]).casefold()


def spread(value: Pairs, lists: Mapping[str, tuple[str, ...]], depth: int = 0) -> None:
    """Give every number of a declared list its own field's name, in place."""
    keys = {plain_name(key): names for key, names in lists.items()}
    for key, item in list(value.items()) if keys else ():
        names = keys.get(plain_name(key))
        if names and isinstance(item, list):
            odd: Any = Contradiction() if key in value.contradicted else None
            if len(item) != len(names):
                odd = NotANumber(f"a list of {len(item)} where {len(names)} were wanted")
            value.update({name: odd or item[at] for at, name in enumerate(names)})
        elif isinstance(item, Pairs) and depth < 3:
            spread(item, lists, depth + 1)


def values_of(value: Pairs, fields: Mapping[str, tuple[int, int]]) -> dict[str, Any]:
    """What the object has under each field's name, at the top or in containers such as ``scores``.

    Two places that differ are a `Contradiction`, unless one of them is called final.
    """
    given: dict[str, list[tuple[Any, bool]]] = {}
    aliases = _aliases(tuple(fields))
    for name, item, final in _walk(value, aliases, False, 0):
        given.setdefault(name, []).append((item, final))
    if len(fields) == 1:  # "final": 3 can be about one field only
        for key, item in value.items():
            if isinstance(item, Pairs) and _FINAL_KEY.match(plain_name(key)):
                item = next((item[each] for each in _VALUE_KEYS if each in item), item)
            if _FINAL_NUMBER.fullmatch(plain_name(key)) and not isinstance(item, Pairs | bool):
                for told in given.values():
                    # which of two numbers is the verdict, a field's or "final", cannot be told
                    same = all(_same(item, each) for each, _ in told)
                    told.append((item if same else Contradiction(), True))
    here = {}
    for name in fields:
        if name not in given:
            continue
        items = [item for item, final in given[name] if final] or [item for item, _ in given[name]]
        same = all(_same(items[0], item) for item in items[1:])
        here[name] = items[0] if same else Contradiction()
    return here


_RIVAL = re.compile(
    r"(?:final|after|before|new|old|second|first|real|true|actual|checked|review|second|alt|strict|lenient|recheck|again|v\d|\d)"
)


_SCALE_KEY = re.compile(
    r"(?:score|scale|rating)?(?:max(?:imum)?|outof|top|scale)(?:score|value|points|rating)?"
)
_SPREAD_KEY = re.compile(
    r"(?:score|confidence)?(?:range|interval|alternatives?|bounds?|(?:lower|upper|min|max)(?:bound|limit)|low|high|candidates?|options?)(?:score)?"
)
_CHANGE_KEY = re.compile(
    r"(?:score|total)?(?:penalt(?:y|ies)|deductions?|minus|bonus|offset|correction|adjustment|delta|malus)(?:points?|score)?"
)
_SIGHT_KEY = re.compile(
    r"(?:n|num|number|count)?(?:of)?(?:images|pictures|photos)?(?:seen|received|loaded|visible|available|opened)(?:images|pictures|photos)?(?:count)?"
)


def told_beside(value: Pairs, name: str, number: int, scale: tuple[int, int]) -> str:
    """What other keys of the object say against the number of a field, or an empty text: another
    scale, other numbers that it could be, a deduction, fewer than two pictures.
    """
    low, high = scale
    own = plain_name(name)
    for key, item in list(value.items())[:_MAX_ITEMS]:
        plain = plain_name(key).removeprefix(own) or "-"
        several = item if isinstance(item, list) else [item]
        told = [each for each in several if isinstance(each, int) and not isinstance(each, bool)]
        if isinstance(item, str) and (
            ends := re.fullmatch(
                r"\s*[01]\s?(?:-|–|to|\.\.)\s?(\d{1,3})\s*|\s*/?(\d{1,3})\s*", item
            )
        ):
            told = [int(ends[1] or ends[2])]
        if not told:
            continue
        if _SCALE_KEY.fullmatch(plain) and max(told) != high:
            return f"a scale to {max(told)} is told beside it"
        if _SPREAD_KEY.fullmatch(plain) and not set(told) <= {number, low, high}:
            return f"other numbers stand beside it: {_short(item)}"
        if _CHANGE_KEY.fullmatch(plain) and any(told):
            return f"a change of it stands beside it: {_short(item)}"
        if (
            _SIGHT_KEY.fullmatch(plain)
            and re.search("image|picture|photo", plain)
            and max(told) < 2
        ):
            return "the judge had fewer than two pictures"
    return ""


_GENERIC = frozenset(
    [
        "score",
        "rating",
        "grade",
        "verdict",
        "overall",
        "overallscore",
        "overallrating",
        "points",
        "result",
        "final",
        "answer",
    ]
)


def rivals_of(value: Pairs, name: str, *, alone: bool, depth: int = 0) -> list[int]:
    """Numbers under keys that are the field's name with a word of another time or reading, such as
    ``IF_after_review``, and under its name in what the object holds; for the only field (`alone`)
    under ``score`` and its like, too.
    """
    plain = plain_name(name)
    nested = [
        rival
        for key, item in (list(value.items())[:_MAX_ITEMS] if depth < 3 else ())
        if isinstance(item, Pairs) and not _OF_OTHER.search(key[:200])
        for rival in [
            *rivals_of(item, name, alone=False, depth=depth + 1),
            *(
                each
                for inner, each in item.items()
                if plain_name(inner) == plain and type(each) is int
            ),
        ]
    ]
    return nested + [
        item
        for key, item in list(value.items())[:_MAX_ITEMS]
        if isinstance(item, int)
        and not isinstance(item, bool)
        and (
            (plain in plain_name(key) and _RIVAL.search(plain_name(key).replace(plain, "", 1)))
            or (alone and plain_name(key) in _GENERIC)
            or (plain_name(key) != plain and field_called(key, (name,)) == name)
        )
    ]


def _aliases(names: tuple[str, ...]) -> dict[str, tuple[str, bool]]:
    """Spellings of the fields' names as keys: the field, and whether the key calls it final."""
    aliases: dict[str, tuple[str, bool]] = {}
    for name in names:
        plain = plain_name(name)
        bare = plain.removesuffix("score") or plain
        for spelling in (plain, bare, f"{bare}score", f"{bare}rating"):
            aliases.setdefault(spelling, (name, False))
            for word in _FINAL_WORDS:
                aliases.setdefault(word + spelling, (name, True))
                aliases.setdefault(spelling + word, (name, True))
    return aliases | {plain_name(name): (name, False) for name in names}


def _walk(
    value: Pairs, aliases: Mapping[str, tuple[str, bool]], final: bool, depth: int
) -> Iterator[tuple[str, Any, bool]]:
    """Field, value and finality for every place in the object that gives a field."""
    named = [
        aliases[plain_name(item)][0]
        for key, item in value.items()
        if plain_name(key) in _NAMING_KEYS and isinstance(item, str) and plain_name(item) in aliases
    ]
    if _is_other_call(value):
        return
    for key, item in value.items():
        plain = plain_name(key)
        if plain in aliases:
            name, called = aliases[plain]
            if isinstance(item, Pairs):  # {"instruction": {"instruction_score": 4}}
                named_so = [key for key in item if aliases.get(plain_name(key), ("",))[0] == name]
                item = item[named_so[0]] if len(named_so) == 1 else item
            given = Contradiction() if key in value.contradicted else item
            if len(named) != 1 or plain not in _VALUE_KEYS:
                yield name, given, final or called
        elif depth < 4 and (
            _may_hold(key, plain, aliases) or (plain == "input" and "name" in value)
        ):
            for inner in _inside(item):
                if not is_about_other(inner):
                    called = _FINAL_KEY.match(plain) is not None
                    yield from _walk(inner, aliases, final or called, depth + 1)
        if len(named) == 1 and plain in _VALUE_KEYS and not isinstance(item, Pairs):
            yield named[0], Contradiction() if key in value.contradicted else item, final


def _is_other_call(value: Pairs) -> bool:
    """Whether the object calls a tool for something else than to hand in a verdict: the tool has no
    name of ratings, or its arguments say what it is to look at.
    """
    items = [(plain_name(key), item) for key, item in list(value.items())[:_MAX_ITEMS]]
    called = next((item for key, item in items if key in _TOOL_KEYS and item), None)
    given = [item for key, item in items if key in _ARGUMENT_KEYS]
    bare = any(key in _BARE_TOOL_KEYS for key, _ in items)
    if not isinstance(called, str) or not (given or bare):
        return False
    if not HANDS_IN.search(called[:100]) or _OF_OTHER.search(called[:100]):
        return True
    return any(
        _ASKS_KEY.fullmatch(plain_name(key)) is not None
        for arguments in [*given, value]
        for inner in _inside(arguments)
        for key in list(inner)[:_MAX_ITEMS]
    )


def _may_hold(key: str, plain: str, aliases: Mapping[str, tuple[str, bool]]) -> bool:
    """Whether what lies under a key can hold the verdict.

    A field that has a name of its own is looked for under more keys than what is only called the
    score.
    """
    if plain in _CONTAINERS or _FINAL_KEY.match(plain):
        return True
    own = "score" not in aliases and _HOLDS.fullmatch(plain) is not None
    return own and _OF_OTHER.search(key[:200]) is None


def _inside(item: Any) -> list[Pairs]:
    """The objects in a container: itself, those of its list, or the one that its text spells."""
    if isinstance(item, str) and item.lstrip()[:1] == "{":
        item = decode_whole(item.strip())
    if isinstance(item, Pairs):
        return [item]
    if isinstance(item, list):
        return [each for each in item[:_MAX_ITEMS] if isinstance(each, Pairs)]
    return []


def _same(first: Any, second: Any) -> bool:
    return type(first) is type(second) and bool(first == second)


def is_template(value: Pairs, values: Mapping[str, Any]) -> bool:
    """Whether the object shows the shape of an answer: a range or a type for a score, dots for a
    reason.
    """
    if any(_stands_for_value(item) for item in values.values()):
        return True
    reasons = [
        item.strip()
        for key, item in value.items()
        if isinstance(item, str) and REASON_KEY.search(key[:200])
    ]
    filled = any(
        not is_placeholder(each) for texts in words_in(value) for each in texts if each.strip()
    )
    return not filled and any(
        len(reason) > 1 and not reason.isdigit() and is_placeholder(reason) for reason in reasons
    )


def _stands_for_value(item: Any) -> bool:
    if isinstance(item, str):
        return is_placeholder(item)
    if isinstance(item, Pairs):
        shape = {"type", "minimum", "maximum", "enum", "description"} & item.keys()
        return bool(shape) and not any(isinstance(item.get(key), int) for key in _VALUE_KEYS)
    return False


def is_about_other(value: Pairs) -> bool:
    """Whether the object says itself that it is an example, an error, or about another picture."""
    for key, item in value.items():
        plain = plain_name(key)
        if item is True and plain in _FLAG_KEYS:
            return True
        told_no = item is False or (
            isinstance(item, str) and item.strip().casefold() in ("no", "false")
        )
        if told_no and plain in _VALID_KEYS:
            return True
        if item is False and len(plain) > 8 and _SEEN_KEY.fullmatch(plain):
            return True
        if not isinstance(item, str):
            continue
        if not REASON_KEY.search(key[:200]) and is_other_subject(item):
            return True
        if _ALARM_KEY.fullmatch(plain) and item.strip().casefold() not in ("", "none", "no", "-"):
            return True
        if plain in _STATE_KEYS and _STATE.fullmatch(item[:40]):
            return True
        if plain in ("error", "errormessage", "refusal") and item.strip().casefold() not in (
            "",
            "none",
            "no",
        ):
            return True
    return False


def reasons_of(value: Pairs) -> list[str]:
    """The texts of the object that explain, the first 10,000 characters of each."""
    return [
        item[:10_000]
        for key, item in list(value.items())[:_MAX_ITEMS]
        if isinstance(item, str) and REASON_KEY.search(key[:200])
    ]


def words_in(
    value: Pairs, depth: int = 0, *, remarked: bool = False
) -> tuple[list[str], list[str]]:
    """The texts of the object, and of those in it, that explain, and those that remark something
    else (all of them where the object is itself a remark, `remarked`); as many and as long as those
    of `reasons_of`.

    A remark is what its key calls so, and what speaks of changing a score under whatever key.
    """
    reasons: list[str] = []
    remarks: list[str] = []
    for key, item in list(value.items())[:_MAX_ITEMS]:
        remark = remarked or _REMARK_KEY.search(key[:200]) is not None
        for inner in item[:_MAX_ITEMS] if isinstance(item, list) else [item]:
            if isinstance(inner, Pairs) and depth < 3:
                inside = words_in(inner, depth + 1, remarked=remark)
                for texts, more in zip((reasons, remarks), inside, strict=True):
                    texts += more
            elif isinstance(inner, str) and remark:
                remarks.append(inner[:10_000])
            elif isinstance(inner, str) and _WORDS_KEY.search(key[:200]):
                reasons.append(inner[:10_000])
            elif isinstance(inner, str) and not _TEXT_KEY.search(key[:200]):
                remarks += [inner[:10_000]] if changes_score(inner[:2000]) else []
    return reasons[:_MAX_ITEMS], remarks[:_MAX_ITEMS]


def _value_inside(item: Pairs, low: int, high: int) -> int | str:
    """The number of an object that stands where a number was wanted: ``{"score": 4, "max": 5}``."""
    if is_about_other(item) or any(
        _FINAL_NUMBER.fullmatch(plain_name(key)) and type(each) is int for key, each in item.items()
    ):
        return "an object that says something else of its number"
    inner = [item[key] for key in item if plain_name(key) in _VALUE_KEYS]
    if len(inner) != 1 or item.contradicted or isinstance(inner[0], Pairs):
        return "an object where a number was wanted"
    return read_value(inner[0], low, high)


def read_value(item: Any, low: int, high: int) -> int | str:
    """One value of an object as an integer in ``[low, high]``, or the reason why it is none."""
    if isinstance(item, Pairs):
        return _value_inside(item, low, high)
    if item is MISSING:
        return "missing"
    if isinstance(item, Contradiction):
        return "given twice with different values"
    if item is None:
        return "null"
    if isinstance(item, bool | NotANumber | list):
        return f"not a number: {_short(item)}"
    if isinstance(item, str):
        number = _number_in(item, low, high)
        if number is None and (share := _SHARE.match(item)) and share[1] != str(high):
            return f"{OUTSIDE} a scale to {high}: {_short(item)}"
        if number is None:
            return f"not an integer on a scale to {high}: {_short(item)}"
        item = number
    if isinstance(item, float) and not item.is_integer() and low <= item <= high:
        return f"not an integer: {_short(item)}"
    if not low <= item <= high:
        return f"{OUTSIDE} {low} to {high}: {_short(item)}"
    return int(item)


def _number_in(text: str, low: int, high: int) -> int | None:
    number = read_text(text.strip(), high)
    if number is not None:
        return number
    if _EXPLAINED.match(text):
        return read_number(text.strip()[:300], low, high)
    number = read_number(_LABELLED.sub("", text.strip()[:300]), low, high)
    others = {int(digits) for digits in _DIGITS.findall(text)} - {number, high}
    return None if any(low <= other <= high for other in others) else number


def read_text(text: str, high: int) -> int | None:
    """A text that is one integer or a fraction of `high`, else None."""
    text = text[:60].strip("*` ")
    match = _NUMBER.match(text)
    if match:
        return int(match[1])
    if spelled := _SPELLED.fullmatch(text):
        top = spelled[2]
        if top is None or (NUMBER_WORDS.get(top.casefold()) or int(top)) == high:
            return NUMBER_WORDS[spelled[1].casefold()]
    match = _FRACTION.match(text)
    return int(match[1]) if match and int(match[2]) == high else None


def _short(item: Any) -> str:
    if isinstance(item, int) and not isinstance(item, bool) and abs(item) >= 10**12:
        return "a huge number"
    if isinstance(item, list):
        return f"a list of {len(item)}"
    text = str(item)[:60].encode("utf-8", "replace").decode()
    return text if len(text) <= 40 else text[:37] + "..."
