"""What a worker does: score a batch of outputs and hand back their rows. It writes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from editgauge import machine
from editgauge.errors import ImageError, RunError
from editgauge.images import fingerprint
from editgauge.scoring import failure
from editgauge.scoring.scorer import Scorer
from editgauge.store import variants
from editgauge.store.paths import portable, without_roots
from editgauge.types import Edit, JsonObject, Row, Sample, Score, Status, not_scored

Scores = Iterator[tuple["Item", Sequence[Score]]]


@dataclass(frozen=True, slots=True)
class Task:
    """One scorer on one output: the fingerprint of its rows, and which (metric, variant) lack."""

    scorer: int
    fingerprint: str
    wanted: frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Item:
    """One output and the scorers that have work on it. For a set scorer: one editor and all its
    pairs. `picture_hash`: of the output's bytes as its record has it; "" is not compared.
    """

    sample: Sample
    edit: Edit
    tasks: tuple[Task, ...]
    picture_hash: str = ""
    pairs: tuple[tuple[Sample, Edit], ...] = ()

    @property
    def place(self) -> tuple[str, str]:
        """Sample and editor of its rows."""
        return ("*" if self.pairs else self.sample.id, self.edit.editor)


@dataclass(frozen=True, slots=True)
class Told:
    """What a worker is told once. `origins`: what the rows of each scorer were made by; `cut`:
    folders whose names are cut out of reasons.
    """

    benchmark: str
    scorers: list[Scorer]
    origins: list[JsonObject]
    cut: tuple[str, ...]
    run: Path

    def rows(self, place: tuple[str, str], task: Task, scores: Iterable[Score]) -> list[Row]:
        """Scores of a `place` (sample, editor) as rows, those that are wanted."""
        scorer = self.scorers[task.scorer]
        return [
            Row(
                benchmark=self.benchmark,
                sample=place[0],
                editor=place[1],
                scorer=scorer.name,
                metric=score.metric,
                variant=score.variant,
                value=score.value,
                status=score.status,
                reason=score.reason,
                fingerprint=task.fingerprint,
                source=scorer.source,
                detail=score.detail,
                origin=self.origins[task.scorer],
            )
            for score in scores
            if (score.metric, score.variant) in task.wanted
        ]

    def without(self, place: tuple[str, str], task: Task, status: Status, why: str) -> list[Row]:
        """Rows that say why there is no score."""
        return self.rows(place, task, not_scored(self.scorers[task.scorer].metrics, status, why))


_told: Told | None = None


def start(told: Told) -> None:
    """Prepare a worker process (or this one): what a scorer's `begin` raises ends the call."""
    global _told  # noqa: PLW0603 - a worker process is one worker
    from editgauge.metrics.native import tune_worker

    tune_worker()
    for scorer in told.scorers:
        scorer.begin()
    _told = told


def work(batch: Sequence[Item]) -> tuple[list[Row], list[Path]]:
    """Score a batch: its rows, and the outputs that are not what their records say (no rows)."""
    told = _told
    assert told is not None
    changed = [item.edit.path for item in batch if item.edit.path and _changed(item)]
    batch = [item for item in batch if item.edit.path not in changed]
    rows = list[Row]()
    for number, scorer in enumerate(told.scorers):
        items = [item for item in batch if any(task.scorer == number for task in item.tasks)]
        if scorer.batch > 1 and items:
            for item, scores in _stream(told, scorer, items):
                rows += _rows(told, number, item, scores)
    for item in batch:  # all of an output's scorers together: its pictures are read once
        for number in (task.scorer for task in item.tasks):
            if told.scorers[number].batch == 1:
                for _, scores in _each(told, told.scorers[number], [item]):
                    rows += _rows(told, number, item, scores)
    return rows, changed


def _changed(item: Item) -> bool:
    """Whether the bytes changed under the same size and time: a flipped bit, or an old time set."""
    try:
        path, mark = item.edit.path, item.picture_hash
        return bool(mark and path is not None and fingerprint(path) != mark)
    except ImageError:
        return False  # gone, or no rights: what reads it says so


def _stream(told: Told, scorer: Scorer, items: Sequence[Item]) -> Scores:
    """The items with their scores as they come; those of which none came are scored alone."""
    left = dict(enumerate(items))
    try:
        for number, scores in scorer.score_many([(item.sample, item.edit) for item in items]):
            yield left.pop(number), scores
    except RunError:
        raise
    except Exception:  # one bad picture must not cost the batch
        pass
    yield from _each(told, scorer, list(left.values()))


def _each(told: Told, scorer: Scorer, items: Sequence[Item]) -> Scores:
    """Call a scorer on each item; errors become statuses. Raises `RunError` for a full disk."""
    for item in items:
        try:
            whole = bool(item.pairs)
            scores = scorer.score_set(item.pairs) if whole else scorer.score(item.sample, item.edit)
            yield item, scores
        except RunError:
            raise
        except (Exception, SystemExit) as error:  # whatever it throws is a row that says so
            machine.raise_fault(error, told.run)
            yield item, not_scored(scorer.metrics, *failure(error, item.edit))


def _rows(told: Told, number: int, item: Item, scores: Sequence[Score]) -> list[Row]:
    """Scores as rows without absolute paths: rows are read on other machines."""
    scorer = told.scorers[number]
    task = next(task for task in item.tasks if task.scorer == number)
    if why := _unlike_promised(scorer, scores):
        return told.without(item.place, task, Status.FAILED, f"{scorer.name}: {why}")
    asked = {} if item.pairs else variants.row_detail(item.edit.settings)
    clean = [
        replace(
            score,
            reason=portable(score.reason, told.cut),
            detail={**without_roots(score.detail, told.cut), **asked},
        )
        if score.reason or score.detail or asked
        else score
        for score in scores
    ]
    return told.rows(item.place, task, clean)


def _unlike_promised(scorer: Scorer, scores: object) -> str:
    """What is wrong with a scorer's answer, perhaps another package's; "" when nothing is."""
    if not isinstance(scores, list | tuple) or not all(isinstance(s, Score) for s in scores):
        return f"wanted a list of scores, found {type(scores).__name__}"
    promised = sorted((one.name, variant) for one in scorer.metrics for variant in one.variants)
    given = sorted((score.metric, score.variant) for score in scores)
    return "" if given == promised else f"promised {promised} and gave {given}"
