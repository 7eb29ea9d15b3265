"""`editgauge edit`: make the outputs of an editor."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from editgauge.cli.edit_options import Model, Spending, Telling, Varying
from editgauge.cli.engine_options import Placing
from editgauge.cli.groups import grouped
from editgauge.cli.option_groups import Narrowing
from editgauge.cli.options import (
    BenchmarkArg,
    DataArg,
    JsonOpt,
    MemoryOpt,
    RetryOpt,
    RunOpt,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from editgauge.editors.costs import Estimate
    from editgauge.run.edit import EditSummary


def register(app: typer.Typer) -> None:
    app.command("edit", epilog="Example: editgauge edit mini --editor copy --run runs/first")(edit)


@grouped
def edit(
    *,
    benchmark: BenchmarkArg,
    data: DataArg = None,
    editor: Annotated[
        str, typer.Option("--editor", help="The model under test; see: editgauge list editors")
    ] = "",
    run: RunOpt = Path("runs/default"),
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="key=value for the editor; may be repeated.")
    ] = None,
    narrowing: Narrowing,
    placing: Placing,
    retry: RetryOpt = "",
    model: Model,
    telling: Telling,
    varying: Varying,
    spending: Spending,
    timeout: Annotated[
        float,
        typer.Option(
            "--timeout",
            min=0.1,
            help="Seconds a sample may take; a call of a service: --set timeout=S.",
        ),
    ] = 600.0,
    memory: MemoryOpt = "1GB",
    json: JsonOpt = False,
) -> None:
    """Make outputs with an editor. Stops and continues at any point; finished samples are never
    edited again.
    """
    from editgauge import catalog
    from editgauge.cli import common, edit_batch
    from editgauge.editors import costs
    from editgauge.errors import UsageError
    from editgauge.run import edit as evaluation
    from editgauge.store import selection
    from editgauge.store.addresses import address_of
    from editgauge.store.remote import fetched, working
    from editgauge.store.run import Run

    common.set_memory(memory)
    if not editor:
        raise UsageError(f"--editor: name one of {', '.join(catalog.names('editors'))}")
    retried = selection.statuses(retry)
    catalog.find("editors", editor)  # a wrong name costs no reading of data
    material = narrowing.open(benchmark, data)
    given = {**asdict(model), "shots": telling.shots or None, "price": spending.price}
    settings = {key: value for key, value in given.items() if value not in ("", None)}
    request = evaluation.Request(
        editor=editor,
        settings=settings | selection.settings(set_ or ()),
        instruction=telling.instruction,
        template=telling.template,
        preset=varying.preset,
        sweeps=varying.sweep or (),
        seeds=varying.seeds,
    )
    shown = None
    if telling.held_out:
        material, shown = narrowing.held_out(material, Run.open(fetched(run)))
    made = evaluation.make(material, request, shown)
    name = material.benchmark.name
    if spending.batch:
        limits = evaluation.Limits(retry=retried, budget=spending.budget)
        edit_batch.by_batch(material, made, limits, run, spending.batch, json)
        return
    if spending.estimate:
        known = fetched(run) if address_of(run) else run
        there = Run.open(known) if known.exists() else None
        for one in made:
            todo = evaluation.remaining(material, there, one.editor)
            _print_estimate(one.editor.name, name, costs.estimate(one.editor, todo), json)
        return
    summaries = []
    with working(run) as here, placing.open() as engine, common.progress(json) as show:
        folder = Run.create(here)
        limits = evaluation.Limits(
            workers=engine, retry=retried, seconds_a_sample=timeout, budget=spending.budget
        )
        for summary in evaluation.edit_each(material, folder, made, limits, progress=show):
            summaries.append(summary)
    common.warn(folder)
    place = address_of(run) or str(run)
    if json:
        told = [{**asdict(one), "counts": dict(one.counts)} for one in summaries]
        facts = told[0] if len(made) == 1 else {"variants": told}
        common.print_json({"run": place, "benchmark": name, **facts})
    else:
        for number, summary in enumerate(summaries):
            print(summary.line(name))
            if spent := costs.spent(made[number].editor):
                print(f"costs:   {spent}")
        if any(one.counts for one in summaries):
            outputs = folder.edits_folder(name, summaries[0].editor)
            print(f"outputs: {outputs if len(made) == 1 else outputs.parent}")
            source = f" {data}" if data else ""
            print(f"next:    editgauge score {benchmark}{source} --run {place}")
    _leave(summaries, json)


def _leave(summaries: Sequence[EditSummary], json: bool) -> None:
    """End with the exit code of the call that was stopped, or 1 where outputs are lacking."""
    last = summaries[-1]
    if last.stopped:
        if not json:
            print(last.stopped)
        raise typer.Exit(last.exit_code)
    if not all(one.complete for one in summaries):
        raise typer.Exit(1)


def _print_estimate(editor: str, benchmark: str, estimate: Estimate, json: bool) -> None:
    from editgauge.cli import common

    todo, dollars = estimate
    if json:
        rounded = None if dollars is None else round(dollars, 4)
        common.print_json(
            {"editor": editor, "benchmark": benchmark, "samples": todo, "dollars": rounded}
        )
    elif dollars is None:
        print(
            f"{editor} on {benchmark}: {todo} to make; the price is not known: give one with "
            f"--price 0.04"
        )
    else:
        print(
            f"{editor} on {benchmark}: {todo} to make, about {dollars:.2f} US dollars by list "
            f"prices"
        )
