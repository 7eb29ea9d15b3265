"""`editgauge tune`: fine-tune an editor on a few samples of a task, test it on the others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from editgauge.cli.groups import grouped
from editgauge.cli.options import BenchmarkArg, DataArg, JsonOpt, MemoryOpt, RunOpt, SplitOpt
from editgauge.cli.tune_options import Training

_EXAMPLE = (
    'Example: editgauge tune medebench DATA --editor instructpix2pix --task "Reconstruct ear" '
    "--samples 0,4,8,16 --run runs/ear"
)


def register(app: typer.Typer) -> None:
    app.command("tune", epilog=_EXAMPLE)(tune)


@grouped
def tune(
    *,
    benchmark: BenchmarkArg,
    data: DataArg = None,
    editor: Annotated[
        str,
        typer.Option("--editor", help="instructpix2pix, or another editor with such a pipeline."),
    ] = "instructpix2pix",
    task: Annotated[
        list[str] | None,
        typer.Option("--task", help="The task to learn; may be repeated, each by itself."),
    ] = None,
    samples: Annotated[
        str, typer.Option("--samples", help="Numbers of training samples; 0: the editor as it is.")
    ] = "0,4,8,16",
    run: RunOpt = Path("runs/default"),
    split: SplitOpt = None,
    model: Annotated[str, typer.Option("--model", help="A hub id or a folder of weights.")] = "",
    name: Annotated[str, typer.Option("--name", help="The editor's name in rows and tables.")] = "",
    device: Annotated[str, typer.Option("--device", help="cuda, cuda:1, mps or cpu.")] = "",
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="key=value for editing; may be repeated.")
    ] = None,
    test: Annotated[
        int | None, typer.Option("--test", min=1, help="Test at most so many samples of a task.")
    ] = None,
    training: Training,
    only_split: Annotated[
        bool, typer.Option("--only-split", help="Draw and store the split, and show it.")
    ] = False,
    memory: MemoryOpt = "1GB",
    json: JsonOpt = False,
) -> None:
    """Fine-tune an editor on a few samples of a task, then edit and score the task's other samples.

    A split that is drawn once, and stored in the run, says which samples are trained on. A training
    that was stopped or killed goes on at its last checkpoint. To show demonstrations instead, from
    the same split: editgauge edit --shots 2 --held-out.
    """
    from editgauge.cli import common
    from editgauge.run.material import Material
    from editgauge.run.score import Request, Scoring
    from editgauge.store.addresses import address_of
    from editgauge.store.remote import working
    from editgauge.store.run import Run
    from editgauge.store.selection import settings as parsed
    from editgauge.tuning import command
    from editgauge.tuning import split as splits

    common.set_memory(memory)
    given: dict[str, Any] = {"model": model, "name": name, "device": device}
    order = command.Order(
        editor=editor,
        sizes=tuple(splits.sizes(samples)),
        recipe=training.recipe(),
        settings={k: v for k, v in given.items() if v} | parsed(set_ or ()),
        every=training.every,
        tests=test,
    )
    if not only_split:  # it loads the libraries that train, which a split does not need
        command.check(order)
    whole = Material.open(benchmark, data, split=split)
    tasks = splits.tasks(whole.every, task or ())
    place = address_of(run) or str(run)
    with working(run) as here, common.progress(json) as show:
        folder = Run.create(here)
        found = command.splits_of(folder, whole.benchmark.name, tasks, order)
        tested = {identity for one in found for identity in one.test}
        material = replace(whole, samples=[s for s in whole.every if s.id in tested])
        if not json:
            print("\n".join(line for one in found for line in one.lines()), flush=True)
        if only_split:
            if json:
                told = {one.task: one.record() for one in found}
                common.print_json({"run": place, "splits": told})
            return
        material.keep(folder)
        done = command.tune(
            folder, material.benchmark.name, whole.every, found, order, progress=show
        )
        folder.record("tune", **command.entry(material.benchmark.name, order, done))
        scored = Scoring(material, folder, Request(editors=done.editors)).run(show)
    common.warn(folder)
    if json:
        facts = {**command.as_json(done), "scores": scored.summary.computed}
        common.print_json({"run": place, **facts})
    else:
        source = f" {data}" if data else ""
        print("\n".join(done.lines(place, material.benchmark.name)))
        print(f"{scored.summary.computed} scores made now")
        print(f"next:  editgauge judge {benchmark}{source} --run {place} --model MODEL")
        print(f"table: editgauge table {place} --published --intervals")
    if not all(one.complete for one in done.edits):
        raise typer.Exit(1)
