"""Whether a judge says that it saw no picture, or not all of them: its numbers are none then.

The patterns tell a picture that is missing ("the edited image was not provided") from something
missing in a picture ("the logo is not included in the edited image", "no visible difference"): the
picture must be what is absent, or what the judge itself cannot see.
"""

from __future__ import annotations

import re
from functools import lru_cache

from editgauge.judging import languages

_ROLE = (
    r"(?:the|any|an?|these|those|this|your|both|either|all|two|actual|real|attached|provided|uploaded|original"
    r"|edited|input|output|source|reference|result(?:ing)?|generated|candidate|pred(?:icted)?|second|first|proper|valid)"
)
_NOUN = r"(?:images?|pictures?|photos?|photographs?|attachments?|visuals?|files?|visual (?:content|input|data)|image data)"
_PICTURE = rf"(?:{_ROLE}[ _-]){{0,4}}(?:(?:medical|x-ray|ct|mri|clinical|patient|such|private|external|new) )?{_NOUN}(?:[_ ]?\d)?\b(?!['’]s)"
_CONTENT = (
    r"(?! (?:of (?:the|an?)\b|clear|text|content|detail|differ|in full|artifact|artefact|element|quality|noise|well|properly"
    r"|border|edge|being|chang|reflect|match|show))"
)
"""Words behind a picture that make it a part of another thing."""
_END = r"\s*(?:[.,;:!?)\"\]]|\Z|\n)"
_GIVEN = (
    r"(?:provided|attached|given|sent|supplied|included|received|uploaded|available|accessible|shared|submitted|transmitted"
    r"|delivered|load(?:ed)?|found|visible(?= to me\b|\s*(?:[.,;!?)\"]|\Z))|shown to me|readable|decoded|opened?|render(?:ed)?"
    r"|displayed to me|there|present(?= in (?:the|your|this) (?:message|request|prompt|conversation|input)|\s*(?:[.,;!?)\"]|\Z))"
    r"|come through|arrive[d]?)"
)
_MESSAGE = r"(?:message|request|prompt|conversation|chat|query|submission)"

