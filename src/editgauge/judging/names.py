"""What a field is called: its own name, its other names in the languages judges answer in, and the
words for a score.
"""

from __future__ import annotations

import re
from functools import lru_cache

from editgauge.judging.lexicon import SCORE

_CONCEPTS = {
    "instruction": (
        r"instruction(?:[ -](?:following|adherence|compliance|score))?|suivi (?:de l['’]|des )instructions?"
        r"|respect (?:de l['’]|des )(?:instructions?|consignes?)|(?:seguimiento|cumplimiento) de (?:la )?instrucci\w+"
        r"|seguimento d[ae]s? instruç\w+|(?:aderenza|fedeltà) all['’]istruzione|\w*anweisung\w*|instruktions\w+"
        r"|(?:指令|指示)[的の]?(?:遵循|追従|跟随|遵守|執行|执行|への?忠実)?(?:度|性|程度)?|지시\s?(?:사항\s?)?(?:이행|준수|수행)?도?"
        r"|(?:следование|соблюдение|выполнение) инструкци\w+|اتباع التعليمات"
        r"|instructies? (?:opvolgen|naleving)|(?:het )?(?:opvolgen|naleven) van (?:de )?instructies?|instructie\w*|(?:przestrzeganie|wykonanie|zgodność z) (?:poleceni\w+|instrukcj\w+)|(?:talimat\w*|yönerge\w*)(?: uyum\w*| takibi)?|instruktionsföljning|(?:ακολούθηση|τήρηση) (?:των )?οδηγιών|निर्देश(?:ों का)?(?: पालन| अनुपालन)?|tuân thủ (?:hướng dẫn|chỉ dẫn|yêu cầu)|(?:kepatuhan|mengikuti) instruksi|(?:дотримання|виконання) інструкці\w+|dodržení (?:pokynu|instrukce)|الالتزام بالتعليمات|(?:following|adherence to|compliance with) (?:the )?instructions?|instruction fulfil+ment"
    ),
    "text": (
        r"text[ -]accuracy|accuracy of (?:the )?text|exactitude du texte|précision du texte|precisión del texto|precisão do texto"
        r"|accuratezza del testo|text(?:genauigkeit|treue)|(?:文字|文本)[的の]?(?:准确|正確|正确|精確)(?:性|度|率)?|文字精度"
        r"|텍스트 ?정확(?:도|성)|точность текста|دقة النص"
        r"|tekstnauwkeurigheid|dokładność tekstu|metin doğruluğu|textnoggrannhet|ακρίβεια κειμένου|पाठ(?: की)? (?:सटीकता|शुद्धता)|độ chính xác (?:của )?văn bản|akurasi teks|точність тексту|přesnost textu|text(?:ual)? correctness|accuracy of text|target text accuracy"
    ),
    "visual": (
        r"visual[ -](?:consistency|coherence|integration)|consistency(?: score)?|cohérence(?: visuelle)?|co(?:herencia|nsistencia)"
        r"(?: visual)?|co(?:erência|nsistência)(?: visual)?|coerenza(?: visiva)?|(?:visuelle |bild)?(?:konsistenz|kohärenz)"
        r"|(?:视觉|視覺|視覚)?[的の]?(?:一致|連貫|连贯|整合|一貫)(?:性|度)|(?:시각적? ?)?일관성|(?:визуальная )?(?:согласованность|целостность)"
        r"|الاتساق(?: البصري)?"
        r"|visuele (?:consistentie|samenhang)|consistentie|spójność(?: wizualna)?|görsel (?:tutarlılık|bütünlük)|tutarlılık|visuell (?:konsistens|enhetlighet)|konsistens|(?:οπτική )?συνέπεια|(?:दृश्य )?(?:संगति|निरंतरता|एकरूपता)|(?:tính )?nhất quán(?: thị giác| hình ảnh)?|konsistensi(?: visual)?|(?:візуальна )?(?:узгодженість|цілісність)|(?:vizuální )?(?:konzistence|soudržnost)|consistency with (?:the )?(?:input|source|original)"
    ),
    "layout": (
        r"(?:local|layout|locality|background)[ -]preservation|préservation(?: locale| du fond)?|preservación(?: local| del fondo)?"
        r"|preservação(?: local)?|conservazione(?: locale)?|(?:lokale )?(?:bewahrung|erhaltung)|局部(?:保持|保留|保真)(?:性|度)?"
        r"|局所保存(?:性|度)?|(?:국소|지역) ?보존(?:도|성)?|сохранность(?: фона)?"
        r"|lokaal behoud|behoud(?: van de achtergrond)?|zachowanie (?:lokalne|tła|układu)|yerel koruma|lokalt bevarande|bevarande|(?:τοπική )?διατήρηση|स्थानीय संरक्षण|संरक्षण|bảo toàn(?: cục bộ)?|pelestarian lokal|збереження(?: фону)?|zachování(?: pozadí)?|非目标区域保持(?:度)?|(?:背景|非編集領域の?)(?:保持|保存)(?:度|性)?|الحفاظ(?: المحلي)?"
    ),
    "semantic": (
        r"semantic[ -](?:expectations?|consistency|coherence)|(?:语义|語義|意味)[的の]?(?:期望|一致|期待)(?:性|度)?"
        r"|cohérence sémantique|coherencia semántica|coerência semântica|coerenza semantica|semantische \w+|의미적? ?일관성"
        r"|семантическая \w+"
        r"|semantische verwachting|oczekiwania semantyczne|(?:semantik|anlamsal) (?:beklenti|tutarlılık)|σημασιολογική \w+|семантична \w+|sémantick\w+ \w+|अर्थ(?:गत)? संगति|semantic expectation alignment"
    ),
    "quality": (
        r"(?:visual|image|perceptual|overall image)[ -]quality|quality(?: score)?|qualité(?: (?:visuelle|de l['’]image))?|calidad(?: visual"
        r"| de (?:la )?imagen)?|qualidade(?: visual| da imagem)?|qualità(?: visiva| dell['’]immagine)?|bildqualität|visuelle qualität"
        r"|(?:(?:视觉|視覺|視覚|图像|影像|图片|画像|画面|整体)[的の]?)?(?:质量|質量|品質|品质)(?:分)?|画質|(?:시각적? ?|이미지 ?)품질"
        r"|(?:визуальное )?качество(?: изображения)?|جودة (?:الصورة|بصرية)|الجودة البصرية"
        r"|(?:visuele |beeld)kwaliteit|kwaliteit|jakość(?: wizualna| obrazu)?|(?:görsel |görüntü )?kalite(?:si)?|(?:visuell |bild)?kvalitet|(?:οπτική )?ποιότητα(?: εικόνας)?|(?:दृश्य |छवि )?गुणवत्ता|chất lượng(?: hình ảnh| thị giác)?|kualitas(?: visual| gambar)?|(?:візуальна )?якість(?: зображення)?|(?:vizuální |obrazová )?kvalita|คุณภาพ(?:ของ)?(?:ภาพ)?|איכות(?: חזותית| התמונה)?|کیفیت(?: بصری| تصویر)?|(?:جودة|الجودة)(?: المرئية)?"
    ),
    "knowledge": (
        r"knowledge(?:[ -](?:plausibility|score|consistency))?|plausibilité(?: des connaissances)?|plausibilidad(?: del? conocimientos?)?"
        r"|plausibilidade(?: do conhecimento)?|plausibilità(?: delle conoscenze)?|wissens\w+|(?:知识|知識)[的の]?(?:合理|妥当|可信|整合)(?:性|度)?"
        r"|지식 ?(?:타당성|개연성)|правдоподобие(?: знаний)?"
        r"|kennis\w*|(?:wiarygodność|poprawność|zgodność) wiedzy|bilgi (?:tutarlılığı|uygunluğu|doğruluğu)|kunskaps\w+|(?:αληθοφάνεια|ορθότητα) γνώσης|ज्ञान(?: की)? (?:संभाव्यता|तार्किकता|शुद्धता)|tính hợp lý (?:về )?kiến thức|kewajaran pengetahuan|правдоподібність(?: знань)?|věrohodnost(?: znalostí)?|معقولية المعرفة|plausibility(?: of (?:the )?knowledge)?"
    ),
    "editing": (
        r"edit(?:ing)?[ -]accuracy|(?:exactitude|précision) (?:de l['’]édition|de la retouche|de la modification)|precisión de (?:la )?edición"
        r"|precisão da edição|accuratezza (?:della modifica|dell['’]editing)|bearbeitungsgenauigkeit|genauigkeit der bearbeitung"
        r"|(?:编辑|編輯|編集)[的の]?(?:准确|準確|正確|精确)(?:性|度)|編集精度|편집 ?정확(?:도|성)|точность (?:правки|редактирования)|دقة التحرير"
        r"|bewerkingsnauwkeurigheid|nauwkeurigheid van de bewerking|dokładność edycji|düzenleme doğruluğu|redigeringsnoggrannhet|ακρίβεια επεξεργασίας|संपादन(?: की)? सटीकता|độ chính xác (?:của )?chỉnh sửa|akurasi (?:pengeditan|penyuntingan|edit)|точність редагування|přesnost úpravy|ความแม่นยำในการแก้ไข|דיוק העריכה|دقت ویرایش|accuracy of (?:the )?edit(?:ing)?"
    ),
    "context": (
        r"contextual[ -]preservation|context[ -]preservation"
        r"|(?:préservation|preservación|preservação|conservazione) (?:du contexte|contextuelle|del contexto|contextual|do contexto|del contesto)|kontexterhaltung|(?:上下文|背景|文脈)(?:保持|保留|保存)(?:性|度)?|сохранение контекста|맥락 ?보존(?:도)?"
    ),
    "Q2": (
        r"(?:other[ -])?text[ -]preservation|preservation of other text"
        r"|preservation of (?:the )?other texts?|other text(?:s)? preserved"
    ),
    "Q3": (
        r"scene[ -]integrity"
        r"|integrity of the scene|scene preservation"
    ),
    "Q4": (
        r"local[ -]realism"
        r"|local (?:edit )?realism|realism"
    ),
    "Q5": (
        r"visual[ -]coherence"
        r"|coherence"
    ),
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
    "q1": "TA", "q2": "TP", "q3": "SI", "q4": "LR", "q5": "VC",
}  # fmt: skip


