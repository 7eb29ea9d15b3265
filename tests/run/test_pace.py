"""Batches are joined by what was measured."""

from __future__ import annotations

from collections.abc import Iterator

from editgauge.run import pace
from editgauge.run.pace import Pace


def singles(number: int) -> Iterator[list[int]]:
    return iter([n] for n in range(number))


def test_short_ones_are_joined_until_they_last_long_enough() -> None:
    """10 ms each, half a second wanted: four times as many each time, never over 50."""
    joined = Pace(singles(200), 0.5)
    sizes, seen = [], []
    for batch in joined:
        sizes.append(len(batch))
        seen += batch
        joined.took(len(batch), 0.01 * len(batch))
    assert sizes[:5] == [1, 4, 16, 50, 50]
    assert max(sizes) == 50
    assert seen == list(range(200)), "every item once, in order"


def test_long_ones_stay_and_nothing_is_joined_before_the_first_has_ended() -> None:
    joined = Pace(iter([[1, 2], [3, 4], [5, 6]]), 0.5)
    assert next(joined) == [1, 2]
    assert next(joined) == [3, 4]
    joined.took(2, 1.0)
    assert next(joined) == [5, 6]
    assert next(joined, None) is None


def test_they_grow_shorter_again() -> None:
    joined = Pace(singles(100), 1.0)
    joined.took(1, 0.01)
    assert len(next(joined)) == 1, "four times the longest of none: one"
    assert len(next(joined)) == 4
    joined.took(4, 4 * 2.0)
    assert len(next(joined)) == 1


def test_no_more_are_joined_than_are_held_or_drawn() -> None:
    joined = Pace(singles(100_000), 1.0)
    sizes = []
    for batch in joined:
        sizes.append(len(batch))
        joined.took(len(batch), 0.0)
    assert max(sizes) == pace.MOST
