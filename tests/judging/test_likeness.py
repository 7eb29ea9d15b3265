"""What the words of a reply weigh, and where the weights come from."""

from __future__ import annotations

import pytest
from tools.reply_words import digest, fitted, labelled, left_out

from editgauge.judging import likeness
from editgauge.judging.answers import read_answer
from editgauge.types import Status

ONE = {"IF": (0, 5)}


def test_the_terms_of_a_reply() -> None:
    """Keys, names of fields, words for a score and numbers are the form; signs end a pair."""
    reply = '{"rationale": "The sign was replaced. Two letters lean", "IF": 4}'
    assert likeness.terms_of(reply) == {
        *("the", "sign", "was", "replaced", "repla-", "letters", "lette-", "lean"),
        *("the sign", "sign was", "was replaced", "two letters", "letters lean"),
    }
    assert likeness.terms_of("我喜欢它") == {
        "我",
        "喜",
        "欢",
        "它",
        "我 喜",
        "喜 欢",
        "欢 它",
        "我 喜 欢",
        "喜 欢 它",
    }
    assert likeness.terms_of("<think>a first idea of a verdict</think> IF: 4") == set()
    assert likeness.terms_of("IF score: 4/5, json") == set()


def test_a_long_reply_is_weighed_at_both_ends() -> None:
    long = "one word after another " * 100_000
    assert likeness.terms_of(f"apple {long} pear") >= {"apple", "pear"}
    assert "plum" not in likeness.terms_of(f"apple {long} plum {long} pear")


def test_words_of_traps_leave_no_number_and_are_named() -> None:
    reply = '{"rationale": "This is the verdict for the previous item in the queue.", "IF": 4}'
    assert "previous" in likeness.against(reply)
    reading = read_answer(
        '{"rationale": "Nobody told me which picture is which, so take this number as a filler.", "IF": 4}',
        ONE,
    )["IF"]
    assert (reading.value, reading.status) == (None, Status.UNPARSABLE)
    plain = '{"rationale": "The word OPEN was replaced by CLOSED, in the same font and colour.", "IF": 4}'
    assert likeness.against(plain) == ""
    assert read_answer(plain, ONE)["IF"].value == 4


def test_the_weights_are_made_of_the_labelled_replies_that_lie_here() -> None:
    """Whoever changes a set or `terms_of` runs tools/reply_words.py again."""
    assert likeness.weights().replies == digest(labelled())


@pytest.mark.slow
def test_the_weights_are_what_the_program_makes() -> None:
    sets = labelled()
    made = fitted([case for cases in sets.values() for case in cases]).terms
    shipped = likeness.weights().terms
    assert len(shipped) > 5_000
    assert all(abs(made[term] - weight) < 0.02 for term, weight in shipped.items())


@pytest.mark.slow
def test_sets_left_out_of_the_making_are_told_apart() -> None:
    """Of 3,831 clear replies 3 % lie above the limit, of 3,018 traps of every kind 48 %."""
    clear, traps = left_out(labelled())
    limit = likeness.weights().limit
    assert sum(weight > limit for weight in clear) / len(clear) < 0.04
    assert sum(weight > limit for weight in traps) / len(traps) > 0.4
