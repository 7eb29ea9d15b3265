"""The scorers of the track ``ocr``: TextEdit's five scores, and those for deleted and inserted
text.

They serve every benchmark whose samples know a source or a target text; a benchmark names
`ocr_scorers` or `presence_scorers` in its list.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editgauge import images
from editgauge.errors import MissingExtra, OcrError
from editgauge.instructions import read_instruction
from editgauge.metrics.text import LANGUAGES, language_of, normalise
from editgauge.ocr import Identity, Reader, Text, open_reader
from editgauge.scoring.ocr.metrics import OCR, PRESENCE
from editgauge.scoring.ocr.presence import deletion_scores, insertion_scores
from editgauge.scoring.ocr.scores import Trace, ocr_scores
from editgauge.scoring.scorer import Scorer
from editgauge.types import VARIANTS, Edit, Metric, Sample, Score, Status, Track

DEFAULT_ENGINE = "rapidocr"
_MOST_BOXES = 80
"""Boxes of a picture that a row keeps for the report; a page of small print has more, and is not
looked at by them.
"""


@dataclass(frozen=True, slots=True)
class Absent:
    """Stands in for the default engine where it is not installed, so that what it would score can
    be listed.
    """

    name: str
    reason: str

    def identity(self) -> Identity:
        return Identity(self.name, "not-installed")

    def own_language(self, language: str) -> str | None:
        return language

    def __call__(self, image: images.Array, language: str = "en") -> list[Text]:
        raise OcrError(self.reason)


def ocr_scorers(
    *, cache: Path | None = None, ocr_engine: str | None = None, **_: Any
) -> list[TextScorer]:
    """TextEdit's five scores, read by the named engine, with a store in the folder `cache` when
    given.

    Raises `UnknownName`, `UsageError` or `MissingExtra` for an engine that is named and not there;
    without a name the default engine is used, and where that is not installed every score fails
    with that reason. The environment's ``EDITGAUGE_OCR_CACHE`` names a folder that several runs
    share as their store, instead of `cache`.
    """
    return [TextScorer(**_reading(cache, ocr_engine))]


def presence_scorers(
    *, cache: Path | None = None, ocr_engine: str | None = None, **_: Any
) -> list[PresenceScorer]:
    """Scores of deleted and inserted text; options as for `ocr_scorers`."""
    return [PresenceScorer(**_reading(cache, ocr_engine))]


def _reading(cache: Path | None, ocr_engine: str | None) -> dict[str, Any]:
    shared = os.environ.get("EDITGAUGE_OCR_CACHE")
    place = Path(shared).expanduser() if shared else cache
    try:
        reader = open_reader(ocr_engine or DEFAULT_ENGINE, place)
    except MissingExtra as error:
        if ocr_engine is not None:
            raise
        absent = Absent(DEFAULT_ENGINE, str(error))
        reader = Reader(absent, absent.identity().label)
    engine = reader.engine.identity().as_dict()
    return {"reader": reader, "engine": engine, "source": reader.label}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingScorer(Scorer):
    """Scores from one reading of the original and of the output, resized to the original's size
    first (Lanczos). `source` is the engine's identity: scores of two engines are never one table's.
    """

    reader: Reader
    engine: Mapping[str, Any]
    source: str
    version: str
    track: Track = "ocr"
    inputs: tuple[str, ...] = ("image", "source_text", "target_text", "instruction", "attributes")

    def origin(self) -> Mapping[str, Any]:
        return {"metric": self.version, **self.engine}

    def applies(self, sample: Sample) -> str | None:
        return self.no_text(sample) or self._unread(sample)

    def no_text(self, sample: Sample) -> str | None:
        """Why the sample asks for nothing that is scored here, or None."""
        raise NotImplementedError

    def _unread(self, sample: Sample) -> str | None:
        language, engine = language_for(sample), self.reader.engine
        if engine.own_language(language) is not None:
            return None
        return f"the OCR engine {engine.name!r} cannot read the language {language!r}"

    def read(self, sample: Sample, edit: Edit) -> tuple[list[Text], list[Text]]:
        """The recognised text of the original, and of the output at the original's size."""
        if edit.path is None:
            raise ValueError(f"{sample.id}: the edit of {edit.editor!r} has no picture")
        language, header = language_for(sample), images.read_header(sample.image)
        size = (header.width, header.height)
        return self.reader(sample.image, language), self.reader(edit.path, language, size)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextScorer(ReadingScorer):
    """OA, OP, OR, F1 and NED of a replaced text, faithful and corrected."""

    name: str = "ocr"
    version: str = "textedit-ocr 2"
    metrics: tuple[Metric, ...] = OCR

    def no_text(self, sample: Sample) -> str | None:
        for what, text in (("source", sample.source_text), ("target", sample.target_text)):
            if text is None:
                return f"no {what} text is known of this sample"
            if not text.strip():
                return f"the {what} text is empty"
        operation = _operation(sample) if sample.attributes.get("operation") else "change"
        if operation != "change":
            return f"the operation is {operation or 'not known'}, not a replacement of text"
        return None

    def score(self, sample: Sample, edit: Edit) -> list[Score]:
        original, edited = self.read(sample, edit)
        texts = sample.source_text or "", sample.target_text or ""
        scores: list[Score] = []
        for variant in VARIANTS:
            trace = Trace()
            values = ocr_scores(original, edited, *texts, variant=variant, trace=trace)
            detail = _detail(trace, edited)
            if variant == "faithful":
                detail["boxes"] = boxes(original, edited)
            for name, value in values.items():
                reason = trace.reason
                if value is None and not reason:
                    reason = "OCR finds no box of the original that reads as the source text"
                scores.append(
                    Score(
                        metric=name,
                        value=value,
                        variant=variant,
                        status=Status.DATASET_FAULT if value is None else Status.SCORED,
                        reason=reason,
                        detail=detail if name == "OA" else {},
                    )
                )
        return scores

    def explain(self, sample: Sample, edit: Edit) -> images.Array:
        """Original and output with boxes, region, lines and scores drawn on them: shape (H, W, 3),
        uint8, RGB.
        """
        from editgauge.scoring.ocr.explain import draw

        return draw(sample, edit, *self.read(sample, edit), self.source)


