"""Scores that rest on CLIP features: one scorer a benchmark, which says what it measures in a
list.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

from editgauge.errors import EditgaugeError, ShapeMismatch
from editgauge.metrics.embedding import aesthetic, clip_score, cosine, directional_alignment
from editgauge.networks.features import CLIP, ClipFeatures
from editgauge.networks.loading import aesthetic_head
from editgauge.networks.runtime import gpus, resolve
from editgauge.networks.weights import locate
from editgauge.scoring import NoScore
from editgauge.scoring.failures import all_without, detail_of, failure, field_of, origin_of
from editgauge.scoring.scorer import Needs, Pair, Scorer
from editgauge.types import Edit, Metric, Sample, Score, Status, Track, Variant

MEMORY = 1_934_000_000
"""Bytes of a worker with both towers on a processor, measured by `perf/bench_memory.py`."""
AESTHETIC = "laion-aesthetic-vit-l-14"
_NEEDED = {"image": ["reference"], "direction": ["images"], "input": ["images"]}
"""Kind -> the sample's pictures that it reads."""
Kind = Literal["clip_score", "image", "text", "direction", "input", "aesthetic"]


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
class ClipScorer(Scorer):
    """Scores that rest on CLIP ViT-L/14: features of pictures and texts are computed once and kept
    by content.

    What a batch gives differs from what its pictures give alone by up to
    about 1e-6, the rounding of float32 sums in another order. `cache` is the folder of the feature
    store, shared by all metrics, editors and benchmarks.
    """

    measures: tuple[Measure, ...]
    name: str = "clip"
    track: Track = "embedding"
    folder: Path | None = None
    cache: Path | None = None
    device: str | None = None
    precision: str | None = None
    batch: int = 64
    memory: int = MEMORY
    metrics: tuple[Metric, ...] = field(init=False)
    inputs: tuple[str, ...] = field(init=False)
    needs: Needs = field(init=False)

    def __post_init__(self) -> None:
        fields: dict[str, None] = {}
        for measure in self.measures:
            needed = _NEEDED.get(measure.kind, [])
            fields.update(dict.fromkeys([*needed, *([measure.text] if measure.text else [])]))
        put = partial(object.__setattr__, self)
        put("metrics", tuple(measure.metric for measure in self.measures))
        put("inputs", tuple(fields))
        put("needs", Needs(num_gpus=gpus(self.device), memory=self.memory))

    def origin(self) -> Mapping[str, Any]:
        crops = {"crop": "as released"} if any(m.as_released for m in self.measures) else {}
        precision = self.precision or "float32"
        return origin_of(self._weights(), self.folder, precision=precision, **crops)

    def _weights(self) -> list[str]:
        head = any(measure.kind == "aesthetic" for measure in self.measures)
        return [CLIP, AESTHETIC] if head else [CLIP]

    def score_many(self, pairs: Sequence[Pair]) -> Iterator[tuple[int, Sequence[Score]]]:
        """As `Scorer`. Without weights every pair fails with the command that gets them."""
        try:
            locate(CLIP, self.folder)  # before torch is imported
            features = ClipFeatures(self.folder, resolve(self.device, self.precision), self.cache)
            found = _Batch(self, features, pairs)
        except EditgaugeError as error:
            yield from enumerate(all_without(self.metrics, len(pairs), error))
            return
        for number, pair in enumerate(pairs):
            yield (
                number,
                [
                    found.score(measure, variant, *pair)
                    for measure in self.measures
                    for variant in measure.metric.variants
                ],
            )


class _Batch:
    """The features of one batch, and the scores that come out of them."""

    def __init__(
        self, scorer: ClipScorer, features: ClipFeatures, pairs: Sequence[tuple[Sample, Edit]]
    ) -> None:
        kinds = {measure.kind for measure in scorer.measures}
        paths = [edit.path for _, edit in pairs if edit.path is not None]
        if kinds - {"aesthetic"}:
            if "image" in kinds:
                paths += [sample.reference for sample, _ in pairs if sample.reference is not None]
            if kinds & {"direction", "input"}:
                paths += [sample.image for sample, _ in pairs]
            self._images = features.images(paths)
        outputs = [edit.path for _, edit in pairs if edit.path is not None]
        self._round = None
        if any(measure.as_released for measure in scorer.measures):
            self._round = features.images(outputs, crop="round")
        self._head = None
        self._no_head: EditgaugeError | None = None
        if "aesthetic" in kinds:
            try:
                self._head = aesthetic_head(scorer.folder)
                self._round = self._round or features.images(outputs, crop="round")
            except EditgaugeError as error:
                self._no_head = error
        self._texts, self._notes = features.texts(
            [
                text
                for sample, _ in pairs
                for measure in scorer.measures
                if measure.text and (text := _text_or_none(sample, measure.text)) is not None
            ]
        )

    def score(self, measure: Measure, variant: Variant, sample: Sample, edit: Edit) -> Score:
        made = self._score(measure, variant, sample, edit)
        return made if variant == made.variant else replace(made, variant=variant)

    def _score(self, measure: Measure, variant: Variant, sample: Sample, edit: Edit) -> Score:
        metric = measure.metric.name
        try:
            value = float(self._value(measure, variant, sample, edit))
        except Exception as error:  # one pair's fault: its status and reason
            status, reason = failure(error, sample, edit)
            return Score(metric=metric, value=None, status=status, reason=reason)
        if math.isnan(value) and measure.kind == "direction" and self._unchanged(sample, edit):
            reason = "the output has the input's features: no change has no direction"
            return Score(metric=metric, value=None, status=Status.NOT_APPLICABLE, reason=reason)
        if not math.isfinite(value):
            return Score(
                metric=metric,
                value=None,
                status=Status.FAILED,
                reason="the network's features are not finite",
            )
        note = self._notes.get(_text_or_none(sample, measure.text) or "") if measure.text else None
        return Score(metric=metric, value=value, detail=detail_of(note=note))

    def _value(self, measure: Measure, variant: Variant, sample: Sample, edit: Edit) -> Any:
        if measure.kind == "aesthetic":
            return self._aesthetic(edit)
        if measure.kind == "input":
            image = _vector(self._images, sample.image)
            return cosine(image, _vector(self._texts, field_of(sample, measure.text)))
        released = measure.as_released and variant == "faithful"
        output = _vector(self._round if released and self._round else self._images, edit.path)
        if measure.kind == "image":
            if sample.reference is None:
                raise NoScore(Status.NOT_APPLICABLE, "the sample has no reference")
            return cosine(output, _vector(self._images, sample.reference))
        text = _vector(self._texts, field_of(sample, measure.text))
        if measure.kind == "direction":
            return directional_alignment(output, _vector(self._images, sample.image), text)
        return clip_score(output, text) if measure.kind == "clip_score" else cosine(output, text)

    def _unchanged(self, sample: Sample, edit: Edit) -> bool:
        return bool((_vector(self._images, edit.path) == _vector(self._images, sample.image)).all())

    def _aesthetic(self, edit: Edit) -> Any:
        if self._head is None or self._round is None:
            raise self._no_head or ShapeMismatch("the aesthetic head was not loaded")
        weight, bias = self._head
        return aesthetic(_vector(self._round, edit.path), weight, bias)


def _vector(found: Mapping[Any, Any], key: Any) -> Any:
    value = found[key]
    if isinstance(value, Exception):
        raise value
    return value


def _text_or_none(sample: Sample, name: str) -> str | None:
    try:
        return field_of(sample, name)
    except NoScore:
        return None
