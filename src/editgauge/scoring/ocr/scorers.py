"""The scorers of the track ``ocr``: TextEdit's five scores, and those for deleted and inserted
text.

They serve every benchmark whose samples know a source or a target text; a benchmark names
`ocr_scorers` or `presence_scorers` in its list.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editgauge import images
from editgauge.errors import ImageError, MissingExtra, OcrError
from editgauge.instructions import read_instruction
from editgauge.metrics.text import LANGUAGES, language_of, normalise
from editgauge.ocr import Identity, Reader, Text, open_reader
from editgauge.ocr.engine import box_of
from editgauge.scoring.metrics import OCR, PRESENCE
from editgauge.scoring.ocr.presence import deletion_scores, insertion_scores
from editgauge.scoring.ocr.scores import OcrScores, ocr_scores
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
    return {"reader": reader, "source": reader.label}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingScorer(Scorer):
    """Scores from one reading of the original and of the output, resized to the original's size
    first (Lanczos). `source` is the engine's identity: scores of two engines are never one table's.
    """

    reader: Reader
    source: str
    version: str
    track: Track = "ocr"
    inputs: tuple[str, ...] = ("image", "source_text", "target_text", "instruction", "attributes")

    def origin(self) -> Mapping[str, Any]:
        return {"metric": self.version, **self.reader.engine.identity().as_dict()}

    def applies(self, sample: Sample) -> str | None:
        why, language, engine = self.no_text(sample), language_for(sample), self.reader.engine
        if why is None and engine.own_language(language) is None:
            return f"the OCR engine {engine.name!r} cannot read the language {language!r}"
        return why

    def no_text(self, sample: Sample) -> str | None:
        """Why the sample asks for nothing that is scored here, or None."""
        raise NotImplementedError

    def read(self, sample: Sample, edit: Edit) -> tuple[list[Text], list[Text]]:
        """The recognised text of the original, and of the output at the original's size."""
        if edit.path is None:
            raise ImageError(f"{sample.id}: the edit of {edit.editor!r} has no picture")
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
            read = ocr_scores(original, edited, *texts, variant)
            detail = _detail(read, edited)
            if variant == "faithful":
                detail["boxes"] = {"input": _boxes(original), "output": _boxes(edited)}
            for name, value in read.values.items():
                status = Status.DATASET_FAULT if value is None else Status.SCORED
                lost = "OCR finds no box of the original that reads as the source text"
                reason = read.reason or (lost if value is None else "")
                shown = detail if name == "OA" else {}
                scores.append(Score(metric=name, value=value, variant=variant, status=status,
                                    reason=reason, detail=shown))  # fmt: skip
        return scores


def _boxes(texts: Sequence[Text]) -> list[list[Any]]:
    """Where text was read, for those who look, each [left, top, right, bottom, text]: whole pixels
    of the original's frame (the output is resized to it before it is read).
    """
    return [[*map(round, box_of(text)), text.text[:60]] for text in texts[:_MOST_BOXES]]


def _detail(read: OcrScores, edited: Sequence[Text]) -> dict[str, Any]:
    """What a reader of the row wants to know: what stood in the edited region, and which rules were
    at work.
    """
    detail: dict[str, Any] = {"read": " ".join(edited[n].text for n in read.region)[:200]}
    if read.penalised:
        detail["penalised"] = True
    if read.rules:
        detail["rules"] = list(read.rules)
    return detail


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
        return list(self._scores(sample, *self.read(sample, edit)))

    def _scores(self, sample: Sample, original: list[Text], edited: list[Text]) -> Iterator[Score]:
        values: Mapping[str, float] | None
        if _operation(sample) == "delete":
            absent, values = "inserted", deletion_scores(original, edited, sample.source_text or "")
        else:
            absent, values = "deleted", insertion_scores(original, edited, sample.target_text or "")
        for metric in self.metrics:
            name = metric.name
            value = None if values is None else values.get(name)
            status, reason = Status.SCORED, ""
            if name == absent:
                status, reason = Status.NOT_APPLICABLE, f"nothing is {name} in this sample"
            elif values is None:
                status = Status.DATASET_FAULT
                reason = "OCR does not find the source text in the original"
            elif value is None:
                status, reason = Status.NOT_APPLICABLE, "the original has no other text"
            yield Score(metric=name, value=value, variant="corrected", status=status, reason=reason)


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
