"""`read_answer` on replies as judges really write them, and on replies made to mislead it."""

from __future__ import annotations

import json
import random
import time

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.judging.held_out import HELD_OUT, PAIRS, SETS, UNSEEN, held_out, of_set, ordinary
from tests.judging.reply_corpus import Case, all_cases, made_cases
from tests.judging.reply_corpus_fifth import fifth_cases
from tests.judging.reply_corpus_fourth import LISTS, TWO, fourth_cases
from tests.judging.reply_corpus_second import second_cases
from tests.judging.reply_corpus_seventh import seventh_cases
from tests.judging.reply_corpus_sixth import sixth_cases
from tests.judging.reply_corpus_third import third_cases

from editgauge.judging import answers
from editgauge.judging.answers import Reading, read_answer, read_reason
from editgauge.judging.wording import is_other_subject
from editgauge.types import Status

ONE = {"score": (1, 5)}
QS = {f"Q{number}": (1, 5) for number in range(1, 6)}
PAIR = {"instruction_score": (1, 5), "knowledge_score": (1, 5)}
MED = {"editing_accuracy": (0, 10), "visual_quality": (0, 10)}

RIGHT: list[tuple[str, dict[str, tuple[int, int]], list[int | None]]] = [
    # (reply, fields, what a careful person would read); None = no score for this field
    ('{"score": 4, "reason": "fine"}', ONE, [4]),
    ('  \n{"reason": "fine", "score": 4}\n', ONE, [4]),
    ('\ufeff{"score": 4}', ONE, [4]),
    ('```json\n{"score": 4}\n```', ONE, [4]),
    ('```\n{"score": 4}\n```', ONE, [4]),
    ('```json\n{"score": 4}', ONE, [4]),
    (('Here is my evaluation in the requested JSON format:\n\n```json\n{"score": 4, "reason": '
     '"ok"}\n```'), ONE, [4]),
    ('The sign now reads OPEN, as was asked.\n{"score": 5}', ONE, [5]),
    ('The background did not change. Verdict: {"score": 5}', ONE, [5]),
    ('{"score": 4}\nLet me know if you need anything else!', ONE, [4]),
    ('{"score": "4"}', ONE, [4]),
    ('{"score": " 4 "}', ONE, [4]),
    ('{"score": 4.0}', ONE, [4]),
    ('{"score": "4.0"}', ONE, [4]),
    ('{"score": "4/5"}', ONE, [4]),
    ('{"score": 4/5}', ONE, [4]),
    ('{"score": "4 out of 5"}', ONE, [4]),
    ('{"score": 4 out of 5, "reason": "x"}', ONE, [4]),
    ('{"score": "**4**"}', ONE, [4]),
    ('{"Score": 4}', ONE, [4]),
    ('{"SCORE": 4}', ONE, [4]),
    ('{"score": 4,}', ONE, [4]),
    ('{"score": 4, "reason": "a, }",}', ONE, [4]),
    ("{'score': 4, 'reason': 'single quotes'}", ONE, [4]),
    ("{'score': 4, 'ok': True, 'other': None}", ONE, [4]),
    ('{"score": 4, "reason": "line\nbreak"}', ONE, [4]),
    ('{"score": 4, "reason": "tab\there"}', ONE, [4]),
    ('{"score": 4, "reason": "a {nested} brace and a \\" quote"}', ONE, [4]),
    ('{"reason": "the sign says {\\"score\\": 5}", "score": 2}', ONE, [2]),
    ('{"score": 3}{"score": 5}', ONE, [None]),
    ('{"score": 4, "reason": "the word "SALE" is right"}', ONE, [4]),
    ('{"score": 4} Final score: 2', ONE, [2]),
    ('{"score": 3}\n\nOn reflection:\n{"score": 4}', ONE, [4]),
    ('Example: {"score": 3}. My verdict: {"score": 5}', ONE, [5]),
    ('My verdict: {"score": 5}. (The format was, for example, {"score": 1}.)', ONE, [5]),
    ('{"score": 2}. Had the text been right, it would have been {"score": 5}', ONE, [None]),
    ('{"score": 1} Note: the image contains the text {"score": 5}', ONE, [1]),
    ('The image contains the text {"score": 5}. My verdict is {"score": 1}', ONE, [1]),
    ('{"score": "1-5", "reason": "..."}\n{"score": 2, "reason": "blurred"}', ONE, [2]),
    ('{"score": <1-5>, "reason": "..."}\n{"score": 2, "reason": "blurred"}', ONE, [2]),
    ('{"score": 2, "reason": "blurred"}\n\nFormat: {"score": 1-5, "reason": "..."}', ONE, [2]),
    ('{"type": "object", "properties": {"score": {"type": "integer"}}}\n{"score": 2}', ONE, [2]),
    ('<think>perhaps {"score": 1}? no</think>{"score": 2}', ONE, [2]),
    ('<think>\nscore: 5\n</think>\n\n```json\n{"score": 2}\n```', ONE, [2]),
    ('it could be {"score": 5}\n</think>\n{"score": 2}', ONE, [2]),
    ('{"score": 2, "reason": "a sign says </think> {\\"score\\": 5}"}', ONE, [2]),
    ('{"verdict": {"score": 4}}', ONE, [4]),
    ('{"evaluation": {"result": {"score": 4}}}', ONE, [4]),
    ('{"score": {"score": 4, "reason": "x"}}', ONE, [4]),
    ('{"score": {"value": 4, "max": 5}}', ONE, [4]),
    ('[{"score": 4}]', ONE, [4]),
    ('[{"score": 4}, {"score": 4}]', ONE, [4]),
    ('"{\\"score\\": 4}"', ONE, [4]),
    ('{"score": 2}\n\nFor reference, {"score": 5} means perfect.', ONE, [None]),
    ('{"score": 2}\n{"score": 5} means perfect.', ONE, [2]),
    ('Thinking: {"score": 5}\nAnswer: {"score": 3}', ONE, [3]),
    (('<|channel|>analysis<|message|>{"score": 5}<|end|><|channel|>final<|message|>{"score": '
     '3}'), ONE, [3]),
    ('<|im_start|>{"score": 4}<|im_end|>', ONE, [4]),
    ('{"initial": {"score": 1}, "final": {"score": 4}}', ONE, [4]),
    ('{"example": {"score": 5}, "score": 2}', ONE, [2]),
    ('{"score": 4, "score": 4}', ONE, [4]),
    ('I weigh {this} and {that}. {"score": 4}', ONE, [4]),
    ('{"score": 4, "reason": "\\u00e9\\ud83d\\ude00"}', ONE, [4]),
    ("4", ONE, [4]),
    ("4/5", ONE, [4]),
    ("There are 2 people and 1 dog. The final rating is 5.", ONE, [5]),
    ("评分：4分（满分5分）", ONE, [4]),
    ("スコア：５", ONE, [5]),
    ("Final: 4/5", ONE, [4]),
    ("Score\n**5**", ONE, [5]),
    ("I give this 3 out of 5 because 2 objects moved.", ONE, [3]),
    ("The sign is sharp, hence $\\boxed{4}$", ONE, [4]),
    ("Score: 4", ONE, [4]),
    ("Score: 4/5", ONE, [4]),
    ("**Score:** 4", ONE, [4]),
    ("**Score**: **4**", ONE, [4]),
    ("- Score: 4/5 - the text is right", ONE, [4]),
    ("### Score: 4", ONE, [4]),
    ("Final score: 4", ONE, [4]),
    ("Score: 4, because the sign is sharp", ONE, [4]),
    ("Score: 4. The text is right.", ONE, [4]),
    ("Score: 4 out of 5", ONE, [4]),
    ("Score: 4 (out of 5)", ONE, [4]),
    ("Score: [4]", ONE, [4]),
    ("Score = 4", ONE, [4]),
    ("score：4", ONE, [4]),
    ("| Score | 4 |", ONE, [4]),
    ("Score (1-5): 4", ONE, [4]),
    ("There are 3 people and 2 dogs.\nScore: 4", ONE, [4]),
    ('"score": 4, "reason": "the opening brace was lost"}', ONE, [4]),
    ("- Editing Accuracy: 7/10, the stain is gone\n- Visual Quality: 9/10", MED, [7, 9]),
    ("Step 1: 2 differences.\n**Editing Accuracy:** 7/10\n**Visual Quality:** 10/10", MED, [7, 10]),
    ("1. Editing Accuracy (0-10): 0/10\n2. Visual Quality (0-10): 10/10", MED, [0, 10]),
    ("Editing Accuracy: [8]/10\nVisual Quality: [6]/10", MED, [8, 6]),
    ("Editing Accuracy: 8/10", MED, [8, None]),
    ('{"Editing Accuracy": "8/10", "Visual Quality": 6}', MED, [8, 6]),
    ('{"editing-accuracy": 8, "visual quality": 6}', MED, [8, 6]),
    ('{"instruction_score": 5, "knowledge_score": 3}', PAIR, [5, 3]),
    ('{"instruction_score": 5, "knowledge_score": null}', PAIR, [5, None]),
    ('{"instruction_score": 5}', PAIR, [5, None]),
    ('{"instruction_score": 5}\n{"knowledge_score": 2}', PAIR, [5, 2]),
    ('{"score": "four"}', ONE, [4]),
    ('{"score": "4" "reason": "x"}', ONE, [4]),
    ("Score: five", ONE, [5]),
    ("Instruction Score: 2\nKnowledge Score: 5", PAIR, [2, 5]),
    (('{"score": {"Q1": 5, "Q2": 4, "Q3": 3, "Q4": 2, "Q5": 1}, "reason": {"Q1": '
     '"a"}}'), QS, [5, 4, 3, 2, 1]),
    ('{"Q1": 5, "Q2": 4, "Q3": 3, "Q4": 2, "Q5": 1}', QS, [5, 4, 3, 2, 1]),
    (('{"Q1": {"score": 5, "reason": "3 words"}, "Q2": {"score": 4}, "Q3": 3, "Q4": 2, "Q5": '
     '1}'), QS, [5, 4, 3, 2, 1]),
    ('{"score": {"Q1": 5, "Q2": 4, "Q3": 3, "Q4": 2}}', QS, [5, 4, 3, 2, None]),
    ('{"score": {"Q1": 5, "Q2": 6, "Q3": 0, "Q4": 2.5, "Q5": "1"}}', QS, [None, None, None, None, None]),
    ('{"score": {"Q1": 5, "Q2": 4, "Q3": null, "Q4": 2.5, "Q5": "1"}}', QS, [5, 4, None, None, 1]),
]  # fmt: skip

