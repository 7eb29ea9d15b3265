"""What `typeset` finds wrong with its own result: texts that are not there, texts that are still
there, neighbours that were lost, pixels that changed elsewhere.
"""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import pytest

from editgauge.editors.typeset import TypesetEditor
from editgauge.editors.typeset.find import Line
from editgauge.editors.typeset.request import Operation, Target
from editgauge.editors.typeset.verify import Reading, fault
from editgauge.images import Array

SIZE = (400, 200)
TITLE, FOOT = (20, 20, 220, 60), (20, 150, 260, 180)
Box = tuple[int, int, int, int]


def page(*texts: tuple[str, Box], ground: int = 240, ink: int = 20) -> Array:
    pixels = np.full((SIZE[1], SIZE[0], 3), ground, np.uint8)
    for text, (left, _, _, bottom) in texts:
        cv2.putText(pixels, text, (left, bottom - 6), cv2.FONT_HERSHEY_SIMPLEX, 0.8, (ink,) * 3, 2)
    return pixels


def lines(*texts: tuple[str, Box]) -> list[Line]:
    return [
        Line(np.array([(a, b), (c, b), (c, d), (a, d)], np.float64), text)
        for text, (a, b, c, d) in texts
    ]


BEFORE = (("GRAND HOTEL", TITLE), ("open all day", FOOT))
CHANGE = Operation(kind="change", targets=(Target("HOTEL"),), text="MOTEL")
DELETE = Operation(kind="delete", targets=(Target("open all day"),))


def told(operation: Operation, *after: tuple[str, Box], read: Any = None, **look: Any) -> str:
    seen = after if read is None else read
    return fault(
        Reading(
            before=page(*BEFORE),
            after=page(*after, **look),
            lines=lines(*BEFORE),
            read=lines(*seen),
        ),
        [operation],
    )


def test_what_holds_has_no_fault() -> None:
    assert told(CHANGE, ("GRAND MOTEL", TITLE), BEFORE[1]) == ""
    assert told(DELETE, BEFORE[0]) == ""


@pytest.mark.parametrize(
    ("operation", "after", "read", "said"),
    [
        (CHANGE, BEFORE, None, "nothing changed"),
        (
            CHANGE,
            (("GRAND M", TITLE), BEFORE[1]),
            (("GRAND", TITLE), BEFORE[1]),
            "'MOTEL' cannot be read",
        ),
        (DELETE, (BEFORE[0], ("all day", FOOT)), None, "'allday' is still read"),
        (
            Operation(kind="move", targets=(Target("GRAND HOTEL"),), place="bottom"),
            (("####", (20, 90, 220, 130)), BEFORE[1]),
            (BEFORE[1],),
            "'GRAND HOTEL' cannot be read",
        ),
        (
            Operation(kind="insert", targets=(), text="NEW", place="bottom"),
            (BEFORE[0], ("NEW#day", FOOT)),
            (BEFORE[0], ("NEW", FOOT)),
            "'open all day' beside it",
        ),
    ],
)
def test_what_does_not_hold(operation: Operation, after: Any, read: Any, said: str) -> None:
    assert said in told(operation, *after, read=read)


def test_pixels_far_from_the_text_may_not_change() -> None:
    after = page(("GRAND MOTEL", TITLE), BEFORE[1])
    after[80:140, 300:400] = 0
    reading = Reading(
        before=page(*BEFORE),
        after=after,
        lines=lines(*BEFORE),
        read=lines(("GRAND MOTEL", TITLE), BEFORE[1]),
    )
    assert "away from the text" in fault(reading, [CHANGE])


def test_a_text_that_hardly_stands_out_does_not_hold() -> None:
    place = (20, 90, 220, 130)
    faint = np.minimum(page(("GRAND HOTEL", place), ink=230), page(BEFORE[1]))
    reading = Reading(
        before=page(*BEFORE),
        after=faint,
        lines=lines(*BEFORE),
        read=lines(("GRAND HOTEL", place), BEFORE[1]),
    )
    move = Operation(kind="move", targets=(Target("GRAND HOTEL"),), place="down")
    assert "hardly stand out" in fault(reading, [move])


def test_a_text_is_not_put_on_another() -> None:
    insert = Operation(kind="insert", targets=(), text="NEW WORDS", place="bottom")
    on_it = ("NEW WORDS", (20, 148, 200, 182))
    after = np.minimum(page(*BEFORE), page(on_it))
    reading = Reading(
        before=page(*BEFORE), after=after, lines=lines(*BEFORE), read=lines(*BEFORE, on_it)
    )
    assert "would lie on 'open all day'" in fault(reading, [insert])
    beside = ("NEW WORDS", (20, 90, 200, 130))
    after = np.minimum(page(*BEFORE), page(beside))
    reading = Reading(
        before=page(*BEFORE), after=after, lines=lines(*BEFORE), read=lines(*BEFORE, beside)
    )
    assert fault(reading, [insert]) == ""