_PATTERNS = (
    # the judge cannot: "I am unable to view the images"
    (
        r"(?:can(?:['’]?t|not| not)|could(?:n['’]?t| not)|unable to|not able to|n['’]t able to|impossible to|failed to)"
        r"(?: (?:directly|actually|currently|really|physically|be able to|yet)){0,2} (?:see|view|access|open|load|receive|process"
        rf"|inspect|examine|analy[sz]e|evaluate|assess|judge|rate|look at|read|interpret|display|compare|make out)(?: (?:or|and) \w{{1,12}})? {_PICTURE}{_CONTENT}"
    ),
    # the judge has not: "I did not receive any image", "I see no image"
    (
        r"\b(?:i|we)(?: am| are)?(?: (?:really|currently|also|still))? (?:do(?:n['’]?t| not)|did(?:n['’]?t| not)"
        r"|ha(?:ve|d)(?:n['’]?t| not)|never|was(?:n['’]?t| not)|cannot|can['’]t)(?: (?:actually|currently|yet|even))?"
        r" (?:see|have|receiv\w+|find|found|got|get|gotten|been given|given|view(?:ed)?|seen|shown)"
        rf"(?: access to| sight of)? {_PICTURE}{_CONTENT}"
    ),
    rf"\b(?:i|we) (?:see|saw|have|got|received|find|found|was given|am given) no {_PICTURE}{_CONTENT}",
    # there is none: "there is no output to evaluate", "the message contains only the original"
    rf"\bno (?:\w+ )?(?:output|result|edit|edited version|second image)s? (?:to (?:compare|evaluate|judge|assess|rate|score|look at|inspect)|(?:was|is|has been|were) {_GIVEN})",
    r"\b(?:shows?|contains?|includes?|holds?|has|have) (?:only|just) (?:the |an? |one )?(?:original|input|source|first|reference|unedited)(?: (?:image|picture|photo))?(?=\W*(?:\Z|[.,;{]))",
    r"(?:\A|[\":.]\s?)(?:broken|corrupt(?:ed)?|blank|empty|missing|unavailable|no|unreadable) (?:images?|pictures?|files?|photos?)(?=\W*(?:\Z|[.\"}]))",
    r"\bi (?:only|just) (?:saw|see|had|have|got|received|looked at|viewed|opened) (?:the |an? )?(?:\w+ )?(?:thumbnail|preview|crop|corner|snippet|low[- ]res\w*)",
    r"\b(?:one|two|neither|none|some) of (?:the|your|my|these) (?:\w+ )?(?:images|pictures|photos|files|attachments) (?:(?:would|did|does|do|could|can)(?:n['’]t| not) (?:open|load|render|arrive|display|show up|come)|failed to|never (?:arrived|loaded|came)|(?:is|are) (?:missing(?! \w)|unavailable))",
    r"\b(?:only|just) (?:one|two|1|2|a single|the \w+(?: and the \w+)?) (?:images?|pictures?|photos?|files?|attachments?) (?:was|were|is|are|has been|have been|came|got|reached|arrived|made it)\b",
    r"\b(?:edited|output|result(?:ing)?|second|generated|modified|candidate|predicted)[ -](?:image|picture|photo|output|frame|version|file) (?:is|was|came(?: out| through)?|appears?|seems?|turned out|arrived)(?: to be)?(?: (?:all|just|only|completely|entirely|totally|fully|as|a|plain))* (?:blank|empty)\b(?! (?:space|area|spot|sign|wall|background|line))",
    r"\b(?:tak|treat|us|assum|regard|consider)(?:ing|en|ed|es?)? (?:the )?(?:reference|original|input|source) (?:image |picture |photo )?(?:for|as|to be|in place of|instead of) (?:the )?(?:edit|result|output)",
    r"\bonly the (?:input|original|reference|source|first|prompt|instruction)(?: (?:image|picture|photo))? (?:was|is|has been) (?:handed|given|shown|passed|sent|provided|supplied|attached|uploaded|available|visible|delivered)\b",
    r"\b(?:edited|output|result|modified|second|third|final)(?: (?:one|image|picture|version))? (?:is|was|were|are) not (?:among|included (?:in|with)|part of (?:the|your|this) (?:message|request|prompt))\b",
    # they did not come: "there are zero images in this request", "it seems it failed to render"
    rf"\b(?:zero|0|none of the) (?:{_ROLE}[ _-]){{0,3}}{_NOUN} (?:in|with) (?:the|your|this) {_MESSAGE}",
    rf"\b{_PICTURE} (?:(?:did|do|does|has|have|had)(?:n['’]t| not)|never) (?:come|came|make it|made it|get here|got here)\b",
    rf"\b{_PICTURE} (?:was|were|is|are|got|has been|have been) (?:stripped|dropped|cut|omitted|removed|lost|left out) (?:from|in|of) (?:the|your|this|our) {_MESSAGE}",
    r"\b(?:it|which|that|rectangle|image|picture|photo|file)s? (?:seems? to have |must have |may have |probably |apparently )?failed to (?:render|load|open|decode|download|arrive|upload)(?=\W*(?:\Z|[.,;!?)\"]))",
    r"[\[(<](?:not (?:provided|available|attached|supplied|given|shown)|(?:image|picture|file) (?:missing|unavailable|not found)|no (?:image|picture))[\])>]",
    rf"\bwhere (?:is|are) (?:{_ROLE}[ _-]){{1,3}}{_NOUN}\?",
    r"\b(?:edited|modified|output|result(?:ing)?|generated|candidate|predicted|second|after) (?:version|one|side|half|slot) (?:is|was|being|seems(?: to be)?) (?:missing|absent|unavailable|empty|not (?:there|here|available|provided|attached))\b",
    r"\b(?:image|picture|photo|result|output) slot (?:is|was|holds|contains|shows|has) (?:empty|nothing|only|no|just|an? (?:empty|blank|spinner|placeholder))\b",
    r"\bi (?:have|had|need) to (?:imagine|guess)\b|\b(?:based|relies|rests|goes) (?:\w+ )?(?:on|by) the file ?names?\b|\b0 bytes\b",
    r"\b(?:all|everything|the only thing) (?:that )?i (?:got|have|received|see|was given) (?:is|was) (?:the |an? |one )?(?:instruction|prompt|text|request|description|caption|file ?name|original|input|source|reference)\b",
    r"\bi (?:was|am|have been) (?:only |just )?(?:given|sent|shown|handed) (?:only |just )?(?:the )?(?:text|instruction|prompt|words)\b(?=\s*[.,;]| and no| but no| only| alone)",
    r"(?:\bimage |\bpicture )?placeholder (?:<\w+> )?(?:was|is|has been) (?:never|not|n't) (?:replaced|filled)",
    rf"\b(?:i|we)(?: am|['’]m| was| were| are| have) not (?:been )?(?:shown|given|sent|handed|provided with) {_PICTURE}{_CONTENT}",
    rf"\b{_PICTURE} (?:was|is|were|are|got|has been|have been) (?:blocked|filtered|censored|withheld|redacted)\b(?! out)",
    r"\bmir (?:nur|lediglich|allein) (?:das|ein|die|eines?) \w+(?: \w+)? (?:angezeigt|gezeigt|übermittelt|geschickt|gesendet|vorgelegt)\b",
    rf"\b(?:results?|outputs?|edit) (?:is|are|was|were|seems?(?: to be)?) (?:missing|absent) (?:from|in) (?:the|your|this) {_MESSAGE}\b",
    r"\bmir liegt (?:nur|lediglich|allein|kein\w*|nicht)\b|\blieg(?:t|en) mir (?:nur|lediglich|nicht|kein\w*)\b",
    # the judge alone: "as a text-only model", "I lack vision capabilities"
    r"\b(?:as an?|i(?:['’]m| am) (?:only |just )?an?) (?:text[- ](?:only|based)|(?:large )?language|blind|ai\b)(?! judge| evaluator| grader| expert)",
    r"\b(?:no|not have|lack(?:s|ing)?|without)(?: the| any)? (?:vision|visual|image|picture)[ -](?:capabilit|abilit|access|input|process|understanding)\w*",
    r"\bno access to " + _PICTURE,
    rf"\bwithout (?:actually )?(?:seeing|having seen|viewing|having access to|access to|being able to (?:see|view)) {_PICTURE}{_CONTENT}",
    r"\bbased (?:only |solely |purely )?on the (?:description|instruction|text|prompt)s? (?:only|alone)",
    # no picture: "no image was provided", "missing images.", "there are no images to compare"
    (
        rf"\b(?:no|missing|absent|lacking|without)(?: of)? {_PICTURE}(?={_END}| (?:was|were|is|are|has|have|had|to (?:compare|evaluate|judge"
        rf"|assess|look)|in (?:the|your|this) {_MESSAGE}|{_GIVEN}))"
    ),
    # the picture is not: "the edited image was not provided", "images not found"
    (
        rf"\b{_PICTURE}(?:[ _](?:url|link|path|data|upload))? (?:(?:was|were|is|are|has|have|had|did|does|do|could|can|seems?|appears?)"
        rf"(?: (?:n['’]?t|not|never)|n['’]?t|not)|not|never)(?: to)?(?: (?:been|be|actually|properly|successfully|correctly|yet)){{0,3}} {_GIVEN}\b"
    ),
    (
        rf"(?<!from )(?<!in )(?<!of )\b{_PICTURE}(?:[ _](?:url|link|path|data|upload))? (?:(?:is|are|was|were|seems?|appears?|looks?)(?: to be)? )?(?:missing|absent|unavailable"
        rf"|inaccessible|unreadable|broken|corrupt(?:ed)?)(?={_END}| (?:from|in) (?:the|your|this) {_MESSAGE})"
    ),
    rf"\b{_PICTURE} fail(?:s|ed)? to (?:load|open|render|arrive|display|decode)",
    # somebody did not give it: "you have not attached the output image"
    rf"\b(?:not|n['’]t|never)(?: yet)? (?:attach|provid|send|sent|suppl|upload|shar)\w* (?:me )?{_PICTURE}{_CONTENT}",
    rf"\b(?:please|kindly|could you|can you) (?:re-?)?(?:upload|attach|provide|send|share|resend) (?:me )?{_PICTURE}",
    # one of them: "I only received the input image", "only one image was provided"
    (
        r"\b(?:only|just) (?:received?|see|have|got|given|was given|were given|had|saw|can see) (?:the |an? |one |1 |a single )?"
        r"(?:input|original|first|reference|source|one|single|1)?[ _]?(?:image|picture|photo)\b"
    ),
    r"\bonly (?:one|1|a single|the (?:input|original|first|source)) (?:image|picture|photo) (?:was|is|has been|seems) ",
    r"\b(?:they|it|images?|pictures?|photos?) never (?:arrived|came|loaded)\b",
    r"\b(?:received|got|was given|were given) an? (?:empty|blank|corrupt\w*|broken) (?:image|picture|photo|file)\b",
    # nothing can be said: "cannot evaluate.", "no evaluation is possible"
    (
        r"\b(?:can(?:not|['’]t| not)|unable to|impossible to|not possible to) (?:be )?(?:evaluated?|assess(?:ed)?|judged?|rated?|scored?"
        r"|determined?|compared?)\s*(?:[.,;!\"]|\Z|it\b|this\b|the (?:edit|result|images?|pictures?)\b)"
    ),
    r"\b(?:comparison|evaluation|assessment|judge?ment|rating|scoring) (?:is|was|becomes|remains) (?:therefore |thus |simply )?(?:impossible|not possible|meaningless)",
    # what only one who got a message says
    r"\bon my (?:side|end)\b|\breach(?:ed|es)? me\b|\bthrough to me\b|\bavailable to me\b|\bnothing (?:is |was |has been )?(?:attached|uploaded|shared|received|provided to me)\b",
    r"\b(?:two|one|three|1|2|3|some|part) of (?:the|your) (?:\w+ )?(?:two|three|four|2|3|4|five)? ?(?:images|pictures|photos|files|attachments) (?:only |alone )?(?:arrived|loaded|reached|came|is missing|are missing|was|were received)",
    r"\b(?:i|we) (?:only |just )?(?:received|got|see|have|saw|was given|were given) (?:only |just )?(?:one|two|1|2|a single) (?:of the (?:\w+ )?(?:images|pictures|photos)|(?:image|picture|photo)\b)",
    r"\b(?:only|just) (?:one|two|1|2|a single|the (?:first|second|input|original|source|edited)) (?:image|picture|photo|attachment|file)s? (?:\w+ ){0,2}(?:reached|arrived|came|got|made it|loaded|can be (?:seen|opened)|could be)",
    rf"\b{_PICTURE} (?:\w+ )?(?:can(?:not|['’]t| not)|could(?:n['’]t| not)|(?:was|were|is|are)(?:n['’]t| not)(?: able to)?) be (?:displayed|shown|loaded|opened|accessed|viewed|rendered|retrieved|decoded|read|processed|fetched|downloaded|seen(?=[.,;!]|\Z))",
    r"\b(?:image|picture|photo|file|url|link|attachment|download)s?\b[^.\n]{0,30}\b(?:timed out|time out|40[34]\b|expired|could not be (?:downloaded|fetched|retrieved|reached)|dead)\b",
    r"\bno (?:way|means) (?:to|of) (?:see|seeing|view|viewing|access|accessing|check|checking|verify|verifying|look|looking)\b",
    r"\b(?:from|by|on) the (?:prompt|instruction|description|caption|text)s? (?:only|alone)\b|\b(?:purely|solely|only) (?:from|on|by) the (?:prompt|instruction|description|caption)\b",
    rf"\bwithout (?:{_ROLE}[ _-]){{0,3}}{_NOUN}\b(?= i\b|,|\.)",
    r"\bno (?:evaluation|assessment|judge?ment|comparison) (?:is|was) possible\b",
)
_BLIND = re.compile("|".join(f"(?:{pattern})" for pattern in _PATTERNS), re.IGNORECASE)


@lru_cache(maxsize=4)
def is_blind(text: str) -> bool:
    """Whether the judge says that it saw no picture, or not all of them.

    Raises nothing; the time is linear in the text, with a large factor: give it a bounded one.
    """
    return _BLIND.search(text) is not None or languages.is_blind(text)
