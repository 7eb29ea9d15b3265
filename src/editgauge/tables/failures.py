"""Four readings of an output: edited well, at the right place without doing it, neither, or acted
elsewhere. From rows alone.

Two bases. *Attention* is MedEBench's (arXiv 2506.01921, section 4: low accuracy and high
preservation, parted by the IoU of attention): where did the model look? *Pixels* needs no access to
the model: where did the picture change? The cut-offs are ours, and are printed with every table.

========== ===================================  ============================================
kind       attention                            pixels
========== ===================================  ============================================
well       accuracy high                        accuracy high
there      accuracy low, preservation high,     accuracy low, changed, IoU of the change high
           IoU of the attention high
neither    accuracy low, preservation high,     accuracy low, less than `Cutoffs.changed` of
           IoU low                              the picture changed
elsewhere  accuracy low, preservation low       accuracy low, changed, IoU low
placed     accuracy not known, IoU high         accuracy not known, changed, IoU high
astray     accuracy not known, IoU low          –
========== ===================================  ============================================

An output whose accuracy nobody judged is read by its place alone; *well* and *there* cannot be told
apart then, which is `placed`. By attention one that looked elsewhere is `astray`: whether it acted
is not known.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from editgauge.errors import UsageError
from editgauge.statistics.correlation import spearman
from editgauge.statistics.quantiles import wilson
from editgauge.statistics.resampling import LEAST, mean_interval
from editgauge.store.labels import mapping
from editgauge.tables.metrics import benchmark_of, choose
from editgauge.tables.results import Floats, Results
from editgauge.tables.table import Cell, Column, Table, TableRow
from editgauge.types import FailureReading

if TYPE_CHECKING:
    from editgauge.store.run import Run

Basis = Literal["attention", "pixels"]
BASES: tuple[Basis, ...] = ("attention", "pixels")
KINDS = ("well", "there", "neither", "elsewhere", "placed", "astray")
"""In the order of a page that is sorted by them; `WORST` first there."""
WORST = ("elsewhere", "astray", "neither", "there", "placed", "well")
WORDS: dict[Basis, dict[str, str]] = {
    "attention": {
        "well": "edited well",
        "there": "looked right but did not act",
        "neither": "neither looked right nor acted",
        "elsewhere": "acted elsewhere",
        "placed": "looked right (not judged)",
        "astray": "looked elsewhere (not judged)",
    },
    "pixels": {
        "well": "edited well",
        "there": "changed there, but not as asked",
        "neither": "changed hardly anything",
        "elsewhere": "changed elsewhere",
        "placed": "changed there (not judged)",
    },
}
UNJUDGED = ("placed", "astray")
_JUDGED: dict[Basis, tuple[str, ...]] = {
    "attention": ("well", "there", "neither", "elsewhere"),
    "pixels": ("well", "there"),
}
"""Kinds that need somebody's judgement of the edit."""
PREFIX: dict[Basis, str] = {"attention": "attention", "pixels": "change"}
"""How the metrics of a basis begin: ``attention_iou``."""
IOU = 0.3
CHANGED = 0.005
NONE = -1
Codes = NDArray[np.int8]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cutoffs:
    """From which values on a score is high, on the scale of the rows."""

    accuracy: str = ""
    """The metric; empty where a benchmark has none."""
    accurate: float = 0.0
    preservation: str = ""
    preserved: float = 0.0
    iou: float = IOU
    changed: float = CHANGED
    """The share of the picture that must have changed for an output to have acted at all."""

    @classmethod
    def of(cls, reading: FailureReading | None, **given: float | None) -> Cutoffs:
        """A benchmark's own cut-offs, but for those that are given (None: the benchmark's)."""
        own = cls()
        if reading is not None:
            own = cls(
                accuracy=reading.accuracy,
                accurate=reading.accurate,
                preservation=reading.preservation,
                preserved=reading.preserved,
            )
        chosen: dict[str, Any] = {name: v for name, v in given.items() if v is not None}
        return replace(own, **chosen)

    def words(self, basis: Basis) -> str:
        """The cut-offs of a basis as one line."""
        told = [f"{PREFIX[basis]}_iou at {self.iou:g}"]
        if self.accuracy:
            told.insert(0, f"{self.accuracy} at {self.accurate:g}")
        if basis == "pixels":
            told.append(f"acted from {self.changed:.1%} of the picture on")
        elif self.preservation:
            told.insert(1, f"{self.preservation} at {self.preserved:g}")
        return f"High from: {', '.join(told)}."


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """What every output of a frame was read as. `kinds`: (E, S), a number into `KINDS`, `NONE`
    where it cannot be told; `iou`: (E, S), NaN = none; `judged`: (E, S), the accuracy is known.
    """

    basis: Basis
    kinds: Codes
    iou: Floats
    judged: NDArray[np.bool_]


def cutoffs_of(benchmark: str, **given: float | None) -> Cutoffs:
    """The cut-offs of a benchmark (of an unknown one those of `Cutoffs`), but for those given.
    Raises `UsageError` for one that is no number.
    """
    for name, value in given.items():
        if value is not None and not np.isfinite(value):
            raise UsageError(f"cut-off {name}: wanted a number, found {value}")
    known = benchmark_of(benchmark)
    return Cutoffs.of(None if known is None else known.reading, **given)


