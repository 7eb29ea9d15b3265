"""Scores that rest on features of a network: CLIP similarities and aesthetics, FID; and
what every scorer of a network says of its weights.
"""

from __future__ import annotations

import functools
import importlib.metadata
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from editgauge.errors import EditgaugeError
from editgauge.metrics.embedding import aesthetic, clip_score, cosine, directional_alignment
from editgauge.metrics.frechet import FEW_SAMPLES, frechet_distance, moments
from editgauge.networks.features import CLIP, INCEPTION, ClipFeatures, InceptionFeatures
from editgauge.networks.loading import aesthetic_head
from editgauge.networks.runtime import Runtime, gpus, resolve
from editgauge.networks.weights import find, locate, state
from editgauge.scoring import NoScore, failure, text_of
from editgauge.scoring.metrics import FID
from editgauge.scoring.scorer import Needs, Pair, Scorer
from editgauge.types import (
    Edit,
    JsonMapping,
    JsonObject,
    Metric,
    Sample,
    Score,
    Status,
    Track,
    Variant,
    not_scored,
)

AESTHETIC = "laion-aesthetic-vit-l-14"


def place(options: JsonObject) -> JsonObject:
    """Where weights and features lie and networks run, out of a benchmark's options: the fields
    that every neural scorer has.
    """
    names = {"folder": "weights", "device": "device", "cache": "cache"}
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

    @property
    def needs(self) -> Needs:  # type: ignore[override]
        """A GPU, where it is to run on one."""
        return Needs(num_gpus=gpus(self.device))

    @property
    def weights(self) -> tuple[str, ...]:
        """The names of its weights, without which nothing is scored first."""
        raise NotImplementedError

    def origin(self) -> JsonMapping:
        """Checksums of the weights, versions of the libraries, parameters. Missing weights are part
        of it, so that their arrival makes another fingerprint and the rows are computed.
        """
        origin: JsonObject = {}
        for name in self.weights:
            try:
                origin[name] = locate(name, self.folder).identity
            except EditgaugeError:
                origin[name] = {"weights": name, "state": state(name, self.folder)}
        origin |= {package: _version(package) for package in ("torch", "transformers")}
        return origin | {"precision": "float32"}

    def ready(self) -> Runtime:
        """The runtime; the weights are looked for first, since importing torch takes seconds."""
        locate(self.weights[0], self.folder)
        return resolve(self.device)


def lacking(origin: JsonMapping) -> str:
    """What a scorer with this origin has not and cannot work without, with the command that brings
    it; "" where nothing is known to be lacking.
    """
    reasons = []
    for value in origin.values():
        weights_state = value.get("state") if isinstance(value, Mapping) else None
        if weights_state in ("not here", "wrong"):
            other = "are other files than their checksums say; remove them, then"
            name, why = value["weights"], other if weights_state == "wrong" else "are not here"
            reasons.append(f"weights {name!r} {why}: {find(name).command}")
    if "torch" in origin and origin["torch"] is None:
        reasons.append("torch is not installed: pip install 'editgauge[neural]'")
    return "; ".join(reasons)


@functools.cache
def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


# -- CLIP ------------------------------------------------------------------------------------------

_KINDS: Mapping[str, tuple[tuple[str, ...], Callable[..., Any]]] = {
    "clip_score": (("output", "text"), clip_score),
    "text": (("output", "text"), cosine),
    "image": (("output", "reference"), cosine),
    "direction": (("output", "input", "text"), directional_alignment),
    "input": (("input", "text"), cosine),
    "aesthetic": (("cropped", "head"), lambda vector, head: aesthetic(vector, *head)),
}
"""Kind of measure -> the features that it takes, and the formula."""
_FIELDS = {"input": "images", "reference": "reference"}


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
    kind: str
    text: str = ""
    as_released: bool = False


