"""`editgauge edit`: make the outputs of an editor."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from editgauge.cli.edit_options import Model, Spending, Telling
from editgauge.cli.groups import grouped
from editgauge.cli.option_groups import Narrowing
from editgauge.cli.options import (
    BenchmarkArg,
    DataArg,
    JsonOpt,
    MemoryOpt,
    RetryOpt,
    RunOpt,
    WorkersOpt,
)

if TYPE_CHECKING:
    from editgauge.editors.costs import Estimate


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
    workers: WorkersOpt = None,
    retry: RetryOpt = "",
    model: Model,
    telling: Telling,
    spending: Spending,
    timeout: Annotated[
        float, typer.Option("--timeout", min=0.1, help="Seconds a sample may take.")
    ] = 600.0,
    memory: MemoryOpt = "1GB",
    json: JsonOpt = False,
) -> None:
    """Make outputs with an editor. Stops and continues at any point; finished samples are never
    edited again.
    """
    from editgauge import catalog
    from editgauge.cli import common
    from editgauge.editors import costs
    from editgauge.errors import UsageError
    from editgauge.evaluation import edit as evaluation
    from editgauge.store import selection
    from editgauge.store.run_folder import RunFolder

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
        rewriter=telling.rewriter,
        rewriter_url=telling.rewriter_url,
    )
    made = evaluation.make(material, request)
    name = material.benchmark.name
    if spending.estimate:
        there = RunFolder.open(run) if run.exists() else None
        todo = evaluation.remaining(material, there, made)
        _print_estimate(made.name, name, costs.estimate(made, todo), json)
        return
    folder = RunFolder.create(run)
    limits = evaluation.Limits(
        workers=common.cores() if workers is None else workers,
        retry=retried,
        seconds_a_sample=timeout,
        budget=spending.budget,
    )
    with common.progress(json) as show:
        summary = evaluation.edit(material, folder, made, limits, request=request, progress=show)
    common.warn(folder)
    counts = dict(summary.counts)
    if json:
        facts = {**asdict(summary), "counts": counts}
        common.print_json({"run": str(run), "benchmark": name, **facts})
    else:
        print(summary.line(name))
        if spent := costs.spent(made):
            print(f"costs:   {spent}")
        print(f"outputs: {folder.edits_folder(name, summary.editor)}")
        place = f" {data}" if data else ""
        print(f"next:    editgauge score {benchmark}{place} --run {run}")
    if summary.stopped:
        if not json:
            print(summary.stopped)
        raise typer.Exit(summary.exit_code)
    if not summary.complete:
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
