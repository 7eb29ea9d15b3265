"""TextEdit: what the released first step keeps of a reply, and what its second step makes of that."""

from __future__ import annotations

import json

import pytest

from editgauge.benchmarks.textedit.judge import released_scores
from tests.oracles.textedit import QUESTIONS

GOOD = {"score": {"Q1": 5, "Q2": 4, "Q3": 3, "Q4": 2, "Q5": 1}, "reason": {"Q1": "sharp"}}
FIVE = dict(zip(QUESTIONS, (5, 4, 3, 2, 1), strict=True))
NONE = dict.fromkeys(QUESTIONS)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (json.dumps(GOOD), FIVE),
        (f"Here it is:\n```json\n{json.dumps(GOOD, indent=1)}\n```", FIVE),
        (repr(GOOD), FIVE),
        (json.dumps(GOOD)[:-1] + ",}", FIVE),
        (json.dumps(GOOD)[:-9], FIVE),  # breaks off in the reason
        (json.dumps({"score": GOOD["score"]}), NONE),  # no reason
        ('{"score": 5, "reason": "x"}', NONE),
        ("no", NONE),
        (
            '{"score": {"Q1": 5, "Q2": 7, "Q3": "4", "Q4": 3.0, "Q5": true}, "reason": "x"}',
            {"Q1": 5, "Q2": 7, "Q3": None, "Q4": 3, "Q5": 1},
        ),
    ],
)
def test_what_the_first_step_keeps(reply: str, expected: dict[str, int | None]) -> None:
    assert released_scores(reply) == expected
