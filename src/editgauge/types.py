"""The words of the tool as types: a benchmark yields samples, an editor turns each into an `Edit`,
a scorer turns both into `Score`s, and a run stores a score as a `Row`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

Variant = Literal["faithful", "corrected"]
Direction = Literal["higher", "lower"]
Track = Literal["pixel", "ocr", "embedding", "judge", "human", "diagnosis"]

JUDGE_SCORER = "judge"
"""The scorer of a judge's rows."""
TRACKS: tuple[Track, ...] = ("pixel", "ocr", "embedding", "judge", "human", "diagnosis")
MAX_FILE_BYTES = 1 << 29
"""A picture's file that is larger is not read, copied or delivered."""
VARIANTS: tuple[Variant, ...] = ("faithful", "corrected")


class Status(StrEnum):
    """Why there is, or is not, a number: the same everywhere. Only SCORED comes with one."""

    SCORED = "scored"
    MISSING = "missing"  # no output
    UNREADABLE = "unreadable"  # an output that is no picture
    REFUSED = "refused"  # by a content filter of the editor's or the judge's provider
    FAILED = "failed"  # a call or a computation crashed
    UNPARSABLE = "unparsable"  # a judge's reply without a valid score
    NOT_APPLICABLE = "not_applicable"  # the metric is not defined for this sample or editor
    DATASET_FAULT = "dataset_fault"  # the released data cannot support the score
    NOT_MEASURED = "not_measured"  # weights, a library or a program are not on this machine


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was wrong with a data set's files, and what was done about it.

    `kind` is a short stable code (``json-trailing-comma``), `file` relative to the data root. What
    needs something that is not `repaired` ends as `Status.DATASET_FAULT`; `part` names what is lost
    (``mask``, ``reference``) where the rest of the sample can be used.
    """

    kind: str
    file: str
    found: str
    assumed: str
    repaired: bool = True
    part: str = ""


@dataclass(frozen=True, slots=True)
class Shot:
    """A demonstration: another sample's input pictures, its instruction, and the right answer."""

    id: str
    images: tuple[Path, ...]
    instruction: str
    reference: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Input image(s), an instruction, and what is known about the right answer.

    Paths are absolute and may lead to no readable file. `masks` are named (``input``, ``second``,
    ``roi``), 8-bit grey files, >= 128 = the area that may change. `output_stems`: where an output
    may lie below a model's folder in official naming, without extension, the preferred one first.
    """

    benchmark: str
    id: str
    split: str
    category: tuple[str, ...]
    instruction: str
    images: tuple[Path, ...]
    output_stems: tuple[str, ...]
    reference: Path | None = None
    masks: Mapping[str, Path] = field(default_factory=dict)
    source_text: str | None = None
    target_text: str | None = None
    caption: str | None = None
    knowledge: str | None = None
    change: str | None = None  # a description of the change (MedEBench's detailed prompt)
    concept: str | None = None  # the word whose attention is looked at (MedEBench)
    rephrased: str | None = None  # the instruction in other words, where the benchmark has them
    attributes: Mapping[str, str | int | float | bool] = field(default_factory=dict)
    """For slices: topic, operation, difficulty, organ, task, frame…"""
    findings: tuple[Finding, ...] = ()
    shots: tuple[Shot, ...] = ()
    """What an editor is shown before it, on a track with demonstrations."""

    @property
    def image(self) -> Path:
        """The first (for most benchmarks the only) input image."""
        return self.images[0]

    @property
    def fault(self) -> str | None:
        """Why this sample cannot be used at all, or None."""
        return self.lost("")

    def lost(self, part: str) -> str | None:
        """Why a part of the sample (``mask``, ``reference``) cannot be used, or None."""
        for finding in self.findings:
            if not finding.repaired and finding.part == part:
                return f"{finding.file}: {finding.found} ({finding.kind})"
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """What an editor gave for a sample: a readable picture at `path` (`Status.SCORED`), or another
    status and a reason. `width` and `height` are as delivered; `cost` is in US dollars, None where
    unknown; `instruction` is there when it was not the sample's own.

    Raises `ValueError` when the status is SCORED and there is no path.
    """

    sample: str
    editor: str
    path: Path | None
    status: Status = Status.SCORED
    reason: str = ""
    width: int | None = None
    height: int | None = None
    seed: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    seconds: float | None = None
    cost: float | None = None
    instruction: str | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.ok and self.path is None:
            raise ValueError(
                f"edit of {self.sample!r} by {self.editor!r}: status 'scored' needs the path of a "
                "picture; give another status and a reason where there is none"
            )

    @classmethod
    def without(cls, sample: str, editor: str, status: Status, reason: str, **facts: Any) -> Edit:
        """An edit that has no picture, and why; `facts` are further fields."""
        return cls(sample=sample, editor=editor, path=None, status=status, reason=reason, **facts)

    @property
    def ok(self) -> bool:
        return self.status is Status.SCORED


class _Valued:
    """What has a value, or a status and a reason why not: a score, and a row."""

    __slots__ = ()
    metric: str
    value: float | None
    status: Status
    detail: Mapping[str, Any]

    def __post_init__(self) -> None:
        found, infinite = None, self.detail.get("infinite") is True
        scored, value = self.status is Status.SCORED, self.value
        if value is not None and not math.isfinite(value):
            found = f"a value must be finite, found {value!r}"
        elif infinite and (value is not None or not scored):
            found = f"an infinite score has status 'scored' and no value, found {value!r}"
        elif (value is None) == scored and not infinite:
            found = f"status {self.status.value!r} does not go with value {value!r}"
        if found:
            raise ValueError(f"{type(self).__name__.lower()} of {self.metric!r}: {found}")

    @property
    def number(self) -> float | None:
        """The value as a float, ``math.inf`` for an infinite score, None where there is none."""
        return math.inf if self.detail.get("infinite") is True else self.value


@dataclass(frozen=True, slots=True, kw_only=True)
class Score(_Valued):
    """One metric of one edit: a finite value, or a status and a reason why there is none.

    A PSNR of identical pictures is +infinity, which JSON cannot hold: such a score has status
    SCORED, no value, and ``detail["infinite"] is True`` (`Score.infinite`; read it with `number`).

    Raises `ValueError` where value and status do not go together: a missing score is not a zero,
    and not NaN either.
    """

    metric: str
    value: float | None
    variant: Variant = "faithful"
    status: Status = Status.SCORED
    reason: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def infinite(
        cls,
        metric: str,
        variant: Variant = "faithful",
        *,
        reason: str = "",
        detail: Mapping[str, Any] | None = None,
    ) -> Score:
        """A score of +infinity, with further `detail`."""
        more = {**(detail or {}), "infinite": True}
        return cls(metric=metric, value=None, variant=variant, reason=reason, detail=more)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row(_Valued):
    """One score as it is stored: who, on what, which metric, the value or why there is none, made
    by what. Value, status and `ValueError` as of a `Score`.

    `source` names what made the value where several things could have (an OCR engine, a judge);
    rows of two sources are never mixed. `repeat` counts repeated judgements from 0. `fingerprint`
    is a hash of everything the value depends on. `detail` and `origin` hold JSON values only.
    """

    benchmark: str
    sample: str
    editor: str
    scorer: str
    metric: str
    variant: Variant
    value: float | None
    status: Status
    reason: str
    fingerprint: str
    source: str = ""
    repeat: int = 0
    detail: Mapping[str, Any] = field(default_factory=dict)
    origin: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, str, str, str, str, str, str, int]:
        """What the row is about; of two rows with one key the one with the current fingerprint
        counts.
        """
        about = (self.benchmark, self.sample, self.editor, self.scorer, self.metric, self.variant)
        return (*about, self.source, self.repeat)


@dataclass(frozen=True, slots=True)
class Metric:
    """Everything that is said about one metric, in the only place where it is said.

    Tables, comparisons, reports and figures take it from here; a run stores it beside its rows.
    """

    name: str
    _: KW_ONLY
    direction: Direction | None
    """Which way is better; None for a property of the sample (`of_sample`)."""
    low: float
    high: float
    """The range of one value; an open end is infinite."""
    heading: str = ""
    "What a table prints over its numbers; the name where it is empty."
    digits: int = 3
    unit: str = ""
    variants: tuple[Variant, ...] = ("faithful",)
    failure: float | None = None
    """What a failure counts as in the mean with failures; None where there is no minimum."""
    whole_set: bool = False
    "One value for a whole set of edits (FID) and none for a sample."
    of_sample: bool = False
    "Says something of the sample alone, the same for every editor."
    note: str = ""
    "What it is, how faithful and corrected differ, and the source."
    printed: tuple[tuple[float, float], ...] = ()
    """The scale on which it is printed: pairs of a stored value and the number that is printed for
    it, ascending, in a line between them. Empty: as it is stored."""
    keeps: bool = False
    "Whether it says how much of what should not change was kept."
    plain: str = ""
    """What it says of a picture, for readers who know no metric: completes "It says …"."""

    @property
    def title(self) -> str:
        """The heading, or the name where there is none."""
        return self.heading or self.name


Rule = Callable[[Mapping[str, float]], float | None]
"""The parents' values of one sample to the derived value; None where they give none."""
DERIVED = "derived"
"""The scorer of the rows of derived metrics."""


