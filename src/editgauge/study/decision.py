"""Ask a judge only until two editors are told apart: samples in a seeded order, in batches.

`decide` knows nothing of judges: it is given a function that has a batch of samples judged and
returns both editors' scores. What was paid for stays in the reply store, so a later full run pays
for the rest alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from editgauge.errors import UsageError
from editgauge.statistics.sequences import Betting
from editgauge.types import Direction

Ask = Callable[[Sequence[str]], Mapping[str, tuple[float | None, float | None]]]
"""A batch of sample ids to (score of A, score of B), None where there is no score."""
UNDECIDED = "no significant difference"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What was found about B - A: `verdict` is ``better``, ``worse`` (B than A), ``equivalent``
    (within the margin) or `UNDECIDED` (only when everything was asked).

    `low`, `high`: the interval of the mean difference over all samples, valid although one looked
    after each batch. `asked` of `samples` were judged, `missing` of those gave no score.
    """

    verdict: str
    difference: float
    low: float
    high: float
    asked: int
    samples: int
    missing: int
    alpha: float
    margin: float

    def line(self, a: str, b: str) -> str:
        """The decision in one line."""
        told = f"{b} is {self.verdict}, against {a}"
        if self.verdict == UNDECIDED:
            told = f"{b} and {a}: {UNDECIDED}"
        return (
            f"{told}: difference {self.difference:+.3f} [{self.low:+.3f}, {self.high:+.3f}] at "
            f"{100 * (1 - self.alpha):g} % however often one looked; {self.asked} of "
            f"{self.samples} samples asked ({100 * (1 - self.asked / self.samples):.0f} % saved)"
        )


def order(ids: Sequence[str], strata: Sequence[str] | None = None, *, seed: int = 0) -> list[str]:
    """The samples in a seeded random order in which every stratum comes in proportion: each prefix
    has about the strata's shares of all.
    """
    random = np.random.default_rng(seed)
    groups: dict[str, list[str]] = {}
    for identity, label in zip(ids, strata or [""] * len(ids), strict=True):
        groups.setdefault(label, []).append(identity)
    keys: list[tuple[float, str]] = []
    for label in sorted(groups):
        members = [groups[label][k] for k in random.permutation(len(groups[label])).tolist()]
        places = (np.arange(len(members)) + random.random(len(members))) / len(members)
        keys += zip(places.tolist(), members, strict=True)
    return [identity for _, identity in sorted(keys)]


def decide(
    ask: Ask,
    samples: Sequence[str],
    *,
    low: float,
    high: float,
    direction: Direction = "higher",
    margin: float = 0.0,
    alpha: float = 0.05,
    batch: int = 8,
) -> Decision:
    """Have batches of `samples` judged, in this order (see `order`), until A and B are told apart.

    `low`, `high`: the range of one score. `margin`: differences smaller than it count as
    equivalent; 0 never decides for equivalence. Raises `UsageError` for a margin, alpha or batch
    out of range, or when a score lies outside its range.
    """
    if not samples:
        raise UsageError("--decide: no sample has an output of both editors")
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise UsageError(f"--decide: a metric with a finite range wanted, found [{low}, {high}]")
    if not 0 < alpha < 1 or not 0 <= margin < high - low or batch < 1:
        raise UsageError(
            f"--decide: wanted 0 < alpha < 1, 0 <= margin < {high - low:g} and a batch of 1 or "
            f"more, found {alpha:g}, {margin:g} and {batch}"
        )
    span = high - low
    grid = sorted({*np.linspace(-span, span, 801).tolist(), 0.0, margin, -margin})
    test = Betting(len(samples), -span, span, alpha=alpha, candidates=grid)
    asked = missing = 0
    verdict = ""
    while asked < len(samples) and not verdict:
        part = samples[asked : asked + batch]
        missing += _observed(test, ask(part), part)
        asked += len(part)
        verdict = _verdict(test, margin, direction)
    ends = (float(end[0]) for end in test.interval())
    difference = float(test.mean[0]) if test.count else math.nan
    return Decision(
        verdict=verdict or UNDECIDED,
        difference=difference,
        low=next(ends),
        high=next(ends),
        asked=asked,
        samples=len(samples),
        missing=missing,
        alpha=alpha,
        margin=margin,
    )


def _observed(
    test: Betting,
    scores: Mapping[str, tuple[float | None, float | None]],
    part: Sequence[str],
) -> int:
    """Take a batch's scores in; returns how many samples have none."""
    missing = 0
    for identity in part:
        a, b = scores.get(identity, (None, None))
        if a is None or b is None:
            missing += 1
            test.lose()
            continue
        try:
            test.observe([b - a])
        except ValueError as error:
            raise UsageError(f"sample {identity!r}: scores {a:g} and {b:g}: {error}") from error
    return missing


def _verdict(test: Betting, margin: float, direction: Direction) -> str:
    if not test.count:
        return ""
    mean = float(test.mean[0])
    zero, *ends = (int(np.searchsorted(test.candidates, end)) for end in (0.0, -margin, margin))
    if test.out[0, zero] and mean:
        return "better" if (mean > 0) == (direction == "higher") else "worse"
    if margin > 0 and test.out[0, ends].all() and abs(mean) < margin:
        return "equivalent"
    return ""
