"""Verdicts in other spellings, put into the one that is read: ``NAME: 4``.

`plainer` turns what stands at the beginning of a line or of a sentence, and says one field's number
beyond doubt, into such a line: long names ("Visual Consistency: 3/5"), names and score words of
other languages ("评分：4分", "Bewertung: 3 von 5"), marks of a final answer (``\\boxed{3}``),
digits of full width and in key caps, numbers in words, and sentences such as "I rate the text
accuracy 4 out of 5". Nothing is decided here: whether the line is a verdict, and whether the
words around it speak against it, is decided as for any other (see `answers`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache, partial

from editgauge.judging import forms, sayings
from editgauge.judging.languages import NUMBERS
from editgauge.judging.names import SCORE, field_called, names_of
from editgauge.judging.wording import NUMBER_WORDS

LONGEST = 20_000
"""Characters of a reply whose spelling is looked at; a longer one is read as it is."""
_I = re.IGNORECASE
_FINAL = r"(?:(?:my|the|final|overall|finale?|définitive|endgültige|gesamt|итоговая|最终|最終|综合|最後の|최종)[ -]{0,2}){0,3}"
_FINAL_BEHIND = r"(?:[ ](?:finale?|définitive|total|globale?|complessivo))?"
_OF = r"(?:/|out of|of|von|sur|de|su|из|من|van(?: de)?|ud af|z|av|auf|dari|的|üzerinden|z|trên)"
_WORDS = {**NUMBERS, **NUMBER_WORDS}
_NUMBER = rf"(?P<number>(?:10|[0-9])(?:\.0)?(?!\d)|{'|'.join(sorted(map(re.escape, _WORDS), key=len, reverse=True))})"
_TOP = rf"(?P<top>\d{{1,2}}|{'|'.join(sorted(map(re.escape, _WORDS), key=len, reverse=True))})"
_FRACTION = (
    rf"(?:\s?{_OF}\s?[*_]{{0,2}}{_TOP}(?:\s?(?:分|点|점|punkten?|points?|puntos|pontos|punti|баллов))?"
    r"|\s?(?:分|点|점|點)(?:\s?[(（](?:满分|滿分|out of |/)?\s?(?P<top2>\d{1,2})\s?(?:分|点|점|點)?\s?(?:满分|満点|만점|滿分)?[)）])?"
    r"|\s?[(（]\s?(?:满分|滿分|out of |von |sur |de |/|(?=\d{1,2}\s?(?:分|点|점)?\s?(?:满分|満点|만점)))\s?(?P<top3>\d{1,2})\s?(?:分|点|점)?\s?(?:满分|満点|만점)?[)）])?"
)
_TOLD = re.compile(rf"(?:{SCORE})[^\w\n]{{1,6}}{_NUMBER}(?![\w.,]\d|\s?[-–—]\s?\d)", _I)
_LINE = r"(?:(?<=\n)|(?<=\A))[ \t]{0,9}"
_BEGIN = rf"(?:{_LINE}|(?<=[.!?;] )(?<!\.g\. )|(?<=[。！？；]))[ \t]{{0,9}}"
_MARKS = r"[^\w\n<{(\[]{0,12}(?:\d{1,2}[.)]\s{1,3})?[*_`]{0,3}"
_SEP = r"[*_`】]{0,3}\s{0,3}(?:(?:[:：=➜→➡]\ufe0f?\s?){1,2}|->|=>|[–—-](?=\s)|\bis\b|(?<=】))[\s*_`]{0,6}"
_END = r"(?=[*_`]{0,3}\s{0,3}(?:\Z|\n|[.,;!。，；、(（|<–—-](?!\d)|because\b|since\b|with\b|and\b|as\b|for\b|due\b|weil\b|car\b|porque\b))"
_BOXED = re.compile(
    r"(?:\$\$?|\\\[|\\\()?\s{0,3}\\boxed\{\s?(?:\\text\{)?\s?(\d{1,2})(?:\s?/\s?(\d{1,2}))?\s?\}?\s?\}\s{0,3}(?:\$\$?|\\\]|\\\))?"
)
_TAGS = re.compile(r"</?(?:p|b|i|u|em|strong|span|div|li|ul|ol)>", _I)
_DOUBLE = re.compile(r"\[\[\s?([0-9]{1,2})(?:\s?/\s?(\d{1,2}))?\s?\]\]")
_BREAKS = re.compile(r"</(?:p|div|li|tr|h\d)>|<br\s?/?>", _I)


def plainer(reply: str, fields: Mapping[str, tuple[int, int]]) -> str:
    """The reply with every verdict of another spelling on a line of its own, as ``NAME: 4``."""
    if len(reply) > LONGEST:
        return reply
    text = forms.plain_marks(reply)
    text = forms.in_lines(text, fields)
    text = _TAGS.sub("", _BREAKS.sub("\n", text))
    text = _renamed(text, fields)
    single = next(iter(fields)) if len(fields) == 1 else ""
    if single:
        text = _single(text, single, fields[single][1])
    for name, (_, high) in fields.items():
        for pattern in _patterns(name, bool(single)):
            text = pattern.sub(partial(_line, name=name, high=high), text)
    return sayings.in_lines(text, fields)


def scores_told(text: str) -> set[int | None]:
    """Every number that a word of scores stands before, in any of the languages."""
    return {_value(found["number"]) for found in _TOLD.finditer(text[:LONGEST])}


def _single(text: str, name: str, high: int) -> str:
    """Forms that need no name where one number was asked for."""
    for mark in (_BOXED, _DOUBLE):
        found = mark.findall(text)
        if len(found) == 1 and (not found[0][1] or int(found[0][1]) == high):
            text = mark.sub(rf"\n{name}: \1\n", text)
    text = re.sub(
        rf"<(answer|score|rating)>\s?([0-9]{{1,2}})(?:\s?/\s?{high})?\s?</\1>",
        rf"\n{name}: \2\n",
        text,
    )
    bare = re.fullmatch(r"[\s*_`]{0,9}(\d{1,2}(?:\s?/\s?\d{1,2})?)[\s*_`.]{0,9}", text)
    return f"{name}: {bare[1]}" if bare else text


def _line(found: re.Match[str], name: str, high: int) -> str:
    groups = found.groupdict()
    top = next((groups[key] for key in ("top", "top2", "top3") if groups.get(key)), None)
    spelled = not found["number"][0].isdecimal() and found["number"].casefold() not in NUMBER_WORDS
    if (top is None and spelled) or (top is not None and _value(top) != high):
        return found[0]
    return f"\n{name}: {_value(found['number'])}"


def _value(text: str) -> int | None:
    word = text.casefold()
    return int(float(text)) if word[0].isdecimal() else _WORDS.get(word)


@lru_cache(maxsize=64)
def _patterns(name: str, single: bool) -> tuple[re.Pattern[str], ...]:
    """How a field is named, and the forms in which it is given a number."""
    own, named = names_of(name)
    code = r"(?:\s?[(（][^()（）\n]{1,30}[)）])?"
    label = (
        rf"(?:{_FINAL}{named}{code}(?:[ ](?:score|rating|grade))?(?:\s?[–—:-]\s?{named}{code})?)"
    )
    if single:
        label = rf"(?:{label}|{_FINAL}(?:{SCORE}|final(?=[*_]{{0,3}}\s?[:：]\s?[*_]{{0,3}}\d\s?/)){_FINAL_BEHIND}(?:\s?[(（]\s?(?:{own}|{named})\s?[)）]|[ ](?:for|of|pour|für|per|de)[ ](?:the[ ])?(?:{own}|{named}))?)"
    labelled = rf"{_BEGIN}{_MARKS}{label}{_SEP}{_NUMBER}{_FRACTION}{_END}"
    told = (
        rf"(?<![\w'’])i (?:would |'d )?(?:rate|give|score|assign|award) (?:it |this |the edit )?(?:an? )?(?:the )?{named}(?: score)?(?: an?| at| with| as| of)?"
        rf"(?: solid| strong| weak| clear)? {_NUMBER}(?:\s(?:out of|of)\s|\s?/\s?){_TOP}(?! (?:if|unless|had|were|only|but for)\b){_END}"
    )
    joined = (
        rf"(?<=\d) and {named} (?:at |a |with )?{_NUMBER}(?:\s(?:out of|of)\s|\s?/\s?){_TOP}{_END}"
    )
    last = rf"(?<=[.!?] )(?<!\.g\. )(?<!\.e\. ){own}(?:[ ](?:score|rating))?(?:{_SEP}|[ ]){_NUMBER}{_FRACTION}(?=\W{{0,3}}\Z)"
    here = rf"(?:{_LINE}{_MARKS}{_FINAL}{own}{code}(?:\s?[–—:-]\s?{named}{code})?|{_BEGIN}{_FINAL}{own}[ ](?:score|rating)){_SEP}{_NUMBER}{_FRACTION}{_END}"
    return tuple(re.compile(pattern, _I) for pattern in (labelled, here, last, told, joined))


_KEY = re.compile(
    r"(?P<before>[\"'|]\s{0,3}[*_]{0,2})(?P<key>[^\W\d][^\"'|:\n]{1,40}?)(?P<after>[*_]{0,2}\s{0,3}(?:[\"']\s{0,3}[:：]|\|))"
)


def _renamed(text: str, fields: Mapping[str, tuple[int, int]]) -> str:
    """The text with other names as keys of objects and in cells of tables put right."""
    names = tuple(fields)

    def rename(found: re.Match[str]) -> str:
        name = field_called(found["key"], names)
        return found[0] if name is None else f"{found['before']}{name}{found['after']}"

    return _KEY.sub(rename, text)
