"""What a worker does: score a batch of outputs and hand back their rows. It writes nothing."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from editgauge import machine
from editgauge.errors import EditgaugeError, ImageError, RunError
from editgauge.images import fingerprint
from editgauge.networks.runtime import gpu_in_use
from editgauge.run.plan import Item, make_rows
from editgauge.scoring.failures import status_of
from editgauge.scoring.scorer import Scorer
from editgauge.store import variants
from editgauge.store.paths import portable, without_roots
from editgauge.types import Row, Score, Status, not_scored


@dataclass(slots=True)
class Scored:
    """What came of a batch: the rows; by scorer seconds of processor time, outputs with a score and
    seconds for which it held a GPU; and the outputs that are not what their records say (these have
    no rows).
    """

    rows: list[Row] = field(default_factory=list)
    seconds: Counter[str] = field(default_factory=Counter)
    outputs: Counter[str] = field(default_factory=Counter)
    gpu_seconds: Counter[str] = field(default_factory=Counter)
    changed: tuple[Path, ...] = ()


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


def work(batch: Sequence[Item]) -> Scored:
    """Score a batch."""
    assert _told is not None
    changed = tuple(item.edit.path for item in batch if item.edit.path and _changed(item))
    batch = [item for item in batch if item.edit.path not in changed]
    done = Scored(changed=changed)
    together = [n for n, scorer in enumerate(_told.scorers) if scorer.batch > 1]
    for number in together:
        items = [item for item in batch if any(task.scorer == number for task in item.tasks)]
        _timed(_told.scorers[number], number, _stream(_told.scorers[number], items), done)
    for item in batch:
        for number in (task.scorer for task in item.tasks if task.scorer not in together):
            scorer = _told.scorers[number]
            _timed(scorer, number, _alone(scorer, item), done)
    return done


def _timed(
    scorer: Scorer, number: int, scored: Iterator[tuple[Item, Sequence[Score]]], done: Scored
) -> None:
    """Take the scores of outputs as rows, and the time that each took."""
    while True:
        began, clock = time.process_time(), time.perf_counter()
        one = next(scored, None)
        done.seconds[scorer.name] += time.process_time() - began  # type: ignore[assignment]
        if scorer.batch > 1 and gpu_in_use():
            done.gpu_seconds[scorer.name] += time.perf_counter() - clock  # type: ignore[assignment]
        if one is None:
            return
        rows = _rows(number, *one)
        done.rows += rows
        if any(row.status is Status.SCORED for row in rows):
            done.outputs[scorer.name] += max(1, len(one[0].pairs))


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
        yield from _alone(scorer, item)


def _alone(scorer: Scorer, item: Item) -> Iterator[tuple[Item, Sequence[Score]]]:
    yield item, _guarded(scorer, item)


def _rows(number: int, item: Item, scores: Sequence[Score]) -> list[Row]:
    assert _told is not None
    scorer = _told.scorers[number]
    task = next(task for task in item.tasks if task.scorer == number)
    why = _unlike_promised(scorer, scores)
    if why:
        scores = not_scored(scorer.metrics, Status.FAILED, f"{scorer.name}: {why}")
    clean = [_portable(score) for score in scores]
    if (asked := variants.row_detail(item.edit.settings)) and not item.pairs:
        clean = [replace(s, detail={**s.detail, **asked}) for s in clean]
    return make_rows(_told.benchmark, item.place, scorer, _told.origins[number], task, clean)


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
    """Call a scorer; what it raises becomes a status and a reason. Raises `RunError` for a full
    disk and its like: that is no output's failure.
    """
    assert _told is not None
    try:
        if item.pairs:
            return scorer.score_set(item.pairs)
        return scorer.score(item.sample, item.edit)
    except RunError:
        raise
    except Exception as error:  # whatever a scorer throws ends as a row that says so
        machine.raise_fault(error, _told.run)
        status, reason = Status.FAILED, f"{type(error).__name__}: {error}"
        if isinstance(error, EditgaugeError):
            status, reason = status_of(error), str(error)
        if isinstance(error, ImageError):
            ours = error.path is not None and error.path != item.edit.path
            status = Status.DATASET_FAULT if ours else Status.UNREADABLE
        return not_scored(scorer.metrics, status, reason)


def _portable(score: Score) -> Score:
    """A score without absolute paths, whoever wrote its reason: rows are read on other machines."""
    assert _told is not None
    if not score.reason and not score.detail:
        return score
    reason = portable(score.reason, _told.cut)
    return replace(score, reason=reason, detail=without_roots(score.detail, _told.cut))
