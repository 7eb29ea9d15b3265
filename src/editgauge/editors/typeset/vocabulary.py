"""The words that instructions about texts are made of, as data: verbs, kinds of text, places,
amounts, manners, and what is said of things that stay.

Nothing here knows how a sentence is built (`clauses`), what may follow a verb (`complements`,
`grammar`) or how a text is described (`phrases`). Entries are lower case; an entry may use regular
expressions for spellings and plurals (``colou?rs?``). Colours have their home in `colours`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

Side = Literal["above", "below", "before", "after"]
Manner = Literal["bold", "italic", "underlined", "struck", "upper", "lower"]


def any_of(words: Iterable[str]) -> str:
    """A pattern for one of the words, longer ones first; no group of its own."""
    return "(?:" + "|".join(sorted(words, key=len, reverse=True)) + ")"


# --- verbs, by what they ask for ------------------------------------------------------------------

DELETE = (
    "delete", "remove", "erase", "eliminate", "clear", "clear away", "get rid of", "take away",
    "take out", "take off", "leave out", "cut", "cut out", "omit", "drop", "strip", "wipe",
    "wipe out", "wipe away", "wipe off", "scrub", "scrub out", "rub out", "blank out",
    "do away with", "dispose of", "discard",
)  # fmt: skip
CHANGE = (
    "change", "replace", "modify", "update", "edit", "alter", "convert", "turn", "switch",
    "substitute", "rewrite", "overwrite", "exchange", "correct", "fix", "amend", "set", "swap",
    "revise", "rename", "retitle", "rephrase", "transform", "make", "adjust",
)  # fmt: skip
INSERT = (
    "add", "insert", "write", "append", "prepend", "include", "introduce", "attach", "type",
    "print", "put", "place", "set",
)  # fmt: skip
MAYBE_MOVE = ("put", "place", "set")
"""Of a text that stands in the picture they mean a move, of another one an insertion."""
MOVE = (
    "move", "shift", "relocate", "reposition", "place", "put", "transfer", "drag", "bring", "push",
    "slide", "lower", "raise", "lift", "switch", "pull", "change the position of",
    "shift the position of", "move the position of", "adjust the position of",
)  # fmt: skip
CENTRE = ("center", "centre")
GO = {"lower": "go down", "raise": "go up", "lift": "go up"}
"""Verbs that say where to."""
SWAP = ("swap", "exchange", "switch", "interchange", "trade")
ROTATE = ("rotate", "tilt", "turn", "spin", "flip", "put")
LARGER = (
    "enlarge", "increase", "grow", "scale up", "magnify", "blow up", "expand", "bump up",
    "upscale",
)  # fmt: skip
SMALLER = (
    "shrink", "reduce", "scale down", "decrease", "diminish", "downsize", "minify", "downscale",
)  # fmt: skip
SCALE = ("scale", "resize", "set", "change", "adjust")
FACTORS = {"double": 2.0, "halve": 0.5, "triple": 3.0}
OF_VALUES = (
    "increase", "grow", "bump up", "reduce", "decrease", "diminish", "double", "halve", "triple",
    "raise", "lower", "lift", "cut", "drop",
)  # fmt: skip
"""What is said of numbers as often as of letters."""
PARTICLES = {"up": True, "down": False}
"""Behind "scale", "blow", "bring" and "get": whether it says larger."""
SHOW = (
    "make", "turn", "set", "put", "show", "print", "write", "render", "display", "format", "paint",
    "color", "colour", "change", "give", "dye", "tint", "recolor", "recolour", "have", "get",
    "switch", "convert", "modify", "adjust", "alter", "fill", "mark", "style", "let",
)  # fmt: skip
PARTICIPLES = {
    "put": "put", "made": "make", "written": "write", "taken": "take", "cut": "cut", "set": "set",
    "shrunk": "shrink", "swapped": "swap", "erased": "erase", "moved": "move", "removed": "remove",
    "deleted": "delete", "rotated": "rotate", "replaced": "replace", "changed": "change",
    "placed": "place", "enlarged": "enlarge", "reduced": "reduce", "scaled": "scale",
    "increased": "increase", "decreased": "decrease", "doubled": "double", "halved": "halve",
    "coloured": "colour", "colored": "color", "recoloured": "recolour", "recolored": "recolor",
    "exchanged": "exchange", "relocated": "relocate", "repositioned": "reposition",
    "substituted": "substitute", "updated": "update", "included": "include",
    "eliminated": "eliminate", "wiped": "wipe", "dragged": "drag", "omitted": "omit",
    "dropped": "drop", "resized": "resize", "capitalized": "capitalize",
    "capitalised": "capitalise", "italicized": "italicize", "underlined": "underline",
    "centered": "center", "centred": "centre",
}  # fmt: skip
"""The verbs of passives whose stem is not the participle without its "ed"."""

# --- what a text is called ------------------------------------------------------------------------

KIND_WORDS: Mapping[str, str] = {
    "title": r"(?:main )?(?:title|heading|headline)s?",
    "subtitle": r"(?:sub-? ?title|sub-? ?heading|subhead)s?",
    "date": r"dates?",
    "year": r"(?:years?|vintage)",
    "time": r"(?:times?(?: of day)?|hours?|clock time)",
    "price": r"prices?",
    "weight": r"weights?",
    "percentage": r"(?:percentages?|percent figures?)",
    "phone": r"(?:(?:tele)?phone|mobile|fax)(?: numbers?)?",
    "email": r"e-?mail(?: add?ress(?:es)?)?",
    "website": r"(?:web ?sites?(?: add?ress)?|web add?ress(?:es)?|urls?|home ?page|"
    r"link|internet add?ress)",
    "handle": r"(?:user ?names?|user name|handles?|account names?)",
    "hashtag": r"hash ?tags?",
    "address": r"(?:(?:street|postal) )?add?ress(?:es)?|street name",
    "greeting": r"greetings?|salutation",
    "number": r"(?:figures?|numbers?|numerals?|digits?|amounts?|values?)",
    "small print": r"(?:small|fine) print|foot ?notes?",
    "entry": r"(?:entry|entries|items?|options?|rows?|list items?|menu items?)",
    "row": r"lines?(?: of text)?",
    "word": r"words?",
    "text": (
        r"(?:texts?|words? of text|phrases?|sentences?|captions?|slogans?|tag ?lines?|mott?oe?s?|"
        r"footers?|headers?|labels?|inscriptions?|lettering|writing|credits?|watermarks?|names?|"
        r"signatures?|print|message|remarks?|notes?|hints?|warnings?|quotes?|claim|"
        r"characters?|letters?)"
    ),
}
"""The nouns of each kind of text, the more special kinds first."""
PLAIN_KINDS = ("text", "row", "word", "entry")
"""Kinds that say nothing of what a text reads."""
ALL = r"(?:all|every|each|whole|entire)"
WRITING = r"(?:texts?|words?|phrase|sentence|characters|letters|inscription|lettering|writing)"
"""Nouns that, alone, mean all of a picture's text."""
NO_TEXT = (
    "logo", "icon", "box", "button", "circle", "background", "picture", "image", "photo", "arrow",
    "sticker", "badge", "banner", "bar", "column", "section", "table", "row", "list", "block",
    "paragraph", "frame", "border", "outline", "shadow", "bubble", "card", "symbol", "emoji",
    "shape", "square", "rectangle", "triangle", "star", "heart", "area", "stripe", "underline",
    "dish", "item", "product", "option", "course", "drink", "answer", "question", "step", "event",
    "appointment", "task", "comment", "review", "meal", "recipe", "offer", "ribbon",
    "part", "chapter", "passage", "bracket", "brackets", "quote marks",
    "quotation marks", "space", "gap", "font", "color",
    "colour", "size", "style", "comma", "dot", "period", "dash", "bullet", "bullets",
)  # fmt: skip
"""Nouns before a quoted text that tell of a thing, not of the text."""
NAMELESS = (
    "first", "second", "third", "last", "duplicate", "duplicated", "repeated", "redundant",
    "extra", "superfluous", "other", "another", "one", "every", "each", "no", "not", "both",
)  # fmt: skip
"""Adjectives that mean one, or all, of several equal texts."""
CARRIERS = (
    "button", "box", "field", "tab", "tag", "badge", "bubble", "banner", "ribbon", "sticker",
    "panel", "card", "plate", "tile", "cell", "sign", "label", "stripe", "bar", "strip", "seal",
    "disc", "circle", "town", "village", "city", "area", "background", "ground", "field", "patch",
)  # fmt: skip
"""What carries a text: named to say which text, never moved or recoloured itself."""
PICTURE = (
    "image", "picture", "photo", "poster", "canvas", "page", "frame", "slide", "cover", "screen",
    "document", "design", "layout", "sheet", "flyer", "drawing",
)  # fmt: skip
"""Nouns for the picture itself."""
WHOLE = (
    *PICTURE, "map", "chart", "diagram", "menu", "invitation", "certificate", "postcard",
    "invoice", "receipt", "letter", "form", "ticket", "mind ?map", "notice", "infographic",
    "painting", "artwork", "illustration", "comic",
)  # fmt: skip
"""What a picture mostly shows as a whole: their corners are its corners."""
CONTAINERS = (
    "images?", "picture", "photo(?:graph)?", "poster", "canvas", "page", "frame", "slide", "cover",
    "screen", "document", "design", "layout", "sheet", "flyer", "flier", "drawing", "sign",
    "signpost", "board", "wall", "card", "label", "menu", "mug", "cup", "shirt", "t-shirt",
    "bottle", "box", "package", "packaging", "bag", "banner", "billboard", "ticket", "invoice",
    "receipt", "bill", "form", "certificate", "badge", "letter", "postcard", "map", "chart",
    "diagram", "graph", "plot", "figure", "table", "window", "app", "website", "web ?page",
    "dialog", "display", "panel", "plate", "plaque", "envelope", "newspaper", "magazine", "book",
    "jar", "can", "tin", "sticker", "stamp", "note", "storefront", "shop", "door", "street", "bus",
    "van", "truck", "car", "building", "blackboard", "chalkboard", "whiteboard", "invitation",
    "greeting card", "brochure", "leaflet", "cap", "hat", "jersey", "tote", "parcel", "carton",
    "crate", "post", "story", "chat", "timetable", "schedule", "calendar", "report", "paper",
)  # fmt: skip
"""What a text stands on or in."""
PURPOSES = (
    "business", "visiting", "name", "concert", "film", "movie", "festival", "event", "road",
    "street", "shop", "price", "wine", "gift", "birthday", "wedding", "boarding", "coffee", "lunch",
    "dinner", "bus", "train", "flight",
)  # fmt: skip
"""What a sign or card is for, where that is told of it."""
PARTS_OF_A_TEXT = (
    "titles?", "headings?", "headline", "sub-?title", "slogan", "tag ?line", "text", "sentence",
    "caption", "address", "line", "paragraph", "message", "note", "footer", "header",
)  # fmt: skip
"""Texts that have words and lines."""
LOOKS = (
    "colou?rs?", "sizes?", "fonts?", "styles?", "shadows?", "outlines?", "underlin\\w+", "bold",
    "italics?", "effects?", "glow", "highlight\\w*", "borders?", "backgrounds?", "gradients?",
    "strokes?", "letters", "type", "capitals?", "upper ?case", "lower ?case",
)  # fmt: skip
"""What a text may have that is not its place."""