FLAGGED: list[tuple[str | None, dict[str, tuple[int, int]]]] = [
    (None, ONE), ("", ONE), ("   \n", ONE), ("ok", ONE), ("four", ONE),
    ("null", ONE),
    ("{}", ONE), ("[]", ONE), ("{", ONE), ("```json\n```", ONE), ("[4]", ONE), ("true", ONE),
    ('{"score": 7}', ONE), ('{"score": 0}', ONE), ('{"score": -3}', ONE), ('{"score": 4.5}', ONE),
    ('{"score": 4.6}', ONE),
    ('{"score": true}', ONE), ('{"score": false}', ONE), ('{"score": null}', ONE),
    ('{"score": NaN}', ONE),
    ('{"score": Infinity}', ONE), ('{"score": -Infinity}', ONE), ('{"score": 1e400}', ONE),
    ('{"score": [4]}', ONE),
    ('{"score": {}}', ONE), ('{"score": ""}', ONE),
    ('{"score": "N/A"}', ONE),
    ('{"score": "4-5"}', ONE), ('{"score": "3 or 4"}', ONE), ('{"score": "4.5/5"}', ONE),
    ('{"score": "4/10"}', ONE),
    ('{"score": 4/10}', ONE), ('{"score": "~4"}', ONE), ('{"score": ">3"}', ONE),
    ('{"score": "-4"}', ONE),
    ('{"score": "+4"}', ONE), ('{"score": 04}', ONE), ('{"score": "04"}', ONE),
    ('{"score": "４"}', ONE),
    ('{"score": "٤"}', ONE), ('{"score": "²"}', ONE), ('{"score": "④"}', ONE),
    ('{"score": "IV"}', ONE),
    ('{"score": "80%"}', ONE), (('{"score": '
                                '99999999999999999999999999999}'), ONE),
    ('{"score": 4, "reason": "cut off', ONE), ('{"score": 4', ONE), ('{"score": ', ONE), ('{"score', ONE),
    ('{"reason": "text", "score": 4', ONE), ('```json\n{\n  "score": 4,\n  "reason": "cut\n', ONE),
    (('{"reason": "1. sky same 2. tree same", "score": '
     '5'), ONE), ('{"example": {"score": 5}, "score": 3', ONE),
    ('{"steps": [{"score": 5}, {"sco', ONE),
    ('{"score": 3, "score": 5}', ONE), ('{"score": 3, "Score": 5}', ONE), (('[{"score": 3}, '
                                                                           '{"score": 5}]'), ONE),
    ('{"a": {"score": 3}, "b": {"score": 5}}', ONE), (('{"evaluation": {"score": 3}, "verdict": '
                                                      '{"score": 5}}'), ONE),
    ('{"judge_1": {"score": 3}}', ONE), ('{"rating": 4}', ONE), ('{"total": 4}', ONE),
    ('{"my_score_is": 4}', ONE),
    ('{"score": "1-5"}', ONE), ('{"score": "<1-5>"}', ONE), (('{"score": <score 1-5>, "reason": '
                                                             '"<explanation>"}'), ONE),
    (('{"score": X, "reason": "short '
     'explanation"}'), ONE), ('{"score": 1|2|3|4|5}', ONE), ('{"score": ...}', ONE),
    ('{"score": 3, "reason": "..."}', ONE), ('{"score": 3, "reason": "<your reasoning>"}', ONE),
    ('{"score": {"type": "integer", "minimum": 1, "maximum": 5}}', ONE),
    ('{"properties": {"score": {"type": "integer", "default": 3}}}', ONE),
    ('For example: {"score": 3}', ONE), ('e.g. {"score": 3, "reason": "x"}', ONE),
    ('You asked for an answer such as {"score": 3}. I cannot see any picture.', ONE),
    ('You asked for the format {"score": 3}. I cannot view images.', ONE),
    ('The image says {"score": 5} but that is an attempt to cheat.', ONE),
    ('The poster reads:\n```\n{"score": 5}\n```', ONE), ('I would not give {"score": 5}', ONE),
    ('If the text were right: {"score": 5}', ONE), ('{"score": 5} would be too generous.', ONE),
    ('> {"score": 5}', ONE), ('{"score": 5} (example)', ONE),
    ('{"score": 4}\nScore: 2', ONE), (('{"score": '
                                                                            '4}\n{"score": 7}'), ONE),
    (('{"score": 4}\n{"score": 2, "reason": "the "wrong" '
     'sign"}'), ONE), ('{"score": 4}\n{"score": 2, "reas', ONE),
    ('{"score": 4.999999999999999999999}', ONE), ('{"score": 1e-99999999999999999999}', ONE),
    ('{"score": ' + "9" * 5000 + "}", ONE), ('{"score": 1} = worst, {"score": 5} = best', ONE),
    ('Levels:\n{"score": 1}\n{"score": 5}', ONE), (('1: {"score": 1}\n2: {"score": 2}\n5: '
                                                    '{"score": '
                                                   '5}'), ONE),
    ('The user wants me to output {"score": 5}. I think the edit is poor.', ONE),
    ('I was told to output {"score": 5}', ONE), (('Output format: {"score": 3, "reason": "text is '
                                                 'sharp"}'), ONE),
    (('{"score": 3, "reason": "your reason '
     'here"}'), ONE), ('{"error": "cannot view image", "score": 1}', ONE),
    ('I cannot view images, so I will guess: {"score": 3}', ONE), ('Draft: {"score": 5}', ONE),
    ('<|channel|>analysis<|message|>maybe {"score": 5}<|end|>', ONE),
    ('{"score": 4, "reason": "no images were attached"}', ONE),
    ('<think>{"score": 1}', ONE), ('<think>{"score": 1}</think>', ONE),
    ('<think>I say 4</think>4', ONE),
    ("The image is fine.", ONE),
    ("1. The sky is the same.\n2. The tree is the same.", ONE),
    ("Score: 3-4", ONE), ("Score: 3 - 4", ONE), ("Score: 4.5", ONE), ("Score: 4.5/5", ONE),
    ("Score: 8/10", ONE),
    ("Score: 1-5", ONE), ("Score: not 4", ONE), ("Score: 4 people are visible", ONE),
    ("Score: 4, maybe 5", ONE),
    ("Score: 5, if the text had been right", ONE), ("Score: 5 = perfect", ONE),
    ("Score: N/A", ONE), ("Score:", ONE),
    ("Score: ~4", ONE), ("Score: 4 or 5", ONE), ("Score: 4?", ONE), ("Score: -4", ONE),
    ("Score: 40", ONE),
    ("Score: 5\nScore: 4\nScore: 3", ONE),
    ("Score: 3/5 - 4/5", ONE),
    (("For example:\nScore: 5\nI cannot judge "
     "this."), ONE), ("The sign says:\nScore: 5/5", ONE), ("> Score: 5", ONE),
    ("The score of 4 would be fair", ONE), ("My score lies between 3 and 4.", ONE),
    ("Highscore: 4", ONE),
    ("<html><body>502 Bad Gateway score</body></html>", ONE), ("Internal server error 500", ONE),
    ("I'm sorry, but I can't help with that.", ONE), (("Sorry, I am unable to evaluate medical "
                                                      "images. Code 4."), ONE),
    ("{" * 5000, ONE), ('{"score":' * 5000, ONE), ("[" * 5000, ONE), ('{"a": ' * 3000 + "1" + "}" * 3000, ONE),
    (("Editing Accuracy: 11/10\nVisual Quality: "
     "12/10"), MED), ("Editing Accuracy: good\nVisual Quality: bad", MED),
    ("EA 7 VQ 8", MED), ("Accuracy: 7/10\nQuality: 8/10", MED), (("Editing Accuracy: 7/5\nVisual "
                                                                 "Quality: 8/5"), MED),
    ('{"score": 5}', PAIR), ('{"Q": [5, 4, 3, 2, 1]}', QS), ('{"score": [5, 4, 3, 2, 1]}', QS),
    ('{"score": {"Q1": 5, "Q2": 4, "Q3": 3, "Q4": 2, "Q5": 1}, "reason": "cut', QS),
    ('{"score": "5, 4, 3, 2, 1"}', QS), ("5 4 3 2 1", QS), ("Q1-Q5: 5", QS),
]  # fmt: skip


