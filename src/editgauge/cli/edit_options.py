"""Options of `editgauge edit`: the model and its variants, what it is told, what it may cost (see
`groups`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import typer


@dataclass(slots=True, kw_only=True)
class Model:
    """The settings of editors that are services or models of this machine."""

    title: ClassVar[str] = "The model"
    model: Annotated[
        str, typer.Option("--model", help="The model of openai and gemini, or a local path.")
    ] = ""
    base_url: Annotated[
        str, typer.Option("--base-url", help="Another address of the same interface.")
    ] = ""
    concurrency: Annotated[
        int | None, typer.Option("--concurrency", min=1, help="Calls at once to a service.")
    ] = None
    seed: Annotated[
        int | None, typer.Option("--seed", help="For editors that draw random numbers.")
    ] = None
    devices: Annotated[
        str,
        typer.Option("--devices", help="For a model of this machine: cuda:0,cuda:1 and so on."),
    ] = ""


@dataclass(slots=True, kw_only=True)
class Telling:
    """What the editor is told beside the sample's own instruction, or instead of it."""

    title: ClassVar[str] = "What the model is told"
    shots: Annotated[
        int,
        typer.Option("--shots", min=0, help="Demonstrations of the same task before each sample."),
    ] = 0
    held_out: Annotated[
        bool,
        typer.Option(
            "--held-out",
            help="Only the test samples of the run's split (editgauge tune); demonstrations come "
            "from its training samples.",
        ),
    ] = False
    instruction: Annotated[
        str,
        typer.Option(
            "--instruction", help="original, rephrased or description, where the benchmark has it."
        ),
    ] = "original"
    template: Annotated[
        str,
        typer.Option(
            "--template", help='Words around each instruction: "Edit this image: {instruction}".'
        ),
    ] = ""


@dataclass(slots=True, kw_only=True)
class Varying:
    """Several variants of the editor in one command."""

    title: ClassVar[str] = "Variants"
    preset: Annotated[
        str, typer.Option("--preset", help="Settings of a paper for this editor: medebench.")
    ] = ""
    sweep: Annotated[
        list[str] | None,
        typer.Option(
            "--sweep",
            metavar="NAME=V,V…",
            help="A variant for each value; several sweeps make every combination.",
        ),
    ] = None
    seeds: Annotated[
        str, typer.Option("--seeds", metavar="A..B", help="A variant for each seed: 0..3 or 1,5.")
    ] = ""


@dataclass(slots=True, kw_only=True)
class Spending:
    """What editing may cost."""

    title: ClassVar[str] = "Cost"
    budget: Annotated[
        float | None,
        typer.Option(
            "--budget",
            min=0,
            help="US dollars that editing in this run may cost, all commands together.",
        ),
    ] = None
    price: Annotated[
        float | None, typer.Option("--price", min=0, help="US dollars for one output of a service.")
    ] = None
    batch: Annotated[
        str,
        typer.Option(
            "--batch",
            metavar="submit|collect",
            help="By the provider's batches: submit, and collect within a day, at a lower price.",
        ),
    ] = ""
    estimate: Annotated[bool, typer.Option("--estimate", help="Only say what it would cost.")] = (
        False
    )
