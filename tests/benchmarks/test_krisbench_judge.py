"""KRIS-Bench's judge track: the rule for KP in replies."""

from __future__ import annotations

from pathlib import Path

import pytest

from editgauge.benchmarks.krisbench import judge
from editgauge.judging.prompts import RubricFolder
from editgauge.judging.reading import ExchangeResult, to_scores
from editgauge.testing import make_sample
from editgauge.types import Edit, Score, Status

RUBRICS = RubricFolder(Path(judge.__file__).parent / "rubrics")


def known(folder: Path, followed: object, known: object) -> list[Score]:
    """The scores KP of a joint reply, of either variant."""
    sample = make_sample(folder, attributes={"task": "physics", "dimension": "Natural Science"})
    edit = Edit(sample=sample.id, editor="e", path=sample.image)
    *_, call = judge.JUDGING.calls(sample, edit, RUBRICS, {})
    reasons = '"instruction_reasoning": "a", "knowledge_reasoning": "b"'
    scores = f'"instruction_score": {followed}, "knowledge_score": {known}'
    reply = f'{{"pictures_visible": true, {reasons}, {scores}}}'
    found = to_scores(call, ExchangeResult(first=reply, last=reply, status=Status.SCORED))
    return [score for score in found if score.metric == "KP"]


@pytest.mark.parametrize(
    ("followed", "given", "expected"),
    [(2, 5, 1), (1, 1, 1), (1, 5, 1), (3, 4, 4), (3, 1, 1), (5, 2, 2)],
)
def test_kp_is_1_where_the_instruction_failed(
    tmp_path: Path, followed: int, given: int, expected: int
) -> None:
    """Paper, 3.4: IF of 1 or 2 makes KP 1, whatever the judge gave; otherwise KP is its own."""
    assert [score.value for score in known(tmp_path, followed, given)] == [expected] * 2


def test_a_null_where_a_number_was_asked_for_is_no_score(tmp_path: Path) -> None:
    """The scores of a reply are there together or not at all."""
    assert {score.status for score in known(tmp_path, 4, "null")} == {Status.UNPARSABLE}
