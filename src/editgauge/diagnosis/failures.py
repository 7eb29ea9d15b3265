"""Readings of an output: given back unchanged, edited well, at the right place without doing it,
neither, or acted elsewhere. From rows alone.

Two bases. *Attention* is MedEBench's (arXiv 2506.01921, section 4: low accuracy and high
preservation, parted by the IoU of attention): where did the model look? *Pixels* needs no access to
the model: where did the picture change? An output whose accuracy nobody judged is read by its place
alone (`UNJUDGED`). The cut-offs are ours, and are printed with every table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from editgauge.statistics.limits import share_interval
from editgauge.store.labels import mapping
from editgauge.tables.metrics import benchmark_of, choose
from editgauge.tables.results import Floats, Mask, Results
from editgauge.tables.table import Cell, Column, Table, TableRow

if TYPE_CHECKING:
    from editgauge.store.run import Run

Basis = Literal["attention", "pixels"]
BASES: tuple[Basis, ...] = ("attention", "pixels")
RETURNED = "returned"
"""The input given back. It is read first: a judge that scores it high is wrong, and no attention
makes it an edit."""
KINDS = (RETURNED, "well", "there", "neither", "elsewhere", "placed", "astray")
WORST = (RETURNED, "elsewhere", "astray", "neither", "there", "placed", "well")
"""In the order of a page that is sorted by them."""
WORDS: dict[Basis, dict[str, str]] = {
    "attention": {
        RETURNED: "gave the input back",
        "well": "edited well",
        "there": "looked right but did not act",
        "neither": "neither looked right nor acted",
        "elsewhere": "acted elsewhere",
        "placed": "looked right (not judged)",
        "astray": "looked elsewhere (not judged)",
    },
    "pixels": {
        RETURNED: "gave the input back",
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
NONE = -1
Codes = NDArray[np.int8]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cutoffs:
    """From which values on a score is high, on the scale of the rows. `changed`: the share of the
    picture that must have changed for an output to have acted at all.
    """

    accuracy: str = ""
    accurate: float = 0.0
    preservation: str = ""
    preserved: float = 0.0
    iou: float = 0.3
    changed: float = 0.005

    def words(self, basis: Basis) -> str:
        """The cut-offs of a basis as one line."""
        parts = [f"{self.accuracy} at {self.accurate:g}"] if self.accuracy else []
        if basis == "attention" and self.accuracy and self.preservation:
            parts.append(f"{self.preservation} at {self.preserved:g}")
        parts.append(f"{PREFIX[basis]}_iou at {self.iou:g}")
        if basis == "pixels":
            parts.append(f"acted from {self.changed:.1%} of the picture on")
        return f"High from: {', '.join(parts)}."


_NUMBERS = tuple(one.name for one in fields(Cutoffs) if one.type == "float")


def cutoffs_of(benchmark: str, **given: float | None) -> Cutoffs:
    """The cut-offs of a benchmark, but for those given and not None."""
    known = benchmark_of(benchmark)
    reading = None if known is None else known.reading
    names = ("accuracy", "accurate", "preservation", "preserved")
    defaults = {} if reading is None else {name: getattr(reading, name) for name in names}
    chosen: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    return Cutoffs(**{**defaults, **chosen})


def as_facts(cutoffs: Cutoffs) -> dict[str, float]:
    """The numbers of cut-offs, for a run's manifest: see `recorded`."""
    return {name: getattr(cutoffs, name) for name in _NUMBERS}


def recorded(runs: Sequence[Run], benchmark: str) -> Cutoffs:
    """The cut-offs of the last `diagnose` of a benchmark in the runs, else the benchmark's own."""
    given: dict[str, float | None] = {}
    for entry in (mapping(e) for run in runs for e in run.manifest().get("entries", [])):
        if (entry.get("command"), entry.get("benchmark")) == ("diagnose", benchmark):
            numbers = mapping(entry.get("cutoffs"))
            given |= {n: v for n in _NUMBERS if isinstance(v := numbers.get(n), int | float)}
    return cutoffs_of(benchmark, **given)


class Read(NamedTuple):
    """What every output was read as. `kinds`: (E, S), a number into `KINDS`, `NONE` where it cannot
    be told; `iou`: (E, S), NaN = none; `judged`: (E, S), the accuracy is known.
    """

    basis: Basis
    kinds: Codes
    iou: Floats
    judged: Mask


