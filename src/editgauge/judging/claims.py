"""The numbers that a judge's text claims the score to be, beside the one that was read.

A number in a sentence is about the picture when it counts something ("2 letters", "3 px"), names
something ("line 2"), is quoted, or stands beside words of what was edited. Otherwise it is a
*claim*, and one that differs from the verdict puts the verdict in doubt (see `doubts`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache

from editgauge.judging import languages
from editgauge.judging.lexicon import NUMBER_WORDS, SCORE_WORDS
from editgauge.judging.talk import SENTENCE
from editgauge.judging.wording import GIVES, QUOTATION

MAX_NUMBERS = 80
"""Numbers in one text that are weighed; a text with more is no reason."""
_WINDOW = 240
"""Characters around a number that tell what it is about."""
_I = re.IGNORECASE
_SEEN_OBJECT = re.compile(
    r"\b(?:says?|reads?|shows?|contains?|states?|texts?|prints?|displays?)\b[^{}\n]{0,40}\{[^{}]{0,300}\}",
    _I,
)
"""An object that a picture is said to show."""
_ITEM = re.compile(r"(?:^[^\w\n]{0,8}|(?<=[,;:.] ))\d{1,2}[.)]\s", re.MULTILINE)
_INLINE = re.compile(r"(?<![\w/.])\(?(\d{1,2})[).][ \t](?=[^\W\d]|\d{1,2} [^\W\d]|[\"'“‘])")
_TAG = re.compile(r"</?\w[\w ]{0,40}>|\A\w[\w ]{0,40}>")
_SCORED = re.compile(rf"\b{SCORE_WORDS}\b", _I)
_THUS = re.compile(
    r"(?:\b(?:so|hence|therefore|thus|i['’]d|i would|i['’]ll|make (?:it|that)|call (?:it|this|that)|say"
    r"|go (?:with|for)|stay (?:at|with)|rather|better|actually|but an?|(?:it|this)(?:['’]s| is)"
    r"|should be|must be|ought to be"
    r"|cut to|cap(?:ped)? at|dock(?:ed)?|overall|in total|final\w*|only an?|just an?)|->|→|=>)"
    r"(?:[\s,:]{1,3}(?:only|just|an?|to|it|be|is|at|merely|rather|more like|the|no|maybe|give"
    r"|go|say)){0,3}[\s,:*_(§]{1,5}\Z",
    _I,
)
"""Words right before a number that make it a conclusion."""
_WHICH_OUGHT = re.compile(r"\b(?:which|that) (?:should|must|ought to) (?:be|read|say|show)\s\Z", _I)
_READ_OUT = re.compile(
    r"(?<!I )(?<!would )(?<!must )\b(?:reads?|says|shows|displays|prints?)\b[^.;,]{0,40}\Z", _I
)
"""What a picture or an instruction says, and not the judge."""
_OUGHT = re.compile(r"\b(?:should|must|ought to) be(?: an?| the)?\s\Z", _I)
_BREAK = re.compile(r"[,;:()]|\b(?:though|but|while|whereas|yet|and so)\b", _I)
_ARTICLE = re.compile(
    r"\b(?:an?|the|solid|weak|strong|low|high|full|mere|straight)\s[*_]{0,2}\Z", _I
)
_EDITED = re.compile(
    r"\b(?:chang\w+|replac\w+|edit(?:ed|ing|or|s)|convert\w*|turn\w*|modif\w+|alter\w*|updat\w+|swap\w*"
    r"|set|transform\w*|increas\w+"
    r"|decreas\w+|reduc\w+|went|adjust\w*|correct(?:ed|ly)|writ\w+|add\w*|remov\w+|render\w*"
    r"|drawn?|display\w*|reads"
    r"|says|shows?|showing|label\w*|digits?|numbers?|numerals?|bec[ao]mes?|there (?:is|are|was"
    r"|were)|has|have|had|contains?|remain\w*|left|asked for|wanted|needs?|equals|equation|sum"
    r"|cells?|grid|puzzle|angle|axis|chart|price|costs?|clock|scoreboard|dice|die|cards?|jersey"
    r"|figures?|count\w*|total|text|character\w*|letters?|instead of the)\b",
    _I,
)
"""Words of what an instruction asks for: a bare number beside them belongs to the picture."""
_FOLLOWS = (
    r"(?:out|of|if|or|and|is|was|would|be|but|because|since|instead|rather|at|as|for|on|in|after"
    r"|to|not|seems?|feels?|looks?"
    r"|overall|(?:points?|stars?|marks?)(?=\s*(?:[.,;:)]|\Z|for\b|because\b|since\b|out\b|of\b"
    r"|at\b|only\b|off\b|is\b|are\b|was\b|were\b|less\b))|due|given|only|max|maximum|here|now"
    r"|then|than|though|although|while|with|without|so|hence"
    r"|it|i|there|this|that|which|could|should|might|may|must|deserves?|fits?|appropriate|correct"
    r"|right|fair|fairer|enough|again|too"
    r"|from|sounds?|more|best|better|will|does|suits?|applies|remains?|stands?|were|had|minus"
    r"|plus|by|under|per|when|a|an|the|also"
    r"|instead|please|thanks?|everywhere|throughout|all|both|each|no|yes|would['’]ve|should['’]ve"
    r"|isn['’]t|wasn['’]t|can['’]t|flat"
    r"|appears?|makes?|reflects?|represents?|reflecting|being|at most|at best|tops?|maybe|perhaps"
    r"|possibly|actually|really)"
)
_NUMBER = re.compile(
    rf"(?<![\w.,:/%$€£¥#°×'’+-])(?:[$€£¥#]\s?)?(?P<number>\d{{1,2}}|{'|'.join(NUMBER_WORDS)})"
    rf"(?![\w%°×]|[.,:]\d|\s?[%°€]|-\w|\s?[-–—]\s?\d{{1,4}}\s?(?!{_FOLLOWS}\b)[^\W\d])"
    r"(?P<fraction>[*_]{0,2}\s{0,2}(?:/|out of|of)\s{0,2}(?:(?:the|all|these|its)\s)?(?:\d{1,3}"
    r"|two|three|four|five|six|seven|eight|nine|ten)\b(?!\s?%))?"
    rf"(?P<counts>[*_]{{0,2}}\s{{1,2}}(?:(?!{_FOLLOWS}\b)[^\W\d]|(?:['‘][^'’\n]{{1,12}}['’]|“”)s\b))?",
    _I,
)
_RANGE = re.compile(
    rf"(?<![\w.,:/-])(\d{{1,2}})\s?(?:-|–|—|to|\.\.|~|～|(?<=between \d )and)\s?(\d{{1,2}})(?![\w:/%-]|[.,]\d)(?!\s?(?!{_FOLLOWS}\b)[^\W\d])"
)
_WOULD_BE = re.compile(r"\bwould (?:be|have been|seem)\b", _I)
_CONDITION = re.compile(
    r"\b(?:if|unless|were|had|without|but for|except|otherwise|could|might|need|require|should)\b",
    _I,
)
_OF_THE = re.compile(
    r"\s+of (?:the|these|those|its|his|her|their|all|them|both)\b(?! (?:\d|five|ten|points?|marks?|rubric|scale|possible|available|max))",
    _I,
)
_ONLY_IF = re.compile(
    r"[*_]{0,2}\W{0,3}(?:but |only |just )?(?:if(?! (?:you|one|we) (?:look|zoom|compare|inspect|enlarge)s?\b)|unless|provided|assuming|as long as)\b",
    _I,
)
"""Behind the verdict's number: that it holds on a condition."""
_COUNT_GOES_ON = re.compile(
    r"\s(?:(?:were|are|remain|stay|have|had|got|still|show|lie|stand|look|differ|belong|match)\b(?! (?:enough|fair|right|correct|more|too|closer|better|appropriate|justified))"
    r"|\([^\W\d][^()\d]{1,40}\)|(?:or|and|to|of the|of)\s(?:\d{1,2}|two|three|four|five|six|seven|eight|nine|ten)\s(?!of\b|for\b|on\b|in\b|because\b|points?\b|here\b|overall\b|as\b|is\b)[^\W\d]{2})",
    _I,
)
"""Behind a number above one: that it counts what was named before ("of the 5 apples 2 were …"), or
is one of two that count, or numbers what stands in brackets.
"""
_MOVES_IT = re.compile(
    r"\b(?:it|this|that|the (?:edit|result|score|rating|grade|mark|verdict|output)) (?:\w+ )?(?:down |up )?from\b",
    _I,
)
"""The score, or the edit, goes from one number to another."""
_IT_IS = re.compile(
    r"\b(?:it|this|that|which) (?:is|was|makes|gives|gets|ends(?: up)? (?:at|with)|comes (?:out )?(?:to|at))(?: (?:only|just|merely|at (?:best|most)|barely|then|therefore|an?))*\s\Z"
    r"|(?:\A\W*|[,;:(–—]\s?|\s-\s)(?:then |later |hence |and |thus )?(?:reduced|lowered|cut|brought|taken|raised|corrected|adjusted|revised|changed) (?:down |up )?to (?:an? )?\Z",
    _I,
)
"""What leads to a number that the score is said to be, or to become."""
_OF_SO_MANY = re.compile(
    r"(?<!out )\b(?!(?:scores?|ratings?|grades?|marks?|verdicts?|values?|points?|levels?|totals?|results?|penalty|deduction|loss|maximum|minimum|average|mean|worth|instead|because|short|out|description|definition|anchor|criterion|criteria|standard|wording|category|class|threshold|meaning)\b)[^\W\d]{3,}(?<!full) of (?:the |only |all )?\Z",
    _I,
)
"""What leads to a number that counts the whole of something: "one screw of two"."""
_ONE_IS = re.compile(
    r"\s(?:is|was) (?:still |now |also |clearly )?(?:missing|misspell?ed|misplaced|left|gone|lost|kept|changed|unchanged|removed|added|blurred|visible|cut off|duplicated|moved|cropped)\b",
    _I,
)
"""Behind a number: what became of the one that it counts."""
_SUM = re.compile(r"\s?(?:[×÷]|[x*+](?=\s?\d))|\s\d{2}")
_SUM_BEFORE = re.compile(r"(?:[×÷]|\d\s?[+*x])\s?\Z")
"""A term of a sum, or the first digits of a longer number."""
_FROM_TO = re.compile(
    r"\bfrom (?:about |nearly |almost |some |~)?\d{1,5}(?: ?[^\W\d]{1,9})? (?:down |up )?to (?:about |nearly |almost |only |some |~)?\s?\Z",
    _I,
)
"""What leads to the second number of "from 400 ml to nearly 0"."""
_DIGIT_OF = re.compile(
    r"\b(?:around|of|in|inside|behind|beside|below|above|under|over|near|touching|turned|changed|replac\w+|left|kept|keeps|lost|missing|blurs?|blurred|smudg\w+|shape of|edge of) (?:the|its)\s[*_]{0,2}\Z"
    r"|\A\W{0,3}[Tt]he\s[*_]{0,2}\Z|[;,.] (?:and )?the\s[*_]{0,2}\Z|\bthat the\s\Z",
    _I,
)
"""What stands before a digit that the picture shows: "a halo around the 5"."""
_SHOWN = re.compile(
    r"\b(?:position|place|spot|cell|square|channel|station|exit|seat|table|box|slot|label|letter|word|tooth|vertebra|rib|segment|lobe|slice|lot|unit|bay|pier|aisle|shelf|apartment|flat|apt|highway|road|street|lap"
    r"|race|round|week|month|shirt number|jersey number|house number|bus line|bus number|answer on \w+ \w+|equation|digit)(?: is| are| was| shows| reads| became)?(?: now| not| at| in)?(?: \d{1,2} but)?\s\Z"
    r"|\b(?:output|result|input|reference|original)\s\Z(?<=, the output )|, the (?:output|result|edit|edited image|reference)\s\Z",
    _I,
)
_EXCHANGED = re.compile(
    r"\s(?:instead of|rather than|in place of|was replaced|is replaced|was changed|was turned|became)\b",
    _I,
)
_EXCHANGED_BEFORE = re.compile(
    r"\b(?:instead of|rather than|replaced (?:\w+ )?(?:by|with)|turned into|changed (?:in)?to|became|from \d{1,2} to|not \d{1,2} but|between \d{1,2} and|between)(?: an?| the)?\s\Z",
    _I,
)
_PRONOUN = re.compile(
    r"\b(?:the|this|that|each|every|which|any|no|some|another|only|new|old|last|first)\s\Z", _I
)
_ALL_OF = re.compile(
    r"\b(?:all|these|those|other|first|last|next|remaining|both|any|of the|the same|the other|my) \Z",
    _I,
)
"""What stands before a number word that counts what was named before: "all five"."""
_PRICED = re.compile(r"[$€£¥#]\s?\Z")
_LABELLED = re.compile(
    r"(?:^\W{0,6}\d{1,2}[.):]\s?|\b(?:reference|ref|panel|tile|region|area|object|scene|shot|view|layer|word|letter|character|sentence"
    r"|paragraph|bullet|step|rule|criterion|criteria|figure|fig|image|picture"
    r"|photo|line|part|question"
    r"|item|section|row|column|frame|page|version|option|candidate|model|digit|number|numeral"
    r"|day|year|hour|no|nr|chapter|route|gate"
    r"|room|track|platform|bus|player|house|size|iphone|world war|act|floor|team|home|guest"
    r"|door|lane|group|type|phase|q)s?\.?[\s#]{0,2}(?:\d{1,2}(?:,| and| to| or| through| ?[-–]) ?){0,4}\Z)",
    _I,
)
_NOT_THIS = re.compile(
    r"\b(?:(?:instead of|rather than|than)(?: an?| the)?|not (?:quite |yet )?(?:an?|the)?|not|no|versus|vs\.?|perfect"
    r"|flawless|ideal|compared (?:to|with) an?|never an?|isn['’]t an?"
    r"|(?:reserved|not \w{1,12} enough) for(?: an?)?|keeps? it from(?: an?)?|prevents? an?|scale of|out of|possible"
    r"|scale from|rules? out(?: an?)?)\s[*_]{0,2}\Z",
    _I,
)
_AT_MOST = re.compile(
    r"\b(?:(?:no|not|never|nothing|n['’]t|cannot|can['’]t|hardly|barely)\b[^.;]{0,40}\b(?:more"
    r"|higher|better|above|over|beyond|exceed)(?: than)?"
    r"|(?:at most|at best|maximum(?: of)?|max\.?|up to|capped at|cap(?: of| at)?|limited to"
    r"|below|under|less than|lower than|fewer than|worse than|caps? (?:it |this )?at))"
    r"\s(?:an?\s|the\s)?[*_]{0,2}\Z",
    _I,
)
_BELOW = re.compile(
    r"\b(?:below|(?<!lists )(?<!listed )(?<!falls )(?<!fall )(?<!described )(?<!names )(?<!named )(?<!given )(?<!has )under|less than|lower than|fewer than|worse than|not even|short of)\s(?:an?\s"
    r"|the\s)?[*_]{0,2}\Z",
    _I,
)
_AT_LEAST = re.compile(
    r"\b(?:at least|no (?:less|lower|worse) than|not (?:less|lower|worse|below)(?: than)?|minimum(?: of)?"
    r"|upwards of)"
    r"\s(?:an?\s|the\s)?[*_]{0,2}\Z",
    _I,
)
_ABOVE = re.compile(r"\b(?:better|higher|more) than\s(?:an?\s|the\s)?[*_]{0,2}\Z", _I)
_OFF = re.compile(
    r"\s{0,2}(?:points?|marks?|stars?)?\s{0,2}(?:(?:is|are|was|were|have been|has been|off|must"
    r"|should|be|has to|have to|go(?:es)?)\s){0,2}"
    r"(?:deduct|subtract|tak(?:en|e) off|off\b|lost|go(?:es)?\b|remov|knocked|docked|less\b|fewer|cut\b)"
    r"|\s{0,2}(?:points?|marks?|stars?)\s(?:off|less|lower|for (?:the|each|its|missing|an?))",
    _I,
)
_OFF_BEFORE = re.compile(
    r"\b(?:deduct\w*(?: of)?|subtract\w*|minus|less|lost|los(?:es|ing)|docked|took off|take off"
    r"|took|knocked off|with a deduction of"
    r"|lower\w* (?:it |this )?by|reduc\w+ (?:it |this )?by|cost(?:s|ing)? it|drops? by|down by)\s(?:an?\s)?[*_]{0,2}\Z",
    _I,
)
_IF_ONLY = re.compile(
    r"\b(?:would|could|might)\b[^.;]{0,80}|\b(?:if|unless|were it not|but for|had the|had it)\b", _I
)
_LACKING = re.compile(
    r"\b(?:without|if not|but for|were it not|unless|except|if (?:the|it|there)|had)\b", _I
)
_OWN_WOULD = re.compile(
    r"\b(?:one|we|you|others) (?:might|could|would) (?:give|say|rate|score)\b|\bwould be (?:the )?(?:fair\w*"
    r"|right|correct|appropriate|better|more|closer|justified|accurate|suitable|adequate|just)\b"
    r"|\b(?:i['’]d|i would)(?! (?:have|expect))(?![^.;]{0,60}\b(?:if|had|were|unless|without)\b)",
    _I,
)
_AT_FIRST = re.compile(
    r"\b(?:at first|first (?:glance|sight|look|thoughts?|impression|seem\w*|pass)|i first|initial\w*"
    r"|tempted)\b[^.;\d]{0,30}\Z",
    _I,
)
_COUNTS = re.compile(rf"\s+(?:of\b|(?!{_FOLLOWS}\b|points?\b|marks?\b|stars?\b)[^\W\d]{{3,}})", _I)
"""Behind a fraction: what it is a fraction of."""
_TOO = re.compile(
    r"[^\w|]{0,4}(?:is|was|seems|looks|feels|may be|might be|would be|sounds)? ?(?:far |much |a bit "
    r"|a little |slightly |perhaps |probably "
    r"|way |rather |still )?(?:too (?:high|low|generous|harsh|strict|lenient|much|little|kind"
    r"|severe)|generous|overly|unjustified"
    r"|not (?:justified|deserved|warranted|right|correct|appropriate)|undeserved"
    r"|wrong\b(?! (?:colou?rs?|letters?|words?|fonts?|size|places?|positions?|side|spelling|shade|case|texts?|lines?|digits?|characters?)\b)"
    r"|an? (?:mistake"
    r"|error|typo|slip|overstatement|exaggeration))",
    _I,
)
_EXTREME = re.compile(
    r"\b(?:(?P<top>(?:top|upper end|high end) of the (?:scale|range)|(?:highest|top|best) (?:level|band|category|tier)|full (?:marks|points|score)|top marks?|(?:the )?maximum(?=\W*\Z)|(?:perfect"
    r"|maximum|max|top|highest|best)(?: possible)? (?:score|marks?|rating|grade|points))"
    r"|(?P<bottom>(?:bottom|lower end|low end) of the (?:scale|range)|(?:lowest|bottom|worst) (?:level|band|category|tier)|worst possible (?:outcome|result|case)|(?:the )?minimum(?=\W*\Z)|(?:lowest|minimum|bottom|worst)(?: possible)? (?:score"
    r"|marks?|rating|grade)|no points|zero points)|(?P<half>half (?:of )?(?:the |its )?(?:marks"
    r"|points|score)))\b",
    _I,
)
_STEPS_BELOW = re.compile(
    r"\b(an?|one|two|three|[1-4]) (?:points?|marks?|levels?|bands?|steps?|notch(?:es)?|grades?|rungs?) (?:short of|below|under|off|away from|from|less than) (?:the |a )?(?:top|maximum|full|perfect|highest|best|ceiling|max)",
    _I,
)
"""So many steps below the highest number of the scale."""
_NOT_GIVEN = re.compile(
    r"\s(?:(?:was|is|were|are|can|could)(?: not|n['’]t|not)|cannot|would (?:need|require|take)|is (?:withheld|out of reach|denied))\b",
    _I,
)
_HELD_BACK = re.compile(
    r"\b(?:not|no|n['’]t|never|less|short|prevent\w*|keep\w*|kept|miss\w*|los\w+|cost\w*|would"
    r"|could|might|deny|denied|denies|rules? out"
    r"|hardly|without|if|almost|nearly|hinder\w*|stop\w*|away|avoid\w*|preclud\w*|spoil\w*|reference"
    r"|original|but|instead|than)\b",
    _I,
)
_NAME_BEFORE = re.compile(r"(?<=[\w,:;\"”)] )[A-Z][\w-]{2,20}\s\Z|\b[A-Z]{2,20}\s\Z")
_OF_MANY = re.compile(r"\b(?:scoreboard|rating|stars?|points?|marks?)\b", _I)
"""Words of scores that pictures have as well."""
_SIGNED = re.compile(
    r"(?:^|[\s(])[-−–+][1-9]\b(?!\s?[°%.,/:\d]|\s?(?:px|pixels?|mm|cm|degrees?)\b|\s[a-z])"
)
_PERCENT = re.compile(
    r"\b\d{1,3}\s?(?:%|percent|per cent) of (?:the |all |its )?(?:points|marks|score)\b", _I
)
BRIEF = 8
"""Words of a sentence behind a verdict that can hardly be about anything but the verdict."""
WORD = re.compile(r"[^\W\d_]{2,}(?:['’][^\W\d_]+)?")


