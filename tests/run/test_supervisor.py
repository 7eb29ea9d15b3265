"""The supervisor: whose fault a worker's death is, told by a play of workers that keep to a script."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from editgauge.run import supervisor
from editgauge.run.supervisor import DEATHS_ALONE, EXCUSED, Batch, Done, Said, Supervisor, Worker

KILLED = "the worker died on this picture: killed by signal 9, perhaps out of memory"


@dataclass
class Play:
    """A force whose workers answer at once. An item of `poison` kills each worker that takes it;
    `alone` tells how often each other item is killed from outside while it is done by itself.
    """

    most: int = 2
    poison: frozenset[int] = frozenset()
    alone: Counter[int] = field(default_factory=Counter)
    batches: int = 0
    """So many batches of several items are killed from outside."""
    idle: int = 0
    """So many workers die before they have a batch."""
    given: list[tuple[int, ...]] = field(default_factory=list)
    busy: int = 0
    together: int = 0
    """How many other workers had work when a doubtful item was done, at most."""

    def hire(self) -> Worker[int]:
        return Actor(self)

    def wait(self, workers: Sequence[Worker[int]], seconds: float) -> None:
        """Everything is said at once."""

    def dismiss(self, workers: Sequence[Worker[int]]) -> None:
        """They need no goodbye."""

    def says(self, items: Sequence[int]) -> Said:
        self.given.append(tuple(items))
        dead = bool(self.poison.intersection(items))
        if not dead and len(items) > 1 and self.batches:
            self.batches -= 1
            dead = True
        if not dead and len(items) == 1 and self.alone[items[0]]:
            self.alone[items[0]] -= 1
            dead = True
        return Said("dead", KILLED) if dead else Said("result", [item * item for item in items])


@dataclass(eq=False)
class Actor:
    play: Play
    ready: bool = True
    batch: Batch[int] | None = None
    deadline: float = float("inf")

    def give(self, batch: Batch[int], seconds: float) -> None:
        self.batch = batch
        self.play.busy += 1
        if batch.deaths >= DEATHS_ALONE:
            self.play.together = max(self.play.together, self.play.busy - 1)

    def listen(self) -> Said | None:
        if self.batch is None:
            if self.play.idle:
                self.play.idle -= 1
                return Said("dead", KILLED)
            return None
        self.play.busy -= 1
        return self.play.says(self.batch.items)

    def has_news(self) -> bool:
        return self.batch is not None

    def end(self) -> None:
        """It holds nothing."""


def outcomes(play: Play, batches: Sequence[Sequence[int]]) -> list[Done[int, list[int]]]:
    one: Supervisor[int, list[int]] = Supervisor(
        play, iter(batches), unfinished=lambda items: items, seconds_an_item=60.0
    )
    return list(one.outcomes())


def split(done: Sequence[Done[int, list[int]]]) -> tuple[list[int], dict[int, str]]:
    results = sorted(value for one in done for value in one.result or ())
    return results, {item: one.died for one in done if one.died for item in one.items}


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "_PAUSE", 0.0)


FIVES = [list(range(start, start + 5)) for start in range(0, 50, 5)]
SQUARES = [number * number for number in range(50)]


def test_without_other_deaths_two_are_enough() -> None:
    """A poisonous item in a batch: the batch's worker, and two that had nothing else."""
    play = Play(poison=frozenset({17}))
    results, died = split(outcomes(play, FIVES))
    assert died == {17: KILLED}
    assert results == [value for value in SQUARES if value != 17 * 17]
    assert play.given.count((17,)) == DEATHS_ALONE


def test_an_item_that_is_hit_twice_by_chance_is_done_again() -> None:
    """Others were hit as well and then had results: somebody kills workers from outside."""
    play = Play(batches=3, alone=Counter({1: 2, 7: 1, 12: 1}))
    results, died = split(outcomes(play, FIVES))
    assert died == {}
    assert results == SQUARES
    assert play.together == 0, "what is in doubt is done while nothing else runs"


@pytest.mark.parametrize("play", [Play(batches=1), Play(idle=1), Play(alone=Counter({40: 1}))])
def test_whatever_shows_kills_from_outside_counts(play: Play) -> None:
    """A killed batch whose items all have results, an idle worker, another item alone."""
    play.alone[44] = DEATHS_ALONE
    single = [[number] for number in range(40, 50)]
    results, died = split(outcomes(play, [*FIVES[:8], *single]))
    assert (results, died) == (SQUARES, {})


def test_a_poisonous_item_among_kills_is_failed_and_no_other() -> None:
    play = Play(poison=frozenset({17}), batches=4, alone=Counter({1: 2, 7: 3, 30: 1, 41: 1}))
    results, died = split(outcomes(play, FIVES))
    assert died == {17: KILLED}
    assert results == [value for value in SQUARES if value != 17 * 17]
    assert DEATHS_ALONE < play.given.count((17,)) <= DEATHS_ALONE + EXCUSED


def test_many_poisonous_items_end_in_bounded_time() -> None:
    """Once so many doubtful items in a row have died in quiet, the rest is not tried again."""
    number = 200
    play = Play(poison=frozenset(range(number)), idle=9)
    results, died = split(outcomes(play, [[item] for item in range(number + 20)]))
    assert len(died) == number
    assert len(results) == 20
    assert len(play.given) <= number * DEATHS_ALONE + 20 + supervisor.QUIET_DEATHS


def test_doubtful_items_behind_poisonous_ones_are_reached() -> None:
    """Every doubtful item has its first quiet turn before any has its second."""
    poison = frozenset(range(5))
    play = Play(poison=poison, alone=Counter({9: 2, 11: 1}), idle=8)
    results, died = split(outcomes(play, [[item] for item in range(12)]))
    assert set(died) == poison
    assert len(results) == 7
