"""The reader: replies in the form, and those that break it by one rule (more: `reply_corpus`)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from editgauge.benchmarks.medebench.judge import released_scores
from editgauge.judging.protocol import VISIBLE, Call, Kind, Range
from editgauge.judging.reading import ENDLESS, OFF_SCALE, READ_ALTHOUGH, read, to_scores
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
TOLERATED = {  # the rule that is broken, and the verdict is read in spite of it
    "text behind": (f"{GOOD}\nI hope this helps!", "text stands behind"),
    "an object in an object": (f'{{"answer": {GOOD}}}', "unknown field 'answer'"),
    "an unknown key": (GOOD.replace('"IF"', '"confidence": 1, "IF"'), "unknown field 'confidence'"),
    "a key twice": (GOOD.replace('"IF"', '"IF": 4, "IF"'), "stands twice in one object: IF"),
    "nothing about pictures": ('{"rationale": "x", "IF": 4}', "'pictures_visible' is missing"),
    "a text": (GOOD.replace("4}", '"4"}'), "found '4'"),
    "an unescaped quote": (GOOD.replace("SALE", '"SALE"'), "no JSON"),
    "a wrong kind of word": (GOOD.replace("true", '"yes"'), "wanted true or false"),
}
BROKEN = {
    "a draft in prose": (f"First {DRAFT}, on reflection {GOOD}", "found 2"),
    "a fraction": (GOOD.replace("4}", "4.5}"), "found 4.5"),
    "a thousand digits": (GOOD.replace("4}", "9" * 5000 + "}"), "found inf"),
    "thinking that never ends": (f"<think>so I say {GOOD}", ENDLESS),
    "deep": ('{"a":' * 100_000, "too deep"),
    "too long": ("x" * 1_000_001, "at most 1,000,000"),
}


@pytest.mark.parametrize("form", READ)
def test_one_object_that_ends_the_reply_is_read(form: str) -> None:
    verdict = read(ONE, READ[form])
    assert verdict.readings["IF"] == (4, Status.SCORED, ""), verdict.problem
    assert verdict.problem == ""


@pytest.mark.parametrize("form", TOLERATED)
def test_a_verdict_that_breaks_the_form_is_read_with_a_remark(form: str) -> None:
    reply, remark = TOLERATED[form]
    verdict = read(ONE, reply)
    assert verdict.readings["IF"] == (4, Status.SCORED, "")
    assert remark in verdict.remark


def test_a_judge_that_says_in_another_form_that_it_sees_nothing_gives_no_score() -> None:
    verdict = read(ONE, GOOD.replace("true", "False") + " Sorry.")
    assert verdict.unseen
    assert verdict.readings["IF"][:2] == (None, Status.FAILED)


@pytest.mark.parametrize("form", BROKEN)
def test_anything_else_is_unparsable_with_the_broken_rule(form: str) -> None:
    reply, problem = BROKEN[form]
    verdict = read(ONE, reply)
    assert verdict.readings["IF"][:2] == (None, Status.UNPARSABLE)
    assert problem in verdict.problem


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
        ("Editing Accuracy: 7/10, a\nVisual Quality: 8/10, b\nThank you.", [7, 8]),
        ("Editing Accuracy: 7/100\nVisual Quality: 8/10", [None] * 2),
        ("Editing Accuracy: 11/10\nVisual Quality: 8/10", [None] * 2),
        ("Editing Accuracy: 7.5/10\nVisual Quality: 8/10", [None] * 2),
    ],
)
def test_lines_are_read_by_their_names(reply: str, values: list[int | None]) -> None:
    assert [reading.value for reading in read(LINES, reply).readings.values()] == values


@pytest.mark.parametrize(
    ("line", "faithful", "corrected"),
    [
        ("7/10, fine", 7, 7),
        ("[8]/10", None, 8),  # float("[8]") fails: the script takes no score from the reply
        ("7-8/10", None, None),
        ("7,5/10", None, None),
        ("7.5/10", 7.5, None),
        ("8/10 -> 3/10", 8, None),  # the script cuts at the first slash
    ],
)
def test_medebenchs_lines(line: str, faithful: float | None, corrected: int | None) -> None:
    names = ("Editing Accuracy", "Visual Quality", "Contextual Preservation")
    form = call(lines=True, **dict.fromkeys(names, Range(0, 10)))
    reply = f"{names[0]}: {line}\n{names[1]}: 9/10, sharp\n{names[2]}: 9/10, as before"
    assert released_scores(reply)[names[0]] == faithful
    assert read(form, reply).readings[names[0]].value == corrected


def test_a_number_off_the_scale_is_marked_and_stays_what_the_released_code_records() -> None:
    form = replace(ONE, metrics={"IF": "IF"}, released=lambda reply: {"IF": 40.0})
    reply = GOOD.replace("4}", "40}")
    strict, faithful = to_scores(form, read(form, reply), reply)
    assert (strict.value, strict.status) == (None, Status.UNPARSABLE)
    assert (faithful.value, faithful.status) == (40.0, Status.SCORED)
    assert "40 is outside of the scale 0 to 5" in faithful.reason
    assert faithful.detail[OFF_SCALE] == [0, 5]


def test_a_row_says_what_was_read_in_spite_of_the_form() -> None:
    form = replace(ONE, metrics={"IF": "IF"}, released=lambda reply: {"IF": 4.0})
    reply = f"{GOOD} That is all."
    strict, faithful = to_scores(form, read(form, reply), reply)
    assert "text stands behind" in strict.detail[READ_ALTHOUGH]
    assert READ_ALTHOUGH not in faithful.detail
