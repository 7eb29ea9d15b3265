"""What a command that writes rows did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

from editgauge.types import Row, Status


@dataclass(slots=True)
class Summary:
    """What a `score` call did. `counts` maps (editor, scorer, metric, variant) to how many rows
    have each status.
    """

    counts: dict[tuple[str, str, str, str], Counter[str]] = field(default_factory=dict)
    computed: int = 0
    """Rows written by this call with work done for them."""
    kept: int = 0
    """Rows that were there already."""
    seconds: float = 0.0
    scorer_seconds: Counter[str] = field(default_factory=Counter)
    """Processor seconds inside each scorer, summed over the workers."""
    scorer_gpu_seconds: Counter[str] = field(default_factory=Counter)
    """Seconds for which each scorer held a GPU, in batches that this call scored."""
    scorer_outputs: Counter[str] = field(default_factory=Counter)
    """Outputs that each scorer gave a score for in this call."""
    problems: list[str] = field(default_factory=list)

    def __repr__(self) -> str:
        return (
            f"<Summary: {self.computed} rows computed, {self.kept} kept, {self.without_score} "
            f"without a score, {len(self.problems)} problems>"
        )

    def add(
        self, editor: str, scorer: str, metric: str, variant: str, status: Status, number: int = 1
    ) -> None:
        self.counts.setdefault((editor, scorer, metric, variant), Counter())[status.value] += number

    def count(self, rows: Iterable[Row]) -> None:
        """Count each row."""
        for row in rows:
            self.add(row.editor, row.scorer, row.metric, row.variant, row.status)

    def join(self, other: Summary) -> None:
        """Add what another call did."""
        for key, counter in other.counts.items():
            self.counts.setdefault(key, Counter()).update(counter)
        self.computed += other.computed
        self.kept += other.kept
        self.seconds += other.seconds
        self.scorer_seconds.update(other.scorer_seconds)
        self.problems += [text for text in other.problems if text not in self.problems]

    def processor(self) -> dict[str, dict[str, float]]:
        """Scorer -> processor seconds of this call and the outputs that got a score for them, for
        the run's record; where a GPU was held, also for how many seconds.
        """
        found: dict[str, dict[str, float]] = {}
        for name, seconds in sorted(self.scorer_seconds.items()):
            found[name] = {"seconds": round(seconds, 6), "outputs": self.scorer_outputs[name]}
            if self.scorer_gpu_seconds[name]:
                found[name]["gpu_seconds"] = round(self.scorer_gpu_seconds[name], 6)
        return found

    @property
    def without_score(self) -> int:
        """Rows that should have a value and have none (not_applicable does not count)."""
        return self.without_score_but()

    def without_score_but(self, scorers: Collection[str] = ()) -> int:
        """As `without_score`, but for the rows of these scorers."""
        fine = (Status.SCORED.value, Status.NOT_APPLICABLE.value)
        return sum(
            n
            for (_, scorer, _, _), counter in self.counts.items()
            if scorer not in scorers
            for status, n in counter.items()
            if status not in fine
        )

    def as_dict(self) -> dict[str, Any]:
        """What was done as JSON values."""
        return {
            "computed": self.computed,
            "kept": self.kept,
            "without_score": self.without_score,
            "seconds": round(self.seconds, 3),
            "scorer_seconds": {
                name: round(seconds, 3) for name, seconds in self.scorer_seconds.items()
            },
            "counts": [
                {"editor": e, "scorer": s, "metric": m, "variant": v, "statuses": dict(counter)}
                for (e, s, m, v), counter in sorted(self.counts.items())
            ],
            "problems": self.problems,
        }
