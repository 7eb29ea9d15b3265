"""The wording of judges' replies: what marks an example, a template, a condition, a refusal,
another picture, or a verdict that is taken back.

Which of them matters where is decided in `answers`. They lean to one side: a phrase that could mean
that a number is not the judge's own verdict counts as such, because a second call is cheaper than a
wrong score. Every pattern is applied to a window of bounded length (`LEAD`, `SPOKEN`), so that
reading stays linear in the reply.
"""

from __future__ import annotations

import re

LEAD = 160
"""Characters before a verdict that can introduce it."""
SPOKEN = 10_000
"""Characters at the beginning and at the end of a reply in which a refusal is looked for."""
_FLAGS = re.IGNORECASE

PLACEHOLDER = re.compile(
    r"(?:\.{2,}|…|<[^<>]*>|\[[^\[\]]*\]|x+|n|k|\?+|int|integer|number|score|str|string|text|reason(?:ing)?|rationale"
    r"|explanation|your\b.{0,40}|\d+\s*(?:-|–|—|to|\.\.|\|)\s*\d+|\d+(?:\s*[,|/]\s*\d+){2,}"
    r"|(?:an? )?(?:int(?:eger)?|number|score)\b.{0,40}\d+\s*(?:-|–|—|to|and)\s*\d+.{0,10}"
    r"|(?:your|a|the)?\s*(?:short|brief|concise|one-sentence)?\s*(?:reason(?:ing)?|rationale|explanation)"
    r"(?:\s+(?:here|goes here|of .{0,40}|for .{0,40}|why .{0,40}))?)\Z",
    _FLAGS,
)
"""A text that stands for a value; for texts of at most 200 characters."""
REASON_KEY = re.compile("reason|rational|explan|comment", _FLAGS)
_QUOTED = re.compile(
    r"\b(?:for example|examples?|for instance|template|schema|(?:a|the) sample\b|sample "
    r"(?:output|answer"
    r"|json|re\w+)|hypothetical\w*|placeholder"
    r"|for reference|possible|allowed|valid "
    r"answers?|options|levels?|scale|drafts?|scratchpad|thinking|tentativ\w+"
    r"|impressions?|guess\w*|assum\w+|random\w*|arbitrar\w+|default|dummy|pretend\w*|simulat\w+"
    r"|wants? me|(?:told|asked|supposed|ordered|instructed|requested|trying|tries|demands?|wants?) "
    r"(?:me |you |us )?to"
    r"|you asked|instructions? "
    r"(?:say|ask|was|were)|rubric|ignor\w+|inject\w*|previous\w*|earlier|initial\w*|at first"
    r"|(?:another|other|second) (?:judge|model|image|picture|sample|edit|candidate)"
    r"|(?:image|picture|photo|sign|caption|poster|banner|label|text|watermark|overlay|it|which|that)s? "
    r"(?:\w+ ){0,3}(?:says?|saying|reads?|reading|contains?|states?|tells?|instructs?|shows?|commands?|asks?)"
    r"|(?:written|printed|embedded|hidden|visible|overlaid) (?:text|in|on|instruction))\b",
    _FLAGS,
)
_DOUBTED = re.compile(
    r"\b(?:such as|instead of|rather than|would|could|should|might|had the|if|not|never|unless)\b",
    _FLAGS,
)
_ANNOUNCED = re.compile(
    r"(?:\bhere(?:'s| is)|\bverdict|\bevaluation|\bassessment|\bfinal|\bconclusion|\btherefore|\bresult"
    r"|\bmy (?:answer|score|rating|judge?ment))\b[^.!?]{0,40}\Z",
    _FLAGS,
)
_DISOWNED = re.compile(
    r"[ \t`*]{0,20}+(?:=|:|->|→|means?\b|stands\b|represents?\b|indicates?\b|corresponds?\b|for (?:a "
    r"|the )?(?:perfect|best|worst|reference|original|input)"
    r"|would|could|might|(?:is|was) (?:the |an? |what |not |only |just |wrong)"
    r"|\((?:example|format|template|sample|not|reference|original|input)|<-+|←)",
    _FLAGS,
)
_WEAKLY_CITED = re.compile(r"\b(?:format|structure|syntax|form|shape)\b", _FLAGS)
_SHAPE = re.compile(r"\s*(?:\w+ ){0,2}(?:format|structure|syntax|form)\s*:?", _FLAGS)
_SAID_SO = re.compile(r"\b(?:examples?|template|placeholder|schema)\b", _FLAGS)
_OTHER = (
    r"(?:the\s+)?(?:(?:reference|ground[- _]?truth|gt|original|input|source|unedited|untouched|before|first"
    r"|other|another|previous|next|calibration|example|target)"
    r"(?:[ _-](?:image|picture|photo|version|edit|sample|output|result))?"
    r"|(?:image|picture|photo) (?:1|one|a))"
)
_ABOUT_OTHER = re.compile(
    rf"(?:^|[^\w-]){_OTHER}(?:\s*\([^()]{{0,40}}\))?(?:\s+(?:itself|alone|would|gets?|scores?|"
    rf"receives?|earns?|has|is|was|deserves?|rates?|at)\b[^.]{{0,30}})?\s*[:：=,–—-]?\s*\Z"
    rf"|\b(?:for|of|about) (?:comparison|calibration)\b[^.]{{0,40}}\Z",
    _FLAGS,
)
_OTHER_ONLY = re.compile(
    rf"\W*{_OTHER}(?:\s*\([^()]{{0,40}}\))?(?:'s)?(?:\s+(?:scores?|ratings?|evaluation|verdict))?\W*\Z",
    _FLAGS,
)
_HEADED_EXAMPLE = re.compile(
    r"\b(?:examples?|template|schema|(?:output|answer|response|reply|json|required|expected) format\W*\Z|drafts?"
    r"|scratch(?:pad)?|thinking|thoughts|brainstorm\w*|hypothetical\w*|rating scale|scoring scale"
    r"|first (?:impressions?|thoughts?|pass)|(?:sign|text|image|poster|picture) (?:says|reads))\b",
    _FLAGS,
)
_SCALE = re.compile(r"\W*(?:the )?(?:\w+ )?(?:scale|levels|anchors)\W*", _FLAGS)
_REVISED = re.compile(
    r"\b(?:final(?:ly|ized)?|revis\w+|updated?|correct(?:ed|ion|ing)|actually|reflection"
    r"|second thoughts?|reconsider\w*|re-?evaluat\w+|amended|adjust(?:ed|ing|ment)|(?:closer|second|another|careful) (?:look|check)"
    r"|in conclusion|to conclude|changed? my|instead|better:)\b",
    _FLAGS,
)
_RETRACTED = re.compile(
    r"\b(?:scratch that|disregard|ignore (?:the |my |what |this )?(?:above|previous|earlier|first|that|verdict|score|i )"
    r"|tak(?:e|ing) (?:that|it|this|the above|my \w+) back|withdraw\w*|retract\w*|strike that|not my (?:verdict|answer|score|final)"
    r"|(?:verdict|score|scores|answer|rating|json|object|it|that|this)(?: above)? (?:is|was|were|are) (?:only |just |merely |meant as |an? )*"
    r"(?:example|placeholder|template|wrong|a mistake|incorrect|mistaken|invalid|dummy|draft)"
    r"|(?:made|was) a mistake|my mistake|should be (?:ignored|discarded|disregarded)|do(?:n't| not) (?:use|count))\b",
    _FLAGS,
)
_WAVERED = re.compile(
    r"\b(?:actually|correction|wait|hmm|on (?:second thoughts?|reflection|closer)|revis\w+|reconsider\w*|chang(?:e|ing) (?:my|it|this|the)"
    r"|should(?: really)? (?:have been|be|get|receive)|ought to be|lower(?:ed|ing)?|rais(?:e|ed|ing)|reduc\w+|increas\w+|instead|rather"
    r"|mak(?:e|ing) (?:it|that)|i mean\w*|sorry|apolog\w+|oops|mistake\w*|looking again|upon|final(?:ly)?|updated?|corrected|downgrad\w*|upgrad\w*|better)\b",
    _FLAGS,
)
_COUNT = re.compile(
    r"(?<![\w.,:/-])(\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|zero)(?![\w%:]|[.,]\d)"
    r"(?!\s+(?!out\b|of\b|if\b|or\b|and\b|is\b|was\b|would\b|but\b|because\b|since\b|instead\b|rather\b|at\b|as\b|for\b|on\b"
    r"|in\b|after\b|to\b|not\b|seems?\b|feels?\b|overall\b|points?\b)[^\W\d])",
    _FLAGS,
)
NUMBER_WORDS = {
    word: number
    for number, word in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    )
}
_IMAGE = (
    r"(?:(?:the|any|these|those|this|your|both|either|actual|attached|provided|original|edited|input|output"
    r"|second|first|reference|two|an|a)[ -]){0,4}(?:images?|pictures?|photos?|attachments?|visuals?|files?)\b"
)
_BLIND = re.compile(
    r"\b(?:can(?:['’]?t|not| not)|could(?:n['’]?t| not)|unable to|not able to|do(?:es)?n['’]?t|do(?:es)? not|did(?:n['’]?t| not)"
    r"|have(?:n['’]?t| not)|never|failed to|without|impossible to)(?: (?:directly|actually|currently|really|be able to|been able to|even))?"
    rf" (?:see|view|access|open|load|receiv|find|display|process|inspect|examin|analy[sz]|evaluat|assess|judg|rat|get|look at|have)(?:e|es|ed|ing|ting|"
    rf"en)?(?: access to| sight of)? {_IMAGE}(?! (?:clear|text|content|detail|differ|in full|artifact|artefact))"
    r"|\bno (?:\w+ ){0,2}(?:images?|pictures?|photos?|attachments?) (?:(?:was|were|is|are|has been|have been|had been) "
    r"(?:\w+ )?(?:provided|attached|given|sent|supplied|included|received|visible|shown|uploaded|available|present|there|loaded)"
    r"|provided|attached|received|supplied|included|uploaded|available|given)\b"
    rf"|\b{_IMAGE} (?:(?:was|were|is|are|has|have|had|did|does|do|could|can)(?:n['’]?t| not|not)? ?)(?:\w+ )?"
    r"(?<=n't |not |n’t )(?:been )?(?:\w+ )?(?:provided|attached|given|sent|supplied|included|received|uploaded|available|accessible|loaded|load"
    r"|come through|render|open|arrive|there)\b"
    rf"|\b{_IMAGE} (?:fail(?:s|ed) to (?:load|open|render|arrive)|(?:is|are|was|were|seems?(?: to be)?|appears?(?: to be)?) (?:missing|inaccessible|unavailable|unreadable|not visible(?: to me)?)\s*(?:[.,;!\"]|\Z|from (?:the|your|this) (?:message|request|prompt|input|conversation)))"
    r"|\bonly (?:see|received|got|was given|have|had) (?:one|a single|1) (?:image|picture|photo)\b|\bonly (?:one|1|a single) (?:image|picture|photo) (?:was|is|has been) (?:provided|attached|given|received|visible)"
    r"|\b(?:as a|i(?:['’]m| am) (?:only )?a) (?:text[- ](?:only|based)|language) (?:model|ai|assistant)\b"
    r"|\b(?:please|kindly|could you|can you) (?:re-?)?(?:upload|attach|provide|send|share) "
    rf"{_IMAGE}",
    _FLAGS,
)
_REFUSAL = re.compile(
    r"\b(?:i(?:'|’)?m sorry|i am sorry|sorry,|i can(?:'|’)?t|i cannot|i can not|i(?:'|’)?m (?:not "
    r"able|unable)"
    r"|i am (?:not able|unable)|i won(?:'|’)?t|unable to (?:help|assist|comply|process|provide"
    r"|evaluate|assess|view|rate|judge))",
    _FLAGS,
)
_FENCE = re.compile(r"(?:```|~~~)\w{0,12}")
_CLAUSE = (
    r"(?!\s+(?:the|an?|it|its|this|that|these|those|you|they|we|i|there|one|all|any|only|not|so)\b)"
)


