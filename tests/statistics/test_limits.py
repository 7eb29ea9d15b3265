"""Limits that all intervals share, by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from editgauge.statistics.limits import (
    constant_limits,
    effective_size,
    is_two_valued,
    satterthwaite,
    share_interval,
    share_limits,
    student_limits,
    two_valued_limits,
)


@pytest.mark.parametrize(("hits", "n"), [(0, 10), (3, 10), (10, 10), (599, 1196)])
def test_the_interval_of_one_share_is_agresti_and_coulls(hits: int, n: int) -> None:
    """z squared divided by 2 answers of either kind are added: 1.92 to the hits, 3.84 to n."""
    z = 1.959963984540054
    share = (hits + z**2 / 2) / (n + z**2)
    half_width = z * math.sqrt(share * (1 - share) / (n + z**2))
    wanted = (max(0.0, share - half_width), min(1.0, share + half_width))
    assert share_interval(hits / n, n) == pytest.approx(wanted, rel=1e-9)


def test_a_weighted_share_lies_within_its_limits() -> None:
    """Strata of 900 and 100: 5 of 10 and 20 of 20 said yes; pooled they said 25 of 30."""
    limits = share_limits([0.5, 1.0], [10, 20], [0.9, 0.1])
    assert limits.low < 0.55 < limits.high
    random = np.random.default_rng(0)
    for _ in range(200):
        weights = random.dirichlet(np.ones(4))
        sizes = random.integers(2, 30, 4)
        shares = random.binomial(sizes, random.random(4)) / sizes
        limits = share_limits(shares, sizes, weights)
        assert 0 <= limits.low <= shares @ weights <= limits.high <= 1


def test_answers_of_which_all_are_known_have_no_uncertainty() -> None:
    answers = [1.0, 5.0, 5.0, 1.0]
    assert is_two_valued(answers, (1.0, 5.0))
    known = two_valued_limits([3.0], [effective_size(4, 4)], [1.0], (1.0, 5.0))
    assert (known.low, known.high) == (3.0, 3.0)
    wide = two_valued_limits([3.0], [effective_size(4, 500)], [1.0], (1.0, 5.0))
    endless = two_valued_limits([3.0], [4], [1.0], (1.0, 5.0))
    assert wide.low == pytest.approx(endless.low, abs=0.02)


def test_five_throughout_does_not_show_a_scale_of_two_steps() -> None:
    assert not is_two_valued([5.0, 5.0], (1.0, 5.0))
    assert is_two_valued([1.0, 1.0], (0.0, 1.0))
    assert not is_two_valued([0.0, 0.5, 1.0], (0.0, 1.0))
    assert not is_two_valued([], (0.0, 1.0))


def test_constant_values_may_differ_elsewhere_by_the_limit_of_none() -> None:
    u = share_interval(0.0, 20)[1]
    limits = constant_limits(5.0, [20], [1.0], (1.0, 5.0))
    assert (limits.low, limits.high) == pytest.approx((5 - 4 * u, 5.0))
    assert math.isnan(constant_limits(5.0, [20], [1.0], (0.0, math.inf)).low)


def test_degrees_of_freedom_of_strata_by_hand() -> None:
    # (1 + 3)^2 / (1 / 4 + 9 / 9) = 12.8
    assert satterthwaite([1.0, 3.0], [4, 9]) == pytest.approx(12.8)
    assert satterthwaite([1.0, 0.0], [4, 9]) == pytest.approx(4)


def test_a_skewed_statistic_has_a_longer_tail_on_one_side() -> None:
    plain = student_limits(0.0, 1.0, 9)
    skewed = student_limits(0.0, 1.0, 9, third_moment=0.3)
    assert skewed.low == plain.low
    # 0.3 times the factor 1 + 40/10 and (1/6 + q^2/3), q = 2.262157
    assert skewed.high - plain.high == pytest.approx(0.3 * 5 * (1 / 6 + 2.2621571628**2 / 3))