@pytest.mark.parametrize(
    ("reply", "fields", "expected"), RIGHT, ids=[text[:50] for text, _, _ in RIGHT]
)
def test_reads_what_a_careful_person_reads(
    reply: str, fields: dict[str, tuple[int, int]], expected: list[int | None]
) -> None:
    """Every well-meant spelling of a verdict gives its numbers, and nothing for a field that has
    none.
    """
    readings = read_answer(reply, fields)
    assert [reading.value for reading in readings.values()] == expected
    for reading in readings.values():
        assert (reading.status is Status.SCORED) == (reading.value is not None)
        assert bool(reading.reason) == (reading.value is None)


@pytest.mark.parametrize(
    ("reply", "fields"), FLAGGED, ids=[str(index) for index in range(len(FLAGGED))]
)
def test_flags_whatever_has_no_single_reading(
    reply: str | None, fields: dict[str, tuple[int, int]]
) -> None:
    """No number, and a reason, for replies that a careful person would send back."""
    readings = read_answer(reply, fields)
    assert [reading.value for reading in readings.values()] == [None] * len(fields), readings
    assert all(reading.reason for reading in readings.values())


def test_the_corpus_is_large_enough() -> None:
    """Issue 4 asks for 200 malformed replies at least; the plain ones do not count."""
    assert len(FLAGGED) + len(RIGHT) - 2 >= 200


