"""What a reply says beside its verdict, and whether all of it is accounted for.

A verdict is kept only where every part of the words around it that bears a number, or a judgement,
is explained. The default is to deny. A sentence of a reason passes when

* no number is left after those are taken out that count things, name things, or repeat the verdict
  (`_QUANTITIES`, `_own_numbers`);
* no word is left that may bear on the verdict, and words that turn what is said ("should",
  "instead", "original") stand beside at least two words of what is seen (see `vocabulary`);
* it has a word of what is seen in pictures, and not many that are known for nothing at all.

A sentence that nobody thought of passes none of these, and flags the verdict: a second call is
cheap. Sentences in other languages need words of pictures in that language, and may hold neither a
number that counts nothing nor a word of scores (see `languages.accounts_for`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from editgauge.judging import languages
from editgauge.judging.mentions import BLANK
from editgauge.judging.values import plain_name
from editgauge.judging.vocabulary import Kind, is_harmless_key, kind_of
from editgauge.judging.wording import NUMBER_WORDS

_I = re.IGNORECASE
_QUOTATION = re.compile(
    r"\"[^\"\n]{0,200}\"|“[^”\n]{0,200}”|„[^“”\n]{0,200}[“”]|«[^»\n]{0,200}»|「[^」\n]{0,200}」"
    r"|(?<!\w)'[^'\n]{1,80}'(?!\w)|(?<!\w)‘[^’\n]{1,80}’|`[^`\n]{1,80}`"
)
_SEEN_OBJECT = re.compile(
    r"\b(?:says?|reads?|shows?|contains?|states?|texts?|prints?|displays?)\b[^{}\n]{0,40}\{[^{}]{0,300}\}",
    _I,
)
"""An object that a picture is said to show."""
_ITEM = re.compile(r"(?:^[^\w\n]{0,8}|(?<=[,;:.] ))\d{1,2}[.)]\s", re.MULTILINE)
_TAG = re.compile(r"</?\w{1,30}>|\A\w{1,30}>")
LONGEST = 10_000
"""Characters of one text that are accounted for; a longer one is no reason of a judge."""
MOST_SENTENCES = 300
"""Sentences, and lines, of a text that are accounted for."""
_N = rf"(?:\d{{1,6}}(?:[.,]\d{{1,4}})?|{'|'.join(NUMBER_WORDS)})"
_NUMBER = re.compile(rf"(?<![^\W_])(?<!\d[.,])\d[\d.,/:]*|\b(?:{'|'.join(NUMBER_WORDS)})\b", _I)
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_PLURAL = (
    r"(?:(?!(?:points?|marks?|stars?|perhaps|always|besides|afterwards|as|is|was|its|his|has|does|this|thus|plus"
    r"|minus|across|versus|less|unless|scores?|ratings?|grades?|levels?|notches|steps|classes|tiers|thanks|words"
    r" (?:less|more)|deserves|seems|looks|fits|gets|sounds|feels|remains|stays|applies|suffices|stands)\b)[^\W\d_]{2,}s"
    r"|people|dice|men|women|children|feet|teeth|fish|sheep|mice|geese|px|mm|cm|km|kg|ml|pixels?|degrees?|inch|dpi"
    r"|o['’]clock|am|pm)\b"
)
_BETWEEN = (
    r"(?:(?!(?:points?|marks?|stars?|out|if|or|and|but|because|since|instead|rather|as|not|so|is|was|for|in|on"
    r"|with|at|to|the|this|that|than|would|due|given|despite|it)\b)[^\W\d_][\w'’-]*\s){0,2}"
)
_QUANTITIES = tuple(
    re.compile(pattern, _I)
    for pattern in (
        # "2 letters", "3 of the 5 boats", "one of the four old chairs", "both 2 px"
        (
            rf"(?<![\w/.,:−–+-]){_N}[\s-](?:(?:of|out of)\s(?:(?:the|its|all|these|those|their|his|her)\s)?(?:{_N}\s)?)?"
            rf"{_BETWEEN}{_PLURAL}"
        ),
        # "line 2", "image 2", "digit 3", but not "score 2"
        (
            r"\b(?:line|row|column|panel|page|floor|gate|room|platform|track|digit|numeral|day|chapter|route|player|jersey"
            r"|channel|volume|size|frame|figure|fig\.?|aisle|lane|bus|exit|section|version|item|door|house|plate"
            rf"|step|image|picture|photo)\s#?(?:\d{{1,4}}|{'|'.join(NUMBER_WORDS)})\b(?!\s?(?:/|out of|of))"
        ),
        # ordinals, dates, times, sizes, money, scales of things
        (
            r"\b\d{1,6}\.\d{2,12}\b|\b\d{1,3}(?:st|nd|rd|th)\b|\b(?:19|20)\d\d\b|\b\d{1,2}:\d\d\b|\b\d{1,2}[./-]\d{1,2}[./-]\d{2,4}\b"
            r"|\b(?!10/10)\d\d/(?!10\b)\d\d\b|\b\d{1,2}\.? (?:january|february|march|april|may|june|july|august|september|october|november"
            r"|december)\b|\b(?:january|february|march|april|may|june|july|august|september|october|november|december) \d{1,2}\b"
            r"|(?:[−–+-]\s?)?\b\d{1,3}(?:[.,]\d+)?\s?(?:%|percent\b)(?! of (?:the )?(?:points|marks|score|credit))"
            r"|\b\d{1,3}\s?[–-]\s?\d{1,3}\s?(?:px|pixels?|mm|cm|degrees?|°)"
            r"|\b\d{1,4}\s?[x×]\s?\d{1,4}\b|\b\d{1,4}(?:[.,]\d+)?\s?(?:px|mm|cm|°|kg|ml)|[$€£¥]\s?\d[\d.,]*"
            r"|\b\d[\d.,]*\s?[€¥£]|(?<![\w.,/])\d{2,3}\s?%(?= (?:opacity|off\b|discount|transparent|larger|smaller|bigger))"
        ),
        # "the price went from 5 to 3", "the digit was changed to 8"
        (
            r"\b(?:digits?|numerals?|prices?|dates?|times?|years?|clocks?|temperatures?|scoreboard|speed limit|ages?|phone"
            r" number|house number|jersey number|door number|count|counter)\b(?:\s(?!should|would|could|must|deserves?)"
            r"[^\W\d_]+){1,3}?\s(?:from\s)?\d[\d.,:]*(?:\s(?:to|into)\s\d[\d.,:]*)?(?!\s?(?:/|out of|of))"
        ),
        # "one" that is a pronoun
        (
            r"\b(?:no |any|every|each |the |this |that |another |which )one\b(?=\s(?:is|was|on|in|at|of|with|has|looks|that"
            r"|from|sees?|can)\b)|\b(?:one|two|three|four)(?= (?:of (?:the|its|them|these)|side|corner|end|by one|and the"
            r" other|another)\b)|\bat one\b(?= \w)"
        ),
    )
)
"""Numbers of things: taken out before the rest is weighed."""
_UNITS = frozenset(["point", "points", "mark", "marks", "star", "stars", "grade", "level", "notch"])
"""What scores are counted in."""
_AFTER_COUNT = re.compile(
    rf"(?<!\w){_N} (?:out )?of {_N}(?= (?:(?:are|is|was|were|has|have) )?[^\W\d_]{{3,}}(?:ed|ing|n|t|nt|ct)\b)|\bof {_N}\b(?= (?:are|is|were|was)\b)|"
    rf"\b(?:rather than|instead of|out of|of|not|only|there (?:is|are|was|were)|but|and|to) {_N}(?=\s?(?:[.,;)]|\Z))"
    rf"|\b(?:there (?:is|are|was|were)) {_N}\b(?= (?:now|left|instead|in|on)\b)"
    rf"|\b{_N} of (?:them|these|those)\b",
    _I,
)
"""A number without a noun in a sentence that has counted something: "three cushions, not four"."""
_FRACTION = r"(?:\s?(?:/|out of|of)\s?{high}(?:\.0)?|\spoints?|\sstars?)?"
_DENIED = re.compile(
    r"\b(?:not|no|never|nor|neither|without|hardly|barely|almost|nearly|less|more|lower|higher|below|above|under|over|than"
    r"|about|around|roughly|between|or|from|instead|rather|but|if|would|could|might|may|should|must|ought|first|initial\w*"
    r"|at|up|down|by|only|wrong|reference|original|input|example|someone|user|say\w*|tell\w*|told|ask\w*|demand\w*|want\w*|order\w*|sign|text|picture|caption)\b|n['’]t\b|\?",
    _I,
)
_LEAD_IN = (
    r"(?:§|hence|so|thus|therefore|giving|gets?|got|is|as|of|a|an|the|overall|final|my|i|would|give|gave|rate|rated|it|this"
    r"|score[sd]?|scoring|rating|verdict|grade|value|deserves?|merits?|warrants?|earns?|receives?|worth|assign(?:ed)?|award"
    r"(?:ed)?|solid|clear|strong|decent|result|edit|for|with|equals|level|rubric|therefore)"
)
_DEDUCTION = re.compile(
    r"\b(?P<first>one|two|three|four|a|1|2|3|4) (?:full )?(?:points?|marks?) (?:is |are |was |were |has been |have been )?"
    r"(?:deducted|lost|off|taken off|removed|docked|subtracted)\b"
    r"|\b(?:deduct(?:ed|ing)?|minus|los(?:es|ing|t)|cost(?:s|ing)?(?: it)?|subtract(?:ed|ing)?|docked|losing) "
    r"(?P<second>one|two|three|four|a|1|2|3|4)(?: (?:points?|marks?))?\b",
    _I,
)
_LOOKS = re.compile(
    r"\bi (?:(?:also|only|still|clearly|carefully|just|can|cannot|could|do|did|have|then|now|additionally|therefore) ){0,3}"
    r"(?:see|saw|notice[ds]?|observe[ds]?|find|found|detect(?:ed)?|compared?|looked at|checked|examined|inspected|spot(?:ted)?"
    r"|zoomed in(?:to| on)?|identif(?:y|ied)|count(?:ed)?)\b"
    r"(?! (?:nothing|no (?:image|picture|photo|scan|pixel|attachment|file)|only|neither|one|none|myself|this (?:score|verdict)))",
    _I,
)
_OTHERS = (
    r"(?:reference|originals?|inputs?|source|unedited|ground[ -]truth|gt|baseline|(?:first|second|other|previous|next|left"
    r"|last|wrong|different) (?:image|picture|photo|one|scan|sample|case|task|edit|pair|answer|result|output|candidate|version"
    r"|model)|another (?:image|picture|photo|scan|sample|case|task|edit|pair|answer|result|output|candidate|version|model))"
)
_COMPARED = re.compile(
    r"\b(?:compared (?:to|with)|to|with|from|in|than|as|like|unlike|against|between|match(?:es|ed|ing)?|resembl\w+|equals"
    r"|follow(?:s|ed|ing)?|preserv\w+|keep(?:s|ing)?|kept|into|over|both|same as|reproduc\w+|retain\w*|maintain\w*|restor\w+"
    r"|of|and|relative to|identical to|replac\w+|remov\w+|chang\w+|left) (?:(?:in|on|the|its|their|edited|output|result|and) ){0,4}"
    rf"{_OTHERS}(?:[ -](?:image|picture|photo|scan|version|one))?(?:['’]s)?(?=\s?[.,;:)]|\Z|\s)"
    r"(?! (?:would|is worth|gets?|deserves?|scores?|earns?|receives?|rates?|itself|alone|only))"
    r"|\b(?:original|source|input|reference) (?!image|picture|photo|version|one\b|scan|gets?|is\b|was\b|has\b|would|edit|file"
    r"|alone|itself|only|looks|seems|deserves?|scores?)(?=[^\W\d_]+|“”)"
    rf"|\b{_OTHERS}(?: (?:image|picture|photo|scan))? (?:shows?|showed|contain(?:s|ed)|had|reads?|depict(?:s|ed)|display(?:s|ed))\b",
    _I,
)
"""The other pictures where this one is held against them."""
_OTHER = re.compile(rf"\b{_OTHERS}\b", _I)
_SIGN = re.compile(r"\band a half\b|[?%½¼¾①-⑩]|→|->|=>|(?<!\w)[-−–+]\s?\d|\b\d\s?[+]")
_NAMED = re.compile(r"(?<=[a-z,;] )[A-Z][\w'’-]+")
"""Names in the middle of a sentence: not words to be known."""
_SEVERE = re.compile(
    r"\b(?:guess\w*|random\w*|pretend\w*|hypothe\w+|arbitrar\w+|fabricat\w+|hallucinat\w+|made[- ]up|attach\w*|upload\w*"
    r"|blind\w*|placeholder\w*|dummy|lorem|simulat\w+|comply|obey\w*|forced|illustrat\w+|fictional|without (?:seeing|looking)"
    r"|assum(?:e|ing|ed) (?:that )?(?:the|an?|it)\b)",
    _I,
)
"""Words before a verdict after which it is none, whatever it is."""
_OF_TOP = re.compile(r"\b(\d{1,2})\s?(?:/|out of|of)\s?(\d{1,2})\b(?!\s[^\W\d_]{3,}s\b)")
_OWN_LINE = re.compile(
    r"\W*(?:final |overall |my )?(?:scores?|rating|grade|§)\W{1,6}\d{1,2}(?:\s?/\s?\d{1,2})?\W*\Z",
    _I,
)
_SCORED = re.compile(
    r"\b(?:scor(?!eboard)\w+|rat(?:e|ed|es|ing|ings)|grad(?:e|ed|es|ing)|marks?|verdict|deserv\w+|merit\w*|warrant\w*|worth|award\w*"
    r"|i(?:['’]d| would| will)? (?:give|gave|say|said|go|choose|pick|put)|points?|§)(?!\w)",
    _I,
)
_CLOSED = re.compile(
    r"\W*(?:(?:please )?let me know\b.*|(?:i )?hope (?:this|that|it) (?:helps?|is (?:helpful|useful))\b.*|thank(?:s| you)\b.*|would you like\b.*"
    r"|(?:happy|glad) to help\b.*|if you (?:need|have|want|would like|wish) [^.\d]*|is there anything else\b[^\d]*|(?:#+ )?\**(?:notes?|summary|analysis|reasoning|details?|explanations?|justification|remarks|comments?)\**:?\s*|end of (?:evaluation|answer|report|assessment"
    r"|json|output)\W*|done\W*|that is all\W*|that['’]s all\W*|(?:please )?(?:consult|feel free)\b[^\d]*|anything else\b[^\d]*"
    r"|(?:the )?(?:reason|rationale|explanation)s?\b[^.\d]{0,30}|(?:this|the) (?:score|rating|verdict|grade) (?:reflects"
    r"|is based on the (?:visible|criteria|rubric)|accounts for|considers)\b(?=[^\d]*\Z).*|\w{1,12} ?: ?(?:user|assistant)\W*"
    r"|(?:note|disclaimer):? (?:this is|i am) not (?:a |an )?(?:medical|substitute|clinical|doctor|radiolog)[^\d]*)\Z",
    _I | re.DOTALL,
)
"""How replies close."""
_SEPARATED = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_COMPOUNDS = re.compile(
    r"\b(?:upper|lower)[ -]?case\b|\b[23]-?[dD]\b|\b(?:no|without(?: an?)?) (?:deductions?|penalt(?:y|ies))\b|\b(?:question|exclamation|quotation|punctuation|scratch|pen|check|tick|water|burn|skid|stretch|bite|pressure|brush|tyre"
    r"|chalk|pencil) ?marks?\b|\b(?:vanishing|focal|exclamation|power|end|decimal) ?points?\b"
    r"|\bpoint(?:s|ed|ing)? (?:to(?:wards?)? (?:the )?(?:left|right|top|bottom|sky|sun)|left|right|up|down|upwards?|downwards?)\b"
    r"|\b(?:text|date|number|time|price) format\b|\bas if (?=pasted|printed|painted|cut|lifted)|\bcredit card\b",
    _I,
)
"""Words of scores that are none in these."""
_AS_TOLD = re.compile(
    r"\bas (?:it )?(?:was )?(?:asked|told|requested|instructed|wanted|intended|required|demanded"
    rf"|before)\b|\b(?P<not>rather than|instead of)\b(?!\s(?:an?\s)?{_N}\b)",
    _I,
)
_PRONOUN = re.compile(
    r"\A\W*(?:so |but |and |no,? )?(?:this|that|it|these|those|which|not)\b[^.]{0,20}?(?:\bnot\b|n['’]t\b|\bno\b|\bnever\b|\A\W*not)"
    r"[^.]{0,12}\b(?:right|correct|accurate|true|ok|okay|fine|good|so|it|done|final|acceptable)\W*\Z",
    _I,
)
"""A sentence that denies what was said before it."""


class Place(Enum):
    """Where a text stands: in a reason; on the line of the verdict, behind its number; before or
    behind the verdict.
    """

    REASON = auto()
    BESIDE = auto()
    BEFORE = auto()
    BEHIND = auto()


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The numbers that were read, and the scale: `low` to `high` of the widest field."""

    given: Collection[int]
    low: int
    high: int

    @property
    def single(self) -> bool:
        """Whether there is one number only, which comparisons can be held against."""
        return len(set(self.given)) == 1


