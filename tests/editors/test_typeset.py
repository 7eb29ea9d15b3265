"""`typeset` on pictures drawn here: what it changes, what it leaves alone, and what it says when it
gives up.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from editgauge import catalog
from editgauge.editors.typeset import TypesetEditor, typeset
from editgauge.editors.typeset.canvas import Canvas
from editgauge.editors.typeset.faces import covers, draw, faces, ink_box
from editgauge.editors.typeset.find import Line, find
from editgauge.editors.typeset.fonts import fit, set_text
from editgauge.editors.typeset.glyphs import Glyphs, extract, intruded
from editgauge.editors.typeset.request import Target
from editgauge.editors.typeset.text_operations import in_the_case_of, split_text, wrapped
from editgauge.errors import UsageError
from editgauge.images import Array, read_image, write_png
from editgauge.testing import make_sample
from editgauge.types import Status

INK = (20, 30, 90)
Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Read:
    """An OCR engine that knows what the picture says: (text, left, top, right, bottom)."""

    boxes: tuple[tuple[str, float, float, float, float], ...]

    def __call__(self, picture: Array) -> Sequence[Line]:
        return [
            Line(np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], float), t)
            for t, x0, y0, x1, y1 in self.boxes
        ]


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
    return np.asarray(image), Read(tuple(boxes))


def ink_mask(picture: Array) -> np.ndarray:
    return np.abs(picture.astype(int) - INK).sum(axis=2) < 150


def changed(before: Array, after: Array) -> tuple[int, int, int, int]:
    """Left, top, right, bottom of what differs."""
    rows, columns = np.nonzero((before != after).any(axis=2))
    return int(columns.min()), int(rows.min()), int(columns.max()) + 1, int(rows.max()) + 1


def edited(picture: Array, read: Read, instruction: str) -> tuple[Array, dict]:
    after, detail, reason = TypesetEditor(read, verify=False).edit(picture, instruction)
    assert detail["edited"], reason
    return after, detail["operations"][0]


def test_replacing_a_line_gives_what_drawing_the_new_one_gives() -> None:
    before, read = poster(("HOTEL", 40, 90), ("Open all day", 40, 180))
    wanted, _ = poster(("MOTEL", 40, 90), ("Open all day", 40, 180))
    after, done = edited(before, read, "Replace the text 'HOTEL' with 'MOTEL'")
    assert done["font"] == "Aileron Regular"
    assert done["likeness"] > 0.9
    left, top, right, bottom = changed(before, after)
    assert (left >= 36, top >= 50, right <= 200, bottom <= 110) == (True,) * 4
    agree = ink_mask(after) & ink_mask(wanted)
    assert agree.sum() > 0.9 * ink_mask(wanted).sum()
    assert np.array_equal(after[110:], before[110:])  # the other line, to the last bit


def test_the_ground_is_put_back_where_a_text_is_deleted() -> None:
    before, read = poster(("GONE", 60, 120))
    blank, _ = poster()
    after, _ = edited(before, read, "Delete 'GONE'")
    assert np.abs(after.astype(int) - blank).max() <= 4
    assert (after != before).any(axis=2).mean() < 0.06


def refused(picture: Array, read: Read, instruction: str) -> str:
    """Why the input came back, without a look at the result."""
    after, _, reason = TypesetEditor(read, verify=False).edit(picture, instruction)
    assert np.array_equal(after, picture)
    return reason


def test_a_ground_with_grain_is_put_back_with_grain() -> None:
    before, read = poster(("GONE", 60, 120))
    ink, rng = ink_mask(before), np.random.default_rng(1)
    grainy = np.clip(before + rng.normal(0, 4, before.shape).round(), 0, 255).astype(np.uint8)
    after, _ = edited(grainy, read, "Delete 'GONE'")
    here, beside = after[ink].astype(float), grainy[~ink].astype(float)
    assert 0.7 < here.std() / beside.std() < 1.3


@pytest.mark.parametrize("stripe", [8, 24])
def test_a_pattern_behind_a_text_is_not_made_up(stripe: int) -> None:
    before, read = poster(("GONE", 60, 120))
    stripes, ink = before.copy(), ink_mask(before)
    rows = np.arange(240) % stripe < stripe // 2
    stripes[rows] = np.where(ink[rows][..., None], stripes[rows], stripes[rows] - 60)
    assert "cannot be made up" in refused(stripes, read, "Delete 'GONE'")


def test_a_line_beside_a_text_is_no_grain() -> None:
    before, read = poster(("GONE", 60, 120))
    ruled = before.copy()
    ruled[165:168] = (90, 90, 90)
    after, _ = edited(ruled, read, "Delete 'GONE'")
    assert np.array_equal(after[165:168], ruled[165:168])
    blank, _ = poster()
    assert np.abs(after[:150].astype(int) - blank[:150]).max() <= 4


@pytest.mark.parametrize(
    ("drawn", "instruction", "why"),
    [
        ("cats", "Delete 'cat'", "part of a longer word"),
        ("Harbor", "Delete 'Harbour'", "not surely"),
        ("SALE", "Make the brand name red", "not clear"),
    ],
)
def test_a_target_that_is_not_surely_meant_is_left(drawn: str, instruction: str, why: str) -> None:
    before, read = poster((drawn, 60, 120))
    assert why in refused(before, read, instruction)


def test_a_text_that_is_written_so_elsewhere_is_not_the_larger_one() -> None:
    before, _ = poster(("OPEN", 60, 60), ("Open", 60, 150))
    read = Read((("OPEN", 57, 20, 160, 75), ("Open", 57, 125, 154, 155)))
    assert "written so elsewhere" in refused(before, read, "Delete 'Open'")


def test_put_is_a_move_where_the_text_is_there() -> None:
    before, read = poster(("HELLO", 60, 150))
    after, done = edited(before, read, "Put 'HELLO' at the top")
    assert done["operation"] == "move"
    assert not ink_mask(after)[130:160].any()


def test_letters_of_several_colours_have_no_one_ink() -> None:
    before, read = poster(("MIXED", 60, 120), em=48)
    mixed, ink = before.copy(), ink_mask(before)
    left, _, right, _ = box_of(before)
    middle = (left + right) // 2
    mixed[:, middle:][ink[:, middle:]] = (200, 30, 30)
    assert "several colours" in refused(mixed, read, "Change 'MIXED' to 'PLAIN'")


def test_only_the_word_that_changes_is_touched() -> None:
    before, read = poster(("Tea and cake", 40, 120))
    after, _ = edited(before, read, "Change 'cake' to 'buns'")
    left, *_ = changed(before, after)
    assert left > 150
    assert ink_mask(after[:, left:]).sum() > 100


def test_a_text_over_two_lines_is_found_and_set_on_two_lines() -> None:
    before, read = poster(("Spring", 120, 80), ("festival", 120, 125))
    after, done = edited(before, read, "Replace 'Spring festival' with 'Autumn fair'")
    assert done["changed"]["found"] == "Spring / festival"
    assert ink_mask(after[45:90]).any()
    assert ink_mask(after[95:135]).any()


def test_moving_brings_the_ink_along_and_keeps_its_amount() -> None:
    before, read = poster(("MENU", 40, 60))
    after, _ = edited(before, read, "Move 'MENU' to the bottom right corner")
    assert ink_mask(after[:120]).sum() == 0
    assert ink_mask(after[150:, 180:]).sum() == pytest.approx(ink_mask(before).sum(), rel=0.05)


def test_resizing_scales_about_the_centre() -> None:
    before, read = poster(("MENU", 120, 130))
    box = changed(poster()[0], before)
    after, _ = edited(before, read, "Make 'MENU' bigger")
    grown = changed(poster()[0], after)
    assert (grown[2] - grown[0]) == pytest.approx(1.3 * (box[2] - box[0]), rel=0.08)
    assert (grown[0] + grown[2]) / 2 == pytest.approx((box[0] + box[2]) / 2, abs=3)


def box_of(picture: Array) -> tuple[int, int, int, int]:
    rows, columns = np.nonzero(ink_mask(picture))
    return int(columns.min()), int(rows.min()), int(columns.max()) + 1, int(rows.max()) + 1


def test_manners_are_made_of_the_text_s_own_ink() -> None:
    before, read = poster(("HILL", 120, 130))
    own, ink = box_of(before), ink_mask(before).sum()
    bold, _ = edited(before, read, "Make 'HILL' bold")
    assert 1.1 * ink < ink_mask(bold).sum() < 2.0 * ink
    leaning, _ = edited(before, read, "Make 'HILL' italic")
    top, bottom = ink_mask(leaning)[own[1] + 1], ink_mask(leaning)[own[3] - 2]
    assert np.nonzero(top)[0].min() - np.nonzero(bottom)[0].min() == pytest.approx(5, abs=2)
    ruled, _ = edited(before, read, "Underline 'HILL'")
    below = ink_mask(ruled)[own[3] + 1 :]
    assert below.any(axis=0).sum() == pytest.approx(own[2] - own[0], abs=3)
    struck, _ = edited(before, read, "Strike through 'HILL'")
    assert box_of(struck)[1::2] == own[1::2]
    assert ink_mask(struck).sum() > ink


def test_capitals_are_set_anew() -> None:
    before, read = poster(("hill", 120, 130))
    wanted, _ = poster(("HILL", 120, 130))
    after, _ = edited(before, read, "Convert 'hill' to uppercase")
    assert ink_mask(after).sum() == pytest.approx(ink_mask(wanted).sum(), rel=0.1)


def test_a_little_up_stops_before_the_next_text() -> None:
    before, read = poster(("ABOVE", 100, 90), ("MOVED", 100, 140))
    after, _ = edited(before, read, "Move 'MOVED' slightly upwards")
    assert np.array_equal(after[:85], before[:85])
    crowded, close = poster(("ABOVE", 100, 90), ("MOVED", 100, 116))
    _, detail, reason = TypesetEditor(close, verify=False).edit(crowded, "Move 'MOVED' up")
    assert not detail["edited"]
    assert "no room" in reason


def test_swapped_texts_keep_the_edge_that_they_share() -> None:
    before, read = poster(("MINT", 40, 80), ("CHOCOLATE", 40, 180))
    after, _ = edited(before, read, "Swap 'MINT' and 'CHOCOLATE'")
    assert box_of(after[:120])[0] == pytest.approx(box_of(before[:120])[0], abs=2)
    assert box_of(after[120:])[0] == pytest.approx(box_of(before[120:])[0], abs=2)
    assert box_of(after[:120])[3] == pytest.approx(box_of(before[:120])[3], abs=2)


def test_a_text_is_not_inserted_onto_another_ground() -> None:
    """To the left of the name lies a dark panel, and the name itself is not set anew."""
    before, read = poster(("Brook", 120, 130), ("Bristol", 120, 190))
    before = before.copy()
    before[:, :112] = (40, 20, 60)
    assert "no room" in refused(before, read, "Insert 'Dr.' before 'Brook'")


def test_marks_that_belong_to_a_text_go_with_it() -> None:
    line = Line(np.array([(0, 0), (90, 0), (90, 20), (0, 20)], float), "DISK 73% full")
    [match] = find([line], Target("73%"))
    assert (match.spans[0].start, match.spans[0].end) == (5, 8)
    [match] = find([line], Target("73"))
    assert (match.spans[0].start, match.spans[0].end) == (5, 7)


def test_a_longer_text_stays_on_its_ground() -> None:
    """A card of its own colour: what does not fit is set a little narrower, or not at all."""
    before, read = poster(("TEA", 150, 130))
    before = before.copy()
    card = np.zeros(before.shape[:2], bool)
    card[80:160, 130:250] = True
    before[~card] = (30, 60, 40)
    after, _ = edited(before, read, "Change 'TEA' to 'COCOA'")
    assert np.array_equal(after[~card], before[~card])
    assert "does not fit" in refused(before, read, "Change 'TEA' to 'CHOCOLATE'")


def test_a_corner_text_keeps_off_the_picture_s_frame() -> None:
    before, read = poster(("TEA", 150, 130))
    before = before.copy()
    before[-20:-10], before[:, -20:-10] = 0, 0
    after, _ = edited(before, read, "Put '2026' into the bottom right corner")
    assert np.array_equal(after[-20:], before[-20:])
    assert np.array_equal(after[:, -20:], before[:, -20:])


def test_recolouring_changes_the_ink_only() -> None:
    before, read = poster(("HOT", 120, 130))
    after, _ = edited(before, read, "Change the color of 'HOT' to red")
    reds = (after[..., 0] > 180) & (after[..., 1] < 70)
    assert reds.sum() > 0.8 * ink_mask(before).sum()
    assert not ink_mask(after).any()


def test_rotating_by_ninety_degrees_stands_the_text_up() -> None:
    before, read = poster(("LONG TEXT", 80, 130))
    after, _ = edited(before, read, "Rotate 'LONG TEXT' 90 degrees counterclockwise")
    left, top, right, bottom = changed(
        poster()[0], np.where(ink_mask(after)[..., None], after, poster()[0])
    )
    assert bottom - top > 3 * (right - left)


def test_swapping_exchanges_places() -> None:
    before, read = poster(("IIIIII", 40, 60), ("WWWW", 200, 200))
    after, _ = edited(before, read, "Swap the positions of 'IIIIII' and 'WWWW'")
    assert ink_mask(after[:100]).sum() == pytest.approx(ink_mask(before[120:]).sum(), rel=0.1)


def test_inserting_beside_below_and_into_a_corner() -> None:
    before, read = poster(("LEE", 200, 130))
    beside, _ = edited(before, read, "Add 'JO' before 'LEE'")
    assert ink_mask(beside[:, :198]).any()
    assert np.array_equal(beside[:, 200:], before[:, 200:])
    below, _ = edited(before, read, "Add 'Tailor' below 'LEE'")
    assert ink_mask(below[140:]).any()
    corner, _ = edited(before, read, "Add 'New' to the top left corner of the picture")
    assert not np.array_equal(corner[:60, :120], before[:60, :120])


def test_chinese_is_set_where_a_face_has_it() -> None:
    before, read = poster(("LEE", 60, 130))
    if not any(covers(face, "可瓦") for face in faces()):
        after, detail, reason = TypesetEditor(read, verify=False).edit(
            before, "Replace 'LEE' with '可瓦'"
        )
        assert not detail["edited"]
        assert "no installed font" in reason
        assert np.array_equal(after, before)
        return
    after, _ = edited(before, read, "Replace 'LEE' with '可瓦'")
    assert ink_mask(after).sum() > 200


@pytest.mark.parametrize(
    ("instruction", "said"),
    [
        ("Make the dog happier", "not understood"),
        ("Replace 'CASTLE' with 'TOWER'", "'CASTLE' was not found; the picture reads 'LEE'"),
        ("Replace 'LEE' with '\U0010fffe'", "no installed font"),
    ],
)
def test_what_cannot_be_done_gives_the_input_back_and_says_why(
    instruction: str, said: str, tmp_path: Path
) -> None:
    before, read = poster(("LEE", 60, 130))
    sample = make_sample(tmp_path / "data", instruction=instruction)
    write_png(sample.image, before)
    edit = TypesetEditor(read, verify=False)(sample, tmp_path)
    assert edit.ok
    assert said in edit.reason
    assert edit.detail["edited"] is False
    assert np.array_equal(read_image(edit.path), before)  # type: ignore[arg-type]


def test_a_ring_that_touches_the_letters_is_not_erased_with_them() -> None:
    alpha = np.zeros((40, 200), np.float32)
    alpha[8:32, 10:180:12] = alpha[8:32, 11:180:12] = 1.0
    ground, ink = np.full((40, 200, 3), 30, np.uint8), np.full((40, 200, 3), 240, np.uint8)
    erased = alpha > 0
    erased[15:25, 176:186] = True
    glyphs = Glyphs(
        left=0, top=0, alpha=alpha, ground=ground, erased=erased, colour=(240,) * 3, ink=ink
    )
    picture = np.where(alpha[..., None] > 0, ink, ground)
    assert not intruded(glyphs, picture)
    picture[15:25, 178:186] = (250, 40, 120)
    assert intruded(glyphs, picture)


def test_letters_that_cannot_be_told_from_the_ground_are_left_alone() -> None:
    noise = np.random.default_rng(0).integers(0, 255, (240, 360, 3)).astype(np.uint8)
    after, detail, reason = TypesetEditor(Read((("LEE", 50, 90, 150, 140),))).edit(
        noise, "Delete 'LEE'"
    )
    assert not detail["edited"]
    assert "told from the ground" in reason
    assert np.array_equal(after, noise)


def test_the_same_edit_twice_is_the_same_to_the_bit() -> None:
    before, read = poster(("HOTEL", 40, 90), ("Open all day", 40, 180))
    first, _ = edited(before, read, "Replace 'Open all day' with 'Closed on Sunday'")
    second, _ = edited(
        before, pickle.loads(pickle.dumps(read)), "Replace 'Open all day' with 'Closed on Sunday'"
    )
    assert np.array_equal(first, second)


def test_a_sample_of_several_pictures_is_not_applicable(tmp_path: Path) -> None:
    sample = make_sample(tmp_path)
    several = make_sample(tmp_path, images=(sample.image, sample.image))
    assert TypesetEditor(Read(()))(several, tmp_path).status is Status.NOT_APPLICABLE


def test_the_factory_knows_its_settings(tmp_path: Path) -> None:
    pytest.importorskip("rapidocr", reason="the default engine is in the extra ocr")
    editor = catalog.find("editors", "typeset")([], fonts=str(tmp_path))
    assert editor.name == "typeset"
    pickle.loads(pickle.dumps(editor))
    with pytest.raises(UsageError, match="found speed"):
        typeset([], speed="high")
    with pytest.raises(UsageError, match="wanted a folder"):
        typeset([], fonts=str(tmp_path / "nowhere"))


def test_it_reads_a_real_picture(tmp_path: Path) -> None:
    """With the real engine: the whole way from a file to a file."""
    pytest.importorskip("rapidocr", reason="needs the extra ocr")
    before, _ = poster(("BAKERY", 60, 120), size=(320, 200))
    sample = make_sample(tmp_path / "data", instruction="Replace 'BAKERY' with 'LIBRARY'")
    write_png(sample.image, before)
    edit = typeset([])(sample, tmp_path)
    assert edit.ok
    assert edit.detail["operations"][0]["changed"]["found"] == "BAKERY"
    assert (edit.width, edit.height) == (320, 200)


# --- parts --------------------------------------------------------------------------------------


def line(text: str, x: float, y: float, height: float = 20) -> Line:
    width = 0.6 * height * len(text)
    return Line(np.array([(x, y), (x + width, y), (x + width, y + height), (x, y + height)]), text)


def test_finding_prefers_whole_words_and_forgives_misread_letters() -> None:
    lines = [line("WHAT A DAY", 0, 0), line("HA", 0, 100), line("C0FFEE", 0, 200)]
    assert find(lines, Target("HA"))[0].spans[0].line == 1
    assert find(lines, Target("COFFEE"))[0].spans[0].line == 2
    assert find(lines, Target("a day"))[0].spans[0].start == 5
    assert find(lines, Target("umbrella")) == []
    assert find(lines, Target("!?")) == []


def test_half_of_a_text_and_another_number_are_not_the_text() -> None:
    lines = [line("Spinach", 0, 0, 20), line("2022", 0, 60, 20)]
    assert find(lines, Target("Spinach 2.20")) == []
    assert find(lines, Target("2023")) == []
    assert find([line("turn the pag", 0, 0, 20)], Target("turn the page")) == []
    row = [*lines, line("2.20", 300, 0, 20)]
    (entry,) = find(row, Target("Spinach 2.20"))
    assert [span.line for span in entry.spans] == [0, 2]


def test_several_places_are_given_in_reading_order() -> None:
    lines = [line("SALE", 0, 0), line("other", 0, 60), line("SALE", 0, 120)]
    assert [m.spans[0].line for m in find(lines, Target("SALE"))] == [0, 2]


def test_roles() -> None:
    lines = [
        line("small", 0, 0, 12),
        line("BIG", 0, 40, 60),
        line("BIGGER", 0, 105, 62),
        line("foot", 0, 280, 12),
    ]
    assert [s.line for s in find(lines, Target(role="title"))[0].spans] == [1, 2]
    assert len(find(lines, Target(role="all"))[0].spans) == 4
    assert find(lines, Target(role="only")) == []
    assert find([], Target(role="all")) == []


def test_the_fit_finds_face_size_and_spacing() -> None:
    face = next(f for f in faces() if f.name == "Aileron Regular")
    drawn = draw(face, "Harbour", 40, 0.12)
    assert drawn is not None
    style = fit(drawn.alpha, "Harbour", "Station", faces())
    assert style is not None
    assert style.similarity > 0.9
    again = set_text(style, "Harbour")
    assert again is not None
    box = ink_box(again.alpha)
    assert box is not None
    assert box[3] - box[1] == pytest.approx(drawn.alpha.shape[0], abs=2)
    assert box[2] - box[0] == pytest.approx(drawn.alpha.shape[1], rel=0.04)


def test_an_upright_text_is_set_in_an_upright_face_and_a_slanted_one_is_not() -> None:
    for name, slanted in (("DejaVu Sans Bold", False), ("DejaVu Sans Bold Oblique", True)):
        face = next((f for f in faces() if f.name == name), None)
        if face is None:
            pytest.skip(f"{name} is not installed")
        others = [f for f in faces() if f is not face]  # the very face would win anyway
        drawn = draw(face, "Tomato mill", 40)
        assert drawn is not None
        style = fit(drawn.alpha, "Tomato mill", "with", others)
        assert style is not None
        assert (("Oblique" in style.face.name) or ("Italic" in style.face.name)) is slanted


def test_a_frame_that_runs_through_a_line_is_no_letter() -> None:
    before, read = poster(("CHARITY RUN", 40, 90))
    framed = before.copy()
    left, right = (int(v) for v in read(before)[0].corners[:2, 0])
    framed[10:230, left - 1 : left + 2] = framed[10:230, right - 1 : right + 2] = INK
    inked = Canvas(framed, list(read(framed)), faces()).inked(0)
    assert inked is not None
    g = inked.glyphs
    assert not g.erased[:, max(0, left - 1 - g.left) : left + 1 - g.left].any(), "the frame stays"
    assert "cannot be made up" in refused(framed, read, "Delete 'CHARITY RUN'")
    assert "something else" in refused(framed, read, "Make 'CHARITY RUN' red")


def test_a_word_that_grows_keeps_a_centred_line_in_its_middle() -> None:
    before, read = poster(("TOP", 155, 60), ("Ann only", 120, 120), ("FOOT", 145, 200), em=28)
    after, _ = edited(before, read, "Change 'Ann only' to 'Everybody only'")
    rows = slice(95, 130)
    columns = np.nonzero(ink_mask(after)[rows].any(axis=0))[0]
    old = np.nonzero(ink_mask(before)[rows].any(axis=0))[0]
    assert (columns.min() + columns.max()) / 2 == pytest.approx((old.min() + old.max()) / 2, abs=6)


def test_glyphs_are_separated_light_on_dark_and_dark_on_light() -> None:
    before, read = poster(("HOTEL", 40, 90))
    corners = read(before)[0].corners
    for picture in (before, 255 - before):
        glyphs = extract(picture, corners)
        assert glyphs is not None
        wanted = (255 - np.array(INK)) if picture is not before else np.array(INK)
        assert np.abs(np.array(glyphs.colour) - wanted).max() < 12
        assert np.array_equal(
            glyphs.ground[~glyphs.erased],
            picture[glyphs.top :, glyphs.left :][: glyphs.alpha.shape[0], : glyphs.alpha.shape[1]][
                ~glyphs.erased
            ],
        )
    assert extract(before, corners + 5000) is None


def test_small_rules() -> None:
    assert in_the_case_of("Dragon Boat", "Qingming", "QINGMING") == "DRAGON BOAT"
    assert in_the_case_of("Digest", "NEWS", "NEWS") == "Digest"
    assert in_the_case_of("Tom", "Jason", "Peter") == "Tom"
    assert split_text("one two three", [3, 9]) == ["one", "two three"]
    assert split_text("word", [5, 5]) in (["word", ""], ["", "word"])
    style = fit(np.ones((20, 40), np.float32), "I", "Word by word", faces())
    assert style is not None
    assert len(wrapped("Word by word by word", style, 1.0)) == 5


def test_a_word_is_not_deleted_from_behind_its_amount() -> None:
    picture, read = poster(("80 g butter", 20, 60), ("Mix well", 20, 140))
    after, detail, reason = TypesetEditor(read).edit(picture, "delete 'butter'")
    assert (after == picture).all()
    assert not detail["edited"]
    assert "only '80 g' would be left" in reason


def test_a_mark_by_itself_is_a_text() -> None:
    lines = poster(("Ann", 20, 50), ("&", 40, 100), ("B & C", 20, 150))[1](np.zeros((1, 1, 3)))
    found = find(lines, Target("&"))
    assert [(m.spans[0].line, m.spans[0].start, m.spans[0].end) for m in found] == [
        (1, 0, 1),
        (2, 2, 3),
    ]


def test_a_word_between_two_keeps_a_centred_line_in_the_middle() -> None:
    picture, read = poster(("One two", 110, 130))
    after, detail = edited(picture, read, "Insert 'and' between 'One' and 'two'")
    columns = np.nonzero(ink_mask(after).any(axis=0))[0]
    before = np.nonzero(ink_mask(picture).any(axis=0))[0]
    assert detail["place"] == "between"
    assert np.ptp(columns) > np.ptp(before) + 36
    assert abs(columns.min() + columns.max() - before.min() - before.max()) < 16


def test_a_text_in_two_colours_and_weights_has_one_of_each() -> None:
    picture, read = poster(("LIFE", 60, 130))
    after, _ = edited(picture, read, "Make 'LIFE' bold and red")
    red = (after[..., 0].astype(int) - after[..., 2]) > 120
    assert red.sum() > 1.1 * ink_mask(picture).sum()
    assert not ink_mask(after).any()


def verified(picture: Array, read: Read, instruction: str, *after: tuple[str, Box]) -> str:
    """Why the result comes back: the second reading gives the texts that are told."""
    texts = iter((read(picture), Read(tuple((t, *box) for t, box in after))(picture)))
    _, _, reason = TypesetEditor(lambda _: next(texts)).edit(picture, instruction)
    return reason


def carton(edge: int) -> tuple[Array, Read]:
    """A pale box on a ground that is hardly another, a word in its middle."""
    drawn, read = poster(("MILK", 150, 120))
    picture = drawn.copy()
    picture[:, :edge] = picture[:, :edge] // 12 * 11
    return picture, read


def test_new_ink_crosses_no_pale_edge_that_the_old_text_did_not() -> None:
    new = ("ALL", (70, 90, 140, 123))
    old = ("MILK", (147, 90, 245, 123))
    for edge, said in ((90, "cross an edge"), (1, "")):
        picture, read = carton(edge)
        reason = verified(picture, read, "Insert 'ALL' before 'MILK'", old, new)
        assert said in reason, edge
        assert bool(reason) == bool(said), edge
    drawn, read = poster(("MILK", 150, 120))
    ruled = drawn.copy()
    ruled[150] -= 17  # a hair line in pale grey
    below = ("ALL", (150, 135, 230, 170))
    assert "cross an edge" in verified(ruled, read, "Insert 'ALL' below 'MILK'", old, below)


def test_a_text_does_not_leave_its_badge() -> None:
    drawn, read = poster(("NEW", 40, 60), ("Shoes", 40, 180), em=24)
    picture, ink = drawn.copy(), ink_mask(drawn)
    picture[30:75, 25:120] = (250, 210, 60)
    picture[ink] = INK
    old, new = ("Shoes", (38, 160, 110, 183)), ("NEW", (280, 8, 345, 30))
    instruction = "Move 'NEW' to the top right corner"
    assert "left empty" in verified(picture, read, instruction, old, new)
    assert verified(drawn, read, instruction, old, new) == ""


@pytest.mark.parametrize(
    ("drawn", "instruction", "left"),
    [
        ("a good day", "Delete 'good'", "'a day'"),
        ("broken again?", "Delete 'again'", "'broken ?'"),
        ("salt, pepper", "Delete 'pepper'", "'salt,'"),
        ("Phone: 555 0199", "Delete '555 0199'", "'Phone:'"),
        ("3. No pets", "Delete 'No pets'", "'3.'"),
    ],
)
def test_a_deletion_leaves_no_half_text(drawn: str, instruction: str, left: str) -> None:
    assert f"only {left} would be left" in refused(*poster((drawn, 40, 100)), instruction)


def test_brackets_go_with_what_they_hold() -> None:
    before, read = poster(("Sales (net)", 30, 100))
    after, _ = edited(before, read, "Delete the word 'net'")
    assert ink_mask(after)[:, 30:120].any()
    assert not ink_mask(after)[:, 130:].any()


def test_a_row_is_one_thing() -> None:
    drawn, read = menu = poster(("Soup", 30, 80), ("Rice", 30, 160), ("7.50", 240, 80))
    assert "'7.50' beside 'Soup' would be left" in refused(*menu, "Delete 'Soup'")
    edited(*menu, "Delete '7.50'")
    edited(*menu, "Delete 'Rice'")
    dotted = drawn.copy()
    dotted[145:153, 12:20] = INK
    assert "mark before 'Rice'" in refused(dotted, read, "Delete 'Rice'")


def test_a_face_beside_kept_letters_has_to_be_theirs() -> None:
    picture, read = poster(("Open daily", 30, 100), em=40)
    edited(picture, read, "Change 'Open daily' to 'Open weekly'")
    other = picture.copy()
    other[85:92] = np.where(ink_mask(picture)[85:92, :, None], picture[:1, :1], picture[85:92])
    assert "no installed font" in refused(other, read, "Change 'Open daily' to 'Open weekly'")


def test_letters_that_would_grow_together_are_not_made_bold() -> None:
    assert "grow together" in refused(*poster(("Sale", 60, 130)), "Make 'Sale' bold")


def test_a_centred_line_whose_end_changes_stays_centred() -> None:
    before, read = poster(("TOP", 155, 60), ("only Ann", 120, 120), ("FOOT", 145, 200), em=28)
    after, _ = edited(before, read, "Change 'only Ann' to 'only Everybody'")
    rows = slice(95, 130)
    columns = np.nonzero(ink_mask(after)[rows].any(axis=0))[0]
    old = np.nonzero(ink_mask(before)[rows].any(axis=0))[0]
    assert (columns.min() + columns.max()) / 2 == pytest.approx((old.min() + old.max()) / 2, abs=6)


def test_swapped_texts_of_a_row_stay_in_it_and_take_their_place_s_ink() -> None:
    drawn, read = poster(("Cancel", 30, 120), ("Happy", 220, 120), em=30)
    after, _ = edited(drawn, read, "Swap 'Cancel' and 'Happy'")
    for left, right in ((0, 180), (180, 360)):
        rows = np.nonzero(ink_mask(after)[:, left:right].any(axis=1))[0]
        before = np.nonzero(ink_mask(drawn)[:, 180 - left : 360 - left].any(axis=1))[0]
        assert (rows.min(), rows.max()) == (before.min(), before.max())
    buttons = drawn.copy()
    ink = ink_mask(drawn)
    buttons[85:135, 200:340] = (30, 40, 100)
    buttons[ink] = INK
    buttons[:, 180:][ink[:, 180:]] = (240, 240, 240)
    after, _ = edited(buttons, read, "Swap 'Cancel' and 'Happy'")
    assert ink_mask(after)[:, :180].any()
    assert (after[85:135, 200:340] > 200).all(axis=2).sum() > 200


def test_enlarged_letters_keep_their_colour_and_their_edges() -> None:
    drawn, read = poster(("Acts", 60, 120), em=20)
    after, _ = edited(drawn, read, "Make 'Acts' twice as large")
    fresh = (after != drawn).any(axis=2)
    darkest = np.percentile(after[fresh].sum(axis=1), 5)
    assert abs(darkest - sum(INK)) < 40
    soft = (after[..., 0] > 60) & (after[..., 0] < 160) & fresh
    assert soft.sum() < 0.9 * ink_mask(after).sum()


def test_a_moved_text_keeps_the_margin_that_it_had() -> None:
    drawn, read = poster(("3 May", 48, 60), em=24)
    after, _ = edited(drawn, read, "Move '3 May' to the top right corner")
    _, _, right, _ = box_of(after)
    assert 360 - right == pytest.approx(48, abs=3)


def test_a_label_goes_with_its_described_number() -> None:
    drawn, read = poster(("Tel. 04172 88 15", 30, 100), em=28)
    after, _ = edited(drawn, read, "Delete the phone number")
    assert not ink_mask(after).any()
    assert "'Tel.' would be left" in refused(drawn, read, "Delete '04172 88 15'")


def test_enlarged_letters_do_not_touch_the_next_line() -> None:
    for gap, said in ((40, "touch 'Market'"), (90, "")):
        picture, read = poster(("ARCHER", 40, 80), ("Market", 40, 80 + gap))
        larger = ("ARCHER", (0, 20, 330, 108))
        below = next(box for box in read.boxes if box[0] == "Market")
        reason = verified(
            picture, read, "Make 'ARCHER' twice as large", larger, ("Market", below[1:])
        )
        assert said in reason, reason
        assert bool(reason) == bool(said)


def test_as_wide_as_another_text_is_as_its_ink() -> None:
    drawn, read = poster(("HOTEL", 60, 80), ("rest", 100, 160))
    wide = Read(tuple((t, x0 - 9, y0, x1 + 9, y1) for t, x0, y0, x1, y1 in read.boxes))
    after, _ = edited(drawn, wide, "Resize 'rest' so that it is as wide as 'HOTEL'")
    ends = [
        np.nonzero(ink_mask(after)[rows].any(axis=0))[0] for rows in (slice(0, 90), slice(90, 240))
    ]
    assert np.ptp(ends[1]) == pytest.approx(np.ptp(ends[0]), abs=3)


def test_enlarged_letters_do_not_reach_the_picture_s_edge() -> None:
    drawn, read = poster(("HOTEL", 30, 120))
    assert "edge" in refused(drawn, read, "Make 'HOTEL' three times as large")
    edited(drawn, read, "Make 'HOTEL' bigger")
