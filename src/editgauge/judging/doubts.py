"""What a judge's own words say against the number that it gave.

A verdict that was found is kept only where the words around it carry no other: `against` reads the
reason and the text before and behind the verdict, sentence by sentence, and returns why the number
is in doubt. It leans to one side, as all of the reader does: a sentence that could be about the
score counts as such, because a second call is cheaper than a wrong number.
"""

from __future__ import annotations

import re

from editgauge.judging import languages
from editgauge.judging.claims import (
    BRIEF,
    WORD,
    Place,
    Verdicts,
    claims_about,
    plain_text,
    ranges_in,
)
from editgauge.judging.lexicon import SCORE_WORDS
from editgauge.judging.mentions import BLANK
from editgauge.judging.talk import NEAR, SENTENCE, about_judging, is_unexplained
from editgauge.judging.wording import (
    is_withdrawn,
    short_corrections,
    without_known_labels,
    without_other_labels,
)

_I = re.IGNORECASE
_EXPLAINED = re.compile(
    r"<(rationale|reason|reasoning|explanation|comment|justification)>[^<]{0,5000}</\1>", _I
)
_MARKER = re.compile(r"^[ \t>*-]{0,9}\d{1,2}[.)]\s", re.MULTILINE)
_UNSEEN = re.compile(
    r"\b(?:attachments?(?! (?:icon|button|symbol|sign|point|hook|clip|screw|site)s?)|uploads?|uploaded|fetch\w*|retriev\w*|decod\w*|broken link|dead link"
    r"|(?:error|status|http) ?\d{3}|vision|visual input|text[- ]only"
    r"|only (?:process|read|handle|accept|see) text|(?:not|n['’]t|un) ?(?:supported|available in)"
    r"|unsupported|as an ai\b|language model|conversation"
    r"|(?:not|never|n['’]t) been (?:shown|given|sent|handed)|no (?:picture|image|photo|scan)s? (?:here"
    r"|there|at all|given|available|found|arrived)?\W*\Z"
    r"|empty files?|timed out|could not load|did not load|without (?:the|any) (?:scan|image"
    r"|picture|photo)s?\b|[Bb]lind(?:ly|folded)?\b|technical (?:problem|issue|reason|difficult"
    r"|error)\w*|(?:image|picture) viewer|viewer (?:returned|failed)|returned an? error|[Nn]o pixels"
    r"|(?:[Gg]oing|[Jj]udging|[Gg]auging) (?:only |solely )?(?:by|from) the (?:instruction|prompt"
    r"|text|wording|caption|description|task)|rests? on the (?:text|wording|instruction|prompt)"
    r"|only the (?:original|input|first|source|reference|second|edited)(?: \w+)? (?:is|was|are) (?:visible"
    r"|shown|there|here|available|present)|(?:is|are|was|were) (?:not|n['’]t) here|not (?:rated"
    r"|scored|assessed|evaluated|judged|graded)|unrated|unscored|ungraded|(?:[Ss]ee|as in|same as) (?:the "
    r"|my )?(?:other|previous|earlier|last|first) (?:answer|reply|message|case|sample|one|evaluation"
    r"|response)|(?:was|is) (?:probably|presumably|likely|surely) (?:fine|ok|okay|successful"
    r"|done|good|correct))",
)
"""Words for how pictures reach a judge, which have no place in what it says of one."""
_I_DO = re.compile(
    r"\bI\b(?=\s[a-z]|['’])(?!['’]d\b)(?! (?:(?:can(?:not|['’]t)?|could(?:n['’]t)?|do(?:n['’]t)?"
    r"|not|also|only|therefore|thus|clearly|still|would|first) ){0,2}(?:see|tell|act on|follow|obey|comply|heed|choose|chose|saw"
    r"|notice\w*|identify|distinguish|observe\w*|f[io]nd|found|count\w*|detect\w*"
    r"|compare\w*|rate[ds]?|gave|give|score[ds]?|note[ds]?|believe|think|thought|consider\w*"
    r"|judged?|conclude\w*|look\w*|checked|expect\w*|spot\w*|deduct\w*|award\w*|assign\w*"
    r"|would(?:n['’]t| not)? (?:call|say|go|give|rate|score|put|place)|evaluat\w*|assess\w*|examin\w*|zoomed|went|would|recogni[sz]e\w*|make out(?! (?:the |any |either |both |a )?(?:\w+ )?(?:images?|pictures?|photos?)\b)|decipher\w*|discern\w*|prefer|like|ignored"
    r"|disregarded|subtract\w*|took|penali[sz]e\w*|were (?:very |more |too )?(?:strict|picky|to)|might|may|enlarg\w*|zoom\w*|magnif\w*|am (?:unable|not able) to (?:find|spot|detect|read|see|tell|identify)|agree|confirm\w*|read)\b)"
    r"|\bI (?:can|could|do|did|have|had|was|am|would)(?:n['’]t| not|not)\b(?! (?:call|say|go|put|place|see|find|notice"
    r"|detect|spot|observe|count|give|rate|tell|act on|follow|obey|comply|heed|recogni[sz]e|decipher|discern|identify|name|make out(?! (?:the |any |either |both |a )?(?:\w+ )?(?:images?|pictures?|photos?)\b))\b)|\b(?:(?<!instruction to )(?<!order to )(?<!command to )(?<!instruction for )(?<!addressed to )me|mine|myself)\b|\b(?<!in )(?<!In )[Mm]y\b(?! (?:task|job|concern|scope|focus|remit|first (?:thought|impression|guess|idea) was that)\b)"
    r"|\b[Ii]n my (?!opinion|view|assessment|judge?ment|estimation)"
)
"""A judge that speaks of itself otherwise than as of one that looks and rates."""
_IGNORES = re.compile(
    r"(?P<seen>(?:“”|\b(?:notes?|signs?|banners?|texts?|stickers?|labels?|captions?|pictures?|posters?|lines?|overlays?|watermarks?|screens?)\b)[^.!?]{0,200}?)"
    r"(?:,? ?\b(?:which|that|this|and|it|but|so)? ?\bi (?:\w+ly |have |am |will |shall |['’]ll )?(?:disregard|ignor|discount|set aside|leave aside)(?:e|ed|ing)?(?: (?:it|this|that|them))?(?=\W*(?:\Z|[.,;)]))"
    r"|\b(?:has|have|had|with|of|bears?|carries) no (?:bearing|influence|effect|impact|weight|relevance|consequence) (?:on|in|for|to|upon) (?:my|the|this) (?:grade|score|verdict|rating|evaluation|judge?ment|assessment|mark)s?"
    r"|\b(?:does|did|do|will|must|can|should)(?: not|n['’]t|not) (?:affect|influence|change|count (?:for|in|towards?)|bear on|matter (?:for|to)|enter|sway|alter) (?:into )?(?:my|the|this) (?:grade|score|verdict|rating|evaluation|judge?ment|assessment|mark)s?)",
    _I,
)
"""A judge that leaves an order aside that it read in a picture."""
_ONLY_WORD = re.compile(
    r"\W*(?:an? |the |this is an? )?(?:example|sample|test|template|dummy|unknown|todo|tbd|defaults?|not applicable|error|failed|time-?\s?out|idem|ditto|skipped|unavailable|see (?:attach\w+(?: \w+)?|other\w*))\W*",
    _I,
)
_META = re.compile(
    rf"\b(?:{SCORE_WORDS}|(?<!to )(?:judge|reviewer|grader|annotator|rater|colleague|supervisor|critic|panel)s?|i|my|me|we|above|earlier|previous\w*|answers?|values?|json|replies|reply"
    rf"|response|wait|hmm|hold on"
    r"|actually|sorry|apolog\w+|oops|correction|erratum|errata|ps|p\.s|nb|n\.b"
    r"|revis\w+|amend\w*|reconsider\w*"
    r"|mistake\w*|mixed|ignore|disregard|forget|void|invalid|cancel|overrul\w+|retract\w*|withdraw\w*"
    r"|guess\w*|assum\w+"
    r"|more careful\w*|now:|uncertain|unsure|unclear|not sure|never mind|nevermind|scratch|strike"
    r"|verif\w*|double-?check\w*|re-?check\w*|yet to|oh|ah|argh|ugh|whoops|only now|now (?:see|notice)|just (?:now|noticed|saw)"
    r"|(?:on|upon|at) (?:a |an )?(?:closer|second|another|further|more careful) (?:inspection|look|examination|reading|view|glance)|(?:this|that|it) (?:does not|doesn['’]t|no longer) (?:hold|stand|apply|count)s?"
    r"|re-?(?:do|did|done|doing|rat(?:e|ed|ing)|scor\w+|judg\w+|assess\w*|think\w*|visit\w*)\b|let me (?:re|correct|fix|change|try|start|adjust|be more)\w*|second (?:try|attempt|take|thought)"
    r"|(?:is|was|are|were|seems?|looks?) (?:far |much |rather |a bit |a little )?too (?:kind|generous|harsh|lenient|strict|severe|mild)"
    r"|(?:knock|dock|shave|take)(?:ed|ing|s)? (?:a|one|two|half|\d) ?(?:point|mark|grade)?s? ?off|\d (?:was|is) (?:for|of|meant)|edit(?=:)|update(?=:)"
    r"|(?<!else is )(?<!else was )(?<!else remains )(?<!rest is )(?<!rest was )un(?:touched|edited)|(?:has|have|had|was|were) not (?:been )?(?:looked at|opened|seen|checked|compared|read|judged)|unless|in which case"
    r"|by (?:one|two)(?= (?:if|for|when|because|since|in)\b)|take (?:one|two) off|whoever|none of (?:this|that|these)|guess\w*|swapped|wrong (?:order|picture|image|file)|evaluator|turns? out"
    r"|(?:said|written|given|stated|told) (?:here|above|before|so far)|(?:picture|image) (?:two|one|2|1)|second (?:picture|image)|other (?:picture|image)|belongs? to(?! (?:the |this )?(?:picture|image|scene|input|photo|sign|poster)\b)|concerns"
    r"|example|placeholder|reference (?:is|gets|deserves))\b|\?",
    _I,
)
"""Words behind a verdict that may speak of the verdict and not of the picture."""
_BRIEF_META = re.compile(
    r"\A\W*(?:minus|less|plus)\b|\b(?:numbers?|first|corrected|again|lower(?! (?:left|right|half|part|edge|corner|labels?|lines?|border|rows?|letters?))|higher|raise|reduce|instead(?! of\b)|rather(?! than\b)|wrong|should"
    r"|no longer|less|more|(?<!is )(?<!are )(?<!was )(?<!were )(?<!spelled )(?<!all )(?<!reads )(?:correct|right)|too (?:high|low|generous|harsh"
    r"|strict|lenient|much|kind|severe)"
    r"|these|those|halve|double|(?<!was )(?<!were )(?<!is )(?<!are )(?<!been )(?<!be )update\w*)\b",
    _I,
)
"""The same in a sentence of a few words."""
_FAULT = re.compile(
    r"\b(?:letters|digits|characters|words|numerals|glyphs|strokes|accents|commas|syllables|(?:capital|letter|character|word|accent) (?:“”|\w{1,12}))"
    r" (?:(?:is|are|was|were|got|has been|have been) )?(?:only |all |still |partly )?(?:wrong|swapped|incorrect|lower(?:case)?|right|correct|reversed|transposed|mixed up)\b"
    r"|\b(?:though|although|but|while|when|which|that) (?:it |they |this )?should (?:not )?have (?:been )?(?:changed|replaced|removed|edited|deleted|added|translated|kept|moved|altered|updated|left)\b(?! (?:to|by) )",
    _I,
)
"""What is wrong with a text in a picture, in words that could be about a score as well."""
_THINGS_WRONG = re.compile(
    r"\b(?!(?:scores|ratings|verdicts|grades|marks|numbers|values|figures|answers|points|evaluations|judge?ments|assessments|images|pictures|photos|files|results|these|those)\b)[a-z]{3,}s (?:are|were|is|was) (?:still |partly |clearly |simply |all |now )?(?:wrong|incorrect|right|correct|off|swapped)\b",
    _I,
)
"""Things in a picture that are wrong, or right."""
_NOT_THE_TOP = re.compile(
    r"[^.\d]{0,60}\b(?:not|n['’]t)(?: quite)?(?: give[n]?| get)?(?: it)? an? (\d{1,2}) (?:because|since|as|due)\b[^.\d]{1,120}\W*\Z",
    _I,
)
"""Why a verdict is not the highest, which is named."""
_A_TOP = re.compile(r"\A\s{0,3}[*_]{0,3}\s?(?:/|out of|of)\s?\d{1,3}[*_]{0,3}", _I)
_REDONE = re.compile(
    r"(?:\b(?:second thoughts?|reflection|scratch that|correction|hindsight|looking again|make (?:it|that)|actually|i mean|rather|wait|sorry)"
    r"|\A\W*(?:(?:it|this|that) )?(?:should|must|ought to) (?:be|have been))\b[^.;\d]{0,40}?\b(\d{1,2})\b(?!\s[^\W\d]{3,}|[%°])",
    _I,
)
"""Another number for the verdict before it."""
_CLOSING = re.compile(
    r"\W*(?:why (?:not|only|is it not|isn['’]t it|did it not)\b[^?]{0,40}\?|the above is my (?:final )?(?:answer|verdict|evaluation|assessment|judge?ment)\W*|(?:the )?(?:main |only )?reasons? (?:for|why|behind|is|are)\b.*|(?:please )?consult\b.*|(?:the "
    r"|a |one |1 )?(?:deduct\w*|loss|missing|lost) [^.]{0,30}\bpoints?\b.*|(?:is there |do you need )?anything else\b.*"
    r"|(?:(?:(?:please )?note|disclaimer):?(?: that)? )?(?:i am|i['’]m|this is) not (?:an? )?(?:medical"
    r"|doctor|radiologist|substitute|clinical|physician|diagnos)\w*[^.]{0,80}\W*"
    r"|(?:(?:please )?note|disclaimer):? (?:that )?(?:this|these|the|my|all) (?:assessment|evaluation|analysis|comparison|scores?|ratings?|grades?)\b[^.]{0,60}\bnot (?:an? |meant as an? )?(?:medical|clinical|diagnos)\w*[^.]{0,40}\W*"
    r"|i(?:['’]m| am) (?:quite |very |fairly |rather )?(?:confident|sure|certain)(?: (?:in|about|of) (?:this|that|my|the|these)(?: (?:scores?|ratings?|verdicts?|numbers?|evaluation|assessment))?)?\W*"
    r"|(?:please )?(?:let me know|feel free|do(?:n['’]t| not) hesitate)\b.*|(?:i )?hope (?:this"
    r"|that|it) (?:helps?|is helpful|is useful)\W*"
    r"|(?:but |and )?i (?:still )?(?:stand by|stay (?:with|at)|stick (?:to|with)|hold to|maintain) (?:the|this|my|that|a) (?:\d{1,2}|score|rating|verdict|number|grade)\b[^.]{0,30}\W*"
    r"|(?:they|it|this|that|which|all of it) (?:is|are|stays?|remains?) (?:well )?within (?:the )?(?:tolerances?|limits)\b.*"
    r"|(?:these|the|all|my) (?:scores?|ratings?|verdicts?|numbers?|evaluation|grades?) (?:refers? to|concerns?|(?:is|are) (?:for|of)|apply to|applies to) the (?:edited|output|result(?:ing)?) (?:picture|image|photo|output|result)(?: only| alone)?\W*"
    r"|not (?:intended |meant )?for (?:diagnostic|clinical|medical)\b.*|for research (?:use|purposes) only\W*"
    r"|would you like\b.*|(?:happy|glad) to (?:help|explain|elaborate|clarify|discuss|answer)\b.*|(?:thank you|thanks)\b[^.]{0,40}\W*|end(?: of (?:the )?(?:evaluation"
    r"|answer|report|assessment|json|output))?\W*|done\W*"
    r"|(?:that is|that['’]s|this is) (?:all\b[^.]{0,40}|it|my (?:final )?(?:verdict|assessment"
    r"|evaluation|answer|judge?ment))\W*"
    r"|(?:if you|should you) (?:have|need|want|would like)\b.*|(?:this|the|my|these|all) (?:score|rating"
    r"|verdict|evaluation|assessment|grade|judge?ment)s? (?:reflects?|(?:is|are) based on|(?:is|was) given because"
    r"|follows? (?:from|the rubric)|stands?\b(?! for)|holds?\b|(?:matche?s|fits|agrees with|is (?:consistent|in line) with) the (?:rubric|scale|definition|reason\w*|levels?|anchors?)|(?:is|are) (?:fair|justified|confirmed|unchanged|appropriate)\b|remains? (?:unchanged|the same)|accounts? for|considers?|takes? into account)\b.*"
    r"|[^.]{0,80}\bwould (?:have )?(?:deserve|get|earn|merit|receive|warrant|score|be|rate)\w*(?: an?)? (?:higher"
    r"|better|full|perfect)\b[^.]{0,120}\W*"
    r"|(?:here is|below is|see) (?:the |my )?(?:reason|explanation|rationale)\w*\W*)\Z",
    _I | re.DOTALL,
)
_REASONED = re.compile(
    r"^\W{0,8}(?:(?:\w{1,20} ){0,2}(?:rationale|reason(?:ing|s)?|explanations?|justifications?"
    r"|comments?|details?|analysis|summary|observations?|evidence|why"
    r"|strengths?|weaknesses?|pros|cons|feedback|notes? on \w+|breakdown|differences?|description"
    r"|confidence|certainty|step \d)\b[^\n:=]{0,40}[:：=]|[-*•]\s|\d{1,2}[.)]\s|#|\*\*[^*\n]{1,60}\*\*)",
    _I,
)
"""How a line begins that explains, lists or heads: what is in it is about the picture."""
_OF_PICTURE = re.compile(
    r"\b(?:words?|letters?|texts?|signs?|images?|pictures?|photos?|edit(?:s|ed|ing|or)?|backgrounds?"
    r"|colou?rs?|fonts?|typefaces?|letterings?|lines?|edges?|shadows?|lights?|lighting|details?"
    r"|objects?|areas?|regions?|scenes?"
    r"|results?|outputs?|inputs?|originals?|instructions?|operations?|changes?|changed|replac\w+"
    r"|delet\w+|deletion|remov\w+|add(?:ed|ition)|artefacts?|artifacts?|quality|sharp\w*|blur\w*"
    r"|textures?|shapes?|positions?|sizes?|characters?"
    r"|spelling|case|titles?|logos?|commas?|dots?|marks|lesions?|mass|organs?|bones?|tissues?"
    r"|scans?|anatom\w+|contrast|noise|halos?|seams?|traces?|poses?|faces?|hands?|bod(?:y|ies)"
    r"|person|people|animals?|process|physics|reference|requested"
    r"|visible|readable|legible|preserv\w+|consisten\w+|realis\w+|natural\w*|correctly|clean\w*"
    r"|notice\w*|zoom\w*|looks|appears|hairs?|unchanged|untouched|intact|identical|missing|gone|kept|turns?|turned|convert\w*|modif\w+|alter\w*|swapped|rendered|drawn|display\w*|shows|becomes?|became|contains?|remains?"
    r"|complete\w*|elements?|parts?|shift(?:s|ed)?|model|perspective|style|everything|nothing"
    r"|otherwise|lamps?|trees?|rims?|stains?)\b",
    _I,
)
"""Words for what is in a picture and what was done to it."""
_DESCRIBED = re.compile(
    r"\W*(?:the|an?|one|two|three|some|all|both|its|there (?:is|are)|only|no|everything|nothing|every|each|none|most|many"
    r"|several|few|parts?|partly|partially|fully|mostly|completely|entirely|minor|slight|slightly|small|faint|visible)\s",
    _I,
)
_PRAISE = re.compile(
    r"\W*(?:(?:very |quite |fairly |mostly |no |well )?(?:good|fits(?: well)?|fine|sharp|clean|clear|natural"
    r"|excellent|perfect|nice|okay|same|kept|done|identical|intact|preserved|unchanged|crisp"
    r"|plausible|realistic|convincing|acceptable|smooth|blurry|blurred|soft|noisy|grainy|artefacts?"
    r"|artifacts?|flaws?|faults?|blemish\w*|changes?|seams?|differences?|great|job|work|off|weak|poor|bad|right"
    r"|halo"
    r"|rationale|reasoning|reason|explanation|half|too|far|rotated|shifted|moved|colou?r|changed"
    r"|lost|missing|letters?|words?|text|background|shadow|font)\W{0,3}){1,5}",
    _I,
)
"""A few words that say how a picture is."""
_LOOKED = re.compile(
    r"\b(?:I|and) (?:have )?(?:also )?(?:compared|looked|checked|examined|inspected|zoomed|counted|noticed|noted|found|spotted|saw|detected|verified|went|studied|searched|would have (?:expected|liked|preferred|wished))\b|\bI (?:have|[’']ve) (?:seen|found|noticed)|\bI[’']ve (?:seen|found|noticed)|\bI (?:can(?:not|['’]t)? |could(?:n['’]t| not)? |do(?:n['’]t| not)? |also )?(?:see|find|notice|spot|detect|observe)\b",
    _I,
)
"""What a judge says of itself that looks at a picture."""
_REST = re.compile(r"\s*[,，、]\s")
"""How the rest of a line begins whose label and number are another's."""
_SHORT_OF_TOP = re.compile(
    r"[^.]{0,80}\bcosts? (?:it |the edit )?(?:the |that |this )?(?:one|a|single|last|1) (?:point|mark)\W*\Z|"
    r"\W*(?:an? |the )?(?:full|perfect|top|higher|maximum|highest) (?:score|marks?|rating|grade) (?:was|is|were|are|could|can) (?:therefore |thus |hence )?not (?:be )?(?:given|awarded|deserved|justified|possible|reached|assigned|warranted)\b[^.\d]*\W*\Z"
    r"|[^.]{0,100}\b(?:(?:one|1) (?:point|mark) (?:is |was |has been )?(?:deducted|taken off|lost|off)|(?:not|costs? (?:it )?|cost|miss\w* |short of|keeps? it from|prevents?) ?(?:the |a )?(?:top|full|perfect|maximum|best|highest)"
    r" (?:marks?|scores?|rating|grade|points))\b[^.\d]{0,60}\W*\Z",
    _I,
)
"""Why a verdict is not the highest."""
_OF_RUN = re.compile(
    r"\W*(?:judge|model|date|time(?:stamp)?|version|sample|id|latency|tokens|language|evaluator|key|field|dimension|criterion|metric)\s?[:=]\s?[\w.:/§ ,-]{1,60}\Z",
    _I,
)
"""A line that says by whom or when it was judged."""
_SCORE_LINE = re.compile(
    r"\W{0,8}(?:(?:final |overall )?(?:score|rating|grade|verdict|conclusion|summary|overall)s?|in (?:short|sum|total|conclusion|summary)|to (?:sum up|conclude)|bottom line|all in all)"
    r"\W{1,6}(?:an? )?\d{1,2}(?:\s?(?:/|out of)\s?\d{1,2})?\W*\Z",
    _I,
)