def unquoted(text: str) -> str:
    """The text without quotations, which are the picture's or the instruction's words."""
    return _QUOTATION.sub("“”", _SEEN_OBJECT.sub("“”", text))


def plain_text(text: str) -> str:
    """The text without quotations, tags, and the numbers of list items."""
    text = _TAG.sub(" ", unquoted(text))
    return _ITEM.sub(" ", text) if len(_ITEM.findall(text)) > 1 else text


def unexplained(text: str, verdicts: Verdicts, place: Place) -> str:
    """The first part of a text that is not accounted for, with the reason; empty where all is."""
    if len(text) > LONGEST:
        return "it is longer than any reason"
    for number, sentence in enumerate(_sentences(_without_labels(text))):
        if number >= MOST_SENTENCES:
            return "it has more sentences than any reason"
        if why := _sentence(sentence, verdicts, place):
            return f"{why} in “{sentence.strip()[:60]}”"
    return ""


def rival_in(
    value: Mapping[str, Any], known: frozenset[str], verdicts: Verdicts, depth: int = 0
) -> str:
    """The first key of an object with a number that may be a verdict beside the one that was read;
    `known` are the keys that hold the verdict, as `plain_name` spells them.
    """
    plain = {plain_name(key) for key in value}
    named = bool(plain & known)
    for key, item in list(value.items())[:_MOST]:
        if (
            plain_name(key) in known
            or is_harmless_key(key)
            or (not named and plain_name(key) in _GENERIC)
        ):
            continue
        if isinstance(item, str):
            item = float(item) if re.fullmatch(r"\d{1,3}(?:\.\d{1,3})?", item.strip()) else item
        if isinstance(item, int | float) and not isinstance(item, bool):
            other = re.fullmatch(r"[A-Z]{2}|Q\d", key) or (
                item == verdicts.high and "max" in key.casefold()
            )
            if not other and item not in verdicts.given and 0 <= item <= max(verdicts.high, _SMALL):
                return f"{key[:40]}: {item:g}"
        inner = [item] if isinstance(item, Mapping) else item if isinstance(item, list) else []
        for part in inner[:_MOST] if depth < 3 else []:
            if isinstance(part, Mapping) and (rival := rival_in(part, known, verdicts, depth + 1)):
                return rival
            if (
                isinstance(part, int | float)
                and not isinstance(part, bool)
                and 0 <= part <= verdicts.high
            ):
                return f"{key[:40]}: a list of numbers"
    return ""


