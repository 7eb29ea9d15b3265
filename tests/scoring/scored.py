"""The scores of an output as a worker takes them: what a scorer raises is a status and a reason."""

from __future__ import annotations

from collections.abc import Sequence

from editgauge.scoring import failure
from editgauge.scoring.scorer import Scorer
from editgauge.types import Edit, Sample, Score, not_scored


def scored(scorer: Scorer, sample: Sample, edit: Edit) -> Sequence[Score]:
    try:
        return scorer.score(sample, edit)
    except Exception as error:
        return not_scored(scorer.metrics, *failure(error, edit))