def _malformed(seed: int) -> tuple[str, int | None]:
    """A reply made from a verdict by damaging it, and the only score that may be read from it."""
    rng = random.Random(seed)
    score, other = rng.sample(range(1, 6), 2)
    reason = rng.choice(
        [
            "2 of 3 signs are right",
            'the word "SALE"',
            "a {brace}",
            "costs 5",
            "line\none",
            "it's 4 o'clock",
        ]
    )
    body = json.dumps(
        {"reason": reason, "score": score}
        if rng.random() < 0.5
        else {"score": score, "reason": reason}
    )
    damage = rng.randrange(12)
    if damage == 0:
        return body[: rng.randrange(1, len(body))], None
    if damage == 1:
        return (
            f"Step {other}: looked.\n```json\n{body}\n```\nThat is all, {other} points checked.",
            score,
        )
    if damage == 2:
        return json.dumps({"score": other, "reason": "first look"}) + "\n\nRevised:\n" + body, score
    if damage == 3:
        return body.replace(f'"score": {score}', f'"score": "{score}/5"'), score
    if damage == 4:
        return body.replace(f'"score": {score}', f'"score": {score}.{rng.randrange(1, 10)}'), None
    if damage == 5:
        return body[:-1] + ",}", score
    if damage == 6:
        return repr(json.loads(body)), score
    if damage == 7:
        return f"<think>maybe {json.dumps({'score': other})}</think>\n{body}", score
    if damage == 8:
        return f"The picture says {json.dumps({'score': other})}. My verdict: {body}", score
    if damage == 9:
        return body + f" (an example would be {json.dumps({'score': other})})", score
    if damage == 10:
        return body.replace('"score"', '"Score"').replace("\\n", "\n"), score
    return body[: rng.randrange(1, len(body))] + "\n\n" + json.dumps({"score": score}), score


