"""Two editors compared on every benchmark of a run; a policy judged on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from editgauge.diagnosis.metrics import ATTENTION, CHANGE
from editgauge.errors import UnknownName, UsageError, meant
from editgauge.run.names import entries
from editgauge.store.selection import one_of
from editgauge.tables import compare as frames_compared
from editgauge.tables import gate as gates
from editgauge.tables import notes, spec
from editgauge.tables.compare import Comparison
from editgauge.tables.gate import Gate
from editgauge.tables.layouts import every_table
from editgauge.tables.metrics import declared_of, metrics_of
from editgauge.tables.metrics import directions as directions_of
from editgauge.tables.policy import Policy
from editgauge.tables.results import Results
from editgauge.types import VARIANTS, Variant


def compare(
    frames: Sequence[Results],
    a: str,
    b: str,
    *,
    metrics: Sequence[str] = (),
    variants: Sequence[Variant] = VARIANTS,
    **settings: Any,
) -> list[Comparison]:
    """The comparison of B with A on each frame (`tables.rows.frames`) in which both have a score.

    Holm's correction is over the lines of all of them.

    Directions are those of the run's metrics; a metric without one gets no verdict. A note says how
    many of the outputs are the input handed back. Metrics of one scale stand together. `metrics`:
    only these; `settings` go on to `tables.compare.compare`. Raises `UsageError` for a metric that
    a frame has no rows of, and where none has scores of both; `UnknownName` for an editor without
    rows.
    """
    comparisons = []
    if a == b:
        raise UsageError(f"compare: A and B are both {a!r}; name two editors")
    for frame in frames:
        for name in metrics:
            one_of("metric", name, frame.metrics)
        known, ways = metrics_of(frame), directions_of(frame)
        scales = [(one.low, one.high) for one in known.values()]
        wanted = [name for name in ways if not metrics or name in metrics]
        wanted.sort(key=lambda name: scales.index((known[name].low, known[name].high)))
        directions = {name: ways[name] for name in wanted}
        item = frames_compared.compare(frame, a, b, directions, variants=variants, **settings)
        if item.lines:
            back = notes.given_back(frame.of_editors([a, b]))
            remarks = (back,) if back else ()
            item = replace(item, notes=remarks, of_samples=_otherwise_shown(frame))
            comparisons.append(item)
    if not comparisons:
        raise UsageError(f"compare: no metric has scores of both {a!r} and {b!r}; see: table")
    return frames_compared.decide(comparisons)


def _otherwise_shown(frame: Results) -> frozenset[str]:
    """Metrics under whose name a table prints something else than the mean over samples."""
    columns = [column for table in every_table(frame) for column in table.every_column]
    return frozenset(c.metric for c in columns if c.of and c.formula is not spec.only)


def gate(
    every: Sequence[Results],
    a: str,
    b: str,
    policy: Policy,
) -> list[Gate]:
    """What the policy says of B against A on each benchmark, and one gate more for rules that none
    could be asked about. The verdict of all is `tables.gate.verdict_of`. Raises `UnknownName` for a
    rule about a metric that neither an installed benchmark nor a run knows.
    """
    _need_metrics(policy, every)
    known = {results.benchmark: directions_of(results) for results in every}
    judged = [gates.judge(results, a, b, known[results.benchmark], policy) for results in every]
    unread = gates.unread(policy, a, b, known)
    return judged if unread is None else [*judged, unread]


def _need_metrics(policy: Policy, every: Sequence[Results]) -> None:
    """A misspelt metric is a mistake; one that only these runs have no rows of cannot be told."""
    known = {metric.name for metric in (*ATTENTION, *CHANGE)}
    for results in every:
        known |= {*declared_of(results), *results.metrics}
    unknown = [rule.metric for rule in policy.rules if rule.metric not in known]
    for entry in entries("scorers") if unknown else ():
        known |= {*entry.get("metrics", ())}
    for metric in unknown:
        if metric not in known:
            hint = meant(metric, sorted(known), "see: editgauge list metrics")
            raise UnknownName(f"policy: no metric is called {metric!r}; {hint}")