@dataclass(frozen=True, kw_only=True)
class ClipScorer(NeuralScorer):
    """Scores that rest on CLIP ViT-L/14: features of pictures and texts are computed once and kept
    by content. A batch differs from its pictures alone by up to about 1e-6, the rounding of float32
    sums in another order.
    """

    measures: tuple[Measure, ...]
    name: str = "clip"
    batch: int = 64
    metrics: tuple[Metric, ...] = field(init=False)
    inputs: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        used = [(_FIELDS.get(part), m.text) for m in self.measures for part in _KINDS[m.kind][0]]
        inputs = dict.fromkeys(name for names in used for name in names if name)
        object.__setattr__(self, "metrics", tuple(measure.metric for measure in self.measures))
        object.__setattr__(self, "inputs", tuple(inputs))

    @property
    def weights(self) -> tuple[str, ...]:
        return (CLIP, AESTHETIC) if "head" in self._parts else (CLIP,)

    @property
    def _parts(self) -> set[str]:
        cropped = {"cropped" for measure in self.measures if measure.as_released}
        return cropped.union(*(_KINDS[measure.kind][0] for measure in self.measures))

    def origin(self) -> JsonMapping:
        crops = any(measure.as_released for measure in self.measures)
        return {**super().origin(), **({"crop": "as released"} if crops else {})}

    def score_many(self, pairs: Sequence[Pair]) -> Iterator[tuple[int, Sequence[Score]]]:
        features, parts = ClipFeatures(self.folder, self.ready(), self.cache), self._parts
        outputs = [edit.path for _, edit in pairs if edit.path is not None]
        pictures = outputs if "output" in parts else []
        pictures = pictures + [s.image for s, _ in pairs if "input" in parts]
        pictures += [s.reference for s, _ in pairs if s.reference and "reference" in parts]
        texts = [getattr(s, m.text) or "" for s, _ in pairs for m in self.measures if m.text]
        vectors, notes = features.texts([text for text in texts if text.strip()])
        known: JsonObject = {
            "picture": features.images(pictures),
            "cropped": features.images(outputs, crop="round") if "cropped" in parts else {},
            "text": vectors,
            "head": self._head() if "head" in parts else None,
        }
        wanted = [(measure, name) for measure in self.measures for name in measure.metric.variants]
        for number, pair in enumerate(pairs):
            yield number, [_clip(known, notes, measure, name, *pair) for measure, name in wanted]

    def _head(self) -> Any:
        """Weight and bias of the aesthetic score, or why there are none: the others do without."""
        try:
            return aesthetic_head(self.folder)
        except EditgaugeError as error:
            return error


def _clip(
    known: JsonMapping, notes: Mapping[str, str],
    measure: Measure, variant: Variant, sample: Sample, edit: Edit,
) -> Score:  # fmt: skip
    """One score from the features of a batch."""
    name, (parts, formula) = measure.metric.name, _KINDS[measure.kind]
    released = measure.as_released and variant == "faithful"
    try:
        given = [_feature(known, part, measure, sample, edit, released) for part in parts]
        value = float(formula(*given))
        if math.isnan(value) and measure.kind == "direction":
            why = "the output has the input's features: no change has no direction"
            raise NoScore(Status.NOT_APPLICABLE, why)
        if not math.isfinite(value):
            raise NoScore(Status.FAILED, "the network's features are not finite")
    except Exception as error:  # one pair's fault: its status and reason
        return NoScore(*failure(error, edit)).score(name, variant)
    note = notes.get(text_of(sample, measure.text), "") if measure.text else ""
    return Score(metric=name, value=value, variant=variant, detail={"note": note} if note else {})


def _feature(
    known: JsonMapping, part: str, measure: Measure, sample: Sample, edit: Edit,
    released: bool,
) -> Any:  # fmt: skip
    if part == "reference" and sample.reference is None:
        raise NoScore(Status.NOT_APPLICABLE, "the sample has no reference")
    if part == "head":
        vector = known["head"]
    elif part == "text":
        vector = known["text"][text_of(sample, measure.text)]
    else:
        cropped = part == "cropped" or (released and part == "output")
        paths = {"input": sample.image, "reference": sample.reference}
        vector = known["cropped" if cropped else "picture"][paths.get(part, edit.path)]
    if isinstance(vector, Exception):
        raise vector
    return vector


# -- Fréchet distance ------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class FidScorer(NeuralScorer):
    """FID: the distance of the set of outputs from the set of references, one value an
    editor. A sample without an output takes its reference out of the set with it; how many samples
    went in stands in the rows' detail. Features are kept in `cache` and survive an interruption.
    """

    metrics: tuple[Metric, ...] = (FID,)
    inputs: tuple[str, ...] = ("reference",)
    name: str = "fid"
    whole_set: bool = True

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
            found = f"found {len(good)} of {len(pairs)}"
            reason = f"wanted at least 2 outputs with a reference that can be read, {found}"
            return not_scored(self.metrics, Status.NOT_APPLICABLE, reason)
        references, outputs = np.array(good, dtype=np.float64).swapaxes(0, 1)
        detail: JsonObject = {"samples": len(good), "left_out": len(pairs) - len(good)}
        if len(good) < FEW_SAMPLES:
            detail["warning"] = (
                f"{len(good)} samples, fewer than {FEW_SAMPLES}: the covariance is rank-deficient "
                f"and FID is biased upwards; compare it only at equal numbers"
            )
        fid = frechet_distance(moments(outputs), moments(references))
        return [Score(metric="fid", value=fid, detail=detail)]
