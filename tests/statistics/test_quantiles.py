"""Student's t and Wilson's interval: numbers of SciPy 1.17 and statsmodels 0.15, frozen."""

from __future__ import annotations

import pytest

from editgauge.statistics.quantiles import is_yes_or_no, student, two_valued_limits, wilson


@pytest.mark.parametrize(
    ("share", "degrees", "value"),
    [
        (0.975, 1, 12.706204736174694),
        (0.975, 2, 4.302652729749462),
        (0.975, 3, 3.1824463052837078),
        (0.975, 4.5, 2.6589123472044034),
        (0.975, 10, 2.228138851986274),
        (0.975, 1195, 1.9619511267530556),
        (0.9, 1.3, 2.425947410787918),
        (0.025, 7, -2.3646242515927844),
        (0.9999, 3, 22.203742273205),
        (0.975, 1e7, 1.959963984540054),
    ],
)
def test_student_quantile_equals_scipy(share: float, degrees: float, value: float) -> None:
    assert student(share, degrees) == pytest.approx(value, rel=1e-7)


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    [
        (0, 10, 0.0, 0.27753279986288926),
        (3, 10, 0.10779126740630104, 0.6032218525388546),
        (10, 10, 0.7224672001371106, 1.0),
        (599, 1196, 0.47254197055865355, 0.5291249163331913),
    ],
)
def test_wilson_interval_equals_statsmodels(hits: int, n: int, low: float, high: float) -> None:
    assert wilson(hits / n, n) == pytest.approx((low, high), abs=1e-12)


def test_wilson_interval_shrinks_to_the_mean_when_all_are_rated() -> None:
    answers = [1.0, 5.0, 5.0, 1.0]
    assert is_yes_or_no(answers, 1, 5)
    assert two_valued_limits(answers, 1, 5, size=4) == (3.0, 3.0)
    first, second = (two_valued_limits(answers, 1, 5, size=size) for size in (5, 500))
    endless = two_valued_limits(answers, 1, 5)
    assert first[1] - first[0] < second[1] - second[0] < endless[1] - endless[0]
    assert second == pytest.approx(endless, abs=0.01)
