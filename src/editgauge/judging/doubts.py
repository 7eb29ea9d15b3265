"""What a judge's own words say against the number that it gave.

A verdict that was found is kept only where the words around it carry no other: `against` reads the
reason and the text before and behind the verdict, sentence by sentence, and returns why the number
is in doubt. It leans to one side, as all of the reader does: a sentence that could be about the
score counts as such, because a second call is cheaper than a wrong number.

A number in a sentence is about the picture when it counts something ("2 letters", "3 px"), names
something ("line 2"), is quoted, or stands where no word speaks of scores. Otherwise it is a *claim*.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import Enum, auto

from editgauge.judging import languages
from editgauge.judging.wording import GIVES, NUMBER_WORDS, SPOKEN, without_other_labels

_I = re.IGNORECASE
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])|\n+")
_QUOTATION = re.compile(
    r"\"[^\"\n]{0,200}\"|“[^”\n]{0,200}”|«[^»\n]{0,200}»|「[^」\n]{0,200}」"
    r"|(?<!\w)'[^'\n]{1,80}'(?!\w)|(?<!\w)‘[^’\n]{1,80}’|`[^`\n]{1,80}`"
)
_ITEM = re.compile(r"(?:^[^\w\n]{0,8}|(?<=[,;:.] ))\d{1,2}[.)]\s", re.MULTILINE)
_EXPLAINED = re.compile(
    r"<(rationale|reason|reasoning|explanation|comment|justification)>[^<]{0,5000}</\1>", _I
)
_MARKER = re.compile(r"^[ \t>*-]{0,9}\d{1,2}[.)]\s", re.MULTILINE)
_TAG = re.compile(r"</?\w{1,30}>|\A\w{1,30}>")
_SCORE = (
    r"(?:scor(?:e|es|ed|ing)|rat(?:e|es|ed|ings?)|grad(?:e|es|ed|ing)|marks?|verdicts?|points?"
    r"|deserv\w+|merits?|merited|warrant\w*|worth|award\w*|assign(?:ed|ing)?|evaluat(?:ion|ed) (?:as|at)"
    r"|settl(?:e|ed|ing)|defensible|lenient|generous|harsh|judge?ment)"
)
_SCORED = re.compile(rf"\b{_SCORE}\b", _I)
_THUS = re.compile(
    r"(?:\b(?:so|hence|therefore|thus|i['’]d|i would|i['’]ll|make (?:it|that)|call (?:it|this|that)|say"
    r"|go (?:with|for)|stay (?:at|with)|rather|better|actually|but an?|(?:it|this)(?:['’]s| is)|should be|must be|ought to be"
    r"|cut to|cap(?:ped)? at|dock(?:ed)?|overall|in total|final\w*|only an?|just an?)|->|→|=>)"
    r"(?:[\s,:]{1,3}(?:only|just|an?|to|it|be|is|at|merely|rather|more like|the|no|maybe|give|go|say)){0,3}[\s,:*_(]{1,4}\Z",
    _I,
)
"""Words right before a number that make it a conclusion."""
_BREAK = re.compile(r"[,;:()]|\b(?:though|but|while|whereas|yet|and so)\b", _I)
_ARTICLE = re.compile(r"\b(?:an?|the|solid|weak|strong|low|high|full|mere|straight)\s[*_]{0,2}\Z", _I)
_EDITED = re.compile(
    r"\b(?:chang\w+|replac\w+|edit\w*|convert\w*|turn\w*|modif\w+|alter\w*|updat\w+|swap\w*|set|transform\w*|increas\w+"
    r"|decreas\w+|reduc\w+|went|adjust\w*|correct(?:ed|ly)|writ\w+|add\w*|remov\w+|render\w*|drawn?|display\w*|reads"
    r"|says|shows?|showing|label\w*|digits?|numbers?|numerals?|bec[ao]mes?|there (?:is|are|was|were)|has|have|had|contains?|remain\w*|left|asked for|wanted|needs?|equals|equation|sum|cells?|grid|puzzle|angle|axis|chart|price|clock|scoreboard|dice|die|cards?|jersey"
    r"|figures?|count\w*|total|text|character\w*|letters?|instead of the)\b",
    _I,
)
"""Words of what an instruction asks for: a bare number beside them belongs to the picture."""
_FOLLOWS = (
    r"(?:out|of|if|or|and|is|was|would|be|but|because|since|instead|rather|at|as|for|on|in|after|to|not|seems?|feels?|looks?"
    r"|overall|(?:points?|stars?|marks?)(?=\s*(?:[.,;:)]|\Z|for\b|because\b|since\b|out\b|of\b|at\b|only\b|off\b|is\b|are\b|was\b|were\b|less\b))|due|given|only|max|maximum|here|now|then|than|though|although|while|with|without|so|hence"
    r"|it|i|there|this|that|which|could|should|might|may|must|deserves?|fits?|appropriate|correct|right|fair|fairer|enough|again|too"
    r"|from|sounds?|more|best|better|will|does|suits?|applies|remains?|stands?|were|had|minus|plus|by|under|per|when|a|an|the|also"
    r"|instead|please|thanks?|everywhere|throughout|all|both|each|no|yes|would['’]ve|should['’]ve|isn['’]t|wasn['’]t|can['’]t|flat"
    r"|appears?|makes?|reflects?|represents?|reflecting|being|at most|at best|tops?|maybe|perhaps|possibly|actually|really)"
)
_NUMBER = re.compile(
    rf"(?<![\w.,:/%$€£¥#°×'’+-])(?:[$€£¥#]\s?)?(?P<number>\d{{1,2}}|{'|'.join(NUMBER_WORDS)})"
    r"(?![\w%°×]|[.,:]\d|\s?[%°€]|-\w)"
    r"(?P<fraction>[*_]{0,2}\s{0,2}(?:/|out of|of)\s{0,2}(?:(?:the|all|these|its)\s)?(?:\d{1,3}|two|three|four|five|six|seven|eight|nine|ten)\b(?!\s?%))?"
    rf"(?P<counts>[*_]{{0,2}}\s{{1,2}}(?!{_FOLLOWS}\b)[^\W\d])?",
    _I,
)
_RANGE = re.compile(
    rf"(?<![\w.,:/-])(\d{{1,2}})\s?(?:-|–|—|to|\.\.|~|～|(?<=between \d )and)\s?(\d{{1,2}})(?![\w.,:/%-])(?!\s?(?!{_FOLLOWS}\b)[^\W\d])"
)
_PRICED = re.compile(r"[$€£¥#]\s?\Z")
_LABELLED = re.compile(
    r"(?:^\W{0,6}\d{1,2}[.):]\s?|\b(?:step|rule|criterion|criteria|figure|fig|image|picture|photo|line|part|question"
    r"|item|section|row|column|frame|page|version|option|candidate|model|digit|number|numeral|day|year|hour|no|nr|chapter|route|gate"
    r"|room|track|platform|bus|player|house|size|iphone|world war|act|floor|team|home|guest|door|lane|group|type|phase|q)s?\.?[\s#]{0,2}\Z)",
    _I,
)
_NOT_THIS = re.compile(
    r"\b(?:instead of|rather than|than|not (?:quite |yet )?(?:an?|the)?|no|versus|vs\.?|short of(?: an?)?|perfect|flawless|ideal|compared (?:to|with) an?|never an?|isn['’]t an?"
    r"|(?:reserved|not \w{1,12} enough) for(?: an?)?|keeps? it from(?: an?)?|prevents? an?|scale of|scale from|rules? out(?: an?)?)\s[*_]{0,2}\Z",
    _I,
)
_AT_MOST = re.compile(
    r"\b(?:(?:no|not|never|nothing|n['’]t|cannot|can['’]t|hardly|barely)\b[^.;]{0,40}\b(?:more|higher|better|above|over|beyond|exceed)(?: than)?"
    r"|(?:at most|at best|maximum(?: of)?|max\.?|up to|capped at|cap(?: of| at)?|limited to|below|under|less than|lower than|fewer than|worse than|caps? (?:it |this )?at))"
    r"\s(?:an?\s|the\s)?[*_]{0,2}\Z",
    _I,
)
_BELOW = re.compile(r"\b(?:below|under|less than|lower than|fewer than|worse than|not even)\s(?:an?\s|the\s)?[*_]{0,2}\Z", _I)
_AT_LEAST = re.compile(
    r"\b(?:at least|no (?:less|lower|worse) than|not (?:less|lower|worse|below)(?: than)?|minimum(?: of)?|upwards of)"
    r"\s(?:an?\s|the\s)?[*_]{0,2}\Z",
    _I,
)
_ABOVE = re.compile(r"\b(?:better|higher|more) than\s(?:an?\s|the\s)?[*_]{0,2}\Z", _I)
_OFF = re.compile(
    r"\s{0,2}(?:points?|marks?|stars?)?\s{0,2}(?:(?:is|are|was|were|have been|has been|off|must|should|be|has to|have to|go(?:es)?)\s){0,2}"
    r"(?:deduct|subtract|tak(?:en|e) off|off\b|lost|go(?:es)?\b|remov|knocked|docked|less\b|fewer|cut\b)"
    r"|\s{0,2}(?:points?|marks?|stars?)\s(?:off|less|lower|for (?:the|each|its|missing|an?))",
    _I,
)
_OFF_BEFORE = re.compile(
    r"\b(?:deduct\w*(?: of)?|subtract\w*|minus|less|lost|los(?:es|ing)|docked|took off|take off|took|knocked off|with a deduction of"
    r"|lower\w* (?:it |this )?by|reduc\w+ (?:it |this )?by|cost(?:s|ing)?(?: it)?|drops? by|down by)\s(?:an?\s)?[*_]{0,2}\Z",
    _I,
)
_IF_ONLY = re.compile(
    r"\b(?:would|could|might)\b[^.;]{0,80}|\b(?:if|unless|were it not|but for|had the|had it)\b", _I
)
_LACKING = re.compile(r"\b(?:without|if not|but for|were it not|unless|except|if (?:the|it|there)|had)\b", _I)
_OWN_WOULD = re.compile(r"\bwould be (?:the )?(?:fair\w*|right|correct|appropriate|better|more|closer|justified|accurate|suitable|adequate|just)\b|\b(?:i['’]d|i would)(?! (?:have|expect))(?![^.;]{0,60}\b(?:if|had|were|unless|without)\b)", _I)
_AT_FIRST = re.compile(r"\b(?:at first|first (?:glance|sight|look|thoughts?|impression|seem\w*|pass)|i first|initial\w*|tempted)\b[^.;\d]{0,30}\Z", _I)
_COUNTS = re.compile(
    r"\s+(?:of\b|(?!because\b|since\b|for\b|due\b|and\b|but\b|overall\b|was\b|given\b|points?\b|marks?\b|stars?\b)[^\W\d]{3,})", _I
)
"""Behind a fraction: what it is a fraction of."""
_TOO = re.compile(
    r"\W{0,4}(?:is|was|seems|looks|feels|may be|might be|would be|sounds)? ?(?:far |much |a bit |a little |slightly |perhaps |probably "
    r"|way |rather |still )?(?:too (?:high|low|generous|harsh|strict|lenient|much|little|kind|severe)|generous|overly|unjustified"
    r"|not (?:justified|deserved|warranted|right|correct|appropriate)|undeserved|wrong\b|an? (?:mistake|error|typo|slip|overstatement|exaggeration))",
    _I,
)
_EXTREME = re.compile(
    r"\b(?:(?P<top>full (?:marks|points|score)|top marks?|(?:the )?maximum(?=\W*\Z)|(?:perfect|maximum|max|top|highest|best)(?: possible)? (?:score|marks?|rating|grade|points))"
    r"|(?P<bottom>(?:the )?minimum(?=\W*\Z)|(?:lowest|minimum|bottom|worst)(?: possible)? (?:score|marks?|rating|grade)|no points|zero points)|(?P<half>half (?:of )?(?:the |its )?(?:marks|points|score)))\b",
    _I,
)
_HELD_BACK = re.compile(
    r"\b(?:not|no|n['’]t|never|less|short|prevent\w*|keep\w*|kept|miss\w*|los\w+|cost\w*|would|could|might|deny|denied|denies|rules? out"
    r"|hardly|without|if|almost|nearly|hinder\w*|stop\w*|away|avoid\w*|preclud\w*|spoil\w*|reference|original|but|instead|than)\b",
    _I,
)
_DISOWNED = re.compile(
    r"\b(?:(?:ignore|disregard|discard|forget|void|don['’]t (?:use|trust|count|rely on)|do not (?:use|trust|count|rely on)|replace|skip|overrule|withdraw|retract|reverse|revoke|cancel)"
    r" (?:on )?(?:this|that|the|my|these|those)?\s?(?:above |given |\w+ )?(?:scores?|ratings?|verdicts?|grades?|numbers?|marks?|answers?|values?|judge?ments?|evaluations?)"
    r"|(?:scores?|ratings?|verdicts?|grades?|numbers? (?:above|below|given|here)|(?:the|this|these|my) (?:number|value|figure)s?|marks?|judge?ments?|evaluations?|values?)"
    r" (?:\w+ ){0,2}(?:is|are|was|were|being|as|may be|might be)(?: \w+){0,2} (?:guess\w*|assum\w+|random\w*|arbitrar\w+|default\w*|placeholders?|provisional|preliminary|tentative|invalid|void"
    r"|made up|invented|fabricated|unreliable|meaningless|a mistake|an error|wrong|incorrect|mistaken|withdrawn|retracted|estimated?|not (?:valid|reliable|meaningful|final)|speculative|hypothetical|based on (?:assum|the (?:text|prompt|instruction|description))\w*)"
    r"|(?:made|making) (?:this|it|that|them|these|the (?:score|number)s?)(?: all)? up|made-up|i(?:['’]m| am)? (?:just |only |merely |simply |have to |must |can only |had to )?guess(?:ed|ing)?"
    r"|(?:just|only|merely|pure|purely|wild|educated|best|blind|a|this is|my) (?:a |an )?(?:guess(?:work)?|speculation|conjecture)|placeholder|dummy (?:value|score|number)"
    r"|assum(?:e|ing|ed) (?:an? |that )?(?:average|typical|standard|neutral|default|middle|medium|the edit|it (?:was|is)|success)|neutral (?:score|default|value)|default (?:score|value|rating)"
    r"|(?:random|arbitrary|provisional|tentative|hypothetical|assumed|invented|fabricated|illustrative|preliminary) (?:\w+ )?(?:scores?|values?|numbers?|ratings?|verdicts?|grades?|choice|pick)"
    r"|(?:not|n['’]t|cannot) (?:really |actually |fully |reliably |properly )?(?:sure|certain|confident|stand by|vouch|verify|confirm|judge|assess|evaluate|tell|say|determine|rate|score|grade)\b(?! (?:the )?(?:difference|apart|them apart))"
    r"|coin (?:toss|flip)|toss[- ]?up|torn between|undecided|hesitat\w*|either way|at random|no time|(?:did|do)(?: not|n['’]t) look|without looking|gut feeling|(?:middle|centre|center) of the scale|mid-?scale|by default|fall-?back|(?:please )?(?:ignore|disregard|treat as) (?:this|me|invalid|void)|please (?:ignore|disregard|discard)|test (?:answer|reply|value|score)|preliminary|tentative\w*|provisional\w*|pending|subject to|not final|to be confirmed|tbc|tbd|unverified|untested|should have (?:said|given|written|put|scored|rated)|lorem ipsum|forget (?:it|that|this)|no access|say(?=\W*\Z)|(?:before|without) (?:looking|having looked|seeing|opening|comparing)|copied|(?:so|therefore|hence) i (?:comply|obey|give|follow)|comply|obey\w*|as (?:instructed|told|demanded|requested|ordered|commanded) by the (?:sign|sticker|text|picture|image|note|caption|banner|poster|shirt)|(?:says?|tells? (?:me|us|judges?)|asks?(?: (?:me|us))?|demands?|wants?(?: (?:me|us))?) to (?:give|score|rate|answer|award|grade)|(?:do not|don['’]t|never) (?:record|count|save|store|report|publish)|(?:wait|hmm+|hold on|oops|nope|scrap that)\b(?= ?[,.!…—–-]|\W*\Z)|[,—–-] no(?=[ .!]*\Z)|the [0-9] is (?:a |an )?(?:typo|mistake|error|wrong)|(?:i|we) (?:changed?|changing) (?:my|our) mind|mixed (?:up|them)|wrong (?:pictures?|images?|pair|file|sample|order)|pictures? (?:may|might) be swapped"
    r"|(?:score|rating|verdict|grade|answer|this) (?:is|was) (?:for|about|of) (?:the |an? )?(?:reference|original|input|other|another|previous|different|source|first|wrong)"
    r"|in hindsight|on (?:second thoughts?|reflection)|scratch that|strike that|take (?:that|it|this) back|i (?:was|am) (?:wrong|mistaken)|my (?:mistake|error|bad))\b",
    _I,
)
"""A judge's words about its number, or about itself, that take the weight from the number."""
_NAME_BEFORE = re.compile(r"(?<=[\w,:;\"”)] )[A-Z][\w-]{2,20}\s\Z|\b[A-Z]{2,20}\s\Z")
_OF_MANY = re.compile(r"\b(?:scoreboard|rating|stars?|points?|marks?)\b", _I)
"""Words of scores that pictures have as well."""
_UNSEEN = re.compile(
    r"\b(?:attachments?|uploads?|uploaded|fetch\w*|retriev\w*|decod\w*|broken link|dead link|(?:error|status|http) ?\d{3}|vision|visual input|text[- ]only"
    r"|only (?:process|read|handle|accept|see) text|(?:not|n['’]t|un) ?(?:supported|available in)|unsupported|as an ai\b|language model|conversation"
    r"|(?:not|never|n['’]t) been (?:shown|given|sent|handed)|no (?:picture|image|photo|scan)s? (?:here|there|at all|given|available|found|arrived)?\W*\Z"
    r"|empty files?|timed out|could not load|did not load|without (?:the|any) (?:scan|image|picture|photo)s?\b|[Bb]lind(?:ly|folded)?\b|technical (?:problem|issue|reason|difficult|error)\w*|(?:image |picture )?viewer|returned an? error|[Nn]o pixels|(?:[Gg]oing|[Jj]udging|[Gg]auging) (?:only |solely )?(?:by|from) the (?:instruction|prompt|text|wording|caption|description|task)|rests? on the (?:text|wording|instruction|prompt)|only the (?:original|input|first|source|reference|second|edited)(?: \w+)? (?:is|was|are) (?:visible|shown|there|here|available|present)|(?:is|are|was|were) (?:not|n['’]t) here|not (?:rated|scored|assessed|evaluated|judged|graded)|unrated|unscored|ungraded|(?:[Ss]ee|as in|same as) (?:the |my )?(?:other|previous|earlier|last|first) (?:answer|reply|message|case|sample|one|evaluation|response)|(?:was|is) (?:probably|presumably|likely|surely) (?:fine|ok|okay|successful|done|good|correct))",
)
"""Words for how pictures reach a judge, which have no place in what it says of one."""
_I_DO = re.compile(
    r"\bI\b(?=\s[a-z]|['’])(?!['’]d\b)(?! (?:(?:can(?:not|['’]t)?|could(?:n['’]t)?|do(?:n['’]t)?|not|also|only|therefore|thus|clearly|still|would|first) ){0,2}(?:see|choose|chose|saw|notice\w*|observe\w*|f[io]nd|found|count\w*|detect\w*"
    r"|compare\w*|rate[ds]?|gave|give|score[ds]?|note[ds]?|believe|think|thought|consider\w*|judged?|conclude\w*|look\w*|checked|expect\w*|spot\w*|deduct\w*|award\w*|assign\w*"
    r"|evaluat\w*|assess\w*|examin\w*|zoomed|went|would|recogni[sz]e\w*|prefer|like|ignored|disregarded|subtract\w*|took|penali[sz]e\w*|agree|confirm\w*|read)\b)"
    r"|\bI (?:can|could|do|did|have|had|was|am|would)(?:n['’]t| not|not)\b(?! (?:see|find|notice|detect|spot|observe|count|give|rate|recogni[sz]e)\b)|\b(?:me|mine|myself)\b|\b(?<!in )(?<!In )[Mm]y\b|\b[Ii]n my (?!opinion|view|assessment|judge?ment|estimation)"
)
"""A judge that speaks of itself otherwise than as of one that looks and rates."""
_ONLY_WORD = re.compile(r"\W*(?:an? |the |this is an? )?(?:example|sample|test|template|dummy|unknown|todo|tbd)\W*", _I)
_META = re.compile(
    rf"\b(?:{_SCORE}|i|my|me|we|above|earlier|previous\w*|answers?|values?|json|replies|reply|response|wait|hmm|hold on"
    r"|actually|sorry|apolog\w+|oops|correction|erratum|errata|edit:|ps|p\.s|nb|n\.b|update:|revis\w+|amend\w*|reconsider\w*"
    r"|mistake\w*|mixed|ignore|disregard|forget|void|invalid|cancel|overrul\w+|retract\w*|withdraw\w*|guess\w*|assum\w+"
    r"|uncertain|unsure|unclear|not sure|never mind|nevermind|scratch|strike|example|placeholder|reference (?:is|gets|deserves))\b|\?",
    _I,
)
"""Words behind a verdict that may speak of the verdict and not of the picture."""
_BRIEF_META = re.compile(
    r"\b(?:numbers?|first|corrected|again|lower|higher|raise|reduce|instead|rather|wrong|should|ought|must|no longer|would|could|less|more|correct|right|too (?:high|low|generous|harsh|strict|lenient|much|kind|severe)"
    r"|these|those|halve|double|update\w*)\b",
    _I,
)
"""The same in a sentence of a few words."""
_CLOSING = re.compile(
    r"\W*(?:(?:the )?reasons? (?:for|why|behind|is|are)\b.*|(?:please )?consult\b.*|(?:the |a |one |1 )?(?:deduct\w*|loss|missing|lost) [^.]{0,30}\bpoints?\b.*|(?:is there |do you need )?anything else\b.*|(?:(?:please )?note:?(?: that)? )?(?:i am|i['’]m|this is) not (?:an? )?(?:medical|doctor|radiologist|substitute|clinical|physician|diagnos)\w*[^.]{0,80}\W*"
    r"|(?:please )?(?:let me know|feel free|do(?:n['’]t| not) hesitate)\b.*|(?:i )?hope (?:this|that|it) (?:helps?|is helpful|is useful)\W*"
    r"|would you like\b.*|(?:happy|glad) to help\b.*|(?:thank you|thanks)\b[^.]{0,40}\W*|end(?: of (?:the )?(?:evaluation|answer|report|assessment|json|output))?\W*|done\W*"
    r"|(?:that is|that['’]s|this is) (?:all|it|my (?:final )?(?:verdict|assessment|evaluation|answer|judge?ment))\W*"
    r"|(?:if you|should you) (?:have|need|want|would like)\b.*|(?:this|the|my) (?:score|rating|verdict|evaluation|assessment|grade|judge?ment)s? (?:reflects?|is based on|(?:is|was) given because|follows? from|accounts? for|considers?|takes? into account)\b.*"
    r"|[^.]{0,80}\bwould (?:have )?(?:deserve|get|earn|merit|receive|warrant|score|be|rate)\w*(?: an?)? (?:higher|better|full|perfect)\b[^.]{0,120}\W*"
    r"|(?:here is|below is|see) (?:the |my )?(?:reason|explanation|rationale)\w*\W*)\Z",
    _I | re.DOTALL,
)
_REASONED = re.compile(
    r"^\W{0,8}(?:(?:\w{1,20} ){0,2}(?:rationale|reason(?:ing|s)?|explanations?|justifications?|comments?|details?|analysis|summary|observations?|evidence|why"
    r"|strengths?|weaknesses?|pros|cons|feedback|notes? on \w+|breakdown|differences?|description|confidence|certainty|step \d)\b[^\n:=]{0,40}[:：=]|[-*•]\s|\d{1,2}[.)]\s|#|\*\*[^*\n]{1,60}\*\*)",
    _I,
)
"""How a line begins that explains, lists or heads: what is in it is about the picture."""
_OF_PICTURE = re.compile(
    r"\b(?:words?|letters?|texts?|signs?|images?|pictures?|photos?|edit(?:s|ed|ing|or)?|backgrounds?|colou?rs?|fonts?|typefaces?|letterings?|lines?|edges?|shadows?|lights?|lighting|details?|objects?|areas?|regions?|scenes?"
    r"|results?|outputs?|inputs?|originals?|instructions?|operations?|changes?|changed|replac\w+|delet\w+|deletion|remov\w+|add(?:ed|ition)|artefacts?|artifacts?|quality|sharp\w*|blur\w*|textures?|shapes?|positions?|sizes?|characters?"
    r"|spelling|case|titles?|logos?|commas?|dots?|marks|lesions?|mass|organs?|bones?|tissues?|scans?|anatom\w+|contrast|noise|halos?|seams?|traces?|poses?|faces?|hands?|bod(?:y|ies)|person|people|animals?|process|physics|reference|requested"
    r"|visible|readable|legible|preserv\w+|consisten\w+|realis\w+|natural\w*|correctly|clean\w*|complete\w*|elements?|parts?|shift(?:s|ed)?|model|perspective|style|everything|nothing|otherwise|lamps?|trees?|rims?|stains?)\b",
    _I,
)
"""Words for what is in a picture and what was done to it."""
_DESCRIBED = re.compile(r"\W*(?:the|an?|one|two|three|some|all|both|its|there (?:is|are)|only|no)\s", _I)
_PRAISE = re.compile(
    r"\W*(?:(?:very |quite |fairly |mostly |no |well )?(?:good|fine|sharp|clean|clear|natural|excellent|perfect|nice|okay|same|kept|done|identical|intact|preserved|unchanged|crisp"
    r"|plausible|realistic|convincing|acceptable|smooth|blurry|blurred|soft|noisy|grainy|artefacts?|artifacts?|flaws?|changes?|seams?|differences?|great|job|work|off|weak|poor|bad|right|halo"
    r"|rationale|reasoning|reason|explanation|half|too|far|rotated|shifted|moved|colou?r|changed|lost|missing|letters?|words?|text|background|shadow|font)\W{0,3}){1,5}",
    _I,
)
"""A few words that say how a picture is."""
_SCORE_LINE = re.compile(
    r"\W{0,8}(?:final |overall )?(?:score|rating|grade)s?\W{1,6}\d{1,2}(?:\s?/\s?\d{1,2})?\W*\Z", _I
)
BRIEF = 8
"""Words of a sentence behind a verdict that can hardly be about anything but the verdict."""
_WORD = re.compile(r"[^\W\d_]{2,}(?:['’][^\W\d_]+)?")


