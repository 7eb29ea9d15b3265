"""`typeset` on pictures drawn here: what it changes, leaves alone, and says."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from editgauge.editors.typeset import TypesetEditor
from editgauge.images import Array, read_image, write_png
from editgauge.ocr import Text
from editgauge.testing import make_sample
from editgauge.types import Status

INK = (20, 30, 90)


@dataclass(frozen=True, eq=False)
class Read:
    """An OCR engine that knows what the picture says: (text, left, top, right, bottom).

    Of an edited picture it reads what has stayed as it was, and `then` where pixels have changed.
    """

    boxes: tuple[tuple[str, float, float, float, float], ...]
    picture: Array
    then: str = ""

    def __call__(self, picture: Array, language: str = "en") -> list[Text]:
        boxes = list(self.boxes)
        if picture.shape != self.picture.shape or not np.array_equal(picture, self.picture):
            boxes = [one for one in boxes if not self._is_changed(picture, one)]
            if self.then:
                boxes.append((self.then, *self._changed(picture)))
        return [
            Text(((x0, y0), (x1, y0), (x1, y1), (x0, y1)), text, 1.0)
            for text, x0, y0, x1, y1 in boxes
        ]

    def _is_changed(self, picture: Array, one: tuple[str, float, float, float, float]) -> bool:
        x0, y0, x1, y1 = (max(0, int(side)) for side in one[1:])
        part = (slice(y0, y1), slice(x0, x1))
        same_size = picture.shape == self.picture.shape
        return not (same_size and np.array_equal(picture[part], self.picture[part]))

    def _changed(self, picture: Array) -> tuple[float, float, float, float]:
        if picture.shape != self.picture.shape:  # turned, to be read upright
            return (0.0, 0.0, float(picture.shape[1]), float(picture.shape[0]))
        rows, columns = np.nonzero((picture != self.picture).any(axis=2))
        return float(columns.min()), float(rows.min()), float(columns.max()), float(rows.max())


def poster(
    *words: tuple[str, int, int], size: tuple[int, int] = (360, 240), em: int = 36
) -> tuple[Array, Read]:
    """Words (text, x, baseline) in Pillow's own face on a gradient, and the reader that knows
    them.
    """
    width, height = size
    ramp = np.linspace(200, 240, height)[:, None, None] + np.zeros((height, width, 3))
    ramp[..., 2] -= 30
    image = Image.fromarray(ramp.astype(np.uint8))
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(em)
    boxes = []
    for text, x, baseline in words:
        pen.text((x, baseline), text, fill=INK, font=font, anchor="ls")
        left, top, right, bottom = pen.textbbox((x, baseline), text, font=font, anchor="ls")
        boxes.append((text, left - 3, top - 3, right + 3, bottom + 3))
    picture = np.asarray(image)
    return picture, Read(tuple(boxes), picture)


def ink_mask(picture: Array, ink: tuple[int, int, int] = INK) -> np.ndarray:
    return np.abs(picture.astype(int) - ink).sum(axis=2) < 150


def box(mask: np.ndarray) -> tuple[int, int, int, int]:
    """Left, top, right, bottom."""
    rows, columns = np.nonzero(mask)
    return int(columns.min()), int(rows.min()), int(columns.max()) + 1, int(rows.max()) + 1


def changed(before: Array, after: Array) -> tuple[int, int, int, int]:
    return box((before != after).any(axis=2))


def edited(
    picture: Array, read: Read, instruction: str, then: str = ""
) -> tuple[Array, dict[str, Any]]:
    """`then`: what the engine reads where the picture was changed."""
    after, detail, reason = TypesetEditor(replace(read, then=then)).edit(picture, instruction)
    assert detail["edited"], reason
    assert detail["read"]
    return after, detail


def given_back(picture: Array, read: Read, instruction: str, then: str = "") -> str:
    after, detail, reason = TypesetEditor(replace(read, then=then)).edit(picture, instruction)
    assert np.array_equal(after, picture)
    assert not detail["edited"]
    assert reason.endswith(": the input is given back")
    return reason


# --------------------------------------------------------------------------------- letters set anew
def test_replacing_a_line_gives_what_drawing_the_new_one_gives() -> None:
    before, read = poster(("HOTEL", 40, 90), ("Open all day", 40, 180))
    wanted, _ = poster(("MOTEL", 40, 90), ("Open all day", 40, 180))
    after, detail = edited(before, read, "Replace the text 'HOTEL' with 'MOTEL'", "MOTEL")
    (done,) = detail["texts"]
    assert done["font"] == "Aileron Regular"
    assert done["likeness"] > 0.9
    left, top, right, bottom = changed(before, after)
    assert (left >= 36, top >= 50, right <= 200, bottom <= 110) == (True,) * 4
    agree = ink_mask(after) & ink_mask(wanted)
    assert agree.sum() > 0.9 * ink_mask(wanted).sum()
    assert np.array_equal(after[110:], before[110:])  # the other line, to the last bit


def test_a_word_of_a_line_is_changed_and_what_follows_it_moves() -> None:
    before, read = poster(("big red car", 30, 120))
    wanted, _ = poster(("big yellow car", 30, 120))
    after, _ = edited(before, read, "Change the word 'red' to 'yellow'", "big yellow car")
    assert np.abs(np.subtract(box(ink_mask(after)), box(ink_mask(wanted)))).max() <= 5
    untouched = box(ink_mask(poster(("big", 30, 120))[0]))[2]
    assert np.array_equal(after[:, :untouched], before[:, :untouched])


@pytest.mark.parametrize(
    ("instruction", "where"),
    [
        ("Add 'NEW' before 'SALE'", lambda x, y: x < 150 and 80 < y < 130),
        ("Add 'NEW' after 'SALE'", lambda x, y: x > 200 and 80 < y < 130),
        ("Insert 'NEW' below 'SALE'", lambda x, y: y > 130),
        ("Write 'NEW' above 'SALE'", lambda x, y: y < 90),
        ("Add 'NEW' to the bottom right corner", lambda x, y: x > 200 and y > 180),
        ("Put 'NEW' at the top left of the picture", lambda x, y: x < 100 and y < 60),
        ("Add 'NEW'", lambda x, y: y > 180),
        ("Add 'NEW' to the picture", lambda x, y: y > 180),
        ("Move 'SALE' to the bottom right of the image", lambda x, y: x > 240 and y > 200),
        ("Move 'SALE' down by 50 pixels", lambda x, y: abs(y - 157) < 4),
        ("Move 'SALE' below 'day'", lambda x, y: x > 200 and y > 50),
    ],
)
def test_a_text_is_inserted_or_moved_to_where_it_is_asked_for(instruction: str, where: Any) -> None:
    is_moved = instruction.startswith("Move")
    before, read = poster(("SALE", 130, 120), *[("day", 250, 50)] * is_moved)
    then = "SALE" if is_moved else "SALE NEW SALE"
    after, detail = edited(before, read, instruction, then)
    new = box(ink_mask(after) & ~ink_mask(before))
    assert where((new[0] + new[2]) / 2, (new[1] + new[3]) / 2)
    assert detail.get("inserted") == (None if is_moved else "NEW")
    assert ((ink_mask(before) & ~ink_mask(after)).sum() > 500) == is_moved
    assert is_moved or ink_mask(after).sum() > 1.1 * ink_mask(before).sum()


# ----------------------------------------------------------------------------------- the ink itself
@pytest.mark.parametrize("text", ["'GONE'", "the title"])
def test_the_ground_is_put_back_where_a_text_is_deleted(text: str) -> None:
    before, read = poster(("GONE", 60, 120))
    blank, _ = poster()
    after, _ = edited(before, read, f"Delete {text}")
    assert np.abs(after.astype(int) - blank).max() <= 4
    assert (after != before).any(axis=2).mean() < 0.06


def test_a_recoloured_text_keeps_its_shape() -> None:
    before, read = poster(("HOTEL", 40, 90))
    after, detail = edited(before, read, "Change the color of 'HOTEL' to red", "HOTEL")
    red = ink_mask(after, (220, 20, 30))
    assert detail["colour"] == [220, 20, 30]
    assert (red & ink_mask(before)).sum() > 0.9 * ink_mask(before).sum()
    assert not ink_mask(after).any()


@pytest.mark.parametrize(
    ("instruction", "factor", "side"),
    [
        ("Make 'HOTEL' twice as big", 2.0, 0),
        ("Reduce 'HOTEL' to 50%", 0.5, 0),
        ("Enlarge 'HOTEL'", 1.3, 0),
        ("Rotate 'HOTEL' 90 degrees counterclockwise", 1.0, 1),
    ],
)
def test_a_text_is_resized_or_turned_about_its_centre(
    instruction: str, factor: float, side: int
) -> None:
    """`side`: which side of the new box the old width has become."""
    before, read = poster(("HOTEL", 100, 130))
    after, _ = edited(before, read, instruction, "HOTEL")
    old, new = box(ink_mask(before)), box(ink_mask(after))
    assert (new[2 + side] - new[side]) / (old[2] - old[0]) == pytest.approx(factor, rel=0.08)
    assert abs((new[0] + new[2]) - (old[0] + old[2])) <= 6


# -------------------------------------------------------------------------------------- what it says
@pytest.mark.parametrize(
    ("instruction", "why"),
    [
        ("Make the text red", "cannot be told in this picture"),
        ("Replace 'MISSING' with 'B'", "'MISSING' was not found"),
        ("Replace 'HOTEL' with a synonym", "the new text is not quoted"),
        ("Replace 'HOTEL' with '\U0010fffd'", "no installed font has the letters of"),
        ("Translate the text into English", "quotes no text"),
        ("Add 'NEW' to the wall of the house", "a thing in the picture"),
        ("Resize 'HOTEL' to fit the sign", "does not say how large"),
        ("look at it", "names no operation"),
    ],
)
def test_what_cannot_be_done_gives_the_input_back_with_a_reason(instruction: str, why: str) -> None:
    before, read = poster(("HOTEL", 40, 90), ("x", 300, 220))
    assert why in given_back(before, read, instruction)


@pytest.mark.parametrize(
    ("instruction", "then", "why"),
    [
        ("Replace 'HOTEL' with 'MOTEL'", "MOTFI", "'MOTFI' is read in its place"),
        ("Replace 'HOTEL' with 'MOTEL'", "", "nothing is read in its place"),
        ("Delete 'HOTEL'", "HOTEL", "'HOTEL' can still be read"),
        ("Add 'NEW' below 'HOTEL'", "MEN", "'NEW' cannot be read"),
        ("Change the color of 'HOTEL' to red", "", "'HOTEL' can no longer be read"),
        ("Make 'HOTEL' smaller", "", "'HOTEL' can no longer be read"),
        ("Move 'HOTEL' to the bottom right", "", "'HOTEL' can no longer be read"),
        ("Rotate 'HOTEL' by 90 degrees", "", "'HOTEL' can no longer be read"),
    ],
)
def test_what_does_not_read_as_asked_gives_the_input_back(
    instruction: str, then: str, why: str
) -> None:
    before, read = poster(("HOTEL", 80, 120))
    assert why in given_back(before, read, instruction, then)


def test_a_line_that_was_not_to_be_edited_and_is_lost_gives_the_input_back() -> None:
    before, read = poster(("HOTEL", 100, 110), ("Open all day", 80, 150))
    why = given_back(before, read, "Add 'GARDEN' below 'HOTEL'", "GARDEN")
    assert "'Open all day' can no longer be read, and was not to be edited" in why


def test_a_text_that_stands_elsewhere_too_is_deleted_once() -> None:
    before, read = poster(("GONE", 40, 90), ("GONE by noon", 40, 180))
    after, detail = edited(before, read, "Delete 'GONE' at the top")
    assert detail["texts"] == [{"found": "GONE", "similarity": 1.0}]
    assert np.array_equal(after[110:], before[110:])


def test_an_enlarged_text_stays_on_its_sign() -> None:
    before, read = poster(("HOTEL", 120, 130))
    sign = np.full_like(before, (60, 20, 10))
    left, top, right, bottom = (int(side) for side in read.boxes[0][1:])
    part = (slice(top - 4, bottom + 4), slice(left - 4, right + 4))
    sign[part] = before[part]
    read = replace(read, picture=sign)
    assert "beyond the ground" in given_back(sign, read, "Make 'HOTEL' twice as big", "HOTEL")
    _, detail = edited(before, replace(read, picture=before), "Enlarge 'HOTEL'", "HOTEL")
    assert detail["factor"] == 1.3


def test_a_new_text_follows_the_capitals_of_the_old_one() -> None:
    before, read = poster(("HOTEL", 40, 90))
    _, detail = edited(before, read, "Replace 'Hotel' with 'Motel'", "MOTEL")
    assert detail["texts"][0]["to"] == "MOTEL"


def test_two_texts_change_places() -> None:
    before, read = poster(("DAY", 30, 60), ("NIGHT", 220, 210))
    after, _ = edited(before, read, "Switch the positions of 'DAY' and 'NIGHT'", "NIGHT DAY")
    wide = box(ink_mask(after[:120])), box(ink_mask(after[120:]))
    assert wide[0][2] - wide[0][0] > wide[1][2] - wide[1][0], "the longer one is above"


def test_a_sample_becomes_a_picture_or_a_reason(tmp_path: Path) -> None:
    before, read = poster(("HOTEL", 40, 90))
    write_png(tmp_path / "in.png", before)
    editor = pickle.loads(pickle.dumps(TypesetEditor(read)))
    one = make_sample(tmp_path, instruction="Delete 'HOTEL'", images=(tmp_path / "in.png",))
    made = editor(one, tmp_path)
    assert made.ok
    assert (made.width, made.height, made.cost) == (360, 240, 0.0)
    assert made.detail["edited"]
    assert not np.array_equal(read_image(made.path), before)
    two = make_sample(tmp_path, images=(tmp_path / "in.png",) * 2)
    assert editor(two, tmp_path).status is Status.NOT_APPLICABLE