# --- places, order, size --------------------------------------------------------------------------

SIDES: Mapping[str, Side] = {
    "before": "before", "in front of": "before", "to the left of": "before", "left of": "before",
    "on the left of": "before", "at the left of": "before", "on the left side of": "before",
    "to the left side of": "before",
    "after": "after", "behind": "after", "to the right of": "after", "right of": "after",
    "on the right of": "after", "at the right of": "after", "on the right side of": "after",
    "to the right side of": "after",
    "next to": "after", "beside": "after", "following": "after", "above": "above",
    "on top of": "above", "over": "above", "below": "below", "beneath": "below", "under": "below",
    "underneath": "below",
}  # fmt: skip
"""What stands between a text and the one beside it."""
SIDE_WORDS = any_of(SIDES)
ENDS: Mapping[str, Side] = {
    "beginning": "before", "start": "before", "front": "before", "end": "after", "back": "after",
}  # fmt: skip
"""The ends of a text at which another is set."""
ROWS = {"upper": "top", "lower": "bottom", "uppermost": "top", "lowest": "bottom"}
PLACES = (
    "top", "bottom", "left", "right", "upper", "lower", "topmost", "bottommost", "uppermost",
    "lowest", "leftmost", "rightmost",
)  # fmt: skip
AREAS = ("side", "edge", "part", "half", "third", "quarter", "area", "end", "border", "margin",
         "corner", "space", "region")  # fmt: skip
