"""The wording of judges' replies: what marks an example, a template, a condition, a refusal,
another picture, or a verdict that is taken back.

Which of them matters where is decided in `answers`. They lean to one side: a phrase that could mean
that a number is not the judge's own verdict counts as such, because a second call is cheaper than a
wrong score. Every pattern is applied to a window of bounded length (`LEAD`, `SPOKEN`), so that
reading stays linear in the reply.
"""

from __future__ import annotations

import re

from editgauge.judging import languages
from editgauge.judging.lexicon import NUMBER_WORDS, OTHER_JUDGE, SCORE_NOUN
from editgauge.judging.talk import about_judging

LEAD = 160
"""Characters before a verdict that can introduce it."""
SPOKEN = 5_000
"""Characters at the beginning and at the end of a reply in which a refusal is looked for."""
_FLAGS = re.IGNORECASE

PLACEHOLDER = re.compile(
    r"(?:\.{2,}|…|(?:write|put|insert|enter|give|provide|add|fill in) (?:your|the|a|an)\b.{0,60}|(?:one|1|a|two|2|1-2|1–2)(?: or two| to two| short)? (?:short )?sentences?\b.{0,40}|<[^<>]*>|\[[^\[\]]*\]|x+|n|k|\?+|int|integer|number|score|str|string|text|reason(?:ing)?|rationale"
    r"|explanation|your\b.{0,40}|\d+\s*(?:-|–|—|to|\.\.|\|)\s*\d+|\d+(?:\s*[,|/]\s*\d+){2,}"
    r"|(?:an? )?(?:int(?:eger)?|number|score)\b.{0,40}\d+\s*(?:-|–|—|to|and)\s*\d+.{0,10}"
    r"|(?:your|a|the)?\s*(?:short|brief|concise|one-sentence)?\s*(?:reason(?:ing)?|rationale|explanation)"
    r"(?:\s+(?:here|goes here|of .{0,40}|for .{0,40}|why .{0,40}))?)\Z",
    _FLAGS,
)
"""A text that stands for a value; for texts of at most 200 characters."""
HANDS_IN = re.compile(
    r"submi|record|report|rat(?:e|ing)|scor|grad|eval|judg|verdict|answer|assess|respon|reply|final|return|output|result"
    r"|give|set_|save|store|provide|finish|complete|done|json",
    _FLAGS,
)
"""Names of tools by which a verdict is handed in."""
REASON_KEY = re.compile("reason|rational|explan|comment", _FLAGS)
QUOTATION = re.compile(
    r"\"[^\"\n]{0,200}\"|“[^”\n]{0,200}”|«[^»\n]{0,200}»|「[^」\n]{0,200}」"
    r"|(?<!\w)'[^'\n]{1,80}'(?!\w)|(?<!\w)‘[^’\n]{1,80}’|`[^`\n]{1,80}`"
)
"""What is quoted are the words of the picture or of the instruction."""
_QUOTED = re.compile(
    r"\b(?:format reminder|reminder of|for example|examples?|for instance|template|schema|(?:a|the) sample\b|sample "
    r"(?:output|answer"
    r"|json|re\w+)|hypothetical\w*|placeholder"
    r"|how (?:an?|the|your|my) (?:\w+ )?(?:reply|answer|response|output|result|verdict) (?:would|should|could|might|must|may) look|would look (?:like )?(?:this|so|as follows)"
    r"|for reference|possible|allowed|valid "
    r"answers?|options|levels?|scale|drafts?|scratchpad|thinking|tentativ\w+"
    r"|impressions?|guess\w*|assum\w+|random\w*|arbitrar\w+|default|dummy|pretend\w*|simulat\w+"
    r"|wants? me|(?:told|asked|supposed|ordered|instructed|requested|trying|tries|demands?|wants?) "
    r"(?:me |you |us )?to"
    r"|(?:answer|reply|respond|output|return) (?:in|with|using|as) (?:this|the following|that|an?|the)"
    r"|always (?:answer|give|output|respond|score|say)|system\s?:|looks? like|carr(?:y|ies) the|(?:perfect|flawless|ideal|optimal|best possible) (?:result|edit|output|image|score|answer)"
    r"|expected|ideal|maximum|suppose|imagine|(?:last|prior|previous|earlier|other|another) (?:sample|image|picture|task|edit|case|patient|item|pair|model|run)"
    rf"|you asked(?! for\s*:?\s*\Z)|{SCORE_NOUN} (?:of|from|by) (?:the |an? |my |our )?(?:\w+ )?{OTHER_JUDGE}(?: (?:no\. ?)?[a-z0-9])?"
    rf"|(?:{OTHER_JUDGE}|caption|he|she|they)(?:['’]s)? (?:\w+ ){{0,2}}(?:verdict|scores?|gave|gives|said|says|wrote|writes|rated|rating|answer\w*|suggest\w*|claim\w*|thinks?|believes?|proposed?)|instructions? "
    r"(?:says?|asks?|tells?|wants?|reads?|demands?|was|were)|rubric|ignor\w+|inject\w*|previous\w*|earlier|initial\w*|at first"
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
    r"[ \t`*]{0,20}+(?:=|:|->|→|means?\b|stands\b|represents?\b|indicates?\b|corresponds?\b|(?:for|of) (?:a "
    r"|the )?(?:perfect|best|worst|reference|original|input|ground[- _]?truth|gt\b|source|unedited|untouched|other|previous|next)"
    r"|(?:once|as soon as|unless|only if|provided) (?:i|the|it|you|we)\b"
    r"|['\"’”]?\s?(?:would|could|might|can|is|was|are|were|appears?|has|reads|seems?)\b(?! my\b)"
    r"|\((?:example|format|template|sample|not|reference|original|input)|<-+|←)",
    _FLAGS,
)
_INTRODUCED = re.compile(
    r"§|\b(?:donc|alors|daher|also|por tanto|entonces|portanto|logo|quindi|dus|итак|поэтому|więc|zatem)\b|TOOL_CALLS?|所以|因此|よって|步[骤驟]|ステップ|단계|第.步|评[分估]|評[分估價]|结[果论]|結[果論]|答案|判断|判斷|評価|最终|最終|결과|평가|판정|점수|التقييم|النتيجة|מסקנה|תוצאה|הערכה|मूल्यांकन|परिणाम|ผลการ|คะแนน|<[\w ]{1,20}>\W*\Z|^\W*data\s?:\W*\Z|\b(?:here|below|following|verdict|evaluation|assessment|final|conclusion|therefore|thus|so|hence|results?|answer"
    r"|scor(?:e|es|ing)|rat(?:e|es|ings?)|json|judge?ment|response|output|summary|review|overall|analysis|requested|step|part"
    r"|edited|edit|candidate|pred(?:iction|_image)?|generated|my|i|dimension|criteri\w+|metrics?|report|grade|decision|total"
    r"|schritt|étape|paso|passo|шаг|stap|krok|adım|alone|评[分估]|结[果论]|答案|判断|最终|評価|結果|[ée]valuation|r[ée]sultat|voici|ergebnis|bewertung|hier|antwort|resultado"
    r"|evaluaci[óo]n|puntuaci[óo]n|aqu[íi]|certainly|sure|ok(?:ay)?|understood|done|yes|of course|absolutely|alright|great|gladly|avalia[çc][ãa]o|결과|평가|оценка|результат|ответ"
    r"|object|update|correct\w*|revis\w+|reflection|thought|questions?|compar\w+|based on)\b",
    _FLAGS,
)
"""Words with which a judge introduces a verdict of its own."""
_OPEN_END = re.compile(
    r"(?:[:：=,–—-]|->|→|\b(?:is|are|has|have|gets?|gives?|gave|be|of|with|as))\Z", _FLAGS
)
_WEAKLY_CITED = re.compile(r"\b(?:format|structure|syntax|form|shape)\b", _FLAGS)
_SHAPE = re.compile(r"\s*(?:\w+ ){0,2}(?:format|structure|syntax|form)\s*:?", _FLAGS)
_SAYING = re.compile(
    r"\b(?:says?|saying|reads?|reading|states?|stating|tells? \w+|wrote|written|painted|printed)\W*\Z",
    _FLAGS,
)
_SAID_SO = re.compile(r"\b(?:example|template|placeholder|schema)\b", _FLAGS)
_OTHER = (
    r"(?:the\s+)?(?:(?:reference|ground[- _]?truth|gt|original|input|source|unedited|untouched|before|first"
    r"|other|another|previous|next|calibration|example|target)"
    r"(?:[ _-](?:image|picture|photo|version|edit|sample|output|result))?"
    r"|(?:image|picture|photo) (?:1|one|a))"
)
_ABOUT_OTHER = re.compile(
    rf"(?:^|(?<!against)(?<!against the)(?<!with)(?<!with the)(?<!versus)[^\w-]){_OTHER}(?:\s*\([^()]{{0,40}}\))?(?:\s+(?:itself|alone|would|gets?|scores?|"
    rf"receives?|earns?|has|is|was|deserves?|rates?|at)\b[^.]{{0,30}})?\s*[:：=,–—-]?\s*\Z"
    rf"|\b(?:for|of|about) (?:comparison|calibration)\b[^.]{{0,40}}\Z",
    _FLAGS,
)
_OTHER_ONLY = re.compile(
    rf"\W*(?:(?:(?:here (?:are|is) )?(?:the |my |these )?(?:\w+ )?{SCORE_NOUN} )?(?:for|of|about|on|regarding|in) )?{_OTHER}(?:\s*\([^()]{{0,40}}\))?(?:'s)?(?:\s+(?:scores?|ratings?|evaluation|verdict))?\W*\Z",
    _FLAGS,
)
_HEADED_EXAMPLE = re.compile(
    rf"\b{SCORE_NOUN} (?:of|from|by) (?:the |an? |my |our )?(?:\w+ )?{OTHER_JUDGE}(?: (?:no\. ?)?[a-z0-9])?\W*\Z|\b{OTHER_JUDGE}(?: [a-z0-9])?(?:['’]s)? {SCORE_NOUN}\W*\Z"
    r"|\b(?:examples?|template|schema|(?:output|answer|response|reply|json|required|expected) format\W*\Z|drafts?"
    r"|scratch(?:pad)?|thinking|thoughts|brainstorm\w*|hypothetical\w*|rating scale|scoring scale"
    r"|first (?:impressions?|thoughts?|pass)|(?:last|prior|previous|earlier|other|another) (?:sample|task|case|patient|item|pair|model|run)|(?:sample|task|case|patient|item|pair|model|run|picture|image) (?:before|preceding|prior to)\b|(?:vorherig|vorig)\w*|précédente?|anterior|precedente|(?:sign|text|image|poster|picture) (?:says|reads))\b|предыдущ|poprzedn|předchoz|önceki|上一|之前|前回|前の|이전|السابق",
    _FLAGS,
)
_SCALE = re.compile(r"\W*(?:the )?(?:\w+ )?(?:scale|levels|anchors)\W*", _FLAGS)
_REVISED = re.compile(
    r"\b(?:final(?:ly|ized)?|revis\w+|updated?|correct(?:ed|ion|ing)|actually|reflection"
    r"|second thoughts?|reconsider\w*|re-?evaluat\w+|amended|adjust(?:ed|ing|ment)|(?:closer|second|another|careful) (?:look|check)"
    r"|in conclusion|to conclude|changed? my|instead|better:)\b",
    _FLAGS,
)
_CORRECTION = re.compile(
    r"(?:\A|[.!?;]\s)\s*(?:no|wait|rather|actually|sorry|hmm|better|make it|oops)\b[\s,:—–-]{1,3}"
    r"(?:(?:rather|make it|it is|it's|an?|only|more like|better|actually|say)[\s,]{1,2}){0,2}"
    r"(\d{1,2})\s*(?=[.!;]\s|[.!]?\s*\Z)",
    _FLAGS,
)
_WAVERED = re.compile(
    r"\b(?:actually|hold on|correct(?:ion| (?:value|score|answer|rating|number))|wait|hmm|on (?:second thoughts?|reflection|closer)|revis\w+|reconsider\w*|chang(?:e|ing) (?:my|it|this|the)"
    r"|should(?: really)? (?:have been|be|get|receive)|ought to be|lower(?:ed|ing)?|rais(?:e|ed|ing)|reduc\w+|increas\w+|instead|rather"
    r"|mak(?:e|ing) (?:it|that)|i mean\w*|sorry|apolog\w+|oops|mistake\w*|looking again|upon|final(?:ly)?|updated?|corrected|downgrad\w*|upgrad\w*|better"
    r"|appropriate|fair(?:er)?|accurate|justified|deserv\w+|warrant\w+|closer to|more like)\b",
    _FLAGS,
)
_COUNT = re.compile(
    r"(?<![\w.,:/-])(\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|zero)(?![\w%:]|[.,]\d|\s?[-–—]\s?\d+\s?[^\W\d])"
    r"(?!\s+(?!out\b|of\b|if\b|or\b|and\b|is\b|was\b|would\b|but\b|because\b|since\b|instead\b|rather\b|at\b|as\b|for\b|on\b"
    r"|in\b|after\b|to\b|not\b|seems?\b|feels?\b|overall\b|points?\b(?=\s*(?:[.,;)]|\Z|for\b|on\b|to\b|and\b|because\b)))[^\W\d])",
    _FLAGS,
)
SHORT = 8
"""Words of a sentence in which a number behind a verdict cannot be about much else."""
_LABEL = re.compile(
    r"^[ \t]{0,40}(?:[-*•#>]{1,9}[ \t]{0,9})?\d{1,2}[.):]\s|\b(?:step|rule|point|level|criterion|criteria|figure|image|line|part|question|q|no|number|item"
    r"|section|row|frame|page|version|v|option|candidate|model)\.?\s?\d{1,2}\b"
    r"|\b(?:confidence|certainty|weight|total|sum|max\w*|min\w*|difficulty|tokens?|time)\W{1,5}\d{1,2}\b",
    _FLAGS | re.MULTILINE,
)
_OTHER_LABEL = re.compile(
    r"(?:^|[,;|.(（])[ \t*_#•-]{0,8}(?:\d{1,2}[.)][ \t]{1,3})?[*_]{0,2}(?!(?:the |my |so |its? )?(?:score|rating|grade|verdict|final|answer|result|correct|updat|revis"
    r"|actual|in (?:short|sum|total|conclusion|summary|brief)|summary|conclusion|to (?:sum|conclude)|thus|hence|therefore|all in all|bottom|tl|edit|ps|now|better|no\b|wait|let|redo|again|attempt|try|take|second|third|changed?|amend|replac|fix|more like|rather|instead|make|should|or\b|overall|total score|new|hmm|oops|i\b))[^\W\d][\w()/&' -]{0,40}[*_]{0,2}[ \t]{0,3}(?:[:=]|[–-][ \t])"
    r"[ \t*_]{0,4}\d{1,3}(?:\s{0,2}(?:/|out of)\s{0,2}\d{1,3})?(?![\w%])",
    _FLAGS | re.MULTILINE,
)
_KNOWN_LABEL = re.compile(
    r"(?:^|(?<=[,;|.(])[ \t]{0,3})[ \t*_#•-]{0,8}(?!(?:the |my |new |final )?(?:correc|revis|rectif|modif|reconsid|conclu|evaluat|deduct|reduct|penal|resolu|decis|determin|assess|correz|corr[ei]ç))"
    r"(?:\d{1,2}[.)] [^\W\d][\w ]{0,30}: \d{1,2}(?=, [^\W\d])|(?:[^\W\d][\w'’/&-]{0,20} ){0,3}(?:\w*(?:confidence|certainty|difficulty|weight|tokens?|time|version|seed|temperature|count|counts|number of \w+|words|letters|characters|lines|errors|mistakes|differences|changes|artefacts|artifacts|elements|steps|page|zoom|iou|ssim|psnr"
    r"|ness|ity|acy|ence|ance|tion|ment|ing|ism|colou?rs?|layout|style|font|text|background|position|size|shape|scale|spelling|detail)s?)[*_]{0,2}(?: ?\([^()\n]{0,20}\))?[ \t]{0,3}(?:[:=]|[–-][ \t])[ \t*_]{0,4}"
    r"\d{1,3}(?:\s{0,2}(?:/|out of)\s{0,2}\d{1,3})?(?![\w%]))",
    _FLAGS | re.MULTILINE,
)
"""A number behind a verdict whose label says that it is of something else: an aspect, a count."""
_A_FRACTION = re.compile(r"\d{1,4}\s{0,2}(?:/|out of)\s{0,2}\d{1,4}", _FLAGS)
_OWN_WOULD = re.compile(r"\bI(?:['’]d| would)\b", _FLAGS)
"""A number that names or counts off something."""
_COMPARED = re.compile(
    r"\b(?:why|instead of|rather than|not an?|than|versus|vs|out of|scale|maximum|max|perfect|full|would|could|might|if|unless|example)\b",
    _FLAGS,
)
GIVES = re.compile(
    r"(?:\A|[^\w\s]|\b(?:scor\w+|rat\w+|verdict|grade|overall|give|giving|is|was|be|of|an?|at|to|so|final|now|say|makes?|deserves?|gets?))"
    r"[\s*_(]*\Z",
    _FLAGS,
)
"""How a text ends before a fraction that is not the value of another name."""
_FRACTIONS = re.compile(
    r"([^.!?\n]{0,60})(?<![\d.,/])(\d{1,2})\s{0,2}(?:/|out of)\s{0,2}(\d{1,2})(?![\d.,]*\d)(?!\s+(?:of\b|(?!because\b|since\b|for\b|due\b|and\b|but\b)[^\W\d]{3,}))"
)
_REFUSAL = re.compile(
    r"\b(?:i(?:'|’)?m sorry|i am sorry|sorry,|i can(?:'|’)?t|i cannot|i can not|i(?:'|’)?m (?:not "
    r"able|unable)"
    r"|i am (?:not able|unable)|i won(?:'|’)?t|unable to (?:help|assist|comply|process|provide"
    r"|evaluate|assess|view|rate|judge))",
    _FLAGS,
)
_POLITE = re.compile(
    r"\b(?:i['’]?m sorry|i am sorry|sorry),? but (?=(?:nothing|the (?:edit|word|text|output|result|requested)|neither|none|no (?:change|edit|part)|original)\b)"
    r"|\bi (?:can['’]t|cannot|can not|am not able to|am unable to)(?= (?:tell the|see (?:any|a|the) (?:difference|trace|change|seam)|find (?:any|a|the)|spot|detect|distinguish|notice|identify)\b)"
    r"|\bi (?:can['’]t|cannot|can not|am not able to|['’]m not able to|am unable to) (?:give|provide|offer|make) (?:you )?(?:an? |any )?(?:medical|clinical|diagnos\w+|professional|legal)\b",
    _FLAGS,
)
"""What sounds like declining and does not decline to judge the edit."""
_FENCE = re.compile(r"(?:```|~~~)\w{0,12}")
_CLAUSE = (
    r"(?!\s+(?:the|an?|it|its|this|that|these|those|you|they|we|i|there|one|all|any|only|not|so)\b)"
)


