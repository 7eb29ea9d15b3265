"""What a judge says in another language than English: that it saw no picture, that what it said
does not count, or that the score is another number.

Judges are asked in English and answer in English nearly always. In some twenty other languages these
are recognised by the words for them, most of which stand in `lexicon`. Of words behind a verdict in a
script that is none of these nothing is known, and the verdict is flagged. All patterns look at a
bounded stretch of a clause, so that reading stays linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from editgauge.judging.lexicon import (
    COMMON_ELSEWHERE,
    COMMON_ENGLISH,
    NUMBER_ARTICLES,
    NUMBERS,
    THINGS_ELSEWHERE,
    UNSEEN,
)

_CHANGED_JA = "変更|変化|変わ|違い|差|同じ|同一|編集され(?!た)|修正され(?!た)"
_CHANGED_ZH = "[对對](?!图[片像]?的)|改|修|变|變|在"
_CHANGED_KO = "변경|변하|변화|바뀌|수정|편집되|동일|흐리|차이"
"""What is not there is then a change, or a place: "the picture was not changed"."""

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
        r"(?<!на )(?<!в )(?<!из )\b(?:изображени|картин|фото)\w{0,5} (?:\w{1,20} )?"
        r"(?:не (?:был\w? )?(?:предоставл|прикрепл|загруж|загрузил|получен|прислан)"
        r"|отсутству|нет\b)"
    ),
    # the plain "no picture", in all of them
    (
        r"\bkeine?n? (?:\w{1,20} )?(?:bild|foto|abbildung|datei)|\b(?:ningun[ao]?|nenhuma?|nessuna?"
        r"|aucune?) (?:imag|foto|photo|immagin|fichier|archivo|file)"
    ),
    (
        r"\b(?:no|não|non|sin|sem|senza|ohne|brak|bez|без) (?:[\w']{1,12} ){0,3}(?:imagen|imágen"
        r"|imagem|immagin|foto\b|bild|obraz|изображ|картин)|\bsans (?:les? |la |l['’]|aucune )?(?:image"
        r"|photo)"
    ),
    (
        rf"画像(?!に|には|内|上|中|の)(?:(?!{_CHANGED_JA}).){{0,12}}(?:ない|ありません|ません|なし|無)"
        rf"|(?:이미지|사진)(?!에|의|상|내|속)(?:(?!{_CHANGED_KO}).){{0,8}}(?:없|못|않)|(?:没有|無|无|缺)(?:(?!{_CHANGED_ZH}).){{0,4}}(?:图|照片"
        r"|圖)|(?:图|照片|圖|像)[^，。；、\n]{0,4}(?:(?:没有?|沒有?|未|无法|無法|不能|不)(?:能|被|成功)?(?:看|见|見|收|显示|顯示|加载|載入|载入|提供|上传|上傳|附|打开|打開|传|給|给|找|访问|获取|存在(?![^\W于])|可见|可用|渲染)|失败|失敗|缺失|(?:没有|無|无)(?=[。！!,，；]|\Z))|\bkeine?n? zugriff|\b(?:bild|foto)\w{0,3} fehl"
        r"|\bpas d['’e] ?(?:image|photo)|\b(?:non vedo (?:nulla|niente)|no veo nada|não vejo nada|ne vois rien|sehe nichts|ничего не вижу|nic nie widzę)(?=\W*(?:\Z|[.,;]))"
    ),
    # Arabic, Persian, Hebrew
    (
        r"(?:لا|لم|لن|تعذر|غير قادر|لست قادر)[^.\n]{0,25}(?:أر[ىي]|رؤية|أستطيع|أتمكن|أستلم|أتلق|أفتح|فتح|عرض|تحميل|مشاهدة|الوصول|أشاهد|إرفاق|ترفق|تصلني|يصلني|تقديم|توفير)"
        r"[^.\n]{0,25}صور|صور[^.\n]{0,25}(?:غير (?:متاح|متوفر|مرفق|موجود|مرئي|ظاهر)|لم (?:ترفق|تُرفق|تصل|تظهر|يتم|تُحم|تحم)|لا تظهر|مفقود|تالف)"
        r"|(?:بدون|دون|لا توجد|لا يوجد|ليس هناك|ليست هناك)(?: أي| أية)? صور|تصویر[^.\n]{0,25}(?:نمی|ندار|نیست|نشد)|(?:بدون|هیچ) تصویر"
        r"|(?:לא|אין)[^.\n]{0,25}(?:רואה|לראות|קיבלתי|התקבל|צורפ|לפתוח|גישה|נטענ|זמינ)[^.\n]{0,20}תמונ|תמונ[^.\n]{0,20}(?:לא (?:צורפ|נטענ|התקבל|זמינ|הגיע)|חסר|אינ)"
        r"|(?:אין|בלי|ללא) (?:שום )?תמונ"
    ),
    # Hindi, Thai, Greek, Turkish, Polish, Czech, Vietnamese, Indonesian, Finnish, Swedish
    (
        r"(?:चित्र|छवि|तस्वीर|इमेज)[^।\n]{0,20}(?:नहीं (?:दिख|मिल|देख|उपलब्ध|है)|उपलब्ध नहीं)|ไม่(?:สามารถ(?:เห็น|ดู|เปิด)|เห็น|พบ|ได้รับ|มี)(?:ภาพ|รูป)"
        r"|(?:δεν|χωρίς)[^.\n]{0,25}(?:βλέπω|δω|ανοίξω|έλαβα|εμφαν|φορτώ|διαθέσιμ|επισυν)[^.\n]{0,20}εικόν|εικόν\w*[^.\n]{0,20}(?:δεν (?:φορτ|εμφαν|υπάρχ|επισυν)|λείπ)"
        r"|(?:görsel|resim|resm|görüntü|fotoğraf)(?!\w*(?:de|da|te|ta)\b)\w*[^.\n]{0,25}(?:göremiyorum|göremedim|yüklenmedi|yok\b|alınamadı|eklenmemiş|açılmıyor|erişemiyorum)"
        r"|nie (?:widzę|mogę (?:zobaczyć|otworzyć)|otrzyma\w+|ma)[^.\n]{0,15}(?:obraz|zdjęc)|(?:nevidím|nemohu (?:vidět|otevřít)|nemám)[^.\n]{0,15}obráz"
        r"|không (?:thể )?(?:xem|thấy|nhìn thấy|mở|nhận được|có)[^.\n]{0,15}(?:ảnh|hình)|tidak (?:dapat|bisa) (?:melihat|membuka)[^.\n]{0,15}gambar"
        r"|gambar[^.\n]{0,15}tidak (?:terlihat|tersedia|dimuat|dilampirkan|ada)|en näe (?:\w+ )?kuv|kuva[^.\n]{0,15}(?:puuttuu|ei (?:näy|latau))"
        r"|(?:kan|kunde|kunne) (?:inte|ikke) (?:se|öppna|åpne|åbne)[^.\n]{0,15}(?:bild|bilde|billede)|(?:ingen|inga) (?:\w+ )?(?:bild|bilde|billede)"
        r"|(?:kan|zie|heb|krijg) (?:\w+ )?geen (?:\w+ )?(?:afbeelding|beeld|foto)|afbeelding\w*[^.\n]{0,15}(?:niet (?:geladen|zichtbaar|ontvangen|bijgevoegd)|ontbreekt)"
    ),
    # Chinese
    (
        r"(?:无法|没有|未能|不能|未|看不)(?:直接)?"
        r"(?:看到|看见|查看|提供|收到|显示|加载|访问|打开|上传|附上|到)"
        r"(?:任何|该|此|这张|第.张|编辑后的)?(?:图|照片)"
    ),
    r"没有(?:任何)?(?:图像|图片|图|照片)(?=[。，,.!！]|\Z)",
    r"(?:图像|图片|照片)(?:无法|未能|未|没有|不能)(?:被)?(?:显示|加载|提供|收到|打开|上传)",
    r"(?:缺少|缺失|丢失|少了)[^，。；,\n]{0,10}(?:图片|图像|照片|第二张图)|(?:图片|图像|照片)(?:缺失|丢失|不存在(?![^\W于])|损坏)",
    r"(?:画像|写真)(?:が|は)?(?:見当たりません|見つかりません|不足|欠けて|届いて(?:い)?ません|ない)|(?:이미지|사진)(?:가|이|는)? ?(?:누락|빠져|빠졌|손상|존재하지)",
    r"(?:الصورة|صورة)[^.،\n]{0,15}(?:مفقودة|ناقصة|تالفة|غير موجودة)|(?:görsel|resim|görüntü|fotoğraf)(?!\w*(?:de|da|te|ta)\b)\w* (?:eksik|yok|bulunamadı|bozuk)|(?:ảnh|hình)[^.,\n]{0,10}(?:bị thiếu|thiếu|không có)|gambar[^.,\n]{0,12}(?:hilang|tidak ada|rusak)|(?:chybí|schází)[^.,\n]{0,12}obráz|obráz\w*[^.,\n]{0,8}(?:chybí|schází)",
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
    r"|причина|обоснование|理由|原因|说明|解释|説明|이유|설명|justification|justificativa|giustificazione|spiegazione|commentaire"
    r"|comentario|comentário|commento|kommentar|toelichting|motivatie|reden|uitleg|uzasadnienie|powód|zdůvodnění|odůvodnění|gerekçe|neden"
    r"|açıklama|motivering|begrundelse|begrunnelse|forklaring|perustelu\w*|syy|indoklás|lý do|giải thích|alasan|penjelasan|motiv\w*"
    r"|justificare|explicație|обґрунтування|пояснення|объяснение|αιτιολ\w+|λόγος|εξήγηση|נימוק|סיבה|הסבר|السبب|التبرير|الشرح|التفسير|دلیل|توضیح"
    r"|कारण|स्पष्टीकरण|เหตุผล|คำอธิบาย)(?:\W{0,4}[:：]|[】\]])[^\n]*",
    re.IGNORECASE | re.MULTILINE,
)
"""A line that is called the reason of the verdict above it: there words like "corrected" are about
the picture.
"""
_BOTH_EMPTY = (
    # English, German, Dutch, Swedish, Danish; a colour is one of all of the picture behind such a verb only
    (
        r"\b(?:both|the two|all|all the) (?:\w{1,12} )?(?:images?|pictures?|photos?|frames?|files?|attachments?)"
        r" (?:are|were|appear|look|seem|come|came|show|render|arrived?|turn(?:ed)?)(?: (?:all|just|only|both|to be|plain|solid|up|out|as|\w+ly)){0,4}"
        r" (?:black|blank|empty|white|gr[ea]y)(?=\W*(?:\Z|[.,;:!)])| (?:here|for me|to me|on my|squares|rectangles|so)\b)"
    ),
    r"\b(?:beide|beiden|alle|sämtliche) (?:bilder|fotos|aufnahmen|dateien) (?:sind|waren|erscheinen|bleiben|kommen)[^.,;\n]{0,30}\b(?:schwarz|leer|weiß|grau)\b(?!-| und)",
    r"\b(?:beide|alle) (?:afbeeldingen|beelden|foto['’]?s) (?:zijn|waren|blijven)[^.,;\n]{0,30}\b(?:zwart|leeg|wit|grijs)\b(?!-| en)",
    r"\b(?:båda|begge|alla|alle) (?:bilder\w*|billeder\w*|bildene) (?:är|er|var)[^.,;\n]{0,30}\b(?:svarta?|sorte?|tomma?|tomme|vita?|hvite?)\b(?! oc?[hg])",
    # French, Spanish, Portuguese, Italian
    r"\b(?:les deux|toutes les) (?:images|photos) (?:sont|étaient|apparaissent|restent)[^.,;\n]{0,30}\b(?:noires?|vides?|blanches?|grises?)\b(?! et)",
    r"\b(?:ambas|las dos|as duas|todas (?:l?as)) (?:im[áa]genes|imagens|fotos) (?:est[áa]n|son|aparecen|salen|se ven|est[ãa]o|s[ãa]o|aparecem)[^.,;\n]{0,30}\b(?:negras?|pretas?|vac[íi]as|vazias|(?:en|em) (?:blanco|branco|negro|preto)|blancas|brancas)\b(?! [ey])",
    r"\b(?:entrambe|tutte e due|le due|tutte) (?:le )?(?:immagini|foto) (?:sono|appaiono|risultano)[^.,;\n]{0,30}\b(?:ner[ae]|vuot[ae]|bianch[ei])\b(?! e)",
    # Polish, Czech, Russian, Ukrainian, Turkish
    r"\b(?:oba|obydwa|obie) (?:obrazy|obrazki|zdjęcia|obrázky|snímky) (?:są|jsou)[^.,;\n]{0,30}\b(?:czarne|puste|białe|černé|prázdné|bílé)\b(?! [ia] )",
    r"\b(?:оба|обидва|обе|все) (?:изображени\w+|картинк\w+|снимк\w+|зображенн\w+|фото\w*)(?: \w+(?:о|ью))? (?:ч[её]рны|чорн|пуст|порожн|бел[ыа])\w*(?!-| и )",
    r"\b(?:her iki|iki|tüm) (?:görsel|resim|görüntü|fotoğraf)\w*(?: de| da)?(?: tamamen| tümüyle)? (?:siyah|boş|beyaz)(?! ve| bir)",
    # Chinese, Japanese, Korean, Arabic, Hindi
    r"(?:两|兩)[张張幅个個](?:图|圖|照片)\w{0,10}?(?:全|都|均|皆|是|为|為)\w{0,6}?(?:全黑|黑屏|空白|全白|(?:黑|白)(?:色)?(?=的?[，,。.、;；!！]|的?\Z))(?!白|底|字)",
    r"(?:両方|どちら|二枚|2枚|両)\w{0,6}?(?:画像|写真)\w{0,12}?(?:真っ黒|真っ白|空白|白紙)",
    r"(?:두|양쪽|모든) ?(?:이미지|사진|그림)(?:가|이|는|은)? ?(?:모두|다|전부)? ?(?:완전히 ?)?(?:검은색(?:이|입|으로 보)|까맣|비어|백지|하얗게)",
    r"(?:كلتا|كلا|الصورتان|الصورتين)(?: \S{1,12})? (?:سوداو|فارغ|بيضاو)",
    r"(?:दोनों) (?:चित्र|छवि|तस्वीर)\S*[^।\n]{0,15}(?:काल[ाेी]|खाली|सफ़ेद|सफेद) (?:हैं|है|दिख)",
)
"""Both pictures are empty: no edit leaves its input so."""
_ONLY_BLACK = (
    (
        r"\b(?:i (?:only |just )?(?:see|get|got|have|had|received)|(?:all|what|everything) (?:that )?i (?:can )?(?:see|get|got|have)|there (?:is|are) only|only) (?:is |are |to see )?(?:only |just |nothing but )?(?:an? |two |plain |solid |all |completely |entirely |pure )*"
        r"(?:black(?:ness)?|blank|gr[ea]y|white|empty|dark) (?:placeholder|square|rectangle|box|frame|image|picture|screen|canvas|area|field|surface|void|page)s?\b(?! (?:on|in|at|over|behind|around|where|covering|next|beside|of)\b)"
    ),
    r"\b(?:black|blank|empty|gr[ea]y|white)(?: rectangles?| squares?)? (?:on|at) my (?:side|end)\b|\b(?:see|get) nothing but (?:black|white|gr[ea]y)",
    r"\b(?:sehe|habe|bekomme|erhalte) (?:\w{1,12} )?(?:nur|lediglich|nichts als) (?:\w{1,12} )?(?:schwarz|leer|grau|weiß)\w*|\b(?:bilder|fotos) (?:sind|waren|kommen|erscheinen) (?:\w{1,12} )?bei mir (?:\w{1,12} )?(?:schwarz|leer|grau|weiß)",
    r"\bne (?:vois|reçois) (?:que|qu['’])[^.;,\n]{0,25}\b(?:noirs?|noires?|blanc|vides?|gris)\b|\b(?:noires?|vides?|blanches?|grises?) (?:chez|pour) moi\b",
    r"\b(?:solo|s[óo]lo|só|apenas|únicamente) (?:veo|vejo|recibo|recebo|me llegan?)[^.;,\n]{0,25}\b(?:negr[oa]s?|pret[oa]s?|vac[íi][oa]s?|vazi[oa]s?|blanco|branco)\b|\b(?:veo|vejo) (?:solo|s[óo]lo|só|apenas)[^.;,\n]{0,25}\b(?:negr[oa]s?|pret[oa]s?|vac[íi][oa]s?|vazi[oa]s?)\b",
    r"\b(?:vedo|ricevo) (?:solo|soltanto|solamente)[^.;,\n]{0,25}\b(?:ner[oiae]|vuot[oiae]|bianc\w+)\b|\b(?:zie|krijg|heb) (?:alleen|enkel|slechts)[^.;,\n]{0,25}\b(?:zwart|zwarte|lege|witte|grijze)\b",
    r"\b(?:вижу|получил[аи]?|бачу) (?:только|лишь|лише|тільки)[^.;,\n]{0,25}(?:ч[её]рн|чорн|пуст|бел|сер)\w*|\bwidzę (?:tylko|jedynie)[^.;,\n]{0,25}\b(?:czarn|pust|biał)\w*|\bvidím (?:jen|pouze)[^.;,\n]{0,25}\b(?:čern|prázdn|bíl)\w*",
    r"\b(?:ser|får) (?:bara|bare|kun|endast)[^.;,\n]{0,25}\b(?:svart|sort|tomm?|vit|hvit)\w*|\bfekete\w* (?:\w{1,12} )?lát(?:ok|om)\b|\bcsak fekete|\b(?:sadece|yalnızca) (?:siyah|boş|beyaz)[^.;,\n]{0,25}gör\w*|\bnäen vain musta\w*",
    r"(?:只|仅)(?:能)?(?:看|见|見)(?:到|见|見)?[^，。；,\n]{0,8}(?:黑|空白|白)(?:色|屏|块|塊|图|圖|的|\Z)|(?:真っ黒|真っ白|黒い|空白の)[^。、\n]{0,6}(?:しか|だけ)[^。、\n]{0,4}見え|(?:검은|까만|빈|흰) ?(?:화면|사각형|이미지)(?:만|밖에)[^.\n]{0,6}(?:보|없)",
    r"(?:لا أرى|أرى فقط)[^.،\n]{0,15}(?:سواد|أسود|سوداء|فارغ)",
)
"""The judge itself sees nothing but one colour."""
_NOTHING_COMPARED = (
    (
        r"\b(?:can(?:not|['’]t| not)|could(?:n['’]t| not)|unable to|impossible to|no way to|nothing (?:that i can |i can )?(?:to)?) ?(?:be )?(?:compare|judge|assess|evaluate|rate)d?"
        r" (?:anything|them|either|any of (?:it|them)|at all)\b|\bnothing (?:here )?to (?:compare|judge|assess|evaluate|rate)\b|\bno comparison (?:is|was)? ?possible"
    ),
    r"\bnichts (?:zu )?(?:vergleichen|beurteilen|bewerten)|\b(?:vergleich|bewertung|beurteilung) (?:ist |war )?(?:mir )?(?:nicht|un)\s?möglich|\bniets (?:te )?(?:vergelijken|beoordelen)",
    r"\brien (?:à )?(?:comparer|évaluer|juger)|\bnada (?:que |para |a )?(?:comparar|evaluar|avaliar|juzgar|valorar)|\b(?:comparar|evaluar|avaliar|juzgar) nada\b",
    r"\b(?:niente|nulla) (?:da )?(?:confrontare|paragonare|valutare)|\b(?:confrontare|paragonare|valutare) (?:niente|nulla|alcunché)\b",
    r"\bничего (?:не (?:могу|можно) )?(?:сравни|оцени)\w+|\b(?:не могу|невозможно|нечего) (?:ничего )?(?:сравни|оцени)\w+|\bнічого (?:не можу )?(?:порівня|оціни)\w+",
    r"\bnie (?:mogę|da się) (?:niczego |nic )?(?:porównać|ocenić)|\bnic (?:nemohu |nelze )?(?:porovnat|hodnotit)|\b(?:inget|ingenting) att jämföra|\bintet at sammenligne|\bhiçbir şey(?:i)? (?:karşılaştır|değerlendir)\w*",
    r"(?:无法|無法|不能|没法|沒法|无从|無從)(?:进行|進行|做)?(?:任何)?(?:比较|比較|对比|對比|评估|評估|评价|評價|判断|判斷)",
    r"(?:比較|評価|判断)(?:する(?:もの|こと)が|は|が)?(?:でき|出来|不可能|無理)(?:ませ|な|です|で)|(?:비교|평가|판단)(?:할|하는)? ?(?:수|것이|게)? ?(?:없|불가)",
    r"(?:لا|لم) (?:أستطيع|أتمكن|يمكنني|يمكن)[^.،\n]{0,12}(?:مقارنة|المقارنة|تقييم|التقييم)|(?:तुलना|मूल्यांकन) (?:नहीं|संभव नहीं)",
)
"""There is nothing to compare, for all that the judge sees."""
_BY_DEFAULT = (
    r"(?:\A|[.;:,!?(。，；：]\s?|\b(?:so|daher|also|donc|por tanto|por lo tanto|portanto|quindi|dus|поэтому|zatem|note|nota|voto|оценка|ocena|score|wert|je mets|doy|pongo|dou|do|gebe|vergebe|ставлю|daję) )"
    r"(?:(?:la|une?|una|uma|eine?n?|de|der|die|per) )?(?:by default|(?:note |nota |valeur |score )?par défaut|(?:note |nota |valor |puntuación )?por defecto|(?:nota |valor )?por omissão|(?:nota |valor )?padrão|(?:voto |valore )?per impostazione predefinita|di default|(?:voto |valore )?(?:predefinito|per difetto)"
    r"|standardm(?:ä|ae)(?:ß|ss)ig|standardwert|vorgabewert|standaard(?:waarde)?|по умолчанию|за замовчуванням|domyślnie|ve výchozím|varsayılan(?: olarak)?|som standard|默认|默認|预设|預設|デフォルト|既定|기본값|افتراضي\w*|डिफ़ॉल्ट)"
    r"(?:[^\n.]{0,20}(?:[:：=]|\Z|\d)|(?=\s?[,，.。]|\s?\Z|分|で|値|으로|给|給))"
)
"""A number that is given because none could be found; not "the theme by default"."""
_blind = re.compile("|".join(f"(?:{pattern})" for pattern in _BLIND), re.IGNORECASE)
_empty = re.compile(
    "|".join(f"(?:{pattern})" for pattern in (*_BOTH_EMPTY, *_ONLY_BLACK, *_NOTHING_COMPARED)),
    re.IGNORECASE,
)
_GUESSED = (
    r"(?:\A|[.;:!?(—–。，；：]\s{0,2}|\b(?:so|thus|hence|therefore|am|just|only|pure|mere|a|daher|also) )"
    r"(?:guess(?:ing|ed|work)?|(?:rein )?geraten|ich rate|au hasard|je devine|al azar|adivino|ao acaso|chuto"
    r"|tiro a indovinare|gok(?:je)?|наугад|угадываю|zgaduję|hádám|tahmin(?:en)?|gissning|猜(?:的|测|測)|瞎猜|当てずっぽう|推測です|추측)"
    r"(?=\s{0,2}(?:[.,;:!)—–。，；]|\Z|here\b|from\b|at\b|hier\b|aquí\b|ici\b|です|입니다|로))"
)
"""A judge that says it guesses; not "a guess at the font"."""
_default = re.compile(f"{_BY_DEFAULT}|{_GUESSED}", re.IGNORECASE)
_withdrawn = re.compile("|".join(f"(?:{pattern})" for pattern in _WITHDRAWN), re.IGNORECASE)
_UNREAD = re.compile(r"[\u0530-\u058f\u0700-\u08ff\u0980-\u0dff\u0e80-\u10ff\u1200-\u1cff]")
"""Letters of scripts of which no word is known here: Armenian, Syriac, those of India but Devanagari,
Lao, Tibetan, Burmese, Georgian, Ethiopic, Khmer.
"""
_OTHER_SCRIPT = re.compile(r"[\u0370-\u03ff\u0590-\u06ff\u0900-\u097f\u0e00-\u0e7f]")
_OF_VERDICT = re.compile(
    r"\b(?:"
    # pictures that are others, swapped or wrong; what is not sure
    r"vertauscht\w*|verwechselt\w*|vorlage\w*|referenz\w*|galt(?:en)?|gelten|sicher|gewähr|vielleicht|womöglich|verkehrt\w*|falsches? (?:bild|foto|datei)"
    r"|invers\w+|échang\w+|référence\w*|mauvaise?|l['’]autre|s[uû]re?s?|certaine?|peut-être|estim\w+|environ|autre (?:image|photo)"
    r"|intercambi\w+|invertid\w*|referencia\w*|equivocad[oa]s?|otra (?:imagen|foto)|seguro|segura|quizás?|tal vez|suposici\w+|aproximad\w+"
    r"|trocad[oa]s?|referência\w*|outra imagem|certeza|talvez|suposiç\w+|scambiat\w*|invertit\w*|riferimento|altra immagine|sicur[oa]|forse|oppure|stima\w*|indicativ\w*"
    r"|verkeerd\w*|verwisseld\w*|referentie\w*|zeker|misschien|ongeveer|omgekeerd|fel (?:bild|fil)|förväxl\w*|forvekslet|byttet? om|referens\w*|säker|sikker|kanske|måske|kanskje"
    r"|zły|zła|złe|zamien\w+ (?:obraz|zdję)\w*|pewien|pewna|może|prawdopodobnie|referencyjn\w*|jist[ýá]|možná|asi|špatný obr\w*|zaměn\w+|yanlış (?:resim|görsel)|emin|belki|karış\w+"
    r"|varma|ehkä|väärä|biztos|talán|rossz kép|sigur|poate|chắc|có lẽ|nhầm ảnh|yakin|mungkin|gambar (?:yang )?salah|tertukar|provvisori\w*|previo|anterior|précédente?|precedente"
    # German, Dutch
    r"|(?:eine|einer|keine) (?:eins|zwei|drei|vier|fünf)|un (?:deux|trois|quatre|cinq|zéro)|un (?:dos|tres|cuatro|cinco|cero)|um (?:dois|três|quatro|cinco)|un (?:due|tre|quattro|cinque)|een (?:twee|drie|vier|vijf)|en (?:tvåa|trea|fyra|femma)|czwórk\w*|piątk\w*|trójk\w*|dwójk\w*|čtyřk\w*|pětk\w*|trojk\w*"
    r"|geschätzt|ich|mir|mich|mein\w*|moment|warte\w*|halt|entschuldig\w*|verzeih\w*|irrtum\w*|geirrt|vertan|korrig\w*|korrektur\w*"
    r"|berichtig\w*|revidier\w*|note|noten|wertung\w*|bewert\w*|punkt(?:e|en|zahl)?|verdien\w*|eigentlich|stattdessen|vielmehr"
    r"|lieber|tatsächlich|ungültig|gilt|zähl\w*|ignorier\w*|vergess\w*|rate|geraten|schätz\w*|vermut\w*|annahme|platzhalter"
    r"|beispiel\w*|vorläufig\w*|unsicher|urteil\w*|antwort\w*|nein|sollte\w*|müsste\w*|wäre\w*|hätte\w*|würde\w*|angemess\w*"
    r"|ik|mij|mijn|wacht|excuus|vergis\w*|herzie\w*|cijfer\w*|beoordel\w*|punten|eigenlijk|nee|definitieve|gok|hoort|liever"
    # the Scandinavian ones
    r"|jag|jeg|mitt|vänta|vent|ursäkta|förlåt|undskyld|beklager|unnskyld|betyg\w*|poäng\w*|karakter\w*|poeng\w*|egentlig\w*"
    r"|nej|nei|borde|burde|gissa\w*|gæt\w*|gjett\w*|rättelse|rettelse|korriger\w*|ångra\w*|ändra\w*|snarare|snarere"
    # French, Spanish, Portuguese, Italian, Romanian
    r"|je|moi|mon|mes|attend\w*|pardon|désolé\w*|excus\w*|tromp\w*|corrig\w*|rectifi\w*|notes|notation|points?|mérit\w*|en (?:fait|réalité|vrai)|à vrai dire"
    r"|plutôt|finalement|annul\w*|ignor\w*|oubli\w*|devin\w*|suppos\w*|hypothès\w*|provisoire|exemple|devrait|aurait|serait|valait"
    r"|yo|mi|mis|espera\w*|perdón|perdona|disculp\w*|equivo\w*|corrij\w*|correcci\w*|(?<!si )(?<!se )nota|notas|puntu\w*|puntos|calific\w*"
    r"|merec\w*|en realidad|más bien|mejor dicho|anul\w*|olvid\w*|adivin\w*|supon\w*|provisional|ejemplo|debería|sería|habría|retir\w*"
    r"|eu|meu|minha|espere|desculp\w*|enganei|engano|pontu\w*|pontos|avalia\w*|na verdade|aliás|esque\w*|palpite|exemplo|deveria"
    r"|seria|teria|melhor|io|mio|mia|aspett\w*|scus\w*|sbagliat[oa]|corregg\w*|rettific\w*|voto|punteggi\w*|punti|merit\w*"
    r"|in realtà|anzi|piuttosto|annull\w*|dimentic\w*|indovin\w*|esempio|dovrebbe|sarebbe|avrebbe|ritir\w*|valut\w*"
    r"|scuz\w*|așteapt\w*|corectez|notă|punct\w*|de fapt|mai degrabă|ar trebui|retrag"
    # Polish, Czech, Turkish, Vietnamese, Indonesian, Finnish, Hungarian
    r"|mój|moja|moje|czekaj|chwil\w*|przepraszam|pomyli\w*|popraw\w*|korekt\w*|ocen\w*|punkt\w*|zasług\w*|właściwie|raczej"
    r"|zgad\w*|przykład\w*|powinn\w*|byłoby|wycof\w*|já|můj|počkej\w*|promiň\w*|omlouv\w*|splet\w*|oprav\w*|hodnocen\w*"
    r"|bod(?:y|ů|u)?|zaslouž\w*|vlastně|spíše?|příklad|hádá\w*|ben|benim|bekle\w*|dur|özür|hatalı|hatam|düzelt\w*|puan\w*"
    r"|aslında|daha doğrusu|tahmin\w*|örnek|olmalı\w*|iptal|geri al\w*|tôi|xin lỗi|đợi|khoan|nhầm|sửa lại|điểm|thực ra|đáng"
    r"|bỏ qua|đoán|ví dụ|rút lại|hủy|saya|maaf|tunggu|keliru|koreksi|ralat|skor\w*|nilai|sebenarnya|seharusnya|abaikan|tebak\w*"
    r"|contoh|batal\w*|minä|minun|anteeksi|odota\w*|erehdy\w*|korja\w*|piste\w*|arvosana\w*|oikeastaan|ansaits\w*|arva\w*"
    r"|esimerk\w*|pitäisi|peru\w*|bocsánat|elnézést|várj\w*|téved\w*|javít\w*|pont(?:szám\w*|ot|ok)?|értékel\w*|valójában"
    r"|inkább|érdem\w*|tipp\w*|példa|kellene|visszavon\w*|scores?|sorry|stop"
    # Russian and Ukrainian, Greek
    r"|я|хотя нет|впрочем|двойк\w*|тройк\w*|четв[её]рк\w*|пят[её]рк\w*|мне|мо[йяею]|моё|подожд\w*|стоп|извин\w*|прост(?:и|ите)|вибач\w*|зачека\w*|ошиб(?:ся|лась)|помил\w*|исправ\w*|виправ\w*"
    r"|поправ\w*|оцен\w*|оцін\w*|балл\w*|бал(?:и|ів|а)?|заслуж\w*|заслугов\w*|на самом деле|насправді|вернее|точнее|скорее"
    r"|скоріше|отмен\w*|скасов\w*|отзыв\w*|игнор\w*|ігнор\w*|забуд\w*|угад\w*|предполож\w*|пример|приклад|должн\w*|следовало"
    r"|бы|б|передум\w*|εγώ|μου|συγγνώμη|περίμεν\w*|διόρθω\w*|διορθών\w*|βαθμ\w*|στην πραγματικότητα|μάλλον|αξίζει|πρέπει|αγνο\w*"
    r"|ακυρ\w*|μαντε\w*|υποθέτ\w*|παράδειγμα|αποσύρ\w*|τελικ\w*|έκανα"
    r")\b"
    # French and Ukrainian words before an apostrophe or a comma; "no" at the beginning
    r"|\bj['’]|\A\W{0,3}(?:non|no|nein|nee|nej|нет|ні|não|ne|όχι|hayır|không|tidak|nem|ei|लेकिन|नहीं|לא|لا|نه)\b(?=\s*(?:[,.;:!…—–、，。،-]|\Z))"
    # Chinese, Japanese, Korean
    r"|我|等等|等一下|抱歉|对不起|對不起|看错|看錯|弄错|弄錯|搞错|搞錯|更正|修正|订正|訂正|改为|改為|改成|应该|應該|应为|應為|应当|其实|其實"
    r"|实际上|實際上|准确地说|评[分价]|評[分價]|分数|分數|得分|给[出予]?\s?\d|[0-9一二三四五六七八九十两]\s?分(?!之)|作废|忽略|撤回|取消|无效|猜|假设|默认|示例"
    r"|例如|不对|不對|重新|再看|才对|收回|暂定|私|すみません|申し訳|ごめん|待って|待った|いや|修正します|間違|見直|改めて|スコア|評価|点数"
    r"|[0-9一二三四五六七八九十]\s?点|実際には|本当は|むしろ|べき|取り消|無視|無効|推測|仮に|例えば|やはり|やっぱり|相応|妥当"
    r"|나는|저는|제가|내가|죄송|미안|잠깐|잠시만|아니|정정|수정합|잘못 보|착각|다시 보|점수|평가|\d\s?점|사실은|오히려|해야|취소|무시|무효|추측|가정"
    r"|예시|예를 들|철회|맞습니다|적절"
    # pictures that are others, or swapped; what is not sure
    r"|参[考照]|原[图圖]|弄反|[图圖].{0,3}反了|颠倒|調換|调换|交换|另一|第[一二两][张張]|上一|入れ替|逆でした|別の画像|他の画像|뒤바뀌|다른 (?:이미지|사진|그림)|참조 (?:이미지|그림)"
    r"|也许|也許|或许|或許|大概|估计|不确定|不確定|说不定|偏[高低]|可能(?:偏|更|应|要)?[高低]|仅供参考|かもしれ|たぶん|恐らく|おそらく|自信が|아마|확실하지|불확실"
    r"|перепут\w*|поменя\w+ мест|друг(?:ую|ой|ое|ая) (?:картин|изображ)\w*|эталон\w*|наверн\w+|возможно|может быть|(?:не )?уверен\w*|мабуть|можливо|впевнен\w*"
    r"|عكس الصور|الصور معكوس|تبديل الصور|مجرد|ربما|متأكد|המקור|תמונות (?:הוחלפ|הפוכ)|אולי|בטוח|(?:चित्र|छवि)\S* बदल|शायद|निश्चित|แน่ใจ|สลับ|ίσως|σίγουρ\w*"
    # Arabic, Persian, Hebrew, Hindi, Thai
    r"|أنا|عذر|آسف|أعتذر|اعتذر|معذرة|انتظر|لحظة|أخطأت|خطأ مني|تصحيح|أصحح|صحح|الدرجة|درجة|التقييم|تقييم|نقاط|نقطة|في الواقع|بل |تستحق"
    r"|يستحق|يجب|تجاهل|إلغاء|ألغي|أسحب|سحب|تخمين|افترا|مثال|لا أستطيع|لم أتمكن|الأصح|ببخشید|متأسف|متاسف|صبر|اشتباه|تصحیح|امتیاز|نمره"
    r"|در واقع|باید|نادیده|حدس|אני|סליחה|רגע|טעיתי|טעות|תיקון|לתקן|ציון|נקוד|בעצם|למעשה|מגיע|צריך להיות|התעלם|ניחוש|דוגמה|מבטל|חוזר בי"
    r"|मैं|मेरा|मेरी|क्षमा|माफ़|माफ|रुकिए|रुको|ठहर|गलती|ग़लती|सुधार|स्कोर|अंक|दरअसल|वास्तव में|असल में|बल्कि|चाहिए|अनदेखा|रद्द|अनुमान|उदाहरण"
    r"|वापस ले|ฉัน|ผม(?!ร)|ดิฉัน|ขอโทษ|ขออภัย|เดี๋ยว|รอสักครู่|ผิดพลาด|คะแนน|จริงๆ|ที่จริง|ควร|ยกเลิก|เดา|ตัวอย่าง|ถอน",
    re.IGNORECASE,
)
"""Words of other languages that a sentence behind a verdict has where it is about the verdict, or
about the judge: of scores, corrections, excuses, guesses and examples.
"""


_BRIEFLY = re.compile(
    r"\b(?:falsch\w*|richtig\w*|stimmt|korrekt\w*|doch|fehler|höher|niedriger|tiefer|mehr|weniger|besser|schlechter|zu (?:hoch|niedrig|streng|viel|wenig|groß\w*|mild\w*|hart|gut|gnädig|optimistisch)|großzügig\w*|généreu\w*|sévère|indulgent\w*|generos[oa]|sever[oa]|слишком|чересчур|надто|te (?:hoog|laag|veel|weinig|streng|mild|gul)|för (?:hög|låg|mycket|lite|snäl\w*|generös\w*)|for (?:høy|høj|lav|mye|meget)|za (?:dużo|wysok\w*|nisk\w*|mało)|zbyt|příliš|çok|quá|terlalu|liian|túl|prea|υπερβολικ\w*"
    r"|fout\w*|juist\w*|hoger|lager|meer|minder|beter|fel|rätt|högre|lägre|mer|mindre|bättre|forkert|højere|lavere|bedre|feil|faux|fausse|erreur|juste|exact"
    r"|moins|plus|trop|mieux|supérieur\w*|inférieur\w*|incorrect[oa]|correct[oa]|error|mal|menos|más|demasiado|mejor|peor|errad[oa]|cert[oa]|erro|mais"
    r"|demais|pior|errore|giust[oa]|corrett[oa]|meno|più|troppo|meglio|peggio|alt[oa]|bass[oa]|baj[oa]|baix[oa]|źle|błęd\w*|dobrze|więcej|mniej|lepiej|špatně"
    r"|správně|víc|méně|lépe|yanlış|doğru|fazla|az|daha|sai|đúng|hơn|kém|salah|benar|lebih|kurang|väärin|oikein|enemmän|vähemmän|rossz|helyes|több|kevesebb"
    r"|greșit|corect|mai (?:mult|puțin)|неверно|неправильно|верно|правильно|больше|меньше|выше|ниже|лучше|неправда|вище|нижче|більше|менше|краще|λάθος|σωστό"
    r"|περισσότερο|λιγότερο)\b|错|錯|对$|高了|低了|太|过于|過於|너무|مبالغ|جدا|מדי|बहुत|เกิน|多了|少了|違|甘|厳し|高すぎ|低すぎ|틀렸|틀림|높|낮|خطأ|صحيح|أكثر|أقل|أعلى|غلط|درست|לא נכון|שגוי|נכון|יותר|פחות"
    r"|ग़लत|गलत|सही|अधिक|कम|ผิด|ถูก|สูงไป|ต่ำไป",
    re.IGNORECASE,
)
BRIEF = 5
"""Words of a sentence in another language that can hardly be about much else than the verdict."""


def is_of_verdict(sentence: str) -> bool:
    """Whether a sentence in another language than English may be about the verdict before it."""
    wide = any(ord(letter) > 0x2E7F for letter in sentence)  # scripts without spaces
    brief = len(sentence) <= 2 * BRIEF if wide else len(_LETTERS.findall(sentence)) <= BRIEF
    return (
        _OF_VERDICT.search(sentence) is not None
        or (brief and _BRIEFLY.search(sentence) is not None)
        or _withdrawn.search(sentence) is not None
        or len(_UNREAD.findall(sentence[:2000])) > 2
    )


def is_blind(text: str) -> bool:
    """Whether a judge says, in one of these languages, that it saw no picture, or nothing in any."""
    return (
        _blind.search(text) is not None
        or _empty.search(text) is not None
        or (_ANY_PICTURE.search(text) is not None and any(map(_lacks_picture, _CLAUSE.split(text))))
    )


_CLAUSE = re.compile(r"[.;:,!?\n。；，！？、]")
_UNSEEN = [tuple(re.compile(words, re.IGNORECASE) for words in row) for row in UNSEEN.values()]


_ANY_PICTURE = re.compile("|".join(row[2] for row in UNSEEN.values()), re.IGNORECASE)


def _lacks_picture(clause: str) -> bool:
    """Whether a clause says that a picture did not reach the judge, and not that something is not in
    a picture.
    """
    for denies, reaches, pictures, within, lacks in _UNSEEN:
        denied = denies.search(clause) is not None and reaches.search(clause) is not None
        missing = lacks.search(clause)
        for picture in pictures.finditer(clause) if denied or missing else ():
            before = clause[max(0, picture.start() - 60) : picture.start()]
            if within.search(before) and not _ONE_OF.search(before):
                continue
            if denied or (missing and _FEW_WORDS.fullmatch(_between(clause, picture, missing))):
                return True
    return False


_ONE_OF = re.compile(
    r"\b(?:none|neither|either|one|both|any|some|keine[rs]?|eine[rs]?|beide|aucune?|une|ninguna?|ningún|una|nessuna?|nenhuma?|uma|geen|één|ingen|inget|ни одно|ни одна|ни одного|żaden|żadne|żadna)"
    r" (?:of|der|des|de|delle|das|dos|van|av|af|из|z|ze) (?:(?:the|these|your|my|las|los|les|deux|dos|beiden|two|due|duas|ces|estas) ?){0,2}\Z",
    re.IGNORECASE,
)
"""What leads to pictures of which one is meant, and not what is in them."""
_FEW_WORDS = re.compile(r"(?:\s|[^\W\d]++['’]?+){0,5}+")


def _between(clause: str, picture: re.Match[str], missing: re.Match[str]) -> str:
    """What stands between a picture and the word that says that it is missing; of a picture that
    comes first also what follows ("the picture lacks *a tree*" is about a tree).
    """
    if missing.start() < picture.start():
        return clause[missing.end() : picture.start()]
    rest = clause[missing.end() :].strip()
    return clause[picture.end() : missing.start()] + ("" if len(rest) < 12 else f"({rest}")


def is_default(reason: str) -> bool:
    """Whether a reason calls the number beside it one by default, or guessed: in these languages, and
    in English.
    """
    return _default.search(reason) is not None


def is_withdrawn(after: str) -> bool:
    """Whether the words behind a verdict say that it does not count or is to be corrected, or are
    in a script that is not read.
    """
    return (
        _withdrawn.search(after) is not None
        or len(_UNREAD.findall(after[:2000])) > 2
        or (
            _OTHER_SCRIPT.search(after[:2000]) is not None and _OF_VERDICT.search(after) is not None
        )
    )


def reasons_in(after: str) -> list[str]:
    """The lines behind a verdict that are called its reason."""
    return [re.split("[:：】]", found[0], maxsplit=1)[-1] for found in _REASON.finditer(after)]


_BLOCK = re.compile(
    r"^[ \t]*(?:rationale|reason(?:ing)?|explanation|comment)s?:[ \t]*[>|][+-]?[ \t]*\n(?:[ \t]+[^\n]*(?:\n|\Z))+",
    re.IGNORECASE | re.MULTILINE,
)
"""A reason as a block of YAML."""


def without_reasons(after: str) -> str:
    """The words behind a verdict without the lines that are called its reason."""
    return _REASON.sub(" ", _BLOCK.sub(" ", after))


_SCORING = re.compile(
    # German, Dutch, Swedish, Danish, Norwegian
    r"\b(?:note|noten|bewert\w*|wertung\w*|punkt\w*|verdien\w*|eigentlich|angemess\w*|wäre\w*"
    r"|sollte\w*|müsste\w*|richtig\w*|gerecht\w*"
    r"|höchstens|mindestens|vergebe\w*|urteil\w*|cijfer\w*|punten|verdient|eigenlijk|hoort|betyg\w*"
    r"|poäng\w*|borde|karakter\w*|poeng\w*|egentlig\w*"
    # French, Spanish, Portuguese, Italian, Romanian, Catalan
    r"|notes?|notation|mérit\w*|devrait|aurait|serait|plutôt|vaut|nota|notas|puntua\w*|punt(?:o"
    r"|os|aje)|calific\w*|merec\w*|debería|sería|realidad"
    r"|correct[oa]|pontua\w*|pontos|avalia\w*|deveria|seria|punteggi\w*|punti|vot[oi]|merita\w*"
    r"|dovrebbe|sarebbe|giust[oa]|valuta\w*|notă|merită|puntuació\w*|points?"
    # Polish, Czech, Turkish, Indonesian, Vietnamese, Hungarian, Finnish
    r"|ocen\w*|punkty?\w*|zasługuj\w*|powin\w*|hodnocen\w*|bod\w{0,4}|známk\w*|zaslouž\w*|puan\w*"
    r"|olmalı\w*|hak ediyor|skor\w*|nilai\w*|seharusnya|layak"
    r"|điểm|đáng|nên|pontszám\w*|pont\w{0,4}|érdem\w*|pisteet|pistettä|arvosana\w*|ansaitsee"
    # the word that most have borrowed
    r"|scores?)\b"
    r"|оцен\w*|балл\w*|заслуж\w*|должн\w*|следовало|двойк\w*|тройк\w*|четв[её]рк\w*|пят[её]рк\w*"
    r"|единиц\w*|на самом деле|правильн\w*|оцін\w*|заслугов\w*"
    r"|分|应|該|该|實際|实际|妥当|正确|正確|给|給|評価|点|正しい|相応|べき|スコア|점|맞습|맞다|적절|평가|해야|درج|نقاط|تستحق|يجب|ציון"
    r"|נקוד|स्कोर|अंक|คะแนน",
    re.IGNORECASE,
)
"""Words that speak of scores, and of what a score should have been."""
_SUPPOSED = re.compile(
    r"\b(?:darei|meriterebbe|sarebbe|avrei dato|avrebbe)\b[^.;]{0,80}\bse\b[^.;]{0,60}\b(?:foss\w+|avess\w+)|\bse\b[^.;]{0,60}\b(?:foss\w+|avess\w+)[^.;]{0,80}\b(?:darei|meriterebbe|sarebbe|avrei)"
    r"|\b(?:dar[íi]a|merecer[íi]a|pondr[íi]a|ser[íi]a|habr[íi]a|teria)\b[^.;]{0,80}\bs[ie]\b[^.;]{0,60}\b(?:fuer\w+|fues\w+|hubier\w+|estuvier\w+|foss\w*|estivess\w*|houvess\w*)"
    r"|\bs[ie]\b[^.;]{0,60}\b(?:fuer\w+|fues\w+|hubier\w+|estuvier\w+|foss\w*|estivess\w*|houvess\w*)[^.;]{0,80}\b(?:dar[íi]a|merecer[íi]a|pondr[íi]a|ser[íi]a|habr[íi]a|teria)"
    r"|\b(?:donnerais|mettrais|mériterait|serait|aurais|aurait)\b[^.;]{0,80}\bs(?:i|['’]il)\b[^.;]{0,60}\b\w+ai(?:t|ent)\b|\bs(?:i|['’]il)\b[^.;]{0,60}\b\w+ai(?:t|ent)\b[^.;]{0,80}\b(?:donnerais|mettrais|mériterait|serait|aurais|aurait)"
    r"|\b(?:gäbe|würde|wäre)\b[^.;]{0,80}\bwenn\b[^.;]{0,80}\b(?:wäre\w*|hätte\w*|würde\w*)|\A\W*(?:wäre\w*|hätte\w*|wenn)\b[^.;]{0,80}\b(?:gäbe|würde|wäre)\b"
    r"|\bgdyby\w*\b[^.;]{0,80}\b(?:byłoby|byłaby|dał[ao]?bym|zasłużył\w*by)|\bkdyby\w*\b[^.;]{0,80}\b(?:bylo by|byla by|dal[ao]? bych)"
    r"|\b(?:бы|би)\b[^.;]{0,80}\b(?:если|якби|якщо)\b|\b(?:если бы|якби)\b",
    re.IGNORECASE,
)
"""A sentence that gives a number on a condition that does not hold."""
_DEDUCTS = re.compile(
    r"\b(?:abzug|abgezogen|punkt weniger|en moins|retirée?s?|enlevée?s?|menos|descont\w+|descuent\w+|se (?:resta|quita)\w*|in meno|detratt\w+|tolt[oi]|aftrek|afgetrokken|minder|avdrag|dras av|fradrag|trekkes|снят\w*|вычт\w*|вычит\w*|минус|зняв?т\w*|odjęt\w+|mniej|stržen\w*|odečten\w*|kırıl\w*|düşül\w*|trừ|dikurangi)\b"
    r"|扣|减|減|マイナス|引[いき]|감점|깎|خصم|נוקד|काट|หัก",
    re.IGNORECASE,
)


def deducts(sentence: str) -> bool:
    """Whether a sentence, in one of these languages, takes points off."""
    return _DEDUCTS.search(sentence[:2000]) is not None


_SPANS = re.compile(
    r"(?<![A-Za-z0-9.,/])\d{1,2}(?:\s?[-–—~～〜至到]\s?|\s(?:a|à|bis|do|до|till|til|tot|až)\s)\d{1,2}\s?(?=[^\W\d_])",
    re.IGNORECASE,
)
"""From so many to so many of something."""
_FOREIGN_NUMBER = re.compile(
    r"(?<![\w.,/:])(?P<word>[^\W\d_]+)(?![\w])|(?<![A-Za-zА-я\d.,/:#№])(?P<digit>\d{1,2})(?![\d%°‰]|[.,:/]\d|\s[°%])",
    re.IGNORECASE,
)
_CJK_NUMBER = re.compile(r"([零一二两兩三四五六七八九十])(?=[分点點])")
_SCORED = re.compile(
    "分(?![钟鐘之析辨割明布别别子])|[点點](?![钟鐘灯燈击擊])|점|吧|了|的|吗|才|就|而|更|较|比|合|是|为|を|が|は|に|で|と|だ|か(?![所月年国])|な|も|の|へ|가|이|은|는|을|를|로|으|의|도|만|와|과|에|입|이"
)
"""What follows a number in Chinese, Japanese and Korean that counts nothing but points."""
_EXCHANGED = re.compile(
    r"\b\d{1,2}\s?(?:statt|anstelle von|anstatt|au lieu d[e'’]|en lugar de|en vez de|em vez de|invece di|al posto di|i stället för|i stedet for|in plaats van|zamiast|místo"
    r"|вместо|замість)\s?(?:der |die |das |le |la |el |een |un )?\d{1,2}\b(?!\s?(?:/|von|sur|punkt|point|балл))"
    r"|\d{1,2}(?:被)?(?:改成|改为|改為|变成|變成|替换为|替換為|换成|換成|更改为)了?\d{1,2}(?![分\d])|\d{1,2}(?:が|を|から)\d{1,2}(?:に|へ)(?!点)|\d{1,2}(?:이|가|을|를|에서) ?\d{1,2}(?:로|으로)(?!점)",
    re.IGNORECASE,
)
"""Digits that an edit put in the place of others."""
_OF_SO_MANY = re.compile(
    r"\b\d{1,2}\s(?:von|sur|de|su|из|з|із|av|van|ud af|z|ze|dari|trên|من|में से)\s(?!5\b|10\b)\d{1,2}\b",
    re.IGNORECASE,
)
"""So many of so many things."""
_OF_TOP = re.compile(
    r"(\b\d{1,2})\s?(?:/|von|sur|de|su|из|з|av|van(?: de)?|ud af|z|ze|dari|trên|üzerinden)\s?(?:5|10)\b",
    re.IGNORECASE,
)
_ENGLISH = frozenset(COMMON_ENGLISH.split())
_EITHER = frozenset(["i", "no", "a", "on", "to", "do", "so", "in", "an", "me", "as", "was"])
"""Words that are common in English and elsewhere."""
_FOREIGN = frozenset(COMMON_ELSEWHERE.split())
_THINGS = frozenset(THINGS_ELSEWHERE.split())
_BORROWED = frozenset(
    ["note", "notes", "score", "scores", "notation", "pontoon", "points", "hoort"]
)
_LETTERS = re.compile(r"[^\W\d_]+")


def is_foreign(sentence: str) -> bool:
    """Whether a sentence is in another language than English, as far as its words tell."""
    letters = [letter for letter in sentence[:2000] if letter.isalpha()]
    if sum(ord(letter) > 0x24F for letter in letters) > 1:
        return True
    words = [word.casefold() for word in _LETTERS.findall(sentence[:2000])]
    english = sum(word in _ENGLISH - _EITHER for word in words)
    foreign = sum(word in _FOREIGN | _THINGS or _speaks_of_scores(word) for word in words)
    accented = any(ord(letter) > 0x7F for letter in letters)
    return foreign > english or (accented and english <= foreign)


def _speaks_of_scores(word: str) -> bool:
    return word not in _BORROWED and word not in _ENGLISH and _SCORING.fullmatch(word) is not None


def may_be_foreign(sentence: str) -> bool:
    """Whether a sentence is in another language, or too short to tell."""
    words = {word.casefold() for word in _LETTERS.findall(sentence[:2000])}
    return is_foreign(sentence) or (len(words & _ENGLISH) < 2 and is_of_verdict(sentence))


def is_english(sentence: str) -> bool:
    """Whether at least one word of a sentence is common in English, and none foreign."""
    words = {word.casefold() for word in _LETTERS.findall(sentence[:2000])}
    return len(words & _ENGLISH) > len(words & _FOREIGN) and not is_foreign(sentence)


_POINTS = re.compile(
    r"\s(?:points?|punkte?n?|puntos?|pontos?|punt[oi]|балл\w*|очк\w*)\b", re.IGNORECASE
)


_PLURAL_VERB = re.compile(
    r"\s?(?:sind|waren|wurden|bleiben|blieben|fehlen|haben|hatten|stehen|sont|étaient|ont|restent|manquent|furent|están|estaban|fueron|siguen|quedan|faltan|han|estão|foram|continuam|ficaram|faltam|restano|mancano|rimangono|sono (?:stat|rimast|ancora)\w*"
    r"|zijn|waren|werden|blijven|ontbreken|förblev|saknas|mangler|остал\w+|остают\w+|были|отсутству\w+|залиш\w+|są|były|zostały|brakuje|jsou|byly|zůstaly|chybí)\b",
    re.IGNORECASE,
)
"""Behind a number: the verb of what it counts, which was named before."""
_REMAINS = re.compile(
    r"(?:\b(?:bleibt|blieb|lautet|zeigt|steht|reste|restait|affiche|indique|sigue siendo|sigue en|muestra|marca|permanece|continua|mostra|segna|rimane|resta|blijft|bleef|toont|visar|viser|осталось|осталась|показывает|pokazuje|pozosta\w+|ukazuje|zůst\w+|gösteriyor|kaldı)(?: (?:noch|weiterhin|immer noch|toujours|encore|ainda|todavía|ancora|still|nog))?\s?|(?:بقيت?|ظلت?|تظهر|يظهر) ?|(?:仍|还|還|依然|仍然|依旧)(?:旧)?(?:是|为|為|显示|顯示)\s?)\Z",
    re.IGNORECASE,
)
"""Before a number: that the picture still shows it."""
_FROM_TO = re.compile(
    r"(?:\b(?:von|de|desde|da|från|fra|van|из|с|с|z|od|від)|من)\s\d{1,4}(?:\s[^\W\d]{1,12})?\s(?:auf|zu|bis|à|a|para|hasta|in|till|til|naar|tot|до|на|do|na|إلى)\s\Z",
    re.IGNORECASE,
)
_FROM = re.compile(
    r"(?:\b(?:von|de|desde|da|från|fra|van|из|с|z|od|від)|من)\s\d{1,4}(?:\s[^\W\d]{1,12})?\s(?:auf|zu|bis|à|a|para|hasta|in|till|til|naar|tot|до|на|do|na|إلى)\s\d",
    re.IGNORECASE,
)
"""From one number to another, neither of which is a score."""


_ORDINAL = re.compile(r"\b(?:den|am|vom|zum|dem|des|ab|bis|der|die|das) \Z", re.IGNORECASE)
"""What leads to a date: "auf den 3. Oktober"."""


def _of_picture(sentence: str, start: int, end: int) -> bool:
    """Whether a number goes on from what was counted, is still shown, or is one that an edit changed."""
    before = sentence[max(0, start - 40) : start]
    if _ORDINAL.search(before) and sentence[end : end + 1] == ".":
        return True
    return (
        _PLURAL_VERB.match(sentence, end) is not None
        or _REMAINS.search(before) is not None
        or _FROM_TO.search(before) is not None
        or any(found.start() < start <= found.end() for found in _FROM.finditer(sentence))
    )


def _counts(sentence: str, at: int) -> bool:
    """Whether a word follows that the number before it counts: "2 Schatten", "2 处"."""
    following = re.compile(r"\s?([^\W\d_]+)").match(sentence, at)
    if following is None:
        return False
    word = following[1].casefold()
    if ord(word[0]) > 0x2E7F:  # no spaces between words: the next letter tells
        return _SCORED.match(word) is None
    return not (word in _FOREIGN | _ENGLISH or _SCORING.match(word))


_NUMBERED = re.compile(
    r"(?:\b(?:frame|bild|abb|abbildung|schritt|zeile|spalte|teil|nummer|nr|linie|gleis|bus|zimmer|image|photo|étape|ligne|imagen|paso|línea|immagine|passo|riga|imagem|linha|кадр|шаг|строка|рис)\.?|步骤|步驟|第|图|圖|图像|圖像|画像|问题|問題|问|問|ステップ|단계|그림|질문|帧|フレーム)\s?\Z"
)


def is_supposed(sentence: str) -> bool:
    """Whether a sentence, in one of these languages, gives a number on a condition that does not
    hold.
    """
    return _SUPPOSED.search(sentence[:2000]) is not None


_CONCLUDES = re.compile(
    r"\b(?:also|daher|deshalb|somit|folglich|macht|eher|lieber|nur|höchstens|insgesamt|donc|alors|ainsi|plutôt|seulement|au plus|entonces|luego|así|por (?:eso|tanto|lo tanto)|más bien|mejor|solo|s[óo]lo|como mucho|logo|portanto|assim|antes|melhor|quindi|dunque|perciò|piuttosto|meglio|al massimo"
    r"|dus|daarom|liever|hooguit|alltså|därför|hellre|altså|derfor|heller|поэтому|значит|итого|следовательно|скорее|лучше|только|отже|тому|więc|zatem|dlatego|raczej|tylko|proto|tedy|spíše?|jen|bu yüzden|dolayısıyla|eder|olur|yeter|uygun|vậy|nên|jadi|maka|siis|joten|tehát|deci|άρα|επομένως)\b|[:：=→]\s*\d|[—–-]\s\d"
    r"|所以|因此|故|应|應|更像|最多|合适|合適|妥当|よって|従って|したがって|むしろ|せいぜい|따라서|그래서|오히려|적당|적절|타당|합당|맞[다습]|لذا|لذلك|إذن|לכן|אז|इसलिए|ดังนั้น",
    re.IGNORECASE,
)
"""Words that make what follows a conclusion."""


def _counting_clauses(sentence: str) -> list[tuple[int, int]]:
    """Where the clauses are that count something, in which another bare number counts it, too: "1
    línea … y se borraron 2".
    """
    spans = []
    for clause in re.finditer(r"[^,;:()，；、：—]+", sentence):
        numbers = re.finditer(r"(?<![\w.,/])\d{1,4}(?!\d)", clause[0])
        if any(_counts(sentence, clause.start() + number.end()) for number in numbers):
            spans.append(clause.span())
    return spans


def claims_in(sentence: str, *, behind: bool = False) -> Iterator[int]:
    """Numbers that a sentence in another language may give as the score, in order.

    Digits that count nothing, and number words that count nothing beside a word that speaks of
    scores or at the end of a clause. `behind` a verdict "2 instead of 4" can be about it.
    """
    sentence = _OF_SO_MANY.sub(" ", _OF_TOP.sub(r"\1", sentence[:2000]))
    sentence = sentence if behind else _EXCHANGED.sub(" ", sentence)
    for span in reversed(list(_SPANS.finditer(sentence))):
        if _counts(sentence, span.end()):
            sentence = f"{sentence[: span.start()]} {sentence[span.end() :]}"
    scored = _SCORING.search(sentence) is not None
    counted = () if scored or _CONCLUDES.search(sentence) else _counting_clauses(sentence)
    for found in _FOREIGN_NUMBER.finditer(sentence):
        if found["word"]:
            word = found["word"].casefold()
            counts = _counts(sentence, found.end())
            ends = not _LETTERS.match(sentence[found.end() :].lstrip())
            if (word in NUMBERS and _POINTS.match(sentence, found.end())) or (
                word in NUMBERS and word not in NUMBER_ARTICLES and (scored or ends) and not counts
            ):
                yield NUMBERS[word]
        elif (
            not any(start <= found.start() < end for start, end in counted)
            and not _counts(sentence, found.end())
            and not _of_picture(sentence, found.start(), found.end())
            and not _NUMBERED.search(sentence[: found.start()][-12:])
        ):
            yield int(found["digit"])
    for spelled in _CJK_NUMBER.findall(sentence):
        yield NUMBERS[spelled]
