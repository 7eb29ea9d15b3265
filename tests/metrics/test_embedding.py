"""Scores of vectors, derived by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from editgauge.metrics.embedding import aesthetic, clip_score, cosine, directional_alignment

A, B = np.array([3.0, 4.0]), np.array([4.0, 3.0])


def test_cosine_of_a_3_4_5_triangle() -> None:
    assert cosine(A, B) == pytest.approx(24 / 25)
    assert cosine(np.stack([A, A, A]), np.stack([B, -A, A * 7])) == pytest.approx(
        [24 / 25, -1.0, 1.0]
    )


def test_a_vector_without_direction_has_no_cosine() -> None:
    assert math.isnan(cosine(A, np.zeros(2)))


def test_clip_score_is_weighted_and_never_negative() -> None:
    assert clip_score(A, B) == pytest.approx(2.5 * 24 / 25)
    assert clip_score(A, -A) == 0.0


def test_direction_uses_the_difference_of_unscaled_features() -> None:
    """(6, 8) - (3, 4) points along A; scaled to length 1 first, the two would be equal and have no
    direction.
    """
    assert directional_alignment(2 * A, A, B) == pytest.approx(24 / 25)
    assert math.isnan(directional_alignment(A, A, B))


def test_aesthetic_scales_the_feature_first() -> None:
    expected = 0.6 * 10 + 0.8 * 5 + 1.5
    assert aesthetic(A, np.array([10.0, 5.0]), 1.5) == pytest.approx(expected)
    assert aesthetic(100 * A, np.array([[10.0, 5.0]]), 1.5) == pytest.approx(expected)
