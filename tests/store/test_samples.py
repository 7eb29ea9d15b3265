"""Which samples a command is narrowed to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.run.fakes import make_samples

from editgauge.errors import UsageError
from editgauge.store.selection import choose
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
        ({"where": ["split"]}, "wanted attribute=value"),
        (
            {"where": ["organ=Teeth"]},
            "no sample has 'organ'; there are: category, first, split, tier",
        ),
        ({"where": ["tier=9"]}, "no sample has this value; tier is one of: 0, 1, 2"),
        ({"ids": ["s000"], "where": ["split=real"]}, "no sample is left: 's000' and 'split=real'"),
    ],
)
def test_a_choice_of_nothing_says_why(
    samples: list[Sample], narrowed: dict[str, list[str]], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        choose(samples, **narrowed)  # type: ignore[arg-type]