def spoken(text: str) -> str:
    """The beginning and the end of a text, which is all of an ordinary one."""
    return text if len(text) <= 2 * SPOKEN else f"{text[:SPOKEN]}\n{text[-SPOKEN:]}"


def is_refusal(text: str) -> bool:
    """Whether the text has the words of declining."""
    return _REFUSAL.search(_POLITE.sub(" ", text)) is not None


_OBEYED = re.compile(
    r"\b(?:following|obey\w*|per|according to|complying with|comply with|as (?:requested|asked|told|instructed|ordered|demanded) (?:by|in)|in line with|because of|honou?ring|respecting"
    r"|as) (?:this|that|the|its?)(?: \w+){0,2} (?:note|message|sticker|banner|watermark|overlay|caption|poster|sign|text in the (?:image|picture))"
    r"\b(?: (?:says?|asks?|requests?|demands?|tells?|wants?|instructs?|orders?|commands?)\b)?(?=[^.]{0,30}\b(?:i|score|rating|give|award|so|hence|therefore|answer|grade|\d)\b)"
    r"|\b(?:following|obeying|honou?ring|as per|per) (?:the |an )?(?:instructions?|orders?|requests?|demands?) (?:that (?:is|was) )?(?:printed|written|embedded|drawn|burnt|burned|painted|hidden|found|placed)(?: in)? (?:in|on|at|across|into|inside|under|above|below)\b"
    r"|\b(?:i|we) (?:will |shall |must |have to )?(?:follow|obey|comply|honou?r|respect)(?:ed)? (?:with )?(?:this|that|the|its) (?:note|message|sticker|banner|watermark|overlay|caption|request|demand|command|poster|sign)\b",
    _FLAGS,
)