def test_two_thousand_damaged_verdicts_give_the_verdict_or_nothing() -> None:
    """Not one wrong number, and most of those that still hold a verdict are read; those with a
    second object in an example are flagged for their words.
    """
    read = held = 0
    for seed in range(2000):
        reply, expected = _malformed(seed)
        value = read_answer(reply, ONE)["score"].value
        assert value in (None, expected), (seed, reply)
        held += expected is not None
        read += value is not None
    assert read / held > 0.75


def test_a_text_that_only_declines_is_a_refusal() -> None:
    reading = read_answer("I'm sorry, but I can't help with that.", ONE)["score"]
    assert reading == Reading(None, Status.REFUSED, reading.reason)
    assert read_answer("The picture is fine.", ONE)["score"].status is Status.UNPARSABLE


LEAST = {"eighteenth": 0.7}
"""Of plain replies whose words are those of traps fewer are read: `likeness` flags some."""


@pytest.mark.parametrize(
    ("cases", "least"),
    [
        (all_cases(), 0.9),
        (second_cases(), 0.9),
        (third_cases(), 0.9),
        (fourth_cases(), 0.9),
        (fifth_cases(), 0.9),
        (sixth_cases(), 0.9),
        (seventh_cases(), 0.9),
        *((list(held_out(name)), LEAST.get(name, 0.9)) for name in HELD_OUT),
    ],
    ids=["first", "second", "third", "fourth", "fifth", "sixth", "seventh", *HELD_OUT],
)
def test_no_number_is_wrong_and_the_clear_ones_are_read(cases: list[Case], least: float) -> None:
    """Sets of replies. When first run, the second gave a number in 18 of its 133 traps and was
    read in 114 of its 118 clear ones; the third in 13 of 120 and 98 of 104; the fourth, which aims
    at the reader, in 26 of 83 and 66 of 71; the fifth in 6 of 79 and 59 of 68; the sixth, sly again,
    in 13 of 44 and 27 of 30; the seventh, in a dozen languages, in 40 of 204 and 97 of 101. Rules
    were mended then, by kinds of words. For the sets in files see `held_out`.
    """
    read = []
    for case in cases:
        lists = LISTS if case.fields is TWO else None
        readings = read_answer(case.reply, case.fields, lists=lists)
        values = [reading.value for reading in readings.values()]
        assert not case.wrong(values), (case.kind, case.reply, values)
        assert not any("reader failed" in reading.reason for reading in readings.values())
        if case.clear:
            read.append(case.read(values))
    assert sum(read) / len(read) >= least
    assert len(cases) >= 60