@dataclass(frozen=True, slots=True)
class Derived:
    """A metric of a sample that follows from other metrics of it: a minimum, a product, a sum.

    Computed where rows are read, for each repeat, source and variant. `of` names the parents. Where
    one of them has no row there is no row of this metric; where one has no value, this has none
    either and says which. But a parent in `optional` may be not applicable, or not asked, and
    `rule` is then called without it; with `tolerant` also where it failed, and may answer None.
    `version` is part of the fingerprint: a changed rule makes the rows anew.
    """

    metric: Metric
    of: tuple[str, ...]
    rule: Rule
    _: KW_ONLY
    optional: tuple[str, ...] = ()
    tolerant: bool = False
    version: str = "1"


class Plot(NamedTuple):
    """A figure of a benchmark's paper: the means of each metric at each value of an attribute, or
    how many samples have which value of it (counts; in bins: histogram, also of a metric that is
    `Metric.of_sample`). `words` end the title, `order` has the values in the paper's order; values
    of the attribute `each` are kept apart.
    """

    kind: Literal["radar", "bars", "curve", "histogram", "counts"]
    attribute: str
    words: str
    order: tuple[str, ...] = ()
    each: str = ""


class FailureReading(NamedTuple):
    """How outputs are read into kinds of failure (`diagnosis.failures`): the metrics that say
    whether an edit did what was asked and whether the rest stayed, both higher is better; from
    which value on a score is high; the attribute `by` which kinds are counted.
    """

    accuracy: str
    accurate: float
    preservation: str
    preserved: float
    by: str = ""


