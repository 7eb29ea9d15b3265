"""The base class of scorers, scorers out of functions on arrays, and what a worker takes of its
machine.
"""

from __future__ import annotations

import math
import pickle
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editgauge.scoring.plain import metric
from editgauge.scoring.scorer import Pair, Scorer
from editgauge.testing import make_sample
from editgauge.types import Edit, Metric, Sample, Score, Status
from tests.scoring.scored import scored

SIZE = Metric("size", direction="higher", low=0, high=100)


class One(Scorer):
    name, track, metrics = "one", "pixel", (SIZE,)

    def score(self, sample: Sample, edit: Edit) -> Sequence[Score]:
        return [Score(metric="size", value=float(len(sample.id)))]


class Many(Scorer):
    name, track, metrics = "many", "pixel", (SIZE,)
    wants = ("masks", "reference")

    def score_many(self, pairs: Sequence[Pair]) -> Iterator[tuple[int, Sequence[Score]]]:
        for index, (sample, _) in reversed(list(enumerate(pairs))):
            yield index, [Score(metric="size", value=float(len(sample.id)))]


@pytest.fixture
def sample(tmp_path: Path) -> Sample:
    return make_sample(tmp_path)


@pytest.mark.parametrize("scorer", [One(), Many()])
def test_either_of_score_and_score_many_gives_the_other(scorer: Scorer, sample: Sample) -> None:
    edit = Edit(sample="a", editor="e", path=sample.image)
    pairs = [(replace(sample, id=name), edit) for name in ("a", "bb")]
    assert [scorer.score(*pair)[0].value for pair in pairs] == [1.0, 2.0]
    found = dict(scorer.score_many(pairs))
    assert [found[index][0].value for index in (0, 1)] == [1.0, 2.0]


def test_a_sample_without_what_a_scorer_wants_is_not_applicable(sample: Sample) -> None:
    assert Many().applies(sample) is None
    assert Many().applies(replace(sample, masks={})) == "the sample has no mask"
    assert Many().applies(replace(sample, reference=None)) == "the sample has no reference"


# -- a function on arrays --------------------------------------------------------------------------


@metric("gap", direction="lower", low=0, high=255, unit="levels", note="of the means", version="3")
def gap(original: Any, edited: Any) -> float:
    """The difference of two means."""
    return abs(float(original.mean()) - float(edited.mean()))


@metric("inside", direction="higher", low=0, high=1, masks=True)
def inside(original: Any, edited: Any, mask: Any) -> float:
    assert mask.dtype == np.bool_
    return float((original != edited).any(axis=2)[mask].mean())


@metric("far", direction="lower", low=0, high=math.inf, against="reference")
def far(reference: Any, edited: Any) -> float:
    return math.inf if (reference == edited).all() else float("nan")


def score(scorer: Scorer, sample: Sample, path: Path | None) -> Any:
    (found,) = scored(scorer, sample, Edit(sample=sample.id, editor="e", path=path))
    return found


def test_it_is_a_scorer_that_survives_pickling() -> None:
    assert isinstance(gap, Scorer)
    assert pickle.loads(pickle.dumps(gap)) is gap
    assert (gap.name, gap.metrics[0].unit) == ("gap", "levels")
    assert gap.origin() == {"function": f"{__name__}.gap", "version": "3"}
    assert (gap.inputs, inside.inputs) == (("images",), ("images", "masks"))
    assert (far.inputs, far.wants) == (("reference",), ("reference",))
    assert gap.__doc__ == "The difference of two means."


def test_it_compares_with_the_input_or_the_reference(sample: Sample) -> None:
    assert score(gap, sample, sample.image).value == 0.0
    assert score(inside, sample, sample.reference).value == 1.0
    assert score(far, sample, sample.reference).number == math.inf
    found = score(far, sample, sample.image)
    assert (found.value, found.status) == (None, Status.FAILED)
    assert "the function gives nan, which is not in 0 to inf" in found.reason


# -- needs -----------------------------------------------------------------------------------------