def names_of_all() -> tuple[str, ...]:
    """The names of every field that a benchmark here asks for, and their codes."""
    return tuple(dict.fromkeys([*_OF_FIELD, *_CODES.values()]))


_QUESTION = re.compile(r"q(\d)")
_NUMBERED = (
    r"(?:question|criterion|frage|pregunta|pergunta|domanda|вопрос|vraag|pytanie|soru|问题|問題|質問|설문|질문|문항)"
    r"(?:\s?(?:no\.?|nr\.?|n°|#))?\s?"
)


@lru_cache(maxsize=64)
def names_of(name: str) -> tuple[str, str]:
    """Patterns of the name that was asked for, and of its other ones (the same where it has none)."""
    plain = name.casefold()
    own = "[ _-]".join(re.escape(part) for part in re.split(r"[ _-]", name))
    own = f"(?-i:{own})" if name.isupper() else own
    others = [_CONCEPTS[concept] for concept in _OF_FIELD.get(plain, ())]
    others += [f"(?-i:{_CODES[plain]})"] if plain in _CODES else []
    question = _QUESTION.fullmatch(plain)
    others += [rf"{_NUMBERED}{question[1]}(?!\d)"] if question else []
    return own, f"(?:{'|'.join(others)})" if others else own


@lru_cache(maxsize=64)
def other_names(name: str) -> re.Pattern[str]:
    """What other dimensions than the field's are called."""
    mine = _OF_FIELD.get(name.casefold(), ())
    others = [pattern for concept, pattern in _CONCEPTS.items() if concept not in mine]
    return re.compile(rf"(?<!\w)(?:{'|'.join(others)})(?!\w)", re.IGNORECASE)


