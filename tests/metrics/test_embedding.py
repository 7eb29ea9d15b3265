"""Scores of vectors, derived by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from editgauge.metrics.embedding import aesthetic, clip_score, cosine, directional_alignment

A, B = np.array([3.0, 4.0]), np.array([4.0, 3.0])


@pytest.mark.parametrize(
    ("score", "expected"),
    [
        (cosine(A, B), 24 / 25),
        (cosine(np.stack([A, A, A]), np.stack([B, -A, A * 7])), [24 / 25, -1.0, 1.0]),
        (cosine(A, np.zeros(2)), math.nan),  # a vector without direction
        (clip_score(A, B), 2.5 * 24 / 25),
        (clip_score(A, -A), 0.0),
        # (6, 8) - (3, 4) points along A; scaled to length 1 first, the two would be equal
        (directional_alignment(2 * A, A, B), 24 / 25),
        (directional_alignment(A, A, B), math.nan),
        (aesthetic(A, np.array([10.0, 5.0]), 1.5), 0.6 * 10 + 0.8 * 5 + 1.5),
        (aesthetic(100 * A, np.array([[10.0, 5.0]]), 1.5), 0.6 * 10 + 0.8 * 5 + 1.5),
    ],
)
def test_scores_by_hand(score: object, expected: object) -> None:
    assert score == pytest.approx(expected, nan_ok=True)