class DataSource(NamedTuple):
    """A benchmark's official data, a data set on the hub. `revision` is the commit that our
    expectations were checked with, None: whoever fetches says which. `note` is printed then.
    """

    repo: str
    licence: str
    revision: str | None = None
    note: str = ""


@runtime_checkable
class Editor(Protocol):
    """A model under test: `(sample) -> image`. `name` goes into every row.

    Returns an `Edit` whose `path` is a file that it wrote below `folder` (temporary), or one
    without a path and with a status and a reason.
    """

    name: str

    def __call__(self, sample: Sample, folder: Path) -> Edit: ...


@runtime_checkable
class Dataset(Protocol):
    """One benchmark's samples in one folder, in a stable order, read lazily; repeatable.
    `findings`, of no one sample, is complete once the samples have been iterated.
    """

    benchmark: str
    root: Path
    findings: list[Finding]

    def __iter__(self) -> Iterator[Sample]: ...


class LoadSamples(Protocol):
    """Opens a benchmark's data. Raises `DataError` when `root` is not this benchmark's folder."""

    def __call__(self, root: Path | None, *, split: str | None = None) -> Dataset: ...


CopyPicture = Callable[[Path, Path], None]
"""Puts a picture of a sample, the first, to a place in an official folder, the second."""
WriteSamples = Callable[[Path, Sequence[tuple[int, Sample]], CopyPicture], dict[str, str]]
"""Writes numbered samples, shaped as its own are, into an empty folder, as `LoadSamples` reads
them; sample id -> its id there."""


