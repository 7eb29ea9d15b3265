"""A small grammar for text-editing instructions: which operation, on which text, with what.

Not a language model: quoted texts are cut out first (`editgauge.instructions` knows quotes and
changes), then the rest is matched against patterns of verbs, places, colours and amounts. What no
pattern covers is not understood, and said so; nothing is guessed. The wordings are those of
TextEdit ("Replace the text 'A' with 'B'") and TextEditBench (arXiv 2512.16270), written here as
patterns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast

from editgauge.editors.typeset.colours import COLOUR as _COLOUR
from editgauge.editors.typeset.colours import Colour
from editgauge.editors.typeset.colours import shade as _shade
from editgauge.editors.typeset.phrases import SIDE_WORDS as _SIDE_WORDS
from editgauge.editors.typeset.phrases import SIDES as _SIDES
from editgauge.editors.typeset.phrases import Description
from editgauge.editors.typeset.wording import imperative
from editgauge.instructions import quoted, read_instruction

Kind = Literal[
    "change", "insert", "delete", "move", "swap", "resize", "recolour", "rotate", "restyle"
]
Role = Literal[
    "title",
    "all",
    "only",
    "single",
    "top",
    "bottom",
    "middle",
    "largest",
    "top left",
    "top right",
    "bottom left",
    "bottom right",
]
Manner = Literal["bold", "italic", "underlined", "struck", "upper", "lower"]


@dataclass(frozen=True, slots=True)
class Span:
    """The letters `start` to `end` of line number `line`."""

    line: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Target:
    """Which text is meant: by its words, by its role in the picture, or by a description; the
    others are None. `spans`: where those words stand, once that is known.
    """

    text: str | None = None
    role: Role | None = None
    description: Description | None = None
    spans: tuple[Span, ...] = ()

    def __str__(self) -> str:
        if self.description is not None:
            return repr(self.description.told)
        return repr(self.text) if self.text is not None else f"the {self.role} text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One thing to do. Which fields are set follows from `kind`:

    change: `targets` (one), `text`. insert: `text` and `place`, or `place` relative to `targets`
    (one; two for ``between``), and perhaps `colour` and `amount` (its size as a factor). delete:
    `targets` (one or more). move: `targets` and `place` (a corner, a side, a direction, or before,
    after, above, below `anchor`), `amount` in pixels if told, or `share`, a part of the picture's
    width or height. swap: two targets. resize: `targets` and `amount` (factor), or `anchor` (as
    wide as that text). recolour: `targets` and `colour`, or that of `anchor`. rotate: `targets`,
    `amount` in degrees, positive = counterclockwise. restyle: `targets` and `manner`. `slight`: by
    less than usual. `centred`: move across the picture, resize about its own centre.
    """

    kind: Kind
    targets: tuple[Target, ...] = ()
    text: str | None = None
    place: str | None = None
    amount: float | None = None
    colour: Colour | None = None
    anchor: Target | None = None
    manner: Manner | None = None
    slight: bool = False
    share: float | None = None
    centred: bool = False


MAX_COMMAND = 2_000
"""Characters of an instruction that is read, five times as many as the longest of the benchmarks
has: some patterns take time with the square of a sentence's words.
"""


def read_operations(instruction: str) -> tuple[Operation, ...]:
    """The operations that an instruction asks for, in order; empty where no pattern covers it, or
    one of its parts: half of what was asked for is not what was asked for.

    Texts are taken exactly as quoted: case, spaces and punctuation are the instruction's own.
    """
    if len(instruction) > MAX_COMMAND:
        return ()
    parts = [_read_one(clause) for clause in clauses(instruction)]
    return tuple(operation for part in parts for operation in part) if all(parts) else ()


_VERB = (
    r"(?:please |kindly )?(?:delete|remove|erase|add|insert|append|replace|change|move|shift|"
    r"relocate|rotate|tilt|swap|exchange|enlarge|shrink|reduce|increase|scale|resize|recolou?r|turn|"
    r"make(?! sure\b)|underline|translate|correct|write|put|substitute|set|modify|update|paint|"
    r"wipe|scrub|drop|double|halve|align|(?:colou?r|bold|highlight)(?= (?:it|them|the)\b))\b"
)
_BEGUN = re.compile(_VERB, re.IGNORECASE)
_NEXT = re.compile(
    rf"(?:,? and(?: then| also)?|[;,.](?: and)?(?: then)?) +(?={_VERB})", re.IGNORECASE
)