_GENERIC = frozenset(["score", "rating", "value"])
_LABELS = frozenset(
    ["confidence", "certainty", "difficulty", "weight", "max", "maximum", "page", "turn"]
)
_MOST = 100
_SMALL = 10
"""Numbers up to this one may be scores on another scale."""
_LABEL = re.compile(
    r"(?:^|(?<=[,;|.(]))[\s*_#•-]{0,8}(?:\d{1,2}[.)]\s)?[*_]{0,2}(?P<label>[^\W\d][^\W\d_ ]{0,30}(?: [^\W\d_]{1,20}){0,2}|[A-Z]{2}|Q\d)"
    r"[*_]{0,2}(?:\s?\([^()]{0,40}\))?[*_]{0,2}\s{0,3}[:=–-]\s{0,3}[*_]{0,2}\d{1,3}(?:\.\d{1,3})?(?:\s{0,2}/\s{0,2}\d{1,3})?(?:\s?%)?",
    re.MULTILINE,
)


def _without_labels(text: str) -> str:
    """The text without the numbers of labels that are not about the verdict: ``Confidence: 3``, and
    codes of other dimensions (``TA: 5``).
    """

    def harmless(found: re.Match[str]) -> str:
        label = found["label"]
        return (
            " " if re.fullmatch(r"[A-Z]{2}|Q\d", label) or label.casefold() in _LABELS else found[0]
        )

    return _LABEL.sub(harmless, text)