FREE = ("very", "empty", "free", "blank", "white", "far", "extreme", "unused")
ORDERS = {
    "first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4,
    "fifth": 5, "5th": 5, "last": -1, "final": -1,
}  # fmt: skip
COUNTS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
SIZES = {
    "small": "small", "smaller": "small", "smallest": "small", "little": "small", "tiny": "small",
    "large": "large", "larger": "large", "largest": "large", "big": "large", "bigger": "large",
    "biggest": "large", "huge": "large",
}  # fmt: skip
NO_MEANING = frozenset(
    [
        "the",
        "a",
        "an",
        "this",
        "that",
        "these",
        "those",
        "of",
        "in",
        "on",
        "at",
        "to",
        "its",
        "it",
        "is",
        "are",
        "was",
        "were",
        "our",
        "my",
        "your",
        "their",
        "his",
        "her",
        "very",
        "whole",
        "entire",
        ("complete"),
        "main",
        "own",
        "and",
        "from",
        "for",
        "with",
        "by",
        "who",
        "which",
        "text",
        "single",
        "one",
        "all",
        "each",
        "every",
    ]
)
"""Words of a description that ask nothing of the picture."""

# --- amounts --------------------------------------------------------------------------------------

SHARES = {
    "half": 1 / 2, "a half": 1 / 2, "a third": 1 / 3, "one third": 1 / 3, "two thirds": 2 / 3,
    "a quarter": 1 / 4, "one quarter": 1 / 4, "three quarters": 3 / 4, "a fifth": 1 / 5,
    "one fifth": 1 / 5, "two fifths": 2 / 5, "three fifths": 3 / 5, "four fifths": 4 / 5,
    "a sixth": 1 / 6, "a tenth": 1 / 10, "one tenth": 1 / 10,
}  # fmt: skip
TENS = {
    "ten": 10, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70,
    "eighty": 80, "ninety": 90, "a hundred": 100,
}  # fmt: skip
TIMES = {"two": 2.0, "twice": 2.0, "three": 3.0, "one and a half": 1.5, "double": 2.0}
ABOUT = ("about", "around", "roughly", "approximately", "some", "nearly", "almost", "maybe",
         "perhaps", "say", "something like", "up", "down", "only", "just")  # fmt: skip
