"""KRIS-Bench's judge track: the rule for KP, in replies, in tables and for runs made before it."""

from __future__ import annotations

from pathlib import Path

import pytest

from editgauge.benchmarks.krisbench import BENCHMARK, plausibility
from editgauge.benchmarks.krisbench.judge import JUDGING
from editgauge.judging.calls import Call, ExchangeResult, strict, to_scores
from editgauge.judging.rubrics import RubricFolder
from editgauge.store.run_folder import RunFolder
from editgauge.tables.frame import Frame
from editgauge.tables.layouts import tables
from editgauge.testing import make_sample
from editgauge.types import Edit, Row, Status, Variant
from tests.made_rows import frame, record, row

RUBRICS = Path(plausibility.__file__).parent / "rubrics"


def joint(folder: Path) -> Call:
    sample = make_sample(folder, attributes={"task": "physics", "dimension": "Natural Science"})
    edit = Edit(sample=sample.id, editor="e", path=sample.image)
    calls = JUDGING.calls(sample, edit, RubricFolder(RUBRICS), {})
    return next(call for call in calls if call.name == "IF+KP")


def kp_of(call: Call, reply: str) -> dict[str, float | None]:
    scores = to_scores(call, ExchangeResult(first=reply, last=reply, status=Status.SCORED))
    return {score.variant: score.value for score in scores if score.metric == "KP"}


def said(followed: object, known: object) -> str:
    return f'{{"instruction_score": {followed}, "knowledge_score": {known}}}'


@pytest.mark.parametrize(
    ("followed", "known", "expected"),
    [(1, "null", 1), (2, "null", 1), (2, 5, 1), (1, 1, 1), (3, 4, 4), (3, 1, 1), (5, 2, 2)],
)
def test_kp_is_1_where_the_instruction_failed(
    tmp_path: Path, followed: int, known: object, expected: int
) -> None:
    """Paper, 3.4: IF of 1 or 2 makes KP 1, whatever the judge gave; otherwise KP is its own."""
    assert kp_of(joint(tmp_path), said(followed, known)) == {
        "corrected": expected,
        "faithful": expected,
    }


def test_kp_is_1_when_the_judge_left_it_out_after_a_failed_instruction(tmp_path: Path) -> None:
    """No repair is paid for either: there is nothing left to ask."""
    reading = strict(joint(tmp_path), '{"instruction_score": 2}')["knowledge_score"]
    assert (reading.value, reading.status) == (1, Status.SCORED)
    assert "3.4" in reading.reason


def test_a_null_against_a_met_instruction_is_no_score(tmp_path: Path) -> None:
    """The rule says nothing there, so nothing is guessed, and the row is a failure that counts."""
    scores = to_scores(
        joint(tmp_path),
        ExchangeResult(first=said(4, "null"), last=said(4, "null"), status=Status.SCORED),
    )
    found = {score.variant: score for score in scores if score.metric == "KP"}
    assert all(score.value is None for score in found.values())
    assert {score.status for score in found.values()} == {Status.UNPARSABLE}


def test_kp_without_a_readable_if_is_as_the_judge_gave_it(tmp_path: Path) -> None:
    assert kp_of(joint(tmp_path), '{"knowledge_score": 3}')["corrected"] == 3


def test_the_rubric_asks_for_1_and_for_no_null() -> None:
    text = (RUBRICS / "instruction_knowledge.md").read_text(encoding="utf-8")
    assert "null" not in text
    assert "where the instruction score is 1 or 2, the knowledge score is 1" in text


def test_the_schema_offers_no_null(tmp_path: Path) -> None:
    schema = joint(tmp_path).schema()
    assert schema is not None
    assert schema["properties"]["knowledge_score"]["type"] == "integer"


# --- tables ---------------------------------------------------------------------------------------


def older_rows(variant: Variant) -> list[Row]:
    """Two editors on three samples, as an earlier version stored them: KP null where IF <= 2."""

    def one(sample: str, editor: str, metric: str, value: float | None) -> Row:
        status = Status.SCORED if value is not None else Status.NOT_APPLICABLE
        return row(
            sample, editor, metric, value,
            benchmark="krisbench", variant=variant, source="judge#1", status=status,
        )  # fmt: skip

    rows = []
    for number, (follows, knows) in enumerate([(5, 5), (1, None), (2, None)]):
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
    found = plausibility.settled(frame(older_rows(variant), RECORDS, "krisbench"))
    table = next(t for t in tables(found, variant) if t.name == "krisbench.judge")
    cells = {line.name: line.cells["Natural Science/KP"] for line in table.rows}
    assert cells["one-of-three"].value == pytest.approx((2.33 - 1) * 25)
    assert cells["three-of-three"].value == pytest.approx(75)
    assert [(cell.n, cell.of) for cell in cells.values()] == [(3, 3), (3, 3)]


def test_a_run_made_before_the_rule_is_read_by_it(tmp_path: Path) -> None:
    """`Frame.of_runs` is the door of tables, comparisons and reports: the rule lies behind it."""
    run = RunFolder.create(tmp_path / "run")
    with run.writer() as writer:
        writer.write(older_rows("corrected"))
    values = Frame.of_runs([run], "krisbench").grid("KP", "corrected").values
    assert sorted(values.ravel().tolist()) == [1, 1, 4, 4, 4, 5]


def test_only_the_same_judgement_decides() -> None:
    """Another judge's, another repeat's or another editor's IF says nothing about this KP."""

    def one(metric: str, value: float | None, **other: object) -> Row:
        status = Status.SCORED if value is not None else Status.NOT_APPLICABLE
        named = {"source": "a#1", "repeat": 0, **other}
        return row("s0", "e", metric, value, benchmark="krisbench", status=status, **named)  # type: ignore[arg-type]

    rows = [
        one("IF", 1.0, source="b#1"),
        one("IF", 1.0, repeat=1),
        one("IF", 4.0),
        one("KP", None),
    ]
    found = plausibility.settled(frame(rows, RECORDS, "krisbench"))
    place = found.columns.metric == found.metrics.index("KP")
    assert found.columns.status[place].tolist() == [list(Status).index(Status.NOT_APPLICABLE)]


def test_a_failed_call_stays_failed() -> None:
    rows = [
        row("s0", "e", "IF", 1.0, benchmark="krisbench"),
        row("s0", "e", "KP", None, benchmark="krisbench", status=Status.FAILED),
    ]
    found = plausibility.settled(frame(rows, RECORDS, "krisbench"))
    assert found.grid("KP", "faithful").failed.any()


def test_the_benchmark_declares_it() -> None:
    made = frame(older_rows("faithful"), RECORDS, "krisbench")
    assert BENCHMARK.settled(made).grid("KP", "faithful").values.min() == 1


# --- what the rubrics ask (paper 3.4 and appendix) -------------------------------------------------


@pytest.mark.parametrize(
    ("rubric", "wanted"),
    [
        ("quality", "Low resolution and moderate softness are no flaw"),
        ("consistency_elements", "which reference gives the scene"),
        ("instruction_anomaly", "1 - the mistake is still there"),
        ("instruction_viewpoint", "1 - the viewpoint has not changed, has changed the wrong way"),
        ("consistency", "2 - two or more clear unneeded changes"),
        ("consistency", "How well the requested change was made is graded elsewhere"),
        ("instruction_anomaly", "2 - most of what had to be corrected is not, or the result disag"),
        ("instruction_elements", "3 - an important part is missing or wrong"),
    ],
)
def test_rubrics_have_the_papers_substance(rubric: str, wanted: str) -> None:
    assert wanted in (RUBRICS / f"{rubric}.md").read_text(encoding="utf-8")
