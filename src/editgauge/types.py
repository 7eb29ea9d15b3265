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

JsonObject = dict[str, Any]
"""An object of JSON, or settings by name; `JsonMapping` where it is only read."""
JsonMapping = Mapping[str, Any]
Variant = Literal["faithful", "corrected"]
Direction = Literal["higher", "lower"]
Track = Literal["pixel", "ocr", "embedding", "judge", "human", "diagnosis"]

JUDGE_SCORER = "judge"
"""The scorer of a judge's rows."""
DECLARED_TEMPERATURE = "declared_temperature"
"""In the origin of a judge's row: the protocol's temperature, where the server took none."""
TRACKS: tuple[Track, ...] = ("pixel", "ocr", "embedding", "judge", "human", "diagnosis")
MAX_FILE_BYTES = 1 << 29
"""A picture's file that is larger is not read, copied or delivered."""
VARIANTS: tuple[Variant, ...] = ("faithful", "corrected")


class Status(StrEnum):
    """Why there is, or is not, a number. Only SCORED comes with one."""

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
    """What was wrong with a data set's files, and what was done about it. `kind` is a short stable
    code, `file` relative to the data root. What needs something that is not `repaired` ends as
    `Status.DATASET_FAULT`; `part` names what is lost (``mask``, or being sent to a ``service``)
    where the rest can be used.
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
    """Input image(s), an instruction, and what is known about the right answer. Paths are absolute
    and may lead to no readable file. `masks` are named (``input``, ``second``, ``roi``), 8-bit grey
    files, >= 128 = the area that may change. `output_stems`: where an output may lie below a
    model's folder in official naming, without extension, the preferred one first. `attributes` are
    for slices. `shots`: what an editor is shown before it, on a track with demonstrations.
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
    findings: tuple[Finding, ...] = ()
    shots: tuple[Shot, ...] = ()

    @property
    def image(self) -> Path:
        """The first (for most benchmarks the only) input image."""
        return self.images[0]

    @property
    def fault(self) -> str | None:
        """Why this sample cannot be used at all, or None."""
        return self.lost("")

    def lost(self, part: str) -> str | None:
        """Why a part of the sample (see `Finding.part`) cannot be used, or None."""
        lost = (one for one in self.findings if not one.repaired and one.part == part)
        return next((f"{one.file}: {one.found} ({one.kind})" for one in lost), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """What an editor gave for a sample: a readable picture at `path` (`Status.SCORED`, `ValueError`
    without), or another status and a reason. `width` and `height` are as delivered; `cost` is in US
    dollars, None where unknown; `instruction` is there when it was not the sample's own.
    """

    sample: str
    editor: str
    path: Path | None
    status: Status = Status.SCORED
    reason: str = ""
    width: int | None = None
    height: int | None = None
    seed: int | None = None
    settings: JsonMapping = field(default_factory=dict)
    seconds: float | None = None
    cost: float | None = None
    instruction: str | None = None
    detail: JsonMapping = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.ok and self.path is None:
            why = "status 'scored' needs the path of a picture"
            raise ValueError(f"edit of {self.sample!r} by {self.editor!r}: {why}")

    @classmethod
    def without(cls, sample: str, editor: str, status: Status, reason: str, **facts: Any) -> Edit:
        """An edit that has no picture, and why; `facts` are further fields."""
        return cls(sample=sample, editor=editor, path=None, status=status, reason=reason, **facts)

    @property
    def ok(self) -> bool:
        return self.status is Status.SCORED


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One metric of one edit: a finite value, or a status and a reason why there is none. One of
    +infinity, which JSON cannot hold, has status SCORED, no value, and ``detail["infinite"] is
    True``: see `infinite` and `number`. `ValueError` where value and status do not go together.
    """

    metric: str
    value: float | None
    variant: Variant = "faithful"
    status: Status = Status.SCORED
    reason: str = ""
    detail: JsonMapping = field(default_factory=dict)

    def __post_init__(self) -> None:
        infinite, scored = self.detail.get("infinite") is True, self.status is Status.SCORED
        finite = self.value is not None and math.isfinite(self.value)
        if (scored != infinite) if self.value is None else (infinite or not (scored and finite)):
            found = f"status {self.status.value!r} does not go with value {self.value!r}"
            what, which = type(self).__name__.lower(), " (infinite)" * infinite
            raise ValueError(f"{what} of {self.metric!r}: {found}{which}")

    @classmethod
    def infinite(cls, metric: str, variant: Variant = "faithful", **detail: Any) -> Score:
        """A score of +infinity, with further `detail`."""
        return cls(metric=metric, value=None, variant=variant, detail={**detail, "infinite": True})

    @property
    def number(self) -> float | None:
        """The value as a float, ``math.inf`` for an infinite score, None where there is none."""
        return math.inf if self.detail.get("infinite") is True else self.value


@dataclass(frozen=True, slots=True, kw_only=True)
class Row(Score):
    """One score as it is stored. `source` names what made the value where several things could have
    (an OCR engine, a judge); rows of two sources are never mixed. `repeat` counts from 0.
    `fingerprint` is a hash of everything the value depends on. `detail` and `origin` hold JSON.
    """

    benchmark: str
    sample: str
    editor: str
    scorer: str
    fingerprint: str
    source: str = ""
    repeat: int = 0
    origin: JsonMapping = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, str, str, str, str, str, str, int]:
        """What the row is about; of two with one key that with the current fingerprint counts."""
        about = (self.benchmark, self.sample, self.editor, self.scorer, self.metric, self.variant)
        return (*about, self.source, self.repeat)


@dataclass(frozen=True, slots=True)
class Metric:
    """Everything that is said about one metric, in the only place where it is said.

    `direction`: which way is better, None for a property of the sample (`of_sample`). `low` and
    `high`: the range of one value, an open end is infinite. `failure`: what a failure counts as in
    the mean with failures. `whole_set`: one value for a set of edits (FID). `note`: what it is, how
    faithful and corrected differ, the source. `printed`: the scale of tables as ascending pairs of
    a stored and a printed value, with lines between; empty: as it is stored. `keeps`: it says how
    much of what should not change was kept. `plain`: what it says, completing "It says …".
    """

    name: str
    _: KW_ONLY
    direction: Direction | None
    low: float
    high: float
    heading: str = ""
    digits: int = 3
    unit: str = ""
    variants: tuple[Variant, ...] = ("faithful",)
    failure: float | None = None
    whole_set: bool = False
    of_sample: bool = False
    note: str = ""
    printed: tuple[tuple[float, float], ...] = ()
    keeps: bool = False
    plain: str = ""

    @property
    def title(self) -> str:
        """The heading, or the name where there is none."""
        return self.heading or self.name


Rule = Callable[[dict[str, float]], float | None]
"""The parents' values of one sample to the derived value; None where they give none. The values are
a `dict`, so that functions that are declared for a `dict` or for a `Mapping` both fit.
"""
DERIVED = "derived"
"""The scorer of the rows of derived metrics."""


@dataclass(frozen=True, slots=True)
class Derived:
    """A metric of a sample that follows from other metrics of it, computed where rows are read.
    Where one of its parents (`of`) has no row there is no row of this metric; where one has no
    value, this has none either and says which. But a parent in `optional` may be not applicable, or
    not asked, and `rule` is then called without it; with `tolerant` also where it failed.
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
    how many samples have which value of it (counts; in bins: histogram). `words` end the title,
    `order` has the values in the paper's order; values of the attribute `each` are kept apart.
    """

    kind: Literal["radar", "bars", "curve", "histogram", "counts"]
    attribute: str
    words: str
    order: tuple[str, ...] = ()
    each: str = ""


class FailureReading(NamedTuple):
    """How outputs are read into kinds of failure (`diagnosis.failures`): two metrics, higher is
    better, and from where on they are high; the attribute `by` which kinds are counted.
    """

    accuracy: str
    accurate: float
    preservation: str
    preserved: float
    by: str = ""


class DataSource(NamedTuple):
    """A data set on the hub; at the commit `revision`, else whoever fetches says which."""

    repo: str
    licence: str
    revision: str | None = None
    note: str = ""


@runtime_checkable
class Editor(Protocol):
    """A model under test, whose `name` goes into every row. Returns an `Edit` whose `path` is a
    file that it wrote below `folder` (temporary), or one without, with a status and a reason.
    """

    name: str

    def __call__(self, sample: Sample, folder: Path) -> Edit: ...


class Dataset(Protocol):
    """One benchmark's samples in one folder, in a stable order, read lazily; repeatable.
    `findings`, of no one sample, is complete once the samples have been iterated.
    """

    benchmark: str
    root: Path
    findings: list[Finding]

    def __iter__(self) -> Iterator[Sample]: ...


LoadSamples = Callable[..., Dataset]
"""``load(root, split=None)`` opens a benchmark's data. Raises `DataError` for another folder."""
CopyPicture = Callable[[Path, Path], None]
"""Puts a picture of a sample, the first, to a place in an official folder, the second."""
WriteSamples = Callable[[Path, Sequence[tuple[int, Sample]], CopyPicture], dict[str, str]]
"""Writes numbered samples into an empty folder as `LoadSamples` reads them; sample id -> its id."""
MakeScorers = Callable[..., Sequence[Any]]
"""Gives the scorers (`scoring.scorer.Scorer`) of the wanted tracks, its one argument; options that
they do not know (``cache``, ``ocr_engine``, ``device``…) it ignores."""
MakeTables = Callable[[Any], Sequence[Any]]
"""A `tables.results.Results` to the `tables.spec.PaperTable`s that the benchmark prints of it."""


def no_scorers(*_: Any, **options: Any) -> Sequence[Any]:
    """The scorers of a benchmark that has none."""
    return []


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
    """A benchmark as one object: a set of samples, the scorers that its paper defines, and the
    tables it prints. Parts that are functions import what they need when they are called. The
    catalog checks every benchmark when it is first asked for (`tables.contract`).

    - `published_counts`: samples per split or category path (joined by ``/``), ``""``: all.
      `metrics`: all that its scorers and its judge give, but for the `derived` ones.
    - `tables`: `tables.spec.PaperTable`s, or a function that chooses them for a `Results`; None: a
      mean for each metric. `not_in_tables`: metrics that none of them shows on purpose.
    - `judging`: gives its `judging.questions.Track`; `rubrics`: the folder of its templates, or one
      for each prefix of their names; `prompts`: its paper's (`judging.paper.ReleasedPrompts`).
    - `audits`: gives `tables.audit.Audit`s of its published tables; `agreement`: the lines of its
      paper's rank correlations with people; `importers`: `scoring.imports.Reader`s.
    - `reading`: how outputs are read into kinds of failure; None: by where they changed alone.
      `main_tracks`: what is scored unless told; empty: the first track that has scorers.
    - `measure`: the attributes `measured` of a sample, which only a look at its pictures tells, but
      for those that cannot be told. `settled`: a `Results` without what its released code drops.
    """

    name: str
    title: str
    citation: str
    about: str = ""
    published_counts: Mapping[str, int] = field(default_factory=dict)
    data: DataSource | None = None
    metrics: tuple[Metric, ...] = ()
    derived: tuple[Derived, ...] = ()
    load: LoadSamples
    write: WriteSamples | None = None
    scorers: MakeScorers = no_scorers
    tables: Sequence[Any] | MakeTables | None = None
    not_in_tables: tuple[str, ...] = ()
    judging: Callable[[], Any] | None = None
    rubrics: Path | Mapping[str, Path] | None = None
    prompts: Callable[[], Any] | None = None
    audits: Callable[[], Sequence[Any]] = tuple
    agreement: Callable[[], Sequence[Any]] = tuple
    importers: Callable[[], Sequence[Any]] = tuple
    figures: tuple[Plot, ...] = ()
    reading: FailureReading | None = None
    main_tracks: tuple[Track, ...] = ()
    measured: tuple[str, ...] = ()
    measure: Callable[[Sample], Mapping[str, str | int | float | bool]] | None = None
    settled: Callable[[Any], Any] | None = None

    @property
    def every_metric(self) -> dict[str, Metric]:
        """All declared metrics by name, the derived ones last."""
        metrics = (*self.metrics, *(derived.metric for derived in self.derived))
        return {metric.name: metric for metric in metrics}


def not_scored(metrics: Sequence[Metric], status: Status, reason: str) -> list[Score]:
    """A score without a value for each metric and variant, where no picture can be scored."""
    return [
        Score(metric=metric.name, value=None, variant=variant, status=status, reason=reason)
        for metric in metrics
        for variant in metric.variants
    ]
