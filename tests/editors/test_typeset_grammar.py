"""What instructions mean to `typeset`: many wordings of each operation, and those it must not
pretend to understand.
"""

from __future__ import annotations

import pytest

from editgauge.editors.typeset.colours import COLOURS
from editgauge.editors.typeset.grammar import read_request
from editgauge.editors.typeset.request import Operation, Target


def only(instruction: str) -> Operation:
    operations = read_request(instruction)
    assert len(operations) == 1, f"{instruction!r}: {operations}"
    return operations[0]


@pytest.mark.parametrize(
    ("instruction", "old", "new"),
    [
        ("Replace the text 'SALE' with 'OPEN'.", "SALE", "OPEN"),
        ('Change "71" to "51"', "71", "51"),
        ("Change the text of 'Swift' to 'Slow' in the picture", "Swift", "Slow"),
        (
            "Change the big text on the door from 'PULL' to 'PUSH', keeping the same font.",
            "PULL",
            "PUSH",
        ),
        ("Replace the theme from “Spring” with “Autumn”", "Spring", "Autumn"),
        ("'colour' -> 'color'", "colour", "color"),
        ("Replace SALE with OPEN", "SALE", "OPEN"),
        ("Modify 'it's here' to 'it's gone'", "it's here", "it's gone"),
    ],
)
def test_change(instruction: str, old: str, new: str) -> None:
    assert only(instruction) == Operation(kind="change", targets=(Target(old),), text=new)


def test_two_changes_in_one_sentence_are_two_operations() -> None:
    found = read_request("Change 'A1' to 'B1' and 'A2' to 'B2'")
    assert [(o.targets[0].text, o.text) for o in found] == [("A1", "B1"), ("A2", "B2")]


@pytest.mark.parametrize(
    ("instruction", "texts"),
    [
        ("Delete the word 'concerns' in the title.", ["concerns"]),
        ("remove 'A' and 'B'", ["A", "B"]),
        ("erase 'bread'and 'milk'", ["bread", "milk"]),
        ('Get rid of the phrase "NO ENTRY"', ["NO ENTRY"]),
        ("Scrub 'NO ENTRY' out of the photo", ["NO ENTRY"]),
        ("Please have 'NO ENTRY' removed", ["NO ENTRY"]),
        ("Delete 'A' from 'A B C'", ["A"]),
        ("Delete the words 'A', 'B' and the phrase 'C'", ["A", "B", "C"]),
    ],
)
def test_delete(instruction: str, texts: list[str]) -> None:
    operation = only(instruction)
    assert operation.kind == "delete"
    assert [t.text for t in operation.targets] == texts


def test_all_texts_or_the_only_one_may_be_meant() -> None:
    assert only("remove all the words").targets == (Target(role="all"),)
    assert only("Make all text in the image red").targets == (Target(role="all"),)
    assert only("Make the text in the picture red").targets == (Target(role="only"),)


@pytest.mark.parametrize(
    ("instruction", "text", "anchor", "place"),
    [
        ("Insert 'new' before 'ink' to be 'new ink'", "new", "ink", "before"),
        ("Add 'NAME' before 'JO LEE'.", "NAME", "JO LEE", "before"),
        ("Insert the text 'new' after the word 'brand'", "new", "brand", "after"),
        ("Write 'Opening soon' below 'BAKERY'", "Opening soon", "BAKERY", "below"),
        ("Type 'THE' on top of the text 'END'", "THE", "END", "above"),
        ("Add 's' to the end of the word 'Apple'", "s", "Apple", "after"),
    ],
)
def test_insert_beside(instruction: str, text: str, anchor: str, place: str) -> None:
    assert only(instruction) == Operation(
        kind="insert", targets=(Target(anchor),), text=text, place=place
    )


def test_insert_in_a_colour() -> None:
    operation = only("Add 'OPEN' in dark red below 'CAFE'.")
    assert operation == Operation(
        kind="insert", targets=(Target("CAFE"),), text="OPEN", place="below", colour=(110, 10, 15)
    )


