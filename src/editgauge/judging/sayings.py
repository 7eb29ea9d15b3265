"""Verdicts in sentences, put into lines ``NAME: 4``: "Overall the visual quality earns 4 out of 5".

`in_lines` weighs every sentence by itself. One about another picture, or on a condition ("Had …",
"would be a 5"), is *aside*: it gives no verdict, and before a verdict it is left out. One that names a
field, and gives it a number with nothing between but words that say so, is a verdict; where one field
was asked for, so is one whose subject is the edit ("this result merits a 3"), and a fraction of the
scale that stands alone. Anything else stays as it is, for `answers` to weigh.

A number is the score's only where it counts nothing, has no unit and is not quoted; the words before
it must not deny, bound or doubt it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial

from editgauge.judging.lexicon import (
    ANY_NUMBERS,
    CONDITIONS_ELSEWHERE,
    NUMBER_ARTICLES,
    OF_OTHERS,
    OTHER_JUDGE,
    OTHERS_ELSEWHERE,
    SCORE,
)
from editgauge.judging.names import (
    names_of,
    other_names,
    without_other_lines,
    without_other_values,
)
from editgauge.judging.wording import QUOTATION, is_other_subject, is_taken_back

Ranges = Mapping[str, tuple[int, int]]
_I = re.IGNORECASE
LONGEST = 600
"""Characters of a sentence that can give a verdict; a longer one is no statement of a score."""
MAX_SENTENCES = 400
LARGEST = 10
"""The top of the widest scale that is asked for."""
_ANY_WORD = "|".join(sorted(map(re.escape, ANY_NUMBERS), key=len, reverse=True))
OF = (
    r"(?:/|out of(?: a (?:possible|maximum of)| a maximum of)?|of|on a scale of|von|sur|de|su|из|з|із|من|az|van(?: de)?|ud af|z|ze|av|auf|dari|的|üzerinden|trên|στα|από τα|από"
    r"|מתוך|از|में से|จาก|dintre|din|af|out-of)"
)
_FIRST = 0xE100
"""The character that stands for the first field; those behind it stand for the others."""
_NAME = "[\ue100-\ue1ff]"
_SCALED, _BARE = "\ue201", "\ue202"
_ZERO = 0xE300
_NUMBER = "[\ue201\ue202][\ue300-\ue3ff]"
_ENDS = re.compile(
    r"(?<=[.!?;])(?m:(?<!^\d\.))(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bvs\.)(?<!\bNo\.)\s+|(?<=[。！？；।])|\n"
)
_UNITS = r"(?:%|°|‰|±|×|x\d|(?:px|pixels?|mm|cm|m|km|pt|kb|mb|ms|s|sec|seconds?|minutes?|hours?|days?|weeks?|years?|degrees?|percent|per cent|times|kg|g|ml|dpi|fps|pm|am|st|nd|rd|th)\b)"
_DIGITS = re.compile(
    rf"(?<!\d:)(?<![A-Za-z\u00c0-\u024f\u0400-\u04ff\d_.,/$€£¥#×±~≈<>≥≤°'’^\ue202-])(?<!\d\s[-–—/])(?:(?P<digits>0|[1-9]\d?)(?:\.0{{1,3}})?|(?P<word>{_ANY_WORD}))(?![\d\ue201])"
    r"(?:\s?[(（](?P<again>\d{1,2}|[^\W\d_]{2,9})[)）])?"
    rf"(?P<fraction>(?:\s(?:points?|marks?|stars?)|分|点|点|점)?\s{{0,2}}(?:{OF}\s{{0,2}}|[(（]\s?(?:out of|of|von|sur|de|su|из|满分|滿分|/|[01]\s?[-–—~～]\s?|(?=\w{{1,2}}\s?(?:分|点|점)?(?:满分|満点|滿分|만점)))\s?)(?P<top>\d{{1,3}}|{_ANY_WORD})(?:\.0)?(?:分|点|점)?(?:满分|満点|滿分|만점)?(?![.,]?\d))?"
    r"(?P<points>\s?-?(?:points?|pts?|stars?|marks?|punkten?|puntos?|pontos?|punt[io]|балл\w{0,3}|бал\w{0,3}|puan|poäng|punten|pkt)(?![^\W\d_])\.?|\s?(?:分(?![钟鐘之析辨别別明])|点(?![钟鐘])|點|점))?"
    r"(?!\s?(?:满分|満点|滿分|만점))(?(fraction)(?:\s?[)）](?=\W|\Z))?)"
    rf"(?![A-Za-z\u00c0-\u024f\u0400-\u04ff\d_°%‰]|[.,:/]\d|\s?{_UNITS}|-[^\W\d]|[-–—~～→±]\d|\s?[~～→±]\s?\d|(?(fraction)(?!)|\s[-–—]\s?\d)|\s?/|\s?\.\.|\s?(?:->|or|to|bis|à|oder|ou)\s\d)",
    _I,
)
_BEHIND = re.compile(
    r"\s*(?:\Z|です|である|だ(?=[。\n]|\Z)|입니다|이다|예요|と(?:し|評価|判断)|を(?:つけ|付け|与え)|을?를?\s?(?:줍|주었|부여|드립)|了|吧|[.,;:!)\]}>|।،؛。，；：、！）】（(|·•–—\n«»\"“”]|-{1,2}(?=\s)|to(?=\s(?:the )?[\ue100-\ue1ff])|&|/(?!\d)|\ue201|\ue202|[\ue100-\ue1ff]|<|=>|[→➜⇒](?!\s?\d)|✓|✔|✅|👍|it is\b|from me\b|in total\b"
    r"|(?:because|since|as|for|on|in|due|and|with|at|overall|here|but|from|given|also|too|so|while|though|although|this|that|it|each|both|apiece|which|given|under|per|thanks|owing|by|weil|denn|car|parce|puisque|porque|pues|ya que|perché|poiché|omdat|want|eftersom|fordi|ponieważ|protože|çünkü|karena|vì|koska|mert|pentru|так как|поскольку|бо|тому|потому|так|da|wegen|pour|por|per|para|für|auf|und|et|y|e|и|och|en)\b)",
    _I,
)
_EMPHASIS = re.compile(
    r"\*{1,3}|(?<!\w)_{1,2}(?=\w)|(?<=\w)_{1,2}(?!\w)|`{1,3}(?=[^`\n]{0,40}`)|(?<=\d)`"
)
_UNDERSCORE = re.compile(r"(?<=[A-Za-z])_(?=[A-Za-z])")
_SCALE = re.compile(
    r"\b(?:on|using|with) (?:a|the|our) (?:scale (?:of|from)? ?|\w+ scale,? (?:of|from) )?[01]\s?(?:to|-|–|—|\.\.)\s?(\d{1,2})(?: scale| points?)?,?\s?(?=\D)",
    _I,
)
"""The scale in words, which says nothing of the score."""
_STRUCK = re.compile(r"~~[^~\n]{1,60}~~")

# --- what a sentence may say around a verdict -----------------------------------------------------

_OWN_WOULD = re.compile(
    r"\b(?:i['’]d|i would|we would|we['’]d|i['’]ll|i will|i can|i have to|i must|let me)(?= (?:\w+ly |therefore |thus |hence |then |still |so )?(?:give|rate|score|award|assign|say|go|put|place|grade|call|settle|conclude|choose|pick)\b)",
    _I,
)
_CONDITION = re.compile(
    r"\b(?:if|unless|would|could|might|wouldn['’]t|couldn['’]t|['’]d have|were it|provided|assuming|suppose|depending|depends|whether|otherwise|should have|ought"
    rf"|si)\b|{CONDITIONS_ELSEWHERE}|"
    r"\A\W*(?:had|should|were|with an?\b(?! score| total| rating))\b",
    _I,
)
_OTHER_SUBJECT = re.compile(
    r"\b(?:reference|ground[- ]?truth|gt|original|input|source|unedited|untouched|before|previous(?:ly)?|earlier|last|prior|next|other|another|competing|rival|baseline|average|typical|human|calibration|example|template"
    r"|format|scale|rubric|perfect (?:image|picture|edit|result|output)|ideal|maximum|minimum|highest|lowest|threshold|target|goal|aim|expected"
    rf"|{OTHER_JUDGE}|candidate|version|seed|draft|initial(?:ly)?|first impression|at first|first glance|most|you|they|he|she|we asked)\b"
    rf"|{OTHERS_ELSEWHERE}",
    _I,
)
_OWN_SUBJECT = re.compile(
    r"(?:the|this|that|present|current|its?) (?:\w+ )?(?:edited|edit|output|outputs|result|generated|generation|candidate image|edited image|model['’]s)\b|\b(?:output|edited picture|edited image|result)\b",
    _I,
)
_DENIED = re.compile(
    r"\b(?:not|n['’]t|no|never|nor|neither|without|or|either|between|about|around|approximately|approx|roughly|maybe|perhaps|possibly|probably|presumably|almost|nearly|at (?:most|least|best|worst)"
    r"|below|above|under|over|less|fewer|more|lower than|higher than|better than|worse than|than|minimum|maximum|max|min|up to|mean|median|expect\w*|need\w*|require\w*|must|pass|fail|cap(?:ped)?"
    r"|says|reads?|reading|shows?|showing|written|writes?|states?|claims?|printed|sign|poster|banner|watermark|weight\w*|confidence|certainty|sum|total|tie|votes?|chance|probability|rank\w*|deduct\w*|minus|plus|subtract\w*|lost|lose"
    r"|pretend|guess\w*|random\w*|placeholder|tentative\w*|provisional\w*|preliminary|default\w*|hypothetical\w*|left|half|halves|region|part|step|move|slice|page|line|row|column|level|from|was|were|been|had|previous|tempted|seems?|appears?|ish|ask(?:s|ed)?|want(?:s|ed)?|told|demands?|instruct\w*|suppos\w*)\b|[?±≈~<>≥≤]",
    _I,
)
_GLUE = (
    r"(?:[\s:=*_|,】–—→➜➡·•▶►➤⇒>-]|\ufe0f|\([^()\ue200-\ue3ff]{0,60}\)|（[^（）\ue200-\ue3ff]{0,40}）|"
    r"\b(?:is|are|gets?|got|receives?|received|deserves?|earns?|earned|merits?|scores?|scored|rating|ratings|grade|graded|mark|marks|points?|of|at|as|an?|the|only|just|also|therefore|thus|hence|so|then|now|here"
    r"|solid|clear|strong|weak|full|perfect|excellent|good|great|high|low|slightly|a bit|somewhat|lower|higher|very|quite|rather|fairly|still|even|well|fine|decent|poor|fair|mediocre|middling|moderate|flawless|stays|remains"
    r"|score|value|verdict|result|comes? out|comes? to|lands|stands|sits|reaches|achieves?|attains?|obtains?|with|to be|be|my|final|overall|final score|i (?:give|award|assign|rate|score|say)(?: it)?|given|awarded|rated|assigned|it|equals|for (?:this|the) (?:present |edited |current |generated |output |final )*(?:edit|output|image|picture|result|sample|frame|one)"
    r"|for frame \d|both|all|each|every|by me|in my (?:view|opinion)|to (?:this|the) (?:edit|output|image|result)|ist|liegt|bei|beträgt|bekommt|erhält|est|es|é|è|reçoit|obtient|mérite|obtiene|recibe|merece|recebe|ottiene|merita|est (?:donc )?d[e'’]|donc|daher|folglich|es (?:por tanto )?de|por tanto|quindi|dunque|pari a|de|di|составляет|равна|равно|получает|هي|هو|為|为|是|は|が|です|는|은|이|가)\b)*"
)
_GIVEN = re.compile(rf"(?P<name>{_NAME})(?P<gap>{_GLUE})\(?(?P<number>{_NUMBER})", _I)
_REVERSED = re.compile(
    rf"(?P<number>{_NUMBER})\s{{1,3}}(?:points? )?(?:for|on|in|to|as(?: the)?|für|pour|para|por|per|за)\s{{1,3}}(?:the |both |its |d(?:er|ie|as) |l[ae] )?(?P<name>{_NAME})",
    _I,
)
_SHARED = re.compile(
    rf"(?P<names>{_NAME}(?:(?:\s{{0,2}}(?:,|&|/|\+|and|und|et|y|e|sowie|as well as)\s{{0,2}}){{1,2}}{_NAME}){{1,9}})(?P<gap>{_GLUE})(?P<number>{_NUMBER})(?P<tail>(?:\s{{1,2}}(?:each|both|apiece|respectively))?)",
    _I,
)
_THROUGH = re.compile(
    rf"(?P<first>{_NAME})\s?(?:to|through|thru|bis|[-–—…]|\.\.)\s?(?P<last>{_NAME})(?P<gap>{_GLUE})(?P<number>{_NUMBER})",
    _I,
)
_EACH = re.compile(
    r"\b(?:all|every|each|everything|both|apiece|alle|jeweils|chacun\w*|tou[st]\w*|cada|tod[oa]s|tutt[ei]|ciascun\w*)\b|各|均|都|すべて|모두|각",
    _I,
)
_ALL = re.compile(
    rf"\b(?:all|every|each)(?: one)?(?: of)?(?: the)?(?: (?P<count>two|three|four|five|six))?(?: of them| questions?| criteria| criterion| dimensions?| aspects?| fields?| scores?| categories)+(?P<gap>{_GLUE})(?P<number>{_NUMBER})",
    _I,
)
_RESPECTIVELY = re.compile(
    rf"(?P<names>{_NAME}(?:(?:\s{{0,2}}(?:,|&|/|and|und|et|y|e)\s{{0,2}}){{1,2}}{_NAME}){{1,9}})(?P<gap>{_GLUE})(?P<numbers>{_NUMBER}(?:(?:\s{{0,2}}(?:,|&|and|und|et|y|e)\s{{0,2}}){{1,2}}{_NUMBER}){{1,9}})",
    _I,
)
_NUMBERS_FIRST = re.compile(
    rf"(?P<numbers>{_NUMBER}(?:(?:\s{{0,2}}(?:,|&|and)\s{{0,2}}){{1,2}}{_NUMBER}){{1,9}}) (?:for|on|in) (?:the )?(?P<names>{_NAME}(?:(?:\s{{0,2}}(?:,|&|and)\s{{0,2}}(?:the )?){{1,2}}{_NAME}){{1,9}})(?=,? respectively)",
    _I,
)
_ADVERB = r"(?:(?:so|hence|therefore|thus|overall|in total|in sum|in short|all in all|altogether|accordingly|finally|consequently|as a result|as it stands|on balance|taken together|for (?:this|these) reasons?|in conclusion|to conclude|to sum up|因此|所以|故而?|综上|最终|よって|따라서|and|but|still|yet|here|now|then|also|that said|given this|with that|for me)[\s,:]{0,3}){0,3}"
_SUBJECT = r"(?:i|it|this|that|we|(?:this|that|the|my)(?: \w+ed| \w+ing| final| present| current| output| model['’]s)* (?:edit|output|image|picture|result|generation|version|one|attempt|sample|frame|photo|photograph|scene|verdict|scores?|ratings?|grades?|marks?))"
_OBJECT = r"(?:(?: (?:it|this|that|this one|(?:the|this)(?: edited| output| generated| final| resulting)* (?:edit|output|image|picture|result|generation|attempt|sample|frame|one)))(?= ))?"
_VERB = r"(?:give|rate|score|award|assign|say|grade|settle (?:on|for|at)|go (?:with|for)|going (?:with|for)|conclude with|choose|pick|put|place|peg|mark|see|rank|call|makes|merits?|deserves?|earns?|gets?|receives?|scores?|is worth|warrants?|is rated|is scored|rates|obtains|comes out|stands|lands|'m going (?:with|for)|am going (?:with|for)|s(?= an? )|(?:a?m) (?:giving|rating|scoring|awarding|grading|putting)|is|are)"
_OWN_LEAD = re.compile(
    rf"[\W_]*(?:\d{{1,2}}[.)]\s)?[\W_]*(?:(?:{SCORE})[ ](?=\W*\Z)|(?:an? )?(?:solid|clear|strong|weak|good|fair|decent|full|low|high)[ ]|(?:giving|rating|scoring|awarding)(?: (?:it|this|this edit|the edit))?(?: an?)?[ ])?{_ADVERB}(?:(?:what i find|this sample|with this|for this (?:one|sample|edit|output|image|picture|result)|from (?:me|the pictures alone)|step \d),? ?)?"
    rf"(?:(?:of |for |on |in )?{_SUBJECT}(?:['’]s)?(?: (?:therefore|thus|hence|so|only|just|still|clearly|now|really|would|then|also|finally|all|both))?(?:['’ ]{_VERB}| reaches| achieves| has| are)?)?"
    r"(?: (?:this|the|that)(?: edited| output| generated| final)? (?:edit|output|image|picture|result|one|sample))?(?:[ ](?:a|an|the|it|my|with|as|at|for|on|both|its|all|this|solid|clear|strong|weak|good|fair|decent|full|perfect))*(?:[ ](?:score|scores|rating|ratings|verdict|grade|marks?)(?: of| is| are)?)?[\W_]*(?:and|while|but|leaving|which leaves|bringing|putting|making|my|the|its|your|final|overall|und|et|y|e|with|a|an)?[\W_]*(?:the|a|its|my|final|overall)?[\W_]*(?:for|as for|on|both|all|regarding|in terms of)?[\W_]*",
    _I,
)
_TOLD = re.compile(
    rf"\A\W{{0,4}}{_ADVERB}{_SUBJECT}(?: (?:therefore|thus|hence|so|only|just|still|clearly|easily|now|really|would|then|also|finally))?['’ ](?P<verb>{_VERB}){_OBJECT}"
    rf"(?: (?:as|at|with|on|for|about this))?(?: (?:an?|the))?(?: (?:solid|clear|strong|weak|full|perfect|middling|fair|good|decent|well-deserved|straight|flat|firm|final|poor|mediocre|generous|modest))?(?: (?:score|rating|grade|mark|verdict|total)(?: of| is|:)?)?\s(?P<number>{_NUMBER})",
    _I,
)
_ALONE = re.compile(
    rf"\A\W{{0,6}}(?P<number>{_SCALED}[\ue300-\ue3ff])(?: (?:it is|then|from me|overall|in total|in my view|in my opinion|for this edit|for this one|for me)|です|である|だ|입니다|이다|예요|とします|とする)?\W{{0,6}}\Z",
    _I,
)
_VERDICT_IS = re.compile(
    rf"\A\W{{0,6}}(?:so|hence|thus|therefore|overall|in total|all in all|verdict|conclusion|result|final|in sum|in short|fazit|as (?:it|things) (?:is|stands?)|also|daher|donc|por (?:lo )?tanto|quindi|итого|итак|因此|所以|故|よって|따라서)(?:\s|[:,，：—–-])+(?:an? |a solid |just |only )?(?P<number>{_NUMBER})\W{{0,6}}\Z",
    _I,
)
_FIRST_WORD = re.compile(
    rf"\A\W{{0,6}}(?P<number>{_SCALED}[\ue300-\ue3ff]\s?(?=[—–:;,.(|·]|-\s|because\b|since\b|as\b|due\b)|{_NUMBER}\s?(?=[—–-]\s|:\s|because\b|since\b))",
    _I,
)
_ARTICLE_FIRST = re.compile(
    rf"\A\W{{0,6}}an? (?:solid |clear |strong |weak |good |fair |decent |full |low |high )?(?P<number>{_NUMBER})\s?(?=[.,:;—–(|]|-\s|because\b|since\b|\Z)",
    _I,
)
_LISTED = re.compile(r"^\W{0,4}\d{1,2}\s?[-–—:=.)]", re.MULTILINE)
"""Lines that begin with a number, as those of a scale or of a list."""
_ONLY = re.compile(rf"\A[\W_]{{0,6}}(?P<number>{_NUMBER})[\W_]{{0,6}}\Z")
_ANSWER = re.compile(rf"\A\W{{0,6}}(?P<number>{_NUMBER})\s?(?:[—–:;,.(|·]|-\s|\Z)")
_IT_WAS_NOT = re.compile(
    rf"\A\W{{0,3}}(?:it|this|that) (?:was|is|did|does|has)(?:n['’]t| not): (?P<number>{_SCALED}[\ue300-\ue3ff])\W{{0,4}}\Z",
    _I,
)
_NO_SENTENCE = re.compile(
    r"\A\s*(?://|<!--)|[{}]|\"\s?:|\A\s*[|>]|<[^<>]{1,60}>|\[[^\]\ue100-\ue3ff]{1,40}\]"
)
"""What is no sentence: a part of an object, a row of a table, a quotation, a template."""
_BOUNDARY = re.compile(r"[,;:]\s|[：，；。]|\s[–—]\s")
_OPENS_CONDITION = re.compile(
    r"\W*(?:if|had|should|were|unless|assuming|suppose|for comparison|example|e\.g)\b", _I
)
_GIVING = re.compile(
    r"\b(?:(?:gebe|vergebe|bewerte|gibt es|verdient|bekommt|erhält|je (?:mets|donne|note|attribue)|mérite|obtient|reçoit|(?:le )?doy|otorgo|pongo|merece|obtiene|recibe"
    r"|dou|atribuo|recebe|do|assegno|merita|ottiene|geef|krijgt|(?:jag|jeg) (?:ger|gir|giver|sätter)|får|förtjänar|fortjener|daję|oceniam|zasługuje|dávám|zaslouží|veriyorum"
    r"|adok|annan|saa|acord|dau)\b)|ставлю|даю|оцениваю|заслуживает|получает|ставлю|заслуговує|(?:\A|[，,。、；;：:]\s?|因此|所以|故|综上|我|本人|最终|可以|可|仅|只能|只)(?:给|給|打|得)(?:出|到|了|它|其)?\Z|つけ|付け|与え|とし|주|매기|드리|أعطي|أمنح|يستحق|δίνω|βάζω|נותן|מקבל|देता|देती"
    r"|ให้|cho\b|beri\w*|memberi\w*",
    _I,
)
"""How a sentence in another language gives a score."""
_GIVES_BEHIND = re.compile(
    r"\s?(?:とし|を(?:つけ|付け|与え)|を\s?(?:주|드리|매기|줍|부여)|을\s?(?:주|드리|매기|줍|부여)|으?로 (?:평가|매기)|と(?:評価|判断)|をつけ)"
)
_NOT_ELSEWHERE = re.compile(
    r"\b(?:nicht|kein\w*|wenn|falls|würde|wäre|hätte|könnte|sonst|vielleicht|etwa|ungefähr|höchstens|mindestens|vorherig\w*|vorig\w*|ander\w*|zuerst|zunächst|eigentlich"
    r"|pas|ne|si|serait|aurait|peut-être|environ|précédent\w*|autre|d['’]abord|no|sería|habría|quizás?|anterior|otr[oa]|primero|não|seria|talvez|outr[oa]|non|se|sarebbe|forse|circa"
    r"|precedente|altr[oa]|niet|als|zou|misschien|vorige|andere|inte|ikke|om|skulle|kanske|måske|förra|annan|nie|gdyby|może|poprzedni\w*|inn[ya]|kdyby|možná|değil|eğer|belki|önceki"
    r"|nem|ha|talán|ei|jos|ehkä|nu|dacă|poate|không|nếu|tidak|jika|mungkin)\b|\bне\b|если|бы\b|возможно|может|предыдущ|друг(?:ой|ая|ое)|якщо|可能|也许|上次|上回|别人|别的|他|她|用户|要求|同事|评委|大家|有人|如果|若|不|没|未|上一|之前|另|原|参考|ではな|でない|ません|もし"
    r"|かも|前の|他の|元の|参照|않|못|만약|아마|이전|다른|원본|참조|لا|لم|لو|ربما|السابق|أخرى|المرجع|الأصل|לא|אם|אולי|הקודם|אחר|नहीं|अगर|यदि|शायद|पिछल|ไม่|ถ้า|อาจ|δεν|αν|ίσως",
    _I,
)
"""Words of other languages that deny a score, doubt it, or speak of another picture."""
_COMPARED = re.compile(
    rf"\b(?:not (?:quite |really |exactly |yet )?|short of |almost |nearly |close to |better than |more than |worse than |less than )(?:an? |the )?{_NUMBER}",
    _I,
)
"""A number that a verdict is held against."""
_CONCESSION = re.compile(
    r",? (?:if|though|although|albeit) (?:only |but |not )?(?:an? (?:little|bit|touch|trifle|hair)|somewhat|slightly|rather|barely) [^,;\ue200-\ue3ff]{1,40}(?=,)",
    _I,
)
"""No condition: "the apple is there, if a little small, so"."""
_SUPPOSES = re.compile(
    r"\W*(?:suppos\w+|imagine|assum\w+|if|had|were|should|in case|provided|pretend|let['’]?s (?:say|assume|pretend)|say,)\b",
    _I,
)
_THEN = re.compile(
    r"\W*(?:then|in (?:that|this|which) case|otherwise|else|conversely|or else)\b", _I
)
_QUOTES = re.compile(
    r"\b(?:says?|reads?|shows?|states?|claims?|written|printed|told|tells?|asks?|answer|ocr|such as|system|best possible)\b|\b(?:text|caption|inscription|lettering|sticker|label|note|line|slogan)\W*\Z|“”|\?",
    _I,
)
_OF_SCORES = re.compile(
    r"\b(?:marks?|scores?|ratings?|verdicts?|grades?|evaluation|assessment)(?: (?:is|are|as follows))?\s*\Z",
    _I,
)
_CONCLUDES = re.compile(r"\b(?:so|hence|thus|therefore|accordingly|as it stands|overall|now)\b", _I)
_IF_WORD = re.compile(rf"\W*{_NAME}\s\d{{1,3}}\s[a-z]")
"""How a sentence begins with "IF 4 letters …": a condition in capitals."""
_OVERALL = re.compile(
    r"\A\W*(?:so,? )?(?:overall|in total|all in all|altogether|taken together|in sum)\b", _I
)
"""How a sentence begins whose number is that of all aspects weighed before it."""
_I_GIVE = re.compile(r"\bI (?:give|rate|score|assign|award|say)\b")
_AND = re.compile(r"\W*and\b", _I)
_IF = re.compile(r"\b(?:if|unless|whether|assuming|provided|depending|depends|otherwise)\b", _I)
_WOULD = re.compile(
    r"\b(?:if|unless|would|could|might|depending|depends|whether|otherwise|assuming|provided|falls|wenn|sofern|si|se|jos|если|als)\b|如果|もし|만약",
    _I,
)
_OF_ASPECT = re.compile(
    r"\W{0,3}(?:from|by) (?!me\b)\w|\W{0,3}(?:in|on) (?!(?:total|sum|my (?:view|opinion|book)|this (?:dimension|scale|criterion|rubric|point)|the (?:scale|dimension|rubric))\b)\w",
    _I,
)
"""Behind a number: of whom it is, or of what."""
_OWN_LABEL = re.compile(
    r"[\W_]*(?:(?:my|the|this|present|current|final|overall|step \d|edited|generated|output|model|result|here are|here is|of|for) ?)*(?:outputs?|edit|edited|result|image|picture|scores?|ratings?|verdicts?|evaluation|assessment|judge?ment|grades?|marks?|answer|one|conclusion|summary|final|overall|step \d)?[\W_]*",
    _I,
)
_TAIL_DENIED = re.compile(
    rf"\A\W{{0,4}}{OF_OTHERS}\b|\A\s?[(（][^()（）\n]{{0,10}}{OTHERS_ELSEWHERE}[^()（）\n]{{0,4}}[)）]"
    r"|\bin the (?:first|previous|last|earlier|other) (?:round|run|pass|version|attempt|picture|image)\b|\bout of the question\b|\bnot an option\b|\btoo (?:kind|much|high|low|generous|harsh|strict)\b|"
    r"\A\W{0,3}(?:or|to|bis)\b|\b(?:maybe|perhaps|possibly|or rather|tending|wait|hmm|no,|no\b(?= *[\W]*\Z)|rather|actually|best case|worst case|strict|either|borderline|previous\w*|formerly|how many|number of|(?:images?|pictures?|files?) (?:received|loaded|attached|uploaded|found)|given by|awarded by|closer to|at (?:first|most|least|best|a stretch|worst|the (?:very )?(?:most|least|best))|initially|guess\w*|placeholder|example|tentative\w*|provisional\w*|preliminary|temporar\w*|interim|so far|unconfirmed|unverified|draft|estimate\w*|not final|for now|pending)\b|[?±]|\.{3}\s*\Z|…\s*\Z|\A\s?[(+]?\s?[+~-]?\d|\A[,;|/ ]{1,4}\d|\(or\b",
    _I,
)
_OF_OTHER = re.compile(
    rf"\W{{0,4}}(?:for|of|on|in|as|with) (?:the |an? |this )?{_OTHER_SUBJECT.pattern}", _I
)
_ASKED = re.compile(rf"\A[^?]{{0,80}}{_NAME}[^?]{{0,60}}\?\s*\Z")


@dataclass(slots=True, kw_only=True)
class _Sentence:
    """A sentence as it stands in the text, and with marks for names and numbers."""

    words: str
    marked: str
    start: int
    end: int
    aside: bool = False


def in_lines(text: str, fields: Ranges) -> str:
    """The text with every sentence that is a verdict as lines ``NAME: 4``.

    The text as it is where no sentence gives one, or the fields do not get one number each.
    """
    tops = {high for _, high in fields.values()}
    if any(int(scale[1]) not in tops for scale in _SCALE.finditer(text)):
        return text  # another scale than the one that was asked for
    text = without_other_lines(text, tuple(fields))
    sentences = _sentences(text, fields)
    told: list[tuple[_Sentence, list[tuple[str, int]]]] = []
    listed = len(_LISTED.findall(text)) > 1
    names = tuple(fields)
    asked = supposed = headed = False
    for index, sentence in enumerate(sentences):
        before = sentences[index - 1] if index else None
        supposed = _supposes(sentence, supposed, before)
        headed = _is_headed(sentence, headed, before)
        sentence.aside = supposed or headed
        pairs = (
            []
            if sentence.aside
            else list(
                _pairs(sentence.marked, names, opening=index == 0 and not listed, asked=asked)
            )
        )
        asked = _ASKED.match(sentence.marked) is not None
        if pairs:
            told.append((sentence, pairs))
    if not told and len(fields) > 1:
        return _by_sections(text, sentences, names)
    if not told or {name for _, pairs in told for name, _ in pairs} != set(fields):
        return _by_sections(text, sentences, names) if told and len(fields) > 1 else text
    given = {number for _, pairs in told for _, number in pairs}
    spoken = {sentence.start for sentence, _ in told}
    overall = next((each.start for each, _ in told if _OVERALL.search(each.marked)), 0)
    if any(
        _contradicts(each, given, names)
        for each in sentences
        if each.start not in spoken
        and not each.aside
        and (each.start > overall or re.search(_NAME, each.marked))
    ):
        return text
    return _written(text, sentences, told)


def _supposes(sentence: _Sentence, supposed: bool, before: _Sentence | None) -> bool:
    """Whether a sentence supposes something, or goes on from one that does: "…; then IF: 5"."""
    if _SUPPOSES.match(sentence.marked):
        return True
    goes_on = before is not None and before.words.rstrip().endswith(";")
    return supposed and (goes_on or _THEN.match(sentence.marked) is not None)


def _is_headed(sentence: _Sentence, headed: bool, before: _Sentence | None) -> bool:
    """Whether a line stands under one that ends in a colon and gives what follows to another picture
    or judge; up to the next blank line.
    """
    if before is None or sentence.start > before.end:
        return False
    heads = before.words.rstrip(" \n*_").endswith((":", "：")) and before.words.endswith("\n")
    return headed or (heads and _OTHER_SUBJECT.search(before.marked) is not None)


def _contradicts(sentence: _Sentence, given: set[int], names: tuple[str, ...]) -> bool:
    """Whether a sentence that is no verdict gives a field, or the scale, a number of its own."""
    marked = sentence.marked
    if not without_other_lines(sentence.words.strip(), names).strip():
        return False  # it is of a dimension that was not asked for
    numbers = re.findall(
        _NUMBER if re.search(_NAME, marked) else f"{_SCALED}[\ue300-\ue3ff]", marked
    )
    return not _is_aside(marked) and any(_score(number) not in given for number in numbers)


def _written(
    text: str, sentences: list[_Sentence], told: list[tuple[_Sentence, list[tuple[str, int]]]]
) -> str:
    """The text with the verdicts in lines, and without what is aside before the last of them."""
    given = {sentence.start: pairs for sentence, pairs in told}
    first, last = told[0][0].start, told[-1][0].start
    pieces: list[str] = []
    at = 0
    for sentence in sentences:
        pieces.append(text[at : sentence.start])
        at = sentence.end
        if sentence.start in given:
            lines = "".join(f"\n{name}: {number}" for name, number in given[sentence.start])
            pieces.append(lines + _behind(sentence))
        elif (
            sentence.start > last
            or not (sentence.aside or _is_aside(sentence.marked))
            or (
                sentence.start > first
                and (
                    _OUGHT.match(sentence.marked)
                    or not re.search(rf"{_NAME}|{_NUMBER}", sentence.marked)
                )
            )
        ):
            pieces.append(sentence.words)
    return "".join([*pieces, text[at:]])


def _behind(sentence: _Sentence) -> str:
    """What a sentence says behind its last number, to stand on the line of the verdict."""
    tail = _FILLER.sub("", re.split("[\ue300-\ue3ff]", sentence.marked)[-1])
    if re.search(_NAME, tail):
        return ".\n"
    words = tail.strip(" \t\r\n:·|•→➜⇒।،؛。，；、")
    words = re.sub(r"\A([;,])(?=\S)", r"\1 ", words)
    comma = ", " if _WORD.match(words) else "" if words[:1] in tuple(".,;!?。，；！") else " "
    return f"{comma if words else '.'}{words}\n"


_OUGHT = re.compile(r"\W*(?:(?:it|this|that) )?(?:should|must|ought to) (?:be|have been)\b", _I)
_WORD = re.compile(r"\w")
_FILLER = re.compile(
    r"\A\s*(?:it is|from me|in total|overall|each|both|apiece|in my (?:view|opinion)|for (?:this|me)(?: edit| one)?)\b",
    _I,
)


# --- sentences with marks -------------------------------------------------------------------------


def _sentences(text: str, fields: Ranges) -> list[_Sentence]:
    found: list[_Sentence] = []
    at = 0
    for end in [*(match.end() for match in _ENDS.finditer(text)), len(text)]:
        words = text[at:end]
        if words.strip():
            found.append(_Sentence(words=words, marked=_marked(words, fields), start=at, end=end))
        at = end
        if len(found) > MAX_SENTENCES:
            break
    return found


def _marked(words: str, fields: Ranges) -> str:
    """The sentence with a mark for each field's name and each number that can be a score."""
    if len(words) > LONGEST:
        return ""
    tops = {high for _, high in fields.values()}
    words = _UNDERSCORE.sub(" ", words)
    words = without_other_values(words, tuple(fields))
    words = _SCALE.sub(lambda found: " " if int(found[1]) in tops else found[0], words)
    text = _EMPHASIS.sub("", _STRUCK.sub(" ", QUOTATION.sub("“”", words)))
    for index, pattern in enumerate(_name_patterns(tuple(fields))):
        text = pattern.sub(partial(_name_mark, mark=chr(_FIRST + index)), text)
    return _DIGITS.sub(lambda found: _mark(found, tops), text)