def as_facts(cutoffs: Cutoffs) -> dict[str, float]:
    """The numbers of cut-offs, for a run's manifest: see `recorded`."""
    return {name: getattr(cutoffs, name) for name in _NUMBERS}


def recorded(runs: Sequence[Run], benchmark: str) -> Cutoffs:
    """The cut-offs of the last `diagnose` of a benchmark in the runs, else the benchmark's own."""
    given: dict[str, float | None] = {}
    for run in runs:
        for entry in run.manifest().get("entries", []):
            if not isinstance(entry, Mapping) or entry.get("command") != "diagnose":
                continue
            told = mapping(entry.get("cutoffs")) if entry.get("benchmark") == benchmark else {}
            for name in _NUMBERS:
                if isinstance(value := told.get(name), int | float) and np.isfinite(value):
                    given[name] = float(value)
    return cutoffs_of(benchmark, **given)


_NUMBERS = ("accurate", "preserved", "iou", "changed")


def read(frame: Results, basis: Basis, cutoffs: Cutoffs) -> Read | None:
    """Every output read by one basis; None where the frame has no IoU of it. Sources must have been
    chosen before (`Results.of_sources`).
    """
    iou = _values(frame, f"{PREFIX[basis]}_iou")
    if iou is None:
        return None
    nothing = np.full_like(iou, np.nan)
    accuracy = _or(_values(frame, cutoffs.accuracy), nothing)
    kinds = np.full(iou.shape, NONE, dtype=np.int8)
    there, low = iou >= cutoffs.iou, accuracy < cutoffs.accurate
    if basis == "attention":
        kept = _or(_values(frame, cutoffs.preservation), nothing)
        unjudged = np.isnan(accuracy)
        known = ~np.isnan(iou) & (unjudged | ~np.isnan(kept))
        choices = {
            "elsewhere": low & (kept < cutoffs.preserved),
            "there": low & (kept >= cutoffs.preserved) & there,
            "neither": low & (kept >= cutoffs.preserved) & ~there,
            "well": ~low & ~unjudged,
            "placed": unjudged & there,
            "astray": unjudged & ~there,
        }
    else:
        share = _or(_values(frame, "change_share"), nothing)
        known = ~np.isnan(iou) & ~np.isnan(share)
        acted, judged = share >= cutoffs.changed, ~np.isnan(accuracy)
        choices = {
            "well": judged & ~low,
            "neither": (low | ~judged) & ~acted,
            "elsewhere": (low | ~judged) & acted & ~there,
            "there": low & acted & there,
            "placed": ~judged & acted & there,
        }
    for name, mask in choices.items():
        kinds[known & mask] = KINDS.index(name)
    return Read(basis=basis, kinds=kinds, iou=iou, judged=~np.isnan(accuracy))


def _values(frame: Results, metric: str) -> Floats | None:
    """A metric on every sample (E, S), in the corrected variant where there is one; None without
    rows.
    """
    made, _ = choose(frame, metric, "corrected")
    return frame.grid(metric, made).values if metric and frame.has(metric, made) else None


def _or(values: Floats | None, other: Floats) -> Floats:
    return other if values is None else values


def tables(
    frame: Results, cutoffs: Cutoffs | None = None, *, intervals: bool = False, seed: int = 0
) -> list[Table]:
    """How often each kind is met, for each editor and type of task, by each basis that has rows;
    and how the bases agree. Empty without rows of the track. Where several sources made a metric,
    the first stands.
    """
    frame = one_source(frame)
    cutoffs = cutoffs or cutoffs_of(frame.benchmark)
    reads = [found for basis in BASES if (found := read(frame, basis, cutoffs)) is not None]
    made = [_counted(frame, found, cutoffs, intervals, seed) for found in reads]
    agreement = _agreement(frame, reads, cutoffs) if len(reads) == len(BASES) else None
    return [table for table in (*made, agreement) if table is not None]


def one_source(frame: Results) -> Results:
    """The frame without people's rows and with one source for each metric, the first by name."""
    frame = frame.without_people()
    first = {metric: names[0] for metric, names in frame.makers().items()}
    return frame.where(lambda key: key.source == first.get(key.metric, key.source))


