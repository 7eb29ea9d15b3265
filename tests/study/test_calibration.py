"""`--calibrate`: gold by people, gold by a stronger judge, and what cannot be corrected."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import orjson
import pytest

from editgauge.errors import UnknownName, UsageError
from editgauge.study.calibration import corrected, differences, gold_of, scored
from editgauge.study.ratings import import_ratings
from editgauge.study.scales import rating_row
from editgauge.tables.results import Results
from editgauge.types import Row
from tests import made_rows
from tests.cli.test_study_command import type_
from tests.made_rows import record, row
from tests.study.made_study import judged, make_run

COUNT = 60


def scores(source: str, more: float = 0.0, seed: int = 0, count: int = COUNT) -> list[Row]:
    """A judge's scores of two editors: b is `more` better by the judge, 1 better in truth."""
    random = np.random.default_rng(seed)
    return [
        row(f"s{k:02}", editor, "IF", float(truth(k, editor) + more * (editor == "b") + random.normal()),
            source=source, scorer="judge")
        for k in range(count)
        for editor in ("a", "b")
    ]  # fmt: skip


def truth(k: int, editor: str) -> float:
    return float(k % 4) + (editor == "b")


def people(count: int = 20) -> list[Row]:
    return [
        rating_row(benchmark="mini", sample=f"s{k:02}", editor=editor, question="IF", annotator=who,
               scale="rate", value=truth(k, editor) + (who == "ben") * (k % 2))
        for k in range(count)
        for editor in ("a", "b")
        for who in ("ann", "ben")
    ]  # fmt: skip


def frame(rows: list[Row]) -> Results:
    return made_rows.frame(rows, [record(f"s{k:02}", tier=str(k % 2)) for k in range(COUNT)])


def test_people_correct_a_judge_that_favours_one_editor() -> None:
    rest, gold = gold_of(frame(scores("j", 2.0) + people()), "human")
    (item,) = scored(rest, gold)
    a, b = corrected(rest, item).values()
    assert b.judge - a.judge == pytest.approx(3, abs=0.6)
    assert b.value - a.value == pytest.approx(1, abs=0.5)
    assert (a.rated, a.judged, item.annotators) == (20, COUNT, 2)
    (line,) = differences(rest, gold, "a", "b")
    assert line.difference.value == pytest.approx(1.0, abs=1e-9), "people always see one point"
    assert line.verdict == "better"
    assert line.more == 0


def test_a_strong_judge_on_a_draw_corrects_a_cheap_one() -> None:
    rows = scores("cheap#1", 2.0) + scores("gpt-4o#2", 0.0, seed=1)
    rest, gold = gold_of(frame(rows), "gpt-4o@25", seed=3)
    assert np.isfinite(gold[0].values[0]).sum() == 25
    _, again = gold_of(frame(rows), "gpt-4o@25", seed=3)
    assert np.array_equal(gold[0].values, again[0].values, equal_nan=True)
    (item,) = scored(rest, gold)
    assert item.source == "cheap#1"
    a, b = corrected(rest, item).values()
    assert a.rated == 25
    assert b.value - a.value == pytest.approx(1, abs=0.9)


def test_what_cannot_be_corrected_says_why() -> None:
    whole = frame(scores("j") + people(2))
    rest, gold = gold_of(whole, "human")
    with pytest.raises(UsageError, match=r"proxy=QUESTION=METRIC"):
        scored(rest, [gold[0]._replace(proxy="nothing")])
    with pytest.raises(UnknownName, match=r"calibrate nobody: wanted human or one judge"):
        gold_of(whole, "nobody")
    with pytest.raises(UsageError, match=r"3 or more, after @"):
        gold_of(whole, "human@x")
    with pytest.raises(UsageError, match=r"have no gold; leave @5 out"):
        gold_of(frame(scores("j") + people(1)), "human@5")


def test_as_it_is_typed(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    ratings = [
        rating_row(benchmark="bench", sample=f"s{k:02}", editor=editor, question="IF", annotator="ann",
               scale="rate", value=min(5.0, judged(k, n) + k % 2))
        for k in range(8)
        for n, editor in enumerate(("alpha", "beta"))
    ]  # fmt: skip
    import_ratings(run, ratings)
    (table,) = orjson.loads(type_("table", run.path, "--calibrate", "human", "--format", "json"))[
        "tables"
    ]
    assert [line["name"] for line in table["rows"]] == ["alpha", "beta"]
    assert table["rows"][0]["cells"]["alone"]["n"] == 8
    told = type_(
        "compare", run.path, "alpha", "beta", "--calibrate", "human", "--set", "strata=organ"
    )
    assert "Strata: organ." in told
    assert "more ratings" in told