def read(results: Results, basis: Basis, cutoffs: Cutoffs) -> Read | None:
    """Every output read by one basis; None where there is no IoU of it. Sources must have been
    chosen before (`one_source`).
    """

    def values(metric: str) -> Floats:
        return results.grid(metric, choose(results, metric, "corrected")[0]).values

    if not results.has(f"{PREFIX[basis]}_iou"):
        return None
    iou, accuracy = values(f"{PREFIX[basis]}_iou"), values(cutoffs.accuracy)
    judged = ~np.isnan(accuracy)
    there, low = iou >= cutoffs.iou, judged & (accuracy < cutoffs.accurate)
    known, choices = ~np.isnan(iou), {"well": judged & ~low}
    if basis == "attention":
        kept = values(cutoffs.preservation)
        known &= ~judged | ~np.isnan(kept)
        keeps = kept >= cutoffs.preserved
        choices |= {"elsewhere": low & ~keeps, "there": low & keeps & there}
        choices |= {"neither": low & keeps & ~there}
        choices |= {"placed": ~judged & there, "astray": ~judged & ~there}
    else:
        share = values("change_share")
        known &= ~np.isnan(share)
        acted, open_ = share >= cutoffs.changed, low | ~judged
        choices |= {"neither": open_ & ~acted, "elsewhere": open_ & acted & ~there}
        choices |= {"there": low & acted & there, "placed": ~judged & acted & there}
    kinds = np.full(iou.shape, NONE, dtype=np.int8)
    for name, mask in choices.items():
        kinds[known & mask] = KINDS.index(name)
    kinds[~np.isnan(iou) & _unchanged(results, values("change_share"))] = KINDS.index(RETURNED)
    return Read(basis, kinds, iou, judged)


def _unchanged(results: Results, share: Floats) -> Mask:
    """Return a mask (E, S) of the outputs that are their input.

    Either every pixel is the input's, or no pixel changed by more than the measurement of `share`
    (E, S) counts, as in an input that was saved once more as a JPEG.
    """
    unchanged = np.asarray(share == 0)
    for row, editor in enumerate(results.editors):
        delivery = results.deliveries.get(editor)
        if delivery is not None and delivery.given_back:
            unchanged[row] |= np.isin(results.samples.ids, list(delivery.given_back))
    return unchanged


def one_source(results: Results) -> Results:
    """Results without people's rows and with one source for each metric, the first by name."""
    results = results.without_people()
    first = {metric: names[0] for metric, names in results.makers().items()}
    return results.where(lambda key: key.source == first.get(key.metric, key.source))


def tables(
    results: Results, cutoffs: Cutoffs | None = None, *, intervals: bool = False
) -> list[Table]:
    """How often each kind is met, for each editor and type of task, by each basis that has rows."""
    results = one_source(results)
    cutoffs = cutoffs or cutoffs_of(results.benchmark)
    reads = [one for basis in BASES if (one := read(results, basis, cutoffs)) is not None]
    return [
        _counted(results, one, cutoffs, intervals) for one in reads if (one.kinds != NONE).any()
    ]


def _counted(results: Results, one: Read, cutoffs: Cutoffs, intervals: bool) -> Table:
    words = WORDS[one.basis]
    groups = _groups(results)
    rows = [
        TableRow(name=editor, cells=_row(one, number, mine, intervals), group=group)
        for group, mine in groups
        for number, editor in enumerate(results.editors)
        if (one.kinds[number][mine] != NONE).any()
    ]
    unjudged = [k for k in UNJUDGED if k in words and any(row.cells[k].value for row in rows)]
    used = [kind for kind in words if kind not in UNJUDGED or kind in unjudged]
    columns = [Column(name=kind, heading=(words[kind],), digits=2) for kind in used]
    notes = [
        "Shares of the outputs, with 95 % intervals (Agresti and Coull).",
        cutoffs.words(one.basis),
    ]
    if unjudged:
        notes.append("Where nobody judged the edit, edited well and not as asked are one.")
    return Table(
        name=f"{results.benchmark}.failures_{one.basis}",
        title=f"Why edits failed, by {one.basis}",
        columns=[*columns, Column(name="iou", heading=("mean IoU",))],
        rows=rows,
        benchmark=results.benchmark,
        size=len(results.samples),
        notes=notes,
        by="task type" if groups[0][0] else "",
    )


def _groups(results: Results) -> list[tuple[str, Mask]]:
    """The samples of each type of task, and all of them at the end."""
    whole = np.ones(len(results.samples), dtype=np.bool_)
    known = benchmark_of(results.benchmark)
    by = known.reading.by if known is not None and known.reading is not None else ""
    if not by or by not in results.samples.names():
        return [("", whole)]
    labels = results.samples.labels(by)
    parts = [(str(value) or "unknown", np.asarray(labels == value)) for value in np.unique(labels)]
    return [*parts, ("all", whole)] if len(parts) > 1 else [(parts[0][0], whole)]


def _row(one: Read, editor: int, mine: Mask, intervals: bool) -> dict[str, Cell]:
    """The cells of one editor. A kind that nobody's judgement could have told has no number."""
    kinds = one.kinds[editor][mine]
    known = kinds != NONE
    of, iou = int(known.sum()), one.iou[editor][mine][known]
    unjudged = not one.judged[editor][mine][known].any()
    cells = {}
    for code, kind in enumerate(KINDS):
        hits = int((kinds == code).sum())
        if unjudged and kind in _JUDGED[one.basis]:
            cells[kind] = Cell(value=None, n=0, of=of)
        else:  # this interval is honest for few outputs and for 0 and 1
            low, high = share_interval(hits / of, of) if intervals else (None, None)
            cells[kind] = Cell(value=hits / of, n=hits, of=of, low=low, high=high)
    return {**cells, "iou": Cell(value=float(iou.mean()), n=of, of=of)}