class Place(Enum):
    """Where a text stands: in a reason every number must be accounted for; before a verdict one
    needs a word of scores; behind it a short sentence is enough.
    """

    REASON = auto()
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
    return QUOTATION.sub("“”", _SEEN_OBJECT.sub("“”", text))


def plain_text(text: str) -> str:
    """The text without quotations, tags, and the numbers of list items."""
    text = _TAG.sub(" ", unquoted(text))
    text = _ITEM.sub(" ", text) if len(_ITEM.findall(text)) > 1 else text
    return _without_numbering(text)


def _without_numbering(text: str) -> str:
    """The text without the numbers of a list inside a sentence: "(1) the halo, (2) the font"."""
    marks = list(_INLINE.finditer(text))[:MAX_NUMBERS]
    if [int(mark[1]) for mark in marks] != list(range(1, len(marks) + 1)) or len(marks) < 2:
        return text
    return _INLINE.sub(" ", text)


def claims_about(text: str, verdicts: Verdicts, place: Place) -> Iterator[str]:
    """For every claim in the text, in order: the number where it is not a verdict's, else nothing."""
    for shown in {*re.findall(r"\d{1,2}", " ".join(QUOTATION.findall(text[:10_000])))}:
        # what is quoted is in the picture; so is "the 2" then
        text = re.sub(rf"\b(?:the|this|that|its|new|old|added) {shown}\b(?!\s?/)", "the sign", text)
    scale = re.compile(rf"\b[01]\s?(?:-|–|—|to)\s?{verdicts.high}\b")
    text = _DIFFERENCE.sub(
        lambda found: _without_sum(found, verdicts), scale.sub(" ", plain_text(text))
    )
    for sentence in SENTENCE.split(text):
        if not sentence.strip():
            continue
        for top in _TOP_SAID.finditer(sentence):
            if int(top[1] or top[2]) != verdicts.high:
                yield f"a scale to {top[1] or top[2]}"
        sentence = _TOP_SAID.sub(" ", sentence)
        if _SUPPOSED.match(sentence) or languages.is_supposed(sentence):
            found = map(int, re.findall(r"(?<![\w.,/])\d{1,2}(?![\w%])", sentence))
            numbers = [number for number in found if verdicts.low <= number <= verdicts.high]
            if numbers and numbers[0] in verdicts.given:
                yield f"{numbers[0]} on a condition"
            yield from (str(number) for number in numbers[1:] if number not in verdicts.given)
            continue
        if languages.is_foreign(sentence):
            deducts = place is Place.REASON and languages.deducts(sentence)
            yield from (
                ""
                if {number, verdicts.high - number if deducts else number} & {*verdicts.given}
                else str(number)
                for number in languages.claims_in(sentence, behind=place is Place.BEHIND)
                if verdicts.low <= number <= verdicts.high
            )
            continue
        yield from _english_claims(sentence, verdicts, place)
        for extreme in _EXTREME.finditer(sentence):
            number = verdicts.high if extreme["top"] else verdicts.low
            number = (verdicts.low + verdicts.high) // 2 if extreme["half"] else number
            clause = re.split(r"[,;(]", sentence[: extreme.start()])[-1]
            if not _HELD_BACK.search(clause) and not _NOT_GIVEN.match(sentence, extreme.end()):
                yield "" if number in verdicts.given else extreme[0]
        for steps in _STEPS_BELOW.finditer(sentence):
            word = steps[1].casefold()
            down = int(word) if word.isdecimal() else NUMBER_WORDS.get(word, 1)
            yield "" if verdicts.high - down in verdicts.given else steps[0]


