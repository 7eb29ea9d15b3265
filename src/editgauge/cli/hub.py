"""`editgauge hub push, pull`: a run on the Hugging Face hub."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from editgauge.cli.options import JsonOpt

RepoArg = Annotated[
    str, typer.Argument(metavar="OWNER/NAME", help="A data set of the hub (HF_ENDPOINT: which).")
]


def register(app: typer.Typer) -> None:
    group = typer.Typer(no_args_is_help=True, help="A run on the Hugging Face hub: push, pull.")
    group.command("push", epilog="Example: editgauge hub push runs/first me/first-run")(push)
    group.command("pull", epilog="Example: editgauge hub pull me/first-run runs/theirs")(pull)
    app.add_typer(group, name="hub")


def push(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run folder.")],
    repo: RepoArg,
    public: Annotated[
        bool, typer.Option("--public", help="Anybody may read it; default: private.")
    ] = False,
    pictures: Annotated[
        bool, typer.Option(help="Also the benchmark's pictures and the outputs: mind their terms.")
    ] = True,
    json: JsonOpt = False,
) -> None:
    """Send a run to the hub as one commit, whose id is printed: who pulls that has this very run.

    Left out are caches, reports, and studies with their annotators. Needs HF_TOKEN.
    """
    from editgauge.cli import common
    from editgauge.run import hub_runs
    from editgauge.store.remote import fetched
    from editgauge.store.run import Run

    folder = Run.open(fetched(run))
    with common.warned(folder):
        done = hub_runs.push(folder, repo, private=not public, pictures=pictures)
    if json:
        common.print_json(asdict(done))
        return
    print(f"{done.files} files, {done.bytes / 1e6:.1f} MB: {done.repo} at {done.commit}")
    print(f"next:  editgauge hub pull {repo} RUN --revision {done.commit}")


def pull(
    repo: RepoArg,
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run folder to bring it into.")],
    revision: Annotated[
        str, typer.Option("--revision", help="A commit, branch or tag; default: main as it is now.")
    ] = "",
    json: JsonOpt = False,
) -> None:
    """Bring a run from the hub, every file checked against the hub's own checksum. The commit is
    written into the folder: the same command goes on where it stopped.
    """
    from editgauge.cli import common
    from editgauge.run import hub_runs

    done = hub_runs.pull(repo, run, revision=revision or None)
    if json:
        common.print_json(asdict(done))
        return
    print(f"{done.new} of {done.files} files, {done.bytes / 1e6:.1f} MB: {repo} at {done.commit}")
    print(f"next:  editgauge check-run {run}")
    print(f"       editgauge table {run}")