SLIGHTLY = ("slightly", "a little", "a bit", "a touch", "a tad", "a little bit", "somewhat",
            "a bit more", "moderately", "appropriately")  # fmt: skip
MUCH = ("a good bit", "a good deal", "a lot", "much", "clearly", "considerably", "noticeably",
        "significantly", "far", "obviously")  # fmt: skip
USUAL, SLIGHT, STRONG = 1.3, 1.15, 1.4
"""The factors of what is to be larger: where no amount is told, a little, and much."""
USUAL_LESS = 0.75
"""The factor of what is to be smaller, where no amount is told."""
NO_DESCRIPTION = frozenset(
    [
        "times",
        "percent",
        "degrees",
        "size",
        "sizes",
        "pixels",
        "px",
        "be",
        "so",
        "fit",
        "fits",
        "same",
        "style",
        "font",
        "fonts",
        "color",
        "colour",
        "colors",
        "colours",
        "instead",
        "like",
        "more",
        "less",
        "again",
        "both",
        "maybe",
        "as",
        "than",
        "until",
        "while",
        "but",
        "not",
        "until",
        ("background"),
        "outline",
        "shadow",
        "border",
        "position",
        "direction",
        "rotated",
        "bigger",
        "bold",
        "italic",
    ]
)
"""Words that never tell which text is meant: a phrase that has one was not understood."""

