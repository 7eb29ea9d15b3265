"""The words of the tool as types. This module imports nothing of ours, so that everything may
import it.

Data flows one way: a benchmark yields `Sample`s, an editor turns each into an `Edit`, a scorer
turns both into `Score`s, and `results` stores a score as a `Row`.
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
    """Why there is, or is not, a number. The same everywhere; only `SCORED` comes with one (see
    `Score.number`).
    """

    SCORED = "scored"
    MISSING = "missing"
    """The editor delivered no output for the sample."""
    UNREADABLE = "unreadable"
    """There is an output file, but it is not a picture that can be read."""
    REFUSED = "refused"
    """A content filter (of the editor's or the judge's provider) declined."""
    FAILED = "failed"
    """A call or a computation crashed."""
    UNPARSABLE = "unparsable"
    """The judge answered, but not with a valid score."""
    NOT_APPLICABLE = "not_applicable"
    """The metric is not defined for this sample or this editor."""
    DATASET_FAULT = "dataset_fault"
    """The released data cannot support the score: the fault is not the editor's."""
    NOT_MEASURED = "not_measured"
    """What measures it (weights, a library, a program) is not on this machine."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was wrong with a data set's files, and what was done about it.

    `kind` is a short stable code (``json-trailing-comma``); `file` is relative to the data root,
    with ``/``; `repaired` False means nobody could repair it: whatever needs it ends as
    `Status.DATASET_FAULT`. `part` then names what is lost when the rest of the sample can still be
    used (``mask``, ``reference``): its path leads to no file, and the scores that read it find that
    out.
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

    Paths are absolute; whether the files exist and can be read is checked when they are read.
    `masks` are named (``input``, ``second``, ``roi``), 8-bit grey files, >= 128 = the area that may
    change. `output_stems` are the places where an output may lie below a model's output folder in
    the benchmark's official naming, without extension, ``/`` separated, the preferred one first.
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
    change: str | None = None
    """A description of the change (MedEBench's detailed prompt)."""
    concept: str | None = None
    """The word whose attention is looked at (MedEBench)."""
    rephrased: str | None = None
    """The same instruction in other words, where the benchmark has one."""
    attributes: Mapping[str, str | int | float | bool] = field(default_factory=dict)
    """For slices: topic, operation, difficulty, organ, task, frame…"""
    findings: tuple[Finding, ...] = ()
    shots: tuple[Shot, ...] = ()
    """What an editor is shown before it; none but on a track with demonstrations."""

    @property
    def image(self) -> Path:
        """The first (for most benchmarks the only) input image."""
        return self.images[0]

    @property
    def fault(self) -> str | None:
        """Why this sample cannot be used at all, or None: the first finding on all of it that
        nobody could repair.
        """
        return self.lost("")

    def lost(self, part: str) -> str | None:
        """Why a part of the sample (``mask``, ``reference``) cannot be used, or None; see
        `Finding.part`.
        """
        for finding in self.findings:
            if not finding.repaired and finding.part == part:
                return f"{finding.file}: {finding.found} ({finding.kind})"
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """What an editor gave for a sample: a file, or a reason why there is none.

    `status` is SCORED's sibling here: `Status.SCORED` means "there is a readable picture at
    `path`". `width` and `height` are those of the file as delivered; nothing is resized on the way
    in.

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
    """US dollars, None where unknown."""
    instruction: str | None = None
    """The instruction that was used, when it is not the sample's own."""
    detail: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.path is None and self.status is Status.SCORED:
            raise ValueError(
                f"edit of {self.sample!r} by {self.editor!r}: status 'scored' needs the path of a "
                "picture; give another status and a reason where there is none"
            )

    @classmethod
    def without(cls, sample: str, editor: str, status: Status, reason: str, **facts: Any) -> Edit:
        """An edit that has no picture, and why; `facts` are further fields. Raises `ValueError` for
        the status SCORED.
        """
        return cls(sample=sample, editor=editor, path=None, status=status, reason=reason, **facts)

    @property
    def ok(self) -> bool:
        return self.path is not None and self.status is Status.SCORED


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One metric of one edit: a finite value, or a status and a reason why there is none.

    One case is neither: a PSNR of identical pictures is +infinity, which JSON cannot hold. Such a
    score has status SCORED, no value, and ``detail["infinite"] is True``: make it with
    `Score.infinite`, read it with `number`.

    Raises `ValueError` when the value is not finite, when a value comes with another status than
    SCORED, when SCORED comes without a value and is not infinite, or when a score that is not of
    that kind claims to be infinite: a missing score is not a zero, and not NaN either.
    """

    metric: str
    value: float | None
    variant: Variant = "faithful"
    status: Status = Status.SCORED
    reason: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_value(f"score {self.metric!r}", self.value, self.status, self.detail)

    @classmethod
    def infinite(
        cls,
        metric: str,
        variant: Variant = "faithful",
        *,
        reason: str = "",
        detail: Mapping[str, Any] | None = None,
    ) -> Score:
        """A score of +infinity (the PSNR of pictures with a mean squared error of 0), with further
        `detail`.
        """
        return cls(
            metric=metric,
            value=None,
            variant=variant,
            status=Status.SCORED,
            reason=reason,
            detail={**(detail or {}), "infinite": True},
        )

    @property
    def number(self) -> float | None:
        """The value as a float, ``math.inf`` for an infinite score, None where there is none."""
        return _number(self.value, self.status, self.detail)


def _check_value(what: str, value: float | None, status: Status, detail: Mapping[str, Any]) -> None:
    """Raise `ValueError` where value and status do not go together: a missing score is not a
    zero, and not NaN either.
    """
    if value is not None and not math.isfinite(value):
        raise ValueError(f"{what}: a value must be finite, found {value!r}")
    infinite = detail.get("infinite") is True
    if infinite and (value is not None or status is not Status.SCORED):
        raise ValueError(
            f"{what}: an infinite score has status 'scored' and no value, found {status.value!r} "
            f"and {value!r}"
        )
    if not infinite and (value is None) == (status is Status.SCORED):
        raise ValueError(f"{what}: status {status.value!r} does not go with value {value!r}")


def _number(value: float | None, status: Status, detail: Mapping[str, Any]) -> float | None:
    if value is None and status is Status.SCORED and detail.get("infinite") is True:
        return math.inf
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One score as it is stored: who, on what, which metric, the value or why there is none, made
    by what.

    `source` names what made the value when more than one thing could have (an OCR engine, a judge
    model); rows of two sources are never mixed in one table. `repeat` counts repeated judgements
    from 0. `fingerprint` is a hash of everything the value depends on. `detail` and `origin`
    (versions, hashes) hold JSON values only. An infinite score is stored as a `Score.infinite` is:
    SCORED without a value; `number` gives it back as ``math.inf``.

    Raises `ValueError` as `Score` does where value and status do not go together.
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

    def __post_init__(self) -> None:
        what = f"row of {self.metric!r}, {self.sample!r}"
        _check_value(what, self.value, self.status, self.detail)

    @property
    def number(self) -> float | None:
        """The value as a float, ``math.inf`` for an infinite score, None where there is none."""
        return _number(self.value, self.status, self.detail)

    @property
    def key(self) -> tuple[str, str, str, str, str, str, str, int]:
        """What the row is about. Of two rows with one key only the one with the current fingerprint
        counts.
        """
        return (
            self.benchmark,
            self.sample,
            self.editor,
            self.scorer,
            self.metric,
            self.variant,
            self.source,
            self.repeat,
        )


@dataclass(frozen=True, slots=True)
class Metric:
    """Everything that is said about one metric, in the only place where it is said.

    Tables, comparisons, reports and figures take heading, direction, digits and note from here; a
    run stores them beside its rows.
    """

    name: str
    _: KW_ONLY
    direction: Direction | None
    """Which way is better. None is for a property of the sample (`of_sample`), and for rows whose
    metric nobody here knows: nothing is then called better or worse.
    """
    low: float
    high: float
    """The range of one value; an open end is infinite."""
    heading: str = ""
    """What a table prints over its numbers; the name where it is empty."""
    digits: int = 3
    unit: str = ""
    variants: tuple[Variant, ...] = ("faithful",)
    failure: float | None = None
    """What a failure counts as in the mean with failures, on the scale of the values; None where
    the scale has no minimum to count as.
    """
    whole_set: bool = False
    """One value for a whole set of edits (FID) and none for a sample."""
    of_sample: bool = False
    """Says something of the sample alone, the same for every editor: it has no direction, and
    nothing is better or worse by it.
    """
    note: str = ""
    """What it is, how faithful and corrected differ, and the source."""
    printed: tuple[tuple[float, float], ...] = ()
    """The scale on which its numbers are printed everywhere: pairs of a stored value and the number
    that is printed for it, ascending in both, in a line between them. Empty where they are printed
    as they are stored.
    """
    keeps: bool = False
    """Whether it says how much of what should not change was kept: a low value (or a high one,
    where lower is better) is damage outside the wanted edit.
    """
    plain: str = ""
    """What it says of a picture, for readers who know no metric: completes "It says …"."""

    @property
    def title(self) -> str:
        """The heading, or the name where there is none."""
        return self.heading or self.name


Rule = Callable[[Mapping[str, float]], float | None]
"""The parents' values of one sample, by metric, to the derived value; None where they give none."""


DERIVED = "derived"
"""The scorer of the rows of derived metrics."""


@dataclass(frozen=True, slots=True)
class Derived:
    """A metric of a sample that follows from other metrics of it: a minimum, a product, a sum.

    Computed where rows are read, for each repeat, source and variant; ``rows.parquet`` has them as
    rows like any other. `of` names the parents. Where one of them has no row (it was not asked)
    there is no row of this metric; where one has a row without a value, this has none either and
    says which. But a parent in `optional` may be not applicable to the sample, or not asked, and
    `rule` is then called without it.

    `tolerant`: `rule` is also called where an optional parent failed, and answers None where it
    cannot do without it. `version` is part of the fingerprint: a changed rule makes the rows anew.
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
    how many samples have which value of it (counts; in bins: histogram). A histogram may also be of
    a metric that says something of the sample alone (`Metric.of_sample`).
    """

    kind: Literal["radar", "bars", "curve", "histogram", "counts"]
    attribute: str
    words: str
    """Ends the title: ``by operation``."""
    order: tuple[str, ...] = ()
    """The values in the paper's order; others follow."""
    each: str = ""
    """An attribute whose values are kept apart: means have a figure for each of them, counts a bar.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureReading:
    """How a benchmark's outputs are read into kinds of failure: see `diagnosis.failures`.

    `accuracy` names the metric that says whether an edit did what was asked, `preservation` the one
    that says whether the rest stayed; both higher is better. The cut-offs, from which on a score is
    high, are on the scale of the rows.
    """

    accuracy: str
    accurate: float
    preservation: str
    preserved: float
    by: str = ""
    """The attribute of samples by which the kinds are counted."""


@dataclass(frozen=True, slots=True)
class DataSource:
    """Where a benchmark's official data are: a data set on the hub.

    `revision` is the commit that our expectations were checked with, None where nobody has recorded
    one: then whoever fetches says which. `note` is printed with the fetch.
    """

    repo: str
    licence: str
    revision: str | None = None
    note: str = ""


@runtime_checkable
class Editor(Protocol):
    """A model under test: `(sample) -> image`.

    Returns an `Edit` whose `path` is a file that the editor wrote below `folder` (temporary; the
    run moves it to its place), or one without a path and with a status and a reason. `name` goes
    into every row.
    """

    name: str

    def __call__(self, sample: Sample, folder: Path) -> Edit: ...


@runtime_checkable
class Dataset(Protocol):
    """One benchmark's samples in one folder, in a stable order; iterating reads lazily and may be
    repeated.

    `findings` holds what is not about one sample (a stray folder, a file nobody refers to); it is
    complete once the samples have been iterated.
    """

    benchmark: str
    root: Path
    findings: list[Finding]

    def __iter__(self) -> Iterator[Sample]: ...


class LoadSamples(Protocol):
    """Opens a benchmark's data.

    Raises `DataError` when `root` is not this benchmark's folder; says what was looked for and
    found.
    """

    def __call__(self, root: Path | None, *, split: str | None = None) -> Dataset: ...


CopyPicture = Callable[[Path, Path], None]
"""Puts a picture of a sample, the first, to a place in an official folder, the second."""
WriteSamples = Callable[[Path, Sequence[tuple[int, Sample]], CopyPicture], dict[str, str]]
"""Writes numbered samples into an empty folder, as `LoadSamples` reads them; sample id -> its id
there. Samples are shaped as its own are: with the attributes and masks that its loader gives.
"""


class MakeScorers(Protocol):
    """Gives the scorers (`scoring.scorer.Scorer`) of the wanted tracks. `options` are those of the
    command line (``cache``, ``ocr_engine``, ``weights``, ``device``, ``precision``); a scorer
    ignores those that it does not know.
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
    tables it prints.

    The parts that are functions import what they need when they are called, so that a benchmark
    costs nothing until it is used. The catalog checks every benchmark when it is first asked for:
    see `tables.contract`.
    """

    name: str
    title: str
    citation: str
    about: str = ""
    """What it measures, in a sentence or two, for the reference pages."""
    published_counts: Mapping[str, int] = field(default_factory=dict)
    """Samples per split or category path (joined by ``/``) in the full release, ``""`` for the
    total.
    """
    marks: tuple[str, ...] = ()
    """Patterns of paths by which its data folder is recognised in error messages."""
    data: DataSource | None = None
    metrics: tuple[Metric, ...] = ()
    """Every metric that its scorers and its judge give, derived ones excepted (see `derived`)."""
    load: LoadSamples
    write: WriteSamples | None = None
    """Writes numbered samples as its official folder, which `load` reads; None: nobody may."""
    scorers: MakeScorers = no_scorers
    """A benchmark with a judge track only has none."""
    tables: Sequence[Any] | MakeTables | None = None
    """Its `tables.spec.PaperTable`s, or a function that chooses them for a frame. None: one mean
    for each metric.
    """
    judging: Callable[[], Any] | None = None
    """Gives its judge track, a `judging.questions.Track`; None where it has none."""
    rubrics: Path | Mapping[str, Path] | None = None
    """The folder of the judge's prompt templates (``.md`` files); or one for each prefix of their
    names (``krisbench.quality``).
    """
    prompts: Callable[[], Any] | None = None
    """Gives the prompts that its paper's scripts send, a `judging.paper.ReleasedPrompts`; None
    where none are known.
    """
    derived: tuple[Derived, ...] = ()
    audits: Callable[[], Sequence[Any]] = tuple
    """Gives `tables.audit.Audit`s: what can be checked in its published tables."""
    agreement: Callable[[], Sequence[Any]] = tuple
    """Gives the lines (`tables.table.TableRow`) of its paper's rank correlations of metrics with
    people, a column for each question; none where the paper prints no such table.
    """
    importers: Callable[[], Sequence[Any]] = tuple
    """Gives `scoring.imports.Reader`s: the formats in which its released scripts write scores."""
    figures: tuple[Plot, ...] = ()
    reading: FailureReading | None = None
    """How its outputs are read into kinds of failure; None: by where they changed alone."""
    main_tracks: tuple[Track, ...] = ()
    """What `score` does without ``--tracks``; empty: the first track that has scorers."""
    not_in_tables: tuple[str, ...] = ()
    """Metrics that none of its tables shows on purpose; `table` gives them a mean each."""
    measured: tuple[str, ...] = ()
    """Attributes of samples that only a look at their pictures tells: see `store.measured`."""
    measure: Callable[[Sample], Mapping[str, str | int | float | bool]] | None = None
    """Gives these attributes of a sample, but for those that cannot be told. Raises nothing."""
    settled: Callable[[Any], Any] | None = None
    """Takes from `tables.results.Results` the scores that its released code drops. Doing it twice
    changes nothing.
    """

    @property
    def every_metric(self) -> dict[str, Metric]:
        """All declared metrics by name, the derived ones last."""
        metrics = (*self.metrics, *(derived.metric for derived in self.derived))
        return {metric.name: metric for metric in metrics}


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeTrack:
    """A judge protocol that is bound to no benchmark: it asks about the outputs of any.

    `judging` and `rubrics` are what they are in a `Benchmark`. Its metrics have names of their own.
    """

    name: str
    about: str = ""
    judging: Callable[[], Any]
    rubrics: Path | Mapping[str, Path] | None = None


def not_scored(metrics: Sequence[Metric], status: Status, reason: str) -> list[Score]:
    """One score without a value for each metric and variant: used wherever a picture is not there
    to score.
    """
    return [
        Score(metric=metric.name, value=None, variant=variant, status=status, reason=reason)
        for metric in metrics
        for variant in metric.variants
    ]