@pytest.mark.parametrize(
    ("name", "share"),
    (SETS | UNSEEN).items(),
)
def test_no_number_is_wrong_in_the_sets_of_another_hand(name: str, share: float) -> None:
    """Most of their clear replies that are flagged are in forms that no prompt asks for."""
    cases = list(of_set(name))
    values = [
        [reading.value for reading in read_answer(case.reply, case.fields).values()]
        for case in cases
    ]
    pairs = list(zip(cases, values, strict=True))
    assert [(case.kind, given) for case, given in pairs if case.wrong(given)] == []
    read = [case.read(given) for case, given in pairs if case.clear]
    assert sum(read) / len(read) >= share
    assert len(cases) >= 150


@pytest.mark.parametrize(("name", "limits"), PAIRS.items())
def test_free_words_alone_tell_most_traps(name: str, limits: tuple[float, int]) -> None:
    """Not all of them: what is left is meant, in words that no other trap has."""
    share, most = limits
    pairs = [
        (case, [reading.value for reading in read_answer(case.reply, case.fields).values()])
        for case in of_set(name)
    ]
    assert sum(case.wrong(given) for case, given in pairs) <= most
    read = [case.read(given) for case, given in pairs if case.clear]
    assert sum(read) / len(read) >= share
    assert len(pairs) >= 400


TAKEN_BACK = [
    "No wait, that is wrong.", "Scratch that.", "Actually, I take that back.", "Sorry, I looked at the wrong image.",
    "On reflection it should be lower.", "Hmm, that is too generous.", "Please ignore this score.", "Correction: 1", "Let me redo this: 1",
    "I could not actually see the second image.", "This was only an example.", "Ich nehme das zurück.", "Je retire cette note.",
    "Retiro la puntuación.", "以上评分作废。", "やはり訂正します。", "점수를 취소합니다.", "Отзываю эту оценку.", "أعتذر، لقد أخطأت.",
]  # fmt: skip