# --- how letters look -----------------------------------------------------------------------------

MANNERS: Mapping[Manner, str] = {
    "bold": r"bold(?:er|face)?|thicker|heavier",
    "italic": r"italics?|italici[sz]ed|oblique|slanted",
    "underlined": r"underlined?",
    "struck": r"strike ?-?through|struck (?:through|out)|crossed out",
    "upper": r"(?:all )?(?:upper-? ?case|capitals|capital letters|caps|block letters)",
    "lower": r"(?:all )?(?:lower-? ?case|small letters)",
}
"""How a manner of letters is called."""
MANNER_VERBS: Mapping[Manner, str] = {
    "bold": r"bold|embolden",
    "italic": r"italici[sz]e|slant",
    "underlined": r"underline|(?:draw|put|add) an? (?:line under|underline (?:to|under|below))",
    "struck": r"strike (?:through|out)|cross out|(?:draw|put) a line through",
    "upper": r"capitali[sz]e",
    "lower": r"lower-?case",
}
PRAISE = (
    "prominent", "visible", "readable", "legible", "noticeable", "clear", "clearer",
    "eye-catching", "striking", "easy to read", "easier to read", "obvious", "conspicuous",
)  # fmt: skip
"""What a larger text becomes by itself."""

# --- what stays -----------------------------------------------------------------------------------

STAYING = (
    "keep", "keeping", "kept", "retain", "retaining", "preserve", "preserving", "maintain",
    "maintaining", (
        r"leave(?! out\b)"
    ), "leaving", "ensure", "ensuring", "make sure", "making sure", "do not",
    "don't", "dont", "without changing", "without altering", "without affecting",
    "without modifying", "without moving", "without touching", "without covering",
    "without overlapping", "without damaging", "matching", "respecting", "following the same",
)  # fmt: skip
"""How it begins to be told what stays."""
SAME = (
    "style", "styles", "font", "fonts", "type", "typeface", "size", "sizes", "color", "colour",
    "colors", "colours", "weight", "manner", "way", "place", "position", "alignment", "look",
    "height", "level", "font style", "font size", "font color", "font colour", "text style",
    "text color", "spacing", "format",
)  # fmt: skip
"""What a text may have the same."""
NEEDS: Mapping[str, str] = {
    "a translation": (
        r"\btranslat|\b(?:in|into|to) (?:english|french|german|spanish|italian|chinese|japanese|"
        r"korean|russian|portuguese|arabic|latin|dutch|swedish|polish)\b"
    ),
    "a calculation": (
        r"\b(?:sum|total|calculate|compute|convert|half of (?:this|it)|serves|double the|add up|"
        r"per ?cent off|% off|discount|adjust|accordingly|follows from|minutes late|hours? later|"
        r"average|difference|postponed|earlier|later|correct (?:date|weekday|result))\b"
    ),
    "knowledge of the language": (
        r"\b(?:correct|fix)\b.*\b(?:spelling|typos?|mistakes?|errors?|grammar)\b|\bsynonym|"
        r"\b(?:rephrase|reword|shorten|summari[sz]e|opposite|antonym|plural|singular|abbreviat)"
    ),
    "knowledge of the world": (
        r"\b(?:director|author|capital|country|inventor|president|brand|today'?s|current|"
        r"company|formula|chemical|element|painter|composer|planet|season)\b"
    ),
    "a look at the things in the picture": (
        r"\b(?:logo|icon|arrow|background|button|photo of|person|man|woman|hand|bottle|box|circle|"
        r"tree|car|sky|river|shadow|outline|gradient|column|section|table)\b"
    ),
    "a font by its name": r"\bfont\b",
}
"""What an instruction may need that a grammar does not have, and how that shows."""
