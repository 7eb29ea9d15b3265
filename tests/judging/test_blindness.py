"""Judges that saw no picture, and judges that say what is missing in one."""

from __future__ import annotations

import time

import pytest

from editgauge.judging.answers import read_answer
from editgauge.judging.blindness import is_blind

BLIND = [
    "I cannot see the images.",
    "I'm unable to view or process images.",
    "I can’t actually open the attached pictures.",
    "No image was provided.",
    "No images are visible to me.",
    "no image",
    "Missing images.",
    "There are no images to compare.",
    "The images were not provided.",
    "The edited image was not given to me.",
    "pred_image could not be loaded",
    "The pred_image is not available.",
    "Images not found.",
    "The second image failed to load.",
    "The output image is missing.",
    "The picture appears to be missing from your message.",
    "Image data missing from the request.",
    "The image URL is broken.",
    "You have not attached the output image.",
    "I only received the input image.",
    "Only one image was provided.",
    "I see no image.",
    "I do not have access to the images.",
    "It seems that the images didn't come through.",
    "Please upload the images so that I can judge.",
    "As a text-only model I have to guess.",
    "I lack vision capabilities.",
    "Without the images, no evaluation is possible.",
    "Based on the description only.",
    "The edit cannot be evaluated.",
    "Cannot determine, output image absent.",
    "The result slot holds nothing but a spinner.",
    "I was given text and no attachments at all.",
    "All I got is the instruction.",
    "There are zero images in this request.",
    "Just one of the pictures came through.",
    "The after-picture is a grey rectangle, it seems it failed to render.",
    "I have no way to look at pictures here.",
    "My answer is based on the file name only.",
    "I am a language model and pictures are not part of my input.",
    "The links to the pictures are dead.",
    "Image 2 returns 404.",
    "Could you resend the edited picture? For now: 0.",
    "Please upload the edited image.",
    "Nothing was attached.",
    "As the edited version is missing I have to imagine it.",
    "Pictures were stripped from the conversation.",
    "Your message contains no image data.",
    "the second image seems to be absent from the prompt",
    "I can only see image 1.",
    "Where is the edited image?",
    "Edited image: [not provided]",
    "edited picture not available to me",
    "unable to open either file",
    "I had to judge without the picture.",
    "The photo did not come with the request.",
    "The picture is too small to be opened (0 bytes).",
    "Image placeholder <image> was not replaced by a picture.",
    "没有收到任何图片",
    "图片加载失败",
    "第二张图缺失,只能给0分",
    "您没有上传编辑后的图片",
    "画像が添付されていません",
    "2枚目の画像が見つかりません",
    "사진이 첨부되지 않았습니다",
    "두 번째 이미지가 없습니다",
    "Mir liegt nur das Original vor.",
    "Die Bilder wurden nicht geladen.",
    "Ohne Bild kann ich nur raten.",
    "Das Ergebnisbild fehlt leider.",
    "Je n'ai reçu que l'image d'origine.",
    "La deuxième image manque.",
    "Impossible d'ouvrir l'image.",
    "Solo he recibido la imagen original.",
    "No hay ninguna imagen adjunta.",
    "Falta la segunda imagen.",
    "Non ho ricevuto alcuna immagine.",
    "Só recebi a imagem original.",
    "Картинка не загрузилась.",
    "Вторая картинка отсутствует.",
    "لم أستلم أي صورة",
    "Resim yüklenmedi.",
    "Ik heb geen afbeelding ontvangen.",
    "Nie otrzymałem żadnego obrazu.",
]
SEEING = [
    "I cannot see any difference between the two images.",
    "No visible artifacts in the edited image.",
    "The logo is not included in the output image.",
    "The requested word is missing from the image.",
    "The edited image is missing the requested word.",
    "The sign says NO IMAGES ALLOWED INSIDE.",
    "No image element was changed.",
    "The text was changed without altering the image content.",
    "Nothing in the picture was changed without need.",
    "The reference image's font could not be matched.",
    "The picture on the wall is not present in the edit, though it should be.",
    "The image is not sharp.",
    "The edited image does not match the instruction.",
    "The edited image was not changed.",
    "The original image has no text.",
    "The output is identical to the input image; no edit can be seen.",
    "The letters cannot be read in the edited image.",
    "The poster does not have a picture of the dog any more.",
    "The image cannot be told from a photograph.",
    "The input image and the output image are both provided and look alike.",
    "The second image is brighter.",
    "Only the image background changed.",
    "The icon failed to disappear.",
    "The model failed to remove the image border.",
    "The photo was removed as asked.",
    "No picture element moved.",
    "The mask file name on the label is unchanged.",
    "It is impossible to tell which of the images is the original.",
    "The instruction asks to remove the image of the cat, which was not done.",
    "The editor did not open the door in the picture.",
    "The spinner icon was removed as asked.",
    "The attachment symbol is gone.",
    "I can only see one difference.",
    "Nothing was changed.",
    "The edited picture shows a grey rectangle where the sign was.",
    "The link in the footer is kept.",
    "Missing: the comma.",
    "Where the old text was, the ground is clean.",
    "The photo on the left is unchanged.",
    "The word 'upload' now reads 'Download'.",
    "Die Bilder an der Wand fehlen jetzt, wie gewünscht.",
    "L'image de fond est intacte.",
    "图片背景保持不变",
    "画像の背景は変わっていません",
    "No image noise was added.",
    "Without the picture frame the wall looks natural.",
    "The edited image is not sharp.",
    "The editor could not remove the old text.",
    "It cannot be seen that anything was edited, which is the aim.",
]


@pytest.mark.parametrize("words", BLIND)
def test_a_judge_that_saw_nothing_gives_no_number(words: str) -> None:
    assert is_blind(words)
    reply = f'{{"score": 1, "reason": "{words}"}}'
    reading = read_answer(reply, {"score": (0, 5)})["score"]
    assert reading.value is None
    assert "saw no picture" in reading.reason


@pytest.mark.parametrize("words", SEEING)
def test_what_is_missing_in_a_picture_is_a_reason(words: str) -> None:
    assert not is_blind(words)
    reply = f'{{"score": 1, "reason": "{words}"}}'
    assert read_answer(reply, {"score": (0, 5)})["score"].value == 1


@pytest.mark.parametrize(
    ("words", "blind"),
    [
        ("图片不存在", True),
        ("图像不存在于请求中", True),
        ("图像不存在明显瑕疵", False),
        ("没有任何图片", True),
        ("没有修改图片", False),
        ("没有在图中添加文字", False),
        ("画像がありません", True),
        ("編集された画像がありません", True),
        ("画像は変更されていません", False),
        ("画像に違いはありません", False),
        ("이미지가 없습니다", True),
        ("이미지가 변경되지 않았습니다", False),
    ],
)
def test_a_picture_without_a_change_is_none_that_is_missing(words: str, blind: bool) -> None:
    assert is_blind(words) == blind


@pytest.mark.parametrize("words", ["bild {} saknas", "saknas {} bild"])
def test_a_long_word_beside_a_picture_takes_no_time(words: str) -> None:
    """400 letters took 20 seconds, and twice as many sixteen times as long."""
    began = time.process_time()
    assert not is_blind(words.format("a" * 20_000 + "1"))
    assert time.process_time() - began < 2
