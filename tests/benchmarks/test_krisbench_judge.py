"""KRIS-Bench's judge track: the rule for KP, in replies, in tables and for runs made before it."""

from __future__ import annotations

from pathlib import Path

import pytest

from editgauge.benchmarks.krisbench import judge
from editgauge.benchmarks.krisbench.judge import JUDGING
from editgauge.judging.protocol import Call
from editgauge.judging.rubrics import RubricFolder
from editgauge.judging.scores import ExchangeResult, to_scores
from editgauge.tables.layouts import tables
from editgauge.testing import make_sample
from editgauge.types import Edit, Row, Status, Variant
from tests.made_rows import frame, record, row

RUBRICS = Path(judge.__file__).parent / "rubrics"


def joint(folder: Path) -> Call:
    sample = make_sample(folder, attributes={"task": "physics", "dimension": "Natural Science"})
    edit = Edit(sample=sample.id, editor="e", path=sample.image)
    calls = JUDGING.calls(sample, edit, RubricFolder(RUBRICS), {})
    return next(call for call in calls if call.name == "IF+KP")


def kp_of(call: Call, reply: str) -> dict[str, float | None]:
    scores = to_scores(call, ExchangeResult(first=reply, last=reply, status=Status.SCORED))
    return {score.variant: score.value for score in scores if score.metric == "KP"}


def said(followed: object, known: object) -> str:
    reasons = '"instruction_reasoning": "a", "knowledge_reasoning": "b"'
    scores = f'"instruction_score": {followed}, "knowledge_score": {known}'
    return f'{{"pictures_visible": true, {reasons}, {scores}}}'


@pytest.mark.parametrize(
    ("followed", "known", "expected"),
    [(2, 5, 1), (1, 1, 1), (1, 5, 1), (3, 4, 4), (3, 1, 1), (5, 2, 2)],
)
def test_kp_is_1_where_the_instruction_failed(
    tmp_path: Path, followed: int, known: object, expected: int
) -> None:
    """Paper, 3.4: IF of 1 or 2 makes KP 1, whatever the judge gave; otherwise KP is its own."""
    assert kp_of(joint(tmp_path), said(followed, known)) == {
        "corrected": expected,
        "faithful": expected,
    }


def test_a_null_where_a_number_was_asked_for_is_no_score(tmp_path: Path) -> None:
    """The scores of a reply are there together or not at all."""
    scores = to_scores(
        joint(tmp_path),
        ExchangeResult(first=said(4, "null"), last=said(4, "null"), status=Status.SCORED),
    )
    found = {score.variant: score for score in scores if score.metric == "KP"}
    assert all(score.value is None for score in found.values())
    assert {score.status for score in found.values()} == {Status.UNPARSABLE}


# --- tables ---------------------------------------------------------------------------------------


def ruled_rows(variant: Variant) -> list[Row]:
    """Two editors on three samples: KP is 1 by the rule where IF <= 2."""

    def one(sample: str, editor: str, metric: str, value: float) -> Row:
        about = {"benchmark": "krisbench", "variant": variant, "source": "judge#1"}
        return row(sample, editor, metric, value, **about)

    rows = []
    for number, (follows, knows) in enumerate([(5, 5), (1, 1), (2, 1)]):
        rows += [one(f"s{number}", "one-of-three", "IF", follows)]
        rows += [one(f"s{number}", "one-of-three", "KP", knows)]
        rows += [one(f"s{number}", "three-of-three", "IF", 5)]
        rows += [one(f"s{number}", "three-of-three", "KP", 4)]
    return rows


RECORDS = [
    record(f"s{number}", category=("Conceptual Knowledge", "Natural Science", "physics"))
    for number in range(3)
]


@pytest.mark.parametrize("variant", ["faithful", "corrected"])
def test_an_editor_that_follows_one_of_three_is_not_better_in_kp(variant: Variant) -> None:
    """(5 + 1 + 1) / 3 = 2.33 -> 33.25, not 100; three times 4 is 75."""
    found = frame(ruled_rows(variant), RECORDS, "krisbench")
    table = next(t for t in tables(found, variant) if t.name == "krisbench.judge")
    cells = {line.name: line.cells["Natural Science/KP"] for line in table.rows}
    assert cells["one-of-three"].value == pytest.approx((2.33 - 1) * 25)
    assert cells["three-of-three"].value == pytest.approx(75)
    assert [(cell.n, cell.of) for cell in cells.values()] == [(3, 3), (3, 3)]


# --- what the rubrics ask (paper 3.4 and appendix) -------------------------------------------------