class _Place(Enum):
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


def against(
    reasons: list[str], remarks: list[str], before: str, after: str, verdicts: Verdicts
) -> str:
    """Why the verdicts are in doubt, or an empty text.

    `reasons` explain them, `remarks` say something else beside them, `before` and `after` are the
    texts around them, of which `SPOKEN` characters nearest to the verdict are looked at.
    """
    for text in [*reasons, *languages.reasons_in(after[:SPOKEN])]:
        text = text[:SPOKEN]
        plain = _plain(text)
        if _DISOWNED.search(plain) or _ONLY_WORD.fullmatch(text[:60]) or _UNSEEN.search(plain):
            return "the judge's own words take its number back"
        if (own := _I_DO.search(plain)) is not None:
            return f"the judge speaks of itself: {plain[own.start() : own.start() + 40].strip()}"
        for claim in (*ranges_in(text, verdicts), *_claims(text, verdicts, _Place.REASON)):
            if claim:
                return f"the judge's own words give another number: {claim}"
    # The last word counts: a judge may weigh one number after the other.
    claims = list(_claims(without_other_labels(before[-SPOKEN:]), verdicts, _Place.BEFORE))
    if claims and claims[-1]:
        return f"the judge's own words give another number: {claims[-1]}"
    for remark in remarks:
        if why := _behind(remark, verdicts):
            return why
    return _behind(after, verdicts)


