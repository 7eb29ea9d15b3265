"""The current rows of one benchmark as a cube: for each metric, variant, source and scorer (`Key`)
scores by repeat, editor and sample (`Cube`). `grid` is one metric's of every editor.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from editgauge.errors import RunError, UnknownName, UsageError, meant
from editgauge.store.labels import Samples
from editgauge.store.variants import Learned
from editgauge.tables.models import Models, built_in
from editgauge.types import Metric, Status

Floats = NDArray[np.float64]
Codes = NDArray[np.int8]
Mask = NDArray[np.bool_]
Scale = Callable[[Floats], Any]
"""Stored values of any shape, NaN = none, to the same values on another scale."""

STATUSES: tuple[Status, ...] = tuple(Status)
"""The order of the numbers in `Cube.status`; -1 stands for "no row"."""
FAILURES = (Status.MISSING, Status.UNREADABLE, Status.REFUSED, Status.FAILED, Status.UNPARSABLE)
"""The statuses that a mean "with failures at the scale's minimum" counts."""
EXCUSES = (Status.NOT_APPLICABLE, Status.DATASET_FAULT)
"""The statuses of samples that the protocol itself, or the data, give no score."""
WHOLE_SET = "*"
"""The sample id of a metric of a whole set of edits (FID)."""
PEOPLE = "human:"
"""How the source of a person's row begins: ``human:<annotator>``. People's rows are never read like
a machine's: see `Results.without_people`.
"""
HUMAN = PEOPLE.rstrip(":")
"""The source of what all annotators together gave: the mean over them."""
SCORED = STATUSES.index(Status.SCORED)
_SAY_NOTHING = tuple(
    STATUSES.index(status)
    for status in (
        Status.MISSING,
        Status.NOT_APPLICABLE,
        Status.DATASET_FAULT,
        Status.NOT_MEASURED,
    )
)
"""The statuses that do not say whether there was an output."""


class Key(NamedTuple):
    """What a cube's rows have in common."""

    metric: str
    variant: str
    source: str = ""
    scorer: str = ""

    @property
    def of_people(self) -> bool:
        """Whether an annotator gave them."""
        return self.source.startswith(PEOPLE)


class Cube(NamedTuple):
    """Scores by repeat, editor and sample, (R, E, S), or (E, S) with the mean over repeats:
    `values`, NaN = none, ``inf`` = an infinite PSNR; `status`, a number into `STATUSES`, -1 = no
    row.
    """

    values: Floats
    status: Codes

    def part(self, *key: Any) -> Cube:
        """The same part of both arrays."""
        return Cube(self.values[key], self.status[key])

    def among(self, statuses: Collection[Status]) -> Mask:
        """Where the status is one of these."""
        return np.asarray(np.isin(self.status, [STATUSES.index(status) for status in statuses]))

    def on(self, scale: Scale) -> Cube:
        """The same with each value on another scale."""
        return Cube(np.asarray(scale(self.values)), self.status)

    @property
    def averaged(self) -> Cube:
        """Of (R, E, S) the mean over the repeats that have a score: (E, S)."""
        if len(self.values) == 1:
            return self.part(0)
        scored = self.status == SCORED
        count = scored.sum(axis=0)
        with np.errstate(invalid="ignore"):
            mean = np.where(scored, self.values, 0.0).sum(axis=0) / count
        other = np.where(scored, np.int8(-1), self.status).max(axis=0)
        return Cube(mean, np.where(count > 0, np.int8(SCORED), other))

    @property
    def defined(self) -> Mask:
        """Of (E, S) the samples that the metric can say something about: (S,). Not those that every
        editor's row calls not applicable or a fault of the data set.
        """
        out = self.among(EXCUSES)
        return np.asarray(~(out.any(axis=0) & (out | (self.status < 0)).all(axis=0)))

    @property
    def failed(self) -> Mask:
        """There is a row without a score, and neither data nor protocol is to blame. Where nothing
        of an editor was measured, nobody knows what its failures would be among: there are none.
        """
        scored, unmeasured = (self.among([one]) for one in (Status.SCORED, Status.NOT_MEASURED))
        unknown = unmeasured.any(axis=-1, keepdims=True) & ~scored.any(axis=-1, keepdims=True)
        return self.among(FAILURES) & ~unknown


