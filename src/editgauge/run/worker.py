"""What a worker does: score a batch of outputs, write their rows or hand them back."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast

from editgauge import machine
from editgauge.errors import EditgaugeError, ImageError, MissingExtra, RunError
from editgauge.images import fingerprint
from editgauge.networks.runtime import Halving, gpu_in_use
from editgauge.run.plan import Item, Task, make_rows
from editgauge.store import variants
from editgauge.store.paths import portable, without_roots
from editgauge.store.run_folder import RunFolder
from editgauge.types import (
    BatchScorer,
    Row,
    Score,
    Scorer,
    SetScorer,
    Status,
    StreamScorer,
    not_scored,
)


class Counts(NamedTuple):
    """What came of a batch: rows by (editor, scorer, metric, variant, status), seconds of processor
    time and outputs with a score by scorer, the rows themselves where this process does not write
    them, the outputs that are not what their records say (these have no rows), and the seconds for
    which each scorer held a GPU.
    """

    tally: Counter[Any]
    seconds: Counter[str]
    outputs: Counter[str]
    rows: list[Row]
    changed: tuple[Path, ...]
    gpu_seconds: Counter[str]

    def add(self, item: Item, rows: Sequence[Row]) -> None:
        """Count one scorer's rows of an item."""
        for row in rows:
            self.tally[(row.editor, row.scorer, row.metric, row.variant, row.status.value)] += 1
        if any(row.status is Status.SCORED for row in rows):
            self.outputs[rows[0].scorer] += max(1, len(item.pairs))


class _Sink(Protocol):
    """Where rows go: a `RowWriter`, or `_Kept`."""

    def write(self, rows: list[Row]) -> int: ...


class _Kept(list[Row]):
    """Rows that are handed to the process that asked for them."""

    def write(self, rows: list[Row]) -> int:
        self += rows
        return len(rows)


@dataclass(slots=True)
class _Worker:
    benchmark: str
    scorers: list[Scorer | SetScorer]
    sink: _Sink
    cut: tuple[str, ...]
    run: Path
    fitting: dict[int, Halving]


_worker: _Worker | None = None


def start(
    run: str,
    benchmark: str,
    scorers: list[Scorer | SetScorer],
    token: str | None,
    cut: tuple[str, ...],
) -> None:
    """Prepare a worker process (or this one): the scorers, and a segment of its own that is named
    after `token`. With None it hands its rows back and writes nothing. A scorer with a method
    `begin` loads there what it keeps; what that raises ends the call.
    """
    global _worker  # noqa: PLW0603 - a worker process is one worker
    from editgauge.native import tune_worker

    tune_worker()
    sink = _Kept() if token is None else RunFolder(Path(run)).writer(token)
    for scorer in scorers:
        begin = getattr(scorer, "begin", None)
        if begin is not None:
            begin()
    _worker = _Worker(benchmark, scorers, sink, cut, Path(run), {})


def work(batch: Sequence[Item]) -> Counts:
    """Score a batch and write its rows, or hand them back."""
    assert _worker is not None
    kept = _worker.sink = _Kept() if isinstance(_worker.sink, _Kept) else _worker.sink
    changed = tuple(item.edit.path for item in batch if item.edit.path and _changed(item))
    batch = [item for item in batch if item.edit.path not in changed]
    counts = Counts(Counter(), Counter(), Counter(), [], changed, Counter())
    whole = {
        task.scorer
        for item in batch
        for task in item.tasks
        if isinstance(_worker.scorers[task.scorer], BatchScorer)
    }
    for index in sorted(whole):
        _score_batch(index, [i for i in batch if any(t.scorer == index for t in i.tasks)], counts)
    for item in batch:
        rows: list[Row] = []
        for task in item.tasks:
            if task.scorer in whole:
                continue
            scorer = _worker.scorers[task.scorer]
            began = time.process_time()
            scores = _guarded(scorer, item)
            counts.seconds[scorer.name] += time.process_time() - began  # type: ignore[assignment]
            counts.add(item, own := _rows(item, task, scores))
            rows += own
        _worker.sink.write(rows)
    return counts._replace(rows=kept if isinstance(kept, _Kept) else [])


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


