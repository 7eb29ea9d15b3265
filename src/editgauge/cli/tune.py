"""`editgauge tune`: fine-tune an editor on a few samples of a task, test it on the others."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from editgauge.cli.common import BenchmarkArg, DataArg, JsonOpt, MemoryOpt, RunOpt, SplitOpt

if TYPE_CHECKING:
    from editgauge.tuning.command import Outcome
    from editgauge.tuning.split import Split

_EXAMPLE = (
    'Example: editgauge tune medebench DATA --editor instructpix2pix --task "Reconstruct ear" '
    "--samples 0,4,8,16 --run runs/ear"
)


def register(app: typer.Typer) -> None:
    app.command("tune", epilog=_EXAMPLE)(tune)


def tune(
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
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of split and training.")] = 0,
    steps: Annotated[
        int, typer.Option("--steps", min=1, help="Updates for each training sample.")
    ] = 50,
    rate: Annotated[
        float | None, typer.Option("--rate", help="Learning rate; default 5e-5, with --lora 1e-4.")
    ] = None,
    resolution: Annotated[
        int, typer.Option("--resolution", min=8, help="Longer side of the training pictures.")
    ] = 512,
    precision: Annotated[
        str, typer.Option("--precision", help="float32, bfloat16 or float16.")
    ] = "float32",
    accumulate: Annotated[
        int, typer.Option("--accumulate", min=1, help="Samples whose gradients make one update.")
    ] = 1,
    dropout: Annotated[
        float,
        typer.Option("--dropout", help="Share of draws without words, without picture, both."),
    ] = 0.05,
    lora: Annotated[
        int, typer.Option("--lora", min=0, help="Train LoRA of this rank; 0: all weights.")
    ] = 0,
    schedule: Annotated[
        str, typer.Option("--schedule", help="Of the rate: constant, linear or cosine.")
    ] = "constant",
    warmup: Annotated[
        int, typer.Option("--warmup", min=0, help="Updates until the rate is full.")
    ] = 0,
    every: Annotated[
        int, typer.Option("--checkpoint-every", min=1, help="Updates between two checkpoints.")
    ] = 100,
    only_split: Annotated[
        bool, typer.Option("--only-split", help="Draw and store the split, and show it.")
    ] = False,
    memory: MemoryOpt = "1GB",
    json: JsonOpt = False,
) -> None:
    """Fine-tune an editor on a few samples of a task, then edit and score the task's other samples.

    A split that is drawn once, and stored in the run, says which samples are trained on. A training
    that was stopped or killed goes on at its last checkpoint. Test samples of the split for
    demonstrations: editgauge edit --shots 2 --held-out.
    """
    from editgauge.cli import common
    from editgauge.evaluation import Evaluation
    from editgauge.store.samples import keep_samples
    from editgauge.store.selection import settings as parsed
    from editgauge.tuning import command
    from editgauge.tuning import split as splits
    from editgauge.tuning.training import RATES, Recipe

    common.set_memory(memory)
    given: dict[str, Any] = {"model": model, "name": name, "device": device}
    order = command.Order(
        editor=editor,
        sizes=tuple(splits.sizes(samples)),
        recipe=Recipe(
            steps_a_sample=steps,
            rate=RATES["lora" if lora else "all"] if rate is None else rate,
            resolution=resolution,
            precision=precision,
            accumulate=accumulate,
            dropout=dropout,
            lora=lora,
            schedule=schedule,
            warmup=warmup,
            seed=seed,
        ),
        settings={k: v for k, v in given.items() if v} | parsed(set_ or ()),
        every=every,
        tests=test,
    )
    command.check(order)
    whole = Evaluation(benchmark, data, run=run, split=split)
    tasks = splits.tasks(whole.every, task or ())
    found = command.splits_of(whole.folder, whole.benchmark.name, tasks, order)
    known = {sample.id for one in found for sample in splits.by_id(whole.every, one.test)}
    whole.samples = [sample for sample in whole.every if sample.id in known]
    if not json:
        _print_splits(found)
    if only_split:
        if json:
            common.print_json(
                {"run": str(run), "splits": {one.task: one.record() for one in found}}
            )
        return
    keep_samples(whole.folder, whole.benchmark.name, whole.dataset.root, whole.every, whole.samples)
    with common.progress(json) as show:
        done = command.tune(
            whole.folder, whole.benchmark.name, whole.every, found, order, progress=show
        )
        whole.folder.record("tune", **command.entry(whole.benchmark.name, order, done))
        summary = whole.score(editors=done.editors, progress=show)
    common.warn(whole.folder)
    if json:
        common.print_json({"run": str(run), **command.as_json(done), "scores": summary.computed})
    else:
        _print(done, run, benchmark, data, summary.computed)
    if any(
        status not in ("scored", "not_applicable") for one in done.edits for status in one.counts
    ):
        raise typer.Exit(1)


def _print_splits(found: list[Split]) -> None:
    for one in found:
        print(f"{one.task}: {len(one.training)} to train on, {len(one.test)} to test")
        print(f"  train: {', '.join(one.training) or 'none'}")
        print(f"  test:  {', '.join(one.test)}")


def _print(done: Outcome, run: Path, benchmark: str, data: Path | None, scores: int) -> None:
    for one in done.trainings:
        how = f"{one.seconds:.1f} s" if one.fresh else "was there"
        print(
            f"{one.task}, {one.samples} samples: loss {one.first:.4f} at first, {one.last:.4f} at "
            f"last; {how}: {run / one.folder}"
        )
    for edits in done.edits:
        counts = ", ".join(f"{n} {status}" for status, n in sorted(edits.counts.items()))
        print(f"{edits.editor}: {counts}; {edits.edited} made now")
    for note in done.notes:
        print(f"note: {note}")
    place = f" {data}" if data else ""
    print(f"{scores} scores made now")
    print(f"next:  editgauge judge {benchmark}{place} --run {run} --model MODEL")
    print(f"table: editgauge table {run} --published --intervals")
