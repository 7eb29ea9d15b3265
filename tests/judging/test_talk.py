"""What a judge says of its judging is told from what it says of a picture, in every language."""

from __future__ import annotations

import pytest

from editgauge.judging.lexicon import TALK
from editgauge.judging.talk import NEAR, about_judging, is_unexplained


@pytest.mark.parametrize(
    "text",
    [
        "Copied from my evaluation of the last sample.",
        "Ich nehme die Note zurück.",
        "Désolé, j'ai interverti les deux images.",
        "Lo siento, he mirado la imagen equivocada.",
        "Scusate, ho invertito le immagini.",
        "Оценка относится к эталону, а не к результату.",
        "Proszę zignorować ocenę.",
        "抱歉，我看错了图片。",
        "すみません、別の画像を見ていました。",
        "잘못된 이미지를 보고 매긴 점수입니다.",
        "أعتذر، الصورة الخاطئة.",
        "The edit is fine. Platzhalter.",
    ],
)
def test_talk_about_judging(text: str) -> None:
    assert about_judging(text) in TALK


@pytest.mark.parametrize(
    "text",
    [
        "The letters E and F were swapped; the word is wrong.",
        "Die Buchstaben sind verwechselt, der Schatten fehlt.",
        "Les lettres sont inversées et l'ombre manque.",
        "Las letras están invertidas.",
        "文字有误，背景保持不变。",
        "文字が間違っているが、背景は同じ。",
        "Буквы перепутаны местами.",
        "One point is deducted for the missing accent.",
    ],
)
def test_talk_about_the_picture(text: str) -> None:
    assert about_judging(text) == ""


def test_the_beginning_and_the_end_of_a_long_text_are_looked_at() -> None:
    filler = "The sky is blue. " * NEAR
    assert about_judging(f"{filler}Please ignore this score.") in TALK
    assert about_judging(filler) == ""


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        ("Rating inherited from the parent task.", True),
        ("Majority vote of the panel.", True),
        ("The score is lowered because of the halo.", False),
        ("The scoreboard shows the new name.", False),
        ("The halo is faint.", False),
    ],
)
def test_sentences_about_scores_that_explain_none(sentence: str, told: bool) -> None:
    assert is_unexplained(sentence) is told
