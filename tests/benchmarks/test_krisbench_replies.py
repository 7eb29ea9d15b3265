"""KRIS-Bench: our faithful readers beside the released parsers, and their time."""

from __future__ import annotations

from pathlib import Path

import pytest

from editgauge.benchmarks.krisbench.judge import Script, released_pair, released_score
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
