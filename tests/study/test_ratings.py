"""Ratings into rows and out again."""

from __future__ import annotations

from pathlib import Path

import pytest

from editgauge.errors import UsageError
from editgauge.study.ratings import export, import_ratings, known_of, ratings_of
from editgauge.study.reading import read_ratings
from editgauge.study.scales import rating_row
from editgauge.types import Row
from tests.study.made_study import make_run


def rating(**more: object) -> Row:
    facts = {
        "benchmark": "bench",
        "sample": "s00",
        "editor": "alpha",
        "question": "IF",
        "annotator": "ann",
        "scale": "rate",
        "value": 4.0,
    }
    return rating_row(**{**facts, **more})  # type: ignore[arg-type]


def test_a_rating_becomes_an_ordinary_row(tmp_path: Path) -> None:
    run = make_run(tmp_path, samples=2)
    assert import_ratings(run, [rating()]) == (1, 0, 0)
    row = next(row for row in run.rows() if row.scorer.startswith("human"))
    assert (row.metric, row.value, row.source, row.scorer) == ("IF", 4.0, "human:ann", "human.rate")


def test_a_rating_that_changed_replaces_the_older_one(tmp_path: Path) -> None:
    run = make_run(tmp_path, samples=2)
    for value, told in ((4.0, (1, 0, 0)), (4.0, (0, 0, 1)), (2.0, (0, 1, 0)), (4.0, (0, 1, 0))):
        assert import_ratings(run, [rating(value=value)]) == told
        assert [r.value for r in ratings_of(run)] == [value]
    assert not run.problems


@pytest.mark.parametrize("shape", ["long", "wide"])
def test_an_export_taken_in_again_changes_nothing(tmp_path: Path, shape: str) -> None:
    run = make_run(tmp_path, samples=3)
    made = [
        rating(sample=sample, editor=editor, annotator=who, repeat=repeat, value=float(value))
        for value, (sample, editor) in enumerate([("s00", "alpha"), ("s01", "beta")], start=2)
        for who in ("ann", "=ben")
        for repeat in (0, 1)
    ]
    import_ratings(run, made)
    path = tmp_path / "out.csv"
    path.write_text(export(ratings_of(run), shape), encoding="utf-8")
    again = read_ratings(path, known_of(run))
    assert import_ratings(run, again.rows) == (0, 0, len(made))


def test_comparisons_come_back(tmp_path: Path) -> None:
    run = make_run(tmp_path, samples=2)
    one = rating(scale="pairwise", editor="beta", against="alpha", value=1.0,
                 detail={"outcome": "a"})  # fmt: skip
    import_ratings(run, [one])
    text = export(ratings_of(run), "long")
    assert text.splitlines()[1] == "bench,s00,ann,IF,0,pairwise,alpha,beta,b,"
    with pytest.raises(UsageError, match="do not fit one file"):
        export([one, rating()], "long")
