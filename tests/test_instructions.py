"""Reading instructions: quoted texts in every style, and which of them is source, target and
anchor.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editgauge.instructions import quoted, read_instruction


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Change 'A b' to 'C'", ["A b", "C"]),
        ("Change “A” to ‘C’", ["A", "C"]),
        ("把“开业大吉”改为「歇业」", ["开业大吉", "歇业"]),
        (
            "把”开业”改为”歇业”",
            ["开业", "歇业"],
        ),  # the same curly mark on both sides, as typed on some keyboards
        ("change «un» to „zwei“", ["un", "zwei"]),
        ("Replace ‘don’t stop’ with ‘can’t’", ["don’t stop", "can’t"]),
        ("Replace the text 'O'Brien' with 'O'Neil'.", ["O'Brien", "O'Neil"]),
        ("Change 'students' books' to 'pupils' books'", ["students' books", "pupils' books"]),
        ("Change 'rock 'n' roll' to 'pop'", ["rock 'n' roll", "pop"]),
        ('Change "12" pizza" to "14" pizza"', ['12" pizza', '14" pizza']),
        ("add 'one 'active' moment in all.' to it", ["one 'active' moment in all."]),
        ("Replace \"He said 'hi'\" with \"She said 'ho'\"", ["He said 'hi'", "She said 'ho'"]),
        ("delete 'baking'and 'café'", ["baking", "café"]),
        ("Change the text'Foo'to'Bar'", ["Foo", "Bar"]),
        ("the shop's owner's 'Bar' is Joe's", ["Bar"]),
        ("Replace 'SALE ' with ''", ["SALE", ""]),
        ("Change '🎉 e\u0301te\u0301' to '日本'", ["🎉 e\u0301te\u0301", "日本"]),
        ("Make it 5' 10\" tall, don't ask", []),
        ("an 'unclosed quote", []),
        ("", []),
    ],
)
def test_quoted_texts(text: str, found: list[str]) -> None:
    assert [quote.text for quote in quoted(text)] == found


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("Change the theme from 'Spring'  into 'Summer'", ("Spring", "Summer")),
        ("将「开业」替换为「歇业」", ("开业", "歇业")),
        ("Use 'B' instead of 'A'", ("A", "B")),
        ("Replace with 'B' the word 'A'", ("A", "B")),
        ("Correct 'Recieve' so that it reads 'Receive'", ("Recieve", "Receive")),
        ("Change the word 'fast' in 'fast food' to 'slow'", ("fast", "slow")),
        ("The sign says 'Joe's'; change it to 'Moe's'", ("Joe's", "Moe's")),
        ("Change 'A' to 'B' while keeping the place below 'C'", ("A", "B")),
    ],
)
def test_a_change_has_a_source_and_a_target(text: str, pair: tuple[str, str]) -> None:
    parsed = read_instruction(text)
    assert parsed.operation == "change"
    assert (parsed.source, parsed.target) == pair
    assert parsed.pairs == (pair,)
    assert parsed.ok


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Change 'A' and 'B' to 'C'", "several texts are changed into one"),
        ("Change 'A' to 'B' and 'C' to 'D'", "2 texts are changed at once"),
        ("Replace 'A' with its synonym", "the new text is not quoted"),
        ("Change the title to 'B'", "the text to be changed is not quoted"),
        ("translate the text into English", "the instruction quotes no text"),
        ("Replace '' with 'A'", "the source text is empty"),
        ("Change 'A' (left) 'B' (right)", "which quoted text becomes which"),
    ],
)
def test_a_change_that_cannot_be_read_says_why(text: str, reason: str) -> None:
    parsed = read_instruction(text)
    assert not parsed.ok
    assert parsed.reason.startswith(reason)
    assert parsed.source is None or parsed.target is None or "" in (parsed.source, parsed.target)


_MARKS = [("'", "'"), ('"', '"'), ("“", "”"), ("‘", "’"), ("「", "」"), ("『", "』"), ("«", "»")]
_WORDS = st.text(
    st.characters(
        codec="utf-8",
        exclude_characters="'\"“”‘’‚‛„‟「」『』«»`´＇＂",
        exclude_categories=["Cs", "Z", "C"],
    ),
    min_size=1,
    max_size=12,
)


@given(_WORDS, _WORDS, st.sampled_from(_MARKS), st.sampled_from(_MARKS))
def test_what_is_quoted_is_read_back(
    source: str, target: str, first: tuple[str, str], second: tuple[str, str]
) -> None:
    if (source + target).isdigit() or source[-1].isdigit() or target[-1].isdigit():
        source, target = source + "x", target + "x"  # 5' is feet
    parsed = read_instruction(
        f"Replace {first[0]}{source}{first[1]} with {second[0]}{target}{second[1]}."
    )
    assert (parsed.source, parsed.target) == (source, target)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Change the color of 'A' to red", {"operation": "recolour", "colour": (220, 20, 30)}),
        ("把'A'改为红色", {"operation": "recolour", "colour": (220, 20, 30)}),
        ("Replace 'RED' with 'BLUE'", {"operation": "change", "colour": None}),
        ("Replace 'A' with 'B' in orange", {"operation": "change", "colour": (245, 130, 30)}),
        ("Change 'A' to 'B', keep the red background", {"colour": None}),
        ("Make 'A' twice as big", {"operation": "resize", "amount": 2.0}),
        ("Enlarge 'A' by 20%", {"amount": 1.2}),
        ("Reduce 'A' to 40%", {"amount": 0.4}),
        ("Reduce 'A' by 20 percent", {"amount": 0.8}),
        ("Make 'A' a bit smaller", {"amount": 0.87}),
        ("make 'A' half the size", {"operation": "resize", "amount": 0.5}),
        ("Rotate 'A' 30 degrees counterclockwise", {"operation": "rotate", "amount": 30.0}),
        ("将'A'顺时针旋转 20 度", {"operation": "rotate", "amount": -20.0}),
        ("Turn 'A' upside down", {"operation": "rotate", "amount": 180.0}),
        ("Move 'A' to the top left corner", {"operation": "move", "where": "top left"}),
        ("Move 'A' from the top left to the bottom", {"where": "bottom"}),
        ("Move 'A' up a little", {"where": "go up slightly"}),
        ("Move 'A' 30 px to the right", {"where": "right", "amount": 30.0}),
        ("Move 'A' to the left of 'B'", {"anchor": "B", "place": "before"}),
        ("Switch the positions of 'A' and 'B'", {"operation": "move", "sources": ("A", "B")}),
        ("Add 'A' to the top right corner", {"operation": "insert", "where": "top right"}),
        ("Add 'A' below the title", {"place": "below", "role": "title"}),
        ("Delete the second word", {"role": None}),
        ("Make all the words smaller", {"operation": "resize", "role": "all"}),
        ("Change the largest text to blue", {"operation": "recolour", "role": "largest"}),
        ("Recolour the sentence in pale yellow", {"role": "only", "colour": (252, 235, 137)}),
    ],
)
def test_the_words_beside_the_quotes(text: str, wanted: dict[str, object]) -> None:
    parsed = read_instruction(text)
    assert {name: getattr(parsed, name) for name in wanted} == wanted
