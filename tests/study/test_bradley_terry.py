"""Bradley-Terry strengths: two editors by hand, a reference, intervals over samples."""

from __future__ import annotations

import math

import numpy as np
import pytest

from editgauge.study.statistics.bradley_terry import bradley_terry, connected, strengths


def test_two_editors_by_hand() -> None:
    # 3 wins to 1: odds 3, so the strengths are ±ln(3)/2
    found = strengths([[0, 3], [1, 0]])
    np.testing.assert_allclose(found, [math.log(3) / 2, -math.log(3) / 2], atol=1e-9)


def test_a_tie_is_half_a_win_for_each() -> None:
    np.testing.assert_allclose(
        strengths([[0, 2.5], [1.5, 0]])[0], math.log(2.5 / 1.5) / 2, atol=1e-9
    )


def test_against_the_reference() -> None:
    choix = pytest.importorskip("choix", reason="only compared in development")
    wins = np.random.default_rng(0).integers(1, 9, (5, 5))
    np.fill_diagonal(wins, 0)
    data = [(i, j) for i in range(5) for j in range(5) for _ in range(wins[i, j])]
    wanted = choix.ilsr_pairwise(5, data, alpha=0)
    np.testing.assert_allclose(strengths(wins), wanted, atol=1e-6)


def test_the_likelihood_has_its_top_there() -> None:
    wins = np.random.default_rng(1).integers(1, 9, (4, 4)).astype(float)
    np.fill_diagonal(wins, 0)
    found = strengths(wins)
    chance = 1 / (1 + np.exp(found[None, :] - found[:, None]))
    both = wins + wins.T
    np.testing.assert_allclose((wins - both * chance).sum(axis=1), 0, atol=1e-6)


def test_who_never_lost_has_no_strength() -> None:
    wins = [[0, 3], [0, 0]]
    assert not connected(wins)
    assert np.isnan(strengths(wins)).all()
    found = bradley_terry(np.array([wins] * 5), resamples=100)
    assert np.isnan(found.strength).all()
    assert np.isnan(found.low).all()


def test_intervals_hold_the_truth() -> None:
    """40 simulated studies of three editors: the 95 % interval of the best holds its strength."""
    random = np.random.default_rng(2)
    truth = np.array([0.6, 0.0, -0.6])
    chance = 1 / (1 + np.exp(truth[None, :] - truth[:, None]))
    held = 0
    for seed in range(40):
        won = random.random((80, 3, 3)) < chance
        wins = np.triu(won, 1) + np.tril(~np.swapaxes(won, 1, 2), -1)
        found = bradley_terry(wins, resamples=300, seed=seed)
        held += int(found.low[0] <= truth[0] <= found.high[0])
    assert held >= 34