def spoken(text: str) -> str:
    """The beginning and the end of a text, which is all of an ordinary one."""
    return text if len(text) <= 2 * SPOKEN else f"{text[:SPOKEN]}\n{text[-SPOKEN:]}"


def is_blind(text: str) -> bool:
    """Whether the judge says that it saw no picture, or not all: whatever number it gives is none."""
    return _BLIND.search(text) is not None


def is_refusal(text: str) -> bool:
    """Whether the text has the words of declining."""
    return _REFUSAL.search(text) is not None


def is_placeholder(text: str) -> bool:
    """Whether a value is the template's: a range, a type, dots, ``your reason here``."""
    return len(text) <= 200 and PLACEHOLDER.match(text.strip()) is not None


def is_revision(lead: str) -> bool:
    """Whether the words before a verdict say that it replaces an earlier one."""
    return _REVISED.search(lead) is not None


def is_other_subject(text: str) -> bool:
    """Whether a text names a picture other than the edited one, and nothing else."""
    return len(text) <= 80 and _OTHER_ONLY.match(text) is not None


def is_cited_heading(heading: str) -> bool:
    """Whether what stands under a heading is an example, a draft, or about another picture."""
    if is_other_subject(heading) or _SCALE.fullmatch(heading):
        return True
    return _HEADED_EXAMPLE.search(heading) is not None and not re.search(r"\bmy\b", heading)


