"""Options of `editgauge judge`: what is judged, and by whom. Each group is one object for a command
(see `groups`); those of requests are in `judge_requests`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

import typer

from editgauge.cli.options import (
    BenchmarkArg,
    DataArg,
    RunOpt,
    SampleOpt,
    SplitOpt,
    WhereOpt,
)
from editgauge.cli.panels import SAMPLES


@dataclass(slots=True, kw_only=True)
class What:
    """What is judged: data, run, outputs, and a selection of samples."""

    benchmark: BenchmarkArg
    data: DataArg = None
    run: RunOpt = Path("runs/default")
    outputs: Annotated[
        Path | None,
        typer.Option(
            "--outputs", help="A folder of outputs in official naming; default: those in the run."
        ),
    ] = None
    editor: Annotated[
        list[str] | None, typer.Option("--editor", help="Only this editor; may be repeated.")
    ] = None
    split: SplitOpt = None
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit",
            min=1,
            rich_help_panel=SAMPLES,
            help="Only N samples, drawn at random among those with outputs, the same every time.",
        ),
    ] = None
    first: Annotated[
        int | None,
        typer.Option("--first", min=1, rich_help_panel=SAMPLES, help="Only the first N samples."),
    ] = None
    sample: SampleOpt = None
    where: WhereOpt = None


@dataclass(slots=True, kw_only=True)
class Who:
    """The judge, and by which protocol it judges."""

    title: ClassVar[str] = "The judge"
    model: Annotated[
        str,
        typer.Option("--model", help="The judge: a dated model id, or a name of your own server."),
    ] = ""
    base_url: Annotated[
        str | None,
        typer.Option(
            "--base-url",
            help="The server, up to and with /v1. Default: OPENAI_BASE_URL, or OpenAI.",
        ),
    ] = None
    allow_alias: Annotated[
        bool, typer.Option("--allow-alias", help="Take a model name without a date.")
    ] = False
    protocol: Annotated[
        str,
        typer.Option(
            "--protocol",
            help="Questions of another package (editgauge list judges), not the benchmark's own.",
        ),
    ] = ""
    dimensions: Annotated[
        str, typer.Option("--dimensions", help="Only calls with these metrics, by commas: IF,TA.")
    ] = ""
    option: Annotated[
        list[str] | None,
        typer.Option("--set", help="The protocol's own option: text=DP, reference=false."),
    ] = None
    prompts: Annotated[
        str,
        typer.Option(
            "--prompts", help="What is asked: ours, paper (editgauge fetch prompts), or a folder."
        ),
    ] = "ours"
    replies: Annotated[
        Path | None,
        typer.Option(
            "--replies", help="The reply store, shared by runs. Default: in the run folder."
        ),
    ] = None
    repeat: Annotated[
        int, typer.Option("--repeat", min=1, max=100, help="Judge everything N times.")
    ] = 1
