"""`--calibrate`: gold by people, gold by a stronger judge, and what cannot be corrected."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest

from editgauge.statistics.prediction import corrected_mean
from editgauge.store.selection import draw
from editgauge.study.calibration import Calibration, gold_of
from editgauge.study.ratings import import_ratings
from editgauge.tables.results import Delivery, Results
from editgauge.types import Row
from tests import made_rows
from tests.command_line import did
from tests.made_rows import record, row
from tests.study.made_study import judged, make_run, rating

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
        rating(benchmark="mini", sample=f"s{k:02}", editor=editor, annotator=who,
               value=truth(k, editor) + (who == "ben") * (k % 2))
        for k in range(count) for editor in ("a", "b") for who in ("ann", "ben")
    ]  # fmt: skip


def frame(rows: list[Row]) -> Results:
    return made_rows.frame(rows, [record(f"s{k:02}") for k in range(COUNT)])


def told(run: Path, *words: str) -> Any:
    (table,) = orjson.loads(did([words[0], run, *words[1:], "--format", "json"]).stdout)["tables"]
    return {line["name"]: line["cells"] for line in table["rows"]}


def test_people_correct_a_judge_that_favours_one_editor() -> None:
    (item,) = gold_of(frame(scores("j", 2.0) + people()), Calibration(gold="human"))
    a, b = (corrected_mean(y, f) for y, f in zip(item.values, item.scores, strict=True))
    assert b.judge - a.judge == pytest.approx(3, abs=0.6)
    assert b.value - a.value == pytest.approx(1, abs=0.5)
    assert (a.rated, a.judged, item.annotators, item.scale) == (20, COUNT, 2, (1.0, 5.0))


def test_a_strong_judge_on_a_draw_corrects_a_cheap_one() -> None:
    rows = scores("cheap#1", 2.0) + scores("gpt-4o#2", 0.0, seed=1)
    (item,) = gold_of(frame(rows), Calibration(gold="gpt-4o@25", seed=3))
    assert np.isfinite(item.values[0]).sum() == 25
    (again,) = gold_of(frame(rows), Calibration(gold="gpt-4o@25", seed=3))
    assert np.array_equal(item.values, again.values, equal_nan=True)
    assert item.source == "cheap#1"


def test_the_draw_is_that_of_a_judge_with_the_same_limit() -> None:
    """Samples without any output come last in both."""
    ids = [f"s{k:02}" for k in range(COUNT)]
    delivered = frozenset(ids[10:])
    limited = draw(ids, 12, delivered)
    assert limited <= delivered
    strong = [one for one in scores("gpt-4o#2", seed=1) if one.sample in limited]
    whole = frame(scores("cheap#1", 2.0) + strong)
    whole = replace(whole, deliveries={"a": Delivery(delivered), "b": Delivery()})
    (item,) = gold_of(whole, Calibration(gold="gpt-4o@12"))
    rated = {name for name, value in zip(ids, item.values[0], strict=True) if np.isfinite(value)}
    assert rated == limited


def test_as_it_is_typed(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    places = [(k, n, editor) for k in range(8) for n, editor in enumerate(("alpha", "beta"))]
    given = [(f"s{k:02}", editor, min(5.0, judged(k, n) + k % 2)) for k, n, editor in places]
    import_ratings(run, [rating(sample=s, editor=editor, value=v) for s, editor, v in given])
    means = told(run.path, "table", "--calibrate", "human")
    assert [*means] == ["alpha", "beta"]
    assert means["alpha"]["alone"]["n"] == 8
    words = ("--calibrate", "human", "--set", "strata=organ")
    line = told(run.path, "compare", "alpha", "beta", *words)["IF"]
    assert float(line["difference"]["value"]) == pytest.approx(
        float(line["b"]["value"]) - float(line["a"]["value"]), abs=0.5
    )
    assert line["verdict"]["text"] == "no significant difference"
