"""A release gate on a run: a policy judged on every benchmark."""

from __future__ import annotations

from collections.abc import Sequence

from editgauge.store.run import Run
from editgauge.tables import gate as gates
from editgauge.tables.gate import Gate, Usage
from editgauge.tables.metrics import directions
from editgauge.tables.policy import Policy, policy_of
from editgauge.tables.results import Results
from editgauge.types import Status

__all__ = ["gate", "policy_of", "usage_of"]


def gate(
    runs: Sequence[Run],
    every: Sequence[Results],
    a: str,
    b: str,
    policy: Policy,
    *,
    seed: int = 0,
) -> list[Gate]:
    """What the policy says of B against A on each benchmark, and one gate more for rules that none
    could be asked about. The verdict of all is `tables.gate.overall`.
    """
    known = {results.benchmark: directions(results) for results in every}
    judged = [
        gates.judge(
            results, a, b, known[results.benchmark], policy,
            usage=usage_of(runs, results.benchmark, b), seed=seed,
        )
        for results in every
    ]  # fmt: skip
    unread = gates.unread(policy, a, b, known)
    return judged if unread is None else [*judged, unread]


def usage_of(runs: Sequence[Run], benchmark: str, editor: str) -> Usage:
    """What the editor's delivered outputs took, as the runs' records of edits say."""
    newest = {
        record.sample: record
        for run in runs
        for record in run.edits(benchmark)
        if record.editor == editor and record.status is Status.SCORED
    }
    return Usage(
        outputs=len(newest),
        seconds=[r.seconds for r in newest.values() if r.seconds is not None],
        dollars=[r.cost for r in newest.values() if r.cost is not None],
    )
