"""What a judge says in another language than English: that it saw no picture, or that what it said
does not count.

Judges are asked in English and answer in English nearly always. In German, French, Spanish,
Portuguese, Italian, Russian, Chinese, Japanese and Korean these two are recognised by the words for
them. Of words behind a verdict in a script that is none of these nothing is known, and the verdict
is flagged. All patterns look at a bounded stretch of a clause, so that reading stays linear.
"""

from __future__ import annotations

import re

_BLIND = (
    # German: "kein Bild sehen", "das Bild wurde nicht übermittelt"
    (
        r"\bkeine?n? (?:\w{1,20} )?(?:bild|foto|abbildung)\w{0,4} (?:\w{1,20} ){0,2}"
        r"(?:seh|erkenn|erhalt|übermittel|bekomm|beigefügt|angehängt|bereitgestell|vorhanden|öffn|lad)"
    ),
    r"\bsehe (?:leider )?keine?n? (?:\w{1,20} )?(?:bild|foto)",
    (
        r"\b(?:bild|foto)\w{0,4} (?:\w{1,20} ){0,3}nicht (?:\w{1,20} ){0,2}"
        r"(?:geladen|laden|öffnen|übermittelt|erhalten|beigefügt|angehängt|bereitgestellt|zugreifen)"
    ),
    # French
    r"\bje n['’]ai (?:pas )?(?:reçu|vu) (?:aucune |d['’]|l['’]|les )(?:image|photo)",
    r"\bje ne (?:vois|reçois) (?:aucune? |pas (?:d['’]|l['’]|les |la )?)(?:image|photo)",
    (
        r"\bje ne (?:peux|parviens|puis) (?:pas )?(?:à )?(?:voir|ouvrir|consulter|afficher) "
        r"(?:l['’]|les |la |cette |aucune )?(?:image|photo)"
    ),
    (
        r"\b(?:aucune |l['’]|les )(?:image|photo)s?\b[^.]{0,20}\b(?:n['’]|ne |non )[^.]{0,12}"
        r"(?:fourni|reçu|joint|transmis|disponible|chargé)"
    ),
    # Spanish and Portuguese
    (
        r"\b(?:no|não) (?:puedo|consigo|logro|posso) "
        r"(?:ver|abrir|cargar|visualizar|acceder a|acessar) "
        r"(?:las? |as? |ninguna |nenhuma |esta )?(?:imag|foto)"
    ),
    (
        r"\bno (?:(?:se )?(?:adjunt|proporcion|recib|envi|carg)\w{1,7}|veo|he recibido|hay) "
        r"(?:las? |ninguna )?(?:imag|foto)"
    ),
    r"\b(?:nenhuma imagem|imagem não) (?:foi )?(?:fornec|envia|anexa|recebi|carrega)",
    # Italian
    (
        r"\bnon (?:riesco a |posso )?(?:vedere|vedo|aprire|visualizzare) "
        r"(?:l['’]|le |alcuna |nessuna )?immagin"
    ),
    r"\bimmagin[ei] (?:non|mai) (?:\w{1,12} ){0,3}(?:caricat|fornit|ricevut|allegat|disponibil)",
    r"\bnessuna immagine (?:è stata )?(?:fornit|allegat|ricevut|caricat)",
    # Russian
    (
        r"\bне (?:вижу|получил[аи]?|могу (?:увидеть|открыть|посмотреть|просмотреть)) "
        r"(?:\w{1,20} )?(?:изображени|картин|фото)"
    ),
    (
        r"\b(?:изображени|картин|фото)\w{0,5} (?:\w{1,20} )?"
        r"(?:не (?:был\w? )?(?:предоставл|прикрепл|загруж|загрузил|получен|прислан)"
        r"|отсутству|нет\b)"
    ),
    # Chinese
    (
        r"(?:无法|没有|未能|不能|未|看不)(?:直接)?"
        r"(?:看到|看见|查看|提供|收到|显示|加载|访问|打开|上传|附上|到)"
        r"(?:任何|该|此|这张|第.张|编辑后的)?(?:图|照片)"
    ),
    r"没有(?:任何)?(?:图像|图片|图|照片)(?=[。，,.!！]|\Z)",
    r"(?:图像|图片|照片)(?:无法|未能|未|没有|不能)(?:被)?(?:显示|加载|提供|收到|打开|上传)",
    # Japanese
    (
        r"画像(?:は|が|を)?(?:見え|見ること|確認でき|表示され|添付され|提供され|受け取|開け|読み込)"
        r"[^。]{0,8}(?:ない|ません|なかった)"
    ),
    # Korean
    (
        r"(?:이미지|사진|그림)(?:를|을|가|이)? ?"
        r"(?:볼|확인할|열|받|첨부|제공|표시)[^.]{0,10}(?:없|못|않)"
    ),
)
_WITHDRAWN = (
    # German
    r"\b(?:nehme|ziehe)\b[^.\n]{0,30}\bzurück\b|\bzurück(?:genommen|gezogen|nehmen|ziehen)",
    r"\b(?:gilt|zählt|stimmt) (?:\w{1,12} )?nicht\b|\bungültig|\bverwerf|\bverworfen|\bignorier",
    r"\b(?:korrektur|korrigier|berichtig)|\bhinfällig|\bvergessen sie",
    # French
    r"\b(?:je (?:me )?retire|retirer|annul|corrig|rectifi|correction\s?:)|\bignore[rz]\b",
    r"\bne (?:tenez|tenir|pas tenir|compt\w{1,4}) pas\b|\bn['’]est pas valable\b",
    # Spanish, Portuguese, Italian
    r"\b(?:ignor[eai]|ignorar|retir[oae]|retirar|ritir|anul|annull|descart|scart|correcci|correç)",
    r"\b(?:corrij|corrig|correggo|rettific)|\bno es v[áa]lid|\bnão (?:é válid|vale)|\bnon vale\b",
    # Russian
    r"\bне (?:учитыва|считат|действит)|\b(?:отзыва|отмен|игнорир|недействит)",
    r"\b(?:исправл|поправк|забудьте)",
    # what speaks of the verdict itself, behind it
    r"\b(?:diese|obige|meine) (?:note|bewertung|wertung|punktzahl)\b|\b(?:widerruf|widerrufe)\b",
    r"\b(?:cette|ma) (?:note|évaluation)\b|\bce score\b",
    r"\b(?:esta|esa|essa|mi|minha) (?:nota|puntuación|calificación|pontuação)\b",
    r"\b(?:questo|mio) (?:voto|punteggio)\b|\b(?:эт[ау]|моя|мою) оценк|\bпередумал",
    r"(?:该|此|以上|上述|这个|我的)(?:评分|分数|得分|评价)",
    r"(?:この|その|前述の|上記の|さきほどの)(?:点数|スコア|評価)",
    r"(?:이|위|해당) ?(?:점수|평가)",
    # Chinese, Japanese, Korean
    r"作废|忽略|撤回|撤销|取消|无效|更正|修正|订正|不算|收回|不作数|取り消|無視|無効|訂正|撤回",
    r"무시|취소|철회|정정|무효|수정",
)
_REASON = re.compile(
    r"^\W{0,6}(?:rationale|reason(?:ing)?|explanation|justification|comments?|why|begründung|erklärung"
    r"|raison|explication|motivo|raz[óo]n|explicaci[óo]n|justificaci[óo]n|explicação|motivazione"
    r"|причина|обоснование|理由|原因|说明|解释|説明|이유|설명)\W{0,4}[:：][^\n]*",
    re.IGNORECASE | re.MULTILINE,
)
"""A line that is called the reason of the verdict above it: there words like "corrected" are about
the picture.
"""
_blind = re.compile("|".join(f"(?:{pattern})" for pattern in _BLIND), re.IGNORECASE)
_withdrawn = re.compile("|".join(f"(?:{pattern})" for pattern in _WITHDRAWN), re.IGNORECASE)
_UNREAD = re.compile(
    r"[\u0370-\u03ff\u0530-\u10ff\u1200-\u1cff\u0700-\u0eff\u0600-\u06ff\u0f00-\u0fff]"
)
"""Letters of scripts of which no word is known here: Greek, Armenian, Hebrew, Arabic, those of
India and South-East Asia, Ethiopic, Georgian.
"""


def is_blind(text: str) -> bool:
    """Whether a judge says, in one of these languages, that it saw no picture."""
    return _blind.search(text) is not None


def is_withdrawn(after: str) -> bool:
    """Whether the words behind a verdict say that it does not count or is to be corrected, or are
    in a script that is not read.
    """
    return _withdrawn.search(after) is not None or len(_UNREAD.findall(after[:2000])) > 2


def without_reasons(after: str) -> str:
    """The words behind a verdict without the lines that are called its reason."""
    return _REASON.sub(" ", after)