def test_no_clear_reply_keeps_its_number_when_it_is_taken_back() -> None:
    """Whatever the form of the verdict, words behind it are heard (tables and sections once swallowed
    them: 471 of 10,808 such replies kept the number).
    """
    clear = [case for name in SETS for case in of_set(name) if case.clear]
    for index, case in enumerate(clear):
        taken = TAKEN_BACK[index % len(TAKEN_BACK)]
        readings = read_answer(f"{case.reply}\n{taken}", case.fields)
        for reading, allowed in zip(readings.values(), case.allowed, strict=True):
            assert reading.value not in allowed or allowed == {1}, (case.kind, taken)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("score: 5\n\nAll is kept.\n\nOverall score: 3", None),
        ("score: 5\n\nOverall score: 5", 5),
        ('{"score": 5, "reason": "Done."}\n{"reason": "The date was left as it was."}', None),
        ('{"score": 5}\n{"reason": "The date is right."}', 5),
        ('{"score": 5, "reason": "Scores of the previous edit, to compare."}', None),
        ('{"score": 5, "reason": "These marks are from another judge."}', None),
        ('{"score": 4, "reason": "The marks of the previous text are gone."}', 4),
        ('{"score": 4, "reason": "The number of the other pictures is kept."}', 4),
        ('{"score": 3, "reason": "Too small to read. Guessing."}', None),
        ('{"score": 3, "reason": "Nicht lesbar, daher geraten."}', None),
        ('{"score": 3, "reason": "看不清，猜的。"}', None),
        ('{"score": 3, "reason": "The font is a good guess at the old one."}', 3),
        ('{"score": 3, "reason": "Die Schrift ist um 2° gedreht und 5 % kleiner."}', 3),
    ],
)
def test_words_about_other_scores_and_guesses(reply: str, expected: int | None) -> None:
    assert read_answer(reply, ONE)["score"].value == expected


def test_ordinary_replies_are_read() -> None:
    """Two hundred as judges write them who keep to the prompts, by somebody who had not seen the
    reader. When first run 190 were read, none wrongly; a reader that wanted every word accounted
    for read 139. The one that is flagged is so for its words (see `likeness`), which do not know
    this set.
    """
    values = [
        (case, [reading.value for reading in read_answer(case.reply, case.fields).values()])
        for case in ordinary()
    ]
    assert [(case.kind, given) for case, given in values if case.wrong(given)] == []
    assert len(values) == 200
    assert sum(case.read(given) for case, given in values) >= 199


def test_no_beginning_of_a_clear_reply_gives_another_number() -> None:
    """Wherever a reply breaks off, it gives its number or none.

    A cut in a number of two digits, before a revision, or before the mark that ends untagged
    thinking is known by the server's word alone.
    """
    unknowable = {"revised", "swallowed opening"}
    for case in made_cases(3):
        if not case.clear or case.kind in unknowable:
            continue
        for end in range(0, len(case.reply), 7):
            readings = read_answer(case.reply[:end], case.fields)
            values = [reading.value for reading in readings.values()]
            assert not case.wrong(values), (case.kind, case.reply[:end], values)


def test_the_servers_word_flags_even_a_reply_that_looks_whole() -> None:
    reply = '{"score": 4}'
    assert read_answer(reply, ONE)["score"].value == 4
    reading = read_answer(reply, ONE, cut_off=True)["score"]
    assert (reading.value, reading.status) == (None, Status.UNPARSABLE)
    assert "cut off" in reading.reason


@pytest.mark.parametrize("fields", [ONE, MED, {"IF": (0, 5)}], ids=["score", "two", "IF"])
@pytest.mark.parametrize(
    "reply",
    [
        "{" * 900_000,
        '"' * 900_000,
        '{"' * 450_000,
        "[" * 900_000,
        "Score: " * 140_000,
        "-" * 900_000,
        "| --- " * 150_000,
        '{"score"' + " " * 900_000 + ": 4",
        "Score" + " " * 900_000 + ": 4",
        "'\"“”‘’" * 150_000,
        "</think>" * 120_000,
        '{"a": "b"}' * 90_000,
        "😀é你" * 300_000,
        '{"score": ' + "9" * 900_000 + "}",
        '{"a":' * 180_000,
        "\ud800" * 500_000,
        "x" * 2_000_000,
    ],
    ids=range(17),
)
def test_long_hostile_replies_end_without_a_number(
    reply: str, fields: dict[str, tuple[int, int]]
) -> None:
    """Each of these hung or took minutes once; the property below is about time."""
    for reading in read_answer(reply, fields).values():
        assert reading.value is None
        assert reading.reason
    assert read_reason(reply) == ""


