"""The words of judges, by meaning and by language: data that the reader of replies is built on.

Nothing is decided here. Numbers in words, words for a score, and `TALK`: what a judge says about its
own judging instead of the picture. Entries are parts of regular expressions; a list for a language
covers its nearest relatives, too. A word stands here once: a module that needs it takes it from here.
"""

from __future__ import annotations

NUMBER_WORDS = {
    word: number
    for number, word in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    )
}
"""English number words."""
NUMBERS = {
    word: number
    for words in (
        "null eins zwei drei vier fünf sechs sieben acht neun zehn",
        "nul een twee drie vier vijf zes zeven acht negen tien",
        "zéro un deux trois quatre cinq six sept huit neuf dix",
        "cero uno dos tres cuatro cinco seis siete ocho nueve diez",
        "zero um dois três quatro cinco seis sete oito nove dez",
        "zero uno due tre quattro cinque sei sette otto nove dieci",
        "ноль один два три четыре пять шесть семь восемь девять десять",
        "零 一 二 三 四 五 六 七 八 九 十",
        "영 일 이 삼 사 오 육 칠 팔 구 십",
    )
    for number, word in enumerate(words.split())
    if len(word) > 1 or word in "零一二三四五六七八九十"
} | {
    "eine": 1,
    "einer": 1,
    "una": 1,
    "une": 1,
    "两": 2,
    "兩": 2,
    "два": 2,
    "двойка": 2,
    "тройка": 3,
    "четверка": 4,
    "четвёрка": 4,
    "пятерка": 5,
    "пятёрка": 5,
    "единица": 1,
}
"""Number words of other languages."""
ANY_NUMBERS = {
    word: number for word, number in {**NUMBERS, **NUMBER_WORDS}.items() if word != "null"
}
"""Number words of all of them; the German for zero is the word of programs for nothing."""
NUMBER_ARTICLES = frozenset(
    [
        "one",
        "un",
        "une",
        "una",
        "uno",
        "um",
        "uma",
        "een",
        "eine",
        "einer",
        "ein",
        "bir",
        "en",
        "sei",
        "six",
    ]
)
"""Number words that are articles, pronouns or verbs as well: no claim by themselves."""

SCORE = (
    r"scores?|answer|rating|grade|verdict|mark|评分|得分|分数|打分|評分|分數|得點|スコア|評価|点数|採点|점수|평점|평가|스코어"
    r"|bewertung|note|punktzahl|wertung|punkte|évaluation|notation|puntuación|puntaje|calificación|valoración|nota|pontuação|avaliação"
    r"|classificação|punteggio|voto|valutazione|оценка|балл|баллы|الدرجة|التقييم|درجة|تقييم|النتيجة|cijfer|beoordeling|waardering"
    r"|ocena|wynik|puan|skor|nilai|peringkat|điểm(?: số)?|đánh giá|betyg|poäng|skóre|hodnocení|známka|स्कोर|अंक|मूल्यांकन|रेटिंग|คะแนน|การประเมิน"
    r"|pisteet|arvosana|pontszám|értékelés|karakter|poeng|vurdering|bedømmelse|оцінка|βαθμολογία|βαθμός|αξιολόγηση|ציון|דירוג|הערכה"
    r"|امتیاز|نمره|ارزیابی|notă|scor|punctaj|evaluare|puntuació|ocjena|оценката|স্কোর|மதிப்பெண்|స్కోరు|alama|iskor|puntu"
)
"""Words for a score, or for what holds it, as a label."""
SCORE_NOUN = (
    r"(?:scor(?:es?|ing)|ratings?|verdicts?|grades?|marks?|evaluations?|assessments?|judge?ments?)"
)
"""English nouns for a score that has been given."""
VALUE_NOUN = r"(?:numbers?|values?|figures?|answers?)"
"""English nouns that can mean the score, too."""
SCORE_WORDS = (
    r"(?:scor(?:e|es|ed|ing)|rat(?:e|es|ed|ings?)|grad(?:e|es|ed|ing)|marks?|verdicts?|points?(?! (?:between|to(?! [a-z]*\d)|at|towards?|up|down|left|right|north|south|east|west)\b)"
    r"|deserv\w+|earn(?:s|ed)?|nets?|merits?|merited|warrant\w*|worth|award\w*|assign(?:ed|ing)?|evaluat(?:ion|ed) (?:as|at)"
    r"|settl(?:e|ed|ing)|defensible|lenient|generous|harsh|judge?ment)"
)
"""English words that make a number in their sentence one of a score."""
OTHER_TAG = r"(?:reference|example|input|original|source|template|draft|baseline|ground_?truth|expected|previous|sample)"
"""Tags of what is not the verdict."""
OTHER_JUDGE = (
    r"(?:colleagues?|reviewers?|graders?|annotators?|raters?|editors?|users?|authors?|uploaders?|critics?|judges?|panels?|humans?|students?|assistants?|someone|somebody|anyone|people|persons?|others"
    r"|radiologists?|doctors?|physicians?|experts?|clients?|customers?|teams?|supervisors?|teachers?|crowd|committees?|models? [a-z0-9]\b|gpt\S{0,9}|gemini|claude|qwen)"
)
"""Whose a number can be that is not the judge's."""
OF_OTHERS = (
    r"(?:(?:for|in|of|on) (?:the )?(?:reference|original|input|source|unedited|first (?:image|picture|photo|frame)|example)|(?:mean|average|median) of"
    r"|(?:the )?(?:input|reference|original|source|ground[- ]truth|target|unedited|baseline)(?: (?:image|picture|photo|version))?(?=\s?[)）]))"
)
"""Behind a number: that it is another picture's, or one made of several."""
OTHERS_ELSEWHERE = (
    r"(?:\b(?:originalbild\w*|original(?:e[ns]?|et|en)?|vorlage|referenz\w*|eingabebild|ausgangsbild|référence|referencia|referência|riferimento|image d['’]entrée|imagen de entrada|imagem de entrada"
    r"|origineel|originele|referentie\w*|referens\w*|reference(?:n|billede\w*)?|orygina[łl]\w*|referencyjn\w*|originál\w*|referenční|оригинал\w*|исходн\w*|эталон\w*|референс\w*|оригінал\w*|еталон\w*|orijinal\w*|referans\w*|ảnh gốc|tham chiếu|gambar asli|acuan|alkuperäi\w+|eredeti\w*|πρωτότυπ\w*|αναφορ[άά]ς)\b"
    r"|原图|原圖|原始|参考|參考|输入图|輸入圖|标准答案|元画像|原画像|参照|オリジナル|入力画像|正解画像|원본|참조|입력 이미지|정답 이미지|الأصل|المرجع|المقارنة|המקור|ייחוס|मूल चित्र|संदर्भ|ต้นฉบับ|อ้างอิง)"
)
"""Pictures other than the edited one, in other languages than English."""
CONDITIONS_ELSEWHERE = (
    r"(?:\b(?:wäre\w*|würde\w*|hätte\w*|könnte\w*|falls|sofern|angenommen|s['’]il|serait|aurait|mettrais|donnerais|mériterait|supposons|sería|habría|daría|pondría|merecería|suponiendo|seria|teria|daria|merecia"
    r"|se fosse|sarebbe|darei|meriterebbe|avrebbe|qualora|indien|zou(?:den)?|skulle|ifall|hvis|dersom|gdyby\w*|byłoby|jeśli|jeżeli|kdyby\w*|bych|pokud|если|бы|допустим|якби|якщо|eğer|olsaydı|olsa|nếu|jika|seandainya|andai\w*|jos|olisi|lenne|volna|dacă|ar fi|εάν|θα ήταν)\b"
    r"|如果|若是|若|要是|假如|假设|假設|倘若|的话|的話|本来|もし|仮に|であれば|(?:なら|たら|れば)ば?[、,]|만약|만일|라면|다면|لو |إذا |אילו|यदि|अगर|ถ้า|หาก)"
)
"""Words of other languages that make a sentence one on a condition."""
UNFINISHED = r"(?:provisional\w*|preliminary|tentative\w*|temporar\w+|interim|pending|unconfirmed|unverified|not final)"
"""What a verdict is called that may still change."""