_QUESTION = re.compile(r"Q\d")
_TITLED = r"|\s?[–—-]\s(?![^:\n]{0,30}(?:reference|original|input|source|example|draft|max|before))[^\W\d][^\W\d ]{0,14}(?: [^\W\d ]{1,15}){0,3}(?=\s?[:：=])"
"""Behind the number of a question: what it is called, whatever that is."""


@lru_cache(maxsize=64)
def _name_patterns(names: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    patterns = []
    for name in names:
        own, others = names_of(name)
        code = r"(?:\s?[(（][^()（）\n\d]{1,30}[)）])?"
        score = (
            rf"(?:[ _-]?(?:{SCORE}))?"
            r"(?: (?:of|for|in) the (?:edited |output |resulting |result )?(?:image|picture|photo|output|edit|result))?"
        )
        titled = _TITLED if _QUESTION.fullmatch(name) else ""
        label = rf"(?:{own}{code}(?:\s?[–—:-]?\s?(?:{others}){titled})?|{others}){score}{code}(?:\s?[(（]\s?\d\s?[-–—]\s?\d{{1,2}}\s?[)）])?"
        if len(names) == 1:
            determined = r"(?:(?:my|the|a|final|overall|total|so|hence|endgültige|finale?|最终|最終|综合|総合|綜合|総|总|최종|итоговая)[\s:]{0,2}){0,3}"
            generic = rf"(?:\A|(?<=[.!?;,:\n] )|(?<=[。！，；\n【])|(?<=我的)|(?<=本次)|(?<=总)|(?<=綜合)|(?<=総合)|(?<=因此)|(?<=所以)|(?<=最终)|(?<=综合)|(?<=总体)|(?<=よって)|(?<=따라서 )|(?<=\band )|(?<=\bmy )|(?<=\bthe )|(?<=\bis )|(?<=\bgets ))[\W_]{{0,6}}{determined}(?:{SCORE})(?:[ ](?:finale?|définitive|total|globale?))?(?=[\s:：=\]】)–—*(（为為是は는은이가-]|\Z)(?:[ ]for (?:this|the) (?:present |edited |current |generated )?(?:edit|output|image|result|picture|sample))?"
            label = generic if name.casefold() == "score" else rf"{label}|{generic}"
        patterns.append(
            re.compile(
                rf"(?<![A-Za-z\u00c0-\u024f\u0400-\u04ff\d_])(?<!\w-)(?:{label})(?![A-Za-z\u00c0-\u024f\u0400-\u04ff])",
                _I,
            )
        )
    return tuple(patterns)


def _name_mark(found: re.Match[str], mark: str) -> str:
    """The mark of a name; none for a word that is as often no score: "Note 4", "Grade 5"."""
    numbered = _BARE_BEHIND.match(found.string, found.end())
    return found[0] if numbered and _AMBIGUOUS.fullmatch(found[0].strip()) else mark


_AMBIGUOUS = re.compile(
    r"(?:the |my |a )?(?:notes?|notas?|marks?|grades?|answers?|punkte|voto|puan|scor|nilai|karakter)",
    _I,
)
_BARE_BEHIND = re.compile(r"\s{1,3}\d{1,2}(?!\d|\s?(?:/|out of|von|sur|de|su|dari|av|af)\s?\d)")


def _mark(found: re.Match[str], tops: set[int]) -> str:
    number = _value(found["digits"] or found["word"])
    top = _value(found["top"]) if found["top"] else None
    again = _value(found["again"]) if found["again"] else number
    if number is None or again != number or (top is not None and top not in tops):
        return found[0]
    scripted = top is not None and _NO_SPACES.match(found.string, found.end())
    if not scripted and not _BEHIND.match(found.string, found.end()):
        return found[0]
    if _ITEM.match(found.string) and found.start() < 6 and found["fraction"] is None:
        return found[0]
    if _NUMBERED.search(found.string[max(0, found.start() - 14) : found.start()]):
        return found[0]
    article = found["word"] and top is None and found["word"].casefold() in NUMBER_ARTICLES
    if article or number > max(tops):
        return found[0]
    pointed = found["points"] and ord(found["points"].strip()[0]) > 0x2E7F  # 4分, 4点, 4점
    return f"{_SCALED if top is not None or pointed else _BARE}{chr(_ZERO + number)}"


_ITEM = re.compile(r"[\s#*_-]{0,5}\d{1,2}\)\s")
_NUMBERED = re.compile(
    r"\b(?:frame|image|picture|photo|step|part|page|line|row|column|figure|fig|version|option|question|no|nr)\.?\s?#?\Z",
    _I,
)
_NO_SPACES = re.compile(r"\s[\u0590-\u06ff\u0900-\u0fff]")
"""Behind a fraction: the next word in a script whose words are not known as those of other languages."""


def _value(text: str) -> int | None:
    return int(text) if text.isdecimal() else ANY_NUMBERS.get(text.casefold())


# --- what a sentence says -------------------------------------------------------------------------


def _is_aside(marked: str) -> bool:
    """Whether a sentence is about another picture, or on a condition."""
    return bool(_CONDITION.search(marked) or _OTHER_SUBJECT.search(marked))


def _pairs(
    marked: str, names: tuple[str, ...], *, opening: bool, asked: bool
) -> Iterator[tuple[str, int]]:
    """Names and numbers of a sentence that is a verdict; nothing for any other."""
    if not re.search(_NUMBER, marked) or _NO_SENTENCE.search(marked):
        return
    if _IF_WORD.match(marked):
        return
    marked = _CONCESSION.sub("", _OWN_WOULD.sub("I", marked))
    shared = [*_through(marked, names), *_in_turn(marked, names), *_of_all(marked, names)]
    if shared:
        yield from shared
        return
    found: list[tuple[str, int]] = []
    used: list[re.Match[str]] = []
    at = 0
    several = [match for match in _SHARED.finditer(marked) if _is_shared(marked, match)]
    matches = [*several, *_GIVEN.finditer(marked), *_REVERSED.finditer(marked)]
    for match in sorted(matches, key=lambda match: (match.start(), -match.end())):
        if match.start() < at:
            continue
        if not _own(marked, match, at):
            return
        at = match.end()
        used.append(match)
        called = re.findall(_NAME, match["names" if match.re is _SHARED else "name"])
        found += [(_field(mark, names), _score(match["number"])) for mark in called]
    if found:
        if _all_used(marked, used):
            yield from found
        return
    if len(names) == 1:
        number = _unnamed(marked, names[0], opening=opening, asked=asked)
        if number is not None:
            yield names[0], number


def _all_used(marked: str, pairs: list[re.Match[str]]) -> bool:
    """Whether every number on the scale in a sentence belongs to a pair, or to a clause that is aside."""
    used = {pair.start("number") for pair in pairs}
    for number in re.finditer(f"{_SCALED}[\ue300-\ue3ff]", marked):
        clause = re.split(r"[,;:]\s|[\ue300-\ue3ff]", marked[: number.start()])[-1]
        if number.start() not in used and not _is_aside(clause):
            return False
    return True


def _unnamed(marked: str, name: str, *, opening: bool, asked: bool) -> int | None:
    """The number of a sentence that names no field, where one was asked for."""
    if re.search(_NAME, marked) or other_names(name).search(marked):
        return None
    marked = _own_clause(marked)
    patterns = [_TOLD, _ALONE, _VERDICT_IS, _IT_WAS_NOT]
    patterns += [_FIRST_WORD, _ARTICLE_FIRST] if opening else []
    patterns += [_ONLY] if opening and marked.endswith("\n") else []
    if asked:
        patterns.append(_ANSWER)
    if (number := _elsewhere(marked)) is not None:
        return number
    for pattern in patterns:
        match = pattern.search(marked)
        if match is None:
            continue
        lead = marked[: match.start("number")]
        verb = (match.groupdict().get("verb") or "").casefold()
        bare = match["number"][0] == _BARE
        if (
            bare
            and verb in ("is", "'s", "’s")
            and not re.search(r"\ban? (?:\w+ )?\Z|\bscore|\brating", lead)
        ):
            continue
        if pattern is not _IT_WAS_NOT and (
            _DENIED.search(lead)
            or _CONDITION.search(marked)
            or _OTHER_SUBJECT.search(lead)
            or _QUOTES.search(lead)
        ):
            continue
        if pattern is _TOLD and _OF_ASPECT.match(marked, match.end("number")):
            continue
        if not _is_own_tail(marked[match.end("number") :]):
            continue
        if len(re.findall(_NUMBER, marked)) > 1:
            continue
        return _score(match["number"])
    return None


_WITH_ARTICLE = re.compile(
    r"\b(?:gebe|vergebe|verdient|bekommt|erhält|mets|donne|attribue|mérite|obtient|doy|otorgo|pongo|merece|obtiene|dou|atribuo|do|assegno|merita|ottiene|geef|krijgt|ger|gir|giver|sätter|får|daję|dávám)"
    r"(?: (?:dem|der|diesem|dafür|hier|daher|lui|le|à|ce|cette|al|a la|alla|voor|hiervoor|därför|derfor|tutaj|\w{2,12})){0,3} (?:eine?n?|une?|una|uma|um|een|en|ett|et|d[e'’]|die|la|le|el|o)\s?\Z",
    _I,
)
"""How a sentence in another language leads, with an article, to a number that it gives."""


def _elsewhere(marked: str) -> int | None:
    """The number of a sentence in another language than English that gives one on the scale."""
    marks = list(re.finditer(_NUMBER, marked))
    if len(marks) != 1:
        return None
    lead = marked[: marks[0].start()]
    if marks[0][0][0] == _BARE and not _WITH_ARTICLE.search(lead):
        return None
    gives = _GIVING.search(lead) or _GIVES_BEHIND.match(marked, marks[0].end())
    if gives is None or _NOT_ELSEWHERE.search(re.split("[:：.]", marked[marks[0].end() :])[0]):
        return None
    if any(p.search(lead) for p in (_NOT_ELSEWHERE, _CONDITION, _OTHER_SUBJECT, _QUOTES, _DENIED)):
        return None
    return _score(marks[0][0])


def _own_clause(marked: str) -> str:
    """The last clause of a sentence where it concludes by itself; else all of it."""
    boundary = list(re.finditer(r"[,;]\s|\s[–—]\s", marked))
    for mark in reversed(boundary):
        before, own = marked[: mark.start()], marked[mark.end() :]
        if not (_TOLD.match(own) or _ALONE.match(own) or _VERDICT_IS.match(own)):
            continue
        if (
            _OWN_SUBJECT.search(own)
            and _OTHER_SUBJECT.search(before)
            and not _OPENS_CONDITION.match(before)
        ):
            return own  # "Where the reference would be a 5, the edited picture deserves a 3"
        aside = any(p.search(before) for p in (_CONDITION, _OTHER_SUBJECT, _QUOTES))
        if not aside and not re.search(_NUMBER, _COMPARED.sub(" ", before)):
            return own
    return marked


def _own(marked: str, match: re.Match[str], at: int) -> bool:
    """Whether a name and its number are the judge's verdict on the edited picture; `at` is where the
    pair before them ends.
    """
    first = match.start() if match.re is not _REVERSED else match.start("number")
    return (
        _DENIED.search(match[0]) is None
        and _is_own_lead(marked[at:first], behind=at > 0)
        and _is_own_tail(_until_number(marked, match))
    )


def _until_number(marked: str, match: re.Match[str]) -> str:
    """What stands behind a pair; up to the next number where numbers stand before their names."""
    tail = marked[match.end() :]
    return re.split(_NUMBER, tail)[0] if match.re is _REVERSED else tail


def _is_own_lead(lead: str, *, behind: bool) -> bool:
    """Whether what stands before a verdict in its sentence says that it is the judge's own."""
    lead = re.sub(rf"(?:the |my )?{_NAME}", "the score", lead)
    boundary = list(_BOUNDARY.finditer(lead))
    if not boundary:
        return _OWN_LEAD.fullmatch(lead) is not None
    last = boundary[-1]
    before, own = lead[: last.start()], lead[last.end() :]
    if _OWN_LEAD.fullmatch(own) is None or (_OPENS_CONDITION.match(before) and not behind):
        return False
    if ":" in last[0] or "：" in last[0]:
        label = _BOUNDARY.split(before)[-1]
        if _OWN_LABEL.fullmatch(label):
            return True
        told = _OF_SCORES.search(label) and len(label) < 60
        return bool(told) and not any(
            p.search(label) for p in (_CONDITION, _OTHER_SUBJECT, _QUOTES, _DENIED)
        )
    if _OWN_SUBJECT.search(own) or _CONCLUDES.search(own) or _I_GIVE.search(own):
        return True
    doubted = _IF if _AND.match(own) else _CONDITION
    return not any(pattern.search(before) for pattern in (doubted, _OTHER_SUBJECT, _QUOTES))


def _is_own_tail(tail: str) -> bool:
    """Whether what stands behind a verdict in its sentence leaves it alone."""
    if _TAIL_DENIED.search(tail) or _WOULD.search(tail) or _OF_OTHER.match(tail):
        return False
    own = re.sub(r"\((?![+−-])[^()]{0,80}\)", " ", re.split(_NAME, tail)[0])
    return re.search(_NUMBER, own) is None


def _is_shared(marked: str, match: re.Match[str]) -> bool:
    """Whether one number is said to be that of several fields: ``IF and KP get a 3 each``; not where
    another one follows: ``IF and KP: 4 and 3``.
    """
    if re.match(
        rf"\W{{0,3}}(?:(?:and|und|et|y|e|и)\b|[,&/;+])\W{{0,3}}(?:{_NUMBER}|\d)",
        marked[match.end() :],
    ):
        return False
    return (
        (re.fullmatch(r"\s?[:=]\s?", match["gap"]) is not None and "/" not in match["names"])
        or re.search(r"\b(?:each|both|apiece|all|every)\b", marked, _I) is not None
        or re.search(r"\b(?:get|receive|deserve|are|earn|score|merit)\b", marked, _I) is not None
    )


def _of_all(marked: str, names: tuple[str, ...]) -> Iterator[tuple[str, int]]:
    """``All five questions get a 4``."""
    match = _ALL.search(marked)
    if match is not None and len(names) > 1 and len(re.findall(_NUMBER, marked)) == 1:
        count = match["count"]
        if _is_plain(marked, match) and (
            not count or ANY_NUMBERS.get(count.casefold()) == len(names)
        ):
            yield from ((name, _score(match["number"])) for name in names)


def _through(marked: str, names: tuple[str, ...]) -> Iterator[tuple[str, int]]:
    """``Every one of Q1 to Q5 gets a 3``."""
    match = _THROUGH.search(marked)
    if match is None or len(names) < 2 or len(re.findall(_NUMBER, marked)) != 1:
        return
    if _EACH.search(marked) and _is_plain(marked, match):
        first, last = (names.index(_field(match[end], names)) for end in ("first", "last"))
        yield from ((name, _score(match["number"])) for name in names[first : last + 1])


def _in_turn(marked: str, names: tuple[str, ...]) -> Iterator[tuple[str, int]]:
    """``IF and KP come out at 3 and 5``: as many numbers as names."""
    match = _RESPECTIVELY.search(marked) or _NUMBERS_FIRST.search(marked)
    if match is None:
        return
    called = [_field(mark, names) for mark in re.findall(_NAME, match["names"])]
    numbers = [_score(mark) for mark in re.findall(_NUMBER, match["numbers"])]
    if len(called) == len(numbers) == len(set(called)) and _is_plain(marked, match):
        yield from zip(called, numbers, strict=True)


def _is_plain(marked: str, match: re.Match[str]) -> bool:
    """Whether a sentence that gives several fields their numbers is no condition and no quotation."""
    return _is_own_tail(marked[match.end() :]) and not any(
        pattern.search(marked) for pattern in (_CONDITION, _OTHER_SUBJECT, _QUOTES)
    )


def _field(mark: str, names: tuple[str, ...]) -> str:
    return names[ord(mark) - _FIRST]


def _score(mark: str) -> int:
    return ord(mark[1]) - _ZERO


# --- one section for each field -------------------------------------------------------------------


def _by_sections(text: str, sentences: list[_Sentence], names: tuple[str, ...]) -> str:
    """The text of a reply with one section for each field, each with one number at its end."""
    sections: dict[str, list[_Sentence]] = {}
    current = ""
    for sentence in sentences:
        begin = re.match(
            rf"[\W_]{{0,8}}?(?:\d{{1,2}}[.)]\s[\W_]{{0,4}})?(?P<name>{_NAME})", sentence.marked
        )
        if begin is not None and is_other_subject(sentence.marked[begin.end() :].strip(" :\n")):
            return text
        new = text[max(0, sentence.start - 1) : sentence.start] in ("", "\n")
        if begin is not None and new:
            current = _field(begin["name"], names)
            if current in sections:
                return text
            sections[current] = []
        elif begin is None and not sentence.marked:
            return text
        if current:
            sections[current].append(sentence)
    if set(sections) != set(names) or len(names) < 2:
        return text
    told = []
    for name, parts in sections.items():
        given = [_of_section(part, name, names) for part in parts]
        numbers = {number for number in given if number is not None}
        if len(numbers) != 1:
            return text
        last = max(at for at, number in enumerate(given) if number is not None)
        behind = "".join(part.words for part in parts[last + 1 :])
        if is_taken_back(behind, numbers, LARGEST):
            return text
        told.append(f"\n{name}: {numbers.pop()}{_behind(parts[last])}{behind}")
    return "".join(told)


def _of_section(part: _Sentence, name: str, names: tuple[str, ...]) -> int | None:
    """The number that a sentence gives to the field whose section it is in."""
    pairs = _pairs(part.marked, names, opening=False, asked=False)
    own = next((number for called, number in pairs if called == name), None)
    return own if own is not None else _at_end(part.marked)


_OWN_SCORE = re.compile(
    rf"\A[\W_]{{0,6}}(?:(?:my|the|final|overall) )?(?:{SCORE})\W{{1,5}}(?P<number>{_NUMBER})", _I
)


def _at_end(marked: str) -> int | None:
    """The number that a sentence of a section ends in as a score."""
    if re.search(_NAME, marked):
        return None
    own = (
        _OWN_SCORE.search(marked)
        or _ALONE.search(marked)
        or re.match(rf"\A\W{{0,3}}(?:→|->|=>|⇒|➜)\W{{0,3}}(?P<number>{_NUMBER})\W{{0,4}}\Z", marked)
    )
    if own is None:
        told = _TOLD.search(marked) or _VERDICT_IS.search(marked)
        own = (
            told
            if told is not None and not _DENIED.search(marked[: told.start("number")])
            else None
        )
    if own is None or _CONDITION.search(marked):
        return None
    return _score(own["number"])
