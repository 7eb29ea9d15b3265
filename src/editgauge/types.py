"""The words of the tool as types. This module imports nothing of ours, so that everything may
import it.

Data flows one way: a benchmark yields `Sample`s, an editor turns each into an `Edit`, a scorer
turns both into `Score`s, and `results` stores a score as a `Row`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

Variant = Literal["faithful", "corrected"]
Direction = Literal["higher", "lower"]
Track = Literal["pixel", "ocr", "embedding", "judge", "human"]

TRACKS: tuple[Track, ...] = ("pixel", "ocr", "embedding", "judge", "human")
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
    """A call or a computation crashed, or something it needs is not there."""
    UNPARSABLE = "unparsable"
    """The judge answered, but not with a valid score."""
    NOT_APPLICABLE = "not_applicable"
    """The metric is not defined for this sample or this editor."""
    DATASET_FAULT = "dataset_fault"
    """The released data cannot support the score: the fault is not the editor's."""


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


@dataclass(frozen=True, slots=True)
class Edit:
    """What an editor gave for a sample: a file, or a reason why there is none.

    `status` is SCORED's sibling here: `Status.SCORED` means "there is a readable picture at
    `path`". `width` and `height` are those of the file as delivered; nothing is resized on the way
    in.
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

    @property
    def ok(self) -> bool:
        return self.path is not None and self.status is Status.SCORED


@dataclass(frozen=True, slots=True)
class Score:
    """One metric of one edit: a finite value, or a status and a reason why there is none.

    One case is neither: a PSNR of identical pictures is +infinity, which JSON cannot hold. Such a
    score has status SCORED, no value, and ``detail["infinite"] is True``: make it with
    `Score.infinite`, read it with `number`.

    Raises `ValueError` when the value is not finite, when a value comes with another status than
    SCORED, when SCORED comes without a value and is not infinite, or when a score that is not of
    that kind claims to be infinite: no score is not zero, and not NaN either.
    """

    metric: str
    value: float | None
    variant: Variant = "faithful"
    status: Status = Status.SCORED
    reason: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.value is not None and not math.isfinite(self.value):
            raise ValueError(f"score {self.metric!r}: a value must be finite, found {self.value!r}")
        infinite = self.detail.get("infinite") is True
        if infinite and (self.value is not None or self.status is not Status.SCORED):
            raise ValueError(
                f"score {self.metric!r}: an infinite score has status 'scored' and no value, found "
                f"{self.status.value!r} and {self.value!r}"
            )
        if not infinite and (self.value is None) == (self.status is Status.SCORED):
            raise ValueError(
                f"score {self.metric!r}: status {self.status.value!r} does not go with value "
                f"{self.value!r}"
            )

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
            metric, None, variant, Status.SCORED, reason, {**(detail or {}), "infinite": True}
        )

    @property
    def number(self) -> float | None:
        """The value as a float, ``math.inf`` for an infinite score, None where there is none."""
        return _number(self.value, self.status, self.detail)


def _number(value: float | None, status: Status, detail: Mapping[str, Any]) -> float | None:
    if value is None and status is Status.SCORED and detail.get("infinite") is True:
        return math.inf
    return value


@dataclass(frozen=True, slots=True)
class Row:
    """One score as it is stored: who, on what, which metric, the value or why there is none, made
    by what.

    `source` names what made the value when more than one thing could have (an OCR engine, a judge
    model); rows of two sources are never mixed in one table. `repeat` counts repeated judgements
    from 0. `fingerprint` is a hash of everything the value depends on. `detail` and `origin`
    (versions, hashes) hold JSON values only. An infinite score is stored as a `Score.infinite` is:
    SCORED without a value; `number` gives it back as ``math.inf``.
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
    """What a scorer promises about one metric: its direction, range and unit, and the variants it
    comes in.
    """

    name: str
    direction: Direction
    low: float
    high: float
    unit: str = ""
    variants: tuple[Variant, ...] = ("faithful",)
    note: str = ""
    """How faithful and corrected differ, in one sentence, and the source."""


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
class Scorer(Protocol):
    """`(sample, edit) -> scores`; pure, knows nothing of runs or files of results.

    `inputs` names the fields of the sample that the values depend on; together with `origin`
    (versions, engine, model hashes, parameters) and the output's bytes they make the fingerprint. A
    scorer is called only with an edit that has a readable picture; it must be picklable, and give
    the same value whatever was scored before. It returns one `Score` for each metric and variant in
    `metrics`.
    """

    name: str
    track: Track
    metrics: tuple[Metric, ...]
    inputs: tuple[str, ...]
    source: str

    def origin(self) -> Mapping[str, Any]: ...

    def applies(self, sample: Sample) -> str | None:
        """None, or the reason why this scorer has nothing to say about the sample (->
        not_applicable).
        """
        ...

    def __call__(self, sample: Sample, edit: Edit) -> Sequence[Score]: ...


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


@runtime_checkable
class Benchmark(Protocol):
    """A set of samples, the scorers that its paper defines, and the tables it prints."""

    name: str
    title: str
    citation: str
    published_counts: Mapping[str, int]
    """Samples per split or category path (joined by ``/``) in the full release, ``""`` for the
    total.
    """

    def load(self, root: Path | None, *, split: str | None = None) -> Dataset:
        """Raises `DataError` when `root` is not this benchmark's folder; says what was looked for
        and found.
        """
        ...

    def scorers(self, tracks: Sequence[Track], **options: Any) -> Sequence[Scorer]: ...


def not_scored(metrics: Sequence[Metric], status: Status, reason: str) -> list[Score]:
    """One score without a value for each metric and variant: used wherever a picture is not there
    to score.
    """
    return [
        Score(metric.name, None, variant, status, reason)
        for metric in metrics
        for variant in metric.variants
    ]


def with_finding(sample: Sample, *findings: Finding) -> Sample:
    """The same sample with further findings."""
    return replace(sample, findings=(*sample.findings, *findings))


@runtime_checkable
class BatchScorer(Scorer, Protocol):
    """A scorer that is much faster over many pairs at once (a network on a GPU): runs in one
    process, in batches.

    `score_batch` returns one list of scores for each pair, in order; the values must not depend on
    the batch but for the rounding of float32 sums (about 1e-6 for CLIP and Inception).
    """

    batch_size: int

    def score_batch(self, pairs: Sequence[tuple[Sample, Edit]]) -> Sequence[Sequence[Score]]: ...


@runtime_checkable
class SetScorer(Protocol):
    """A metric of a whole set of edits by one editor (FID). Its rows have the sample id ``*``."""

    name: str
    track: Track
    metrics: tuple[Metric, ...]
    inputs: tuple[str, ...]
    source: str

    def origin(self) -> Mapping[str, Any]: ...

    def __call__(self, pairs: Sequence[tuple[Sample, Edit]]) -> Sequence[Score]: ...
