"""The Fréchet distance against 60-digit arithmetic."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from editgauge.metrics.frechet import frechet_distance, moments


def drawn(count: int, features: int, seed: int) -> Any:
    random = np.random.default_rng(seed)
    return (
        random.standard_normal((count, features)) @ random.standard_normal((features, features))
        + random.normal()
    )


def exact(first: Any, second: Any) -> float:
    """The distance in 60 digits: eigenvalues of the product of the covariances."""
    mpmath = pytest.importorskip("mpmath", reason="the high-precision reference")
    with mpmath.workdps(60):

        def parts(x: Any) -> tuple[Any, Any]:
            rows = mpmath.matrix(x.tolist())
            n, d = rows.rows, rows.cols
            mean = [mpmath.fsum(rows[i, j] for i in range(n)) / n for j in range(d)]
            centred = mpmath.matrix(n, d)
            for i in range(n):
                for j in range(d):
                    centred[i, j] = rows[i, j] - mean[j]
            return mean, centred.T * centred / (n - 1)

        mean_a, cov_a = parts(first)
        mean_b, cov_b = parts(second)
        values = mpmath.eig(cov_a * cov_b, left=False, right=False)
        root = mpmath.fsum(mpmath.sqrt(max(mpmath.re(v), 0)) for v in values)
        gap = mpmath.fsum((a - b) ** 2 for a, b in zip(mean_a, mean_b, strict=True))
        trace = mpmath.fsum(cov_a[i, i] + cov_b[i, i] for i in range(cov_a.rows))
        return float(gap + trace - 2 * root)


@pytest.mark.parametrize(
    ("n", "m", "features"),
    [(30, 25, 6), (200, 150, 5), (4, 5, 8), (3, 40, 7), (2, 2, 6)],
    ids=["full rank", "many samples", "both deficient", "one deficient", "rank one"],
)
def test_equals_60_digit_arithmetic(n: int, m: int, features: int) -> None:
    a, b = drawn(n, features, 1), drawn(m, features, 2)
    assert frechet_distance(moments(a), moments(b)) == pytest.approx(exact(a, b), rel=1e-11)