_SUPPOSED = re.compile(
    r"\W*(?:were|had|should)\b[^.;?]{3,160}?[,:] ?(?:i['’]d|i would|it['’]d|(?:it|this|that|the (?:score|edit|result|output)) (?:would|could|might))\b",
    _I,
)
"""How a sentence begins that gives a number on a condition that does not hold."""
_OF_OTHER = re.compile(
    r"\b(?:the|an?) (?:reference|original|input|source|unedited|untouched)(?: (?:image|picture|photo))?(?: itself| alone)?"
    r"(?: (?:(?:would )?(?:deserves?|gets?|merits?|earns?|scores?|rates?|be|have))(?: an?)?(?:\s?“”\s?[:=]?)?|,?\s?“”\s?[:=])\s\Z",
    _I,
)
"""How a clause gives another picture its number."""
_TOP_SAID = re.compile(
    r"[(（]?(?:[满滿]分|总分|總分)(?:为|為|是|[:：])?\s?(\d{1,3})\s?分?[)）]?|[(（]?(\d{1,3})\s?(?:分|点|點|점)\s?(?:[满滿]分|満点|만점)[)）]?"
)
"""The top of the scale, in Chinese, Japanese and Korean."""
_DIFFERENCE = re.compile(r"\b(\d{1,2})\s?(?:-|−|–|minus|less)\s?(\d{1,2})\b(?!\s?[/.,]?\d)", _I)


