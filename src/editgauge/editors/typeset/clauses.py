"""An instruction cut into what it says: quoted texts taken out, sentences and parts told apart, and
each part brought into the form of a command.

Works on lower-case text in which quoted parts stand as ``<0>``, ``<1>``. A request loses its
politeness, a passive becomes its verb, a place that comes first goes to the end, and a part that
only tells what is to stay is no command. A sentence that no rule fits stays as it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from editgauge.editors.typeset.vocabulary import (
    CENTRE,
    CHANGE,
    DELETE,
    FACTORS,
    INSERT,
    LARGER,
    MOVE,
    PARTICIPLES,
    ROTATE,
    SCALE,
    SHOW,
    SIDE_WORDS,
    SMALLER,
    STAYING,
    SWAP,
    any_of,
)
from editgauge.instructions import quoted

QUOTE = r"<(\d+)>"
"""The pattern of a quoted text; one group."""
_FURTHER_VERBS = ("take", "underline", "cross out", "strike", (
    "capitali[sz]e"
), "bold", "italici[sz]e",
                  "blow", "bring", "use", "apply", "translate", "align", "draw", "highlight",
                  "calculate", "compute", "close", "move", "have", "let")  # fmt: skip
_FIRST_WORDS = {
    verb.split(" ")[0]
    for verbs in (CENTRE, CHANGE, DELETE, FACTORS, INSERT, LARGER, MOVE, ROTATE, SCALE, SHOW,
                  SMALLER, SWAP, _FURTHER_VERBS)
    for verb in verbs
} - {"get", "make"}  # fmt: skip
VERB = rf"(?:{any_of(_FIRST_WORDS)}|get|make(?! sure\b))"
"""The first word of a command."""

# --- quoted texts ---------------------------------------------------------------------------------


def cut_quotes(text: str) -> tuple[str, list[str]]:
    """The text with each quoted part replaced by ``<n>``, and the quoted parts in order."""
    out: list[str] = []
    quotes: list[str] = []
    position = 0
    for quote in quoted(text):
        out.append(f"{_bare(text[position : quote.start])} <{len(quotes)}> ")
        quotes.append(quote.text)
        position = quote.end
    return "".join(out) + _bare(text[position:]), quotes


def _bare(text: str) -> str:
    """Without what looks like one of our own marks."""
    return re.sub(r"<(\d+)>", r" \1 ", text)


_VALUE = r"[A-Z][\w'&-]*(?: (?:[A-Z0-9][\w'&-]*|&))*"
_NUMBER = r"[+$€£]?\d[\d.,:/-]*\d(?: ?[ap]m\b)?|\d+"
_MEASURE = (
    r"(?! ?(?:%|percent|per cent|px|pixels?|degrees?|°|times|x\b|points?|pt|minutes|hours|days))"
)
_SAID = re.compile(
    rf"\b(?P<lead>(?i:be called|be named|says?|reads?|saying|reading|to be|be|becomes?|shows?|"
    rf"with|to|into|by|not|replace|change|"
    rf"the name|the words?|the text|the number|the year|the date|than|instead of|from|for|add|"
    rf"write|append|insert) )(?P<value>{_VALUE}|(?:{_NUMBER}){_MEASURE})(?=[ ,.;:!?]|$)(?![.,:]\d)"
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


def quote_values(masked: str, quotes: list[str]) -> str:
    """The text with names, capitals and numbers that stand for a text made quoted ones, which are
    added to `quotes`.
    """

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


# --- parts ----------------------------------------------------------------------------------------

_STAYS = any_of(STAYING)
_NOUNS_TOO = any_of(
    ("style", "format", "colou?r", "type", "print", "display", "place", "size", "fill", "mark",
     "cut", "set", "tilt", "turn", "bold", "highlight", "scale", "cent(?:er|re)", "shift", "drop")
)  # fmt: skip
_COMMANDED = (
    rf"(?:(?!{_NOUNS_TOO} ){VERB} (?:rid |out |up |down |away |back )?(?=(?:it|them|the|"
    rf"this|that|these|those|"
    r"all|both|an?|its|our|my|your)\b|<)|"
    rf"{_NOUNS_TOO} (?:it|them|<)|(?:underline|delete|remove|erase) )"
)
"""The verb of a command within a sentence, with what shows that it is one."""
_CUT = re.compile(
    rf"(?:[.;:!?]+|\s[-–—])\s+|"
    rf",? (?:so(?! (?:that|it|there|as)\b)|therefore|thus|and then|then) (?:please )?(?=\w)|"
    rf",? but (?=(?:please )?(?:{VERB}|the|it|they|nothing|no)\b)|"
    rf",? and (?:also )?(?=(?:please )?{_COMMANDED})|"
    rf", (?=(?:please )?{_COMMANDED})|"
    rf",? (?:(?:and|but|while) )?(?={_STAYS}\b)|"
    r", (?=(?:the|other|all other) (?:[\w'-]+ ){1,8}?(?:as (?:it|they) (?:is|are)|unchanged|"
    r"(?:should |must )?stays?|(?:should |must )?remains?|(?:should|must|may|can|shall) not be))"
)
_KEPT = re.compile(
    rf"^(?:and |but |please |while )*(?:{_STAYS}|without|nothing else|no other|everything else|"
    r"all (?:the )?(?:other|rest)|all else|the rest|the others?|other (?:\w+ "
    r")?(?:elements|texts?|parts|"
    r"contents?))\b|"
    r"\b(?:stays?|staying|remains?|unchanged|untouched|as (?:it|they) (?:is|are|was|were)|"
    r"(?:it|they) (?:may|can|should|must) (?:use|stay|remain|keep|still|not)|as before|"
    r"where (?:it|they) (?:is|are)|"
    r"(?:should|must|may|can|shall) ?(?:not|n't) be (?:changed|touched|moved|altered|modified|"
    r"affected|edited))\b"
)
_STARTS = re.compile(rf"(?:please |kindly )*{VERB}\b")


@dataclass(frozen=True, slots=True)
class Part:
    """One part of an instruction: what it says, and whether that only tells what stays."""

    text: str
    kept: bool


def parts(masked: str) -> list[Part]:
    """The parts of an instruction whose quoted texts are cut out, in order."""
    text = re.sub(r"\s+", " ", masked.lower().replace("’", "'")).strip(" .!")
    text = _taken_and_put(text)
    pieces = [piece.strip(" ,.") for piece in _CUT.split(text)]
    return [
        Part(piece, kept=bool(_KEPT.search(piece)) and not _commands(piece))
        for piece in _rejoined([piece for piece in pieces if piece])
    ]


def _commands(piece: str) -> bool:
    return _STARTS.match(piece) is not None and re.match(_STAYS + r"\b", piece) is None


def _rejoined(pieces: list[str]) -> list[str]:
    """A place that comes first belongs to what follows it."""
    joined: list[str] = []
    for piece in pieces:
        if (
            joined
            and re.match(rf"(?:{SIDE_WORDS}|on|in|at|to|instead of) [^,]*$", joined[-1])
            and not re.search(rf"\b(?:{_COMMANDED}|should|has to|must|says?|reads?)", joined[-1])
        ):
            joined[-1] = f"{joined[-1]}, {piece}"
        else:
            joined.append(piece)
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


# --- commands -------------------------------------------------------------------------------------

_REQUEST = re.compile(
    r"^(?:please |pls |plz |kindly |now |then |and |so |simply |just |try to |help "
    r"(?:me|us) (?:to )?|"
    r"(?:can|could|would|will) you (?:please |kindly |help me (?:to )?)?|"
    r"(?:i|we) (?:want|need|would like|'d like|wish) (?:you )?to |"
    r"let us |let's |you (?:should|must|need to) |"
    r"(?:directly|carefully|also|only|slightly|properly|appropriately) (?=[a-z]+ )|"
    r"in (?:the|this) (?:image|picture|photo|poster),? (?=[a-z]+ ))+"
)
_MODAL = r"(?:should|must|shall|needs? to|has to|have to|is to|are to|ought to)"
_ASKED = re.compile(
    r"^(?:can|could|may|might|shall|would) (?P<what>(?!you |we |i )[^,]+?) (?P<how>be .+)$"
)
_PASSIVE = re.compile(
    rf"^(?P<what>.*?<\d+>.*?|(?:the|this|that|our|my|your) [\w' -]+?) {_MODAL} be (?P<how>.+)$"
)
_WANTED = re.compile(
    r"^(?:i|we)(?: want| need| would like|'d like) (?:(?P<what>.*?<\d+>)(?: to be)? (?P<how>.+)|"
    r"(?P<that>the [\w' -]+?) (?:to be )?(?P<so>(?:in |removed|deleted|bigger|larger|"
    r"smaller|bold).*))$"
)
_BECOME = re.compile(
    rf"^the colou?r of (?P<what>.*?<\d+>) (?:{_MODAL} )?"
    r"(?:become|turn|change to)s? (?P<how>.+)$"
)
_HAVE = re.compile(r"^(?:have|get|let) (?P<what>.*?<\d+>|the [\w' -]+?) (?P<how>[a-z].*)$")
_LET = re.compile(r"^(?:have|let) (?P<what>.+?) be (?P<how>(?!called|named)[a-z].*)$")
_GONE = re.compile(
    rf"^(?:(?:make|let) )?(?P<what>.*?<\d+>)(?: {_MODAL})? "
    r"(?:disappear|vanish|go away|be gone)\b.*$"
)
_TAKEN = re.compile(r"^take (?P<what>.*?<\d+>|the [\w' -]+?) (?:off|out|away)\b(?P<tail>.*)$")
_GIVEN = re.compile(r"^give (?P<what>.*?<\d+>) an? (?P<how>.+?)(?: (?:text |font )?colou?r)$")
_APPENDED = re.compile(
    r"^(?P<verb>append|attach|prepend) (?P<new>.*?<\d+>) to "
    r"(?P<what>(?!the (?:very )?(?:end|start|beginning|front|back)).*?<\d+>)$"
)
_FIRST = re.compile(
    rf"^(?P<place>(?:{SIDE_WORDS}|in|at|on|to)\b[^,]*),? "
    r"(?P<main>(?:please )?(?:add|insert|write|put|place|include|type|print|set)\b.*)$"
)

_SCENE = re.compile(rf"^(?P<place>(?:on|in|at) (?:the|this) [\w' -]+), (?P<main>{VERB} .*)$")


def imperative(text: str) -> str:
    """The sentence as a command: ``<0> should be removed`` becomes ``remove <0>``."""
    text = _REQUEST.sub("", text).strip().rstrip("?!. ")
    text = _ASKED.sub(r"\g<what> should \g<how>", text)
    for rule in (_gone, _turned, _wanted, _others):
        told = rule(text)
        if told is not None:
            return told
    return text


def _gone(text: str) -> str | None:
    if found := _GONE.match(text):
        return f"delete {found['what']}"
    if found := _TAKEN.match(text):
        return f"delete {found['what']}"
    return None


def _turned(text: str) -> str | None:
    """A passive: what follows ``be`` is a verb, or a state."""
    found = _PASSIVE.match(text)
    return _acted(found["what"], found["how"]) if found else None


def _wanted(text: str) -> str | None:
    found = _WANTED.match(text)
    return _acted(found["what"] or found["that"], found["how"] or found["so"]) if found else None


def _is_participle(word: str) -> bool:
    return word in PARTICIPLES or (word.endswith("ed") and len(word) > 4)


def _acted(what: str, how: str) -> str:
    verb, _, tail = how.partition(" ")
    while verb.endswith("ly") and tail:  # "slightly enlarged"
        verb, _, tail = tail.partition(" ")
    if not _is_participle(verb) or re.fullmatch("underlined|crossed", verb):
        return f"make {what} {how}"
    stem = PARTICIPLES.get(verb, verb[:-2])
    return f"{stem} {what} {tail}".strip()


def _others(text: str) -> str | None:
    if found := _LET.match(text):
        return _acted(found["what"], found["how"])
    if (found := _HAVE.match(text)) and _is_participle(found["how"].split(" ")[0]):
        return _acted(found["what"], found["how"])
    if found := _BECOME.match(text):
        return f"change the color of {found['what']} to {found['how']}"
    if found := _GIVEN.match(text):
        return f"make {found['what']} {found['how']}"
    if found := _APPENDED.match(text):
        side = "before" if found["verb"] == "prepend" else "after"
        return f"insert {found['new']} {side} {found['what']}"
    if found := _FIRST.match(text) or _SCENE.match(text):
        return f"{found['main']} {found['place']}"
    return None
