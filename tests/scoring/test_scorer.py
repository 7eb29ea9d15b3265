"""The base class of scorers, and what a worker with one takes of its machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from editgauge.errors import UsageError
from editgauge.scoring.scorer import Needs, Pair, Scorer
from editgauge.types import Edit, Metric, Sample, Score

SIZE = Metric("size", direction="higher", low=0, high=100)


class One(Scorer):
    name = "one"
    track = "pixel"
    metrics = (SIZE,)

    def score(self, sample: Sample, edit: Edit) -> Sequence[Score]:
        return [Score(metric="size", value=float(len(sample.id)))]


class Many(Scorer):
    name = "many"
    track = "pixel"
    metrics = (SIZE,)
    batch = 8

    def score_many(self, pairs: Sequence[Pair]) -> Iterator[tuple[int, Sequence[Score]]]:
        for index, (sample, _) in reversed(list(enumerate(pairs))):
            yield index, [Score(metric="size", value=float(len(sample.id)))]


def pair(name: str) -> Pair:
    sample = Sample(
        benchmark="b",
        id=name,
        split="all",
        category=("all",),
        instruction="do it",
        images=(Path("a.png"),),
        output_stems=(name,),
    )
    return sample, Edit(sample=name, editor="e", path=Path("out.png"))


@pytest.mark.parametrize("scorer", [One(), Many()])
def test_either_of_score_and_score_many_gives_the_other(scorer: Scorer) -> None:
    pairs = [pair("a"), pair("bb")]
    assert [scorer.score(*each)[0].value for each in pairs] == [1.0, 2.0]
    found = dict(scorer.score_many(pairs))
    assert [found[index][0].value for index in (0, 1)] == [1.0, 2.0]


def test_enough_for_both_is_the_larger_of_each_and_memory_for_what_both_have_loaded() -> None:
    assert Needs(2, 0, 5).with_(Needs(1, 0.5, 9)) == Needs(2, 0.5, 14)


@pytest.mark.parametrize(
    ("needs", "most", "memory", "workers"),
    [
        (Needs(), 4, 0, 4), (Needs(2), 4, 0, 2), (Needs(8), 4, 0, 1), (Needs(0.5), 4, 0, 4),
        (Needs(memory=3), 4, 7, 2), (Needs(memory=9), 4, 7, 1), (Needs(memory=9), 4, 0, 4),
        (Needs(2, memory=3), 4, 100, 2), (Needs(2), 0, 0, 0),
    ],
)  # fmt: skip
def test_fewer_workers_where_each_takes_more(
    needs: Needs, most: int, memory: int, workers: int
) -> None:
    assert needs.workers(most, memory) == workers


def test_a_gpu_where_there_is_one() -> None:
    cases = [(None, 0, None), (None, 1, 1), (2, None, 2), (None, None, None)]
    assert [Needs(1, a).with_(Needs(1, b)).num_gpus for a, b, _ in cases] == [
        both for _, _, both in cases
    ]


@pytest.mark.parametrize(
    "declared",
    [{"num_cpus": -1}, {"num_cpus": None}, {"memory": "2GB"}, {"num_cpus": float("nan")}],
)
def test_what_is_no_amount_is_an_error_that_names_it(declared: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=next(iter(declared))):
        Needs(**declared)
