"""A scorer out of a function on arrays."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editgauge.scoring.plain import PlainScorer, metric
from editgauge.scoring.scorer import Scorer
from editgauge.testing import ConstantEditor, make_sample
from editgauge.types import Edit, Sample, Status
from tests.scoring.scored import scored


@metric("gap", direction="lower", low=0, high=255, unit="levels", note="of the means", version="3")
def gap(original: Any, edited: Any) -> float:
    """The difference of two means."""
    return abs(float(original.mean()) - float(edited.mean()))


@metric("inside", direction="higher", low=0, high=1, masks=True)
def inside(original: Any, edited: Any, mask: Any) -> float:
    changed = (original != edited).any(axis=2)
    assert mask.shape == changed.shape
    assert mask.dtype == np.bool_
    return float(changed[mask].mean())


@metric("far", direction="lower", low=0, high=math.inf, against="reference")
def far(reference: Any, edited: Any) -> float:
    return math.inf if (reference == edited).all() else float("nan")


@pytest.fixture
def sample(tmp_path: Path) -> Sample:
    return make_sample(tmp_path)


def score(scorer: PlainScorer, sample: Sample, path: Path | None) -> Any:
    (found,) = scored(scorer, sample, Edit(sample=sample.id, editor="e", path=path))
    return found


def test_it_is_a_scorer_that_survives_pickling() -> None:
    assert isinstance(gap, Scorer)
    assert pickle.loads(pickle.dumps(gap)) is gap
    assert gap.metrics[0].unit == "levels"
    assert gap.origin() == {"function": f"{__name__}.gap", "version": "3"}
    assert gap.inputs == ("images",)
    assert inside.inputs == ("images", "masks")
    assert far.inputs == ("reference",)
    assert gap.__doc__ == "The difference of two means."


def test_it_compares_with_the_input(sample: Sample, tmp_path: Path) -> None:
    assert score(gap, sample, sample.image).value == 0.0
    edit = ConstantEditor((0, 0, 0))(sample, tmp_path)
    (found,) = gap.score(sample, edit)
    assert 50 < found.value < 255


def test_masks_are_given_and_wanted(sample: Sample) -> None:
    assert sample.reference is not None
    assert score(inside, sample, sample.reference).value == 1.0
    assert inside.applies(replace(sample, masks={})) == "the sample has no mask"
    assert inside.applies(sample) is None
    gone = replace(sample, masks={**sample.masks, "roi": Path("no/such.png")})
    assert score(inside, gone, sample.image).status is Status.DATASET_FAULT


def test_the_reference_is_wanted_where_it_is_compared(sample: Sample) -> None:
    assert far.applies(replace(sample, reference=None)) == "the sample has no reference"
    assert score(far, sample, sample.reference).number == math.inf
    found = score(far, sample, sample.image)
    assert (found.value, found.status) == (None, Status.FAILED)
    assert "the function gives nan, which is not in 0 to inf" in found.reason


def test_pictures_that_cannot_be_read(sample: Sample, tmp_path: Path) -> None:
    (tmp_path / "text.png").write_text("no picture")
    assert score(gap, sample, tmp_path / "text.png").status is Status.UNREADABLE
    broken = replace(sample, images=(tmp_path / "text.png",))
    assert score(gap, broken, sample.image).status is Status.DATASET_FAULT