def clauses(instruction: str) -> list[str]:
    """The parts of an instruction that each begin with the verb of an operation; quoted texts are
    not looked into.
    """
    masked = instruction
    for quote in quoted(instruction):
        hidden = "_" * (quote.end - quote.start)
        masked = masked[: quote.start] + hidden + masked[quote.end :]
    found, start = [], 0
    for cut in _NEXT.finditer(masked):
        part = instruction[start : cut.start()]
        if _BEGUN.match(part.strip()):  # "below A, add B" is one part
            found.append(part)
            start = cut.end()
    return [*found, instruction[start:]]


def _read_one(instruction: str) -> tuple[Operation, ...]:
    rest, quotes = cut_quotes(instruction)
    told = re.sub(r"\s+", " ", rest.lower()).strip(" .")
    command = imperative(told)
    if _told_by_another(command) or _cuts_a_word(command, quotes):
        return ()
    operations = _read_clause(instruction, command, quotes)
    return () if _overlooked(told, quotes, operations) else operations


_TEXTS = (
    r"(?:texts?|words?|phrase|sentence|title|heading|headline|characters?|letters?|numbers?|name|"
    r"captions?|slogan|footnote|footer|label|inscription|lettering|credit|watermark)"
)
_Q = r"<(\d+)>"
_RELATED = re.compile(
    r"\b(?:in front of|around|except|but|beside|behind|left of|right of|next to|below|beneath|"
    r"above|under|underneath|near|after|before|without|with|for|between|inside|contain\w*|starting|"
    r"starts|beginning|begins|ending|ends|including|includes)\b"
)
"""Words between a thing and the text that tells which thing."""
_OWNED = re.compile(r"(?:(?P<noun>[\w-]+)|<\d+>) (?:of|belonging to)\b")
_OF_A_TEXT = re.compile(
    r"(?:texts?|words?|content|spelling|phrase|sentence|title|heading|headline|lettering|letters|"
    r"caption|slogan|name|(?:font|text|letter)?-?(?:size|colou?r|style)s?|fonts?|scale|height|width|"
    r"positions?|places?|locations?|order|line|one|both|front|end|beginning|start|back|part|rid|"
    r"top|bottom|left|right|side|instead)"
)
"""What of a text is the text itself, or a quality or place of it."""
_NAMELESS = re.compile(
    r"\b(?:first|second|third|last|duplicated?|repeated|redundant|extra|superfluous|other) <\d+>|"
    r"\bone of the (?:\w+ )?(?:\w+ )?<\d+>|"
    r"\b(?:duplicated?|repeated|redundant|superfluous|first|second|third|last) "
    r"(?:letters?|words?|characters?|digits?) (?:of )?<\d+>"
)
"""One of several equal texts, or a part of one."""
_A_THING = rf"(?:the|an?|this|its) (?!(?:\w+ )?(?:{_TEXTS}|lines?|other|same|new)\b)(?:\w+ )?\w+"
_AND_A_THING = re.compile(
    rf"^\w+ {_A_THING} and (?:the )?(?:\w+ )?<\d+>|^\w+ (?:the \w+ )?<\d+> and {_A_THING}"
)
"""A list of a quoted text and something else."""
_PLACED = re.compile(
    r"(?:add|insert|put|place|write|append|prepend|include|introduce|attach|type|print|move|shift|"
    r"instead|substitute)\b"
)
"""Commands whose first quoted text is a new one, or is told by no other."""


def _cuts_a_word(command: str, quotes: list[str]) -> bool:
    """Whether a quoted text is a part of a word of another one ("the 's' in 'cats'")."""
    found = re.search(rf"{_Q} (?:in|of|from|inside|within) (?:the )?(?:\w+ )?{_Q}", command)
    if found is None:
        return False
    part, whole = (quotes[int(number)] for number in found.groups())
    return part in whole and re.search(rf"(?<!\w){re.escape(part)}(?!\w)", whole) is None


def _told_by_another(command: str) -> bool:
    """Whether what is edited is told by a text beside it ("the price of A", "the icon left of A",
    "all except A") or by its order among equal ones: the text that is quoted is not what is meant.
    """
    if (
        _NAMELESS.search(command)
        or _AND_A_THING.search(_until_context(command))
        or re.search(r"\b(?:except|apart from|other than)\b", command)
    ):
        return True
    before, quote, _ = command.partition("<")
    before = re.split(r"[.;:] ", before)[-1]
    if not quote or _PLACED.match(before):
        return False
    owned = _OWNED.search(before)
    return _RELATED.search(before) is not None or (
        owned is not None
        and (owned["noun"] is None or not _OF_A_TEXT.fullmatch(owned["noun"]))
        and re.search(r"\bof (?:the |all )?(?:\w+ ){0,2}$", before) is not None
    )