_CASE = r"(?:sample|request|case|patient|job|conversation|pair|item in the (?:queue|batch|list))"
_OF_ANOTHER_CASE = re.compile(
    r"\bnot (?:for|of|about) (?:this|the present|the current) (?:one\b|sample|image|picture|photo|edit|case|patient|task|request|item|pair)(?!['’])"
    r"|\b(?:verdicts?|ratings?|scores?|grades?|repl(?:y|ies)|values?|lines|numbers?|evaluation|assessment|judge?ment)\b[^.\n]{0,60}"
    rf"\b(?:for|of|to|about|from)\b[^.\n]{{0,25}}\b(?:previous|another|other|last|next|earlier|wrong|different|preceding) {_CASE}s?\b"
    r"|\b(?:repl(?:y|ies)|answer|verdict|rating|object|json|score) (?:is|was|belongs?|refers?)(?: only)? (?:for|to|about|of) (?:request|sample|case|patient|job) (?:no\.? ?)?#?\d"
    r"|\b(?:pictures?|images?) of (?:request|sample|job) #?\d+ (?:is|are) (?:still|not)\b|\bin the queue \(",
    _FLAGS,
)


_MOCKED = re.compile(
    r"\boh,? (?:yes|yeah|sure|of course),? (?:sure|right|of course|clearly)\b|\byeah,? right\b|\bslow clap\b",
    _FLAGS,
)


