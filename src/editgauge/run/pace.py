"""Batches joined until one lasts long enough to be worth handing over.

What a worker and this process tell each other costs the same for a batch of a millisecond as for
one of a minute, and a network's pictures are read ahead within a batch only. How long an item takes
is not known before; it is measured by the workers, and what is joined next follows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Generic

from editgauge.run.supervisor import Item

MOST = 1024
"""Items of a joined batch: its results are held in memory until it ends."""
_GROWTH = 4
"""How many times longer than the longest before: the first items may be the quick ones."""


class Pace(Generic[Item]):
    """Batches, joined until they last `seconds` each; those that do already stay as they are.

    The same items in the same order; batches are drawn as they are asked for.
    """

    def __init__(self, batches: Iterator[Sequence[Item]], seconds: float) -> None:
        self._batches = batches
        self._seconds = seconds
        self._each: float | None = None
        self._longest = 0

    def __iter__(self) -> Iterator[Sequence[Item]]:
        return self

    def __next__(self) -> Sequence[Item]:
        items = list(next(self._batches))
        step = len(items)
        while len(items) + step <= self._wanted():
            more = next(self._batches, None)
            if more is None:
                break
            items += more
        self._longest = max(self._longest, len(items))
        return items

    def took(self, items: int, seconds: float) -> None:
        """So many items took a worker so long. Half of what is believed is what was believed
        before: one slow item does not tell of the next.
        """
        each = seconds / items
        self._each = each if self._each is None else (self._each + each) / 2

    def _wanted(self) -> float:
        if self._each is None:
            return 0.0
        by_time = self._seconds / self._each if self._each else float("inf")
        return min(by_time, _GROWTH * self._longest, MOST)