def test_a_strong_turn_is_not_read_again() -> None:
    turned = Operation(kind="rotate", targets=(Target("GRAND HOTEL"),), amount=90.0)
    assert "cannot be read" not in told(turned, ("////", TITLE), BEFORE[1], read=(BEFORE[1],))


def test_ink_that_stays_where_a_text_went_does_not_hold() -> None:
    after = page(BEFORE[0])
    after[FOOT[1] : FOOT[3], FOOT[0] : 120] = page(*BEFORE)[FOOT[1] : FOOT[3], FOOT[0] : 120]
    reading = Reading(
        before=page(*BEFORE), after=after, lines=lines(*BEFORE), read=lines(BEFORE[0])
    )
    assert "parts of 'open all day' would be left" in fault(reading, [DELETE])


def test_a_place_that_is_stained_does_not_hold() -> None:
    after = page(BEFORE[0])
    after[155:172, 40:60] = 90
    reading = Reading(
        before=page(*BEFORE), after=after, lines=lines(*BEFORE), read=lines(BEFORE[0])
    )
    assert "stains would be left" in fault(reading, [DELETE])


def test_a_neighbour_may_not_even_be_touched() -> None:
    after = page(BEFORE[0], ("open all day", FOOT))
    after[25:50, 30:80] = 240
    insert = Operation(kind="insert", targets=(), text="open all day", place="bottom")
    before, was = page(BEFORE[0]), lines(BEFORE[0])
    reading = Reading(before=before, after=after, lines=was, read=lines(*BEFORE))
    assert "'GRAND HOTEL' beside it would be touched" in fault(reading, [insert])


def test_a_text_does_not_come_to_lie_across_an_edge() -> None:
    before = page(*BEFORE)
    before[80:130, 150:] = 120
    place = (20, 85, 220, 125)
    after = page(BEFORE[1])
    after[80:130, 150:] = 120
    drawn = page(("GRAND HOTEL", place))
    after[drawn < 100] = 20
    reading = Reading(
        before=before,
        after=after,
        lines=lines(*BEFORE),
        read=lines(("GRAND HOTEL", place), BEFORE[1]),
    )
    move = Operation(kind="move", targets=(Target("GRAND HOTEL"),), place="go down")
    assert "across an edge" in fault(reading, [move])


def test_a_text_does_not_come_to_lie_on_a_thin_line() -> None:
    place = (20, 85, 220, 125)
    for crossing, said in ((120, "on a line"), (300, "")):
        before, after = page(*BEFORE), page(("GRAND HOTEL", place), BEFORE[1])
        for picture in (before, after):
            picture[60:145, crossing : crossing + 3] = 60
        reading = Reading(
            before=before,
            after=after,
            lines=lines(*BEFORE),
            read=lines(("GRAND HOTEL", place), BEFORE[1]),
        )
        move = Operation(kind="move", targets=(Target("GRAND HOTEL"),), place="go down")
        assert (said in fault(reading, [move])) if said else not fault(reading, [move])


class Reader:
    """Reads what the page was drawn with, and something else in any other picture."""

    def __init__(self, first: Array) -> None:
        self.first = first

    def __call__(self, picture: Array) -> list[Line]:
        return lines(*BEFORE) if np.array_equal(picture, self.first) else lines(("blur", TITLE))


def test_the_editor_hands_back_what_does_not_hold() -> None:
    first = page(*BEFORE)
    picture, detail, reason = TypesetEditor(Reader(first)).edit(
        first, "Move 'GRAND HOTEL' to the right"
    )
    assert np.array_equal(picture, first)
    assert detail["edited"] is False
    assert "did not hold" in reason
    picture, detail, _ = TypesetEditor(Reader(first), verify=False).edit(
        first, "Move 'GRAND HOTEL' to the right"
    )
    assert detail["edited"] is True


def test_twins_are_not_guessed_between() -> None:
    twice = page(("SALE", TITLE), ("SALE", FOOT))
    read = lines(("SALE", TITLE), ("SALE", FOOT))
    _, detail, reason = TypesetEditor(lambda picture: read).edit(twice, "Delete 'SALE'")
    assert detail["edited"] is False
    assert "stands 2 times" in reason
