"""Instructions in ordinary sentences: what is said before and after the command, texts without
quotation marks, and targets that are described (see `phrases`).

An instruction is cut into its sentences and parts. Each is a command, the reason for one (whose
subject "it" may then mean), an amount, or what is to stay; one that is neither makes the whole
instruction not understood. Within a command every word has to be accounted for.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from editgauge.editors.typeset.colours import COLOUR, shade
from editgauge.editors.typeset.grammar import (
    MANNER_VERBS,
    MANNERS,
    MAX_COMMAND,
    Operation,
    Target,
    cut_quotes,
    read_operations,
)
from editgauge.editors.typeset.phrases import PLAIN_KINDS, SIDE_WORDS, SIDES, describe
from editgauge.editors.typeset.wording import imperative

MAX_SENTENCE = 600
"""Characters of an instruction that is read as ordinary sentences."""


def read_request(instruction: str) -> tuple[Operation, ...]:
    """The operations that an instruction asks for; empty where it is not understood, or not all of
    it is.

    The commands of `grammar` come first. Where they take a text by its role alone, the stricter
    reading of the same sentence is preferred: it has looked at every word.
    """
    plainly = read_operations(instruction)
    by_words = all(t.text is not None for o in plainly for t in o.targets)
    if (plainly and by_words) or len(instruction) > MAX_SENTENCE:
        return plainly
    stricter = _sentences(instruction)
    guessed = any(t.description and t.description.words for o in stricter for t in o.targets)
    return plainly if plainly and guessed else stricter or plainly


_REASONED = {
    "a translation": (
        r"\btranslat|\b(?:in|into) (?:english|french|german|spanish|italian|chinese|japanese)\b"
    ),
    "a calculation": (
        r"\b(?:sum|total|calculate|compute|convert|half of (?:this|it)|serves|double the|add up|"
        r"per ?cent off|% off|discount|adjust|accordingly|follows from|minutes late|hours? later|"
        r"average|difference)\b"
    ),
    "knowledge of the language": (
        r"\b(?:correct|fix)\b.*\b(?:spelling|typos?|mistakes?|errors?|grammar)\b|\bsynonym|"
        r"\b(?:rephrase|reword|shorten|summari[sz]e|opposite)\b"
    ),
}
"""What an instruction may need that a grammar does not have."""


def why_not(instruction: str) -> str:
    """Why an instruction is not understood, in words for the record."""
    if len(instruction) > MAX_COMMAND:
        return (
            f"the instruction has {len(instruction):,} characters, at most {MAX_COMMAND:,} are read"
        )
    low = instruction.lower()
    needs = [name for name, pattern in _REASONED.items() if re.search(pattern, low)]
    if needs:
        return f"instruction not understood (it seems to need {needs[0]})"
    return "instruction not understood"


# --- the parts of an instruction ----------------------------------------------------------------

_VERBS = (
    r"(?:delete|remove|erase|add|insert|append|replace|change|move|shift|relocate|rotate|tilt|swap|"
    r"exchange|enlarge|shrink|reduce|increase|decrease|scale|resize|recolou?r|turn|make(?! sure\b)|"
    r"underline|write|put|place|substitute|set|modify|update|paint|wipe|scrub|drop|double|halve|"
    r"take|give|show|bring|get rid|let|print|colou?r|cross out|strike|capitali[sz]e|bold|"
    r"italici[sz]e|push|slide|blow|cut|rewrite|correct|switch|have|render|display|dye)"
)
_CUT = re.compile(
    rf"(?:[.;:!?]+|\s[-–—])\s+|"
    r",? (?:so(?! (?:that|it|there|as)\b)|therefore|thus|and then|then|but) (?:please )?(?=\w)|"
    rf",? and (?=(?:please )?{_VERBS} )|, (?=(?:please )?{_VERBS} )|"
    r",? (?=(?:keep|leav|without chang|but (?:keep|leave|do not|don't))\w*\b)|"
    r", (?=the (?:[\w-]+ ){1,3}(?:as (?:it|they) (?:is|are)|unchanged|stays?))"
)
_KEPT = re.compile(
    r"^(?:and |but |please )*(?:keep|keeping|leave|leaving|do not|don't|dont|without|nothing else|"
    r"no other|everything else|all (?:the )?(?:other|rest)|all else|the rest|the others?)\b|"
    r"\b(?:stays?|staying|remains?|unchanged|untouched|as (?:it|they) (?:is|are|was|were)|"
    r"(?:it|they) (?:may|can|should|must) (?:use|stay|remain|keep|still|not)|as before|"
    r"where (?:it|they) (?:is|are))\b"
)
_NARRATIVE = re.compile(r"^(?:we|i|they|you|he|she|there|nobody|somebody|everyone)\b[^<\d]*$")
_EXCLAIMED = re.compile(rf"^(?!(?:{SIDE_WORDS}|on|in|at|{_VERBS})\b)[a-z']+(?: [a-z']+){{0,1}}$")
_ANNOUNCED = re.compile(r"^(?:correct|fix|check|mind) (?:the|this) [\w ]+$")
_SUBJECT = re.compile(
    r"^(?:because |since |as |now |oh |sorry |hm |well )?(?P<what>.+?) (?:is|are|was|"
    r"were|isn'?t|shouldn'?t|can'?t|mustn'?t|"
    r"aren'?t|wasn'?t|weren'?t|sits?|stands?|got|gets|looks?|has|have|hasn'?t|seems?|hangs?|lies|"
    r"lie|does|doesn'?t|do|don'?t|will|won'?t|came|went|feels?|appears?|needs?|no longer|ended)\b"
)
_ORDERED = re.compile(r"\b(?:should|must|needs?|has to|have to|ought|want|would like)\b")
_PRONOUN = re.compile(r"(?:it|them|this|that|these|those|this one|that one|both|both of them)")
_QUOTE = re.compile(r"<(\d+)>")


@dataclass(slots=True)
class _Told:
    """What was said so far: the quoted texts, and what "it" means."""

    quotes: list[str]
    subject: str = ""


def _sentences(instruction: str) -> tuple[Operation, ...]:
    masked, quotes = cut_quotes(instruction)
    masked = _values(re.sub(r"\s+", " ", masked).strip(), quotes)
    text = re.sub(r"\s+", " ", masked.lower().replace("’", "'")).strip(" .!")
    text = _taken_and_put(text)
    told, done, asked = _Told(quotes), [], []
    parts = [part.strip(" ,.") for part in _CUT.split(text)]
    for part in _rejoined([part for part in parts if part]):
        if _KEPT.search(part) and not re.match(rf"(?:please )?{_VERBS} ", part):
            continue
        asked.append(part)
        operations = _command(part, told)
        if operations:
            done += operations
        elif done and done[-1].kind == "resize" and (amount := _amount(part, done[-1])):
            done[-1] = replace(done[-1], amount=amount)
        elif not done and any(p.match(part) for p in (_NARRATIVE, _ANNOUNCED, _EXCLAIMED)):
            if _ORDERED.search(part):
                return ()
        elif found := _SUBJECT.match(part):
            if _ORDERED.search(part) or (done and _QUOTE.search(part)):
                return ()
            told.subject = told.subject if done else _subject(found["what"])
        else:
            return ()
    return tuple(done) if _all_used(" ".join(asked), quotes, done) else ()


def _subject(what: str) -> str:
    return re.sub(r"^.*, ", "", what) if not _QUOTE.search(what) else what


def _rejoined(parts: list[str]) -> list[str]:
    """A place that comes first belongs to what follows it."""
    joined: list[str] = []
    for part in parts:
        if (
            joined
            and re.match(rf"(?:{SIDE_WORDS}|on|in|at) [^,]*$", joined[-1])
            and not re.search(rf"\b(?:{_VERBS}|should|has to|must|says?|reads?)\b", joined[-1])
        ):
            joined[-1] = f"{joined[-1]}, {part}"
        else:
            joined.append(part)
    return joined


def _taken_and_put(text: str) -> str:
    """ "take A from there and put it here" is one move."""
    return re.sub(
        r"\b(?:take|cut|remove|grab|pick) ([^,.;]+?)(?: (?:from|off|out of) [^,.;<]+?)? and "
        r"(?:put|place|set|move|insert|paste|write) (?:it|them|that) ",
        r"move \1 ",
        text,
        count=1,
    )


def _all_used(asked: str, quotes: list[str], operations: list[Operation]) -> bool:
    used = set()
    for operation in operations:
        used.add(operation.text)
        for target in (*operation.targets, *([operation.anchor] if operation.anchor else [])):
            used.add(target.text)
            described = target.description
            while described is not None:
                used.add(described.says)
                described = described.beside[1] if described.beside else None
    return all(quotes[int(number)] in used for number in _QUOTE.findall(asked))


_VALUE = r"[A-Z][\w'&-]*(?: (?:[A-Z0-9][\w'&-]*|&))*"
_NUMBER = r"[+$€£]?\d[\d.,:/-]*\d(?: ?[ap]m\b)?|\d+"
_MEASURE = (
    r"(?! ?(?:%|percent|per cent|px|pixels?|degrees?|°|times|x\b|points?|pt|minutes|hours|days))"
)
_SAID = re.compile(
    rf"\b(?P<lead>(?i:be called|be named|says?|reads?|saying|reading|to be|be|becomes?|shows?|"
    rf"with|to|into|by|not|"
    rf"the name|the words?|the text|the number|the year|the date|than|instead of|from|for|add|"
    rf"write|append|insert) )(?P<value>{_VALUE}|(?:{_NUMBER}){_MEASURE})(?=[ ,.;:!?]|$)"
)
_NEXT_TO = re.compile(
    r"\b(?P<lead>(?:before|after|below|above|under|beneath) )(?P<value>[A-Z][\w'&-]*"
    r"(?: [\w'&-]+){0,3})(?=[.,;]|$)"
)
_CAPITALS = re.compile(r"(?<![<\w])(?:[A-Z]{3,}|[A-Z]{2,}(?= [A-Z]{2}))(?: [A-Z]{2,})*(?![\w>])")
_NUMERAL = r"\d[\d.,:]*\d"
_NOT = re.compile(
    rf"\b(?P<one>{_NUMERAL})(?P<mid>(?: [a-z]+){{0,2}},? (?:and )?(?:not|instead of|rather than) "
    rf"(?:in )?)(?P<other>{_NUMERAL}|<\d+>)"
)


def _values(masked: str, quotes: list[str]) -> str:
    """The text with names, capitals and numbers that stand for a text made quoted ones."""

    def quote(text: str) -> str:
        quotes.append(text)
        return f"<{len(quotes) - 1}>"

    masked = _CAPITALS.sub(lambda found: quote(found[0]), masked)
    masked = _NEXT_TO.sub(lambda found: found["lead"] + quote(found["value"]), masked)
    masked = _SAID.sub(lambda found: found["lead"] + quote(found["value"].rstrip(".,:;")), masked)
    return _NOT.sub(
        lambda found: (
            quote(found["one"])
            + found["mid"]
            + (found["other"] if found["other"].startswith("<") else quote(found["other"]))
        ),
        masked,
    )


# --- commands -------------------------------------------------------------------------------------

_SAME = (
    r"(?:in|with|using|at) the same (?:style|font|type|typeface|size|colou?r|weight|manner|way|"
    r"place|position|alignment|look)(?:,? (?:and |as |)(?:the )?(?:font|size|colou?r|style|weight|"
    r"place|position|same \w+))*"
)
_TAIL = re.compile(
    rf",? (?:{_SAME}|(?:and )?(?:cent(?:re|er)d|left-aligned|right-aligned|flush left|flush right)|"
    r"(?:the |at the )?same (?:height|size|font|style|place|position|colou?r|level)|please|too|now|"
    r"(?:around|about) its own (?:middle|centre|center)|here|again|completely|entirely|"
    r"altogether|for me|if possible|instead|a bit of|"
    r"(?:instead of|rather than) (?:what it (?:says|reads) now|the (?:old|current|present) "
    r"(?:text|one|word|name)))$"
)
_FIRST = re.compile(
    rf"^(?P<place>(?:{SIDE_WORDS})\b[^,]*),? (?P<main>(?:please )?(?:add|insert|write|put|place|"
    r"include|type|print|set)\b.*)$"
)


def _command(part: str, told: _Told) -> list[Operation]:
    part = re.sub(r"^(?:please |and |then |so |kindly )+", "", part).strip(" ,")
    part = re.sub(r"^(?:let|have) (.+?) be (?!<)", r"make \1 ", part)
    for frame in (_said, _contrast, _wanted_beside):
        operation = frame(part, told)
        if operation is not None:
            return [operation]
    text = imperative(part)
    if found := _FIRST.match(text):
        text = f"{found['main']} {found['place']}"
    whole = text
    while _TAIL.search(text):
        text = _TAIL.sub("", text).strip(" ,")
    for reader in _COMMANDS:
        operation = reader(text, told)
        if operation is not None:
            return [operation]
    moved = _move(whole, told) or _move(text, told)  # "centred" says where to, and is no mere tail
    return [moved] if moved is not None else []


def _targets(phrase: str, told: _Told, *, carried: bool = False) -> tuple[Target, ...]:
    """The texts that a phrase names: quoted ones in a list, or one description. `carried`: a button
    may stand for its text.
    """
    phrase = phrase.strip(" ,")
    if _PRONOUN.fullmatch(phrase):
        return _targets(told.subject, _Told(told.quotes), carried=carried) if told.subject else ()
    found = _QUOTE.findall(phrase)
    bare = re.sub(
        r"\b(?:the|texts?|words?|lines?|names?|phrase|sentence|caption|label|title|"
        r"heading|both|and|"
        r"number|year|date|place)\b|[,&]",
        " ",
        _QUOTE.sub(" ", phrase),
    )
    if found and not bare.strip():
        return tuple(Target(told.quotes[int(number)]) for number in found)
    description = describe(phrase, told.quotes)
    if description is None or (description.carrier and not carried):
        return ()
    return (Target(description=description),)


_SCOPE = r"in the [\w ]+? (?:message|line|row|sentence|entry|paragraph|bubble)"
_DUTY = r"(?:should|must|shall|has to|have to|needs? to|ought to|is to|are to)"
_SAYS = r"(?:now )?(?:say|read|be|show|display|become|state|stand|sound|be called|be named)"
_THERE = r"(?:it|there|the (?:text|words?|writing))"
_SAYING = (
    rf"^(?:on|in|at) (?P<np>the .+?),? {_THERE} {_DUTY} {_SAYS} (?P<new><\d+>)",
    rf"^(?P<np>(?!it |instead |there |{SIDE_WORDS}).+?) {_DUTY} {_SAYS} (?P<new><\d+>)",
    rf"^(?:let|make|have) (?P<np>.+?) (?:to )?{_SAYS} (?P<new><\d+>)",
)


def _said(part: str, told: _Told) -> Operation | None:
    """A change told by what a text is to say: "on A it should say B", "A has to be B"."""
    for pattern in _SAYING:
        found = re.match(rf"{pattern}(?:,? (?:instead(?: of .*)?|now|rather than .*))?$", part)
        if found is None:
            continue
        np = re.sub(rf"^{_SCOPE},? (?=the )", "", found["np"])
        targets = _targets(np, told, carried=True)
        if np != found["np"] and not (targets and _is_kind(targets[0])):
            continue  # where it is told is only known to be enough for what is one of its kind
        if len(targets) == 1:
            new = told.quotes[int(_QUOTE.findall(found["new"])[0])]
            return Operation(kind="change", targets=targets, text=new) if new else None
    return None


def _is_kind(target: Target) -> bool:
    kind = target.description.kind if target.description is not None else "text"
    return kind not in (*PLAIN_KINDS, "title", "number")


def _contrast(part: str, told: _Told) -> Operation | None:
    """ "it's the A vintage, not B", "A instead of B"."""
    found = re.match(
        rf"^instead of <(?P<old>\d+)>,? (?:it|the [\w ]+?) {_DUTY} {_SAYS} <(?P<new>\d+)>$", part
    ) or re.match(
        r"^(?:it(?:'s| is| was| should be| must be| has to be)|the [\w ]+? (?:is|was|"
        r"should be|must "
        r"be|has to be)|(?:write|put|use|print|make it)) (?:(?:the|in|on|at|room|"
        r"number|no) ){0,2}<(?P<new>\d+)>"
        r"(?: \w+){0,2}?,? (?:and )?(?:not|instead of|rather than) (?:the |in |on |at "
        r")?<(?P<old>\d+)>"
        r"(?: any ?more)?$",
        part,
    )
    if found is None:
        return None
    old, new = told.quotes[int(found["old"])], told.quotes[int(found["new"])]
    return Operation(kind="change", targets=(Target(old),), text=new) if old and new else None


def _wanted_beside(part: str, told: _Told) -> Operation | None:
    """ "below A there should be B"."""
    found = re.match(
        rf"^(?P<side>{SIDE_WORDS}) (?P<np>.+?),? (?:there |it )?{_DUTY} (?:be|stand|come|say|read) "
        r"(?P<new><\d+>)$",
        part,
    )
    found = found or re.match(
        rf"^(?:we|i) (?:need|want|would like) (?P<new><\d+>) (?P<side>{SIDE_WORDS}) (?P<np>.+)$",
        part,
    )
    return _insert(f"add {found['new']} {found['side']} {found['np']}", told) if found else None


_GOES = (
    r"(?:should|must|has to|have to|can|may|needs? to) (?:go|disappear|vanish|go away|"
    r"come off|be gone)"
)


def _delete(text: str, told: _Told) -> Operation | None:
    found = (
        re.match(
            r"^(?:delete|remove|erase|eliminate|clear(?: away)?|get rid of|take (?:away|out|off)|"
            r"leave out|cut(?: out)?|omit|drop|strip|wipe(?: (?:out|away|off))?|scrub(?: out)?|"
            r"rub out|blank out|do away with|dispose of) (?P<np>.+)$",
            text,
        )
        or re.match(rf"^(?P<np>.+?) {_GOES}$", text)
        or re.match(r"^take (?P<np>.+?) (?:off|out|away)(?: (?:of )?(?:the|this) [\w ]+)?$", text)
    )
    if found is None or (
        re.search(r"\b(?:its|their|and)\b", found["np"]) and not _QUOTE.search(found["np"])
    ):
        return None
    targets = _targets(found["np"], told)
    return Operation(kind="delete", targets=targets) if targets else None


_SHOW = (
    r"(?:make|turn|set|put|show|print|write|render|display|format|paint|colou?r|change|give|dye|"
    r"tint|recolou?r|have|get)"
)
_FROM = rf"(?:from (?:{COLOUR} ))?"
_ITS_COLOUR = r"the (?:font |text |ink |letter )?colou?r of"
_PAINTED_COLOUR = rf"(?P<new>{COLOUR})(?: (?:colou?r|tone|ink|letters|type))?"
_PAINTING = (
    (
        rf"^(?:change|set|make|switch|turn) {_ITS_COLOUR} (?P<np>.+?) {_FROM}(?:to|into) (?:an? )?"
        rf"{_PAINTED_COLOUR}$"
    ),
    (
        rf"^{_SHOW} (?P<np>.+?) {_FROM}(?:(?:in|to|into|as) )?(?:an? |the )?(?:colou?r )?"
        rf"{_PAINTED_COLOUR}$"
    ),
    rf"^(?:use|take|apply) (?P<new>{COLOUR}) for (?P<np>.+)$",
)


def _recolour(text: str, told: _Told) -> Operation | None:
    if found := re.match(
        rf"^{_SHOW} (?P<np>.+?) (?:in )?the same colou?r as (?P<like>.+)$", text
    ) or re.match(
        rf"^(?:change|set|turn) {_ITS_COLOUR} (?P<np><\d+>) (?:in)?to (?:the colou?r|that) of "
        r"(?P<like><\d+>)$",
        text,
    ):
        targets, like = _targets(found["np"], told), _targets(found["like"], told)
        if targets and len(like) == 1:
            return Operation(kind="recolour", targets=targets, anchor=like[0])
        return None
    for pattern in _PAINTING:
        found = re.match(pattern, text)
        np = re.sub(rf"^the {COLOUR} of ", "", found["np"]) if found else ""
        if found and (targets := _targets(np, told)):
            return Operation(kind="recolour", targets=targets, colour=shade(found["new"]))
    return None


def _restyle(text: str, told: _Told) -> Operation | None:
    for manner, words in MANNERS.items():
        verbs = MANNER_VERBS[manner]
        found = re.match(
            rf"^{_SHOW} (?P<np>.+?) (?:(?:in|into|to) )?(?:{words})"
            r"(?: (?:type|letters|font|style|face|weight|print))?$",
            text,
        ) or re.match(
            rf"^(?:(?:{verbs})|(?:use|apply) (?:{words})(?: type| letters| font)? (?:for|to|on)) "
            r"(?P<np>.+)$",
            text,
        )
        if found and (targets := _targets(found["np"], told)):
            return Operation(kind="restyle", targets=targets, manner=manner)
    return None


_PARTS = {
    "half": 1 / 2, "a half": 1 / 2, "a third": 1 / 3, "one third": 1 / 3, "two thirds": 2 / 3,
    "a quarter": 1 / 4, "one quarter": 1 / 4, "three quarters": 3 / 4, "a fifth": 1 / 5,
    "one fifth": 1 / 5, "two fifths": 2 / 5, "three fifths": 3 / 5, "four fifths": 4 / 5,
    "a sixth": 1 / 6, "a tenth": 1 / 10, "one tenth": 1 / 10,
}  # fmt: skip
_ABOUT = (
    r"(?:(?:about|around|roughly|approximately|some|nearly|maybe|perhaps|say|something like|"
    r"up|down|only|just) )*"
)
_AMOUNT = re.compile(
    rf"^{_ABOUT}(?:(?P<way>by|to) )?{_ABOUT}(?:(?P<percent>\d+(?:\.\d+)?) ?(?:%|per ?cent)|"
    rf"(?P<part>{'|'.join(sorted(_PARTS, key=len, reverse=True)).replace(' ', '[ -]')})|"
    r"(?P<times>(?:\d+(?:\.\d+)?|two|three|one and a half)(?= times)|twice)(?: times)?(?: as)?)"
    r"(?P<of> (?:of |as )?(?:its|it's|the|their|big|large|high|tall|small)(?: (?:present|current|"
    r"original|actual|old|size|height|width|as (?:it is|now|before)))*)?(?: (?:bigger|"
    r"larger|smaller))?$"
)
_DEGREES = {
    r"slightly|a (?:little|bit|touch|tad|little bit)|somewhat": 1.15,
    r"a good (?:bit|deal)|a lot|much|clearly|considerably|noticeably|significantly|far": 1.4,
}
_TENS = {
    "ten": 10, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70,
    "eighty": 80, "ninety": 90, "a hundred": 100,
}  # fmt: skip
_TIMES = {"two": 2.0, "twice": 2.0, "three": 3.0, "one and a half": 1.5}
USUAL = 1.3
"""The factor of what is to be larger, where no amount is told."""


def _amount(told: str, operation: Operation) -> float | None:
    """The factor that an amount means for a text that becomes larger or smaller (as `amount` of the
    operation says); None for what is no amount.
    """
    up = (operation.amount or USUAL) >= 1
    told = re.sub(rf"\b({'|'.join(_TENS)})(?= per ?cent)", lambda found: str(_TENS[found[1]]), told)
    for words, factor in _DEGREES.items():
        if re.fullmatch(rf"(?:{words})", told.strip(" ,")):
            return factor if up else 1 / factor
    found = _AMOUNT.match(re.sub(r"^(?:a (?:little|bit),? |, )", "", told.strip(" ,")))
    if found is None:
        return None
    if found["times"]:
        value = _TIMES.get(found["times"]) or float(found["times"])
        return (value if up else 1 / value) if 0.1 <= value <= 10 else None
    part = (
        float(found["percent"]) / 100
        if found["percent"]
        else _PARTS[found["part"].replace("-", " ")]
    )
    if not 0.01 <= part <= 10:
        return None
    if found["way"] == "by" or (found["way"] is None and up and part < 1):
        return 1 + part if up else max(0.1, 1 - part)
    return part


_SIZE = r"(?:the (?:(?:font|letter|text|type) )?sizes? of )?"
_MUCH = rf"(?P<much> (?:{'|'.join(_DEGREES)}))?"
_LARGER = (
    rf"^{_SHOW} {_SIZE}(?P<np>.+?){_MUCH} (?:bigger|larger)(?P<amount>,? .+)?$",
    rf"^(?:enlarge|increase|grow|scale up|magnify|blow up|expand) {_SIZE}(?P<np>.+)$",
    rf"^(?:blow|scale|bring|get) {_SIZE}(?P<np>.+?) up(?P<amount> .+)?$",
)
_SMALLER = (
    rf"^{_SHOW} {_SIZE}(?P<np>.+?){_MUCH} smaller(?P<amount>,? .+)?$",
    rf"^(?:shrink|reduce|scale down|decrease|diminish|downsize) {_SIZE}(?P<np>.+)$",
    rf"^(?:bring|scale|get|take|cut) {_SIZE}(?P<np>.+?) down(?P<amount> .+)?$",
)
_AMOUNT_OF = (
    r"(?P<amount>(?:(?:about|roughly|around|nearly) )?(?:twice|half|[\w ]+? times) "
    r"(?:its|as|the) .+)"
)
_TO_AMOUNT = r"(?P<amount>to \S+ ?(?:%|percent|of).*)"
_SCALED = (
    rf"^{_SHOW} {_SIZE}(?P<np>.+?) {_AMOUNT_OF}$",
    rf"^(?:scale|resize|set) {_SIZE}(?P<np>.+?) {_TO_AMOUNT}$",
    rf"^(?P<amount>double|halve) {_SIZE}(?P<np>.+)$",
)
_SIZING = (
    *((pattern, True) for pattern in _LARGER),
    *((pattern, False) for pattern in _SMALLER),
    *((pattern, None) for pattern in _SCALED),
)
"""How a change of size is told, and whether that says larger."""


_AS_WIDE = re.compile(
    rf"^{_SHOW} (?P<np>.+?) (?:bigger|larger|smaller),? (?:so that|until|to be) [^<]*?"
    r"as (?:wide|long) as (?P<like><\d+>)(?: (?:above|below))?$"
)
_WIDTH_OF = re.compile(
    r"^(?:resize|scale|enlarge|shrink|reduce|make|adjust) (?P<np><\d+>)(?: (?:to make it|so that "
    r"it (?:is|becomes)|until it is|to be))?,? as (?:wide|long) as "
    r"(?P<like>the .+ (?:it|<\d+>)|<\d+>)$"
)


def _resize(text: str, told: _Told) -> Operation | None:
    if found := _AS_WIDE.match(text):
        targets, like = _targets(found["np"], told), _targets(found["like"], told)
        return Operation(kind="resize", targets=targets, anchor=like[0]) if targets else None
    if found := _WIDTH_OF.match(text):
        measure = re.sub(r"\bit$", found["np"], found["like"].replace("line", "text"))
        targets, like = _targets(found["np"], told), _targets(measure, told)
        if targets and len(like) == 1:
            return Operation(kind="resize", targets=targets, anchor=like[0])
        return None
    for pattern, up in _SIZING:
        found = re.match(pattern, text)
        if found is None:
            continue
        given = found.groupdict()
        np, amount = given["np"], (given.get("much") or given.get("amount") or "").strip(" ,")
        usual = Operation(kind="resize", amount=USUAL if up is not False else 1 / USUAL)
        if not given.get("amount") and not given.get("much") and up is not None:
            np, amount = _ending(np, usual)
        factor = {"double": 2.0, "halve": 0.5}.get(amount) or (
            _amount(amount, usual) if amount else usual.amount
        )
        if factor is not None and up is not None and (factor < 1) == up:
            return None  # larger, and by that amount smaller: one of the two is misread
        targets = _targets(np, told)
        if targets and factor:
            return replace(usual, targets=targets, amount=factor)
    return None


def _ending(phrase: str, usual: Operation) -> tuple[str, str]:
    """A phrase without the amount that it ends with, and this."""
    words = phrase.split(" ")
    for cut in range(1, len(words)):
        amount = " ".join(words[cut:]).strip(" ,")
        if _amount(amount, usual) is not None:
            return " ".join(words[:cut]), amount
    return phrase, ""


_WHERE = re.compile(
    r"^(?:to|into|in|at|onto|on|towards?) the (?:very |empty |free )?(?P<row>top|"
    r"bottom|upper|lower)?"
    r"[ -]?(?P<column>left|right)?(?P<middle>middle|cent(?:er|re))?(?:[ -]?hand)?"
    r"(?: (?:side|edge|part|half|third|area|end|border|margin|corner))?"
    r"(?: of the (?:image|picture|photo|poster|page|slide|canvas|screen|frame))?$"
)
_WAY = re.compile(
    r"^(?:(?P<slight>a (?:little|bit)|slightly)(?: further| more)? )?(?:further |more "
    r")?(?:to the )?"
    r"(?P<way>up|down|left|right|upwards?|downwards?|higher|lower)(?P<slight2> a (?:little|bit)| "
    r"slightly)?(?: by (?P<amount>.+))?$"
)
_WAYS = {"higher": "up", "lower": "down"}


def _move(text: str, told: _Told) -> Operation | None:
    found = re.match(
        r"^(?:move|shift|put|place|bring|relocate|reposition|push|drag|slide|transfer) "
        r"(?P<rest>.+)$",
        text,
    )
    middle = re.match(r"^cent(?:re|er) (?P<np>.+?)(?: (?:horizontally|(?:on|in) the \w+))?$", text)
    if middle and len(targets := _targets(middle["np"], told)) == 1:
        return Operation(kind="move", targets=targets, place="center across")
    if found is None:
        return None
    words = re.sub(r" from (?:the )?(?:top|bottom|left|right|upper|lower)\b[^<]*?(?= to )", "",
                   found["rest"]).split(" ")  # fmt: skip
    for cut in range(1, len(words)):
        where = _where(" ".join(words[cut:]), told)
        targets = _targets(" ".join(words[:cut]), told) if where is not None else ()
        if where is not None and len(targets) == 1:
            return replace(where, targets=targets)
    return None


def _where(text: str, told: _Told) -> Operation | None:
    """The place that a text is to move to, as an operation without a target."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if parts and re.fullmatch(r"cent(?:re|er)d", parts[-1]):
        centred = _where(", ".join(parts[:-1]), told)
        return replace(centred, centred=True) if centred is not None else None
    if len(parts) > 1:  # "in the upper part, beneath A": the nearer place counts
        places = [_where(part, told) for part in parts]
        beside = [place for place in places if place is not None and place.anchor is not None]
        return beside[0] if all(places) and len(beside) == 1 else None
    if found := re.match(
        rf"^(?:(?:directly|right|just) )?(?P<side>{SIDE_WORDS}) (?P<np>.+)$", text
    ):
        anchors = _targets(found["np"], told)
        if len(anchors) == 1:
            return Operation(kind="move", place=SIDES[found["side"]], anchor=anchors[0])
        return None
    if found := _WAY.match(text):
        way = found["way"].removesuffix("s").removesuffix("ward")
        slight = bool(found["slight"] or found["slight2"])
        operation = Operation(kind="move", place=f"go {_WAYS.get(way, way)}", slight=slight)
        return _by(operation, found["amount"]) if found["amount"] else operation
    if found := _WHERE.match(text):
        row = {"upper": "top", "lower": "bottom"}.get(found["row"] or "", found["row"] or "")
        words = [row, found["column"] or "", "center" if found["middle"] else ""]
        place = " ".join(word for word in words if word)
        return Operation(kind="move", place=place) if place else None
    return None