def _sentences(text: str) -> Iterator[str]:
    for sentence in _SEPARATED.split(plain_text(text)):
        sentence = sentence.replace(BLANK, " ")
        if re.search(r"[^\W_]{2}|\d|[?½¼¾]", sentence):
            yield sentence


def _sentence(sentence: str, verdicts: Verdicts, place: Place) -> str:
    if place is Place.BEFORE:
        return _before_verdict(sentence, verdicts)
    if place is Place.BEHIND and _CLOSED.match(sentence[:400]):
        return ""
    told = _OWN_LINE.match(sentence)
    if (told or not _WORD.search(sentence)) and _repeats(sentence, verdicts):
        return ""
    if languages.is_foreign(sentence) and not _mostly_known(sentence):
        known = languages.accounts_for(sentence, seen=place is not Place.REASON)
        return "" if known else "words of another language"
    if _PRONOUN.search(sentence):
        return "a denial"
    rest = sentence if place is Place.BEHIND else _LOOKS.sub(" ", sentence)
    rest = _without_quantities(
        _own_numbers(_AS_TOLD.sub(_told, _COMPOUNDS.sub(" picture ", rest)), verdicts)
    )
    if (sign := _SIGN.search(rest)) is not None:
        return f"“{sign[0].strip()}”"
    if (number := _number(rest, verdicts)) is not None:
        return f"the number {number}"
    rest = _COMPARED.sub(" identical ", rest)
    if (other := _OTHER.search(rest)) is not None:
        return f"“{other[0]}”"
    return _words(rest, place)