TALK: dict[str, dict[str, tuple[str, ...]]] = {
    "the judge withdraws its verdict": {
        "English": (
            (
                r"(?:ignore|disregard|discard|forget|void|don['’]t (?:use|trust|count|rely on)|do not (?:use|trust|count|rely on)|replace|skip|overrule|withdraw|retract|reverse|revoke|cancel)"
                rf" (?:on )?(?:this|that|the|my|these|those)?\s?(?:above |given |\w+ )?(?:{SCORE_NOUN}|{VALUE_NOUN})"
            ),
            r"(?:please )?(?:ignore|disregard|void|treat as) (?:this|me|invalid|void)",
            r"please (?:ignore|disregard|discard)",
            r"(?:withdr[ae]w\w*|retract\w*|revoked?|rescind\w*|annulled|nullified|superseded|supersedes|obsolete|premature)(?! (?:hand|leg|arm|landing|blade|ramp))|to be (?:revised|withdrawn)",
            rf"(?:{SCORE_NOUN}|{VALUE_NOUN}|json|above)\b[^.\n]{{0,20}}\b(?:does|do|did)(?:n['’]t| not) (?:apply|count|hold|stand)|not my (?:verdict|answer|score|final)|should(?:n['’]t| not)? be (?:ignored|discarded|disregarded|trusted|relied)",
            r"(?:do not|don['’]t|never|(?:must|should|can|may)(?:n['’]t| not) be) (?:use[d]? (?:this|the|my) (?:result|score|answer|verdict|number|rating|value)|record|count|save|store|report|publish)(?:ed)?",
            r"forget (?:it|that|this)|not the (?:final |actual |real |true )?(?:verdict|answer|score|rating)",
            r"(?:scratch|strike|forget|ignore|disregard|discard|cancel|void|withdraw|retract|cross)(?: out)? (?:that |the |my |this )?(?:\d|zero|one|two|three|four|five|six|seven|eight|nine|ten)\b(?! [^\W\d])",
            r"(?:this|that|it|which|verdict|score) (?:does not|doesn['’]t|no longer|cannot) (?:hold|stand|apply)s?(?! (?:on|in|at|out|to|the|its|a|up|still|straight))",
            r"scratch that|strike that|take (?:that|it|this) back",
            r"(?:i|we) (?:changed?|changing) (?:my|our) mind",
            r"(?:wait|hmm+|hold on|oops|nope|scrap that)\b(?= ?[,.!…—–-]|\W*\Z)|[,—–-] no(?=[ .!]*\Z)",
            r"in hindsight|on (?:second thoughts?|reflection)|then again",
            r"should have (?:said|given|written|put|scored|rated)|rather less|should be (?:less|more|lower|higher|raised|reduced)",
            r"and a (?:bit|half|quarter|little)(?=\W*\Z)",
            r"wrong (?:number|score|value|grade|rating|key|field)|the [0-9] is (?:a |an )?(?:typo|mistake|error|wrong)",
            r"(?:see|to be|in the) (?:the )?correction|to be discussed",
        ),
        "German": (
            r"(?:verwechselt|vertauscht)\b[^.\n]{0,40}\b(?:um|aus)?tauschen|bitte (?:um|ver)?tauschen",
            r"(?:nehme|ziehe)\b[^.\n]{0,40}\bzurück|zurück(?:genommen|gezogen|zunehmen|zuziehen)|widerruf\w*",
            r"(?:noten?|bewertung|wertung|zahl|punktzahl|urteil|antwort)\w* (?:\w+ ){0,4}(?:ungültig|hinfällig|streichen|ignorieren|verwerfen|falsch|überholt|nicht (?:gültig|verwenden|zählen))",
            r"(?:ignorier\w*|verwerf\w*|streich\w*|vergess\w*) (?:\w+ ){0,3}(?:noten?|bewertung|wertung|zahl|punktzahl|urteil|antwort|obige\w*)",
        ),
        "French": (
            r"(?:je (?:retire|annule|révise|reviens sur)|ne (?:pas )?ten(?:ez|ir) (?:pas )?compte|ignore[rz]) [^.\n]{0,40}\b(?:note|notation|score|évaluation|chiffre|réponse|précède|ci-dessus)",
        ),
        "Spanish, Portuguese, Italian": (
            r"(?:retir[oa]r?|anul[oa]r?|ignor[eai]r?|ignoren|descart\w+|corrij[oa]|revoc\w+|desconsider\w+|ritir[oa]|annull[oai]|scart\w+) (?:\w+ ){0,3}(?:nota|puntuación|calificación|valor|pontuação|voto|punteggio|respuesta|resposta|risposta|anterior|precedente)",
            r"no (?:tener|tengan|tenga) en cuenta|não (?:considere|leve em conta|levar em conta)|non (?:considerare|tenere conto|consideri)",
        ),
        "Dutch and Scandinavian": (
            r"(?:trek|neem)\b[^.\n]{0,30}\b(?:in|terug)\b|negeer (?:\w+ ){0,3}(?:cijfer|score|beoordeling)|(?:tar|tager) tillbaka|(?:drar|trekker|trækker) (?:\w+ ){0,2}(?:tillbaka|tilbake|tilbage)|(?:ignorera|ignorer|bortse) (?:\w+ ){0,3}(?:betyg\w*|karakter\w*|poäng\w*)",
        ),
        "Slavic": (
            r"беру (?:свои )?слова (?:назад|обратно)",
            r"(?:отзываю|отменяю|забираю|снимаю|аннулирую|скасовую|відкликаю) (?:\w+ ){0,3}(?:оценк|балл|оцінк|бал)\w*|(?:не учитыва\w+|игнорир\w+|прошу не|не зважа\w+) (?:\w+ ){0,3}(?:оценк|балл|оцінк|бал)\w*",
            r"(?:wycofuję|cofam|anuluję|proszę (?:zignorować|pominąć)|odvolávám|ruším|beru zpět) (?:\w+ ){0,3}(?:ocen\w*|punkt\w*|wynik\w*|hodnocení|známk\w*)?",
        ),
        "Chinese, Japanese, Korean": (
            r"作废|作廢|撤回|撤销|撤銷|收回(?:评|分|上|此|该)|(?:分数|评分|分數|評分|得分)(?:不对|不對|有误|有誤|错|錯|无效|無效)|取り消し|撤回|無効|(?:点数|スコア|評価)(?:は|が)(?:間違|誤|無効)|철회|취소합|무효|(?:점수|평가)(?:는|가|를) ?(?:잘못|무시|취소|틀)",
        ),
        "Turkish and others": (
            r"(?:puanı|notu|değerlendirmeyi) (?:geri al|iptal|dikkate alma)\w*|rút lại|hủy điểm|(?:membatalkan|menarik|abaikan) (?:nilai|skor)|(?:perun|vedän) (?:\w+ )?(?:pisteet|arvosanan)|visszavon\w*|retrag (?:nota|scorul)|ανακαλώ|αγνοήστε",
            r"(?:أسحب|ألغي|تجاهل\w*|إلغاء) [^.\n]{0,20}(?:التقييم|الدرجة|درج|تقييم)|(?:מבטל|חוזר בי|להתעלם)[^.\n]{0,20}(?:ציון|הערכה)|(?:स्कोर|अंक|मूल्यांकन)[^।\n]{0,15}(?:वापस|रद्द|अनदेखा)|(?:ยกเลิก|ถอน)คะแนน",
        ),
    },
    "the judge excuses itself, or corrects itself": {
        "English": (
            r"i (?:was|am) (?:wrong|mistaken)|my (?:mistake|error|bad)|my apologies|i apologi[sz]e",
        ),
        "German": (
            r"entschuldig\w*|verzeih\w*|tut mir leid|mein(?:en)? (?:fehler|irrtum)|(?:ich (?:habe|hatte) mich|habe ich mich) (?:\w+ ){0,3}(?:geirrt|vertan|verlesen|verzählt|verschrieben)|moment mal|ich (?:korrigiere|berichtige|revidiere)|doch nicht|nochmals? (?:nachgesehen|hingeschaut|geprüft)",
        ),
        "French": (
            r"désolée?|pardon|excuse[zr]?(?:-moi)?|toutes mes excuses|je me suis tromp\w*|mon erreur|je (?:me )?(?:corrige|rectifie)|rectification|erreur de ma part",
        ),
        "Spanish": (
            r"lo siento|perd[óo]n\w*|disculp\w*|me (?:he )?equivo(?:qué|cado)|mi error|error mío|me corrijo|rectifico|rectificación|corrigiendo",
        ),
        "Portuguese": (
            r"desculpe\w*|peço desculpas?|retifico|retificação|corrigindo|enganei-me|me enganei|meu erro|engano meu|corrijo-me",
        ),
        "Italian": (
            r"scusa(?:te|mi|temi)?|mi scuso|mi (?:sono )?sbagliat[oa]|mi sbagliavo|errore mio|mi correggo|rettifico|rettifica|correggo|mi dispiace",
        ),
        "Dutch and Scandinavian": (
            r"mijn (?:fout|excuses)|excuses|ik heb me (?:\w+ )?vergist|sorry|förlåt|ursäkta|undskyld|beklager|unnskyld|(?:mitt|min) (?:fel|misstag|feil|fejl)|jag hade fel|jeg tog fejl|jeg tok feil",
        ),
        "Slavic": (
            r"извин\w+|прошу прощения|простите|я (?:\w+ )?ошиб(?:ся|лась)|моя ошибка|вибач\w+|перепрошую|я помилив\w+|przepraszam|pomyliłe?[am]\w* się|mój błąd|omlouvám|promiňte|spletl\w* jsem|moje chyba",
        ),
        "Chinese, Japanese, Korean": (
            r"抱歉|对不起|對不起|不好意思|我(?:看|弄|搞|说|写|打)错|口误|笔误|我的失误|すみません|申し訳|ごめん|失礼しました|私の(?:間違|誤|ミス)|죄송|미안|착각했|제 실수|실수했",
        ),
        "Turkish and others": (
            r"özür dilerim|kusura bakma\w*|yanıldım|hata ettim|benim hatam|xin lỗi|tôi (?:đã )?nhầm|maaf|saya keliru|anteeksi|erehdyin|bocsánat|elnézést|tévedtem|scuze|m-am înșelat|συγγνώμη|έκανα λάθος",
            r"أعتذر|اعتذر|عذر[اً]|آسف|معذرة|أخطأت|خطئي|סליחה|מתנצל\w*|טעיתי|טעות שלי|क्षमा|माफ़? ?(?:कर|की)|मुझसे गलती|मेरी गलती|ขอโทษ|ขออภัย",
        ),
    },
    "the number is a stand-in, an example or a default": {
        "English": (
            (
                r"(?:scores?|ratings?|verdicts?|grades?|numbers? (?:above|below|given|here)|(?:the|this|these|my) (?:number|value|figure)s?|marks?|judge?ments?|evaluations?|values?|(?:all|both)(?: (?:of them|\w+))?|they|these|those)"
                r" (?:\w+ ){0,2}(?:is|are|was|were|being|as|may be|might be)(?: \w+){0,2} (?:guess\w*|assum\w+|random\w*|arbitrar\w+|default\w*|dumm(?:y|ies)|stand-?ins?|placeholders?|provisional|preliminary|tentative|invalid|void"
                r"|made up|invented|fabricated|unreliable|meaningless|a mistake|an error|wrong|incorrect|mistaken|withdrawn|retracted|estimated?|not (?:valid|reliable|meaningful|final)|speculative"
                r"|hypothetical|based on (?:assum|the (?:text|prompt|instruction|description))\w*)"
            ),
            r"(?:made|making) (?:this|it|that|them|these|the (?:score|number)s?)(?: all)? up|made-up(?! (?:letter|word|text|name|sign|character|symbol|glyph|script|line)s?)",
            r"(?:only |just |merely |meant )to (?:show|illustrate|demonstrate|test) (?:the|an?|what|how|my)\b",
            r"(?:only|just|this is) an? (?:example|sample|illustration)(?: of (?:an |the |how )?\w+)?(?=\W*(?:\Z|[.;,]))|(?:sample|example|dummy) (?:verdict|answer|output|response|score|value|number)|replace (?:with|this|me)\b.{0,20}\b(?:real|actual|your)",
            r"placeholders?|(?:is|as|are|be|a|an) (?:a |an )?(?:dummy|stand-in|stopgap)\b(?! (?:text|head|model|figure|doll))|until (?:a |the |some)?(?:human|reviewer|person|one|someone|annotator)|dummy (?:value|score|number)|lorem ipsum|stub\b|auto-?filled|filler|neutral (?:score|default|value)|default (?:score|value|rating)|by default|(?<=\A)defaults?(?=\W*\Z)|fall-?back|test (?:answer|reply|value|score)",
            r"(?:random|arbitrary|provisional|tentative|hypothetical|assumed|invented|fabricated|illustrative|preliminary) (?:\w+ )?(?:scores?|values?|numbers?|ratings?|verdicts?|grades?|choice|pick)",
            rf"{UNFINISHED}|subject to|to be confirmed|tbc|tbd|untested|middle of the scale|(?:centre|center) of the scale|mid-?scale|say(?=\W*\Z)",
        ),
        "German": (
            r"platzhalter\w*|standardwert\w*|vorgabewert\w*|beispiel(?:wert|zahl|note|antwort|format|ausgabe)\w*|nur (?:ein|als) beispiel|testwert\w*|dummy\w*|vorläufig\w*|unter vorbehalt|probehalber|(?:erfunden|ausgedacht|willkürlich)\w* (?:\w+ )?(?:note|zahl|wert|punkt)\w*|(?:note|zahl|wert|bewertung)\w* (?:\w+ ){0,2}(?:erfunden|ausgedacht|willkürlich|geschätzt)",
        ),
        "French": (
            r"(?:valeur|note|score|chiffre)s? (?:\w+ ){0,2}(?:fictive?|provisoire|arbitraire|d['’]exemple|bidon|au hasard|inventée?|par défaut|de remplacement)s?|exemple de (?:format|réponse|sortie)|simple exemple|à titre (?:d['’]exemple|indicatif|provisoire)|sous réserve|texte de remplissage",
        ),
        "Spanish, Portuguese, Italian": (
            r"(?:valor|nota|puntuación|pontuação|número|voto|punteggio|valore)(?:es|s)? (?:\w+ ){0,2}(?:ficti[ct]i[oa]|provisional|provisóri[oa]|provvisori[oa]|arbitr[aá]ri[oa]|inventad[oa]|inventat[oa]|de (?:ejemplo|exemplo|relleno|prueba)|d['’]esempio|di (?:esempio|prova)|por defecto|padrão|segnaposto|predefinit[oa])|marcador de posición|segnaposto|(?:ejemplo|exemplo|esempio) d[eio]l? (?:formato|respuesta|resposta|risposta)|s[óo]lo (?:es )?un ejemplo|apenas um exemplo|solo un esempio|a título (?:de ejemplo|provisional)",
        ),
        "Dutch and Scandinavian": (
            r"voorbeeld(?:waarde|antwoord|score|cijfer)\w*|slechts (?:een )?voorbeeld|voorlopig\w*|tijdelijke? (?:score|waarde|cijfer)|platshållare|pladsholder|plassholder|(?:bara|kun|bare) (?:ett|et) (?:exempel|eksempel)|preliminär\w*|foreløbig\w*|foreløpig\w*",
        ),
        "Slavic": (
            r"заглушк\w*|(?:просто|лишь|только|лише|тільки) (?:пример|приклад)|пример (?:формата|ответа)|приклад формату|предварительн\w+ (?:оценк|балл)\w*|попередн\w+ оцінк\w*|(?:оценк|балл|значени)\w* (?:\w+ ){0,2}(?:условн|выдуман|произвольн|придуман)\w*|tylko przykład|przykład formatu|wartość (?:przykładowa|zastępcza|domyślna)|ocena (?:wstępna|tymczasowa|przykładowa)|jen příklad|příklad formátu|předběžn\w+ (?:hodnocení|známk\w*)|výchozí hodnot\w*",
        ),
        "Chinese, Japanese, Korean": (
            r"示例|范例|範例|占位|佔位|默认(?:值|分|评)|默認(?:值|分)|预设(?:值|分)|随(?:便|意|手)(?:给|打|填|写)|暂定|暫定|初步(?:评|分|打)|仅供(?:参考|示)|以上(?:仅)?为?例|は例(?:です|として|に過ぎ|であ)|単なる例|仮の(?:点|スコア|評価|値|数)|暫定|ダミー|プレースホルダ|デフォルト値|예시(?:일|입|로|용)|임시(?:로| ?(?:점수|값))|기본값|자리 ?표시",
        ),
        "Turkish and others": (
            r"yer tutucu|(?:sadece|yalnızca) (?:bir )?örnek|örnek (?:biçim|değer|puan)|varsayılan (?:değer|puan)|geçici (?:puan|değer)|chỉ là ví dụ|giá trị mặc định|tạm thời|hanya contoh|contoh format|nilai (?:sementara|bawaan)|(?:vain|pelkkä) esimerkki|csak (?:egy )?példa|doar un exemplu|μόνο παράδειγμα",
            r"مجرد مثال|مثال (?:على|توضيحي|للتنسيق)|قيمة (?:افتراضية|مؤقتة|وهمية)|درجة (?:افتراضية|مؤقتة)|רק דוגמה|דוגמה בלבד|ערך ברירת מחדל|ציון זמני|(?:केवल|सिर्फ़|सिर्फ) (?:एक )?उदाहरण|डिफ़ॉल्ट (?:मान|स्कोर)|अस्थायी (?:स्कोर|अंक)|(?:แค่|เพียง)ตัวอย่าง|ค่าเริ่มต้น",
        ),
    },
    "the judge guesses, or is not sure": {
        "English": (
            r"i(?:['’]m| am)? (?:just |only |merely |simply |have to |must |can only |had to )?guess(?:ed|ing)?",
            r"(?:picked|chose|chosen|took|taken|selected|went for) (?:an? |the )?(?:middle|random|average|neutral|safe|default)|(?:is|are) (?:that|those) of (?:the|an?) (?:reference|original|input|source)|yet to be (?:rated|scored|judged|graded|evaluated)",
            r"(?:presumably|probably|supposedly|most likely) (?:fine|ok(?:ay)?|good|done|correct|successful|right)|estimated (?:from|by|on|based)|scores? (?:is|are) (?:likely|expected|probable)",
            r"(?:just|only|merely|pure|purely|wild|educated|best|blind|a|this is|my) (?:a |an )?(?:guess(?:work)?|speculation|conjecture)|guess(?=\W*\Z)",
            r"assum(?:e|ing|ed) (?:an? |that )?(?:average|typical|standard|neutral|default|middle|medium|the edit|it (?:was|is)|success)",
            r"(?:not|n['’]t|cannot) (?:really |actually |fully |reliably |properly )?(?:sure|certain|confident|stand by|vouch|verify|confirm|judge|assess|evaluate|tell|say|determine|rate|score|grade)\b(?! [^.,;]{0,40}\b(?:difference|differences|apart|from)\b)",
            r"coin (?:toss|flip)|toss[- ]?up|torn between|undecided|hesitat\w*|either way|(?:picked|chosen|chose|filled(?: in)?|entered|put|given|gave|scored?|rated|answer\w*|numbers?|values?|pick|choice)\b[^.;]{0,20} at random|gut feeling|no idea",
            r"no time|(?:did|do)(?: not|n['’]t) look|without looking|(?:before|without) (?:looking|having looked|seeing|opening|comparing)|not re-?(?:examined|checked|evaluated|assessed|viewed)|no access",
        ),
        "German": (
            r"(?:nur |rein |bloß )?geraten|zufällig\w* (?:gewählt|ausgewählt|vergeben|gegriffen)|zufallswert|ungesehen|(?:ich )?rate (?:mal|nur|hier|einfach)|geschätzt\w* (?:note|wert|zahl)|ins blaue|ohne (?:\w+ ){0,3}(?:gesehen|geprüft|verglichen|angesehen) zu haben|nicht (?:sicher|beurteilen|überprüft|geprüft|angesehen)|kann (?:ich )?(?:\w+ ){0,3}nicht (?:beurteilen|bewerten|erkennen|sagen)|keine ahnung",
        ),
        "French": (
            r"(?:choisie?|mise?|prise?|donnée?|tirée?) au hasard|je (?:devine|suppose|présume|ne suis pas (?:sûre?|certaine?))|sans (?:avoir )?(?:vu|regardé|comparé|ouvert|vérifié)|je ne (?:peux|saurais|puis) (?:pas )?(?:juger|évaluer|dire|me prononcer)|aucune idée|impossible (?:de|à) (?:juger|évaluer|dire)",
        ),
        "Spanish, Portuguese, Italian": (
            r"(?:elegid|escogid|puest|dad|escolhid|dat|mess|scelt)[oa] (?:al azar|ao acaso|a caso)|(?:adivin|supong|supon)[oa]\w*|no estoy segur[oa]|sin (?:haber )?(?:visto|mirado|comparado|abierto|comprobado)|no (?:puedo|sé) (?:juzgar|evaluar|valorar|decir)|ni idea|não (?:tenho certeza|posso avaliar|sei dizer|consigo avaliar)|sem (?:ter )?(?:visto|olhado|comparado|verificado)|suponho|chut[eo]|tiro a indovinare|non (?:sono sicur[oa]|posso (?:giudicare|valutare|dire))|senza (?:aver )?(?:visto|guardato|confrontato|controllato)|suppongo|nessuna idea",
        ),
        "Dutch and Scandinavian": (
            r"ik (?:gok|raad|weet (?:het )?niet|ben (?:er )?niet zeker|kan (?:\w+ ){0,2}niet (?:beoordelen|zeggen))|zonder (?:\w+ ){0,3}(?:gezien|bekeken|vergeleken) te hebben|(?:jag|jeg) (?:gissar|gætter|gjetter|vet inte|ved ikke|er ikke sikker|är inte säker)|(?:utan|uden|uten) (?:att|at|å) (?:ha(?:ve)? )?(?:sett|se)",
        ),
        "Slavic": (
            r"угадыва\w+|наугад|наобум|не уверен\w*|не могу (?:судить|оценить|сказать)|не (?:смотрел|сравнивал|открывал|проверял)[аи]?|здогад\w+|не впевнен\w*|zgaduję|nie jestem pewi?e?n\w*|nie (?:mogę|potrafię) ocenić|nie (?:sprawdz|ogląda|porówn)\w+(?:łem|łam)|hádám|nejsem si jist\w*|nemohu posoudit",
        ),
        "Chinese, Japanese, Korean": (
            r"随机(?:选|给|打|填|分)|隨機(?:選|給|打)|(?:未|没|沒)看(?:过|過)?(?:图|圖|原)|凭(?:提示|指令|描述|感觉|文字)|適当に(?:付|つ|選|決)|ランダムに|見(?:ずに|ないで|ていない)|무작위|임의로|보지 않고|안 보고|猜(?:的|测|測)|瞎猜|我猜|不确定|不確定|拿不准|没(?:有)?(?:仔细)?(?:看|比较|核对)(?:图|原|编辑|过)|无法(?:判断|评估|评价|确定|评分)|無法(?:判斷|評估|評價)|当てずっぽう|推測(?:です|に|で)|自信が|判断でき(?:ない|ません)|確認して(?:い)?(?:ない|ません)|추측|확실하지|판단할 수 없|확인하지 (?:않|못)",
        ),
        "Turkish and others": (
            r"tahminim|tahmin ediyorum|emin değilim|değerlendiremiyorum|bakmadan|tôi đoán|không chắc|menebak|tidak yakin|arvaan|en ole varma|nem vagyok biztos|találgat\w*|ghicesc|nu sunt sigur\w*|μαντεύω|δεν είμαι (?:σίγουρ|βέβαι)\w*",
            r"أخمن|تخمين|لست متأكد|غير متأكد|لا أستطيع (?:الحكم|التقييم|الجزم)|מנחש\w*|ניחוש|לא בטוח\w*|अनुमान (?:है|लगा)|निश्चित नहीं|पक्का नहीं|เดา|ไม่แน่ใจ",
        ),
    },
    "the judge looked at the wrong picture, or swapped them": {
        "English": (
            r"i(?: have|['’]ve)? mixed|mixed them|(?:images|pictures|photos|files|samples) (?:are|were|got) mixed up|wrong (?:pictures?|images?|pair|file|sample|order)|pictures? (?:may|might) be swapped|(?:confused|swapped|switched|mistook|mixed up) (?:the |both |these )?(?:two )?(?:images|pictures|photos|files)",
            r"(?:describes?|concerns?|refers? to|belongs? to|relates? to|appl(?:y|ies) to|meant for|valid for) (?:only )?(?:the |an? )?(?:unedited|original|reference|ground[- ]truth|source|first|other) (?:image|picture|photo|version|sample|one)(?=\W*(?:\Z|[.;]))",
            r"(?:is|are|shows?) how (?:the|an?) (?:reference|ground[- ]truth|original|input|source|ideal|perfect)\b",
            r"(?:values?|numbers?|figures?) (?:for|of) the (?:reference|original|input|source|unedited|ground[- ]truth|baseline)",
        ),
        "German": (
            r"(?:bild|foto|aufnahme|datei|vorlage)\w* (?:\w+ ){0,3}(?:verwechselt|vertauscht)|(?:verwechselt\w*|vertauscht\w*|falsche[nsr]?|verkehrte[ns]?) (?:\w+ ){0,1}(?:bild|foto|aufnahme|datei|paar|beispiel)\w*|(?:gilt|galt|gelten|galten|bezieh\w+|gehör\w+|steht|stehen|beschreib\w+) (?:\w+ ){0,3}(?:original|vorlage|referenz|ausgangsbild|eingabebild|vorig\w+|ander\w+ bild)\w*",
        ),
        "French": (
            r"(?:mauvaise?|fausse) (?:image|photo|paire)|(?:interverti|inversé|échangé|confondu|mélangé)\w* (?:les |ces )?(?:deux )?(?:images|photos)|(?:images|photos) (?:\w+ ){0,2}(?:interverties|inversées|échangées)|(?:points?|note|score|chiffre|évaluation)s? (?:\w+ ){0,3}(?:pour|de|à|concerne\w*|porte\w* sur) (?:l['’]|la |le )(?:image |photo )?(?:d['’]origine|originale?|référence|autre|précédente?)",
        ),
        "Spanish, Portuguese, Italian": (
            r"(?:era|eran|fue|foi) (?:el|la|las|los|o|a|l['’]|il) ?(?:original(?:e)?|referencia|referência|riferimento|otra|outra)(?=\W*\Z)",
            r"(?:imagen|foto|imagem|immagine|pareja|par|coppia) (?:equivocada|incorrecta|errónea|errada|sbagliata|errata)|(?:confundid|intercambiad|cambiad|trocad|confund|troqu|scambiat|confus|invertit)\w* (?:las |as |le |los |os )?(?:dos |duas |due )?(?:imágenes|fotos|imagens|immagini)|(?:imágenes|imagens|immagini|fotos?) (?:\w+ ){0,2}(?:intercambiadas|invertidas|al revés|trocadas|scambiate|invertite)",
            r"(?:nota|puntuación|pontuação|voto|punteggio|valor|valore|puntos|pontos|punti) (?:\w+ ){0,2}(?:es |son |é |è |são |sono |refere\w* |refiere\w* |riferisce )?(?:para|de|del|da|do|per|a|al|alla|ao|à) (?:l['’]|la |el |a |o |il )?(?:imagen |imagem |immagine |foto )?(?:original|referencia|referência|riferimento|originale|anterior|precedente|otra|outra|altra)",
        ),
        "Dutch and Scandinavian": (
            r"verkeerde (?:afbeelding|foto|plaatje|beeld)|(?:afbeeldingen|foto['’]s|beelden) (?:\w+ ){0,2}verwisseld|(?:fel|forkerte?|feil) (?:bild|billede|bilde)\b|(?:förväxlat|forvekslet|byttet om) (?:\w+ )?(?:bild|bill)\w*",
        ),
        "Slavic": (
            r"перепутал\w*|переплутал\w*|не т[оуе] (?:изображени|картинк|фото|зображенн)\w*|(?:изображени|картинк|зображенн)\w+ (?:\w+ )?(?:перепутан|поменян)\w*|(?:оценк|балл|оцінк)\w* (?:\w+ ){0,3}(?:относ|касает|стосует|для|за|к)\w* (?:\w+ ){0,2}(?:эталон|оригинал|исходн|референс|оригіналу|еталон|друг|предыдущ)\w*",
            r"(?:złe|zły|złą|niewłaściw\w+) (?:zdjęcie|obraz|obrazek|grafik\w+)|(?:pomyliłe?[am]\w*|zamienił\w*) (?:\w+ )?(?:obraz|zdję)\w*|špatn\w+ (?:obrázek|snímek)|zaměnil\w* (?:\w+ )?(?:obráz|sním)\w*",
        ),
        "Chinese, Japanese, Korean": (
            r"(?:看|弄|搞|拿|认|認)(?:错|錯|反|混)了?(?:图|圖|照片|顺序|两|兩)|[图圖](?:片|像)?(?:看|弄|搞|拿)?(?:反了|错了|錯了|混了|颠倒)|(?:错误|錯誤|错)的?(?:图|圖|照片)|(?:评分|分数|得分|評分|分數)\w{0,4}(?:是|为|針對|针对|属于|对应)\w{0,3}(?:原图|参考|參考|原圖|上一|另一)",
            r"(?:別|違う|間違った|間違えた|他|誤った)の?(?:画像|写真)(?:を|に(?:対|つ))|画像を(?:取り違え|間違え|逆|混同)|画像が逆|(?:点数|スコア|評価)は(?:元画像|参照|原画像|別の|前の)|(?:잘못된|다른|틀린|엉뚱한) (?:이미지|사진|그림)(?:를|을|에)|(?:이미지|사진|그림)(?:를|을) (?:잘못|혼동|바꿔|착각)|(?:점수|평가)(?:는|가) (?:원본|참조|이전|다른)",
        ),
        "Turkish and others": (
            r"yanlış (?:görsel|resim|görüntü|fotoğraf)\w*|(?:görselleri|resimleri|görüntüleri) karıştır\w*|nhầm (?:ảnh|hình)|gambar (?:yang )?(?:salah|tertukar)|väär\w+ kuva\w*|rossz kép\w*|imaginea greșită|λάθος εικόνα",
            r"الصورة (?:الخطأ|الخاطئة|غير الصحيحة)|(?:خلطت|بدلت|عكست) [^.\n]{0,12}الصور|(?:الدرجة|التقييم|تقييم|درجة) [^.\n]{0,15}(?:للأصل|للمرجع|الصورة الأصلية|للصورة الأصلية|الصورة المرجعية)|תמונה (?:ה)?(?:שגויה|לא נכונה)|התמונה הלא נכונה|החלפתי בין|गलत (?:चित्र|छवि|तस्वीर)|(?:चित्र|छवियाँ|तस्वीरें) (?:बदल|उलट)|ผิดภาพ|สลับภาพ",
        ),
    },
    "the number is another's, or of another run": {
        "English": (
            (
                rf"(?:{SCORE_NOUN}|{VALUE_NOUN})"
                r"(?: (?:here|below|above|given|are|is|were|was|taken|copied)){0,2} (?:of|for|from|by) (?:the |an? |my |our |their )?(?:\w+ ){0,3}(?:yesterday\w*|last (?:run|time|week|month|round|session|edit)"
                r"|(?:previous|earlier|prior|preceding|another|other) (?:run|edit|picture|image|model|editor|output|sample|judge|session|round|attempt|version|case|request|conversation|evaluation)|(?:an? |the )?(?:example|template|baseline))"
            ),
            r"(?:given|awarded|assigned|proposed|suggested|chosen) (?:by|to|for) (?:the |an? |my )?(?:\w+ )?(?:reviewer|annotator|judge|reference|input|original|users?|other|colleague|human|baseline|rater|model|crowd)s?",
            r"(?:score|rating|verdict|grade|answer|this|that|it) (?:is|was) (?:for|about|of) (?:the |an? )?(?:reference|original|input|other|another|previous|different|source|first|wrong)",
            r"copied|(?:carried|brought) (?:over|forward)|inherited (?:from)?|(?:majority|panel|committee|crowd) vote|vote of (?:the |a )?\w+|(?:average|mean|median) of (?:the |our |all )?(?:\w+ )?(?:graders|raters|judges|votes|annotators|reviewers|scores|runs)",
            r"(?:see|as in|same as) (?:the |my )?(?:other|previous|earlier|last|first) (?:answer|reply|message|case|sample|one|evaluation|response)|same (?:number|score|value|rating|grade|verdict) as",
        ),
        "German": (
            r"(?:wert|note|bewertung|zahl|punkte?)\w* (?:\w+ ){0,3}(?:übernommen|kopiert)|(?:aus|von) (?:dem|der|meinem|meiner) (?:letzten|vorigen|vorherigen|früheren|anderen) (?:lauf|bewertung|durchgang|fall|versuch|antwort|beispiel|stichprobe)",
        ),
        "French": (
            r"(?:copiée?|reprise?) (?:de|du|d['’]) (?:\w+ ){0,3}(?:évaluation|exemple|échantillon|réponse|essai|modèle)|(?:note|score|évaluation) (?:\w+ ){0,2}(?:précédente?|antérieure?|d['’]un autre|du (?:dernier|précédent))",
        ),
        "Spanish, Portuguese, Italian": (
            r"(?:copiad|tomad|copiat|pres|ripres)[oai] (?:de|del|da|do|dalla?|dal) (?:\w+ ){0,3}(?:anterior|evaluación|avaliação|valutazione|ejemplo|exemplo|esempio|plantilla|modelo|precedente)|(?:evaluación|avaliação|valutazione|nota|puntuación|pontuação|voto|punteggio) (?:anterior|previa|prévia|precedente|de otr[oa]|de outr[oa]|di un altr[oa])",
        ),
        "Slavic": (
            r"(?:оценк|балл|оцінк)\w* (?:из|від|от|з) (?:\w+ ){0,3}(?:предыдущ|прошл|друг|попередн|інш)\w*|скопирован\w*|скопійован\w*|skopiowan\w*|z poprzedni\w+ (?:ocen|przykład|prób)\w*|zkopírován\w*|z předchozí\w*",
        ),
        "Chinese, Japanese, Korean": (
            r"(?:照搬|沿用|复制|複製)(?:了)?(?:上|之前|前|另|其他|示例|模板)|上一(?:个|次|张|輪|轮)\w{0,6}(?:评分|分数|得分|评价|样本)|(?:前回|以前|他)の?(?:評価|点数|スコア|サンプル)(?:を|から|の)|(?:이전|다른) ?(?:샘플|평가|점수|작업|실행)(?:의|에서|을|를|과|와)",
        ),
        "Turkish and others": (
            r"önceki (?:değerlendirme|puan|örnek)\w*|dari (?:sampel|penilaian) sebelumnya|từ (?:mẫu|lần đánh giá) trước|(?:من|عن) (?:التقييم|العينة|المحاولة) السابق\w*|(?:पिछले|दूसरे) (?:मूल्यांकन|नमूने)",
        ),
    },
    "the judge obeys a text that it found": {
        "English": (
            r"(?:so|therefore|hence|which|and|as) i (?:will |shall |must |did |have |do |duly |gladly )?(?:comply|obey|follow|honou?r|heed)(?:ed)?",
            r"(?:asks?|says?|reads?|demands?|tells?|wants?|orders?|instructs?|requests?|commands?)\b[^\n]{0,120}\b(?:so|therefore|hence|which|and|as) i (?:will |shall |must |did |have |do |duly |gladly )?(?:give|gave|enter(?:ed)?|award(?:ed)?)",
            r"comply|compl(?:ying|ied)(?=\W*\Z)|obey\w*|as (?:instructed|told|demanded|requested|ordered|commanded) by the (?:sign|sticker|text|picture|image|note|caption|banner|poster|shirt|watermark)",
            r"(?:commands?|orders?|instructs?)(?: \w+)?: ?(?:rate|give|score|award|answer)",
            r"(?:as )?per the (?:sign|sticker|note|caption|banner|poster|watermark|overlay)\b",
            r"(?:says?|tells? (?:me|us|judges?)|asks?(?: (?:me|us))?|demands?|wants?(?: (?:me|us))?|orders? \w+) to (?:give|score|rate|answer|award|grade|enter)",
        ),
        "German": (
            r"(?:schild|bild|text|plakat|zettel|aufkleber|banner)\w*\b[^.\n]{0,50}\b(?:(?:geben|vergeben|bewerten|schreiben|setzen)\b[^.\n]{0,10}\b(?:soll|sollen|muss)|(?:fordert|verlangt|befiehlt|bittet))",
        ),
        "French, Spanish, Portuguese, Italian": (
            r"(?:affiche|texte|image|panneau|autocollant|bannière|cartel|texto|imagen|letrero|imagem|cartaz|placa|cartello|testo|immagine|scritta)\w*\b[^.\n]{0,30}\b(?:demande|dit|exige|ordonne|pide|dice|ordena|manda|pede|diz|chiede|ordina)\b[^.\n]{0,12}\b(?:mettre|donner|noter|attribuer|poner|dar|pongan?|den|dê|deem|dare|mettere|assegnare|valutare)",
        ),
        "Chinese, Japanese, Korean": (
            r"(?:图|圖|文字|标语|牌子|贴纸|海报)\w{0,8}(?:要求|命令|让|叫)\w{0,4}(?:给|給|打|评)|(?:画像|文字|看板|ポスター)[^。]{0,16}(?:点を(?:付け|つけ)ろ|点にしろ|従っ(?:て|た))|(?:이미지|글자|간판|문구)[^.]{0,16}점을? ?(?:주라|매기라|달라)",
        ),
    },
    "the judge did not get or see the pictures": {
        "English": (
            r"(?:images?|pictures?|photos?|files?) (?:received|loaded|attached|uploaded|found|provided)(?=\W*\Z)|not (?:received|supplied|delivered|attached|sent|transmitted|included here)|you (?:did|have(?! to)|sent|forgot|gave|provided|never|asked|wanted)\b|(?:file|image|picture) (?:is|was|seems) damaged|damaged file",
            r"(?:would )?need to (?:see|have|view|look at|open) (?:the |an? |both |all )?(?:\w+ )?(?:image|picture|photo|result|output|file)s?(?: first)?",
        ),
    },
}
"""What a judge says about its judging and not about the picture, by what it comes to."""