def test_insert_into_a_corner_with_quotes_inside() -> None:
    operation = only(
        "Add 'Every key is an 'active' moment.' to the top right corner of the picture."
    )
    assert operation == Operation(
        kind="insert", text="Every key is an 'active' moment.", place="top right"
    )


@pytest.mark.parametrize(
    ("instruction", "place"),
    [
        ("Move 'paper' down a little", "go down"),
        ("Shift 'paper' a little to the left", "go left"),
        (
            "shift the title 'MAP' from the left top of the image to the left bottom of the image",
            "bottom left",
        ),
        ("Relocate 'MENU' to the bottom right corner", "bottom right"),
        ("Raise the word 'UP'", "go up"),
    ],
)
def test_move(instruction: str, place: str) -> None:
    operation = only(instruction)
    assert (operation.kind, operation.place) == ("move", place)


def test_move_beside_another_text_and_by_pixels() -> None:
    assert only("Move 'B' below 'A'") == Operation(
        kind="move", targets=(Target("B"),), place="below", anchor=Target("A")
    )
    assert only("Move 'B' up by 12 pixels").amount == 12


def test_swap() -> None:
    assert only("Switch the positions of 'DAY' and 'NIGHT'.").kind == "swap"
    assert only("Let 'DAY' and 'NIGHT' trade places.").kind == "swap"


@pytest.mark.parametrize(
    ("instruction", "amount"),
    [
        ("make 'Tea' smaller", 0.75),
        ("Make 'ink' a little bigger", 1.15),
        ("Scale up the word 'FAST' while keeping its center position", 1.3),
        (
            "Scale up 'FAST' while keeping its font, size, and color unchanged. Do not modify it",
            1.3,
        ),
        ("Enlarge 'AND' to twice its size", 2.0),
        ("Shrink 'AND' by 40%", 0.6),
        ("Shrink 'AND' to about 70% of its size", 0.7),
        ("Enlarge 'AND' by about 20%", 1.2),
        ("Resize 'AND' to 150%", 1.5),
    ],
)
def test_resize(instruction: str, amount: float) -> None:
    operation = only(instruction)
    assert operation.kind == "resize"
    assert operation.amount == pytest.approx(amount)


def test_resize_to_another_texts_length() -> None:
    operation = only("Resize 'garden' so that it is aligned with the length of 'flower shop'")
    assert (operation.targets, operation.anchor) == ((Target("garden"),), Target("flower shop"))


@pytest.mark.parametrize(
    ("instruction", "colour"),
    [
        ("Change the sentence from black to blue.", COLOURS["blue"]),
        ("Turn the white of the main title into black.", COLOURS["black"]),
        ("Make 'HOT' red", COLOURS["red"]),
        ("change the color of 'HOT' to dark green", (10, 70, 25)),
        (
            "Turn all the words into blue tones, while ensuring the overall harmony.",
            COLOURS["blue"],
        ),
    ],
)
def test_recolour(instruction: str, colour: tuple[int, int, int]) -> None:
    operation = only(instruction)
    assert (operation.kind, operation.colour) == ("recolour", colour)


@pytest.mark.parametrize(
    ("instruction", "degrees"),
    [
        ("Rotate 'Life' 30 degrees counterclockwise.", 30),
        ("Rotate 'Life' clockwise by 15°", -15),
        ("Rotate 'Life' 45 degrees anti-clockwise", 45),
        ("Turn 'Life' upside down", 180),
    ],
)
def test_rotate(instruction: str, degrees: float) -> None:
    operation = only(instruction)
    assert (operation.kind, operation.amount) == ("rotate", degrees)


