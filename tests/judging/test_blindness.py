"""Judges that saw no picture, and judges that say what is missing in one."""

from __future__ import annotations

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
    # the number may be flagged for what else is said, but not for a picture that is missing
    assert "saw no picture" not in read_answer(reply, {"score": (0, 5)})["score"].reason
