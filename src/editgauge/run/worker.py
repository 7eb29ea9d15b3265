"""What a worker does: score a batch of outputs and hand back their rows. It writes nothing."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from editgauge import machine
from editgauge.errors import EditgaugeError, ImageError, MissingExtra, RunError
from editgauge.images import fingerprint
from editgauge.networks.runtime import gpu_in_use
from editgauge.run.plan import Item, Task, make_rows
from editgauge.scoring.scorer import Scorer
from editgauge.store import variants
from editgauge.store.paths import portable, without_roots
from editgauge.types import Row, Score, Status, not_scored


class Counts(NamedTuple):
    """What came of a batch: the rows, seconds of processor time and outputs with a score by scorer,
    the outputs that are not what their records say (these have no rows), and the seconds for which
    each scorer held a GPU.
    """

    rows: list[Row]
    seconds: Counter[str]
    outputs: Counter[str]
    changed: tuple[Path, ...]
    gpu_seconds: Counter[str]

    def add(self, item: Item, rows: Sequence[Row]) -> None:
        """One scorer's rows of an item."""
        self.rows.extend(rows)
        if any(row.status is Status.SCORED for row in rows):
            self.outputs[rows[0].scorer] += max(1, len(item.pairs))


@dataclass(frozen=True, slots=True)
class Told:
    """What a worker is told once. `cut`: folders whose names are cut out of reasons."""

    benchmark: str
    scorers: list[Scorer]
    origins: list[dict[str, Any]]
    cut: tuple[str, ...]
    run: Path


_told: Told | None = None


def start(told: Told) -> None:
    """Prepare a worker process (or this one): what a scorer's `begin` raises ends the call."""
    global _told  # noqa: PLW0603 - a worker process is one worker
    from editgauge.native import tune_worker

    tune_worker()
    for scorer in told.scorers:
        scorer.begin()
    _told = told


def work(batch: Sequence[Item]) -> Counts:
    """Score a batch."""
    assert _told is not None
    changed = tuple(item.edit.path for item in batch if item.edit.path and _changed(item))
    batch = [item for item in batch if item.edit.path not in changed]
    counts = Counts([], Counter(), Counter(), changed, Counter())
    wanted = [task.scorer for item in batch for task in item.tasks]
    many = sorted({index for index in wanted if _told.scorers[index].batch > 1})
    for index in many:
        _score_many(index, [i for i in batch if any(t.scorer == index for t in i.tasks)], counts)
    for item in batch:
        for task in item.tasks:
            if task.scorer in many:
                continue
            scorer = _told.scorers[task.scorer]
            began = time.process_time()
            scores = _guarded(scorer, item)
            counts.seconds[scorer.name] += time.process_time() - began  # type: ignore[assignment]
            counts.add(item, _rows(item, task, scores))
    return counts


def _changed(item: Item) -> bool:
    """Whether the output's bytes are others than its record says, although its size and time, by
    which hashes are remembered, are not: a flipped bit, or a file put there with an old time.
    """
    if not item.picture_hash or item.edit.path is None:
        return False
    try:
        return fingerprint(item.edit.path) != item.picture_hash
    except ImageError:
        return False  # gone, or no rights: what reads it says so


def _score_many(index: int, items: Sequence[Item], counts: Counts) -> None:
    assert _told is not None
    scorer = _told.scorers[index]
    scored = _stream(scorer, items)
    while True:
        began, clock = time.process_time(), time.perf_counter()
        one = next(scored, None)
        counts.seconds[scorer.name] += time.process_time() - began  # type: ignore[assignment]
        if gpu_in_use():
            counts.gpu_seconds[scorer.name] += time.perf_counter() - clock  # type: ignore[assignment]
        if one is None:
            return
        item, scores = one
        task = next(task for task in item.tasks if task.scorer == index)
        counts.add(item, _rows(item, task, scores))


def _stream(scorer: Scorer, items: Sequence[Item]) -> Iterator[tuple[Item, Sequence[Score]]]:
    """The items with their scores as they come; those of which none came are scored alone."""
    left = dict(enumerate(items))
    try:
        for number, scores in scorer.score_many([(item.sample, item.edit) for item in items]):
            yield left.pop(number), scores
    except RunError:
        raise
    except Exception:  # one bad picture must not cost the batch
        pass
    for item in left.values():
        yield item, _guarded(scorer, item)


def _rows(item: Item, task: Task, scores: Sequence[Score]) -> list[Row]:
    assert _told is not None
    scorer = _told.scorers[task.scorer]
    why = _unlike_promised(scorer, scores)
    if why:
        scores = not_scored(scorer.metrics, Status.FAILED, f"{scorer.name}: {why}")
    sample = "*" if item.pairs else item.sample.id
    clean = [_portable(score) for score in scores]
    if (asked := variants.row_detail(item.edit.settings)) and not item.pairs:
        clean = [replace(s, detail={**s.detail, **asked}) for s in clean]
    place = (sample, item.edit.editor)
    return make_rows(_told.benchmark, place, scorer, _told.origins[task.scorer], task, clean)


def _unlike_promised(scorer: Scorer, scores: object) -> str:
    """What is wrong with a scorer's answer, which may come from another package; empty when it is
    one storable score for each metric and variant.
    """
    if not isinstance(scores, list | tuple) or not all(isinstance(s, Score) for s in scores):
        return f"wanted a list of scores, found {type(scores).__name__}"
    promised = {(metric.name, variant) for metric in scorer.metrics for variant in metric.variants}
    given = [(score.metric, score.variant) for score in scores]
    if set(given) != promised or len(given) != len(promised):
        return f"promised {sorted(promised)} and gave {sorted(given, key=repr)}"
    for score in scores:
        if not isinstance(score.status, Status) or not isinstance(score.reason, str):
            return f"{score.metric}: wanted a Status and a text, found {score.status!r}"
        if not isinstance(score.detail, Mapping):
            return f"{score.metric}: wanted a mapping as detail, found {score.detail!r}"
    return ""


def _guarded(scorer: Scorer, item: Item) -> Sequence[Score]:
    """Call a scorer; what it raises becomes a status and a reason."""
    try:
        if item.pairs:
            return scorer.score_set(item.pairs)
        return scorer.score(item.sample, item.edit)
    except RunError:
        raise
    except ImageError as error:
        _not_the_machine(error)
        ours = error.path is not None and error.path != item.edit.path
        status = Status.DATASET_FAULT if ours else Status.UNREADABLE
        return not_scored(scorer.metrics, status, str(error))
    except (EditgaugeError, MissingExtra) as error:
        _not_the_machine(error)
        return not_scored(scorer.metrics, Status.FAILED, str(error))
    except Exception as error:  # whatever a scorer throws ends as a row that says so
        _not_the_machine(error)
        return not_scored(scorer.metrics, Status.FAILED, f"{type(error).__name__}: {error}")


def _not_the_machine(error: Exception) -> None:
    """Raise `RunError` for a full disk and its like: that is no output's failure."""
    assert _told is not None
    machine.raise_fault(error, _told.run)


def _portable(score: Score) -> Score:
    """A score without absolute paths, whoever wrote its reason: rows are read on other machines."""
    assert _told is not None
    if not score.reason and not score.detail:
        return score
    reason = portable(score.reason, _told.cut)
    return replace(score, reason=reason, detail=without_roots(score.detail, _told.cut))
