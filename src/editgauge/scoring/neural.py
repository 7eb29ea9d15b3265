"""Scores that rest on features of a network: CLIP similarities and aesthetics, FID and KID; and
what every scorer of a network says of its weights.
"""

from __future__ import annotations

import functools
import importlib.metadata
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from editgauge.errors import EditgaugeError
from editgauge.metrics.embedding import aesthetic, clip_score, cosine, directional_alignment
from editgauge.metrics.frechet import FEW_SAMPLES, frechet_distance, kernel_distance, moments
from editgauge.networks.features import CLIP, INCEPTION, ClipFeatures, InceptionFeatures, Vectors
from editgauge.networks.loading import aesthetic_head
from editgauge.networks.runtime import Runtime, gpus, resolve
from editgauge.networks.weights import find, locate, state
from editgauge.scoring import NoScore
from editgauge.scoring.failures import failure, text_of
from editgauge.scoring.metrics import FID, KID
from editgauge.scoring.scorer import Needs, Pair, Scorer
from editgauge.types import Edit, Metric, Sample, Score, Status, Track, Variant, not_scored

AESTHETIC = "laion-aesthetic-vit-l-14"


def place(options: dict[str, Any]) -> dict[str, Any]:
    """Where weights and features lie and networks run, out of a benchmark's options: the fields
    that every neural scorer has.
    """
    names = {"folder": "weights", "device": "device", "precision": "precision", "cache": "cache"}
    return {field: options.get(name) for field, name in names.items()}


@dataclass(frozen=True, kw_only=True)
class NeuralScorer(Scorer):
    """A scorer with the networks of `weights`. `folder` holds the weights (None: the default one),
    `cache` the features of pictures and texts by content, shared by all metrics, editors and
    benchmarks. Without its weights or torch it raises `WeightsError` or `MissingExtra`.
    """

    track: Track = "embedding"
    folder: Path | None = None
    cache: Path | None = None
    device: str | None = None
    precision: str | None = None
    needs: Needs = field(init=False)
    memory: ClassVar[int]
    """Bytes of a worker on a processor, as measured; a GPU's worker has the whole machine."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "needs", Needs(num_gpus=gpus(self.device), memory=self.memory))

    @property
    def weights(self) -> tuple[str, ...]:
        """The names of its weights, without which nothing is scored first."""
        raise NotImplementedError

    def origin(self) -> Mapping[str, Any]:
        """Checksums of the weights, versions of the libraries, parameters. Missing weights are part
        of it, so that their arrival makes another fingerprint and the rows are computed.
        """
        origin: dict[str, Any] = {}
        for name in self.weights:
            try:
                origin[name] = locate(name, self.folder).identity
            except EditgaugeError:
                origin[name] = {"weights": name, "state": state(name, self.folder)}
        origin |= {package: _version(package) for package in ("torch", "transformers")}
        return origin | {"precision": self.precision or "float32"}

    def ready(self) -> Runtime:
        """The runtime; the weights are looked for first, since importing torch takes seconds."""
        locate(self.weights[0], self.folder)
        return resolve(self.device, self.precision)


def lacking(origin: Mapping[str, Any]) -> str:
    """What a scorer with this origin (see `NeuralScorer`) cannot work without and has not, with the
    command that brings it; "" where nothing is known to be lacking.
    """
    told = []
    for value in origin.values():
        found = value.get("state") if isinstance(value, Mapping) else None
        if found in ("not here", "wrong"):
            other = "are other files than their checksums say; remove them, then"
            name, why = value["weights"], other if found == "wrong" else "are not here"
            told.append(f"weights {name!r} {why}: {find(name).command}")
    if "torch" in origin and origin["torch"] is None:
        told.append("torch is not installed: pip install 'editgauge[neural]'")
    return "; ".join(told)


@functools.cache
def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


# -- CLIP ------------------------------------------------------------------------------------------

Kind = Literal["clip_score", "image", "text", "direction", "input", "aesthetic"]
_NEEDED: Mapping[Kind, str] = {"image": "reference", "direction": "images", "input": "images"}
"""Kind -> the sample's pictures that it reads."""


