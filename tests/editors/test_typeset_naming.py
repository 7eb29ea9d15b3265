"""Instructions in ordinary sentences: what is understood, what every word of is accounted for, and
what is not guessed.
"""

from __future__ import annotations

import pytest

from editgauge.editors.typeset.colours import COLOURS
from editgauge.editors.typeset.grammar import read_request, why_not
from editgauge.editors.typeset.request import Operation


def only(instruction: str) -> Operation:
    operations = read_request(instruction)
    assert len(operations) == 1, f"{instruction!r}: {operations}"
    return operations[0]


@pytest.mark.parametrize(
    ("instruction", "kind", "told"),
    [
        ("The sale is over, so the yellow text at the bottom should go.", "delete", "text"),
        ("Get rid of the phone number.", "delete", "phone"),
        ("We've moved, remove the address line.", "delete", "address"),
        ("The footnote is no longer needed; please remove it.", "delete", "small print"),
        ("Take out the last item of the list.", "delete", "entry"),
        ("Make the blue heading green.", "recolour", "title"),
        ("I'd like the price in red.", "recolour", "price"),
        ("The web address should be printed in white.", "recolour", "website"),
        ("Could the subtitle be set in italics?", "restyle", "subtitle"),
        ("Let the top line be bold.", "restyle", "row"),
        ("Strike through the first price.", "restyle", "price"),
        ("Shrink the headline by a fifth.", "resize", "title"),
        ("The text on the red badge is too large, make it a bit smaller.", "resize", "text"),
        ("Move the date to the bottom right corner.", "move", "date"),
        ("Exchange the two prices.", "swap", "price"),
        ("Replace the year by 2031.", "change", "year"),
        ("The red sign should say Closed.", "change", "text"),
        ("Write 'sold out' in red below the date.", "insert", "date"),
        ("Under the last line there should be 'no dogs'.", "insert", "row"),
        ("Tilt the heading 10 degrees clockwise.", "rotate", "title"),
    ],
)
def test_a_text_may_be_described(instruction: str, kind: str, told: str) -> None:
    operation = only(instruction)
    description = operation.targets[0].description
    assert description is not None
    assert (operation.kind, description.kind, description.words) == (kind, told, ())


def test_where_a_text_stands_and_what_it_looks_like() -> None:
    described = only("Delete the small grey print in the lower left corner.").targets[0].description
    assert described is not None
    assert (described.place, described.colour, described.size) == (
        {"bottom", "left", "corner"},
        "grey",
        "small",
    )
    described = only("Show the middle figure of the three larger.").targets[0].description
    assert described is not None
    assert (described.kind, described.order, described.count) == ("number", 0, 3)
    described = only("Delete the second line from the bottom.").targets[0].description
    assert described is not None
    assert described.order == -2
    described = only("Make the last word of the title red.").targets[0].description
    assert described is not None
    assert described.within is not None
    assert (described.kind, described.within.kind) == ("word", "title")
    first, last = only("Swap the first and the last entry of the list.").targets
    assert first.description is not None
    assert last.description is not None
    assert (first.description.order, last.description.order) == (1, -1)


@pytest.mark.parametrize(
    ("instruction", "old", "new"),
    [
        ("It's the 2019 vintage, not 2016", "2016", "2019"),
        ("Instead of Monday it must say Tuesday.", "Monday", "Tuesday"),
        ("Correct the year: it is 1987, not 1978.", "1978", "1987"),
        ("Change the time from 18:00 to 19:30.", "18:00", "19:30"),
    ],
)
def test_texts_without_quotation_marks(instruction: str, old: str, new: str) -> None:
    operation = only(instruction)
    assert (operation.kind, operation.targets[0].text, operation.text) == ("change", old, new)


