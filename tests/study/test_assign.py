"""Who sees what: even loads, even places, nobody twice."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import msgspec
import pytest

from editgauge.errors import UsageError
from editgauge.study.assign import DONE, TASK, answered, assign, missing, next_task, progress, start
from editgauge.study.design import Draw
from editgauge.web.log import Log
from tests.study.test_design import made

EDITORS = tuple("abcde")
OUTPUTS = {f"s{k:03}": list(EDITORS) for k in range(60)}
replace = msgspec.structs.replace
DESIGN = replace(made(), editors=list(EDITORS), samples=Draw(ids=list(OUTPUTS)[:50]))


@pytest.mark.parametrize(("each", "annotators"), [(2, 2), (2, 3), (3, 7), (3, 12)])
def test_loads_differ_by_one_at_most_and_every_sample_has_its_annotators(
    annotators: int, each: int
) -> None:
    with pytest.raises(UsageError, match=f"{each} annotators are to rate each sample, found 1"):
        assign(replace(DESIGN, annotators_per_sample=each), OUTPUTS, 1)
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


def test_pairs_are_compared_each_by_each() -> None:
    few = replace(
        DESIGN, mode="pairwise", editors=["a", "b", "c"], samples=Draw(ids=["s000", "s001"])
    )
    tasks = assign(few, OUTPUTS, 2)
    assert Counter((t.sample, frozenset(t.editors)) for t in tasks) == {
        (sample, frozenset(pair)): 2 for sample in few.drawn for pair in ("ab", "ac", "bc")
    }


SMALL = replace(DESIGN, samples=Draw(ids=list(OUTPUTS)[:6]))
NAMES = ["ann", "ben", "cy"]


def finish(log: Log, who: str, most: int = 100) -> None:
    """Answer what is theirs, and what they take over."""
    for number in range(most):
        if (task := next_task(log, who, return_after=3600.0)) is not None:
            nonce = f"nonce-{who}-{number}-{task.id}"
            answered(log, task, who, {"answers": {"EA": [1] * 5}}, 1.0, nonce)


def test_who_is_finished_takes_over_from_who_is_revoked_or_absent(tmp_path: Path) -> None:
    path = tmp_path / "study" / "first.sqlite"
    tokens = start(path, SMALL, NAMES, assign(SMALL, OUTPUTS, 3))
    with Log(path) as log:
        assert [person and person.name for person in map(log.find, tokens)] == NAMES
        finish(log, "ann", most=1)
        log.revoke("ann")
        for who in ("ben", "cy", "ben", "cy"):
            finish(log, who)
        rated = [(item.data["sample"], item.owner) for item in log.all(TASK, state=DONE)]
        assert len(set(rated)) == len(rated) == 12, "nobody rates a sample twice"
        (ann, *_) = progress(log)
        assert (missing(log), ann["revoked"], ann["done"], ann["of"]) == (0, True, 1, 1)
