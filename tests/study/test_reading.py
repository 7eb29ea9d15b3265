"""Ratings from files and out again: every shape and scale, and one clear line for what does not
fit.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from editgauge.errors import DataError, UsageError
from editgauge.study.ratings import export, import_ratings, known_of, ratings_of
from editgauge.study.reading import Known, read_ratings
from editgauge.types import Row
from tests.study.made_study import make_run, rating

KNOWN = Known("bench", frozenset({"s1", "s2"}), frozenset({"alpha", "beta"}))


def read(place: Path, text: str | bytes, **options: str) -> list[Row]:
    path = place / "ratings.csv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_ratings(path, KNOWN, **options)


def values(rows: list[Row]) -> list[tuple[object, ...]]:
    return [(r.sample, r.source, r.editor, r.metric, r.value) for r in rows]


def test_wide_and_long_say_the_same(tmp_path: Path) -> None:
    text = "\ufeffSample;Annotator;Question;Alpha;beta\r\ns1;ann;EA;4.0;2\r\n\r\ns2;ann;EA;5;\r\n"
    wide = values(read(tmp_path, text, scale="1-5"))
    long = "sample,annotator,question,editor,rating\n"
    long += "s1,ann,EA,alpha,4\ns1,ann,EA,beta,2\ns2,ann,EA,alpha,5\ns2,ann,EA,beta,\n"
    assert wide == values(read(tmp_path, long))
    assert wide[0] == ("s1", "human:ann", "alpha", "EA", 4.0)
    assert len(wide) == 3, "an empty cell is no rating"


def test_ranks_or_ratings(tmp_path: Path) -> None:
    text = "sample,annotator,alpha,beta\ns1,ann,1,2\n"
    assert read(tmp_path, text, scale="rank")[0].scorer == "human.rank"
    own = read(
        tmp_path, "sample,annotator,scale,alpha,beta\ns1,ann,rate,1,2\ns1,ben,,1,2\n", scale="rank"
    )
    assert [row.scorer for row in own] == ["human.rate"] * 2 + ["human.rank"] * 2
    with pytest.raises(UsageError, match=r"ranks \(1 = best\) or ratings.*rank, 1-5"):
        read(tmp_path, text)


def test_comparisons(tmp_path: Path) -> None:
    head = "sample,annotator,editor_a,editor_b,winner\n"
    lines = "s1,ann,beta,alpha,beta\ns2,ann,beta,alpha,b\ns1,ben,alpha,beta,both bad\n"
    rows = read(tmp_path, f"{head}{lines}s2,ben,alpha,beta,tie\n")
    assert {(r.editor, r.metric) for r in rows} == {("alpha", "overall.over.beta")}
    assert [r.value for r in rows] == [0.0, 1.0, 0.5, 0.5]
    assert [r.detail["outcome"] for r in rows] == ["b", "a", "both_bad", "tie"]


GOOD = b"sample,annotator,alpha,beta\ns1,ann,4,2\n"


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (GOOD + b"s9,ann,4,2", r"line 3: sample 's9': not in the run; there is s1"),
        (GOOD + b"s2,ann,4,2,", r"line 3: 5 cells, but 4 headings"),
        (GOOD + b"s2,,4,2", r"line 3: '': wanted a pseudonym"),
        (GOOD + b"s2,a@b.org,4,2", r"line 3: 'a@b.org': wanted a pseudonym"),
        (GOOD + b"s2,ann,6,2", r"line 3: wanted a whole number from 1 to 5, found '6'"),
        (GOOD + b"s2,ann,nan,2", r"line 3: wanted a whole number"),
        (GOOD + b"s1,ann,4,2", r"line 3: ann rated alpha on 's1' in line 2 already"),
        (GOOD + b's2,ann,4,"2', r"line 3: no csv"),
        (b"", r"line 1: wanted the columns"),
        (b"a,b,c\n1,2,3\n", r"line 1: wanted the columns"),
        (b"sample,annotator,alpha,alpha\n", r"two columns are called 'alpha'"),
        (b"sample,annotator,alpha\n", r"no rating in it"),
        (b"sample,annotator,alpha,bets\ns1,ann,1,2", r"column 'bets': did you mean beta\? rename"),
        (b"sample,annotator,editor_a,editor_b,winner\ns1,ann,beta,beta,a", r"with itself"),
        (b"\xff\xfe\x00", r"no csv in UTF-8"),
    ],
)
def test_what_does_not_fit_is_named_with_its_line(tmp_path: Path, data: bytes, told: str) -> None:
    with pytest.raises(DataError, match=told):
        read(tmp_path, data, scale="1-5")


def test_pseudonyms_need_the_runs_salt(tmp_path: Path) -> None:
    text = "sample,annotator,alpha\ns1,a@b.org,4\ns2,c d,4\n"
    first, again, other = (
        [row.source for row in read(tmp_path, text, salt=salt, scale="1-5")]
        for salt in ("salt", "salt", "other")
    )
    assert all(name.startswith("human:rater-") for name in first)
    assert first == again != other


def test_a_rating_that_changed_replaces_the_older_one(tmp_path: Path) -> None:
    run = make_run(tmp_path, samples=2)
    for value, told in ((4.0, (1, 0, 0)), (4.0, (0, 0, 1)), (2.0, (0, 1, 0)), (4.0, (0, 1, 0))):
        assert import_ratings(run, [rating(value=value)]) == told
        assert [r.value for r in ratings_of(run)] == [value]
    assert not run.problems


def test_an_export_taken_in_again_changes_nothing(tmp_path: Path) -> None:
    run = make_run(tmp_path, samples=3)
    compared = {"scale": "pairwise", "editor": "beta", "against": "alpha", "value": 1.0}
    made = [rating(**compared, detail={"outcome": "a", "comment": "=cmd()"})]
    made += [
        rating(sample=sample, editor=editor, annotator=who, repeat=repeat, value=float(value))
        for value, (sample, editor) in enumerate([("s00", "alpha"), ("s01", "beta")], start=2)
        for who in ("ann", "=ben")
        for repeat in (0, 1)
    ]
    import_ratings(run, made)
    path = tmp_path / "out.csv"
    path.write_text(export(ratings_of(run)), encoding="utf-8")
    assert "bench,s00,ann,IF,0,pairwise,alpha,beta,b,'=cmd()" in path.read_text("utf-8")
    assert import_ratings(run, read_ratings(path, known_of(run))) == (0, 0, len(made))