def _before_verdict(sentence: str, verdicts: Verdicts) -> str:
    """Why words before a verdict speak against it: what takes the weight from any verdict, or
    another number beside a word of scores.
    """
    if (found := _SEVERE.search(sentence)) is not None:
        return f"“{found[0]}”"
    rest = _without_quantities(_own_numbers(_COMPOUNDS.sub(" ", sentence), verdicts))
    fraction = _OF_TOP.search(rest)
    if fraction and int(fraction[1]) not in verdicts.given and int(fraction[2]) == verdicts.high:
        return f"the number {fraction[0]}"
    scored = _SCORED.search(sentence) or languages.speaks_of_scores(sentence)
    number = _number(rest, verdicts) if scored else None
    numbers = {str(given) for given in verdicts.given}
    return f"the number {number}" if number and number not in numbers else ""


def _mostly_known(sentence: str) -> bool:
    """Whether most words are known in English, for a sentence that one word or accent makes look foreign."""
    kinds = [kind_of(word.casefold()) for word in _WORD.findall(sentence)]
    known = sum(kind is not Kind.UNKNOWN for kind in kinds)
    return 3 * known >= 2 * len(kinds) > 0


def _told(found: re.Match[str]) -> str:
    """ "As asked" says how a picture is; "rather than" says nothing alone."""
    return " " if found["not"] else " identical "


