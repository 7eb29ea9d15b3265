"""What a run's rows say of its judges: agreement between them, and of each with its own repeats."""

from __future__ import annotations

from collections.abc import Mapping

from editgauge.judging.agreement import agreement, spread
from editgauge.judging.run import SCORER
from editgauge.statistics.resampling import mean_interval
from editgauge.store.run import Run

ByRepeat = Mapping[int, float]


def views(run: Run, benchmark: str, source: str) -> list[str]:
    """How far the judge `source` agrees with the others that judged the same edits in this run, and
    with its own repeats: a line for each metric.
    """
    scores: dict[str, dict[str, dict[tuple[str, str], dict[int, float]]]] = {}
    for row in run.rows():
        ours = row.scorer == SCORER and row.benchmark == benchmark and row.variant == "corrected"
        if ours and row.value is not None:
            by_edit = scores.setdefault(row.metric, {}).setdefault(row.source, {})
            by_edit.setdefault((row.sample, row.editor), {})[row.repeat] = row.value
    out = []
    for metric, sources in sorted(scores.items()):
        own = sources.get(source, {})
        for other, theirs in sorted(sources.items()):
            if other != source and (line := _between(own, theirs)):
                out.append(f"{metric}: agreement with {other}: {line}")
        if line := _repeats(own):
            out.append(f"{metric}: repeats: {line}")
    return out


def _between(
    own: Mapping[tuple[str, str], ByRepeat], theirs: Mapping[tuple[str, str], ByRepeat]
) -> str:
    both = [edit for edit in own if edit in theirs and 0 in own[edit] and 0 in theirs[edit]]
    if not both:
        return ""
    samples = [sample for sample, _ in both]
    return agreement(
        [theirs[edit][0] for edit in both], [own[edit][0] for edit in both], samples
    ).told()


def _repeats(own: Mapping[tuple[str, str], ByRepeat]) -> str:
    spreads = [
        value for value in spread([list(r.values()) for r in own.values()]) if value is not None
    ]
    if not spreads:
        return ""
    found = mean_interval(spreads)
    limits = f" [{found.low:.3f}, {found.high:.3f}]" if found.low == found.low else ""
    same = sum(value == 0 for value in spreads) / len(spreads)
    return (
        f"mean spread {found.value:.3f}{limits}, the same score every time for {same:.0%} of edits"
    )