def is_mocking(text: str) -> bool:
    """Whether the judge does not mean what it says: ``Oh yes, sure, 5``."""
    return _MOCKED.search(text) is not None


def is_of_another_case(text: str) -> bool:
    """Whether the judge says that its reply is about another sample than the one it was asked of."""
    return _OF_ANOTHER_CASE.search(text) is not None


_LINE_BEFORE = re.compile(r"(?:\A|\n)([^\n]{1,300}):\s*\Z")
_WOULD_BE = re.compile(
    r"\b(?<!\bi )(?<!\bwe )would\b(?! like)|\btypical(?:ly)?\b|\bhypothetical(?:ly)?\b", _FLAGS
)


def is_introduced_as_supposed(before: str) -> bool:
    """Whether the line that introduces a verdict says what would be: ``The reference would get:``."""
    line = _LINE_BEFORE.search(before[-400:])
    return line is not None and _WOULD_BE.search(line[1].rpartition(". ")[2]) is not None


def is_obeying(text: str) -> bool:
    """Whether a judge says that it does what a text in a picture tells it to."""
    return _OBEYED.search(text) is not None


def is_placeholder(text: str) -> bool:
    """Whether a value is the template's: a range, a type, dots, ``your reason here``."""
    return (
        len(text) <= 200 and PLACEHOLDER.match(text.strip().rstrip(".!")) is not None
    ) or text.strip() in ("...", "..")


