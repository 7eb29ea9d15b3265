"""Ranks under resampling, and Bradley-Terry strengths: by hand, and choix's numbers frozen."""

from __future__ import annotations

import math

import numpy as np

from editgauge.statistics.ranks import bradley_terry, rank_stability, strengths


def test_clear_ranks_survive_and_equal_editors_share_one() -> None:
    random = np.random.default_rng(1)
    found = rank_stability([3.0, 1.0, 2.0], random.normal([3, 1, 2], 0.01, (99, 3)))
    assert found.rank.tolist() == found.low.tolist() == found.high.tolist() == [1, 3, 2]
    turned = rank_stability([3.0, 1.0], [[3.0, 1.0]], higher_is_better=False)
    assert turned.rank.tolist() == [2, 1]
    equal = rank_stability([0.0, 0.0], random.normal(0, 1, (4000, 2)))
    assert (equal.rank.tolist(), equal.low.tolist(), equal.high.tolist()) == (
        [1, 1],
        [1, 1],
        [2, 2],
    )


def test_resamples_without_a_value_rank_nobody() -> None:
    assert rank_stability([2.0, 1.0], [[2.0, 1.0], [math.nan, 1.0]]).high.tolist() == [1, 2]
    none = rank_stability([2.0, 1.0], [[math.nan, 1.0]])
    assert (none.low.tolist(), none.high.tolist()) == ([1, 1], [2, 2])


def test_strengths_equal_choix() -> None:
    """choix.ilsr_pairwise(alpha=0), 0.4.1."""
    wins = [[0, 6, 5, 3, 3], [1, 0, 1, 2, 7], [6, 8, 0, 5, 8], [6, 6, 5, 0, 8], [3, 7, 6, 1, 0]]
    wanted = [0.14644358841670777, -0.8273471859987905, 0.3892430899938564, 0.7194646285719103,
              -0.42780412098368403]  # fmt: skip
    np.testing.assert_allclose(strengths([wins])[0], wanted, atol=1e-8)


def test_intervals_of_strengths_hold_the_truth_and_few_samples_have_none() -> None:
    random = np.random.default_rng(2)
    truth = np.array([0.6, 0.0, -0.6])
    chance = 1 / (1 + np.exp(truth[None, :] - truth[:, None]))
    held = 0
    for _ in range(40):
        won = random.random((80, 3, 3)) < chance
        wins = np.triu(won, 1) + np.tril(~np.swapaxes(won, 1, 2), -1)
        found = bradley_terry(wins, resamples=300)
        held += int(found.low[0] <= truth[0] <= found.high[0])
    assert held >= 34
    few = bradley_terry(np.array([[[0.0, 3.0], [2.0, 0.0]]] * 5))
    assert np.isnan(few.low).all()
    assert np.isfinite(few.strength).all()
