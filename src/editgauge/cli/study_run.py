"""`editgauge study plan, start, serve, status`: a study of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from editgauge.cli import study_people
from editgauge.cli.options import JsonOpt
from editgauge.cli.study_people import LOCAL, BaseOpt, RunArg, StudyOpt, print_links

DesignArg = Annotated[
    Path, typer.Argument(metavar="DESIGN", help="The study's design, a TOML file.")
]
HANDED_OVER = 300.0
"""Seconds after which new ratings go to the store, while a study of a run there is served."""
BenchmarkOpt = Annotated[str, typer.Option(help="Where the run has several.")]


def register(group: typer.Typer) -> None:
    for command, words in (
        (plan, "plan runs/first design.toml --annotators 3 --width 0.5"),
        (start, "start runs/first design.toml --annotators ann,ben,cy"),
        (serve, "serve runs/first --study quality --port 8600"),
        (status, "status runs/first --json"),
    ):
        epilog = f"Example: editgauge study {words}"
        group.command(command.__name__, epilog=epilog)(command)
    study_people.register(group)


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
    from editgauge.cli.common import print_json, warned
    from editgauge.store.addresses import address_of
    from editgauge.store.remote import fetched
    from editgauge.store.run import Run
    from editgauge.study.planning import planned

    folder = Run.open(fetched(run))
    with warned(folder):
        plan = planned(folder, design, annotators, width, benchmark)
    if json:
        print_json(plan.as_dict())
        return
    for line in plan.lines():
        print(line)
    place = address_of(run) or run
    print(f"next:  editgauge study start {place} {design} --annotators {annotators}")


def start(
    run: RunArg,
    design: DesignArg,
    annotators: Annotated[
        str, typer.Option(help="How many, or pseudonyms joined by commas: ann,ben,cy.")
    ] = "2",
    benchmark: BenchmarkOpt = "",
    base: BaseOpt = LOCAL,
    json: JsonOpt = False,
) -> None:
    """Start a study: assign the samples and print each annotator's personal link, once.

    Links are kept nowhere (only their hashes are): store them, or invite again. The study of a run
    on a store stays on the machine that starts it, and its ratings go to the store.
    """
    from editgauge.cli.common import warned
    from editgauge.store.addresses import address_of
    from editgauge.store.remote import changing
    from editgauge.study.studies import begin, designed, pseudonyms_of

    with changing(run) as folder, warned(folder):
        plan, outputs = designed(folder, design, benchmark)
        tokens = begin(folder, plan, outputs, pseudonyms_of(annotators))
        print_links(tokens, base, json, plan)
    if not json:
        print(f"next:  editgauge study serve {address_of(run) or run} --study {plan.name}")


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

    Listens on this machine only, unless --host says otherwise; then put it behind HTTPS. Of a run
    on a store the ratings go there every five minutes, and at the end.
    """
    from editgauge.cli.common import warned
    from editgauge.store.addresses import address_of
    from editgauge.store.remote import changing, keeping_up
    from editgauge.study.studies import application_of, collect
    from editgauge.web.pages import serve as serve_application

    with changing(run) as folder:
        with (
            application_of(folder, study, [host, *(allow_host or [])]) as (plan, app),
            keeping_up(run, lambda: collect(folder), HANDED_OVER),
        ):
            print(f"study {plan.name}: http://{host}:{port} (stop with Ctrl-C)", flush=True)
            serve_application(app, host=host, port=port)
        with warned(folder):
            done = collect(folder)
    print(f"{done.new + done.changed} new ratings; next: editgauge agree {address_of(run) or run}")


def status(run: RunArg, study: StudyOpt = "", json: JsonOpt = False) -> None:
    """Say how far each annotator is, and who passed the attention checks; take ratings in."""
    from editgauge.cli.common import print_json, warned
    from editgauge.store.remote import changing
    from editgauge.study.studies import state_of

    with changing(run) as folder, warned(folder):
        state = state_of(folder, study)
    if json:
        print_json(state.as_dict())
        return
    for line in state.lines():
        print(line)