UNSEEN: dict[str, tuple[str, str, str, str, str]] = {
    "English": (
        r"\b(?:no|not|never|cannot|without|unable|none|neither|nobody)\b|n['’]t\b",
        r"\b(?:receiv\w+|provided|attach\w*|supplied|upload\w*|sent|shared|load\w*|arriv\w+|access\w*|available|found|find|locate|open(?:ed)?|fetch\w*|retriev\w+|download\w*|deliver\w+|given to me|submitted|shown to me|exist|reach\w*|readable|viewable|accessible|came (?:through|across|in)|come (?:through|across))\b",
        r"\b(?:(?:edited|modified|output|result(?:ing)?|second|generated|after|candidate|final|new|first|other)[ -])?(?:images?|pictures?|photos?|files?)\b(?!['’]s| (?:of|that|where|with|has|have|contains|shows?|being|quality|frame|icon|border)\b)|\b(?:edited|modified|output|generated) (?:version|result|output)\b",
        r"\b(?:in|on|of|from|within|across|between|over|throughout|inside|to match|with|into|for|than|around|at) (?:the |an? |both |either |this |these |its? |all |any |two |\w+ed )*\Z|\bbetween [^.,;]{0,40}\Z",
        r"\b(?:would|did|does|could|will) not (?:render|open|load|display|arrive)\b",
    ),
    "German": (
        r"\b(?:nicht(?! mehr)|kein\w*|ohne|nie|weder|nur|lediglich)\b",
        r"\b(?:sehe|sehen|gesehen|erkennen|erhalten|erhielt|übermittelt|bekommen|beigefügt|angehängt|bereitgestellt|vorhanden|vorliegend|vor|öffnen|geöffnet|laden|geladen|hochgeladen|gesendet|geschickt|mitgeschickt|zugriff|verfügbar|gegeben|gezeigt|zugänglich|lesbar|angezeigt|anzeigen|abrufen|abrufbar|angekommen|finden|gefunden)\b",
        r"\b(?:bild(?:er)?|fotos?|abbildung(?:en)?|datei(?:en)?|anhang|aufnahmen?|\w+bild)\b(?! der| des| von)",
        r"\b(?:im|am|vom|zum|auf de[mnr]|in de[mnr]|aus de[mnr]|de[smnr]|zwischen|mit|gegenüber) (?:\w+ ){0,2}\Z",
        r"\b(?:fehlt|fehlen|fehlte|nicht auffindbar|defekt|lässt sich nicht öffnen)\b",
    ),
    "French": (
        r"\bne\b|\bn['’]|\b(?:pas|aucune?|sans|jamais|impossible|seulement|uniquement)\b",
        r"\b(?:voi[rst]|vue?s?|reçue?s?|reçois|recevoir|fournie?s?|jointe?s?|transmise?s?|disponibles?|chargée?s?|charger|ouvrir|ouverte?s?|accès|accéder|envoyée?s?|s['’]affiche\w*|affichée?s?|afficher|consulter|parvenue?s?|trouvée?s?|trouver|téléchargée?s?|lisibles?|accessibles?|pas visibles?|invisibles?)\b",
        r"\b(?:images?|photos?|fichiers?|pièces? jointes?)\b",
        r"\b(?:dans|sur|de|du|des|entre|avec|par rapport à|à travers)\s?(?:l['’]|la |le |les |toute |cette |ces |deux |une? )*\Z|\bd['’]\Z",
        r"\b(?:manque|manquent|manquait|manquante?s?|absente?s?|illisible|introuvable)\b",
    ),
    "Spanish": (
        r"\b(?:no|ningun[ao]?|ningún|sin|nunca|s[óo]lo|solamente|únicamente)\b",
        r"\b(?:ver|veo|vist[oa]s?|recib\w+|adjunt\w+|proporcion\w+|envi(?:ad|ó|aron)\w*|carg\w+|abrir|abierto|acceso|acceder|disponibles?|subid[oa]s?|mostrad[oa]s?|facilit\w+|visualizar|llegado|llegó|encontr\w+|incluid[oa]s?|(?:es|está|son|están) visibles?)\b",
        r"\b(?:im[aá]gen(?:es)?|fotos?|archivos?)\b",
        r"\b(?:en|de|del|sobre|entre|con|por) (?:la |las |el |los |toda |todas |esta |estas |ambas |dos |una )*\Z",
        r"\b(?:falta|faltan|faltaba|ausente|dañada|perdida)\b",
    ),
    "Portuguese": (
        r"\b(?:não|nenhum\w*|sem|nunca|só|apenas|somente)\b",
        r"\b(?:ver|vejo|vist[oa]s?|receb\w+|anexad\w+|fornecid\w+|enviad\w+|carreg\w+|abrir|acesso|acessar|disponíve\w+|mostrad\w+|encontr\w+|incluíd\w+|apresentad\w+)\b",
        r"\b(?:imagem|imagens|fotos?|arquivos?|ficheiros?)\b",
        r"\b(?:em|na|no|nas|nos|da|do|das|dos|de|entre|com|pela|toda a) (?:a |as |toda |todas |esta |ambas |duas |uma )*\Z",
        r"\b(?:falta|faltam|faltou|ausente|corrompida)\b",
    ),
    "Italian": (
        r"\b(?:non|nessun\w*|senza|mai|solo|soltanto)\b",
        r"\b(?:vedo|vedere|vist[oaie]|ricevut\w+|allegat\w+|fornit\w+|caricat\w+|aprire|apert[oaie]|accesso|accedere|disponibil\w+|inviat\w+|mostrat\w+|trov\w+|pervenut\w+|visualizzar\w+|è visibile|sono visibili)\b",
        r"\b(?:immagin[ei]|foto|file)\b",
        r"\b(?:nell['’]|nella |nelle |dell['’]|della |delle |sull['’]|sulla |tra |fra |con |in |di )(?:le |la |l['’]|due |tutta |questa )*\Z",
        r"\b(?:manca|mancano|mancava|mancante|assente|danneggiata)\b",
    ),
    "Dutch": (
        r"\b(?:niet|geen|zonder|nooit|alleen|slechts)\b",
        r"\b(?:zie|zien|gezien|ontvang\w*|gekregen|bijgevoegd|geladen|laden|openen|geopend|toegang|beschikbaar|verstuurd|gestuurd|meegestuurd|getoond|geüpload|aangeleverd|vinden|gevonden)\b",
        r"\b(?:afbeelding(?:en)?|foto(?:['’]s)?|beeld(?:en)?|plaatjes?|bestand(?:en)?)\b",
        r"\b(?:in|op|van|tussen|met) (?:de |het |een |beide |deze |twee |hele )*\Z",
        r"\b(?:ontbreekt|ontbreken|ontbrak|mist)\b",
    ),
    "Scandinavian": (
        r"\b(?:inte|ikke|ingen|inga|inget|intet|utan|uden|uten)\b",
        r"\b(?:se|ser|sett|mottag\w*|modtag\w*|mottatt|bifog\w+|vedlagt|vedhæftet|öppna\w*|åbne\w*|åpne\w*|ladda\w*|indlæs\w*|lastet|tillgång|adgang|tilgang|tillgänglig\w*|tilgængelig\w*|tilgjengelig\w*|skickat\w*|sendt|fått|fået|hitta\w*|finde)\b",
        r"\b(?:bild(?:en|er|erna)?|billed(?:e|et|er|erne)|bilde(?:t|r|ne)?|foton?|fotot|fil(?:en)?)\b",
        r"\b(?:i|på|av|af|mellan|mellem|mellom|med|från|fra) (?:de[nt]? |hele |hela |\w+[aet] )*\Z",
        r"\b(?:saknas|mangler|manglar|saknades|manglede)\b",
    ),
    "Russian and Ukrainian": (
        r"\b(?:не|нет|без|ни|отсутству\w+|немає|нема|відсутн\w+|только|лишь|лише|тільки)\b",
        r"\b(?:виж\w+|виде[тл]\w*|увид\w+|получ\w+|предостав\w+|прикреп\w+|прилож\w+|загруз\w+|загруж\w+|откры[тл]\w*|доступ\w*|отправ\w+|прислан\w*|просмотр\w+|отобража\w+|бач\w+|отрим\w+|надан\w*|надісл\w+|завантаж\w+|відкри\w+|долуч\w+|найд\w+|найти|знайти)\b",
        r"\b(?:изображени[еяй]|изображению|картинк[аиуе]|картинок|фото|фотографи[яию]|файл\w*|зображенн[яю]|зображень|снимк[аиу]|снимок)\b",
        r"\b(?:на|в|во|между|из|с|по|від|у|між|з) (?:\w+ ){0,2}\Z",
        r"\b(?:отсутствует|отсутствуют|не хватает|нет|немає|бракує|відсутнє)\b",
    ),
    "Polish": (
        r"\b(?:nie|brak\w*|bez|żad\w+|tylko)\b",
        r"\b(?:widzę|widać|zobaczyć|otrzyma\w+|dołącz\w+|załącz\w+|wczyt\w+|załadow\w+|otworzyć|dostęp\w*|przesł\w+|dostarcz\w+|wyświetl\w+|udostępn\w+|znalaz\w+|znaleźć)\b",
        r"\b(?:obraz(?:u|ów|y|ka|ek)?|zdjęci[ae]|zdjęć|plik\w*)\b",
        r"\b(?:na|w|między|z|ze|od) (?:\w+ ){0,2}\Z",
        r"\b(?:brak|brakuje|nie ma)\b",
    ),
}
"""For each language: words that deny, words for how a picture reaches somebody, words for a picture,
how a clause leads up to a picture in which something is or is not, and words for what is missing.
"""