@pytest.mark.parametrize(
    ("instruction", "amount"),
    [
        ("Make the heading smaller. Something like three quarters", 0.75),
        ("Bring the bottom line down to two thirds of its size.", 2 / 3),
        ("Blow the headline up a little, maybe by a fifth", 1.2),
        ("Make the date about twice as big.", 2.0),
        ("Increase the size of the slogan at the top to about 150%; it may use the width", 1.5),
        ("The footer is too small. Enlarge it by half.", 1.5),
    ],
)
def test_amounts_in_words(instruction: str, amount: float) -> None:
    assert only(instruction).amount == pytest.approx(amount)


def test_a_move_by_a_part_of_the_picture_and_to_its_middle() -> None:
    moved = only("'Bay' sits too far left. Shift it to the right by a third of the map's width.")
    assert (moved.place, moved.share) == ("go right", pytest.approx(1 / 3))
    moved = only("Take 'Hi!' from the bottom and put it beneath the user name, centred")
    assert moved.anchor is not None
    assert moved.anchor.description is not None
    assert (moved.place, moved.anchor.description.kind, moved.centred) == ("below", "handle", True)


def test_what_is_to_stay_is_no_command() -> None:
    operation = only("On the sign, let 'A1' and 'B1' trade places; the numbers stay as they are.")
    assert (operation.kind, len(operation.targets)) == ("swap", 2)
    assert only("Colour the word at the top red, keep the rest.").colour == COLOURS["red"]


def test_an_amount_that_says_the_opposite_is_misread() -> None:
    assert only("Scale 'Moon' up so it becomes one and a half times as big").amount == 1.5
    assert read_request("Enlarge 'Moon' to half its size") == ()


def test_another_text_may_be_the_measure() -> None:
    resized = only("Make 'tow away' larger so that it is nearly as wide as NO PARKING above")
    assert (resized.kind, resized.anchor and resized.anchor.text) == ("resize", "NO PARKING")
    recoloured = only("BRASS should be in the same colour as MIDNIGHT")
    assert recoloured.anchor is not None
    assert (recoloured.kind, recoloured.anchor.text) == ("recolour", "MIDNIGHT")


def test_the_title_of_a_part_is_not_the_title() -> None:
    described = only("Drop the axis title.").targets[0].description
    assert described is not None
    assert described.words == ("axis",)
    assert only("Delete the chart's title").targets[0].description is not None


@pytest.mark.parametrize(
    "instruction",
    [
        "Remove the dog.",
        "Make the sun bigger.",
        "Make the red button green.",
        "Delete the blue car",
        "Change the background to blue.",
        "Remove the bottom half of the poster.",
        "Delete the title and the logo.",
        "Sort the list.",
        "Append the name Wanda to the greeting, separated with a comma",
        "Tea is 20% off today. Update its price on the menu accordingly.",
        "Titles are set in italics in our house - please do that here.",
        "Show its new departure time and put 'late' as the status.",
        "Delete the red word and draw a heart there.",
    ],
)
def test_what_is_no_text_or_needs_thought_is_not_guessed(instruction: str) -> None:
    assert read_request(instruction) == ()


@pytest.mark.parametrize(
    ("instruction", "needs"),
    [
        ("Translate the headline to French.", "a translation"),
        ("Fill in the missing sum.", "a calculation"),
        ("Fix the spelling mistakes.", "knowledge of the language"),
    ],
)
def test_why_an_instruction_is_not_understood(instruction: str, needs: str) -> None:
    assert read_request(instruction) == ()
    assert needs in why_not(instruction)
    assert needs not in why_not("Make it nicer.")


def test_two_qualities_are_two_operations_and_the_colour_comes_first() -> None:
    for instruction in ("Make 'Sale' bold and red", "Turn 'Sale' red and bold."):
        coloured, bold = read_request(instruction)
        assert (coloured.kind, coloured.colour) == ("recolour", COLOURS["red"])
        assert (bold.kind, bold.manner, bold.targets) == ("restyle", "bold", coloured.targets)


def test_a_text_goes_between_two() -> None:
    inserted = only("Insert 'very' between the words 'a' and 'good' so that it stays centred")
    assert (inserted.kind, inserted.text, inserted.place) == ("insert", "very", "between")
    assert [target.text for target in inserted.targets] == ["a", "good"]