@dataclass(frozen=True)
class Measure:
    """One metric and how it comes out of the features.

    `kind`: ``clip_score`` 2.5 · max(0, cos(output, text)); ``image`` cos(output, reference);
    ``text`` cos(output, text); ``direction`` cos(output - input, text); ``input`` cos(input, text),
    which the output has no part in; ``aesthetic`` the linear head on the output. `text` is the
    sample's field with the text. `as_released`: the faithful variant crops as the ``clip`` package
    does (torchvision's rounding), the corrected one as transformers does; without it there is one
    variant, with transformers' crop.
    """

    metric: Metric
    kind: Kind
    text: str = ""
    as_released: bool = False


@dataclass(frozen=True, kw_only=True)
class ClipScorer(NeuralScorer):
    """Scores that rest on CLIP ViT-L/14, by what it measures: features of pictures and texts are
    computed once and kept by content.

    What a batch gives differs from what its pictures give alone by up to about 1e-6, the rounding
    of float32 sums in another order.
    """

    measures: tuple[Measure, ...]
    name: str = "clip"
    batch: int = 64
    metrics: tuple[Metric, ...] = field(init=False)
    inputs: tuple[str, ...] = field(init=False)
    memory: ClassVar[int] = 1_934_000_000

    def __post_init__(self) -> None:
        super().__post_init__()
        fields = [f for m in self.measures for f in (_NEEDED.get(m.kind, ""), m.text) if f]
        object.__setattr__(self, "metrics", tuple(measure.metric for measure in self.measures))
        object.__setattr__(self, "inputs", tuple(dict.fromkeys(fields)))

    @property
    def weights(self) -> tuple[str, ...]:
        return (CLIP, AESTHETIC) if self._has("aesthetic") else (CLIP,)

    def _has(self, *kinds: Kind) -> bool:
        return any(measure.kind in kinds for measure in self.measures)

    def origin(self) -> Mapping[str, Any]:
        crops = any(measure.as_released for measure in self.measures)
        return {**super().origin(), **({"crop": "as released"} if crops else {})}

    def score_many(self, pairs: Sequence[Pair]) -> Iterator[tuple[int, Sequence[Score]]]:
        known = self._known(ClipFeatures(self.folder, self.ready(), self.cache), pairs)
        for number, (sample, edit) in enumerate(pairs):
            yield (
                number,
                [
                    known.score(measure, variant, sample, edit)
                    for measure in self.measures
                    for variant in measure.metric.variants
                ],
            )

    def _known(self, features: ClipFeatures, pairs: Sequence[Pair]) -> _Known:
        outputs = [edit.path for _, edit in pairs if edit.path is not None]
        others = [s.reference for s, _ in pairs if s.reference and self._has("image")]
        others += [s.image for s, _ in pairs if self._has("direction", "input")]
        whole = self._has("clip_score", "image", "text", "direction", "input")
        head: Any = None
        if self._has("aesthetic"):
            try:
                head = aesthetic_head(self.folder)
            except EditgaugeError as error:  # the other metrics do without
                head = error
        round_ = any(m.as_released for m in self.measures) or isinstance(head, tuple)
        texts = [getattr(s, m.text) or "" for s, _ in pairs for m in self.measures if m.text]
        vectors, notes = features.texts([text for text in texts if text.strip()])
        return _Known(
            features.images([*outputs, *others]) if whole else {},
            features.images(outputs, crop="round") if round_ else {},
            vectors,
            notes,
            head,
        )