def _by(operation: Operation, amount: str) -> Operation | None:
    """A move by pixels, or by a part of the picture."""
    if found := re.fullmatch(rf"{_ABOUT}(\d+) ?(?:px|pixels?)", amount):
        return replace(operation, amount=float(found[1]))
    found = re.fullmatch(
        rf"{_ABOUT}(?:(?P<percent>\d+) ?(?:%|per ?cent)|(?P<part>{'|'.join(_PARTS)})) of "
        r"(?:the|its) (?:\w+'?s? ){0,2}?(?P<of>width|height)(?: of the \w+)?",
        amount,
    )
    across = operation.place in ("go left", "go right")
    if found is None or (found["of"] == "width") != across:
        return None
    part = float(found["percent"]) / 100 if found["percent"] else _PARTS[found["part"]]
    return replace(operation, share=part)


def _rotate(text: str, told: _Told) -> Operation | None:
    found = re.match(
        r"^(?:rotate|turn|tilt|spin) (?P<np>.+?)(?: by)? (?:about |around |some "
        r")?(?P<by>\d+(?:\.\d+)?) ?"
        r"(?:degrees?|°)(?P<way>,? (?:counter-?|anti-?)?clockwise|,? to the (?:left|right))?$",
        text,
    )
    if over := re.match(r"^(?:turn|rotate|flip|put) (?P<np>.+?) upside down$", text):
        targets = _targets(over["np"], told)
        return Operation(kind="rotate", targets=targets, amount=180.0) if targets else None
    targets = _targets(found["np"], told) if found else ()
    if found is None or not targets or not found["way"]:
        return None
    clockwise = found["way"].strip(" ,") in ("clockwise", "to the right")
    amount = float(found["by"]) * (-1 if clockwise else 1)
    return Operation(kind="rotate", targets=targets, amount=amount)