@pytest.mark.parametrize(
    ("instruction", "factor"),
    [
        ("Add 'x' below 'y', with the same font but much smaller.", 0.5),
        ("Write 'x' below 'y' in smaller letters", 0.75),
        ("Add 'x' below 'y'", None),
        ("Add 'much smaller' below 'y'", None),
    ],
)
def test_a_new_text_may_be_smaller(instruction: str, factor: float | None) -> None:
    inserted = only(instruction)
    assert (inserted.place, inserted.amount) == ("below", factor)


def test_a_place_told_by_a_thing_is_not_left_out() -> None:
    assert read_request("Move 'Forgot?' to the left side, under the left end of the box.") == ()
    assert read_request("Move 'no' up so that it is above the arrow") == ()
    assert read_request("Add 'Ode' on the right of the upper part of the river.") == ()
    assert only("Add 'Ode' in the top right corner of the map").place == "top right"


def test_the_text_beside_a_text_may_be_the_measure() -> None:
    resized = only("Resize 'DREAM' to make it as wide as the line under it")
    described = resized.anchor.description if resized.anchor else None
    assert described is not None
    assert described.beside is not None
    assert (described.beside[0], described.beside[1].says) == ("below", "DREAM")
    assert read_request("Delete the line under 'Tea'.") == ()  # which may be a drawn one


@pytest.mark.parametrize(
    ("instruction", "kind", "told", "plural"),
    [
        ("Make all the prices on the menu a bit larger", "resize", "price", True),
        ("Turn all the red texts of the invoice into dark green", "recolour", "text", True),
        ("Remove the website from the business card.", "delete", "website", False),
        ("Make the weight of the parcel bigger.", "resize", "weight", False),
    ],
)
def test_all_of_a_kind_and_the_carrier_of_a_text(
    instruction: str, kind: str, told: str, plural: bool
) -> None:
    operation = only(instruction)
    described = operation.targets[0].description
    assert described is not None
    assert (operation.kind, described.kind, described.plural) == (kind, told, plural)
    assert described.words == ()


@pytest.mark.parametrize(
    "instruction",
    [
        "Move 'SALE' to the right of the bottle.",
        "Move 'A' from the left of 'B' to the right of 'C'",
        "Align 'A' with 'B'",
        "Delete the second 'the' in the text",
        "Delete the brackets around 'new'",
        "Delete everything except 'Hello'",
        "Delete all the text except the title",
        "Remove the icon left of 'Hello'",
        "Delete the price of 'Tea'",
        "Delete the logo and 'A'",
        "Change 'cat' to 'dog' and the picture accordingly",
        "Change the color of the box around 'Hello' to red",
        "Change the color of the text 'A' to 'red'",
        "Make the letter 'H' in 'Hello' red",
        "Make the first letter of 'Hello' red",
        "Make 'A' red, 'B' blue",
        "Make 'A' bigger than 'B'",
        "Swap the colors of 'A' and 'B'",
        "Enlarge 'Hello' so that it fills the box",
        "Enlarge 'Hello' until it touches the border",
        "Make 'A' half as big as 'B'",
        "Make 'A' black with a white outline",
        "Remove the color of 'A'",
        "Remove 'A' and close the gap",
        "Delete one of the two 'A'",
        "Put a comma after 'A'",
        "Add 'x' above and below 'B'",
        "Add 'A' under the logo in the top left corner",
        "Add 'A' below 'B' in italics",
        "Move 'A' up to the height of 'B'",
        "Move 'A' to the left by 2 cm",
        "Change the 's' in 'Hellos' to 'x'",
        "Replace 'Mr' with 'Mrs' and adjust the picture",
        "Replace 'A' with a larger 'B'",
    ],
)
def test_what_a_quoted_text_only_helps_to_tell_is_not_done_to_it(instruction: str) -> None:
    assert read_request(instruction) == ()


def test_a_move_by_pixels_goes_no_further() -> None:
    moved = only("Move 'A' to the left by 20 pixels")
    assert (moved.place, moved.amount) == ("go left", 20.0)