_ANY_CODE = r"(?-i:IF|TA|VC|LP|SE|EA|VQ|CP|KP|TP|SI|LR|Q[1-9])"


@lru_cache(maxsize=64)
def _other_line(names: tuple[str, ...]) -> re.Pattern[str]:
    others = "|".join([*_CONCEPTS.values(), _ANY_CODE])
    return re.compile(
        rf"^[^\w\n]{{0,9}}(?:\d{{1,2}}[.)][ ])?[*_]{{0,3}}(?=[^\W\d_])(?P<label>(?:{others})(?:[ _-]?score)?)(?!\w)[*_]{{0,3}}(?:\s?\((?!\d)[^()\n]{{1,30}}\)|(?=\s?\(\d{{1,2}}/))?[*_]{{0,3}}"
        r"(?:\s?[:：=|>–(-][ \t*_\[]{0,6}|[ \t]{0,3}\n{1,2}[ \t*_]{0,6}(?=\d{1,2}[*_]{0,2}\s?(?:/|[.;:–—-]\s|$)))"
        r"\d{1,2}[^\n]{0,500}$",
        re.IGNORECASE | re.MULTILINE,
    )


def without_other_lines(text: str, names: tuple[str, ...]) -> str:
    """The text without lines that give a number to a dimension that is not one of `names`.

    Lines of the fields themselves stay; so does whatever else there is.
    """

    def kept(found: re.Match[str]) -> str:
        return found[0] if field_called(found["label"], names) else " "

    return _other_line(names).sub(kept, text)