def _behind(after: str, verdicts: Verdicts) -> str:
    """Why words behind the verdicts speak against them, or an empty text."""
    after = without_other_labels(languages.without_reasons(_MARKER.sub(" ", after[:SPOKEN])))
    if after.strip():
        if _DISOWNED.search(_plain(after)):
            return "the verdict is contradicted after it was given: it is taken back"
        for claim in _claims(after, verdicts, _Place.BEHIND):
            if claim:
                return f"the verdict is contradicted after it was given: {claim}"
        if stray := _stray(after, verdicts):
            return f"words behind the verdict may be about it: {stray}"
    return ""


def unquoted(text: str) -> str:
    """The text without quotations, which are the picture's or the instruction's words."""
    return _QUOTATION.sub("“”", text)


def _plain(text: str) -> str:
    """The text without quotations, tags, and the numbers of list items."""
    text = _TAG.sub(" ", unquoted(text))
    return _ITEM.sub(" ", text) if len(_ITEM.findall(text)) > 1 else text


def _claims(text: str, verdicts: Verdicts, place: _Place) -> Iterator[str]:
    """For every claim in the text, in order: the number where it is not a verdict's, else nothing."""
    scale = re.compile(rf"\b[01]\s?(?:-|–|—|to)\s?{verdicts.high}\b")
    for sentence in _SENTENCE.split(scale.sub(" ", _plain(text))):
        if not sentence.strip():
            continue
        if languages.is_foreign(sentence):
            yield from (
                "" if number in verdicts.given else str(number)
                for number in languages.claims_in(sentence)
                if verdicts.low <= number <= verdicts.high
            )
            continue
        yield from _english_claims(sentence, verdicts, place)
        for extreme in _EXTREME.finditer(sentence):
            number = verdicts.high if extreme["top"] else verdicts.low
            number = (verdicts.low + verdicts.high) // 2 if extreme["half"] else number
            clause = re.split(r"[,;(]", sentence[: extreme.start()])[-1]
            if not _HELD_BACK.search(clause):
                yield "" if number in verdicts.given else extreme[0]