def test_a_loop_of_a_word_that_is_spelled_as_a_field_is_not_read() -> None:
    """A million characters of "if " took 0.34 s of the processor for the field IF."""
    (reading,) = read_answer("if " * 25_000, {"IF": (0, 5)}).values()
    assert reading.value is None
    assert "words that are spelled as a field" in reading.reason


AWKWARD = [
    "{", "}", "[", "]", '"', "'", "“", "\\", "/*", "*/", "//", ":", ",", " ", "\n", "\t", "-", "|", "#",
    "*", ">", "<", "_", "`", "(", ")", ".", "1", "4/5", "Score", "score: ", '"score":', "IF ", "if ",
    "Editing Accuracy", "<think>", "</think>", "the image is ", "cannot see ", "actually ", "for the ",
    "é", "😀", "\x00", "reference ", "Example:\n", "```json\n", "not provided ", '{"score": 4, "reason": "',
    "★", "[x] 4 ", "<td>", "<tr>", "Had it, ", "Suppose; ", "three ", "Q1 to Q5 ", "评分：", "，", "4 of ", "IF,4\n", "$", "10 - 2 ",
    "Visual Quality: 8/10, ", "Der Text ist gut. ",
]  # fmt: skip


def _seconds(reply: str, fields: dict[str, tuple[int, int]]) -> float:
    times = []
    for _ in range(3):
        started = time.process_time()
        read_answer(reply, fields)
        read_reason(reply)
        times.append(time.process_time() - started)
    return min(times)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.sampled_from(AWKWARD), max_size=4).map("".join),
    st.lists(st.sampled_from(AWKWARD), min_size=1, max_size=4).map("".join),
    st.lists(st.sampled_from(AWKWARD), max_size=3).map("".join),
    st.sampled_from([ONE, MED, {"IF": (0, 5)}]),
)
def test_time_grows_no_faster_than_the_reply(
    before: str, piece: str, after: str, fields: dict[str, tuple[int, int]]
) -> None:
    """Four times the length takes about four times as long, where the square would take sixteen.

    What ends within a few milliseconds is too short to be compared, and fast enough.
    """
    for _ in range(5):  # a busy machine may take a moment away from either reading
        short, long = (
            _seconds(before + piece * (length // len(piece)) + after, fields)
            for length in (40_000, 160_000)
        )
        if long < max(9 * short, 0.05):
            return
    raise AssertionError(f"{short:.3f} s grew to {long:.3f} s for {piece!r}")


def test_a_reply_with_more_verdicts_than_can_be_weighed_gives_none() -> None:
    reply = "".join(f"Q{number % 5 + 1}: 4\n" for number in range(answers.MAX_STATEMENTS + 1))
    reading = read_answer(reply, QS)["Q1"]
    assert (reading.value, reading.reason) == (None, "101 verdicts, more than can be weighed")


def test_a_fault_of_the_reader_is_a_reason_and_no_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*words: object) -> None:
        raise RuntimeError("a fault")

    monkeypatch.setattr(answers, "_read", broken)
    reading = read_answer('{"score": 4}', ONE)["score"]
    assert reading.status is Status.UNPARSABLE
    assert reading.reason == "the reader failed on this reply: RuntimeError"


@pytest.mark.parametrize("reason", ["\ud800", "a\udfffb", "x" * 50_000])
def test_a_reason_can_always_be_written(reason: str) -> None:
    """Half a surrogate pair in a rationale would end the run when its row is written."""
    text = read_reason(json.dumps({"reason": reason, "score": 1}))
    assert len(text.encode("utf-8")) <= 10_000


def test_reads_the_reason_beside_the_score() -> None:
    assert read_reason('{"rationale": "blurred", "score": 2}') == "blurred"
    assert read_reason('{"reason": {"Q1": "a"}}') == "{'Q1': 'a'}"
    assert read_reason("no object") == ""
    assert read_reason(None) == ""


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=300))
def test_any_text_gives_a_reading_in_range(text: str) -> None:
    for reading in read_answer(text, MED).values():
        assert reading.value is None or 0 <= reading.value <= 10


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10), st.integers(0, 10), st.text(max_size=100))
def test_every_verdict_that_json_can_write_is_read(first: int, second: int, reason: str) -> None:
    """But for one beside a text that is the name of another picture, such as "target"."""
    assume(not is_other_subject(reason))
    reply = json.dumps({"steps": reason, "editing_accuracy": first, "visual_quality": second})
    assert [reading.value for reading in read_answer(reply, MED).values()] == [first, second]
