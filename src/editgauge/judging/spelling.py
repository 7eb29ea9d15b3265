"""Verdicts in other spellings, put into the one that is read: ``NAME: 4``.

`plainer` turns what stands at the beginning of a line or of a sentence, and says one field's number
beyond doubt, into such a line: long names ("Visual Consistency: 3/5"), names and score words of
other languages ("评分：4分", "Bewertung: 3 von 5"), marks of a final answer (``\\boxed{3}``),
digits of full width and in key caps, numbers in words, and sentences such as "I rate the text
accuracy 4 out of 5". Nothing is decided here: whether the line is a verdict, and whether the
words around it speak against it, is decided as for any other (see `answers`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache, partial

from editgauge.judging.languages import NUMBERS
from editgauge.judging.wording import NUMBER_WORDS

LONGEST = 20_000
"""Characters of a reply whose spelling is looked at; a longer one is read as it is."""
_I = re.IGNORECASE
_CONCEPTS = {
    "instruction": (
        r"instruction(?:[ -](?:following|adherence|compliance|score))?|suivi (?:de l['’]|des )instructions?"
        r"|respect (?:de l['’]|des )(?:instructions?|consignes?)|(?:seguimiento|cumplimiento) de (?:la )?instrucci\w+"
        r"|seguimento d[ae]s? instruç\w+|(?:aderenza|fedeltà) all['’]istruzione|\w*anweisung\w*|instruktions\w+"
        r"|(?:指令|指示)(?:的)?(?:遵循|追従|跟随|遵守|執行|执行|への?忠実)?(?:度|性|程度)?|지시\s?(?:사항\s?)?(?:이행|준수|수행)?도?"
        r"|(?:следование|соблюдение|выполнение) инструкци\w+|اتباع التعليمات"
    ),
    "text": (
        r"text[ -]accuracy|accuracy of (?:the )?text|exactitude du texte|précision du texte|precisión del texto|precisão do texto"
        r"|accuratezza del testo|text(?:genauigkeit|treue)|(?:文字|文本)(?:的)?(?:准确|正確|正确|精確)(?:性|度|率)?|文字精度"
        r"|텍스트 ?정확(?:도|성)|точность текста|دقة النص"
    ),
    "visual": (
        r"visual[ -](?:consistency|coherence|integration)|consistency(?: score)?|cohérence(?: visuelle)?|co(?:herencia|nsistencia)"
        r"(?: visual)?|co(?:erência|nsistência)(?: visual)?|coerenza(?: visiva)?|(?:visuelle |bild)?(?:konsistenz|kohärenz)"
        r"|(?:视觉|視覺|視覚)?(?:的)?(?:一致|連貫|连贯|整合|一貫)(?:性|度)|(?:시각적? ?)?일관성|(?:визуальная )?(?:согласованность|целостность)"
        r"|الاتساق(?: البصري)?"
    ),
    "layout": (
        r"(?:local|layout|locality|background)[ -]preservation|préservation(?: locale| du fond)?|preservación(?: local| del fondo)?"
        r"|preservação(?: local)?|conservazione(?: locale)?|(?:lokale )?(?:bewahrung|erhaltung)|局部(?:保持|保留|保真)(?:性|度)?"
        r"|局所保存(?:性|度)?|(?:국소|지역) ?보존(?:도|성)?|сохранность(?: фона)?"
    ),
    "semantic": (
        r"semantic[ -](?:expectations?|consistency|coherence)|(?:语义|語義|意味)(?:的)?(?:期望|一致|期待)(?:性|度)?"
        r"|cohérence sémantique|coherencia semántica|coerência semântica|coerenza semantica|semantische \w+|의미적? ?일관성"
        r"|семантическая \w+"
    ),
    "quality": (
        r"(?:visual|image|perceptual|overall image)[ -]quality|quality(?: score)?|qualité(?: (?:visuelle|de l['’]image))?|calidad(?: visual"
        r"| de (?:la )?imagen)?|qualidade(?: visual| da imagem)?|qualità(?: visiva| dell['’]immagine)?|bildqualität|visuelle qualität"
        r"|(?:视觉|視覺|視覚|图像|画像|画面)(?:的)?(?:质量|質量|品質|品质)(?:分)?|画質|(?:시각적? ?|이미지 ?)품질"
        r"|(?:визуальное )?качество(?: изображения)?|جودة (?:الصورة|بصرية)|الجودة البصرية"
    ),
    "knowledge": (
        r"knowledge(?:[ -](?:plausibility|score|consistency))?|plausibilité(?: des connaissances)?|plausibilidad(?: del? conocimientos?)?"
        r"|plausibilidade(?: do conhecimento)?|plausibilità(?: delle conoscenze)?|wissens\w+|(?:知识|知識)(?:的)?(?:合理|妥当|可信|整合)(?:性|度)?"
        r"|지식 ?(?:타당성|개연성)|правдоподобие(?: знаний)?"
    ),
    "editing": (
        r"edit(?:ing)?[ -]accuracy|(?:exactitude|précision) (?:de l['’]édition|de la retouche|de la modification)|precisión de (?:la )?edición"
        r"|precisão da edição|accuratezza (?:della modifica|dell['’]editing)|bearbeitungsgenauigkeit|genauigkeit der bearbeitung"
        r"|(?:编辑|編輯|編集)(?:的)?(?:准确|準確|正確|精确)(?:性|度)|編集精度|편집 ?정확(?:도|성)|точность (?:правки|редактирования)|دقة التحرير"
    ),
    "context": r"contextual[ -]preservation|context[ -]preservation",
    "Q2": r"(?:other[ -])?text[ -]preservation|preservation of other text",
    "Q3": r"scene[ -]integrity",
    "Q4": r"local[ -]realism",
    "Q5": r"visual[ -]coherence",
}
"""Names of the dimensions beside those that are asked for, in the languages judges answer in."""
_OF_FIELD = {
    "if": ("instruction",), "ta": ("text",), "vc": ("visual",), "lp": ("layout",), "se": ("semantic",),
    "q1": ("text",), "q2": ("Q2",), "q3": ("Q3",), "q4": ("Q4",), "q5": ("Q5",),
    "editing accuracy": ("editing",), "visual quality": ("quality",), "contextual preservation": ("context",),
    "consistency_score": ("visual",), "quality_score": ("quality",), "instruction_score": ("instruction",),
    "knowledge_score": ("knowledge",),
}  # fmt: skip
_CODES = {
    "editing accuracy": "EA", "visual quality": "VQ", "contextual preservation": "CP", "consistency_score": "VC",
    "quality_score": "VQ", "instruction_score": "IF", "knowledge_score": "KP",
}  # fmt: skip
_SCORE = (
    r"scores?|answer|rating|grade|verdict|评分|得分|分数|打分|評分|分數|スコア|評価|点数|採点|점수|평점|평가|bewertung|note|punktzahl|wertung"
    r"|évaluation|notation|puntuación|calificación|nota|pontuação|avaliação|punteggio|voto|valutazione|оценка|балл|баллы"
    r"|الدرجة|التقييم|cijfer|beoordeling|ocena|puan|skor|điểm(?: số)?|betyg|poäng|skóre|hodnocení|स्कोर|คะแนน|pisteet|pontszám|karakter|оцінка"
)
_FINAL = r"(?:(?:my|the|final|overall|finale?|définitive|endgültige|gesamt|итоговая|最终|最終|综合|最後の|최종)[ -]{0,2}){0,3}"
_FINAL_BEHIND = r"(?:[ ](?:finale?|définitive|total|globale?|complessivo))?"
_OF = r"(?:/|out of|of|von|sur|de|su|из|من|van(?: de)?|ud af|z|av|auf|dari|的|üzerinden|z|trên)"
_WORDS = {**NUMBERS, **NUMBER_WORDS}
_NUMBER = rf"(?P<number>(?:10|[0-9])(?:\.0)?(?!\d)|{'|'.join(sorted(map(re.escape, _WORDS), key=len, reverse=True))})"
_TOP = rf"(?P<top>\d{{1,2}}|{'|'.join(sorted(map(re.escape, _WORDS), key=len, reverse=True))})"
_FRACTION = (
    rf"(?:\s?{_OF}\s?[*_]{{0,2}}{_TOP}(?:\s?(?:分|点|점|punkten?|points?|puntos|pontos|punti|баллов))?"
    r"|\s?(?:分|点|점|點)(?:\s?[(（](?:满分|滿分|out of |/)?\s?(?P<top2>\d{1,2})\s?(?:分|点|점|點)?\s?(?:满分|満点|만점|滿分)?[)）])?"
    r"|\s?[(（]\s?(?:满分|滿分|out of |von |sur |de )?\s?(?P<top3>\d{1,2})\s?(?:分|点|점)?\s?(?:满分|満点|만점)?[)）])?"
)
_TOLD = re.compile(rf"(?:{_SCORE})[^\w\n]{{1,6}}{_NUMBER}(?![\w.,]\d)", _I)
_LINE = r"(?:(?<=\n)|(?<=\A))[ \t]{0,9}"
_BEGIN = rf"(?:{_LINE}|(?<=[.!?;] )(?<!\.g\. )|(?<=[。！？；]))[ \t]{{0,9}}"
_MARKS = r"[^\w\n<{(\[]{0,12}(?:\d{1,2}[.)]\s{1,3})?[*_`]{0,3}"
_SEP = r"[*_`】]{0,3}\s{0,3}(?:(?:[:：=➜→➡]\ufe0f?\s?){1,2}|->|=>|[–—-](?=\s)|\bis\b|(?<=】))[\s*_`]{0,6}"
_END = r"(?=[*_`]{0,3}\s{0,3}(?:\Z|\n|[.,;!。，；、(（|<–—-](?!\d)|because\b|since\b|with\b|and\b|as\b|for\b|due\b|weil\b|car\b|porque\b))"
_STYLED = re.compile("[\U0001d400-\U0001d7ff]")
_WIDE = re.compile("[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
"""Scripts whose digits may be of full width."""
_KEYCAP = re.compile("([0-9])\ufe0f?\u20e3")
_BOXED = re.compile(
    r"(?:\$\$?|\\\[|\\\()?\s{0,3}\\boxed\{\s?(?:\\text\{)?\s?(\d{1,2})(?:\s?/\s?(\d{1,2}))?\s?\}?\s?\}\s{0,3}(?:\$\$?|\\\]|\\\))?"
)
_TAGS = re.compile(r"</?(?:p|b|i|u|em|strong|span|div|li|ul|ol)>", _I)
_DOUBLE = re.compile(r"\[\[\s?([0-9]{1,2})(?:\s?/\s?(\d{1,2}))?\s?\]\]")
_BREAKS = re.compile(r"</(?:p|div|li|tr|h\d)>|<br\s?/?>", _I)


def plainer(reply: str, fields: Mapping[str, tuple[int, int]]) -> str:
    """The reply with every verdict of another spelling on a line of its own, as ``NAME: 4``."""
    if len(reply) > LONGEST:
        return reply
    text = _KEYCAP.sub(r"\1", reply)
    text = text.replace("\u2044", "/")
    text = _STYLED.sub(lambda found: unicodedata.normalize("NFKC", found[0]), text)
    if _WIDE.search(text):
        text = "".join(_plain_digit(letter) if ord(letter) > 0x7F else letter for letter in text)
    text = _TAGS.sub("", _BREAKS.sub("\n", text))
    text = _renamed(text, fields)
    single = next(iter(fields)) if len(fields) == 1 else ""
    if single:
        text = _single(text, single, fields[single][1])
    for name, (_, high) in fields.items():
        for pattern in _patterns(name, bool(single)):
            text = pattern.sub(partial(_line, name=name, high=high), text)
    return text


def scores_told(text: str) -> set[int | None]:
    """Every number that a word of scores stands before, in any of the languages."""
    return {_value(found["number"]) for found in _TOLD.finditer(text[:LONGEST])}


def _plain_digit(letter: str) -> str:
    """A digit of full width as a plain one; other letters as they are."""
    return (
        unicodedata.normalize("NFKC", letter)
        if "０" <= letter <= "９" or letter in "／＋"
        else letter
    )


def _single(text: str, name: str, high: int) -> str:
    """Forms that need no name where one number was asked for."""
    for mark in (_BOXED, _DOUBLE):
        found = mark.findall(text)
        if len(found) == 1 and (not found[0][1] or int(found[0][1]) == high):
            text = mark.sub(rf"\n{name}: \1\n", text)
    text = re.sub(
        rf"<(answer|score|rating)>\s?([0-9]{{1,2}})(?:\s?/\s?{high})?\s?</\1>",
        rf"\n{name}: \2\n",
        text,
    )
    bare = re.fullmatch(r"[\s*_`]{0,9}(\d{1,2}(?:\s?/\s?\d{1,2})?)[\s*_`.]{0,9}", text)
    return f"{name}: {bare[1]}" if bare else text


def _line(found: re.Match[str], name: str, high: int) -> str:
    groups = found.groupdict()
    top = next((groups[key] for key in ("top", "top2", "top3") if groups.get(key)), None)
    spelled = not found["number"][0].isdecimal() and found["number"].casefold() not in NUMBER_WORDS
    if (top is None and spelled) or (top is not None and _value(top) != high):
        return found[0]
    return f"\n{name}: {_value(found['number'])}"


def _value(text: str) -> int | None:
    word = text.casefold()
    return int(float(text)) if word[0].isdecimal() else _WORDS.get(word)


@lru_cache(maxsize=64)
def _patterns(name: str, single: bool) -> tuple[re.Pattern[str], ...]:
    """How a field is named, and the forms in which it is given a number."""
    own, named = _names(name)
    code = r"(?:\s?[(（][^()（）\n]{1,30}[)）])?"
    label = (
        rf"(?:{_FINAL}{named}{code}(?:[ ](?:score|rating|grade))?(?:\s?[–—:-]\s?{named}{code})?)"
    )
    if single:
        label = rf"(?:{label}|{_FINAL}(?:{_SCORE}|final(?=[*_]{{0,3}}\s?[:：]\s?[*_]{{0,3}}\d\s?/)){_FINAL_BEHIND}(?:\s?[(（]\s?(?:{own}|{named})\s?[)）]|[ ](?:for|of|pour|für|per|de)[ ](?:the[ ])?(?:{own}|{named}))?)"
    labelled = rf"{_BEGIN}{_MARKS}{label}{_SEP}{_NUMBER}{_FRACTION}{_END}"
    told = (
        rf"(?<![\w'’])i (?:would |'d )?(?:rate|give|score|assign|award) (?:it |this |the edit )?(?:an? )?(?:the )?{named}(?: score)?(?: an?| at| with| as| of)?"
        rf"(?: solid| strong| weak| clear)? {_NUMBER}(?:\s(?:out of|of)\s|\s?/\s?){_TOP}(?! (?:if|unless|had|were|only|but for)\b){_END}"
    )
    joined = (
        rf"(?<=\d) and {named} (?:at |a |with )?{_NUMBER}(?:\s(?:out of|of)\s|\s?/\s?){_TOP}{_END}"
    )
    last = rf"(?<=[.!?] )(?<!\.g\. )(?<!\.e\. ){own}(?:[ ](?:score|rating))?(?:{_SEP}|[ ]){_NUMBER}{_FRACTION}(?=\W{{0,3}}\Z)"
    here = rf"(?:{_LINE}{_MARKS}{_FINAL}{own}{code}(?:\s?[–—:-]\s?{named}{code})?|{_BEGIN}{_FINAL}{own}[ ](?:score|rating)){_SEP}{_NUMBER}{_FRACTION}{_END}"
    return tuple(re.compile(pattern, _I) for pattern in (labelled, here, last, told, joined))


@lru_cache(maxsize=64)
def _names(name: str) -> tuple[str, str]:
    """Patterns of the name that was asked for, and of its other ones."""
    plain = name.casefold()
    own = "[ _-]".join(re.escape(part) for part in re.split(r"[ _-]", name))
    own = f"(?-i:{own})" if name.isupper() else own
    others = [_CONCEPTS[concept] for concept in _OF_FIELD.get(plain, ())]
    others += [f"(?-i:{_CODES[plain]})"] if plain in _CODES else []
    return own, f"(?:{'|'.join(others)})" if others else own


_KEY = re.compile(
    r"(?P<before>[\"'|]\s{0,3}[*_]{0,2})(?P<key>[^\W\d][^\"'|:\n]{1,40}?)(?P<after>[*_]{0,2}\s{0,3}(?:[\"']\s{0,3}[:：]|\|))"
)


def _renamed(text: str, fields: Mapping[str, tuple[int, int]]) -> str:
    """The text with other names as keys of objects and in cells of tables put right."""
    patterns = {name: re.compile(_names(name)[1], _I) for name in fields}

    def rename(found: re.Match[str]) -> str:
        key = re.sub(r"[ _-]+", " ", found["key"]).strip()
        for name, pattern in patterns.items():
            if key.casefold().startswith(f"{name.casefold()} ") and pattern.fullmatch(
                key[len(name) + 1 :]
            ):
                return f"{found['before']}{name}{found['after']}"
            if pattern.fullmatch(key) or pattern.fullmatch(key.removesuffix(" score")):
                return f"{found['before']}{name}{found['after']}"
        return found[0]

    return _KEY.sub(rename, text)