def against(
    reasons: list[str], remarks: list[str], before: str, after: str, verdicts: Verdicts
) -> str:
    """Why the verdicts are in doubt, or an empty text.

    `reasons` explain them, `remarks` say something else beside them, `before` and `after` are the
    texts around them. Of each `NEAR` characters at the beginning and at the end are looked at.
    """
    for text in [*reasons, *languages.reasons_in(after[:NEAR])]:
        text = _ends(text)
        plain = _IGNORES.sub(r"\g<seen>", plain_text(text))
        if why := about_judging(plain):
            return why
        if _ONLY_WORD.fullmatch(text[:60]) or _UNSEEN.search(plain):
            return "the judge's own words take its number back"
        if languages.is_default(plain):
            return "the judge's number is one by default, or guessed"
        if any(map(is_unexplained, SENTENCE.split(plain))):
            return "a sentence about scores that does not explain this one"
        if (own := _I_DO.search(plain)) is not None:
            return f"the judge speaks of itself: {plain[own.start() : own.start() + 40].strip()}"
        for claim in (*ranges_in(text, verdicts), *claims_about(text, verdicts, Place.REASON)):
            if claim:
                return f"the judge's own words give another number: {claim}"
    # The last word counts: a judge may weigh one number after the other.
    claims = list(claims_about(_without_past(before[-2 * NEAR :]), verdicts, Place.BEFORE))
    if claims and claims[-1]:
        return f"the judge's own words give another number: {claims[-1]}"
    for remark in remarks:
        if why := _behind(remark, verdicts):
            return why
    return _behind(after, verdicts)