def _english_claims(sentence: str, verdicts: Verdicts, place: _Place) -> Iterator[str]:
    scored = _SCORED.search(sentence) is not None
    behind = place is _Place.BEHIND
    for found in _NUMBER.finditer(sentence):
        word = found["number"].casefold()
        number = NUMBER_WORDS[word] if word in NUMBER_WORDS else int(word)
        lead = sentence[max(0, found.start() - 80) : found.start("number")]
        rest = sentence[found.end("number") : found.end("number") + 80]
        if _PRICED.search(lead) or _LABELLED.search(lead) or number > verdicts.high:
            continue
        clause = _clause(sentence, found.start("number"))
        edited = _EDITED.search(_BREAK.split(lead)[-1][-45:]) is not None
        if _AT_FIRST.search(lead[-40:]):
            continue
        claim = _claim(number, lead, rest, found, verdicts, scored=scored)
        if claim is not None:
            yield claim
            continue
        if found["counts"] or _NOT_THIS.search(lead):
            continue
        if verdicts.single and number > max(verdicts.given) and _HELD_BACK.search(lead):
            continue
        if found["fraction"]:
            of_top = _is_of_top(found["fraction"], verdicts.high) and (
                GIVES.search(lead) or _SCORED.search(lead)
            )
            if of_top and not _COUNTS.match(sentence, found.end()):
                yield _other(number, verdicts, found[0])
            continue
        if _IF_ONLY.search(clause) and not _OWN_WOULD.search(clause):
            if verdicts.single and number in verdicts.given and _LACKING.search(sentence):
                yield f"{found[0].strip()} on a condition"
            continue
        concluded = _THUS.search(lead) is not None and (behind or scored or not edited)
        named = _ARTICLE.search(lead) is not None and not edited
        short = behind and len(_WORD.findall(sentence)) <= BRIEF
        pictured = edited and not behind and not (scored and _OF_MANY.search(sentence) is None)
        if pictured or _named_by(lead):
            continue
        bare = place is _Place.REASON and word != "one"  # which is a pronoun mostly
        if bare or scored or concluded or named or short:
            yield _other(number, verdicts, found[0])


