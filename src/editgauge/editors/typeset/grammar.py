"""A small grammar for instructions about texts: which operation, on which text, with what.

Not a language model. An instruction is cut into its parts (`clauses`); each is a command, the
reason for one (whose subject "it" may then mean), an amount, or what is to stay. A command is a
verb, the texts that it is about (`naming`) and complements (`complements`), and every word of it
has to belong to one of them. One part that is none of this makes the whole instruction not
understood: nothing is guessed, and half of what was asked for is not what was asked for. The
wordings are those of TextEdit ("Replace the text 'A' with 'B'") and TextEditBench (arXiv
2512.16270).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from editgauge.editors.typeset import complements as says
from editgauge.editors.typeset.clauses import (
    QUOTE,
    VERB,
    cut_quotes,
    imperative,
    parts,
    quote_values,
)
from editgauge.editors.typeset.colours import COLOUR, shade
from editgauge.editors.typeset.complements import Reader, Said, understood
from editgauge.editors.typeset.naming import Told, targets
from editgauge.editors.typeset.request import Operation, Target
from editgauge.editors.typeset.vocabulary import (
    CENTRE,
    CHANGE,
    CONTAINERS,
    DELETE,
    FACTORS,
    GO,
    INSERT,
    KIND_WORDS,
    LARGER,
    MANNER_VERBS,
    MAYBE_MOVE,
    MOVE,
    NEEDS,
    OF_VALUES,
    PARTICLES,
    PLAIN_KINDS,
    ROTATE,
    SCALE,
    SHOW,
    SIDE_WORDS,
    SMALLER,
    SWAP,
    WRITING,
    any_of,
)

MAX_COMMAND = 2_000
"""Characters of an instruction that is read, five times as many as the longest of the benchmarks
has.
"""
MAX_SENTENCE = 600
"""Characters of an instruction, without its quoted texts, that are read."""
_Q = QUOTE
Operations = list[Operation]


def read_request(instruction: str) -> tuple[Operation, ...]:
    """The operations that an instruction asks for, in order; empty where it is not understood, or
    not all of it is. Texts are taken exactly as quoted: case, spaces and punctuation are the
    instruction's own. Names, capitals and numbers stand for a text where nothing else makes sense.
    """
    if len(instruction) > MAX_COMMAND:
        return ()
    masked, quotes = cut_quotes(instruction)
    masked = re.sub(r"\s+", " ", masked).strip()
    if len(masked) > MAX_SENTENCE:
        return ()
    if not quotes:
        return _read(quote_values(masked, quotes), Told(quotes))
    return _read(masked, Told(quotes)) or _read(quote_values(masked, quotes), Told(quotes))


def why_not(instruction: str) -> str:
    """Why an instruction is not understood, in words for the record."""
    if len(instruction) > MAX_COMMAND:
        return (
            f"the instruction has {len(instruction):,} characters, at most {MAX_COMMAND:,} are read"
        )
    low = re.sub(_Q, "", cut_quotes(instruction)[0].lower())
    needs = [name for name, pattern in NEEDS.items() if re.search(pattern, low)]
    if needs:
        return f"instruction not understood (it seems to need {needs[0]})"
    return "instruction not understood"


# --- the parts of an instruction ------------------------------------------------------------------

_NARRATIVE = re.compile(r"^(?:we|i|they|you|he|she|there|nobody|somebody|everyone)\b[^<\d]*$")
_EXCLAIMED = re.compile(rf"^(?!(?:{SIDE_WORDS}|on|in|at|{VERB})\b)[a-z']+(?: [a-z']+){{0,1}}$")
_ANNOUNCED = re.compile(r"^(?:correct|fix|check|mind) (?:the|this) [\w ]+$")
_SUBJECT = re.compile(
    r"^(?:because |since |as |now |oh |sorry |hm |well )?(?P<what>.+?) (?:is|are|was|"
    r"were|isn'?t|shouldn'?t|can'?t|mustn'?t|"
    r"aren'?t|wasn'?t|weren'?t|sits?|stands?|got|gets|looks?|has|have|hasn'?t|seems?|hangs?|lies|"
    r"lie|does|doesn'?t|do|don'?t|will|won'?t|came|went|feels?|appears?|needs?|no longer|ended)\b"
)
_ORDERED = re.compile(r"\b(?:should|must|needs?|has to|have to|ought|want|would like)\b")


def _read(masked: str, told: Told) -> tuple[Operation, ...]:
    done: Operations = []
    asked: list[str] = []
    for part in parts(masked):
        if part.kept:
            told.context |= {told.quotes[int(number)] for number in re.findall(_Q, part.text)}
            if done and done[-1].kind == "resize" and re.search(r"\bcent(?:er|re)", part.text):
                done[-1] = replace(done[-1], centred=True)
            continue
        asked.append(part.text)
        operations = _command(part.text, told)
        if operations:
            done += operations
        elif done and (further := _added(part.text, done[-1], told)):
            done[-1] = further
        elif not done and any(p.match(part.text) for p in (_NARRATIVE, _ANNOUNCED, _EXCLAIMED)):
            if _ORDERED.search(part.text):
                return ()
        elif found := _SUBJECT.match(part.text):
            if _ORDERED.search(part.text) or (done and re.search(_Q, part.text)):
                return ()
            told.subject = told.subject if done else _subject(found["what"])
        else:
            return ()
    if not _all_used(" ".join(asked), told, done):
        return ()
    if all(operation.kind in ("recolour", "resize", "restyle") for operation in done):
        done.sort(key=lambda operation: operation.kind != "recolour")  # the rest takes over its ink
    return tuple(done)


def _subject(what: str) -> str:
    return re.sub(r"^.*, ", "", what) if not re.search(_Q, what) else what


def _added(part: str, last: Operation, told: Told) -> Operation | None:
    """What a part adds to the command before it: an amount ("maybe by a fifth"), or to a new text
    its looks ("in the same font").
    """
    if last.kind == "resize":
        up = (last.amount or 1.0) > 1.0
        said = understood(part, told, says.amount)
        factor = says.scaled(said, up) if said and "factor" in said else None
        return replace(last, amount=factor) if factor else None
    said = understood(part, told) if part else None
    return last if said == {} else None


def _all_used(asked: str, told: Told, operations: Iterable[Operation]) -> bool:
    """Whether every quoted text plays a part in what was understood; else there was more to do."""
    used: set[str | None] = set(told.context)
    for operation in operations:
        used.add(operation.text)
        for target in (*operation.targets, *([operation.anchor] if operation.anchor else [])):
            used |= {target.text, target.inside}
            described = target.description
            while described is not None:
                used.add(described.says)
                described = described.beside[1] if described.beside else None
    return all(told.quotes[int(number)] in used for number in re.findall(_Q, asked))


# --- commands -------------------------------------------------------------------------------------


def _command(part: str, told: Told) -> Operations:
    part = re.sub(r"^(?:please |and |then |so |kindly |also )+", "", part).strip(" ,")
    for frame in (_said, _contrast, _wanted_beside, _arrow):
        operation = frame(part, told)
        if operation is not None:
            return [operation]
    text = imperative(part)
    for reader in _COMMANDS:
        operations = reader(text, told)
        if operations:
            return operations
    return []


def _after(verbs: Iterable[str], text: str) -> tuple[str, str]:
    """The verb that a command begins with, and what follows it; empty where it is another one."""
    found = re.match(rf"({any_of(verbs)}) (?=\S)", text)
    return (found[1], text[found.end() :]) if found else ("", "")


def _split(
    text: str, told: Told, *readers: Reader, located: bool = True, quality: bool = True
) -> Iterator[tuple[tuple[Target, ...], Said]]:
    """The ways to take a command's object from the front so that the rest is understood, the
    shortest object first.
    """
    for found in re.finditer(r"(?<=\S)(?= |,|$)", text):
        head, tail = text[: found.start()], text[found.start() :]
        if re.search(r"[,&]$| (?:and|or)$", head):
            continue
        said = understood(tail, told, *readers)
        if said is None:
            continue
        owner = _of_quality(head) if quality else head
        named = targets(owner, told, located=located)
        if named:
            told.subject = owner if not _IS_PRONOUN.fullmatch(owner) else told.subject
            yield named, said


_IS_PRONOUN = re.compile(r"it|them|this|that|these|those")
_QUALITY = re.compile(
    r"^(?:the )?(?:(?:font|letter|text|type|lettering) ?-?)?(?:sizes?|scale|colou?rs?|"
    r"positions?|place|location|"
    r"font style|font weight|style|orientation|angle) of (?=\S)|^its (?:font |text "
    r")?(?:size|colou?r|position)$"
)


def _of_quality(phrase: str) -> str:
    """The text whose quality a phrase names: "the size of A" is about A."""
    found = _QUALITY.match(phrase)
    if found is None:
        return phrase
    return phrase[found.end() :] or "it"


# --- frames: what a text is to say ----------------------------------------------------------------

_SCOPE = r"in the [\w ]+? (?:message|line|row|sentence|entry|paragraph|bubble)"
_DUTY = r"(?:should|must|shall|has to|have to|needs? to|ought to|is to|are to)"
_SAYS = (
    r"(?:now )?(?:say|read|be|show|display|become|state|stand|sound|be called|be named|be "
    r"changed to)"
)
_THERE = r"(?:it|there|the (?:text|words?|writing))"
_SAYING = (
    rf"^(?:on|in|at) (?P<np>the .+?),? {_THERE} {_DUTY} {_SAYS} (?P<new><\d+>)",
    rf"^(?P<np>(?!it |instead |there |{SIDE_WORDS}).+?) {_DUTY} {_SAYS} (?P<new><\d+>)",
    rf"^(?:let|make|have) (?P<np>.+?) (?:to )?(?:{_SAYS}|says|reads) :?(?P<new><\d+>)",
    r"^(?P<np>(?:the [\w ]+? )?<\d+>) (?:becomes|->|→|=>) ?(?P<new><\d+>)",
    (
        r"^(?:edit|change|modify|rewrite|alter) (?P<np>.+?) so (?:that )?(?:it|the text|"
        r"<\d+>) (?:says|reads|becomes) (?P<new><\d+>)"
    ),
    (
        rf"^(?:edit|change|modify|rewrite|alter) the {WRITING} so (?:that )?(?P<np><\d+>) "
        rf"(?:says|reads|becomes|is) (?P<new><\d+>)"
    ),
    (
        r"^(?:correct|fix|check)\b[^<]*?:? ?(?P<np><\d+>) (?:should|must) (?:be|read|"
        r"say)(?: \w+){0,2}? (?P<new><\d+>)"
    ),
    r"^make (?P<np>(?:the [\w ]+? )?<\d+>) (?P<new><\d+>)",
)


def _said(part: str, told: Told) -> Operation | None:
    """A change told by what a text is to say: "on A it should say B", "A has to be B"."""
    for pattern in _SAYING:
        found = re.match(
            rf"{pattern}(?P<tail>(?:,? (?:instead(?: of .*)?|now|rather than .*))?)$", part
        )
        if found is None:
            continue
        new = told.quotes[int(re.findall(_Q, found["new"])[0])]
        if old := re.search(rf" (?:of|than) (?:the \w+ )?{_Q}$", found["tail"]):
            return _changed([Target(told.quotes[int(old[1])])], new)
        np = re.sub(rf"^{_SCOPE},? (?=the )", "", found["np"])
        named = targets(np, told, carried=True)
        if np != found["np"] and not (named and _is_kind(named[0])):
            continue  # where it is told is only known to be enough for what is one of its kind
        if len(named) == 1:
            return _changed(named, new)
    return None


def _changed(named: Iterable[Target], new: str) -> Operation | None:
    return Operation(kind="change", targets=tuple(named), text=new) if new else None


def _is_kind(target: Target) -> bool:
    kind = target.description.kind if target.description is not None else "text"
    return kind not in (*PLAIN_KINDS, "title", "number")


def _contrast(part: str, told: Told) -> Operation | None:
    """ "it's the A vintage, not B", "A instead of B"."""
    old_words = r"(?:the )?(?:\w+ ){0,3}?"
    found = (
        re.match(
            rf"^instead of {old_words}<(?P<old>\d+)>,? (?:(?:it|the [\w ]+?) {_DUTY} {_SAYS}|"
            rf"write|put|use|print|show|set|type) {old_words}<(?P<new>\d+)>$",
            part,
        )
        or re.match(
            rf"^(?:put|write|print|use) {old_words}<(?P<new>\d+)> (?:in place of|instead "
            rf"of|in the place of) "
            rf"{old_words}<(?P<old>\d+)>$",
            part,
        )
        or re.match(
            r"^(?:it(?:'s| is| was| should be| must be| has to be)|the [\w ]+? (?:is|was|"
            r"should be|must be|has to be)|(?:write|put|use|print|make it|let it say|let it read|"
            r"(?:let|have) the [\w ]+? (?:say|read))) (?:(?:the|in|on|at|room|"
            r"number|no) ){0,2}<(?P<new>\d+)>"
            r"(?: \w+){0,2}?,? (?:and )?(?:not|instead of|rather than) (?:the |in |on |at "
            r")?<(?P<old>\d+)>(?: any ?more)?$",
            part,
        )
    )
    if found is None:
        return None
    old, new = told.quotes[int(found["old"])], told.quotes[int(found["new"])]
    return _changed([Target(old)], new) if old else None


def _wanted_beside(part: str, told: Told) -> Operation | None:
    """ "below A there should be B"."""
    found = re.match(
        rf"^(?P<side>{SIDE_WORDS}) (?P<np>.+?),? (?:there |it )?{_DUTY} (?:be|stand|come|say|read) "
        r"(?P<new><\d+>)$",
        part,
    ) or re.match(
        rf"^(?:we|i) (?:need|want|would like) (?P<new><\d+>) (?P<side>{SIDE_WORDS}) (?P<np>.+)$",
        part,
    )
    if found is None:
        return None
    inserted = _insert(f"add {found['new']} {found['side']} {found['np']}", told)
    return inserted[0] if inserted else None


def _arrow(part: str, told: Told) -> Operation | None:
    """ "'A' -> 'B'", with or without words before it."""
    found = re.match(rf"^[^<]*?{_Q} ?(?:->|→|=>|⇒) ?{_Q}$", part)
    if found is None:
        return None
    old, new = (told.quotes[int(number)] for number in found.groups())
    return _changed([Target(old)], new) if old else None


# --- commands: a verb, its object, its complements ------------------------------------------------


def _delete(text: str, told: Told) -> Operations:
    _, rest = _after(DELETE, text)
    if gone := re.match(
        (
            rf"^(?P<np>.+?) {_DUTY.replace('is to|are to', 'can|may')} (?:go|disappear|"
            rf"vanish|go away|come off|be gone)$"
        ),
        text,
    ):
        rest = gone["np"]
    elif taken := re.match(
        r"^take (?P<np>.+?) (?:off|out|away)(?: (?:of )?(?:the|this) [\w ]+)?$", text
    ):
        rest = taken["np"]
    if not rest or rest.endswith(" in half"):
        return []
    rest = re.sub(r"(?<=[\w>]) (?:out|off|away) (?:of |from )?(?=(?:the|this) )", " from ", rest)
    rest = re.sub(r"(?<=[\w>]) (?:out|off|away)$", "", rest)
    for named, _ in _split(rest, told, says.restored, quality=False):
        return [Operation(kind="delete", targets=named)]
    return []


_NEW = rf"(?:(?:the |an? )?(?:new )?(?:{any_of(KIND_WORDS.values())} )?(?:reading |saying )?)?"
_INTO = r"(?:to|with|by|into|for|as|so (?:that )?it (?:says|reads)|to say|to read|to be|with the)"


def _change(text: str, told: Told) -> Operations:
    verb, rest = _after(CHANGE, text)
    if not verb:
        return []
    if verb == "substitute" and (turned := re.match(r"^(.*<\d+>) for (.*<\d+>)(.*)$", rest)):
        rest = f"{turned[2]} with {turned[1]}{turned[3]}"
    pairs: list[tuple[tuple[Target, ...], str]] = []
    while rest:
        found = re.match(rf"(?:from )?(?P<np>.+?) {_INTO} {_NEW}<(?P<new>\d+)>", rest)
        if found is None:
            return _plain_words(text) if not pairs else []
        named = _old(found["np"], told)
        new = told.quotes[int(found["new"])]
        if len(named) != 1 or not new:
            return []
        pairs.append((named, new))
        rest = rest[found.end() :]
        further = re.match(r"(?:,|,? and) (?=.*<\d+>.*<\d+>)", rest)
        if further is None or re.match(r".{0,9}(?:keep|maintain|leav|ensur)", rest):
            break
        rest = rest[further.end() :]
    said = understood(rest, told, says.located, says.coloured)
    if said is None or (said.get("colour") and len(pairs) > 1):
        return []
    told.subject = ""
    return [
        Operation(kind="change", targets=named, text=new, colour=said.get("colour"))
        for named, new in pairs
    ]


def _old(phrase: str, told: Told) -> tuple[Target, ...]:
    """What is to be changed: a text, the text on a thing, or "the theme from A"."""
    if re.search(
        (r"\b(?:colou?r|size|fonts?|style|position|background)s?\b(?! of the text)"),
        re.sub(_Q, "", phrase),
    ):
        return ()
    if found := re.match(rf"(?P<what>.*?),? from (?:the (?:\w+ )?)?{_Q}$", phrase):
        return (Target(told.quotes[int(found[2])]),) if told.quotes[int(found[2])] else ()
    phrase = re.sub(
        r"^the (?:spelling|wording|content|text|word|name|text content) of (?=<)", "", phrase
    )
    named = targets(phrase, told, carried=True)
    if not named and (
        on := re.match((rf"^(?:the|this) {WRITING} (?:on|in|of) ((?:the|this) .+)$"), phrase)
    ):
        named = targets(on[1], told, carried=True)
        if not named and re.fullmatch(rf"(?:the|this) (?:\w+ )?{any_of(CONTAINERS)}", on[1]):
            return (Target(role="only"),)
    return named


_NO_WORDS = re.compile(rf"(?:{COLOUR}|title|text|word|line|colou?r|font|it|them|this|that|picture)")


def _plain_words(text: str) -> Operations:
    """ "replace tea with milk": a word of the picture, as the picture must confirm."""
    found = re.match(
        r"^(?:replace|swap|exchange) (?P<old>[a-z]{3,}) (?:with|by|for) (?P<new>[a-z]{3,})$", text
    )
    if found is None or _NO_WORDS.fullmatch(found["old"]):
        return []
    return [Operation(kind="change", targets=(Target(found["old"]),), text=found["new"])]


_NEW_TEXT = re.compile(
    rf"(?:(?:the|an?|one|some|another) )?(?:(?:more|new|further|extra|additional|same|"
    rf"short|following|"
    rf"small|little|phrase|unit|suffix|prefix|ending|symbol|{any_of(KIND_WORDS.values())}|(?P<colour>{COLOUR})|of|with|"
    rf"that says|which says|"
    r"reading|saying|called|the) )*:? ?<(?P<new>\d+)>(?: (?:text|words?|line))?"
)
_INLINE_SIZE = re.compile(
    r"(?:,? (?:but|and)|,)? ?(?:in )?(?:(?P<much>much|a lot|far|clearly)|a (?:little|"
    r"bit)|slightly)? ?"
    r"(?P<size>smaller|larger|bigger)\b(?: (?:letters|type|font|size))?(?=$|,| (?:and|but|in)\b)"
)
_SMALLER_TEXT, _MUCH_SMALLER = 0.75, 0.5
"""The size of a new text that is to be smaller than the one beside it."""


def _insert(text: str, told: Told) -> Operations:
    verb, rest = _after(INSERT, text)
    found = _NEW_TEXT.match(rest) if verb else None
    if found is None or rest.endswith(" instead"):
        return []
    new = told.quotes[int(found["new"])]
    tail = rest[found.end() :]
    tail = (
        re.sub((r"(?:,| so that it is| to be| to make| to form)* <\d+>$"), "", tail)
        if _makes(tail, new, told)
        else tail
    )
    amount = None
    if size := _INLINE_SIZE.search(tail):
        factor = _MUCH_SMALLER if size["much"] else _SMALLER_TEXT
        amount = factor if size["size"] == "smaller" else 1 / factor
        tail = tail[: size.start()] + tail[size.end() :]
    if verb in ("append", "attach", "add") and (
        end := re.match((r" to (?=(?:the \w+ )?<\d+>)"), tail)
    ):
        tail = f" after {tail[end.end() :]}"
    said = understood(tail, told, says.between, says.beside, says.where, says.across, says.coloured,
                      says.centred, says.aligned, says.on_its_thing)  # fmt: skip
    if not new or said is None or "place" not in said or ("on" in said and not _quoted(said)):
        return []
    anchors = said.get("between") or ((said["anchor"],) if "anchor" in said else ())
    if amount is not None and not anchors:
        return []
    colour = shade(found["colour"]) if found["colour"] else said.get("colour")
    told.subject = ""
    return [
        Operation(
            kind="insert",
            targets=tuple(anchors),
            text=new,
            place=said["place"],
            colour=colour,
            amount=amount,
            perhaps_there=verb in MAYBE_MOVE and colour is None and amount is None,
        )
    ]


def _quoted(said: Said) -> bool:
    """Whether the text that tells the place is a quoted one, so that more need not be told."""
    return "between" in said or ("anchor" in said and said["anchor"].text is not None)


def _makes(tail: str, new: str, told: Told) -> bool:
    """Whether a tail ends with what new and old text are together ("to be 'new ink'")."""
    found = re.search(rf"(?:so that it is|to be|to make|to form) {_Q}$", tail)
    if found is None or new not in told.quotes[int(found[1])]:
        return False
    told.context.add(told.quotes[int(found[1])])
    return True


def _swap(text: str, told: Told) -> Operations:
    found = re.match(
        (
            rf"^{any_of(SWAP)}(?: (?:the )?(?:positions?|places?|locations?)(?: of|"
            rf"between))? (?P<np>.+)$"
        ),
        text,
    ) or re.match(
        (
            r"^(?:let |have |make )?(?P<np>.+?) (?:(?:should|must|have to) )?"
            rf"(?P<traded>{any_of((*SWAP, 'change'))} "
            rf"(?:their )?(?:place|position)s)(?P<where> .*)?$"
        ),
        text,
    )
    if found is None:
        return []
    np = f"{found['np']}{found['where']}" if found.groupdict().get("where") else found["np"]
    np = re.sub(r"(?: around| over|(?:'s)? (?:places?|positions?))$", "", np)
    np = re.sub(r"(<\d+>) with (?=.*<\d+>)", r"\1 and ", np)
    for named, _ in _split(np, told, quality=False):
        if len(named) == 2 or (len(named) == 1 and named[0].description is not None):
            return [Operation(kind="swap", targets=named)]
    if one := re.match(r"^(?P<a>the \w+) and (?P<b>(?:the )?(?!the )\w+) (?P<noun>.+)$", np):
        halves = [targets(f"{one[side]} {one['noun']}", told) for side in "ab"]
    else:
        halves = [targets(half, told) for half in np.split(" and ", 1)]
    if len(halves) != 2 or not all(len(half) == 1 for half in halves):
        return []
    return [Operation(kind="swap", targets=(*halves[0], *halves[1]))]


_TILTED = 10.0
"""Degrees by which a text is tilted that nobody told how far."""


def _rotate(text: str, told: Told) -> Operations:
    verb, rest = _after(ROTATE, text)
    if not verb:
        return []
    for named, said in _split(
        rest, told, says.turned, says.direction, says.upside_down, says.about_itself, says.slightly
    ):
        degrees = said.get("degrees", _TILTED if verb == "tilt" else None)
        if degrees is None or (said.get("slight") and "degrees" in said):
            continue
        amount = -degrees if said.get("clockwise") else degrees
        return [Operation(kind="rotate", targets=named, amount=amount)]
    if re.search(r"\b(?:vertically|sideways)$", rest):
        for named, _ in _split(re.sub(r" (?:vertically|sideways)$", "", rest), told):
            return [Operation(kind="rotate", targets=named, amount=90.0)]
    return []


def _restyle(text: str, told: Told) -> Operations:
    for manner, verbs in MANNER_VERBS.items():
        found = re.match(rf"^(?:{verbs})\b (?P<np>.+)$", text)
        for named, _ in _split(found["np"], told) if found else ():
            return [Operation(kind="restyle", targets=named, manner=manner)]
    return []


def _looks(text: str, told: Told) -> Operations:
    """Colour, manner and size of a text: one of them, or two."""
    verb, rest = _after(SHOW, text)
    if used := re.match(r"^(?:use|take|apply) (?P<how>[\w -]+?) (?:for|to|on) (?P<np>.+)$", text):
        verb, rest = "make", f"{used['np']} {used['how']}"
    if not verb:
        return []
    rest = re.sub(rf"^the {COLOUR} of (?=the)", "", rest)
    for named, said in _split(
        rest,
        told,
        says.like_another,
        says.coloured,
        says.not_that,
        says.styled,
        says.sized,
        says.amount,
    ):
        operations = _of_looks(named, said, told, verb)
        if operations:
            return operations
    return []


def _of_looks(named: tuple[Target, ...], said: Said, told: Told, verb: str) -> Operations:
    found: Operations = []
    if like := said.get("like"):
        anchors = targets(like, told)
        if len(anchors) != 1 or set(said) != {"like"}:
            return []
        return [Operation(kind="recolour", targets=named, anchor=anchors[0])]
    if colour := said.get("colour"):
        found.append(Operation(kind="recolour", targets=named, colour=colour))
    if "up" in said or "factor" in said:
        if "up" not in said and (verb not in ("make", "set") or said["factor"][0] == "degree"):
            return []
        amount = says.scaled(said, said.get("up"))
        if amount is None:
            return []
        centred = bool(said.get("centred"))
        found.append(Operation(kind="resize", targets=named, amount=amount, centred=centred))
    if manner := said.get("manner"):
        found.append(Operation(kind="restyle", targets=named, manner=manner))
    return found


_AS_WIDE = (
    (
        r"^(?P<np>.+?)(?: (?:bigger|larger|smaller))?,? (?:so that|until|to be|to make it|"
        r"so it is)?(?: (?:the line|it|they|the text))?(?: is| becomes| are)?"
        r"(?: \w+){0,2}? ?as (?:wide|long) as (?P<like>[^<]*<\d+>)(?: (?:above|below))?$"
    ),
    (
        r"^(?P<np>.+?),? (?:so that|so) (?:it|they) (?:is|are) aligned with the "
        r"(?:length|width) of (?P<like>.+)$"
    ),
    r"^(?P<np>.+?) to (?:match )?the (?:length|width) of (?P<like>.+)$",
    (
        r"^(?P<np><\d+>)(?: (?:to make it|so that it (?:is|becomes)|until it is|to be))?,? "
        r"as (?:wide|long) as (?P<like>the .+ (?:it|<\d+>))$"
    ),
)


def _as_wide(rest: str, told: Told) -> Operations:
    """A change of size whose measure is another text."""
    for pattern in _AS_WIDE:
        found = re.match(pattern, rest)
        if found is None:
            continue
        measure = re.sub(r"\bit$", found["np"], found["like"]).replace("line", "text")
        named, like = targets(_of_quality(found["np"]), told), targets(measure, told)
        if named and len(like) == 1:
            return [Operation(kind="resize", targets=named, anchor=like[0])]
    return []


_VALUES = ("price", "percentage", "number", "time", "date", "year", "weight")
_OF_SIZE = re.compile(r"\b(?:sizes?|scale|fonts?|bigger|larger|smaller|lettering|letters|type)\b")
_OTHER_MEASURE = re.compile(
    r"\b(?:spacing|(?:font|stroke|line) weight|width|height|thickness|opacity|transparency|"
    r"contrast|brightness|distance|margins?|kerning|indent\w*|resolution|saturation|in half)\b"
)
"""What may be increased or reduced and is not the size."""


def _is_value(target: Target) -> bool:
    """Whether a text tells how much: what is to be larger may then be the number, not its
    letters.
    """
    if target.description is not None:
        return target.description.kind in _VALUES
    letters = [char for char in target.text or "" if char.isalnum()]
    return 2 * sum(char.isdigit() for char in letters) >= max(1, len(letters))


def _may_mean_the_value(verb: str, rest: str, named: tuple[Target, ...]) -> bool:
    """ "Double the price", "reduce '50%' by half", "lower the price": of the text or of the number,
    nobody tells.
    """
    said = re.sub(_Q, "", rest)
    return verb in OF_VALUES and not _OF_SIZE.search(said) and any(map(_is_value, named))


def _resize(text: str, told: Told) -> Operations:
    up: bool | None
    for verbs, up in (
        (LARGER, True),
        (SMALLER, False),
        (FACTORS, None),
        (SCALE, None),
        (SHOW, None),
        (_WITH_PARTICLE, None),
    ):
        verb, rest = _after(verbs, text)
        if not verb:
            continue
        if operations := _as_wide(rest, told):
            return operations
        if _OTHER_MEASURE.search(re.sub(_Q, "", rest)):
            return []
        if verb in SHOW and verb not in (*SCALE, "bring", "get"):
            continue
        found = _with_particle(verb, rest, up)
        if found is None:
            continue
        rest, up = found
        for named, said in _split(rest, told, says.amount, says.centred):
            if _may_mean_the_value(verb, rest, named):
                return []
            if verb in FACTORS:
                amount = FACTORS[verb] if "factor" not in said else None
            else:
                amount = says.scaled(said, up)
            if amount:
                centred = bool(said.get("centred"))
                return [Operation(kind="resize", targets=named, amount=amount, centred=centred)]
    return []


def _with_particle(verb: str, rest: str, up: bool | None) -> tuple[str, bool | None] | None:
    """What follows a verb without its "up" or "down", and whether that says larger; None for a verb
    that is nothing without one ("blow").
    """
    particle = re.search(r"(?<=[a-z>,]) (up|down)(?= |,|$)", rest)
    if particle is None and re.match(r"(?:up|down) ", rest):
        particle = re.match(r"(up|down)(?= )", rest)
    if verb in ("scale", *_WITH_PARTICLE) and particle:
        told = PARTICLES[particle[1]]
        return f"{rest[: particle.start()]}{rest[particle.end() :]}".strip(), told
    return None if verb in _WITH_PARTICLE else (rest, up)


_WITH_PARTICLE = ("blow", "bring", "get", "take", "cut", "bump")
_TOWARDS = (says.source, says.beside, says.where, says.across, says.way, says.by_pixels,
            says.slightly, says.centred, says.on_its_thing)  # fmt: skip


def _move(text: str, told: Told) -> Operations:
    verb, rest = _after(CENTRE, text)
    if verb:
        for named, _ in _split(rest, told, says.across, says.where):
            return (
                [Operation(kind="move", targets=named[:1], place=("center across"))]
                if len(named) == 1
                else []
            )
    verb, rest = _after(MOVE, text)
    if not verb:
        return []
    for named, said in _split(rest, told, *_TOWARDS, located=False):
        if moved := _moved(verb, named, said):
            return [moved]
    for named, said in _split(rest, told, *_TOWARDS):
        if moved := _moved(verb, named, said):
            return [moved]
    return []


def _moved(verb: str, named: tuple[Target, ...], said: Said) -> Operation | None:
    if _may_mean_the_value(verb, "", named) and "place" not in said and "anchor" not in said:
        return None
    place = said.get("place") or (GO.get(verb) if "anchor" not in said else None)
    if place is None and said.get("centred"):
        place = "center across"
    if place is None or len(named) != 1:
        return None
    if "on" in said and not (_quoted(said) or place.startswith("go ")):
        return None  # a corner of a thing is no corner of the picture
    pixels, slight = said.get("pixels"), bool(said.get("slight"))
    if (pixels or slight) and place in ("top", "bottom", "left", "right"):
        place = {"top": "go up", "bottom": "go down"}.get(place, f"go {place}")
    return Operation(
        kind="move",
        targets=named,
        place=place,
        anchor=said.get("anchor"),
        amount=pixels,
        share=said.get("share"),
        slight=slight,
        centred=bool(said.get("centred")) and place != "center across",
    )


_COMMANDS: tuple[Callable[[str, Told], Operations], ...] = (
    _insert, _delete, _swap, _rotate, _restyle, _change, _looks, _resize, _move,
)  # fmt: skip