def _repeats(line: str, verdicts: Verdicts) -> bool:
    """Whether a line of numbers alone, such as a table's row, holds the verdicts and the top."""
    numbers = {int(number) for number in re.findall(r"\d{1,6}", line)}
    return numbers <= {*verdicts.given, verdicts.high} and not re.search(r"\d[.,]\d|[?½¼¾]", line)


def _words(rest: str, place: Place) -> str:
    """Why the words of a sentence do not account for it, or an empty text."""
    words = [word.casefold().replace("’", "'") for word in _WORD.findall(_NAMED.sub(" ", rest))]
    words = [re.sub(r"'(?:d|m|s|ll|ve|re)\Z", "", word) for word in words]
    kinds = [kind_of(word) for word in words]
    seen, unknown, turning = rest.count("“”"), [], ""
    for at, (word, kind) in enumerate(zip(words, kinds, strict=True)):
        if kind is Kind.BEARING:
            return f"“{word}”"
        if word in _ASSENT and place in (Place.REASON, Place.BESIDE):
            kind = Kind.SEEN
        if kind is Kind.ATTRIBUTIVE and Kind.SEEN not in kinds[at + 1 : at + 2]:
            if not word.startswith(_PREDICATES) or _before(kinds, at) is not Kind.SEEN:
                return f"“{word}”"
        seen += kind is Kind.SEEN
        turning = turning or (word if kind is Kind.TURNING else "")
        if place is Place.BEHIND and word in ("so", "hence", "therefore", "thus"):
            return f"“{word}”"  # a conclusion behind the verdict
        unknown += [word] if kind is Kind.UNKNOWN and len(word) > 1 else []
    if turning and (seen < 2 or (place is Place.BEHIND and words[0] in _TURNS)):
        return f"“{turning}”"
    if not seen and any(len(word) > 1 for word in words):
        return "nothing that is seen"
    return f"“{unknown[0]}”" if len(unknown) > seen + 1 else ""


