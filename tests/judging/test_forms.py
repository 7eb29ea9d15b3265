"""Verdicts in a form become lines, and forms with two readings stay as they are."""

from __future__ import annotations

import time

import pytest

from editgauge.judging.forms import in_lines, plain_marks

IF = {"IF": (0, 5)}
TWO = {"instruction_score": (1, 5), "knowledge_score": (1, 5)}


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("４／５", "4/5"),
        ("٤ من ٥", "4 من 5"),
        ("४/५", "4/5"),
        ("4️⃣", "4"),
        ("𝗜𝗙：𝟱", "IF: 5"),
        ("④", "④"),
    ],
)
def test_digits_of_every_style_and_script(text: str, plain: str) -> None:
    assert plain_marks(text) == plain


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("IF ★★★☆☆", "IF : 3/5"),
        ("[████░] 4/5", "4/5"),
        ("☐ 1 ☐ 2 ☑ 3 ☐ 4 ☐ 5", "IF: 3"),
        ("<criterion name='IF' score='4'/>", "IF: 4"),
        ("<table><tr><td>IF</td><td>4</td></tr></table>", "| IF | 4 |"),
        ("dimension,score\nIF,4", "IF: 4"),
        ("5 – intact\n4 – small ← my verdict\n3 – some", "IF: 4"),
        ("IF: 5 − 2 (halo) = 3", "IF: 3"),
        ("5点満点中4点", "4/5"),
        ("IF\n4", "IF: 4"),
    ],
)
def test_forms_become_lines(text: str, line: str) -> None:
    assert line in in_lines(text, IF)


@pytest.mark.parametrize(
    "text",
    [
        "★★★★",  # no row of five
        "★★☆☆☆ (4/5)",
        "☑ 1 ☐ 2 ☑ 3",
        "☐ 1 ☐ 2 ☐ 3",
        "5 - 2 = 4",
        "dimension,score\nTA,4",
    ],
)
def test_forms_with_no_single_reading_stay(text: str) -> None:
    assert in_lines(text, IF) == text


def test_lists_of_names_and_numbers() -> None:
    given = in_lines("(IF, KP) = (3, 5)", TWO)
    assert given.split() == ["instruction_score:", "3", "knowledge_score:", "5"]
    assert in_lines("(IF, KP) = (3, 5, 1)", TWO) == "(IF, KP) = (3, 5, 1)"


def test_a_scale_is_no_verdict() -> None:
    assert in_lines("5 = perfect; 4 = good; 3 = fair; 2 = poor", IF).strip() == ""


def test_a_call_that_never_ends_takes_no_time() -> None:
    """Each ``word=`` could end a value or begin a name: seven times as long with each further one,
    four days for the 20 that a call may have.
    """
    began = time.process_time()
    text = "submit_score(a=1 " + "aaaaaaaa=" * 9 + " 4"
    assert in_lines(text, IF) == text
    assert in_lines("submit_score(IF=4, why='a, b')", IF) == '{"IF": 4, "why": "a, b"}'
    assert time.process_time() - began < 2
