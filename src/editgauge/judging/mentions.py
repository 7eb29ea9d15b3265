"""Where a judge's text, outside of every object, names a field, and the number that it gives there.

A *line* gives a verdict: ``Editing Accuracy: 7/10``, a list item, a heading, a row of a table, a
tag, or one of several on a line (``Q1: 5, Q2: 4``). A mention in a *sentence* never gives one; it
can only contradict. Scanning is linear: names are found by one pass, and what lies around each is
looked at in a window of `WINDOW` characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from editgauge.judging.lexicon import (
    NUMBER_WORDS,
    OF_OTHERS,
    OTHER_JUDGE,
    OTHER_TAG,
    OTHERS_ELSEWHERE,
)
from editgauge.judging.wording import (
    HANDS_IN,
    LEAD,
    is_cited,
    is_cited_heading,
    is_other_subject,
    is_unannounced,
    without_names,
    without_other_labels,
)

WINDOW = 300
"""Characters on each side of a name that are looked at."""
MAX_MENTIONS = 2_000
"""Mentions of fields in one reply; a reply with more is a loop, and is not read."""
MAX_WORDS = 20_000
"""Words of one reply that are spelled as a field is and are none ("if")."""
BLANK = "\ufffc"
"""What the characters of an object are replaced by in the prose around it."""
_SECTION = 2_000
"""Characters above a line in which the heading that it stands under is looked for."""

_SUFFIX = r"(?:[ _-]?(?:score|rating|grade|value|points)|得分|评分|分数)?"
_TAGS = re.compile(
    r"</?(?:b|i|em|strong|u|span|td|th|tr|p|br|li|code|results?|evaluation|answer|output|response|scores|rating|verdict|root|judge?ment)\b[^<>]{0,40}>",
    re.IGNORECASE,
)
_PREFIX = re.compile(
    r"[\s\-*•–—·|+#_`\"'“‘(\[<>✓✅→]*+(?:\d{1,2}[.)]\s*+|[a-z][.)]\s*+)?[\s\-*•#_`\"'“‘(\[<]*+"
    r"(?P<words>(?:(?:and|so|thus|therefore|hence|my|the|a|an|final|overall|revised|updated|corrected|adjusted"
    r"|total|dimension|criterion|metric|scores?|ratings?|verdict|answer|results?|for)\b[\s_*`\"'“:,→-]*+){0,5}+)\Z",
    re.IGNORECASE,
)
_LONG_NAME = re.compile(
    r"[\s\-*•|+#_`\"'\d.)]*+(?:[A-Za-z\u00c0-\u024f][A-Za-z\u00c0-\u024f &/'’-]{2,50}[ *_`]{1,4}|"
    rf"(?![^()]{{0,20}}(?:原|元|基准|오리지널|{OTHERS_ELSEWHERE}))"
    r"[\u0370-\uffee][\u0370-\uffee &/・-]{1,40}[ *_`]{0,4})[(（][*_`]{0,2}\Z"
)
_FINAL_WORD = re.compile(r"\b(?:final|revised|updated|corrected|adjusted)\b", re.IGNORECASE)
"""Not "overall": it does not say that the number before is replaced."""
_SEPARATOR = re.compile(
    r"[ \t]{0,200}+[*_`\"'”’)\]]{0,6}+[ \t]{0,200}+(?:[(（][^()（）\n]{0,60}+[)）]|\[\d[^\[\]\n]{0,8}\d\])?[*_`\"'”’]{0,6}+[ \t]{0,200}+"
    r"(?:(?:[,;:|–—-][ \t]{0,9}+)?[*_]{0,2}(?:score|rating|grade)[*_]{0,2}[ \t]{0,9}+(?=[:：=]))?"
    r"(?P<sep>=>|[:：=>]|\||->|[→⇒➔➜➝⟶⟹]|\.{3,}(?=[ \t]*\d)|is\b|[–—-](?=[ \t])|)[ \t]{0,200}+",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"[*_`\"“\[(]{0,6}+[ \t]?(?P<number>0|[1-9]\d{0,5})(?![\d%])(?:\.0{1,6})?(?![.,:]\d)(?:[ \t](?=[\])]))?[\])*_`\"”]{0,4}"
    r"(?:[ \t]{0,9}(?:/|\(?(?:out )?of)[ \t]{0,9}[*_`]{0,3}(?P<top>\d{1,6})(?:\.0{1,2})?(?!\.?\d)\)?)?[*_`\"”\])]{0,6}"
    r"(?:[ \t]{0,2}(?:stars?|points?|pts?|分|点|점)(?![a-z]))?"
    r"(?P<rest>\Z|[,;.!](?=\s|\Z|[^\x00-\x7f]).*|[ \t]*</.*|[-–—]\s.*|\s+[-–—].*|\s*[–—(（|:：#✅✓✔★☆<&].*|\s+(?:because|since|as|due|for|given|and)\b.*|\s*[}\]]\s*\Z|[，。；、].*)",
    re.ASCII | re.IGNORECASE | re.DOTALL,
)
_CONDITION = re.compile(
    r"[^\w<←]*(?:<-|←)|\W*(?:if(?! (?:you|one|we) (?:look|zoom|compare|inspect|enlarge)s?\b)|would|unless|could|or|but not|maybe|perhaps|possibly|assuming|provided|had|were|at (?:most|best|least)"
    rf"|minimum|maximum|max|min|hardly|scarcely|no(?=\W*\Z)|nope|never|not (?:really|quite)|placeholder|dummy|sample|not final|tentative\w*|draft|example|{OF_OTHERS})\b|\W*[=?]|\s?[(（][^()（）\n]{{0,10}}{OTHERS_ELSEWHERE}[^()（）\n]{{0,4}}[)）]",
    re.IGNORECASE,
)
_ALTERNATIVE = re.compile(
    r"(?:\b(?:or|maybe|perhaps|possibly|rather|actually|even|closer to|could be|should be|would be|might be|but|no|wait|instead"
    r"|make it|revised(?: to)?|changed? to|to)|(?<!\d)[/→~]|->)[\s*_(\",]{0,4}+(?:an? )?(\d{1,6})(?:\s*(?:/|out of)\s*(\d{1,6}))?(?![\w%]|[.,]\d)"
    r"(?!\s+(?!out\b|of\b|if\b|or\b|and\b|is\b|because\b|since\b)[^\W\d])"
    r"|\A\W{0,6}(\d{1,6})(?![\w%])(?!\s+of\s+(?:the\s+)?\w+\s+[^\W\d])(?!\s+(?!out\b|of\b|if\b|or\b|and\b|is\b|because\b|since\b|with\b|without\b|when\b|for\b|in\b|on\b|at\b|depending\b)[^\W\d])"
    r"|,\s{0,3}+(\d{1,6})\s{1,3}+(?:for|in|on)\b"
    r"|\+\s{0,3}+(\d{1,6})"
    r"|\band\s{1,3}+(\d{1,6})(?=\s{0,3}+(?:\Z|[.,;)/]))",
    re.IGNORECASE,
)
_FRACTION = re.compile(r"\d\s{0,9}(?:/|out of)\s{0,9}(\d{1,6})(?!\d)")
_OF_TOP = re.compile(r"[*_`\"“\[(]{0,6}\d{1,6}[*_`\"”\])]{0,4}\s{0,9}(?:/|out of)")
_HEADING = re.compile(
    r"^(?!\n)[ \t]{0,3}(?:#{1,6}[ \t]+(?P<marked>[^\n]{1,120})|\*\*(?P<bold>[^*\n]{1,100})\*\*:?[ \t]*"
    r"|(?P<subject>(?:[Tt]he )?(?:[Rr]eference|[Oo]riginal|[Gg]round|[Ii]nput|[Ss]ource|[Uu]nedited|[Bb]efore)[^\n:：{}|]{0,40})[ \t]*"
    r"|(?P<plain>[^\n:：{}|]{1,60}[:：])[ \t]*(?:\*\*)?)$",
    re.MULTILINE,
)
_RULE = re.compile(r"[ \t|:+-]*-[ \t|:+-]*\Z")
_SCORE_COLUMN = re.compile(r"\b(?:score|rating|value|grade|points)\b|得分|评分", re.IGNORECASE)
_OF_OTHERS_COLUMN = re.compile(
    rf"\b(?:max\w*|weight|out of|reference|ground[- ]?truth|gt|original|input|source|before|baseline|expected|target|{OTHER_JUDGE})\b|{OTHERS_ELSEWHERE}",
    re.IGNORECASE,
)
_NO_SCORE_COLUMN = re.compile(
    r"\b(?:max\w*|weight|scale|top|out of|reference|original|input)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """One place that names a field.

    `number` is the integer that it gives, or None. `spoken` says that a number stands there, though
    it may have two readings. `kind` is ``line`` or ``sentence``. `final` says that the words call it
    final or revised. `cited` says that it is an example, a condition, or about something else.
    `weak` says that the line above it does not announce it as the judge's own.
    """

    name: str
    start: int
    end: int
    kind: str
    number: int | None
    spoken: bool = False
    final: bool = False
    cited: bool = False
    weak: bool = False


@dataclass(slots=True)
class Prose:
    """A reply's text outside of its objects (which are blanks of the same length), and its
    headings.
    """

    text: str
    names: tuple[str, ...]
    headings: list[tuple[int, int, str, bool]] = field(default_factory=list)
    refused: bool = False

    def heading_over(self, position: int) -> str:
        """The heading that `position` stands under, empty where there is none near.

        A heading of Markdown holds until the next one, a line that ends in a colon until the first
        blank line after its lines.
        """
        low, high = 0, len(self.headings)
        while low < high:
            middle = (low + high) // 2
            if self.headings[middle][1] <= position:
                low = middle + 1
            else:
                high = middle
        if low == 0:
            return ""
        _, end, words, plain = self.headings[low - 1]
        if position - end > _SECTION:
            return ""
        between = self.text[end:position]
        if plain and re.search(r"\n[ \t]*\n", between.lstrip()):
            return ""
        return words


def prose_of(text: str, names: tuple[str, ...], refused: bool) -> Prose:
    """The text with its headings found."""
    prose = Prose(text, names, refused=refused)
    for found in _HEADING.finditer(text):
        words = found["marked"] or found["bold"] or found["plain"] or found["subject"]
        if found["subject"] and not is_other_subject(words):
            continue
        plain = not (found["marked"] or found["bold"])
        prose.headings.append((found.start(), found.end(), words.strip(), plain))
        if len(prose.headings) > MAX_MENTIONS:
            break
    return prose


@lru_cache(maxsize=64)
def _pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    """All names in one pattern, which begins with the class of their first letters: the search can
    then skip to one of them.
    """
    firsts, spelled = "", []
    for index, name in enumerate(names):
        parts = [part for part in re.split(r"[\s_\-]+", name) if part]
        first = _either(parts[0][0])
        firsts += first
        parts[0] = parts[0][1:]
        words = ["".join(f"[{_either(letter)}]" for letter in part) for part in parts]
        spelled.append(f"(?<=[{first}])(?P<n{index}>{'[ _-]?'.join(words)})")
    return re.compile(rf"[{firsts}](?:{'|'.join(spelled)})(?i:{_SUFFIX})(?![0-9A-Za-z])")


def _either(letter: str) -> str:
    """A letter in both cases, for a class of characters."""
    cases = {letter, letter.lower(), letter.upper()}
    return "".join(re.escape(case) for case in sorted(cases) if len(case) == 1)


def mentions(prose: Prose, fields: Mapping[str, tuple[int, int]]) -> list[Mention]:
    """Every mention of a field in order; more than `MAX_MENTIONS` raise OverflowError."""
    found: list[Mention] = []
    matches = _matches(prose)
    for index, match in enumerate(matches):
        name = prose.names[int((match.lastgroup or "n0")[1:])]
        after = matches[index + 1] if index + 1 < len(matches) else None
        mention = _mention(prose, fields, name, match, after, found[-1] if found else None)
        if mention is not None:
            found.append(mention)
    return found


def _matches(prose: Prose) -> list[re.Match[str]]:
    matches = []
    for count, match in enumerate(_pattern(prose.names).finditer(prose.text)):
        if count > MAX_WORDS:
            raise OverflowError(f"more than {MAX_WORDS:,} words that are spelled as a field")
        before = prose.text[match.start() - 1 : match.start()]
        if before.isascii() and before.isalnum():
            continue  # a part of another word
        if _is_a_word(prose, match):
            continue
        matches.append(match)
        if len(matches) > MAX_MENTIONS:
            raise OverflowError(f"more than {MAX_MENTIONS} mentions of the fields")
    return matches


def _is_a_word(prose: Prose, match: re.Match[str]) -> bool:
    """Whether "if" stands there, and not the field IF: not spelled as a name, and no colon after."""
    name = prose.names[int((match.lastgroup or "n0")[1:])]
    if not name.isupper() or match[0].startswith(name):
        return False
    return _NAMED.match(prose.text, match.end()) is None


_NAMED = re.compile(r"[*_`\"')]{0,4}[ \t]{0,3}(?:[(（][^()（）\n]{0,40}[)）])?[ \t]{0,3}[:：=|>]")


def _mention(
    prose: Prose,
    fields: Mapping[str, tuple[int, int]],
    name: str,
    match: re.Match[str],
    following: re.Match[str] | None,
    previous: Mention | None,
) -> Mention | None:
    text, (start, end) = prose.text, match.span()
    line = text.rfind("\n", max(0, start - WINDOW), start) + 1 or max(0, start - WINDOW)
    stop = text.find("\n", end, end + WINDOW)
    stop = stop if stop >= 0 else min(len(text), end + WINDOW)
    prefix = _TAGS.sub("", text[line:start].rpartition(BLANK)[2])
    if prefix.endswith("</"):
        return None  # the closing tag of <score>4</score>
    if re.search(r">\s{0,9}<\Z", prefix[-20:]):
        prefix = "<"  # a tag behind another one
    same_line = following is not None and following.start() < stop
    limit = following.start() if same_line and following is not None else stop
    kind, final = _kind(prefix, text, line, start, previous)
    tail = _TAGS.sub("", text[end:limit])
    if kind == "sentence":
        number = _claim(text[max(line, start - 40) : start], text[end:limit])
        cited = is_cited(text[max(0, start - LEAD) : start], prose.refused, names=prose.names)
        return Mention(
            name=name,
            start=start,
            end=limit,
            kind=kind,
            number=number,
            spoken=number is not None,
            cited=cited,
        )
    separator = _SEPARATOR.match(tail)
    if separator is None:  # pragma: no cover - every part of the pattern is optional
        return None
    value = tail[separator.end() :].strip().lstrip("*_` ")
    if same_line:
        value = value.rstrip(" \t,;|/&*_`-–—(").removesuffix(" and").rstrip(" ,;")
    low, high = fields[name]
    in_table = separator["sep"] == "|" or prefix.lstrip().startswith("|")
    if in_table:
        number, spoken = _from_table(prose, line, start, stop, high)
    else:
        number = read_number(value, low, high)
        spoken = number is not None or _begins_with_number(value)
        bold = _SET_OFF.fullmatch(tail.rstrip()) or (
            prefix.endswith("**") and re.fullmatch(r"\*\* \d{1,6}", tail.rstrip())
        )
        if separator["sep"] in ("", "-", "–", "—") and not (_OF_TOP.match(value) or bold):
            number, spoken = None, False
    titled = prefix.lstrip().startswith("#") and not re.search(r"\d", value)
    if titled and is_other_subject(value):
        return None
    held = _HELD.match(tail)
    told = held is not None and not re.match(
        r"(?:this|that|it)?\s?(?:is|was|means|would)\b|=", value
    )
    if held is not None and told and int(held[2]) == high and not _begins_with_number(value):
        number, spoken = int(held[1]), True
    if (titled or not value) and not same_line and not in_table:
        number, spoken = _below(prose, prefix, stop, low, high)
    cited, weak = _line_context(prose, line, prefix)
    call = _CALL.search(text[line:start]) if text.startswith("=", end) else None
    cited = (
        cited
        or (call is not None and call[1] != "dict" and HANDS_IN.search(call[1]) is None)
        or _OF_OTHER.search(separator[0]) is not None
        or _WRAPPED.search(text[line:start]) is not None
    )
    return Mention(
        name=name,
        start=start,
        end=limit,
        kind=kind,
        number=number,
        spoken=spoken,
        final=final,
        cited=cited,
        weak=weak,
    )


_HELD = re.compile(r"[*_ \t]{0,4}[(（]\s?(\d{1,6})\s?/\s?(\d{1,6})\s?[)）][*_]{0,3}[ \t]?[:：–—-]")
"""A fraction in brackets behind a name: the verdict, as long as no other number follows."""
_SET_OFF = re.compile(
    r"[*_`]{0,3}[ \t]{0,3}[–—-][ \t]{1,3}(?:`\d{1,6}`|\*\*\d{1,6}\*\*|\d{1,6}\*{2,3})[.]?"
)
"""A dash behind a name, and a number that is set off from the text and all that follows."""


def _kind(
    prefix: str, text: str, line: int, start: int, previous: Mention | None
) -> tuple[str, bool]:
    """``line`` or ``sentence``, and whether the words before the name call it final."""
    if (
        previous is not None
        and previous.kind == "line"
        and previous.end == start
        and previous.start >= line
    ):
        # nothing but punctuation lies between the number before and this name
        between = re.split(r"\d", text[previous.start : start])[-1]
        ended = between.rstrip(" \t*_`\"'([<")[-1:] in (",", ";", "|", "/", "&", "·")
        if previous.spoken and (ended or re.fullmatch(r"[\W_]*(?:and)?[\W_]*", between)):
            return "line", previous.final
    found = _PREFIX.match(prefix)
    if found is not None:
        return "line", _FINAL_WORD.search(found["words"]) is not None
    if _LONG_NAME.match(prefix):
        return "line", _FINAL_WORD.search(prefix) is not None
    if "|" in prefix and prefix.lstrip().startswith("|"):
        return "line", False
    return "sentence", False


_OF_OTHER = re.compile(
    r"[(（][^()]{0,30}\b(?:max\w*|top|(?<!non-)(?:target|goal)(?! (?:areas?|texts?|regions?))|weight|threshold|expected|required|reference|original|input|baseline|before|example|draft|run|trial|attempt|v\d|version|judge|rater|previous|earlier|old)\b[^()]{0,30}[)）]",
    re.IGNORECASE,
)
"""Brackets behind a name that say whose the number is, or what it is instead of a verdict."""
_WRAPPED = re.compile(
    rf"<{OTHER_TAG}\b[^<>]{{0,100}}>\s{{0,20}}<\Z",
    re.IGNORECASE,
)
"""The tag around a tag: what it holds is not the verdict."""
_CALL = re.compile(r"\b([A-Za-z_]\w{0,60})\((?:[^()\n]*[=,][^()\n]*|)\Z")
"""A call of a tool, up to one of its arguments."""
_SHOWING = re.compile(
    r"\b(?:shows?|reads?|says?|states?|displays?|carries|contains?)(?: (?:the|an?) (?:line|text|words?|inscription|note|label|lettering|caption|message))?\s*\Z",
    re.IGNORECASE,
)

_OWN_FINDING = re.compile(
    r"\b(?:analysis|evaluation|comparison|assessment|review)\b", re.IGNORECASE
)


def _line_context(prose: Prose, line: int, prefix: str) -> tuple[bool, bool]:
    """Whether a line is cited, and whether the one above it fails to announce it."""
    if prefix.lstrip().startswith((">", "//", "<!--")) or is_cited_heading(
        prose.heading_over(line)
    ):
        return True, False
    above = prose.text[max(0, line - LEAD) : line].rstrip("\n")
    above = above.rpartition("\n\n")[2]
    last = re.sub(r"(?:```|~~~)\w{0,12}\s*\Z", "", above).rstrip().rpartition("\n")[2]
    if _SHOWING.search(last) and not _OWN_FINDING.search(last):
        return True, False
    if last.rstrip("*_ ").endswith((":", "：")):
        lead = last + "\n"
        if is_cited(lead, prose.refused, names=prose.names):
            return True, False
        return False, is_unannounced(lead, prose.names)
    shown = re.search(r"\b(?:examples?|template)\b[^.]{0,40}\Z", last, re.IGNORECASE)
    return shown is not None, False


def _begins_with_number(value: str) -> bool:
    return (
        re.match(
            r"[\W_]{0,6}(?:(?:about|around|not|between|maybe|probably|perhaps|approximately|roughly|either|at (?:least|most))\s{1,3}){0,2}\W{0,3}\d",
            value,
            re.IGNORECASE,
        )
        is not None
    )


def read_number(value: str, low: int, high: int) -> int | None:
    """The one integer that stands at the beginning of `value`, or None when there is none or it can
    be read in two ways.

    ``7``, ``7/10``, ``**7**/10``, ``[7]``, ``7 out of 10``, with words behind it that name no other
    number: the top must be `high`. The number itself may lie outside of the range.
    """
    spelled = _SPELLED.match(value[:40])
    if spelled is not None:
        value = f"{NUMBER_WORDS[spelled[1].casefold()]}{value[spelled.end(1) :]}"
        if spelled[2]:
            value = f"{value[: spelled.start(2) - spelled.end(1) + 1]}{NUMBER_WORDS[spelled[2].casefold()]}"
    match = _NUMBER.match(value[:WINDOW])
    if match is None or _TEMPLATE_REST.match(match["rest"]) or _NEXT_LEVEL.search(match["rest"]):
        return None
    number, top, rest = int(match["number"]), match["top"], match["rest"]
    if top is not None and int(top) != high:
        return None
    if _CONDITION.match(rest):
        return None
    rest = without_other_labels(rest)
    if any(int(second) == high for second in _FRACTION.findall(rest)):
        return None
    for other in _ALTERNATIVE.finditer(rest):
        given = other[1] or next(group for group in other.groups()[2:] if group)
        counted = other[2] is None or int(other[2]) == high
        if counted and low <= int(given) <= high and int(given) != number:
            return None
    return number


_SPELLED = re.compile(
    rf"({'|'.join(NUMBER_WORDS)})(?: out of ({'|'.join(NUMBER_WORDS)}))?\W{{0,3}}\Z", re.IGNORECASE
)
"""A value that is one number in words, and nothing else."""
_TEMPLATE_REST = re.compile(
    r"[\s,;:–—-]{0,5}(?:(?:an? |your |the )?(?:short |brief )?(?:reason|rationale|explanation|justification)(?:ing)?"
    r"(?: (?:here|goes here|in one sentence))?|<[^<>]{0,60}>|\.{3}|…)\W{0,3}\Z",
    re.IGNORECASE,
)
"""Behind a number: the words of the form that was to be filled in."""
_NEXT_LEVEL = re.compile(r"[;,|]\s{0,3}(?:and )?\d{1,2}\s{0,2}(?:[=:(]|[–—-]\s|means\b|for\b|is\b)")
"""Behind a number: another one with its meaning, as in a scale."""
_OWN_LINE = re.compile(
    r"^[ \t]*[-*_ ]{0,6}(?:final )?(?:score|rating|grade)[*_]{0,2}(?: \([^()\n]{0,40}\))?[*_]{0,2}[ \t]*[:：=]"
    r"[*_]{0,2}[ \t]?(?P<value>\d{1,6}(?:\s?/\s?\d{1,6})?(?=\*\*[ \t])|[^\n]{1,200}$)",
    re.IGNORECASE | re.MULTILINE,
)


_BOLD_NUMBER = re.compile(
    r"(?:^[ \t]*|(?<=[.!?])[ \t]+)\*\*(\d{1,6}(?:\s?/\s?\d{1,6})?)\*\*(?=[ \t]|$)", re.MULTILINE
)
"""A number in bold type that begins a line, or stands behind a sentence."""


def _below(prose: Prose, prefix: str, stop: int, low: int, high: int) -> tuple[int | None, bool]:
    """The number under a heading that is the field's name: alone on the next line, or on the one
    line that says ``Score:``.
    """
    text = prose.text[stop : stop + _SECTION]
    headings = (
        found.start() for found in _HEADING.finditer(text) if re.search(r"[^\W\d]", found[0])
    )
    section = text[: next((at for at in headings if not _OWN_LINE.match(text, at)), len(text))]
    if not {"score", "rating", "grade"} & {name.casefold() for name in prose.names}:
        own = _OWN_LINE.findall(section)
        if len(own) == 1:
            return read_number(own[0].strip(), low, high), True
        if own:
            return None, True
    bold_ones = list(_BOLD_NUMBER.finditer(section)) if prefix.lstrip().startswith("#") else []
    if len(bold_ones) == 1 and len(section) < _SECTION:
        rest = section[bold_ones[0].end() :].partition("\n")[0]
        doubted = _CONDITION.match(rest.lstrip(" –—:,-(")) is not None
        return None if doubted else read_number(bold_ones[0][1], low, high), True
    first = section.strip().partition("\n")[0].strip()
    alone = re.fullmatch(r"[\W_]{0,6}\d{1,6}(?:[*_]{0,2}\s?/\s?\d{1,6})?[\W_]{0,6}", first)
    told = re.fullmatch(
        r"(?:[*_]{0,2}\d{1,6}[*_]{0,2}\s?/\s?\d{1,6}[*_]{0,2}|[*_]{2}\d{1,6}[*_]{2})\s?[.,;:–—-]\s.*",
        first,
    )
    if told and prefix.lstrip().startswith("#"):
        return read_number(first, low, high), True
    if alone and (prefix.lstrip().startswith("#") or "/" in first):
        return read_number(first, low, high), True
    return None, False


def _from_table(
    prose: Prose, line: int, start: int, stop: int, high: int
) -> tuple[int | None, bool]:
    """The number in the row (or under the column) of the name, and whether a number stands there."""
    text = prose.text
    row = _cells(text[line:stop])
    column = text[line:start].count("|") - (1 if text[line:stop].lstrip().startswith("|") else 0)
    below = text[stop + 1 : stop + WINDOW].split("\n")
    if below and "-" in below[0] and "|" in below[0] and _RULE.match(below[0]):
        rows = []
        for under in below[1:]:
            if "|" not in under:
                break
            rows.append(_cells(under))
        cells = [cells[column] for cells in rows if column < len(cells)]
    else:
        header = _header_over(text, line)
        cells = [row[at] for at in _score_columns(header, len(row)) if at != column] or [
            cell
            for at, cell in enumerate(row)
            if at != column and _begins_with_number(cell) and not _is_of_other(header, at)
        ]
    numbers = [read_number(cell, 0, high) for cell in cells]
    spoken = any(_begins_with_number(cell) for cell in cells)
    return (numbers[0], True) if len(numbers) == 1 and numbers[0] is not None else (None, spoken)


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().strip("|").split("|")][:50]


def _header_over(text: str, line: int) -> list[str]:
    """The cells of the first row of the table above `line`; none where there is no table."""
    above = text[max(0, line - _SECTION) : line].split("\n")[:-1]
    header: list[str] = []
    for row in reversed(above):
        if "|" not in row:
            break
        header = _cells(row)
    return header if len(header) > 1 else []


def _is_of_other(header: list[str], at: int) -> bool:
    """Whether a column is headed by another picture, or another judge."""
    return at < len(header) and _OF_OTHERS_COLUMN.search(header[at]) is not None


def _score_columns(header: list[str], width: int) -> list[int]:
    """Columns of a table whose heading says that they hold scores."""
    return [
        at
        for at, cell in enumerate(header[:width])
        if _SCORE_COLUMN.search(cell) and not _NO_SCORE_COLUMN.search(re.sub(r"\(.*?\)", "", cell))
    ]


_LINKS = frozenset(
    [
        "is",
        "was",
        "at",
        "to",
        "of",
        "be",
        "a",
        "an",
        "now",
        "should",
        "really",
        "actually",
        "rather",
        "more",
        "like",
        "deserves",
        "deserve",
        "gets",
        "get",
        "becomes",
        "down",
        "up",
        "must",
        "goes",
        "as",
        "lowered",
        "raised",
        "reduced",
        "changed",
        "corrected",
        "revised",
        "me",
        "not",
        "have",
        "been",
        "score",
        "rating",
        "value",
        "equals",
        "the",
        "final",
        "by",
        "drops",
        "rises",
        "falls",
        "remains",
        "stays",
        "=",
        ":",
        "-",
        "–",
        "—",
        "→",
    ]
)


_BEHIND_NUMBERS = (
    "out of if or and is was because since instead rather at as for on in after to not but "
    "overall points point given due only here now then than though although while with "
    "without so "
)
_AFTER_NUMBER = frozenset(_BEHIND_NUMBERS.split())
"""Words behind a number that it does not count."""


def _claim(before: str, after: str) -> int | None:
    """The number that a sentence gives to the field that it names: ``IF should be 2``, ``a 2 for
    IF``.
    """
    lead = re.search(
        r"(\d{1,6})(?:\s?/\s?\d{1,6})?\s{1,3}(?:for|on|in|as)\s{1,3}(?:the\s)?[*_`\"']{0,3}\Z",
        before,
    )
    number: int | None = int(lead[1]) if lead else None
    words = iter(re.findall(r"\d+(?:[.,]\d+)+\w*|[\w'’]+|[^\w\s]", after[:80]))
    for word in words:
        plain = word.casefold()
        if plain in NUMBER_WORDS or (plain.isdecimal() and plain.isascii()):
            given = NUMBER_WORDS[plain] if plain in NUMBER_WORDS else int(plain[:7])
            following = next(words, "").casefold()
            after_that = next(words, "").casefold()
            if following in "-–—" and after_that.isdecimal():
                break  # "1-2 px"
            if following == "of" and after_that in ("the", "these", "those", "its", "all", "them"):
                break  # "one of the labels"
            if not following.isalpha() or following in _AFTER_NUMBER:
                number = given
            break
        if plain == "from":
            next(words, None)
        elif plain not in _LINKS and plain not in "*_`\"'()":
            break
    return number


def claims_in(text: str, names: tuple[str, ...], generic: bool) -> Iterator[int]:
    """Numbers that a text says the score is, for a field named in it or (`generic`) for *the*
    score.
    """
    prose = Prose(text, names)
    for match in _matches(prose):
        number = _claim(text[max(0, match.start() - 40) : match.start()], text[match.end() :])
        if number is not None and not _hedged(text, match.start(), match.end(), names):
            yield number
    if generic:
        for found in _GENERIC.finditer(text):
            if not _hedged(text, found.start(), found.end(), names):
                yield int(found[1])


_GENERIC = re.compile(
    r"(?:\b(?:final|overall|my|the|this|correct|actual|right) (?:final |overall )?(?:score|rating|verdict|grade)"
    r"(?: (?:for this \w+ )?(?:is|should be|must be|would be|becomes|=)|:)"
    r"|\b(?:this|it)(?:['’]s| is) (?:only |just |at best )?an?(?: \w{1,12})?"
    r"|\b(?:score|rating)(?=\s\d\s?[:.])"
    r"|\b(?:score|rating|grade|verdict)\s?[:=]|\b(?:should(?: have)?|ought to(?: have)?) be(?:en)?(?: an?)?"
    r"|\bi (?:would )?(?:give|gave|assign|rate|score)(?: (?:it|this|the edit|this edit))?(?: (?:a|an|with|at))?(?: score of)?"
    r"|\b(?:so|therefore|hence|thus),? (?:it(?:'s| is) )?an?)[\s*_]{1,3}(\d{1,2})(?![\w%]|[.,]\d)"
    r"(?!\s+(?!out\b|of\b|if\b|or\b|and\b|because\b|since\b|overall\b|points?\b)[^\W\d])",
    re.IGNORECASE,
)


def _hedged(text: str, start: int, end: int, names: tuple[str, ...]) -> bool:
    sentence = re.split(r"(?<=[.!?])\s", text[max(0, start - LEAD) : end])[-1]
    sentence = re.sub(r"\b[Ii] would\b", "I", without_names(sentence, names))
    if re.match(r"\W*(?:were|had|should)\b", sentence, re.IGNORECASE):
        return True
    after = text[end : end + 30]
    return (
        re.search(
            r"\b(?:if|would|could|might|unless|not|never|examples?|reference|original|maximum|at first|initially|first|for a|reserved|says?|reads?)\b",
            sentence,
            re.IGNORECASE,
        )
        is not None
        or re.match(r"[^.]{0,20}\b(?:if|would|had)\b", after, re.IGNORECASE) is not None
    )