def _claim(
    number: int, lead: str, rest: str, found: re.Match[str], verdicts: Verdicts, *, scored: bool
) -> str | None:
    """A bound, a deduction or a word about the number itself; None where it is none of them."""
    shown = found[0].strip()
    worst, best = min(verdicts.given), max(verdicts.given)
    if _TOO.match(rest) and number in verdicts.given and not found["counts"]:
        return f"{shown} is called wrong"
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
    """Ranges of numbers on the scale that count nothing: ``2-4``, but not the scale itself."""
    for found in _RANGE.finditer(_plain(text)):
        first, last = int(found[1]), int(found[2])
        inside = verdicts.low <= first < last <= verdicts.high
        if inside and (first, last) not in ((0, verdicts.high), (1, verdicts.high)):
            yield found[0]


def _clause(sentence: str, at: int) -> str:
    """The part of a sentence between the commas around a position."""
    start = max((mark.end() for mark in _BREAK.finditer(sentence[:at])), default=0)
    stop = _BREAK.search(sentence, at)
    return sentence[start : stop.start() if stop else len(sentence)]


def _named_by(lead: str) -> bool:
    """Whether a name stands before the number, which belongs to it: ``HOME 2``, ``Room 3``."""
    named = _NAME_BEFORE.search(lead)
    return named is not None and _SCORED.search(named[0]) is None