def is_revision(lead: str) -> bool:
    """Whether the words before a verdict say that it replaces an earlier one."""
    return _REVISED.search(lead) is not None


def is_other_subject(text: str) -> bool:
    """Whether a text names a picture other than the edited one, and nothing else."""
    text = re.sub(r"\.\w{2,4}\Z", "", text[:100].strip())
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


def is_cited(
    before: str,
    refused: bool,
    after: str = "",
    names: tuple[str, ...] = (),
) -> bool:
    """Whether the words around an object or line say that it is an example, a condition, about
    another picture, or something seen.

    `before` is the text that leads up to it, `after` the 40 characters behind it. `refused` says
    that the reply declines somewhere, so that weaker signs count. `names` are the fields' names.
    """
    lead = _window(before)
    if _DISOWNED.match(after) or lead.rpartition("\n")[2].lstrip().startswith((">", "//", "<!--")):
        return True  # taken back, or a quotation in Markdown
    lead = _last_sentence(lead, names)
    if lead.endswith((".", "!", "?", "。")):
        # A finished sentence introduces nothing, unless it says so.
        return _SAID_SO.search(lead) is not None
    if _SHAPE.fullmatch(lead) or _QUOTED.search(lead) or _ABOUT_OTHER.search(lead):
        return True
    if _SAYING.search(lead):
        return True
    if refused and _WEAKLY_CITED.search(lead):
        return True
    return _DOUBTED.search(lead) is not None and _ANNOUNCED.search(lead) is None