def _overlooked(told: str, quotes: list[str], operations: Sequence[Operation]) -> bool:
    """Whether a quoted text that is no mere context plays no part in what was understood: then
    there was more to do.
    """
    used = {o.text for o in operations}
    for operation in operations:
        anchors = (operation.anchor,) if operation.anchor else ()
        used |= {target.text for target in (*operation.targets, *anchors)}
    texts = [text for text in used if text]
    named = re.split(r"\b(?:from|of|in|on|at)\b", _until_context(told))[0]
    left = [quotes[int(n)] for n in re.findall(_Q, named) if quotes[int(n)] not in used]
    return any(not all(text in quote for text in texts) for quote in left)  # "A before B: 'AB'"


MANNERS: dict[Manner, str] = {
    "bold": r"bold(?:er|face)?|thicker|heavier",
    "italic": r"italics?|italici[sz]ed|oblique|slanted",
    "underlined": r"underlined?",
    "struck": r"strike ?-?through|struck (?:through|out)|crossed out",
    "upper": r"(?:all )?(?:upper-? ?case|capitals|capital letters|caps|block letters)",
    "lower": r"(?:all )?(?:lower-? ?case|small letters)",
}
MANNER_VERBS: dict[Manner, str] = {
    "bold": r"bold|embolden",
    "italic": r"italici[sz]e|slant",
    "underlined": r"underline|(?:draw|put|add) an? (?:line under|underline (?:to|under|below))",
    "struck": r"strike (?:through|out)|cross out|(?:draw|put) a line through",
    "upper": r"capitali[sz]e",
    "lower": r"lower-?case",
}
_QUALITY = (
    rf"(?:{'|'.join(MANNERS.values())}|bigger|larger|smaller|{_COLOUR.replace('(', '(?:', 1)})"
)
_TWO_QUALITIES = re.compile(
    rf"^(?:make|turn|set|print|show|write) (?P<what>.+?) (?P<one>{_QUALITY}) and "
    rf"(?P<two>{_QUALITY})$"
)


_STAYING = r"keep|retain|preserv|maintain|leav|make sure|ensure|do not|don't|the same"
"""How it is told that something stays."""
_ANOTHER_QUALITY = re.compile(
    rf"\b{_QUALITY} and (?!the\b|{_STAYING}|"
    r"cent(?:er|re)|align|still|with(?:out)?\b|it\b|its\b|"
    r"(?:more )?(?:prominent|visible|readable|legible|noticeable|clear|easy|easier))[a-z]"
)
"""A second thing asked of a text that is neither a quality known here nor what is to stay."""


_EACH_ITS_OWN = re.compile(rf"<\d+>[^<]*\b{_QUALITY}(?:,| and|,? while)[^<]*<\d+>[^<]*\b{_QUALITY}")
"""Two texts that are to become different things ("A red, B blue")."""
_MORE_THAN_A_CHANGE = re.compile(
    r"^(?:align|match|compare|swap|exchange)\b|\baccordingly\b|"
    r"\b(?:colou?r|size|font|style|position|height|width)s? (?:of|in) [^<]*<\d+>[^<]*"
    r"(?:to|into|with|as) [^<]*<\d+>|"
    rf"<\d+>,? and (?!(?:also )?(?:{_STAYING})|(?:the |also )?(?:\w+ )?<)[a-z]|"
    rf"<\d+>,? (?:and )?in {_COLOUR}|<\d+>,? (?:and |but )?in (?:an? )?{_QUALITY}(?: \w+)?$|"
    rf"\b(?:with|to|by|into) an? {_QUALITY} <|\bas [a-z]+ as\b"
)
"""What a change of words alone would leave out."""


def _two_qualities(rest: str, quotes: list[str]) -> tuple[Operation, ...]:
    """ "make A bold and red"; the colour comes first, as the rest takes over what it finds."""
    found = _TWO_QUALITIES.match(rest)
    if found is None:
        return ()
    parts = [_read_clause("", f"make {found['what']} {found[n]}", quotes) for n in ("one", "two")]
    operations = sorted((o for part in parts for o in part), key=lambda o: o.kind != "recolour")
    kinds = {operation.kind for operation in operations}
    return tuple(operations) if len(operations) == 2 and "recolour" in kinds else ()


def _read_clause(instruction: str, rest: str, quotes: list[str]) -> tuple[Operation, ...]:
    if twice := _two_qualities(rest, quotes):
        return twice
    for reader in (_reading, *_READERS):
        operation = reader(rest, quotes)
        if operation is not None:
            return (operation,)
    changes = _changes(instruction)
    if changes:
        return () if _MORE_THAN_A_CHANGE.search(rest) else changes
    if _ANOTHER_QUALITY.search(rest) or _EACH_ITS_OWN.search(rest):
        return ()
    for reader in _LATE_READERS:
        operation = reader(rest, quotes)
        if operation is not None:
            return (operation,)
    unquoted = _unquoted_change(instruction) if not quotes else None
    return (unquoted,) if unquoted is not None else ()


