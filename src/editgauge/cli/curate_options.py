"""Arguments and options that commands of `editgauge curate` share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

DirArg = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the data set.")]
WhoOpt = Annotated[
    str, typer.Option("--who", help="Who does it, as the trail has it: a pseudonym.")
]
SampleArg = Annotated[str, typer.Argument(metavar="SAMPLE", help="The id of a sample.")]
OcrOpt = Annotated[
    str, typer.Option("--ocr", help="The engine that reads texts: rapidocr, tesseract… or none.")
]
WHO = "command-line"
"""Whom the trail names where nobody is named."""
