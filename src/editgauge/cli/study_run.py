"""`editgauge study plan, start, serve, status, invite, revoke`: a study of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from editgauge.cli.options import JsonOpt

if TYPE_CHECKING:
    from editgauge.study.design import Design

RunArg = Annotated[Path, typer.Argument(metavar="RUN", help="The run folder.")]
DesignArg = Annotated[
    Path, typer.Argument(metavar="DESIGN", help="The study's design, a TOML file.")
]
StudyOpt = Annotated[str, typer.Option("--study", help="Which, where the run has several.")]
BenchmarkOpt = Annotated[str, typer.Option(help="Where the run has several.")]
BaseOpt = Annotated[str, typer.Option("--base", help="How links begin.")]
_LOCAL = "http://127.0.0.1:8600"


def register(group: typer.Typer) -> None:
    for command in (plan, start, serve, status, invite, revoke):
        group.command(command.__name__)(command)


def plan(
    run: RunArg,
    design: DesignArg,
    annotators: Annotated[int, typer.Option(min=2, help="How many people would rate.")] = 2,
    width: Annotated[
        float, typer.Option(min=0.001, help="Full width of the 95 % interval that is wanted.")
    ] = 0.5,
    benchmark: BenchmarkOpt = "",
    json: JsonOpt = False,
) -> None:
    """Check a design and say what it takes: tasks, load, and samples for an interval's width.

    Writes nothing. Spreads come from ratings of this run where there are any, else are assumed.
    """
    from editgauge.cli.common import print_json
    from editgauge.store.run_folder import RunFolder
    from editgauge.study.planning import planned

    found = planned(RunFolder.open(run), design, annotators, width, benchmark)
    if json:
        print_json(found.as_dict())
        return
    for line in found.lines():
        print(line)
    print(f"next:  editgauge study start {run} {design} --annotators {annotators}")


def start(
    run: RunArg,
    design: DesignArg,
    annotators: Annotated[
        str, typer.Option(help="How many, or pseudonyms joined by commas: ann,ben,cy.")
    ] = "2",
    benchmark: BenchmarkOpt = "",
    base: BaseOpt = _LOCAL,
    json: JsonOpt = False,
) -> None:
    """Start a study: assign the samples and print each annotator's personal link, once.

    Links are kept nowhere (only their hashes are): store them, or invite again.
    """
    from editgauge.store.run_folder import RunFolder
    from editgauge.study.running import designed, pseudonyms_of
    from editgauge.study.running import start as begin

    folder = RunFolder.open(run)
    made, outputs = designed(folder, design, benchmark)
    names = pseudonyms_of(annotators)
    tokens = begin(folder, made, outputs, names)
    folder.record("study start", study=made.name, annotators=len(names), samples=len(made.samples))
    _links(dict(zip(names, tokens, strict=True)), base, json, made)
    if not json:
        print(f"next:  editgauge study serve {run} --study {made.name}")


def serve(
    run: RunArg,
    study: StudyOpt = "",
    host: Annotated[str, typer.Option(help="The address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535)] = 8600,
    allow_host: Annotated[
        list[str] | None, typer.Option(help="A name by which browsers reach this server.")
    ] = None,
) -> None:
    """Serve a study to its annotators until interrupted; answers are on the disk at once.

    Listens on this machine only, unless --host says otherwise; then put it behind HTTPS.
    """
    from editgauge.store.run_folder import RunFolder
    from editgauge.study.running import collect, serving

    folder = RunFolder.open(run)
    with serving(folder, study, [host, *(allow_host or [])]) as (made, serve_it):
        print(f"study {made.name}: http://{host}:{port} (stop with Ctrl-C)", flush=True)
        serve_it(host, port)
    done = collect(folder)
    print(f"{done.new + done.changed} new ratings; next: editgauge agree {run}")


def status(run: RunArg, study: StudyOpt = "", json: JsonOpt = False) -> None:
    """Say how far each annotator is, and who passed the attention checks; take ratings in."""
    from editgauge.cli.common import print_json
    from editgauge.store.run_folder import RunFolder
    from editgauge.study.running import collect, study_path
    from editgauge.study.store import StudyStore

    folder = RunFolder.open(run)
    with StudyStore(study_path(folder, study)) as store:
        lines, missing = store.progress(), store.missing()
    done = collect(folder)
    if json:
        print_json({"annotators": [item._asdict() for item in lines], "missing": missing})
        return
    for item in lines:
        checks = f", checks {item.checks_passed} passed {item.checks_failed} failed"
        gone = " (link revoked)" if item.revoked else ""
        told = checks if item.checks_passed or item.checks_failed else ""
        print(
            f"{item.pseudonym}: {item.done} of {item.total}, {item.seconds:.0f} s each{told}{gone}"
        )
    print(f"{missing} ratings of samples to come; {done.new + done.changed} new in the run")


def invite(
    run: RunArg,
    pseudonym: Annotated[str, typer.Argument(help="Of the new annotator.")],
    study: StudyOpt = "",
    base: BaseOpt = _LOCAL,
    json: JsonOpt = False,
) -> None:
    """Add an annotator, who takes over what others leave undone; print the personal link."""
    from editgauge.store.run_folder import RunFolder
    from editgauge.study.running import study_path
    from editgauge.study.store import StudyStore

    with StudyStore(study_path(RunFolder.open(run), study)) as store:
        token = store.invite(pseudonym)
    _links({pseudonym: token}, base, json)


def revoke(
    run: RunArg,
    pseudonym: Annotated[str, typer.Argument(help="Of the annotator.")],
    study: StudyOpt = "",
) -> None:
    """Make an annotator's link useless; open samples go to the others, answers stay."""
    from editgauge.store.run_folder import RunFolder
    from editgauge.study.running import study_path
    from editgauge.study.store import StudyStore

    with StudyStore(study_path(RunFolder.open(run), study)) as store:
        moved = store.revoke(pseudonym)
    print(f"{pseudonym}: link revoked, {moved} open samples given to others")


def _links(tokens: dict[str, str], base: str, json: bool, design: Design | None = None) -> None:
    from editgauge.cli.common import print_json

    links = {name: f"{base.rstrip('/')}/a/{token}" for name, token in tokens.items()}
    if json:
        print_json({"links": links, **({"study": design.name} if design else {})})
        return
    if design:
        print(f"study {design.name}: {len(design.samples)} samples, {len(links)} annotators")
    for name, link in links.items():
        print(f"{name}: {link}")