def _changes(instruction: str) -> tuple[Operation, ...]:
    parsed = read_instruction(instruction)
    if parsed.operation is None:
        parsed = read_instruction(instruction, "change")  # "'A' -> 'B'" has no verb
    if parsed.operation != "change":
        return ()
    return tuple(
        Operation(kind="change", targets=(Target(old),), text=new)
        for old, new in parsed.pairs
        if old and new
    )


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


# --- readers: each knows one kind of wording, and says None where it is another -------------------


def _reading(rest: str, quotes: list[str]) -> Operation | None:
    """A change told by what the text is to read: "make A read B", "instead of A, write B"."""
    says = r"(?:to )?(?:says?|reads?|shows?|displays?)"
    words = r"(?:the )?(?:\w+ ){0,4}?"
    for pattern in (
        rf"^(?:make|have|let) {words}{_Q} {says}:? {_Q}$",
        rf"^instead of {words}{_Q} ?,? ?(?:write|put|use|print|show|set|type) {words}{_Q}",
        rf"^(?:correct|fix)\b.*?{_Q} (?:should|must) (?:be|read|say)(?: \w+){{0,2}}? {_Q}$",
        rf"^make {words}{_Q} {_Q}$",
        rf"^substitute {words}(?P<new>{_Q}) for {words}(?P<old>{_Q})",
    ):
        found = re.match(pattern, rest)
        if found is not None:
            old, new = (quotes[int(n)] for n in re.findall(_Q, found[0])[:2])
            if found.groupdict():
                old, new = new, old
            return (
                Operation(kind="change", targets=(Target(old),), text=new) if old and new else None
            )
    return None


_NO_PLAIN_PLACE = re.compile(
    r"\b(?:above and below|below and above|before and after|twice|three times|rotated|turned|"
    r"vertically along|upside down|half (?:of )?(?:its|the) size)\b|"
    r"\bin (?:italics?|bold|capitals|capital letters|upper ?case)\b"
)
"""How a text may be wanted at its place that no rule sets."""
_SMALLER, _MUCH_SMALLER = 0.75, 0.5
"""The size of a new text that is to be smaller than the one beside it."""


def _insert(rest: str, quotes: list[str]) -> Operation | None:
    if not re.match(
        r"(?:please )?(?:\w+ly "
        r")?(?:add|insert|put|place|write|append|prepend|include|introduce|attach|type|print)\b",
        rest,
    ):
        return None
    first = re.search(_Q, rest)
    if first is None or rest.endswith(" instead"):
        return None
    text = quotes[int(first[1])]
    tail = rest[first.end() :]
    if _NO_PLAIN_PLACE.search(tail):
        return None
    coloured = re.search(rf"\bin {_COLOUR}", tail)
    if coloured is not None:
        told = _insert(rest.replace(coloured[0], " "), quotes)
        return replace(told, colour=_shade(coloured[1])) if told is not None else None
    sized = re.search(
        r"(?:,? (?:but|and)|,)? (?:(?P<much>much|a lot|far|clearly)|a (?:little|bit)|slightly)? ?"
        r"(?P<size>smaller|larger|bigger)\b(?: (?:letters|type|font|size))?"
        r"(?=$|,| (?:and|but|in)\b)",
        tail,
    )
    if sized is not None:
        told = _insert(rest.replace(sized[0], ""), quotes)
        factor = _MUCH_SMALLER if sized["much"] else _SMALLER
        amount = factor if sized["size"] == "smaller" else 1 / factor
        return replace(told, amount=amount) if told is not None and told.targets else None
    between = re.search(rf"\bbetween\b(?:\s+\w+){{0,4}}?\s+{_Q} and (?:\w+ ){{0,3}}?{_Q}", tail)
    if between is not None:
        pair = tuple(Target(quotes[int(n)]) for n in between.groups())
        return Operation(kind="insert", targets=pair, text=text, place="between")
    beside = re.search(
        rf"\b(before|in front of|to the left of|left of|after|behind|to the right of|right of|next "
        rf"to|beside|following"
        rf"|above|on top of|over|below|beneath|under|underneath)\b(?:\s+\w+){{0,5}}?\s+{_Q}",
        tail,
    )
    if beside is not None:
        return Operation(
            kind="insert",
            targets=(Target(quotes[int(beside[2])]),),
            text=text,
            place=_SIDES[beside[1]],
        )
    end = re.search(
        rf"\b(?:at|to|on) the (beginning|start|front|end|back) of\b(?:\s+\w+){{0,4}}?\s+{_Q}", tail
    )
    if end is not None:
        side = "after" if end[1] in ("end", "back") else "before"
        return Operation(
            kind="insert", targets=(Target(quotes[int(end[2])]),), text=text, place=side
        )
    role = re.search(rf"\b({_SIDE_WORDS})\b\s+(?P<what>the [\w ]+)$", tail)
    if role is not None and (target := _role(role["what"])) is not None:
        return Operation(kind="insert", targets=(target,), text=text, place=_SIDES[role[1]])
    if _BESIDE_A_THING.search(tail):
        return None
    place = _place(tail)
    return Operation(kind="insert", targets=(), text=text, place=place) if place and text else None


