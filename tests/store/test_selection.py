"""What a command is narrowed to: samples by clauses, ids from files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.run.fakes import make_samples

from editgauge.errors import UsageError
from editgauge.store.labels import Samples
from editgauge.store.run import Run
from editgauge.store.samples import keep_samples
from editgauge.store.selection import choose, listed
from editgauge.types import Sample


@pytest.fixture
def samples(tmp_path: Path) -> list[Sample]:
    made = make_samples(tmp_path, 6)
    return [
        replace(
            sample,
            split="real" if n % 2 else "virtual",
            attributes={"tier": n // 2, "first": n == 0},
        )
        for n, sample in enumerate(made)
    ]


def ids(samples: list[Sample]) -> list[str]:
    return [sample.id for sample in samples]


def test_narrowing_keeps_the_order(samples: list[Sample]) -> None:
    assert ids(choose(samples)) == ids(samples)
    assert ids(choose(samples, limit=2)) == ["s000", "s001"]
    assert ids(choose(samples, ids=["s004", "s001"])) == ["s001", "s004"]
    assert ids(choose(samples, where=["split=real"])) == ["s001", "s003", "s005"]
    assert ids(choose(samples, where=["split=real", "tier=1"])) == ["s003"]
    assert ids(choose(samples, where=["first=true"])) == ["s000"]
    assert ids(choose(samples, where=["category=all", "split=real"], limit=1)) == ["s001"]


@pytest.mark.parametrize(
    ("narrowed", "said"),
    [
        ({"ids": ["s009"]}, "there is no such sample; ids look like: s000"),
        ({"where": ["teir=1"]}, "no attribute 'teir'; did you mean tier"),
        ({"where": ["tier=9"]}, "no sample has this value; there are: 0, 1, 2"),
        ({"ids": ["s000"], "where": ["split=real"]}, "no sample is left: 's000' and 'split=real'"),
    ],
)
def test_a_choice_of_nothing_says_why(
    samples: list[Sample], narrowed: dict[str, list[str]], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        choose(samples, **narrowed)  # type: ignore[arg-type]


def test_data_and_run_are_narrowed_by_the_same_names(tmp_path: Path) -> None:
    samples = [
        replace(
            sample,
            category=("Factual", "abc"[n % 3]),
            knowledge="k" if n % 2 else None,
            reference=sample.image if n < 4 else None,
            attributes={"tier": n // 2, "even": n % 2 == 0},
        )
        for n, sample in enumerate(make_samples(tmp_path / "data", 6))
    ]
    run = Run.create(tmp_path / "run")
    keep_samples(run, "fake", tmp_path / "data", samples, samples[:1])
    stored = Samples(run.samples("fake"))
    for name in stored.names():
        for value in sorted(set(stored.labels(name).tolist()) - {""}):
            clause = [f"{name}={value}"]
            kept = [i for i, keep in zip(stored.ids, stored.matching(clause), strict=True) if keep]
            assert ids(choose(samples, where=clause)) == kept, clause
    assert {"category2", "has_knowledge", "has_reference", "tier", "even"} <= set(stored.names())
    assert len(choose(samples, where=["has_reference=true"])) == 4
    assert len(choose(samples, where=["category2=a"])) == 2


def test_a_file_stands_for_its_ids(tmp_path: Path) -> None:
    (tmp_path / "ids.txt").write_bytes("\ufeffa/1\r\n\r\n b 2 \nü\n".encode())
    assert listed(["x", f"@{tmp_path / 'ids.txt'}", "y"]) == ["x", "a/1", "b 2", "ü", "y"]


@pytest.mark.parametrize("content", [None, b"", b"\n \n", b"\xff\xfe\x00"])
def test_a_file_that_is_no_list_is_named(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "ids.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UsageError, match=r"samples @.*ids\.txt"):
        listed([f"@{path}"])