_RULED = re.compile(r"\n[ \t]*[-*_=]{3,}[ \t]*\n?\s*\Z")
"""A rule in Markdown, which ends what stands above it."""


def is_unannounced(before: str, names: tuple[str, ...] = ()) -> bool:
    """Whether words lead up to a verdict, on its line or with a colon, that no judge says of its
    own: "the maximum is", "in the corner:".

    Such a verdict is not taken, though it can contradict another one.
    """
    window = _RULED.sub("\n\n", _window(before))
    bare = _FENCE.sub(" ", window)
    same_line = "\n" not in bare[len(bare.rstrip()) :]
    lead = _last_sentence(window, names)
    if lead.endswith((".", "!", "?", "。")) or not re.search(r"[^\W\d]", lead):
        return False
    if not (same_line or _OPEN_END.search(lead)) or _INTRODUCED.search(lead):
        return False
    plain = lead.replace("_", " ").casefold()
    return not any(name.replace("_", " ").casefold() in plain for name in names)


def _window(before: str) -> str:
    """The last `LEAD` characters, from a whole word on."""
    lead = re.sub(r"\be\.\s?g\.?,?", "for example", before[-LEAD:])
    return lead if len(before) <= LEAD else lead.partition(" ")[2]


def _last_sentence(lead: str, names: tuple[str, ...]) -> str:
    lead = _FENCE.sub(" ", without_names(lead, names))
    lead = re.sub(r"[`*_#]", " ", lead).rstrip()
    return re.split(r"(?<=[.!?。])\s+|\n\s*\n", lead)[-1]


