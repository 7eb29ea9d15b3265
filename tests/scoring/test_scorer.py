"""Scorers out of functions on arrays."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editgauge.scoring.plain import metric
from editgauge.scoring.scorer import Scorer
from editgauge.testing import make_sample
from editgauge.types import Edit, Sample, Status
from tests.fakes import scored


@pytest.fixture
def sample(tmp_path: Path) -> Sample:
    return make_sample(tmp_path)


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


def test_it_compares_with_the_input_or_the_reference(sample: Sample) -> None:
    assert score(gap, sample, sample.image).value == 0.0
    assert score(inside, sample, sample.reference).value == 1.0
    assert score(far, sample, sample.reference).number == math.inf
    found = score(far, sample, sample.image)
    assert (found.value, found.status) == (None, Status.FAILED)
    assert "the function gives nan, which is not in 0 to inf" in found.reason