def _is_of_top(fraction: str, high: int) -> bool:
    word = fraction.split("/")[-1].split(" ")[-1].strip("*_ ").casefold()
    return word == str(high) or NUMBER_WORDS.get(word) == high


def _other(number: int, verdicts: Verdicts, shown: str) -> str:
    return "" if number in verdicts.given else shown.strip()


def _stray(after: str, verdicts: Verdicts) -> str:
    """The first sentence behind a verdict that may be about the verdict, or in a language that is
    not read; empty where all of them close, explain or describe.
    """
    for line in _plain(_EXPLAINED.sub(" ", after)).split("\n"):
        if _REASONED.match(line) or _SCORE_LINE.match(line):
            continue
        if not _WORD.search(line) and set(map(int, re.findall(r"\d{1,4}", line))) - {*verdicts.given, verdicts.high}:
            return line.strip()[:60]
        for sentence in _SENTENCE.split(line):
            if not _WORD.search(sentence) or _CLOSING.match(sentence[:300]):
                continue
            words = len(_WORD.findall(sentence))
            brief = words <= BRIEF and not line.rstrip(" *_").endswith(":") and _BRIEF_META.search(sentence)
            described = _DESCRIBED.match(sentence) or _OF_PICTURE.search(sentence)
            told = _PRAISE.fullmatch(sentence[:80]) or (
                described and languages.is_english(sentence)
            )
            if brief or _META.search(sentence) or not told:
                return sentence.strip()[:60]
    return ""
