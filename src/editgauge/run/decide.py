"""Two editors judged in a random order until one is better, or both are equivalent."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from editgauge.errors import BudgetExceeded, UsageError
from editgauge.judging.session import Session
from editgauge.store.labels import Samples
from editgauge.study import decision
from editgauge.study.decision import Decision
from editgauge.tables import reading
from editgauge.types import Metric

Scores = Mapping[str, tuple[float | None, float | None]]
"""Sample -> the scores of A and B; None where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Which of two editors is better in which metric, and how sure the answer must be.

    `a` is the baseline, `b` the candidate. `metric` may be left out where the protocol has one.
    `margin`: differences smaller than it are equivalent, in the metric's own unit. `alpha`: how
    often a decision may be wrong. `by`: an attribute whose shares every batch keeps. `seed`: of the
    order in which samples are asked. `batch`: samples between two looks.
    """

    a: str
    b: str
    metric: str = ""
    margin: float = 0.0
    alpha: float = 0.05
    by: str = ""
    seed: int = 0
    batch: int = 8


def decide(session: Session, question: Question) -> Decision:
    """Ask the session's judge about both editors, batch by batch, until the question is answered.
    What was asked is in the rows, and is not paid again by a later call.

    Raises `UsageError` for a metric that the protocol has not, `BudgetExceeded` when the budget
    ends before the decision.
    """
    about = _metric(session, question.metric)
    ends = (question.a, question.b)
    session.asks()
    todo = session.todo
    have = {(edit.sample, edit.editor) for edit in session.edits if edit.path}
    samples = {
        sample.id: sample
        for sample in session.samples
        if {(sample.id, editor) for editor in ends} <= have
    }
    records = {str(record["id"]): record for record in todo.run.samples(todo.benchmark)}
    index = Samples(records[name] for name in samples)
    strata = index.labels(question.by).tolist() if question.by else None

    def ask(ids: Sequence[str]) -> Scores:
        wanted = {name: samples[name] for name in ids}
        edits = [edit for edit in session.edits if edit.sample in wanted]
        if not todo.judge([*wanted.values()], edits):
            raise BudgetExceeded(
                "stopped before it was decided; do the same again with a higher budget"
            )
        return scores_of(session, ids, *ends, about.name)

    return decision.decide(
        ask,
        decision.order(list(samples), strata, seed=question.seed),
        low=about.low,
        high=about.high,
        direction=about.direction or "higher",
        margin=question.margin,
        alpha=question.alpha,
        batch=question.batch,
    )


def scores_of(session: Session, ids: Sequence[str], a: str, b: str, metric: str) -> Scores:
    """Both editors' scores of some samples, as the rows of this judge say: corrected, or faithful
    where the metric has no corrected variant.
    """
    todo = session.todo
    frame = reading.of_runs([todo.run], todo.benchmark)
    frame = frame.of_source(todo.source)
    variant = "corrected" if frame.has(metric, "corrected") else "faithful"
    values = frame.of_editors([a, b]).grid(metric, variant).values
    places = {name: number for number, name in enumerate(frame.samples.ids)}

    def one(editor: int, name: str) -> float | None:
        value = float(values[editor, places[name]])
        return None if math.isnan(value) else value

    return {name: (one(0, name), one(1, name)) for name in ids}


def _metric(session: Session, name: str) -> Metric:
    metrics = {item.name: item for item in session.todo.prompts.track.metrics}
    if not name and len(metrics) == 1:
        return next(iter(metrics.values()))
    if name not in metrics:
        raise UsageError(f"{name!r}: wanted one of {', '.join(metrics)}", argument="metric")
    return metrics[name]
