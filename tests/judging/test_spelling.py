"""Verdicts in other spellings become the line that is read, or stay as they are."""

from __future__ import annotations

import time

import pytest

from editgauge.judging.answers import read_answer
from editgauge.judging.spelling import LONGEST, plainer

IF = {"IF": (0, 5)}
MED = {"Editing Accuracy": (0, 10), "Visual Quality": (0, 10)}
PAIR = {"instruction_score": (1, 5), "knowledge_score": (1, 5)}


@pytest.mark.parametrize(
    ("reply", "fields", "wanted"),
    [
        ("评分：4分（满分5分）", IF, [4]),
        ("Bewertung (IF): 3 von 5 Punkten", IF, [3]),
        ("Puntuación final: cuatro de cinco.", IF, [4]),
        ("**Instruction Following:** 5/5", IF, [5]),
        ("The word is gone, hence $\\boxed{3}$", IF, [3]),
        ("指示の通りです。\nスコア：５", IF, [5]),
        ("<answer>4</answer>", IF, [4]),
        ("[[2]]", IF, [2]),
        ("**Instruction Following:** 5/5\n**Knowledge Plausibility:** 4/5", PAIR, [5, 4]),
        ('{"instruction_following": 5, "knowledge_plausibility": 2}', PAIR, [5, 2]),
        ("Editiergenauigkeit: 4/10", MED, [None, None]),
        ("Bearbeitungsgenauigkeit: 2/10\nBildqualität: 6/10", MED, [2, 6]),
        ("I rate editing accuracy at 9 out of 10 and visual quality at 8 out of 10.", MED, [9, 8]),
        ("Bewertung: 3 von 4", IF, [None]),
        ("评分：４．５分", IF, [None]),
        ("Score: IV", IF, [None]),
        ("Score: +4", IF, [None]),
        ("Score: 3. Nee, dat klopt niet. Definitieve score: 0.", IF, [None]),
        ("\\boxed{3} or \\boxed{4}", IF, [None]),
    ],
)
def test_other_spellings(
    reply: str, fields: dict[str, tuple[int, int]], wanted: list[int | None]
) -> None:
    assert [reading.value for reading in read_answer(reply, fields).values()] == wanted


def test_what_is_too_long_stays_as_it_is() -> None:
    reply = "评分：4分 " * LONGEST
    assert plainer(reply, IF) == reply


PIECES = [
    "<tr>", "<rationale>", '<a b="c" ', "★ ", "☐ 1 ☑ 2 ", "IF and ", "IF: 4\n", "IF,4\n", "Q1 to Q5 ", "评分：4分。", "Suppose; ", ". ",
    "10 - 2 (", "4 of ", "5 = good; ", "Visual Quality: 8/10, ok\n", "**4** ", "$",
]  # fmt: skip


@pytest.mark.parametrize("piece", PIECES)
def test_time_grows_no_faster_than_the_reply(piece: str) -> None:
    """Four times the length takes about four times as long, on whatever machine; see also
    perf/bench_replies.py for a megabyte.
    """

    def seconds(length: int) -> float:
        started = time.process_time()
        plainer(piece * (length // len(piece)), IF)
        return time.process_time() - started

    seconds(200)
    for _ in range(5):  # a busy machine may take a moment away from either
        short, long = (seconds(length) for length in (LONGEST // 8, LONGEST // 2))
        if long < max(9 * short, 0.02):
            return
    raise AssertionError(f"{short:.3f} s grew to {long:.3f} s for {piece!r}")