def _swap(text: str, told: _Told) -> Operation | None:
    found = re.match(
        r"^(?:swap|exchange|switch|interchange)(?: the (?:positions?|places?) of)? (?P<np>.+?)"
        r"(?: around| over|(?:'s)? (?:places?|positions?))?$",
        text,
    ) or re.match(
        r"^(?:let|have|make) (?P<np>.+?) (?:trade|change|swap) (?:place|position)s$", text
    )
    if found is None:
        return None
    targets = _targets(found["np"], told)
    if len(targets) == 1 and targets[0].description is None:
        return None
    if one := re.match(r"^(?P<a>the \w+) and (?P<b>(?:the )?\w+) (?P<noun>.+)$", found["np"]):
        halves = [_targets(f"{one[side]} {one['noun']}", told) for side in "ab"]
        targets = tuple(target for half in halves for target in half) if all(halves) else ()
    elif not targets and " and " in found["np"]:
        halves = [_targets(half, told) for half in found["np"].split(" and ", 1)]
        targets = tuple(target for half in halves for target in half) if all(halves) else ()
    return Operation(kind="swap", targets=targets) if targets else None


def _change(text: str, told: _Told) -> Operation | None:
    found = re.match(
        r"^(?:change|replace|update|correct|switch|alter|edit|substitute|turn|rewrite|exchange|set|"
        r"amend) (?P<np>.+?) (?:to|with|by|into|for|as|so (?:that )?it (?:says|reads)) "
        r"(?:say |read |"
        r"the (?:text|word|words|name|number) )?<(?P<new>\d+)>$",
        text,
    )
    if found is None:
        return _plain_words(text)
    np = re.sub(r" from <\d+>$", "", found["np"])
    old = re.search(r" from (<\d+>)$", found["np"])
    targets = _targets(old[1] if old else np, told, carried=True)
    new = told.quotes[int(found["new"])]
    return (
        Operation(kind="change", targets=targets, text=new) if len(targets) == 1 and new else None
    )