def is_withdrawn(text: str) -> bool:
    """Whether a text says of the verdict before it, in so many words, that it does not count. For
    what stands on the verdict's own line, where a reason is expected.
    """
    text = languages.without_reasons(text)
    return bool(about_judging(text)) or languages.is_withdrawn(text)


_OF_EDIT = re.compile(
    r"\b(?:replaced|changed|renamed|turned|became|removed|added|shows|reads|misses|missing|letters?|digits?|page|jersey|plate|shirt|chapter|size|larger|smaller|wider|halo|font|kept|required|image|picture|text|word|background)\b",
    _FLAGS,
)


def is_taken_back(after: str, given: set[int], top: int) -> bool:
    """Whether the words behind the last verdict take it back or give another number.

    `given` are the numbers of the verdicts, `top` the highest number of any scale. Another number
    counts in a short sentence, as a fraction of the top, and beside words of second thoughts; not
    where it is compared with ("instead of 5"), counts something, or would need a condition.
    """
    if is_withdrawn(after):
        return True
    after = without_known_labels(languages.without_reasons(after))
    bare = QUOTATION.sub("“”", _A_FRACTION.sub(" ", after))
    plain = _OWN_WOULD.sub("I", _LABEL.sub(" ", bare))
    for sentence in re.split(r"(?<=[.!?。])\s+|\n", plain):
        if _COMPARED.search(sentence):
            continue
        if not _WAVERED.search(sentence) and not (
            len(sentence.split()) <= SHORT and not _OF_EDIT.search(sentence)
        ):
            continue
        for count in _COUNT.finditer(sentence):
            word = count[1].casefold()
            number = NUMBER_WORDS[word] if word in NUMBER_WORDS else int(word)
            if number <= top and number not in given:
                return True
    return any(number not in given for number in fractions_in(after, top))