_TURNS = frozenset(["actually", "instead", "correct", "right", "should", "would", "could", "might"])
"""How a sentence behind a verdict begins that turns it."""
_ASSENT = frozenset(["right", "correct", "correctly", "true"])
_PREDICATES = (
    "wrong", "incorrect", "number", "mixed", "corrupt", "error", "mistake", "figure", "value", "scale", "scratch", "drop",
    "reference", "original", "input", "source", "again",
)  # fmt: skip
"""Words that may stand behind a word of pictures as well: "the letter is wrong", "spelling error"."""


def _before(kinds: list[Kind], at: int) -> Kind:
    """The kind of the last word before a place that says more than grammar does."""
    return next((kind for kind in reversed(kinds[:at]) if kind is not Kind.HOLDING), Kind.UNKNOWN)


_ONE = re.compile(r"(?:one|1)\Z", _I)
_IS = re.compile(
    r"\s(?:is|are|was|were|has|have|remains?|looks?|differs?)\s(?:been\s|still\s|now\s|not\s|also\s)*",
    _I,
)


def _number(rest: str, verdicts: Verdicts) -> str | None:
    """The first number that may be a score on some scale."""
    counted = "\x00" in rest
    if counted:
        rest = _AFTER_COUNT.sub(" ", rest)
    for found in _NUMBER.finditer(rest):
        number = found[0].rstrip(".,:/").casefold()
        if rest[: found.start()].endswith("-") or rest[found.end() : found.end() + 1].isalpha():
            return number
        before = _WORD.findall(rest[max(0, found.start() - 60) : found.start()])
        after = rest[found.end() : found.end() + 80]
        following = _WORD.match(after.lstrip())
        word = following[0].casefold() if following else ""
        if _ONE.match(number):
            if _counts_one(after):
                continue
            if number == "one" and _is_pronoun(before, word):
                continue
        if counted and (linked := _IS.match(after)):
            told = _WORD.match(after[linked.end() :])
            if told and kind_of(told[0].casefold()) is Kind.SEEN:
                continue
        if number.isdecimal() and int(number) > 10 and int(number) != 100:
            continue
        if before and before[-1] == "§" and number.isdecimal() and int(number) in verdicts.given:
            continue
        return number
    return None


def _counts_one(after: str) -> bool:
    """Whether "one" or "1" counts what follows: "1 button", "one more book"."""
    for word in re.findall(r"\A[\s-]?(?:[^\W\d_][\w'’-]*[ -]?){1,3}", after)[:1]:
        for part in _WORD.findall(word.casefold()):
            kind = kind_of(part)
            if kind is Kind.SEEN:
                return part not in _UNITS
            if (
                part not in ("more", "other", "whole", "of", "the", "extra", "such")
                and kind is not Kind.ATTRIBUTIVE
            ):
                return False
    return False


def _is_pronoun(before: list[str], after: str) -> bool:
    """Whether "one" stands for a thing: "the old one", "one of the letters", "no one"."""
    words = [word.casefold() for word in before[-2:]]
    if after == "out":
        return False
    if after in ("looks", "sees", "compares", "zooms", "reads", "knows", "wanted", "asks"):
        return True
    if {"a", "an"} & set(words) or (not words and not after):
        return False
    if words and (
        words[-1] in ("the", "this", "that", "no", "any", "each", "every", "which", "another")
    ):
        return after not in ("", "because", "since", "for", "as", "is", "would")
    return (bool(words) and kind_of(words[-1]) in (Kind.SEEN, Kind.ATTRIBUTIVE)) or after in (
        "of",
        "by",
    )


def _without_quantities(sentence: str) -> str:
    """The sentence with a mark in place of every number that counts or names something."""
    for pattern in _QUANTITIES:
        sentence = pattern.sub(_counted, sentence)
    return sentence


def _counted(found: re.Match[str]) -> str:
    """What is left of a count: the words behind the number, which are of the picture or not."""
    return " \x00 " + " ".join(
        word for word in _WORD.findall(found[0]) if word.casefold() not in NUMBER_WORDS
    )