def _without_sum(found: re.Match[str], verdicts: Verdicts) -> str:
    """Nothing for the sum that comes to the verdict ("5 minus 1"), else what was found."""
    return (
        " "
        if int(found[1]) - int(found[2]) in verdicts.given and int(found[1]) == verdicts.high
        else found[0]
    )


def _english_claims(sentence: str, verdicts: Verdicts, place: Place) -> Iterator[str]:
    scored = _SCORED.search(sentence) is not None
    for index, found in enumerate(_NUMBER.finditer(sentence)):
        if index > MAX_NUMBERS:
            yield "more numbers than a reason has"
            return
        word = found["number"].casefold()
        number = NUMBER_WORDS[word] if word in NUMBER_WORDS else int(word)
        lead = sentence[max(0, found.start() - 80) : found.start("number")]
        rest = sentence[found.end("number") : found.end("number") + 80]
        if (word == "one" and _PRONOUN.search(lead)) or (
            number not in verdicts.given and _NOT_GIVEN.match(rest)
        ):
            continue
        outside = number > verdicts.high or _AT_FIRST.search(lead[-40:])
        if outside or _PRICED.search(lead) or _LABELLED.search(lead) or _OF_OTHER.search(lead):
            continue
        claim = _claim(number, lead, rest, found, verdicts, scored=scored)
        if not word.isdecimal() and _ALL_OF.search(lead):
            continue
        counts = found["counts"] or _OF_THE.match(rest) or _goes_on(number, lead, rest)
        if claim is None and not counts and not _compared(number, lead, verdicts):
            claim = _bare_claim(number, lead, found, verdicts, place, scored=scored)
        if claim is not None:
            yield claim


