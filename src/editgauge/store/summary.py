"""What a command that writes rows did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import cast

from editgauge.types import JsonObject, Row, Status

_FINE = (Status.SCORED.value, Status.NOT_APPLICABLE.value)


@dataclass(slots=True, repr=False)
class Summary:
    """What a `score` call did. `counts`: (editor, scorer, metric, variant) -> how many rows have
    each status. `computed`: rows written; `kept`: rows that were there.
    """

    counts: dict[tuple[str, str, str, str], Counter[str]] = field(default_factory=dict)
    computed: int = 0
    kept: int = 0
    seconds: float = 0.0
    problems: list[str] = field(default_factory=list)

    def __repr__(self) -> str:
        lack = f"{self.without_score} without a score"
        return f"<Summary: {self.computed} new, {self.kept} kept, {lack}; {self.seconds:.1f} s>"

    def counter(self, *key: str) -> Counter[str]:
        """How many rows of an editor, scorer, metric and variant have each status."""
        return self.counts.setdefault(cast(tuple[str, str, str, str], key), Counter())

    def count(self, rows: Iterable[Row]) -> None:
        """Count each row."""
        for row in rows:
            self.counter(row.editor, row.scorer, row.metric, row.variant)[row.status.value] += 1

    def join(self, other: Summary) -> None:
        """Add what another call did."""
        for key, counter in other.counts.items():
            self.counts.setdefault(key, Counter()).update(counter)
        self.computed += other.computed
        self.kept += other.kept
        self.seconds += other.seconds
        self.problems += [text for text in other.problems if text not in self.problems]

    @property
    def has_score(self) -> bool:
        """Whether any row has a value."""
        return any(each[Status.SCORED.value] for each in self.counts.values())

    @property
    def without_score(self) -> int:
        """How many rows should have a value and have none (not_applicable does not count)."""
        return self.lacking()

    def lacking(self, but: Collection[str] = ()) -> int:
        """How many rows should have a value and have none (not_applicable does not count), but for
        those of some scorers.
        """
        counters = [each for key, each in self.counts.items() if key[1] not in but]
        return sum(n for each in counters for status, n in each.items() if status not in _FINE)

    def as_dict(self) -> JsonObject:
        """What was done as JSON values."""
        return {
            "computed": self.computed,
            "kept": self.kept,
            "without_score": self.without_score,
            "seconds": round(self.seconds, 3),
            "counts": [
                {"editor": e, "scorer": s, "metric": m, "variant": v, "statuses": dict(counter)}
                for (e, s, m, v), counter in sorted(self.counts.items())
            ],
            "problems": self.problems,
        }


def reason_lines(reasons: Sequence[tuple[str, str, str, int]]) -> Iterator[str]:
    """The commonest of `Run.reasons` in words."""
    if reasons:
        yield "no score, the commonest reasons:"
    for scorer, status, reason, number in reasons[:6]:
        yield f"  {number} x {scorer}, {status.replace('_', ' ')}: {reason[:300]}"
