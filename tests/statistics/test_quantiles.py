"""Student's t: numbers of SciPy 1.17, frozen."""

from __future__ import annotations

import numpy as np
import pytest

from editgauge.statistics.quantiles import student


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


def test_student_quantiles_of_many_degrees_at_once_keep_their_shape() -> None:
    found = student(0.975, [[1.0, 3.0], [10.0, 3.0]])
    wanted = [[12.706204736174694, 3.1824463052837078], [2.228138851986274, 3.1824463052837078]]
    assert found == pytest.approx(np.array(wanted), rel=1e-7)