_CHANGED = re.compile(
    r"\b(?:lower(?:ed|ing)?|rais(?:e|ed|ing)|reduc(?:e|ed|ing)|correct(?:ed|ing|ion)|adjust(?:ed|ing|ment)?|cap(?:ped)?|downgrad\w+|upgrad\w+|bump\w*"
    r"|drop(?:ped|s)?|cut|increas\w+|decreas\w+|chang(?:e|ed|ing)|revis\w+|overrat\w+|underrat\w+|over-?scor\w+|too (?:high|low|generous|harsh|strict|lenient|kind)"
    r"|should|must|needs?|ha(?:s|ve|d) to|ought|better|fair(?:er)?|fits?|rather|instead|actually|not|wrong|mistaken?|deduct\w*|subtract\w*|take|down|up)\b",
    _FLAGS,
)
_OF_SCORE = re.compile(
    r"\b(?:scores?|ratings?|grades?|marks?|verdicts?|points?|overrat\w+|downgrad\w+|generous|harsh|(?:to|be|an?|by|is) (?:\d|one|two|three|four|five)\b)",
    _FLAGS,
)


def changes_score(text: str) -> bool:
    """Whether a text beside a verdict may say that the score is to be another."""
    if languages.is_foreign(text):
        return languages.is_of_verdict(text)
    return _OF_SCORE.search(text) is not None and _CHANGED.search(text) is not None


def short_corrections(text: str) -> list[int]:
    """Numbers of sentences of a reason that are nothing but a correction: "No, rather 2."."""
    return [int(number) for number in _CORRECTION.findall(spoken(text))]


def without_other_labels(text: str) -> str:
    """The text without the values of other names: ``TA: 5`` says nothing of IF."""
    return _OTHER_LABEL.sub(" ", text)


def without_known_labels(text: str) -> str:
    """The text behind a verdict without numbers of aspects and counts: ``Confidence: 4``. What has
    any other label may be the verdict anew.
    """
    return _KNOWN_LABEL.sub(" ", text)


_CONSIDERED = re.compile(
    r"\bi (?:first |briefly |also |had )?(?:considered|thought (?:of|about)|contemplated|weighed|was tempted by|toyed with) (?!to\b)[^.;!?\n]{1,80}?,? but\b",
    _FLAGS,
)
"""What a judge thought of before it gave the verdict that it stands by."""


def without_considered(text: str) -> str:
    """The text without the numbers that a judge says it thought of and did not give: "I considered
    3, but …".
    """
    return _CONSIDERED.sub(" ", text)


def fractions_in(text: str, top: int) -> list[int]:
    """Numbers that a text gives as fractions of `top` (``2/5``, ``2 out of 5``), in order.

    Not those that count something ("2/5 letters") or are compared with.
    """
    return [
        int(number)
        for lead, number, scale in _FRACTIONS.findall(text)
        if int(scale) == top and not _COMPARED.search(lead) and GIVES.search(lead)
    ]
