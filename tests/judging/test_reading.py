"""The strict reader: a table of reply forms, and one property over arbitrary replies."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editgauge.judging.protocol import VISIBLE, Call, Kind, Range
from editgauge.judging.reading import CUT_OFF, ENDLESS, UNSEEN, read
from editgauge.types import Status


def call(*, lines: bool = False, **reply: Kind) -> Call:
    return Call(name="Q", parts=(), reply=reply, metrics={}, rubric="", lines=lines)


ONE = call(**VISIBLE, rationale=str, IF=Range(0, 5))
INNER = call(**VISIBLE, reason=str, score={"Q1": Range(1, 5), "Q2": Range(1, 5)})
LINES = call(lines=True, **{"Editing Accuracy": Range(0, 10), "Visual Quality": Range(0, 10)})
GOOD = '{"pictures_visible": true, "rationale": "The sign now says SALE.", "IF": 4}'
DRAFT = '{"pictures_visible": true, "rationale": "first idea", "IF": 1}'

READ = {  # ordinary forms: tests/contract/test_judge_replies.py
    "prose with braces": f"The placeholder {{name}} and {{{{title}}}} were kept. {GOOD}",
    "thinking with a draft": f"<think>{DRAFT}</think>{GOOD}",
    "thinking with a broken draft": f'<think>{{"IF": 3, oh wait</think>{GOOD}',
    "Kimi's marks": f"◁think▷ {DRAFT} ◁/think▷ {GOOD}",
    "MedGemma's marks": f"<unused94>thought {DRAFT}<unused95>{GOOD}",
    "channels": f"<|channel|>analysis<|message|>{DRAFT}<|end|><|channel|>final<|message|>{GOOD}",
    "an end mark left in": f"{GOOD}<|im_end|>",
    "a box": f"<|begin_of_box|>{GOOD}<|end_of_box|>",
    "a whole number with a fraction part": GOOD.replace("4}", "4.0}"),
    "a line end in a text": GOOD.replace("The sign", "The\nsign"),
    "braces in a text": GOOD.replace("SALE", "{{SALE}} }{"),
    "thinking marks in a text": GOOD.replace("SALE", "</think> <think>"),
}
BROKEN = {
    "text behind": (f"{GOOD}\nI hope this helps!", "text stands behind"),
    "a draft in prose": (f"First {DRAFT}, on reflection {GOOD}", "found 2"),
    "an object in an object": (f'{{"answer": {GOOD}}}', "unknown field 'answer'"),
    "an unknown key": (GOOD.replace('"IF"', '"confidence": 1, "IF"'), "unknown field 'confidence'"),
    "a key twice": (GOOD.replace('"IF"', '"IF": 4, "IF"'), "stands twice in one object: IF"),
    "nothing about pictures": ('{"rationale": "x", "IF": 4}', "'pictures_visible' is missing"),
    "above the scale": (GOOD.replace("4}", "6}"), "from 0 to 5, found 6"),
    "a fraction": (GOOD.replace("4}", "4.5}"), "found 4.5"),
    "a text": (GOOD.replace("4}", '"4"}'), "found '4'"),
    "a thousand digits": (GOOD.replace("4}", "9" * 5000 + "}"), "found inf"),
    "an unescaped quote": (GOOD.replace("SALE", '"SALE"'), "no JSON"),
    "thinking that never ends": (f"<think>so I say {GOOD}", ENDLESS),
    "deep": ('{"a":' * 100_000, "too deep"),
    "a wrong kind of word": (GOOD.replace("true", '"yes"'), "wanted true or false"),
    "too long": ("x" * 1_000_001, "at most 1,000,000"),
}


@pytest.mark.parametrize("form", READ)
def test_one_object_that_ends_the_reply_is_read(form: str) -> None:
    verdict = read(ONE, READ[form])
    assert verdict.readings["IF"] == (4, Status.SCORED, ""), verdict.problem
    assert verdict.problem == ""


@pytest.mark.parametrize("form", BROKEN)
def test_anything_else_is_unparsable_with_the_broken_rule(form: str) -> None:
    reply, problem = BROKEN[form]
    verdict = read(ONE, reply)
    assert verdict.readings["IF"][:2] == (None, Status.UNPARSABLE)
    assert problem in verdict.problem


def test_a_reply_that_was_cut_off_is_no_verdict() -> None:
    """Whatever it seems to say: the server says that more was to come."""
    assert read(ONE, GOOD, cut_off=True).problem == CUT_OFF


def test_a_judge_that_saw_nothing_has_no_score() -> None:
    verdict = read(ONE, GOOD.replace("true", "false"))
    assert verdict.readings["IF"] == (None, Status.FAILED, UNSEEN)
    assert verdict.problem == "", "asking the same again would show it no more"


@pytest.mark.parametrize(
    ("score", "values"), [('"Q1": 5, "Q2": 1', [5, 1]), ('"Q1": 5', [None] * 2),
                          ('"Q1": 5, "Q2": 0', [None] * 2)]
)  # fmt: skip
def test_scores_of_an_inner_object_are_all_or_none(score: str, values: list[int | None]) -> None:
    reply = f'{{"pictures_visible": true, "reason": "x", "score": {{{score}}}}}'
    assert [reading.value for reading in read(INNER, reply).readings.values()] == values


@pytest.mark.parametrize(
    ("reply", "values"),
    [
        ("- 3 shades lighter\nEditing Accuracy: 7/10, a\nVisual Quality: 8/10, b", [7, 8]),
        ("**Editing Accuracy: 7/10**, as asked.\n\n**Visual Quality: 8/10**, sharp.", [7, 8]),
        ("- Editing Accuracy: 7\n- Visual Quality: 8\n", [7, 8]),
        ("Editing Accuracy: 7/10, a", [None] * 2),
        ("Editing Accuracy: 7/10, a\nVisual Quality: 8/10, b\nThank you.", [None] * 2),
        ("Editing Accuracy: 7/100\nVisual Quality: 8/10", [None] * 2),
        ("Editing Accuracy: 11/10\nVisual Quality: 8/10", [None] * 2),
        ("Editing Accuracy: 7.5/10\nVisual Quality: 8/10", [None] * 2),
    ],
)
def test_lines_are_read_where_they_end_the_reply(reply: str, values: list[int | None]) -> None:
    assert [reading.value for reading in read(LINES, reply).readings.values()] == values


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)
fields = st.dictionaries(st.sampled_from(["pictures_visible", "rationale", "IF", "x"]), json_values)
pieces = st.sampled_from(
    ["<think>", "</think>", "```json\n", "```", "{", "}", '{"', '"', "\\", "\n", " ", GOOD, DRAFT]
)
replies = st.lists(pieces | st.text(max_size=20) | fields.map(json.dumps), max_size=8).map("".join)


@settings(max_examples=100)
@given(replies, st.text(), st.booleans(), st.integers(-2, 8), st.booleans())
def test_whatever_the_reply_it_is_the_objects_values_or_unparsable(
    before: str, words: str, seen: bool, score: int, fenced: bool
) -> None:
    """Alone, a valid object is always read; behind anything else it is that object or nothing."""
    value: dict[str, Any] = {"pictures_visible": seen, "rationale": words, "IF": score}
    whole = json.dumps(value)
    alone = read(ONE, f"```json\n{whole}\n```" if fenced else whole)
    valid = 0 <= score <= 5
    assert bool(alone.problem) == (not valid)
    assert alone.readings["IF"].value == (score if valid and seen else None)
    for reply in (before, before + whole, whole + before):
        reading = read(ONE, reply).readings["IF"]
        assert (reading.value is None) == (reading.status is not Status.SCORED)
        assert reading.value is None or 0 <= reading.value <= 5
        if reply == before + whole:
            assert reading.value in (None, score)
