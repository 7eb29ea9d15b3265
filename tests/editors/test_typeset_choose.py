"""Which text of a picture a description means; where two may be meant, none is taken."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest

from editgauge.editors.typeset.canvas import Canvas
from editgauge.editors.typeset.choose import choose, pointed
from editgauge.editors.typeset.colours import COLOURS, may_be_called
from editgauge.editors.typeset.common import CannotEdit
from editgauge.editors.typeset.faces import faces
from editgauge.editors.typeset.find import Line
from editgauge.editors.typeset.phrases import describe
from editgauge.editors.typeset.request import Operation, Target

PAGE = (400, 600)


def line(text: str, x: float, y: float, height: float = 20) -> Line:
    right = x + len(text) * height * 0.5
    corners = np.array([[x, y], [right, y], [right, y + height], [x, y + height]])
    return Line(corners, text)


POSTER = [
    line("Grand Sale", 60, 40, 60),
    line("all of our books", 120, 110, 24),
    line("Tea", 50, 200),
    line("4.50", 300, 200),
    line("Coffee", 50, 240),
    line("5.20", 300, 240),
    line("Cocoa", 50, 280),
    line("3 May 2025, 18:00", 50, 400),
    line("shop@mail.example", 50, 440),
    line("www.shop.example", 50, 480),
    line("+49 30 1234 567", 50, 520),
    line("*while stocks last", 270, 575, 12),
]


def chosen(phrase: str, lines: list[Line] = POSTER) -> list[str]:
    description = describe(phrase, [])
    assert description is not None
    canvas = Canvas(np.full((*PAGE[::-1], 3), 240, np.uint8), lines, [])
    return [" ".join(spot.text for spot in group) for group in choose(canvas, description)]


@pytest.mark.parametrize(
    ("phrase", "texts"),
    [
        ("the title", ["Grand Sale"]),
        ("the subtitle", ["all of our books"]),
        ("the date", ["3 may 2025"]),
        ("the line with the date", ["3 May 2025, 18:00"]),
        ("the time", ["18:00"]),
        ("the e-mail address", ["shop@mail.example"]),
        ("the website", ["www.shop.example"]),
        ("the phone number", ["+49 30 1234 567"]),
        ("the small print in the corner", ["*while stocks last"]),
        ("the two prices", ["4.50", "5.20"]),
        ("the second price", ["5.20"]),
        ("the third line from the bottom", ["www.shop.example"]),
        ("the text below the title", ["all of our books"]),
        ("the first word of the title", ["Grand"]),
        ("the text that mentions stocks", ["*while stocks last"]),
        ("the top line", ["Grand Sale"]),
    ],
)
def test_what_is_meant(phrase: str, texts: list[str]) -> None:
    assert [text.lower() for text in chosen(phrase)] == [text.lower() for text in texts]


@pytest.mark.parametrize(
    "phrase",
    [
        "the price",
        "the word at the bottom",
        "the text on the left",
        "the hashtag",
        "the second line",
        "the middle price",
        "the publisher's name",
        "the headings",
    ],
)
def test_where_several_or_none_may_be_meant_none_is_taken(phrase: str) -> None:
    with pytest.raises(CannotEdit):
        chosen(phrase)


def test_a_row_of_several_texts_is_not_one_of_them() -> None:
    table = [
        line(text, 40 + 150 * (n % 3), 100 + 60 * (n // 3))
        for n, text in enumerate(
            ["City", "People", "Ports", "Oslo", "709", "3", "Bergen", "291", "2"]
        )
    ]
    for phrase in ("the last row of the table", "the first row", "the bottom row"):
        with pytest.raises(CannotEdit):
            chosen(phrase, table)
    assert chosen("the last row", [table[0], table[3], table[6]]) == ["Bergen"]


def test_the_last_message_of_a_chat_may_not_be_the_last_text() -> None:
    chat = [line("See you at 8", 40, 100), line("Fine", 200, 160), line("Message", 40, 500)]
    with pytest.raises(CannotEdit):
        chosen("the last message in the chat", chat)
    with pytest.raises(CannotEdit, match="not clear"):
        chosen("the last line", chat)


def test_one_text_is_not_inserted_at_one_of_several() -> None:
    canvas = Canvas(np.full((600, 400, 3), 240, np.uint8), POSTER, [])
    prices = (Target(description=describe("all prices", [])),)
    for place in ("before", "after"):
        with pytest.raises(CannotEdit, match="2 texts fit"):
            pointed(canvas, Operation(kind="insert", targets=prices, text="€", place=place))


@pytest.mark.parametrize(
    "operation",
    [Operation(kind="change", text="9.99"), Operation(kind="move", place="go up")],
    ids=lambda operation: operation.kind,
)
def test_all_of_several_are_not_the_first_of_them(operation: Operation) -> None:
    canvas = Canvas(np.full((600, 400, 3), 240, np.uint8), POSTER, [])
    prices = (Target(description=describe("all the prices", [])),)
    with pytest.raises(CannotEdit, match="2 texts fit"):
        pointed(canvas, replace(operation, targets=prices))


def test_a_change_leaves_the_bullet_of_a_line() -> None:
    canvas = Canvas(np.full((600, 400, 3), 240, np.uint8), [line("• Ottersley", 100, 300)], [])
    change = Operation(
        kind="change", targets=(Target(description=describe("the town in the middle", [])),)
    )
    [target] = pointed(canvas, change).targets
    assert (target.text, target.spans[0].start) == ("Ottersley", 2)


def test_the_last_entry_of_a_list_is_no_line_below_it() -> None:
    settings = [
        line("Settings", 20, 20, 40),
        *(line(text, 40, 120 + 50 * n) for n, text in enumerate(("Sound", "Light", "Log out"))),
        line("Version 4", 160, 500, 14),
    ]
    assert chosen("the last entry of the list", settings) == ["Log out"]
    with pytest.raises(CannotEdit, match="not clear"):
        chosen("the last line", settings)


@pytest.mark.parametrize("name", [name for name in COLOURS if name not in ("navy", "maroon")])
def test_a_colour_is_called_by_its_name(name: str) -> None:
    assert may_be_called(COLOURS[name], name)


def test_colours_that_people_tell_apart() -> None:
    reds: Any = [(220, 20, 30), (170, 30, 30), (235, 60, 60)]
    for red in reds:
        assert may_be_called(red, "red")
        assert not any(may_be_called(red, name) for name in ("blue", "green", "white", "yellow"))
    assert not may_be_called((40, 40, 45), "blue")
    assert may_be_called((15, 30, 95), "navy")


def test_a_number_is_no_title_and_a_text_above_one_is_small() -> None:
    assert chosen("the title", [line("Grand Sale", 60, 40, 60), line("50%", 60, 200, 40)])
    for texts in (
        [line("Summer", 60, 40, 30), line("50%", 60, 200, 80)],
        [line("Chess club", 60, 20, 40), line("Members", 60, 160, 50)],
    ):
        with pytest.raises(CannotEdit, match="title"):
            chosen("the title", texts)


def test_a_subtitle_has_all_its_rows() -> None:
    texts = [line("Grand Sale", 60, 40, 60), line("all of our books", 60, 110, 24),
             line("and the maps", 60, 142, 24), line("Tea", 60, 300)]  # fmt: skip
    assert chosen("the subtitle", texts) == ["all of our books and the maps"]


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("+49 30 1234 567", True),
        ("(020) 7946 0112", True),
        ("Call 0161 496 0733", True),
        ("Order 2024 118 733", False),
        ("12/04/2024 17:30", False),
        ("4-006381-333931", False),
    ],
)
def test_a_phone_number_is_told_by_more_than_its_digits(text: str, is_one: bool) -> None:
    if is_one:
        assert len(chosen("the phone number", [line(text, 20, 20)])) == 1
    else:
        with pytest.raises(CannotEdit):
            chosen("the phone number", [line(text, 20, 20)])


def test_several_of_an_order_and_what_is_no_line_are_not_counted() -> None:
    rows = [line(text, 40, 100 + 40 * n) for n, text in enumerate(("Oslo", "Bergen", "Moss"))]
    assert chosen("the last line", rows) == ["Moss"]
    for phrase in ("the last two items", "the first two words of the title", "the second sentence"):
        with pytest.raises(CannotEdit):
            chosen(phrase, rows)


def test_one_word_in_the_middle_is_not_three() -> None:
    stack = [line(text, 150, 200 + 60 * n, 50) for n, text in enumerate(("BEST", "BOSS", "EVER"))]
    with pytest.raises(CannotEdit):
        chosen("the word in the middle", stack)


def test_a_name_reads_like_one() -> None:
    chat = [line("9:41", 20, 5), line("Marta Lind", 100, 40), line("online", 100, 80, 12)]
    assert chosen("the name at the top", chat) == ["Marta Lind"]


def test_what_the_engine_missed_of_a_title_is_a_part_of_it() -> None:
    page = np.full((200, 600, 3), 240, np.uint8)
    for x in (40, 160, 280):
        cv2.putText(page, "WARM", (x, 80), cv2.FONT_HERSHEY_SIMPLEX, 1.2, (20, 20, 20), 3)
    corners = np.array([[36, 50], [278, 50], [278, 86], [36, 86]], float)
    description = describe("the title", [])
    assert description is not None
    with pytest.raises(CannotEdit, match="more than 'WARM WARM' may stand there"):
        choose(Canvas(page, [Line(corners, "WARM WARM")], faces()), description)


def test_all_numbers_are_those_within_texts_too() -> None:
    assert len(chosen("the numbers", [line("4", 20, 20), line("17", 20, 80)])) == 2
    with pytest.raises(CannotEdit, match="Room 5"):
        chosen("the numbers", [line("4", 20, 20), line("Room 5", 20, 80)])


def test_whose_the_only_date_is_need_not_be_known() -> None:
    canvas = Canvas(np.full((600, 400, 3), 240, np.uint8), POSTER, [])
    date = Target(description=describe("the date of the event", []))
    [target] = pointed(canvas, Operation(kind="recolour", targets=(date,))).targets
    assert target.text == "3 May 2025"
    due = [line("Due:", 20, 400), line("3 May 2025", 150, 400)]
    with pytest.raises(CannotEdit, match="not clear"):
        pointed(
            Canvas(np.full((600, 400, 3), 240, np.uint8), due, []),
            Operation(kind="recolour", targets=(date,)),
        )
    price = Target(description=describe("the price of the coffee", []))
    with pytest.raises(CannotEdit, match="not clear"):
        pointed(canvas, Operation(kind="recolour", targets=(price,)))


def test_the_smallest_of_equals_is_none() -> None:
    rows = [line(text, 40, 100 + 40 * n) for n, text in enumerate(("turn", "the", "page"))]
    for phrase in ("the smallest text", "the largest text"):
        with pytest.raises(CannotEdit, match="about as large"):
            chosen(phrase, rows)
    assert chosen("the smallest text", [*rows, line("now", 40, 300, 10)]) == ["now"]


def test_an_axis_label_below_a_title_is_no_part_of_it() -> None:
    chart = [line("Bicycles sold in 2024", 80, 20, 30), line("1000", 30, 62, 26),
             line("500", 30, 200, 20)]  # fmt: skip
    with pytest.raises(CannotEdit, match="title"):
        chosen("the title of the chart", chart)
    chart[1] = line("in all shops", 300, 62, 28)
    with pytest.raises(CannotEdit, match="title"):
        chosen("the title of the chart", chart)
    chart[1] = line("in all shops", 80, 62, 28)
    assert chosen("the title of the chart", chart) == ["Bicycles sold in 2024 in all shops"]


def test_two_texts_below_a_title_are_no_subtitle_and_half_a_block_is_no_text() -> None:
    title = line("Portfolio", 60, 40, 60)
    side_by_side = [title, line("author", 60, 112, 20), line("Personal page", 260, 128, 20)]
    with pytest.raises(CannotEdit):
        chosen("the subtitle", side_by_side)
    address = [title, line("12 Commercial Street", 60, 540), line("Shenzhen", 60, 566)]
    with pytest.raises(CannotEdit, match="only a part"):
        chosen("the text at the bottom", address)
    assert chosen("the text at the bottom", [title, address[2]]) == ["Shenzhen"]


def test_a_title_is_clearly_the_largest_text() -> None:
    with pytest.raises(CannotEdit, match="title"):
        chosen(
            "the title", [line("Everyone is the", 60, 40, 50), line("hero of a life", 60, 160, 48)]
        )