def boxes(original: Sequence[Text], edited: Sequence[Text]) -> dict[str, list[list[Any]]]:
    """Where text was read, for those who look: ``input`` and ``output``, each [left, top, right,
    bottom, text].

    Whole pixels of the original's frame (the output is resized to it before it is read).
    """
    both = (("input", original), ("output", edited))
    return {name: [_box(text) for text in texts[:_MOST_BOXES]] for name, texts in both}


def _box(text: Text) -> list[Any]:
    across, down = [x for x, _ in text.polygon], [y for _, y in text.polygon]
    corners = (min(across), min(down), max(across), max(down))
    return [*map(round, corners), text.text[:60]]


def _detail(trace: Trace, edited: Sequence[Text]) -> dict[str, Any]:
    """What a reader of the row wants to know: what stood in the edited region, and which rules were
    at work.
    """
    read = " ".join(edited[number].text for number in trace.region_boxes)[:200]
    penalised = {"penalised": True} if trace.penalised else {}
    return {"read": read, **penalised, **({"rules": list(trace.rules)} if trace.rules else {})}


@dataclass(frozen=True, slots=True, kw_only=True)
class PresenceScorer(ReadingScorer):
    """``deleted``, ``inserted`` and ``kept``: see `presence`. Only corrected: no paper has
    these.
    """

    name: str = "ocr_presence"
    version: str = "text-presence 1"
    metrics: tuple[Metric, ...] = PRESENCE

    def no_text(self, sample: Sample) -> str | None:
        operation = _operation(sample)
        if operation not in ("delete", "insert"):
            return f"the operation is {operation or 'not known'}, no deletion or insertion of text"
        text = sample.source_text if operation == "delete" else sample.target_text
        if text is None:
            return f"the text to {operation} is not known of this sample"
        if not normalise(text):
            return f"the text to {operation}, {text!r}, has no letter or digit in it"
        return None

    def score(self, sample: Sample, edit: Edit) -> list[Score]:
        original, edited = self.read(sample, edit)
        values: Mapping[str, float] | None
        if _operation(sample) == "delete":
            missing = "inserted"
            values = deletion_scores(original, edited, sample.source_text or "")
        else:
            missing = "deleted"
            values = insertion_scores(original, edited, sample.target_text or "")
        scores = []
        for name in (metric.name for metric in PRESENCE):
            value = None if values is None else values.get(name)
            status, reason = Status.SCORED, ""
            if name == missing:
                status, reason = Status.NOT_APPLICABLE, f"nothing is {name} in this sample"
            elif values is None:
                status = Status.DATASET_FAULT
                reason = "OCR does not find the source text in the original"
            elif value is None:
                status, reason = Status.NOT_APPLICABLE, "the original has no other text"
            scores.append(
                Score(metric=name, value=value, variant="corrected", status=status, reason=reason)
            )
        return scores


def language_for(sample: Sample) -> str:
    """The language to read a sample in: its own ``language`` attribute, else by the script of its
    texts.
    """
    known = sample.attributes.get("language")
    if known in LANGUAGES:  # TextEditBench's difficulty attribute of this name is a number
        return str(known)
    return language_of(sample.source_text or "", sample.target_text or "")


def _operation(sample: Sample) -> str | None:
    """The operation as the benchmark names it, else by the instruction's words."""
    known = str(sample.attributes.get("operation", ""))
    return read_instruction(sample.instruction, known).operation
