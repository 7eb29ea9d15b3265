"""`editgauge curate refine`: a language model proposes texts, people take or leave them."""

from __future__ import annotations

from typing import Annotated

import typer

from editgauge.cli.curate_options import WHO, DirArg, WhoOpt
from editgauge.cli.options import JsonOpt


def register(group: typer.Typer) -> None:
    group.command(
        "refine", epilog="Example: editgauge curate refine wards --model gpt-5-2025-08-07"
    )(refine)


def refine(
    folder: DirArg,
    model: Annotated[str, typer.Option("--model", help="A dated model id, or your server's name.")],
    base_url: Annotated[
        str | None, typer.Option("--base-url", help="The server, up to and with /v1.")
    ] = None,
    describe: Annotated[
        bool, typer.Option("--describe", help="Describe what changed in each pair instead.")
    ] = False,
    paraphrases: Annotated[int, typer.Option(min=0, max=9, help="Of each instruction.")] = 2,
    seed: Annotated[int, typer.Option(help="Draws the paraphrase that is used.")] = 0,
    sample: Annotated[
        list[str] | None, typer.Option("--sample", help="Only this one; may be repeated.")
    ] = None,
    budget: Annotated[
        float | None, typer.Option("--budget", min=0, help="US dollars; stops before it is passed.")
    ] = None,
    price: Annotated[
        str, typer.Option("--price", help="IN/OUT: US dollars for a million tokens.")
    ] = "",
    allow_alias: Annotated[
        bool, typer.Option("--allow-alias", help="Take a model name without a date.")
    ] = False,
    who: WhoOpt = WHO,
    json: JsonOpt = False,
) -> None:
    """Let a language model put instructions into plain words, or describe changes; a person decides
    in the browser, seeing the difference. Replies are kept: nothing is paid for twice.

    Exit code 1: some samples have no proposal; 3: stopped by the budget.
    """
    from dataclasses import asdict

    from editgauge.cli.common import print_json
    from editgauge.curation import refining
    from editgauge.curation.dataset import DataSet
    from editgauge.judging.options import JudgeOptions

    options = JudgeOptions(
        model=model, base_url=base_url or "", budget=budget, price=price, allow_alias=allow_alias
    )
    done = refining.refine(
        DataSet(folder), options, who, samples=sample or (), paraphrases=paraphrases,
        describe=describe, seed=seed,
    )  # fmt: skip
    if json:
        print_json(asdict(done))
    else:
        for identity, why in done.failed.items():
            typer.echo(f"{identity}: {why}", err=True)
        print(f"{len(done.proposed)} proposals, {done.asked} requests, ${done.spent:.4f}")
        print(f"next: editgauge curate {folder}")
    if done.stopped:
        typer.echo(done.stopped, err=True)
        raise typer.Exit(3)
    if done.failed:
        raise typer.Exit(1)
