"""A judge's tables corrected by gold: by people's ratings, or by a stronger judge on a few samples.

`--calibrate human` takes the mean of the annotators as gold; `--calibrate gpt-4o@50` takes the
scores of that judge on a seeded draw of 50 samples. The other scores come from the judge that rates
the same metric on everything.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from editgauge.errors import UnknownName, UsageError
from editgauge.statistics.prediction import (
    UNBOUNDED,
    Corrected,
    Scale,
    corrected_mean,
    corrected_ranks,
    more_ratings,
)
from editgauge.statistics.ranks import RankStability
from editgauge.study.people import ALL, answers
from editgauge.tables.metrics import metrics_of
from editgauge.tables.results import Results
from editgauge.types import Direction, Variant

Floats = NDArray[np.float64]


class Gold(NamedTuple):
    """What is believed: values (E, S) of one metric, NaN where nothing was rated."""

    metric: str
    proxy: str
    """The metric of the run that stands for it on every sample."""
    variant: Variant
    direction: Direction
    values: Floats
    annotators: int
    scale: Scale = UNBOUNDED
    """The range of the values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrated:
    """One metric of every editor, corrected. `source`: the judge that scored everything."""

    metric: str
    proxy: str
    variant: Variant
    source: str
    direction: Direction
    editors: tuple[str, ...]
    means: tuple[Corrected, ...]
    ranks: RankStability | None
    annotators: int


@dataclass(frozen=True, slots=True)
class Difference:
    """B - A of one metric on the samples both have, corrected. `more`: how many more samples would
    have to be rated to tell it from 0; None where even all would not do.
    """

    metric: str
    variant: Variant
    source: str
    direction: Direction
    a: Corrected
    b: Corrected
    difference: Corrected
    more: int | None

    @property
    def verdict(self) -> str:
        """``better``, ``worse`` (B than A), ``no significant difference``, or ``too few to tell``
        where there is no interval.
        """
        if math.isnan(self.difference.low):
            return "too few to tell"
        if not (self.difference.low > 0 or self.difference.high < 0):
            return "no significant difference"
        up = self.difference.value > 0
        return "better" if up == (self.direction == "higher") else "worse"


def gold_of(
    frame: Results,
    word: str,
    directions: Mapping[str, Direction],
    *,
    proxies: Mapping[str, str] | None = None,
    seed: int = 0,
) -> tuple[Results, list[Gold]]:
    """The frame of the scores that are to be corrected, and the gold that `word` names.

    `word` is ``human``, ``human@N``, ``JUDGE`` or ``JUDGE@N`` (a seeded draw of N samples).
    `proxies` maps a question to the metric that stands for it, by default the metric of the same
    name. Raises `UnknownName` for a judge without rows and `UsageError` for a word that is none.
    """
    name, sign, number = word.rpartition("@")
    name, count = (name, _count(word, number)) if sign else (word, None)
    if name == ALL:
        rest, gold = frame.without_people(), _people(frame, proxies or {})
        drawn = _draw(gold, len(frame.samples), count, seed)
        return rest, [item._replace(values=_only(item.values, drawn)) for item in gold]
    machines = frame.without_people()
    sources = machines.sources_called(name)
    if len(sources) != 1:
        there = ", ".join(source for source in machines.sources if source) or "none"
        raise UnknownName(
            f"--calibrate {word}: wanted human or one judge of this run; sources here: {there}"
        )
    gold = _judges(machines.of_source(sources[0]), directions, proxies or {})
    rest = machines.where(lambda key: key.source != sources[0])
    drawn = _draw(gold, len(frame.samples), count, seed)
    return rest, [item._replace(values=_only(item.values, drawn)) for item in gold]


def calibrated(
    frame: Results,
    gold: Sequence[Gold],
    *,
    strata: str = "",
    seed: int = 0,
) -> list[Calibrated]:
    """Every metric that has gold and a proxy; `frame` must have one source for each metric.

    `strata`: the label by which the rated samples were drawn. Raises `UsageError` where nothing can
    be corrected.
    """
    labels = frame.samples.labels(strata) if strata else None
    found = []
    for item in gold:
        scores, source = _proxy(frame, item)
        if scores is None:
            continue
        known = [k for k in range(len(frame.editors)) if np.isfinite(scores[k]).any()]
        known = [k for k in known if np.isfinite(item.values[k]).any()]
        ranks = corrected_ranks(
            item.values[known],
            scores[known],
            strata=labels,
            scale=item.scale,
            higher_is_better=item.direction == "higher",
            seed=seed,
        )
        if not known:
            continue
        found.append(
            Calibrated(
                metric=item.metric,
                proxy=item.proxy,
                variant=item.variant,
                source=source,
                direction=item.direction,
                editors=tuple(frame.editors[k] for k in known),
                means=ranks.means,
                ranks=ranks.stability,
                annotators=item.annotators,
            )
        )
    if not found:
        raise UsageError(_nothing(frame, gold))
    return found


