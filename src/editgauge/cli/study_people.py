"""`editgauge study invite, revoke`: the annotators of a study and their links."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from editgauge.cli.options import JsonOpt

if TYPE_CHECKING:
    from editgauge.study.design import Design

RunArg = Annotated[Path, typer.Argument(metavar="RUN", help="The run: a folder or an address.")]
StudyOpt = Annotated[str, typer.Option("--study", help="Which, where the run has several.")]
BaseOpt = Annotated[str, typer.Option("--base", help="How links begin.")]
LOCAL = "http://127.0.0.1:8600"


def register(group: typer.Typer) -> None:
    for command in (invite, revoke):
        example = f"Example: editgauge study {command.__name__} runs/first ann"
        group.command(command.__name__, epilog=example)(command)


def invite(
    run: RunArg,
    pseudonym: Annotated[str, typer.Argument(help="Of the new annotator.")],
    study: StudyOpt = "",
    base: BaseOpt = LOCAL,
    json: JsonOpt = False,
) -> None:
    """Add an annotator, who takes over what others leave undone; print the personal link."""
    from editgauge.store.remote import changing
    from editgauge.study.studies import study_path
    from editgauge.web.log import Log

    with changing(run) as folder, Log(study_path(folder, study)) as log:
        token = log.invite(pseudonym)
    print_links({pseudonym: token}, base, json)


def revoke(
    run: RunArg,
    pseudonym: Annotated[str, typer.Argument(help="Of the annotator.")],
    study: StudyOpt = "",
) -> None:
    """Make an annotator's link useless; open samples go to the others, answers stay."""
    from editgauge.store.remote import changing
    from editgauge.study import assign
    from editgauge.study.studies import study_path
    from editgauge.web.log import Log

    with changing(run) as folder, Log(study_path(folder, study)) as log:
        moved = assign.revoke(log, pseudonym)
    print(f"{pseudonym}: link revoked, {moved} open samples given to others")


def print_links(
    tokens: dict[str, str], base: str, json: bool, design: Design | None = None
) -> None:
    """Print each annotator's link: `base` and the token. With a design, say what was started."""
    from editgauge.cli.common import print_json

    links = {name: f"{base.rstrip('/')}/a/{token}" for name, token in tokens.items()}
    if json:
        print_json({"links": links, **({"study": design.name} if design else {})})
        return
    if design:
        print(f"study {design.name}: {len(design.drawn)} samples, {len(links)} annotators")
    for name, link in links.items():
        print(f"{name}: {link}")