_PAST = re.compile(
    r"\b(?:i (?:was|were) (?:going|about|tempted|inclined|ready) to|at first|first (?:thought|impression|glance|look)|initially|originally|in the (?:last|previous|earlier|prior|other)|(?:last|previous|earlier) (?:picture|image|sample|edit|case|one|run|turn|round))\b",
    _I,
)


def _without_past(before: str) -> str:
    """The text before a verdict without what the judge says that it thought, or gave, before."""
    sentences = SENTENCE.split(without_other_labels(before))
    return "\n".join(each for each in sentences if not _PAST.search(each))


def between(words: str, verdicts: Verdicts) -> str:
    """Why words behind one of several verdicts, before the next one, take it back, or an empty text.

    There a judge explains; only what can hardly be about the picture counts.
    """
    for sentence in SENTENCE.split(plain_text(_A_TOP.sub("", _ends(words)))):
        brief = len(WORD.findall(sentence)) <= BRIEF and "|" not in sentence
        corrected = {*short_corrections(sentence.strip()), *map(int, _REDONE.findall(sentence))}
        if (
            corrected - set(verdicts.given)
            or about_judging(sentence)
            or (brief and is_withdrawn(sentence))
        ):
            return f"a verdict is taken back behind it: {sentence.strip()[:60]}"
    return ""