_LISTED = re.compile(
    rf"(?:[ ,;&/]|\b(?:and|or|also|then|both|as well as|plus|of|the|{_TEXTS[3:-1]})\b)*"
)
"""What stands between the texts of a list."""


_LOOKS = (
    r"colou?rs?|sizes?|fonts?|styles?|shadows?|outlines?|underlin\w+|bold|italics?|effects?|glow|"
    r"highlight\w*|borders?|backgrounds?|gradients?|strokes?"
)
"""What a text may have that is not its letters."""


def _delete(rest: str, quotes: list[str]) -> Operation | None:
    if not re.match(
        r"(?:please )?(?:delete|remove|erase|eliminate|clear|get rid of|take out|take away|"
        r"leave out|cut out|omit|drop|strip|wipe|scrub|rub out|blank out|do away with|"
        r"dispose of)\b",
        rest,
    ):
        return None
    if re.search(
        r"\b(?:columns?|sections?|paragraphs?|tables?|rows?|lists?|blocks?|parts?)\b",
        _until_context(rest),
    ):
        return None  # what belongs to a heading is more than its words
    if re.search(
        rf"{_Q} ?,? (?:and|with|along with|together with|plus) (?:its|their|the|all)\b"
        rf"(?! {_TEXTS} +{_Q})",
        rest,
    ):
        return None  # what belongs to a text cannot be told from the words
    if re.search(
        rf"^[^<]*\b(?:{_LOOKS})\b|<\d+>[^<]* and (?!(?:{_STAYING}|restor|fill|clean))[a-z]+[^<]*$",
        rest,
    ):
        return None  # "the colour of A", "A and close the gap"
    named = rest.split(" from ")[0] if " from " in rest else rest
    named = _until_context(named)
    found = re.findall(_Q, named)
    between = re.split(_Q, named)[2:-1:2]
    if not all(_LISTED.fullmatch(words) for words in between):
        return None  # "delete A and draw B there" is more than a list
    if found:
        return Operation(kind="delete", targets=tuple(Target(quotes[int(n)]) for n in found))
    target = _role(rest)
    return Operation(kind="delete", targets=(target,)) if target is not None else None


def _swap(rest: str, quotes: list[str]) -> Operation | None:
    traded = r"\b(?:trade|change|switch|swap) (?:their )?(?:places|positions)\b"
    if not re.search(rf"\b(?:swap|switch|exchange|interchange)\b|{traded}", rest):
        return None
    if re.search(r"\b(?:colou?rs?|sizes?|fonts?|styles?) (?:of|between)\b", rest):
        return None
    found = re.findall(_Q, rest)
    if len(found) != 2 or not re.search(rf"positions?|places?|locations?|{_Q} (?:and|with) ", rest):
        return None
    return Operation(kind="swap", targets=tuple(Target(quotes[int(n)]) for n in found))


def _rotate(rest: str, quotes: list[str]) -> Operation | None:
    if not re.search(r"\b(?:rotat\w*|tilt\w*|turn|spin)\b", rest) and "upside down" not in rest:
        return None
    degrees = re.search(r"(-?\d+(?:\.\d+)?)\s*(?:°|º|deg)", rest)
    if degrees is not None:
        amount = float(degrees[1])
    elif "upside down" in rest:
        amount = 180.0
    elif re.search(r"\b(?:rotat|tilt)", rest) and re.search(r"\b(?:vertical\w*|sideways)\b", rest):
        amount = 90.0
    elif re.search(r"\btilt\w*", rest):
        amount = 10.0
    else:
        return None
    clockwise = re.search(
        r"(?<!counter)(?<!counter-)(?<!anti)(?<!anti-)\bclockwise|to the right", rest
    )
    if clockwise is not None and not re.search(r"counter|anti", rest):
        amount = -amount
    targets = _targets(rest, quotes)
    return Operation(kind="rotate", targets=targets, amount=amount) if targets else None