_NO_WORDS = re.compile(rf"(?:{COLOUR}|title|text|word|line|colou?r|font|it|them|this|that|picture)")


def _plain_words(text: str) -> Operation | None:
    """ "replace tea with milk": a word of the picture, as the picture must confirm."""
    found = re.match(
        r"^(?:replace|swap|exchange) (?P<old>[a-z]{3,}) (?:with|by|for) (?P<new>[a-z]{3,})$", text
    )
    if found is None or _NO_WORDS.fullmatch(found["old"]):
        return None
    return Operation(kind="change", targets=(Target(found["old"]),), text=found["new"])


def _insert(text: str, told: _Told) -> Operation | None:
    found = re.match(
        r"^(?:add|put|write|insert|place|print|set|type|include|append|attach) (?:the |an? |one |"
        r"another )?(?:(?:more|new|further|extra|additional|name|text|words?|line|sentence|phrase|"
        r"caption|reading|saying|note|with|the|number|slogan|date) )*<(?P<new>\d+)>"
        rf"(?: in (?P<colour>{COLOUR})(?: (?:letters|type|ink))?)?,? "
        rf"(?:(?:right|directly|just) )?(?P<side>{SIDE_WORDS}|to|to the end of|at the "
        rf"end of) (?P<np>.+)$",
        text,
    )
    if found is None:
        return None
    targets = _targets(found["np"], told)
    side = SIDES.get(found["side"], "after")
    text_new = told.quotes[int(found["new"])]
    if (
        len(targets) != 1
        or not text_new
        or (targets[0].text is None and found["side"] == "on top of")
    ):
        return None
    colour = shade(found["colour"]) if found["colour"] else None
    return Operation(kind="insert", targets=targets, text=text_new, place=side, colour=colour)


_COMMANDS: tuple[Callable[[str, _Told], Operation | None], ...] = (
    _insert, _delete, _swap, _restyle, _recolour, _resize, _rotate, _change,
)  # fmt: skip