def _behind(after: str, verdicts: Verdicts) -> str:
    """Why words behind the verdicts speak against them, or an empty text."""
    after = _MARKER.sub(" ", without_known_labels(languages.without_reasons(_ends(after))))
    if after.strip():
        if why := about_judging(plain_text(after)):
            return f"the verdict is contradicted after it was given: {why}"
        for claim in claims_about(after, verdicts, Place.BEHIND):
            if claim:
                return f"the verdict is contradicted after it was given: {claim}"
        if stray := _stray(after, verdicts):
            return f"words behind the verdict may be about it: {stray}"
    return ""


def _ends(text: str) -> str:
    return text if len(text) <= 2 * NEAR else f"{text[:NEAR]}\n{text[-NEAR:]}"


def _stray(after: str, verdicts: Verdicts) -> str:
    """The first sentence behind a verdict that may be about the verdict, or in a language that is
    not read; empty where all of them close, explain or describe.
    """
    for line in plain_text(_EXPLAINED.sub(" ", after)).split("\n"):
        if _REASONED.match(line) or _SCORE_LINE.match(line) or _OF_RUN.match(line):
            continue
        if not WORD.search(line) and set(map(int, re.findall(r"\d{1,4}", line))) - {
            *verdicts.given,
            verdicts.high,
        }:
            return line.strip()[:60]
        heads = line.rstrip(" *_").endswith(":")
        for sentence in SENTENCE.split(line):
            told = _THINGS_WRONG.sub("letters", _FAULT.sub("letters", _LOOKED.sub("", sentence)))
            if BLANK in told or not WORD.search(told) or (heads and not _META.search(told)):
                continue  # nothing, or a heading over what follows
            if not _closes(told, verdicts) and not _describes(told):
                return told.strip()[:60]
    return ""