def _score_batch(index: int, items: Sequence[Item], counts: Counts) -> None:
    assert _worker is not None
    scorer = cast(BatchScorer, _worker.scorers[index])
    if isinstance(scorer, StreamScorer):
        groups = _stream(scorer, items)
    else:
        groups = _parts(index, scorer, items)
    while True:
        began, clock = time.process_time(), time.perf_counter()
        group = next(groups, None)
        counts.seconds[scorer.name] += time.process_time() - began  # type: ignore[assignment]
        if gpu_in_use():
            counts.gpu_seconds[scorer.name] += time.perf_counter() - clock  # type: ignore[assignment]
        if group is None:
            return
        rows = []
        for item, scores in group:
            task = next(task for task in item.tasks if task.scorer == index)
            counts.add(item, own := _rows(item, task, scores))
            rows += own
        _worker.sink.write(rows)


_Scored = list[tuple[Item, Sequence[Score]]]


def _stream(scorer: StreamScorer, items: Sequence[Item]) -> Iterator[_Scored]:
    """The items with their scores as they come; those of which none came are scored alone."""
    left = dict(enumerate(items))
    try:
        for number, scores in scorer.score_stream([(item.sample, item.edit) for item in items]):
            yield [(left.pop(number), scores)]
    except RunError:
        raise
    except Exception:  # one bad picture must not cost the batch
        yield from ([(item, _guarded(scorer, item))] for item in left.values())
        return
    if left:
        raise ValueError(f"{scorer.name}: score_stream gave nothing for {len(left)} pairs")


def _parts(index: int, scorer: BatchScorer, items: Sequence[Item]) -> Iterator[_Scored]:
    """The items with their scores, as many at once as the scorer takes and the memory holds."""
    assert _worker is not None
    size = max(1, scorer.batch_size)
    fitting = _worker.fitting.setdefault(index, Halving())

    def ask(part: Sequence[Item]) -> Sequence[Sequence[Score]]:
        scores = scorer.score_batch([(item.sample, item.edit) for item in part])
        if len(scores) != len(part):
            raise ValueError(f"score_batch: wanted {len(part)} answers, found {len(scores)}")
        return scores

    for start in range(0, len(items), size):
        part = items[start : start + size]
        try:
            found: Sequence[Sequence[Score]] = fitting(ask, part)
        except RunError:
            raise
        except Exception:  # one bad picture must not cost the batch: each is scored alone
            found = [_guarded(scorer, item) for item in part]
        yield list(zip(part, found, strict=True))


def _rows(item: Item, task: Task, scores: Sequence[Score]) -> list[Row]:
    assert _worker is not None
    scorer = _worker.scorers[task.scorer]
    why = _unlike_promised(scorer, scores)
    if why:
        scores = not_scored(scorer.metrics, Status.FAILED, f"{scorer.name}: {why}")
    sample = "*" if item.pairs else item.sample.id
    clean = [_portable(score) for score in scores]
    if (asked := variants.row_detail(item.edit.settings)) and not item.pairs:
        clean = [replace(s, detail={**s.detail, **asked}) for s in clean]
    return make_rows(
        _worker.benchmark, sample, item.edit.editor, scorer, clean, task.fingerprint, task.wanted
    )


def _unlike_promised(scorer: Scorer | SetScorer, scores: object) -> str:
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


def _guarded(scorer: Scorer | SetScorer, item: Item) -> Sequence[Score]:
    """Call a scorer; what it raises becomes a status and a reason."""
    try:
        if item.pairs:
            return cast(SetScorer, scorer)(item.pairs)
        return cast(Scorer, scorer)(item.sample, item.edit)
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
    assert _worker is not None
    machine.raise_fault(error, _worker.run)


def _portable(score: Score) -> Score:
    """A score without absolute paths, whoever wrote its reason: rows are read on other machines."""
    assert _worker is not None
    if not score.reason and not score.detail:
        return score
    reason = portable(score.reason, _worker.cut)
    return replace(score, reason=reason, detail=without_roots(score.detail, _worker.cut))