@dataclass(frozen=True, slots=True)
class _Known:
    """The features of one batch, and the scores that come out of them."""

    images: Vectors
    round: Vectors
    """Of the outputs, cropped as the ``clip`` package does."""
    texts: Vectors
    notes: Mapping[str, str]
    head: Any
    """Of the aesthetic score: weight and bias, or why there is none."""

    def score(self, measure: Measure, variant: Variant, sample: Sample, edit: Edit) -> Score:
        name, note = measure.metric.name, ""
        try:
            value = float(self._value(measure, variant, sample, edit))
            if math.isnan(value) and measure.kind == "direction" and self._unchanged(sample, edit):
                why = "the output has the input's features: no change has no direction"
                raise NoScore(Status.NOT_APPLICABLE, why)
            if not math.isfinite(value):
                raise NoScore(Status.FAILED, "the network's features are not finite")
        except Exception as error:  # one pair's fault: its status and reason
            status, reason = failure(error, edit)
            return Score(metric=name, value=None, variant=variant, status=status, reason=reason)
        if measure.text:
            note = self.notes.get(text_of(sample, measure.text), "")
        detail = {"note": note} if note else {}
        return Score(metric=name, value=value, variant=variant, detail=detail)

    def _value(self, measure: Measure, variant: Variant, sample: Sample, edit: Edit) -> Any:
        if measure.kind == "aesthetic":
            weight, bias = _good(self.head)
            return aesthetic(_good(self.round[edit.path]), weight, bias)
        if measure.kind == "input":
            return cosine(_good(self.images[sample.image]), self._text(sample, measure))
        released = measure.as_released and variant == "faithful"
        output = _good((self.round if released else self.images)[edit.path])
        if measure.kind == "image":
            if sample.reference is None:
                raise NoScore(Status.NOT_APPLICABLE, "the sample has no reference")
            return cosine(output, _good(self.images[sample.reference]))
        text = self._text(sample, measure)
        if measure.kind == "direction":
            return directional_alignment(output, _good(self.images[sample.image]), text)
        return clip_score(output, text) if measure.kind == "clip_score" else cosine(output, text)

    def _text(self, sample: Sample, measure: Measure) -> Any:
        return _good(self.texts[text_of(sample, measure.text)])

    def _unchanged(self, sample: Sample, edit: Edit) -> bool:
        return np.array_equal(_good(self.images[edit.path]), _good(self.images[sample.image]))


def _good(value: Any) -> Any:
    """A value that may be the reason why there is none."""
    if isinstance(value, Exception):
        raise value
    return value


# -- Fréchet distance ------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class FidScorer(NeuralScorer):
    """FID and KID: the distance of the set of outputs from the set of references, one value an
    editor, not one a sample.

    A sample without an output takes its reference out of the set with it, so
    that an editor is not punished twice; how many samples went in stands in the rows' detail.
    Features are kept in `cache` and survive an interruption.
    """

    metrics: tuple[Metric, ...] = (FID, KID)
    inputs: tuple[str, ...] = ("reference",)
    name: str = "fid"
    whole_set: bool = True
    memory: ClassVar[int] = 683_000_000

    @property
    def weights(self) -> tuple[str, ...]:
        return (INCEPTION,)

    def score_set(self, pairs: Sequence[Pair]) -> Sequence[Score]:
        usable = [(s.reference, e.path) for s, e in pairs if s.reference and e.ok and e.path]
        network = InceptionFeatures(self.folder, self.ready(), self.cache)
        known = network.images([path for pair in usable for path in pair])
        both = [(known[reference], known[output]) for reference, output in usable]
        good = [pair for pair in both if not any(isinstance(one, Exception) for one in pair)]
        if len(good) < 2:
            reason = (
                f"wanted at least 2 outputs with a reference that can be read, found "
                f"{len(good)} of {len(pairs)}"
            )
            return not_scored(self.metrics, Status.NOT_APPLICABLE, reason)
        references, outputs = (
            np.stack(list(side)).astype(np.float64) for side in zip(*good, strict=True)
        )
        detail: dict[str, Any] = {"samples": len(good), "left_out": len(pairs) - len(good)}
        if len(good) < FEW_SAMPLES:
            detail["warning"] = (
                f"{len(good)} samples, fewer than {FEW_SAMPLES}: the covariance is rank-deficient "
                f"and FID is biased upwards; compare it only at equal numbers, and read KID"
            )
        values = {
            "fid": frechet_distance(moments(outputs), moments(references)),
            "kid": kernel_distance(outputs, references),
        }
        return [Score(metric=name, value=value, detail=detail) for name, value in values.items()]
