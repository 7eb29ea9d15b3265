"""Options and arguments that several commands take, each with one wording."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from editgauge.cli.panels import SAMPLES

BenchmarkArg = Annotated[
    str,
    typer.Argument(
        help="texteditbench, textedit, medebench, krisbench, mini, or dir:DIR (your own data set)."
    ),
]
DataArg = Annotated[
    Path | None,
    typer.Argument(
        help="The benchmark's data folder, in its official layout. Not needed for mini and dir:DIR."
    ),
]
RunOpt = Annotated[
    Path, typer.Option("--run", help="The run folder: made if it is not there, continued if it is.")
]
SplitOpt = Annotated[
    str | None,
    typer.Option(
        "--split", rich_help_panel=SAMPLES, help="Only this split (or set) of the benchmark."
    ),
]
LimitOpt = Annotated[
    int | None,
    typer.Option("--limit", min=1, rich_help_panel=SAMPLES, help="Only the first N samples."),
]
SampleOpt = Annotated[
    list[str] | None,
    typer.Option(
        "--sample",
        rich_help_panel=SAMPLES,
        help="Only this sample id, or @FILE with ids; may be repeated.",
    ),
]
WhereOpt = Annotated[
    list[str] | None,
    typer.Option(
        "--where",
        metavar="NAME=VALUE",
        rich_help_panel=SAMPLES,
        help="Only samples with this split, category, category1…, has_knowledge, has_reference or "
        "attribute; may be repeated.",
    ),
]
WorkersOpt = Annotated[
    int | None,
    typer.Option(
        "--workers", min=0, help="Processes; default: the cores. 0: everything in this process."
    ),
]
RetryOpt = Annotated[
    str,
    typer.Option(
        "--retry", help="Do these again: failed, unreadable, refused, missing… (joined by commas)."
    ),
]
MemoryOpt = Annotated[
    str,
    typer.Option(
        "--memory",
        envvar="EDITGAUGE_MEMORY",
        help="What a process may hold while it reads or aligns a picture: for larger ones a row "
        "says so. Networks take what they need.",
    ),
]
JsonOpt = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]

WeightsOpt = Annotated[
    Path | None,
    typer.Option(
        "--weights",
        envvar="EDITGAUGE_WEIGHTS",
        help="The folder of network weights (editgauge fetch weights).",
    ),
]
DeviceOpt = Annotated[
    str | None,
    typer.Option("--device", help="Where networks run: auto, cpu, cuda, cuda:1. Default: auto."),
]
PrecisionOpt = Annotated[
    str | None,
    typer.Option(
        "--precision",
        help="float32 (default; what papers' numbers need), bfloat16 or float16 (GPU only).",
    ),
]

FormatOpt = Annotated[str, typer.Option("--format", help="terminal, markdown, csv, latex or json.")]
