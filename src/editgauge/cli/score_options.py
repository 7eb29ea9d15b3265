"""Options of `editgauge score`: what computes, and outputs that came from elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

import typer

from editgauge.cli.options import DeviceOpt, PrecisionOpt, WeightsOpt


@dataclass(slots=True, kw_only=True)
class Engines:
    """What computes scores: networks and their weights, and the reader of text."""

    title: ClassVar[str] = "Networks and OCR"
    weights: WeightsOpt = None
    device: DeviceOpt = None
    precision: PrecisionOpt = None
    ocr_engine: Annotated[
        str,
        typer.Option(
            "--ocr-engine",
            help="What reads text for the track ocr: rapidocr, paddleocr.",
        ),
    ] = "rapidocr"


@dataclass(slots=True, kw_only=True)
class Delivered:
    """Outputs that came from elsewhere."""

    title: ClassVar[str] = "Outputs from elsewhere"
    outputs: Annotated[
        Path | None,
        typer.Option(
            "--outputs",
            help="A folder of outputs in official naming: OUTPUTS/<editor>/… (or the editor's).",
        ),
    ] = None
    outputs_pattern: Annotated[
        str,
        typer.Option(
            "--outputs-pattern",
            metavar="PATTERN",
            help="Where outputs have other names: '{category}/{id}_edited.png'. See: editgauge "
            "import-outputs.",
        ),
    ] = ""
    outputs_map: Annotated[
        Path | None,
        typer.Option(
            "--outputs-map",
            metavar="FILE",
            help="The same by a csv with the columns sample, file, or by a result file of "
            "VLMEvalKit (.tsv) or lmms-eval (.jsonl).",
        ),
    ] = None
    editor: Annotated[
        list[str] | None,
        typer.Option(
            "--editor",
            help="Only this editor; may be repeated. Default: all in OUTPUTS, or in the run.",
        ),
    ] = None