class Whole(NamedTuple):
    """An editor's value of a whole-set metric, and of how many samples it is: 0 = nobody says."""

    value: float
    samples: int = 0


class Delivery(NamedTuple):
    """The samples that an editor delivered a picture for: edited ones, and those whose input came
    back (`store.outputs.given_back`).
    """

    edited: frozenset[str] = frozenset()
    given_back: frozenset[str] = frozenset()


class Side(NamedTuple):
    """Which of several results of the same rows one is (`Results.sides`): `shown`, the metrics that
    are this side's own, of which a table of it shows one at least (empty: the side of what nobody
    else made); `disputed`, the metrics of all sides that have a source.
    """

    source: str
    shown: frozenset[str]
    disputed: frozenset[str]

    def takes(self, metrics: Set[str]) -> bool:
        """Whether a table of these metrics belongs to this side."""
        return bool(metrics & self.shown) if self.shown else not metrics & self.disputed


@dataclass(frozen=True, slots=True)
class Results:
    """The current rows of one benchmark, by `Key`; samples and editors are in one order in all.

    `sets`: of a metric of the whole set editor -> value. `deliveries`: editor -> what it delivered,
    empty where the runs' records of edits were not read. `described`: what the runs say about their
    metrics, by name. `learned`: editor -> what it learned from, where the records of edits say so.
    `own_temperature`: judges that were asked without a temperature, since their server takes none,
    -> the one that the protocol declares.
    `side`: which of several results this is, None where it is the only one.
    """

    benchmark: str
    samples: Samples
    editors: tuple[str, ...]
    cubes: Mapping[Key, Cube]
    sets: Mapping[Key, Mapping[str, Whole]] = field(default_factory=dict)
    deliveries: Mapping[str, Delivery] = field(default_factory=dict)
    described: Mapping[str, Metric] = field(default_factory=dict)
    learned: Mapping[str, Learned] = field(default_factory=dict)
    models: Models = field(default_factory=built_in)
    own_temperature: Mapping[str, float] = field(default_factory=dict)
    side: Side | None = None
    _replies: dict[tuple[str, str], Cube] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _grids: dict[tuple[str, str], Cube] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    # -- what there is -----------------------------------------------------------------------------

    @property
    def keys(self) -> list[Key]:
        """Every key, those of whole sets last."""
        return [*self.cubes, *self.sets]

    def __len__(self) -> int:
        """How many rows there are."""
        rows = sum(int((cube.status >= 0).sum()) for cube in self.cubes.values())
        return rows + sum(map(len, self.sets.values()))

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that have rows, by name."""
        return tuple(sorted({key.metric for key in self.keys}))

    @property
    def sources(self) -> tuple[str, ...]:
        """Who made rows, by name; "" for what has no source."""
        return tuple(sorted({key.source for key in self.keys}))

    @property
    def repeats(self) -> int:
        """How often a judge judged at the most."""
        return max((len(cube.values) for cube in self.cubes.values()), default=0)

    def has(self, metric: str, variant: str = "") -> bool:
        """Whether there is any row of this metric and variant ("": of any)."""
        mine = [k for k in self.keys if k.metric == metric and variant in ("", k.variant)]
        return any(key in self.sets or (self.cubes[key].status >= 0).any() for key in mine)

    def tried(self, metrics: Collection[str] | None = None) -> Mask:
        """(E, S): whether an editor has any row of a sample, of these metrics or of any."""
        tried = np.zeros((len(self.editors), len(self.samples)), dtype=np.bool_)
        for key, cube in self.cubes.items():
            if metrics is None or key.metric in metrics:
                tried |= (cube.status >= 0).any(axis=0)
        return tried

    def used(self) -> int:
        """Return how many samples any editor has delivered for: a run of 60 outputs has 60, however
        many the data set has. Where nothing says so, all count.
        """
        used = np.zeros(len(self.samples), dtype=np.bool_)
        for cube in self.cubes.values():
            says_delivered = (cube.status >= 0) & ~np.isin(cube.status, _SAY_NOTHING)
            used |= says_delivered.any(axis=(0, 1))
        delivered: set[str] = set()
        for delivery in self.deliveries.values():
            delivered |= delivery.edited | delivery.given_back
        used |= np.isin(self.samples.ids, list(delivered))
        return int(used.sum()) or len(self.samples)

    def sources_of(self, metric: str) -> tuple[str, ...]:
        """The sources that made the metric's rows, by name; () where it has none."""
        return tuple(sorted({key.source for key in self.keys if key.metric == metric}))

    def makers(self) -> dict[str, tuple[str, ...]]:
        """Which sources made the rows of each metric, for the metrics that several made."""
        makers = {metric: self.sources_of(metric) for metric in self.metrics}
        return {metric: sources for metric, sources in makers.items() if len(sources) > 1}

    def sources_called(self, name: str) -> list[str]:
        """The sources with this name, in full or up to a ``#`` (a judge's settings' hash)."""
        return [one for one in self.sources if one and name in (one, one.partition("#")[0])]

    def labelled(self, where: Mapping[str, str]) -> Mask:
        """(S,): the samples with these labels; none where no sample has a label of that name."""
        if set(where) <= set(self.samples.names()):
            return self.samples.where(where)
        return np.zeros(len(self.samples), dtype=np.bool_)

    # -- whose rows --------------------------------------------------------------------------------

    def where(self, keep: Callable[[Key], bool]) -> Results:
        """The rows whose key is wanted."""
        cubes = {key: cube for key, cube in self.cubes.items() if keep(key)}
        sets = {key: whole for key, whole in self.sets.items() if keep(key)}
        return replace(self, cubes=cubes, sets=sets)

    def without_people(self) -> Results:
        """All but annotators' rows, whose several opinions of one output no table may mix."""
        return self.where(lambda key: not key.of_people)

    def only_people(self) -> Results:
        """The rows of annotators alone."""
        return self.where(lambda key: key.of_people)

    def of_source(self, source: str) -> Results:
        """The rows of one source alone."""
        return self.where(lambda key: key.source == source)

    def of_sources(self, wanted: Sequence[str]) -> Results:
        """One source for each metric: metrics that several made keep the rows of a wanted one.

        Raises `UsageError` where a metric was made by several and `wanted` does not say which (the
        message names them).
        """
        meant = {source for name in wanted for source in self.sources_called(name)}
        chosen: dict[str, str] = {}
        for metric, sources in self.makers().items():
            present = [source for source in sources if source in meant] or list(sources)
            if len(present) > 1:
                names = ", ".join(map(repr, present))
                raise UsageError(
                    f"{self.benchmark}: metric {metric!r} has rows from several sources ({names}), "
                    "which cannot be mixed in one table; choose one",
                    argument="source",
                )
            chosen[metric] = present[0]
        return self.where(lambda key: key.source == chosen.get(key.metric, key.source))

    def sides(self) -> list[Results]:
        """These results, or where metrics were made by several sources: one of what no such source
        made, and for each of them one of that and of all that it made itself. A table that shows
        scores of one judge beside others (accuracy beside SSIM) is so whole for each judge, and
        none mixes two.
        """
        several = self.makers()
        names = {name for sources in several.values() for name in sources}
        own = {k for k in self.keys if k.metric in several or k.source in names - {""}}
        disputed = frozenset(key.metric for key in own)

        def side(name: str | None) -> Results:
            mine = {key for key in own if key.source == name}
            made = frozenset(key.metric for key in mine)
            part = self.where(lambda key: key in mine or key not in own)
            return replace(part, side=Side(name or "", made, disputed))

        return [side(None), *map(side, sorted(names))] if names else [self]

    # -- which editors, samples and repeats --------------------------------------------------------

    def of_editors(self, wanted: Sequence[str]) -> Results:
        """Rows of these editors, in this order. Raises `UnknownName` for one that is not here."""
        for name in wanted:
            if name not in self.editors:
                hint = meant(name, self.editors, f"there are: {', '.join(self.editors)}")
                raise UnknownName(f"editor {name!r} has no rows for {self.benchmark}; {hint}")
        at = [self.editors.index(name) for name in wanted]
        cubes = {key: cube.part(slice(None), at) for key, cube in self.cubes.items()}
        sets = {k: {e: w for e, w in one.items() if e in wanted} for k, one in self.sets.items()}
        kept = {key: one for key, one in sets.items() if one}
        return replace(self, cubes=cubes, sets=kept, editors=tuple(wanted))

    def of_samples(self, mask: Mask) -> Results:
        """The samples where `mask` (S,) is true, with their rows. Rows of the whole set go."""
        kept = [self.samples.records[self.samples.ids[place]] for place in np.flatnonzero(mask)]
        cubes = {key: cube.part(..., mask) for key, cube in self.cubes.items()}
        return replace(self, cubes=cubes, samples=Samples(kept), sets={})

    def of_repeat(self, number: int) -> Results:
        """The rows of one repeat, of what was repeated as often."""
        there = {key: cube.part([number]) for key, cube in self.cubes.items()
                 if len(cube.values) > number}  # fmt: skip
        return replace(self, cubes=there, sets={} if number else self.sets)

    # -- reading -----------------------------------------------------------------------------------

    def replies(self, metric: str, variant: str) -> Cube:
        """The metric on every sample in every repeat, (R, E, S); without rows one repeat of none.

        Of two rows for one place a score stands before a failure. Raises `RunError` when two scores
        differ: which of them counts is not for a table to decide.
        """
        known = self._replies.get((metric, variant))
        if known is not None:
            return known
        mine = [c for k, c in self.cubes.items() if (k.metric, k.variant) == (metric, variant)]
        repeats = max((len(c.values) for c in mine), default=1)
        shape = (repeats, len(self.editors), len(self.samples))
        whole = Cube(np.full(shape, np.nan), np.full(shape, -1, np.int8))
        for cube in mine:
            there = whole.part(slice(len(cube.values)))
            both = (there.status == SCORED) & (cube.status == SCORED)
            for place in np.argwhere(both & (there.values != cube.values))[:1].tolist():
                given = (float(one.values[tuple(place)]) for one in (there, cube))
                raise self.contradiction(f"{metric} ({variant})", *place[1:], *given)
            new = (there.status != SCORED) & (cube.status >= 0)
            there.values[new], there.status[new] = cube.values[new], cube.status[new]
        self._replies[metric, variant] = whole
        return whole

    def grid(self, metric: str, variant: str, scale: Scale | None = None) -> Cube:
        """The metric on every sample, (E, S). Repeats are averaged.

        `scale` puts each reply on another scale before repeats are averaged: the mean of values on
        a scale that is no line is not the value of their mean. Raises as `replies` does.
        """
        if scale is not None:
            return self.replies(metric, variant).on(scale).averaged
        known = self._grids.get((metric, variant))
        if known is None:
            known = self.replies(metric, variant).averaged
            self._grids[metric, variant] = known
        return known

    def contradiction(self, what: str, editor: int, sample: int, *values: float) -> RunError:
        """The error of two scores of one place."""
        return RunError(
            f"{self.benchmark}: {self.editors[editor]} has two scores of {what} for sample "
            f"{self.samples.ids[sample]!r}: {values[0]:g} and {values[1]:g}; the output or the "
            f"scorer changed in between: score again, or name one run"
        )

    def of_set(self, metric: str, variant: str) -> dict[str, Whole]:
        """A metric of the whole set (FID) of the editors that have it."""
        mine = (one for key, one in self.sets.items() if key[:2] == (metric, variant))
        return {editor: whole for one in mine for editor, whole in one.items()}