@lru_cache(maxsize=64)
def _other_value(names: tuple[str, ...]) -> re.Pattern[str]:
    mine = {concept for name in names for concept in _OF_FIELD.get(name.casefold(), ())}
    others = "|".join(pattern for concept, pattern in _CONCEPTS.items() if concept not in mine)
    return re.compile(
        rf"(?:[,;]\s|\band\s)(?:and )?(?:the )?(?:{others})(?:\s?\([^()\n]{{1,20}}\))?(?:[ ](?:score|rating|grade|mark))?\s?(?:is|gets|at|of|:|=|–|-)?\s?(?:at )?\d{{1,2}}\s?(?:/|out of)\s?\d{{1,2}}(?!\d)",
        re.IGNORECASE,
    )


def without_other_values(sentence: str, names: tuple[str, ...]) -> str:
    """The sentence without clauses that give a number to a dimension that is none of `names`."""
    return _other_value(names).sub(" ", sentence) if re.search(r"\d", sentence) else sentence


_AROUND = re.compile(
    rf"\A(?:(?:the|my|final|overall)[ ])*(?:(?:{SCORE})(?:[ ](?:for|of|de|für|per|pour))?[ ])?(?P<bare>.*?)(?:[ ]?(?:{SCORE}))?\Z",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r"\A(?P<first>[^()（）]{1,60}?)\s?[(（](?P<inside>[^()（）]{1,60})[)）]\Z")


def field_called(words: str, fields: tuple[str, ...]) -> str | None:
    """The one of the fields that is called so, in a cell or as a key; None where none is.

    Case, marks, a word for scores around the name, and a second name in brackets make no difference.
    """
    words = re.sub(r"[\s_*`\"-]+", " ", words[:120]).strip(" :：'")
    if not words:
        return None
    if (two := _BRACKETS.match(words)) is not None:
        first = field_called(two["first"], fields)
        inside = field_called(two["inside"], fields)
        return first if inside in (None, first) else None
    bare = _AROUND.match(words)
    spellings = {words, bare["bare"].strip() if bare else words}
    found = {
        name
        for name in fields
        for spelling in spellings
        if any(_called(pattern).fullmatch(spelling) for pattern in _named(name))
    }
    return found.pop() if len(found) == 1 else None


@lru_cache(maxsize=128)
def _called(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


@lru_cache(maxsize=64)
def _named(name: str) -> tuple[str, ...]:
    """A field's names, alone and one behind the other ("Q1 – Text accuracy", "IF instruction")."""
    own, others = names_of(name)
    own = own.replace("[ _-]", "[ ]")
    return own, others, rf"{own}[ ]?[.:–—]?[ ]?(?:{others})"