def _goes_on(number: int, lead: str, rest: str) -> bool:
    """Whether a number counts or numbers something that is named elsewhere."""
    if (
        _OF_SO_MANY.search(lead)
        or _ONE_IS.match(rest)
        or _SUM.match(rest)
        or _SUM_BEFORE.search(lead)
    ):
        return True
    counts = number > 1 and not _ARTICLE.search(lead) and _COUNT_GOES_ON.match(rest) is not None
    return counts or (_FROM_TO.search(lead) is not None and _MOVES_IT.search(lead) is None)


def _is_plain_would(near: str) -> bool:
    """Whether "would" is polite and not a condition: "a 1 would be honest"."""
    return _WOULD_BE.search(near) is not None and _CONDITION.search(near) is None


def _compared(number: int, lead: str, verdicts: Verdicts) -> bool:
    """Whether the verdict is held against the number: "rather than 3", "not quite a 5"."""
    if _NOT_THIS.search(lead):
        return True
    above = verdicts.single and number > max(verdicts.given)
    return above and _HELD_BACK.search(lead) is not None


def _bare_claim(
    number: int,
    lead: str,
    found: re.Match[str],
    verdicts: Verdicts,
    place: Place,
    *,
    scored: bool,
) -> str | None:
    """What a number claims that counts nothing and is compared with nothing."""
    sentence = found.string
    behind = place is Place.BEHIND
    if found["fraction"]:
        told = place is Place.REASON or GIVES.search(lead) or scored
        of_top = _is_of_top(found["fraction"], verdicts.high)
        if told and of_top and not _COUNTS.match(sentence, found.end()):
            return _other(number, verdicts, found[0])
        return None
    if _WHICH_OUGHT.search(lead) or (place is Place.BEFORE and _READ_OUT.search(lead)):
        return None
    if not scored and _is_of_picture(lead, sentence[found.end("number") :], place):
        return None
    if place is not Place.BEFORE and _IT_IS.search(lead):
        return _other(number, verdicts, found[0])
    clause = _clause(sentence, found.start("number"))
    near = sentence[max(0, found.start() - _WINDOW) : found.end() + _WINDOW]
    if _IF_ONLY.search(clause) and not _OWN_WOULD.search(clause) and not _is_plain_would(near):
        held = verdicts.single and number in verdicts.given and _LACKING.search(near)
        return f"{found[0].strip()} on a condition" if held else None
    edited = _EDITED.search(_BREAK.split(lead)[-1][-45:]) is not None
    of_picture = edited and not behind and not (scored and not _OF_MANY.search(sentence))
    if of_picture or _named_by(lead):
        return None
    concluded = _THUS.search(lead) is not None and (behind or scored or not edited)
    if place is Place.BEFORE and _OUGHT.search(lead) and not scored:
        concluded = False  # what an instruction wanted: "column 5 should be 4"
    named = _ARTICLE.search(lead) is not None and not edited
    short = behind and len(WORD.findall(sentence)) <= BRIEF
    bare = place is Place.REASON and found["number"].casefold() != "one"  # a pronoun mostly
    bare = bare and (
        _is_apart(sentence, found)
        or _weighs(sentence)
        or _ENDS_CLAUSE.match(sentence, found.end("number")) is not None
    )
    if bare or scored or concluded or named or short:
        return _other(number, verdicts, found[0])
    return None


