"""KRIS-Bench: our faithful readers beside the released parsers, and their time."""

from __future__ import annotations

from pathlib import Path

import pytest

from editgauge.benchmarks.krisbench.judge import Script, released_pair, released_score
from editgauge.judging.protocol import Call, Range
from editgauge.judging.reading import read
from tests.benchmarks.released_scripts import functions_of, made_replies

PARSERS: list[tuple[Script, str, str, str]] = [
    ("common", "metrics_common.py", "extract_consistency_score_and_reason", "consistency"),
    ("common", "metrics_common.py", "extract_instruction_score_and_reason", "instruction"),
    ("common", "metrics_common.py", "extract_quality_score_and_reason", "quality"),
    ("knowledge", "metrics_knowledge.py", "extract_consistency_score", "consistency"),
    ("knowledge", "metrics_knowledge.py", "extract_quality_score", "quality"),
]


def _folder(shared: Path) -> Path:
    folder = shared / "released" / "krisbench"
    if not folder.is_dir():
        pytest.skip("the released scripts are not here")
    return folder


@pytest.mark.parametrize(("script", "file", "parser", "name"), PARSERS)
def test_the_released_parsers_themselves(
    shared: Path, script: Script, file: str, parser: str, name: str
) -> None:
    theirs = functions_of(_folder(shared) / file)[parser]
    replies = made_replies(f"{name}_score", 2000) + made_replies(f"{name.title()} Score", 500)
    seen = set()
    for reply in replies:
        expected = theirs(reply)
        expected = expected[0] if isinstance(expected, tuple) else expected
        assert released_score(reply, name, script) == expected, reply
        seen.add(expected)
    assert {None, 2, 3, 4, 7} <= seen


def test_the_released_parser_of_the_joint_reply(shared: Path) -> None:
    theirs = functions_of(_folder(shared) / "metrics_knowledge.py")["extract_dual_scores"]
    replies = made_replies("instruction_score", 1000) + made_replies("knowledge_score", 1000)
    replies += [
        first + second
        for first, second in zip(replies[:1000], reversed(replies[1000:]), strict=True)
    ]
    for reply in replies:
        expected = theirs(reply)
        pair = (expected["instruction_score"], expected["knowledge_score"])
        assert released_pair(reply) == pair, reply


def test_the_strict_reader_never_takes_a_stray_digit() -> None:
    """Replies on which the released parser is wrong: the strict reader gives the verdict or no
    number.
    """
    form = {"reasoning": object, "consistency_score": Range(1, 5)}
    call = Call(name="VC", parts=(), reply=form, metrics={}, rubric="")
    stray = [
        "There are 2 people and 1 dog. The final rating is 5.",
        '{"reasoning": "1. sky same 2. tree same", "consistency_score": 5',
        '{"consistency_score": 7, "reasoning": "out of range"}',
        '{"consistency_score": 4.6, "reasoning": "float"}',
    ]
    assert [released_score(reply, "consistency") for reply in stray] == [2, 1, 7, 4]
    found = [read(call, reply).readings["consistency_score"].value for reply in stray]
    assert found == [None] * 4


def test_scripts_differ_where_they_say_so() -> None:
    """`null` ends the search for knowledge tasks only; scripts for several pictures ignore a name
    outside of JSON.
    """
    null = '{"quality_score": null} I would say 2'
    assert released_score(null, "quality") == 2
    assert released_score(null, "quality", "knowledge") is None
    named = "1 thing. quality score: 4"
    assert released_score(named, "quality") == 4
    assert released_score(named, "quality", "several") == 1
    assert released_pair('{"instruction_score": "x", "knowledge_score": 3} knowledge score: 2') == (
        None,
        2,
    )
