"""`editgauge fetch`: weights of networks, and benchmarks' official data, with checksums."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from editgauge.cli import fetch_prompts, fetch_weights, transfers
from editgauge.cli.options import JsonOpt, WeightsOpt

_EXAMPLE = "Example: editgauge fetch weights lpips-squeeze"


def register(app: typer.Typer) -> None:
    app.command("fetch", epilog=_EXAMPLE)(fetch)


def fetch(
    what: Annotated[
        str,
        typer.Argument(
            help="weights, prompts, or a benchmark: texteditbench, textedit, medebench, krisbench."
        ),
    ],
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="With weights: which; without names they are listed. With prompts: the benchmark."
        ),
    ] = None,
    weights: WeightsOpt = None,
    trust_first_use: Annotated[
        bool,
        typer.Option(
            "--trust-first-use",
            help="Accept a file without a published checksum, and record what it is.",
        ),
    ] = False,
    to: Annotated[
        Path | None,
        typer.Option("--to", help="Folder for a benchmark's data. Default: data/<name>."),
    ] = None,
    run: Annotated[
        Path | None,
        typer.Option("--run", help="With prompts: the run that gets the paper's prompts."),
    ] = None,
    clone: Annotated[
        Path | None,
        typer.Option("--from", help="With prompts: a local clone of the authors' repository."),
    ] = None,
    revision: Annotated[
        str | None,
        typer.Option(
            "--revision", help="Commit, branch or tag of a benchmark's data; recorded as a commit."
        ),
    ] = None,
    repo: Annotated[
        str | None, typer.Option("--repo", help="Another data set on the hub, owner/name.")
    ] = None,
    json: JsonOpt = False,
) -> None:
    """Fetch network weights or a benchmark's official data; continues where it stopped, verifies
    every file.
    """
    if what == "weights":
        fetch_weights.fetch(names or [], weights, trust_first_use, json)
    elif what == "prompts":
        fetch_prompts.fetch(names or [], run, to, clone, json)
    else:
        _benchmark(what, names or [], to, revision, repo, json)


def _benchmark(
    name: str, more: list[str], to: Path | None, revision: str | None, repo: str | None, json: bool
) -> None:
    from editgauge import catalog
    from editgauge.cli import common
    from editgauge.errors import UsageError
    from editgauge.services.hub import fetch_dataset

    if more:
        raise UsageError(
            f"fetch {name} {' '.join(more)}: a benchmark is fetched alone; names belong to weights"
        )
    benchmark = catalog.find("benchmarks", name)
    source = benchmark.data
    if source is None:
        raise UsageError(
            f"{benchmark.name}: there is nothing to fetch (built in, or its package names no "
            f"source)"
        )
    target = to or Path("data") / benchmark.name
    if source.note and not json:
        print(f"note: {source.note}", file=sys.stderr)
    shown = transfers.files_shown(json)
    fetched = fetch_dataset(source, target, revision=revision, repo=repo, progress=shown)
    if json:
        facts = {"benchmark": benchmark.name, **asdict(fetched), "to": str(target)}
        common.print_json(facts)
        return
    print(
        f"{fetched.repo} at {fetched.commit}: {fetched.files} files, {fetched.bytes / 1e6:.1f} MB, "
        f"{fetched.new} of them new"
    )
    for archive in fetched.archives:
        print(f"note: unpack {target / archive} before scoring")
    print(f"data:  {target}")
    print(f"next:  editgauge check {benchmark.name} {target}")