_JUDGES = re.compile(
    r"\b(?:seems?|feels?|fair\w*|fits?|suits?|appl(?:y|ies)|level|band|rubric|scale|anchors?|answer|value|quality|lands?|closer|near|enough|no more|no better|best|lower\w*|downgrad\w*|upgrad\w*|penalty|penal\w+|brings?|gives?|giving|strict\w*"
    r"|call|say|making|makes? (?:it|this)|would|rather|between|either|neither|about right|appropriate|corresponds?|equals|means|hence|thus|therefore|so|conclu\w+|overall|overrated|kind|i|my|me|we)\b",
    _I,
)
"""Words of weighing: beside one a number may be the score's."""


@lru_cache(maxsize=8)
def _weighs(sentence: str) -> bool:
    """Whether a sentence has a word of weighing; asked once for each of its numbers."""
    return _JUDGES.search(sentence) is not None


_EDGE = re.compile(r"[,;:()\[\]—–]|\s-\s|->|→|=|\b(?:because|since|due|given)\b", _I)
_ENDS_CLAUSE = re.compile(
    r"[*_\])]{0,3}\s?(?:[.!?;,)](?!\d)|\Z|[–—]|-\s|on the (?:given|asked) |here\b)"
)
_SHORT_CLAUSE = 3
"""Words beside a number in a clause that can hardly be about anything but the score."""


