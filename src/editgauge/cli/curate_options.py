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
    str, typer.Option("--ocr", help="The engine that reads texts: rapidocr, paddleocr… or none.")
]
SplitOpt = Annotated[str, typer.Option("--split", help="Of the new samples.")]
CategoryOpt = Annotated[str, typer.Option("--category", help="Broad to narrow: Lung/remove.")]
ProtocolOpt = Annotated[
    str, typer.Option("--protocol", help="Whose judge asks about the new samples.")
]
UrlOpt = Annotated[str, typer.Option("--url", help="Where the pictures come from.")]
LicenceOpt = Annotated[str, typer.Option("--licence", help="Of the pictures.")]
ConsentOpt = Annotated[str, typer.Option("--consent", help="What allows their use.")]
AttributeOpt = Annotated[
    list[str] | None, typer.Option("--attribute", metavar="NAME=VALUE", help="May be repeated.")
]
LongestOpt = Annotated[
    int,
    typer.Option("--longest", min=0, help="Scale larger pictures to this longest side; 0: none."),
]
WindowOpt = Annotated[
    str,
    typer.Option(
        "--window",
        help="Of scans: file, file:2, full, CENTRE,WIDTH, or for CT brain, lung, bone…",
    ),
]
FramesOpt = Annotated[
    str,
    typer.Option(
        "--frames", help="Of scans with several: first, middle, last, all, or 1,5,20-40:4."
    ),
]
WHO = "command-line"
"""Whom the trail names where nobody is named."""
