"""The scorer of the track ``ocr``: TextEdit's five scores, for every benchmark whose samples know a
source and a target text.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editgauge import images
from editgauge.errors import ImageError, MissingExtra
from editgauge.instructions import read_instruction
from editgauge.metrics.text import LANGUAGES, language_of
from editgauge.ocr import Reader, Text, open_reader
from editgauge.ocr.engine import box_of
from editgauge.scoring.metrics import OCR
from editgauge.scoring.ocr.scores import ocr_scores
from editgauge.scoring.scorer import Scorer
from editgauge.types import (
    VARIANTS,
    Edit,
    JsonMapping,
    JsonObject,
    Metric,
    Sample,
    Score,
    Status,
    Track,
)

DEFAULT_ENGINE = "rapidocr"
_MOST_BOXES = 80
"""Boxes of a picture that a row keeps for the report; a page of small print has more."""


def ocr_scorers(
    *, cache: Path | None = None, ocr_engine: str | None = None, **_: Any
) -> TextScorer:
    """TextEdit's five scores, read by the named engine, with a store in the folder `cache` (or in
    the environment's ``EDITGAUGE_OCR_CACHE``, which several runs share).

    Raises `UnknownName`, `UsageError` or `MissingExtra` for an engine that is named and not there;
    without a name the default engine is used, and where that is not installed nothing is measured,
    for that reason.
    """
    shared = os.environ.get("EDITGAUGE_OCR_CACHE")
    try:
        place = Path(shared).expanduser() if shared else cache
        reader = open_reader(ocr_engine or DEFAULT_ENGINE, place)
    except MissingExtra as error:
        if ocr_engine is not None:
            raise
        return TextScorer(reader=error, source=f"{DEFAULT_ENGINE}-not-installed")
    return TextScorer(reader=reader, source=reader.label)


@dataclass(frozen=True, kw_only=True)
class TextScorer(Scorer):
    """OA, OP, OR, F1 and NED of a replaced text, faithful and corrected, from one reading of the
    original and of the output, resized to the original's size first (Lanczos). `reader` is the
    error where the engine is not installed, `source` the engine's identity: scores of two engines
    are never one table's.
    """

    reader: Reader | MissingExtra
    source: str
    name: str = "ocr"
    track: Track = "ocr"
    metrics: tuple[Metric, ...] = OCR
    inputs: tuple[str, ...] = ("image", "source_text", "target_text", "instruction", "attributes")

    def origin(self) -> JsonMapping:
        if isinstance(self.reader, MissingExtra):
            return {"engine": self.source}
        return {"metric": "textedit-ocr 2", **self.reader.engine.identity().as_dict()}

    def applies(self, sample: Sample) -> str | None:
        for what, text in (("source", sample.source_text), ("target", sample.target_text)):
            if text is None:
                return f"no {what} text is known of this sample"
            if not text.strip():
                return f"the {what} text is empty"
        if known := str(sample.attributes.get("operation", "")):
            operation = read_instruction(sample.instruction, known).operation
            if operation != "change":
                return f"the operation is {operation or 'not known'}, not a replacement of text"
        engine, language = getattr(self.reader, "engine", None), language_for(sample)
        if engine is not None and engine.own_language(language) is None:
            return f"the OCR engine {engine.name!r} cannot read the language {language!r}"
        return None

    def score(self, sample: Sample, edit: Edit) -> list[Score]:
        if isinstance(self.reader, MissingExtra):
            raise self.reader
        if edit.path is None:
            raise ImageError(f"{sample.id}: the edit of {edit.editor!r} has no picture")
        language, header = language_for(sample), images.read_header(sample.image)
        original = self.reader(sample.image, language)
        edited = self.reader(edit.path, language, (header.width, header.height))
        texts = sample.source_text or "", sample.target_text or ""
        scores: list[Score] = []
        for variant in VARIANTS:
            read = ocr_scores(original, edited, *texts, variant)
            detail: JsonObject = {
                "read": " ".join(edited[n].text for n in read.region)[:200],
                **({"penalised": True} if read.penalised else {}),
                **({"rules": list(read.rules)} if read.rules else {}),
            }
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
    """Each text as [left, top, right, bottom, text], in whole pixels of the original's frame."""
    return [[*map(round, box_of(text)), text.text[:60]] for text in texts[:_MOST_BOXES]]


def language_for(sample: Sample) -> str:
    """The language to read a sample in: its attribute ``language``, else by its texts' script."""
    known = sample.attributes.get("language")
    if known in LANGUAGES:  # TextEditBench's difficulty attribute of this name is a number
        return str(known)
    return language_of(sample.source_text or "", sample.target_text or "")