@pytest.mark.parametrize(
    "instruction",
    [
        "",
        "translate the Chinese text into English",
        "Replace 'brewing' in the picture with its synonyms",
        "Swap the font and background color of this brand.",
        "add 'Quick Delivery' to the vehicle body",
        "insert the name of the company at the bottom of the image.",
        "Make the dog bigger",
        "What does the sign say?",
        "Take '1962' off the board and put '1926' in its stead.",
        "Delete 'A' and draw 'B' there",
        "Remove the polyp from the colon",
    ],
)
def test_what_is_not_understood_is_not_guessed(instruction: str) -> None:
    assert read_request(instruction) == ()


@pytest.mark.parametrize(
    ("instruction", "manner"),
    [
        ("Make 'Lower cost' bold.", "bold"),
        ("Set the words 'Lower cost' in italics, keeping the size", "italic"),
        ("Underline 'Lower cost'", "underlined"),
        ("Put a line through the text 'Lower cost'", "struck"),
        ("Convert 'Lower cost' to uppercase letters", "upper"),
        ("Write 'Lower cost' in lower case", "lower"),
    ],
)
def test_restyle(instruction: str, manner: str) -> None:
    [operation] = read_request(instruction)
    assert (operation.kind, operation.manner) == ("restyle", manner)
    assert operation.targets == (Target("Lower cost"),)


def test_every_part_of_an_instruction_is_done_or_none() -> None:
    first, second = read_request("Change 'Light' to 'Dark' and delete 'On'.")
    assert (first.kind, second.kind) == ("change", "delete")
    assert read_request("Delete 'On' and translate 'Light' into French.") == ()
    assert read_request("Make 'On' bold and shiny") == ()
    assert read_request("Delete 'Merlot' and its price") == ()
    [one] = read_request("Delete 'Add this, then delete that'")
    assert one.targets == (Target("Add this, then delete that"),)


def test_a_corner_names_the_text_in_it() -> None:
    [operation] = read_request("Delete the number in the lower right corner.")
    described = operation.targets[0].description
    assert described is not None
    assert (described.kind, described.place) == ("number", {"bottom", "right", "corner"})


def test_the_order_of_a_substitution() -> None:
    [operation] = read_request("Substitute 'new' for 'old'")
    assert (operation.targets, operation.text) == ((Target("old"),), "new")
    [operation] = read_request("Correct the typo: 'teh' should be 'the'")
    assert (operation.targets, operation.text) == ((Target("teh"),), "the")


def test_the_middle_along_one_axis() -> None:
    [operation] = read_request("Shift 'A' to the center of the slide horizontally")
    assert operation.place == "center across"


def test_an_endless_instruction_is_not_read() -> None:
    assert read_request("Replace the text 'A' with 'B'." * 10_000) == ()


@pytest.mark.parametrize(
    "instruction",
    [
        "Increase all the prices by 10%",
        "Double the amount",
        "Reduce '50%' by half",
        "Raise the price",
        "lower the price",
        "cut the price in half",
        "Increase the line spacing of the text",
        "Increase the font weight of 'SALE'",
        "Make the first letter of the title larger",
    ],
)
def test_a_value_or_another_measure_is_not_taken_for_the_size(instruction: str) -> None:
    assert read_request(instruction) == ()


def test_the_size_of_a_number_may_be_told() -> None:
    for instruction in ("Reduce the size of '$129' by half", "Make the price bigger",
                        "Enlarge '20'", "Enlarge the weight", "Increase the font size of all the prices"):  # fmt: skip
        assert [operation.kind for operation in read_request(instruction)] == ["resize"]


def test_two_described_texts_are_swapped_each_by_its_own_noun() -> None:
    [operation] = read_request("Swap the title and the subtitle")
    assert [str(target) for target in operation.targets] == ["'the title'", "'the subtitle'"]
    [operation] = read_request("Swap the first and the last word of the title")
    assert str(operation.targets[0]) == "'the first word of the title'"


def test_what_should_not_be_changed_is_no_further_command() -> None:
    told = "Make the title bold, other texts on the slide should not be changed."
    assert only(told).kind == "restyle"
    told = "Change 'Lanterns' to 'Harbour', the artist's name must not be touched"
    assert only(told).text == "Harbour"