def _is_apart(sentence: str, found: re.Match[str]) -> bool:
    """Whether a number stands in a few words of its own: "Recoloured cup: 2", "3 - the logo is
    missing", "four".
    """
    at, end = found.start("number"), found.end("number")
    first, last = max(0, at - _WINDOW), min(len(sentence), end + _WINDOW)
    start = max((mark.end() for mark in _EDGE.finditer(sentence, first, at)), default=first)
    stop = _EDGE.search(sentence, end, last)
    clause = sentence[start : stop.start() if stop else last]
    alone = len(re.findall(r"\d+", clause)) < 2
    return alone and len(WORD.findall(clause)) <= _SHORT_CLAUSE


def _is_of_picture(lead: str, rest: str, place: Place) -> bool:
    """Whether a number without a word of scores is a digit or a count that the picture shows."""
    if _READ_OUT.search(lead) or _DIGIT_OF.search(lead) or _SHOWN.search(lead):
        return True
    pair = _EXCHANGED.match(rest) or _EXCHANGED_BEFORE.search(lead)
    return pair is not None and len(WORD.findall(_BREAK.split(lead)[-1])) >= 3


def _claim(
    number: int, lead: str, rest: str, found: re.Match[str], verdicts: Verdicts, *, scored: bool
) -> str | None:
    """A bound, a deduction or a word about the number itself; None where it is none of them."""
    shown = found[0].strip()
    worst, best = min(verdicts.given), max(verdicts.given)
    if _TOO.match(rest) and number in verdicts.given and not found["counts"]:
        return f"{shown} is called wrong"
    held = number in verdicts.given and not found["counts"] and not _IF_ONLY.search(lead[-40:])
    if held and _ONLY_IF.match(rest):
        return f"{shown} on a condition"
    if _BELOW.search(lead) and not found["counts"]:
        return f"below {shown}" if verdicts.single and best >= number else ""
    if _AT_MOST.search(lead) and not found["counts"]:
        return f"at most {shown}" if verdicts.single and best > number else ""
    if _AT_LEAST.search(lead) and not found["counts"] and scored:
        return f"at least {shown}" if verdicts.single and worst < number else ""
    if _ABOVE.search(lead) and not found["counts"]:
        return f"above {shown}" if verdicts.single and worst <= number else ""
    if _OFF.match(rest) and (scored or not found["counts"]):
        return f"{shown} taken off" if verdicts.single and best > verdicts.high - number else ""
    if _OFF_BEFORE.search(lead) and (scored or not found["counts"]):
        return f"{shown} taken off" if verdicts.single and best > verdicts.high - number else ""
    return None


