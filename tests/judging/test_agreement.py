"""Agreement by hand, and against scikit-learn's definition written out."""

from __future__ import annotations

import random

import pytest

from editgauge.judging.agreement import agreement, between, quadratic_kappa, spread


def table_kappa(first: list[int], second: list[int], low: int, high: int) -> float:
    """The textbook form: 1 - sum(w O) / sum(w E) over the table of counts, weights (i - j)^2."""
    size, n = high - low + 1, len(first)
    counts = [[0] * size for _ in range(size)]
    for a, b in zip(first, second, strict=True):
        counts[a - low][b - low] += 1
    rows = [sum(row) for row in counts]
    columns = [sum(row[j] for row in counts) for j in range(size)]
    cells = [(i, j) for i in range(size) for j in range(size)]
    observed = sum((i - j) ** 2 * counts[i][j] for i, j in cells)
    expected = sum((i - j) ** 2 * rows[i] * columns[j] / n for i, j in cells)
    return 1 - observed / expected


def test_kappa_is_the_textbooks() -> None:
    rng = random.Random(5)
    for _ in range(50):
        first = [rng.randint(1, 5) for _ in range(30)]
        second = [min(5, max(1, a + rng.choice([-1, 0, 0, 1]))) for a in first]
        assert quadratic_kappa(first, second) == pytest.approx(
            table_kappa(first, second, 1, 5), abs=1e-12
        )


def test_by_hand() -> None:
    """(1,2) (3,3) (5,4): squares 2/3 seen; expected 35/3 + 29/3 - 2*3*3 = 10/3; 1 - 0.2 = 0.8."""
    found = agreement([1, 3, 5, None], [2, 3, 4, 4])
    assert found.n == 3
    assert found.kappa == pytest.approx(0.8)
    assert found.mae == pytest.approx(2 / 3)
    assert found.bias == pytest.approx(0)
    assert found.equal == pytest.approx(1 / 3)


def test_limits() -> None:
    assert agreement([1, 2, 3], [1, 2, 3]).kappa == 1
    assert agreement([4, 4], [4, 4]).kappa is None
    assert agreement([None], [3]).n == 0
    assert agreement([1, 1], [2, 2]).bias == 1
    with pytest.raises(ValueError, match="same samples"):
        agreement([1], [1, 2])


def test_several_raters_and_repeats() -> None:
    found = between({"a": [1, 2], "b": [1, 3], "c": [2, 2]})
    assert list(found) == [("a", "b"), ("a", "c"), ("b", "c")]
    assert found["a", "b"].mae == 0.5
    assert spread([[1, 3, 2], [4, None], [None, 2, 2]]) == [2, None, 0]