def _recolour(rest: str, quotes: list[str]) -> Operation | None:
    if re.search(r"\bbackground\b", rest) and not re.search(
        r"\b(?:text|font|word|title|letter)", rest
    ):
        return None
    if re.search(
        r"\b(?:swap|same colou?r|outlines?|outlined|borders?|gradients?|shadows?|glow|strokes?)\b",
        _until_context(rest),
    ):
        return None
    name = _COLOUR
    found = re.search(
        rf"\b(?:to|into|in|with|be|becomes?|as|using)\s+(?:the )?(?:colou?rs? )?(?:a )?{name}", rest
    )
    if found is None:
        found = re.search(
            rf"^(?:make|colou?r|paint|turn|set|dye|tint)\b.*?(?:{_Q}|{_TEXTS})(?: colou?r)?\s+"
            rf"{name}",
            rest,
        )
        colour = found[2] if found is not None else None
    else:
        colour = found[1]
    if found is None or colour is None:
        return None
    if not re.match(
        r"(?:please "
        r")?(?:make|(?:re)?colou?r|paint|turn|set|dye|change|convert|modify|adjust|alter|switch|"
        r"render|fill|mark|show|display|tint|print)\b",
        rest,
    ):
        return None
    targets = _targets(rest[: found.start()] or rest, quotes) or _targets(rest, quotes)
    return Operation(kind="recolour", targets=targets, colour=_shade(colour)) if targets else None


_UNLIKE = rf"\b(?:not|nothing|never|only|no longer|less|unbold|from|remove)\b|{_COLOUR}"
"""Words beside which a manner is not what is asked for, or not all of it."""


def _restyle(rest: str, quotes: list[str]) -> Operation | None:
    """Bold, italic, underlined, struck through, in capitals or small letters: one of them."""
    asked = _until_context(rest).strip(" ,")
    if re.search(_UNLIKE, asked):
        return None
    verbs = r"(?:make|set|turn|change|convert|render|put|write|display|show|print|style|format)"
    for manner, words in MANNERS.items():
        plain = re.match(rf"{verbs}\b(?P<what>.*?)\b(?:{words})(?: (?:\w+ )?\w+)?$", asked)
        verb = re.match(rf"(?:{MANNER_VERBS[manner]})\b(?P<what>.*)$", rest)
        found = verb or plain
        targets = _targets(found["what"], quotes) if found is not None else ()
        if targets:
            return Operation(kind="restyle", targets=targets, manner=manner)
    return None


def _resize(rest: str, quotes: list[str]) -> Operation | None:
    bigger = re.search(
        r"\b(?:bigger|larger|enlarg\w*|scaled? "
        r"up|increas\w*|expand\w*|magnif\w*|grow|double|triple|twice)\b",
        rest,
    )
    smaller = re.search(
        r"\b(?:smaller|shrink\w*|reduc\w*|scaled? "
        r"down|decreas\w*|diminish|minif\w*|halve|downscale|downsize)\b",
        rest,
    )
    if re.match(r"(?:add|insert|append|include|attach|type)\b", rest):
        return None
    general = re.match(r"(?:please )?(?:resize|scale|adjust the size|change the size)\b", rest)
    if not (bigger or smaller or general) or re.search(
        r"\bspacing\b|\bbold|\bthick|er than\b|\buntil\b|ly only\b|"
        r"\bonly (?:horizontal|vertical)|\bfills?\b|\bspans?\b",
        rest,
    ):
        return None
    if like := re.search(
        rf"\b(?:length|width|size|wide|long|large|big)\b(?: \w+){{0,4}}?\s+{_Q}", rest
    ):
        owner = _targets(rest[: like.start()], quotes)
        if owner:
            return Operation(kind="resize", targets=owner, anchor=Target(quotes[int(like[1])]))
    if re.search(
        r"\bas (?:wide|long|large|big|tall|high) as\b(?! (?:it|before|now|possible))", rest
    ):
        return None  # as another text, which no quote names
    amount = _factor(rest, up=bool(bigger), known=bool(bigger or smaller))
    if amount is not None and (amount < 1 if bigger else amount > 1 and smaller is not None):
        return None  # larger, and by that amount smaller: one of the two is misread
    before = re.split(
        r"\b(?:so that|so as|while|to (?:fit|match|make|align)|without|keeping)\b", rest
    )[0]
    targets = _targets(before, quotes) or _targets(rest, quotes)
    kept = re.search(r"\bkeep\w*\b.*\bcent(?:er|re)", rest) is not None
    return (
        Operation(kind="resize", targets=targets, amount=amount, centred=kept)
        if targets and amount
        else None
    )


