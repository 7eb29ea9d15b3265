"""Who sees what: even loads, even places, nobody twice."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from editgauge.errors import UsageError
from editgauge.study.assignment import assign
from tests.study.test_design import made

EDITORS = tuple("abcde")
OUTPUTS = {f"s{k:03}": list(EDITORS) for k in range(60)}
DESIGN = replace(made(), editors=EDITORS, samples=tuple(list(OUTPUTS)[:50]))


@pytest.mark.parametrize("annotators", [2, 3, 7, 12])
@pytest.mark.parametrize("each", [2, 3])
def test_loads_differ_by_one_at_most_and_every_sample_has_its_annotators(
    annotators: int, each: int
) -> None:
    if each > annotators:
        with pytest.raises(UsageError, match="3 annotators are to rate each sample, found 2"):
            assign(replace(DESIGN, annotators_per_sample=each), OUTPUTS, annotators)
        return
    tasks = assign(replace(DESIGN, annotators_per_sample=each), OUTPUTS, annotators)
    loads = Counter(task.annotator for task in tasks)
    assert max(loads.values()) - min(loads.values()) <= 1
    assert len({(task.sample, task.annotator) for task in tasks}) == len(tasks)
    assert set(Counter(task.sample for task in tasks).values()) == {each}


def test_places_are_even() -> None:
    tasks = assign(DESIGN, OUTPUTS, 3)
    counts = Counter((editor, place) for t in tasks for place, editor in enumerate(t.editors))
    fair = len(tasks) / len(EDITORS)
    assert max(abs(count - fair) for count in counts.values()) <= 0.05 * fair
    orders = {(task.sample, task.annotator): task.editors for task in tasks}
    assert len(set(orders.values())) > 20, "orders differ from sample to sample"


def test_an_assignment_is_seeded() -> None:
    assert assign(DESIGN, OUTPUTS, 3) == assign(DESIGN, OUTPUTS, 3)
    assert assign(DESIGN, OUTPUTS, 3) != assign(replace(DESIGN, seed=9), OUTPUTS, 3)


def test_pairs_are_compared_each_by_each() -> None:
    few = replace(DESIGN, mode="pairwise", editors=("a", "b", "c"), samples=("s000", "s001"))
    tasks = assign(few, OUTPUTS, 2)
    assert Counter((t.sample, frozenset(t.editors)) for t in tasks) == {
        (sample, frozenset(pair)): 2 for sample in few.samples for pair in ("ab", "ac", "bc")
    }


def test_training_checks_and_repeats_have_their_turn() -> None:
    whole = replace(DESIGN, training=("s055",), check_every=10, repeat_share=0.1)
    mine = [task for task in assign(whole, OUTPUTS, 2) if task.annotator == 0]
    kinds = [task.kind for task in mine]
    assert kinds[0] == "training"
    assert kinds.count("sample") == 50
    assert kinds.count("check") == 5
    assert kinds[-5:] == ["repeat"] * 5
    first = {task.sample: task.place for task in mine if task.kind == "sample"}
    assert all(task.repeat == 1 and first[task.sample] < 12 for task in mine[-5:])
    assert [task.place for task in mine] == list(range(len(mine)))