def _own_numbers(sentence: str, verdicts: Verdicts) -> str:
    """The sentence without what repeats its only verdict, or falls short of the top of the scale."""
    sentence = re.sub(rf"\b[01]\s?(?:-|–|—|to)\s?{verdicts.high}\b", " ", sentence)
    if not verdicts.single:
        return sentence
    given, high = min(verdicts.given), verdicts.high
    spelled = [word for word, number in NUMBER_WORDS.items() if number == given]
    number = "|".join([str(given), *spelled])
    own = re.compile(
        rf"(?:\b{_LEAD_IN}[\s:,=*]{{1,3}}){{1,6}}(?:{number})\b{_FRACTION.format(high=high)}(?=\s?(?:[.,;)!]|\Z|because|since|due|for|as))"
        rf"|\A\W*(?:{number})\b\s?(?:/|out of|of)\s?{high}(?=\s?[.,;:)!–—-]|\Z)",
        _I,
    )

    def owned(found: re.Match[str]) -> str:
        clause = re.split(r"[;:]", sentence[: found.end()])[-1]
        return found[0] if _DENIED.search(clause) else " "

    sentence = own.sub(owned, sentence)
    top = "|".join([str(high), *[word for word, value in NUMBER_WORDS.items() if value == high]])
    if given < high:
        sentence = re.sub(
            rf"\b(?:(?:hence |so |therefore |thus )?(?:not (?:quite |yet |fully )?an?|no|rather than an?|short of an?|miss(?:es)? an?"
            rf"|keeps? it from an?|prevents? an?|would be an?|not enough for an?))\s(?:full |perfect )?(?:{top})\b(?! (?:out|points?|/))",
            " ",
            sentence,
            flags=_I,
        )

        sentence = re.sub(
            rf"\b(?:(?:it|this|i|that) )?would (?:be|have been|give|get|deserve|be worth) (?:it )?(?:an? )?(?:{top})\b(?= (?:if|without|but for|were|had|except)\b)",
            " ",
            sentence,
            flags=_I,
        )

    def deducted(found: re.Match[str]) -> str:
        word = (found["first"] or found["second"]).casefold()
        points = 1 if word == "a" else NUMBER_WORDS.get(word) or int(word)
        return " " if high - points == given else found[0]

    return _DEDUCTION.sub(deducted, sentence)


# --- all the words of a reply -----------------------------------------------------------------------


def against(
    reasons: list[str],
    beside: list[str],
    remarks: list[str],
    before: str,
    after: str,
    verdicts: Verdicts,
) -> str:
    """Why the verdicts are in doubt, or an empty text.

    `reasons` explain them, `beside` stand on their lines, `remarks` say something else beside them, `before` and `after` are the
    texts around them.
    """
    texts = [(text, Place.REASON) for text in (*reasons, *languages.reasons_in(after[:LONGEST]))]
    texts += [(text, Place.BESIDE) for text in beside]
    texts += [(before[-LONGEST:], Place.BEFORE)]
    texts += [(text, Place.BEHIND) for text in remarks]
    if len(after) > LONGEST:
        return "the words behind the verdict are longer than any reason"
    lines = [line for line in _lines(after) if line.strip()]
    if len(lines) > MOST_SENTENCES:
        return "the words behind the verdict have more lines than any reason"
    for line in lines:
        explains = _REASONED.match(line)
        rest = line[explains.end() :] if explains else line
        texts.append((rest, Place.REASON if explains else Place.BEHIND))
    for text, place in texts:
        if why := unexplained(text, verdicts, place):
            return _WHY[place].format(why)
    return ""


_WHY = {
    Place.REASON: "the judge's own words may speak against its number: {}",
    Place.BESIDE: "the judge's own words may speak against its number: {}",
    Place.BEFORE: "the judge's own words may give another number: {}",
    Place.BEHIND: "the verdict may be contradicted after it was given: {}",
}


_MARKER = re.compile(r"^[ \t>*-]{0,9}\d{1,2}[.)]\s", re.MULTILINE)
_REASONED = re.compile(
    r"^\W{0,8}(?:<?(?:rationale|reason|reasoning|explanation|comment|justification)>|(?:\w{1,20} ){0,2}(?:rationale|reason(?:ing|s)?|explanations?|justifications?"
    r"|comments?|details?|analysis|summary|observations?|evidence|why"
    r"|strengths?|weaknesses?|pros|cons|feedback|notes? on \w+|breakdown|differences?|description"
    r"|confidence|certainty|step \d)\b[^\n:=]{0,40}[:：=]|[-*•]\s|\d{1,2}[.)]\s|#|\*\*[^*\n]{1,60}\*\*)",
    _I,
)
"""How a line begins that explains, lists or heads: what is in it is about the picture."""


def _lines(after: str) -> list[str]:
    """The lines behind a verdict, without those that are called its reason and the numbers of
    lists.
    """
    return _without_labels(languages.without_reasons(_MARKER.sub(" ", after))).split("\n")