def _move(rest: str, quotes: list[str]) -> Operation | None:
    if not re.match(
        r"(?:please "
        r")?(?:move|shift|relocat\w*|reposition|place|put|transfer|drag|bring|push|align|cent(?:er|re)|lower|raise|lift|slide"
        r"|change the position)\b",
        rest,
    ):
        return None
    named = re.split(r"\b(?:while|keep\w*|without)\b", rest)[0]
    if len(re.findall(_Q, rest)) > 2 or _NO_PLAIN_PLACE.search(rest):
        return None  # "from the left of B to the right of C"
    beside = re.search(rf"\b({_SIDE_WORDS})\b(?:\s+\w+){{0,4}}?\s+{_Q}", rest)
    if beside is None and len(re.findall(_Q, named)) > 1:
        return None  # "up to the height of B"
    if re.search(r"\bby \d+(?:\.\d+)? ?(?!px|pixels?|\d|\.)[a-z%]", rest):
        return None  # "by 2 cm"
    owner = _targets(rest[: beside.start()] if beside else _until_context(rest), quotes)
    owner = owner or (_targets(rest, quotes) if beside is None else ())
    if not owner:
        return None
    if beside is not None:
        return Operation(
            kind="move",
            targets=owner[:1],
            place=_SIDES[beside[1]],
            anchor=Target(quotes[int(beside[2])]),
        )
    if _BESIDE_A_THING.search(re.split(_Q, rest, maxsplit=1)[-1]):
        return None
    goal = re.split(r"\bfrom\b", rest)[-1]
    goal = re.split(r"\bto\b", goal)[-1] if re.search(r"\bto\b", goal) else rest
    slight = _SLIGHT.search(rest) is not None
    pixels = re.search(r"(\d+)\s*(?:px|pixels?)\b", rest)
    place = (_direction(goal) if slight or pixels else None) or _place(goal) or _direction(rest)
    if place is None:
        return None
    return Operation(
        kind="move",
        targets=owner[:1],
        place=place,
        amount=float(pixels[1]) if pixels else None,
        slight=slight,
    )


_WHOLE = (
    r"image|picture|photo|poster|canvas|page|frame|whole|entire|slide|cover|screen|document|design|"
    r"layout|sheet|flyer|drawing"
)
_BESIDE_A_THING = re.compile(
    r"\b(?:before|in front of|behind|next to|beside|above|on top of|over|below|beneath|under|"
    r"underneath|left of|right of) (?:the|this|that|an?|its|each) "
    rf"(?!{_WHOLE})"
)
"""A place told by something that no quote names, which is not to be left out of a command."""
_SLIGHT = re.compile(r"\b(?:little|bit|slightly|somewhat)\b")


_READERS: tuple[Callable[[str, list[str]], Operation | None], ...] = (
    _insert,
    _delete,
    _swap,
    _rotate,
)
_LATE_READERS: tuple[Callable[[str, list[str]], Operation | None], ...] = (
    _restyle,
    _recolour,
    _resize,
    _move,
)


def _unquoted_change(instruction: str) -> Operation | None:
    """ "Replace SALE with OFFER": only words written in capitals or digits count as a text when
    nothing is quoted.
    """
    word = r"([A-Z0-9][A-Z0-9&'!?.,:%$ -]*[A-Z0-9!?%]|[A-Z0-9])"
    found = re.match(
        rf"(?i:replace|change)\s+(?i:the )?(?i:text |word |number "
        rf")?{word}\s+(?:with|to|by|into)\s+{word}[.\s]*$",
        instruction,
    )
    return (
        Operation(kind="change", targets=(Target(found[1].strip()),), text=found[2].strip())
        if found
        else None
    )


# --- parts of a sentence ------------------------------------------------------------------------


def _targets(rest: str, quotes: list[str]) -> tuple[Target, ...]:
    if re.search(rf"{_Q} (?:in|of|inside|within) (?:the )?(?:\w+ )?{_Q}", rest):
        return ()  # a part of a text, which may stand elsewhere, too
    found = [Target(quotes[int(n)]) for n in re.findall(_Q, rest)]
    if found:
        return tuple(found)
    role = _role(rest)
    return (role,) if role is not None else ()


_OF_THE_WHOLE = re.compile(
    r"the|this|that|a|an|main|big|large|whole|entire|overall|my|our|your|its|top|largest|biggest|of|"
    r"poster|diagram|chart|page|slide|picture|image|document|cover|menu|book|\S+['’]s?|"
    r"bold|text|" + _COLOUR
)
"""What may stand before "title" when the picture's own one is meant: an axis has a title, too."""


