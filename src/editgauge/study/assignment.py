"""Who sees which sample, in which order, and which output stands where. Pure and seeded.

Every sample goes to as many annotators as the design says, always to those with the fewest so far:
loads differ by one at most. The outputs' order is a rotation of a random order, in blocks in which
every output stands once at every place: places are even, and no two annotators see one order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np

from editgauge.errors import UsageError
from editgauge.study.design import Design

Kind = Literal["training", "sample", "repeat", "check"]


class Task(NamedTuple):
    """One thing for one annotator to do. `annotator` counts from 0, `place` is its turn; `editors`
    are in the order in which they are shown.
    """

    annotator: int
    place: int
    kind: Kind
    sample: str
    editors: tuple[str, ...]
    repeat: int = 0


class Unit(NamedTuple):
    """What is rated as a whole: a sample's outputs, or a pair of them."""

    sample: str
    editors: tuple[str, ...]


def units(design: Design, outputs: Mapping[str, Sequence[str]], sample: str) -> list[Unit]:
    """The units of a sample: one, or each pair of editors in mode pairwise."""
    shown = tuple(editor for editor in design.editors if editor in outputs[sample])
    if design.mode != "pairwise":
        return [Unit(sample, shown)]
    return [Unit(sample, pair) for pair in combinations(shown, 2)]


def assign(design: Design, outputs: Mapping[str, Sequence[str]], annotators: int) -> list[Task]:
    """The tasks of every annotator, by annotator and place. Raises `UsageError` for too few
    annotators.
    """
    if annotators < design.annotators_per_sample:
        raise UsageError(
            f"{design.annotators_per_sample} annotators are to rate each sample, found "
            f"{annotators}: invite more, or lower annotators_per_sample"
        )
    random = np.random.default_rng([design.seed, 1])
    every = [unit for sample in design.samples for unit in units(design, outputs, sample)]
    mine: list[list[Unit]] = [[] for _ in range(annotators)]
    for number in random.permutation(len(every)).tolist():
        loads = np.array([len(done) for done in mine]) + random.random(annotators) * 0.5
        for who in np.argsort(loads)[: design.annotators_per_sample].tolist():
            mine[who].append(every[number])
    orders = Orders(random)
    tasks: list[Task] = []
    for who, chosen in enumerate(mine):
        for place, (kind, unit, repeat) in enumerate(_sequence(design, outputs, chosen, random)):
            tasks.append(Task(who, place, kind, unit.sample, orders.next(unit.editors), repeat))
    return tasks


def _sequence(
    design: Design,
    outputs: Mapping[str, Sequence[str]],
    chosen: Sequence[Unit],
    random: np.random.Generator,
) -> Iterator[tuple[Kind, Unit, int]]:
    """Training, then samples with checks among them, then the samples that come again."""
    for sample in design.training:
        yield "training", units(design, outputs, sample)[0], 0
    order = [chosen[k] for k in random.permutation(len(chosen)).tolist()]
    for number, unit in enumerate(order, start=1):
        yield "sample", unit, 0
        if design.check_every and number % design.check_every == 0:
            yield "check", order[int(random.integers(len(order)))], 0
    count = round(design.repeat_share * len(order))
    # the earliest come again, so that they are not remembered
    for k in random.permutation(count).tolist():
        yield "repeat", order[k], 1


class Orders:
    """Orders of outputs: of every block of m for one set of m editors, each editor stands once at
    each place.
    """

    def __init__(self, random: np.random.Generator) -> None:
        self._random = random
        self._blocks: dict[tuple[str, ...], list[tuple[str, ...]]] = {}

    def next(self, editors: tuple[str, ...]) -> tuple[str, ...]:
        """The next order of these editors."""
        block = self._blocks.setdefault(editors, [])
        if not block:
            size = len(editors)
            base = [editors[k] for k in self._random.permutation(size).tolist()]
            for shift in self._random.permutation(size).tolist():
                block.append(tuple(base[(shift + k) % size] for k in range(size)))
        return block.pop()