def _closes(sentence: str, verdicts: Verdicts) -> bool:
    """Whether a sentence closes a reply, or says why the verdict is not the highest."""
    if _CLOSING.match(sentence[:300]):
        return True
    if max(verdicts.given) == verdicts.high:
        return False
    top = _NOT_THE_TOP.match(sentence)
    return _SHORT_OF_TOP.match(sentence) is not None or (
        top is not None and int(top[1]) == verdicts.high
    )


def _describes(sentence: str) -> bool:
    """Whether a sentence is about the picture and nothing else."""
    words = len(WORD.findall(sentence))
    brief = words <= BRIEF and _BRIEF_META.search(sentence) is not None
    about_verdict = brief or _META.search(sentence) is not None
    if _REST.match(sentence) and not about_verdict:
        return True
    if languages.may_be_foreign(sentence):
        wide = max(map(ord, sentence)) > 0x2E7F  # scripts without spaces
        return (words >= 2 or wide) and not languages.is_of_verdict(sentence)
    described = "“”" in sentence or _DESCRIBED.match(sentence) or _OF_PICTURE.search(sentence)
    english = languages.is_english(sentence) or (
        _OF_PICTURE.search(sentence) is not None and sentence.isascii()
    )
    told = _PRAISE.fullmatch(sentence[:80]) or (described and english)
    return bool(told) and not about_verdict