def without_names(text: str, names: tuple[str, ...]) -> str:
    """The text without the fields' names where they are written as names.

    The field IF is not the word "if": it is spelled exactly so, and no clause follows.
    """
    for name in names:
        if name.isupper() and name in text:
            text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w){_CLAUSE}", "§", text)
    return text


def is_cited(before: str, refused: bool, after: str = "", names: tuple[str, ...] = ()) -> bool:
    """Whether the words around an object or line say that it is an example, a condition, about
    another picture, or something seen.

    `before` is the text that leads up to it, `after` the 40 characters behind it. `refused` says
    that the reply declines somewhere, so that weaker signs count. `names` are the fields' names.
    """
    lead = re.sub(r"\be\.\s?g\.?,?", "for example", before[-LEAD:])
    lead = lead if len(before) <= LEAD else lead.partition(" ")[2]
    if _DISOWNED.match(after) or lead.rpartition("\n")[2].lstrip().startswith(">"):
        return True  # taken back, or a quotation in Markdown
    lead = re.sub(r"[`*_#]", " ", _FENCE.sub(" ", without_names(lead, names))).rstrip()
    lead = re.split(r"(?<=[.!?。])\s+|\n\s*\n", lead)[-1]
    if lead.endswith((".", "!", "?", "。")):
        # A finished sentence introduces nothing, unless it says so.
        return _SAID_SO.search(lead) is not None
    if _SHAPE.fullmatch(lead) or _QUOTED.search(lead) or _ABOUT_OTHER.search(lead):
        return True
    if refused and _WEAKLY_CITED.search(lead):
        return True
    return _DOUBTED.search(lead) is not None and _ANNOUNCED.search(lead) is None


def is_taken_back(after: str, given: set[int], top: int) -> bool:
    """Whether the words behind the last verdict take it back or give another number.

    `given` are the numbers of the verdicts, `top` the highest number of any scale.
    """
    if _RETRACTED.search(after):
        return True
    for sentence in re.split(r"(?<=[.!?。])\s+|\n", after):
        if not _WAVERED.search(sentence):
            continue
        for count in _COUNT.finditer(sentence):
            word = count[1].casefold()
            number = NUMBER_WORDS[word] if word in NUMBER_WORDS else int(word)
            if number <= top and number not in given:
                return True
    return False
