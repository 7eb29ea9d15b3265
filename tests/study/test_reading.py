"""Ratings from files: every shape and scale, and one clear line for everything that does not fit."""

from __future__ import annotations

from pathlib import Path

import pytest

from editgauge.errors import DataError, UsageError
from editgauge.study.reading import Known, Parsed, read_ratings

KNOWN = Known("bench", frozenset({"s1", "s2"}), frozenset({"alpha", "beta"}))


def read(place: Path, text: str, **options: object) -> Parsed:
    path = place / "ratings.csv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_ratings(path, KNOWN, **options)  # type: ignore[arg-type]


def values(parsed: Parsed) -> list[tuple[object, ...]]:
    return [(r.sample, r.source, r.editor, r.metric, r.value) for r in parsed.rows]


def test_wide_and_long_say_the_same(tmp_path: Path) -> None:
    text = "sample,annotator,question,alpha,beta\ns1,ann,EA,4,2\ns2,ann,EA,5,\n"
    wide = read(tmp_path, text, scale="1-5")
    long = read(
        tmp_path,
        "sample,annotator,question,editor,rating\n"
        "s1,ann,EA,alpha,4\ns1,ann,EA,beta,2\ns2,ann,EA,alpha,5\ns2,ann,EA,beta,\n",
    )
    assert values(wide) == values(long)
    assert values(wide)[0] == ("s1", "human:ann", "alpha", "EA", 4.0)
    assert len(values(wide)) == 3, "an empty cell is no rating"


def test_a_spreadsheets_habits(tmp_path: Path) -> None:
    text = (
        '\ufeffSample;Annotator;Comment;Model;Rating\r\ns1;ann;"two\nlines; here";alpha;5.0\r\n\r\n'
    )
    parsed = read(tmp_path, text)
    assert values(parsed) == [("s1", "human:ann", "alpha", "overall", 5.0)]
    assert parsed.rows[0].detail == {"comment": "two\nlines; here"}


def test_ranks_or_ratings(tmp_path: Path) -> None:
    head = "sample,annotator,alpha,beta\n"
    assert read(tmp_path, head + "s1,ann,1,2\n", scale="rank").scale == "rank"
    with pytest.raises(UsageError, match=r"ranks \(1 = best\) or ratings.*rank, or 1-5"):
        read(tmp_path, head + "s1,ann,1,2\ns2,ann,1,1\n")


def test_comparisons(tmp_path: Path) -> None:
    head = "sample,annotator,editor_a,editor_b,winner\n"
    lines = "s1,ann,beta,alpha,beta\ns2,ann,beta,alpha,b\ns1,ben,alpha,beta,both bad\n"
    parsed = read(tmp_path, head + lines + "s2,ben,alpha,beta,tie\n")
    rows = parsed.rows
    assert [(r.editor, r.metric, r.value) for r in rows] == [
        ("alpha", "overall.over.beta", 0.0),
        ("alpha", "overall.over.beta", 1.0),
        ("alpha", "overall.over.beta", 0.5),
        ("alpha", "overall.over.beta", 0.5),
    ]
    assert [r.detail["outcome"] for r in rows] == ["b", "a", "both_bad", "tie"]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("s9,ann,4,2", r"line 3: sample 's9': not in the run; there are"),
        ("s2,ann,4,2,", r"line 3: 5 cells, but 4 headings"),
        ("s2,,4,2", r"line 3: '': wanted a pseudonym"),
        ("s2,ann,6,2", r"line 3: wanted a whole number from 1 to 5, found '6'"),
        ("s2,ann,nan,2", r"line 3: wanted a whole number"),
        ("s1,ann,4,2", r"line 3: ann rated alpha on 's1' in line 2 already"),
        ("s2,a@b.org,4,2", r"line 3: 'a@b.org': wanted a pseudonym"),
        ('s2,ann,4,"2', r"line 3: no valid csv"),
        ("s2,=cmd(),4,\x00", r"line 3"),
    ],
)
def test_what_does_not_fit_is_named_with_its_line(tmp_path: Path, line: str, told: str) -> None:
    with pytest.raises(DataError, match=told):
        read(tmp_path, f"sample,annotator,alpha,beta\ns1,ann,4,2\n{line}\n", scale="1-5")


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", r"line 1: wanted the columns"),
        (b"a,b,c\n1,2,3\n", r"line 1: wanted the columns"),
        (b"sample,annotator,alpha,alpha\n", r"two columns are called 'alpha'"),
        (b"sample,annotator,alpha\n", r"no rating in it"),
        (b"\xff\xfe\x00", r"no UTF-8"),
    ],
)
def test_files_that_are_none(tmp_path: Path, data: bytes, told: str) -> None:
    path = tmp_path / "ratings.csv"
    path.write_bytes(data)
    with pytest.raises(DataError, match=told):
        read_ratings(path, KNOWN, scale="1-5")


def test_pseudonyms_need_the_runs_salt(tmp_path: Path) -> None:
    text = "sample,annotator,alpha\ns1,a@b.org,4\ns2,c d,4\n"
    first = read(tmp_path, text, salt="salt", scale="1-5")
    assert all(name.startswith("rater-") for name in first.annotators)
    assert first.annotators == read(tmp_path, text, salt="salt", scale="1-5").annotators
    assert first.annotators != read(tmp_path, text, salt="other", scale="1-5").annotators