def _role(rest: str) -> Target | None:
    """The text that a description means, as far as a picture's geometry can tell; None for anything
    else.
    """
    if re.search(
        r"\b(?:first|second|third|last|column|row|chinese|english|logo|icon|date|time|address)\b",
        rest,
    ):
        return None
    if re.search(rf"\b(?:all|every|each|whole|entire)\b(?: of)?(?: the)? {_TEXTS}", rest):
        return Target(role="all")
    corner = re.search(
        rf"{_TEXTS} (?:at|in|on) the (top|upper|bottom|lower)[ -](left|right)\b", rest
    )
    if corner is not None:
        row = {"upper": "top", "lower": "bottom"}.get(corner[1], corner[1])
        return Target(role=cast(Role, f"{row} {corner[2]}"))
    if re.search(r"\b(?:bottom-?most|lowest|very bottom)\b", rest) or re.search(
        rf"{_TEXTS} (?:at|on|in) the bottom\b", rest
    ):
        return Target(role="bottom")
    if re.search(r"\b(?:top-?most|uppermost|highest)\b", rest) or re.search(
        rf"{_TEXTS} (?:at|on|in) the top\b", rest
    ):
        return Target(role="top")
    if re.search(rf"\b(?:largest|biggest|huge|large|big) {_TEXTS}", rest):
        return Target(role="largest")
    if re.search(rf"{_TEXTS} (?:at|on|in) the (?:middle|cent(?:er|re))\b", rest):
        return Target(role="middle")
    if (named := re.search(r"(?:(\S+) )?\b(?:title|headline|heading)s?\b", rest)) and (
        named[1] is None or _OF_THE_WHOLE.fullmatch(named[1])
    ):
        return Target(role="title")
    if re.search(rf"\b(?:the|this) {_TEXTS}\b", rest):
        several = re.search(
            r"\b(?:the|this) (?:texts?|words|phrase|sentence|characters|letters|inscription|"
            r"lettering)\b",
            rest,
        )
        return Target(role="only" if several else "single")
    return None


_CORNER_OF = (
    r"\b(?:top|upper|bottom|lower)[ -](?:left|right)(?:[ -]?hand)?(?: (?:corner|side|part|area))? "
    r"of the "
)


def _place(rest: str) -> str | None:
    """A corner or side of the picture: ``top left``, ``bottom``, ``center``; ``center across`` and
    ``center down`` along one axis only.
    """
    row = re.search(r"\b(top|upper|bottom|lower)(?:most)?\b(?![ -]?case)", rest)
    column = re.search(r"\b(left|right)\b", rest)
    middle = re.search(r"\b(?:cent(?:er|re)|middle)\b", rest)
    if re.search(rf"\bof the (?!{_WHOLE})", rest) and not (
        row and column and re.search(_CORNER_OF, rest)
    ):
        return None
    words = [{"upper": "top", "lower": "bottom"}.get(row[1], row[1])] if row else []
    if column:
        words.append(column[1])
    elif middle:
        words.append("center")
        if axis := re.search(r"\b(horizontal|vertical)(?:ly)?\b", rest):
            words.append({"horizontal": "across", "vertical": "down"}[axis[1]])
    return " ".join(words) if words else None


def _direction(rest: str) -> str | None:
    found = re.search(
        r"\b(up|upwards?|down|downwards?|left|leftwards?|right|rightwards?|lower|raise|lift|higher)\b",
        rest,
    )
    if found is None:
        return None
    word = found[1].removesuffix("s").removesuffix("ward")
    return {"lower": "go down", "raise": "go up", "lift": "go up", "higher": "go up"}.get(
        word, f"go {word}"
    )


def _factor(rest: str, *, up: bool, known: bool) -> float | None:
    if times := re.search(r"(\d+(?:\.\d+)?)\s*(?:times|x\b|×)", rest):
        value = float(times[1])
        return value if up or not known else 1 / value if value else None
    about = r"(?:(?:about|around|roughly|approximately|some|nearly)\s+)?"
    if percent := re.search(
        rf"(?:(by|to)\s+)?{about}(\d+(?:\.\d+)?)\s*(?:%|percent)(\s+of\b)?", rest
    ):
        value = float(percent[2]) / 100
        if percent[1] == "to" or (percent[3] and percent[1] != "by") or not known:
            return value or None
        return 1 + value if up else max(0.1, 1 - value)
    if re.search(r"\bone and a half\b", rest):
        return 1.5
    if re.search(r"\b(?:double|twice)\b", rest):
        return 2.0
    if re.search(r"\btriple\b", rest):
        return 3.0
    if re.search(r"\b(?:half|halve)\b", rest):
        return 1.5 if up and re.search(r"\bby (?:\w+ )?half\b", rest) else 0.5
    if not known:
        return None
    if _SLIGHT.search(rest):
        return 1.15 if up else 0.87
    return 1.3 if up else 0.75


def _until_context(rest: str) -> str:
    """The part that names what is edited: what follows "while", "keeping", "below" … is context."""
    return re.split(
        r"\b(?:while|keeping|without|so that|beneath|below|above|under|next to|in the "
        r"(?:line|sentence))\b",
        rest,
    )[0]