COMMON_ENGLISH = (
    "the a an is are was were be been being of and or to in on at it its this that these "
    "those with without for from by as not no nothing but because since so if when while than "
    "then there here has have had does do did can cannot could would should may might must "
    "will all any some each every both one two three more most less only just very too also "
    "still now i my me you your we they he she which who what where how into onto over under "
    "after before again same other another such good bad fine clear clean natural sharp "
    "correct score rating edit image picture text letters word result hence therefore thus "
    "overall looks seems remains none nothing everything found kept removed added changed missing visible "
    "of where every between at about against through across across "
)
"""Words by which a sentence is known as English."""
COMMON_ELSEWHERE = (
    "der das und ist nicht ein eine einen dem den des im mit auf für aber wird wurde sind "
    "noch auch doch oder zu vom zum bei nur het een niet van maar wordt ook nog voor le les "
    "est une du et dans sur avec mais qui que ne ce cette il elle au aux fait je el los las "
    "un una es del por pero se al lo su más y muy os uma não em da dos mas com para na nas um "
    "é gli uno di che non ma è della dello nel più jest nie się ale ve bir bu için değil och "
    "är inte ett på att som og ikke er espera espere oubliez attendez warten moment aspetta "
    "momento yang dan tidak dengan ini là và không của o os foi foram ao fue fueron han sido está están sono stato "
    "wegen weil da pour car por porque per perché voor omdat för eftersom за из для через bo dla pro "
    "stata il gli alla été sont ont hat haben waren är har blev nog eder ediyor olur yapar "
)
"""Words by which a sentence is known as none of English; none of them counts anything."""
THINGS_ELSEWHERE = (
    "metin yazı harf kelime nokta gölge renk kenar eksik huruf kata teks latar bayangan warna tepi hanya sedikit kirjain sana teksti tausta varjo väri reuna puuttuu vain "
    "betű szó szöveg háttér árnyék széle hiányzik csak literă cuvânt umbră lipsește doar litera słowo tekst tło cień krawędź tylko písmeno slovo pozadí stín okraj jen "
    "bokstav ordet bakgrund skugga bogstav baggrund skygge woord achtergrond schaduw della nella attorno leggero palabra fondo sombra borde parola lettera ombra bordo "
    "lettre fond ombre bord mot texte schrift hintergrund schatten rand wort buchstabe letra palavra fundo contorno "
)
"""Words of other languages for what is in a picture, and for what is missing there."""
