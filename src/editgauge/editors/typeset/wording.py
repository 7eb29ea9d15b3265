"""Sentences brought into the form of a command, before the grammar reads them: requests lose their
politeness, a passive becomes its verb, and a place that comes first goes to the end.

Works on lower-case text in which quoted parts stand as ``<0>``, ``<1>``. Nothing here knows what an
operation is; a sentence that no rule fits stays as it is.
"""

from __future__ import annotations

import re

_REQUEST = re.compile(
    r"^(?:please |pls |plz |kindly |now |then |simply |just |try to |"
    r"(?:can|could|would|will) you (?:please |kindly |help me (?:to )?)?|"
    r"(?:i|we) (?:want|need|would like|'d like|wish) (?:you )?to |"
    r"help (?:me|us) (?:to )?|let us |let's |you (?:should|must|need to) |"
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
_HAVE = re.compile(r"^(?:have|get) (?P<what>.*?<\d+>) (?P<how>[a-z].*)$")
_GONE = re.compile(
    rf"^(?:(?:make|let) )?(?P<what>.*?<\d+>)(?: {_MODAL})? "
    r"(?:disappear|vanish|go away|be gone)\b.*$"
)
_TAKEN = re.compile(r"^take (?P<what>.*?<\d+>) (?:off|out|away)\b(?P<tail>.*)$")
_GIVEN = re.compile(r"^give (?P<what>.*?<\d+>) an? (?P<how>.+?)(?: (?:text |font )?colou?r)$")
_APPENDED = re.compile(r"^(?P<verb>append|attach|prepend) (?P<new>.*?<\d+>) to (?P<what>.*?<\d+>)$")
_FIRST = re.compile(
    r"^(?P<place>(?:below|beneath|under|underneath|above|over|before|after|in|at|on|to|next|beside|"
    r"behind)\b[^,]*),? (?P<main>(?:please )?(?:add|insert|write|put|place|include|type|print)\b"
    r".*)$"
)
_STEMS = {
    "put": "put", "made": "make", "written": "write", "taken": "take", "drawn": "draw",
    "cut": "cut", "set": "set", "shrunk": "shrink", "swapped": "swap", "erased": "erase",
    "moved": "move", "removed": "remove", "deleted": "delete", "rotated": "rotate",
    "replaced": "replace", "changed": "change", "placed": "place", "enlarged": "enlarge",
    "reduced": "reduce", "scaled": "scale", "increased": "increase", "decreased": "decrease",
    "doubled": "double", "halved": "halve", "coloured": "colour", "colored": "color",
    "recoloured": "recolour", "recolored": "recolor", "exchanged": "exchange",
    "relocated": "relocate", "repositioned": "reposition", "substituted": "substitute",
    "updated": "update", "included": "include", "eliminated": "eliminate", "wiped": "wipe",
    "dragged": "drag", "omitted": "omit", "dropped": "drop",
}  # fmt: skip


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
    return word in _STEMS or (word.endswith("ed") and len(word) > 4)


def _acted(what: str, how: str) -> str:
    verb, _, tail = how.partition(" ")
    while verb.endswith("ly") and tail:  # "slightly enlarged"
        verb, _, tail = tail.partition(" ")
    if not _is_participle(verb):
        return f"make {what} {how.removeprefix('in ')}"
    stem = _STEMS.get(verb, verb[:-2])
    return f"{stem} {what} {tail}".strip()


def _others(text: str) -> str | None:
    if (found := _HAVE.match(text)) and _is_participle(found["how"].split(" ")[0]):
        return _acted(found["what"], found["how"])
    if found := _BECOME.match(text):
        return f"change the color of {found['what']} to {found['how']}"
    if found := _GIVEN.match(text):
        return f"make {found['what']} {found['how']}"
    if found := _APPENDED.match(text):
        side = "before" if found["verb"] == "prepend" else "after"
        return f"insert {found['new']} {side} {found['what']}"
    if found := _FIRST.match(text):
        return f"{found['main']} {found['place']}"
    return None
