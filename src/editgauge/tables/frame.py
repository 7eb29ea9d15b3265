"""The current rows of one benchmark as columns: what tables, comparisons and reports are computed
from.

A million rows are a dozen NumPy arrays here, not a million objects. Names are stored once and rows
refer to them by number. A `Frame` is read from Parquet files (of one run or several) or made from
`Row` objects; `grid` turns it into editors × samples for one metric.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from editgauge import catalog
from editgauge.errors import RunError, UnknownName, UsageError
from editgauge.store import parquet
from editgauge.store.described import together
from editgauge.store.labels import Samples, mapping
from editgauge.store.variants import Variants, variants
from editgauge.tables.models import Models, built_in, load
from editgauge.types import Benchmark, Metric, Row, Status

if TYPE_CHECKING:
    from editgauge.store.run import Run

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
Mask = NDArray[np.bool_]

STATUSES: tuple[Status, ...] = tuple(Status)
"""The order of the numbers in `Columns.status`; -1 stands for "no row"."""
FAILURES = (Status.MISSING, Status.UNREADABLE, Status.REFUSED, Status.FAILED, Status.UNPARSABLE)
"""The statuses that a mean "with failures at the scale's minimum" counts."""
EXCUSES = (Status.NOT_APPLICABLE, Status.DATASET_FAULT)
"""The statuses of samples that the protocol itself, or the data, give no score."""
WHOLE_SET = "*"
"""The sample id of a metric of a whole set of edits (FID)."""
PEOPLE = "human:"
"""How the source of a person's row begins: ``human:<annotator>``. People's rows are never read like
a machine's: see `Frame.without_people`.
"""
_SCORED = STATUSES.index(Status.SCORED)


def excused(status: Codes) -> Mask:
    """Where numbers into `STATUSES` are of `EXCUSES`; of the same shape."""
    return np.asarray(np.isin(status, [STATUSES.index(excuse) for excuse in EXCUSES]))


_TEXT = ("sample", "editor", "scorer", "metric", "variant", "source", "status")


class Columns(NamedTuple):
    """Rows as arrays of one length R. Text columns hold numbers into the frame's tuples; `sample`
    is -1 for a metric of the whole set; `value` is NaN without a score and ``inf`` for an infinite
    PSNR.
    """

    sample: Codes
    editor: Codes
    scorer: Codes
    metric: Codes
    variant: Codes
    source: Codes
    status: Codes
    repeat: Codes
    value: Floats


class Delivery(NamedTuple):
    """The samples that an editor delivered a picture for: edited ones, and those whose input came
    back (`store.outputs.given_back`).
    """

    edited: frozenset[str]
    given_back: frozenset[str]


class Grid(NamedTuple):
    """One metric of every editor on every sample.

    `values` (E, S): the mean over repeats, NaN = no score. `status` (E, S): number into `STATUSES`,
    -1 = no row.
    """

    values: Floats
    status: Codes

    @property
    def defined(self) -> Mask:
        """Samples that the metric can say something about: (S,). Not those that every editor's row
        calls not applicable or a fault of the data set.
        """
        out = excused(self.status)
        return np.asarray(~(out.any(axis=0) & (out | (self.status < 0)).all(axis=0)))

    @property
    def failed(self) -> Mask:
        """(E, S): there is a row, without a score, and neither the data nor the protocol is to
        blame.
        """
        return np.asarray(np.isin(self.status, [STATUSES.index(status) for status in FAILURES]))


class Side(NamedTuple):
    """Which of several frames of the same rows one is: see `Frame.sides`."""

    source: str
    shown: frozenset[str]
    """The metrics that are this side's own: a table of it shows one of them at least. Empty: the
    side of what nobody else made.
    """
    disputed: frozenset[str]
    """The metrics of all sides that have a source."""

    def takes(self, metrics: Set[str]) -> bool:
        """Whether a table of these metrics belongs to this side."""
        return bool(metrics & self.shown) if self.shown else not metrics & self.disputed


@dataclass(frozen=True, slots=True)
class Frame:
    """The current rows of one benchmark. `editors`, `metrics`… are the names that the columns'
    numbers point at.
    """

    benchmark: str
    samples: Samples
    editors: tuple[str, ...]
    scorers: tuple[str, ...]
    metrics: tuple[str, ...]
    variants: tuple[str, ...]
    sources: tuple[str, ...]
    columns: Columns
    set_counts: Mapping[tuple[str, str, str], int] = field(default_factory=dict)
    """(metric, variant, editor) -> how many samples a value of the whole set was computed from."""
    deliveries: Mapping[str, Delivery] = field(default_factory=dict)
    """editor -> what it delivered; empty where the runs' records of edits were not read."""
    described: Mapping[str, Metric] = field(default_factory=dict)
    """What the runs say about their metrics, by name."""
    variants_of: Variants = field(default_factory=Variants)
    """What the records of edits say of variants of a model: swept settings, samples learned from;
    empty where they were not read.
    """
    models: Models = field(default_factory=built_in)
    """What is known of the models: see `tables.models`."""
    side: Side | None = None
    """Which of several frames this is; None where it is the only one."""
    _grids: dict[tuple[str, str], Grid] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """Grids made so far; `replace` starts with none."""
    _known: dict[str, frozenset[tuple[str, str]]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """Which metrics and variants there are rows of, once that was asked."""

    def __len__(self) -> int:
        return len(self.columns.value)

    # -- making one --------------------------------------------------------------------------------

    @classmethod
    def from_rows(
        cls,
        rows: Iterable[Row],
        samples: Iterable[Mapping[str, Any]],
        benchmark: str,
        *,
        described: Mapping[str, Metric] | None = None,
    ) -> Frame:
        """From `Row` objects; rows of other benchmarks are passed over."""
        kept = [row for row in rows if row.benchmark == benchmark]
        names = {
            name: sorted({str(getattr(row, name)) for row in kept})
            for name in _TEXT
            if name != "status"
        }
        codes = {
            name: {text: code for code, text in enumerate(found)} for name, found in names.items()
        }
        codes["status"] = {status.value: code for code, status in enumerate(STATUSES)}
        arrays = {
            name: np.array([codes[name][str(getattr(row, name))] for row in kept], dtype=np.int32)
            for name in _TEXT
        }
        value = np.array([_number(row.value, row.status) for row in kept], dtype=np.float64)
        repeat = np.array([row.repeat for row in kept], dtype=np.int32)
        made = cls._assemble(benchmark, samples, names, arrays, repeat, value)
        of_sets = [
            (row.metric, row.variant, row.editor, row.detail)
            for row in kept
            if row.sample == WHOLE_SET
        ]
        return replace(made, set_counts=_set_counts(of_sets), described=described or {})

    @classmethod
    def from_parquet(
        cls,
        files: Sequence[parquet.Place],
        samples: Iterable[Mapping[str, Any]],
        benchmark: str,
        *,
        editors: Sequence[str] = (),
    ) -> Frame:
        """From the Parquet files that `Run.parquet` gives, of one run or of several. With
        `editors` only their rows are read.

        Raises `RunError` when a file cannot be read, or holds a status that this version does not
        know.
        """
        if not files:
            return cls.from_rows([], samples, benchmark)
        names, columns, of_sets = _encoded(files, benchmark, editors)
        order = {status.value: code for code, status in enumerate(STATUSES)}
        strange = [text for text in names["status"] if text not in order]
        if strange:
            raise RunError(
                f"{Path(files[0]).name}: status {strange[0]!r} is not known; use the editgauge "
                f"that wrote the run"
            )
        known = np.array([order[text] for text in names.pop("status")], dtype=np.int32)
        arrays = {name: np.asarray(columns[name]).astype(np.int32) for name in _TEXT}
        arrays["status"] = known[arrays["status"]] if len(known) else arrays["status"]
        value = np.ma.filled(np.ma.asarray(columns["value"], dtype=np.float64), np.nan)
        value = np.where(np.isnan(value) & (arrays["status"] == _SCORED), np.inf, value)
        repeat = np.asarray(columns["repeat"]).astype(np.int32)
        made = cls._assemble(benchmark, samples, names, arrays, repeat, value)
        return replace(made, set_counts=_set_counts(of_sets))

    @classmethod
    def of_runs(cls, runs: Sequence[Run], benchmark: str, *, editors: Sequence[str] = ()) -> Frame:
        """The rows of one or several runs together (machines, editors), `settled`. With `editors`
        the rows of the others stay unread, unless one of these has none.
        """
        files = [path for run in runs for path in run.parquet()]
        read = cls.from_parquet(files, _samples(runs, benchmark), benchmark, editors=editors)
        if not set(editors) <= set(read.editors):  # then who asks is told which there are
            read = cls.from_parquet(files, _samples(runs, benchmark), benchmark)
        told = [(run.path.name, run.metrics(benchmark)) for run in runs]
        folders = [folder for run in runs for folder in (run.path.parent, run.path)]
        made = replace(read, described=together(told), models=load(folders))
        deliveries, of = _edits(runs, benchmark)
        return replace(made, deliveries=deliveries, variants_of=of).settled()

    def settled(self) -> Frame:
        """The frame as this version reads it, where rows or samples were stored by an earlier one:
        see `types.Benchmark.settled`. Doing it twice changes nothing.
        """
        try:
            benchmark: Benchmark = catalog.find("benchmarks", self.benchmark)
        except UnknownName:  # rows of a benchmark that is not installed here
            return self
        own: Frame = self if benchmark.settled is None else benchmark.settled(self)
        return own

    @classmethod
    def _assemble(
        cls,
        benchmark: str,
        samples: Iterable[Mapping[str, Any]],
        names: Mapping[str, Sequence[str]],
        arrays: Mapping[str, Codes],
        repeat: Codes,
        value: Floats,
    ) -> Frame:
        index = Samples(samples)
        strangers = [
            text for text in names["sample"] if text != WHOLE_SET and text not in index.records
        ]
        if strangers:  # rows without a sample record: kept, without attributes
            index = Samples([*index.records.values(), *({"id": text} for text in strangers)])
        place = {text: number for number, text in enumerate(index.ids)} | {WHOLE_SET: -1}
        moved = np.array([place[text] for text in names["sample"]], dtype=np.int32)
        sample = moved[arrays["sample"]] if len(moved) else arrays["sample"]
        return cls(
            benchmark,
            index,
            tuple(names["editor"]),
            tuple(names["scorer"]),
            tuple(names["metric"]),
            tuple(names["variant"]),
            tuple(names["source"]),
            Columns(
                sample,
                arrays["editor"],
                arrays["scorer"],
                arrays["metric"],
                arrays["variant"],
                arrays["source"],
                arrays["status"],
                repeat,
                value,
            ),
        )

    def with_columns(self, columns: Columns) -> Frame:
        """The same frame with other columns of the same names."""
        return replace(self, columns=columns)

    # -- narrowing ---------------------------------------------------------------------------------

    def only(self, mask: Mask) -> Frame:
        """The rows where `mask` (R,) is true; names stay as they are."""
        if mask.all():
            return self
        kept = {name: column[mask] for name, column in self.columns._asdict().items()}
        return replace(self, columns=Columns(**kept))

    def of_editors(self, wanted: Sequence[str]) -> Frame:
        """Rows of these editors, in this order. Raises `UnknownName` for one that is not here."""
        for name in wanted:
            if name not in self.editors:
                near = difflib.get_close_matches(name, self.editors, n=3, cutoff=0.4)
                hint = (
                    f"did you mean {' or '.join(near)}?"
                    if near
                    else f"there are: {', '.join(self.editors)}"
                )
                raise UnknownName(f"editor {name!r} has no rows for {self.benchmark}; {hint}")
        codes = {self.editors.index(name): number for number, name in enumerate(wanted)}
        mask = np.isin(self.columns.editor, list(codes))
        kept = self.only(mask)
        moved = np.array([codes.get(code, -1) for code in range(len(self.editors))], dtype=np.int32)
        columns = kept.columns._replace(editor=moved[kept.columns.editor])
        return replace(kept, editors=tuple(wanted), columns=columns)

    def of_samples(self, mask: Mask) -> Frame:
        """Only the samples where `mask` (S,) is true: their rows, and a shorter `samples`. Rows of
        the whole set go.
        """
        kept = [identity for identity, keep in zip(self.samples.ids, mask, strict=True) if keep]
        place = np.cumsum(mask, dtype=np.int32) - 1
        rows = self.only((self.columns.sample >= 0) & np.append(mask, False)[self.columns.sample])
        columns = rows.columns._replace(sample=place[rows.columns.sample].astype(np.int32))
        return replace(
            rows,
            samples=Samples(self.samples.records[identity] for identity in kept),
            columns=columns,
        )

    def without_unscored(self, mask: Mask) -> Frame:
        """Without the samples where `mask` (S,) is false, which have no row: all rows stay, those
        of the whole set, too.
        """
        kept = [identity for identity, keep in zip(self.samples.ids, mask, strict=True) if keep]
        place = np.append(np.cumsum(mask, dtype=np.int32) - 1, -1).astype(np.int32)
        return replace(
            self,
            samples=Samples(self.samples.records[identity] for identity in kept),
            columns=self.columns._replace(sample=place[self.columns.sample]),
        )

    def makers(self) -> dict[str, list[str]]:
        """Which sources made the rows of each metric, for the metrics that several made."""
        pairs = (
            self.columns.metric.astype(np.int64) * max(1, len(self.sources)) + self.columns.source
        )
        found: dict[str, list[str]] = {}
        for pair in np.flatnonzero(np.bincount(pairs)).tolist():
            metric, source = divmod(pair, max(1, len(self.sources)))
            found.setdefault(self.metrics[metric], []).append(self.sources[source])
        return {metric: sources for metric, sources in found.items() if len(sources) > 1}

    def sources_of(self, metric: str) -> tuple[str, ...]:
        """The sources that made the metric's rows, by name; () where it has none."""
        if metric not in self.metrics:
            return ()
        codes = np.unique(self.columns.source[self.columns.metric == self.metrics.index(metric)])
        return tuple(self.sources[code] for code in codes)

    def by_source(self) -> list[Frame]:
        """This frame, or where metrics were made by several sources a frame for each of those,
        after one with all other metrics: what can stand side by side and must not be mixed.
        """
        makers = self.makers()
        if not makers:
            return [self]
        several = np.isin(self.columns.metric, [self.metrics.index(metric) for metric in makers])
        found = [self.only(~several)] if not several.all() else []
        for source in sorted({name for names in makers.values() for name in names}):
            found.append(self.only(several & (self.columns.source == self.sources.index(source))))
        return found

    def sides(self) -> list[Frame]:
        """This frame, or where metrics were made by several sources: a frame of what no such source
        made, and for each of them one of that and of all that it made itself. A table that shows
        scores of one judge beside others (accuracy beside SSIM) is so whole for each judge, and
        none mixes two.
        """
        makers = self.makers()
        if not makers:
            return [self]
        several = np.isin(self.columns.metric, [self.metrics.index(metric) for metric in makers])
        sources = sorted({name for names in makers.values() for name in names})
        codes = [self.sources.index(source) for source in sources if source]
        common = ~several & ~np.isin(self.columns.source, codes)
        of_side: dict[str, frozenset[str]] = {}
        for source in sources:
            theirs = self.columns.source == self.sources.index(source)
            theirs &= several | (source != "")  # rows without a source are nobody's but these
            numbers = np.unique(self.columns.metric[theirs])
            of_side[source] = frozenset(self.metrics[number] for number in numbers)
        disputed = frozenset().union(*of_side.values())
        found = [replace(self.only(common), side=Side("", frozenset(), disputed))]
        for source, shown in of_side.items():
            mine = self.columns.source == self.sources.index(source)
            mine &= several | (source != "")
            found.append(replace(self.only(common | mine), side=Side(source, shown, disputed)))
        return found

    def own(self) -> Frame:
        """The rows of the metrics that are this side's own; all rows where there are no sides."""
        if self.side is None or not self.side.shown:
            return self
        mine = [n for n, name in enumerate(self.metrics) if name in self.side.shown]
        return self.only(np.isin(self.columns.metric, mine))

    def sources_called(self, name: str) -> list[str]:
        """The sources with this name: in full, or up to a ``#`` (a judge's name without its
        settings' hash).
        """
        return [
            source
            for source in self.sources
            if source and name in (source, source.partition("#")[0])
        ]

    def _by_people(self) -> Mask:
        codes = [code for code, name in enumerate(self.sources) if name.startswith(PEOPLE)]
        return np.asarray(np.isin(self.columns.source, codes))

    def only_people(self) -> Frame:
        """The rows of annotators alone."""
        return self.only(self._by_people())

    def without_people(self) -> Frame:
        """Everything but the rows of annotators, whose several opinions of one output no table may
        mix.
        """
        return self.only(~self._by_people())

    def of_sources(self, wanted: Sequence[str]) -> Frame:
        """One source for each metric: metrics that several made keep the rows of a wanted one.

        Raises `UsageError` where a metric was made by several and `wanted` does not say which (the
        message names them), and `UnknownName` for a wanted source that made nothing.
        """
        meant = set()
        for name in wanted:
            if not self.sources_called(name):
                there = ", ".join(repr(source) for source in self.sources if source) or "none"
                raise UnknownName(
                    f"source {name!r} made no row of {self.benchmark}; sources here: {there}"
                )
            meant.update(self.sources_called(name))
        keep = np.ones(len(self), dtype=np.bool_)
        for metric, sources in self.makers().items():
            chosen = [source for source in sources if source in meant]
            if len(chosen) != 1:
                names = ", ".join(repr(source) for source in (chosen or sources))
                raise UsageError(
                    f"{self.benchmark}: metric {metric!r} has rows from several sources ({names}), "
                    f"which cannot be "
                    f"mixed in one table; choose one with --source"
                )
            mine = self.columns.metric == self.metrics.index(metric)
            keep &= ~mine | (self.columns.source == self.sources.index(chosen[0]))
        return self.only(keep)

    # -- reading -----------------------------------------------------------------------------------

    def has(self, metric: str, variant: str = "") -> bool:
        """Whether there is any row of this metric and variant ("": of any)."""
        pairs = self._known.get("pairs")
        if pairs is None:
            width = max(1, len(self.variants))
            codes = np.unique(self.columns.metric.astype(np.int64) * width + self.columns.variant)
            found = [divmod(code, width) for code in codes.tolist()]
            both = {(self.metrics[m], self.variants[v]) for m, v in found}
            pairs = self._known["pairs"] = frozenset(both | {(m, "") for m, _ in both})
        return (metric, variant) in pairs

    def grid(self, metric: str, variant: str) -> Grid:
        """The metric on every sample, editors × samples: see `Grid`. Repeats are averaged.

        Of two rows for one place a score stands before a failure. Raises `RunError` when two scores
        differ: which of them counts is not for a table to decide.
        """
        if (metric, variant) not in self._grids:
            self._grids[metric, variant] = self._grid(metric, variant)
        return self._grids[metric, variant]

    def _grid(self, metric: str, variant: str) -> Grid:
        columns = self.columns
        rows = np.flatnonzero(self._rows_of(metric, variant) & (columns.sample >= 0))
        count = len(self.samples)
        place = columns.editor[rows].astype(np.int64) * count + columns.sample[rows]
        value, status = columns.value[rows], columns.status[rows]
        repeat = columns.repeat[rows].astype(np.int64)
        slot = place * (int(repeat.max(initial=0)) + 1) + repeat
        order = np.lexsort((status != _SCORED, slot))
        first = np.ones(len(order), dtype=np.bool_)
        first[1:] = slot[order][1:] != slot[order][:-1]
        self._refuse_contradictions(metric, variant, rows[order], first)
        chosen = order[first]
        cells = len(self.editors) * count
        scored = status[chosen] == _SCORED
        given = np.bincount(place[chosen][scored], minlength=cells)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = (
                np.bincount(place[chosen][scored], weights=value[chosen][scored], minlength=cells)
                / given
            )
        kinds = np.full(cells, -1, dtype=np.int32)
        kinds[place[chosen][~scored]] = status[chosen][~scored]
        kinds[place[chosen][scored]] = _SCORED
        shape = (len(self.editors), count)
        return Grid(np.where(given > 0, mean, np.nan).reshape(shape), kinds.reshape(shape))

    def repeats(self, metric: str, variant: str, editor: str) -> Floats:
        """Every repeat of one editor's scores: (S, repeats), NaN = none."""
        mask = self._rows_of(metric, variant) & (self.columns.sample >= 0)
        mask &= self.columns.editor == self.editors.index(editor)
        repeat = self.columns.repeat[mask]
        out = np.full((len(self.samples), int(repeat.max(initial=-1)) + 1), np.nan)
        out[self.columns.sample[mask], repeat] = self.columns.value[mask]
        return out

    def of_set(self, metric: str, variant: str) -> Floats:
        """A metric of the whole set (FID) for each editor: (E,), NaN = none. Raises `RunError` on
        two values.
        """
        mask = (
            self._rows_of(metric, variant)
            & (self.columns.sample < 0)
            & ~np.isnan(self.columns.value)
        )
        out = np.full(len(self.editors), np.nan)
        for editor, value in zip(
            self.columns.editor[mask].tolist(), self.columns.value[mask].tolist(), strict=True
        ):
            if not np.isnan(out[editor]) and out[editor] != value:
                raise RunError(
                    f"{self.benchmark}: {self.editors[editor]} has two values of {metric}: "
                    f"{out[editor]:g} and "
                    f"{value:g}; name one run, or choose with --source"
                )
            out[editor] = value
        return out

    def _rows_of(self, metric: str, variant: str) -> Mask:
        if metric not in self.metrics or variant not in self.variants:
            return np.zeros(len(self), dtype=np.bool_)
        return np.asarray(
            (self.columns.metric == self.metrics.index(metric))
            & (self.columns.variant == self.variants.index(variant))
        )

    def _refuse_contradictions(
        self, metric: str, variant: str, ordered: NDArray[np.int64], first: Mask
    ) -> None:
        value, status = self.columns.value[ordered], self.columns.status[ordered]
        again = np.flatnonzero(~first)
        clash = again[(status[again] == _SCORED) & (value[again] != value[again - 1])]
        if len(clash):
            row, other = ordered[clash[0]], ordered[clash[0] - 1]
            raise RunError(
                f"{self.benchmark}: {self.editors[self.columns.editor[row]]} has two scores of "
                f"{metric} ({variant}) "
                f"for sample {self.samples.ids[self.columns.sample[row]]!r}: "
                f"{self.columns.value[other]:g} and "
                f"{self.columns.value[row]:g}; the output or the scorer changed in between: score "
                f"again, or name one "
                f"run"
            )


def _samples(runs: Sequence[Run], benchmark: str) -> Iterator[Mapping[str, Any]]:
    """The records of the runs' samples; of runs that say the same, to the byte, once."""
    marks = set()
    for run in runs:
        mark = run.samples_mark(benchmark)
        if mark not in marks:
            yield from run.samples(benchmark)
        marks.add(mark)


def _edits(runs: Sequence[Run], benchmark: str) -> tuple[dict[str, Delivery], Variants]:
    """What the records of edits say: deliveries, where it is known whether the output was given
    back, and variants. One run's records are held at a time.
    """
    found: dict[str, tuple[set[str], set[str]]] = {}
    settings: dict[tuple[str, int], tuple[str, Mapping[str, Any]]] = {}
    for run in runs:
        for record in run.edits(benchmark):
            if record.settings:  # records that say the same share one object
                told = (record.editor, record.settings)
                settings.setdefault((record.editor, id(record.settings)), told)
            if record.given_back is not None:
                sets = found.setdefault(record.editor, (set(), set()))
                sets[record.given_back].add(sys.intern(record.sample))
    deliveries = {
        editor: Delivery(frozenset(edited), frozenset(back))
        for editor, (edited, back) in found.items()
    }
    return deliveries, variants(settings.values())


def _set_counts(
    rows: Iterable[tuple[str, str, str, Mapping[str, Any]]],
) -> dict[tuple[str, str, str], int]:
    """From the details of rows of whole sets: the entry ``samples``, where it is there."""
    found = {}
    for metric, variant, editor, detail in rows:
        count = detail.get("samples")
        if isinstance(count, int) and not isinstance(count, bool):
            found[metric, variant, editor] = count
    return found


_OfSets = list[tuple[str, str, str, Mapping[str, Any]]]


def _encoded(
    files: Sequence[parquet.Place], benchmark: str, editors: Sequence[str]
) -> tuple[dict[str, list[str]], dict[str, Any], _OfSets]:
    """The distinct texts of each text column; every column as numbers (into these texts, but for
    repeat and value); and metric, variant, editor and detail of the rows of whole sets.
    """
    chosen = f" AND editor IN ({', '.join('?' * len(editors))})" if editors else ""
    asked = [benchmark, *editors]
    where = f"FROM {parquet.relation(files)} WHERE benchmark = ?{chosen}"
    with parquet.database(files) as db:
        names: dict[str, list[str]] = {}
        for name in _TEXT:  # an enumeration is cast in the files' own dictionaries: fast
            found = db.execute(f"SELECT DISTINCT {name} {where} ORDER BY 1", asked).fetchall()
            names[name] = [text for (text,) in found]
            listed = ", ".join(f"'{text.replace(chr(39), chr(39) * 2)}'" for text in names[name])
            if not found:
                nothing = {one: np.zeros(0) for one in (*_TEXT, "repeat", "value")}
                return {one: [] for one in _TEXT}, nothing, []
            db.execute(f"CREATE TYPE e_{name} AS ENUM ({listed})")
        picked = ", ".join(f"enum_code(CAST({name} AS e_{name})) AS {name}" for name in _TEXT)
        of_sets = db.execute(
            f"SELECT metric, variant, editor, detail {where} AND sample = ?", [*asked, WHOLE_SET]
        ).fetchall()
        details = [(m, v, e, mapping(orjson.loads(detail))) for m, v, e, detail in of_sets]
        columns = db.execute(f"SELECT {picked}, repeat, value {where}", asked).fetchnumpy()
        return names, columns, details


def _number(value: float | None, status: Status) -> float:
    """Scored without a value is an infinite PSNR (see `types.Score`); everything else without one
    is no score.
    """
    if value is not None:
        return value
    return np.inf if status is Status.SCORED else np.nan