def ranges_in(text: str, verdicts: Verdicts) -> Iterator[str]:
    """Numbers with a sign, shares of the points, and ranges on the scale that count nothing:
    ``2-4``, but not the scale itself.
    """
    for pattern in (_SIGNED, _PERCENT):
        yield from (found[0].strip() for found in pattern.finditer(plain_text(text)))
    for found in _RANGE.finditer(plain_text(text)):
        before = found.string[max(0, found.start() - _WINDOW) : found.start()]
        if _LABELLED.search(before[-20:]):
            continue
        sentence = (
            SENTENCE.split(before)[-1]
            + SENTENCE.split(found.string[found.start() : found.end() + _WINDOW])[0]
        )
        if (
            len(WORD.findall(sentence)) > BRIEF
            and not _SCORED.search(sentence)
            and not _WEIGHED.search(sentence)
        ):
            continue
        first, last = int(found[1]), int(found[2])
        inside = verdicts.low <= first < last <= verdicts.high
        if inside and (first, last) not in ((0, verdicts.high), (1, verdicts.high)):
            yield found[0]


_WEIGHED = re.compile(
    r"\b(?:somewhere|torn|hover\w*|range|lies|lands?|falls?|undecided|level|band|rubric|quality|fits?|suits?|fair\w*|i|my|would|call|say|seems?|feels?|maybe|perhaps|either)\b",
    _I,
)
"""Words of weighing beside a range."""


def _clause(sentence: str, at: int) -> str:
    """The part of a sentence between the commas around a position."""
    first = max(0, at - _WINDOW)
    start = max((mark.end() for mark in _BREAK.finditer(sentence, first, at)), default=first)
    stop = _BREAK.search(sentence, at, at + _WINDOW)
    return sentence[start : stop.start() if stop else at + _WINDOW]


def _named_by(lead: str) -> bool:
    """Whether a name stands before the number, which belongs to it: ``HOME 2``, ``Room 3``."""
    named = _NAME_BEFORE.search(lead)
    return named is not None and _SCORED.search(named[0]) is None


def _is_of_top(fraction: str, high: int) -> bool:
    word = fraction.split("/")[-1].split(" ")[-1].strip("*_ ").casefold()
    return word == str(high) or NUMBER_WORDS.get(word) == high


def _other(number: int, verdicts: Verdicts, shown: str) -> str:
    return "" if number in verdicts.given else shown.strip()