def _counted(
    frame: Results, found: Read, cutoffs: Cutoffs, intervals: bool, seed: int
) -> Table | None:
    words = WORDS[found.basis]
    groups = _groups(frame)
    rows = []
    for group, mine in groups:
        for number, editor in enumerate(frame.editors):
            if (found.kinds[number][mine] == NONE).all():
                continue
            cells = _row(found, number, mine, intervals=intervals, seed=seed)
            rows.append(TableRow(name=editor, cells=cells, group=group))
    if not rows:
        return None
    used = [kind for kind in KINDS if kind in words and _met(rows, kind)]
    columns = [Column(name=kind, heading=(words[kind],), digits=2) for kind in used]
    columns.append(Column(name="iou", heading=("mean IoU",), digits=3))
    unread = int(((found.kinds == NONE) & ~np.isnan(found.iou)).sum())
    notes = ["Shares of the outputs, with Wilson intervals (95 %).", cutoffs.words(found.basis)]
    if unread:
        notes.append(
            f"{unread} outputs have an IoU and are not read: {cutoffs.accuracy or 'accuracy'} or "
            f"{cutoffs.preservation or 'preservation'} is not known (judge them, score them)."
        )
    if any(_met(rows, kind) for kind in UNJUDGED if kind in words):
        notes.append("Where nobody judged the edit, edited well and not as asked are one.")
    return Table(
        name=f"{frame.benchmark}.failures_{found.basis}",
        title=f"Why edits failed, by {found.basis}",
        columns=columns,
        rows=rows,
        benchmark=frame.benchmark,
        size=len(frame.samples),
        notes=notes,
        by="task type" if groups[0][0] else "",
    )


def _met(rows: Sequence[TableRow], kind: str) -> bool:
    return kind not in UNJUDGED or any(row.cells[kind].value for row in rows)


def _groups(frame: Results) -> list[tuple[str, NDArray[np.bool_]]]:
    """The samples of each type of task, and all of them at the end."""
    whole = np.ones(len(frame.samples), dtype=np.bool_)
    known = benchmark_of(frame.benchmark)
    by = known.reading.by if known is not None and known.reading is not None else ""
    if not by or by not in frame.samples.names():
        return [("", whole)]
    labels = frame.samples.labels(by)
    parts = [(str(value) or "unknown", labels == value) for value in np.unique(labels)]
    return [*parts, ("all", whole)] if len(parts) > 1 else [(parts[0][0], whole)]


def _row(
    found: Read, editor: int, mine: NDArray[np.bool_], *, intervals: bool, seed: int
) -> dict[str, Cell]:
    """The cells of one editor on some samples. A kind that none of its outputs could have been read
    as, for want of a judgement, has no number.
    """
    kinds, iou = found.kinds[editor][mine], found.iou[editor][mine]
    known = kinds != NONE
    count = int(known.sum())
    unjudged = not found.judged[editor][mine][known].any()
    cells = {}
    for code, kind in enumerate(KINDS):
        if unjudged and kind in _JUDGED[found.basis]:
            cells[kind] = Cell(value=None, n=0, of=count)
        else:
            cells[kind] = _share(int((kinds == code).sum()), count, intervals)
    cells["iou"] = _mean(np.where(known, iou, np.nan), count, intervals, seed)
    return cells


def _share(hits: int, of: int, intervals: bool) -> Cell:
    """A share with its Wilson interval (95 %), which is honest for few outputs and for 0 and 1."""
    share = hits / of
    if not intervals:
        return Cell(value=share, n=hits, of=of)
    low, high = wilson(share, of)
    return Cell(value=share, n=hits, of=of, low=low, high=high)


def _mean(values: Floats, of: int, intervals: bool, seed: int) -> Cell:
    """The mean of the values that are there, with its bootstrap interval where that is wanted."""
    there = values[~np.isnan(values)]
    if not intervals or len(there) < LEAST:
        return Cell(value=float(there.mean()) if len(there) else None, n=len(there), of=of)
    found = mean_interval(there, scale=(0.0, 1.0), seed=seed)
    return Cell(
        value=found.value,
        n=found.n,
        of=of,
        low=None if math.isnan(found.low) else found.low,
        high=None if math.isnan(found.high) else found.high,
    )


def _agreement(frame: Results, reads: Sequence[Read], cutoffs: Cutoffs) -> Table | None:
    """How change grounding agrees with attention, over the outputs that have both."""
    looked, changed = (found.iou for found in reads)
    rows = []
    for number, editor in enumerate(frame.editors):
        both = ~np.isnan(looked[number]) & ~np.isnan(changed[number])
        if not both.any():
            continue
        one, other = looked[number][both], changed[number][both]
        same = ((one >= cutoffs.iou) == (other >= cutoffs.iou)).astype(np.float64)
        cells = {"same": _share(int(same.sum()), len(same), True)}
        rho = _spearman(one, other)
        cells["rho"] = Cell(value=rho, n=len(same), of=len(same))
        rows.append(TableRow(name=editor, cells=cells))
    if not rows:
        return None
    return Table(
        name=f"{frame.benchmark}.failures_agreement",
        title="Where models looked and where they changed the picture",
        columns=[
            Column(name="same", heading=("same side of the cut-off",), digits=2),
            Column(name="rho", heading=("Spearman's ρ of the IoUs",), digits=2),
        ],
        rows=rows,
        benchmark=frame.benchmark,
        size=len(frame.samples),
        notes=[f"Both IoUs, cut at {cutoffs.iou:g}; Wilson intervals (95 %)."],
    )


def _spearman(one: Floats, other: Floats) -> float | None:
    """Spearman's rank correlation; None where there is none (too few, or all equal)."""
    if len(one) < 3 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    return spearman(one, other)