def differences(
    frame: Results, gold: Sequence[Gold], a: str, b: str, *, strata: str = ""
) -> list[Difference]:
    """B - A of every metric that has gold and a proxy. Raises as `calibrated`."""
    for name in (a, b):
        frame.of_editors([name])
    first, second = frame.editors.index(a), frame.editors.index(b)
    labels = frame.samples.labels(strata) if strata else None
    found = []
    for item in gold:
        scores, source = _proxy(frame, item)
        if scores is None:
            continue
        rated = item.values[second] - item.values[first]
        judged = scores[second] - scores[first]
        both = np.isfinite(judged)
        sides = [
            corrected_mean(
                item.values[k], np.where(both, scores[k], np.nan), strata=labels, scale=item.scale
            )
            for k in (first, second)
        ]
        span = item.scale[1] - item.scale[0]
        made = corrected_mean(rated, judged, strata=labels, scale=(-span, span))
        if math.isnan(made.value):
            continue
        found.append(
            Difference(
                item.metric,
                item.variant,
                source,
                item.direction,
                sides[0],
                sides[1],
                made,
                more_ratings(rated, judged, strata=labels),
            )
        )
    if not found:
        raise UsageError(_nothing(frame, gold))
    return found


def draw(samples: int, count: int, seed: int = 0) -> NDArray[np.int64]:
    """A seeded draw of `count` of so many samples, in order: the same for the same numbers."""
    chosen = np.random.default_rng(seed).permutation(samples)[:count]
    return np.sort(chosen).astype(np.int64)


def _count(word: str, number: str) -> int:
    if not number.isdigit() or int(number) < 3:
        raise UsageError(f"--calibrate {word}: wanted a number of samples, 3 or more, after @")
    return int(number)


def _people(frame: Results, proxies: Mapping[str, str]) -> list[Gold]:
    return [
        Gold(
            one.metric,
            proxies.get(one.question, one.question),
            "faithful",
            one.direction,
            one.mean,
            len(one.annotators),
            (1.0, 5.0) if one.scale in ("rate", "grade") else UNBOUNDED,
        )
        for one in answers(frame)
    ]


def _judges(
    frame: Results, directions: Mapping[str, Direction], proxies: Mapping[str, str]
) -> list[Gold]:
    found = []
    known = metrics_of(frame)
    for metric in frame.metrics:
        for variant in ("faithful", "corrected"):
            if frame.has(metric, variant):
                values = frame.grid(metric, variant).values
                kind: Variant = "faithful" if variant == "faithful" else "corrected"
                way = directions.get(metric, "higher")
                scale = (known[metric].low, known[metric].high)
                found.append(Gold(metric, proxies.get(metric, metric), kind, way, values, 0, scale))
    return found


def _draw(
    gold: Sequence[Gold], samples: int, count: int | None, seed: int
) -> NDArray[np.int64] | None:
    """The samples whose gold counts; None for all that there are.

    The draw is over all samples, whether they have gold or not: choosing among those that have some
    would not be a draw.
    """
    if count is None:
        return None
    drawn = draw(samples, count, seed)
    missing = [k for k in drawn if not any(np.isfinite(g.values[:, k]).any() for g in gold)]
    if missing and len(drawn) - len(missing) < 3:
        raise UsageError(
            f"of the {len(drawn)} samples drawn with seed {seed}, {len(missing)} have no gold; "
            f"leave @{count} out to use every sample that has some, if those were drawn at random"
        )
    return drawn


def _only(values: Floats, samples: NDArray[np.int64] | None) -> Floats:
    if samples is None:
        return values
    out = np.full_like(values, np.nan)
    out[:, samples] = values[:, samples]
    return out


def _proxy(frame: Results, item: Gold) -> tuple[Floats | None, str]:
    """The scores that stand for a question on every sample, and who made them."""
    variant = item.variant
    if not frame.has(item.proxy, variant):
        variant = "corrected" if variant == "faithful" else "faithful"
    if not frame.has(item.proxy, variant):
        return None, ""
    grid = frame.grid(item.proxy, variant)
    return grid.values, ", ".join(filter(None, frame.sources_of(item.proxy)))


def _nothing(frame: Results, gold: Sequence[Gold]) -> str:
    if not gold:
        return f"{frame.benchmark}: nothing to calibrate with: no rating on a scale of scores"
    wanted = ", ".join(sorted({item.proxy for item in gold}))
    there = [m for m in frame.metrics if frame.has(m, "faithful") or frame.has(m, "corrected")]
    here = ", ".join(sorted(there)) or "none"
    return (
        f"{frame.benchmark}: too few rated samples (3 at least), or no metric of the run stands "
        f"for {wanted}; say --set proxy=QUESTION=METRIC with one of: {here}"
    )