class MakeScorers(Protocol):
    """Gives the scorers (`scoring.scorer.Scorer`) of the wanted tracks; `options` that a scorer
    does not know (``cache``, ``ocr_engine``, ``weights``, ``device``, ``precision``) it ignores.
    """

    def __call__(self, tracks: Sequence[Track], **options: Any) -> Sequence[Any]: ...


MakeTables = Callable[[Any], Sequence[Any]]
"""A `tables.results.Results` to the `tables.spec.PaperTable`s that the benchmark prints of it."""


def no_scorers(tracks: Sequence[Track], **options: Any) -> Sequence[Any]:
    """The scorers of a benchmark that has none."""
    del tracks, options
    return []


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
    """A benchmark as one object: a set of samples, the scorers that its paper defines, and the
    tables it prints. Parts that are functions import what they need when they are called. The
    catalog checks every benchmark when it is first asked for (`tables.contract`).
    """

    name: str
    title: str
    citation: str
    about: str = ""
    "What it measures, in a sentence or two, for the reference pages."
    published_counts: Mapping[str, int] = field(default_factory=dict)
    """Samples per split or category path (joined by ``/``) in the full release, ``""``: all."""
    data: DataSource | None = None
    metrics: tuple[Metric, ...] = ()
    "Every metric that its scorers and its judge give, without the derived ones."
    load: LoadSamples
    write: WriteSamples | None = None
    "Writes numbered samples as its official folder; None: nobody may."
    scorers: MakeScorers = no_scorers
    tables: Sequence[Any] | MakeTables | None = None
    """Its `tables.spec.PaperTable`s, or a function that chooses them for a `Results`. None: one
    mean for each metric."""
    judging: Callable[[], Any] | None = None
    "Gives its judge track, a `judging.questions.Track`."
    rubrics: Path | Mapping[str, Path] | None = None
    """The folder of the judge's prompt templates (``.md`` files); or one for each prefix of their
    names (``krisbench.quality``)."""
    prompts: Callable[[], Any] | None = None
    "Gives the prompts that its paper's scripts send, a `judging.paper.ReleasedPrompts`."
    derived: tuple[Derived, ...] = ()
    audits: Callable[[], Sequence[Any]] = tuple
    "Gives `tables.audit.Audit`s: what can be checked in its published tables."
    agreement: Callable[[], Sequence[Any]] = tuple
    """Gives the lines (`tables.table.TableRow`) of its paper's rank correlations of metrics with
    people, a column for each question."""
    importers: Callable[[], Sequence[Any]] = tuple
    "Gives `scoring.imports.Reader`s: the formats in which its released scripts write scores."
    figures: tuple[Plot, ...] = ()
    reading: FailureReading | None = None
    "How outputs are read into kinds of failure; None: by where they changed alone."
    main_tracks: tuple[Track, ...] = ()
    "What `score` does without ``--tracks``; empty: the first track that has scorers."
    not_in_tables: tuple[str, ...] = ()
    "Metrics that none of its tables shows on purpose; `table` gives them a mean each."
    measured: tuple[str, ...] = ()
    "Attributes of samples that only a look at their pictures tells (`store.measured`)."
    measure: Callable[[Sample], Mapping[str, str | int | float | bool]] | None = None
    "Gives these attributes of a sample, but for those that cannot be told. Raises nothing."
    settled: Callable[[Any], Any] | None = None
    """Takes from `tables.results.Results` the scores that its released code drops. Doing it twice
    changes nothing."""

    @property
    def every_metric(self) -> dict[str, Metric]:
        """All declared metrics by name, the derived ones last."""
        metrics = (*self.metrics, *(derived.metric for derived in self.derived))
        return {metric.name: metric for metric in metrics}


def not_scored(metrics: Sequence[Metric], status: Status, reason: str) -> list[Score]:
    """One score without a value for each metric and variant: used wherever a picture is not there
    to score.
    """
    return [
        Score(metric=metric.name, value=None, variant=variant, status=status, reason=reason)
        for metric in metrics
        for variant in metric.variants
    ]
